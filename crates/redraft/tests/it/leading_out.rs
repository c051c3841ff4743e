//! Links of a repository that lead out of it: refused by name, and never followed.

use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A repository, and a file of the user's outside of it.
fn with_secret() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.outside().join("home/private.md"), "budget = 1 # a private text\n").unwrap();
    scratch
}

/// What is in the home, except the user's own folder for state.
fn in_home(scratch: &Scratch) -> BTreeSet<OsString> {
    let entries = fs::read_dir(scratch.outside().join("home")).unwrap();
    entries.flatten().map(|entry| entry.file_name()).filter(|name| name != ".local").collect()
}

/// Puts a link into the repository and commits it.
fn link(scratch: &Scratch, target: &str, at: &str) {
    let place = scratch.root().join(at);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&place);
    symlink(target, &place).unwrap();
    scratch.git(["add", "--force", at]);
    scratch.git(["commit", "-q", "-m", "a link"]);
}

#[test]
fn a_link_that_leads_out_is_refused_by_name_and_what_it_leads_to_is_read_by_nobody() {
    type Case<'a> = (&'a str, &'a str, &'a [&'a str], i32);
    let cases: [Case<'_>; 6] = [
        ("redraft.toml", "../home/private.md", &["new", "--until", "specify", "an idea"], 3),
        ("redraft.toml", "../home/private.md", &["config", "set", "--repo", "budget", "2"], 3),
        (".redraft/agents/spec-author.md", "../../../home/private.md", &["run", "001"], 3),
        ("docs/knowledge-bank/heuristics.md", "../../../home/private.md", &["bank"], 3),
        (".redraft/worktrees", "../../home", &["new", "--until", "specify", "an idea"], 2),
        (".redraft", "../home", &["new", "--until", "specify", "an idea"], 2),
    ];
    for (at, target, words, code) in cases {
        let scratch = with_secret();
        if words[0] == "run" {
            scratch.run(["new", "--until", "specify", "an idea"]).expect(0);
        }
        link(&scratch, target, at);
        let before = in_home(&scratch);
        let ran = scratch.run(words).expect(code);
        assert!(ran.stderr.contains(at) && ran.stderr.contains("link"), "{at}: {}", ran.stderr);
        assert!(!ran.stderr.contains("a private text") && !ran.stdout.contains("a private text"));
        assert_eq!(in_home(&scratch), before, "{at}");
        let kept = fs::read_to_string(scratch.outside().join("home/private.md")).unwrap();
        assert_eq!(kept, "budget = 1 # a private text\n", "{at}");
    }
}

/// Files below a folder that hold a text, links not followed.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (kind, path) = (entry.file_type().unwrap(), entry.path());
        if kind.is_dir() {
            found.extend(holding(&path, text));
        } else if kind.is_file() && String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(text) {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_document_is_read_and_nothing_is_written_through_a_link_that_leads_out() {
    const FEATURE: &str = "docs/features/001-an-idea";
    const TASKS: &str = "# Tasks\n\n## Requirements\n\n- [ ] 1.1 a private text, for R1\n";
    // What is a link, what it leads to, what is typed, how that ends, and which part of it is named.
    type Case<'a> = (&'a str, &'a str, &'a [&'a str], i32, &'a str);
    let cases: [Case<'_>; 17] = [
        ("d/spec.md", "../../home/out/tasks.md", &["review", "d/design.md"], 2, "d/spec.md"),
        ("d/spec.md", "../.git/private.md", &["review", "d/design.md"], 2, "d/spec.md"),
        ("d", "../home/out", &["review", "d/tasks.md"], 2, "d/tasks.md"),
        ("prd.md", "../home/out/tasks.md", &["new", "an idea", "--prd", "prd.md"], 2, "prd.md"),
        ("prd.md", "../home/out/tasks.md", &["project", "new", "It", "--prd", "prd.md"], 2, "prd.md"),
        (
            "why.md",
            "../home/out/tasks.md",
            &["review", "--base", "HEAD~1", "--intent-file", "why.md"],
            2,
            "why.md",
        ),
        ("docs", "../home/docs", &["adopt", "--yes"], 0, "docs/features"),
        ("specs", "../home/docs/features", &["adopt", "--yes"], 0, "specs"),
        (
            "openspec/changes",
            "../../home/docs/features",
            &["adopt", "openspec", "--yes"],
            0,
            "openspec/changes",
        ),
        (
            "docs/features",
            "../../home/docs/features",
            &["adopt", "docs/features", "--yes"],
            2,
            "docs/features",
        ),
        ("docs/projects", "../../home/out", &["project", "new", "It"], 3, "docs/projects"),
        ("docs/decisions", "../../home/out", &["log", "--decisions", "--export"], 3, "docs/decisions"),
        ("records", "../home/out", &["log", "--decisions", "--export=records/new"], 3, "records"),
        ("TASKS", "../../../../home/out/tasks.md", &["show", "trace", "001"], 2, "tasks.md"),
        (FEATURE, "../../../home/out", &["show", "trace", FEATURE], 2, FEATURE),
        (
            "TASKS",
            "../../../../home/out/tasks.md",
            &["show", "context", FEATURE, "--task", "1.1"],
            2,
            "tasks.md",
        ),
        ("TASKS", "../../../../home/out/tasks.md", &["lint", FEATURE], 1, "tasks.md"),
    ];
    for (at, target, words, code, named) in cases {
        let scratch = with_secret();
        let home = scratch.outside().join("home");
        for file in ["out/tasks.md", "docs/features/001-secret/spec.md"] {
            fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
            fs::write(home.join(file), TASKS).unwrap();
        }
        fs::write(scratch.root().join(".git/private.md"), TASKS).unwrap();
        if matches!(words[0], "log" | "show") {
            scratch.run(["new", "--until", "specify", "an idea"]).expect(0);
        }
        if !at.starts_with("d") || at.starts_with("d/") {
            scratch.write("d/design.md", "# Design\n\n## Components\n\n### C1 thing\n\nServes R1.\n");
            scratch.git(["add", "--all"]);
            scratch.git(["commit", "-q", "-m", "a design"]);
        }
        let at = at.replace("TASKS", &format!("{FEATURE}/tasks.md"));
        link(&scratch, target, &at);
        // What Redraft keeps for its user is elsewhere.
        let outside = || ["out", "docs"].map(|folder| holding(&home.join(folder), "").len());
        let before = outside();
        let ran = scratch.run(words).expect(code);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains(named), "{words:?} {at}: {said}");
        assert!(code == 0 || said.contains("leads") || said.contains("is not in"), "{words:?} {at}: {said}");
        assert!(!said.contains("a private text"), "{words:?} {at}: {said}");
        fs::remove_file(scratch.root().join(".git/private.md")).unwrap();
        assert_eq!(holding(&scratch.root(), "a private text"), Vec::<PathBuf>::new(), "{words:?} {at}");
        assert_eq!(outside(), before, "{words:?} {at}: something was written there");
    }
}

#[test]
fn the_text_for_a_pull_request_is_not_made_from_what_a_link_leads_to() {
    let scratch = with_secret();
    fs::write(scratch.outside().join("home/private.md"), "# Spec\n\n- **R1:** a private text\n").unwrap();
    scratch.run(["new", "--until", "specify", "an idea"]).expect(0);
    link(&scratch, "../../../../home/private.md", "docs/features/001-an-idea/spec.md");
    let ran = scratch.run(["show", "pull-request", "001"]);
    assert!(
        !ran.stdout.contains("a private text") && !ran.stderr.contains("a private text"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_copy_neither_takes_from_outside_nor_writes_there() {
    let scratch = with_secret();
    link(&scratch, "../home/private.md", ".env");
    scratch.git(["rm", "-q", "--cached", ".env"]);
    scratch.git(["commit", "-q", "-m", "not tracked"]);
    scratch.write("redraft.toml", "[workspace]\ncopy = [\".env\"]\n");
    let ran = scratch.run(["new", "--until", "specify", "an idea"]).expect(3);
    assert!(
        ran.stderr.contains("[workspace] copy: .env: it is reached by a link that leads out"),
        "{}",
        ran.stderr
    );
    assert!(!scratch.worktree("001").join(".env").exists());
    // One that stays inside is a file like any other.
    fs::remove_file(scratch.root().join(".env")).unwrap();
    scratch.write("local/env", "KEY=1\n");
    symlink("local/env", scratch.root().join(".env")).unwrap();
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(fs::read_to_string(scratch.worktree("001").join(".env")).unwrap(), "KEY=1\n");

    let scratch = with_secret();
    link(&scratch, "../home", "conf");
    fs::remove_file(scratch.root().join("conf")).unwrap();
    scratch.write("conf/local", "KEY=1\n");
    scratch.write("redraft.toml", "[workspace]\ncopy = [\"conf/local\"]\n");
    // In the worktree `conf` is the link of the commit, and would lead to `.redraft/home`.
    fs::create_dir_all(scratch.root().join(".redraft/home")).unwrap();
    link_target_is_outside(&scratch);
}

fn link_target_is_outside(scratch: &Scratch) {
    let ran = scratch.run(["new", "--until", "specify", "an idea"]).expect(3);
    assert!(ran.stderr.contains("[workspace] copy: conf/local"), "{}", ran.stderr);
    let left = scratch.root().join(".redraft/worktrees/home");
    assert!(!left.exists() && fs::read_dir(scratch.root().join(".redraft/home")).unwrap().count() == 0);
}
