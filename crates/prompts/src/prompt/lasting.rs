//! The part of a role's prompts that is the same in every feature, for tools that keep a role in a file of their own.
//!
//! Nothing here is written down a second time: the fragments are those of a prompt ([`super::sample`]), without the ones
//! that speak of a feature, of its files or of a project.

use super::example::sample;
use super::stable::{NOTHING_ELSE, UNCHECKED, looks_outside};
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::RoleText;

/// The fragments that hold for every dispatch of a role for a purpose, in sending order. None where the role takes no part
/// in the phase or is never asked for that.
pub fn lasting(
    phase: Phase,
    role: &Role,
    purpose: Option<Purpose>,
    own: Option<&RoleText>,
) -> Option<Vec<Fragment>> {
    const NAMES: [&str; 6] = ["house-rules", "code-rules", "reviewer-rules", "rubric", "checklist", "return"];
    let prompt = sample(phase, role, purpose, Strategy::Lazy, own)?.prompt;
    let fragments = prompt.fragments().map(|(_, fragment)| fragment);
    Some(fragments.filter(|fragment| NAMES.contains(&fragment.name.as_str())).cloned().collect())
}

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
         {UNCHECKED}"
    );
    Some(Fragment::new("tool-fallback", text))
}
