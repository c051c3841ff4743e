//! Which flags can change a feature that has begun (its lane and its end), and which settings they cannot change.

use super::with_host;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::Loop;
use redraft_engine::Run;
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::{Lane, Phase};
use redraft_frame::args::RunArgs;
use redraft_frame::errors::{CliError, ErrorCode};

/// Takes another lane, or moves the feature's end, where that was asked for.
pub(super) fn set_lane(run: &mut Run<'_>, args: &RunArgs) -> Result<(), CliError> {
    let unknown = |error: redraft_facts::ids::BadId| CliError::usage(error.to_string());
    let Some(created) = &run.state().created else { return Ok(()) };
    let lane: Lane = args.lane.as_deref().map_or(Ok(created.lane), str::parse).map_err(unknown)?;
    let asked: Option<Phase> = args.until.as_deref().map(str::parse).transpose().map_err(unknown)?;
    // An end that was chosen stays; the usual one is the lane's.
    let chosen = created.until != created.lane.last() && lane.phases().contains(&created.until);
    let mut until = if lane == created.lane || chosen { created.until } else { lane.last() };
    if let Some(phase) = asked.filter(|phase| *phase > until || lane != created.lane) {
        if !lane.phases().contains(&phase) {
            let error = CliError::usage(format!("lane {lane} has no phase {phase}"));
            return Err(error.hint("choose another lane as well: --lane standard"));
        }
        until = phase;
    }
    if (lane, until) == (created.lane, created.until) {
        return Ok(());
    }
    let judged = run.state().past.iter().chain(&run.state().open).any(Loop::judges_document);
    if judged && !lane.reviews() {
        let error = CliError::usage(format!(
            "reviewers have begun to read this feature, so it cannot switch to lane {lane}"
        ));
        return Err(error.hint("to accept what is open: redraft decide"));
    }
    let why = match &args.lane {
        Some(_) => format!("run --lane {lane}"),
        None => format!("run --until {until}"),
    };
    let id = created.id;
    // What came back meanwhile is concluded first: a lane changes only while no dispatch is open.
    if let Some((ticket, expires_ms)) = run.finish_open_dispatches()?.first() {
        return Err(CliError::new(ErrorCode::Held, with_host(ticket, *expires_ms)).hint(format!(
            "wait for it, or take it back with redraft run {id} --now and then run this again"
        )));
    }
    Ok(run.set_lane(lane, until, why)?)
}

/// A loop keeps the rules it was opened with; a flag that says otherwise applies to the next one.
pub(super) fn kept_rules(state: &Pipeline, args: &RunArgs, id: FeatureId) -> Vec<String> {
    let Some(open) = &state.open else { return Vec::new() };
    let (phase, pass) = (open.opened.phase, open.opened.pass);
    let flags = [
        ("policy", &args.policy, open.opened.policy.name()),
        ("knowledge", &args.knowledge, open.opened.knowledge.name()),
        ("certify", &args.certify, open.opened.certify.name()),
    ];
    let ignored = flags.into_iter().filter_map(|(flag, word, kept)| {
        let word = word.as_deref().filter(|word| *word != kept)?;
        Some(format!(
            "pass {pass} of {phase} was opened with {flag} {kept} and keeps it; --{flag} {word} applies to a new \
                pass (redraft decide {id} rerun, when a question is open)"
        ))
    });
    ignored.collect()
}
