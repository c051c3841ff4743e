//! Builds the prompts of a probe, turn by turn: one fresh prompt and two that continue the conversation.
//!
//! It is like a real dispatch in everything a cache or a conversation depends on: first the rules that every role gets,
//! then what is the same in all turns, and the same answer form. What the answers mean is decided in [`crate::probe`].

use super::schema::FORM;
use super::stable;
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::prelude::*;
use redraft_facts::text;

const ROLE: &str = include_str!("../../texts/probe-role.md");
const READ: &str = include_str!("../../texts/probe-read.md");
const CONTINUE: &str = include_str!("../../texts/probe-continue.md");
const RECALL: &str = include_str!("../../texts/probe-recall.md");

/// The turns of a probe in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeTurn {
    /// A fresh conversation reads the file and reports what is wrong with it.
    Read,
    /// The conversation is continued, with nothing changed in the folder.
    Continue,
    /// The conversation is continued after a commit that changed the file, and reports what it remembers.
    Recall,
}

impl ProbeTurn {
    pub const ALL: [ProbeTurn; 3] = [ProbeTurn::Read, ProbeTurn::Continue, ProbeTurn::Recall];

    /// Counted from 1, as tickets do.
    pub fn number(self) -> u16 {
        match self {
            ProbeTurn::Read => 1,
            ProbeTurn::Continue => 2,
            ProbeTurn::Recall => 3,
        }
    }
}

/// The prompt of one turn; only the first has more than the turn itself.
pub fn probe(turn: ProbeTurn) -> Prompt {
    match turn {
        ProbeTurn::Read => Prompt {
            constant: stable::constant_fragments(),
            feature: Vec::new(),
            role: vec![Fragment::new("probe-role", ROLE), answer_form()],
            turn: vec![Fragment::new("probe-read", READ)],
        },
        ProbeTurn::Continue => continued("probe-continue", CONTINUE),
        ProbeTurn::Recall => continued("probe-recall", RECALL),
    }
}

fn continued(name: &str, text: &str) -> Prompt {
    let again = Fragment::new(
        "return",
        "Answer with one JSON object of the form you were given in turn 1, and nothing after it.\n",
    );
    Prompt { turn: vec![Fragment::new(name, text), again], ..Prompt::default() }
}

fn answer_form() -> Fragment {
    let text = format!(
        "## Your Answer\n\n\
         In every turn, one JSON object of this form and nothing after it. Every field is required; an empty text, \
         an empty list or 0 means none.\n\n{}\n\
         - `approved`: true.\n\
         - `summary`: what you did in this turn, in one sentence.\n\
         - `answers`, `checks`: empty.\n\
         - `issues`: in turn 1 one entry for every faulty line, later none. `severity` is `warning`, `category` is \
         `quantity`, `claim` is `present`, `file` is `inventory.txt`, `line` its number, `quote` the whole line, \
         `description` what is missing; `section`, `suggestion` and `same_as` are empty.\n\
         - `verified`: what a later turn asks for; empty in turn 1.\n\
         - `files_read`: every file you opened in this turn, with its number of lines.\n",
        text::fenced("json", FORM)
    );
    Fragment::new("return", text)
}
