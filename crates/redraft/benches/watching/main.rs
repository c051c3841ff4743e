//! Measures `redraft watch` and `redraft ui`: how long an event takes to the screen and to a page, how much view and
//! server grow in a day of a running feature, what a page with 100,000 events takes in a real browser, and what two
//! viewers cost a run.
//!
//! `cargo bench -p redraft --bench watching` prints the figures of docs/performance.md. Nothing here passes or fails. The
//! browser is Chromium, driven by what `.ci/pages` installs; without them that figure is left out. `-- day`,
//! `-- browser` and `-- costs` measure only a part of it: the first three, the one before the last, the last.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops when it cannot measure"
)]

mod page;
mod viewer;

use page::{Page, Server};
use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_engine::ports::{Append, Store};
use redraft_facts::event::{Event, Unreadable};
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_testkit::Scratch;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use viewer::Viewer;

const PROGRAM: &str = env!("CARGO_BIN_EXE_redraft");

/// Events whose way to the screen and to a page is measured.
const EVENTS: u32 = 100;

/// What a feature that works around the clock stores in a day.
const DAY: u32 = 1_500;
/// Events of the day after which everything has been used once; growth is counted from there.
const WARM: u32 = 100;
/// More than two months of it.
const LARGE: u32 = 100_000;

/// Runs with and without viewers, in turn.
const RUNS: usize = 30;

/// The page that is followed: the last 200 events, and how things were done among them.
const TIME_LINE: &str = "/feature/001/time?all=1";

fn main() {
    let wanted = std::env::args().find(|word| ["day", "browser", "costs"].contains(&word.as_str()));
    for (name, measure) in [("day", a_day as fn()), ("browser", in_a_browser), ("costs", costs)] {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            measure();
        }
    }
}

/// A view and a page that follow a feature: first how fast, then how much they grow, then with a long history.
fn a_day() {
    let scratch = begun();
    let mut viewer = Viewer::new(&scratch, &["watch", "001"]);
    viewer.settle();
    // The log with every event in it.
    viewer.press("4v");
    viewer.settle();
    let server = Server::new(&scratch);
    let page = server.follow(TIME_LINE);
    let ledger = Ledger::open(&scratch.state(), OpenMode::Write).unwrap();
    let (mut screens, mut pages) = (Vec::new(), Vec::new());
    for _ in 0..EVENTS {
        viewer.settle();
        let mark = store(&ledger, 1);
        let stored = Instant::now();
        screens.push(viewer.shows(&mark) - stored);
        pages.push(page.shows(&mark) - stored);
    }
    println!("event to screen:               {}", percentiles(&mut screens));
    println!("event to page:                 {}", percentiles(&mut pages));

    let (mut view, mut served) = (0, 0);
    for number in 0..DAY {
        if number == WARM {
            (view, served) = (viewer.resident_kb(), server.resident_kb());
        }
        let mark = store(&ledger, 1);
        viewer.shows(&mark);
        page.shows(&mark);
    }
    println!("a day of {DAY} events, the view:   {}", grown(view, viewer.resident_kb()));
    println!("the same, the server:          {}", grown(served, server.resident_kb()));

    let mark = (0..LARGE / 1_000).map(|_| store(&ledger, 1_000)).last().unwrap_or_default();
    viewer.shows(&mark);
    page.shows(&mark);
    viewer.settle();
    let begin = Instant::now();
    viewer.press("2");
    let key = viewer.next() - begin;
    println!(
        "with {LARGE} events more:      {:.1} ms from a key to the screen; the view has {} KB, the server {} KB",
        ms(key),
        viewer.resident_kb(),
        server.resident_kb()
    );
}

/// What a page takes in a real browser.
fn in_a_browser() {
    let scratch = begun();
    let ledger = Ledger::open(&scratch.state(), OpenMode::Write).unwrap();
    for _ in 0..LARGE / 1_000 {
        store(&ledger, 1_000);
    }
    match page::in_a_browser(&scratch, TIME_LINE) {
        Ok(said) => println!("{LARGE} events in a browser:   {said}"),
        Err(why) => println!("{LARGE} events in a browser:   not measured: {why}"),
    }
}

/// What two viewers cost a run: processor time of all its processes, and not of theirs.
fn costs() {
    let (mut alone, mut watched) = (Vec::new(), Vec::new());
    // Kept to the end: on some file systems, a process that creates files pays for those that were just deleted.
    let mut scratches = Vec::new();
    for _ in 0..RUNS {
        let scratch = begun();
        alone.push(time_of(&mut scratch.redraft(["run", "001"])));
        scratches.push(scratch);
        let scratch = begun();
        let viewer = Viewer::new(&scratch, &["watch", "001"]);
        viewer.settle();
        let server = Server::new(&scratch);
        let page: Page = server.follow(TIME_LINE);
        page.loaded();
        watched.push(time_of(&mut scratch.redraft(["run", "001"])));
        drop((page, server, viewer));
        scratches.push(scratch);
    }
    let mean = |all: &[Duration]| ms(all.iter().sum::<Duration>()) / RUNS as f64;
    let share = mean(&watched) / mean(&alone);
    alone.sort();
    watched.sort();
    let middle = |all: &[Duration]| ms(all[RUNS / 2]);
    println!(
        "a run alone:                   {:.1} ms of processor time, mean of {RUNS}; median {:.0} ms",
        mean(&alone),
        middle(&alone)
    );
    println!(
        "with `watch` and a page:       {:.1} ms, {share:.3} times that; median {:.0} ms",
        mean(&watched),
        middle(&watched)
    );
}

fn begun() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    scratch
}

/// Stores so many events and returns what the last one says: a letter that no event near it has, many times, so that
/// every cell of it differs from what stood there before.
#[expect(clippy::disallowed_methods, reason = "writes a ledger that no command would write")]
fn store(ledger: &Ledger, number: u32) -> String {
    let scope = Scope::Feature(FeatureId(1));
    let decided_on = ledger.last_seq(scope.clone()).unwrap();
    let mark = |seq: u64| char::from(b'A' + (seq % 26) as u8).to_string().repeat(14);
    let events: Vec<Event> = (0..u64::from(number))
        .map(|n| Unreadable { kind: "bench".into(), detail: mark(decided_on + n), blob: None }.into())
        .collect();
    ledger
        .append(Append {
            scope,
            decided_on,
            at_ms: 0,
            events: &events,
            blobs: &[],
            board: None,
            elsewhere: None,
        })
        .unwrap();
    mark(decided_on + u64::from(number) - 1)
}

/// The processor time of a process and all those it waited for. The kernel adds it to ours when we have waited for it,
/// and rounds down only what is shown, so that a sum over many runs is right.
fn time_of(command: &mut Command) -> Duration {
    let before = waited_for();
    let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(done.success(), "the run failed");
    waited_for() - before
}

fn waited_for() -> Duration {
    const TICK_MS: u64 = 10;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit_once(") ").unwrap().1.split(' ').collect();
    let ticks: u64 = fields[13..15].iter().map(|field| field.parse::<u64>().unwrap()).sum();
    Duration::from_millis(ticks * TICK_MS)
}

fn resident_kb(pid: u32) -> i64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn grown(before: i64, after: i64) -> String {
    format!("{before} KB after {WARM} events, {after} KB at the end, {:+} KB", after - before)
}

fn percentiles(took: &mut [Duration]) -> String {
    took.sort();
    let at = |share: usize| ms(took[took.len() * share / 100]);
    format!("{:.1} ms median, {:.1} ms 95th percentile of {}", at(50), at(95), took.len())
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
