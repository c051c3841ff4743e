//! An interface of a design that is stated twice with different fields.
//!
//! Compared are calls with typed parameters, `name(a: A, b: B)`, and records, `Name { a, b }`, wherever they stand in
//! code. A line that speaks of before or of another version is history. Start at [`look`].

use super::outline::{Kind, Outline};
use super::remedy::{Edit, Remedy};
use super::{Found, handoff};
use crate::checks::{Looked, Papers};
use crate::document::{Document, Kind as Line, has_any};
use crate::pace::Stopped;
use redraft_core::phase::Phase;
use redraft_core::verdict::Severity;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

struct Stated {
    line: usize,
    /// Where the fields stand, brackets and all.
    at: Range<usize>,
    fields: Vec<String>,
    written: String,
}

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let document = &papers.spec.document;
    let outline = Outline::read(document, Phase::Design, papers.pace)?;
    let (decides, defines) = (lines_of(&outline, Kind::Decision), lines_of(&outline, Kind::Interface));
    let mut all: BTreeMap<String, Vec<Stated>> = BTreeMap::new();
    for (at, line) in document.lines.iter().enumerate() {
        papers.pace.step()?;
        let past =
            ["before", "today", "currently", "existing", "old ", "instead of", "v1", "v2", "was ", "option"];
        if has_any(line.raw, &past) || decides.contains(&at) {
            continue;
        }
        for (name, stated) in signatures(document, at) {
            all.entry(name).or_default().push(stated);
        }
    }
    let mut count = 0;
    for (name, places) in &all {
        count += places.len();
        // The place where the interface has its own heading is the one that holds.
        let own = |stated: &&Stated| defines.contains(&stated.line);
        let Some(right) = places.iter().find(own).or_else(|| places.first()) else { continue };
        let mut apart = places.iter().filter(|stated| stated.fields != right.fields).peekable();
        if apart.peek().is_none() {
            let how = "it is stated in one way now".to_owned();
            looked.settled.push((vec![name.clone()], how));
        }
        for wrong in apart {
            let found = Found {
                severity: Severity::Blocker,
                category: "consistency",
                line: wrong.line,
                description: format!(
                    "interface `{name}` is stated in two ways: `{}` and `{}`, so one side will not fit the other [read]",
                    wrong.written, right.written
                ),
                suggestion: "state it once and refer to it everywhere else".to_owned(),
            };
            let edit = Edit::Replace { line: wrong.line, at: wrong.at.clone(), new: right.written.clone() };
            let note = format!("{name} has the same fields in both places");
            looked.defects.push(handoff::present(papers, found, Remedy::new(note, vec![edit])));
        }
    }
    looked.note = format!("{count} signatures of {} interfaces", all.len());
    Ok(looked)
}

/// The lines of all parts of a kind.
fn lines_of(outline: &Outline, kind: Kind) -> HashSet<usize> {
    outline.of(kind).flat_map(|unit| unit.block.clone()).collect()
}

/// The calls and records in the code of a line.
fn signatures(document: &Document<'_>, at: usize) -> Vec<(String, Stated)> {
    let raw = document.lines[at].raw;
    let mut spans: Vec<Range<usize>> = Vec::new();
    if document.lines[at].kind == Line::Code {
        spans.push(0..raw.len());
    } else {
        let mut from = 0;
        for (index, piece) in raw.split('`').enumerate() {
            if index % 2 == 1 {
                spans.push(from..from + piece.len());
            }
            from += piece.len() + 1;
        }
    }
    let mut found = Vec::new();
    for span in spans {
        for (open, close) in [('(', ')'), ('{', '}')] {
            for (start, _) in raw[span.clone()].match_indices(open) {
                let start = span.start + start;
                let name = name_before(&raw[span.start..start]);
                let Some(length) = raw[start + 1..span.end].find(close) else { continue };
                let inner = &raw[start + 1..start + 1 + length];
                let record = open == '{';
                if name.len() < 3 || inner.contains(['(', '{']) || !is_list(inner, record, name) {
                    continue;
                }
                let fields =
                    inner.split(',').map(|field| field.split_whitespace().collect::<Vec<_>>().join(" "));
                let fields: Vec<String> = fields.filter(|field| !field.is_empty()).collect();
                let range = start..start + length + 2;
                let written = raw[range.clone()].to_owned();
                found.push((name.to_owned(), Stated { line: at, at: range, fields, written }));
            }
        }
    }
    found
}

fn name_before(text: &str) -> &str {
    let text = text.trim_end();
    let start = text
        .rfind(|c: char| !(c.is_alphanumeric() || "_:.".contains(c)))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    text[start..].trim_matches([':', '.'])
}

/// Whether brackets hold fields: typed parameters, or the plain names of a record.
fn is_list(inner: &str, record: bool, name: &str) -> bool {
    let typed = |field: &str| {
        field.split_once(':').is_some_and(|(name, kind)| {
            !name.trim().is_empty() && !kind.trim().is_empty() && !kind.starts_with(':')
        })
    };
    let word = |field: &str| {
        field.trim().chars().all(|c| c.is_alphanumeric() || c == '_') && !field.trim().is_empty()
    };
    let mut fields = inner.split(',').filter(|field| !field.trim().is_empty()).peekable();
    if fields.peek().is_none() || inner.contains("..") {
        return false;
    }
    match record {
        true => name.starts_with(char::is_uppercase) && fields.all(|field| word(field) || typed(field)),
        false => fields.all(typed),
    }
}
