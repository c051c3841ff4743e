//! Opens the browser, where there is one. That it could not be opened is no reason to fail: the address is printed.

use redraft_frame::console::Console;
use redraft_frame::process_context::ProcessContext;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// The programs that open an address, by system.
const OPENERS: [&str; 2] = if cfg!(target_os = "macos") { ["open", "xdg-open"] } else { ["xdg-open", "gio"] };

pub(super) fn open(address: &str, process: &ProcessContext, console: &Console) {
    let is_set =
        |name: &str| process.environment.0.get(OsStr::new(name)).is_some_and(|value| !value.is_empty());
    if !has_display(is_set) {
        console.say("no browser was opened: there is no display here; open the address yourself");
        return;
    }
    let found = OPENERS.iter().find_map(|name| Some((*name, process.find_program(name)?)));
    let opened = found.map(|(name, program)| start(name, &program, address));
    if !matches!(opened, Some(Ok(()))) {
        console.say("no browser could be opened; open the address yourself");
    }
}

/// Whether a person sits before a screen of this machine.
fn has_display(is_set: impl Fn(&str) -> bool) -> bool {
    let is_elsewhere = is_set("CI") || is_set("SSH_CONNECTION") || is_set("SSH_TTY");
    !is_elsewhere && (cfg!(target_os = "macos") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
}

#[expect(clippy::disallowed_methods, reason = "the system's program that opens an address")]
fn start(name: &str, program: &std::path::Path, address: &str) -> std::io::Result<()> {
    let mut command = Command::new(program);
    if name == "gio" {
        command.arg("open");
    }
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // Some of these programs stay as long as the browser does.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_opened_only_where_a_person_sees_it() {
        let has = |set: &[&str]| has_display(|name| set.contains(&name));
        assert!(has(&["DISPLAY"]) && has(&["WAYLAND_DISPLAY"]));
        for elsewhere in ["CI", "SSH_CONNECTION", "SSH_TTY"] {
            assert!(!has(&["DISPLAY", elsewhere]), "{elsewhere}");
        }
        assert_eq!(has(&[]), cfg!(target_os = "macos"));
    }
}
