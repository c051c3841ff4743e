//! Credentials that travel with a request: `Authorization` headers and passwords in URLs.

use super::entropy::{is_placeholder, looks_random};
use super::{Hit, Kind};
use crate::prelude::*;

const AUTHORIZATION: &str = "authorization";
/// A token right behind the header's name may be short; `bearer` in a sentence needs a longer one.
const NAMED_CHARS_MIN: usize = 8;
const UNNAMED_CHARS_MIN: usize = 16;
const URL_PASSWORD_CHARS_MIN: usize = 4;
/// What documentation writes where a password goes.
const URL_PLACEHOLDERS: [&str; 8] =
    ["password", "passwd", "pass", "pwd", "secret", "token", "mypassword", "my-password"];

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    authorization(text, hits);
    for (at, _) in text.match_indices("://") {
        url_password(text, at + "://".len(), hits);
    }
}

fn authorization(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        if !matches!(bytes[at], b'b' | b'B') || at > 0 && bytes[at - 1].is_ascii_alphanumeric() {
            continue;
        }
        let scheme = |name: &str| {
            let word = bytes.get(at..at + name.len());
            word.is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes())).then_some(name.len())
        };
        let named = || follows_the_name(&bytes[..at]);
        let (length, least) = match (scheme("bearer"), scheme("basic")) {
            (Some(length), _) if named() => (length, NAMED_CHARS_MIN),
            (Some(length), _) => (length, UNNAMED_CHARS_MIN),
            (_, Some(length)) if named() => (length, NAMED_CHARS_MIN),
            _ => continue,
        };
        let gap = bytes[at + length..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let start = at + length + gap;
        let end = start + bytes[start..].iter().take_while(|b| in_token(**b)).count();
        if gap > 0 && looks_random(&text[start..end], least) {
            hits.push(Hit { kind: Kind::Authorization, range: start..end });
        }
    }
}

/// Whether `Authorization` and what may stand between it and the scheme come right before: `": "`, `=`, a quote.
fn follows_the_name(before: &[u8]) -> bool {
    const BETWEEN_MAX: usize = 8;
    let between = |b: &&u8| matches!(b, b':' | b'=' | b' ' | b'\t' | b'"' | b'\'' | b'\\' | b',' | b'>');
    let skipped = before.iter().rev().take(BETWEEN_MAX).take_while(between).count();
    let name = &before[..before.len() - skipped];
    let tail = &name[name.len().saturating_sub(AUTHORIZATION.len())..];
    tail.eq_ignore_ascii_case(AUTHORIZATION.as_bytes())
}

fn in_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
}

/// `user:password@` behind the `://` that ends at `start`.
fn url_password(text: &str, start: usize, hits: &mut Vec<Hit>) {
    let ends = |b: &u8| {
        b.is_ascii_whitespace() || matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    let bytes = &text.as_bytes()[start..];
    let authority = &text[start..start + bytes.iter().position(ends).unwrap_or(bytes.len())];
    let Some((user, password)) = authority.rsplit_once('@').and_then(|(info, _)| info.split_once(':')) else {
        return;
    };
    let is_word = URL_PLACEHOLDERS.iter().any(|word| password.eq_ignore_ascii_case(word));
    // `postgres:postgres@` is how a throw-away database is addressed.
    if password.chars().count() < URL_PASSWORD_CHARS_MIN
        || password == user
        || is_word
        || is_placeholder(password)
    {
        return;
    }
    let from = start + user.len() + 1;
    hits.push(Hit { kind: Kind::UrlPassword, range: from..from + password.len() });
}
