//! Fakes of the engine's ports, without a disk, a process or a clock: whole features are played in one process, in
//! milliseconds.
//!
//! A fake keeps the promises of the thing it stands for, also the unpleasant ones. The list of promises is
//! `crates/engine/tests/scenarios/promises`, and it is run against these and against the real adapters; where the two
//! differ, the fake is wrong or a bug was found.
//!
//! - [`MemoryStore`]: the ledger. Refuses what was decided on an older event, and fails where it is told to.
//! - [`FakeRepository`], with [`FakeWorkspace`], [`FakeSlots`], [`FakeMerging`] and [`FakeCheckFolder`] on it: git, as maps of files.
//! - [`MemoryInbox`], [`MemoryCommentBox`], [`StillClock`], [`ScriptedChecks`], [`RememberingListener`].
//! - [`ScriptedAgent`] and [`ScriptedAgents`]: answer what they were told to, or fail in any way an agent can.
//! - [`Outside`]: what people and agents do to files and to git while the engine does not look.
//! - [`Crash`]: ends the "process" at any change or boundary; [`outliving`] catches it, and a new run goes on from what
//!   is left in the fakes.

mod agent;
mod check_folder;
mod check_place;
mod checks;
mod clock;
mod comment_box;
mod crash;
mod diff;
mod ignore;
mod inbox;
mod listener;
mod merging;
mod outside;
mod put_on;
mod refs;
mod repository;
mod restore;
mod slots;
mod store;
mod tree;
mod turn;
mod workspace;
mod workspace_port;
mod worktree;

pub use agent::{ScriptedAgent, ScriptedAgents};
pub use check_folder::FakeCheckFolder;
pub use checks::{CheckRule, ScriptedChecks};
pub use clock::StillClock;
pub use comment_box::{MemoryCommentBox, said};
pub use crash::{Crash, Died, outliving};
pub use inbox::MemoryInbox;
pub use listener::RememberingListener;
pub use merging::FakeMerging;
pub use outside::Outside;
pub use repository::{FakeRepository, GitTrouble};
pub use slots::FakeSlots;
pub use store::{MemoryStore, StoreFault};
pub use tree::{Node, Tree};
pub use turn::{Answers, Deed, ScriptedTurn, TurnEnd};
pub use workspace::FakeWorkspace;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A crash leaves no half-done change behind a lock: it happens between changes.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
