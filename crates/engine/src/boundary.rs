//! Places where a crash would hurt most, numbered as the run passes them.
//!
//! The crash tests abort the process at the Nth boundary, for every N, and check that nothing is lost. In
//! ordinary runs a boundary is a counter and nothing else.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Default)]
pub struct Boundaries {
    passed: AtomicU64,
    /// Abort at this one; 0 for never.
    abort_at: u64,
}

impl Boundaries {
    pub fn new(abort_at: u64) -> Self {
        Self { passed: AtomicU64::new(0), abort_at }
    }

    /// One more boundary is behind us. The name is for the reader of the code.
    pub fn pass(&self, _name: &'static str) {
        let number = self.passed.fetch_add(1, Ordering::SeqCst) + 1;
        if number == self.abort_at {
            std::process::abort();
        }
    }
}
