//! Plants defects: changes of an approved document that a reviewer should reject.
//!
//! Start at [`plant`]. Each kind finds every place where it could be planted (`text`, `order` and `number` hold the
//! kinds); a draw takes some of them, at most one of a kind, none near another and none that undoes another. A plant that changes nothing, or that lint
//! already reports, is not used: reviews are not bought for what a program finds.

mod criteria;
pub(crate) mod edit;
mod number;
mod order;
mod shape;
mod text;

use crate::draw::Draw;
use edit::Edit;
use redraft_documents::lint::{self, Document, Documents, LintSettings, LintedContent};
use redraft_facts::prelude::*;
use serde::{Deserialize, Serialize};

/// What is wrong with a planted document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlantKind {
    /// One of two equal numbers is changed.
    NumberChanged,
    /// The criterion of a requirement is removed.
    CriterionRemoved,
    /// A criterion no longer says what to measure.
    CriterionVague,
    /// What happens on a failure is no longer said.
    FailureDropped,
    /// A reference leads to another requirement.
    ReferenceBroken,
    /// A requirement asks for what the scope excludes.
    AgainstScope,
    /// A task comes before the one it depends on.
    OrderBroken,
    /// A name is changed in one of the places that use it.
    InterfaceChanged,
    /// What is refused in case of doubt is let through.
    FailSafeInverted,
    /// An item of an announced number of items is removed.
    PromiseMissing,
    /// In code: a limit includes what it excluded, or the other way round.
    Boundary,
    /// In code: a check is gone.
    CheckRemoved,
    /// In code: a failure is noticed and nobody is told.
    ErrorSwallowed,
    /// In code: an assertion holds whatever happens.
    AssertionWeakened,
    /// In code: a constant has another value than the rest of the change says.
    ConstantWrong,
    /// In code: what was opened is not closed.
    ResourceOpen,
    /// In code: what comes from outside is used as it is.
    InputUnchecked,
    /// In code: a branch can never run.
    BranchDead,
}

impl PlantKind {
    /// Those for documents.
    pub const DOCUMENTS: [PlantKind; 10] = [
        PlantKind::NumberChanged,
        PlantKind::CriterionRemoved,
        PlantKind::CriterionVague,
        PlantKind::FailureDropped,
        PlantKind::ReferenceBroken,
        PlantKind::AgainstScope,
        PlantKind::OrderBroken,
        PlantKind::InterfaceChanged,
        PlantKind::FailSafeInverted,
        PlantKind::PromiseMissing,
    ];

    /// Those for code.
    pub const CODE: [PlantKind; 8] = [
        PlantKind::Boundary,
        PlantKind::CheckRemoved,
        PlantKind::ErrorSwallowed,
        PlantKind::AssertionWeakened,
        PlantKind::ConstantWrong,
        PlantKind::ResourceOpen,
        PlantKind::InputUnchecked,
        PlantKind::BranchDead,
    ];

    pub fn is_of_code(self) -> bool {
        PlantKind::CODE.contains(&self)
    }

    /// The reviewers of code whose work it is to find it; none for documents, which have one reviewer.
    pub fn reviewers(self) -> &'static [&'static str] {
        const BUILT: &str = "implementation-reviewer";
        const QUALITY: &str = "code-quality-reviewer";
        const SECURITY: &str = "security-reviewer";
        match self {
            PlantKind::Boundary | PlantKind::ConstantWrong => &[BUILT],
            PlantKind::CheckRemoved => &[BUILT, SECURITY],
            PlantKind::BranchDead => &[BUILT, QUALITY],
            PlantKind::ErrorSwallowed | PlantKind::AssertionWeakened | PlantKind::ResourceOpen => &[QUALITY],
            PlantKind::InputUnchecked => &[SECURITY],
            _ => &[],
        }
    }

    /// Whether it is this reviewer's work to find it.
    pub fn is_for(self, role: &str) -> bool {
        self.reviewers().is_empty() || self.reviewers().contains(&role)
    }

    pub fn name(self) -> &'static str {
        match self {
            PlantKind::NumberChanged => "number-changed",
            PlantKind::CriterionRemoved => "criterion-removed",
            PlantKind::CriterionVague => "criterion-vague",
            PlantKind::FailureDropped => "failure-dropped",
            PlantKind::ReferenceBroken => "reference-broken",
            PlantKind::AgainstScope => "against-scope",
            PlantKind::OrderBroken => "order-broken",
            PlantKind::InterfaceChanged => "interface-changed",
            PlantKind::FailSafeInverted => "fail-safe-inverted",
            PlantKind::PromiseMissing => "promise-missing",
            PlantKind::Boundary => "boundary",
            PlantKind::CheckRemoved => "check-removed",
            PlantKind::ErrorSwallowed => "error-swallowed",
            PlantKind::AssertionWeakened => "assertion-weakened",
            PlantKind::ConstantWrong => "constant-wrong",
            PlantKind::ResourceOpen => "resource-open",
            PlantKind::InputUnchecked => "input-unchecked",
            PlantKind::BranchDead => "branch-dead",
        }
    }

    /// Whether it is a defect in a document of this name: plans and tasks speak of the work, and say there what
    /// fails in a test.
    fn fits(self, name: &str) -> bool {
        match self {
            PlantKind::CriterionRemoved
            | PlantKind::CriterionVague
            | PlantKind::FailureDropped
            | PlantKind::ReferenceBroken
            | PlantKind::AgainstScope => ["spec.md", "design.md"].contains(&name),
            PlantKind::OrderBroken => ["plan.md", "tasks.md"].contains(&name),
            PlantKind::NumberChanged
            | PlantKind::InterfaceChanged
            | PlantKind::FailSafeInverted
            | PlantKind::PromiseMissing => true,
            _ => false,
        }
    }

    fn edits(self, text: &str) -> Vec<Edit> {
        match self {
            PlantKind::NumberChanged => number::changed(text),
            PlantKind::CriterionRemoved => criteria::removed(text),
            PlantKind::CriterionVague => criteria::vague(text),
            PlantKind::FailureDropped => text::failure_dropped(text),
            PlantKind::ReferenceBroken => criteria::reference_broken(text),
            PlantKind::AgainstScope => text::against_scope(text),
            PlantKind::OrderBroken => order::broken(text),
            PlantKind::InterfaceChanged => text::interface_changed(text),
            PlantKind::FailSafeInverted => text::fail_safe_inverted(text),
            PlantKind::PromiseMissing => text::promise_missing(text),
            _ => Vec::new(),
        }
    }
}

/// One defect, and what a right finding must touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plant {
    pub kind: PlantKind,
    /// The name of the document.
    pub file: String,
    /// Where it is in the planted document, counted from 1; where something was removed, the line before the gap.
    pub line: u32,
    /// How many lines it covers there; 0 where something was removed.
    pub lines: u32,
    /// What was done, for a person.
    pub what: String,
    /// A right finding has one word of each group.
    pub words: Vec<Vec<String>>,
}

/// The documents of a case: what the reviewed one builds on, then the reviewed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSet {
    /// Name and text.
    pub upstream: Vec<(String, String)>,
    pub name: String,
    pub text: String,
}

/// A document with defects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planted {
    pub text: String,
    /// In the order of their lines.
    pub plants: Vec<Plant>,
    edits: Vec<(PlantKind, Edit)>,
}

/// Lines between two plants, so that one finding cannot be taken for both.
pub(crate) const LINES_BETWEEN: usize = 3;

/// Plants up to `count` defects, each of another kind; fewer where the document has no place for more.
pub fn plant(set: &DocumentSet, count: usize, draw: &mut Draw) -> Planted {
    let before = faults(set, &set.text);
    let mut edits: Vec<(PlantKind, Edit)> = Vec::new();
    for kind in draw.shuffled(PlantKind::DOCUMENTS.to_vec()) {
        if edits.len() == count {
            break;
        }
        edits.extend(chosen(set, &before, kind, &edits, draw).map(|edit| (kind, edit)));
    }
    built(set, edits)
}

/// A later revision: of the defects only those at `left` are still there, and one of another kind is new where there is
/// a place for it. Its plant is the last of the result.
pub fn revised(
    set: &DocumentSet,
    planted: &Planted,
    left: &[usize],
    draw: &mut Draw,
) -> (Planted, Option<Plant>) {
    let mut edits: Vec<(PlantKind, Edit)> =
        left.iter().filter_map(|at| planted.edits.get(*at).cloned()).collect();
    let before = faults(set, &set.text);
    let used: Vec<PlantKind> = planted.edits.iter().map(|(kind, _)| *kind).collect();
    let unused = PlantKind::DOCUMENTS.into_iter().filter(|kind| !used.contains(kind)).collect();
    let new = draw.shuffled(unused).into_iter().find_map(|kind| {
        // Not where a defect was, either: that would be one not fixed.
        chosen(set, &before, kind, &planted.edits, draw).map(|edit| (kind, edit))
    });
    edits.extend(new.clone());
    let second = built(set, edits);
    let new = new.and_then(|(kind, _)| second.plants.iter().find(|plant| plant.kind == kind).cloned());
    (second, new)
}

/// A place for a kind, away from the other edits. `before` is what lint says of the clean document.
fn chosen(
    set: &DocumentSet,
    before: &Faults,
    kind: PlantKind,
    others: &[(PlantKind, Edit)],
    draw: &mut Draw,
) -> Option<Edit> {
    let lines: Vec<&str> = set.text.lines().collect();
    let tells = |word: &str| word.contains(|c: char| c.is_ascii_digit() || c == '_');
    let free = |edit: &Edit| {
        others.iter().all(|(_, other)| {
            edit.is_apart(other, LINES_BETWEEN) && !edit::cancel(&lines, edit, other, tells)
        })
    };
    let places = if kind.fits(&set.name) { kind.edits(&set.text) } else { Vec::new() };
    let edits = draw.shuffled(places);
    edits.into_iter().filter(free).find(|edit| is_hidden_from_lint(set, before, edit))
}

/// Whether an edit changes the text and lint says nothing more than before.
fn is_hidden_from_lint(set: &DocumentSet, before: &Faults, edit: &Edit) -> bool {
    let planted = edit::applied(&set.text, core::slice::from_ref(edit)).0;
    planted != set.text && faults(set, &planted).is_subset(before)
}

/// What lint says, without the lines, which move.
type Faults = BTreeSet<(&'static str, String)>;

fn faults(set: &DocumentSet, text: &str) -> Faults {
    let document = |name: &str, text: &str| Document {
        path: name.to_owned(),
        content: LintedContent::Text(text.to_owned()),
    };
    let mut documents: Vec<Document> = set.upstream.iter().map(|(name, text)| document(name, text)).collect();
    documents.push(document(&set.name, text));
    let documents = Documents { documents, absent_files: BTreeSet::new() };
    let found = lint::check(&documents, &LintSettings::default());
    found.into_iter().map(|fault| (fault.rule.name(), fault.message)).collect()
}

fn built(set: &DocumentSet, mut edits: Vec<(PlantKind, Edit)>) -> Planted {
    edits.sort_by_key(|(_, edit)| edit.lines.start);
    let only: Vec<Edit> = edits.iter().map(|(_, edit)| edit.clone()).collect();
    let (text, places) = edit::applied(&set.text, &only);
    let plants = edits.iter().zip(places).map(|((kind, edit), place)| Plant {
        kind: *kind,
        file: set.name.clone(),
        line: if edit.new.is_empty() { place as u32 } else { place as u32 + 1 },
        lines: edit.new.len() as u32,
        what: edit.what.clone(),
        words: edit.words.clone(),
    });
    Planted { text, plants: plants.collect(), edits }
}

#[cfg(test)]
mod tests;
