//! What an element, a step or a task says under its labels: what it implements, depends on, is checked by.
//!
//! Knows the names people give to such labels, and the columns of tables. Start at [`of`].

use super::outline::{Field, Label, Unit};
use crate::document::{Document, Kind as Line, cells};

/// The fields of a part, in the order of its lines.
pub(super) fn of(document: &Document<'_>, unit: &Unit) -> Vec<Field> {
    if document.lines[unit.line].kind == Line::Row {
        return columns(document, unit.line);
    }
    let mut found: Vec<Field> = Vec::new();
    for at in unit.block.clone() {
        let line = &document.lines[at];
        if line.kind == Line::Code || (at == unit.line && line.kind == Line::Heading) {
            continue;
        }
        let Some((label, from)) = labelled(line.raw) else { continue };
        if let Some(last) = found.last_mut() {
            last.lines.end = at;
        }
        found.push(Field { label, lines: at..unit.block.end, at: from..line.raw.len() });
    }
    found.retain(|field| field.label != Label::Other);
    found
}

/// The cells of a row, by the titles of their columns.
fn columns(document: &Document<'_>, row: usize) -> Vec<Field> {
    let Some(head) = document.table_head(row) else { return Vec::new() };
    let titles = cells(document.lines[head].raw);
    let raw = document.lines[row].raw;
    let mut found = Vec::new();
    for (title, cell) in titles.iter().zip(cells(raw)) {
        let Some(label) = label_of(title) else { continue };
        let start = cell.as_ptr() as usize - raw.as_ptr() as usize;
        found.push(Field { label, lines: row..row + 1, at: start..start + cell.len() });
    }
    found
}

/// The label a line begins with, and where its text starts.
fn labelled(raw: &str) -> Option<(Label, usize)> {
    let start = raw.len() - raw.trim_start().len();
    if raw[start..].starts_with('#') {
        return label_of(raw[start..].trim_matches(['#', ' ', ':'])).map(|label| (label, raw.len()));
    }
    let marker = raw[start..].find(|c: char| !"-*+ _>".contains(c)).map_or(raw.len(), |at| start + at);
    let colon = raw[marker..].find(':').filter(|at| *at <= 40).map(|at| marker + at)?;
    let name = raw[marker..colon].trim_matches(['*', '_', ' ', '`']);
    let bold = raw[start..marker].ends_with("**") && raw[colon + 1..].starts_with("**");
    let label = label_of(name).or((bold && name.split_whitespace().count() < 4).then_some(Label::Other))?;
    let rest = &raw[colon + 1..];
    let skipped = rest.len() - rest.trim_start_matches(['*', '_', ' ']).len();
    Some((label, colon + 1 + skipped))
}

fn label_of(name: &str) -> Option<Label> {
    const LABELS: [(Label, &str); 7] = [
        (
            Label::Implements,
            "implements, implements step, covers, carries out, serves, requirements, requirement, satisfies, traces to, refs, references, for, plan step, spec, design, plan",
        ),
        (Label::Files, "files, file, changes, touches, paths, path"),
        (
            Label::Depends,
            "depends on, depends, dependencies, dependency, after, blocked by, needs, prerequisites, requires",
        ),
        (Label::Produces, "produces, provides, output, outputs, result, gives"),
        (
            Label::Check,
            "check, checks, test, tests, verify, verification, verified by, how to check, validation",
        ),
        (
            Label::Done,
            "done when, done, acceptance, acceptance criteria, definition of done, success criteria, exit criteria, criteria, completed when",
        ),
        (Label::Do, "do, steps, work, what to do, instructions, details, description, undo, estimate, notes"),
    ];
    let bare = name.split('(').next().unwrap_or(name).trim().to_lowercase();
    let found = LABELS.iter().find(|(_, names)| names.split(", ").any(|known| known == bare));
    found.map(|(label, _)| *label)
}
