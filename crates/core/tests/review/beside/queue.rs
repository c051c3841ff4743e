//! What becomes of tasks that are finished.

use super::*;
use redraft_core::review::{LoopEnd, SentBack};

/// The tasks of a group that has passed and has not landed in full, behind what the feature is.
#[derive(Default)]
struct Group {
    left: Vec<CombinedStep>,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_enqueued_lands_once_or_is_sent_back(mut world in any_beside()) {
        carry_out(&mut world);
        let states = states(&world);
        let mut landed: BTreeSet<Ticket> = BTreeSet::new();
        for (before, event, after) in course(&world, &states) {
            let (waited, waits) = (queue(before), queue(after));
            let tasks: BTreeSet<&TaskId> = waits.iter().filter_map(task_of).collect();
            prop_assert_eq!(tasks.len(), waits.len(), "each task has one place");
            let gone = waited.iter().filter(|ticket| !waits.contains(ticket));
            for ticket in gone.filter(|_| open(after).is_some_and(|open| open.opened.pass == pass(before))) {
                let id = task_of(ticket).unwrap();
                let (was, is) = (find(building(before).unwrap(), id), find(building(after).unwrap(), id));
                if let Event::Built(fact) = event {
                    prop_assert_eq!(&fact.ticket, ticket);
                    prop_assert_eq!(waited.first(), Some(ticket), "in the order in which they were finished");
                    prop_assert_eq!((&is.end, &is.own, &is.seat.work), (&Some(TaskEnd::Done), &None, &None));
                    prop_assert!(landed.insert(ticket.clone()), "{} lands twice", ticket);
                    continue;
                }
                prop_assert!(matches!(event, Event::Combined(_) | Event::Checked(_)), "{:?}", event);
                prop_assert!(is.returned.is_some() && is.end.is_none(), "{} is sent back", id);
                let failures = |task: &TaskWork| task.seat.work.as_ref().map(|work| work.failures);
                prop_assert_eq!(failures(is), failures(was).map(|count| count + 1), "which counts");
                prop_assert_eq!(&is.own, &was.own, "and keeps what it did");
            }
            let done = |state: &Pipeline| building(state).map_or(0, |implementing| implementing.tally().0);
            if open(before).is_some() && open(after).is_some() && done(after) > done(before) && !waited.is_empty() {
                prop_assert!(matches!(event, Event::Built(_)), "{:?}", event);
            }
        }
        let closed = world.state.past.iter().filter(|past| matches!(past.end, Some(LoopEnd::Closed(_))));
        for last in closed.filter_map(|past| past.implementing.as_ref()) {
            prop_assert!(last.tasks.iter().all(|task| task.end.is_some()) && last.landing.queue.is_empty());
        }
    }

    #[test]
    fn the_queue_is_in_the_order_of_finishing(mut world in any_beside()) {
        carry_out(&mut world);
        let states = states(&world);
        let mut finished: Vec<Ticket> = Vec::new();
        for (_, event, after) in course(&world, &states) {
            if let Event::Enqueued(fact) = event {
                finished.push(fact.work.ticket.clone());
            }
            let waits = queue(after);
            let places: Vec<usize> =
                waits.iter().map(|ticket| finished.iter().position(|one| one == ticket).unwrap()).collect();
            prop_assert!(places.is_sorted(), "{:?}", waits);
            if let Some(Effect::Combine { tasks }) = pending(after).first() {
                let all: Vec<&TaskId> = waits.iter().filter_map(task_of).collect();
                let mut rest = all.iter();
                prop_assert!(tasks.iter().all(|task| rest.any(|other| *other == task)), "{:?}", tasks);
            }
        }
    }

    #[test]
    fn what_a_task_did_is_kept_until_it_lands(mut world in any_beside()) {
        carry_out(&mut world);
        let states = states(&world);
        let mut own: BTreeMap<TaskId, String> = BTreeMap::new();
        for (_, event, after) in course(&world, &states) {
            let Some(implementing) = building(after) else { continue };
            match event {
                Event::Enqueued(Enqueued { work, .. }) if !work.commit.is_empty() => {
                    own.insert(task_of(&work.ticket).unwrap().clone(), work.commit.clone());
                }
                Event::Built(fact) if find_end(implementing, &fact.ticket) == Some(TaskEnd::Done) => {
                    own.remove(task_of(&fact.ticket).unwrap());
                }
                _ => {}
            }
            let open = implementing.tasks.iter().filter(|task| task.end.is_none());
            for task in open {
                prop_assert_eq!(task.own.as_ref(), own.get(&task.id), "{} after {:?}", task.id, event);
                prop_assert!(task.own.is_none() || !task.touched.is_empty(), "and where it wrote");
            }
        }
    }

    #[test]
    fn nothing_lands_whose_candidate_has_not_passed_every_gate(mut world in any_beside()) {
        carry_out(&mut world);
        let states = states(&world);
        let mut group = Group::default();
        // Since the feature was last changed by anything else.
        let (mut combined, mut passed): (Vec<&Combined>, BTreeSet<(String, String)>) = Default::default();
        for (before, event, _) in course(&world, &states) {
            let now = open(before).and_then(|open| open.revision.clone());
            match event {
                Event::Combined(fact) => {
                    prop_assert_eq!(Some(&fact.onto), now.as_ref());
                    combined.push(fact);
                }
                Event::Checked(fact) if fact.passed => {
                    passed.insert((fact.gate.clone(), fact.revision.to_string()));
                }
                Event::Built(fact) if queue(before).contains(&fact.ticket) => {
                    if group.left.is_empty() {
                        let gates = &open(before).unwrap().opened.gates;
                        let good = |step: &&CombinedStep| {
                            gates.iter().all(|gate| passed.contains(&(gate.clone(), step.revision.to_string())))
                        };
                        let waits = queue(before);
                        let first = |one: &[CombinedStep]| {
                            let tasks: Vec<_> = one.iter().map(|step| Some(&step.task)).collect();
                            waits.iter().map(task_of).collect::<Vec<_>>().starts_with(&tasks)
                        };
                        let best = combined.iter().filter_map(|one| {
                            let last = one.steps.iter().rposition(|step| good(&step))?;
                            Some(one.steps[..=last].to_vec()).filter(|steps| first(steps))
                        });
                        group.left = best.max_by_key(Vec::len).unwrap_or_default();
                    }
                    prop_assert!(!group.left.is_empty(), "{} has not passed", fact.ticket);
                    let step = group.left.remove(0);
                    prop_assert_eq!((&step.revision, Some(&step.task)), (&fact.revision, task_of(&fact.ticket)));
                }
                _ => {}
            }
            let moved = matches!(event, Event::Edited(_) | Event::LoopOpened(_));
            if moved {
                (group, combined, passed) = Default::default();
            }
            if matches!(event, Event::Combined(_) | Event::Started(_) | Event::Checked(_)) {
                prop_assert!(group.left.is_empty(), "what passed together lands together: {:?}", event);
            }
            if group.left.is_empty() && matches!(event, Event::Built(_)) {
                (combined, passed) = Default::default();
            }
        }
    }

    #[test]
    fn two_conflicts_in_a_row_ask_a_person_and_after_the_answer_it_goes_on(mut world in any_beside()) {
        carry_out(&mut world);
        let states = states(&world);
        let mut in_a_row: BTreeMap<TaskId, u32> = BTreeMap::new();
        for (before, event, after) in course(&world, &states) {
            if open(before).is_none() || open(after).is_none() {
                in_a_row.clear();
                continue;
            }
            let waits = queue(after);
            for id in queue(before).iter().filter(|ticket| !waits.contains(ticket)).filter_map(task_of) {
                let is = find(building(after).unwrap(), id);
                match &is.returned {
                    Some(SentBack::Conflict { files, .. }) => {
                        let Event::Combined(Combined { conflict: Some(conflict), .. }) = event else {
                            return Err(TestCaseError::fail(format!("{event:?}")));
                        };
                        prop_assert_eq!((&conflict.task, &conflict.files), (id, files));
                        *in_a_row.entry(id.clone()).or_default() += 1;
                    }
                    Some(SentBack::Red { .. }) | None => drop(in_a_row.remove(id)),
                }
            }
            match event {
                // Whoever edits or decides starts the count again.
                Event::Edited(_) => in_a_row.clear(),
                Event::Started(fact) if fact.ticket.purpose == Purpose::Implement => {
                    let count = task_of(&fact.ticket).and_then(|id| in_a_row.get(id)).copied();
                    prop_assert!(count.unwrap_or(0) < 2, "{} goes on before anybody was asked", fact.ticket);
                }
                Event::Asked(Asked { question: Question { about: About::Task { id }, .. }, .. }) => {
                    let task = find(building(after).unwrap(), id);
                    prop_assert!(task.end.is_none() && !task.seat.in_flight());
                }
                Event::Decided(Decided { about: About::Task { id }, choice, .. }) => {
                    in_a_row.remove(id);
                    let task = find(building(after).unwrap(), id);
                    prop_assert_eq!(task.end.is_some(), *choice == Decision::Skip);
                    let owed = pending(after);
                    prop_assert!(!owed.is_empty());
                    let same = |effect: &Effect| matches!(effect, Effect::Ask(Question { about: About::Task { id: other }, .. }) if other == id);
                    prop_assert!(!owed.iter().any(same), "asked again at once");
                }
                _ => {}
            }
            // Whoever has been in conflict twice is asked about as soon as nothing else can go on and no gate has to be
            // settled before.
            let twice = |id: &&TaskId| in_a_row.get(*id).is_some_and(|count| *count >= 2);
            let stuck: Vec<TaskId> = building(after).into_iter().flat_map(|implementing| &implementing.tasks)
                .map(|task| &task.id).filter(twice).cloned().collect();
            let owed = pending(after);
            if let [Effect::Ask(question)] = &owed[..] && !stuck.is_empty() {
                prop_assert!(matches!(question.about, About::Task { .. } | About::Gate), "{:?}", question.about);
            }
        }
        if pending(&world.state).is_empty() {
            prop_assert!(in_a_row.values().all(|count| *count < 2), "nobody was asked");
        }
    }
}

fn pass(state: &Pipeline) -> u16 {
    open(state).map_or(0, |open| open.opened.pass)
}

fn find_end(implementing: &Implementing, ticket: &Ticket) -> Option<TaskEnd> {
    task_of(ticket).and_then(|id| find(implementing, id).end.clone())
}
