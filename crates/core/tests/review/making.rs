//! Code that is built before it is reviewed: what holds for every sequence of events, and named scenarios.

mod alone;
mod extras;
mod not_done;
pub(crate) mod refused;

use super::draws::{any_habits, any_rules, started};
use super::world::*;
use proptest::prelude::*;
use redraft_core::pipeline::{Pipeline, pending, step};
use redraft_core::review::{Effect, Implementing, Loop, TaskEnd, dispatches_max};
use redraft_facts::choice::Strategy as Send;
use redraft_facts::event::*;
use redraft_facts::ids::{BlobId, Revision};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket, Unit};

fn any_building() -> impl Strategy<Value = World> {
    let draws = proptest::collection::vec(any::<u8>(), 1..400);
    let tasks = (1usize..5).prop_flat_map(|tasks| (Just(tasks), 0..=tasks));
    (any_rules(), any_habits(), draws, tasks, any::<bool>(), 0usize..3).prop_map(
        |(rules, habits, draws, (tasks, ticked), extras, gates)| {
            let rules = Rules { tasks, ticked, extras, gates, until: Phase::Specify, ..rules };
            World::building(rules, habits, draws)
        },
    )
}

fn building(tasks: usize, extras: bool) -> World {
    World::building(Rules { tasks, extras, ..rules(&[3]) }, CALM, vec![1])
}

fn open(world: &World) -> &Loop {
    world.state.latest().unwrap()
}

fn implementing(world: &World) -> &Implementing {
    open(world).implementing.as_ref().unwrap()
}

/// Plays until a dispatch of this purpose is pending, and returns its ticket.
fn until(world: &mut World, purpose: Purpose) -> Ticket {
    for _ in 0..500 {
        let owed = pending(&world.state).into_iter().find_map(|effect| match effect {
            Effect::Dispatch(order) if order.ticket.purpose == purpose => Some(order.ticket),
            _ => None,
        });
        match owed {
            Some(ticket) => return ticket,
            None => drop(world.play(1)),
        }
    }
    panic!("no {purpose} within 500 steps");
}

fn asked(world: &World) -> Question {
    match pending(&world.state).as_slice() {
        [Effect::Ask(question)] => question.clone(),
        other => panic!("nobody is asked: {other:?}"),
    }
}

fn decide(world: &mut World, choice: Decision) {
    let question = asked(world);
    let decided = redraft_core::review::decision(open(world), &question, choice, "ann", "w");
    world.happen(Asked { question, estimate: None });
    world.happen(decided);
}

proptest! {
    #[test]
    fn nothing_is_reviewed_before_every_task_has_ended_and_every_gate_has_passed(mut world in any_building()) {
        world.play(20_000);
        let mut state = Pipeline::default();
        for entry in &world.log {
            if let (Event::Started(fact), Some(open)) = (&entry.event, &state.open)
                && fact.ticket.purpose.judges()
                && let Some(implementing) = &open.implementing
            {
                prop_assert!(implementing.current().is_none(), "{} while a task is left", fact.ticket);
                let gates = &open.opened.gates;
                let passed = |gate: &String| {
                    open.gates.get(gate).is_some_and(|check| check.passed && Some(&check.revision) == fact.sees.as_ref())
                };
                prop_assert!(gates.iter().all(passed), "{} before its gates", fact.ticket);
            }
            state = step(&state, &entry.event).unwrap();
        }
        prop_assert_eq!(Pipeline::replay(&world.log).unwrap(), world.state);
    }

    #[test]
    fn a_task_is_done_only_when_the_gates_have_passed_what_was_built(mut world in any_building()) {
        world.play(20_000);
        let mut state = Pipeline::default();
        for entry in &world.log {
            let next = step(&state, &entry.event).unwrap();
            let done = |state: &Pipeline| {
                state.open.as_ref().and_then(|open| open.implementing.as_ref()).map_or(0, |implementing| implementing.tally().0)
            };
            let same_pass = state.open.is_some() && next.open.is_some();
            if same_pass && done(&next) > done(&state) {
                let open = next.open.as_ref().unwrap();
                let ruled = matches!(&entry.event, Event::Decided(fact) if fact.choice == Decision::Accept);
                let none = open.opened.gates.is_empty() && matches!(entry.event, Event::Built(_));
                let passed = matches!(&entry.event, Event::Checked(check) if check.passed);
                let before = matches!(&entry.event, Event::Built(_) | Event::Edited(_));
                prop_assert!(ruled || none || passed || before, "{:?}", entry.event);
                let revision = open.revision.as_ref();
                let all = open.opened.gates.iter().all(|gate| {
                    open.gates.get(gate).is_some_and(|check| check.passed && Some(&check.revision) == revision)
                });
                prop_assert!(all);
            }
            state = next;
        }
    }

    #[test]
    fn a_loop_that_builds_ends_within_its_bound_when_no_person_touches_it(mut world in any_building()) {
        world.habits.person = false;
        world.habits.edit = 0;
        world.habits.lose = 0;
        prop_assert!(world.play(20_000));
        let roles = world.rules.panels.iter().sum::<usize>() as u64;
        let (stages, tasks) = (world.rules.panels.len() as u64, world.rules.tasks as u64);
        let bound = dispatches_max(&world.rules.limits, stages, roles, tasks);
        prop_assert!(started(&world).count() as u64 <= bound);
        prop_assert!(pending(&world.state).is_empty() || matches!(pending(&world.state)[..], [Effect::Ask(_)]));
    }

    #[test]
    fn every_task_begins_in_a_conversation_of_its_own(mut world in any_building()) {
        world.play(20_000);
        let mut begun: BTreeSet<(u16, Unit)> = BTreeSet::new();
        for fact in started(&world).filter(|fact| fact.ticket.purpose == Purpose::Implement) {
            let first = begun.insert((fact.ticket.pass, fact.ticket.unit.clone()));
            prop_assert!(!first || fact.choice.strategy != Send::Resume, "{}", fact.ticket);
        }
        // Whoever wrote tests goes on with them, and with nothing from before.
        let mut tested: BTreeSet<u16> = BTreeSet::new();
        for fact in started(&world) {
            let fresh = match fact.ticket.purpose {
                Purpose::Simplify | Purpose::Outline => true,
                Purpose::Tests => tested.insert(fact.ticket.pass),
                _ => false,
            };
            prop_assert!(!fresh || fact.choice.strategy != Send::Resume, "{}", fact.ticket);
        }
    }
}

#[test]
fn a_task_that_was_done_before_is_never_sent_and_counts_as_done() {
    for ticked in 0..=2 {
        let rules = Rules { tasks: 2, ticked, ..rules(&[3]) };
        let mut world = World::building(rules, CALM, vec![1]);
        assert!(world.play(200), "{ticked}");
        assert!(pending(&world.state).is_empty(), "{ticked}");
        let sent = started(&world).filter(|fact| fact.ticket.purpose == Purpose::Implement).count();
        assert_eq!((sent, implementing(&world).tally()), (2 - ticked, (2, 0)), "{ticked}");
        let before =
            implementing(&world).tasks.iter().filter(|task| task.end == Some(TaskEnd::Before)).count();
        assert_eq!(before, ticked);
        let judged = started(&world).filter(|fact| fact.ticket.purpose.judges()).count();
        assert!(judged >= 3, "everybody reviews the code, also where nothing was built here: {judged}");
    }
}

#[test]
fn checks_that_fail_three_times_in_a_row_ask_a_person() {
    let mut world = building(1, false);
    world.habits.gate_fails = 100;
    assert!(world.play(200));
    let question = asked(&world);
    assert_eq!(question.text, "gate-0 failed 3 times in a row in task 1.1 (t)");
    assert_eq!(
        question.choices,
        [Decision::Retry, Decision::Skip, Decision::Accept, Decision::Abandon],
        "a new pass would begin the same task again"
    );
    let rounds: Vec<u16> = started(&world).map(|fact| fact.ticket.round).collect();
    assert_eq!(rounds, [1, 2, 3], "what was built was mended twice");
    world.habits.gate_fails = 0;
    decide(&mut world, Decision::Accept);
    assert_eq!(implementing(&world).tally(), (1, 0), "a person took it as it is");
}

/// Seed 022, SC-4 and interface 4: an entry for every task, with its four fields and who built it.
#[test]
fn sc_4_the_implementation_log_has_an_entry_for_every_task() {
    let mut world = building(2, false);
    assert_eq!(redraft_reports::projections::implementation_log(&world.log), None, "nothing was built");
    assert!(world.play(200));
    let log = redraft_reports::projections::implementation_log(&world.log).unwrap();
    let entry = "- **Files changed:** f\n- **Decisions:** none\n- **Deviations:** none\n- **Concerns:** none\n\
         - **Agent:** fake\n";
    assert_eq!(
        log,
        format!(
            "# Implementation Log\n\n## Task 1.1: t\n{entry}\n## Task 1.2: t\n{entry}\n2 tasks done, 0 skipped or blocked\n"
        )
    );
}

fn built(world: &mut World, revision: &str, already: bool) {
    let ticket = open(world).flights().next().unwrap().1.started.ticket.clone();
    let commit = if Some(&Revision::new(revision)) == open(world).revision.as_ref() { "" } else { "c" };
    let files = if commit.is_empty() { vec![] } else { vec![format!("tests/{revision}.rs")] };
    let (revision, commit, report, notes) =
        (Revision::new(revision), commit.into(), Report::default(), vec![]);
    world.happen(Built { ticket, revision, commit, report, files, already, notes, unfinished: None });
}

/// Sends what is pending and lets it be answered.
fn answered(world: &mut World, purpose: Purpose) {
    until(world, purpose);
    world.play(2);
}

#[test]
fn already_complete_counts_only_where_the_checks_agree() {
    let mut world = building(1, false);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "r0", true);
    assert!(matches!(pending(&world.state)[..], [Effect::Check { .. }]), "the checks are asked first");
    assert!(world.play(200));
    assert_eq!(implementing(&world).tally(), (1, 0));

    let mut world = World::building(Rules { tasks: 1, gates: 0, ..rules(&[1]) }, CALM, vec![1]);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "r0", true);
    let text = asked(&world).text;
    assert!(
        text.ends_with("it says that the task is done, and there is no check that could confirm it"),
        "{text}"
    );

    let mut world = building(1, false);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "r0", false);
    assert_eq!(until(&mut world, Purpose::Implement).attempt, 2, "nothing was done and nothing claimed");
}

fn gate(world: &mut World, passes: bool) {
    world.habits.gate_fails = if passes { 0 } else { 100 };
    assert!(matches!(pending(&world.state)[..], [Effect::Check { .. }]), "{:?}", pending(&world.state));
    world.play(1);
    world.habits.gate_fails = 0;
}

#[test]
fn an_edit_back_to_what_has_passed_ends_the_task_that_was_built() {
    let mut world = World::building(Rules { tasks: 2, gates: 2, ..rules(&[1]) }, CALM, vec![1]);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "a", false);
    gate(&mut world, true);
    gate(&mut world, true);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "b", false);
    assert_eq!(implementing(&world).tally(), (1, 0));
    let (revision, commit, by) = (Revision::new("a"), "c".into(), "ann".into());
    world.happen(Edited { revision, commit, by, first: false, compared: None });
    assert_eq!(implementing(&world).tally(), (2, 0), "the gates know this revision");
    until(&mut world, Purpose::Review);
}

#[test]
fn a_new_pass_does_not_carry_out_again_what_is_done() {
    let mut world = building(2, false);
    world.habits.reject = 100;
    world.rules.limits.rounds = 1;
    let mut world = World::building(world.rules.clone(), world.habits.clone(), vec![1]);
    assert!(world.play(400));
    decide(&mut world, Decision::Rerun);
    assert!(matches!(pending(&world.state)[..], [Effect::Open { pass: 2, .. }]));
    world.play(1);
    assert_eq!(implementing(&world).tally(), (2, 0));
    until(&mut world, Purpose::Review);
}

#[test]
fn what_was_built_of_a_task_that_is_gone_on_without_is_taken_out_before_the_next() {
    let limits = Limits { gates: 1, ..Limits::default() };
    let mut world = World::building(Rules { tasks: 2, gates: 1, limits, ..rules(&[1]) }, CALM, vec![1]);
    until(&mut world, Purpose::Implement);
    let before = open(&world).revision.clone().unwrap();
    answered(&mut world, Purpose::Implement);
    built(&mut world, "broken", false);
    gate(&mut world, false);
    assert_eq!(asked(&world).about, About::Gate);
    decide(&mut world, Decision::Skip);
    assert_eq!(implementing(&world).tally(), (0, 1));
    let Some(Effect::TakeOut { before: back, files }) = pending(&world.state).pop() else {
        panic!("{:?}", pending(&world.state))
    };
    assert_eq!((&back, files.is_empty()), (&before, false));
    let others = TakenOut { revision: before.clone(), commit: "c".into(), files: vec!["other".into()] };
    assert!(step(&world.state, &others.into()).is_err(), "other files were not to be taken out");
    world.happen(TakenOut { revision: before.clone(), commit: "c".into(), files });
    assert_eq!(open(&world).revision, Some(before));
    let ticket = until(&mut world, Purpose::Implement);
    assert_eq!(ticket.unit, Unit::Task(implementing(&world).tasks[1].id.clone()));
}

#[test]
fn checks_that_failed_are_run_again_after_a_turn_that_changed_nothing_and_when_a_person_says_so() {
    let mut world = building(1, false);
    until(&mut world, Purpose::Implement);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "a", false);
    gate(&mut world, false);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "a", false);
    assert_eq!(open(&world).unchanged, 1);
    gate(&mut world, false);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "a", false);
    gate(&mut world, false);
    assert_eq!(open(&world).failed_gates, 3);
    assert_eq!(asked(&world).about, About::Gate);
    decide(&mut world, Decision::Retry);
    // The cause of the failure may be gone.
    gate(&mut world, true);
    assert_eq!(implementing(&world).tally(), (1, 0));
}

#[test]
fn a_task_that_says_something_else_now_is_carried_out_again_in_a_later_pass() {
    let mut world = building(2, false);
    world.play(400);
    let mut opened = open(&world).opened.clone();
    opened.tasks[1].text = BlobId::new("another text");
    let later = Implementing::new(&opened, Some(implementing(&world))).unwrap();
    let ends: Vec<bool> = later.tasks.iter().map(|task| task.end.is_some()).collect();
    assert_eq!(ends, [true, false]);
}
