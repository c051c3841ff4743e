//! The ledger as the engine sees it.

use super::chain::Chain;
use super::failure::Failure;
use super::{Ledger, layout, rows};
use redraft_engine::ports::{Append, Store, StoreError};
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::BlobId;
use redraft_facts::redact::Redactor;
use redraft_facts::text::hash;
use redraft_facts::ticket::Scope;
use rusqlite::{Connection, OptionalExtension as _};
use uuid::Uuid;

impl Ledger {
    /// Fails unless the user's key vouches for these events; without a key nobody asks.
    fn vouch(&self, connection: &Connection, events: impl Iterator<Item = u64>) -> Result<(), Failure> {
        match &self.vouching {
            Some(vouching) => vouching.vouch(&self.place, connection, events),
            None => Ok(()),
        }
    }
}

impl Store for Ledger {
    fn read(&self, scope: Scope) -> Result<Vec<Entry>, StoreError> {
        self.ask(|connection| {
            let entries = rows::of_scope(&self.place, connection, &scope)?;
            self.vouch(connection, entries.iter().map(|entry| entry.seq))?;
            Ok(entries)
        })
    }

    fn each_of(&self, kinds: &[&str], f: &mut dyn FnMut(&Scope, &Entry)) -> Result<(), StoreError> {
        let mut after = 0;
        loop {
            let page = self.ask(|connection| {
                let page = rows::page_of(&self.place, connection, kinds, after)?;
                self.vouch(connection, page.entries.iter().map(|(_, entry)| entry.seq))?;
                Ok(page)
            })?;
            let Some(last) = page.last else { return Ok(()) };
            for (scope, entry) in &page.entries {
                f(scope, entry);
            }
            after = last;
        }
    }

    fn append(&self, append: Append<'_>) -> Result<Vec<Entry>, StoreError> {
        if let Some(barrier) = &self.barrier
            && append.events.iter().any(Event::depends_on_files)
        {
            let held = barrier.hold();
            held.map_err(|error| self.place.of_io("writing to disk what its next event refers to", &error))?;
        }
        // The one place that every text passes on its way in. Values that only a run knows were hidden by it before.
        let mut events = append.events.to_vec();
        events.iter_mut().for_each(|event| event.redact(&Redactor::default()));
        let append = Append { events: &events, ..append };
        let (entries, tip) = self.change(|connection| {
            let Append { scope, decided_on, at_ms, events, blobs, board, elsewhere } = append;
            let found = rows::last_seq(&self.place, connection, &scope)?;
            if found != decided_on {
                return Err(StoreError::Moved { scope, decided_on, found }.into());
            }
            let vouching = self.vouching.as_ref();
            vouching.map_or(Ok(()), |vouching| vouching.require(&self.place, connection))?;
            rows::put_blobs(connection, blobs)?;
            let mut chain = Chain::after(rows::tip(&self.place, connection)?);
            let key = vouching.map(|vouching| &vouching.key);
            let entries =
                rows::put(&self.place, connection, &mut chain, key, &scope, (at_ms, elsewhere), events)?;
            // A missing board stays missing: with this row alone it would look complete.
            if let Some(row) = board
                && layout::has_board(connection)?
            {
                let seq = entries.last().map_or(found, |entry| entry.seq);
                rows::put_board(&self.place, connection, &scope, seq, row)?;
            }
            Ok((entries, chain.tip()))
        })?;
        self.note_end(tip);
        Ok(entries)
    }

    fn blob(&self, id: &BlobId) -> Result<Vec<u8>, StoreError> {
        let bytes = self.ask(|connection| Ok(rows::blob(connection, id).optional()?))?;
        let Some(bytes) = bytes else {
            return Err(self.place.damaged(format!("it has no blob {id}")));
        };
        if hash(&bytes) != *id {
            return Err(self.place.damaged(format!("blob {id} does not match its name")));
        }
        Ok(bytes)
    }

    fn session_name(&self, words: &str) -> String {
        Uuid::new_v5(&self.namespace, words.as_bytes()).to_string()
    }
}
