//! How far the ledger was found in order, so that the next check can begin there.
//!
//! It is a shortcut and not a source of truth: it claims something about the events up to a number, and that claim
//! stays right whatever is added. Its tables can be dropped at any time; the next command then looks at everything
//! again. Programs that do not know these tables may still write to the ledger.

use super::chain::Tip;
use super::columns;
use super::failure::{Failure, Place};
use redraft_facts::ticket::Scope;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;

/// What was looked at and found in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Checkpoint {
    /// The last event of it.
    pub(super) tip: Tip,
    /// SQLite's number of the last blob of it; blobs are numbered as they are stored.
    pub(super) last_blob: i64,
    /// How many events each scope had. The chain runs through all scopes, so it does not show a reader of one that an
    /// event is gone.
    pub(super) events: BTreeMap<String, u64>,
}

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS checkpoint (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL,
    chain BLOB NOT NULL,
    last_blob INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS checkpoint_scopes (scope TEXT PRIMARY KEY, events INTEGER NOT NULL) STRICT;
";

/// The stored one; none when there is none, or when it was dropped.
pub(super) fn stored(place: &Place, connection: &Connection) -> Result<Option<Checkpoint>, Failure> {
    if !exists(connection)? {
        return Ok(None);
    }
    let sql = "SELECT seq, chain, last_blob FROM checkpoint";
    let found =
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((seq, chain, last_blob)) = found else { return Ok(None) };
    let tip = Tip { seq: columns::number(place, seq)?, chain: columns::checksum(place, seq, chain)? };
    let mut statement = connection.prepare("SELECT scope, events FROM checkpoint_scopes")?;
    let mut rows = statement.query([])?;
    let mut events = BTreeMap::new();
    while let Some(row) = rows.next()? {
        events.insert(row.get(0)?, columns::number(place, row.get(1)?)?);
    }
    Ok(Some(Checkpoint { tip, last_blob, events }))
}

/// Replaces the stored one, unless another process has come further meanwhile.
pub(super) fn keep(place: &Place, connection: &Connection, checkpoint: &Checkpoint) -> Result<(), Failure> {
    let further = |stored: Checkpoint| stored.tip.seq > checkpoint.tip.seq || stored == *checkpoint;
    if stored(place, connection)?.is_some_and(further) {
        return Ok(());
    }
    connection.execute_batch(TABLES)?;
    connection.execute_batch("DELETE FROM checkpoint; DELETE FROM checkpoint_scopes")?;
    let Checkpoint { tip, last_blob, events } = checkpoint;
    connection.execute(
        "INSERT INTO checkpoint (one, seq, chain, last_blob) VALUES (1, ?1, ?2, ?3)",
        params![columns::stored(place, tip.seq)?, tip.chain, last_blob],
    )?;
    let mut insert = connection.prepare("INSERT INTO checkpoint_scopes (scope, events) VALUES (?1, ?2)")?;
    for (scope, count) in events {
        insert.execute(params![scope, columns::stored(place, *count)?])?;
    }
    Ok(())
}

/// Up to which event, and how many events of the scope there were.
pub(super) fn of_scope(
    place: &Place,
    connection: &Connection,
    scope: &Scope,
) -> Result<Option<(u64, u64)>, Failure> {
    if !exists(connection)? {
        return Ok(None);
    }
    let sql =
        "SELECT seq, coalesce((SELECT events FROM checkpoint_scopes WHERE scope = ?1), 0) FROM checkpoint";
    let look = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    match connection.query_row(sql, [scope.to_string()], look).optional()? {
        Some((seq, events)) => Ok(Some((columns::number(place, seq)?, columns::number(place, events)?))),
        None => Ok(None),
    }
}

/// Whether both tables are there.
fn exists(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) = 2 FROM sqlite_schema
        WHERE type = 'table' AND name IN ('checkpoint', 'checkpoint_scopes')";
    connection.query_row(sql, [], |row| row.get(0))
}
