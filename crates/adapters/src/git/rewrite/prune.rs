//! Removes objects that hold the secret and that nothing leads to any more.
//!
//! Of what nothing leads to, only these are touched: objects that were rewritten, files and folders. A commit that
//! nothing leads to and that was not rewritten may be somebody's dropped work: it stays, with all it leads to, and is
//! named.

use super::Rewritten;
use super::objects::{each, entries, first_words, reachable};
use crate::git::error::GitError;
use crate::git::repository::Repository;
use redraft_facts::removal::Removal;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::{fs, io};

/// What was removed, and what could not be.
#[derive(Debug, Default)]
pub struct Pruned {
    pub removed: usize,
    /// Objects that hold the secret still, with the reason.
    pub left: Vec<String>,
}

/// At most this many objects that stay are named one by one.
const NAMED_MAX: usize = 20;

impl Repository {
    /// Removes what holds the secret, after refs and ledger name what took its place. `old` are objects that an
    /// interrupted attempt had rewritten.
    pub fn prune(
        &self,
        removal: &Removal,
        done: &Rewritten,
        old: &BTreeSet<String>,
    ) -> Result<Pruned, GitError> {
        let kept = self.call(["rev-list", "--objects", "--all", "--reflog", "--indexed-objects"]);
        let kept = first_words(&kept.arg("--missing=allow-any").succeed()?.stdout);
        let loose_ends = LooseEnds::find(self, removal, &kept)?;
        let (doomed, left) = loose_ends.doomed(self, done, old)?;
        let mut pruned = Pruned { removed: 0, left };
        let packed: Vec<&String> = doomed.iter().filter(|id| !self.loose(id).is_file()).collect();
        if !packed.is_empty() {
            // What nothing leads to becomes loose, and is otherwise kept.
            self.call(["repack", "-A", "-d", "-q"]).succeed()?;
        }
        for id in &doomed {
            match fs::remove_file(self.loose(id)) {
                Ok(()) => pruned.removed += 1,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    pruned.left.push(format!("object {id}, in a pack that is kept or in another repository"));
                }
                Err(error) => return Err(GitError::file(&self.loose(id), &error)),
            }
        }
        pruned.left.truncate(NAMED_MAX);
        Ok(pruned)
    }

    fn loose(&self, id: &str) -> PathBuf {
        let (folder, name) = id.split_at_checked(2).unwrap_or((id, ""));
        self.common_dir().join("objects").join(folder).join(name)
    }
}

/// What nothing leads to.
#[derive(Default)]
struct LooseEnds {
    /// Kind, whether it holds the secret, and what it leads to.
    found: BTreeMap<String, (String, bool, Vec<String>)>,
}

impl LooseEnds {
    fn find(
        repository: &Repository,
        removal: &Removal,
        kept: &BTreeSet<String>,
    ) -> Result<LooseEnds, GitError> {
        let mut ends = LooseEnds::default();
        each(repository, &mut |id, kind, bytes| {
            if kept.contains(id) {
                return;
            }
            let holds = kind != "tree" && removal.is_in(bytes);
            let leads_to = match kind {
                "tree" => entries(bytes, id.len() / 2),
                "commit" => {
                    let text = String::from_utf8_lossy(bytes);
                    text.lines()
                        .next()
                        .and_then(|line| line.strip_prefix("tree "))
                        .map(str::to_owned)
                        .into_iter()
                        .collect()
                }
                _ => Vec::new(),
            };
            ends.found.insert(id.to_owned(), (kind.to_owned(), holds, leads_to));
        })?;
        Ok(ends)
    }

    /// What is to be removed, and what holds the secret and stays.
    fn doomed(
        &self,
        repository: &Repository,
        done: &Rewritten,
        old: &BTreeSet<String>,
    ) -> Result<(BTreeSet<String>, Vec<String>), GitError> {
        let is_ours = |id: &String| done.renamed.0.contains_key(id) || old.contains(id);
        let foreign: Vec<String> = self
            .found
            .iter()
            .filter(|(id, (kind, ..))| matches!(kind.as_str(), "commit" | "tag") && !is_ours(id))
            .map(|(id, _)| id.clone())
            .collect();
        let protected = reachable(repository, &foreign)?;
        let mut doomed: BTreeSet<String> = self
            .found
            .iter()
            .filter(|(id, (_, holds, _))| *holds || is_ours(id))
            .map(|(id, _)| id.clone())
            .collect();
        // Folders that lead to what is removed would be left with a hole in them.
        loop {
            let more: Vec<String> = self
                .found
                .iter()
                .filter(|(id, (_, _, leads_to))| {
                    !doomed.contains(*id) && leads_to.iter().any(|id| doomed.contains(id))
                })
                .map(|(id, _)| id.clone())
                .collect();
            if more.is_empty() {
                break;
            }
            doomed.extend(more);
        }
        let holds = |id: &String| self.found.get(id).is_some_and(|(_, holds, _)| *holds);
        let left = doomed.intersection(&protected).filter(|id| holds(id));
        let left =
            left.map(|id| format!("object {id}, to which a dropped commit of somebody leads")).collect();
        doomed.retain(|id| !protected.contains(id));
        Ok((doomed, left))
    }
}
