//! Clones of one repository in which features are shared.

use crate::world::PROGRAM;
use redraft_facts::event::Entry;
use redraft_testkit::{Ran, Scratch};
use std::path::{Path, PathBuf};

/// A bare repository, and a clone of it with a feature that is shared.
pub(crate) struct Team {
    folder: tempfile::TempDir,
    pub(crate) ann: Scratch,
}

impl Team {
    /// With what `redraft new` is told.
    pub(crate) fn new(new: &[&str]) -> Team {
        let folder = tempfile::tempdir().unwrap();
        let ann = Scratch::repository(PROGRAM);
        let team = Team { folder, ann };
        publish(&team.ann, &team.remote());
        team.ann.run([&["new"], new].concat()).expect(0);
        team
    }

    pub(crate) fn remote(&self) -> PathBuf {
        self.folder.path().join("remote.git")
    }

    /// A clone in which somebody else works, who has accepted that features are shared.
    pub(crate) fn another(&self) -> Scratch {
        clone_of(&self.remote(), "Bob")
    }
}

/// Makes a bare repository from one, with a configuration that shares features and that is accepted here.
pub(crate) fn publish(scratch: &Scratch, remote: &Path) {
    scratch.git(["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()]);
    scratch.git(["remote", "add", "origin", remote.to_str().unwrap()]);
    scratch.write_unaccepted("redraft.toml", "[share]\nremote = \"origin\"\n");
    scratch.git(["add", "redraft.toml"]);
    scratch.git(["commit", "-q", "-m", "share"]);
    scratch.git(["push", "-q", "origin", "main"]);
    scratch.accept();
}

/// A clone on another machine, where the configuration is accepted.
pub(crate) fn clone_of(remote: &Path, name: &str) -> Scratch {
    let scratch = Scratch::empty(PROGRAM);
    scratch.git(["init", "-q", "-b", "main"]);
    scratch.git(["config", "user.name", name]);
    scratch.git(["config", "user.email", "somebody@example.invalid"]);
    scratch.git(["remote", "add", "origin", remote.to_str().unwrap()]);
    scratch.git(["fetch", "-q", "origin"]);
    scratch.git(["checkout", "-q", "-t", "origin/main"]);
    scratch.accept();
    scratch
}

pub(crate) fn said(ran: &Ran) -> String {
    format!("{}{}", ran.stdout, ran.stderr)
}

pub(crate) fn kinds(entries: &[Entry]) -> Vec<&'static str> {
    entries.iter().map(|entry| entry.event.kind()).collect()
}
