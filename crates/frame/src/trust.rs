//! `redraft trust`: shows what redraft.toml and git's configuration want to do on this repository's behalf, and stores
//! in the user's own file that a person has accepted it.
//!
//! Everything that would use an unaccepted wish comes through [`require`] or [`require_programs`], which stop with code
//! 6 and show it. On a terminal [`ask_first`] puts the question before the command begins.

mod list;

use crate::args::{Command, TrustArgs};
use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::ledger_trust::{go_on, trust_ledger};
use crate::own_state::{self, ACCEPT};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use crate::sharing::Leaving;
use list::{forget, list};
use redraft_adapters::git::ConfiguredProgram;
use redraft_adapters::trust::{Accepted, TrustError, visible};
use redraft_agents::config::{Config, FILE, Needed, ShareConfig, Want};
use redraft_engine::ports::Clock;
use redraft_facts::ids::{AgentName, BlobId, Role};
use redraft_facts::text::utc;
use redraft_reports::question::QuestionForm;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Serialize)]
struct TrustJson {
    v: u16,
    commands: Vec<WishJson>,
    /// The hash of what redraft.toml wants.
    hash: String,
    /// The state folder, where somebody else made it and it was not accepted before.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    accepted: bool,
}

#[derive(Serialize)]
struct WishJson {
    key: String,
    /// Its value, as written in the file.
    command: String,
    /// `redraft.toml`, or the file of git's configuration.
    file: String,
}

pub fn trust(args: TrustArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    if args.list {
        return list(process, console);
    }
    if args.ledger {
        return trust_ledger(args.yes, process, console);
    }
    if let Some(folder) = &args.forget {
        return forget(folder.as_deref(), process, console);
    }
    let repo = process.repository()?;
    let config = match &args.base {
        Some(name) => repo.config_of(name, process)?,
        None => repo.config(process)?,
    };
    let wishes = Wishes::new(&repo, &config)?;
    let hash = config.wants_hash().to_string();
    let commands = wishes.json();
    let state = wishes.state.as_ref().map(|state| state.display().to_string());
    if commands.is_empty() && state.is_none() {
        console.show(
            "this repository wants nothing that a person must accept",
            &TrustJson { v: 1, commands, hash, state, accepted: true },
        );
        return Ok(ErrorCode::Done);
    }
    let known = wishes.are_known();
    let accepted = known || args.yes || asked(&wishes, process, console);
    if accepted && !known {
        wishes.accept(&repo, process)?;
    }
    let mut text = wishes.text();
    text.push_str(match (known, accepted) {
        (true, _) => "accepted before",
        (false, true) => "accepted; redraft asks again when one of these changes",
        (false, false) => "not accepted; to accept: redraft trust --yes",
    });
    console.show(&text, &TrustJson { v: 1, commands, hash, state, accepted });
    Ok(if accepted { ErrorCode::Done } else { ErrorCode::Waiting })
}

/// Everything that a person is asked about at once.
struct Wishes<'a> {
    config: &'a Config,
    /// Programs of git's configuration that are needed and not accepted.
    programs: Vec<ConfiguredProgram>,
    /// The state folder, where it is not the user's own.
    state: Option<PathBuf>,
    /// What would leave this machine, where features are to be shared and nobody has accepted that yet.
    leaves: Option<String>,
}

impl<'a> Wishes<'a> {
    fn new(repo: &RepositoryContext, config: &'a Config) -> Result<Wishes<'a>, CliError> {
        let state = repo.has_foreign_state().then(|| repo.state.clone());
        let ShareConfig { remote, transcripts } = &config.share;
        let remote = remote.as_ref().filter(|_| config.accepted_share().is_none());
        // Where there is no such remote, nothing leaves, and the command that would share says so.
        let leaves = remote.and_then(|remote| Leaving::new(repo, remote, *transcripts).ok());
        let leaves = leaves.map(|leaves| leaves.to_string());
        Ok(Wishes { config, programs: repo.repository.wanted_programs()?, state, leaves })
    }

    fn are_known(&self) -> bool {
        self.config.is_accepted() && self.programs.is_empty() && self.state.is_none()
    }

    fn json(&self) -> Vec<WishJson> {
        let wants = self.config.wants.iter().map(|want| WishJson {
            key: want.key.clone(),
            command: want.value.clone(),
            file: FILE.to_owned(),
        });
        let programs = self.programs.iter().map(|program| WishJson {
            key: program.key.clone(),
            command: program.value.clone(),
            file: program.file.clone(),
        });
        wants.chain(programs).collect()
    }

    /// One wish a line, under the file that it stands in.
    fn text(&self) -> String {
        let mut text = String::new();
        if !self.config.wants.is_empty() {
            text.push_str(&format!(
                "{FILE} wants:\n{}",
                lines(&self.config.wants.iter().collect::<Vec<_>>())
            ));
        }
        if !self.programs.is_empty() {
            text.push_str(&format!(
                "git's configuration of this repository wants:\n{}",
                of_git(&self.programs)
            ));
        }
        if let Some(state) = &self.state {
            text.push_str(&format!("{}\n", visible(&own_state::described(state))));
        }
        if let Some(leaves) = &self.leaves {
            text.push_str(&format!("{leaves}\n"));
        }
        text
    }

    fn accept(&self, repo: &RepositoryContext, process: &ProcessContext) -> Result<(), CliError> {
        let accepted = |hash: BlobId, items: Vec<String>| Accepted {
            hash,
            at: utc(process.clock.now_ms()),
            by: process.user.clone(),
            items,
        };
        let mut new = Vec::new();
        if self.state.is_some() {
            repo.accept_state()?;
            go_on(repo, process);
        }
        if !self.config.is_accepted() {
            new.push(accepted(self.config.wants_hash(), self.config.wants.iter().map(Want::line).collect()));
        }
        new.extend(self.programs.iter().map(|program| accepted(program.hash(), vec![program.line()])));
        match new.is_empty() {
            true => Ok(()),
            false => process.trust.accept(repo.repository.known_as(), new).map_err(CliError::from),
        }
    }
}

/// Stores that all of this is accepted, where only this program has written it.
pub fn accept_own(
    repo: &RepositoryContext,
    config: &Config,
    process: &ProcessContext,
) -> Result<(), CliError> {
    Wishes { config, programs: Vec::new(), state: None, leaves: None }.accept(repo, process)
}

/// Stops a command that would use something not accepted.
pub fn require(
    repo: &RepositoryContext,
    config: &Config,
    then: &str,
    used: impl Fn(&Needed) -> bool,
    process: &ProcessContext,
) -> Result<(), CliError> {
    if config.unaccepted(used).is_empty() {
        return Ok(());
    }
    // The reason is an unreliable file, which has its own way out.
    process.trust.accepted(repo.repository.known_as())?;
    let all: Vec<&Want> = config.wants.iter().collect();
    let message =
        format!("{FILE} has settings that nobody has accepted yet, so they are not used:\n{}", lines(&all));
    Err(CliError::new(ErrorCode::Waiting, message.trim_end()).hint(ACCEPT).hint(format!("then: {then}")))
}

/// The same for what every run uses and for the agents of these roles.
pub fn require_for_agents(
    repo: &RepositoryContext,
    config: &Config,
    roles: &[Role],
    then: &str,
    process: &ProcessContext,
) -> Result<(), CliError> {
    let agents: Vec<&AgentName> = roles.iter().filter_map(|role| config.agent_of(role)).collect();
    let used = |needed: &Needed| match needed {
        Needed::ByEveryRun => true,
        Needed::ByAgent(name) => agents.contains(&name),
        Needed::ByWorktrees | Needed::ByChecks | Needed::ByHooks | Needed::BySharing | Needed::ByNotices => {
            false
        }
    };
    require(repo, config, then, used, process)
}

/// The same for the project's checks.
pub fn require_for_checks(
    repo: &RepositoryContext,
    config: &Config,
    then: &str,
    process: &ProcessContext,
) -> Result<(), CliError> {
    require(repo, config, then, |needed| *needed == Needed::ByChecks, process)
}

/// The same for programs that git would need here and that only the repository's own configuration names. They are
/// never run unaccepted; going on without them could store files in a form that the project does not intend.
pub fn require_programs(
    repo: &RepositoryContext,
    then: &str,
    process: &ProcessContext,
) -> Result<(), CliError> {
    let programs = repo.repository.wanted_programs()?;
    if programs.is_empty() {
        return Ok(());
    }
    process.trust.accepted(repo.repository.known_as())?;
    let message = format!(
        "git's configuration of this repository has settings that are needed here and that nobody has accepted yet, \
            so they are not used:\n{}",
        of_git(&programs)
    );
    Err(CliError::new(ErrorCode::Waiting, message.trim_end())
        .hint(ACCEPT)
        .hint("or put them into your own configuration, which nobody has to accept: git config --global")
        .hint(format!("then: {then}")))
}

/// On a terminal, asks before the command begins: what the command then reads and keeps secret depends on the answer.
/// Without a terminal, and where nothing may be asked, the command itself stops where it would use something
/// unaccepted.
pub fn ask_first(command: &Command, process: &ProcessContext, console: &Console) -> Result<(), CliError> {
    if process.ticket.is_some() || !console.can_ask() {
        return Ok(());
    }
    let (base, only_worktrees) = match command {
        Command::Run(args) if !args.yes => (None, false),
        Command::Finish(args) if !args.yes => (None, false),
        Command::Review(args) if !args.yes => (args.change.base.as_deref(), false),
        Command::Doctor(args) if !args.yes => (None, false),
        Command::New(_) => (None, true),
        _ => return Ok(()),
    };
    // The command reports what is wrong with the repository or the configuration.
    let Ok(repo) = process.repository() else { return Ok(()) };
    let config = match base {
        Some(base) => repo.config_of(base, process),
        None => repo.config(process),
    };
    let Ok(config) = config else { return Ok(()) };
    let wishes = Wishes::new(&repo, &config)?;
    let used = |needed: &Needed| !only_worktrees || *needed == Needed::ByWorktrees;
    if config.unaccepted(used).is_empty() && wishes.programs.is_empty() && wishes.state.is_none() {
        return Ok(());
    }
    if asked(&wishes, process, console) {
        wishes.accept(&repo, process)?;
    }
    Ok(())
}

fn asked(wishes: &Wishes<'_>, process: &ProcessContext, console: &Console) -> bool {
    if !console.can_ask() {
        return false;
    }
    let why = wishes.text().lines().map(str::to_owned).collect();
    let form = QuestionForm::yes_or_no(
        "May redraft do this here?",
        why,
        "it is accepted, and asked about again when it changes",
        "none of it is used",
    );
    console.agrees(&form, &process.clock)
}

/// The note that prices of the file are left out of a calculation.
pub fn unused_prices(config: &Config) -> Option<String> {
    let unused: Vec<String> = config.unaccepted_prices().into_iter().map(Want::line).collect();
    let unused = (!unused.is_empty()).then(|| unused.join(", "))?;
    Some(format!("prices in {FILE} that nobody has accepted are not used ({unused}); {ACCEPT}"))
}

fn lines(wants: &[&Want]) -> String {
    wants.iter().map(|want| format!("  {}\n", want.line())).collect()
}

fn of_git(programs: &[ConfiguredProgram]) -> String {
    programs.iter().map(|program| format!("  {}\n", program.line())).collect()
}

impl From<TrustError> for CliError {
    fn from(error: TrustError) -> Self {
        let hint = error.way_out();
        CliError::new(ErrorCode::Config, error.to_string()).hint(hint)
    }
}
