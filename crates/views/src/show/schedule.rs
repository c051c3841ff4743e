//! `redraft show schedule`: which tasks may run side by side, what each waits for, and how long several jobs take.
//!
//! `documents::schedule` decides what waits for what, `reports::schedule` what that comes to; this module finds out which list
//! the user means, and shows it.

mod text;

use super::{documents, trace};
use redraft_adapters::git::CheckoutLocation;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::{Implementing, TaskEnd};
use redraft_documents::lint::ArtifactKind;
use redraft_documents::schedule::{Reason, Schedule, ScheduledTask, TaskProgress};
use redraft_documents::tasks::{Task, TaskList};
use redraft_engine::ports::Store;
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_frame::args::ScheduleArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::trace_inputs::TraceInputs;
use redraft_reports::schedule::{Outlook, PastTasks, PlannedSlot, UsualTask, Wait, beside, length};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A list, and what is known of the feature it belongs to.
struct Meant {
    name: String,
    feature: Option<FeatureId>,
    list: TaskList,
    /// What was built of it.
    built: Option<Implementing>,
}

#[derive(Serialize)]
struct ScheduleJson<'a> {
    v: u16,
    /// None where no ledger knows it.
    feature: Option<String>,
    name: &'a str,
    jobs: usize,
    tasks: Vec<TaskJson<'a>>,
    critical_path: Vec<&'a str>,
    /// What `begins`, `ends` and `length` are counted in: `ms`, or `tasks` where no time is known.
    unit: &'static str,
    /// What a task is expected to take; none where nothing is known.
    usual: Option<UsualJson>,
    table: Vec<RowJson>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct TaskJson<'a> {
    id: &'a str,
    title: &'a str,
    line: u32,
    files: &'a [String],
    done: bool,
    waits: Vec<WaitJson<'a>>,
    begins: Option<u64>,
    ends: Option<u64>,
    job: Option<usize>,
}

#[derive(Serialize)]
struct WaitJson<'a> {
    task: &'a str,
    /// `needs`, `circle`, `unknown_need`, `shared_file` or `no_files`.
    why: &'static str,
    /// The same for people.
    text: String,
}

#[derive(Serialize)]
struct UsualJson {
    /// `feature` or `repository`: whose earlier tasks are counted.
    of: &'static str,
    wall_ms: u64,
    timed: usize,
    cost_micro_usd: Option<u64>,
    billed: usize,
    /// How much more a task costs that finds nothing in a cache of what it shares with others.
    cached_micro_usd: Option<u64>,
}

#[derive(Serialize)]
struct RowJson {
    jobs: usize,
    length: u64,
    cost_micro_usd: Option<u64>,
    /// Whether it may cost more: tasks that begin side by side share less of the prompt cache.
    at_least: bool,
    /// How much more, if they share nothing of it; none where it is not known.
    more_at_most_micro_usd: Option<u64>,
}

pub fn schedule(
    args: ScheduleArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let meant = meant(args.what.as_deref(), process)?;
    let usual = past(process)?.usual(meant.feature.map(Scope::Feature).as_ref());
    let (tasks, states) = scheduled(&meant);
    let schedule = Schedule::new(&tasks);
    let lasts = vec![usual.map_or(1, |usual| usual.wall_ms); tasks.len()];
    let outlook = Outlook::new(&schedule, &states, &lasts);
    let json = ScheduleJson::new(&meant, &outlook, usual, usize::from(args.jobs));
    console.show(&text::page(&json), &json);
    Ok(ErrorCode::Done)
}

/// A file, a folder, or a feature.
fn meant(word: Option<&str>, process: &ProcessContext) -> Result<Meant, CliError> {
    let path = word.map(|word| process.folder.join(word));
    if let (Some(word), Some(file)) = (word, path.as_ref().filter(|path| path.is_file())) {
        let text = documents::read(&process.folder, file)?;
        let (name, list) = (word.to_owned(), documents::list(Path::new(word), &text)?);
        return Ok(Meant { name, feature: None, list, built: None });
    }
    let gathered = match (word, path.filter(|path| path.is_dir())) {
        (Some(_), Some(folder)) => {
            TraceInputs::of_folder(&CheckoutLocation::checkout_of(&process.folder), &folder)?
        }
        (Some(word), None) => trace::feature(Some(named(word, process)?), "schedule", process)?,
        (None, _) => trace::feature(None, "schedule", process)?,
    };
    let Some(text) = gathered.text(ArtifactKind::Tasks) else {
        let error = CliError::new(ErrorCode::NotApproved, format!("{} has no tasks.md yet", gathered.name));
        return Err(match gathered.feature {
            Some(id) => error.hint(format!("to have it written: redraft run {id} --until create-tasks")),
            None => error.hint("name a list of tasks, or a folder with a tasks.md"),
        });
    };
    let list = documents::list(&PathBuf::from(&gathered.name).join("tasks.md"), text)?;
    let state = Pipeline::replay(gathered.entries()).ok();
    let built =
        state.as_ref().and_then(|state| state.standing().filter_map(|one| one.implementing.clone()).last());
    Ok(Meant { name: gathered.name.clone(), feature: gathered.feature, list, built })
}

fn named(word: &str, process: &ProcessContext) -> Result<FeatureId, CliError> {
    let number = word.split('-').next().and_then(|number| number.parse().ok());
    trace::by_slug(word, process).or(number).ok_or_else(|| {
        CliError::usage(format!("there is no file, folder or feature `{word}`"))
            .hint("name a list of tasks or a folder with a tasks.md; `redraft status` lists the features")
    })
}

/// What earlier tasks of this repository took.
fn past(process: &ProcessContext) -> Result<PastTasks, CliError> {
    let mut past = PastTasks::default();
    if let Ok(repo) = process.repository()
        && let Some(ledger) = repo.reader()?
    {
        ledger.each_of(&PastTasks::KINDS, &mut |_, entry| past.take(&entry.event))?;
    }
    Ok(past)
}

/// The tasks as the schedule sees them, and where they are.
fn scheduled(meant: &Meant) -> (Vec<ScheduledTask>, Vec<TaskProgress>) {
    let mut tasks = ScheduledTask::of_list(&meant.list);
    let one = |task: &mut ScheduledTask| {
        // A loop names its tasks so.
        let id = task.id.replace('/', "-");
        let work = meant.built.iter().flat_map(|built| &built.tasks).find(|work| work.id.as_str() == id);
        if let Some(wrote) = work.and_then(|work| work.wrote.as_ref()) {
            task.touched.clone_from(&wrote.files);
        }
        match work.and_then(|work| work.end.as_ref()) {
            Some(TaskEnd::Done | TaskEnd::Before | TaskEnd::Blocked { .. }) => TaskProgress::Ended,
            None => TaskProgress::Open,
        }
    };
    let states = tasks.iter_mut().map(one).collect();
    (tasks, states)
}

impl<'a> ScheduleJson<'a> {
    fn new(meant: &'a Meant, outlook: &Outlook<'_>, usual: Option<UsualTask>, jobs: usize) -> Self {
        let list = &meant.list;
        let plan = outlook.plan(jobs);
        let (path, _) = outlook.critical_path();
        let left = u64::try_from(outlook.to_come().count()).unwrap_or(u64::MAX);
        let cost = usual.and_then(|usual| usual.cost).map(|cost| cost.0.saturating_mul(left));
        let cached = usual.and_then(|usual| usual.cached);
        let row = |jobs: usize| {
            let plan = outlook.plan(jobs);
            RowJson {
                jobs,
                length: length(&plan),
                cost_micro_usd: cost,
                at_least: jobs > 1,
                more_at_most_micro_usd: cached.map(|cached| cached.0.saturating_mul(beside(&plan))),
            }
        };
        let tasks = list.tasks.iter().zip(&plan).enumerate();
        ScheduleJson {
            v: 1,
            feature: meant.feature.map(|id| id.to_string()),
            name: &meant.name,
            jobs,
            tasks: tasks
                .map(|(at, (task, slot))| TaskJson::new(task, *slot, &outlook.waits(at), list))
                .collect(),
            critical_path: path.into_iter().map(|at| list.tasks[at].id.as_str()).collect(),
            unit: if usual.is_some() { "ms" } else { "tasks" },
            usual: usual.map(|usual| UsualJson {
                of: if usual.own { "feature" } else { "repository" },
                wall_ms: usual.wall_ms,
                timed: usual.timed,
                cost_micro_usd: usual.cost.map(|cost| cost.0),
                billed: usual.billed,
                cached_micro_usd: usual.cached.map(|cached| cached.0),
            }),
            table: (1..=jobs).map(row).collect(),
            notes: list.notes.iter().map(|note| format!("line {}: {}", note.line, note.text)).collect(),
        }
    }
}

impl<'a> TaskJson<'a> {
    fn new(
        task: &'a Task,
        slot: Option<PlannedSlot>,
        waits: &[Wait<'_>],
        list: &'a TaskList,
    ) -> TaskJson<'a> {
        let wait = |wait: &Wait<'_>| {
            let other = list.tasks[wait.task].id.as_str();
            WaitJson { task: other, why: name(wait.why), text: text::reason(&task.id, other, wait.why) }
        };
        TaskJson {
            id: &task.id,
            title: &task.title,
            line: task.line,
            files: &task.files,
            done: slot.is_none(),
            waits: waits.iter().map(wait).collect(),
            begins: slot.map(|slot| slot.begins),
            ends: slot.map(|slot| slot.ends),
            job: slot.map(|slot| slot.job),
        }
    }
}

fn name(why: Reason<'_>) -> &'static str {
    match why {
        Reason::Needs => "needs",
        Reason::Circle => "circle",
        Reason::UnknownNeed(_) => "unknown_need",
        Reason::SharedFile(..) => "shared_file",
        Reason::NoFiles { .. } => "no_files",
    }
}
