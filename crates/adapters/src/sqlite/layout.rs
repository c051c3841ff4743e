//! The tables of the ledger and the version of their layout.
//!
//! A change here raises [`VERSION`], comes with code that brings older files up, and keeps a file of the old layout as
//! a fixture. The file names its layout in `user_version`, and itself in `application_id`.

use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};
use uuid::Uuid;

/// The layout this program writes.
pub(super) const VERSION: u32 = 1;

/// `RDFT`, by which `file` and we recognise a ledger among other SQLite files.
const APPLICATION: u32 = 0x5244_4654;

/// Key in `meta`: the version of the program that gave the file its present layout.
pub(super) const PROGRAM: &str = "program";

/// Key in `meta`: the random namespace of session names.
pub(super) const NAMESPACE: &str = "namespace";

/// Key in `meta`: the random id under which this clone writes events.
pub(super) const WRITER: &str = "writer";

/// What the chain covers of an event is in [`super::chain`]. An event whose body was replaced has no salt; what it is
/// now is checked against its newest row in `redactions`. A signature, where there is one, is of the checksum.
const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE blobs (id TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    writer TEXT NOT NULL,
    scope TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    kind_version INTEGER NOT NULL,
    salt BLOB,
    body TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    chain BLOB NOT NULL,
    signature BLOB
) STRICT;
CREATE INDEX events_by_scope ON events (scope, seq);
CREATE TABLE redactions (
    seq INTEGER NOT NULL,
    by_seq INTEGER NOT NULL,
    salt BLOB,
    hash BLOB NOT NULL,
    PRIMARY KEY (seq, by_seq)
) STRICT, WITHOUT ROWID;
";

/// The triggers keep history as it is even from a person with an SQLite shell: nothing is changed or removed,
/// and a number is neither left out nor used twice (which `INSERT OR REPLACE` would otherwise do unseen). The one
/// exception is a redaction: the last event says so and names the hash of every body that it replaces.
const TRIGGERS: &str = "
CREATE TRIGGER events_in_order BEFORE INSERT ON events
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
    BEGIN SELECT RAISE(ABORT, 'events are only added at the end'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
CREATE TRIGGER events_never_change BEFORE UPDATE ON events
    WHEN NOT (NEW.seq IS OLD.seq AND NEW.writer IS OLD.writer AND NEW.scope IS OLD.scope AND NEW.at_ms IS OLD.at_ms
        AND NEW.kind IS OLD.kind AND NEW.kind_version IS OLD.kind_version AND NEW.body_hash IS OLD.body_hash
        AND NEW.chain IS OLD.chain AND NEW.signature IS OLD.signature AND NEW.salt IS NULL AND EXISTS (SELECT 1 FROM redactions
            WHERE seq = NEW.seq AND by_seq = (SELECT max(seq) FROM events)))
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER blobs_once BEFORE INSERT ON blobs
    WHEN EXISTS (SELECT 1 FROM blobs WHERE id = NEW.id)
    BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER redactions_are_events BEFORE INSERT ON redactions
    WHEN NOT EXISTS (SELECT 1 FROM events WHERE seq = NEW.by_seq AND kind = 'redacted'
        AND seq = (SELECT max(seq) FROM events) AND NEW.seq < seq AND instr(body, lower(hex(NEW.hash))) > 0)
    BEGIN SELECT RAISE(ABORT, 'what is redacted is named by the last event'); END;
CREATE TRIGGER redactions_stay BEFORE DELETE ON redactions
    BEGIN SELECT RAISE(ABORT, 'redactions are never removed'); END;
CREATE TRIGGER redactions_never_change BEFORE UPDATE ON redactions
    WHEN NOT (NEW.seq IS OLD.seq AND NEW.by_seq IS OLD.by_seq AND NEW.hash IS OLD.hash AND NEW.salt IS NULL
        AND EXISTS (SELECT 1 FROM redactions AS later WHERE later.seq = OLD.seq AND later.by_seq > OLD.by_seq))
    BEGIN SELECT RAISE(ABORT, 'redactions are never changed'); END;
CREATE TRIGGER blobs_stay BEFORE DELETE ON blobs
    WHEN (SELECT kind FROM events ORDER BY seq DESC LIMIT 1) IS NOT 'redacted'
    BEGIN SELECT RAISE(ABORT, 'blobs are never removed'); END;
CREATE TRIGGER blobs_never_change BEFORE UPDATE ON blobs
    BEGIN SELECT RAISE(ABORT, 'blobs are never changed'); END;
";

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// An empty file, or one whose creation was interrupted.
    Nothing,
    Ours {
        layout: u32,
    },
    Foreign,
}

pub(super) fn inspect(connection: &Connection) -> rusqlite::Result<Found> {
    // One statement, so that another process cannot create the tables between two looks.
    let sql = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
        FROM pragma_application_id, pragma_user_version";
    let look = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
    let (application, layout, objects) = connection.query_row(sql, [], look)?;
    Ok(match u32::try_from(layout) {
        Ok(layout) if layout > 0 && application == i64::from(APPLICATION) => Found::Ours { layout },
        Ok(0) if application == 0 && objects == 0 => Found::Nothing,
        _ => Found::Foreign,
    })
}

/// Creates the tables, unless another process was faster.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if inspect(&transaction)? != Found::Nothing {
        return Ok(());
    }
    for sql in [TABLES, TRIGGERS] {
        transaction.execute_batch(sql)?;
    }
    create_board(&transaction)?;
    let mut insert = transaction.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2)")?;
    insert.execute(params![PROGRAM, env!("CARGO_PKG_VERSION")])?;
    insert.execute(params![NAMESPACE, Uuid::new_v4().to_string()])?;
    insert.execute(params![WRITER, Uuid::new_v4().to_string()])?;
    drop(insert);
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

pub(super) fn has_board(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'board')";
    connection.prepare_cached(sql)?.query_row([], |row| row.get(0))
}

/// The board is a projection: it can be dropped at any time and is rebuilt from the events.
pub(super) fn create_board(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS board
            (scope TEXT PRIMARY KEY, seq INTEGER NOT NULL, row TEXT NOT NULL) STRICT",
    )
}

pub(super) fn drop_board(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("DROP TABLE IF EXISTS board")
}

/// Which program is needed for a layout later than ours.
pub(super) fn needs(layout: u32, program: Option<&str>) -> String {
    let program = program.unwrap_or("of that layout");
    let ours = env!("CARGO_PKG_VERSION");
    let theirs = format!("it has layout {layout}, and redraft {ours} writes layout {VERSION}");
    format!("{theirs}; use redraft {program} or later to continue")
}
