//! Counts the steps of the work, and stops it when the run is asked to stop.
//!
//! A document may be huge and Ctrl-C may come at any time, so everything that walks over lines, words or pairs takes a
//! step here for each of them. A step is cheap; only some of them look at the run.

use redraft_engine::ports::RunHandle;
use std::cell::Cell;

/// Steps between two looks at the run: a few milliseconds of work.
pub(super) const LOOK_EVERY: u64 = 16;

pub(super) struct Pace<'a> {
    watch: &'a dyn RunHandle,
    steps: Cell<u64>,
}

/// The run was asked to stop; the work so far is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stopped;

impl<'a> Pace<'a> {
    pub(super) fn new(watch: &'a dyn RunHandle) -> Self {
        Pace { watch, steps: Cell::new(0) }
    }

    pub(super) fn step(&self) -> Result<(), Stopped> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps.is_multiple_of(LOOK_EVERY) && self.watch.stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Looks at the run between two larger pieces of work.
    pub(super) fn look(&self) -> Result<(), Stopped> {
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.watch.stopped()
    }
}
