//! A specification read: its requirements, its acceptance criteria and what its sections are for.
//!
//! It judges nothing; the checks do. Start at [`Spec::read`]. The forms it knows are the ones people use: ids in
//! headings, list items, table rows or bold paragraphs, criteria in a section of their own or below the
//! requirement they belong to.

use super::document::{Document, Kind, Line, cells, has_any, plain};
use super::ids::{Id, leading, mentions};
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Spec<'a> {
    pub(super) document: Document<'a>,
    pub(super) requirements: Vec<Requirement>,
    /// Ids that acceptance criteria are defined under.
    pub(super) criterion_ids: Vec<Id>,
    /// Per line, the ids it names; code names none.
    ids: Vec<Vec<Id>>,
    /// Per line, what the headings above it make of it, innermost first.
    parts: Vec<Vec<Part>>,
    /// Per line, whether it can hold an acceptance criterion.
    criterion: Vec<bool>,
}

/// One requirement with an id.
#[derive(Debug, Clone)]
pub(super) struct Requirement {
    pub(super) id: Id,
    /// The id as it is written where it is defined.
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) block: Range<usize>,
}

/// What a section is for, as far as its headings say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Acceptance,
    Goals,
    Requirements,
    Failures,
    Risks,
    Questions,
    /// Out of scope, non-goals, deferred.
    Excluded,
    /// Tables that only say what belongs to what.
    Tracing,
    /// Why, today, history, examples: not what is asked for.
    Background,
}

impl<'a> Spec<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let document = Document::parse(text);
        let prose = |line: &Line<'a>| if line.kind == Kind::Code { "" } else { line.raw };
        let ids = document
            .lines
            .iter()
            .map(|line| mentions(prose(line)).into_iter().map(|m| m.id).collect())
            .collect();
        let (requirements, criterion_ids, parts, criterion) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut spec = Spec { document, requirements, criterion_ids, ids, parts, criterion };
        let lines = 0..spec.document.lines.len();
        spec.parts = lines.clone().map(|line| spec.find_parts(line)).collect();
        spec.criterion = lines.map(|line| spec.find_criterion(line)).collect();
        spec.requirements = spec.find_requirements();
        spec.criterion_ids = spec.find_criterion_ids();
        spec
    }

    /// Whether the line stands in such a part.
    pub(super) fn is_in(&self, line: usize, part: Part) -> bool {
        self.parts[line].contains(&part)
    }

    /// Whether a line can hold an acceptance criterion.
    pub(super) fn is_criterion(&self, line: usize) -> bool {
        self.criterion[line]
    }

    /// A requirement's own heading says nothing about its section.
    fn find_parts(&self, line: usize) -> Vec<Part> {
        self.document.titles(line).filter(|title| leading(title).is_none()).filter_map(part_of).collect()
    }

    fn find_criterion(&self, line: usize) -> bool {
        let marked =
            self.document.titles(line).any(|title| leading(title).is_some_and(|m| m.id.is_criterion()));
        let lone = leading(self.document.said(line)).is_some_and(|m| m.id.is_criterion());
        let item = matches!(self.document.lines[line].kind, Kind::Item { .. } | Kind::Text | Kind::Row);
        marked
            || (lone && item)
            || self.parts[line].first() == Some(&Part::Acceptance)
            || self.nested_acceptance(line)
    }

    /// In an acceptance section that has subsections with names of their own.
    fn nested_acceptance(&self, line: usize) -> bool {
        self.is_in(line, Part::Acceptance) && !self.is_in(line, Part::Requirements)
    }

    /// The criteria as units: an item with what is nested in it, a row, a paragraph line.
    pub(super) fn criteria(&self) -> Vec<Range<usize>> {
        let mut units: Vec<Range<usize>> = Vec::new();
        for at in 0..self.document.lines.len() {
            let inside = units.last().is_some_and(|unit| unit.contains(&at));
            if inside || !self.is_criterion(at) || self.requirements.iter().any(|r| r.line == at) {
                continue;
            }
            match self.document.lines[at].kind {
                Kind::Item { .. } => units.push(self.document.block_of_item(at)),
                Kind::Row if !self.document.is_table_head(at) => units.push(at..at + 1),
                Kind::Text => units.push(at..at + 1),
                _ => {}
            }
        }
        units
    }

    /// Everything that says what the system has to do: requirements with ids, and without them the items of
    /// requirement sections and sentences with "shall" or "must".
    pub(super) fn statements(&self) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = self.requirements.iter().map(|r| r.block.clone()).collect();
        for at in 0..self.document.lines.len() {
            let line = &self.document.lines[at];
            let apart =
                [Part::Excluded, Part::Goals, Part::Questions, Part::Failures, Part::Risks, Part::Background];
            let skipped = apart.iter().any(|part| self.is_in(at, *part)) || self.is_criterion(at);
            if skipped || found.iter().any(|block| block.contains(&at)) {
                continue;
            }
            let asked = self.is_in(at, Part::Requirements) || has_any(line.raw, &[" shall ", " must "]);
            match line.kind {
                Kind::Item { .. } if asked => found.push(self.document.block_of_item(at)),
                Kind::Row if asked && !self.document.is_table_head(at) => found.push(at..at + 1),
                Kind::Text if asked => found.push(at..at + 1),
                _ => {}
            }
        }
        found
    }

    pub(super) fn defines(&self, id: &Id) -> bool {
        self.requirements.iter().any(|r| r.id.covers(id))
            || self.criterion_ids.iter().any(|known| known.covers(id))
    }

    /// The ids a range of lines names, ranges and lists written out.
    pub(super) fn named(&self, lines: Range<usize>) -> impl Iterator<Item = &Id> {
        self.ids[lines].iter().flatten()
    }

    /// What a requirement says, without its id.
    pub(super) fn statement(&self, requirement: &Requirement) -> String {
        let line = requirement.line;
        let Requirement { block, .. } = requirement;
        if self.document.lines[line].kind == Kind::Row {
            let row = cells(self.document.lines[line].raw);
            return plain(row.iter().skip(1).find(|cell| cell.split_whitespace().count() > 2).unwrap_or(&""));
        }
        let title = after_id(self.document.said(line));
        if self.document.lines[line].kind != Kind::Heading {
            let continued =
                (line + 1..block.end).take_while(|at| self.document.lines[*at].kind == Kind::Text);
            let more: Vec<&str> = continued.map(|at| self.document.lines[at].raw.trim()).collect();
            return plain(&[title.as_str(), &more.join(" ")].join(" "));
        }
        let prose = |at: &usize| matches!(self.document.lines[*at].kind, Kind::Text | Kind::Item { .. });
        let first = block.clone().skip(1).find(prose).filter(|at| !self.is_criterion(*at));
        first.map_or(title, |at| plain(self.document.said(at)))
    }

    fn find_requirements(&self) -> Vec<Requirement> {
        let mut best: BTreeMap<Id, (u8, usize)> = BTreeMap::new();
        for at in 0..self.document.lines.len() {
            let Some((id, score)) = self.definition(at) else { continue };
            let kept = best.entry(id).or_insert((score, at));
            if score > kept.0 {
                *kept = (score, at);
            }
        }
        let mut lines: Vec<(usize, Id)> = best.into_iter().map(|(id, (_, at))| (at, id)).collect();
        lines.sort_by_key(|(at, _)| *at);
        let starts: Vec<usize> = lines.iter().map(|(at, _)| *at).collect();
        let made = lines.into_iter().map(|(at, id)| {
            let raw = self.document.lines[at].raw;
            let said = self.document.said(at);
            let shift = raw.len() - raw.trim_start().len();
            let name = id_text(raw, shift, said);
            Requirement { id, name, line: at, block: self.block(at, &starts) }
        });
        made.collect()
    }

    /// The requirement a line defines, and how sure that is.
    fn definition(&self, at: usize) -> Option<(Id, u8)> {
        let apart =
            [Part::Excluded, Part::Goals, Part::Questions, Part::Risks, Part::Tracing, Part::Background];
        if self.is_criterion(at) || apart.iter().any(|part| self.is_in(at, *part)) {
            return None;
        }
        let asked = self.is_in(at, Part::Requirements);
        let line = &self.document.lines[at];
        let said = match line.kind {
            Kind::Heading => line.raw.trim().trim_start_matches('#').trim(),
            Kind::Row if !self.document.is_table_head(at) => cells(line.raw).first().copied()?,
            Kind::Item { .. } | Kind::Text => self.document.said(at),
            _ => return None,
        };
        let mention = leading(said)?;
        let foreign = ["AC", "SC", "TC", "G", "GOAL", "Q", "OQ", "NG", "NR", "US", "UC", "P"];
        let kind = mention.id.is_requirement() || (asked && !foreign.contains(&mention.id.prefix.as_str()));
        let after = said[mention.at.end..].trim_start_matches(['*', '_', '`', ']', ')']);
        let marked =
            said[..mention.at.start].contains(['*', '[', '(']) && after.len() < said[mention.at.end..].len();
        let separated = after.trim_start().starts_with([':', '.', '—', '–', '-', '|', '(', '[']) || marked;
        let form = match line.kind {
            Kind::Heading => 2,
            Kind::Row => u8::from(after.is_empty()),
            Kind::Item { .. }
                if separated || (asked && !has_any(&after.to_lowercase(), &[" and ", ", "])) =>
            {
                1
            }
            Kind::Item { .. } if asked => 1,
            Kind::Text if separated => 1,
            _ => 0,
        };
        (kind && form > 0).then_some((mention.id, form + 3 * u8::from(asked)))
    }

    /// The lines that belong to a requirement.
    fn block(&self, at: usize, starts: &[usize]) -> Range<usize> {
        let line = &self.document.lines[at];
        let next = starts.iter().copied().find(|start| *start > at).unwrap_or(self.document.lines.len());
        let heading = self.document.headings.iter().position(|heading| heading.line == at);
        let real = |heading: &super::document::Heading| heading.line > at && heading.level <= 6;
        match (line.kind, heading) {
            (Kind::Row, _) => at..at + 1,
            (Kind::Item { .. }, _) => self.document.block_of_item(at),
            (_, Some(own)) if self.document.headings[own].level <= 6 => self.document.block_of_heading(own),
            _ => {
                let end =
                    self.document.headings.iter().find(|heading| real(heading)).map(|heading| heading.line);
                at..end.unwrap_or(self.document.lines.len()).min(next)
            }
        }
    }

    fn find_criterion_ids(&self) -> Vec<Id> {
        let at_criteria = (0..self.document.lines.len()).filter(|at| self.is_criterion(*at));
        let ids = at_criteria.filter_map(|at| {
            let line = &self.document.lines[at];
            let said = match line.kind {
                Kind::Heading => line.raw.trim().trim_start_matches('#').trim(),
                Kind::Row => cells(line.raw).first().copied()?,
                Kind::Item { .. } | Kind::Text => self.document.said(at),
                _ => return None,
            };
            leading(said).map(|mention| mention.id).filter(|id| !id.is_requirement())
        });
        ids.collect()
    }
}

/// What a title says its section is for.
fn part_of(title: &str) -> Option<Part> {
    // Earlier rows win: "Acceptance of errors" is acceptance, "Failure scenarios" are failures.
    const PARTS: [(Part, &str); 9] = [
        (
            Part::Excluded,
            "out of scope, out-of-scope, non-goal, nongoal, non goal, not in scope, non-requirement",
        ),
        (Part::Excluded, "deferred, not part of, exclusion, will not, won't"),
        (Part::Tracing, "traceab, coverage, mapping, matrix"),
        (Part::Risks, "risk"),
        (Part::Requirements, "requirement, what it does, behaviour, behavior"),
        (
            Part::Acceptance,
            "acceptance, success criteria, exit criteria, definition of done, done when, test case",
        ),
        (Part::Goals, "goal, objective"),
        (
            Part::Failures,
            "failure, error, edge case, boundary case, corner case, go wrong, may fail, can fail",
        ),
        (Part::Acceptance, "scenario, verification, test plan, tests, how we know, how we check"),
    ];
    const BACKGROUND: &str = "problem, background, motivation, context, history, changelog, revision, review log, \
        evidence, reference, appendix, example, current state, today, alternative, rationale, glossary, \
        assessment, assumption, dependenc, overview, summary, introduction";
    let bare = title.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    if ["open question", "open issue", "unresolved", "questions"].iter().any(|word| bare.starts_with(word)) {
        return Some(Part::Questions);
    }
    let names = |words: &str| words.split(", ").any(|word| bare.contains(word));
    let found = PARTS.iter().find(|(_, words)| names(words)).map(|(part, _)| *part);
    found.or_else(|| names(BACKGROUND).then_some(Part::Background))
}

/// The text behind an id and its separator.
pub(super) fn after_id(said: &str) -> String {
    let Some(mention) = leading(said.trim_start_matches('#').trim_start()) else { return plain(said) };
    let said = said.trim_start_matches('#').trim_start();
    let rest =
        said[mention.at.end..].trim_start_matches(['*', '_', '`', ']', ')', ':', '.', ' ', '—', '–', '-']);
    plain(rest.trim_start_matches(['*', '_']))
}

fn id_text(raw: &str, shift: usize, said: &str) -> String {
    let text = if raw.trim_start().starts_with('|') {
        cells(raw).first().copied().unwrap_or_default()
    } else {
        said
    };
    let text = text.trim_start_matches('#').trim_start();
    leading(text).map_or_else(|| raw[shift..].to_owned(), |mention| text[mention.at].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        Spec::read(text).requirements.into_iter().map(|r| r.name).collect()
    }

    #[test]
    fn requirements_are_found_in_every_common_form() {
        assert_eq!(
            names("## Requirements\n- **R1**: a\n- R-2: b\n* [R3] c\n1. R4 The system shall d\n"),
            ["R1", "R-2", "R3", "R4"]
        );
        assert_eq!(names("## Requirements\n### FR-1: a\ntext\n### FR-02 — b\n"), ["FR-1", "FR-02"]);
        assert_eq!(
            names("## Requirements\n| Id | Text |\n|---|---|\n| REQ-1 | a |\n| **NFR2** | b |\n"),
            ["REQ-1", "NFR2"]
        );
        assert_eq!(names("## Requirements\n**R1.** When a, b.\n\n**R2** When c, d.\n"), ["R1", "R2"]);
    }

    #[test]
    fn ids_elsewhere_define_nothing() {
        assert!(names("## Risks\n- R1: late\n## Acceptance Criteria\n- R1: seen\n## Notes\n- R1 and R2 share a lock\n").is_empty());
        assert!(
            names("## Out of Scope\n- FR-9: later\n## Goals\n- G1: x\n```\n- R1: code\n```\n").is_empty()
        );
    }

    #[test]
    fn the_definition_under_requirements_wins_over_an_earlier_list() {
        let spec =
            Spec::read("## Scope\n- **FR-1** short\n## Requirements\n### FR-1: long\nThe system shall a.\n");
        assert_eq!(spec.requirements[0].line, 3);
        assert_eq!(spec.statement(&spec.requirements[0]), "The system shall a.");
    }

    #[test]
    fn criteria_are_known_by_section_label_or_id() {
        let text = "## Requirements\n### R1: a\nx\n**Acceptance criteria:**\n- y\n### R2: b\n- AC-2: z\n## Acceptance\n### Upload\n- w\n";
        let spec = Spec::read(text);
        let units: Vec<usize> = spec.criteria().iter().map(|unit| unit.start).collect();
        assert_eq!(units, [4, 6, 9]);
    }
}
