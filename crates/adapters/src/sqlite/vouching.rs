//! Finds out whether the ledger is as this user's Redraft left it.
//!
//! Whoever signs an entry has made sure of the one before, so a last entry with the user's own signature vouches for the
//! whole chain. Without that, nothing more is written until a person has looked: an entry of another key, a signature
//! that is missing or wrong, an end that was cut off. An entry that is read on its own is vouched for by its own
//! signature, or by the chain up to the last one. Start at [`Vouching::doubt`].

use super::chain::{Chain, Tip, hex};
use super::columns::{checksum, number, stored};
use super::entry_key::{EntryKey, signed_by};
use super::failure::{Failure, Place};
use super::verify::{self, Depth};
use super::{layout, rows};
use crate::signing::{PublicKey, SignedHead};
use redraft_facts::event::{Event, SigningBegan};
use redraft_facts::ticket::Scope;
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use uuid::Uuid;

/// Consecutive entries with a signature of the same key, or without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    pub first: u64,
    pub last: u64,
    /// When its first entry was stored.
    pub since_ms: i64,
    pub signed: SignedBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedBy {
    Nobody,
    Key(PublicKey),
    /// The signature is of something else.
    Invalid,
}

/// Why the ledger is not taken to be as this user's Redraft left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The first entry that nothing vouches for.
    pub first: u64,
    pub detail: String,
}

/// What one process knows of the entries of a ledger.
#[derive(Debug)]
pub(super) struct Vouching {
    pub(super) key: EntryKey,
    /// Checksums of entries that the user's key vouches for.
    known: Mutex<BTreeMap<u64, [u8; 32]>>,
    /// How far it was signed. Read before the ledger is, because another process may add to both.
    head: Mutex<Option<SignedHead>>,
}

struct Signed {
    tip: Tip,
    scope: String,
    at_ms: i64,
    signature: Option<Vec<u8>>,
}

const COLUMNS: &str = "seq, chain, scope, at_ms, signature";

impl Vouching {
    pub(super) fn new(key: EntryKey) -> Vouching {
        let head = Mutex::new(key.signer.head());
        Vouching { key, known: Mutex::default(), head }
    }

    fn head(&self) -> MutexGuard<'_, Option<SignedHead>> {
        self.head.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<u64, [u8; 32]>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails unless the ledger may be added to.
    pub(super) fn require(&self, place: &Place, connection: &Connection) -> Result<(), Failure> {
        match self.doubt(place, connection)? {
            None => Ok(()),
            Some(doubt) => Err(place.unproven(doubt.detail).into()),
        }
    }

    /// Why nothing may be added; none where the last entry is the user's own, or nobody ever signed one here.
    pub(super) fn doubt(&self, place: &Place, connection: &Connection) -> Result<Option<Doubt>, Failure> {
        let last = last(place, connection)?;
        let tip = last.as_ref().map_or_else(Tip::default, |last| last.tip);
        let newest = self.known().last_key_value().map(|(seq, chain)| (*seq, hex(chain)));
        if newest.as_ref().is_some_and(|(seq, chain)| *seq == tip.seq && *chain == hex(&tip.chain)) {
            return Ok(None);
        }
        let head = self.head().clone();
        if let Some(head) = &head
            && let Some(doubt) = self.of_head(place, connection, tip, head)?
        {
            return Ok(Some(doubt));
        }
        if let Some((seq, chain)) = newest
            && let Some(doubt) = self.of_known(place, connection, tip, seq, &chain)?
        {
            return Ok(Some(doubt));
        }
        let Some(last) = last else { return Ok(None) };
        let signature = last.signature.as_deref();
        if signature.is_some_and(|signature| self.key.has_signed(tip, &last.scope, signature)) {
            self.known().insert(tip.seq, tip.chain);
            return Ok(None);
        }
        if signature.is_none() && head.is_none() && !is_signed_anywhere(connection)? {
            return Ok(None);
        }
        self.of_end(place, connection).map(Some)
    }

    /// Whether what was noted of the ledger's end contradicts what is there.
    fn of_head(
        &self,
        place: &Place,
        connection: &Connection,
        tip: Tip,
        head: &SignedHead,
    ) -> Result<Option<Doubt>, Failure> {
        if head.ledger != self.key.ledger.to_string() {
            let detail = "it is not the ledger that you wrote here before".to_owned();
            return Ok(Some(Doubt { first: 1, detail }));
        }
        self.of_known(place, connection, tip, head.seq, &head.chain)
    }

    /// Whether an entry that was stored is not there any more.
    fn of_known(
        &self,
        place: &Place,
        connection: &Connection,
        tip: Tip,
        seq: u64,
        chain: &str,
    ) -> Result<Option<Doubt>, Failure> {
        if tip.seq < seq {
            let detail = format!("it ends with event {}, and you had stored event {seq}", tip.seq);
            return Ok(Some(Doubt { first: tip.seq + 1, detail }));
        }
        let found = at(place, connection, seq)?;
        if found.is_some_and(|found| hex(&found.tip.chain) == chain) {
            return Ok(None);
        }
        let detail = format!("event {seq} is not the one that you had stored");
        Ok(Some(Doubt { first: seq, detail }))
    }

    /// What is wrong with the entries after the last one that the user's key has signed.
    fn of_end(&self, place: &Place, connection: &Connection) -> Result<Doubt, Failure> {
        let sql = format!("SELECT {COLUMNS} FROM events ORDER BY seq DESC");
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let mut first = None;
        while let Some(row) = rows.next()? {
            let entry = signed(place, row)?;
            let signature = entry.signature.as_deref().unwrap_or_default();
            if self.key.has_signed(entry.tip, &entry.scope, signature) {
                break;
            }
            first = Some(entry);
        }
        let Some(first) = first else { return Ok(Doubt { first: 1, detail: String::new() }) };
        let seq = first.tip.seq;
        let before = self.key_of(place, connection, seq - 1)?;
        let detail = match self.signed_by(&first) {
            SignedBy::Nobody if before.is_none() => format!("event {seq} is not signed"),
            SignedBy::Nobody => format!("event {seq} is not signed, and the one before it is"),
            SignedBy::Key(key) => {
                format!(
                    "event {seq} is signed with another key, {key}; yours is {}",
                    self.key.signer.public()
                )
            }
            SignedBy::Invalid => format!("the signature of event {seq} is wrong"),
        };
        Ok(Doubt { first: seq, detail })
    }

    /// Whose the entry with this number is.
    fn key_of(&self, place: &Place, connection: &Connection, seq: u64) -> Result<Option<PublicKey>, Failure> {
        let found = at(place, connection, seq)?;
        Ok(found.and_then(|entry| match self.signed_by(&entry) {
            SignedBy::Key(key) => Some(key),
            SignedBy::Nobody | SignedBy::Invalid => None,
        }))
    }

    fn signed_by(&self, entry: &Signed) -> SignedBy {
        entry_signed_by(&self.key.ledger, entry)
    }

    /// Remembers the entries after a number, which were found in order up to an end that may be added to.
    pub(super) fn remember_after(
        &self,
        place: &Place,
        connection: &Connection,
        seq: u64,
    ) -> Result<(), Failure> {
        let mut statement = connection.prepare("SELECT seq, chain FROM events WHERE seq > ?1")?;
        let mut rows = statement.query([stored(place, seq)?])?;
        while let Some(row) = rows.next()? {
            let seq = row.get(0)?;
            let chain = checksum(place, seq, row.get(1)?)?;
            self.known().insert(number(place, seq)?, chain);
        }
        Ok(())
    }

    /// Notes, once it is stored for good, how far this process has come.
    pub(super) fn stored(&self, tip: Tip) {
        self.known().insert(tip.seq, tip.chain);
        let (chain, ledger) = (hex(&tip.chain), self.key.ledger.to_string());
        let head = SignedHead { seq: tip.seq, chain, ledger };
        self.key.signer.keep_head(&head);
        *self.head() = Some(head);
    }

    /// Fails unless the user's key vouches for every one of these entries.
    pub(super) fn vouch(
        &self,
        place: &Place,
        connection: &Connection,
        entries: impl Iterator<Item = u64>,
    ) -> Result<(), Failure> {
        let mut walked = false;
        for seq in entries {
            if self.vouches(place, connection, seq)? {
                continue;
            }
            if !walked {
                // It is from before there were signatures, or a person has accepted it: the entries after it do.
                self.require(place, connection)?;
                verify::verify_all(place, connection, Depth::Checksums)?;
                self.remember_after(place, connection, 0)?;
                walked = true;
            }
            if !self.vouches(place, connection, seq)? {
                return Err(place.unproven(format!("nothing vouches for event {seq}")).into());
            }
        }
        Ok(())
    }

    fn vouches(&self, place: &Place, connection: &Connection, seq: u64) -> Result<bool, Failure> {
        let Some(Signed { tip, scope, signature, .. }) = at(place, connection, seq)? else {
            return Ok(false);
        };
        if self.known().get(&seq) == Some(&tip.chain) {
            return Ok(true);
        }
        let own = signature.is_some_and(|signature| self.key.has_signed(tip, &scope, &signature));
        if own {
            self.known().insert(seq, tip.chain);
        }
        Ok(own)
    }

    /// Stores, inside a transaction, that a person goes on from what is there; returns why they had to, and the new end.
    /// Only for a chain that holds.
    pub(super) fn begin(
        &self,
        place: &Place,
        connection: &Connection,
        by: &str,
        at_ms: i64,
    ) -> Result<Option<(Doubt, Tip)>, Failure> {
        let Some(doubt) = self.doubt(place, connection)? else { return Ok(None) };
        verify::verify_all(place, connection, Depth::Forms)?;
        let tip = rows::tip(place, connection)?;
        let began = SigningBegan {
            key: self.key.signer.public().hex(),
            before: self.key_of(place, connection, tip.seq)?.map(|key| key.hex()),
            accepted: doubt.first,
            found: doubt.detail.clone(),
            by: by.to_owned(),
        };
        let mut chain = Chain::after(tip);
        let events = [Event::from(began)];
        rows::put_events(place, connection, &mut chain, Some(&self.key), &Scope::Repo, at_ms, &events)?;
        Ok(Some((doubt, chain.tip())))
    }
}

/// Whose signature each entry has, in stretches.
pub(super) fn stretches(place: &Place, connection: &Connection) -> Result<Vec<Stretch>, Failure> {
    let namespace = rows::meta(connection, layout::NAMESPACE)?;
    let ledger = namespace.and_then(|text| Uuid::parse_str(&text).ok()).unwrap_or_default();
    let sql = format!("SELECT {COLUMNS} FROM events ORDER BY seq");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut stretches: Vec<Stretch> = Vec::new();
    while let Some(row) = rows.next()? {
        let entry = signed(place, row)?;
        let signed = entry_signed_by(&ledger, &entry);
        match stretches.last_mut() {
            Some(stretch) if stretch.signed == signed => stretch.last = entry.tip.seq,
            Some(_) | None => {
                let Signed { tip: Tip { seq, .. }, at_ms: since_ms, .. } = entry;
                stretches.push(Stretch { first: seq, last: seq, since_ms, signed });
            }
        }
    }
    Ok(stretches)
}

fn entry_signed_by(ledger: &Uuid, entry: &Signed) -> SignedBy {
    match &entry.signature {
        None => SignedBy::Nobody,
        Some(signature) => {
            signed_by(ledger, entry.tip, &entry.scope, signature).map_or(SignedBy::Invalid, SignedBy::Key)
        }
    }
}

fn is_signed_anywhere(connection: &Connection) -> Result<bool, Failure> {
    let sql = "SELECT EXISTS (SELECT 1 FROM events WHERE signature IS NOT NULL)";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

fn last(place: &Place, connection: &Connection) -> Result<Option<Signed>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM events ORDER BY seq DESC LIMIT 1");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    rows.next()?.map(|row| signed(place, row)).transpose()
}

fn at(place: &Place, connection: &Connection, seq: u64) -> Result<Option<Signed>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM events WHERE seq = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([stored(place, seq)?])?;
    rows.next()?.map(|row| signed(place, row)).transpose()
}

fn signed(place: &Place, row: &Row<'_>) -> Result<Signed, Failure> {
    let seq = row.get(0)?;
    let tip = Tip { seq: number(place, seq)?, chain: checksum(place, seq, row.get(1)?)? };
    Ok(Signed { tip, scope: row.get(2)?, at_ms: row.get(3)?, signature: row.get(4)? })
}
