//! The sandbox that a repository's configuration asks for, on this machine and for this user.

use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_agents::config::{Config, FILE, SandboxConfig};
use redraft_sandbox::{Forbidden, HistoryCopy, ResourceLimits, Sandbox};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Only called where a person has accepted what the configuration wants, or for a look: the paths it names are opened.
pub fn sandbox(repo: &RepositoryContext, config: &Config, process: &ProcessContext) -> Sandbox {
    let SandboxConfig { rule, read, write, network, pass, git } = config.sandbox.clone();
    let variable = |name: &str| process.environment.0.get(OsStr::new(name)).map(PathBuf::from);
    let user_home = variable("HOME").filter(|home| home.is_absolute() && home.parent().is_some());
    let checkout = repo.repository.main_checkout().to_owned();
    let paths = |written: &[String]| -> Vec<PathBuf> {
        written.iter().map(|path| absolute(path, &checkout, user_home.as_deref())).collect()
    };
    let ledger = repo.state.join("ledger.db");
    let forbidden = Forbidden { files: vec![ledger], folders: vec![repo.state.clone()] };
    Sandbox {
        rule,
        read: paths(&read),
        write: paths(&write),
        network,
        pass,
        closed: closed(repo, process),
        forbidden,
        history: git.then(|| history(repo)),
        temp: variable("TMPDIR").filter(|temp| temp.is_dir()).unwrap_or_else(|| PathBuf::from("/tmp")),
        user_home,
        checkout,
        limits: ResourceLimits::default(),
    }
}

fn history(repo: &RepositoryContext) -> HistoryCopy {
    let repository = repo.repository.clone();
    HistoryCopy(Arc::new(move |folder: &Path, to: &Path| {
        let copied = repository.copy_history(folder, to);
        copied.map_err(|error| format!("[sandbox] git = \"copy\": {error}"))
    }))
}

/// What no configuration opens.
fn closed(repo: &RepositoryContext, process: &ProcessContext) -> Vec<PathBuf> {
    let repository = &repo.repository;
    let mut closed = vec![
        repository.common_dir().to_owned(),
        repo.state.clone(),
        repository.worktrees_folder(),
        repository.main_checkout().join(FILE),
    ];
    let own = [process.trust.file(), process.own.file.as_deref()].into_iter().flatten();
    for file in own {
        closed.push(file.to_owned());
        // The whole folder where it is ours, and not, say, `/etc`.
        let folder = file.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "redraft"));
        closed.extend(folder.map(Path::to_owned));
    }
    closed
}

fn absolute(path: &str, checkout: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/").or((path == "~").then_some("")), home) {
        (Some(below), Some(home)) => home.join(below),
        _ => checkout.join(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_configuration_begin_at_the_checkout_or_the_home() {
        let (checkout, home) = (Path::new("/src/app"), Some(Path::new("/home/u")));
        for (written, expected) in
            [("~/.m2", "/home/u/.m2"), (".venv", "/src/app/.venv"), ("/opt/x", "/opt/x"), ("~", "/home/u/")]
        {
            assert_eq!(absolute(written, checkout, home), Path::new(expected), "{written}");
        }
    }
}
