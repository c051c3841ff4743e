//! Builds the trace of a feature: requirement, design section, plan step, task, commit, files, test, last run; and what
//! is orphaned on the way, in both directions.
//!
//! Documents say what belongs to what, events say what became of it. Where there are no events, the trace ends at the
//! tasks. It reads no file and knows no git: the caller says which files a change has. Start at [`build`]; `wanted`
//! finds the requirements, `named` what a piece of text names, `reach` which task serves which requirement, `made` what
//! was built, `orphan` what is left over, `markdown` and `html` show it.

mod html;
mod made;
mod markdown;
mod named;
mod orphan;
mod reach;
mod rows;
#[cfg(test)]
mod tests;
mod wanted;

pub use html::{MADE_BY, TableLimits, html, orphans, table};
pub use markdown::markdown;
use redraft_documents::task_id;

use redraft_documents::lint::Rule;
use redraft_documents::lint::reading::{is_mentioned, key};
use redraft_documents::trace::TargetDocument;
use redraft_facts::event::Entry;
use redraft_facts::prelude::*;
use redraft_facts::text::count;

/// The inputs of a trace.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sources<'a> {
    pub prd: Option<&'a str>,
    pub spec: Option<&'a str>,
    pub design: Option<&'a str>,
    pub plan: Option<&'a str>,
    pub tasks: Option<&'a str>,
    /// The events of the feature; none where no ledger knows it.
    pub entries: &'a [Entry],
    /// The changed files according to git; none where git was not asked.
    pub change: Option<&'a ChangedFiles>,
}

/// The files of a change, as git reports them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// All files in which the code differs from where it began, without the feature's own documents.
    pub files: Vec<String>,
    /// The files of single commits, for facts that name a commit and no files.
    pub by_commit: BTreeMap<String, Vec<String>>,
}

/// What belongs to what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matrix {
    /// One for each requirement, in document order; then one for each piece of work that serves none of them.
    pub rows: Vec<Row>,
    /// Tasks in the order of their list, then what was done after them.
    pub works: Vec<CodeWork>,
    pub orphans: Vec<Orphan>,
    /// Whether there are events about code.
    pub built: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    pub requirement: Option<Requirement>,
    pub sections: Vec<DocumentPart>,
    pub steps: Vec<DocumentPart>,
    /// How its tasks reach it; none where none does.
    pub via: Option<Via>,
    /// In [`Matrix::works`].
    pub works: Vec<usize>,
}

/// A requirement or an acceptance criterion. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    pub id: String,
    pub text: String,
    /// The document that defines it.
    pub kind: TargetDocument,
    pub line: u32,
    /// Whether it is a criterion.
    pub is_criterion: bool,
}

/// How many there are, and how many of them a task reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reached {
    pub all: usize,
    pub reached: usize,
}

/// A part of the design or the plan. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentPart {
    pub line: u32,
    /// Empty where it has none.
    pub id: String,
    pub title: String,
}

/// How a requirement is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Via {
    /// A task names it.
    Task,
    /// A task refers to a plan step that names it.
    Step,
    /// A task refers to a design section that names it.
    Section,
    /// A requirement that it belongs to, or a criterion of it, is reached.
    Relative,
    /// There is no list of tasks: the specification is the one task.
    Whole,
}

/// A piece of work on the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeWork {
    pub what: CodeWorkKind,
    pub title: String,
    pub state: State,
    /// In the order they were made.
    pub commits: Vec<String>,
    pub files: Vec<String>,
    /// Those of the files that are tests.
    pub tests: Vec<String>,
    /// The last run of every check since the work was last changed.
    pub runs: Vec<RecordedCheck>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeWorkKind {
    /// With its line in the list, where there is one.
    Task {
        id: String,
        line: Option<u32>,
    },
    Simplification,
    /// Tests that were written from the documents.
    Deepening,
    /// What answered findings and failed checks.
    Fixes,
    /// What people changed themselves.
    Edits,
}

/// How far a piece of work is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Unknown: there are no events about it.
    Unknown,
    /// Not yet done.
    Open,
    Done,
    /// A person went on without it.
    Blocked {
        why: String,
    },
}

/// A check that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCheck {
    pub gate: String,
    pub command: String,
    pub passed: bool,
    pub at_ms: i64,
}

/// Something that leads nowhere, or that nothing leads to. `line` counts from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    pub rule: Rule,
    /// The name of a document of the feature, or the path of a file of the change.
    pub file: String,
    /// Whether `file` is such a document.
    pub document: bool,
    pub line: u32,
    /// Its name: `FR-3`, `1.2`, `src/a.rs`.
    pub id: String,
    pub message: String,
    pub hint: &'static str,
}

impl Via {
    pub fn name(self) -> &'static str {
        match self {
            Via::Task => "task",
            Via::Step => "step",
            Via::Section => "section",
            Via::Relative => "relative",
            Via::Whole => "whole",
        }
    }
}

impl State {
    pub fn name(&self) -> &'static str {
        match self {
            State::Unknown => "unknown",
            State::Open => "open",
            State::Done => "done",
            State::Blocked { .. } => "blocked",
        }
    }
}

impl CodeWorkKind {
    /// Its name in a table.
    pub fn name(&self) -> String {
        match self {
            CodeWorkKind::Task { id, .. } => id.clone(),
            CodeWorkKind::Simplification => "simplification".to_owned(),
            CodeWorkKind::Deepening => "tests from the documents".to_owned(),
            CodeWorkKind::Fixes => "fixes".to_owned(),
            CodeWorkKind::Edits => "edits by people".to_owned(),
        }
    }
}

impl DocumentPart {
    /// `C1 Store`, or its title alone.
    pub fn name(&self) -> String {
        match self.id.as_str() {
            "" => self.title.clone(),
            id => format!("{id} {}", self.title).trim_end().to_owned(),
        }
    }
}

impl Matrix {
    /// The work of a row.
    pub fn works_of<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a CodeWork> {
        row.works.iter().filter_map(|at| self.works.get(*at))
    }

    /// The requirements by themselves, then the criteria.
    pub fn reached(&self) -> (Reached, Reached) {
        let (mut requirements, mut criteria) = (Reached::default(), Reached::default());
        for row in &self.rows {
            let Some(requirement) = &row.requirement else { continue };
            let kind = if requirement.is_criterion { &mut criteria } else { &mut requirements };
            kind.all += 1;
            kind.reached += usize::from(row.via.is_some());
        }
        (requirements, criteria)
    }

    /// `7 of 7 requirements and 12 of 13 criteria reached by a task`.
    pub fn reached_in_words(&self) -> String {
        let (requirements, criteria) = self.reached();
        let of_criteria = || {
            let word = if criteria.all == 1 { "criterion" } else { "criteria" };
            format!("{} of {} {word}", criteria.reached, criteria.all)
        };
        let of_requirements =
            || format!("{} of {}", requirements.reached, count(requirements.all, "requirement"));
        let both = match (requirements.all, criteria.all) {
            (_, 0) => of_requirements(),
            (0, _) => of_criteria(),
            _ => format!("{} and {}", of_requirements(), of_criteria()),
        };
        format!("{both} reached by a task")
    }

    /// Keeps only what concerns an id, however it is spelled: of a requirement, a section, a step, a task; a file, or
    /// the beginning of a commit. Orphans are kept if they have that name.
    pub fn only(mut self, id: &str) -> Matrix {
        let id = id.trim();
        let works: Vec<bool> = self.works.iter().map(|work| work.is_called(id)).collect();
        let wanted = BTreeSet::from([key(id)]);
        let called = |name: &str| !name.is_empty() && is_mentioned(&key(name), &wanted);
        self.rows.retain_mut(|row| {
            let requirement = row.requirement.as_ref().is_some_and(|one| called(&one.id));
            let part = row.sections.iter().chain(&row.steps).any(|part| called(&part.id));
            let own: Vec<usize> = row.works.iter().copied().filter(|at| works[*at]).collect();
            if !requirement && !part && !own.is_empty() {
                row.works = own.clone();
            }
            requirement || part || !own.is_empty()
        });
        self.orphans.retain(|orphan| called(&orphan.id) || task_id::key(&orphan.id) == task_id::key(id));
        self
    }
}

impl CodeWork {
    /// Its files that are no tests.
    fn code(&self) -> impl Iterator<Item = &String> {
        self.files.iter().filter(|file| !self.tests.contains(file))
    }

    fn is_called(&self, id: &str) -> bool {
        const COMMIT_CHARS_MIN: usize = 7;
        let task =
            matches!(&self.what, CodeWorkKind::Task { id: own, .. } if task_id::key(own) == task_id::key(id));
        let commit = id.len() >= COMMIT_CHARS_MIN && self.commits.iter().any(|commit| commit.starts_with(id));
        task || commit || self.files.iter().any(|file| file == id)
    }
}

/// Puts together what belongs together.
pub fn build(sources: &Sources<'_>) -> Matrix {
    let made = made::made(sources);
    let read = reach::read(sources);
    let (works, places) = made::works(sources, &read, &made);
    let mut rows = rows::rows(&read, &places, sources);
    let served: BTreeSet<usize> = rows.iter().flat_map(|row| &row.works).copied().collect();
    let alone = (0..works.len()).filter(|at| !served.contains(at));
    rows.extend(alone.map(|at| rows::row_of_work(&read, &works[at], at)));
    let orphans = orphan::orphans(sources, &read, &rows, &works, &made);
    Matrix { rows, works, orphans, built: made.begun }
}
