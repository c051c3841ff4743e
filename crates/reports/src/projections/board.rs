//! The board: one row per feature, stored next to its events so that `status` need not fold any.

mod next;
mod task_tally;

use crate::standing::{self, Standing, Surroundings, Waits};
use next::next;
use redraft_core::attribution::RoleAttribution;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::{self, Implementing, Loop, LoopEnd, Seat, Stage, TaskEnd, TaskWork};
use redraft_core::tally::Tally;
use redraft_facts::event::{FeatureCreated, FeatureLife, ReviewedChange, Started};
use redraft_facts::forecast::Forecast;
use redraft_facts::ids::{FeatureId, ReviewId};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::{Money, Usd};
use serde::{Deserialize, Serialize};
pub use task_tally::TaskTally;

/// What `status` shows about a feature. Stored as JSON; an older or newer form is just computed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardRow {
    pub v: u16,
    pub id: String,
    pub slug: String,
    pub idea: String,
    pub branch: String,
    pub lane: String,
    /// `active`, `waiting`, `approved`, `accepted` (by a ruling), `closed` (by gates only, no reviewer) or `abandoned`; of a
    /// review also `findings`.
    pub status: String,
    pub phase: String,
    pub pass: u16,
    /// The review round of the stage that is under way.
    pub round: u16,
    pub rounds_max: u16,
    pub open_findings: u32,
    pub deferred_findings: u32,
    /// What a person is asked, and what can be answered.
    pub question: Option<String>,
    pub choices: Vec<String>,
    pub dispatches: u32,
    /// Billed.
    pub spent_micro_usd: u64,
    pub updated_ms: i64,
    /// Counts that are watched across several features.
    pub tally: Tally,
    /// Until when an agent's usage limit lasts, if one was reached and nothing was sent to that agent since. It may
    /// have passed: the caller that shows the row knows the time.
    pub parked_until_ms: Option<i64>,
    /// `planned`, `active`, `completed` or `abandoned`.
    pub life: String,
    /// The phases it passes through, with those that are over.
    pub phases: Vec<String>,
    pub done: Vec<String>,
    /// Approvals that were given after a domain review had failed.
    pub after_failure: u32,
    /// The project it belongs to, and the features that come before it, except those that a person goes on without.
    /// Their own rows say whether they are in its way.
    pub project: Option<String>,
    pub waits_for: Vec<String>,
    /// The document that is reviewed by itself: this is then the row of a review.
    pub document: Option<String>,
    /// What became of the tasks, once they are being carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TaskTally>,
    /// The change that is reviewed by itself: this is then the row of a review, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ReviewedChange>,
    /// Whether its branch is ready to be merged, and whether it was.
    pub ready: bool,
    pub merged: bool,
    /// How many dispatches hosts were given, whose cost is unknown here.
    pub untold: u32,
    /// What hosts have and have not brought back yet, with its expiry. Whoever shows the row leaves out what has
    /// expired.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub out: Vec<OutWork>,
    /// Who gave the last verdicts in its phase, or in the last one that was judged.
    pub judged_by: Vec<RoleAttribution>,
    /// Whether the rehearsal agent wrote or judged any of what stands.
    pub rehearsed: bool,
    /// What may have been charged in addition and is unknown, and for how many dispatches.
    pub unknown_micro_usd: u64,
    pub unknown_bills: u32,
    /// What a subscription covered, and what went through a login that may be one, by the price list.
    pub covered_micro_usd: u64,
    pub login_micro_usd: u64,
    /// What the budget counts: all of these.
    pub counted_micro_usd: u64,
    /// What is expected from here on, where a person is asked before code is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Forecast>,
    /// Whether code was written although the project names no check that could have run on it.
    #[serde(default)]
    pub unchecked: bool,
    /// The agent that every role was last sent to; none where there are several, or nothing was sent.
    pub agent: Option<String>,
    /// Where it stands, as far as events say it; whoever shows the row adds what the moment says.
    pub standing: Standing,
    /// What it waits for beside other features of the same run; of no row that is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Waits>,
    /// Whether nothing goes on before a person has decided, paid or edited something.
    pub waits_for_you: bool,
    /// The command that goes on from here.
    pub next: String,
}

/// A piece of work that a host has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutWork {
    pub ticket: String,
    pub expires_ms: i64,
}

impl OutWork {
    fn new(started: &Started) -> OutWork {
        OutWork { ticket: started.ticket.to_string(), expires_ms: started.expires_ms }
    }
}

const VERSION: u16 = 3;

/// The row as stored JSON.
pub fn board_row(state: &Pipeline, at_ms: i64) -> String {
    let row = BoardRow::new(state, at_ms);
    serde_json::to_string(&row).expect("a row holds only strings, numbers and lists")
}

impl BoardRow {
    /// Whether it has the form of this program; another one lacks something or has too much.
    pub fn is_current(&self) -> bool {
        self.v == VERSION
    }

    /// The cost of its dispatches.
    pub fn money(&self) -> Money {
        Money {
            spent: Usd(self.spent_micro_usd),
            covered: Usd(self.covered_micro_usd),
            login: Usd(self.login_micro_usd),
            unknown: Usd(self.unknown_micro_usd),
            unknown_bills: self.unknown_bills,
        }
    }

    /// The name of its folder.
    pub fn name(&self) -> String {
        format!("{}-{}", self.id, self.slug)
    }

    /// The name by which commands know it.
    pub fn scope(&self) -> Scope {
        let FeatureId(number) = self.id.parse().unwrap_or(FeatureId(0));
        match self.subject() {
            Some(_) => Scope::Review(ReviewId(number)),
            None => Scope::Feature(FeatureId(number)),
        }
    }

    /// What is reviewed by itself, as people would name it; none for a feature.
    pub fn subject(&self) -> Option<String> {
        self.document.clone().or_else(|| self.change.as_ref().map(ToString::to_string))
    }

    /// Where it stands, in words.
    pub fn standing_in_words(&self) -> String {
        let ended = if self.status == "closed" { "closed by gates only, no reviewer" } else { &self.status };
        let words = self.standing.in_words(ended);
        self.waits.map_or(words.clone(), |waits| format!("{words}, {}", waits.in_words()))
    }

    /// The row at this moment: a park or a host's work that is over does not count, and what nobody drives is not worked on.
    #[must_use]
    pub fn now(self, around: &Surroundings) -> BoardRow {
        let standing = self.standing.now(around);
        let parked_until_ms = self.parked_until_ms.filter(|until_ms| *until_ms > around.now_ms);
        let out = self.out.into_iter().filter(|work| work.expires_ms > around.now_ms).collect();
        let at_work = |tasks: TaskTally| if around.is_driven { tasks.at_work } else { 0 };
        let tasks = self.tasks.map(|tasks| TaskTally { at_work: at_work(tasks), ..tasks });
        let waits = around.waits.filter(|_| around.blocked_by.is_empty() && !standing.waits_for_you());
        BoardRow {
            waits_for_you: standing.waits_for_you(),
            parked_until_ms,
            standing,
            out,
            tasks,
            waits,
            ..self
        }
    }

    /// Whether something is left to do.
    pub fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "active" | "waiting")
    }

    /// Whether nothing more is sent before a person allows more money: that is then part of its next command.
    pub fn lacks_budget(&self) -> bool {
        matches!(self.standing, Standing::OverBudget { .. })
    }

    /// Whether a person can go on from its result.
    pub fn is_finished(&self) -> bool {
        matches!(self.status.as_str(), "approved" | "accepted" | "closed")
    }

    pub fn new(state: &Pipeline, at_ms: i64) -> BoardRow {
        let created = state.created.as_ref();
        let text = |pick: fn(&FeatureCreated) -> String| created.map(pick).unwrap_or_default();
        let latest = state.latest();
        let question = state.open.as_ref().and_then(review::question);
        let count = |wanted: redraft_facts::findings::Status| {
            let findings = state.relevant().flat_map(|one| &one.findings);
            findings.filter(|finding| finding.status == wanted).count() as u32
        };
        // The last phase has no reviewers; what it ends was judged before. A person may also rule on its gates.
        let ends = latest.filter(|latest| latest.finishing.is_some());
        let judged = || state.standing().filter(|one| one.finishing.is_none()).last().into_iter().chain(ends);
        let judged_last = || state.standing().filter(|one| one.finishing.is_none()).last();
        let standing = Standing::new(state);
        let status = match &standing {
            Standing::Abandoned => "abandoned",
            Standing::Asked { .. } => "waiting",
            Standing::Findings { .. } => "findings",
            Standing::Done | Standing::ReadyToMerge | Standing::Merged => match () {
                () if judged().any(by_ruling) || on_a_word(state) || without_code(state) => "accepted",
                () if judged_last().is_some_and(by_gates_only) => "closed",
                () => "approved",
            },
            Standing::AskedThere
            | Standing::OverBudget { .. }
            | Standing::Working { .. }
            | Standing::Interrupted { .. }
            | Standing::WithHosts { .. }
            | Standing::Parked { .. }
            | Standing::Blocked { .. }
            | Standing::Planned
            | Standing::Ready => "active",
        };
        let ready = standing::is_ready_to_merge(state);
        let names = |phases: Vec<Phase>| phases.into_iter().map(|phase| phase.name().to_owned()).collect();
        let passed: Vec<Phase> = state.phases().filter(|phase| state.is_over(*phase)).collect();
        let id = text(|created| created.id.to_string());
        let choices =
            question.as_ref().map(|question| question.choices.iter().map(|c| c.name().to_owned()).collect());
        BoardRow {
            v: VERSION,
            slug: text(|created| created.slug.clone()),
            idea: text(|created| created.idea.clone()),
            branch: text(|created| created.branch.clone()),
            lane: text(|created| created.lane.name().to_owned()),
            status: status.to_owned(),
            phase: phase(state).map(|phase| phase.name().to_owned()).unwrap_or_default(),
            pass: latest.map_or(0, |latest| latest.opened.pass),
            // A phase that has not begun has no rounds, whatever the one before used.
            round: latest.filter(|_| state.open.is_some() || state.phase().is_none()).map_or(0, round),
            rounds_max: latest.map_or(0, |latest| {
                latest.opened.limits.rounds.saturating_add(stage(latest).map_or(0, |stage| stage.granted))
            }),
            open_findings: count(redraft_facts::findings::Status::Open) + state.comments.waiting.len() as u32,
            deferred_findings: count(redraft_facts::findings::Status::Deferred),
            next: next(
                status,
                ready,
                &id,
                &choices,
                state.short.as_ref().filter(|_| matches!(standing, Standing::OverBudget { .. })),
            ),
            ready,
            merged: state.merged.is_some(),
            question: question.map(|question| question.text),
            choices: choices.unwrap_or_default(),
            dispatches: state.dispatches,
            spent_micro_usd: state.money.spent.0,
            unknown_micro_usd: state.money.unknown.0,
            unknown_bills: state.money.unknown_bills,
            covered_micro_usd: state.money.covered.0,
            login_micro_usd: state.money.login.0,
            counted_micro_usd: state.money.counted().0,
            estimate: state.estimate.clone(),
            untold: state.untold,
            judged_by: state.judged_last_by(),
            rehearsed: state.is_rehearsed(),
            out: state.open.iter().flat_map(Loop::handed_out).map(OutWork::new).collect(),
            updated_ms: at_ms,
            tally: state.tally,
            life: state.life().name().to_owned(),
            phases: names(state.phases().collect()),
            done: names(passed),
            after_failure: state.past.iter().chain(&state.open).map(Loop::approved_after_failure).sum(),
            project: created.and_then(|created| created.project.clone()),
            waits_for: state.waits_for().cloned().collect(),
            document: created.and_then(|created| created.document.clone()),
            tasks: TaskTally::count(state),
            change: created.and_then(|created| created.change.clone()),
            parked_until_ms: standing.parked_until_ms(),
            waits_for_you: standing.waits_for_you(),
            waits: None,
            unchecked: is_unchecked(state),
            agent: only_agent(state),
            standing,
            id,
        }
    }
}

/// Whether a person's ruling stood in for an approval.
pub(crate) fn by_ruling(latest: &Loop) -> bool {
    latest.reviewers.iter().any(Seat::ruled) || latest.goes_on_with_a_failed_check()
}

/// Whether no reviewer has read what it closed on, only the program.
pub(crate) fn by_gates_only(one: &Loop) -> bool {
    one.reviewers.is_empty() && matches!(one.end, Some(LoopEnd::Closed(_)))
}

/// Whether there is code that no check has run on because there is none. Reviews of a change run checks only if a person
/// wants that.
fn is_unchecked(state: &Pipeline) -> bool {
    let is_review = state.created.as_ref().is_some_and(FeatureCreated::is_review);
    let here = |task: &TaskWork| matches!(task.end, Some(TaskEnd::Done | TaskEnd::Blocked { .. }));
    let built = |one: &Implementing| one.tasks.iter().any(here);
    let has_code = |one: &&Loop| one.finishing.is_some() || one.implementing.as_ref().is_some_and(built);
    let last = state.standing().filter(has_code).last();
    !is_review && last.is_some_and(|one| one.opened.checks.is_empty())
}

fn only_agent(state: &Pipeline) -> Option<String> {
    let mut agents = state.sent_to.values();
    let first = agents.next()?;
    agents.all(|agent| agent == first).then(|| first.to_string())
}

/// Whether a person left out the phase in which code is written and reviewed.
fn without_code(state: &Pipeline) -> bool {
    state.skipped.contains(&Phase::Implement)
}

/// Whether documents were adopted as they were found.
fn on_a_word(state: &Pipeline) -> bool {
    state
        .adopted
        .as_ref()
        .is_some_and(|taken| !taken.accepted.is_empty() || taken.life == FeatureLife::Completed)
}

fn phase(state: &Pipeline) -> Option<Phase> {
    let past = state.past.last().map(|past| past.opened.phase);
    // One that was adopted may have no loop at all.
    state.phase().or(past).or_else(|| state.phases().filter(|phase| state.is_over(*phase)).last())
}

fn round(latest: &Loop) -> u16 {
    stage(latest).map_or(0, |stage| stage.rounds)
}

/// The first stage that is not closed, or the last one.
fn stage(latest: &Loop) -> Option<&Stage> {
    let closed = matches!(latest.end, Some(LoopEnd::Closed(_)));
    let running = latest.stages.iter().find(|stage| stage.closed.is_none() && !closed);
    running.or(latest.stages.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_as_it_was_stored_and_one_of_another_version_is_known_as_such() {
        let row = BoardRow::new(&Pipeline::default(), 7);
        assert!(row.is_current());
        let stored = board_row(&Pipeline::default(), 7);
        assert_eq!(serde_json::from_str::<BoardRow>(&stored).unwrap(), row);
        let newer = stored.replacen("{\"v\":3,", "{\"v\":4,", 1);
        assert!(!serde_json::from_str::<BoardRow>(&newer).unwrap().is_current());
        let less = stored.replacen(",\"tally\":{", ",\"other\":{", 1);
        assert!(less != stored && serde_json::from_str::<BoardRow>(&less).is_err(), "{less}");
    }
}
