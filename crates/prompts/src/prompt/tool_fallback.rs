//! What is told to a role that is kept in a file of a tool, and in no prompt: which of its tools it may have to do
//! without.

use super::stable::{NOTHING_ELSE, looks_outside, unchecked};
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;

/// What a role does without some of its tools, where it is not known beforehand which. None for a role that looks
/// nothing up outside of the repository.
pub fn tool_fallback(tools: &[&str]) -> Option<Fragment> {
    let outside: Vec<String> =
        tools.iter().filter(|tool| looks_outside(tool)).map(|tool| format!("`{tool}`")).collect();
    let (first, others) = outside.split_first()?;
    let named = match others {
        [] => first.clone(),
        others => format!("{first}, {}", others.join(", ")),
    };
    let text = format!(
        "## Tool Fallback\n\n\
         Your role counts on {named}. Do not call one that does not exist here.\n\n\
         1. Use those that exist for what the others would have been used for. Where none exists: {NOTHING_ELSE}\n\
         {}",
        unchecked(tools)
    );
    Some(Fragment::new("tool-fallback", text))
}
