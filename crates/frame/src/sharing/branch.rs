//! The branch of a feature that other clones work on, too.

use super::Sharing;
use crate::errors::{CliError, ErrorCode};
use redraft_adapters::git::Repository;
use redraft_facts::event::FeatureCreated;
use redraft_reports::projections;
use std::path::Path;

impl Sharing<'_> {
    /// Brings the local branch to where the last driver left it. What is only here stays: work that this clone has
    /// published is ahead, and anything else is kept and told.
    pub(super) fn bring_branch(&self, created: &FeatureCreated, tip: &str) -> Result<(), CliError> {
        let repository = &self.repo.repository;
        let branch = format!("refs/heads/{}", created.branch);
        let here = repository.call(["rev-parse", "--verify", "--quiet"]).arg(&branch).text().ok();
        let is_part = |one: &str, of: &str| {
            repository.call(["merge-base", "--is-ancestor"]).arg(one).arg(of).text().is_ok()
        };
        let Some(here) = here.filter(|here| !here.is_empty()) else {
            repository.call(["update-ref"]).arg(branch).arg(tip).arg("").text()?;
            return Ok(());
        };
        if is_part(tip, &here) {
            return Ok(());
        }
        let forward = is_part(&here, tip);
        if !forward {
            let kept = format!("refs/redraft/lost/{}-branch-{}", created.id, here.get(..12).unwrap_or(&here));
            repository.call(["update-ref"]).arg(&kept).arg(&here).text()?;
            self.console.say(&format!(
                "{} had commits of this clone that nobody else has; they are kept: git log {kept}",
                created.branch
            ));
        }
        match repository.checked_out(&created.branch)? {
            // That checkout is the person's.
            Some(_) if created.in_place => Err(CliError::new(
                ErrorCode::Config,
                format!("your checkout is on {}, where another clone went on", created.branch),
            )
            .hint(format!("bring it there: git merge --ff-only {tip}, then run the same command again"))),
            Some(folder) => move_checkout(&folder, tip, created),
            None => Ok(repository.call(["update-ref"]).arg(branch).arg(tip).arg(here).text().map(drop)?),
        }
    }
}

/// Moves a checkout with its branch. Changes that no commit holds stay, or nothing is moved. The records of the feature
/// are left out of that: they are written again from the events.
fn move_checkout(folder: &Path, tip: &str, created: &FeatureCreated) -> Result<(), CliError> {
    let checkout = Repository::discover(folder)?;
    for name in projections::FILES {
        let path = format!("{}/{name}", created.folder());
        if checkout.call(["checkout", "--quiet", "HEAD", "--"]).arg(&path).text().is_err() {
            // It is in no commit.
            let _ = std::fs::remove_file(folder.join(&path));
        }
    }
    checkout.call(["reset", "--quiet", "--keep"]).arg(tip).text().map(drop).map_err(|error| {
        let message = format!(
            "{} cannot be moved to the other clone's state of {}: {}",
            folder.display(),
            created.branch,
            redraft_facts::text::one_line(error.stderr(), 200)
        );
        CliError::new(ErrorCode::Config, message)
            .hint("files there have changes that no commit holds: commit or remove them, then run the same command again")
    })
}
