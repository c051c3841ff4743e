//! Tasks side by side, where no table can say it: that they really are at work at once, that nothing depends on how many
//! are, and deaths after every single change.

use crate::script;
use crate::stage::{Disturbance, Played};
use crate::tables::{played, played_with};
use redraft_facts::event::{Entry, Event};
use redraft_facts::ticket::{Ticket, Unit};
use std::collections::BTreeMap;

/// Everything before the first task is played by a process of its own, so that the second has nothing but the tasks.
fn scenario(jobs: usize, turns: &str) -> String {
    format!(
        "
        the feature goes until implement
        the run rests after create-tasks
        at most {jobs} tasks at once
        code must pass tests: `run tests`
        the documents are written and approved, with three tasks that have nothing to do with each other
        the run is done
        the feature goes on
        {turns}
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        "
    )
}

pub(crate) const APART: &str = "
    implementer:1 writes `export\\n` to src/export.sh
    implementer:2 writes `record\\n` to src/record.sh
    implementer:3 writes `read\\n` to src/read.sh
";

const EXCLUDING: &str = "
    implementer:1 writes `export\\n` to src/export.sh
    and writes `one\\n` to src/shared.sh
    implementer:2 writes `record\\n` to src/record.sh
    and writes `two\\n` to src/shared.sh
    implementer:3 writes `read\\n` to src/read.sh
    implementer:2 writes `one\\ntwo\\n` to src/shared.sh
    and finds `one\\n=======\\ntwo` in src/shared.sh before
";

pub(crate) const RED: &str = "
    the check `run tests` refuses `slow` in src/record.sh
    implementer:1 writes `export\\n` to src/export.sh
    implementer:2 writes `slow\\n` to src/record.sh
    implementer:3 writes `read\\n` to src/read.sh
    implementer:2 writes `fast\\n` to src/record.sh
    and finds `slow` in src/record.sh before
";

#[test]
fn three_tasks_are_at_work_at_the_same_time() {
    let turns = APART
        .lines()
        .map(|line| match line.trim().is_empty() {
            true => line.to_owned(),
            false => format!("{line}\nand meets 2 others\n"),
        })
        .collect::<String>();
    played(&script::steps(&scenario(3, &turns)));
}

#[test]
fn the_files_are_the_same_with_any_number_of_tasks_at_once() {
    let alone = played(&script::steps(&scenario(1, APART)));
    for jobs in [2, 3, 9] {
        let beside = played(&script::steps(&scenario(jobs, APART)));
        assert_eq!(beside.left.files(), alone.left.files(), "{jobs}");
        assert_eq!(beside.left.commits(), alone.left.commits(), "{jobs}");
    }
}

#[test]
fn a_crash_after_any_change_pays_nothing_twice_and_loses_nothing() {
    let mut deaths = 0;
    for turns in [APART, EXCLUDING, RED] {
        let steps = script::steps(&scenario(3, turns));
        let expected = played(&steps);
        assert_eq!(expected.lengths.len(), 2);
        // A task that is lost finds what the others have made meanwhile, and excludes nothing any more.
        let first = if turns == EXCLUDING { all_answered(&expected) } else { 1 };
        for at in expected.worth_dying_at[1].iter().copied().filter(|at| *at >= first) {
            let found = played_with(&steps, &Disturbance { process: 1, at: vec![at] });
            let what = format!("moment {at}: {:?}\n{}", found.died, found.trail.join("\n"));
            assert_eq!(found.died.len(), 1, "{what}");
            let left = |played: &Played| played.left.clone().after_a_crash().in_any_order();
            assert_eq!(left(&found), left(&expected), "{what}");
            assert_eq!(answers(&found), answers(&expected), "{what}");
            each_ends_once(&found.entries, &what);
            deaths += 1;
        }
    }
    println!("{deaths} deaths beside each other");
    assert!(deaths > 150, "{deaths}");
}

/// The moment of the second process at which the answers of all three tasks are stored.
fn all_answered(played: &Played) -> usize {
    let moments = &played.moments[played.lengths[0]..];
    let stored = moments.iter().enumerate().filter(|(_, moment)| *moment == "stored answered");
    stored.map(|(at, _)| at + 1).nth(2).unwrap()
}

/// How many answers were taken for each task: what was answered is never asked for again.
fn answers(played: &Played) -> BTreeMap<Unit, usize> {
    let mut answers = BTreeMap::new();
    for entry in &played.entries {
        if let Event::Answered(fact) = &entry.event {
            *answers.entry(fact.ticket.unit.clone()).or_default() += 1;
        }
    }
    answers
}

fn each_ends_once(entries: &[Entry], what: &str) {
    let mut ends: BTreeMap<Ticket, usize> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::Started(fact) => drop(ends.insert(fact.ticket.clone(), 0)),
            Event::Answered(fact) => *ends.entry(fact.ticket.clone()).or_default() += 1,
            Event::Failed(fact) => *ends.entry(fact.ticket.clone()).or_default() += 1,
            Event::Lost(fact) => *ends.entry(fact.ticket.clone()).or_default() += 1,
            _ => {}
        }
    }
    assert!(ends.values().all(|times| *times == 1), "{ends:?} in {what}");
}
