//! Checks a body against what stands for it in the chain, or against what the redaction that replaced it says.

use super::chain::{body_hash, hex};
use super::columns;
use super::failure::{Failure, Place};
use redraft_facts::event::{Amended, Event};
use rusqlite::{Connection, OptionalExtension, params};

/// What stands for a body in the chain, after the body was checked against it. A body that a redaction put in the place
/// of another is checked against what that redaction says.
pub(super) fn covered(
    place: &Place,
    connection: &Connection,
    seq: u64,
    salt: Option<Vec<u8>>,
    body: &str,
    hash: Vec<u8>,
) -> Result<[u8; 32], Failure> {
    let number = columns::stored(place, seq)?;
    let hash = columns::checksum(place, number, hash)?;
    match salt {
        Some(salt) if body_hash(&salt, body) == hash => {}
        Some(_) => return Err(columns::mismatch(place, number)),
        None => fits(place, connection, seq, body)?,
    }
    Ok(hash)
}

/// Fails unless the body is what the event's last redaction put there.
fn fits(place: &Place, connection: &Connection, seq: u64, body: &str) -> Result<(), Failure> {
    let number = columns::stored(place, seq)?;
    let sql = "SELECT by_seq, salt, hash FROM redactions WHERE seq = ?1 ORDER BY by_seq DESC LIMIT 1";
    let found: Option<(i64, Option<Vec<u8>>, Vec<u8>)> = connection
        .prepare_cached(sql)?
        .query_row([number], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let unrecorded =
        || Failure::from(place.damaged(format!("event {seq} was replaced, and no redaction says by what")));
    let Some((by_seq, Some(salt), hash)) = found else { return Err(unrecorded()) };
    if body_hash(&salt, body)[..] != hash[..] {
        return Err(columns::mismatch(place, number));
    }
    let said = "SELECT kind, kind_version, salt, body, body_hash FROM events WHERE seq = ?1 AND seq > ?2";
    let mut statement = connection.prepare_cached(said)?;
    let mut rows = statement.query(params![by_seq, number])?;
    let Some(row) = rows.next()? else { return Err(unrecorded()) };
    let (kind, own): (String, String) = (row.get(0)?, row.get(3)?);
    let version = columns::version(place, by_seq, row.get(1)?)?;
    // It may have been replaced itself, by one that comes later still.
    covered(place, connection, columns::number(place, by_seq)?, row.get(2)?, &own, row.get(4)?)?;
    let Event::Redacted(redacted) = columns::decoded(place, by_seq, &kind, version, &own)? else {
        return Err(unrecorded());
    };
    let named = Amended { seq, hash: hex(&hash) };
    if redacted.events.contains(&named) { Ok(()) } else { Err(unrecorded()) }
}
