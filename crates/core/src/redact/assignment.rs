//! Values under names that say they are secret: `api_key = "…"`, `"token": "…"`, `SECRET=…`.
//!
//! One of high entropy is a secret wherever it stands. A password made of words (`passphrase` judges those) is one only
//! where a value is written down and not described.
//! The search stands on each `=` and `:`, reads the name before it and the value behind it, and hides the value only.

use super::base64::holds_password;
use super::entropy::{is_placeholder, looks_random};
use super::passphrase;
use super::{Hit, Kind};
use crate::prelude::*;
use core::ops::Range;

const VALUE_CHARS_MIN: usize = 16;
const AWS_SECRET_CHARS: usize = 40;
const NAME_BYTES_MAX: usize = 64;
/// A longer word behind a name is no password.
const VALUE_BYTES_MAX: usize = 160;
/// How many spaces, quotes and brackets may stand between a name, its `=` and its value.
const BETWEEN_MAX: usize = 8;

/// Parts of names that announce a secret, without dashes and underscores.
const SECRET: [&str; 18] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "accountkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "sharedkey",
    "storagekey",
    "authkey",
    "credential",
    "cookie",
    "webhook",
];
/// Ends of names that announce one, where they are a word of their own.
const SECRET_ENDS: [&str; 3] = ["pass", "pwd", "auth"];
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
        } else if let Some(range) = in_yaml(text, at, &name) {
            hits.push(Hit { kind: Kind::Assignment, range });
        }
    }
    for (at, _) in text.match_indices("--") {
        option(text, at, hits);
    }
}

/// The value of `password: value` where that is all of a line, as in a file of settings.
fn in_yaml(text: &str, colon: usize, name: &Name) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if bytes[colon] != b':' || bytes.get(colon + 1) != Some(&b' ') {
        return None;
    }
    let frame = |b: &&u8| b" \t+->|\"'".contains(b) || b.is_ascii_digit();
    let before = &bytes[..name.start];
    let indent = before.iter().rev().take(NAME_BYTES_MAX).take_while(frame).count();
    if before[..name.start - indent].last().is_some_and(|b| *b != b'\n') {
        return None;
    }
    let gap = bytes[colon + 1..].iter().take(BETWEEN_MAX).take_while(|b| **b == b' ').count();
    let start = colon + 1 + gap;
    let end =
        start + bytes[start..].iter().take(VALUE_BYTES_MAX).take_while(|b| b.is_ascii_graphic()).count();
    let rest = bytes[end..].iter().take(BETWEEN_MAX).find(|b| !matches!(b, b' ' | b'\t' | b'\r'));
    let alone = rest.is_none_or(|b| matches!(b, b'\n' | b'#'));
    (alone && passphrase::is_one_in_yaml(&name.plain, &text[start..end])).then_some(start..end)
}

/// The value of `--password value`, which stands behind a space.
fn option(text: &str, dashes: usize, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let begins = dashes.checked_sub(1).is_none_or(|before| !bytes[before].is_ascii_graphic());
    let name = dashes + 2;
    let in_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'-';
    let end = name + bytes[name..].iter().take(NAME_BYTES_MAX).take_while(in_name).count();
    if !begins || bytes.get(end) != Some(&b' ') || !is_secret(&text[name..end]) {
        return;
    }
    let Some(Value { range, quote }) = value_after(text, end + 1) else { return };
    let (plain, value) = (plain(&text[name..end]), &text[range.clone()]);
    if judge(&plain, value, quote.is_some()).is_some() || passphrase::is_one_in_yaml(&plain, value) {
        hits.push(Hit { kind: Kind::Assignment, range });
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
    /// Where it begins.
    start: usize,
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
    // What docker and npm keep: user and password in base64.
    let hidden = name.ends_with("auth") && holds_password(value);
    match (secret, hidden) {
        (_, true) => Some(Kind::Authorization),
        (true, false) => Some(Kind::Assignment),
        (false, false) => None,
    }
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
    let Range { start, end } = identifier_before(text, at);
    let adjacent = &text[start..end];
    if is_secret(adjacent) {
        let capitals = text.as_bytes()[at] == b'=' && !adjacent.bytes().any(|b| b.is_ascii_lowercase());
        return Some(Name { plain: plain(adjacent), capitals, start });
    }
    // In `api_key: str = "…"` the type stands between the name and the sign.
    if text.as_bytes()[at] != b'=' {
        return None;
    }
    let window = &text.as_bytes()[at.saturating_sub(NAME_BYTES_MAX)..at];
    let stop = |b: &u8| matches!(b, b'\n' | b';' | b',' | b'{' | b'}' | b'(' | b')' | b'?' | b'"' | b'=');
    let from = window.iter().rposition(stop).map_or(0, |stop| stop + 1);
    let colon = at - window.len() + from + window[from..].iter().position(|b| *b == b':')?;
    let Range { start, end } = identifier_before(text, colon);
    let typed = &text[start..end];
    is_secret(typed).then(|| Name { plain: plain(typed), capitals: false, start })
}

/// The identifier before `at`, past spaces, quotes and brackets. Empty if there is none.
fn identifier_before(text: &str, at: usize) -> Range<usize> {
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
    end - length..end
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

fn is_secret(written: &str) -> bool {
    let name = plain(written);
    let says_so =
        SECRET.iter().any(|part| name.contains(part)) || name.ends_with("pwd") || ends_in_a_word(written);
    says_so && !name.contains("tokeni") && !ABOUT.iter().any(|end| name.ends_with(end))
}

/// `DB_PASS`, `smtpPass`, `.auth`, `pass`, but not `bypass`.
fn ends_in_a_word(written: &str) -> bool {
    let lower = written.to_ascii_lowercase();
    let Some(end) = SECRET_ENDS.iter().find(|end| lower.ends_with(**end)) else { return false };
    let at = written.len() - end.len();
    let before = at.checked_sub(1).map(|before| written.as_bytes()[before]);
    let hump = written.as_bytes()[at].is_ascii_uppercase() && before.is_some_and(|b| b.is_ascii_lowercase());
    before.is_none_or(|b| !b.is_ascii_alphanumeric()) || hump
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
            // An escaped quote belongs to the value.
            b'\\' if bytes.get(end + 1).is_some_and(|next| matches!(next, b'\\' | b'"' | b'\'')) => end += 2,
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
