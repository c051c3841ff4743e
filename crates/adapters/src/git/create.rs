//! A new repository with a first commit, for demonstrations.

use super::error::GitError;
use super::repository::Repository;
use super::run::Git;
use std::path::Path;

/// Turns a folder into a repository and commits these files. It gets an identity of its own, so that the demo also
/// works on a machine where git was never set up.
pub fn create_repository(folder: &Path, files: &[&str]) -> Result<Repository, GitError> {
    let git = Git::default();
    git.call(folder, ["init", "--quiet", "--initial-branch=main"]).succeed()?;
    for setting in ["user.name=Redraft Demo", "user.email=demo@redraft.invalid", "commit.gpgsign=false"] {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        git.call(folder, ["config", name, value]).succeed()?;
    }
    git.call(folder, ["add", "--"].iter().chain(files).copied()).succeed()?;
    git.call(folder, ["commit", "--quiet", "-m", "a repository to rehearse in"]).succeed()?;
    Repository::discover(folder)
}

/// Commits everything in a folder under the given name, unsigned.
pub fn commit_all(folder: &Path, name: &str, message: &str) -> Result<(), GitError> {
    let git = Git::default();
    git.call(folder, ["add", "--all"]).succeed()?;
    let mut call = git.call(folder, ["commit", "--quiet", "--allow-empty", "--message", message]);
    for who in ["AUTHOR", "COMMITTER"] {
        call = call.env(&format!("GIT_{who}_NAME"), name);
        call = call.env(&format!("GIT_{who}_EMAIL"), format!("{}@localhost", name.to_lowercase()));
    }
    call.setting("commit.gpgSign=false").succeed().map(drop)
}
