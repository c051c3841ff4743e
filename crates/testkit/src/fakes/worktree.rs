//! The files of a fake worktree, accessed by the rules of the real one: no path leads out, links are not written
//! through.

use super::ignore::Ignore;
use super::tree::{Node, Tree, has_folder};
use redraft_engine::ports::WorkspaceError;
use std::collections::BTreeSet;

/// A checkout: the main one or a feature's.
#[derive(Debug, Clone, Default)]
pub(super) struct Worktree {
    pub(super) head: Head,
    /// What is staged, which is also what git tracks.
    pub(super) index: Tree,
    pub(super) files: Tree,
    /// HEAD's log: the commit it came to, and the branch it was switched to.
    pub(super) log: Vec<(String, Option<String>)>,
    /// What git was asked to do and has not finished.
    pub(super) unfinished: Option<&'static str>,
    /// Folders that are repositories of their own.
    pub(super) nested: BTreeSet<String>,
    /// Whether its folder was removed.
    pub(super) gone: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    /// By its full name.
    Branch(String),
    Detached(String),
}

impl Default for Head {
    fn default() -> Self {
        Head::Branch("refs/heads/main".to_owned())
    }
}

/// How many links are followed, one after the other; more are a circle.
const LINKS_MAX: usize = 20;

/// What stands at a path; links are not followed.
pub(super) enum Kind<'a> {
    Absent,
    There(&'a Node),
}

impl Worktree {
    pub(super) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let mut at = checked(path)?.to_owned();
        for _ in 0..LINKS_MAX {
            if let Some((link, rest)) = self.link_on(&at) {
                let target = match self.files.get(&link) {
                    Some(Node::Link(target)) => target,
                    _ => return Ok(None),
                };
                let leads_out = || refused(path, "leads out of the worktree");
                at = joined(&link, target).ok_or_else(leads_out)? + &rest;
                if at.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
                    return Err(leads_out());
                }
                continue;
            }
            return match self.files.get(&at) {
                Some(Node::File { bytes, .. }) => Ok(Some(bytes.clone())),
                Some(_) => Err(refused(path, "is not an ordinary file")),
                None if has_folder(&self.files, &at) => Err(refused(path, "is a folder, not a file")),
                None => Ok(None),
            };
        }
        Err(refused(path, "goes in a circle"))
    }

    pub(super) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), WorkspaceError> {
        checked(path)?;
        self.refuse_linked_folder(path)?;
        if folders(path).any(|folder| self.files.contains_key(folder)) {
            return Err(refused(path, "Not a directory"));
        }
        let executable = match self.files.get(path) {
            Some(Node::File { executable, .. }) => *executable,
            None if !has_folder(&self.files, path) => false,
            _ => return Err(refused(path, "is not an ordinary file and is not replaced")),
        };
        self.files.insert(path.to_owned(), Node::File { bytes: bytes.to_vec(), executable });
        Ok(())
    }

    pub(super) fn remove(&mut self, path: &str) -> Result<(), WorkspaceError> {
        checked(path)?;
        self.refuse_linked_folder(path)?;
        if has_folder(&self.files, path) {
            return Err(refused(path, "Is a directory"));
        }
        self.files.remove(path);
        Ok(())
    }

    /// What stands at a path that no link leads to.
    pub(super) fn kind(&self, path: &str) -> Result<Kind<'_>, WorkspaceError> {
        checked(path)?;
        self.refuse_linked_folder(path)?;
        match self.files.get(path) {
            Some(Node::Pipe) => Err(refused(path, "is not an ordinary file")),
            Some(Node::Repository(_)) => Err(refused(path, "is a folder; name the files in it")),
            Some(node) => Ok(Kind::There(node)),
            None if has_folder(&self.files, path) => Err(refused(path, "is a folder; name the files in it")),
            None => Ok(Kind::Absent),
        }
    }

    /// All files that are tracked or not ignored.
    pub(super) fn visible(&self, exclude: Option<&String>) -> Tree {
        let ignore = Ignore::new(&self.files, exclude);
        let nested = |path: &str| self.nested.iter().any(|folder| path.starts_with(folder.as_str()));
        let seen = |path: &str, node: &Node| {
            let new = *node != Node::Pipe && ignore.of_path(path).is_none() && !nested(path);
            self.index.contains_key(path) || new
        };
        self.files
            .iter()
            .filter(|(path, node)| seen(path, node))
            .map(|(path, node)| (path.clone(), node.clone()))
            .collect()
    }

    /// What is ignored; a folder with nothing but ignored files is one line.
    pub(super) fn ignored(&self, exclude: Option<&String>) -> BTreeSet<String> {
        let ignore = Ignore::new(&self.files, exclude);
        let seen = self.visible(exclude);
        let mut lines = BTreeSet::new();
        for path in self.files.keys().filter(|path| !seen.contains_key(*path)) {
            let Some(by) = ignore.of_path(path) else { continue };
            // The highest folder in which git sees nothing.
            let above = folders(path).find(|folder| !has_folder(&seen, folder) && !self.tracks(folder));
            lines.insert(above.map_or(by, |folder| format!("{folder}/")));
        }
        lines
    }

    fn tracks(&self, folder: &str) -> bool {
        has_folder(&self.index, folder)
    }

    fn refuse_linked_folder(&self, path: &str) -> Result<(), WorkspaceError> {
        match folders(path).find(|folder| matches!(self.files.get(*folder), Some(Node::Link(_)))) {
            Some(link) => Err(refused(path, &format!("goes through the link {link}"))),
            None => Ok(()),
        }
    }

    /// The first link on the way to a path or at its end, and what follows it.
    fn link_on(&self, path: &str) -> Option<(String, String)> {
        let ways = folders(path).chain([path]);
        let link = ways.into_iter().find(|way| matches!(self.files.get(*way), Some(Node::Link(_))))?;
        Some((link.to_owned(), path.get(link.len()..).unwrap_or_default().to_owned()))
    }

    /// Whether a link leads out of the worktree, into git's own folder, or in a circle.
    pub(super) fn leads_out(&self, path: &str) -> bool {
        let mut at = path.to_owned();
        for _ in 0..LINKS_MAX {
            let Some(Node::Link(target)) = self.files.get(&at) else { return false };
            match joined(&at, target) {
                Some(to) if !to.split('/').any(|part| part.eq_ignore_ascii_case(".git")) => at = to,
                _ => return true,
            }
        }
        true
    }
}

/// The folders above a path, the highest first.
pub(super) fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Where a link leads; none where that is outside.
fn joined(link: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Only plain names below the root.
pub(super) fn checked(path: &str) -> Result<&str, WorkspaceError> {
    let plain = |part: &str| {
        !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git") && !part.contains('\0')
    };
    match path.split('/').all(plain) {
        true => Ok(path),
        false => Err(refused(path, "is not a path inside the worktree")),
    }
}

pub(super) fn refused(path: &str, detail: &str) -> WorkspaceError {
    WorkspaceError::File { path: path.to_owned(), detail: detail.to_owned() }
}
