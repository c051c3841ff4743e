//! Limits what one turn of a probe may cost while the agent works, within the probe's own limit.

use super::Probe;
use crate::ending::{EngineError, crashed};
use crate::ports::{AgentError, Outcome, Request, RunHandle};
use crate::threads::{Supervisor, side_by_side};
use redraft_facts::event::Raised;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use std::sync::Arc;

impl Probe<'_> {
    /// The agent's end, and what was reserved for it in the end.
    pub(super) fn ask(
        &mut self,
        request: &Request,
        reserved: Usd,
    ) -> Result<(Result<Outcome, AgentError>, Usd), EngineError> {
        let (agent, clock) = (Arc::clone(&self.agent), self.parts.clock);
        let mut granted = Granted { probe: self, ticket: &request.ticket, reserved, trouble: None };
        let mut ends =
            side_by_side(&[None], clock, |_, watch: &dyn RunHandle| agent.run(request, watch), &mut granted);
        let Granted { reserved, trouble, .. } = granted;
        match (trouble, ends.pop().flatten()) {
            (Some(trouble), _) => Err(trouble),
            (None, None) => Err(crashed()),
            (None, Some(result)) => Ok((result, reserved)),
        }
    }
}

/// What one turn of a probe may cost.
struct Granted<'p, 'a> {
    probe: &'p mut Probe<'a>,
    ticket: &'p Ticket,
    reserved: Usd,
    /// Why the ledger could not be written.
    trouble: Option<EngineError>,
}

impl Supervisor<Result<Outcome, AgentError>> for Granted<'_, '_> {
    fn raise(&mut self, _place: usize, total: Usd) -> bool {
        if total <= self.reserved || self.probe.budget.reserve(total).is_err() {
            return total <= self.reserved;
        }
        let raised = Raised { ticket: self.ticket.clone(), reserved: total };
        match self.probe.journal.record(raised) {
            Ok(()) => self.reserved = total,
            Err(error) => self.trouble = Some(error),
        }
        self.trouble.is_none()
    }

    fn owe(&mut self, _place: usize, total: Usd) {
        if total <= self.reserved {
            return;
        }
        let raised = Raised { ticket: self.ticket.clone(), reserved: total };
        match self.probe.journal.record(raised) {
            Ok(()) => self.reserved = total,
            Err(error) => self.trouble = Some(error),
        }
    }

    /// A probe is over in a few moments.
    fn told(&mut self, _place: usize, _doing: &str) {}

    fn done(&mut self, _place: usize, _end: &Result<Outcome, AgentError>) {}
}
