//! Runs the program on a terminal, with somebody who types.

use redraft_testkit::Scratch;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

/// Runs on a terminal, types these lines, and returns what was shown there. It must end with this code.
pub(crate) fn on_a_terminal(scratch: &Scratch, words: &[&str], lines: &str, code: i32) -> String {
    command_on_a_terminal(scratch.redraft(words), lines, code)
}

/// The same for a command with its own environment.
pub(crate) fn command_on_a_terminal(mut command: Command, lines: &str, code: i32) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = std::ffi::OsString::from_vec(ptsname(&terminal, Vec::new()).unwrap().into_bytes());
    let end = fs::File::options().read(true).write(true).open(name).unwrap();
    // Wide enough that no line is broken.
    tcsetwinsize(&end, Winsize { ws_row: 50, ws_col: 1000, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    command
        .stdin(end.try_clone().unwrap())
        .stderr(end)
        .stdout(std::process::Stdio::null())
        .env("TERM", "dumb");
    let mut terminal = fs::File::from(terminal);
    terminal.write_all(lines.as_bytes()).unwrap();
    let mut child = command.spawn().unwrap();
    // Our copies of the other end; without them the terminal closes with the program.
    drop(command);
    let mut said = Vec::new();
    // A terminal that is no longer open answers with an error, not with an end.
    let _ = terminal.read_to_end(&mut said);
    let said = String::from_utf8(said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(code), "{said}");
    said
}
