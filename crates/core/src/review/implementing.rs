//! How code is built before it is reviewed: one task after the other, then work on the whole of it.
//!
//! ```text
//!   task ──► gates ──► task ──► gates ──► … ──► simplify ──► gates ──► outline ──► tests ──► gates ──► reviewers
//!     ▲        │                                                                     ▲         │
//!     └────────┘ at most as often as gates may fail in a row                  code mended ◄────┘ at most twice
//! ```
//!
//! Here is what is remembered of it; `plan::make` says what comes next, `step::make` how facts change it. Every task is
//! carried out in a conversation of its own. A task that cannot be carried out becomes a question; what comes after the
//! tasks never does, because the review can do without it.

use super::landing::{Landing, SentBack};
use super::seat::Seat;
use redraft_documents::schedule::{Schedule, ScheduledTask, TaskProgress};
use redraft_facts::event::{Extra, Limits, LoopOpened, PlannedTask};
use redraft_facts::ids::{BlobId, Revision, TaskId};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Unit};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Implementing {
    /// In the order they are carried out.
    pub tasks: Vec<TaskWork>,
    pub simplifier: Option<Seat>,
    pub outliner: Option<Seat>,
    pub tester: Option<Seat>,
    pub simplified: bool,
    pub outlined: bool,
    /// Whether the tests are written for the code as it was last mended.
    pub tested: bool,
    /// What the outliner thought of; none where it thought of nothing.
    pub outline: Option<BlobId>,
    pub tests: Option<WrittenFiles>,
    /// How often the code was mended because of those tests.
    pub mended: u16,
    /// What a person went on without, until it is taken out.
    pub taken_out: Option<WrittenFiles>,
    /// Tasks that are carried out side by side.
    pub landing: Landing,
    /// Whether the simplifier was sent before the tests were thought of, as earlier versions did.
    simplifies_first: bool,
}

/// What was written, so that it can be taken out again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFiles {
    /// The revision before the first change.
    pub before: Revision,
    pub files: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskWork {
    pub id: TaskId,
    pub title: String,
    pub text: BlobId,
    pub seat: Seat,
    /// Whether something was built that the gates have not passed yet.
    pub built: bool,
    pub wrote: Option<WrittenFiles>,
    /// Why the implementer last said that it is not done.
    pub unfinished: Option<String>,
    /// The commit of its own worktree with what was done so far; none where it works in the feature's.
    pub own: Option<String>,
    /// The files that it changed there.
    pub touched: BTreeSet<String>,
    /// Why it was sent back, until it is finished again.
    pub returned: Option<SentBack>,
    /// How often in a row that was a conflict.
    pub conflicts: u16,
    /// What it says it needs and writes, for who may be carried out beside it.
    pub declared: ScheduledTask,
    pub end: Option<TaskEnd>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    Done,
    /// It was done before the feature was adopted, not by us.
    Before,
    /// A person went on without it.
    Blocked {
        why: String,
    },
}

/// Who works on code that is not reviewed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeRole {
    /// A task, by its place in the list.
    Task(usize),
    Simplifier,
    Outliner,
    Tester,
}

impl WrittenFiles {
    /// Adds to what was written, or begins with it.
    pub(super) fn add(wrote: &mut Option<WrittenFiles>, before: Revision, files: &[String]) {
        let wrote = wrote.get_or_insert_with(|| WrittenFiles { before, files: BTreeSet::new() });
        wrote.files.extend(files.iter().cloned());
    }
}

impl Implementing {
    /// What a loop begins with; none where nothing is built. Tasks that an earlier pass has carried out stay so, unless
    /// they say something else now, and tasks that were done before the feature was adopted are not carried out at all.
    /// What one has done in a worktree of its own, and has not become part of the feature, is gone on with.
    pub fn new(opened: &LoopOpened, earlier: Option<&Implementing>) -> Option<Implementing> {
        if opened.tasks.is_empty() {
            return None;
        }
        let known = |planned: &PlannedTask| {
            let same = |task: &&TaskWork| task.id == planned.id && task.text == planned.text;
            earlier.iter().flat_map(|earlier| &earlier.tasks).find(same)
        };
        let done = |planned: &PlannedTask| {
            let done = known(planned).and_then(|task| task.end.clone()).filter(|end| *end == TaskEnd::Done);
            done.or_else(|| planned.ticked.then_some(TaskEnd::Before))
        };
        let tasks = opened.tasks.iter().map(|task| TaskWork {
            id: task.id.clone(),
            title: task.title.clone(),
            text: task.text.clone(),
            seat: Seat { unit: Unit::Task(task.id.clone()), ..Seat::new(opened.author.clone(), 'A', 0) },
            built: false,
            wrote: None,
            unfinished: None,
            own: known(task).and_then(|task| task.own.clone()),
            touched: known(task).map(|task| task.touched.clone()).unwrap_or_default(),
            returned: None,
            conflicts: 0,
            declared: ScheduledTask {
                id: task.id.to_string(),
                needs: task.needs.clone(),
                files: task.files.clone(),
                touched: BTreeSet::new(),
            },
            end: done(task),
        });
        let helper = |extra| opened.extras.get(&extra).map(|role| Seat::new(role.clone(), 'A', 0));
        Some(Implementing {
            tasks: tasks.collect(),
            simplifier: helper(Extra::Simplify),
            outliner: helper(Extra::Deepen),
            tester: helper(Extra::Deepen),
            simplified: earlier.is_some_and(|earlier| earlier.simplified),
            outlined: earlier.is_some_and(|earlier| earlier.outlined),
            tested: earlier.is_some_and(|earlier| earlier.tested),
            outline: earlier.and_then(|earlier| earlier.outline.clone()),
            tests: None,
            mended: 0,
            taken_out: None,
            landing: Landing {
                jobs: earlier.map_or(1, |earlier| earlier.landing.jobs),
                ..Landing::default()
            },
            simplifies_first: false,
        })
    }

    pub(super) fn seats(&self) -> impl Iterator<Item = &Seat> {
        let helpers = [&self.simplifier, &self.outliner, &self.tester].into_iter().flatten();
        self.tasks.iter().map(|task| &task.seat).chain(helpers)
    }

    pub(super) fn seats_mut(&mut self) -> impl Iterator<Item = &mut Seat> {
        let helpers = [&mut self.simplifier, &mut self.outliner, &mut self.tester].into_iter().flatten();
        self.tasks.iter_mut().map(|task| &mut task.seat).chain(helpers)
    }

    pub(super) fn seat(&self, maker: CodeRole) -> Option<&Seat> {
        match maker {
            CodeRole::Task(place) => self.tasks.get(place).map(|task| &task.seat),
            CodeRole::Simplifier => self.simplifier.as_ref(),
            CodeRole::Outliner => self.outliner.as_ref(),
            CodeRole::Tester => self.tester.as_ref(),
        }
    }

    /// The seat of a ticket that is about to be sent.
    pub(super) fn seat_for(&mut self, unit: &Unit, purpose: Purpose) -> Option<&mut Seat> {
        match (unit, purpose) {
            (Unit::Task(id), Purpose::Implement) => {
                self.tasks.iter_mut().find(|task| task.id == *id).map(|task| &mut task.seat)
            }
            (Unit::Whole, Purpose::Simplify) => self.simplifier.as_mut(),
            (Unit::Whole, Purpose::Outline) => self.outliner.as_mut(),
            (Unit::Whole, Purpose::Tests) => self.tester.as_mut(),
            _ => None,
        }
    }

    /// The task that is being carried out or comes next, with its place.
    pub fn current(&self) -> Option<(usize, &TaskWork)> {
        self.tasks.iter().enumerate().find(|(_, task)| task.end.is_none())
    }

    /// The same with the simplifier before the tests, where neither has begun.
    pub(super) fn simplifying_first(&self) -> Option<Implementing> {
        let is_new = !self.simplified && !self.outlined && !self.simplifies_first;
        is_new.then(|| Implementing { simplifies_first: true, ..self.clone() })
    }

    pub(super) fn task_mut(&mut self, id: &TaskId) -> Option<&mut TaskWork> {
        self.tasks.iter_mut().find(|task| task.id == *id)
    }

    /// Whether tasks are carried out side by side now. What was begun in the feature's worktree ends there, and what was
    /// begun in one of its own goes on in such a one.
    pub fn is_side_by_side(&self) -> bool {
        let is_in = |task: &TaskWork, beside: bool| {
            task.seat.flight().is_some_and(|flight| flight.started.slot.is_some() == beside)
        };
        let begun = |task: &TaskWork| task.built || task.wrote.is_some() || is_in(task, false);
        let begins = |task: &TaskWork| !begun(task) && (self.landing.jobs > 1 || task.own.is_some());
        !self.landing.queue.is_empty()
            || self.tasks.iter().any(|task| is_in(task, true))
            || self.current().is_some_and(|(_, task)| begins(task))
    }

    /// The tasks that may be sent out now, one beside the other. Where nothing is under way and somebody must decide
    /// about a task first, it is that one.
    pub(super) fn ready(&self, limits: &Limits) -> Vec<usize> {
        let spent = |task: &TaskWork| task.seat.work.as_ref().is_some_and(|work| work.is_spent(limits));
        let waiting = |task: &TaskWork| self.landing.ticket_of(&task.id).is_some();
        let state = |task: &TaskWork| match () {
            () if task.end.is_some() => TaskProgress::Ended,
            () if waiting(task) => TaskProgress::Landing,
            () if task.seat.in_flight() => TaskProgress::Running,
            () => TaskProgress::Open,
        };
        let states: Vec<TaskProgress> = self.tasks.iter().map(state).collect();
        let scheduled = self.tasks.iter().map(|task| {
            let touched = task.touched.clone();
            ScheduledTask { touched, ..task.declared.clone() }
        });
        let schedule = Schedule::new(&scheduled.collect::<Vec<_>>());
        // Who waits for a person takes no place from others.
        let all = schedule.ready(&states, usize::MAX);
        let (stuck, able): (Vec<usize>, Vec<usize>) =
            all.into_iter().partition(|place| spent(&self.tasks[*place]));
        let busy = states.iter().filter(|state| **state == TaskProgress::Running).count();
        let able = schedule.chosen(able, &states, usize::from(self.landing.jobs), busy);
        if able.is_empty() { stuck } else { able }
    }

    pub(super) fn current_mut(&mut self) -> Option<&mut TaskWork> {
        self.tasks.iter_mut().find(|task| task.end.is_none())
    }

    /// How many tasks are done and how many a person went on without.
    pub fn tally(&self) -> (usize, usize) {
        let is_done = |task: &&TaskWork| matches!(task.end, Some(TaskEnd::Done | TaskEnd::Before));
        let done = self.tasks.iter().filter(is_done).count();
        let blocked =
            self.tasks.iter().filter(|task| matches!(task.end, Some(TaskEnd::Blocked { .. }))).count();
        (done, blocked)
    }

    /// Whether the tests are to be written once more, for code that was mended because of them.
    pub(super) fn tests_again(&self, limits: &Limits) -> bool {
        self.tests.is_some() && !self.tested && able(self.tester.as_ref(), limits)
    }

    /// What is left to do to the whole of the code. The simplifier comes last, when the most tests watch over it.
    pub(super) fn extra(&self, limits: &Limits) -> Option<(Purpose, CodeRole)> {
        let simplify = !self.simplified && able(self.simplifier.as_ref(), limits);
        if simplify && self.simplifies_first {
            return Some((Purpose::Simplify, CodeRole::Simplifier));
        }
        if !self.outlined && able(self.outliner.as_ref(), limits) {
            return Some((Purpose::Outline, CodeRole::Outliner));
        }
        if self.outline.is_some() && !self.tested && able(self.tester.as_ref(), limits) {
            return Some((Purpose::Tests, CodeRole::Tester));
        }
        simplify.then_some((Purpose::Simplify, CodeRole::Simplifier))
    }
}

/// Whether somebody can still be asked: optional work is not waited for.
fn able(seat: Option<&Seat>, limits: &Limits) -> bool {
    seat.is_some_and(|seat| seat.work.as_ref().is_none_or(|work| !work.is_spent(limits)))
}
