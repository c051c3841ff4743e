//! Merging a feature: what is in the way stops it with nothing changed, and what was merged is merged once.

use crate::finish::{CODE, coded, last, main_moves, untouched};
use crate::world::{bodies, events};
use redraft_testkit::Scratch;
use serde_json::json;
use std::fs;

fn parents(scratch: &Scratch) -> usize {
    scratch.git(["rev-list", "--parents", "-n1", "main"]).split(' ').count() - 1
}

#[test]
fn a_feature_is_merged_in_the_checkout_of_its_base_and_only_once() {
    let scratch = coded("", "");
    scratch.write("mine.txt", "not tracked\n");
    let ran = scratch.run(["finish", "--merge"]).expect(0);
    assert!(ran.stdout.contains("feature 001 is approved and merged"), "{}", ran.stdout);
    assert!(scratch.root().join(CODE).join("entry.sh").is_file(), "the checkout has moved with its branch");
    assert_eq!(scratch.git(["status", "--porcelain", "--untracked-files=no"]), "");
    assert_eq!(fs::read_to_string(scratch.root().join("mine.txt")).unwrap(), "not tracked\n");
    assert_eq!(parents(&scratch), 2);
    let told = events(&scratch);
    let merged = last(&told, "merged");
    assert_eq!((&merged["into"], &merged["history"]), (&json!("main"), &json!("keep")));
    let message = scratch.git(["log", "-1", "--format=%B", "main"]);
    assert!(message.starts_with("Merge feature 001-"), "{message}");
    assert!(message.contains("Redraft-Ticket: 001/merge\n"), "{message}");
    let before = untouched(&scratch);
    let again = scratch.run(["finish", "--merge"]).expect(0);
    assert!(again.stderr.contains("it was merged before, into main: "), "{}", again.stderr);
    scratch.run(["run", "001", "--merge", "--yes"]).expect(0);
    let back = scratch.run(["phase", "back", "001", "implement", "--why", "x"]).expect(2);
    assert!(back.stderr.contains("feature 001 is merged into main"), "{}", back.stderr);
    assert_eq!(untouched(&scratch), before);
    assert_eq!(bodies(&events(&scratch), "merged").count(), 1);
    let row = &scratch.json(["status"])["features"][0];
    assert_eq!(
        (&row["merged"], &row["ready"], &row["life"]),
        (&json!(true), &json!(false), &json!("completed"))
    );
}

#[test]
fn a_squashed_feature_is_one_commit_with_everything_in_it() {
    let scratch = coded("[finish]\nhistory = \"squash\"\n", "");
    main_moves(&scratch, "of-main", "");
    scratch.run(["finish", "--merge"]).expect(0);
    assert_eq!(parents(&scratch), 1);
    assert_eq!(scratch.git(["rev-list", "--count", "main"]), "4", "three of main's own, and the feature");
    assert!(scratch.root().join("of-main").is_file() && scratch.root().join(CODE).join("entry.sh").is_file());
    assert_eq!(last(&events(&scratch), "merged")["history"], "squash");
    let before = untouched(&scratch);
    scratch.run(["finish", "--merge"]).expect(0);
    assert_eq!(untouched(&scratch), before);
}

#[test]
fn uncommitted_changes_in_the_checkout_of_the_base_stop_the_merge_with_nothing_lost() {
    let scratch = coded("", "");
    for staged in [false, true] {
        scratch.write("README.md", "mine\n");
        if staged {
            scratch.git(["add", "README.md"]);
        }
        let before = untouched(&scratch);
        let refused = scratch.run(["finish", "--merge"]).expect(6);
        for part in ["main is checked out in ", "README.md is uncommitted", " stash", "nothing was changed"] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
        let after = untouched(&scratch);
        let of_main = |text: &str| text.lines().filter(|line| !line.contains("feature/")).count();
        assert_eq!(of_main(&after), of_main(&before));
        assert_eq!(fs::read_to_string(scratch.root().join("README.md")).unwrap(), "mine\n");
    }
    assert_eq!(bodies(&events(&scratch), "merged").count(), 0);
    scratch.git(["stash", "-q"]);
    scratch.run(["finish", "--merge"]).expect(0);
    scratch.git(["stash", "pop", "-q"]);
    assert_eq!(fs::read_to_string(scratch.root().join("README.md")).unwrap(), "mine\n");
}

#[test]
fn an_untracked_file_in_the_way_of_the_merge_is_not_overwritten() {
    let scratch = coded("", "");
    let path = format!("{CODE}/entry.sh");
    scratch.write(&path, "mine\n");
    let main = scratch.git(["rev-parse", "main"]);
    let refused = scratch.run(["finish", "--merge"]).expect(6);
    assert!(refused.stderr.contains("entry.sh"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(scratch.root().join(&path)).unwrap(), "mine\n");
    assert_eq!(scratch.git(["rev-parse", "main"]), main);
    fs::remove_file(scratch.root().join(&path)).unwrap();
    scratch.run(["finish", "--merge"]).expect(0);
}

#[test]
fn a_conflict_names_the_files_and_the_commands_and_changes_nothing() {
    let scratch = coded("", "");
    let path = format!("{CODE}/entry.sh");
    main_moves(&scratch, &path, "somebody else's\n");
    let before = (untouched(&scratch), events(&scratch).len());
    for words in [&["finish"][..], &["finish", "--merge"], &["run", "001", "--yes"]] {
        let refused = scratch.run(words).expect(6);
        for part in [&path, "cannot be merged into main", "redraft phase back 001 implement", "merge main"] {
            assert!(refused.stderr.contains(part), "{words:?}: {part}: {}", refused.stderr);
        }
    }
    assert_eq!((untouched(&scratch), events(&scratch).len()), before);
    assert_eq!(scratch.git_in(&scratch.worktree("001"), ["status", "--porcelain"]), "");
    // The way out that is named: the base is brought in, and what came of it is reviewed.
    scratch.run(["phase", "back", "001", "implement", "--why", "a conflict"]).expect(0);
    let worktree = scratch.worktree("001");
    let mut merge = scratch.command("git");
    let done = merge.current_dir(&worktree).args(["merge", "-q", "-X", "ours", "--no-edit", "main"]).output();
    assert!(done.unwrap().status.success());
    scratch.run(["run", "001", "--yes"]).expect(0);
    scratch.run(["finish", "001", "--merge"]).expect(0);
    assert_eq!(bodies(&events(&scratch), "merged").count(), 1);
}

#[test]
fn a_base_that_moved_after_the_end_is_checked_again_before_the_merge() {
    let scratch = coded("", "");
    scratch.run(["finish"]).expect(0);
    main_moves(&scratch, "broken", "by somebody else\n");
    let before = untouched(&scratch);
    let refused = scratch.run(["finish", "--merge"]).expect(1);
    for part in ["has moved on", "`sound` fails on what would be merged now", "nothing was merged"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert_eq!(untouched(&scratch), before);
    scratch.git(["rm", "-q", "broken"]);
    scratch.git(["commit", "-q", "-m", "mended"]);
    main_moves(&scratch, "harmless", "");
    scratch.run(["finish", "--merge"]).expect(0);
    assert!(scratch.root().join("harmless").is_file() && scratch.root().join(CODE).is_dir());
}

#[test]
fn a_merge_runs_no_command_that_the_base_brought_and_nobody_has_accepted() {
    let scratch = coded("", "");
    scratch.run(["finish"]).expect(0);
    let (ran, toml) = (scratch.shared().join("ran"), scratch.root().join("redraft.toml"));
    let toml = std::fs::read_to_string(toml).unwrap();
    let other = format!("[checks]\nother = \"touch '{}'\"\n", ran.display());
    main_moves(&scratch, "redraft.toml", &(toml.replacen("[checks]\n", &other, 1) + &scratch.opened()));
    let refused = scratch.run(["finish", "--merge"]).expect(6);
    assert!(refused.stderr.contains("that nobody has accepted yet"), "{}", refused.stderr);
    assert!(!ran.exists(), "it was run");
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["finish", "--merge"]).expect(0);
    assert!(ran.exists(), "once it is accepted");
}

#[test]
fn a_base_that_is_gone_is_told_and_found_again() {
    let scratch = coded("", "");
    scratch.git(["switch", "-q", "-c", "trunk"]);
    scratch.git(["branch", "-q", "-D", "main"]);
    let refused = scratch.run(["finish"]).expect(3);
    assert!(refused.stderr.contains("branch main no longer exists"), "{}", refused.stderr);
    scratch.git(["branch", "-q", "main"]);
    scratch.run(["finish", "--merge"]).expect(0);
    assert_eq!(scratch.git(["rev-list", "--count", "trunk..main", "--merges"]), "1");
}
