//! Values under names that say they are secret: `api_key = "…"`, `"token": "…"`, `SECRET=…`.
//!
//! One of high entropy is a secret wherever it stands. A password made of words (`passphrase` judges those) is one only
//! where a value is written down and not described.
//! The search stands on each `=` and `:`, reads the name before it and the value behind it, and hides the value only.

use super::entropy::{is_placeholder, looks_random};
use super::passphrase;
use super::{Hit, Kind};
use crate::prelude::*;
use core::ops::Range;

const VALUE_CHARS_MIN: usize = 16;
const AWS_SECRET_CHARS: usize = 40;
const NAME_BYTES_MAX: usize = 64;
/// How many spaces, quotes and brackets may stand between a name, its `=` and its value.
const BETWEEN_MAX: usize = 8;

/// Parts of names that announce a secret, without dashes and underscores.
const SECRET: [&str; 9] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
];
/// Ends of names that announce something about a secret instead.
const ABOUT: [&str; 22] = [
    "hash",
    "digest",
    "sha1",
    "sha256",
    "checksum",
    "fingerprint",
    "name",
    "type",
    "path",
    "file",
    "url",
    "uri",
    "id",
    "count",
    "limit",
    "length",
    "ref",
    "version",
    "field",
    "header",
    "prefix",
    "pattern",
];

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    for (at, sign) in bytes.iter().enumerate() {
        if !matches!(sign, b'=' | b':') || is_path_or_part(bytes, at) {
            continue;
        }
        let Some(name) = name_before(text, at) else { continue };
        let Some(Value { range, quote }) = value_after(text, at + 1) else { continue };
        let value = &text[range.clone()];
        let plainly = Written { quote, adjacent: range.start == at + 1, compared: is_comparison(bytes, at) };
        let spoken = || is_spoken(&name, value, &plainly).then_some(Kind::Assignment);
        if let Some(kind) = judge(&name.plain, value, quote.is_some()).or_else(spoken) {
            hits.push(Hit { kind, range });
        }
    }
}

struct Value {
    range: Range<usize>,
    quote: Option<u8>,
}

/// A name that sounds secret.
struct Name {
    /// In the form it is compared in.
    plain: String,
    /// `DB_PASSWORD` and not `password`: what a shell or a file of settings assigns to.
    capitals: bool,
}

/// How a value stands behind its name.
struct Written {
    quote: Option<u8>,
    /// Right behind the sign.
    adjacent: bool,
    /// Behind `==` or `!=`.
    compared: bool,
}

/// Whether a value that is not random is a secret all the same: a quoted one, or one that a shell would assign. What
/// stands in backticks is usually spoken about.
fn is_spoken(name: &Name, value: &str, written: &Written) -> bool {
    let assigned = match written.quote {
        Some(b'"' | b'\'') => true,
        Some(_) => false,
        None => name.capitals && written.adjacent,
    };
    assigned && !written.compared && passphrase::is_one(&name.plain, value)
}

fn judge(name: &str, value: &str, quoted: bool) -> Option<Kind> {
    let aws = name.contains("secretaccesskey") || name.contains("awssecret") || name.contains("secretkey");
    if aws && is_aws_secret(value) {
        return Some(Kind::AwsSecret);
    }
    let random = |value: &str| looks_random(value, VALUE_CHARS_MIN);
    // Without quotes, dots join the parts of a name in code; only a part that is random by itself is a secret.
    let secret = if quoted { random(value) } else { value.split('.').any(random) && !is_placeholder(value) };
    secret.then_some(Kind::Assignment)
}

fn is_aws_secret(value: &str) -> bool {
    let has = |class: fn(&u8) -> bool| value.as_bytes().iter().any(class);
    value.len() == AWS_SECRET_CHARS
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'+'))
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
}

/// `::`, `://`, and the first half of `:=`, `==` and `=>`, whose second half is looked at instead.
fn is_path_or_part(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| bytes[i]);
    match (bytes[at], bytes.get(at + 1)) {
        (b':', Some(b':' | b'=' | b'/')) => true,
        (b':', _) => before == Some(b':'),
        (_, Some(b'=')) => true,
        _ => false,
    }
}

fn is_comparison(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'=' && at.checked_sub(1).is_some_and(|before| matches!(bytes[before], b'=' | b'!'))
}

/// The secret-sounding name that the sign at `at` assigns to.
fn name_before(text: &str, at: usize) -> Option<Name> {
    let adjacent = identifier_before(text, at);
    if is_secret(&plain(adjacent)) {
        let capitals = text.as_bytes()[at] == b'=' && !adjacent.bytes().any(|b| b.is_ascii_lowercase());
        return Some(Name { plain: plain(adjacent), capitals });
    }
    // In `api_key: str = "…"` the type stands between the name and the sign.
    if text.as_bytes()[at] != b'=' {
        return None;
    }
    let window = &text.as_bytes()[at.saturating_sub(NAME_BYTES_MAX)..at];
    let stop = |b: &u8| matches!(b, b'\n' | b';' | b',' | b'{' | b'}' | b'(' | b')' | b'?' | b'"' | b'=');
    let from = window.iter().rposition(stop).map_or(0, |stop| stop + 1);
    let colon = at - window.len() + from + window[from..].iter().position(|b| *b == b':')?;
    let typed = plain(identifier_before(text, colon));
    is_secret(&typed).then_some(Name { plain: typed, capitals: false })
}

/// The identifier before `at`, past spaces, quotes and brackets. Empty if there is none.
fn identifier_before(text: &str, at: usize) -> &str {
    let between = |b: &&u8| {
        matches!(
            b,
            b' ' | b'\t' | b'"' | b'\'' | b'`' | b'\\' | b']' | b'*' | b':' | b'=' | b'!' | b'?' | b'+'
        )
    };
    let before = &text.as_bytes()[..at];
    let end = at - before.iter().rev().take(BETWEEN_MAX).take_while(between).count();
    let part_of_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'$');
    let length = before[..end].iter().rev().take(NAME_BYTES_MAX).take_while(part_of_name).count();
    &text[end - length..end]
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

fn is_secret(name: &str) -> bool {
    let says_so = SECRET.iter().any(|part| name.contains(part)) || name.ends_with("pwd");
    says_so && !name.contains("tokeni") && !ABOUT.iter().any(|end| name.ends_with(end))
}

fn value_after(text: &str, from: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let between = |b: &&u8| matches!(b, b' ' | b'\t' | b'*' | b'>');
    let mut start = from + bytes[from..].iter().take(BETWEEN_MAX).take_while(between).count();
    let is_quote = |at: usize| matches!(bytes.get(at), Some(b'"' | b'\'' | b'`'));
    let escaped = bytes.get(start) == Some(&b'\\');
    // Past the backslashes of a quote inside a quote, or the letter of `b"…"`.
    start += bytes[start..].iter().take(BETWEEN_MAX).take_while(|b| **b == b'\\').count();
    if bytes.get(start).is_some_and(u8::is_ascii_alphabetic) && is_quote(start + 1) {
        start += 1;
    }
    let quote = bytes.get(start).copied().filter(|_| is_quote(start));
    let range = if quote.is_some() { inside_quotes(bytes, start, escaped)? } else { bare(bytes, start)? };
    Some(Value { range, quote })
}

/// Up to the closing quote; a value with a space in it is a sentence, not a secret.
fn inside_quotes(bytes: &[u8], open: usize, escaped: bool) -> Option<Range<usize>> {
    let quote = bytes[open];
    let start = open + 1;
    let mut end = start;
    while let Some(b) = bytes.get(end) {
        match b {
            b if *b == quote => break,
            b'\\' if escaped => break,
            b if !b.is_ascii_graphic() => return None,
            _ => end += 1,
        }
    }
    Some(start..end)
}

/// Up to a character that ends a word in a shell, a query string or a program; none for a call or a path in code.
fn bare(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let in_value = |b: &&u8| b.is_ascii_alphanumeric() || b"_-./+~!@#$%^*".contains(b);
    let mut end = start + bytes[start..].iter().take_while(in_value).count();
    end += bytes[end..].iter().take(2).take_while(|b| **b == b'=').count();
    let is_code = matches!(bytes.get(end), Some(b'(' | b'[' | b'{' | b'<'))
        || bytes.get(end..end + 2).is_some_and(|two| two == b"::");
    while end > start && matches!(bytes[end - 1], b'.' | b'!' | b'*') {
        end -= 1;
    }
    (!is_code).then_some(start..end)
}
