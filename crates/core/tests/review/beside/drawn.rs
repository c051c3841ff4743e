//! That something happens in the worlds that are drawn: without this, the properties could hold because nothing does.

use super::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use redraft_core::review::SentBack;

#[test]
fn worlds_are_drawn_in_which_tasks_end_in_every_way_they_can() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..400 {
        let mut world = any_beside().new_tree(&mut runner).unwrap().current();
        carry_out(&mut world);
        let states = states(&world);
        let mut failed: BTreeSet<(String, String)> = BTreeSet::new();
        for (before, event, after) in course(&world, &states) {
            let waited = queue(before).len();
            let at_work = open(after).map_or(0, |open| open.flights().count());
            let returned: Vec<SentBack> = building(after)
                .into_iter()
                .flat_map(|implementing| &implementing.tasks)
                .filter_map(|task| task.returned.clone())
                .collect();
            let sent_back = queue(after).len() < waited;
            let what = match event {
                Event::Started(fact) if fact.slot.is_some() && at_work > 2 => "three at work",
                Event::Started(fact) if fact.slot.is_some() && !returned.is_empty() => "goes on",
                Event::Enqueued(_) if queue(after).len() > 2 => "three wait",
                Event::Enqueued(_) if queue(after).len() == waited => "not done",
                Event::Combined(Combined { conflict: Some(conflict), .. }) => {
                    match find(building(after).unwrap(), &conflict.task).returned {
                        Some(SentBack::Conflict { .. }) => "conflict",
                        _ => "conflict while halving",
                    }
                }
                Event::Checked(_) if sent_back => {
                    let pair = |one: &SentBack| matches!(one, SentBack::Red { with: Some(_), .. });
                    if returned.iter().any(pair) { "red together" } else { "red" }
                }
                Event::Checked(fact) if waited > 0 && !fact.passed => {
                    failed.insert((fact.gate.clone(), fact.revision.to_string()));
                    "fails once"
                }
                Event::Checked(fact) if failed.contains(&(fact.gate.clone(), fact.revision.to_string())) => {
                    "flaky"
                }
                Event::Built(_) if waited > 1 => "lands before another",
                Event::Built(fact) if waited > 0 && fact.commit.is_empty() => "lands unchanged",
                Event::Edited(_) if waited > 0 => "edited meanwhile",
                Event::JobsSet(_) if at_work > 0 => "other jobs meanwhile",
                Event::Decided(Decided { about: About::Task { .. }, choice, .. }) => match choice {
                    Decision::Retry => "retried",
                    _ => "skipped",
                },
                Event::Lost(fact) if task_of(&fact.ticket).is_some() => "lost",
                Event::WentBack(_) if !returned.is_empty() || waited > 0 => "goes back meanwhile",
                _ => continue,
            };
            *seen.entry(what).or_default() += 1;
        }
    }
    assert!(seen.len() == 18 && seen.values().all(|count| *count > 2), "{} {seen:?}", seen.len());
}
