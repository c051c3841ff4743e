//! One turn of a role that deals with code: reads what it is told to read, does its work, writes what it may.
//!
//! As `turn` is for documents, this is the only place that touches the working folder for code. Start at
//! [`Work::build`]. A resumed reviewer applies the delta to the texts it remembers; a reviewer that is sent a digest
//! opens the files that have changed and those that findings cite.

use crate::Act;
use crate::ask::Ask;
use crate::code::job::{self, Job};
use crate::code::{CodeReviewFocus, Files, World, build, deepen, fix, judge, report, simplify};
use crate::drafts::{Kit, folder_name};
use crate::failed;
use crate::parsed_document::Need;
use crate::session::Memory;
use crate::turn::{Turned, Work, misfit, stopped};
use crate::unreadable::Readable;
use crate::working_folder::inside;
use redraft_documents::delta::{Delta, patch};
use redraft_documents::report::{ALREADY, PARTS};
use redraft_engine::ports::AgentError;
use redraft_facts::event::AfterFailure;
use redraft_facts::ticket::{Purpose, Unit};
use redraft_facts::verdict::{CheckLine, FileRead, Verdict};
use std::path::Path;

/// A larger file is not a program that a person wrote.
const BYTES_MAX: u64 = 512 * 1024;
/// How many files of one folder are looked at.
const FILES_MAX: usize = 400;

/// How a reviewer remembers that it has seen what changed and not the whole.
const IN_PART: &str = "in part";

/// How a reviewer remembers that it is the only one.
const ALONE: &str = "alone";

/// What the documents require of code.
#[derive(Default)]
struct Documents {
    needs: Vec<(String, Need)>,
    jobs: Vec<Job>,
    calls: Vec<(String, String)>,
}

impl Documents {
    fn read(memory: &Memory) -> Documents {
        let text = |name: &str| {
            let found = memory.texts.iter().find(|(path, _)| path.rsplit('/').next() == Some(name));
            found.map(|(_, text)| text.as_str())
        };
        Documents {
            needs: text("spec.md").map(job::requirements).unwrap_or_default(),
            jobs: text("tasks.md").map(job::jobs).unwrap_or_default(),
            calls: text("design.md").map(job::calls).unwrap_or_default(),
        }
    }
}

impl Work<'_> {
    /// The turn of a role that works on code.
    pub(super) fn build(&self, ask: &Ask) -> Result<Turned, AgentError> {
        let mut memory = if self.request.resume { self.memory.clone() } else { Memory::default() };
        let mut reads = Vec::new();
        self.read_documents(ask, &mut memory, &mut reads)?;
        let specification = || memory.texts.iter().find(|(path, _)| path.ends_with("spec.md"));
        match &ask.task {
            Some(task) => memory.idea.clone_from(task),
            // Where no task stands in the prompt, the whole specification is the task.
            None if self.request.ticket.purpose == Purpose::Implement && !self.request.resume => {
                memory.idea = specification().map(|(_, text)| text.clone()).unwrap_or_default();
            }
            None => {}
        }
        if let Some(design) = &ask.design {
            // Only as much of it as the task is sent.
            memory.texts.insert("design.md".to_owned(), design.clone());
        }
        let documents = Documents::read(&memory);
        let purpose = self.request.ticket.purpose;
        // A repair names no files: those of the turn before are meant.
        let paths = match purpose {
            Purpose::Repair => memory.texts.keys().cloned().collect(),
            _ => ask.files.clone(),
        };
        let there =
            if purpose == Purpose::Outline { Files::new() } else { self.open_all(&paths, &mut reads)? };
        let (files, mut verdict) = match purpose {
            Purpose::Implement => self.implement(&memory, &documents, &mut reads)?,
            Purpose::Outline => (Files::new(), deepen::outline(&documents.needs)),
            Purpose::Simplify => simplified(&there),
            Purpose::Tests => {
                // A turn that goes on has it from the first.
                deepen::write(&memory.idea, &self.world(&there, &documents), self.act == Some(Act::Diverge))
            }
            _ => fix::fix(&self.world(&there, &documents), &ask.open, ask.gate.is_some()),
        };
        memory.texts.extend(there);
        for (path, text) in &files {
            self.save(path, &inside(&self.request.folder, path)?, text.as_bytes())?;
        }
        self.misreport(&mut verdict);
        self.answer(verdict, memory, reads)
    }

    /// The turn of a reviewer of code.
    pub(super) fn judge_code(&self, ask: &Ask, eye: CodeReviewFocus) -> Result<Turned, AgentError> {
        let mut memory = if self.request.resume { self.memory.clone() } else { Memory::default() };
        // A reviewer that is asked for the checks of all three looks for all of them, also later in the conversation.
        let asked = self.request.prompt.get("checklist");
        let asks = |eye: &CodeReviewFocus| {
            eye.checks().iter().all(|(name, _)| asked.is_some_and(|text| text.contains(&format!("`{name}`"))))
        };
        if !self.request.resume && CodeReviewFocus::ALL.iter().all(asks) {
            ALONE.clone_into(&mut memory.idea);
        }
        let eyes = if memory.idea == ALONE { CodeReviewFocus::ALL.to_vec() } else { vec![eye] };
        let mut reads = Vec::new();
        self.read_documents(ask, &mut memory, &mut reads)?;
        if self.request.resume {
            self.follow_code(ask, &mut memory)?;
        } else {
            let mut paths = ask.files.clone();
            // A digest names what has changed and the files that findings are about.
            let delta = ask.delta.as_deref().map(Delta::parse).unwrap_or_default();
            paths.extend(delta.files.into_iter().filter(|file| !file.deleted).map(|file| file.path));
            paths.extend(
                ask.open.iter().filter_map(|open| open.place.split([':', ' ']).next()).map(str::to_owned),
            );
            paths.sort();
            paths.dedup();
            memory.texts.extend(self.open_all(&paths, &mut reads)?);
        }
        let documents = Documents::read(&memory);
        let files: Files = memory
            .texts
            .iter()
            .filter(|(path, _)| !is_document(path))
            .map(|(path, text)| (path.clone(), text.clone()))
            .collect();
        if ask.in_part {
            IN_PART.clone_into(&mut memory.artifact);
        }
        let whole = memory.artifact != IN_PART;
        let world = World { left_out: &ask.left_out, whole, ..self.world(&files, &documents) };
        let verdict = judge::judge(&eyes, &world, &ask.open);
        memory.reported = verdict.issues.iter().map(|issue| issue.description.clone()).collect();
        self.answer(verdict, memory, reads)
    }

    /// The documents of the prompt, from it or from their files.
    fn read_documents(
        &self,
        ask: &Ask,
        memory: &mut Memory,
        reads: &mut Vec<FileRead>,
    ) -> Result<(), AgentError> {
        let given = ask.given.iter().map(|given| given.path.clone());
        let named = ask.artifacts.iter().map(|(_, path)| path.clone());
        for path in named.chain(given).filter(|path| is_document(path)) {
            if self.request.folder.join(&path).is_file() || ask.text(&path).is_some() {
                self.open_paper(ask, &path, memory, reads)?;
            }
        }
        Ok(())
    }

    fn world<'w>(&self, files: &'w Files, documents: &'w Documents) -> World<'w> {
        World {
            files,
            needs: &documents.needs,
            jobs: &documents.jobs,
            left_out: &[],
            whole: true,
            calls: &documents.calls,
            kit: Kit::new(|file| self.request.folder.join(file).is_file()),
            leaves_out_code: self.act == Some(Act::Break),
        }
    }

    /// One task, or every requirement where the specification is the task.
    fn implement(
        &self,
        memory: &Memory,
        documents: &Documents,
        reads: &mut Vec<FileRead>,
    ) -> Result<(Files, Verdict), AgentError> {
        if memory.idea.is_empty() {
            return Err(failed(AfterFailure::FreshSession, "the conversation holds no task to carry out"));
        }
        let task = job::jobs(&memory.idea);
        let task: Vec<Job> = match task.is_empty() {
            false => task,
            true => self.jobs_of_a_specification(&memory.idea, documents)?,
        };
        let name = match &self.request.ticket.unit {
            Unit::Task(id) => id.to_string(),
            Unit::Whole => String::new(),
        };
        let paths: Vec<String> = task.iter().flat_map(|job| self.beside(&job.files)).collect();
        let files = self.open_all(&paths, reads)?;
        let world = self.world(&files, documents);
        let built =
            build::carry_out(&task, &world).map_err(|cannot| failed(AfterFailure::AskPerson, &cannot.0))?;
        if self.act == Some(Act::Already) {
            let verdict = report::Parts { already: Some(true), ..report::Parts::default() }.verdict(&name);
            return Ok((Files::new(), verdict));
        }
        Ok((built.files, built.report.verdict(&name)))
    }

    fn jobs_of_a_specification(&self, text: &str, documents: &Documents) -> Result<Vec<Job>, AgentError> {
        let folder = folder_name(text);
        let kit = Kit::new(|file| self.request.folder.join(file).is_file());
        let job = |(key, need): &(String, Need)| build::job_for(need, key, &folder, kit.ending);
        let jobs: Vec<Job> = documents.needs.iter().map(job).collect();
        if jobs.is_empty() {
            let detail = "the rehearsal agent carries out requirements with ids, and the task has none; choose another \
                          agent for the implementer";
            return Err(failed(AfterFailure::AskPerson, detail));
        }
        Ok(jobs)
    }

    /// The files, and those next to them.
    fn beside(&self, files: &[String]) -> Vec<String> {
        let mut found = files.to_vec();
        for file in files {
            let Some((folder, _)) = file.rsplit_once('/') else { continue };
            let Ok(there) = inside(&self.request.folder, folder) else { continue };
            let Ok(entries) = std::fs::read_dir(there) else { continue };
            let names =
                entries.flatten().take(FILES_MAX).filter_map(|entry| entry.file_name().into_string().ok());
            found.extend(names.map(|name| format!("{folder}/{name}")));
        }
        found.sort();
        found.dedup();
        found
    }

    /// The texts of those files that are there and are texts.
    fn open_all(&self, paths: &[String], reads: &mut Vec<FileRead>) -> Result<Files, AgentError> {
        let mut files = Files::new();
        for path in paths.iter().filter(|path| !is_document(path)) {
            self.pace.step().map_err(stopped)?;
            let Ok(target) = inside(&self.request.folder, path) else { continue };
            if !is_small(&target) {
                continue;
            }
            let bytes = self.read(path)?;
            if std::str::from_utf8(&bytes).is_err() {
                continue;
            }
            let text = Readable::new(&bytes).text;
            reads.push(FileRead { file: path.clone(), lines: text.lines().count() as u64 });
            files.insert(path.clone(), text);
        }
        Ok(files)
    }

    /// Brings the remembered texts to where the delta leads; a new file is remembered from then on.
    fn follow_code(&self, ask: &Ask, memory: &mut Memory) -> Result<(), AgentError> {
        let Some(diff) = ask.delta.as_deref() else { return Ok(()) };
        for file in Delta::parse(diff).files {
            self.pace.step().map_err(stopped)?;
            if file.deleted {
                memory.texts.remove(&file.path);
                continue;
            }
            if file.binary {
                continue;
            }
            let old = memory.texts.get(&file.path).cloned();
            if old.is_none() && !file.created {
                // It was not a text that this role looks at.
                continue;
            }
            let new = patch(&old.unwrap_or_default(), diff, &file.path);
            memory.texts.insert(file.path.clone(), new.ok_or_else(|| misfit(&file.path))?);
        }
        Ok(())
    }

    /// A report that leaves most of itself out, where the scenario asks for one.
    fn misreport(&self, verdict: &mut Verdict) {
        if self.act == Some(Act::Partial) {
            let kept =
                |check: &CheckLine| !PARTS[2..].contains(&check.name.as_str()) && check.name != ALREADY;
            verdict.checks.retain(kept);
        }
    }
}

fn simplified(files: &Files) -> (Files, Verdict) {
    let (changed, done) = simplify::simplify(files);
    let summary = match done.len() {
        0 => "nothing to make simpler".to_owned(),
        edits => format!("{edits} conditions made simpler"),
    };
    let parts = report::Parts {
        implemented: done,
        files: changed.keys().cloned().collect(),
        ..report::Parts::default()
    };
    let review =
        "a function that ends with a condition returns what the condition returns, as before".to_owned();
    let checks = parts.checks(&[review]);
    (changed, Verdict { approved: true, summary, checks, ..Verdict::default() })
}

/// A document of a feature, which is not code.
fn is_document(path: &str) -> bool {
    path.ends_with(".md")
}

fn is_small(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() <= BYTES_MAX)
}
