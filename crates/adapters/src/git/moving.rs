//! Moves a checkout that belongs to a person from one commit to another, as a whole.
//!
//! Git writes a checkout file by file, then its index, then the branch. Killed in between, it leaves files of both
//! commits and a lock that it never removes. So git only prepares here: it writes the files that differ into a folder
//! of ours and a new index next to it. Then a journal says what is about to happen, the files take their places by
//! renaming, the index by one rename, and last of all git moves the branch, from where it was. The branch decides: a
//! process that finds the journal of a killed one puts everything back if the branch has not moved, and completes the
//! move if it has ([`Repository::recover_interrupted_move`], in `settling`). A file that is neither as we found it nor
//! as we put it there is somebody's work and is left alone.
//!
//! While this lasts, we hold the checkout's `index.lock`, as git itself would; it holds the journal's token, which
//! distinguishes it from any other lock.

mod files;
mod journal;
mod plan;
mod settling;
mod stamp;

pub use settling::{CutOff, SettledMove};

use super::error::GitError;
use super::files::os_path;
use super::repository::Repository;
use super::run::Call;
use super::stale_locks;
use super::temp_index::Index;
use journal::Journal;
use plan::Plan;
use redraft_engine::boundary::Boundaries;
use redraft_facts::text::hash;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another process may take to move a checkout before this one gives up.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Where files wait for their places: next to the journal, or in a checkout on another disk.
const STAGING: &str = "files";
const STAGING_ELSEWHERE: &str = ".redraft/worktrees/.moving";

/// What is asked for.
pub(super) struct Move<'a> {
    /// The root of the checkout.
    pub(super) folder: &'a Path,
    /// The commit its files and index are of.
    pub(super) from: &'a str,
    pub(super) to: &'a str,
    pub(super) head: Head,
    /// For people: `the merge of feature/001-x into main`.
    pub(super) what: String,
}

/// What becomes of HEAD.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Head {
    /// HEAD stays on this branch, which moves to the other commit.
    Advance { branch: String },
    /// HEAD leaves where it was, a ref or a commit, for this branch, which is at the other commit already.
    Switch { was: String, branch: String },
    /// HEAD has nothing to do with this branch, which moves alone; no file and no index is touched.
    Beside { branch: String },
}

impl Head {
    fn branch(&self) -> &str {
        match self {
            Head::Advance { branch } | Head::Switch { branch, .. } | Head::Beside { branch } => branch,
        }
    }
}

#[derive(Debug)]
pub(super) enum MoveError {
    /// Files that git does not know, or that were changed, stand where others belong.
    InTheWay(String),
    /// The branch was no longer where it was expected to be.
    Moved,
    Git(GitError),
}

impl From<GitError> for MoveError {
    fn from(error: GitError) -> MoveError {
        MoveError::Git(error)
    }
}

/// Where the journal is, with everything that belongs to it.
struct MoveJournal<'a> {
    repository: &'a Repository,
    /// In Redraft's own folder.
    folder: PathBuf,
}

impl Repository {
    /// Moves a checkout. After an error the checkout is as it was before, unless the error says otherwise.
    pub(super) fn move_checkout(&self, wanted: &Move<'_>, boundaries: &Boundaries) -> Result<(), MoveError> {
        let desk = MoveJournal::new(self);
        let _held = desk.hold()?;
        if let Some(journal) = desk.read()? {
            desk.settle(journal)?;
        }
        let mut journal = desk.begin(wanted)?;
        boundaries.pass("a move is written down");
        let moved = desk.perform(wanted, &mut journal, boundaries);
        if moved.is_ok() {
            desk.end(&journal);
            return Ok(());
        }
        match desk.settle(journal) {
            // Git was ended when it had moved the branch already.
            Ok(SettledMove { end: settling::MoveEnd::Completed, .. }) => Ok(()),
            Ok(_) => moved,
            Err(error) => {
                let (folder, detail) = (wanted.folder.to_owned(), error.to_string());
                Err(GitError::HalfMoved { folder, detail }.into())
            }
        }
    }
}

impl<'a> MoveJournal<'a> {
    fn new(repository: &'a Repository) -> MoveJournal<'a> {
        MoveJournal { repository, folder: repository.state_dir().join("moving") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Only one process at a time moves or mends a checkout. The kernel releases the lock when that process ends.
    fn hold(&self) -> Result<File, GitError> {
        let held = self.hold_within(PATIENCE)?;
        held.ok_or_else(|| GitError::Moving(self.repository.main_checkout().to_owned()))
    }

    /// None where another process holds it the whole time. A process that was killed while it started another releases
    /// it only when that one has become another program.
    fn hold_within(&self, mut patience: Duration) -> Result<Option<File>, GitError> {
        let path = self.path("lock");
        let failed = |error: io::Error| GitError::file(&path, &error);
        fs::create_dir_all(&self.folder).map_err(failed)?;
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(failed)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) if patience.is_zero() => return Ok(None),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            std::thread::park_timeout(LOOK_AGAIN);
            patience = patience.saturating_sub(LOOK_AGAIN);
        }
    }

    /// Writes down what is wanted, before anything else is done.
    fn begin(&self, wanted: &Move<'_>) -> Result<Journal, MoveError> {
        let checkout =
            fs::canonicalize(wanted.folder).map_err(|error| GitError::file(wanted.folder, &error))?;
        let ask = self.repository.git.call(&checkout, ["rev-parse", "--path-format=absolute", "--git-dir"]);
        let asked = ask.succeed()?;
        let git_dir = os_path(asked.lines().first().copied().unwrap_or_default());
        let staging = self.staging(&checkout)?;
        // What a killed process left without a journal belongs to no move.
        files::remove_folder(&staging).map_err(|error| GitError::file(&staging, &error))?;
        let journal = Journal::new(wanted, &checkout, &git_dir, &staging, self.repository.main_checkout());
        self.write(&journal)?;
        Ok(journal)
    }

    /// A folder from which files can be renamed into the checkout: next to the journal, or in the checkout where that
    /// is on another disk.
    fn staging(&self, checkout: &Path) -> Result<PathBuf, GitError> {
        let device = |path: &Path| files::device(path).map_err(|error| GitError::file(path, &error));
        if device(&self.folder)? == device(checkout)? {
            return Ok(self.path(STAGING));
        }
        self.repository.exclude_worktrees()?;
        Ok(checkout.join(STAGING_ELSEWHERE))
    }

    /// Everything up to the moved branch.
    fn perform(
        &self,
        wanted: &Move<'_>,
        journal: &mut Journal,
        boundaries: &Boundaries,
    ) -> Result<(), MoveError> {
        if matches!(wanted.head, Head::Beside { .. }) {
            self.move_head(wanted, journal)?;
            boundaries.pass("the branch is moved");
            return Ok(());
        }
        self.lock_index(journal)?;
        boundaries.pass("the index is locked");
        let plan = self.prepare(wanted, journal)?;
        // What was prepared must be on disk before the journal says that it is used.
        files::sync_staged(journal, &plan)?;
        journal.plan = Some(plan);
        self.write(journal)?;
        boundaries.pass("a move is planned");
        files::apply(journal, boundaries)?;
        boundaries.pass("the files are in place");
        self.install_index(journal)?;
        boundaries.pass("the index is in place");
        files::sync_places(journal)?;
        files::sync_file(&journal.index())?;
        self.move_head(wanted, journal)?;
        boundaries.pass("the branch is moved");
        Ok(())
    }

    /// Takes the lock that git takes to write the index, and waits for it as a call of git does.
    fn lock_index(&self, journal: &Journal) -> Result<(), GitError> {
        let (path, signed) = (journal.index_lock(), self.path("index.token"));
        fs::write(&signed, &journal.token).map_err(|error| GitError::file(&signed, &error))?;
        let mut left = self.repository.git.patience();
        loop {
            // It holds the token already when it appears, so that it is recognised as ours from the first moment on.
            match fs::hard_link(&signed, &path) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(_) => {
                    let mut file = match File::options().write(true).create_new(true).open(&path) {
                        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                            return Err(GitError::file(&path, &error));
                        }
                        file => file.ok(),
                    };
                    if let Some(file) = &mut file {
                        return file
                            .write_all(journal.token.as_bytes())
                            .map_err(|error| GitError::file(&path, &error));
                    }
                }
            }
            if left.is_zero() {
                return Err(GitError::locked("git merge", &path));
            }
            std::thread::park_timeout(LOOK_AGAIN);
            left = left.saturating_sub(LOOK_AGAIN);
        }
    }

    /// Has git make the new index and the files that differ, and notes what stands where they belong.
    fn prepare(&self, wanted: &Move<'_>, journal: &Journal) -> Result<Plan, MoveError> {
        let (checkout, new) = (journal.checkout(), journal.staged());
        fs::create_dir_all(&new).map_err(|error| GitError::file(&new, &error))?;
        let before = Index::read(&journal.index())?;
        for name in ["index.before", "index"] {
            let path = self.path(name);
            if let Some(before) = &before {
                before.write(&path).map_err(|error| GitError::file(&path, &error))?;
            }
        }
        // Before the files are looked at, so that one that is changed while we look is noticed.
        let listed = self.call(&checkout, &["diff-tree", "-r", "-z", "--no-renames"]);
        let listed = listed.arg(wanted.from).arg(wanted.to).list()?;
        let plan = Plan::read(&listed, &checkout)?;
        self.refresh(&checkout)?;
        self.refuse_what_is_in_the_way(wanted, &checkout)?;
        let tree = ["read-tree", "-m", "-u", wanted.from, wanted.to];
        let call = self.indexed(self.call(&new, &tree)).env("GIT_DIR", journal.git_dir());
        call.env("GIT_WORK_TREE", &new).marked(self.path(stale_locks::MARKER)).succeed()?;
        Ok(plan.with_staged(&new)?)
    }

    /// Asks git what is in the way: it knows best what it would overwrite, and says so without doing anything.
    fn refuse_what_is_in_the_way(&self, wanted: &Move<'_>, checkout: &Path) -> Result<(), MoveError> {
        let tree = ["read-tree", "-n", "-m", "-u", wanted.from, wanted.to];
        let done = self.indexed(self.call(checkout, &tree)).end()?;
        let Some(error) = done.failure() else { return Ok(()) };
        let signs = ["would be overwritten", "would be removed", "would lose untracked", "not uptodate"];
        if signs.iter().any(|sign| error.stderr().contains(sign)) {
            return Err(MoveError::InTheWay(error.stderr().trim().to_owned()));
        }
        Err(error.into())
    }

    /// Has git look at the new files, so that the index knows them, and puts it in place.
    fn install_index(&self, journal: &mut Journal) -> Result<(), GitError> {
        let (path, target) = (self.path("index"), journal.index());
        self.refresh(&journal.checkout())?;
        let bytes = fs::read(&path).map_err(|error| GitError::file(&path, &error))?;
        if let Some(plan) = &mut journal.plan {
            plan.index = Some(hash(&bytes).to_string());
        }
        self.write(journal)?;
        files::sync_file(&path)?;
        fs::rename(&path, &target).map_err(|error| GitError::file(&target, &error))
    }

    /// Has git compare the new index with the files. Code 1 says that some differ, which is judged elsewhere.
    fn refresh(&self, checkout: &Path) -> Result<(), GitError> {
        let call = self.indexed(self.call(checkout, &["update-index", "-q", "--refresh"]));
        let done = call.marked(self.path(stale_locks::MARKER)).end()?;
        done.failure().filter(|_| done.code != Some(1)).map_or(Ok(()), Err)
    }

    /// The last step, and the one that decides.
    fn move_head(&self, wanted: &Move<'_>, journal: &Journal) -> Result<(), MoveError> {
        let checkout = journal.checkout();
        let (from, to, why) = (wanted.from, wanted.to, format!("redraft: {}", wanted.what));
        let reference = format!("refs/heads/{}", wanted.head.branch());
        let call = match &wanted.head {
            Head::Advance { .. } => {
                let text = format!("update ORIG_HEAD {from}\nupdate {reference} {to} {from}\n");
                let call = self.call(&checkout, &["update-ref", "-m"]).arg(why);
                call.arg("--stdin").input(text.into_bytes())
            }
            Head::Switch { .. } => {
                self.call(&checkout, &["symbolic-ref", "-m"]).arg(why).arg("HEAD").arg(reference)
            }
            Head::Beside { .. } => {
                self.call(&checkout, &["update-ref", "-m"]).arg(why).arg(reference).arg(to).arg(from)
            }
        };
        let done = call.marked(self.path(stale_locks::MARKER)).end()?;
        match done.failure() {
            None => Ok(()),
            Some(error) if error.stderr().contains("but expected") => Err(MoveError::Moved),
            Some(error) => Err(error.into()),
        }
    }

    /// The journal goes last: until then the next process would look at all of it again.
    fn end(&self, journal: &Journal) {
        // A branch that is not on disk yet must not lose the journal that would put its files back. The next process
        // takes care of what cannot be written or removed now.
        let head = match &journal.head {
            Head::Advance { branch } | Head::Beside { branch } => {
                self.repository.common_dir().join("refs/heads").join(branch)
            }
            Head::Switch { .. } => journal.git_dir().join("HEAD"),
        };
        if files::sync_file(&head).is_err() {
            return;
        }
        journal.unlock_index();
        let _ = fs::remove_file(self.path(journal::FILE));
        self.sweep(journal);
    }

    /// Removes what is useless without a journal.
    fn sweep(&self, journal: &Journal) {
        for name in ["index", "index.lock", "index.before", "index.token"] {
            let _ = fs::remove_file(self.path(name));
        }
        let staging = journal.staging();
        let _ = files::remove_folder(&staging);
        if staging.starts_with(journal.checkout()) {
            // Only where they are empty, and so were ours.
            files::prune(&staging, &journal.checkout());
        }
    }

    fn call(&self, folder: &Path, args: &[&str]) -> Call {
        self.repository.git.call(folder, args)
    }

    /// Makes a call use the new index.
    fn indexed(&self, call: Call) -> Call {
        // A split index would leave its shared half in the repository.
        call.setting("core.splitIndex=false").env("GIT_INDEX_FILE", self.path("index"))
    }

    fn read(&self) -> Result<Option<Journal>, GitError> {
        Journal::read(&self.path(journal::FILE), self)
    }

    fn write(&self, journal: &Journal) -> Result<(), GitError> {
        journal.write(&self.path(journal::FILE))
    }
}

#[cfg(test)]
mod tests;
