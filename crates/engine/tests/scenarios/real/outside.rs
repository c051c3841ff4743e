//! What people and accidents do outside of Redraft, with the real git and real files.

use super::Place;
use crate::world::BRANCH;
use redraft_adapters::git::slot_folders;
use redraft_facts::ids::Revision;
use redraft_testkit::fakes::Outside;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

fn write(folder: &Path, path: &str, text: &str) {
    let full = folder.join(path);
    fs::create_dir_all(full.parent().unwrap()).unwrap();
    fs::write(full, text).unwrap();
}

impl Outside for Place {
    fn put(&self, path: &str, text: &str) {
        let full = self.worktree.join(path);
        let plain = full.symlink_metadata().is_ok_and(|found| found.is_file());
        let full = if plain { full } else { self.clear(path) };
        fs::write(full, text).unwrap();
    }

    fn take(&self, path: &str) {
        let _ = fs::remove_file(self.worktree.join(path));
    }

    fn look(&self, path: &str) -> Option<String> {
        self.look_in(&self.worktree, path)
    }

    fn link(&self, path: &str, target: &str) {
        symlink(target, self.clear(path)).unwrap();
    }

    fn pipe(&self, path: &str) {
        let full = self.clear(path);
        let done = self.scratch.command("mkfifo").arg(full).status().unwrap();
        assert!(done.success());
    }

    fn make_executable(&self, path: &str) {
        fs::set_permissions(self.worktree.join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn nest(&self, folder: &str) {
        write(&self.worktree.join(folder), "inner.txt", "inner\n");
        self.scratch.git_in(&self.worktree.join(folder), ["init", "-q"]);
    }

    fn stage(&self, path: &str) {
        self.here(["add", "-A", "--", path]);
    }

    fn commit(&self, message: &str) {
        self.here(["add", "-A"]);
        self.here(["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn commit_repository(&self, folder: &str, commit: &str) {
        fs::create_dir_all(self.worktree.join(folder)).unwrap();
        self.here(["update-index", "--add", "--cacheinfo", &format!("160000,{commit},{folder}")]);
        self.here(["commit", "-q", "-m", "a repository inside"]);
    }

    fn merge_main(&self, with_its_files: bool) {
        match with_its_files {
            true => self.here(["merge", "-q", "--no-ff", "-m", "with main", "main"]),
            false => self.here(["merge", "-q", "--no-ff", "-s", "ours", "-m", "with main", "main"]),
        };
    }

    fn reset_to_main(&self) {
        self.here(["reset", "-q", "--hard", "main"]);
    }

    fn switch_to_new(&self, branch: &str) {
        self.here(["checkout", "-q", "-b", branch]);
    }

    fn detach(&self) {
        self.here(["checkout", "-q", "--detach"]);
    }

    fn branch(&self, name: &str) {
        self.here(["branch", name]);
    }

    fn move_branch(&self, name: &str) {
        self.here(["branch", "-f", name]);
    }

    fn delete_branch(&self, name: &str) {
        self.here(["branch", "-D", name]);
    }

    fn tag(&self, name: &str) {
        self.here(["tag", name]);
    }

    fn begin_cherry_pick(&self) {
        let head = self.here(["rev-parse", "HEAD"]);
        let folder = PathBuf::from(self.here(["rev-parse", "--absolute-git-dir"]));
        fs::write(folder.join("CHERRY_PICK_HEAD"), format!("{head}\n")).unwrap();
    }

    fn remove_worktree(&self) {
        fs::remove_dir_all(&self.worktree).unwrap();
    }

    fn put_git(&self, path: &str, text: &str) {
        write(&self.scratch.root().join(".git"), path, text);
    }

    fn look_git(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.scratch.root().join(".git").join(path)).ok()
    }

    fn forget_identity(&self) {
        fs::write(self.scratch.outside().join("home/.gitconfig"), "").unwrap();
    }

    fn put_base(&self, path: &str, text: &str) {
        write(&self.scratch.root(), path, text);
    }

    fn look_base(&self, path: &str) -> Option<String> {
        self.look_in(&self.scratch.root(), path)
    }

    fn commit_base_as(&self, path: &str, text: &str, message: &str) {
        self.put_base(path, text);
        self.scratch.git(["add", path]);
        self.scratch.git(["commit", "-q", "-m", message]);
    }

    fn switch_base_to_new(&self, branch: &str) {
        self.scratch.git(["checkout", "-q", "-b", branch]);
    }

    fn collect(&self) {
        self.scratch.git(["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
        self.scratch.git(["gc", "-q", "--prune=now"]);
    }

    fn lose(&self, revision: &Revision) {
        let (folder, name) = revision.as_str().split_at(2);
        fs::remove_file(self.scratch.root().join(".git/objects").join(folder).join(name)).unwrap();
    }

    fn go_on_without(&self, id: &str) {
        let head = self.here(["rev-parse", "HEAD"]);
        self.repository().do_without(id, &head).unwrap();
    }

    fn has_folder(&self, folder: &Path) -> bool {
        folder.is_dir()
    }

    fn put_in(&self, folder: &Path, path: &str, text: &str) {
        write(folder, path, text);
    }

    fn take_in(&self, folder: &Path, path: &str) {
        let _ = fs::remove_file(folder.join(path));
    }

    fn commit_in(&self, folder: &Path, message: &str) {
        self.scratch.git_in(folder, ["add", "-A"]);
        self.scratch.git_in(folder, ["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn slots(&self) -> Vec<u16> {
        slot_folders(&self.worktree).into_iter().map(|(slot, _)| slot).collect()
    }

    fn slot_folder(&self, slot: u16) -> PathBuf {
        redraft_adapters::git::slot_folder(&self.worktree, slot)
    }

    fn remove_slot(&self, slot: u16) {
        fs::remove_dir_all(self.slot_folder(slot)).unwrap();
    }

    fn check_out_elsewhere(&self, path: &str, text: &str) {
        let folder = self.elsewhere();
        if !folder.exists() {
            self.scratch.git(["worktree", "add", "--quiet", "--force", folder.to_str().unwrap(), BRANCH]);
        }
        write(&folder, path, text);
    }

    fn look_elsewhere(&self, path: &str) -> Option<String> {
        self.look_in(&self.elsewhere(), path)
    }

    fn has_stored(&self, text: &str) -> bool {
        let file = self.scratch.outside().join("wanted");
        fs::write(&file, text).unwrap();
        let id = self.scratch.git(["hash-object", file.to_str().unwrap()]);
        self.scratch.command("git").args(["cat-file", "-e", &id]).output().unwrap().status.success()
    }

    fn look_in(&self, folder: &Path, path: &str) -> Option<String> {
        let full = folder.join(path);
        let plain = full.symlink_metadata().is_ok_and(|found| found.is_file());
        fs::read_to_string(full).ok().filter(|_| plain)
    }

    fn files_of(&self, reference: &str) -> Option<BTreeMap<String, String>> {
        let mut ask = self.scratch.command("git");
        let there = ask.args(["rev-parse", "--verify", "--quiet", reference]).output().unwrap();
        if !there.status.success() {
            return None;
        }
        let names = self.scratch.git(["ls-tree", "-r", "--name-only", reference]);
        let text = |name: &str| {
            let spec = format!("{reference}:{name}");
            let shown =
                self.scratch.command("git").args([OsStr::new("show"), OsStr::new(&spec)]).output().unwrap();
            String::from_utf8_lossy(&shown.stdout).into_owned()
        };
        Some(names.lines().map(|name| (name.to_owned(), text(name))).collect())
    }

    fn log(&self, branch: &str) -> Vec<String> {
        self.log_of(&format!("refs/heads/{branch}"))
    }

    fn log_of(&self, reference: &str) -> Vec<String> {
        // Sorted by time, a commit of the same second may come behind the one before it.
        let log = self.scratch.git(["log", "--topo-order", "--format=%s", reference, "--"]);
        log.lines().map(str::to_owned).collect()
    }

    fn refs(&self) -> Vec<String> {
        let refs = self.scratch.git(["for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"]);
        refs.lines().map(str::to_owned).collect()
    }
}
