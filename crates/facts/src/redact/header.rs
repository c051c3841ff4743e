//! Credentials that travel with a request: `Authorization` headers, cookies and passwords in URLs.

use super::base64::{holds_password, is_stand_in};
use super::entropy::{is_made_up, is_measure, is_placeholder, looks_drawn, looks_random};
use super::{Hit, SecretKind};
use crate::prelude::*;

const AUTHORIZATION: &str = "authorization";
/// A token directly after the header's name may be short; `bearer` in a sentence needs a longer one.
const NAMED_CHARS_MIN: usize = 8;
const UNNAMED_CHARS_MIN: usize = 16;
/// A token after `bearer` in a sentence that does not look random must be this long and have this many digits.
const PLAIN_CHARS_MIN: usize = 20;
const PLAIN_DIGITS_MIN: usize = 4;
const COOKIE_CHARS_MIN: usize = 16;
const URL_PASSWORD_CHARS_MIN: usize = 4;

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    authorization(text, hits);
    cookies(text, hits);
    for (at, _) in text.match_indices("://") {
        url_password(text, at + "://".len(), hits);
    }
}

#[derive(Clone, Copy)]
enum Scheme {
    /// `Bearer` and `Token`, which is GitHub's word for the same.
    Bearer,
    Basic,
}

const SCHEMES: [(&str, Scheme); 3] =
    [("bearer", Scheme::Bearer), ("token", Scheme::Bearer), ("basic", Scheme::Basic)];

fn authorization(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        if !matches!(bytes[at], b'b' | b'B' | b't' | b'T') || at > 0 && bytes[at - 1].is_ascii_alphanumeric()
        {
            continue;
        }
        let begins = |name: &str| {
            let word = bytes.get(at..at + name.len());
            word.is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
        };
        let Some((name, scheme)) = SCHEMES.iter().find(|(name, _)| begins(name)) else { continue };
        let behind = at + name.len();
        let gap = bytes[behind..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        if gap == 0 {
            continue;
        }
        let start = behind + gap;
        let end = start + bytes[start..].iter().take_while(|b| in_token(**b)).count();
        let named = follows_the_name(&bytes[..at]);
        if is_credential(&text[start..end], *scheme, named, *name == "token") {
            hits.push(Hit { kind: SecretKind::Authorization, range: start..end });
        }
    }
}

/// Whether the word after a scheme is a credential. After `token`, which is a common word, only in the header.
fn is_credential(token: &str, scheme: Scheme, named: bool, common: bool) -> bool {
    match scheme {
        Scheme::Basic => holds_password(token) || named && looks_random(token, NAMED_CHARS_MIN),
        Scheme::Bearer if named => {
            looks_random(token, NAMED_CHARS_MIN) || token.len() >= NAMED_CHARS_MIN && is_issued(token, 1)
        }
        Scheme::Bearer => {
            let plain = token.len() >= PLAIN_CHARS_MIN && is_issued(token, PLAIN_DIGITS_MIN);
            !common
                && (looks_random(token, UNNAMED_CHARS_MIN) || looks_drawn(token, PLAIN_CHARS_MIN) || plain)
        }
    }
}

/// Whether a token has letters and at least this many digits, and no sign that it is made up.
fn is_issued(token: &str, digits_min: usize) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let letters = token.bytes().filter(u8::is_ascii_alphabetic).count();
    digits >= digits_min && letters >= 4 && !is_placeholder(token) && !is_made_up(token) && !is_measure(token)
}

/// Whether `Authorization` comes directly before, with only what may separate it from the scheme: `": "`, `=`, a quote.
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

/// The random values of `Cookie: a=…; b=…` and `Set-Cookie: a=…; Path=/`.
fn cookies(text: &str, hits: &mut Vec<Hit>) {
    const NAME: &str = "ookie:";
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(found) = text[from..].find(NAME) {
        let start = from + found + NAME.len();
        let ends = |b: &u8| matches!(b, b'\n' | b'\r' | b'"' | b'\'' | b'`');
        let end = bytes[start..].iter().position(ends).map_or(bytes.len(), |at| start + at);
        let mut at = start;
        for pair in text[start..end].split(';') {
            let name = pair.find('=').map(|sign| sign + 1);
            if let Some(sign) = name.filter(|sign| looks_random(pair[*sign..].trim(), COOKIE_CHARS_MIN)) {
                let value = &pair[sign..];
                let start = at + sign + (value.len() - value.trim_start().len());
                hits.push(Hit { kind: SecretKind::Cookie, range: start..start + value.trim().len() });
            }
            at += pair.len() + 1;
        }
        from = end;
    }
}

/// `user:password@` after the `://` that ends at `start`.
fn url_password(text: &str, start: usize, hits: &mut Vec<Hit>) {
    let ends = |b: &u8| {
        b.is_ascii_whitespace() || matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    let bytes = &text.as_bytes()[start..];
    let authority = &text[start..start + bytes.iter().position(ends).unwrap_or(bytes.len())];
    let Some((info, _)) = authority.rsplit_once('@') else { return };
    let Some((user, password)) = info.split_once(':') else {
        // `https://TOKEN@host`: a token in the place of the user.
        if looks_random(info, UNNAMED_CHARS_MIN) {
            hits.push(Hit { kind: SecretKind::UrlPassword, range: start..start + info.len() });
        }
        return;
    };
    if password.chars().count() < URL_PASSWORD_CHARS_MIN || is_stand_in(user, password) {
        return;
    }
    let from = start + user.len() + 1;
    hits.push(Hit { kind: SecretKind::UrlPassword, range: from..from + password.len() });
}
