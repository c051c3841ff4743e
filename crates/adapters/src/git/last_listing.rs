//! Which files git last listed as differing from the index, and how all files stood then.
//!
//! Git is asked again only about what it has not seen. Where index, configuration and files stand as they did, its last
//! list holds; a tracked file that changed since is added to the list. Every doubt is git's to decide: a file that is
//! neither tracked nor listed, a changed `.gitignore`, a repository inside the worktree, hidden changes.
//!
//! A tracked file may be listed here that git would not list. Whoever builds a tree of it finds that it is the same.
//!
//! A file's times prove that it did not change only if they are older than a tick of the clock. So files that changed
//! shortly before the newest one are compared by content.

use super::error::GitError;
use super::files::{is_absent, os_path, path_bytes};
use super::index_form::{self, Tracked};
use super::recent::{self, Content};
use super::stamp::{Facts, Stamps, facts, stamped};
use super::temp_index::Index;
use redraft_facts::ids::BlobId;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// With more files than these, our look would cost as much as git's.
const FILES_MAX: usize = 2_000;

/// The coarsest clock of a file system, and a bit.
const TICK_SECONDS: i64 = 3;

/// How much is compared by content. With more, git is asked.
const BYTES_MAX: u64 = 512 * 1024;

/// What is remembered of git's last list.
#[derive(Debug, Default)]
pub(super) struct LastListing {
    last: Option<(Standpoint, Lines)>,
}

/// `C path` for a tracked file that is changed or gone, `? path` for a new one.
pub(super) type Lines = Vec<Vec<u8>>;

/// Everything that git's list depends on.
#[derive(Debug)]
struct Standpoint {
    index: BlobId,
    tracked: Tracked,
    /// The files that say what git ignores, and how it reads files.
    around: Stamps,
    files: Files,
}

/// A worktree's files, and those around it that say what git ignores and how it reads files.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) root: &'a Path,
    pub(super) around: Vec<PathBuf>,
}

impl LastListing {
    /// The files that differ from this index, which is the worktree's own.
    pub(super) fn lines(
        &mut self,
        place: Place<'_>,
        index: Option<&Index>,
        ask_git: impl FnOnce() -> Result<Lines, GitError>,
    ) -> Result<Lines, GitError> {
        let now = index.and_then(|index| self.stand(place, index));
        let lines = match now.as_ref().and_then(|now| self.known(now)) {
            Some(lines) => lines,
            None => ask_git()?,
        };
        self.last = now.map(|now| (now, lines.clone()));
        Ok(lines)
    }

    /// Brings the last list up to date before files are committed, where that needs no git.
    pub(super) fn refresh(&mut self, place: Place<'_>, index: Option<&Index>) {
        let now = index.and_then(|index| self.stand(place, index));
        self.last = now.and_then(|now| self.known(&now).map(|lines| (now, lines)));
    }

    /// Notes that these files were committed since the list was refreshed: the index has them as they stood then, or as
    /// they have become since, which the next look finds.
    pub(super) fn committed(&mut self, index: Option<&Index>, paths: &[&str]) {
        let (Some((then, lines)), Some(index)) = (self.last.take(), index) else { return };
        let Some(tracked) = index_form::tracked(index.bytes()) else { return };
        let (mut before, mut after) = (then.tracked, tracked.clone());
        for path in paths {
            before.remove(path.as_bytes());
            after.remove(path.as_bytes());
        }
        // Somebody else may have staged something meanwhile.
        if before == after {
            let is_other = |line: &Vec<u8>| !paths.iter().any(|path| line.get(2..) == Some(path.as_bytes()));
            let lines = lines.into_iter().filter(is_other).collect();
            let now = Standpoint { index: index.name(), tracked, around: then.around, files: then.files };
            self.last = Some((now, lines));
        }
    }

    /// How everything stands now; none where only git can look.
    fn stand(&self, place: Place<'_>, index: &Index) -> Option<Standpoint> {
        // Before the files are looked at: what changes in between is looked at again.
        let around = stamped(place.around);
        let before = self.last.as_ref().map(|(then, _)| &then.files);
        let files = Files::look(place.root, before)?;
        Some(Standpoint { index: index.name(), tracked: index_form::tracked(index.bytes())?, around, files })
    }

    /// The list as it is now, as far as that follows from the last one.
    fn known(&self, now: &Standpoint) -> Option<Lines> {
        let (then, lines) = self.last.as_ref()?;
        if then.index != now.index || then.around != now.around {
            return None;
        }
        let mut lines = lines.clone();
        for path in now.files.differing(&then.files) {
            if path.ends_with(b".gitignore") || path.ends_with(b".gitattributes") {
                return None;
            }
            let listed = lines.iter().position(|line| line.get(2..) == Some(path));
            match (listed, now.tracked.contains_key(path)) {
                (None, true) => lines.push([b"C ", path].concat()),
                (None, false) => return None,
                (Some(at), false) if !now.files.0.contains_key(path) => drop(lines.remove(at)),
                (Some(_), _) => {}
            }
        }
        Some(lines)
    }
}

/// All files of a worktree by their paths, also those that git ignores.
#[derive(Debug)]
struct Files(BTreeMap<Vec<u8>, Seen>);

#[derive(Debug)]
struct Seen {
    facts: Facts,
    /// Whether its times prove nothing yet.
    recent: bool,
    content: Option<Content>,
}

impl Files {
    /// None where there are too many, or a repository inside. What was recent before is read once more.
    fn look(root: &Path, before: Option<&Files>) -> Option<Files> {
        let own = root.join(".git");
        let (mut files, mut count) = (BTreeMap::new(), 0);
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).ok()? {
                let path = entry.ok()?.path();
                let is_git = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
                count += 1;
                match path.symlink_metadata() {
                    _ if path == own => {}
                    _ if count > FILES_MAX || is_git => return None,
                    Ok(found) if found.is_dir() => folders.push(path),
                    Ok(found) => {
                        let seen = Seen { facts: facts(&found), recent: false, content: None };
                        files.insert(path_bytes(path.strip_prefix(root).ok()?), seen);
                    }
                    Err(error) if is_absent(&error) => {}
                    Err(_) => return None,
                }
            }
        }
        // Those that may have changed within the same tick as the newest.
        let newest = files.values().map(|seen| seen.facts.changed_s).max().unwrap_or_default();
        let mut left = BYTES_MAX;
        for (path, seen) in &mut files {
            let was_recent = before.and_then(|before| before.0.get(path)).is_some_and(|was| was.recent);
            seen.recent = seen.facts.changed_s >= newest - TICK_SECONDS;
            if seen.recent || was_recent {
                left = left.checked_sub(seen.facts.bytes)?;
                seen.content = Some(recent::content_at(&root.join(os_path(path)))?);
            }
        }
        Some(Files(files))
    }

    /// The paths that do not stand as they did.
    fn differing<'a>(&'a self, then: &'a Files) -> BTreeSet<&'a [u8]> {
        let same = |now: Option<&Seen>, was: Option<&Seen>| match (now, was) {
            (Some(now), Some(was)) => now.facts == was.facts && (!was.recent || now.content == was.content),
            _ => false,
        };
        let paths = self.0.keys().chain(then.0.keys());
        let differ = |path: &&Vec<u8>| !same(self.0.get(*path), then.0.get(*path));
        paths.filter(differ).map(Vec::as_slice).collect()
    }
}

#[cfg(test)]
mod tests;
