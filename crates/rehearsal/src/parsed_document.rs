//! A document as this agent reads it: the reader of `documents`, and the few questions about lines that checks and
//! drafts ask.
//!
//! `documents` decides which lines are code and where sections begin, `reports` what is a requirement. Start at
//! [`ParsedDocument::read`] and [`needs`].

use redraft_documents::page::line::{Item, cells, is_rule_of_table, without_emphasis};
use redraft_documents::page::span::spans;
use redraft_documents::sections::{Outline, Section};
use redraft_facts::text::one_line;
use redraft_reports::matrix::{self, Sources};
use std::ops::Range;

#[derive(Debug)]
pub(crate) struct ParsedDocument<'a> {
    pub(crate) text: &'a str,
    pub(crate) outline: Outline<'a>,
}

/// A word where it stands. `line` counts from 0.
pub(crate) struct Word {
    pub(crate) line: usize,
    pub(crate) at: Range<usize>,
    pub(crate) text: String,
}

/// A requirement or a criterion with an id. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) id: String,
    pub(crate) line: usize,
    pub(crate) is_criterion: bool,
}

/// A requirement with the words of its criteria.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) criteria: Vec<String>,
}

impl<'a> ParsedDocument<'a> {
    pub(crate) fn read(text: &'a str) -> ParsedDocument<'a> {
        ParsedDocument { text, outline: Outline::parse(text) }
    }

    /// A line without its break; empty behind the end.
    pub(crate) fn line(&self, at: usize) -> &'a str {
        self.outline.lines().get(at).copied().unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// The title of the section a line stands in.
    pub(crate) fn section(&self, line: usize) -> &str {
        self.outline.at(line).map_or("", |section| section.title)
    }

    /// `section “Title”`, or the text for lines before the first heading.
    pub(crate) fn section_name(&self, line: usize) -> String {
        match self.section(line) {
            "" => "the beginning".to_owned(),
            title => format!("section “{title}”"),
        }
    }

    /// The sentences people read: text that is not a heading, with its code blanked out so that positions stay. Code in
    /// between does not count as a word.
    pub(crate) fn prose(&self) -> impl Iterator<Item = (usize, String)> {
        (0..self.outline.lines().len()).filter(|at| self.is_prose(*at)).map(|at| (at, blanked(self.line(at))))
    }

    /// The words of three letters and more that people read, also with hyphens.
    pub(crate) fn words(&self) -> Vec<Word> {
        let mut found = Vec::new();
        for (line, prose) in self.prose() {
            let mut from = 0;
            for word in prose.split_inclusive(|c: char| !c.is_alphabetic() && c != '-') {
                let bare = word.trim_end_matches(|c: char| !c.is_alphabetic());
                let text = bare.trim_start_matches('-').to_owned();
                let start = from + bare.len() - text.len();
                from += word.len();
                if text.len() > 2 && text.is_ascii() {
                    found.push(Word { line, at: start..start + text.len(), text });
                }
            }
        }
        found
    }

    fn is_prose(&self, at: usize) -> bool {
        let heading =
            self.outline.at(at).is_some_and(|section| section.level > 0 && section.lines.start == at);
        self.outline.is_text(at) && !heading && !self.line(at).trim().is_empty()
    }

    /// The first section whose title has one of these words.
    pub(crate) fn section_about(&self, words: &[&str]) -> Option<&Section<'a>> {
        let fits = |section: &&Section<'_>| section.level > 0 && has_any(section.title, words);
        self.outline.sections().iter().find(fits)
    }

    /// The outer items of a section.
    pub(crate) fn items(&self, section: &Section<'_>) -> Vec<String> {
        let lines = section.lines.clone().filter(|at| self.outline.is_text(*at));
        let items = lines.filter_map(|at| Item::parse(self.line(at))).filter(|item| item.indent < 2);
        items.map(|item| without_emphasis(item.text)).collect()
    }

    /// The last line of a range that is not blank.
    pub(crate) fn last_filled(&self, lines: Range<usize>) -> usize {
        let filled = lines.clone().rev().find(|at| !self.line(*at).trim().is_empty());
        filled.unwrap_or(lines.start)
    }

    /// The text after a label: `**Files:** …`, `- **Call:** …`, up to the next blank line or label.
    pub(crate) fn field(&self, lines: Range<usize>, label: &str) -> Option<String> {
        let labelled = |at: usize| {
            let text = self.line(at).trim().trim_start_matches("- ").strip_prefix("**")?;
            text.split_once(":**").map(|(name, rest)| (name, rest.trim()))
        };
        let start = lines
            .clone()
            .find(|at| labelled(*at).is_some_and(|(name, _)| name.eq_ignore_ascii_case(label)))?;
        let mut text = labelled(start)?.1.to_owned();
        for at in start + 1..lines.end {
            if labelled(at).is_some() || self.line(at).trim().is_empty() {
                break;
            }
            text.push('\n');
            text.push_str(self.line(at).trim());
        }
        Some(text.trim().to_owned())
    }

    /// Requirements and criteria that are written down under an id, in the order of their lines.
    pub(crate) fn wanted(&self) -> Vec<Wanted> {
        let matrix = matrix::build(&Sources { spec: Some(self.text), ..Sources::default() });
        let requirements = matrix.rows.into_iter().filter_map(|row| row.requirement);
        let one = requirements.map(|one| Wanted {
            line: (one.line as usize).saturating_sub(1),
            id: one.id,
            is_criterion: one.is_criterion,
        });
        // The trace numbers those without an id itself, and its numbers are not in the text.
        one.filter(|one| self.line(one.line).contains(&one.id)).collect()
    }

    /// What a line says about an id: the rest of an item, the longest cell of a row, the text below a heading.
    pub(crate) fn statement(&self, id: &str, line: usize) -> String {
        let text = self.line(line);
        if let Some(cells) = cells(text) {
            return plain(cells.iter().skip(1).max_by_key(|cell| cell.len()).unwrap_or(&""));
        }
        let rest = text.split_once(id).map_or(text, |(_, rest)| rest);
        let mut said = plain(rest.trim_start_matches(['*', '_', '`', ':', ' ', ')', '.', '—', '–', '-']));
        let heading = self.outline.at(line).filter(|at| at.level > 0 && at.lines.start == line);
        if let Some(section) = heading {
            let below = section.own.clone().skip(1).find(|at| self.is_prose(*at));
            let below = below.map(|at| Item::parse(self.line(at)).map_or(self.line(at), |item| item.text));
            return below.map_or(said, plain);
        }
        for at in line + 1..self.outline.lines().len() {
            let next = self.line(at);
            if next.trim().is_empty() || Item::parse(next).is_some() || !self.is_prose(at) {
                break;
            }
            said.push(' ');
            said.push_str(&plain(next));
        }
        said
    }

    /// The lines of criteria: items and rows in sections about acceptance, and those with an id of a criterion.
    pub(crate) fn criteria(&self, wanted: &[Wanted]) -> Vec<usize> {
        let named = |line: usize| wanted.iter().any(|one| one.is_criterion && one.line == line);
        (0..self.outline.lines().len()).filter(|line| named(*line) || self.is_criterion(*line)).collect()
    }

    fn is_criterion(&self, line: usize) -> bool {
        let row = || cells(self.line(line)).is_some_and(|cells| !is_rule_of_table(&cells));
        let listed = self.outline.is_text(line) && (Item::parse(self.line(line)).is_some() || row());
        let mut around = self.outline.sections().iter().filter(|section| section.lines.contains(&line));
        listed && around.any(|section| has_any(section.title, &["acceptance", "criteria"]))
    }
}

/// The id that an item or a row begins with: capitals or letters, then a number.
pub(crate) fn leading_id(line: &str) -> Option<&str> {
    let text = Item::parse(line).map_or(line, |item| item.text).trim_start_matches(['|', '*', '_', '`', ' ']);
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '.'))).unwrap_or(text.len());
    let id = text[..end].trim_end_matches(['.', '-']);
    (id.starts_with(char::is_uppercase) && id.ends_with(|c: char| c.is_ascii_digit())).then_some(id)
}

/// Whether a text names an id, also in a range such as `R1–R4` or `R1..R4`.
pub(crate) fn names(text: &str, id: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '–');
    let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = |text: &str| text.strip_prefix(letters).unwrap_or(text).parse::<u32>().ok();
    let in_range = |word: &str| {
        let ends = ["–", "..", "-"].iter().find_map(|joint| word.split_once(joint));
        let ends = ends.filter(|(from, _)| from.starts_with(letters) && !letters.is_empty());
        let ends = ends.and_then(|(from, to)| Some((number(from)?, number(to)?)));
        ends.zip(number(id)).is_some_and(|((from, to), own)| (from..=to).contains(&own))
    };
    let mut words = text.split(|c| !inner(c)).map(|word| word.trim_matches(['.', '-', '–']));
    words.any(|word| word == id || in_range(word))
}

/// The requirements of a specification with what shows that they are met.
pub(crate) fn needs(spec: &str) -> Vec<Need> {
    let parsed = ParsedDocument::read(spec);
    let wanted = parsed.wanted();
    let criteria = parsed.criteria(&wanted);
    let need = |one: &Wanted| {
        let own = |line: &&usize| names(parsed.line(**line), &one.id);
        let criterion = |line: &usize| {
            let text = parsed.line(*line);
            let said = leading_id(text).map_or_else(|| plain(text), |id| parsed.statement(id, *line));
            let bare = said.strip_prefix('(').and_then(|rest| rest.split_once(')'));
            let bare = bare.map_or(said.as_str(), |(_, rest)| rest);
            full_stop(&one_line(bare.trim_start_matches([':', ' ']), 300))
        };
        Need {
            name: one.id.clone(),
            text: full_stop(&one_line(&parsed.statement(&one.id, one.line), 300)),
            criteria: criteria.iter().filter(own).map(criterion).collect(),
        }
    };
    wanted.iter().filter(|one| !one.is_criterion).map(need).collect()
}

/// A line with blanks where its code is, as long as before.
fn blanked(line: &str) -> String {
    let mut out = line.to_owned();
    for span in spans(line) {
        out.replace_range(span.whole.clone(), &" ".repeat(span.whole.len()));
    }
    out
}

fn plain(text: &str) -> String {
    without_emphasis(text).trim().to_owned()
}

pub(crate) fn full_stop(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) || text.is_empty() { text.to_owned() } else { format!("{text}.") }
}

/// Whether a text has one of these words, whatever their case.
pub(crate) fn has_any(text: &str, words: &[&str]) -> bool {
    let lower = text.to_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// The significant words of a text: short ones and numbers are left out.
pub(crate) fn telling_words(text: &str) -> Vec<String> {
    const SMALL: &str = "a after an and any are as at be been before by can could do does during each for from given has have how if in into is it its \
        may more must no not of on one only or other our out per shall should so some such than that the their them \
        seen then there they this to until up upon was were what when where which while who will with within would";
    let words = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .map(|word| word.trim_matches('-').to_lowercase());
    let telling = |word: &String| {
        word.chars().any(char::is_alphabetic)
            && !word.chars().any(|c| c.is_ascii_digit())
            && !SMALL.split_whitespace().any(|small| small == word)
    };
    words.filter(telling).collect()
}

/// What a text names in backticks.
pub(crate) fn marks(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A line as it is quoted in a finding.
pub(crate) fn quote(line: &str) -> String {
    line.trim().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Spec: x\n\n## Requirements\n\n- **R1**: When asked, the system shall\n  answer within 3 seconds.\n\
        - **R2**: It shall stop.\n\n### R3: Keep\n\nThe system shall keep it.\n\n## Acceptance Criteria\n\n\
        - **AC1** (R1): it answers\n- AC2 (R2–R3): it stops and keeps\n";

    #[test]
    fn requirements_are_read_with_their_sentences_and_their_criteria() {
        let needs = needs(SPEC);
        let read: Vec<(&str, &str, usize)> =
            needs.iter().map(|need| (need.name.as_str(), need.text.as_str(), need.criteria.len())).collect();
        assert_eq!(
            read,
            [
                ("R1", "When asked, the system shall answer within 3 seconds.", 1),
                ("R2", "It shall stop.", 1),
                ("R3", "The system shall keep it.", 1)
            ]
        );
        assert_eq!(needs[0].criteria, ["it answers."]);
    }

    #[test]
    fn an_id_is_named_by_itself_in_a_list_or_in_a_range_and_not_inside_another() {
        for (text, named) in [
            ("(R2)", true),
            ("R1, R2", true),
            ("R1–R4", true),
            ("R20", false),
            ("AR2", false),
            ("`R2`.", true),
            ("R1..R3 and", true),
            ("(R3–R9)", false),
            ("FR-1–FR-3", false),
        ] {
            assert_eq!(names(text, "R2"), named, "{text}");
        }
    }

    #[test]
    fn a_field_goes_to_the_next_label_or_blank_line() {
        let parsed = ParsedDocument::read("**Files:** `a`,\n`b`\n**Do:** it\n\nmore\n");
        assert_eq!(parsed.field(0..5, "files").as_deref(), Some("`a`,\n`b`"));
        assert_eq!(parsed.field(0..5, "Do").as_deref(), Some("it"));
        assert_eq!(parsed.field(0..5, "Check"), None);
    }
}
