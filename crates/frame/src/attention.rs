//! Knows when a person last looked, and what they would have to be told: that a run waits for them, or how it ended.
//!
//! Whoever typed something a few seconds ago is looking, and is told nothing. How a person is reached is decided
//! elsewhere: by the console on its terminal, and by a [`Messenger`]. Start at [`Attention::call`] and
//! [`Attention::end`].

use crate::errors::{CliError, ErrorCode};
use redraft_engine::ports::Moment;
use redraft_facts::text::one_line;
use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A notice is read at a glance.
pub(crate) const TEXT_CHARS: usize = 200;

/// Why a person is told something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Waiting,
    Ended,
    Failed,
    Parked,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Reason::Waiting => "waiting",
            Reason::Ended => "ended",
            Reason::Failed => "failed",
            Reason::Parked => "parked",
        }
    }

    /// None where a person has just stopped it. A run that came to rest because its terminal was closed waits.
    fn for_end(code: ErrorCode, outcome: &str, stopped: bool) -> Option<Reason> {
        match (code, outcome) {
            (ErrorCode::Interrupted, _) => (!stopped).then_some(Reason::Waiting),
            (_, "parked") => Some(Reason::Parked),
            (_, "waiting" | "over budget" | "host") | (ErrorCode::Waiting, _) => Some(Reason::Waiting),
            (ErrorCode::Done | ErrorCode::NotApproved, _) => Some(Reason::Ended),
            _ => Some(Reason::Failed),
        }
    }
}

/// How a run ended, in its own words.
#[derive(Debug, Default, Clone)]
pub struct RunEnd {
    /// As in `--json`: `approved`, `waiting`, `parked`.
    pub outcome: String,
    /// What it waits for, if that is a question.
    pub question: Option<String>,
    /// The next command to type.
    pub next: String,
}

/// What a person is told.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Notice {
    pub(crate) v: u16,
    /// The main checkout.
    pub(crate) repository: String,
    /// The number of the feature, or of the review.
    pub(crate) feature: String,
    pub(crate) reason: &'static str,
    pub(crate) text: String,
    pub(crate) next: String,
    /// Where to look: the address of the page, where one is served, else a command.
    pub(crate) link: String,
}

impl Notice {
    /// For a terminal, which shows it as its own.
    fn line(&self) -> String {
        let name = self.repository.rsplit('/').next().unwrap_or_default();
        let parts = [name, &self.feature, &format!("{}: {}", self.reason, self.text)];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        one_line(&format!("redraft: {}", parts.join(" ")), TEXT_CHARS)
    }
}

/// Reaches a person who is not at the terminal.
pub(crate) trait Messenger: Send + Sync {
    /// The time now.
    fn moment(&self) -> Moment;
    /// Whether a person has stopped the command.
    fn stopped(&self) -> bool;
    /// The notice with its repository and link, without secrets, and with commands as they must be typed here.
    fn completed(&self, notice: Notice) -> Notice;
    /// Sends it, and returns what is to be said about that, if anything.
    fn send(&self, notice: &Notice) -> Option<String>;
}

/// When a person was last there, and what they would have to be told.
pub(crate) struct Attention {
    /// When a person last typed something.
    seen: Mutex<Moment>,
    feature: Mutex<String>,
    end: Mutex<RunEnd>,
    messenger: OnceLock<Arc<dyn Messenger>>,
    /// Messages under way, each with what is to be said about it.
    under_way: Mutex<Vec<JoinHandle<Option<String>>>>,
}

impl Default for Attention {
    fn default() -> Self {
        Attention {
            // The command itself was typed when the clock began.
            seen: Mutex::new(Moment::after(Duration::ZERO)),
            feature: Mutex::default(),
            end: Mutex::default(),
            messenger: OnceLock::new(),
            under_way: Mutex::default(),
        }
    }
}

impl std::fmt::Debug for Attention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attention").field("seen", &self.seen).field("end", &self.end).finish_non_exhaustive()
    }
}

impl Attention {
    /// From here on a person can be told. It is set once.
    pub(crate) fn tell_through(&self, messenger: Arc<dyn Messenger>) {
        let _ = self.messenger.set(messenger);
    }

    /// The feature or review that everything is about from now on.
    pub(crate) fn concern(&self, feature: String) {
        *held(&self.feature) = feature;
    }

    /// How the run ended.
    pub(crate) fn note_end(&self, end: RunEnd) {
        *held(&self.end) = end;
    }

    pub(crate) fn ended(&self) -> RunEnd {
        held(&self.end).clone()
    }

    /// A person typed something.
    pub(crate) fn saw_person(&self, now: Moment) {
        *held(&self.seen) = now;
    }

    /// A question is on the terminal. Returns the notice for the terminal where nobody seems to look; the message is
    /// sent meanwhile, so that nobody has to wait for it.
    pub(crate) fn call(&self, question: &str, after_ms: u64) -> Option<String> {
        let messenger =
            self.messenger.get().filter(|messenger| self.is_alone(messenger.moment(), after_ms))?;
        let notice = messenger.completed(self.notice(Reason::Waiting, question, ""));
        let (line, messenger) = (notice.line(), Arc::clone(messenger));
        held(&self.under_way).push(std::thread::spawn(move || messenger.send(&notice)));
        Some(line)
    }

    /// The command has ended. Where nobody seems to look, `signal` is given the notice for the terminal. Returns what is
    /// to be said about messages, when none is under way any more.
    pub(crate) fn end(
        &self,
        done: &Result<ErrorCode, CliError>,
        after_ms: u64,
        signal: impl FnOnce(&str),
    ) -> Vec<String> {
        let Some(messenger) = self.messenger.get() else { return Vec::new() };
        let alone = self.is_alone(messenger.moment(), after_ms);
        let sent = held(&self.under_way).drain(..).collect::<Vec<_>>();
        let mut said: Vec<String> =
            sent.into_iter().filter_map(|message| message.join().ok().flatten()).collect();
        let RunEnd { outcome, question, next } = held(&self.end).clone();
        let (code, text) = match done {
            Ok(code) => (*code, question.unwrap_or(outcome.clone())),
            Err(error) => (error.code, error.message.clone()),
        };
        if let Some(reason) = Reason::for_end(code, &outcome, messenger.stopped()).filter(|_| alone) {
            let notice = messenger.completed(self.notice(reason, &text, &next));
            signal(&notice.line());
            said.extend(messenger.send(&notice));
        }
        said
    }

    /// Whether nobody has typed anything for so long that nobody seems to look.
    fn is_alone(&self, now: Moment, after_ms: u64) -> bool {
        now.ms_since(*held(&self.seen)) >= after_ms
    }

    fn notice(&self, reason: Reason, text: &str, next: &str) -> Notice {
        let next = if next.is_empty() { "redraft status" } else { next };
        Notice {
            v: 1,
            repository: String::new(),
            feature: held(&self.feature).clone(),
            reason: reason.name(),
            text: text.to_owned(),
            next: next.to_owned(),
            link: String::new(),
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_says_what_a_person_has_to_do_with_it() {
        for (code, outcome, reason) in [
            (ErrorCode::Done, "approved", Some("ended")),
            (ErrorCode::NotApproved, "findings", Some("ended")),
            (ErrorCode::Limit, "parked", Some("parked")),
            (ErrorCode::Limit, "waiting", Some("waiting")),
            (ErrorCode::Limit, "over budget", Some("waiting")),
            (ErrorCode::Waiting, "", Some("waiting")),
            (ErrorCode::Config, "", Some("failed")),
            (ErrorCode::Interrupted, "interrupted", Some("waiting")),
        ] {
            assert_eq!(Reason::for_end(code, outcome, false).map(Reason::name), reason, "{code:?} {outcome}");
        }
        assert_eq!(
            Reason::for_end(ErrorCode::Interrupted, "interrupted", true),
            None,
            "whoever stops it looks"
        );
    }

    #[test]
    fn a_line_for_a_terminal_is_short_and_has_nothing_that_a_terminal_obeys() {
        let notice = Notice {
            v: 1,
            repository: "/home/me/shop".to_owned(),
            feature: "001".to_owned(),
            reason: "waiting",
            text: format!("which\x1b]9;x\x07 one?\n{}", "y".repeat(900)),
            next: String::new(),
            link: String::new(),
        };
        let line = notice.line();
        assert!(line.starts_with("redraft: shop 001 waiting: which ]9;x one? yyy"), "{line}");
        assert!(line.chars().count() <= TEXT_CHARS && !line.contains(char::is_control), "{line}");
    }
}
