//! Hands what was let in to plain threads: making a page reads files, asks git and starts programs, none of which the
//! thread that serves may wait for.

use super::site::{Answer, Posted, Site, Wanted};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use tokio::sync::oneshot;

/// How many pages are made at once.
pub(super) const WORKERS: usize = 3;
/// How many may wait for one of them.
const WAITING_MAX: usize = 64;

pub(super) struct Jobs {
    queue: SyncSender<Job>,
    /// Of their own, so that a slow write holds up no page.
    writes: SyncSender<Job>,
}

struct Job {
    what: What,
    done: oneshot::Sender<Answer>,
}

enum What {
    Page(Wanted),
    Write(Posted),
}

/// Where workers get what they are to do.
pub(super) struct Queue(Mutex<Receiver<Job>>);

impl Jobs {
    /// With the queue of pages and that of writes, which one worker does one after the other.
    pub(super) fn new() -> (Jobs, Queue, Queue) {
        let (queue, pages) = sync_channel(WAITING_MAX);
        let (writes, written) = sync_channel(WAITING_MAX / 8);
        (Jobs { queue, writes }, Queue(Mutex::new(pages)), Queue(Mutex::new(written)))
    }

    /// None where too many wait, or the server ends.
    pub(super) async fn page(&self, wanted: Wanted) -> Option<Answer> {
        asked(&self.queue, What::Page(wanted)).await
    }

    pub(super) async fn write(&self, posted: Posted) -> Option<Answer> {
        asked(&self.writes, What::Write(posted)).await
    }
}

async fn asked(queue: &SyncSender<Job>, what: What) -> Option<Answer> {
    let (done, answer) = oneshot::channel();
    queue.try_send(Job { what, done }).ok()?;
    answer.await.ok()
}

/// Does what comes until nothing more can come.
pub(super) fn work(queue: &Queue, site: &dyn Site) {
    loop {
        let next = queue.0.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { what, done }) = next else { return };
        // Nobody waits for a page that was left meanwhile. A form that was sent is carried out all the same.
        if done.is_closed() && matches!(what, What::Page(_)) {
            continue;
        }
        let answer = catch_unwind(AssertUnwindSafe(|| match &what {
            What::Page(wanted) => site.page(wanted),
            What::Write(posted) => site.write(posted),
        }));
        if let Ok(answer) = answer {
            // Whoever asked may have gone away.
            let _ = done.send(answer);
        }
    }
}
