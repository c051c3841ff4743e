//! Comments in memory, as people leave them for a run.

use super::{Crash, locked};
use redraft_engine::ports::{Comment, CommentBox};
use redraft_facts::ids::{CommentId, FindingId};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_facts::verdict::Severity;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// A comment by the feature it is about and by its id; none where only a newer program could read it.
type Comments = BTreeMap<(Scope, CommentId), Option<Comment>>;

/// What waits for the features of a scenario. Outlives a crash.
#[derive(Debug, Default)]
pub struct MemoryCommentBox {
    crash: Arc<Crash>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    waiting: Comments,
    aside: Comments,
    /// Why nothing can be read or changed.
    trouble: Option<String>,
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

    /// Leaves a comment, in the place of one with the same id.
    pub fn put(&self, scope: &Scope, comment: Comment) -> Result<(), String> {
        let key = key(scope, &comment.id)?;
        self.sound()?.waiting.insert(key, Some(comment));
        Ok(())
    }

    /// Leaves what only a newer program can read.
    pub fn put_newer(&self, scope: &Scope, id: &CommentId) {
        locked(&self.kept).waiting.insert((scope.clone(), id.clone()), None);
    }

    /// Whether something is there under this id, readable or not.
    pub fn holds(&self, scope: &Scope, id: &CommentId) -> bool {
        locked(&self.kept).waiting.contains_key(&(scope.clone(), id.clone()))
    }

    /// What could not be stored.
    pub fn aside(&self, scope: &Scope) -> Vec<Comment> {
        of(&locked(&self.kept).aside, scope)
    }

    /// From now on nothing can be read or changed, for this reason.
    pub fn refuse(&self, why: &str) {
        locked(&self.kept).trouble = Some(why.to_owned());
    }

    fn sound(&self) -> Result<MutexGuard<'_, Kept>, String> {
        let kept = locked(&self.kept);
        match &kept.trouble {
            Some(why) => Err(why.clone()),
            None => Ok(kept),
        }
    }
}

/// The readable ones of a feature, in the order of their ids, which begin with the time where people comment.
fn of(comments: &Comments, scope: &Scope) -> Vec<Comment> {
    let own = comments.iter().filter(|((of, _), _)| of == scope);
    own.filter_map(|(_, comment)| comment.clone()).collect()
}

/// Where a comment is kept. Its id is the name of a file elsewhere, so it must be a name and nothing else.
fn key(scope: &Scope, id: &CommentId) -> Result<(Scope, CommentId), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    match !id.as_str().is_empty() && id.as_str().bytes().all(plain) {
        true => Ok((scope.clone(), id.clone())),
        false => Err(format!("{id:?} cannot be the name of a comment")),
    }
}

impl CommentBox for MemoryCommentBox {
    fn waiting(&self, scope: &Scope) -> Result<Vec<Comment>, String> {
        self.crash.alive();
        Ok(of(&self.sound()?.waiting, scope))
    }

    fn remove(&self, scope: &Scope, id: &CommentId) -> Result<(), String> {
        self.crash.alive();
        let key = key(scope, id)?;
        self.sound()?.waiting.remove(&key);
        self.crash.changed("a comment is removed");
        Ok(())
    }

    fn put_aside(&self, scope: &Scope, id: &CommentId) -> Result<(), String> {
        self.crash.alive();
        let key = key(scope, id)?;
        let mut kept = self.sound()?;
        if let Some(comment) = kept.waiting.remove(&key) {
            kept.aside.insert(key, comment);
        }
        drop(kept);
        self.crash.changed("a comment is put aside");
        Ok(())
    }
}
