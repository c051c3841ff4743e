//! What a move does to each file, as its journal has it.

use super::MoveError;
use super::stamp::Stamp;
use crate::git::error::GitError;
use crate::git::files::os_path;
use redraft_facts::text::count;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The files named of those in the way.
const SHOWN_MAX: usize = 20;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// Folders of submodules that come or go; their files are not ours.
    pub(super) submodules: Vec<String>,
    /// The hash of the new index, once it is about to be put in place.
    pub(super) index: Option<String>,
}

/// One file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) path: String,
    /// What stood there, and what shall stand there.
    pub(super) old: Option<Stamp>,
    pub(super) new: Option<Stamp>,
}

impl Plan {
    /// The files that differ, from `git diff-tree`, and what stands in their places.
    pub(super) fn read(listed: &[Vec<u8>], checkout: &Path) -> Result<Plan, MoveError> {
        const SUBMODULE: &[u8] = b"160000";
        let mut plan = Plan::default();
        let mut in_the_way = Vec::new();
        for pair in listed.chunks_exact(2) {
            let [about, name] = pair else { continue };
            let words: Vec<&[u8]> = about.split(|byte| *byte == b' ').collect();
            let [old, new, ..] = words.as_slice() else { continue };
            let path = os_path(name);
            let is_new = old.ends_with(b"000000");
            if old.ends_with(SUBMODULE) || *new == SUBMODULE {
                plan.submodules.push(encoded(&path));
                continue;
            }
            let at = checkout.join(&path);
            let old = Stamp::read(&at).map_err(|error| GitError::file(&at, &error))?;
            // A folder may stand there whose files all go; git itself has looked at that.
            if is_new && old.is_some_and(|old| !old.is_folder()) {
                in_the_way.push(path.display().to_string());
            }
            plan.steps.push(Step { path: encoded(&path), old: old.filter(|_| !is_new), new: None });
        }
        if in_the_way.is_empty() {
            return Ok(plan);
        }
        let more = in_the_way.len().saturating_sub(SHOWN_MAX);
        in_the_way.truncate(SHOWN_MAX);
        let more = if more == 0 { String::new() } else { format!(" and {}", count(more, "other file")) };
        Err(MoveError::InTheWay(format!("git does not know {}{more}", in_the_way.join(", "))))
    }

    /// The same with what git has prepared. What it did not prepare is to go, or is left out of a sparse checkout.
    pub(super) fn with_staged(mut self, staged: &Path) -> Result<Plan, GitError> {
        for step in &mut self.steps {
            let at = staged.join(step.path());
            // A folder of that name holds files that come instead of it.
            let found = Stamp::read(&at).map_err(|error| GitError::file(&at, &error))?;
            step.new = found.filter(|found| !found.is_folder());
        }
        self.steps.retain(|step| step.old.is_some() || step.new.is_some());
        Ok(self)
    }

    pub(super) fn submodules(&self) -> impl Iterator<Item = PathBuf> {
        self.submodules.iter().map(|path| decoded(path))
    }
}

impl Step {
    pub(super) fn path(&self) -> PathBuf {
        decoded(&self.path)
    }
}

/// A path as text, whatever bytes it has: those that are no plain text are written as `%FF`.
pub(super) fn encoded(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '%' => text.push_str("%25"),
                c => text.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

/// The path that was written as this text.
pub(super) fn decoded(text: &str) -> PathBuf {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.extend(byte);
        bytes.extend(part.as_bytes().get(2..).unwrap_or_default());
    }
    os_path(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_any_bytes_is_written_as_text_and_read_back() {
        for bytes in
            [&b"a/b.txt"[..], b"", "grün/ñ\n\"".as_bytes(), b"100%", b"%41", b"\xff\xfe/x%\x80", b"%"]
        {
            let path = os_path(bytes);
            assert_eq!(decoded(&encoded(&path)), path, "{bytes:?}");
        }
        assert_eq!(encoded(Path::new("docs/grün.md")), "docs/grün.md");
    }
}
