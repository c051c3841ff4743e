//! The report at the end of a run: for programs and in words.

use crate::cli::board::from_when;
use redraft_core::attribution::RoleAttribution;
use redraft_engine::Undone;
use redraft_facts::event::Question;
use redraft_facts::forecast::Forecast;
use redraft_reports::estimate;
use redraft_reports::projections::{Receipt, TaskTally, Warning};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct RunJson<'a> {
    pub(super) v: u16,
    pub(super) feature: String,
    /// `merged`, `approved`, `accepted` (by a ruling), `closed` (by gates only, no reviewer), `findings`, `active`, `waiting`, `parked`, `over budget`, `host` (with one, or for one), `abandoned` or `interrupted`.
    pub(super) outcome: &'a str,
    /// Who gave the verdicts that stand.
    pub(super) judged_by: Vec<RoleAttribution>,
    /// Whether the rehearsal agent, which judges nothing, wrote or judged any of it.
    pub(super) rehearsed: bool,
    /// Whether its branch is ready to be merged.
    pub(super) ready: bool,
    /// What became of the tasks, once they are being carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tasks: Option<TaskTally>,
    pub(super) question: Option<&'a Question>,
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
    pub(crate) text: String,
    pub(crate) next: String,
}

/// `notice` keeps a rehearsal from being taken for a review, `more` says where to look further, a line each.
pub(super) fn report(shown: &RunJson<'_>, notice: &str, more: &str, ending: Option<Ending>) -> String {
    let RunJson {
        feature,
        outcome,
        ready,
        tasks,
        question,
        estimate,
        parked_until_ms,
        receipt,
        undone,
        folder,
        next,
        ..
    } = shown;
    let next = from_when(next, *parked_until_ms);
    let asked = question.map(|question| format!(": {}", question.text)).unwrap_or_default();
    let lines = estimate.iter().flat_map(|estimate| estimate::lines(&estimate.forecast));
    let expected: String = lines.map(|line| format!("\n  {line}")).collect();
    let outcome = match *outcome {
        "closed" => "closed by gates only, no reviewer".to_owned(),
        "host" => "waiting for a host".to_owned(),
        outcome if *ready => format!("{outcome} and ready to merge"),
        outcome => outcome.to_owned(),
    };
    let ending = ending.map_or_else(|| format!("{more}folder: {folder}\nnext: {next}"), |ending| ending.text);
    let undone: String = undone.iter().map(lost_and_found).collect();
    let tasks = tasks.map(|tasks| format!("{}\n", tasks.in_words())).unwrap_or_default();
    format!(
        "{}\n{undone}{tasks}feature {feature} is {outcome}{asked}{expected}\n{notice}{ending}",
        receipt.text()
    )
}

fn lost_and_found(undone: &Undone) -> String {
    let Undone { ticket, what, reference, command } = undone;
    let what = what.join(", ");
    format!(
        "undone for {ticket}: {what}; kept under {reference}\n  to look at it: git show {reference}\n  to restore \
            it over the current files: {command}\n"
    )
}
