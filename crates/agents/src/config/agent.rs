//! An agent as it is configured, with every default filled in.

use crate::mcp::McpServers;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentConfig {
    /// Plays a scenario; the built-in one unless a file is named.
    Rehearsal { scenario: Option<PathBuf> },
    /// A program or service with a model behind it.
    Model(Box<ModelAgent>),
    /// A host that comes for its work.
    Pull,
}

/// An agent with a model behind it, as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAgent {
    pub kind: ModelKind,
    /// As it is sent: in its vendor's spelling where it has a card, and the default of the kind where none is named.
    pub model: String,
    /// `claude` and `codex`: the program, looked up on the PATH unless it is a path.
    pub program: Option<String>,
    /// `anthropic` and `openai`: where the service is.
    pub base_url: Option<String>,
    /// The variable of the environment that holds the key.
    pub key_env: Option<String>,
    /// A file that holds the key.
    pub key_file: Option<String>,
    /// `anthropic` and `openai`: the proxy they are reached through, whatever the environment says.
    pub proxy: Option<String>,
    /// `unknown` counts conservatively; another word names the card to use.
    pub price: Option<String>,
    /// `openai`: `chat` or `responses`.
    pub wire: Wire,
    /// `openai`: how the form of the answer is asked for.
    pub schema: SchemaForm,
    /// `claude`: what a role that builds may run.
    pub bash: BashRule,
    /// The longest answer; none where the file does not say.
    pub max_tokens: Option<u32>,
    /// Variables of the environment that are passed on in addition to the usual ones.
    pub pass: Vec<String>,
    /// `claude` and `codex`: more arguments for the program.
    pub args: Vec<String>,
    /// `claude` and `codex`: servers with more tools.
    pub mcp: McpServers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    Claude,
    Codex,
    Anthropic,
    OpenAi,
}

impl ModelKind {
    pub const ALL: [ModelKind; 4] =
        [ModelKind::Claude, ModelKind::Codex, ModelKind::Anthropic, ModelKind::OpenAi];

    /// The word for it in a file, which is also the name of an agent that is of this kind without settings.
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::Claude => "claude",
            ModelKind::Codex => "codex",
            ModelKind::Anthropic => "anthropic",
            ModelKind::OpenAi => "openai",
        }
    }

    /// The name of its program on the PATH; none for a service.
    pub fn program(self) -> Option<&'static str> {
        match self {
            ModelKind::Claude => Some("claude"),
            ModelKind::Codex => Some("codex"),
            ModelKind::Anthropic | ModelKind::OpenAi => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Chat,
    Responses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaForm {
    JsonSchema,
    JsonObject,
    None,
}

/// What a role that builds may run in the shell of its program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BashRule {
    /// The project's checks.
    #[default]
    Checks,
    /// Whatever it wants.
    All,
}
