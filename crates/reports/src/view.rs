//! Everything a view shows of a feature, folded from its events: the page of `redraft report`, its JSON, and whatever
//! else looks at a feature.
//!
//! A view draws an [`Overview`] and computes nothing of its own, so that no two can disagree. It begins with the row
//! that `status` shows, standing included. `parts` has the phases, tasks and what is under way, `findings` what was
//! found and what became of it, `decided` who decided what, `costs` the money. A page that has more room also asks
//! for what is asked as a form (`asked`), all `revisions`, and what was `sent`. `last_change` says since when it
//! stands there. Nothing here knows how it is shown.

mod asked;
mod costs;
mod decided;
mod findings;
mod last_change;
mod parts;
mod revisions;
mod sent;

pub use asked::AskedView;
pub use costs::{BilledRound, CostsOfPhase, CostsOfRole, CostsView, Spending};
pub use decided::{DecisionSort, DecisionView};
pub use findings::FindingView;
pub use last_change::moved_at;
pub use parts::{CheckView, DispatchView, PhaseState, PhaseView, ReviewerView, TaskView};
pub use revisions::{RevisionView, revisions};
pub use sent::{SentView, sent};

use crate::projections::{BoardRow, line_in};
use crate::question::OpenQuestion;
use crate::standing::Surroundings;
use redraft_core::attribution::Attribution;
use redraft_core::review::Rejected;
use redraft_facts::event::{Entry, Event};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket, Unit};
use redraft_facts::usage::Usd;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overview {
    pub v: u16,
    /// What `status` shows of it.
    #[serde(rename = "feature")]
    pub row: BoardRow,
    /// Where it stands, in words.
    pub standing_in_words: String,
    pub begun_ms: i64,
    /// The event since which the phase that is open, and its revision, are as they are; for `comment --seen`.
    pub moved_at: u64,
    /// What a person said it may cost; none where the configuration decides.
    pub budget_micro_usd: Option<Usd>,
    /// In the order of its lane, those that a person left out among them.
    pub phases_in_detail: Vec<PhaseView>,
    /// In the order they are carried out.
    pub tasks_in_detail: Vec<TaskView>,
    /// Dispatches that were started and whose answers are not stored and judged yet.
    pub under_way: Vec<DispatchView>,
    /// Phase by phase, in the order they were raised.
    pub findings: Vec<FindingView>,
    /// In the order they were made.
    pub decisions: Vec<DecisionView>,
    /// What is asked now, and which question that is.
    #[serde(flatten)]
    pub asked: Option<OpenQuestion>,
    /// The last run of every check and gate of each phase.
    pub checks: Vec<CheckView>,
    pub costs: CostsView,
    /// What it added to the knowledge bank, as `heuristic: Name`.
    pub lessons: Vec<String>,
    /// That only the rehearsal agent took part, where that is so.
    pub rehearsal: Option<String>,
    pub timeline: Vec<Happening>,
}

/// One event, as a person reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Happening {
    pub seq: u64,
    pub at_ms: i64,
    pub kind: &'static str,
    pub phase: Option<Phase>,
    pub text: String,
    /// Whether it only says how something was done, so that a short list leaves it out.
    pub is_detail: bool,
}

impl Overview {
    /// `entries` are all events of a feature or a review; `around` what they cannot say.
    pub fn new(entries: &[Entry], around: &Surroundings) -> Result<Overview, Rejected> {
        let (state, moved_at) = last_change::replayed(entries)?;
        let updated_ms = entries.last().map_or(0, |entry| entry.at_ms);
        let row = BoardRow::new(&state, updated_ms).now(around);
        let under_way = parts::under_way(&state, entries, around);
        Ok(Overview {
            v: 1,
            standing_in_words: row.standing_in_words(),
            row,
            begun_ms: entries.first().map_or(0, |entry| entry.at_ms),
            moved_at,
            budget_micro_usd: state.budget,
            phases_in_detail: parts::phases(&state, entries),
            tasks_in_detail: parts::tasks(&state, entries, &under_way),
            under_way,
            findings: findings::findings(&state),
            decisions: decided::decisions(&state, entries),
            asked: OpenQuestion::new(&state, entries),
            checks: parts::checks(entries),
            costs: CostsView::new(entries, around.is_driven),
            lessons: lessons(entries),
            rehearsal: state.rehearsal_notice(false),
            timeline: timeline(entries),
        })
    }

    /// Review rounds of all stages and passes.
    pub fn rounds(&self) -> u32 {
        self.phases_in_detail.iter().map(|phase| phase.rounds_in_all).sum()
    }
}

/// What a dispatch is, in a few words: `review 2`, `implement task 1.3`, with the attempt where it is not the first.
pub fn work(ticket: &Ticket) -> String {
    let task = match &ticket.unit {
        Unit::Task(id) => Some(id.as_str()),
        Unit::Whole => None,
    };
    named(ticket.purpose, task, ticket.round, ticket.attempt)
}

fn named(purpose: Purpose, task: Option<&str>, round: u16, attempt: u16) -> String {
    let what = match task {
        Some(task) => format!("{purpose} task {task}"),
        None => format!("{purpose} {round}"),
    };
    if attempt > 1 { format!("{what}, attempt {attempt}") } else { what }
}

fn lessons(entries: &[Entry]) -> Vec<String> {
    let added = entries.iter().filter_map(|entry| match &entry.event {
        Event::RetroWritten(fact) => Some(&fact.added),
        _ => None,
    });
    added.flatten().map(|lesson| format!("{}: {}", lesson.kind, lesson.name)).collect()
}

fn timeline(entries: &[Entry]) -> Vec<Happening> {
    let (mut players, mut phase) = (Attribution::default(), None);
    let happened = |entry: &Entry| {
        if let Event::LoopOpened(opened) = &entry.event {
            phase = Some(opened.phase);
        }
        players.take(&entry.event);
        Happening {
            seq: entry.seq,
            at_ms: entry.at_ms,
            kind: entry.event.kind(),
            phase,
            text: line_in(&entry.event, phase, Some(&players)),
            is_detail: is_detail(&entry.event),
        }
    };
    entries.iter().map(happened).collect()
}

fn is_detail(event: &Event) -> bool {
    match event {
        Event::Started(_)
        | Event::Answered(_)
        | Event::Raised(_)
        | Event::AgentsMet(_)
        | Event::StageClosed(_)
        | Event::Probed(_)
        | Event::BankApplied(_) => true,
        Event::Checked(fact) => fact.passed,
        _ => false,
    }
}
