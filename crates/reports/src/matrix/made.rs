//! Finds what was built, according to the events: commits, files, tests and the checks that were run afterwards.
//!
//! A file counts for every piece of work that changed it. Start at [`made`].

use super::reach::Read;
use super::{CodeWork, CodeWorkKind, RecordedCheck, Sources, State};
use redraft_core::pipeline::Pipeline;
use redraft_core::review::TaskEnd;
use redraft_documents::task_id;
use redraft_documents::test_path::is_test;
use redraft_facts::event::{Built, Checked, Entry, Event};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::ticket::{Purpose, Unit};

/// What events say about code.
#[derive(Default)]
pub(super) struct Made {
    /// Keyed by what did it: the key of a task, or something that is done to the whole.
    pieces: BTreeMap<Piece, Piecework>,
    /// What became of the tasks, with their titles, in their order.
    ends: Vec<(String, String, Option<TaskEnd>)>,
    checks: Vec<(u64, RecordedCheck)>,
    /// Whether anything was built or is going to be.
    pub(super) begun: bool,
    /// Whether every task has come to an end.
    pub(super) over: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Task(String),
    Simplification,
    Deepening,
    Fixes,
    Edits,
}

#[derive(Default)]
struct Piecework {
    commits: Vec<String>,
    files: BTreeSet<String>,
    /// The event that changed it last.
    last: u64,
}

pub(super) fn made(sources: &Sources<'_>) -> Made {
    let mut made = Made::default();
    let mut code = false;
    for entry in sources.entries {
        match &entry.event {
            Event::LoopOpened(opened) => {
                code = opened.phase == Phase::Implement;
                made.begun |= code;
            }
            Event::Built(built) => made.add(piece(built), &built.commit, &built.files, entry.seq),
            Event::Drafted(drafted) if code && !drafted.commit.is_empty() => {
                made.add(Some(Piece::Fixes), &drafted.commit, files(sources, &drafted.commit), entry.seq);
            }
            Event::Edited(edited) if code && !edited.commit.is_empty() => {
                made.add(Some(Piece::Edits), &edited.commit, files(sources, &edited.commit), entry.seq);
            }
            Event::TakenOut(out) => {
                for piece in made.pieces.values_mut() {
                    out.files.iter().for_each(|file| {
                        piece.files.remove(file);
                    });
                }
            }
            Event::Checked(checked) if code && !checked.command.is_empty() => {
                made.checks.push((entry.seq, run(checked, entry)));
            }
            _ => {}
        }
    }
    if let Ok(state) = Pipeline::replay(sources.entries) {
        let last = state.standing().filter(|one| one.opened.phase == Phase::Implement).last();
        if let Some(implementing) = last.and_then(|last| last.implementing.as_ref()) {
            made.over = implementing.current().is_none();
            let end = |task: &redraft_core::review::TaskWork| {
                (task.id.to_string(), task.title.clone(), task.end.clone())
            };
            made.ends = implementing.tasks.iter().map(end).collect();
        }
    }
    made
}

impl Made {
    fn add(&mut self, piece: Option<Piece>, commit: &str, files: &[String], seq: u64) {
        let Some(piece) = piece else { return };
        let work = self.pieces.entry(piece).or_default();
        if !commit.is_empty() && work.commits.last().is_none_or(|last| last != commit) {
            work.commits.push(commit.to_owned());
        }
        work.files.extend(files.iter().cloned());
        if !files.is_empty() || !commit.is_empty() {
            work.last = seq;
        }
    }

    /// Every file that belongs to a piece of work.
    pub(super) fn files(&self) -> BTreeSet<&str> {
        let known = self.pieces.iter().filter(|(piece, _)| **piece != Piece::Edits);
        known.flat_map(|(_, work)| &work.files).map(String::as_str).collect()
    }

    fn work(&self, piece: &Piece, what: CodeWorkKind, title: String, state: State) -> CodeWork {
        let none = Piecework::default();
        let made = self.pieces.get(piece).unwrap_or(&none);
        let files: Vec<String> = match state {
            State::Blocked { .. } => Vec::new(),
            State::Unknown | State::Open | State::Done => made.files.iter().cloned().collect(),
        };
        let tests: Vec<String> = files.iter().filter(|file| is_test(file)).cloned().collect();
        let commits = made.commits.clone();
        let runs = if commits.is_empty() { Vec::new() } else { self.runs_since(made.last) };
        CodeWork { what, title, state, commits, files, tests, runs }
    }

    /// The last run of every check after an event.
    fn runs_since(&self, seq: u64) -> Vec<RecordedCheck> {
        let mut last: BTreeMap<&str, &RecordedCheck> = BTreeMap::new();
        for (_, run) in self.checks.iter().filter(|(at, _)| *at > seq) {
            last.insert(&run.gate, run);
        }
        last.into_values().cloned().collect()
    }
}

fn piece(built: &Built) -> Option<Piece> {
    match (&built.ticket.unit, built.ticket.purpose) {
        (Unit::Task(id), _) => Some(Piece::Task(task_id::key(id.as_str()))),
        (Unit::Whole, Purpose::Simplify) => Some(Piece::Simplification),
        (Unit::Whole, Purpose::Outline) => None,
        (Unit::Whole, _) => Some(Piece::Deepening),
    }
}

fn files<'a>(sources: &Sources<'a>, commit: &str) -> &'a [String] {
    sources.change.and_then(|change| change.by_commit.get(commit)).map_or(&[], Vec::as_slice)
}

fn run(checked: &Checked, entry: &Entry) -> RecordedCheck {
    let Checked { gate, command, passed, .. } = checked;
    RecordedCheck { gate: gate.clone(), command: command.clone(), passed: *passed, at_ms: entry.at_ms }
}

/// All pieces of work, and for each task of the list, or of the ledger where there is none, where its piece is.
pub(super) fn works(sources: &Sources<'_>, read: &Read, made: &Made) -> (Vec<CodeWork>, Vec<usize>) {
    const TITLE_CHARS_MAX: usize = 120;
    let mut works = Vec::new();
    let known: BTreeMap<String, &Option<TaskEnd>> =
        made.ends.iter().map(|(id, _, end)| (task_id::key(id), end)).collect();
    for one in &read.tasks {
        // As the ledger calls it, where a slash would end the name.
        let key = task_id::key(&one.task.id.replace('/', "-"));
        let state = known.get(&key).map_or(State::Unknown, |end| state(end));
        let what = CodeWorkKind::Task { id: one.task.id.clone(), line: Some(one.task.line) };
        let title = one_line(&one.task.title, TITLE_CHARS_MAX);
        works.push(made.work(&Piece::Task(key), what, title, state));
    }
    if sources.tasks.is_none() {
        for (id, title, end) in &made.ends {
            let what = CodeWorkKind::Task { id: id.clone(), line: None };
            let title = one_line(title, TITLE_CHARS_MAX);
            works.push(made.work(&Piece::Task(task_id::key(id)), what, title, state(end)));
        }
    }
    let places = (0..works.len()).collect();
    let later = [
        (Piece::Simplification, CodeWorkKind::Simplification),
        (Piece::Deepening, CodeWorkKind::Deepening),
        (Piece::Fixes, CodeWorkKind::Fixes),
        (Piece::Edits, CodeWorkKind::Edits),
    ];
    for (piece, what) in later {
        if made.pieces.get(&piece).is_some_and(|work| !work.commits.is_empty()) {
            works.push(made.work(&piece, what, String::new(), State::Done));
        }
    }
    (works, places)
}

fn state(end: &Option<TaskEnd>) -> State {
    match end {
        None => State::Open,
        Some(TaskEnd::Done | TaskEnd::Before) => State::Done,
        Some(TaskEnd::Blocked { why }) => State::Blocked { why: why.clone() },
    }
}
