//! Makes the rules of a run: the configuration with what was typed, the budget, the deadlines.

use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::Config;
use redraft_engine::ports::{Deadlines, Store};
use redraft_engine::{Finish, Rules};
use redraft_facts::event::{Certify, Event};
use redraft_facts::ids::Role;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::Usd;
use redraft_frame::args::RunArgs;
use redraft_frame::conventions;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::profiles;
use redraft_frame::repository_context::RepositoryContext;
use std::collections::BTreeMap;

/// What redraft.toml says, with every role played by `--agent`.
pub(crate) fn config(
    repo: &RepositoryContext,
    args: &RunArgs,
    process: &ProcessContext,
) -> Result<Config, CliError> {
    played(repo.config(process)?, args)
}

/// The same for a configuration from elsewhere.
pub(crate) fn played(config: Config, args: &RunArgs) -> Result<Config, CliError> {
    let Some(name) = &args.agent else { return Ok(config) };
    config.played_by(name).map_err(|unknown| {
        let error = CliError::usage(unknown.to_string());
        match unknown.near {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => {
                error.hint(format!("to add it: redraft config set agents.{name}.kind KIND, and its model"))
            }
        }
    })
}

pub(crate) fn rules(
    repo: &RepositoryContext,
    config: &Config,
    args: &RunArgs,
    process: &ProcessContext,
) -> Result<Rules, CliError> {
    rules_with(RepositoryTexts::of_the_checkout(repo)?, config, args, process)
}

/// What the repository says to roles.
#[derive(Clone)]
pub(crate) struct RepositoryTexts {
    pub(crate) profiles: BTreeMap<Role, String>,
    pub(crate) conventions: Vec<(String, String)>,
}

impl RepositoryTexts {
    fn of_the_checkout(repo: &RepositoryContext) -> Result<RepositoryTexts, CliError> {
        Ok(RepositoryTexts { profiles: profiles::read(repo)?, conventions: conventions::read(repo) })
    }

    pub(crate) fn at(repo: &RepositoryContext, commit: &str) -> Result<RepositoryTexts, CliError> {
        let (profiles, conventions) = (profiles::read_at(repo, commit)?, conventions::read_at(repo, commit)?);
        Ok(RepositoryTexts { profiles, conventions })
    }
}

/// The same with texts from elsewhere.
pub(crate) fn rules_with(
    texts: RepositoryTexts,
    config: &Config,
    args: &RunArgs,
    process: &ProcessContext,
) -> Result<Rules, CliError> {
    let unknown = |error: redraft_facts::ids::BadId| CliError::usage(error.to_string());
    let policy = match &args.policy {
        Some(word) => word.parse().map_err(unknown)?,
        None => config.policy,
    };
    let knowledge = match &args.knowledge {
        Some(word) => word.parse().map_err(unknown)?,
        None => config.knowledge,
    };
    let certify = match args.certify.as_deref() {
        None => config.certify,
        Some(word) => Certify::ALL
            .into_iter()
            .find(|certify| certify.name() == word)
            .ok_or_else(|| CliError::usage(format!("`{word}` is not one of resume, fresh, off")))?,
    };
    let budget = budget(args.budget.as_deref(), config)?;
    Ok(Rules {
        limits: config.limits,
        threshold: config.threshold,
        certify,
        policy,
        knowledge,
        config: config.hash.clone(),
        deadlines: deadlines(config.dispatch_minutes * 60_000),
        budget,
        person: process.user.clone(),
        revises: true,
        lint: config.lint.clone(),
        checks: config.checks.clone(),
        tells_checks: config.is_accepted(),
        extras: config.extras.clone(),
        jobs: args.jobs.filter(|_| !args.all).unwrap_or(config.jobs),
        asks_first: !args.yes,
        asks_after: config.asks_after.clone(),
        finish: Finish {
            docs: config.finish.docs,
            retro: config.finish.retro,
            setup: config.workspace.setup.clone(),
        },
        until: args.until.as_deref().map(str::parse).transpose().map_err(unknown)?,
        profiles: texts.profiles,
        project: None,
        conventions: texts.conventions,
    })
}

/// What was typed, else what the file says.
pub(crate) fn budget(typed: Option<&str>, config: &Config) -> Result<Usd, CliError> {
    typed.map_or(Ok(config.budget), budget_typed)
}

pub(crate) fn budget_typed(word: &str) -> Result<Usd, CliError> {
    let wrong = || {
        let message = format!("`{word}` is not a budget: dollars from 0 to 1,000,000 are accepted");
        CliError::usage(message).hint("write it as 5 or 2.50")
    };
    dollars(word).ok_or_else(wrong)
}

/// The total is the user's; the parts of it are what a healthy agent never exceeds.
pub(crate) fn deadlines(total_ms: u64) -> Deadlines {
    let at_most = |ms: u64| ms.min(total_ms);
    Deadlines {
        connect_ms: at_most(10_000),
        first_byte_ms: at_most(120_000),
        idle_ms: at_most(300_000),
        total_ms,
    }
}

/// The budget an earlier run was given for the feature.
pub(crate) fn kept_budget(ledger: &Ledger, scope: Scope) -> Result<Option<Usd>, CliError> {
    let entries = ledger.read(scope)?;
    Ok(entries.into_iter().rev().find_map(|entry| match entry.event {
        Event::BudgetSet(set) => Some(set.limit),
        _ => None,
    }))
}

/// Dollars as typed, `5` or `2.50`.
pub(crate) fn dollars(word: &str) -> Option<Usd> {
    let amount: f64 = word.trim_start_matches('$').parse().ok()?;
    (amount.is_finite() && (0.0..=1_000_000.0).contains(&amount))
        .then(|| Usd((amount * 1_000_000.0).round() as u64))
}
