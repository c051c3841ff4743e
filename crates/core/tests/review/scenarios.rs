//! Loops told as stories.

mod failed;
mod overruled;

use super::world::*;
use redraft_core::review::{Effect, Loop, LoopEnd, decision, pending, question};
use redraft_facts::choice::{Policy, Strategy};
use redraft_facts::event::*;
use redraft_facts::ids::Revision;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_reports::projections::history;

pub(super) fn play_verdicts(world: &mut World, verdicts: &[bool]) {
    world.script = Some(verdicts.iter().copied().collect());
    assert!(world.play(2_000), "did not end");
}

/// The tickets sent, without feature and phase.
pub(super) fn sent(world: &World) -> Vec<String> {
    let tickets = world.log.iter().filter_map(|entry| match &entry.event {
        Event::Started(fact) => Some(fact.ticket.to_string()),
        _ => None,
    });
    tickets.map(|ticket| ticket.splitn(3, '/').nth(2).unwrap().to_owned()).collect()
}

pub(super) fn ended(world: &World) -> &Loop {
    world.state.past.last().expect("the loop has not ended")
}

pub(super) fn open(world: &World) -> &Loop {
    world.state.open.as_ref().expect("no loop is open")
}

pub(super) fn about(world: &World) -> Option<About> {
    world.state.open.as_ref().and_then(question).map(|question| question.about)
}

pub(super) fn decide(world: &mut World, choice: Decision) {
    let question = question(open(world)).unwrap();
    let decided = decision(open(world), &question, choice, "ann", "good enough");
    world.happen(Asked { question, estimate: None });
    world.happen(decided);
}

#[test]
fn two_stages_in_order_and_the_older_approval_is_validated_once() {
    let mut world = World::new(rules(&[1, 1]), CALM, vec![1]);
    play_verdicts(&mut world, &[true, false, true, true]);
    let expected = [
        "draft/author/1.1",
        "review/reviewer-C/1.1",
        "review/reviewer-D/1.1",
        "revise/author/1.1",
        "review/reviewer-D/2.1",
        "validate/reviewer-C/1.1",
    ];
    assert_eq!(sent(&world), expected);
    assert_eq!(ended(&world).stages.iter().map(|stage| stage.rounds).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn in_a_panel_only_those_who_rejected_are_asked_again_before_the_others_validate() {
    let mut world = World::new(rules(&[3]), CALM, vec![1]);
    play_verdicts(&mut world, &[true, false, true, true, true, true]);
    let expected = [
        "draft/author/1.1",
        "review/reviewer-C/1.1",
        "review/reviewer-D/1.1",
        "review/reviewer-E/1.1",
        "revise/author/1.1",
        "review/reviewer-D/2.1",
        "validate/reviewer-C/1.1",
        "validate/reviewer-E/1.1",
    ];
    assert_eq!(sent(&world), expected);
}

#[test]
fn a_rejecting_validation_counts_as_a_round_of_its_stage_and_reopens_it() {
    let mut world = World::new(rules(&[1, 1]), CALM, vec![1]);
    play_verdicts(&mut world, &[true, false, true, false, true, true]);
    let expected = [
        "draft/author/1.1",
        "review/reviewer-C/1.1",
        "review/reviewer-D/1.1",
        "revise/author/1.1",
        "review/reviewer-D/2.1",
        "validate/reviewer-C/1.1",
        "revise/author/2.1",
        "review/reviewer-C/2.1",
        "validate/reviewer-D/1.1",
    ];
    assert_eq!(sent(&world), expected);
    assert_eq!(ended(&world).stages.iter().map(|stage| stage.rounds).collect::<Vec<_>>(), [3, 2]);
}

#[test]
fn certify_off_leaves_older_approvals_as_they_are() {
    let mut world = World::new(Rules { certify: Certify::Off, ..rules(&[1, 1]) }, CALM, vec![1]);
    play_verdicts(&mut world, &[true, false, true]);
    assert_eq!(sent(&world).last().unwrap(), "review/reviewer-D/2.1");
    assert!(matches!(ended(&world).end, Some(LoopEnd::Closed(_))));
}

#[test]
fn a_first_round_approval_is_a_certificate() {
    let mut world = World::new(Rules { certify: Certify::Fresh, ..rules(&[1]) }, CALM, vec![1]);
    play_verdicts(&mut world, &[true]);
    assert_eq!(sent(&world), ["draft/author/1.1", "review/reviewer-C/1.1"]);
}

#[test]
fn fresh_eyes_reopen_once_and_then_ask() {
    let rules = Rules { certify: Certify::Fresh, policy: Policy::Resume, ..rules(&[1]) };
    let mut world = World::new(rules, CALM, vec![1]);
    play_verdicts(&mut world, &[false, true, false, true, false]);
    let expected = [
        "draft/author/1.1",
        "review/reviewer-C/1.1",
        "revise/author/1.1",
        "review/reviewer-C/2.1",
        "certify/reviewer-C/1.1",
        "revise/author/2.1",
        "review/reviewer-C/3.1",
        "certify/reviewer-C/2.1",
    ];
    assert_eq!(sent(&world), expected);
    assert_eq!(about(&world), Some(About::Certificate));
    decide(&mut world, Decision::Accept);
    assert!(world.play(10));
    assert!(matches!(ended(&world).end, Some(LoopEnd::Closed(_))));
}

#[test]
fn at_the_cap_a_person_is_asked_before_the_author_is_paid_again() {
    let limits = Limits { rounds: 2, ..Limits::default() };
    let mut world = World::new(Rules { limits, ..rules(&[1, 1]) }, CALM, vec![1]);
    play_verdicts(&mut world, &[false, false]);
    assert_eq!(sent(&world).last().unwrap(), "review/reviewer-C/2.1");
    assert_eq!(about(&world), Some(About::Cap { stage: 0 }));

    decide(&mut world, Decision::Accept);
    assert!(world.play(100));
    let Some(LoopEnd::Closed(closed)) = &ended(&world).end else { panic!("not closed") };
    assert_eq!(closed.ruled.len(), 1);
    assert_eq!(closed.approvals.len(), 1, "only the second stage approved");
    assert_eq!(ended(&world).stages[0].closed.as_ref().unwrap().outcome, StageOutcome::Failed);
    assert!(ended(&world).reviewers[0].ruled());
}

#[test]
fn at_the_cap_a_person_may_grant_one_more_round_and_is_asked_again_after_it() {
    let limits = Limits { rounds: 2, ..Limits::default() };
    let mut world = World::new(Rules { limits, ..rules(&[1]) }, CALM, vec![1]);
    play_verdicts(&mut world, &[false, false]);
    decide(&mut world, Decision::Retry);
    play_verdicts(&mut world, &[false]);
    let sent = sent(&world);
    assert_eq!(sent[sent.len() - 2..], ["revise/author/2.1", "review/reviewer-C/3.1"]);
    assert_eq!(about(&world), Some(About::Cap { stage: 0 }), "one round, and no more");
    decide(&mut world, Decision::Retry);
    play_verdicts(&mut world, &[true]);
    assert!(world.play(100));
    let ended = ended(&world);
    assert!(matches!(ended.end, Some(LoopEnd::Closed(_))));
    assert_eq!((ended.stages[0].rounds, ended.stages[0].granted), (4, 2));
}

#[test]
fn fix_and_rerun_opens_a_new_pass_without_conversations_and_keeps_findings() {
    let limits = Limits { rounds: 1, ..Limits::default() };
    let mut world = World::new(Rules { limits, ..rules(&[1]) }, CALM, vec![1]);
    play_verdicts(&mut world, &[false]);
    decide(&mut world, Decision::Rerun);
    assert!(world.play(1_000));
    let again = ended(&world);
    assert_eq!(again.opened.pass, 2);
    assert_eq!(again.findings.len(), 1);
    let second = world.log.iter().filter_map(|entry| match &entry.event {
        Event::Started(fact) if fact.ticket.pass == 2 => Some(fact),
        _ => None,
    });
    let second: Vec<&Started> = second.collect();
    assert_eq!(second[0].ticket.purpose, Purpose::Review, "the document is still there");
    assert!(second.iter().all(|fact| fact.choice.strategy == Strategy::Lazy));
}

#[test]
fn a_role_that_never_gave_a_verdict_reviews_an_edit_as_if_for_the_first_time() {
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    world.script = Some([].into());
    while sent(&world).len() < 2 {
        assert!(!world.play(1));
    }
    world.habits.unusable = 100;
    assert!(world.play(100), "asked after all attempts");
    world.habits.unusable = 0;
    world.happen(Edited {
        revision: Revision::new("edited"),
        commit: "c".into(),
        by: "someone".into(),
        first: false,
        compared: None,
    });
    while !matches!(pending(world.state.open.as_ref().unwrap()).as_slice(), [Effect::Judge(_)]) {
        assert!(!world.play(1));
    }
    let open = world.state.open.as_ref().unwrap();
    let [Effect::Judge(ticket)] = &pending(open)[..] else { panic!("nothing to judge") };
    assert_eq!(redraft_core::review::case_for(open, ticket).unwrap().since, None, "nothing may be put off");
}

#[test]
fn whoever_saw_only_a_part_does_not_certify() {
    for (policy, last) in
        [(Policy::Digest, "certify/reviewer-C/1.1"), (Policy::Inline, "review/reviewer-C/2.1")]
    {
        let mut world = World::new(Rules { certify: Certify::Fresh, policy, ..rules(&[1]) }, CALM, vec![1]);
        play_verdicts(&mut world, &[false, true, true]);
        assert_eq!(sent(&world).last().unwrap(), last, "{policy:?}");
        assert!(matches!(ended(&world).end, Some(LoopEnd::Closed(_))));
    }
}

#[test]
fn an_author_that_changes_nothing_is_told_once_and_then_a_person_is_asked() {
    let mut world = World::new(rules(&[1]), Habits { unchanged: 100, ..CALM }, vec![1]);
    play_verdicts(&mut world, &[false]);
    let expected = ["draft/author/1.1", "review/reviewer-C/1.1", "revise/author/1.1", "revise/author/2.1"];
    assert_eq!(sent(&world), expected);
    assert_eq!(about(&world), Some(About::Unchanged));
}

#[test]
fn policy_seed_asks_the_reviewer_afresh_about_an_unchanged_document() {
    let rules = Rules { policy: Policy::Seed, ..rules(&[1]) };
    let mut world = World::new(rules, Habits { unchanged: 100, ..CALM }, vec![1]);
    play_verdicts(&mut world, &[false, true]);
    let last = world.log.iter().rev().find_map(|entry| match &entry.event {
        Event::Started(fact) => Some(fact),
        _ => None,
    });
    let last = last.unwrap();
    assert_eq!((last.ticket.round, last.choice.strategy), (2, Strategy::Lazy));
    assert!(matches!(ended(&world).end, Some(LoopEnd::Closed(_))));
    let told: Vec<bool> = (history(&world.log).lines())
        .filter(|line| line.starts_with("- Revision: "))
        .map(|line| line.ends_with(" (nothing was changed)"))
        .collect();
    assert_eq!(told, [false, true, false], "the draft, the turn that changed nothing, and the close");
}

#[test]
fn three_failed_gates_in_a_row_ask_a_person_and_no_reviewer_is_paid() {
    let mut world = World::new(rules(&[1]), Habits { gate_fails: 100, ..CALM }, vec![1]);
    play_verdicts(&mut world, &[]);
    assert_eq!(sent(&world), ["draft/author/1.1", "revise/author/1.1", "revise/author/2.1"]);
    assert_eq!(about(&world), Some(About::Gate));
    decide(&mut world, Decision::Accept);
    assert!(
        matches!(pending(open(&world)).as_slice(), [Effect::Dispatch(order)] if order.ticket.purpose == Purpose::Review)
    );
}
