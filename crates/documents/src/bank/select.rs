//! Selects the entries that a prompt for a task or an artifact should tell: those that name its files or share its
//! subject.
//!
//! The same bank and the same query give the same entries, because prompts must not change by themselves.
//! [`Index::new`] is called once for a bank; a query then looks only at entries that share something with it. Start at
//! [`select`].

use super::entry::{Bank, BankEntry};
use super::overlap::{Terms, named_files, ordinary};
use super::terms;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

/// The most tokens of entries in a prompt: more would cost every dispatch more than it is worth.
pub const TOKENS_MAX: usize = 400;
/// Fixed, so that the same prompt is the same bytes next year; entries are prose with some code.
const CHARS_PER_TOKEN: usize = 4;
/// One entry must not take the place of all others.
const TEXT_CHARS_MAX: usize = 480;
/// A named file says more than any word.
const FILE_SCORE: usize = 12;
const NAME_SCORE: usize = 3;
const WORD_SCORE: usize = 1;

/// How many words of an entry must occur in one passage: a long document has every word somewhere.
const SHARED_MIN: usize = 4;
/// Where two of them are in the entry's name, one less is enough.
const SHARED_WITH_NAME_MIN: usize = 3;
const OF_NAME_MIN: usize = 2;
/// Longer passages are cut: a list without gaps is not one thought.
const PASSAGE_LINES_MAX: usize = 12;

/// What somebody is about to work on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// In addition to those that the text names.
    pub paths: Vec<String>,
    /// Compared passage by passage.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedEntries<'a> {
    pub entry: &'a BankEntry,
    /// As a prompt tells it, one line.
    pub line: String,
}

/// A bank, ready for many queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    bank: Bank,
    by_term: BTreeMap<String, Vec<(usize, bool)>>,
    /// Files that entries name, by the last part of the path; patterns and folders under the empty name.
    by_file: BTreeMap<String, Vec<(usize, String)>>,
}

impl Index {
    pub fn new(bank: Bank) -> Index {
        let all: Vec<Terms> = bank.entries.iter().map(Terms::new).collect();
        let ordinary = ordinary(&all);
        let mut by_term: BTreeMap<String, Vec<(usize, bool)>> = BTreeMap::new();
        let mut by_file: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
        for (at, (entry, Terms { name, all })) in bank.entries.iter().zip(all).enumerate() {
            for path in named_files(entry) {
                let last = path.rsplit('/').next().unwrap_or_default();
                let file =
                    if last.contains('.') && !path.contains('*') { last.to_owned() } else { String::new() };
                by_file.entry(file).or_default().push((at, path));
            }
            for term in all.into_iter().filter(|term| !ordinary.contains(term)) {
                let of_name = name.contains(&term);
                by_term.entry(term).or_default().push((at, of_name));
            }
        }
        Index { bank, by_term, by_file }
    }

    pub fn bank(&self) -> &Bank {
        &self.bank
    }

    /// The entries for a query, the nearest first, as many as fit.
    pub fn select(&self, query: &Query) -> Vec<SelectedEntries<'_>> {
        let mut scores: BTreeMap<usize, Score> = BTreeMap::new();
        let mut paths: BTreeSet<String> = query.paths.iter().cloned().collect();
        paths.extend(terms::paths(&query.text));
        for path in &paths {
            let last = path.rsplit('/').next().unwrap_or_default();
            let named = [last, ""].into_iter().filter_map(|name| self.by_file.get(name)).flatten();
            for (at, _) in named.filter(|(_, named)| terms::means(named, path)) {
                scores.entry(*at).or_default().files += 1;
            }
        }
        for passage in passages(&query.text) {
            let mut here: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
            for term in terms::terms(&passage) {
                for (at, of_name) in self.by_term.get(&term).into_iter().flatten() {
                    let (words, name) = here.entry(*at).or_default();
                    *words += 1;
                    *name += usize::from(*of_name);
                }
            }
            for (at, (words, name)) in here {
                let named = words >= SHARED_WITH_NAME_MIN && name >= OF_NAME_MIN;
                if words >= SHARED_MIN || named {
                    let score = scores.entry(at).or_default();
                    score.words = score.words.max(words * WORD_SCORE + name * NAME_SCORE);
                }
            }
        }
        let mut near: Vec<(usize, usize)> = scores.into_iter().map(|(at, score)| (score.sum(), at)).collect();
        near.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut left = TOKENS_MAX * CHARS_PER_TOKEN;
        let mut selected = Vec::new();
        for (_, at) in near {
            let entry = &self.bank.entries[at];
            let line = line(entry);
            // One that does not fit may be followed by a shorter one.
            if let Some(rest) = left.checked_sub(width(&line) + 1) {
                left = rest;
                selected.push(SelectedEntries { entry, line });
            }
        }
        selected
    }
}

/// The same for a single query: the lines, in their order.
pub fn select(bank: &Bank, query: &Query) -> Vec<String> {
    let index = Index::new(bank.clone());
    index.select(query).into_iter().map(|selected| selected.line).collect()
}

/// What belongs together: lines without a gap between them, a heading with what follows it.
fn passages(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut now: Vec<&str> = Vec::new();
    let mut keep = |now: &mut Vec<&str>| {
        if !now.is_empty() {
            found.push(now.join("\n"));
            now.clear();
        }
    };
    for line in text.lines() {
        let heading = line.starts_with('#');
        let after_heading = now.len() == 1 && now.first().is_some_and(|first| first.starts_with('#'));
        let gap = line.trim().is_empty() && !after_heading;
        if gap || heading || now.len() >= PASSAGE_LINES_MAX {
            keep(&mut now);
        }
        if !line.trim().is_empty() {
            now.push(line);
        }
    }
    keep(&mut now);
    found
}

#[derive(Default)]
struct Score {
    files: usize,
    /// Of the passage that is nearest.
    words: usize,
}

impl Score {
    fn sum(&self) -> usize {
        self.files * FILE_SCORE + self.words
    }
}

/// `- Anti-Pattern: Relative Paths in Hooks. Use absolute … (challenged once)`
fn line(entry: &BankEntry) -> String {
    let text = one_line(&entry.text, TEXT_CHARS_MAX);
    let challenged = match entry.fields.challenged.as_slice() {
        [] => String::new(),
        [.., last] => format!(" (challenged: {})", one_line(last, TEXT_CHARS_MAX / 2)),
    };
    format!("- {}: {}. {text}{challenged}", entry.kind.title(), one_line(&entry.name, TEXT_CHARS_MAX))
}

/// Characters, so that four are about one token: a letter of an alphabet of thousands counts as four.
fn width(text: &str) -> usize {
    text.chars().map(|c| if c >= '\u{2e80}' { CHARS_PER_TOKEN } else { 1 }).sum()
}
