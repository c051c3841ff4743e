//! The latest history in a repository of its own, for a command that may not reach the real one.

use super::error::GitError;
use super::repository::Repository;
use std::path::Path;

/// Enough to find the last tag by, and little to copy.
const DEPTH: &str = "--depth=500";
/// The commit of a check is on no branch.
const SERVER: &str = "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack";

impl Repository {
    /// Makes a repository whose HEAD is the commit that is checked out in `folder`, with the tags that lead to it. It
    /// has no remote, no hook, and no configuration but git's own.
    pub fn copy_history(&self, folder: &Path, to: &Path) -> Result<(), GitError> {
        let commit = self.git.call(folder, ["rev-parse", "--verify", "HEAD^{commit}"]).text()?;
        self.git.call(folder, ["init", "--quiet", "--bare", "--template="]).arg(to).succeed()?;
        let inside = |words: &[&str]| self.git.call(to, words.iter().copied()).env("GIT_DIR", to);
        let fetch = inside(&["fetch", "--quiet", "--no-write-fetch-head", DEPTH, SERVER]);
        // Only this repository is asked, and nothing of a server.
        let fetch = fetch.env("GIT_ALLOW_PROTOCOL", "file");
        fetch.arg(self.common_dir()).arg(format!("{commit}:refs/heads/checked")).succeed()?;
        for words in [
            ["symbolic-ref", "HEAD", "refs/heads/checked"].as_slice(),
            &["config", "core.bare", "false"],
            &["read-tree", "HEAD"],
        ] {
            inside(words).succeed()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::git::tests::repositories::TestRepository;

    #[test]
    fn a_copy_has_commits_and_tags_and_nothing_that_leads_back() {
        let bed = TestRepository::new();
        let repository = bed.repository();
        let raw = |words: &[&str]| bed.raw(&bed.root, words);
        raw(&["tag", "v1"]);
        raw(&["commit", "-q", "--allow-empty", "-m", "later"]);
        raw(&["checkout", "-q", "--detach"]);
        raw(&["commit", "-q", "--allow-empty", "-m", "on no branch"]);
        raw(&["remote", "add", "origin", "https://user:word@example.com/x"]);
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("git");
        repository.copy_history(repository.main_checkout(), &copy).unwrap();
        let said = raw(&["--git-dir", copy.to_str().unwrap(), "describe", "--tags"]);
        assert!(said.starts_with("v1-2-g"), "{said}");
        let config = std::fs::read_to_string(copy.join("config")).unwrap();
        assert!(!config.contains("remote") && !config.contains("word"), "{config}");
        assert!(!copy.join("hooks").exists() && !copy.join("FETCH_HEAD").exists());
    }
}
