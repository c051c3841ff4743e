//! Whom a person may overrule, and what becomes of the findings.

use super::super::world::*;
use super::{about, decide, ended, open, sent};
use redraft_core::review::{LoopEnd, question};
use redraft_facts::event::*;
use redraft_facts::findings::Status;
use redraft_facts::ids::Role;
use redraft_facts::prelude::*;

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
