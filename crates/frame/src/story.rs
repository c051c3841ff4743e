//! Prints a run while it goes on: the story of [`redraft_reports::narration`], with `-v` each event as well, with
//! `--events` each event as JSON.

use crate::console::Console;
use crate::doing::DoingFile;
use crate::wait_mark::WaitMark;
use redraft_core::pipeline::Pipeline;
use redraft_cost::price::OverBudget;
use redraft_engine::{Progress, Undone};
use redraft_facts::event::{Entry, Event};
use redraft_facts::text::indented;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_reports::narration::Narrator;
use redraft_reports::projections;
use redraft_reports::standing::Waits;
use serde::Serialize;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};

/// Tells one run. At its end, and where an error ends it, nothing that was held back is lost.
pub struct Story<'a> {
    console: &'a Console,
    narrator: Mutex<Narrator>,
    /// Where others see what agents do.
    doing: Option<DoingFile>,
    /// Where others see that it waits.
    mark: Option<WaitMark<'a>>,
}

impl<'a> Story<'a> {
    /// `asks`: whether a person is asked on the spot.
    pub fn new(console: &'a Console, asks: bool) -> Story<'a> {
        Story { console, narrator: Mutex::new(Narrator::new(asks)), doing: None, mark: None }
    }

    /// The same with a file in which other processes see what agents do.
    #[must_use]
    pub fn with_doing_file(mut self, doing: DoingFile) -> Story<'a> {
        self.doing = Some(doing);
        self
    }

    /// The same with a mark in which other processes see that it waits for money.
    #[must_use]
    pub fn marked_in(mut self, mark: WaitMark<'a>) -> Story<'a> {
        self.mark = Some(mark);
        self
    }

    /// The run has ended. Prints what was held back, unless the result says it.
    pub fn end(&self, in_result: bool) {
        let lines = self.narrator.lock().unwrap_or_else(PoisonError::into_inner).end(in_result);
        self.console.land();
        if let Some(doing) = &self.doing {
            doing.close();
        }
        if let Some(mark) = &self.mark {
            mark.end();
        }
        self.console.say_all(&lines);
    }
}

impl Drop for Story<'_> {
    fn drop(&mut self) {
        self.end(false);
    }
}

impl Progress for Story<'_> {
    fn stored(&self, entry: &Entry, state: &Pipeline) {
        if let Some(mark) = &self.mark {
            mark.end();
        }
        if self.console.events {
            let scope = state.created.as_ref().map_or(Scope::Repo, |created| created.scope());
            self.console.line_object(&EventJson::new(&scope, entry));
        }
        if self.console.verbose {
            let phase = state.latest().map(|latest| latest.opened.phase);
            let line = projections::line_in(&entry.event, phase, None);
            self.console.say(&format!("      {}  {}", entry.seq, indented(&line, 8)));
        }
        let mut narrator = self.narrator.lock().unwrap_or_else(PoisonError::into_inner);
        self.console.say_all(&narrator.tell(&entry.event, state));
        self.console.under_way(entry, state);
        if let (Some(doing), Some(ticket)) = (&self.doing, ended(&entry.event)) {
            doing.forget(ticket);
        }
    }

    fn doing(&self, ticket: &Ticket, doing: &str) {
        self.console.doing(ticket, doing);
        if let Some(file) = &self.doing {
            file.tell(ticket, doing);
        }
    }

    fn waits_for_money(&self, over: &OverBudget) {
        if let Some(mark) = &self.mark {
            mark.begin(Waits::Money);
        }
        let OverBudget { needed, left, limit } = over;
        self.console.say(&format!(
            "  waits for money: the next dispatch may cost up to {needed}, but only {left} of the {limit} for all features \
                is free; the rest is spent or reserved for other features"
        ));
    }

    fn undone(&self, undone: &Undone) {
        self.console.say(&format!("  what was undone is kept; to get it back: {}", undone.command));
    }
}

/// The dispatch that this event ends.
fn ended(event: &Event) -> Option<&Ticket> {
    match event {
        Event::Answered(fact) => Some(&fact.ticket),
        Event::Failed(fact) => Some(&fact.ticket),
        Event::Lost(fact) => Some(&fact.ticket),
        _ => None,
    }
}

/// One line of `--events`; docs/events.md describes it.
#[derive(Debug, Serialize)]
pub struct EventJson<'a> {
    v: u16,
    #[serde(rename = "type")]
    what: &'static str,
    scope: String,
    seq: u64,
    at_ms: i64,
    kind: &'a str,
    /// The version of the body, as it is stored.
    version: u16,
    body: Value,
}

impl<'a> EventJson<'a> {
    pub fn new(scope: &Scope, entry: &'a Entry) -> EventJson<'a> {
        EventJson {
            v: 1,
            what: "event",
            scope: scope.to_string(),
            seq: entry.seq,
            at_ms: entry.at_ms,
            kind: entry.event.kind(),
            version: entry.event.version(),
            // What is stored is JSON.
            body: serde_json::from_str(&entry.event.encode()).unwrap_or_default(),
        }
    }
}
