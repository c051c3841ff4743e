//! The answers of tools: one JSON object each, beginning with its version. What is too long for a conversation is given
//! as a file.

use clap::CommandFactory as _;
use redraft_core::attribution::RoleAttribution;
use redraft_documents::tokens::{Family, Ratios, kinds};
use redraft_facts::ids::Revision;
use redraft_frame::args::Cli;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use serde::Serialize;

/// A result of more tokens is given as a file.
pub(super) const TOKENS_MAX: u64 = 6_000;

pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl Reply {
    pub(super) fn new(value: &impl Serialize) -> Reply {
        Reply { text: serde_json::to_string(value).unwrap_or_default(), is_error: false }
    }

    /// What a command printed with `--json`.
    pub(super) fn printed(console: &Console) -> Reply {
        Reply { text: console.printed().trim_end().to_owned(), is_error: false }
    }

    /// The same object that a command prints with `--json`.
    pub(super) fn error(error: &CliError) -> Reply {
        let console = Console::capturing();
        console.error(error);
        Reply { is_error: true, ..Reply::printed(&console) }
    }

    pub(super) fn state(state: State) -> Reply {
        Reply::new(&Answer { v: 1, state })
    }
}

/// The answer of `submit`.
#[derive(Serialize)]
pub(super) struct Submitted {
    pub(super) v: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) accepted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
    /// What was changed in the worktree outside what the role may write, and was undone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) undone: Vec<UndoneJson>,
}

#[derive(Serialize)]
pub(super) struct UndoneJson {
    pub(super) what: Vec<String>,
    pub(super) to_get_it_back: String,
}

/// The file of a result that is too long for a conversation.
#[derive(Serialize)]
pub(super) struct InFile {
    pub(super) v: u16,
    pub(super) file: String,
    pub(super) tokens: u64,
}

/// The answer of `cost`.
#[derive(Serialize)]
pub(super) struct Costs {
    pub(super) v: u16,
    pub(super) feature: String,
    pub(super) sum: Spent,
    pub(super) phases: Vec<OfPhase>,
    pub(super) judged_by: Vec<RoleAttribution>,
    pub(super) rehearsed: bool,
    pub(super) more: String,
}

#[derive(Serialize)]
pub(super) struct OfPhase {
    pub(super) phase: &'static str,
    pub(super) pass: u16,
    pub(super) sum: Spent,
}

#[derive(Serialize)]
pub(super) struct Spent {
    pub(super) dispatches: u32,
    pub(super) billed: String,
    /// What a subscription covered, and what went through a login that may be one, by the price list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) covered: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) login: Option<String>,
    /// How many bills are unknown, and the most that may have been charged for them.
    pub(super) unknown: u32,
    pub(super) counted: String,
}

/// The answer of `next`.
#[derive(Serialize)]
struct Answer {
    v: u16,
    #[serde(flatten)]
    state: State,
}

#[derive(Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum State {
    Work {
        feature: String,
        ticket: String,
        role: String,
        /// The role's agent in a plugin of ours; a host without it takes any agent that has not seen the writing.
        run_as: &'static str,
        folder: String,
        tools: Vec<String>,
        /// What it may change, relative to the folder; empty for a role that only reads.
        writes: Vec<String>,
        prompt_file: String,
        schema_file: String,
        expires: String,
        /// The conversation that goes on with it; left out where a fresh one is begun.
        #[serde(skip_serializing_if = "Option::is_none")]
        conversation: Option<String>,
    },
    Decide {
        feature: String,
        question: String,
        options: Vec<&'static str>,
        /// Names the question, for `decide`.
        #[serde(skip_serializing_if = "Option::is_none")]
        seen: Option<u64>,
        /// What it is about, for `decide`.
        #[serde(skip_serializing_if = "Option::is_none")]
        revision: Option<Revision>,
    },
    Wait {
        feature: String,
        #[serde(rename = "for")]
        what: String,
        retry_after_s: u64,
    },
    Held {
        feature: String,
        by: String,
    },
    Done {
        feature: String,
        outcome: String,
        /// Who gave the verdicts that stand.
        judged_by: Vec<RoleAttribution>,
        rehearsed: bool,
        next: String,
    },
    Stopped {
        feature: String,
        reason: String,
        command: String,
    },
}

impl State {
    /// The state where the feature cannot go on, and what to type about it.
    pub(super) fn of_error(feature: String, error: CliError, command: String) -> Result<State, CliError> {
        match error.code {
            ErrorCode::Usage => Err(error),
            // Another server works on it, for this host or another; that passes.
            ErrorCode::Held if error.message.contains("redraft mcp") => {
                Ok(State::Wait { feature, what: error.message, retry_after_s: 5 })
            }
            ErrorCode::Held => Ok(State::Held { feature, by: error.message }),
            _ => {
                let told = error.hints.iter().find_map(|hint| command_in(hint));
                let reason = [vec![error.message], error.hints.clone()].concat().join("; ");
                Ok(State::Stopped { feature, reason, command: told.unwrap_or(command) })
            }
        }
    }
}

/// The command that a hint ends with, where it ends with one.
fn command_in(hint: &str) -> Option<String> {
    let last = hint.rsplit(": ").next()?;
    let words = last.strip_prefix("redraft ")?;
    let command = words.split([' ', ';', ',']).next()?;
    let known = Cli::command().get_subcommands().any(|one| one.get_name() == command);
    known.then(|| last.split([';', ',']).next().unwrap_or(last).to_owned())
}

/// About how many tokens a text has, the same for everybody.
pub(super) fn tokens(text: &str) -> u64 {
    Ratios::measured(Family::for_model("claude")).all_tokens(&kinds(text))
}
