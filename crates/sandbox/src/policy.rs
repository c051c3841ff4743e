//! What may be reached, as a value that one process hands to another.

use crate::host::NetworkHost;
use crate::level::Level;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Everything a command may reach. What is not granted is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxPolicy {
    pub grants: Vec<Grant>,
    pub network: Network,
    pub limits: ResourceLimits,
    /// What is tried after the doors are closed.
    pub forbidden: Forbidden,
    /// How much of this must be certain for a command to be started at all.
    pub least: Least,
}

/// What must be reached before a command is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Least {
    /// Whatever the machine can, also nothing.
    Nothing,
    /// An engine that works, whatever its gaps.
    Held,
    Enforced,
}

impl Least {
    pub fn is_met(self, level: &Level) -> bool {
        match self {
            Least::Nothing => true,
            Least::Held => level.holds(),
            Least::Enforced => *level == Level::Enforced,
        }
    }
}

/// A path and everything below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    pub path: PathBuf,
    pub access: Access,
    /// Paths below it that are not granted, whether they exist or not.
    pub except: Vec<PathBuf>,
}

/// What may be done there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Everything but making devices.
    Write,
    /// Reading, listing, executing.
    Read,
    /// Reading and listing.
    Look,
    /// Reading and writing what is there, such as `/dev/null`.
    Use,
}

/// What may be connected to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    pub tcp: Tcp,
    pub udp: bool,
    /// Sockets in the file system, such as the one of a container service.
    pub unix: bool,
    /// Where nothing else of the network outside is wanted, these are relayed and no others can be reached. Otherwise
    /// their ports are open.
    pub hosts: BTreeSet<NetworkHost>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tcp {
    All,
    /// These, and the ports that the system gives to servers of tests, which ask for any free one.
    Ports(BTreeSet<u16>),
}

/// Each is a socket that is handed over; the kernel takes 253 at once.
const RELAYED_MAX: usize = 200;

impl Network {
    /// What tests need to speak with servers that they start themselves.
    pub fn local() -> Network {
        Network { tcp: Tcp::Ports(BTreeSet::new()), udp: false, unix: false, hosts: BTreeSet::new() }
    }

    /// Whether nothing outside is wanted but what can be relayed, so that it can be a network of its own.
    pub fn is_private(&self) -> bool {
        let nothing = !self.udp && matches!(&self.tcp, Tcp::Ports(ports) if ports.is_empty());
        nothing && self.hosts.len() <= RELAYED_MAX
    }

    /// The same where nothing is relayed: the ports of the hosts are open, to every host, and names are looked up.
    pub(crate) fn opened(&self) -> Network {
        let mut opened = Network { hosts: BTreeSet::new(), ..self.clone() };
        opened.udp |= !self.hosts.is_empty();
        if let Tcp::Ports(ports) = &mut opened.tcp {
            ports.extend(self.hosts.iter().map(|host| host.port));
        }
        opened
    }

    /// The same with what a list of the configuration adds. The error is the word that means nothing.
    pub fn widened<'w>(mut self, words: impl IntoIterator<Item = &'w str>) -> Result<Network, String> {
        for word in words {
            match word {
                "all" => self = Network { tcp: Tcp::All, udp: true, unix: true, hosts: self.hosts },
                "tcp" => self.tcp = Tcp::All,
                "udp" => self.udp = true,
                "unix" => self.unix = true,
                _ => match word.strip_prefix("tcp:") {
                    Some(port) => {
                        let port = port.parse().ok().filter(|port| *port > 0);
                        let port: u16 = port.ok_or_else(|| word.to_owned())?;
                        if let Tcp::Ports(ports) = &mut self.tcp {
                            ports.insert(port);
                        }
                    }
                    None => {
                        self.hosts.insert(NetworkHost::read(word).ok_or_else(|| word.to_owned())?);
                    }
                },
            }
        }
        Ok(self)
    }
}

/// How much a command and everything it starts may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceLimits {
    /// The size of one file.
    pub file_bytes: u64,
    /// All processes together; none for what is usual on the machine.
    pub memory_bytes: Option<u64>,
    pub processes: usize,
}

impl Default for ResourceLimits {
    /// Far more than builds and tests use, and far less than what makes a machine unusable.
    fn default() -> Self {
        ResourceLimits { file_bytes: 16 << 30, memory_bytes: None, processes: 2_000 }
    }
}

/// Things that must not work afterwards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forbidden {
    /// Files that must not be readable.
    pub files: Vec<PathBuf>,
    /// Folders in which no file must be made.
    pub folders: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_widened_by_words_and_an_unknown_one_is_named() {
        let wide = Network::local().widened(["tcp:443", "udp"]).unwrap();
        let ports = Tcp::Ports(BTreeSet::from([443]));
        assert_eq!(wide, Network { tcp: ports, udp: true, ..Network::local() });
        assert_eq!(Network::local().widened(["all"]).unwrap().tcp, Tcp::All);
        for word in ["tcp:0", "tcp:65536", "tcp:http", "tcps", "example.com:", "192.0.2.1:80", ""] {
            assert_eq!(Network::local().widened([word]), Err(word.to_owned()));
        }
    }

    #[test]
    fn hosts_leave_a_network_private_and_become_ports_where_it_is_not() {
        let wide = Network::local().widened(["example.com", "localhost:5432"]).unwrap();
        assert!(wide.is_private());
        let opened = wide.opened();
        assert_eq!(opened, Network::local().widened(["tcp:443", "tcp:5432", "udp"]).unwrap());
        assert!(!opened.is_private());
        assert_eq!(Network::local().opened(), Network::local());
    }
}
