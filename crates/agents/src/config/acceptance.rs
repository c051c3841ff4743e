//! Decides key by key what of `redraft.toml` a person must have accepted before it is used.
//!
//! The author of a repository writes that file, so whatever in it starts a program, sends or reads something, or spends
//! more than the user expects is only a wish until the user says yes. [`KEYS`] has every key of the file with the
//! decision about it; a test compares it with the keys that are read. A key that is missing there needs acceptance. The
//! user's own file is not looked at here. Start at [`wants`].

use super::models::is_free;
use super::{AgentConfig, Config, FILE};
use redraft_adapters::trust;
use redraft_facts::ids::{AgentName, BlobId};
use toml::{Table, Value};

/// Something of the file that holds only after a person's yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// As in `workspace.setup`.
    pub key: String,
    /// As it stands in the file, on one line, with every hidden character written out and no password of an address.
    pub value: String,
    /// As it stands there, for the hash.
    written: String,
    pub needed: Needed,
}

impl Want {
    /// The line that a person reads.
    pub fn line(&self) -> String {
        format!("{} = {}", self.key, self.value)
    }
}

/// What would use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needed {
    /// Every run and review: what may be spent before a person is asked, what counts as spent, and what commands reach.
    ByEveryRun,
    /// Making a worktree ready.
    ByWorktrees,
    /// Running the checks.
    ByChecks,
    /// Starting or asking this agent.
    ByAgent(AgentName),
    /// The hooks of an interactive session.
    ByHooks,
    /// Sending what is known of features to a git remote. Without it they stay here.
    BySharing,
    /// Telling a person that a run waits or has ended. Without it the run goes on all the same.
    ByNotices,
}

/// What was decided about a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyDecision {
    /// It changes how work is judged or shown, and neither what runs, nor what is sent, read or spent.
    Harmless,
    Asks(By),
    /// Asks where the number is higher than this default.
    AsksAbove(By, f64),
    /// Asks unless the text is this one.
    AsksUnless(By, &'static str),
    /// Asks where a model of that name costs nothing.
    AsksIfFree(By),
}

/// [`Needed`] without names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    EveryRun,
    Worktrees,
    Checks,
    Agent,
    Hooks,
    Sharing,
    Notices,
}

use KeyDecision::{Asks, AsksAbove, AsksIfFree, AsksUnless, Harmless};

/// Every key of the file; `*` is a name that the user chooses.
pub const KEYS: [(&str, KeyDecision); 72] = [
    // More than the user's own limit, or than the default where there is none.
    ("budget", AsksAbove(By::EveryRun, 5.0)),
    ("review.policy", Harmless),
    ("review.knowledge", Harmless),
    ("review.certify", Harmless),
    ("review.threshold", Harmless),
    ("limits.rounds", AsksAbove(By::EveryRun, 5.0)),
    ("limits.attempts", AsksAbove(By::EveryRun, 3.0)),
    ("limits.gates", AsksAbove(By::EveryRun, 3.0)),
    ("limits.late_rounds", AsksAbove(By::EveryRun, 1.0)),
    ("limits.reopenings", AsksAbove(By::EveryRun, 1.0)),
    ("limits.dispatch_minutes", AsksAbove(By::EveryRun, 30.0)),
    ("limits.check_minutes", AsksAbove(By::Checks, 20.0)),
    // Work in the checkout is announced and begins only from a clean one.
    ("workspace.mode", Harmless),
    ("workspace.setup", AsksUnless(By::Worktrees, "")),
    ("workspace.setup_minutes", AsksAbove(By::Worktrees, 10.0)),
    ("workspace.copy", Asks(By::Worktrees)),
    ("monitor.features", Harmless),
    ("monitor.fallbacks_percent", Harmless),
    ("monitor.guard_trips_percent", Harmless),
    ("monitor.unconfirmed_percent", Harmless),
    ("lanes.deep", Harmless),
    ("lint.vague_words", Harmless),
    ("lint.rules.*", Harmless),
    ("lint.sections.*", Harmless),
    ("checks.*", Asks(By::Checks)),
    ("implement.simplify", Harmless),
    ("implement.deepen", Harmless),
    ("implement.jobs", Harmless),
    ("finish.history", Harmless),
    ("finish.docs", Harmless),
    ("finish.retro", Harmless),
    // It only stops earlier.
    ("ask.after", Harmless),
    // It keeps an agent at work in a session that somebody else pays for.
    ("hooks.autonomous", AsksUnless(By::Hooks, "false")),
    ("share.remote", Asks(By::Sharing)),
    ("share.transcripts", AsksUnless(By::Sharing, "false")),
    ("notify.command", Asks(By::Notices)),
    // A level that narrows is accepted too: only then is a person asked again when it is taken out.
    ("sandbox.level", Asks(By::EveryRun)),
    // A copy of the history is no more than what the worktree was made from, and nothing leads back from it.
    ("sandbox.git", Harmless),
    ("sandbox.read", Asks(By::EveryRun)),
    ("sandbox.write", Asks(By::EveryRun)),
    ("sandbox.network", Asks(By::EveryRun)),
    ("sandbox.pass", Asks(By::EveryRun)),
    // Who plays, and which model, is announced before anything is spent.
    ("agents.*.kind", Harmless),
    ("agents.*.model", AsksIfFree(By::Agent)),
    ("agents.*.wire", Harmless),
    ("agents.*.schema", Harmless),
    // A longer answer is set aside before it is asked for.
    ("agents.*.max_tokens", Harmless),
    // A file of the repository for the agent that has no model.
    ("agents.*.scenario", Harmless),
    // The usual program, looked up on the PATH, is recognised in `wants`.
    ("agents.*.program", Asks(By::Agent)),
    ("agents.*.args", Asks(By::Agent)),
    ("agents.*.pass", Asks(By::Agent)),
    ("agents.*.bash", AsksUnless(By::Agent, "checks")),
    ("agents.*.base_url", Asks(By::Agent)),
    ("agents.*.key_env", Asks(By::Agent)),
    ("agents.*.key_file", Asks(By::Agent)),
    ("agents.*.proxy", Asks(By::Agent)),
    // What counts as the dearest lets nothing through.
    ("agents.*.price", AsksUnless(By::Agent, "unknown")),
    ("agents.*.mcp.*.command", Asks(By::Agent)),
    ("agents.*.mcp.*.args", Asks(By::Agent)),
    ("agents.*.mcp.*.env", Asks(By::Agent)),
    ("prices.*.input", Asks(By::EveryRun)),
    ("prices.*.output", Asks(By::EveryRun)),
    ("prices.*.read", Asks(By::EveryRun)),
    ("prices.*.write", Asks(By::EveryRun)),
    ("prices.*.lifetime", Asks(By::EveryRun)),
    ("prices.*.context", Asks(By::EveryRun)),
    ("prices.*.minimum", Asks(By::EveryRun)),
    ("prices.*.block", Asks(By::EveryRun)),
    ("prices.*.cliffs", Asks(By::EveryRun)),
    ("prices.*.unknown", Harmless),
    ("roles.default", Harmless),
    ("roles.*", Harmless),
];

/// What of this text must be accepted, in the order of the keys. `limit` is what the user lets a feature cost.
pub(super) fn wants(text: &str, config: &Config, limit: Option<f64>) -> Vec<Want> {
    // The caller has read it as configuration before.
    let table: Table = text.parse().unwrap_or_default();
    let mut wants = Vec::new();
    walk(&mut Vec::new(), &table, &mut |path, value| {
        let decision = decided(path).unwrap_or(Asks(By::EveryRun));
        let decision = match (path, decision, limit) {
            (["budget"], AsksAbove(by, _), Some(limit)) => AsksAbove(by, limit),
            (_, decision, _) => decision,
        };
        if let Some(by) = asks(decision, value).filter(|_| !is_usual_program(path, value, config)) {
            let key = path.iter().map(|part| bare(part)).collect::<Vec<_>>().join(".");
            let is_address = matches!(path.last(), Some(&("base_url" | "proxy")));
            // A person who accepted nine in place of two has not accepted it in place of one.
            let limit =
                limit.filter(|_| key == "budget").map(|limit| format!(" where your own limit is {limit}"));
            let limit = limit.unwrap_or_default();
            let written = format!("{value}{limit}");
            let value = match value.as_str().filter(|_| is_address) {
                Some(address) => trust::quoted(&crate::api::shown(address)),
                None => shown(value),
            };
            let value = format!("{value}{limit}");
            wants.push(Want { key, value, written, needed: needed(by, path) });
        }
    });
    wants
}

impl Config {
    /// Whether a person has accepted all that must be.
    pub fn is_accepted(&self) -> bool {
        self.accepted || self.wants.is_empty()
    }

    /// What is accepted when the user says yes; changes whenever one of the values does, and with nothing else.
    pub fn wants_hash(&self) -> BlobId {
        trust::hash_of(FILE, self.wants.iter().map(|want| (want.key.as_str(), want.written.as_str())))
    }

    /// What this would use and nobody has accepted yet.
    pub fn unaccepted(&self, used: impl Fn(&Needed) -> bool) -> Vec<&Want> {
        match self.accepted {
            true => Vec::new(),
            false => self.wants.iter().filter(|want| used(&want.needed)).collect(),
        }
    }

    /// The same for an agent. Its prices are included: they decide whether a person is asked before it is paid.
    pub fn unaccepted_of(&self, agent: &AgentName) -> Vec<&Want> {
        let priced = matches!(self.agents.get(agent), Some(AgentConfig::Model(_)));
        self.unaccepted(|needed| *needed == Needed::ByAgent(agent.clone()))
            .into_iter()
            .chain(self.unaccepted_prices().into_iter().filter(|_| priced))
            .collect()
    }

    /// The prices of the file that do not hold yet.
    pub fn unaccepted_prices(&self) -> Vec<&Want> {
        let all = self.unaccepted(|_| true);
        all.into_iter().filter(|want| want.key.starts_with("prices.")).collect()
    }
}

fn walk(path: &mut Vec<String>, table: &Table, each: &mut impl FnMut(&[&str], &Value)) {
    for (name, value) in table {
        path.push(name.clone());
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        match value {
            Value::Table(inner) if decided(&parts).is_none() => walk(path, inner, each),
            value => each(&parts, value),
        }
        path.pop();
    }
}

/// The decision about a key; a fixed name of the file takes precedence over one that the user chooses.
fn decided(path: &[&str]) -> Option<KeyDecision> {
    let fits = |key: &str| {
        let mut parts = key.split('.');
        path.iter().all(|part| parts.next().is_some_and(|one| one == "*" || one == *part))
            && parts.next().is_none()
    };
    KEYS.iter().find(|(key, _)| fits(key)).map(|(_, decision)| *decision)
}

fn asks(decision: KeyDecision, value: &Value) -> Option<By> {
    let number = || value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
    let empty = match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Table(table) => table.is_empty(),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => false,
    };
    match decision {
        Harmless => None,
        // An empty value has no effect.
        _ if empty => None,
        Asks(by) => Some(by),
        AsksAbove(by, usual) => (number().is_none_or(|number| number > usual)).then_some(by),
        AsksUnless(by, usual) => {
            let text = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
            (text != usual).then_some(by)
        }
        AsksIfFree(by) => value.as_str().is_some_and(is_free).then_some(by),
    }
}

/// The program of an agent's kind, by its own name, is the one that the user has installed.
fn is_usual_program(path: &[&str], value: &Value, config: &Config) -> bool {
    let ["agents", name, "program"] = path else { return false };
    match config.agents.get(&AgentName::new(*name)) {
        Some(AgentConfig::Model(model)) => model.kind.program() == value.as_str().map(str::trim),
        Some(AgentConfig::Rehearsal { .. } | AgentConfig::Pull) | None => false,
    }
}

fn needed(by: By, path: &[&str]) -> Needed {
    match by {
        By::EveryRun => Needed::ByEveryRun,
        By::Worktrees => Needed::ByWorktrees,
        By::Checks => Needed::ByChecks,
        By::Hooks => Needed::ByHooks,
        By::Sharing => Needed::BySharing,
        By::Notices => Needed::ByNotices,
        By::Agent => Needed::ByAgent(AgentName::new(path.get(1).copied().unwrap_or_default())),
    }
}

/// A value on one line.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => trust::quoted(text),
        Value::Array(list) => format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Table(table) => {
            let pair = |(name, value): (&String, &Value)| format!("{} = {}", bare(name), shown(value));
            format!("{{ {} }}", table.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => value.to_string(),
    }
}

/// A part of a key as it is written.
fn bare(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !name.is_empty() && name.bytes().all(plain) { name.to_owned() } else { trust::quoted(name) }
}

#[cfg(test)]
mod tests;
