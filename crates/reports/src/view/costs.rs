//! What a feature cost, by phase, role and round, in a form that can be drawn and printed as JSON.
//!
//! The sums are those of [`crate::projections::costs`], so a view and `redraft cost` cannot disagree. What is only
//! reserved is never called spent, and an unknown bill is never zero.

use super::named;
use crate::projections::costs::{Dispatch, PhaseCosts, RoleCosts, Sum, costs};
use redraft_core::bills::Bill;
use redraft_facts::event::Entry;
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Unit};
use redraft_facts::usage::{Money, Usage, Usd};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CostsView {
    pub sum: Spending,
    /// What is reserved for dispatches under way. It is not spent.
    pub reserved_micro_usd: Usd,
    /// One for each pass of a phase, in the order they were opened.
    pub phases: Vec<CostsOfPhase>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CostsOfPhase {
    pub phase: Phase,
    pub pass: u16,
    pub sum: Spending,
    pub roles: Vec<CostsOfRole>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CostsOfRole {
    pub role: Role,
    pub sum: Spending,
    pub rounds: Vec<BilledRound>,
}

/// One dispatch: a round, or an attempt of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BilledRound {
    pub purpose: Purpose,
    pub round: u16,
    pub attempt: u16,
    /// The task it is about.
    pub task: Option<String>,
    pub agent: AgentName,
    pub model: String,
    pub strategy: &'static str,
    pub at_ms: i64,
    /// How it ended: `approved`, `written`, `failed`, …
    pub end: &'static str,
    /// None where no bill says it, or it is not over.
    pub billed: Option<Usage>,
    /// The most it may have cost in addition to what is billed.
    pub at_most_micro_usd: Usd,
    pub predicted: Option<Usage>,
}

/// Sums of several dispatches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Spending {
    pub dispatches: u32,
    pub failed: u32,
    pub lost: u32,
    /// Billed and paid for.
    pub spent_micro_usd: Usd,
    /// Covered by a subscription, or by a login that may be one, by the price list.
    pub covered_micro_usd: Usd,
    pub login_micro_usd: Usd,
    /// What may have been charged in addition, and for how many dispatches.
    pub unknown_micro_usd: Usd,
    pub unknown_bills: u32,
    /// Dispatches of hosts, which never say what they cost.
    pub hosts: u32,
    /// The tokens of all known bills.
    pub tokens: Usage,
    /// How many dispatches were predicted, and what.
    pub predicted: u32,
    pub prediction: Usage,
}

impl CostsView {
    pub(super) fn new(entries: &[Entry], is_driven: bool) -> CostsView {
        let mut costs = costs(entries);
        if !is_driven {
            costs.interrupted();
        }
        let under_way = costs.dispatches().filter(|one| one.bill == Bill::UnderWay);
        CostsView {
            reserved_micro_usd: under_way.fold(Usd(0), |sum, one| sum + one.reserved),
            sum: Spending::new(&costs.sum),
            phases: costs.phases.iter().map(CostsOfPhase::new).collect(),
        }
    }

    /// Every dispatch, in the order they were sent.
    pub fn rounds(&self) -> Vec<(&CostsOfPhase, &Role, &BilledRound)> {
        let roles = self.phases.iter().flat_map(|phase| phase.roles.iter().map(move |role| (phase, role)));
        let mut all: Vec<_> = roles
            .flat_map(|(phase, role)| role.rounds.iter().map(move |round| (phase, &role.role, round)))
            .collect();
        all.sort_by_key(|(_, _, round)| round.at_ms);
        all
    }

    /// The sum of each role over all phases, the dearest first.
    pub fn roles(&self) -> Vec<(Role, Spending)> {
        let mut sums: BTreeMap<Role, Spending> = BTreeMap::new();
        for role in self.phases.iter().flat_map(|phase| &phase.roles) {
            sums.entry(role.role.clone()).or_default().add(&role.sum);
        }
        let mut all: Vec<(Role, Spending)> = sums.into_iter().collect();
        all.sort_by_key(|(_, sum)| core::cmp::Reverse((sum.counted(), sum.tokens.input())));
        all
    }
}

impl CostsOfPhase {
    fn new(costs: &PhaseCosts) -> CostsOfPhase {
        let PhaseCosts { phase, pass, sum, roles, .. } = costs;
        let roles = roles.iter().map(CostsOfRole::new).collect();
        CostsOfPhase { phase: *phase, pass: *pass, sum: Spending::new(sum), roles }
    }
}

impl CostsOfRole {
    fn new(costs: &RoleCosts) -> CostsOfRole {
        let rounds = costs.dispatches.iter().map(BilledRound::new).collect();
        CostsOfRole { role: costs.role.clone(), sum: Spending::new(&costs.sum), rounds }
    }
}

impl BilledRound {
    fn new(one: &Dispatch) -> BilledRound {
        let task = match &one.ticket.unit {
            Unit::Task(id) => Some(id.to_string()),
            Unit::Whole => None,
        };
        BilledRound {
            purpose: one.ticket.purpose,
            round: one.ticket.round,
            attempt: one.ticket.attempt,
            task,
            agent: one.agent.clone(),
            model: one.player.model.clone(),
            strategy: one.strategy().name(),
            at_ms: one.at_ms,
            end: one.end,
            billed: one.billed().copied(),
            at_most_micro_usd: one.money().unknown,
            predicted: one.prediction().map(|prediction| prediction.usage),
        }
    }

    /// `review 2`, `implement 1.3`, with the attempt where it is not the first.
    pub fn name(&self) -> String {
        named(self.purpose, self.task.as_deref(), self.round, self.attempt)
    }
}

impl Spending {
    fn new(sum: &Sum) -> Spending {
        let money = sum.money();
        Spending {
            dispatches: sum.dispatches,
            failed: sum.failed,
            lost: sum.lost,
            spent_micro_usd: money.spent,
            covered_micro_usd: money.covered,
            login_micro_usd: money.login,
            unknown_micro_usd: money.unknown,
            unknown_bills: money.unknown_bills,
            hosts: sum.hosts,
            tokens: sum.billed,
            predicted: sum.predicted,
            prediction: sum.prediction,
        }
    }

    pub fn add(&mut self, other: &Spending) {
        self.dispatches += other.dispatches;
        self.failed += other.failed;
        self.lost += other.lost;
        self.spent_micro_usd = self.spent_micro_usd + other.spent_micro_usd;
        self.covered_micro_usd = self.covered_micro_usd + other.covered_micro_usd;
        self.login_micro_usd = self.login_micro_usd + other.login_micro_usd;
        self.unknown_micro_usd = self.unknown_micro_usd + other.unknown_micro_usd;
        self.unknown_bills += other.unknown_bills;
        self.hosts += other.hosts;
        self.tokens += other.tokens;
        self.predicted += other.predicted;
        self.prediction += other.prediction;
    }

    /// The same split as everywhere: what is billed apart from what is covered or unknown.
    pub fn money(&self) -> Money {
        Money {
            spent: self.spent_micro_usd,
            covered: self.covered_micro_usd,
            login: self.login_micro_usd,
            unknown: self.unknown_micro_usd,
            unknown_bills: self.unknown_bills,
        }
    }

    /// All of it, as a budget counts it.
    pub fn counted(&self) -> Usd {
        self.money().counted()
    }
}
