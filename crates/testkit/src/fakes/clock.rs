//! A clock that stands still unless somebody waits or moves it.

use redraft_engine::ports::{Clock, Moment};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// When every scenario begins: 2026-09-21.
const BEGINNING_MS: i64 = 1_790_000_000_000;

/// Time of a scenario, and whether the user has asked it to stop.
#[derive(Debug)]
pub struct StillClock {
    now_ms: AtomicI64,
    /// Waits are limits too: they move this clock as well, and nothing sets it back.
    moment_ms: AtomicU64,
    stopped: AtomicBool,
    leaving: AtomicBool,
}

impl Default for StillClock {
    fn default() -> Self {
        Self {
            now_ms: AtomicI64::new(BEGINNING_MS),
            moment_ms: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            leaving: AtomicBool::new(false),
        }
    }
}

impl StillClock {
    /// Lets time pass.
    pub fn pass_ms(&self, ms: u64) {
        self.now_ms.fetch_add(i64::try_from(ms).unwrap_or(i64::MAX), Ordering::SeqCst);
        self.moment_ms.fetch_add(ms, Ordering::SeqCst);
    }

    /// Sets the time of day, as a machine does that has been told the right time; limits do not notice.
    pub fn jump_to_ms(&self, now_ms: i64) {
        self.now_ms.store(now_ms, Ordering::SeqCst);
    }

    /// The user asks the run to stop at once.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    /// The user asks the run to begin nothing new.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::SeqCst);
    }

    /// A new process has not been asked for anything yet.
    pub fn begin(&self) {
        self.stopped.store(false, Ordering::SeqCst);
        self.leaving.store(false, Ordering::SeqCst);
    }
}

impl Clock for StillClock {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn moment(&self) -> Moment {
        Moment::after(Duration::from_millis(self.moment_ms.load(Ordering::SeqCst)))
    }

    fn wait_ms(&self, ms: u64) -> bool {
        if self.stopped() {
            return false;
        }
        self.pass_ms(ms);
        !self.stopped()
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    fn leaving(&self) -> bool {
        self.stopped() || self.leaving.load(Ordering::SeqCst)
    }
}
