//! A line that may define something: what it begins with, and the list it belongs to.

use crate::task_id;
use redraft_facts::prelude::*;

/// What the id was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    Heading,
    Paragraph,
    ListItem,
    TableRow,
    /// The heading of what it is a part of: `1A` for `1A.1`.
    Prefix,
}

impl Match {
    pub fn name(self) -> &'static str {
        match self {
            Match::Heading => "heading",
            Match::Paragraph => "paragraph",
            Match::ListItem => "list_item",
            Match::TableRow => "table_row",
            Match::Prefix => "prefix",
        }
    }
}

/// A line that may define something.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) how: Match,
    /// The word before the id it begins with, in lower case: `component` of `Component 10`.
    pub(super) noun: Option<String>,
    /// Whether a sign separates the id from what follows.
    pub(super) set_off: bool,
    /// In a chapter that only describes what others define.
    pub(super) aside: bool,
    /// Of a table.
    pub(super) column: usize,
    /// Columns before an item.
    pub(super) indent: usize,
    /// Of an item.
    pub(super) number: Option<usize>,
    /// How far the numbered list of an item goes; its title may be in bold.
    pub(super) run: usize,
    pub(super) bold: bool,
    /// A line of plain text.
    pub(super) text: bool,
    /// The section it stands in; of a heading, the one above it.
    pub(super) chapter: Option<usize>,
}

/// `ac` of `Acceptance Criteria (all must hold)`, with or without a number before it.
pub fn initials(title: &str) -> String {
    let title = title.split('(').next().unwrap_or_default();
    let words = title.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect()
}

/// Whether a chapter only describes what others define.
pub(super) fn tells_about(title: &str) -> bool {
    const WORDS: [&str; 19] = [
        "risk",
        "risks",
        "summary",
        "coverage",
        "matrix",
        "testing",
        "history",
        "changelog",
        "traceability",
        "graph",
        "dependency",
        "dependencies",
        "mapping",
        "review",
        "iteration",
        "revision",
        "mitigation",
        "mitigations",
        "checklist",
    ];
    let title = title.to_lowercase();
    // `Theme C — Coverage of it` is a part of the work, as one with a number is.
    let numbered = title.contains(|c: char| c.is_ascii_digit()) || is_lettered_part(&title);
    !numbered && title.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// `group a: …`, `theme c — …`: a word, a letter and a sign.
fn is_lettered_part(title: &str) -> bool {
    let Some((first, rest)) = title.split_once(' ') else { return false };
    let mut rest = rest.chars();
    let letter = rest.next().is_some_and(|c| c.is_ascii_lowercase());
    let sign = rest.as_str().trim_start().starts_with([':', '—', '–', '-']);
    letter && sign && first != "appendix"
}

/// Numbered lists: how far each goes.
#[derive(Default)]
pub(super) struct Runs {
    /// Indentation, last number, places of the items; the last one used is last.
    open: Vec<(usize, usize, Vec<usize>)>,
}

impl Runs {
    /// A list goes on after an interruption, so some are kept open.
    pub(super) fn next(&mut self, number: &str, indent: usize, place: usize, places: &mut [Place]) {
        const OPEN_MAX: usize = 8;
        // Only what a reference can name: updating a list of a million items would take quadratic time.
        const RUN_MAX: usize = 500;
        let Ok(number) = number.parse::<usize>() else { return };
        let goes_on = |(at, last, members): &(usize, usize, Vec<usize>)| {
            *at == indent && number == last.saturating_add(1) && members.len() < RUN_MAX
        };
        let mut run = match self.open.iter().rposition(goes_on) {
            Some(at) => self.open.remove(at),
            None => (indent, number, Vec::new()),
        };
        places[place].number = Some(number);
        run.1 = number;
        run.2.push(place);
        for member in &run.2 {
            places[*member].run = number;
        }
        if self.open.len() >= OPEN_MAX {
            self.open.remove(0);
        }
        self.open.push(run);
    }
}

/// `A`, or a Roman numeral: what people count with besides numbers.
pub(super) fn is_letter(token: &str) -> bool {
    const NUMERAL_MAX: usize = 4;
    let single = token.len() == 1 && token.starts_with(|c: char| c.is_ascii_uppercase());
    let numeral = token.len() <= NUMERAL_MAX && token.bytes().all(|byte| b"IVX".contains(&byte));
    !token.is_empty() && (single || numeral)
}

/// Whether a line of plain text defines something: it begins with an id that a sign sets off, or with one of a series,
/// `1.1 …` and then `1.2 …`.
pub(super) fn is_entry(line: &str, next: Option<&str>, begins: bool, goes_on: bool) -> bool {
    const INDENT_MAX: usize = 3;
    let blank = line.len() - line.trim_start().len();
    let Some(lead) = Lead::parse(line).filter(|_| blank <= INDENT_MAX && (begins || goes_on)) else {
        return false;
    };
    let dotted = lead.id.contains('.') && lead.id.starts_with(|c: char| c.is_ascii_digit());
    // A number alone begins many a sentence.
    if lead.noun.is_none() && !dotted && lead.id.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let noun = lead.noun.as_deref();
    let first = noun.is_none_or(|noun| line.trim_start().to_lowercase().starts_with(noun));
    let like = |other: &Lead<'_>| {
        let letters = |id: &str| id.chars().take_while(|c| c.is_alphabetic()).collect::<String>();
        other.noun == lead.noun && letters(other.id) == letters(lead.id)
    };
    let series = goes_on || next.and_then(Lead::parse).as_ref().is_some_and(like);
    first && (lead.is_set_off(false) || series || dotted && begins)
}

/// What a line begins with: perhaps a word or two, then an id.
pub(super) struct Lead<'a> {
    pub(super) noun: Option<String>,
    pub(super) id: &'a str,
    pub(super) after: &'a str,
}

impl<'a> Lead<'a> {
    /// Whether a sign separates the id from what follows. In bold a remark may stand between.
    pub(super) fn is_set_off(&self, bold: bool) -> bool {
        const SIGNS: [char; 9] = [':', '.', ')', '—', '–', '-', '|', '：', '/'];
        let after = self.after.trim_start_matches(['*', '_', '`', ']', ' ']);
        after.is_empty()
            || after.starts_with(SIGNS)
            || bold && after.starts_with(['(', ','])
            || self.after.starts_with("**")
    }

    pub(super) fn parse(text: &'a str) -> Option<Lead<'a>> {
        const WORDS_MAX: usize = 3;
        let mut rest = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let mut noun: Option<String> = None;
        for _ in 0..WORDS_MAX {
            let end = rest.find(|c: char| !task_id::is_inner(c)).unwrap_or(rest.len());
            let token = rest[..end].trim_end_matches(['.', '-', '_']);
            if token.is_empty() {
                return None;
            }
            let after = &rest[token.len()..];
            let counted = token.contains(|c: char| c.is_ascii_digit());
            // `Appendix A`, `Stage II`, `[C] Reader`.
            let letter = match noun {
                Some(_) => is_letter(token),
                None => token.len() == 1 && is_letter(token) && after.starts_with([']', ':', '.', ')']),
            };
            if counted || letter {
                return Some(Lead { noun, id: token, after });
            }
            noun = Some(token.to_lowercase());
            // Only blanks and marks between a word and its number.
            let next = after.trim_start_matches([' ', '[', '*', '_', '#', '`', '-']);
            if next.len() == after.len() {
                return None;
            }
            rest = next;
        }
        None
    }
}
