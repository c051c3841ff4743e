//! Small JSON files about a dispatch or a conversation, each read and written as a whole.

use redraft_adapters::plain_file;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::{fs, io};

/// Reads a kept object; none when there is no such file.
pub fn read_kept<T: DeserializeOwned>(file: &Path) -> io::Result<Option<T>> {
    match plain_file::read_own_file(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces a kept object, whole or not at all.
pub fn write_kept(file: &Path, value: &impl Serialize) -> io::Result<()> {
    let part = file.with_extension("part");
    fs::write(&part, serde_json::to_vec(value).map_err(io::Error::other)?)?;
    fs::rename(&part, file)
}
