//! `redraft hook`: answers the events of an interactive agent's session, or says nothing.
//!
//! A hook runs inside somebody's session, before each of their agent's steps. So it is quick (it starts no program and
//! waits for no lock), and whatever it does not understand, cannot read or cannot write makes it silent, with exit code
//! 0. `redraft_integrations::hook` decides what is said; `noted` remembers what was said before. Start at [`hook`].

mod noted;

use noted::Noted;
use redraft_adapters::child::{Environment, TICKET};
use redraft_adapters::clock::SystemClock;
use redraft_adapters::git::{CheckoutLocation, real_path, state_around};
use redraft_adapters::lock::Lock;
use redraft_adapters::sqlite::Ledger;
use redraft_adapters::trust::{RepositoryPlace, Trust};
use redraft_agents::config::{Config, UserSettings};
use redraft_engine::ports::{Clock, Store};
use redraft_facts::ticket::Scope;
use redraft_frame::args::HookCommand;
use redraft_frame::console::Console;
use redraft_frame::rows;
use redraft_integrations::hook::feature_view::{FeatureView, sights};
use redraft_integrations::hook::guard::{self, Protected};
use redraft_integrations::hook::memory::HookRefusal;
use redraft_integrations::hook::{HookEvent, Input, answer, reminder, session};
use redraft_reports::projections::BoardRow;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The largest event that is read. It holds the whole text of a file that is to be written.
const EVENT_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Switches the reminder on (`1`) or off (`0`) for one session, whatever redraft.toml says.
const AUTONOMOUS: &str = "REDRAFT_AUTONOMOUS";

const UNACCEPTED: &str = "redraft: `hooks.autonomous` in redraft.toml is not used, because nobody has accepted it; \
    to see it and accept it: redraft trust";

/// Answers an event. Always ends well.
pub(crate) fn hook(command: HookCommand, dir: Option<&Path>, console: &Console) -> ExitCode {
    let event = match command {
        HookCommand::SessionStart => HookEvent::SessionStart,
        HookCommand::PreToolUse => HookEvent::PreToolUse,
        HookCommand::Stop => HookEvent::Stop,
    };
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        console.say("this command is for an agent's hooks: it reads an event as JSON from stdin");
        return ExitCode::SUCCESS;
    }
    // Read to its end even where there will be no answer: some hosts do not like a reader that leaves early.
    let mut bytes = Vec::new();
    let read = stdin.lock().take(EVENT_BYTES_MAX + 1).read_to_end(&mut bytes);
    if read.is_ok_and(|read| read as u64 <= EVENT_BYTES_MAX) && !is_agent_of_ours() {
        let said = Input::read(&bytes, event).and_then(|input| said(event, &input, dir));
        if let Some(said) = said {
            console.json_line(&said.to_string());
        }
    }
    ExitCode::SUCCESS
}

/// Whether words that clap refused mean a hook.
pub(crate) fn is_meant(words: impl IntoIterator<Item = OsString>) -> bool {
    let mut words = words.into_iter().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("-C" | "--dir") => drop(words.next()),
            Some(option) if option.starts_with('-') => {}
            _ => return word == "hook",
        }
    }
    false
}

/// Whether the caller is an agent that a run has started: it has its own orders.
fn is_agent_of_ours() -> bool {
    std::env::var_os(TICKET).is_some_and(|ticket| !ticket.is_empty())
}

fn said(event: HookEvent, input: &Input, dir: Option<&Path>) -> Option<Value> {
    let folder = folder(input, dir)?;
    match event {
        HookEvent::SessionStart => session_start(input, &folder),
        HookEvent::PreToolUse => pre_tool_use(input, &folder),
        HookEvent::Stop => stop(input, &folder),
    }
}

/// The folder of the session: what was typed, what the event says, or the current one.
#[expect(clippy::disallowed_methods, reason = "a hook has no surroundings but this")]
fn folder(input: &Input, dir: Option<&Path>) -> Option<PathBuf> {
    let here = std::env::current_dir().ok();
    let said = dir.or(Some(Path::new(&input.cwd)).filter(|cwd| !cwd.as_os_str().is_empty()));
    match (here, said) {
        (Some(here), Some(said)) => Some(here.join(said)),
        (None, Some(said)) => Some(said.to_owned()).filter(|said| said.is_absolute()),
        (here, None) => here,
    }
}

fn session_start(input: &Input, folder: &Path) -> Option<Value> {
    let glance = CheckoutLocation::at(folder)?;
    let text = session::greeting(&seen(&glance)?, glance.branch().as_deref(), &input.source)?;
    Some(answer::context(&text))
}

fn pre_tool_use(input: &Input, folder: &Path) -> Option<Value> {
    let paths = guard::written(&input.tool_name, &input.tool_input);
    let (path, state, thing) = paths.into_iter().find_map(|path| {
        let (state, thing) = protected(&folder.join(&path))?;
        Some((path, state, thing))
    })?;
    let mut noted = Noted::open(&state, &input.session_id)?;
    let refusal = noted.memory.refuse(&thing.thing());
    noted.keep()?;
    let text = thing.refusal(&path);
    Some(match refusal {
        HookRefusal::Deny => answer::deny(&text, false),
        HookRefusal::DenyAndStop => answer::deny(&text, true),
        HookRefusal::Replace => {
            let note = noted.note();
            match guard::harmless(&input.tool_name, note.to_str()?, &text) {
                Some(harmless) => answer::replace(&text, harmless),
                None => answer::deny(&text, true),
            }
        }
    })
}

fn stop(input: &Input, folder: &Path) -> Option<Value> {
    if input.stop_hook_active {
        return None;
    }
    let glance = CheckoutLocation::at(folder)?;
    let wish = reminders(&glance);
    if wish == Reminders::Off {
        return None;
    }
    let seen = seen(&glance)?;
    let owed = reminder::owed(&seen, glance.branch().as_deref())?;
    let mut noted = Noted::open(&glance.state_dir(), &input.session_id)?;
    if !noted.memory.remind(&owed.row.id, owed.seq) {
        return None;
    }
    noted.keep()?;
    if wish == Reminders::Unaccepted {
        return Some(answer::message(UNACCEPTED));
    }
    Some(answer::block(&reminder::reminder(owed)))
}

/// What a path that is to be written leads to, if that is protected, with its state folder.
fn protected(path: &Path) -> Option<(PathBuf, Protected)> {
    let real = real_path(path)?;
    if let Some(state) = state_around(&real) {
        return Some((state.to_owned(), Protected::State));
    }
    let glance = CheckoutLocation::at(real.ancestors().skip(1).find(|folder| folder.is_dir())?)?;
    if glance.state_dir().parent() == Some(real.as_path()) && glance.state_dir().is_dir() {
        // Git's own folder, with everything in it.
        return Some((glance.state_dir(), Protected::State));
    }
    let inside = real.strip_prefix(&glance.checkout).ok()?;
    let parts: Vec<&str> = inside.iter().filter_map(OsStr::to_str).collect();
    guard::of_feature(&parts)?;
    let state = glance.state_dir();
    let rows: Vec<BoardRow> = rows(&state)?.into_iter().map(|(_, row)| row).collect();
    guard::projection(&parts, &rows).map(|thing| (state, thing))
}

/// Whether an agent that stops is reminded of work that is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reminders {
    Off,
    /// `redraft.toml` asks for them, and that was not accepted.
    Unaccepted,
    On,
}

fn reminders(glance: &CheckoutLocation) -> Reminders {
    match std::env::var_os(AUTONOMOUS).as_deref().and_then(OsStr::to_str) {
        Some("1") => Reminders::On,
        Some("0") => Reminders::Off,
        _ => {
            let own = UserSettings::from_environment(&Environment(std::env::vars_os().collect()));
            let config = glance
                .main_checkout()
                .and_then(|main| Config::load(&main, &redraft_roles::profile::roles(), &own).ok());
            let Some(config) = config.filter(|config| config.autonomous) else { return Reminders::Off };
            let trust = Trust::from_environment(|name| std::env::var_os(name));
            // Reminders keep a session at work, so a person must have accepted them.
            let main = glance.main_checkout();
            let place = main.as_deref().map(|checkout| RepositoryPlace { git: &glance.common, checkout });
            match place.map(|place| trust.has(place, &config.wants_hash())) {
                Some(Ok(true)) => Reminders::On,
                _ => Reminders::Unaccepted,
            }
        }
    }
}

/// All features of the repository at this moment.
fn seen(glance: &CheckoutLocation) -> Option<Vec<FeatureView>> {
    let state = glance.state_dir();
    let now_ms = SystemClock::new(std::sync::Arc::default()).now_ms();
    Some(sights(rows(&state)?, &|id| Lock::holder(&state, id).is_some(), now_ms))
}

/// The rows of the board. A row of an older form is folded again only where something may be left to do: there may be
/// many.
pub(crate) fn rows(state: &Path) -> Option<Vec<(u64, BoardRow)>> {
    if !Ledger::file(state).is_file() {
        return None;
    }
    let ledger = Ledger::open_without_waiting(state).ok()?;
    let board = ledger.board().ok()?.into_iter().filter(|(scope, ..)| matches!(scope, Scope::Feature(_)));
    let current = |(scope, seq, row): (Scope, u64, String)| match serde_json::from_str::<BoardRow>(&row) {
        Ok(row) if rows::is_of(&scope, &row) && (row.is_current() || !row.is_open()) => Some((seq, row)),
        Ok(_) | Err(_) => rows::fold(&scope, &ledger.read(scope.clone()).ok()?).ok()?,
    };
    board.map(current).collect()
}
