//! Compares how git itself is set up for a repository, and puts it back: hooks, configuration, and the files in `info`.
//!
//! None of this is part of a tree, so it is never reviewed, and all of it decides what git does for the next person who
//! works here: which programs run, what is ignored, how files are read. Agents have no business there, and neither have
//! the checks, which run code that agents wrote. So it is remembered before they begin and put back after them.
//!
//! A person may change it in the same minutes, and the two cannot be distinguished. What is replaced is therefore kept,
//! and the line that reports it names the command that brings it back. One change is let pass, because git and editors
//! make it all day long and nothing is run from it: which branch follows which.
//!
//! Where it decides which changes git sees (filters, attributes, patterns), it is unknown what was hidden meanwhile.
//! Then the whole attempt is undone.
//!
//! What was remembered is kept in memory only. After a crash it is unknown how long ago the agent stopped, and what
//! changed since is far more likely a person's, so nothing is compared then. (The same holds for [`super::refs`].)

use super::error::GitError;
use super::files::{is_absent, is_executable, temporary_in};
use super::last_mark::{GitSetup, SetupEntry};
use super::ref_name::ref_name;
use super::remove_files::remove_all;
use super::workspace::GitWorkspace;
use crate::shell_word::quoted_path;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Hooks and patterns are short. A longer file is [`SetupEntry::Other`]: it is compared by length and time, and moved away if
/// it differs, but what it was before cannot be put back.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// At most this many files are looked at; no repository has this many hooks.
const FILES_MAX: usize = 1_000;

/// At most this many are named one by one; the rest is counted.
const NAMED_MAX: usize = 20;

/// Keys of a branch that git sets as a matter of course and that name no program.
const OF_BRANCHES: [&str; 6] =
    ["remote", "merge", "rebase", "pushremote", "description", "vscode-merge-base"];

/// Prefixes of keys that decide how git looks at files.
const OF_SIGHT: [&str; 6] = ["core.", "extensions.", "filter.", "include.", "includeif.", "index."];

/// Keys among these that do not: programs, and what people read.
const NOT_OF_SIGHT: [&str; 6] =
    ["core.askpass", "core.editor", "core.fsmonitor", "core.hookspath", "core.pager", "core.sshcommand"];

pub(super) fn look(workspace: &GitWorkspace) -> Result<GitSetup, GitError> {
    let mut found = GitSetup::new();
    let own = (workspace.git_dir != workspace.common).then_some(&workspace.git_dir);
    for folder in [&workspace.common].into_iter().chain(own) {
        for name in ["config", "config.worktree", "commondir", "gitdir"] {
            take(&folder.join(name), &mut found)?;
        }
        take_all(&folder.join("info"), &mut found)?;
    }
    take_all(&workspace.common.join("hooks"), &mut found)?;
    take(&workspace.common.join("objects/info/alternates"), &mut found)?;
    // Made by git for servers, from its refs.
    found.remove(&workspace.common.join("info/refs"));
    Ok(found)
}

/// What was put back.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PutBack {
    /// One for each thing that was put back.
    pub(super) lines: Vec<String>,
    /// Whether it decides which changes of files git sees: then it is unknown what git did not see.
    pub(super) blinds: bool,
}

/// Puts back what differs from what was remembered.
pub(super) fn put_back(workspace: &GitWorkspace, name: &str) -> Result<PutBack, GitError> {
    let Some(then) = workspace.git_setup() else { return Ok(PutBack::default()) };
    let now = look(workspace)?;
    if now == then {
        return Ok(PutBack::default());
    }
    let (mut lines, mut blinds) = (Vec::new(), false);
    let paths: BTreeSet<&PathBuf> = then.keys().chain(now.keys()).collect();
    for path in paths {
        let (before, after) = (then.get(path), now.get(path));
        if before == after {
            continue;
        }
        let differ = differing(workspace, path, before, after)?;
        if differ.as_ref().is_some_and(|differ| differ.iter().all(|setting| follows(setting))) {
            continue;
        }
        blinds |= decides_what_is_seen(workspace, path, differ.as_deref());
        let kept = after.map(|entry| keep(workspace, name, path, entry)).transpose()?;
        match before {
            Some(SetupEntry::Other { .. }) | None => remove_all(path)?,
            Some(entry) => write(path, entry)?,
        }
        lines.push(told(workspace, path, before, kept.as_deref()));
    }
    if let Some(more) = lines.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
        lines.truncate(NAMED_MAX);
        lines.push(format!(
            "put back {more} more files of git's own; to get one back: ls {}",
            quoted_path(lost_folder(workspace, name))
        ));
    }
    workspace.note_git_setup(look(workspace)?);
    Ok(PutBack { lines, blinds })
}

fn take_all(folder: &Path, found: &mut GitSetup) -> Result<(), GitError> {
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        if !path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            take(&path, found)?;
            continue;
        }
        let entries = fs::read_dir(&path).map_err(|error| GitError::file(&path, &error))?;
        left.extend(entries.flatten().map(|entry| entry.path()).take(FILES_MAX));
        if found.len() > FILES_MAX {
            break;
        }
    }
    Ok(())
}

fn take(path: &Path, found: &mut GitSetup) -> Result<(), GitError> {
    let failed = |error: std::io::Error| GitError::file(path, &error);
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    let entry = if metadata.is_symlink() {
        SetupEntry::Link(fs::read_link(path).map_err(failed)?)
    } else if metadata.is_file() && metadata.len() <= BYTES_MAX {
        SetupEntry::File { bytes: fs::read(path).map_err(failed)?, executable: is_executable(&metadata) }
    } else {
        SetupEntry::Other { bytes: metadata.len(), modified: metadata.modified().ok() }
    };
    found.insert(path.to_owned(), entry);
    Ok(())
}

/// Settings that two versions of a configuration do not share; none where it is no configuration, or cannot be read.
fn differing(
    workspace: &GitWorkspace,
    path: &Path,
    before: Option<&SetupEntry>,
    after: Option<&SetupEntry>,
) -> Result<Option<Vec<String>>, GitError> {
    let (Some(SetupEntry::File { bytes: before, .. }), Some(SetupEntry::File { bytes: after, .. })) =
        (before, after)
    else {
        return Ok(None);
    };
    if path != workspace.common.join("config") {
        return Ok(None);
    }
    let (Some(before), Some(after)) = (settings(workspace, before)?, settings(workspace, after)?) else {
        return Ok(None);
    };
    Ok(Some(one_sided(&before, &after).chain(one_sided(&after, &before)).collect()))
}

/// Whether a file of git's own, or the settings that differ in it, decide which changes of files git sees.
fn decides_what_is_seen(workspace: &GitWorkspace, path: &Path, differ: Option<&[String]>) -> bool {
    if path.starts_with(workspace.common.join("hooks")) {
        return false;
    }
    let Some(differ) = differ else { return true };
    let of = |setting: &String| {
        let key = setting.split('\n').next().unwrap_or_default();
        OF_SIGHT.iter().any(|of| key.starts_with(of)) && !NOT_OF_SIGHT.contains(&key)
    };
    differ.iter().any(of)
}

/// Settings that occur more often on one side than on the other.
fn one_sided<'a>(
    one: &'a BTreeMap<String, usize>,
    other: &'a BTreeMap<String, usize>,
) -> impl Iterator<Item = String> + 'a {
    let more = |(setting, times): &(&String, &usize)| other.get(*setting).copied().unwrap_or(0) < **times;
    one.iter().filter(more).map(|(setting, _)| setting.clone())
}

/// `branch.NAME.KEY`, a line break and the value, where it says which branch another one follows.
fn follows(setting: &str) -> bool {
    let (key, value) = setting.split_once('\n').unwrap_or((setting, ""));
    let name = key.strip_prefix("branch.").and_then(|rest| rest.rsplit_once('.'));
    // A remote that is an address could name a helper program.
    let plain = !value.contains("::") && !value.starts_with('-');
    name.is_some_and(|(_, key)| OF_BRANCHES.contains(&key)) && plain
}

/// Each setting of a configuration with how often it occurs; none where git cannot read it.
fn settings(workspace: &GitWorkspace, bytes: &[u8]) -> Result<Option<BTreeMap<String, usize>>, GitError> {
    let call =
        workspace.git.call(&workspace.common, ["config", "--file", "-", "--no-includes", "--list", "-z"]);
    let done = call.input(bytes.to_vec()).end()?;
    if done.code != Some(0) {
        return Ok(None);
    }
    let mut counted = BTreeMap::new();
    for setting in done.stdout.split(|byte| *byte == 0).filter(|setting| !setting.is_empty()) {
        *counted.entry(String::from_utf8_lossy(setting).into_owned()).or_default() += 1;
    }
    Ok(Some(counted))
}

/// Where what was replaced is kept.
fn lost_folder(workspace: &GitWorkspace, name: &str) -> PathBuf {
    workspace.common.join("redraft").join("lost").join(ref_name(name))
}

/// Keeps what is about to be replaced, without losing what was kept before.
fn keep(workspace: &GitWorkspace, name: &str, path: &Path, entry: &SetupEntry) -> Result<PathBuf, GitError> {
    let inside = path.strip_prefix(&workspace.common).unwrap_or(path);
    let wanted = lost_folder(workspace, name).join(inside);
    let mut target = wanted.clone();
    for again in 2..=FILES_MAX {
        if target.symlink_metadata().is_err() {
            break;
        }
        let mut other = wanted.clone().into_os_string();
        other.push(format!(".{again}"));
        target = other.into();
    }
    match (entry, target.parent()) {
        (SetupEntry::Other { .. }, Some(folder)) => {
            fs::create_dir_all(folder).map_err(|error| GitError::file(folder, &error))?;
            fs::rename(path, &target).map_err(|error| GitError::file(path, &error))?;
        }
        _ => write(&target, entry)?,
    }
    Ok(target)
}

/// Puts something in a place in one step.
fn write(path: &Path, entry: &SetupEntry) -> Result<(), GitError> {
    let failed = |error: std::io::Error| GitError::file(path, &error);
    let folder = path.parent().unwrap_or(path);
    // A file in the place of a folder is in the way.
    if folder.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
        remove_all(folder)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    let temp = temporary_in(folder);
    match entry {
        SetupEntry::File { bytes, executable } => {
            fs::write(&temp, bytes).map_err(failed)?;
            set_executable(&temp, *executable).map_err(failed)?;
        }
        SetupEntry::Link(target) => link(target, &temp).map_err(failed)?,
        SetupEntry::Other { .. } => return Ok(()),
    }
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        remove_all(path)?;
    }
    fs::rename(&temp, path).map_err(failed)
}

fn set_executable(path: &Path, executable: bool) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    let mode = if executable { mode | 0o111 } else { mode & !0o111 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

fn link(target: &Path, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

fn told(workspace: &GitWorkspace, path: &Path, before: Option<&SetupEntry>, kept: Option<&Path>) -> String {
    let inside = path.strip_prefix(&workspace.common).unwrap_or(path).display();
    let path = quoted_path(path);
    match (before, kept) {
        (Some(SetupEntry::Other { .. }), Some(kept)) => format!(
            "removed .git/{inside}, which was changed meanwhile; it was too large to be kept before; to get back what \
             it is now: cp {} {path}",
            quoted_path(kept)
        ),
        (Some(SetupEntry::Other { .. }), None) => {
            format!(
                ".git/{inside} was removed meanwhile; it was too large to be kept, so bring it back yourself"
            )
        }
        (Some(_), Some(kept)) => {
            format!(
                "put back .git/{inside}, which was changed meanwhile; to get it back: cp {} {path}",
                quoted_path(kept)
            )
        }
        (None, Some(kept)) => {
            format!(
                "removed .git/{inside}, which was made meanwhile; to get it back: cp {} {path}",
                quoted_path(kept)
            )
        }
        (_, None) => {
            format!("put back .git/{inside}, which was removed meanwhile; to get it back: rm {path}")
        }
    }
}

#[cfg(test)]
mod tests;
