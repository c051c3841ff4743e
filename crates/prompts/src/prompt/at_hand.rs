//! What a role is told to do with files that its prompt names and that it need not read whole.
//!
//! The list of files stands in the part of the prompt that lasts, the same for a first turn and for a later one. That a
//! later one opens only what it needs is said in its turn. Whoever mends code, simplifies it or writes tests never has to
//! read them whole, so its list says so itself (`stable::required_artifacts`).

use super::brief::Brief;
use super::stable::{NO_PRD, NONE, names_documents};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Prompt;
use redraft_facts::prelude::*;

/// What a reviewer that goes on does with files it is only given by their paths.
pub(super) const AT_HAND: &str = "\
    The document, and the files under Required Artifacts, are for reference: an earlier turn of your role has read them. Open \
    what a change or an open finding depends on, and confirm what you opened.\n";

/// The same of the documents that go with a change.
pub(super) const DOCUMENTS_AT_HAND: &str = "\
    The files under Required Artifacts are for reference: an earlier turn of your role has read them. Open what a change or an \
    open finding depends on, and confirm what you opened.\n";

/// What an author that mends a document does with what it was made from.
const SOURCES: &str = "\
    The files under Required Artifacts are for reference: the document was made from them, and they need not be read whole. \
    Open what a finding, or what you write, depends on, and confirm what you opened.\n";

/// The same, for an author that is given them by their paths.
pub(super) fn sources(brief: &Brief<'_>) -> String {
    let named = brief.strategy != Strategy::Inline && names_documents(brief.profile, &brief.place);
    if named { format!("\n{SOURCES}") } else { String::new() }
}

/// The paths that a prompt orders to be read before anything else.
pub fn ordered(prompt: &Prompt) -> Vec<String> {
    if is_at_hand(prompt) {
        return Vec::new();
    }
    let list = prompt.get("required-artifacts").unwrap_or_default();
    let items = list.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(": "));
    let paths = items.map(|(_, path)| path).filter(|path| *path != NO_PRD && !path.starts_with(NONE));
    paths.map(str::to_owned).collect()
}

/// Whether a prompt has its reader open the required artifacts only where it needs them.
pub fn is_at_hand(prompt: &Prompt) -> bool {
    let says = |name: &str, words: &str| prompt.get(name).is_some_and(|text| text.contains(words));
    says("task", SOURCES)
        || says("review-note", "Open what a change or an open finding depends on")
        || prompt.get("artifacts-at-hand").is_some()
}
