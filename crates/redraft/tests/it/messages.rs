//! Tests that what people type wrongly is answered with what they could have typed.

use crate::world::{PROGRAM, events, feature};
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn an_idea_without_quotes_is_shown_with_them() {
    let scratch = Scratch::repository(PROGRAM);
    for (words, command) in [
        (&["new", "Export", "orders", "as", "CSV"][..], "redraft new \"Export orders as CSV\""),
        (
            &["-q", "-C", ".", "new", "Export", "orders", "--lane", "deep"],
            "redraft new \"Export orders\" --lane deep",
        ),
        (&["new", "Charge", "$5", "more"], "redraft new 'Charge $5 more'"),
        (&["demo", "Show", "the", "weather"], "redraft demo \"Show the weather\""),
    ] {
        let ran = scratch.run(words).expect(2);
        assert!(ran.stderr.contains(&format!("  hint: quote the idea: {command}\n")), "{}", ran.stderr);
    }
    let error = Ran::new(scratch.redraft(["new", "Export", "orders", "--json"]).output().unwrap());
    let error: serde_json::Value = serde_json::from_str(&error.stdout).unwrap();
    assert_eq!(error["hints"][0], "quote the idea: redraft new \"Export orders\" --json");
    // An option that does not exist is a different mistake.
    let other = scratch.run(["new", "Export", "--lanes", "deep"]).expect(2);
    assert!(!other.stderr.contains("quote") && other.stderr.contains("--lane"), "{}", other.stderr);
    assert!(!scratch.state().join("ledger.db").exists(), "nothing was begun");
}

#[test]
fn commands_of_other_names_lead_to_the_one_that_does_it() {
    let scratch = Scratch::repository(PROGRAM);
    for (word, command) in [
        ("approve", "redraft decide NNN approve"),
        ("reject", "redraft comment NNN"),
        ("resume", "redraft run NNN"),
        ("continue", "redraft run NNN"),
        ("list", "redraft status"),
        ("dashboard", "redraft ui"),
        ("monitor", "redraft watch"),
        ("remove", "redraft clean"),
        ("pr", "redraft show pull-request NNN"),
        ("Merge", "redraft finish NNN --merge"),
    ] {
        let ran = scratch.run([word]).expect(2);
        assert!(ran.stderr.starts_with(&format!("error: there is no command `{word}`\n")), "{}", ran.stderr);
        assert!(ran.stderr.contains(command), "{word}: {}", ran.stderr);
        // What is named is a command.
        let named = ran.stderr.split("redraft ").nth(1).unwrap();
        let named: Vec<&str> = named.split_whitespace().take_while(|word| !word.starts_with("NNN")).collect();
        let help = [&["help"], named.iter().take(1).copied().collect::<Vec<_>>().as_slice()].concat();
        scratch.run(help.iter().map(|word| word.trim_matches([';', ',']))).expect(0);
    }
    let unknown = scratch.run(["frobnicate"]).expect(2);
    assert!(unknown.stderr.contains("unrecognized subcommand"), "{}", unknown.stderr);
}

#[test]
fn a_feature_is_meant_by_its_slug_as_well_as_by_its_number() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Export orders", "--until", "specify"]).expect(0);
    scratch.run(["new", "404 page", "--until", "specify"]).expect(0);
    for (word, id) in [
        ("export-orders", "001"),
        ("Export-Orders", "001"),
        ("001-export-orders", "001"),
        ("404-page", "002"),
        ("2", "002"),
    ] {
        assert_eq!(scratch.json(["status", word])["features"][0]["id"], id, "{word}");
    }
    scratch.run(["new", "1 click", "--until", "specify", "--depends-on", "export-orders"]).expect(0);
    assert_eq!(scratch.json(["status", "1-click"])["features"][0]["id"], "003");
    let trace = scratch.run(["show", "trace", "404-page"]).expect(1);
    assert!(trace.stderr.contains("002-404-page has nothing to trace"), "{}", trace.stderr);
    scratch.run(["decide", "export-orders", "abandon"]).expect(0);
    let unknown = scratch.run(["status", "export"]).expect(2);
    assert!(unknown.stderr.contains("there is no feature export"), "{}", unknown.stderr);
    scratch.run(["new", "404 page", "--until", "specify"]).expect(0);
    let several = scratch.run(["status", "404-page"]).expect(2);
    assert!(several.stderr.contains("hint: name one of 002, 004"), "{}", several.stderr);
}

#[test]
fn a_dispatch_is_meant_by_its_ticket_as_the_receipt_shows_it() {
    let scratch = feature("Export orders");
    scratch.run(["run", "001", "--yes"]).expect(0);
    let page = scratch.run(["show", "pull-request", "001"]);
    let short = "specify.1/review/spec-reviewer/1.1";
    let whole = format!("001/{short}");
    assert!(page.stdout.contains(short) && !page.stdout.contains(&whole), "{}", page.stdout);
    for word in [short, &whole] {
        assert_eq!(scratch.json(["show", "prompt", "--ticket", word])["ticket"], whole.as_str());
        assert_eq!(
            scratch.json(["show", "prompt", "export-orders", "--ticket", word])["ticket"],
            whole.as_str()
        );
        assert_eq!(scratch.json(["cost", "--why", word])["dispatch"]["ticket"], whole.as_str());
        assert_eq!(scratch.json(["cost", "001", "--why", word])["dispatch"]["ticket"], whole.as_str());
    }
    let wrong = scratch.run(["show", "prompt", "--ticket", "specify/review"]).expect(2);
    assert!(wrong.stderr.contains("`specify/review` is not a ticket"), "{}", wrong.stderr);
    let other = scratch.run(["show", "prompt", "001", "--ticket", "002/specify.1/draft/spec-author/1.1"]);
    assert!(other.expect(2).stderr.contains("is not about 001"));
}

#[test]
fn a_git_that_is_too_old_is_refused_before_anything_is_begun() {
    let scratch = Scratch::repository(PROGRAM);
    let folder = scratch.outside().join("old");
    fs::create_dir_all(&folder).unwrap();
    let program = "#!/bin/sh\ncase \"$*\" in *version) echo 'git version 2.20.1' ;; *) exit 1 ;; esac\n";
    fs::write(folder.join("git"), program).unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = scratch.redraft(["new", "Export orders"]);
    command.env("PATH", &folder);
    let ran = Ran::new(command.output().unwrap());
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("git 2.20.1 is too old; redraft needs git 2.38 or newer"), "{}", ran.stderr);
    assert!(!scratch.state().join("ledger.db").exists());
}

#[test]
fn hooks_that_do_not_run_and_submodules_that_stay_empty_are_told_when_a_feature_is_begun() {
    let scratch = Scratch::repository(PROGRAM);
    let quiet = scratch.run(["new", "Export orders", "--until", "specify"]).expect(0);
    assert!(!quiet.stderr.contains("hook") && !quiet.stderr.contains("submodule"), "{}", quiet.stderr);
    scratch.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    scratch.write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n");
    scratch.git(["add", ".gitmodules"]);
    scratch.git(["commit", "-q", "-m", "modules", "--no-verify"]);
    let told = scratch.run(["new", "Import orders", "--until", "specify"]).expect(0);
    assert!(
        told.stderr.contains("has a pre-commit hook; redraft's commits do not run hooks"),
        "{}",
        told.stderr
    );
    assert!(told.stderr.contains("setup = \"git submodule update --init --recursive\""), "{}", told.stderr);
    scratch.write("redraft.toml", "[workspace]\nsetup = \"true # git submodule\"\n");
    scratch.run(["trust", "--yes"]).expect(0);
    let handled = scratch.run(["new", "Show orders", "--until", "specify"]).expect(0);
    assert!(!handled.stderr.contains("empty in the new worktree"), "{}", handled.stderr);
}

/// A submodule with a relative address, in a repository without a remote, that is not filled yet: the hardest case.
#[test]
fn the_commands_that_are_told_fill_the_submodules_of_the_new_worktree() {
    let scratch = Scratch::repository(PROGRAM);
    let lib = scratch.root().join("lib.git");
    let path = lib.display().to_string();
    scratch.git(["init", "-q", &path]);
    scratch.write("lib.git/f", "x\n");
    scratch.git(["-C", &path, "add", "f"]);
    let me = ["-c", "user.name=ann", "-c", "user.email=ann@example.com"];
    scratch.git([&["-C", &path][..], &me, &["commit", "-q", "-m", "library"]].concat());
    scratch.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./lib.git", "lib"]);
    scratch.git(["commit", "-q", "-m", "a submodule"]);
    scratch.git(["submodule", "--quiet", "deinit", "-f", "lib"]);
    let told = scratch.run(["new", "Import orders", "--until", "specify"]).expect(0).stderr;
    let (_, commands) = told.split_once("first in your checkout: ").expect(&told);
    let (here, there) = commands.lines().next().unwrap().split_once(", then: ").expect(&told);
    assert!(!scratch.worktree("001").join("lib/f").exists());
    for command in [here, there] {
        let words = command.trim().split(' ').skip(1);
        scratch.git(["-c", "protocol.file.allow=always"].into_iter().chain(words).collect::<Vec<&str>>());
    }
    assert!(scratch.worktree("001").join("lib/f").is_file());
}

#[test]
fn what_is_decided_is_signed_with_gits_name_then_the_users_then_nobodys() {
    let signed = |name: Option<&str>, user: Option<&str>| {
        let scratch = Scratch::repository(PROGRAM);
        scratch.run(["new", "Export orders", "--until", "specify"]).expect(0);
        if let Some(name) = name {
            scratch.git(["config", "user.name", name]);
        } else {
            scratch.git(["config", "--unset", "user.name"]);
        }
        let mut command = scratch.redraft(["decide", "001", "abandon"]);
        command.env_remove("USER").env_remove("LOGNAME").env_remove("USERNAME");
        if let Some(user) = user {
            command.env("USER", user);
        }
        assert_eq!(Ran::new(command.output().unwrap()).code, Some(0));
        let events = events(&scratch);
        crate::world::bodies(&events, "cancelled").next().unwrap()["by"].as_str().unwrap().to_owned()
    };
    assert_eq!(signed(Some("Ann  Other"), Some("ann")), "Ann Other");
    assert_eq!(signed(Some("Ann Other"), None), "Ann Other");
    assert_eq!(signed(None, Some("ann")), "ann");
    assert_eq!(signed(None, None), "someone");
}
