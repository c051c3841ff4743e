//! Budgets that hold, and secrets that stay where they are.

use crate::documents::planted;
use crate::world::{PROGRAM, bodies, events, feature};
use redraft_testkit::Scratch;
use std::fs;

const IDEA: &str = "Export the monthly report as CSV";
/// An agent that bills exactly what it reserved.
const ONE_DOLLAR: &str = "usd_per_dispatch = 1.0\n";

fn started(scratch: &Scratch) -> usize {
    bodies(&events(scratch), "started").count()
}

#[test]
fn a_budget_of_three_dispatches_stops_before_the_fourth() {
    let scratch = feature(IDEA);
    scratch.scenario(ONE_DOLLAR);
    let ran = scratch.run(["run", "001", "--budget", "3"]).expect(5);
    assert_eq!(started(&scratch), 3);
    assert!(ran.stdout.contains("spent $3.0000"), "{}", ran.stdout);
    assert!(ran.stdout.contains("next: redraft run 001 --budget 5"), "{}", ran.stdout);
    assert!(
        ran.stderr
            .contains("001/specify.1/review/spec-reviewer/2.1: the next dispatch may cost up to $1.0000"),
        "{}",
        ran.stderr
    );
    scratch.run(["run", "001", "--budget", "3.99"]).expect(5);
    assert_eq!(started(&scratch), 3, "a restart resets nothing");
    scratch.run(["run", "001", "--budget", "100"]).expect(0);
    scratch.run(["run", "001", "--budget", "much"]).expect(2);
}

#[test]
fn the_default_budget_is_five_dollars_and_the_configuration_can_change_it() {
    let scratch = feature(IDEA);
    scratch.scenario(ONE_DOLLAR);
    scratch.run(["run", "001"]).expect(5);
    assert_eq!(started(&scratch), 5);
    let config = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("budget = 6.5\n{config}"));
    scratch.run(["run", "001"]).expect(5);
    assert_eq!(started(&scratch), 6);
}

#[test]
fn a_crash_does_not_stretch_the_budget() {
    // Early and late boundaries: before and after the first start, while an answer is stored, and further on.
    for boundary in [1, 2, 3, 4, 7, 11, 16, 22] {
        let scratch = feature(IDEA);
        scratch.scenario(ONE_DOLLAR);
        let mut command = scratch.redraft(["run", "001", "--budget", "3"]);
        let died = command.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string()).output().unwrap();
        assert_eq!(died.status.code(), None, "boundary {boundary}");
        scratch.run(["run", "001", "--budget", "3"]).expect(5);
        assert_eq!(started(&scratch), 3, "boundary {boundary}: a lost dispatch counts as spent");
    }
}

const CANARY: &str = "canary-4f1d9c77e2b8a35d60";

#[test]
fn a_known_secret_is_found_nowhere() {
    let scratch = Scratch::repository(PROGRAM);
    let with_key = |words: &[&str]| {
        let mut command = scratch.redraft(words);
        redraft_testkit::Ran::of(command.env("SOME_API_KEY", CANARY).output().unwrap())
    };
    let idea = format!("Use the key {CANARY} to export the report");
    let new = with_key(&["new", &idea]);
    assert_eq!(new.code, Some(0), "{}", new.stderr);
    scratch.scenario(&format!(
        "[[rule]]\nticket = \"*/review/spec-reviewer/1.1\"\ndo = \"garbage\"\ntext = \"the key is {CANARY}\"\n"
    ));
    let run = with_key(&["run", "001"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let log = with_key(&["log", "--json"]);
    for text in [&new.stdout, &new.stderr, &run.stdout, &run.stderr, &log.stdout] {
        assert!(!text.contains(CANARY), "{text}");
    }
    let found = scratch.command("grep").args(["-rlaF", CANARY, "."]).output().unwrap();
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    assert_eq!(found, "./scenario.toml\n", "only the file the test wrote itself");
}

#[test]
fn a_commit_that_would_hold_a_secret_is_refused_with_file_and_line() {
    let scratch = feature(IDEA);
    let folder = scratch.worktree("001").join("docs/features/001-export-the-monthly-report-as-csv");
    fs::create_dir_all(&folder).unwrap();
    let secret = format!("{}\n\nAKIA{}\n", planted(), "IOSFODNN7Q3WTZ2B");
    fs::write(folder.join("spec.md"), &secret).unwrap();
    let ran = scratch.run(["run", "001"]).expect(3);
    let line = secret.lines().count();
    assert!(ran.stderr.contains(&format!("spec.md:{line} holds what looks like a secret")), "{}", ran.stderr);
    assert!(!ran.stderr.contains("IOSFODNN7Q3WTZ2B"), "{}", ran.stderr);
    fs::write(folder.join("spec.md"), planted()).unwrap();
    scratch.run(["run", "001"]).expect(0);
    fs::write(scratch.outside().join("prd.md"), &secret).unwrap();
    let ran = scratch.run(["new", "another", "--prd", "../prd.md"]).expect(2);
    assert!(ran.stderr.contains("prd.md:"), "{}", ran.stderr);
}
