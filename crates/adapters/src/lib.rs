//! The outside world behind the engine's ports: one module for each thing Redraft talks to.
//!
//! An adapter knows its program or library and the port it fulfils, and nothing of the process: it never decides
//! whether a review takes place, what a verdict means or what is dispatched next. It prints nothing, and folders, times
//! and settings are handed in. Only `git` reads environment variables itself.
//!
//! Start reading at [`git`] (the repository, a feature's worktree, everything that is kept or undone there) or at
//! [`sqlite::Ledger`] (where the events are). Agents are above, in `redraft_agents`; [`child`] starts their programs.

pub mod barrier;
pub mod checks;
pub mod child;
pub mod clock;
pub mod comment_box;
pub mod disk;
pub mod git;
pub mod inbox;
pub mod lock;
pub mod plain_file;
pub mod shell_word;
pub mod signing;
pub mod sqlite;
pub mod trust;
