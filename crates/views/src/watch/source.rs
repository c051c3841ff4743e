//! Gathers what the screen shows, in a thread of its own, so that keys are answered however large a feature is.
//!
//! It reads and never writes: the ledger is opened for each look and closed again. Where a look takes long, the next one
//! waits several times as long, so that looking never takes a machine away from the run.

use super::snapshot::{Asked, Detail, Diff, Snapshot, in_order, shortened};
use crate::board::Board;
use crate::following::{ASK_EVERY_MS, Following, due_ms};
use crate::report::gather::{around, folded};
use redraft_adapters::git::GitWorkspace;
use redraft_adapters::lock::{Holder, Lock};
use redraft_adapters::sqlite::Ledger;
use redraft_core::pipeline::Pipeline;
use redraft_core::review;
use redraft_engine::ports::{Clock, Store, Workspace, WorkspaceError};
use redraft_facts::event::{About, Entry, Event};
use redraft_facts::ids::Revision;
use redraft_facts::ticket::Scope;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::rows::{reviews, rows};
use redraft_reports::projections::BoardRow;
use redraft_reports::question::OpenQuestion;
use redraft_reports::view::{Overview, PhaseView};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// More than anybody reads on a screen.
const DIFF_BYTES_MAX: usize = 256 * 1024;

/// A look that took this long is followed by a rest this many times as long.
const REST: u32 = 4;

/// What the screen is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) scope: Option<Scope>,
    pub(super) diff: bool,
}

/// Looks whenever something may have changed, or something else is wanted, until nobody listens any more.
pub(super) fn follow(
    repo: &RepositoryContext,
    process: &ProcessContext,
    wishes: &Receiver<Wanted>,
    show: &dyn Fn(Snapshot) -> bool,
) {
    let mut following = Following::new(&repo.state);
    let (mut wanted, mut diff) = (Wanted::default(), None);
    let (mut changed, mut due, mut rested) = (false, None, Instant::now());
    loop {
        let mut is_new = false;
        match wishes.recv_timeout(Duration::from_millis(ASK_EVERY_MS)) {
            // Of several wishes the last one counts.
            Ok(wish) => (wanted, is_new) = (wishes.try_iter().last().unwrap_or(wish), true),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        changed |= following.changed() || due.is_some_and(|due| due <= process.clock.now_ms());
        if !is_new && (!changed || Instant::now() < rested) {
            continue;
        }
        let began = Instant::now();
        let found = look(repo, process, &wanted, &mut diff);
        due = due_ms(&found.rows, found.at_ms);
        (changed, rested) = (false, Instant::now() + began.elapsed() * REST);
        if !show(found) {
            return;
        }
    }
}

/// The last change that was shown, so that git is asked once for each.
pub(super) type Shown = Option<((Option<Revision>, Revision), Diff)>;

/// One look. What cannot be read is told and not guessed.
pub(super) fn look(
    repo: &RepositoryContext,
    process: &ProcessContext,
    wanted: &Wanted,
    diff: &mut Shown,
) -> Snapshot {
    let at_ms = process.clock.now_ms();
    match gathered(repo, process, wanted, diff) {
        Ok(snapshot) => Snapshot { at_ms, ..snapshot },
        Err(error) => Snapshot { at_ms, trouble: Some(error.message), ..Snapshot::default() },
    }
}

fn gathered(
    repo: &RepositoryContext,
    process: &ProcessContext,
    wanted: &Wanted,
    diff: &mut Shown,
) -> Result<Snapshot, CliError> {
    let Some(ledger) = repo.reader()? else {
        let next = process.next("redraft new \"your idea\"");
        return Ok(Snapshot { next, ..Snapshot::default() });
    };
    let board = Board::new(repo, rows(&ledger)?, reviews(&ledger)?, process);
    let next = board.next().command;
    let features = board.features.into_iter().map(|seen| seen.row);
    let all: Vec<BoardRow> = features.chain(board.reviews).collect();
    let all = in_order(all);
    let shown = wanted.scope.as_ref().filter(|scope| all.iter().any(|row| row.scope() == **scope));
    let detail = shown.map(|scope| detail(repo, &ledger, scope, wanted.diff, diff, process)).transpose()?;
    Ok(Snapshot { rows: all, detail, next, ..Snapshot::default() })
}

fn driver(repo: &RepositoryContext, scope: &Scope) -> Option<Holder> {
    Lock::holder(&repo.state, &scope.to_string()).filter(|holder| holder.pid != std::process::id())
}

fn detail(
    repo: &RepositoryContext,
    ledger: &Ledger,
    scope: &Scope,
    wants_diff: bool,
    last: &mut Shown,
    process: &ProcessContext,
) -> Result<Detail, CliError> {
    let entries = ledger.read(scope.clone())?;
    let mut overview = folded(&entries, around(repo, ledger, scope, process)?)?;
    let question = if overview.row.question.is_some() { asked(&entries) } else { None };
    let diff = wants_diff.then(|| change(repo, &entries, &overview, last, process));
    let (older, more_findings) = shortened(&mut overview);
    let driven_by = driver(repo, scope);
    let scope = scope.clone();
    Ok(Detail { scope, overview, older, more_findings, question, driven_by, diff })
}

fn asked(entries: &[Entry]) -> Option<Asked> {
    let state = Pipeline::replay(entries).ok()?;
    let question = review::question(state.open.as_ref()?)?;
    let questions = match &question.about {
        About::Author { questions } => questions.clone(),
        _ => Vec::new(),
    };
    let number = (question.pass, question.number);
    let OpenQuestion { asked_at, revision, form } = OpenQuestion::new(&state, entries)?;
    Some(Asked { form, questions, number, asked_at, revision })
}

/// What the last revision changed, or is where it is the first of its phase.
fn change(
    repo: &RepositoryContext,
    entries: &[Entry],
    overview: &Overview,
    last: &mut Shown,
    process: &ProcessContext,
) -> Diff {
    let told = |title: &str| Diff { title: title.to_owned(), text: String::new() };
    let found = revisions(entries);
    let (Some((to, title)), Some(branch)) = (found.last(), branch(entries)) else {
        return told("nothing was written yet");
    };
    let from = found.iter().rev().nth(1).map(|(from, _)| from.clone());
    let between = (from.clone(), to.clone());
    if let Some((_, diff)) = last.as_ref().filter(|(known, _)| *known == between) {
        return diff.clone();
    }
    let is_last = |phase: &&PhaseView| phase.revision.as_ref() == Some(to);
    let artifact = overview.phases_in_detail.iter().find(is_last).map(|phase| phase.artifact.clone());
    let text = written(repo, branch, from.as_ref(), to, artifact.as_deref());
    let diff = match text {
        Ok(Some(text)) => {
            let whole = process.redactor.redact(&text).0;
            let end = whole.floor_char_boundary(DIFF_BYTES_MAX);
            let cut = if end < whole.len() { "\n… the rest is left out" } else { "" };
            let which = if from.is_some() { "last" } else { "first" };
            Diff {
                title: format!("the {which} revision, by {title}"),
                text: format!("{}{cut}", &whole[..end]),
            }
        }
        Ok(None) => told("this is the first revision of the phase; git shows what its branch changes"),
        Err(error) => told(&format!("git cannot show the change: {error}")),
    };
    *last = Some((between, diff.clone()));
    diff
}

/// The change between two revisions, or the document of the first; none where there is no document.
fn written(
    repo: &RepositoryContext,
    branch: &str,
    from: Option<&Revision>,
    to: &Revision,
    artifact: Option<&str>,
) -> Result<Option<String>, String> {
    let failed = |error: WorkspaceError| error.to_string();
    let workspace = GitWorkspace::open(&repo.repository, repo.repository.main_checkout(), branch)
        .map_err(|error| error.to_string())?;
    match (from, artifact) {
        (Some(from), _) => workspace.delta(from, to).map(Some).map_err(failed),
        (None, Some(path)) => Ok(workspace.read_at(to, path).map_err(failed)?.map(|bytes| added(&bytes))),
        (None, None) => Ok(None),
    }
}

/// Every line as a new one.
fn added(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().map(|line| format!("+{line}\n")).collect()
}

fn branch(entries: &[Entry]) -> Option<&str> {
    entries.iter().find_map(|entry| match &entry.event {
        Event::FeatureCreated(fact) => Some(fact.branch.as_str()),
        _ => None,
    })
}

/// The revisions of the last phase in which something was written, each with whose it is.
fn revisions(entries: &[Entry]) -> Vec<(Revision, String)> {
    let mut found: Vec<(Revision, String)> = Vec::new();
    let mut is_other = false;
    for entry in entries {
        let (revision, title) = match &entry.event {
            Event::LoopOpened(_) => {
                is_other = true;
                continue;
            }
            Event::Drafted(fact) => (fact.revision.as_ref(), fact.ticket.to_string()),
            Event::Built(fact) => (Some(&fact.revision), fact.ticket.to_string()),
            Event::Edited(fact) => (Some(&fact.revision), format!("an edit of {}", fact.by)),
            _ => continue,
        };
        let Some(revision) = revision else { continue };
        // Another phase is about another document.
        if std::mem::take(&mut is_other) {
            found.clear();
        }
        if found.last().is_none_or(|(before, _)| before != revision) {
            found.push((revision.clone(), title));
        }
    }
    found
}
