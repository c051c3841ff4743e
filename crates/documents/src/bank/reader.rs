//! Finds the entries of a file and where they are.
//!
//! An entry is a heading of level 2 to 4 with its kind before it, with fields below it, or with some text and no
//! heading of its own below it. Headings above entries are groups. Comments hold templates and are skipped; code is
//! never a heading. Start at [`Bank::read`].

use super::entry::{Bank, BankEntry, BankFile, CheckedBy, Fields, without_kind};
use super::field::{Field, Label};
use super::lines::{Line, What, lines};
use super::mark::{cleaned, stale_mark};
use super::seen::Observed;
use super::terms;
use crate::page::line::atx;
use core::ops::Range;
use redraft_facts::prelude::*;

impl Bank {
    /// Whatever can be read as an entry is one; nothing is refused.
    pub fn read(files: &[(BankFile, String)]) -> Bank {
        let mut entries = Vec::new();
        for (kind, text) in files {
            let page = Page::read(text);
            entries.extend(page.found.iter().map(|found| page.entry(found, *kind)));
        }
        Bank { entries }
    }
}

/// A file, line by line, with the entries found in it.
pub(super) struct Page<'a> {
    pub(super) lines: Vec<Line<'a>>,
    pub(super) found: Vec<Found>,
}

/// Where an entry stands.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) name: String,
    pub(super) level: u8,
    /// `Anti-Pattern:` stands before the name.
    pub(super) kind_told: bool,
    /// The heading, and everything up to the last line that says something.
    pub(super) lines: Range<usize>,
}

/// A field with the lines it takes.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) field: Field,
    pub(super) lines: Range<usize>,
}

/// Levels that entries have; `#` is the file's title and what is deeper belongs to an entry.
const LEVELS: core::ops::RangeInclusive<u8> = 2..=4;

struct Heading<'a> {
    line: usize,
    level: u8,
    title: &'a str,
    kind_told: bool,
    has_fields: bool,
    has_text: bool,
    is_entry: bool,
}

impl<'a> Page<'a> {
    pub(super) fn read(text: &'a str) -> Page<'a> {
        let lines = lines(text);
        let mut headings = headings(&lines);
        choose(&mut headings);
        let mut found = Vec::new();
        for (at, heading) in headings.iter().enumerate().filter(|(_, heading)| heading.is_entry) {
            let next = headings[at + 1..].iter().find(|next| next.is_entry || next.level <= heading.level);
            let end = next.map_or(lines.len(), |next| next.line);
            let (name, kind_told) = name(heading.title);
            found.push(Found {
                name,
                level: heading.level,
                kind_told,
                lines: heading.line..content_end(&lines, heading.line, end),
            });
        }
        Page { lines, found }
    }

    pub(super) fn entry(&self, found: &Found, kind: BankFile) -> BankEntry {
        let first = found.lines.start;
        let lines = &self.lines[found.lines.clone()];
        let number = |line: usize| u32::try_from(first + line + 1).unwrap_or(u32::MAX);
        let mut fields = Fields { marked_stale: stale_mark(lines[0].bare()).is_some(), ..Fields::default() };
        let placed = fields_of(lines);
        for Placed { field, lines: taken } in &placed {
            let value = value(lines, field, taken);
            match field.label {
                Label::Provenance => {
                    fields.provenance.get_or_insert_with(|| Observed::read(&value));
                }
                Label::LastObserved => {
                    fields.last_observed_line.get_or_insert(number(taken.start));
                    fields.last_observed.get_or_insert_with(|| Observed::read(&value));
                }
                Label::Count => {
                    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
                    fields.count = fields.count.or_else(|| value[..digits].parse().ok());
                }
                Label::Confidence => {
                    fields.confidence.get_or_insert(value);
                }
                Label::Challenged => fields.challenged.push(value),
                Label::CheckedBy => fields.checked_by.extend(CheckedBy::read(&value)),
                Label::Anchor => fields.anchors.extend(terms::anchors(&value)),
                Label::Other => {}
            }
        }
        let mut text: Vec<String> = Vec::new();
        for (_, line) in text_lines(lines, &placed) {
            match stale_mark(line.bare()) {
                Some(_) if line.what == What::Text => {
                    fields.marked_stale = true;
                    text.extend(
                        Some(cleaned(line.bare()))
                            .filter(|rest| !rest.trim_matches(['-', '*', ' ']).is_empty()),
                    );
                }
                _ => text.push(line.bare().to_owned()),
            }
        }
        fields.marked_stale |=
            placed.iter().any(|placed| stale_mark(lines[placed.lines.start].bare()).is_some());
        let text = text.join("\n");
        BankEntry {
            kind,
            name: found.name.clone(),
            text: text.trim_matches(['\n', ' ']).to_owned(),
            line: number(0),
            end_line: number(lines.len() - 1),
            fields,
        }
    }
}

/// The lines of an entry that are its text: neither heading, field nor comment. Given with their places.
pub(super) fn text_lines<'l, 'a>(
    lines: &'l [Line<'a>],
    placed: &[Placed],
) -> impl Iterator<Item = (usize, &'l Line<'a>)> {
    let mut taken = vec![false; lines.len()];
    for placed in placed {
        taken[placed.lines.clone()].fill(true);
    }
    let text = move |(at, line): &(usize, &Line<'a>)| !taken[*at] && line.what != What::Comment;
    lines.iter().enumerate().skip(1).filter(text)
}

/// The fields of an entry whose heading is the first of these lines. Those without a meaning here count only directly
/// next to others.
pub(super) fn fields_of(lines: &[Line<'_>]) -> Vec<Placed> {
    let mut all: Vec<Placed> = Vec::new();
    let mut at = 1;
    while at < lines.len() {
        let field =
            Some(&lines[at]).filter(|line| line.what == What::Text).and_then(|line| Field::read(line.bare()));
        let Some(field) = field else {
            at += 1;
            continue;
        };
        let mut end = at + 1;
        while field.style.bullet.is_some() && end < lines.len() && continues(&lines[end], field.indent) {
            end += 1;
        }
        all.push(Placed { field, lines: at..end });
        at = end;
    }
    let known: Vec<bool> = all.iter().map(|placed| placed.field.label != Label::Other).collect();
    let mut kept = known.clone();
    for at in 1..all.len() {
        kept[at] |= kept[at - 1] && all[at - 1].lines.end == all[at].lines.start;
    }
    for at in (1..all.len()).rev() {
        kept[at - 1] |= kept[at] && all[at - 1].lines.end == all[at].lines.start;
    }
    all.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(placed, _)| placed).collect()
}

/// Indented below an item.
fn continues(line: &Line<'_>, indent: usize) -> bool {
    let deeper = line.whole.len() - line.whole.trim_start_matches(' ').len() >= indent + 2;
    line.what == What::Text && !line.is_blank() && (deeper || line.whole.starts_with('\t'))
}

pub(super) fn value(lines: &[Line<'_>], field: &Field, taken: &Range<usize>) -> String {
    let first = lines[taken.start].bare().get(field.value.clone()).unwrap_or_default();
    let mut value = cleaned(first);
    for line in &lines[taken.start + 1..taken.end] {
        value.push(' ');
        value.push_str(line.bare().trim());
    }
    without_comments(&value)
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut out = String::new();
    while let Some((before, after)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out.trim().to_owned()
}

fn headings<'a>(lines: &[Line<'a>]) -> Vec<Heading<'a>> {
    let mut headings: Vec<Heading<'a>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some((level, title)) =
            Some(line).filter(|line| line.what == What::Text).and_then(|line| atx(line.bare()))
        {
            let (_, kind_told) = name(title);
            headings.push(Heading {
                line: at,
                level,
                title,
                kind_told,
                has_fields: false,
                has_text: false,
                is_entry: false,
            });
        } else if let Some(heading) = headings.last_mut() {
            let says =
                line.what == What::Code || line.what == What::Text && !line.is_blank() && !line.is_rule();
            heading.has_text |= says;
            heading.has_fields |= line.what == What::Text
                && Field::read(line.bare()).is_some_and(|field| field.label != Label::Other);
        }
    }
    headings
}

fn choose(headings: &mut [Heading<'_>]) {
    let named = |heading: &Heading<'_>| !name(heading.title).0.is_empty() && LEVELS.contains(&heading.level);
    let leaf = |headings: &[Heading<'_>], at: usize| {
        let next = headings.get(at + 1);
        next.is_none_or(|next| next.level <= headings[at].level || !LEVELS.contains(&next.level))
    };
    // Where there are deeper entries, what stands right below the title is about the file.
    let deeper = (0..headings.len()).any(|at| {
        let heading = &headings[at];
        named(heading)
            && heading.level > *LEVELS.start()
            && (heading.kind_told || heading.has_fields || heading.has_text && leaf(headings, at))
    });
    // The entries a heading may belong to, innermost last.
    let mut open: Vec<(u8, bool)> = Vec::new();
    for at in 0..headings.len() {
        let heading = &headings[at];
        while open.pop_if(|(level, _)| *level >= heading.level).is_some() {}
        let sure = heading.kind_told || heading.has_fields;
        let is_entry = named(heading)
            && match open.last() {
                Some((_, true)) => heading.kind_told,
                Some((_, false)) => sure,
                None => {
                    let own_level = heading.level > *LEVELS.start() || !deeper;
                    sure || heading.has_text && own_level && leaf(headings, at)
                }
            };
        if is_entry {
            open.push((heading.level, heading.kind_told));
        }
        headings[at].is_entry = is_entry;
    }
}

/// The name in a heading, and whether its kind stands before it.
pub(super) fn name(title: &str) -> (String, bool) {
    let title = cleaned(title).replace("**", "");
    let (name, told) = without_kind(title.trim());
    (redraft_facts::citation::fold(name), told)
}

fn content_end(lines: &[Line<'_>], start: usize, end: usize) -> usize {
    let says = |line: &Line<'_>| !line.is_blank() && line.what != What::Comment && !line.is_rule();
    let last = lines[start..end].iter().rposition(says).unwrap_or(0);
    start + last + 1
}
