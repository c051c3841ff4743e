//! The process between us and an agent's program.
//!
//! It is given what to run, keeps everything the program prints in a folder, without secrets, and passes the program's
//! standard output on. It also watches its own standard input. The first line says which values are secret; when the
//! input closes, the process that started the worker has cancelled or is dead, and the program is ended with everything
//! it started. It decides nothing. Start at [`work`].

use super::lines::LINE_BYTES_MAX;
use super::orphans;
use super::redacting_writer::RedactingWriter;
use super::worker_folder::{Exit, REPORT, STDERR, STDIN, STDOUT};
use redraft_facts::redact::Redactor;
use redraft_sandbox::{CommandGuard, Engine, SandboxPolicy, StartedCommand, Starter, processes};
use rustix::process::Pid;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// What is kept of each stream; more is passed on but not kept.
const STDOUT_KEPT: u64 = 1 << 30;
const STDERR_KEPT: u64 = 1 << 20;

const VERSION: u16 = 1;

/// What to run, and where to keep what it prints.
#[derive(Debug)]
pub struct WorkerJob {
    /// Must exist. A file `stdin` in it is what the program reads.
    pub out: PathBuf,
    /// Our own binary, which also becomes a program that is contained.
    pub helper: PathBuf,
    pub program: OsString,
    pub arguments: Vec<OsString>,
}

/// What a worker is given before it starts anything, in one line of the pipe that then stays open: not in its arguments
/// or variables, which others can see or its program inherits.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkerConfig {
    v: u16,
    /// Values that must not be kept.
    secrets: Vec<String>,
    /// Lines of standard output that begin with one of these are passed on but not kept.
    unkept: Vec<String>,
    /// What the program may reach; everything, where there is none.
    policy: Option<SandboxPolicy>,
}

/// More than all variables of a process can hold.
const TOLD_BYTES_MAX: u64 = 16 << 20;

impl WorkerConfig {
    pub(super) fn new(secrets: Vec<String>, unkept: &[&str], policy: Option<SandboxPolicy>) -> WorkerConfig {
        let unkept = unkept.iter().map(|line| (*line).to_owned()).collect();
        WorkerConfig { v: VERSION, secrets, unkept, policy }
    }

    pub(super) fn write(&self, mut pipe: impl Write) -> io::Result<()> {
        let mut line = serde_json::to_vec(self).map_err(io::Error::other)?;
        line.push(b'\n');
        pipe.write_all(&line)?;
        pipe.flush()
    }

    /// None when the pipe was closed before the line was complete.
    fn read(pipe: &mut impl BufRead) -> io::Result<Option<WorkerConfig>> {
        let mut line = Vec::new();
        pipe.take(TOLD_BYTES_MAX).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Ok(None);
        }
        let told: WorkerConfig = serde_json::from_slice(&line).map_err(io::Error::other)?;
        if told.v != VERSION {
            return Err(io::Error::other(format!("told in version {}, not {VERSION}", told.v)));
        }
        Ok(Some(told))
    }
}

/// Runs the program to its end or ours. `lifeline` ends when we are to stop; `onward` receives the program's output.
pub fn work(
    work: &WorkerJob,
    lifeline: impl Read + Send + 'static,
    onward: impl Write + Send,
) -> io::Result<()> {
    let mut lifeline = BufReader::new(lifeline);
    // The process that started us may be gone before we have begun.
    let Some(WorkerConfig { secrets, unkept, policy, .. }) = WorkerConfig::read(&mut lifeline)? else {
        return Ok(());
    };
    let _held = orphans::hold(&work.out)?;
    let redactor = Redactor::new(secrets);
    processes::adopt()?;
    let started = match &policy {
        Some(policy) => start_contained(work, policy),
        None => start(work),
    };
    // Kept until the program has ended.
    let (mut child, _bounds) = match started {
        Ok(started) => started,
        Err(error) => return Exit::not_started(error.to_string()).write(&work.out),
    };
    let program = pid(&child)?;
    // It ends with this process; there is nothing to wait for.
    std::thread::Builder::new().name("lifeline".to_owned()).spawn(move || {
        // Nothing is ever sent; reading ends when the other side is gone.
        let _ = io::copy(&mut lifeline, &mut io::sink());
        processes::end_all(program);
    })?;
    let watch = policy
        .map(|policy| redraft_sandbox::watch(policy.limits, move || processes::end_all(program)))
        .transpose()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let status = std::thread::scope(|scope| {
        let keeper = |name: &str, unkept: Vec<String>, room: u64| {
            let file = File::create(work.out.join(name))?;
            Ok::<_, io::Error>(RedactingWriter::new(file, redactor.clone(), unkept, LINE_BYTES_MAX, room))
        };
        let (keep_out, keep_err) =
            (keeper(STDOUT, unkept, STDOUT_KEPT), keeper(STDERR, Vec::new(), STDERR_KEPT));
        let copied = scope.spawn(move || copy(stdout, keep_out?, onward));
        let noted = scope.spawn(move || copy(stderr, keep_err?, io::sink()));
        let status = child.wait();
        // Whatever it left running would hold the streams open forever.
        processes::end_all(program);
        processes::reap();
        for thread in [copied, noted] {
            thread.join().unwrap_or_else(|_| Err(io::Error::other("a copying thread ended in a panic")))?;
        }
        status
    })?;
    Exit { over: watch.and_then(|watch| watch.broken()), ..Exit::from(status) }.write(&work.out)
}

/// Starts the program held to the policy. This process stays free, because it has to keep what the program prints and
/// to end it.
fn start_contained(work: &WorkerJob, policy: &SandboxPolicy) -> io::Result<(Child, Option<CommandGuard>)> {
    let mark = orphans::mark(&work.out)?;
    let make = |words: &[OsString]| match words {
        [program, arguments @ ..] => command(program, arguments, &mark),
        [] => command(&work.program, &work.arguments, &mark),
    };
    let starter = Starter { helper: &work.helper, make: &make, engines: &Engine::ALL };
    let words: Vec<OsString> =
        std::iter::once(&work.program).chain(&work.arguments).map(OsString::from).collect();
    let StartedCommand { child, report, bounds } = starter.start(policy, &words, input(work)?)?;
    // Noted before the program has ended, because its end may not be noted at all.
    report.write(&work.out.join(REPORT))?;
    Ok((child, Some(bounds)))
}

fn start(work: &WorkerJob) -> io::Result<(Child, Option<CommandGuard>)> {
    let mut command = command(&work.program, &work.arguments, &orphans::mark(&work.out)?);
    command.stdin(input(work)?.map_or_else(Stdio::null, Stdio::from));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok((command.spawn()?, None))
}

fn input(work: &WorkerJob) -> io::Result<Option<File>> {
    match File::open(work.out.join(STDIN)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts an agent's program")]
fn command(program: &OsStr, arguments: &[OsString], mark: &OsStr) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).process_group(0).env(orphans::MARK, mark);
    command
}

fn pid(child: &Child) -> io::Result<Pid> {
    let raw = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    raw.ok_or_else(|| io::Error::other(format!("process {} has no usable id", child.id())))
}

/// Copies as it comes: each line first to the file, so that what was passed on is always kept too.
fn copy(from: Option<impl Read>, mut kept: RedactingWriter<File>, mut onward: impl Write) -> io::Result<()> {
    let Some(mut from) = from else { return Ok(()) };
    let (mut buffer, mut listening) = ([0; 64 * 1024], true);
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => return kept.finish(),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        kept.push(&buffer[..read])?;
        // A closed output means that we are about to be told to stop; what arrives until then is still kept.
        listening = listening && onward.write_all(&buffer[..read]).and_then(|()| onward.flush()).is_ok();
    }
}
