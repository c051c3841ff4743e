//! What is kept of a conversation that lives in another program: the conditions under which it was begun.
//!
//! A conversation is continued only under exactly those conditions: with a different model, flag or text it would
//! silently be answered from another beginning, and all of it paid for again. Start at [`Sessions`].

use super::kept_file::{read_kept, write_kept};
use redraft_engine::ports::Request;
use redraft_facts::ids::SessionId;
use redraft_facts::text;
use redraft_facts::usage::Usd;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fs, io};

const VERSION: u16 = 1;

/// Everything that must be the same for a conversation to go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    pub v: u16,
    pub program: String,
    pub version: String,
    pub model: String,
    pub flags: Vec<String>,
    pub system_sha256: String,
    pub tools: Vec<String>,
    pub schema_sha256: String,
    pub folder: String,
}

impl Fingerprint {
    pub const VERSION: u16 = VERSION;

    /// The first condition that has changed, with both values; none when all are the same.
    pub fn difference(&self, now: &Fingerprint) -> Option<String> {
        let words = |list: &[String]| list.join(" ");
        let pairs = [
            ("program", self.program.clone(), now.program.clone()),
            ("version", self.version.clone(), now.version.clone()),
            ("model", self.model.clone(), now.model.clone()),
            ("tools", words(&self.tools), words(&now.tools)),
            ("flags", words(&self.flags), words(&now.flags)),
            ("system text", self.system_sha256.clone(), now.system_sha256.clone()),
            ("schema", self.schema_sha256.clone(), now.schema_sha256.clone()),
            ("folder", self.folder.clone(), now.folder.clone()),
        ];
        let (name, then, now) = pairs.into_iter().find(|(_, then, now)| then != now)?;
        Some(text::one_line(&format!("{name} {now}, begun with {then}"), 160))
    }
}

/// What was asked in one dispatch, kept next to its output for recovery after a crash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DispatchRecord {
    pub v: u16,
    pub ticket: String,
    pub session: String,
    pub resume: bool,
    pub folder: PathBuf,
    pub fingerprint: Fingerprint,
    /// What the dispatch counts as if its answer does not state a cost, in millionths of a dollar.
    pub reserved: u64,
    /// The most the program spends by itself when it is not watched; none where it was given no limit of its own.
    pub limit: Option<u64>,
    /// Whether it was to write something, rather than to judge.
    pub writes: bool,
}

impl DispatchRecord {
    const FILE: &str = "asked.json";
    pub const VERSION: u16 = 1;

    pub fn new(request: &Request, fingerprint: Fingerprint, reserved: Usd) -> DispatchRecord {
        DispatchRecord {
            v: DispatchRecord::VERSION,
            ticket: request.ticket.to_string(),
            session: request.session.to_string(),
            resume: request.resume,
            folder: request.folder.clone(),
            fingerprint,
            reserved: reserved.0,
            limit: None,
            writes: !request.may_write.is_empty(),
        }
    }

    pub fn keep(&self, out: &Path) -> io::Result<()> {
        fs::create_dir_all(out)?;
        write_kept(&out.join(Self::FILE), self)
    }

    pub fn read(out: &Path) -> Option<DispatchRecord> {
        let asked: DispatchRecord = read_kept(&out.join(Self::FILE)).ok().flatten()?;
        (asked.v == DispatchRecord::VERSION).then_some(asked)
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    v: u16,
    tokens: u64,
}

/// The conversations of one agent, a folder each.
pub struct Sessions {
    folder: PathBuf,
}

impl Sessions {
    const FINGERPRINT: &str = "fingerprint.json";
    const SIZE: &str = "size.json";

    pub fn new(state: &Path) -> Self {
        Sessions { folder: state.join("sessions") }
    }

    /// A folder for any name: letters, digits and dashes as they are, other bytes in hex.
    pub fn folder(&self, session: &SessionId) -> PathBuf {
        let mut name = String::new();
        for byte in session.as_str().bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => name.push(char::from(byte)),
                other => name.push_str(&format!("%{other:02x}")),
            }
        }
        self.folder.join(name)
    }

    pub fn begin(&self, session: &SessionId, fingerprint: &Fingerprint) -> io::Result<()> {
        fs::create_dir_all(self.folder(session))?;
        write_kept(&self.folder(session).join(Self::FINGERPRINT), fingerprint)
    }

    /// How many tokens a conversation had at its last answer; none when they were not counted.
    pub fn size(&self, session: &SessionId) -> Option<u64> {
        let size: Option<Size> = read_kept(&self.folder(session).join(Self::SIZE)).ok().flatten();
        size.filter(|size| size.v == VERSION).map(|size| size.tokens)
    }

    pub fn keep_size(&self, session: &SessionId, tokens: u64) -> io::Result<()> {
        fs::create_dir_all(self.folder(session))?;
        write_kept(&self.folder(session).join(Self::SIZE), &Size { v: VERSION, tokens })
    }

    /// Why a conversation cannot go on now, in words; none when it can.
    pub fn refusal(&self, session: &SessionId, now: &Fingerprint) -> Option<String> {
        // It becomes a word of the program's command line, and the ledger it comes from may have been written by
        // somebody else.
        if !session.is_plain() {
            return Some("its name could be an option of the program".to_owned());
        }
        match read_kept::<Fingerprint>(&self.folder(session).join(Self::FINGERPRINT)) {
            Ok(Some(then)) => then.difference(now).map(|what| format!("fingerprint differs: {what}")),
            Ok(None) => Some(format!("nothing is known about conversation {session}")),
            Err(error) => Some(format!("the record of conversation {session} cannot be read: {error}")),
        }
    }
}
