//! Collects the secrets this process knows of, and the user's name, before a command stores or sends anything.

use crate::args::Command;
use crate::process_context::{KEY_BYTES_MAX, ProcessContext};
use crate::repository_context::RepositoryContext;
use redraft_adapters::plain_file;
use redraft_agents::config::{AgentConfig, Config};
use redraft_facts::redact::Redactor;
use redraft_facts::text::one_line;
use std::ffi::OsStr;
use std::path::Path;

/// A longer text is not a name.
const USER_CHARS_MAX: usize = 100;

impl ProcessContext {
    /// For the commands that store or send something: adds the keys that the configuration names to the secrets, whatever
    /// their variables are called, if the user has accepted that configuration; and asks git for the user's name. The
    /// command itself reports a configuration that cannot be read.
    pub fn learn_keys(&mut self, command: &Command) {
        if !stores(command) {
            return;
        }
        let repo = RepositoryContext::find(&self.folder);
        let base = match command {
            Command::Review(args) => args.change.base.as_deref(),
            _ => None,
        };
        if let Some(name) = repo.as_ref().ok().and_then(|repo| repo.repository.user_name()) {
            self.user = one_line(&name, USER_CHARS_MAX);
        }
        self.found = repo.as_ref().ok().map(|repo| repo.repository.clone());
        let config = repo.as_ref().ok().and_then(|repo| repo.config(self).ok());
        let of_base = repo.as_ref().ok().zip(base).and_then(|(repo, base)| repo.config_of(base, self).ok());
        let mut keys = self.environment.secrets();
        let configs: Vec<Config> = config.into_iter().chain(of_base).collect();
        let agents = configs.iter().flat_map(|config| config.agents.iter().map(move |named| (config, named)));
        for (config, (name, agent)) in agents {
            let AgentConfig::Model(agent) = agent else { continue };
            // Not even read before a person has accepted it.
            if !config.unaccepted_of(name).is_empty() {
                continue;
            }
            let file = agent.key_file.as_ref();
            keys.extend(file.and_then(|file| plain_file::read_text(Path::new(file), KEY_BYTES_MAX).ok()));
            let named = agent.key_env.as_ref().and_then(|name| self.environment.0.get(OsStr::new(name)));
            keys.extend(named.and_then(|value| value.to_str()).map(str::to_owned));
        }
        self.redactor = Redactor::new(keys);
    }
}

/// Whether a command stores or sends what a person typed.
fn stores(command: &Command) -> bool {
    match command {
        Command::New(_)
        | Command::Adopt(_)
        | Command::Project(_)
        | Command::Run(_)
        | Command::Finish(_)
        | Command::Review(_)
        | Command::Phase(_)
        | Command::Comment(_)
        | Command::Decide(_)
        | Command::Mcp(_)
        | Command::Trust(_)
        // What leaves the machine.
        | Command::Share(_)
        | Command::Sync
        | Command::Doctor(_)
        | Command::Ledger(_)
        // A page is made to be handed on.
        | Command::Report(_)
        // Others may look over a shoulder at a diff.
        | Command::Watch(_)

        // So is a page that is looked at.
        | Command::Ui(_) => true,
        Command::Cost(args) => args.command.is_some(),
        Command::Bank(args) => args.command.is_some(),
        // A demo makes its own repository.
        Command::Demo(_) => false,
        Command::Init
        | Command::Config(_)
        | Command::Status(_)
        | Command::Stop(_)
        | Command::Log(_)
        | Command::Lint(_)
        | Command::Show(_)
        | Command::Models
        | Command::Clean(_)
        | Command::Uninstall(_)
        | Command::Replay(_)
        | Command::Eval(_)
        | Command::Rehearse(_)
        | Command::Hook(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Plugin(_)
        | Command::Check(_)
        | Command::Worker(_) => false,
    }
}
