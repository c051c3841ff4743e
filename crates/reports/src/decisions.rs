//! Gathers what was decided while a feature was built: decisions, deviations and concerns of its builders, and what
//! people settled; tied to the tasks and findings they are about.
//!
//! All of it is in events already: reports of tasks in `built`, questions and answers in `asked` and `decided`. Nothing
//! is judged here. Start at [`resolutions`]; how one becomes a record is in `record`.

mod record;
#[cfg(test)]
mod tests;

pub use record::{file_name, marker, record};

use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{Loop, LoopEnd, TaskEnd};
use redraft_facts::citation::same_file;
use redraft_facts::event::{About, Asked, Built, Decided, Decision, Entry, Event, Report};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::FindingId;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::ticket::{Purpose, Scope, Unit};

/// Something that was decided, or that is to be known before the next decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// Unique in the repository, permanently: a ticket with the place in its report, or a question.
    pub id: String,
    pub kind: DecisionKind,
    pub at_ms: i64,
    pub phase: Phase,
    /// A role, or a person's name.
    pub by: String,
    /// What was being built, where it is from a report.
    pub work: Option<ReportedWork>,
    /// What a person was asked; empty where nobody was.
    pub asked: String,
    pub text: String,
    /// The findings that a ruling settles; for a report, those about the files that were changed.
    pub findings: Vec<Tied>,
    pub standing: DecisionStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecisionKind {
    Decision,
    /// From the plan or the design.
    Deviation,
    Concern,
    /// By a person.
    Ruling,
}

/// The piece of work a report is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedWork {
    /// The task's id; none for work on the whole.
    pub task: Option<String>,
    pub title: String,
    pub commit: String,
    pub files: Vec<String>,
}

/// A finding that a resolution concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tied {
    pub phase: Phase,
    pub id: FindingId,
    pub status: Status,
    pub description: String,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecisionStatus {
    /// The code it is in is not yet approved.
    Proposed,
    Accepted,
    /// What it was about was taken out again, or the feature was given up.
    Dropped,
}

impl DecisionKind {
    pub const ALL: [DecisionKind; 4] =
        [DecisionKind::Decision, DecisionKind::Deviation, DecisionKind::Concern, DecisionKind::Ruling];

    pub fn name(self) -> &'static str {
        match self {
            DecisionKind::Decision => "decision",
            DecisionKind::Deviation => "deviation",
            DecisionKind::Concern => "concern",
            DecisionKind::Ruling => "ruling",
        }
    }

    /// Whether it says how something is to be, so that it is worth a record.
    pub fn is_recorded(self) -> bool {
        match self {
            DecisionKind::Decision | DecisionKind::Deviation | DecisionKind::Ruling => true,
            DecisionKind::Concern => false,
        }
    }
}

impl DecisionStatus {
    pub fn name(self) -> &'static str {
        match self {
            DecisionStatus::Proposed => "proposed",
            DecisionStatus::Accepted => "accepted",
            DecisionStatus::Dropped => "dropped",
        }
    }
}

/// Everything that was decided in a feature, in the order it was said.
pub fn resolutions(scope: &Scope, entries: &[Entry]) -> Vec<Resolution> {
    let mut found = Vec::new();
    let mut state = Pipeline::default();
    let mut asked: Option<&Asked> = None;
    for entry in entries {
        match &entry.event {
            Event::Asked(fact) => asked = Some(fact),
            Event::Built(built) => found.extend(reported(&state, built, entry.at_ms)),
            Event::Decided(fact) => {
                let question = asked.take().filter(|asked| asked.question.number == fact.number);
                found.extend(ruled(scope, &state, fact, question, entry.at_ms));
            }
            _ => {}
        }
        if pipeline::fold(&mut state, &entry.event).is_err() {
            // What is stored was accepted before; a reader that cannot follow it shows what it has so far.
            break;
        }
    }
    // A role that a check sends back reports once more.
    let mut said = BTreeSet::new();
    found.retain(|one| {
        one.kind == DecisionKind::Ruling || said.insert((one.kind, subject(one), one.text.clone()))
    });
    for one in &mut found {
        finish(one, &state);
    }
    found
}

/// The subject of a report: a task, or work on the whole.
fn subject(one: &Resolution) -> Option<(Option<String>, String)> {
    one.work.as_ref().map(|work| (work.task.clone(), work.title.clone()))
}

fn reported(state: &Pipeline, built: &Built, at_ms: i64) -> Vec<Resolution> {
    if built.ticket.purpose == Purpose::Outline {
        return Vec::new();
    }
    let implementing = state.open.as_ref().and_then(|open| open.implementing.as_ref());
    let (task, title) = match &built.ticket.unit {
        Unit::Task(id) => {
            let known =
                implementing.and_then(|implementing| implementing.tasks.iter().find(|task| task.id == *id));
            (Some(id.to_string()), known.map(|task| task.title.clone()).unwrap_or_default())
        }
        Unit::Whole if built.ticket.purpose == Purpose::Simplify => (None, "simplification".to_owned()),
        Unit::Whole => (None, "tests from the documents".to_owned()),
    };
    let Report { decisions, deviations, concerns, .. } = &built.report;
    let parts = [
        (DecisionKind::Decision, decisions),
        (DecisionKind::Deviation, deviations),
        (DecisionKind::Concern, concerns),
    ];
    let of_part = |(kind, text): (DecisionKind, &String)| {
        let work = ReportedWork {
            task: task.clone(),
            title: title.clone(),
            commit: built.commit.clone(),
            files: built.files.clone(),
        };
        let one = |(at, text): (usize, String)| Resolution {
            id: format!("{} {} {}", built.ticket, kind.name(), at + 1),
            kind,
            at_ms,
            phase: built.ticket.phase,
            by: built.ticket.role.to_string(),
            work: Some(work.clone()),
            asked: String::new(),
            text,
            findings: Vec::new(),
            standing: DecisionStatus::Proposed,
        };
        items(text).into_iter().enumerate().map(one).collect::<Vec<_>>()
    };
    parts.into_iter().flat_map(of_part).collect()
}

/// The items that a part of a report lists; none where it says that there is nothing.
fn items(text: &str) -> Vec<String> {
    const ITEMS_MAX: usize = 50;
    let mark = |line: &str| {
        let text = line.trim_start();
        let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = number.len() < text.len() && number.starts_with(['.', ')']);
        let rest = if numbered { Some(&number[1..]) } else { text.strip_prefix(['-', '*', '+']) };
        rest.filter(|rest| rest.starts_with(' '))
            .map(|rest| (line.len() - text.len(), rest.trim().to_owned()))
    };
    let margin = text.lines().filter_map(mark).map(|(indent, _)| indent).min();
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        match mark(line).filter(|(indent, _)| Some(*indent) == margin) {
            Some((_, item)) => found.push(item),
            None => match found.last_mut() {
                Some(last) if !line.trim().is_empty() => {
                    last.push('\n');
                    last.push_str(line.trim_end());
                }
                Some(_) => {}
                None if line.trim().is_empty() => {}
                None => found.push(line.trim().to_owned()),
            },
        }
    }
    found.retain(|item| !is_nothing(item));
    found.truncate(ITEMS_MAX);
    found
}

/// `none`, `N/A`, `No deviations.`: there is nothing to report.
fn is_nothing(text: &str) -> bool {
    let bare: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let bare: Vec<&str> = bare.iter().map(String::as_str).collect();
    matches!(
        bare.as_slice(),
        [] | ["none"]
            | ["n", "a"]
            | ["na"]
            | ["nothing"]
            | ["no", "deviations" | "concerns" | "decisions"]
            | ["keine"]
    )
}

fn ruled(
    scope: &Scope,
    state: &Pipeline,
    fact: &Decided,
    asked: Option<&Asked>,
    at_ms: i64,
) -> Option<Resolution> {
    let said = match fact.choice {
        Decision::Accept => "what was open is accepted as it is".to_owned(),
        Decision::Skip => "continued without it".to_owned(),
        Decision::Answer => {
            fact.answers.iter().filter(|one| !one.trim().is_empty()).cloned().collect::<Vec<_>>().join("\n")
        }
        Decision::Overrule => "the finding does not hold".to_owned(),
        Decision::Uphold => "the finding holds, and the author must change the file".to_owned(),
        Decision::Assume => "the author continues with its assumptions".to_owned(),
        // This decides how the work goes on, not how something is to be.
        Decision::Rerun
        | Decision::Retry
        | Decision::Abandon
        | Decision::Go
        | Decision::Approve
        | Decision::Comment => return None,
    };
    let open = state.open.as_ref()?;
    let phase = open.opened.phase;
    let work = match &fact.about {
        About::Task { id } => {
            let known = open
                .implementing
                .iter()
                .flat_map(|implementing| &implementing.tasks)
                .find(|task| task.id == *id);
            let title = known.map(|task| task.title.clone()).unwrap_or_default();
            Some(ReportedWork { task: Some(id.to_string()), title, commit: String::new(), files: Vec::new() })
        }
        About::Cap { .. }
        | About::Agent { .. }
        | About::Gate
        | About::Unchanged
        | About::Certificate
        | About::Author { .. }
        | About::Begin
        | About::Lessons
        | About::Deferred
        | About::Approval
        | About::SecondDecision { .. }
        | About::Disagreement { .. }
        | About::Divergence => None,
    };
    let put_off = open.finishing.iter().filter(|_| fact.about == About::Deferred);
    let put_off = put_off.flat_map(|finishing| finishing.put_off.iter().map(|(_, finding)| finding));
    let settles = open.findings.iter().chain(put_off).filter(|finding| fact.ruled.contains(&finding.id));
    let why = fact.why.trim();
    Some(Resolution {
        id: format!("{scope}/{phase}.{}/question-{}", fact.pass, fact.number),
        kind: DecisionKind::Ruling,
        at_ms,
        phase,
        by: fact.by.clone(),
        work,
        asked: asked.map(|asked| asked.question.text.clone()).unwrap_or_default(),
        text: match (why.is_empty(), fact.choice) {
            (true, _) => said,
            (false, Decision::Answer) if said != why => format!("{said}\n{why}"),
            (false, _) => format!("{said}: {why}"),
        },
        findings: settles.map(|finding| tied(phase, finding)).collect(),
        standing: DecisionStatus::Accepted,
    })
}

fn tied(phase: Phase, finding: &Finding) -> Tied {
    const CHARS_MAX: usize = 300;
    let description = one_line(&finding.description, CHARS_MAX);
    Tied { phase, id: finding.id.clone(), status: finding.status, description }
}

/// Adds what only the end of the feature shows: which findings came of it, and what became of it.
fn finish(one: &mut Resolution, state: &Pipeline) {
    let Some(last) = state.standing().find(|last| last.opened.phase == one.phase) else { return };
    for tied in &mut one.findings {
        if let Some(now) = last.findings.iter().find(|finding| finding.id == tied.id) {
            tied.status = now.status;
        }
    }
    if one.kind == DecisionKind::Ruling {
        return;
    }
    let Some(work) = &one.work else { return };
    let about =
        last.findings.iter().filter(|finding| work.files.iter().any(|file| same_file(file, &finding.file)));
    one.findings = about.map(|finding| tied(one.phase, finding)).collect();
    one.standing = match &last.end {
        _ if is_blocked(last, work) || state.cancelled => DecisionStatus::Dropped,
        Some(LoopEnd::Closed(_)) => DecisionStatus::Accepted,
        Some(LoopEnd::Superseded | LoopEnd::Skipped | LoopEnd::Abandoned) | None => DecisionStatus::Proposed,
    };
}

fn is_blocked(last: &Loop, work: &ReportedWork) -> bool {
    let mut tasks = last.implementing.iter().flat_map(|implementing| &implementing.tasks);
    let own = tasks.find(|task| work.task.as_deref() == Some(task.id.as_str()));
    own.is_some_and(|task| matches!(task.end, Some(TaskEnd::Blocked { .. })))
}
