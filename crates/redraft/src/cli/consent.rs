//! The question before an agent that costs money is first used for a feature: who, what it is likely to cost, and the
//! most it can cost.
//!
//! What is likely is an estimate and says so; what holds is the budget.

use super::cast::Cast;
use super::console::Console;
use super::errors::{CliError, Code};
use super::site::Surroundings;
use redraft_adapters::sqlite::Ledger;
use redraft_core::estimate::{self, Estimate};
use redraft_core::event::{Entry, Event, FeatureCreated};
use redraft_core::ids::{AgentName, Role};
use redraft_core::pipeline::Pipeline;
use redraft_core::profile::{self, Kind, Profile};
use redraft_core::text::count;
use redraft_core::usage::Usd;
use redraft_engine::ports::{Agents, Store};
use std::collections::{BTreeMap, BTreeSet};

/// An agent that will be paid, with the roles it plays.
struct Paid {
    what: String,
    roles: Vec<(Role, Estimate)>,
}

/// Whether a person agrees, or agreed before to every agent that costs money.
pub(crate) fn given(
    ledger: &Ledger,
    created: &FeatureCreated,
    agents: &Cast<'_>,
    budget: Usd,
    command: &str,
    around: &Surroundings,
    console: &Console,
) -> Result<bool, CliError> {
    let entries = ledger.read(created.scope())?;
    let agreed = agreed_to(&entries);
    let paid = paid(agents, &entries)?;
    if paid.keys().all(|name| agreed.contains(name)) {
        return Ok(true);
    }
    let likely = paid.values().flat_map(|paid| &paid.roles).fold(Usd(0), |sum, (_, role)| sum + role.cost);
    console.say_before_asking(&told(&paid, likely, budget));
    if console.can_ask() {
        let word = console.ask("go on? yes or no: ", &around.clock);
        return Ok(word.is_some_and(|word| word == "yes" || word == "y"));
    }
    let message = format!(
        "nobody has agreed to spend money on this feature yet: about {likely} is expected, at most {budget} in all"
    );
    Err(CliError::new(Code::Waiting, message)
        .hint(format!("to agree: {command} --yes (and --budget USD for another limit)")))
}

/// The agents that were paid, or might have been, for this feature before.
fn agreed_to(entries: &[Entry]) -> BTreeSet<AgentName> {
    let started = entries.iter().filter_map(|entry| match &entry.event {
        Event::Started(started) if started.reserved > Usd(0) => Some(started.agent.clone()),
        _ => None,
    });
    started.collect()
}

/// Who will be paid in the phases that are left, and how much, about.
fn paid(agents: &Cast<'_>, entries: &[Entry]) -> Result<BTreeMap<AgentName, Paid>, CliError> {
    let state = Pipeline::replay(entries).map_err(|error| CliError::new(Code::Config, error.to_string()))?;
    let reviews = state.created.as_ref().is_none_or(|created| created.lane.reviews());
    let alone = state.created.as_ref().is_some_and(|created| created.document.is_some());
    // Nobody works on a change that is only reviewed.
    let change = state.created.as_ref().filter(|created| created.change.is_some());
    let panel = change.map(|created| profile::panels_in(created.until, created.lane));
    let in_panel = |profile: &Profile| {
        let mut roles = panel.iter().flatten().flat_map(|panel| &panel.roles);
        roles.any(|one| one.role.as_str() == profile.role)
    };
    let mut paid: BTreeMap<AgentName, Paid> = BTreeMap::new();
    for phase in state.phases().filter(|phase| !state.is_over(*phase)) {
        let sits = |one: &&&Profile| match alone {
            _ if panel.is_some() => in_panel(one),
            true => one.kind != Kind::Phase,
            false => reviews || one.kind == Kind::Author,
        };
        for profile in profile::cast(phase).iter().filter(sits) {
            let role = Role::new(profile.role);
            let agent = agents.agent_for(&role).map_err(|detail| CliError::new(Code::Config, detail))?;
            if agent.is_free() {
                continue;
            }
            let likely =
                agents.card_of(&role).map(|card| estimate::of(profile.kind, &card)).unwrap_or_default();
            let entry = paid.entry(agent.name());
            let entry = entry.or_insert_with(|| Paid { what: agent.describe(), roles: Vec::new() });
            match entry.roles.iter_mut().find(|(known, _)| *known == role) {
                Some((_, sum)) => {
                    sum.dispatches += likely.dispatches;
                    sum.cost = sum.cost + likely.cost;
                }
                None => entry.roles.push((role, likely)),
            }
        }
    }
    Ok(paid)
}

fn told(paid: &BTreeMap<AgentName, Paid>, likely: Usd, budget: Usd) -> String {
    let mut text = "these roles are played by agents that cost money:\n".to_owned();
    for (name, Paid { what, roles }) in paid {
        for (role, Estimate { dispatches, cost }) in roles {
            let dispatches = count(usize::try_from(*dispatches).unwrap_or(usize::MAX), "dispatch");
            text.push_str(&format!("  {role}: {what}, about {cost} for {dispatches}\n"));
        }
        let sum = roles.iter().fold(Usd(0), |sum, (_, role)| sum + role.cost);
        text.push_str(&format!("  agent {name}: about {sum} in all\n"));
    }
    text.push_str(&format!("expected: about {likely} ({})\n", estimate::assumptions()));
    text.push_str(&format!(
        "budget: at most {budget} for the feature in all; no request is sent that could pass it"
    ));
    if likely > budget {
        text.push_str("\nthe budget is below what is expected: the run will stop before the end");
    }
    text
}
