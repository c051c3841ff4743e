//! The one place that starts git.
//!
//! Every call is made the same way: no shell, no hooks, no prompts, no editor, no pager, no fsmonitor, English
//! messages, literal paths, no look into submodules, no contact with another repository, local or remote, and no
//! program that only the repository's own configuration names (`programs`). Whatever else the user configured stays in
//! force (identity, signing, filters). Nothing here knows what a call is for.

mod done;
mod feed;
mod programs;
mod settings;

pub(super) use done::Done;
use feed::feed;
pub use programs::ConfiguredProgram;
use programs::{Asked, Guard, Verdict};
use settings::{COUNT, FIXED, INHERITED, LOOKING, SETTINGS};

use super::complaints::held_lock;
use super::error::{GitError, MINIMUM, version};
use super::files::os_path;
use super::stale_locks::Writing;
use super::wait;
use crate::trust::Trust;
use redraft_facts::text::one_line;
use redraft_sandbox::search_path;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What git is called on the PATH.
const PROGRAM: &str = "git";

/// How long a call waits for a held lock of git's: a git that a killed run had started may have to finish, and a
/// person's git is as quick. A longer wait would only hide a lock that was left behind.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a held lock is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Makes git sync each file before it gives it its name, whatever is configured. Not every command of git's obeys this.
pub fn durable(call: Call) -> Call {
    call.setting("core.fsync=all").setting("core.fsyncMethod=fsync")
}

/// The git program and the environment it gets.
#[derive(Debug, Clone)]
pub struct Git {
    program: OsString,
    overrides: Vec<(OsString, Option<OsString>)>,
    patience: Duration,
    limit: Duration,
    guard: Guard,
}

impl Default for Git {
    fn default() -> Git {
        let guard = Guard::new(Trust::from_environment(|name| std::env::var_os(name)));
        let path = std::env::var_os("PATH").unwrap_or_default();
        // Looked up once: a started process that is still looking for its program holds what we hold, including our
        // locks, and would go on doing so if we were killed. Without a name nothing is started.
        let program = search_path::find(PROGRAM, &path).map(PathBuf::into_os_string).unwrap_or_default();
        // Git looks for programs as well: ssh, gpg, filters.
        let kept = search_path::absolute(&path);
        let changed = kept.as_deref() != Some(&path);
        let overrides = changed.then(|| (OsString::from("PATH"), kept)).into_iter().collect();
        Git { program, overrides, patience: PATIENCE, limit: wait::LIMIT, guard }
    }
}

impl Git {
    /// Another git than the one on the PATH.
    #[must_use]
    pub fn with_program(mut self, program: impl Into<OsString>) -> Git {
        self.program = program.into();
        self
    }

    /// A variable that every call gets, or (`None`) does not get, whatever this process inherited.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<OsString>, value: Option<OsString>) -> Git {
        self.overrides.push((name.into(), value));
        self
    }

    /// The same for a repository with this main checkout: what was accepted of it holds, and not what was accepted of
    /// another one with the same git folder.
    pub(super) fn of_checkout(mut self, main: &Path) -> Git {
        self.guard = self.guard.of_checkout(main);
        self
    }

    /// Acceptances that are kept elsewhere than the environment says.
    #[cfg(test)]
    pub(super) fn with_trust(mut self, trust: Trust) -> Git {
        self.guard = Guard::new(trust);
        self
    }

    /// How long every call waits for a lock that is held.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Git {
        self.patience = patience;
        self
    }

    /// How long every call may take.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Git {
        self.limit = limit;
        self
    }

    /// How long every call waits for a lock that is held.
    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// A variable as every call gets it.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        let given = self.overrides.iter().rev().find(|(key, _)| key == name);
        given.map_or_else(|| std::env::var_os(name), |(_, value)| value.clone())
    }

    /// What keeps programs of a repository's configuration from being started.
    pub(super) fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Refuses a git that lacks what the other modules rely on; its version otherwise.
    pub fn check_version(&self) -> Result<String, GitError> {
        let text = self.unguarded(Path::new("."), ["version"]).text()?;
        let found = text.strip_prefix("git version ").unwrap_or(&text).to_owned();
        match (version(&found), version(MINIMUM)) {
            (Some(have), Some(need)) if have >= need => Ok(found),
            _ => Err(GitError::TooOld { found }),
        }
    }

    /// A call to be made in a folder.
    pub(super) fn call<I, S>(&self, folder: &Path, args: I) -> Call
    where
        I: IntoIterator<Item = S>,
        S: Into<OsString>,
    {
        Call { guarded: Some(self.clone()), ..self.unguarded(folder, args) }
    }

    /// A call that reads no object and no file of the checkout, so that it can start nothing whatever is configured.
    #[expect(clippy::disallowed_methods, reason = "the one place that starts git")]
    pub(super) fn unguarded<I, S>(&self, folder: &Path, args: I) -> Call
    where
        I: IntoIterator<Item = S>,
        S: Into<OsString>,
    {
        let mut command = Command::new(&self.program);
        command.current_dir(folder);
        for name in INHERITED {
            command.env_remove(name);
        }
        command.envs(FIXED);
        for (name, value) in &self.overrides {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Call {
            command,
            settings: SETTINGS.into_iter().map(OsString::from).collect(),
            args: args.into_iter().map(Into::into).collect(),
            input: None,
            marker: None,
            patience: self.patience,
            limit: self.limit,
            guarded: None,
            partial: false,
        }
    }
}

/// One call of git, not yet made.
#[derive(Debug)]
pub struct Call {
    command: Command,
    settings: Vec<OsString>,
    args: Vec<OsString>,
    input: Option<Vec<u8>>,
    marker: Option<PathBuf>,
    patience: Duration,
    limit: Duration,
    /// Keeps the repository's programs from being started.
    guarded: Option<Git>,
    /// Whether a server may have objects that are not here.
    partial: bool,
}

impl Call {
    /// One more setting, `section.key=value`, stronger than any configuration file.
    pub fn setting(mut self, setting: impl Into<OsString>) -> Call {
        self.settings.push(setting.into());
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Call {
        self.command.env(name, value);
        self
    }

    /// Lets the call reach another repository, by the ways that git has itself.
    pub fn reaching(self) -> Call {
        self.env("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh")
    }

    pub fn arg(mut self, arg: impl Into<OsString>) -> Call {
        self.args.push(arg.into());
        self
    }

    /// Makes this file say, while the call lasts, that git may hold locks for us.
    pub(super) fn marked(mut self, marker: PathBuf) -> Call {
        self.marker = Some(marker);
        self
    }

    pub fn input(mut self, bytes: Vec<u8>) -> Call {
        self.input = Some(bytes);
        self
    }

    /// These texts, each ended by a NUL, as input.
    pub(super) fn input_list<'a>(self, items: impl IntoIterator<Item = &'a [u8]>) -> Call {
        let mut bytes = Vec::new();
        for item in items {
            bytes.extend_from_slice(item);
            bytes.push(0);
        }
        self.input(bytes)
    }

    /// What git wrote, without the last line break, when it succeeded.
    pub fn text(self) -> Result<String, GitError> {
        let done = self.succeed()?;
        Ok(String::from_utf8_lossy(&done.stdout).trim_end_matches('\n').to_owned())
    }

    /// The same as it is.
    pub fn bytes(self) -> Result<Vec<u8>, GitError> {
        Ok(self.succeed()?.stdout)
    }

    /// The NUL-ended texts git wrote, when it succeeded.
    pub fn list(self) -> Result<Vec<Vec<u8>>, GitError> {
        let mut done = self.succeed()?;
        if done.stdout.last() == Some(&0) {
            done.stdout.pop();
        }
        if done.stdout.is_empty() {
            return Ok(Vec::new());
        }
        Ok(done.stdout.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect())
    }

    pub(super) fn succeed(self) -> Result<Done, GitError> {
        let done = self.end()?;
        match done.failure() {
            None => Ok(done),
            Some(error) => Err(error),
        }
    }

    /// Makes the call, whatever its exit code; again if it found a held lock that is released soon.
    pub(super) fn end(mut self) -> Result<Done, GitError> {
        self.complete()?;
        let mut left = self.patience;
        loop {
            let output = match &self.marker {
                None => feed(&mut self.command, self.input.as_deref(), self.limit),
                Some(marker) => Writing::begin(marker, self.input.as_deref())
                    .and_then(|writing| writing.during(&mut self.command, self.limit)),
            };
            let output = output.map_err(|error| self.unstarted(&error))?;
            let output = output.map_err(|cut| GitError::cut(self.shown(), cut))?;
            let done = Done {
                command: self.shown(),
                code: output.status.code(),
                stdout: output.stdout,
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
                partial: self.partial,
            };
            match held_lock(&done.stderr) {
                Some(lock) if done.code != Some(0) && waited_for(Path::new(lock), &mut left) => {}
                _ => return Ok(done),
            }
        }
    }

    /// Starts the call and leaves it running, to be talked with.
    pub(super) fn start(mut self, stderr: Stdio) -> Result<Running, GitError> {
        self.complete()?;
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let child = self.command.spawn().map_err(|error| self.unstarted(&error))?;
        Ok(Running { command: self.shown(), child, limit: self.limit, partial: self.partial })
    }

    fn complete(&mut self) -> Result<(), GitError> {
        self.overrule()?;
        self.command.arg("--literal-pathspecs").arg("--no-pager");
        for setting in &self.settings {
            self.command.arg("-c").arg(setting);
        }
        let (name, rest) = self.args.split_at(self.args.len().min(1));
        self.command.args(name);
        let says = |arg: &OsString| arg.to_string_lossy().starts_with("--ignore-submodules");
        if name.first().is_some_and(|name| LOOKING.iter().any(|one| name == one)) && !rest.iter().any(says) {
            self.command.arg("--ignore-submodules=dirty");
        }
        self.command.args(rest);
        Ok(())
    }

    /// Overrules by variables, which can name every key; a `=` in the name of a driver would end the key of a `-c`.
    fn overrule(&mut self) -> Result<(), GitError> {
        let Some(git) = self.guarded.take() else { return Ok(()) };
        let folder = self.command.get_current_dir().unwrap_or(Path::new(".")).to_owned();
        let named = self.command.get_envs().find(|(key, _)| *key == OsStr::new("GIT_DIR"));
        let named = named.and_then(|(_, value)| value).map(PathBuf::from);
        let Verdict { overrules, partial } = git.guard.verdict(&git, &Asked { folder, git: named })?;
        self.partial = partial;
        if overrules.is_empty() {
            return Ok(());
        }
        // The user may have set some as well, for a container.
        let users = git.variable(COUNT).and_then(|count| count.to_str()?.parse::<usize>().ok()).unwrap_or(0);
        for (at, (key, value)) in overrules.iter().enumerate() {
            let at = users + at;
            self.command
                .env(format!("GIT_CONFIG_KEY_{at}"), os_path(key))
                .env(format!("GIT_CONFIG_VALUE_{at}"), os_path(value));
        }
        self.command.env(COUNT, (users + overrules.len()).to_string());
        Ok(())
    }

    fn unstarted(&self, error: &io::Error) -> GitError {
        match error.kind() {
            // A folder that is gone looks the same as a program that is gone.
            io::ErrorKind::NotFound if self.command.get_current_dir().is_none_or(Path::is_dir) => {
                let program = Some(self.command.get_program()).filter(|program| !program.is_empty());
                GitError::Missing {
                    program: program.map_or(PROGRAM.into(), OsStr::to_string_lossy).into_owned(),
                }
            }
            io::ErrorKind::NotFound => {
                let folder = self.command.get_current_dir().unwrap_or(Path::new(".")).display();
                let detail = format!("the folder {folder} is gone");
                GitError::Broken { command: self.shown(), detail }
            }
            _ => GitError::Broken { command: self.shown(), detail: error.to_string() },
        }
    }

    /// The command as a person would type it, short enough for a message.
    fn shown(&self) -> String {
        let words: Vec<_> = self.args.iter().map(|arg| arg.to_string_lossy()).collect();
        one_line(&format!("git {}", words.join(" ")), 120)
    }
}

/// A call that goes on until its input is closed.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) command: String,
    pub(super) child: Child,
    /// How long each answer may take.
    pub(super) limit: Duration,
    pub(super) partial: bool,
}

/// Waits until a lock is released; false once there is no time left.
#[expect(
    clippy::disallowed_methods,
    reason = "a second at most, and whoever stops the run stops git as well"
)]
fn waited_for(lock: &Path, left: &mut Duration) -> bool {
    while !left.is_zero() {
        std::thread::sleep(LOOK_AGAIN.min(*left));
        *left = left.saturating_sub(LOOK_AGAIN);
        if !lock.exists() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
