//! Tests projects: numbers, roadmaps, and what their features are told about them.

use crate::documents::CLEAN;
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::{Ran, Scratch};
use std::fs;

const GOALS: &str = "# PRD: Gateway\n\n## Goals\n\n- One customer cannot slow down the others.\n";

fn repository() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["project", "new", "Gateway"]).expect(0);
    scratch.write("docs/projects/P001-gateway/prd.md", GOALS);
    scratch
}

#[test]
fn a_project_is_a_folder_with_a_prd_and_a_roadmap_under_a_number_of_its_own() {
    let scratch = Scratch::repository(PROGRAM);
    let none = scratch.json(["project"]);
    assert_eq!(
        (&none["projects"], &none["next"]),
        (&serde_json::json!([]), &"redraft project new \"its name\"".into())
    );
    let begun = scratch.json(["project", "new", "Gateway for all"]);
    assert_eq!(
        (&begun["project"], &begun["folder"]),
        (&"P001".into(), &"docs/projects/P001-gateway-for-all".into())
    );
    fs::write(scratch.outside().join("prd.md"), GOALS).unwrap();
    scratch.run(["project", "new", "Second", "--prd", "../prd.md"]).expect(0);
    assert_eq!(fs::read_to_string(scratch.root().join("docs/projects/P002-second/prd.md")).unwrap(), GOALS);
    scratch.run(["project", "new", " "]).expect(2);
    scratch.run(["project", "new", "Third", "--prd", "nowhere.md"]).expect(2);
    // A number on another branch is taken, although its folder is not here.
    scratch.git(["switch", "-q", "-c", "other"]);
    scratch.run(["project", "new", "Elsewhere"]).expect(0);
    scratch.git(["add", "docs/projects/P003-elsewhere"]);
    scratch.git(["commit", "-q", "-m", "a project"]);
    scratch.git(["switch", "-q", "main"]);
    assert_eq!(scratch.json(["project", "new", "Fourth"])["project"], "P004");
}

#[test]
fn projects_begun_at_the_same_time_get_numbers_of_their_own() {
    let scratch = Scratch::repository(PROGRAM);
    let begun: Vec<_> = (0..4)
        .map(|n| {
            let mut command =
                scratch.redraft(["project".to_owned(), "new".to_owned(), format!("Project {n}")]);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in begun {
        Ran::new(child.wait_with_output().unwrap()).expect(0);
    }
    assert_eq!(fs::read_dir(scratch.root().join("docs/projects")).unwrap().count(), 4);
}

#[test]
fn a_feature_is_given_to_a_project_that_is_there_and_depends_on_features_that_are() {
    let scratch = repository();
    let unknown = scratch.run(["new", "an idea", "--project", "P009"]).expect(2);
    assert!(
        unknown.stderr.contains("there is no project `P009`") && unknown.stderr.contains("P001-gateway"),
        "{}",
        unknown.stderr
    );
    let unknown = scratch.run(["new", "an idea", "--depends-on", "007"]).expect(2);
    assert!(unknown.stderr.contains("there is no feature `007`"), "{}", unknown.stderr);
    assert!(
        !scratch.root().join(".redraft/worktrees").exists()
            || fs::read_dir(scratch.root().join(".redraft/worktrees")).unwrap().count() == 0
    );
    scratch.run(["new", "Keys for all", "--until", "specify", "--project", "P001-gateway"]).expect(0);
    scratch.write("docs/features/000-never/spec.md", CLEAN);
    scratch
        .run([
            "new",
            "Limits",
            "--until",
            "specify",
            "--project",
            "P001",
            "--depends-on",
            "1",
            "--depends-on",
            "001-keys-for-all",
        ])
        .expect(0);
    let events = events(&scratch);
    let created: Vec<_> =
        bodies(&events, "feature-created").map(|body| (&body["project"], &body["depends_on"])).collect();
    let project = serde_json::json!("P001");
    assert_eq!(
        created,
        [(&project, &serde_json::json!([])), (&project, &serde_json::json!(["001-keys-for-all"]))]
    );
    fs::create_dir_all(scratch.root().join("docs/projects/P001-again")).unwrap();
    let several = scratch.run(["new", "an idea", "--project", "P001"]).expect(3);
    assert!(several.stderr.contains("rename all but one of P001-again, P001-gateway"), "{}", several.stderr);
    scratch.run(["run", "002"]).expect(3);
}

#[test]
fn sc7_the_roles_of_a_feature_are_told_what_the_project_wants_and_what_comes_before() {
    let scratch = repository();
    scratch.run(["new", "Keys", "--until", "specify", "--project", "P001"]).expect(0);
    scratch
        .run(["new", "Limits", "--until", "specify", "--project", "P001", "--depends-on", "001"])
        .expect(0);
    scratch.write(
        "docs/projects/P001-gateway/roadmap.md",
        "# Roadmap\n\n## M1: Foundations\n\n- 001-keys\n- 002-limits\n- 009-later\n\n## M2: Comfort\n",
    );
    scratch.run(["run", "002", "--policy", "fresh", "--unblock", "its keys are made up for now"]).expect(0);
    for role in ["spec-author", "spec-reviewer", "phase-reviewer"] {
        let prompt = scratch.run(["show", "prompt", "002", "--role", role, "--strategy", "lazy"]).expect(0);
        let block = "**Project:** Gateway | **This feature:** 002-limits\n**Project goals:**\n- One customer cannot slow down the others.\n**Feature dependencies:** planned: 001-keys\n**Priority signal:** M1: Foundations (milestone 1 of 2)\n";
        assert!(prompt.stdout.contains(block), "{role}: {}", prompt.stdout);
    }
    scratch.run(["show", "prompt", "002", "--verify"]).expect(0);
    let listed = scratch.run(["project"]).expect(0).stdout;
    let expected = "P001  docs/projects/P001-gateway\n  M1: Foundations\n    001-keys  planned\n    002-limits  completed\n    009-later  not begun\n  M2: Comfort\n";
    assert!(listed.starts_with(expected), "{listed}");
}

#[test]
fn ac10_a_feature_without_a_project_is_told_nothing_about_one_and_a_lost_project_is_a_note() {
    let scratch = repository();
    scratch.run(["new", "Keys", "--until", "specify"]).expect(0);
    let ran = scratch.run(["run", "001"]).expect(0);
    assert!(!ran.stderr.contains("project"), "{}", ran.stderr);
    assert!(
        !scratch
            .run(["show", "prompt", "001", "--role", "spec-author"])
            .expect(0)
            .stdout
            .contains("Project Context")
    );
    scratch.run(["new", "Limits", "--until", "specify", "--project", "P001"]).expect(0);
    fs::remove_dir_all(scratch.root().join("docs/projects")).unwrap();
    let ran = scratch.run(["run", "002"]).expect(0);
    assert!(ran.stderr.contains("note: project P001 is not found"), "{}", ran.stderr);
    // It keeps its number.
    assert_eq!(scratch.json(["project", "new", "Another"])["project"], "P002");
}
