//! What is read from a feature's events before they are sent or taken over.

use crate::errors::{CliError, ErrorCode};
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::{Entry, Event, FeatureCreated};

pub(super) fn wrong_name(called: &str) -> CliError {
    CliError::new(
        ErrorCode::Config,
        format!("a shared feature is called {called:?}, which is no name of one"),
    )
}

pub(super) fn created(entries: &[Entry]) -> Option<&FeatureCreated> {
    entries.iter().find_map(|entry| match &entry.event {
        Event::FeatureCreated(created) => Some(created),
        _ => None,
    })
}

/// The events up to the first answer that nobody has read yet: its text stays here, so nobody else could read it.
pub(super) fn publishable(entries: &[Entry]) -> Result<&[Entry], CliError> {
    let mut end = entries.len();
    // Reviewers who were asked together are read one after the other, after all have answered: what is read behind an
    // answer that is left out is left out as well, and its answer is then unread.
    loop {
        let kept = entries.get(..end).unwrap_or_default();
        let state =
            Pipeline::replay(kept).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
        let flights = state.open.iter().flat_map(|open| open.flights());
        let unread: Vec<_> = flights
            .filter(|(_, flight)| flight.answered.is_some())
            .map(|(_, flight)| flight.started.ticket.clone())
            .collect();
        let is_unread =
            |entry: &Entry| matches!(&entry.event, Event::Answered(fact) if unread.contains(&fact.ticket));
        match kept.iter().position(is_unread) {
            Some(first) => end = first,
            None => return Ok(kept),
        }
    }
}
