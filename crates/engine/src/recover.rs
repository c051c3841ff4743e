//! Ends what a crash or an interruption left open.

use crate::ending::EngineError;
use crate::ports::{Agents, Inbox};
use crate::redacting::outcome_without_secrets;
use crate::returning::Returning;
use crate::spending::Spending;
use redraft_facts::event::Started;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use std::panic::{self, AssertUnwindSafe};

/// Ends dispatches whose end no process saw.
pub(crate) struct Recovering<'r, 'a> {
    pub(crate) returning: Returning<'r, 'a>,
    pub(crate) agents: &'r dyn Agents,
    pub(crate) inbox: &'r dyn Inbox,
    pub(crate) limit: Usd,
}

impl Recovering<'_, '_> {
    /// A dispatch was started and its end was never stored. A finished answer is adopted; otherwise the worktree
    /// is put back to where it stood, and the budget counts what was reserved.
    pub(crate) fn recover(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        let Some(Started { tree, agent, session, .. }) = self.returning.journal.started(ticket) else {
            return Ok(());
        };
        let session = session.as_ref().map_or("", |session| session.as_str());
        let kept = self.inbox.get(ticket, session);
        let kept = kept.map_err(|detail| EngineError::Inbox { ticket: ticket.clone(), detail })?;
        // An agent that is no longer configured left nothing that could be read.
        let left_behind = || {
            let agent = self.agents.named(&agent).ok()?;
            // An unreadable answer must not stop every later run as well: it is lost, and what was reserved counts.
            panic::catch_unwind(AssertUnwindSafe(|| agent.left_behind(ticket))).ok().flatten()
        };
        let redactor = self.returning.worktree.redactor;
        match kept.or_else(left_behind).map(|outcome| outcome_without_secrets(outcome, redactor)) {
            Some(outcome) => self.returning.store_answer(ticket, &tree, outcome, 0),
            None => {
                let unwatched = self.agents.named(&agent).ok().and_then(|agent| agent.unwatched(ticket));
                if let Some(total) = unwatched {
                    let Returning { journal, worktree, .. } = &mut self.returning;
                    let boundaries = worktree.boundaries;
                    Spending { journal, limit: self.limit, boundaries, draw: None }.owe(ticket, total)?;
                }
                self.returning.lose(ticket, &tree, None)
            }
        }
    }
}
