//! Conversations as files: what was sent and said, in the exact bytes that are sent again.
//!
//! `sessions/ID.jsonl`: the first line is what every request begins with, then a line for each message, and a line that
//! ends a turn. A message is written before the next request is sent. Lines after the last finished turn belong to a
//! turn that a crash or a failure interrupted; they are dropped when the conversation is continued. Nothing here knows
//! a protocol. Start at [`Transcripts`].

use redraft_adapters::plain_file;
use redraft_facts::choice::Lifetime;
use redraft_facts::ids::SessionId;
use redraft_facts::text;
use redraft_facts::ticket::Ticket;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;

#[derive(Debug)]
pub(super) struct Transcripts {
    folder: PathBuf,
}

/// One conversation, with the turn in progress at its end.
#[derive(Debug)]
pub(super) struct Transcript {
    file: PathBuf,
    pub(super) head: Head,
    turns: Vec<Turn>,
    now: Vec<String>,
}

/// What every request of the conversation begins with, as raw JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// A hash of everything a continued conversation depends on, including the fields below.
    pub(super) fingerprint: String,
    pub(super) system: String,
    pub(super) tools: String,
    pub(super) schema: String,
}

/// How a turn ended, and what its last request was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Done {
    pub(super) ticket: String,
    /// When the last request was sent.
    pub(super) asked_ms: i64,
    pub(super) prompt_tokens: u64,
    /// A hash of each part that request consisted of, in order.
    pub(super) parts: Vec<String>,
    /// How long its newest message is kept by the cache; none where the vendor decides.
    pub(super) lifetime: Option<Lifetime>,
}

#[derive(Debug)]
struct Turn {
    messages: Vec<String>,
    done: Done,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Opened {
        v: u32,
        head: Head,
    },
    /// Raw JSON as a string, so that no reader can change a byte of it.
    Message(String),
    Done(Done),
}

impl Transcripts {
    pub(super) fn new(state: &Path) -> Transcripts {
        Transcripts { folder: state.join("sessions") }
    }

    /// A new conversation; one of the same name is replaced.
    pub(super) fn open(&self, session: &SessionId, head: Head) -> io::Result<Transcript> {
        let transcript = Transcript { file: self.file(session), head, turns: Vec::new(), now: Vec::new() };
        transcript.replace()?;
        Ok(transcript)
    }

    /// A conversation with its finished turns, up to an earlier attempt at the same dispatch, whose message may never
    /// have been seen. None if there is no such conversation.
    pub(super) fn load(&self, session: &SessionId, ticket: &Ticket) -> io::Result<Option<Transcript>> {
        let file = self.file(session);
        let text = match plain_file::read_own_file(&file) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| io::Error::from(ErrorKind::InvalidData))?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let (mut transcript, dropped) = read(file, &text)?;
        let before = transcript.turns.len();
        let repeated = |turn: &Turn| is_same_dispatch(&turn.done.ticket, ticket);
        let keep = transcript.turns.iter().position(repeated).unwrap_or(before);
        transcript.turns.truncate(keep);
        if dropped || keep < before {
            transcript.replace()?;
        }
        Ok(Some(transcript))
    }

    /// A file name for any session name: letters, digits and dashes as they are, other bytes in hex.
    fn file(&self, session: &SessionId) -> PathBuf {
        let mut name = String::new();
        for byte in session.as_str().bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
                other => name.push_str(&format!("%{other:02x}")),
            }
        }
        self.folder.join(format!("{name}.jsonl"))
    }
}

impl Transcript {
    /// Every message in order, those of the turn in progress last.
    pub(super) fn messages(&self) -> Vec<&str> {
        self.turns.iter().flat_map(|turn| &turn.messages).chain(&self.now).map(String::as_str).collect()
    }

    pub(super) fn last(&self) -> Option<&Done> {
        self.turns.last().map(|turn| &turn.done)
    }

    pub(super) fn bytes(&self) -> u64 {
        let Head { system, tools, schema, .. } = &self.head;
        let all = self.messages().into_iter().chain([system.as_str(), tools, schema]);
        all.map(|text| text.len() as u64).sum()
    }

    /// A hash of each part of a request, in sending order.
    pub(super) fn parts(&self) -> Vec<String> {
        const HASH_CHARS: usize = 16;
        let Head { system, tools, schema, .. } = &self.head;
        let all = [tools.as_str(), system, schema].into_iter().chain(self.messages());
        all.map(|part| text::hash(part.as_bytes()).as_str().chars().take(HASH_CHARS).collect()).collect()
    }

    pub(super) fn add(&mut self, message: String) -> io::Result<()> {
        self.append(&Line::Message(message.clone()))?;
        self.now.push(message);
        Ok(())
    }

    pub(super) fn finish(&mut self, done: Done) -> io::Result<()> {
        self.append(&Line::Done(done.clone()))?;
        self.turns.push(Turn { messages: std::mem::take(&mut self.now), done });
        Ok(())
    }

    /// In one write; a line that a crash cut off is not taken for one.
    fn append(&self, line: &Line) -> io::Result<()> {
        let mut file = fs::OpenOptions::new().append(true).open(&self.file)?;
        file.write_all(text_of(line)?.as_bytes())?;
        file.sync_data()
    }

    /// Rewrites the finished turns, in one step.
    fn replace(&self) -> io::Result<()> {
        let mut text = text_of(&Line::Opened { v: VERSION, head: self.head.clone() })?;
        for turn in &self.turns {
            for message in &turn.messages {
                text.push_str(&text_of(&Line::Message(message.clone()))?);
            }
            text.push_str(&text_of(&Line::Done(turn.done.clone()))?);
        }
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = self.file.with_extension("jsonl.new");
        let mut file = fs::File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        fs::rename(&new, &self.file)
    }
}

/// The finished turns, and whether anything after them was left out.
fn read(file: PathBuf, text: &str) -> io::Result<(Transcript, bool)> {
    let bad = |why: String| io::Error::new(ErrorKind::InvalidData, format!("{}: {why}", file.display()));
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let head = match serde_json::from_str(first) {
        Ok(Line::Opened { v: VERSION, head }) => head,
        Ok(Line::Opened { v, .. }) => {
            return Err(bad(format!("version {v} was written by another redraft; this one reads {VERSION}")));
        }
        Ok(Line::Message(_) | Line::Done(_)) => {
            return Err(bad("it does not begin with its head".to_owned()));
        }
        Err(error) => return Err(bad(error.to_string())),
    };
    let (mut turns, mut messages) = (Vec::new(), Vec::new());
    let mut dropped = false;
    for line in lines {
        match serde_json::from_str(line) {
            Ok(Line::Message(message)) if line.ends_with('\n') => messages.push(message),
            Ok(Line::Done(done)) if line.ends_with('\n') => {
                turns.push(Turn { messages: std::mem::take(&mut messages), done });
            }
            _ => {
                dropped = true;
                break;
            }
        }
    }
    dropped |= !messages.is_empty();
    Ok((Transcript { file, head, turns, now: Vec::new() }, dropped))
}

fn text_of(line: &Line) -> io::Result<String> {
    let mut text = serde_json::to_string(line).map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

fn is_same_dispatch(stored: &str, ticket: &Ticket) -> bool {
    stored.parse::<Ticket>().is_ok_and(|earlier| {
        earlier.attempt <= ticket.attempt && Ticket { attempt: ticket.attempt, ..earlier } == *ticket
    })
}

#[cfg(test)]
mod tests;
