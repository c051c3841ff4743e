//! `redraft show pull-request`: prints the text for a pull request of a feature.

use redraft_core::attribution::RoleAttribution;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Store as _;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_frame::args::PullRequestArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::trace_inputs::TraceInputs;
use redraft_reports::claims::{NothingLookedUp, VerifiedClaim, claims, nothing_looked_up};
use redraft_reports::{decisions, projections};
use serde::Serialize;

#[derive(Serialize)]
struct PullRequestJson<'a> {
    v: u16,
    feature: String,
    branch: String,
    base: String,
    title: String,
    /// Without the title.
    body: String,
    /// Whether it has come to its end; where not, the body says what is left.
    finished: bool,
    merged: bool,
    /// Who gave the verdicts that stand.
    judged_by: Vec<RoleAttribution>,
    rehearsed: bool,
    /// What reviewers looked up; first what they left to a person.
    verified: Vec<VerifiedClaim<'a>>,
    /// The reviewers that looked up nothing, as far as they say.
    nothing_looked_up: Vec<NothingLookedUp<'a>>,
}

pub fn pull_request(
    args: PullRequestArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let none =
        || CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"");
    let ledger = repo.reader()?.ok_or_else(none)?;
    let id = repo.feature(&ledger, args.feature.as_deref())?;
    let entries = ledger.read(Scope::Feature(id))?;
    let state = Pipeline::replay(&entries);
    let state = state.map_err(|rejected| CliError::new(ErrorCode::Config, rejected.to_string()))?;
    let trace = TraceInputs::of_feature(&repo, &ledger, id)?.matrix();
    let said = decisions::resolutions(&Scope::Feature(id), &entries);
    let text = projections::pull_request(&entries, &state, &trace, &said);
    let (_, body) = text.split_once('\n').unwrap_or((&text, ""));
    let created = state.created.as_ref();
    let json = PullRequestJson {
        v: 1,
        feature: id.to_string(),
        branch: created.map(|created| created.branch.clone()).unwrap_or_default(),
        base: created.map(|created| created.base_branch.clone()).unwrap_or_default(),
        title: projections::pull_request_title(&state),
        body: body.trim_start().to_owned(),
        finished: state.is_over(Phase::Finish) && !state.cancelled,
        merged: state.merged.is_some(),
        judged_by: state.judged_by(),
        rehearsed: state.is_rehearsed(),
        verified: claims(&entries, &state),
        nothing_looked_up: nothing_looked_up(&entries, &state),
    };
    console.show(text.trim_end(), &json);
    Ok(ErrorCode::Done)
}
