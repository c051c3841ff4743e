//! Makes a ledger of exported lines.
//!
//! Without a loss it is the same ledger. With one, every scope keeps its events up to the first lost one; that one and
//! those after it are replaced by a note that they are lost, under the same numbers, because commits name them. What
//! the run then finds in the worktree beyond what the ledger knows counts as an edit, and is reviewed again.

use super::{BlobLine, EventLine, Header, Line, LostLine, NAME, RedactionLine, Resumed, VERSION, unhex};
use crate::sqlite::chain::{Chain, Link, Tip};
use crate::sqlite::failure::{Failure, Place};
use crate::sqlite::{Ledger, OpenMode, amend, columns, layout, rows};
use redraft_core::pipeline::{self, Pipeline};
use redraft_engine::ports::StoreError;
use redraft_facts::event::{Event, Unreadable};
use redraft_facts::ids::BlobId;
use redraft_facts::text::{hash, one_line};
use redraft_facts::ticket::Scope;
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::path::Path;

/// More than the longest line a ledger can have.
const LINE_BYTES_MAX: u64 = 1 << 30;

pub(super) fn import(folder: &Path, lines: &mut dyn BufRead, now_ms: i64) -> Result<Resumed, StoreError> {
    let place = Place::new(&Ledger::file(folder));
    if Ledger::file(folder).symlink_metadata().is_ok() {
        return Err(place.other("it is there already"));
    }
    let mut lines = Source { place: &place, lines, number: 0 };
    let header: Header = lines.parsed()?.ok_or_else(|| lines.wrong("it is empty"))?;
    if header.file != NAME || header.v != VERSION || header.layout > layout::VERSION {
        return Err(lines.wrong(&format!(
            "it is `{}`, version {}, layout {}, and this redraft reads `{NAME}`, version {VERSION}, layout {}",
            one_line(&header.file, 40),
            header.v,
            header.layout,
            layout::VERSION
        )));
    }
    let ledger = Ledger::open(folder, OpenMode::Write)?;
    let resumed = ledger.change(|connection| {
        for (key, value) in [(layout::NAMESPACE, &header.namespace), (layout::WRITER, &header.writer)] {
            if !value.is_empty() {
                connection.execute("UPDATE meta SET value = ?2 WHERE key = ?1", params![key, value])?;
            }
        }
        let mut reader = Reader {
            place: &place,
            connection,
            now_ms,
            number: 0,
            chain: Chain::after(Tip::default()),
            scopes: BTreeMap::new(),
            is_whole: true,
            lost_blobs: Vec::new(),
            resumed: Resumed::default(),
        };
        let lines = unanswered(lines.all()?);
        reader.all(&lines)?;
        Ok(reader.resumed)
    })?;
    drop(ledger);
    Ledger::open(folder, OpenMode::ReadOnly)?.verify()?;
    Ok(resumed)
}

struct Source<'a> {
    place: &'a Place,
    lines: &'a mut dyn BufRead,
    number: u64,
}

impl Source<'_> {
    /// The next line; none at the end.
    fn parsed<T: serde::de::DeserializeOwned>(&mut self) -> Result<Option<T>, StoreError> {
        let mut line = Vec::new();
        let mut bounded = std::io::Read::take(&mut *self.lines, LINE_BYTES_MAX);
        let read = bounded.read_until(b'\n', &mut line);
        read.map_err(|error| self.place.of_io("reading the exported file", &error))?;
        self.number += 1;
        if line.is_empty() {
            return Ok(None);
        }
        serde_json::from_slice(&line).map(Some).map_err(|error| self.wrong(&error.to_string()))
    }

    /// All other lines, up to the end that the last one states.
    fn all(&mut self) -> Result<Lines<'_>, StoreError> {
        let mut lines = Vec::new();
        loop {
            match self.parsed()? {
                Some(Line::End { events, blobs, .. }) => {
                    return Ok(Lines { place: self.place, lines, events, blobs });
                }
                Some(line) => lines.push((self.number, line)),
                None => return Err(self.wrong("its end is missing; export it again")),
            }
        }
    }

    fn wrong(&self, detail: &str) -> StoreError {
        wrong(self.place, self.number, detail)
    }
}

fn wrong(place: &Place, number: u64, detail: &str) -> StoreError {
    place.other(format!("the exported file cannot be used, line {number}: {detail}"))
}

/// What was read, each line with its number, and how many events and blobs there should be.
struct Lines<'a> {
    place: &'a Place,
    lines: Vec<(u64, Line)>,
    events: u64,
    blobs: u64,
}

/// An answer that was not read yet and whose text is lost can no longer be read: it counts as lost itself, so that its
/// feature goes on from before it. An old one is only history.
fn unanswered(mut lines: Lines<'_>) -> Lines<'_> {
    let mut lost_blobs: BTreeSet<String> = BTreeSet::new();
    let mut first_lost: BTreeMap<String, u64> = BTreeMap::new();
    for (_, line) in &lines.lines {
        let Line::Lost(lost) = line else { continue };
        lost_blobs.extend(lost.blob.clone());
        if let Some(seq) = lost.seq {
            first_lost.entry(lost.scope.clone()).or_insert(seq);
        }
    }
    let ticket = |line: &EventLine| {
        let body: Option<serde_json::Value> = serde_json::from_str(&line.body).ok();
        body.and_then(|body| Some(body.get("ticket")?.as_str()?.to_owned()))
    };
    let mut read: BTreeSet<String> = BTreeSet::new();
    for (_, line) in &lines.lines {
        let Line::Event(event) = line else { continue };
        let concludes =
            matches!(event.kind.as_str(), "drafted" | "built" | "judged" | "retro-written" | "bank-judged");
        if concludes && first_lost.get(&event.scope).is_none_or(|lost| event.seq < *lost) {
            read.extend(ticket(event));
        }
    }
    for (_, line) in &mut lines.lines {
        let Line::Event(event) = line else { continue };
        let Ok(Event::Answered(answered)) = Event::decode(&event.kind, event.kind_version, &event.body)
        else {
            continue;
        };
        if lost_blobs.contains(answered.answer.as_str()) && !read.contains(&answered.ticket.to_string()) {
            let (seq, scope, kind) = (Some(event.seq), event.scope.clone(), event.kind.clone());
            let detail = "the text of this answer is lost, and nobody had read it".to_owned();
            *line = Line::Lost(LostLine { seq, scope, kind, detail, ..LostLine::default() });
        }
    }
    lines
}

/// How far a scope's history is whole.
enum Standing {
    /// Folded as far as it goes; boxed because it is large.
    Whole(Box<Pipeline>),
    /// It could not be folded before anything was lost; it is brought over as it is.
    Odd,
    /// An event of it is lost; `begun` if its first one is left.
    Cut { begun: bool },
}

struct Reader<'a> {
    place: &'a Place,
    connection: &'a Connection,
    now_ms: i64,
    /// The number of the line.
    number: u64,
    chain: Chain,
    scopes: BTreeMap<String, Standing>,
    /// Whether nothing was lost so far, so that the chain must come out the same.
    is_whole: bool,
    /// Recorded when all events are there.
    lost_blobs: Vec<Event>,
    resumed: Resumed,
}

impl Reader<'_> {
    fn all(&mut self, lines: &Lines<'_>) -> Result<(), Failure> {
        for (number, line) in &lines.lines {
            self.number = *number;
            match line {
                Line::Event(line) => self.event(line)?,
                Line::Redaction(line) => self.redaction(line)?,
                Line::Lost(line) => self.lost(line)?,
                Line::Blob(line) => self.blob(line)?,
                Line::End { .. } => {}
            }
        }
        let Resumed { events, blobs, lost } = self.resumed;
        if events + lost < lines.events || blobs != lines.blobs {
            return Err(self.wrong("there are fewer lines than it says; export it again").into());
        }
        let (scope, lost) = (Scope::Repo, std::mem::take(&mut self.lost_blobs));
        rows::put_events(lines.place, self.connection, &mut self.chain, None, &scope, self.now_ms, &lost)?;
        Ok(())
    }

    fn wrong(&self, detail: &str) -> StoreError {
        wrong(self.place, self.number, detail)
    }

    fn event(&mut self, line: &EventLine) -> Result<(), Failure> {
        self.require_next(line.seq)?;
        if let Err(detail) = self.accept(line) {
            self.is_whole = false;
            let lost = Event::from(Unreadable { kind: line.kind.clone(), detail, blob: None });
            return self.put_lost(&line.scope, line.at_ms, &lost);
        }
        let bytes = |text: &str| unhex(self.place, text);
        let salt = line.salt.as_deref().map(bytes).transpose()?;
        let signature = line.signature.as_deref().map(bytes).transpose()?;
        let number = columns::stored(self.place, line.seq)?;
        let hash = columns::checksum(self.place, number, bytes(&line.body_hash)?)?;
        let EventLine { writer, scope, at_ms, kind, kind_version, body, .. } = line;
        let link = Link { writer, at_ms: *at_ms, scope, kind, version: *kind_version, body_hash: &hash };
        let Tip { seq, chain } = self.chain.extend(&link);
        if self.is_whole && bytes(&line.chain)? != chain {
            return Err(self.wrong(&format!("event {seq} does not match its checksum")).into());
        }
        // After a loss the checksums are others, and a signature of the old one says nothing.
        let signature = signature.filter(|_| self.is_whole);
        let mut insert = self.connection.prepare_cached(rows::INSERT)?;
        insert.execute(params![
            number,
            writer,
            scope,
            at_ms,
            kind,
            kind_version,
            salt,
            body,
            hash,
            chain,
            signature
        ])?;
        self.resumed.events += 1;
        Ok(())
    }

    /// Whether an event can follow what is left of its scope; otherwise why not.
    fn accept(&mut self, line: &EventLine) -> Result<(), String> {
        let decoded = Event::decode(&line.kind, line.kind_version, &line.body);
        let (Ok(Scope::Feature(_) | Scope::Review(_)), Ok(event)) = (line.scope.parse(), decoded) else {
            // Facts about agents and the repository stand for themselves; what is newer is found by the check at the
            // end.
            return Ok(());
        };
        let standing =
            self.scopes.entry(line.scope.clone()).or_insert_with(|| Standing::Whole(Box::default()));
        let state = match standing {
            Standing::Whole(state) => state,
            Standing::Odd => return Ok(()),
            Standing::Cut { .. } => return Err("an event before it is lost".to_owned()),
        };
        // After an error the state means nothing, and the scope is cut there.
        let begun = state.created.is_some();
        match pipeline::fold(state, &event) {
            Ok(()) => Ok(()),
            Err(_) if self.is_whole => {
                *standing = Standing::Odd;
                Ok(())
            }
            Err(rejected) => {
                *standing = Standing::Cut { begun };
                Err(rejected.to_string())
            }
        }
    }

    fn lost(&mut self, line: &LostLine) -> Result<(), Failure> {
        let (kind, detail) = (line.kind.clone(), one_line(&line.detail, 400));
        let Some(seq) = line.seq else {
            let blob = line.blob.as_deref().map(BlobId::new);
            self.lost_blobs.push(Event::from(Unreadable { kind, detail, blob }));
            return Ok(());
        };
        self.require_next(seq)?;
        self.is_whole = false;
        self.put_lost(&line.scope, self.now_ms, &Event::from(Unreadable { kind, detail, blob: None }))
    }

    /// Stores that an event is lost, in its scope if anything is left of that.
    fn put_lost(&mut self, scope: &str, at_ms: i64, lost: &Event) -> Result<(), Failure> {
        let begun = match self.scopes.get(scope) {
            Some(Standing::Whole(state)) => state.created.is_some(),
            Some(Standing::Odd) => true,
            Some(Standing::Cut { begun }) => *begun,
            None => false,
        };
        let scope = match scope.parse::<Scope>() {
            Ok(Scope::Feature(_) | Scope::Review(_)) => {
                self.scopes.insert(scope.to_owned(), Standing::Cut { begun });
                scope.parse::<Scope>().ok().filter(|_| begun).unwrap_or(Scope::Repo)
            }
            Ok(scope) => scope,
            Err(_) => Scope::Repo,
        };
        rows::put_events(
            self.place,
            self.connection,
            &mut self.chain,
            None,
            &scope,
            at_ms,
            std::slice::from_ref(lost),
        )?;
        self.resumed.lost += 1;
        Ok(())
    }

    fn require_next(&self, seq: u64) -> Result<(), Failure> {
        let expected = self.chain.tip().seq + 1;
        if seq == expected {
            return Ok(());
        }
        Err(self.wrong(&format!("event {expected} is expected, not event {seq}")).into())
    }

    fn redaction(&self, line: &RedactionLine) -> Result<(), Failure> {
        let salt = line.salt.as_deref().map(|salt| unhex(self.place, salt)).transpose()?;
        let (seq, by_seq) =
            (columns::stored(self.place, line.seq)?, columns::stored(self.place, line.by_seq)?);
        amend::put(self.connection, seq, by_seq, salt.as_deref(), &unhex(self.place, &line.hash)?)
    }

    fn blob(&mut self, line: &BlobLine) -> Result<(), Failure> {
        let bytes = match (&line.text, &line.hex) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, hex) => unhex(self.place, hex.as_deref().unwrap_or_default())?,
        };
        if hash(&bytes).as_str() != line.id {
            let wrong = format!("blob {} does not match its name", one_line(&line.id, 80));
            return Err(self.wrong(&wrong).into());
        }
        rows::put_blobs(self.connection, &[bytes])?;
        self.resumed.blobs += 1;
        Ok(())
    }
}
