//! Takes the lease of a feature, so that this clone drives it, and gives it up.

use super::events::created;
use super::{Sharing, Trouble};
use crate::errors::{CliError, ErrorCode};
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::Clock as _;
use redraft_facts::event::{DriverChanged, Event, Lost};
use redraft_facts::text::utc;
use redraft_facts::ticket::Scope;
use redraft_sharing::{Lease, RemoteError, SharedFeature, Taken};
use std::sync::{Mutex, PoisonError};

/// A feature that this clone drives, until it is given up.
pub struct Driving {
    pub scope: Scope,
    shared: Mutex<SharedFeature>,
}

impl Sharing<'_> {
    /// Takes a feature in hand: what others did comes here first. By force, also where its holder has not given it up.
    pub fn drive(&mut self, ledger: &Ledger, scope: &Scope, by_force: bool) -> Result<Driving, Trouble> {
        let _sharing = self.lock()?;
        let Some(uuid) = self.uuid_of(ledger, scope)? else {
            return Err(CliError::new(ErrorCode::Config, format!("{scope} has no events")).into());
        };
        match self.remote.fetch() {
            Ok(altered) => {
                if let Some(altered) = altered.into_iter().find(|altered| altered.feature == uuid) {
                    return Err(RemoteError::from(altered).into());
                }
                self.leave_twin()?;
            }
            // Its own lease was not given up, so nobody else drives but by force, and then nothing is lost.
            Err(RemoteError::Unreachable { detail, .. }) => {
                let shared = self.remote.read(&uuid)?;
                if shared.feature.lease_of(self.own()).is_none() {
                    return Err(Trouble::Elsewhere(self.out_of_reach(scope, detail)));
                }
                self.console.say(&format!(
                    "{} cannot be reached; this clone drives {scope} already and goes on, and what it does is sent later",
                    self.remote.name
                ));
                return Ok(Driving { scope: scope.clone(), shared: Mutex::new(shared) });
            }
            Err(error) => return Err(error.into()),
        }
        let shared = self.remote.read(&uuid)?;
        let earlier = shared.feature.lease().cloned();
        if let (true, Some(held)) =
            (by_force, earlier.as_ref().filter(|held| !held.free && held.holder != *self.own()))
        {
            self.console.say(&format!(
                "taking {scope} from {} ({}): nothing that it has not published becomes part of the shared history",
                held.place, held.by
            ));
        }
        let (now, _) = self.take_over(ledger, &shared, Some(scope))?;
        let now = now.unwrap_or_else(|| scope.clone());
        let shared = match self.remote.take(&shared, by_force, self.process.clock.now_ms())? {
            Taken::Ours(shared) => shared,
            Taken::Held(lease) => return Err(Trouble::Elsewhere(self.held(scope, &lease))),
        };
        if now != *scope {
            let _ = self.remote.publish(&shared, true);
            return Err(CliError::new(ErrorCode::Config, format!("{scope} goes on as {now} here"))
                .hint(format!("redraft run {now}"))
                .into());
        }
        self.process.boundaries.pass("after a lease is taken");
        let lock = self.repo.lock(&scope.to_string(), self.process);
        let begun = lock.and_then(|_lock| self.begin(ledger, scope, earlier.as_ref(), &shared, by_force));
        if let Err(error) = begun {
            // Nobody else should have to take it by force.
            let _ = self.remote.publish(&shared, true);
            return Err(error.into());
        }
        Ok(Driving { scope: scope.clone(), shared: Mutex::new(shared) })
    }

    fn out_of_reach(&self, scope: &Scope, detail: String) -> CliError {
        let remote = self.remote.name.clone();
        CliError::from(RemoteError::Unreachable { remote, detail }).hint(format!(
            "{scope} is shared, so it is driven only where others can see that; comments and decisions can \
                be made now and are sent later"
        ))
    }

    fn held(&self, scope: &Scope, lease: &Lease) -> CliError {
        let Lease { by, place, since_ms, .. } = lease;
        let message = format!("{scope} is driven by {by} in {place} since {}", utc(*since_ms));
        if matches!(scope, Scope::Review(_)) {
            return CliError::new(ErrorCode::Held, message).hint(
                "if that clone is gone, the same command with --take; what it has not published is sent again",
            );
        }
        CliError::new(ErrorCode::Held, message)
            .hint(format!("you can comment and decide all the same: redraft comment {scope} \"…\""))
            .hint(format!(
                "if that clone is gone: redraft run {scope} --take; what it has not published is then lost to the \
                 feature"
            ))
    }

    /// Stores that another clone drives from here on, and that what its agents were doing is lost.
    pub(super) fn begin(
        &self,
        ledger: &Ledger,
        scope: &Scope,
        earlier: Option<&Lease>,
        shared: &SharedFeature,
        forced: bool,
    ) -> Result<(), CliError> {
        let Some(lease) = shared.feature.lease() else { return Ok(()) };
        let mut journal = self.process.journal(ledger, scope.clone())?;
        let last = journal.entries().iter().rev().find_map(|entry| match &entry.event {
            Event::DriverChanged(fact) => Some(fact.clone.clone()),
            _ => None,
        });
        let changed = last.is_none_or(|last| last != self.own().as_str());
        if !changed || journal.state().cancelled {
            return Ok(());
        }
        let flights: Vec<_> = journal
            .state()
            .open
            .iter()
            .filter(|_| lease.fence > 1)
            .flat_map(|open| open.flights())
            .map(|(_, flight)| (flight.started.ticket.clone(), flight.started.reserved))
            .collect();
        let lost = flights.into_iter().map(|(ticket, cost)| Lost { ticket, cost, undone: Vec::new() }.into());
        let mut events: Vec<Event> = lost.collect();
        let forced = forced && earlier.is_some_and(|earlier| !earlier.free);
        let (clone, place) = (self.own().as_str().to_owned(), self.remote.writer.place.clone());
        let by = self.process.user.clone();
        events.push(DriverChanged { clone, place, by, fence: lease.fence, forced }.into());
        journal.append(events, &[])?;
        if let (Some(created), Some(tip)) = (created(journal.entries()).cloned(), shared.feature.tip())
            && !created.is_review()
        {
            self.bring_branch(&created, tip)?;
        }
        Ok(())
    }

    /// Publishes what was done since, and goes on driving.
    pub fn send(&self, ledger: &Ledger, driving: &Driving) -> Result<(), Trouble> {
        let _sharing = self.lock()?;
        let mut shared = driving.shared.lock().unwrap_or_else(PoisonError::into_inner);
        *shared = self.publish(ledger, &driving.scope, shared.clone(), false)?.0;
        Ok(())
    }

    /// Publishes what was done and gives the feature up, so that any clone can go on with it. If the remote cannot be
    /// reached, that is told and done by the next command that can.
    pub fn give_up(&self, ledger: &Ledger, driving: &Driving) -> Result<(), CliError> {
        let _sharing = self.lock()?;
        let shared = driving.shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match self.publish(ledger, &driving.scope, shared, true) {
            Ok(_) => Ok(()),
            Err(Trouble::Elsewhere(error)) => {
                self.console.say(&format!("{}; sent later: redraft sync", error.message));
                Ok(())
            }
            Err(Trouble::Failed(error)) => Err(error),
        }
    }
}
