//! The machine's clock.

use crate::world::ClockAt;
use redraft_adapters::clock::SystemClock;
use redraft_engine::ports::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) struct RealClock {
    clock: SystemClock,
    leave: Arc<AtomicBool>,
}

impl RealClock {
    pub(super) fn new(ahead_ms: i64) -> RealClock {
        let leave = Arc::<AtomicBool>::default();
        let clock = SystemClock::new(Arc::default()).ahead(ahead_ms).leaving_with(Arc::clone(&leave));
        RealClock { clock, leave }
    }
}

impl ClockAt for RealClock {
    fn port(&self) -> &dyn Clock {
        &self.clock
    }

    fn stop(&self) {
        self.clock.stop();
    }

    fn leave(&self) {
        self.leave.store(true, Ordering::SeqCst);
    }
}
