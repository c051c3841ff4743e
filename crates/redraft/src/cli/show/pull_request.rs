//! `redraft show pull-request`: the text for a pull request of a feature.

use redraft_core::pipeline::Pipeline;
use redraft_core::players::PlayedBy;
use redraft_engine::ports::Store as _;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_frame::args::PullRequestArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, Code};
use redraft_frame::gather::Gathered;
use redraft_frame::site::{Site, Surroundings};
use redraft_reports::{decisions, project};
use serde::Serialize;

#[derive(Serialize)]
struct PullRequestJson {
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
    judged_by: Vec<PlayedBy>,
    rehearsed: bool,
}

pub(crate) fn pull_request(
    args: PullRequestArgs,
    around: &Surroundings,
    console: &Console,
) -> Result<Code, CliError> {
    let site = Site::find(&around.folder)?;
    let none =
        || CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"");
    let ledger = site.reader()?.ok_or_else(none)?;
    let id = site.feature(&ledger, args.feature.as_deref())?;
    let entries = ledger.read(Scope::Feature(id))?;
    let state = Pipeline::replay(&entries);
    let state = state.map_err(|rejected| CliError::new(Code::Config, rejected.to_string()))?;
    let trace = Gathered::of_feature(&site, &ledger, id)?.matrix();
    let said = decisions::resolutions(&Scope::Feature(id), &entries);
    let text = project::pull_request(&entries, &state, &trace, &said);
    let (_, body) = text.split_once('\n').unwrap_or((&text, ""));
    let created = state.created.as_ref();
    let json = PullRequestJson {
        v: 1,
        feature: id.to_string(),
        branch: created.map(|created| created.branch.clone()).unwrap_or_default(),
        base: created.map(|created| created.base_branch.clone()).unwrap_or_default(),
        title: project::pull_request_title(&state),
        body: body.trim_start().to_owned(),
        finished: state.is_over(Phase::Finish) && !state.cancelled,
        merged: state.merged.is_some(),
        judged_by: state.judged_by(),
        rehearsed: state.is_rehearsed(),
    };
    console.show(text.trim_end(), &json);
    Ok(Code::Done)
}
