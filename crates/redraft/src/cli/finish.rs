//! `redraft finish`: drives the last phase by itself, and merges.
//!
//! Everything up to the branch that is ready is what `redraft run` does; see [`super::run`]. Who may merge when is decided
//! in `run::merge`; here only a feature that has not come so far is refused, or its earlier phases are agreed to.

use super::run;
use redraft_adapters::lock::Lock;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Store as _;
use redraft_engine::require_ledger_matches_branch;
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_frame::args::{FinishArgs, RunArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_reports::question::QuestionForm;

pub(crate) fn finish(
    args: FinishArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let Some(ledger) = repo.reader()? else {
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let id = repo.feature(&ledger, args.feature.as_deref())?;
    let entries = ledger.read(Scope::Feature(id))?;
    drop(ledger);
    let state = Pipeline::replay(&entries)
        .map_err(|rejected| CliError::new(ErrorCode::Config, rejected.to_string()))?;
    if state.cancelled {
        return Err(CliError::usage(format!("feature {id} was abandoned, so there is nothing to finish"))
            .hint("begin another: redraft new \"your idea\""));
    }
    let before = state.phases().find(|phase| *phase < Phase::Finish && !state.is_over(*phase));
    if let Some(phase) = before {
        let message = format!("feature {id} is still in {phase}, so it cannot be finished yet");
        return Err(match Lock::holder(&repo.state, &id.to_string()) {
            Some(holder) => CliError::new(ErrorCode::Held, format!("{message}; it is held by {holder}"))
                .hint(format!("wait until it has come so far; redraft watch {id} shows it"))
                .hint(format!("or stop it: redraft stop {id}; redraft run {id} continues it later")),
            None => CliError::usage(message).hint(format!("continue it: redraft run {id}")),
        });
    }
    // What is asked rests on this ledger.
    repo.require_own_state()?;
    if let Some(created) = &state.created
        && let Ok(workspace) = repo.workspace(created)
    {
        require_ledger_matches_branch(&workspace, created, &state, &entries)?;
    }
    if !agreed_to_earlier(id, &state, args.yes, process, console)? {
        return Ok(ErrorCode::Waiting);
    }
    let args = RunArgs {
        feature: Some(id.to_string()),
        yes: args.yes,
        budget: args.budget,
        agent: args.agent,
        until: Some(Phase::Finish.name().to_owned()),
        merge: args.merge,
        ..RunArgs::default()
    };
    run::drive_to(&repo, id, &args, process, console, run::RunKind::Finish)
}

/// Whether the phases may be carried out that lie between the one with which the feature was to end and the last one.
/// Nobody who types `finish` has asked for them yet, and they cost what a feature costs.
fn agreed_to_earlier(
    id: FeatureId,
    state: &Pipeline,
    yes: bool,
    process: &ProcessContext,
    console: &Console,
) -> Result<bool, CliError> {
    let Some(created) = &state.created else { return Ok(true) };
    let lane = created.lane.phases().iter();
    let earlier: Vec<&str> = lane
        .filter(|phase| **phase < Phase::Finish && !state.is_over(**phase) && !state.skipped.contains(*phase))
        .map(|phase| phase.name())
        .collect();
    let Some((last, others)) = earlier.split_last() else { return Ok(true) };
    let (all, come) = match others {
        [] => ((*last).to_owned(), "comes"),
        others => (format!("{} and {last}", others.join(", ")), "come"),
    };
    let ends = format!("feature {id} was to end with {}", created.until);
    let command = format!("redraft run {id} --until finish");
    if yes || !console.can_ask() {
        return Err(CliError::usage(format!("{ends}; {all} {come} before it can be finished"))
            .hint(format!("carry out everything to the end: {}", process.next(&command))));
    }
    let form = QuestionForm::yes_or_no(
        &format!("Carry out {all} as well, and then finish feature {id}?"),
        vec![format!("{ends}, so finishing it takes more than its last phase")],
        &format!("the same as {command}"),
        "nothing is begun, and nothing changes",
    );
    if console.agrees(&form, &process.clock) {
        return Ok(true);
    }
    console.say(&format!("nothing was begun\nnext: {}", process.next(&command)));
    Ok(false)
}
