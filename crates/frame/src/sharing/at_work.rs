//! A command at work on a shared feature: this clone drives it meanwhile, and publishes what it does.

use super::{Driving, Sharing, Trouble};
use crate::console::Console;
use crate::errors::CliError;
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_adapters::lock::Lock;
use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_agents::config::Config;
use redraft_core::pipeline::Pipeline;
use redraft_cost::price::OverBudget;
use redraft_engine::{Progress, Undone};
use redraft_facts::event::{Entry, Event};
use redraft_facts::ticket::{Scope, Ticket};
use std::ffi::OsStr;

/// A shared feature in the hands of this clone.
pub struct DrivenFeature<'a> {
    sharing: Sharing<'a>,
    driving: Driving,
    ledger: Ledger,
    console: &'a Console,
    /// Whether everything is published as soon as a dispatch has ended, because the machine may be gone afterwards.
    at_once: bool,
}

impl<'a> DrivenFeature<'a> {
    /// Takes a feature or a review in hand; none where it is not shared.
    pub fn take(
        repo: &'a RepositoryContext,
        scope: &Scope,
        config: &Config,
        by_force: bool,
        process: &'a ProcessContext,
        console: &'a Console,
    ) -> Result<Option<DrivenFeature<'a>>, Trouble> {
        if config.accepted_share().is_none() {
            return Ok(None);
        }
        let writer = repo.writer()?;
        let Some(mut sharing) = Sharing::open(repo, config, process, console)? else { return Ok(None) };
        let driving = sharing.drive(&writer, scope, by_force)?;
        sharing.hear(&writer, &driving)?;
        // Others see at once that somebody is at it.
        sharing.send(&writer, &driving)?;
        drop(writer);
        let ledger = Ledger::open(&repo.state, OpenMode::ReadOnly)?;
        let at_once = process.environment.0.get(OsStr::new("CI")).is_some_and(|value| !value.is_empty());
        Ok(Some(DrivenFeature { sharing, driving, ledger, console, at_once }))
    }

    /// Brings here what others have reviewed, so that a review goes on where it was left; whether it is shared, and the
    /// remote could be reached.
    pub fn fetch(
        repo: &RepositoryContext,
        ledger: &Ledger,
        config: &Config,
        process: &ProcessContext,
        console: &Console,
    ) -> Result<bool, CliError> {
        let Some(mut sharing) = Sharing::open(repo, config, process, console)? else { return Ok(false) };
        let Some(taken) = sharing.fetch(ledger)? else { return Ok(false) };
        for refused in &taken.refused {
            console.say(&format!("not taken over: {refused}"));
        }
        Ok(true)
    }

    /// Publishes what was done, and lets other clones go on.
    pub fn end(self) -> Result<(), CliError> {
        self.sharing.give_up(&self.ledger, &self.driving)
    }
}

/// Whose word counts about a feature.
#[expect(clippy::large_enum_variant, reason = "it is made once for a command")]
pub enum Stance<'a> {
    /// It is not shared, or a run here has it in hand.
    Own,
    Driving(DrivenFeature<'a>),
    /// Another clone drives it, or it is not known whether one does.
    Elsewhere {
        sharing: Sharing<'a>,
        why: String,
    },
}

/// Finds out whether this clone may write about a feature, and takes it in hand if so.
pub fn stance<'a>(
    repo: &'a RepositoryContext,
    scope: &Scope,
    config: &Config,
    process: &'a ProcessContext,
    console: &'a Console,
) -> Result<Stance<'a>, CliError> {
    if Lock::holder(&repo.state, &scope.to_string()).is_some() {
        return Ok(Stance::Own);
    }
    match DrivenFeature::take(repo, scope, config, false, process, console) {
        Ok(None) => Ok(Stance::Own),
        Ok(Some(shared)) => Ok(Stance::Driving(shared)),
        Err(Trouble::Elsewhere(error)) => match Sharing::open(repo, config, process, console)? {
            Some(sharing) => Ok(Stance::Elsewhere { sharing, why: error.message }),
            None => Err(error),
        },
        Err(Trouble::Failed(error)) => Err(error),
    }
}

impl Stance<'_> {
    /// Publishes what was said by a clone that drives.
    pub fn end(self) -> Result<(), CliError> {
        match self {
            Stance::Driving(shared) => shared.end(),
            Stance::Own | Stance::Elsewhere { .. } => Ok(()),
        }
    }
}

/// What became of what was said to another clone.
pub fn sent_to(why: &str, sent: bool) -> String {
    let when = if sent {
        "it was sent there"
    } else {
        "it is kept, and sent by the next command that can: redraft sync"
    };
    format!("{why}; {when}, and counts once that clone has taken it in")
}

/// Tells what happens, and publishes it on the way.
pub struct Sending<'r, 'a> {
    pub inner: &'r dyn Progress,
    pub sharing: Option<&'r DrivenFeature<'a>>,
}

impl Progress for Sending<'_, '_> {
    fn stored(&self, entry: &Entry, state: &Pipeline) {
        self.inner.stored(entry, state);
        let Some(shared) = self.sharing else { return };
        let ends = matches!(
            entry.event,
            Event::Judged(_) | Event::Drafted(_) | Event::Built(_) | Event::Failed(_) | Event::Lost(_)
        );
        let is_decision = matches!(entry.event, Event::Decided(_) | Event::Asked(_) | Event::PhaseClosed(_));
        if (is_decision || (ends && shared.at_once))
            && let Err(error) = shared.sharing.send(&shared.ledger, &shared.driving)
        {
            // The run goes on, and its end tries once more.
            shared.console.say(&CliError::from(error).message);
        }
    }

    fn doing(&self, ticket: &Ticket, doing: &str) {
        self.inner.doing(ticket, doing);
    }

    fn waits_for_money(&self, over: &OverBudget) {
        self.inner.waits_for_money(over);
    }

    fn undone(&self, undone: &Undone) {
        self.inner.undone(undone);
    }
}
