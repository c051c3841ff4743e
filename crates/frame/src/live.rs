//! The lines below a story that show what is under way: each dispatch with its role, its agent, a clock and what it last
//! did, and what it all costs.
//!
//! [`Board`] says what the lines are, [`Painter`] which characters turn the lines on a terminal into these. Both are
//! values without a clock or a terminal; the console has those.

use crate::wrap::{cut, width};
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::{Entry, Event};
use redraft_facts::harmless;
use redraft_facts::ids::FeatureId;
use redraft_facts::text::one_line;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_facts::usage::{Money, Usd, grouped};
use redraft_reports::narration::task_of;
use redraft_reports::projections::TaskTally;
use std::collections::BTreeMap;
use std::time::Duration;

/// Wider than any terminal.
const WHO_CHARS_MAX: usize = 400;

/// What is under way, and what it cost so far.
#[derive(Debug, Default)]
pub(crate) struct Board {
    flights: Vec<Flight>,
    /// Tokens of everything that was answered since the run began.
    tokens: u64,
    /// By feature or review: several may be driven at once.
    money: BTreeMap<Scope, Money>,
    /// The tasks of each that carries out some.
    tasks: BTreeMap<Scope, TaskTally>,
    /// What all of it may cost.
    pub(crate) budget: Option<Usd>,
}

#[derive(Debug)]
struct Flight {
    ticket: Ticket,
    /// `spec-reviewer reviews spec.md (claude)`.
    who: String,
    began: Duration,
    reserved: Usd,
    doing: String,
}

impl Board {
    /// Folds an event; `now` is the time since the program began.
    pub(crate) fn take(&mut self, entry: &Entry, state: &Pipeline, now: Duration) {
        let scope = state.created.as_ref().map_or(Scope::Repo, |created| created.scope());
        self.money.insert(scope.clone(), state.money);
        let building = state.open.as_ref().is_some_and(|open| open.implementing.is_some());
        match TaskTally::count(state).filter(|_| building) {
            Some(tasks) => drop(self.tasks.insert(scope, tasks)),
            None => drop(self.tasks.remove(&scope)),
        }
        match &entry.event {
            // What a host was handed is not under way here.
            Event::Started(fact) if !fact.pull => {
                let who = format!("{} {} ({})", fact.ticket.role, task_of(&fact.ticket, state), fact.agent);
                // A document's name comes from outside.
                let who = harmless::text(&one_line(&who, WHO_CHARS_MAX)).into_owned();
                let (ticket, reserved, doing) = (fact.ticket.clone(), fact.reserved, String::new());
                self.flights.push(Flight { ticket, who, began: now, reserved, doing });
            }
            Event::Raised(fact) => {
                if let Some(flight) = self.flight(&fact.ticket) {
                    flight.reserved = fact.reserved;
                }
            }
            Event::Answered(fact) => {
                self.tokens =
                    self.tokens.saturating_add(fact.usage.input()).saturating_add(fact.usage.output);
                self.end(&fact.ticket);
            }
            Event::Failed(fact) => {
                let usage = fact.usage.unwrap_or_default();
                self.tokens = self.tokens.saturating_add(usage.input()).saturating_add(usage.output);
                self.end(&fact.ticket);
            }
            Event::Lost(fact) => self.end(&fact.ticket),
            _ => {}
        }
    }

    pub(crate) fn doing(&mut self, ticket: &Ticket, doing: &str) {
        if let Some(flight) = self.flight(ticket) {
            doing.clone_into(&mut flight.doing);
        }
    }

    /// Nothing is under way any more, of this feature or at all.
    pub(crate) fn land(&mut self, only: Option<FeatureId>) {
        let only = only.map(Scope::Feature);
        self.flights.retain(|flight| only.as_ref().is_some_and(|only| flight.ticket.scope != *only));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }

    fn flight(&mut self, ticket: &Ticket) -> Option<&mut Flight> {
        self.flights.iter_mut().find(|flight| flight.ticket == *ticket)
    }

    fn end(&mut self, ticket: &Ticket) {
        self.flights.retain(|flight| flight.ticket != *ticket);
    }

    /// At most `rows` lines of at most `columns` columns.
    pub(crate) fn lines(&self, now: Duration, columns: usize, rows: usize) -> Vec<String> {
        // A shorter line would say nothing.
        const COLUMNS_MIN: usize = 16;
        if self.flights.is_empty() || columns < COLUMNS_MIN || rows == 0 {
            return Vec::new();
        }
        let mut lines: Vec<String> =
            self.flights.iter().map(|flight| cut(&self.line(flight, now, columns), columns)).collect();
        if lines.len() > rows {
            let hidden = lines.len() + 1 - rows;
            lines.truncate(rows - 1);
            lines.push(cut(&format!("… and {hidden} more at work"), columns));
        } else if lines.len() < rows {
            lines.push(cut(&self.so_far(), columns));
        }
        lines
    }

    fn so_far(&self) -> String {
        let reserved = self.flights.iter().fold(Usd(0), |sum, flight| sum + flight.reserved);
        let sum = |sum: Money, one: &Money| Money {
            spent: sum.spent + one.spent,
            covered: sum.covered + one.covered,
            login: sum.login + one.login,
            unknown: sum.unknown + one.unknown,
            unknown_bills: sum.unknown_bills.saturating_add(one.unknown_bills),
        };
        let money = self.money.values().fold(Money::default(), sum);
        let mut line = format!("… {} tokens in this run, {}", grouped(self.tokens), money.in_a_line());
        if reserved > Usd(0) {
            line.push_str(&format!(" + {reserved} reserved"));
        }
        if let Some(budget) = self.budget {
            line.push_str(&format!(" of {budget}"));
        }
        if let Some(tasks) = TaskTally::summed(self.tasks.values().copied()) {
            line.push_str(&format!("; {tasks}"));
        }
        line
    }
}

impl Board {
    /// What it last did is left out first where there is little room; of several features, each has its number.
    fn line(&self, flight: &Flight, now: Duration, columns: usize) -> String {
        let number = if self.money.len() > 1 { format!("{} ", flight.ticket.scope) } else { String::new() };
        let line = format!("… {number}{} {}", clock(now.saturating_sub(flight.began)), flight.who);
        match flight.doing.as_str() {
            "" => line,
            _ if width(&line) + 6 > columns => line,
            doing => format!("{line}: {doing}"),
        }
    }
}

/// `0:07`, `12:05`, `1:02:03`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// What is on the terminal below the story. The cursor is at the end of its last line.
#[derive(Debug, Default)]
pub(crate) struct Painter {
    shown: Vec<String>,
}

impl Painter {
    /// What turns the lines on the terminal into these; nothing where they are the same. Lines that stay are not
    /// written again.
    pub(crate) fn paint(&mut self, lines: Vec<String>, columns: usize) -> String {
        if lines == self.shown {
            return String::new();
        }
        let whole = lines.len() != self.shown.len() || self.rows(columns) != self.shown.len();
        let mut out = String::new();
        if whole {
            out.push_str(&self.clear(columns));
            out.push_str(&lines.join("\r\n"));
        } else {
            up(&mut out, self.shown.len() - 1);
            for (at, (line, before)) in lines.iter().zip(&self.shown).enumerate() {
                if at > 0 {
                    out.push_str("\r\n");
                }
                if line != before {
                    out.push_str(&format!("\r{line}\x1b[K"));
                }
            }
        }
        self.shown = lines;
        out
    }

    /// Whether lines are on the terminal.
    pub(crate) fn shows(&self) -> bool {
        !self.shown.is_empty()
    }

    /// A person typed this and Enter: the terminal has put it behind the last line, and the cursor into the row below.
    pub(crate) fn typed(&mut self, text: &str) {
        if let Some(last) = self.shown.last_mut() {
            last.push_str(text);
            self.shown.push(String::new());
        }
    }

    /// What takes the lines away.
    pub(crate) fn clear(&mut self, columns: usize) -> String {
        let mut out = String::new();
        if !self.shown.is_empty() {
            up(&mut out, self.rows(columns) - 1);
            out.push_str("\r\x1b[J");
        }
        self.shown.clear();
        out
    }

    /// How many rows the lines take: more than there are where the terminal has become narrower.
    fn rows(&self, columns: usize) -> usize {
        // The last column is kept free, but a terminal that breaks a line uses it.
        self.shown.iter().map(|line| width(line).div_ceil(columns + 1).max(1)).sum()
    }
}

fn up(out: &mut String, rows: usize) {
    if rows > 0 {
        out.push_str(&format!("\x1b[{rows}A"));
    }
}

#[cfg(test)]
mod tests;
