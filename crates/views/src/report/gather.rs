//! Gathers what a page is made from: the events, the documents as git has them, and the trace.

use crate::board::{Board, around_review};
use redraft_adapters::git::GitWorkspace;
use redraft_adapters::sqlite::Ledger;
use redraft_core::pipeline::Pipeline;
use redraft_documents::lint::ArtifactKind;
use redraft_engine::ports::{Clock, Store, Workspace};
use redraft_facts::event::{Entry, FeatureCreated};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::rows::{reviews, rows};
use redraft_frame::trace_inputs::TraceInputs;
use redraft_reports::matrix::Matrix;
use redraft_reports::pages::PageDocument;
use redraft_reports::standing::Surroundings;
use redraft_reports::view::Overview;
use std::collections::BTreeMap;

/// The same limit as for any document that is read to be shown.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

pub(crate) struct Gathered {
    pub(crate) overview: Overview,
    pub(crate) documents: Vec<PageDocument>,
    pub(crate) trace: Option<Matrix>,
}

pub(crate) fn gather(
    repo: &RepositoryContext,
    ledger: &Ledger,
    scope: &Scope,
    process: &ProcessContext,
) -> Result<Gathered, CliError> {
    gather_from(&ledger.read(scope.clone())?, repo, ledger, scope, process)
}

/// The same from events that were read before.
pub(crate) fn gather_from(
    entries: &[Entry],
    repo: &RepositoryContext,
    ledger: &Ledger,
    scope: &Scope,
    process: &ProcessContext,
) -> Result<Gathered, CliError> {
    let overview = overview_from(entries, repo, ledger, scope, process)?;
    let state = Pipeline::replay(entries).map_err(unfit)?;
    let Some(created) = state.created.clone() else {
        return Ok(Gathered { overview, documents: Vec::new(), trace: None });
    };
    let texts = texts(repo, ledger, &state, &created, process);
    let kind = |path: &str| ArtifactKind::ALL.into_iter().find(|kind| created.path_of(kind.file()) == path);
    let by_kind: BTreeMap<ArtifactKind, String> =
        texts.iter().filter_map(|document| Some((kind(&document.path)?, document.text.clone()))).collect();
    let trace = match scope {
        Scope::Feature(id) => Some(TraceInputs::of_texts(repo, ledger, *id, by_kind)?.matrix()),
        Scope::Review(_) | Scope::Agent(_) | Scope::Repo => None,
    };
    Ok(Gathered { overview, documents: texts, trace })
}

pub(crate) fn overview(
    repo: &RepositoryContext,
    ledger: &Ledger,
    scope: &Scope,
    process: &ProcessContext,
) -> Result<Overview, CliError> {
    overview_from(&ledger.read(scope.clone())?, repo, ledger, scope, process)
}

/// The same from events that were read before.
pub(crate) fn overview_from(
    entries: &[Entry],
    repo: &RepositoryContext,
    ledger: &Ledger,
    scope: &Scope,
    process: &ProcessContext,
) -> Result<Overview, CliError> {
    folded(entries, around(repo, ledger, scope, process)?)
}

pub(crate) fn folded(
    entries: &[Entry],
    around: (Surroundings, Option<String>),
) -> Result<Overview, CliError> {
    let (around, next) = around;
    let mut overview = Overview::new(entries, &around).map_err(unfit)?;
    overview.row.next = next.unwrap_or(overview.row.next);
    Ok(overview)
}

fn unfit(error: redraft_core::review::Rejected) -> CliError {
    CliError::new(ErrorCode::Config, error.to_string())
}

/// What the moment says, from the board that `status` shows, and the command that goes on there.
pub(crate) fn around(
    repo: &RepositoryContext,
    ledger: &Ledger,
    scope: &Scope,
    process: &ProcessContext,
) -> Result<(Surroundings, Option<String>), CliError> {
    let now_ms = process.clock.now_ms();
    let board = Board::new(repo, rows(ledger)?, reviews(ledger)?, process);
    if let Some(row) = board.reviews.iter().find(|row| row.scope() == *scope) {
        return Ok((around_review(repo, row, now_ms), Some(row.next.clone())));
    }
    Ok(match board.features.iter().find(|seen| seen.row.scope() == *scope) {
        Some(seen) => (seen.surroundings(repo, now_ms), Some(seen.row.next.clone())),
        None => (Surroundings { now_ms, ..Surroundings::default() }, None),
    })
}

/// The documents in the order of the phases, each in the revision that its phase closed on or is at; one that was
/// adopted as it is on the branch. None is read from a folder: what nobody committed is nobody else's business.
fn texts(
    repo: &RepositoryContext,
    ledger: &Ledger,
    state: &Pipeline,
    created: &FeatureCreated,
    process: &ProcessContext,
) -> Vec<PageDocument> {
    let checkout = repo.repository.main_checkout();
    let workspace = GitWorkspace::open(&repo.repository, checkout, &created.branch).ok();
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).ok()?;
        Some(process.redactor.redact(&text).0.into_owned())
    };
    let on_branch = |path: &str| {
        let branches = [&created.branch, &created.base_branch];
        let mut found = branches.into_iter().filter(|branch| !branch.is_empty()).filter_map(|branch| {
            repo.repository.file_at(&format!("refs/heads/{branch}"), path, BYTES_MAX).ok().flatten()
        });
        found.next()
    };
    let mut documents = Vec::new();
    if let Some(prd) = created.prd.as_ref().and_then(|id| ledger.blob(id).ok()).and_then(text) {
        documents.push(PageDocument { path: created.path_of("prd.md"), text: prd });
    }
    let phases = state.phases().filter(|phase| *phase != Phase::Implement && created.change.is_none());
    for phase in phases {
        let last = state.standing().find(|one| one.opened.phase == phase);
        let path = match last {
            Some(last) => last.artifact().to_owned(),
            None => created.path_of(phase.artifact()),
        };
        let at = |revision| workspace.as_ref()?.read_at(revision, &path).ok().flatten();
        let bytes = match last.and_then(|last| last.revision.as_ref()) {
            Some(revision) if phase != Phase::Finish => at(revision),
            _ if state.is_over(phase) => on_branch(&path),
            _ => None,
        };
        documents.extend(bytes.and_then(text).map(|text| PageDocument { path, text }));
    }
    documents
}
