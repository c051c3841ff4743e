//! What is remembered of a repository while an agent works in it, besides the files: as it was when the worktree was last
//! marked, or put back.
//!
//! It is kept in memory only. Comparing with it and putting it back is done by [`super::refs`], [`super::guard`] and
//! [`super::hidden`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::SystemTime;

/// Branches and tags at the time of a mark.
#[derive(Debug, Clone)]
pub(super) struct MarkedRefs {
    /// Ids by full name.
    pub(super) refs: BTreeMap<String, String>,
    /// How long HEAD's log was.
    pub(super) log_bytes: usize,
    /// What HEAD of the main checkout named, where this is another one; empty where that is unknown.
    pub(super) main: String,
}

/// Hooks, configuration and the files in `info`, by their path.
pub(super) type GitSetup = BTreeMap<PathBuf, SetupEntry>;

/// What stands at one of these paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SetupEntry {
    File {
        bytes: Vec<u8>,
        executable: bool,
    },
    Link(PathBuf),
    /// A pipe, a device, or a file that is too long to be one of these.
    Other {
        bytes: u64,
        modified: Option<SystemTime>,
    },
}

/// Files whose changes git does not look at, because of marks in the index.
pub(super) type Hidden = BTreeSet<Vec<u8>>;
