//! What Spec Kit and OpenSpec have begun.

use super::{TASKS, feature, ids, on_branch};
use crate::documents::CLEAN;
use crate::world::PROGRAM;
use redraft_testkit::Scratch;

#[test]
fn spec_kit_is_mapped_as_far_as_it_goes() {
    let scratch = Scratch::repository(PROGRAM);
    for (name, text) in [
        ("spec.md", CLEAN),
        ("plan.md", "# Implementation Plan: report export\n\n## Step 1: write\n"),
        ("tasks.md", TASKS),
        ("research.md", "# Research\n\nNothing new.\n"),
        ("data-model.md", "# Data Model\n\nA report.\n"),
        ("contracts/reports.yaml", "openapi: 3.0.0\n"),
        ("quickstart.md", "# Quickstart\n\nAsk for a report.\n"),
        ("checklists/requirements.md", "# Checklist\n\n- [x] complete\n"),
    ] {
        scratch.write(&format!("specs/001-report-export/{name}"), text);
    }
    let report = scratch.json(["adopt", "--yes"]);
    let found = feature(&report, "specs/001-report-export");
    let kinds: Vec<&str> =
        found["artifacts"].as_array().unwrap().iter().map(|a| a["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["checklist", "contract", "data-model", "plan", "quickstart", "research", "spec", "tasks"]
    );
    assert_eq!(found["unknown"], serde_json::json!([]));
    assert!(found["notes"].to_string().contains("design is skipped"), "{found:#}");
    // All documents are there, so the tasks are what is left; going back brings the documents onto the branch.
    let board = scratch.json(["status"]);
    assert_eq!(
        (&board["features"][0]["status"], &board["features"][0]["phase"]),
        (&"active".into(), &"implement".into())
    );
    scratch.run(["phase", "back", "001", "design", "--why", "there is none"]).expect(0);
    scratch.run(["run", "001", "--until", "design"]);
    assert_eq!(on_branch(&scratch, "001-report-export", "spec.md"), CLEAN);
    assert_eq!(on_branch(&scratch, "001-report-export", "contracts/reports.yaml"), "openapi: 3.0.0\n");
}

#[test]
fn an_openspec_change_is_mapped_as_far_as_it_goes() {
    let scratch = Scratch::repository(PROGRAM);
    let change = "openspec/changes/add-export";
    scratch.write(&format!("{change}/proposal.md"), "# Change: add export\n\n## Why\n\nIt is missing.\n");
    scratch.write(
        &format!("{change}/specs/reports/spec.md"),
        "## ADDED Requirements\n\n### Requirement: export\n",
    );
    scratch.write(
        &format!("{change}/specs/audit/spec.md"),
        "## MODIFIED Requirements\n\n### Requirement: record\n",
    );
    scratch.write("openspec/changes/archive/2026-01-02-first/proposal.md", "# Change: first\n");
    scratch.write("openspec/changes/archive/2026-01-02-first/specs/a/spec.md", "## ADDED Requirements\n");
    scratch.write("openspec/project.md", "# Project\n");
    let report = scratch.json(["adopt", "--yes"]);
    assert_eq!(ids(&report), ["001 adopted"]);
    assert!(
        report["notes"][0].as_str().unwrap().contains("redraft adopt openspec/changes/archive"),
        "{report:#}"
    );
    let spec = on_branch(&scratch, "001-add-export", "spec.md");
    assert!(spec.starts_with("# audit\n\n## MODIFIED") && spec.contains("\n# reports\n\n## ADDED"), "{spec}");
    assert!(on_branch(&scratch, "001-add-export", "prd.md").contains("It is missing."));
    assert_eq!(scratch.json(["status"])["features"][0]["phase"], "design");
    let archive = scratch.json(["adopt", "openspec/changes/archive", "--yes"]);
    assert_eq!(
        (ids(&archive), &archive["features"][0]["status"]),
        (vec!["002 adopted".to_owned()], &"completed".into())
    );
}
