//! Waits for a git that was started, and ends it with everything it started when it takes too long.
//!
//! A signing prompt that nobody sees, a fetch from a server that does not answer and a disk that is about to fail all
//! look the same from here: git goes on and says nothing. So every call has a limit. Ctrl-C reaches a git in the same
//! terminal by itself; a run that is stopped otherwise gives the call under way a little time, because a commit is
//! better finished than broken off.

#[cfg(target_os = "linux")]
use redraft_sandbox::processes::Process;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, ChildStdout, ExitStatus, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long a call may take. The largest checkout over a slow network is done before; what takes longer hangs.
pub(super) const LIMIT: Duration = Duration::from_secs(600);

/// How long a call may still take when the run is asked to stop.
const STOPPING: Duration = Duration::from_secs(10);

/// How long git gets to let go of its locks before it is killed.
const LETTING_GO: Duration = Duration::from_secs(2);

/// How much is read at once: as much as a pipe holds.
const PIECE_BYTES: usize = 64 * 1024;

/// How often limits are looked at.
const SLICE: Duration = Duration::from_millis(50);

/// Makes every call of git of this process end soon after this is raised, as Ctrl-C does. The first flag counts.
pub fn stops_with(stop: Arc<AtomicBool>) {
    // A process has one such flag, since it has one terminal.
    let _ = STOP.set(stop);
}

static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

pub(super) fn is_stopped() -> bool {
    STOP.get().is_some_and(|stop| stop.load(Ordering::SeqCst))
}

/// Why a call was ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StopReason {
    /// Its time was up; the program it was waiting for, if any.
    Slow { limit: Duration, waited_for: Option<String> },
    /// The run was asked to stop.
    Stopped,
}

/// The time a call has.
#[derive(Debug)]
pub(super) struct Allowance {
    limit: Duration,
    began: Instant,
    stopped: Option<Instant>,
}

impl Allowance {
    pub(super) fn new(limit: Duration) -> Allowance {
        Allowance { limit, began: Instant::now(), stopped: None }
    }

    /// Whether it is used up by now.
    fn is_over(&mut self) -> Option<StopReason> {
        if is_stopped() {
            let since = self.stopped.get_or_insert_with(Instant::now);
            if since.elapsed() >= STOPPING {
                return Some(StopReason::Stopped);
            }
        }
        (self.began.elapsed() >= self.limit)
            .then_some(StopReason::Slow { limit: self.limit, waited_for: None })
    }
}

/// Collects everything a git writes until it has ended. Its input is handled elsewhere.
pub(super) fn output(child: &mut Child, limit: Duration) -> io::Result<Result<Output, StopReason>> {
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let (mut said, mut complained) = (Vec::new(), Vec::new());
    let mut allowance = Allowance::new(limit);
    while stdout.is_some() || stderr.is_some() {
        let ready = wait_for([stdout.as_ref().map(AsFd::as_fd), stderr.as_ref().map(AsFd::as_fd)])?;
        if ready[0] {
            take(&mut stdout, &mut said)?;
        }
        if ready[1] {
            take(&mut stderr, &mut complained)?;
        }
        if let Some(cut) = allowance.is_over() {
            return Ok(Err(ended(child, cut)));
        }
    }
    loop {
        if let Some(status) = gone(child)? {
            return Ok(Ok(Output { status, stdout: said, stderr: complained }));
        }
        if let Some(cut) = allowance.is_over() {
            return Ok(Err(ended(child, cut)));
        }
    }
}

/// The output of a git that stays; it answers within the limit or not at all.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) output: ChildStdout,
    pub(super) limit: Duration,
}

impl Read for Answers {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut allowance = Allowance::new(self.limit);
        while wait_for([Some(self.output.as_fd())])? != [true] {
            match allowance.is_over() {
                None => {}
                Some(StopReason::Slow { .. }) => return Err(io::ErrorKind::TimedOut.into()),
                // Not `Interrupted`, after which readers try again.
                Some(StopReason::Stopped) => return Err(io::ErrorKind::ConnectionAborted.into()),
            }
        }
        self.output.read(buffer)
    }
}

/// Waits a slice at most; returns which of these have something to read or have ended.
fn wait_for<const N: usize>(descriptors: [Option<BorrowedFd<'_>>; N]) -> io::Result<[bool; N]> {
    let open = descriptors.iter().flatten();
    let mut polled: Vec<PollFd<'_>> = open.map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let slice = Timespec { tv_sec: 0, tv_nsec: i64::from(SLICE.subsec_nanos()) };
    match poll(&mut polled, Some(&slice)) {
        Ok(_) => {
            let mut ready = polled.iter().map(|polled| !polled.revents().is_empty());
            Ok(descriptors.map(|open| open.is_some() && ready.next() == Some(true)))
        }
        Err(rustix::io::Errno::INTR) => Ok([false; N]),
        Err(error) => Err(error.into()),
    }
}

/// Reads a piece of what is there; closes what has ended.
fn take(pipe: &mut Option<impl AsFd>, into: &mut Vec<u8>) -> io::Result<()> {
    let Some(open) = pipe else { return Ok(()) };
    into.reserve(PIECE_BYTES);
    match rustix::io::read(open, spare_capacity(into)) {
        Ok(0) => *pipe = None,
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// How a git that has closed its pipes ended; none if it is still there after a slice. Mostly it is gone at once.
fn gone(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    #[cfg(target_os = "linux")]
    if let Some(pid) = Pid::from_raw(child.id().cast_signed())
        && let Ok(held) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())
    {
        wait_for([Some(held.as_fd())])?;
        return child.try_wait();
    }
    // A git without pipes has nothing left to do but to end.
    child.wait().map(Some)
}

/// Ends a git and everything it started, and says what it was waiting for.
pub(super) fn ended(child: &mut Child, cut: StopReason) -> StopReason {
    let below = descendants(child);
    // A number may be given to another process meanwhile, which then began at another time.
    let before: Vec<(Pid, u64)> = below.iter().filter_map(|pid| Some((*pid, began(*pid)?))).collect();
    let cut = match cut {
        StopReason::Slow { limit, .. } => {
            StopReason::Slow { limit, waited_for: below.last().and_then(|pid| name(*pid)) }
        }
        StopReason::Stopped => StopReason::Stopped,
    };
    // Git removes its locks when it is asked to end, so it is asked first.
    let own = Pid::from_raw(child.id().cast_signed());
    own.iter().chain(&below).for_each(|pid| signal(*pid, Signal::TERM));
    let asked = Instant::now();
    let mut left = descendants(child);
    while asked.elapsed() < LETTING_GO && matches!(child.try_wait(), Ok(None)) {
        std::thread::park_timeout(SLICE);
        left = descendants(child);
    }
    // What outlived its parent is no longer found as a descendant, but still has its number.
    left.extend(
        below.iter().filter(|pid| began(**pid).is_some_and(|began| before.contains(&(**pid, began)))),
    );
    left.iter().for_each(|pid| signal(*pid, Signal::KILL));
    // One that has ended is what we want.
    let _ = child.kill();
    let _ = child.wait();
    let killed = Instant::now();
    while killed.elapsed() < LETTING_GO && left.iter().any(|pid| is_alive(*pid)) {
        std::thread::park_timeout(SLICE);
    }
    cut
}

/// What a child has started, the youngest generation last; where it is unknown, that ends with git or by limits of its own.
fn descendants(child: &Child) -> Vec<Pid> {
    Pid::from_raw(child.id().cast_signed()).map(redraft_sandbox::processes::below).unwrap_or_default()
}

fn signal(pid: Pid, signal: Signal) {
    // It may have ended by itself meanwhile.
    let _ = kill_process(pid, signal);
}

/// When a process began, in ticks of the system.
#[cfg(target_os = "linux")]
fn began(pid: Pid) -> Option<u64> {
    Process::read(pid).map(|process| process.began)
}

#[cfg(target_os = "linux")]
fn is_alive(pid: Pid) -> bool {
    Process::read(pid).is_some_and(|process| !process.ended)
}

#[cfg(not(target_os = "linux"))]
fn is_alive(_pid: Pid) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn began(_pid: Pid) -> Option<u64> {
    None
}

/// What a process is called.
#[cfg(target_os = "linux")]
fn name(pid: Pid) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(text.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(not(target_os = "linux"))]
fn name(_pid: Pid) -> Option<String> {
    None
}

#[cfg(test)]
mod tests;
