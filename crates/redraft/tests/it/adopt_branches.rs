//! Features that stand on branches: in a new clone, and where the branch is checked out.

use crate::documents::{CLEAN, PRD};
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::Scratch;

/// A repository with a feature on a branch of its own, as somebody else pushed it: documents and code.
fn with_branch() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.git(["switch", "-q", "-c", "feature/003-report-export"]);
    scratch.write("docs/features/003-report-export/prd.md", PRD);
    scratch.write("docs/features/003-report-export/spec.md", CLEAN);
    scratch.write("src/export.sh", "echo export\n");
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "-q", "-m", "somebody's work"]);
    scratch
}

#[test]
fn a_branch_that_is_checked_out_is_told_before_anything_is_done_and_adopted_after_leaving_it() {
    let scratch = with_branch();
    let report = scratch.json(["adopt", "--dry-run"]);
    let root = scratch.root().display().to_string();
    let way_out = format!("git -C {root} switch main");
    assert!(report["features"][0]["notes"].to_string().contains(&way_out), "{report:#}");
    let refused = scratch.run(["adopt", "--yes"]).expect(2);
    assert!(
        refused.stderr.contains("branch feature/003-report-export is checked out in "),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stderr.contains(&way_out) && refused.stderr.contains("nothing was changed"),
        "{}",
        refused.stderr
    );
    assert!(!scratch.state().join("ledger.db").exists(), "nothing was stored");
    scratch.git(["switch", "-q", "main"]);
    // The folder is on the branch only, and is found there.
    let board = scratch.run(["status"]).expect(0).stdout;
    assert!(board.contains("take them over with redraft adopt: feature/003-report-export\n"), "{board}");
    assert!(board.ends_with("next: redraft adopt\n"), "{board}");
    let report = scratch.json(["adopt", "--yes"]);
    let feature = &report["features"][0];
    assert_eq!((&feature["id"], &feature["state"]), (&"003".into(), &"adopted".into()), "{report:#}");
    assert!(scratch.worktree("003").join("src/export.sh").is_file(), "with the code of the branch");
    let events = events(&scratch);
    let created = bodies(&events, "feature-created").next().unwrap();
    assert_eq!(created["base_branch"], "main");
    assert_eq!(bodies(&events, "adopted").next().unwrap()["files"], serde_json::json!([]), "it is all there");
    assert_eq!(
        scratch.git(["rev-list", "--count", "main..feature/003-report-export"]),
        "1",
        "nothing was added"
    );
    let again = scratch.json(["adopt", "--yes"]);
    assert_eq!(again["features"], serde_json::json!([]), "a branch of our own is nothing to report");
    scratch.run(["run", "003", "--until", "design"]);
}

#[test]
fn a_new_clone_finds_features_on_the_branches_of_its_remote() {
    let origin = with_branch();
    origin.git(["switch", "-q", "main"]);
    // Others use such names for their branches as well.
    origin.git(["branch", "feature/100-days"]);
    let scratch = Scratch::empty(PROGRAM);
    scratch.git(["clone", "-q", origin.root().to_str().unwrap(), "."]);
    scratch.git(["config", "user.name", "Test Person"]);
    scratch.git(["config", "user.email", "person@example.invalid"]);
    let status = scratch.json(["status"]);
    assert_eq!(status["branches"], serde_json::json!(["origin/feature/003-report-export"]));
    assert_eq!(status["next"], "redraft adopt");
    let dry = scratch.json(["adopt", "--dry-run"]);
    assert_eq!(dry["features"][0]["artifacts"][1]["as"], "spec.md", "{dry:#}");
    assert_eq!(scratch.git(["branch", "--list", "feature/*"]), "", "nothing is made by looking");
    scratch.run(["adopt", "--yes"]).expect(0);
    assert!(scratch.worktree("003").join("src/export.sh").is_file());
    let status = scratch.json(["status"]);
    assert_eq!(
        (&status["features"][0]["id"], &status["branches"]),
        (&"003".into(), &serde_json::Value::Null)
    );
    assert_eq!(scratch.git(["status", "--porcelain"]), "", "the checkout is as it was");
}

/// Another ledger wrote the branch, whose commits name its events. They are not those of the ledger here.
#[test]
fn what_redraft_wrote_in_another_clone_goes_on_here() {
    let origin = Scratch::repository(PROGRAM);
    origin.run(["new", "Let people delete an order", "--until", "design"]).expect(0);
    origin.run(["run", "--agent", "rehearsal", "--until", "specify"]).expect(0);
    let scratch = Scratch::empty(PROGRAM);
    scratch.git(["clone", "-q", origin.root().to_str().unwrap(), "."]);
    scratch.git(["config", "user.name", "Test Person"]);
    scratch.git(["config", "user.email", "person@example.invalid"]);
    scratch.run(["adopt", "--yes"]).expect(0);
    let events = events(&scratch);
    let found = &bodies(&events, "adopted").next().unwrap()["branch"];
    let branch = "feature/001-let-people-delete-an-order";
    assert_eq!(found["tip"], origin.git(["rev-parse", branch]), "{found:#}");
    assert!(found["seq"].as_u64() > Some(5), "{found:#}");
    // That nobody has judged its documents goes along.
    let row = &scratch.json(["status"])["features"][0];
    assert_eq!(row["rehearsed"], true, "{row:#}");
    let told = scratch.run(["show", "pull-request", "001"]).expect(0).stdout;
    assert!(
        told.contains(
            "The rehearsal agent, which is built in and judges nothing, took part in what was adopted"
        ),
        "{told}"
    );
    scratch.run(["run", "001", "--agent", "rehearsal", "--until", "design"]).expect(0);
    // Also when the commits of the other ledger have other ids by now.
    scratch.write("elsewhere.txt", "the base has moved\n");
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "-q", "-m", "on the base"]);
    let worktree = scratch.worktree("001");
    scratch.git(["-C", worktree.to_str().unwrap(), "rebase", "-q", "main"]);
    scratch.run(["run", "001", "--agent", "rehearsal", "--until", "create-plan"]).expect(0);
}
