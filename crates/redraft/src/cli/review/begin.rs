//! Decides which review a call goes on with, and what kind of document it judges. One document has one review at a
//! time, which keeps the kind it was last judged as.

use super::document::Document;
use super::typed;
use redraft_adapters::sqlite::{Ledger, new_feature_uuid};
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{CommitRefused, Store as _, WorkspaceError};
use redraft_facts::event::FeatureCreated;
use redraft_facts::ids::{FeatureId, ReviewId, slug};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::redact::Typed;
use redraft_facts::ticket::Scope;
use redraft_frame::args::{DocumentKind, ReviewArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use std::path::Path;

/// What the document will be judged as; nothing is stored to find that out.
pub(super) fn phase_of(
    repo: &RepositoryContext,
    args: &ReviewArgs,
    document: &Document,
) -> Result<Phase, CliError> {
    let known = match repo.reader()? {
        Some(ledger) => newest(&ledger, &|created| document.is_of(created))?.0,
        None => None,
    };
    Ok(judged_by(args, known.as_ref(), document))
}

/// What was typed, else what it was judged as before, else what its name says.
fn judged_by(args: &ReviewArgs, known: Option<&FeatureCreated>, document: &Document) -> Phase {
    let phase = args.kind.map(phase_for).or(known.map(|known| known.until));
    phase.unwrap_or_else(|| by_name(&document.path))
}

/// The review of this document that goes on, or a new one.
pub(super) fn begun(
    repo: &RepositoryContext,
    ledger: &Ledger,
    args: &ReviewArgs,
    document: &Document,
    process: &ProcessContext,
    console: &Console,
) -> Result<FeatureCreated, CliError> {
    let _lock = repo.lock_repository(process, console)?;
    let (known, id) = newest(ledger, &|created| document.is_of(created))?;
    // The kind it was judged as is kept, even by a review that starts over.
    let phase = judged_by(args, known.as_ref(), document);
    if let Some(known) = known.filter(|_| !args.again) {
        return Ok(known);
    }
    if !repo.repository.has_identity()? {
        return Err(WorkspaceError::Commit(CommitRefused::NoIdentity).into());
    }
    let head = repo.repository.head()?;
    let stem = Path::new(&document.path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let slug = slug(stem);
    let created = FeatureCreated {
        id: FeatureId(id.0),
        uuid: new_feature_uuid(),
        idea: format!("Review {}", document.path),
        lane: Lane::Standard,
        base_branch: head.branch.unwrap_or_default(),
        base_commit: head.commit,
        branch: repo.repository.review_place(id, &slug)?.branch,
        slug,
        prd: None,
        in_place: false,
        until: phase,
        lane_reason: String::new(),
        project: None,
        depends_on: Vec::new(),
        document: Some(document.path.clone()),
        brainstorm_source: None,
        ask_after: Vec::new(),
        change: None,
    };
    store(ledger, &created, process)?;
    Ok(created)
}

/// The newest review of the same document or change, and the number that the next one gets.
pub(super) fn newest(
    ledger: &Ledger,
    same: &dyn Fn(&FeatureCreated) -> bool,
) -> Result<(Option<FeatureCreated>, ReviewId), CliError> {
    let mut last = 0;
    let (mut known, mut newest) = (None, ReviewId(0));
    for scope in ledger.scopes()? {
        let Scope::Review(id) = scope else { continue };
        last = last.max(id.number());
        let entries = ledger.read(Scope::Review(id))?;
        let state = Pipeline::replay(&entries)
            .map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
        let found = state.created.filter(|created| same(created) && !state.cancelled && id > newest);
        if found.is_some() {
            (known, newest) = (found, id);
        }
    }
    Ok((known, ReviewId(last + 1)))
}

/// Stores that a review begins.
pub(super) fn store(
    ledger: &Ledger,
    created: &FeatureCreated,
    process: &ProcessContext,
) -> Result<(), CliError> {
    process.journal(ledger, created.scope())?.record(created.clone())?;
    Ok(())
}

/// Sets what the document is judged as, and changes the kind where that was asked for: then another reviewer reads it
/// from the beginning, and the kind is kept.
pub(super) fn judged_as(
    ledger: &Ledger,
    created: FeatureCreated,
    args: &ReviewArgs,
    document: &Document,
    process: &ProcessContext,
    console: &Console,
) -> Result<FeatureCreated, CliError> {
    let mut journal = process.journal(ledger, created.scope())?;
    let created = journal.state().created.clone().unwrap_or(created);
    let asked = args.kind.map(phase_for);
    let phase = asked.unwrap_or(created.until);
    let why = match asked {
        Some(_) => "as you said",
        None if phase == by_name(&document.path) => "because of its name; --as changes that",
        None => "like last time; --as changes that",
    };
    console.say(&format!("{} is reviewed as {}, {why}", document.path, kind_of(phase)));
    if phase == created.until {
        return Ok(created);
    }
    let why = Typed::from(format!("review --as {}", kind_of(phase)));
    if !journal.set_lane(created.lane, phase, &process.user, &why)? {
        let error = CliError::usage(format!("the last review of {} is not over", document.path));
        return Err(error.hint(format!("let it end first: {}", typed(args))));
    }
    Ok(journal.state().created.clone().unwrap_or(created))
}

/// What `--as` calls a document of this phase.
pub(crate) fn kind_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Specify => "spec",
        Phase::Design => "design",
        Phase::CreatePlan => "plan",
        Phase::CreateTasks => "tasks",
        Phase::Implement => "code",
        Phase::Finish => "retro",
        Phase::Document => "document",
    }
}

fn phase_for(kind: DocumentKind) -> Phase {
    match kind {
        DocumentKind::Spec => Phase::Specify,
        DocumentKind::Design => Phase::Design,
        DocumentKind::Plan => Phase::CreatePlan,
        DocumentKind::Tasks => Phase::CreateTasks,
        DocumentKind::Document => Phase::Document,
    }
}

fn by_name(path: &str) -> Phase {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    Phase::ALL.into_iter().find(|phase| phase.artifact() == name).unwrap_or(Phase::Document)
}
