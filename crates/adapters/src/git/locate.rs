//! Finds the checkout and repository that a path belongs to without starting git: for hooks, which have a few
//! milliseconds and no second try.
//!
//! Reads the few small files by which git itself finds a repository. It knows less than [`super::Repository`], which
//! everything else uses, and finds nothing where it is in doubt. Links are followed as the kernel would, also in paths
//! whose end does not exist yet. Start at [`CheckoutLocation::at`].

use super::files::os_path;
use crate::plain_file;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A checkout and the folder that all checkouts of its repository share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutLocation {
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

impl CheckoutLocation {
    /// The repository that holds an existing folder.
    pub fn at(folder: &Path) -> Option<CheckoutLocation> {
        let folder = fs::canonicalize(folder).ok()?;
        folder.ancestors().find_map(|root| {
            let git = git_dir(root)?;
            let common = common_of(&git)?;
            let found = is_repository(&common) && is_ours(&common);
            found.then(|| CheckoutLocation { checkout: root.to_owned(), git, common })
        })
    }

    /// The root of the checkout that holds a folder; outside of any, the folder itself.
    pub fn checkout_of(folder: &Path) -> PathBuf {
        CheckoutLocation::at(folder).map_or_else(|| folder.to_owned(), |glance| glance.checkout)
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

/// The state folder that a real path is, or is in: one of this name next to git's own files, with a ledger in it.
pub fn state_around(path: &Path) -> Option<&Path> {
    path.ancestors().find(|folder| {
        folder.file_name() == Some(OsStr::new("redraft"))
            && folder.parent().is_some_and(is_repository)
            && folder.join(crate::sqlite::FILE).is_file()
    })
}

/// Where a path really leads: links followed, `..` resolved, even if the last parts do not exist. `path` must be
/// absolute.
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

/// Whether two paths lead to the same place; one that does not exist is compared as written.
pub(super) fn same_path(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    a == b || real(a) == real(b)
}

/// The parts of a path in reverse order.
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
}

/// Git's own folder for a checkout with this root: `.git`, or where the file of that name leads.
pub(super) fn git_dir(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return fs::canonicalize(git).ok();
    }
    let text = plain_file::read(&git, LINK_BYTES_MAX).ok()?;
    let mut target = text.strip_prefix(b"gitdir:")?;
    while let Some(rest) = target.strip_prefix(b" ") {
        target = rest;
    }
    fs::canonicalize(root.join(os_path(without_line_breaks(target)))).ok()
}

/// What git takes for a path in a file: without the line breaks at its end.
fn without_line_breaks(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    &text[..end]
}

/// The folder that all checkouts share, found from that of one; none where a file names it and cannot be read.
pub(super) fn common_of(git: &Path) -> Option<PathBuf> {
    let file = git.join("commondir");
    match plain_file::read(&file, LINK_BYTES_MAX) {
        Ok(shared) => fs::canonicalize(git.join(os_path(without_line_breaks(&shared)))).ok(),
        Err(error) if error.is_absent(&file) => Some(git.to_owned()),
        Err(_) => None,
    }
}

/// Whether the user owns a repository. Git refuses those of others unless the user has named them, which is more than
/// can be looked up here.
fn is_ours(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(folder).is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
}

fn is_repository(folder: &Path) -> bool {
    let head = folder.join("HEAD");
    // The oldest form of HEAD is a link, and leads nowhere once the ref it names is packed.
    let is_head = head.is_file() || fs::read_link(&head).is_ok_and(|target| target.starts_with("refs"));
    is_head && folder.join("objects").is_dir()
}

#[cfg(test)]
mod tests;
