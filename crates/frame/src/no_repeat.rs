//! Shows the progress of a run whose result may repeat its last lines: a gate that failed, and the question that it
//! leads to. These lines are held back until something else happens, and left out where the result says the same.

use crate::console::Console;
use redraft_core::pipeline::Pipeline;
use redraft_engine::{Progress, Undone};
use redraft_facts::event::{Checked, Entry, Event};
use redraft_facts::ticket::Ticket;
use std::sync::{Mutex, PoisonError};

pub struct NoRepeat<'a> {
    console: &'a Console,
    /// A failed gate, or the question about one, with the state it led to.
    held: Mutex<Option<(Entry, Pipeline)>>,
}

impl<'a> NoRepeat<'a> {
    pub fn new(console: &'a Console) -> NoRepeat<'a> {
        NoRepeat { console, held: Mutex::default() }
    }

    /// The run has ended. Prints what was held back, unless the result says it.
    pub fn end(&self, in_result: bool) {
        let Some((entry, state)) = self.take() else { return };
        match &entry.event {
            // The result has the words of a question and not its choices.
            Event::Asked(fact) if in_result => {
                let choices: Vec<&str> = fact.question.choices.iter().map(|choice| choice.name()).collect();
                self.console.say(&format!("  asked: {}", choices.join(", ")));
            }
            _ if in_result => {}
            _ => self.console.stored(&entry, &state),
        }
    }

    fn take(&self) -> Option<(Entry, Pipeline)> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn hold(&self, entry: &Entry, state: &Pipeline) {
        let held = Some((entry.clone(), state.clone()));
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = held;
    }
}

/// An error does not lose what was held back.
impl Drop for NoRepeat<'_> {
    fn drop(&mut self) {
        self.end(false);
    }
}

impl Progress for NoRepeat<'_> {
    fn stored(&self, entry: &Entry, state: &Pipeline) {
        let before = self.take();
        let failed = before.as_ref().and_then(|(entry, _)| failed_gate(entry));
        if failed.is_some_and(|check| asks_about(entry, check)) {
            // On a terminal the question itself follows.
            match self.console.can_ask() {
                true => self.console.stored(entry, state),
                false => self.hold(entry, state),
            }
            return;
        }
        if let Some((before, then)) = &before {
            self.console.stored(before, then);
        }
        match failed_gate(entry) {
            Some(_) => self.hold(entry, state),
            None => self.console.stored(entry, state),
        }
    }

    fn doing(&self, ticket: &Ticket, doing: &str) {
        self.console.doing(ticket, doing);
    }

    fn undone(&self, undone: &Undone) {
        self.console.undone(undone);
    }
}

fn failed_gate(entry: &Entry) -> Option<&Checked> {
    match &entry.event {
        Event::Checked(check) if !check.passed => Some(check),
        _ => None,
    }
}

/// Whether a question repeats how a gate failed.
fn asks_about(entry: &Entry, check: &Checked) -> bool {
    const CHARS_ENOUGH: usize = 60;
    let said = check.in_a_line(CHARS_ENOUGH);
    let said = said.trim_end_matches('…');
    matches!(&entry.event, Event::Asked(fact) if !said.is_empty() && fact.question.text.contains(said))
}
