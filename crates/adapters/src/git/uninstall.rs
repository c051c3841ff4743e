//! Takes the last of Redraft out of a repository: refs, the state folder, the folder of worktrees and the line that hides
//! it. Also finds features without a ledger, by their worktrees and refs.

use super::error::GitError;
use super::leftovers::{Belongings, size};
use super::remove_files::remove_all;
use super::repository::{Repository, worktrees};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

impl Repository {
    /// What features have left, as far as worktrees and refs show it.
    pub fn traces(&self) -> Result<Vec<Belongings>, GitError> {
        let home = self.worktrees_folder();
        let mut folders: BTreeSet<String> = BTreeSet::new();
        for listed in worktrees(self.call([]))? {
            if listed.path.parent() == Some(home.as_path()) {
                folders.extend(listed.path.file_name().map(|name| name.to_string_lossy().into_owned()));
            }
        }
        for entry in fs::read_dir(&home).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let plain = name.strip_prefix("check-").or(name.strip_prefix("removed-"));
            folders.extend(plain.map(str::to_owned));
        }
        let mut scopes: BTreeSet<String> = BTreeSet::new();
        for (name, _) in self.refs_below("refs/redraft")? {
            // `refs/redraft/KIND/SCOPE/…`
            scopes.extend(name.split('/').nth(3).map(str::to_owned));
        }
        let mut found: BTreeMap<String, Belongings> = BTreeMap::new();
        let base =
            self.git.call(self.main_checkout(), ["symbolic-ref", "--quiet", "--short", "HEAD"]).end()?;
        let base = String::from_utf8_lossy(&base.stdout).trim().to_owned();
        let mut add = |folder: &str, branch: String| {
            let scope = match folder.strip_prefix("review-") {
                Some(rest) => format!("review-{}", rest.split('-').next().unwrap_or_default()),
                None => folder.split('-').next().unwrap_or_default().to_owned(),
            };
            let of = Belongings {
                scope,
                folder: folder.to_owned(),
                branch,
                base: base.clone(),
                ..Belongings::default()
            };
            found.entry(folder.to_owned()).or_insert(of);
        };
        for folder in &folders {
            add(folder, branch_of(folder));
        }
        for place in ["refs/heads/feature", "refs/heads/redraft/review"] {
            for (name, _) in self.refs_below(place)? {
                let short = name.trim_start_matches("refs/heads/").to_owned();
                let own = short.rsplit('/').next().unwrap_or_default();
                let folder = if place.ends_with("review") { format!("review-{own}") } else { own.to_owned() };
                let number = own.split('-').next().unwrap_or_default();
                let is_ours = place.ends_with("review") || scopes.contains(number);
                if is_ours && branch_of(&folder) == short {
                    add(&folder, short);
                }
            }
        }
        Ok(found.into_values().collect())
    }

    /// Refs of ours; those that keep what was undone only if they are wanted too.
    pub fn own_refs(&self, lost: bool) -> Result<Vec<(String, String)>, GitError> {
        let mut refs = self.refs_below("refs/redraft")?;
        refs.extend(self.refs_below("refs/redraft-remote")?);
        refs.retain(|(name, _)| lost || !name.starts_with("refs/redraft/lost/"));
        Ok(refs)
    }

    /// How large the state folder is.
    pub fn state_bytes(&self) -> u64 {
        size(&self.state_dir())
    }

    /// Removes the folder of worktrees with the line that hides it, where no worktree is left, and the state folder.
    pub fn remove_own_folders(&self) -> Result<(), GitError> {
        self.refuse_links()?;
        let home = self.worktrees_folder();
        // Folders that are not empty stay, and so does what hides them.
        let _ = fs::remove_dir(&home);
        if !home.exists() {
            let _ = home.parent().map(fs::remove_dir);
            self.show_worktrees()?;
        }
        // The ledger is the last to go: until then the same command can be typed again and knows as much.
        remove_all(&self.state_dir())
    }
}

/// The branch of a feature or a review that is worked on in a folder of this name.
fn branch_of(folder: &str) -> String {
    match folder.strip_prefix("review-") {
        Some(rest) => format!("redraft/review/{rest}"),
        None => format!("feature/{folder}"),
    }
}
