//! The implementer: takes a job and the existing files, and returns changed files and a report.
//!
//! Deterministic in its arguments. It never writes what it cannot vouch for: where it has no form, it says so instead.
//! Like a person in a hurry, it copies one number from another requirement. Start at [`carry_out`].

use super::class::{Class, cause, promised, seconds};
use super::job::Job;
use super::report::Parts as Report;
use super::shell::{self, Slots};
use super::{Files, World, entry, source};
use crate::drafts::slug;
use crate::parsed_document::Need;

/// How long people may have to wait where no document says so.
const ALLOWED_SECONDS: u64 = 30;

/// What was built.
pub(crate) struct Built {
    /// Every file that is new or changed.
    pub(crate) files: Files,
    pub(crate) report: Report,
}

/// Why nothing was built: in words for a person.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cannot(pub(crate) String);

/// One task after the other; those that are there already stay as they are.
pub(crate) fn carry_out(jobs: &[Job], world: &World<'_>) -> Result<Built, Cannot> {
    let mut work = Building { world, files: Files::new(), report: Report::default() };
    for job in jobs {
        work.job(job)?;
    }
    work.way_in();
    let Building { mut files, mut report, .. } = work;
    files.retain(|path, text| world.files.get(path) != Some(text));
    report.files = files.keys().cloned().collect();
    Ok(Built { files, report })
}

/// A job for a requirement that no task names a place for.
pub(crate) fn job_for(need: &Need, key: &str, folder: &str, ending: &str) -> Job {
    let file = format!("{folder}/{}{ending}", Class::classify(&need.text).file());
    Job {
        name: need.name.clone(),
        title: format!("Carry out {}", need.name),
        files: vec![format!("src/{file}"), format!("tests/{file}")],
        requirement: Some(key.to_owned()),
        elements: Vec::new(),
        test: None,
    }
}

/// The number that an author in a hurry writes down for a limit: the time of another requirement, else twice as much.
fn from_memory(need: &Need, world: &World<'_>) -> Option<u64> {
    let own = seconds(&need.text)?;
    let others = world.needs.iter().filter(|(_, other)| other.name != need.name);
    let other = others.filter_map(|(_, other)| seconds(&other.text)).find(|other| *other != own);
    other.or_else(|| own.checked_mul(2))
}

struct Building<'w> {
    world: &'w World<'w>,
    files: Files,
    report: Report,
}

impl Building<'_> {
    fn text(&self, path: &str) -> String {
        self.files.get(path).or_else(|| self.world.files.get(path)).cloned().unwrap_or_default()
    }

    fn job(&mut self, job: &Job) -> Result<(), Cannot> {
        let test = job.files.iter().find(|path| source::is_test(path));
        let code = job.files.iter().find(|path| !source::is_test(path));
        for path in &job.files {
            fits(path)?;
        }
        let need = job
            .requirement
            .as_ref()
            .and_then(|key| self.world.needs.iter().find(|(known, _)| known == key).map(|(_, need)| need));
        match (code, test, need) {
            (Some(code), Some(test), Some(need)) => self.requirement(job, code, test, need),
            (None, Some(test), None) => self.trial(job, test),
            _ => {
                return Err(Cannot(format!(
                    "task {}: the rehearsal agent carries out tasks that name a requirement of the specification, a \
                     program and a file of tests, and this one does not; choose another agent for the implementer",
                    job.name
                )));
            }
        }
        Ok(())
    }

    fn requirement(&mut self, job: &Job, code: &str, test: &str, need: &Need) {
        let class = Class::classify(&need.text);
        let thing = thing(code);
        let (mut program, mut tests) = (self.text(code), self.text(test));
        let slots = self.slots(class, job, need, &thing, &program);
        if program.is_empty() {
            program = shell::head(&about(job));
        }
        if tests.is_empty() {
            tests = shell::test_head(test, &[code.to_owned()]);
        }
        let there = source::has(&program, &slots.call) && says(&program, need);
        if !there && !self.world.leaves_out_code {
            let said = shell::comment(&format!("Spec {}: {}", need.name, need.text));
            let written = Slots { seconds: self.number(class, need), ..slots.clone() };
            program = source::with(&program, &format!("{said}#\n{}", shell::code(class, &written)));
        }
        let tested = source::has(&tests, &slots.test);
        if !tested {
            tests = source::with(&tests, &shell::test(class, &slots));
        }
        self.report.met(need, &slots, code, &program, test, &tests, there && tested);
        self.report.notes(class, self.world);
        self.files.insert(code.to_owned(), program);
        self.files.insert(test.to_owned(), tests);
    }

    /// The number that is written: a limit is written from memory.
    fn number(&self, class: Class, need: &Need) -> u64 {
        match class {
            Class::Limit => from_memory(need, self.world).unwrap_or_default(),
            _ => promised(&need.text).unwrap_or_default(),
        }
    }

    fn slots(&self, class: Class, job: &Job, need: &Need, thing: &str, program: &str) -> Slots {
        let id = need.name.to_lowercase().replace(['-', '.'], "_");
        let plain = self.offered(job, need, program).unwrap_or_else(|| class.call(thing, &need.text));
        // A second one of a kind in the same program is distinguished by its requirement.
        let taken = source::has(program, &plain) && !names(program, &plain, need);
        let call = if taken { format!("{plain}_{id}") } else { plain };
        let test = job.test.clone().unwrap_or_else(|| format!("{id}_{}", slug(&need.text, 4, '_')));
        let seconds = match class {
            Class::Limit => seconds(&need.text),
            _ => promised(&need.text),
        };
        Slots {
            call,
            thing: thing.to_owned(),
            test,
            cause: cause(class, &need.text),
            seconds: seconds.unwrap_or_default(),
        }
    }

    /// The call that the design names for what the job builds, unless something else in the program has that name. The
    /// call of the entry point is another function.
    fn offered(&self, job: &Job, need: &Need, program: &str) -> Option<String> {
        let own = |interface: &String| {
            job.elements.iter().any(|one| one.strip_prefix("Design ") == Some(interface))
        };
        let (_, call) = self.world.calls.iter().find(|(interface, _)| own(interface))?;
        let free = !source::has(program, call) || names(program, call, need);
        (free && !call.starts_with("start_")).then(|| call.clone())
    }

    /// Rewrites the entry point where it was worked on, so that it knows every part there is now.
    fn way_in(&mut self) {
        let is_entry = |path: &&String| stem(path) == "entry" && !source::is_test(path);
        let Some(code) = self.files.keys().find(is_entry).cloned().filter(|_| !self.world.leaves_out_code)
        else {
            return;
        };
        let Some(test) =
            self.files.keys().find(|path| source::is_test(path) && stem(path) == "entry").cloned()
        else {
            return;
        };
        let thing = thing(&code);
        let beside = self.beside(&code);
        let program = shell::loading(&self.text(&code), &beside);
        let others: Vec<String> = beside.iter().map(|path| self.text(path)).collect();
        let texts: Vec<&str> = others.iter().map(String::as_str).chain([program.as_str()]).collect();
        let parts = entry::Parts::new(&thing, &texts);
        let start = entry::start(&parts);
        let known = source::functions(&program).into_iter().find(|one| one.name == entry::name(&thing));
        let program = match known {
            None => source::with(&program, &start),
            Some(old) => {
                let above = program.lines().take(old.lines.start).collect::<Vec<_>>();
                let comments = above.iter().rev().take_while(|line| line.starts_with('#')).count();
                source::exchanged(&program, old.lines.start - comments..old.lines.end, &start)
            }
        };
        let tests = self.text(&test);
        if !source::has(&tests, "course_of_a_request") {
            self.files.insert(test, source::with(&tests, &entry::course(&parts)));
        }
        self.files.insert(code, program);
    }

    /// The other programs of the same folder, in order.
    fn beside(&self, code: &str) -> Vec<String> {
        let folder = code.rsplit_once('/').map_or("", |(folder, _)| folder);
        let known = self.world.files.keys().chain(self.files.keys());
        let mut found: Vec<String> = known
            .filter(|path| path.rsplit_once('/').is_some_and(|(other, _)| other == folder) && *path != code)
            .cloned()
            .collect();
        found.sort();
        found.dedup();
        found
    }

    fn trial(&mut self, job: &Job, test: &str) {
        let mut tests = self.text(test);
        let name = job.test.clone().unwrap_or_else(|| "trial".to_owned());
        let waits = self.world.needs.iter().filter_map(|(_, need)| seconds(&need.text)).min();
        let slots =
            Slots { test: name.clone(), seconds: waits.unwrap_or(ALLOWED_SECONDS), ..Slots::default() };
        let there = source::has(&tests, &name);
        if tests.is_empty() {
            tests = shell::test_head(test, &[]);
        }
        if !there {
            tests = source::with(&tests, &shell::trial(&slots));
        }
        self.report.measured(&name, test, &tests, waits, there);
        self.files.insert(test.to_owned(), tests);
    }
}

/// The rehearsal agent writes shell, and nothing else.
fn fits(path: &str) -> Result<(), Cannot> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        None | Some((_, "sh")) => Ok(()),
        Some((_, ending)) => Err(Cannot(format!(
            "{path}: the rehearsal agent writes programs in POSIX shell and knows no form for .{ending} files; choose \
             another agent for the implementer, or go on without the task"
        ))),
    }
}

/// What a program is about, in one line.
fn about(job: &Job) -> String {
    let parts = job.elements.join(", ");
    let title = job.title.split(" so that it meets ").next().unwrap_or_default();
    let title = redraft_facts::text::one_line(title, 100);
    if parts.is_empty() { format!("{title}.") } else { format!("{parts}: {title}.") }
}

/// What the files of a feature are about, from the folder they stand in.
pub(super) fn thing(path: &str) -> String {
    let folder = path.rsplit('/').nth(1).unwrap_or_else(|| stem(path));
    slug(&folder.replace(['-', '_'], " "), 3, '_')
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

fn says(program: &str, need: &Need) -> bool {
    let lead = format!("# Spec {}:", need.name);
    program.lines().any(|line| line.starts_with(&lead))
}

/// Whether the function of this name stands below the comment that names the requirement.
fn names(program: &str, call: &str, need: &Need) -> bool {
    let lead = "# Spec ";
    let lines: Vec<&str> = program.lines().collect();
    let own = source::functions(program).into_iter().find(|function| function.name == call);
    let above = own.and_then(|own| lines[..own.lines.start].iter().rev().find(|line| line.starts_with(lead)));
    above.is_some_and(|line| line.starts_with(&format!("{lead}{}:", need.name)))
}
