//! Selects the parts of a feature's documents that go into the prompt for one task, and says why.
//!
//! The specification goes in whole. From the plan and the design, only what the task refers to goes in, if all of that
//! is found; a document that no reference names goes in as a path; from the PRD, the problem and the goals. Where a
//! task refers to nothing that is found, everything goes in whole: too much is better than something missing. It reads
//! no file. Start at [`select`].

mod excerpt;
#[cfg(test)]
mod tests;
mod unsaid;

pub use excerpt::excerpt;
pub use unsaid::unsaid;

use crate::prd;
use crate::sections::Outline;
use crate::sections::block::{self, counted};
use crate::tasks::Task;
use crate::tokens::{Family, Ratios};
use crate::trace::{self, FoundTarget, Reference, Target, TargetDocument, Targets};
use redraft_facts::choice::Content;
use redraft_facts::prelude::*;

/// The documents of a feature, as far as they exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Artifacts<'a> {
    pub prd: Option<&'a str>,
    pub spec: Option<&'a str>,
    pub design: Option<&'a str>,
    pub plan: Option<&'a str>,
}

/// What goes into a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// One for each document there is, in the order they build on each other.
    pub artifacts: Vec<SelectedParts>,
    /// What a person should know: what could not be read or found.
    pub notes: Vec<String>,
}

/// What is taken from one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedParts {
    pub kind: TargetDocument,
    pub mode: ContextMode,
    /// In document order. When scoped, without overlap; when whole, the places that references lead to.
    pub sections: Vec<LineRange>,
    pub reason: String,
    /// An estimate of what goes into the prompt; zero for a path.
    pub tokens: u64,
}

/// Lines of a document, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRange {
    pub line: u32,
    pub end_line: u32,
    /// The references that lead here, or what it is.
    pub refs: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextMode {
    /// Only its sections.
    Scoped,
    Full,
    /// Its path; the agent may read it.
    Reference,
}

impl ContextMode {
    pub fn name(self) -> &'static str {
        match self {
            ContextMode::Scoped => "scoped",
            ContextMode::Full => "full",
            ContextMode::Reference => "reference",
        }
    }
}

impl<'a> Artifacts<'a> {
    pub fn get(&self, kind: TargetDocument) -> Option<&'a str> {
        match kind {
            TargetDocument::Prd => self.prd,
            TargetDocument::Spec => self.spec,
            TargetDocument::Design => self.design,
            TargetDocument::Plan => self.plan,
        }
    }
}

/// The parts of the documents that go into the prompt for a task.
pub fn select(task: &Task, artifacts: &Artifacts<'_>) -> Context {
    let targets: BTreeMap<TargetDocument, Targets<'_>> = TargetDocument::ALL
        .into_iter()
        .filter_map(|kind| Some((kind, Targets::find(artifacts.get(kind)?))))
        .collect();
    let located = trace::locate_all(&task.refs, &targets);
    // A name in such a field may turn out to be one.
    let led = |(reference, (_, found)): (&Reference, &(TargetDocument, FoundTarget))| {
        !reference.inherited && *found != FoundTarget::None
    };
    let mut notes = if task.refs.iter().zip(&located).any(led) { Vec::new() } else { task.unread.clone() };
    let mut named: BTreeMap<TargetDocument, Named> = BTreeMap::new();
    for (reference, (kind, found)) in task.refs.iter().zip(located) {
        let shown = shown(reference);
        if !targets.contains_key(&kind) {
            if reference.must_lead() {
                notes.push(format!("{shown} is in {}, which is not there", kind.file()));
            }
            continue;
        }
        match found {
            FoundTarget::One(target) => named.entry(kind).or_default().found.push((label(reference), target)),
            // What a heading above a task repeats need not be in the plan.
            FoundTarget::Several(_) if reference.inherited => {}
            FoundTarget::None if !reference.must_lead() => {}
            FoundTarget::None => named
                .entry(kind)
                .or_default()
                .missing
                .push(format!("{shown} is not found in {}", kind.file())),
            FoundTarget::Several(places) => {
                named.entry(kind).or_default().missing.push(ambiguous(&shown, &places));
            }
        }
    }
    for missing in named.values().flat_map(|named| &named.missing) {
        notes.push(missing.clone());
    }
    // The specification goes in whole in any case, so a task that names it alone says nothing about the others.
    let usable = named.iter().any(|(kind, named)| *kind != TargetDocument::Spec && !named.found.is_empty());
    let kinds = [TargetDocument::Prd, TargetDocument::Spec, TargetDocument::Design, TargetDocument::Plan];
    let one = |kind: TargetDocument| {
        let text = artifacts.get(kind)?;
        let named = named.remove(&kind).unwrap_or_default();
        Some(match kind {
            TargetDocument::Prd => of_prd(text, named, usable, &mut notes),
            TargetDocument::Spec => {
                whole(kind, text, named, "the specification always goes in whole".to_owned())
            }
            TargetDocument::Design | TargetDocument::Plan => of_document(kind, text, named, usable),
        })
    };
    let artifacts = kinds.into_iter().filter_map(one).collect();
    Context { artifacts, notes }
}

/// Where the references to one document lead.
#[derive(Default)]
struct Named {
    found: Vec<(String, Target)>,
    /// Why other references lead to no single place.
    missing: Vec<String>,
}

fn shown(reference: &Reference) -> String {
    let lower = reference.raw.to_lowercase();
    if lower.contains(reference.kind.name()) {
        return format!("`{}`", reference.raw);
    }
    format!("`{}` ({})", reference.id, reference.kind.name())
}

/// A reference as it is written; of a range, the one that is meant.
fn label(reference: &Reference) -> String {
    let last = reference.id.rsplit(' ').next().unwrap_or(&reference.id);
    match reference.raw.ends_with(last) && !reference.raw.contains(&format!("-{last}")) {
        true => reference.raw.clone(),
        false => format!("{} {}", reference.kind.name(), reference.id),
    }
}

fn ambiguous(shown: &str, places: &[Target]) -> String {
    const SHOWN_MAX: usize = 5;
    let lines: Vec<String> = places.iter().take(SHOWN_MAX).map(|place| place.line.to_string()).collect();
    format!("{shown} is ambiguous: it may be in lines {}", lines.join(", "))
}

/// Why everything goes in.
const NOTHING_LEADS: &str = "no reference of the task leads into plan, design or PRD";

fn of_document(kind: TargetDocument, text: &str, named: Named, usable: bool) -> SelectedParts {
    match (named.missing.as_slice(), named.found.is_empty()) {
        ([], true) if usable => SelectedParts {
            kind,
            mode: ContextMode::Reference,
            sections: Vec::new(),
            reason: "no reference names it".to_owned(),
            tokens: 0,
        },
        ([], true) => whole(kind, text, named, NOTHING_LEADS.to_owned()),
        ([], false) => {
            let count = named.found.len();
            let reason = match count {
                1 => "a reference names a part of it".to_owned(),
                _ => format!("{count} references name parts of it"),
            };
            scoped(kind, text, joined(named.found), reason)
        }
        ([first, ..], _) => {
            let reason = first.clone();
            whole(kind, text, named, reason)
        }
    }
}

fn of_prd(text: &str, named: Named, usable: bool, notes: &mut Vec<String>) -> SelectedParts {
    let outline = Outline::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
    let essentials = prd::essentials(&outline);
    if !usable {
        return whole(TargetDocument::Prd, text, named, NOTHING_LEADS.to_owned());
    }
    let (Some(problem), Some(goals)) = (&essentials.problem, &essentials.goals) else {
        let lacks = if essentials.problem.is_none() { "problem statement" } else { "goals" };
        let reason = format!("no heading of it announces the {lacks}");
        notes.push(format!("prd.md goes in whole: {reason}"));
        return whole(TargetDocument::Prd, text, named, reason);
    };
    let mut found = named.found;
    for (section, name) in [(problem, "problem statement"), (goals, "goals")] {
        let last = block::last_line(&outline, section.lines.start, section.lines.end);
        let target = Target {
            line: counted(section.lines.start),
            end_line: counted(last),
            how: trace::Match::Heading,
        };
        found.push((name.to_owned(), target));
    }
    scoped(
        TargetDocument::Prd,
        text,
        joined(found),
        "of the PRD the problem statement and the goals".to_owned(),
    )
}

fn whole(kind: TargetDocument, text: &str, named: Named, reason: String) -> SelectedParts {
    let mut sections: Vec<LineRange> = (named.found.into_iter())
        .map(|(shown, target)| LineRange { line: target.line, end_line: target.end_line, refs: vec![shown] })
        .collect();
    sections.sort_by_key(|part| (part.line, part.end_line));
    SelectedParts { kind, mode: ContextMode::Full, sections, reason, tokens: tokens(text) }
}

fn scoped(kind: TargetDocument, text: &str, sections: Vec<LineRange>, reason: String) -> SelectedParts {
    let tokens = tokens(&excerpt(text, &sections));
    SelectedParts { kind, mode: ContextMode::Scoped, sections, reason, tokens }
}

/// Sections in document order, each line once: what overlaps is one.
fn joined(mut found: Vec<(String, Target)>) -> Vec<LineRange> {
    found.sort_by_key(|(_, target)| (target.line, target.end_line));
    let mut parts: Vec<LineRange> = Vec::new();
    for (shown, target) in found {
        match parts.last_mut() {
            Some(last) if target.line <= last.end_line => {
                last.end_line = last.end_line.max(target.end_line);
                if !last.refs.contains(&shown) {
                    last.refs.push(shown);
                }
            }
            _ => parts.push(LineRange { line: target.line, end_line: target.end_line, refs: vec![shown] }),
        }
    }
    parts
}

impl Context {
    /// Leaves out of the plan what the task says as well: it is made from a step of the plan, and repeats it.
    pub fn leave_out_of_plan(&mut self, plan: &str, task: &str) {
        let of_plan = |one: &&mut SelectedParts| {
            one.kind == TargetDocument::Plan && one.mode == ContextMode::Scoped && !one.sections.is_empty()
        };
        for one in self.artifacts.iter_mut().filter(of_plan) {
            let whole = excerpt(plan, &one.sections);
            let left = unsaid(&whole, task);
            if left.is_empty() {
                *one = SelectedParts {
                    kind: one.kind,
                    mode: ContextMode::Reference,
                    sections: Vec::new(),
                    reason: "the task says all that its step says".to_owned(),
                    tokens: 0,
                };
            } else if left != whole {
                one.reason.push_str(", without what the task says as well");
                one.tokens = tokens(&left);
            }
        }
    }
}

/// With the ratios measured for most models; nothing depends on it.
fn tokens(text: &str) -> u64 {
    let chars = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    Ratios::measured(Family::Other).tokens(chars, Content::Markdown)
}
