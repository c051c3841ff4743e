//! Text that a person typed, before its secrets are taken out.

use super::Redactor;
use crate::prelude::*;
use core::convert::Infallible;
use core::fmt;
use core::str::FromStr;

/// A text that a person typed: an idea, a reason, an answer, a name. It may hold a secret, so nobody can read it as it is:
/// it becomes a `String` without its secrets and without the space around it, or not at all.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Typed(String);

impl Typed {
    pub fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }

    /// How many characters it has, without the space around it.
    pub fn chars(&self) -> usize {
        self.0.trim().chars().count()
    }

    pub fn clean(&self, redactor: &Redactor) -> String {
        redactor.redact(self.0.trim()).0.into_owned()
    }
}

impl From<&str> for Typed {
    fn from(text: &str) -> Typed {
        Typed(text.to_owned())
    }
}

impl From<String> for Typed {
    fn from(text: String) -> Typed {
        Typed(text)
    }
}

impl FromStr for Typed {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Typed, Infallible> {
        Ok(Typed::from(text))
    }
}

/// Says how long it is and nothing else.
impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Typed({} characters)", self.chars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_read_only_without_its_secrets() {
        let redactor = Redactor::new(vec!["correct-horse-battery".to_owned()]);
        let typed = Typed::from("  it said correct-horse-battery\n");
        assert_eq!(typed.clean(&redactor), "it said [redacted:known]");
        assert_eq!(typed.chars(), "it said correct-horse-battery".len());
        assert!(!typed.is_empty() && Typed::from(" \n\t ").is_empty());
        assert_eq!(format!("{typed:?}"), "Typed(29 characters)");
    }
}
