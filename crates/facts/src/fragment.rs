//! The prompt: four lists of fragments, one for each stability, which can be read in no other order.

use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// How long a fragment stays byte-identical. A cache boundary stands after each of the first three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stability {
    /// The same for every role of every feature: one text for documents, one for code.
    Constant,
    /// The same for every role of one feature and phase; for code, for every reviewer of one round or every task.
    Feature,
    /// The same for every dispatch of one role in one phase.
    Role,
    /// Of this dispatch only.
    Turn,
}

impl Stability {
    pub const ALL: [Stability; 4] =
        [Stability::Constant, Stability::Feature, Stability::Role, Stability::Turn];

    pub fn name(self) -> &'static str {
        match self {
            Stability::Constant => "constant",
            Stability::Feature => "feature",
            Stability::Role => "role",
            Stability::Turn => "turn",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fragment {
    pub name: String,
    pub text: String,
}

impl Fragment {
    pub fn new(name: &str, text: impl Into<String>) -> Self {
        Self { name: name.to_owned(), text: text.into() }
    }
}

/// The fragments of one dispatch. A resumed prompt has only the turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    pub constant: Vec<Fragment>,
    pub feature: Vec<Fragment>,
    pub role: Vec<Fragment>,
    pub turn: Vec<Fragment>,
}

impl Prompt {
    /// Every fragment in sending order.
    pub fn fragments(&self) -> impl Iterator<Item = (Stability, &Fragment)> {
        let tag = |stability| move |fragment| (stability, fragment);
        (self.constant.iter().map(tag(Stability::Constant)))
            .chain(self.feature.iter().map(tag(Stability::Feature)))
            .chain(self.role.iter().map(tag(Stability::Role)))
            .chain(self.turn.iter().map(tag(Stability::Turn)))
    }

    /// The whole text, fragments separated by an empty line.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.fragments().map(|(_, fragment)| fragment.text.trim_end()).collect();
        let mut text = texts.join("\n\n");
        text.push('\n');
        text
    }

    pub fn chars(&self) -> u64 {
        self.text().chars().count() as u64
    }

    /// The first fragment of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fragments().map(|(_, fragment)| fragment).find(|f| f.name == name).map(|f| f.text.as_str())
    }
}
