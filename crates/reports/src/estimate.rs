//! Estimates what the rest of a feature will cost: before the first paid dispatch, and again before code is written.
//!
//! It is neither a promise nor a limit: a budget holds because the most expensive outcome is reserved, never because
//! of an estimate. Nothing is decided by it. Where phases of earlier features were closed in this repository, their
//! bills say what a role needs ([`BillHistory`]); else it is computed from the role's real texts, the documents that
//! are there, and assumptions that are named (`size`). Start at [`forecast`].

mod history;
mod plan;
mod probe;
mod reviews;
mod size;
#[cfg(test)]
mod tests;

pub use history::BillHistory;
pub use plan::{PlannedRole, Play, parts};
pub use probe::probe;
use redraft_facts::forecast::{Forecast, RoleForecast};
pub use reviews::review;
pub use size::Reading;

use redraft_cost::price::Card;
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::prelude::*;
use redraft_facts::text::count;
use redraft_facts::usage::Usd;

/// The agent of a role, as far as it matters for the cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidAgent {
    pub agent: AgentName,
    pub card: Card,
    /// Says how texts are counted.
    pub model: String,
    /// Tokens of its own tools and system text.
    pub overhead: u64,
}

/// How many tasks there are to carry out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tasks {
    /// No code is written in what is left.
    None,
    Known(u32),
    /// There is no list yet: as many as earlier features had, or as many as is usual.
    Assumed(u32),
}

impl Tasks {
    /// The number of tasks where there is no list yet and no earlier feature shows how long one gets.
    pub const USUAL: u32 = 8;

    fn number(self) -> u32 {
        match self {
            Tasks::None => 0,
            Tasks::Known(tasks) | Tasks::Assumed(tasks) => tasks,
        }
    }
}

/// What the parts of a feature are likely to cost. `player` is none for a role that costs nothing.
pub fn forecast(
    parts: &[PlannedRole],
    tasks: Tasks,
    player: &dyn Fn(&Role) -> Option<PaidAgent>,
    reading: &Reading<'_>,
    history: &BillHistory,
    left: Usd,
) -> Forecast {
    let mut roles: Vec<RoleForecast> = Vec::new();
    for part in parts {
        let role = Role::new(part.profile.role);
        let Some(player) = player(&role) else { continue };
        let one = role_forecast(part, role, player, tasks, reading, history);
        match roles.iter_mut().find(|known| known.role == one.role && known.agent == one.agent) {
            Some(known) => {
                known.dispatches += one.dispatches;
                known.cost = known.cost + one.cost;
                // A role of several phases has a history only where each of them has one.
                known.features = known.features.min(one.features);
            }
            None => roles.push(one),
        }
    }
    Forecast {
        roles,
        tasks: Some(tasks.number()).filter(|tasks| *tasks > 0),
        tasks_assumed: matches!(tasks, Tasks::Assumed(_)),
        left,
    }
}

fn role_forecast(
    part: &PlannedRole,
    role: Role,
    player: PaidAgent,
    tasks: Tasks,
    reading: &Reading<'_>,
    history: &BillHistory,
) -> RoleForecast {
    let PaidAgent { agent, card, .. } = &player;
    match history.usual(part.phase, &role, part.is_per_task().then(|| tasks.number())) {
        Some(usual) => RoleForecast {
            role,
            agent: agent.clone(),
            dispatches: usual.dispatches,
            cost: card.cost(&usual.usage, usual.prompt),
            features: usual.features,
        },
        None => RoleForecast {
            role,
            agent: agent.clone(),
            dispatches: part.first + part.later,
            cost: size::cost(part, &player, tasks.number(), reading),
            features: 0,
        },
    }
}

/// More roles than these are counted instead of named: the text stands before a question, and both should fit a screen.
const NAMES_MAX: usize = 3;

/// Where the numbers come from.
pub fn basis(forecast: &Forecast) -> String {
    let known = |role: &&RoleForecast| role.features > 0;
    let features = forecast.roles.iter().map(|role| role.features).filter(|features| *features > 0).min();
    let names: Vec<&str> = forecast.roles.iter().filter(known).map(|role| role.role.as_str()).collect();
    let named = if names.len() > NAMES_MAX { format!("{} roles", names.len()) } else { names.join(", ") };
    let assumptions = size::assumptions(forecast.tasks.is_some());
    let earlier = |features: u32| format!("from {}", count(features as usize, "earlier feature"));
    match features {
        Some(features) if names.len() == forecast.roles.len() => {
            format!("{} of this repository", earlier(features))
        }
        Some(features) => {
            format!("{} of this repository for {named}; for the others {assumptions}", earlier(features))
        }
        None => assumptions,
    }
}

/// The whole estimate, as it is shown with a question: each role, where the numbers come from, and whether the budget
/// is enough.
pub fn lines(forecast: &Forecast) -> Vec<String> {
    let mut lines = vec![format!("expected from here: {}", forecast.in_a_line())];
    lines.extend(forecast.roles.iter().map(|one| {
        format!("  {}: about {} for {} ({})", one.role, one.cost, dispatches(one.dispatches), one.agent)
    }));
    lines.push(format!("  an estimate {}", basis(forecast)));
    lines.extend(forecast.shortage());
    lines
}

fn dispatches(number: u32) -> String {
    count(number as usize, "dispatch")
}
