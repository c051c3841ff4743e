//! How a feature ends: what comes next in which order, and that no agent is waited for.

use super::world::*;
use redraft_core::pipeline::{Pipeline, pending, step};
use redraft_core::review::{Effect, decision};
use redraft_facts::event::*;
use redraft_facts::ids::Revision;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};

/// A feature of which nothing but its end is left.
fn ending() -> World {
    let rules = Rules { until: Phase::Finish, gates: 2, ..rules(&[1]) };
    let mut world = World::new(rules, CALM, vec![1]);
    let (by, from) = ("ann".to_owned(), "docs".to_owned());
    let accepted = [Phase::DOCUMENTS.to_vec(), vec![Phase::Implement]].concat();
    world.happen(Adopted {
        from,
        accepted,
        life: FeatureLife::Active,
        by,
        files: vec![],
        branch: None,
        rehearsed: None,
    });
    world
}

/// What comes next, in a word each.
fn owed(world: &World) -> Vec<String> {
    let word = |effect: &Effect| match effect {
        Effect::Open { phase, .. } => format!("open {phase}"),
        Effect::Dispatch(order) => format!("send {}", order.ticket.purpose),
        Effect::Recover(_) => "recover".to_owned(),
        Effect::Snapshot(ticket) => format!("read {}", ticket.purpose),
        Effect::Check { gate, .. } => format!("check {gate}"),
        Effect::WriteRetro { why } => format!("write without words: {why}"),
        Effect::LeaveBank { why } => format!("leave the bank: {why}"),
        Effect::ApplyLessons => "apply".to_owned(),
        Effect::Ask(question) => format!("ask {}", question.choices.len()),
        Effect::ClosePhase { .. } => "close".to_owned(),
        Effect::Judge(_)
        | Effect::TakeOut { .. }
        | Effect::Combine { .. }
        | Effect::Land { .. }
        | Effect::CloseStage { .. } => format!("{effect:?}"),
    };
    pending(&world.state).iter().map(word).collect()
}

/// Plays until this comes next.
#[track_caller]
fn until(world: &mut World, wanted: &str) -> Vec<String> {
    let mut seen = Vec::new();
    for _ in 0..50 {
        let now = owed(world);
        if now.iter().any(|one| one == wanted) {
            return seen;
        }
        seen.extend(now);
        world.play(1);
    }
    panic!("no {wanted} after {seen:?}");
}

fn in_flight(world: &World) -> Ticket {
    let open = world.state.open.as_ref().unwrap();
    open.flights().next().unwrap().1.started.ticket.clone()
}

fn lesson() -> LessonName {
    LessonName { kind: "heuristic".into(), name: "n".into() }
}

fn retro(ticket: Option<Ticket>, plain: Option<&str>, relevant: Vec<LessonName>) -> RetroWritten {
    let (commit, added, judge, notes) = ("c".into(), vec![], None, vec![]);
    RetroWritten { ticket, commit, plain: plain.map(str::to_owned), added, relevant, judge, notes }
}

fn judged(ticket: Option<Ticket>, proposed: bool) -> BankJudged {
    let confirmed = if ticket.is_some() { vec![lesson()] } else { vec![] };
    let (commit, challenged, notes) = (String::new(), vec![], vec![]);
    BankJudged { ticket, commit, confirmed, challenged, proposed, notes }
}

fn merged() -> Merged {
    Merged { into: "main".into(), commit: "c".into(), history: MergeHistory::Keep, by: "ann".into() }
}

fn edited(to: &str) -> Edited {
    let (commit, by) = ("c".to_owned(), "ann".to_owned());
    Edited { revision: Revision::new(to), commit, by, first: false, compared: None }
}

/// Brought to where a person is asked about what was only proposed.
fn proposed() -> World {
    let mut world = ending();
    until(&mut world, "read retro");
    let ticket = in_flight(&world);
    world.happen(retro(Some(ticket), None, vec![lesson()]));
    until(&mut world, "read judge");
    let ticket = in_flight(&world);
    world.happen(judged(Some(ticket), true));
    world
}

fn decide(world: &mut World, choice: Decision) {
    let owed: Vec<Effect> = pending(&world.state);
    let [Effect::Ask(question)] = owed.as_slice() else { panic!("nobody is asked: {owed:?}") };
    let question = question.clone();
    let decided = decision(world.state.open.as_ref().unwrap(), &question, choice, "ann", "w");
    world.happen(Asked { question, estimate: None });
    world.happen(decided);
}

fn refused(world: &World, event: impl Into<Event>) -> bool {
    step(&world.state, &event.into()).is_err()
}

#[test]
fn gates_come_first_then_words_then_the_judgement_then_the_close() {
    let mut world = ending();
    let seen = until(&mut world, "read retro");
    assert_eq!(seen, ["open finish", "check gate-0", "check gate-1", "send retro", "recover"]);
    let ticket = in_flight(&world);
    world.happen(retro(Some(ticket), None, vec![lesson()]));
    assert_eq!(until(&mut world, "read judge"), ["send judge", "recover"]);
    let ticket = in_flight(&world);
    assert_eq!(ticket.purpose, Purpose::Judge);
    world.happen(judged(Some(ticket), false));
    assert_eq!(owed(&world), ["close"], "what is not only proposed needs nobody");
    assert!(world.play(1) || world.play(5));
    assert_eq!(world.state.phase(), None);
    assert_eq!(Pipeline::replay(&world.log).unwrap(), world.state);
}

#[test]
fn without_an_older_lesson_that_has_to_do_with_it_nobody_judges() {
    let mut world = ending();
    until(&mut world, "read retro");
    let ticket = in_flight(&world);
    assert!(refused(&world, judged(Some(ticket.clone()), false)), "not before the page");
    assert!(refused(&world, retro(None, Some("w"), vec![])), "not past an answer that is there");
    world.happen(retro(Some(ticket.clone()), None, vec![]));
    assert_eq!(owed(&world), ["close"]);
    assert!(refused(&world, retro(Some(ticket), None, vec![])), "once");
}

#[test]
fn who_fails_is_tried_so_often_as_the_limits_say_and_then_done_without() {
    let mut world = ending();
    for attempt in 1..=world.rules.limits.attempts {
        until(&mut world, "send retro");
        until(&mut world, "recover");
        let ticket = in_flight(&world);
        assert_eq!(ticket.attempt, attempt);
        let (now, detail) = (AfterFailure::Wait(1), "no luck".to_owned());
        world.happen(Failed { ticket, now, detail, usage: None, undone: vec![], forgot: None });
    }
    assert_eq!(owed(&world), ["write without words: no luck"]);
    world.happen(retro(None, Some("no luck"), vec![]));
    assert_eq!(owed(&world), ["close"]);
}

#[test]
fn a_judgement_that_cannot_be_had_leaves_the_bank_as_it_is() {
    let mut world = ending();
    until(&mut world, "read retro");
    let ticket = in_flight(&world);
    world.happen(retro(Some(ticket), None, vec![lesson()]));
    until(&mut world, "recover");
    let (ticket, now) = (in_flight(&world), AfterFailure::AskPerson);
    world.happen(Failed { ticket, now, detail: "no luck".into(), usage: None, undone: vec![], forgot: None });
    assert_eq!(owed(&world), ["leave the bank: no luck"]);
    world.happen(judged(None, false));
    assert_eq!(owed(&world), ["close"]);
}

#[test]
fn what_is_only_proposed_is_done_on_a_persons_word_and_only_then() {
    let mut world = proposed();
    assert_eq!(owed(&world), ["ask 2"]);
    assert!(refused(&world, BankApplied { commit: "c".into(), notes: vec![] }));
    decide(&mut world, Decision::Skip);
    assert_eq!(owed(&world), ["close"]);
    let mut world = proposed();
    decide(&mut world, Decision::Accept);
    assert_eq!(owed(&world), ["apply"]);
    world.happen(BankApplied { commit: "c".into(), notes: vec![] });
    assert_eq!(owed(&world), ["close"]);
    assert!(refused(&world, BankApplied { commit: "c".into(), notes: vec![] }), "once");
}

#[test]
fn a_proposal_of_nothing_asks_nobody() {
    let mut world = ending();
    until(&mut world, "read retro");
    let ticket = in_flight(&world);
    world.happen(retro(Some(ticket), None, vec![lesson()]));
    until(&mut world, "read judge");
    let ticket = in_flight(&world);
    world.happen(BankJudged { confirmed: vec![], ..judged(Some(ticket), true) });
    assert_eq!(owed(&world), ["close"]);
}

#[test]
fn a_base_that_moves_has_its_gates_run_again_and_keeps_what_was_learnt() {
    let mut world = proposed();
    decide(&mut world, Decision::Skip);
    world.happen(edited("another"));
    assert_eq!(until(&mut world, "close"), ["check gate-0", "check gate-1"]);
    let open = world.state.open.as_ref().unwrap();
    let finishing = open.finishing.as_ref().unwrap();
    assert!(finishing.retro.is_some() && finishing.judged.is_some());
}

#[test]
fn a_gate_that_fails_is_a_persons_to_decide() {
    for (choice, after) in [(Decision::Retry, "check gate-0"), (Decision::Accept, "check gate-1")] {
        let mut world = ending();
        world.habits.gate_fails = 100;
        world.play(2);
        assert_eq!(owed(&world), ["ask 3"]);
        decide(&mut world, choice);
        assert_eq!(owed(&world), [after], "{choice:?}");
    }
}

#[test]
fn a_feature_is_merged_after_its_end_once_and_is_over_then() {
    let mut world = ending();
    assert!(refused(&world, merged()), "not before its end");
    until(&mut world, "read retro");
    assert!(refused(&world, merged()));
    let ticket = in_flight(&world);
    world.happen(retro(Some(ticket), None, vec![]));
    world.play(5);
    assert_eq!(owed(&world), Vec::<String>::new());
    world.happen(merged());
    assert!(refused(&world, merged()), "once");
    let (by, why) = ("ann".to_owned(), "w".to_owned());
    assert!(refused(&world, Cancelled { by: by.clone(), why: why.clone() }));
    let lane = LaneSet { lane: Lane::Deep, until: Phase::Finish, by: by.clone(), why: why.clone() };
    assert!(refused(&world, lane), "no other lane");
    for phase in Phase::ALL {
        let back = WentBack { phase, by: by.clone(), why: why.clone() };
        assert!(refused(&world, back), "back to {phase}");
    }
    assert_eq!(owed(&world), Vec::<String>::new());
}

#[test]
fn facts_about_the_end_are_read_as_they_were_written() {
    let ticket = {
        let mut world = ending();
        until(&mut world, "read retro");
        in_flight(&world)
    };
    let challenged = vec![Challenged { lesson: lesson(), text: "t".into() }];
    let events: [Event; 5] = [
        retro(Some(ticket.clone()), Some("why"), vec![lesson()]).into(),
        BankJudged { challenged, ..judged(Some(ticket), true) }.into(),
        BankApplied { commit: "c".into(), notes: vec!["n".into()] }.into(),
        merged().into(),
        Merged { history: MergeHistory::Squash, ..merged() }.into(),
    ];
    for event in events {
        assert_eq!(event.version(), 1);
        let stored = event.encode();
        assert_eq!(Event::decode(event.kind(), 1, &stored), Ok(event.clone()), "{stored}");
        let more = stored.replacen('{', "{\"more\":1,", 1);
        assert!(Event::decode(event.kind(), 1, &more).is_err(), "an unknown field is refused");
    }
}
