//! Values under names that say they are secret: `api_key = "…"`, `"token": "…"`, `SECRET=…`.
//!
//! A value of high entropy is a secret wherever it occurs. A password made of words (`passphrase` judges those) is one
//! only where a value is actually given, not described. The search goes to each `=` and `:`, reads the name before it
//! and the value after it, and hides only the value.

mod value;

use super::base64::holds_password;
use super::entropy::{alternates_character_classes, is_placeholder, looks_drawn, looks_random};
use super::passphrase;
use super::{Hit, SecretKind};
use crate::prelude::*;
use core::ops::Range;
use value::value_after;

const VALUE_CHARS_MIN: usize = 16;
const AWS_SECRET_CHARS: usize = 40;
const NAME_BYTES_MAX: usize = 64;
/// A longer word after a name is no password.
const VALUE_BYTES_MAX: usize = 160;
/// In a sentence, shorter words after `password:` are examples or names.
const SENTENCE_CHARS_MIN: usize = 10;
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

/// The same, except that a value which is not an address is a secret: `SLACK_WEBHOOK_URL=` before a random value.
const ADDRESS: [&str; 2] = ["url", "uri"];
/// What stands before the colon of a digest.
const DIGESTS: [&str; 6] = ["sha1", "sha256", "sha384", "sha512", "md5", "blake3"];

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    for (at, sign) in bytes.iter().enumerate() {
        if !matches!(sign, b'=' | b':') || is_path_or_part(bytes, at) {
            continue;
        }
        let Some(name) = name_before(text, at) else { continue };
        let Some(Value { range, whole, quote }) = value_after(text, at + 1) else { continue };
        let (value, all) = (&text[range.clone()], &text[range.start..whole]);
        if name.address {
            if is_no_address(all) {
                hits.push(Hit { kind: SecretKind::Assignment, range });
            }
            continue;
        }
        let written = Written { quote, adjacent: range.start == at + 1, compared: is_comparison(bytes, at) };
        let spoken = || is_spoken(&name, value, &written).then_some(SecretKind::Assignment);
        let drawn = || is_drawn(&name, value, &written).then_some(SecretKind::Assignment);
        let further = || in_further_parts(&name, value, all, &written);
        let kind = judge(&name.plain, value, quote.is_some()).or_else(spoken).or_else(drawn).or_else(further);
        if let Some(kind) = kind {
            hits.push(Hit { kind, range: range.start..whole });
        } else if let Some(range) = in_yaml(text, at, &name) {
            hits.push(Hit { kind: SecretKind::Assignment, range });
        } else if bytes[at] == b':' && quote.is_none() && is_one_in_a_sentence(&name, value) {
            hits.push(Hit { kind: SecretKind::Assignment, range });
        }
    }
    for at in 0..bytes.len() {
        if bytes[at] == b'-' && bytes.get(at + 1) == Some(&b'-') {
            option(text, at, hits);
        }
    }
}

/// The value of `password: value` where that is the whole line, as in a settings file.
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

/// Whether the word after `password:` in a sentence is a password: nothing that a person would say there.
fn is_one_in_a_sentence(name: &Name, value: &str) -> bool {
    !value.bytes().any(|b| b"-_./~".contains(&b))
        && passphrase::is_for_a_password(&name.plain)
        && (looks_random(value, SENTENCE_CHARS_MIN) || looks_drawn(value, SENTENCE_CHARS_MIN))
        && passphrase::is_one_in_yaml(&name.plain, value)
}

/// The value of `--password value`, which stands after a space.
fn option(text: &str, dashes: usize, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    if dashes.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_graphic()) {
        return;
    }
    let name = dashes + 2;
    let in_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'-';
    let end = name + bytes[name..].iter().take(NAME_BYTES_MAX).take_while(in_name).count();
    if bytes.get(end) != Some(&b' ') || !is_secret(&text[name..end]) {
        return;
    }
    let Some(Value { range, quote, .. }) = value_after(text, end + 1) else { return };
    let (plain, value) = (plain(&text[name..end]), &text[range.clone()]);
    if judge(&plain, value, quote.is_some()).is_some() || passphrase::is_one_in_yaml(&plain, value) {
        hits.push(Hit { kind: SecretKind::Assignment, range });
    }
}

struct Value {
    /// Without quotes, up to the first colon or comma.
    range: Range<usize>,
    /// Where it ends with all its parts.
    whole: usize,
    quote: Option<u8>,
}

/// A name that sounds secret.
struct Name {
    /// In the form it is compared in.
    plain: String,
    /// `DB_PASSWORD` and not `password`: what a shell or a file of settings assigns to.
    capitals: bool,
    /// It says that an address follows.
    address: bool,
    /// Where it begins.
    start: usize,
}

/// How a value is written after its name.
struct Written {
    quote: Option<u8>,
    /// Directly after the sign.
    adjacent: bool,
    /// Behind `==` or `!=`.
    compared: bool,
}

impl Written {
    /// As in `DB_PASSWORD=value`.
    fn as_in_a_shell(&self, name: &Name) -> bool {
        self.quote.is_none() && name.capitals && self.adjacent && !self.compared
    }
}

/// Whether a value under a name that says `url` is random. A value with a dot or a slash may be an address.
fn is_no_address(value: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let random = looks_random(value, VALUE_CHARS_MIN) || looks_drawn(value, VALUE_CHARS_MIN);
    value.bytes().all(plain) && random && !is_placeholder(value)
}

/// Whether a value with too many words to look random is random after all, where nothing but a value can stand: names
/// in code are neither quoted nor assigned by a shell.
fn is_drawn(name: &Name, value: &str, written: &Written) -> bool {
    let literal = matches!(written.quote, Some(b'"' | b'\''))
        && !written.compared
        && alternates_character_classes(value);
    (literal || written.as_in_a_shell(name)) && looks_drawn(value, VALUE_CHARS_MIN)
}

/// Whether a part after a colon or a comma is a secret, as in `user:password`, but not that of an image or a digest.
fn in_further_parts(name: &Name, first: &str, all: &str, written: &Written) -> Option<SecretKind> {
    if all.len() == first.len() || first.contains('/') || is_placeholder(all) {
        return None;
    }
    let shell = written.as_in_a_shell(name);
    let mut before = first;
    let mut found = None;
    for part in all[first.len() + 1..].split([':', ',']) {
        let lower = before.to_ascii_lowercase();
        before = part;
        if DIGESTS.iter().any(|digest| lower.ends_with(digest)) {
            continue;
        }
        let spoken = || {
            let is_one = shell && !part.contains(['/', '#']) && passphrase::is_one_in_yaml(&name.plain, part);
            (is_one || shell && looks_drawn(part, VALUE_CHARS_MIN)).then_some(SecretKind::Assignment)
        };
        found = found.or_else(|| judge(&name.plain, part, false)).or_else(spoken);
    }
    // Each part may be short.
    let joined: String = all.chars().filter(|c| !matches!(c, ':' | ',')).collect();
    let drawn = || (shell && looks_drawn(&joined, VALUE_CHARS_MIN)).then_some(SecretKind::Assignment);
    found.or_else(drawn)
}

/// Whether a value that is not random is a secret all the same: a quoted one, or one that a shell would assign. A value
/// in backticks is usually only talked about.
fn is_spoken(name: &Name, value: &str, written: &Written) -> bool {
    let assigned = match written.quote {
        Some(b'"' | b'\'') => true,
        Some(_) => false,
        None => name.capitals && written.adjacent,
    };
    assigned && !written.compared && passphrase::is_one(&name.plain, value)
}

fn judge(name: &str, value: &str, quoted: bool) -> Option<SecretKind> {
    let aws = name.contains("secretaccesskey") || name.contains("awssecret") || name.contains("secretkey");
    if aws && is_aws_secret(value) {
        return Some(SecretKind::AwsSecret);
    }
    let random = |value: &str| looks_random(value, VALUE_CHARS_MIN);
    // Without quotes, dots join the parts of a name in code; only a part that is random by itself is a secret.
    let secret = if quoted { random(value) } else { value.split('.').any(random) && !is_placeholder(value) };
    // What docker and npm keep: user and password in base64.
    let hidden = name.ends_with("auth") && holds_password(value);
    match (secret, hidden) {
        (_, true) => Some(SecretKind::Authorization),
        (true, false) => Some(SecretKind::Assignment),
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
    let address = is_secret_address(adjacent);
    if address || is_secret(adjacent) {
        let capitals = text.as_bytes()[at] == b'=' && !adjacent.bytes().any(|b| b.is_ascii_lowercase());
        return Some(Name { plain: plain(adjacent), capitals, address, start });
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
    is_secret(typed).then(|| Name { plain: plain(typed), capitals: false, address: false, start })
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

/// `SLACK_WEBHOOK_URL`, `tokenUri`.
fn is_secret_address(written: &str) -> bool {
    let lower = written.to_ascii_lowercase();
    let rest = ADDRESS.iter().find_map(|end| lower.strip_suffix(end));
    rest.is_some_and(|rest| is_secret(&written[..rest.len()]))
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
