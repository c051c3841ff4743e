//! Records what a conversation held at its last answer, so that one that has lost something is not taken for the whole.
//!
//! The conversation itself is a file of another program. Somebody can cut it short, and the program can shorten what it
//! sends of it; in both cases the model would answer as if it had been shown less, without anything saying so. Start at
//! [`ConversationRecord`].

use super::kept_file::{read_kept, write_kept};
use redraft_facts::text;
use redraft_facts::usage::grouped;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

const VERSION: u16 = 1;
const FILE: &str = "held.json";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConversationRecord {
    v: u16,
    /// The fewest tokens the next prompt can have if all of it is still there; none when they were not counted.
    least_tokens: Option<u64>,
    /// The program's own file, as far as it was written; none where it was not found.
    written: Option<Written>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    bytes: u64,
    sha256: String,
}

impl ConversationRecord {
    /// Keeps what a conversation holds now, in its folder. `file` is the program's own.
    pub fn keep(folder: &Path, least_tokens: Option<u64>, file: Option<&Path>) -> io::Result<()> {
        let written = match file {
            Some(file) => Some(Written::from_bytes(&fs::read(file)?)),
            None => None,
        };
        fs::create_dir_all(folder)?;
        write_kept(&folder.join(FILE), &ConversationRecord { v: VERSION, least_tokens, written })
    }

    /// What was kept; none where nothing was, or where another version wrote it.
    pub fn read(folder: &Path) -> Option<ConversationRecord> {
        read_kept::<ConversationRecord>(&folder.join(FILE)).ok().flatten().filter(|held| held.v == VERSION)
    }

    /// Says in words why the program's file is no longer the recorded one. It may have grown. A file that is gone is
    /// the program's own business: it reports that itself.
    pub fn is_cut(&self, file: Option<&Path>) -> Option<String> {
        let (written, file) = self.written.as_ref().zip(file)?;
        let mut now = Vec::new();
        File::open(file).ok()?.take(written.bytes).read_to_end(&mut now).ok()?;
        let what = match now.len() as u64 {
            less if less < written.bytes => {
                format!("it has {} bytes of {}", grouped(less), grouped(written.bytes))
            }
            _ if Written::from_bytes(&now) != *written => "it was changed".to_owned(),
            _ => return None,
        };
        Some(format!("the conversation's file has changed: {what}"))
    }

    /// Says in words why a prompt of this many tokens cannot hold the conversation.
    pub fn is_short(&self, prompt_tokens: u64) -> Option<String> {
        let least = self.least_tokens?;
        // Reminders that the program adds by itself differ a little in length.
        let short = prompt_tokens.saturating_add(least / 100) < least;
        let told = || {
            let (sent, least) = (grouped(prompt_tokens), grouped(least));
            format!("a part of the conversation was left out: {sent} tokens were sent and it has {least}")
        };
        short.then(told)
    }
}

impl Written {
    fn from_bytes(bytes: &[u8]) -> Written {
        Written { bytes: bytes.len() as u64, sha256: text::hash(bytes).to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_goes_on_only_if_nothing_of_what_was_left_is_missing_or_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("conversation.jsonl");
        let left = b"{\"one\":1}\n{\"two\":2}\n{\"three\":3}\n".to_vec();
        fs::write(&file, &left).unwrap();
        ConversationRecord::keep(&folder.path().join("s"), None, Some(&file)).unwrap();
        let held = ConversationRecord::read(&folder.path().join("s")).unwrap();
        let cut = |bytes: &[u8]| {
            fs::write(&file, bytes).unwrap();
            held.is_cut(Some(&file))
        };
        assert_eq!(cut(&left), None);
        assert_eq!(cut(&[&left[..], b"{\"four\":4}\n"].concat()), None, "it may grow");
        for bytes in 0..left.len() {
            let why = cut(&left[..bytes]).unwrap();
            assert!(why.ends_with(&format!("{bytes} bytes of {}", left.len())), "{why}");
            let mut other = left.clone();
            other[bytes] ^= 1;
            assert!(cut(&other).is_some_and(|why| why.ends_with("it was changed")), "byte {bytes}");
        }
        fs::remove_file(&file).unwrap();
        assert_eq!((held.is_cut(Some(&file)), held.is_cut(None)), (None, None), "the program says so itself");
    }

    #[test]
    fn a_prompt_that_is_shorter_than_what_came_before_has_lost_something() {
        let folder = tempfile::tempdir().unwrap();
        let held = |least: Option<u64>| {
            ConversationRecord::keep(folder.path(), least, None).unwrap();
            ConversationRecord::read(folder.path()).unwrap()
        };
        for (least, tokens, short) in [
            (Some(10_735), 9_871, true),
            (Some(10_735), 10_735, false),
            (Some(10_735), 11_200, false),
            (Some(10_735), 10_650, false),
            (Some(180_000), 9_000, true),
            (Some(0), 0, false),
            (None, 0, false),
            (Some(u64::MAX), u64::MAX, false),
        ] {
            assert_eq!(held(least).is_short(tokens).is_some(), short, "{tokens} of {least:?}");
        }
        let told = held(Some(9_000)).is_short(4_000).unwrap();
        assert_eq!(told, "a part of the conversation was left out: 4,000 tokens were sent and it has 9,000");
        assert_eq!(ConversationRecord::read(&folder.path().join("nothing")), None);
    }
}
