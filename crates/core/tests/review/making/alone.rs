//! Checks where the commit has to be alone in its checkout.

use super::super::world::*;
use super::{answered, building, built};
use redraft_core::pipeline::{pending, step};
use redraft_core::review::Effect;
use redraft_facts::event::*;
use redraft_facts::ids::BlobId;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

/// Whether the commit must be alone, for each check up to the first review, with the revision it is about.
fn checkouts(world: &mut World) -> Vec<(String, bool)> {
    let mut asked = Vec::new();
    for _ in 0..200 {
        match &pending(&world.state)[..] {
            [Effect::Dispatch(order), ..] if order.ticket.purpose.judges() => return asked,
            [Effect::Check { revision, empty, .. }] => asked.push((revision.to_string(), *empty)),
            _ => {}
        }
        world.play(1);
    }
    panic!("no review: {asked:?}");
}

#[test]
fn what_reviewers_are_asked_about_has_passed_where_the_commit_was_alone() {
    for (tasks, extras) in [(1, false), (3, false), (1, true), (3, true)] {
        let mut world = building(tasks, extras);
        let asked = checkouts(&mut world);
        let (last, before) = asked.split_last().unwrap();
        assert!(last.1, "{tasks} {extras}: {asked:?}");
        // Nothing else needs it, so that builds on the way begin with what earlier ones have kept.
        assert!(before.iter().all(|(_, empty)| !empty), "{tasks} {extras}: {asked:?}");
        // Where the review is next after the last task, it is not checked twice.
        if !extras {
            assert_eq!(asked.len(), tasks, "{asked:?}");
        }
    }
}

#[test]
fn a_result_among_other_files_is_not_taken_where_the_commit_must_be_alone() {
    let mut world = building(1, false);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "r1", false);
    let [Effect::Check { revision, gate, empty: true }] = &pending(&world.state)[..] else {
        panic!("{:?}", pending(&world.state))
    };
    let checkout = |empty| Checkout {
        commit: "c".into(),
        tree: revision.clone(),
        empty,
        prepared: BlobId::new("p"),
        same_as: None,
        notes: vec![],
        sandbox: None,
        refused: None,
    };
    let result = |passed: bool, empty| {
        let (evidence, command, output) = (String::new(), "c".to_owned(), String::new());
        let (code, wall_ms, checkout) = (Some(i32::from(!passed)), 1, Some(checkout(empty)));
        let (revision, gate) = (revision.clone(), gate.clone());
        Event::from(Checked {
            pass: 1,
            revision,
            gate,
            passed,
            evidence,
            command,
            code,
            wall_ms,
            output,
            checkout,
        })
    };
    let taken = |event: &Event| step(&world.state, event).is_ok();
    let cases = [(true, true, true), (true, false, false), (false, true, true), (false, false, true)];
    for (passed, empty, expected) in cases {
        assert_eq!(taken(&result(passed, empty)), expected, "passed {passed}, empty {empty}");
    }
}
