//! Sends what this clone wrote.

use super::events::{created, publishable, wrong_name};
use super::names::{renamed, scopes};
use super::notes::Notes;
use super::proposals::open_proposals;
use super::{Sharing, TakenOver, Trouble};
use crate::errors::CliError;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::{Clock as _, Store as _};
use redraft_facts::event::{Entry, Event, FeatureCreated};
use redraft_facts::ids::{BlobId, FeatureUuid};
use redraft_facts::ticket::{Purpose, Scope};
use redraft_sharing::{Anchors, CloneId, PackContent, RemoteError, SharedEntry, SharedFeature, Taken};
use std::collections::BTreeMap;

/// What was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    /// The features with news.
    pub scopes: Vec<Scope>,
    pub events: usize,
}

/// What became of events that were not published yet.
enum Rest {
    Nothing,
    Sent(usize),
    /// Another clone drives by now.
    Elsewhere,
}

impl Sharing<'_> {
    /// Sends everything of features that nobody else drives. With nothing to send, the remote is not asked.
    fn publish_all(&self, ledger: &Ledger) -> Result<Published, CliError> {
        let notes = Notes::read(&self.repo.state);
        let mut published = Published::default();
        for (uuid, scope) in scopes(ledger)? {
            let last = ledger.last_seq(scope.clone())?;
            let known = notes.as_ref().and_then(|notes| notes.features.get(&uuid));
            if known.is_some_and(|note| note.sent == last) {
                continue;
            }
            // Whoever runs it here publishes it.
            let Ok(_lock) = self.repo.lock(&scope.to_string(), self.process) else { continue };
            let mut shared = self.remote.read(&uuid)?;
            // Proposals that were made without the remote, or a log anew.
            let has_unsent = self.remote.has_unsent(&shared);
            let mut kept = None;
            if has_unsent {
                shared = self.remote.publish(&shared, false)?;
                kept = self.remote.remove_older(&shared)?;
            }
            let rest = self.publish_rest(ledger, &scope, shared)?;
            if let Rest::Sent(events) = rest {
                published.events += events;
            }
            if has_unsent || matches!(rest, Rest::Sent(_)) {
                published.scopes.push(scope.clone());
            }
            if let Some(why) = &kept {
                let remote = &self.remote.name;
                self.console
                    .say(&format!("{scope}: {remote} keeps an earlier edition of this clone's log: {why}"));
            }
            let sent = match rest {
                _ if kept.is_some() => 0,
                Rest::Nothing => last,
                // Noted when it was sent, or to be looked at again.
                Rest::Sent(_) | Rest::Elsewhere => continue,
            };
            Notes::note(&self.repo.state, &uuid, |note| note.sent = sent)?;
        }
        Ok(published)
    }

    /// Sends the events of a feature that nobody else drives.
    fn publish_rest(&self, ledger: &Ledger, scope: &Scope, shared: SharedFeature) -> Result<Rest, CliError> {
        let history = shared.feature.history().map_err(RemoteError::from)?;
        if history.end.events >= publishable(&ledger.read(scope.clone())?)?.len() as u64 {
            return Ok(Rest::Nothing);
        }
        let earlier = shared.feature.lease().cloned();
        let Taken::Ours(shared) = self.remote.take(&shared, false, self.process.clock.now_ms())? else {
            return Ok(Rest::Elsewhere);
        };
        if let Err(error) = self.begin(ledger, scope, earlier.as_ref(), &shared, false) {
            // Nobody else should have to take it by force.
            let _ = self.remote.publish(&shared, true);
            return Err(error);
        }
        Ok(Rest::Sent(self.publish(ledger, scope, shared, true)?.1))
    }

    /// Sends what a feature that this clone drives has gained; how many events that were.
    pub(super) fn publish(
        &self,
        ledger: &Ledger,
        scope: &Scope,
        shared: SharedFeature,
        gives_up: bool,
    ) -> Result<(SharedFeature, usize), Trouble> {
        let entries = ledger.read(scope.clone())?;
        let whole = publishable(&entries)?;
        let Some(created) = created(&entries) else { return Ok((shared, 0)) };
        let written = shared.feature.written(self.own()).unwrap_or_default().events;
        let new = whole.get(usize::try_from(written).unwrap_or(usize::MAX)..).unwrap_or_default();
        let mut shared = shared;
        if !new.is_empty() {
            let called = match shared.feature.called() {
                "" => scope.clone(),
                called => called.parse().map_err(|_| wrong_name(called))?,
            };
            let mut shared_entries = Vec::new();
            for entry in new {
                let event = renamed(entry.event.clone(), scope, &called)?;
                shared_entries.push(SharedEntry::new(&Entry { event, ..entry.clone() }, salt()));
            }
            let content = PackContent {
                called: called.to_string(),
                entries: shared_entries,
                proposals: Vec::new(),
                texts: self.texts(ledger, new),
                tip: self.tip(created),
            };
            shared = self.remote.add(&shared, content, &self.anchors(scope)?)?;
            self.process.boundaries.pass("before events are published");
        }
        shared = self.remote.publish(&shared, gives_up)?;
        self.process.boundaries.pass("after events are published");
        if !new.is_empty() && !created.in_place && !created.is_review() {
            self.push_branch(created)?;
        }
        let last = if whole.len() == entries.len() { entries.last().map_or(0, |last| last.seq) } else { 0 };
        self.note(&created.uuid, scope, &shared, &entries, Some(last))?;
        Ok((shared, new.len()))
    }

    /// The branch goes under its own name, too, for people.
    fn push_branch(&self, created: &FeatureCreated) -> Result<(), CliError> {
        if !self.repo.repository.has_branch(&created.branch)? {
            return Ok(());
        }
        if let Some(why) = self.remote.push_branch(&created.branch)? {
            self.console.say(&format!(
                "{} was not pushed, because {} has other commits on it; the shared history has these here all the same \
                 ({why})",
                created.branch, self.remote.name
            ));
        }
        Ok(())
    }

    /// The texts that events name, but for prompts and answers, which stay here unless they are wanted, and those that
    /// hold a secret. A few answers are what later steps work with, wherever these are taken: they travel.
    pub(super) fn texts(&self, ledger: &Ledger, entries: &[Entry]) -> BTreeMap<BlobId, String> {
        let travels = |event: &Event| match event {
            _ if self.config.transcripts => true,
            Event::Answered(fact) => {
                matches!(fact.ticket.purpose, Purpose::Outline | Purpose::Retro | Purpose::Judge)
            }
            Event::Started(_) | Event::Failed(_) => false,
            _ => true,
        };
        let named =
            entries.iter().filter(|entry| travels(&entry.event)).flat_map(|entry| entry.event.blobs());
        let text = |id: &BlobId| Some((id.clone(), String::from_utf8(ledger.blob(id).ok()?).ok()?));
        let found = named.filter_map(text);
        let is_clean = |text: &str| self.process.redactor.redact(text).0 == text;
        found.filter(|(_, text)| is_clean(text)).collect()
    }

    pub(super) fn tip(&self, created: &FeatureCreated) -> String {
        if created.branch.is_empty() {
            return String::new();
        }
        let name = format!("refs/heads/{}^{{commit}}", created.branch);
        let found = self.repo.repository.call(["rev-parse", "--verify", "--quiet"]).arg(name).text();
        found.unwrap_or_default()
    }

    /// The revisions that are kept for the feature's deltas.
    pub(super) fn anchors(&self, scope: &Scope) -> Result<Anchors, CliError> {
        let folder = format!("refs/redraft/anchors/{scope}");
        let call =
            self.repo.repository.call(["for-each-ref", "--format=%(objecttype) %(objectname) %(refname)"]);
        let listed = call.arg(&folder).text()?;
        let anchor = |line: &str| {
            let (id, name) = line.strip_prefix("tree ")?.split_once(' ')?;
            let name = name.strip_prefix(&folder)?.strip_prefix('/')?;
            (name != "mark").then(|| (name.to_owned(), id.to_owned()))
        };
        Ok(listed.lines().filter_map(anchor).collect())
    }

    /// Remembers how a feature stands.
    pub(super) fn note(
        &self,
        uuid: &FeatureUuid,
        scope: &Scope,
        shared: &SharedFeature,
        entries: &[Entry],
        sent: Option<u64>,
    ) -> Result<(), CliError> {
        let history = shared.feature.history().map_err(RemoteError::from)?;
        let proposals = open_proposals(&history, entries);
        let read = self.remote.features()?.remove(uuid).unwrap_or_default();
        let lease = shared.feature.lease().cloned();
        Notes::note(&self.repo.state, uuid, |note| {
            note.scope = scope.to_string();
            note.read = read;
            note.proposals = proposals;
            note.sent = sent.unwrap_or(note.sent);
            if let Some(lease) = lease {
                note.here = lease.holder == *self.own();
                (note.by, note.place, note.free) = (lease.by, lease.place, lease.free);
            }
            note.trouble = shared.feature.altered.first().map(ToString::to_string);
        })
    }

    /// Everything: what others wrote comes here, and what this clone wrote goes there.
    pub fn exchange(&mut self, ledger: &Ledger) -> Result<(TakenOver, Published), CliError> {
        let _sharing = self.lock()?;
        let altered = self.remote.fetch()?;
        self.leave_twin()?;
        let taken = self.take_over_all(ledger, altered)?;
        Ok((taken, self.publish_all(ledger)?))
    }

    /// Brings here what others wrote; none where the remote cannot be reached.
    pub fn fetch(&mut self, ledger: &Ledger) -> Result<Option<TakenOver>, CliError> {
        let _sharing = self.lock()?;
        let altered = match self.remote.fetch() {
            Ok(altered) => altered,
            Err(error @ RemoteError::Unreachable { .. }) => {
                self.console.say(&format!("{error}; going on without what others did"));
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        self.leave_twin()?;
        self.take_over_all(ledger, altered).map(Some)
    }

    /// Where another copy of this clone has published under its id, this one goes on under a new one, and says again what
    /// it had said and not sent.
    pub(super) fn leave_twin(&mut self) -> Result<(), CliError> {
        let forked = self.remote.forked()?;
        if forked.is_empty() {
            return Ok(());
        }
        self.remote.writer.clone = Notes::rename(&self.repo.state)?;
        self.console
            .say("another copy of this clone publishes under its id, so this one has a new id from here on");
        for (uuid, proposals) in forked.into_iter().filter(|(_, proposals)| !proposals.is_empty()) {
            let shared = self.remote.read(&uuid)?;
            let called = shared.feature.called().to_owned();
            let content = PackContent { called, proposals, ..PackContent::default() };
            let shared = self.remote.add(&shared, content, &Anchors::new())?;
            self.remote.publish(&shared, false)?;
        }
        Ok(())
    }
}

/// Where a clone writes, as its last pack says.
pub(super) fn place_of(shared: &SharedFeature, clone: &CloneId) -> String {
    let last = shared.feature.logs.get(clone).and_then(|log| log.packs.last());
    last.map_or_else(|| clone.short().to_owned(), |pack| pack.place.clone())
}

fn salt() -> String {
    redraft_adapters::sqlite::new_feature_uuid().as_str().replace('-', "")
}
