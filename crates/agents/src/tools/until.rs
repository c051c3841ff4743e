//! When a search must be over.

use redraft_engine::ports::{Moment, RunHandle};
use redraft_facts::text::span;
use redraft_facts::usage::grouped;

/// A model waits for its search, and so does everything that is paid for meanwhile.
const SEARCH_MS_MAX: u64 = 30_000;

/// The end of a search.
#[derive(Clone, Copy)]
pub(super) struct Until<'a> {
    watch: &'a dyn RunHandle,
    began: Moment,
    until: Moment,
}

impl<'a> Until<'a> {
    /// At the end of the dispatch, and not later than a search may last.
    pub(super) fn new(watch: &'a dyn RunHandle, dispatch_until: Option<Moment>) -> Until<'a> {
        let began = watch.moment();
        let longest = began.plus_ms(SEARCH_MS_MAX);
        Until { watch, began, until: dispatch_until.map_or(longest, |until| until.min(longest)) }
    }

    pub(super) fn is_over(&self) -> bool {
        self.watch.stopped() || self.watch.moment() >= self.until
    }

    /// Said when the end came first.
    pub(super) fn told(&self, looked: usize, all: usize) -> String {
        let passed = self.watch.moment().ms_since(self.began);
        let (looked, all) = (grouped(looked as u64), grouped(all as u64));
        format!("(ended after {}: {looked} of {all} files were looked at; narrow the search)", span(passed))
    }
}
