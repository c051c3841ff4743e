//! The ledger as lines of text, the way out of a damaged file: `export` writes what can be read and names what cannot,
//! `import` makes a new ledger of it.
//!
//! Each line is one JSON object: first a header, then events with the redactions they record, then blobs, then an end
//! with the counts. Bodies, salts and checksums are written as they are stored, so that a ledger without damage comes
//! back byte for byte. The form is a stored format with a version of its own.

mod export;
mod import;

use super::{Ledger, failure::Place};
use redraft_engine::ports::StoreError;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::path::Path;

/// The version of the lines.
const VERSION: u16 = 1;

/// The name of the format in the first line.
const NAME: &str = "redraft ledger";

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Export {
    pub events: u64,
    pub blobs: u64,
    pub lost: Vec<LostRecord>,
}

/// Something that could not be read, or is not what was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostRecord {
    /// `event 7` or `blob 1f3a…`.
    pub what: String,
    pub detail: String,
}

/// What was made of such lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resumed {
    pub events: u64,
    pub blobs: u64,
    /// Events that were replaced by a note that they are lost.
    pub lost: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    v: u16,
    file: String,
    layout: u32,
    program: String,
    /// Both empty where they could not be read.
    namespace: String,
    writer: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Line {
    Event(EventLine),
    Redaction(RedactionLine),
    Lost(LostLine),
    Blob(BlobLine),
    End { events: u64, blobs: u64, lost: u64 },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventLine {
    seq: u64,
    writer: String,
    scope: String,
    at_ms: i64,
    kind: String,
    kind_version: u16,
    /// In hex; none where a redaction took it away.
    salt: Option<String>,
    body_hash: String,
    chain: String,
    /// In hex; none where it was not signed.
    signature: Option<String>,
    body: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RedactionLine {
    seq: u64,
    by_seq: u64,
    salt: Option<String>,
    hash: String,
}

/// What is known of something that is lost. The body is there for people; nothing is rebuilt from it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LostLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    scope: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    kind: String,
    detail: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    body: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlobLine {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Of bytes that are no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

impl Ledger {
    /// Writes what can be read of the ledger in a folder.
    pub fn export(folder: &Path, out: &mut dyn Write) -> Result<Export, StoreError> {
        export::export(folder, out)
    }

    /// Makes a new ledger from such lines in a folder that has none, and checks it.
    pub fn import(folder: &Path, lines: &mut dyn BufRead, now_ms: i64) -> Result<Resumed, StoreError> {
        import::import(folder, lines, now_ms)
    }
}

fn unhex(place: &Place, text: &str) -> Result<Vec<u8>, StoreError> {
    let digits = |at: usize| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(digits).collect();
    bytes.ok_or_else(|| {
        place.damaged("one of its lines has something other than the expected hexadecimal digits")
    })
}
