//! Checks the whole ledger: that nothing was changed, removed or swapped since it was stored.
//!
//! Rows are looked at one by one, so a long ledger needs no more memory than its largest row.

use super::chain::{Chain, Link, Tip};
use super::failure::{Failure, Place};
use super::{layout, rows};
use redraft_core::ids::BlobId;
use redraft_core::text::hash;
use rusqlite::{Connection, Row};

pub(super) fn verify(place: &Place, connection: &Connection) -> Result<Tip, Failure> {
    let tip = events(place, connection)?;
    blobs(place, connection)?;
    end(place, connection, tip)?;
    structure(place, connection)?;
    Ok(tip)
}

fn events(place: &Place, connection: &Connection) -> Result<Tip, Failure> {
    let sql = "SELECT seq, scope, at_ms, kind, kind_version, body, chain FROM events ORDER BY seq";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut chain = Chain::after(Tip::default());
    while let Some(row) = rows.next()? {
        event(place, &mut chain, row)?;
    }
    Ok(chain.tip())
}

fn event(place: &Place, chain: &mut Chain, row: &Row<'_>) -> Result<(), Failure> {
    let seq: i64 = row.get(0)?;
    let expected = chain.tip().seq + 1;
    if rows::number(place, seq)? != expected {
        return Err(place.damaged(format!("event {expected} is missing; the next one is {seq}")).into());
    }
    let text = |column| -> Result<&str, Failure> {
        Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
    };
    let link = Link {
        at_ms: row.get(2)?,
        scope: text(1)?,
        kind: text(3)?,
        version: rows::version(place, seq, row.get(4)?)?,
        body: text(5)?,
    };
    let stored = rows::checksum(place, seq, row.get(6)?)?;
    if chain.extend(&link).chain != stored {
        return Err(place.damaged(format!("event {seq} does not match its checksum")).into());
    }
    Ok(())
}

fn blobs(place: &Place, connection: &Connection) -> Result<(), Failure> {
    let mut statement = connection.prepare("SELECT id, bytes FROM blobs")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id = BlobId::new(row.get::<_, String>(0)?);
        if hash(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?) != id {
            return Err(place.damaged(format!("blob {id} does not have the bytes of its name")).into());
        }
    }
    Ok(())
}

/// A chain cannot tell that its last links are gone; the board remembers how far it went.
fn end(place: &Place, connection: &Connection, tip: Tip) -> Result<(), Failure> {
    if !layout::has_board(connection)? {
        return Ok(());
    }
    let sql = "SELECT coalesce(max(seq), 0) FROM board";
    let known = rows::number(place, connection.query_row(sql, [], |row| row.get(0))?)?;
    if known > tip.seq {
        let missing = tip.seq + 1;
        return Err(place
            .damaged(format!("event {missing} is missing; the board knows event {known}"))
            .into());
    }
    Ok(())
}

fn structure(place: &Place, connection: &Connection) -> Result<(), Failure> {
    let said: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(place.damaged(said).into()) }
}
