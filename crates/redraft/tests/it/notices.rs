//! Tests how a person who is not looking is told that a run waits, or how it ended.

use crate::terminal::pair;
use crate::ui::Ui;
use crate::world::feature;
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};

const NOBODY_LOOKS: &str = "[notify]\nafter_seconds = 0\n";
const PLAYED: &str = "[roles]\ndefault = \"rehearsal\"\n";

/// Runs on a terminal, types these lines, and returns what was written to it.
fn shown(scratch: &Scratch, words: &[&str], lines: &str, term: &str) -> String {
    let (mut terminal, end) = pair();
    let mut command = scratch.redraft(words);
    command.stdin(end.try_clone().unwrap()).stderr(end).stdout(std::process::Stdio::null()).env("TERM", term);
    terminal.write_all(lines.as_bytes()).unwrap();
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut said = Vec::new();
    // A terminal that is no longer open answers with an error, not with an end.
    let _ = terminal.read_to_end(&mut said);
    child.wait().unwrap();
    String::from_utf8(said).unwrap()
}

fn configured(own: &str) -> Scratch {
    let scratch = feature("Show the weather");
    scratch.configure(&format!("{own}{PLAYED}"));
    scratch
}

/// What the command was told, where it writes that down.
fn told(scratch: &Scratch) -> Vec<Value> {
    let text = fs::read_to_string(scratch.outside().join("told")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A setting with a command that writes down what it is told.
fn writes_down(scratch: &Scratch) -> String {
    let place = scratch.outside().join("told").display().to_string();
    format!("command = 'printf \"%s\\n\" \"$REDRAFT_NOTICE\" >> {place}'\n")
}

#[test]
fn a_terminal_rings_and_shows_a_notice_where_nobody_typed_anything_for_a_while() {
    let long = "\x1b]9;redraft: repo 001 ended: approved\x1b\\\x07";
    for (own, words, term, expected) in [
        (NOBODY_LOOKS, &["run", "001"][..], "xterm", long),
        // Linux's own terminal would print the notice.
        (NOBODY_LOOKS, &["run", "001"], "linux", "\x07"),
        (NOBODY_LOOKS, &["run", "001"], "dumb", ""),
        (NOBODY_LOOKS, &["run", "001", "--quiet"], "xterm", ""),
        (NOBODY_LOOKS, &["status"], "xterm", ""),
        ("[notify]\nbell = false\nafter_seconds = 0\n", &["run", "001"], "xterm", ""),
        // It took less than ten seconds.
        ("", &["run", "001"], "xterm", ""),
    ] {
        let said = shown(&configured(own), words, "", term);
        assert_eq!(said.contains('\x07'), !expected.is_empty(), "{own} {words:?} {term}: {said:?}");
        assert!(said.ends_with(expected), "{own} {words:?} {term}: {said:?}");
        assert_eq!(said.contains("\x1b]9;"), expected == long, "{said:?}");
    }
    let piped = configured(NOBODY_LOOKS).run(["run", "001"]).expect(0);
    assert!(!piped.stderr.contains('\x07') && !piped.stdout.contains('\x07'), "{}", piped.stderr);
}

#[test]
fn a_question_calls_for_a_person_before_it_is_answered() {
    let scratch = feature("Show the weather");
    scratch.configure(&format!("{NOBODY_LOOKS}{}{PLAYED}", writes_down(&scratch)));
    scratch.write("redraft.toml", "[limits]\nrounds = 1\n");
    let said = shown(&scratch, &["run", "001"], "stop\n", "xterm");
    let (before, after) = said.split_once("\x1b]9;redraft: repo 001 waiting: ").expect(&said);
    assert!(before.contains("question:") && after.contains("\x1b\\\x07"), "{said:?}");
    let told = told(&scratch);
    let reasons: Vec<&Value> = told.iter().map(|one| &one["reason"]).collect();
    assert_eq!(reasons, ["waiting", "waiting"], "the question, and that the run rests: {told:?}");
    assert_eq!(told[0]["next"], "redraft status");
    assert_eq!(told[1]["next"], "redraft decide 001");
    assert!(told[0]["text"].as_str().unwrap().ends_with('?'), "{told:?}");
}

#[test]
fn a_command_of_the_user_finds_what_happened_in_its_environment_and_no_shell_reads_it() {
    let scratch = feature("Show the weather");
    scratch.configure(&format!("{NOBODY_LOOKS}{}{PLAYED}", writes_down(&scratch)));
    scratch.run(["run", "001", "--quiet"]).expect(0);
    scratch.run(["review", "$(touch owned)\".md"]).expect(2);
    let told = told(&scratch);
    let root = scratch.root().canonicalize().unwrap().display().to_string();
    assert_eq!(
        told[0],
        serde_json::json!({
            "v": 1, "repository": root, "feature": "001", "reason": "ended", "text": "approved",
            "next": "redraft new \"your idea\"", "link": "redraft watch 001",
        })
    );
    assert_eq!((&told[1]["reason"], &told[1]["feature"]), (&"failed".into(), &"".into()));
    assert!(told[1]["text"].as_str().unwrap().contains("$(touch owned)\".md"), "{told:?}");
    assert!(!scratch.root().join("owned").exists());
    let left = fs::read_dir(scratch.root().join(".git/redraft/notify")).unwrap().count();
    assert_eq!(left, 0, "nothing is left of it");
}

#[test]
fn a_notice_leads_to_the_page_where_one_is_served_and_else_names_the_command_that_shows_it() {
    let scratch = feature("Show the weather");
    scratch.configure(&format!("{NOBODY_LOOKS}{}{PLAYED}", writes_down(&scratch)));
    let ui = Ui::new(&scratch);
    scratch.run(["run", "001"]).expect(0);
    scratch.run(["review", "nothing.md"]).expect(2);
    let port = ui.port;
    // Killed, and nothing is cleared away.
    drop(ui);
    scratch.run(["run", "001"]).expect(0);
    scratch.run(["review", "nothing.md"]).expect(2);
    let told = told(&scratch);
    let links: Vec<&str> = told.iter().map(|one| one["link"].as_str().unwrap()).collect();
    let (page, board) = (format!("http://127.0.0.1:{port}/feature/001"), format!("http://127.0.0.1:{port}/"));
    assert_eq!(links, [page.as_str(), &board, "redraft watch 001", "redraft watch"], "{told:?}");
}

#[test]
fn a_command_that_fails_or_takes_too_long_is_one_line_and_changes_nothing() {
    for (command, expected) in [
        (
            "echo first; echo the key is $MY_API_KEY; exit 3",
            "no notification was sent: the [notify] command ended with code 3: the key is [redacted:known]\n",
        ),
        ("sleep 60", "no notification was sent: the [notify] command was ended after 10 seconds\n"),
    ] {
        let scratch = configured(&format!("{NOBODY_LOOKS}command = '{command}'\n"));
        let mut run = scratch.redraft(["run", "001"]);
        let output = run.env("MY_API_KEY", "abcdefghijklmnop1234").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.ends_with(expected), "{said}");
        assert_eq!(said.matches("no notification was sent").count(), 1, "{said}");
    }
}

#[test]
fn a_command_of_the_repository_runs_only_after_trust() {
    let scratch = feature("Show the weather");
    scratch.configure(&format!("{NOBODY_LOOKS}{PLAYED}"));
    let setting = format!("[notify]\n{}", writes_down(&scratch));
    scratch.write_unaccepted("redraft.toml", &setting);
    let ran = scratch.run(["run", "001"]).expect(0);
    assert_eq!(told(&scratch), [] as [Value; 0]);
    assert!(ran.stderr.ends_with("nobody has accepted it; to accept it: redraft trust\n"), "{}", ran.stderr);
    assert!(scratch.run(["trust"]).expect(6).stdout.contains("notify.command = "));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(told(&scratch).len(), 1);
}
