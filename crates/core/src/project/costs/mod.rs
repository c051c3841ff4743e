//! What a feature cost, by phase, role and round, beside what it was expected to cost.
//!
//! Start at [`costs`], a fold over a feature's events. [`Accuracies`] tells how an agent's predictions compare with its
//! bills, [`rules`] whether resumed prompts are as short as the original design wants them, [`replayed`] what a loop
//! would have cost under other policies. Bills win over estimates everywhere, and a bill that nobody knows is never
//! shown as nothing. Nothing here prints or knows which agent is behind a name.

mod accuracy;
mod rules;
mod savings;
#[cfg(test)]
mod tests;

use crate::event::{Entry, Event, Judgement, Player, Started};
use crate::ids::{AgentName, FeatureId, Role};
use crate::phase::Phase;
use crate::policy::{Choice, Knowledge, Policy, Prediction, Strategy};
use crate::prelude::*;
use crate::ticket::Ticket;
use crate::usage::{Usage, Usd};

pub use accuracy::{Accuracies, Accuracy};
pub use rules::{Measure, RoleRules, Rule, rules};
pub use savings::{Replayed, played, replayed};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    pub feature: Option<FeatureId>,
    pub slug: String,
    pub sum: Sum,
    /// In the order they were opened.
    pub phases: Vec<PhaseCosts>,
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

/// One sending, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    pub ticket: Ticket,
    pub agent: AgentName,
    pub player: Player,
    pub at_ms: i64,
    pub choice: Choice,
    pub prompt_chars: u64,
    pub reserved: Usd,
    /// Whether a host did the work, which tells nobody what it used.
    pub pull: bool,
    pub bill: Bill,
    /// `answered`, `approved`, `failed`, … as a receipt says it.
    pub end: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bill {
    UnderWay,
    Known(Usage),
    /// It may have cost something, and nobody knows what; this much counts as spent.
    Unknown {
        counted: Usd,
    },
}

/// What several dispatches come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    pub dispatches: u32,
    pub failed: u32,
    pub lost: u32,
    /// Of the bills that are known.
    pub billed: Usage,
    /// How many bills are not, and what counts as spent for them.
    pub unknown: u32,
    pub reserved: Usd,
    /// How many dispatches were predicted, and what.
    pub predicted: u32,
    pub prediction: Usage,
}

pub fn costs(entries: &[Entry]) -> Costs {
    let mut costs = Costs::default();
    for entry in entries {
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
            Event::Started(fact) => costs.start(fact, entry.at_ms),
            Event::Answered(fact) => costs.end(&fact.ticket, "answered", Some(fact.usage)),
            Event::Raised(fact) => costs.raise(&fact.ticket, fact.reserved),
            Event::Failed(fact) => costs.end(&fact.ticket, "failed", fact.usage),
            Event::Lost(fact) => costs.lose(&fact.ticket, fact.cost),
            Event::Judged(fact) => costs.say(
                &fact.ticket,
                match fact.judgement {
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

    /// Says of what was started and not ended that nobody works on it: the run was killed, and the next one settles it.
    pub fn interrupted(&mut self) {
        let roles = self.phases.iter_mut().flat_map(|phase| &mut phase.roles);
        for dispatch in roles.flat_map(|role| &mut role.dispatches) {
            if dispatch.bill == Bill::UnderWay {
                dispatch.end = if dispatch.pull { "with a host" } else { "interrupted" };
            }
        }
    }

    pub fn dispatch(&self, ticket: &Ticket) -> Option<&Dispatch> {
        self.dispatches().find(|one| one.ticket == *ticket)
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

    fn end(&mut self, ticket: &Ticket, said: &'static str, usage: Option<Usage>) {
        let Some(one) = self.find(ticket) else { return };
        one.end = said;
        one.bill = match one.pull {
            true => Bill::Unknown { counted: Usd(0) },
            false => bill(one.reserved, said == "answered", usage),
        };
    }

    /// What counts is what had been reserved, unless the agent knew better.
    fn lose(&mut self, ticket: &Ticket, cost: Usd) {
        let reserved = self.find(ticket).map(|one| one.reserved);
        let known = Usage { cost, ..Usage::default() };
        self.end(ticket, "lost", Some(known).filter(|_| reserved != Some(cost)));
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
        for phase in &mut self.phases {
            for role in &mut phase.roles {
                for dispatch in &role.dispatches {
                    role.sum.add_dispatch(dispatch);
                }
                phase.sum.add(&role.sum);
            }
            self.sum.add(&phase.sum);
        }
    }
}

/// What is known of a bill. Where nothing was reserved nothing could be charged, so nothing is unknown. An answer
/// without a single token is one whose agent does not say what it used.
fn bill(reserved: Usd, answered: bool, usage: Option<Usage>) -> Bill {
    let silent = |usage: &Usage| usage.input() + usage.output == 0 && usage.cost == Usd(0);
    match usage {
        Some(usage) if answered && silent(&usage) && reserved > Usd(0) => Bill::Unknown { counted: Usd(0) },
        Some(usage) => Bill::Known(usage),
        None if reserved == Usd(0) => Bill::Known(Usage::default()),
        None => Bill::Unknown { counted: reserved },
    }
}

impl Dispatch {
    /// The ticket without the feature.
    pub fn name(&self) -> String {
        let name = self.ticket.to_string();
        name.split_once('/').map_or(name.clone(), |(_, rest)| rest.to_owned())
    }

    /// The ticket without everything its role and pass say already: `review 2.1`.
    pub fn round(&self) -> String {
        let Ticket { purpose, round, attempt, .. } = &self.ticket;
        format!("{purpose} {round}.{attempt}")
    }

    pub fn strategy(&self) -> Strategy {
        self.choice.strategy
    }

    pub fn prediction(&self) -> Option<&Prediction> {
        self.choice.prediction.as_ref()
    }

    pub fn billed(&self) -> Option<&Usage> {
        match &self.bill {
            Bill::Known(usage) => Some(usage),
            Bill::UnderWay | Bill::Unknown { .. } => None,
        }
    }
}

impl Sum {
    pub fn add_dispatch(&mut self, dispatch: &Dispatch) {
        self.dispatches += 1;
        self.failed += u32::from(dispatch.end == "failed");
        self.lost += u32::from(dispatch.end == "lost");
        match dispatch.bill {
            Bill::UnderWay => {}
            Bill::Known(usage) => self.billed += usage,
            Bill::Unknown { counted } => {
                self.unknown += 1;
                self.reserved = self.reserved + counted;
            }
        }
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
        self.predicted += other.predicted;
        self.prediction += other.prediction;
    }
}

/// The share of the input that was read from the cache, in percent; none where there was no input.
pub fn hit_percent(usage: &Usage) -> Option<u64> {
    (usage.read * 100).checked_div(usage.input())
}

/// The tokens that were not read from the cache: what a dispatch is measured by where nothing costs money.
pub fn not_cached(usage: &Usage) -> u64 {
    usage.uncached + usage.written
}
