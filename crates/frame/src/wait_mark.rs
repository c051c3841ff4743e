//! Shows other processes that a feature waits beside others of its run, by holding a lock. If the run is killed, the lock
//! goes with it.

use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_adapters::lock::Lock;
use redraft_facts::ids::FeatureId;
use redraft_reports::standing::Waits;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

fn lock_name(feature: &str, waits: Waits) -> String {
    format!("{feature}-waits-for-{}", waits.name())
}

/// What a feature waits for now.
pub fn read(state: &Path, feature: &str) -> Option<Waits> {
    Waits::ALL.into_iter().find(|waits| Lock::holder(state, &lock_name(feature, *waits)).is_some())
}

/// Says it for one feature, until it is taken back or dropped.
pub struct WaitMark<'a> {
    repo: &'a RepositoryContext,
    process: &'a ProcessContext,
    id: FeatureId,
    held: Mutex<Option<Lock>>,
}

impl<'a> WaitMark<'a> {
    pub fn new(repo: &'a RepositoryContext, process: &'a ProcessContext, id: FeatureId) -> WaitMark<'a> {
        WaitMark { repo, process, id, held: Mutex::default() }
    }

    /// Where that does not work, others see less, and everything else goes on.
    pub fn begin(&self, waits: Waits) {
        let name = lock_name(&self.id.to_string(), waits);
        let mut held = self.held();
        if held.is_none() {
            *held = self.repo.lock(&name, self.process).ok();
        }
    }

    pub fn end(&self) {
        *self.held() = None;
    }

    fn held(&self) -> MutexGuard<'_, Option<Lock>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
