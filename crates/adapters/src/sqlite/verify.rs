//! Checks the ledger: that nothing was changed, removed or swapped since it was stored.
//!
//! [`verify_all`] looks at everything, [`verify_since_checkpoint`] only at what came after the last checkpoint once the
//! file has grown, so that an ordinary command costs the same however long the history is. What lies before a
//! checkpoint is checked when it is read (`rows`). Rows are looked at one by one, so a long ledger needs no more memory
//! than its largest row.

use super::chain::{Chain, Link, Tip};
use super::checkpoint::{self, Checkpoint};
use super::failure::{Failure, Place};
use super::{body_check, columns, layout, rows};
use redraft_facts::ids::BlobId;
use redraft_facts::text::hash;
use rusqlite::{Connection, OptionalExtension, Row};

/// What a check looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifiedCounts {
    pub tip: Tip,
    /// Events and blobs that were read for it.
    pub events: u64,
    pub blobs: u64,
}

/// How closely events are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Each against its checksum.
    Checksums,
    /// Also whether each has the form of its kind and version, and whether every blob it names is there.
    Forms,
}

/// Looks at everything, and at SQLite's own structures.
pub(super) fn verify_all(
    place: &Place,
    connection: &Connection,
    depth: Depth,
) -> Result<(VerifiedCounts, Checkpoint), Failure> {
    let found = after(place, connection, Checkpoint::default(), depth)?;
    structure(place, connection)?;
    Ok(found)
}

/// Up to this size a whole check takes a few milliseconds, which is little compared with one start of git.
const SMALL_BYTES_MAX: i64 = 512 * 1024;

/// Begins where the last check ended, if that still is what it was. A small file is looked at whole all the same,
/// and so is one without a checkpoint that fits.
pub(super) fn verify_since_checkpoint(
    place: &Place,
    connection: &Connection,
) -> Result<(VerifiedCounts, Checkpoint), Failure> {
    let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let bytes: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    let stored = checkpoint::stored(place, connection)?.filter(|_| bytes > SMALL_BYTES_MAX);
    match stored {
        Some(stored) if fits(place, connection, stored.tip)? => {
            after(place, connection, stored, Depth::Checksums)
        }
        Some(_) | None => verify_all(place, connection, Depth::Checksums),
    }
}

/// Whether the event a checkpoint ends with is still the same one.
fn fits(place: &Place, connection: &Connection, tip: Tip) -> Result<bool, Failure> {
    if tip.seq == 0 {
        return Ok(tip == Tip::default());
    }
    let seq = columns::stored(place, tip.seq)?;
    let sql = "SELECT chain FROM events WHERE seq = ?1";
    let chain: Option<Vec<u8>> = connection.query_row(sql, [seq], |row| row.get(0)).optional()?;
    Ok(chain.is_some_and(|chain| chain == tip.chain))
}

fn after(
    place: &Place,
    connection: &Connection,
    begin: Checkpoint,
    depth: Depth,
) -> Result<(VerifiedCounts, Checkpoint), Failure> {
    let mut found = begin;
    let events = events(place, connection, &mut found, depth)?;
    let blobs = blobs(place, connection, &mut found)?;
    check_not_truncated(place, connection, found.tip)?;
    Ok((VerifiedCounts { tip: found.tip, events, blobs }, found))
}

fn events(
    place: &Place,
    connection: &Connection,
    found: &mut Checkpoint,
    depth: Depth,
) -> Result<u64, Failure> {
    let sql = format!("SELECT {} FROM events WHERE seq > ?1 ORDER BY seq", rows::COLUMNS);
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([columns::stored(place, found.tip.seq)?])?;
    let begin = found.tip.seq;
    let mut chain = Chain::after(found.tip);
    while let Some(row) = rows.next()? {
        let scope = check_event(place, connection, &mut chain, row, depth)?;
        *found.events.entry(scope).or_default() += 1;
    }
    found.tip = chain.tip();
    Ok(found.tip.seq - begin)
}

/// Checks one event against the one before it; returns its scope.
fn check_event(
    place: &Place,
    connection: &Connection,
    chain: &mut Chain,
    row: &Row<'_>,
    depth: Depth,
) -> Result<String, Failure> {
    let seq: i64 = row.get(0)?;
    let expected = chain.tip().seq + 1;
    if columns::number(place, seq)? != expected {
        return Err(place.damaged(format!("event {expected} is missing; the next one is {seq}")).into());
    }
    let text = |column| -> Result<&str, Failure> {
        Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
    };
    let (scope, kind, body) = (text(1)?, text(3)?, text(5)?);
    let version = columns::version(place, seq, row.get(4)?)?;
    let hash = body_check::covered(place, connection, expected, row.get(8)?, body, row.get(9)?)?;
    let link = Link { writer: text(10)?, at_ms: row.get(2)?, scope, kind, version, body_hash: &hash };
    let stored = columns::checksum(place, seq, row.get(6)?)?;
    if chain.extend(&link).chain != stored {
        return Err(columns::mismatch(place, seq));
    }
    if depth == Depth::Forms {
        let event = columns::decoded(place, seq, kind, version, body)?;
        // What another clone wrote may name texts that have stayed there.
        let own = text(10)? == rows::writer(place, connection)?;
        for id in event.blobs().into_iter().filter(|_| own) {
            if !rows::has_blob(connection, id)? && !rows::is_lost(place, connection, id)? {
                let missing = format!("event {seq} names blob {id}, which is missing");
                return Err(place.damaged(missing).into());
            }
        }
    }
    Ok(scope.to_owned())
}

fn blobs(place: &Place, connection: &Connection, found: &mut Checkpoint) -> Result<u64, Failure> {
    let mut statement =
        connection.prepare("SELECT rowid, id, bytes FROM blobs WHERE rowid > ?1 ORDER BY rowid")?;
    let mut rows = statement.query([found.last_blob])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let id = BlobId::new(row.get::<_, String>(1)?);
        if hash(row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?) != id {
            return Err(place.damaged(format!("blob {id} does not match its name")).into());
        }
        found.last_blob = row.get(0)?;
        count += 1;
    }
    Ok(count)
}

/// A chain cannot show that its last links are gone; the board and the checkpoint remember how far it went.
fn check_not_truncated(place: &Place, connection: &Connection, tip: Tip) -> Result<(), Failure> {
    let gone = |who: &str, known: u64| {
        let missing = tip.seq + 1;
        Failure::from(place.damaged(format!("event {missing} is missing; the {who} knows event {known}")))
    };
    if let Some(stored) = checkpoint::stored(place, connection)?.filter(|stored| stored.tip.seq > tip.seq) {
        return Err(gone("checkpoint", stored.tip.seq));
    }
    if !layout::has_board(connection)? {
        return Ok(());
    }
    let sql = "SELECT coalesce(max(seq), 0) FROM board";
    let known = columns::number(place, connection.query_row(sql, [], |row| row.get(0))?)?;
    if known > tip.seq {
        return Err(gone("board", known));
    }
    Ok(())
}

fn structure(place: &Place, connection: &Connection) -> Result<(), Failure> {
    let said: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(place.damaged(said).into()) }
}
