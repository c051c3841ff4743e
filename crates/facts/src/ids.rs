//! Identifiers, one newtype each, so that a role cannot be passed where a revision is meant.

use crate::prelude::*;
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

mod slug;
pub(crate) mod stored;

pub use slug::{SLUG_BYTES_MAX, is_slug, slug};

/// A word that was not an identifier of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not {expected}")]
pub struct BadId {
    pub word: String,
    pub expected: &'static str,
}

impl BadId {
    pub(crate) fn new(word: &str, expected: &'static str) -> Self {
        Self { word: word.to_owned(), expected }
    }
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident $(, $read_by:literal)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name($(#[serde(deserialize_with = $read_by)])? String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// Who does a piece of work: `spec-author`, `spec-reviewer`, … The profile behind it is in `roles::profile`.
    Role
);
text_id!(
    /// The git tree id of a phase's named paths. Two revisions are the same bytes exactly when they are equal.
    Revision,
    "stored::object_id"
);
text_id!(
    /// The sha256 of a stored prompt or answer, in lower-case hex.
    BlobId
);
text_id!(
    /// A conversation an agent can continue.
    SessionId
);
text_id!(
    /// A configured agent: `rehearsal`, `claude`, …
    AgentName
);
text_id!(
    /// A finding's name, unique in its phase: role letter and running number, `S3`.
    FindingId
);

text_id!(
    /// What tells a person's comment from every other: random, in hex.
    CommentId,
    "stored::part_of_a_name"
);

text_id!(
    /// A random UUID in its usual form: the identity of a feature or a review in every clone.
    FeatureUuid,
    "stored::uuid"
);

text_id!(
    /// A task of a task list as it names itself there: `1.2`, `T3`, `Final.1`.
    TaskId
);

impl SessionId {
    /// Whether it can be mistaken for nothing else on a command line or in a file's name: letters, digits, `-` and `_`,
    /// and no leading dash. Services and our own names keep to that.
    pub fn is_plain(&self) -> bool {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !self.0.is_empty() && !self.0.starts_with('-') && self.0.bytes().all(plain)
    }
}

impl Revision {
    /// Enough of the id to recognise it in a sentence.
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

/// What is stored of a number that two clones gave out is `letter * NUMBERS + number`: 1,000,031 is `031b`.
const NUMBERS: u32 = 1_000_000;

/// `b` to `z`.
const LETTERS: u32 = 25;

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as it was given out, in one clone.
            pub fn number(self) -> u32 {
                self.0 % NUMBERS
            }

            /// The same number with the next letter: of another clone that gave it out, too. None after `z`.
            pub fn next_letter(self) -> Option<Self> {
                (self.0 / NUMBERS < LETTERS).then(|| Self(self.0 + NUMBERS))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:03}", self.number())?;
                match u8::try_from(self.0 / NUMBERS) {
                    Ok(0) | Err(_) => Ok(()),
                    Ok(letter) => write!(f, "{}", char::from(b'a'.saturating_add(letter))),
                }
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(word: &str) -> Result<Self, BadId> {
                let bad = || BadId::new(word, $what);
                let (digits, letter) = match word.as_bytes().last() {
                    Some(letter @ b'b'..=b'z') => (&word[..word.len() - 1], u32::from(letter - b'a')),
                    _ => (word, 0),
                };
                if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(bad());
                }
                let number: u32 = digits.parse().map_err(|_| bad())?;
                (number < NUMBERS).then(|| Self(number + letter * NUMBERS)).ok_or_else(bad)
            }
        }
    };
}

number_id!(
    /// A feature's number, shown as `031`.
    FeatureId,
    "a feature number"
);
number_id!(
    /// The number of a review of one document by itself, shown as `003`; numbered apart from features.
    ReviewId,
    "the number of a review"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_that_would_be_an_option_or_a_path_is_not_plain() {
        for (name, plain) in [
            ("0199a213-81c0-7800-8aa1-bbab2a035a53", true),
            ("thread_1", true),
            ("", false),
            ("-cmcp_servers.x.command=sh", false),
            ("--dangerously-skip-permissions", false),
            ("../../.bashrc", false),
            ("a b", false),
            ("a\nb", false),
        ] {
            assert_eq!(SessionId::new(name).is_plain(), plain, "{name}");
        }
    }

    #[test]
    fn a_feature_number_is_digits_only() {
        assert_eq!("031".parse(), Ok(FeatureId(31)));
        assert_eq!(FeatureId(7).to_string(), "007");
        assert!("+31".parse::<FeatureId>().is_err());
        assert!("".parse::<FeatureId>().is_err());
        for word in ["b", "031a", "031B", "031bc", "1000000", "4294967295"] {
            assert!(word.parse::<FeatureId>().is_err(), "{word}");
        }
    }

    #[test]
    fn a_number_that_two_clones_gave_out_has_a_letter() {
        let second = FeatureId(31).next_letter().unwrap();
        assert_eq!((second.to_string().as_str(), second.number()), ("031b", 31));
        assert_eq!("031b".parse(), Ok(second));
        assert_eq!(second.next_letter().unwrap().to_string(), "031c");
        let last: FeatureId = "031z".parse().unwrap();
        assert_eq!(last.next_letter(), None);
    }
}
