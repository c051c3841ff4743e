//! Our side of a worker: starts it, reads its lines, and ends it in time.

use super::environment::Environment;
use super::lines::{Bounded, LINE_BYTES_MAX, StreamLine};
use super::orphans::settle;
use super::worker::WorkerConfig;
use super::worker_folder::{self, Exit};
use redraft_engine::ports::{Deadlines, Moment, RunHandle};
use redraft_facts::text::span;
use redraft_sandbox::{SandboxPolicy, SandboxReport};
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// How often the stop flag and the deadlines are checked while nothing arrives.
const SLICE: Duration = Duration::from_millis(25);
/// How long a worker may take to end its processes.
const ENDING_SLICES: u32 = 400;
const STDERR_SHOWN: usize = 16 << 10;
/// How many lines printed before a stop are still read: more than a program prints while its run is held up, and few
/// enough that a program that prints endlessly is ended soon.
const WAITING_MAX: usize = 10_000;

/// One program, ready to be started.
pub struct Launch<'a> {
    /// Our own binary.
    pub worker: &'a Path,
    /// Where everything it prints is kept.
    pub out: &'a Path,
    pub program: &'a Path,
    pub arguments: &'a [OsString],
    pub folder: &'a Path,
    pub input: &'a str,
    pub environment: &'a Environment,
    /// Values that must not be kept.
    pub secrets: Vec<String>,
    /// Lines that begin with one of these are handed over but not kept.
    pub unkept: &'a [&'a str],
    pub deadlines: Deadlines,
    /// What it may reach; everything, where there is none.
    pub policy: Option<SandboxPolicy>,
}

/// Why there is nothing more to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadEnd {
    /// The program ended, or could not be started.
    Exited(Exit),
    /// The worker was ended from outside; what became of the program is not known.
    Vanished,
    /// The run was asked to stop.
    Stopped,
    Slow(Slow),
}

/// Which deadline passed, and how long it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slow {
    FirstByte(u64),
    Idle(u64),
    Total(u64),
}

impl std::fmt::Display for Slow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Slow::FirstByte(ms) => write!(f, "said nothing within {}", span(*ms)),
            Slow::Idle(ms) => write!(f, "was silent for {}", span(*ms)),
            Slow::Total(ms) => write!(f, "did not finish within {}", span(*ms)),
        }
    }
}

#[derive(Debug)]
pub struct Finished {
    pub end: ReadEnd,
    /// The beginning of what it said on standard error.
    pub stderr: String,
    /// How far it was held; none where it was not meant to be, or was not started.
    pub report: Option<SandboxReport>,
}

/// A worker that runs.
pub struct StartedWorker {
    child: Child,
    steps: Receiver<StreamLine>,
}

impl Launch<'_> {
    /// Starts the program and hands over its lines until it ends, the run stops or a deadline passes. No process of it
    /// is left when this returns.
    pub fn run(&self, watch: &dyn RunHandle, each: &mut dyn FnMut(StreamLine)) -> io::Result<Finished> {
        let started = self.start()?;
        let early = started.listen(self.deadlines, watch, each);
        let StartedWorker { mut child, steps } = started;
        // From here on no lines are taken; the reading thread goes on so that the worker never waits for us.
        drop(steps);
        end(&mut child, early.is_some());
        let exit = Exit::read(self.out);
        if exit.is_none() {
            // The worker was killed, so nothing else ends what it had started.
            settle(self.out);
        }
        let end = early.unwrap_or_else(|| exit.map_or(ReadEnd::Vanished, ReadEnd::Exited));
        let report =
            self.policy.as_ref().and_then(|_| SandboxReport::read(&self.out.join(worker_folder::REPORT)));
        Ok(Finished { end, stderr: stderr(self.out), report })
    }

    #[expect(clippy::disallowed_methods, reason = "starts our own binary, which starts the agent's program")]
    pub fn start(&self) -> io::Result<StartedWorker> {
        fs::create_dir_all(self.out)?;
        settle(self.out);
        // A file left by an earlier start would be taken for this one's.
        for name in [worker_folder::STDOUT, worker_folder::STDERR, worker_folder::EXIT, worker_folder::REPORT]
        {
            match fs::remove_file(self.out.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::write(self.out.join(worker_folder::STDIN), self.input)?;
        let mut command = Command::new(self.worker);
        command.arg("worker").arg("--out").arg(self.out).arg("--").arg(self.program).args(self.arguments);
        command.current_dir(self.folder).env_clear().envs(&self.environment.0);
        // A group of its own: Ctrl-C is for us, and we decide what it means for the agent.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        if let Some(pipe) = &child.stdin {
            // A worker that is gone already is noticed when it is listened to.
            let _ = WorkerConfig::new(self.secrets.clone(), self.unkept, self.policy.clone()).write(pipe);
        }
        let stdout = child.stdout.take();
        let (send, steps) = sync_channel(64);
        let reading = std::thread::Builder::new().name("agent output".to_owned());
        reading.spawn(move || read(stdout, &send))?;
        Ok(StartedWorker { child, steps })
    }
}

impl StartedWorker {
    /// Hands over lines; returns why it stopped before the end of the output, if it did.
    fn listen(
        &self,
        deadlines: Deadlines,
        watch: &dyn RunHandle,
        each: &mut dyn FnMut(StreamLine),
    ) -> Option<ReadEnd> {
        let began = watch.moment();
        let mut heard = None;
        loop {
            match self.steps.recv_timeout(SLICE) {
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Ok(step) => {
                    heard = Some(watch.moment());
                    if step != StreamLine::Part {
                        each(step);
                    }
                }
            }
            if watch.stopped() {
                // What it has printed by now was done, and may be billed.
                let waiting = std::iter::from_fn(|| self.steps.recv_timeout(SLICE).ok());
                waiting.take(WAITING_MAX).filter(|step| *step != StreamLine::Part).for_each(&mut *each);
                return Some(ReadEnd::Stopped);
            }
            if let Some(slow) = late(deadlines, began, heard, watch.moment()) {
                return Some(ReadEnd::Slow(slow));
            }
        }
    }
}

/// The deadline that has passed, if any.
pub(super) fn late(deadlines: Deadlines, began: Moment, heard: Option<Moment>, now: Moment) -> Option<Slow> {
    let passed = |since: Moment, limit_ms: u64| now.ms_since(since) >= limit_ms;
    let Deadlines { first_byte_ms, idle_ms, total_ms, .. } = deadlines;
    if passed(began, total_ms) {
        return Some(Slow::Total(total_ms));
    }
    match heard {
        None => passed(began, first_byte_ms).then_some(Slow::FirstByte(first_byte_ms)),
        Some(heard) => passed(heard, idle_ms).then_some(Slow::Idle(idle_ms)),
    }
}

/// Reads to the end, even when the lines are no longer taken.
fn read(stdout: Option<ChildStdout>, send: &SyncSender<StreamLine>) {
    let Some(stdout) = stdout else { return };
    let mut lines = Bounded::new(BufReader::with_capacity(64 * 1024, stdout), LINE_BYTES_MAX);
    while let Ok(Some(step)) = lines.step() {
        // Lines are no longer taken once a deadline has passed.
        let _ = send.send(step);
    }
}

/// Waits until the worker is gone, and with it everything it started. `early`: it must be told to end.
fn end(child: &mut Child, early: bool) {
    if early {
        drop(child.stdin.take());
    }
    for _ in 0..ENDING_SLICES {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::park_timeout(SLICE);
    }
    // It neither ends nor answers; a process that is gone already is what we want.
    let _ = child.kill();
    let _ = child.wait();
}

fn stderr(out: &Path) -> String {
    let bytes = fs::read(out.join(worker_folder::STDERR)).unwrap_or_default();
    String::from_utf8_lossy(&bytes[..bytes.len().min(STDERR_SHOWN)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "any process will do; its output is made here")]
    fn what_was_printed_before_a_stop_is_still_heard() {
        let (send, steps) = sync_channel(64);
        for word in ["one", "two", "three"] {
            send.send(StreamLine::Whole(word.into())).unwrap();
        }
        let child = Command::new("true").spawn().unwrap();
        let mut started = StartedWorker { child, steps };
        let watch = SystemClock::new(Arc::new(AtomicBool::new(true)));
        let deadlines =
            Deadlines { connect_ms: 60_000, first_byte_ms: 60_000, idle_ms: 60_000, total_ms: 60_000 };
        let mut heard = Vec::new();
        let end = started.listen(deadlines, &watch, &mut |line| heard.push(line));
        started.child.wait().unwrap();
        assert_eq!((end, heard.len()), (Some(ReadEnd::Stopped), 3));
    }
}
