//! Tests the project's own setup command: it blocks nobody, keeps its time limit, and is never left half done.

use crate::world::PROGRAM;
use redraft_adapters::child::{Environment, ScriptEnd, ShellCommand};
use redraft_adapters::clock::SystemClock;
use redraft_facts::redact::Redactor;
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::Arc;

const IDEA: &str = "Export the monthly report as CSV";

/// A repository whose accepted setup command runs this script, which can be changed without accepting it again.
fn project(script: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.shared().join("setup.sh"), script).unwrap();
    let file = scratch.shared().join("setup.sh");
    scratch.write(
        "redraft.toml",
        &format!("[workspace]\nsetup = \"sh {}\"\n{}", file.display(), scratch.opened()),
    );
    scratch.run(["trust", "--yes"]).expect(0);
    scratch
}

/// A command whose setup has begun and says so.
fn begun(scratch: &Scratch, words: &[&str]) -> Child {
    let mut command = scratch.redraft(words);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("begun") {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "the setup never began");
    }
    child.stderr = Some(talk.into_inner());
    child
}

fn pipe(scratch: &Scratch, name: &str) -> std::path::PathBuf {
    let path = scratch.shared().join(name);
    assert!(scratch.command("mkfifo").arg(&path).status().unwrap().success());
    path
}

/// A setup that never ends, and a pipe that closes when none of its processes is left.
fn endless(scratch: &Scratch) -> std::path::PathBuf {
    let alive = pipe(scratch, "alive");
    let script = format!("exec 9> {}\nsetsid sleep 600 &\necho begun\nsleep 600\n", alive.display());
    fs::write(scratch.shared().join("setup.sh"), script).unwrap();
    alive
}

#[test]
fn a_setup_that_takes_its_time_is_in_nobodys_way() {
    let scratch = project("");
    let gate = pipe(&scratch, "gate");
    fs::write(scratch.shared().join("setup.sh"), format!("echo begun\ncat {} > opened\n", gate.display()))
        .unwrap();
    let child = begun(&scratch, &["new", "--until", "specify", IDEA]);
    scratch.write("redraft.toml", "");
    scratch.run(["new", "--until", "specify", "another idea"]).expect(0);
    scratch.run(["run", "002"]).expect(0);
    scratch.run(["run", "001"]).expect(7);
    fs::write(&gate, "go\n").unwrap();
    Ran::new(child.wait_with_output().unwrap()).expect(0);
    assert_eq!(fs::read_to_string(scratch.worktree("001").join("opened")).unwrap(), "go\n");
    scratch.run(["run", "001"]).expect(0);
}

#[test]
fn ctrl_c_ends_a_setup_with_all_it_started_and_the_next_run_begins_it_again() {
    for name in ["-INT", "-TERM"] {
        for json in [false, true] {
            let scratch = project("");
            let alive = endless(&scratch);
            let watched = std::thread::spawn(move || fs::read(alive));
            // With `--json` nothing is printed; the pipe is open once the script runs.
            let words = ["new", "--until", "specify", IDEA, "--json"];
            let child = if json {
                let mut command = scratch.redraft(words);
                let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
                let output = scratch.state().join("setup/001/stdout");
                while !fs::read_to_string(&output).unwrap_or_default().contains("begun") {
                    std::thread::yield_now();
                }
                child
            } else {
                begun(&scratch, &words[..4])
            };
            let sent = scratch.command("kill").args([name, &child.id().to_string()]).status().unwrap();
            assert!(sent.success());
            let ran = Ran::new(child.wait_with_output().unwrap()).expect(130);
            assert!(ran.stderr.contains("redraft run 001"), "{}", ran.stderr);
            if json {
                let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
                assert_eq!((&object["v"], &object["exit"]), (&1.into(), &130.into()));
            }
            assert_eq!(watched.join().unwrap().unwrap(), b"", "everything it started is gone");
            fs::write(scratch.shared().join("setup.sh"), "echo done > prepared.txt\n").unwrap();
            scratch.run(["run", "001"]).expect(0);
            assert!(scratch.worktree("001").join("prepared.txt").exists());
        }
    }
}

#[test]
fn a_setup_ends_with_a_run_that_is_killed() {
    let scratch = project("");
    let alive = endless(&scratch);
    let watched = std::thread::spawn(move || fs::read(alive));
    let mut child = begun(&scratch, &["new", "--until", "specify", IDEA]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(watched.join().unwrap().unwrap(), b"", "everything it started is gone");
    fs::write(scratch.shared().join("setup.sh"), "echo done > prepared.txt\n").unwrap();
    scratch.run(["run", "001"]).expect(0);
    assert!(scratch.worktree("001").join("prepared.txt").exists());
}

#[test]
fn a_setup_that_failed_is_never_skipped_and_one_that_worked_is_not_repeated() {
    let scratch = project("echo once >> tries.txt; echo what is wrong >&2; exit 3\n");
    let ran = scratch.run(["new", "--until", "specify", IDEA]).expect(3);
    for words in [
        "ended with code 3",
        "  what is wrong\n",
        "setup/001/stdout",
        "redraft run 001",
        "decide 001 abandon",
    ] {
        assert!(ran.stderr.contains(words), "{words} in {}", ran.stderr);
    }
    scratch.run(["run", "001"]).expect(3);
    let tries = || fs::read_to_string(scratch.worktree("001").join("tries.txt")).unwrap().lines().count();
    assert_eq!(tries(), 2);
    fs::write(scratch.shared().join("setup.sh"), "echo once >> tries.txt\n").unwrap();
    scratch.run(["run", "001"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(tries(), 3);
    // A worktree that was removed is made again and needs its setup again, however often that fails.
    let worktree = scratch.worktree("001");
    fs::remove_dir_all(&worktree).unwrap();
    fs::write(scratch.shared().join("setup.sh"), "exit 4\n").unwrap();
    scratch.run(["run", "001"]).expect(3);
    scratch.run(["run", "001"]).expect(3);
    fs::write(scratch.shared().join("setup.sh"), "echo once >> tries.txt\n").unwrap();
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(tries(), 1);
}

#[test]
fn a_setup_whose_time_is_up_ends_with_all_it_started() {
    let scratch = Scratch::empty(PROGRAM);
    let alive = pipe(&scratch, "alive");
    let text = format!("exec 9> {}; setsid sleep 600 & echo begun; sleep 600", alive.display());
    let watched = std::thread::spawn(move || {
        let mut said = String::new();
        fs::File::open(alive).unwrap().read_to_string(&mut said).map(|_| said)
    });
    let (out, folder) = (scratch.shared().join("out"), scratch.root());
    let environment = Environment(std::env::vars_os().collect());
    let script = ShellCommand {
        worker: PROGRAM.as_ref(),
        out: &out,
        text: &text,
        folder: &folder,
        sandbox: None,
        environment: &environment,
        redactor: &Redactor::default(),
        limit_ms: 1_500,
    };
    let mut lines = Vec::new();
    let ended =
        script.run(&SystemClock::new(Arc::default()), &mut |line| lines.push(line.to_owned())).unwrap().end;
    assert_eq!((ended, lines), (ScriptEnd::Slow, vec!["begun".to_owned()]));
    assert_eq!(watched.join().unwrap().unwrap(), "", "everything it started is gone");
}
