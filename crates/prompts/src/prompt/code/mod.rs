//! Builds prompts about code: for the roles that carry out tasks, mend, simplify, design tests and write them, and for
//! those that review.
//!
//! The same four parts in the same order as for documents, and the same entry point ([`super::build()`]), which comes
//! here when a brief has a [`CodeBrief`]. Start at [`build`]; what lasts is in `stable`, one task in `task`, the rest
//! of a dispatch in `turn`; `super::change` shows diffs.

mod form;
mod stable;
mod task;
mod turn;

use super::brief::{Brief, possible};
use super::code_brief::CodeBrief;
use super::removed;
use super::stable::Lasting;
use super::turn::{self as shared, present};
use super::{asked, comments, disputed, open, warned};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::ProfileKind;
use stable::CodeLasting;

pub(super) fn build(brief: &Brief<'_>, code: &CodeBrief<'_>) -> Prompt {
    let strategy = possible(brief);
    if strategy == Strategy::Resume {
        return Prompt { turn: continued_turn(brief, code), ..Prompt::default() };
    }
    let lasting = Lasting::new(brief, strategy);
    Prompt {
        constant: stable::constant_fragments(),
        feature: stable::feature_fragments(&lasting, code.change),
        role: stable::role_fragments(lasting, stable_of(brief, code)),
        turn: match (brief.profile.kind, strategy) {
            (ProfileKind::Author, _) => work(brief, code),
            (ProfileKind::Domain | ProfileKind::Phase, Strategy::Digest) => digest(brief, code),
            (ProfileKind::Domain | ProfileKind::Phase, _) => review(brief, code, strategy),
        },
    }
}

fn stable_of<'a>(brief: &Brief<'a>, code: &CodeBrief<'a>) -> CodeLasting<'a> {
    CodeLasting {
        purpose: brief.purpose,
        checks: code.checks,
        running: code.running,
        wanted: code.wanted.filter(|_| brief.purpose == Purpose::Implement),
        constraints: code.constraints.filter(|_| brief.purpose == Purpose::Implement),
    }
}

/// The turn of a role that works on code, in a new conversation.
fn work(brief: &Brief<'_>, code: &CodeBrief<'_>) -> Vec<Fragment> {
    match brief.purpose {
        Purpose::Implement => {
            let Some(task_brief) = code.task else { return Vec::new() };
            let mut fragments = vec![task::task(brief, task_brief)];
            fragments.extend(task::artifacts(brief, task_brief));
            fragments.extend(warned::fragment(&brief.warned));
            fragments.extend(turn::failed_check(brief, code));
            fragments.extend(comments::fragment(brief));
            fragments
        }
        Purpose::Simplify => {
            let inline = brief.strategy == Strategy::Inline;
            vec![turn::simplify_task(), stable::files(brief.profile, code.change, inline)]
        }
        Purpose::Outline => vec![turn::outline_task(brief)],
        Purpose::Tests => vec![turn::tests_task(code), turn::all_files(code, "Implementation Files")],
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Review
        | Purpose::Validate
        | Purpose::Certify
        | Purpose::Repair
        | Purpose::Retro
        | Purpose::Judge
        | Purpose::Probe => present([
            asked::idea_again(brief),
            Some(turn::fix_task(brief)),
            Some(turn::all_files(code, "All Implementation Files")),
            turn::failed_check(brief, code),
            comments::fragment(brief),
            open::open_findings(brief, open::Intro::Fix),
            disputed::answers(brief),
        ]),
    }
}

/// The turn of a reviewer that is given the whole change.
fn review(brief: &Brief<'_>, code: &CodeBrief<'_>, strategy: Strategy) -> Vec<Fragment> {
    // Fresh eyes judge like a first reader: what others found before would lead them.
    let findings = if brief.purpose == Purpose::Certify { &[] } else { brief.findings };
    let brief = &Brief { findings, ..*brief };
    let inline = strategy == Strategy::Inline;
    if brief.goes_on() {
        let first = present([
            Some(turn::again_note(brief, strategy)),
            asked::asked_for(brief),
            turn::delta(brief),
            shared::fix_summary(brief),
            (!inline).then(|| turn::all_files(code, "All Implementation Files (for reference)")),
            // Else the changes show what was taken out since.
            removed::fragment(code.change).filter(|_| !inline && brief.is_same_again()),
            turn::intent(code, false),
        ]);
        return then(first, known(brief, code, open::Intro::Recall));
    }
    let first = present([
        asked::asked_for(brief),
        // An inline prompt has it further up, where all reviewers share it.
        (!inline).then(|| stable::files(brief.profile, code.change, false)),
        removed::fragment(code.change).filter(|_| !inline),
        turn::intent(code, false),
        shared::fix_summary_of_findings(brief),
    ]);
    then(first, known(brief, code, open::Intro::Reevaluate))
}

/// What every reviewer is told at the end: how the checks ended, what people decided, what is open, which round it is.
fn known(brief: &Brief<'_>, code: &CodeBrief<'_>, intro: open::Intro) -> Vec<Fragment> {
    present([
        turn::results(brief, code),
        turn::left_out(code),
        turn::done_before(code),
        open::settled(brief),
        comments::fragment(brief),
        open::open_findings(brief, intro),
        disputed::replies(brief),
        shared::iteration(brief),
    ])
}

fn then(mut first: Vec<Fragment>, rest: Vec<Fragment>) -> Vec<Fragment> {
    first.extend(rest);
    first
}

/// The turn of a reviewer that is given what changed.
fn digest(brief: &Brief<'_>, code: &CodeBrief<'_>) -> Vec<Fragment> {
    let first = present([
        Some(turn::again_note(brief, Strategy::Digest)),
        asked::asked_for(brief),
        turn::delta(brief),
        shared::fix_summary(brief),
        turn::intent(code, false),
        turn::around(brief, code),
    ]);
    then(first, known(brief, code, open::Intro::Recall))
}

fn continued_turn(brief: &Brief<'_>, code: &CodeBrief<'_>) -> Vec<Fragment> {
    match (brief.profile.kind, brief.purpose) {
        (_, Purpose::Repair) => present([
            Some(shared::repair(brief)),
            open::open_findings(brief, open::Intro::List),
            Some(shared::return_short(brief)),
        ]),
        (ProfileKind::Author, Purpose::Implement) => present([
            Some(turn::task_note(brief)),
            turn::reread(brief),
            turn::failed_check(brief, code),
            comments::fragment(brief),
            Some(shared::return_short(brief)),
        ]),
        (ProfileKind::Author, Purpose::Tests) => present([
            Some(turn::tests_note(code)),
            turn::reread(brief),
            Some(turn::all_files(code, "All Implementation Files (for reference)")),
            Some(shared::return_short(brief)),
        ]),
        (ProfileKind::Author, _) => present([
            Some(turn::fix_note(brief)),
            turn::reread(brief),
            Some(turn::all_files(code, "All Implementation Files (for reference)")),
            turn::failed_check(brief, code),
            open::open_findings(brief, open::Intro::FixNew),
            disputed::answers(brief),
            Some(shared::return_short(brief)),
        ]),
        (ProfileKind::Domain | ProfileKind::Phase, _) => {
            let first = present([
                Some(turn::review_note(brief)),
                turn::delta(brief),
                shared::fix_summary(brief),
                turn::intent(code, true),
            ]);
            let known = then(first, known(brief, code, open::Intro::List));
            then(known, vec![shared::return_short(brief)])
        }
    }
}
