//! What comes between the last task and the review: deeper tests, and the simplifier.

use super::*;

#[test]
fn tasks_come_in_their_order_then_the_extras_then_all_reviewers_at_once() {
    let mut world = building(2, true);
    answered(&mut world, Purpose::Outline);
    let now = open(&world).revision.clone().unwrap();
    built(&mut world, now.as_str(), false);
    assert!(world.play(200));
    assert!(pending(&world.state).is_empty());
    let sent: Vec<String> = started(&world).map(|fact| fact.ticket.to_string()).collect();
    assert_eq!(
        sent[..5],
        [
            "031/implement.1/task-1.1/implement/author/1.1",
            "031/implement.1/task-1.2/implement/author/1.1",
            "031/implement.1/outline/deepener/1.1",
            "031/implement.1/tests/deepener/1.1",
            "031/implement.1/simplify/simplifier/1.1",
        ]
    );
    assert_eq!(sent.len(), 8, "{sent:?}");
    assert_eq!(implementing(&world).tally(), (2, 0));
}

#[test]
fn a_ledger_in_which_the_simplifier_came_first_is_read() {
    let mut world = building(1, true);
    until(&mut world, Purpose::Outline);
    let template = started(&world).last().unwrap().clone();
    world.happen(Started {
        ticket: "031/implement.1/simplify/simplifier/1.1".parse().unwrap(),
        sees: open(&world).revision.clone(),
        since: None,
        session: None,
        ..template
    });
    world.play(1);
    built(&mut world, "simpler", false);
    gate(&mut world, true);
    until(&mut world, Purpose::Outline);
    assert_eq!(Pipeline::replay(&world.log).unwrap(), world.state);
}

/// Goes to where tests were written that fail.
fn diverging() -> World {
    let mut world = building(1, true);
    answered(&mut world, Purpose::Outline);
    let now = open(&world).revision.clone().unwrap();
    built(&mut world, now.as_str(), false);
    answered(&mut world, Purpose::Tests);
    built(&mut world, "t1", false);
    gate(&mut world, false);
    world
}

#[test]
fn code_is_mended_for_failing_tests_twice_and_the_tests_are_written_again() {
    let mut world = diverging();
    for (mended, tests) in [("m1", "t2"), ("m2", "t3")] {
        answered(&mut world, Purpose::Revise);
        let ticket = open(&world).flights().next().unwrap().1.started.ticket.clone();
        world.happen(Drafted {
            ticket,
            revision: Some(Revision::new(mended)),
            commit: "c".into(),
            summary: "s".into(),
            notes: vec![],
            questions: vec![],
            declined: vec![],
        });
        until(&mut world, Purpose::Tests);
        let goes_on = |effect: &Effect| match effect {
            Effect::Dispatch(order) => order.allowed.contains(&Send::Resume),
            _ => false,
        };
        assert!(
            pending(&world.state).iter().any(goes_on),
            "whoever wrote them is asked in the same conversation"
        );
        answered(&mut world, Purpose::Tests);
        built(&mut world, tests, false);
        gate(&mut world, false);
    }
    let question = asked(&world);
    assert_eq!(question.about, About::Divergence);
    assert_eq!(question.choices, [Decision::Accept, Decision::Abandon]);
    assert_eq!(open(&world).failed_gates, 0, "they have a limit of their own");
    decide(&mut world, Decision::Accept);
    let dropped = pending(&world.state);
    let files = ["tests/t1.rs", "tests/t2.rs", "tests/t3.rs"].map(str::to_owned).to_vec();
    let before = match &implementing(&world).taken_out {
        Some(tests) => tests.before.clone(),
        None => panic!("nothing is remembered of the tests"),
    };
    assert_eq!(dropped, [Effect::TakeOut { before, files }]);
    assert!(world.play(200));
    assert!(pending(&world.state).is_empty(), "the code is reviewed without them");
}

#[test]
fn what_fails_after_the_simplifier_is_its_fault_and_not_that_of_the_tests() {
    let mut world = building(1, true);
    answered(&mut world, Purpose::Outline);
    let now = open(&world).revision.clone().unwrap();
    built(&mut world, now.as_str(), false);
    answered(&mut world, Purpose::Tests);
    built(&mut world, "t1", false);
    gate(&mut world, true);
    answered(&mut world, Purpose::Simplify);
    built(&mut world, "s1", false);
    gate(&mut world, false);
    assert!(!open(&world).diverges(), "the tests passed before");
    until(&mut world, Purpose::Revise);
}

#[test]
fn what_helps_is_never_waited_for() {
    let mut world = building(1, true);
    for purpose in [Purpose::Outline, Purpose::Simplify] {
        let ticket = until(&mut world, purpose);
        world.play(1);
        let now = AfterFailure::AskPerson;
        world.happen(Failed { ticket, now, detail: "d".into(), usage: None, undone: vec![], forgot: None });
    }
    assert!(world.play(200));
    assert!(pending(&world.state).is_empty());
    assert!(
        started(&world).all(|fact| fact.ticket.purpose != Purpose::Tests),
        "there was no outline to write from"
    );
}

#[test]
fn an_empty_outline_is_no_reason_to_write_tests() {
    let mut world = building(1, true);
    answered(&mut world, Purpose::Outline);
    let now = open(&world).revision.clone().unwrap();
    built(&mut world, now.as_str(), true);
    assert_eq!(implementing(&world).outline, None::<BlobId>);
    until(&mut world, Purpose::Review);
}
