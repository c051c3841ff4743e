//! Starts a command that is held to a policy, by the first engine that works here.

use crate::ControlGroup;
use crate::engine::{Engine, SandboxReport};
use crate::handover::Handover;
use crate::level::Level;
use crate::order::{Answer, Order};
use crate::policy::{Least, SandboxPolicy};
use crate::relay::Relay;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program that calls [`crate::contained`] with the words after this one.
pub const CONTAINED: &str = "contained";

/// Makes a process of words; who calls decides about group and variables.
pub type Make<'a> = &'a dyn Fn(&[OsString]) -> Command;

#[derive(Debug)]
pub struct StartedCommand {
    pub child: Child,
    pub report: SandboxReport,
    pub bounds: CommandGuard,
}

/// What has to last as long as the command: its limits, and its way to the hosts it may reach.
#[derive(Debug)]
pub struct CommandGuard {
    _group: ControlGroup,
    _relay: Relay,
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

/// A command that an engine holds, and the pipe that it reads.
struct Held {
    started: StartedCommand,
    input: Option<File>,
}

impl Starter<'_> {
    /// Starts the words in the current folder. Both outputs are pipes, and `input` is what it reads.
    pub fn start(
        &self,
        policy: &SandboxPolicy,
        words: &[OsString],
        input: Option<File>,
    ) -> io::Result<StartedCommand> {
        let held = match self.first_that_works(policy, words, false)? {
            Ok(held) => held,
            Err(why) => {
                let report = SandboxReport::none(&why);
                if !policy.least.is_met(&report.level) {
                    return Err(refusal(policy.least, &report.level));
                }
                let mut command = (self.make)(words);
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                let mut child = command.spawn()?;
                let input = child.stdin.take().map(|pipe| OwnedFd::from(pipe).into());
                let bounds = CommandGuard { _group: ControlGroup::none(), _relay: Relay::default() };
                Held { started: StartedCommand { child, report, bounds }, input }
            }
        };
        feed(held.input, input)?;
        Ok(held.started)
    }

    /// What [`Starter::start`] would reach here.
    pub fn reached(&self, policy: &SandboxPolicy) -> SandboxReport {
        let lenient = SandboxPolicy { least: Least::Nothing, ..policy.clone() };
        match self.first_that_works(&lenient, &[], true) {
            Ok(Ok(Held { started: StartedCommand { mut child, report, .. }, .. })) => {
                // It ends by itself; how does not matter.
                let _ = child.wait();
                report
            }
            Ok(Err(why)) => SandboxReport::none(&why),
            Err(error) => SandboxReport::none(&error.to_string()),
        }
    }

    /// The inner error says why none works.
    fn first_that_works(
        &self,
        policy: &SandboxPolicy,
        words: &[OsString],
        trial: bool,
    ) -> io::Result<Result<Held, String>> {
        let mut policy = policy.clone();
        policy.grants.retain(|grant| grant.path.exists());
        let mut why = "there is no sandbox for this operating system yet".to_owned();
        for engine in self.engines.iter().copied() {
            match self.with(engine, &policy, words, trial)? {
                Tried::Held(held) => return Ok(Ok(*held)),
                Tried::Refused(level) => return Err(refusal(policy.least, &level)),
                Tried::Failed(said) => why = said,
                Tried::Absent => {}
            }
        }
        Ok(Err(why))
    }

    fn with(
        &self,
        engine: Engine,
        policy: &SandboxPolicy,
        words: &[OsString],
        trial: bool,
    ) -> io::Result<Tried> {
        let hosts = &policy.network.hosts;
        let names = match engine.isolates(&policy.network) && !hosts.is_empty() {
            true => Some(NamesFile::write(&crate::names(&policy.network))?),
            false => None,
        };
        let path = names.as_ref().map(|names| names.0.as_path());
        let network = if path.is_some() { policy.network.clone() } else { policy.network.opened() };
        let Some(outer) = crate::words(engine, policy, self.helper, path) else { return Ok(Tried::Absent) };
        let mut group = crate::group(&policy.limits);
        let mut order =
            Order::new(&SandboxPolicy { network, ..policy.clone() }, engine, group.limits(), trial);
        order.names = path.map(Path::to_owned);
        order.only_network = path.is_some() && engine == Engine::Bubblewrap;
        let words: Vec<OsString> = outer.into_iter().chain(words.iter().cloned()).collect();
        let (handover, stdin) = match path {
            Some(_) => Handover::new().map(|(ours, theirs)| (Some(ours), theirs))?,
            None => (None, Stdio::piped()),
        };
        let spawned = group.within(|| {
            // Gone at the end of this, and with it our copy of the helper's end.
            let mut command = (self.make)(&words);
            command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
        });
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => return Ok(Tried::Failed(error.to_string())),
        };
        let (input, relay) = match handover {
            Some(handover) => {
                // A process that is gone already has no answer, either.
                let _ = order.write(handover.order());
                match handover.take()? {
                    Some((listeners, input)) => {
                        let relay = Relay::begin(listeners, hosts.iter().cloned())?;
                        let input = File::from(OwnedFd::from(input));
                        if order.only_network {
                            (order.only_network, order.names) = (false, None);
                            let _ = order.write(&input);
                        }
                        (Some(input), relay)
                    }
                    None => (None, Relay::default()),
                }
            }
            None => {
                let input: Option<File> = child.stdin.take().map(|pipe| OwnedFd::from(pipe).into());
                let _ = input.as_ref().map(|pipe| order.write(pipe));
                (input, Relay::default())
            }
        };
        let answer = child.stderr.as_mut().map_or(Ok(Answer::Failed(String::new())), Answer::read)?;
        let refused = match answer {
            Answer::Reached(level) => {
                let report = SandboxReport { engine: Some(engine), level };
                let bounds = CommandGuard { _group: group, _relay: relay };
                return Ok(Tried::Held(Box::new(Held {
                    started: StartedCommand { child, report, bounds },
                    input,
                })));
            }
            Answer::Refused(level) => Tried::Refused(level),
            Answer::Failed(said) => Tried::Failed(said),
        };
        drop(input);
        end(&mut child);
        Ok(refused)
    }
}

/// What became of one engine.
enum Tried {
    Held(Box<Held>),
    /// It works, and holds less than the policy asks for.
    Refused(Level),
    Failed(String),
    /// It is not there.
    Absent,
}

/// The file in which a command looks names up, there until it has begun.
struct NamesFile(PathBuf);

impl NamesFile {
    fn write(text: &str) -> io::Result<NamesFile> {
        let name = format!("redraft-names-{}", uuid::Uuid::new_v4().simple());
        let names = NamesFile(std::env::temp_dir().join(name));
        File::create_new(&names.0)?.write_all(text.as_bytes())?;
        Ok(names)
    }
}

impl Drop for NamesFile {
    fn drop(&mut self) {
        // What cannot be removed now is left to whoever cleans temporary folders.
        let _ = fs::remove_file(&self.0);
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
    // It may be gone already.
    let _ = child.kill();
    let _ = child.wait();
}

/// Hands over what the command reads, as fast as it reads.
fn feed(pipe: Option<File>, input: Option<File>) -> io::Result<()> {
    let (Some(mut pipe), Some(mut input)) = (pipe, input) else { return Ok(()) };
    std::thread::Builder::new().name("input".to_owned()).spawn(move || {
        // A command need not read everything.
        let _ = io::copy(&mut input, &mut pipe);
    })?;
    Ok(())
}
