//! Makes the bundle that the facilitator of a retrospective is sent: phases, review history, implementation log, git
//! summary, artifact sizes, in this order.
//!
//! All of it comes from the ledger and from git, and it has a bound: what is longer is cut in its middle, with a note,
//! because how something began and how it ended say most. Start at [`bundle`].

use super::FeatureChange;
use super::figures::{Figure, Figures, UNKNOWN};
use crate::projections::{history_of_roles, implementation_log_of_roles};
use redraft_core::pipeline::Pipeline;
use redraft_core::review::{Loop, LoopEnd};
use redraft_facts::event::Entry;
use redraft_facts::prelude::*;
use redraft_facts::text::{fenced, one_line};
use redraft_facts::usage::{Usd, grouped};

/// For the review history: some 13,000 tokens, which holds every round of most features.
const HISTORY_CHARS_MAX: usize = 40_000;
/// For the implementation log: what was decided in some forty tasks.
const LOG_CHARS_MAX: usize = 20_000;
/// Files that are listed; a longer list says no more than its length.
pub(super) const FILES_MAX: usize = 200;
const SIZES_MAX: usize = 50;
const PATH_CHARS_MAX: usize = 200;

/// What stands where there is no log.
const NO_LOG: &str = "No implementation log available";

pub fn bundle(
    figures: &Figures,
    pipeline: &Pipeline,
    entries: &[Entry],
    change: &FeatureChange,
    sizes: &[(String, u64)],
) -> String {
    let log = implementation_log_of_roles(entries);
    let log =
        log.map_or(format!("{NO_LOG}\n"), |log| fenced("markdown", &shortened(&said(&log), LOG_CHARS_MAX)));
    let folder = pipeline.created.as_ref().map(|created| format!("{}/", created.folder()));
    let history = told(&history_of_roles(entries), folder.as_deref().unwrap_or_default());
    let history = fenced("markdown", &shortened(&history, HISTORY_CHARS_MAX));
    [
        format!("## Phases\n\n{}", phases(figures, pipeline)),
        format!("## Review History\n\n{history}"),
        format!("## Implementation Log\n\n{log}"),
        format!("## Git Summary\n\n{}", git_summary(change)),
        format!("## Artifact Sizes\n\n{}", artifact_sizes(sizes)),
    ]
    .join("\n")
}

/// The log without the parts in which somebody had nothing to say.
fn said(log: &str) -> String {
    log.split_inclusive('\n').filter(|line| !line.ends_with(":** none\n")).collect()
}

/// The history without what teaches nothing: revisions, times and tickets, what was looked up, and who approved at the end or
/// before, which the reviews say. Files of the feature stand by their names.
fn told(history: &str, folder: &str) -> String {
    const IDLE: [&str; 4] = ["- Revision: ", "- Approved by ", "- Verified: ", "- Skipped: "];
    let idle = |line: &&str| {
        IDLE.iter().any(|begin| line.starts_with(begin)) && !line.ends_with("(nothing was changed)")
    };
    let kept = history.lines().filter(|line| !idle(line));
    let mut out = String::new();
    for line in kept {
        let line = match line.strip_prefix("## ").and_then(|_| line.rsplit_once(" — ")) {
            Some((heading, _)) => heading,
            None => line,
        };
        let line = match line.split_once(" (").filter(|_| line.starts_with("- Reviewer: ")) {
            Some((reviewer, how)) if how.ends_with(", same hand)") => format!("{reviewer} (same hand)"),
            Some((reviewer, _)) => reviewer.to_owned(),
            None => line.to_owned(),
        };
        let line = if folder.len() > 1 { line.replace(folder, "") } else { line };
        // What is empty now is not announced by two blank lines.
        if !(line.is_empty() && out.ends_with("\n\n")) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

/// How each phase ended, then the figures under the names that a text uses for them: without those that are zero or that
/// nobody can know.
fn phases(figures: &Figures, pipeline: &Pipeline) -> String {
    let mut out = String::new();
    for one in pipeline.past.iter().chain(&pipeline.open) {
        out.push_str(&format!("- {} pass {}: {}\n", one.opened.phase, one.opened.pass, ended(one)));
    }
    for phase in &pipeline.skipped {
        out.push_str(&format!("- {phase}: left out by a person\n"));
    }
    out.push_str("\n| name | figure |\n|---|---|\n");
    let says = |figure: &Figure| {
        figure.value != Some(0) && figure.text != UNKNOWN && figure.text != Usd(0).to_string()
    };
    // What is the same in every phase, or follows from the whole, is named once.
    let again = |figure: &Figure| {
        let last = figure.name.split_once('.').map(|(_, last)| last);
        match last {
            Some("unknown_bills") => true,
            Some("passes") => figure.value == Some(1),
            _ => false,
        }
    };
    for figure in figures.named().into_iter().filter(|figure| says(figure) && !again(figure)) {
        out.push_str(&format!("| {{{}}} | {} |\n", figure.name, figure.text));
    }
    out
}

fn ended(one: &Loop) -> &'static str {
    match &one.end {
        Some(LoopEnd::Closed(closed)) if closed.approvals.is_empty() => "closed without an approval",
        Some(LoopEnd::Closed(_)) => "closed",
        Some(LoopEnd::Superseded) => "superseded by a later pass or another lane",
        Some(LoopEnd::Skipped) => "left out by a person",
        Some(LoopEnd::Abandoned) => "abandoned",
        None => "open",
    }
}

/// The files of a change with what was added and removed in each.
pub(super) fn git_summary(change: &FeatureChange) -> String {
    if change.files.is_empty() {
        return "No file was changed.\n".to_owned();
    }
    let mut list = String::new();
    for (path, added, removed) in change.files.iter().take(FILES_MAX) {
        list.push_str(&format!("{} +{added} -{removed}\n", one_line(path, PATH_CHARS_MAX)));
    }
    let more = change.files.len().saturating_sub(FILES_MAX);
    if more > 0 {
        list.push_str(&format!("and {more} more files, which are not listed\n"));
    }
    fenced("", &list)
}

fn artifact_sizes(sizes: &[(String, u64)]) -> String {
    if sizes.is_empty() {
        return "No artifact.\n".to_owned();
    }
    let line = |(name, bytes): &(String, u64)| {
        format!("{}: {} bytes\n", one_line(name, PATH_CHARS_MAX), grouped(*bytes))
    };
    let mut list: String = sizes.iter().take(SIZES_MAX).map(line).collect();
    let more = sizes.len().saturating_sub(SIZES_MAX);
    if more > 0 {
        list.push_str(&format!("and {more} more, which are not listed\n"));
    }
    fenced("", &list)
}

/// A text of at most so many characters: whole, or its beginning and its end with a note between them.
pub(super) fn shortened(text: &str, chars_max: usize) -> String {
    let chars = text.chars().count();
    if chars <= chars_max {
        return text.to_owned();
    }
    let half = chars_max / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(chars - half).collect();
    let left_out = grouped((chars - 2 * half) as u64);
    format!("{head}\n\n[… {left_out} characters are left out here …]\n\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_is_told_without_what_teaches_nothing() {
        let history = "# Review history: 001-x\n\n## Changes made by spec-author — 2026-11-18 14:14:59 UTC\n\
            - Revision: d7adfefa\n- Summary: docs/features/001-x/spec.md is there\n\n\
            ## specify stage 1, iteration 1 — 2026-11-18 14:14:59 UTC\n\
            - Reviewer: spec-reviewer (lazy, 001/specify.1/review/spec-reviewer/1.1)\n- Decision: approved\n\
            - Verified: a, b: c\n\n## specify closed — 2026-11-18 14:15:05 UTC\n- Revision: d7adfefa\n\
            - Approved by spec-reviewer (001/specify.1/review/spec-reviewer/1.1)\n\n\
            ## design stage 1, iteration 1 — 2026-11-18 14:15:07 UTC\n\
            - Reviewer: design-reviewer (lazy, 001/design.1/review/design-reviewer/1.1, same hand)\n\n\
            ## Changes made by spec-author — 2026-11-18 14:15:09 UTC\n- Revision: d7adfefa (nothing was changed)\n";
        let expected = "# Review history: 001-x\n\n## Changes made by spec-author\n- Summary: spec.md is there\n\n\
            ## specify stage 1, iteration 1\n- Reviewer: spec-reviewer\n- Decision: approved\n\n## specify closed\n\n\
            ## design stage 1, iteration 1\n- Reviewer: design-reviewer (same hand)\n\n\
            ## Changes made by spec-author\n- Revision: d7adfefa (nothing was changed)\n";
        assert_eq!(told(history, "docs/features/001-x/"), expected);
    }

    #[test]
    fn what_teaches_nothing_is_not_sent() {
        let log = "## Task 1: Store\n- **Files changed:** a.rs\n- **Deviations:** none\n- **Concerns:** none of it scales\n";
        assert_eq!(
            said(log),
            "## Task 1: Store\n- **Files changed:** a.rs\n- **Concerns:** none of it scales\n"
        );
        let history = "## implement stage 1, iteration 1 — 2026\n- Reviewer: security-reviewer (resume)\n- Skipped: x (approved already)\n- [warning] X1: y (at: docs/f/a.md:1)\n";
        let wanted = "## implement stage 1, iteration 1\n- Reviewer: security-reviewer\n- [warning] X1: y (at: a.md:1)\n";
        assert_eq!(told(history, "docs/f/"), wanted);
    }
}
