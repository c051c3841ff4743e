//! Tests the hidden verb that keeps an agent's program: what it writes down, and that nothing outlives it.

use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

struct Stage {
    scratch: Scratch,
    out: PathBuf,
    ticket: String,
}

impl Stage {
    fn new(name: &str) -> Stage {
        let scratch = Scratch::empty(env!("CARGO_BIN_EXE_redraft"));
        let out = scratch.outside().join("out");
        std::fs::create_dir(&out).unwrap();
        // Every test looks for its own processes only.
        let ticket = format!("{name}-{}", std::process::id());
        Stage { scratch, out, ticket }
    }

    fn worker(&self, script: &str) -> Command {
        let mut command = self.scratch.redraft(["worker", "--out"]);
        command.arg(&self.out).args(["--", "sh", "-c", script]).env("REDRAFT_TICKET", &self.ticket);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn kept(&self, name: &str) -> String {
        std::fs::read_to_string(self.out.join(name)).unwrap()
    }

    fn exit(&self) -> Value {
        serde_json::from_str(&self.kept("exit")).unwrap()
    }

    /// The command lines of every process on the machine that carries the ticket.
    fn processes(&self) -> Vec<String> {
        let mark = format!("REDRAFT_TICKET={}", self.ticket);
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            if environ.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
                let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                found.push(String::from_utf8_lossy(&command).replace('\0', " "));
            }
        }
        found
    }
}

/// What a worker is told first.
const TOLD: &str = r#"{"v":1,"secrets":["canary-4f1d9c77e2b8a35d60"],"unkept":["{\"type\":\"piece\""]}"#;

/// Starts it with a pipe that stays open, runs it to its end.
fn finish(mut command: Command) -> Ran {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut lifeline = child.stdin.take().unwrap();
    writeln!(lifeline, "{TOLD}").unwrap();
    let output = child.wait_with_output().unwrap();
    drop(lifeline);
    Ran::new(output)
}

#[test]
fn output_is_passed_on_and_kept_with_the_way_it_ended() {
    let stage = Stage::new("kept");
    std::fs::write(stage.out.join("stdin"), "the prompt\n").unwrap();
    let ran = finish(stage.worker("cat; echo trouble >&2; exit 3")).expect(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("the prompt\n", ""));
    assert_eq!((stage.kept("stdout").as_str(), stage.kept("stderr").as_str()), ("the prompt\n", "trouble\n"));
    assert_eq!(stage.exit(), json!({"v": 1, "code": 3, "signal": null, "not_started": ""}));
}

#[test]
fn a_program_ended_by_a_signal_or_never_started_is_told_apart() {
    let stage = Stage::new("signal");
    finish(stage.worker("kill -9 $$")).expect(0);
    assert_eq!(stage.exit(), json!({"v": 1, "code": null, "signal": 9, "not_started": ""}));
    let mut command = stage.scratch.redraft(["worker", "--out"]);
    command.arg(&stage.out).args(["--", "no-such-program"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command).expect(0);
    assert!(stage.exit()["not_started"].as_str().unwrap().contains("No such file"), "{}", stage.exit());
}

#[test]
fn what_a_finished_program_left_running_is_ended() {
    let stage = Stage::new("left");
    let ran =
        finish(stage.worker("(setsid sleep 5001 &) ; setsid sh -c 'sleep 5002 & sleep 5003' & echo done"))
            .expect(0);
    assert_eq!(ran.stdout, "done\n");
    assert_eq!(stage.exit()["code"], 0);
    assert_eq!(stage.processes(), [""; 0]);
}

/// A program with children in sessions of their own, one of them without a parent, all of them deaf to SIGTERM.
const FAMILY: &str = "trap '' TERM HUP; (setsid sleep 5001 &) ; setsid sh -c 'trap \"\" TERM; sleep 5002; sleep 5003' & \
     echo begun; sleep 5004";

fn begun(child: &mut Child) -> impl Read + use<> {
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "begun\n");
    stdout
}

#[test]
fn nothing_survives_when_whoever_holds_the_pipe_is_killed() {
    let stage = Stage::new("killed");
    // Stands for a run: a process whose end shows only in the closing of its pipe.
    let told_and_held = format!("echo '{TOLD}'; exec sleep 5000");
    let mut holder = stage.scratch.command("sh");
    let mut holder = holder.args(["-c", &told_and_held]).stdout(Stdio::piped()).spawn().unwrap();
    let mut worker = stage.worker(FAMILY).stdin(holder.stdout.take().unwrap()).spawn().unwrap();
    let mut rest = begun(&mut worker);
    // The family is begun one after the other, and a busy machine takes its time.
    let looks = (0..10_000).find(|_| stage.processes().len() >= 4);
    assert!(looks.is_some(), "{:?}", stage.processes());
    // A signal that can be caught does not end the keeper.
    let signalled = stage.scratch.command("kill").args(["-TERM", &worker.id().to_string()]).status().unwrap();
    assert!(signalled.success() && worker.try_wait().unwrap().is_none());
    holder.kill().unwrap();
    holder.wait().unwrap();
    rest.read_to_end(&mut Vec::new()).unwrap();
    assert!(worker.wait().unwrap().success());
    assert_eq!(stage.processes(), [""; 0]);
    assert_eq!(stage.exit()["signal"], 9);
    assert_eq!(stage.kept("stdout"), "begun\n", "what was said before is kept");
}

#[test]
fn nothing_is_started_for_somebody_who_is_gone_already() {
    let stage = Stage::new("gone");
    let mut command = stage.worker("echo begun");
    let ran = Ran::new(command.stdin(Stdio::null()).output().unwrap()).expect(0);
    assert_eq!((ran.stdout.as_str(), stage.out.join("stdout").exists()), ("", false));
}

#[test]
fn a_secret_is_passed_on_but_not_kept() {
    let stage = Stage::new("secret");
    let canary = "canary-4f1d9c77e2b8a35d60";
    let script = format!(
        "printf 'a canary-4f1d9'; echo 'c77e2b8a35d60 b'; echo '{{\"type\":\"piece\"}}'; \
         echo '{{\"k\":\"{canary}\"}}'; echo 'key {canary}' >&2"
    );
    let ran = finish(stage.worker(&script)).expect(0);
    assert_eq!(ran.stdout, format!("a {canary} b\n{{\"type\":\"piece\"}}\n{{\"k\":\"{canary}\"}}\n"));
    assert_eq!(stage.kept("stdout"), "a [redacted:known] b\n{\"k\":\"[redacted:known]\"}\n");
    assert_eq!(stage.kept("stderr"), "key [redacted:known]\n");
    let found = stage.scratch.command("grep").args(["-rlaF", canary, ".."]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "it was written somewhere");
}

/// A repository whose author is a program of ours: `first` is what it does on its first call, and later it ends with an
/// error.
fn with_program(first: &str) -> Scratch {
    let scratch = crate::world::feature("Export the monthly report as CSV");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 9.9.9 && exit 0\nmkdir \"$HOME/called\" || exit 1\n{first}\n"
    );
    crate::world::executable(&scratch, "claude.sh", &script);
    let config = "[sandbox]\nlevel = \"off\"\n[agents.claude]\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n[roles]\nspec-author = \"claude\"\n";
    scratch.write("redraft.toml", config);
    scratch.run(["trust", "--yes"]).expect(0);
    scratch
}

/// The processes that run in the throw-away surroundings, with their ids.
fn at_work(scratch: &Scratch) -> Vec<(String, String)> {
    let mark = format!("HOME={}", scratch.outside().join("home").display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environ.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            found.push((entry.file_name().to_string_lossy().into_owned(), command));
        }
    }
    found
}

fn kill(scratch: &Scratch, found: &[(String, String)], what: &str) {
    let (pid, _) = found.iter().find(|(_, command)| command.contains(what)).unwrap();
    assert!(scratch.command("kill").args(["-9", pid]).status().unwrap().success());
}

/// A run whose agent and all it started are at work.
fn at_work_in_a_run(scratch: &Scratch) -> (Child, Vec<(String, String)>) {
    let mut command = scratch.redraft(["run", "001", "--yes"]);
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let is_there = |found: &[(String, String)]| {
        ["worker", "sleep 5001", "sleep 5002", "sleep 5004"]
            .iter()
            .all(|what| found.iter().any(|(_, command)| command.contains(what)))
    };
    let found = (0..100_000).map(|_| at_work(scratch)).find(|found| is_there(found));
    (run, found.unwrap())
}

#[test]
fn a_killed_worker_leaves_nothing_of_its_agent_to_a_run_that_goes_on() {
    let scratch = with_program(FAMILY);
    let (run, found) = at_work_in_a_run(&scratch);
    kill(&scratch, &found, " worker ");
    let ran = Ran::new(run.wait_with_output().unwrap());
    assert!(ran.stderr.contains("claude was ended from outside"), "{}", ran.stderr);
    assert_eq!(at_work(&scratch), []);
}

#[test]
fn what_a_killed_worker_and_a_killed_run_left_behind_is_ended_by_the_next_run() {
    let scratch = with_program(FAMILY);
    let (mut run, found) = at_work_in_a_run(&scratch);
    // The run first, stopped so that it cannot act; else it would do what the test before this one shows.
    let stopped = scratch.command("kill").args(["-STOP", &run.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    kill(&scratch, &found, " worker ");
    run.kill().unwrap();
    run.wait().unwrap();
    let left = at_work(&scratch);
    assert!(left.iter().any(|(_, command)| command.contains("sleep 5001")), "orphans: {left:?}");
    // Another process of the same user that has nothing to do with it.
    let mut other = scratch.command("sleep").arg("5009").spawn().unwrap();
    scratch.run(["run", "001", "--yes"]);
    // It was not watched, so it counts as the most it may do by itself.
    let events = crate::world::events(&scratch);
    let first = |kind: &'static str| crate::world::bodies(&events, kind).next().unwrap().clone();
    let ticket = first("lost")["ticket"].as_str().unwrap().to_owned();
    let asked = std::fs::read(scratch.state().join("runs").join(ticket).join("asked.json")).unwrap();
    let limit = serde_json::from_slice::<Value>(&asked).unwrap()["limit"].as_u64().unwrap();
    assert_eq!(
        (first("lost")["cost"].as_u64(), first("raised")["reserved"].as_u64()),
        (Some(limit), Some(limit))
    );
    assert!(limit > first("started")["reserved"].as_u64().unwrap(), "{limit}");
    let left: Vec<String> = at_work(&scratch).into_iter().map(|(_, command)| command).collect();
    assert_eq!(left, ["sleep 5009 "]);
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn an_agent_at_work_cannot_start_a_run() {
    let scratch = crate::world::feature("Export the monthly report as CSV");
    let mut command = scratch.redraft(["run", "001"]);
    let ran =
        Ran::new(command.env("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1").output().unwrap());
    let ran = ran.expect(2);
    assert!(ran.stderr.contains("001/specify.1/draft/spec-author/1.1 cannot start a run"), "{}", ran.stderr);
    for (words, wish) in [
        (&["trust", "--yes"][..], "accept anything for a person"),
        (&["decide", "001", "abandon"], "decide for a person"),
        (&["new", "--until", "specify", "another idea"], "begin a feature"),
    ] {
        let mut command = scratch.redraft(words);
        let ran =
            Ran::new(command.env("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1").output().unwrap());
        assert!(ran.expect(2).stderr.contains(&format!("cannot {wish}")), "{words:?}");
    }
    scratch.run(["run", "001"]).expect(0);
}
