//! Places where a crash would hurt most, numbered as the run passes them.
//!
//! The crash tests end the run at the Nth boundary, for every N, and check that nothing is lost: those of the program by
//! aborting the process, those of the engine by a [`Boundaries::watched`] that unwinds. In ordinary runs a boundary is a
//! counter and nothing else.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Called with the name of each boundary.
pub type Watcher = Arc<dyn Fn(&'static str) + Send + Sync>;

#[derive(Default)]
pub struct Boundaries {
    passed: AtomicU64,
    /// Abort at this one; 0 for never.
    abort_at: u64,
    watcher: Option<Watcher>,
}

impl Boundaries {
    pub fn new(abort_at: u64) -> Self {
        Self { abort_at, ..Self::default() }
    }

    /// Boundaries that report to a watcher.
    pub fn watched(watcher: Watcher) -> Self {
        Self { watcher: Some(watcher), ..Self::default() }
    }

    /// Passes one more boundary. The name is for readers of the code and for the watcher.
    pub fn pass(&self, name: &'static str) {
        let number = self.passed.fetch_add(1, Ordering::SeqCst) + 1;
        if number == self.abort_at {
            std::process::abort();
        }
        if let Some(watcher) = &self.watcher {
            watcher(name);
        }
    }
}

impl fmt::Debug for Boundaries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Boundaries").field("passed", &self.passed).field("abort_at", &self.abort_at).finish()
    }
}
