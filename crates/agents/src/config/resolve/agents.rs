//! The tables of agents: what each kind needs, and what means nothing for it.

use super::super::error::ConfigError;
use super::super::file::AgentFile;
use super::super::source::Source;
use super::super::{
    AgentConfig, BashRule, Config, ModelAgent, ModelKind, Origin, REHEARSAL, SchemaForm, Wire,
};
use redraft_facts::ids::AgentName;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

const KINDS: [(&str, Kind); 6] = [
    (REHEARSAL, Kind::Rehearsal),
    ("claude", Kind::Model(ModelKind::Claude)),
    ("codex", Kind::Model(ModelKind::Codex)),
    ("anthropic", Kind::Model(ModelKind::Anthropic)),
    ("openai", Kind::Model(ModelKind::OpenAi)),
    ("pull", Kind::Pull),
];

const WIRE: [(&str, Wire); 2] = [("chat", Wire::Chat), ("responses", Wire::Responses)];

const BASH: [(&str, BashRule); 2] = [("checks", BashRule::Checks), ("all", BashRule::All)];

const SCHEMA: [(&str, SchemaForm); 3] = [
    ("json_schema", SchemaForm::JsonSchema),
    ("json_object", SchemaForm::JsonObject),
    ("none", SchemaForm::None),
];

#[derive(Debug, Clone, Copy)]
enum Kind {
    Rehearsal,
    Model(ModelKind),
    Pull,
}

impl Source<'_> {
    pub(super) fn agents(
        &self,
        config: &mut Config,
        file: &BTreeMap<Spanned<String>, AgentFile>,
        origin: Origin,
    ) -> Result<(), ConfigError> {
        for (name, agent) in file {
            let (named, settings) = (self.agent_name(name)?, self.agent(name, agent)?);
            config.agents.insert(named.clone(), settings);
            config.origins.insert(named, origin);
        }
        Ok(())
    }

    fn agent_name(&self, name: &Spanned<String>) -> Result<AgentName, ConfigError> {
        let word = name.get_ref();
        let plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        if word.is_empty() || !word.bytes().all(plain) {
            let message = format!("`{word}` cannot be the name of an agent");
            let hint = "use lower-case letters, digits, `-` and `_`";
            return Err(self.wrong(&name.span(), message).hint(hint));
        }
        Ok(AgentName::new(word.clone()))
    }

    pub(super) fn agent(&self, name: &Spanned<String>, file: &AgentFile) -> Result<AgentConfig, ConfigError> {
        let named = KINDS.iter().find(|(kind, _)| kind == name.get_ref());
        if file.kind.is_none() && named.is_none() {
            let message = format!("the agent `{name}` has no kind", name = name.get_ref());
            return Err(self.wrong(&name.span(), message).hint("add a line such as `kind = \"claude\"`"));
        }
        // An agent that is called like a kind is of that kind.
        let mut kind = named.map_or(Kind::Rehearsal, |(_, kind)| *kind);
        self.word(&mut kind, file.kind.as_ref(), "a kind of agent", &KINDS)?;
        match kind {
            Kind::Rehearsal => {
                self.only(file, &["kind", "scenario"], REHEARSAL)?;
                Ok(AgentConfig::Rehearsal { scenario: self.scenario(file.scenario.as_ref())? })
            }
            Kind::Model(kind) => Ok(AgentConfig::Model(Box::new(self.model(name, file, kind)?))),
            Kind::Pull => {
                self.only(file, &["kind"], "pull")?;
                Ok(AgentConfig::Pull)
            }
        }
    }

    pub(super) fn model(
        &self,
        name: &Spanned<String>,
        file: &AgentFile,
        kind: ModelKind,
    ) -> Result<ModelAgent, ConfigError> {
        let program = ["kind", "model", "program", "price", "pass", "args", "mcp"].as_slice();
        let service =
            ["kind", "model", "base_url", "key_env", "key_file", "price", "max_tokens", "proxy"].as_slice();
        match kind {
            ModelKind::Claude => self.only(file, &[program, &["max_tokens", "bash"]].concat(), "claude")?,
            // Codex has no setting for the length of an answer.
            ModelKind::Codex => self.only(file, program, "codex")?,
            ModelKind::Anthropic => self.only(file, service, "anthropic")?,
            ModelKind::OpenAi => self.only(file, &[service, &["wire", "schema"]].concat(), "openai")?,
        }
        let text = |written: &Option<Spanned<String>>| {
            written
                .as_ref()
                .map(|written| written.get_ref().trim().to_owned())
                .filter(|text| !text.is_empty())
        };
        let model = self.model_name(name, file, kind)?;
        let (mut wire, mut schema, mut max_tokens) = (Wire::Chat, SchemaForm::JsonSchema, 0);
        self.word(&mut wire, file.wire.as_ref(), "a wire", &WIRE)?;
        self.word(&mut schema, file.schema.as_ref(), "a form of schema", &SCHEMA)?;
        let mut bash = BashRule::default();
        self.word(&mut bash, file.bash.as_ref(), "a word for what may be run", &BASH)?;
        self.number(&mut max_tokens, file.max_tokens.as_ref(), "max_tokens", 256..=200_000)?;
        let words = |list: &Option<Vec<Spanned<String>>>| {
            list.iter().flatten().map(|word| word.get_ref().clone()).collect()
        };
        Ok(ModelAgent {
            kind,
            model,
            program: text(&file.program),
            base_url: text(&file.base_url),
            key_env: text(&file.key_env),
            key_file: text(&file.key_file),
            proxy: text(&file.proxy),
            price: text(&file.price),
            wire,
            schema,
            bash,
            max_tokens: file.max_tokens.as_ref().map(|_| max_tokens),
            pass: self.pass(file.pass.as_deref().unwrap_or_default())?,
            args: words(&file.args),
            mcp: self.mcp(file.mcp.as_ref())?,
        })
    }

    /// A star alone would pass on everything, also what nobody thought of.
    fn pass(&self, names: &[Spanned<String>]) -> Result<Vec<String>, ConfigError> {
        if let Some(all) = names.iter().find(|name| name.get_ref().trim() == "*") {
            let message = "`pass` cannot be all variables of the environment";
            let hint = "name them, or what they begin with: pass = [\"MY_*\"]";
            return Err(self.wrong(&all.span(), message.to_owned()).hint(hint));
        }
        Ok(names.iter().map(|name| name.get_ref().clone()).collect())
    }

    /// A key that means nothing for this kind of agent is a mistake, not decoration.
    fn only(&self, file: &AgentFile, known: &[&str], kind: &str) -> Result<(), ConfigError> {
        let texts = [
            ("scenario", &file.scenario),
            ("model", &file.model),
            ("program", &file.program),
            ("base_url", &file.base_url),
            ("key_env", &file.key_env),
            ("key_file", &file.key_file),
            ("proxy", &file.proxy),
            ("price", &file.price),
            ("wire", &file.wire),
            ("schema", &file.schema),
            ("bash", &file.bash),
        ];
        let written = texts.iter().filter_map(|(key, value)| Some((*key, value.as_ref()?.span())));
        let written = written.chain(file.max_tokens.as_ref().map(|value| ("max_tokens", value.span())));
        let lists = [("pass", &file.pass), ("args", &file.args)];
        let first = |(key, list): (&'static str, &Option<Vec<Spanned<String>>>)| {
            Some((key, list.as_ref()?.first()?.span()))
        };
        let servers = file.mcp.iter().flatten().map(|(name, _)| ("mcp", name.span())).take(1);
        for (key, span) in written.chain(lists.into_iter().filter_map(first)).chain(servers) {
            if !known.contains(&key) {
                let message = format!("`{key}` means nothing for an agent of kind {kind}");
                return Err(self.wrong(&span, message).hint(format!("known here: {}", known.join(", "))));
            }
        }
        Ok(())
    }

    fn scenario(&self, written: Option<&Spanned<String>>) -> Result<Option<PathBuf>, ConfigError> {
        let Some(written) = written.filter(|written| !written.get_ref().is_empty()) else { return Ok(None) };
        self.inside(written)?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Ok(Some(folder.join(written.get_ref())))
    }
}
