//! Gives tests of other crates real repositories and the real program.
//!
//! Everything happens in a throw-away folder with a throw-away HOME; nothing of the machine's own git
//! configuration is read. Start at [`Scratch`]; models are faked by [`provider::Provider`], the engine's ports by
//! [`fakes`].

#![expect(clippy::disallowed_methods, reason = "tests start the programs they test")]

pub mod fakes;
mod host;
pub mod provider;
mod remembering;

pub use host::Host;
pub use remembering::remembering;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A throw-away folder with a home and, usually, a repository.
pub struct Scratch {
    folder: tempfile::TempDir,
    program: PathBuf,
}

/// What a command left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Scratch {
    /// A folder with no repository in it yet.
    pub fn empty(program: impl AsRef<Path>) -> Scratch {
        let folder = tempfile::Builder::new().prefix("redraft-test-").tempdir().expect("a temporary folder");
        std::fs::create_dir_all(folder.path().join("home")).expect("a home");
        std::fs::create_dir_all(folder.path().join("repo")).expect("a folder for the repository");
        let scratch = Scratch { folder, program: program.as_ref().to_owned() };
        // No agent is used by default, so the user of these tests has named one.
        scratch.configure("colour = \"never\"\n[roles]\ndefault = \"rehearsal\"\n");
        scratch
    }

    /// Where the user's own configuration is.
    pub fn own_config(&self) -> PathBuf {
        self.folder.path().join("home/.config/redraft/config.toml")
    }

    /// Writes the user's own configuration.
    pub fn configure(&self, text: &str) {
        let file = self.own_config();
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("folders");
        std::fs::write(file, text).expect("a file");
    }

    /// A repository with an identity and one commit on `main`.
    pub fn repository(program: impl AsRef<Path>) -> Scratch {
        let scratch = Scratch::empty(program);
        scratch.git(["init", "-q", "-b", "main"]);
        scratch.git(["config", "user.name", "Test Person"]);
        scratch.git(["config", "user.email", "person@example.invalid"]);
        scratch.write("README.md", "# a project\n");
        scratch.git(["add", "README.md"]);
        scratch.git(["commit", "-q", "-m", "first"]);
        scratch
    }

    /// The repository's main checkout.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// The folder around the repository, for files that do not belong to it.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// A folder beside the repository that [`Scratch::opened`] opens.
    pub fn shared(&self) -> PathBuf {
        let folder = self.outside().join("shared");
        std::fs::create_dir_all(&folder).expect("a shared folder");
        folder
    }

    /// A piece of redraft.toml: what runs in the sandbox may use [`Scratch::shared`] as well.
    pub fn opened(&self) -> String {
        format!("[sandbox]\nwrite = [{:?}]\n", self.shared())
    }

    /// Redraft's state in the repository.
    pub fn state(&self) -> PathBuf {
        self.root().join(".git/redraft")
    }

    /// The worktree of the only feature with this number.
    pub fn worktree(&self, number: &str) -> PathBuf {
        only(&self.root().join(".redraft/worktrees"), number)
    }

    /// The folder of its artifacts in its worktree.
    pub fn artifacts(&self, number: &str) -> PathBuf {
        only(&self.worktree(number).join("docs/features"), number)
    }

    /// Writes a file of the repository. What a `redraft.toml` asks for is accepted at once, as the user of these tests
    /// would; see [`Scratch::write_unaccepted`].
    pub fn write(&self, path: &str, text: &str) {
        self.write_unaccepted(path, text);
        if path == "redraft.toml" {
            self.accept();
        }
    }

    /// Accepts what the `redraft.toml` asks for. Has to be repeated for a copy that was put in the repository's place:
    /// trust does not extend to another folder.
    pub fn accept(&self) {
        // If it cannot be read, the command under test reports that.
        let _ = self.run(["trust", "--yes"]);
    }

    /// The same without accepting what it asks for.
    pub fn write_unaccepted(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("folders");
        std::fs::write(file, text).expect("a file");
    }

    /// Writes a configuration that plays this scenario.
    pub fn scenario(&self, scenario: &str) {
        self.write("scenario.toml", scenario);
        let config = "[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n";
        // Nothing in it has to be accepted.
        self.write_unaccepted("redraft.toml", config);
    }

    /// A command with the throw-away surroundings.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.root()).stdin(Stdio::null());
        command.env("HOME", self.folder.path().join("home")).env("USER", "tester");
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.folder.path().join("home/.gitconfig"));
        for name in [
            "XDG_CONFIG_HOME",
            "XDG_STATE_HOME",
            "OPENAI_BASE_URL",
            "OLLAMA_HOST",
            "OPENAI_MODEL",
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "REDRAFT_ABORT_AT_BOUNDARY",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// `redraft` with these words, not yet started.
    pub fn redraft<I, S>(&self, words: I) -> Command
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = self.command(&self.program);
        command.args(words);
        command
    }

    /// Runs `redraft` in the repository.
    pub fn run<I, S>(&self, words: I) -> Ran
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        Ran::new(self.redraft(words).output().expect("redraft starts"))
    }

    /// Runs `redraft` and reads its one JSON object.
    pub fn json<I, S>(&self, words: I) -> serde_json::Value
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = self.redraft(words);
        let ran = Ran::new(command.arg("--json").output().expect("redraft starts"));
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| fail(&format!("{error} in {ran:?}")))
    }

    /// The command lines of all processes of this machine that belong here: whose environment or arguments name the
    /// throw-away folder, as HOME or otherwise. A process that has ended and was not yet waited for has neither.
    pub fn processes(&self) -> Vec<String> {
        let folder = self.folder.path().display().to_string();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").expect("a list of processes").flatten() {
            let read = |name: &str| std::fs::read(entry.path().join(name)).unwrap_or_default();
            let (environment, command) = (read("environ"), read("cmdline"));
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            if String::from_utf8_lossy(&environment).contains(&folder) || command.contains(&folder) {
                found.push(command);
            }
        }
        found
    }

    /// Runs git in the repository; it must succeed. Returns what it printed.
    pub fn git<I, S>(&self, words: I) -> String
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.git_in(&self.root(), words)
    }

    pub fn git_in<I, S>(&self, folder: &Path, words: I) -> String
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = self.command("git");
        let ran = Ran::new(command.current_dir(folder).args(words).output().expect("git starts"));
        if ran.code != Some(0) {
            fail(&format!("{command:?}: {ran:?}"));
        }
        ran.stdout.trim_end().to_owned()
    }
}

impl Ran {
    pub fn new(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails the test unless the command ended with this code.
    #[track_caller]
    pub fn expect(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// The only entry of a folder whose name begins with a feature's number.
fn only(folder: &Path, number: &str) -> PathBuf {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| fail(&format!("{}: {error}", folder.display())));
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.split('-').next() == Some(number)
    });
    match found.as_slice() {
        [one] => one.clone(),
        _ => fail(&format!("{} entries for {number} in {}", found.len(), folder.display())),
    }
}

#[expect(clippy::panic, reason = "a test helper that cannot go on fails its test")]
#[track_caller]
fn fail(message: &str) -> ! {
    panic!("{message}")
}
