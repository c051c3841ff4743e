//! The variables an agent may see. Everything else of the user's environment stays with us.
//!
//! Values are handed in; nothing here reads the environment of this process.

use redraft_facts::redact::{is_secret_name, is_secret_variable};
use redraft_facts::ticket::Ticket;
use redraft_sandbox::profile::OF_TOOLS;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Names the dispatch an agent works for. `run` refuses to start where it is set, so that an agent cannot start runs.
pub const TICKET: &str = "REDRAFT_TICKET";

/// The number of the worktree in which a task is carried out beside others, for ports and databases of its own.
pub const SLOT: &str = "REDRAFT_SLOT";

/// Variables by name.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(pub BTreeMap<OsString, OsString>);

/// What every agent is given, where it is set. A star stands for any ending.
const COMMON: [&str; 22] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_*",
    "TZ",
    "TERM",
    "TMPDIR",
    "SHELL",
    "XDG_*",
    "SSL_CERT_*",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSH_AUTH_SOCK",
];

impl Environment {
    /// The variables of a command in a sandbox: what programs and tools need, without keys, without folders of a home
    /// that it cannot reach, and what the user named.
    pub fn of_commands(&self, named: &[String]) -> Environment {
        let leads = |name: &OsString, value: &OsString| {
            let (name, value) = (name.to_string_lossy().to_uppercase(), value.to_string_lossy());
            let away = name.ends_with("_PROXY") || name.starts_with("XDG_") || name == "SSH_AUTH_SOCK";
            // An address may hold a password.
            let password = value.contains("://") && value.contains('@');
            away || password || is_secret_name(&name) || is_secret_variable(&name, &value)
        };
        let mut passed = self.passed(&[OF_TOOLS, &[TICKET, SLOT]].concat(), &[]);
        passed.0.retain(|name, value| !leads(name, value));
        let wanted =
            |name: &OsStr| name.to_str().is_some_and(|name| named.iter().any(|pattern| fits(name, pattern)));
        let named = self.0.iter().filter(|(name, _)| wanted(name));
        passed.0.extend(named.map(|(name, value)| (name.clone(), value.clone())));
        passed
    }

    /// The user's variables that an agent of one kind sees: the common ones, its own, and those the user named.
    pub fn passed(&self, own: &[&str], named: &[String]) -> Environment {
        let wanted = |name: &OsStr| {
            let patterns = COMMON.iter().chain(own).copied().chain(named.iter().map(String::as_str));
            name.to_str().is_some_and(|name| patterns.into_iter().any(|pattern| fits(name, pattern)))
        };
        let passed = self.0.iter().filter(|(name, _)| wanted(name));
        Environment(passed.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// The variables of a command that works for an agent: the common ones, without those that hold or lead to keys.
    pub fn without_keys(&self) -> Environment {
        let leads = |name: &OsString| {
            let name = name.to_string_lossy().to_uppercase();
            is_secret_name(&name) || name.ends_with("_PROXY") || name == "SSH_AUTH_SOCK"
        };
        let mut passed = self.passed(&[], &[]);
        passed.0.retain(|name, _| !leads(name));
        passed
    }

    /// Adds what every process of a dispatch carries.
    pub fn mark(&mut self, ticket: &Ticket, slot: Option<u16>) {
        self.set(TICKET, &ticket.to_string());
        match slot {
            Some(slot) => self.set(SLOT, &slot.to_string()),
            // The user's own would be another run's.
            None => drop(self.0.remove(OsStr::new(SLOT))),
        }
        self.set("GIT_TERMINAL_PROMPT", "0");
    }

    /// Sets what the user has not set.
    pub fn default_to(&mut self, name: &str, value: &str) {
        self.0.entry(name.into()).or_insert_with(|| value.into());
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.0.insert(name.into(), value.into());
    }

    /// Values that must not appear in a message.
    pub fn secrets(&self) -> Vec<String> {
        let texts = self.0.iter().filter_map(|(name, value)| Some((name.to_string_lossy(), value.to_str()?)));
        texts
            .filter(|(name, value)| is_secret_variable(name, value))
            .map(|(_, value)| value.to_owned())
            .collect()
    }
}

/// Values may be secrets, so only names are shown.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn fits(name: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_passed_what_tools_need_and_nothing_that_may_be_a_key() {
        let all = [
            ("PATH", "/usr/bin"),
            ("RUSTFLAGS", "-g"),
            ("JAVA_HOME", "/opt/jdk"),
            ("XDG_CONFIG_HOME", "/home/u/.config"),
            ("HTTPS_PROXY", "http://proxy"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("CARGO_REGISTRY_TOKEN", "abcdefgh12345678"),
            ("PIP_INDEX_URL", "https://me:word@example.com/simple"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/u/key.json"),
            ("DATABASE_URL", "postgres://localhost"),
            ("MY_SETTING", "1"),
        ];
        let user = Environment(all.iter().map(|(name, value)| (name.into(), value.into())).collect());
        let names = |passed: Environment| -> Vec<String> {
            passed.0.keys().map(|name| name.to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names(user.of_commands(&[])), ["JAVA_HOME", "PATH", "RUSTFLAGS"]);
        let named = ["MY_*".to_owned(), "HTTPS_PROXY".to_owned()];
        let more = names(user.of_commands(&named));
        assert_eq!(more, ["HTTPS_PROXY", "JAVA_HOME", "MY_SETTING", "PATH", "RUSTFLAGS"]);
    }
}
