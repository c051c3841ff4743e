//! Refuses keys that stand in the file itself. It is meant to be committed, and its commands are shown, so it must hold
//! none.
//!
//! Every text that could hold one is looked at before anything else, so that no other message can repeat it.

use super::error::ConfigError;
use super::file::{AgentFile, ConfigFile, McpFile};
use super::source::Source;
use redraft_facts::redact::{Redactor, SecretKind};
use std::collections::BTreeMap;
use toml::Spanned;

const FOR_SERVER: &str = "keep it in an environment variable and name that: env = [\"NAME\"]";
const FOR_PROGRAM: &str = "keep it in an environment variable and name that: pass = [\"NAME\"]";
const FOR_SERVICE: &str = "keep it in an environment variable and name that: key_env = \"NAME\"";
const FOR_SETUP: &str = "keep it in an environment variable; the command is given all of yours";

impl Source<'_> {
    pub(super) fn refuse_keys(&self, file: &ConfigFile) -> Result<(), ConfigError> {
        self.refuse_key("workspace.setup", file.workspace.setup.as_ref(), FOR_SETUP)?;
        for (name, command) in &file.checks {
            self.refuse_key(&format!("checks.{}", name.get_ref()), Some(command), FOR_SETUP)?;
        }
        self.refuse_keys_of_agents(&file.agents)
    }

    pub(super) fn refuse_keys_of_agents(
        &self,
        agents: &BTreeMap<Spanned<String>, AgentFile>,
    ) -> Result<(), ConfigError> {
        for (name, agent) in agents {
            // The name may be wrong as well; it is checked later, and is no place for a key.
            let place = |key: &str| format!("agents.{}.{key}", name.get_ref());
            self.refuse_keys_of(agent, &place)?;
        }
        Ok(())
    }

    fn refuse_keys_of(&self, agent: &AgentFile, place: &dyn Fn(&str) -> String) -> Result<(), ConfigError> {
        let texts = [
            ("model", &agent.model, FOR_PROGRAM),
            ("program", &agent.program, FOR_PROGRAM),
            ("base_url", &agent.base_url, FOR_SERVICE),
            ("key_env", &agent.key_env, FOR_SERVICE),
            ("key_file", &agent.key_file, FOR_SERVICE),
        ];
        for (key, written, hint) in texts {
            self.refuse_key(&place(key), written.as_ref(), hint)?;
        }
        self.refuse_key_among(&place("args"), agent.args.as_deref(), FOR_PROGRAM)?;
        self.refuse_key_among(&place("pass"), agent.pass.as_deref(), FOR_PROGRAM)?;
        for (server, McpFile { command, args, env }) in agent.mcp.iter().flatten() {
            let place = |key: &str| place(&format!("mcp.{}.{key}", server.get_ref()));
            self.refuse_key(&place("command"), command.as_ref(), FOR_SERVER)?;
            self.refuse_key_among(&place("args"), args.as_deref(), FOR_SERVER)?;
            self.refuse_key_among(&place("env"), env.as_deref(), FOR_SERVER)?;
        }
        Ok(())
    }

    fn refuse_key(
        &self,
        place: &str,
        written: Option<&Spanned<String>>,
        hint: &str,
    ) -> Result<(), ConfigError> {
        let Some(written) = written else { return Ok(()) };
        match kind_of(written.get_ref()) {
            Some(kind) => Err(self.holds_key(written, place, kind, hint)),
            None => Ok(()),
        }
    }

    fn refuse_key_among(
        &self,
        place: &str,
        words: Option<&[Spanned<String>]>,
        hint: &str,
    ) -> Result<(), ConfigError> {
        let words = words.unwrap_or_default();
        for word in words {
            self.refuse_key(place, Some(word), hint)?;
        }
        // `--api-key` and its value are two words.
        for pair in words.windows(2) {
            let [option, value] = [pair[0].get_ref(), pair[1].get_ref()];
            let assigned = option.starts_with('-').then(|| format!("{option}=\"{value}\""));
            if let Some(kind) = assigned.and_then(|text| kind_of(&text)) {
                return Err(self.holds_key(&pair[1], place, kind, hint));
            }
        }
        Ok(())
    }

    fn holds_key(&self, written: &Spanned<String>, place: &str, kind: SecretKind, hint: &str) -> ConfigError {
        let message = format!("`{place}` holds what looks like a secret ({kind})");
        self.wrong(&written.span(), message).hint(hint)
    }
}

/// What a text holds that looks like a secret.
fn kind_of(text: &str) -> Option<SecretKind> {
    Redactor::default().find(text).first().map(|found| found.kind)
}
