//! Revisions (trees of named paths), the anchors that keep them, and the delta between two.
//!
//! A revision holds the exact bytes of the worktree: no line-end conversion and no filter is applied, so that
//! neither configuration nor attributes can make equal bytes two revisions.

use super::error::GitError;
use super::files::{Kind, checked, path_bytes};
use super::lasting_git::{LastingGit, unexpected};
use super::object_id::is_id;
use super::objects::{self, TreeEntry};
use super::recent::Found;
use super::ref_name::ref_name;
use super::workspace::GitWorkspace;
use redraft_engine::ports::WorkspaceError;
use redraft_facts::ids::Revision;
use redraft_facts::text::hash;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Settings that even plumbing reads and that would change a delta. The pattern is git's own rule for the text
/// behind `@@`, spelled out because the configuration may replace it.
const DIFF_SETTINGS: [&str; 5] = [
    "core.attributesFile=/dev/null",
    "core.bigFileThreshold=512m",
    "diff.suppressBlankEmpty=false",
    "diff.default.binary=auto",
    "diff.default.xfuncname=^[A-Za-z_$].*$",
];

const DIFF: [&str; 20] = [
    "diff-tree",
    "--stdin",
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
pub(super) fn found(workspace: &GitWorkspace, paths: &[String]) -> Result<Found, WorkspaceError> {
    let mut found = Vec::new();
    for path in paths {
        let (mode, bytes) = match workspace.files.kind(path)? {
            Kind::Absent => continue,
            Kind::File { executable } => (
                if executable { "100755" } else { "100644" },
                workspace.files.read(path)?.unwrap_or_default(),
            ),
            Kind::Link { target } => ("120000", path_bytes(&target)),
        };
        found.push((path.clone(), mode.to_owned(), hash(&bytes)));
    }
    Ok(found)
}

/// The tree of these paths as they are in the worktree.
pub(super) fn take(workspace: &GitWorkspace, paths: &[String]) -> Result<Option<Revision>, WorkspaceError> {
    let mut files: BTreeMap<&str, (&str, String)> = BTreeMap::new();
    for path in paths {
        let file = match workspace.files.kind(path)? {
            Kind::Absent => continue,
            Kind::File { executable } => {
                let id = objects::store_file(workspace, &workspace.root().join(path))?;
                (if executable { "100755" } else { "100644" }, id)
            }
            Kind::Link { target } => {
                let store = workspace.call(["hash-object", "-w", "--stdin"]).input(path_bytes(&target));
                ("120000", store.text()?)
            }
        };
        files.insert(path, file);
    }
    if files.is_empty() {
        return Ok(None);
    }
    let files = files.into_iter().map(|(path, (mode, id))| TreeEntry { mode, id, name: path });
    Ok(Some(Revision::new(store_folder(workspace, files.collect())?)))
}

/// Stores files, named by their paths, and the folders they are in.
fn store_folder(workspace: &GitWorkspace, files: Vec<TreeEntry<'_>>) -> Result<String, GitError> {
    let mut entries = Vec::new();
    let mut folders: BTreeMap<&str, Vec<TreeEntry<'_>>> = BTreeMap::new();
    for file in files {
        match file.name.split_once('/') {
            None => entries.push(file),
            Some((folder, name)) => folders.entry(folder).or_default().push(TreeEntry { name, ..file }),
        }
    }
    for (name, files) in folders {
        entries.push(TreeEntry { mode: "040000", id: store_folder(workspace, files)?, name });
    }
    objects::store_tree(workspace, &entries)
}

/// Writes the empty tree, so that every call finds it like any other.
pub(super) fn nothing(workspace: &GitWorkspace) -> Result<Revision, WorkspaceError> {
    let tree = workspace.call(["hash-object", "-w", "-t", "tree", "--stdin"]).input(Vec::new()).text()?;
    Ok(Revision::new(tree))
}

/// The bytes a path has in a revision.
pub(super) fn read_at(
    workspace: &GitWorkspace,
    revision: &Revision,
    path: &str,
) -> Result<Option<Vec<u8>>, WorkspaceError> {
    let name = format!("{}:{}", id(revision)?, checked(path)?);
    match objects::contents(workspace, &name)? {
        Some((object, bytes)) => Ok(Some(bytes).filter(|_| object.kind == "blob")),
        // Whether the path is not in the revision or the revision not in git.
        None => require(workspace, &[revision]).map(|()| None),
    }
}

/// The unified diff of two revisions: a function of the two trees and nothing else.
pub(super) fn delta(
    workspace: &GitWorkspace,
    from: &Revision,
    to: &Revision,
) -> Result<String, WorkspaceError> {
    require(workspace, &[from, to])?;
    match compared(workspace, from, to) {
        Ok(Some(diff)) => Ok(without_ids(&String::from_utf8_lossy(&diff))),
        Ok(None) => Err(WorkspaceError::AnchorLost(from.clone())),
        Err(error) => {
            // A companion may still have open what was collected since.
            objects::look_afresh(workspace);
            require(workspace, &[from, to])?;
            // The later one is what is worked on; where that is lost too, reading it says so.
            // Our own trees are here or nowhere: no server has them.
            let lost = error.is_damage() || matches!(error, GitError::NotFetched { .. });
            if lost { Err(WorkspaceError::AnchorLost(from.clone())) } else { Err(error.into()) }
        }
    }
}

/// What git says about two trees; none where one of them cannot be read.
fn compared(workspace: &GitWorkspace, from: &Revision, to: &Revision) -> Result<Option<Vec<u8>>, GitError> {
    // Git repeats a line that names no trees. None of a diff's own lines begins like this.
    const END: &str = "that is all";
    let pair = format!("{} {}", from.as_str(), to.as_str());
    // Started outside the worktree and with an index that is not there, git finds no `.gitattributes`; in a repository
    // that has the objects and nothing else, no `info/attributes` either. It looks there before its first answer.
    let temp = workspace.temp();
    let mut plain = None;
    let start = || {
        let folder = &plain.insert(PlainRepository::new(&temp, from)?).0;
        // Nothing is configured there that would have to be guarded against.
        let call = workspace.git.unguarded(&temp, DIFF).env("GIT_DIR", folder).env("GIT_ATTR_NOSYSTEM", "1");
        let call = call.env("GIT_OBJECT_DIRECTORY", workspace.common.join("objects"));
        let call = call.env("GIT_IMPLICIT_WORK_TREE", "0").env("GIT_INDEX_FILE", folder.join("index"));
        let call = DIFF_SETTINGS.into_iter().fold(call, |call, setting| call.setting(setting));
        LastingGit::start(call, &temp)
    };
    workspace.companions.deltas.ask(start, |companion| {
        companion.say(format!("{pair}\n{END}\n").as_bytes())?;
        let first = companion.line()?;
        if first != pair.as_bytes() {
            return if first == END.as_bytes() { Ok(None) } else { Err(unexpected(&first)) };
        }
        let mut diff = Vec::new();
        loop {
            let line = companion.line()?;
            if line == END.as_bytes() {
                return Ok(Some(diff));
            }
            diff.extend(line);
            diff.push(b'\n');
        }
    })
}

/// A git directory in which nothing is configured, for calls that are told where the objects are. Removed when dropped.
struct PlainRepository(PathBuf);

impl PlainRepository {
    fn new(temp: &Path, any: &Revision) -> Result<PlainRepository, GitError> {
        const SHA256_CHARS: usize = 64;
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let plain = PlainRepository(temp.join(format!("plain-{}-{count}.git", std::process::id())));
        let config = match any.as_str().len() {
            SHA256_CHARS => "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n",
            _ => "",
        };
        let made = fs::create_dir_all(plain.0.join("refs"))
            .and_then(|()| fs::write(plain.0.join("config"), config))
            .and_then(|()| fs::write(plain.0.join("HEAD"), "ref: refs/heads/none\n"));
        made.map_err(|error| GitError::file(&plain.0, &error))?;
        Ok(plain)
    }
}

impl Drop for PlainRepository {
    fn drop(&mut self) {
        // Nothing depends on it any more.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What differs between two revisions, by paths, modes and ids of contents.
pub(super) fn differing(
    workspace: &GitWorkspace,
    from: &Revision,
    to: &Revision,
) -> Result<Vec<u8>, WorkspaceError> {
    require(workspace, &[from, to])?;
    let call =
        workspace.call(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-relative"]);
    let call = call.arg("--ignore-submodules=none").arg("-O/dev/null").arg(from.as_str()).arg(to.as_str());
    Ok(call.succeed()?.stdout)
}

/// Keeps a revision from being collected.
pub(super) fn keep(workspace: &GitWorkspace, name: &str, revision: &Revision) -> Result<(), WorkspaceError> {
    // A companion that has seen a tree once goes on believing that it is there.
    require(workspace, &[revision])?;
    let name = format!("refs/redraft/anchors/{}", ref_name(name));
    match objects::set_own_ref(workspace, &name, id(revision)?) {
        Err(error) if error.stderr().contains("nonexistent object") => {
            Err(WorkspaceError::AnchorLost(revision.clone()))
        }
        kept => Ok(kept?),
    }
}

/// Fails with the first of these revisions that git does not have.
pub(super) fn require(workspace: &GitWorkspace, revisions: &[&Revision]) -> Result<(), WorkspaceError> {
    for revision in revisions {
        let found = objects::info(workspace, id(revision)?)?;
        if found.is_none_or(|found| found.kind != "tree") {
            return Err(WorkspaceError::AnchorLost((*revision).clone()));
        }
    }
    Ok(())
}

/// The id, if it can be one; anything else would be an option or an expression to git.
fn id(revision: &Revision) -> Result<&str, WorkspaceError> {
    let text = revision.as_str();
    if is_id(text) { Ok(text) } else { Err(WorkspaceError::AnchorLost(revision.clone())) }
}

/// A diff without its `index` lines. Every line of a file's content has a mark before it, so a line that begins
/// with this word is always one of git's own.
fn without_ids(diff: &str) -> String {
    diff.split_inclusive('\n').filter(|line| !line.starts_with("index ")).collect()
}

#[cfg(test)]
mod tests;
