//! Which parts of the other documents a task is about: references read, and resolved to lines.
//!
//! [`references`] reads a field such as `Implements Plan 3.2 / Design C1, I1`; [`Targets::resolve`] finds where an id is
//! defined in a document, by whole tokens: `C1` is not in `C10`. It knows no file. Start at those two.

mod asked;
mod chapter;
#[cfg(test)]
mod forms;
mod group;
mod ids;
mod index;
mod names;
mod place;
mod range;
mod read;
mod target;
#[cfg(test)]
mod tests;
mod titles;
mod words;

pub use group::{in_title, inherited};
pub use place::initials;
pub(crate) use range::completed;
pub(crate) use read::says_none;
pub use read::{is_for_references, mentions, references};
pub use target::{Found, Match, Target, Targets};

use redraft_facts::prelude::*;

/// Something a task refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// As written.
    pub raw: String,
    pub kind: Kind,
    /// `3.2`, `C9`, `Auth-Module`; with its word where the number alone says little: `Component 2`, `item 1`.
    pub id: String,
    /// The document is named, so it can be no other one.
    pub named: bool,
    /// From a heading above the task, not from the task itself.
    pub inherited: bool,
    pub basis: Basis,
    /// The word before the id, in lower case: `constraint` of `constraint C2`.
    pub noun: Option<String>,
}

/// When a reference counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// Always: what it leads to is missing if it is not there.
    Plain,
    /// Where a document defines it; a name or an id that may mean something else.
    IfDefined,
    /// Where a heading begins the same and its title says nothing else than this one, the rest of a group's heading.
    IfRepeated(String),
}

impl Reference {
    /// Whether it only repeats a heading.
    pub fn repeats(&self) -> bool {
        matches!(self.basis, Basis::IfRepeated(_))
    }

    /// Whether something is missing when it leads nowhere.
    pub fn must_lead(&self) -> bool {
        self.basis == Basis::Plain && !self.inherited
    }
}

/// The document that is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Plan,
    Design,
    Spec,
    Prd,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Plan, Kind::Design, Kind::Spec, Kind::Prd];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Plan => "plan",
            Kind::Design => "design",
            Kind::Spec => "spec",
            Kind::Prd => "prd",
        }
    }

    /// The name of the file.
    pub fn file(self) -> &'static str {
        match self {
            Kind::Plan => "plan.md",
            Kind::Design => "design.md",
            Kind::Spec => "spec.md",
            Kind::Prd => "prd.md",
        }
    }
}

/// Where the references of a task lead. One that may be in several places is in the one that stands in what another one
/// leads to: `Phase 2, Step 1`.
pub fn locate_all(references: &[Reference], documents: &BTreeMap<Kind, Targets<'_>>) -> Vec<(Kind, Found)> {
    let mut all: Vec<(Kind, Found)> = references.iter().map(|one| locate(one, documents)).collect();
    let sections: Vec<(Kind, Target)> = (all.iter())
        .filter_map(|(kind, found)| match found {
            Found::One(target) => Some((*kind, *target)),
            Found::Several(_) | Found::None => None,
        })
        .collect();
    for (kind, found) in &mut all {
        let Found::Several(places) = found else { continue };
        let inside = |one: &&Target| sections.iter().any(|(of, outer)| of == kind && holds(outer, one));
        let mut places = places.iter().filter(inside);
        if let (Some(one), None) = (places.next(), places.next()) {
            *found = Found::One(*one);
        }
    }
    // Of groups in groups, the innermost; and of a group nothing, where a part of what it repeats is named, or the task
    // itself names a part of that document.
    let own = |of: Kind| {
        let mut located = references.iter().zip(&all);
        located.any(|(one, (kind, found))| *kind == of && one.must_lead() && matches!(found, Found::One(_)))
    };
    let own: BTreeSet<Kind> = Kind::ALL.into_iter().filter(|kind| own(*kind)).collect();
    for (_, (kind, found)) in references.iter().zip(&mut all).filter(|(one, _)| one.repeats()) {
        let Found::One(outer) = *found else { continue };
        if own.contains(kind) || sections.iter().any(|(of, one)| of == kind && holds(&outer, one)) {
            *found = Found::None;
        }
    }
    all
}

/// Whether one place stands in another.
fn holds(outer: &Target, one: &Target) -> bool {
    outer.line < one.line && one.end_line <= outer.end_line
}

/// Where a reference leads: in its own document, or, when that has no such id and none was named, in another one.
pub fn locate(reference: &Reference, documents: &BTreeMap<Kind, Targets<'_>>) -> (Kind, Found) {
    let own = documents.get(&reference.kind);
    if let Basis::IfRepeated(title) = &reference.basis {
        let found = own.map_or(Found::None, |targets| targets.repeated(&reference.id, title));
        return (reference.kind, found);
    }
    if let Some(found) = reference.noun.as_ref().and_then(|noun| in_chapter(reference, noun, documents)) {
        return found;
    }
    if reference.basis == Basis::IfDefined && !reference.named {
        return defined_once(reference, documents);
    }
    let own = own.map_or(Found::None, |targets| match reference.basis {
        Basis::IfDefined => targets.beginning(&reference.id),
        Basis::Plain | Basis::IfRepeated(_) => targets.resolve(&reference.id),
    });
    if own != Found::None || reference.named {
        return (reference.kind, own);
    }
    let others =
        [Kind::Spec, Kind::Prd, Kind::Design, Kind::Plan].into_iter().filter(|kind| *kind != reference.kind);
    let elsewhere = others.filter_map(|kind| Some((kind, documents.get(&kind)?.exact(&reference.id)?)));
    elsewhere.map(|(kind, target)| (kind, Found::One(target))).next().unwrap_or((reference.kind, Found::None))
}

/// The one chapter that is called as the word before an id and defines that id.
fn in_chapter(
    reference: &Reference,
    noun: &str,
    documents: &BTreeMap<Kind, Targets<'_>>,
) -> Option<(Kind, Found)> {
    let may_be = |kind: &Kind| !reference.named || *kind == reference.kind;
    let wanted = documents.iter().filter(|(kind, _)| may_be(kind));
    let mut found = wanted.flat_map(|(kind, targets)| {
        targets.under(&reference.id, noun).into_iter().map(|target| (*kind, Found::One(target)))
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Where just one document defines something.
fn defined_once(reference: &Reference, documents: &BTreeMap<Kind, Targets<'_>>) -> (Kind, Found) {
    let is_title = reference.id.starts_with('§');
    let one = |targets: &Targets<'_>| match is_title {
        true => match targets.resolve(&reference.id) {
            Found::One(target) => Some(target),
            Found::Several(_) | Found::None => None,
        },
        false => targets.literal(&reference.id),
    };
    let mut found = documents.iter().filter_map(|(kind, targets)| Some((*kind, Found::One(one(targets)?))));
    match (found.next(), found.next()) {
        (Some(only), None) => only,
        _ => (reference.kind, Found::None),
    }
}
