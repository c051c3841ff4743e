//! A schedule as a person reads it.

use super::{RowJson, ScheduleJson, TaskJson, UsualJson};
use crate::table::{Align, table};
use redraft_documents::schedule::Reason;
use redraft_facts::harmless;
use redraft_facts::text::{count, one_line, span};
use redraft_facts::usage::Usd;

const CHARS_MAX: usize = 100;

pub(super) fn page(json: &ScheduleJson<'_>) -> String {
    let left = json.tasks.iter().filter(|task| !task.done).count();
    let done = json.tasks.len() - left;
    let also = if done > 0 { format!(", {done} done") } else { String::new() };
    let mut out = format!(
        "{} of {} to carry out{also}, at most {} at once\n\n",
        count(left, "task"),
        harmless::name(json.name),
        json.jobs
    );
    for task in &json.tasks {
        out.push_str(&told(task, json.unit));
    }
    if left > 0 {
        out.push_str(&format!(
            "\ncritical path, which no number of jobs shortens: {}\n\n",
            json.critical_path.join(", ")
        ));
        out.push_str(&rows(json));
        out.push('\n');
        out.push_str(&basis(json.usual.as_ref(), json.jobs));
    }
    for note in &json.notes {
        out.push_str(&format!("note: {note}\n"));
    }
    out
}

fn told(task: &TaskJson<'_>, unit: &str) -> String {
    let title = one_line(task.title, CHARS_MAX);
    let (Some(begins), Some(job)) = (task.begins, task.job) else {
        return format!("{}  {title}  (done)\n", task.id);
    };
    let when = match begins {
        0 => "at once".to_owned(),
        begins => format!("after {}", long(begins, unit)),
    };
    let mut out = format!("{}  {title}\n    begins {when}, job {job}\n", task.id);
    for wait in &task.waits {
        out.push_str(&format!("    waits for {}: {}\n", wait.task, wait.text));
    }
    out
}

/// Why `task` waits for `other`.
pub(super) fn reason(task: &str, other: &str, why: Reason<'_>) -> String {
    match why {
        Reason::Needs => "needs it".to_owned(),
        Reason::Circle => "they wait for each other, so the order of the list counts".to_owned(),
        Reason::UnknownNeed(need) => {
            let need = one_line(need, CHARS_MAX);
            format!("needs `{need}`, which is no other task of the list, so it waits for all before it")
        }
        Reason::SharedFile(own, its) if own.to_string() == its.to_string() => {
            format!("both write {}", one_line(&own.to_string(), CHARS_MAX))
        }
        Reason::SharedFile(own, its) => {
            let (own, its) = (one_line(&own.to_string(), CHARS_MAX), one_line(&its.to_string(), CHARS_MAX));
            format!("{own} overlaps its {its}")
        }
        Reason::NoFiles { own: true, other: true } => "neither declares files".to_owned(),
        Reason::NoFiles { own: true, .. } => format!("{task} declares no files"),
        Reason::NoFiles { .. } => format!("{other} declares no files"),
    }
}

fn long(length: u64, unit: &str) -> String {
    match unit {
        "ms" => span(length),
        _ => count(usize::try_from(length).unwrap_or(usize::MAX), "task"),
    }
}

fn rows(json: &ScheduleJson<'_>) -> String {
    let row = |row: &RowJson| {
        let cost = match (row.cost_micro_usd, row.at_least, row.more_at_most_micro_usd) {
            (None, _, _) => "not known".to_owned(),
            (Some(cost), false, _) => format!("about {}", Usd(cost)),
            (Some(cost), true, None) => format!("about {} or more", Usd(cost)),
            (Some(cost), true, Some(more)) => {
                format!("about {} to {}", Usd(cost), Usd(cost.saturating_add(more)))
            }
        };
        vec![row.jobs.to_string(), long(row.length, json.unit), cost]
    };
    let head = ["jobs", "time", "cost"].map(str::to_owned).to_vec();
    let all: Vec<Vec<String>> = [head].into_iter().chain(json.table.iter().map(row)).collect();
    table(&[Align::Right, Align::Right, Align::Left], &all)
}

/// Where the figures come from, and what they leave out.
fn basis(usual: Option<&UsualJson>, jobs: usize) -> String {
    let Some(usual) = usual else {
        return "no task was carried out here yet, so nothing is known of times and costs: a time of 3 tasks is that of \
                three tasks, one after the other\n"
            .to_owned();
    };
    let whose = if usual.of == "feature" { "this feature" } else { "this repository" };
    let mut out = format!(
        "a task counts as {}, the median of {} of {whose}; checks between tasks are not counted\n",
        span(usual.wall_ms),
        count(usual.timed, "earlier task")
    );
    match usual.cost_micro_usd {
        Some(cost) => out.push_str(&format!(
            "and as {}, the median of {} whose bills are known\n",
            Usd(cost),
            count(usual.billed, "task")
        )),
        None => {
            out.push_str("what a task costs is not known: no bill of an earlier one is known as a whole\n")
        }
    }
    if usual.cost_micro_usd.is_some() && jobs > 1 {
        out.push_str("tasks that begin side by side may share less of the prompt cache; ");
        out.push_str(&match usual.cached_micro_usd {
            Some(cached) => format!(
                "what they share is worth {} a task there, and the higher figure is without it\n",
                Usd(cached)
            ),
            None => "how much more that costs is not known\n".to_owned(),
        });
        out.push_str("a task that comes back from the queue is paid for again\n");
    }
    out
}
