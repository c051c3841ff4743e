//! Asks before an agent that costs money is first used for a feature: which agent, what it is likely to cost, and the
//! most it can cost.
//!
//! The likely cost is an estimate and says so; the limit is the budget. That a person agreed is stored in the user's
//! own files: a ledger in which an agent was paid before may be somebody else's.

use crate::agent_registry::AgentRegistry;
use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_adapters::lock::Lock;
use redraft_core::pipeline::Pipeline;
use redraft_cost::price::UNLIMITED_ANSWER_TOKENS;
use redraft_engine::Estimating;
use redraft_facts::event::FeatureCreated;
use redraft_facts::forecast::{Forecast, RoleForecast};
use redraft_facts::ids::AgentName;
use redraft_facts::text::count;
use redraft_facts::usage::{Usd, grouped};
use redraft_reports::estimate;
use redraft_reports::question::QuestionForm;
use std::collections::BTreeSet;

/// What is asked about.
pub struct ConsentSubject<'a> {
    pub repo: &'a RepositoryContext,
    pub created: &'a FeatureCreated,
    pub command: &'a str,
    /// Says to whoever looks that a person is asked.
    pub lock: &'a Lock,
    /// Whether a person agreed when typing the command.
    pub yes: bool,
}

/// Whether a person agrees, or agreed before to every agent that costs money.
pub fn given(
    asked: &ConsentSubject<'_>,
    estimating: Estimating<'_>,
    agents: &AgentRegistry<'_>,
    process: &ProcessContext,
    console: &Console,
) -> Result<bool, CliError> {
    let ConsentSubject { repo, created, command, lock, yes } = *asked;
    let entries = estimating.store.read(created.scope())?;
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    let expected = estimating.forecast(&state)?;
    let (place, scope) = (repo.repository.known_as(), created.scope().to_string());
    let paid: BTreeSet<&str> = expected.roles.iter().map(|one| one.agent.as_str()).collect();
    let paid: Vec<&str> = paid.into_iter().collect();
    let agree = || process.trust.agree_to_pay(place, &scope, &paid);
    if yes {
        agree()?;
        return Ok(true);
    }
    if process.trust.may_pay(place, &scope, &paid)? {
        return Ok(true);
    }
    let (likely, budget) = (expected.cost(), estimating.rules.budget);
    let why = told(&expected, agents, budget, console.verbose);
    if console.can_ask() {
        // The question comes last, so that it is seen also where the rest has scrolled away.
        console.say_before_asking(&why);
        let form = QuestionForm::yes_or_no(
            "May this money be spent?",
            Vec::new(),
            "work is sent, within that budget",
            "nothing is sent",
        );
        let asking = lock.asking();
        let agreed = console.agrees(&form, &process.clock);
        drop(asking);
        if agreed {
            agree()?;
        }
        return Ok(agreed);
    }
    console.say(&why);
    let message = format!(
        "nobody has agreed to spend money on this feature yet: about {likely} is expected, at most {budget} in total"
    );
    Err(CliError::new(ErrorCode::Waiting, message)
        .hint(format!("to agree: {command} --yes (and --budget USD for another limit)")))
}

/// The text before the question: a line for each agent, and for each role only where a person wants all of them.
fn told(expected: &Forecast, agents: &AgentRegistry<'_>, budget: Usd, every_role: bool) -> String {
    let mut text = "these agents cost money:\n".to_owned();
    let names: BTreeSet<&AgentName> = expected.roles.iter().map(|one| &one.agent).collect();
    for name in names {
        let roles: Vec<&RoleForecast> = expected.roles.iter().filter(|one| one.agent == *name).collect();
        let what = agents.named(name).map(|agent| agent.describe()).unwrap_or_default();
        // Programs are mostly called by their own name.
        let what = if what.starts_with(name.as_str()) { what } else { format!("{name}, {what}") };
        let cost = roles.iter().fold(Usd(0), |sum, one| sum + one.cost);
        let dispatches = roles.iter().map(|one| one.dispatches as usize).sum();
        let (number, dispatches) = (count(roles.len(), "role"), count(dispatches, "dispatch"));
        text.push_str(&format!("  {what}: {number}, about {cost} for {dispatches}\n"));
        for RoleForecast { role, dispatches, cost, features, .. } in roles.iter().filter(|_| every_role) {
            let dispatches = count(*dispatches as usize, "dispatch");
            let from = match features {
                0 => String::new(),
                some => format!(", from {}", count(*some as usize, "earlier feature")),
            };
            text.push_str(&format!("    {role}: about {cost} for {dispatches}{from}\n"));
        }
        let beyond = agents.named(name).map(|agent| agent.beyond()).unwrap_or_default();
        if beyond > Usd(0) {
            let tokens = grouped(UNLIMITED_ANSWER_TOKENS);
            text.push_str(&format!(
                "  agent {name}: its answers have no limit; one of more than {tokens} tokens can exceed the budget \
                    by at most {beyond}\n"
            ));
        }
    }
    text.push_str(&format!("expected: {}\n", expected.in_a_line()));
    text.push_str(&format!("  an estimate {}\n", estimate::basis(expected)));
    text.push_str(&format!(
        "budget: at most {budget} for the whole feature; no request is sent that could exceed it"
    ));
    if let Some(shortage) = expected.shortage() {
        text.push_str(&format!("\n{shortage}"));
    }
    text
}
