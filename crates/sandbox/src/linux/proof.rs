//! Tries what must not work, in the very thread that becomes the command.

use super::rules::Held;
use super::{is_refused, limits_tcp};
use crate::policy::{Policy, Tcp};
use rustix::process::{getpid, getppid, test_kill_process};
use std::fs::{self, File, OpenOptions};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

/// What was possible although it must not be; none if nothing was.
pub(super) fn passed(policy: &Policy, held: Held) -> Option<String> {
    for file in &policy.forbidden.files {
        if File::open(file).is_ok() {
            return Some(format!("{} could be read", file.display()));
        }
    }
    for folder in &policy.forbidden.folders {
        if could_write(folder) {
            return Some(format!("a file could be made in {}", folder.display()));
        }
    }
    if held.abi >= 4 && limits_tcp(policy) && could_connect(policy) {
        return Some("a forbidden port could be connected to".to_owned());
    }
    let parent = getppid()?;
    if File::open(format!("/proc/{parent}/environ")).is_ok() {
        return Some("the variables of another process could be read".to_owned());
    }
    // The system's first process may not be sent signals anyway.
    if held.abi >= 6 && !parent.is_init() && test_kill_process(parent).is_ok() {
        return Some("another process could be sent a signal".to_owned());
    }
    None
}

fn could_write(folder: &Path) -> bool {
    let path = folder.join(format!(".sandbox-proof-{}", getpid()));
    let made = OpenOptions::new().write(true).create_new(true).open(&path).is_ok();
    if made {
        // Nothing else may find it; that it could be made is what counts.
        let _ = fs::remove_file(&path);
    }
    made
}

/// Any other answer than a refusal means that the port was asked.
fn could_connect(policy: &Policy) -> bool {
    let Tcp::Ports(ports) = &policy.network.tcp else { return false };
    // The lowest ports are never among those that are given out.
    let closed = (1..1024).find(|port| !ports.contains(port));
    let Some(port) = closed else { return false };
    let tried =
        TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), Duration::from_millis(200));
    !tried.is_err_and(|error| is_refused(&error))
}
