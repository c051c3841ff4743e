//! Tokens that vendors begin with letters of their own, and those of several parts between dots.

use super::{Hit, Kind};
use crate::prelude::*;

struct Shape {
    kind: Kind,
    prefix: &'static str,
    body: Body,
    length: Length,
    /// Somewhere in the body so many letters and digits must stand together. Names and examples with words between
    /// dashes do not reach it.
    together: usize,
    digit: bool,
}

/// Which characters follow the prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    Alphanumeric,
    /// And `-` and `_`.
    Dashed,
    /// And digits.
    Capitals,
}

enum Length {
    Exactly(usize),
    AtLeast(usize),
}

use Body::{Alphanumeric, Capitals, Dashed};
use Length::{AtLeast, Exactly};

const fn shape(kind: Kind, prefix: &'static str, body: Body, length: Length) -> Shape {
    Shape { kind, prefix, body, length, together: 0, digit: false }
}

/// A prefix stands before the shorter one it begins with.
const SHAPES: [Shape; 30] = [
    Shape { together: 12, ..shape(Kind::AnthropicKey, "sk-ant-", Dashed, AtLeast(16)) },
    Shape { together: 16, digit: true, ..shape(Kind::OpenAiKey, "sk-", Dashed, AtLeast(20)) },
    shape(Kind::StripeKey, "sk_live_", Alphanumeric, AtLeast(16)),
    shape(Kind::StripeKey, "rk_live_", Alphanumeric, AtLeast(16)),
    shape(Kind::AwsKeyId, "AKIA", Capitals, Exactly(16)),
    shape(Kind::AwsKeyId, "ASIA", Capitals, Exactly(16)),
    shape(Kind::GoogleKey, "AIza", Dashed, Exactly(35)),
    shape(Kind::GitHubToken, "ghp_", Alphanumeric, AtLeast(30)),
    shape(Kind::GitHubToken, "gho_", Alphanumeric, AtLeast(30)),
    shape(Kind::GitHubToken, "ghs_", Alphanumeric, AtLeast(30)),
    shape(Kind::GitHubToken, "ghu_", Alphanumeric, AtLeast(30)),
    shape(Kind::GitHubToken, "ghr_", Alphanumeric, AtLeast(30)),
    Shape { together: 20, ..shape(Kind::GitHubToken, "github_pat_", Dashed, AtLeast(20)) },
    Shape { together: 6, ..shape(Kind::GitLabToken, "glpat-", Dashed, AtLeast(20)) },
    Shape { together: 8, digit: true, ..shape(Kind::SlackToken, "xoxa-", Dashed, AtLeast(10)) },
    Shape { together: 8, digit: true, ..shape(Kind::SlackToken, "xoxb-", Dashed, AtLeast(10)) },
    Shape { together: 8, digit: true, ..shape(Kind::SlackToken, "xoxp-", Dashed, AtLeast(10)) },
    Shape { together: 8, digit: true, ..shape(Kind::SlackToken, "xoxr-", Dashed, AtLeast(10)) },
    Shape { together: 8, digit: true, ..shape(Kind::SlackToken, "xoxs-", Dashed, AtLeast(10)) },
    shape(Kind::NpmToken, "npm_", Alphanumeric, AtLeast(36)),
    Shape { together: 20, digit: true, ..shape(Kind::XaiKey, "xai-", Dashed, AtLeast(20)) },
    Shape { together: 8, digit: true, ..shape(Kind::Context7Key, "ctx7sk-", Dashed, AtLeast(20)) },
    shape(Kind::HuggingFaceToken, "hf_", Alphanumeric, AtLeast(30)),
    shape(Kind::GroqKey, "gsk_", Alphanumeric, AtLeast(32)),
    Shape { together: 16, digit: true, ..shape(Kind::PypiToken, "pypi-", Dashed, AtLeast(40)) },
    shape(Kind::DigitalOceanToken, "dop_v1_", Alphanumeric, AtLeast(40)),
    shape(Kind::DigitalOceanToken, "doo_v1_", Alphanumeric, AtLeast(40)),
    shape(Kind::DigitalOceanToken, "dor_v1_", Alphanumeric, AtLeast(40)),
    Shape { together: 16, digit: true, ..shape(Kind::TavilyKey, "tvly-", Dashed, AtLeast(20)) },
    shape(Kind::AgeKey, "AGE-SECRET-KEY-1", Capitals, AtLeast(40)),
];

/// Tokens of several parts between dots: how they begin, and the least length of each part.
const DOTTED: [(Kind, &str, &[usize]); 2] = [
    // Header, payload and signature of a JSON web token.
    (Kind::Jwt, "eyJ", &[12, 8, 16]),
    (Kind::SendGridKey, "SG.", &[2, 20, 32]),
];

pub(super) fn search(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    // Bodies with dashes can hold further prefixes. What one attempt has read to no avail is not read again by
    // another of that sort; that keeps the time linear.
    let (mut taken_to, mut refused_to) = (0, 0);
    for at in 0..bytes.len() {
        if at < taken_to || !begins(bytes, at) {
            continue;
        }
        let rest = &text[at..];
        let shape = SHAPES.iter().find(|shape| rest.starts_with(shape.prefix));
        let parts = DOTTED.iter().find(|(_, start, _)| rest.starts_with(start));
        let (kind, dashed) = match (shape, parts) {
            (Some(shape), _) => (shape.kind, shape.body == Dashed),
            (None, Some((kind, _, _))) => (*kind, true),
            (None, None) => continue,
        };
        if dashed && at < refused_to {
            continue;
        }
        let least = parts.map_or([].as_slice(), |(_, _, least)| least);
        let (length, fits) = shape.map_or_else(|| dotted(rest.as_bytes(), least), |shape| shape.read(rest));
        if fits {
            hits.push(Hit { kind, range: at..at + length });
            taken_to = at + length;
        } else if dashed {
            refused_to = at + length;
        }
    }
}

impl Shape {
    /// How far the token at the start of `text` reaches, and whether it is one.
    fn read(&self, text: &str) -> (usize, bool) {
        let start = self.prefix.len();
        let end = start + run(&text.as_bytes()[start..], self.body);
        let body = &text[start..end];
        let long_enough = match self.length {
            Exactly(length) => body.len() == length,
            AtLeast(length) => body.len() >= length,
        };
        let has_digit = |part: &str| part.bytes().any(|b| b.is_ascii_digit());
        let dense = |part: &str| part.len() >= self.together && (!self.digit || has_digit(part));
        let mut parts = body.split(|c: char| !c.is_ascii_alphanumeric());
        (end, long_enough && parts.any(dense) && !is_blanked(body))
    }
}

/// Whether a token can begin here: not in the middle of a word.
fn begins(bytes: &[u8], at: usize) -> bool {
    let first = b"srAgxnechpdSt".contains(&bytes[at]);
    first && at.checked_sub(1).is_none_or(|before| !bytes[before].is_ascii_alphanumeric())
}

/// `sk-ant-xxxxxxxx`: how examples write a key.
fn is_blanked(body: &str) -> bool {
    body.to_ascii_lowercase().contains("xxxxxx")
}

/// How far the parts between dots reach and that they are a token, or how far the first one reaches.
fn dotted(bytes: &[u8], parts: &[usize]) -> (usize, bool) {
    let mut length = 0;
    for (part, least) in parts.iter().enumerate() {
        length += usize::from(part > 0);
        let run = run(&bytes[length..], Dashed);
        length += run;
        let more = part + 1 == parts.len() || bytes.get(length) == Some(&b'.');
        if run < *least || !more {
            return (self::run(bytes, Dashed), false);
        }
    }
    (length, true)
}

/// How many bytes from the start belong to a body.
fn run(bytes: &[u8], body: Body) -> usize {
    let belongs = |b: &u8| match body {
        Alphanumeric => b.is_ascii_alphanumeric(),
        Dashed => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'),
        Capitals => b.is_ascii_uppercase() || b.is_ascii_digit(),
    };
    bytes.iter().take_while(|b| belongs(b)).count()
}
