//! The cost of each dispatch, followed from its start to its end.
//!
//! One rule for the budget, the board, the receipt and `redraft cost`, so that they cannot disagree: money is spent
//! where a bill says so. What may have been charged without a known bill is kept apart. Start at [`Bills::take`].

use redraft_facts::event::Event;
use redraft_facts::ids::AgentName;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Money, Payment, Usage, Usd};

/// The dispatches that are under way, and who pays for which agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bills {
    open: BTreeMap<Ticket, Open>,
    /// As its last answer reported. A dispatch that fails or is lost does not report it, and is paid for in the same
    /// way.
    payments: BTreeMap<AgentName, Payment>,
    /// Ended dispatches, for a person who corrects what one cost.
    over: BTreeMap<Ticket, EndedDispatch>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Open {
    agent: AgentName,
    reserved: Usd,
    pull: bool,
}

/// A dispatch that has ended, or whose cost was corrected after that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedDispatch {
    pub ticket: Ticket,
    pub bill: Bill,
    /// What it may have cost beyond a bill that is known.
    pub beyond: Usd,
    pub payment: Payment,
    /// Whether a host did the work; hosts do not report what they used.
    pub pull: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bill {
    UnderWay,
    Known(Usage),
    /// Nobody knows what it cost. The budget counts this much for it: what was reserved if there was no answer, and what
    /// the answer can have cost if its bill says nothing certain. It counts nothing for hosts, nor for an answer without
    /// any usage, and those may have cost more.
    Unknown {
        counted: Usd,
    },
}

impl Bills {
    /// The dispatch that an event ends or whose cost it corrects, if it does either.
    pub fn take(&mut self, event: &Event) -> Option<EndedDispatch> {
        let ended = self.ended_by(event)?;
        self.over.insert(ended.ticket.clone(), ended.clone());
        Some(ended)
    }

    /// The cost of all ended dispatches. Computed again where something was corrected: a sum that has reached its limit
    /// no longer shows what it is made of.
    pub fn total(&self) -> Money {
        let mut total = Money::default();
        self.over.values().for_each(|ended| total += ended.money());
        total
    }

    /// What the budget counts for a dispatch that has ended; none if it has not, or if a host did it.
    pub fn counted(&self, ticket: &Ticket) -> Option<Usd> {
        self.over.get(ticket).filter(|ended| !ended.pull).map(|ended| ended.money().counted())
    }

    /// Whether a dispatch is under way.
    pub fn is_open(&self, ticket: &Ticket) -> bool {
        self.open.contains_key(ticket)
    }

    fn ended_by(&mut self, event: &Event) -> Option<EndedDispatch> {
        match event {
            Event::Started(fact) => {
                let (agent, reserved, pull) = (fact.agent.clone(), fact.reserved, fact.pull);
                self.open.insert(fact.ticket.clone(), Open { agent, reserved, pull });
                None
            }
            Event::Raised(fact) => {
                let open = self.open.get_mut(&fact.ticket)?;
                open.reserved = fact.reserved;
                None
            }
            Event::Answered(fact) => {
                let open = self.open.remove(&fact.ticket)?;
                self.payments.insert(open.agent.clone(), fact.payment);
                let (bill, beyond) = answered(open.reserved, fact.usage, fact.unknown);
                Some(self.ended(&fact.ticket, open, bill, beyond))
            }
            Event::Failed(fact) => {
                let open = self.open.remove(&fact.ticket)?;
                let bill = unanswered(open.reserved, fact.usage);
                Some(self.ended(&fact.ticket, open, bill, Usd(0)))
            }
            Event::Lost(fact) => {
                let open = self.open.remove(&fact.ticket)?;
                // What counts is what had been reserved, unless the agent knew better.
                let known = Usage { cost: fact.cost, ..Usage::default() };
                let bill = unanswered(open.reserved, Some(known).filter(|_| fact.cost != open.reserved));
                Some(self.ended(&fact.ticket, open, bill, Usd(0)))
            }
            Event::CostCorrected(fact) => {
                let before = self.over.get(&fact.ticket).filter(|ended| !ended.pull)?;
                // The number of tokens is then unknown.
                let bill = Bill::Known(Usage { cost: fact.cost, ..Usage::default() });
                Some(EndedDispatch { bill, beyond: Usd(0), ..before.clone() })
            }
            _ => None,
        }
    }

    fn ended(&self, ticket: &Ticket, open: Open, bill: Bill, beyond: Usd) -> EndedDispatch {
        let payment = self.payments.get(&open.agent).copied().unwrap_or_default();
        let ticket = ticket.clone();
        match open.pull {
            true => {
                let bill = Bill::Unknown { counted: Usd(0) };
                EndedDispatch { ticket, bill, beyond: Usd(0), payment, pull: true }
            }
            false => EndedDispatch { ticket, bill, beyond, payment, pull: false },
        }
    }
}

impl EndedDispatch {
    /// What it cost. The cost of hosts is not counted here.
    pub fn money(&self) -> Money {
        if self.pull { Money::default() } else { self.bill.money(self.beyond, self.payment) }
    }
}

impl Bill {
    pub fn money(&self, beyond: Usd, payment: Payment) -> Money {
        let mut money = Money { unknown: beyond, ..Money::default() };
        match self {
            Bill::UnderWay => {}
            Bill::Known(usage) => {
                money.add_cost(usage.cost, payment);
                money.unknown_bills = u32::from(beyond > Usd(0));
            }
            Bill::Unknown { counted } => {
                money.unknown = *counted;
                money.unknown_bills = 1;
            }
        }
        money
    }
}

/// The bill of an answer, and what it may have cost beyond that. An answer without a single token comes from an agent
/// that does not report what it used.
fn answered(reserved: Usd, usage: Usage, unknown: Usd) -> (Bill, Usd) {
    let silent = usage.input().saturating_add(usage.output) == 0 && usage.cost == Usd(0);
    match usage {
        _ if silent && reserved > Usd(0) => (Bill::Unknown { counted: Usd(0) }, Usd(0)),
        Usage { cost, .. } if cost > Usd(0) && unknown >= cost => (Bill::Unknown { counted: cost }, Usd(0)),
        usage => (Bill::Known(Usage { cost: usage.cost - unknown, ..usage }), unknown),
    }
}

/// The bill of a dispatch without an answer. Where nothing was reserved nothing could be charged, so nothing is
/// unknown.
fn unanswered(reserved: Usd, usage: Option<Usage>) -> Bill {
    match usage {
        Some(usage) => Bill::Known(usage),
        None if reserved == Usd(0) => Bill::Known(Usage::default()),
        None => Bill::Unknown { counted: reserved },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(tokens: u64, cost: u64) -> Usage {
        Usage { uncached: tokens, cost: Usd(cost), ..Usage::default() }
    }

    #[test]
    fn where_nothing_was_reserved_nothing_is_unknown() {
        assert_eq!(unanswered(Usd(0), None), Bill::Known(Usage::default()));
        assert_eq!(answered(Usd(0), Usage::default(), Usd(0)), (Bill::Known(Usage::default()), Usd(0)));
        assert_eq!(unanswered(Usd(1), None), Bill::Unknown { counted: Usd(1) });
    }

    #[test]
    fn the_part_of_an_answers_cost_that_no_bill_says_is_kept_apart() {
        for (used, unknown, bill, beyond) in [
            (usage(9, 50), 0, Bill::Known(usage(9, 50)), 0),
            (usage(9, 50), 20, Bill::Known(usage(9, 30)), 20),
            (usage(9, 50), 50, Bill::Unknown { counted: Usd(50) }, 0),
            (usage(0, 50), 50, Bill::Unknown { counted: Usd(50) }, 0),
            (usage(0, 0), 0, Bill::Unknown { counted: Usd(0) }, 0),
        ] {
            assert_eq!(answered(Usd(900), used, Usd(unknown)), (bill, Usd(beyond)), "{used:?} {unknown}");
        }
    }

    #[test]
    fn what_a_person_puts_right_replaces_whatever_was_recorded() {
        use redraft_facts::event::{AfterFailure, CostCorrected, Failed, Raised};
        let ticket: Ticket = "031/specify.1/review/spec-reviewer/2.1".parse().unwrap();
        let correct = |was, cost| {
            let (by, why) = ("ann".to_owned(), "the bill".to_owned());
            Event::from(CostCorrected { ticket: ticket.clone(), was: Usd(was), cost: Usd(cost), by, why })
        };
        let open = Open { agent: AgentName::new("a"), reserved: Usd(40), pull: false };
        for (used, before) in [(None, 90), (Some(usage(7, u64::MAX)), u64::MAX), (Some(usage(7, 3)), 3)] {
            let mut bills = Bills { open: [(ticket.clone(), open.clone())].into(), ..Bills::default() };
            bills.take(&Raised { ticket: ticket.clone(), reserved: Usd(90) }.into());
            assert_eq!((bills.counted(&ticket), bills.is_open(&ticket)), (None, true));
            assert_eq!(bills.take(&correct(0, 5)), None, "it is not over");
            let (now, detail, undone) = (AfterFailure::GiveUp, String::new(), Vec::new());
            let failed = Failed { ticket: ticket.clone(), now, detail, usage: used, undone, forgot: None };
            bills.take(&failed.into());
            assert_eq!((bills.total().counted(), bills.counted(&ticket)), (Usd(before), Some(Usd(before))));
            for (was, cost) in [(before, 12), (12, 5_000), (5_000, 0)] {
                bills.take(&correct(was, cost));
                let expected = Money { spent: Usd(cost), ..Money::default() };
                assert_eq!(
                    (bills.total(), bills.counted(&ticket)),
                    (expected, Some(Usd(cost))),
                    "{used:?} {was}"
                );
            }
        }
    }

    #[test]
    fn money_goes_to_whoever_pays_and_the_budget_counts_all_of_it() {
        let known = |cost| Bill::Known(usage(1, cost));
        let mut sum = known(7).money(Usd(0), Payment::Unknown);
        sum += known(10).money(Usd(0), Payment::Key);
        sum += known(200).money(Usd(0), Payment::Subscription);
        sum += known(3_000).money(Usd(0), Payment::Login);
        sum += known(0).money(Usd(40_000), Payment::Key);
        sum += Bill::Unknown { counted: Usd(500_000) }.money(Usd(0), Payment::Subscription);
        let expected = Money {
            spent: Usd(17),
            covered: Usd(200),
            login: Usd(3_000),
            unknown: Usd(540_000),
            unknown_bills: 2,
        };
        assert_eq!((sum, sum.counted()), (expected, Usd(543_217)));
    }
}
