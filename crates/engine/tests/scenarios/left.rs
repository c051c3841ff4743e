//! The state a play leaves behind: what must be the same however it was interrupted, and what must be the same on every
//! world.

use crate::script::FOLDER;
use crate::world::{BRANCH, World, with};
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::Effect;
use redraft_facts::event::{Entry, Event, Judgement};
use redraft_facts::phase::Phase;
use redraft_reports::projections;
use std::collections::BTreeMap;

/// What must be the same however a play was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    /// The files of the branch, without those that describe how it got them.
    files: BTreeMap<String, String>,
    main: BTreeMap<String, String>,
    commits: Vec<String>,
    main_commits: Vec<String>,
    refs: Vec<String>,
    /// Files that no commit holds.
    uncommitted: Vec<String>,
    /// Worktrees beside the feature's own.
    slots: Vec<u16>,
    /// Phase, and role of each approval.
    closed: Vec<String>,
    /// The same with revisions, which each world names in its own way.
    revisions: Vec<String>,
    findings: Vec<String>,
    owed: Vec<String>,
    merged: bool,
    cancelled: bool,
}

impl Left {
    pub(crate) fn of(world: &dyn World, entries: &[Entry]) -> Left {
        let outside = world.outside();
        let state = Pipeline::replay(entries).unwrap();
        let files = |branch: &str| {
            let mut files = outside.files_of(&format!("refs/heads/{branch}")).unwrap();
            files.retain(|path, _| !tells(path));
            // It contains what everything cost.
            files.entry(format!("{FOLDER}/retro.md")).and_modify(|page| page.clear());
            files
        };
        let mut uncommitted = with(world, |ports| ports.workspace.uncommitted().unwrap());
        uncommitted.retain(|path| !tells(path));
        let closed = || Phase::ALL.into_iter().filter_map(|phase| state.closed(phase));
        let approvals = closed().flat_map(|closed| {
            closed.approvals.iter().map(move |approval| format!("{} {}", closed.phase, approval.role))
        });
        let revisions = closed().map(|closed| format!("{} {}", closed.phase, closed.revision));
        let findings = state.latest().map(|open| open.findings.as_slice()).unwrap_or_default();
        let finding = |one: &redraft_facts::findings::Finding| {
            format!("{} {} {}", one.id, one.status.name(), one.description)
        };
        Left {
            files: files(BRANCH),
            main: files("main"),
            commits: outside.log(BRANCH),
            main_commits: outside.log("main"),
            refs: outside.refs(),
            uncommitted,
            slots: outside.slots(),
            closed: closed().map(|closed| closed.phase.to_string()).chain(approvals).collect(),
            revisions: revisions.collect(),
            findings: findings.iter().map(finding).collect(),
            owed: pipeline::pending(&state).iter().map(owed).collect(),
            merged: state.merged.is_some(),
            cancelled: state.cancelled,
        }
    }

    pub(crate) fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    pub(crate) fn commits(&self) -> &[String] {
        &self.commits
    }

    /// The same without branches and tags: after a crash it is unknown who made them, so they stay.
    pub(crate) fn after_a_crash(mut self) -> Left {
        self.refs.clear();
        self
    }

    /// The same without the order in which tasks became part of the feature: after a crash, those that were lost come
    /// behind the others.
    pub(crate) fn in_any_order(mut self) -> Left {
        self.commits.sort();
        self
    }

    /// The same without what a person has made besides: other files and commits than those of tasks.
    pub(crate) fn of_tasks(mut self) -> Left {
        self.files.retain(|path, _| path.starts_with("src/"));
        self.commits.retain(|subject| subject.starts_with("redraft: task "));
        self.main.clear();
        self.main_commits.clear();
        self.revisions.clear();
        self
    }

    pub(crate) fn without_commits(mut self) -> Left {
        self.commits.clear();
        self
    }

    /// The same without names that each world makes up for itself, and without the order of what was merged: git shows the
    /// commits of two branches by their times.
    pub(crate) fn on_any_world(mut self) -> Left {
        self.revisions.clear();
        self.commits.sort();
        self.main_commits.sort();
        self
    }
}

/// Whether a file describes how the feature came to be, which differs with every attempt.
fn tells(path: &str) -> bool {
    projections::FILES.iter().any(|name| path == format!("{FOLDER}/{name}"))
}

/// A pending effect without attempts.
fn owed(effect: &Effect) -> String {
    match effect {
        Effect::Dispatch(order) => {
            let ticket = &order.ticket;
            format!("dispatch {} {} {}", ticket.purpose, ticket.role, ticket.round)
        }
        Effect::Ask(question) => format!("ask {}", question.text),
        Effect::Open { phase, pass } => format!("open {phase} {pass}"),
        other => format!("{other:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned(),
    }
}

/// What was stored, a line each, in words that no world makes up for itself.
pub(crate) fn trail(entries: &[Entry]) -> Vec<String> {
    entries
        .iter()
        .map(|entry| format!("{} {}", entry.event.kind(), detail(&entry.event)).trim_end().to_owned())
        .collect()
}

fn detail(event: &Event) -> String {
    let told = |lines: &[String]| lines.iter().map(|line| plain(line)).collect::<Vec<_>>().join("; ");
    match event {
        Event::LoopOpened(fact) => format!("{} {}", fact.phase, fact.pass),
        Event::Started(fact) => {
            format!(
                "{} {:?} {} {}",
                fact.ticket,
                fact.choice.strategy,
                fact.prompt_chars,
                told(&fact.markers)
            )
        }
        Event::Raised(fact) => format!("{} {}", fact.ticket, fact.reserved),
        Event::Answered(fact) => format!("{} {} | {}", fact.ticket, told(&fact.undone), told(&fact.notes)),
        Event::Failed(fact) => {
            format!("{} {:?} {} | {}", fact.ticket, fact.now, plain(&fact.detail), told(&fact.undone))
        }
        Event::Lost(fact) => format!("{} {} {}", fact.ticket, fact.cost, told(&fact.undone)),
        Event::Drafted(fact) => format!("{} {} {}", fact.ticket, fact.revision.is_some(), told(&fact.notes)),
        Event::Built(fact) => format!("{} {} {}", fact.ticket, fact.files.join(","), told(&fact.notes)),
        Event::TakenOut(fact) => fact.files.join(","),
        Event::Judged(fact) => {
            let how = match &fact.judgement {
                Judgement::Approved => "approved".to_owned(),
                Judgement::Rejected => "rejected".to_owned(),
                Judgement::Repair { why } => format!("to be repaired: {why}"),
                Judgement::NoVerdict { why } => format!("no verdict: {why}"),
            };
            format!("{} {how} {} {}", fact.ticket, fact.changes.len(), told(&fact.notes))
        }
        Event::Checked(fact) => {
            let where_ = fact.checkout.as_ref().map(|checkout| {
                format!(
                    "empty {} same {} {}",
                    checkout.empty,
                    checkout.same_as.is_some(),
                    told(&checkout.notes)
                )
            });
            format!("{} {} {}", fact.gate, fact.passed, where_.unwrap_or_default())
        }
        // The same tree has another name in another world.
        Event::Asked(fact) => fact.question.text.split("revision ").next().unwrap_or_default().to_owned(),
        Event::Decided(fact) => fact.choice.name().to_owned(),
        Event::StageClosed(fact) => format!("{} {:?} {}", fact.stage, fact.outcome, fact.round),
        Event::PhaseClosed(fact) => format!("{} {}", fact.phase, fact.approvals.len()),
        Event::Edited(fact) => fact.first.to_string(),
        Event::RetroWritten(fact) => format!("{:?} {}", fact.plain, fact.added.len()),
        Event::BankJudged(fact) => {
            format!("{} {} {}", fact.confirmed.len(), fact.proposed, told(&fact.notes))
        }
        Event::Merged(fact) => format!("{} {:?}", fact.into, fact.history),
        _ => String::new(),
    }
}

/// A line without the command that undoes it, the folder it is about and the names of revisions.
fn plain(line: &str) -> String {
    let line = line.split("; to ").next().unwrap_or_default();
    let folder = line.strip_prefix("made the worktree ").and_then(|rest| rest.split_once(" again"));
    let line = folder.map_or(line.to_owned(), |(_, rest)| format!("made the worktree again{rest}"));
    let is_id = |word: &&str| word.len() == 40 && word.chars().all(|c| c.is_ascii_hexdigit());
    line.split(' ').map(|word| if is_id(&word) { "(a revision)" } else { word }).collect::<Vec<_>>().join(" ")
}
