//! Writes the ledger as lines. Every row is read by itself, so that an unreadable page costs the rows on it and no
//! others.

use super::{BlobLine, EventLine, Export, Header, Line, LostLine, LostRecord, NAME, RedactionLine, VERSION};
use crate::sqlite::chain::{Chain, Link as ChainLink, Tip, hex};
use crate::sqlite::failure::{Failure, Place};
use crate::sqlite::opening::{self, Link};
use crate::sqlite::{BUSY, Ledger, body_check, columns, layout, rows};
use redraft_engine::ports::StoreError;
use redraft_facts::ids::BlobId;
use redraft_facts::text::hash;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// This many rows after the last known number may be missing before the ledger is taken to end there.
const BEYOND: u64 = 64;

pub(super) fn export(folder: &Path, out: &mut dyn Write) -> Result<Export, StoreError> {
    let path = Ledger::file(folder);
    let place = Place::new(&path);
    opening::present(&place, &path)?;
    let mut link = Link::read(&path, BUSY).map_err(|failure| place.explain(failure))?;
    // A question may be asked again if somebody writes meanwhile, so nothing is written before it is answered.
    let (bytes, export) = link
        .ask(|connection| {
            let mut writer = Writer { place: &place, bytes: Vec::new(), export: Export::default() };
            writer.all(connection)?;
            Ok((writer.bytes, writer.export))
        })
        .map_err(|failure| place.explain(failure))?;
    out.write_all(&bytes)
        .and_then(|()| out.flush())
        .map_err(|error| place.of_io("writing what it holds", &error))?;
    Ok(export)
}

struct Writer<'a> {
    place: &'a Place,
    bytes: Vec<u8>,
    export: Export,
}

impl Writer<'_> {
    fn all(&mut self, connection: &Connection) -> Result<(), Failure> {
        // In a file whose first page is not a ledger's, nothing can be recognised.
        let layout = match layout::inspect(connection)? {
            layout::Found::Ours { layout } if layout <= layout::VERSION => layout,
            layout::Found::Ours { layout } => {
                let needed = rows::meta(connection, layout::PROGRAM).ok().flatten();
                return Err(self.place.newer(layout::needs(layout, needed.as_deref())).into());
            }
            layout::Found::Nothing | layout::Found::Foreign => {
                return Err(self.place.damaged("it is not a ledger of redraft, or nothing is in it").into());
            }
        };
        let meta = |key| rows::meta(connection, key).ok().flatten().unwrap_or_default();
        let [program, namespace, writer] = [layout::PROGRAM, layout::NAMESPACE, layout::WRITER].map(meta);
        for (text, what) in [
            (&namespace, "the namespace of its session names"),
            (&writer, "the id under which this clone writes"),
        ] {
            if text.is_empty() {
                self.export
                    .lost
                    .push(LostRecord { what: what.to_owned(), detail: "it cannot be read".to_owned() });
            }
        }
        self.line(&Header { v: VERSION, file: NAME.to_owned(), layout, program, namespace, writer });
        self.events(connection);
        self.blobs(connection);
        let Export { events, blobs, ref lost } = self.export;
        let lost = lost.len() as u64;
        self.line(&Line::End { events, blobs, lost });
        Ok(())
    }

    fn events(&mut self, connection: &Connection) {
        let scopes = scopes(connection);
        let last = last_known(connection, &scopes);
        // The checksum of the event before: as it stands there, and as it was computed.
        let mut before = Some([Tip::default().chain; 2]);
        let (mut seq, mut missing) = (1, 0);
        while seq <= last || missing < BEYOND {
            match event(self.place, connection, seq) {
                Ok(Some(line)) => {
                    for gone in (seq - missing)..seq {
                        self.lose_event(gone, scopes.get(&gone), "it is missing".to_owned());
                    }
                    missing = 0;
                    before = Some(self.event(connection, line, before));
                }
                Ok(None) if seq > last => missing += 1,
                Ok(None) => {
                    self.lose_event(seq, scopes.get(&seq), "it is missing".to_owned());
                    before = None;
                }
                // Beyond the last number that is known an error says nothing about an event.
                Err(_) if seq > last => return,
                Err(failure) => {
                    let detail = self.place.explain(failure).to_string();
                    self.lose_event(seq, scopes.get(&seq), detail);
                    before = None;
                }
            }
            seq += 1;
        }
    }

    /// Writes an event, or that it is not what was stored. Returns its checksum, as it stands there and as it is
    /// computed.
    fn event(
        &mut self,
        connection: &Connection,
        line: EventLine,
        before: Option<[[u8; 32]; 2]>,
    ) -> [[u8; 32]; 2] {
        let stored = super::unhex(self.place, &line.chain).ok().and_then(|bytes| bytes.try_into().ok());
        let checked = self.checked(connection, &line);
        let computed: Vec<[u8; 32]> = before
            .iter()
            .flatten()
            .filter_map(|chain| {
                let link = ChainLink {
                    writer: &line.writer,
                    at_ms: line.at_ms,
                    scope: &line.scope,
                    kind: &line.kind,
                    version: line.kind_version,
                    body_hash: checked.as_ref().ok()?,
                };
                Some(Chain::after(Tip { seq: line.seq - 1, chain: *chain }).extend(&link).chain)
            })
            .collect();
        let stored: [u8; 32] = stored.unwrap_or_default();
        let wrong = match &checked {
            Err(detail) => Some(detail.clone()),
            // After a loss there is nothing to check the first event against.
            Ok(_) if before.is_none() || computed.contains(&stored) => None,
            Ok(_) => Some("it does not match its checksum".to_owned()),
        };
        let ends = [stored, computed.first().copied().unwrap_or(stored)];
        match wrong {
            Some(detail) => self.lose(LostLine {
                seq: Some(line.seq),
                scope: line.scope,
                kind: line.kind,
                body: line.body,
                detail,
                ..LostLine::default()
            }),
            None => {
                self.export.events += 1;
                let told = (line.kind == "redacted").then_some(line.seq);
                self.line(&Line::Event(line));
                for redaction in told.into_iter().flat_map(|seq| redactions(self.place, connection, seq)) {
                    self.line(&Line::Redaction(redaction));
                }
            }
        }
        ends
    }

    /// What stands for the body in the chain, if the body is what was stored and has the form of its kind.
    fn checked(&self, connection: &Connection, line: &EventLine) -> Result<[u8; 32], String> {
        let bytes = |text: &str| super::unhex(self.place, text);
        let salt = line.salt.as_deref().map(bytes).transpose();
        let covered = salt.and_then(|salt| Ok((salt, bytes(&line.body_hash)?))).map_err(Failure::from);
        let covered = covered.and_then(|(salt, hash)| {
            body_check::covered(self.place, connection, line.seq, salt, &line.body, hash)
        });
        let covered = covered.map_err(|failure| self.place.explain(failure).to_string())?;
        let seq = i64::try_from(line.seq).unwrap_or(i64::MAX);
        match columns::decoded(self.place, seq, &line.kind, line.kind_version, &line.body) {
            Err(error @ StoreError::Damaged { .. }) => Err(error.to_string()),
            // What only a newer program can read is not damaged.
            _ => Ok(covered),
        }
    }

    fn blobs(&mut self, connection: &Connection) {
        for id in ids(connection) {
            let bytes = rows::blob(connection, &id);
            let wrong = match &bytes {
                Err(error) => Some(error.to_string()),
                Ok(bytes) if hash(bytes) != id => Some("it does not match its name".to_owned()),
                Ok(_) => None,
            };
            match (bytes, wrong) {
                (Ok(bytes), None) => {
                    self.export.blobs += 1;
                    let (text, hex) = match String::from_utf8(bytes) {
                        Ok(text) => (Some(text), None),
                        Err(error) => (None, Some(hex(error.as_bytes()))),
                    };
                    self.line(&Line::Blob(BlobLine { id: id.to_string(), text, hex }));
                }
                (_, detail) => {
                    let detail = detail.unwrap_or_default();
                    self.lose(LostLine { blob: Some(id.to_string()), detail, ..LostLine::default() });
                }
            }
        }
    }

    fn lose_event(&mut self, seq: u64, scope: Option<&String>, detail: String) {
        let scope = scope.cloned().unwrap_or_default();
        self.lose(LostLine { seq: Some(seq), scope, detail, ..LostLine::default() });
    }

    fn lose(&mut self, line: LostLine) {
        let what = match (&line.seq, &line.blob) {
            (Some(seq), _) => format!("event {seq}"),
            (None, blob) => format!("blob {}", blob.as_deref().unwrap_or_default()),
        };
        self.export.lost.push(LostRecord { what, detail: line.detail.clone() });
        self.line(&Line::Lost(line));
    }

    fn line(&mut self, line: &impl serde::Serialize) {
        // Lines hold only texts, numbers and lists, which can always be written.
        self.bytes.extend(serde_json::to_vec(line).unwrap_or_default());
        self.bytes.push(b'\n');
    }
}

/// The scope of each event as the index knows it, which may be readable where the events are not.
fn scopes(connection: &Connection) -> BTreeMap<u64, String> {
    let mut found = BTreeMap::new();
    let sql = "SELECT seq, scope FROM events INDEXED BY events_by_scope ORDER BY scope, seq";
    let Ok(mut statement) = connection.prepare(sql) else { return found };
    let Ok(mut rows) = statement.query([]) else { return found };
    while let Ok(Some(row)) = rows.next() {
        if let (Ok(seq), Ok(scope)) = (row.get::<_, i64>(0), row.get(1)) {
            found.insert(u64::try_from(seq).unwrap_or_default(), scope);
        }
    }
    found
}

/// The largest number of an event that anything still knows of.
fn last_known(connection: &Connection, scopes: &BTreeMap<u64, String>) -> u64 {
    let tables = ["events", "checkpoint", "board"].map(|table| {
        let sql = format!("SELECT max(seq) FROM {table}");
        let found = connection.query_row(&sql, [], |row| row.get::<_, Option<i64>>(0));
        u64::try_from(found.ok().flatten().unwrap_or_default()).unwrap_or_default()
    });
    let known = tables.into_iter().chain(scopes.keys().next_back().copied());
    known.max().unwrap_or_default()
}

fn event(place: &Place, connection: &Connection, seq: u64) -> Result<Option<EventLine>, Failure> {
    let sql =
        "SELECT scope, at_ms, kind, kind_version, salt, body_hash, chain, body, writer, signature FROM events
        WHERE seq = ?1";
    let number = columns::stored(place, seq)?;
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([number], |row| {
        let (version, salt, hash): (i64, Option<Vec<u8>>, Vec<u8>) = (row.get(3)?, row.get(4)?, row.get(5)?);
        let signature: Option<Vec<u8>> = row.get(9)?;
        let line = EventLine {
            seq,
            writer: row.get(8)?,
            scope: row.get(0)?,
            at_ms: row.get(1)?,
            kind: row.get(2)?,
            kind_version: 0,
            salt: salt.as_deref().map(hex),
            body_hash: hex(&hash),
            chain: hex(&row.get::<_, Vec<u8>>(6)?),
            body: row.get(7)?,
            signature: signature.as_deref().map(hex),
        };
        Ok((line, version))
    });
    let Some((line, version)) = found.optional()? else { return Ok(None) };
    Ok(Some(EventLine { kind_version: columns::version(place, number, version)?, ..line }))
}

/// What a redaction replaced; nothing where that cannot be read, and then its events are not what was stored.
fn redactions(place: &Place, connection: &Connection, by_seq: u64) -> Vec<RedactionLine> {
    let read = || -> Result<Vec<RedactionLine>, Failure> {
        let mut statement =
            connection.prepare("SELECT seq, salt, hash FROM redactions WHERE by_seq = ?1 ORDER BY seq")?;
        let mut rows = statement.query([columns::stored(place, by_seq)?])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            let salt: Option<Vec<u8>> = row.get(1)?;
            lines.push(RedactionLine {
                seq: columns::number(place, row.get(0)?)?,
                by_seq,
                salt: salt.as_deref().map(hex),
                hash: hex(&row.get::<_, Vec<u8>>(2)?),
            });
        }
        Ok(lines)
    };
    read().unwrap_or_default()
}

/// The names of blobs, by the table and by its index: one may be readable where the other is not.
fn ids(connection: &Connection) -> Vec<BlobId> {
    let mut found = std::collections::BTreeSet::new();
    let mut ordered = Vec::new();
    for sql in ["SELECT id FROM blobs NOT INDEXED ORDER BY rowid", "SELECT id FROM blobs ORDER BY id"] {
        let Ok(mut statement) = connection.prepare(sql) else { continue };
        let Ok(mut rows) = statement.query([]) else { continue };
        while let Ok(Some(row)) = rows.next() {
            let Ok(id) = row.get::<_, String>(0) else { continue };
            if found.insert(id.clone()) {
                ordered.push(BlobId::new(id));
            }
        }
    }
    ordered
}
