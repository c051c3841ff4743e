//! The fragments of one dispatch about code: what to do, what changed, how the project's checks ended.

use super::super::again;
use super::super::at_hand;
use super::super::brief::Brief;
use super::super::change;
use super::super::code_brief::{CHECK_TOOL, CheckResult, CodeBrief, RECHECKS_MAX};
use super::super::open;
use super::super::removed;
use super::super::sizes::{FIELD_CHARS_MAX, OUTPUT_CHARS_MAX};
use super::super::stable::{names_documents, shown_check};
use super::super::turn::{CHECKS_OF_A_CHANGE, said};
use redraft_documents::delta::Delta;
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::{self, one_line};
use redraft_facts::ticket::Purpose;

/// How the project's checks ended on what a reviewer sees.
pub(super) fn results(brief: &Brief<'_>, code: &CodeBrief<'_>) -> Option<Fragment> {
    if code.results.is_empty() {
        return None;
    }
    let mut text = "## Project Checks\n\nThe engine ran these on what you see, in a folder in which nobody has worked:\n\n"
        .to_owned();
    for one in code.results {
        let end = if one.passed { "passed" } else { "failed, and a person decided to go on" };
        text.push_str(&format!("- {}: {end}\n", shown_check(&one.check)));
    }
    let told = brief.strategy == Strategy::Resume;
    if code.may_recheck && told {
        text.push_str(&format!(
            "\n`{CHECK_TOOL}` runs one once more, as before, at most {RECHECKS_MAX} times.\n"
        ));
    } else if code.may_recheck {
        text.push_str(&format!(
            "\nWhere only a run can settle whether a failure is real, have a check run once more, or one test of it \
             alone, with the tool `{CHECK_TOOL}`: it runs on a copy of what you see, at most {RECHECKS_MAX} times. \
             What it prints can be quoted, with the evidence [ran].\n"
        ));
    }
    let printed: Vec<(&CheckResult<'_>, &str)> = (code.results.iter())
        .map(|one| (one, end_of(one.output)))
        .filter(|(_, printed)| !printed.trim().is_empty())
        .collect();
    if !printed.is_empty() {
        text.push_str("\nThe end of what they printed; a finding that rests on it has the evidence [ran]:\n");
    }
    for (one, printed) in printed {
        let name = one_line(one.check.name, FIELD_CHARS_MAX);
        text.push_str(&format!("\n{name}:\n\n{}", text::fenced("text", printed)));
    }
    Some(Fragment::new("check-results", text))
}

/// The last lines of an output, as many as there is room for.
fn end_of(output: &str) -> &str {
    let mut chars = 0;
    let mut begin = output.len();
    for line in output.split_inclusive('\n').rev() {
        chars += line.chars().count();
        if chars > OUTPUT_CHARS_MAX {
            break;
        }
        begin -= line.len();
    }
    output.get(begin..).unwrap_or_default()
}

/// The description of a change that is reviewed by itself: of all of it, or of what is `new`.
pub(super) fn intent(code: &CodeBrief<'_>, new: bool) -> Option<Fragment> {
    let said = code.intent.filter(|said| !said.trim().is_empty())?;
    let (heading, of) = match new {
        false => ("Stated Intent", "of this change"),
        true => ("Stated Intent of What Is New", "of what is new since your last review"),
    };
    let text = format!(
        "## {heading}\n\nWhat its commits, or whoever asks for the review, say {of}. It tells you what is wanted, as a \
         requirement does; whether that was done, only the code shows.\n\n{}",
        text::fenced("text", said)
    );
    Some(Fragment::new("intent", text))
}

/// Why a reviewer that has approved is asked again.
fn went_on(brief: &Brief<'_>) -> &'static str {
    match brief.code.is_some_and(|code| code.by_itself) {
        true => "Since then the change went on",
        false => "Since then fixes were made to answer other reviewers",
    }
}

/// Tasks that reviewers are not to expect.
pub(super) fn left_out(code: &CodeBrief<'_>) -> Option<Fragment> {
    if code.left_out.is_empty() {
        return None;
    }
    let mut text =
        "## Tasks Left Out\n\nA person decided to go on without these tasks; that they are not done is no finding:\n\n"
            .to_owned();
    for one in code.left_out {
        let line = |value: &str| one_line(value, FIELD_CHARS_MAX);
        let why = if one.why.trim().is_empty() { "no reason given".to_owned() } else { line(one.why) };
        text.push_str(&format!("- {} {}: {why}\n", line(one.id), line(one.title)));
    }
    Some(Fragment::new("left-out", text))
}

/// Tasks whose code is in the files and not in the change.
pub(super) fn done_before(code: &CodeBrief<'_>) -> Option<Fragment> {
    if code.done_before.is_empty() {
        return None;
    }
    let mut text = "## Tasks Done Before\n\nThese tasks were done, and ticked off by a person, before the work on this \
                    change began. What they built is in the files of the repository and not in the change: that the change does \
                    not hold it is no finding; that it is not in the files, or is wrong there, is one:\n\n"
        .to_owned();
    for (id, title) in code.done_before {
        let line = |value: &str| one_line(value, FIELD_CHARS_MAX);
        text.push_str(&format!("- {} {}\n", line(id), line(title)));
    }
    Some(Fragment::new("done-before", text))
}

/// What changed since a reviewer last looked: the files with their counts, then the diff.
pub(super) fn delta(brief: &Brief<'_>) -> Option<Fragment> {
    let heading = match brief.purpose {
        Purpose::Validate => "Changes Since Your Last Review",
        _ => "Delta",
    };
    // Where nothing has changed, the note says so.
    let body = match brief.delta.filter(|_| !brief.is_same_again())? {
        "" => "The code is as you last saw it.\n".to_owned(),
        diff => format!("{}\n{}", change::list(&Delta::parse(diff)), removed::with_diff(diff)),
    };
    Some(Fragment::new("delta", format!("## {heading}\n\n{body}")))
}

/// Tells a reviewer's continued conversation what it has and what to do with what follows.
pub(super) fn review_note(brief: &Brief<'_>) -> Fragment {
    let have = if names_documents(brief.profile, &brief.place) { "the upstream artifacts and " } else { "" };
    let text = match brief.purpose {
        Purpose::Validate => format!(
            "You already have {have}the implementation files in context from your prior review at iteration {}, in \
             which you approved the change. {}, and the files on disk are as they are now.\n\n\
             Perform a full regression check: go through every hunk below, through everything that calls or depends on \
             what it touches, and put your checks to them. Verify that your approval still holds, and look for new \
             harm. A new finding may lie anywhere in the change.\n{}",
            brief.last_round,
            went_on(brief),
            open::ruling_on(brief)
        ),
        _ if brief.is_same_again() => format!(
            "You already have {have}the implementation files in context from your prior review. Nothing in the code has \
             changed since then{}. Do this and no more:\n\n{}",
            open::declines(brief, "yours"),
            open::steps_without_changes(brief)
        ),
        _ => format!(
            "You already have {have}the implementation files in context from your prior review. What was changed \
             since then stands below, and the files on disk are as they are now. Do this and no more:\n\n{}",
            open::steps_of_a_rereview(brief)
        ),
    };
    Fragment::new("resume-note", text)
}

/// Tells a fresh reviewer to go on with the review of its role, and what it has for that.
pub(super) fn again_note(brief: &Brief<'_>, strategy: Strategy) -> Fragment {
    if brief.is_same_again() {
        return again::same(brief);
    }
    let (said, task) = match brief.purpose {
        Purpose::Validate => (
            format!("approved it at iteration {}", brief.last_round),
            format!(
                "{}. Perform a full regression check: go through every hunk below, through everything that calls or \
                 depends on what it touches, and put your checks to them. Verify that the approval still holds. A new \
                 finding may lie anywhere in the change.\n{}",
                went_on(brief),
                open::ruling_on(brief)
            ),
        ),
        _ => (open::left(brief, ""), format!("Do this and no more:\n\n{}", open::steps_of_a_rereview(brief))),
    };
    let (name, with) = match strategy {
        Strategy::Digest => ("digest-note", ", with what stands around the open findings"),
        Strategy::Inline => {
            ("review-note", "; the whole change, under Implementation Files, is for reference")
        }
        Strategy::Lazy | Strategy::Resume => ("review-note", ""),
    };
    let walk = if strategy == Strategy::Digest { "" } else { again::WALKED };
    let named = strategy == Strategy::Lazy && names_documents(brief.profile, &brief.place);
    let documents = if named { at_hand::DOCUMENTS_AT_HAND } else { "" };
    let text = format!(
        "## What You Are Given\n\n\
         An earlier turn of your role walked the whole change and {said}. You continue that review without its memory: \
         what was changed since then stands below{with}. {walk}{CHECKS_OF_A_CHANGE} {task}\n\
         Where a hunk depends on code that is not below, open its file and look at that part.\n{documents}"
    );
    Fragment::new(name, text)
}

/// The part of the change around the open findings.
pub(super) fn around(brief: &Brief<'_>, code: &CodeBrief<'_>) -> Option<Fragment> {
    let parts = change::around_findings(brief, code.change);
    let text =
        format!("## The Change Around Open Findings\n\nAs it is now, compared with the base.\n{parts}");
    (!parts.is_empty()).then(|| Fragment::new("around-findings", text))
}

/// The task of an implementer that mends something, in a new conversation.
pub(super) fn fix_task(brief: &Brief<'_>) -> Fragment {
    let text = format!("## Task\n\n{}\n{}", work(brief, "Issues to Fix"), unchanged(brief));
    Fragment::new("task", text)
}

/// The same in the implementer's own conversation.
pub(super) fn fix_note(brief: &Brief<'_>) -> Fragment {
    let text = format!(
        "You already have the upstream artifacts and the implementation files in context from your previous turn.\n\n{}\n{}",
        work(brief, "New Issues to Fix"),
        unchanged(brief)
    );
    Fragment::new("resume-note", text)
}

/// The note for an implementer whose task fails a check, in its own conversation.
pub(super) fn task_note(brief: &Brief<'_>) -> Fragment {
    let text = format!(
        "You have worked on this task, and what you did is in the files. It is not done: a check of the project fails, \
         as shown below. Find the cause and mend it; the done criteria, and what stays as it is, are the same as \
         before.\n{}",
        unchanged(brief)
    );
    Fragment::new("resume-note", text)
}

/// What others changed since the implementer's last turn.
pub(super) fn reread(brief: &Brief<'_>) -> Option<Fragment> {
    let files = change::list(&Delta::parse(brief.delta.filter(|diff| !diff.is_empty())?));
    let text = format!(
        "## Changed Files to Re-read\n\nOthers changed these since your last turn. Read them again before you rely on \
         what you remember; what they changed stays, unless an issue says otherwise.\n\n{files}"
    );
    Some(Fragment::new("changed-files", text))
}

/// The whole change by file, for a role that works on it.
pub(super) fn all_files(code: &CodeBrief<'_>, heading: &str) -> Fragment {
    let files = change::list(&Delta::parse(code.change));
    let text = format!(
        "## {heading}\n\nThe change so far: every file that differs from the base, with the lines added and removed.\n\n{files}"
    );
    Fragment::new("implementation-files", text)
}

/// A check of the project that fails.
pub(super) fn failed_check(brief: &Brief<'_>, code: &CodeBrief<'_>) -> Option<Fragment> {
    let evidence = text::fenced("text", brief.gate?);
    let diverges = match code.diverges {
        true => {
            "\nSome of the tests that fail were written from the documents, by somebody who had not seen the code. Compare \
             each with the words of the documents. Where they bear it out, mend the code. Change none of these tests, not \
             even one that contradicts the documents: say so in `summary`, and whoever wrote it looks at it again.\n"
        }
        false => "",
    };
    let text = format!(
        "## Failed Project Check\n\nThe engine ran it on the files as they are, and runs it again after your turn:\n\n\
         {evidence}{diverges}"
    );
    Some(Fragment::new("gate", text))
}

pub(super) fn simplify_task() -> Fragment {
    let text = "## Task\n\nMake the change below simpler, without any other effect. The project's checks pass as it is.\n";
    Fragment::new("task", text)
}

pub(super) fn outline_task(brief: &Brief<'_>) -> Fragment {
    // Where the documents are in the prompt, it says already that no file is to be opened.
    let open = match brief.strategy {
        Strategy::Inline => "",
        Strategy::Lazy | Strategy::Digest | Strategy::Resume => {
            " Open no file but those of Required Artifacts: every other one may hold code."
        }
    };
    let folder = &brief.place.folder;
    let text =
        format!("## Task\n\nThink of the tests for the feature whose documents are in {folder}.{open}\n");
    Fragment::new("task", text)
}

pub(super) fn tests_task(code: &CodeBrief<'_>) -> Fragment {
    let mut text = "## Task\n\nWrite the tests of this outline:\n\n".to_owned();
    text.push_str(&text::fenced("text", code.outline.unwrap_or("none")));
    if !code.tests.is_empty() {
        let written = written_tests(code);
        text.push_str(&format!("\nAn earlier turn of your role has written tests from it, {written}"));
    }
    Fragment::new("task", text)
}

/// The same in the conversation that wrote them.
pub(super) fn tests_note(code: &CodeBrief<'_>) -> Fragment {
    let written = written_tests(code);
    Fragment::new("resume-note", format!("You have written tests from the outline, {written}"))
}

fn written_tests(code: &CodeBrief<'_>) -> String {
    let files: String =
        code.tests.iter().map(|file| format!("- {}\n", one_line(file, FIELD_CHARS_MAX))).collect();
    format!(
        "in the files below. Some of them failed, and the code was mended since. Go through those tests once more: one that \
         the documents do not bear out is corrected, what is missing is added, all others stay.\n\n{files}"
    )
}

/// What an implementer has to deal with, by the headings it is listed under.
fn work(brief: &Brief<'_>, findings_heading: &str) -> String {
    let findings = (!brief.findings.is_empty()).then(|| format!("every id under {findings_heading}"));
    let check = brief.gate.map(|_| "what Failed Project Check reports".to_owned());
    let items: Vec<String> = [check, findings].into_iter().flatten().collect();
    match items.is_empty() {
        true => "Make the code complete and consistent again.".to_owned(),
        false => format!(
            "Deal with {}, in the code itself. The files on disk are the current version.",
            items.join(" and with ")
        ),
    }
}

/// An implementer that answers without changing anything would loop forever.
fn unchanged(brief: &Brief<'_>) -> String {
    if !brief.unchanged {
        return String::new();
    }
    let ids: Vec<&str> = brief.findings.iter().map(|finding| finding.id.as_str()).collect();
    let open = match ids.is_empty() {
        true => "The check still fails.".to_owned(),
        false => format!("These findings are open: {}.", ids.join(", ")),
    };
    format!(
        "\nThe last turn changed no file and answered nothing that is open. {open} Something must change; where you hold \
         a finding to be wrong, answer it with `not_fixed` and quote what shows it, and whoever raised it is asked.\n{}",
        said(brief)
    )
}
