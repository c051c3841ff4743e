//! Addresses that are secrets themselves: webhooks, signed links, and the tokens of Telegram's bots.
//!
//! Anyone who has such an address can post or read with it. The part that names the service stays readable.

use super::entropy::{is_placeholder, looks_random};
use super::{Hit, SecretKind};
use crate::prelude::*;
use core::ops::Range;

/// How a webhook begins, and how long its path must be at least to be a secret.
const WEBHOOKS: [(&str, usize); 9] = [
    ("hooks.slack.com/services/", 30),
    ("hooks.slack.com/workflows/", 30),
    ("hooks.slack.com/triggers/", 30),
    ("discord.com/api/webhooks/", 60),
    ("discordapp.com/api/webhooks/", 60),
    ("webhook.office.com/webhookb2/", 60),
    ("outlook.office.com/webhook/", 60),
    ("hooks.zapier.com/hooks/catch/", 12),
    ("maker.ifttt.com/trigger/", 24),
];

const SIGNATURE: &str = "sig=";
/// 32 bytes in base64, with or without the equals sign at its end.
const SIGNATURE_CHARS: Range<usize> = 43..45;
const BOT_DIGITS: core::ops::RangeInclusive<usize> = 8..=10;
const BOT_CHARS: usize = 35;

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let any = text.contains("hook") || text.contains("ifttt");
    for (beginning, least) in WEBHOOKS.into_iter().filter(|_| any) {
        for (at, _) in text.match_indices(beginning) {
            let start = at + beginning.len();
            let path = run(&text[start..], |b| b.is_ascii_alphanumeric() || b"-_/@.".contains(&b));
            let digits = path.bytes().any(|b| b.is_ascii_digit());
            if path.len() >= least && digits && !is_placeholder(path) {
                hits.push(Hit { kind: SecretKind::Webhook, range: start..start + path.len() });
            }
        }
    }
    for (at, _) in text.match_indices(SIGNATURE) {
        signature(text, at, hits);
    }
    for (at, _) in text.match_indices(':') {
        bot(text, at, hits);
    }
}

/// `&sig=…` of a signed link: Azure's shared access, and the flows of Teams and Power Automate. Its value is found
/// where the escapes of the URL have been read.
fn signature(text: &str, at: usize, hits: &mut Vec<Hit>) {
    let parameter = at.checked_sub(1).is_some_and(|before| b"?&;".contains(&text.as_bytes()[before]));
    let start = at + SIGNATURE.len();
    let value = run(&text[start..], |b| b.is_ascii_alphanumeric() || b"+/-_=".contains(&b));
    if parameter && SIGNATURE_CHARS.contains(&value.len()) && looks_random(value, SIGNATURE_CHARS.start) {
        hits.push(Hit { kind: SecretKind::SasSignature, range: start..start + value.len() });
    }
}

/// `123456789:AA…`: the number of a bot, a colon, 35 characters.
fn bot(text: &str, colon: usize, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let digits =
        bytes[..colon].iter().rev().take(BOT_DIGITS.end() + 1).take_while(|b| b.is_ascii_digit()).count();
    if !BOT_DIGITS.contains(&digits) {
        return;
    }
    let start = colon - digits;
    // `api.telegram.org/bot123…` is one word.
    let before = &bytes[..start];
    let begins = before.last().is_none_or(|b| !b.is_ascii_alphanumeric()) || before.ends_with(b"/bot");
    let token = run(&text[colon + 1..], |b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    // A token may happen to hold many words; most begin alike.
    let drawn = looks_random(token, BOT_CHARS) || token.starts_with("AA") && !is_placeholder(token);
    if begins && token.len() == BOT_CHARS && drawn {
        hits.push(Hit { kind: SecretKind::TelegramToken, range: start..colon + 1 + BOT_CHARS });
    }
}

/// The leading characters of a text that can belong to a token, up to the longest token there is.
fn run(text: &str, belongs: impl Fn(u8) -> bool) -> &str {
    const BYTES_MAX: usize = 512;
    let length = text.bytes().take(BYTES_MAX).take_while(|b| belongs(*b)).count();
    &text[..length]
}
