//! Which documents `redraft lint FOLDER` checks: features at every depth, else every document.

use super::*;

#[test]
fn a_folder_that_is_no_feature_is_searched_for_features_and_else_for_documents() {
    let scratch = scratch();
    scratch.write("docs/features/001-export/spec.md", &GOOD_SPEC.replace("2 s", "TBD"));
    scratch.write("docs/guide.md", "# Guide\n\nThe limit is TBD.\n");
    scratch.write("docs/tasks.md", "# What we call a task\n\nThe limit is TBD.\n");
    let below = scratch.run(["lint", "docs", "--json"]).expect(1);
    let below: Value = serde_json::from_str(&below.stdout).unwrap();
    assert_eq!(faults(&below), ["docs/features/001-export/spec.md:5 placeholder error"]);
    scratch.write("notes/deep/one.md", "# One\n\nThe limit is TBD.\n");
    scratch.write("notes/two.md", "# Two\n\nThe limit is 5.\n");
    let plain = scratch.run(["lint", "notes", "--json"]).expect(1);
    let plain: Value = serde_json::from_str(&plain.stdout).unwrap();
    assert_eq!(
        (faults(&plain), &plain["documents"]),
        (vec!["notes/deep/one.md:3 placeholder error".to_owned()], &2.into())
    );
    std::fs::create_dir_all(scratch.root().join("empty")).unwrap();
    let none = scratch.run(["lint", "empty"]).expect(2);
    assert!(none.stderr.contains("there is no document in ") && none.stdout.is_empty(), "{}", none.stderr);
}

/// The documents that are said to be missing.
fn missing(scratch: &Scratch, words: &[&str]) -> Vec<String> {
    let found = faults(&scratch.json(words)).into_iter();
    found.filter_map(|fault| fault.strip_suffix(":1 missing error").map(ToOwned::to_owned)).collect()
}

#[test]
fn a_number_makes_a_feature_only_where_features_are() {
    let plan = "# Plan\n\n## Steps\n\n1. Write it.\n";
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("docs/03-architecture/design.md", plan);
    scratch.write("2026-notes/plan.md", plan);
    for folder in ["docs", "docs/03-architecture", "2026-notes", "."] {
        assert_eq!(missing(&scratch, &["lint", folder]), [""; 0], "{folder}");
    }
    scratch.write("specs/001-export/plan.md", plan);
    scratch.write("old/002-import/plan.md", plan);
    scratch.write("old/002-import/tasks.md", "# T\n\n### T1: a\n\ntext\n");
    let both = ["old/002-import/spec.md", "specs/001-export/spec.md"];
    assert_eq!(missing(&scratch, &["lint", "."]), both);
}

#[test]
fn features_are_found_at_every_depth_and_as_without_a_path() {
    let plan = "# Plan\n\n## Steps\n\n1. Write it.\n";
    let scratch = scratch();
    scratch.write("docs/features/import/plan.md", plan);
    let told = ["docs/features/import/spec.md"];
    for words in [&["lint"][..], &["lint", "docs/features"], &["lint", "docs/features/import"]] {
        assert_eq!(missing(&scratch, words), told, "{words:?}");
    }
    // One near the top does not hide those below.
    scratch.write("parts/billing/docs/features/004-bill/plan.md", plan);
    scratch.write("near/spec.md", GOOD_SPEC);
    let all = [told[0], "parts/billing/docs/features/004-bill/spec.md"];
    assert_eq!(missing(&scratch, &["lint", "."]), all);
    // Named by the user, with tasks and what they were made from.
    scratch.write("loose/plan.md", plan);
    scratch.write("loose/tasks.md", "# T\n\n### T1: a\n\ntext\n");
    assert_eq!(missing(&scratch, &["lint", "loose"]), ["loose/spec.md"]);
    assert_eq!(missing(&scratch, &["lint", "."]), all);
}

#[test]
fn with_a_trace_every_document_of_a_folder_is_counted() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("notes/one.md", "# One\n\nThe limit is 5.\n");
    scratch.write("notes/two.md", "# Two\n\nThe limit is 5.\n");
    let ran = scratch.run(["lint", "--trace", "notes"]).expect(0);
    assert_eq!(ran.stderr, "2 documents checked: 0 errors, 0 warnings\n");
    let again = scratch.json(["lint", "--trace", "notes", "notes"]);
    assert_eq!((&again["features"], &again["documents"]), (&1.into(), &2.into()));
}
