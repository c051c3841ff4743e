//! Checks whether what an entry claims to be checked by really is a gate here.

use redraft_agents::config::Config;
use redraft_documents::bank::{Bank, CheckedBy, raised};
use redraft_documents::lint::{LintLevel, LintSettings};
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;

/// What checks an entry, and whether it blocks anything.
pub(super) struct Gate {
    /// `lint vague-word` or `check test`.
    pub(super) by: String,
    pub(super) is_gate: bool,
    pub(super) why: String,
}

/// For each entry.
pub(super) fn evaluate(
    bank: &Bank,
    repo: &RepositoryContext,
    process: &ProcessContext,
) -> Result<Vec<Vec<Gate>>, CliError> {
    if bank.entries.iter().all(|entry| entry.fields.checked_by.is_empty()) {
        return Ok(bank.entries.iter().map(|_| Vec::new()).collect());
    }
    let config = repo.config(process)?;
    let accepted = config.is_accepted();
    let settings = raised(&config.lint, bank);
    let gate = |by: &CheckedBy| {
        let (is_gate, why) = judged(by, &config, &settings, accepted);
        Gate { by: by.to_string(), is_gate, why }
    };
    Ok(bank.entries.iter().map(|entry| entry.fields.checked_by.iter().map(gate).collect()).collect())
}

fn judged(by: &CheckedBy, config: &Config, settings: &LintSettings, accepted: bool) -> (bool, String) {
    match (by, by.rule()) {
        (CheckedBy::Lint(name), None) => (false, format!("there is no lint rule `{name}`")),
        (_, Some(rule)) => match settings.level(rule) {
            LintLevel::Error => (true, format!("lint rule `{rule}` is an error here")),
            level => (false, format!("redraft.toml sets lint rule `{rule}` to {level}")),
        },
        (CheckedBy::Check(name), None) => match config.checks.iter().any(|check| check.name == *name) {
            true if accepted => (true, format!("check `{name}` runs before code is reviewed")),
            true => (false, format!("nobody has accepted the command of check `{name}`: redraft trust")),
            false => (false, format!("redraft.toml has no check `{name}`")),
        },
    }
}
