//! A finding that its author declined with a reason: what each side said, and who has the next word.
//!
//! ```text
//!   author declines ──► reviewer answers, once ──► author declines again ──► a person upholds or overrules
//! ```
//!
//! A finding that the reviewer gives up, that is mended or that a person settles has no dispute any more.

use redraft_facts::prelude::*;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dispute {
    /// The author's reason; until the reviewer has answered, its latest.
    pub reply: String,
    /// What the reviewer said to it; none until it was asked.
    pub answer: Option<String>,
    /// The author's reason for declining once more. A person decides then.
    pub again: Option<String>,
    /// A person's decision that the finding holds. Declining it is no answer any more.
    pub upheld: Option<Upheld>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upheld {
    pub by: String,
    pub why: String,
}

impl Dispute {
    /// The author declines. Whether that is an answer: after a person's decision it is none.
    pub(super) fn decline(&mut self, why: &str) -> bool {
        if self.upheld.is_some() {
            return false;
        }
        match self.answer {
            None => why.clone_into(&mut self.reply),
            Some(_) => self.again = Some(why.to_owned()),
        }
        true
    }

    /// The reviewer keeps the finding. It is shown the reply only once.
    pub(super) fn keep(&mut self, note: &str) {
        if self.answer.is_none() {
            self.answer = Some(note.to_owned());
        }
    }

    /// Whether the reviewer still has to be shown the reply.
    pub fn is_unheard(&self) -> bool {
        self.answer.is_none() && self.upheld.is_none()
    }

    /// Whether both sides insist, so that a person decides.
    pub fn is_contested(&self) -> bool {
        self.again.is_some() && self.upheld.is_none()
    }

    /// Whether the reviewer has answered and the author has not.
    pub(super) fn is_answered(&self) -> bool {
        self.answer.is_some() && self.again.is_none() && self.upheld.is_none()
    }
}
