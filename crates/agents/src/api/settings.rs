//! The settings of an agent behind HTTP. Plain values; where they come from is not known here.

use super::proxy::is_here;
use super::reach::shown;
use crate::tools::Commands;
use redraft_cost::price::Card;
use redraft_facts::ids::AgentName;
use redraft_facts::redact::Redactor;
use std::fmt;
use std::path::PathBuf;

/// A secret that is sent and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

#[derive(Debug, Clone)]
pub struct AnthropicSettings {
    pub name: AgentName,
    pub model: String,
    /// Without a path: `https://api.anthropic.com`.
    pub base_url: String,
    pub key: Key,
    pub bounds: Bounds,
    /// Where conversations are kept, in `sessions/`.
    pub state: PathBuf,
    pub card: Card,
    pub redactor: Redactor,
    pub proxy: Option<String>,
    /// What its model may run, where its role has the tool.
    pub commands: Option<Commands>,
}

#[derive(Debug, Clone)]
pub struct OpenAiSettings {
    pub name: AgentName,
    pub model: String,
    /// With the version, without the rest of the path: `https://api.openai.com/v1`.
    pub base_url: String,
    /// Local servers need none.
    pub key: Option<Key>,
    pub wire: OpenAiWire,
    pub form: AnswerForm,
    pub length: LengthField,
    pub bounds: Bounds,
    pub state: PathBuf,
    pub card: Card,
    pub redactor: Redactor,
    pub proxy: Option<String>,
    /// What its model may run, where its role has the tool.
    pub commands: Option<Commands>,
}

/// Which of OpenAI's protocols the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenAiWire {
    Chat,
    /// `reasoning` asks for the model's encrypted reasoning, so that it can be sent back; models without it refuse
    /// that.
    Responses {
        reasoning: bool,
    },
}

/// How the server can be made to answer in the verdict's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    JsonSchema,
    JsonObject,
    /// Not at all; the prompt alone asks for it.
    None,
}

/// What the server calls the longest answer it may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthField {
    MaxTokens,
    MaxCompletionTokens,
}

/// How much one dispatch may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The longest single answer.
    pub answer_tokens: u64,
    /// What is reserved for tool results on top of the prompt.
    pub tool_tokens: u64,
    /// Requests of one dispatch, not counting repetitions after errors.
    pub turns: u32,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { answer_tokens: 16_000, tool_tokens: 100_000, turns: 40 }
    }
}

impl Key {
    pub fn new(key: impl Into<String>) -> Key {
        Key(key.into().trim().to_owned())
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// The base URL without a slash at its end. A key is sent in the clear to this machine only.
pub(super) fn checked_url(url: &str, with_key: bool) -> Result<String, String> {
    let url = url.trim().trim_end_matches('/');
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let authority = rest.split('/').next().unwrap_or_default();
    if !["http", "https"].contains(&scheme) || authority.is_empty() {
        return Err(format!("base_url `{}` is not an http or https URL", shown(url)));
    }
    if authority.contains('@') {
        return Err("base_url holds a user name or password; give the key as a key instead".to_owned());
    }
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    if scheme == "http" && with_key && !is_here(host) {
        return Err(format!("base_url `{url}` would send the key in the clear; use https"));
    }
    Ok(url.to_owned())
}
