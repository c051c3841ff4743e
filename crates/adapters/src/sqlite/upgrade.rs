//! Brings a ledger of layout 1 up to layout 2, the first time it is opened for writing.
//!
//! A copy of the old file is left beside it. The change itself is one transaction, in which the old chain is checked event
//! by event as the new one is made: whoever is killed in between leaves the old ledger as it was. The old chain is not kept:
//! it was made over the bodies themselves, and whoever has the rest could try out what a redacted body said.

use super::chain::{Chain, Content, Link, Tip, body_hash, new_salt};
use super::failure::{Failure, Place};
use super::layout::{self, Found};
use super::{rows, verify};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The copy of a ledger as it was before, in the same folder.
pub const BEFORE: &str = "ledger.layout-1.db";

/// Brings the file up if it is of layout 1.
pub(super) fn bring_up(place: &Place, connection: &Connection, path: &Path) -> Result<(), Failure> {
    if !is_old(connection)? {
        return Ok(());
    }
    verify::whole(place, connection, verify::Depth::Checksums)?;
    copy(place, connection, &path.with_file_name(BEFORE))?;
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Another process may have done it while we waited.
    if is_old(&transaction)? {
        change(place, &transaction)?;
        transaction.commit()?;
    }
    Ok(())
}

fn is_old(connection: &Connection) -> Result<bool, Failure> {
    Ok(matches!(layout::inspect(connection)?, Found::Ours { layout: 1 }))
}

/// Copies the ledger with what its log holds. A copy that an interrupted attempt left is replaced.
fn copy(place: &Place, connection: &Connection, to: &Path) -> Result<(), Failure> {
    let part = PathBuf::from(format!("{}.part", to.display()));
    let failed = |error: &std::io::Error| Failure::from(place.of_io("copying it before the change", error));
    match fs::remove_file(&part) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(&error)),
        _ => {}
    }
    connection.execute("VACUUM INTO ?1", [part.to_string_lossy()])?;
    File::open(&part).and_then(|file| file.sync_all()).map_err(|error| failed(&error))?;
    fs::rename(&part, to).map_err(|error| failed(&error))
}

pub(super) fn change(place: &Place, transaction: &Connection) -> Result<(), Failure> {
    for trigger in ["events_in_order", "events_stay", "events_never_change"] {
        transaction.execute_batch(&format!("DROP TRIGGER IF EXISTS {trigger}"))?;
    }
    transaction.execute_batch(
        "DROP TRIGGER IF EXISTS blobs_once; DROP TRIGGER IF EXISTS blobs_stay;
        DROP TRIGGER IF EXISTS blobs_never_change; DROP INDEX IF EXISTS events_by_scope;
        ALTER TABLE events RENAME TO events_of_layout_1",
    )?;
    transaction.execute_batch(layout::EVENTS)?;
    carry_over(place, transaction)?;
    transaction.execute_batch("DROP TABLE events_of_layout_1")?;
    transaction.execute_batch(layout::TRIGGERS)?;
    // It names the old chain; the next command looks at everything once.
    transaction.execute_batch("DROP TABLE IF EXISTS checkpoint; DROP TABLE IF EXISTS checkpoint_scopes")?;
    let program = env!("CARGO_PKG_VERSION");
    transaction.execute("UPDATE meta SET value = ?2 WHERE key = ?1", params![layout::PROGRAM, program])?;
    transaction.pragma_update(None, "user_version", layout::VERSION)?;
    Ok(())
}

fn carry_over(place: &Place, transaction: &Connection) -> Result<(), Failure> {
    let sql =
        "SELECT seq, scope, at_ms, kind, kind_version, body, chain FROM events_of_layout_1 ORDER BY seq";
    let mut statement = transaction.prepare(sql)?;
    let mut found = statement.query([])?;
    let mut insert = transaction.prepare(
        "INSERT INTO events (seq, scope, at_ms, kind, kind_version, salt, body, body_hash, chain)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let (mut old, mut new) = (Chain::after(Tip::default()), Chain::after(Tip::default()));
    while let Some(row) = found.next()? {
        let seq: i64 = row.get(0)?;
        let (scope, kind, body): (String, String, String) = (row.get(1)?, row.get(3)?, row.get(5)?);
        let (at_ms, version) = (row.get(2)?, rows::version(place, seq, row.get(4)?)?);
        let link = Link { at_ms, scope: &scope, kind: &kind, version, content: Content::Body(&body) };
        let end = old.extend(&link);
        if rows::stored(place, end.seq)? != seq || end.chain != rows::checksum(place, seq, row.get(6)?)? {
            return Err(rows::mismatch(place, seq));
        }
        let salt = new_salt();
        let hash = body_hash(&salt, &body);
        let Tip { chain, .. } = new.extend(&Link { content: Content::Hash(&hash), ..link });
        insert.execute(params![seq, scope, at_ms, kind, version, salt, body, hash, chain])?;
    }
    Ok(())
}
