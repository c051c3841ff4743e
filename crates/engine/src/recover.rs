//! Ends what a crash or an interruption left open.

use crate::driver::{EngineError, Run};
use redraft_core::event::{Lost, Started, TreeMark};
use redraft_core::ticket::Ticket;
use redraft_core::usage::Usd;
use std::panic::{self, AssertUnwindSafe};

impl Run<'_> {
    /// A dispatch was started and its end was never stored. A finished answer is adopted; otherwise the worktree
    /// is put back to where it stood, and the budget counts what was reserved.
    pub(crate) fn recover(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        let Some(Started { tree, agent, session, .. }) = self.started(ticket) else { return Ok(()) };
        let session = session.as_ref().map_or("", |session| session.as_str());
        let kept = self.parts.inbox.get(ticket, session);
        let kept = kept.map_err(|detail| EngineError::Inbox { ticket: ticket.clone(), detail })?;
        // An agent that is configured no more left nothing that could be read.
        let left_behind = || {
            let agent = self.parts.agents.named(&agent).ok()?;
            // What cannot even be read must not stop every later run as well: it is lost, and what was reserved counts.
            panic::catch_unwind(AssertUnwindSafe(|| agent.left_behind(ticket))).ok().flatten()
        };
        match kept.or_else(left_behind).map(|outcome| self.clean(outcome)) {
            Some(outcome) => self.store_answer(ticket, &tree, outcome, 0),
            None => {
                let unwatched =
                    self.parts.agents.named(&agent).ok().and_then(|agent| agent.unwatched(ticket));
                if let Some(total) = unwatched {
                    self.owe(ticket, total)?;
                }
                self.lose(ticket, &tree, None)
            }
        }
    }

    /// Ends a dispatch without an answer. `cost` is what it came to, where that is known; else what was reserved counts.
    pub(crate) fn lose(
        &mut self,
        ticket: &Ticket,
        mark: &TreeMark,
        cost: Option<Usd>,
    ) -> Result<(), EngineError> {
        let undone = self.parts.workspace.restore(mark, &self.projections(), &ticket.to_string())?;
        self.parts.boundaries.pass("before a loss is stored");
        let reserved = || self.started(ticket).map(|started| started.reserved).unwrap_or_default();
        let cost = cost.unwrap_or_else(reserved);
        self.journal.record(Lost { ticket: ticket.clone(), cost, undone })?;
        self.parts.boundaries.pass("after a loss is stored");
        Ok(())
    }

    /// What a ticket that has not been concluded was started with.
    pub(crate) fn started(&self, ticket: &Ticket) -> Option<Started> {
        let open = self.journal.state().open.as_ref()?;
        let seat = open.seat_of(ticket)?;
        seat.work.as_ref()?.flight.as_ref().map(|flight| flight.started.clone())
    }
}
