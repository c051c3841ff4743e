//! The ports: what the engine needs from the world, as traits. Adapters implement them; tests may fake them.

mod agent;
mod checks;
mod comment_box;
mod inbox;
mod merging;
mod moment;
mod slots;
mod store;
mod workspace;

pub use agent::{
    Abilities, Agent, AgentError, Agents, Billing, CHECK_TOOL, Cache, CheckWish, Deadlines, NO_CHECK, Naming,
    Outcome, Request, Resume, RunBehind, RunHandle, UsageReport,
};
pub use checks::{Check, CheckFolder, CheckRun, CheckedOut, Checks, NoChecks, SetUp};
pub use comment_box::{Comment, CommentBox, NoComments};
pub use inbox::Inbox;
pub use merging::{Merge, MergeError, MergeOutcome, MergePreview, Merging, NoMerging};
pub use moment::Moment;
pub use slots::{NoSlots, Slots};
pub use store::{Append, ForeignOrigin, Store, StoreError};
pub use workspace::{ALL_FILES, Commit, CommitRefused, PutOn, Trailers, Workspace, WorkspaceError, covers};

/// Time, as the run sees it, and whether it should still go on.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970, UTC: for what is recorded, shown, or agreed with others. It may jump either way, and a
    /// machine that sleeps finds it changed when it wakes.
    fn now_ms(&self) -> i64;
    /// The clock for limits and durations.
    fn moment(&self) -> Moment;
    /// Waits, but returns early (false) when the run is asked to stop.
    fn wait_ms(&self, ms: u64) -> bool;
    /// Whether the user asked the run to stop.
    fn stopped(&self) -> bool;
    /// Whether to begin nothing new, and to come to rest when what is under way is done.
    fn leaving(&self) -> bool {
        self.stopped()
    }
}
