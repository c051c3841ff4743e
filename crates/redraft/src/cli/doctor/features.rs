//! Stores the result of a probe in the features that use the agent, so that their files say so before they go on.
//!
//! A feature that another process drives is left to that process, which looks for itself before its next dispatch.

use super::machine::Place;
use super::report::AgentReport;
use redraft_engine::{Journal, write_projections};
use redraft_facts::ids::{AgentName, FeatureId};
use redraft_facts::probed::{AgentsMet, MetAgent, Resume};
use redraft_facts::ticket::Scope;
use redraft_frame::console::Console;
use redraft_frame::errors::CliError;
use redraft_frame::prepare::hold_place;
use redraft_frame::process_context::ProcessContext;

/// Stores it in every feature that can go on and uses the agent, and rewrites those features' files.
pub(super) fn tell(
    report: &AgentReport,
    place: &Place,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    if report.probed_at_ms.is_none() {
        return Ok(());
    }
    let agent = AgentName::new(report.name.clone());
    let (version, resume, why) = (report.version.clone(), report.resume, report.why.clone());
    let met = MetAgent { agent, version, resume, why };
    for id in place.repo.features(&place.ledger)? {
        if news(id, &met, place, process)?.is_some() {
            tell_one(id, &met, place, process, console)?;
        }
    }
    Ok(())
}

fn tell_one(
    id: FeatureId,
    met: &MetAgent,
    place: &Place,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let Place { repo, ledger, .. } = place;
    let created = repo.created(ledger, id)?;
    let locks =
        repo.lock(&id.to_string(), process).and_then(|lock| Ok((lock, hold_place(repo, &created, process)?)));
    let Ok(_locks) = locks else {
        console.say(&format!(
            "feature {id} has a run under way; that run records what was found about {}",
            met.agent
        ));
        return Ok(());
    };
    // It may have changed before its lock was ours.
    let Some((mut journal, event)) = news(id, met, place, process)? else { return Ok(()) };
    journal.record(event)?;
    if repo.is_there(&created)? {
        write_projections(&repo.workspace(&created)?, &journal, &process.boundaries)?;
    }
    Ok(())
}

/// The feature and what is new to it; none where it cannot go on, does not use the agent or knows it already.
fn news<'a>(
    id: FeatureId,
    met: &MetAgent,
    place: &'a Place,
    process: &'a ProcessContext,
) -> Result<Option<(Journal<'a>, AgentsMet)>, CliError> {
    let journal = process.journal(&place.ledger, Scope::Feature(id))?;
    let state = journal.state();
    if state.cancelled || state.phase().is_none() {
        return Ok(None);
    }
    let mut agents = state.met.clone();
    match agents.iter_mut().find(|known| known.agent == met.agent) {
        Some(known) => known.clone_from(met),
        // An agent it has not met yet is reported only if that changes how the feature is worked on.
        None if met.resume == Resume::No && plays(place, &met.agent) => agents.push(met.clone()),
        None => {}
    }
    agents.sort_by(|a, b| a.agent.cmp(&b.agent));
    let is_new = agents != state.met;
    Ok(is_new.then_some((journal, AgentsMet { agents })))
}

fn plays(place: &Place, agent: &AgentName) -> bool {
    redraft_roles::profile::roles().iter().any(|role| place.config.agent_of(role) == Some(agent))
}
