//! Comments in memory, as people leave them for a run.

use super::{Crash, locked};
use redraft_engine::ports::{Comment, CommentBox};
use redraft_facts::ids::{CommentId, FindingId};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_facts::verdict::Severity;
use std::sync::{Arc, Mutex};

/// What waits for the one feature of a scenario. Outlives a crash.
#[derive(Debug, Default)]
pub struct MemoryCommentBox {
    crash: Arc<Crash>,
    waiting: Mutex<Vec<Comment>>,
    aside: Mutex<Vec<Comment>>,
}

/// What `ann` says about a phase, under an id that follows from the words: said twice, it is the same comment.
pub fn said(phase: Phase, reopens: Option<&str>, severity: Severity, text: &str) -> Comment {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let id = CommentId::new(format!("{phase}-{}", text.chars().map(plain).collect::<String>()));
    let (file, by) = (String::new(), "ann".to_owned());
    let reopens = reopens.map(FindingId::new);
    Comment { id, phase, reopens, severity, file, line: 0, text: text.to_owned(), by }
}

impl MemoryCommentBox {
    pub fn new(crash: Arc<Crash>) -> Self {
        Self { crash, ..Self::default() }
    }

    /// Leaves a comment, unless the same is there.
    pub fn put(&self, comment: Comment) {
        let mut waiting = locked(&self.waiting);
        if !waiting.iter().any(|one| one.id == comment.id) {
            waiting.push(comment);
        }
    }

    /// What could not be stored.
    pub fn aside(&self) -> Vec<Comment> {
        locked(&self.aside).clone()
    }
}

impl CommentBox for MemoryCommentBox {
    fn waiting(&self, _: &Scope) -> Result<Vec<Comment>, String> {
        self.crash.alive();
        Ok(locked(&self.waiting).clone())
    }

    fn remove(&self, _: &Scope, id: &CommentId) -> Result<(), String> {
        self.crash.alive();
        locked(&self.waiting).retain(|one| one.id != *id);
        self.crash.changed("a comment is removed");
        Ok(())
    }

    fn put_aside(&self, scope: &Scope, id: &CommentId) -> Result<(), String> {
        let refused = locked(&self.waiting).iter().find(|one| one.id == *id).cloned();
        locked(&self.aside).extend(refused);
        self.remove(scope, id)
    }
}
