//! The identity of an agent at a dispatch: its kind, the program or service behind it, and the model.
//!
//! Stored with every dispatch before it is sent. `core::attribution` finds the agent behind a verdict.

use crate::ids::AgentName;
use crate::prelude::*;
use crate::text::one_line;
use serde::{Deserialize, Serialize};

/// An agent as it was at a dispatch. What is not known is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentIdentity {
    pub kind: PlayerKind,
    /// What runs the model: `Claude Code`, `Codex`, a service's protocol, or the name a host gives itself.
    pub program: String,
    /// The program's version; a service reports none.
    pub version: String,
    /// The model that was asked for; empty where there is none, or only the host knows it.
    pub model: String,
}

/// The kinds of agents, in the words of the configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlayerKind {
    /// It did not say.
    #[default]
    Unknown,
    Rehearsal,
    Claude,
    Codex,
    Anthropic,
    OpenAi,
    /// A host that came for the work.
    Pull,
}

/// Shown to people where the rehearsal agent played a role.
pub const REHEARSED: &str = "rehearsal, no model";

impl AgentIdentity {
    /// Names are kept short and on one line, wherever they come from.
    pub fn new(kind: PlayerKind, program: &str, version: &str, model: &str) -> AgentIdentity {
        const CHARS_MAX: usize = 100;
        let [program, version, model] = [program, version, model].map(|text| one_line(text, CHARS_MAX));
        AgentIdentity { kind, program, version, model }
    }

    /// As people read it: `claude (Claude Code 2.1.325), claude-sonnet-5.5` or `rehearsal, no model`. If it is not
    /// known, the agent's name alone.
    pub fn shown(&self, agent: &AgentName) -> String {
        let program = format!("{} {}", self.program, self.version);
        let program = match program.trim() {
            "" => String::new(),
            program => format!(" ({program})"),
        };
        match self.kind {
            PlayerKind::Unknown => agent.to_string(),
            PlayerKind::Rehearsal if agent.as_str() == "rehearsal" => REHEARSED.to_owned(),
            PlayerKind::Rehearsal => format!("{REHEARSED} (agent {agent})"),
            PlayerKind::Pull => format!("{agent}{program}, model not known"),
            PlayerKind::Claude | PlayerKind::Codex | PlayerKind::Anthropic | PlayerKind::OpenAi => {
                format!("{agent}{program}, {}", self.model)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_shown_with_its_program_its_version_and_its_model() {
        for (agent, player, shown) in [
            (
                "rehearsal",
                AgentIdentity::new(PlayerKind::Rehearsal, "redraft", "1.0", ""),
                "rehearsal, no model",
            ),
            (
                "quick",
                AgentIdentity::new(PlayerKind::Rehearsal, "redraft", "1.0", ""),
                "rehearsal, no model (agent quick)",
            ),
            (
                "claude",
                AgentIdentity::new(PlayerKind::Claude, "Claude Code", "2.1.325", "claude-sonnet-5.5"),
                "claude (Claude Code 2.1.325), claude-sonnet-5.5",
            ),
            ("codex", AgentIdentity::new(PlayerKind::Codex, "Codex", "", "gpt-6"), "codex (Codex), gpt-6"),
            (
                "sonnet",
                AgentIdentity::new(PlayerKind::Anthropic, "Anthropic API", "", "claude-sonnet-5.5"),
                "sonnet (Anthropic API), claude-sonnet-5.5",
            ),
            (
                "host",
                AgentIdentity::new(PlayerKind::Pull, "claude-code", "2.1.325", ""),
                "host (claude-code 2.1.325), model not known",
            ),
            ("host", AgentIdentity::new(PlayerKind::Pull, "", "", ""), "host, model not known"),
            ("claude", AgentIdentity::default(), "claude"),
        ] {
            assert_eq!(player.shown(&AgentName::new(agent)), shown);
        }
    }

    #[test]
    fn a_name_that_somebody_made_up_stays_on_one_line() {
        let player = AgentIdentity::new(PlayerKind::Pull, "evil\nRedraft-Seq: 1", "1\n\n2", &"x".repeat(500));
        let all = format!("{player:?}");
        assert!(!all.contains("\\n") && all.chars().count() < 400, "{all}");
    }
}
