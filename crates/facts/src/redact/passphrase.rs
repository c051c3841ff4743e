//! Recognises passwords made of words, such as `correct-horse-battery`, which only the name before them gives away.
//!
//! Code and specifications are full of names that end in `password` or `token` before a word that is not a password: a
//! type, a rule, the name of a field, a path. A text that is taken for a secret is not committed, so in doubt it is not
//! taken for one.

use super::entropy::{is_made_up, is_measure, is_placeholder, is_uuid};

const CHARS_MIN: usize = 8;
/// Longer ones are texts or data; what is random among them is found by its entropy.
const CHARS_MAX: usize = 128;

/// Ends of names, without dashes and underscores, whose values are passwords that a person chose.
const PASSWORDS: [&str; 8] =
    ["password", "passwd", "passphrase", "pwd", "secret", "secretkey", "secretaccesskey", "pass"];
/// The same for values that a program issues; these always have digits.
const TOKENS: [&str; 4] = ["token", "apikey", "accesskey", "privatekey"];
/// Words at the end of a name that say which of several it is.
const WHICH: [&str; 14] = [
    "production",
    "prod",
    "staging",
    "stage",
    "development",
    "dev",
    "live",
    "local",
    "primary",
    "secondary",
    "main",
    "old",
    "new",
    "value",
];
/// Words in the place of a value that are not one, and the usual passwords of throw-away databases.
const WORDS: [&str; 22] = [
    "anything",
    "boolean",
    "disabled",
    "enabled",
    "encrypted",
    "forgotten",
    "generated",
    "hashed",
    "hidden",
    "incorrect",
    "invalid",
    "mandatory",
    "missing",
    "nullable",
    "optional",
    "postgres",
    "required",
    "undefined",
    "unchanged",
    "validation",
    "whatever",
    "localhost",
];
/// Parts of values that describe how a password is kept or what it must be.
const ABOUT: [&str; 20] = [
    "argon2", "bcrypt", "scrypt", "pbkdf2", "sha1", "sha-1", "sha2", "sha-2", "sha512", "md5", "base64",
    "utf8", "utf-8", "varchar", "oauth", "x509", "ed25519", "aes-", "aes256", "rsa-",
];
/// A value of letters with one of these in it is the name of a field, a header or a message.
const NAMES: [&str; 6] = ["pass", "pwd", "secret", "token", "key", "credential"];

/// Whether the value under this name, which sounds secret, is a password. The name is in lower case, without dashes.
pub(super) fn is_one(name: &str, value: &str) -> bool {
    let (password, token) = (ends(name, &PASSWORDS), ends(name, &TOKENS));
    (password || token)
        && (CHARS_MIN..=CHARS_MAX).contains(&value.len())
        && !is_placeholder(value)
        && !is_described(value)
        && (password || is_mixed(value))
}

/// Whether the value under this name is a password that a person chose.
pub(super) fn is_for_a_password(name: &str) -> bool {
    ends(name, &PASSWORDS)
}

fn ends(name: &str, list: &[&str]) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = WHICH.iter().find_map(|which| name.strip_suffix(which)).unwrap_or(name);
    list.iter().any(|end| name.ends_with(end))
}

/// Whether a value is a path, a name or a word about values.
fn is_described(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    let path = lower.starts_with(['/', '.', '~', '@', '#', '|', '%', '^']);
    // Quotes, brackets and the like belong to the code or the pattern around a value.
    let code = bytes.iter().any(|b| b"\"'`\\<>{}()[]=,;|&".contains(b));
    let one_character = bytes.iter().all(|b| *b == bytes[0]);
    let letters = bytes.iter().all(|b| b.is_ascii_alphabetic() || b"_-.: /".contains(b));
    let named = letters && NAMES.iter().any(|name| lower.contains(name));
    // `settings.database.url`, `DATABASE_URL`: where a value comes from.
    let dotted = letters && bytes.contains(&b'.');
    let constant = value.contains('_') && !value.bytes().any(|b| b.is_ascii_lowercase());
    path || code
        || one_character
        || named
        || dotted
        || constant
        || is_uuid(value)
        || WORDS.contains(&lower.as_str())
        || is_made_up(value)
}

/// Whether a value after a name and a colon, without quotes, as in YAML, is a password: a word there may be anything,
/// so there must be digits among the letters, or signs that no word has.
pub(super) fn is_one_in_yaml(name: &str, value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let signs = value.bytes().any(|b| b"!@#$%^*+?".contains(&b));
    let telling = is_mixed(value) || signs && value.bytes().any(|b| b.is_ascii_alphabetic());
    // `*name`, `&name` and `!tag` are YAML's own.
    let yaml = value.starts_with(['*', '&', '!']);
    telling
        && !yaml
        && !ABOUT.iter().any(|part| lower.contains(part))
        && !is_measure(value)
        && is_one(name, value)
}

/// Whether a value has letters and digits.
fn is_mixed(value: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphabetic();
    value.bytes().any(letter) && value.bytes().any(|b| b.is_ascii_digit())
}
