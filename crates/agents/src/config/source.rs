//! A file of settings as it is read: the text that errors point into, and what every table of it is read with.

use super::error::ConfigError;
use super::file::Whole;
use redraft_facts::ids::Role;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use toml::Spanned;

/// Where the file came from, for messages, and what it may name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) path: &'a Path,
    pub(super) roles: &'a [Role],
}

impl Source<'_> {
    /// An error that points at these bytes of the file.
    pub(super) fn wrong(&self, span: &Range<usize>, message: String) -> ConfigError {
        ConfigError::new(self.path, message).at(self.text, span)
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(
        &self,
        target: &mut T,
        written: Option<&Spanned<String>>,
        what: &str,
        known: &[(&str, T)],
    ) -> Result<(), ConfigError> {
        let Some(written) = written else { return Ok(()) };
        let word = written.get_ref();
        match known.iter().find(|(name, _)| name == word) {
            Some((_, value)) => {
                *target = *value;
                Ok(())
            }
            None => {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                let message = format!("`{word}` is not {what} (known: {})", names.join(", "));
                Err(self.wrong(&written.span(), message).meant(word, names))
            }
        }
    }

    /// A whole number within bounds.
    pub(super) fn number<T: Copy + TryFrom<i64>>(
        &self,
        target: &mut T,
        written: Option<&Spanned<Whole>>,
        key: &str,
        bounds: RangeInclusive<i64>,
    ) -> Result<(), ConfigError> {
        let Some(written) = written else { return Ok(()) };
        let Whole(value) = *written.get_ref();
        let (least, most) = (*bounds.start(), *bounds.end());
        match T::try_from(value) {
            Ok(fits) if bounds.contains(&value) => {
                *target = fits;
                Ok(())
            }
            Ok(_) | Err(_) => {
                let message = format!("{key} = {value} is out of bounds ({least} to {most})");
                let near = value.clamp(least, most);
                Err(self.wrong(&written.span(), message).hint(format!("the nearest valid value is {near}")))
            }
        }
    }
}
