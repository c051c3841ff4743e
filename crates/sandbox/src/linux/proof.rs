//! Tries what must not work, in the very process that becomes the command.

use super::is_refused;
use super::rules::Held;
use crate::engine::Engine;
use crate::order::Order;
use crate::policy::{SandboxPolicy, Tcp};
use rustix::process::{Pid, getpid, getppid, test_kill_process};
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

/// An address that belongs to nobody, kept for examples.
const NOBODY: [u8; 4] = [192, 0, 2, 1];
/// Processes of a space of their own are numbered anew, so low numbers say nothing about those outside.
const NUMBERED_ANEW: u32 = 100;

/// What was possible although it must not be; none if nothing was.
pub(super) fn passed(order: &Order, held: Held, private: bool) -> Option<String> {
    let policy = &order.policy;
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
    if private && could_leave() {
        return Some("another host could be reached".to_owned());
    }
    if !private && held.abi >= 4 && could_connect(policy) {
        return Some("a forbidden port could be connected to".to_owned());
    }
    let own_numbers = order.engine == Engine::Bubblewrap;
    let outsider = i32::try_from(order.outsider).ok().and_then(Pid::from_raw)?;
    let known = own_numbers && order.outsider < NUMBERED_ANEW;
    let parent = getppid().filter(|parent| !own_numbers && *parent != outsider);
    let outsiders = parent.into_iter().chain((!known).then_some(outsider));
    outsiders.into_iter().find_map(|outsider| reached(outsider, own_numbers || held.abi >= 6))
}

/// Reading its memory is allowed to whoever may trace it.
fn reached(outsider: Pid, signals: bool) -> Option<String> {
    for (file, what) in [("environ", "the variables"), ("mem", "the memory")] {
        if File::open(format!("/proc/{outsider}/{file}")).is_ok() {
            return Some(format!("{what} of another process could be read"));
        }
    }
    // The system's first process may not be sent signals anyway.
    (signals && !outsider.is_init() && test_kill_process(outsider).is_ok())
        .then(|| "another process could be sent a signal".to_owned())
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

/// In a network of its own there is no way to any other host.
fn could_leave() -> bool {
    let tried = TcpStream::connect_timeout(&SocketAddr::from((NOBODY, 9)), Duration::from_millis(200));
    !tried.is_err_and(|error| matches!(error.kind(), ErrorKind::NetworkUnreachable) || is_refused(&error))
}

/// Any other answer than a refusal means that the port was asked.
fn could_connect(policy: &SandboxPolicy) -> bool {
    let Tcp::Ports(ports) = &policy.network.tcp else { return false };
    // The lowest ports are never among those that are given out.
    let closed = (1..1024).find(|port| !ports.contains(port));
    let Some(port) = closed else { return false };
    let tried =
        TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), Duration::from_millis(200));
    !tried.is_err_and(|error| is_refused(&error))
}
