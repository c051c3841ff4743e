//! The sandbox of the project's own commands: what of a repository and a machine they may reach, and the home and the
//! variables they have instead of the user's.
//!
//! What is held by the kernel, and how, is the business of `redraft_sandbox`. Start at [`Sandbox::prepare`].

use crate::child::Environment;
use redraft_sandbox::profile::{self, POINTERS, Places, TOOL_VARIABLES, Widening};
use redraft_sandbox::{Forbidden, Level, Limits, Network, Policy};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// What `[sandbox] level` says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxRule {
    /// As far as the machine can.
    #[default]
    Auto,
    /// Everything, or nothing is run.
    Strict,
    Off,
}

/// What holds for every command of a repository.
#[derive(Debug, Clone)]
pub struct Sandbox {
    pub rule: SandboxRule,
    /// What a person has accepted in addition, as absolute paths.
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    pub network: Network,
    /// More variables to pass on.
    pub pass: Vec<String>,
    pub user_home: Option<PathBuf>,
    /// The user's checkout.
    pub checkout: PathBuf,
    /// Open in no case: git's folder, the ledger, other worktrees, redraft.toml, the user's own files of Redraft.
    pub closed: Vec<PathBuf>,
    /// The ledger and its folder, which are tried before each command.
    pub forbidden: Forbidden,
    /// Where temporary folders are made.
    pub temp: PathBuf,
    pub limits: Limits,
}

/// A command's own surroundings. The temporary folder goes with it.
#[derive(Debug)]
pub struct Surroundings {
    /// None where the sandbox is switched off.
    pub policy: Option<Policy>,
    pub environment: Environment,
    temp: Option<PathBuf>,
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        if let Some(temp) = &self.temp {
            // What cannot be removed now is left to whoever cleans temporary folders.
            let _ = fs::remove_dir_all(temp);
        }
    }
}

impl Sandbox {
    /// Makes a command's home, unless it is there, and a temporary folder, and says what it may reach from `folder`.
    /// Without a home that lasts it has a temporary one.
    pub fn prepare(
        &self,
        folder: &Path,
        home: Option<&Path>,
        user: &Environment,
    ) -> io::Result<Surroundings> {
        if self.rule == SandboxRule::Off {
            return Ok(Surroundings { policy: None, environment: user.clone(), temp: None });
        }
        // A policy is handed on as text.
        if let Some(path) = [Some(folder), home].into_iter().flatten().find(|path| path.to_str().is_none()) {
            let message = format!(
                "{} is not in UTF-8, so it cannot be held to a sandbox; [sandbox] level = \"off\" runs it without",
                path.display()
            );
            return Err(io::Error::other(message));
        }
        let temp = self.temporary()?;
        let home = home.map_or_else(|| temp.join("home"), Path::to_owned);
        fs::create_dir_all(&home)?;
        let own = [folder.to_owned(), home.clone(), temp.clone()];
        let environment = self.environment(user, &home, &temp);
        let policy = Some(self.policy(&own, user));
        Ok(Surroundings { policy, environment, temp: Some(temp) })
    }

    /// What is said where it is switched off.
    pub fn switched_off() -> Level {
        Level::None("switched off by [sandbox] level".to_owned())
    }

    /// What would be reached here, for a command with these folders of its own.
    pub fn reached(&self, own: &[PathBuf], user: &Environment) -> Level {
        match self.rule {
            SandboxRule::Off => Sandbox::switched_off(),
            SandboxRule::Auto | SandboxRule::Strict => redraft_sandbox::reached(&self.policy(own, user)),
        }
    }

    fn policy(&self, own: &[PathBuf], user: &Environment) -> Policy {
        let variable = |name: &str| user.0.get(OsStr::new(name));
        let tools: Vec<PathBuf> =
            TOOL_VARIABLES.iter().filter_map(|name| variable(name)).map(PathBuf::from).collect();
        let places = Places {
            own,
            user_home: self.user_home.as_deref(),
            search: variable("PATH").map(OsStr::new),
            tools: &tools,
            checkout: &self.checkout,
            closed: &self.closed,
        };
        let wider = Widening { read: &self.read, write: &self.write, network: &self.network };
        let strict = self.rule == SandboxRule::Strict;
        let mut policy = profile::of_command(&places, wider, self.forbidden.clone(), strict);
        policy.grants.retain(|grant| {
            grant.path.to_str().is_some() && grant.except.iter().all(|path| path.to_str().is_some())
        });
        Policy { limits: self.limits, ..policy }
    }

    /// A folder of its own with a short name: sockets have room for about a hundred bytes.
    fn temporary(&self) -> io::Result<PathBuf> {
        let name = uuid::Uuid::new_v4().simple().to_string();
        let temp = self.temp.join(format!("redraft-{}", &name[..12]));
        DirBuilder::new().mode(0o700).create(&temp)?;
        fs::canonicalize(temp)
    }

    fn environment(&self, user: &Environment, home: &Path, temp: &Path) -> Environment {
        let mut passed = user.of_commands(&self.pass);
        let known = |name: &str| passed.0.contains_key(OsStr::new(name));
        let pointers = POINTERS.iter().filter(|(name, _)| !known(name));
        let there = pointers.filter_map(|(name, below)| Some((*name, self.user_home.as_ref()?.join(below))));
        let there: Vec<(&str, PathBuf)> = there.filter(|(_, path)| path.is_dir()).collect();
        for (name, path) in there {
            passed.0.insert(name.into(), path.into());
        }
        passed.0.insert("HOME".into(), home.into());
        for name in ["TMPDIR", "TMP", "TEMP"] {
            passed.0.insert(name.into(), temp.into());
        }
        passed
    }
}
