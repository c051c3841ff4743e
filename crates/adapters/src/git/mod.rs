//! Git: the repository behind a run and the worktree a feature is worked on in.
//!
//! Everything goes through the `git` program (2.38 or newer), started in one place and never by a shell. The
//! module knows trees, refs, indexes and files. It must not know phases, roles or verdicts: a revision is a
//! tree id here and a ticket is only the text of a trailer.
//!
//! Start reading at [`Repository`] (where we are, new features), then [`GitWorkspace`] (a worktree) and `workspace_port`,
//! by which it fulfils the engine's `Workspace` port. There is one file for each subject, and none uses a file that uses
//! it:
//!
//! - the worktree: `files` (single files), `remove_files`, `revision` (revisions, anchors and deltas), `worktree_state`
//!   (where HEAD, index and files stand), `last_listing` (what git need not be asked again), `commit`, `temp_index`
//!   (scratch space), `index_form` (what an index file says by itself), `isolated_copy` (copies for an agent that is to
//!   see no more);
//! - undoing what an agent must not do: `restore`, `recreate` (a worktree that is gone), `guard` (hooks and
//!   configuration), `refs` (other branches and tags), `hidden` (marks of an index that hide changes), `last_mark` (what
//!   these three compare with), `lost` (keeps what is undone);
//! - whole branches and checkouts: `feature` (creating them), `worktrees_folder` (where their worktrees are), `merge`,
//!   `moving` (a person's checkout goes from one commit to another), `change` (a change that is reviewed by itself),
//!   `check_folder` (where checks run), `create` (a new repository for demonstrations), `leftovers` (what features
//!   leave, and taking it away), `uninstall` (the last of it);
//! - looking: `objects` asks for and stores single objects through `lasting_git`, a git that stays; `object_id` and
//!   `ref_name` know which names git takes; `recent` remembers the last few answers, `stamp` how a file stood;
//!   `history`, `branches` and `hooks` show what others have left in a repository; `listing` names the files that are
//!   not ignored; `locate` finds a repository without starting git;
//! - calling git: `run` starts it and keeps it from starting programs of a repository's configuration, `wanted_programs`
//!   finds those that a person has to be asked about, `wait` ends a git that hangs, `stale_locks` removes locks that a
//!   killed one left, `holder` names who holds a lock, `links` refuses links that lead elsewhere, `complaints` says what
//!   git's messages mean, `error` what can go wrong;
//! - mending: `power_loss` clears up after a power cut, `repair` after damage, `rewrite` takes a secret out of
//!   everything.

mod branches;
mod change;
mod check_folder;
mod commit;
mod complaints;
mod create;
mod error;
mod feature;
mod files;
mod guard;
mod hidden;
mod history;
mod history_copy;
mod holder;
mod hooks;
mod index_form;
mod isolated_copy;
mod last_listing;
mod last_mark;
mod lasting_git;
mod leftovers;
mod links;
mod listing;
mod locate;
mod lost;
mod merge;
mod moving;
mod object_id;
mod objects;
mod power_loss;
mod put_on;
mod recent;
mod recreate;
mod ref_name;
mod refs;
mod remove_files;
mod repair;
mod repository;
mod restore;
mod revision;
mod rewrite;
mod run;
mod stale_locks;
mod stamp;
mod temp_index;
mod uninstall;
mod wait;
mod wanted_programs;
mod workspace;
mod workspace_port;
mod worktree_state;
mod worktrees_folder;

pub use branches::FeatureBranch;
pub use change::CommitLookup;
pub use check_folder::GitCheckFolder;
pub use create::{commit_all, create_repository};
pub use error::{GitError, MINIMUM};
pub use feature::FeaturePlace;
pub use history::{Entered, LineOrigin, MainLineCommit};
pub use leftovers::{Belongings, Leftover, LeftoverKind, slot_folder, slot_folders};
pub use locate::{CheckoutLocation, real_path, state_around};
pub use merge::GitMerging;
pub use moving::{CutOff, SettledMove};
pub use repair::Damage;
pub use repository::{Head, Repository};
pub use rewrite::{Pruned, Rewritten, Survey};
pub use run::{Call, ConfiguredProgram, Git, durable};
pub use wait::stops_with;
pub use workspace::GitWorkspace;

#[cfg(test)]
mod tests {
    pub(super) mod repositories;
}
