//! Finds out whose the state folder is: Redraft's own folder in a repository, which an archive or a copy can bring
//! along.
//!
//! When Redraft makes the folder, it draws a random number, the seal, and keeps it in two places: in the folder and
//! with the user. A folder whose seal the user's file does not have for this repository was made by somebody else, or
//! somewhere else. What it holds (a ledger, locks, what an interrupted command was about to do) is then used only after
//! a person has accepted it. Which agents a person agreed to pay is kept here as well: in the ledger anybody could have
//! written it.

use super::{RepositoryPlace, Trust, TrustError};
use crate::barrier::sync_folder;
use crate::plain_file;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use uuid::Uuid;

/// Its file in the state folder.
const SEAL: &str = "seal";

/// A seal has 32 letters and a line break.
const SEAL_BYTES_MAX: u64 = 64;

/// Folders of ours are not deeper.
const DEPTH_MAX: u32 = 4;

/// How many agreements to pay are kept of one repository. What was agreed to long before that is asked about again.
const PAID_MAX: usize = 1000;

impl Trust {
    /// Whether the state folder is ours. One that holds nothing yet is made so.
    pub fn owns_state(&self, place: RepositoryPlace<'_>, state: &Path) -> Result<bool, TrustError> {
        if self.knows_state(place, state)? {
            return Ok(true);
        }
        if !is_blank(state) {
            return Ok(false);
        }
        let _held = self.hold()?;
        // Somebody may have made it between the two looks.
        if self.knows_state(place, state)? || !is_blank(state) {
            return self.knows_state(place, state);
        }
        // Where it cannot be made nothing else can, and the command says so by itself.
        if fs::create_dir(state).is_err() && !state.is_dir() {
            return Ok(true);
        }
        self.seal(place, state, None)?;
        Ok(true)
    }

    /// Records that a person has accepted the state folder as it is.
    pub fn accept_state(&self, place: RepositoryPlace<'_>, state: &Path) -> Result<(), TrustError> {
        let _held = self.hold()?;
        self.seal(place, state, sealed(state))
    }

    /// Whether the state folder was made or accepted here; looking changes nothing.
    pub fn knows_state(&self, place: RepositoryPlace<'_>, state: &Path) -> Result<bool, TrustError> {
        let Some(seal) = sealed(state) else { return Ok(false) };
        let stored = self.read()?;
        Ok(stored.repositories.iter().any(|known| known.is(place) && known.seal.as_ref() == Some(&seal)))
    }

    /// What a state folder is called among all of this user's, whatever it is called by others.
    pub(crate) fn name_of_state(&self, place: RepositoryPlace<'_>, state: &Path) -> String {
        let seal = sealed(state).unwrap_or_default();
        let lines =
            [("git", super::name(place.git)), ("identity", super::identity(place.git)), ("seal", seal)];
        super::hash_of("state", lines.iter().map(|(key, value)| (*key, value.as_str()))).to_string()
    }

    /// Whether there is a state folder that somebody else made.
    pub fn has_foreign_state(&self, place: RepositoryPlace<'_>, state: &Path) -> Result<bool, TrustError> {
        Ok(!is_blank(state) && !self.knows_state(place, state)?)
    }

    /// Whether a person has agreed that each of these agents is paid for a feature or a review.
    pub fn may_pay(
        &self,
        place: RepositoryPlace<'_>,
        scope: &str,
        agents: &[&str],
    ) -> Result<bool, TrustError> {
        let stored = self.read()?;
        let known = stored.repositories.iter().find(|known| known.is(place));
        let agreed = |agent: &&str| known.is_some_and(|known| known.paid.contains(&paid(scope, agent)));
        Ok(agents.iter().all(agreed))
    }

    /// Records that a person has agreed to that.
    pub fn agree_to_pay(
        &self,
        place: RepositoryPlace<'_>,
        scope: &str,
        agents: &[&str],
    ) -> Result<(), TrustError> {
        if self.may_pay(place, scope, agents)? {
            return Ok(());
        }
        self.change(|stored| {
            let known = stored.known(place);
            let new: Vec<String> = agents.iter().map(|agent| paid(scope, agent)).collect();
            known.paid.retain(|old| !new.contains(old));
            known.paid.extend(new);
            let many = known.paid.len().saturating_sub(PAID_MAX);
            known.paid.drain(..many);
        })
    }

    /// Writes the seal to both places, the user's first: after a kill in between, a folder that is still blank is
    /// sealed again, and one that is not is asked about. The caller holds the file.
    fn seal(
        &self,
        place: RepositoryPlace<'_>,
        state: &Path,
        found: Option<String>,
    ) -> Result<(), TrustError> {
        let mut stored = self.read()?;
        let seal = found.clone().unwrap_or_else(|| Uuid::new_v4().simple().to_string());
        let known = stored.known(place);
        if known.seal.as_ref() != Some(&seal) {
            // What was agreed to was about another ledger.
            known.paid.clear();
            known.seal = Some(seal.clone());
        }
        self.write(stored)?;
        if found.is_some() {
            return Ok(());
        }
        let file = state.join(SEAL);
        write(&file, &seal).map_err(|error| TrustError::Seal { file, error })
    }
}

fn paid(scope: &str, agent: &str) -> String {
    format!("{scope} {agent}")
}

/// The seal of a state folder; none where there is none that we have written whole.
fn sealed(state: &Path) -> Option<String> {
    let file = state.join(SEAL);
    // What a link leads to is not in the folder.
    file.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
    let text = plain_file::read_text(&file, SEAL_BYTES_MAX).ok()?;
    let seal = text.strip_suffix('\n')?;
    let is_one = seal.len() == 32 && seal.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| seal.to_owned())
}

/// Whether a state folder says nothing: it is not there, or holds nothing but a seal and empty folders. A file in its
/// place gets in the way when the folder is made, and is reported then.
fn is_blank(state: &Path) -> bool {
    match state.symlink_metadata() {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(found) if !found.is_dir() => found.is_file(),
        Ok(_) => fs::read_dir(state).is_ok_and(|mut entries| {
            entries.all(|entry| {
                entry.is_ok_and(|entry| entry.file_name() == SEAL || has_no_file(&entry.path(), DEPTH_MAX))
            })
        }),
    }
}

/// Whether this is a folder with nothing but such folders in it.
fn has_no_file(folder: &Path, depth: u32) -> bool {
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let inside =
        |entry: io::Result<fs::DirEntry>| entry.is_ok_and(|entry| has_no_file(&entry.path(), depth - 1));
    is_folder && depth > 0 && fs::read_dir(folder).is_ok_and(|mut entries| entries.all(inside))
}

/// Writes the seal to disk, with its folder, before anything else is put there.
fn write(file: &Path, seal: &str) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut written = File::create_new(file)?;
    written.write_all(format!("{seal}\n").as_bytes())?;
    written.sync_all()?;
    for folder in file.ancestors().skip(1).take(2) {
        sync_folder(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
