//! `redraft phase`: leaves a phase out, or goes back to one. Both are a person's decision, kept with its reason.

use super::comment;
use super::refold::write_feature;
use super::run::with_host;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Clock;
use redraft_facts::ids::{FeatureId, FindingId};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_frame::args::{PhaseArgs, PhaseCommand};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_views::board::next_after;
use serde::Serialize;

#[derive(Serialize)]
struct PhaseJson {
    v: u16,
    feature: String,
    phase: &'static str,
    done: &'static str,
    /// Comments on a phase that is skipped: nobody works on them any more.
    unmet: Vec<FindingId>,
    next: String,
}

pub(crate) fn phase(
    command: PhaseCommand,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let (done, args) = match command {
        PhaseCommand::Skip(args) => ("skipped", args),
        PhaseCommand::Back(args) => ("went back", args),
    };
    let repo = process.repository()?;
    let ledger = repo.writer()?;
    let (feature, phase) = split(&args)?;
    let id = repo.feature(&ledger, feature)?;
    repo.refuse_cleaned(id)?;
    if args.why.is_empty() {
        return Err(CliError::usage("the reason is empty").hint("say why: --why \"…\""));
    }
    let _lock = repo.lock(&id.to_string(), process)?;
    let mut journal = process.journal(&ledger, Scope::Feature(id))?;
    // What was said while another process had the feature is counted with the rest.
    comment::take(&repo, &mut journal, process)?;
    if let Some(error) = at_work(journal.state(), id, process.clock.now_ms()) {
        return Err(error);
    }
    let skips = done == "skipped";
    let said = journal.state().open_comments().into_iter().filter(|(of, _)| skips && *of == phase);
    let unmet: Vec<FindingId> = said.map(|(_, finding)| finding).collect();
    let allowed = match done {
        "skipped" => journal.skip_phase(phase, &process.user, &args.why)?,
        _ => journal.go_back(phase, &process.user, &args.why)?,
    };
    if !allowed {
        return Err(refused(done, id, phase, journal.state()));
    }
    write_feature(&repo, &journal, process);
    let next = next_after(&repo, &ledger, id, process)?;
    let text = match done {
        "skipped" => format!("feature {id}: {phase} is skipped{}\nnext: {next}", left(id, phase, &unmet)),
        _ => {
            let what = if phase == Phase::Implement { "the code" } else { phase.artifact() };
            format!("feature {id}: back at {phase}; edit {what} now if you want to change it\nnext: {next}")
        }
    };
    console.show(&text, &PhaseJson { v: 1, feature: id.to_string(), phase: phase.name(), done, unmet, next });
    Ok(ErrorCode::Done)
}

/// What becomes of the comments on a phase that is skipped.
fn left(id: FeatureId, phase: Phase, unmet: &[FindingId]) -> String {
    if unmet.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = unmet.iter().map(FindingId::as_str).collect();
    format!(
        "\nthese comments stay open: {}; a skipped phase is not worked on. To have them handled: redraft phase back {id} \
         {phase} --why \"…\", or comment on another phase: redraft comment {id} --phase PHASE \"…\"",
        names.join(", ")
    )
}

/// The error where a host is at work, or what a killed run left is not settled yet.
fn at_work(state: &Pipeline, id: FeatureId, now_ms: i64) -> Option<CliError> {
    let open = state.open.as_ref()?;
    if let Some(out) = open.handed_out().find(|out| out.expires_ms > now_ms) {
        let held = CliError::new(ErrorCode::Held, with_host(&out.ticket, out.expires_ms));
        return Some(held.hint(format!("wait for it, or take it back: redraft run {id} --now")));
    }
    let (_, flight) = open.flights().next()?;
    let message = format!("{} is not over yet", flight.started.ticket);
    Some(CliError::new(ErrorCode::Held, message).hint(format!("let it end first: redraft run {id}")))
}

/// `[FEATURE] PHASE`.
fn split(args: &PhaseArgs) -> Result<(Option<&str>, Phase), CliError> {
    let (feature, phase) = match args.words.as_slice() {
        [feature, phase] => (Some(feature.as_str()), phase),
        [phase] => (None, phase),
        _ => return Err(CliError::usage("a phase is missing")),
    };
    let phase =
        phase.parse().map_err(|error: redraft_facts::ids::BadId| CliError::usage(error.to_string()))?;
    Ok((feature, phase))
}

fn refused(done: &str, id: FeatureId, phase: Phase, state: &Pipeline) -> CliError {
    let stands = match state.phase() {
        Some(at) => format!("it is at {at}"),
        None => "all its phases are over".to_owned(),
    };
    if state.cancelled {
        return CliError::usage(format!("feature {id} was abandoned"));
    }
    if let Some(merged) = &state.merged {
        let message = format!("feature {id} is merged into {}, so its phases stay as they are", merged.into);
        return CliError::usage(message).hint("begin another feature: redraft new \"your idea\"");
    }
    match done {
        "skipped" if phase == Phase::Specify => {
            CliError::usage("specify cannot be skipped: everything builds on it")
                .hint("for a small change use lane express, in which only the code has a reviewer")
        }
        "skipped" => CliError::usage(format!("only the next phase of feature {id} can be skipped; {stands}")),
        _ => CliError::usage(format!(
            "feature {id} cannot go back to {phase}, because that phase is not over; \
            {stands}"
        )),
    }
}
