//! Plays one turn of a role: reads what it was told to read, does its work, writes what it may write.
//!
//! The only place of the rehearsal agent that touches the working folder. Start at [`Work::turn`]. A resumed reviewer
//! opens no file: it applies the delta to the text it remembers. A reviewer that is sent a digest opens the files only
//! where the parts are not enough.

use crate::Act;
use crate::ask::Ask;
use crate::author::{self, Job};
use crate::broken;
use crate::checks::{Before, CheckedDocuments};
use crate::code::CodeReviewFocus as Sight;
use crate::drafts::Kit;
use crate::excerpt::review_of_parts;
use crate::failed;
use crate::interrupted;
use crate::pace::{Pace, Stopped};
use crate::parsed_document::ParsedDocument;
use crate::review::{ReviewFocus, review};
use crate::session::Memory;
use crate::unreadable::Readable;
use crate::working_folder::inside;
use redraft_documents::delta::patch;
use redraft_engine::ports::{AgentError, Request};
use redraft_facts::event::AfterFailure;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::verdict::{FileRead, Verdict};
use redraft_roles::profile::{self, ProfileKind};
use std::path::Path;

pub(super) struct Work<'a> {
    pub(super) request: &'a Request,
    pub(super) pace: &'a Pace<'a>,
    pub(super) memory: &'a Memory,
    /// Whether an author may really write its file.
    pub(super) may_write: bool,
    /// What the scenario asks for, if anything.
    pub(super) act: Option<Act>,
    /// The scenario lets an author ask first: these questions, or its own.
    pub(super) asks: Option<Option<&'a str>>,
}

/// The result of a turn: the answer, the memory afterwards, and the files that were opened.
pub(super) struct Turned {
    pub(super) text: String,
    pub(super) memory: Memory,
    pub(super) opened: Vec<String>,
}

impl Work<'_> {
    pub(super) fn turn(&self) -> Result<Turned, AgentError> {
        let ask = Ask::read(&self.request.prompt);
        let role = &self.request.ticket.role;
        if role.as_str() == redraft_prompts::probe::ROLE {
            return self.probe();
        }
        if role.as_str() == redraft_eval::judge::ROLE {
            return Ok(self.class_findings());
        }
        let kind = profile::find(self.request.ticket.phase, role).map(|profile| profile.kind);
        if self.request.ticket.phase == Phase::Implement {
            return match (kind, role.as_str()) {
                (Some(ProfileKind::Author), _) => self.build(&ask),
                (Some(_), "implementation-reviewer") => self.judge_code(&ask, Sight::Implementation),
                (Some(_), "code-quality-reviewer") => self.judge_code(&ask, Sight::Quality),
                (Some(_), "security-reviewer") => self.judge_code(&ask, Sight::Security),
                _ => Err(no_role(role)),
            };
        }
        if self.request.ticket.phase == Phase::Finish && kind.is_some() {
            return self.look_back();
        }
        match kind {
            Some(ProfileKind::Author) if self.asks.is_some() && ask.may_ask => self.ask_first(&ask),
            Some(ProfileKind::Author) => self.write(&ask),
            Some(ProfileKind::Domain) => self.judge(&ask, ReviewFocus::Domain),
            Some(ProfileKind::Phase) => self.judge(&ask, ReviewFocus::Handoff),
            None => Err(no_role(role)),
        }
    }

    /// It understands no finding, so it calls each of them minor.
    fn class_findings(&self) -> Turned {
        let one =
            |id: &str| serde_json::json!({"id": id, "reason": "rehearsed", "class": "minor", "same_as": ""});
        let findings: Vec<_> = redraft_eval::judge::ids(&self.request.prompt).into_iter().map(one).collect();
        let text = serde_json::json!({"findings": findings}).to_string();
        Turned { text, memory: self.memory.clone(), opened: Vec::new() }
    }

    fn judge(&self, ask: &Ask, eye: ReviewFocus) -> Result<Turned, AgentError> {
        let mut memory = self.memory.clone();
        let mut reads = Vec::new();
        if self.request.resume && memory.texts.contains_key(&memory.artifact) {
            follow(&mut memory, ask.delta.as_deref(), self.pace)?;
        } else if self.request.resume {
            // The conversation began with parts that were enough then.
            self.open_remembered(ask, &mut memory, &mut reads)?;
        } else if self.request.ticket.phase == Phase::Specify
            && let Some(verdict) = review_of_parts(eye, ask, self.pace).map_err(stopped)?
        {
            return self.judged_in_part(ask, verdict);
        } else {
            self.open_documents(ask, &mut memory, &mut reads)?;
        }
        let Some(text) = memory.texts.get(&memory.artifact) else {
            return Err(failed(AfterFailure::FreshSession, "the conversation holds no document to judge"));
        };
        let checked = CheckedDocuments {
            path: &memory.artifact,
            parsed: ParsedDocument::read(text),
            phase: self.request.ticket.phase,
            before: self.before(&memory),
            pace: self.pace,
        };
        let verdict = review(eye, &checked, &ask.open).map_err(stopped)?;
        memory.reported = verdict.issues.iter().map(|issue| issue.description.clone()).collect();
        self.answer(verdict, memory, reads)
    }

    /// The result of a turn that opened nothing. The files it could open are remembered, in case a later turn needs
    /// them.
    fn judged_in_part(&self, ask: &Ask, verdict: Verdict) -> Result<Turned, AgentError> {
        let memory = Memory {
            artifact: ask.excerpt.as_ref().map(|excerpt| excerpt.path.clone()).unwrap_or_default(),
            prd: ask.path("PRD").unwrap_or_default().to_owned(),
            reported: verdict.issues.iter().map(|issue| issue.description.clone()).collect(),
            ..Memory::default()
        };
        self.answer(verdict, memory, Vec::new())
    }

    fn open_remembered(
        &self,
        ask: &Ask,
        memory: &mut Memory,
        reads: &mut Vec<FileRead>,
    ) -> Result<(), AgentError> {
        for path in [memory.prd.clone(), memory.artifact.clone()] {
            if !path.is_empty() {
                self.open_paper(ask, &path, memory, reads)?;
            }
        }
        Ok(())
    }

    /// A fresh reviewer: the document from the prompt or its path, and every other file it must read.
    fn open_documents(
        &self,
        ask: &Ask,
        memory: &mut Memory,
        reads: &mut Vec<FileRead>,
    ) -> Result<(), AgentError> {
        *memory = Memory::default();
        for (_, path) in &ask.artifacts {
            self.open_paper(ask, path, memory, reads)?;
        }
        ask.path("PRD").unwrap_or_default().clone_into(&mut memory.prd);
        for path in self.earlier(ask) {
            self.open_paper(ask, path, memory, reads)?;
        }
        let own = self.request.ticket.phase.artifact().trim_end_matches(".md");
        let named = ask.under_review.as_deref().or_else(|| ask.path(own));
        let named = named.ok_or_else(|| broken("the prompt names no document to review"))?;
        named.clone_into(&mut memory.artifact);
        self.open_paper(ask, named, memory, reads)
    }

    /// Takes a document from the prompt if its whole text stands there, and reads its file otherwise.
    pub(super) fn open_paper(
        &self,
        ask: &Ask,
        path: &str,
        memory: &mut Memory,
        reads: &mut Vec<FileRead>,
    ) -> Result<(), AgentError> {
        if memory.texts.contains_key(path) {
            return Ok(());
        }
        let text = match ask.text(path) {
            Some(text) => text.to_owned(),
            None => {
                let text = Readable::new(&self.read(path)?).text;
                reads.push(FileRead { file: path.to_owned(), lines: text.lines().count() as u64 });
                text
            }
        };
        memory.texts.insert(path.to_owned(), text);
        Ok(())
    }

    /// The PRD and what earlier phases wrote, as far as the prompt names them.
    fn earlier<'p>(&self, ask: &'p Ask) -> impl Iterator<Item = &'p str> {
        ["PRD"].iter().chain(upstream(self.request.ticket.phase)).filter_map(|label| ask.path(label))
    }

    /// What earlier phases wrote, as it is remembered.
    fn before<'m>(&self, memory: &'m Memory) -> Before<'m> {
        let phase = self.request.ticket.phase;
        let earlier = |label: &str| {
            let file = format!("{label}.md");
            let is_it =
                |path: &str| path.rsplit('/').next() == Some(file.as_str()) && path != memory.artifact;
            let found = memory.texts.iter().find(|(path, _)| upstream(phase).contains(&label) && is_it(path));
            found.map(|(_, text)| text.as_str())
        };
        Before {
            prd: memory.texts.get(&memory.prd).map(String::as_str),
            spec: earlier("spec"),
            design: earlier("design"),
            plan: earlier("plan"),
        }
    }

    fn write(&self, ask: &Ask) -> Result<Turned, AgentError> {
        let mut memory = if self.request.resume { self.memory.clone() } else { Memory::default() };
        let path = self.request.may_write.first();
        let path =
            path.ok_or_else(|| broken("the author may write no file; name one in the request"))?.clone();
        let mut reads = Vec::new();
        if let Some(prd) = ask.path("PRD") {
            prd.clone_into(&mut memory.prd);
        }
        for path in self.earlier(ask) {
            memory.texts.remove(path);
            self.open_paper(ask, path, &mut memory, &mut reads)?;
        }
        if let Some(idea) = &ask.idea {
            memory.idea.clone_from(idea);
        }
        let target = inside(&self.request.folder, &path)?;
        let old = if target.exists() { Some(Readable::new(&self.read(&path)?)) } else { None };
        let old_text = old.as_ref().map(|old| old.text.as_str());
        if let Some(text) = old_text {
            reads.push(FileRead { file: path.clone(), lines: text.lines().count() as u64 });
        }
        let job = Job {
            path: &path,
            text: old_text,
            phase: self.request.ticket.phase,
            before: self.before(&memory),
            kit: Kit::new(|file| self.request.folder.join(file).is_file()),
            answers: &ask.answers,
            idea: &memory.idea,
            open: &ask.open,
            gate: ask.gate.is_some(),
            others_changed: ask.others_changed,
            pace: self.pace,
        };
        let (mut new, mut verdict) = author::write(&job).map_err(stopped)?;
        if old_text != Some(new.as_str()) {
            match old.as_ref().map_or_else(|| Some(new.clone().into_bytes()), |old| old.restored(&new)) {
                Some(bytes) => self.save(&path, &target, &bytes)?,
                None => {
                    let left = old_text.unwrap_or_default().to_owned();
                    (new, verdict) = (left, author::hands_off(&ask.open));
                }
            }
        }
        memory.artifact.clone_from(&path);
        memory.texts.insert(path, new);
        self.answer(verdict, memory, reads)
    }

    /// Asks instead of drafting: nothing is written, and each question has what would be assumed.
    fn ask_first(&self, ask: &Ask) -> Result<Turned, AgentError> {
        let mut memory = Memory::default();
        if let Some(idea) = &ask.idea {
            memory.idea.clone_from(idea);
        }
        let own = format!(
            "Who may use it: everybody who is signed in, or only some?|everybody who is signed in\n\
             Does “{}” replace something that people use today?|no, it is new",
            redraft_facts::text::one_line(&memory.idea, 80)
        );
        let questions = self.asks.flatten().unwrap_or(&own);
        self.answer(author::questions(questions), memory, Vec::new())
    }

    pub(super) fn save(&self, path: &str, target: &Path, bytes: &[u8]) -> Result<(), AgentError> {
        if !self.may_write {
            return Ok(());
        }
        let made = std::fs::create_dir_all(target.parent().unwrap_or(&self.request.folder));
        made.and_then(|()| std::fs::write(target, bytes)).map_err(|error| broken(&format!("{path}: {error}")))
    }

    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, AgentError> {
        let bytes = std::fs::read(inside(&self.request.folder, path)?);
        bytes.map_err(|error| failed(AfterFailure::GiveUp, &format!("cannot read {path}: {error}")))
    }

    /// The end of a turn that opened these files.
    pub(super) fn answer(
        &self,
        verdict: Verdict,
        memory: Memory,
        reads: Vec<FileRead>,
    ) -> Result<Turned, AgentError> {
        let opened = reads.iter().map(|read| read.file.clone()).collect();
        let text = self.say(&Verdict { files_read: reads, ..verdict })?;
        Ok(Turned { text, memory, opened })
    }

    /// The answer as text. A fresh one confirms first what was read, as the prompt asks.
    fn say(&self, verdict: &Verdict) -> Result<String, AgentError> {
        let json = serde_json::to_string_pretty(verdict)
            .map_err(|error| broken(&format!("the verdict: {error}")))?;
        if self.request.resume || verdict.files_read.is_empty() {
            return Ok(json);
        }
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let reads =
            verdict.files_read.iter().map(|read| format!("{} ({} lines)", name(&read.file), read.lines));
        Ok(format!("Files read: {}\n\n{json}", reads.collect::<Vec<_>>().join(", ")))
    }
}

fn no_role(role: &Role) -> AgentError {
    let detail = format!("the rehearsal agent has no role `{role}`; choose another agent for it");
    failed(AfterFailure::AskPerson, &detail)
}

/// The documents of earlier phases that a phase builds on, in addition to the PRD, by the labels of their files.
fn upstream(phase: Phase) -> &'static [&'static str] {
    match phase {
        Phase::Specify | Phase::Implement | Phase::Finish | Phase::Document => &[],
        Phase::Design => &["spec"],
        Phase::CreatePlan => &["spec", "design"],
        Phase::CreateTasks => &["spec", "design", "plan"],
    }
}

/// Brings the remembered texts to where the delta leads.
fn follow(memory: &mut Memory, delta: Option<&str>, pace: &Pace<'_>) -> Result<(), AgentError> {
    let Some(delta) = delta else { return Ok(()) };
    for (path, text) in &mut memory.texts {
        pace.step().map_err(stopped)?;
        *text = patch(text, delta, path).ok_or_else(|| misfit(path))?;
    }
    Ok(())
}

pub(super) fn misfit(path: &str) -> AgentError {
    let detail = format!("the delta does not fit the text of {path} that this conversation has seen");
    failed(AfterFailure::FreshSession, &detail)
}

pub(super) fn stopped(Stopped: Stopped) -> AgentError {
    interrupted()
}
