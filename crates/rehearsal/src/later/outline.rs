//! The parts of a design, a plan or a task list: each with its name, its lines and its fields.
//!
//! It knows the forms people use (headings, list items, rows of a table) and judges nothing. Start at
//! [`Outline::read`].

use super::fields;
use crate::document::{Document, Kind as Line, cells};
use crate::ids::leading;
use crate::pace::{Pace, Stopped};
use crate::spec::after_id;
use redraft_core::phase::Phase;
use redraft_core::text::one_line;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Outline {
    pub(super) units: Vec<Unit>,
    by_key: HashMap<String, usize>,
}

/// An element, a step or a task.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub(super) kind: Kind,
    /// As it is written: `C1`, `1.2`, `T001`.
    pub(super) name: String,
    /// The same for comparing: without dashes and leading zeros.
    pub(super) key: String,
    pub(super) title: String,
    pub(super) line: usize,
    pub(super) block: Range<usize>,
    pub(super) fields: Vec<Field>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Component,
    Interface,
    Decision,
    Risk,
    Step,
    Task,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Component => "component",
            Kind::Interface => "interface",
            Kind::Decision => "decision",
            Kind::Risk => "risk",
            Kind::Step => "step",
            Kind::Task => "task",
        }
    }
}

/// What a part says under a label.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) label: Label,
    /// The lines it takes, the one with its label first.
    pub(super) lines: Range<usize>,
    /// Where its text stands in the first line.
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Implements,
    Files,
    Depends,
    Produces,
    Check,
    Done,
    Do,
    /// One that only ends the field before it.
    Other,
}

impl Outline {
    /// The parts of the document of a phase; a specification has none.
    pub(super) fn read(document: &Document<'_>, phase: Phase, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let mut units = match phase {
            Phase::Specify | Phase::Implement | Phase::Finish | Phase::Document => Vec::new(),
            Phase::Design => elements(document, pace)?,
            Phase::CreatePlan => numbered(document, Kind::Step, pace)?,
            Phase::CreateTasks => numbered(document, Kind::Task, pace)?,
        };
        let starts: Vec<usize> = units.iter().map(|unit| unit.line).skip(1).chain([usize::MAX]).collect();
        for (unit, next) in units.iter_mut().zip(starts) {
            pace.step()?;
            unit.block.end = unit.block.end.min(next);
            unit.fields = fields::of(document, unit);
        }
        let mut by_key = HashMap::new();
        for (at, unit) in units.iter().enumerate() {
            by_key.entry(unit.key.clone()).or_insert(at);
        }
        Ok(Outline { units, by_key })
    }

    pub(super) fn find(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// The parts a key means: itself, or all of the group it names.
    pub(super) fn meant(&self, key: &str) -> Vec<usize> {
        if let Some(at) = self.find(key) {
            return vec![at];
        }
        let group = format!("{key}.");
        let inside = self.units.iter().enumerate().filter(|(_, unit)| unit.key.starts_with(&group));
        inside.map(|(at, _)| at).collect()
    }

    pub(super) fn of(&self, kind: Kind) -> impl Iterator<Item = &Unit> {
        self.units.iter().filter(move |unit| unit.kind == kind)
    }
}

impl Unit {
    pub(super) fn field(&self, label: Label) -> Option<&Field> {
        self.fields.iter().find(|field| field.label == label)
    }

    /// How a sentence speaks of it; its name stands in backticks.
    pub(super) fn called(&self) -> String {
        format!("{} `{}`", self.kind.word(), self.name)
    }
}

impl Field {
    /// What it says, line by line.
    pub(super) fn text(&self, document: &Document<'_>) -> String {
        let first = &document.lines[self.lines.start].raw[self.at.clone()];
        let more = self.lines.clone().skip(1).map(|at| document.lines[at].raw);
        [first].into_iter().chain(more).collect::<Vec<_>>().join("\n").trim().to_owned()
    }

    /// The last line that says something.
    pub(super) fn last(&self, document: &Document<'_>) -> usize {
        let filled = |at: &usize| document.lines[*at].kind != Line::Blank;
        self.lines.clone().rev().find(filled).unwrap_or(self.lines.start)
    }
}

/// A name for comparing.
pub(super) fn key(name: &str) -> String {
    let bare = name.trim().replace(['-', '_'], "").to_uppercase();
    let letters: String = bare.chars().take_while(|c| c.is_alphabetic()).collect();
    let numbers = bare[letters.len()..].split('.').map(|part| {
        let cut = part.trim_start_matches('0');
        if cut.is_empty() && !part.is_empty() { "0" } else { cut }
    });
    format!("{letters}{}", numbers.collect::<Vec<_>>().join("."))
}

/// The elements of a design.
fn elements(document: &Document<'_>, pace: &Pace<'_>) -> Result<Vec<Unit>, Stopped> {
    let mut best: BTreeMap<String, (u8, Unit)> = BTreeMap::new();
    for at in 0..document.lines.len() {
        pace.step()?;
        let Some((score, unit)) = element(document, at) else { continue };
        match best.get(&unit.key) {
            Some((known, _)) if *known >= score => {}
            _ => {
                best.insert(unit.key.clone(), (score, unit));
            }
        }
    }
    let mut units: Vec<Unit> = best.into_values().map(|(_, unit)| unit).collect();
    units.sort_by_key(|unit| unit.line);
    Ok(units)
}

fn element(document: &Document<'_>, at: usize) -> Option<(u8, Unit)> {
    let line = &document.lines[at];
    let (said, score) = match line.kind {
        Line::Heading => (line.raw.trim().trim_start_matches('#').trim(), 2),
        Line::Item { indent: 0..=1, .. } => (document.said(at), 1),
        Line::Row if !document.is_table_head(at) => (*cells(line.raw).first()?, 1),
        _ => return None,
    };
    let mention = leading(said)?;
    let after = said[mention.at.end..].trim_start_matches(['*', '_', '`', ']', ')']).trim_start();
    let own = usize::from(line.kind == Line::Heading && document.heading_at(at).is_some());
    let by_section = document.titles(at).skip(own).find_map(section_kind);
    let risk = by_section == Some(Kind::Risk);
    if mention.id.is_criterion() || (mention.id.is_requirement() && !risk) {
        return None;
    }
    let bold = said.starts_with("**") && said[mention.at.end..].starts_with("**");
    let separated = bold || after.is_empty() || after.starts_with([':', '.', '—', '–', '-', '(']);
    let kind = match line.kind {
        Line::Heading => prefix_kind(&mention.id.prefix).or(by_section)?,
        _ if separated => by_section?,
        _ => return None,
    };
    let kind = if risk { Kind::Risk } else { kind };
    let name = said[mention.at.clone()].to_owned();
    let title = match line.kind {
        Line::Row => cells(line.raw).get(1).map(|cell| (*cell).to_owned()).unwrap_or_default(),
        _ => after_id(said),
    };
    let block = block(document, at);
    let title = one_line(&title.replace(['`', '*'], ""), 90);
    Some((score, Unit { kind, key: key(&name), name, title, line: at, block, fields: Vec::new() }))
}

fn prefix_kind(prefix: &str) -> Option<Kind> {
    match prefix {
        "C" | "COMP" | "CMP" => Some(Kind::Component),
        "I" | "IF" | "INT" => Some(Kind::Interface),
        "D" | "TD" | "DD" | "ADR" | "AD" => Some(Kind::Decision),
        "RISK" | "RK" => Some(Kind::Risk),
        _ => None,
    }
}

fn section_kind(title: &str) -> Option<Kind> {
    let lower = title.to_lowercase();
    let traces = ["requirement", "coverage", "traceab", "mapping", "question", "excluded", "scope"];
    if traces.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let kinds = [
        ("risk", Kind::Risk),
        ("decision", Kind::Decision),
        ("interface", Kind::Interface),
        ("contract", Kind::Interface),
        ("component", Kind::Component),
        ("module", Kind::Component),
    ];
    kinds.into_iter().find(|(word, _)| lower.contains(word)).map(|(_, kind)| kind)
}

fn block(document: &Document<'_>, at: usize) -> Range<usize> {
    match (document.lines[at].kind, document.heading_at(at)) {
        (Line::Heading, Some(own)) => document.block_of_heading(own),
        (Line::Item { .. }, _) => document.block_of_item(at),
        _ => at..at + 1,
    }
}

/// How surely a line begins a step or a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// `## Phase 2: …`
    Group,
    /// `- [ ] 1.2 …`, a row with a number.
    Bare,
    /// `- [ ] T001 …`
    Letter,
    /// `### Step 1.2: …`
    Worded,
}

fn numbered(document: &Document<'_>, kind: Kind, pace: &Pace<'_>) -> Result<Vec<Unit>, Stopped> {
    let mut found: Vec<(Form, Unit)> = Vec::new();
    for at in 0..document.lines.len() {
        pace.step()?;
        found.extend(part(document, at, kind));
    }
    let Some(best) = found.iter().map(|(form, _)| *form).max() else { return Ok(Vec::new()) };
    let mut units: Vec<Unit> =
        found.into_iter().filter(|(form, _)| *form == best).map(|(_, unit)| unit).collect();
    // `Step 1` that only holds `Step 1.1` and on is a group.
    let groups: std::collections::HashSet<String> =
        units.iter().filter_map(|unit| Some(unit.key.rsplit_once('.')?.0.to_owned())).collect();
    units.retain(|unit| !groups.contains(&unit.key));
    Ok(units)
}

fn part(document: &Document<'_>, at: usize, kind: Kind) -> Option<(Form, Unit)> {
    let line = &document.lines[at];
    let said = match line.kind {
        Line::Heading => line.raw.trim().trim_start_matches('#').trim(),
        Line::Item { indent: 0..=1, .. } => document.said(at),
        Line::Row if !document.is_table_head(at) && in_table_of(document, at, kind) => {
            *cells(line.raw).first()?
        }
        _ => return None,
    };
    let bare = said.trim_start_matches(['*', '_', '`', '[']);
    let (word, rest) = lead_word(bare);
    let number = number_at(rest);
    let name = &rest[..number];
    if name.is_empty() || !name.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let after = rest[number..].trim_start_matches(['*', '_', '`', ']']);
    let separated = after.is_empty() || after.trim_start().starts_with([':', '.', '—', '–', '-', '(', '[']);
    let lettered = name.starts_with(|c: char| c.is_ascii_uppercase());
    let ticked = line.raw.contains("[ ] ") || line.raw.contains("[x] ") || line.raw.contains("[X] ");
    let form = match (word, line.kind) {
        (Some(known), _) if known == kind.word() && separated => Form::Worded,
        (Some("phase" | "stage" | "milestone" | "step" | "task"), Line::Heading) if separated => Form::Group,
        (None, Line::Item { .. }) if lettered && name.starts_with('T') && (ticked || separated) => {
            Form::Letter
        }
        (None, Line::Heading) if lettered && name.starts_with(['T', 'S']) && separated => Form::Letter,
        (None, Line::Item { .. }) if !lettered && ticked && name.contains('.') => Form::Bare,
        (None, Line::Row) => Form::Bare,
        _ => return None,
    };
    let title = match line.kind {
        Line::Row => cells(line.raw).get(1).map(|cell| (*cell).to_owned()).unwrap_or_default(),
        _ => after.trim_start_matches([' ', ':', '.', '—', '–', '-', '*', ')']).to_owned(),
    };
    let title = one_line(&title.replace(['`', '*'], ""), 90);
    let unit = Unit {
        kind,
        key: key(name),
        name: name.to_owned(),
        title,
        line: at,
        block: block(document, at),
        fields: Vec::new(),
    };
    Some((form, unit))
}

fn in_table_of(document: &Document<'_>, at: usize, kind: Kind) -> bool {
    let head = document.table_head(at).map(|head| cells(document.lines[head].raw));
    let first = head.and_then(|head| head.first().map(|cell| cell.to_lowercase())).unwrap_or_default();
    let section = document.section(at).to_lowercase();
    let own = |text: &str| text.contains(kind.word());
    own(&first) || (["#", "id", "no", "no."].contains(&first.as_str()) && own(&section))
}

/// The word before a number, and the rest.
fn lead_word(text: &str) -> (Option<&'static str>, &str) {
    for word in ["step", "task", "phase", "stage", "milestone"] {
        let starts = text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let rest = text.get(word.len()..).unwrap_or_default();
        if starts && rest.starts_with(' ') {
            return (Some(word), rest.trim_start());
        }
    }
    (None, text)
}

/// How long the name at the start of a text is: `1.2`, `2a`, `T001`, `T-1`.
pub(super) fn number_at(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = bytes.iter().take(3).take_while(|b| b.is_ascii_uppercase()).count();
    if end > 0 && bytes.get(end) == Some(&b'-') {
        end += 1;
    }
    let start = end;
    loop {
        let digits = bytes[end..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 || digits > 4 {
            return if end > start { end - 1 } else { 0 };
        }
        end += digits;
        let more = bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !more {
            break;
        }
        end += 1;
    }
    let letter = bytes.get(end).is_some_and(u8::is_ascii_lowercase)
        && !bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
    end += usize::from(letter);
    if bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) { 0 } else { end }
}
