//! The form of an answer about code: the same object as everywhere, with what its fields are for here.

use super::super::schema::form_of;
use super::super::stable::{CHECKED, REPORTED, RULED, form_with};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{Profile, ProfileKind};

const TASK: &str = include_str!("../../../texts/implementer-task-report.md");
const SIMPLIFIED: &str = include_str!("../../../texts/code-simplifier-report.md");
const TESTS: &str = include_str!("../../../texts/test-deepener-report.md");
const OUTLINE: &str = include_str!("../../../texts/test-outline-report.md");

/// In a fresh conversation.
pub(super) fn whole(profile: &Profile, purpose: Purpose, strategy: Strategy) -> Fragment {
    let fields = match profile.kind {
        ProfileKind::Author => work(purpose),
        ProfileKind::Domain | ProfileKind::Phase => format!(
            "{CHECKED}\
             - `verified`: each statement about something outside of the repository that you checked, where, and with what result, in few words.\n\
             {REPORTED}\
             - `category`: one of {}.\n\
             {RULED}",
            profile.categories.join(", ")
        ),
    };
    form_with(strategy, form_of(profile.kind, purpose), &fields)
}

/// The report of a role that worked on code, or that designed tests.
fn work(purpose: Purpose) -> String {
    const OPENED: &str = "- `verified`: the facts about existing code, libraries or services that your work rests on, and where you found them.\n";
    let report = |approved: &str, summary: &str, report: &str| {
        format!(
            "- `checks`: your report, one entry for each of these names, with the text as its `note`; `passed` is true where nothing else is said.\n{report}{OPENED}\
             - `summary`: {summary}\n\
             - `approved`: {approved}.\n"
        )
    };
    match purpose {
        Purpose::Implement => report(
            "true if every done criterion is met, else false",
            "what was done, in one or two sentences; if there was nothing left to do: \"Task already complete\".",
            TASK,
        ),
        Purpose::Simplify => report("true", "what was made simpler, in one or two sentences.", SIMPLIFIED),
        Purpose::Tests => report(
            "true once the outline is dealt with, whether its tests pass or not",
            "how many tests were written, and how many fail because code and documents disagree.",
            TESTS,
        ),
        Purpose::Outline => format!("- `approved`: true.\n{OUTLINE}- `verified`: empty.\n"),
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Review
        | Purpose::Validate
        | Purpose::Certify
        | Purpose::Repair
        | Purpose::Retro
        | Purpose::Judge
        | Purpose::Probe => format!(
            "- `approved`: true; the code is finished.\n\
             - `summary`: what you changed and where, by finding id; the reviewers are shown it.\n\
             - `answers`: one for every finding you were given, under its id or ids.\n{OPENED}"
        ),
    }
}
