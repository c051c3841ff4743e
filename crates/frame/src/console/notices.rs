//! Notices on the terminal for a person who is not looking at it.

use super::{Console, can_rewrite_lines, write_at_once};
use crate::attention::{Messenger, RunEnd};
use crate::errors::{CliError, ErrorCode};
use redraft_facts::harmless;
use std::sync::Arc;

impl Console {
    /// From here on a person who is not looking can be told.
    pub(crate) fn tell_through(&self, messenger: Arc<dyn Messenger>) {
        self.attention.tell_through(messenger);
    }

    /// The feature or review that everything is about from now on.
    pub fn concerns(&self, feature: impl std::fmt::Display) {
        self.attention.concern(feature.to_string());
    }

    /// How the run ended, for what a person is told about it.
    pub fn ends(&self, end: RunEnd) {
        self.attention.note_end(end);
    }

    /// The command has ended: tells a person who is not looking.
    pub fn tell_end(&self, done: &Result<ErrorCode, CliError>) {
        let said = self.attention.end(done, self.after_ms(), |notice| self.signal(notice));
        self.say_all(&said);
    }

    fn after_ms(&self) -> u64 {
        self.manners.after_seconds.saturating_mul(1000)
    }

    /// A question is on the terminal.
    pub(super) fn call(&self, question: &str) {
        if let Some(notice) = self.attention.call(question, self.after_ms()) {
            self.signal(&notice);
        }
    }

    /// Rings the terminal's bell and hands it a notice (OSC 9), unless the user wants neither. Both leave the screen as
    /// it is; a terminal that knows no notices ignores them, except for Linux's own, which would print them.
    fn signal(&self, notice: &str) {
        if !self.manners.bell || self.json || self.quiet || !can_rewrite_lines() {
            return;
        }
        let notice = match std::env::var_os("TERM").is_some_and(|term| term == "linux") {
            true => String::new(),
            false => format!("\x1b]9;{}\x1b\\", harmless::name(notice)),
        };
        write_at_once(&format!("{notice}\x07"));
    }
}
