//! `redraft run`: drives a feature on until it is approved, a person is needed, or it is interrupted.

mod all;
mod lane;
mod merge;
mod report;
mod rules;
mod setup;
mod trusted_checks;

use redraft_frame::rows;
pub(crate) use report::{Ending, Expected};
pub(crate) use rules::{
    RepositoryTexts, budget, budget_typed, config, deadlines, dollars, kept_budget, played, rules, rules_with,
};
pub(crate) use setup::{RunContext, RunRequest, WorkSource, with_run};
pub(crate) use trusted_checks::require_trusted_checks;

use self::lane::{kept_rules, set_lane};
use self::merge::{Merging, merge};
use self::report::{More, RunJson, report};
use super::answer::{Beforehand, answer, decide};
use super::bank;
use redraft_adapters::inbox::FileInbox;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::LoopEnd;
use redraft_cost::price::OverBudget;
use redraft_engine::ports::{Clock, Workspace};
use redraft_engine::{AgentLimits, BudgetPool, Run, Stop, UnsentWork};
use redraft_facts::event::{About, Decision, Entry, Question};
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::Phase;
use redraft_facts::text::utc;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_frame::args::{OnCap, RunArgs};
use redraft_frame::attention::RunEnd;
use redraft_frame::console::Console;
use redraft_frame::doing::DoingFile;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::monitor;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::story::Story;
use redraft_frame::wait_mark::WaitMark;
use redraft_reports::narration::not_continued;
use redraft_reports::projections::{self, BoardRow};
use redraft_reports::question::QuestionForm;
use redraft_reports::standing::Surroundings;
use redraft_views::board;
use std::sync::Arc;

pub(crate) fn run(args: RunArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    if args.yes && args.on_cap == Some(OnCap::Accept) {
        return Err(CliError::usage(
            "`--yes` never accepts in a person's name, so it cannot be used with `--on-cap accept`",
        )
        .hint("accept it yourself: redraft run --on-cap accept, or redraft decide accept --why \"…\""));
    }
    if args.all {
        return all::run_all(&args, process, console);
    }
    let repo = process.repository()?;
    // Only looked at here; it is opened for writing, and checked, once this process has the feature to itself.
    let Some(ledger) = repo.reader()? else {
        repo.writer()?;
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let id = repo.feature(&ledger, args.feature.as_deref())?;
    drop(ledger);
    drive(&repo, id, &args, process, console)
}

/// Drives one feature.
fn drive(
    repo: &RepositoryContext,
    id: FeatureId,
    args: &RunArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    drive_to(repo, id, args, process, console, RunKind::Run)
}

/// The command that a run is part of.
pub(crate) enum RunKind {
    Run,
    /// The last phase by itself: a user who typed `finish --merge` has agreed to the merge.
    Finish,
    /// A demo, with its own ending.
    Demo(Ending),
    /// One of several features.
    OneOfSeveral(Shared),
}

/// What the runs of several features have in common.
#[derive(Clone)]
pub(crate) struct Shared {
    /// What they may spend together.
    pub(crate) pool: Option<Arc<BudgetPool>>,
    pub(crate) limits: Arc<AgentLimits>,
}

/// The same for another kind of run.
pub(crate) fn drive_to(
    repo: &RepositoryContext,
    id: FeatureId,
    args: &RunArgs,
    process: &ProcessContext,
    console: &Console,
    manner: RunKind,
) -> Result<ErrorCode, CliError> {
    console.concerns(id);
    let typed = matches!(manner, RunKind::Finish);
    let (ending, shared) = match manner {
        RunKind::Demo(ending) => (Some(ending), None),
        RunKind::OneOfSeveral(shared) => (None, Some(shared)),
        RunKind::Run | RunKind::Finish => (None, None),
    };
    let doing = DoingFile::new(&repo.state, &Scope::Feature(id));
    let story = Story::new(console, console.can_ask() && !args.yes).with_doing_file(doing);
    let story = story.marked_in(WaitMark::new(repo, process, id));
    let players = WorkSource::Configured;
    let wish = RunRequest { repo, id, args, players, progress: &story, process, console };
    let telling = Telling { typed, ending, shared, story: &story };
    let done = with_run(&wish, |run, stage| report_on(run, stage, args, telling, process, console))?;
    if let Some(code) = done {
        return Ok(code);
    }
    let code = if process.clock.stopped() { ErrorCode::Interrupted } else { ErrorCode::Waiting };
    console.not_sent(&process.next(&format!("redraft run {id}")), code);
    Ok(code)
}

/// How a run and its end are shown.
struct Telling<'a> {
    /// Whether typing `--merge` counts as agreement to the merge.
    typed: bool,
    ending: Option<Ending>,
    shared: Option<Shared>,
    story: &'a Story<'a>,
}

/// Drives a prepared run, and reports how it ended.
fn report_on(
    run: &mut Run<'_>,
    stage: &RunContext<'_>,
    args: &RunArgs,
    telling: Telling<'_>,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let Telling { typed, ending, shared, story } = telling;
    let RunContext { repo, config, ledger, created, workspace, inbox } = *stage;
    let id = created.id;
    if args.budget.is_some() {
        run.keep_budget()?;
    }
    if let Some(Shared { pool, limits }) = shared {
        run.share_limits(limits);
        if let Some(pool) = pool {
            run.draw_on(pool);
        }
    }
    if args.now {
        run.send_now();
    }
    if ending.is_some() {
        run.decide_as("the demo");
    }
    set_lane(run, args)?;
    let notes = kept_rules(run.state(), args, id);
    for note in &notes {
        console.say(note);
    }
    console.say_all(&not_continued(&run.state().met));
    require_trusted_checks(run.state(), repo, config, args, process, console)?;
    let asks = console.can_ask() && !args.yes;
    let on_cap = args.on_cap.unwrap_or(if asks { OnCap::Ask } else { OnCap::Stop });
    let ended_before = run.state().closed(Phase::Finish).is_some();
    let mut beforehand = Beforehand::new(on_cap, args.on_failure, args.yes).playing(ending.is_some());
    let stop = loop {
        match run.drive()? {
            Stop::Asking(question) => {
                match answer(&question, run.state(), &mut beforehand, process, console) {
                    Some(said) => decide(run, said, console)?,
                    None => break Stop::Asking(question),
                }
            }
            stop => break stop,
        }
    };
    story.end(matches!(stop, Stop::Asking(_)));
    if asks && !ended_before && run.state().closed(Phase::Finish).is_some() {
        bank::asking::about_stale(repo, created, run.state().seq, process, console)?;
    }
    let merged = match &stop {
        Stop::Done => merge(run, repo, config, args, typed, process, console)?,
        _ => Merging::Not,
    };
    if let Some(changed) = changed_since(workspace, run.state())? {
        console.say(&changed);
    }
    tidy(inbox, &Scope::Feature(id), run.entries(), console);
    let receipt = projections::receipt(run.entries());
    let row = BoardRow::new(run.state(), process.clock.now_ms());
    let place = repo.worktree(created)?.join(created.folder());
    let parked_until_ms = if let Stop::Parked(until_ms) = &stop { Some(*until_ms) } else { None };
    let (outcome, code) = match &stop {
        Stop::Interrupted => ("interrupted", ErrorCode::Interrupted),
        Stop::Parked(until_ms) => {
            console.say(&format!("an agent's usage limit is reached until {}", utc(*until_ms)));
            ("parked", ErrorCode::Limit)
        }
        Stop::Done if run.state().phase().is_some() && !run.state().cancelled => ("active", ErrorCode::Done),
        Stop::Done if merged == Merging::Wanted => ("waiting", ErrorCode::Waiting),
        Stop::Done if row.merged => ("merged", ErrorCode::Done),
        Stop::Done => (row.status.as_str(), done_code(&row.status)),
        Stop::Findings => ("findings", ErrorCode::NotApproved),
        Stop::Asking(question) => ("waiting", waiting_code(question, on_cap)),
        Stop::OverBudget { .. } => ("over budget", ErrorCode::Limit),
        Stop::OverShared { .. } => ("over budget of all", ErrorCode::Limit),
        Stop::Host(unsent) => {
            // A host has what is out; what is pending waits until a host comes for it.
            ("host", if unsent.out.is_empty() { ErrorCode::Waiting } else { ErrorCode::Held })
        }
    };
    let question = if let Stop::Asking(question) = &stop { Some(question) } else { None };
    let form = question.map(|question| QuestionForm::new(question, run.state()));
    let rows = rows::rows(ledger)?;
    let next = match (&ending, &args.agent) {
        (None, _) if matches!(&stop, Stop::Host(unsent) if !unsent.out.is_empty()) => {
            process.next(&format!("redraft run {id} --now"))
        }
        (Some(ending), _) => ending.next.clone(),
        (None, _) if matches!(&stop, Stop::OverShared { .. }) => {
            process.next("redraft run --all --budget USD")
        }
        (None, Some(agent)) if row.is_open() && row.next.starts_with("redraft run") => {
            process.next(&format!("{} --agent {agent}", row.next))
        }
        (None, _) => board::next_after(repo, ledger, id, process)?,
    };
    if let Stop::OverBudget { ticket, over } = &stop {
        console.say(&format!("{}: {over}", ticket.role));
    }
    if let Stop::OverShared { ticket, over: OverBudget { needed, left, limit } } = &stop {
        console.say(&format!(
            "{}: the next dispatch may cost up to {needed}, but only {left} of the {limit} is left that all features may \
                spend together",
            ticket.role
        ));
    }
    let hosts: Vec<String> = match &stop {
        Stop::Host(unsent) => with_hosts(unsent, id).iter().map(|line| process.commands_in(line)).collect(),
        _ => Vec::new(),
    };
    console.say_all(hosts.get(1..).unwrap_or_default());
    console.ends(RunEnd {
        outcome: outcome.to_owned(),
        question: form.as_ref().map(|form| form.what.clone()),
        next: next.clone(),
    });
    let folder = place.display().to_string();
    console.say("");
    let (feature, undone) = (id.to_string(), run.undone());
    let warnings = monitor::watch(repo, &rows, process);
    let receipt = &receipt;
    let tasks = row.tasks;
    let around = Surroundings { now_ms: process.clock.now_ms(), ..Surroundings::default() };
    let now = row.clone().now(&around);
    let (standing, in_words) = (now.standing.clone(), now.standing_in_words());
    let estimate = row.estimate.as_ref().map(Expected::new);
    let shown = RunJson {
        v: 1,
        feature,
        outcome,
        waits_for_you: standing.waits_for_you(),
        standing,
        judged_by: run.state().judged_by(),
        rehearsed: row.rehearsed,
        unchecked: row.unchecked,
        ready: row.ready,
        tasks,
        question,
        form,
        estimate,
        parked_until_ms,
        receipt,
        undone,
        notes,
        warnings,
        folder,
        next,
    };
    let more = More {
        standing: in_words,
        notice: run.state().rehearsal_notice(false),
        unchecked: row.unchecked.then(|| board::no_check_ran(repo, process)),
        phase: run.state().phase(),
        host: hosts.into_iter().next(),
        cost: match &ending {
            Some(ending) => ending.cost.clone(),
            None => Some(process.next(&format!("redraft cost {id}"))),
        },
        findings: match (row.open_findings, row.deferred_findings) {
            (0, 0) => None,
            (open, deferred) => Some((open, deferred, process.next(&format!("redraft show findings {id}")))),
        },
        branch: row
            .ready
            .then(|| (row.branch.clone(), process.next(&format!("redraft show pull-request {id}")))),
    };
    console.show(&report(&shown, &more, ending), &shown);
    if !console.is_one_of_several() {
        monitor::say(&shown.warnings, console);
    }
    Ok(code)
}

/// What is with hosts, and the ways out of waiting for it.
fn with_hosts(unsent: &UnsentWork, id: FeatureId) -> Vec<String> {
    let out = unsent.out.iter().map(|(ticket, expires_ms)| {
        let held = with_host(ticket, *expires_ms);
        format!("{held}; if nobody is working on it any more: redraft run {id} --now")
    });
    let next = unsent.hosts.iter().map(|order| {
        format!(
            "{} is for a host, which fetches it through `redraft mcp`; to have another agent do it: redraft run \
                {id} --agent NAME",
            order.ticket
        )
    });
    out.chain(next).collect()
}

pub(crate) fn with_host(ticket: &Ticket, expires_ms: i64) -> String {
    format!("{ticket} is with a host until {}", utc(expires_ms))
}

/// Names a document that was edited after its phase had closed: it is not what was approved, and nobody has reviewed it
/// since.
fn changed_since(workspace: &dyn Workspace, state: &Pipeline) -> Result<Option<String>, CliError> {
    let Some(past) = state.past.last().filter(|_| state.open.is_none()) else { return Ok(None) };
    let Some(LoopEnd::Closed(closed)) = &past.end else { return Ok(None) };
    // What would be merged is checked again before the merge.
    if past.finishing.is_some() {
        return Ok(None);
    }
    let Some(created) = &state.created else { return Ok(None) };
    let found = redraft_engine::standing(workspace, created, &past.opened)?;
    let changed = found.as_ref() != Some(&closed.revision);
    let (phase, scope) = (closed.phase, &past.scope);
    let path = if phase == Phase::Implement { "the code" } else { past.artifact() };
    Ok(changed.then(|| {
        format!(
            "{path} is not what was approved: it, or a document it builds on, was edited after {phase} closed, and \
                nobody has reviewed the edit; restore it (git restore), or have it reviewed: redraft phase back \
                {scope} {phase} --why \"…\""
        )
    }))
}

/// Removes the kept files of dispatches that are no longer needed. What cannot be removed is left for the next run.
pub(crate) fn tidy(inbox: &FileInbox, scope: &Scope, entries: &[Entry], console: &Console) {
    for ticket in projections::removable_dispatches(entries).iter().filter(|ticket| ticket.scope == *scope) {
        if let Err(error) = inbox.forget(ticket) {
            console.say(&format!("the files kept for {ticket} cannot be removed: {error}"));
            return;
        }
    }
}

fn done_code(status: &str) -> ErrorCode {
    if matches!(status, "approved" | "accepted" | "closed") {
        ErrorCode::Done
    } else {
        ErrorCode::NotApproved
    }
}

pub(crate) fn waiting_code(question: &Question, on_cap: OnCap) -> ErrorCode {
    match (&question.about, on_cap) {
        // Where a person may accept, the agent answered.
        (About::Agent { .. }, _) if !question.choices.contains(&Decision::Accept) => ErrorCode::Agent,
        (About::Cap { .. }, OnCap::Stop) => ErrorCode::Limit,
        _ => ErrorCode::Waiting,
    }
}
