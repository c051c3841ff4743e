//! Sends all dispatches of one round side by side, within the budget, and stores what comes back.
//!
//! Start at [`Sending::dispatch`].

use crate::budget_pool::Waited;
use crate::ending::{EngineError, Stop, crashed};
use crate::ports::{Cache, CheckFolder, Checks, Clock, Inbox, Outcome, Resume, RunHandle};
use crate::progress::Progress;
use crate::rechecking::{CheckingHandle, Rechecking};
use crate::redacting::outcome_without_secrets;
use crate::returning::{ReturnedDispatch, Returning};
use crate::spending::{End, RoundBudget, Spending, budget};
use crate::starting::{Short, StartedDispatch, Starting, WorktreeBaseline};
use crate::threads::side_by_side;
use crate::worktree::Worktree;
use redraft_core::pipeline;
use redraft_core::review::{DispatchOrder, Effect};
use redraft_cost::price::OverBudget;
use redraft_facts::event::AfterFailure;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use std::collections::BTreeMap;

/// Sends the pending dispatches of a round.
pub(crate) struct Sending<'r, 'a> {
    pub(crate) starting: Starting<'r, 'a>,
    pub(crate) inbox: &'r dyn Inbox,
    pub(crate) progress: &'r dyn Progress,
    /// For reviewers that have a check run once more.
    pub(crate) checks: &'r dyn Checks,
    pub(crate) check_folder: &'r dyn CheckFolder,
}

impl<'a> Sending<'_, 'a> {
    /// Sends all orders of one round side by side and stores what comes back, in the order they were sent. Those
    /// that do not fit the budget together wait until the others are billed; if none fits, that is the end.
    pub(crate) fn dispatch(&mut self, orders: Vec<DispatchOrder>) -> Result<Option<Stop>, EngineError> {
        if orders.is_empty() {
            return Ok(None);
        }
        let mark = self.starting.mark_round()?;
        self.settle();
        let mut budget = budget(self.starting.journal, self.starting.rules.budget);
        let mut sent = Vec::new();
        for order in orders {
            match self.starting.start(&order, &mark, budget)? {
                Ok(started) => {
                    budget.in_flight = budget.in_flight + started.reserved;
                    sent.push(started);
                }
                Err(Short::Own(over)) if sent.is_empty() => {
                    return Ok(Some(Stop::OverBudget { ticket: order.ticket, over }));
                }
                Err(Short::Shared(over)) if sent.is_empty() => {
                    let stop = Stop::OverShared { ticket: order.ticket, over };
                    return Ok(self.wait_for_others(over).then_some(stop));
                }
                Err(_) => break,
            }
        }
        let left = self.starting.draw.map_or(budget.left(), |draw| draw.left().min(budget.left()));
        share(&mut sent, left);
        let backs = self.send_all(sent)?;
        let (mut wait_ms, mut parked) = (0, None);
        for back in backs {
            match self.store_back(back)? {
                Some(AfterFailure::Wait(ms)) => wait_ms = ms.max(wait_ms),
                Some(AfterFailure::ParkUntil(until_ms)) => {
                    parked = Some(parked.map_or(until_ms, |known: i64| known.min(until_ms)));
                }
                _ => {}
            }
        }
        self.settle();
        let goes_on = || {
            pipeline::pending(self.starting.journal.state())
                .iter()
                .any(|next| matches!(next, Effect::Dispatch(_)))
        };
        if wait_ms > 0 && parked.is_none() && goes_on() {
            self.starting.journal.writer().clock.wait_ms(wait_ms);
        }
        Ok(parked.map(Stop::Parked))
    }

    /// Nothing of this run is under way.
    fn settle(&self) {
        if let Some(draw) = self.starting.draw {
            draw.settle(self.starting.journal.state().money.counted(), Usd(0));
        }
    }

    /// Waits until money that other features were promised comes back; whether that was in vain.
    fn wait_for_others(&self, over: OverBudget) -> bool {
        let Some(draw) = self.starting.draw else { return true };
        if draw.line_up(over.needed) {
            self.progress.waits_for_money(&over);
        }
        draw.wait(over.needed, self.starting.journal.writer().clock) == Waited::InVain
    }

    fn send_all(&mut self, sent: Vec<StartedDispatch>) -> Result<Vec<ReturnedDispatch>, EngineError> {
        let (clock, worktree) = (self.starting.journal.writer().clock, self.starting.worktree);
        let Sending { inbox, progress, checks, check_folder, .. } = *self;
        let tickets = sent.iter().map(|sent| sent.request.ticket.clone()).collect();
        let mut round = RoundBudget {
            spending: self.spending(),
            progress,
            redactor: worktree.redactor,
            tickets,
            done: BTreeMap::new(),
            trouble: None,
            owed: BTreeMap::new(),
        };
        let work = |place: usize, watch: &dyn RunHandle| {
            let sent = &sent[place];
            let rechecking =
                (sent.grant.clone()).map(|grant| Rechecking::new(grant, checks, check_folder, inbox));
            let until = clock.moment().plus_ms(sent.request.deadlines.total_ms);
            let watch = CheckingHandle { watch, rechecking: rechecking.as_ref(), until, gone: None };
            send(sent, clock, inbox, worktree, &watch)
        };
        let ends = side_by_side(&after(&sent), clock, work, &mut round);
        let RoundBudget { trouble, owed, .. } = round;
        let backs = sent.into_iter().zip(ends).map(|(sent, end)| {
            let (result, wall_ms) = end.unwrap_or_else(|| Err(crashed()))?;
            Ok(ReturnedDispatch { sent, result, wall_ms })
        });
        match trouble {
            None => backs.collect(),
            Some(trouble) => {
                let backs = backs.filter_map(Result::ok).collect();
                // Another process that held the ledger may have let go of it; if not, the first trouble is the one to
                // report.
                let _ = self.store_late(backs, &owed);
                Err(trouble)
            }
        }
    }

    /// Stores what was spent and answered while the ledger could not be written. Dispatches that were cut off for that
    /// reason have not failed; the next run settles them.
    fn store_late(
        &mut self,
        backs: Vec<ReturnedDispatch>,
        owed: &BTreeMap<Ticket, Usd>,
    ) -> Result<(), EngineError> {
        for (ticket, total) in owed {
            self.spending().owe(ticket, *total)?;
        }
        for back in backs.into_iter().filter(|back| back.result.is_ok()) {
            self.store_back(back)?;
        }
        Ok(())
    }

    fn store_back(&mut self, back: ReturnedDispatch) -> Result<Option<AfterFailure>, EngineError> {
        let Starting { journal, worktree, before, .. } = &mut self.starting;
        let (inbox, check_folder) = (self.inbox, self.check_folder);
        let own = back.sent.own.clone();
        // What was there before an agent began is known of the feature's own worktree.
        let mut unknown = WorktreeBaseline::default();
        let before = if own.is_some() { &mut unknown } else { &mut **before };
        let worktree = worktree.in_slot(own.as_deref());
        Returning { journal, worktree, before, inbox, check_folder }.store_back(back)
    }

    fn spending(&mut self) -> Spending<'_, 'a> {
        let Starting { journal, worktree, rules, draw, .. } = &mut self.starting;
        Spending { journal, limit: rules.budget, boundaries: worktree.boundaries, draw: *draw }
    }
}

/// Sets the most each dispatch may be told it can cost. What is not reserved is divided, so that no dollar is promised
/// twice; agents that use [`RunHandle::afford`] may spend more.
fn share(sent: &mut [StartedDispatch], left: Usd) {
    let each = left.0 / (sent.len() as u64).max(1);
    for StartedDispatch { request, reserved, .. } in sent {
        request.max_usd = Some(*reserved + Usd(each));
    }
}

/// Which dispatch waits for which: of several new conversations with one agent that caches, the first pays for what
/// they share, and the others begin when it has begun to answer.
fn after(sent: &[StartedDispatch]) -> Vec<Option<usize>> {
    let shares = |sent: &StartedDispatch| !sent.request.resume && sent.agent.abilities().cache != Cache::None;
    let first = |place: usize| {
        let same = |other: &StartedDispatch| shares(other) && other.agent.name() == sent[place].agent.name();
        sent[..place].iter().position(same)
    };
    (0..sent.len()).map(|place| first(place).filter(|_| shares(&sent[place]))).collect()
}

fn send(
    sent: &StartedDispatch,
    clock: &dyn Clock,
    inbox: &dyn Inbox,
    worktree: Worktree<'_>,
    watch: &dyn RunHandle,
) -> End {
    let Worktree { redactor, boundaries, .. } = worktree;
    let began = clock.moment();
    let result = sent.agent.run(&sent.request, watch);
    let result = result.map(|outcome| outcome_without_secrets(outcome, redactor));
    // A conversation that cannot be continued is not remembered, or the machine would order a turn in it.
    let able = sent.agent.abilities().resume != Resume::No;
    let result = result.map(|outcome| Outcome { session: outcome.session.filter(|_| able), ..outcome });
    boundaries.pass("the agent answered");
    if let Ok(outcome) = &result {
        let ticket = &sent.request.ticket;
        let kept = inbox.put(ticket, sent.request.session.as_str(), outcome);
        kept.map_err(|detail| EngineError::Inbox { ticket: ticket.clone(), detail })?;
        boundaries.pass("the answer is kept");
    }
    Ok((result, clock.moment().ms_since(began)))
}
