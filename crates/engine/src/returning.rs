//! Stores what comes back from a dispatch: an answer, a failure or a loss. First undoes what its agent must not have
//! changed.

use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::{AgentError, CheckFolder, Inbox, Outcome};
use crate::rechecking::copies_of;
use crate::starting::{StartedDispatch, WorktreeBaseline};
use crate::worktree::Worktree;
use redraft_facts::choice::Strategy;
use redraft_facts::event::{AfterFailure, Answered, Failed, Lost, RanCheck, Started, TreeMark};
use redraft_facts::phase::Phase;
use redraft_facts::probed::Recall;
use redraft_facts::text;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Usage, Usd};

/// Why the answer of a continued conversation is not used.
const FORGOT: &str = "the continued conversation does not know the code that its first turn was given";

/// What became of a dispatch.
pub(crate) struct ReturnedDispatch {
    pub(crate) sent: StartedDispatch,
    pub(crate) result: Result<Outcome, AgentError>,
    pub(crate) wall_ms: u64,
}

/// Stores how dispatches ended.
pub(crate) struct Returning<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
    pub(crate) before: &'r mut WorktreeBaseline,
    /// Has what checks printed that reviewers had run.
    pub(crate) inbox: &'r dyn Inbox,
    pub(crate) check_folder: &'r dyn CheckFolder,
}

impl Returning<'_, '_> {
    /// Stores one end; returns what the agent's error means for the next step.
    pub(crate) fn store_back(&mut self, back: ReturnedDispatch) -> Result<Option<AfterFailure>, EngineError> {
        let ReturnedDispatch { sent, result, wall_ms } = back;
        let ticket = sent.request.ticket;
        match result {
            Ok(outcome) => self.store_answer(&ticket, &sent.mark, outcome, wall_ms).map(|()| None),
            Err(error) if error.interrupted => {
                let cost = error.usage.map(|usage| usage.cost);
                self.lose(&ticket, &sent.mark, cost).map(|()| None)
            }
            Err(error) => {
                self.put_copies_away(&ticket);
                // A failed attempt leaves nothing behind, not even what its role may write.
                let undone = self.worktree.workspace.restore(
                    &sent.mark,
                    &self.worktree.projections(),
                    &ticket.to_string(),
                )?;
                let AgentError { now, detail, usage, .. } = error;
                let usage = usage.map(Usage::bounded);
                let now = bounded(now, self.journal.writer().clock.now_ms());
                let now = if sent.request.resume { after_resuming(now) } else { now };
                let mut detail = text::one_line(&self.worktree.redactor.redact(&detail).0, 200);
                for left in self.worktree.workspace.left_refs(&ticket.to_string())? {
                    detail.push_str(&format!("; {left}"));
                }
                self.worktree.boundaries.pass("before a failure is stored");
                self.journal.record(Failed { ticket, now, detail, usage, undone, forgot: None })?;
                self.worktree.boundaries.pass("after a failure is stored");
                Ok(Some(now))
            }
        }
    }

    pub(crate) fn store_answer(
        &mut self,
        ticket: &Ticket,
        mark: &TreeMark,
        outcome: Outcome,
        wall_ms: u64,
    ) -> Result<(), EngineError> {
        let unusable = self.journal.started(ticket).and_then(|started| Unusable::find(&started, &outcome));
        if let Some(unusable) = unusable {
            return self.store_unusable(ticket, mark, outcome, &unusable);
        }
        let may_differ = self.worktree.may_differ(self.journal.open_loop()?, ticket);
        let undone = self.worktree.workspace.restore(mark, &may_differ, &ticket.to_string())?;
        let mut left = self.worktree.workspace.left_refs(&ticket.to_string())?;
        left.extend(self.left_unseen()?);
        let ran = self.ran(ticket)?;
        self.put_copies_away(ticket);
        let blob = outcome.text.into_bytes();
        let answered = Answered {
            ticket: ticket.clone(),
            answer: text::hash(&blob),
            usage: outcome.usage.bounded(),
            session: outcome.session,
            opened: outcome.opened,
            undone,
            wall_ms,
            denials: outcome.denials,
            notes: outcome.notes.into_iter().chain(left).collect(),
            formless: outcome.formless,
            asked_ms: outcome.asked_ms,
            requests: outcome.requests,
            hand: outcome.hand,
            payment: outcome.payment,
            unknown: outcome.unknown,
            ran: Some(ran).filter(|ran| !ran.is_empty()),
        };
        self.journal.append(vec![answered.into()], &[blob])?;
        self.worktree.boundaries.pass("the answer is stored");
        Ok(())
    }

    /// The checks that its agent had run.
    fn ran(&self, ticket: &Ticket) -> Result<Vec<RanCheck>, EngineError> {
        let session = self.journal.started(ticket).and_then(|started| started.session);
        let ran = self.inbox.ran(ticket, session.as_ref().map_or("", |session| session.as_str()));
        ran.map_err(|detail| EngineError::Inbox { ticket: ticket.clone(), detail })
    }

    /// Removes the copies in which they ran, if a killed process has left any.
    fn put_copies_away(&self, ticket: &Ticket) {
        if ticket.phase == Phase::Implement && ticket.purpose.judges() {
            // A leftover folder does no harm.
            let _ = self.check_folder.put_copies_away(&copies_of(ticket));
        }
    }

    /// An answer of a conversation that does not know its own beginning: it knows nothing of what it is asked about, so
    /// the answer does not count, and a new conversation is begun.
    fn store_unusable(
        &mut self,
        ticket: &Ticket,
        mark: &TreeMark,
        outcome: Outcome,
        unusable: &Unusable,
    ) -> Result<(), EngineError> {
        let projections = self.worktree.projections();
        let undone = self.worktree.workspace.restore(mark, &projections, &ticket.to_string())?;
        // Only what was asked for a code says something about the agent's memory.
        let (mut detail, blob) = match unusable {
            Unusable::Forgot => (FORGOT.to_owned(), Some(outcome.text.into_bytes())),
            Unusable::Another(detail) => (detail.clone(), None),
        };
        for left in self.worktree.workspace.left_refs(&ticket.to_string())? {
            detail.push_str(&format!("; {left}"));
        }
        // What is on no bill counts as what was reserved.
        let known = outcome.usage != Usage::default() && outcome.unknown == Usd(0);
        let failed = Failed {
            ticket: ticket.clone(),
            now: AfterFailure::FreshSession,
            detail,
            usage: known.then(|| outcome.usage.bounded()),
            undone,
            forgot: blob.as_ref().map(|blob| text::hash(blob)),
        };
        self.worktree.boundaries.pass("before a failure is stored");
        self.journal.append(vec![failed.into()], blob.as_slice())?;
        self.worktree.boundaries.pass("after a failure is stored");
        Ok(())
    }

    /// Ends a dispatch without an answer. `cost` is what it cost, where that is known; otherwise what was reserved
    /// counts.
    pub(crate) fn lose(
        &mut self,
        ticket: &Ticket,
        mark: &TreeMark,
        cost: Option<Usd>,
    ) -> Result<(), EngineError> {
        self.put_copies_away(ticket);
        let undone =
            self.worktree.workspace.restore(mark, &self.worktree.projections(), &ticket.to_string())?;
        self.worktree.boundaries.pass("before a loss is stored");
        let reserved = || self.journal.started(ticket).map(|started| started.reserved).unwrap_or_default();
        let cost = cost.unwrap_or_else(reserved);
        self.journal.record(Lost { ticket: ticket.clone(), cost, undone })?;
        self.worktree.boundaries.pass("after a loss is stored");
        Ok(())
    }

    /// What an agent left in the worktree that no commit holds: it is neither reviewed nor checked. Reported once.
    fn left_unseen(&mut self) -> Result<Option<String>, EngineError> {
        const NAMED_MAX: usize = 10;
        let Some(before) = &self.before.unseen else { return Ok(None) };
        let now = self.worktree.workspace.unseen()?;
        let new: Vec<&str> = now.difference(before).map(String::as_str).collect();
        let shown: Vec<String> = new.iter().take(NAMED_MAX).map(|line| text::one_line(line, 120)).collect();
        let more = match new.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let told = format!("left in the worktree and in no commit: {}{more}", shown.join(", "));
        let told = (!shown.is_empty()).then_some(told);
        self.before.unseen = Some(now);
        Ok(told)
    }
}

/// Why an answer of a continued conversation is not used.
enum Unusable {
    /// It was asked for the code of its beginning, and does not have it.
    Forgot,
    /// A host did the work in another conversation than the one that was to go on.
    Another(String),
}

impl Unusable {
    fn find(started: &Started, outcome: &Outcome) -> Option<Unusable> {
        let resumed = started.session.as_ref().filter(|_| started.choice.strategy == Strategy::Resume);
        let hand = outcome.hand.as_ref().map(|hand| hand.conversation.as_str());
        if let Some((session, hand)) = resumed.zip(hand).filter(|(session, hand)| session.as_str() != *hand) {
            let detail = format!("`{hand}` did what the conversation `{session}` was to go on with");
            return Some(Unusable::Another(text::one_line(&detail, 200)));
        }
        match &started.recall {
            Some(Recall::Asks(code)) => (!outcome.text.contains(code)).then_some(Unusable::Forgot),
            Some(Recall::Gives(_)) | None => None,
        }
    }
}

/// Whatever a continued conversation was refused or given up for may lie in the conversation, so a new one is tried
/// before a person is asked or the same is sent again.
fn after_resuming(now: AfterFailure) -> AfterFailure {
    match now {
        AfterFailure::AskPerson | AfterFailure::GiveUp => AfterFailure::FreshSession,
        now => now,
    }
}

/// Turns a long wait into a park, because nobody sits through it, and limits the park: a limit that lasts longer is met
/// again.
fn bounded(now: AfterFailure, now_ms: i64) -> AfterFailure {
    const WAIT_MS_MAX: u64 = 15 * 60 * 1000;
    const PARK_MS_MAX: u64 = 7 * 24 * 60 * 60 * 1000;
    match now {
        AfterFailure::Wait(ms) if ms > WAIT_MS_MAX => {
            AfterFailure::ParkUntil(now_ms.saturating_add_unsigned(ms.min(PARK_MS_MAX)))
        }
        AfterFailure::ParkUntil(until_ms) => {
            AfterFailure::ParkUntil(until_ms.min(now_ms.saturating_add_unsigned(PARK_MS_MAX)))
        }
        now => now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_wait_becomes_a_park_that_ends() {
        assert_eq!(bounded(AfterFailure::Wait(60_000), 1_000), AfterFailure::Wait(60_000));
        assert_eq!(bounded(AfterFailure::Wait(86_400_000), 1_000), AfterFailure::ParkUntil(86_401_000));
        assert_eq!(bounded(AfterFailure::Wait(u64::MAX), 1_000), AfterFailure::ParkUntil(604_801_000));
        assert_eq!(bounded(AfterFailure::ParkUntil(86_401_000), 1_000), AfterFailure::ParkUntil(86_401_000));
        assert_eq!(bounded(AfterFailure::ParkUntil(i64::MAX), 1_000), AfterFailure::ParkUntil(604_801_000));
        assert_eq!(bounded(AfterFailure::GiveUp, 1_000), AfterFailure::GiveUp);
    }
}
