//! The sandbox of the project's own commands: what of a repository and a machine they may reach, and the home and the
//! variables they have instead of the user's.
//!
//! Start at [`Sandbox::make_ready`].

use crate::engine::{Engine, SandboxReport};
use crate::hint::hint;
use crate::level::Level;
use crate::needs::Needs;
use crate::policy::{Forbidden, Least, Network, ResourceLimits, SandboxPolicy};
use crate::profile::{self, POINTERS, Places, TOOL_VARIABLES, Widening};
use crate::start::{Starter, refusal};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Variables by name.
pub type Variables = BTreeMap<OsString, OsString>;

/// What `[sandbox] level` says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxRule {
    /// As far as the machine can.
    #[default]
    Auto,
    /// Everything, or nothing is run.
    Strict,
    /// Commands have the user's rights.
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
    /// Gives a command a copy of the history; without it, git does not work in the sandbox.
    pub history: Option<HistoryCopy>,
    /// Where temporary folders are made.
    pub temp: PathBuf,
    pub limits: ResourceLimits,
}

/// Copies the history of what is checked out in the first folder into a repository in the second.
#[derive(Clone)]
pub struct HistoryCopy(pub Arc<CopyHistory>);

type CopyHistory = dyn Fn(&Path, &Path) -> Result<(), String> + Send + Sync;

impl fmt::Debug for HistoryCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HistoryCopy")
    }
}

/// A command's own surroundings. The temporary folder goes with it.
#[derive(Debug)]
pub struct CommandSurroundings {
    /// None where the sandbox is switched off, or cannot be described.
    pub policy: Option<SandboxPolicy>,
    pub environment: Variables,
    temp: Option<PathBuf>,
    /// Why it cannot be described.
    unheld: Option<String>,
}

impl Drop for CommandSurroundings {
    fn drop(&mut self) {
        if let Some(temp) = &self.temp {
            // What cannot be removed now is left to whoever cleans temporary folders.
            let _ = fs::remove_dir_all(temp);
        }
    }
}

impl CommandSurroundings {
    /// How far what ran was held: as it was noted in `noted`. None where it was not meant to be, or was not started.
    pub fn report(&self, noted: &Path) -> Option<SandboxReport> {
        match &self.unheld {
            Some(why) => Some(SandboxReport::none(why)),
            None => SandboxReport::read(noted).filter(|_| self.policy.is_some()),
        }
    }

    /// Why a command that failed so probably did, and the setting that would change that.
    pub fn hint(&self, report: Option<&SandboxReport>, output: &str) -> Option<String> {
        let held = report.is_some_and(|report| report.level.holds());
        hint(output, self.policy.as_ref().filter(|_| held)?, &Path::exists)
    }

    /// Lets git find a copy of the history. Whatever is done to it is gone with the temporary folder.
    fn bring(&mut self, history: &HistoryCopy, folder: &Path) -> io::Result<()> {
        let Some(temp) = &self.temp else { return Ok(()) };
        let copy = temp.join("git");
        (history.0)(folder, &copy).map_err(io::Error::other)?;
        self.environment.insert("GIT_DIR".into(), copy.into());
        self.environment.insert("GIT_WORK_TREE".into(), folder.into());
        Ok(())
    }

    /// What would be reached in this folder. `helper` is our own binary.
    fn reached(&self, policy: &SandboxPolicy, helper: &Path, folder: &Path) -> SandboxReport {
        let make = |words: &[OsString]| self.command(words, folder);
        Starter { helper, make: &make, engines: &Engine::ALL }.reached(policy)
    }

    #[expect(clippy::disallowed_methods, reason = "starts our own binary, which tries what it can reach")]
    fn command(&self, words: &[OsString], folder: &Path) -> Command {
        let mut command = Command::new(words.first().map_or(OsStr::new(""), OsString::as_os_str));
        command.args(words.iter().skip(1)).current_dir(folder).env_clear().envs(&self.environment);
        command
    }
}

impl Sandbox {
    /// Everything a command needs before it starts: [`Sandbox::prepare`], a copy of the history if there is to be one,
    /// and, where nothing less than everything is wanted, a trial. `helper` is our own binary.
    pub fn make_ready(
        &self,
        folder: &Path,
        home: Option<&Path>,
        variables: (&Variables, &Variables),
        helper: &Path,
    ) -> io::Result<CommandSurroundings> {
        self.prove(self.prepare(folder, home, variables)?, folder, helper)
    }

    /// The same for the program of an agent, which has a home that lasts.
    pub fn make_ready_program(
        &self,
        folder: &Path,
        home: &Path,
        needs: &Needs,
        variables: (&Variables, &Variables),
        helper: &Path,
    ) -> io::Result<CommandSurroundings> {
        let mut surroundings = self.prepare(folder, Some(home), variables)?;
        if let Some(policy) = &mut surroundings.policy {
            needs.add_to(policy, folder);
        }
        self.prove(surroundings, folder, helper)
    }

    fn prove(
        &self,
        mut surroundings: CommandSurroundings,
        folder: &Path,
        helper: &Path,
    ) -> io::Result<CommandSurroundings> {
        if let Some(history) = &self.history {
            surroundings.bring(history, folder)?;
        }
        if let Some(policy) = surroundings.policy.as_ref().filter(|policy| policy.least == Least::Enforced) {
            let level = surroundings.reached(policy, helper, folder).level;
            if level != Level::Enforced {
                return Err(refusal(policy.least, &level));
            }
        }
        Ok(surroundings)
    }

    /// Makes a command's home, unless it is there, and a temporary folder, and says what it may reach from `folder`.
    /// Without a home that lasts it has a temporary one. Of the variables the first are the user's, the second those
    /// that may be passed on to a command that is contained.
    fn prepare(
        &self,
        folder: &Path,
        home: Option<&Path>,
        variables: (&Variables, &Variables),
    ) -> io::Result<CommandSurroundings> {
        if self.rule == SandboxRule::Off {
            return Ok(CommandSurroundings {
                policy: None,
                environment: variables.0.clone(),
                temp: None,
                unheld: None,
            });
        }
        // A policy is handed on as text.
        if let Some(path) = [Some(folder), home].into_iter().flatten().find(|path| path.to_str().is_none()) {
            let why = format!("{} is not in UTF-8", path.display());
            if self.rule == SandboxRule::Strict {
                return Err(refusal(Least::Enforced, &Level::None(why)));
            }
            let environment = variables.0.clone();
            return Ok(CommandSurroundings { policy: None, environment, temp: None, unheld: Some(why) });
        }
        let temp = self.temporary()?;
        let home = home.map_or_else(|| temp.join("home"), Path::to_owned);
        fs::create_dir_all(&home)?;
        let own = [folder.to_owned(), home.clone(), temp.clone()];
        let (user, passed) = variables;
        let environment = self.environment(passed, &home, &temp);
        let policy = Some(self.policy(&own, user));
        Ok(CommandSurroundings { policy, environment, temp: Some(temp), unheld: None })
    }

    /// How far a command would be held here, found out by trying; with needs, the program of an agent. None where the
    /// sandbox is switched off.
    pub fn reached(
        &self,
        needs: Option<&Needs>,
        variables: (&Variables, &Variables),
        helper: &Path,
    ) -> Option<SandboxReport> {
        let tried = || {
            let folder = self.temporary()?;
            let mut surroundings = self.prepare(&folder, None, variables)?;
            if let (Some(policy), Some(needs)) = (&mut surroundings.policy, needs) {
                needs.add_to(policy, &folder);
            }
            let report =
                surroundings.policy.as_ref().map(|policy| surroundings.reached(policy, helper, &folder));
            fs::remove_dir_all(folder)?;
            Ok::<_, io::Error>(report)
        };
        tried().unwrap_or_else(|error| Some(SandboxReport::none(&error.to_string())))
    }

    fn policy(&self, own: &[PathBuf], user: &Variables) -> SandboxPolicy {
        let variable = |name: &str| user.get(OsStr::new(name));
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
        let least = match self.rule {
            SandboxRule::Strict => Least::Enforced,
            SandboxRule::Auto | SandboxRule::Off => Least::Nothing,
        };
        let mut policy = profile::of_command(&places, wider, self.forbidden.clone(), least);
        policy.grants.retain(|grant| {
            grant.path.to_str().is_some() && grant.except.iter().all(|path| path.to_str().is_some())
        });
        SandboxPolicy { limits: self.limits, ..policy }
    }

    /// A folder of its own with a short name: sockets have room for about a hundred bytes.
    fn temporary(&self) -> io::Result<PathBuf> {
        let name = uuid::Uuid::new_v4().simple().to_string();
        let temp = self.temp.join(format!("redraft-{}", &name[..12]));
        DirBuilder::new().mode(0o700).create(&temp)?;
        fs::canonicalize(temp)
    }

    fn environment(&self, passed: &Variables, home: &Path, temp: &Path) -> Variables {
        let mut passed = passed.clone();
        let known = |name: &str| passed.contains_key(OsStr::new(name));
        let pointers = POINTERS.iter().filter(|(name, _)| !known(name));
        let there = pointers.filter_map(|(name, below)| Some((*name, self.user_home.as_ref()?.join(below))));
        let there: Vec<(&str, PathBuf)> = there.filter(|(_, path)| path.is_dir()).collect();
        for (name, path) in there {
            passed.insert(name.into(), path.into());
        }
        passed.insert("HOME".into(), home.into());
        for name in ["TMPDIR", "TMP", "TEMP"] {
            passed.insert(name.into(), temp.into());
        }
        passed
    }
}
