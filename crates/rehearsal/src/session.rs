//! Keeps conversations as files, and the log of what was asked and answered.
//!
//! Knows nothing about reviews: a memory holds texts and words that the roles put there. Start at [`Sessions`]. A
//! conversation is replaced in one step before its answer is handed out, so a crash leaves either the turn with its
//! memory or neither.

use redraft_facts::ids::SessionId;
use redraft_facts::ticket::Ticket;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;

pub(super) struct Sessions {
    state: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conversation {
    v: u32,
    pub(super) memory: Memory,
    pub(super) turns: Vec<Turn>,
    /// What it was given to keep in mind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
}

/// What a role knows in a conversation without reading again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    /// The texts it has seen, by path.
    pub(super) texts: BTreeMap<String, String>,
    /// The document under work and the PRD it builds on; empty where there is none.
    pub(super) artifact: String,
    pub(super) prd: String,
    pub(super) idea: String,
    /// The faults it reported, as described then.
    pub(super) reported: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turn {
    pub(super) ticket: String,
    /// What was known before this turn, to return to if its message was lost.
    before: Memory,
    pub(super) prompt_chars: u64,
    pub(super) answer_chars: u64,
}

/// One line of the log.
#[derive(Debug, Serialize)]
pub(super) struct LogLine<'a> {
    pub(super) v: u32,
    pub(super) at: &'static str,
    pub(super) ticket: &'a str,
    pub(super) session: &'a str,
    pub(super) resume: bool,
    pub(super) prompt_sha256: &'a str,
    pub(super) chars: u64,
}

impl Default for Conversation {
    fn default() -> Self {
        Conversation { v: VERSION, memory: Memory::default(), turns: Vec::new(), code: None }
    }
}

impl Conversation {
    /// Characters said so far, by both sides.
    pub(super) fn chars(&self) -> u64 {
        self.turns.iter().map(|turn| turn.prompt_chars + turn.answer_chars).sum()
    }

    /// Goes back to before an earlier attempt at the same dispatch, whose message may not have arrived.
    pub(super) fn forget(&mut self, ticket: &Ticket) {
        let same = |turn: &Turn| {
            turn.ticket.parse::<Ticket>().is_ok_and(|earlier| {
                earlier.attempt <= ticket.attempt && Ticket { attempt: ticket.attempt, ..earlier } == *ticket
            })
        };
        if let Some(at) = self.turns.iter().position(same) {
            self.memory = self.turns[at].before.clone();
            self.turns.truncate(at);
        }
    }

    pub(super) fn take_turn(&mut self, ticket: &Ticket, after: Memory, prompt_chars: u64, answer_chars: u64) {
        let before = std::mem::replace(&mut self.memory, after);
        self.turns.push(Turn { ticket: ticket.to_string(), before, prompt_chars, answer_chars });
    }
}

impl Sessions {
    pub(super) fn new(state: &Path) -> Self {
        Sessions { state: state.to_owned() }
    }

    /// The conversation of that name; none if there is no such conversation.
    pub(super) fn load(&self, session: &SessionId) -> io::Result<Option<Conversation>> {
        let path = self.path(session);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let damaged = |detail: String| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{}: {detail}", path.display()))
        };
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|e| damaged(e.to_string()))?;
        match value.get("v").and_then(serde_json::Value::as_u64) {
            Some(v) if v == u64::from(VERSION) => {}
            Some(v) => {
                return Err(damaged(format!(
                    "version {v} was written by another redraft; this one reads {VERSION}"
                )));
            }
            None => return Err(damaged("no version".to_owned())),
        }
        serde_json::from_value(value).map(Some).map_err(|e| damaged(e.to_string()))
    }

    pub(super) fn save(&self, session: &SessionId, conversation: &Conversation) -> io::Result<()> {
        let path = self.path(session);
        let parent = path.parent().unwrap_or(&self.state);
        std::fs::create_dir_all(parent)?;
        let bytes = serde_json::to_vec(conversation).map_err(io::Error::other)?;
        let new = path.with_extension("json.new");
        std::fs::write(&new, bytes)?;
        std::fs::rename(&new, &path)
    }

    pub(super) fn remove(&self, session: &SessionId) -> io::Result<()> {
        match std::fs::remove_file(self.path(session)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Appends a line in one write, so that two processes do not mix theirs.
    pub(super) fn log(&self, line: &LogLine<'_>) -> io::Result<()> {
        std::fs::create_dir_all(&self.state)?;
        let mut text = serde_json::to_string(line).map_err(io::Error::other)?;
        text.push('\n');
        let mut file =
            std::fs::OpenOptions::new().append(true).create(true).open(self.state.join("log.jsonl"))?;
        file.write_all(text.as_bytes())
    }

    /// Where uses of limited scenario rules are counted.
    pub(super) fn rule_uses(&self) -> PathBuf {
        self.state.join("rules")
    }

    /// A file name for any session name: letters, digits and dashes as they are, other bytes in hex.
    fn path(&self, session: &SessionId) -> PathBuf {
        let mut name = String::new();
        for byte in session.as_str().bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
                other => name.push_str(&format!("%{other:02x}")),
            }
        }
        self.state.join("sessions").join(format!("{name}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(text: &str) -> Ticket {
        text.parse().unwrap()
    }

    fn knowing(text: &str) -> Memory {
        Memory { texts: BTreeMap::from([("spec.md".to_owned(), text.to_owned())]), ..Memory::default() }
    }

    #[test]
    fn a_repeated_attempt_forgets_the_turn_of_the_earlier_one_and_all_after_it() {
        let mut conversation = Conversation::default();
        conversation.take_turn(&ticket("031/specify.1/review/spec-reviewer/1.1"), knowing("one"), 10, 5);
        conversation.take_turn(&ticket("031/specify.1/review/spec-reviewer/2.1"), knowing("two"), 10, 5);
        conversation.take_turn(&ticket("031/specify.1/repair/spec-reviewer/1.1"), knowing("three"), 10, 5);
        conversation.forget(&ticket("031/specify.1/review/spec-reviewer/3.1"));
        assert_eq!(conversation.turns.len(), 3);
        conversation.forget(&ticket("031/specify.1/review/spec-reviewer/2.2"));
        assert_eq!(conversation.memory, knowing("one"));
        assert_eq!(conversation.turns.len(), 1);
        assert_eq!(conversation.chars(), 15);
    }

    #[test]
    fn a_conversation_is_found_again_as_it_was_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(folder.path());
        let mut conversation = Conversation::default();
        conversation.take_turn(&ticket("031/specify.1/review/spec-reviewer/1.1"), knowing("one"), 10, 5);
        let odd = SessionId::new("../a b/é");
        sessions.save(&odd, &conversation).unwrap();
        assert_eq!(sessions.load(&odd).unwrap(), Some(conversation));
        assert_eq!(sessions.load(&SessionId::new("ab")).unwrap(), None);
        assert!(folder.path().join("sessions").read_dir().unwrap().count() == 1);
        sessions.remove(&odd).unwrap();
        sessions.remove(&odd).unwrap();
        assert_eq!(sessions.load(&odd).unwrap(), None);
    }

    #[test]
    fn the_first_version_of_the_file_stays_readable_and_a_newer_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(folder.path());
        std::fs::create_dir(folder.path().join("sessions")).unwrap();
        let path = folder.path().join("sessions/s.json");
        let v1 = r#"{"v":1,"memory":{"texts":{"spec.md":"x"},"artifact":"spec.md","prd":"","idea":"","reported":["r"]},
            "turns":[{"ticket":"031/specify.1/review/spec-reviewer/1.1","before":{"texts":{},"artifact":"","prd":"","idea":"","reported":[]},
            "prompt_chars":3,"answer_chars":4}]}"#;
        std::fs::write(&path, v1).unwrap();
        let conversation = sessions.load(&SessionId::new("s")).unwrap().unwrap();
        assert_eq!((conversation.chars(), conversation.memory.reported.len()), (7, 1));
        std::fs::write(&path, v1.replace("\"v\":1", "\"v\":2")).unwrap();
        let error = sessions.load(&SessionId::new("s")).unwrap_err().to_string();
        assert!(error.contains("version 2"), "{error}");
    }
}
