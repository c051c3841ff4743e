//! The kinds of secret that are recognised, and the text that stands in for each.

use crate::prelude::*;
use core::fmt;
use core::ops::Range;

/// What a secret was recognised as. Where two overlap, the one listed first names them both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretKind {
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
    /// A token of one of the many services whose tokens have a prefix of their own.
    ServiceToken,
    /// An address to which anyone who knows it can post.
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

impl SecretKind {
    pub const ALL: [SecretKind; 30] = [
        SecretKind::Known,
        SecretKind::PrivateKey,
        SecretKind::AnthropicKey,
        SecretKind::OpenAiKey,
        SecretKind::AwsKeyId,
        SecretKind::AwsSecret,
        SecretKind::GitHubToken,
        SecretKind::GitLabToken,
        SecretKind::SlackToken,
        SecretKind::GoogleKey,
        SecretKind::StripeKey,
        SecretKind::NpmToken,
        SecretKind::XaiKey,
        SecretKind::Context7Key,
        SecretKind::HuggingFaceToken,
        SecretKind::GroqKey,
        SecretKind::PypiToken,
        SecretKind::DigitalOceanToken,
        SecretKind::SendGridKey,
        SecretKind::TavilyKey,
        SecretKind::AgeKey,
        SecretKind::TelegramToken,
        SecretKind::ServiceToken,
        SecretKind::Webhook,
        SecretKind::SasSignature,
        SecretKind::Jwt,
        SecretKind::Authorization,
        SecretKind::Cookie,
        SecretKind::UrlPassword,
        SecretKind::Assignment,
    ];

    pub fn name(self) -> &'static str {
        match self {
            SecretKind::Known => "known",
            SecretKind::PrivateKey => "private-key",
            SecretKind::AnthropicKey => "anthropic-key",
            SecretKind::OpenAiKey => "openai-key",
            SecretKind::AwsKeyId => "aws-key-id",
            SecretKind::AwsSecret => "aws-secret",
            SecretKind::GitHubToken => "github-token",
            SecretKind::GitLabToken => "gitlab-token",
            SecretKind::SlackToken => "slack-token",
            SecretKind::GoogleKey => "google-key",
            SecretKind::StripeKey => "stripe-key",
            SecretKind::NpmToken => "npm-token",
            SecretKind::XaiKey => "xai-key",
            SecretKind::Context7Key => "context7-key",
            SecretKind::HuggingFaceToken => "huggingface-token",
            SecretKind::GroqKey => "groq-key",
            SecretKind::PypiToken => "pypi-token",
            SecretKind::DigitalOceanToken => "digitalocean-token",
            SecretKind::SendGridKey => "sendgrid-key",
            SecretKind::TavilyKey => "tavily-key",
            SecretKind::AgeKey => "age-key",
            SecretKind::TelegramToken => "telegram-token",
            SecretKind::ServiceToken => "service-token",
            SecretKind::Webhook => "webhook",
            SecretKind::SasSignature => "sas-signature",
            SecretKind::Jwt => "jwt",
            SecretKind::Authorization => "authorization",
            SecretKind::Cookie => "cookie",
            SecretKind::UrlPassword => "url-password",
            SecretKind::Assignment => "assignment",
        }
    }

    /// What is written instead of the secret.
    pub fn marker(self) -> String {
        format!("{MARKER_START}{}]", self.name())
    }
}

impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const MARKER_START: &str = "[redacted:";

/// Where markers stand in a text, in order.
pub(super) fn markers(text: &str) -> Vec<Range<usize>> {
    let ends_after = |at: usize| {
        let named = at + MARKER_START.len();
        let close = |kind: SecretKind| {
            text[named..].strip_prefix(kind.name()).is_some_and(|rest| rest.starts_with(']'))
        };
        SecretKind::ALL.into_iter().find(|kind| close(*kind)).map(|kind| named + kind.name().len() + 1)
    };
    text.match_indices(MARKER_START).filter_map(|(at, _)| ends_after(at).map(|end| at..end)).collect()
}
