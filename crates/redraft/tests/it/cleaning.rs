//! Tests that `clean` and `uninstall` take away what is over, list it first, and never lose work by themselves.

use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, events};
use redraft_testkit::Scratch;
use std::fs;

/// Feature 001 is merged, 002 abandoned with work that is merged nowhere, 003 planned.
fn three() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Export orders", "--until", "specify"]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(0);
    scratch.git(["merge", "-q", "--no-ff", "-m", "merge it", "feature/001-export-orders"]);
    scratch.run(["new", "Show weather", "--until", "specify"]).expect(0);
    scratch.run(["run", "002", "--yes", "--now"]).expect(0);
    let folder = scratch.worktree("002");
    scratch.git(["-C", folder.to_str().unwrap(), "commit", "-q", "--allow-empty", "-m", "mine"]);
    scratch.run(["new", "Print labels", "--until", "specify"]).expect(0);
    scratch
}

fn branches(scratch: &Scratch) -> String {
    scratch.git(["for-each-ref", "--format=%(refname:short)", "refs/heads/feature"])
}

#[test]
fn what_merged_features_left_is_listed_and_goes_only_after_a_yes() {
    let scratch = three();
    let before = (branches(&scratch), events(&scratch).len());
    let folder = scratch.worktree("001");
    let listed = scratch.run(["clean"]).expect(0);
    for part in [
        "001-export-orders  merged\n",
        "    worktree .redraft/worktrees/001-export-orders, ",
        "    branch feature/001-export-orders, ",
        "    revisions refs/redraft/anchors/001, ",
        "nothing was removed; ",
        "next: redraft clean --yes",
    ] {
        assert!(listed.stdout.contains(part), "{part}: {}", listed.stdout);
    }
    assert!(!listed.stdout.contains("002") && !listed.stdout.contains("003"), "{}", listed.stdout);
    scratch.run(["clean", "--dry-run"]).expect(0);
    // Enter means no.
    let asked = on_a_terminal(&scratch, &["clean"], "\n", 0);
    assert!(asked.contains("Remove what 1 feature left?"), "{asked}");
    assert_eq!((branches(&scratch), events(&scratch).len()), before);
    assert!(folder.is_dir());

    let done = scratch.json(["clean", "--yes"]);
    assert_eq!(done["dry_run"], false);
    assert!(done["features"][0]["items"].as_array().unwrap().iter().all(|item| item["state"] == "removed"));
    assert!(!folder.exists() && !branches(&scratch).contains("001"));
    assert_eq!(scratch.git(["for-each-ref", "refs/redraft/anchors/001"]), "");
    assert!(scratch.worktree("003").is_dir(), "what goes on is left alone");
    // The history is there, and nothing brings the worktree back.
    assert_eq!(events(&scratch).len(), before.1);
    scratch.run(["status", "001"]).expect(0);
    scratch.run(["log", "001"]).expect(0);
    scratch.run(["cost", "001", "--all"]).expect(0);
    let report = scratch.run(["report", "001"]).expect(0);
    assert!(report.stderr.contains("feature 001 was cleaned"), "{}", report.stderr);
    for words in [&["run", "001"][..], &["show", "prompt", "001", "--verify"]] {
        let ran = scratch.run(words).expect(2);
        assert!(ran.stderr.contains("`redraft clean` has removed its worktree"), "{}", ran.stderr);
    }
    assert!(!folder.exists());
    assert!(scratch.run(["clean"]).expect(0).stdout.starts_with("there is nothing to clean"));
}

#[test]
fn work_that_is_merged_nowhere_goes_only_with_lost() {
    let scratch = three();
    let open = scratch.run(["clean", "003"]).expect(2);
    assert!(open.stderr.contains("redraft decide 003 abandon"), "{}", open.stderr);
    let finished = scratch.run(["clean", "show-weather"]).expect(2);
    assert!(finished.stderr.contains("finished, but merged nowhere"), "{}", finished.stderr);
    scratch.run(["decide", "003", "abandon"]).expect(0);
    let folder = scratch.worktree("003");
    fs::write(folder.join("mine.txt"), "not committed").unwrap();
    scratch.git(["update-ref", "refs/redraft/lost/003/x", "HEAD"]);
    let kept = scratch.run(["clean", "003", "--yes"]).expect(0).stdout;
    assert!(kept.contains("1 file in it that no commit has (mine.txt); --lost removes it too"), "{kept}");
    assert!(kept.contains("keeps branch feature/003-print-labels") && kept.contains("keeps lost "), "{kept}");
    assert!(folder.join("mine.txt").exists());
    let gone = scratch.run(["clean", "003", "--lost", "--yes"]).expect(0).stdout;
    assert!(!gone.contains("    keeps") && !folder.exists(), "{gone}");
    assert_eq!(scratch.git(["for-each-ref", "refs/redraft/lost"]), "");
    assert!(branches(&scratch).contains("002"));
    let folder = scratch.worktree("002");
    scratch.run(["clean", "002", "--lost", "--yes"]).expect(0);
    assert!(!branches(&scratch).contains("002") && !folder.exists());
}

#[test]
fn a_worktree_in_use_and_a_branch_that_is_checked_out_elsewhere_stay() {
    let scratch = three();
    let folder = scratch.worktree("001");
    let inside = scratch.run(["-C", folder.to_str().unwrap(), "clean", "--yes"]).expect(0).stdout;
    assert!(inside.contains("you are in it; cd ") && inside.contains("its worktree stays"), "{inside}");
    let mut shell = scratch.command("sleep");
    let mut shell = shell.arg("60").current_dir(&folder).spawn().unwrap();
    let used = scratch.run(["clean", "--yes"]).expect(0).stdout;
    shell.kill().unwrap();
    shell.wait().unwrap();
    assert!(used.contains(&format!("sleep, process {} works in it", shell.id())), "{used}");
    assert!(folder.is_dir() && branches(&scratch).contains("001"));
    // As a kill in the middle leaves it: put aside, some files gone.
    let aside = folder.with_file_name("removed-001-export-orders");
    fs::rename(&folder, &aside).unwrap();
    fs::remove_dir_all(aside.join("docs")).unwrap();
    scratch.git(["worktree", "prune"]);
    scratch.git(["switch", "-q", "feature/001-export-orders"]);
    let again = scratch.run(["clean", "--yes"]).expect(0).stdout;
    assert!(again.contains("removed worktree .redraft/worktrees/001-export-orders"), "{again}");
    assert!(again.contains("it is checked out in "), "{again}");
    assert!(!aside.exists());
}

#[test]
fn after_uninstall_the_repository_is_as_if_it_had_never_been_there() {
    let scratch = three();
    scratch.write("redraft.toml", "[limits]\nrounds = 4\n");
    let listed = scratch.run(["uninstall"]).expect(0).stdout;
    assert!(listed.contains("nothing was removed") && scratch.state().is_dir(), "{listed}");
    assert!(listed.contains("the history of all features") && listed.contains("redraft ledger export FILE"));
    let asked = on_a_terminal(&scratch, &["uninstall"], "\n", 0);
    assert!(asked.contains("Take all of this out of the repository?") && scratch.state().is_dir(), "{asked}");
    let gone = scratch.run(["uninstall", "--yes"]).expect(0).stdout;
    assert!(gone.contains("stays: redraft.toml") && gone.contains("stays: docs/features"), "{gone}");
    assert!(!scratch.state().exists() && !scratch.root().join(".redraft").exists(), "{gone}");
    assert_eq!(scratch.git(["for-each-ref", "refs/redraft"]), "");
    assert_eq!(branches(&scratch).trim(), "feature/002-show-weather", "only what is merged nowhere");
    let exclude = fs::read_to_string(scratch.root().join(".git/info/exclude")).unwrap_or_default();
    assert!(!exclude.contains("redraft"), "{exclude}");
    assert_eq!(scratch.git(["worktree", "list"]).lines().count(), 1);
    assert!(scratch.root().join("redraft.toml").exists());
    assert!(scratch.run(["status"]).expect(0).stdout.starts_with("no features yet"));
    let nothing = scratch.run(["uninstall", "--yes"]).expect(0).stdout;
    assert!(nothing.ends_with("\nthere is nothing more to remove here; what is listed stays\n"), "{nothing}");
    assert!(!scratch.state().exists());
    scratch.run(["new", "Begin again", "--until", "specify"]).expect(0);
}

#[test]
fn a_state_that_was_removed_by_hand_is_no_dead_end() {
    let scratch = three();
    fs::remove_dir_all(scratch.state()).unwrap();
    fs::remove_dir_all(scratch.root().join(".redraft")).unwrap();
    let stuck = scratch.run(["status"]).expect(3);
    assert!(stuck.stderr.contains("redraft uninstall --yes"), "{}", stuck.stderr);
    scratch.run(["uninstall", "--yes"]).expect(0);
    assert_eq!(scratch.git(["worktree", "list"]).lines().count(), 1);
    assert_eq!(branches(&scratch).trim(), "feature/002-show-weather");
    scratch.run(["status"]).expect(0);
    scratch.run(["new", "Begin again", "--until", "specify"]).expect(0);
}

#[test]
fn a_run_under_way_is_left_alone() {
    let scratch = three();
    let held = fs::File::options().write(true).open(scratch.state().join("locks/001")).unwrap();
    held.lock().unwrap();
    fs::write(
        scratch.state().join("locks/001"),
        format!(r#"{{"pid":{},"user":"ann","since_ms":0,"command":"redraft run 001"}}"#, std::process::id()),
    )
    .unwrap();
    let clean = scratch.run(["clean", "--yes"]).expect(0).stdout;
    assert!(clean.contains("feature 001 is held by") && scratch.worktree("001").is_dir(), "{clean}");
    let uninstall = scratch.run(["uninstall", "--yes"]).expect(7);
    assert!(uninstall.stderr.contains("feature 001 is held by"), "{}", uninstall.stderr);
    assert!(scratch.worktree("001").is_dir() && scratch.state().join("ledger.db").exists());
}
