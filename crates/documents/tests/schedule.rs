//! Which tasks may run side by side: named cases, and what holds for every list of tasks and every course of events.

use proptest::collection::vec;
use proptest::prelude::*;
use redraft_documents::file_place::FilePlace;
use redraft_documents::schedule::{Reason, Schedule, ScheduledTask, TaskProgress};
use redraft_documents::tasks;
use std::collections::BTreeSet;

fn task(id: &str, needs: &str, files: &str) -> ScheduledTask {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    ScheduledTask { id: id.to_owned(), needs: words(needs), files: words(files), ..ScheduledTask::default() }
}

/// `done`, `running` and `landing` name tasks; the others are open.
fn may_begin(list: &[ScheduledTask], ended: &str, running: &str, landing: &str) -> String {
    let has = |names: &str, id: &str| names.split_whitespace().any(|name| name == id);
    let state = |task: &ScheduledTask| match task.id.as_str() {
        id if has(ended, id) => TaskProgress::Ended,
        id if has(running, id) => TaskProgress::Running,
        id if has(landing, id) => TaskProgress::Landing,
        _ => TaskProgress::Open,
    };
    let states: Vec<TaskProgress> = list.iter().map(state).collect();
    let ready = Schedule::new(list).ready(&states, list.len());
    let ids: Vec<&str> = ready.into_iter().map(|at| list[at].id.as_str()).collect();
    ids.join(" ")
}

fn in_order(list: &[ScheduledTask]) -> String {
    let ids: Vec<&str> = Schedule::new(list).order().iter().map(|at| list[*at].id.as_str()).collect();
    ids.join(" ")
}

#[test]
fn a_task_begins_when_all_it_needs_has_landed_and_nothing_that_overlaps_is_before_it() {
    let list = [
        task("1", "", "src/a.rs"),
        task("2", "1", "src/b.rs"),
        task("3", "", "src/c.rs docs"),
        task("4", "", "docs/page.md"),
        task("5", "", ""),
        task("6", "", "src/z.rs"),
    ];
    for (ended, running, landing, wanted) in [
        ("", "", "", "1 3"),
        ("", "1", "", "3"),
        ("", "", "1", "3"),
        ("1", "", "", "2 3"),
        ("1", "3", "", "2"),
        ("1 3", "2", "", "4"),
        ("1 3 4", "2", "", ""),
        ("1 2 3 4", "", "", "5"),
        ("1 2 3 4", "5", "", ""),
        ("1 2 3 4 5", "", "", "6"),
        ("1 2 3 4 5 6", "", "", ""),
    ] {
        assert_eq!(may_begin(&list, ended, running, landing), wanted, "{ended} | {running} | {landing}");
    }
}

#[test]
fn what_a_task_wrote_before_its_retry_counts_too() {
    let mut list = [task("1", "", "src/a.rs"), task("2", "", "src/b.rs"), task("3", "", "src/c.rs")];
    assert_eq!(may_begin(&list, "", "", ""), "1 2 3");
    list[0].touched = BTreeSet::from(["src/b.rs".to_owned()]);
    assert_eq!(may_begin(&list, "", "", ""), "1 3");
    assert_eq!(may_begin(&list, "", "2", ""), "3", "the later one is under way already");
    assert_eq!(may_begin(&list, "2", "", ""), "1 3");
    list[2] = ScheduledTask { touched: BTreeSet::from(["src/c.rs".to_owned()]), ..task("3", "", "") };
    assert_eq!(may_begin(&list, "2", "", ""), "1", "what it wrote is no declaration");
}

#[test]
fn needs_that_nothing_can_meet_fall_back_to_one_after_the_other() {
    let files = |nth: usize| format!("src/{nth}.rs");
    let of = |needs: [&str; 4]| -> Vec<ScheduledTask> {
        let one = |(nth, needs): (usize, &&str)| task(&(nth + 1).to_string(), needs, &files(nth));
        needs.iter().enumerate().map(one).collect()
    };
    for (needs, order, first, behind_first) in [
        (["", "", "", ""], "1 2 3 4", "1 2 3 4", "2 3 4"),
        // No task of the list, and itself.
        (["", "", "9", ""], "1 2 3 4", "1 2 4", "2 4"),
        (["", "", "3", ""], "1 2 3 4", "1 2 4", "2 4"),
        // A circle, one that another task waits for, and all four.
        (["2", "1", "", ""], "1 2 3 4", "1 3 4", "2 3 4"),
        (["3", "3", "2", ""], "2 3 1 4", "2 4", "2 4"),
        (["4", "1", "2", "3"], "1 2 3 4", "1", "2"),
        // Later in the list, but needed first.
        (["3", "", "", ""], "3 1 2 4", "3 2 4", "3 2 4"),
    ] {
        let list = of(needs);
        assert_eq!(in_order(&list), order, "{needs:?}");
        assert_eq!(may_begin(&list, "", "", ""), first, "{needs:?}");
        assert_eq!(may_begin(&list, "1", "", ""), behind_first, "{needs:?} after 1");
    }
}

#[test]
fn a_list_of_tasks_declares_needs_and_files() {
    let text = "### Task 1.1: a\n**Files:** `src/a.rs`, `docs/` (new)\n**Depends on:** none\n\n\
                ### Task 1.2: b\n**Files:** `src/b.rs`\n**Depends on:** 1.1, 1.7\n\n\
                ### Task 1.3: c\n**Files:** as needed\n**Depends on:** 1.1\n";
    let wanted =
        [task("1.1", "", "src/a.rs docs/"), task("1.2", "1.1 1.7", "src/b.rs"), task("1.3", "1.1", "")];
    let read = tasks::read(text).map(|list| ScheduledTask::of_list(&list));
    assert_eq!(read.as_deref(), Ok(&wanted[..]));
}

#[test]
fn every_wait_has_its_reason() {
    let list = [
        task("1", "", "src/a.rs"),
        task("2", "1", "src/a.rs"),
        task("3", "", "./src/"),
        task("4", "", ""),
        task("5", "9", "x"),
        task("6", "7", "y"),
        task("7", "6", "z"),
    ];
    let schedule = Schedule::new(&list);
    let (own, other) = (FilePlace::read("./src/"), FilePlace::read("src/a.rs"));
    for (task, before, wanted) in [
        (1, 0, Some(Reason::Needs)),
        (2, 0, Some(Reason::SharedFile(&own, &other))),
        (3, 0, Some(Reason::NoFiles { own: true, other: false })),
        (4, 0, Some(Reason::UnknownNeed("9"))),
        (5, 3, Some(Reason::NoFiles { own: false, other: true })),
        (5, 0, None),
        (6, 5, Some(Reason::Circle)),
    ] {
        assert_eq!(schedule.why(task, before), wanted, "{task} after {before}");
    }
    assert_eq!(schedule.before(2).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_list_as_deep_as_it_is_long_is_scheduled() {
    let count = 20_000;
    let one = |at: usize| task(&at.to_string(), &(at + 1).to_string(), "");
    let list: Vec<ScheduledTask> = (0..count).map(one).collect();
    let schedule = Schedule::new(&list);
    assert_eq!((schedule.order().len(), schedule.order()[0]), (count, count - 1));
    assert_eq!(schedule.ready(&vec![TaskProgress::Open; count], count), [count - 1]);
}

const FILES: [&str; 7] = ["src", "src/a.rs", "src/b.rs", "./src/a.rs", "docs/", "docs/*.md", "tests/a.rs"];

/// Needs as places and whether they count from the beginning of the list to the task, and files.
type Drawn = (Vec<(usize, bool)>, Vec<usize>);

/// Needs are those of any tasks, itself and unknown ones among them; most are of earlier ones, as in real lists.
fn lists() -> impl Strategy<Value = Vec<ScheduledTask>> {
    let one = (vec((0..12usize, any::<bool>()), 0..3), vec(0..FILES.len(), 0..3));
    let make = |(at, (needs, files)): (usize, Drawn)| {
        let need = |(need, earlier): (usize, bool)| if earlier && at > 0 { need % at } else { need };
        ScheduledTask {
            id: at.to_string(),
            needs: needs.into_iter().map(|one| need(one).to_string()).collect(),
            files: files.into_iter().map(|file| FILES[file].to_owned()).collect(),
            touched: BTreeSet::new(),
        }
    };
    vec(one, 0..10).prop_map(move |all: Vec<Drawn>| all.into_iter().enumerate().map(make).collect())
}

/// What happens to a list: how many jobs there are, which of the tasks under way moves on, and whether it has to begin
/// again after it wrote elsewhere, too.
fn courses() -> impl Strategy<Value = (usize, Vec<(usize, Option<usize>)>)> {
    (1..5usize, vec((any::<usize>(), proptest::option::weighted(0.2, 0..FILES.len())), 40))
}

fn overlap(one: &ScheduledTask, other: &ScheduledTask) -> bool {
    let places = |task: &ScheduledTask| -> Vec<FilePlace> {
        task.files.iter().chain(&task.touched).map(|file| FilePlace::read(file)).collect()
    };
    let shared = || places(one).iter().any(|place| places(other).iter().any(|other| place.overlaps(other)));
    one.files.is_empty() || other.files.is_empty() || shared()
}

/// The needs of each task that are no part of a circle: what it needs and what does not need it in turn.
fn plain_needs(list: &[ScheduledTask]) -> Vec<Vec<usize>> {
    let place = |id: &String| id.parse::<usize>().ok().filter(|at| *at < list.len());
    let needs = |at: usize| list[at].needs.iter().filter_map(place);
    let reaches = |from: usize, to: usize| {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(at) = open.pop() {
            open.extend(needs(at).filter(|next| seen.insert(*next)));
        }
        seen.contains(&to)
    };
    let of = |at: usize| needs(at).filter(|need| !reaches(*need, at)).collect();
    (0..list.len()).map(of).collect()
}

#[test]
fn several_jobs_begin_with_the_tasks_that_most_others_wait_for() {
    let list = [
        task("1", "", "a"),
        task("2", "", "b"),
        task("3", "", "c"),
        task("4", "3", "d"),
        task("5", "", "e"),
        task("6", "", "e f"),
        task("7", "6", "g"),
    ];
    let schedule = Schedule::new(&list);
    let open = [TaskProgress::Open; 7];
    // Five has six behind it, and that seven.
    assert_eq!(schedule.ready(&open, 1), [0]);
    assert_eq!(schedule.ready(&open, 2), [2, 4]);
    assert_eq!(schedule.ready(&open, 3), [0, 2, 4]);
    assert_eq!(schedule.ready(&open, 9), [0, 1, 2, 4]);
    let mut states = open;
    (states[2], states[4]) = (TaskProgress::Running, TaskProgress::Ended);
    assert_eq!(schedule.ready(&states, 2), [5], "one place is left");
    states[2] = TaskProgress::Ended;
    assert_eq!(schedule.ready(&states, 2), [0, 5], "of those that are alike the first");
}

proptest! {
    #[test]
    fn no_task_begins_before_what_it_needs_nor_beside_what_overlaps_and_all_end(
        mut list in lists(), (jobs, course) in courses(),
    ) {
        let needs = plain_needs(&list);
        let mut states = vec![TaskProgress::Open; list.len()];
        let mut course = course.into_iter();
        loop {
            let schedule = Schedule::new(&list);
            let is_busy = |state: &TaskProgress| matches!(state, TaskProgress::Running | TaskProgress::Landing);
            for task in schedule.ready(&states, jobs) {
                prop_assert_eq!(states[task], TaskProgress::Open);
                for need in &needs[task] {
                    prop_assert_eq!(states[*need], TaskProgress::Ended, "{} before {}", task, need);
                }
                for (other, state) in states.iter().enumerate() {
                    prop_assert!(!is_busy(state) || !overlap(&list[task], &list[other]), "{task} beside {other}");
                }
                states[task] = TaskProgress::Running;
            }
            let busy: Vec<usize> = (0..list.len()).filter(|at| is_busy(&states[*at])).collect();
            prop_assert!(busy.len() <= jobs);
            let Some((which, again)) = course.next().or(Some((0, None))).filter(|_| !busy.is_empty()) else { break };
            let task = busy[which % busy.len()];
            states[task] = match (states[task], again) {
                (TaskProgress::Running, Some(file)) => {
                    list[task].touched.insert(FILES[file].to_owned());
                    TaskProgress::Open
                }
                (TaskProgress::Running, None) => TaskProgress::Landing,
                _ => TaskProgress::Ended,
            };
        }
        prop_assert!(states.iter().all(|state| *state == TaskProgress::Ended), "{:?}", states);
    }

    #[test]
    fn one_job_carries_out_the_list_in_its_order(list in lists()) {
        let schedule = Schedule::new(&list);
        let mut states = vec![TaskProgress::Open; list.len()];
        let mut carried_out = Vec::new();
        while let Some(task) = schedule.ready(&states, 1).first().copied() {
            states[task] = TaskProgress::Ended;
            carried_out.push(task);
        }
        prop_assert_eq!(schedule.order(), &carried_out[..]);
        let is_earlier = |(at, task): (usize, &ScheduledTask)| {
            task.needs.iter().all(|need| need.parse::<usize>().is_ok_and(|need| need < at))
        };
        if list.iter().enumerate().all(is_earlier) {
            prop_assert_eq!(carried_out, (0..list.len()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn without_a_circle_the_order_is_that_of_the_list_of_tasks(list in lists()) {
        let text: String = list.iter().map(|task| {
            let needs: Vec<String> = task.needs.iter().map(|need| format!("Task {need}.1")).collect();
            format!("### Task {}.1: Do it\n\n**Depends on:** {}\n\n", task.id, needs.join(", "))
        }).collect();
        if let Ok(read) = tasks::read(&text) && let Ok(ordered) = tasks::order(&read) {
            let wanted: Vec<usize> = ordered.iter().map(|task| {
                read.tasks.iter().position(|other| other.id == task.id).unwrap()
            }).collect();
            let list: Vec<ScheduledTask> =
                read.tasks.iter().map(|one| task(&one.id, &one.depends_on.join(" "), "")).collect();
            let schedule = Schedule::new(&list);
            prop_assert_eq!(schedule.order(), &wanted[..]);
        }
    }
}
