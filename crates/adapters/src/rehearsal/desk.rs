//! One turn of a role: reads what it was told to read, does its work, writes what it may write.
//!
//! The only place of the rehearsal agent that touches the working folder. Start at [`Work::turn`]. A resumed
//! reviewer opens no file: it applies the delta to the text it remembers.

use super::ask::Ask;
use super::author::{self, Desk};
use super::checks::Papers;
use super::review::{Eye, review};
use super::session::Memory;
use super::{broken, failed};
use redraft_core::delta::patch;
use redraft_core::event::Now;
use redraft_core::verdict::{FileRead, Verdict};
use redraft_engine::ports::{AgentError, Request};
use std::path::{Component, Path, PathBuf};

pub(super) struct Work<'a> {
    pub(super) request: &'a Request,
    pub(super) memory: &'a Memory,
    /// Whether an author may really write its file.
    pub(super) may_write: bool,
}

/// What a turn gives: the answer, what is known afterwards, and the files that were opened.
pub(super) struct Turned {
    pub(super) text: String,
    pub(super) memory: Memory,
    pub(super) opened: Vec<String>,
}

impl Work<'_> {
    pub(super) fn turn(&self) -> Result<Turned, AgentError> {
        let ask = Ask::read(&self.request.prompt);
        match self.request.ticket.role.as_str() {
            "spec-author" => self.write(&ask),
            "spec-reviewer" => self.judge(&ask, Eye::Domain),
            "phase-reviewer" => self.judge(&ask, Eye::Handoff),
            redraft_core::probe::ROLE => self.probe(),
            other => Err(failed(
                Now::AskPerson,
                &format!("the rehearsal agent has no role `{other}`; choose another agent for it"),
            )),
        }
    }

    fn judge(&self, ask: &Ask, eye: Eye) -> Result<Turned, AgentError> {
        let mut memory = self.memory.clone();
        let mut reads = Vec::new();
        if self.request.resume {
            follow(&mut memory, ask.delta.as_deref())?;
        } else {
            self.open_papers(ask, &mut memory, &mut reads)?;
        }
        let Some(spec) = memory.texts.get(&memory.artifact) else {
            return Err(failed(Now::FreshSession, "the conversation holds no document to judge"));
        };
        let prd = memory.texts.get(&memory.prd).map(|text| (memory.prd.as_str(), text.as_str()));
        let papers = Papers::new(&memory.artifact, spec, prd);
        let mut verdict = review(eye, &papers, &ask.open);
        verdict.files_read.clone_from(&reads);
        memory.reported = verdict.issues.iter().map(|issue| issue.description.clone()).collect();
        Ok(Turned {
            text: self.say(&verdict)?,
            memory,
            opened: reads.into_iter().map(|read| read.file).collect(),
        })
    }

    /// A fresh reviewer: the document from the prompt or its path, and every other file it must read.
    fn open_papers(
        &self,
        ask: &Ask,
        memory: &mut Memory,
        reads: &mut Vec<FileRead>,
    ) -> Result<(), AgentError> {
        *memory = Memory::default();
        for (label, path) in &ask.artifacts {
            let text = self.read(path)?;
            reads.push(FileRead { file: path.clone(), lines: text.lines().count() as u64 });
            if label.eq_ignore_ascii_case("PRD") {
                memory.prd.clone_from(path);
            }
            memory.texts.insert(path.clone(), text);
        }
        let shown = ask.shown.as_ref();
        let named = shown.map(|shown| shown.path.clone()).or_else(|| ask.path("Spec").map(str::to_owned));
        memory.artifact = named.ok_or_else(|| broken("the prompt names no document to review"))?;
        if let Some(text) = shown.and_then(|shown| shown.text.clone()) {
            memory.texts.insert(memory.artifact.clone(), text);
        } else if !memory.texts.contains_key(&memory.artifact) {
            let text = self.read(&memory.artifact)?;
            reads.push(FileRead { file: memory.artifact.clone(), lines: text.lines().count() as u64 });
            memory.texts.insert(memory.artifact.clone(), text);
        }
        Ok(())
    }

    fn write(&self, ask: &Ask) -> Result<Turned, AgentError> {
        let mut memory = if self.request.resume { self.memory.clone() } else { Memory::default() };
        let path = self.request.may_write.first();
        let path =
            path.ok_or_else(|| broken("the author may write no file; name one in the request"))?.clone();
        let mut reads = Vec::new();
        if let Some(prd) = ask.path("PRD") {
            let text = self.read(prd)?;
            reads.push(FileRead { file: prd.to_owned(), lines: text.lines().count() as u64 });
            memory.texts.insert(prd.to_owned(), text);
            prd.clone_into(&mut memory.prd);
        }
        if let Some(idea) = &ask.idea {
            memory.idea.clone_from(idea);
        }
        let target = inside(&self.request.folder, &path)?;
        let old = if target.exists() { Some(self.read(&path)?) } else { None };
        if let Some(text) = &old {
            reads.push(FileRead { file: path.clone(), lines: text.lines().count() as u64 });
        }
        let desk = Desk {
            path: &path,
            text: old.as_deref(),
            prd: memory.texts.get(&memory.prd).map(|text| (memory.prd.as_str(), text.as_str())),
            idea: &memory.idea,
            open: &ask.open,
            gate: ask.gate.is_some(),
            others_changed: ask.others_changed,
        };
        let (new, mut verdict) = author::write(&desk);
        verdict.files_read.clone_from(&reads);
        if self.may_write && old.as_deref() != Some(new.as_str()) {
            let made = std::fs::create_dir_all(target.parent().unwrap_or(&self.request.folder));
            made.and_then(|()| std::fs::write(&target, &new))
                .map_err(|error| broken(&format!("{path}: {error}")))?;
        }
        memory.artifact.clone_from(&path);
        memory.texts.insert(path, new);
        Ok(Turned {
            text: self.say(&verdict)?,
            memory,
            opened: reads.into_iter().map(|read| read.file).collect(),
        })
    }

    pub(super) fn read(&self, path: &str) -> Result<String, AgentError> {
        let bytes = std::fs::read(inside(&self.request.folder, path)?);
        let bytes = bytes.map_err(|error| failed(Now::GiveUp, &format!("cannot read {path}: {error}")))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
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

/// Brings the remembered texts to where the delta leads.
fn follow(memory: &mut Memory, delta: Option<&str>) -> Result<(), AgentError> {
    let Some(delta) = delta else { return Ok(()) };
    for (path, text) in &mut memory.texts {
        let new = patch(text, delta, path);
        let lost = || {
            failed(
                Now::FreshSession,
                &format!("the delta does not fit the text of {path} that this conversation has seen"),
            )
        };
        *text = new.ok_or_else(lost)?;
    }
    Ok(())
}

/// A path of the working folder. Paths come from prompts, so they may not lead out of it.
pub(super) fn inside(folder: &Path, path: &str) -> Result<PathBuf, AgentError> {
    let relative = Path::new(path);
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if !plain || path.is_empty() {
        return Err(failed(Now::AskPerson, &format!("`{path}` is not a path inside the working folder")));
    }
    Ok(folder.join(relative))
}
