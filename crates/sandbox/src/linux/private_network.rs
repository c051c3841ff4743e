//! A network of its own, in which there is nothing but the process and what it starts.

use super::hosts;
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;
use std::fs;
use std::path::Path;

/// With a file of names, these are looked up in it. Root may have one; other users may where they can have a user namespace, as the same user within it.
pub(super) fn enter(names: Option<&Path>) -> Result<(), String> {
    let (user, group) = (geteuid(), getegid());
    let wrong = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    let mut spaces = UnshareFlags::NEWNET;
    spaces.set(UnshareFlags::NEWUSER, !user.is_root());
    spaces.set(UnshareFlags::NEWNS, names.is_some());
    unshare(spaces).map_err(|error| wrong("no network of its own can be had", &error))?;
    if !user.is_root() {
        for (file, text) in [
            ("setgroups", "deny".to_owned()),
            ("uid_map", format!("{} {} 1", user.as_raw(), user.as_raw())),
            ("gid_map", format!("{} {} 1", group.as_raw(), group.as_raw())),
        ] {
            fs::write(format!("/proc/self/{file}"), text)
                .map_err(|error| wrong("no user namespace can be had", &error))?;
        }
    }
    if let Some(names) = names {
        hosts::replace_names(names)
            .map_err(|error| wrong("names cannot be looked up in a file of its own", &error))?;
    }
    switch_on_loopback().map_err(|error| wrong("the loopback of its own network cannot be used", &error))
}

#[expect(
    deprecated,
    reason = "the newer name is unsafe because of a flag about open files that is not used here"
)]
fn unshare(spaces: UnshareFlags) -> Result<(), Errno> {
    rustix::thread::unshare(spaces)
}

/// The first interface of every network is its loopback. The kernel is asked by a message to set its flag "up".
fn switch_on_loopback() -> Result<(), Errno> {
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ANSWER: u16 = 1 | 4;
    const FIRST: i32 = 1;
    const UP: u32 = 1;
    let mut message = Vec::new();
    message.extend(32_u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ANSWER.to_ne_bytes());
    // Number and sender, then family and kind, of which none matters.
    message.extend([0; 8]);
    message.extend([0; 4]);
    message.extend(FIRST.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    send(&kernel, &message, SendFlags::empty())?;
    let mut answer = [0; 512];
    let (length, _) = recv(&kernel, &mut answer[..], RecvFlags::empty())?;
    // A header of 16 bytes, then the error with its sign turned, or 0.
    let code = answer.get(16..20).filter(|_| length >= 20).and_then(|code| code.try_into().ok());
    match code.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(code) => Err(Errno::from_raw_os_error(-code)),
        None => Err(Errno::PROTO),
    }
}
