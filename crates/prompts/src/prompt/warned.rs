//! What reviewers warned of in the document that somebody builds on, and approved all the same.
//!
//! It is for those who write next: the author of that document has no further turn. Agents wrote it, so every warning
//! stays on its line.

use super::brief::Warned;
use super::sizes::{FIELD_CHARS_MAX, WARNED_CHARS_MAX, WARNED_MAX};
use redraft_facts::findings::Finding;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

/// None where there is nothing to be told.
pub(super) fn fragment(warned: &Warned<'_>) -> Option<Fragment> {
    let shown: String = warned.findings.iter().take(WARNED_MAX).map(|one| line(one)).collect();
    if shown.is_empty() {
        return None;
    }
    let text = format!(
        "## Warnings about {}\n\nIts reviewers approved it with these open. Nobody has to answer them, and that document is \
         not yours to change. Where one bears on what you write, do not carry it on: choose the reading that avoids it, and say \
         which one, in your file or your report.\n\n{shown}",
        one_line(warned.document, FIELD_CHARS_MAX)
    );
    Some(Fragment::new("warned", text))
}

fn line(one: &Finding) -> String {
    let place = one_line(&one.place(), WARNED_CHARS_MAX);
    format!("- {} (at: {place})\n", one_line(&one.description, WARNED_CHARS_MAX))
}
