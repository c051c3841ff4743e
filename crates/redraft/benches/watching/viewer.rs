//! `redraft watch` on a terminal, and when something is written to it.

use crate::{PROGRAM, resident_kb};
use redraft_testkit::Scratch;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything should take.
const WAIT: Duration = Duration::from_secs(300);
/// How long nothing is written before nothing more is expected.
const QUIET: Duration = Duration::from_millis(400);

pub(crate) struct Viewer {
    terminal: File,
    child: Child,
    written: Receiver<(Instant, Vec<u8>)>,
}

impl Viewer {
    pub(crate) fn new(scratch: &Scratch, words: &[&str]) -> Viewer {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = std::ffi::OsString::from_vec(ptsname(&terminal, Vec::new()).unwrap().into_bytes());
        let end = File::options().read(true).write(true).open(name).unwrap();
        tcsetwinsize(&end, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let mut command = scratch.command("setsid");
        command.args(["--ctty", PROGRAM]).args(words).env("TERM", "xterm-256color");
        command.stdin(end.try_clone().unwrap()).stdout(end.try_clone().unwrap()).stderr(end);
        let child = command.spawn().unwrap();
        drop(command);
        let terminal = File::from(terminal);
        let mut reading = terminal.try_clone().unwrap();
        let (tell, written) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 65_536];
            while let Ok(read @ 1..) = reading.read(&mut bytes) {
                if tell.send((Instant::now(), bytes[..read].to_vec())).is_err() {
                    return;
                }
            }
        });
        Viewer { terminal, child, written }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until nothing is drawn for a while.
    pub(crate) fn settle(&self) {
        while self.written.recv_timeout(QUIET).is_ok() {}
    }

    /// When this was written to the terminal.
    pub(crate) fn shows(&self, mark: &str) -> Instant {
        let mut all = Vec::new();
        loop {
            let (at, bytes) = self.written.recv_timeout(WAIT).unwrap();
            all.extend(bytes);
            if all.windows(mark.len()).any(|found| found == mark.as_bytes()) {
                return at;
            }
        }
    }

    /// When something is drawn next; what only hides the cursor is nothing.
    pub(crate) fn next(&self) -> Instant {
        const LEAST: usize = 16;
        loop {
            let (at, bytes) = self.written.recv_timeout(WAIT).unwrap();
            if bytes.len() >= LEAST {
                return at;
            }
        }
    }

    pub(crate) fn resident_kb(&self) -> i64 {
        resident_kb(self.child.id())
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
