//! Named courses of tasks that are carried out side by side.

use super::super::making::refused::fails;
use super::*;
use redraft_core::review::SentBack;
use redraft_facts::ids::Revision;
use redraft_reports::projections::{BoardRow, TaskTally, board_row};
use redraft_reports::standing::Surroundings;

/// Tasks that write a file each, all at once.
fn side_by_side(tasks: usize, jobs: u16) -> World {
    let declare = |at: usize| Declaration { needs: vec![], files: vec![format!("own/{at}.rs")] };
    let declared = (0..tasks).map(declare).collect();
    let mut world = World::building(Rules { tasks, jobs, declared, ..rules(&[1]) }, CALM, vec![1]);
    until(&mut world, |effect| matches!(effect, Effect::Dispatch(_)));
    if jobs > 1 {
        set_jobs(&mut world, jobs);
    }
    world
}

/// Plays until this is pending.
#[track_caller]
fn until(world: &mut World, wanted: impl Fn(&Effect) -> bool) {
    for _ in 0..500 {
        if pending(&world.state).iter().any(&wanted) {
            return;
        }
        world.play(1);
    }
    panic!("it never comes to this: {:?}", pending(&world.state));
}

fn sends(world: &World) -> Vec<(String, Option<u16>)> {
    let orders = pending(&world.state).into_iter().filter_map(|effect| match effect {
        Effect::Dispatch(order) => Some((task_of(&order.ticket)?.to_string(), order.slot)),
        _ => None,
    });
    orders.collect()
}

fn task(world: &World, at: usize) -> TaskWork {
    building(&world.state).unwrap().tasks[at].clone()
}

fn at_work(world: &World, at: usize) -> Ticket {
    task(world, at).seat.flight().unwrap().started.ticket.clone()
}

fn start(world: &mut World, at: usize) {
    let order = pending(&world.state).into_iter().find_map(|effect| match effect {
        Effect::Dispatch(order) if task_of(&order.ticket) == Some(&task(world, at).id) => Some(order),
        _ => None,
    });
    let order = order.unwrap();
    world.happen(sent(&order, order.allowed[0], false));
}

fn finish(world: &mut World, at: usize) {
    let ticket = at_work(world, at);
    world.answer(ticket.clone(), Default::default());
    let slot = task(world, at).seat.flight().unwrap().started.slot.clone().unwrap();
    let work = Built {
        ticket,
        revision: Revision::new(format!("own-{at}")),
        commit: format!("commit-{at}"),
        report: Report::default(),
        files: vec![format!("own/{at}.rs")],
        already: false,
        notes: vec![],
        unfinished: None,
    };
    world.happen(Enqueued { base: slot.base, work });
}

fn exclude(world: &mut World, at: usize) {
    let onto = open(&world.state).unwrap().revision.clone().unwrap();
    let conflict = Conflict { task: task(world, at).id, files: vec!["src/a.rs".into()] };
    world.happen(Combined { onto, steps: vec![], conflict: Some(conflict) });
}

fn decide(world: &mut World, choice: Decision) {
    let [Effect::Ask(question)] = &pending(&world.state)[..] else { panic!("nobody is asked") };
    let decided = redraft_core::review::decision(open(&world.state).unwrap(), question, choice, "ann", "w");
    world.happen(decided);
}

fn set_jobs(world: &mut World, jobs: u16) {
    world.rules.jobs = jobs;
    world.happen(JobsSet { jobs, by: "ann".into() });
}

#[test]
fn each_begins_in_a_place_of_its_own_and_a_free_place_is_used_again() {
    let mut world = side_by_side(5, 3);
    let named = |at: u16| (format!("1.{at}"), Some(at));
    assert_eq!(sends(&world), [named(1), named(2), named(3)]);
    start(&mut world, 1);
    assert_eq!(sends(&world), [named(1), named(3)], "its place is taken");
    start(&mut world, 0);
    start(&mut world, 2);
    assert_eq!(sends(&world), [], "three are at work");
    let ticket = at_work(&world, 1);
    world.happen(Lost { ticket, cost: Default::default(), undone: vec![] });
    assert_eq!(sends(&world), [named(2)]);
    finish(&mut world, 0);
    assert_eq!(sends(&world), [], "what is finished lands first, so that the next begin from it");
    finish(&mut world, 2);
    assert!(matches!(&pending(&world.state)[..], [Effect::Combine { tasks }] if tasks.len() == 2));
    until(&mut world, |effect| matches!(effect, Effect::Dispatch(_)));
    let next: Vec<String> = sends(&world).into_iter().map(|(id, _)| id).collect();
    assert_eq!(next, ["1.2", "1.4", "1.5"]);
    assert!(world.play(500));
    assert_eq!(building_tally(&world), (5, 0));
}

fn building_tally(world: &World) -> (usize, usize) {
    world.state.latest().and_then(|open| open.implementing.as_ref()).unwrap().tally()
}

#[test]
fn the_board_counts_who_is_at_work_and_who_waits_and_nobody_is_at_work_where_nobody_drives() {
    let mut world = side_by_side(5, 3);
    (0..3).for_each(|at| start(&mut world, at));
    finish(&mut world, 1);
    let row = BoardRow::new(&world.state, 0);
    let tasks = row.tasks.unwrap();
    assert_eq!(tasks.now_in_words(), "0 of 5 tasks done, 0 skipped or blocked, 2 at work, 1 in the queue");
    assert_eq!(serde_json::from_str::<BoardRow>(&board_row(&world.state, 0)).unwrap(), row);
    let stored = serde_json::to_value(tasks).unwrap();
    let expected = serde_json::json!({"done": 0, "blocked": 0, "total": 5, "at_work": 2, "queued": 1});
    assert_eq!(stored, expected);
    let now =
        |is_driven| row.clone().now(&Surroundings { is_driven, ..Surroundings::default() }).tasks.unwrap();
    assert_eq!((now(true), now(false).at_work, now(false).queued), (tasks, 0, 1));
    assert_eq!(
        TaskTally::summed([tasks, tasks].into_iter()).unwrap(),
        "0 of 10 tasks done, 4 at work, 2 in the queue"
    );
}

#[test]
fn the_second_conflict_in_a_row_asks_a_person_and_their_answer_starts_the_count_again() {
    let mut world = side_by_side(1, 2);
    for nth in 1..=2 {
        start(&mut world, 0);
        finish(&mut world, 0);
        exclude(&mut world, 0);
        assert_eq!(task(&world, 0).conflicts, nth);
        assert_eq!(task(&world, 0).own.as_deref(), Some("commit-0"));
    }
    let text = "task 1.1 (t) could not be carried out in 2 attempts: its work and what became part of the feature \
        meanwhile exclude each other in src/a.rs";
    assert!(matches!(&pending(&world.state)[..], [Effect::Ask(question)] if question.text == text));
    decide(&mut world, Decision::Retry);
    start(&mut world, 0);
    finish(&mut world, 0);
    exclude(&mut world, 0);
    assert_eq!(sends(&world), [("1.1".to_owned(), Some(1))], "the first one since");
    world.habits.person = true;
    assert!(world.play(500));
    assert_eq!(building_tally(&world), (1, 0));
}

#[test]
fn an_edit_while_a_task_waits_does_not_hide_that_it_was_in_conflict_before() {
    let mut world = side_by_side(2, 2);
    start(&mut world, 0);
    finish(&mut world, 0);
    let revision = Revision::new("edited");
    world.happen(Edited { revision, commit: "c".into(), by: "ann".into(), first: false, compared: None });
    exclude(&mut world, 0);
    let work = task(&world, 0).seat.work.unwrap();
    assert_eq!((work.failures, work.trouble.is_empty(), work.fresh), (1, false, true));
    assert!(matches!(task(&world, 0).returned, Some(SentBack::Conflict { .. })));
}

#[test]
fn a_task_that_was_begun_in_the_features_own_place_ends_there() {
    let mut world = side_by_side(3, 1);
    assert_eq!(sends(&world), [("1.1".to_owned(), None)]);
    start(&mut world, 0);
    set_jobs(&mut world, 3);
    assert_eq!(sends(&world), [], "nobody begins beside it");
    until(&mut world, |effect| matches!(effect, Effect::Snapshot(_)));
    assert_eq!(sends(&world), []);
    until(&mut world, |effect| matches!(effect, Effect::Dispatch(_)));
    assert_eq!(sends(&world), [("1.2".to_owned(), Some(1)), ("1.3".to_owned(), Some(2))]);
    assert!(world.play(500));
    assert_eq!(building_tally(&world), (3, 0));
}

#[test]
fn a_task_that_was_begun_in_a_place_of_its_own_goes_on_with_what_it_did_there() {
    let mut world = side_by_side(2, 2);
    start(&mut world, 0);
    finish(&mut world, 0);
    exclude(&mut world, 0);
    set_jobs(&mut world, 1);
    assert_eq!(sends(&world), [("1.1".to_owned(), Some(1))], "one after the other, but where its work is");
    assert!(world.play(500));
    assert_eq!(building_tally(&world), (2, 0));
    let second = started(&world).find(|fact| task_of(&fact.ticket).is_some_and(|id| id.as_str() == "1.2"));
    assert_eq!(second.unwrap().slot, None);
}

#[test]
fn a_task_that_waits_for_a_person_takes_no_place_from_others_and_gives_none() {
    let mut world = side_by_side(4, 2);
    start(&mut world, 0);
    start(&mut world, 1);
    let ticket = at_work(&world, 0);
    let now = AfterFailure::AskPerson;
    world.happen(Failed { ticket, now, detail: "d".into(), usage: None, undone: vec![], forgot: None });
    assert_eq!(sends(&world), [("1.3".to_owned(), Some(1))]);
    start(&mut world, 2);
    assert_eq!(sends(&world), [], "two are at work");
    finish(&mut world, 1);
    finish(&mut world, 2);
    until(&mut world, |effect| matches!(effect, Effect::Ask(_)));
    assert_eq!(building_tally(&world), (3, 0), "the others are carried out first");
    decide(&mut world, Decision::Skip);
    assert!(world.play(500));
    assert_eq!(building_tally(&world), (3, 1));
}

#[test]
fn a_new_pass_goes_on_with_what_was_done_and_did_not_land() {
    let mut world = side_by_side(2, 2);
    start(&mut world, 0);
    finish(&mut world, 0);
    exclude(&mut world, 0);
    world.happen(WentBack { phase: Phase::Specify, by: "ann".into(), why: "w".into() });
    until(
        &mut world,
        |effect| matches!(effect, Effect::Dispatch(order) if order.ticket.purpose == Purpose::Implement),
    );
    assert_eq!(task(&world, 0).own.as_deref(), Some("commit-0"));
    assert_eq!(task(&world, 0).touched.len(), 1);
    assert!(task(&world, 1).own.is_none());
}

#[test]
fn a_check_that_its_sandbox_refused_something_asks_a_person_before_anybody_is_sent() {
    let mut world = side_by_side(1, 2);
    start(&mut world, 0);
    finish(&mut world, 0);
    let onto = open(&world.state).unwrap().revision.clone().unwrap();
    let (revision, commit) = (Revision::new("both"), "c".to_owned());
    let step = CombinedStep { task: task(&world, 0).id, revision, commit };
    world.happen(Combined { onto, steps: vec![step], conflict: None });
    for _ in 0..2 {
        fails(&mut world, Some("it was refused the network"));
    }
    let pending = pending(&world.state);
    let [Effect::Ask(question)] = &pending[..] else { panic!("{pending:?}") };
    assert!(question.text.contains("it was refused the network"), "{}", question.text);
}
