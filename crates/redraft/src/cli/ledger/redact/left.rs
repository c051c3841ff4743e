//! The places where the secret is and stays.

use super::names::told_name;
use super::{Found, Job};
use redraft_adapters::sqlite::Ledger;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::sharing::Notes;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A place that is not ours to change; none for what this clone has published, which it publishes anew.
fn elsewhere(name: &str, own: &str) -> Option<String> {
    let published = ["refs/redraft/1/", "refs/redraft-remote/"];
    if !published.iter().any(|folder| name.starts_with(folder)) {
        return Some(format!("{name}, which redraft does not rewrite"));
    }
    let clone = name.rsplit('/').next().and_then(|last| last.split('.').next()).unwrap_or_default();
    (clone != own).then(|| format!("what clone {clone} has published ({name}); take it out there"))
}

pub(super) fn told_left(left: &[String]) -> String {
    left.iter().map(|place| format!("\nit is still in {place}")).collect()
}

/// Copies of the ledger that others made or that an import or a rescue left.
fn copies(state: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(state).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut found: Vec<PathBuf> = entries.unwrap_or_default();
    let ours = Ledger::file(state);
    found.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("ledger.") && name.ends_with(".db") && *path != ours
    });
    found
}

/// Folders in which agents keep conversations of their own; nothing there is read or changed.
pub(super) fn agents_homes(process: &ProcessContext) -> Vec<String> {
    let home = process.environment.0.get(OsStr::new("HOME")).map(PathBuf::from).unwrap_or_default();
    let folders = [".claude", ".codex"].map(|name| home.join(name));
    let told = folders.iter().filter(|folder| folder.is_dir()).map(|folder| {
        format!("{} may hold it as well: an agent stores its conversations there", folder.display())
    });
    told.collect()
}

impl Job<'_> {
    /// The places where the secret is and stays.
    pub(super) fn left(&self, found: &Found, pruned: Vec<String>) -> Vec<String> {
        let own = Notes::read(&self.repo.state).map(|notes| notes.id().to_string()).unwrap_or_default();
        let mut left: Vec<String> =
            found.survey.elsewhere.iter().filter_map(|name| elsewhere(name, &own)).collect();
        left.extend(self.named.iter().map(told_name));
        if found.survey.in_names {
            left.push("the name of a file in git's history".to_owned());
        }
        left.extend(self.repo.repository.settings_holding(self.removal));
        left.extend(found.ignored.iter().map(|file| format!("{file}, which git ignores")));
        left.extend(
            copies(&self.repo.state)
                .into_iter()
                .map(|path| format!("{}, perhaps: a copy of the ledger", path.display())),
        );
        left.extend(pruned);
        left
    }
}
