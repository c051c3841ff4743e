//! The files of a bank as they are kept with a loop, so that its prompts can be built again.

use super::entry::{Bank, BankFile};
use redraft_facts::prelude::*;
use serde::{Deserialize, Serialize};

/// The stored form, version 1.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    v: u16,
    /// Kind and text of each file that was there.
    files: Vec<(String, String)>,
}

/// The bytes to keep; none for a bank without entries.
pub fn encode(files: &[(BankFile, String)]) -> Option<Vec<u8>> {
    if Bank::read(files).entries.is_empty() {
        return None;
    }
    let files = files.iter().map(|(kind, text)| (kind.name().to_owned(), text.clone())).collect();
    serde_json::to_vec(&Stored { v: 1, files }).ok()
}

/// Reads what was kept. Bytes that cannot be read give an empty bank.
pub fn decode(bytes: &[u8]) -> Bank {
    let Ok(Stored { v: 1, files }) = serde_json::from_slice(bytes) else { return Bank::default() };
    let files: Vec<(BankFile, String)> =
        files.into_iter().filter_map(|(kind, text)| Some((kind.parse().ok()?, text))).collect();
    Bank::read(&files)
}
