//! How long a feature's tasks take with one to four jobs, where the agent takes five seconds for each: a list of twelve that
//! have nothing to do with each other, and the one of the demo.

use redraft_testkit::Scratch;
use serde_json::Value;
use std::fmt::Write as _;

const PROGRAM: &str = env!("CARGO_BIN_EXE_redraft");
const TASK_MS: u64 = 5_000;
const TWELVE: u64 = 12;
const RUN: &str = "failed=0\nfor file in tests/*/*.sh; do [ ! -e \"$file\" ] || sh \"$file\" || failed=1; done\nexit $failed\n";

pub(crate) fn measure() {
    // How many tasks one job carries out one after the other, at least, with one to four jobs. Of the demo's eight, the last
    // two wait for all others, and all wait for the first.
    for (what, prepared, least) in [
        ("twelve tasks", twelve as fn(&Scratch), [12, 6, 4, 3]),
        ("the demo's tasks", of_the_demo, [8, 6, 5, 5]),
    ] {
        let mut alone = 0;
        for (jobs, least) in (1..).zip(least) {
            let took = took(prepared, jobs);
            alone = if jobs == 1 { took } else { alone };
            let least = TASK_MS * least;
            println!(
                "{what}, {jobs} jobs: {:.1} s, {:.2} times what is possible at least, {:.2} times one job",
                took as f64 / 1e3,
                took as f64 / least as f64,
                took as f64 / alone as f64
            );
        }
    }
}

/// From the first start of a task to the last landing.
fn took(prepare: fn(&Scratch), jobs: u64) -> u64 {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("tests/run.sh", RUN);
    scratch.git(["add", "tests"]);
    scratch.git(["commit", "-q", "-m", "tests"]);
    scratch.scenario(&format!(
        "[[rule]]\nticket = \"*/task-*/implement/*\"\ndo = \"late\"\nwait_ms = {TASK_MS}\n"
    ));
    let agents = std::fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("[checks]\ntests = \"sh tests/run.sh\"\n{agents}"));
    scratch.run(["trust", "--yes"]).expect(0);
    prepare(&scratch);
    scratch.run(["run", "001", "--yes", "--jobs", &jobs.to_string(), "--until", "implement"]).expect(0);
    let log = scratch.json(["log", "001"]);
    let at = |kind: &str| -> Vec<u64> {
        let of_task = |event: &&Value| {
            let ticket = event["body"]["ticket"].as_str().unwrap_or_default();
            event["kind"] == kind && ticket.contains("/implement.1/task-")
        };
        let events = log["events"].as_array().unwrap().iter().filter(of_task);
        events.map(|event| event["at_ms"].as_u64().unwrap()).collect()
    };
    at("built").pop().unwrap() - at("started")[0]
}

fn of_the_demo(scratch: &Scratch) {
    scratch.run(["new", "--lane", "standard", "Let people export the monthly report as CSV"]).expect(0);
    scratch.run(["run", "001", "--yes", "--until", "create-tasks"]).expect(0);
}

fn twelve(scratch: &Scratch) {
    let (mut needs, mut criteria) = (String::new(), String::new());
    let mut tasks = "# Tasks\n".to_owned();
    for part in 1..=TWELVE {
        let _ = writeln!(
            needs,
            "- **R{part}**: When part {part} is asked for, the system shall give it within {} seconds.",
            part + 10
        );
        let _ = writeln!(
            criteria,
            "- **AC{part}** (R{part}): Given part {part}, when it is asked for, then it comes."
        );
        let _ = write!(
            tasks,
            "\n### Task 1.{part}: Build part {part}\n\n**Implements:** Spec R{part}\n**Files:** `src/parts/part{part}.sh` (new), \
                `tests/parts/part{part}.sh` (new)\n**Depends on:** none\n\n**Do:**\n1. Write the test `r{part}_part` and see it \
                fail.\n2. Make it pass.\n\n**Done when:**\n- `r{part}_part` passes.\n"
        );
    }
    let folder = "docs/features/001-twelve";
    for (name, text) in [
        ("spec.md", format!("# Spec\n\n## Requirements\n\n{needs}\n## Acceptance Criteria\n\n{criteria}")),
        ("design.md", "# Design\n\n## Components\n\n- Parts (R1).\n".to_owned()),
        ("plan.md", "# Plan\n\n1. Write the parts (R1).\n".to_owned()),
        ("tasks.md", tasks),
    ] {
        scratch.write(&format!("{folder}/{name}"), &text);
    }
    scratch.run(["adopt", "--yes"]).expect(0);
}
