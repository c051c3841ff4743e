//! What a reviewer is told that goes on with the review of its role in a new conversation: what changed, and what to do.
//!
//! A second walk through the whole finds other things than the first, mostly small ones, and never ends. So it is asked
//! to rule on what is open and to read what changed, as in the conversation of the first review, and the document is
//! there to look things up in.

use super::at_hand::{AT_HAND, DOCUMENTS_AT_HAND};
use super::brief::Brief;
use super::open;
use super::stable::{file_name, names_documents};
use super::turn::CHECKS_OF_A_CHANGE;
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

/// How much of the document under review the prompt has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Whole,
    /// The sections that the changes and the open findings touch.
    Part,
    /// Its path.
    Path,
}

impl Shown {
    pub(super) fn new(strategy: Strategy, whole: bool) -> Shown {
        match (strategy, whole) {
            (Strategy::Digest, _) => Shown::Part,
            (_, true) => Shown::Whole,
            (_, false) => Shown::Path,
        }
    }
}

pub(super) fn note(brief: &Brief<'_>, shown: Shown) -> Fragment {
    if brief.is_same_again() {
        return same(brief);
    }
    let name = file_name(brief.place.artifact);
    let (said, task) = match brief.purpose {
        Purpose::Validate => (
            format!("approved {name} at iteration {}", brief.last_round),
            format!(
                "Since then the file was changed. Check whether the approval still holds: go through \
                 every hunk and through every place that depends on what it touches, and put your checks to them. A \
                 new finding may lie anywhere in the file.\n{}",
                open::ruling_on(brief)
            ),
        ),
        _ => {
            (open::left(brief, name), format!("Do this and no more:\n\n{}", open::steps_of_a_rereview(brief)))
        }
    };
    let (note, with) = match shown {
        Shown::Part => ("digest-note", ", with the sections that the changes and the open findings touch"),
        Shown::Whole => ("review-note", ", and after it the whole document for reference"),
        Shown::Path => ("review-note", ""),
    };
    let walk = if shown == Shown::Part { "" } else { WALKED };
    let look = match shown {
        Shown::Part => format!(
            "\nWhere a change depends on a part of {name} that is not below, open {} and look at that part.\n",
            brief.place.artifact
        ),
        Shown::Path => format!("\n{AT_HAND}"),
        Shown::Whole => String::new(),
    };
    let text = format!(
        "## What You Are Given\n\n\
         An earlier turn of your role walked the whole document and {said}. You continue that review without its \
         memory: what changed since then stands below{with}. {walk}{CHECKS_OF_A_CHANGE} {task}{look}"
    );
    Fragment::new(note, text)
}

/// A prompt that has the walk of the role says that it is done.
pub(super) const WALKED: &str = "The Walk of your role is not done again. ";

/// The same where nothing has changed, about a document or about code.
pub(super) fn same(brief: &Brief<'_>) -> Fragment {
    let (subject, name) = match brief.code {
        Some(_) => ("change", ""),
        None => ("document", file_name(brief.place.artifact)),
    };
    let (left, declines) = (open::left(brief, name), open::declines(brief, "your role"));
    let at_hand = match brief.strategy {
        Strategy::Lazy if brief.code.is_none() => AT_HAND,
        Strategy::Lazy if names_documents(brief.profile, &brief.place) => DOCUMENTS_AT_HAND,
        Strategy::Lazy | Strategy::Inline | Strategy::Digest | Strategy::Resume => "",
    };
    let at_hand = if at_hand.is_empty() { String::new() } else { format!("\n{at_hand}") };
    let text = format!(
        "## What You Are Given\n\n\
         An earlier turn of your role walked the whole {subject} and {left}. You \
         continue that review without its memory. Nothing has changed since then{declines}. The {subject} is for \
         reference. The Walk of your role is not done again. {CHECKS_OF_A_CHANGE} Do this and no more:\n\n{}{at_hand}",
        open::steps_without_changes(brief)
    );
    Fragment::new("review-note", text)
}
