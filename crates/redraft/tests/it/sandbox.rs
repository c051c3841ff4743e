//! What a check and a setup command can reach: the whole way from `redraft.toml` to what is stored and said. Which
//! attempts the kernel refuses is a table of its own in `crates/sandbox/tests`.

#![cfg(target_os = "linux")]

use crate::world::{PROGRAM, bodies, events};
use redraft_adapters::child::{Environment, ScriptEnd, ScriptRun, ShellCommand};
use redraft_adapters::clock::SystemClock;
use redraft_facts::redact::Redactor;
use redraft_sandbox::{Engine, Forbidden, Level, Network, ResourceLimits};
use redraft_sandbox::{Sandbox, SandboxRule};
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;
use std::sync::Arc;

/// Contained as far as the machine can, which is the default.
const AUTO: &str = "[sandbox]\n";

const IDEA: &str = "Greet people in the shell";

/// Prints `escaped NAME` for each attempt that succeeds.
const ATTEMPTS: &str = r#"
try() { name=$1; shift; if "$@" > /dev/null 2>&1; then echo "escaped $name"; fi; }
try 'read redraft.toml' cat MAIN/redraft.toml
try 'write redraft.toml' sh -c 'echo >> MAIN/redraft.toml'
try 'read the ledger' cat MAIN/.git/redraft/ledger.db
try 'append to the ledger' sh -c 'echo x >> MAIN/.git/redraft/ledger.db'
try 'plant an answer' mkdir MAIN/.git/redraft/planted
try 'plant a hook' sh -c 'echo x > MAIN/.git/hooks/post-commit'
try 'move a branch' git -C MAIN update-ref refs/heads/planted HEAD
try 'move a branch by GIT_DIR' env GIT_DIR=MAIN/.git git update-ref refs/heads/planted HEAD
try 'read the worktree of the feature' ls MAIN/.redraft/worktrees
try 'read the home' cat HOME_OF_USER/secret
try 'write the home' sh -c 'echo x > HOME_OF_USER/planted'
try 'read the key' cat HOME_OF_USER/.local/state/redraft/signing-key
try 'write what was accepted' sh -c 'echo >> HOME_OF_USER/.local/state/redraft/trust.toml'
try 'see a variable' test -n "$PROJECT_VARIABLE$SERVICE_TOKEN"
try 'accept for the user' env -u REDRAFT_TICKET HOME=HOME_OF_USER PROGRAM -C MAIN trust --yes
try 'drive the feature' env -u REDRAFT_TICKET HOME=HOME_OF_USER PROGRAM -C MAIN status
try 'signal the run' kill -0 $(cat /proc/$PPID/stat | cut -d' ' -f4)
try 'read an open file' sh -c 'cat <&5'
touch "$HOME/own" "$TMPDIR/own" own && rm own && echo done
"#;

/// A repository whose check is this script.
pub(crate) fn checked_by(script: &str, config: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    fs::create_dir_all(scratch.outside().join("home")).unwrap();
    fs::write(scratch.outside().join("home/secret"), "secret\n").unwrap();
    let script = script
        .replace("MAIN", &scratch.root().display().to_string())
        .replace("HOME_OF_USER", &scratch.outside().join("home").display().to_string())
        .replace("PROGRAM", PROGRAM);
    scratch.write("tests/run.sh", &script);
    scratch.git(["add", "tests/run.sh"]);
    scratch.git(["commit", "-q", "-m", "tests"]);
    let limits = "[limits]\ngates = 1\nattempts = 1\n";
    scratch.write("redraft.toml", &format!("[checks]\ntests = \"sh tests/run.sh\"\n{limits}{config}"));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    scratch
}

/// Runs the feature with a file open that is none of a check's business. Returns the first result of the check.
pub(crate) fn first_check(scratch: &Scratch) -> Value {
    let mut command = scratch.command("sh");
    command.args(["-c", "exec 5< \"$1\"; exec \"$2\" run --yes", "sh"]);
    command.arg(scratch.outside().join("home/secret")).arg(PROGRAM);
    command.env("PROJECT_VARIABLE", "x").env("SERVICE_TOKEN", "not-a-real-token");
    command.output().unwrap();
    let events = events(scratch);
    bodies(&events, "checked").find(|body| body["gate"] == "tests").unwrap().clone()
}

#[test]
fn a_check_reaches_its_own_folder_and_nothing_of_the_user() {
    // Nobody has asked for a sandbox: it is there by default.
    let scratch = checked_by(ATTEMPTS, "");
    let before = fs::read(scratch.root().join("redraft.toml")).unwrap();
    let check = first_check(&scratch);
    let output = check["output"].as_str().unwrap();
    assert_eq!(output.trim(), "done", "{check}");
    let level = check["checkout"]["sandbox"].as_str().unwrap();
    assert!(level.starts_with("partial: ") && level.ends_with(')'), "{level}");
    assert_eq!(fs::read(scratch.root().join("redraft.toml")).unwrap(), before);
    // It is said wherever checks are shown.
    let log = scratch.run(["log"]).expect(0).stdout;
    assert!(log.contains(&format!("; sandbox {level}")), "{log}");
    let receipt = scratch.run(["cost", "001", "--all"]).expect(0);
    let told = format!("sandbox of checks: {level}");
    assert!(receipt.stdout.contains(&told), "{}", receipt.stdout);
    let report = scratch.json(["report", "001"]);
    assert!(report.to_string().contains(&format!("\"sandbox\":\"{level}\"")));
}

#[test]
fn without_a_sandbox_the_same_check_reaches_all_of_it() {
    let scratch = checked_by(ATTEMPTS, "[sandbox]\nlevel = \"off\"\n");
    let check = first_check(&scratch);
    let output = check["output"].as_str().unwrap();
    let escaped = output.lines().filter(|line| line.starts_with("escaped ")).count();
    assert!(escaped >= 12, "{output}");
    // What decides for a person is refused all the same.
    assert!(!output.contains("escaped accept for the user"), "{output}");
    assert!(check["checkout"]["sandbox"].is_null(), "{check}");
}

#[test]
fn a_check_that_is_refused_something_says_which_line_would_allow_it() {
    let scratch = checked_by("cat HOME_OF_USER/secret", AUTO);
    let check = first_check(&scratch);
    let evidence = check["evidence"].as_str().unwrap();
    let path = scratch.outside().join("home/secret").display().to_string();
    assert!(evidence.contains(&format!(" = [\"{path}\"] (then: redraft trust)")), "{evidence}");
    // With such a line it passes.
    let allowed = checked_by("cat HOME_OF_USER/secret", &format!("{AUTO}read = [\"~/secret\"]\n"));
    assert_eq!(first_check(&allowed)["passed"], true);
}

#[test]
fn a_person_is_asked_about_a_refusal_before_anybody_is_paid_to_mend_it() {
    let scratch = checked_by("cat HOME_OF_USER/secret", "");
    let ran = scratch.run(["run", "--yes"]);
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    let path = scratch.outside().join("home/secret").display().to_string();
    let line = format!("read = [\"{path}\"]");
    assert!(ran.stdout.contains(&line), "{}", ran.stdout);
    let implementers = || {
        let events = events(&scratch);
        let sent = bodies(&events, "started").map(|body| body["ticket"].as_str().unwrap().to_owned());
        sent.filter(|ticket| ticket.contains("/implement/")).count()
    };
    assert_eq!(implementers(), 1);
    // The setting that was named, accepted, is all it takes.
    let config = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("{config}[sandbox]\n{line}\n"));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["decide", "001", "retry"]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
    assert_eq!(implementers(), 1);
}

#[test]
fn strict_runs_no_check_where_the_sandbox_has_gaps() {
    let scratch = checked_by("echo ran", "[sandbox]\nlevel = \"strict\"\n");
    let ran = scratch.run(["run", "--yes"]);
    assert_ne!(ran.code, Some(0));
    assert!(ran.stderr.contains("level = \"strict\" asks for a sandbox that is enforced"), "{}", ran.stderr);
    assert!(bodies(&events(&scratch), "checked").all(|body| body["gate"] != "tests"));
    let doctor = scratch.run(["doctor", "--yes"]);
    assert!(doctor.stdout.contains("asks for more: no check is run"), "{}", doctor.stdout);
}

#[test]
fn doctor_tries_the_sandbox_and_names_engine_and_level() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("redraft.toml", AUTO);
    let doctor = scratch.json(["doctor"]);
    let lines = doctor["machine"].as_array().unwrap();
    let line = lines.iter().find(|line| line["check"] == "sandbox").unwrap();
    let detail = line["detail"].as_str().unwrap();
    assert_eq!(line["ok"], true);
    assert!(
        detail.starts_with("partial: ") && Engine::ALL.iter().any(|engine| detail.contains(engine.name())),
        "{detail}"
    );
}

#[test]
fn git_reads_a_copy_of_the_history_where_the_configuration_says_so() {
    let script = "set -e\ngit log -1 --format=%s\ngit rev-parse HEAD\ngit status --porcelain\ngit remote\n";
    let check = first_check(&checked_by(script, AUTO));
    assert_eq!(check["passed"], false);
    assert!(check["evidence"].as_str().unwrap().contains("git = \"copy\""), "{check}");
    let scratch = checked_by(script, &format!("{AUTO}git = \"copy\"\n"));
    let check = first_check(&scratch);
    assert_eq!(check["passed"], true, "{check}");
    let output = check["output"].as_str().unwrap();
    let commit = check["checkout"]["commit"].as_str().unwrap();
    assert_eq!(output.lines().nth(1), Some(commit), "nothing is changed, and there is no remote: {output}");
    assert_eq!(output.trim().lines().count(), 2, "{output}");
}

#[test]
fn a_setup_command_is_held_too_and_explained() {
    let scratch = Scratch::repository(PROGRAM);
    let planted = scratch.outside().join("planted").display().to_string();
    scratch.write("redraft.toml", &format!("[workspace]\nsetup = \"touch {planted}\"\n{AUTO}"));
    scratch.run(["trust", "--yes"]).expect(0);
    let ran = scratch.run(["new", IDEA]);
    assert_ne!(ran.code, Some(0));
    assert!(ran.stderr.contains("ran in a sandbox") && ran.stderr.contains(&planted), "{}", ran.stderr);
    assert!(!fs::exists(&planted).unwrap());
}

/// A command in the sandbox with these limits.
fn limited(text: &str, limits: ResourceLimits) -> (ScriptRun, Vec<String>) {
    let scratch = Scratch::repository(PROGRAM);
    let sandbox = Sandbox {
        rule: SandboxRule::Auto,
        read: Vec::new(),
        write: Vec::new(),
        network: Network::local(),
        pass: Vec::new(),
        user_home: None,
        checkout: scratch.root(),
        closed: Vec::new(),
        forbidden: Forbidden::default(),
        history: None,
        temp: scratch.outside().to_owned(),
        limits,
    };
    let folder = scratch.outside().join("folder");
    fs::create_dir(&folder).unwrap();
    let command = ShellCommand {
        worker: PROGRAM.as_ref(),
        out: &scratch.outside().join("out"),
        text,
        folder: &folder,
        sandbox: Some((&sandbox, None)),
        environment: &Environment(std::env::vars_os().collect()),
        redactor: &Redactor::default(),
        limit_ms: 60_000,
    };
    let mut lines = Vec::new();
    let ran =
        command.run(&SystemClock::new(Arc::default()), &mut |line| lines.push(line.to_owned())).unwrap();
    let left = fs::read_dir(scratch.outside()).unwrap().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("redraft-")).count();
    assert_eq!(left, 0, "the temporary folder is gone");
    (ran, lines)
}

#[test]
fn a_command_that_takes_too_much_is_ended_and_the_limit_is_named() {
    let small = ResourceLimits { file_bytes: 1 << 20, memory_bytes: Some(200 << 20), processes: 40 };
    let how = |text: &str| match limited(text, small) {
        (ScriptRun { end: ScriptEnd::Badly { how, .. }, report: Some(report), .. }, _) => {
            assert!(matches!(report.level, Level::Partial(_)), "{report}");
            how
        }
        other => panic!("{other:?}"),
    };
    let many = "i=0; while [ $i -lt 200 ]; do sleep 50 & i=$((i+1)); done; wait";
    assert_eq!(how(many), "was ended because it had more than 40 processes");
    let large = "python3 -c 'import time; held = bytearray(400 << 20); held[::4096] = b\"x\" * len(held[::4096]); time.sleep(50)'";
    assert_eq!(how(large), "was ended because it used more than 200 MB of memory");
    // Within the limits nothing is noticed of them.
    let (ran, lines) = limited("head -c 100000 /dev/zero > f; wc -c < f", small);
    assert_eq!((ran.end, lines), (ScriptEnd::Well, vec!["100000".to_owned()]));
    let (ran, _) = limited("head -c 9000000 /dev/zero > f", small);
    assert_ne!(ran.end, ScriptEnd::Well, "a file has its limit");
}
