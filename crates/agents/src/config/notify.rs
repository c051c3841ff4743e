//! How a person who is not looking is told that a run waits or has ended: `[notify]` of both files.
//!
//! Nothing is run here. A command of `redraft.toml` holds once a person has accepted it; until then that of the user's
//! own file does.

use super::error::ConfigError;
use super::file::OwnNotifyFile;
use super::source::Source;
use super::{Config, Needed, TerminalSettings};
use toml::Spanned;

/// The commands that tell a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NotifyCommands {
    /// That of the user's own file.
    pub(super) own: Option<String>,
    /// That of `redraft.toml`.
    pub(super) repository: Option<String>,
}

impl Config {
    /// The command that tells a person; none where nobody has written or accepted one.
    pub fn notify_command(&self) -> Option<&str> {
        let NotifyCommands { own, repository } = &self.notify;
        let repository = repository.as_ref().filter(|_| !self.holds_back_notices());
        repository.or(own.as_ref()).map(String::as_str)
    }

    /// Whether `redraft.toml` has a command for that which nobody has accepted.
    pub fn holds_back_notices(&self) -> bool {
        !self.unaccepted(|needed| *needed == Needed::ByNotices).is_empty()
    }
}

impl Source<'_> {
    /// A command with something in it.
    pub(super) fn notify_command(
        &self,
        written: Option<&Spanned<String>>,
    ) -> Result<Option<String>, ConfigError> {
        match written {
            Some(command) if command.get_ref().contains('\0') => {
                Err(self.wrong(&command.span(), "a command cannot hold a NUL character".to_owned()))
            }
            Some(command) if !command.get_ref().trim().is_empty() => Ok(Some(command.get_ref().clone())),
            Some(_) | None => Ok(None),
        }
    }

    /// What the terminal does.
    pub(super) fn terminal_notices(
        &self,
        settings: &mut TerminalSettings,
        file: &OwnNotifyFile,
    ) -> Result<(), ConfigError> {
        settings.bell = file.bell.as_ref().is_none_or(|said| *said.get_ref());
        self.number(&mut settings.after_seconds, file.after_seconds.as_ref(), "after_seconds", 0..=86_400)
    }
}
