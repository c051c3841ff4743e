//! The repository a command was started in: where it is, where HEAD stands, which feature numbers are used.
//!
//! Works from the main checkout, from any worktree and from any subfolder. Creating a feature's branch and
//! worktree is in `feature`; working inside one is [`super::GitWorkspace`].

use super::error::GitError;
use super::files::os_path;
use super::locate::{self, CheckoutLocation, same_path};
use super::run::{Call, Git};
use crate::barrier::Barrier;
use crate::trust::{RepositoryPlace, Trust};
use redraft_documents::adopt::is_date;
use redraft_facts::ids::FeatureId;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A repository with a main checkout.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(super) git: Git,
    main: PathBuf,
    here: PathBuf,
    common: PathBuf,
    barrier: Arc<Barrier>,
}

/// Where HEAD stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The branch without `refs/heads/`; none when HEAD is detached.
    pub branch: Option<String>,
    pub commit: String,
}

impl Repository {
    /// The repository that holds a folder.
    pub fn discover(folder: &Path) -> Result<Repository, GitError> {
        Repository::discover_with(Git::default(), folder)
    }

    /// The same with a git of the caller's choice.
    pub fn discover_with(git: Git, folder: &Path) -> Result<Repository, GitError> {
        git.check_version()?;
        let done = git
            .unguarded(folder, ["rev-parse", "--path-format=absolute", "--is-bare-repository"])
            .arg("--git-common-dir")
            .arg("--git-dir")
            .arg("--show-toplevel")
            .end()?;
        // Without a checkout the last question fails, but the others have been answered by then.
        let answers = done.lines();
        match answers.as_slice() {
            [b"true", common, _] => Err(GitError::Bare(os_path(common))),
            [b"false", _, _] if done.stderr.contains("must be run in a work tree") => {
                Err(GitError::InsideGitFolder(folder.to_owned()))
            }
            [_, common, git_dir, here] if done.code == Some(0) => {
                let (here, common, git_dir) = (os_path(here), os_path(common), os_path(git_dir));
                // A configuration can lead from a git folder to any other folder.
                if !locate::git_dir(&here).is_some_and(|found| same_path(&found, &git_dir)) {
                    return Err(GitError::Elsewhere { checkout: here, git: git_dir });
                }
                git.guard().told(&here, &git_dir, &common);
                let main = if common == git_dir { here.clone() } else { main_checkout(&git, &common)? };
                refuse_embedded(&git, &main, &common)?;
                let worktrees = main.join(".redraft").join("worktrees");
                let barrier = Arc::new(Barrier::new([common.clone(), main.clone(), worktrees]));
                let git = git.of_checkout(&main);
                Ok(Repository { git, main, here, common, barrier })
            }
            _ if done.stderr.contains("cannot use bare repository") => {
                let named = done.stderr.split('\'').nth(1).map_or_else(|| folder.to_owned(), PathBuf::from);
                match CheckoutLocation::at(&named) {
                    Some(outer) => Err(GitError::Embedded { inner: named, outer: outer.checkout }),
                    None => Err(GitError::Bare(named)),
                }
            }
            _ if done.stderr.contains("not a git repository") => {
                Err(GitError::NotARepository(folder.to_owned()))
            }
            [_, _, _, _, ..] if done.code == Some(0) => Err(GitError::LineBreak(folder.to_owned())),
            _ => Err(done.failure().unwrap_or_else(|| done.unexpected())),
        }
    }

    /// The root of the main checkout, where configuration is read and worktrees are put.
    pub fn main_checkout(&self) -> &Path {
        &self.main
    }

    /// The root of the checkout the command was started in: the main one or a worktree.
    pub fn here(&self) -> &Path {
        &self.here
    }

    /// Git's folder that all worktrees share.
    pub fn common_dir(&self) -> &Path {
        &self.common
    }

    /// How acceptances identify it.
    pub fn known_as(&self) -> RepositoryPlace<'_> {
        RepositoryPlace { git: &self.common, checkout: &self.main }
    }

    /// Where the user's acceptances are kept.
    pub fn trust(&self) -> &Trust {
        self.git.guard().trust()
    }

    /// Where Redraft's state is: one for all worktrees, untouched by `git clean`.
    pub fn state_dir(&self) -> PathBuf {
        self.common.join("redraft")
    }

    /// What brings the repository and its worktrees to disk.
    pub fn barrier(&self) -> Arc<Barrier> {
        Arc::clone(&self.barrier)
    }

    /// Returns when everything in the repository and its worktrees is on disk.
    pub(super) fn sync_to_disk(&self) -> Result<(), GitError> {
        self.barrier.hold().map_err(|error| GitError::file(&self.common, &error))
    }

    /// Where HEAD of the checkout we are in stands.
    pub fn head(&self) -> Result<Head, GitError> {
        let text = match head_call(self.call(["rev-parse"])).text() {
            Ok(text) => text,
            Err(error) if error.stderr().contains("unknown revision") => {
                return Err(GitError::NoCommits(self.here.clone()));
            }
            Err(error) => return Err(error),
        };
        let (commit, name) = text.split_once('\n').unwrap_or((&text, "HEAD"));
        Ok(Head { branch: name.strip_prefix("refs/heads/").map(str::to_owned), commit: commit.to_owned() })
    }

    /// Whether revisions of features are kept here, which only a run does.
    pub fn has_anchors(&self) -> Result<bool, GitError> {
        let refs = self.call(["for-each-ref", "--count=1", "--format=%(refname)", "refs/redraft/anchors"]);
        Ok(!refs.text()?.is_empty())
    }

    /// Whether the checkout we are in has changes or new files that no commit holds.
    pub fn is_dirty(&self) -> Result<bool, GitError> {
        self.has_changes(&self.here)
    }

    pub(super) fn has_changes(&self, checkout: &Path) -> Result<bool, GitError> {
        let ask = ["status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=dirty"];
        Ok(!self.git.call(checkout, ask).succeed()?.stdout.is_empty())
    }

    /// Every feature number that was ever given out here, as far as branches and folders still show it.
    pub fn feature_numbers(&self) -> Result<BTreeSet<FeatureId>, GitError> {
        Ok(self.feature_names()?.iter().filter_map(|name| number(name)).collect())
    }

    /// What features are called that have a branch, a worktree, or a folder here or on a local branch:
    /// `031-rate-limits`.
    pub fn feature_names(&self) -> Result<BTreeSet<String>, GitError> {
        let mut names = self.names_everywhere("docs/features")?;
        let refs = self.call(["for-each-ref", "--format=%(refname)", "refs/heads/feature"]).text()?;
        let branches = refs.lines().filter_map(|name| name.strip_prefix("refs/heads/feature/"));
        names.extend(branches.map(str::to_owned));
        names.extend(names_in(&self.main.join(".redraft/worktrees"))?);
        Ok(names)
    }

    /// What projects are called that have a folder here or on a local branch: `P001-gateway`.
    pub fn project_names(&self) -> Result<BTreeSet<String>, GitError> {
        self.names_everywhere("docs/projects")
    }

    /// The names in a folder: of the checkout we are in, of the main one, of HEAD and of every local branch.
    fn names_everywhere(&self, folder: &str) -> Result<BTreeSet<String>, GitError> {
        let refs = self.call(["for-each-ref", "--format=%(refname)", "refs/heads"]).text()?;
        let mut queries = format!("HEAD:{folder}\n");
        for name in refs.lines() {
            queries.push_str(&format!("{name}:{folder}\n"));
        }
        let done = self.call(["cat-file", "--batch", "--buffer"]).input(queries.into_bytes()).succeed()?;
        let mut names = tree_names(&done.stdout).ok_or_else(|| done.unexpected())?;
        names.extend(names_in(&self.here.join(folder))?);
        names.extend(names_in(&self.main.join(folder))?);
        Ok(names)
    }

    /// The files below these folders that HEAD has as they are in the checkout we are in.
    pub fn unchanged(&self, folders: &[String]) -> Result<BTreeSet<String>, GitError> {
        // Without a name git would take all there is.
        if folders.is_empty() {
            return Ok(BTreeSet::new());
        }
        let ask = |call: Call| {
            let call = folders.iter().fold(call.arg("HEAD").arg("--"), |call, folder| call.arg(folder));
            call.list()
                .map(|names| names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
        };
        let mut names: BTreeSet<String> = ask(self.call(["ls-tree", "-r", "-z", "--name-only"]))?;
        let changed: BTreeSet<String> = ask(self.call([
            "diff",
            "--name-only",
            "-z",
            "--no-ext-diff",
            "--no-renames",
            "--ignore-submodules=dirty",
        ]))?;
        names.retain(|name| !changed.contains(name));
        Ok(names)
    }

    /// A call in the checkout we are in.
    pub fn call<const N: usize>(&self, args: [&str; N]) -> Call {
        self.git.call(&self.here, args)
    }
}

/// Asks for HEAD's commit and, on the next line, the ref it names (`HEAD` itself when detached).
pub(super) fn head_call(rev_parse: Call) -> Call {
    rev_parse.arg("HEAD").arg("--symbolic-full-name").arg("HEAD")
}

/// A worktree as git lists it.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) path: PathBuf,
    pub(super) bare: bool,
    /// Why it is locked, if it is.
    pub(super) locked: Option<String>,
}

/// All worktrees, the main checkout first.
pub(super) fn worktrees(call: Call) -> Result<Vec<Listed>, GitError> {
    let mut found: Vec<Listed> = Vec::new();
    for line in call.arg("worktree").arg("list").arg("--porcelain").arg("-z").list()? {
        if let Some(path) = line.strip_prefix(b"worktree ") {
            found.push(Listed { path: os_path(path), ..Listed::default() });
        }
        let Some(last) = found.last_mut() else { continue };
        if line == b"bare" {
            last.bare = true;
        } else if let Some(why) = line.strip_prefix(b"locked") {
            last.locked = Some(String::from_utf8_lossy(why).trim().to_owned());
        }
    }
    Ok(found)
}

fn main_checkout(git: &Git, common: &Path) -> Result<PathBuf, GitError> {
    // Named, because git enters no bare repository that it only comes across.
    let listed = worktrees(git.call(common, [] as [&str; 0]).env("GIT_DIR", common))?;
    match listed.into_iter().next() {
        Some(main) if main.bare => Err(GitError::BareMain(common.to_owned())),
        // With a separate git folder git only guesses, and guesses wrong.
        Some(main) if main.path.join(".git").exists() => Ok(main.path),
        _ => Err(GitError::NoMainCheckout(common.to_owned())),
    }
}

/// Refuses a repository whose files another one tracks: the author of that one could have put it there, and the user
/// has only cloned the outer one. A submodule is not meant: the outer one keeps it itself. The way out is git's own
/// setting for folders that the user trusts.
fn refuse_embedded(git: &Git, main: &Path, common: &Path) -> Result<(), GitError> {
    let Some(outer) = main.parent().and_then(CheckoutLocation::at) else { return Ok(()) };
    if common.starts_with(&outer.common) {
        return Ok(());
    }
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut inside = Vec::new();
    for path in [real(main), real(common)] {
        inside.extend(path.strip_prefix(&outer.checkout).map(Path::to_owned));
    }
    let ask = git.call(&outer.checkout, ["ls-files", "-z", "--"]);
    let tracked = inside.iter().fold(ask, |call, path| call.arg(path)).list()?;
    let is_below = |file: &Vec<u8>| {
        let file = os_path(file);
        inside.iter().any(|path| file != *path && file.starts_with(path))
    };
    if !tracked.iter().any(is_below) {
        return Ok(());
    }
    let named = git.unguarded(main, ["config", "--show-scope", "-z", "--get-all", "safe.directory"]).end()?;
    let parts: Vec<&[u8]> = named.stdout.split(|byte| *byte == 0).collect();
    let is_named = |pair: &&[&[u8]]| match pair {
        [b"global" | b"system" | b"command", folder] => same_path(&os_path(folder), main),
        _ => false,
    };
    match parts.chunks(2).any(|pair| is_named(&pair)) {
        true => Ok(()),
        false => Err(GitError::Embedded { inner: main.to_owned(), outer: outer.checkout }),
    }
}

/// The number `NNN-slug` begins with. Three digits or more, as they are given out.
fn number(name: &str) -> Option<FeatureId> {
    let (digits, _) = name.split_once('-')?;
    if digits.len() < 3 || is_date(name) { None } else { digits.parse().ok() }
}

fn names_in(folder: &Path) -> Result<Vec<String>, GitError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(GitError::file(folder, &error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| GitError::file(folder, &error))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

/// The names in all trees of a `cat-file --batch` answer; queries that found nothing are skipped.
fn tree_names(mut answer: &[u8]) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    while !answer.is_empty() {
        let end = answer.iter().position(|byte| *byte == b'\n')?;
        let header = std::str::from_utf8(answer.get(..end)?).ok()?;
        answer = answer.get(end + 1..)?;
        if header.ends_with(" missing") {
            continue;
        }
        let words: Vec<&str> = header.split(' ').collect();
        let [id, kind, size] = words.as_slice() else { return None };
        let size: usize = size.parse().ok()?;
        if *kind == "tree" {
            names.extend(entry_names(answer.get(..size)?, id.len() / 2)?);
        }
        answer = answer.get(size + 1..)?;
    }
    Some(names)
}

/// The names in one stored tree: mode, space, name, NUL, the entry's id in raw bytes.
fn entry_names(mut tree: &[u8], id_bytes: usize) -> Option<Vec<String>> {
    let mut names = Vec::new();
    while !tree.is_empty() {
        let end = tree.iter().position(|byte| *byte == 0)?;
        let entry = String::from_utf8_lossy(tree.get(..end)?).into_owned();
        names.push(entry.split_once(' ')?.1.to_owned());
        tree = tree.get(end + 1 + id_bytes..)?;
    }
    Some(names)
}

#[cfg(test)]
mod tests;
