//! Adds up what a feature cost, by phase, role and round, next to what it was expected to cost.
//!
//! Start at [`costs`], a fold over a feature's events. [`Accuracies`] compares an agent's predictions with its bills,
//! [`rules`] checks whether resumed prompts are as short as the original design wants them, [`replayed`] computes what
//! a loop would have cost under other policies. Bills win over estimates everywhere, and an unknown bill is never shown
//! as zero. Nothing here prints or knows which agent is behind a name.

mod accuracy;
mod clones;
mod rules;
mod savings;
mod side_by_side;
#[cfg(test)]
mod tests;

use redraft_core::bills::{Bill, Bills, EndedDispatch};
use redraft_facts::choice::{Choice, Knowledge, Policy, Prediction, Strategy};
use redraft_facts::event::{AgentIdentity, Entry, Event, Judgement, Started};
use redraft_facts::ids::{AgentName, FeatureId, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Ticket, Unit};
use redraft_facts::usage::{Money, Payment, Usage, Usd};

pub use accuracy::{Accuracies, Accuracy};
pub use clones::Driver;
pub use rules::{Measure, MeasureOfRole, RoleRules, rules};
pub use savings::{Replayed, played, replayed};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    pub feature: Option<FeatureId>,
    pub slug: String,
    pub sum: Sum,
    /// In the order they were opened.
    pub phases: Vec<PhaseCosts>,
    beside: side_by_side::Beside,
    clones: clones::Clones,
}

/// One pass of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseCosts {
    pub phase: Phase,
    pub pass: u16,
    pub policy: Policy,
    pub knowledge: Knowledge,
    pub sum: Sum,
    /// In the order they were first asked.
    pub roles: Vec<RoleCosts>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleCosts {
    pub role: Role,
    pub sum: Sum,
    /// Every attempt, in order.
    pub dispatches: Vec<Dispatch>,
}

/// One dispatch as it was sent, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    pub ticket: Ticket,
    pub agent: AgentName,
    pub player: AgentIdentity,
    pub at_ms: i64,
    pub choice: Choice,
    pub prompt_chars: u64,
    pub reserved: Usd,
    /// Whether a host did the work, which never reports what it used.
    pub pull: bool,
    pub bill: Bill,
    /// What it may have cost in addition to a known bill.
    pub beyond: Usd,
    pub payment: Payment,
    /// Whether a person corrected its cost.
    pub corrected: bool,
    /// `answered`, `approved`, `failed`, … as a receipt says it.
    pub end: &'static str,
}

/// The sum of several dispatches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    pub dispatches: u32,
    pub failed: u32,
    pub lost: u32,
    /// The known bills, by the price list where no money was charged.
    pub billed: Usage,
    /// How many bills are unknown, and the most that may have been charged for them.
    pub unknown: u32,
    pub reserved: Usd,
    /// How many of them are those of hosts.
    pub hosts: u32,
    /// What of the billed cost a subscription covered, and what went through a login that may be one.
    pub covered: Usd,
    pub login: Usd,
    /// How many dispatches were predicted, and what.
    pub predicted: u32,
    pub prediction: Usage,
}

pub fn costs(entries: &[Entry]) -> Costs {
    let (mut costs, mut bills) = (Costs::default(), Bills::default());
    for entry in entries {
        let ended = bills.take(&entry.event);
        match &entry.event {
            Event::FeatureCreated(fact) => {
                costs.feature = Some(fact.id);
                costs.slug.clone_from(&fact.slug);
            }
            Event::LoopOpened(fact) => costs.phases.push(PhaseCosts {
                phase: fact.phase,
                pass: fact.pass,
                policy: fact.policy,
                knowledge: fact.knowledge,
                sum: Sum::default(),
                roles: Vec::new(),
            }),
            Event::Started(fact) => {
                costs.clones.start(fact);
                costs.start(fact, entry.at_ms);
            }
            Event::DriverChanged(fact) => costs.clones.change(fact),
            Event::Enqueued(fact) => costs.beside.enqueue(fact),
            Event::Answered(_) => costs.end(ended, "answered"),
            Event::Raised(fact) => costs.raise(&fact.ticket, fact.reserved),
            Event::CostCorrected(fact) => {
                let said = costs.dispatch(&fact.ticket).map_or("answered", |one| one.end);
                costs.end(ended, said);
                if let Some(one) = costs.find(&fact.ticket) {
                    one.corrected = true;
                }
            }
            Event::Failed(_) => costs.end(ended, "failed"),
            Event::Lost(_) => costs.end(ended, "lost"),
            Event::Judged(fact) => costs.say(
                &fact.ticket,
                match fact.judgement {
                    Judgement::Approved if fact.is_computed() => "approved (computed)",
                    Judgement::Approved => "approved",
                    Judgement::Rejected => "rejected",
                    Judgement::Repair { .. } => "not usable",
                    Judgement::NoVerdict { .. } => "no verdict",
                },
            ),
            Event::Drafted(fact) => costs.say(
                &fact.ticket,
                match (&fact.revision, fact.commit.is_empty()) {
                    (None, _) => "wrote nothing",
                    (Some(_), true) => "unchanged",
                    (Some(_), false) => "written",
                },
            ),
            _ => {}
        }
    }
    costs.add_up();
    costs
}

impl Costs {
    /// Every sending, role by role within each pass.
    pub fn dispatches(&self) -> impl Iterator<Item = &Dispatch> {
        self.phases.iter().flat_map(|phase| &phase.roles).flat_map(|role| &role.dispatches)
    }

    /// Marks dispatches that were started and have not ended as no longer running: the run was killed, and the next one
    /// settles them. Until then, or for good where no run follows, they may have cost what was reserved.
    pub fn interrupted(&mut self) {
        let roles = self.phases.iter_mut().flat_map(|phase| &mut phase.roles);
        for dispatch in roles.flat_map(|role| &mut role.dispatches) {
            if dispatch.bill == Bill::UnderWay {
                dispatch.end = if dispatch.pull { "with a host" } else { "interrupted" };
            }
            if dispatch.end == "interrupted" && dispatch.reserved > Usd(0) {
                dispatch.bill = Bill::Unknown { counted: dispatch.reserved };
            }
        }
        self.add_up();
    }

    pub fn dispatch(&self, ticket: &Ticket) -> Option<&Dispatch> {
        self.dispatches().find(|one| one.ticket == *ticket)
    }

    /// What each role cost over all phases, the dearest first; where no money tells them apart, by their tokens.
    pub fn by_role(&self) -> Vec<(&Role, Sum)> {
        let mut roles: Vec<(&Role, Sum)> = Vec::new();
        for one in self.phases.iter().flat_map(|phase| &phase.roles) {
            match roles.iter_mut().find(|(role, _)| **role == one.role) {
                Some((_, sum)) => sum.add(&one.sum),
                None => roles.push((&one.role, one.sum)),
            }
        }
        let price = |sum: &Sum| (sum.money().counted(), not_cached(&sum.billed));
        roles.sort_by_key(|(_, sum)| core::cmp::Reverse(price(sum)));
        roles
    }

    /// What is set aside for dispatches that are under way.
    pub fn reserved(&self) -> Usd {
        let open = self.dispatches().filter(|one| one.bill == Bill::UnderWay);
        open.fold(Usd(0), |sum, one| sum + one.reserved)
    }

    /// The agents that were asked, by name.
    pub fn agents(&self) -> BTreeSet<&AgentName> {
        self.dispatches().map(|one| &one.agent).collect()
    }

    fn start(&mut self, fact: &Started, at_ms: i64) {
        let Ticket { phase, pass, role, .. } = &fact.ticket;
        let found = self.phases.iter_mut().find(|one| one.phase == *phase && one.pass == *pass);
        // Whatever is started belongs to a loop that was opened.
        let Some(found) = found else { return };
        self.beside.start(fact);
        let dispatch = Dispatch {
            ticket: fact.ticket.clone(),
            agent: fact.agent.clone(),
            player: fact.player.clone(),
            at_ms,
            choice: fact.choice.clone(),
            prompt_chars: fact.prompt_chars,
            reserved: fact.reserved,
            pull: fact.pull,
            bill: Bill::UnderWay,
            beyond: Usd(0),
            payment: Payment::Unknown,
            corrected: false,
            end: "under way",
        };
        match found.roles.iter_mut().find(|one| one.role == *role) {
            Some(one) => one.dispatches.push(dispatch),
            None => found.roles.push(RoleCosts {
                role: role.clone(),
                sum: Sum::default(),
                dispatches: vec![dispatch],
            }),
        }
    }

    fn end(&mut self, ended: Option<EndedDispatch>, said: &'static str) {
        // Whatever ends was started.
        let Some(ended) = ended else { return };
        if let Some(one) = self.find(&ended.ticket) {
            (one.end, one.bill, one.beyond, one.payment) = (said, ended.bill, ended.beyond, ended.payment);
        }
    }

    fn raise(&mut self, ticket: &Ticket, reserved: Usd) {
        if let Some(one) = self.find(ticket) {
            one.reserved = reserved;
        }
    }

    fn say(&mut self, ticket: &Ticket, said: &'static str) {
        if let Some(one) = self.find(ticket) {
            one.end = said;
        }
    }

    fn find(&mut self, ticket: &Ticket) -> Option<&mut Dispatch> {
        let roles = self.phases.iter_mut().rev().flat_map(|phase| &mut phase.roles);
        roles.flat_map(|role| &mut role.dispatches).find(|one| one.ticket == *ticket)
    }

    fn add_up(&mut self) {
        self.sum = Sum::default();
        for phase in &mut self.phases {
            phase.sum = Sum::default();
            for role in &mut phase.roles {
                role.sum = Sum::default();
                for dispatch in &role.dispatches {
                    role.sum.add_dispatch(dispatch);
                }
                phase.sum.add(&role.sum);
            }
            self.sum.add(&phase.sum);
        }
    }
}

impl Dispatch {
    /// The ticket without the feature.
    pub fn name(&self) -> String {
        let name = self.ticket.to_string();
        name.split_once('/').map_or(name.clone(), |(_, rest)| rest.to_owned())
    }

    /// The ticket without what its role and pass already say: `review 2.1`, `task 2.3, implement 1.1`.
    pub fn round(&self) -> String {
        let Ticket { unit, purpose, round, attempt, .. } = &self.ticket;
        match unit {
            Unit::Task(id) => format!("task {id}, {purpose} {round}.{attempt}"),
            Unit::Whole => format!("{purpose} {round}.{attempt}"),
        }
    }

    pub fn strategy(&self) -> Strategy {
        self.choice.strategy
    }

    pub fn prediction(&self) -> Option<&Prediction> {
        self.choice.prediction.as_ref()
    }

    /// Its cost.
    pub fn money(&self) -> Money {
        if self.pull { Money::default() } else { self.bill.money(self.beyond, self.payment) }
    }

    pub fn billed(&self) -> Option<&Usage> {
        match &self.bill {
            Bill::Known(usage) => Some(usage),
            Bill::UnderWay | Bill::Unknown { .. } => None,
        }
    }
}

impl Sum {
    /// The cost of the dispatches.
    pub fn money(&self) -> Money {
        let Sum { covered, login, reserved, .. } = *self;
        let spent = self.billed.cost - covered - login;
        Money { spent, covered, login, unknown: reserved, unknown_bills: self.unknown - self.hosts }
    }

    pub fn add_dispatch(&mut self, dispatch: &Dispatch) {
        self.dispatches += 1;
        self.failed += u32::from(dispatch.end == "failed");
        self.lost += u32::from(dispatch.end == "lost");
        match dispatch.bill {
            Bill::UnderWay => {}
            Bill::Known(usage) => self.billed += usage,
            // A host's is unknown, too, though nothing is reserved for it.
            Bill::Unknown { .. } if dispatch.pull => {
                (self.unknown, self.hosts) = (self.unknown + 1, self.hosts + 1)
            }
            Bill::Unknown { .. } => {}
        }
        let money = dispatch.money();
        self.unknown += money.unknown_bills;
        self.reserved = self.reserved + money.unknown;
        self.covered = self.covered + money.covered;
        self.login = self.login + money.login;
        if let Some(prediction) = dispatch.prediction() {
            self.predicted += 1;
            self.prediction += prediction.usage;
        }
    }

    pub fn add(&mut self, other: &Sum) {
        self.dispatches += other.dispatches;
        self.failed += other.failed;
        self.lost += other.lost;
        self.billed += other.billed;
        self.unknown += other.unknown;
        self.reserved = self.reserved + other.reserved;
        self.hosts += other.hosts;
        self.covered = self.covered + other.covered;
        self.login = self.login + other.login;
        self.predicted += other.predicted;
        self.prediction += other.prediction;
    }
}

/// The share of the input that was read from the cache, in percent; none where there was no input.
pub fn hit_percent(usage: &Usage) -> Option<u64> {
    usage.read.saturating_mul(100).checked_div(usage.input())
}

/// The tokens that were not read from the cache: what a dispatch is measured by where nothing costs money.
pub fn not_cached(usage: &Usage) -> u64 {
    usage.uncached.saturating_add(usage.written)
}
