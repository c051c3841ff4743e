//! The kinds of secret that are recognised, and the text that stands in for each.

use crate::prelude::*;
use core::fmt;
use core::ops::Range;

/// What a secret was recognised as. Where two overlap, the one listed first names them both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A value the program was told to hide.
    Known,
    PrivateKey,
    AnthropicKey,
    OpenAiKey,
    AwsKeyId,
    AwsSecret,
    GitHubToken,
    GitLabToken,
    SlackToken,
    GoogleKey,
    StripeKey,
    NpmToken,
    Jwt,
    /// The credentials of an `Authorization` header.
    Authorization,
    /// The password of a URL.
    UrlPassword,
    /// A value of high entropy under a name that says it is secret.
    Assignment,
}

impl Kind {
    pub const ALL: [Kind; 16] = [
        Kind::Known,
        Kind::PrivateKey,
        Kind::AnthropicKey,
        Kind::OpenAiKey,
        Kind::AwsKeyId,
        Kind::AwsSecret,
        Kind::GitHubToken,
        Kind::GitLabToken,
        Kind::SlackToken,
        Kind::GoogleKey,
        Kind::StripeKey,
        Kind::NpmToken,
        Kind::Jwt,
        Kind::Authorization,
        Kind::UrlPassword,
        Kind::Assignment,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Known => "known",
            Kind::PrivateKey => "private-key",
            Kind::AnthropicKey => "anthropic-key",
            Kind::OpenAiKey => "openai-key",
            Kind::AwsKeyId => "aws-key-id",
            Kind::AwsSecret => "aws-secret",
            Kind::GitHubToken => "github-token",
            Kind::GitLabToken => "gitlab-token",
            Kind::SlackToken => "slack-token",
            Kind::GoogleKey => "google-key",
            Kind::StripeKey => "stripe-key",
            Kind::NpmToken => "npm-token",
            Kind::Jwt => "jwt",
            Kind::Authorization => "authorization",
            Kind::UrlPassword => "url-password",
            Kind::Assignment => "assignment",
        }
    }

    /// What is written instead of the secret.
    pub fn marker(self) -> String {
        format!("{MARKER_START}{}]", self.name())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const MARKER_START: &str = "[redacted:";

/// Where markers stand in a text, in order.
pub(super) fn markers(text: &str) -> Vec<Range<usize>> {
    let ends_after = |at: usize| {
        let named = at + MARKER_START.len();
        let close =
            |kind: Kind| text[named..].strip_prefix(kind.name()).is_some_and(|rest| rest.starts_with(']'));
        Kind::ALL.into_iter().find(|kind| close(*kind)).map(|kind| named + kind.name().len() + 1)
    };
    text.match_indices(MARKER_START).filter_map(|(at, _)| ends_after(at).map(|end| at..end)).collect()
}
