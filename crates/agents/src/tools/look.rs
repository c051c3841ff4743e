//! Reads one file or lists one folder.

use super::Refusal;
use super::place::{Folder, shown};
use redraft_facts::text::is_git_folder;
use std::fs;

/// One answer must not fill a conversation; the rest is read with an offset.
const READ_BYTES_MAX: usize = 256 * 1024;
const ENTRIES_MAX: usize = 1_000;

/// The lines with their numbers, as many as fit.
pub(super) fn read(
    folder: &Folder,
    path: &str,
    offset: Option<u64>,
    limit: Option<u64>,
) -> Result<String, Refusal> {
    let text = folder.text(path)?;
    let first = usize::try_from(offset.unwrap_or(1).max(1)).unwrap_or(usize::MAX);
    let limit = usize::try_from(limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let total = text.lines().count();
    if total == 0 {
        return Ok(format!("`{path}` is empty"));
    }
    if first > total {
        return Err(Refusal::Failed(format!("`{path}` has {total} lines, so none from {first} on")));
    }
    let mut out = String::new();
    for (at, line) in text.lines().enumerate().skip(first - 1).take(limit) {
        let number = at + 1;
        let numbered = format!("{number:>5}\t{line}\n");
        if out.len() + numbered.len() > READ_BYTES_MAX {
            out.push_str(&format!("(cut before line {number} of {total}; "));
            match number == first {
                true => out.push_str("the line is too long to be shown)\n"),
                false => out.push_str(&format!("read on with offset {number})\n")),
            }
            return Ok(out);
        }
        out.push_str(&numbered);
    }
    Ok(out)
}

/// The entries in order of their names, folders marked.
pub(super) fn list(folder: &Folder, path: &str) -> Result<String, Refusal> {
    let failed = |error: std::io::Error| Refusal::Failed(format!("`{}`: {error}", shown(path)));
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.existing(path)?).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let mut name = entry.file_name().to_string_lossy().into_owned();
        if is_git_folder(&name) {
            continue;
        }
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            name.push('/');
        } else if kind.is_symlink() {
            name.push('@');
        }
        names.push(name);
    }
    names.sort();
    let total = names.len();
    names.truncate(ENTRIES_MAX);
    if total > ENTRIES_MAX {
        names.push(format!("(and {} more)", total - ENTRIES_MAX));
    }
    Ok(if names.is_empty() { format!("`{}` is empty", shown(path)) } else { names.join("\n") })
}
