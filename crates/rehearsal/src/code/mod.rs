//! The rehearsal agent's work on code: it writes, simplifies, tests, reviews and mends, by rule.
//!
//! Everything here is texts in, texts out: [`World`] is all that a role knows. `class` decides what a requirement asks
//! for, `shell` has the program for each kind, `build` carries out tasks with it, `entry` puts the parts together;
//! `flaws` finds what reviewers report, `judge` is their answer, `fix` the implementer's. `job` reads the documents.
//! Files are read and written in [`crate::code_turn`].

pub(super) mod build;
mod class;
mod constants;
pub(super) mod deepen;
mod entry;
pub(super) mod fix;
mod flaws;
pub(super) mod job;
pub(super) mod judge;
pub(super) mod report;
mod shell;
pub(super) mod simplify;
mod source;
#[cfg(test)]
mod tests;

use crate::drafts::Kit;
use crate::parsed_document::Need;
use job::Job;
use std::collections::BTreeMap;

/// Texts by their paths.
pub(super) type Files = BTreeMap<String, String>;

/// What a role that deals with code knows.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    /// The code there is, as far as it is looked at.
    pub(super) files: &'a Files,
    /// The requirements, by their ids for comparing.
    pub(super) needs: &'a [(String, Need)],
    pub(super) jobs: &'a [Job],
    /// The tasks that are not looked for in the change.
    pub(super) left_out: &'a [String],
    /// Whether these are all files of the change: only then can something be missing.
    pub(super) whole: bool,
    /// The calls of the design, each with its interface.
    pub(super) calls: &'a [(String, String)],
    pub(super) kit: Kit,
    /// The scenario lets the implementer write the test and forget the code.
    pub(super) leaves_out_code: bool,
}

/// What a reviewer of code looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeReviewFocus {
    Implementation,
    Quality,
    Security,
}

impl CodeReviewFocus {
    pub(super) const ALL: [CodeReviewFocus; 3] =
        [CodeReviewFocus::Implementation, CodeReviewFocus::Quality, CodeReviewFocus::Security];

    /// Its checks, each with what is examined for it.
    pub(super) fn checks(self) -> &'static [(&'static str, &'static str)] {
        match self {
            CodeReviewFocus::Implementation => &[
                ("task-completeness", "looked for the test of every task"),
                (
                    "spec-compliance",
                    "compared every number with its requirement, and looked for every requirement",
                ),
                ("design-alignment", "looked for every call of the design"),
                ("prd-delivery", NO_RULE),
            ],
            CodeReviewFocus::Quality => &[
                ("readability", NO_RULE),
                ("kiss", "measured every function"),
                ("yagni", "looked for work that is left for later"),
                ("formatting", NO_RULE),
                ("flow", "looked for errors that end the program"),
            ],
            CodeReviewFocus::Security => &[
                ("injection", "looked for commands that are put together from texts"),
                ("auth", NO_RULE),
                ("crypto", NO_RULE),
                ("exposure", "looked for secrets, and for answers that tell too much"),
                ("config", NO_RULE),
            ],
        }
    }
}

/// The text for a check that nothing here can decide.
const NO_RULE: &str = "the rehearsal agent has no rule for this";
