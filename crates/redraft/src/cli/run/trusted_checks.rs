//! Requires that a person has accepted the project's checks before a run comes to code.

use redraft_agents::config::Config;
use redraft_core::pipeline::Pipeline;
use redraft_facts::phase::Phase;
use redraft_frame::args::RunArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;

/// Requires that a person has accepted the project's checks before this run comes to code. Nothing has been sent yet.
pub(crate) fn require_trusted_checks(
    state: &Pipeline,
    repo: &RepositoryContext,
    config: &Config,
    args: &RunArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let (Some(created), Some(_)) = (&state.created, state.phase()) else { return Ok(()) };
    // An unreadable value was refused before.
    let rests = args.until.as_deref().and_then(|word| word.parse().ok()).unwrap_or(created.until);
    let left = state.phases().any(|phase| phase >= Phase::Implement && !state.is_over(phase));
    if !left || rests.min(created.until) < Phase::Implement {
        return Ok(());
    }
    if config.checks.is_empty() {
        console.say(
            "redraft.toml has no [checks], so nothing is run to see whether the code works: redraft init looks for \
                commands that show it; or add one, such as test = \"make test\"",
        );
    }
    let id = created.id;
    redraft_frame::trust::require_for_checks(repo, config, &format!("redraft run {id}"), process).map_err(
        |error| {
            error.hint(format!(
                "documents can be written without checks: redraft run {id} --until create-tasks"
            ))
        },
    )
}
