//! Finds the parts of the other documents that a task is about: reads references and resolves them to lines.
//!
//! [`references`] reads a field such as `Implements Plan 3.2 / Design C1, I1`; [`Targets::resolve`] finds where an id is
//! defined in a document, by whole tokens: `C1` is not in `C10`. It knows no file. Start at those two.

mod asked;
mod chapter;
mod group;
mod ids;
mod index;
mod names;
mod place;
mod range;
mod read;
mod resolve;
mod target;
#[cfg(test)]
mod tests;
mod titles;
mod words;

pub use group::{in_title, inherited};
pub use place::{Match, initials};
pub(crate) use range::completed;
pub(crate) use read::says_none;
pub use read::{is_for_references, mentions, references};
pub use target::{FoundTarget, Target, Targets};

use redraft_facts::prelude::*;

/// Something a task refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// As written.
    pub raw: String,
    pub kind: TargetDocument,
    /// `3.2`, `C9`, `Auth-Module`; with its word where the number alone says little: `Component 2`, `item 1`.
    pub id: String,
    /// The document is named, so it can be no other one.
    pub named: bool,
    /// From a heading above the task, not from the task itself.
    pub inherited: bool,
    pub basis: CountsWhen,
    /// The word before the id, in lower case: `constraint` of `constraint C2`.
    pub noun: Option<String>,
}

/// When a reference counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountsWhen {
    /// Always: if it leads nowhere, something is missing.
    Plain,
    /// If a document defines it; a name or an id that may mean something else.
    IfDefined,
    /// If a heading begins the same and its title agrees with this one, the rest of a group's heading.
    IfRepeated(String),
}

impl Reference {
    /// Whether it only repeats a heading.
    pub fn repeats(&self) -> bool {
        matches!(self.basis, CountsWhen::IfRepeated(_))
    }

    /// Whether something is missing when it leads nowhere.
    pub fn must_lead(&self) -> bool {
        self.basis == CountsWhen::Plain && !self.inherited
    }
}

/// The document that is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetDocument {
    Plan,
    Design,
    Spec,
    Prd,
}

impl TargetDocument {
    pub const ALL: [TargetDocument; 4] =
        [TargetDocument::Plan, TargetDocument::Design, TargetDocument::Spec, TargetDocument::Prd];

    pub fn name(self) -> &'static str {
        match self {
            TargetDocument::Plan => "plan",
            TargetDocument::Design => "design",
            TargetDocument::Spec => "spec",
            TargetDocument::Prd => "prd",
        }
    }

    /// The name of the file.
    pub fn file(self) -> &'static str {
        match self {
            TargetDocument::Plan => "plan.md",
            TargetDocument::Design => "design.md",
            TargetDocument::Spec => "spec.md",
            TargetDocument::Prd => "prd.md",
        }
    }
}

/// Where the references of a task lead. If one has several possible places, the one inside what another reference leads
/// to counts: `Phase 2, Step 1`.
pub fn locate_all(
    references: &[Reference],
    documents: &BTreeMap<TargetDocument, Targets<'_>>,
) -> Vec<(TargetDocument, FoundTarget)> {
    let mut all: Vec<(TargetDocument, FoundTarget)> =
        references.iter().map(|one| locate(one, documents)).collect();
    let sections: Vec<(TargetDocument, Target)> = (all.iter())
        .filter_map(|(kind, found)| match found {
            FoundTarget::One(target) => Some((*kind, *target)),
            FoundTarget::Several(_) | FoundTarget::None => None,
        })
        .collect();
    for (kind, found) in &mut all {
        let FoundTarget::Several(places) = found else { continue };
        let inside = |one: &&Target| sections.iter().any(|(of, outer)| of == kind && holds(outer, one));
        let mut places = places.iter().filter(inside);
        if let (Some(one), None) = (places.next(), places.next()) {
            *found = FoundTarget::One(*one);
        }
    }
    // Of nested groups only the innermost counts; and a group does not count if a part of what it repeats is named, or
    // if the task itself names a part of that document.
    let own = |of: TargetDocument| {
        let mut located = references.iter().zip(&all);
        located.any(|(one, (kind, found))| {
            *kind == of && one.must_lead() && matches!(found, FoundTarget::One(_))
        })
    };
    let own: BTreeSet<TargetDocument> = TargetDocument::ALL.into_iter().filter(|kind| own(*kind)).collect();
    for (_, (kind, found)) in references.iter().zip(&mut all).filter(|(one, _)| one.repeats()) {
        let FoundTarget::One(outer) = *found else { continue };
        if own.contains(kind) || sections.iter().any(|(of, one)| of == kind && holds(&outer, one)) {
            *found = FoundTarget::None;
        }
    }
    all
}

/// Whether one place stands in another.
fn holds(outer: &Target, one: &Target) -> bool {
    outer.line < one.line && one.end_line <= outer.end_line
}

/// Where a reference leads: in its own document, or, when that has no such id and none was named, in another one.
pub fn locate(
    reference: &Reference,
    documents: &BTreeMap<TargetDocument, Targets<'_>>,
) -> (TargetDocument, FoundTarget) {
    let own = documents.get(&reference.kind);
    if let CountsWhen::IfRepeated(title) = &reference.basis {
        let found = own.map_or(FoundTarget::None, |targets| targets.repeated(&reference.id, title));
        return (reference.kind, found);
    }
    if let Some(found) = reference.noun.as_ref().and_then(|noun| in_chapter(reference, noun, documents)) {
        return found;
    }
    if reference.basis == CountsWhen::IfDefined && !reference.named {
        return defined_once(reference, documents);
    }
    let own = own.map_or(FoundTarget::None, |targets| match reference.basis {
        CountsWhen::IfDefined => targets.beginning(&reference.id),
        CountsWhen::Plain | CountsWhen::IfRepeated(_) => targets.resolve(&reference.id),
    });
    if own != FoundTarget::None || reference.named {
        return (reference.kind, own);
    }
    let others = [TargetDocument::Spec, TargetDocument::Prd, TargetDocument::Design, TargetDocument::Plan]
        .into_iter()
        .filter(|kind| *kind != reference.kind);
    let elsewhere = others.filter_map(|kind| Some((kind, documents.get(&kind)?.exact(&reference.id)?)));
    elsewhere
        .map(|(kind, target)| (kind, FoundTarget::One(target)))
        .next()
        .unwrap_or((reference.kind, FoundTarget::None))
}

/// The one chapter that has the word before an id as its title and defines that id.
fn in_chapter(
    reference: &Reference,
    noun: &str,
    documents: &BTreeMap<TargetDocument, Targets<'_>>,
) -> Option<(TargetDocument, FoundTarget)> {
    let may_be = |kind: &TargetDocument| !reference.named || *kind == reference.kind;
    let wanted = documents.iter().filter(|(kind, _)| may_be(kind));
    let mut found = wanted.flat_map(|(kind, targets)| {
        targets.under(&reference.id, noun).into_iter().map(|target| (*kind, FoundTarget::One(target)))
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Where just one document defines something.
fn defined_once(
    reference: &Reference,
    documents: &BTreeMap<TargetDocument, Targets<'_>>,
) -> (TargetDocument, FoundTarget) {
    let is_title = reference.id.starts_with('§');
    let one = |targets: &Targets<'_>| match is_title {
        true => match targets.resolve(&reference.id) {
            FoundTarget::One(target) => Some(target),
            FoundTarget::Several(_) | FoundTarget::None => None,
        },
        false => targets.literal(&reference.id),
    };
    let mut found =
        documents.iter().filter_map(|(kind, targets)| Some((*kind, FoundTarget::One(one(targets)?))));
    match (found.next(), found.next()) {
        (Some(only), None) => only,
        _ => (reference.kind, FoundTarget::None),
    }
}
