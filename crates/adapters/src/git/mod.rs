//! Git: the repository behind a run and the worktree a feature is worked on in.
//!
//! Everything goes through the `git` program (2.38 or newer), started in one place and never by a shell. The
//! module knows trees, refs, indexes and files. It must not know phases, roles or verdicts: a revision is a
//! tree id here and a ticket is only the text of a trailer.
//!
//! Start reading at [`Repository`] (where we are, new features), then [`GitWorkspace`], which fulfils the
//! engine's `Workspace` port. Behind it, one file each: `files` (single files), `revision` (revisions, anchors
//! and deltas), `standing` (where HEAD, index and files stand), `restore` (undoing what an agent must not do),
//! `commit`, `guard` (hooks and configuration that agents touch), `hidden` (marks of an index that hide changes), `check_folder` (where checks run), `merge` for the branch as a whole, `moving` for a person's checkout that goes from one commit to another, and `change` for one that is reviewed by itself. `objects` asks for and stores single objects through a `companion`, a git that stays; `recent` remembers
//! the last few answers, `programs` keeps those of a repository's configuration from being started, `branches` and `hooks` tell what others have left in a repository, `listing` names the files that are not ignored, `run` starts git and `wait` ends one that hangs, `glance` looks without it, `error` says what can go wrong, `temp_index` is scratch space, `cut` clears up after a power cut, `rewrite` takes a secret out of all of it.

mod branches;
mod change;
mod check_folder;
mod commit;
mod create;
mod error;
mod feature;
mod files;
mod guard;
mod hidden;
mod history;
mod holder;
mod hooks;
mod isolated_copy;
mod lasting_git;
mod links;
mod listing;
mod locate;
mod merge;
mod moving;
mod objects;
mod power_loss;
mod programs;
mod recent;
mod recreate;
mod refs;
mod repair;
mod repository;
mod restore;
mod revision;
mod rewrite;
mod run;
mod temp_index;
#[cfg(test)]
mod testbed;
mod wait;
mod workspace;
mod worktree_state;
mod writing;

pub use branches::FeatureBranch;
pub use change::CommitLookup;
pub use check_folder::GitCheckFolder;
pub use create::{commit_all, create_repository};
pub use error::{GitError, MINIMUM};
pub use feature::FeaturePlace;
pub use history::{Entered, MainLineCommit, Written};
pub use locate::{CheckoutLocation, real_path, state_around};
pub use merge::GitMerging;
pub use moving::{CutOff, SettledMove};
pub use programs::ConfiguredProgram;
pub use repair::Damage;
pub use repository::{Head, Repository};
pub use rewrite::{Pruned, Rewritten, Survey};
pub use run::Git;
pub use wait::stops_with;
pub use workspace::GitWorkspace;
