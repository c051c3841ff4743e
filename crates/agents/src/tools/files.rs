//! Decides which files a search looks at: those that git does not ignore, so that dependencies and build products
//! neither hide the project's own files nor are read for nothing. A folder that is no worktree is walked.
//!
//! No link is followed either way. Start at [`list`].

use super::place::Folder;
use super::until::Until;
use redraft_adapters::git::Git;
use redraft_facts::text::is_git_folder;
use redraft_facts::usage::grouped;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Further names of one repository are not looked at.
const LISTED_MAX: usize = 500_000;
/// Without git nothing says what is worth looking at.
const WALKED_MAX: usize = 50_000;
const DEPTH_MAX: usize = 64;

/// The ordinary files that were wanted, in order of their paths.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) files: Vec<String>,
    /// Said when not all were looked at.
    pub(super) cut: Option<String>,
    /// Said when nothing is found: what was left out on purpose.
    pub(super) without: &'static str,
}

pub(super) fn list(folder: &Folder, wanted: &dyn Fn(&str) -> bool, until: Until<'_>) -> Listed {
    match Git::default().open_files(folder.root()) {
        Some(names) => of_git(folder, names, wanted, until),
        None => walked(folder, wanted, until),
    }
}

fn of_git(folder: &Folder, names: Vec<Vec<u8>>, wanted: &dyn Fn(&str) -> bool, until: Until<'_>) -> Listed {
    let mut names: Vec<String> = names.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect();
    names.sort();
    let all = names.len();
    let without = " (files that git ignores are left out; Read and List open them)";
    let mut listed = Listed { without, ..Listed::default() };
    let mut real = HashMap::new();
    for (looked, path) in names.into_iter().enumerate() {
        if looked == LISTED_MAX || (looked.is_multiple_of(LOOK_EVERY) && until.is_over()) {
            listed.cut = Some(cut(looked, Some(all)));
            break;
        }
        // What is tracked may be gone, or a link, or lie behind one by now.
        if wanted(&path) && is_file(folder.root(), &path, &mut real) {
            listed.files.push(path);
        }
    }
    listed
}

/// How often a long list looks at the clock.
const LOOK_EVERY: usize = 1_000;

/// Whether an ordinary file is there, with no link on the way. `real` remembers which folders have none.
fn is_file(root: &Path, path: &str, real: &mut HashMap<String, bool>) -> bool {
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    is_real_folder(root, parent, real)
        && fs::symlink_metadata(root.join(path)).is_ok_and(|found| found.is_file())
}

fn is_real_folder(root: &Path, path: &str, real: &mut HashMap<String, bool>) -> bool {
    if path.is_empty() {
        return true;
    }
    if let Some(known) = real.get(path) {
        return *known;
    }
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    let name = path.rsplit('/').next().unwrap_or(path);
    let found = !is_git_folder(name)
        && is_real_folder(root, parent, real)
        && fs::symlink_metadata(root.join(path)).is_ok_and(|found| found.is_dir());
    real.insert(path.to_owned(), found);
    found
}

fn walked(folder: &Folder, wanted: &dyn Fn(&str) -> bool, until: Until<'_>) -> Listed {
    let mut walk = Walk { seen: 0, over: false, listed: Listed::default(), wanted, until };
    walk.gather(folder.root(), "", 0);
    if walk.over {
        walk.listed.cut = Some(cut(walk.seen, None));
    }
    walk.listed
}

struct Walk<'a> {
    seen: usize,
    over: bool,
    listed: Listed,
    wanted: &'a dyn Fn(&str) -> bool,
    until: Until<'a>,
}

impl Walk<'_> {
    /// Every ordinary file, in order. What cannot be listed is skipped.
    fn gather(&mut self, folder: &Path, prefix: &str, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).take(WALKED_MAX).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            self.over |= self.seen >= WALKED_MAX || self.until.is_over();
            if self.over {
                return;
            }
            self.seen += 1;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !is_git_folder(name)) else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            let path = format!("{prefix}{name}");
            if kind.is_dir() && depth < DEPTH_MAX {
                self.gather(&entry.path(), &format!("{path}/"), depth + 1);
            } else if kind.is_file() && (self.wanted)(&path) {
                self.listed.files.push(path);
            }
        }
    }
}

fn cut(looked: usize, all: Option<usize>) -> String {
    let looked = grouped(looked as u64);
    match all {
        Some(all) => format!("(only the first {looked} of {} files were looked at)", grouped(all as u64)),
        None => format!("(only the first {looked} entries of the folder were looked at)"),
    }
}
