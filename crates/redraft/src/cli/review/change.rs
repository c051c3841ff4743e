//! `redraft review --base REV`: has the reviewers of code look at what a branch changes.
//!
//! No checkout or branch of the user's is touched: the review has a worktree of its own, at the last commit of the
//! change. No agent works on the code. The loop is never closed, so the next call for the same branch and base goes on
//! with reviewers that know the change, and shows them what is new in it. [`super::setup`] decides what it is judged
//! by.

mod begun;

use super::range::Range;
use super::report::{self, Report};
use super::setup::ReviewSetup;
use super::{Ended, FOR_FEATURES, NOBODY_AGREED, driven, outcome, played_by, run_args, standing};
use crate::cli::run::{self, tidy};
use begun::{begun, typed};
use redraft_adapters::checks::ShellChecks;
use redraft_adapters::lock::Lock;
use redraft_adapters::shell_word::quoted;
use redraft_adapters::sqlite::Ledger;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::Loop;
use redraft_documents::delta::{self, Hidden};
use redraft_engine::ports::{
    Agents, Checks, Clock, NoChecks, NoComments, NoMerging, NoSlots, Store, Workspace,
};
use redraft_engine::{ChangeUnderReview, Estimating, Rules, Run, RunPorts, Stop};
use redraft_facts::event::{Checked, Entry, Event, FeatureCreated};
use redraft_facts::phase::Lane;
use redraft_facts::text::count;
use redraft_frame::agent_choice::{self, Wanted};
use redraft_frame::agent_registry::AgentRegistry;
use redraft_frame::args::{FindingsForm, ReviewArgs};
use redraft_frame::attention::RunEnd;
use redraft_frame::console::Console;
use redraft_frame::doing::DoingFile;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::sandbox::sandbox;
use redraft_frame::sharing::{DrivenFeature, Sending};
use redraft_frame::story::Story;
use redraft_frame::{annotate, consent, trust};
use redraft_prompts::prompt::unnamed;
use redraft_reports::projections;

pub(super) fn review(
    repo: &RepositoryContext,
    base: &str,
    args: &ReviewArgs,
    process: &ProcessContext,
    (form, console): (FindingsForm, &Console),
) -> Result<Ended, CliError> {
    if args.change.uncommitted {
        // Uncommitted changes are stored there before they are looked at.
        repo.require_own_state()?;
    }
    repo.refuse_foreign_state()?;
    let mut range = Range::find(repo, base, &args.change, process)?;
    if range.is_empty() {
        console.say_all(&range.notes);
        report::nothing(&range, form, console);
        return Ok(Ended { code: ErrorCode::Done, sent: Ok(()) });
    }
    repo.require_own_state()?;
    let lane = lane(args)?;
    let mut grounds =
        ReviewSetup::new(repo, &range, lane.unwrap_or(Lane::Standard), &run_args(args), process)?;
    range.notes.extend(grounds.notes.iter().cloned());
    console.say_all(&range.notes);
    let command = format!("redraft review --base {}", quoted(base));
    trust::require_for_agents(repo, &grounds.config, &grounds.roles, &command, process)
        .map_err(|error| error.hint(accepting(&range)))?;
    trust::require_programs(repo, &command, process)?;
    let wanted = Wanted { repo, roles: &grounds.roles, command: &command, yes: args.yes };
    grounds.config = agent_choice::config_with_agents(&wanted, grounds.config.clone(), process, console)?;
    let ledger = repo.writer()?;
    let is_shared = DrivenFeature::fetch(repo, &ledger, &grounds.config, process, console)?;
    let created = begun(repo, &ledger, &range, lane, args, process, console)?;
    let sharing = match is_shared {
        true => DrivenFeature::take(repo, &created.scope(), &grounds.config, args.take, process, console)?,
        false => None,
    };
    let lock = repo.lock(&created.scope().to_string(), process)?;
    let command = format!("{}{}", typed(repo, &created, args), played_by(args));
    let call = Call { repo, range, grounds, ledger, created, lock, command, args, process, console, form };
    let done = call.go_on(sharing.as_ref());
    drop(call);
    Ended::new(done, sharing)
}

/// One call, which has the review to itself.
struct Call<'a> {
    repo: &'a RepositoryContext,
    range: Range,
    grounds: ReviewSetup,
    ledger: Ledger,
    created: FeatureCreated,
    lock: Lock,
    /// What was typed, as far as the next call needs it.
    command: String,
    args: &'a ReviewArgs,
    process: &'a ProcessContext,
    console: &'a Console,
    form: FindingsForm,
}

impl Call<'_> {
    fn go_on(&self, sharing: Option<&DrivenFeature<'_>>) -> Result<ErrorCode, CliError> {
        let Call { repo, range, grounds, ledger, created, args, process, console, .. } = self;
        let scope = created.scope();
        console.concerns(&scope);
        let entries = ledger.read(scope.clone())?;
        let rules = self.rules(&entries)?;
        let agents = AgentRegistry::new(repo, &grounds.config, process);
        if !self.may_send(&agents, &rules)? {
            let code = if process.clock.stopped() { ErrorCode::Interrupted } else { ErrorCode::Waiting };
            console.not_sent(&process.next(&self.command), code);
            if self.form == FindingsForm::Sarif {
                console.object(&annotate::sarif_failed(NOBODY_AGREED, None));
            }
            return Ok(code);
        }
        let repository_lock = repo.lock_repository(process, console)?;
        repo.repository.ensure_detached(&range.commit, &repo.worktree(created)?)?;
        drop(repository_lock);
        repo.repository.require_files_to_compare(&range.from, &range.to)?;
        let workspace = repo.workspace(created)?;
        workspace.sweep();
        let hidden = self.require_shown(&workspace)?;
        let inbox = repo.inbox()?;
        inbox.sweep(&created.scope());
        let check_folder = repo.check_folder(created, &grounds.config);
        let sandbox = sandbox(repo, &grounds.config, process);
        let shell = ShellChecks {
            worker: &process.exe,
            out: repo.state.join("checks").join(scope.to_string()),
            environment: &process.environment,
            redactor: &process.redactor,
            limit_ms: grounds.config.check_minutes * 60_000,
            clock: &process.clock,
            sandbox: &sandbox,
            home: check_folder.home(),
        };
        let checks: &dyn Checks = if rules.checks.is_empty() { &NoChecks } else { &shell };
        console.budget(rules.budget);
        let doing = DoingFile::new(&repo.state, &created.scope());
        let progress = Story::new(console, super::asks(args.yes, console)).with_doing_file(doing);
        let sending = Sending { inner: &progress, sharing };
        let parts = RunPorts {
            slots: &NoSlots,
            comments: &NoComments,
            check_folder: &check_folder,
            merging: &NoMerging,
            store: ledger,
            workspace: &workspace,
            inbox: &inbox,
            clock: &process.clock,
            boundaries: &process.boundaries,
            progress: &sending,
            checks,
            agents: &agents,
            redactor: &process.redactor,
        };
        let mut run = Run::load_scope(parts, rules, scope.clone())?;
        run.review(self.reviewed(&entries)?);
        if args.budget.is_some() {
            run.keep_budget()?;
        }
        let stop = driven(&mut run, args.yes, process, console)?;
        // SARIF has no place for a check that failed.
        progress.end(stop == Stop::Findings && self.form != FindingsForm::Sarif);
        tidy(&inbox, &scope, run.entries(), console);
        self.report(&run, &workspace, &stop, sent(run.entries()) - sent(&entries), hidden)
    }

    /// Refuses a change that is too large for reviewers to be told all its files. Returns notes about the places that
    /// are not shown as they are, because they look like secrets.
    fn require_shown(&self, workspace: &dyn Workspace) -> Result<Vec<String>, CliError> {
        let Range { name, base, from, to, .. } = &self.range;
        let diff = workspace.delta(from, to)?;
        let unnamed = unnamed(&diff);
        if unnamed > 0 {
            let message = format!(
                "{name} changes so many files since {base} that reviewers could not be told about {}",
                count(unnamed, "file")
            );
            return Err(CliError::usage(message)
                .hint("review it in parts: --head REV, with an earlier commit of the branch"));
        }
        let notes = hidden(&delta::hidden(&diff, &self.process.redactor));
        self.console.say_all(&notes);
        Ok(notes)
    }

    /// The rules of the base. No agent works on the code.
    fn rules(&self, entries: &[Entry]) -> Result<Rules, CliError> {
        let Call { grounds, ledger, created, args, .. } = self;
        let state =
            Pipeline::replay(entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
        let texts = grounds.texts.clone();
        let mut rules = run::rules_with(texts, &grounds.config, &run_args(args), self.process)?;
        (rules.revises, rules.extras) = (false, Vec::new());
        if !self.runs_checks(&state)? {
            rules.checks.clear();
        }
        if args.budget.is_none() {
            rules.budget = run::kept_budget(ledger, created.scope())?.unwrap_or(rules.budget);
        }
        Ok(rules)
    }

    /// Whether the project's checks are run: only if that was asked for, and by a person who has accepted their
    /// commands. A review keeps what it was begun with.
    fn runs_checks(&self, state: &Pipeline) -> Result<bool, CliError> {
        let (asked, there) = (self.args.change.checks, &self.grounds.config.checks);
        if let Some(open) = &state.open
            && open.opened.gates.is_empty() == (asked && !there.is_empty())
        {
            let (was, way) = if asked { ("without", "leave --checks out") } else { ("with", "add --checks") };
            return Err(CliError::usage(format!(
                "this review was begun {was} --checks, and this cannot be changed"
            ))
            .hint(format!("{way}, or start over: {} --again", self.command)));
        }
        if !asked || there.is_empty() {
            return Ok(false);
        }
        trust::require_for_checks(self.repo, &self.grounds.config, &self.command, self.process)
            .map_err(|error| error.hint(accepting(&self.range)))?;
        Ok(true)
    }

    /// Whether every reviewer is available, and a person agrees where one costs money.
    fn may_send(&self, agents: &AgentRegistry<'_>, rules: &Rules) -> Result<bool, CliError> {
        let Call { grounds, ledger, created, lock, command, args, process, console, .. } = self;
        for role in &grounds.roles {
            agents.agent_for(role).map_err(|detail| CliError::new(ErrorCode::Config, detail))?;
        }
        // A change has no documents next to it.
        let estimating = Estimating { store: ledger, agents, rules, read: &|_| None };
        let asked = consent::ConsentSubject { repo: self.repo, created, command, lock, yes: args.yes };
        consent::given(&asked, estimating, agents, process, console)
    }

    /// The current state of the change.
    fn reviewed(&self, entries: &[Entry]) -> Result<ChangeUnderReview, CliError> {
        let last = entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Edited(edited) => Some(edited.commit.as_str()),
            _ => None,
        });
        let (intent, said) = self.range.intent(self.repo, &self.args.change, last, self.process)?;
        let Range { commit, to, from, .. } = &self.range;
        let (commit, revision, base) = (commit.clone(), to.clone(), from.clone());
        Ok(ChangeUnderReview { commit, revision, base, intent, said, again: true })
    }

    fn report(
        &self,
        run: &Run<'_>,
        workspace: &dyn Workspace,
        stop: &Stop,
        sent: usize,
        hidden: Vec<String>,
    ) -> Result<ErrorCode, CliError> {
        let Call { command, process, .. } = self;
        let mut range = self.range.clone();
        range.notes.extend(hidden);
        let range = &range;
        let findings = run.state().latest().map(|latest| latest.findings.as_slice()).unwrap_or_default();
        let gate = run.state().open.as_ref().and_then(Loop::failed_gate);
        let (outcome, code) = outcome(stop, findings);
        let next = process.next(&match stop {
            Stop::Done | Stop::Findings => format!("{command} (after the next commit)"),
            Stop::Asking(_) => format!("{command} --again"),
            Stop::OverBudget { .. } | Stop::OverShared { .. } => format!("{command} --budget USD"),
            Stop::Host(_) => format!("{} --agent NAME", typed(self.repo, &self.created, self.args)),
            Stop::Parked(_) | Stop::Interrupted => command.clone(),
        });
        self.console.ends(RunEnd { outcome: outcome.to_owned(), question: None, next: next.clone() });
        let report = Report {
            scope: self.created.scope().to_string(),
            range,
            outcome,
            judged_by: run.state().judged_by(),
            rehearsed: run.state().rehearsal_notice(true),
            findings: standing(findings, workspace, &range.to),
            files: workspace.changed(&range.from, &range.to)?,
            gate: gate.filter(|_| *stop == Stop::Findings),
            checks: self.args.change.checks.then(|| checked(run.state())),
            has_checks: run.state().open.as_ref().is_some_and(|open| !open.opened.checks.is_empty()),
            sent,
            receipt: projections::receipt(run.entries()),
            cost: process.next(&format!("redraft cost {}", self.created.scope())),
            asked: match stop {
                Stop::Asking(question) => question.text.clone(),
                Stop::OverBudget { ticket, over } => format!("{ticket}: {over}"),
                Stop::Host(_) => FOR_FEATURES.to_owned(),
                _ => String::new(),
            },
            next,
        };
        report::show(&report, self.form, self.console);
        Ok(code)
    }
}

/// The command that accepts what the base's file wants.
fn accepting(range: &Range) -> String {
    let base = quoted(&range.base);
    format!(
        "the file in {base} is the one that counts; look at it and accept it: redraft trust --base {base}"
    )
}

/// The checks that have run on the change as it is.
fn checked(state: &Pipeline) -> Vec<&Checked> {
    let open = state.open.iter();
    let results = open.flat_map(|open| open.gates.values().map(move |check| (open, check)));
    let current = results.filter(|(open, check)| Some(&check.revision) == open.revision.as_ref());
    current.map(|(_, check)| check).collect()
}

/// How many dispatches were sent.
fn sent(entries: &[Entry]) -> usize {
    entries.iter().filter(|entry| matches!(entry.event, Event::Started(_))).count()
}

/// The places of a change that are not shown as they are, a line each.
fn hidden(places: &[Hidden]) -> Vec<String> {
    const SHOWN_MAX: usize = 20;
    let line = |one: &Hidden| {
        let Hidden { path, line, kind } = one;
        format!(
            "{path}:{line} holds what looks like a secret; reviewers were shown {} instead, so nobody has judged it",
            kind.marker()
        )
    };
    let mut lines: Vec<String> = places.iter().take(SHOWN_MAX).map(line).collect();
    if places.len() > SHOWN_MAX {
        lines.push(format!("the same in {}", count(places.len() - SHOWN_MAX, "more place")));
    }
    lines
}

fn lane(args: &ReviewArgs) -> Result<Option<Lane>, CliError> {
    let lane = args.change.lane.as_deref().map(str::parse).transpose();
    lane.map_err(|error: redraft_facts::ids::BadId| CliError::usage(error.to_string()))
}
