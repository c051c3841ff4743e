//! Finds the requirements and criteria of a document: their ids and their lines.
//!
//! Lint knows what an id is; this module decides which ids stand for something that is wanted: by their letters, or by
//! the chapter they stand in. In a document without ids, the criteria are numbered. Start at [`requirements`].

use core::ops::Range;
use redraft_documents::lint::reading::{Defined, defined, is_mentioned, key, mentioned};
use redraft_documents::page::line::Item;
use redraft_documents::sections::{Outline, Section};
use redraft_documents::trace::initials;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

/// Something wanted. Lines are counted from 0; `end` is the first one behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) id: String,
    pub(super) key: String,
    pub(super) family: String,
    pub(super) text: String,
    pub(super) line: usize,
    pub(super) end: usize,
    /// Whether it says how to see that a requirement is met, and is not a requirement itself.
    pub(super) is_criterion: bool,
    /// Requirements it belongs to, and criteria that belong to it, by their places in the list.
    pub(super) relatives: BTreeSet<usize>,
}

/// More than any document that people read has.
const WANTED_MAX: usize = 1_000;
/// A title or a sentence: the document has the rest.
const TEXT_CHARS_MAX: usize = 160;

/// In document order, each id once.
pub(super) fn requirements(text: &str) -> Vec<Wanted> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let outline = Outline::parse(text);
    let mut seen = BTreeSet::new();
    let fits = |one: &Defined| is_wanted(one, &outline) && !one.key.ends_with(".x");
    let all: Vec<Defined> = defined(text);
    let starts: BTreeSet<usize> = all.iter().map(|one| one.line).collect();
    let kept = all.into_iter().filter(fits).filter(|one| seen.insert(one.key.clone()));
    let mut found: Vec<Wanted> = kept.take(WANTED_MAX).map(|one| wanted(one, &outline, &starts)).collect();
    if found.is_empty() {
        found = counted(&outline);
    }
    relate(&mut found, &outline);
    found
}

fn wanted(one: Defined, outline: &Outline<'_>, starts: &BTreeSet<usize>) -> Wanted {
    let family = one.family();
    let Defined { id, key, text, line } = one;
    let end = end_of(line, outline, starts);
    let is_criterion = is_criterion(&family, line, outline);
    Wanted {
        id,
        key,
        family,
        text: one_line(&plain(&text), TEXT_CHARS_MAX),
        line,
        end,
        is_criterion,
        relatives: BTreeSet::new(),
    }
}

/// Decided by its letters, else by the innermost chapter that says what is wanted.
fn is_criterion(family: &str, line: usize, outline: &Outline<'_>) -> bool {
    match family {
        _ if CRITERIA.contains(&family) => true,
        _ if REQUIREMENTS.contains(&family) => false,
        _ => {
            let chapter = above(outline, line).find(|section| is_about_wants(section.title));
            chapter.is_some_and(|section| is_about_criteria(section.title))
        }
    }
}

/// Ends at the next definition; an item or a row ends at the next gap.
fn end_of(line: usize, outline: &Outline<'_>, starts: &BTreeSet<usize>) -> usize {
    let next = starts.range(line + 1..).next().copied().unwrap_or(usize::MAX);
    let heading = outline.at(line).filter(|section| section.lines.start == line && section.level > 0);
    let end = match heading {
        Some(section) => section.lines.end,
        None => {
            let lines = outline.lines();
            let row = lines[line].trim_start().starts_with('|');
            let gap = lines.iter().skip(line + 1).position(|line| row || line.trim().is_empty());
            gap.map_or(lines.len(), |gap| line + 1 + gap)
        }
    };
    end.min(next).max(line + 1)
}

/// The letters of ids of requirements and of criteria, wherever they stand.
const REQUIREMENTS: [&str; 17] =
    ["FR", "NFR", "R", "REQ", "US", "UC", "BR", "TR", "CR", "IR", "SR", "PR", "UR", "DR", "QR", "FA", "NFA"];
const CRITERIA: [&str; 3] = ["AC", "SC", "AK"];

/// Whether an id stands for something wanted.
fn is_wanted(one: &Defined, outline: &Outline<'_>) -> bool {
    let chapters: Vec<&str> = above(outline, one.line).map(|section| section.title).collect();
    if chapters.iter().any(|title| is_aside(title)) {
        return false;
    }
    let family = one.family();
    let known = REQUIREMENTS.iter().chain(&CRITERIA).any(|letters| *letters == family);
    known || chapters.iter().any(|title| is_about_wants(title))
}

/// The sections around a line, innermost first, without one that begins there and without the title of the document.
pub(super) fn above<'o, 'a>(outline: &'o Outline<'a>, line: usize) -> impl Iterator<Item = &'o Section<'a>> {
    let around = move |section: &&Section<'a>| {
        section.level > 1 && section.lines.contains(&line) && section.lines.start != line
    };
    outline.sections().iter().rev().filter(around)
}

/// A chapter that says what is not wanted, or describes what others define.
pub(super) fn is_aside(title: &str) -> bool {
    const PHRASES: [&str; 22] = [
        "out of scope",
        "out-of-scope",
        "non-goal",
        "non goals",
        "non-requirement",
        "not in scope",
        "question",
        "risk",
        "assumption",
        "decision",
        "alternative",
        "glossary",
        "history",
        "changelog",
        "review",
        "iteration",
        "mapping",
        "traceability",
        "coverage",
        "amendment",
        "nicht im umfang",
        "fuera de alcance",
    ];
    let title = title.to_lowercase();
    PHRASES.iter().any(|phrase| title.contains(phrase))
}

fn is_about_wants(title: &str) -> bool {
    const PHRASES: [&str; 8] =
        ["requirement", "user stor", "anforderung", "requisito", "exigence", "требовани", "需求", "要件"];
    let lower = title.to_lowercase();
    PHRASES.iter().any(|phrase| lower.contains(phrase)) || is_about_criteria(title)
}

/// A chapter of criteria for requirements.
fn is_about_criteria(title: &str) -> bool {
    const PHRASES: [&str; 7] =
        ["acceptance", "criteria", "kriteri", "criterio", "critère", "критери", "验收"];
    let title = title.to_lowercase();
    PHRASES.iter().any(|phrase| title.contains(phrase))
}

/// What has no ids: `### Requirement 2: …` by its number, else the items of chapters about criteria, one by one.
fn counted(outline: &Outline<'_>) -> Vec<Wanted> {
    let titled = outline.sections().iter().filter_map(|section| {
        let (word, rest) = section.title.split_once(' ')?;
        let number = rest.split(|c: char| !(c.is_ascii_digit() || c == '.')).next()?.trim_end_matches('.');
        let fits = section.level > 1 && is_about_wants(word) && !number.is_empty();
        let text = rest[number.len()..].trim_start_matches([':', '.', ' ', '—', '–', '-', ')']);
        let id = format!("{word} {number}");
        fits.then(|| bare(id, word, text, section.lines.clone(), is_about_criteria(word)))
    });
    let titled: Vec<Wanted> = titled.take(WANTED_MAX).collect();
    if !titled.is_empty() {
        return titled;
    }
    let chapters = outline.sections().iter().filter(|section| {
        let aside = above(outline, section.lines.start).any(|above| is_aside(above.title));
        section.level > 1 && is_about_wants(section.title) && !is_aside(section.title) && !aside
    });
    let mut seen = BTreeSet::new();
    let all = chapters.flat_map(|section| items(outline, section));
    all.filter(|one| seen.insert(one.key.clone())).take(WANTED_MAX).collect()
}

/// The outer items of a chapter: `AC1`, `AC2`, ….
fn items(outline: &Outline<'_>, section: &Section<'_>) -> Vec<Wanted> {
    let letters = initials(section.title.trim_start_matches(|c: char| !c.is_alphabetic())).to_uppercase();
    let read = |at: usize| outline.is_text(at).then(|| Item::parse(outline.lines()[at])).flatten();
    let found: Vec<(usize, Item<'_>)> =
        section.lines.clone().filter_map(|at| read(at).map(|item| (at, item))).collect();
    let margin = found.iter().map(|(_, item)| item.indent).min().unwrap_or(0);
    let outer: Vec<(usize, Item<'_>)> = found.into_iter().filter(|(_, item)| item.indent == margin).collect();
    let ends = outer.iter().skip(1).map(|(at, _)| *at).chain([section.lines.end]).collect::<Vec<_>>();
    let one = |(nth, ((at, item), end)): (usize, (&(usize, Item<'_>), usize))| {
        let id = format!("{letters}{}", nth + 1);
        bare(id, &letters, item.text, *at..end, is_about_criteria(section.title))
    };
    outer.iter().zip(ends).enumerate().map(one).collect()
}

fn bare(id: String, family: &str, text: &str, lines: Range<usize>, is_criterion: bool) -> Wanted {
    let (key, family) = (key(&id), family.to_owned());
    let text = one_line(&plain(text), TEXT_CHARS_MAX);
    let Range { start: line, end } = lines;
    Wanted { id, key, family, text, line, end, is_criterion, relatives: BTreeSet::new() }
}

/// Without the marks of emphasis, which mean nothing in a cell.
fn plain(text: &str) -> String {
    text.replace("**", "").trim_start_matches([':', ' ', '—', '–', '-']).trim().to_owned()
}

/// A criterion belongs to the requirement it names or stands under; to one of its own kind only where it is a part of it.
fn relate(found: &mut [Wanted], outline: &Outline<'_>) {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (at, one) in found.iter().enumerate() {
        let lines = outline.lines().get(one.line..one.end).unwrap_or_default();
        let named = mentioned(lines.iter().copied());
        let chapters: BTreeSet<usize> = above(outline, one.line).map(|section| section.lines.start).collect();
        for (other_at, other) in found.iter().enumerate() {
            let other_kind = other.family != one.family;
            let names = other_kind && is_mentioned(&other.key, &named);
            let part = other.key.len() < one.key.len()
                && one.key.strip_prefix(other.key.as_str()).is_some_and(|rest| rest.starts_with(['.', '-']));
            if other_at != at && (names || part || chapters.contains(&other.line)) {
                pairs.push((at, other_at));
            }
        }
    }
    for (one, other) in pairs {
        found[one].relatives.insert(other);
        found[other].relatives.insert(one);
    }
}
