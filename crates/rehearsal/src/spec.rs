//! A specification read: its requirements, its acceptance criteria and what its sections are for.
//!
//! It judges nothing; the checks do. Start at [`Spec::read`]. The forms it knows are the ones people use: ids in
//! headings, list items, table rows or bold paragraphs, criteria in a section of their own or below the
//! requirement they belong to.

use super::document::{Document, Kind, cells, has_any, plain};
use super::ids::{Id, leading, mentions};
use super::pace::{Pace, Stopped};
pub(super) use super::parts::Part;
use super::parts::part_of;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Spec<'a> {
    pub(super) document: Document<'a>,
    pub(super) requirements: Vec<Requirement>,
    /// Ids that acceptance criteria are defined under.
    pub(super) criterion_ids: Vec<Id>,
    /// Per line, the ids it names, each once; code names none.
    ids: Vec<Vec<Id>>,
    /// Per heading, what it and the headings above it make of its section, innermost first.
    parts: Vec<Vec<Part>>,
    /// Per line, whether it can hold an acceptance criterion.
    criterion: Vec<bool>,
    /// Per line, the requirements it belongs to.
    owners: Vec<Vec<usize>>,
    /// Every id that a requirement or criterion is defined under, by letters and first number.
    defined: HashMap<(String, u32), Vec<Id>>,
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

impl<'a> Spec<'a> {
    pub(super) fn read(text: &'a str, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let document = Document::parse(text, pace)?;
        let lines = document.lines.len();
        let mut spec = Spec {
            document,
            requirements: Vec::new(),
            criterion_ids: Vec::new(),
            ids: Vec::with_capacity(lines),
            parts: Vec::new(),
            criterion: Vec::with_capacity(lines),
            owners: vec![Vec::new(); lines],
            defined: HashMap::new(),
        };
        spec.read_headings(pace)?;
        spec.requirements = spec.find_requirements(pace)?;
        for (index, requirement) in spec.requirements.iter().enumerate() {
            for line in requirement.block.clone() {
                pace.step()?;
                spec.owners[line].push(index);
            }
        }
        spec.criterion_ids = spec.find_criterion_ids(pace)?;
        let ids = spec.requirements.iter().map(|r| &r.id).chain(&spec.criterion_ids);
        for id in ids {
            spec.defined.entry(id.family()).or_default().push(id.clone());
        }
        Ok(spec)
    }

    /// What the headings make of the lines below them, and which ids the lines name.
    fn read_headings(&mut self, pace: &Pace<'_>) -> Result<(), Stopped> {
        let document = &self.document;
        let mut marked = Vec::with_capacity(document.headings.len());
        for at in 0..document.headings.len() {
            pace.step()?;
            let titles = || document.titles_of(Some(at));
            // A requirement's own heading says nothing about its section.
            self.parts.push(titles().filter(|title| leading(title).is_none()).filter_map(part_of).collect());
            marked.push(titles().any(|title| leading(title).is_some_and(|m| m.id.is_criterion())));
        }
        for at in 0..document.lines.len() {
            pace.step()?;
            let line = &document.lines[at];
            let mut ids: Vec<Id> = match line.kind {
                Kind::Code => Vec::new(),
                _ => mentions(line.raw).into_iter().map(|mention| mention.id).collect(),
            };
            ids.sort_unstable();
            ids.dedup();
            self.ids.push(ids);
            let under = line.heading.is_some_and(|heading| marked[heading]);
            self.criterion.push(under || self.can_be_criterion(at));
        }
        Ok(())
    }

    /// Whether the line stands in such a part.
    pub(super) fn is_in(&self, line: usize, part: Part) -> bool {
        self.parts(line).contains(&part)
    }

    /// The same for any of several parts.
    pub(super) fn is_in_any(&self, line: usize, parts: &[Part]) -> bool {
        self.parts(line).iter().any(|part| parts.contains(part))
    }

    fn parts(&self, line: usize) -> &[Part] {
        self.document.lines[line].heading.map_or(&[], |heading| self.parts[heading].as_slice())
    }

    /// Whether a line can hold an acceptance criterion.
    pub(super) fn is_criterion(&self, line: usize) -> bool {
        self.criterion[line]
    }

    /// The requirements a line belongs to: more than one where a requirement has parts.
    pub(super) fn owners(&self, line: usize) -> &[usize] {
        &self.owners[line]
    }

    /// Whether a line is where a requirement is defined.
    pub(super) fn is_definition(&self, line: usize) -> bool {
        self.owners[line].iter().any(|owner| self.requirements[*owner].line == line)
    }

    fn can_be_criterion(&self, line: usize) -> bool {
        let lone = leading(self.document.said(line)).is_some_and(|m| m.id.is_criterion());
        let item = matches!(self.document.lines[line].kind, Kind::Item { .. } | Kind::Text | Kind::Row);
        (lone && item) || self.parts(line).first() == Some(&Part::Acceptance) || self.nested_acceptance(line)
    }

    /// In an acceptance section that has subsections with names of their own.
    fn nested_acceptance(&self, line: usize) -> bool {
        self.is_in(line, Part::Acceptance) && !self.is_in(line, Part::Requirements)
    }

    /// The criteria as units: an item with what is nested in it, a row, a paragraph line.
    pub(super) fn criteria(&self) -> Vec<Range<usize>> {
        let mut units: Vec<Range<usize>> = Vec::new();
        let mut next = 0;
        for at in 0..self.document.lines.len() {
            if at < next || !self.is_criterion(at) || self.is_definition(at) {
                continue;
            }
            let unit = match self.document.lines[at].kind {
                Kind::Item { .. } => self.document.block_of_item(at),
                Kind::Row if !self.document.is_table_head(at) => at..at + 1,
                Kind::Text => at..at + 1,
                _ => continue,
            };
            next = unit.end;
            units.push(unit);
        }
        units
    }

    /// Everything that says what the system has to do: requirements with ids, and without them the items of
    /// requirement sections and sentences with "shall" or "must".
    pub(super) fn statements(&self) -> Vec<Range<usize>> {
        let apart =
            [Part::Excluded, Part::Goals, Part::Questions, Part::Failures, Part::Risks, Part::Background];
        let mut found: Vec<Range<usize>> = self.requirements.iter().map(|r| r.block.clone()).collect();
        let mut next = 0;
        for at in 0..self.document.lines.len() {
            let line = &self.document.lines[at];
            let known = at < next || !self.owners[at].is_empty();
            if known || self.is_in_any(at, &apart) || self.is_criterion(at) {
                continue;
            }
            let asked = self.is_in(at, Part::Requirements) || has_any(line.raw, &[" shall ", " must "]);
            let block = match line.kind {
                Kind::Item { .. } if asked => self.document.block_of_item(at),
                Kind::Row if asked && !self.document.is_table_head(at) => at..at + 1,
                Kind::Text if asked => at..at + 1,
                _ => continue,
            };
            next = block.end;
            found.push(block);
        }
        found
    }

    pub(super) fn defines(&self, id: &Id) -> bool {
        let family = self.defined.get(&id.family());
        family.is_some_and(|known| known.iter().any(|known| known.covers(id)))
    }

    /// Whether a criterion is defined under exactly this id.
    pub(super) fn has_criterion(&self, id: &Id) -> bool {
        self.defined.get(&id.family()).is_some_and(|known| known.contains(id))
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

    fn find_requirements(&self, pace: &Pace<'_>) -> Result<Vec<Requirement>, Stopped> {
        let mut best: BTreeMap<Id, (u8, usize)> = BTreeMap::new();
        for at in 0..self.document.lines.len() {
            pace.step()?;
            let Some((id, score)) = self.definition(at) else { continue };
            let kept = best.entry(id).or_insert((score, at));
            if score > kept.0 {
                *kept = (score, at);
            }
        }
        let mut lines: Vec<(usize, Id)> = best.into_iter().map(|(id, (_, at))| (at, id)).collect();
        lines.sort_by_key(|(at, _)| *at);
        let starts: Vec<usize> = lines.iter().map(|(at, _)| *at).chain([self.document.lines.len()]).collect();
        let made = lines.into_iter().enumerate().map(|(index, (at, id))| {
            let raw = self.document.lines[at].raw;
            let said = self.document.said(at);
            let shift = raw.len() - raw.trim_start().len();
            let name = id_text(raw, shift, said);
            Requirement { id, name, line: at, block: self.block(at, starts[index + 1]) }
        });
        Ok(made.collect())
    }

    /// The requirement a line defines, and how sure that is.
    fn definition(&self, at: usize) -> Option<(Id, u8)> {
        let apart =
            [Part::Excluded, Part::Goals, Part::Questions, Part::Risks, Part::Tracing, Part::Background];
        if self.is_criterion(at) || self.is_in_any(at, &apart) {
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
            Kind::Text if separated || (asked && self.begins_paragraph(at)) => 1,
            _ => 0,
        };
        (kind && form > 0).then_some((mention.id, form + 3 * u8::from(asked)))
    }

    fn begins_paragraph(&self, at: usize) -> bool {
        let above = at.checked_sub(1).map(|above| self.document.lines[above].kind);
        above.is_none_or(|kind| matches!(kind, Kind::Blank | Kind::Heading))
    }

    /// The lines that belong to a requirement, where `next` is the line of the one behind it.
    fn block(&self, at: usize, next: usize) -> Range<usize> {
        let document = &self.document;
        match (document.lines[at].kind, document.heading_at(at)) {
            (Kind::Row, _) => at..at + 1,
            (Kind::Item { .. }, _) => document.block_of_item(at),
            (_, Some(own)) if document.headings[own].level <= 6 => document.block_of_heading(own),
            _ => at..document.next_real_heading(at).min(next),
        }
    }

    fn find_criterion_ids(&self, pace: &Pace<'_>) -> Result<Vec<Id>, Stopped> {
        let mut found = Vec::new();
        for at in (0..self.document.lines.len()).filter(|at| self.is_criterion(*at)) {
            pace.step()?;
            let line = &self.document.lines[at];
            let said = match line.kind {
                Kind::Heading => line.raw.trim().trim_start_matches('#').trim(),
                Kind::Row => cells(line.raw).first().copied().unwrap_or_default(),
                Kind::Item { .. } | Kind::Text => self.document.said(at),
                _ => continue,
            };
            found.extend(leading(said).map(|mention| mention.id).filter(|id| !id.is_requirement()));
        }
        Ok(found)
    }
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

    fn read(text: &str) -> Spec<'_> {
        Spec::read(text, &Pace::calm()).unwrap()
    }

    fn names(text: &str) -> Vec<String> {
        read(text).requirements.into_iter().map(|r| r.name).collect()
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
        assert_eq!(names("### SR-1 Map\nx\n### BR-2: Zones\ny\n"), ["SR-1", "BR-2"]);
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
        let spec = read("## Scope\n- **FR-1** short\n## Requirements\n### FR-1: long\nThe system shall a.\n");
        assert_eq!(spec.requirements[0].line, 3);
        assert_eq!(spec.statement(&spec.requirements[0]), "The system shall a.");
    }

    #[test]
    fn criteria_are_known_by_section_label_or_id() {
        let text = "## Requirements\n### R1: a\nx\n**Acceptance criteria:**\n- y\n### R2: b\n- AC-2: z\n## Acceptance\n### Upload\n- w\n";
        let spec = read(text);
        let units: Vec<usize> = spec.criteria().iter().map(|unit| unit.start).collect();
        assert_eq!(units, [4, 6, 9]);
    }
}
