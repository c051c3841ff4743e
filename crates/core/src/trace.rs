//! Which parts of the other documents a task is about: references read, and resolved to lines.
//!
//! [`references`] reads a field such as `Implements Plan 3.2 / Design C1, I1`; [`Targets::resolve`] finds where an id is
//! defined in a document, by whole tokens: `C1` is not in `C10`. It knows no file. Start at those two.

mod asked;
mod group;
mod place;
mod range;
mod read;
mod target;
#[cfg(test)]
mod tests;
mod words;

pub use group::inherited;
pub(crate) use place::initials;
pub use read::{is_for_references, references};
pub use target::{Found, Match, Target, Targets};

use crate::prelude::*;

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

/// Where a reference leads: in its own document, or, when that has no such id and none was named, in another one.
pub fn locate(reference: &Reference, documents: &BTreeMap<Kind, Targets<'_>>) -> (Kind, Found) {
    let own = documents.get(&reference.kind).map_or(Found::None, |targets| targets.resolve(&reference.id));
    if own != Found::None || reference.named {
        return (reference.kind, own);
    }
    let others =
        [Kind::Spec, Kind::Prd, Kind::Design, Kind::Plan].into_iter().filter(|kind| *kind != reference.kind);
    let elsewhere = others.filter_map(|kind| Some((kind, documents.get(&kind)?.exact(&reference.id)?)));
    elsewhere.map(|(kind, target)| (kind, Found::One(target))).next().unwrap_or((reference.kind, Found::None))
}
