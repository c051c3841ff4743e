//! A policy as words for bubblewrap: a file system that is empty but for what is granted, processes, memory and names of
//! its own, and a network of its own where nothing outside is wanted.

use super::carve;
use super::hosts;
use super::rules::leads_elsewhere;
use crate::policy::{Access, Grant, SandboxPolicy};
use crate::search_path;
use crate::start::CONTAINED;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the helper is found inside. Nothing that is granted can be there.
const HELPER: &str = "/.contained";
/// What bubblewrap makes anew.
const MADE: &[&str] = &["/proc", "/dev"];
/// Devices that it does not make, and that somebody may grant, are bound; these it makes.
const MADE_DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty", "shm", "pts", "ptmx"];
/// Where there is a folder of its own inside.
const TEMPORARY: &str = "/tmp";
/// Links that lead to links; the kernel follows no more.
const LINKS_MAX: usize = 40;

/// None where there is no bubblewrap, or one that a command could have put there.
pub(super) fn words(policy: &SandboxPolicy, helper: &Path, names: Option<&Path>) -> Option<Vec<OsString>> {
    let path = std::env::var_os("PATH")?;
    let program = fs::canonicalize(search_path::find("bwrap", &path)?).ok()?;
    let writable =
        |grant: &Grant| grant.access == Access::Write && program.starts_with(carve::real(&grant.path));
    if policy.grants.iter().any(writable) {
        return None;
    }
    let mut words: Vec<OsString> = vec![program.into()];
    let spaces =
        ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"];
    words.extend(spaces.map(OsString::from));
    // With names, it is started in a network of its own.
    words.extend((policy.network.is_private() && names.is_none()).then(|| "--unshare-net".into()));
    words.extend(["--proc", "/proc", "--dev", "/dev"].map(OsString::from));
    let mut tree = Tree::default();
    // Many programs put temporary files there, whatever TMPDIR says.
    if Path::new(TEMPORARY).is_dir() && !Path::new(TEMPORARY).is_symlink() {
        tree.put(TEMPORARY.into(), Mount::Own);
    }
    if policy.network.unix {
        tree.grant(&Grant { path: "/run".into(), access: Access::Look, except: Vec::new() });
    }
    for grant in policy.grants.iter().filter(|grant| !leads_elsewhere(grant)) {
        tree.grant(grant);
    }
    words.extend(tree.words());
    if let Some(names) = names {
        words.extend(["--ro-bind".into(), names.into(), hosts::FILE.into()]);
    }
    words.extend(["--ro-bind".into(), helper.into(), HELPER.into(), "--remount-ro".into(), "/".into()]);
    // Without a word about it, the command begins in the folder that bubblewrap is started in.
    words.extend(["--".into(), HELPER.into(), CONTAINED.into()]);
    Some(words)
}

/// What is done at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mount {
    /// A folder of its own that is empty at first and gone at the end.
    Own,
    /// Covered, so that what is there is not.
    Empty,
    NoFile,
    Read,
    Write,
    Device,
}

/// Everything that is in the file system; paths without links in them.
#[derive(Debug, Default)]
struct Tree {
    mounts: BTreeMap<PathBuf, Mount>,
    links: BTreeMap<PathBuf, PathBuf>,
}

impl Tree {
    fn grant(&mut self, grant: &Grant) {
        let Some(path) = self.follow(&grant.path) else { return };
        let except: Vec<PathBuf> = grant.except.iter().map(|closed| carve::real(closed)).collect();
        let made = |path: &Path| match path.strip_prefix("/dev") {
            Ok(device) => MADE_DEVICES.iter().any(|made| device == Path::new(made)),
            Err(_) => MADE.iter().any(|made| path.starts_with(made)),
        };
        if made(&path) || except.iter().any(|closed| path.starts_with(closed)) {
            return;
        }
        if path.starts_with("/dev") {
            self.put(path, Mount::Device);
            return;
        }
        if grant.access == Access::Write {
            // What is closed and not there yet must not be made, so what holds it is not opened as a whole.
            for piece in carve::carved(&path, &except) {
                self.put(piece, Mount::Write);
            }
            return;
        }
        for closed in except.iter().filter(|closed| closed.starts_with(&path)) {
            match fs::symlink_metadata(closed) {
                Ok(there) if there.is_dir() => self.put(closed.clone(), Mount::Empty),
                Ok(_) => self.put(closed.clone(), Mount::NoFile),
                Err(_) => {}
            }
        }
        self.put(path, Mount::Read);
    }

    /// The stronger of two at the same path holds.
    fn put(&mut self, path: PathBuf, mount: Mount) {
        let there = self.mounts.entry(path).or_insert(mount);
        *there = (*there).max(mount);
    }

    /// The path without links; those on the way are kept. None if it leads nowhere.
    fn follow(&mut self, path: &Path) -> Option<PathBuf> {
        let mut path = path.to_owned();
        for _ in 0..LINKS_MAX {
            let ancestors: Vec<&Path> = path.ancestors().collect();
            let link = ancestors.into_iter().rev().find(|ancestor| ancestor.is_symlink());
            let Some(link) = link.map(Path::to_owned) else { return fs::canonicalize(&path).ok() };
            let target = fs::read_link(&link).ok()?;
            let rest = path.strip_prefix(&link).ok()?.to_owned();
            let above = link.parent()?.to_owned();
            self.links.insert(link, target.clone());
            path = normal(&above.join(target)).join(rest);
        }
        None
    }

    fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut last: Vec<OsString> = Vec::new();
        for (path, mount) in &self.mounts {
            let above = self.above(path);
            let mut add = |flag: &str, from: &Path| {
                words.extend([flag.into(), from.into(), path.into()]);
            };
            match mount {
                // Where nothing is, nothing need be covered.
                Mount::Empty | Mount::NoFile if !matches!(above, Some(Mount::Read | Mount::Write)) => {}
                Mount::Empty => {
                    words.extend(["--tmpfs".into(), path.into()]);
                    last.extend(["--remount-ro".into(), path.into()]);
                }
                // A device that cannot be opened.
                Mount::Own => words.extend(["--perms", "1777", "--tmpfs", TEMPORARY].map(OsString::from)),
                Mount::NoFile => add("--ro-bind", Path::new("/dev/null")),
                Mount::Read if matches!(above, Some(Mount::Read | Mount::Write)) => {}
                Mount::Read => add("--ro-bind", path),
                Mount::Write if above == Some(Mount::Write) => {}
                Mount::Write => add("--bind", path),
                Mount::Device => add("--dev-bind-try", path),
            }
        }
        for (link, target) in &self.links {
            if !matches!(self.above(link), Some(Mount::Read | Mount::Write)) {
                words.extend(["--symlink".into(), target.into(), link.into()]);
            }
        }
        words.extend(last);
        words
    }

    /// What is done at the nearest path above.
    fn above(&self, path: &Path) -> Option<Mount> {
        path.ancestors().skip(1).find_map(|ancestor| self.mounts.get(ancestor)).copied()
    }
}

/// A path without `.` and `..`, by its words alone: it has no links so far.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                normal.pop();
            }
            std::path::Component::CurDir => {}
            _ => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_closed_is_covered_and_what_is_open_within_it_is_bound_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for one in ["app/.git", "app/.redraft/check", "app/src"] {
            fs::create_dir_all(root.join(one)).unwrap();
        }
        fs::write(root.join("app/redraft.toml"), "").unwrap();
        symlink("app", root.join("link")).unwrap();
        let closed =
            ["app/.git", "app/.redraft", "app/redraft.toml", "app/later"].map(|path| root.join(path));
        let mut tree = Tree::default();
        let except = closed.to_vec();
        tree.grant(&Grant { path: root.join("link"), access: Access::Read, except });
        tree.grant(&Grant { path: root.join("app/src"), access: Access::Look, except: Vec::new() });
        let own = root.join("app/.redraft/check");
        tree.grant(&Grant { path: own, access: Access::Write, except: Vec::new() });
        let words: Vec<String> = tree.words().into_iter().map(|word| word.into_string().unwrap()).collect();
        let said = words.join(" ").replace(root.to_str().unwrap(), "");
        assert_eq!(
            said,
            "--ro-bind /app /app --tmpfs /app/.git --tmpfs /app/.redraft --bind /app/.redraft/check \
             /app/.redraft/check --ro-bind /dev/null /app/redraft.toml --symlink app /link --remount-ro /app/.git \
             --remount-ro /app/.redraft"
        );
    }

    #[test]
    fn a_writable_folder_is_opened_around_what_is_closed_and_not_there_yet() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for one in ["a", "b/c"] {
            fs::create_dir_all(root.join(one)).unwrap();
        }
        let mut tree = Tree::default();
        tree.grant(&Grant { path: root.clone(), access: Access::Write, except: vec![root.join("b/later")] });
        let open: Vec<&PathBuf> = tree.mounts.keys().collect();
        assert_eq!(open, [&root.join("a"), &root.join("b/c")]);
    }
}
