//! What the process was given from outside: folder, environment, user settings, clock, and the secrets to redact.
//! Start at [`ProcessContext::new`].

use crate::args::Cli;
use crate::errors::{CliError, ErrorCode};
use clap::CommandFactory as _;
use redraft_adapters::child::{Environment, TICKET};
use redraft_adapters::clock::SystemClock;
use redraft_adapters::git::Repository;
use redraft_adapters::shell_word::{quoted, quoted_path};
use redraft_adapters::sqlite::Ledger;
use redraft_adapters::trust::Trust;
use redraft_agents::config::UserSettings;
use redraft_engine::boundary::Boundaries;
use redraft_engine::ports::Clock;
use redraft_engine::{Journal, Writer};
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::Scope;
use redraft_sandbox::search_path;
use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What the process was given from outside. Read once, here.
pub struct ProcessContext {
    pub folder: PathBuf,
    /// Who signs edits and decisions: git's name for them, else that of the environment.
    pub user: String,
    pub command: String,
    /// Every variable; agents are passed a named set of them.
    pub environment: Environment,
    /// The user's settings for every repository.
    pub own: UserSettings,
    /// Where the user's acceptances are kept.
    pub trust: Trust,
    /// This program's own file.
    pub exe: PathBuf,
    pub path: Option<std::ffi::OsString>,
    /// What to type to start this program: its name if it is on the PATH, else its path.
    pub program: String,
    /// The folder that was named with `-C`.
    pub named_folder: Option<PathBuf>,
    pub clock: SystemClock,
    pub redactor: Redactor,
    pub boundaries: Boundaries,
    /// The dispatch whose agent started this process, if one did.
    pub ticket: Option<String>,
    /// The name of the host that has come, and its version.
    pub host: OnceLock<(String, String)>,
    /// The repository of the folder, where it was already looked for.
    pub found: Option<Repository>,
}

/// More than any key has; a larger file is a mistake.
pub const KEY_BYTES_MAX: u64 = 64 * 1024;

/// The beginning of a command.
const NAMED: &str = "redraft ";

/// Aborts the process at the Nth boundary; for tests of crashes.
const ABORT_AT: &str = "REDRAFT_ABORT_AT_BOUNDARY";

/// Sets the clock this many milliseconds ahead; for tests of expiry.
const CLOCK_AHEAD: &str = "REDRAFT_CLOCK_AHEAD_MS";

impl ProcessContext {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn new(cli: &Cli) -> Result<Self, CliError> {
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
        stopped_by_signals(&stop)
            .map_err(|error| CliError::new(ErrorCode::Bug, format!("signals cannot be caught: {error}")))?;
        redraft_adapters::git::stops_with(Arc::clone(&stop));
        let leave = hung_up()
            .map_err(|error| CliError::new(ErrorCode::Bug, format!("signals cannot be caught: {error}")))?;
        let user = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
        let path = std::env::var_os("PATH");
        let words: Vec<String> =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        let mut environment = Environment(std::env::vars_os().collect());
        // The programs that agents and checks start are not looked for in the repository either.
        match path.as_deref().and_then(search_path::absolute) {
            Some(path) => drop(environment.0.insert("PATH".into(), path)),
            None => drop(environment.0.remove(OsStr::new("PATH"))),
        }
        Ok(Self {
            folder,
            own: UserSettings::from_environment(&environment),
            trust: Trust::from_environment(|name| environment.0.get(OsStr::new(name)).cloned()),
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
            found: None,
        })
    }
}

/// Signals this close together are one wish: `timeout` signals the program and then its group.
const ONE_WISH: Duration = Duration::from_millis(500);

/// Raises a flag at the first signal that asks the program to stop. A later one ends it at once; everything stored so far
/// is safe. SIGUSR1 asks the same and never ends it: whoever passes a signal on cannot know whether it was sent to all.
fn stopped_by_signals(stop: &Arc<AtomicBool>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
    let again = Arc::new(AtomicBool::new(false));
    let (mut told, tells) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM, SIGUSR1] {
        if signal != SIGUSR1 {
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&again))?;
        }
        signal_hook::flag::register(signal, Arc::clone(stop))?;
        signal_hook::low_level::pipe::register(signal, tells.try_clone()?)?;
    }
    // A thread of its own, because the others may be busy with what is to be stopped.
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        // `tells` is open as long as the program, so that nothing is read before a signal comes.
        let _tells = tells;
        // Whatever the reading ends with, the next signal must end the program.
        let _ = told.read_exact(&mut [0]);
        let (_open, never) = std::sync::mpsc::channel::<()>();
        // Nothing ever comes; this is a sleep.
        let _ = never.recv_timeout(ONE_WISH);
        again.store(true, Ordering::SeqCst);
    })?;
    Ok(())
}

/// A flag that is raised when the terminal is closed: what is under way is paid for, so the run waits for it. Without a
/// terminal there is nothing to close, and under `nohup` the user has said that it does not matter.
fn hung_up() -> std::io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::SIGHUP;
    let (leave, nobody) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let has_terminal = std::io::IsTerminal::is_terminal(&std::io::stdin());
    if !is_ignored(SIGHUP) {
        signal_hook::flag::register(SIGHUP, if has_terminal { Arc::clone(&leave) } else { nobody })?;
    }
    Ok(leave)
}

/// Whether our parent process had this signal ignored, as far as the system says.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 << (signal - 1) != 0)
}

impl ProcessContext {
    /// Whether the user asked the program to stop.
    pub fn stopped(&self) -> bool {
        self.clock.stopped()
    }

    /// A command to type next, such as `redraft run 001`, as it must be typed here: a user who works with `-C` has to
    /// go on with it.
    pub fn next(&self, command: &str) -> String {
        match (&self.named_folder, command.strip_prefix("redraft ")) {
            (Some(folder), Some(rest)) => format!("redraft -C {} {rest}", quoted_path(folder)),
            (_, _) => command.to_owned(),
        }
    }

    /// The same for every command in a sentence. A command that already says where it works is left alone.
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

    /// What is stored about a feature, a review or an agent, and the way to add to it.
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
    pub fn typed_here(mut self, process: &ProcessContext) -> Self {
        self.message = process.commands_in(&self.message);
        self.hints = self.hints.iter().map(|hint| process.commands_in(hint)).collect();
        self
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
