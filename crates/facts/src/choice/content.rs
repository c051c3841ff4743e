//! The kinds of text a prompt consists of.

use serde::{Deserialize, Serialize};

/// What a text consists of; denser kinds have fewer characters per token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Markdown,
    Prose,
    Code,
    Diff,
    Json,
}

impl Content {
    pub const ALL: [Content; 5] =
        [Content::Markdown, Content::Prose, Content::Code, Content::Diff, Content::Json];
}
