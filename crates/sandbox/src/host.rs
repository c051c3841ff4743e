//! Services by name and port, as configurations and variables write them.
//!
//! Start at [`NetworkHost::read`] and [`hosts_of`].

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Where services listen if nothing else is said.
pub const HTTPS: u16 = 443;

/// A service that may be connected to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkHost {
    pub name: String,
    pub port: u16,
}

/// This machine itself.
const HERE: &str = "localhost";

impl NetworkHost {
    pub(crate) fn new(name: &str, port: u16) -> NetworkHost {
        let name = if name == "127.0.0.1" { HERE.to_owned() } else { name.to_ascii_lowercase() };
        NetworkHost { name, port }
    }

    pub fn https(name: &str) -> NetworkHost {
        NetworkHost::new(name, HTTPS)
    }

    /// `NAME` or `NAME:PORT`. None for what is no name, and for addresses in numbers but that of this machine: only
    /// names lead to a relay.
    pub(crate) fn read(word: &str) -> Option<NetworkHost> {
        let (name, port) = match word.split_once(':') {
            Some((name, port)) => (name, port.parse().ok().filter(|port| *port > 0)?),
            None => (word, HTTPS),
        };
        let host = NetworkHost::new(name, port);
        let whole = host.name.contains('.') || host.is_here();
        (is_name(&host.name) && whole && host.can_be_relayed()).then_some(host)
    }

    /// Whether it is this machine itself.
    pub(crate) fn is_here(&self) -> bool {
        self.name == HERE
    }

    /// Whether a program that asks for it can be led to a relay.
    pub fn can_be_relayed(&self) -> bool {
        self.is_here() || (is_name(&self.name) && self.name.parse::<IpAddr>().is_err())
    }
}

/// Letters, digits, dots and hyphens: nothing that could be a line or a word of its own in a list of hosts.
fn is_name(name: &str) -> bool {
    let part = |part: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !part.is_empty() && part.len() <= 63 && part.bytes().all(known)
    };
    name.len() <= 253 && name.split('.').all(part)
}

/// The hosts of the addresses in a text, such as `http://127.0.0.1:8080/v1`; with the port that is usual for a scheme
/// where none is written.
pub fn hosts_of(text: &str) -> BTreeSet<NetworkHost> {
    let mut hosts = BTreeSet::new();
    for (at, _) in text.match_indices("://") {
        let scheme = text[..at].rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let usual = match scheme.to_ascii_lowercase().as_str() {
            "https" | "wss" => Some(HTTPS),
            "http" | "ws" => Some(80),
            "socks5" | "socks5h" | "socks4" | "socks" => Some(1080),
            _ => None,
        };
        let ends = |c: char| c.is_whitespace() || "/?#\"'`<>,;)}".contains(c);
        let host = text[at + 3..].split(ends).next().unwrap_or_default();
        // Behind a password.
        let host = host.rsplit('@').next().unwrap_or_default();
        let (name, port) = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
            Some((name, after)) => (name, after.strip_prefix(':')),
            None => host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
        };
        let written = port.and_then(|port| port.parse().ok());
        let port = written.or(usual).filter(|port| *port > 0);
        hosts.extend(port.map(|port| NetworkHost::new(name, port)));
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_of_addresses_are_found_wherever_they_stand() {
        for (text, expected) in [
            ("http://127.0.0.1:8080/v1", &[("localhost", 8080)][..]),
            ("https://api.example.com", &[("api.example.com", 443)]),
            ("HTTP://me:a:b@Proxy:3128", &[("proxy", 3128)]),
            ("base_url = \"https://[::1]:9443/v1\"\nother = 'http://x'", &[("::1", 9443), ("x", 80)]),
            ("socks5h://localhost", &[("localhost", 1080)]),
            ("file:///etc/passwd", &[]),
            ("no address: 8080", &[]),
            ("http://x:0", &[]),
            ("http://x:99999", &[("x", 80)]),
        ] {
            let expected = expected.iter().map(|(name, port)| NetworkHost::new(name, *port));
            assert_eq!(hosts_of(text), expected.collect(), "{text}");
        }
    }

    #[test]
    fn only_names_and_this_machine_can_be_relayed() {
        for (word, expected) in [
            ("Packages.Example.com", Some(("packages.example.com", 443))),
            ("db.example.com:5432", Some(("db.example.com", 5432))),
            ("localhost:5432", Some(("localhost", 5432))),
            ("127.0.0.1:80", Some(("localhost", 80))),
            ("10.0.0.7:80", None),
            ("::1", None),
            ("http", None),
            ("a b.example", None),
            ("a..b", None),
            ("example.com:0", None),
            ("example.com:x", None),
            ("https://example.com", None),
        ] {
            let expected = expected.map(|(name, port)| NetworkHost::new(name, port));
            assert_eq!(NetworkHost::read(word), expected, "{word}");
        }
        assert!(
            !NetworkHost::https("10.0.0.7").can_be_relayed() && !NetworkHost::https("::1").can_be_relayed()
        );
    }
}
