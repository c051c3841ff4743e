//! Hooks that a person's commits would run and ours do not.

use super::repository::Repository;
use std::path::PathBuf;

/// The hooks that git runs for a commit, in its order.
const OF_COMMITS: [&str; 3] = ["pre-commit", "prepare-commit-msg", "commit-msg"];

impl Repository {
    /// The first hook that a commit would run here, by name. In doubt there is none.
    pub fn commit_hook(&self) -> Option<&'static str> {
        // Only what the repository's own file says: our calls set this key themselves.
        let named = self.call(["config", "--local", "--get", "core.hooksPath"]).text().ok();
        let folder = match named.filter(|path| !path.is_empty()) {
            Some(path) => self.main_checkout().join(PathBuf::from(path)),
            None => self.common_dir().join("hooks"),
        };
        OF_COMMITS.into_iter().find(|name| folder.join(name).is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::repositories::TestRepository;

    #[test]
    fn a_hook_of_a_commit_is_found_where_git_looks_for_it() {
        let bed = TestRepository::new();
        let repository = bed.repository();
        bed.write(".git/hooks/pre-commit.sample", "exit 1");
        bed.write(".git/hooks/pre-push", "exit 1");
        assert_eq!(repository.commit_hook(), None);
        bed.write(".git/hooks/commit-msg", "exit 1");
        assert_eq!(repository.commit_hook(), Some("commit-msg"));
        bed.raw(&bed.root, &["config", "core.hooksPath", ".husky"]);
        assert_eq!(repository.commit_hook(), None);
        bed.write(".husky/pre-commit", "exit 1");
        assert_eq!(repository.commit_hook(), Some("pre-commit"));
    }
}
