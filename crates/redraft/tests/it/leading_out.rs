//! Links of a repository that lead out of it: refused by name, and never followed.

use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;

/// A repository, and a file of the user's outside of it.
fn with_secret() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.outside().join("home/private.md"), "budget = 1 # a private text\n").unwrap();
    scratch
}

/// What stands in the home, but for the user's own folder for state.
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
