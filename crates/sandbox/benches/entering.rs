//! Measures what holding a command costs: the time from starting `true` to its end, by every engine that works here, in
//! addition to the time it takes without.
//!
//! `cargo bench -p redraft-sandbox` prints the figures of docs/sandbox.md. Nothing here passes or fails: machines are
//! noisy, so figures are compared within one run.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark prints, starts what it measures, and stops when it cannot"
)]

use redraft_sandbox::profile::{Places, Widening, of_command};
use redraft_sandbox::{Engine, Forbidden, Least, Network, SandboxPolicy, Starter};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 200;

fn main() {
    let folder = std::env::temp_dir().join(format!("redraft-bench-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let policy = |words: &[&str]| policy(&folder, &Network::local().widened(words.iter().copied()).unwrap());
    let make = |words: &[OsString]| {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&folder);
        command
    };
    let commands = Engine::ALL.map(|engine| (engine, "a command", policy(&[])));
    let agents = Engine::ALL.map(|engine| (engine, "an agent", policy(&["a.example.com", "b.example.com"])));
    let mut rows = Vec::new();
    for (engine, whose, policy) in commands.iter().chain(&agents) {
        let engines = [*engine];
        let starter =
            Starter { helper: Path::new(env!("CARGO_BIN_EXE_contained")), make: &make, engines: &engines };
        let report = starter.reached(policy);
        if !report.level.holds() {
            println!("{}: {report}", engine.name());
            continue;
        }
        let words = [OsString::from("true")];
        // Both in turn, so that whatever else the machine does is in both.
        let (mut bare, mut held) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            bare.push(timed(|| make(&words).stdin(Stdio::null()).spawn().unwrap().wait().unwrap().success()));
            held.push(timed(|| {
                let mut started = starter.start(policy, &words, None).unwrap();
                started.child.wait().unwrap().success()
            }));
        }
        rows.push((format!("{whose}: {report}"), bare, held));
    }
    println!("{:<86} {:>9} {:>9} {:>9}", "of `true`, in ms", "median", "95 in 100", "bare, 95");
    for (name, mut bare, mut held) in rows {
        let more = |share: usize, held: &mut [Duration], bare: &mut [Duration]| {
            at(held, share).saturating_sub(at(bare, share)).as_secs_f64() * 1000.0
        };
        let (median, high) = (more(50, &mut held, &mut bare), more(95, &mut held, &mut bare));
        println!("{name:<86} {median:>9.1} {high:>9.1} {:>9.1}", at(&mut bare, 95).as_secs_f64() * 1000.0);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

fn timed(act: impl FnOnce() -> bool) -> Duration {
    let begin = Instant::now();
    assert!(act());
    begin.elapsed()
}

/// The time within which this many of a hundred ended.
fn at(times: &mut [Duration], share: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() - 1) * share / 100]
}

fn policy(folder: &Path, network: &Network) -> SandboxPolicy {
    let own = [folder.to_owned()];
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let search = std::env::var_os("PATH");
    let places = Places {
        own: &own,
        user_home: home.as_deref(),
        search: search.as_deref(),
        tools: &[],
        checkout: Path::new("/nowhere"),
        closed: &[],
    };
    of_command(&places, Widening { read: &[], write: &[], network }, Forbidden::default(), Least::Nothing)
}
