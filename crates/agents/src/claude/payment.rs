//! Finds out who pays for what Claude Code does.
//!
//! Its first line names the source of its API key: a variable, a helper, a key that a login made, or `none`. Without a
//! key it uses a login, which is mostly a subscription; that is certain where the service reports how much of the plan
//! is used, which it does for no other kind of account. With `none` it may also use a cloud or a gateway; the variables
//! it was given show that.

use super::stream::Heard;
use redraft_adapters::child::Environment;
use redraft_facts::usage::Payment;
use std::ffi::OsStr;

/// Any of these makes it use an account that is billed by the token.
const BILLED: [&str; 5] = [
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_MANTLE",
];

pub(super) fn detect(heard: &Heard, environment: &Environment) -> Payment {
    let set = |name: &&str| {
        let value = environment.0.get(OsStr::new(name)).and_then(|value| value.to_str());
        value.is_some_and(|value| !["", "0", "false"].contains(&value))
    };
    match (heard.key_source.as_deref(), heard.plan) {
        (None, _) => Payment::Unknown,
        (Some("none"), Some(true)) => Payment::Subscription,
        (Some("none"), Some(false)) => Payment::Key,
        (Some("none"), None) if BILLED.iter().any(set) => Payment::Key,
        (Some("none"), None) => Payment::Login,
        (Some(_), _) => Payment::Key,
    }
}
