//! Keeps what people say about a feature while another process drives it, until that process has stored it.

use redraft_facts::ids::{CommentId, FindingId};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_facts::verdict::Severity;

/// What a person said, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub id: CommentId,
    pub phase: Phase,
    /// The finding that it opens again; none where it is a new one.
    pub reopens: Option<FindingId>,
    pub severity: Severity,
    pub file: String,
    pub line: u32,
    pub text: String,
    pub by: String,
}

pub trait CommentBox: Send + Sync {
    /// What waits for a feature, oldest first.
    fn waiting(&self, scope: &Scope) -> Result<Vec<Comment>, String>;

    /// Forgets one that was stored.
    fn remove(&self, scope: &Scope, id: &CommentId) -> Result<(), String>;

    /// Puts one aside that cannot be stored, so that it is neither lost nor tried again.
    fn put_aside(&self, scope: &Scope, id: &CommentId) -> Result<(), String>;
}

/// For runs that nobody comments on.
pub struct NoComments;

impl CommentBox for NoComments {
    fn waiting(&self, _: &Scope) -> Result<Vec<Comment>, String> {
        Ok(Vec::new())
    }

    fn remove(&self, _: &Scope, _: &CommentId) -> Result<(), String> {
        Ok(())
    }

    fn put_aside(&self, _: &Scope, _: &CommentId) -> Result<(), String> {
        Ok(())
    }
}
