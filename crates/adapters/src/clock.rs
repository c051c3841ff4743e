//! The real clock, and the flag that Ctrl-C raises.

use redraft_engine::ports::{Clock, Moment};
use redraft_facts::usage::Usd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime};

pub struct SystemClock {
    stop: Arc<AtomicBool>,
    /// Raised when the terminal is gone.
    leave: Arc<AtomicBool>,
    /// How far it is ahead of the machine's, in milliseconds.
    ahead_ms: i64,
    /// What moments are counted from. On Linux and macOS this clock stands still while the machine sleeps.
    began: Instant,
}

/// How often a wait looks at the flag.
const SLICE_MS: u64 = 25;

impl SystemClock {
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self { stop, leave: Arc::default(), ahead_ms: 0, began: Instant::now() }
    }

    /// The same, ahead of the machine's clock by this much; for tests of what happens when something expires.
    pub fn ahead(self, ahead_ms: i64) -> Self {
        Self { ahead_ms, ..self }
    }

    /// The same with a flag that is raised when the terminal is gone, so that nothing new is begun.
    pub fn leaving_with(self, leave: Arc<AtomicBool>) -> Self {
        Self { leave, ..self }
    }

    /// Raises the flag as Ctrl-C does.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine for the time")]
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX).saturating_add(self.ahead_ms)
    }

    fn moment(&self) -> Moment {
        Moment::after(self.began.elapsed())
    }

    fn wait_ms(&self, ms: u64) -> bool {
        let (never, mut left) = ((Mutex::new(()), Condvar::new()), ms);
        while left > 0 && !self.stopped() {
            let slice = left.min(SLICE_MS);
            let Ok(guard) = never.0.lock() else { return false };
            // Nothing ever notifies it; this is a sleep that ends with the slice.
            drop(never.1.wait_timeout(guard, Duration::from_millis(slice)));
            left -= slice;
        }
        !self.stopped()
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn leaving(&self) -> bool {
        self.stopped() || self.leave.load(Ordering::SeqCst)
    }
}

impl redraft_engine::ports::RunHandle for SystemClock {
    fn stopped(&self) -> bool {
        Clock::stopped(self)
    }

    fn wait_ms(&self, ms: u64) -> bool {
        Clock::wait_ms(self, ms)
    }

    fn now_ms(&self) -> i64 {
        Clock::now_ms(self)
    }

    fn moment(&self) -> Moment {
        Clock::moment(self)
    }

    /// A mere clock has no one to tell.
    fn tell(&self, _doing: &str) {}

    /// A mere clock has no budget.
    fn afford(&self, _total: Usd) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_at_once_when_the_run_is_stopped() {
        let clock = SystemClock::new(Arc::new(AtomicBool::new(true)));
        assert!(!clock.wait_ms(u64::MAX));
        assert!(clock.now_ms() > 1_700_000_000_000);
        assert!(SystemClock::new(Arc::default()).wait_ms(1));
    }
}
