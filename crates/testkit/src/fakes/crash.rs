//! A process that dies at a chosen moment, without taking the test with it.
//!
//! Every change of a fake and every boundary of the engine is a moment. At the chosen one, and at every later one of any
//! thread, the stack is unwound: nothing more reaches the fakes, as if the process were gone. No panic is printed.

use super::locked;
use redraft_engine::boundary::Boundaries;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

/// The process of a scenario.
#[derive(Debug, Default)]
pub struct Crash {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What each moment was, and whether something had changed since the one before.
    moments: Vec<(String, bool)>,
    /// Dies at this moment, counted from 1; 0 for never.
    at: usize,
    dead: bool,
}

/// Where a process died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Died {
    pub moment: String,
}

impl Crash {
    /// A new process begins, which will die at this moment; 0 for never.
    pub fn begin(&self, at: usize) {
        *locked(&self.state) = State { at, ..State::default() };
    }

    /// Something was changed, and stays so whatever happens now.
    pub fn changed(&self, what: &str) {
        self.moment(what, true);
    }

    /// Fails where the process is dead already, before anything is changed.
    pub fn alive(&self) {
        if self.is_dead() {
            resume_unwind(Box::new(Died { moment: "after its death".to_owned() }));
        }
    }

    fn moment(&self, what: &str, change: bool) {
        let mut state = locked(&self.state);
        if !state.dead {
            state.moments.push((what.to_owned(), change));
            state.dead = state.moments.len() == state.at;
        }
        if state.dead {
            drop(state);
            resume_unwind(Box::new(Died { moment: what.to_owned() }));
        }
    }

    pub fn is_dead(&self) -> bool {
        locked(&self.state).dead
    }

    /// The engine's boundaries, each of them a moment.
    pub fn boundaries(self: &Arc<Self>) -> Boundaries {
        let crash = Arc::clone(self);
        Boundaries::watched(Arc::new(move |name| crash.moment(name, false)))
    }

    /// The moments so far.
    pub fn moments(&self) -> Vec<String> {
        locked(&self.state).moments.iter().map(|(what, _)| what.clone()).collect()
    }

    /// The numbers of the moments at which a crash leaves something different behind than at the moment before.
    pub fn worth_dying_at(&self) -> Vec<usize> {
        let state = locked(&self.state);
        state.moments.iter().enumerate().filter(|(_, (_, change))| *change).map(|(at, _)| at + 1).collect()
    }
}

/// Does something that may die of a [`Crash`]. Any other panic goes on.
pub fn outliving<T>(act: impl FnOnce() -> T) -> Result<T, Died> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| match payload.downcast::<Died>() {
        Ok(died) => *died,
        Err(payload) => resume_unwind(payload),
    })
}
