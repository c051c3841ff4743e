//! Starts a command that is held to a policy, by the first engine that works here.

use crate::Group;
use crate::engine::{Engine, Report};
use crate::level::Level;
use crate::order::{Answer, Order};
use crate::policy::{Least, Policy};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A program that calls [`crate::contained`] with the words after this one.
pub const CONTAINED: &str = "contained";

/// Makes a process of words; who calls decides about group and variables.
pub type Make<'a> = &'a dyn Fn(&[OsString]) -> Command;

#[derive(Debug)]
pub struct Started {
    pub child: Child,
    pub report: Report,
    /// Keeps its limits; dropped when it has ended.
    pub group: Group,
}

/// Who starts a command, and how.
#[derive(Clone, Copy)]
pub struct Starter<'a> {
    /// A program that knows [`CONTAINED`].
    pub helper: &'a Path,
    pub make: Make<'a>,
    /// Those that may be used, the strongest first.
    pub engines: &'a [Engine],
}

impl Starter<'_> {
    /// Starts the words in the current folder. Both outputs are pipes, and `input` is what it reads.
    pub fn start(&self, policy: &Policy, words: &[OsString], input: Option<File>) -> io::Result<Started> {
        let Started { mut child, report, group } = match self.first_that_works(policy, words, false)? {
            Ok(held) => held,
            Err(why) => {
                let report = Report::none(&why);
                if !policy.least.is_met(&report.level) {
                    return Err(refusal(policy.least, &report.level));
                }
                let mut command = (self.make)(words);
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                Started { child: command.spawn()?, report, group: Group::none() }
            }
        };
        feed(&mut child, input)?;
        Ok(Started { child, report, group })
    }

    /// What [`Starter::start`] would reach here.
    pub fn reached(&self, policy: &Policy) -> Report {
        let lenient = Policy { least: Least::Nothing, ..policy.clone() };
        match self.first_that_works(&lenient, &[], true) {
            Ok(Ok(Started { mut child, report, .. })) => {
                // It ends by itself; how does not matter.
                let _ = child.wait();
                report
            }
            Ok(Err(why)) => Report::none(&why),
            Err(error) => Report::none(&error.to_string()),
        }
    }

    /// The inner error says why none works.
    fn first_that_works(
        &self,
        policy: &Policy,
        words: &[OsString],
        trial: bool,
    ) -> io::Result<Result<Started, String>> {
        let mut policy = policy.clone();
        policy.grants.retain(|grant| grant.path.exists());
        let mut why = "there is no sandbox for this operating system yet".to_owned();
        for engine in self.engines.iter().copied() {
            let Some(outer) = crate::words(engine, &policy, self.helper) else { continue };
            let mut group = crate::group(&policy.limits);
            let words: Vec<OsString> = outer.into_iter().chain(words.iter().cloned()).collect();
            let mut command = (self.make)(&words);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let spawned = group.within(|| command.spawn());
            let mut child = match spawned {
                Ok(child) => child,
                Err(error) => {
                    why = error.to_string();
                    continue;
                }
            };
            if let Some(pipe) = &mut child.stdin {
                // A process that is gone already has no answer, either.
                let _ = Order::new(&policy, engine, group.limits(), trial).write(pipe);
            }
            let answer = child.stderr.as_mut().map_or(Ok(Answer::Failed(String::new())), Answer::read)?;
            match answer {
                Answer::Reached(level) => {
                    let report = Report { engine: Some(engine), level };
                    return Ok(Ok(Started { child, report, group }));
                }
                Answer::Refused(level) => {
                    end(&mut child);
                    return Err(refusal(policy.least, &level));
                }
                Answer::Failed(said) => {
                    end(&mut child);
                    why = said;
                }
            }
        }
        Ok(Err(why))
    }
}

/// Why a command is not started.
pub(crate) fn refusal(least: Least, level: &Level) -> io::Error {
    io::Error::other(match least {
        Least::Enforced => {
            format!(
                "[sandbox] level = \"strict\" asks for a sandbox that is enforced, and here it is {level}"
            )
        }
        Least::Held | Least::Nothing => {
            format!("the sandbox that worked before does not work any more: {level}")
        }
    })
}

/// It has said that it does not go on.
fn end(child: &mut Child) {
    drop(child.stdin.take());
    // It may be gone already.
    let _ = child.kill();
    let _ = child.wait();
}

/// Hands over what the command reads, as fast as it reads.
fn feed(child: &mut Child, input: Option<File>) -> io::Result<()> {
    let pipe = child.stdin.take();
    let (Some(mut pipe), Some(mut input)) = (pipe, input) else { return Ok(()) };
    std::thread::Builder::new().name("input".to_owned()).spawn(move || {
        // A command need not read everything.
        let _ = io::copy(&mut input, &mut pipe);
    })?;
    Ok(())
}
