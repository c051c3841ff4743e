//! Stores what people say unasked. While a process drives the feature, others leave their comments in a box, and the driver
//! takes them in between two effects; a comment leaves the box only once its event is stored, and is stored once however
//! often it is found there.

use crate::boundary::Boundaries;
use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::{Comment, CommentBox};
use redraft_facts::event::{Commented, Event, WentBack};
use redraft_facts::findings::Status;
use redraft_facts::ids::{CommentId, FindingId};

/// What became of a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// As this finding; whether its phase was opened again for it.
    Stored { finding: FindingId, went_back: bool },
    /// It was stored before.
    Repeated,
    /// Its phase is over and an agent is at work, so it has to wait until that one is done.
    Later,
    /// It fits nowhere: the feature is over.
    Refused,
}

impl Journal<'_> {
    /// Stores a comment. What must be met in a phase that is over opens that phase again, in the same transaction.
    pub fn comment(&mut self, comment: &Comment) -> Result<Delivery, EngineError> {
        let state = self.state();
        if state.comments.has(&comment.id) {
            return Ok(Delivery::Repeated);
        }
        let Comment { id, phase, reopens, severity, file, line, text, by } = comment.clone();
        // Somebody opened it again before: what is said now is one comment more.
        let is_open = |id: &FindingId| state.comment(id).is_some_and(|known| known.status == Status::Open);
        let (reopens, text) = match reopens {
            Some(known) if is_open(&known) => (None, format!("on {known}: {text}")),
            reopens => (reopens, text),
        };
        let finding = reopens.clone().unwrap_or_else(|| state.comments.next_finding());
        let back = WentBack { phase, by: by.clone(), why: text.clone() };
        let said = Event::from(Commented {
            id,
            phase,
            finding: finding.clone(),
            reopens: reopens.is_some(),
            severity,
            file,
            line,
            text,
            by,
        });
        let at_work = state.open.as_ref().is_some_and(|open| open.flights().next().is_some());
        for (went_back, events) in [(false, vec![said.clone()]), (true, vec![back.into(), said])] {
            if self.after(&events).is_ok() {
                self.append(events, &[])?;
                return Ok(Delivery::Stored { finding, went_back });
            }
        }
        let over = self.state().cancelled || self.state().merged.is_some();
        Ok(if at_work && !over { Delivery::Later } else { Delivery::Refused })
    }

    /// The id of a comment that nobody else can deliver: it is made and stored in one step.
    pub(crate) fn own_comment_id(&self) -> CommentId {
        CommentId::new(format!("after-{}", self.seq()))
    }

    /// Takes in what waits in the box; whether anything was stored.
    pub fn take_comments(
        &mut self,
        comments: &dyn CommentBox,
        boundaries: &Boundaries,
    ) -> Result<bool, EngineError> {
        let scope = self.scope().clone();
        let failed = |detail: String| EngineError::CommentBox { scope: scope.clone(), detail };
        let mut stored = false;
        for comment in comments.waiting(&scope).map_err(failed)? {
            boundaries.pass("before a comment is stored");
            match self.comment(&comment)? {
                Delivery::Stored { .. } => {
                    stored = true;
                    boundaries.pass("before a stored comment is removed");
                    comments.remove(&scope, &comment.id).map_err(failed)?;
                }
                Delivery::Repeated => comments.remove(&scope, &comment.id).map_err(failed)?,
                Delivery::Refused => comments.put_aside(&scope, &comment.id).map_err(failed)?,
                Delivery::Later => {}
            }
        }
        Ok(stored)
    }
}
