//! The hidden verb that keeps an agent's program: what it writes down, and that nothing outlives it.

use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
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

/// Starts it with a pipe that stays open, runs it to its end.
fn finish(mut command: Command) -> Ran {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let lifeline = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(lifeline);
    Ran::of(output)
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
    // Stands for a run: a process whose end is not announced by anything but the closing of its pipe.
    let mut holder = stage.scratch.command("sleep").arg("5000").stdout(Stdio::piped()).spawn().unwrap();
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
fn an_agent_at_work_cannot_start_a_run() {
    let scratch = crate::world::feature("Export the monthly report as CSV");
    let mut command = scratch.redraft(["run", "001"]);
    let ran = Ran::of(command.env("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1").output().unwrap());
    let ran = ran.expect(2);
    assert!(ran.stderr.contains("001/specify.1/draft/spec-author/1.1 cannot start a run"), "{}", ran.stderr);
    scratch.run(["run", "001"]).expect(0);
}
