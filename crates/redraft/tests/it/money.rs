//! Tests budgets that hold, and secrets that stay where they are.

use crate::documents::{CLEAN, planted};
use crate::world::{PROGRAM, bodies, events, executable, feature};
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
    assert!(ran.stdout.contains("cost: $3.0000 billed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("next: redraft run 001 --budget 5"), "{}", ran.stdout);
    assert!(ran.stderr.contains("spec-reviewer: the next dispatch may cost up to $1.0000"), "{}", ran.stderr);
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

const CANARY: &str = "canary-4f1d9c77e2b8a35d60";

#[test]
fn a_known_secret_is_found_nowhere() {
    let scratch = Scratch::repository(PROGRAM);
    let with_key = |words: &[&str]| {
        let mut command = scratch.redraft(words);
        redraft_testkit::Ran::new(command.env("SOME_API_KEY", CANARY).output().unwrap())
    };
    let idea = format!("Use the key {CANARY} to export the report");
    let new = with_key(&["new", "--until", "specify", &idea]);
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
fn a_key_that_only_the_configuration_names_is_found_nowhere_either() {
    for by_file in [true, false] {
        let scratch = Scratch::repository(PROGRAM);
        let file = scratch.outside().join("key.txt");
        std::fs::write(&file, format!("{CANARY}\n")).unwrap();
        let key = if by_file {
            format!("key_file = \"{}\"", file.display())
        } else {
            "key_env = \"MY_ACCESS\"".to_owned()
        };
        scratch.write(
            "redraft.toml",
            &format!("[agents.service]\nkind = \"openai\"\nmodel = \"m\"\nprice = \"local\"\n{key}\n"),
        );
        let with_key = |words: &[&str]| {
            let mut command = scratch.redraft(words);
            let command = if by_file { &mut command } else { command.env("MY_ACCESS", CANARY) };
            redraft_testkit::Ran::new(command.output().unwrap())
        };
        let new =
            with_key(&["new", "--until", "specify", &format!("Use the key {CANARY} to export the report")])
                .expect(0);
        let run = with_key(&["run", "001"]).expect(0);
        for text in [&new.stdout, &new.stderr, &run.stdout, &run.stderr] {
            assert!(!text.contains(CANARY), "{text}");
        }
        let found = scratch.command("grep").args(["-rlaF", CANARY, "."]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    }
}

/// The programs below note in the user's home that they were called, and read it.
const OFF: &str = "[sandbox]\nlevel = \"off\"\n";

/// An author like Claude Code that reveals its key everywhere: in words, in pieces, in JSON and on standard error.
const TALKATIVE: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
echo called >> "$HOME/calls"
while [ $# -gt 1 ]; do [ "$1" = --session-id ] && id=$2; shift; done
cat > /dev/null
folder=docs/features/001-export-the-monthly-report-as-csv
mkdir -p $folder
cp "$HOME/spec.md" $folder/
echo "the key is $SOME_API_KEY" >&2
echo "the key is $SOME_API_KEY"
echo '{"type":"system","subtype":"init"}'
printf '{"type":"stream_event","event":{"delta":{"text":"%s"}}}\n' "$SOME_API_KEY"
printf '{"type":"user","message":{"content":"%s"}}\n' "$SOME_API_KEY"
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"%s","total_cost_usd":0.5,' "$id"
printf '"usage":{"input_tokens":10,"output_tokens":10},"result":"wrote it with %s"}\n' "$SOME_API_KEY"
"#;

#[test]
fn a_secret_that_a_program_prints_is_kept_nowhere_and_its_answer_is_adopted_after_a_crash() {
    let mut adopted = Vec::new();
    for boundary in 1..=6 {
        let scratch = feature(IDEA);
        executable(&scratch, "claude.sh", TALKATIVE);
        fs::write(scratch.outside().join("home/spec.md"), CLEAN).unwrap();
        let agent = "model = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\npass = [\"SOME_API_KEY\"]\n";
        scratch.write(
            "redraft.toml",
            &format!("{OFF}[agents.claude]\n{agent}[roles]\nspec-author = \"claude\"\n"),
        );
        scratch.run(["trust", "--yes"]).expect(0);
        let run = || {
            let mut command = scratch.redraft(["run", "001", "--yes"]);
            command.env("SOME_API_KEY", CANARY);
            command
        };
        let died = run().env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string()).output().unwrap();
        assert_eq!(died.status.code(), None, "boundary {boundary}");
        let found = scratch.command("grep").args(["-rlaF", CANARY, "."]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "", "boundary {boundary}");
        let ran = redraft_testkit::Ran::new(run().output().unwrap()).expect(0);
        let found = scratch.command("grep").args(["-rlaF", CANARY, "."]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "", "boundary {boundary}");
        assert!(!ran.stdout.contains(CANARY) && !ran.stderr.contains(CANARY), "boundary {boundary}");
        let calls = fs::read_to_string(scratch.outside().join("home/calls")).unwrap().lines().count();
        let lost = bodies(&events(&scratch), "lost").count();
        assert_eq!(calls, if boundary == 2 { 1 } else { 1 + lost }, "boundary {boundary}: lost {lost}");
        adopted.push(calls == 1 && lost == 0);
    }
    assert!(adopted.iter().filter(|adopted| **adopted).count() >= 3, "{adopted:?}");
}

#[test]
fn a_key_of_another_agent_that_a_program_or_the_setup_comes_across_is_kept_nowhere() {
    const OTHER: &str = "q4-other-9c77e2b8a35d60";
    for program in ["claude", "codex"] {
        let scratch = Scratch::repository(PROGRAM);
        let home = scratch.outside().join("home");
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("other.txt"), format!("{CANARY}\n")).unwrap();
        fs::write(home.join("spec.md"), CLEAN).unwrap();
        let told = TALKATIVE.replace("$SOME_API_KEY", "$(cat \"$HOME/other.txt\") $MY_ACCESS");
        executable(&scratch, "stub.sh", &told);
        let stub = "model = \"claude-sonnet-4.5\"\nprogram = \"./stub.sh\"\npass = [\"MY_ACCESS\"]\n";
        let service = "kind = \"openai\"\nmodel = \"m\"\nprice = \"local\"\n";
        scratch.write(
            "redraft.toml",
            &format!(
                "{OFF}[agents.{program}]\n{stub}[agents.a]\n{service}key_file = \"{}\"\n[agents.b]\n{service}key_env = \
                 \"MY_ACCESS\"\n[roles]\nspec-author = \"{program}\"\n[workspace]\nsetup = \"cat ~/other.txt; echo \
                 $MY_ACCESS\"\n",
                home.join("other.txt").display()
            ),
        );
        scratch.run(["trust", "--yes"]).expect(0);
        let with_key = |words: &[&str]| {
            redraft_testkit::Ran::new(scratch.redraft(words).env("MY_ACCESS", OTHER).output().unwrap())
        };
        let new = with_key(&["new", "--until", "specify", IDEA]).expect(0);
        let mut kept = String::new();
        // What a program printed is kept until its answer is stored, so runs are cut off around that moment.
        for boundary in 2..=5 {
            let mut command = scratch.redraft(["run", "001", "--yes"]);
            command.env("MY_ACCESS", OTHER).env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string());
            let run = redraft_testkit::Ran::new(command.output().unwrap());
            for value in [CANARY, OTHER] {
                for text in [&new.stdout, &new.stderr, &run.stdout, &run.stderr] {
                    assert!(!text.contains(value), "{program}: {text}");
                }
                let found = scratch.command("grep").args(["-rlaF", value, "."]).output().unwrap();
                assert_eq!(String::from_utf8_lossy(&found.stdout), "", "{program}");
            }
            let found =
                scratch.command("grep").args(["-rlaF", "[redacted:known]", ".git/redraft"]).output().unwrap();
            kept.push_str(&String::from_utf8_lossy(&found.stdout));
        }
        assert!(home.join("calls").exists(), "{program} was asked");
        assert!(kept.contains("/runs/") && kept.contains("/setup/001/"), "{program}: {kept}");
    }
}

#[test]
fn a_password_or_key_in_an_idea_reaches_neither_ledger_nor_branch() {
    let scratch = Scratch::repository(PROGRAM);
    let key = format!("gsk_{}", "q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2We9Rt");
    for (at, secret) in [("DB_PASSWORD=", "hunter2hunter2"), ("the key ", key.as_str())] {
        let new = scratch
            .run(["new", "--until", "specify", &format!("Connect with {at}{secret} to the store")])
            .expect(0);
        let branches = scratch.command("git").args(["branch", "--list"]).output().unwrap();
        let branches = String::from_utf8_lossy(&branches.stdout).to_lowercase();
        for text in [&new.stdout, &new.stderr, &branches] {
            assert!(!text.contains(secret) && !text.contains(&secret.to_lowercase()), "{text}");
        }
        let found = scratch.command("grep").args(["-rlaiF", secret, "."]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    }
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
    // Not even as an object that nothing leads to.
    let objects = scratch.git(["cat-file", "--batch-all-objects", "--batch"]);
    assert!(!objects.contains("IOSFODNN7Q3WTZ2B"));
    fs::write(folder.join("spec.md"), planted()).unwrap();
    scratch.run(["run", "001"]).expect(0);
    fs::write(scratch.outside().join("prd.md"), &secret).unwrap();
    let ran = scratch.run(["new", "--until", "specify", "another", "--prd", "../prd.md"]).expect(2);
    assert!(ran.stderr.contains("prd.md:"), "{}", ran.stderr);
}
