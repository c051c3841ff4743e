//! The helper's side: it reads its order, closes the doors behind itself, says how far it got and becomes the command.
//! It must run as a process of its own with a single thread, because only such a one can enter a user namespace.

use crate::level::Level;
use crate::linux;
use crate::order::{Answer, Order};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// What shells answer for a program that could not be started.
const NOT_STARTED: u8 = 127;

/// Returns the exit code, unless it has become the command.
pub fn contained(words: &[OsString]) -> u8 {
    let order = match Order::read(Input) {
        Ok(order) => order,
        Err(error) => return failed(&Answer::Failed(error.to_string())),
    };
    if order.only_network {
        return match linux::enter_network(&order) {
            Ok(()) => become_command(words),
            Err(why) => failed(&Answer::Failed(why)),
        };
    }
    let level = match linux::enter(&order) {
        Ok(level) => level,
        Err(why) if order.last => Level::None(why),
        Err(why) => return failed(&Answer::Failed(why)),
    };
    if !order.policy.least.is_met(&level) {
        return failed(&Answer::Refused(level));
    }
    if words.is_empty() || order.trial {
        return failed(&Answer::Reached(level));
    }
    if say(&Answer::Reached(level)).is_err() {
        return NOT_STARTED;
    }
    become_command(words)
}

/// Returns only if there is no such program.
fn become_command(words: &[OsString]) -> u8 {
    let Some((program, arguments)) = words.split_first() else { return NOT_STARTED };
    #[expect(clippy::disallowed_methods, reason = "this process becomes the command; that is what it is for")]
    let error = Command::new(program).args(arguments).exec();
    let message = format!("{} could not be started: {error}\n", program.display());
    // Nobody may be there to read it.
    let _ = Errors.write_all(message.as_bytes());
    NOT_STARTED
}

fn failed(answer: &Answer) -> u8 {
    // Without an answer the other side hears that the process has ended.
    let _ = say(answer);
    NOT_STARTED
}

fn say(answer: &Answer) -> io::Result<()> {
    Errors.write_all(&answer.line()?)
}

/// Standard input without a buffer: what follows the order is the command's.
struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
    }
}

/// Standard error, which is the other side's pipe.
struct Errors;

impl Write for Errors {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(rustix::stdio::stderr(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
