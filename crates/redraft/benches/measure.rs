//! Measures what the program itself costs: starting `status`, driving a rehearsed loop in addition to git, and
//! replaying loops.
//!
//! `cargo bench -p redraft` prints the figures of docs/performance.md. Nothing here passes or fails: machines are
//! noisy, so figures are compared within one run.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops when it cannot measure"
)]

#[path = "measure/tree.rs"]
mod tree;

use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_engine::ports::{Append, Store};
use redraft_facts::event::{Event, Unreadable};
use redraft_facts::ticket::Scope;
use redraft_testkit::Scratch;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_redraft");
const RUNS: usize = 20;
const EVENTS: u64 = 10_000;

fn main() {
    let small = Scratch::repository(PROGRAM);
    small.run(["new", "--until", "specify", "a feature"]).expect(0);
    small.run(["run"]).expect(0);
    let large = Scratch::repository(PROGRAM);
    large.run(["new", "--until", "specify", "a feature"]).expect(0);
    large.run(["run"]).expect(0);
    grow(&large);
    let (few, many) = (status(&small), status(&large));
    let git = median(|| wall(&mut small.command("git"), &["rev-parse", "--git-dir"]));
    println!("status, one feature:           {:>6.1} ms (median of {RUNS})", ms(few));
    println!("status, {EVENTS} events more:     {:>6.1} ms, {:.2} times that", ms(many), ratio(many, few));
    println!("git rev-parse for comparison:  {:>6.1} ms; status starts git twice", ms(git));
    hooks(&large, few);

    let (mut walls, mut cpus, mut kernel) = (Vec::new(), Vec::new(), Duration::ZERO);
    // Kept to the end: on some file systems, a process that creates files pays for those that were just deleted.
    let mut scratches = Vec::new();
    for _ in 0..RUNS {
        let scratch = five_rounds();
        let (wall, own) = measured(&mut scratch.redraft(["run", "001"]));
        walls.push(wall);
        cpus.push(own.user + own.kernel);
        kernel += own.kernel;
        let meta = std::fs::read_to_string(scratch.artifacts("001").join(".meta.json")).unwrap();
        assert!(meta.contains("\"spec-reviewer\": 5"), "the loop had five rounds: {meta}");
        scratches.push(scratch);
    }
    walls.sort();
    cpus.sort();
    let mean = cpus.iter().sum::<Duration>() / RUNS as u32;
    println!("a loop of 5 rounds, wall:      {:>6.1} ms (median of {RUNS})", ms(walls[RUNS / 2]));
    println!(
        "a loop of 5 rounds, own CPU:   {:>6.1} ms mean, {:.1} ms median, user plus system, git not counted,",
        ms(mean),
        ms(cpus[RUNS / 2])
    );
    println!(
        "                               each of the two rounded down to steps of 10 ms; {:.1} ms of the mean in the kernel",
        ms(kernel / RUNS as u32)
    );
    println!("a loop of 5 rounds, git:       {:>6} processes", git_starts());
    beside_a_script();
    let loops = recorded_loops();
    let replay = median(|| wall(&mut loops.redraft(["replay", "loops.jsonl"]), &[]));
    println!(
        "replay of {LOOPS} loops:           {:>6.1} ms (median of {RUNS}), all policies, one card",
        ms(replay)
    );
    let feature = large_feature();
    let lint = median(|| wall(&mut feature.redraft(["lint"]), &[]));
    println!(
        "lint of {LINT_LINES} lines:            {:>6.1} ms (median of {RUNS}), five artifacts",
        ms(lint)
    );
}

/// What a hook adds to each step of a user's session, with an open feature and the long history.
fn hooks(scratch: &Scratch, status: Duration) {
    scratch.run(["new", "--until", "specify", "another feature"]).expect(0);
    let root = scratch.root();
    let event = |more: serde_json::Value| {
        let mut event = serde_json::json!({"session_id": "bench", "cwd": root});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event.to_string()
    };
    let text = "x".repeat(20_000);
    let (plain, refused) = ("src/main.rs", "docs/features/002-another-feature/.meta.json");
    let write = |path: &str| serde_json::json!({"tool_name": "Write", "tool_input": {"file_path": path, "content": text}});
    for (what, name, input) in [
        ("session-start", "session-start", event(serde_json::json!({"source": "startup"}))),
        ("pre-tool-use, some file", "pre-tool-use", event(write(plain))),
        ("pre-tool-use, refused", "pre-tool-use", event(write(refused))),
        ("stop, not wanted", "stop", event(serde_json::json!({}))),
        ("stop, wanted", "stop", event(serde_json::json!({}))),
    ] {
        let took = median(|| {
            let mut command = scratch.redraft(["hook", name]);
            command.env("REDRAFT_AUTONOMOUS", if what.ends_with(", wanted") { "1" } else { "0" });
            fed(&mut command, &input)
        });
        println!("hook {what:<25} {:>6.1} ms, {:.2} times status", ms(took), ratio(took, status));
    }
}

fn fed(command: &mut Command, input: &str) -> Duration {
    let begin = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    begin.elapsed()
}

const LINT_LINES: usize = 5_000;

/// A feature of five artifacts that refer to each other, as large as the largest real ones.
fn large_feature() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    for name in ["prd", "spec", "design", "plan", "tasks"] {
        let block = |number: usize| match name {
            "tasks" if number == 1 => "### Task 1.1: Part 1\n\n- Reads `src/part1.rs`.\n\n".to_owned(),
            "tasks" => format!(
                "### Task {number}.1: Part {number}\n\n- **Depends on:** Task {}.1\n- Reads `src/part{number}.rs`.\n\n",
                number - 1
            ),
            _ => format!(
                "## Part {number}: what {name} says\n\n- **FR-{number}:** It must answer within {number} ms, see FR-1.\n\
                 \n```py\ndef part{number}(a: int) -> int:\n```\n\nThe text is of use to the reader and is not code.\n\n"
            ),
        };
        let text: String =
            (1..).map(block).take(LINT_LINES / 5 / if name == "tasks" { 5 } else { 9 }).collect();
        scratch.write(&format!("docs/features/001-large/{name}.md"), &text);
    }
    scratch
}

const LOOPS: usize = 136;

/// Loops the size of real ones: three upstream documents, two to five versions of some 20,000 characters.
fn recorded_loops() -> Scratch {
    let document = |salt: usize, version: usize| -> String {
        let line = |n: usize| {
            let said = if (n * 7 + salt).is_multiple_of(23) && n % 5 < version { version } else { 0 };
            let heading = if n.is_multiple_of(16) { format!("## Part {n}\n\n") } else { String::new() };
            format!(
                "{heading}Line {n} of document {salt} says the same as before, or what version {said} says.\n"
            )
        };
        (0..270).map(line).collect()
    };
    let one = |number: usize| {
        let versions: Vec<String> = (0..2 + number % 4).map(|version| document(number, version)).collect();
        let times: Vec<usize> = (0..versions.len()).map(|version| version * (120 + number * 4)).collect();
        let upstream: Vec<String> = (1..4).map(|salt| document(1_000 + salt, 0)).collect();
        let upstream = serde_json::json!({"prd": upstream[0], "spec": upstream[1], "design": upstream[2]});
        let name = format!("{number:03}/plan");
        serde_json::json!({"loop": name, "artifact": "plan", "upstream": upstream, "versions": versions, "times": times})
    };
    let scratch = Scratch::empty(PROGRAM);
    let lines: Vec<String> = (0..LOOPS).map(|number| one(number).to_string()).collect();
    scratch.write("loops.jsonl", &lines.join("\n"));
    scratch
}

/// Adds events of the repository's own scope, as many small ones as a long history has.
#[expect(clippy::disallowed_methods, reason = "writes a ledger that no command would write")]
fn grow(scratch: &Scratch) {
    let ledger = Ledger::open(&scratch.state(), OpenMode::Write).unwrap();
    let mut last = 0;
    for batch in 0..EVENTS / 100 {
        let events: Vec<Event> = (0..100)
            .map(|n| Unreadable { kind: "bench".into(), detail: format!("{batch}-{n}"), blob: None }.into())
            .collect();
        let append = Append {
            scope: Scope::Repo,
            decided_on: last,
            at_ms: 0,
            events: &events,
            blobs: &[],
            board: None,
            elsewhere: None,
        };
        last = ledger.append(append).unwrap().last().unwrap().seq;
    }
    drop(ledger);
    // Nobody has signed these.
    scratch.run(["trust", "--ledger", "--yes"]).expect(0);
}

fn status(scratch: &Scratch) -> Duration {
    median(|| wall(&mut scratch.redraft(["status"]), &[]))
}

/// A spec that is rejected four times; the author's changes and the verdicts are given, so every run is the same.
fn five_rounds() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    let spec = "docs/features/001-a-feature/spec.md";
    let mut scenario = String::new();
    for round in 1..=4 {
        scenario.push_str(&format!(
            "[[rule]]\nticket = \"*/review/spec-reviewer/{round}.*\"\ndo = \"say\"\ntext = '''{}'''\n\
             [[rule]]\nticket = \"*/revise/spec-author/{round}.*\"\ndo = \"edit\"\npath = \"{spec}\"\ntext = \"{}\"\n",
            rejecting(round),
            text(round)
        ));
    }
    scenario.push_str(&format!(
        "[[rule]]\nticket = \"*/review/*\"\ndo = \"say\"\ntext = '''{{\"approved\":true,\"issues\":[],\"answers\":[{}],\"summary\":\"fine\"}}'''\n",
        answer(4)
    ));
    scratch.scenario(&scenario);
    let file = scratch.worktree("001").join(spec);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text(0).replace("\\n", "\n")).unwrap();
    scratch
}

/// The loop with all its processes beside a script that adds, commits and compares. They take turns, so that both see
/// the same machine.
fn beside_a_script() {
    let (mut ours, mut script) = (Duration::ZERO, Duration::ZERO);
    let mut scratches = Vec::new();
    for _ in 0..RUNS {
        let (scratch, mut command) = tree::script(PROGRAM, |round| text(round).replace("\\n", "\n"));
        script += tree::processor_time(&mut command);
        let rounds = five_rounds();
        ours += tree::processor_time(&mut rounds.redraft(["run", "001"]));
        scratches.extend([scratch, rounds]);
    }
    println!("a loop of 5 rounds, all CPU:   {:>6.1} ms mean, git counted", ms(ours / RUNS as u32));
    println!(
        "a script of 5 rounds, all CPU: {:>6.1} ms mean; the loop takes {:.2} times that",
        ms(script / RUNS as u32),
        ratio(ours, script)
    );
    let (all, own) = tree::peak_kb(&mut five_rounds().redraft(["run", "001"]));
    println!("a loop of 5 rounds, memory:    {all:>6} KB at most, git counted; {own} KB of it our own data");
}

/// How often git is started in a loop, counted by a git that leaves a line each time.
fn git_starts() -> usize {
    let scratch = five_rounds();
    let (folder, log) = (scratch.outside().join("bin"), scratch.outside().join("starts"));
    std::fs::create_dir_all(&folder).unwrap();
    let script = format!("#!/bin/sh\necho >> '{}'\nPATH=${{PATH#*:}} exec git \"$@\"\n", log.display());
    std::fs::write(folder.join("git"), script).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.join("git"), executable).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(folder).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(paths).unwrap();
    let done = scratch.redraft(["run", "001"]).env("PATH", path).output().unwrap();
    assert!(done.status.success());
    std::fs::read(log).unwrap().len()
}

fn text(round: usize) -> String {
    let lines: Vec<String> =
        (0..80).map(|n| format!("- line {n} of the document, changed in round {round}")).collect();
    format!("# Spec\\n\\n{}\\n", lines.join("\\n"))
}

fn rejecting(round: usize) -> String {
    let answers = if round > 1 { answer(round - 1) } else { String::new() };
    format!(
        "{{\"approved\":false,\"answers\":[{answers}],\"issues\":[{{\"severity\":\"blocker\",\"category\":\"clarity\",\
         \"claim\":\"present\",\"file\":\"docs/features/001-a-feature/spec.md\",\"line\":{},\"description\":\"defect number {round} alpha{round} beta{round} gamma{round}\"}}]}}",
        round * 10
    )
}

fn answer(number: usize) -> String {
    format!("{{\"id\":\"S{number}\",\"status\":\"fixed\",\"note\":\"seen\"}}")
}

fn wall(command: &mut Command, words: &[&str]) -> Duration {
    let begin = Instant::now();
    let status = command.args(words).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success());
    begin.elapsed()
}

/// The CPU time of one process.
struct Own {
    user: Duration,
    kernel: Duration,
}

/// Wall time and the process's own CPU time. The kernel keeps it for a process that has ended and was not yet waited
/// for; its children's time is counted separately.
fn measured(command: &mut Command) -> (Duration, Own) {
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    let stat = format!("/proc/{}/stat", child.id());
    let own = loop {
        let text = std::fs::read_to_string(&stat).unwrap();
        let fields: Vec<&str> = text.rsplit_once(") ").unwrap().1.split(' ').collect();
        if fields[0] == "Z" {
            let time = |at: usize| Duration::from_millis(fields[at].parse::<u64>().unwrap() * 10);
            break Own { user: time(11), kernel: time(12) };
        }
        std::thread::yield_now();
    };
    let wall = begin.elapsed();
    assert!(child.wait().unwrap().success(), "{said}");
    (wall, own)
}

fn median(measure: impl Fn() -> Duration) -> Duration {
    let mut all: Vec<Duration> = (0..RUNS).map(|_| measure()).collect();
    all.sort();
    all[RUNS / 2]
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}
