//! The values in single columns of a row, checked as they are read.
//!
//! The limits of SQLite's integers are kept here, so that the rest of the program sees only numbers that fit.

use super::failure::{Failure, Place};
use redraft_engine::ports::StoreError;
use redraft_facts::event::{DecodeError, Event};
use redraft_facts::ticket::Scope;

pub(super) fn number(place: &Place, value: i64) -> Result<u64, Failure> {
    u64::try_from(value).map_err(|_| place.damaged(format!("{value} is not an event number")).into())
}

pub(super) fn version(place: &Place, seq: i64, value: i64) -> Result<u16, Failure> {
    u16::try_from(value).map_err(|_| place.damaged(format!("event {seq} has the version {value}")).into())
}

pub(super) fn checksum(place: &Place, seq: i64, bytes: Vec<u8>) -> Result<[u8; 32], Failure> {
    let wrong = |bytes: Vec<u8>| format!("event {seq} has a checksum of {} bytes", bytes.len());
    bytes.try_into().map_err(|bytes| place.damaged(wrong(bytes)).into())
}

/// The failure of an event that is not as it was written.
pub(super) fn mismatch(place: &Place, seq: i64) -> Failure {
    place.damaged(format!("event {seq} does not match its checksum")).into()
}

/// A number as SQLite stores it.
pub(super) fn stored(place: &Place, seq: u64) -> Result<i64, Failure> {
    i64::try_from(seq).map_err(|_| place.other(format!("{seq} is past the last event number")).into())
}

pub(super) fn scope(place: &Place, word: &str) -> Result<Scope, Failure> {
    // A later program may know scopes that we do not; no program ever wrote one that is no word at all.
    let unknown = || place.newer(format!("it has events of `{word}`, a scope not known to this redraft"));
    word.parse().map_err(|_| unknown().into())
}

pub(super) fn decoded(
    place: &Place,
    seq: i64,
    kind: &str,
    version: u16,
    body: &str,
) -> Result<Event, StoreError> {
    Event::decode(kind, version, body).map_err(|error| {
        let detail = format!("event {seq}: {error}");
        match error {
            DecodeError::Newer { .. } | DecodeError::UnknownKind { .. } => place.newer(detail),
            DecodeError::Malformed { .. } => place.damaged(detail),
        }
    })
}
