//! The report at the end of a run: for programs and in words.

use redraft_core::attribution::{self, RoleAttribution};
use redraft_engine::Undone;
use redraft_facts::event::Question;
use redraft_facts::forecast::Forecast;
use redraft_facts::phase::Phase;
use redraft_facts::text::{count, one_line};
use redraft_reports::estimate;
use redraft_reports::projections::{Receipt, TaskTally, Warning};
use redraft_reports::question::QuestionForm;
use redraft_reports::standing::Standing;
use redraft_views::board::from_when;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct RunJson<'a> {
    pub(super) v: u16,
    pub(super) feature: String,
    /// `merged`, `approved`, `accepted` (by a ruling), `closed` (by gates only, no reviewer), `findings`, `active`, `waiting`, `parked`, `over budget`, `host` (with one, or for one), `abandoned` or `interrupted`.
    pub(super) outcome: &'a str,
    /// Where it stands now, as `status` has it.
    pub(super) standing: Standing,
    pub(super) waits_for_you: bool,
    /// Who gave the verdicts that stand.
    pub(super) judged_by: Vec<RoleAttribution>,
    /// Whether the rehearsal agent, which judges nothing, wrote or judged any of it.
    pub(super) rehearsed: bool,
    /// Whether code was written although the project names no check that could have run on it.
    pub(super) unchecked: bool,
    /// Whether its branch is ready to be merged.
    pub(super) ready: bool,
    /// What became of the tasks, once they are being carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tasks: Option<TaskTally>,
    pub(super) question: Option<&'a Question>,
    /// The same as a person is asked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) form: Option<QuestionForm>,
    /// Where it waits before code is written: what is expected from there on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) estimate: Option<Expected>,
    /// Where it is parked: when the usage limit is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parked_until_ms: Option<i64>,
    pub(super) receipt: &'a Receipt,
    /// What this run undid in the worktree, and how to get it back.
    pub(super) undone: &'a [Undone],
    pub(super) notes: Vec<String>,
    /// What happens too often over several features, with the remedy.
    pub(super) warnings: Vec<Warning>,
    pub(super) folder: String,
    pub(super) next: String,
}

/// An estimate for programs.
#[derive(Serialize)]
pub(crate) struct Expected {
    estimate: bool,
    expected_micro_usd: u64,
    dispatches: u32,
    /// Where the numbers come from, in words.
    basis: String,
    #[serde(flatten)]
    forecast: Forecast,
}

impl Expected {
    pub(crate) fn new(forecast: &Forecast) -> Expected {
        Expected {
            estimate: true,
            expected_micro_usd: forecast.cost().0,
            dispatches: forecast.dispatches(),
            basis: estimate::basis(forecast),
            forecast: forecast.clone(),
        }
    }
}

/// The end of a report, where the worktree and the feature's next command would be of no use. A run with such an ending
/// is shown as a story.
pub(crate) struct Ending {
    /// The command that shows all costs, unless there is nothing left to look at.
    pub(crate) cost: Option<String>,
    pub(crate) text: String,
    pub(crate) next: String,
}

/// What the end of a run says in addition to its result.
pub(super) struct More {
    /// Where it stands, as `status` says it.
    pub(super) standing: String,
    /// Keeps a rehearsal from being taken for a review.
    pub(super) notice: Option<String>,
    /// Where no check has run on the code: that, and the way to have one.
    pub(super) unchecked: Option<String>,
    /// The command that shows all costs, unless there is nothing left to look at.
    pub(super) cost: Option<String>,
    /// The phase that comes next, where the run stopped before it.
    pub(super) phase: Option<Phase>,
    /// What is with a host, or for one, and the way out.
    pub(super) host: Option<String>,
    /// How many findings are open and how many deferred, and the command that shows them.
    pub(super) findings: Option<(u32, u32, String)>,
    /// The branch that is ready, and the command that writes its pull request's text.
    pub(super) branch: Option<(String, String)>,
}

/// What fits a screen together with the end of the story.
const LINES_MAX: usize = 8;
/// The lines that follow all others: where it is, and what comes next.
const ENDING: usize = 2;

/// At most eight lines: where it stands, what is open, what it cost, and what comes next.
pub(super) fn report(shown: &RunJson<'_>, more: &More, ending: Option<Ending>) -> String {
    let RunJson { feature, question, estimate, undone, folder, .. } = shown;
    let mut lines = vec![format!("feature {feature} is {}", standing(shown, more))];
    lines.extend(question.map(asked));
    lines.extend(more.host.clone());
    if let Some(estimate) = estimate {
        lines.push(format!("expected from here: {}", estimate.forecast.in_a_line()));
    }
    if let Some((open, deferred, command)) = &more.findings {
        let open = count(*open as usize, "open finding");
        let deferred = if *deferred > 0 { format!(", {deferred} deferred") } else { String::new() };
        lines.push(format!("{open}{deferred}: {command}"));
    }
    let details = more.cost.as_ref().map(|command| format!("; more: {command}")).unwrap_or_default();
    lines.push(format!("{}{details}", shown.receipt.cost()));
    lines.extend(more.unchecked.clone());
    lines.extend(more.notice.clone());
    // The notice says it of those that only rehearsed; what was undone was told when it happened. Both may be left out.
    let judges = attribution::in_words(&shown.judged_by);
    let unsaid = !judges.is_empty() && !shown.judged_by.iter().all(RoleAttribution::is_rehearsed);
    let judged = unsaid.then(|| format!("judged by {judges}"));
    let undone = undone.split_first().map(|(first, rest)| lost_and_found(first, rest.len()));
    let room = (LINES_MAX - ENDING).saturating_sub(lines.len());
    lines.extend(judged.into_iter().chain(undone).take(room));
    match ending {
        Some(ending) => lines.push(ending.text),
        None => {
            lines.push(match &more.branch {
                Some((branch, command)) => {
                    format!("branch: {branch}, ready for a pull request; its text: {command}")
                }
                None => format!("folder: {folder}"),
            });
            lines.push(format!("next: {}", from_when(&shown.next, shown.parked_until_ms)));
        }
    }
    lines.join("\n")
}

/// Where it stands, in the words of `status`, with what only this run knows.
fn standing(shown: &RunJson<'_>, more: &More) -> String {
    let RunJson { outcome, standing, tasks, question, .. } = shown;
    let words = match (*outcome, standing) {
        ("interrupted", Standing::Interrupted { .. }) => more.standing.clone(),
        ("interrupted", _) => format!("interrupted, {}", more.standing),
        // Which work is for hosts is in the settings.
        ("host", Standing::Ready | Standing::Planned) => "waiting for a host".to_owned(),
        _ => more.standing.clone(),
    };
    match (more.phase, tasks) {
        (Some(phase), _) if *outcome == "active" => format!("{words}; {phase} comes next"),
        (_, Some(tasks)) if question.is_none() => format!("{words}; {}", tasks.in_words()),
        _ => words,
    }
}

/// What a person is asked, in a line. An author's questions were told when it asked them.
fn asked(question: &Question) -> String {
    const CHARS_MAX: usize = 300;
    let choices: Vec<&str> = question.choices.iter().map(|choice| choice.name()).collect();
    let text = question.text.lines().next().unwrap_or_default();
    format!("asked: {}; choices: {}", one_line(text, CHARS_MAX), choices.join(", "))
}

/// What was undone was told when it happened; here is the way back to the first of it.
fn lost_and_found(undone: &Undone, others: usize) -> String {
    let Undone { what, command, .. } = undone;
    let others = if others > 0 { format!(" (and {others} more, told above)") } else { String::new() };
    format!("undone: {}{others}; to get it back: {command}", one_line(&what.join(", "), 120))
}
