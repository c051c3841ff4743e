//! What a person types while nothing is asked. The terminal shows it by itself, so whoever takes back lines has to know of
//! it; it is kept for the next question, as the terminal would keep it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use std::io::{IsTerminal as _, Stdin};

/// More lines at a time are left to the next look.
const LINES_MAX: usize = 20;

/// As long as a terminal lets a line be.
const LINE_BYTES_MAX: usize = 4096;

/// The lines that were typed since the last look, without waiting for more.
pub(super) fn lines() -> Vec<String> {
    let stdin = std::io::stdin();
    let mut lines = Vec::new();
    while lines.len() < LINES_MAX && is_in_front(&stdin) && has_line(&stdin) {
        let mut bytes = [0; LINE_BYTES_MAX];
        match rustix::io::read(&stdin, &mut bytes) {
            Ok(count) if count > 0 => {
                let line = String::from_utf8_lossy(&bytes[..count]);
                lines.push(line.trim_end_matches(['\n', '\r']).to_owned());
            }
            // The end of input is met again by whoever asks.
            _ => break,
        }
    }
    lines
}

/// Whether this process may read from its terminal: in the background it would be stopped.
fn is_in_front(stdin: &Stdin) -> bool {
    stdin.is_terminal() && tcgetpgrp(stdin).is_ok_and(|group| group == getpgrp())
}

fn has_line(stdin: &Stdin) -> bool {
    let mut polled = [PollFd::new(stdin, PollFlags::IN)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut polled, Some(&at_once)).is_ok() && polled[0].revents().contains(PollFlags::IN)
}
