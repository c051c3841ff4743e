//! What is wrong with a configuration file, where, and what was probably meant.

use super::nearest::nearest;
use redraft_facts::redact::Redactor;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    pub path: PathBuf,
    /// Counted from 1.
    pub line: Option<usize>,
    pub message: String,
    /// What to do about it, where that is likely.
    pub hint: Option<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for ConfigError {}

impl ConfigError {
    pub(super) fn new(path: &Path, message: impl Into<String>) -> ConfigError {
        // A misplaced value may be a key.
        let message = Redactor::default().redact(&message.into()).0.into_owned();
        ConfigError { path: path.to_owned(), line: None, message, hint: None }
    }

    pub(super) fn at(mut self, text: &str, span: &Range<usize>) -> ConfigError {
        self.line = Some(line_of(text.as_bytes(), span.start));
        self
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> ConfigError {
        self.hint = Some(hint.into());
        self
    }

    /// Names the nearest of the words that would have been right, if one is near.
    pub(super) fn meant<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> ConfigError {
        match nearest(word, known) {
            Some(near) => self.hint(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

/// The file as text, without the mark that some editors put before it.
pub(super) fn text<'a>(bytes: &'a [u8], path: &Path) -> Result<&'a str, ConfigError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let mut wrong = ConfigError::new(path, "it is not UTF-8 text").hint("save it as UTF-8");
            wrong.line = Some(line_of(bytes, error.valid_up_to()));
            Err(wrong)
        }
    }
}

fn line_of(bytes: &[u8], offset: usize) -> usize {
    1 + bytes.iter().take(offset).filter(|byte| **byte == b'\n').count()
}
