//! What the program of an agent needs beyond what every command of a project has.
//!
//! Start at [`Needs`].

use crate::host::NetworkHost;
use crate::policy::{Access, Grant, Least, Network, SandboxPolicy, Tcp};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Reached in addition, whatever is closed around it: whoever names these has chosen each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// Whether it may change what is in its folder.
    pub writes: bool,
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    pub reach: Reach,
}

/// What of the network the program needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Its service, and nothing else.
    Hosts(BTreeSet<NetworkHost>),
    /// Hosts that nobody can name beforehand, on these ports of TCP. Names are looked up over UDP.
    Ports(BTreeSet<u16>),
}

impl Reach {
    /// These hosts and no others, if all of them can be relayed. If not, their ports.
    pub fn from_hosts(hosts: BTreeSet<NetworkHost>) -> Reach {
        match hosts.iter().all(NetworkHost::can_be_relayed) {
            true => Reach::Hosts(hosts),
            false => Reach::Ports(hosts.iter().map(|host| host.port).collect()),
        }
    }
}

impl Needs {
    pub(crate) fn add_to(&self, policy: &mut SandboxPolicy, folder: &Path) {
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
        let Network { tcp, udp, hosts, .. } = &mut policy.network;
        match &self.reach {
            Reach::Hosts(needed) => hosts.extend(needed.iter().cloned()),
            Reach::Ports(needed) => {
                *udp = true;
                if let Tcp::Ports(ports) = tcp {
                    ports.extend(needed);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Forbidden, ResourceLimits};

    #[test]
    fn a_reader_keeps_its_folder_readable_and_gets_no_more_than_it_names() {
        let grant = |path: &str, access| Grant { path: path.into(), access, except: Vec::new() };
        let mut policy = SandboxPolicy {
            grants: vec![grant("/w", Access::Write), grant("/home", Access::Write)],
            network: Network::local(),
            limits: ResourceLimits::default(),
            forbidden: Forbidden::default(),
            least: Least::Nothing,
        };
        let needs = Needs {
            writes: false,
            read: vec!["/state/runs/1".into()],
            write: vec!["/login.json".into()],
            reach: Reach::from_hosts([NetworkHost::https("api.example.com")].into()),
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
        assert_eq!(policy.network, Network::local().widened(["api.example.com"]).unwrap());
    }

    #[test]
    fn what_cannot_be_relayed_opens_its_port_for_all() {
        let relayed = [NetworkHost::new("proxy", 3128), NetworkHost::new("localhost", 8080)];
        assert_eq!(Reach::from_hosts(relayed.clone().into()), Reach::Hosts(relayed.into()));
        let number = Reach::from_hosts(
            [NetworkHost::new("10.0.0.7", 8000), NetworkHost::https("api.example.com")].into(),
        );
        assert_eq!(number, Reach::Ports([443, 8000].into()));
        let mut policy = SandboxPolicy {
            grants: Vec::new(),
            network: Network::local(),
            limits: ResourceLimits::default(),
            forbidden: Forbidden::default(),
            least: Least::Nothing,
        };
        Needs { writes: true, read: Vec::new(), write: Vec::new(), reach: number }
            .add_to(&mut policy, Path::new("/w"));
        assert_eq!(policy.network, Network::local().widened(["tcp:443", "tcp:8000", "udp"]).unwrap());
    }
}
