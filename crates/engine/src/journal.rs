//! One scope of the ledger: its events, the state they fold to, and the only way to add to them.
//!
//! Everything is stored through a journal, by the engine and by every command: secrets are taken out, the machine is
//! asked, the row of the board is made, and all of it is stored in one transaction or not at all. Start at
//! [`Journal::open`] and [`Journal::append`]; what a person says is stored through `person`.

#[cfg(test)]
mod tests;

use crate::ending::EngineError;
use crate::ports::{Append, Clock, ForeignOrigin, Store, Workspace};
use crate::progress::Progress;
use crate::undone::{self, Undone};
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{Loop, Rejected};
use redraft_facts::event::{Entry, Event};
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::Scope;
use redraft_reports::projections;

/// Where events go, and what is done to them on the way.
#[derive(Clone, Copy)]
pub struct Writer<'a> {
    pub store: &'a dyn Store,
    pub clock: &'a dyn Clock,
    /// Takes secrets out of every text.
    pub redactor: &'a Redactor,
}

/// The receiver of what is stored.
#[derive(Clone, Copy)]
pub(crate) struct Listener<'a> {
    pub(crate) progress: &'a dyn Progress,
    /// The worktree whose undone changes a person may want back; none where they are of no use to anybody.
    pub(crate) worktree: Option<&'a dyn Workspace>,
}

/// One scope of the ledger.
pub struct Journal<'a> {
    writer: Writer<'a>,
    scope: Scope,
    entries: Vec<Entry>,
    state: Pipeline,
    listener: Option<Listener<'a>>,
    undone: Vec<Undone>,
}

impl<'a> Journal<'a> {
    /// Reads and folds what is stored of a scope, which may be nothing.
    pub fn open(writer: Writer<'a>, scope: Scope) -> Result<Journal<'a>, EngineError> {
        let entries = writer.store.read(scope.clone())?;
        let mut state = Pipeline::default();
        for entry in &entries {
            if is_driven(&scope) {
                let folded = pipeline::fold(&mut state, &entry.event);
                folded.map_err(|rejected| EngineError::History { seq: entry.seq, rejected })?;
            }
            state.seq = entry.seq;
        }
        Ok(Journal { writer, scope, entries, state, listener: None, undone: Vec::new() })
    }

    /// Reports everything that is stored from now on to a listener.
    pub(crate) fn with_listener(mut self, listener: Listener<'a>) -> Journal<'a> {
        self.listener = Some(listener);
        self
    }

    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn state(&self) -> &Pipeline {
        &self.state
    }

    /// The number of its last event; 0 where there is none.
    pub fn seq(&self) -> u64 {
        self.state.seq
    }

    pub(crate) fn writer(&self) -> Writer<'a> {
        self.writer
    }

    /// What was undone in the worktree since it was opened.
    pub(crate) fn undone(&self) -> &[Undone] {
        &self.undone
    }

    pub(crate) fn open_loop(&self) -> Result<&Loop, EngineError> {
        self.state.open.as_ref().ok_or_else(EngineError::no_open_loop)
    }

    /// The state after these events, or why the machine does not accept them. Nothing is stored.
    pub fn after(&self, events: &[Event]) -> Result<Pipeline, Rejected> {
        let mut state = self.state.clone();
        for event in events {
            pipeline::fold(&mut state, event)?;
        }
        Ok(state)
    }

    /// Stores one fact.
    pub fn record(&mut self, event: impl Into<Event>) -> Result<(), EngineError> {
        self.append(vec![event.into()], &[])
    }

    /// Makes one transition: the machine checks it first, it is stored as a whole with the bytes that the events name,
    /// then folded in.
    pub fn append(&mut self, events: Vec<Event>, blobs: &[Vec<u8>]) -> Result<(), EngineError> {
        self.append_at(self.writer.clock.now_ms(), events, blobs)
    }

    pub(crate) fn append_at(
        &mut self,
        at_ms: i64,
        events: Vec<Event>,
        blobs: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        self.append_from(at_ms, None, events, blobs)
    }

    /// Adds what another clone has written, as it stands there, with the texts that came with it.
    pub fn take_over(
        &mut self,
        clone: &str,
        (at_ms, events): (&[i64], Vec<Event>),
        blobs: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        self.append_from(self.writer.clock.now_ms(), Some(ForeignOrigin { clone, at_ms }), events, blobs)
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that stores events")]
    fn append_from(
        &mut self,
        at_ms: i64,
        elsewhere: Option<ForeignOrigin<'_>>,
        mut events: Vec<Event>,
        blobs: &[Vec<u8>],
    ) -> Result<(), EngineError> {
        // The state must be that of the stored events.
        events.iter_mut().for_each(|event| event.redact(self.writer.redactor));
        let mut states: Vec<Pipeline> = Vec::new();
        for event in events.iter().filter(|_| is_driven(&self.scope)) {
            let last = states.last().unwrap_or(&self.state);
            states.push(pipeline::step(last, event).map_err(EngineError::Bug)?);
        }
        let last_ms = elsewhere.and_then(|from| from.at_ms.last().copied()).unwrap_or(at_ms);
        let board = states.last().map(|state| projections::board_row(state, last_ms));
        let stored = self.writer.store.append(Append {
            scope: self.scope.clone(),
            decided_on: self.state.seq,
            at_ms,
            events: &events,
            blobs,
            board: board.as_deref(),
            elsewhere,
        })?;
        let mut states = states.into_iter();
        for entry in stored {
            self.state = states.next().unwrap_or_default();
            self.state.seq = entry.seq;
            self.tell(&entry);
            self.entries.push(entry);
        }
        Ok(())
    }

    fn tell(&mut self, entry: &Entry) {
        let Some(Listener { progress, worktree }) = self.listener else { return };
        progress.stored(entry, &self.state);
        let Some(worktree) = worktree else { return };
        if let Some((ticket, what)) = undone::told_by(&entry.event) {
            let reference = worktree.lost_ref(&ticket.to_string());
            let folder = worktree.folder().display().to_string();
            let command = undone::command(&folder, &reference, what);
            let undone = Undone { ticket: ticket.clone(), what: what.to_vec(), reference, command };
            progress.undone(&undone);
            self.undone.push(undone);
        }
    }
}

/// Whether the machine folds the events of a scope. Events about an agent or the repository only inform.
fn is_driven(scope: &Scope) -> bool {
    match scope {
        Scope::Feature(_) | Scope::Review(_) => true,
        Scope::Agent(_) | Scope::Repo => false,
    }
}
