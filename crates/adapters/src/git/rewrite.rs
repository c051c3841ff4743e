//! Takes a secret out of what git keeps for features: branches of features, `refs/redraft/…`, and whatever else the
//! ledger names.
//!
//! A file that holds the secret is stored again without it, and so are the folders and commits that lead to it; the
//! same objects always become the same new ones, so an interrupted attempt can be repeated. What other branches, tags
//! or remotes hold is not ours to rewrite: it is left and named. Nothing is removed before the ledger and every ref of
//! ours name the new objects; then [`prune`] does it. Start at [`Repository::survey`].

mod objects;
mod prune;
mod worktree;

use super::error::GitError;
use super::repository::Repository;
use objects::Database;
use redraft_facts::removal::{Removal, Renamed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub use prune::Pruned;

/// At most this many refs of others are named one by one.
const NAMED_MAX: usize = 20;

/// What holds the secret, before anything is changed.
#[derive(Debug, Default)]
pub struct Survey {
    /// Files, commits and tags that hold it.
    holders: BTreeSet<String>,
    /// Those of them that refs of others lead to.
    foreign: BTreeSet<String>,
    /// Whether the name of a file holds it.
    pub in_names: bool,
    /// Refs of others that lead to it.
    pub elsewhere: Vec<String>,
}

impl Survey {
    /// How many of git's objects hold it and can be rewritten or removed.
    pub fn count(&self) -> usize {
        self.holders.difference(&self.foreign).count()
    }
}

/// What became of objects and refs.
#[derive(Debug, Default)]
pub struct Rewritten {
    pub renamed: Renamed,
    /// Refs of ours that must point elsewhere: name, old, new.
    pub refs: Vec<(String, String, String)>,
    /// Whether a commit lost its signature.
    pub unsigned: bool,
}

/// The refs of a repository, sorted by whose they are.
#[derive(Debug, Default)]
struct Refs {
    /// Name, object and kind.
    ours: Vec<(String, String, String)>,
    /// Names.
    others: Vec<String>,
    /// Copies of our branches on other machines, and what clones publish, which is signed: nothing here can change it.
    remote: Vec<String>,
}

impl Repository {
    /// Looks through every object. `branches` are those of features, without `refs/heads/`.
    pub fn survey(&self, removal: &Removal, branches: &[String]) -> Result<Survey, GitError> {
        let mut survey = Survey::default();
        objects::each(self, &mut |id, kind, bytes| {
            let holds = removal.is_in(bytes);
            if holds && kind == "tree" {
                survey.in_names = true;
            } else if holds {
                survey.holders.insert(id.to_owned());
            }
        })?;
        if survey.holders.is_empty() {
            return Ok(survey);
        }
        let refs = self.refs_by_owner(branches)?;
        survey.foreign = objects::reachable(self, &refs.others)?;
        survey.foreign.retain(|id| survey.holders.contains(id));
        let named = refs.others.iter().filter(|_| !survey.foreign.is_empty()).chain(&refs.remote);
        for name in named {
            if survey.elsewhere.len() < NAMED_MAX {
                let reached = objects::reachable(self, std::slice::from_ref(name))?;
                if !reached.is_disjoint(&survey.holders) {
                    survey.elsewhere.push(name.clone());
                }
            }
        }
        Ok(survey)
    }

    /// Stores new objects for those that hold the secret and that lead there, from our refs and from ids that the
    /// ledger names. Changes no ref.
    pub fn rewrite(
        &self,
        removal: &Removal,
        survey: &Survey,
        branches: &[String],
        named: &BTreeSet<String>,
    ) -> Result<Rewritten, GitError> {
        let refs = self.refs_by_owner(branches)?;
        let mut database = Database::open(self, removal, survey)?;
        let kinds = objects::kinds(self, named)?;
        let mut commits: Vec<String> =
            refs.ours.iter().filter(|(_, _, kind)| kind == "commit").map(|(_, id, _)| id.clone()).collect();
        commits.extend(kinds.iter().filter(|(_, kind)| *kind == "commit").map(|(id, _)| id.clone()));
        for commit in objects::own_commits(self, &commits, &refs.others)? {
            database.commit(&commit)?;
        }
        let trees = refs.ours.iter().filter(|(_, _, kind)| kind == "tree").map(|(_, id, _)| id);
        for tree in trees.chain(kinds.iter().filter(|(_, kind)| *kind == "tree").map(|(id, _)| id)) {
            database.tree(tree)?;
        }
        for blob in kinds.iter().filter(|(_, kind)| *kind == "blob").map(|(id, _)| id) {
            database.blob(blob)?;
        }
        for root in self.roots()? {
            for entry in worktree::index(self, &root)? {
                database.blob(&entry.id)?;
            }
        }
        let unsigned = database.unsigned;
        // The ledger names these objects next.
        self.sync_to_disk()?;
        let renamed = Renamed(database.changed());
        let refs = refs.ours.into_iter().filter_map(|(name, old, _)| {
            let new = renamed.0.get(&old)?.clone();
            Some((name, old, new))
        });
        Ok(Rewritten { refs: refs.collect(), renamed, unsigned })
    }

    /// Makes refs, logs, indexes and files of worktrees follow. Returns the files that were changed.
    pub fn follow(&self, removal: &Removal, done: &Rewritten) -> Result<Vec<String>, GitError> {
        let mut lines = String::from("start\n");
        for (name, old, new) in &done.refs {
            lines.push_str(&format!("option no-deref\nupdate {name} {new} {old}\n"));
        }
        lines.push_str("prepare\ncommit\n");
        if !done.refs.is_empty() {
            self.call(["update-ref", "--stdin"])
                .setting("core.fsync=reference")
                .input(lines.into_bytes())
                .succeed()?;
        }
        let mut files = Vec::new();
        for root in self.roots()? {
            files.extend(worktree::clean(self, &root, removal, &done.renamed)?);
        }
        worktree::clean_logs(self, removal, &done.renamed)?;
        Ok(files)
    }

    /// The files of worktrees of features that hold the secret, and those that git ignores, which are left alone.
    pub fn files_holding(&self, removal: &Removal) -> Result<(Vec<String>, Vec<String>), GitError> {
        let (mut ours, mut ignored) = (Vec::new(), Vec::new());
        for root in self.roots()? {
            ours.extend(worktree::holding(
                self,
                &root,
                removal,
                &["--cached", "--others", "--exclude-standard"],
            )?);
            ignored.extend(worktree::holding(
                self,
                &root,
                removal,
                &["--others", "--ignored", "--exclude-standard"],
            )?);
        }
        Ok((ours, ignored))
    }

    /// Files of ours next to the ledger that hold the secret: what agents printed, kept answers, conversations.
    pub fn own_files_holding(&self, removal: &Removal) -> Vec<String> {
        worktree::own_files(self, removal).iter().map(|path| path.display().to_string()).collect()
    }

    /// Takes the secret out of these, too.
    pub fn clean_own_files(&self, removal: &Removal, done: &Rewritten) -> Result<Vec<String>, GitError> {
        worktree::clean_own_files(self, removal, &done.renamed)
    }

    /// Files in git's own folder, other than objects and our own, that hold the secret: its configuration, a hook.
    pub fn settings_holding(&self, removal: &Removal) -> Vec<String> {
        worktree::settings(self, removal).iter().map(|path| path.display().to_string()).collect()
    }

    /// Those of these paths that git tracks in a checkout.
    pub fn tracked_of(&self, root: &Path, paths: &[String]) -> Result<Vec<String>, GitError> {
        let call = self.git.call(root, ["ls-files", "-z", "--"]);
        let listed = paths.iter().fold(call, |call, path| call.arg(path)).list()?;
        Ok(listed.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// The worktrees that features are worked on in.
    fn roots(&self) -> Result<Vec<PathBuf>, GitError> {
        let folder = self.main_checkout().join(".redraft").join("worktrees");
        let listed = super::repository::worktrees(self.git.call(self.main_checkout(), [] as [&str; 0]))?;
        let mut roots: Vec<_> = listed.into_iter().map(|listed| listed.path).collect();
        roots.retain(|root| root.is_dir() && (root.starts_with(&folder) || self.is_feature_checkout(root)));
        Ok(roots)
    }

    /// Whether a checkout is on the branch of a feature, as one that is worked on in place.
    fn is_feature_checkout(&self, root: &Path) -> bool {
        let head = self.git.call(root, ["symbolic-ref", "--quiet", "HEAD"]).text();
        head.is_ok_and(|name| name.starts_with("refs/heads/feature/"))
    }

    fn refs_by_owner(&self, branches: &[String]) -> Result<Refs, GitError> {
        let listed = self.call(["for-each-ref", "--format=%(objectname) %(objecttype) %(refname)"]).text()?;
        let mut refs = Refs::default();
        for line in listed.lines() {
            let mut words = line.splitn(3, ' ');
            let (Some(id), Some(kind), Some(name)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let is_branch = |short: &str| branches.iter().any(|branch| branch == short);
            let copied = name.strip_prefix("refs/remotes/").and_then(|rest| rest.split_once('/'));
            let is_published =
                name.starts_with("refs/redraft/1/") || name.starts_with("refs/redraft-remote/");
            if is_published || copied.is_some_and(|(_, short)| is_branch(short)) {
                refs.remote.push(name.to_owned());
            } else if name.starts_with("refs/redraft/")
                || name.strip_prefix("refs/heads/").is_some_and(is_branch)
            {
                refs.ours.push((name.to_owned(), id.to_owned(), kind.to_owned()));
            } else {
                refs.others.push(name.to_owned());
            }
        }
        Ok(refs)
    }
}

/// Old ids with the new ones, as far as they differ.
fn differing(map: BTreeMap<String, String>) -> BTreeMap<String, String> {
    map.into_iter().filter(|(old, new)| old != new).collect()
}

#[cfg(test)]
mod tests;
