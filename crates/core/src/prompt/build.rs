//! From a brief to a prompt: which fragments, in which order.

use super::brief::Brief;
use super::fragment::{Fragment, Prompt};
use super::{stable, turn};
use crate::policy::Strategy;
use crate::prelude::*;
use crate::profile::Kind;
use crate::ticket::Purpose;

/// The prompt of one dispatch. A continued conversation is sent the turn only, because it has the rest.
pub fn build(brief: &Brief<'_>) -> Prompt {
    match conversation(brief) {
        Conversation::Fresh => Prompt {
            constant: stable::constant_fragments(),
            feature: Vec::new(),
            role: stable::role_fragments(brief.profile, &brief.place),
            turn: fresh_turn(brief),
        },
        Conversation::Continued => Prompt { turn: continued_turn(brief), ..Prompt::default() },
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conversation {
    Fresh,
    Continued,
}

fn conversation(brief: &Brief<'_>) -> Conversation {
    match (brief.purpose, brief.strategy) {
        // A certificate is worth something only from a conversation that saw no earlier revision.
        (Purpose::Certify, _) => Conversation::Fresh,
        // A repair speaks of the last answer, which a new conversation has never seen.
        (Purpose::Repair, _) => Conversation::Continued,
        (_, Strategy::Lazy) => Conversation::Fresh,
        (_, Strategy::Resume) => Conversation::Continued,
    }
}

fn fresh_turn(brief: &Brief<'_>) -> Vec<Fragment> {
    match (brief.profile.kind, brief.purpose) {
        (Kind::Author, Purpose::Draft) => vec![turn::idea(brief), turn::draft_task(brief)],
        (Kind::Author, _) => present([
            Some(turn::revise_task(brief)),
            turn::changes_by_others(brief),
            turn::gate(brief),
            turn::open_findings(brief, turn::Intro::Fix),
            Some(turn::iteration(brief)),
        ]),
        // Fresh eyes judge like a first reader: what others found before would lead them.
        (Kind::Domain | Kind::Phase, Purpose::Certify) => {
            fresh_review(&Brief { findings: &[], ..*brief }, turn::Intro::Validate)
        }
        (Kind::Domain | Kind::Phase, Purpose::Validate) => fresh_review(brief, turn::Intro::Validate),
        (Kind::Domain | Kind::Phase, _) => fresh_review(brief, turn::Intro::Reevaluate),
    }
}

fn fresh_review(brief: &Brief<'_>, intro: turn::Intro) -> Vec<Fragment> {
    present([
        Some(turn::artifact(brief)),
        turn::domain_outcome(brief),
        turn::open_findings(brief, intro),
        Some(turn::iteration(brief)),
    ])
}

fn continued_turn(brief: &Brief<'_>) -> Vec<Fragment> {
    match (brief.profile.kind, brief.purpose) {
        (_, Purpose::Repair) => present([
            Some(turn::repair(brief)),
            turn::open_findings(brief, turn::Intro::List),
            Some(turn::return_short(brief)),
        ]),
        (Kind::Author, Purpose::Draft) => {
            vec![turn::idea(brief), turn::draft_task(brief), turn::return_short(brief)]
        }
        (Kind::Author, _) => present([
            Some(turn::resume_note(brief)),
            turn::changes_by_others(brief),
            turn::gate(brief),
            turn::open_findings(brief, turn::Intro::FixNew),
            Some(turn::iteration(brief)),
            Some(turn::return_short(brief)),
        ]),
        (Kind::Domain | Kind::Phase, purpose) => present([
            Some(turn::resume_note(brief)),
            turn::delta(brief),
            turn::fix_summary(brief),
            // A validation asks only whether the role's own approval still holds.
            turn::domain_outcome(brief).filter(|_| purpose != Purpose::Validate),
            turn::open_findings(brief, turn::Intro::List),
            Some(turn::iteration(brief)),
            Some(turn::return_short(brief)),
        ]),
    }
}

fn present<const N: usize>(fragments: [Option<Fragment>; N]) -> Vec<Fragment> {
    fragments.into_iter().flatten().collect()
}
