//! Names of the chapters and items of a document, and how titles are compared.
//!
//! A name counts as a whole: `Storage` is not in `Storage and limits`. Start at [`Titles::find`].

use super::place::Lead;
use super::place::Match;
use super::words::part_of;
use redraft_facts::prelude::*;

/// A longer one is a text.
const TITLE_CHARS_MAX: usize = 80;

/// Places by the names they have.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// How well a name fits (less is better), and the place.
    named: BTreeMap<String, Vec<(u8, usize)>>,
}

impl Titles {
    /// Takes in a heading, a paragraph, an item or a cell.
    pub(super) fn add(&mut self, place: usize, how: Match, text: &str) {
        let (title, base) = match how {
            Match::Heading => (Some(text), 0),
            Match::Paragraph => (name_of(text), 10),
            Match::ListItem => (name_of(text), 11),
            Match::TableRow | Match::Prefix => (Some(text), 12),
        };
        let Some(title) = title.filter(|title| title.len() <= TITLE_CHARS_MAX) else { return };
        let mut known: Vec<String> = Vec::new();
        for (fit, name) in (base..).zip(spellings(title)) {
            if !name.is_empty() && !known.contains(&name) {
                self.named.entry(name.clone()).or_default().push((fit, place));
                known.push(name);
            }
        }
    }

    /// The places that have exactly this name, if none fits better.
    pub(super) fn find(&self, name: &str) -> Vec<usize> {
        let wanted = plain(name);
        let bare = wanted.trim_start_matches(|c: char| !c.is_alphabetic());
        let found = self.named.get(&wanted).or_else(|| self.named.get(bare));
        let found = found.map(Vec::as_slice).unwrap_or_default();
        let best = found.iter().map(|(fit, _)| *fit / 10).min();
        found.iter().filter(|(fit, _)| Some(*fit / 10) == best).map(|(_, place)| *place).collect()
    }
}

/// The ways a title is referred to: whole, without its number, without its id, without a remark, without a word such as
/// `Component`.
fn spellings(title: &str) -> [String; 5] {
    let whole = plain(title);
    let unnumbered = whole.trim_start_matches(|c: char| !c.is_alphabetic()).to_owned();
    let after = Lead::parse(title).map_or(title, |lead| lead.after);
    let own = plain(after.trim_start_matches(|c: char| !c.is_alphanumeric()));
    let remarkless = own.split(" (").next().unwrap_or_default().trim().to_owned();
    let is_part = |word: &str| {
        ["component", "interface", "decision", "module", "service", "layer"]
            .contains(&word.trim_end_matches(':'))
    };
    let nounless = match (remarkless.split_once(' '), remarkless.rsplit_once(' ')) {
        (Some((first, rest)), _) if is_part(first) => rest.to_owned(),
        (_, Some((rest, last))) if is_part(last) => rest.to_owned(),
        _ => String::new(),
    };
    [whole, unnumbered, own, remarkless, nounless]
}

/// A title without marks, in lower case, with single blanks.
fn plain(title: &str) -> String {
    let words = title.split(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '"' | '“' | '”'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").trim_matches([':', '.', ' ']).to_lowercase()
}

/// The name of an item or a paragraph: what is in bold or code at its beginning, else the text before a sign.
fn name_of(text: &str) -> Option<&str> {
    for mark in ["**", "`"] {
        if let Some(rest) = text.strip_prefix(mark) {
            return rest.split_once(mark).map(|(name, _)| name);
        }
    }
    let end = [": ", " — ", " – ", " - "].iter().filter_map(|sign| text.find(sign)).min();
    end.map(|end| &text[..end])
}

/// Whether two titles may mean one thing: they share a word, or one of them says nothing.
pub(super) fn agree(one: &str, other: &str) -> bool {
    let (one, other) = (content(one), content(other));
    one.is_empty() || other.is_empty() || one.intersection(&other).next().is_some()
}

/// The significant words of a title, without remarks in brackets; only their beginnings, because endings differ.
fn content(title: &str) -> BTreeSet<String> {
    const LETTERS_MIN: usize = 4;
    const STEM: usize = 5;
    let title = title.split('(').next().unwrap_or_default().to_lowercase();
    let words = title.split(|c: char| !c.is_alphanumeric());
    let says = |word: &&str| {
        let long = word.chars().count() >= LETTERS_MIN || !word.is_ascii();
        long && part_of(word).is_none() && !["with", "from", "into", "user"].contains(word)
    };
    words.filter(says).map(|word| word.chars().take(STEM).collect()).collect()
}
