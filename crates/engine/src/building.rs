//! Turns what was built into a revision and a commit.
//!
//! A document's revision is its file; code's is the tree of the whole worktree, apart from our own projections. Only
//! files that git sees changed are committed, each by its name. Nothing an agent says about its files or its tests is
//! believed: git names the files, and `checking` runs the checks.

use crate::ending::EngineError;
use crate::journal::Journal;
use crate::trailers;
use crate::worktree::Worktree;
use redraft_core::review::{Effect, Loop};
use redraft_documents::report::{self, UnderstoodReport};
use redraft_facts::event::{Built, Declined, Drafted, TakenOut};
use redraft_facts::ids::Revision;
use redraft_facts::text::one_line;
use redraft_facts::ticket::{Purpose, Ticket, Unit};

/// Takes in the code that agents built.
pub(crate) struct Building<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
}

impl Building<'_, '_> {
    /// Turns the answer of an agent that built something into a fact.
    pub(crate) fn built(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        let Some((answered, answer)) = self.journal.answer_of(ticket)? else { return Ok(()) };
        let said = report::read(&answer, answered.formless);
        let open = self.journal.open_loop()?;
        let Some(before) = open.revision.clone() else { return Ok(()) };
        let (epoch, title) = (open.epoch + 1, title(open, ticket));
        self.worktree.refuse_secrets_in_code(open)?;
        let revision = self.worktree.tree()?;
        let files = self.worktree.workspace.changed(&before, &revision)?;
        let commit = self.commit_build(ticket, &files, &title)?;
        if !files.is_empty() {
            self.worktree.keep_anchor(open, &epoch.to_string(), &revision)?;
        }
        let UnderstoodReport { report, mut already, unfinished, summary, mut notes } = said;
        // Whoever simplifies, or writes tests, is not waited for: what it leaves undone holds nothing up.
        let unfinished = unfinished.filter(|_| ticket.purpose == Purpose::Implement);
        if ticket.purpose == Purpose::Outline {
            // An outline is its text; an empty text outlines nothing.
            already = summary.trim().is_empty();
            notes.clear();
        } else {
            notes.extend(report::compare(&report, &files));
        }
        self.worktree.boundaries.pass("before what was built is stored");
        let ticket = ticket.clone();
        self.journal.record(Built { ticket, revision, commit, report, files, already, notes, unfinished })
    }

    /// Turns the answer of an implementer that answered findings or a failed check into a fact.
    pub(crate) fn mended(
        &mut self,
        ticket: &Ticket,
        summary: String,
        notes: Vec<String>,
        declined: Vec<Declined>,
    ) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let Some(before) = open.revision.clone() else { return Ok(()) };
        let epoch = open.epoch + 1;
        let round = open.stages.iter().map(|stage| stage.rounds).max().unwrap_or(0);
        let title = match round {
            0 => "implement, after a failed check".to_owned(),
            round => format!("implement review iteration {round} fixes"),
        };
        self.worktree.refuse_secrets_in_code(open)?;
        let revision = self.worktree.tree()?;
        let files = self.worktree.workspace.changed(&before, &revision)?;
        let commit = self.commit_build(ticket, &files, &title)?;
        if !files.is_empty() {
            self.worktree.keep_anchor(open, &epoch.to_string(), &revision)?;
        }
        self.worktree.boundaries.pass("before a draft is stored");
        let (ticket, questions) = (ticket.clone(), Vec::new());
        let revision = Some(revision);
        self.journal.record(Drafted { ticket, revision, commit, summary, notes, questions, declined })
    }

    /// One commit with the ticket's trailer; empty where nothing changed.
    fn commit_build(&self, ticket: &Ticket, files: &[String], title: &str) -> Result<String, EngineError> {
        if files.is_empty() {
            return Ok(String::new());
        }
        let trailers = trailers::of_answer(self.journal.state(), ticket);
        self.worktree.boundaries.pass("before a draft is committed");
        self.worktree.commit_or_head(files, &format!("redraft: {title}"), &trailers)
    }

    /// Whether the worktree differs only in that some of the files to be taken out are gone already: the run died while
    /// doing it, and nobody has edited anything.
    pub(crate) fn was_taking_out(&self, effects: &[Effect]) -> Result<bool, EngineError> {
        let [Effect::TakeOut { before, files }] = effects else { return Ok(false) };
        let Some(known) = &self.journal.open_loop()?.revision else { return Ok(false) };
        let now = self.worktree.tree()?;
        let changed = self.worktree.workspace.changed(known, &now)?;
        let differs = self.worktree.workspace.changed(before, &now)?;
        Ok(changed.iter().all(|path| files.contains(path) && !differs.contains(path)))
    }

    /// Takes out the files that a person decided to go on without.
    pub(crate) fn take_out(&mut self, before: &Revision, files: Vec<String>) -> Result<(), EngineError> {
        self.worktree.workspace.put_back(before, &files)?;
        let revision = self.worktree.tree()?;
        let open = self.journal.open_loop()?;
        let epoch = open.epoch + 1;
        let changed = self.worktree.paths_of_change(open, &revision)?;
        let trailers = trailers::plain(self.journal.state());
        let message = "redraft: remove what was built for a skipped task";
        self.worktree.boundaries.pass("before a draft is committed");
        let commit = self.worktree.commit_or_head(&changed, message, &trailers)?;
        self.worktree.keep_anchor(open, &epoch.to_string(), &revision)?;
        self.journal.record(TakenOut { revision, commit, files })
    }
}

/// The title of this ticket's commit.
pub(crate) fn title(open: &Loop, ticket: &Ticket) -> String {
    const CHARS_MAX: usize = 60;
    match (&ticket.unit, ticket.purpose) {
        (Unit::Task(id), _) => {
            let tasks = open.implementing.iter().flat_map(|implementing| &implementing.tasks);
            let task = tasks.into_iter().find(|task| task.id == *id);
            let title = task.map(|task| one_line(&task.title, CHARS_MAX)).unwrap_or_default();
            format!("task {id} {title}").trim_end().to_owned()
        }
        (Unit::Whole, Purpose::Simplify) => "implement, made simpler".to_owned(),
        (Unit::Whole, _) => "implement, tests from the documents".to_owned(),
    }
}
