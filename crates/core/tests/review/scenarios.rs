//! Loops told as stories.

use super::world::*;
use redraft_core::pipeline;
use redraft_core::review::{Effect, Loop, LoopEnd, decision, pending, question};
use redraft_facts::choice::{Policy, Strategy};
use redraft_facts::event::*;
use redraft_facts::findings::Status;
use redraft_facts::ids::{Revision, Role};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_facts::usage::Usd;
use redraft_reports::projections::{BoardRow, history};

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
fn an_unusable_answer_gets_one_repair_turn_then_a_fresh_attempt_then_a_person() {
    let mut world = World::new(rules(&[1]), Habits { unusable: 0, ..CALM }, vec![1]);
    world.script = Some([].into());
    while sent(&world).len() < 2 {
        assert!(!world.play(1));
    }
    world.habits.unusable = 100;
    assert!(world.play(100));
    let expected = [
        "draft/author/1.1",
        "review/reviewer-C/1.1",
        "repair/reviewer-C/1.1",
        "review/reviewer-C/1.2",
        "repair/reviewer-C/2.1",
        "review/reviewer-C/1.3",
        "repair/reviewer-C/3.1",
    ];
    assert_eq!(sent(&world), expected);
    assert!(matches!(about(&world), Some(About::Agent { .. })));
    world.habits.unusable = 0;
    decide(&mut world, Decision::Retry);
    assert!(world.play(100));
    assert_eq!(sent(&world).last().unwrap(), "review/reviewer-C/1.4");
    assert_eq!(ended(&world).stages[0].rounds, 1, "repairs and attempts are not rounds");
}

#[test]
fn whoever_rejects_for_settled_findings_alone_can_be_overruled() {
    let mut world = World::new(rules(&[1, 1]), Habits { insists: 100, ..CALM }, vec![1]);
    world.script = Some([].into());
    while sent(&world).len() < 2 {
        assert!(!world.play(1));
    }
    world.habits.unusable = 100;
    assert!(world.play(100));
    let role = Role::new("reviewer-C");
    assert_eq!(about(&world), Some(About::Agent { role: role.clone() }));
    world.habits.unusable = 0;
    decide(&mut world, Decision::Accept);
    assert!(world.play(100));
    let Some(LoopEnd::Closed(closed)) = &ended(&world).end else { panic!("not closed") };
    let signed: Vec<&str> = closed.approvals.iter().map(|approval| approval.role.as_str()).collect();
    assert_eq!(signed, ["reviewer-D"], "a ruling is no approval");
    assert!(ended(&world).reviewer(&role).unwrap().ruled());
    assert_eq!(sent(&world).last().unwrap(), "review/reviewer-D/1.1");
}

#[test]
fn overruling_leaves_no_finding_open_and_lists_what_was_put_off() {
    let limits = Limits { rounds: 3, ..Limits::default() };
    let mut world = World::new(Rules { limits, ..rules(&[1]) }, Habits { insists: 100, ..CALM }, vec![1]);
    world.script = Some([false].into());
    while !sent(&world).contains(&"review/reviewer-C/2.1".to_owned()) {
        assert!(!world.play(1));
    }
    assert_eq!(world.state.open.as_ref().unwrap().findings.len(), 1);
    world.habits.unusable = 100;
    assert!(world.play(100));
    decide(&mut world, Decision::Accept);
    world.habits.unusable = 0;
    assert!(world.play(100));
    let Some(LoopEnd::Closed(closed)) = &ended(&world).end else { panic!("not closed") };
    assert!(closed.approvals.is_empty() && closed.ruled.is_empty(), "nothing was left to rule about");
    assert!(!closed.deferred.is_empty());
    assert!(ended(&world).findings.iter().all(|finding| finding.status != Status::Open));
}

#[test]
fn overruling_settles_a_finding_whose_fate_was_told_only_in_an_answer_that_does_not_count() {
    let limits = Limits { attempts: 1, ..Limits::default() };
    let mut world = World::new(Rules { limits, ..rules(&[1]) }, Habits { insists: 100, ..CALM }, vec![1]);
    world.script = Some([false].into());
    while !sent(&world).contains(&"review/reviewer-C/2.1".to_owned()) {
        assert!(!world.play(1));
    }
    world.habits.unusable = 100;
    while !sent(&world).contains(&"repair/reviewer-C/1.1".to_owned()) {
        assert!(!world.play(1));
    }
    let ticket = open(&world).flights().next().unwrap().1.started.ticket.clone();
    world.happen(Failed {
        ticket,
        now: AfterFailure::GiveUp,
        detail: "d".into(),
        usage: None,
        undone: vec![],
        forgot: None,
    });
    let asked = question(open(&world)).unwrap();
    assert!(asked.text.ends_with("; 1 open finding of its own, which accept settles"), "{}", asked.text);
    decide(&mut world, Decision::Accept);
    world.habits.unusable = 0;
    assert!(world.play(100));
    let Some(LoopEnd::Closed(closed)) = &ended(&world).end else { panic!("not closed") };
    assert_eq!(closed.ruled.len(), 1);
    assert!(ended(&world).findings.iter().all(|finding| finding.status == Status::Ruled));
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
fn nobody_can_be_overruled_who_gave_no_verdict_at_all() {
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    world.script = Some([].into());
    while sent(&world).len() < 2 {
        assert!(!world.play(1));
    }
    world.habits.unusable = 100;
    assert!(world.play(100));
    let asked = redraft_core::review::question(world.state.open.as_ref().unwrap()).unwrap();
    assert_eq!(asked.choices, [Decision::Retry, Decision::Rerun, Decision::Abandon]);
}

#[test]
fn repairs_of_a_role_that_also_certifies_are_counted_together() {
    let mut world =
        World::new(Rules { certify: Certify::Fresh, policy: Policy::Resume, ..rules(&[1]) }, CALM, vec![1]);
    // The first word is spent on the answer that cannot be used.
    world.script = Some([true, false, true].into());
    let until = |world: &mut World, purpose: &str| {
        while !sent(world).last().is_some_and(|ticket| ticket.starts_with(purpose)) {
            assert!(!world.play(1), "ended before {purpose}: {:?}", sent(world));
        }
    };
    until(&mut world, "review");
    world.habits.unusable = 100;
    until(&mut world, "repair");
    world.habits.unusable = 0;
    until(&mut world, "certify");
    world.habits.unusable = 100;
    until(&mut world, "repair");
    let repairs: Vec<String> =
        sent(&world).into_iter().filter(|ticket| ticket.starts_with("repair")).collect();
    assert_eq!(repairs, ["repair/reviewer-C/1.1", "repair/reviewer-C/2.1"]);
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

#[test]
fn a_usage_limit_parks_a_dispatch_without_using_up_an_attempt() {
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    world.script = Some([true].into());
    assert!(!world.play(1));
    for parked in 0..5 {
        while open(&world).flights().next().is_none() {
            assert!(!world.play(1));
        }
        let ticket = open(&world).flights().next().unwrap().1.started.ticket.clone();
        let now = AfterFailure::ParkUntil(1_900_000_000_000 + parked);
        world.happen(Failed {
            ticket,
            now,
            detail: "limit".into(),
            usage: None,
            undone: vec![],
            forgot: None,
        });
        let effects = pending(open(&world));
        let [Effect::Dispatch(order)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!(i64::from(order.ticket.attempt), parked + 2, "every send has a ticket of its own");
        assert_eq!(world.state.parked_until_ms(&[order]), Some(1_900_000_000_000 + parked));
        assert_eq!(BoardRow::new(&world.state, 0).parked_until_ms, Some(1_900_000_000_000 + parked));
    }
    while open(&world).flights().next().is_none() {
        assert!(!world.play(1));
    }
    assert!(world.state.parked.is_empty(), "it was sent to again");
}

#[test]
fn the_question_about_an_agent_names_the_attempts_that_were_made_and_not_the_limit() {
    let limits = Limits { attempts: 3, ..Limits::default() };
    for (failures, words) in [
        (vec![AfterFailure::AskPerson], "in 1 attempt"),
        (vec![AfterFailure::GiveUp, AfterFailure::AskPerson], "in 2 attempts"),
        (vec![AfterFailure::GiveUp, AfterFailure::Wait(5), AfterFailure::FreshSession], "in 3 attempts"),
    ] {
        let mut world = World::new(Rules { limits, ..rules(&[1]) }, CALM, vec![1]);
        world.script = Some([true].into());
        for now in &failures {
            while world.state.open.as_ref().is_none_or(|open| open.flights().next().is_none()) {
                assert!(!world.play(1));
            }
            let ticket = open(&world).flights().next().unwrap().1.started.ticket.clone();
            let detail = "no".into();
            world.happen(Failed { ticket, now: *now, detail, usage: None, undone: vec![], forgot: None });
        }
        let asked = question(open(&world)).unwrap();
        assert_eq!(asked.text, format!("author gave no usable answer {words}: no"), "{failures:?}");
        decide(&mut world, Decision::Retry);
        assert!(matches!(pending(open(&world)).as_slice(), [Effect::Dispatch(_)]), "{failures:?}");
    }
}

#[test]
fn a_dispatch_that_was_cut_off_for_want_of_money_is_owed_again_and_says_what_it_needs() {
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    world.script = Some([true].into());
    assert!(!world.play(1));
    for needs in 10..15 {
        while open(&world).flights().next().is_none() {
            assert!(!world.play(1));
        }
        let started = open(&world).flights().next().unwrap().1.started.clone();
        let Started { ticket, agent, reserved, .. } = started;
        let raised = |reserved| Event::from(Raised { ticket: ticket.clone(), reserved });
        assert!(pipeline::step(&world.state, &raised(reserved)).is_err(), "only a higher one says something");
        world.happen(Raised { ticket: ticket.clone(), reserved: reserved + Usd(1) });
        assert_eq!(open(&world).flights().next().unwrap().1.started.reserved, reserved + Usd(1));
        let counted = world.state.money.counted();
        let now = AfterFailure::OverBudget(Usd(needs));
        world.happen(Failed {
            ticket,
            now,
            detail: "cut off".into(),
            usage: None,
            undone: vec![],
            forgot: None,
        });
        assert_eq!(world.state.money.counted(), counted + reserved + Usd(1), "what was reserved in the end");
        let effects = pending(open(&world));
        let [Effect::Dispatch(order)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!(order.needs, Some((agent, Usd(needs))));
    }
}

#[test]
fn a_lost_session_is_replaced_and_waiting_keeps_it() {
    for (now, kept) in
        [(AfterFailure::FreshSession, false), (AfterFailure::Wait(5), true), (AfterFailure::GiveUp, true)]
    {
        let mut world = World::new(Rules { policy: Policy::Resume, ..rules(&[1]) }, CALM, vec![1]);
        world.script = Some([false].into());
        while sent(&world).len() < 4 {
            assert!(!world.play(1));
        }
        let ticket = open(&world).flights().next().unwrap().1.started.ticket.clone();
        world.happen(Failed {
            ticket,
            now,
            detail: "gone".into(),
            usage: None,
            undone: vec![],
            forgot: None,
        });
        let effects = pending(open(&world));
        let [Effect::Dispatch(order)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!(order.ticket.attempt, 2);
        assert_eq!(order.allowed.contains(&Strategy::Resume), kept, "{now:?}");
        let told = open(&world).reviewers[0].unavailable.as_deref();
        assert_eq!(told, (now == AfterFailure::FreshSession).then_some("gone"));
    }
}
