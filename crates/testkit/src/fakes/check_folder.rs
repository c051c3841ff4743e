//! The folder that checks run in, of the fake repository.

use super::check_place::{CheckPlace, FOLDER};
use super::repository::{FakeRepository, State};
use super::tree::{Tree, differing};
use redraft_engine::ports::{CheckFolder, CheckedOut, SetUp, WorkspaceError};
use redraft_facts::ids::{BlobId, Revision};
use redraft_facts::text::hash;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Where the checks of the feature run.
#[derive(Debug)]
pub struct FakeCheckFolder {
    repository: Arc<FakeRepository>,
    setup: Option<String>,
}

impl FakeCheckFolder {
    pub fn new(repository: &Arc<FakeRepository>, setup: Option<String>) -> FakeCheckFolder {
        FakeCheckFolder { repository: Arc::clone(repository), setup }
    }

    fn with_place<T>(&self, ask: impl FnOnce(&mut CheckPlace) -> T) -> Option<T> {
        self.repository.state().check.as_mut().map(ask)
    }
}

impl CheckFolder for FakeCheckFolder {
    fn prepared(&self) -> Result<BlobId, WorkspaceError> {
        Ok(hash(self.setup.clone().unwrap_or_default().as_bytes()))
    }

    fn check_out(&self, commit: &str, empty: bool) -> Result<CheckedOut, WorkspaceError> {
        let prepared = self.prepared()?.to_string();
        let mut state = self.repository.asked("lay_out")?;
        let tree = files_of(&state, commit)?;
        let known = state.check.take().filter(|known| !empty && known.prepared == prepared);
        let emptied = known.is_none();
        let mut place = known.unwrap_or_default();
        let former: Vec<String> =
            place.commit.keys().filter(|path| !tree.contains_key(*path)).cloned().collect();
        place.files.retain(|path, _| !former.contains(path));
        place.commit.clone_from(&tree);
        place.put_back();
        let (others, made) = (place.others(), place.made.clone());
        place.files.retain(|path, _| !others.contains(path) || made.contains(path));
        place.prepared = prepared;
        let set_up = match &place.set_up {
            None => SetUp::Not,
            Some(then) if *then == tree => SetUp::ForThis,
            Some(_) => SetUp::ForAnother,
        };
        state.check = Some(place);
        drop(state);
        self.repository.crash.changed("the check folder is checked out");
        Ok(CheckedOut { folder: PathBuf::from(FOLDER), emptied, set_up, notes: Vec::new() })
    }

    fn set_up(&self) -> Result<Vec<String>, WorkspaceError> {
        drop(self.repository.asked("set_up")?);
        let done = self.with_place(|place| {
            let changed = place.put_back();
            place.set_up = Some(place.commit.clone());
            place.made = place.others();
            changed
        });
        self.repository.crash.changed("the check folder is set up");
        Ok(done.unwrap_or_default())
    }

    fn changed(&self) -> Result<Vec<String>, WorkspaceError> {
        drop(self.repository.asked("changed_by_check")?);
        let changed = self.with_place(|place| {
            let mut tracked = place.files.clone();
            tracked.retain(|path, _| place.commit.contains_key(path));
            let mut changed: BTreeSet<String> = differing(&tracked, &place.commit).into_iter().collect();
            changed.extend(place.others().difference(&place.made).cloned());
            changed.into_iter().collect()
        });
        Ok(changed.unwrap_or_default())
    }

    fn put_away(&self) -> Result<(), WorkspaceError> {
        self.repository.asked("put_away")?.check = None;
        self.repository.crash.changed("the check folder is put away");
        Ok(())
    }

    fn copy(&self, name: &str) -> Box<dyn CheckFolder + '_> {
        Box::new(FakeCheckCopy { of: self, folder: PathBuf::from(format!("{FOLDER}.{name}")) })
    }

    fn put_copies_away(&self, beginning: &str) -> Result<(), WorkspaceError> {
        let beginning = format!("{FOLDER}.{beginning}");
        let mut state = self.repository.asked("put_copies_away")?;
        state.apart.retain(|folder, _| !folder.to_string_lossy().starts_with(&beginning));
        Ok(())
    }
}

/// A folder for one use. Nobody asks it twice, so it remembers nothing but its files.
struct FakeCheckCopy<'a> {
    of: &'a FakeCheckFolder,
    folder: PathBuf,
}

impl CheckFolder for FakeCheckCopy<'_> {
    fn prepared(&self) -> Result<BlobId, WorkspaceError> {
        self.of.prepared()
    }

    fn check_out(&self, commit: &str, _empty: bool) -> Result<CheckedOut, WorkspaceError> {
        let mut state = self.of.repository.asked("check_out_copy")?;
        let tree = files_of(&state, commit)?;
        state.apart.insert(self.folder.clone(), tree);
        drop(state);
        self.of.repository.crash.changed("a copy is checked out");
        Ok(CheckedOut { folder: self.folder.clone(), emptied: true, set_up: SetUp::Not, notes: Vec::new() })
    }

    fn set_up(&self) -> Result<Vec<String>, WorkspaceError> {
        Ok(Vec::new())
    }

    fn changed(&self) -> Result<Vec<String>, WorkspaceError> {
        Ok(Vec::new())
    }

    fn put_away(&self) -> Result<(), WorkspaceError> {
        self.of.repository.asked("put_copy_away")?.apart.remove(&self.folder);
        self.of.repository.crash.changed("a copy is put away");
        Ok(())
    }

    fn copy(&self, name: &str) -> Box<dyn CheckFolder + '_> {
        self.of.copy(name)
    }

    fn put_copies_away(&self, beginning: &str) -> Result<(), WorkspaceError> {
        self.of.put_copies_away(beginning)
    }
}

fn files_of(state: &State, commit: &str) -> Result<Tree, WorkspaceError> {
    let lost = || WorkspaceError::AnchorLost(Revision::new(commit));
    state.files_at(commit).cloned().ok_or_else(lost)
}
