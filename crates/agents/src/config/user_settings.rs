//! The user's own configuration: `config.toml` in their configuration folder, and the local server that a variable
//! names.
//!
//! It holds in every repository. `redraft.toml` of a repository wins over it, except for the budget: the lower of the
//! two holds until a person accepts the higher one of `redraft.toml`. Nothing is searched for: no port is tried and no
//! other file is read. Start at [`UserSettings::from_environment`].

use super::builtin_cards::builtin_cards;
use super::error::ConfigError;
use super::file::OwnFile;
use super::source::Source;
use super::{AgentConfig, BashRule, ModelAgent, ModelKind, SchemaForm, Wire};
use redraft_adapters::child::Environment;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The agent that a variable of the environment names.
pub const LOCAL: &str = "local";

/// Where Ollama listens unless its variable says otherwise.
const OLLAMA_PORT: &str = "11434";

/// What the user brings to every repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserSettings {
    /// Where the user's file is, or would be; none where the environment names no folder for it.
    pub file: Option<PathBuf>,
    pub local: Option<LocalServer>,
}

/// A server on this machine that a variable names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    pub base_url: String,
    /// The variable that names it.
    pub variable: &'static str,
    /// The model that `OPENAI_MODEL` names; without one the server is asked what it has.
    pub model: Option<String>,
}

/// How the program behaves on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSettings {
    pub colour: Colour,
    /// Whether the terminal rings and shows a notice when a run ends or waits for a person.
    pub bell: bool,
    /// How long nothing must have been typed before anybody is told.
    pub after_seconds: u64,
}

impl Default for TerminalSettings {
    fn default() -> Self {
        TerminalSettings { colour: Colour::default(), bell: true, after_seconds: 10 }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

const COLOURS: [(&str, Colour); 3] =
    [("auto", Colour::Auto), ("always", Colour::Always), ("never", Colour::Never)];

impl UserSettings {
    pub fn from_environment(environment: &Environment) -> UserSettings {
        let value = |name: &str| environment.0.get(OsStr::new(name)).filter(|value| !value.is_empty());
        // A relative path would mean another file in every folder.
        let folder = |name: &str| value(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
        let text = |name: &str| value(name).and_then(|value| value.to_str()).map(str::trim);
        let model = text("OPENAI_MODEL").map(str::to_owned);
        let named = |variable: &'static str, base_url: String| LocalServer {
            base_url,
            variable,
            model: model.clone(),
        };
        let openai = text("OPENAI_BASE_URL").filter(|url| crate::api::stays_here(url));
        let openai = openai.map(|url| named("OPENAI_BASE_URL", url.trim_end_matches('/').to_owned()));
        let ollama = || {
            let url = ollama(text("OLLAMA_HOST")?);
            crate::api::stays_here(&url).then(|| named("OLLAMA_HOST", url))
        };
        UserSettings {
            file: config.map(|folder| folder.join("redraft").join("config.toml")),
            local: openai.or_else(ollama),
        }
    }

    /// How to behave on a terminal. A file that cannot be read is reported by the command that needs it.
    pub fn manners(&self) -> TerminalSettings {
        let Some(path) = &self.file else { return TerminalSettings::default() };
        let read = super::read_if_there(path).and_then(|bytes| manners(&bytes, path));
        read.unwrap_or_default()
    }
}

fn manners(bytes: &[u8], path: &Path) -> Result<TerminalSettings, ConfigError> {
    let text = super::error::text(bytes, path)?;
    let file = super::file::read_own(text, path)?;
    Source { text, path, roles: &[] }.manners(&file)
}

impl Source<'_> {
    pub(super) fn manners(&self, file: &OwnFile) -> Result<TerminalSettings, ConfigError> {
        let mut manners = TerminalSettings::default();
        self.word(&mut manners.colour, file.colour.as_ref(), "a value of colour", &COLOURS)?;
        self.terminal_notices(&mut manners, &file.notify)?;
        Ok(manners)
    }
}

impl LocalServer {
    /// The agent that works through this server. Its model may still have to be asked for.
    pub(super) fn agent(&self) -> AgentConfig {
        AgentConfig::Model(Box::new(ModelAgent {
            base_url: Some(self.base_url.clone()),
            price: Some(LOCAL.to_owned()),
            model: self.model.clone().unwrap_or_default(),
            ..ModelAgent::usual(ModelKind::OpenAi)
        }))
    }
}

impl ModelAgent {
    /// An agent of this kind as it is without any settings.
    pub(super) fn usual(kind: ModelKind) -> ModelAgent {
        ModelAgent {
            kind,
            model: builtin_cards().default_model(kind.name()).expect("a test asks for that of every kind"),
            program: None,
            base_url: None,
            key_env: None,
            key_file: None,
            proxy: None,
            price: None,
            wire: Wire::Chat,
            schema: SchemaForm::JsonSchema,
            bash: BashRule::default(),
            max_tokens: None,
            pass: Vec::new(),
            args: Vec::new(),
            mcp: Default::default(),
        }
    }
}

/// The address of Ollama's OpenAI protocol, from its own variable: `host`, `host:port` or a whole address.
fn ollama(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let authority = rest.split('/').next().unwrap_or_default();
    // This address means that it listens on every one; it is reached at that of this machine.
    let authority = authority.replacen("0.0.0.0", "127.0.0.1", 1);
    let has_port =
        authority.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let port = if has_port { String::new() } else { format!(":{OLLAMA_PORT}") };
    format!("{scheme}://{authority}{port}/v1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(variables: &[(&str, &str)]) -> UserSettings {
        UserSettings::from_environment(&Environment(
            variables.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        ))
    }

    #[test]
    fn the_file_is_in_the_configuration_folder_that_the_environment_names() {
        for (variables, file) in [
            ([("XDG_CONFIG_HOME", "/x/conf"), ("HOME", "/home/me")], Some("/x/conf/redraft/config.toml")),
            ([("XDG_CONFIG_HOME", ""), ("HOME", "/home/me")], Some("/home/me/.config/redraft/config.toml")),
            (
                [("XDG_CONFIG_HOME", "conf"), ("HOME", "/home/me")],
                Some("/home/me/.config/redraft/config.toml"),
            ),
            ([("XDG_CONFIG_HOME", ""), ("HOME", "")], None),
        ] {
            assert_eq!(own(&variables).file.as_deref(), file.map(Path::new), "{variables:?}");
        }
    }

    #[test]
    fn a_local_server_is_one_on_this_machine_that_a_variable_names() {
        for (name, value, base_url) in [
            ("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1/", Some("http://127.0.0.1:8080/v1")),
            ("OPENAI_BASE_URL", "https://elsewhere.test/v1", None),
            ("OLLAMA_HOST", "127.0.0.1", Some("http://127.0.0.1:11434/v1")),
            ("OLLAMA_HOST", "0.0.0.0:9", Some("http://127.0.0.1:9/v1")),
            ("OLLAMA_HOST", "http://localhost:7/", Some("http://localhost:7/v1")),
            ("OLLAMA_HOST", "box.test", None),
            ("PORT", "8080", None),
        ] {
            let found = own(&[(name, value), ("OPENAI_MODEL", "tiny")]).local;
            let expected = base_url.map(|url| (url.to_owned(), name.to_owned(), Some("tiny".to_owned())));
            let found = found.map(|one| (one.base_url, one.variable.to_owned(), one.model));
            assert_eq!(found, expected, "{name}={value}");
        }
    }
}
