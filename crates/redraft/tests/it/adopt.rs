//! Features that people and other tools have begun are distinguished, and taken over on request.

mod other_tools;

use crate::documents::{CLEAN, PRD};
use crate::plays::SWITCH;
use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;

const TASKS: &str = "# Tasks: report export\n\n- [ ] one\n- [ ] two\n";

/// A repository with features in several states, all of them committed.
fn repository() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("docs/features/001-report-export/prd.md", PRD);
    scratch.write("docs/features/001-report-export/spec.md", CLEAN);
    scratch.write("docs/features/002-old-reports/Specification.md", CLEAN);
    scratch.write(
        "docs/features/002-old-reports/.meta.json",
        "{\"id\": \"002\", \"status\": \"completed\", \"owner\": \"ann\"}",
    );
    scratch.write("docs/features/002-twice/requirements.md", CLEAN);
    scratch.write("docs/features/002-twice/assets/page.png", "no text");
    scratch.write("docs/features/2026-03-19-plain/prd.md", PRD);
    commit(&scratch);
    scratch
}

fn commit(scratch: &Scratch) {
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "-q", "-m", "documents"]);
}

fn feature<'a>(report: &'a Value, folder: &str) -> &'a Value {
    let features = report["features"].as_array().unwrap();
    features
        .iter()
        .find(|feature| feature["folder"] == folder)
        .unwrap_or_else(|| panic!("{folder}: {report:#}"))
}

fn ids(report: &Value) -> Vec<String> {
    let features = report["features"].as_array().unwrap().iter();
    features
        .map(|feature| format!("{} {}", feature["id"].as_str().unwrap(), feature["state"].as_str().unwrap()))
        .collect()
}

fn on_branch(scratch: &Scratch, branch: &str, path: &str) -> String {
    format!("{}\n", scratch.git(["show", &format!("feature/{branch}:docs/features/{branch}/{path}")]))
}

#[test]
fn a_dry_run_tells_what_was_understood_and_changes_nothing() {
    let scratch = repository();
    scratch.write("docs/features/loose.md", "# Loose\n");
    let report = scratch.json(["adopt", "--dry-run"]);
    assert_eq!((&report["v"], &report["dry_run"]), (&1.into(), &true.into()));
    assert_eq!(ids(&report), ["001 new", "002 new", "003 new", "004 new"]);
    let old = feature(&report, "docs/features/002-old-reports");
    assert_eq!((&old["slug"], &old["status"]), (&"old-reports".into(), &"completed".into()));
    assert_eq!(
        old["artifacts"][1],
        serde_json::json!({"file": "Specification.md", "kind": "spec", "how": "its name", "as": "spec.md"})
    );
    assert!(old["notes"][0].as_str().unwrap().contains("owner"), "{old:#}");
    let twice = feature(&report, "docs/features/002-twice");
    assert_eq!(
        twice["unknown"],
        serde_json::json!([{"file": "assets/page.png", "reason": "it is not a document"}])
    );
    assert!(twice["notes"][0].as_str().unwrap().starts_with("number 002 belongs to another"), "{twice:#}");
    assert_eq!(feature(&report, "docs/features/2026-03-19-plain")["status"], "planned");
    assert!(report["notes"][0].as_str().unwrap().contains("loose.md"), "{report:#}");
    assert_eq!(report["next"], "redraft adopt --yes");
    // Without a terminal there is nobody to ask, so nothing is done either.
    let talk = scratch.run(["adopt"]).expect(0);
    assert!(talk.stdout.contains("4 to adopt; nothing was changed"), "{}", talk.stdout);
    assert!(!scratch.state().join("ledger.db").exists());
    assert_eq!(scratch.git(["branch", "--list", "feature/*"]), "");
}

#[test]
fn adopted_features_are_on_the_board_under_their_numbers_and_go_on_from_where_they_stand() {
    let scratch = repository();
    let report = scratch.json(["adopt", "--yes"]);
    assert_eq!(ids(&report), ["001 adopted", "002 adopted", "003 adopted", "004 adopted"]);
    let board = scratch.json(["status"]);
    let row = |at: usize| {
        let row = &board["features"][at];
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        (text("id"), text("status"), text("phase"), text("next"))
    };
    assert_eq!(row(0), ("001".into(), "active".into(), "design".into(), "redraft run 001".into()));
    assert_eq!((row(1).1, board["features"][1]["life"].as_str()), ("accepted".into(), Some("completed")));
    assert_eq!((row(3).2, board["features"][3]["life"].as_str()), ("specify".into(), Some("planned")));
    assert_eq!(board["features"][0]["idea"], "Report export");
    // A feature that is over has no worktree until somebody goes back.
    assert!(scratch.worktree("001").is_dir());
    assert_eq!(scratch.git(["branch", "--list", "feature/002-old-reports"]), "");
    assert_eq!(on_branch(&scratch, "003-twice", "spec.md"), CLEAN);
    assert_eq!(scratch.git(["status", "--porcelain"]), "", "the checkout is as it was");
    // How far the design gets is up to its author.
    scratch.run(["run", "001", "--until", "design"]);
    let events = events(&scratch);
    let opened: Vec<&Value> = bodies(&events, "loop-opened").map(|body| &body["phase"]).collect();
    assert_eq!(opened, ["design"]);
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
    scratch.run(["phase", "back", "002", "specify", "--why", "it was wrong"]).expect(0);
    scratch.run(["run", "002", "--until", "specify"]).expect(0);
    let spec = on_branch(&scratch, "002-old-reports", "spec.md");
    assert!(
        spec.starts_with(CLEAN.trim_end()) && spec.contains("it was wrong"),
        "the reason is worked in: {spec}"
    );
}

#[test]
fn a_second_time_there_is_nothing_to_do() {
    let scratch = repository();
    scratch.run(["adopt", "--yes"]).expect(0);
    let before = events(&scratch).len();
    let heads = scratch.git(["for-each-ref", "refs/heads"]);
    let again = scratch.run(["adopt", "--yes"]).expect(0);
    assert!(again.stdout.contains("4 already in the ledger"), "{}", again.stdout);
    assert_eq!((events(&scratch).len(), scratch.git(["for-each-ref", "refs/heads"])), (before, heads));
    // A number is never given out twice.
    let new = scratch.json(["new", "--until", "specify", "another"]);
    assert_eq!(new["feature"], "005");
}

#[test]
fn a_crash_at_any_boundary_is_mended_by_the_same_command() {
    let whole = repository();
    whole.write("docs/features/001-report-export/tasks.md", TASKS);
    whole.run(["adopt", "--yes"]).expect(0);
    let expected = outcome(&whole);
    let mut deaths = 0;
    for boundary in 1..100 {
        let scratch = repository();
        scratch.write("docs/features/001-report-export/tasks.md", TASKS);
        let mut command = scratch.redraft(["adopt", "--yes"]);
        let ran = Ran::new(command.env(SWITCH, boundary.to_string()).output().unwrap());
        if ran.code == Some(0) {
            break;
        }
        deaths += 1;
        assert_eq!(ran.code, None, "{ran:?}");
        scratch.run(["adopt", "--yes"]).expect(0);
        assert_eq!(outcome(&scratch), expected, "boundary {boundary}");
    }
    assert!(deaths >= 8, "only {deaths} boundaries for four features");
}

/// What must be the same however often it was begun: the board without times, and what is on each branch.
fn outcome(scratch: &Scratch) -> (Vec<String>, Vec<String>) {
    let board = scratch.json(["status"]);
    let rows = board["features"].as_array().unwrap().iter();
    let rows = rows.map(|row| format!("{} {} {} {}", row["id"], row["slug"], row["status"], row["done"]));
    let branches = scratch.git(["for-each-ref", "--format=%(refname)", "refs/heads/feature"]);
    let trees = branches.lines().map(|branch| {
        let count = scratch.git(["rev-list", "--count", &format!("main..{branch}")]);
        format!("{branch} {count} {}", scratch.git(["rev-parse", &format!("{branch}^{{tree}}")]))
    });
    (rows.collect(), trees.collect())
}

#[test]
fn what_is_not_committed_is_taken_as_it_stands_in_the_checkout() {
    let scratch = repository();
    let edited = CLEAN.replace("10 seconds", "5 seconds");
    scratch.write("docs/features/001-report-export/spec.md", &edited);
    scratch.write("docs/features/005-new/spec.md", CLEAN);
    scratch.run(["adopt", "--yes"]).expect(0);
    assert_eq!(on_branch(&scratch, "001-report-export", "spec.md"), edited);
    assert_eq!(on_branch(&scratch, "005-new", "spec.md"), CLEAN);
    // Work that was done since is not overwritten when the worktree is made again.
    let worktree = scratch.worktree("001");
    let file = scratch.artifacts("001").join("spec.md");
    fs::write(&file, CLEAN.replace("10 seconds", "7 seconds")).unwrap();
    scratch.git_in(&worktree, ["commit", "-q", "-am", "mine"]);
    scratch.git(["worktree", "remove", "--force", worktree.to_str().unwrap()]);
    scratch.run(["run", "001", "--until", "design"]);
    assert!(fs::read_to_string(&file).unwrap().contains("7 seconds"));
}

#[test]
fn with_review_no_document_is_taken_on_anybodys_word() {
    let scratch = repository();
    scratch.run(["adopt", "docs/features/001-report-export", "--review", "--yes"]).expect(0);
    let board = scratch.json(["status", "001"]);
    assert_eq!(
        (&board["features"][0]["phase"], &board["features"][0]["done"]),
        (&"specify".into(), &serde_json::json!([]))
    );
    scratch.run(["run", "001", "--until", "specify"]).expect(0);
    let events = events(&scratch);
    assert_eq!(bodies(&events, "edited").count(), 1, "the document that was there is the draft");
    assert!(bodies(&events, "judged").count() >= 2);
}

#[test]
fn what_cannot_be_read_or_must_not_be_followed_is_named() {
    let scratch = repository();
    let folder = scratch.root().join("docs/features/007-odd");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("spec.md"), b"# Spec \xff\xfe\n").unwrap();
    fs::write(folder.join("plan.md"), vec![b'x'; 5 * 1024 * 1024]).unwrap();
    fs::write(folder.join("tasks.md"), TASKS).unwrap();
    fs::write(scratch.outside().join("design.md"), "# Design\n").unwrap();
    std::os::unix::fs::symlink(scratch.outside().join("design.md"), folder.join("design.md")).unwrap();
    std::os::unix::fs::symlink("../001-report-export/prd.md", folder.join("prd.md")).unwrap();
    std::os::unix::fs::symlink("../001-report-export", folder.join("more")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("research.md")).unwrap();
    let report = scratch.json(["adopt", "--dry-run"]);
    let odd = feature(&report, "docs/features/007-odd");
    let reason = |file: &str| {
        let unknown = odd["unknown"].as_array().unwrap().iter().find(|unknown| unknown["file"] == file);
        unknown.unwrap_or_else(|| panic!("{file}: {odd:#}"))["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(reason("spec.md"), "it is not UTF-8 text");
    assert!(reason("plan.md").starts_with("it is too large"));
    assert_eq!(reason("design.md"), "it is a link to a place outside the repository");
    assert_eq!(reason("more"), "it is a link to a folder, and such links are not followed");
    assert_eq!(reason("research.md"), "it is a link that leads nowhere");
    let kinds: Vec<&str> =
        odd["artifacts"].as_array().unwrap().iter().map(|a| a["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["prd", "tasks"]);
}

#[test]
fn a_secret_that_would_be_committed_leaves_its_feature_where_it_is() {
    let scratch = repository();
    let key = format!("AKIA{}", "ABCDEFGHIJKLMNOP");
    scratch.write("docs/features/008-keys/spec.md", &format!("{CLEAN}\naws_access_key_id = {key}\n"));
    let report = scratch.json(["adopt", "--yes"]);
    let keys = feature(&report, "docs/features/008-keys");
    assert_eq!(keys["state"], "left");
    assert!(keys["notes"].to_string().contains("spec.md:27 holds what looks like a secret"), "{keys:#}");
    assert_eq!(feature(&report, "docs/features/001-report-export")["state"], "adopted");
    let ledger = fs::read(scratch.state().join("ledger.db")).unwrap();
    assert!(!ledger.windows(key.len()).any(|bytes| bytes == key.as_bytes()));
}

#[test]
fn where_there_is_nothing_to_adopt_that_is_said() {
    let scratch = Scratch::repository(PROGRAM);
    let none = scratch.json(["adopt"]);
    assert_eq!(
        (&none["features"], &none["next"]),
        (&serde_json::json!([]), &"redraft new \"your idea\"".into())
    );
    assert!(none["notes"][0].as_str().unwrap().starts_with("there is no docs/features"), "{none:#}");
    let gone = scratch.run(["adopt", "nowhere"]).expect(2);
    assert!(gone.stderr.contains("nowhere"), "{}", gone.stderr);
    let outside = scratch.run(["adopt", ".."]).expect(2);
    assert!(outside.stderr.contains("is not in this checkout"), "{}", outside.stderr);
    scratch.run(["adopt", "README.md"]).expect(2);
    fs::create_dir_all(scratch.root().join("docs/features/010-empty")).unwrap();
    let empty = scratch.json(["adopt", "--yes"]);
    assert_eq!(empty["features"][0]["state"], "left");
    assert!(!scratch.root().join(".git/redraft/ledger.db").exists());
}

#[test]
fn i8_a_file_that_the_feature_came_from_stands_in_for_its_prd() {
    let scratch = Scratch::repository(PROGRAM);
    let meta = |source: &str| format!("{{\"status\": \"active\", \"brainstorm_source\": \"{source}\"}}");
    scratch.write("docs/brainstorms/export.prd.md", PRD);
    for (name, source) in [
        ("001-both", "docs/brainstorms/export.prd.md"),
        ("002-source", "docs/brainstorms/export.prd.md"),
        ("003-gone", "docs/brainstorms/gone.md"),
        ("004-out", "../out.md"),
    ] {
        scratch.write(&format!("docs/features/{name}/.meta.json"), &meta(source));
        scratch.write(&format!("docs/features/{name}/spec.md"), CLEAN);
    }
    scratch.write("docs/features/001-both/prd.md", PRD);
    scratch.write("docs/features/005-neither/spec.md", CLEAN);
    scratch.run(["adopt", "--yes", "--review"]).expect(0);
    let none = "- PRD: No PRD — feature created without brainstorm";
    for (id, line) in [
        ("001", "- PRD: docs/features/001-both/prd.md"),
        ("002", "- PRD: docs/brainstorms/export.prd.md"),
        ("003", none),
        ("004", none),
        ("005", none),
    ] {
        scratch.run(["run", id, "--until", "specify", "--policy", "fresh"]).expect(0);
        // Without a PRD nothing says what was asked for, so there is no hand-off to compare.
        let asked: &[&str] =
            if line == none { &["spec-reviewer"] } else { &["spec-reviewer", "phase-reviewer"] };
        for role in asked {
            let prompt = scratch.run(["show", "prompt", id, "--role", role]).expect(0).stdout;
            assert!(prompt.contains(&format!("{line}\n")), "{id} {role}: {prompt}");
        }
        let log = scratch.run(["log", id]).expect(0).stdout;
        assert_eq!(log.contains("phase-reviewer"), line != none, "{log}");
        scratch.run(["show", "prompt", id, "--verify"]).expect(0);
    }
    // The working folder has it, although it was not committed.
    assert!(scratch.worktree("002").join("docs/brainstorms/export.prd.md").is_file());
}

#[test]
fn on_a_terminal_a_person_is_asked_after_the_report() {
    let scratch = repository();
    let said = on_a_terminal(&scratch, &["adopt"], "no\n", 0);
    assert!(said.contains("new: 002 old-reports, completed"), "{said}");
    assert!(said.contains("Should 4 features be taken over as described above?"), "{said}");
    assert!(!scratch.state().join("ledger.db").exists());
    assert!(!on_a_terminal(&scratch, &["adopt", "--dry-run"], "yes\n", 0).contains("take over"));
    on_a_terminal(&scratch, &["adopt"], "yes\n", 0);
    assert_eq!(scratch.json(["status"])["features"].as_array().unwrap().len(), 4);
}

#[test]
fn projects_and_dependencies_come_along_under_the_names_they_have_here() {
    let scratch = repository();
    let meta = r#"{"status": "active", "project_id": "P001-gateway", "depends_on_features": ["002-twice", "001", "nowhere"]}"#;
    scratch.write("docs/features/009-last/.meta.json", meta);
    scratch.write("docs/features/009-last/spec.md", CLEAN);
    let report = scratch.json(["adopt", "--yes"]);
    let notes = feature(&report, "docs/features/009-last")["notes"].to_string();
    assert!(notes.contains("its project P001 was not found"), "{notes}");
    assert!(notes.contains("it depends on nowhere, which was not found"), "{notes}");
    let events = events(&scratch);
    let last = bodies(&events, "feature-created").find(|body| body["slug"] == "last").unwrap();
    assert_eq!((&last["id"], &last["project"]), (&9.into(), &"P001".into()));
    assert_eq!(last["depends_on"], serde_json::json!(["010-twice", "001-report-export", "nowhere"]));
}

#[test]
fn features_in_place_are_adopted_without_leaving_the_branch_one_is_on() {
    let scratch = repository();
    scratch.write("redraft.toml", "[workspace]\nmode = \"in-place\"\n");
    scratch.write("docs/features/006-todo/TODO.md", TASKS);
    commit(&scratch);
    scratch.run(["adopt", "--yes"]).expect(0);
    assert_eq!(scratch.git(["symbolic-ref", "--short", "HEAD"]), "main");
    assert_eq!(scratch.git(["branch", "--list", "feature/*"]), "");
    scratch.run(["run", "006", "--until", "specify"]).expect(0);
    assert_eq!(scratch.git(["symbolic-ref", "--short", "HEAD"]), "feature/006-todo");
    assert_eq!(on_branch(&scratch, "006-todo", "tasks.md"), TASKS);
}

#[test]
fn what_others_have_begun_is_offered_where_it_is_missed() {
    let scratch = repository();
    assert_eq!(scratch.json(["status"])["next"], "redraft adopt");
    scratch.run(["adopt", "docs/features/001-report-export", "--yes"]).expect(0);
    let missing = scratch.run(["run", "002"]).expect(2);
    assert!(missing.stderr.contains("redraft adopt"), "{}", missing.stderr);
}

#[test]
fn an_agent_at_work_cannot_take_anything_over() {
    let scratch = repository();
    let mut command = scratch.redraft(["adopt", "--yes"]);
    let ran =
        Ran::new(command.env("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1").output().unwrap())
            .expect(2);
    assert!(ran.stderr.contains("cannot take over features"), "{}", ran.stderr);
}
