//! Looks up dispatches that are under way in the journal.

use crate::ending::EngineError;
use crate::journal::Journal;
use redraft_core::review::Loop;
use redraft_facts::event::{Answered, Started};
use redraft_facts::ticket::Ticket;

impl Journal<'_> {
    /// The start of a ticket that has not been concluded.
    pub(crate) fn started(&self, ticket: &Ticket) -> Option<Started> {
        let seat = self.state().open.as_ref()?.seat_of(ticket)?;
        seat.work.as_ref()?.flight.as_ref().map(|flight| flight.started.clone())
    }

    /// The answer to a ticket that has not been concluded, as it was stored.
    pub(crate) fn answer_of(&self, ticket: &Ticket) -> Result<Option<(&Answered, Vec<u8>)>, EngineError> {
        let Some((_, answered)) = flight(self.open_loop()?, ticket) else { return Ok(None) };
        Ok(Some((answered, self.writer().store.blob(&answered.answer)?)))
    }
}

/// A dispatch that was answered and has not been concluded.
pub(crate) fn flight<'l>(open: &'l Loop, ticket: &Ticket) -> Option<(&'l Started, &'l Answered)> {
    let flight = open.seat_of(ticket)?.work.as_ref()?.flight.as_ref()?;
    Some((&flight.started, flight.answered.as_ref()?))
}
