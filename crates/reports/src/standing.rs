//! Where a feature stands, in one word: whether it waits for a person, agents are at work on it, or it can go on.
//!
//! This is the only place that decides it. `status`, its JSON and every other view ask here, so that none can say
//! "working" where another says "waiting for you". [`Standing::new`] follows from the events; [`Standing::now`] adds
//! what they cannot say: whether a process drives the feature, what time it is, and which features are in its way.

use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{self, DispatchOrder, Effect, Loop};
use redraft_facts::event::{About, BudgetReached, FeatureCreated, FeatureLife};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::{count, utc};
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_facts::usage::Usd;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Standing {
    /// A person is asked, and nothing goes on before they answer.
    Asked {
        about: Subject,
        phase: Phase,
        pass: u16,
        number: u32,
    },
    /// Nothing more is sent before a person allows more money.
    OverBudget {
        needed_micro_usd: Usd,
        left_micro_usd: Usd,
        limit_micro_usd: Usd,
    },
    /// A process that drives it asks something on its terminal that no event tells, such as whether money may be spent.
    AskedThere,
    /// A document or a change that is reviewed by itself has findings or failed a gate: it goes on when a person has
    /// edited it.
    Findings {
        /// The gate that failed, before any reviewer was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gate: Option<String>,
    },
    /// Agents were sent something and have not answered, or the program works on what they answered.
    Working {
        dispatches: u32,
    },
    /// The same, but nobody drives it any more. The next run takes up what is there.
    Interrupted {
        dispatches: u32,
    },
    /// Hosts have its work, the last of it until then.
    WithHosts {
        dispatches: u32,
        until_ms: i64,
    },
    /// Every agent that could go on has used up its limit, until then.
    Parked {
        until_ms: i64,
    },
    /// Other features come first.
    Blocked {
        by: Vec<String>,
    },
    /// Nothing was done yet.
    Planned,
    /// The next run goes on.
    Ready,
    ReadyToMerge,
    Merged,
    /// Nothing is left to do, and there is nothing to merge.
    Done,
    Abandoned,
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    Cap,
    Agent,
    Gate,
    Unchanged,
    Certificate,
    Author,
    Task,
    Divergence,
    Begin,
    Lessons,
    Deferred,
    Disagreement,
    Approval,
    SecondDecision,
}

/// What a feature waits for while others of the same run are driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waits {
    /// Until one of them rests.
    Place,
    /// Until what was promised to them is billed.
    Money,
}

impl Waits {
    pub const ALL: [Waits; 2] = [Waits::Place, Waits::Money];

    pub fn name(self) -> &'static str {
        match self {
            Waits::Place => "place",
            Waits::Money => "money",
        }
    }

    pub fn in_words(self) -> &'static str {
        match self {
            Waits::Place => "waits for a place in `redraft run --all`",
            Waits::Money => "waits for money that was promised to other features",
        }
    }
}

/// What events cannot say about a feature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    pub now_ms: i64,
    /// Whether a process drives it.
    pub is_driven: bool,
    /// Whether that process asks a person something on its terminal.
    pub asks: bool,
    /// Features that come before it and are not completed.
    pub blocked_by: Vec<String>,
    /// What it waits for beside other features of the same run.
    pub waits: Option<Waits>,
    /// What each dispatch under way last did, as far as the process that drives it has told.
    pub doing: BTreeMap<Ticket, String>,
}

impl Standing {
    /// What follows from the events alone. A dispatch that was started and has not ended counts as under way, and a
    /// usage limit as if it lasted.
    pub fn new(state: &Pipeline) -> Standing {
        if state.life() == FeatureLife::Abandoned {
            return Standing::Abandoned;
        }
        if state.merged.is_some() {
            return Standing::Merged;
        }
        let effects = pipeline::pending(state);
        let by_itself = state.created.as_ref().is_some_and(FeatureCreated::is_review);
        match effects.as_slice() {
            [] if state.created.is_none() => return Standing::Planned,
            [] if is_ready_to_merge(state) => return Standing::ReadyToMerge,
            [] => return Standing::Done,
            [Effect::ClosePhase { .. }] if by_itself => return Standing::Done,
            [Effect::Dispatch(order)] if by_itself && writes(order) => return Standing::findings(state),
            _ => {}
        }
        if let Some((open, question)) =
            state.open.as_ref().and_then(|open| Some((open, review::question(open)?)))
        {
            let (about, phase) = (Subject::new(&question.about), open.opened.phase);
            return Standing::Asked { about, phase, pass: question.pass, number: question.number };
        }
        let flights: Vec<_> = state.open.iter().flat_map(|open| open.flights()).collect();
        let out: Vec<i64> =
            state.open.iter().flat_map(|open| open.handed_out()).map(|one| one.expires_ms).collect();
        let orders: Vec<&DispatchOrder> = effects.iter().filter_map(order).collect();
        let dispatches = flights.len() as u32;
        let until_ms = out.iter().copied().max().unwrap_or_default();
        match &state.short {
            _ if flights.len() > out.len() => Standing::Working { dispatches },
            _ if !out.is_empty() && orders.is_empty() => Standing::WithHosts { dispatches, until_ms },
            // What costs nothing goes on.
            Some(short) if !orders.is_empty() => Standing::over_budget(short),
            _ => match state.parked_until_ms(&orders) {
                Some(until_ms) => Standing::Parked { until_ms },
                None if !out.is_empty() => Standing::WithHosts { dispatches, until_ms },
                None if state.life() == FeatureLife::Planned => Standing::Planned,
                None => Standing::Ready,
            },
        }
    }

    fn findings(state: &Pipeline) -> Standing {
        let failed = state.open.as_ref().and_then(Loop::failed_gate);
        Standing::Findings { gate: failed.map(|check| check.gate.clone()) }
    }

    fn over_budget(short: &BudgetReached) -> Standing {
        let BudgetReached { needed, left, limit, .. } = *short;
        Standing::OverBudget { needed_micro_usd: needed, left_micro_usd: left, limit_micro_usd: limit }
    }

    /// The same at this moment. Whoever drives a feature and is asked something waits for the answer, so a question
    /// stays one; all else that could go on is worked on while somebody drives it.
    pub fn now(self, around: &Surroundings) -> Standing {
        match self {
            Standing::AskedThere if !around.asks => Standing::Ready.now(around),
            Standing::Asked { .. }
            | Standing::Findings { .. }
            | Standing::ReadyToMerge
            | Standing::Merged
            | Standing::Done
            | Standing::Abandoned => self,
            _ if around.asks => Standing::AskedThere,
            Standing::Working { dispatches } | Standing::Interrupted { dispatches } if around.is_driven => {
                Standing::Working { dispatches }
            }
            Standing::WithHosts { until_ms, .. } if until_ms > around.now_ms => self,
            _ if around.is_driven => Standing::Working { dispatches: 0 },
            _ if !around.blocked_by.is_empty() => Standing::Blocked { by: around.blocked_by.clone() },
            Standing::Working { dispatches } => Standing::Interrupted { dispatches },
            // What hosts did not bring back in time is sent or fetched again.
            Standing::WithHosts { .. } => Standing::Ready,
            Standing::Parked { until_ms } if until_ms <= around.now_ms => Standing::Ready,
            Standing::AskedThere
            | Standing::OverBudget { .. }
            | Standing::Interrupted { .. }
            | Standing::Parked { .. }
            | Standing::Blocked { .. }
            | Standing::Planned
            | Standing::Ready => self,
        }
    }

    /// Whether nothing goes on before a person has decided, paid or edited something.
    pub fn waits_for_you(&self) -> bool {
        self.rank() == 0
    }

    /// Until when a usage limit holds it up.
    pub fn parked_until_ms(&self) -> Option<i64> {
        match self {
            Standing::Parked { until_ms } => Some(*until_ms),
            _ => None,
        }
    }

    /// Its place on a board: what waits for a person first, what is over last.
    pub fn rank(&self) -> u8 {
        match self {
            Standing::Asked { .. }
            | Standing::AskedThere
            | Standing::OverBudget { .. }
            | Standing::Findings { .. } => 0,
            Standing::ReadyToMerge => 1,
            Standing::Working { .. } | Standing::WithHosts { .. } => 2,
            Standing::Interrupted { .. } | Standing::Ready => 3,
            Standing::Parked { .. } | Standing::Blocked { .. } => 4,
            Standing::Planned => 5,
            Standing::Merged | Standing::Done | Standing::Abandoned => 6,
        }
    }

    /// The word programs know it by, as in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Standing::Asked { .. } => "asked",
            Standing::AskedThere => "asked-there",
            Standing::OverBudget { .. } => "over-budget",
            Standing::Findings { .. } => "findings",
            Standing::Working { .. } => "working",
            Standing::Interrupted { .. } => "interrupted",
            Standing::WithHosts { .. } => "with-hosts",
            Standing::Parked { .. } => "parked",
            Standing::Blocked { .. } => "blocked",
            Standing::Planned => "planned",
            Standing::Ready => "ready",
            Standing::ReadyToMerge => "ready-to-merge",
            Standing::Merged => "merged",
            Standing::Done => "done",
            Standing::Abandoned => "abandoned",
        }
    }

    /// As people read it; `ended` is how it came to its end, such as `approved`.
    pub fn in_words(&self, ended: &str) -> String {
        match self {
            Standing::Asked { about, .. } => format!("waiting for you: {}", about.in_words()),
            Standing::AskedThere => {
                "waiting for you: its run asks on the terminal it was started on".to_owned()
            }
            Standing::OverBudget { needed_micro_usd, left_micro_usd, .. } => {
                format!(
                    "waiting for you: the next step may cost {needed_micro_usd}, the budget has {left_micro_usd} left"
                )
            }
            Standing::Findings { gate: None } => "waiting for you: there are findings to correct".to_owned(),
            Standing::Findings { gate: Some(gate) } => format!("waiting for you: the gate {gate} failed"),
            Standing::Working { dispatches: 0 } => "working".to_owned(),
            Standing::Working { dispatches } => {
                format!("working: {} under way", count(*dispatches as usize, "dispatch"))
            }
            Standing::Interrupted { dispatches: 0 } => "interrupted".to_owned(),
            Standing::Interrupted { dispatches } => {
                format!("interrupted: {} cut off", count(*dispatches as usize, "dispatch"))
            }
            Standing::WithHosts { dispatches, until_ms } => {
                format!("with a host: {} until {}", count(*dispatches as usize, "dispatch"), utc(*until_ms))
            }
            Standing::Parked { until_ms } => format!("parked until {}", utc(*until_ms)),
            Standing::Blocked { by } => format!("blocked by {}", by.join(", ")),
            Standing::Planned => "planned".to_owned(),
            Standing::Ready => "ready to continue".to_owned(),
            Standing::ReadyToMerge => format!("{ended} and ready to merge"),
            Standing::Merged => format!("{ended} and merged"),
            Standing::Done => ended.to_owned(),
            Standing::Abandoned => "abandoned".to_owned(),
        }
    }
}

impl Subject {
    pub fn new(about: &About) -> Subject {
        match about {
            About::Cap { .. } => Subject::Cap,
            About::Agent { .. } => Subject::Agent,
            About::Gate => Subject::Gate,
            About::Unchanged => Subject::Unchanged,
            About::Certificate => Subject::Certificate,
            About::Author { .. } => Subject::Author,
            About::Task { .. } => Subject::Task,
            About::Divergence => Subject::Divergence,
            About::Begin => Subject::Begin,
            About::Lessons => Subject::Lessons,
            About::Deferred => Subject::Deferred,
            About::Disagreement { .. } => Subject::Disagreement,
            About::Approval => Subject::Approval,
            About::SecondDecision { .. } => Subject::SecondDecision,
        }
    }

    /// What is asked, in a few words.
    pub fn in_words(self) -> &'static str {
        match self {
            Subject::Cap => "the review rounds are used up",
            Subject::Agent => "a role cannot be made to answer",
            Subject::Gate => "a gate failed too often",
            Subject::Unchanged => "the author changes nothing",
            Subject::Certificate => "the last reader found blockers again",
            Subject::Author => "the author has questions",
            Subject::Task => "a task could not be carried out",
            Subject::Divergence => "tests written from the documents fail",
            Subject::Begin => "code is written next",
            Subject::Lessons => "older lessons were judged",
            Subject::Deferred => "blockers were put off",
            Subject::Disagreement => "author and reviewer disagree",
            Subject::Approval => "a phase is yours to approve",
            Subject::SecondDecision => "two people decided differently",
        }
    }
}

/// Whether its last phase has closed here, on a branch that can be merged into another, and it was not.
pub fn is_ready_to_merge(state: &Pipeline) -> bool {
    let has_base = state.created.as_ref().is_some_and(|created| !created.base_branch.is_empty());
    state.is_over(Phase::Finish)
        && state.merged.is_none()
        && !state.cancelled
        && has_base
        && state.closed(Phase::Finish).is_some()
}

fn order(effect: &Effect) -> Option<&DispatchOrder> {
    match effect {
        Effect::Dispatch(order) => Some(order),
        _ => None,
    }
}

/// Whether it asks an author for another text, which a person writes where a document is reviewed by itself.
fn writes(order: &DispatchOrder) -> bool {
    matches!(order.ticket.purpose, Purpose::Revise | Purpose::Draft)
}
