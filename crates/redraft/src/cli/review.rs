//! `redraft review FILE`: the review loop over one document of any repository, no feature needed.
//!
//! A review has a number, a branch and a worktree of its own, in which the document is committed as it was seen. What the
//! user wrote is copied in at each call; what an author wrote with `--fix` is copied back at the end, unless the user has
//! edited the file meanwhile. The loop is never closed, so the next call goes on with the reviewer that knows the document.

use super::answer::answer;
use super::args::{DocumentKind, OnCap, ReviewArgs, RunArgs};
use super::cast::Cast;
use super::consent;
use super::console::Console;
use super::errors::{CliError, Code};
use super::run::{self, tidy};
use super::show::table;
use super::site::{Site, Surroundings};
use redraft_adapters::inbox::FileInbox;
use redraft_adapters::plain_file;
use redraft_adapters::shell_word::quoted_path;
use redraft_adapters::sqlite::Ledger;
use redraft_core::event::{Entry, Event, FeatureCreated};
use redraft_core::findings::{Finding, Status};
use redraft_core::ids::{FeatureId, ReviewId, Role, slug};
use redraft_core::phase::{Lane, Phase};
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::profile;
use redraft_core::project::{self, Receipt};
use redraft_core::ticket::Scope;
use redraft_engine::ports::{Agents, Append, Clock, CommitRefused, Store, Workspace, WorkspaceError};
use redraft_engine::{Parts, Run, Stop};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// More than any document; a larger file is a mistake.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

#[derive(Serialize)]
struct ReviewJson<'a> {
    v: u16,
    review: String,
    file: &'a str,
    /// `approved`, `findings`, `waiting`, `parked`, `over budget` or `interrupted`.
    outcome: &'static str,
    /// Those that are not settled.
    findings: Vec<&'a Finding>,
    /// Whether the file was changed by this call.
    fixed: bool,
    receipt: &'a Receipt,
    notes: Vec<String>,
    next: String,
}

/// The document, as the user has it.
struct Document {
    /// Where it is, and its path in the repository.
    file: PathBuf,
    path: String,
    bytes: Vec<u8>,
}

pub(crate) fn review(args: ReviewArgs, around: &Surroundings, console: &Console) -> Result<Code, CliError> {
    let site = Site::find(&around.folder)?;
    let document = Document::read(&site, &around.folder.join(&args.file))?;
    let run_args = run_args(&args);
    let config = run::config(&site, &run_args)?;
    let mut rules = run::rules(&site, &config, &run_args, around)?;
    rules.revises = args.fix;
    let ledger = site.writer()?;
    let created = begun(&site, &ledger, &args, &document, around)?;
    let (scope, command) = (created.scope(), typed(&args));
    let _lock = site.lock(&scope.to_string(), around)?;
    if args.budget.is_none() {
        rules.budget = run::kept_budget(&ledger, scope.clone())?.unwrap_or(rules.budget);
    }
    let worktree = site.worktree(&created)?;
    let repository_lock = site.lock("repo", around)?;
    site.repository.ensure_feature(&created.branch, &created.base_commit, &worktree)?;
    drop(repository_lock);
    let workspace = site.workspace(&created)?;
    workspace.sweep();
    bring_in(&site, &ledger, &workspace, &created, &document)?;
    let agents = Cast::new(&site, &config, around);
    let roles: Vec<Role> = profile::cast(created.until).iter().map(|one| Role::new(one.role)).collect();
    super::trust::require_for_agents(&ledger, &config, &roles, &command)?;
    for role in &roles {
        agents.agent_for(role).map_err(|detail| CliError::new(Code::Config, detail))?;
    }
    if !args.yes && !consent::given(&ledger, &created, &agents, rules.budget, &command, around, console)? {
        console.say(&format!("nothing was sent\nnext: {}", around.next(&command)));
        return Ok(if around.clock.stopped() { Code::Interrupted } else { Code::Waiting });
    }
    let inbox = FileInbox::new(&site.state);
    let parts = Parts {
        store: &ledger,
        workspace: &workspace,
        inbox: &inbox,
        clock: &around.clock,
        boundaries: &around.boundaries,
        progress: console,
        agents: &agents,
        redactor: &around.redactor,
    };
    let mut run = Run::load_scope(parts, rules, scope.clone())?;
    if args.budget.is_some() {
        run.keep_budget()?;
    }
    let stop = loop {
        match run.drive()? {
            Stop::Asking(question) => {
                match answer(&question, run.state(), OnCap::Stop, args.yes, around, console) {
                    Some(said) => run.decide(said.choice, &said.why, said.answers)?,
                    None => break Stop::Asking(question),
                }
            }
            stop => break stop,
        }
    };
    tidy(&inbox, &scope, run.entries(), console);
    let (fixed, notes) = bring_back(&workspace, &document)?;
    for note in &notes {
        console.say(note);
    }
    let (outcome, code) = match &stop {
        Stop::Done => ("approved", Code::Done),
        Stop::Findings => ("findings", Code::NotApproved),
        Stop::Asking(question) => ("waiting", run::waiting_code(question, OnCap::Stop)),
        Stop::OverBudget { .. } => ("over budget", Code::Limit),
        Stop::Parked(_) => ("parked", Code::Limit),
        Stop::Interrupted => ("interrupted", Code::Interrupted),
    };
    let next = around.next(&match &stop {
        Stop::Done => format!("redraft review {} (after the next edit)", quoted_path(&args.file)),
        Stop::Findings => format!("{command} --fix, or edit the file and: {command}"),
        Stop::Asking(_) => format!("{command} --again"),
        Stop::OverBudget { .. } => format!("{command} --budget USD"),
        Stop::Parked(_) | Stop::Interrupted => command.clone(),
    });
    let findings = run.state().latest().map(|latest| latest.findings.as_slice()).unwrap_or_default();
    let open: Vec<Finding> = findings
        .iter()
        .filter(|one| matches!(one.status, Status::Open | Status::Deferred))
        .cloned()
        .collect();
    let receipt = project::receipt(run.entries());
    let asked = match &stop {
        Stop::Asking(question) => format!(": {}", question.text),
        Stop::OverBudget { ticket, over } => format!(": {ticket}: {over}"),
        _ => String::new(),
    };
    let shown = ReviewJson {
        v: 1,
        review: scope.to_string(),
        file: &document.path,
        outcome,
        findings: open.iter().collect(),
        fixed,
        receipt: &receipt,
        notes,
        next: next.clone(),
    };
    let (list, receipt) = (table(&open), receipt.text());
    let is = if outcome == "findings" { "has findings".to_owned() } else { format!("is {outcome}") };
    console.show(&format!("{list}{receipt}\n{} {is}{asked}\nnext: {next}", document.path), &shown);
    Ok(code)
}

impl Document {
    fn read(site: &Site, file: &Path) -> Result<Document, CliError> {
        let named = |what: String| CliError::usage(format!("{}: {what}", file.display()));
        let bytes = plain_file::read(file, BYTES_MAX).map_err(|error| named(error.to_string()))?;
        if std::str::from_utf8(&bytes).is_err() {
            return Err(named("it is not UTF-8 text".to_owned()));
        }
        if bytes.trim_ascii().is_empty() {
            return Err(named("it is empty, so there is nothing to review".to_owned()));
        }
        let file = std::fs::canonicalize(file).map_err(|error| named(error.to_string()))?;
        let here = std::fs::canonicalize(site.repository.here())
            .unwrap_or_else(|_| site.repository.here().to_owned());
        let path = file.strip_prefix(&here).ok().and_then(Path::to_str).map(str::to_owned);
        let path = path.ok_or_else(|| {
            named(format!("it is not in the repository {}", here.display()))
                .hint("go into the repository it belongs to; one that belongs to none can be put into a new one: git init")
        })?;
        Ok(Document { file, path, bytes })
    }
}

/// The review of this document that goes on, or a new one.
fn begun(
    site: &Site,
    ledger: &Ledger,
    args: &ReviewArgs,
    document: &Document,
    around: &Surroundings,
) -> Result<FeatureCreated, CliError> {
    let phase = match args.kind {
        Some(DocumentKind::Spec) => Phase::Specify,
        Some(DocumentKind::Design) => Phase::Design,
        Some(DocumentKind::Plan) => Phase::CreatePlan,
        Some(DocumentKind::Tasks) => Phase::CreateTasks,
        Some(DocumentKind::Document) => Phase::Document,
        None => by_name(&document.path),
    };
    let _lock = site.lock("repo", around)?;
    let mut last = 0;
    let mut known = None;
    for scope in ledger.scopes()? {
        let Scope::Review(id) = scope else { continue };
        last = last.max(id.0);
        let entries = ledger.read(Scope::Review(id))?;
        let state =
            Pipeline::replay(&entries).map_err(|error| CliError::new(Code::Config, error.to_string()))?;
        let same = |created: &FeatureCreated| {
            let kind = args.kind.is_none() || created.until == phase;
            created.document.as_deref() == Some(&document.path) && kind && !state.cancelled
        };
        known = state.created.clone().filter(same).or(known);
    }
    if let Some(known) = known.filter(|_| !args.again) {
        return Ok(known);
    }
    if !site.repository.has_identity()? {
        return Err(WorkspaceError::Commit(CommitRefused::NoIdentity).into());
    }
    let head = site.repository.head()?;
    let id = ReviewId(last + 1);
    let stem = Path::new(&document.path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let slug = slug(stem);
    let created = FeatureCreated {
        id: FeatureId(id.0),
        idea: format!("Review {}", document.path),
        lane: Lane::Standard,
        base_branch: head.branch.unwrap_or_default(),
        base_commit: head.commit,
        branch: site.repository.review_place(id, &slug)?.branch,
        slug,
        prd: None,
        in_place: false,
        until: phase,
        lane_reason: String::new(),
        project: None,
        depends_on: Vec::new(),
        document: Some(document.path.clone()),
        brainstorm_source: None,
    };
    let event = Event::from(created.clone());
    let bug = |error: redraft_core::review::Rejected| CliError::new(Code::Bug, error.to_string());
    pipeline::step(&Pipeline::default(), &event).map_err(bug)?;
    let (events, blobs, at_ms) = ([event], Vec::new(), around.clock.now_ms());
    let scope = created.scope();
    ledger.append(Append { scope, decided_on: 0, at_ms, events: &events, blobs: &blobs, board: None })?;
    Ok(created)
}

fn by_name(path: &str) -> Phase {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    Phase::ALL.into_iter().find(|phase| phase.artifact() == name).unwrap_or(Phase::Document)
}

/// Copies the user's file into the worktree, with the files it builds on. Where the user has changed nothing since the last
/// time, what an author wrote meanwhile stays.
fn bring_in(
    site: &Site,
    ledger: &Ledger,
    workspace: &dyn Workspace,
    created: &FeatureCreated,
    document: &Document,
) -> Result<(), CliError> {
    let entries = ledger.read(created.scope())?;
    let brought = |entry: &Entry| match &entry.event {
        Event::Edited(edited) => Some(edited.revision.clone()),
        _ => None,
    };
    let last = entries.iter().rev().find_map(brought);
    let last = last.map(|revision| workspace.read_at(&revision, &document.path)).transpose();
    let unchanged = matches!(last, Ok(Some(Some(bytes))) if bytes == document.bytes);
    let there = workspace.read(&document.path)?;
    if !(unchanged && there.is_some()) && there.as_ref() != Some(&document.bytes) {
        workspace.write(&document.path, &document.bytes)?;
    }
    for name in created.until.upstream() {
        let path = created.path_of(name);
        let Ok(bytes) = plain_file::read(&site.repository.here().join(&path), BYTES_MAX) else { continue };
        if workspace.read(&path)?.as_ref() != Some(&bytes) {
            workspace.write(&path, &bytes)?;
        }
    }
    Ok(())
}

/// Copies what an author wrote to the user's file, unless that was changed meanwhile.
fn bring_back(workspace: &dyn Workspace, document: &Document) -> Result<(bool, Vec<String>), CliError> {
    let Some(revised) = workspace.read(&document.path)?.filter(|bytes| *bytes != document.bytes) else {
        return Ok((false, Vec::new()));
    };
    let named =
        |error: std::io::Error| CliError::new(Code::Config, format!("{}: {error}", document.file.display()));
    if std::fs::read(&document.file).map_err(named)? != document.bytes {
        let place = workspace.folder().join(&document.path);
        return Ok((
            false,
            vec![format!(
                "{} was edited while it was revised and is left as it is; the revised text is in {}",
                document.path,
                place.display()
            )],
        ));
    }
    let folder = document.file.parent().unwrap_or(Path::new("."));
    let part = tempfile::Builder::new().prefix(".redraft-review-").tempfile_in(folder).map_err(named)?;
    std::fs::write(part.path(), &revised).map_err(named)?;
    let permissions = std::fs::metadata(&document.file).map_err(named)?.permissions();
    std::fs::set_permissions(part.path(), permissions).map_err(named)?;
    part.persist(&document.file).map_err(|error| named(error.error))?;
    Ok((true, Vec::new()))
}

fn run_args(args: &ReviewArgs) -> RunArgs {
    RunArgs {
        on_cap: Some(OnCap::Stop),
        yes: args.yes,
        budget: args.budget.clone(),
        agent: args.agent.clone(),
        policy: args.policy.clone(),
        ..RunArgs::default()
    }
}

/// The command that goes on with the same document.
fn typed(args: &ReviewArgs) -> String {
    format!("redraft review {}", quoted_path(&args.file))
}
