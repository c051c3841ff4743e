//! Features shared with other clones: what this clone publishes, takes over, proposes, and when it drives.
//!
//! Start at [`Sharing::open`]. [`notes`] remembers between two commands what was read and sent, [`names`] what a
//! feature is called here and where it began, [`taking_over`] brings here what others wrote, [`publishing`] sends
//! what this clone wrote, [`editions`] sends it anew after a redaction, [`driving`] takes the lease and gives it up,
//! [`at_work`] does so around a command, [`publish_notice`] says beforehand what leaves, [`proposals`] is what is
//! said where another clone drives. What a log or a lease is, `redraft_sharing` knows.

mod at_work;
mod branch;
mod driving;
mod editions;
mod events;
mod names;
mod notes;
mod proposals;
mod publish_notice;
mod publishing;
mod taking_over;

use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_adapters::lock::Lock;
use redraft_agents::config::{Config, ShareConfig};
use redraft_engine::ports::{Clock as _, StoreError};
use redraft_sharing::{CloneId, LogWriter, Remote, RemoteError};
use std::ffi::OsStr;

pub use at_work::{DrivenFeature, Sending, Stance, sent_to, stance};
pub use driving::Driving;
pub use notes::{Notes, OpenProposal, SharedNote};
pub use publish_notice::Leaving;
pub use publishing::Published;
pub use taking_over::TakenOver;

/// A repository whose features are shared, and a person here has accepted that.
pub struct Sharing<'a> {
    repo: &'a RepositoryContext,
    process: &'a ProcessContext,
    console: &'a Console,
    config: ShareConfig,
    remote: Remote<'a>,
}

impl<'a> Sharing<'a> {
    /// None where nothing is shared, or nobody here has accepted it.
    pub fn open(
        repo: &'a RepositoryContext,
        config: &Config,
        process: &'a ProcessContext,
        console: &'a Console,
    ) -> Result<Option<Sharing<'a>>, CliError> {
        let Some(share) = config.accepted_share() else { return Ok(None) };
        let Some(name) = share.remote.clone() else { return Ok(None) };
        let Some(signer) = repo.signer()? else { return Ok(None) };
        let clone = Notes::clone_of(&repo.state)?;
        let writer = LogWriter { clone, by: process.user.clone(), place: place(process) };
        let remote = Remote { repository: &repo.repository, name, writer, signer };
        Ok(Some(Sharing { repo, process, console, config: share.clone(), remote }))
    }

    pub fn remote_name(&self) -> &str {
        &self.remote.name
    }

    /// The id of this clone.
    fn own(&self) -> &CloneId {
        &self.remote.writer.clone
    }

    /// One process of a clone writes to its logs at a time. Waits for another one, which takes moments.
    fn lock(&self) -> Result<Lock, CliError> {
        const PATIENCE_MS: u64 = 60_000;
        const PAUSE_MS: u64 = 20;
        let begun = self.process.clock.moment();
        loop {
            match self.repo.lock("share", self.process) {
                Err(held) if held.code == ErrorCode::Held => {
                    let waited = self.process.clock.moment().ms_since(begun);
                    if waited >= PATIENCE_MS || !self.process.clock.wait_ms(PAUSE_MS) {
                        return Err(held);
                    }
                }
                taken => return taken,
            }
        }
    }
}

/// Where this clone is, as people call it.
fn place(process: &ProcessContext) -> String {
    let variable = |name: &str| {
        let value = process.environment.0.get(OsStr::new(name))?.to_str()?;
        (!value.is_empty()).then(|| value.to_owned())
    };
    if let Some(run) = variable("GITHUB_RUN_ID") {
        return format!("GitHub Actions run {run}");
    }
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| variable("HOSTNAME"));
    let host = host.map_or_else(|| "somewhere".to_owned(), |host| host.trim().to_owned());
    format!("{}@{host}", process.user)
}

/// Why this clone does not drive, or could not publish.
#[derive(Debug)]
pub enum Trouble {
    /// Another clone drives, or the remote cannot be reached: comments and decisions can be proposed all the same.
    Elsewhere(CliError),
    Failed(CliError),
}

impl From<Trouble> for CliError {
    fn from(trouble: Trouble) -> CliError {
        match trouble {
            Trouble::Elsewhere(error) | Trouble::Failed(error) => error,
        }
    }
}

impl From<CliError> for Trouble {
    fn from(error: CliError) -> Trouble {
        Trouble::Failed(error)
    }
}

impl From<RemoteError> for Trouble {
    fn from(error: RemoteError) -> Trouble {
        match error {
            RemoteError::Unreachable { .. } => Trouble::Elsewhere(error.into()),
            error => Trouble::Failed(error.into()),
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Trouble {
        Trouble::Failed(error.into())
    }
}

impl From<RemoteError> for CliError {
    fn from(error: RemoteError) -> CliError {
        let message = error.to_string();
        match error {
            RemoteError::Git(error) => error.into(),
            RemoteError::Unreachable { remote, .. } => CliError::new(ErrorCode::Config, message)
                .hint(format!("see whether git reaches it: git ls-remote {remote}"))
                .hint("nothing is lost; what was not sent is sent by the next command that can"),
            RemoteError::Refused { remote, .. } => CliError::new(ErrorCode::Config, message)
                .hint(format!("redraft pushes to refs/redraft/1/… of {remote}; you need the right to push there")),
            RemoteError::Altered(_) => CliError::new(ErrorCode::Config, message)
                .hint("somebody has rewritten or removed what a clone had published; nothing was taken over from it")
                .hint("`redraft sync` in the clone it belongs to puts back what was cut off; otherwise ask who changes \
                       refs/redraft/1/… in the remote"),
            RemoteError::Fenced { .. } => CliError::new(ErrorCode::Held, message)
                .hint("what this clone has done since then does not count; it is kept here, see redraft status"),
            RemoteError::Twin { .. } => CliError::new(ErrorCode::Config, message)
                .hint("this clone gets a name of its own: run the same command again"),
        }
    }
}
