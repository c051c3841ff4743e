//! Leads the names of a policy's hosts to sockets of the helper's own.
//!
//! Each name has an address of the loopback, which a file in the place of `/etc/hosts` says, and a socket listens there.
//! So a program needs no proxy and no setting: it looks a name up and connects, as always. Start at [`names`] outside
//! and [`listen`] inside.

use crate::handover;
use crate::host::NetworkHost;
use crate::policy::Network;
use rustix::mount::{MountPropagationFlags, mount_bind, mount_change};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::path::Path;

/// Where names are looked up first.
pub(super) const FILE: &str = "/etc/hosts";

/// The text of a file of names that the hosts are found in.
pub(crate) fn names(network: &Network) -> String {
    let mut text: String =
        addresses(network).into_iter().map(|(name, address)| format!("{address} {name}\n")).collect();
    // Its own name and that of this machine must be found there, too.
    text.push_str(&fs::read_to_string(FILE).unwrap_or_default());
    text
}

/// Every name and its address, which no server of a test uses.
fn addresses(network: &Network) -> BTreeMap<&str, Ipv4Addr> {
    let elsewhere = network.hosts.iter().filter(|host| !host.is_here());
    let names: std::collections::BTreeSet<&str> = elsewhere.map(|host| host.name.as_str()).collect();
    let numbered = names.into_iter().zip(1_u16..);
    numbered
        .map(|(name, number)| {
            let [high, low] = number.to_be_bytes();
            (name, Ipv4Addr::new(127, 77, high, low))
        })
        .collect()
}

/// Puts a file of names in the place of the usual one, in a tree of files that this process has alone.
pub(super) fn replace_names(file: &Path) -> io::Result<()> {
    // Otherwise it would be in the place of it for everybody.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    mount_bind(file, FILE)?;
    Ok(())
}

/// Listens in the place of every host, in the order of the list, hands the sockets out and reads what it is given
/// instead of the pair of sockets they went through.
pub(super) fn listen(network: &Network) -> io::Result<()> {
    let listeners = network.hosts.iter().map(|host| TcpListener::bind(place(network, host)));
    let listeners: Vec<TcpListener> = listeners.collect::<io::Result<_>>()?;
    let input = handover::give(rustix::stdio::stdin().as_fd(), &listeners)?;
    Ok(rustix::stdio::dup2_stdin(input)?)
}

fn place(network: &Network, host: &NetworkHost) -> SocketAddr {
    let address = addresses(network).get(host.name.as_str()).copied();
    (address.unwrap_or(Ipv4Addr::LOCALHOST), host.port).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_address_and_this_machine_keeps_its_own() {
        let words = ["b.example.com", "b.example.com:8080", "a.example.com", "localhost:5432"];
        let network = Network::local().widened(words).unwrap();
        let text = names(&network);
        let own: Vec<&str> = text.lines().take(2).collect();
        assert_eq!(own, ["127.77.0.1 a.example.com", "127.77.0.2 b.example.com"]);
        let places: Vec<String> =
            network.hosts.iter().map(|host| place(&network, host).to_string()).collect();
        assert_eq!(places, ["127.77.0.1:443", "127.77.0.2:443", "127.77.0.2:8080", "127.0.0.1:5432"]);
    }
}
