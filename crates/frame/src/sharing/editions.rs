//! What was published and must not be: after a redaction here this clone publishes its logs anew, and one elsewhere is
//! followed in the ledger here.

use super::Sharing;
use super::events::{created, wrong_name};
use super::names::{renamed, scopes};
use super::notes::Notes;
use super::publishing::place_of;
use super::taking_over::common;
use crate::errors::CliError;
use redraft_adapters::sqlite::{Ledger, Redaction};
use redraft_engine::ports::{Clock as _, Store as _};
use redraft_facts::event::Entry;
use redraft_facts::ids::BlobId;
use redraft_facts::removal::Removal;
use redraft_facts::ticket::Scope;
use redraft_sharing::{History, Pack, Proposal, RemoteError, SharedFeature};
use std::collections::BTreeSet;

impl Sharing<'_> {
    /// The commits of all logs of this clone.
    pub fn own_commits(&self, ledger: &Ledger) -> Result<BTreeSet<String>, CliError> {
        let mut all = BTreeSet::new();
        for uuid in scopes(ledger)?.into_keys() {
            all.extend(self.remote.read(&uuid)?.commits_of(self.own()).iter().cloned());
        }
        Ok(all)
    }

    /// Publishes anew what this clone had published and the ledger no longer has. Where the old is still.
    pub fn publish_anew(&self, ledger: &Ledger, removal: &Removal) -> Result<Vec<String>, CliError> {
        let _sharing = self.lock()?;
        let mut left = Vec::new();
        for (uuid, scope) in scopes(ledger)? {
            let shared = self.remote.read(&uuid)?;
            let shared = match self.packs_anew(ledger, &scope, &shared, removal)? {
                Some(packs) => self.remote.replace(&shared, packs, &self.anchors(&scope)?)?,
                // An attempt before this one was cut off here.
                None if self.remote.has_unsent(&shared) => shared,
                None => continue,
            };
            self.process.boundaries.pass("before a log is published anew");
            let trouble = match self.remote.publish(&shared, false) {
                Ok(shared) => self.remote.remove_older(&shared)?,
                Err(RemoteError::Unreachable { detail, .. } | RemoteError::Refused { detail, .. }) => {
                    Some(detail)
                }
                Err(error) => return Err(error.into()),
            };
            if let Some(why) = trouble {
                // The next command that sends something tries again.
                Notes::note(&self.repo.state, &uuid, |note| note.sent = 0)?;
                left.push(format!(
                    "what was published of {scope} in {}: {why}; to try again: redraft sync",
                    self.remote.name
                ));
            }
        }
        Ok(left)
    }

    /// The packs of this clone as the ledger has their events now; none where that is the same.
    fn packs_anew(
        &self,
        ledger: &Ledger,
        scope: &Scope,
        shared: &SharedFeature,
        removal: &Removal,
    ) -> Result<Option<Vec<Pack>>, CliError> {
        let Some(log) = shared.feature.logs.get(self.own()) else { return Ok(None) };
        let history = shared.feature.history().map_err(RemoteError::from)?;
        let called: Scope =
            shared.feature.called().parse().map_err(|_| wrong_name(shared.feature.called()))?;
        let entries = ledger.read(scope.clone())?;
        let here = entries.get(..common(&entries, &history)).unwrap_or_default();
        let (mut packs, mut is_changed) = (Vec::new(), false);
        for pack in &log.packs {
            let first = usize::try_from(pack.after.events).unwrap_or(usize::MAX);
            let mut new = Pack { tip: String::new(), ..pack.clone() };
            let mut counted = Vec::new();
            for (at, entry) in new.entries.iter_mut().enumerate() {
                let at = first.saturating_add(at);
                let counts = history.entries.get(at).is_some_and(|one| one.entry == *entry);
                let body = match here.get(at).filter(|_| counts) {
                    Some(known) => {
                        counted.push(known.clone());
                        renamed(known.event.clone(), scope, &called)?.encode()
                    }
                    // It counts nowhere.
                    None if removal.is_in(entry.body.as_bytes()) => String::new(),
                    None => entry.body.clone(),
                };
                if body != entry.body {
                    *entry = entry.replaced(body);
                }
            }
            new.proposals = new.proposals.into_iter().map(|one| without(one, removal)).collect();
            let holds = new.texts.values().any(|text| removal.is_in(text.as_bytes()));
            new.texts.retain(|_, text| !removal.is_in(text.as_bytes()));
            new.texts.extend(self.texts(ledger, &counted));
            is_changed |= holds || new.entries != pack.entries || new.proposals != pack.proposals;
            packs.push(new);
        }
        let newest = packs.iter_mut().rfind(|pack| pack.fence > 0);
        if let (Some(created), Some(newest)) = (created(&entries), newest) {
            newest.tip = self.tip(created);
        }
        Ok(is_changed.then_some(packs))
    }

    /// Takes out of the ledger here what another clone has taken out of what it had published; whether that was
    /// anything.
    pub(super) fn follow(
        &self,
        ledger: &Ledger,
        shared: &SharedFeature,
        history: &History,
        (called, scope): (&Scope, &Scope),
        here: &[Entry],
    ) -> Result<bool, CliError> {
        let (mut bodies, mut texts, mut by) = (Vec::new(), Vec::new(), None);
        for (known, written) in here.iter().zip(&history.entries).filter(|(_, one)| one.entry.is_replaced()) {
            let Ok(event) = written.entry.event() else { continue };
            let event = renamed(event, called, scope)?;
            if event != known.event {
                texts
                    .extend(known.event.blobs().into_iter().cloned().zip(event.blobs().into_iter().cloned()));
                bodies.push((known.seq, event.encode()));
                by = by.or(Some(&written.clone));
            }
        }
        let Some(clone) = by else { return Ok(false) };
        let packs = shared.feature.logs.values().flat_map(|log| &log.packs);
        let published: Vec<(&BlobId, &String)> = packs.flat_map(|pack| &pack.texts).collect();
        let mut blobs: Vec<(BlobId, Vec<u8>)> = Vec::new();
        for (old, new) in texts.into_iter().filter(|(old, new)| old != new) {
            let text = published.iter().find(|(id, _)| **id == new);
            if let (Some((_, text)), false) = (text, blobs.iter().any(|(id, _)| *id == old)) {
                blobs.push((old, text.as_bytes().to_vec()));
            }
        }
        // What other events name as well stays.
        ledger.each_body(&mut |seq, _, _, _, body| {
            if !bodies.iter().any(|(changed, _)| *changed == seq) {
                blobs.retain(|(id, _)| !body.contains(id.as_str()));
            }
        })?;
        let place = place_of(shared, clone);
        ledger.redact(&Redaction {
            decided_on: ledger.tip()?.seq,
            at_ms: self.process.clock.now_ms(),
            by: &place,
            why: "the clone that had published it took it out",
            bodies: &bodies,
            blobs: &blobs,
            files: 0,
            objects: 0,
            refs: 0,
        })?;
        if let Err(error) = ledger.scrub() {
            self.console.say(&format!("{error}; pages of the ledger's file may still hold it"));
        }
        self.console.say(&format!(
            "{place} took something out of what it had published of {scope}, and it is taken out of the ledger here, \
             too; commits and files here may hold it: redraft ledger redact"
        ));
        Ok(true)
    }
}

fn without(proposal: Proposal, removal: &Removal) -> Proposal {
    let cleaned = serde_json::to_value(&proposal).ok().and_then(|mut value| {
        removal.apply_to_json(&mut value);
        serde_json::from_value(value).ok()
    });
    cleaned.unwrap_or(proposal)
}
