//! Code: what was built becomes a revision and a commit, and the project's checks say whether it holds.
//!
//! A document's revision is its file; code's is the tree of the whole worktree, apart from our own projections. Only files
//! that git sees changed are committed, each by its name. Nothing an agent says about its files or its tests is taken for
//! what is so: git names the files, and the checks are run by `checking`.

use crate::checking::CheckResult;
use crate::driver::Run;
use crate::ending::EngineError;
use crate::phases::Subject;
use crate::ports::{ALL_FILES, Trailers, Workspace, WorkspaceError};
use redraft_core::event::{
    Adopted, Built, Checked, Drafted, Event, Extra, FeatureCreated, LoopOpened, PlannedTask, TakenOut,
};
use redraft_core::ids::{Revision, Role, TaskId};
use redraft_core::phase::{Lane, Phase};
use redraft_core::profile;
use redraft_core::project;
use redraft_core::report::{self, Understood};
use redraft_core::review::Loop;
use redraft_core::sections::Outline;
use redraft_core::tasks;
use redraft_core::text::{hash, one_line};
use redraft_core::ticket::{Purpose, Ticket, Unit};
use std::collections::BTreeMap;

/// What no agent that writes code may touch: what it is held to.
const HELD_TO: [&str; 2] = ["redraft.toml", ".redraft"];

/// Whether a loop is about code, not about a document.
pub(crate) fn is_code(opened: &LoopOpened) -> bool {
    opened.phase == Phase::Implement
}

/// What a loop is about, as it stands in the worktree; none where there is nothing.
pub fn standing(
    workspace: &dyn Workspace,
    created: &FeatureCreated,
    opened: &LoopOpened,
) -> Result<Option<Revision>, WorkspaceError> {
    let ours: Vec<String> = project::FILES.iter().map(|name| created.path_of(name)).collect();
    match is_code(opened) {
        true => workspace.tree(&ours).map(Some),
        false => workspace.revision(&opened.paths),
    }
}

impl Run<'_> {
    /// Opens the loop that carries out the tasks and has the code reviewed.
    pub(crate) fn open_code(&mut self, pass: u16) -> Result<(), EngineError> {
        if let Some(change) = &self.change {
            let base = change.base.clone();
            return self.open_change(pass, base);
        }
        self.require_upstream(Phase::Implement)?;
        let tasks = self.planned()?;
        let base = self.base_of_code()?;
        let gates = self.rules.checks.iter().map(|check| check.name.clone()).collect();
        let checks = self.rules.checks.iter().map(|check| (check.name.clone(), check.command.clone()));
        let checks = checks.collect();
        let extras = self.rules.extras.iter().filter(|_| self.lane() != Lane::Express);
        let extras = extras.map(|extra| (*extra, helper(*extra))).collect();
        let panels = profile::panels_in(Phase::Implement, self.lane());
        let paths = vec![ALL_FILES.to_owned()];
        self.begin(
            Phase::Implement,
            pass,
            Subject { panels, paths, base: Some(base), gates, checks, tasks, extras, bundle: None },
        )
    }

    /// Opens the loop that reviews a change by itself: nobody carries out anything.
    fn open_change(&mut self, pass: u16, base: Revision) -> Result<(), EngineError> {
        let gates = self.rules.checks.iter().map(|check| check.name.clone()).collect();
        let checks = self.rules.checks.iter().map(|check| (check.name.clone(), check.command.clone()));
        let checks = checks.collect();
        let panels = profile::panels_in(Phase::Implement, self.lane());
        let (paths, base) = (vec![ALL_FILES.to_owned()], Some(base));
        let subject = Subject { panels, paths, base, gates, checks, ..Subject::default() };
        self.begin(Phase::Implement, pass, subject)
    }

    /// What code is compared with: the files where the feature's branch left its base, with the feature's documents as they
    /// are. Whatever else differs is what a merge would bring, whoever wrote it and when.
    pub(crate) fn base_of_code(&self) -> Result<Revision, EngineError> {
        let common = match self.created.base_branch.as_str() {
            "" => None,
            into => self.parts.merging.common(into)?,
        };
        let under = match common {
            Some(common) => common,
            None => self.parts.workspace.tree_of(&self.created.base_commit)?,
        };
        let now = self.parts.workspace.tree(&self.projections())?;
        Ok(self.parts.workspace.over(&under, &now, &project::not_code(&self.created))?)
    }

    /// What the first loop about this feature's code was opened on.
    pub(crate) fn first_base(&self) -> Option<Revision> {
        self.journal.entries().iter().find_map(|entry| match &entry.event {
            Event::LoopOpened(opened) if is_code(opened) => opened.base.clone(),
            _ => None,
        })
    }

    /// What is to be carried out, in its order. Where no list was made, the specification is the one task.
    fn planned(&self) -> Result<Vec<PlannedTask>, EngineError> {
        const TITLE_CHARS_MAX: usize = 200;
        let path = self.created.path_of(Phase::CreateTasks.artifact());
        let bytes = self.parts.workspace.read(&path)?;
        let Some(bytes) = bytes.filter(|_| self.journal.state().left_out(Phase::CreateTasks).is_none())
        else {
            let title = one_line(&self.created.idea, TITLE_CHARS_MAX);
            let spec = self.parts.workspace.read(&self.created.path_of(Phase::Specify.artifact()))?;
            let text = hash(&spec.unwrap_or_default());
            return Ok(vec![PlannedTask { id: TaskId::new("1"), title, text, ticked: false }]);
        };
        let text = String::from_utf8_lossy(&bytes);
        let wrong =
            |detail: String| EngineError::Tasks { feature: self.created.id, path: path.clone(), detail };
        let list = tasks::read(&text).map_err(|none| wrong(none.to_string()))?;
        let outline = Outline::of(&text);
        // A box is a person's word only where the list was taken on it; in a list that agents wrote it proves nothing.
        let taken = |taken: &Adopted| taken.accepted.contains(&Phase::CreateTasks);
        let taken = self.journal.state().adopted.as_ref().is_some_and(taken);
        let mut seen = BTreeMap::new();
        let mut planned = Vec::new();
        for task in tasks::order(&list).map_err(|cycle| wrong(cycle.to_string()))? {
            if let Some(first) = seen.insert(tasks::key(&task.id), task.line) {
                return Err(wrong(format!(
                    "task {} stands in line {first} and in line {}",
                    task.id, task.line
                )));
            }
            let title = one_line(&task.title, TITLE_CHARS_MAX);
            let text = hash(outline.text(task.lines()).trim_end().as_bytes());
            let (id, ticked) = (TaskId::new(task.id.replace('/', "-")), taken && task.is_ticked(&outline));
            planned.push(PlannedTask { id, title, text, ticked });
        }
        Ok(planned)
    }

    /// What the open loop is about, as it stands in the worktree; none where there is nothing.
    pub(crate) fn revision_now(&self, opened: &LoopOpened) -> Result<Option<Revision>, EngineError> {
        Ok(standing(self.parts.workspace, &self.created, opened)?)
    }

    /// The files to commit for a new revision of the open loop.
    pub(crate) fn paths_of_change(&self, to: &Revision) -> Result<Vec<String>, EngineError> {
        let open = self.journal.open_loop()?;
        match (is_code(&open.opened), &open.revision) {
            (true, Some(from)) => match self.parts.workspace.changed(from, to) {
                // What it is compared with is lost; the branch has what is left of it.
                Err(WorkspaceError::AnchorLost(_)) => {
                    let mut files = self.parts.workspace.uncommitted()?;
                    files.retain(|file| !self.projections().contains(file));
                    Ok(files)
                }
                changed => Ok(changed?),
            },
            _ => Ok(open.opened.paths.clone()),
        }
    }

    /// What somebody who builds may write: everything but the feature's documents and what it is held to.
    pub(crate) fn may_build(&self) -> Vec<String> {
        let held = HELD_TO.iter().map(|path| format!("!{path}"));
        let folder = format!("!{}", self.created.folder());
        [ALL_FILES.to_owned(), folder].into_iter().chain(held).collect()
    }

    /// Turns the answer of somebody who built into a fact.
    pub(crate) fn built(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        let Some(said) = self.understood(ticket)? else { return Ok(()) };
        let open = self.journal.open_loop()?;
        let Some(before) = open.revision.clone() else { return Ok(()) };
        let (epoch, title) = (open.epoch + 1, title(open, ticket));
        self.refuse_secrets_in_code()?;
        let revision = self.parts.workspace.tree(&self.projections())?;
        let files = self.parts.workspace.changed(&before, &revision)?;
        let commit = self.commit_build(ticket, &files, &title)?;
        if !files.is_empty() {
            self.keep_anchor(epoch, &revision)?;
        }
        let Understood { report, mut already, summary, mut notes } = said;
        if ticket.purpose == Purpose::Outline {
            // An outline is its text; one that says nothing outlines nothing.
            already = summary.trim().is_empty();
            notes.clear();
        } else {
            notes.extend(report::compare(&report, &files));
        }
        self.parts.boundaries.pass("before what was built is stored");
        let ticket = ticket.clone();
        self.journal.record(Built { ticket, revision, commit, report, files, already, notes })
    }

    /// Turns the answer of an implementer that answered findings or a failed check into a fact.
    pub(crate) fn mended(
        &mut self,
        ticket: &Ticket,
        summary: String,
        notes: Vec<String>,
    ) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let Some(before) = open.revision.clone() else { return Ok(()) };
        let epoch = open.epoch + 1;
        let round = open.stages.iter().map(|stage| stage.rounds).max().unwrap_or(0);
        let title = match round {
            0 => "implement, after a failed check".to_owned(),
            round => format!("implement review iteration {round} fixes"),
        };
        self.refuse_secrets_in_code()?;
        let revision = self.parts.workspace.tree(&self.projections())?;
        let files = self.parts.workspace.changed(&before, &revision)?;
        let commit = self.commit_build(ticket, &files, &title)?;
        if !files.is_empty() {
            self.keep_anchor(epoch, &revision)?;
        }
        self.parts.boundaries.pass("before a draft is stored");
        let (ticket, questions) = (ticket.clone(), Vec::new());
        let drafted = Drafted { ticket, revision: Some(revision), commit, summary, notes, questions };
        self.journal.record(drafted)
    }

    /// Asked before git stores anything of what was built.
    fn refuse_secrets_in_code(&self) -> Result<(), EngineError> {
        let (mut files, ours) = (self.parts.workspace.uncommitted()?, self.projections());
        files.retain(|file| !ours.contains(file));
        self.refuse_new_secrets(&files)
    }

    /// One commit with the ticket's trailer; empty where nothing changed.
    fn commit_build(&self, ticket: &Ticket, files: &[String], title: &str) -> Result<String, EngineError> {
        if files.is_empty() {
            return Ok(String::new());
        }
        let trailers = self.trailers_of(ticket);
        self.parts.boundaries.pass("before a draft is committed");
        Ok(match self.commit(files, &format!("redraft: {title}"), &trailers)? {
            Some(commit) => commit.0,
            // Committed by a run that died before it could say so.
            None => self.parts.workspace.head()?.0.0,
        })
    }

    /// What an answered ticket reports; none when it is in flight no more.
    fn understood(&self, ticket: &Ticket) -> Result<Option<Understood>, EngineError> {
        let open = self.journal.open_loop()?;
        let flight = open.seat_of(ticket).and_then(|seat| seat.work.as_ref()?.flight.as_ref());
        let Some(answered) = flight.and_then(|flight| flight.answered.as_ref()) else { return Ok(None) };
        let answer = self.parts.store.blob(&answered.answer)?;
        Ok(Some(report::read(&answer, answered.formless)))
    }

    /// Runs one of the project's checks on the commit that holds this revision.
    pub(crate) fn check_code(
        &mut self,
        revision: Revision,
        gate: String,
        empty: bool,
    ) -> Result<(), EngineError> {
        let pass = self.journal.open_loop()?.opened.pass;
        let Some(check) = self.rules.checks.iter().find(|check| check.name == gate).cloned() else {
            return Err(EngineError::NoSuchCheck { gate });
        };
        let commit = self.committed(&revision)?;
        let Some(result) = self.result_of(&check, &commit, empty, &self.projections())? else {
            // Nothing is known of it; the next run asks again.
            return Ok(());
        };
        let CheckResult { passed, evidence, code, wall_ms, output, checkout } = result;
        let (command, checkout) = (check.command, Some(checkout));
        self.parts.boundaries.pass("before a check is stored");
        let checked =
            Checked { pass, revision, gate, passed, evidence, command, code, wall_ms, output, checkout };
        self.journal.record(checked)
    }

    /// Takes out what a person goes on without.
    pub(crate) fn take_out(&mut self, before: &Revision, files: Vec<String>) -> Result<(), EngineError> {
        self.parts.workspace.put_back(before, &files)?;
        let revision = self.parts.workspace.tree(&self.projections())?;
        let epoch = self.journal.open_loop()?.epoch + 1;
        let changed = self.paths_of_change(&revision)?;
        let trailers = Trailers { seq: self.journal.state().seq, ..Trailers::default() };
        let message = "redraft: take out what is gone on without";
        self.parts.boundaries.pass("before a draft is committed");
        let commit = match self.commit(&changed, message, &trailers)? {
            Some(commit) => commit,
            None => self.parts.workspace.head()?.0,
        };
        self.keep_anchor(epoch, &revision)?;
        self.journal.record(TakenOut { revision, commit: commit.0, files })
    }
}

/// Who does what comes after the tasks.
fn helper(extra: Extra) -> Role {
    Role::new(match extra {
        Extra::Simplify => "code-simplifier",
        Extra::Deepen => "test-deepener",
    })
}

/// What a commit of this ticket says.
fn title(open: &Loop, ticket: &Ticket) -> String {
    const CHARS_MAX: usize = 60;
    match (&ticket.unit, ticket.purpose) {
        (Unit::Task(id), _) => {
            let tasks = open.making.iter().flat_map(|making| &making.tasks);
            let task = tasks.into_iter().find(|task| task.id == *id);
            let title = task.map(|task| one_line(&task.title, CHARS_MAX)).unwrap_or_default();
            format!("task {id} {title}").trim_end().to_owned()
        }
        (Unit::Whole, Purpose::Simplify) => "implement, made simpler".to_owned(),
        (Unit::Whole, _) => "implement, tests from the documents".to_owned(),
    }
}
