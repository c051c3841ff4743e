//! A listener that remembers what a run reported.

use super::locked;
use redraft_core::pipeline::Pipeline;
use redraft_engine::{Progress, Undone};
use redraft_facts::event::Entry;
use redraft_facts::ticket::Ticket;
use std::sync::Mutex;

/// Called for each fact that is stored.
type OnFact = Box<dyn Fn(&Entry) + Send>;

/// Remembers what a run reported.
#[derive(Default)]
pub struct RememberingListener {
    kinds: Mutex<Vec<&'static str>>,
    doing: Mutex<Vec<String>>,
    undone: Mutex<Vec<Undone>>,
    on_fact: Mutex<Option<OnFact>>,
}

impl RememberingListener {
    /// The kinds of the facts that were reported to it, in order.
    pub fn kinds(&self) -> Vec<&'static str> {
        locked(&self.kinds).clone()
    }

    /// What agents at work were doing, as `TICKET: WORDS`.
    pub fn doing(&self) -> Vec<String> {
        locked(&self.doing).clone()
    }

    pub fn undone(&self) -> Vec<Undone> {
        locked(&self.undone).clone()
    }

    /// Acts on every fact from now on, like a person who watches the run.
    pub fn on_fact(&self, act: impl Fn(&Entry) + Send + 'static) {
        *locked(&self.on_fact) = Some(Box::new(act));
    }
}

impl Progress for RememberingListener {
    fn stored(&self, entry: &Entry, _state: &Pipeline) {
        locked(&self.kinds).push(entry.event.kind());
        if let Some(act) = &*locked(&self.on_fact) {
            act(entry);
        }
    }

    fn doing(&self, ticket: &Ticket, doing: &str) {
        locked(&self.doing).push(format!("{ticket}: {doing}"));
    }

    fn undone(&self, undone: &Undone) {
        locked(&self.undone).push(undone.clone());
    }
}
