//! Settles a move whose process was killed: puts everything back, or completes everything.

use super::journal::Journal;
use super::{Head, MoveJournal, files};
use crate::git::error::GitError;
use crate::git::files::path_bytes;
use crate::git::repository::Repository;
use crate::git::stale_locks::{self, Cleared};
use redraft_facts::text::hash;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a lock may be held without a holder: by a process that is only just starting another.
const A_MOMENT: Duration = Duration::from_secs(1);

/// How an earlier move was brought to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledMove {
    /// For people: `the merge of feature/001-x into main`.
    pub what: String,
    /// The checkout.
    pub folder: PathBuf,
    pub end: MoveEnd,
    /// Files that somebody has changed since, which were left as they are.
    pub left: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveEnd {
    /// As before the move.
    PutBack,
    /// As after it.
    Completed,
    /// Somebody has moved the branch or left it since, so the files are theirs.
    Left,
}

impl std::fmt::Display for SettledMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SettledMove { what, folder, end, left } = self;
        let folder = folder.display();
        write!(f, "{what} was cut off; ")?;
        match end {
            MoveEnd::PutBack => write!(f, "{folder} is as it was before it")?,
            MoveEnd::Completed => write!(f, "{folder} is complete now")?,
            MoveEnd::Left => {
                write!(f, "HEAD of {folder} was moved since, so its files were left as they are")?
            }
        }
        match left.as_slice() {
            [] => Ok(()),
            left => write!(f, ", except for what was changed there since: {}", left.join(", ")),
        }
    }
}

/// A move that was cut off and is not settled yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutOff {
    pub what: String,
    pub folder: PathBuf,
}

/// Where HEAD stands, seen from a move.
enum Standing {
    Before,
    After,
    Elsewhere,
}

impl Repository {
    /// Brings a checkout whose moving process is gone to one of the two ends. None where there is nothing to do, or a
    /// living process is at work on it.
    pub fn recover_interrupted_move(&self) -> Result<Option<SettledMove>, GitError> {
        let desk = MoveJournal::new(self);
        if desk.read()?.is_none() {
            return Ok(None);
        }
        let Some(_held) = desk.hold_within(A_MOMENT)? else { return Ok(None) };
        // Somebody may have settled it between the two looks.
        desk.read()?.map(|journal| desk.settle(journal)).transpose()
    }

    /// A move that waits to be settled. Looking changes nothing.
    pub fn cut_off(&self) -> Option<CutOff> {
        let desk = MoveJournal::new(self);
        let journal = desk.read().ok()??;
        // Held for a moment, as a process that settles it would; one that is at work holds it longer.
        desk.hold_within(A_MOMENT).ok()??;
        Some(CutOff { folder: journal.checkout(), what: journal.what })
    }
}

impl MoveJournal<'_> {
    /// The caller holds the lock.
    pub(super) fn settle(&self, journal: Journal) -> Result<SettledMove, GitError> {
        let (checkout, git_dir) = (journal.checkout(), journal.git_dir());
        if !checkout.is_dir() || !git_dir.is_dir() {
            return Err(GitError::Journal(self.path(super::journal::FILE)));
        }
        let branch = journal.head.branch();
        let common = self.repository.common_dir();
        let mut locks = vec![common.join("refs/heads").join(format!("{branch}.lock"))];
        locks.extend(["HEAD.lock", "ORIG_HEAD.lock"].map(|name| git_dir.join(name)));
        locks.push(common.join("reftable/tables.list.lock"));
        locks.push(git_dir.join("reftable/tables.list.lock"));
        // A git of the killed process may be about to move the branch.
        if stale_locks::clear(&self.path(stale_locks::MARKER), &locks, stale_locks::PATIENCE)
            == Cleared::StillWriting
        {
            return Err(GitError::Moving(checkout));
        }
        let (end, left) = match self.standing(&journal)? {
            Standing::Before => {
                let left = files::put_back(&journal)?;
                self.put_index_back(&journal)?;
                (MoveEnd::PutBack, left)
            }
            Standing::After => (MoveEnd::Completed, files::complete(&journal)?),
            Standing::Elsewhere => (MoveEnd::Left, Vec::new()),
        };
        files::sync_places(&journal)?;
        journal.unlock_index();
        let file = self.path(super::journal::FILE);
        fs::remove_file(&file).map_err(|error| GitError::file(&file, &error))?;
        self.sweep(&journal);
        let left = self.changed(&checkout, &left);
        Ok(SettledMove { what: journal.what, folder: checkout, end, left })
    }

    fn standing(&self, journal: &Journal) -> Result<Standing, GitError> {
        let checkout = journal.checkout();
        let on = self.call(&checkout, &["symbolic-ref", "--quiet", "HEAD"]).end()?;
        let on = String::from_utf8_lossy(&on.stdout).trim().to_owned();
        let asked = match &journal.head {
            Head::Advance { .. } | Head::Switch { .. } => "HEAD".to_owned(),
            Head::Beside { branch } => format!("refs/heads/{branch}"),
        };
        let at = self.call(&checkout, &["rev-parse", "--verify", "--quiet", &asked]).end()?;
        let at = String::from_utf8_lossy(&at.stdout).trim().to_owned();
        let named = |branch: &str| on == format!("refs/heads/{branch}");
        Ok(match &journal.head {
            Head::Advance { branch } if named(branch) && at == journal.to => Standing::After,
            Head::Advance { branch } if named(branch) && at == journal.from => Standing::Before,
            Head::Switch { branch, .. } if named(branch) && at == journal.to => Standing::After,
            Head::Switch { was, .. } if (*was == on || on.is_empty() && *was == at) && at == journal.from => {
                Standing::Before
            }
            Head::Beside { .. } if at == journal.to => Standing::After,
            Head::Beside { .. } if at == journal.from => Standing::Before,
            Head::Advance { .. } | Head::Switch { .. } | Head::Beside { .. } => Standing::Elsewhere,
        })
    }

    /// Puts the old index back where ours is in place; one that was written since stays.
    fn put_index_back(&self, journal: &Journal) -> Result<(), GitError> {
        let Some(ours) = journal.plan.as_ref().and_then(|plan| plan.index.as_ref()) else { return Ok(()) };
        let (before, index) = (self.path("index.before"), journal.index());
        match fs::read(&index) {
            Ok(bytes) if hash(&bytes).to_string() == *ours && before.exists() => {
                fs::rename(&before, &index).map_err(|error| GitError::file(&index, &error))
            }
            _ => Ok(()),
        }
    }

    /// Those of these files in which git sees a change: somebody may have put the rest right already.
    fn changed(&self, checkout: &Path, left: &[PathBuf]) -> Vec<String> {
        if left.is_empty() {
            return Vec::new();
        }
        let call =
            self.call(checkout, &["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"]);
        let call = left.iter().fold(call.arg("--"), |call, path| call.arg(path));
        match call.list() {
            Ok(lines) => {
                let names = lines.iter().filter_map(|line| line.get(3..));
                names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
            }
            // Rather one too many than none.
            Err(_) => {
                left.iter().map(|path| String::from_utf8_lossy(&path_bytes(path)).into_owned()).collect()
            }
        }
    }
}
