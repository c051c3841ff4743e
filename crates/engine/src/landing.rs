//! Tasks that are carried out side by side: prepares the worktree of each, takes in what was done there, puts finished
//! ones together in no checkout, and makes what has passed part of the feature.
//!
//! Nothing that was done there is ever only in a worktree: it is a commit under a ref of ours before the machine hears
//! of it. The feature's branch is moved by commits of its own worktree alone.

use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::{PutOn, Slots, Workspace, WorkspaceError};
use crate::trailers;
use crate::worktree::Worktree;
use redraft_core::review::{Effect, Implementing, Loop, TaskWork};
use redraft_documents::report::{self, UnderstoodReport};
use redraft_facts::event::{Built, Combined, CombinedStep, Conflict, Enqueued, Slot};
use redraft_facts::ids::{Revision, TaskId};
use redraft_facts::ticket::{Ticket, Unit};
use std::sync::Arc;

/// Makes tasks part of the feature.
pub(crate) struct Landing<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    /// The feature's own.
    pub(crate) worktree: Worktree<'r>,
    pub(crate) slots: &'r dyn Slots,
}

impl Landing<'_, '_> {
    /// Turns the answer of an implementer into a fact: what it did in its own worktree waits for its turn.
    pub(crate) fn enqueue(&mut self, ticket: &Ticket, slot: &Slot, title: &str) -> Result<(), EngineError> {
        let Some((answered, answer)) = self.journal.answer_of(ticket)? else { return Ok(()) };
        let said = report::read(&answer, answered.formless);
        let own = self.slots.as_it_is(slot.number, &slot.base)?;
        let beside = Worktree { workspace: own.as_ref(), ..self.worktree };
        beside
            .refuse_secrets_in_code(self.journal.open_loop()?)
            .map_err(|error| in_folder(error, own.as_ref()))?;
        let revision = beside.tree()?;
        let held = self.worktree.workspace.tree_of(&slot.base)?;
        let mut files = self.worktree.workspace.changed(&held, &revision)?;
        let ours = self.worktree.projections();
        files.retain(|path| !ours.contains(path));
        let commit = match files.is_empty() {
            true => String::new(),
            false => {
                let tree = self.worktree.workspace.over(&held, &revision, &files)?;
                let name = self.anchor(ticket, &format!("{}.{}", ticket.round, ticket.attempt))?;
                self.worktree.workspace.loose_commit(&name, &tree, &slot.base, title)?.0
            }
        };
        let UnderstoodReport { report, already, unfinished, mut notes, .. } = said;
        let unfinished = match unfinished {
            Some(why) => Some(why),
            None => self.left_marks(ticket, &revision, &files)?,
        };
        notes.extend(report::compare(&report, &files));
        let ticket = ticket.clone();
        let work = Built { ticket, revision, commit, report, files, already, notes, unfinished };
        self.worktree.boundaries.pass("before what was built is stored");
        self.journal.record(Enqueued { base: slot.base.clone(), work })
    }

    /// Why a task is not done whose files still have git's marks of a conflict.
    fn left_marks(
        &self,
        ticket: &Ticket,
        revision: &Revision,
        files: &[String],
    ) -> Result<Option<String>, EngineError> {
        if task(self.journal.open_loop()?, ticket).is_none_or(|task| task.own.is_none()) {
            return Ok(None);
        }
        for path in files {
            let bytes = self.worktree.workspace.read_at(revision, path)?.unwrap_or_default();
            if String::from_utf8_lossy(&bytes).lines().any(is_mark) {
                return Ok(Some(format!("git's marks of a conflict are left in {path}")));
            }
        }
        Ok(None)
    }

    /// A name below which what belongs to a task is kept.
    fn anchor(&self, ticket: &Ticket, name: &str) -> Result<String, EngineError> {
        let opened = &self.journal.open_loop()?.opened;
        let task = match &ticket.unit {
            Unit::Task(id) => id.to_string(),
            Unit::Whole => "whole".to_owned(),
        };
        Ok(self.worktree.anchor(opened.phase, opened.pass, &format!("task-{task}/{name}")))
    }

    /// Puts finished tasks on top of the feature, one after the other, in no checkout.
    pub(crate) fn combine(&mut self, tasks: &[TaskId]) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let (Some(onto), Some(implementing)) = (open.revision.clone(), &open.implementing) else {
            return Ok(());
        };
        let mut at = self.worktree.committed(&onto, Some(self.journal.seq()))?;
        let (mut revision, mut steps, mut conflict) = (onto.clone(), Vec::new(), None);
        for task in tasks {
            let Some(waiting) = waiting(implementing, task) else { continue };
            let workspace = self.worktree.workspace;
            if !waiting.work.commit.is_empty() {
                let count = steps.len() + 1;
                let name = self.anchor(&waiting.work.ticket, &format!("on-{}-{count}", short(&at)))?;
                match workspace.put_on(&name, &at, &waiting.work.commit)? {
                    PutOn::Clean(commit) => {
                        let (before, after) = (workspace.tree_of(&at)?, workspace.tree_of(&commit.0)?);
                        let changed = workspace.all_changed(&before, &after)?;
                        revision = workspace.over(&revision, &after, &changed)?;
                        at = commit.0;
                    }
                    PutOn::Conflicts { files, .. } => {
                        conflict = Some(Conflict { task: task.clone(), files });
                        break;
                    }
                }
            }
            steps.push(CombinedStep { task: task.clone(), revision: revision.clone(), commit: at.clone() });
        }
        for (at, step) in steps.iter().enumerate() {
            let name = format!("combined-{}-{at}", step.revision.short());
            self.worktree.keep_anchor(open, &name, &step.revision)?;
        }
        self.worktree.boundaries.pass("before a combination is stored");
        self.journal.record(Combined { onto, steps, conflict })
    }

    /// Makes what has passed part of the feature: its files, and a commit on the feature's branch.
    pub(crate) fn land(
        &mut self,
        ticket: &Ticket,
        step: &CombinedStep,
        title: &str,
    ) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let Some(known) = open.revision.clone() else { return Ok(()) };
        let Some(waiting) = open.implementing.as_ref().and_then(|one| waiting(one, &step.task)) else {
            return Ok(());
        };
        let work = waiting.work.clone();
        let epoch = open.epoch + 1;
        let files = self.worktree.workspace.changed(&known, &step.revision)?;
        self.worktree.workspace.put_back(&step.revision, &files)?;
        if self.worktree.tree()? != step.revision {
            // Somebody edits at this moment; that is taken in first.
            return Ok(());
        }
        let commit = match files.is_empty() {
            true => String::new(),
            false => {
                let trailers = trailers::of_answer(self.journal.state(), ticket);
                self.worktree.boundaries.pass("before a draft is committed");
                self.worktree.commit_or_head(&files, &format!("redraft: {title}"), &trailers)?
            }
        };
        if !files.is_empty() {
            self.worktree.keep_anchor(self.journal.open_loop()?, &epoch.to_string(), &step.revision)?;
        }
        self.worktree.boundaries.pass("before what was built is stored");
        self.journal.record(Built { revision: step.revision.clone(), commit, files, ..work })
    }

    /// Whether the worktree differs only in what is becoming part of the feature: the run died while doing it, and
    /// nobody has edited anything. Where somebody has, what no commit of the branch holds yet is put back, so that their
    /// edit is theirs alone.
    pub(crate) fn was_landing(&self, effects: &[Effect]) -> Result<bool, EngineError> {
        let [Effect::Land { step, .. }] = effects else { return Ok(false) };
        let Some(known) = &self.journal.open_loop()?.revision else { return Ok(false) };
        let now = self.worktree.tree()?;
        if now == *known {
            return Ok(false);
        }
        let workspace = self.worktree.workspace;
        let (mut changed, differs) =
            (workspace.changed(known, &now)?, workspace.changed(&step.revision, &now)?);
        let all = changed.len();
        changed.retain(|path| !differs.contains(path));
        if changed.len() == all {
            return Ok(true);
        }
        let committed = workspace.tree_of(&self.worktree.head()?)?;
        let held = workspace.changed(known, &committed)?;
        changed.retain(|path| !held.contains(path));
        workspace.put_back(known, &changed)?;
        Ok(false)
    }
}

/// Where an order is carried out.
pub(crate) struct Place {
    pub(crate) slot: Slot,
    pub(crate) workspace: Arc<dyn Workspace>,
}

impl Place {
    /// Prepares the worktree of an order: what the feature is now, with what its task has done so far. Where the two
    /// exclude each other, the files have git's marks of both sides.
    pub(crate) fn prepare(
        number: u16,
        ticket: &Ticket,
        journal: &Journal<'_>,
        worktree: Worktree<'_>,
        slots: &dyn Slots,
    ) -> Result<Place, EngineError> {
        let open = journal.open_loop()?;
        let base = match &open.revision {
            Some(revision) => worktree.committed(revision, Some(journal.seq()))?,
            None => worktree.head()?,
        };
        let workspace = slots.at(number, &base)?;
        if let Some(own) = task(open, ticket).and_then(|task| task.own.as_ref()) {
            let name = worktree.anchor(open.opened.phase, open.opened.pass, &format!("slot-{number}/begun"));
            let with_own = match worktree.workspace.put_on(&name, &base, own)? {
                PutOn::Clean(commit) => worktree.workspace.tree_of(&commit.0)?,
                PutOn::Conflicts { marked, .. } => marked,
            };
            let files = worktree.workspace.changed(&worktree.workspace.tree_of(&base)?, &with_own)?;
            workspace.put_back(&with_own, &files)?;
        }
        Ok(Place { slot: Slot { number, base }, workspace })
    }
}

/// The task of a dispatch.
pub(crate) fn task<'l>(open: &'l Loop, ticket: &Ticket) -> Option<&'l TaskWork> {
    let Unit::Task(id) = &ticket.unit else { return None };
    open.implementing.as_ref()?.tasks.iter().find(|task| task.id == *id)
}

fn waiting<'l>(implementing: &'l Implementing, task: &TaskId) -> Option<&'l Enqueued> {
    let of_task = |one: &&Enqueued| one.work.ticket.unit == Unit::Task(task.clone());
    implementing.landing.queue.iter().find(of_task)
}

/// Whether a line is one that git puts above the first side of a conflict: it names a commit of whatever attempt that was,
/// which no text about such marks does.
fn is_mark(line: &str) -> bool {
    const ID_CHARS_MIN: usize = 40;
    let id = line.strip_prefix("<<<<<<< ").map(str::trim_end).unwrap_or_default();
    id.len() >= ID_CHARS_MIN && id.chars().all(|c| c.is_ascii_hexdigit())
}

/// A file that nobody finds in the feature's own worktree is named with its folder.
fn in_folder(error: EngineError, own: &dyn Workspace) -> EngineError {
    match error {
        EngineError::Workspace(WorkspaceError::Secret { path, line, kind }) => {
            let path = own.folder().join(path).display().to_string();
            WorkspaceError::Secret { path, line, kind }.into()
        }
        other => other,
    }
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// The commit that holds what finished tasks would make of the feature.
pub(crate) fn commit_of_combination(open: &Loop, revision: &Revision) -> Option<String> {
    open.implementing.as_ref()?.landing.commit_of(revision).map(str::to_owned)
}
