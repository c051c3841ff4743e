//! Whose hand an answer is from, where a host did the work in a conversation of its own.
//!
//! What a host calls its conversations is taken at its word; nothing here can see into one. Who wrote a text is kept by
//! `core::review::Loop`.

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
    /// The name of a conversation as it is stored and compared: one line, and not longer than anybody would read.
    pub fn name(conversation: &str) -> String {
        const CHARS_MAX: usize = 120;
        one_line(conversation, CHARS_MAX)
    }
}
