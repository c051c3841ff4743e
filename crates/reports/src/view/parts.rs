//! The phases of a feature, its tasks, what agents are doing, and the checks.

use crate::projections::{by_gates_only, by_ruling};
use crate::standing::Surroundings;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::{Loop, LoopEnd, SeatStatus, TaskEnd, TaskWork};
use redraft_facts::event::{CombinedStep, Entry, Event};
use redraft_facts::findings::Status;
use redraft_facts::ids::{AgentName, Revision, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket, Unit};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseView {
    pub phase: Phase,
    pub state: PhaseState,
    /// 0 where it was never opened.
    pub pass: u16,
    /// Review rounds of the stage that is under way or was the last, and of all stages and passes.
    pub round: u16,
    pub rounds_max: u16,
    pub rounds_in_all: u32,
    pub opened_ms: Option<i64>,
    pub closed_ms: Option<i64>,
    /// The document or code it is about, and its last revision.
    pub artifact: String,
    pub revision: Option<Revision>,
    pub written_by: Vec<String>,
    pub reviewers: Vec<ReviewerView>,
    pub findings: u32,
    pub open_findings: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseState {
    /// Not begun, or to be done again.
    Ahead,
    Open,
    Approved,
    /// A person's ruling stood in for an approval.
    Accepted,
    /// By gates alone; nobody has read it.
    Closed,
    /// The last phase, which has no reviewers: what would be merged was checked.
    Finished,
    /// Its document was taken as it was found.
    Adopted,
    Skipped,
}

impl PhaseState {
    pub fn name(self) -> &'static str {
        match self {
            PhaseState::Ahead => "ahead",
            PhaseState::Open => "open",
            PhaseState::Approved => "approved",
            PhaseState::Accepted => "accepted by a person",
            PhaseState::Closed => "closed by gates only",
            PhaseState::Finished => "finished",
            PhaseState::Adopted => "adopted as it was",
            PhaseState::Skipped => "skipped",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewerView {
    pub role: Role,
    /// `not asked`, `asked`, `approved`, `rejected` or `accepted by a person`.
    pub standing: &'static str,
    /// Who played it last, as people read it; empty before it was asked.
    pub by: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskView {
    pub id: String,
    pub title: String,
    /// `done`, `done before`, `skipped`, `working`, `interrupted`, `in the queue` or `open`.
    pub state: &'static str,
    /// Why it was skipped, or is not done.
    pub why: String,
    pub commits: Vec<String>,
    pub files: Vec<String>,
    /// The last run of each check after it was built.
    pub checks: Vec<CheckView>,
}

/// How a check or a gate ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckView {
    pub phase: Option<Phase>,
    pub gate: String,
    /// Empty where it is no command.
    pub command: String,
    pub passed: bool,
    pub said: String,
    pub wall_ms: u64,
    /// How far it was held to its sandbox; empty where it was meant to run in none.
    pub sandbox: String,
    pub at_ms: i64,
}

/// A dispatch that is under way, or was cut off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DispatchView {
    pub ticket: Ticket,
    pub role: Role,
    pub purpose: Purpose,
    /// The task it is about.
    pub task: Option<String>,
    pub agent: AgentName,
    pub model: String,
    /// Agent, program and model as people read them.
    pub by: String,
    pub since_ms: i64,
    /// Whether a host has it, and until when.
    pub is_with_host: bool,
    pub expires_ms: i64,
    /// Whether the answer is here and has only to be read.
    pub is_answered: bool,
    /// Whether nobody works on it any more. The next run takes it up.
    pub is_cut_off: bool,
    /// What it last did, such as `Read src/main.rs`; empty where that is unknown.
    pub doing: String,
}

pub(super) fn phases(state: &Pipeline, entries: &[Entry]) -> Vec<PhaseView> {
    let mut all: BTreeSet<Phase> = state.phases().collect();
    all.extend(&state.skipped);
    all.into_iter().map(|phase| of_phase(phase, state, entries)).collect()
}

fn of_phase(phase: Phase, state: &Pipeline, entries: &[Entry]) -> PhaseView {
    const CHARS_MAX: usize = 300;
    let last = state.standing().find(|one| one.opened.phase == phase);
    let loops = || state.past.iter().chain(&state.open).filter(|one| one.opened.phase == phase);
    let rounds = loops().flat_map(|one| &one.stages).map(|stage| u32::from(stage.rounds)).sum();
    let opened =
        entries.iter().filter(|entry| matches!(&entry.event, Event::LoopOpened(one) if one.phase == phase));
    let closed =
        entries.iter().filter(|entry| matches!(&entry.event, Event::PhaseClosed(one) if one.phase == phase));
    let state_of = state_of(phase, last, state);
    let is_closed = !matches!(state_of, PhaseState::Ahead | PhaseState::Open | PhaseState::Skipped);
    let findings = || last.iter().flat_map(|last| &last.findings);
    PhaseView {
        phase,
        state: state_of,
        pass: last.map_or(0, |last| last.opened.pass),
        round: last.and_then(stage_under_way).map_or(0, |stage| stage.rounds),
        rounds_max: last.map_or(0, rounds_max),
        rounds_in_all: rounds,
        opened_ms: opened.map(|entry| entry.at_ms).next(),
        closed_ms: closed.map(|entry| entry.at_ms).next_back().filter(|_| is_closed),
        artifact: last
            .map(|last| redraft_facts::text::one_line(last.artifact(), CHARS_MAX))
            .unwrap_or_default(),
        revision: last.and_then(|last| last.revision.clone()),
        written_by: written_by(phase, state),
        reviewers: last.map(|last| reviewers(last, state)).unwrap_or_default(),
        findings: findings().count() as u32,
        open_findings: findings().filter(|finding| finding.status == Status::Open).count() as u32,
    }
}

/// Each once, though it may have written in several roles.
fn written_by(phase: Phase, state: &Pipeline) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for one in state.players.writers(phase).iter().map(|one| one.shown()) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

fn stage_under_way(last: &Loop) -> Option<&redraft_core::review::Stage> {
    last.stages.iter().find(|stage| stage.closed.is_none()).or(last.stages.last())
}

fn rounds_max(last: &Loop) -> u16 {
    last.opened.limits.rounds.saturating_add(stage_under_way(last).map_or(0, |stage| stage.granted))
}

fn state_of(phase: Phase, last: Option<&Loop>, state: &Pipeline) -> PhaseState {
    let is_open = state.open.as_ref().is_some_and(|open| open.opened.phase == phase);
    match last.map(|last| (last, &last.end)) {
        _ if state.skipped.contains(&phase) => PhaseState::Skipped,
        _ if is_open => PhaseState::Open,
        Some((last, Some(LoopEnd::Closed(_)))) if by_ruling(last) => PhaseState::Accepted,
        Some((last, Some(LoopEnd::Closed(_)))) if last.finishing.is_some() => PhaseState::Finished,
        Some((last, Some(LoopEnd::Closed(_)))) if by_gates_only(last) => PhaseState::Closed,
        Some((_, Some(LoopEnd::Closed(_)))) => PhaseState::Approved,
        _ if state.is_over(phase) => PhaseState::Adopted,
        _ => PhaseState::Ahead,
    }
}

fn reviewers(last: &Loop, state: &Pipeline) -> Vec<ReviewerView> {
    let judges = state.players.judges(last);
    let seat = |seat: &redraft_core::review::Seat| ReviewerView {
        role: seat.role.clone(),
        standing: match seat.standing {
            // Whether anybody is still at it depends on the moment.
            SeatStatus::Unasked if seat.in_flight() => "asked",
            SeatStatus::Unasked => "not asked",
            SeatStatus::Approved { .. } => "approved",
            SeatStatus::Rejected { .. } => "rejected",
            SeatStatus::Ruled { .. } => "accepted by a person",
        },
        by: judges.iter().rev().find(|one| one.role == seat.role).map(|one| one.shown()).unwrap_or_default(),
    };
    last.reviewers.iter().map(seat).collect()
}

pub(super) fn tasks(state: &Pipeline, entries: &[Entry], under_way: &[DispatchView]) -> Vec<TaskView> {
    let implementing = state.standing().filter_map(|one| one.implementing.as_ref()).last();
    let Some(implementing) = implementing else { return Vec::new() };
    let mut made: BTreeMap<String, TaskView> = BTreeMap::new();
    // The tasks that a check would be about, with the revision that holds the first of them up to each.
    let (mut current, mut phase): (Vec<(String, Option<Revision>)>, _) = (Vec::new(), None);
    for entry in entries {
        match &entry.event {
            Event::LoopOpened(opened) => (current, phase) = (Vec::new(), Some(opened.phase)),
            Event::Combined(fact) => {
                let step = |step: &CombinedStep| (step.task.to_string(), Some(step.revision.clone()));
                current = fact.steps.iter().map(step).collect();
            }
            Event::Built(built) => {
                let id = task_of(&built.ticket);
                // What was checked before it became part of the feature.
                if !current.iter().any(|(_, revision)| *revision == Some(built.revision.clone())) {
                    current = id.iter().map(|id| (id.clone(), None)).collect();
                }
                let Some(id) = &id else { continue };
                let task = made.entry(id.clone()).or_insert_with(empty);
                task.commits.extend(Some(built.commit.clone()).filter(|commit| !commit.is_empty()));
                let new = built.files.iter().filter(|file| !task.files.contains(file)).cloned();
                let new: Vec<String> = new.collect();
                task.files.extend(new);
            }
            Event::Drafted(_) | Event::Edited(_) => current.clear(),
            Event::Checked(fact) => {
                let Some(check) = check(entry, phase) else { continue };
                let last = current.iter().position(|(_, revision)| *revision == Some(fact.revision.clone()));
                for (id, _) in current.iter().take(last.map_or(usize::MAX, |last| last + 1)) {
                    let task = made.entry(id.clone()).or_insert_with(empty);
                    task.checks.retain(|known| known.gate != check.gate);
                    task.checks.push(check.clone());
                }
            }
            _ => {}
        }
    }
    let task = |task: &TaskWork| {
        let known = made.remove(task.id.as_str()).unwrap_or_else(empty);
        let (state, why) = match &task.end {
            Some(TaskEnd::Done) => ("done", String::new()),
            Some(TaskEnd::Before) => ("done before", String::new()),
            Some(TaskEnd::Blocked { why }) => ("skipped", why.clone()),
            None if implementing.landing.ticket_of(&task.id).is_some() => ("in the queue", String::new()),
            None => (task_state(task, under_way), task.unfinished.clone().unwrap_or_default()),
        };
        TaskView { id: task.id.to_string(), title: task.title.clone(), state, why, ..known }
    };
    implementing.tasks.iter().map(task).collect()
}

/// The state of a task that has not ended.
fn task_state(task: &TaskWork, under_way: &[DispatchView]) -> &'static str {
    let cut_off = |one: &DispatchView| one.is_cut_off && one.task.as_deref() == Some(task.id.as_str());
    match task.seat.in_flight() {
        true if under_way.iter().any(cut_off) => "interrupted",
        true => "working",
        false => "open",
    }
}

fn empty() -> TaskView {
    TaskView {
        id: String::new(),
        title: String::new(),
        state: "open",
        why: String::new(),
        commits: Vec::new(),
        files: Vec::new(),
        checks: Vec::new(),
    }
}

fn task_of(ticket: &Ticket) -> Option<String> {
    match &ticket.unit {
        Unit::Task(id) => Some(id.to_string()),
        Unit::Whole => None,
    }
}

pub(super) fn under_way(state: &Pipeline, entries: &[Entry], around: &Surroundings) -> Vec<DispatchView> {
    let since = |ticket: &Ticket| {
        let started = |entry: &&Entry| matches!(&entry.event, Event::Started(one) if one.ticket == *ticket);
        entries.iter().rev().find(started).map_or(0, |entry| entry.at_ms)
    };
    let flights = state.open.iter().flat_map(Loop::flights);
    let shown = flights.map(|(_, flight)| {
        let started = &flight.started;
        DispatchView {
            ticket: started.ticket.clone(),
            role: started.ticket.role.clone(),
            purpose: started.ticket.purpose,
            task: task_of(&started.ticket),
            agent: started.agent.clone(),
            model: started.player.model.clone(),
            by: started.player.shown(&started.agent),
            since_ms: since(&started.ticket),
            is_with_host: started.pull,
            expires_ms: started.expires_ms,
            is_answered: flight.answered.is_some(),
            is_cut_off: match started.pull {
                true => started.expires_ms <= around.now_ms,
                false => !around.is_driven,
            },
            doing: match around.is_driven {
                true => around.doing.get(&started.ticket).cloned().unwrap_or_default(),
                false => String::new(),
            },
        }
    });
    shown.collect()
}

/// The last run of every check in each phase.
pub(super) fn checks(entries: &[Entry]) -> Vec<CheckView> {
    let (mut found, mut phase): (Vec<CheckView>, _) = (Vec::new(), None);
    for entry in entries {
        if let Event::LoopOpened(opened) = &entry.event {
            phase = Some(opened.phase);
        }
        let Some(check) = check(entry, phase) else { continue };
        found.retain(|known| (known.phase, &known.gate) != (check.phase, &check.gate));
        found.push(check);
    }
    found
}

fn check(entry: &Entry, phase: Option<Phase>) -> Option<CheckView> {
    const CHARS_MAX: usize = 300;
    let Event::Checked(fact) = &entry.event else { return None };
    Some(CheckView {
        phase,
        gate: fact.gate.clone(),
        command: fact.command.clone(),
        passed: fact.passed,
        said: fact.in_a_line(CHARS_MAX),
        wall_ms: fact.wall_ms,
        sandbox: fact.checkout.as_ref().and_then(|checkout| checkout.sandbox.clone()).unwrap_or_default(),
        at_ms: entry.at_ms,
    })
}
