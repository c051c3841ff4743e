//! The files of a move: put in place, put back, or left alone because somebody has changed them.
//!
//! A file's stamp shows whose it is: what was there when the move began, or what git had prepared. Nothing is compared
//! by content, so no filter has to run again, and nothing is ever written in place.

use super::MoveError;
use super::journal::Journal;
use super::plan::{Plan, Step};
use super::stamp::Stamp;
use crate::git::error::GitError;
use crate::git::files::{Files, is_absent};
use redraft_engine::boundary::Boundaries;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// As it was before, or nothing where nothing was.
    Old,
    /// As we put it there.
    New,
    /// Nothing, where something was or shall be.
    Nothing,
    /// Somebody's work.
    Other,
}

impl Step {
    fn found(&self, now: Option<Stamp>) -> Found {
        let like =
            |stamp: Option<Stamp>| matches!((now, stamp), (Some(now), Some(stamp)) if now.is_like(stamp));
        match (now, like(self.old), like(self.new)) {
            (None, ..) if self.old.is_none() => Found::Old,
            (None, ..) => Found::Nothing,
            (Some(now), true, true) if self.new.is_some_and(|new| new.has_same_inode(now)) => Found::New,
            (_, true, _) => Found::Old,
            (_, _, true) => Found::New,
            _ => Found::Other,
        }
    }
}

/// Puts all files in place. First what goes, because a file may come where a folder was.
pub(super) fn apply(journal: &Journal, boundaries: &Boundaries) -> Result<(), MoveError> {
    let Some(plan) = &journal.plan else { return Ok(()) };
    let place = Place::new(journal);
    for step in plan.steps.iter().filter(|step| step.new.is_none()) {
        place.take(step)?;
    }
    for folder in plan.submodules() {
        // One that is checked out stays, as git leaves it.
        let _ = fs::remove_dir(place.checkout.join(folder));
    }
    boundaries.pass("what goes is taken away");
    for step in plan.steps.iter().filter(|step| step.new.is_some()) {
        place.put(step)?;
    }
    place.make_submodules(plan, &journal.staged());
    Ok(())
}

/// Puts back all files that are as we put them; returns the paths of those that are not.
pub(super) fn put_back(journal: &Journal) -> Result<Vec<PathBuf>, GitError> {
    let Some(plan) = &journal.plan else { return Ok(Vec::new()) };
    let place = Place::new(journal);
    let mut left = Vec::new();
    for folder in plan.submodules() {
        let _ = fs::remove_dir(place.checkout.join(folder));
    }
    // What came goes first, because a folder may come back where a file is.
    for step in plan.steps.iter().filter(|step| step.old.is_none()) {
        place.undo(step, &mut left)?;
        // The folders for it may have been made, and nothing put there yet.
        if place.files.link_on_the_way(&step.path()).is_none() {
            prune(&place.checkout.join(step.path()), &place.checkout);
        }
    }
    for step in plan.steps.iter().filter(|step| step.old.is_some()) {
        place.undo(step, &mut left)?;
    }
    Ok(left)
}

/// Completes what is not in place yet; returns the paths of files that are neither old nor new.
pub(super) fn complete(journal: &Journal) -> Result<Vec<PathBuf>, GitError> {
    let Some(plan) = &journal.plan else { return Ok(Vec::new()) };
    let place = Place::new(journal);
    let mut left = Vec::new();
    let gone_first = plan.steps.iter().filter(|step| step.new.is_none());
    for step in gone_first.chain(plan.steps.iter().filter(|step| step.new.is_some())) {
        place.redo(step, &mut left)?;
    }
    place.make_submodules(plan, &journal.staged());
    Ok(left)
}

/// The three folders between which files are renamed.
struct Place {
    checkout: PathBuf,
    staged: PathBuf,
    saved: PathBuf,
    files: Files,
}

impl Place {
    fn new(journal: &Journal) -> Place {
        let checkout = journal.checkout();
        let files = Files::new(checkout.clone(), journal.staging());
        Place { checkout, staged: journal.staged(), saved: journal.saved(), files }
    }

    /// Takes away what must still be as it was when the move was planned.
    fn take(&self, step: &Step) -> Result<(), MoveError> {
        let at = self.checkout.join(step.path());
        self.unchanged(step, &at)?;
        let saved = self.room_in(&self.saved, step)?;
        fs::rename(&at, &saved).map_err(|error| GitError::file(&at, &error))?;
        prune(&at, &self.checkout);
        Ok(())
    }

    /// Puts a file in place, and keeps what it replaces.
    fn put(&self, step: &Step) -> Result<(), MoveError> {
        let (staged, at) = (self.staged.join(step.path()), self.checkout.join(step.path()));
        let failed = |error: io::Error| GitError::file(&at, &error);
        if let Some(link) = self.files.link_on_the_way(&step.path()) {
            return Err(MoveError::InTheWay(format!("{} is a link", link.display())));
        }
        if step.old.is_some() {
            self.unchanged(step, &at)?;
            let saved = self.room_in(&self.saved, step)?;
            // A second name for it, so that the place is never empty; where there are no hard links, it is empty for a
            // moment.
            fs::hard_link(&at, &saved).or_else(|_| fs::rename(&at, &saved)).map_err(failed)?;
            return Ok(fs::rename(&staged, &at).map_err(failed)?);
        }
        self.room_in(&self.checkout, step)?;
        match fs::hard_link(&staged, &at) {
            Ok(()) => Ok(fs::remove_file(&staged).map_err(failed)?),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(in_the_way(step)),
            Err(_) if Stamp::read(&at).map_err(failed)?.is_some() => Err(in_the_way(step)),
            Err(_) => Ok(fs::rename(&staged, &at).map_err(failed)?),
        }
    }

    fn unchanged(&self, step: &Step, at: &Path) -> Result<(), MoveError> {
        match Stamp::read(at).map_err(|error| GitError::file(at, &error))? {
            now if now == step.old => Ok(()),
            _ => Err(MoveError::InTheWay(format!("{} was changed just now", step.path().display()))),
        }
    }

    fn undo(&self, step: &Step, left: &mut Vec<PathBuf>) -> Result<(), GitError> {
        let (at, saved) = (self.checkout.join(step.path()), self.saved.join(step.path()));
        let failed = |error: io::Error| GitError::file(&at, &error);
        if self.files.link_on_the_way(&step.path()).is_some() {
            // What is behind a link was not put there by us.
            left.extend(step.old.is_some().then(|| step.path()));
            return Ok(());
        }
        match (step.found(Stamp::read(&at).map_err(failed)?), step.old) {
            (Found::Old, _) => {}
            (Found::Other, _) => left.push(step.path()),
            (Found::New | Found::Nothing, Some(_)) => {
                if Stamp::read(&saved).map_err(failed)?.is_none() {
                    left.push(step.path());
                    return Ok(());
                }
                self.room_in(&self.checkout, step)?;
                fs::rename(&saved, &at).map_err(failed)?;
            }
            (Found::New | Found::Nothing, None) => {
                fs::remove_file(&at).map_err(failed)?;
                prune(&at, &self.checkout);
            }
        }
        Ok(())
    }

    fn redo(&self, step: &Step, left: &mut Vec<PathBuf>) -> Result<(), GitError> {
        let (at, staged) = (self.checkout.join(step.path()), self.staged.join(step.path()));
        let failed = |error: io::Error| GitError::file(&at, &error);
        if self.files.link_on_the_way(&step.path()).is_some() {
            left.extend(step.new.is_some().then(|| step.path()));
            return Ok(());
        }
        match (step.found(Stamp::read(&at).map_err(failed)?), step.new) {
            (Found::New, _) | (Found::Nothing, None) => {}
            (Found::Other, _) => left.push(step.path()),
            (Found::Old | Found::Nothing, Some(_)) => {
                if Stamp::read(&staged).map_err(failed)?.is_none() {
                    left.push(step.path());
                    return Ok(());
                }
                self.room_in(&self.checkout, step)?;
                fs::rename(&staged, &at).map_err(failed)?;
            }
            (Found::Old, None) => {
                fs::remove_file(&at).map_err(failed)?;
                prune(&at, &self.checkout);
            }
        }
        Ok(())
    }

    /// The place of a file below a folder, with the folders above it.
    fn room_in(&self, folder: &Path, step: &Step) -> Result<PathBuf, GitError> {
        let at = folder.join(step.path());
        let above = at.parent().unwrap_or(folder);
        fs::create_dir_all(above).map_err(|error| GitError::file(above, &error))?;
        Ok(at)
    }

    fn make_submodules(&self, plan: &Plan, staged: &Path) {
        for folder in plan.submodules().filter(|folder| staged.join(folder).is_dir()) {
            // Git makes the same empty folder, and needs it for nothing.
            let _ = fs::create_dir_all(self.checkout.join(folder));
        }
    }
}

fn in_the_way(step: &Step) -> MoveError {
    MoveError::InTheWay(format!("git does not know {}", step.path().display()))
}

/// Removes the folders above a path that are empty, up to a root.
pub(super) fn prune(path: &Path, root: &Path) {
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != root && folder.starts_with(root)) {
        match fs::remove_dir(folder) {
            Err(error) if !is_absent(&error) => return,
            _ => {}
        }
    }
}

pub(super) fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if !is_absent(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Which disk a folder is on.
pub(super) fn device(folder: &Path) -> io::Result<u64> {
    Ok(fs::metadata(folder)?.dev())
}

/// More files than this are not written to disk one by one, but with everything else that waits for the disk.
const ONE_BY_ONE_MAX: usize = 500;

/// Returns when what git has prepared is on disk.
pub(super) fn sync_staged(journal: &Journal, plan: &Plan) -> Result<(), GitError> {
    let staged = journal.staged();
    let files = plan.steps.iter().filter(|step| step.new.is_some()).map(|step| staged.join(step.path()));
    // A link has no content of its own.
    sync(&staged, files.filter(|file| !file.is_symlink()).collect())
}

/// Returns when the files of a checkout are on disk in their places.
pub(super) fn sync_places(journal: &Journal) -> Result<(), GitError> {
    let checkout = journal.checkout();
    let mut folders = BTreeSet::from([checkout.clone()]);
    for step in journal.plan.iter().flat_map(|plan| &plan.steps) {
        let at = checkout.join(step.path());
        // The nearest folder above that is there: others may have gone with their last file.
        folders.extend(at.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_owned));
    }
    sync(&checkout, folders)
}

/// Returns when one file is on disk, with its name.
pub(super) fn sync_file(path: &Path) -> Result<(), GitError> {
    sync(path, [path.to_owned()].into_iter().chain(path.parent().map(Path::to_owned)).collect())
}

fn sync(around: &Path, paths: BTreeSet<PathBuf>) -> Result<(), GitError> {
    #[cfg(target_os = "linux")]
    if paths.len() > ONE_BY_ONE_MAX {
        let all = || -> io::Result<()> { Ok(rustix::fs::syncfs(fs::File::open(around)?)?) };
        return all().map_err(|error| GitError::file(around, &error));
    }
    let sync = |path: &Path| fs::File::open(path)?.sync_all();
    for path in paths {
        match sync(&path) {
            Err(error) if !is_absent(&error) => return Err(GitError::file(&path, &error)),
            _ => {}
        }
    }
    Ok(())
}
