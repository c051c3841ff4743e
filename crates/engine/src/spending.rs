//! Keeps the budget while agents are at work: decides how much each may still spend, given all the others.
//!
//! What is granted is stored before the agent hears of it, so that after a kill it is known what may have to be paid.
//! Start at [`Spending::afford`]; [`RoundBudget`] answers the agents of one round.

use crate::boundary::Boundaries;
use crate::budget_pool::Draw;
use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::{AgentError, Outcome};
use crate::progress::Progress;
use crate::threads::Supervisor;
use redraft_cost::price::Budget;
use redraft_facts::event::Raised;
use redraft_facts::redact::Redactor;
use redraft_facts::text;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use std::collections::BTreeMap;

/// What became of a dispatch, and how long it took.
pub(crate) type End = Result<(Result<Outcome, AgentError>, u64), EngineError>;

/// The money of one feature.
pub(crate) struct Spending<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) limit: Usd,
    pub(crate) boundaries: &'r Boundaries,
    /// What several runs may spend together.
    pub(crate) draw: Option<&'r Draw>,
}

/// Answers the agents of one round.
pub(crate) struct RoundBudget<'r, 'a> {
    pub(crate) spending: Spending<'r, 'a>,
    pub(crate) progress: &'r dyn Progress,
    pub(crate) redactor: &'r Redactor,
    /// Their tickets, in the order of their places.
    pub(crate) tickets: Vec<Ticket>,
    /// The cost of dispatches that are done and not stored yet.
    pub(crate) done: BTreeMap<Ticket, Usd>,
    /// Why the ledger could not be written.
    pub(crate) trouble: Option<EngineError>,
    /// What dispatches have cost since then.
    pub(crate) owed: BTreeMap<Ticket, Usd>,
}

impl Supervisor<End> for RoundBudget<'_, '_> {
    fn raise(&mut self, place: usize, total: Usd) -> bool {
        let Some(ticket) = self.tickets.get(place).filter(|_| self.trouble.is_none()) else { return false };
        self.spending.afford(ticket, total, &self.done).unwrap_or_else(|error| {
            self.trouble = Some(error);
            false
        })
    }

    fn owe(&mut self, place: usize, total: Usd) {
        let Some(ticket) = self.tickets.get(place) else { return };
        if self.trouble.is_none() {
            self.trouble = self.spending.owe(ticket, total).err();
            self.spending.settle(&self.done);
        }
        if self.trouble.is_some() {
            self.owed.insert(ticket.clone(), total);
        }
    }

    fn told(&mut self, place: usize, doing: &str) {
        const CHARS_MAX: usize = 160;
        let Some(ticket) = self.tickets.get(place) else { return };
        self.progress.doing(ticket, &text::one_line(&self.redactor.redact(doing).0, CHARS_MAX));
    }

    fn done(&mut self, place: usize, end: &End) {
        let Ok((result, _)) = end else { return };
        let usage = match result {
            Ok(outcome) => Some(outcome.usage),
            Err(error) => error.usage,
        };
        if let Some((ticket, usage)) = self.tickets.get(place).zip(usage) {
            self.done.insert(ticket.clone(), usage.cost);
            self.spending.settle(&self.done);
        }
    }
}

impl Spending<'_, '_> {
    /// Whether a dispatch under way may cost this much in all; stores it where that is more than was reserved.
    fn afford(
        &mut self,
        ticket: &Ticket,
        total: Usd,
        done: &BTreeMap<Ticket, Usd>,
    ) -> Result<bool, EngineError> {
        let mut budget = budget(self.journal, self.limit);
        let mut reserved = Usd(0);
        for (_, flight) in self.journal.open_loop()?.flights().filter(|(_, flight)| flight.answered.is_none())
        {
            let started = &flight.started;
            if started.ticket == *ticket {
                reserved = started.reserved;
            } else {
                let owed = done.get(&started.ticket).copied().unwrap_or(started.reserved);
                budget.in_flight = budget.in_flight + owed;
            }
        }
        if total <= reserved {
            return Ok(true);
        }
        let Ok(after) = budget.reserve(total) else { return Ok(false) };
        if self.draw.is_some_and(|draw| draw.raise(after.spent, after.in_flight).is_err()) {
            return Ok(false);
        }
        self.raise(ticket, total)?;
        Ok(true)
    }

    /// Tells the others what the dispatches under way may still cost.
    fn settle(&self, done: &BTreeMap<Ticket, Usd>) {
        let (Some(draw), Some(open)) = (self.draw, &self.journal.state().open) else { return };
        let under_way = open.flights().filter(|(_, flight)| flight.answered.is_none());
        let in_flight = under_way.fold(Usd(0), |sum, (_, flight)| {
            let started = &flight.started;
            sum + done.get(&started.ticket).copied().unwrap_or(started.reserved)
        });
        draw.settle(self.journal.state().money.counted(), in_flight);
    }

    /// Counts what a dispatch has cost, or may have, where that is more than was reserved; what is already spent does
    /// not depend on the budget.
    pub(crate) fn owe(&mut self, ticket: &Ticket, total: Usd) -> Result<(), EngineError> {
        match self.journal.started(ticket) {
            Some(started) if total > started.reserved => self.raise(ticket, total),
            _ => Ok(()),
        }
    }

    fn raise(&mut self, ticket: &Ticket, reserved: Usd) -> Result<(), EngineError> {
        self.journal.record(Raised { ticket: ticket.clone(), reserved })?;
        self.boundaries.pass("a higher reservation is stored");
        Ok(())
    }
}

/// What is left of a feature's budget while no agent is at work.
pub(crate) fn budget(journal: &Journal<'_>, limit: Usd) -> Budget {
    Budget { limit, spent: journal.state().money.counted(), in_flight: Usd(0) }
}
