//! Tests what is checked before a feature ends: what a merge would give, and whether documentation was considered.

use crate::finish::{CODE, IDEA, code, coded, configure, last, main_moves, untouched};
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;

fn question(scratch: &Scratch) -> Value {
    scratch.json(["status"])["features"][0]["question"].clone()
}

#[test]
fn a_check_that_fails_only_on_the_merge_is_asked_about_and_mended_on_the_base() {
    let scratch = coded("", "");
    main_moves(&scratch, "broken", "by somebody else\n");
    let main = untouched(&scratch);
    let asked = scratch.run(["finish"]).expect(6);
    let text = question(&scratch);
    assert!(text.as_str().unwrap().starts_with("sound fails on what would be merged: "), "{text}");
    assert!(asked.stdout.contains("next: redraft decide 001"), "{}", asked.stdout);
    assert_eq!(asked.stdout.matches("sound fails on what would be merged: ").count(), 1, "{}", asked.stdout);
    for twice in ["gate sound failed", "sound fails"] {
        assert!(!asked.stderr.contains(twice), "the result says it: {}", asked.stderr);
    }
    assert!(asked.stdout.contains("; choices: retry, accept, abandon\n"), "{}", asked.stdout);
    assert_eq!(untouched(&scratch), main);
    assert!(!scratch.worktree("001").join("broken").exists(), "the worktree is as it was");
    let told = events(&scratch);
    let failed = last(&told, "checked");
    assert_eq!(
        (&failed["gate"], &failed["passed"], &failed["code"]),
        (&json!("sound"), &json!(false), &json!(1))
    );
    assert_eq!(bodies(&told, "retro-written").count(), 0, "nothing is learnt from what does not work");
    scratch.run(["decide", "001", "retry"]).expect(0);
    scratch.run(["finish"]).expect(6);
    // Mended where it was broken; what would be merged has changed, and is checked again without a decision.
    scratch.git(["rm", "-q", "broken"]);
    scratch.git(["commit", "-q", "-m", "mended"]);
    scratch.run(["finish"]).expect(0);
    assert_eq!(bodies(&events(&scratch), "retro-written").count(), 1);
    scratch.run(["finish", "--merge"]).expect(0);
}

#[test]
fn a_person_may_accept_that_a_check_fails_on_the_merge() {
    let scratch = coded("", "");
    main_moves(&scratch, "broken", "by somebody else\n");
    scratch.run(["finish"]).expect(6);
    let unsaid = scratch.run(["decide", "001", "accept"]).expect(2);
    assert!(unsaid.stderr.contains("--why"), "{}", unsaid.stderr);
    scratch.run(["decide", "001", "accept", "--why", "it was broken before"]).expect(0);
    let ran = scratch.run(["finish"]).expect(0);
    assert!(ran.stdout.contains("feature 001 is accepted and ready to merge"), "{}", ran.stdout);
    let body = scratch.run(["show", "pull-request"]).expect(0).stdout;
    assert!(body.contains("it was broken before"), "{body}");
    assert!(body.contains("- sound: `test ! -e broken` failed"), "{body}");
}

#[test]
fn checks_run_on_the_merge_and_see_what_both_branches_hold() {
    let scratch = coded("", "");
    main_moves(&scratch, "of-main", "");
    let file = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    let both = format!("test -e of-main && test -e {CODE}/entry.sh && test ! -e README.bak");
    scratch.write_unaccepted("redraft.toml", &file.replace("test ! -e broken", &both));
    let refused = scratch.run(["finish"]).expect(6);
    assert!(refused.stderr.contains("redraft trust"), "{}", refused.stderr);
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["finish"]).expect(0);
    let told = events(&scratch);
    let sound = bodies(&told, "checked").filter(|body| body["gate"] == "sound").last().unwrap();
    assert_eq!((&sound["passed"], sound["command"].as_str()), (&json!(true), Some(both.as_str())));
    assert!(!scratch.worktree("001").join("of-main").exists());
}

#[test]
fn what_a_check_leaves_behind_is_not_part_of_the_next_one() {
    let scratch = coded("", "");
    main_moves(&scratch, "of-main", "");
    let file = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    let once = "test -e of-main && test ! -e left && touch left";
    scratch.write("redraft.toml", &file.replace("test ! -e broken", once));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["finish"]).expect(0);
    main_moves(&scratch, "more-of-main", "");
    scratch.run(["finish", "--merge"]).expect(0);
    assert!(!scratch.root().join("left").exists());
}

/// How `finish` ends, and what is stored of the gate, with this in `[finish]`.
fn docs_gate(config: &str, code: i32) -> (Scratch, Option<Value>) {
    let scratch = coded(config, "");
    scratch.run(["finish"]).expect(code);
    let told = events(&scratch);
    let gate = bodies(&told, "checked").filter(|body| body["gate"] == "docs").last().cloned();
    (scratch, gate)
}

#[test]
fn documentation_that_was_not_thought_of_is_told_asked_about_or_left_alone() {
    let (_, none) = docs_gate("[finish]\ndocs = \"off\"\n", 0);
    assert_eq!(none, None);
    let (scratch, told) = docs_gate("", 0);
    let told = told.unwrap();
    assert_eq!(told["passed"], true);
    assert!(told["evidence"].as_str().unwrap().contains("and no documentation"), "{told}");
    let log = scratch.run(["log"]).expect(0).stdout;
    assert!(log.contains("gate docs passed: 10 files changed and no documentation"), "{log}");
    let (scratch, asked) = docs_gate("[finish]\ndocs = \"require\"\n", 6);
    assert_eq!(asked.unwrap()["passed"], false);
    assert!(question(&scratch).as_str().unwrap().contains("docs fails on what would be merged"));
    scratch.run(["decide", "001", "accept", "--why", "nobody sees it"]).expect(0);
    scratch.run(["finish"]).expect(0);
}

#[test]
fn documentation_without_the_changelog_is_told_where_there_is_one() {
    for (changelog, ends) in [(true, 6), (false, 0)] {
        let scratch = Scratch::repository(PROGRAM);
        main_moves(&scratch, "tests/run.sh", "");
        if changelog {
            main_moves(&scratch, "CHANGELOG.md", "# Changes\n");
        }
        configure(&scratch, "[finish]\ndocs = \"require\"\n", "");
        scratch.run(["new", "--lane", "express", IDEA]).expect(0);
        code(&scratch, "001");
        let worktree = scratch.worktree("001");
        // Written with the code, and reviewed with it.
        scratch.run(["phase", "back", "001", "implement", "--why", "documentation"]).expect(0);
        fs::write(worktree.join("README.md"), "# a project\n\nIt exports.\n").unwrap();
        code(&scratch, "001");
        scratch.run(["finish"]).expect(ends);
        let told = events(&scratch);
        let evidence = bodies(&told, "checked").filter(|body| body["gate"] == "docs").last().unwrap();
        let missing = "documentation was changed, the changelog was not";
        assert_eq!(evidence["evidence"], if changelog { missing } else { "" });
    }
}

#[test]
fn what_came_from_the_base_is_not_counted_as_the_features_own() {
    let scratch = coded("[finish]\ndocs = \"require\"\n", "");
    main_moves(&scratch, "CHANGELOG.md", "# Changes\n\n- somebody else's\n");
    scratch.run(["phase", "back", "001", "implement", "--why", "on main as it is now"]).expect(0);
    scratch.git_in(&scratch.worktree("001"), ["merge", "-q", "--no-edit", "main"]);
    code(&scratch, "001");
    scratch.run(["finish"]).expect(6);
    let text = question(&scratch);
    assert!(text.as_str().unwrap().contains("10 files changed and no documentation"), "{text}");
    scratch.run(["decide", "001", "accept", "--why", "nobody sees it"]).expect(0);
    scratch.run(["finish"]).expect(0);
    let page = crate::finish::retro(&scratch, "001");
    assert!(page.contains("- changed: 10 files, "), "{page}");
}

#[test]
fn the_merge_is_laid_out_with_what_checks_need_and_put_away_after_it() {
    let scratch = Scratch::repository(PROGRAM);
    main_moves(&scratch, "tests/run.sh", "");
    main_moves(&scratch, ".gitignore", ".env\nprepared\n");
    scratch.write(".env", "A=1\n");
    let config = "[workspace]\ncopy = [\".env\"]\nsetup = \"echo once >> prepared\"\n";
    configure(&scratch, config, "");
    let file = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    let needs = "test -e .env && test $(wc -l < prepared) = 1";
    scratch.write("redraft.toml", &file.replace("test ! -e broken", needs));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    code(&scratch, "001");
    let worktrees = || scratch.git(["worktree", "list"]).lines().count();
    assert_eq!(worktrees(), 2);
    for moved in ["one", "two"] {
        main_moves(&scratch, moved, "");
        // The first time it is checked for the end, the second time before the merge.
        scratch.run(if moved == "one" { &["finish"][..] } else { &["finish", "--merge"] }).expect(0);
        assert_eq!(worktrees(), 2, "{moved}: git lists the user's checkout and the feature's");
        let name = scratch.worktree("001").file_name().unwrap().display().to_string();
        let folder = scratch.root().join(".redraft/worktrees").join(format!("check-{name}"));
        assert_eq!(folder.exists(), moved == "one", "{moved}: it stays until the merge");
    }
    let left = fs::read_dir(scratch.root().join(".redraft/worktrees")).unwrap().count();
    assert_eq!(left, 1, "only the feature's own");
}
