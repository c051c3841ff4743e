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
    XaiKey,
    Context7Key,
    HuggingFaceToken,
    GroqKey,
    PypiToken,
    DigitalOceanToken,
    SendGridKey,
    TavilyKey,
    AgeKey,
    TelegramToken,
    /// A token of one of the many services that begin theirs with letters of their own.
    ServiceToken,
    /// An address that whoever has it can post to.
    Webhook,
    /// What makes a signed link work.
    SasSignature,
    Jwt,
    /// The credentials of an `Authorization` header.
    Authorization,
    /// The value of a cookie.
    Cookie,
    /// The password of a URL.
    UrlPassword,
    /// A value of high entropy, or a password made of words, under a name that says it is secret.
    Assignment,
}

impl Kind {
    pub const ALL: [Kind; 30] = [
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
        Kind::XaiKey,
        Kind::Context7Key,
        Kind::HuggingFaceToken,
        Kind::GroqKey,
        Kind::PypiToken,
        Kind::DigitalOceanToken,
        Kind::SendGridKey,
        Kind::TavilyKey,
        Kind::AgeKey,
        Kind::TelegramToken,
        Kind::ServiceToken,
        Kind::Webhook,
        Kind::SasSignature,
        Kind::Jwt,
        Kind::Authorization,
        Kind::Cookie,
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
            Kind::XaiKey => "xai-key",
            Kind::Context7Key => "context7-key",
            Kind::HuggingFaceToken => "huggingface-token",
            Kind::GroqKey => "groq-key",
            Kind::PypiToken => "pypi-token",
            Kind::DigitalOceanToken => "digitalocean-token",
            Kind::SendGridKey => "sendgrid-key",
            Kind::TavilyKey => "tavily-key",
            Kind::AgeKey => "age-key",
            Kind::TelegramToken => "telegram-token",
            Kind::ServiceToken => "service-token",
            Kind::Webhook => "webhook",
            Kind::SasSignature => "sas-signature",
            Kind::Jwt => "jwt",
            Kind::Authorization => "authorization",
            Kind::Cookie => "cookie",
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
