//! What the queue does next, for tasks whose checks and combinations end as a table says.

use super::*;
use alloc::boxed::Box;
use redraft_facts::event::{Built, Conflict, Report};

type Fails = Box<dyn FnMut(&[usize], &str, usize) -> bool>;
type Excludes = Box<dyn Fn(&[usize]) -> bool>;

/// Tasks that wait, and how what is tried with them ends.
struct Trial {
    landing: Landing,
    gates: Vec<String>,
    /// Which gate fails for these tasks together, by their places in the queue; called once for each run.
    fails: Fails,
    /// Whether the last of these cannot be put on top of the others.
    excludes: Excludes,
    /// Every run of a check, in order.
    runs: Vec<(Revision, String)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed(usize),
    /// How many pass, which one does not, and without which it does.
    Red(usize, usize, Option<usize>, String),
}

fn id(place: usize) -> TaskId {
    TaskId::new(format!("1.{}", place + 1))
}

fn place(id: &TaskId) -> usize {
    id.as_str().strip_prefix("1.").unwrap().parse::<usize>().unwrap() - 1
}

fn enqueued(place: usize) -> Enqueued {
    let work = Built {
        ticket: format!("031/implement.1/task-{}/implement/implementer/1.1", id(place)).parse().unwrap(),
        revision: Revision::new(format!("own-{place}")),
        commit: format!("c{place}"),
        report: Report::default(),
        files: vec![format!("src/{place}.rs")],
        already: false,
        notes: vec![],
        unfinished: None,
    };
    Enqueued { base: "c0ffee".into(), work }
}

/// The revision of tasks that are put together; which they are can be read from it.
fn revision(places: &[usize]) -> Revision {
    let names: Vec<String> = places.iter().map(ToString::to_string).collect();
    Revision::new(names.join("+"))
}

fn places(revision: &Revision) -> Vec<usize> {
    revision.as_str().split('+').map(|place| place.parse().unwrap()).collect()
}

fn trial(count: usize, fails: impl Fn(&[usize]) -> bool + 'static) -> Trial {
    let queue = (0..count).map(enqueued).collect();
    Trial {
        landing: Landing { queue, ..Landing::default() },
        gates: vec!["tests".into()],
        fails: Box::new(move |places, _, _| fails(places)),
        excludes: Box::new(|_| false),
        runs: vec![],
    }
}

impl Trial {
    /// Does what is next until the queue knows who has passed and who has not.
    fn play(&mut self) -> Outcome {
        for _ in 0..1_000 {
            match self.landing.next(&self.gates).unwrap() {
                Next::Combine(tasks) => self.combine(&tasks),
                Next::Check { revision, gate } => self.check(revision, gate),
                Next::Passed(steps) => {
                    let tasks: Vec<TaskId> = steps.iter().map(|step| step.task.clone()).collect();
                    assert_eq!(tasks, self.landing.tasks(), "all that wait, in their order");
                    return Outcome::Passed(steps.len());
                }
                Next::Red { passed, task, with, gate, evidence, refused } => {
                    assert!(!refused);
                    let landed: Vec<usize> = passed.iter().map(|step| place(&step.task)).collect();
                    assert_eq!(landed, (0..passed.len()).collect::<Vec<_>>(), "those before it pass");
                    assert_eq!(evidence, "it failed");
                    return Outcome::Red(landed.len(), place(&task), with.as_ref().map(place), gate);
                }
            }
        }
        panic!("no end after {:?}", self.runs)
    }

    fn combine(&mut self, tasks: &[TaskId]) {
        let known = self.landing.combination(tasks);
        assert!(known.is_none(), "the same is put together twice: {tasks:?}");
        let all: Vec<usize> = tasks.iter().map(place).collect();
        let (mut steps, mut conflict) = (vec![], None);
        for count in 1..=all.len() {
            let (task, revision) = (id(all[count - 1]), revision(&all[..count]));
            if (self.excludes)(&all[..count]) {
                conflict = Some(Conflict { task, files: vec!["f".into()] });
                break;
            }
            let commit = format!("c{count}");
            steps.push(CombinedStep { task, revision, commit });
        }
        let onto = Revision::new("feature");
        self.landing.combined.push((tasks.to_vec(), Combined { onto, steps, conflict }));
    }

    fn check(&mut self, revision: Revision, gate: String) {
        let again = self.runs.iter().filter(|run| **run == (revision.clone(), gate.clone())).count();
        assert!(again < FAILURES, "{gate} of {revision} is run more than once more");
        let passed = !(self.fails)(&places(&revision), &gate, again);
        self.runs.push((revision.clone(), gate.clone()));
        self.landing.tried.push(Checked {
            pass: 1,
            revision,
            gate,
            passed,
            evidence: if passed { "it passed" } else { "it failed" }.into(),
            command: "c".into(),
            code: Some(i32::from(!passed)),
            wall_ms: 1,
            output: String::new(),
            checkout: None,
        });
    }

    /// How many different files the checks were run on.
    fn distinct(&self) -> usize {
        self.runs.iter().collect::<BTreeSet<_>>().len()
    }
}

fn log2_rounded_up(count: usize) -> usize {
    count.next_power_of_two().trailing_zeros() as usize
}

#[test]
fn tasks_that_pass_together_need_one_run_however_many_they_are() {
    for count in 1..=16 {
        let mut all = trial(count, |_| false);
        assert_eq!(all.play(), Outcome::Passed(count));
        assert_eq!(all.runs.len(), 1, "{count}");
    }
    assert_eq!(trial(0, |_| false).landing.next(&[]), None, "nothing waits");
}

#[test]
fn without_a_check_whatever_can_be_put_together_passes() {
    let mut all = Trial { gates: vec![], ..trial(3, |_| true) };
    assert_eq!((all.play(), all.runs.len()), (Outcome::Passed(3), 0));
}

#[test]
fn the_task_that_a_check_fails_with_is_found_in_two_halvings() {
    for count in 1..=16 {
        for culprit in 0..count {
            let mut all = trial(count, move |places| places.contains(&culprit));
            let found = Outcome::Red(culprit, culprit, None, "tests".into());
            assert_eq!(all.play(), found, "{culprit} of {count}");
            let most = 2 * log2_rounded_up(count) + 1;
            assert!(all.distinct() <= most, "{culprit} of {count}: {:?}", all.runs);
        }
    }
}

#[test]
fn two_tasks_that_fail_only_together_are_both_named() {
    let mut pairs = 0;
    for (count, step) in [(2, 1), (5, 1), (7, 2), (16, 5)] {
        for second in 1..count {
            for first in (0..second).step_by(step) {
                let mut all = trial(count, move |places| places.contains(&first) && places.contains(&second));
                let found = Outcome::Red(second, second, Some(first), "tests".into());
                assert_eq!(all.play(), found, "{first} and {second} of {count}");
                assert!(all.distinct() <= 2 * log2_rounded_up(count) + 1);
                pairs += 1;
            }
        }
    }
    assert!(pairs >= 20, "{pairs}");
}

#[test]
fn of_several_tasks_that_fail_the_first_is_found_first() {
    let mut all = trial(9, |places| places.contains(&6) || places.contains(&2) || places.contains(&8));
    assert_eq!(all.play(), Outcome::Red(2, 2, None, "tests".into()));
}

#[test]
fn a_check_that_fails_once_and_then_passes_counts_as_passed() {
    let mut flaky = Trial { fails: Box::new(|_, _, run| run == 0), ..trial(6, |_| false) };
    assert_eq!(flaky.play(), Outcome::Passed(6));
    assert_eq!((flaky.runs.len(), flaky.distinct()), (2, 1));
    // Also while it is looked for who fails.
    let odd = |places: &[usize], _: &str, run: usize| places.contains(&3) || run == 0 && places.len() < 5;
    let mut flaky = Trial { fails: Box::new(odd), ..trial(6, |_| false) };
    assert_eq!(flaky.play(), Outcome::Red(3, 3, None, "tests".into()));
}

#[test]
fn every_gate_must_pass_and_the_one_that_fails_is_named() {
    let gates = || vec!["format".to_owned(), "lint".to_owned(), "tests".to_owned()];
    let mut all = Trial { gates: gates(), ..trial(4, |_| false) };
    assert_eq!(all.play(), Outcome::Passed(4));
    let run: Vec<&str> = all.runs.iter().map(|(_, gate)| gate.as_str()).collect();
    assert_eq!(run, gates(), "each once, in their order");
    for (nth, gate) in gates().into_iter().enumerate() {
        let named = gate.clone();
        let fails = move |places: &[usize], run: &str, _: usize| run == named && places.contains(&2);
        let mut all = Trial { gates: gates(), fails: Box::new(fails), ..trial(4, |_| false) };
        assert_eq!(all.play(), Outcome::Red(2, 2, None, gate), "{nth}");
    }
    // Two gates fail, each with another task: what the first task fails is what is told.
    let fails = |places: &[usize], run: &str, _: usize| match run {
        "format" => places.contains(&3),
        "tests" => places.contains(&1),
        _ => false,
    };
    let mut all = Trial { gates: gates(), fails: Box::new(fails), ..trial(4, |_| false) };
    assert_eq!(all.play(), Outcome::Red(1, 1, None, "tests".into()));
}

#[test]
fn what_cannot_be_put_together_while_halving_neither_stops_it_nor_is_blamed() {
    for count in 2..=12 {
        for culprit in 1..count {
            for least in 0..=culprit {
                // The culprit needs the first `least` tasks, or it cannot be put on top of the feature.
                let excludes = move |places: &[usize]| {
                    places.last() == Some(&culprit) && !(0..least).all(|need| places.contains(&need))
                };
                let fails = move |places: &[usize]| places.contains(&culprit);
                let mut all = Trial { excludes: Box::new(excludes), ..trial(count, fails) };
                let found = Outcome::Red(culprit, culprit, None, "tests".into());
                assert_eq!(all.play(), found, "{culprit} of {count} with {least}");
            }
        }
    }
}

#[test]
fn a_combination_that_ends_before_its_last_task_is_not_asked_for_again() {
    // Without the others, the second task excludes the first, and the whole did not show it.
    let excludes = |places: &[usize]| places.len() < 4 && places.starts_with(&[0, 1]) && places.len() == 2;
    let mut all = trial(6, |places| places.contains(&4));
    all.combine(&(0..6).map(id).collect::<Vec<_>>());
    all.excludes = Box::new(excludes);
    assert_eq!(all.play(), Outcome::Red(4, 4, None, "tests".into()));
}

#[test]
fn what_was_tried_on_another_revision_is_forgotten() {
    let mut all = trial(3, |places| places.contains(&1));
    all.play();
    assert!(all.landing.commit_of(&revision(&[0, 1])).is_some());
    all.landing.forget();
    assert_eq!(all.landing.commit_of(&revision(&[0, 1])), None);
    assert_eq!(all.landing.next(&all.gates), Some(Next::Combine((0..3).map(id).collect())));
    assert_eq!((all.landing.tried.len(), all.landing.queue.len()), (0, 3));
}
