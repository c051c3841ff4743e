//! What the process that starts a command says to the one that becomes it, and the answer.
//!
//! The order comes first on standard input, with its length before it, so that what follows is left for the command.
//! The answer is the first line of standard error.

use crate::engine::Engine;
use crate::level::Level;
use crate::policy::SandboxPolicy;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;

const VERSION: u16 = 2;
/// The length is written with this many digits.
const DIGITS: usize = 10;
/// Far more than any policy needs.
const BYTES_MAX: usize = 16 << 20;
/// An answer is short; what does not fit is not one.
const ANSWER_BYTES_MAX: usize = 4 << 10;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    v: u16,
    pub(crate) policy: SandboxPolicy,
    pub(crate) engine: Engine,
    /// Whether there is no further engine to try.
    pub(crate) last: bool,
    /// A process outside, which must be out of reach.
    pub(crate) outsider: u32,
    /// Whether the kernel keeps the limits of memory and processes.
    pub(crate) limited: bool,
    /// Whether nothing is to be started.
    pub(crate) trial: bool,
    /// Where this process hands out sockets for a relay: the file that names are looked up in.
    pub(crate) names: Option<PathBuf>,
    /// Whether a network of its own is all that is wanted; what is started then gets an order of its own.
    pub(crate) only_network: bool,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    /// The command begins now.
    Reached(Level),
    /// The command is not begun, because the policy wants more than this.
    Refused(Level),
    /// This engine does not work here.
    Failed(String),
}

impl Order {
    pub(crate) fn new(policy: &SandboxPolicy, engine: Engine, limited: bool, trial: bool) -> Order {
        let last = Engine::ALL.last() == Some(&engine);
        let (policy, outsider) = (policy.clone(), std::process::id());
        let (names, only_network) = (None, false);
        Order { v: VERSION, policy, engine, last, outsider, limited, trial, names, only_network }
    }

    pub(crate) fn write(&self, mut pipe: impl Write) -> io::Result<()> {
        let text = serde_json::to_vec(self).map_err(io::Error::other)?;
        pipe.write_all(format!("{:0DIGITS$}", text.len()).as_bytes())?;
        pipe.write_all(&text)
    }

    /// Reads not one byte more.
    pub(crate) fn read(mut pipe: impl Read) -> io::Result<Order> {
        let mut digits = [0; DIGITS];
        pipe.read_exact(&mut digits)?;
        let length = std::str::from_utf8(&digits).ok().and_then(|digits| digits.parse().ok());
        let length: usize = length.filter(|length| *length <= BYTES_MAX).ok_or_else(not_an_order)?;
        let mut text = vec![0; length];
        pipe.read_exact(&mut text)?;
        let order: Order = serde_json::from_slice(&text).map_err(io::Error::other)?;
        if order.v == VERSION { Ok(order) } else { Err(not_an_order()) }
    }
}

fn not_an_order() -> io::Error {
    io::Error::other("what came first on standard input is no order of this version")
}

impl Answer {
    pub(crate) fn line(&self) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self).map_err(io::Error::other)?;
        line.push(b'\n');
        Ok(line)
    }

    /// Reads one line and not a byte more. What is no answer is the complaint of whatever was in between.
    pub(crate) fn read(mut pipe: impl Read) -> io::Result<Answer> {
        let mut line = Vec::new();
        let mut byte = [0];
        while line.len() < ANSWER_BYTES_MAX && pipe.read(&mut byte)? == 1 && byte != *b"\n" {
            line.push(byte[0]);
        }
        Ok(serde_json::from_slice(&line)
            .unwrap_or_else(|_| Answer::Failed(String::from_utf8_lossy(&line).trim().to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Forbidden, Least, Network, ResourceLimits};

    #[test]
    fn an_order_leaves_what_follows_it() {
        let policy = SandboxPolicy {
            grants: Vec::new(),
            network: Network::local(),
            limits: ResourceLimits::default(),
            forbidden: Forbidden::default(),
            least: Least::Enforced,
        };
        let mut pipe = Vec::new();
        Order::new(&policy, Engine::Landlock, false, true).write(&mut pipe).unwrap();
        pipe.extend(b"input");
        let mut rest = pipe.as_slice();
        let order = Order::read(&mut rest).unwrap();
        assert_eq!((order.policy, order.last, order.trial, rest), (policy, true, true, b"input".as_slice()));
        assert!(Order::read(b"hello, world".as_slice()).is_err());
    }

    #[test]
    fn an_answer_is_one_line_and_anything_else_a_failure() {
        let mut pipe = Answer::Reached(Level::Enforced).line().unwrap();
        pipe.extend(b"said by the command");
        let mut rest = pipe.as_slice();
        assert_eq!(Answer::read(&mut rest).unwrap(), Answer::Reached(Level::Enforced));
        assert_eq!(rest, b"said by the command");
        let failed = Answer::read(b"bwrap: no permissions\nmore".as_slice()).unwrap();
        assert_eq!(failed, Answer::Failed("bwrap: no permissions".to_owned()));
    }
}
