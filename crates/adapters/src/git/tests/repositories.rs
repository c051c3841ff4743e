//! Throw-away repositories for tests, shut off from the configuration of the machine they run on.

use crate::git::{FeaturePlace, Git, GitError, GitWorkspace, Head, Repository};
use redraft_facts::ids::FeatureId;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// A repository in a temporary folder. `raw` is git as a person or an agent would run it.
pub(in crate::git) struct TestRepository {
    /// Keeps the folder as long as this value lives.
    _folder: TempDir,
    pub(in crate::git) git: Git,
    pub(in crate::git) root: PathBuf,
    home: PathBuf,
}

impl TestRepository {
    /// A repository with a user, without commits.
    pub(in crate::git) fn without_commits() -> TestRepository {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let (home, root) = (base.join("home"), base.join("repo"));
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&root).unwrap();
        let mut git = Git::default().with_patience(Duration::ZERO);
        for (name, value) in environment(&home) {
            git = git.with_env(name, value.map(Into::into));
        }
        let bed = TestRepository { _folder: folder, git, root, home };
        bed.config("[user]\nname = Ada\nemail = ada@example.org\n");
        bed.raw(&bed.root, &["init", "-q", "-b", "main"]);
        bed
    }

    /// A repository with one commit on `main`.
    pub(in crate::git) fn new() -> TestRepository {
        let bed = TestRepository::without_commits();
        bed.write("README.md", "readme\n");
        bed.write("src/x.rs", "fn x() {}\n");
        bed.write(".gitignore", "*.log\nbuild/\n");
        bed.raw(&bed.root, &["add", "."]);
        bed.raw(&bed.root, &["commit", "-q", "-m", "first"]);
        bed
    }

    /// Adds lines to the user's configuration.
    pub(in crate::git) fn config(&self, text: &str) {
        let path = self.home.join("config");
        let old = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, old + text).unwrap();
    }

    /// Removes the user's identity.
    pub(in crate::git) fn forget_user(&self) {
        fs::write(self.home.join("config"), "").unwrap();
    }

    pub(in crate::git) fn raw(&self, folder: &Path, args: &[&str]) -> String {
        let (ok, text) = self.try_raw(folder, args);
        assert!(ok, "git {args:?}: {text}");
        text
    }

    /// Whether git succeeded, and what it said.
    #[expect(clippy::disallowed_methods, reason = "looks at the repository from outside")]
    pub(in crate::git) fn try_raw(&self, folder: &Path, args: &[&str]) -> (bool, String) {
        let mut command = Command::new("git");
        command.current_dir(folder).args(args);
        for (name, value) in environment(&self.home) {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let output = command.output().unwrap();
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            text.push_str(&String::from_utf8_lossy(&output.stderr));
        }
        (output.status.success(), text.trim_end().to_owned())
    }

    /// Writes a file of the main checkout.
    pub(in crate::git) fn write(&self, path: &str, text: &str) {
        put(&self.root, path, text);
    }

    pub(in crate::git) fn repository(&self) -> Repository {
        Repository::discover_with(self.git.clone(), &self.root).unwrap()
    }

    /// A feature with its own worktree.
    pub(in crate::git) fn feature(&self) -> GitWorkspace {
        let repository = self.repository();
        let (place, _) = begin(&repository, FeatureId(31), "limits").unwrap();
        GitWorkspace::open(&repository, &place.worktree, &place.branch).unwrap()
    }
}

impl TestRepository {
    /// The feature that [`TestRepository::feature`] made, as another process sees it.
    pub(in crate::git) fn feature_again(&self) -> GitWorkspace {
        let repository = self.repository();
        let place = repository.feature_place(FeatureId(31), "limits").unwrap();
        GitWorkspace::open(&repository, &place.worktree, &place.branch).unwrap()
    }
}

/// A feature from HEAD of the checkout the repository was found from, made the way `redraft new` does.
pub(in crate::git) fn begin(
    repository: &Repository,
    id: FeatureId,
    slug: &str,
) -> Result<(FeaturePlace, Head), GitError> {
    let base = repository.head()?;
    let place = repository.feature_place(id, slug)?;
    repository.ensure_feature(&place.branch, &base.commit, &place.worktree)?;
    Ok((place, base))
}

/// Writes a file below a folder, creating folders as needed.
pub(in crate::git) fn put(root: &Path, path: &str, text: &str) {
    let full = root.join(path);
    fs::create_dir_all(full.parent().unwrap()).unwrap();
    fs::write(full, text).unwrap();
}

pub(in crate::git) fn get(root: &Path, path: &str) -> Option<String> {
    fs::read_to_string(root.join(path)).ok()
}

pub(in crate::git) fn paths(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// What keeps the machine's own configuration out; none where the variable is not set.
fn environment(home: &Path) -> Vec<(&'static str, Option<PathBuf>)> {
    let unset = [
        "EMAIL",
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
        "GIT_CONFIG_COUNT",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_WORK_TREE",
    ];
    let mut variables = vec![
        ("HOME", Some(home.to_owned())),
        ("XDG_CONFIG_HOME", Some(home.to_owned())),
        ("GIT_CONFIG_GLOBAL", Some(home.join("config"))),
        ("GIT_CONFIG_NOSYSTEM", Some(PathBuf::from("1"))),
    ];
    variables.extend(unset.map(|name| (name, None)));
    variables
}
