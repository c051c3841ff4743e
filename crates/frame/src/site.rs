//! Where a command works: the process's surroundings, the repository, its ledger and configuration.

use crate::args::{Cli, Command};
use crate::console::Console;
use crate::errors::{CliError, Code, ambiguous, unknown_feature};
use clap::CommandFactory as _;
use redraft_adapters::child::{Environment, TICKET};
use redraft_adapters::clock::SystemClock;
use redraft_adapters::git::{GitCheckFolder, GitWorkspace, Meant, Repository};
use redraft_adapters::lock::{Holder, Lock, LockError};
use redraft_adapters::shell_word::{quoted, quoted_path};
use redraft_adapters::sqlite::{Ledger, Mode};
use redraft_adapters::trust::Trust;
use redraft_adapters::{plain_file, search_path};
use redraft_agents::config::{self, AgentConfig, Config, Own};
use redraft_engine::boundary::Boundaries;
use redraft_engine::ports::{CheckFolder as _, Clock, Store};
use redraft_engine::{Journal, Writer};
use redraft_facts::event::{Event, FeatureCreated};
use redraft_facts::ids::FeatureId;
use redraft_facts::redact::Redactor;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Scope;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// What the process was given from outside. Read once, here.
pub struct Surroundings {
    pub folder: PathBuf,
    /// Who signs edits and decisions: git's name for them, else that of the environment.
    pub user: String,
    pub command: String,
    /// Every variable; agents are passed a named set of them.
    pub environment: Environment,
    /// What the user brings to every repository.
    pub own: Own,
    /// Where the user's acceptances are kept.
    pub trust: Trust,
    /// This program's own file.
    pub exe: PathBuf,
    pub path: Option<std::ffi::OsString>,
    /// What to type to start this program: its name where that is on the PATH, else where it is.
    pub program: String,
    /// The folder that was named with `-C`.
    pub named_folder: Option<PathBuf>,
    pub clock: SystemClock,
    pub redactor: Redactor,
    pub boundaries: Boundaries,
    /// The dispatch whose agent started this process, if one did.
    pub ticket: Option<String>,
    /// What the host that has come calls itself, and its version.
    pub host: OnceLock<(String, String)>,
}

/// More than any key has; a larger file is a mistake.
pub const KEY_BYTES_MAX: u64 = 64 * 1024;

/// More than any configuration has.
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;

/// A longer name is no name.
const USER_CHARS_MAX: usize = 100;

/// How a command begins.
const NAMED: &str = "redraft ";

/// Aborts the process at the Nth boundary; for tests of crashes.
const ABORT_AT: &str = "REDRAFT_ABORT_AT_BOUNDARY";

/// Sets the clock so many milliseconds ahead; for tests of what expires.
const CLOCK_AHEAD: &str = "REDRAFT_CLOCK_AHEAD_MS";

impl Surroundings {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn of(cli: &Cli) -> Result<Self, CliError> {
        let here = std::env::current_dir()
            .map_err(|error| CliError::usage(format!("the current folder cannot be read: {error}")))?;
        let folder = cli.dir.as_ref().map_or(here.clone(), |dir| here.join(dir));
        if !folder.is_dir() {
            return Err(CliError::usage(format!("{} is not a folder", folder.display())));
        }
        let number = |name: &str| match std::env::var(name) {
            Ok(number) => {
                number.parse::<u32>().map_err(|_| CliError::usage(format!("{name}={number} is not a number")))
            }
            Err(_) => Ok(0),
        };
        let (abort_at, ahead_ms) = (number(ABORT_AT)?, number(CLOCK_AHEAD)?);
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // The second signal ends the process at once; everything stored so far is safe.
            let twice = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop));
            let once = twice.and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)));
            once.map_err(|error| CliError::new(Code::Bug, format!("signals cannot be caught: {error}")))?;
        }
        redraft_adapters::git::stops_with(Arc::clone(&stop));
        let leave = hung_up()
            .map_err(|error| CliError::new(Code::Bug, format!("signals cannot be caught: {error}")))?;
        let user = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
        let path = std::env::var_os("PATH");
        let words: Vec<String> =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        let mut environment = Environment(std::env::vars_os().collect());
        // What agents and checks start is not looked for in the repository either.
        match path.as_deref().and_then(search_path::absolute) {
            Some(path) => drop(environment.0.insert("PATH".into(), path)),
            None => drop(environment.0.remove(OsStr::new("PATH"))),
        }
        Ok(Self {
            folder,
            own: Own::of(&environment),
            trust: Trust::of(|name| environment.0.get(OsStr::new(name)).cloned()),
            user: user.filter(|user| !user.is_empty()).unwrap_or_else(|| "someone".to_owned()),
            command: format!("redraft {}", words.join(" ")).trim_end().to_owned(),
            redactor: Redactor::new(environment.secrets()),
            environment,
            exe: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("redraft")),
            program: program(path.as_deref()),
            named_folder: cli.dir.clone(),
            path,
            clock: SystemClock::new(stop).ahead(ahead_ms.into()).leaving_with(leave),
            boundaries: Boundaries::new(abort_at.into()),
            ticket: std::env::var(TICKET).ok().filter(|ticket| !ticket.is_empty()),
            host: OnceLock::new(),
        })
    }
}

/// A flag that is raised when the terminal is closed: what is under way is paid for, so it is waited for. Without a
/// terminal there is nothing to close, and under `nohup` it has been said that it does not matter.
fn hung_up() -> std::io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::SIGHUP;
    let (leave, nobody) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let has_terminal = std::io::IsTerminal::is_terminal(&std::io::stdin());
    if !is_ignored(SIGHUP) {
        signal_hook::flag::register(SIGHUP, if has_terminal { Arc::clone(&leave) } else { nobody })?;
    }
    Ok(leave)
}

/// Whether whoever started us had this signal ignored, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 << (signal - 1) != 0)
}

impl Surroundings {
    /// Whether the user asked the program to stop.
    pub fn stopped(&self) -> bool {
        self.clock.stopped()
    }

    /// A command to type next, such as `redraft run 001`, as it must be typed here: whoever works with `-C` has to
    /// go on with it.
    pub fn next(&self, command: &str) -> String {
        match (&self.named_folder, command.strip_prefix("redraft ")) {
            (Some(folder), Some(rest)) => format!("redraft -C {} {rest}", quoted_path(folder)),
            (_, _) => command.to_owned(),
        }
    }

    /// The same for every command that a sentence names. One that says where it works already is left alone.
    pub fn commands_in(&self, text: &str) -> String {
        let Some(folder) = &self.named_folder else { return text.to_owned() };
        let cli = Cli::command();
        let commands: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
        let mut told = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(NAMED) {
            told.push_str(before);
            told.push_str(NAMED);
            let word = after.split(|letter: char| !letter.is_ascii_lowercase()).next().unwrap_or_default();
            let alone = !before.ends_with(|letter: char| letter.is_alphanumeric() || "/-_.".contains(letter));
            if alone && commands.contains(&word) {
                told.push_str(&format!("-C {} ", quoted_path(folder)));
            }
            rest = after;
        }
        told.push_str(rest);
        told
    }

    /// Makes the keys that the configuration names known as secrets, once what names them is accepted, whatever their variables are called, and asks git for the name
    /// of the user, for the commands that store or send something. A configuration that cannot be read is told by the command itself.
    pub fn learn_keys(&mut self, command: &Command) {
        if !stores(command) {
            return;
        }
        let site = Site::find(&self.folder);
        let base = match command {
            Command::Review(args) => args.change.base.as_deref(),
            _ => None,
        };
        if let Some(name) = site.as_ref().ok().and_then(|site| site.repository.user_name()) {
            self.user = one_line(&name, USER_CHARS_MAX);
        }
        let config = site.as_ref().ok().and_then(|site| site.config(self).ok());
        let of_base = site.as_ref().ok().zip(base).and_then(|(site, base)| site.config_of(base, self).ok());
        let mut keys = self.environment.secrets();
        let configs: Vec<Config> = config.into_iter().chain(of_base).collect();
        let agents = configs.iter().flat_map(|config| config.agents.iter().map(move |named| (config, named)));
        for (config, (name, agent)) in agents {
            let AgentConfig::Model(agent) = agent else { continue };
            // Not even read, before a person has said that it may be.
            if !config.unaccepted_of(name).is_empty() {
                continue;
            }
            let file = agent.key_file.as_ref();
            keys.extend(file.and_then(|file| plain_file::read_text(Path::new(file), KEY_BYTES_MAX).ok()));
            let named = agent.key_env.as_ref().and_then(|name| self.environment.0.get(OsStr::new(name)));
            keys.extend(named.and_then(|value| value.to_str()).map(str::to_owned));
        }
        self.redactor = Redactor::new(keys);
    }

    /// What is stored of a feature, a review or an agent, and the way to add to it.
    pub fn journal<'a>(&'a self, ledger: &'a Ledger, scope: Scope) -> Result<Journal<'a>, CliError> {
        let writer = Writer { store: ledger, clock: &self.clock, redactor: &self.redactor };
        Ok(Journal::open(writer, scope)?)
    }

    /// A program of this name on the PATH.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let path = self.path.as_deref()?;
        search_path::find(name, path)
    }
}

impl CliError {
    /// The same with its commands as they must be typed here.
    pub fn typed_here(mut self, around: &Surroundings) -> Self {
        self.message = around.commands_in(&self.message);
        self.hints = self.hints.iter().map(|hint| around.commands_in(hint)).collect();
        self
    }
}

/// Whether a command stores or sends what a person typed.
fn stores(command: &Command) -> bool {
    match command {
        Command::New(_)
        | Command::Adopt(_)
        | Command::Project(_)
        | Command::Run(_)
        | Command::Finish(_)
        | Command::Review(_)
        | Command::Phase(_)
        | Command::Decide(_)
        | Command::Mcp(_)
        | Command::Trust(_)
        | Command::Doctor(_)
        | Command::Ledger(_) => true,
        Command::Cost(args) => args.command.is_some(),
        Command::Bank(args) => args.command.is_some(),
        // What a demo makes is a repository of its own.
        Command::Demo(_) => false,
        Command::Init
        | Command::Config(_)
        | Command::Status(_)
        | Command::Log(_)
        | Command::Lint(_)
        | Command::Show(_)
        | Command::Models
        | Command::Replay(_)
        | Command::Rehearse(_)
        | Command::Hook(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Plugin(_)
        | Command::Worker(_) => false,
    }
}

fn program(path: Option<&std::ffi::OsStr>) -> String {
    let name = "redraft".to_owned();
    let on_path = path.is_some_and(|path| search_path::find(&name, path).is_some());
    match std::env::current_exe() {
        Ok(exe) if !on_path => quoted(exe),
        _ => name,
    }
}

/// How long the repository's lock is waited for: longer than making a worktree takes, shorter than anybody's patience.
const REPOSITORY_WAIT_MS: u64 = 10_000;
const REPOSITORY_TOLD_MS: u64 = 1_000;
const REPOSITORY_PAUSE_MS: u64 = 20;

/// While a secret is taken out, a file of this name in the state folder says so.
pub const REDACTING: &str = "redacting";

/// A repository and what Redraft knows of it.
pub struct Site {
    pub repository: Repository,
    pub state: PathBuf,
    /// Whether this program has made it, with all that its redraft.toml says.
    pub is_own: bool,
    /// Set once it is known that the state folder is the user's own.
    pub state_checked: OnceLock<()>,
}

impl Site {
    pub fn find(folder: &Path) -> Result<Self, CliError> {
        Ok(Self::of(Repository::discover(folder)?))
    }

    pub fn of(repository: Repository) -> Self {
        let state = repository.state_dir();
        Self { repository, state, is_own: false, state_checked: OnceLock::new() }
    }

    /// What redraft.toml and the user's own file say together.
    pub fn config(&self, around: &Surroundings) -> Result<Config, CliError> {
        let (folder, roles) = (self.repository.main_checkout(), redraft_roles::profile::roles());
        Ok(self.with_acceptance(Config::load(folder, &roles, &around.own)?, around))
    }

    /// What a person has accepted of it holds. A file of acceptances that cannot be used accepts nothing; whoever then
    /// misses one is told why.
    fn with_acceptance(&self, config: Config, around: &Surroundings) -> Config {
        let place = self.repository.known_as();
        let accepted = !config.wants.is_empty()
            && (self.is_own || around.trust.has(place, &config.wants_hash()).unwrap_or(false));
        if accepted { config.accept() } else { config }
    }

    /// The same as a branch, tag or commit has it.
    pub fn config_of(&self, name: &str, around: &Surroundings) -> Result<Config, CliError> {
        match self.repository.commit_meant(name)? {
            Meant::One { commit, .. } => self.config_at(&commit, around),
            Meant::Several(all) => Err(ambiguous(name, &all)),
            Meant::None => Err(CliError::usage(format!("`{name}` names no commit of this repository"))),
        }
    }

    pub fn config_at(&self, commit: &str, around: &Surroundings) -> Result<Config, CliError> {
        let bytes = self.repository.file_at(commit, config::FILE, CONFIG_BYTES_MAX)?.unwrap_or_default();
        let path = self.repository.main_checkout().join(config::FILE);
        let parsed = Config::parse(&bytes, &path, &redraft_roles::profile::roles(), &around.own);
        parsed.map(|config| self.with_acceptance(config, around)).map_err(|error| {
            if error.path != path {
                return CliError::from(error);
            }
            let short = commit.get(..10).unwrap_or(commit);
            CliError::from(error)
                .hint(format!("this is the file as commit {short} has it, not your checkout's"))
        })
    }

    /// The ledger to read; a repository without one has no features yet.
    pub fn reader(&self) -> Result<Option<Ledger>, CliError> {
        let file = Ledger::file(&self.state);
        if std::fs::metadata(&file).map_or(!file.exists(), |found| found.is_file() && found.len() == 0) {
            self.refuse_lost_ledger()?;
            return Ok(None);
        }
        let ledger = Ledger::open_begun(&self.state)?;
        if ledger.is_none() {
            self.refuse_lost_ledger()?;
        }
        Ok(ledger)
    }

    /// The ledger to write. What was added since the last look is checked here, before more is added to it; what
    /// is older is checked when it is read.
    pub fn writer(&self) -> Result<Ledger, CliError> {
        self.refuse_lost_ledger()?;
        self.refuse_unfinished_redaction()?;
        self.require_own_state()?;
        if self.state.is_dir() {
            self.repository.clear_after_cut()?;
        }
        let ledger = Ledger::open(&self.state, Mode::Write)?.behind(self.repository.barrier());
        ledger.check()?;
        Ok(ledger)
    }

    /// Half of what names a secret's old places may name new ones already; whoever went on would mix them.
    pub fn refuse_unfinished_redaction(&self) -> Result<(), CliError> {
        if self.state.join(REDACTING).symlink_metadata().is_err() {
            return Ok(());
        }
        Err(CliError::new(
            Code::Config,
            "a secret is being taken out of this repository, or that was interrupted",
        )
        .hint("wait for it, or finish it with the same secret: redraft ledger redact"))
    }

    /// A ledger that is missing or empty in a repository where features were worked on was lost, not never there.
    pub fn refuse_lost_ledger(&self) -> Result<(), CliError> {
        let file = Ledger::file(&self.state);
        let empty = std::fs::metadata(&file).map_or(true, |found| found.is_file() && found.len() == 0);
        if !empty || !self.repository.has_anchors()? {
            return Ok(());
        }
        let message =
            format!("the ledger {} is missing or empty, but features were worked on here", file.display());
        Err(CliError::new(Code::Config, message)
            .hint("restore it from a backup; nothing was changed")
            .hint("to begin anew without it, give the feature branches other names (git branch -m), delete the refs under refs/redraft/, and take the documents over: redraft adopt"))
    }

    pub fn lock(&self, name: &str, around: &Surroundings) -> Result<Lock, CliError> {
        self.require_own_state()?;
        let holder = Holder {
            pid: std::process::id(),
            user: around.user.clone(),
            since_ms: around.clock.now_ms(),
            // What was typed may be an idea with a key in it.
            command: around.redactor.redact(&around.command).0.into_owned(),
        };
        Lock::take(&self.state, name, &holder).map_err(|error| match error {
            LockError::Held(_) if name.parse::<FeatureId>().is_ok() => {
                let held = CliError::from(error);
                CliError { message: format!("feature {name} is {}", held.message), ..held }
            }
            error => error.into(),
        })
    }

    /// The repository's lock, which others hold for moments only: numbers, worktrees. So it is waited for, but not for long.
    pub fn lock_repository(&self, around: &Surroundings, console: &Console) -> Result<Lock, CliError> {
        let begun = around.clock.moment();
        let mut told = false;
        loop {
            let held = match self.lock("repo", around) {
                Err(error) if error.code == Code::Held => error,
                taken => return taken,
            };
            let waited_ms = around.clock.moment().ms_since(begun);
            if !told && waited_ms >= REPOSITORY_TOLD_MS {
                console.say(&format!("waiting for the repository: {}", held.message));
                told = true;
            }
            if waited_ms >= REPOSITORY_WAIT_MS || !around.clock.wait_ms(REPOSITORY_PAUSE_MS) {
                return Err(held);
            }
        }
    }

    /// Brings a checkout that a killed process left between two commits to one of them.
    pub fn settle(&self, console: &Console) -> Result<(), CliError> {
        self.require_own_state()?;
        if let Some(settled) = self.repository.settle()? {
            console.say(&settled.to_string());
        }
        Ok(())
    }

    /// Whether there are folders of features in the main checkout, whoever made them.
    pub fn has_folders(&self) -> bool {
        let entries = std::fs::read_dir(self.repository.main_checkout().join("docs/features"));
        entries.is_ok_and(|entries| entries.flatten().any(|entry| entry.path().is_dir()))
    }

    /// Branches on which others have begun features, as in a new clone. A git that cannot tell knows of none.
    pub fn branches_of_others(&self) -> Vec<String> {
        let branches = self.repository.feature_branches().unwrap_or_default();
        branches.into_iter().map(|branch| branch.name).collect()
    }

    pub fn created(&self, ledger: &Ledger, id: FeatureId) -> Result<FeatureCreated, CliError> {
        self.created_in(ledger, Scope::Feature(id))
    }

    /// The same for the review of a document.
    pub fn created_in(&self, ledger: &Ledger, scope: Scope) -> Result<FeatureCreated, CliError> {
        let entries = ledger.read(scope.clone())?;
        let created = entries.into_iter().find_map(|entry| match entry.event {
            Event::FeatureCreated(created) => Some(created),
            _ => None,
        });
        created.ok_or_else(|| unknown_feature(&scope.to_string()))
    }

    /// The folder a feature is worked on in.
    pub fn worktree(&self, created: &FeatureCreated) -> Result<PathBuf, CliError> {
        if created.in_place {
            return Ok(self.repository.main_checkout().to_owned());
        }
        let place = match created.scope() {
            Scope::Review(id) => self.repository.review_place(id, &created.slug)?,
            _ => self.repository.feature_place(created.id, &created.slug)?,
        };
        Ok(place.worktree)
    }

    /// Where the checks of a feature or a review run.
    pub fn check_folder(&self, created: &FeatureCreated, config: &Config) -> GitCheckFolder<'_> {
        let (setup, copy) = (config.workspace.setup.clone(), config.workspace.copy.clone());
        GitCheckFolder::new(&self.repository, &check_name(created), setup, copy)
    }

    /// Removes that folder, once nothing is checked any more.
    pub fn put_checks_away(&self, created: &FeatureCreated) {
        let folder = GitCheckFolder::new(&self.repository, &check_name(created), None, Vec::new());
        // A folder that stays is in nobody's way.
        let _ = folder.put_away();
    }

    /// Whether that folder is there and holds the feature; the main checkout may be on another branch.
    pub fn is_there(&self, created: &FeatureCreated) -> Result<bool, CliError> {
        if created.in_place {
            return Ok(self.repository.is_in_place(&created.branch)?);
        }
        Ok(self.worktree(created)?.is_dir())
    }

    pub fn workspace(&self, created: &FeatureCreated) -> Result<GitWorkspace, CliError> {
        let root = self.worktree(created)?;
        // A change is reviewed on no branch.
        let name = match created.change {
            Some(_) => created.scope().to_string(),
            None => created.branch.clone(),
        };
        Ok(GitWorkspace::open(&self.repository, &root, &name)?)
    }
}

fn check_name(created: &FeatureCreated) -> String {
    match created.scope() {
        Scope::Review(id) => format!("review-{id}-{}", created.slug),
        _ => format!("{}-{}", created.id, created.slug),
    }
}
