//! The tool `next`: drives a feature on as far as it can go without an agent, and hands out the next piece of work.
//!
//! Long work, such as a project's checks, goes on in a thread of its own while the host is told to wait. A piece of
//! work that was handed out after the host had gone is given again: it is out, and stays out until it is submitted or
//! expires.

use super::commands::feature_name;
use super::reply::{Reply, State};
use super::{CliError, McpService, ProcessContext, RepositoryContext};
use crate::cli::run::{RunContext, RunRequest, WorkSource, require_trusted_checks, tidy, with_run};
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Clock as _, Moment, Store as _};
use redraft_engine::{HostWork, Progress, Run, Stop, UnsentWork};
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::{AgentName, FeatureId};
use redraft_facts::text::utc;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_frame::args::RunArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::ErrorCode;
use redraft_frame::whole_file;
use redraft_reports::projections::BoardRow;
use redraft_reports::question::asked_at;
use redraft_views::board;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long to wait for a feature that another process holds before the host is told.
const HELD_MS: u64 = 1_500;
const LOOK_AGAIN_MS: u64 = 50;

/// The least time that two calls that come together wait for each other.
const MOMENT: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NextArgs {
    #[serde(default, deserialize_with = "feature_name")]
    feature: Option<String>,
    /// Tickets the host is still at work on.
    #[serde(default)]
    beside: Vec<String>,
    /// Conversations the host can go on with; none where it keeps none.
    kept: Option<Vec<String>>,
}

/// What a host has.
#[derive(Clone)]
struct HostHas {
    beside: Vec<Ticket>,
    kept: Option<Vec<String>>,
}

/// Where a drive came to rest, and after which event of the feature.
struct Rest {
    state: State,
    seq: u64,
}

/// A feature being driven on.
pub(super) struct Job {
    thread: JoinHandle<()>,
    end: Receiver<Result<Rest, CliError>>,
    doing: Arc<Doing>,
    began: Moment,
}

impl Job {
    pub(super) fn join(self) {
        // A job that panicked keeps what it had stored.
        let _ = self.thread.join();
    }
}

/// What a job does now, for a host that is told to wait.
#[derive(Default)]
struct Doing(Mutex<String>);

impl Doing {
    fn now(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, what: &str) {
        what.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Progress for Doing {
    fn stored(&self, entry: &Entry, state: &Pipeline) {
        let owed = redraft_core::pipeline::pending(state);
        let checks = owed.iter().any(|effect| matches!(effect, redraft_core::review::Effect::Check { .. }));
        self.set(match &entry.event {
            _ if checks => "the project's checks",
            Event::Answered(_) => "reading what was submitted",
            _ => "redraft's own work",
        });
    }
}

pub(super) fn next(desk: &Arc<McpService>, args: NextArgs) -> Result<Reply, CliError> {
    let repo = RepositoryContext::find(&desk.process.folder)?;
    let id = desk.feature(&repo, args.feature.as_deref())?;
    let beside = args.beside.iter().filter_map(|name| name.parse().ok()).collect();
    let has = HostHas { beside, kept: args.kept };
    let Some(_turn) = Turn::take(desk, id) else {
        let (feature, what) = (id.to_string(), "another call of `next`".to_owned());
        return Ok(Reply::state(State::Wait { feature, what, retry_after_s: 5 }));
    };
    let left = desk.jobs.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    let begun = || begin(desk, id, has.clone());
    let state = match left {
        None => awaited(desk, id, begun())?.state,
        Some(job) => {
            let Rest { state, seq } = awaited(desk, id, job)?;
            // It was driven for an earlier call: the feature may have changed since, or the host may already have this
            // work.
            let had = matches!(&state, State::Work { ticket, .. } if args.beside.contains(ticket));
            let keeps = |name: &String| has.kept.as_ref().is_some_and(|kept| kept.contains(name));
            let lost = matches!(&state, State::Work { conversation: Some(name), .. } if !keeps(name));
            let moved = !matches!(state, State::Wait { .. }) && last_seq(&repo, id)? != Some(seq);
            if had || lost || moved { awaited(desk, id, begun())?.state } else { state }
        }
    };
    Ok(Reply::state(state))
}

/// The last event of a feature.
fn last_seq(repo: &RepositoryContext, id: FeatureId) -> Result<Option<u64>, CliError> {
    let Some(ledger) = repo.reader()? else { return Ok(None) };
    Ok(ledger.read(Scope::Feature(id))?.last().map(|entry| entry.seq))
}

/// Waits for a job as long as the host is patient; an unfinished one is left for the next call.
fn awaited(desk: &Arc<McpService>, id: FeatureId, job: Job) -> Result<Rest, CliError> {
    match job.end.recv_timeout(desk.patience) {
        Ok(end) => {
            job.join();
            let command = desk.process.next(&format!("redraft run {id}"));
            let told = |error: CliError| {
                let state = State::of_error(id.to_string(), error.typed_here(&desk.process), command)?;
                // It had no result, so nothing has changed.
                let seq = last_seq(&RepositoryContext::find(&desk.process.folder)?, id)?.unwrap_or_default();
                Ok(Rest { state, seq })
            };
            end.or_else(told)
        }
        Err(RecvTimeoutError::Disconnected) => {
            job.join();
            Err(CliError::new(ErrorCode::Bug, format!("continuing feature {id} ended in a panic")))
        }
        Err(RecvTimeoutError::Timeout) => {
            let waited_s = desk.process.clock.moment().ms_since(job.began) / 1000;
            let what = job.doing.now();
            desk.jobs.lock().unwrap_or_else(PoisonError::into_inner).insert(id, job);
            // The longer it takes, the less often it is worth a turn to ask.
            let retry_after_s = (waited_s / 2).clamp(5, 60);
            let state = State::Wait { feature: id.to_string(), what, retry_after_s };
            Ok(Rest { state, seq: 0 })
        }
    }
}

/// Allows one call of `next` for a feature at a time: two would block each other.
struct Turn<'a> {
    desk: &'a McpService,
    id: FeatureId,
}

impl<'a> Turn<'a> {
    /// Waits as long as the host is patient, but always a moment.
    fn take(desk: &'a McpService, id: FeatureId) -> Option<Turn<'a>> {
        let turns = desk.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = desk.patience.max(MOMENT);
        let waited = desk.turned.wait_timeout_while(turns, patience, |turns| turns.contains(&id));
        let (mut turns, timed) = waited.unwrap_or_else(PoisonError::into_inner);
        if timed.timed_out() {
            return None;
        }
        turns.insert(id);
        Some(Turn { desk, id })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.desk.turns.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        self.desk.turned.notify_all();
    }
}

fn begin(desk: &Arc<McpService>, id: FeatureId, has: HostHas) -> Job {
    let (tell, end) = sync_channel(1);
    let doing = Arc::new(Doing::default());
    doing.set("redraft's own work");
    let (inside, told) = (Arc::clone(desk), Arc::clone(&doing));
    let thread = std::thread::spawn(move || {
        // Once the host has gone there is no receiver; what was handed out is given again.
        let _ = tell.send(drive(&inside.process, id, &has, &told));
    });
    Job { thread, end, doing, began: desk.process.clock.moment() }
}

fn drive(process: &ProcessContext, id: FeatureId, has: &HostHas, doing: &Doing) -> Result<Rest, CliError> {
    let (repo, console) = (RepositoryContext::find(&process.folder)?, Console::capturing());
    let args = RunArgs::default();
    let progress: &dyn Progress = doing;
    let wish = RunRequest {
        repo: &repo,
        id,
        args: &args,
        players: WorkSource::Host,
        progress,
        process,
        console: &console,
    };
    let since = process.clock.moment();
    loop {
        let state = with_run(&wish, |run, stage| {
            require_trusted_checks(run.state(), stage.repo, stage.config, &args, process, &console)?;
            run.hear_kept(has.kept.as_deref(), &has.beside)?;
            let state = advance(run, stage, &has.beside, process)?;
            tidy(stage.inbox, &Scope::Feature(id), run.entries(), &console);
            Ok(Rest { state, seq: run.state().seq })
        });
        let waited_ms = process.clock.moment().ms_since(since);
        match state {
            // Another server, a submission or a command holds it for a moment.
            Err(error) if error.code == ErrorCode::Held && waited_ms < HELD_MS => {
                if !process.clock.wait_ms(LOOK_AGAIN_MS) {
                    return Err(error);
                }
            }
            // Where nothing is sent, there is no question about cost.
            done => return done?.ok_or_else(|| CliError::new(ErrorCode::Bug, "a host was asked about cost")),
        }
    }
}

/// Goes on until somebody else is needed.
fn advance(
    run: &mut Run<'_>,
    stage: &RunContext<'_>,
    beside: &[Ticket],
    process: &ProcessContext,
) -> Result<State, CliError> {
    let id = stage.created.id;
    let feature = id.to_string();
    let command = || process.next(&format!("redraft run {id}"));
    loop {
        return Ok(match run.drive()? {
            Stop::Host(UnsentWork { out, hosts, others }) => {
                if let Some(order) = hosts.first() {
                    if let Err(over) = run.hand_out(order)? {
                        let command = process.next(&format!("redraft run {id} --budget USD"));
                        return Ok(State::Stopped { feature, reason: over.to_string(), command });
                    }
                    if let Some(work) = run.work(&order.ticket)? {
                        return given(stage, &work);
                    }
                    continue;
                }
                let again = out.iter().find(|(ticket, _)| !beside.contains(ticket));
                if let Some((ticket, _)) = again
                    && let Some(work) = run.work(ticket)?
                {
                    return given(stage, &work);
                }
                match (out.as_slice(), others.first()) {
                    ([], Some(order)) => {
                        let role = &order.ticket.role;
                        let name = stage.config.agent_of(role).map_or("another agent", AgentName::as_str);
                        let reason = format!(
                            "{role} is played by {name}, which redraft starts itself: {}",
                            order.ticket
                        );
                        State::Stopped { feature, reason, command: command() }
                    }
                    _ => State::Wait { feature, what: "what you still have".to_owned(), retry_after_s: 15 },
                }
            }
            Stop::Asking(question) => {
                let options = question.choices.iter().map(|choice| choice.name()).collect();
                let seen = asked_at(run.entries(), &question);
                let revision = run.state().open.as_ref().and_then(|open| open.revision.clone());
                State::Decide { feature, question: question.text, options, seen, revision }
            }
            Stop::Done => {
                let row = BoardRow::new(run.state(), process.clock.now_ms());
                let next = board::next_after(stage.repo, stage.ledger, id, process)?;
                let outcome = if row.merged { "merged".to_owned() } else { row.status };
                let (judged_by, rehearsed) = (run.state().judged_by(), row.rehearsed);
                State::Done { feature, outcome, judged_by, rehearsed, next }
            }
            Stop::OverBudget { ticket, over } | Stop::OverShared { ticket, over } => {
                let command = process.next(&format!("redraft run {id} --budget USD"));
                State::Stopped { feature, reason: format!("{ticket}: {over}"), command }
            }
            Stop::Parked(until_ms) => {
                let reason = format!("an agent's usage limit lasts until {}", utc(until_ms));
                State::Stopped { feature, reason, command: command() }
            }
            Stop::Findings => {
                let reason = "findings are left to a person".to_owned();
                State::Stopped {
                    feature,
                    reason,
                    command: process.next(&format!("redraft show findings {id}")),
                }
            }
            Stop::Interrupted => State::Stopped {
                feature,
                reason: "the server was asked to stop".to_owned(),
                command: command(),
            },
        });
    }
}

/// A piece of work as the host reads it.
fn given(stage: &RunContext<'_>, work: &HostWork) -> Result<State, CliError> {
    let own = stage.repo.state.join("runs").join(work.ticket.to_string());
    let folder = match work.folder == stage.repo.worktree(stage.created)? {
        true => work.folder.clone(),
        // A separate folder is gone with the run that made it, and a host is slower than that.
        false => kept_apart(&work.folder, &own.join("folder"))?,
    };
    // Everything here passes the host's main conversation twice and is read again by each of its later requests, so it
    // is only the names of files.
    let prompt_file = written(&own.join("prompt.md"), &work.prompt.text())?;
    let schema_file = written(&own.join("schema.json"), work.schema)?;
    Ok(State::Work {
        feature: stage.created.id.to_string(),
        ticket: work.ticket.to_string(),
        role: work.ticket.role.to_string(),
        run_as: "subagent",
        folder: folder.display().to_string(),
        tools: work.tools.clone(),
        writes: work.writes.clone(),
        prompt_file,
        schema_file,
        expires: utc(work.expires_ms),
        conversation: work.conversation.clone(),
    })
}

fn written(file: &Path, text: &str) -> Result<String, CliError> {
    whole_file::keep(file, text)?;
    Ok(file.display().to_string())
}

/// Copies a folder that holds a few documents.
fn kept_apart(from: &Path, to: &Path) -> Result<PathBuf, CliError> {
    let failed = |error: std::io::Error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be written: {error}", to.display()))
    };
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            kept_apart(&entry.path(), &target)?;
        } else {
            std::fs::create_dir_all(to)
                .and_then(|()| std::fs::copy(entry.path(), &target))
                .map_err(failed)?;
        }
    }
    Ok(to.to_owned())
}
