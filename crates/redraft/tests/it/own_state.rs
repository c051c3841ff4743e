//! Redraft's state in a repository is used if this user's Redraft made it here, or if the user has accepted it.

use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, executable, feature, own_ledger};
use redraft_engine::ports::{Append, Store};
use redraft_facts::event::{BudgetSet, Event};
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::Usd;
use redraft_testkit::{Ran, Scratch};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const IDEA: &str = "Show the weather";

/// A copy of the repository, as an archive would bring it.
fn copied(scratch: &Scratch, name: &str) -> PathBuf {
    let copy = scratch.outside().join(name);
    assert!(scratch.command("cp").args(["-a", "."]).arg(&copy).status().unwrap().success());
    copy
}

fn run_in(scratch: &Scratch, folder: &Path, words: &[&str]) -> Ran {
    Ran::new(scratch.redraft(words).current_dir(folder).output().unwrap())
}

/// Every file below a folder, with its content. The files that SQLite keeps next to one that is only read are left out.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut left) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() {
                left.push(path);
            } else if kind.is_file() && !name.ends_with("-shm") && !name.ends_with("-wal") {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_state_that_came_from_elsewhere_stops_whatever_writes_and_nothing_that_looks() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    scratch.git(["checkout", "-q", "-b", "topic"]);
    scratch.write("README.md", "# a project with a change\n");
    scratch.git(["commit", "-q", "-a", "-m", "a change"]);
    let copy = copied(&scratch, "copy");
    let state = copy.join(".git/redraft");
    let before = files(&copy.join(".git"));
    for words in [
        &["new", "another idea"][..],
        &["run", "001"],
        &["finish", "001"],
        &["review", "README.md"],
        &["review", "--base", "main"],
        &["decide", "001", "approve"],
        &["phase", "back", "specify", "--why", "x"],
        &["project", "new", "gateway"],
        &["doctor"],
        &["doctor", "--repair"],
        &["status", "--rebuild"],
        &["ledger", "redact", "--yes"],
    ] {
        let ran = run_in(&scratch, &copy, words);
        assert_eq!(ran.code, Some(6), "{words:?}: {}{}", ran.stdout, ran.stderr);
        let named = format!("the state folder {} was not made by you", state.display());
        assert!(ran.stderr.contains(&named), "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("accept it: redraft trust"), "{words:?}: {}", ran.stderr);
        assert_eq!(files(&copy.join(".git")), before, "{words:?}");
    }
    for words in
        [&["status"][..], &["log", "001"], &["cost", "001"], &["show", "findings", "001"], &["config"]]
    {
        let ran = run_in(&scratch, &copy, words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.stderr);
    }
    let shown = run_in(&scratch, &copy, &["trust"]).expect(6).stdout;
    assert!(shown.contains(state.to_str().unwrap()), "{shown}");
    run_in(&scratch, &copy, &["trust", "--yes"]).expect(0);
    run_in(&scratch, &copy, &["trust"]).expect(0);
    run_in(&scratch, &copy, &["new", "--until", "specify", "another idea"]).expect(0);
    // Nothing about the first one has changed.
    scratch.run(["new", "--until", "specify", "another idea"]).expect(0);
    let forgotten = run_in(&scratch, &copy, &["trust", "--forget"]).expect(0).stdout;
    assert!(forgotten.contains("1 acceptance for"), "{forgotten}");
    run_in(&scratch, &copy, &["new", "--until", "specify", "a third idea"]).expect(6);
}

#[test]
fn an_ordinary_user_is_never_asked() {
    let scratch = feature(IDEA);
    let link = scratch.outside().join("link");
    symlink(scratch.root(), &link).unwrap();
    fs::create_dir(scratch.root().join("sub")).unwrap();
    scratch.git(["worktree", "add", "-q", "../beside"]);
    let beside = scratch.outside().join("beside");
    for folder in [link, scratch.root().join("sub"), beside, scratch.worktree("001")] {
        run_in(&scratch, &folder, &["run", "001"]).expect(0);
    }
    // Moved away and back.
    let away = scratch.outside().join("away");
    fs::rename(scratch.root(), &away).unwrap();
    run_in(&scratch, &away, &["new", "--until", "specify", "x"]).expect(6);
    fs::rename(&away, scratch.root()).unwrap();
    scratch.run(["new", "--until", "specify", "x"]).expect(0);
    // The state is gone for good, with everything in it.
    let anew = Scratch::repository(PROGRAM);
    for _ in 0..2 {
        anew.run(["project", "new", "gateway"]);
        fs::remove_dir_all(anew.state()).unwrap();
    }
    anew.run(["new", "--until", "specify", IDEA]).expect(0);
    // A clone brings none.
    scratch.git(["clone", "-q", ".", "../clone"]);
    run_in(&scratch, &scratch.outside().join("clone"), &["project", "new", "gateway"]).expect(0);
}

#[test]
fn a_moved_repository_and_another_user_are_asked_once_on_a_terminal_at_once() {
    let scratch = feature(IDEA);
    // Another user has another home.
    let other = |words: &[&str]| {
        let mut command = scratch.redraft(words);
        Ran::new(command.env("XDG_STATE_HOME", scratch.outside().join("other")).output().unwrap())
    };
    other(&["run", "001"]).expect(6);
    other(&["trust", "--yes"]).expect(0);
    other(&["run", "001"]).expect(0);
    // What they stored there this user has to accept as well.
    scratch.run(["run", "001"]).expect(6);
    scratch.run(["trust", "--ledger", "--yes"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    // Put in the place of the one that was known.
    let copy = copied(&scratch, "copy");
    fs::remove_dir_all(scratch.root()).unwrap();
    fs::rename(copy, scratch.root()).unwrap();
    let said = on_a_terminal(&scratch, &["run", "001"], "no\n", 6);
    assert!(said.contains("May redraft do this here?") && said.contains("the state folder"), "{said}");
    on_a_terminal(&scratch, &["run", "001"], "yes\n", 0);
    scratch.run(["run", "001"]).expect(0);
}

#[test]
fn without_a_folder_of_the_users_own_the_way_out_is_told_before_anything_is_made() {
    let scratch = Scratch::repository(PROGRAM);
    let mut homeless = scratch.redraft(["new", IDEA]);
    let ran = Ran::new(homeless.env_remove("HOME").output().unwrap()).expect(3);
    assert!(ran.stderr.contains("set XDG_STATE_HOME to a folder of your own"), "{}", ran.stderr);
    assert!(!scratch.state().exists());
    let blocked = scratch.outside().join("blocked");
    fs::write(&blocked, "").unwrap();
    let mut command = scratch.redraft(["new", IDEA]);
    let ran = Ran::new(command.env("XDG_STATE_HOME", &blocked).output().unwrap()).expect(3);
    assert!(ran.stderr.contains("cannot be written"), "{}", ran.stderr);
    assert!(!scratch.state().exists());
    scratch.run(["new", IDEA]).expect(0);
}

#[test]
fn a_link_in_gits_folder_that_leads_out_is_refused_by_name_and_nothing_is_written_behind_it() {
    for (at, words) in [
        (".git/redraft", &["new", "idea"][..]),
        (".git/redraft/boot", &["new", "idea"]),
        (".git/logs/refs/heads/feature/001-idea", &["new", "idea"]),
        (".git/refs/redraft", &["new", "idea"]),
        (".git/info", &["new", "idea"]),
        (".git/objects", &["review", "README.md"]),
        (".git/redraft/probes", &["doctor"]),
    ] {
        let scratch = Scratch::repository(PROGRAM);
        let outside = scratch.outside().join("precious");
        for folder in ["", "rehearsal", "pack", "info"] {
            fs::create_dir_all(outside.join(folder)).unwrap();
            fs::write(outside.join(folder).join("empty"), "").unwrap();
            fs::write(outside.join(folder).join("full"), "work").unwrap();
        }
        let link = scratch.root().join(at);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        if link.is_dir() {
            assert!(
                scratch
                    .command("cp")
                    .args(["-a"])
                    .arg(link.join("."))
                    .arg(&outside)
                    .status()
                    .unwrap()
                    .success()
            );
            fs::remove_dir_all(&link).unwrap();
        }
        symlink(&outside, &link).unwrap();
        let before = files(&outside);
        let ran = scratch.run(words);
        assert!(matches!(ran.code, Some(2 | 3)), "{at}: {ran:?}");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains(link.to_str().unwrap()) && said.contains("is a link"), "{at}: {said}");
        assert_eq!(files(&outside), before, "{at}");
    }
}

#[test]
fn what_was_accepted_of_one_checkout_does_not_hold_in_another_that_borrows_its_git_folder() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("redraft.toml", "[checks]\ntest = \"sh run.sh\"\n");
    scratch.run(["new", "--until", "specify", IDEA]).expect(0);
    scratch.run(["trust"]).expect(0);
    for how in ["link", "file"] {
        let other = scratch.outside().join(how);
        fs::create_dir(&other).unwrap();
        fs::copy(scratch.root().join("redraft.toml"), other.join("redraft.toml")).unwrap();
        match how {
            "link" => symlink("../repo/.git", other.join(".git")).unwrap(),
            _ => fs::write(other.join(".git"), "gitdir: ../repo/.git\n").unwrap(),
        }
        let shown = run_in(&scratch, &other, &["trust"]).expect(6).stdout;
        assert!(shown.contains("checks.test") && shown.contains("the state folder"), "{how}: {shown}");
        run_in(&scratch, &other, &["new", "another idea"]).expect(6);
    }
    scratch.run(["trust"]).expect(0);
}

#[test]
fn that_an_agent_was_paid_in_somebodys_ledger_is_no_consent_of_this_user() {
    let scratch = feature(IDEA);
    let agent =
        "kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"https://nowhere.invalid\"\n";
    scratch.configure(&format!("[agents.model]\n{agent}[roles]\ndefault = \"model\"\n"));
    let run = |words: &[&str], state: &str| {
        let mut command = scratch.redraft(words);
        command.env("ANTHROPIC_API_KEY", "not-a-real-key");
        Ran::new(command.env("XDG_STATE_HOME", scratch.outside().join(state)).output().unwrap())
    };
    run(&["trust", "--yes"], "mine").expect(0);
    run(&["run", "001"], "mine").expect(6);
    run(&["run", "001", "--yes"], "mine").expect(4);
    run(&["run", "001"], "mine").expect(4);
    run(&["trust", "--yes"], "other").expect(0);
    let ran = run(&["run", "001"], "other").expect(6);
    assert!(ran.stderr.contains("nobody has agreed to spend money"), "{}", ran.stderr);
    let listed = run(&["trust", "--list"], "mine").expect(0).stdout;
    assert!(listed.contains("may be paid: 001 model"), "{listed}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "writes a ledger that no command would write")]
fn a_shell_and_a_session_are_told_no_number_that_is_none() {
    let scratch = feature(IDEA);
    let ledger = own_ledger(&scratch);
    let (scope, seq, row) = ledger.board().unwrap().remove(0);
    assert_eq!(scope, Scope::Feature(FeatureId(1)));
    let forged = row.replacen("\"001\"", "\"$(touch pwned)\"", 1);
    assert_ne!(forged, row);
    let events = [Event::from(BudgetSet { limit: Usd(1), by: "somebody".into() })];
    let board = Some(forged.as_str());
    ledger
        .append(Append {
            scope,
            decided_on: seq,
            at_ms: 0,
            events: &events,
            blobs: &[],
            board,
            elsewhere: None,
        })
        .unwrap();
    drop(ledger);
    assert_eq!(scratch.run(["completions", "--features"]).expect(0).stdout, "001\n");
    for words in [&["status"][..], &["status", "--json"]] {
        let ran = scratch.run(words).expect(0);
        assert!(!ran.stdout.contains("pwned") && ran.stdout.contains("001"), "{}", ran.stdout);
    }
}

#[test]
fn no_program_is_looked_for_in_the_repository_because_of_an_empty_or_relative_entry_of_the_path() {
    let scratch = feature(IDEA);
    let canary = scratch.outside().join("canary");
    let script = format!("#!/bin/sh\ntouch {}\n", canary.display());
    for name in ["git", "claude", "codex", "bin/git", "bin/claude", "bin/codex"] {
        executable(&scratch, name, &script);
    }
    let path = std::env::var_os("PATH").unwrap_or_default().into_string().unwrap();
    for path in [
        format!("{path}:"),
        format!(":{path}"),
        format!("./bin:{path}"),
        format!("bin:.:{path}"),
        ".".to_owned(),
    ] {
        for words in [
            &["status"][..],
            &["doctor", "--agent", "claude"],
            &["init"],
            &["run", "001", "--agent", "claude"],
        ] {
            let _ = scratch.redraft(words).env("PATH", &path).output().unwrap();
            assert!(!canary.exists(), "{path} {words:?}");
        }
    }
}
