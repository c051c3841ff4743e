//! How many agents are at work at once.

use super::super::{Crash, locked};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many agents are at work, and how many were at most since nobody was.
#[derive(Debug, Default)]
pub(super) struct AtWork {
    number: Mutex<(usize, usize)>,
    changed: Condvar,
}

/// One of them, until it is dropped.
pub(super) struct Here<'a>(&'a AtWork);

impl AtWork {
    /// Longer than a thread needs to begin.
    const LONGEST: Duration = Duration::from_secs(10);

    pub(super) fn enter(&self) -> Here<'_> {
        let mut number = locked(&self.number);
        number.0 += 1;
        number.1 = number.1.max(number.0);
        self.changed.notify_all();
        Here(self)
    }

    /// Waits until so many are at work.
    pub(super) fn meet(&self, wanted: usize, crash: &Crash) {
        self.wait(crash, &format!("{wanted} were to be at work at once"), |(_, most)| most >= wanted);
    }

    /// Waits until so many are gone of those that were at work at once.
    pub(super) fn let_go(&self, wanted: usize, crash: &Crash) {
        self.wait(crash, &format!("{wanted} were to go first"), |(now, most)| most - now >= wanted);
    }

    /// In a process that has died, nobody else comes or goes.
    fn wait(&self, crash: &Crash, what: &str, until: impl Fn((usize, usize)) -> bool) {
        let began = Instant::now();
        let mut number = locked(&self.number);
        while !until(*number) && !crash.is_dead() {
            assert!(began.elapsed() < AtWork::LONGEST, "{what}: {number:?}");
            let waited = self.changed.wait_timeout(number, Duration::from_millis(20));
            number = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Here<'_> {
    fn drop(&mut self) {
        let mut number = locked(&self.0.number);
        number.0 -= 1;
        if number.0 == 0 {
            number.1 = 0;
        }
        self.0.changed.notify_all();
    }
}
