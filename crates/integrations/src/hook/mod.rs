//! Answers the hooks of an interactive agent: the pure part of `redraft hook`.
//!
//! An agent's host (Claude Code) starts a hook with an event as JSON and reads an answer as JSON; [`Input`] and the
//! functions of [`answer`] are these two forms. In between: [`feature_view`] (which feature is meant), [`session`] (the
//! text at the beginning of a session), [`guard`] and [`shell`] (what a tool would write, and the refusal),
//! [`reminder`] (what is said when the agent stops), [`memory`] (what was said to a session before). Nothing here knows
//! files, folders or the time. In doubt a hook says nothing: it must never get in the way of the user's own work.

pub mod answer;
pub mod feature_view;
pub mod guard;
pub mod memory;
pub mod reminder;
pub mod session;
pub mod shell;

use redraft_facts::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// An event as the host reports it. The format belongs to the host and may grow, so unknown fields are ignored.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Input {
    pub session_id: String,
    /// The folder of the session.
    pub cwd: String,
    pub hook_event_name: String,
    /// Why a session starts: `startup`, `resume`, `clear` or `compact`.
    pub source: String,
    pub tool_name: String,
    pub tool_input: Value,
    /// Whether the agent goes on only because a hook made it.
    pub stop_hook_active: bool,
}

/// The events that can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    SessionStart,
    PreToolUse,
    Stop,
}

impl HookEvent {
    /// The host's name for it.
    pub fn name(self) -> &'static str {
        match self {
            HookEvent::SessionStart => "SessionStart",
            HookEvent::PreToolUse => "PreToolUse",
            HookEvent::Stop => "Stop",
        }
    }
}

impl Input {
    /// Reads an event. None where it is not an event of this kind: what is not understood is not answered.
    pub fn read(bytes: &[u8], event: HookEvent) -> Option<Input> {
        // A list would be taken for the fields in their order.
        bytes.trim_ascii_start().starts_with(b"{").then_some(())?;
        let input: Input = serde_json::from_slice(bytes).ok()?;
        let named = input.hook_event_name.as_str();
        (named.is_empty() || named == event.name()).then_some(input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_whatever_else_it_says_and_none_is_made_up() {
        let read = |text: &str| Input::read(text.as_bytes(), HookEvent::Stop);
        let input =
            read(r#"{"session_id":"s","hook_event_name":"Stop","stop_hook_active":true,"new":[1]}"#).unwrap();
        assert_eq!((input.session_id.as_str(), input.stop_hook_active), ("s", true));
        assert!(read(r#"{"session_id":"s"}"#).is_some(), "a host that does not name its event");
        for wrong in ["", "{", "[]", "null", r#"{"cwd":7}"#, r#"{"hook_event_name":"SubagentStop"}"#] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
