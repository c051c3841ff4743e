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
use redraft_core::event::{Event, FeatureCreated};
use redraft_core::ids::{AgentName, Role};
use redraft_core::profile;
use redraft_core::text::count;
use redraft_core::ticket::Scope;
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
    around: &Surroundings,
    console: &Console,
) -> Result<bool, CliError> {
    let agreed = agreed_to(ledger, created)?;
    let paid = paid(agents)?;
    if paid.keys().all(|name| agreed.contains(name)) {
        return Ok(true);
    }
    let likely = paid.values().flat_map(|paid| &paid.roles).fold(Usd(0), |sum, (_, role)| sum + role.cost);
    console.say(&told(&paid, likely, budget));
    if console.can_ask() {
        let word = console.ask("go on? yes or no: ", &around.clock);
        return Ok(word.is_some_and(|word| word == "yes" || word == "y"));
    }
    let message = format!(
        "nobody has agreed to spend money on this feature yet: about {likely} is expected, at most {budget} in all"
    );
    Err(CliError::new(Code::Waiting, message)
        .hint(format!("to agree: redraft run {} --yes (and --budget USD for another limit)", created.id)))
}

/// The agents that were paid, or might have been, for this feature before.
fn agreed_to(ledger: &Ledger, created: &FeatureCreated) -> Result<BTreeSet<AgentName>, CliError> {
    let entries = ledger.read(Scope::Feature(created.id))?;
    let started = entries.into_iter().filter_map(|entry| match entry.event {
        Event::Started(started) if started.reserved > Usd(0) => Some(started.agent),
        _ => None,
    });
    Ok(started.collect())
}

fn paid(agents: &Cast<'_>) -> Result<BTreeMap<AgentName, Paid>, CliError> {
    let mut paid: BTreeMap<AgentName, Paid> = BTreeMap::new();
    for role in profile::roles() {
        let agent = agents.agent_for(&role).map_err(|detail| CliError::new(Code::Config, detail))?;
        if agent.is_free() {
            continue;
        }
        let kind = profile::of(&role).map(|profile| profile.kind);
        let likely = kind.zip(agents.card_of(&role)).map(|(kind, card)| estimate::of(kind, &card));
        let entry = paid.entry(agent.name());
        let entry = entry.or_insert_with(|| Paid { what: agent.describe(), roles: Vec::new() });
        entry.roles.push((role, likely.unwrap_or_default()));
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
