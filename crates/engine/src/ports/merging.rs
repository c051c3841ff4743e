//! Merges a feature's branch back into the branch it began on.

use super::workspace::{Commit, Trailers, WorkspaceError};
use redraft_facts::event::MergeHistory;
use redraft_facts::ids::Revision;

/// What merging a feature's branch would give, found out without touching any checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergePreview {
    /// The commit of the branch it is merged into, and the feature's own.
    pub into: String,
    pub head: String,
    pub outcome: MergeOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    Clean {
        /// All files.
        tree: Revision,
        /// The same without the files that were to be ignored.
        checked: Revision,
    },
    /// The files that both have changed in ways that exclude each other.
    Conflicts(Vec<String>),
}

/// The names used in a merge.
#[derive(Debug, Clone)]
pub struct Merge<'a> {
    /// The branch it is merged into.
    pub into: &'a str,
    pub history: MergeHistory,
    pub message: &'a str,
    pub trailers: &'a Trailers,
}

pub trait Merging: Send + Sync {
    /// Previews the merge; `except` is ignored, where that is asked for.
    fn preview(&self, into: &str, except: &[String]) -> Result<MergePreview, MergeError>;

    /// The files of both branches at the last point where they were the same; none where nothing is the feature's
    /// alone.
    fn common(&self, into: &str) -> Result<Option<Revision>, MergeError>;

    /// A commit of what the merge would give, reachable from no branch. The same merge gives the same commit.
    fn sketch(&self, preview: &MergePreview) -> Result<Commit, MergeError>;

    /// Merges as was previewed. Where the branch is checked out, merges only there, and only if nothing is uncommitted.
    fn merge(&self, preview: &MergePreview, merge: &Merge<'_>) -> Result<Commit, MergeError>;

    /// The commit that an earlier call of [`Merging::merge`] with these trailers has made.
    fn merged(&self, into: &str, trailers: &Trailers) -> Result<Option<Commit>, MergeError>;
}

#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("branch {0} no longer exists, so nothing can be merged into it")]
    NoBranch(String),
    #[error("{into} is checked out in {folder}, where {what} uncommitted")]
    Dirty { into: String, folder: String, what: String },
    #[error("{into} is checked out in {folder}, and git refuses the merge there: {detail}")]
    Refused { into: String, folder: String, detail: String },
    #[error("{0} has moved in the meantime")]
    Moved(String),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// For what is never merged: a review by itself.
#[derive(Debug, Clone, Copy)]
pub struct NoMerging;

impl Merging for NoMerging {
    fn preview(&self, into: &str, _except: &[String]) -> Result<MergePreview, MergeError> {
        Err(MergeError::NoBranch(into.to_owned()))
    }

    fn common(&self, _into: &str) -> Result<Option<Revision>, MergeError> {
        Ok(None)
    }

    fn sketch(&self, preview: &MergePreview) -> Result<Commit, MergeError> {
        Err(MergeError::NoBranch(preview.into.clone()))
    }

    fn merge(&self, _forecast: &MergePreview, merge: &Merge<'_>) -> Result<Commit, MergeError> {
        Err(MergeError::NoBranch(merge.into.to_owned()))
    }

    fn merged(&self, _into: &str, _trailers: &Trailers) -> Result<Option<Commit>, MergeError> {
        Ok(None)
    }
}
