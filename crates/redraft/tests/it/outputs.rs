//! Tests that whatever is typed, and wherever the output goes, there is no panic and the output is sane.

use crate::world::{PROGRAM, feature};
use redraft_testkit::{Ran, Scratch};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

const IDEA: &str = "Export the monthly report as CSV";

#[test]
fn usage_errors_are_one_object_with_json_and_exit_2_with_and_without() {
    let scratch = feature(IDEA);
    for (words, word) in [
        (&["run", "--bogus"][..], "--bogus"),
        (&["new"], "<IDEA>"),
        (&["rnu"], "rnu"),
        (&[], "no command"),
        (&["show"], "no command"),
        (&["status", "001", "002"], "002"),
        (&["run", "--on-cap", "maybe"], "maybe"),
        (&["log", "-n", "many"], "many"),
        (&["run", "-C"], "--dir"),
        (&["show", "prompt", "--verify", "--role", "x"], "--verify"),
        (&["cost", "--force"], "--svg"),
        (&["cost", "--svg", "x.svg", "--why", "y"], "--svg"),
    ] {
        let ran = scratch.run(words).expect(2);
        assert_eq!(ran.stdout, "", "{words:?}");
        assert!(
            ran.stderr.contains("Usage: redraft") || ran.stderr.contains("try '--help'"),
            "{words:?}: {}",
            ran.stderr
        );
        let ran = Ran::new(scratch.redraft(["--json"]).args(words).output().unwrap()).expect(2);
        let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((&object["v"], &object["exit"]), (&1.into(), &2.into()), "{words:?}");
        assert!(object["error"].as_str().unwrap().contains(word), "{words:?}: {object}");
        let hints = object["hints"].as_array().unwrap();
        assert!(hints.iter().any(|hint| hint.as_str().unwrap().contains("redraft")), "{words:?}: {object}");
        assert!(ran.stderr.starts_with("error: "), "{words:?}: {}", ran.stderr);
    }
    // After `--` it is an argument like any other.
    let ran = scratch.run(["run", "--bogus", "--", "--json"]).expect(2);
    assert_eq!(ran.stdout, "");
}

#[test]
fn help_and_version_are_data_also_with_json() {
    let scratch = Scratch::empty(PROGRAM);
    for words in [&["--help"][..], &["help"], &["--version"], &["run", "--help"], &["help", "run"]] {
        let plain = scratch.run(words).expect(0);
        assert!(plain.stdout.contains("redraft") && plain.stderr.is_empty(), "{words:?}");
        let with_json = Ran::new(scratch.redraft(["--json"]).args(words).output().unwrap()).expect(0);
        assert_eq!(with_json.stdout, plain.stdout, "{words:?}");
    }
}

#[test]
fn every_command_shows_examples_and_its_exit_codes() {
    let scratch = Scratch::empty(PROGRAM);
    for verb in [
        "demo",
        "init",
        "new",
        "run",
        "decide",
        "status",
        "cost",
        "log",
        "show prompt",
        "show findings",
        "trust",
        "bank",
        "bank show",
        "bank keep",
        "bank update",
        "bank retire",
        "bank backfill",
    ] {
        let mut words: Vec<&str> = verb.split(' ').collect();
        words.push("--help");
        let help = scratch.run(&words).expect(0).stdout;
        assert!(help.contains(&format!("Examples:\n  redraft {verb}")), "{verb}: {help}");
        for expected in ["Exit codes: 0 ", "--json", "--dir <DIR>"] {
            assert!(help.contains(expected), "{verb}: {help}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 110), "{verb}: {help}");
    }
    let help = scratch.run(["--help"]).expect(0).stdout;
    for code in ["0", "1", "2", "3", "4", "5", "6", "7", "70", "130"] {
        assert!(help.contains(&format!("{code}  ")), "{code}: {help}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    for words in ["log", "log --json", "show prompt", "status", "cost", "show findings", "--help"] {
        let script =
            format!("set -o pipefail; \"$0\" {words} | head -c 1 > /dev/null; echo ${{PIPESTATUS[0]}}");
        let ran = Ran::new(scratch.command("bash").args(["-c", &script, PROGRAM]).output().unwrap());
        assert_eq!(ran.stdout, "0\n", "{words}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{words}: {}", ran.stderr);
    }
    // Nor is a terminal that is gone: the run goes on and is stored.
    let other = feature(IDEA);
    let script = "\"$0\" run 001 2>&1 | head -n 1 > /dev/null; echo ${PIPESTATUS[0]}";
    let ran = Ran::new(other.command("bash").args(["-c", script, PROGRAM]).output().unwrap());
    assert_eq!(ran.stdout, "0\n", "{}", ran.stderr);
    assert!(other.run(["status"]).expect(0).stdout.contains("approved"));
}

#[test]
fn data_that_cannot_be_written_is_an_error() {
    let scratch = feature(IDEA);
    for words in [&["status"][..], &["status", "--json"], &["log"], &["--help"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = scratch.redraft(words);
        let ran = Ran::new(command.stdout(Stdio::from(full)).stderr(Stdio::piped()).output().unwrap());
        assert_eq!(ran.code, Some(3), "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("cannot write to stdout"), "{words:?}: {}", ran.stderr);
    }
}

#[test]
fn arguments_that_are_no_text_are_taken_as_paths_or_refused() {
    let scratch = feature(IDEA);
    let odd = OsStr::from_bytes(b"caf\xe9");
    for words in [&[OsStr::new("new"), odd][..], &[OsStr::new("run"), odd], &[odd]] {
        let ran = Ran::new(scratch.redraft(words).output().unwrap()).expect(2);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        let ran = Ran::new(scratch.redraft(words).arg("--json").output().unwrap()).expect(2);
        let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(object["exit"], 2);
    }
    let ran = Ran::new(scratch.redraft([OsStr::new("-C"), odd, OsStr::new("status")]).output().unwrap());
    assert!(ran.expect(2).stderr.contains("is not a folder"));
    fs::write(scratch.outside().join(odd), crate::documents::PRD).unwrap();
    let mut file = std::path::PathBuf::from("..");
    file.push(odd);
    let words = ["new", "--until", "specify", "export", "--prd"]
        .map(OsStr::new)
        .into_iter()
        .chain([file.as_os_str()]);
    Ran::new(scratch.redraft(words).output().unwrap()).expect(0);
    assert_eq!(fs::read_to_string(scratch.artifacts("002").join("prd.md")).unwrap(), crate::documents::PRD);
}

#[test]
fn a_repository_whose_path_is_no_text_works_like_any_other() {
    let scratch = Scratch::empty(PROGRAM);
    let place = scratch.outside().join(OsStr::from_bytes(b"it's caf\xe9 2"));
    let keep = [OsStr::new("demo"), OsStr::new("--keep"), place.as_os_str()];
    let ran = Ran::new(scratch.redraft(keep).output().unwrap()).expect(0);
    let next = ran.stdout.lines().find_map(|line| line.strip_prefix("next: ")).unwrap();
    let followed = Ran::new(scratch.command("bash").args(["-c", next]).output().unwrap()).expect(0);
    assert!(followed.stdout.contains("feature 001 is approved and merged"), "{}", followed.stdout);
    for words in [
        &["status", "--verify"][..],
        &["new", "--until", "specify", "another idea"],
        &["run", "002"],
        &["log", "--json"],
    ] {
        Ran::new(scratch.redraft(words).current_dir(&place).output().unwrap()).expect(0);
    }
}

#[test]
fn an_idea_may_be_long_but_not_endless_and_not_empty() {
    let scratch = Scratch::repository(PROGRAM);
    for idea in ["", " \n\t "] {
        let ran = scratch.run(["new", "--until", "specify", idea]).expect(2);
        assert!(ran.stderr.contains("the idea is empty"), "{}", ran.stderr);
        let ran = scratch.run(["demo", idea, "--keep", "kept"]).expect(2);
        assert!(ran.stderr.contains("the idea is empty"), "{}", ran.stderr);
        assert!(!scratch.root().join("kept").exists(), "nothing was made");
    }
    let long = "very long ".repeat(12_000);
    let ran = scratch.run(["new", "--until", "specify", &long]).expect(2);
    assert!(ran.stderr.contains("at most 20000") && ran.stderr.contains("--prd"), "{}", ran.stderr);
    assert!(ran.stderr.len() < 1000, "the idea is not repeated in full");
    assert_eq!(scratch.json(["status"])["features"], serde_json::json!([]));
    scratch.run(["new", "--until", "specify", &"wörter ".repeat(2_800)]).expect(0);
    scratch.run(["run"]).expect(0);
    // A name of many words or of none in Latin letters, and signs that mean something to a terminal.
    scratch.run(["new", "--until", "specify", "日本語 \x1b[31m\n\"; rm -rf ~"]).expect(0);
    assert!(!scratch.run(["log"]).expect(0).stdout.contains('\x1b'));
    assert!(!scratch.run(["status"]).expect(0).stdout.contains('\x1b'));
}

#[test]
fn the_next_command_can_be_typed_as_it_is_printed() {
    let scratch = Scratch::empty(PROGRAM);
    let folder = scratch.outside().join("my shop's");
    let keep = [OsStr::new("demo"), OsStr::new("--keep"), folder.as_os_str()];
    let ran = Ran::new(scratch.redraft(keep).output().unwrap()).expect(0);
    let next = ran.stdout.lines().find_map(|line| line.strip_prefix("next: ")).unwrap();
    Ran::new(scratch.command("bash").args(["-c", next]).output().unwrap()).expect(0);
    let other = scratch.outside().join("another shop");
    let keep = [OsStr::new("demo"), OsStr::new("--json"), OsStr::new("--keep"), other.as_os_str()];
    let ran = Ran::new(scratch.redraft(keep).output().unwrap()).expect(0);
    let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    Ran::new(scratch.command("bash").args(["-c", object["next"].as_str().unwrap()]).output().unwrap())
        .expect(0);
    // A user who works with -C is shown commands with it, relative ones as well.
    let typed = |line: &str| {
        let line = line.replacen("redraft ", &format!("{PROGRAM} "), 1);
        let mut command = scratch.command("bash");
        Ran::new(command.args(["-c", &line]).current_dir(scratch.outside()).output().unwrap())
    };
    let ran = typed("redraft -C \"my shop's\" new --until specify 'another idea'").expect(0);
    let next = ran.stdout.lines().find_map(|line| line.strip_prefix("next: ")).unwrap().to_owned();
    assert_eq!(next, r"redraft -C 'my shop'\''s' run 002");
    let ran = typed(&next).expect(0);
    let next = ran.stdout.lines().find_map(|line| line.strip_prefix("next: ")).unwrap().to_owned();
    assert_eq!(next, r#"redraft -C 'my shop'\''s' new "your idea""#);
    assert!(typed("redraft -C \"my shop's\" status").expect(0).stdout.ends_with(&format!("next: {next}\n")));
    typed(&next).expect(0);
    // So are the commands that errors name.
    let ran = typed("redraft -C \"my shop's\" show findings 009").expect(2);
    let hint = r"hint: `redraft -C 'my shop'\''s' status` lists the features";
    assert!(ran.stderr.contains(hint), "{}", ran.stderr);
    let ran = typed("redraft --json -C \"my shop's\" show findings 009").expect(2);
    let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(object["hints"][0], hint.strip_prefix("hint: ").unwrap());
}

#[test]
fn a_line_break_in_the_repositorys_path_is_named() {
    let scratch = Scratch::empty(PROGRAM);
    let folder = scratch.outside().join("my\nshop");
    std::fs::create_dir(&folder).unwrap();
    let init = scratch.command("git").args(["init", "--quiet"]).current_dir(&folder).status().unwrap();
    assert!(init.success());
    let words = [OsStr::new("-C"), folder.as_os_str(), OsStr::new("status")];
    let ran = Ran::new(scratch.redraft(words).output().unwrap()).expect(2);
    assert!(ran.stderr.contains("path has a line break in it"), "{}", ran.stderr);
}
