//! The conversation an answer comes from, where a host did the work in a conversation of its own.
//!
//! A host's names for its conversations are taken at its word; nothing here can see into one. `core::review::Loop`
//! records which of them wrote a text.

use crate::prelude::*;
use crate::text::one_line;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostConversation {
    /// What the host calls the conversation in which the work was done.
    pub conversation: String,
    /// Whether this is a review of what the same conversation wrote.
    pub same: bool,
}

impl HostConversation {
    /// The name of a conversation as it is stored and compared: one line, of readable length.
    pub fn name(conversation: &str) -> String {
        const CHARS_MAX: usize = 120;
        one_line(conversation, CHARS_MAX)
    }
}
