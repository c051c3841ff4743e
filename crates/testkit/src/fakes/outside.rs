//! The acts of people, agents and other programs on files and on git while the engine does not look.

use redraft_facts::ids::Revision;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The world around a run. One implementation does it to maps, the other to real files with the real git, so that one
/// scenario can be played on both.
pub trait Outside: Send + Sync {
    /// Writes a file of the feature's worktree, creating folders as needed.
    fn put(&self, path: &str, text: &str);

    /// Removes a file of the worktree.
    fn take(&self, path: &str);

    /// Reads a file of the worktree as it is.
    fn look(&self, path: &str) -> Option<String>;

    /// Puts a link into the worktree, in the place of what is there.
    fn link(&self, path: &str, target: &str);

    /// Puts a pipe into the worktree, in the place of what is there.
    fn pipe(&self, path: &str);

    /// Lets a file of the worktree be run.
    fn make_executable(&self, path: &str);

    /// Makes a repository inside the worktree, with a file in it.
    fn nest(&self, folder: &str);

    /// Stages a file.
    fn stage(&self, path: &str);

    /// Commits everything that is not ignored.
    fn commit(&self, message: &str);

    /// Commits that the repository in a folder of the worktree stands at a commit, and nothing else.
    fn commit_repository(&self, folder: &str, commit: &str);

    /// Merges `main` into the feature's branch, either with its changes, which must not be in conflict, or without.
    fn merge_main(&self, with_its_files: bool);

    /// Takes the feature's branch and its files back to where `main` is.
    fn reset_to_main(&self);

    /// Makes a branch and switches to it.
    fn switch_to_new(&self, branch: &str);

    /// Leaves the branch, and stays at its commit.
    fn detach(&self);

    /// Makes a branch here without switching to it.
    fn branch(&self, name: &str);

    /// Moves a branch that is not checked out to where HEAD is.
    fn move_branch(&self, name: &str);

    fn delete_branch(&self, name: &str);

    fn tag(&self, name: &str);

    /// Begins a cherry-pick that is not finished.
    fn begin_cherry_pick(&self);

    /// Removes the worktree's folder with all that is in it.
    fn remove_worktree(&self);

    /// Writes a file of git's own, such as `hooks/pre-commit` or `info/exclude`.
    fn put_git(&self, path: &str, text: &str);

    /// Reads one.
    fn look_git(&self, path: &str) -> Option<String>;

    /// Removes the name that commits are made under.
    fn forget_identity(&self);

    /// Writes a file of the main checkout.
    fn put_base(&self, path: &str, text: &str);

    fn look_base(&self, path: &str) -> Option<String>;

    /// Writes a file of the main checkout and commits it there.
    fn commit_base(&self, path: &str, text: &str) {
        self.commit_base_as(path, text, "elsewhere");
    }

    /// The same with a message of its own.
    fn commit_base_as(&self, path: &str, text: &str, message: &str);

    /// Switches the main checkout to a new branch.
    fn switch_base_to_new(&self, branch: &str);

    /// Removes what nothing leads to, as git does after some weeks.
    fn collect(&self);

    /// Loses a tree, whatever leads to it, as a damaged disk does.
    fn lose(&self, revision: &Revision);

    /// Says that the feature goes on without something that was lost, as a repair does.
    fn go_on_without(&self, id: &str);

    /// Whether a check or an agent can be started in a folder.
    fn has_folder(&self, folder: &Path) -> bool;

    /// Writes a file below a folder that a check or an agent was given.
    fn put_in(&self, folder: &Path, path: &str, text: &str);

    /// Removes one below a worktree.
    fn take_in(&self, folder: &Path, path: &str);

    /// Commits everything in a worktree that is not ignored.
    fn commit_in(&self, folder: &Path, message: &str);

    /// Reads one.
    fn look_in(&self, folder: &Path, path: &str) -> Option<String>;

    /// The files of the commit or tree that a full ref name leads to.
    fn files_of(&self, reference: &str) -> Option<BTreeMap<String, String>>;

    /// The first lines of the commits that a branch has, the newest first.
    fn log(&self, branch: &str) -> Vec<String>;

    /// The same of whatever a full ref name leads to.
    fn log_of(&self, reference: &str) -> Vec<String>;

    /// The numbers of the worktrees that are there beside the feature's own.
    fn slots(&self) -> Vec<u16>;

    /// Where one of them is.
    fn slot_folder(&self, slot: u16) -> PathBuf;

    /// Removes its folder with all that is in it, as somebody does who knows nothing of git.
    fn remove_slot(&self, slot: u16);

    /// Checks the feature's branch out in one more worktree, although it is checked out already, and writes a file there.
    fn check_out_elsewhere(&self, path: &str, text: &str);

    /// Reads one there.
    fn look_elsewhere(&self, path: &str) -> Option<String>;

    /// Whether git still has a file with exactly this text.
    fn has_stored(&self, text: &str) -> bool;

    /// The branches and tags, by their full names.
    fn refs(&self) -> Vec<String>;
}
