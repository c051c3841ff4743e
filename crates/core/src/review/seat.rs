//! One role's place in a loop: what it has said so far, and what it is being asked.

use redraft_facts::choice::Cached;
use redraft_facts::event::{Answered, Limits, Started};
use redraft_facts::ids::{AgentName, FindingId, Revision, Role, SessionId};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket, Unit};
use redraft_facts::usage::Usd;

/// One role's place in the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    pub role: Role,
    /// What part of the phase it works on.
    pub unit: Unit,
    pub letter: char,
    pub stage: u16,
    pub standing: SeatStatus,
    /// The last revision this role was shown.
    pub anchor: Option<Revision>,
    /// The last revision it gave a verdict about. What changed since is what a review may be limited to: an answer
    /// that could not be used has judged nothing.
    pub judged: Option<Revision>,
    /// The epoch of that verdict.
    pub judged_epoch: u32,
    /// The epoch of the anchor.
    pub anchor_epoch: u32,
    /// The stage's round at the role's last review.
    pub last_round: u16,
    pub conversation: Option<Conversation>,
    /// What the cache is assumed to hold since the role's last answered dispatch.
    pub left: Option<CacheAfterDispatch>,
    /// Why the role's earlier conversation is gone, until it has answered in a new one.
    pub unavailable: Option<String>,
    /// Rounds concluded, per purpose.
    pub rounds: BTreeMap<Purpose, u16>,
    pub work: Option<OpenDispatch>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeatStatus {
    Unasked,
    Approved {
        revision: Revision,
        ticket: Ticket,
        /// Whether the conversation that approved had seen no earlier revision.
        fresh: bool,
        /// Whether the conversation that wrote the text gave it.
        same_hand: bool,
    },
    Rejected {
        epoch: u32,
        purpose: Purpose,
        /// The dispatch that rejected, and what it would be worth as an approval: the last finding it rests on may be
        /// overruled.
        ticket: Ticket,
        fresh: bool,
        same_hand: bool,
    },
    /// A person accepted what this role had open, in this revision. None where that was not written down: such a
    /// ruling covers every revision, as it did when it was made.
    Ruled {
        revision: Option<Revision>,
    },
}

/// A conversation that can be continued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub id: SessionId,
    pub agent: AgentName,
    pub first_chars: u64,
    pub context_chars: u64,
    pub first_seen: Option<Revision>,
    /// What its first prompt gave it to keep in mind.
    pub code: Option<String>,
}

/// What an answered dispatch left in its agent's cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheAfterDispatch {
    /// The dispatch; what the cache holds began to age when it was started.
    pub ticket: Ticket,
    pub agent: AgentName,
    pub cached: Cached,
}

/// A dispatch being tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDispatch {
    pub purpose: Purpose,
    pub round: u16,
    /// What the role had judged before this round; a later attempt does not change that.
    pub since: Option<Revision>,
    /// The epoch of that.
    pub since_epoch: u32,
    /// Tickets sent so far, lost ones included.
    pub sent: u16,
    /// Attempts that count against the limit.
    pub failures: u16,
    /// The last one failed in a way that no further attempt can mend.
    pub helpless: bool,
    /// Why the last attempt came to nothing.
    pub trouble: String,
    /// Why its last answer could not be used; a new conversation is told.
    pub void: Option<String>,
    /// The next attempt must be a fresh conversation.
    pub fresh: bool,
    /// What it cost, or could have cost, when this agent was cut off for lack of money.
    pub needs: Option<(AgentName, Usd)>,
    pub repairs: u16,
    pub repair: Option<Repair>,
    /// Whether its last answer was a rejection for what is settled, so that a person may accept in its place.
    pub insists: bool,
    pub flight: Option<Flight>,
}

impl OpenDispatch {
    /// Whether nothing more is sent for it until a person has decided.
    pub fn is_spent(&self, limits: &Limits) -> bool {
        self.helpless || self.failures >= limits.attempts
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    pub why: String,
    pub round: u16,
    pub sent: u16,
}

/// A ticket that was started and whose consequences are not yet stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flight {
    pub started: Started,
    pub answered: Option<Answered>,
    /// What people said since it was sent.
    pub missed: Vec<FindingId>,
}

impl Seat {
    pub(super) fn new(role: Role, letter: char, stage: u16) -> Seat {
        Seat {
            role,
            unit: Unit::Whole,
            letter,
            stage,
            standing: SeatStatus::Unasked,
            anchor: None,
            judged: None,
            judged_epoch: 0,
            anchor_epoch: 0,
            last_round: 0,
            conversation: None,
            left: None,
            unavailable: None,
            rounds: BTreeMap::new(),
            work: None,
        }
    }

    /// Whether this ticket is the one in flight here.
    pub(super) fn owns(&self, ticket: &Ticket) -> bool {
        let flight = self.work.as_ref().and_then(|work| work.flight.as_ref());
        flight.is_some_and(|flight| flight.started.ticket == *ticket)
    }

    /// It is asked in a new conversation next, also where its last answer was to be repaired.
    pub(super) fn forget_conversation(&mut self, why: &str) {
        self.conversation = None;
        self.left = None;
        self.unavailable = Some(why.to_owned());
        let Some(work) = &mut self.work else { return };
        work.fresh = true;
        if let Some(repair) = work.repair.take() {
            self.rounds.insert(Purpose::Repair, repair.round);
            work.void = Some(repair.why);
        }
    }

    pub fn approved(&self) -> Option<&Revision> {
        match &self.standing {
            SeatStatus::Approved { revision, .. } => Some(revision),
            SeatStatus::Unasked | SeatStatus::Rejected { .. } | SeatStatus::Ruled { .. } => None,
        }
    }

    /// Whether a person's ruling stands in for this role's approval.
    pub fn ruled(&self) -> bool {
        matches!(self.standing, SeatStatus::Ruled { .. })
    }

    pub fn rejected_in(&self, epoch: u32) -> bool {
        matches!(self.standing, SeatStatus::Rejected { epoch: then, .. } if then == epoch)
    }

    /// Whether this role must still be asked before its stage can close.
    pub fn lacks_verdict(&self, epoch: u32) -> bool {
        match self.standing {
            SeatStatus::Unasked => true,
            SeatStatus::Rejected { epoch: then, .. } => then != epoch,
            SeatStatus::Approved { .. } | SeatStatus::Ruled { .. } => false,
        }
    }

    /// Whether its last answer to what it is being asked now was a rejection for what is settled.
    pub fn insists(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.insists)
    }

    pub fn flight(&self) -> Option<&Flight> {
        self.work.as_ref()?.flight.as_ref()
    }

    pub fn in_flight(&self) -> bool {
        self.flight().is_some()
    }
}
