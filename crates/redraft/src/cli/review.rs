//! `redraft review FILE`: runs the review loop over one document of any repository, no feature needed; with `--base`
//! over what a branch changes, which is in [`change`].
//!
//! A review has a number, a branch and a worktree of its own, in which the document is committed as it was seen. What the
//! user wrote is copied in at each call; what an author wrote with `--fix` is copied back at the end, unless the user has
//! edited the file meanwhile. The loop is never closed, so the next call goes on with the reviewer that knows the document.

mod begin;
mod change;
mod document;
mod document_report;
mod forms;
mod range;
mod report;
mod setup;

pub(crate) use begin::kind_of;
pub(crate) use range::Range;

use super::answer::{Beforehand, answer, decide};
use super::run::{self, tidy};
use begin::{begun, judged_as, phase_of};
use document::{Document, bring_back, bring_in};
use document_report::DocumentReport;
use redraft_adapters::shell_word::{quoted, quoted_path};
use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::Config;
use redraft_core::attribution::{self, RoleAttribution};
use redraft_core::review::Loop;
use redraft_engine::ports::{Agents, Clock, NoChecks, NoComments, NoMerging, NoSlots, Workspace};
use redraft_engine::{Estimating, Rules, Run, RunPorts, Stop};
use redraft_facts::event::FeatureCreated;
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::{Revision, Role};
use redraft_facts::phase::Phase;
use redraft_facts::text::hash;
use redraft_frame::agent_choice::{self, Wanted};
use redraft_frame::agent_registry::AgentRegistry;
use redraft_frame::args::{FindingsForm, OnCap, ReviewArgs, RunArgs};
use redraft_frame::attention::RunEnd;
use redraft_frame::console::Console;
use redraft_frame::doing::DoingFile;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::sharing::{DrivenFeature, Sending};
use redraft_frame::story::Story;
use redraft_frame::{annotate, consent};
use redraft_reports::projections;
use redraft_roles::profile::{self, ProfileKind};
use std::path::Path;

/// The reason that the log of a review gives where nobody was asked.
const NOBODY_AGREED: &str = "nobody was asked, because nobody agreed to what it may cost";

/// A review whose result was shown.
struct Ended {
    code: ErrorCode,
    /// Whether what was done could be published.
    sent: Result<(), CliError>,
}

impl Ended {
    /// Publishes what was done, also where it came to no end.
    fn new(done: Result<ErrorCode, CliError>, sharing: Option<DrivenFeature<'_>>) -> Result<Ended, CliError> {
        let sent = sharing.map_or(Ok(()), DrivenFeature::end);
        Ok(Ended { code: done?, sent })
    }
}

pub(crate) fn review(
    args: ReviewArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let form = forms::form(&args, console)?;
    let quiet = Console::new(true, true);
    // With --format json nothing but the object is printed, as with --json.
    let shown = (form, if form == FindingsForm::Json && !console.events { &quiet } else { console });
    let reviewed = || {
        let repo = process.repository()?;
        match (&args.change.base, &args.file) {
            (Some(base), _) => change::review(&repo, base, &args, process, shown),
            (None, Some(_)) => review_document(&repo, &args, process, shown),
            (None, None) => Err(CliError::usage("nothing to review was named")
                .hint("a document: redraft review FILE")
                .hint("what a branch changes: redraft review --base REV")),
        }
    };
    let Ended { code, sent } = reviewed().inspect_err(|error| {
        // A user who uploads the log must not take its absence, or an empty one, for an approval.
        if form == FindingsForm::Sarif {
            console.object(&annotate::sarif_failed(&error.message, log_of(&args)));
        }
    })?;
    // Its result stands on stdout already, and stays the only object there.
    sent.map(|()| code).or_else(|error| {
        console.say(&format!("not published: {}; to try again: redraft sync", error.message));
        Ok(error.code)
    })
}

/// The name of the log about the document that was named; none for a change.
fn log_of(args: &ReviewArgs) -> Option<String> {
    args.file.as_ref().map(|file| forms::log_of(&file.to_string_lossy()))
}

fn review_document(
    repo: &RepositoryContext,
    args: &ReviewArgs,
    process: &ProcessContext,
    (form, console): (FindingsForm, &Console),
) -> Result<Ended, CliError> {
    let document = Document::read(repo, &process.folder.join(file(args)))?;
    let run_args = run_args(args);
    let config = run::config(repo, &run_args, process)?;
    let phase = phase_of(repo, args, &document)?;
    let roles = roles_of(phase, args.fix);
    redraft_frame::trust::require_for_agents(repo, &config, &roles, &typed(args), process)?;
    redraft_frame::trust::require_programs(repo, &typed(args), process)?;
    let wanted = Wanted { repo, roles: &roles, command: &typed(args), yes: args.yes };
    let config = agent_choice::config_with_agents(&wanted, config, process, console)?;
    let mut rules = run::rules(repo, &config, &run_args, process)?;
    rules.revises = args.fix;
    let ledger = repo.writer()?;
    let is_shared = DrivenFeature::fetch(repo, &ledger, &config, process, console)?;
    let created = begun(repo, &ledger, args, &document, process, console)?;
    let sharing = match is_shared {
        true => DrivenFeature::take(repo, &created.scope(), &config, args.take, process, console)?,
        false => None,
    };
    let sharing_now = sharing.as_ref();
    let at_hand = AtHand {
        repo,
        ledger: &ledger,
        config: &config,
        document: &document,
        roles: &roles,
        args,
        sharing: sharing_now,
        form,
    };
    let done = go_on(at_hand, rules, created, process, console);
    Ended::new(done, sharing)
}

/// What the review of a document needs.
struct AtHand<'a, 'r> {
    repo: &'r RepositoryContext,
    ledger: &'r Ledger,
    config: &'r Config,
    document: &'r Document,
    roles: &'r [Role],
    args: &'r ReviewArgs,
    sharing: Option<&'r DrivenFeature<'a>>,
    form: FindingsForm,
}

fn go_on(
    at_hand: AtHand<'_, '_>,
    mut rules: Rules,
    created: FeatureCreated,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let AtHand { repo, ledger, config, document, roles, args, sharing, form } = at_hand;
    let (scope, command) = (created.scope(), typed(args));
    console.concerns(&scope);
    let lock = repo.lock(&scope.to_string(), process)?;
    let created = judged_as(ledger, created, args, document, process, console)?;
    if args.budget.is_none() {
        rules.budget = run::kept_budget(ledger, scope.clone())?.unwrap_or(rules.budget);
    }
    let worktree = repo.worktree(&created)?;
    let repository_lock = repo.lock_repository(process, console)?;
    repo.repository.ensure_feature(&created.branch, &created.base_commit, &worktree)?;
    drop(repository_lock);
    let workspace = repo.workspace(&created)?;
    workspace.sweep();
    bring_in(repo, ledger, &workspace, &created, document)?;
    let agents = AgentRegistry::new(repo, config, process);
    for role in roles {
        agents.agent_for(role).map_err(|detail| CliError::new(ErrorCode::Config, detail))?;
    }
    let read = |path: &str| workspace.read(path).ok().flatten();
    let estimating = Estimating { store: ledger, agents: &agents, rules: &rules, read: &read };
    let (created, command) = (&created, command.as_str());
    let asked = consent::ConsentSubject { repo, created, command, lock: &lock, yes: args.yes };
    if !consent::given(&asked, estimating, &agents, process, console)? {
        let code = if process.clock.stopped() { ErrorCode::Interrupted } else { ErrorCode::Waiting };
        console.not_sent(&process.next(command), code);
        return Ok(code);
    }
    let inbox = repo.inbox()?;
    inbox.sweep(&created.scope());
    console.budget(rules.budget);
    let doing = DoingFile::new(&repo.state, &created.scope());
    let progress = Story::new(console, asks(args.yes, console)).with_doing_file(doing);
    let sending = Sending { inner: &progress, sharing };
    let parts = RunPorts {
        slots: &NoSlots,
        comments: &NoComments,
        merging: &NoMerging,
        store: ledger,
        workspace: &workspace,
        inbox: &inbox,
        clock: &process.clock,
        boundaries: &process.boundaries,
        progress: &sending,
        checks: &NoChecks,
        check_folder: &NoChecks,
        agents: &agents,
        redactor: &process.redactor,
    };
    let mut run = Run::load_scope(parts, rules, scope.clone())?;
    if args.budget.is_some() {
        run.keep_budget()?;
    }
    let stop = driven(&mut run, args.yes, process, console)?;
    tidy(&inbox, &scope, run.entries(), console);
    let (fixed, mut notes) = bring_back(&workspace, document)?;
    let judged = run.state().open.as_ref().and_then(|open| open.revision.clone());
    let seen =
        judged.as_ref().map(|revision| workspace.read_at(revision, &document.path)).transpose()?.flatten();
    notes.extend(document.is_other_than(seen.as_deref(), notes.is_empty()));
    for note in &notes {
        console.say(note);
    }
    let findings = run.state().latest().map(|latest| latest.findings.as_slice()).unwrap_or_default();
    let (outcome, code) = outcome(&stop, findings);
    let next = process.next(&match &stop {
        Stop::Done if code == ErrorCode::Done => {
            format!("{command} (after the next edit)")
        }
        Stop::Done | Stop::Findings => format!("{command} --fix, or edit the file and: {command}"),
        Stop::Asking(_) => format!("{command} --again"),
        Stop::OverBudget { .. } | Stop::OverShared { .. } => format!("{command} --budget USD"),
        Stop::Host(_) => format!("{} --agent NAME", reviewing(args)),
        Stop::Parked(_) | Stop::Interrupted => command.to_owned(),
    });
    let gate = run.state().open.as_ref().and_then(Loop::failed_gate).filter(|_| stop == Stop::Findings);
    // SARIF has no place for a check that failed.
    progress.end(gate.is_some() && form != FindingsForm::Sarif);
    console.ends(RunEnd { outcome: outcome.to_owned(), question: None, next: next.clone() });
    let report = DocumentReport {
        scope: scope.to_string(),
        path: &document.path,
        kind: kind_of(created.until),
        phase: created.until,
        outcome,
        players: &run.state().players,
        judged_by: run.state().judged_by(),
        rehearsed: run.state().rehearsal_notice(false),
        is_rehearsed: run.state().is_rehearsed(),
        at_their_lines: judged
            .as_ref()
            .map(|judged| standing(findings, &workspace, judged))
            .unwrap_or_default(),
        findings: findings.iter().filter(|one| is_unsettled(one)).cloned().collect(),
        gate,
        fixed,
        revision: judged.map(|revision| revision.to_string()).unwrap_or_default(),
        sha256: seen.map(|bytes| hash(&bytes).to_string()).unwrap_or_default(),
        receipt: projections::receipt(run.entries()),
        cost: process.next(&format!("redraft cost {scope}")),
        asked: match &stop {
            Stop::Asking(question) => question.text.clone(),
            Stop::OverBudget { ticket, over } => format!("{ticket}: {over}"),
            Stop::Host(_) => FOR_FEATURES.to_owned(),
            _ => String::new(),
        },
        notes,
        next,
    };
    report.show(form, console);
    Ok(code)
}

fn is_unsettled(finding: &Finding) -> bool {
    matches!(finding.status, Status::Open | Status::Deferred)
}

/// The findings that are not settled, at their lines in a revision.
fn standing(findings: &[Finding], workspace: &dyn Workspace, revision: &Revision) -> Vec<Finding> {
    let now = |finding: &Finding| {
        let mut now = finding.clone();
        if let Ok(Some(bytes)) = workspace.read_at(revision, &finding.file) {
            now.line = finding.line_in(&String::from_utf8_lossy(&bytes));
        }
        now
    };
    let mut all: Vec<Finding> = findings.iter().filter(|one| is_unsettled(one)).map(now).collect();
    // The gravest first; among equals, by place.
    all.sort_by(|one, other| {
        let key = |finding: &Finding| (finding.file.clone(), finding.line, finding.id.to_string());
        other.severity.cmp(&one.severity).then_with(|| key(one).cmp(&key(other)))
    });
    all
}

/// The roles in the review of a document: none for what comes after it, and an author only where it may be revised.
fn roles_of(phase: Phase, fix: bool) -> Vec<Role> {
    let sits = |one: &&&profile::Profile| match one.kind {
        ProfileKind::Author => fix,
        ProfileKind::Domain => true,
        ProfileKind::Phase => false,
    };
    profile::participants(phase).iter().filter(sits).map(|one| Role::new(one.role)).collect()
}

/// Who judged, and a notice if it was only rehearsed; a line each.
fn judged_by(judges: &[RoleAttribution], notice: Option<String>) -> String {
    let mut text = String::new();
    if !judges.is_empty() {
        text.push_str(&format!("judged by {}\n", attribution::in_words(judges)));
    }
    text.extend(notice.map(|notice| format!("{notice}\n")));
    text
}

/// Whether a person is asked on the spot.
fn asks(yes: bool, console: &Console) -> bool {
    console.can_ask() && !yes
}

/// Goes on until it rests, with the answers of the person at the terminal.
fn driven(
    run: &mut Run<'_>,
    yes: bool,
    process: &ProcessContext,
    console: &Console,
) -> Result<Stop, CliError> {
    let mut beforehand = Beforehand::new(OnCap::Stop, None, yes);
    loop {
        match run.drive()? {
            Stop::Asking(question) => {
                match answer(&question, run.state(), &mut beforehand, process, console) {
                    Some(said) => decide(run, said, console)?,
                    None => return Ok(Stop::Asking(question)),
                }
            }
            stop => return Ok(stop),
        }
    }
}

/// How it ended, in a word and as an exit code.
fn outcome(stop: &Stop, findings: &[Finding]) -> (&'static str, ErrorCode) {
    match stop {
        // Nobody rules on it here, so it is not passed over in silence.
        Stop::Done if findings.iter().any(Finding::is_deferred_blocker) => {
            ("findings", ErrorCode::NotApproved)
        }
        Stop::Done => ("approved", ErrorCode::Done),
        Stop::Findings => ("findings", ErrorCode::NotApproved),
        Stop::Asking(question) => ("waiting", run::waiting_code(question, OnCap::Stop)),
        Stop::OverBudget { .. } | Stop::OverShared { .. } => ("over budget", ErrorCode::Limit),
        Stop::Parked(_) => ("parked", ErrorCode::Limit),
        Stop::Host(_) => ("host", ErrorCode::Config),
        Stop::Interrupted => ("interrupted", ErrorCode::Interrupted),
    }
}

/// The message where a reviewer is a host.
pub(super) const FOR_FEATURES: &str =
    "its reviewer is a host, and hosts only fetch work of features; name an agent that redraft can send to";

/// The named document; there is one unless a change is reviewed.
fn file(args: &ReviewArgs) -> &Path {
    args.file.as_deref().unwrap_or(Path::new(""))
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
    format!("{}{}", reviewing(args), played_by(args))
}

/// The same by whoever plays the roles else.
fn reviewing(args: &ReviewArgs) -> String {
    format!("redraft review {}", quoted_path(file(args)))
}

/// The agent that the person named, as a part of the command that goes on.
fn played_by(args: &ReviewArgs) -> String {
    args.agent.as_ref().map(|agent| format!(" --agent {}", quoted(agent))).unwrap_or_default()
}
