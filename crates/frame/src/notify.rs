//! Tells a person by a command of their own that a run waits, or how it ended.
//!
//! The command finds what happened in its environment and never in its own text, so no shell reads it. It has little
//! time; that it failed is one line and changes nothing else. When a person is told is decided by
//! [`crate::attention`]. Start at [`start`].

use crate::attention::{Messenger, Notice, TEXT_CHARS};
use crate::console::Console;
use crate::process_context::ProcessContext;
use crate::served_page::ServedPage;
use redraft_adapters::child::{ScriptEnd, ShellCommand};
use redraft_engine::ports::{Clock, Moment};
use redraft_facts::text::one_line;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How long the command may take.
const LIMIT_MS: u64 = 10_000;

/// From here on the person can be told.
pub fn start(process: &Arc<ProcessContext>, console: &Console) {
    console.tell_through(Arc::new(OwnCommand(Arc::clone(process))));
}

/// The command that the user, or the repository with the user's word, names.
struct OwnCommand(Arc<ProcessContext>);

impl Messenger for OwnCommand {
    fn moment(&self) -> Moment {
        Clock::moment(&self.0.clock)
    }

    fn stopped(&self) -> bool {
        Clock::stopped(&self.0.clock)
    }

    fn completed(&self, notice: Notice) -> Notice {
        let OwnCommand(process) = self;
        let repo = process.repository().ok();
        let repository = repo.as_ref().map(|repo| repo.repository.main_checkout().to_owned());
        let port = repo.as_ref().and_then(|repo| ServedPage::port(&repo.state));
        let clean = |text: &str, chars: usize| one_line(&process.redactor.redact(text).0, chars);
        Notice {
            repository: repository.map(|path| path.display().to_string()).unwrap_or_default(),
            text: clean(&notice.text, TEXT_CHARS),
            next: clean(&process.commands_in(&notice.next), 10 * TEXT_CHARS),
            link: link(&notice.feature, port, process),
            ..notice
        }
    }

    fn send(&self, notice: &Notice) -> Option<String> {
        send(notice, &self.0)
    }
}

/// Where to look at a feature, or at all of them. The page lets in only the browser that has its cookie.
fn link(feature: &str, port: Option<u16>, process: &ProcessContext) -> String {
    match (port, feature) {
        (Some(port), "") => format!("http://127.0.0.1:{port}/"),
        (Some(port), feature) => format!("http://127.0.0.1:{port}/feature/{feature}"),
        (None, feature) => process.next(format!("redraft watch {feature}").trim_end()),
    }
}

/// A folder of its own for each notice: two of one process may be under way at once.
fn folder(state: &Path) -> PathBuf {
    static SENT: AtomicU32 = AtomicU32::new(0);
    let number = SENT.fetch_add(1, Ordering::SeqCst);
    state.join("notify").join(format!("{}-{number}", std::process::id()))
}

/// Runs the user's command, if there is one. Returns what is to be said about it.
fn send(notice: &Notice, process: &ProcessContext) -> Option<String> {
    let repo = process.repository().ok().filter(|repo| repo.state.is_dir())?;
    // A configuration that cannot be used was reported before.
    let config = repo.config(process).ok()?;
    let Some(command) = config.notify_command() else {
        return config
            .holds_back_notices()
            .then(|| "[notify] of redraft.toml was not used, because nobody has accepted it; to accept it: redraft trust".to_owned());
    };
    let mut environment = process.environment.clone();
    for (name, value) in [
        ("REDRAFT_REPOSITORY", notice.repository.as_str()),
        ("REDRAFT_FEATURE", &notice.feature),
        ("REDRAFT_REASON", notice.reason),
        ("REDRAFT_TEXT", &notice.text),
        ("REDRAFT_NEXT", &notice.next),
        ("REDRAFT_LINK", &notice.link),
        ("REDRAFT_NOTICE", &serde_json::to_string(notice).unwrap_or_default()),
    ] {
        environment.set(name, value);
    }
    let script = ShellCommand {
        worker: &process.exe,
        out: &folder(&repo.state),
        text: command,
        folder: repo.repository.main_checkout(),
        sandbox: None,
        environment: &environment,
        redactor: &process.redactor,
        limit_ms: LIMIT_MS,
    };
    let mut last = String::new();
    let ended = script.run(&process.clock, &mut |line| {
        if !line.trim().is_empty() {
            last = one_line(line, TEXT_CHARS);
        }
    });
    // Nothing reads it any more; what cannot be removed does no harm.
    let _ = std::fs::remove_dir_all(script.out);
    let how = match ended.map(|ran| ran.end) {
        Ok(ScriptEnd::Well | ScriptEnd::Stopped) => return None,
        Ok(ScriptEnd::Badly { how, .. }) => how,
        Ok(ScriptEnd::Slow) => format!("was ended after {} seconds", LIMIT_MS / 1000),
        Err(error) => format!("could not be started: {error}"),
    };
    let last = if last.is_empty() { last } else { format!(": {last}") };
    Some(format!("no notification was sent: the [notify] command {how}{last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_notices_of_one_process_have_a_folder_each() {
        let state = Path::new("state");
        assert_ne!(folder(state), folder(state));
        assert_eq!(folder(state).parent(), Some(state.join("notify").as_path()));
    }
}
