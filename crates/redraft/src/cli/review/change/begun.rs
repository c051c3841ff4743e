//! The review of a change that goes on, or a new one.

use super::super::begin::{newest, store};
use super::super::range::Range;
use redraft_adapters::shell_word::quoted;
use redraft_adapters::sqlite::{Ledger, new_feature_uuid};
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Store;
use redraft_facts::event::{FeatureCreated, ReviewedChange};
use redraft_facts::ids::{FeatureId, slug};
use redraft_facts::phase::{Lane, Phase};
use redraft_frame::args::ReviewArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;

/// The review of this change that goes on, or a new one.
pub(super) fn begun(
    repo: &RepositoryContext,
    ledger: &Ledger,
    range: &Range,
    lane: Option<Lane>,
    args: &ReviewArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<FeatureCreated, CliError> {
    let _lock = repo.lock_repository(process, console)?;
    let same = |created: &FeatureCreated| created.change.as_ref().is_some_and(|change| range.is(change));
    let (known, id) = newest(ledger, &same)?;
    let another =
        known.as_ref().filter(|_| !args.again).map(|known| is_another(ledger, known, range)).transpose()?;
    if another == Some(true) {
        console.say(&format!(
            "{} has moved but the files of {} have not, so the change is a different one; it is reviewed from the \
                start",
            range.base, range.name
        ));
    }
    let documents = range.documents(repo, args.change.feature.as_deref())?;
    if let Some(known) = known.filter(|_| !args.again && another != Some(true)) {
        let other = |what: &str, was: &str| {
            CliError::usage(format!("{} was begun {what} {was}, and this cannot be changed", known.scope()))
                .hint(format!("to start over: {} --again", typed(repo, &known, args)))
        };
        if lane.is_some_and(|lane| lane != known.lane) {
            return Err(other("in lane", known.lane.name()));
        }
        let held = known.change.as_ref().and_then(|change| change.documents.as_deref());
        if args.change.feature.is_some() && documents.as_deref() != held {
            return Err(other("with the documents of", held.unwrap_or("no feature")));
        }
        if lane.is_none() && known.lane != Lane::Standard {
            console.say(&format!(
                "{} was begun in lane {}, and stays in it",
                known.scope(),
                known.lane.name()
            ));
        }
        return Ok(known);
    }
    let change = ReviewedChange { head: range.name.clone(), base: range.base.clone(), documents };
    let created = FeatureCreated {
        id: FeatureId(id.0),
        uuid: new_feature_uuid(),
        slug: slug(&range.name),
        idea: format!("Review {change}"),
        lane: lane.unwrap_or(Lane::Standard),
        base_branch: range.base.clone(),
        base_commit: range.merge_base.clone(),
        branch: String::new(),
        prd: None,
        in_place: false,
        until: Phase::Implement,
        lane_reason: String::new(),
        project: None,
        depends_on: Vec::new(),
        document: None,
        brainstorm_source: None,
        ask_after: Vec::new(),
        change: Some(change),
    };
    store(ledger, &created, process)?;
    Ok(created)
}

/// Whether what is compared now is the tree that a review knows, but with another base: an approval is about both.
fn is_another(ledger: &Ledger, known: &FeatureCreated, range: &Range) -> Result<bool, CliError> {
    let entries = ledger.read(known.scope())?;
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    let open = state.open.as_ref();
    Ok(open.is_some_and(|open| open.revision.as_ref() == Some(&range.to) && open.base() != Some(&range.from)))
}

/// The command that goes on with the same review.
pub(super) fn typed(repo: &RepositoryContext, created: &FeatureCreated, args: &ReviewArgs) -> String {
    let Some(change) = &created.change else { return "redraft review".to_owned() };
    let mut command = repo.reviewing_change(change);
    let here = repo.repository.head().ok().and_then(|head| head.branch);
    if args.change.head.is_none() && here.as_deref() == Some(change.head.as_str()) {
        let base = quoted(&change.base);
        command = format!("redraft review --base {base}");
    }
    for (flag, on) in [("--uncommitted", args.change.uncommitted), ("--checks", args.change.checks)] {
        if on {
            command.push_str(&format!(" {flag}"));
        }
    }
    command
}
