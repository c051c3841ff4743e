//! What an agent needs to be asked: a configuration, and a state folder for its conversations.

use crate::cli::doctor;
use redraft_adapters::git::{GitError, Repository};
use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::{self, Config};
use redraft_engine::ports::Agent;
use redraft_facts::ids::AgentName;
use redraft_frame::agent_registry::AgentRegistry;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

pub(in crate::cli::eval) struct Place {
    pub(in crate::cli::eval) repo: RepositoryContext,
    pub(in crate::cli::eval) config: Config,
    pub(in crate::cli::eval) ledger: Ledger,
    /// Outside of a repository the agent's state is in here, and is gone afterwards.
    _throw_away: Option<TempDir>,
}

impl Place {
    /// The current repository; outside of one, a throw-away with the user's own configuration.
    pub(in crate::cli::eval) fn find(process: &ProcessContext) -> Result<Place, CliError> {
        let (repo, throw_away) = match Repository::discover(&process.folder) {
            Ok(repository) => (RepositoryContext::open(repository), None),
            Err(GitError::NotARepository(_)) => {
                let (repo, folder) = doctor::throw_away()?;
                (repo, Some(folder))
            }
            Err(error) => return Err(error.into()),
        };
        let config = match &throw_away {
            None => repo.config(process)?,
            Some(_) => {
                let roles = redraft_roles::profile::roles();
                Config::parse(b"", Path::new(config::FILE), &roles, &process.own)?
            }
        };
        let ledger = repo.writer()?;
        Ok(Place { repo, config, ledger, _throw_away: throw_away })
    }

    /// The agent of this name, if it can be sent something.
    pub(in crate::cli::eval) fn agent(
        &self,
        name: &str,
        process: &ProcessContext,
    ) -> Result<Arc<dyn Agent>, CliError> {
        let name = AgentName::new(name);
        if !self.config.agents.contains_key(&name) {
            let known: Vec<&str> = self.config.agents.keys().map(AgentName::as_str).collect();
            return Err(CliError::usage(format!("there is no agent `{name}`"))
                .hint(format!("the agents are: {}", known.join(", "))));
        }
        let agents = AgentRegistry::new(&self.repo, &self.config, process);
        let agent = agents.named(&name).map_err(|detail| CliError::new(ErrorCode::Config, detail))?;
        if agent.abilities().pull {
            return Err(CliError::usage(format!("{name} is a host, which fetches its work itself"))
                .hint("name an agent that redraft can send to; `redraft models` lists them"));
        }
        Ok(agent)
    }
}
