//! Tasks that cannot be carried out, or are said not to be done.

use super::super::draws::started;
use super::super::world::*;
use super::{answered, asked, building, built, decide, implementing, open, until};
use redraft_core::pipeline::{Pipeline, pending};
use redraft_core::review::{Effect, TaskEnd};
use redraft_facts::event::*;
use redraft_facts::ids::Revision;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

/// Seed 022, AC-20: a task whose dispatch failed is retried or marked blocked, and the others go on.
#[test]
fn ac_20_a_task_that_cannot_be_carried_out_is_asked_about_and_marked_blocked() {
    let mut world = building(2, false);
    for attempt in 1..=3 {
        let ticket = until(&mut world, Purpose::Implement);
        assert_eq!(ticket.attempt, attempt);
        world.play(1);
        let detail = "no such file".to_owned();
        world.happen(Failed {
            ticket,
            now: AfterFailure::GiveUp,
            detail,
            usage: None,
            undone: vec![],
            forgot: None,
        });
    }
    let question = asked(&world);
    assert_eq!(question.text, "task 1.1 (t) could not be carried out in 3 attempts: no such file");
    assert_eq!(question.choices, [Decision::Retry, Decision::Skip, Decision::Abandon]);
    decide(&mut world, Decision::Retry);
    assert_eq!(until(&mut world, Purpose::Implement).attempt, 4, "tried again");
    world.play(1);
    let ticket = open(&world).flights().next().unwrap().1.started.ticket.clone();
    let now = AfterFailure::AskPerson;
    world.happen(Failed { ticket, now, detail: "still".into(), usage: None, undone: vec![], forgot: None });
    decide(&mut world, Decision::Skip);
    assert_eq!(implementing(&world).tasks[0].end, Some(TaskEnd::Blocked { why: "w".into() }));
    assert!(world.play(200));
    assert_eq!(implementing(&world).tally(), (1, 1));
    assert!(pending(&world.state).is_empty(), "the others were carried out and reviewed");
}

/// An implementer that says of its task that it is not done is believed: nobody checks or reviews it.
#[test]
fn a_task_that_is_said_not_to_be_done_is_tried_again_and_then_asked_about() {
    let mut world = building(2, false);
    let stop = |world: &mut World, revision: &str| {
        let ticket = until(world, Purpose::Implement);
        world.play(2);
        let (revision, report, notes) = (Revision::new(revision), Report::default(), vec![]);
        let (commit, files, already) = ("c".to_owned(), vec!["src/a.rs".to_owned()], false);
        let unfinished = Some("AC1 cannot be met".to_owned());
        world.happen(Built {
            ticket: ticket.clone(),
            revision,
            commit,
            report,
            files,
            already,
            notes,
            unfinished,
        });
        ticket
    };
    for attempt in 1..=3 {
        assert_eq!(stop(&mut world, &format!("half-{attempt}")).attempt, attempt);
        let told = implementing(&world).tasks[0].unfinished.as_deref();
        assert_eq!(told, Some("AC1 cannot be met"), "the next attempt is told");
        assert!(open(&world).gates.is_empty(), "no check is paid for");
        let resumes =
            |effect: &Effect| matches!(effect, Effect::Dispatch(order) if order.conversation.is_some());
        assert!(!pending(&world.state).iter().any(resumes), "the next one looks for itself");
    }
    let question = asked(&world);
    let text = "task 1.1 (t) could not be carried out in 3 attempts: it says that the task is not done; the implementer \
        said: AC1 cannot be met";
    assert_eq!(question.text, text);
    assert_eq!(question.choices, [Decision::Retry, Decision::Skip, Decision::Abandon], "it is not accepted");
    let replayed = Pipeline::replay(&world.log).unwrap();
    assert_eq!(replayed, world.state);
    decide(&mut world, Decision::Skip);
    let [Effect::TakeOut { before, files }] = &pending(&world.state)[..] else {
        panic!("nothing is taken out")
    };
    assert_eq!((before, &files[..]), (&Revision::new("r0"), &["src/a.rs".to_owned()][..]));
    assert!(world.play(200));
    assert_eq!(implementing(&world).tally(), (1, 1));
}

#[test]
fn a_task_that_was_stopped_with_all_of_its_work_there_needs_no_further_change() {
    let mut world = building(1, false);
    let ticket = until(&mut world, Purpose::Implement);
    world.play(2);
    world.happen(Built {
        ticket,
        revision: Revision::new("all"),
        commit: "c".to_owned(),
        report: Report::default(),
        files: vec!["src/a.rs".to_owned()],
        already: false,
        notes: vec![],
        unfinished: Some("I could not run the tests".to_owned()),
    });
    answered(&mut world, Purpose::Implement);
    built(&mut world, "all", false);
    assert!(matches!(pending(&world.state)[..], [Effect::Check { .. }]), "the checks decide");
    assert!(world.play(200));
    assert_eq!(implementing(&world).tally(), (1, 0));
}

#[test]
fn a_task_that_was_stopped_and_then_carried_out_is_done() {
    let mut world = building(1, false);
    world.habits.stops = 100;
    until(&mut world, Purpose::Implement);
    world.play(3);
    assert!(implementing(&world).tasks[0].unfinished.is_some());
    assert!(!started(&world).any(|fact| fact.ticket.purpose.judges()));
    world.habits.stops = 0;
    assert!(world.play(200));
    assert_eq!(implementing(&world).tasks[0].unfinished, None);
    assert_eq!(implementing(&world).tally(), (1, 0));
}
