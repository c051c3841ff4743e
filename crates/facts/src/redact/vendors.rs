//! How vendors begin their tokens, and what follows.
//!
//! A table and nothing else; `shape` searches by it. Lengths are those that vendors document or that their tokens have had,
//! rounded down where they vary.

use super::SecretKind;

pub(super) struct Shape {
    pub(super) kind: SecretKind,
    pub(super) prefix: &'static str,
    pub(super) body: Body,
    pub(super) length: Length,
    /// Somewhere in the body, this many letters and digits must follow each other. Names and examples with words
    /// between dashes do not reach it.
    pub(super) together: usize,
    pub(super) digit: bool,
}

/// Which characters follow the prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Alphanumeric,
    /// And `-` and `_`.
    Dashed,
    /// And digits.
    Capitals,
    /// Digits and the letters from a to f.
    Hex,
}

pub(super) enum Length {
    Exactly(usize),
    AtLeast(usize),
}

use Body::{Alphanumeric, Capitals, Dashed, Hex};
use Length::{AtLeast, Exactly};

const fn shape(kind: SecretKind, prefix: &'static str, body: Body, length: Length) -> Shape {
    Shape { kind, prefix, body, length, together: 0, digit: false }
}

/// A token whose body may hold dashes and words: this many characters in a row distinguish it from a name.
const fn dense(kind: SecretKind, prefix: &'static str, length: usize, together: usize) -> Shape {
    Shape { together, digit: true, ..shape(kind, prefix, Dashed, AtLeast(length)) }
}

const fn service(prefix: &'static str, body: Body, length: Length) -> Shape {
    shape(SecretKind::ServiceToken, prefix, body, length)
}

/// A prefix stands before the shorter one it begins with.
pub(super) const SHAPES: [Shape; 93] = [
    Shape { together: 12, ..shape(SecretKind::AnthropicKey, "sk-ant-", Dashed, AtLeast(16)) },
    dense(SecretKind::OpenAiKey, "sk-", 20, 16),
    shape(SecretKind::StripeKey, "sk_live_", Alphanumeric, AtLeast(16)),
    shape(SecretKind::StripeKey, "rk_live_", Alphanumeric, AtLeast(16)),
    shape(SecretKind::StripeKey, "sk_test_", Alphanumeric, AtLeast(24)),
    shape(SecretKind::StripeKey, "rk_test_", Alphanumeric, AtLeast(24)),
    shape(SecretKind::StripeKey, "whsec_", Alphanumeric, AtLeast(24)),
    shape(SecretKind::AwsKeyId, "AKIA", Capitals, Exactly(16)),
    shape(SecretKind::AwsKeyId, "ASIA", Capitals, Exactly(16)),
    shape(SecretKind::AwsKeyId, "ABIA", Capitals, Exactly(16)),
    shape(SecretKind::AwsKeyId, "ACCA", Capitals, Exactly(16)),
    shape(SecretKind::GoogleKey, "AIza", Dashed, Exactly(35)),
    dense(SecretKind::GoogleKey, "GOCSPX-", 24, 8),
    dense(SecretKind::GoogleKey, "ya29.", 30, 12),
    shape(SecretKind::GitHubToken, "ghp_", Alphanumeric, AtLeast(30)),
    shape(SecretKind::GitHubToken, "gho_", Alphanumeric, AtLeast(30)),
    shape(SecretKind::GitHubToken, "ghs_", Alphanumeric, AtLeast(30)),
    shape(SecretKind::GitHubToken, "ghu_", Alphanumeric, AtLeast(30)),
    shape(SecretKind::GitHubToken, "ghr_", Alphanumeric, AtLeast(30)),
    Shape { together: 20, ..shape(SecretKind::GitHubToken, "github_pat_", Dashed, AtLeast(20)) },
    Shape { together: 6, ..shape(SecretKind::GitLabToken, "glpat-", Dashed, AtLeast(20)) },
    dense(SecretKind::GitLabToken, "gldt-", 20, 6),
    dense(SecretKind::GitLabToken, "glrt-", 20, 6),
    dense(SecretKind::GitLabToken, "glcbt-", 20, 6),
    dense(SecretKind::GitLabToken, "glptt-", 20, 6),
    dense(SecretKind::GitLabToken, "glft-", 20, 6),
    dense(SecretKind::GitLabToken, "glsoat-", 20, 6),
    dense(SecretKind::GitLabToken, "glimt-", 20, 6),
    dense(SecretKind::GitLabToken, "glagent-", 40, 12),
    dense(SecretKind::SlackToken, "xoxa-", 10, 8),
    dense(SecretKind::SlackToken, "xoxb-", 10, 8),
    dense(SecretKind::SlackToken, "xoxp-", 10, 8),
    dense(SecretKind::SlackToken, "xoxr-", 10, 8),
    dense(SecretKind::SlackToken, "xoxs-", 10, 8),
    dense(SecretKind::SlackToken, "xoxc-", 10, 8),
    dense(SecretKind::SlackToken, "xoxd-", 10, 8),
    dense(SecretKind::SlackToken, "xoxe.xoxb-", 10, 8),
    dense(SecretKind::SlackToken, "xoxe.xoxp-", 10, 8),
    dense(SecretKind::SlackToken, "xoxe-", 10, 8),
    dense(SecretKind::SlackToken, "xapp-", 30, 8),
    shape(SecretKind::NpmToken, "npm_", Alphanumeric, AtLeast(36)),
    dense(SecretKind::XaiKey, "xai-", 20, 20),
    dense(SecretKind::Context7Key, "ctx7sk-", 20, 8),
    shape(SecretKind::HuggingFaceToken, "hf_", Alphanumeric, AtLeast(30)),
    shape(SecretKind::HuggingFaceToken, "api_org_", Alphanumeric, AtLeast(30)),
    shape(SecretKind::GroqKey, "gsk_", Alphanumeric, AtLeast(32)),
    dense(SecretKind::PypiToken, "pypi-", 40, 16),
    shape(SecretKind::DigitalOceanToken, "dop_v1_", Alphanumeric, AtLeast(40)),
    shape(SecretKind::DigitalOceanToken, "doo_v1_", Alphanumeric, AtLeast(40)),
    shape(SecretKind::DigitalOceanToken, "dor_v1_", Alphanumeric, AtLeast(40)),
    dense(SecretKind::TavilyKey, "tvly-", 20, 16),
    shape(SecretKind::AgeKey, "AGE-SECRET-KEY-1", Capitals, AtLeast(40)),
    // Models.
    service("pplx-", Alphanumeric, AtLeast(40)),
    service("r8_", Alphanumeric, Exactly(37)),
    dense(SecretKind::ServiceToken, "nvapi-", 40, 16),
    dense(SecretKind::ServiceToken, "lsv2_pt_", 40, 30),
    dense(SecretKind::ServiceToken, "lsv2_sk_", 40, 30),
    // Registries and builds.
    dense(SecretKind::ServiceToken, "dckr_pat_", 24, 8),
    dense(SecretKind::ServiceToken, "dckr_oat_", 24, 8),
    service("rubygems_", Hex, Exactly(48)),
    Shape { digit: true, ..service("oy2", Alphanumeric, Exactly(43)) },
    Shape { digit: true, ..service("AKCp", Alphanumeric, AtLeast(60)) },
    service("pul-", Hex, Exactly(40)),
    service("dp.pt.", Alphanumeric, AtLeast(40)),
    service("dp.sa.", Alphanumeric, AtLeast(40)),
    dense(SecretKind::ServiceToken, "hvs.", 24, 12),
    dense(SecretKind::ServiceToken, "hvb.", 24, 12),
    dense(SecretKind::ServiceToken, "ops_eyJ", 100, 40),
    // Clouds and databases.
    service("dapi", Hex, Exactly(32)),
    service("sbp_", Hex, Exactly(40)),
    dense(SecretKind::ServiceToken, "fo1_", 40, 12),
    dense(SecretKind::ServiceToken, "tskey-", 24, 10),
    service("NRAK-", Capitals, Exactly(27)),
    dense(SecretKind::ServiceToken, "glsa_", 32, 20),
    service("glc_eyJ", Alphanumeric, AtLeast(40)),
    service("sntryu_", Hex, Exactly(64)),
    dense(SecretKind::ServiceToken, "sntrys_", 60, 30),
    service("phx_", Alphanumeric, AtLeast(40)),
    // Shops, mail and messages.
    service("shpat_", Hex, Exactly(32)),
    service("shpss_", Hex, Exactly(32)),
    service("shpca_", Hex, Exactly(32)),
    service("shppa_", Hex, Exactly(32)),
    dense(SecretKind::ServiceToken, "sq0atp-", 22, 8),
    dense(SecretKind::ServiceToken, "sq0csp-", 40, 8),
    service("SK", Hex, Exactly(32)),
    dense(SecretKind::ServiceToken, "re_", 30, 20),
    // Documents and plans.
    service("lin_api_", Alphanumeric, AtLeast(32)),
    service("ntn_", Alphanumeric, AtLeast(40)),
    Shape { digit: true, ..service("secret_", Alphanumeric, Exactly(43)) },
    dense(SecretKind::ServiceToken, "figd_", 36, 8),
    dense(SecretKind::ServiceToken, "PMAK-", 50, 20),
    dense(SecretKind::ServiceToken, "ATATT3", 60, 8),
    dense(SecretKind::ServiceToken, "CFPAT-", 40, 8),
];

/// Tokens of several parts between dots: how they begin, and the least length of each part.
pub(super) const DOTTED: [(SecretKind, &str, &[usize]); 3] = [
    // Header, payload and signature of a JSON web token.
    (SecretKind::Jwt, "eyJ", &[12, 8, 16]),
    (SecretKind::SendGridKey, "SG.", &[2, 20, 32]),
    (SecretKind::ServiceToken, "dt0c01.", &[6, 24, 60]),
];

/// The letters that a token can begin with: for the first one, a bit for each second and for each third. Few words begin
/// like that.
pub(super) const BEGINNINGS: [(u128, u128); 128] = {
    let mut rows = [(0, 0); 128];
    let mut at = 0;
    while at < SHAPES.len() {
        rows = with_beginning(rows, SHAPES[at].prefix);
        at += 1;
    }
    at = 0;
    while at < DOTTED.len() {
        rows = with_beginning(rows, DOTTED[at].1);
        at += 1;
    }
    rows
};

const fn with_beginning(mut rows: [(u128, u128); 128], prefix: &str) -> [(u128, u128); 128] {
    let letters = prefix.as_bytes();
    let row = &mut rows[letters[0] as usize];
    row.0 |= 1 << letters[1];
    row.1 |= if letters.len() > 2 { 1 << letters[2] } else { u128::MAX };
    rows
}
