//! Revisions (trees of named paths), the anchors that keep them, and the delta between two.
//!
//! A revision holds the exact bytes of the worktree: no line-end conversion and no filter is applied, so that
//! neither configuration nor attributes can make equal bytes two revisions.

use super::error::GitError;
use super::files::{Kind, checked, path_bytes};
use super::recent::{self, Found};
use super::run::Call;
use super::temp_index::TempIndex;
use super::workspace::GitWorkspace;
use redraft_core::ids::Revision;
use redraft_engine::ports::WorkspaceError;
use std::collections::BTreeMap;

/// Settings that even plumbing reads and that would change a delta. The pattern is git's own rule for the text
/// behind `@@`, spelled out because the configuration may replace it.
const DIFF_SETTINGS: [&str; 5] = [
    "core.attributesFile=/dev/null",
    "core.bigFileThreshold=512m",
    "diff.suppressBlankEmpty=false",
    "diff.default.binary=auto",
    "diff.default.xfuncname=^[A-Za-z_$].*$",
];

const DIFF: [&str; 19] = [
    "diff-tree",
    "-r",
    "--patch",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--no-relative",
    "--no-indent-heuristic",
    "--diff-algorithm=myers",
    "--unified=3",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--full-index",
    "--submodule=short",
    "--ignore-submodules=none",
    "--ws-error-highlight=none",
    "-O/dev/null",
];

/// The named paths as they are in the worktree, each by its content.
pub(super) fn found(place: &GitWorkspace, paths: &[String]) -> Result<Found, WorkspaceError> {
    let mut found = Vec::new();
    for path in paths {
        let (mode, bytes) = match place.files.kind(path)? {
            Kind::Absent => continue,
            Kind::File { executable } => {
                (if executable { "100755" } else { "100644" }, place.files.read(path)?.unwrap_or_default())
            }
            Kind::Link { target } => ("120000", path_bytes(&target)),
        };
        found.push((path.clone(), mode.to_owned(), recent::content(&bytes)));
    }
    Ok(found)
}

/// The tree of these paths as they are in the worktree.
pub(super) fn take(place: &GitWorkspace, paths: &[String]) -> Result<Option<Revision>, WorkspaceError> {
    let mut files: BTreeMap<&str, &str> = BTreeMap::new();
    let mut info = Vec::new();
    for path in paths {
        match place.files.kind(path)? {
            Kind::Absent => {}
            Kind::File { executable } => {
                files.insert(path, if executable { "100755" } else { "100644" });
            }
            Kind::Link { target } => {
                let id = place.call(["hash-object", "-w", "--stdin"]).input(path_bytes(&target)).text()?;
                info.push(format!("120000 {id}\t{path}"));
            }
        }
    }
    let ids = hash_files(place, files.keys().copied())?;
    info.extend(files.iter().zip(ids).map(|((path, mode), id)| format!("{mode} {id}\t{path}")));
    if info.is_empty() {
        return Ok(None);
    }
    let index = TempIndex::empty(&place.temp())?;
    let fill =
        place.call(["update-index", "-z", "--index-info"]).input_list(info.iter().map(String::as_bytes));
    index.used_by(fill).succeed()?;
    let tree = index.used_by(place.call(["write-tree"])).text()?;
    Ok(Some(Revision::new(tree)))
}

/// The empty tree, written, so that every call finds it like any other.
pub(super) fn nothing(place: &GitWorkspace) -> Result<Revision, WorkspaceError> {
    let tree = place.call(["hash-object", "-w", "-t", "tree", "--stdin"]).input(Vec::new()).text()?;
    Ok(Revision::new(tree))
}

/// The bytes a path has in a revision.
pub(super) fn read_at(
    place: &GitWorkspace,
    revision: &Revision,
    path: &str,
) -> Result<Option<Vec<u8>>, WorkspaceError> {
    let query = format!("{}:{}", id(revision)?, checked(path)?);
    let ask = [format!("info {revision}"), format!("contents {query}")];
    let call = place.call(["cat-file", "--batch-command", "-z"]).input_list(ask.iter().map(String::as_bytes));
    let done = offline(call).succeed()?;
    let (tree, rest) = object(&done.stdout).ok_or_else(|| done.unexpected())?;
    if tree.is_none() {
        return Err(WorkspaceError::AnchorLost(revision.clone()));
    }
    match object(rest) {
        Some((Some(("blob", size)), bytes)) => {
            Ok(Some(bytes.get(..size).ok_or_else(|| done.unexpected())?.to_vec()))
        }
        Some(_) => Ok(None),
        None => Err(done.unexpected().into()),
    }
}

/// The unified diff of two revisions: a function of the two trees and nothing else.
pub(super) fn delta(place: &GitWorkspace, from: &Revision, to: &Revision) -> Result<String, WorkspaceError> {
    require(place, &[from, to])?;
    // Started outside the worktree and with an index that is not there, git finds no `.gitattributes`.
    let temp = place.temp();
    let nothing = TempIndex::empty(&temp)?;
    let mut call = place.git.call(&temp, DIFF).env("GIT_DIR", &place.common).env("GIT_ATTR_NOSYSTEM", "1");
    for setting in DIFF_SETTINGS {
        call = call.setting(setting);
    }
    let call = call.env("GIT_IMPLICIT_WORK_TREE", "0").arg(from.as_str()).arg(to.as_str());
    let done = offline(nothing.used_by(call)).succeed()?;
    Ok(without_ids(&String::from_utf8_lossy(&done.stdout)))
}

/// Keeps a revision from being collected.
pub(super) fn keep(place: &GitWorkspace, name: &str, revision: &Revision) -> Result<(), WorkspaceError> {
    let name = format!("refs/redraft/anchors/{}", ref_name(name));
    let call = place.call(["update-ref", "--no-deref"]).arg(name).arg(id(revision)?);
    match call.succeed() {
        Ok(_) => Ok(()),
        Err(error) if error.stderr().contains("nonexistent object") => {
            Err(WorkspaceError::AnchorLost(revision.clone()))
        }
        Err(error) => Err(error.into()),
    }
}

/// A name that git takes as part of a ref, different for different names: what a ref may not hold is written
/// as `%` and its number.
pub(super) fn ref_name(name: &str) -> String {
    let parts: Vec<String> = name.split('/').map(ref_part).collect();
    parts.join("/")
}

/// Fails with the first of these revisions that git does not have.
pub(super) fn require(place: &GitWorkspace, revisions: &[&Revision]) -> Result<(), WorkspaceError> {
    let mut queries = String::new();
    for revision in revisions {
        queries.push_str(id(revision)?);
        queries.push('\n');
    }
    let call = place.call(["cat-file", "--batch-check"]).input(queries.into_bytes());
    let answer = offline(call).text()?;
    let lost = revisions.iter().zip(answer.lines()).find(|(_, line)| !line.contains(" tree "));
    match lost {
        Some((revision, _)) => Err(WorkspaceError::AnchorLost((*revision).clone())),
        None => Ok(()),
    }
}

/// Our own trees are here or nowhere: a partial clone must not ask its server for them.
fn offline(call: Call) -> Call {
    call.env("GIT_NO_LAZY_FETCH", "1")
}

/// The id, if it can be one; anything else would be an option or an expression to git.
fn id(revision: &Revision) -> Result<&str, WorkspaceError> {
    let text = revision.as_str();
    if matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(text)
    } else {
        Err(WorkspaceError::AnchorLost(revision.clone()))
    }
}

/// Stores the files' bytes as they are and returns their ids in the same order.
fn hash_files<'a>(
    place: &GitWorkspace,
    paths: impl ExactSizeIterator<Item = &'a str>,
) -> Result<Vec<String>, GitError> {
    let count = paths.len();
    if count == 0 {
        return Ok(Vec::new());
    }
    let lines: Vec<String> = paths.map(quoted).collect();
    let call = place.call(["hash-object", "-w", "--no-filters", "--stdin-paths"]);
    let done = call.input((lines.join("\n") + "\n").into_bytes()).succeed()?;
    let ids: Vec<String> = String::from_utf8_lossy(&done.stdout).lines().map(str::to_owned).collect();
    if ids.len() == count { Ok(ids) } else { Err(done.unexpected()) }
}

/// A path on a line of its own, which git would otherwise read differently if it held a quote or line break.
fn quoted(path: &str) -> String {
    let mut out = String::from("\"");
    for c in path.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Kind and size of the object an answer begins with (none: missing), and what follows that line.
type Answer<'a> = (Option<(&'a str, usize)>, &'a [u8]);

fn object(answer: &[u8]) -> Option<Answer<'_>> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(answer.get(..end)?).ok()?;
    let rest = answer.get(end + 1..)?;
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        [_, kind, size] if size.parse::<usize>().is_ok() => Some((Some((kind, size.parse().ok()?)), rest)),
        _ => Some((None, rest)),
    }
}

/// A diff without its `index` lines. Every line of a file's content has a mark before it, so a line that begins
/// with this word is always one of git's own.
fn without_ids(diff: &str) -> String {
    diff.split_inclusive('\n').filter(|line| !line.starts_with("index ")).collect()
}

fn ref_part(part: &str) -> String {
    if part.is_empty() {
        return "%".to_owned();
    }
    let last = part.len() - 1;
    let lock = part.len().checked_sub(".lock".len()).filter(|_| part.ends_with(".lock"));
    let mut out = String::new();
    for (at, byte) in part.bytes().enumerate() {
        let dot =
            byte == b'.' && at != 0 && at != last && Some(at) != lock && part.as_bytes()[at - 1] != b'.';
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'=' | b',') || dot {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests;
