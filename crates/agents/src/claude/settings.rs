//! The settings of a Claude Code agent.

use crate::mcp::McpServers;
use crate::programs::Containment;
use redraft_adapters::child::Environment;
use redraft_cost::price::Card;
use redraft_facts::ids::AgentName;
use redraft_facts::redact::Redactor;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The longest answer, unless the configuration says otherwise.
const ANSWER_TOKENS: u32 = 16_000;

/// The settings of a Claude Code agent.
#[derive(Debug, Clone)]
pub struct ClaudeSettings {
    pub name: AgentName,
    /// The program, found already.
    pub program: PathBuf,
    /// Always named: otherwise the program's own choice could change between two turns.
    pub model: String,
    /// The agent's own folder: what is kept of each conversation.
    pub state: PathBuf,
    /// Where the output of each dispatch is kept, by ticket.
    pub runs: PathBuf,
    /// Our own binary.
    pub worker: PathBuf,
    /// The user's variables, of which a named set is passed on.
    pub environment: Environment,
    /// More variables to pass on, by name; a star at the end stands for any ending.
    pub pass: Vec<String>,
    pub max_turns: u32,
    /// The longest answer.
    pub max_tokens: Option<u32>,
    /// Tools whose name differs from the profile's.
    pub tool_map: BTreeMap<String, String>,
    /// What a role that may run commands may run without a question, because nobody is there to answer one.
    pub bash: Bash,
    /// Servers with more tools.
    pub mcp: McpServers,
    pub extra_args: Vec<String>,
    /// What the model costs.
    pub card: Card,
    /// Knows every key of the configuration, also those of other agents: a program can come across them.
    pub redactor: Redactor,
    /// What holds it.
    pub containment: Containment,
}

/// The commands of its shell that are allowed beforehand. The program itself allows what only reads, and, for roles
/// that may write, what creates or removes files of the working folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bash {
    /// These, as a person has accepted them; without any there is no shell.
    Only(Vec<String>),
    /// All of them.
    All,
}

impl ClaudeSettings {
    pub(super) fn answer_tokens(&self) -> u32 {
        self.max_tokens.unwrap_or(ANSWER_TOKENS)
    }
}
