//! Writes a file the role may write. Whether it may was decided before.

use super::place::{self, FILE_BYTES_MAX};
use super::{Refusal, Writable};
use redraft_facts::text::count;
use std::fs;

pub(super) fn write(file: &Writable, content: &str) -> Result<String, Refusal> {
    let Writable { path, place } = file;
    if content.len() as u64 > FILE_BYTES_MAX {
        return Err(Refusal::Failed(format!("`{path}` would be larger than {FILE_BYTES_MAX} bytes")));
    }
    let failed = |error: std::io::Error| Refusal::Failed(format!("`{path}`: {error}"));
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(place, content).map_err(failed)?;
    Ok(format!("wrote `{path}`, {}", count(content.lines().count(), "line")))
}

pub(super) fn edit(file: &Writable, old: &str, new: &str) -> Result<String, Refusal> {
    let Writable { path, place } = file;
    let failed = |why: &str| Refusal::Failed(format!("`{path}` {why}"));
    if !place.exists() {
        return Err(failed("does not exist; write it first"));
    }
    let text = place::text(place, path)?;
    if old.is_empty() {
        return Err(failed("is unchanged: old_text is empty"));
    }
    match overlapping(&text, old) {
        0 => Err(failed("is unchanged: old_text does not occur in it; read the file again")),
        1 => write(file, &text.replacen(old, new, 1)).map(|_| format!("changed `{path}`")),
        times => Err(failed(&format!(
            "is unchanged: old_text occurs {times} times; give more of its surroundings"
        ))),
    }
}

/// How often a text occurs, counting occurrences that overlap: `aa` is ambiguous in `aaa`.
fn overlapping(text: &str, wanted: &str) -> usize {
    const ENOUGH: usize = 100;
    let starts = text.char_indices().map(|(at, _)| at);
    starts.filter(|at| text[*at..].starts_with(wanted)).take(ENOUGH).count()
}
