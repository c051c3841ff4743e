//! Hands what was let in to plain threads: building a page reads files and runs git and
//! other programs, and the serving thread must not block on that.

use super::site::{Answer, Posted, Site, Wanted};
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// How many pages are made at once.
pub(super) const WORKERS: usize = 3;
/// How many may wait for one of them.
const WAITING_MAX: usize = 64;

pub(super) struct Jobs {
    pages: Entrance,
    /// Of their own, so that a slow write holds up no page.
    writes: Entrance,
}

struct Job {
    what: What,
    done: oneshot::Sender<Answer>,
}

enum What {
    Page(Wanted),
    Write(Posted),
}

/// Where workers get what they are to do. Of those that have nothing to do, the first one is next: the memory that a
/// page took stays with the worker that made it, so three that take turns keep three times as much as one.
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    waiting_max: usize,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    /// The numbers of the workers that have nothing to do.
    idle: BTreeSet<usize>,
    /// Nothing more can come.
    is_over: bool,
}

impl Waiting {
    /// Whether a job is left for this worker once each idle one before it has taken one.
    fn has_one_for(&self, worker: usize) -> bool {
        self.idle.range(..worker).count() < self.jobs.len()
    }
}

/// The end at which jobs are put in; the queue is over when it is gone.
struct Entrance(Arc<Queue>);

impl Drop for Entrance {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

impl Jobs {
    /// With the queue of pages and that of writes, which one worker does one after the other.
    pub(super) fn new() -> (Jobs, Arc<Queue>, Arc<Queue>) {
        let (pages, writes) = (Queue::new(WAITING_MAX), Queue::new(WAITING_MAX / 8));
        let jobs = Jobs { pages: Entrance(Arc::clone(&pages)), writes: Entrance(Arc::clone(&writes)) };
        (jobs, pages, writes)
    }

    /// None where too many wait, or the server ends.
    pub(super) async fn page(&self, wanted: Wanted) -> Option<Answer> {
        asked(&self.pages.0, What::Page(wanted)).await
    }

    pub(super) async fn write(&self, posted: Posted) -> Option<Answer> {
        asked(&self.writes.0, What::Write(posted)).await
    }
}

async fn asked(queue: &Queue, what: What) -> Option<Answer> {
    let (done, answer) = oneshot::channel();
    queue.put(Job { what, done })?;
    answer.await.ok()
}

impl Queue {
    fn new(waiting_max: usize) -> Arc<Queue> {
        Arc::new(Queue { waiting: Mutex::default(), changed: Condvar::new(), waiting_max })
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None where too many wait.
    fn put(&self, job: Job) -> Option<()> {
        let mut waiting = self.lock();
        if waiting.jobs.len() >= self.waiting_max {
            return None;
        }
        waiting.jobs.push_back(job);
        drop(waiting);
        self.changed.notify_all();
        Some(())
    }

    /// This worker has nothing to do from now on, and asks for its next job in a moment.
    fn rest(&self, worker: usize) {
        self.lock().idle.insert(worker);
    }

    /// The next job of this worker; none where nothing more can come.
    fn take(&self, worker: usize) -> Option<Job> {
        self.rest(worker);
        let mut waiting = self.lock();
        loop {
            if waiting.has_one_for(worker) {
                waiting.idle.remove(&worker);
                return waiting.jobs.pop_front();
            }
            if waiting.is_over {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Does what comes until nothing more can come.
pub(super) fn work(queue: &Queue, worker: usize, site: &dyn Site) {
    while let Some(Job { what, done }) = queue.take(worker) {
        // Nobody waits for a page that was left meanwhile. A form that was sent is carried out all the same.
        if done.is_closed() && matches!(what, What::Page(_)) {
            continue;
        }
        let answer = catch_unwind(AssertUnwindSafe(|| match &what {
            What::Page(wanted) => site.page(wanted),
            What::Write(posted) => site.write(posted),
        }));
        // Before it answers: whoever gets the answer may ask for the next page at once, and this worker is to make it.
        queue.rest(worker);
        if let Ok(answer) = answer {
            // Whoever asked may have gone away.
            let _ = done.send(answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::site::{Made, Place};
    use std::collections::BTreeMap;

    fn job() -> Job {
        let wanted = Wanted { place: Place::Board, query: BTreeMap::new(), made: Made::default() };
        Job { what: What::Page(wanted), done: oneshot::channel().0 }
    }

    #[test]
    fn one_worker_does_what_comes_one_by_one_and_the_others_help_only_while_it_works() {
        let queue = Queue::new(2);
        let idle = |workers: &[usize]| queue.lock().idle.extend(workers);
        let next = |worker: usize| queue.lock().has_one_for(worker);
        idle(&[0, 1, 2]);
        assert_eq!([0, 1, 2].map(next), [false, false, false]);
        assert!(queue.put(job()).is_some());
        assert_eq!([0, 1, 2].map(next), [true, false, false], "the first one is next");
        assert!(queue.put(job()).is_some());
        assert_eq!([0, 1, 2].map(next), [true, true, false], "two pages at once");
        assert!(queue.put(job()).is_none(), "too many wait");
        assert!(queue.take(0).is_some());
        assert_eq!([1, 2].map(next), [true, false], "while the first one works");
        assert!(queue.take(1).is_some());
        assert!(queue.put(job()).is_some());
        assert!(next(2), "while both work");
        queue.rest(0);
        assert_eq!([0, 1, 2].map(next), [true, false, false], "the first one has answered");
        assert!(queue.take(0).is_some());
        drop(Entrance(Arc::clone(&queue)));
        assert!(queue.take(0).is_none(), "nothing more can come");
    }
}
