//! Forecasts what merging a feature's branch would give, and does the merge.
//!
//! The preview is `git merge-tree`, which touches no checkout. The merge is a commit made of what was previewed. Where
//! the target branch is checked out, `moving` takes that checkout along as a whole, and only from a clean state;
//! otherwise only the branch moves, and only from where it was.

use super::change::with_fixed_identity;
use super::commit::full_message;
use super::error::GitError;
use super::files::os_path;
use super::moving::{self, Move, MoveError};
use super::repository::Repository;
use super::temp_index::TempIndex;
use redraft_engine::boundary::Boundaries;
use redraft_engine::ports::{
    Commit, Merge, MergeError, MergeOutcome, MergePreview, Merging, Trailers, WorkspaceError,
};
use redraft_facts::event::MergeHistory;
use redraft_facts::ids::Revision;
use std::path::{Path, PathBuf};

/// A feature's branch, seen from the branch it goes back to.
#[derive(Debug)]
pub struct GitMerging<'a> {
    pub repository: &'a Repository,
    /// The feature's branch.
    pub branch: String,
    pub boundaries: &'a Boundaries,
}

/// The files shown of a conflict or of an unclean checkout.
const SHOWN_MAX: usize = 20;

/// At most this many commits that claim to be the merge are looked at.
const CANDIDATES_MAX: usize = 20;

impl Merging for GitMerging<'_> {
    fn preview(&self, into: &str, except: &[String]) -> Result<MergePreview, MergeError> {
        let no_branch = |name: &str| MergeError::NoBranch(name.to_owned());
        let tip = |name: &str| self.repository.commit_named(&format!("refs/heads/{name}")).map_err(failed);
        let head = tip(&self.branch)?.ok_or_else(|| no_branch(&self.branch))?;
        let into = tip(into)?.ok_or_else(|| no_branch(into))?;
        let call = self.repository.call(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"]);
        let done = call.arg(&into).arg(&head).end().map_err(failed)?;
        let mut parts = done.stdout.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        let tree = parts.next().map(|id| String::from_utf8_lossy(id).trim().to_owned()).unwrap_or_default();
        let outcome = match done.code {
            Some(0) if !tree.is_empty() => {
                let checked = Revision::new(self.without(&tree, except).map_err(failed)?);
                MergeOutcome::Clean { tree: Revision::new(tree), checked }
            }
            Some(1) => {
                let files = parts.map(|name| String::from_utf8_lossy(name).into_owned());
                MergeOutcome::Conflicts(files.take(SHOWN_MAX).collect())
            }
            _ => return Err(failed(done.failure().unwrap_or_else(|| done.unexpected()))),
        };
        Ok(MergePreview { into, head, outcome })
    }

    fn common(&self, into: &str) -> Result<Option<Revision>, MergeError> {
        let (own, into) = (format!("refs/heads/{}", self.branch), format!("refs/heads/{into}"));
        let head = self.repository.commit_named(&own).map_err(failed)?;
        let base = self.repository.merge_base(&into, &own).map_err(failed)?;
        let base = base.filter(|base| head.as_ref() != Some(base));
        base.map(|base| self.repository.tree_of(&base).map_err(failed)).transpose()
    }

    fn sketch(&self, preview: &MergePreview) -> Result<Commit, MergeError> {
        let tree = match &preview.outcome {
            MergeOutcome::Clean { tree, .. } => tree.as_str(),
            MergeOutcome::Conflicts(_) => return Ok(Commit(preview.head.clone())),
        };
        let call = self.repository.call(["commit-tree", tree, "-p"]).arg(&preview.into).arg("-p");
        let call = call.arg(&preview.head).arg("-m").arg("what would be merged");
        with_fixed_identity(call).text().map(Commit).map_err(failed)
    }

    fn merge(&self, preview: &MergePreview, merge: &Merge<'_>) -> Result<Commit, MergeError> {
        let MergeOutcome::Clean { tree, .. } = &preview.outcome else {
            return Err(MergeError::Moved(merge.into.to_owned()));
        };
        let place = self.checked_out(merge.into).map_err(failed)?;
        if let Some(folder) = &place {
            self.require_clean(merge.into, folder)?;
        }
        let message = full_message(merge.message, merge.trailers);
        let mut call = self.repository.call(["commit-tree"]).setting("user.useConfigOnly=true");
        if self.signs().map_err(failed)? {
            call = call.arg("-S");
        }
        call = call.arg(tree.as_str()).arg("-p").arg(&preview.into);
        if merge.history == MergeHistory::Keep {
            call = call.arg("-p").arg(&preview.head);
        }
        let commit = call.arg("-m").arg(message).text().map_err(super::commit::refusal)?;
        // A branch must not name anything that a power cut could take away.
        self.repository.sync_to_disk().map_err(failed)?;
        let branch = merge.into.to_owned();
        let (folder, head) = match &place {
            Some(folder) => (folder.as_path(), moving::Head::Advance { branch }),
            None => (self.repository.main_checkout(), moving::Head::Beside { branch }),
        };
        let what = format!("the merge of {} into {}", self.branch, merge.into);
        let wanted = Move { folder, from: &preview.into, to: &commit, head, what };
        let moved = self.repository.move_checkout(&wanted, self.boundaries);
        moved.map_err(|error| match error {
            MoveError::InTheWay(detail) => {
                let (into, folder) = (merge.into.to_owned(), folder.display().to_string());
                MergeError::Refused { into, folder, detail }
            }
            MoveError::Moved => MergeError::Moved(merge.into.to_owned()),
            MoveError::Git(error) => failed(error),
        })?;
        Ok(Commit(commit))
    }

    fn merged(&self, into: &str, trailers: &Trailers) -> Result<Option<Commit>, MergeError> {
        let ours = format!("refs/heads/{}", self.branch);
        let Some(head) = self.repository.commit_named(&ours).map_err(failed)? else { return Ok(None) };
        let format = "--format=%H %P%x00%T%x00%(trailers:key=Redraft-Ticket,valueonly)%x00\
                      %(trailers:key=Redraft-Seq,valueonly)%x00";
        let call = self.repository.call(["log", "-z", "--fixed-strings", "--all-match", "-n"]);
        let call = call
            .arg(CANDIDATES_MAX.to_string())
            .arg(format)
            .arg(format!("--grep=Redraft-Ticket: {}", trailers.ticket))
            .arg(format!("--grep=Redraft-Seq: {}", trailers.seq));
        let done = call.arg(format!("refs/heads/{into}")).arg("--").end().map_err(failed)?;
        let fields: Vec<String> = done
            .stdout
            .split(|byte| *byte == 0)
            .map(|field| String::from_utf8_lossy(field).trim().to_owned())
            .collect();
        // Four fields each, followed by an empty one.
        for found in fields.chunks(5) {
            let [ids, tree, ticket, seq, ..] = found else { continue };
            let ids: Vec<&str> = ids.split(' ').collect();
            let (Some(commit), Some(into)) = (ids.first(), ids.get(1)) else { continue };
            let ours = *ticket == trailers.ticket && *seq == trailers.seq.to_string();
            // Anybody can write such lines. It is the merge only if it did what the merge does.
            if ours && self.merge_of(into, &head).map_err(failed)?.as_deref() == Some(tree.as_str()) {
                return Ok(Some(Commit((*commit).to_owned())));
            }
        }
        Ok(None)
    }
}

impl GitMerging<'_> {
    /// The tree that a merge of two commits gives; none where it does not go through.
    fn merge_of(&self, into: &str, head: &str) -> Result<Option<String>, GitError> {
        let call = self.repository.call(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"]);
        let done = call.arg(into).arg(head).end()?;
        let tree = done.stdout.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok((done.code == Some(0)).then(|| String::from_utf8_lossy(tree).trim().to_owned()))
    }

    /// A tree without some of its files.
    fn without(&self, tree: &str, except: &[String]) -> Result<String, GitError> {
        let index = TempIndex::empty(&self.repository.state_dir().join("tmp").join("merge"))?;
        index.used_by(self.repository.call(["read-tree"]).arg(tree)).succeed()?;
        let call = self.repository.call(["update-index", "--force-remove", "-z", "--stdin"]);
        index.used_by(call.input_list(except.iter().map(|path| path.as_bytes()))).succeed()?;
        index.used_by(self.repository.call(["write-tree"])).text()
    }

    /// The checkout a branch is in.
    fn checked_out(&self, branch: &str) -> Result<Option<PathBuf>, GitError> {
        let wanted = format!("branch refs/heads/{branch}");
        let mut last: Option<PathBuf> = None;
        for line in self.repository.call(["worktree", "list", "--porcelain", "-z"]).list()? {
            if let Some(path) = line.strip_prefix(b"worktree ") {
                last = Some(os_path(path));
            } else if line == wanted.as_bytes() {
                return Ok(last.filter(|path| path.exists()));
            }
        }
        Ok(None)
    }

    /// Refuses to move a checkout that holds anything uncommitted.
    fn require_clean(&self, into: &str, folder: &Path) -> Result<(), MergeError> {
        let call = self.repository.git.call(
            folder,
            ["status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=dirty"],
        );
        let listed = call.list().map_err(failed)?;
        // A renamed file is listed with both names, the second without a state before it.
        let files = listed.iter().filter(|line| line.get(2) == Some(&b' '));
        let names: Vec<String> =
            files.map(|line| String::from_utf8_lossy(&line[3..]).into_owned()).take(SHOWN_MAX).collect();
        if names.is_empty() {
            return Ok(());
        }
        let is = if names.len() == 1 { "is" } else { "are" };
        let (into, folder) = (into.to_owned(), folder.display().to_string());
        Err(MergeError::Dirty { into, folder, what: format!("{} {is}", names.join(", ")) })
    }

    fn signs(&self) -> Result<bool, GitError> {
        let asked = self.repository.call(["config", "--type=bool", "--get", "commit.gpgSign"]).end()?;
        Ok(asked.stdout.trim_ascii() == b"true")
    }
}

fn failed(error: GitError) -> MergeError {
    MergeError::Workspace(WorkspaceError::from(error))
}

#[cfg(test)]
mod tests;
