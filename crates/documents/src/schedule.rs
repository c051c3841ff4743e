//! Which tasks of a feature may run side by side: a function of what they say they need and which files they write.
//!
//! Two tasks that overlap are never under way at once, and the one that comes first in the order is carried out first.
//! So whatever overlaps is built in the same order with any number of jobs, a task that declares no files waits for all
//! before it and is waited for by all behind it, and no task waits for ever. What is unclear falls back to one after
//! the other. It knows no time and no cost. Start at [`Schedule::new`] and [`Schedule::ready`].

use crate::file_place::FilePlace;
use crate::tasks::{self, Need, Task, TaskList};
use redraft_facts::prelude::*;

/// A task, as far as it matters for who may run beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScheduledTask {
    pub id: String,
    /// The ids of the tasks it needs. One that is no task of the list makes it wait for all before it.
    pub needs: Vec<String>,
    /// The files, folders and patterns it declares; without any it overlaps every other task.
    pub files: Vec<String>,
    /// What it wrote in earlier attempts, whether or not it declares that.
    pub touched: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskProgress {
    #[default]
    Open,
    Running,
    /// It is carried out, and its work is not yet where other tasks begin from.
    Landing,
    /// It has landed, or a person went on without it.
    Ended,
}

/// Why a task waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason<'a> {
    /// It says so.
    Needs,
    /// Both wait for each other, so they are carried out in the order of the list.
    Circle,
    /// It needs a task that is not in the list, or itself.
    UnknownNeed(&'a str),
    /// Both write there; first the place of the task that waits.
    SharedFile(&'a FilePlace, &'a FilePlace),
    /// The one that waits, the one it waits for, or both declare no files.
    NoFiles { own: bool, other: bool },
}

/// Tasks with what each waits for. A task is named by its place in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    tasks: Vec<Node>,
    order: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    /// In the order they are named.
    needs: Vec<usize>,
    /// The task of its circle that comes before it.
    after_in_circle: Option<usize>,
    unknown: Option<String>,
    declares: bool,
    places: Vec<FilePlace>,
}

impl ScheduledTask {
    /// The tasks of a list with what they declare, in its order.
    pub fn of_list(list: &TaskList) -> Vec<ScheduledTask> {
        let unknown = tasks::unknown(&list.tasks);
        let one = |task: &Task| ScheduledTask {
            id: task.id.clone(),
            needs: ScheduledTask::needs(task, &unknown).collect(),
            files: task.files.clone(),
            touched: BTreeSet::new(),
        };
        list.tasks.iter().map(one).collect()
    }

    /// What a task says it needs, also what is no task of its list; `unknown` are all of these.
    pub fn needs(task: &Task, unknown: &[&Need]) -> impl Iterator<Item = String> {
        let own = unknown.iter().filter(|need| (task.line..=task.end_line).contains(&need.line));
        task.depends_on.iter().cloned().chain(own.map(|need| need.id.clone()))
    }
}

impl Schedule {
    /// `tasks` in the order of their list.
    pub fn new(tasks: &[ScheduledTask]) -> Schedule {
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, task) in tasks.iter().enumerate() {
            // Of two tasks with one id the first is meant.
            found.entry(task.id.as_str()).or_insert(at);
        }
        let node = |(at, task): (usize, &ScheduledTask)| {
            let known = |need: &String| found.get(need.as_str()).copied().filter(|need| *need != at);
            Node {
                needs: task.needs.iter().filter_map(known).collect(),
                after_in_circle: None,
                unknown: task.needs.iter().find(|need| known(need).is_none()).cloned(),
                declares: !task.files.is_empty(),
                places: task.files.iter().chain(&task.touched).map(|file| FilePlace::read(file)).collect(),
            }
        };
        let mut schedule =
            Schedule { tasks: tasks.iter().enumerate().map(node).collect(), order: Vec::new() };
        schedule.open_circles();
        schedule.order = schedule.ordered();
        schedule
    }

    /// One after the other: the order of the list, except that a task comes after those it needs.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// All tasks of the list that one waits for, in their order. Each comes before it in [`Schedule::order`].
    pub fn before(&self, task: usize) -> impl Iterator<Item = usize> {
        let earlier = self.order.iter().copied().take_while(move |other| *other != task);
        earlier.filter(move |other| self.why(task, *other).is_some())
    }

    /// Why two tasks are not carried out at once, if they are not: `task` being the one that comes later.
    pub fn why(&self, task: usize, other: usize) -> Option<Reason<'_>> {
        let (own, its) = (&self.tasks[task], &self.tasks[other]);
        if own.needs.contains(&other) {
            return Some(Reason::Needs);
        }
        if own.after_in_circle == Some(other) {
            return Some(Reason::Circle);
        }
        if let Some(unknown) = &own.unknown {
            return Some(Reason::UnknownNeed(unknown));
        }
        if !own.declares || !its.declares {
            return Some(Reason::NoFiles { own: !own.declares, other: !its.declares });
        }
        let shared = |place| Some((place, its.places.iter().find(|other| other.overlaps(place))?));
        let (place, other) = own.places.iter().find_map(shared)?;
        Some(Reason::SharedFile(place, other))
    }

    /// The tasks that begin now, all of them at once, in their order. `states` are those of the tasks of the list, and
    /// at most `jobs` are under way. Where none is and one is open, there is one.
    pub fn ready(&self, states: &[TaskProgress], jobs: usize) -> Vec<usize> {
        let state = |task: usize| states.get(task).copied().unwrap_or_default();
        let in_order = || self.order.iter().copied().enumerate();
        let is_busy = |(_, task): &(usize, usize)| {
            matches!(state(*task), TaskProgress::Running | TaskProgress::Landing)
        };
        let busy: Vec<(usize, usize)> = in_order().filter(is_busy).collect();
        let mut left: Vec<usize> = Vec::new();
        let may_begin = |(nth, task): (usize, usize)| {
            let now = state(task);
            if now == TaskProgress::Ended {
                return None;
            }
            let waits = now != TaskProgress::Open
                || left.iter().any(|earlier| self.why(task, *earlier).is_some())
                // What a task touched may have come to light when a later one was already under way.
                || busy.iter().any(|(place, later)| *place > nth && self.why(*later, task).is_some());
            left.push(task);
            (!waits).then_some(task)
        };
        let able = in_order().filter_map(may_begin).collect();
        self.chosen(able, states, jobs, busy.len())
    }

    /// Those of the tasks that may begin for which there is a place, in their order. Several jobs begin with the tasks that
    /// most others wait for, one after the other: so the last of them ends earliest.
    pub fn chosen(
        &self,
        mut able: Vec<usize>,
        states: &[TaskProgress],
        jobs: usize,
        busy: usize,
    ) -> Vec<usize> {
        let places = jobs.saturating_sub(busy);
        if jobs > 1 && able.len() > places {
            let behind = self.behind(states);
            let mut urgent = able.clone();
            urgent.sort_by_key(|task| core::cmp::Reverse(behind[*task]));
            let last: BTreeSet<usize> = urgent.split_off(places).into_iter().collect();
            able.retain(|task| !last.contains(task));
        }
        able.truncate(places);
        able
    }

    /// How many tasks have to be carried out one after the other when a task has ended, at least.
    fn behind(&self, states: &[TaskProgress]) -> Vec<usize> {
        let mut behind = vec![0; self.tasks.len()];
        let ended = |task: &usize| states.get(*task) == Some(&TaskProgress::Ended);
        let left: Vec<usize> = self.order.iter().copied().filter(|task| !ended(task)).collect();
        for (at, task) in left.iter().enumerate().rev() {
            let waits = left[at + 1..].iter().filter(|later| self.why(**later, *task).is_some());
            behind[*task] = waits.map(|later| behind[*later] + 1).max().unwrap_or(0);
        }
        behind
    }

    /// Tasks that wait for each other are carried out in the order of the list, in place of what they say they need of
    /// each other. What they need of others holds.
    fn open_circles(&mut self) {
        let needs: Vec<Vec<usize>> = self.tasks.iter().map(|task| task.needs.clone()).collect();
        let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
        for (task, needs) in needs.iter().enumerate() {
            needs.iter().for_each(|need| needed_by[*need].push(task));
        }
        let mut left: BTreeSet<usize> = in_circles(&needs, &needed_by);
        while let Some(first) = left.pop_first() {
            let behind = reached(first, &needs);
            let circle: BTreeSet<usize> =
                reached(first, &needed_by).into_iter().filter(|task| behind.contains(task)).collect();
            let mut last = None;
            for task in circle.iter().copied().filter(|_| circle.len() > 1) {
                left.remove(&task);
                self.tasks[task].needs.retain(|need| !circle.contains(need));
                self.tasks[task].after_in_circle = last.replace(task);
            }
        }
    }

    /// Uses a stack of its own: a list may be as deep as it is long.
    fn ordered(&self) -> Vec<usize> {
        let mut taken = vec![false; self.tasks.len()];
        let mut ordered = Vec::with_capacity(self.tasks.len());
        for first in 0..self.tasks.len() {
            let mut path = vec![(first, 0)];
            while let Some((task, seen)) = path.last_mut() {
                let node = &self.tasks[*task];
                let next = node.needs.iter().chain(&node.after_in_circle).nth(*seen).copied();
                *seen += 1;
                match next {
                    Some(need) if !taken[need] => path.push((need, 0)),
                    Some(_) => {}
                    None => {
                        if !core::mem::replace(&mut taken[*task], true) {
                            ordered.push(*task);
                        }
                        path.pop();
                    }
                }
            }
        }
        ordered
    }
}

/// The tasks that are in a circle or between two.
fn in_circles(needs: &[Vec<usize>], needed_by: &[Vec<usize>]) -> BTreeSet<usize> {
    let mut left: BTreeSet<usize> = (0..needs.len()).collect();
    for (forth, back) in [(needs, needed_by), (needed_by, needs)] {
        let mut counts: Vec<usize> =
            forth.iter().map(|all| all.iter().filter(|one| left.contains(one)).count()).collect();
        let mut free: Vec<usize> = left.iter().copied().filter(|task| counts[*task] == 0).collect();
        while let Some(task) = free.pop() {
            left.remove(&task);
            for other in back[task].iter().copied().filter(|other| left.contains(other)) {
                counts[other] -= 1;
                if counts[other] == 0 {
                    free.push(other);
                }
            }
        }
    }
    left
}

/// A task and all that one comes to from it.
fn reached(first: usize, edges: &[Vec<usize>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([first]);
    let mut open = vec![first];
    while let Some(task) = open.pop() {
        open.extend(edges[task].iter().copied().filter(|next| found.insert(*next)));
    }
    found
}
