//! The implementer when findings or failed checks come back: finds each again and mends it by its rule.
//!
//! Pure. Start at [`fix`]. What no rule mends is answered with `not_fixed` and left alone.

use super::build::{carry_out, job_for, thing};
use super::constants::Disagreement;
use super::flaws::{Flaw, Mend, flaws};
use super::judge::{answer, is_about};
use super::{CodeReviewFocus, Files, World, shell, source};
use crate::ask::Open;
use redraft_facts::verdict::{AnswerStatus, CheckLine, FindingAnswer, Verdict};

/// The files that changed, and the answer. `gate` says that a check failed.
pub(crate) fn fix(world: &World<'_>, open: &[Open], gate: bool) -> (Files, Verdict) {
    let mut work = Work { world, files: world.files.clone(), done: Vec::new() };
    let found: Vec<Flaw> = CodeReviewFocus::ALL.into_iter().flat_map(|eye| flaws(eye, world)).collect();
    let mut answers = Vec::new();
    for open in open {
        let about = found.iter().find(|flaw| is_about(open, flaw));
        let said = match about {
            Some(flaw) => work.mend(flaw),
            None => {
                // It may have been mended in an earlier turn.
                let seen = answer(open, &found, world);
                let gone = seen.status == AnswerStatus::Fixed;
                let foreign =
                    "no rule of the rehearsal agent finds this, so none fixes it; the code is as it was";
                answers.push(if gone { seen } else { FindingAnswer { note: foreign.to_owned(), ..seen } });
                continue;
            }
        };
        let (status, note) = match said {
            Ok(note) => {
                work.done.push(format!("{}: {note}", open.id));
                (AnswerStatus::Fixed, note)
            }
            Err(note) => (AnswerStatus::NotFixed, note),
        };
        answers.push(FindingAnswer { id: open.id.clone(), status, note });
    }
    if gate {
        work.mend_for_gate(&found);
    }
    let Work { mut files, done, .. } = work;
    files.retain(|path, text| world.files.get(path) != Some(text));
    let summary = match done.is_empty() {
        true => "no rule fixes what is open".to_owned(),
        false => format!("fixed {}", done.join("; ")),
    };
    let question =
        |(name, note): (&str, &str)| CheckLine { name: name.to_owned(), passed: true, note: note.to_owned() };
    let checks = [
        ("gone", "the rules that found them were put to the new files"),
        ("tested", "what was set to another number has a test that holds it to that"),
        ("no-new-harm", "names and calls are the same as before"),
        ("minimal", "only the lines that were cited, and their tests"),
    ];
    let checks = checks.into_iter().map(question).collect();
    (files, Verdict { approved: true, summary, answers, checks, ..Verdict::default() })
}

struct Work<'w> {
    world: &'w World<'w>,
    files: Files,
    done: Vec<String>,
}

impl Work<'_> {
    fn mend(&mut self, flaw: &Flaw) -> Result<String, String> {
        match &flaw.mend {
            Mend::Number(one) => self.number(one),
            Mend::Build(key) => self.build(key),
            Mend::Drop => self.drop_line(flaw),
            Mend::None => {
                Err("the rehearsal agent has no rule that fixes this; the code is as it was".to_owned())
            }
        }
    }

    /// Mends what tests from the documents can show to be wrong: numbers, and tests without what they test.
    fn mend_for_gate(&mut self, found: &[Flaw]) {
        for flaw in found {
            if let Mend::Number(one) = &flaw.mend
                && let Ok(note) = self.number(one)
            {
                self.done.push(format!("what the check shows: {note}"));
            }
        }
        let jobs: Vec<_> = self.world.jobs.iter().filter(|job| self.is_begun(job)).cloned().collect();
        let world = World { files: &self.files, ..*self.world };
        if let Ok(built) = carry_out(&jobs, &world)
            && !built.files.is_empty()
        {
            let paths: Vec<&str> = built.files.keys().map(String::as_str).collect();
            self.done.push(format!("what the check shows: wrote what was missing in {}", paths.join(", ")));
            self.files.extend(built.files);
        }
    }

    /// Whether its test is there.
    fn is_begun(&self, job: &super::job::Job) -> bool {
        let test = job.files.iter().find(|path| source::is_test(path)).and_then(|path| self.files.get(path));
        test.zip(job.test.as_deref()).is_some_and(|(text, name)| source::has(text, name))
    }

    fn number(&mut self, one: &Disagreement) -> Result<String, String> {
        let Disagreement { file, constant, requirement, said, right } = one;
        let right =
            right.ok_or_else(|| format!("{said} is no whole number in the unit of `{}`", constant.name))?;
        let text = self.files.get(file).cloned().unwrap_or_default();
        let line = text.lines().nth(constant.line).unwrap_or_default();
        let new = format!("{}{right}{}\n", &line[..constant.number.start], &line[constant.number.end..]);
        self.files.insert(file.clone(), source::exchanged(&text, constant.line..constant.line + 1, &new));
        let held = self.hold(file, &constant.name, requirement, right);
        let held = held.map(|name| format!(", and `{name}` holds it to that")).unwrap_or_default();
        Ok(format!(
            "{file}:{} sets `{}` to {right}, as {requirement} says{held}",
            constant.line + 1,
            constant.name
        ))
    }

    /// A test that a constant keeps its value, next to the tests of its program.
    fn hold(&mut self, file: &str, constant: &str, requirement: &str, value: u64) -> Option<String> {
        let beside = file.strip_prefix("src/").map(|rest| format!("tests/{rest}"))?;
        let tests = self.files.get(&beside)?;
        let id = requirement.to_lowercase().replace(['-', '.'], "_");
        let name = format!("{id}_{}_is_{value}", constant.to_lowercase());
        if !source::has(tests, &name) {
            let tests = source::with(tests, &shell::constant_test(&name, constant, &value.to_string()));
            self.files.insert(beside, tests);
        }
        Some(name)
    }

    fn build(&mut self, key: &str) -> Result<String, String> {
        let need = self.world.needs.iter().find(|(known, _)| known == key).map(|(_, need)| need);
        let need = need.ok_or_else(|| "the specification has no such requirement".to_owned())?;
        let listed = self.world.jobs.iter().find(|job| job.requirement.as_deref() == Some(key)).cloned();
        let folder = self
            .files
            .keys()
            .find_map(|path| path.strip_prefix("src/")?.split_once('/'))
            .map(|(name, _)| name);
        let folder = folder.map_or_else(|| thing(""), str::to_owned);
        let job = listed.unwrap_or_else(|| job_for(need, key, &folder, self.world.kit.ending));
        let world = World { files: &self.files, ..*self.world };
        let built = carry_out(&[job], &world).map_err(|cannot| cannot.0)?;
        let paths: Vec<String> = built.files.keys().cloned().collect();
        self.files.extend(built.files);
        let place = if paths.is_empty() {
            "with what was fixed before".to_owned()
        } else {
            format!("in {}", paths.join(", "))
        };
        Ok(format!("carried out {} {place}", need.name))
    }

    fn drop_line(&mut self, flaw: &Flaw) -> Result<String, String> {
        let text = self.files.get(&flaw.file).cloned().unwrap_or_default();
        let at = text.lines().position(|line| line.trim() == flaw.quote);
        let at = at.ok_or_else(|| "the line is not there any more".to_owned())?;
        self.files.insert(flaw.file.clone(), source::exchanged(&text, at..at + 1, ""));
        Ok(format!("{} no longer has the line", flaw.file))
    }
}
