//! Measures `redraft watch`: how long an event takes to the screen, how much the view grows in a day of a running
//! feature, and what two viewers cost a run.
//!
//! `cargo bench -p redraft --bench watching` prints the figures of docs/performance.md. Nothing here passes or fails.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops when it cannot measure"
)]

use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_engine::ports::{Append, Store};
use redraft_facts::event::{Event, Unreadable};
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_testkit::Scratch;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_redraft");

/// Events whose way to the screen is measured.
const EVENTS: u32 = 100;

/// What a feature that works around the clock stores in a day, and a week of it.
const DAY: u32 = 1_500;
const LARGE: u32 = 100_000;

/// Runs with and without viewers, in turn.
const RUNS: usize = 10;

fn main() {
    let scratch = begun();
    let mut viewer = Viewer::new(&scratch, &["watch", "001"]);
    viewer.settle();
    viewer.terminal.write_all(b"4v").unwrap();
    viewer.settle();
    let ledger = Ledger::open(&scratch.state(), OpenMode::Write).unwrap();
    let mut took: Vec<Duration> = (0..EVENTS)
        .map(|_| {
            viewer.settle();
            store(&ledger, 1);
            viewer.next()
        })
        .collect();
    took.sort();
    let at = |share: usize| took[took.len() * share / 100].as_secs_f64() * 1000.0;
    println!(
        "event to screen:               {:>6.1} ms median, {:.1} ms 95th percentile of {EVENTS}",
        at(50),
        at(95)
    );

    let before = viewer.resident_kb();
    for _ in 0..DAY {
        store(&ledger, 1);
        viewer.next();
    }
    viewer.settle();
    let after = viewer.resident_kb();
    println!(
        "a day of {DAY} events:          {:>6} KB before, {after} KB after, {:+} KB",
        before,
        after - before
    );
    for _ in 0..LARGE / 1_000 {
        store(&ledger, 1_000);
    }
    viewer.settle();
    std::thread::park_timeout(Duration::from_secs(5));
    viewer.settle();
    let begin = Instant::now();
    viewer.terminal.write_all(b"2").unwrap();
    viewer.next();
    let (key, large) = (begin.elapsed().as_secs_f64() * 1000.0, viewer.resident_kb());
    println!("with {LARGE} events more:      {key:>6.1} ms from a key to the screen, {large} KB");
    drop(viewer);
    drop(ledger);
    costs();
}

/// What two viewers cost a run in processor time of its own.
fn costs() {
    let (mut alone, mut watched) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..RUNS {
        let scratch = begun();
        alone += own_time(&mut scratch.redraft(["run", "001"]));
        let scratch = begun();
        let viewers = [Viewer::new(&scratch, &["watch"]), Viewer::new(&scratch, &["watch", "001"])];
        viewers.iter().for_each(Viewer::settle);
        watched += own_time(&mut scratch.redraft(["run", "001"]));
    }
    let share = watched.as_secs_f64() / alone.as_secs_f64();
    let [alone, watched] = [alone, watched].map(|sum| sum.as_secs_f64() * 1000.0 / RUNS as f64);
    println!("a run alone, own CPU:          {alone:>6.1} ms mean of {RUNS}");
    println!("a run with two viewers:        {watched:>6.1} ms, {share:.3} times that");
}

fn begun() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    scratch
}

#[expect(clippy::disallowed_methods, reason = "writes a ledger that no command would write")]
fn store(ledger: &Ledger, number: u32) {
    let scope = Scope::Feature(FeatureId(1));
    let decided_on = ledger.last_seq(scope.clone()).unwrap();
    let events: Vec<Event> = (0..number)
        .map(|n| Unreadable { kind: "bench".into(), detail: format!("{decided_on}-{n}"), blob: None }.into())
        .collect();
    ledger.append(Append { scope, decided_on, at_ms: 0, events: &events, blobs: &[], board: None }).unwrap();
}

/// A view on a terminal, and when something is written to it.
struct Viewer {
    terminal: File,
    child: Child,
    written: Receiver<usize>,
}

impl Viewer {
    fn new(scratch: &Scratch, words: &[&str]) -> Viewer {
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
                if tell.send(read).is_err() {
                    return;
                }
            }
        });
        Viewer { terminal, child, written }
    }

    /// Waits until nothing is drawn for a while.
    fn settle(&self) {
        while self.written.recv_timeout(Duration::from_millis(400)).is_ok() {}
    }

    /// Waits until something is drawn; what only hides the cursor is nothing.
    fn next(&self) -> Duration {
        const LEAST: usize = 16;
        let begin = Instant::now();
        while self.written.recv_timeout(Duration::from_secs(60)).unwrap() < LEAST {}
        begin.elapsed()
    }

    fn resident_kb(&self) -> i64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The processor time of a process without its children's: the kernel keeps it until it is waited for.
fn own_time(command: &mut Command) -> Duration {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let stat = format!("/proc/{}/stat", child.id());
    let time = loop {
        let text = std::fs::read_to_string(&stat).unwrap();
        let fields: Vec<&str> = text.rsplit_once(") ").unwrap().1.split(' ').collect();
        if fields[0] == "Z" {
            let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
            break Duration::from_millis(ticks * 10);
        }
        std::thread::yield_now();
    };
    assert!(child.wait().unwrap().success(), "{said}");
    time
}
