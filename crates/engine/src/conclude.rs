//! Reads the answers that came back: turns an author's into a revision and a reviewer's into a judgement.

use crate::building::Building;
use crate::compose::delta_of_change;
use crate::ending::EngineError;
use crate::flights::flight;
use crate::journal::Journal;
use crate::ports::WorkspaceError;
use crate::reads::Reads;
use crate::trailers;
use crate::worktree::Worktree;
use redraft_core::judge::{AnswerInHand, FORMLESS, judge, withheld};
use redraft_core::review::{Loop, case_for};
use redraft_documents::answer;
use redraft_documents::delta::Delta;
use redraft_facts::event::{AuthorQuestion, Declined, Drafted, Event, Judgement, LEFT_INSTEAD, Started};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::Revision;
use redraft_facts::probed::Recall;
use redraft_facts::text;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_facts::verdict::{AnswerStatus, FindingAnswer};
use redraft_roles::profile::{self, Profile};
use std::cell::RefCell;

/// Concludes dispatches about documents and reviews.
pub(crate) struct Concluding<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
}

impl Concluding<'_, '_> {
    /// An author's answer becomes a revision.
    pub(crate) fn snapshot(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let Some((started, answered)) = flight(open, ticket) else { return Ok(()) };
        let answer = self.journal.writer().store.blob(&answered.answer)?;
        let (summary, notes) = fix_summary(&answer, answered.formless);
        let declined = declined(&answer, answered.formless, &open.findings);
        if open.opened.is_code() {
            return Building { journal: self.journal, worktree: self.worktree }
                .mended(ticket, summary, notes, declined);
        }
        let questions = questions(&answer, answered.formless);
        let artifact = self.worktree.workspace.read(open.artifact())?;
        let written = artifact.is_some_and(|bytes| !bytes.trim_ascii().is_empty());
        let mut drafted = Drafted {
            ticket: ticket.clone(),
            revision: None,
            commit: String::new(),
            summary,
            notes,
            questions: Vec::new(),
            declined,
        };
        if !written && ticket.purpose == Purpose::Draft && !questions.is_empty() {
            drafted.questions = questions;
            return self.journal.record(drafted);
        }
        drafted.notes.extend(self.reads().unread(started, answered, &answer));
        if !written {
            drafted.notes.push(format!("{} is missing or empty", open.artifact()));
            let taken_out = format!("took out {}, which was ", open.artifact());
            let instead = answered.undone.iter().find_map(|line| line.strip_prefix(&taken_out));
            drafted.notes.extend(instead.map(|what| format!("{LEFT_INSTEAD}{what}")));
            return self.journal.record(drafted);
        }
        let (paths, epoch, phase) = (open.opened.paths.clone(), open.epoch + 1, open.opened.phase);
        self.worktree.refuse_new_secrets(open, &paths)?;
        let revision = self.worktree.workspace.revision(&paths)?;
        let changed = revision != open.revision;
        let round = open.stages.iter().map(|stage| stage.rounds).max().unwrap_or(0);
        if let Some(revision) = revision.as_ref().filter(|_| changed) {
            let message = match ticket.purpose {
                Purpose::Draft => format!("redraft: {phase} draft"),
                _ if open.findings.iter().any(Finding::is_open_comment) && open.failed_gate().is_none() => {
                    format!("redraft: {phase} after a comment")
                }
                _ if round == 0 => format!("redraft: {phase} draft after a failed gate"),
                _ => format!("redraft: {phase} review iteration {round}"),
            };
            let trailers = trailers::of_answer(self.journal.state(), ticket);
            self.worktree.boundaries.pass("before a draft is committed");
            drafted.commit = self.worktree.commit_or_head(&paths, &message, &trailers)?;
            self.worktree.keep_anchor(open, &epoch.to_string(), revision)?;
            self.worktree.boundaries.pass("before a draft is stored");
        }
        drafted.revision = revision;
        self.journal.record(drafted)
    }

    /// A reviewer's answer becomes a judgement.
    pub(crate) fn judge(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let Some((started, answered)) = flight(open, ticket) else { return Ok(()) };
        let Some(facts) = case_for(open, ticket) else { return Ok(()) };
        let answer = self.journal.writer().store.blob(&answered.answer)?;
        let delta = match (&facts.since, &started.sees) {
            (Some(since), Some(sees)) => match self.judged_delta(open, facts.base_then.as_ref(), since, sees)
            {
                Ok(diff) => Some(diff),
                // Nothing is put off when it is unknown what changed.
                Err(WorkspaceError::AnchorLost(_)) => None,
                Err(error) => return Err(error.into()),
            },
            _ => None,
        };
        let (diff, delta) = (delta.clone(), delta.as_deref().map(Delta::parse));
        let trouble = RefCell::new(None);
        let text_of = |path: &str| match self.judged_text(open, started, path) {
            Ok(bytes) => bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => {
                trouble.borrow_mut().get_or_insert(error);
                None
            }
        };
        let first = facts.since.is_none() && ticket.purpose == Purpose::Review;
        let asked = profile::of_dispatch(ticket.phase, &ticket.role, ticket.purpose, &open.opened.panels);
        let checks: Vec<&str> = asked.filter(|_| first).map(Profile::check_names).unwrap_or_default();
        let printed = self.printed(open, started);
        // What was said after the role was sent its work is put to it with the next.
        let known: Vec<Finding> =
            open.findings.iter().filter(|one| !facts.missed.contains(&one.id)).cloned().collect();
        let redactor = self.journal.writer().redactor;
        let mut judged = judge(&AnswerInHand {
            ticket,
            round: facts.round,
            letter: facts.letter,
            rule: open.opened.rule,
            known: &known,
            settled: &self.journal.state().settled,
            delta: delta.as_ref(),
            late_left: open.late_left(),
            repair_left: facts.repair_left,
            retry_left: facts.retry_left,
            answer: &answer,
            formless: answered.formless,
            checks: &checks,
            artifact: if open.opened.is_code() { "" } else { open.artifact() },
            printed: &printed,
            text_of: &text_of,
            redactor,
        });
        if let Some(error) = trouble.into_inner() {
            // A failed lookup is no reason to call a finding unproved.
            return Err(error.into());
        }
        if let Some(Recall::Asks(code)) = &started.recall {
            // It was told for us, and is no claim about the work.
            judged.verdict.verified.retain(|one| !one.result.contains(code.as_str()));
        }
        judged.notes.extend(self.reads().unread(started, answered, &answer));
        if judged.judgement == Judgement::Approved
            && let Some(why) = self.reads().unopened(open, started, diff.as_deref())?
        {
            judged = withheld(judged, why, facts.repair_left);
        }
        self.journal.record(judged)
    }

    /// What the project's checks printed about the code that was reviewed: when the engine ran them, and when the role
    /// had them run, in this turn or in an earlier one about the same revision.
    fn printed<'e>(&'e self, open: &'e Loop, started: &Started) -> Vec<&'e str> {
        if !open.opened.is_code() {
            return Vec::new();
        }
        let seen = open.gates.values().filter(|checked| Some(&checked.revision) == started.sees.as_ref());
        let mut printed: Vec<&str> =
            seen.flat_map(|checked| [&*checked.output, &*checked.evidence]).collect();
        let mut own: Vec<&Ticket> = Vec::new();
        for entry in self.journal.entries() {
            match &entry.event {
                Event::Started(one) if one.sees == started.sees && one.ticket.role == started.ticket.role => {
                    own.push(&one.ticket);
                }
                Event::Answered(one) if own.contains(&&one.ticket) => {
                    printed.extend(one.ran.iter().flatten().map(|ran| ran.output.as_str()));
                }
                _ => {}
            }
        }
        printed.retain(|text| !text.trim().is_empty());
        printed
    }

    fn reads(&self) -> Reads<'_, '_> {
        Reads { journal: self.journal, worktree: self.worktree }
    }

    /// What changed since the role last looked, as the role was shown it: without what only the base of a change has
    /// changed.
    fn judged_delta(
        &self,
        open: &Loop,
        base_then: Option<&Revision>,
        since: &Revision,
        sees: &Revision,
    ) -> Result<String, WorkspaceError> {
        let delta = |from: &Revision, to: &Revision| self.worktree.workspace.delta(from, to);
        match (base_then, open.base()) {
            (Some(then), Some(now)) if open.opened.is_code() => {
                delta_of_change((then, since), (now, sees), &delta)
            }
            _ => delta(since, sees),
        }
    }

    /// The text a finding quotes from, as it is in the revision that was reviewed. A document's revision holds only its
    /// own files; anything else it mentions is read from the worktree, unless it cannot be a file there.
    fn judged_text(
        &self,
        open: &Loop,
        started: &Started,
        path: &str,
    ) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let unreadable = |error: WorkspaceError| match error {
            // A path that leads nowhere, or to something that is not a file.
            WorkspaceError::File { .. } => Ok(None),
            error => Err(error),
        };
        if let Some(sees) = &started.sees {
            let found = self.worktree.workspace.read_at(sees, path).or_else(unreadable)?;
            // Our own files next to the code are not part of its revision.
            let whole = open.opened.is_code() && !self.worktree.projections().iter().any(|ours| ours == path);
            if found.is_some() || whole {
                return Ok(found);
            }
        }
        self.worktree.workspace.read(path).or_else(unreadable)
    }
}

/// The questions an author asks instead of drafting: the issues of an answer that does not call itself done.
fn questions(answer: &[u8], formless: bool) -> Vec<AuthorQuestion> {
    const QUESTIONS_MAX: usize = 5;
    const CHARS_MAX: usize = 1_000;
    let said = if formless { None } else { answer::parse(answer).verdict };
    let issues = said.filter(|said| !said.approved).map(|said| said.issues).unwrap_or_default();
    let asked = issues.iter().map(|issue| AuthorQuestion {
        question: text::one_line(&issue.description, CHARS_MAX),
        assumed: text::one_line(&issue.suggestion, CHARS_MAX),
    });
    asked.filter(|asked| !asked.question.is_empty()).take(QUESTIONS_MAX).collect()
}

/// The open findings that the author declines with a reason. A finding that it also says to be fixed is not declined.
fn declined(answer: &[u8], formless: bool, findings: &[Finding]) -> Vec<Declined> {
    const CHARS_MAX: usize = 1_000;
    let said = if formless { None } else { answer::parse(answer).verdict };
    let answers = said.map(|said| said.answers).unwrap_or_default();
    let mut declined: Vec<Declined> = Vec::new();
    for finding in findings.iter().filter(|finding| finding.status == Status::Open) {
        let mine = |answer: &&FindingAnswer| answer.id.trim().eq_ignore_ascii_case(finding.id.as_str());
        let mut answers = answers.iter().filter(mine);
        let why = answers.clone().map(|answer| text::one_line(&answer.note, CHARS_MAX)).next_back();
        let all = answers.all(|answer| answer.status == AnswerStatus::NotFixed);
        let why = why.filter(|why| all && !why.is_empty());
        declined.extend(why.map(|why| Declined { id: finding.id.clone(), why }));
    }
    declined
}

/// What the author says it did, with a line for each finding it answered.
fn fix_summary(answer: &[u8], formless: bool) -> (String, Vec<String>) {
    const CHARS_MAX: usize = 600;
    let as_text = || text::one_line(&String::from_utf8_lossy(answer), CHARS_MAX);
    if formless {
        return (as_text(), vec![FORMLESS.to_owned()]);
    }
    let parsed = answer::parse(answer);
    let Some(said) = parsed.verdict else { return (as_text(), parsed.notes) };
    let mut summary = text::one_line(&said.summary, CHARS_MAX);
    for line in &said.answers {
        let (id, status, note) =
            (text::one_line(&line.id, 20), line.status.name(), text::one_line(&line.note, CHARS_MAX));
        summary.push_str(&format!("\n- {id}: {status}. {note}"));
    }
    (summary, parsed.notes)
}
