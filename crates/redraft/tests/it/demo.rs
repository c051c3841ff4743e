//! `redraft demo`: from an idea to an approved task list, told as a story, and the same after any interruption.

use crate::plays::SWITCH;
use crate::world::PROGRAM;
use redraft_core::phase::Phase;
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::path::Path;

/// The documents of the one feature a demo makes, in the order of the phases.
fn documents(kept: &Path) -> Vec<String> {
    let only = |folder: &Path| fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let worktree = only(&kept.join(".redraft/worktrees"));
    let folder = only(&worktree.join("docs/features"));
    Phase::ALL.into_iter().map(|phase| fs::read_to_string(folder.join(phase.artifact())).unwrap()).collect()
}

#[test]
fn the_story_has_every_phase_with_what_was_rejected_and_why() {
    let scratch = Scratch::empty(PROGRAM);
    let ran = scratch.run(["demo"]).expect(0);
    let mut phases: Vec<&str> = Vec::new();
    for phase in Phase::ALL {
        let (_, rest) = ran.stderr.split_once(&format!("\n{phase}: ")).unwrap();
        phases.push(rest.split("\n\n").next().unwrap());
    }
    let told = |words: &str| phases.iter().filter(|phase| phase.contains(words)).count();
    assert_eq!(told(" rejected: "), 4, "{}", ran.stderr);
    assert_eq!(told(" approved, resumed: it was sent only what changed"), 4, "{}", ran.stderr);
    assert_eq!(told(" is approved by "), 4, "{}", ran.stderr);
    for why in
        ["no element of the design carries requirement `", "which stands after it", "has no done criterion"]
    {
        assert!(ran.stderr.contains(why), "{why} in {}", ran.stderr);
    }
    assert!(ran.stdout.contains("feature 001 is approved\n"), "{}", ran.stdout);
}

#[test]
fn any_idea_ends_in_an_approved_task_list() {
    for idea in
        ["Show the weather on the start page", "x", "日本語の検索を追加する", "Cache results for 10 seconds"]
    {
        let scratch = Scratch::empty(PROGRAM);
        scratch.run(["demo", idea, "--keep", "kept"]).expect(0);
        let documents = documents(&scratch.root().join("kept"));
        assert!(documents[3].contains("### Task 2.1: "), "{idea}: {}", documents[3]);
    }
}

#[test]
fn a_demo_that_was_interrupted_before_its_feature_was_begun_goes_on_and_others_files_are_left_alone() {
    let scratch = Scratch::empty(PROGRAM);
    // In the middle of its files, and right before the feature is stored.
    scratch.write("early/README.md", "# A small web");
    let mut late = scratch.redraft(["demo", "--keep", "late"]);
    let ran = Ran::of(late.env(SWITCH, "1").output().unwrap());
    assert!(ran.code.is_none() && scratch.root().join("late/.git").exists(), "{}", ran.stderr);
    for kept in ["early", "late"] {
        scratch.run(["demo", "--keep", kept]).expect(0);
        assert_eq!(documents(&scratch.root().join(kept)).len(), 4);
        // Run once more, it shows what was done and does nothing again.
        let branch =
            ["-C", kept, "rev-parse", "refs/heads/feature/001-let-people-reset-a-forgotten-password"];
        let before = scratch.git(branch);
        scratch.run(["demo", "--keep", kept]).expect(0);
        assert_eq!(scratch.git(branch), before);
    }
    scratch.write("mine/README.md", "# Mine\n");
    let refused = scratch.run(["demo", "--keep", "mine"]).expect(2);
    assert!(refused.stderr.contains("there is README.md, which no demo has made"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(scratch.root().join("mine/README.md")).unwrap(), "# Mine\n");
}

#[test]
fn a_demo_that_is_killed_and_run_again_writes_the_same_documents() {
    let whole = Scratch::empty(PROGRAM);
    whole.run(["demo", "--keep", "kept"]).expect(0);
    let expected = documents(&whole.root().join("kept"));
    // From the middle of the first phase to the last turn of the last one.
    for boundary in [8, 47, 83, 121, 155] {
        let scratch = Scratch::empty(PROGRAM);
        let mut demo = scratch.redraft(["demo", "--keep", "kept"]);
        let ran = Ran::of(demo.env(SWITCH, boundary.to_string()).output().unwrap());
        assert_eq!(ran.code, None, "boundary {boundary} is passed: {}", ran.stderr);
        scratch.run(["demo", "--keep", "kept"]).expect(0);
        assert_eq!(documents(&scratch.root().join("kept")), expected, "killed at boundary {boundary}");
    }
}
