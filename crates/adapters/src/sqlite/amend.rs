//! Replaces bodies and blobs in a redaction: the only change of what is stored, and itself recorded as an event.
//!
//! The hash of the old body stays in the chain and its salt is destroyed, so the chain holds and the old body cannot be
//! guessed by trial. The new body has a salt and hash of its own, and the `redacted` event, which the chain covers,
//! names that hash: a body that was replaced cannot be replaced again unseen.

use super::chain::{Chain, Tip, body_hash, hex, new_salt};
use super::entry_key::EntryKey;
use super::failure::{Failure, Place};
use super::{columns, layout, rows};
use redraft_engine::ports::StoreError;
use redraft_facts::event::{Amended, Event, Redacted};
use redraft_facts::ids::BlobId;
use redraft_facts::text::hash;
use redraft_facts::ticket::Scope;
use rusqlite::{Connection, params};

/// What a redaction puts where.
#[derive(Debug)]
pub struct Redaction<'a> {
    /// The end of the ledger this was decided on.
    pub decided_on: u64,
    pub at_ms: i64,
    pub by: &'a str,
    pub why: &'a str,
    /// Events with their new bodies, in order.
    pub bodies: &'a [(u64, String)],
    /// Blobs with what takes their place.
    pub blobs: &'a [(BlobId, Vec<u8>)],
    /// What is replaced outside the ledger; only counted here.
    pub files: u64,
    pub objects: u64,
    pub refs: u64,
}

/// Stores a redaction inside a transaction; returns its event as the new end.
pub(super) fn store(
    place: &Place,
    connection: &Connection,
    key: Option<&EntryKey>,
    new: &Redaction<'_>,
) -> Result<Tip, Failure> {
    let tip = rows::tip(place, connection)?;
    if tip.seq != new.decided_on {
        let (scope, decided_on, found) = (Scope::Repo, new.decided_on, tip.seq);
        return Err(StoreError::Moved { scope, decided_on, found }.into());
    }
    let salted: Vec<_> = new
        .bodies
        .iter()
        .map(|(seq, body)| {
            let salt = new_salt();
            (*seq, body, salt, body_hash(&salt, body))
        })
        .collect();
    let events = salted.iter().map(|(seq, _, _, hash)| Amended { seq: *seq, hash: hex(hash) }).collect();
    let (by, why, blobs) = (new.by.to_owned(), new.why.to_owned(), new.blobs.len() as u64);
    let (files, objects, refs) = (new.files, new.objects, new.refs);
    let event = Event::from(Redacted { by, why, events, blobs, files, objects, refs });
    let mut chain = Chain::after(tip);
    rows::put_events(place, connection, &mut chain, key, &Scope::Repo, new.at_ms, &[event])?;
    let by_seq = columns::stored(place, chain.tip().seq)?;
    for (seq, body, salt, hash) in salted {
        let seq = columns::stored(place, seq)?;
        put(connection, seq, by_seq, Some(&salt), &hash)?;
        let forget = "UPDATE redactions SET salt = NULL WHERE seq = ?1 AND by_seq < ?2 AND salt IS NOT NULL";
        connection.execute(forget, params![seq, by_seq])?;
        connection.execute("UPDATE events SET body = ?2, salt = NULL WHERE seq = ?1", params![seq, body])?;
    }
    for (id, bytes) in new.blobs {
        connection.execute("DELETE FROM blobs WHERE id = ?1", [id.as_str()])?;
        let sql = "INSERT OR IGNORE INTO blobs (id, bytes) VALUES (?1, ?2)";
        connection.execute(sql, params![hash(bytes).as_str(), bytes])?;
    }
    // Both may name what is gone. Without its table the board is folded again, and without a checkpoint everything is
    // looked at once more.
    layout::drop_board(connection)?;
    connection.execute_batch("DROP TABLE IF EXISTS checkpoint; DROP TABLE IF EXISTS checkpoint_scopes")?;
    Ok(chain.tip())
}

pub(super) fn put(
    connection: &Connection,
    seq: i64,
    by_seq: i64,
    salt: Option<&[u8]>,
    hash: &[u8],
) -> Result<(), Failure> {
    let sql = "INSERT INTO redactions (seq, by_seq, salt, hash) VALUES (?1, ?2, ?3, ?4)";
    connection.execute(sql, params![seq, by_seq, salt, hash])?;
    Ok(())
}

/// The events that were replaced, each with the event of its last redaction.
pub(super) fn all(place: &Place, connection: &Connection) -> Result<Vec<(u64, u64)>, Failure> {
    let sql = "SELECT seq, max(by_seq) FROM redactions GROUP BY seq ORDER BY seq";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((columns::number(place, row.get(0)?)?, columns::number(place, row.get(1)?)?));
    }
    Ok(found)
}
