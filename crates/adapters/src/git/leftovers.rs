//! What a feature leaves in a repository: its worktree, the folder its checks ran in, its branch, and refs of ours. This
//! module finds it, says what of it exists nowhere else, and takes it away.
//!
//! Nothing here asks or decides: the caller has listed what goes and has a person's word for it, and holds the locks of
//! the feature and of the repository. Each thing goes by itself and completely or not at all, so after a kill the next
//! look finds the rest. Start at [`Repository::leftovers`].

use super::check_folder::COPY;
use super::error::GitError;
use super::files::is_folder;
use super::holder;
use super::locate::same_path;
use super::ref_name::ref_name;
use super::remove_files::remove_all;
use super::repository::{Listed, Repository, worktrees};
use std::fs;
use std::path::{Path, PathBuf};

/// Where a worktree is put before its files are removed: a folder of this name is never anybody's work.
const REMOVED: &str = "removed-";

/// Between the name of a feature's worktree and the number of a slot.
const SLOT: &str = ".slot-";

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct Belongings {
    /// What its refs are filed under: `001` or `review-001`.
    pub scope: String,
    /// The name of its worktree's folder; empty for one that was worked on in the main checkout.
    pub folder: String,
    pub branch: String,
    /// The branch it began on, or what else its work could have been merged into.
    pub base: String,
    /// The commit that its merge made.
    pub merged: Option<String>,
    /// Whether work also counts as merged where the base has all it would bring, as after a squash.
    pub by_content: bool,
}

/// One thing that a feature left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    pub what: LeftoverKind,
    /// Why it cannot be taken away now.
    pub held: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftoverKind {
    Worktree {
        folder: PathBuf,
        bytes: u64,
        /// Files that no commit has, and commits that no branch has.
        uncommitted: Vec<String>,
    },
    CheckFolder {
        folder: PathBuf,
        bytes: u64,
    },
    Branch {
        name: String,
        commit: String,
        /// How many of its commits are merged nowhere.
        unmerged: u64,
    },
    /// Refs that keep revisions, by name and object.
    Revisions(Vec<(String, String)>),
    /// Refs that keep what was undone.
    Lost(Vec<(String, String)>),
}

impl Repository {
    /// What is left of a feature, in the order in which it is taken away.
    pub fn leftovers(&self, of: &Belongings) -> Result<Vec<Leftover>, GitError> {
        let mut found = Vec::new();
        let free = |what| Leftover { what, held: None };
        let own = self.worktrees_folder().join(&of.folder);
        if !of.folder.is_empty() {
            found.extend(self.left_worktree(&own)?);
            for (_, folder) in slot_folders(&own) {
                found.extend(self.left_worktree(&folder)?);
            }
            for folder in self.check_folders(&of.folder) {
                let bytes = size(&folder);
                found.push(free(LeftoverKind::CheckFolder { folder, bytes }));
            }
        }
        found.extend(self.left_branch(of, &own)?);
        for (kind, make) in
            [("anchors", LeftoverKind::Revisions as fn(_) -> _), ("lost", LeftoverKind::Lost as fn(_) -> _)]
        {
            let refs = self.refs_below(&format!("refs/redraft/{kind}/{}", ref_name(&of.scope)))?;
            if !refs.is_empty() {
                found.push(free(make(refs)));
            }
        }
        Ok(found)
    }

    /// The folder that the checks of a feature ran in, and copies of it that a killed run has left.
    fn check_folders(&self, of: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.worktrees_folder()) else { return Vec::new() };
        let (own, copies) = (format!("check-{of}"), format!("check-{of}{COPY}"));
        let is_of = |name: &str| name == own || name.starts_with(&copies);
        let found = entries.flatten().filter(|entry| is_of(&entry.file_name().to_string_lossy()));
        let mut folders: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
        folders.sort();
        folders
    }

    /// Takes one thing away, with everything that is in it.
    pub fn take_away(&self, what: &LeftoverKind) -> Result<(), GitError> {
        match what {
            LeftoverKind::Worktree { folder, .. } => self.take_worktree_away(folder),
            LeftoverKind::CheckFolder { folder, .. } => {
                remove_all(folder)?;
                let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let name = name.strip_prefix("check-").unwrap_or(&name).to_owned();
                remove_all(&self.state_dir().join("checkouts").join(name))
            }
            LeftoverKind::Branch { name, commit, .. } => {
                self.delete_refs(&[(format!("refs/heads/{name}"), commit.clone())])?;
                // Git's notes about the branch; most have none.
                let _ = self.call(["config", "--remove-section"]).arg(format!("branch.{name}")).end();
                Ok(())
            }
            LeftoverKind::Revisions(refs) | LeftoverKind::Lost(refs) => self.delete_refs(refs),
        }
    }

    /// All refs below a name, with the objects they lead to.
    pub fn refs_below(&self, name: &str) -> Result<Vec<(String, String)>, GitError> {
        let listed = self.call(["for-each-ref", "--format=%(objectname) %(refname)"]).arg(name).text()?;
        let pair = |line: &str| line.split_once(' ').map(|(id, name)| (name.to_owned(), id.to_owned()));
        Ok(listed.lines().filter_map(pair).collect())
    }

    /// Deletes refs, all or none, and only where they still lead to what was listed.
    pub fn delete_refs(&self, refs: &[(String, String)]) -> Result<(), GitError> {
        if refs.is_empty() {
            return Ok(());
        }
        let mut lines = String::from("start\n");
        for (name, id) in refs {
            lines.push_str(&format!("option no-deref\ndelete {name} {id}\n"));
        }
        lines.push_str("prepare\ncommit\n");
        self.call(["update-ref", "--stdin"]).input(lines.into_bytes()).succeed().map(drop)
    }

    fn left_worktree(&self, folder: &Path) -> Result<Option<Leftover>, GitError> {
        self.refuse_links()?;
        let listed = worktrees(self.call([]))?;
        let listed = listed.into_iter().find(|listed| same_path(&listed.path, folder));
        let half_gone = set_aside(folder).symlink_metadata().is_ok();
        let is_there = folder.symlink_metadata().is_ok();
        if listed.is_none() && !half_gone && !is_there {
            return Ok(None);
        }
        let (uncommitted, held) = match (&listed, is_there) {
            (_, false) => (Vec::new(), None),
            (None, true) => (Vec::new(), Some("git does not know it as a worktree".to_owned())),
            (Some(listed), true) => match self.held(listed) {
                Some(held) => (Vec::new(), Some(held)),
                None => (self.uncommitted(folder)?, None),
            },
        };
        let bytes = size(folder).saturating_add(size(&set_aside(folder)));
        let what = LeftoverKind::Worktree { folder: folder.to_owned(), bytes, uncommitted };
        Ok(Some(Leftover { what, held }))
    }

    /// Why a worktree has to stay where it is.
    fn held(&self, listed: &Listed) -> Option<String> {
        if let Some(why) = &listed.locked {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            return Some(format!("it is locked{why}; git worktree unlock lets it go"));
        }
        if !listed.path.join(".git").exists() {
            return Some("its file .git is gone, so git cannot say what is committed".to_owned());
        }
        if is_inside(self.here(), &listed.path) {
            return Some(format!("you are in it; cd {} first", self.main_checkout().display()));
        }
        holder::inside(&listed.path).map(|who| format!("{who} works in it"))
    }

    /// Files of a worktree that no commit has, and a line for commits that no branch has.
    fn uncommitted(&self, folder: &Path) -> Result<Vec<String>, GitError> {
        let ask = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
        let listed = self.git.call(folder, ask).arg("--ignore-submodules=none").list()?;
        let name = |line: &Vec<u8>| String::from_utf8_lossy(line.get(3..).unwrap_or_default()).into_owned();
        let mut found: Vec<String> = listed.iter().map(name).collect();
        let branch = self.git.call(folder, ["symbolic-ref", "--quiet", "HEAD"]).end()?;
        if branch.code != Some(0) {
            let alone = self.git.call(folder, ["rev-list", "--count", "HEAD", "--not", "--branches"]);
            match alone.arg("--remotes").arg("--tags").text()?.as_str() {
                "0" => {}
                some => found.push(format!("commits that no branch has: {some}")),
            }
        }
        Ok(found)
    }

    fn left_branch(&self, of: &Belongings, own: &Path) -> Result<Option<Leftover>, GitError> {
        let full = format!("refs/heads/{}", of.branch);
        let tip = self.refs_below(&full)?.into_iter().find(|(name, _)| *name == full);
        let Some((_, commit)) = tip else { return Ok(None) };
        let held = match self.checked_out(&of.branch)? {
            Some(folder) if folder.exists() && !same_path(&folder, own) => {
                Some(format!("it is checked out in {}", folder.display()))
            }
            Some(_) | None => None,
        };
        let unmerged = self.unmerged(of, &commit)?;
        let what = LeftoverKind::Branch { name: of.branch.clone(), commit, unmerged };
        Ok(Some(Leftover { what, held }))
    }

    /// How many commits of a branch are in nothing that it could have been merged into.
    fn unmerged(&self, of: &Belongings, tip: &str) -> Result<u64, GitError> {
        let is_base = |name: &str| {
            let remote = name.strip_prefix("refs/remotes/").and_then(|rest| rest.split_once('/'));
            name.strip_prefix("refs/heads/").or(remote.map(|(_, short)| short)) == Some(&of.base)
        };
        let mut bases: Vec<String> = Vec::new();
        for place in ["refs/heads", "refs/remotes"] {
            bases.extend(
                self.refs_below(place)?.into_iter().filter(|(name, _)| is_base(name)).map(|one| one.1),
            );
        }
        let count = |base: &[String]| {
            let call = self.call(["rev-list", "--count"]).arg(tip).arg("--not");
            let count = base.iter().fold(call, |call, base| call.arg(base)).text()?;
            Ok::<u64, GitError>(count.parse().unwrap_or(u64::MAX))
        };
        let left = count(&bases)?;
        if left == 0 || !of.by_content {
            return Ok(left);
        }
        // The merge is looked at where it was made, as long as the base still has it: later changes there are others'.
        let kept = |commit: &&String| {
            let within = |base: &String| {
                let asked = self.call(["merge-base", "--is-ancestor"]).arg(*commit).arg(base).end();
                asked.is_ok_and(|asked| asked.code == Some(0))
            };
            bases.iter().any(within)
        };
        let merged = of.merged.iter().filter(kept).chain(&bases);
        for base in merged {
            if self.brings_nothing(tip, base)? {
                return Ok(0);
            }
        }
        Ok(left)
    }

    /// Whether a merge of a commit would change nothing.
    fn brings_nothing(&self, tip: &str, base: &str) -> Result<bool, GitError> {
        let tried = self.call(["merge-tree", "--write-tree", base, tip]).end()?;
        if tried.code != Some(0) {
            return Ok(false);
        }
        let tree = self.call(["rev-parse", "--verify", "--quiet"]).arg(format!("{base}^{{tree}}")).text()?;
        Ok(String::from_utf8_lossy(&tried.stdout).trim() == tree)
    }

    /// The folder is renamed first: a kill while its files are removed must not look like somebody's changes.
    fn take_worktree_away(&self, folder: &Path) -> Result<(), GitError> {
        self.refuse_links()?;
        let aside = set_aside(folder);
        if folder.symlink_metadata().is_ok() {
            remove_all(&aside)?;
            fs::rename(folder, &aside).map_err(|error| GitError::file(folder, &error))?;
        }
        let listed = worktrees(self.call([]))?;
        if let Some(found) = listed.iter().find(|listed| same_path(&listed.path, folder)) {
            self.unregister(found)?;
        }
        remove_all(&aside)
    }
}

/// The worktree of a slot, beside the feature's own.
pub fn slot_folder(own: &Path, slot: u16) -> PathBuf {
    let name = own.file_name().unwrap_or_default().to_string_lossy();
    own.with_file_name(format!("{name}{SLOT}{slot}"))
}

/// Those that are there.
pub fn slot_folders(own: &Path) -> Vec<(u16, PathBuf)> {
    let Some(Ok(entries)) = own.parent().map(fs::read_dir) else { return Vec::new() };
    let name = own.file_name().unwrap_or_default().to_string_lossy();
    let slot = |entry: fs::DirEntry| {
        let found = entry.file_name();
        let number = found.to_str()?.strip_prefix(&*name)?.strip_prefix(SLOT)?.parse().ok()?;
        Some((number, entry.path()))
    };
    let mut found: Vec<(u16, PathBuf)> = entries.flatten().filter_map(slot).collect();
    found.sort();
    found
}

fn set_aside(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!("{REMOVED}{name}"))
}

fn is_inside(place: &Path, folder: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(place).starts_with(real(folder))
}

/// How many bytes the files in a folder have; links are not followed.
pub(super) fn size(folder: &Path) -> u64 {
    let (mut bytes, mut left) = (0u64, vec![folder.to_owned()]);
    while let Some(path) = left.pop() {
        if is_folder(&path) {
            left.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else {
            bytes = bytes.saturating_add(path.symlink_metadata().map_or(0, |found| found.len()));
        }
    }
    bytes
}
