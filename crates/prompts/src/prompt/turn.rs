//! The fragments of one dispatch: what is under review, what changed, what is open, which round it is.
//!
//! Everything here that somebody else wrote is fenced or kept on one line, so that it can neither end its own
//! fence nor pass for a heading of ours. Which of these a prompt has is decided in `build`.

use super::at_hand;
use super::brief::{Brief, DomainResult};
use super::open;
use super::schema::form_of;
use super::sizes::FIELD_CHARS_MAX;
use super::stable::{file_name, header, label};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::{self, one_line};
use redraft_facts::ticket::Purpose;
use redraft_facts::verdict::Severity;
use redraft_roles::profile::ProfileKind;

/// What a reviewer reports of its checks where it is asked about changes only.
pub(super) const CHECKS_OF_A_CHANGE: &str =
    "A check on which no change bears passes, with the note `not touched`.";

/// As much of the reason as tells what to do better.
const VOID_CHARS_MAX: usize = 400;

/// The name of the fragment that says which round it is.
pub(super) const ITERATION: &str = "iteration";

/// What earlier features taught. It came from files of the repository, so it is fenced like everything that others wrote.
pub(super) fn lessons(brief: &Brief<'_>) -> Option<Fragment> {
    if brief.lessons.is_empty() {
        return None;
    }
    let intro = match brief.profile.kind {
        ProfileKind::Author => {
            "Lessons of earlier features of this repository that may bear on this one: check whether they apply to what you \
             write; they are not rules."
        }
        ProfileKind::Domain | ProfileKind::Phase => {
            "Lessons of earlier features of this repository that may bear on this one: check whether they apply to what you \
             review; they are not rules, and none is a finding without a fault that you can cite."
        }
    };
    let list = text::fenced("text", &format!("{}\n", brief.lessons.join("\n")));
    Some(Fragment::new("lessons", format!("## Lessons of Earlier Features\n\n{intro}\n\n{list}")))
}

pub(super) fn draft_task(brief: &Brief<'_>) -> Fragment {
    let path = brief.place.artifact;
    Fragment::new(
        "task",
        format!(
            "## Task\n\nWrite {path}\n\n\
             It is the first version, made from the idea and the required artifacts. Write the whole document into \
             that file; your answer reports on it and does not repeat it.\n"
        ),
    )
}

pub(super) fn revise_task(brief: &Brief<'_>) -> Fragment {
    let path = brief.place.artifact;
    let sources = at_hand::sources(brief);
    let text = format!(
        "## Task\n\nRevise {path}\n\nRead that file whole before you change it: it is the current version. {}\n{}{sources}",
        work(brief, "Open Findings"),
        unchanged(brief)
    );
    Fragment::new("task", text)
}

/// Tells a continued conversation what it has and what to do with what follows.
pub(super) fn resume_note(brief: &Brief<'_>) -> Fragment {
    let name = file_name(brief.place.artifact);
    // A document by itself builds on none.
    let upstream = if brief.profile.artifacts.is_empty() { "" } else { "the upstream artifacts and " };
    let text = match (brief.profile.kind, brief.purpose) {
        (ProfileKind::Author, _) => format!(
            "You already have {upstream}your last version of {name} in context from your previous turn. {} on disk is \
             that version{}.\n\n{}\n{}",
            brief.place.artifact,
            if brief.delta.is_some() { ", with what others have changed since" } else { "" },
            work(brief, "New Issues to Fix"),
            unchanged(brief)
        ),
        (ProfileKind::Domain | ProfileKind::Phase, Purpose::Validate) => format!(
            "You already have {upstream}the previous version of {name} in context from your prior review at iteration {}, in which you approved it. Since then the file was changed.\n\n\
             Check whether your approval still holds. Go through every hunk of the changes and through every place \
             that depends on what it touches, and put your checks to them. A new finding may lie anywhere in the file.\
             \n{}",
            brief.last_round,
            open::ruling_on(brief)
        ),
        (ProfileKind::Domain | ProfileKind::Phase, _) if brief.is_same_again() => format!(
            "You already have {upstream}{name} in context from your prior review. Nothing in the file has changed since \
             then{}. Do this and no more:\n\n{}",
            open::declines(brief, "yours"),
            open::steps_without_changes(brief)
        ),
        (ProfileKind::Domain | ProfileKind::Phase, _) => format!(
            "You already have {upstream}the previous version of {name} in context from your prior review. What changed in the file since then stands below. Do this and no more:\n\n{}",
            open::steps_of_a_rereview(brief)
        ),
    };
    Fragment::new("resume-note", text)
}

/// The artifact under review: what it is and, if it is to be given `whole`, its text.
pub(super) fn artifact(brief: &Brief<'_>, whole: bool) -> Fragment {
    let path = brief.place.artifact;
    let heading = format!("## {} Under Review\n\n", label(path));
    let Some(bytes) = brief.artifact else {
        return Fragment::new("artifact", format!("{heading}{path}: not there\n"));
    };
    let header = header(path, bytes);
    let body = match whole {
        true => format!("\n{}", text::fenced("markdown", &String::from_utf8_lossy(bytes))),
        false if brief.goes_on() || brief.profile.kind == ProfileKind::Phase => String::new(),
        false => "\nIt is on disk as it is to be judged. Read all of it before you judge it.\n".to_owned(),
    };
    Fragment::new("artifact", format!("{heading}{header}{body}"))
}

/// What changed since a reviewer last saw the artifact.
pub(super) fn delta(brief: &Brief<'_>) -> Option<Fragment> {
    let heading = match brief.purpose {
        Purpose::Validate => "Changes Since Your Last Review",
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Review
        | Purpose::Certify
        | Purpose::Repair
        | Purpose::Implement
        | Purpose::Simplify
        | Purpose::Outline
        | Purpose::Tests
        | Purpose::Retro
        | Purpose::Judge
        | Purpose::Probe => "Delta",
    };
    // Where nothing has changed, the note says so.
    let body = match brief.delta.filter(|_| !brief.is_same_again())? {
        "" => "The file is as you last saw it.\n".to_owned(),
        diff => text::fenced("diff", diff),
    };
    Some(Fragment::new("delta", format!("## {heading}\n\n{body}")))
}

pub(super) fn changes_by_others(brief: &Brief<'_>) -> Option<Fragment> {
    let diff = text::fenced("diff", brief.delta.filter(|diff| !diff.is_empty())?);
    let text = format!(
        "## Changes Since Your Last Version\n\n\
         Others changed the file. What they changed stays, unless a finding below says otherwise:\n\n{diff}"
    );
    Some(Fragment::new("changes-by-others", text))
}

pub(super) fn fix_summary(brief: &Brief<'_>) -> Option<Fragment> {
    let all = brief.fix_summaries;
    if all.is_empty() {
        return None;
    }
    let who = if brief.code.is_some() { "implementer" } else { "author" };
    let said = match brief.delta {
        _ if brief.is_same_again() => "; nothing was changed",
        Some(_) => " was done; the changes above show what was",
        None => " was done about what is open below, and why something was left",
    };
    let mut text = format!("## Fix Summary\n\nWhat the {who} says{said}.\n");
    for (at, summary) in all.iter().enumerate() {
        if all.len() > 1 {
            text.push_str(&format!("\nRevision {} of {}:\n", at + 1, all.len()));
        }
        text.push_str(&format!("\n{}", text::fenced("text", &joined(summary))));
    }
    Some(Fragment::new("fix-summary", text))
}

/// The same for a reviewer that has not judged in this loop, and is asked about findings from an earlier pass.
pub(super) fn fix_summary_of_findings(brief: &Brief<'_>) -> Option<Fragment> {
    fix_summary(brief).filter(|_| !brief.findings.is_empty())
}

/// A summary in which what was said of several findings in the same words stands once: `- I1, Q1: fixed. Why`.
fn joined(summary: &str) -> String {
    let mut lines: Vec<(String, &str)> = Vec::new();
    for line in summary.lines() {
        let answer = line.trim_start().strip_prefix("- ").and_then(|line| line.split_once(": "));
        match (answer, lines.last_mut()) {
            (Some((id, words)), Some((ids, last))) if !words.is_empty() && *last == words => {
                ids.push_str(&format!(", {id}"))
            }
            (Some((_, words)), _) => {
                let before = line.strip_suffix(words).and_then(|line| line.strip_suffix(": "));
                lines.push((before.unwrap_or(line).to_owned(), words));
            }
            (None, _) => lines.push((line.to_owned(), "")),
        }
    }
    let line = |(before, words): (String, &str)| match words {
        "" => format!("{before}\n"),
        words => format!("{before}: {words}\n"),
    };
    lines.into_iter().map(line).collect()
}

pub(super) fn domain_outcome(brief: &Brief<'_>) -> Option<Fragment> {
    let outcome = brief.outcome.filter(|_| brief.profile.kind == ProfileKind::Phase)?;
    let result = match outcome.result {
        DomainResult::Approved { round, max, revision } => {
            format!("APPROVED at iteration {round}/{max}, revision {}", revision.short())
        }
        DomainResult::Failed { round, max, revision } if round < max => {
            format!("FAILED, accepted by a person at iteration {round}/{max}, revision {}", revision.short())
        }
        DomainResult::Failed { max, revision, .. } => {
            format!("FAILED at iteration cap ({max}/{max}), revision {}", revision.short())
        }
    };
    let unresolved: Vec<String> = (open::current(brief, outcome.unresolved).iter())
        .filter(|finding| finding.severity > Severity::Suggestion)
        .map(|finding| format!("\n  {}", open::headline(finding)))
        .collect();
    let unresolved = if unresolved.is_empty() { " none".to_owned() } else { unresolved.concat() };
    let text = format!(
        "## Domain Reviewer Outcome\n\n- Reviewer: {}\n- Result: {result}\n- Unresolved issues:{unresolved}\n",
        outcome.reviewer
    );
    Some(Fragment::new("domain-outcome", text))
}

pub(super) fn gate(brief: &Brief<'_>) -> Option<Fragment> {
    let evidence = text::fenced("text", brief.gate?);
    let text = format!(
        "## Failed Mechanical Check\n\n\
         The engine checks the text mechanically before any reviewer is asked. This failed on the current version and \
         is checked again after your turn:\n\n{evidence}"
    );
    Some(Fragment::new("gate", text))
}

/// Mechanical faults that hold nothing up. The author may mend them; a reviewer need not find them.
pub(super) fn lint(brief: &Brief<'_>) -> Option<Fragment> {
    if brief.lint.is_empty() {
        return None;
    }
    let intro = match brief.profile.kind {
        ProfileKind::Author => {
            "A mechanical check warns of these places in the current version: mend those where the warning is right, even where \
             no finding reaches them, leave the text where it is wrong, and give them no entry in `answers`."
        }
        ProfileKind::Domain | ProfileKind::Phase => {
            "A mechanical check gave these warnings. The author is shown them too, so none of them is a finding by itself; a \
             failure that follows from one is a finding like any other."
        }
    };
    let list: String =
        brief.lint.iter().map(|line| format!("- {}\n", one_line(line, FIELD_CHARS_MAX))).collect();
    Some(Fragment::new("lint", format!("## Lint Warnings\n\n{intro}\n\n{list}")))
}

/// Which review it is. A first review by a role that is not told (`Profile::iteration_from`) has none, and neither have
/// authors, who are told what is open instead (I7).
pub(super) fn iteration(brief: &Brief<'_>) -> Option<Fragment> {
    let Brief { round, rounds_max, purpose, .. } = brief;
    let told_from = brief.profile.iteration_from;
    // Fresh eyes read like a first reader.
    let as_first = *purpose == Purpose::Certify && told_from > 1;
    if (as_first || (*purpose == Purpose::Review && *round < told_from)) && !brief.unavailable {
        return None;
    }
    let mut text = "## Iteration Context\n\n".to_owned();
    let by_itself = brief.code.is_some_and(|code| code.by_itself);
    // Where the changes are told, so is why it is asked again.
    let whole = matches!(brief.strategy, Strategy::Lazy | Strategy::Inline) && !brief.goes_on();
    text.push_str(&match purpose {
        Purpose::Validate if by_itself && whole => format!(
            "This is iteration {round} of {rounds_max}: your role approved an earlier version of the change, which went \
             on since. Perform a full regression check of the change as it is now; a new finding may lie anywhere in it.\n"
        ),
        Purpose::Validate if by_itself => format!("This is iteration {round} of {rounds_max}.\n"),
        Purpose::Validate if brief.code.is_some() && whole => format!(
            "This is the final validation round (iteration {round} of {rounds_max}): your role approved an earlier \
             version of the change, and others had it altered since. Perform a full regression check of the change as it \
             is now; a new finding may lie anywhere in it.\n"
        ),
        Purpose::Validate if whole => format!(
            "This is the final validation round (iteration {round} of {rounds_max}): your role approved an earlier \
             version, and the file was changed since. Judge the document as it is now; a new finding may lie anywhere \
             in it.\n"
        ),
        Purpose::Validate => {
            format!("This is the final validation round (iteration {round} of {rounds_max}).\n")
        }
        _ => format!("This is iteration {round} of {rounds_max}.\n"),
    });
    if brief.unavailable {
        text.push_str("(Fresh dispatch — prior review session unavailable.)\n");
    }
    Some(Fragment::new(ITERATION, text))
}

/// What was wrong with the answer that this one replaces. It may hold words of that answer, so it stays on its line.
pub(super) fn void(brief: &Brief<'_>) -> Option<Fragment> {
    let why = one_line(brief.void?, VOID_CHARS_MAX);
    let text = format!("## Earlier Answer\n\nAn earlier answer of your role could not be used: {why}\n");
    (!why.is_empty()).then(|| Fragment::new("earlier-answer", text))
}

pub(super) fn repair(brief: &Brief<'_>) -> Fragment {
    let why = text::fenced("text", brief.repair.unwrap_or("no verdict could be read from it"));
    let text = format!(
        "## Your Last Answer Could Not Be Used\n\n{why}\n\
         Give the whole answer once more with that put right.\n"
    );
    Fragment::new("repair", text)
}

/// The form once more, with what its fields are for in this turn.
pub(super) fn return_short(brief: &Brief<'_>) -> Fragment {
    let mut fields = String::new();
    if !brief.findings.is_empty() {
        fields.push_str(match brief.profile.kind {
            // What several reviewers found stands there once, under all its ids.
            ProfileKind::Author => "- `answers`: one for every finding above, under its id or ids.\n",
            ProfileKind::Domain | ProfileKind::Phase => "- `answers`: one entry for every id above.\n",
        });
    }
    let work = if brief.code.is_some() { "code" } else { "file" };
    fields.push_str(&match (brief.profile.kind, brief.purpose) {
        (_, Purpose::Repair) => "- every other field: as it was asked for before.\n".to_owned(),
        (ProfileKind::Author, _) => format!(
            "- `summary`, `verified`: as before, of the {work} as it is now.\n\
             - `files_read`: every file you opened in this turn.\n"
        ),
        (ProfileKind::Domain | ProfileKind::Phase, _) => format!(
            "- `checks`: one entry for every check of your role. {CHECKS_OF_A_CHANGE}\n\
             - `verified`, `files_read`: what you checked and opened in this turn.\n"
        ),
    });
    // Whose answer could not be used is shown the form itself; the others have it in their conversation.
    let form = match brief.purpose {
        Purpose::Repair => format!(
            " Every field is required; an empty text, an empty list or 0 means none.\n\n{}",
            text::fenced("json", form_of(brief.profile.kind, brief.purpose))
        ),
        _ => " Its fields are `files_read`, `checks`, `verified`, `issues`, `answers`, `summary`, `approved`.\n"
            .to_owned(),
    };
    let text = format!(
        "## Your Answer\n\nOne JSON object of the same form as before, and nothing after it.{form}\n{fields}"
    );
    Fragment::new("return-short", text)
}

/// What an author has to deal with, by the headings it is listed under.
fn work(brief: &Brief<'_>, findings_heading: &str) -> String {
    let findings = (!brief.findings.is_empty()).then(|| format!("every id under {findings_heading}"));
    let gate = brief.gate.map(|_| "what Failed Mechanical Check reports".to_owned());
    let items: Vec<String> = [gate, findings].into_iter().flatten().collect();
    if items.is_empty() {
        return "Make it complete and consistent again.".to_owned();
    }
    format!("Deal with {}, in the file itself.", items.join(" and with "))
}

/// An author that answers without changing anything would loop forever.
fn unchanged(brief: &Brief<'_>) -> String {
    if !brief.unchanged {
        return String::new();
    }
    let ids: Vec<&str> = brief.findings.iter().map(|finding| finding.id.as_str()).collect();
    let open = match (ids.is_empty(), brief.gate.is_some()) {
        (false, _) => format!("These findings are open: {}.", ids.join(", ")),
        (true, true) => "The mechanical check still fails.".to_owned(),
        (true, false) => "What you were asked for is still to be done.".to_owned(),
    };
    format!(
        "\nThe last turn left {} as it was and answered nothing that is open. {open} The file must change; where you hold \
         a finding to be wrong, answer it with `not_fixed` and quote what shows it, and whoever raised it is asked.\n{}",
        brief.place.artifact,
        said(brief)
    )
}

/// What the author's last turn said, for a conversation that does not remember it.
pub(super) fn said(brief: &Brief<'_>) -> String {
    match (brief.strategy, brief.said.trim()) {
        (Strategy::Resume, _) | (_, "") => String::new(),
        (_, said) => format!("It said:\n\n{}", text::fenced("text", said)),
    }
}

/// The fragments that are there.
pub(super) fn present<const N: usize>(fragments: [Option<Fragment>; N]) -> Vec<Fragment> {
    fragments.into_iter().flatten().collect()
}
