//! What the program of an agent needs beyond what every command of a project has.
//!
//! Start at [`Needs`].

use crate::policy::{Access, Grant, Least, Network, Policy, Tcp};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Reached in addition, whatever is closed around it: whoever names these has chosen each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// Whether it may change what is in its folder.
    pub writes: bool,
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    /// Ports of TCP: those of its service and of a proxy. Names are looked up over UDP.
    pub ports: BTreeSet<u16>,
}

impl Needs {
    pub(crate) fn add_to(&self, policy: &mut Policy, folder: &Path) {
        if policy.least == Least::Nothing {
            // It was told to leave its own sandbox off.
            policy.least = Least::Held;
        }
        if !self.writes {
            let own = policy.grants.iter_mut().filter(|grant| grant.path == folder);
            own.for_each(|grant| grant.access = Access::Read);
        }
        let grant = |path: &PathBuf, access| Grant { path: path.clone(), access, except: Vec::new() };
        let named = |path: &&PathBuf| path.to_str().is_some();
        policy.grants.extend(self.read.iter().filter(named).map(|path| grant(path, Access::Read)));
        policy.grants.extend(self.write.iter().filter(named).map(|path| grant(path, Access::Write)));
        let Network { tcp, udp, .. } = &mut policy.network;
        *udp = true;
        if let Tcp::Ports(ports) = tcp {
            ports.extend(&self.ports);
        }
    }
}

/// The ports of the addresses in a text, such as `http://127.0.0.1:8080/v1`; those that are usual for a scheme where
/// none is written.
pub fn ports_of(text: &str) -> BTreeSet<u16> {
    let mut ports = BTreeSet::new();
    for (at, _) in text.match_indices("://") {
        let scheme = text[..at].rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let usual = match scheme.to_ascii_lowercase().as_str() {
            "https" | "wss" => Some(443),
            "http" | "ws" => Some(80),
            "socks5" | "socks5h" | "socks4" | "socks" => Some(1080),
            _ => None,
        };
        let ends = |c: char| c.is_whitespace() || "/?#\"'`<>,;)}".contains(c);
        let host = text[at + 3..].split(ends).next().unwrap_or_default();
        // Behind a password, and behind the brackets of an address of six.
        let host = host.rsplit('@').next().unwrap_or_default();
        let after = host.rsplit(']').next().unwrap_or_default();
        let written = after.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        ports.extend(written.or(usual).filter(|port| *port > 0));
    }
    ports
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Forbidden, Limits};

    #[test]
    fn the_ports_of_addresses_are_found_wherever_they_stand() {
        for (text, expected) in [
            ("http://127.0.0.1:8080/v1", &[8080][..]),
            ("https://api.example.com", &[443]),
            ("HTTP://me:a:b@proxy:3128", &[3128]),
            ("base_url = \"https://[::1]:9443/v1\"\nother = 'http://x'", &[80, 9443]),
            ("socks5h://localhost", &[1080]),
            ("file:///etc/passwd", &[]),
            ("no address: 8080", &[]),
            ("http://x:0", &[]),
            ("http://x:99999", &[80]),
        ] {
            assert_eq!(ports_of(text), expected.iter().copied().collect(), "{text}");
        }
    }

    #[test]
    fn a_reader_keeps_its_folder_readable_and_gets_no_more_than_it_names() {
        let grant = |path: &str, access| Grant { path: path.into(), access, except: Vec::new() };
        let mut policy = Policy {
            grants: vec![grant("/w", Access::Write), grant("/home", Access::Write)],
            network: Network::local(),
            limits: Limits::default(),
            forbidden: Forbidden::default(),
            least: Least::Nothing,
        };
        let needs = Needs {
            writes: false,
            read: vec!["/state/runs/1".into()],
            write: vec!["/login.json".into()],
            ports: [443].into(),
        };
        needs.add_to(&mut policy, Path::new("/w"));
        let expected = [
            grant("/w", Access::Read),
            grant("/home", Access::Write),
            grant("/state/runs/1", Access::Read),
            grant("/login.json", Access::Write),
        ];
        assert_eq!(policy.grants, expected);
        assert_eq!(policy.least, Least::Held);
        assert_eq!(policy.network, Network { tcp: Tcp::Ports([443].into()), udp: true, unix: false });
    }
}
