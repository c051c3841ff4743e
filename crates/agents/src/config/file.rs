//! What was written: the shape of `redraft.toml`, everything optional, unknown keys refused.
//!
//! This is a public format. Values stay as they were typed, with their place in the text, so that a wrong one
//! can be shown where it stands; `resolve` says what they mean.

use super::error::ConfigError;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use toml::Spanned;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct ConfigFile {
    /// Dollars, whole or with a fraction.
    pub(super) budget: Option<Spanned<f64>>,
    pub(super) review: ReviewFile,
    pub(super) limits: LimitsFile,
    pub(super) workspace: WorkspaceFile,
    pub(super) monitor: MonitorFile,
    pub(super) lanes: LanesFile,
    pub(super) lint: LintFile,
    /// Commands, by the name of a check.
    pub(super) checks: BTreeMap<Spanned<String>, Spanned<String>>,
    pub(super) implement: ImplementFile,
    pub(super) finish: FinishFile,
    pub(super) ask: AskFile,
    pub(super) hooks: HooksFile,
    pub(super) share: ShareFile,
    pub(super) notify: NotifyFile,
    pub(super) sandbox: SandboxFile,
    pub(super) agents: BTreeMap<Spanned<String>, AgentFile>,
    /// By the name of a model.
    pub(super) prices: BTreeMap<Spanned<String>, PriceFile>,
    /// `default`, and the names of roles.
    pub(super) roles: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// The user's own file: what holds in every repository.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct OwnFile {
    pub(super) budget: Option<Spanned<f64>>,
    pub(super) colour: Option<Spanned<String>>,
    pub(super) notify: OwnNotifyFile,
    pub(super) agents: BTreeMap<Spanned<String>, AgentFile>,
    pub(super) prices: BTreeMap<Spanned<String>, PriceFile>,
    pub(super) roles: BTreeMap<Spanned<String>, Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct ShareFile {
    pub(super) remote: Option<Spanned<String>>,
    pub(super) transcripts: Option<Spanned<bool>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct NotifyFile {
    pub(super) command: Option<Spanned<String>>,
}

/// The same in the user's own file, which also says what the terminal does.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct OwnNotifyFile {
    pub(super) bell: Option<Spanned<bool>>,
    pub(super) after_seconds: Option<Spanned<Whole>>,
    pub(super) command: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct AskFile {
    /// Phases, by name.
    pub(super) after: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct FinishFile {
    pub(super) history: Option<Spanned<String>>,
    pub(super) docs: Option<Spanned<String>>,
    pub(super) retro: Option<Spanned<bool>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct HooksFile {
    pub(super) autonomous: Option<Spanned<bool>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct SandboxFile {
    pub(super) level: Option<Spanned<String>>,
    pub(super) git: Option<Spanned<String>>,
    pub(super) read: Option<Vec<Spanned<String>>>,
    pub(super) write: Option<Vec<Spanned<String>>>,
    pub(super) network: Option<Vec<Spanned<String>>>,
    pub(super) pass: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct ReviewFile {
    pub(super) policy: Option<Spanned<String>>,
    pub(super) knowledge: Option<Spanned<String>>,
    pub(super) certify: Option<Spanned<String>>,
    pub(super) threshold: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct LimitsFile {
    pub(super) rounds: Option<Spanned<Whole>>,
    pub(super) attempts: Option<Spanned<Whole>>,
    pub(super) gates: Option<Spanned<Whole>>,
    pub(super) late_rounds: Option<Spanned<Whole>>,
    pub(super) reopenings: Option<Spanned<Whole>>,
    pub(super) dispatch_minutes: Option<Spanned<Whole>>,
    pub(super) check_minutes: Option<Spanned<Whole>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct WorkspaceFile {
    pub(super) mode: Option<Spanned<String>>,
    pub(super) setup: Option<Spanned<String>>,
    pub(super) setup_minutes: Option<Spanned<Whole>>,
    pub(super) copy: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct LanesFile {
    pub(super) deep: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct ImplementFile {
    pub(super) simplify: Option<Spanned<bool>>,
    pub(super) deepen: Option<Spanned<bool>>,
    pub(super) jobs: Option<Spanned<Whole>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct MonitorFile {
    pub(super) features: Option<Spanned<Whole>>,
    pub(super) fallbacks_percent: Option<Spanned<Whole>>,
    pub(super) guard_trips_percent: Option<Spanned<Whole>>,
    pub(super) unconfirmed_percent: Option<Spanned<Whole>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct LintFile {
    pub(super) vague_words: Option<Vec<Spanned<String>>>,
    /// By the name of a rule.
    pub(super) rules: BTreeMap<Spanned<String>, Spanned<String>>,
    /// By the name of an artifact.
    pub(super) sections: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct AgentFile {
    pub(super) kind: Option<Spanned<String>>,
    pub(super) scenario: Option<Spanned<String>>,
    pub(super) model: Option<Spanned<String>>,
    pub(super) program: Option<Spanned<String>>,
    pub(super) base_url: Option<Spanned<String>>,
    pub(super) key_env: Option<Spanned<String>>,
    pub(super) key_file: Option<Spanned<String>>,
    pub(super) proxy: Option<Spanned<String>>,
    pub(super) price: Option<Spanned<String>>,
    pub(super) wire: Option<Spanned<String>>,
    pub(super) schema: Option<Spanned<String>>,
    pub(super) max_tokens: Option<Spanned<Whole>>,
    pub(super) bash: Option<Spanned<String>>,
    pub(super) pass: Option<Vec<Spanned<String>>>,
    pub(super) args: Option<Vec<Spanned<String>>>,
    /// By the name of a server.
    pub(super) mcp: Option<BTreeMap<Spanned<String>, McpFile>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct McpFile {
    pub(super) command: Option<Spanned<String>>,
    pub(super) args: Option<Vec<Spanned<String>>>,
    pub(super) env: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub(super) struct PriceFile {
    /// Dollars for a million tokens, whole or with a fraction.
    pub(super) input: Option<Spanned<f64>>,
    pub(super) output: Option<Spanned<f64>>,
    pub(super) read: Option<Spanned<f64>>,
    /// By lifetime.
    pub(super) write: Option<BTreeMap<Spanned<String>, Spanned<f64>>>,
    pub(super) lifetime: Option<Spanned<String>>,
    pub(super) context: Option<Spanned<Whole>>,
    pub(super) minimum: Option<Spanned<Whole>>,
    pub(super) block: Option<Spanned<Whole>>,
    pub(super) cliffs: Option<Vec<CliffFile>>,
    pub(super) unknown: Option<Spanned<bool>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(super) struct CliffFile {
    pub(super) above: Spanned<Whole>,
    #[serde(default)]
    pub(super) input_percent: Option<Spanned<Whole>>,
    #[serde(default)]
    pub(super) output_percent: Option<Spanned<Whole>>,
}

/// A whole number of any size, so that the error for one out of bounds names the bounds and not a type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole(pub(super) i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Whole, E> {
                Ok(Whole(value))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Whole, E> {
                Ok(Whole(i64::try_from(value).unwrap_or(i64::MAX)))
            }
        }
        deserializer.deserialize_i64(Number)
    }
}

/// Every table with fixed keys, for pointing from a key to the table it belongs in.
const TABLES: [(&str, &[&str]); 12] = [
    ("review", &["policy", "knowledge", "certify", "threshold"]),
    (
        "limits",
        &["rounds", "attempts", "gates", "late_rounds", "reopenings", "dispatch_minutes", "check_minutes"],
    ),
    ("implement", &["simplify", "deepen", "jobs"]),
    ("finish", &["history", "docs", "retro"]),
    ("ask", &["after"]),
    ("hooks", &["autonomous"]),
    ("share", &["remote", "transcripts"]),
    ("notify", &["bell", "after_seconds", "command"]),
    ("sandbox", &["level", "git", "read", "write", "network", "pass"]),
    ("workspace", &["mode", "setup", "setup_minutes", "copy"]),
    ("lint", &["vague_words", "rules", "sections"]),
    ("monitor", &["features", "fallbacks_percent", "guard_trips_percent", "unconfirmed_percent"]),
];

/// What only a project decides, and not a user for all projects.
const REPOSITORY_ONLY: [&str; 12] = [
    "review",
    "limits",
    "workspace",
    "monitor",
    "lanes",
    "lint",
    "checks",
    "implement",
    "finish",
    "ask",
    "share",
    "sandbox",
];

pub(super) fn read(text: &str, path: &Path) -> Result<ConfigFile, ConfigError> {
    toml::from_str(text).map_err(|error| explain(&error, text, path))
}

/// The same for the user's own file.
pub(super) fn read_own(text: &str, path: &Path) -> Result<OwnFile, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let wrong = explain(&error, text, path);
        let elsewhere = |table: &&&str| wrong.message == format!("there is no key `{table}` here");
        match REPOSITORY_ONLY.iter().find(elsewhere) {
            Some(table) => wrong.hint(format!("[{table}] belongs in the redraft.toml of a repository")),
            None => wrong,
        }
    })
}

fn explain(error: &toml::de::Error, text: &str, path: &Path) -> ConfigError {
    let said = error.message();
    let mut words = said.split('`').skip(1).step_by(2);
    let mut wrong = match (said.starts_with("unknown field"), words.next()) {
        (true, Some(key)) if KEYS.contains(&key.to_lowercase().replace('-', "_").as_str()) => {
            ConfigError::new(path, format!("secret keys do not belong in this file, so there is no `{key}`")).hint(
                "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name another variable (key_env = \"NAME\") or a file \
                 (key_file = \"PATH\")",
            )
        }
        (true, Some(key)) => {
            let known: Vec<&str> = words.collect();
            let wrong = ConfigError::new(path, format!("there is no key `{key}` here"));
            match TABLES.iter().find(|(_, keys)| keys.contains(&key)) {
                Some((table, _)) => wrong.hint(format!("`{key}` belongs in [{table}]")),
                None => wrong.meant(key, known.iter().copied()).or_list(&known),
            }
        }
        (_, _) => unquoted(said, path).unwrap_or_else(|| {
            ConfigError::new(path, said.trim().replace('\n', ", ").replace("expected f64", "expected a number"))
        }),
    };
    if let Some(span) = error.span() {
        wrong = wrong.at(text, &span);
    }
    wrong
}

/// What people call the key of a service.
const KEYS: [&str; 7] = ["key", "api_key", "apikey", "token", "secret", "password", "auth_token"];

/// A number, or yes or no, that was written as a text.
fn unquoted(said: &str, path: &Path) -> Option<ConfigError> {
    let (written, expected) = said.strip_prefix("invalid type: string \"")?.split_once("\", expected ")?;
    let what = match expected.trim() {
        "f64" => "a number",
        "a whole number" => "a whole number",
        "a boolean" => "true or false",
        _ => return None,
    };
    let wrong = ConfigError::new(path, format!("\"{written}\" is a text, but {what} belongs here"));
    let fits = match what {
        "true or false" => written.parse::<bool>().is_ok(),
        _ => written.parse::<f64>().is_ok(),
    };
    Some(match fits {
        true => wrong.hint(format!("write it without quotes: {written}")),
        false => wrong,
    })
}

impl ConfigError {
    /// Without a better hint, names everything that would be right.
    fn or_list(self, known: &[&str]) -> ConfigError {
        match self.hint {
            Some(_) => self,
            None => self.hint(format!("known here: {}", known.join(", "))),
        }
    }
}
