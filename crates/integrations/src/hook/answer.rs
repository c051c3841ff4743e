//! The answers of hooks, in the forms that Claude Code reads.
//!
//! Saying nothing has no form: the hook prints nothing. All of these go with exit code 0; code 2 would block whatever is
//! under way.

use super::HookEvent;
use redraft_facts::prelude::*;
use serde_json::{Value, json};

/// A text for the agent at the beginning of its session.
pub fn context(text: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": HookEvent::SessionStart.name(), "additionalContext": text}})
}

/// A tool must not be used like this. With `stop` the turn is to end here, and the person is told why.
pub fn deny(text: &str, stop: bool) -> Value {
    let mut answer = json!({"hookSpecificOutput": {
        "hookEventName": HookEvent::PreToolUse.name(),
        "permissionDecision": "deny",
        "permissionDecisionReason": text,
    }});
    if stop {
        answer["continue"] = false.into();
        answer["stopReason"] = text.to_owned().into();
    }
    answer
}

/// Has a harmless tool call done in place of what was tried, and ends the turn after it. Claude Code 2.1 goes on after
/// a denial, whatever `continue` says, but it does stop after a tool that was carried out.
pub fn replace(text: &str, harmless: Value) -> Value {
    json!({
        "continue": false,
        "stopReason": text,
        "hookSpecificOutput": {
            "hookEventName": HookEvent::PreToolUse.name(),
            "permissionDecision": "allow",
            "permissionDecisionReason": text,
            "updatedInput": harmless,
        },
    })
}

/// The agent is to go on, for a reason.
pub fn block(text: &str) -> Value {
    json!({"decision": "block", "reason": text})
}

/// A text for the person; the agent does not see it, and nothing is held up.
pub fn message(text: &str) -> Value {
    json!({"systemMessage": text})
}
