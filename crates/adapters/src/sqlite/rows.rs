//! The statements: every row read from or written to the ledger goes through here.
//!
//! Functions take a connection that is already open and, for changes, inside a transaction. Statements that every
//! append needs are kept by the connection.

use super::body_check::covered;
use super::chain::{Chain, Link, Tip, body_hash, new_salt};
use super::columns::{checksum, decoded, mismatch, number, scope, stored, version};
use super::entry_key::EntryKey;
use super::failure::{Failure, Place};
use super::{checkpoint, layout};
use redraft_engine::ports::{ForeignOrigin, StoreError};
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::BlobId;
use redraft_facts::text::hash;
use redraft_facts::ticket::Scope;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Events handed over at a time when all of them are read.
const PAGE: i64 = 64;

/// An event and what it is checked against when it is read: its own checksum, the one before it, and what stands for
/// its body in the chain.
pub(super) const COLUMNS: &str = "seq, scope, at_ms, kind, kind_version, body, chain,
    (SELECT chain FROM events AS before WHERE before.seq = events.seq - 1), salt, body_hash, writer";

pub(super) const BOARD: &str = "SELECT scope, seq, row FROM board ORDER BY scope";

pub(super) fn meta(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    connection.query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0)).optional()
}

pub(super) fn tip(place: &Place, connection: &Connection) -> Result<Tip, Failure> {
    let sql = "SELECT seq, chain FROM events ORDER BY seq DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((seq, chain)) = found else { return Ok(Tip::default()) };
    Ok(Tip { seq: number(place, seq)?, chain: checksum(place, seq, chain)? })
}

/// Asked before every append.
pub(super) const LAST_SEQ: &str = "SELECT coalesce(max(seq), 0) FROM events WHERE scope = ?1";

pub(super) fn last_seq(place: &Place, connection: &Connection, scope: &Scope) -> Result<u64, Failure> {
    number(place, connection.prepare_cached(LAST_SEQ)?.query_row([scope.to_string()], |row| row.get(0))?)
}

/// Jumps from scope to scope along the index instead of looking at every event.
pub(super) fn scopes(place: &Place, connection: &Connection) -> Result<Vec<Scope>, Failure> {
    let sql = "WITH RECURSIVE found (scope) AS (
            SELECT min(scope) FROM events
            UNION ALL
            SELECT (SELECT min(scope) FROM events WHERE events.scope > found.scope)
            FROM found WHERE found.scope IS NOT NULL
        ) SELECT scope FROM found WHERE scope IS NOT NULL";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut scopes = Vec::new();
    while let Some(row) = rows.next()? {
        scopes.push(scope(place, &row.get::<_, String>(0)?)?);
    }
    Ok(scopes)
}

/// All events of a scope, each checked against its checksum, and none missing that was there at the checkpoint.
pub(super) fn of_scope(place: &Place, connection: &Connection, scope: &Scope) -> Result<Vec<Entry>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM events WHERE scope = ?1 ORDER BY seq");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([scope.to_string()])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(entry(place, connection, row)?.1);
    }
    if let Some((seq, known)) = checkpoint::of_scope(place, connection, scope)? {
        let found = entries.iter().filter(|entry| entry.seq <= seq).count();
        if found as u64 != known {
            let detail = format!("{scope} had {known} events up to event {seq}, of which {found} are left");
            return Err(place.damaged(detail).into());
        }
    }
    Ok(entries)
}

/// The next few events after a number, of all scopes.
pub(super) fn page(
    place: &Place,
    connection: &Connection,
    after: u64,
) -> Result<Vec<(Scope, Entry)>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query(params![stored(place, after)?, PAGE])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(entry(place, connection, row)?);
    }
    Ok(entries)
}

/// An event as it is stored.
pub(super) struct Body {
    pub(super) seq: u64,
    pub(super) scope: String,
    pub(super) kind: String,
    pub(super) version: u16,
    pub(super) body: String,
}

/// The next few events after a number as they are stored.
pub(super) fn bodies(place: &Place, connection: &Connection, after: u64) -> Result<Vec<Body>, Failure> {
    let sql = "SELECT seq, scope, kind, kind_version, body FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![stored(place, after)?, PAGE])?;
    let mut bodies = Vec::new();
    while let Some(row) = rows.next()? {
        let seq: i64 = row.get(0)?;
        bodies.push(Body {
            seq: number(place, seq)?,
            scope: row.get(1)?,
            kind: row.get(2)?,
            version: version(place, seq, row.get(3)?)?,
            body: row.get(4)?,
        });
    }
    Ok(bodies)
}

pub(super) fn blob_ids(connection: &Connection) -> Result<Vec<BlobId>, Failure> {
    let mut statement = connection.prepare("SELECT id FROM blobs ORDER BY rowid")?;
    let mut rows = statement.query([])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        ids.push(BlobId::new(row.get::<_, String>(0)?));
    }
    Ok(ids)
}

/// Some events, and the number of the last one looked at; none at the end.
pub(super) struct Page {
    pub(super) entries: Vec<(Scope, Entry)>,
    pub(super) last: Option<u64>,
}

/// The next few events of some kinds after a number. What only a newer program can read is left out.
pub(super) fn page_of(
    place: &Place,
    connection: &Connection,
    kinds: &[&str],
    after: u64,
) -> Result<Page, Failure> {
    let wanted = vec!["?"; kinds.len()].join(", ");
    let sql =
        format!("SELECT {COLUMNS} FROM events WHERE kind IN ({wanted}) AND seq > ? ORDER BY seq LIMIT ?");
    let mut statement = connection.prepare(&sql)?;
    for (at, kind) in kinds.iter().enumerate() {
        statement.raw_bind_parameter(at + 1, kind)?;
    }
    statement.raw_bind_parameter(kinds.len() + 1, stored(place, after)?)?;
    statement.raw_bind_parameter(kinds.len() + 2, PAGE)?;
    let mut rows = statement.raw_query();
    let mut page = Page { entries: Vec::new(), last: None };
    while let Some(row) = rows.next()? {
        page.last = Some(number(place, row.get(0)?)?);
        match entry(place, connection, row) {
            Ok(found) => page.entries.push(found),
            Err(Failure::Store(StoreError::Newer { .. })) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(page)
}

/// Takes the columns of a new event in their order.
pub(super) const INSERT: &str =
    "INSERT INTO events (seq, writer, scope, at_ms, kind, kind_version, salt, body, body_hash, chain, signature)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// Puts events that this clone writes now.
pub(super) fn put_events(
    place: &Place,
    connection: &Connection,
    chain: &mut Chain,
    key: Option<&EntryKey>,
    scope: &Scope,
    at_ms: i64,
    events: &[Event],
) -> Result<Vec<Entry>, Failure> {
    put(place, connection, chain, key, scope, (at_ms, None), events)
}

/// The same for events that may come from another clone, with their own times.
pub(super) fn put(
    place: &Place,
    connection: &Connection,
    chain: &mut Chain,
    key: Option<&EntryKey>,
    scope: &Scope,
    (now_ms, elsewhere): (i64, Option<ForeignOrigin<'_>>),
    events: &[Event],
) -> Result<Vec<Entry>, Failure> {
    let mut insert = connection.prepare_cached(INSERT)?;
    let writer = elsewhere.map_or_else(|| writer(place, connection), |from| Ok(from.clone.to_owned()))?;
    let scope = scope.to_string();
    let mut entries = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        let at_ms = elsewhere.and_then(|from| from.at_ms.get(at).copied()).unwrap_or(now_ms);
        let (kind, version, body) = (event.kind(), event.version(), event.encode());
        let salt = new_salt();
        let hash = body_hash(&salt, &body);
        let link = Link { writer: &writer, at_ms, scope: &scope, kind, version, body_hash: &hash };
        let tip @ Tip { seq, chain } = chain.extend(&link);
        let number = stored(place, seq)?;
        let signature = key.map(|key| key.sign(tip, &scope));
        insert.execute(params![
            number, writer, scope, at_ms, kind, version, salt, body, hash, chain, signature
        ])?;
        entries.push(Entry { seq, at_ms, event: event.clone() });
    }
    Ok(entries)
}

/// The id under which this clone writes.
pub(super) fn writer(place: &Place, connection: &Connection) -> Result<String, Failure> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    let found = statement.query_row([layout::WRITER], |row| row.get(0)).optional()?;
    found.ok_or_else(|| place.damaged("the id under which this clone writes is missing").into())
}

pub(super) fn blob(connection: &Connection, id: &BlobId) -> rusqlite::Result<Vec<u8>> {
    let mut statement = connection.prepare_cached("SELECT bytes FROM blobs WHERE id = ?1")?;
    statement.query_row([id.as_str()], |row| row.get(0))
}

pub(super) fn has_blob(connection: &Connection, id: &BlobId) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM blobs WHERE id = ?1)")?;
    statement.query_row([id.as_str()], |row| row.get(0))
}

/// Whether an import has recorded that a blob was lost before it.
pub(super) fn is_lost(place: &Place, connection: &Connection, id: &BlobId) -> Result<bool, Failure> {
    let sql = "SELECT seq, kind_version, body FROM events WHERE kind = 'unreadable'";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (seq, body): (i64, String) = (row.get(0)?, row.get(2)?);
        let event = decoded(place, seq, "unreadable", version(place, seq, row.get(1)?)?, &body)?;
        if matches!(event, Event::Unreadable(lost) if lost.blob.as_ref() == Some(id)) {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) fn put_blobs(connection: &Connection, blobs: &[Vec<u8>]) -> Result<(), Failure> {
    let mut insert = connection.prepare_cached("INSERT OR IGNORE INTO blobs (id, bytes) VALUES (?1, ?2)")?;
    for bytes in blobs {
        insert.execute(params![hash(bytes).as_str(), bytes])?;
    }
    Ok(())
}

pub(super) fn board(place: &Place, connection: &Connection) -> Result<Vec<(Scope, u64, String)>, Failure> {
    if !layout::has_board(connection)? {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare(BOARD)?;
    let mut rows = statement.query([])?;
    let mut board = Vec::new();
    while let Some(row) = rows.next()? {
        board.push((scope(place, &row.get::<_, String>(0)?)?, number(place, row.get(1)?)?, row.get(2)?));
    }
    Ok(board)
}

pub(super) fn put_board(
    place: &Place,
    connection: &Connection,
    scope: &Scope,
    seq: u64,
    row: &str,
) -> Result<(), Failure> {
    let sql = "INSERT INTO board (scope, seq, row) VALUES (?1, ?2, ?3)
        ON CONFLICT (scope) DO UPDATE SET seq = excluded.seq, row = excluded.row";
    connection.prepare_cached(sql)?.execute(params![scope.to_string(), stored(place, seq)?, row])?;
    Ok(())
}

fn entry(place: &Place, connection: &Connection, row: &Row<'_>) -> Result<(Scope, Entry), Failure> {
    let seq: i64 = row.get(0)?;
    let scope = scope(place, row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
    let kind = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
    let body = row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?;
    let version = version(place, seq, row.get(4)?)?;
    // First what a newer program may have written, then whether it is what was written.
    let event = decoded(place, seq, kind, version, body)?;
    let at_ms = row.get(2)?;
    let entry = Entry { seq: number(place, seq)?, at_ms, event };
    let before = before(place, entry.seq, row.get(7)?)?;
    let hash = covered(place, connection, entry.seq, row.get(8)?, body, row.get(9)?)?;
    let word = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    let writer = row.get_ref(10)?.as_str().map_err(rusqlite::Error::from)?;
    let link = Link { writer, at_ms, scope: word, kind, version, body_hash: &hash };
    if Chain::after(before).extend(&link).chain != checksum(place, seq, row.get(6)?)? {
        return Err(mismatch(place, seq));
    }
    Ok((scope, entry))
}

/// The end of the chain before an event.
fn before(place: &Place, seq: u64, chain: Option<Vec<u8>>) -> Result<Tip, Failure> {
    let last = seq.saturating_sub(1);
    match chain {
        Some(chain) => Ok(Tip { seq: last, chain: checksum(place, stored(place, last)?, chain)? }),
        None if last == 0 => Ok(Tip::default()),
        None => Err(place.damaged(format!("event {last} is missing; the next one is {seq}")).into()),
    }
}
