//! Brings here what other clones wrote.

use super::Sharing;
use super::events::{created, wrong_name};
use super::names::{free_name, renamed, scopes};
use super::notes::Notes;
use crate::errors::{CliError, ErrorCode};
use redraft_adapters::sqlite::Ledger;
use redraft_engine::Journal;
use redraft_engine::ports::Store as _;
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::FeatureUuid;
use redraft_facts::redact::Typed;
use redraft_facts::ticket::Scope;
use redraft_sharing::{Altered, History, RemoteError, SharedFeature, WrittenEntry};

/// What came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenOver {
    /// The features with news.
    pub scopes: Vec<Scope>,
    pub events: usize,
    /// What was not taken over, and why.
    pub refused: Vec<String>,
}

impl Sharing<'_> {
    /// Takes over every feature of which something is new.
    pub(super) fn take_over_all(
        &self,
        ledger: &Ledger,
        altered: Vec<Altered>,
    ) -> Result<TakenOver, CliError> {
        let notes = Notes::read(&self.repo.state);
        let here = scopes(ledger)?;
        let refused = altered.iter().map(ToString::to_string).collect();
        let mut taken = TakenOver { refused, ..TakenOver::default() };
        for (uuid, refs) in self.remote.features()? {
            let known = notes.as_ref().and_then(|notes| notes.features.get(&uuid));
            if known.is_some_and(|note| note.read == refs) {
                continue;
            }
            let shared = self.remote.read(&uuid)?;
            for altered in &shared.feature.altered {
                taken.refused.push(altered.to_string());
            }
            match self.take_over(ledger, &shared, here.get(&uuid)) {
                Ok((Some(scope), events)) if events > 0 => {
                    taken.scopes.push(scope);
                    taken.events += events;
                }
                Ok(_) => {}
                // One feature that cannot be read keeps no other from arriving.
                Err(error) if error.code == ErrorCode::Config => taken.refused.push(error.message),
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }

    /// Takes over what is new of one feature; what it is called here, and how many events that were.
    pub(super) fn take_over(
        &self,
        ledger: &Ledger,
        shared: &SharedFeature,
        here: Option<&Scope>,
    ) -> Result<(Option<Scope>, usize), CliError> {
        let history = shared.feature.history().map_err(RemoteError::from)?;
        let uuid = &shared.feature.uuid;
        if history.entries.is_empty() {
            return Ok((here.cloned(), 0));
        }
        let called: Scope =
            shared.feature.called().parse().map_err(|_| wrong_name(shared.feature.called()))?;
        let mut scope = match here {
            Some(scope) => scope.clone(),
            None => free_name(ledger, &called)?,
        };
        // Whoever runs it here has it in hand.
        let Ok(_lock) = self.repo.lock(&scope.to_string(), self.process) else { return Ok((Some(scope), 0)) };
        let mut journal = self.process.journal(ledger, scope.clone())?;
        let common = common(journal.entries(), &history);
        let here = journal.entries().get(..common).unwrap_or_default();
        if self.follow(ledger, shared, &history, (&called, &scope), here)? {
            journal = self.process.journal(ledger, scope.clone())?;
        }
        self.remote.forget_older(shared)?;
        let drives = shared.feature.lease_of(self.own()).is_some();
        let own = journal.entries().len();
        if own > common && (history.entries.len() > common || (!drives && !is_free(shared))) {
            // This clone went on after another had taken over.
            self.set_aside(&mut journal, &scope, shared)?;
            scope = free_name(ledger, &called)?;
            drop(journal);
            journal = self.process.journal(ledger, scope.clone())?;
        }
        let known = if journal.entries().is_empty() { 0 } else { common };
        let new = history.entries.get(known..).unwrap_or_default();
        self.add(&mut journal, shared, new, (&called, &scope))?;
        for (name, tree) in self.remote.anchors(shared)? {
            let name = format!("refs/redraft/anchors/{scope}/{name}");
            self.repo.repository.call(["update-ref", "--no-deref"]).arg(name).arg(tree).text()?;
        }
        let (created, tip) = (created(journal.entries()).cloned(), shared.feature.tip());
        if let (Some(created), Some(tip), true) = (created, tip, !new.is_empty())
            && !created.is_review()
        {
            self.bring_branch(&created, tip)?;
            if self.repo.is_there(&created)? {
                let workspace = self.repo.workspace(&created)?;
                redraft_engine::write_projections(&workspace, &journal, &self.process.boundaries)?;
            }
        }
        self.note(uuid, &scope, shared, journal.entries(), None)?;
        Ok((Some(scope), new.len()))
    }

    /// Adds events to the ledger, those of one clone at a time.
    fn add(
        &self,
        journal: &mut Journal<'_>,
        shared: &SharedFeature,
        new: &[WrittenEntry],
        (called, scope): (&Scope, &Scope),
    ) -> Result<(), CliError> {
        let mut rest = new;
        while let Some(first) = rest.first() {
            let many = rest.iter().take_while(|one| one.clone == first.clone).count();
            let (batch, later) = rest.split_at(many);
            rest = later;
            let mut events = Vec::new();
            for one in batch {
                let event = one.entry.event().map_err(|error| {
                    let message = format!("feature {called} cannot be taken over: {error}");
                    CliError::new(ErrorCode::Config, message)
                })?;
                events.push(renamed(event, called, scope)?);
            }
            let times: Vec<i64> = batch.iter().map(|one| one.entry.at_ms).collect();
            let log = shared.feature.logs.get(&first.clone);
            let packs = log.into_iter().flat_map(|log| &log.packs);
            let named: Vec<_> = events.iter().flat_map(Event::blobs).cloned().collect();
            let texts = packs.flat_map(|pack| &pack.texts).filter(|(id, _)| named.contains(id));
            let blobs: Vec<Vec<u8>> = texts.map(|(_, text)| text.clone().into_bytes()).collect();
            journal.take_over(first.clone.as_str(), (&times, events), &blobs)?;
            self.process.boundaries.pass("after events are taken over");
        }
        Ok(())
    }

    /// Ends what this clone wrote of a feature after another one had taken over. It stays in the ledger under its name.
    fn set_aside(
        &self,
        journal: &mut Journal<'_>,
        scope: &Scope,
        shared: &SharedFeature,
    ) -> Result<(), CliError> {
        let place = shared.feature.lease().map_or("another clone", |lease| lease.place.as_str());
        let why =
            format!("{place} has taken over, and what was done here since is not part of the shared history");
        if !journal.state().cancelled {
            let in_flight = journal.state().open.iter().flat_map(|open| open.flights()).next().is_some();
            journal.give_up(&self.process.user, &Typed::from(why.as_str()))?;
            if in_flight {
                self.console.say(&format!("{scope}: an agent was at work here; what it does is lost"));
            }
        }
        self.console.say(&format!(
            "{scope}: {why}; it stays here as it is, and the feature goes on under another name"
        ));
        Ok(())
    }

    /// What a shared feature is called here.
    pub(super) fn uuid_of(&self, ledger: &Ledger, scope: &Scope) -> Result<Option<FeatureUuid>, CliError> {
        Ok(created(&ledger.read(scope.clone())?).map(|created| created.uuid.clone()))
    }
}

fn is_free(shared: &SharedFeature) -> bool {
    shared.feature.lease().is_none_or(|lease| lease.free)
}

/// How many events both have from the beginning. Names and secrets may differ, so the kind and the time are compared.
pub(super) fn common(here: &[Entry], there: &History) -> usize {
    let same = |(one, other): &(&Entry, &WrittenEntry)| {
        one.at_ms == other.entry.at_ms && one.event.kind() == other.entry.kind
    };
    here.iter().zip(&there.entries).take_while(same).count()
}
