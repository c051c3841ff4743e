//! A glance at where a path belongs, without starting git: for hooks, which have a few milliseconds and no second try.
//!
//! Reads the few small files by which git itself finds a repository. It knows less than [`super::Repository`], which is
//! what everything else asks, and where it is in doubt it finds nothing. Links are followed as the kernel would, also in
//! paths whose end does not exist yet. Start at [`Glance::at`].

use crate::plain_file;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A checkout and the folder that all checkouts of its repository share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance {
    /// The root of the checkout the path is in: the main one or a worktree.
    pub checkout: PathBuf,
    /// Git's own folder for that checkout.
    git: PathBuf,
    pub common: PathBuf,
}

/// More than a path has.
const LINK_BYTES_MAX: u64 = 16 * 1024;

/// As many links as the kernel follows.
const LINKS_MAX: usize = 40;

impl Glance {
    /// The repository that holds an existing folder.
    pub fn at(folder: &Path) -> Option<Glance> {
        let folder = fs::canonicalize(folder).ok()?;
        folder.ancestors().find_map(|root| {
            let git = git_dir(root)?;
            let common = common_of(&git)?;
            let found = is_repository(&common) && is_ours(&common);
            found.then(|| Glance { checkout: root.to_owned(), git, common })
        })
    }

    /// Git's own folder for the checkout, and the one that all checkouts share.
    pub(super) fn folders(self) -> (PathBuf, PathBuf) {
        (self.git, self.common)
    }

    /// Where Redraft's state is, whether or not it exists.
    pub fn state_dir(&self) -> PathBuf {
        self.common.join("redraft")
    }

    /// The main checkout, where it is certain.
    pub fn main_checkout(&self) -> Option<PathBuf> {
        let own = |root: &Path| git_dir(root).is_some_and(|git| git == self.common);
        if own(&self.checkout) {
            return Some(self.checkout.clone());
        }
        let above = self.common.parent()?;
        own(above).then(|| above.to_owned())
    }

    /// The branch that is checked out.
    pub fn branch(&self) -> Option<String> {
        let head = plain_file::read_text(&self.git.join("HEAD"), LINK_BYTES_MAX).ok()?;
        Some(head.trim_end().strip_prefix("ref: refs/heads/")?.to_owned())
    }
}

/// The state folder that a real path is, or is in: one of this name beside git's own files, with a ledger in it.
pub fn state_around(path: &Path) -> Option<&Path> {
    path.ancestors().find(|folder| {
        folder.file_name() == Some(OsStr::new("redraft"))
            && folder.parent().is_some_and(is_repository)
            && folder.join(crate::sqlite::FILE).is_file()
    })
}

/// Where a path really leads: links followed, `..` taken back, whether or not the last parts exist. `path` must be absolute.
pub fn real_path(path: &Path) -> Option<PathBuf> {
    let mut left: Vec<PathBuf> = parts(path);
    let (mut real, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = left.pop() {
        match part.components().next()? {
            Component::RootDir => real = PathBuf::from("/"),
            Component::CurDir => {}
            Component::ParentDir => drop(real.pop()),
            Component::Prefix(_) => return None,
            Component::Normal(name) => {
                let next = real.join(name);
                match fs::read_link(&next) {
                    Ok(target) => {
                        links += 1;
                        if links > LINKS_MAX {
                            return None;
                        }
                        left.extend(parts(&target));
                    }
                    Err(_) => real = next,
                }
            }
        }
    }
    path.is_absolute().then_some(real)
}

/// The parts of a path, the first one last.
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
}

/// Git's own folder for a checkout with this root: `.git`, or where the file of that name leads.
pub(super) fn git_dir(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return fs::canonicalize(git).ok();
    }
    let text = plain_file::read_text(&git, LINK_BYTES_MAX).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim_start_matches(' ').trim_end_matches(['\n', '\r']);
    fs::canonicalize(root.join(target)).ok()
}

/// The folder that all checkouts share, from that of one.
pub(super) fn common_of(git: &Path) -> Option<PathBuf> {
    match plain_file::read_text(&git.join("commondir"), LINK_BYTES_MAX) {
        Ok(shared) => fs::canonicalize(git.join(shared.trim_end_matches(['\n', '\r']))).ok(),
        Err(_) => Some(git.to_owned()),
    }
}

/// Whether the user owns a repository. Git refuses those of others unless the user has named them, which is more than
/// can be looked up here.
#[cfg(unix)]
fn is_ours(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(folder).is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_ours(_folder: &Path) -> bool {
    true
}

fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir()
}

#[cfg(test)]
mod tests;
