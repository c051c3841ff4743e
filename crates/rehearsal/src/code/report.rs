//! Writes the report of a role that worked on code, under the names it was asked for.
//!
//! Pure text. Start at [`Parts::checks`].

use super::class::Class;
use super::shell::Slots;
use super::{World, source};
use crate::parsed_document::Need;
use redraft_documents::report::{ALREADY, NONE, PARTS};
use redraft_facts::text::count;
use redraft_facts::verdict::{CheckLine, Verdict};

/// The parts of a report while it is put together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    pub(crate) implemented: Vec<String>,
    pub(crate) tested: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) decisions: Vec<String>,
    pub(crate) deviations: Vec<String>,
    pub(crate) concerns: Vec<String>,
    /// Whether everything was there before.
    pub(crate) already: Option<bool>,
}

impl Parts {
    /// A requirement that is met now, or was before.
    #[expect(clippy::too_many_arguments, reason = "two files, each with its path and text")]
    pub(super) fn met(
        &mut self,
        need: &Need,
        slots: &Slots,
        code: &str,
        program: &str,
        test: &str,
        tests: &str,
        there: bool,
    ) {
        let line = source::line_of(program, &format!("{}()", slots.call));
        let place = if line == 0 { format!("{code}: not written") } else { format!("{code}:{line}") };
        self.implemented
            .push(format!("`{}` passes (Spec {}): `{}` in {place}", slots.test, need.name, slots.call));
        let line = source::line_of(tests, &format!("{}()", slots.test));
        self.tested.push(format!("`{}` in {test}:{line}", slots.test));
        self.already = Some(self.already.unwrap_or(true) && there);
    }

    /// Adds what is worth knowing about a kind of work.
    pub(super) fn notes(&mut self, class: Class, world: &World<'_>) {
        let decision = match class {
            Class::Turns => {
                "a turn is a file beside the thing, made in one step; that of a process that has ended is taken over"
            }
            Class::Expired => "the lifetime is handed in, because no document says how long it is",
            Class::Failure => "how it shows that this has happened is handed in as a command",
            Class::Delivery => {
                "messages go to the program that MAILER names, so that a test can stand in for it"
            }
            Class::Operation => {
                "what is done to the data is handed in as a command, because no document describes the data"
            }
            Class::Limit | Class::Input | Class::Secrecy | Class::Promise | Class::Record | Class::View => "",
        };
        if !decision.is_empty() && !self.decisions.iter().any(|known| known == decision) {
            self.decisions.push(decision.to_owned());
        }
        if !world.kit.known {
            let concern = "no file of the repository says how tests are run; each file of tests runs by itself, with `sh`";
            if !self.concerns.iter().any(|known| known == concern) {
                self.concerns.push(concern.to_owned());
            }
        }
    }

    /// A measurement.
    pub(super) fn measured(&mut self, name: &str, test: &str, tests: &str, waits: Option<u64>, there: bool) {
        let line = source::line_of(tests, &format!("{name}()"));
        self.implemented.push(format!("`{name}` passes: {test}:{line}"));
        self.tested.push(format!("`{name}` in {test}:{line}"));
        self.decisions.push(match waits {
            Some(seconds) => {
                format!("people may wait {seconds} seconds, the shortest time of the specification")
            }
            None => "people may wait 30 seconds, because no document names a time".to_owned(),
        });
        self.already = Some(self.already.unwrap_or(true) && there);
    }

    /// The answer of the role that carried out a task.
    pub(crate) fn verdict(&self, name: &str) -> Verdict {
        let already = self.already == Some(true) && self.files.is_empty();
        let summary = match already {
            true => "Task already complete".to_owned(),
            false => format!("carried out task {name}: {} changed", count(self.files.len(), "file")),
        };
        let mut checks = self.checks(&["read the change once more; nothing was left to fix".to_owned()]);
        let note = if already { self.implemented.join("; ") } else { NONE.to_owned() };
        checks.push(CheckLine { name: ALREADY.to_owned(), passed: already, note });
        Verdict { approved: true, summary, checks, ..Verdict::default() }
    }

    /// One entry for each part.
    pub(crate) fn checks(&self, review: &[String]) -> Vec<CheckLine> {
        let run = "nothing was run here: the engine runs the project's checks".to_owned();
        let tested: Vec<String> = self.tested.iter().cloned().chain([run]).collect();
        let texts = [
            &self.implemented,
            &tested,
            &self.files,
            &self.decisions,
            &self.deviations,
            &review.to_vec(),
            &self.concerns,
        ];
        let entry = |(name, text): (&str, &Vec<String>)| CheckLine {
            name: name.to_owned(),
            passed: name != "tested",
            note: if text.is_empty() { NONE.to_owned() } else { text.join("; ") },
        };
        PARTS.into_iter().zip(texts).map(entry).collect()
    }
}
