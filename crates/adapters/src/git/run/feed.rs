//! Starts a command of git, gives it its input and takes its output.

use crate::git::wait::{self, StopReason};
use std::io::{self, Write as _};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// What every pipe holds before it is read from. An input that fits is written without a thread of its own.
pub(super) const PIPE_BYTES_MIN: usize = 4096;

pub(super) fn feed(
    command: &mut Command,
    input: Option<&[u8]>,
    limit: Duration,
) -> io::Result<Result<Output, StopReason>> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let Some(input) = input else { return wait::output(&mut command.stdin(Stdio::null()).spawn()?, limit) };
    let short = input.len() <= PIPE_BYTES_MIN;
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take();
    // A git that stops reading early says why on stderr.
    let write = move || stdin.map(|mut pipe| pipe.write_all(input));
    if short {
        drop(write());
        return wait::output(&mut child, limit);
    }
    // Written while reading, or a long input and a long output would wait for each other.
    std::thread::scope(|scope| {
        scope.spawn(write);
        wait::output(&mut child, limit)
    })
}
