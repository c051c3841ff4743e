//! Looks up and stores objects and sets refs through companions ([`super::lasting_git`]): what a name stands for, files
//! and trees to be stored, a ref to be set. Once the first question of a kind was asked, none of this starts a process.
//!
//! The companions look at the disk for each question, so they see what other processes made since they started.

use super::error::GitError;
use super::lasting_git::{LastingGit, unexpected};
use super::object_id::is_id;
use super::run::durable;
use super::workspace::GitWorkspace;
use std::fs;
use std::io;
use std::path::Path;

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) id: String,
    /// `blob`, `tree`, `commit` or `tag`.
    pub(super) kind: String,
    size: usize,
}

/// An entry of a folder that is to be stored.
#[derive(Debug)]
pub(super) struct TreeEntry<'a> {
    pub(super) mode: &'a str,
    pub(super) id: String,
    pub(super) name: &'a str,
}

/// What a name stands for: `HEAD`, an id, `HEAD:path`. None when it stands for nothing here.
pub(super) fn info(workspace: &GitWorkspace, name: &str) -> Result<Option<Object>, GitError> {
    workspace.companions.reader.ask(|| reader(workspace), |companion| object(companion, "info", name))
}

/// The same with its bytes.
pub(super) fn contents(workspace: &GitWorkspace, name: &str) -> Result<Option<(Object, Vec<u8>)>, GitError> {
    workspace.companions.reader.ask(
        || reader(workspace),
        |companion| {
            let Some(found) = object(companion, "contents", name)? else { return Ok(None) };
            let bytes = companion.bytes(found.size)?;
            // A line break ends the answer.
            companion.bytes(1)?;
            Ok(Some((found, bytes)))
        },
    )
}

/// Drops what the reading companion may still have open although it was collected since.
pub(super) fn look_afresh(workspace: &GitWorkspace) {
    workspace.companions.reader.renew();
}

/// Stores a file's bytes as they are, without filters, and returns their id. The path is absolute: a companion
/// stays in the folder it was started in, even if another one takes its name.
pub(super) fn store_file(workspace: &GitWorkspace, path: &Path) -> Result<String, GitError> {
    let line = quoted(path.as_os_str().as_encoded_bytes());
    let call = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
    workspace.companions.files.ask(
        || LastingGit::start(workspace.call(call), &workspace.temp()),
        |companion| {
            companion.say(&line)?;
            id_line(companion)
        },
    )
}

/// Stores a folder and returns its id.
pub(super) fn store_tree(workspace: &GitWorkspace, entries: &[TreeEntry<'_>]) -> Result<String, GitError> {
    let mut lines = String::new();
    for TreeEntry { mode, id, name } in entries {
        let kind = if *mode == "040000" { "tree" } else { "blob" };
        lines.push_str(&format!("{mode} {kind} {id}\t{name}\0"));
    }
    // An empty line ends a folder.
    lines.push('\0');
    let call = ["mktree", "-z", "--batch", "--missing"];
    workspace.companions.trees.ask(
        || LastingGit::start(workspace.call(call), &workspace.temp()),
        |companion| {
            companion.say(lines.as_bytes())?;
            id_line(companion)
        },
    )
}

/// Makes a ref name an object, whatever it named before.
pub(super) fn set_ref(workspace: &GitWorkspace, name: &str, id: &str) -> Result<(), GitError> {
    let lines = format!("start\noption no-deref\nupdate {name} {id}\ncommit\n");
    workspace.companions.refs.ask(
        || LastingGit::start(durable(workspace.call(["update-ref", "--stdin"])), &workspace.temp()),
        |companion| {
            companion.say(lines.as_bytes())?;
            for expected in ["start: ok", "commit: ok"] {
                let line = companion.line()?;
                if line != expected.as_bytes() {
                    return Err(unexpected(&line));
                }
            }
            Ok(())
        },
    )
}

/// The same for a ref of ours (`refs/redraft/…`), which only the feature's own run sets: a lock on it was left by a
/// killed git of ours.
pub(super) fn set_own_ref(workspace: &GitWorkspace, name: &str, id: &str) -> Result<(), GitError> {
    workspace.sync_to_disk()?;
    match set_ref(workspace, name, id) {
        Err(error) if error.lock().is_some() => {
            // If it cannot be removed, the second attempt says so.
            let _ = fs::remove_file(workspace.common.join(format!("{name}.lock")));
            set_ref(workspace, name, id)
        }
        set => set,
    }
}

fn reader(workspace: &GitWorkspace) -> Result<LastingGit, GitError> {
    let call = workspace.call(["cat-file", "--batch-command", "-z"]);
    // For every `HEAD` it would look for branches and tags of that name, only to complain.
    LastingGit::start(call.setting("core.warnAmbiguousRefs=false"), &workspace.temp())
}

/// Asks for an object and reads the first line of the answer.
fn object(companion: &mut LastingGit, command: &str, name: &str) -> io::Result<Option<Object>> {
    companion.say(format!("{command} {name}\0").as_bytes())?;
    let line = companion.line()?;
    let text = String::from_utf8_lossy(&line);
    let words: Vec<&str> = text.split(' ').collect();
    if let [id, kind, size] = words.as_slice()
        && is_id(id)
        && let Ok(size) = size.parse()
    {
        return Ok(Some(Object { id: (*id).to_owned(), kind: (*kind).to_owned(), size }));
    }
    // The name is repeated before `missing`, with the line breaks it has.
    let mut parts = name.split('\n').map(str::as_bytes);
    if parts.next() == Some(&*line) {
        for _ in parts {
            companion.line()?;
        }
    }
    Ok(None)
}

fn id_line(companion: &mut LastingGit) -> io::Result<String> {
    let line = companion.line()?;
    match std::str::from_utf8(&line) {
        Ok(id) if is_id(id) => Ok(id.to_owned()),
        _ => Err(unexpected(&line)),
    }
}

/// A path on a line of its own, which git would otherwise read differently if it held a quote or line break.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            b'\n' => out.extend(b"\\n"),
            _ => out.push(*byte),
        }
    }
    out.extend(b"\"\n");
    out
}

#[cfg(test)]
mod tests;
