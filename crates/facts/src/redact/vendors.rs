//! How vendors begin their tokens, and what follows.
//!
//! A table and nothing else; `shape` searches by it. Lengths are those that vendors document or that their tokens have had,
//! rounded down where they vary.

use super::Kind;

pub(super) struct Shape {
    pub(super) kind: Kind,
    pub(super) prefix: &'static str,
    pub(super) body: Body,
    pub(super) length: Length,
    /// Somewhere in the body so many letters and digits must stand together. Names and examples with words between
    /// dashes do not reach it.
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

const fn shape(kind: Kind, prefix: &'static str, body: Body, length: Length) -> Shape {
    Shape { kind, prefix, body, length, together: 0, digit: false }
}

/// A token whose body may hold dashes and words: so many characters together tell it from a name.
const fn dense(kind: Kind, prefix: &'static str, length: usize, together: usize) -> Shape {
    Shape { together, digit: true, ..shape(kind, prefix, Dashed, AtLeast(length)) }
}

const fn service(prefix: &'static str, body: Body, length: Length) -> Shape {
    shape(Kind::ServiceToken, prefix, body, length)
}

/// A prefix stands before the shorter one it begins with.
pub(super) const SHAPES: [Shape; 93] = [
    Shape { together: 12, ..shape(Kind::AnthropicKey, "sk-ant-", Dashed, AtLeast(16)) },
    dense(Kind::OpenAiKey, "sk-", 20, 16),
    shape(Kind::StripeKey, "sk_live_", Alphanumeric, AtLeast(16)),
    shape(Kind::StripeKey, "rk_live_", Alphanumeric, AtLeast(16)),
    shape(Kind::StripeKey, "sk_test_", Alphanumeric, AtLeast(24)),
    shape(Kind::StripeKey, "rk_test_", Alphanumeric, AtLeast(24)),
    shape(Kind::StripeKey, "whsec_", Alphanumeric, AtLeast(24)),
    shape(Kind::AwsKeyId, "AKIA", Capitals, Exactly(16)),
    shape(Kind::AwsKeyId, "ASIA", Capitals, Exactly(16)),
    shape(Kind::AwsKeyId, "ABIA", Capitals, Exactly(16)),
    shape(Kind::AwsKeyId, "ACCA", Capitals, Exactly(16)),
    shape(Kind::GoogleKey, "AIza", Dashed, Exactly(35)),
    dense(Kind::GoogleKey, "GOCSPX-", 24, 8),
    dense(Kind::GoogleKey, "ya29.", 30, 12),
    shape(Kind::GitHubToken, "ghp_", Alphanumeric, AtLeast(30)),
    shape(Kind::GitHubToken, "gho_", Alphanumeric, AtLeast(30)),
    shape(Kind::GitHubToken, "ghs_", Alphanumeric, AtLeast(30)),
    shape(Kind::GitHubToken, "ghu_", Alphanumeric, AtLeast(30)),
    shape(Kind::GitHubToken, "ghr_", Alphanumeric, AtLeast(30)),
    Shape { together: 20, ..shape(Kind::GitHubToken, "github_pat_", Dashed, AtLeast(20)) },
    Shape { together: 6, ..shape(Kind::GitLabToken, "glpat-", Dashed, AtLeast(20)) },
    dense(Kind::GitLabToken, "gldt-", 20, 6),
    dense(Kind::GitLabToken, "glrt-", 20, 6),
    dense(Kind::GitLabToken, "glcbt-", 20, 6),
    dense(Kind::GitLabToken, "glptt-", 20, 6),
    dense(Kind::GitLabToken, "glft-", 20, 6),
    dense(Kind::GitLabToken, "glsoat-", 20, 6),
    dense(Kind::GitLabToken, "glimt-", 20, 6),
    dense(Kind::GitLabToken, "glagent-", 40, 12),
    dense(Kind::SlackToken, "xoxa-", 10, 8),
    dense(Kind::SlackToken, "xoxb-", 10, 8),
    dense(Kind::SlackToken, "xoxp-", 10, 8),
    dense(Kind::SlackToken, "xoxr-", 10, 8),
    dense(Kind::SlackToken, "xoxs-", 10, 8),
    dense(Kind::SlackToken, "xoxc-", 10, 8),
    dense(Kind::SlackToken, "xoxd-", 10, 8),
    dense(Kind::SlackToken, "xoxe.xoxb-", 10, 8),
    dense(Kind::SlackToken, "xoxe.xoxp-", 10, 8),
    dense(Kind::SlackToken, "xoxe-", 10, 8),
    dense(Kind::SlackToken, "xapp-", 30, 8),
    shape(Kind::NpmToken, "npm_", Alphanumeric, AtLeast(36)),
    dense(Kind::XaiKey, "xai-", 20, 20),
    dense(Kind::Context7Key, "ctx7sk-", 20, 8),
    shape(Kind::HuggingFaceToken, "hf_", Alphanumeric, AtLeast(30)),
    shape(Kind::HuggingFaceToken, "api_org_", Alphanumeric, AtLeast(30)),
    shape(Kind::GroqKey, "gsk_", Alphanumeric, AtLeast(32)),
    dense(Kind::PypiToken, "pypi-", 40, 16),
    shape(Kind::DigitalOceanToken, "dop_v1_", Alphanumeric, AtLeast(40)),
    shape(Kind::DigitalOceanToken, "doo_v1_", Alphanumeric, AtLeast(40)),
    shape(Kind::DigitalOceanToken, "dor_v1_", Alphanumeric, AtLeast(40)),
    dense(Kind::TavilyKey, "tvly-", 20, 16),
    shape(Kind::AgeKey, "AGE-SECRET-KEY-1", Capitals, AtLeast(40)),
    // Models.
    service("pplx-", Alphanumeric, AtLeast(40)),
    service("r8_", Alphanumeric, Exactly(37)),
    dense(Kind::ServiceToken, "nvapi-", 40, 16),
    dense(Kind::ServiceToken, "lsv2_pt_", 40, 30),
    dense(Kind::ServiceToken, "lsv2_sk_", 40, 30),
    // Registries and builds.
    dense(Kind::ServiceToken, "dckr_pat_", 24, 8),
    dense(Kind::ServiceToken, "dckr_oat_", 24, 8),
    service("rubygems_", Hex, Exactly(48)),
    Shape { digit: true, ..service("oy2", Alphanumeric, Exactly(43)) },
    Shape { digit: true, ..service("AKCp", Alphanumeric, AtLeast(60)) },
    service("pul-", Hex, Exactly(40)),
    service("dp.pt.", Alphanumeric, AtLeast(40)),
    service("dp.sa.", Alphanumeric, AtLeast(40)),
    dense(Kind::ServiceToken, "hvs.", 24, 12),
    dense(Kind::ServiceToken, "hvb.", 24, 12),
    dense(Kind::ServiceToken, "ops_eyJ", 100, 40),
    // Clouds and databases.
    service("dapi", Hex, Exactly(32)),
    service("sbp_", Hex, Exactly(40)),
    dense(Kind::ServiceToken, "fo1_", 40, 12),
    dense(Kind::ServiceToken, "tskey-", 24, 10),
    service("NRAK-", Capitals, Exactly(27)),
    dense(Kind::ServiceToken, "glsa_", 32, 20),
    service("glc_eyJ", Alphanumeric, AtLeast(40)),
    service("sntryu_", Hex, Exactly(64)),
    dense(Kind::ServiceToken, "sntrys_", 60, 30),
    service("phx_", Alphanumeric, AtLeast(40)),
    // Shops, mail and messages.
    service("shpat_", Hex, Exactly(32)),
    service("shpss_", Hex, Exactly(32)),
    service("shpca_", Hex, Exactly(32)),
    service("shppa_", Hex, Exactly(32)),
    dense(Kind::ServiceToken, "sq0atp-", 22, 8),
    dense(Kind::ServiceToken, "sq0csp-", 40, 8),
    service("SK", Hex, Exactly(32)),
    dense(Kind::ServiceToken, "re_", 30, 20),
    // Documents and plans.
    service("lin_api_", Alphanumeric, AtLeast(32)),
    service("ntn_", Alphanumeric, AtLeast(40)),
    Shape { digit: true, ..service("secret_", Alphanumeric, Exactly(43)) },
    dense(Kind::ServiceToken, "figd_", 36, 8),
    dense(Kind::ServiceToken, "PMAK-", 50, 20),
    dense(Kind::ServiceToken, "ATATT3", 60, 8),
    dense(Kind::ServiceToken, "CFPAT-", 40, 8),
];

/// Tokens of several parts between dots: how they begin, and the least length of each part.
pub(super) const DOTTED: [(Kind, &str, &[usize]); 3] = [
    // Header, payload and signature of a JSON web token.
    (Kind::Jwt, "eyJ", &[12, 8, 16]),
    (Kind::SendGridKey, "SG.", &[2, 20, 32]),
    (Kind::ServiceToken, "dt0c01.", &[6, 24, 60]),
];

/// With which two letters a token can begin: a bit for the second in the row of the first. Few words begin so.
pub(super) const BEGINNINGS: [u128; 128] = {
    let mut rows = [0; 128];
    let mut at = 0;
    while at < SHAPES.len() {
        let letters = SHAPES[at].prefix.as_bytes();
        rows[letters[0] as usize] |= 1 << letters[1];
        at += 1;
    }
    at = 0;
    while at < DOTTED.len() {
        let letters = DOTTED[at].1.as_bytes();
        rows[letters[0] as usize] |= 1 << letters[1];
        at += 1;
    }
    rows
};
