//! `[checks]`: commands that say whether code is sound; `[implement]`: what else is done to it.

use super::error::ConfigError;
use super::file::ImplementFile;
use super::source::Source;
use redraft_engine::ports::Check;
use redraft_facts::event::Extra;
use std::collections::BTreeMap;
use toml::Spanned;

impl Source<'_> {
    /// In the order they stand in the file: cheap ones are written first.
    pub(super) fn checks(
        &self,
        file: &BTreeMap<Spanned<String>, Spanned<String>>,
    ) -> Result<Vec<Check>, ConfigError> {
        let mut written: Vec<_> = file.iter().collect();
        written.sort_by_key(|(name, _)| name.span().start);
        written.into_iter().map(|(name, command)| self.check(name, command)).collect()
    }

    fn check(&self, name: &Spanned<String>, command: &Spanned<String>) -> Result<Check, ConfigError> {
        let (word, text) = (name.get_ref(), command.get_ref().trim());
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if word.is_empty() || !word.bytes().all(plain) {
            let message = format!("`{word}` cannot be the name of a check");
            return Err(self.wrong(&name.span(), message).hint("use letters, digits, `-` and `_`"));
        }
        if text.is_empty() {
            let message = format!("the check `{word}` has no command");
            return Err(self.wrong(&command.span(), message).hint("write one, or remove the line"));
        }
        if text.contains('\0') {
            return Err(self.wrong(&command.span(), "a command cannot hold a NUL character".to_owned()));
        }
        Ok(Check { name: word.clone(), command: text.to_owned() })
    }
}

/// Both unless the file says no.
pub(super) fn extras(file: &ImplementFile) -> Vec<Extra> {
    let wanted = [(Extra::Simplify, &file.simplify), (Extra::Deepen, &file.deepen)];
    let on = |said: &Option<Spanned<bool>>| said.as_ref().is_none_or(|said| *said.get_ref());
    wanted.into_iter().filter(|(_, said)| on(said)).map(|(extra, _)| extra).collect()
}
