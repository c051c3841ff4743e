//! Keeps what questions cost, and their answers, beside the prompts.

use super::{Asked, Asking};
use crate::cli::eval::answers;
use redraft_engine::ports::Outcome;
use redraft_engine::questions::{QuestionBook, QuestionEnd};
use redraft_eval::record::{Record, RecordedEnd, TurnRecord, WhichTurn};
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Payment, Usd};
use redraft_frame::errors::CliError;
use redraft_frame::whole_file;
use std::fs;

/// The book of the questions that are sent together.
pub(super) struct Book<'b, 'a> {
    pub(super) asking: &'b Asking<'a>,
    pub(super) together: &'b mut [Asked],
    /// What is sent in each place.
    pub(super) turns: &'b [(Ticket, WhichTurn)],
}

impl Book<'_, '_> {
    fn changed(&mut self, place: usize, change: impl FnOnce(&mut Record)) -> Result<(), String> {
        let Some(asked) = self.together.get_mut(place) else { return Ok(()) };
        change(&mut asked.record);
        answers::keep_record(self.asking.out, &asked.job.name, &asked.record).map_err(|error| error.message)
    }
}

impl QuestionBook for Book<'_, '_> {
    fn start(&mut self, place: usize, reserved: Usd) -> Result<(), String> {
        let Some((ticket, turn)) = self.turns.get(place) else { return Ok(()) };
        let turn = TurnRecord { ticket: ticket.to_string(), turn: *turn, reserved, end: None };
        self.changed(place, |record| record.turns.push(turn))?;
        self.asking.process.boundaries.pass("a question is kept");
        Ok(())
    }

    fn raise(&mut self, place: usize, reserved: Usd) -> Result<(), String> {
        self.changed(place, |record| {
            if let Some(turn) = record.turns.last_mut() {
                turn.reserved = reserved;
            }
        })
    }

    fn end(&mut self, place: usize, end: &QuestionEnd) -> Result<(), String> {
        let boundaries = &self.asking.process.boundaries;
        boundaries.pass("a question is answered");
        let (Some(asked), Some((ticket, turn))) = (self.together.get(place), self.turns.get(place)) else {
            return Ok(());
        };
        if let Ok(outcome) = &end.result {
            keep(self.asking, &asked.job.name, *turn, outcome).map_err(|error| error.message)?;
        }
        boundaries.pass("an answer is kept");
        let (payment, usage, failed) = match &end.result {
            Ok(outcome) => (outcome.payment, Some(outcome.usage), String::new()),
            Err(error) => (Payment::Unknown, error.usage, error.detail.clone()),
        };
        let ended = RecordedEnd { failed, usage, counted: end.counted, payment, wall_ms: end.wall_ms };
        self.changed(place, |record| {
            if let Some(turn) = record.turns.last_mut() {
                turn.end = Some(ended);
            }
        })?;
        forget(self.asking, ticket);
        Ok(())
    }
}

/// Keeps an answer; that of a first turn by itself, because it is not the one that is counted.
fn keep(asking: &Asking<'_>, name: &str, turn: WhichTurn, outcome: &Outcome) -> Result<(), CliError> {
    match turn {
        WhichTurn::Before => {
            whole_file::keep(&asking.out.join(format!("{name}.before.answer.txt")), &outcome.text)
        }
        WhichTurn::Answer => answers::keep(asking.out, name, &outcome.text),
    }
}

/// Ends the turns of a record whose end nobody saw: a finished answer that the agent left behind is kept; any other
/// counts as the most it can have cost.
pub(super) fn settle(asking: &Asking<'_>, name: &str, record: &mut Record) -> Result<(), CliError> {
    let mut changed = false;
    for turn in record.turns.iter_mut().filter(|turn| turn.end.is_none()) {
        let ticket: Option<Ticket> = turn.ticket.parse().ok();
        let left = ticket.as_ref().and_then(|ticket| asking.agent.left_behind(ticket));
        let end = match left {
            Some(outcome) => {
                let text = asking.process.redactor.redact(&outcome.text).0.into_owned();
                let outcome = Outcome { text, ..outcome };
                if turn.turn == WhichTurn::Answer && answers::file(asking.out, name).is_none() {
                    keep(asking, name, turn.turn, &outcome)?;
                }
                let Outcome { usage, payment, .. } = outcome;
                RecordedEnd {
                    failed: String::new(),
                    usage: Some(usage),
                    counted: usage.cost,
                    payment,
                    wall_ms: 0,
                }
            }
            None => RecordedEnd {
                failed: "nobody saw its end".to_owned(),
                usage: None,
                counted: ticket
                    .as_ref()
                    .and_then(|ticket| asking.agent.unwatched(ticket))
                    .map_or(turn.reserved, |most| most.max(turn.reserved)),
                payment: Payment::Unknown,
                wall_ms: 0,
            },
        };
        turn.end = Some(end);
        changed = true;
        if let Some(ticket) = &ticket {
            forget(asking, ticket);
        }
    }
    if changed {
        answers::keep_record(asking.out, name, record)?;
    }
    Ok(())
}

/// Removes what the agent left in the state folder for a ticket that will not be asked for again.
fn forget(asking: &Asking<'_>, ticket: &Ticket) {
    // What is left takes space and nothing else.
    let _ = fs::remove_dir_all(asking.place.repo.state.join("runs").join(ticket.scope.to_string()));
}
