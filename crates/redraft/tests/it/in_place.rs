//! A feature that is worked on in the main checkout.

use crate::world::{PROGRAM, events};
use redraft_testkit::Scratch;

const MODE: &str = "[workspace]\nmode = \"in-place\"\n";

/// A repository that wants features in place.
fn repository() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("redraft.toml", MODE);
    scratch.git(["add", "redraft.toml"]);
    scratch.git(["commit", "-q", "-m", "configuration"]);
    scratch
}

fn branch(scratch: &Scratch) -> String {
    scratch.git(["symbolic-ref", "--short", "HEAD"])
}

#[test]
fn a_feature_in_place_is_drafted_and_approved_on_its_branch_in_the_main_checkout() {
    let scratch = repository();
    let main = scratch.git(["rev-parse", "main"]);
    let shown = scratch.json(["new", "--until", "specify", "export the report as CSV"]);
    let root = std::fs::canonicalize(scratch.root()).unwrap();
    assert_eq!(shown["worktree"].as_str(), root.to_str());
    assert_eq!(branch(&scratch), "feature/001-export-the-report-as-csv");
    scratch.run(["run"]).expect(0);
    assert!(scratch.root().join("docs/features/001-export-the-report-as-csv/spec.md").is_file());
    assert!(!scratch.root().join(".redraft/worktrees").exists());
    assert_eq!(scratch.git(["status", "--porcelain"]), "");
    assert_eq!(scratch.git(["rev-parse", "main"]), main, "the branch it began from has not moved");
    let subject = scratch.git(["log", "-1", "--format=%s"]);
    assert_eq!(subject, "redraft: specify approved");
    assert_eq!(events(&scratch)[0]["body"]["in_place"], true);
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}

#[test]
fn a_checkout_with_changes_is_left_as_it_is() {
    let scratch = repository();
    scratch.write("mine.txt", "not committed");
    let refused = scratch.run(["new", "--until", "specify", "an idea"]).expect(2);
    assert!(refused.stderr.contains("has uncommitted changes"), "{}", refused.stderr);
    assert_eq!(branch(&scratch), "main");
    assert_eq!(scratch.git(["branch", "--list", "feature/*"]), "");
    std::fs::remove_file(scratch.root().join("mine.txt")).unwrap();
    scratch.run(["new", "--until", "specify", "an idea"]).expect(0);
    scratch.git(["switch", "-q", "main"]);
    scratch.write("README.md", "changed\n");
    let refused = scratch.run(["run", "001"]).expect(2);
    assert!(refused.stderr.contains("has uncommitted changes"), "{}", refused.stderr);
    assert_eq!(branch(&scratch), "main");
    assert_eq!(std::fs::read_to_string(scratch.root().join("README.md")).unwrap(), "changed\n");
    scratch.git(["restore", "README.md"]);
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(branch(&scratch), "feature/001-an-idea");
}

#[test]
fn two_features_take_turns_in_the_main_checkout() {
    let scratch = repository();
    scratch.run(["new", "--until", "specify", "first idea"]).expect(0);
    let refused = scratch.run(["new", "--until", "specify", "second idea"]).expect(2);
    assert!(refused.stderr.contains("feature 001 is in place in "), "{}", refused.stderr);
    assert!(refused.stderr.contains("git switch main"), "{}", refused.stderr);
    scratch.git(["switch", "-q", "main"]);
    scratch.run(["new", "--until", "specify", "second idea"]).expect(0);
    assert_eq!(branch(&scratch), "feature/002-second-idea");
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(branch(&scratch), "feature/001-first-idea");
    assert!(!scratch.root().join("docs/features/002-second-idea").exists());
    scratch.run(["run", "002"]).expect(0);
    assert!(scratch.root().join("docs/features/002-second-idea/spec.md").is_file());
}

#[test]
fn a_second_run_in_the_main_checkout_is_refused_while_it_is_held() {
    let scratch = repository();
    scratch.run(["new", "--until", "specify", "first idea"]).expect(0);
    let lock = scratch.state().join("locks/in-place");
    let held = std::fs::File::options().write(true).create(true).truncate(false).open(lock).unwrap();
    held.lock().unwrap();
    scratch.run(["run", "001"]).expect(7);
    held.unlock().unwrap();
    scratch.run(["run", "001"]).expect(0);
}

#[test]
fn projections_of_a_feature_in_place_are_rebuilt_only_on_its_branch() {
    let scratch = repository();
    scratch.run(["new", "--until", "specify", "first idea"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    let meta = scratch.root().join("docs/features/001-first-idea/.meta.json");
    let text = std::fs::read_to_string(&meta).unwrap();
    scratch.git(["switch", "-q", "main"]);
    scratch.run(["status", "--rebuild"]).expect(0);
    assert!(!meta.exists(), "the branch of the user is not written to");
    scratch.git(["switch", "-q", "feature/001-first-idea"]);
    std::fs::remove_file(&meta).unwrap();
    scratch.run(["status", "--rebuild"]).expect(0);
    assert_eq!(std::fs::read_to_string(&meta).unwrap(), text);
}

#[test]
fn an_agents_changes_in_the_main_checkout_are_undone_and_a_persons_edit_is_taken_in() {
    let scratch = repository();
    scratch.write(
        "scenario.toml",
        "[[rule]]\nticket = \"*/review/spec-reviewer/1.*\"\ndo = \"edit\"\npath = \"README.md\"\ntext = \"gone\"\n",
    );
    scratch.write(
        "redraft.toml",
        &format!("{MODE}[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n"),
    );
    scratch.git(["add", "."]);
    scratch.git(["commit", "-q", "-m", "a scenario"]);
    scratch.run(["new", "--until", "specify", "first idea"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(std::fs::read_to_string(scratch.root().join("README.md")).unwrap(), "# a project\n");
    assert!(!scratch.git(["for-each-ref", "refs/redraft/lost"]).is_empty());
}
