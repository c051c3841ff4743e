//! Builds a prompt from a brief: which fragments, in which order.

use super::brief::{Brief, possible};
use super::stable::Lasting;
use super::turn::present;
use super::{again, asked, author, code, comments, digest, disputed, open, rubric, stable, turn, warned};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::ProfileKind;

/// The prompt of one dispatch. A continued conversation is sent only the turn, because it has the rest.
pub fn build(brief: &Brief<'_>) -> Prompt {
    let mut prompt = match &brief.code {
        Some(about) => code::build(brief, about),
        None => of_a_document(brief),
    };
    if possible(brief) != Strategy::Resume
        && let Some(lessons) = turn::lessons(brief)
    {
        // Which round it is stays the last word.
        let at = prompt.turn.iter().position(|fragment| fragment.name == turn::ITERATION);
        prompt.turn.insert(at.unwrap_or(prompt.turn.len()), lessons);
    }
    if possible(brief) != Strategy::Resume
        && let Some(void) = turn::void(brief)
    {
        let at = prompt.turn.iter().position(|fragment| fragment.name == turn::ITERATION);
        prompt.turn.insert(at.unwrap_or(prompt.turn.len()), void);
    }
    prompt
}

fn of_a_document(brief: &Brief<'_>) -> Prompt {
    let strategy = possible(brief);
    if strategy == Strategy::Resume {
        return Prompt { turn: continued_turn(brief), ..Prompt::default() };
    }
    let feature = match strategy {
        Strategy::Inline => stable::shared_artifacts(brief.upstream),
        Strategy::Lazy | Strategy::Digest | Strategy::Resume => Vec::new(),
    };
    Prompt {
        constant: stable::constant_fragments(),
        feature,
        role: stable::role_fragments(Lasting::new(brief, strategy)),
        turn: if strategy == Strategy::Digest { digest::turn(brief) } else { fresh_turn(brief, strategy) },
    }
}

fn fresh_turn(brief: &Brief<'_>, strategy: Strategy) -> Vec<Fragment> {
    match (brief.profile.kind, brief.purpose) {
        (ProfileKind::Author, Purpose::Draft) => present([
            Some(asked::idea(brief)),
            author::answers(brief),
            Some(turn::draft_task(brief)),
            warned::fragment(&brief.warned),
            open::open_findings(brief, open::Intro::Said),
            author::mini(brief),
            author::may_ask(brief),
        ]),
        (ProfileKind::Author, _) => present([
            asked::idea_again(brief),
            author::answers(brief),
            Some(turn::revise_task(brief)),
            turn::changes_by_others(brief),
            turn::gate(brief),
            turn::lint(brief),
            answering(brief),
            comments::fragment(brief),
            open::open_findings(brief, open::Intro::Fix),
            disputed::answers(brief),
        ]),
        // Fresh eyes judge like a first reader: what others found before would lead them.
        (ProfileKind::Domain | ProfileKind::Phase, Purpose::Certify) => {
            fresh_review(&Brief { findings: &[], ..*brief }, strategy)
        }
        (ProfileKind::Domain | ProfileKind::Phase, _) => fresh_review(brief, strategy),
    }
}

/// How findings are answered, for an author that has some.
fn answering(brief: &Brief<'_>) -> Option<Fragment> {
    rubric::answering(brief.profile, brief.text).filter(|_| !brief.findings.is_empty())
}

fn fresh_review(brief: &Brief<'_>, strategy: Strategy) -> Vec<Fragment> {
    let whole = brief.holds_artifact(strategy);
    if brief.goes_on() {
        return present([
            Some(again::note(brief, again::Shown::new(strategy, whole))),
            asked::asked_for(brief),
            turn::delta(brief),
            turn::fix_summary(brief),
            Some(turn::artifact(brief, whole)),
            turn::domain_outcome(brief).filter(|_| brief.purpose != Purpose::Validate),
            turn::lint(brief),
            open::settled(brief),
            comments::fragment(brief),
            open::open_findings(brief, open::Intro::Recall),
            disputed::replies(brief),
            turn::iteration(brief),
        ]);
    }
    present([
        asked::asked_for(brief),
        Some(turn::artifact(brief, whole)),
        turn::domain_outcome(brief),
        turn::lint(brief),
        turn::fix_summary_of_findings(brief),
        open::settled(brief),
        comments::fragment(brief),
        open::open_findings(brief, open::Intro::Reevaluate),
        disputed::replies(brief),
        turn::iteration(brief),
    ])
}

fn continued_turn(brief: &Brief<'_>) -> Vec<Fragment> {
    match (brief.profile.kind, brief.purpose) {
        (_, Purpose::Repair) => present([
            Some(turn::repair(brief)),
            open::open_findings(brief, open::Intro::List),
            Some(turn::return_short(brief)),
        ]),
        (ProfileKind::Author, Purpose::Draft) => present([
            author::answers(brief),
            Some(turn::draft_task(brief)),
            open::open_findings(brief, open::Intro::Said),
            Some(turn::return_short(brief)),
        ]),
        (ProfileKind::Author, _) => present([
            Some(turn::resume_note(brief)),
            turn::changes_by_others(brief),
            turn::gate(brief),
            turn::lint(brief),
            answering(brief),
            open::open_findings(brief, open::Intro::FixNew),
            disputed::answers(brief),
            Some(turn::return_short(brief)),
        ]),
        (ProfileKind::Domain | ProfileKind::Phase, purpose) => present([
            Some(turn::resume_note(brief)),
            turn::delta(brief),
            turn::fix_summary(brief),
            // A validation asks only whether the role's own approval still holds.
            turn::domain_outcome(brief).filter(|_| purpose != Purpose::Validate),
            turn::lint(brief),
            open::settled(brief),
            comments::fragment(brief),
            open::open_findings(brief, open::Intro::List),
            disputed::replies(brief),
            turn::iteration(brief),
            Some(turn::return_short(brief)),
        ]),
    }
}
