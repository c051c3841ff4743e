//! Answers that cannot be used, and dispatches that fail: repaired, tried again, parked, asked about.

use super::super::world::*;
use super::{about, decide, ended, open, sent};
use redraft_core::pipeline;
use redraft_core::review::{Effect, pending, question};
use redraft_facts::choice::{Policy, Strategy};
use redraft_facts::event::*;
use redraft_facts::prelude::*;
use redraft_facts::usage::Usd;
use redraft_reports::projections::BoardRow;

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
