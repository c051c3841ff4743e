//! Checks whether Claude Code still has what it was shown.
//!
//! It keeps a conversation in a file of its own, which can be cut short, and replaces one that has become too long by a
//! summary. In both cases the model would be told that it has a document in context that it no longer has. Start at
//! [`forgot`].

use super::stream::{Compacted, Heard};
use crate::programs::{ConversationRecord, DispatchRecord, Sessions};
use redraft_adapters::child::Environment;
use redraft_engine::ports::Request;
use redraft_facts::ids::SessionId;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A loss in a conversation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Forgot {
    pub(super) why: String,
    /// Whether the answer was given without what it is about.
    pub(super) spoils_the_answer: bool,
}

/// What was lost in a dispatch that was answered, if anything. An author may go on after a summary that was made on the
/// way: others judge the result.
pub(super) fn forgot(heard: &Heard, asked: &DispatchRecord, sessions: &Sessions) -> Option<Forgot> {
    let compacted = heard.compacted.map(|when| {
        let why = "the conversation had become too long and was replaced by a summary".to_owned();
        let before = asked.resume && when == Compacted::Before;
        Forgot { why, spoils_the_answer: before || !asked.writes }
    });
    let short = || {
        let held = ConversationRecord::read(&sessions.folder(&SessionId::new(asked.session.clone())))?;
        // Where no request stated its size, all of them together were at least as large.
        let all =
            || heard.result.as_ref()?.usage.as_ref().map(|usage| usage.input()).filter(|tokens| *tokens > 0);
        let why = held.is_short(heard.requests.first_prompt().or_else(all)?)?;
        Some(Forgot { why, spoils_the_answer: true })
    };
    compacted.or_else(|| if asked.resume { short() } else { None })
}

/// Says why a conversation cannot go on, where its file is not as it was left.
pub(super) fn is_cut(environment: &Environment, sessions: &Sessions, session: &SessionId) -> Option<String> {
    ConversationRecord::read(&sessions.folder(session))?.is_cut(file(environment, session).as_deref())
}

/// Keeps what the conversation holds now, for the next turn.
pub(super) fn keep(environment: &Environment, sessions: &Sessions, request: &Request, heard: &Heard) {
    let file = file(environment, &request.session);
    let folder = sessions.folder(&request.session);
    // Without it the next turn is not compared with this one; it is no reason to lose an answer.
    let _ = ConversationRecord::keep(&folder, heard.requests.least_next(), file.as_deref());
}

/// `~/.claude/projects/FOLDER/SESSION.jsonl`, whatever the folder is called.
fn file(environment: &Environment, session: &SessionId) -> Option<PathBuf> {
    let value = |name: &str| environment.0.get(OsStr::new(name)).filter(|value| !value.is_empty());
    let home = value("CLAUDE_CONFIG_DIR")
        .map(PathBuf::from)
        .or_else(|| value("HOME").map(|home| Path::new(home).join(".claude")))?;
    let name = format!("{session}.jsonl");
    let folders = fs::read_dir(home.join("projects")).ok()?.flatten();
    folders.map(|folder| folder.path().join(&name)).find(|file| file.is_file())
}
