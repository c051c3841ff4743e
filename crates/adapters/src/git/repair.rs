//! Finds out which of git's objects are damaged or gone, and puts a feature's branch and worktree back to what is
//! intact.
//!
//! Git writes no object whose name is taken, whatever the file holds. So a damaged file is moved away first, and
//! everything else follows from what is left: what cannot be read is gone. Nothing is thrown away: whatever is replaced
//! goes to a folder next to the ledger. What the feature has lost is not known here.

use super::error::GitError;
use super::files::os_path;
use super::object_id::is_id;
use super::repository::Repository;
use super::run::durable;
use super::workspace::GitWorkspace;
use super::{objects, restore, worktree_state};
use redraft_engine::ports::WorkspaceError;
use redraft_facts::ids::Revision;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The ref that records that a feature goes on without a lost commit.
pub(super) fn done_without(commit: &str) -> String {
    format!("refs/redraft/repaired/{commit}")
}

/// Objects that cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Damage {
    ids: BTreeSet<String>,
    /// The files that stand under their names, relative to git's folder.
    pub files: Vec<PathBuf>,
}

impl Repository {
    /// Looks at every object that has a file of its own. Packs are left out: git brings them to disk itself.
    pub fn damage(&self) -> Result<Damage, GitError> {
        // With a commit named, git does not look at indexes and refs, which may be damaged as well.
        let look = self.call(["fsck", "--no-full", "--no-dangling", "--no-progress", "HEAD"]).end()?;
        let mut damage = Damage::default();
        let text = format!("{}{}", String::from_utf8_lossy(&look.stdout), look.stderr);
        for id in text.lines().filter_map(complained_of) {
            let file = Path::new("objects").join(&id[..2]).join(&id[2..]);
            if damage.ids.insert(id.to_owned()) && self.common_dir().join(&file).exists() {
                damage.files.push(file);
            }
        }
        Ok(damage)
    }

    /// Whether a commit or tree and everything it leads to can be read. What `base` leads to is not looked at.
    pub fn is_whole(&self, id: &str, base: Option<&str>, damage: &Damage) -> Result<bool, GitError> {
        if !is_id(id) || damage.ids.contains(id) {
            return Ok(false);
        }
        let mut call = self.call(["rev-list", "--objects", "--no-object-names"]).arg(id);
        if let Some(base) = base {
            call = call.arg(format!("^{base}"));
        }
        let listed = call.end()?;
        let damaged = |line: &&[u8]| std::str::from_utf8(line).is_ok_and(|id| damage.ids.contains(id));
        Ok(listed.code == Some(0) && !listed.lines().iter().any(damaged))
    }

    /// Records that a feature goes on without a commit, so that its ledger is not taken for that of another repository.
    /// `at` is a commit that is there.
    pub fn do_without(&self, commit: &str, at: &str) -> Result<(), GitError> {
        if is_id(commit) {
            self.call(["update-ref"]).arg(done_without(commit)).arg(at).succeed()?;
        }
        Ok(())
    }

    /// Moves damaged files away, so that git can write what they should hold.
    pub fn set_aside(&self, damage: &Damage, aside: &Path) -> Result<(), GitError> {
        for file in &damage.files {
            let (from, to) = (self.common_dir().join(file), aside.join(file));
            move_to(&from, &to)?;
        }
        Ok(())
    }

    /// Where a branch has been, the newest first: where it is now, then what its log says. Each is named once.
    pub fn places_of(&self, branch: &str) -> Vec<String> {
        let now = self.commit_named(&format!("refs/heads/{branch}")).ok().flatten();
        let log = fs::read(self.common_dir().join("logs/refs/heads").join(branch)).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        // `OLD NEW WHO`, the last line last.
        let told = log.lines().rev().flat_map(|line| {
            let mut words = line.split(' ');
            let (old, new) = (words.next(), words.next());
            new.into_iter().chain(old)
        });
        let mut places: Vec<String> = Vec::new();
        for id in now.into_iter().chain(told.map(str::to_owned)) {
            if is_id(&id) && !id.bytes().all(|byte| byte == b'0') && !places.contains(&id) {
                places.push(id);
            }
        }
        places
    }

    /// Refs under a name that lead to nothing that can be read, or to nothing at all.
    pub fn broken_refs(&self, under: &str, damage: &Damage) -> Result<Vec<String>, GitError> {
        let mut broken = Vec::new();
        let listed = self.call(["for-each-ref", "--format=%(objectname) %(refname)", under]).end()?;
        let mut known = BTreeSet::new();
        for line in String::from_utf8_lossy(&listed.stdout).lines() {
            let Some((id, name)) = line.split_once(' ') else { continue };
            known.insert(name.to_owned());
            if !self.is_whole(id, None, damage)? {
                broken.push(name.to_owned());
            }
        }
        // Git passes over files that hold no id.
        let mut folders = vec![under.to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(self.common_dir().join(&folder)) else { continue };
            for entry in entries.flatten() {
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() {
                    folders.push(name);
                } else if !known.contains(&name) && !name.ends_with(".lock") {
                    broken.push(name);
                }
            }
        }
        Ok(broken)
    }

    /// Removes a ref that leads nowhere; its file is kept.
    pub fn drop_ref(&self, name: &str, aside: &Path) -> Result<(), GitError> {
        let file = self.common_dir().join(name);
        if file.is_file() {
            move_to(&file, &aside.join(name))?;
        }
        // It may stand among the packed ones as well.
        self.call(["update-ref", "-d", name]).end().map(drop)
    }

    /// Makes a branch name a commit, whatever it named before, and HEAD of its worktree the branch.
    pub fn put_branch(
        &self,
        branch: &str,
        commit: &str,
        worktree: &Path,
        aside: &Path,
    ) -> Result<(), GitError> {
        let name = format!("refs/heads/{branch}");
        self.sync_to_disk()?;
        let set =
            || durable(self.call(["update-ref", "-m", "redraft: repaired"])).arg(&name).arg(commit).end();
        if set()?.code != Some(0) {
            // A file that holds no id is in git's way.
            move_to(&self.common_dir().join(&name), &aside.join(&name))?;
            if let Some(error) = set()?.failure() {
                return Err(error);
            }
        }
        self.clean_log(&self.common_dir().join("logs").join(&name), commit, aside)?;
        let Some(git_dir) = git_dir_of(worktree) else { return Ok(()) };
        self.clean_log(&git_dir.join("logs").join("HEAD"), commit, aside)?;
        let head = git_dir.join("HEAD");
        if fs::read_to_string(&head).is_ok_and(|head| head.starts_with("ref: ") || is_id(head.trim_end())) {
            return Ok(());
        }
        fs::write(&head, format!("ref: {name}\n")).map_err(|error| GitError::file(&head, &error))
    }
}

impl Repository {
    /// Removes the lines that name lost objects from a log of git's, because git trips over them later; the whole log
    /// is kept. What `commit` leads to is intact.
    fn clean_log(&self, log: &Path, commit: &str, aside: &Path) -> Result<(), GitError> {
        let Ok(text) = fs::read(log) else { return Ok(()) };
        let text = String::from_utf8_lossy(&text).into_owned();
        let is_there = |id: &str| -> Result<bool, GitError> {
            let none = id.bytes().all(|byte| byte == b'0');
            Ok(none || self.is_whole(id, Some(commit), &Damage::default())?)
        };
        let mut kept = String::new();
        for line in text.split_inclusive('\n') {
            let mut ids = line.split(' ').take(2);
            if ids.try_fold(true, |all, id| Ok::<bool, GitError>(all && is_id(id) && is_there(id)?))? {
                kept.push_str(line);
            }
        }
        if kept == text {
            return Ok(());
        }
        let copy = aside.join("logs").join(log.file_name().unwrap_or_default());
        let folder = copy.parent().unwrap_or(aside);
        let replaced =
            fs::create_dir_all(folder).and_then(|()| fs::copy(log, &copy)).and_then(|_| fs::write(log, kept));
        replaced.map_err(|error| GitError::file(log, &error))
    }
}

impl GitWorkspace {
    /// Makes the index hold what HEAD holds. One that cannot be read is moved away.
    pub fn reset_index(&self, aside: &Path) -> Result<(), GitError> {
        let reset = || self.writing(["read-tree", "--reset", "HEAD"]).end();
        if reset()?.code == Some(0) {
            return Ok(());
        }
        move_to(&self.git_dir.join("index"), &aside.join("index"))?;
        match reset()?.failure() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// The files of the worktree that are not as HEAD has them.
    pub fn uncommitted_files(&self) -> Result<Vec<String>, GitError> {
        let changed = self.call(["diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", "HEAD"]);
        let new = self.call(["ls-files", "-z", "--others", "--exclude-standard"]);
        let names = changed.list()?.into_iter().chain(new.list()?);
        let names: BTreeSet<String> = names.map(|name| String::from_utf8_lossy(&name).into_owned()).collect();
        // A repository inside the worktree ends in a slash; it is not a file of ours.
        Ok(names.into_iter().filter(|name| !name.ends_with('/')).collect())
    }

    /// Puts files back to how HEAD has them; what stands there is copied first.
    pub fn put_files_back(&self, files: &[String], aside: &Path) -> Result<(), WorkspaceError> {
        for file in files {
            let (from, to) = (self.root().join(file), aside.join("worktree").join(file));
            if from.symlink_metadata().is_ok_and(|found| found.is_file()) {
                let folder = to.parent().unwrap_or(aside);
                let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(&from, &to));
                copied.map_err(|error| GitError::file(&to, &error))?;
            }
        }
        let tree = self.call(["rev-parse", "--verify", "HEAD^{tree}"]).text()?;
        restore::put_back(self, &Revision::new(tree), files)
    }
}

/// Fails where something that HEAD has and `base` has not cannot be read.
pub(super) fn require_readable(workspace: &GitWorkspace, base: &str) -> Result<(), WorkspaceError> {
    let (head, _) = worktree_state::head_and_branch(workspace)?;
    let list = |range: Option<String>| {
        let call = workspace.call(["rev-list", "--objects", "--no-object-names"]).arg(&head);
        range.into_iter().fold(call, |call, range| call.arg(range)).end()
    };
    let mut listed = list(Some(format!("^{base}")))?;
    // A base that was rewritten and collected says nothing; then the last commit must suffice.
    if listed.code != Some(0) && objects::info(workspace, base)?.is_none() {
        listed = list(Some("--max-count=1".to_owned()))?;
    }
    if let Some(error) = listed.failure() {
        return Err(damaged(&workspace.branch, error.stderr()));
    }
    for id in listed.lines() {
        let id = String::from_utf8_lossy(id);
        match objects::contents(workspace, &id) {
            Ok(Some(_)) => {}
            Ok(None) => return Err(damaged(&workspace.branch, &format!("object {id} is missing"))),
            Err(error) => return Err(damaged(&workspace.branch, error.stderr())),
        }
    }
    Ok(())
}

fn damaged(branch: &str, detail: &str) -> WorkspaceError {
    let detail = redraft_facts::text::one_line(detail, 300);
    WorkspaceError::Damaged { what: format!("branch {branch}"), detail }
}

/// The object that a line of `git fsck` finds fault with.
fn complained_of(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split([' ', ':']).filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        ["error", id, ..] | ["missing", _, id] if is_id(id) => Some(id),
        ["missing" | "error", ..] => words.iter().copied().find(|word| is_id(word)),
        _ => None,
    }
}

/// Git's own folder for a worktree, according to its file `.git`.
fn git_dir_of(worktree: &Path) -> Option<PathBuf> {
    let link = worktree.join(".git");
    if link.is_dir() {
        return Some(link);
    }
    let text = fs::read(&link).ok()?;
    Some(os_path(text.strip_prefix(b"gitdir: ")?.trim_ascii_end()))
}

fn move_to(from: &Path, to: &Path) -> Result<(), GitError> {
    let folder = to.parent().unwrap_or(to);
    let moved = fs::create_dir_all(folder).and_then(|()| fs::rename(from, to));
    match moved {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(GitError::file(from, &error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
