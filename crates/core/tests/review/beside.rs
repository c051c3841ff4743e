//! Tasks that are carried out side by side: what holds for every list of tasks and every course of events.

mod budget;
mod drawn;
mod edited;
mod named;
mod queue;

use super::draws::{any_habits, any_rules, cases, owed, started};
use super::world::*;
use proptest::prelude::*;
use proptest::sample::select;
use redraft_core::pipeline::{Pipeline, fold, pending, step};
use redraft_core::review::{Effect, Implementing, Loop, TaskEnd, TaskWork, dispatches_max};
use redraft_documents::file_place::FilePlace;
use redraft_facts::event::*;
use redraft_facts::ids::TaskId;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket, Unit};

const TASKS_MAX: usize = 8;

/// Longer than any history here is: none has to come near it.
const STEPS_MAX: usize = 6_000;

const FILES: [&str; 7] = ["src/0.rs", "src/1.rs", "src/2.rs", "src/3.rs", "src", "docs/", "docs/*.md"];

/// Needs, each with whether it is of an earlier task, and files.
type Drawn = (Option<Vec<(usize, bool)>>, Vec<String>);

/// Most needs are of earlier tasks, as in real lists; others are of later ones, of itself or of none.
fn any_declared() -> impl Strategy<Value = Vec<Declaration>> {
    let needs = proptest::collection::vec((0..TASKS_MAX + 2, proptest::bool::weighted(0.8)), 0..3);
    let files = prop_oneof![
        1 => Just(vec![]),
        4 => select(FILES.to_vec()).prop_map(|file| vec![file.to_owned()]),
        2 => proptest::collection::vec(select(FILES.to_vec()).prop_map(str::to_owned), 1..3),
        8 => Just(vec!["own".to_owned()]),
    ];
    let one = (proptest::option::weighted(0.3, needs), files);
    proptest::collection::vec(one, TASKS_MAX).prop_map(|all| {
        let declare = |(at, (needs, files)): (usize, Drawn)| {
            let need = |(need, earlier): (usize, bool)| if earlier { need % at.max(1) } else { need };
            let needs = needs.filter(|_| at > 0).unwrap_or_default();
            let needs = needs.into_iter().map(|one| format!("1.{}", need(one) + 1)).collect();
            let own = |file: String| if file == "own" { format!("own/{at}.rs") } else { file };
            Declaration { needs, files: files.into_iter().map(own).collect() }
        };
        all.into_iter().enumerate().map(declare).collect()
    })
}

fn any_clash() -> impl Strategy<Value = Option<(usize, usize)>> {
    proptest::option::of((1..=TASKS_MAX / 2, 1..=TASKS_MAX / 2))
}

fn any_beside() -> impl Strategy<Value = World> {
    let often = |most: u8| prop_oneof![Just(0u8), 0..most];
    (
        (any_rules(), any_habits(), proptest::collection::vec(any::<u8>(), 1..400)),
        (
            prop_oneof![1..=TASKS_MAX, 3..=TASKS_MAX],
            any_declared(),
            prop_oneof![1u16..=8, 3..=8u16],
            0usize..3,
            any::<bool>(),
            any_clash(),
        ),
        (often(60), often(60), often(30), often(30), often(10), any::<bool>()),
    )
        .prop_map(
            |(
                (rules, habits, draws),
                (tasks, declared, jobs, gates, extras, clash),
                (conflicts, gate_fails, fail, unchanged, changes, calm),
            )| {
                let until = Phase::Specify;
                let rules =
                    Rules { panels: vec![1], tasks, declared, jobs, gates, extras, until, clash, ..rules };
                // Where nothing else happens, many are finished before the first has landed.
                let rest = if calm { Habits { person: habits.person, ..CALM } } else { habits.clone() };
                let (fail, unchanged) = if calm { (0, 0) } else { (fail, unchanged) };
                let habits = Habits {
                    reject: habits.reject / 4,
                    conflicts,
                    gate_fails,
                    fail,
                    unchanged,
                    jobs: changes,
                    // What moves to another clone is sent again, beyond any bound.
                    moves: 0,
                    ..rest
                };
                World::building(rules, habits, draws)
            },
        )
}

fn open(state: &Pipeline) -> Option<&Loop> {
    state.open.as_ref()
}

fn building(state: &Pipeline) -> Option<&Implementing> {
    open(state)?.implementing.as_ref()
}

fn task_of(ticket: &Ticket) -> Option<&TaskId> {
    match &ticket.unit {
        Unit::Task(id) => Some(id),
        Unit::Whole => None,
    }
}

fn find<'a>(implementing: &'a Implementing, id: &TaskId) -> &'a TaskWork {
    implementing.tasks.iter().find(|task| task.id == *id).unwrap()
}

/// The tickets that wait, in their order.
fn queue(state: &Pipeline) -> Vec<Ticket> {
    let queue = building(state).into_iter().flat_map(|implementing| &implementing.landing.queue);
    queue.map(|one| one.work.ticket.clone()).collect()
}

/// Plays until the tasks are over; what comes then is the same however they were carried out.
fn carry_out(world: &mut World) {
    let left =
        |world: &World| building(&world.state).is_none_or(|implementing| implementing.current().is_some());
    for _ in 0..STEPS_MAX {
        if !left(world) || world.play(1) {
            return;
        }
    }
}

/// The states before the first fact, behind it, and so on.
fn states(world: &World) -> Vec<Pipeline> {
    let mut all = vec![Pipeline::default()];
    for entry in &world.log {
        let mut state = all[all.len() - 1].clone();
        fold(&mut state, &entry.event).unwrap();
        state.seq = entry.seq;
        all.push(state);
    }
    all
}

/// Every fact with the state before it and the one behind.
fn course<'a>(
    world: &'a World,
    states: &'a [Pipeline],
) -> impl Iterator<Item = (&'a Pipeline, &'a Event, &'a Pipeline)> {
    let facts = world.log.iter().map(|entry| &entry.event);
    facts.zip(states.windows(2)).map(|(event, pair)| (&pair[0], event, &pair[1]))
}

/// Whether two tasks may write the same files.
fn overlap(one: &TaskWork, other: &TaskWork) -> bool {
    let places = |task: &TaskWork| -> Vec<FilePlace> {
        task.declared.files.iter().chain(&task.touched).map(|file| FilePlace::read(file)).collect()
    };
    let (own, its) = (places(one), places(other));
    let declares = |task: &TaskWork| !task.declared.files.is_empty();
    !declares(one)
        || !declares(other)
        || own.iter().any(|place| its.iter().any(|other| place.overlaps(other)))
}

/// What a task needs and what does not need it in turn.
fn plain_needs<'a>(all: &'a [TaskWork], task: &TaskWork) -> Vec<&'a TaskWork> {
    let find = |id: &str| all.iter().find(|task| task.id.as_str() == id);
    let needs = |task: &TaskWork| -> Vec<&'a TaskWork> {
        let needs: Vec<String> = task.declared.needs.clone();
        needs.iter().filter_map(|id| find(id)).collect()
    };
    let reaches = |from: &TaskWork| {
        let (mut left, mut seen) = (needs(from), BTreeSet::new());
        while let Some(next) = left.pop() {
            if seen.insert(next.id.clone()) {
                left.extend(needs(next));
            }
        }
        seen.contains(&task.id)
    };
    needs(task).into_iter().filter(|need| !reaches(need)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_two_tasks_that_overlap_or_need_each_other_are_under_way_at_once(mut world in any_beside()) {
        carry_out(&mut world);
        let states = states(&world);
        for (before, event, after) in course(&world, &states) {
            let (Event::Started(fact), Some(implementing)) = (event, building(after)) else { continue };
            let (Some(id), Purpose::Implement) = (task_of(&fact.ticket), fact.ticket.purpose) else {
                prop_assert!(queue(before).is_empty() && building(before).unwrap().current().is_none());
                continue;
            };
            let task = find(implementing, id);
            prop_assert!(find(building(before).unwrap(), id).end.is_none(), "{id} has ended");
            prop_assert_eq!(queue(before), vec![], "{} begins before what is finished has landed", id);
            let under_way: Vec<&TaskWork> = implementing.tasks.iter().filter(|task| task.seat.in_flight()).collect();
            prop_assert!(under_way.len() <= usize::from(implementing.landing.jobs), "{}", under_way.len());
            let slots: BTreeSet<Option<u16>> = under_way
                .iter()
                .map(|task| task.seat.flight().unwrap().started.slot.as_ref().map(|slot| slot.number))
                .collect();
            prop_assert_eq!(slots.len(), under_way.len(), "each has a place of its own");
            prop_assert!(under_way.len() == 1 || !slots.contains(&None), "the feature's place is not used meanwhile");
            prop_assert!(fact.slot.is_some() || task.own.is_none(), "{} goes on where its work is", id);
            for other in under_way.into_iter().filter(|other| other.id != *id) {
                prop_assert!(!overlap(task, other), "{} beside {}", id, other.id);
            }
            for need in plain_needs(&implementing.tasks, task).into_iter().filter(|_| fact.slot.is_some()) {
                prop_assert!(need.end.is_some(), "{} before {}", id, need.id);
            }
        }
    }

    #[test]
    fn a_history_always_ends_within_its_bound(mut world in any_beside()) {
        (world.habits.person, world.habits.edit, world.habits.lose, world.habits.jobs) = (false, 0, 0, 0);
        (world.habits.comments, world.habits.turns, world.habits.parks) = (0, 0, 0);
        prop_assert!(world.play(STEPS_MAX), "did not end");
        let (limits, tasks) = (world.rules.limits, world.rules.tasks as u64);
        let sent = started(&world).count() as u64;
        let over = |entry: &&Entry| {
            matches!(&entry.event, Event::Failed(Failed { now: AfterFailure::OverBudget(_), .. }))
        };
        let over = world.log.iter().filter(over).count() as u64;
        let bound = dispatches_max(&limits, 1, 1, tasks) + over;
        prop_assert!(sent <= bound, "{} sent, at most {}", sent, bound);
        if world.rules.jobs > 1 {
            let tasks_sent = started(&world).filter(|fact| fact.slot.is_some()).count() as u64;
            prop_assert!(tasks_sent <= tasks * u64::from(limits.attempts) + over);
            // Each time somebody lands or is sent back, and for that each half is put together once.
            let results = tasks * (u64::from(limits.attempts) + 1);
            let combined = world.log.iter().filter(|entry| matches!(entry.event, Event::Combined(_))).count() as u64;
            prop_assert!(combined <= results * 4, "{} combined", combined);
        }
        let owed = pending(&world.state);
        prop_assert!(owed.is_empty() || matches!(owed[..], [Effect::Ask(_)]), "{owed:?}");
        prop_assert_eq!(queue(&world.state), vec![], "whatever waits has had its turn");
    }

    #[test]
    fn a_prefix_that_is_folded_again_owes_the_same(
        mut world in any_beside(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 12),
    ) {
        carry_out(&mut world);
        let states = states(&world);
        for cut in cuts {
            let cut = cut.index(states.len());
            let replayed = Pipeline::replay(&world.log[..cut]).unwrap();
            prop_assert_eq!(&replayed, &states[cut]);
            prop_assert_eq!(pending(&replayed), pending(&states[cut]));
        }
        prop_assert_eq!(&states[world.log.len()], &world.state);
    }

    /// A run that dies finds in what is pending who was at work, what was answered, and what comes next: it asks for
    /// nothing twice.
    #[test]
    fn what_is_stored_once_is_not_taken_again(mut world in any_beside(), pick in any::<proptest::sample::Index>()) {
        carry_out(&mut world);
        let states = states(&world);
        let cut = pick.index(states.len());
        let state = &states[cut];
        for entry in &world.log[..cut] {
            let about_tasks = matches!(
                entry.event,
                Event::Started(_) | Event::Answered(_) | Event::Enqueued(_) | Event::Combined(_) | Event::Built(_)
                    | Event::Checked(_)
            );
            if about_tasks {
                let again = step(state, &entry.event).is_ok();
                prop_assert!(!again || owed(state, &entry.event), "accepted again: {:?}", entry.event);
            }
        }
        if let Some(implementing) = building(state) {
            for jobs in [implementing.landing.jobs, 0] {
                let set: Event = JobsSet { jobs, by: "ann".into() }.into();
                prop_assert!(step(state, &set).is_err(), "no news");
            }
        }
    }

    /// Whoever is at work and whoever waits: nothing is sent, tried or landed that is not pending.
    #[test]
    fn nothing_is_tried_or_landed_while_somebody_is_at_work(mut world in any_beside()) {
        carry_out(&mut world);
        let states = states(&world);
        let facts: Vec<&Event> = world.log.iter().map(|entry| &entry.event).collect();
        for (state, event, _) in course(&world, &states) {
            let busy = open(state).is_some_and(|open| open.flights().next().is_some());
            let waits = !queue(state).is_empty();
            if busy {
                prop_assert!(!matches!(event, Event::Combined(_)), "{:?}", event);
                prop_assert!(!waits || !matches!(event, Event::Checked(_) | Event::Started(_)), "{:?}", event);
            }
            if !(busy && waits) {
                continue;
            }
            for later in facts.iter().filter(|one| matches!(one, Event::Combined(_) | Event::Checked(_))) {
                prop_assert!(step(state, later).is_err(), "while somebody is at work: {:?}", later);
            }
        }
    }
}
