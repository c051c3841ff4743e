use super::*;

fn said(text: &str) -> UnderstoodReport {
    read(text.as_bytes(), true)
}

#[test]
fn a_report_is_read_by_its_headings_in_any_style() {
    let styles = [
        "## Implemented\nA limit.\n\n## Tested\nTwo cases.\n\n## Files changed\n- src/a.rs\n\n### Decisions\nNone taken.\n\
         ## Deviations\nnone\n## Self-review\nRead twice.\n## Concerns\nSlow.\n",
        "**Implemented:** A limit.\n**Tested**: Two cases.\n**Files Changed:**\n- src/a.rs\n**Decisions:** None taken.\n\
         **Deviations:** none\n**Self-Review:** Read twice.\n**Concerns:** Slow.\n",
        "1. What I implemented: A limit.\n2. What I tested: Two cases.\n3. Files changed: src/a.rs\n4. Decisions made: None \
         taken.\n5. Deviations from plan: none\n6. Self review: Read twice.\n7. Issues or concerns: Slow.\n",
        "IMPLEMENTED\nA limit.\nTESTED\nTwo cases.\nFILES CHANGED\n- src/a.rs\nDECISIONS\nNone taken.\nDEVIATIONS\nnone\n\
         SELF-REVIEW\nRead twice.\nCONCERNS\nSlow.\n",
    ];
    for text in styles {
        let UnderstoodReport { report, already, notes, .. } = said(text);
        assert_eq!(
            (report.implemented.as_str(), report.tested.as_str()),
            ("A limit.", "Two cases."),
            "{text}"
        );
        assert!(report.files_changed.contains("src/a.rs"), "{text}");
        assert_eq!(
            (report.decisions.as_str(), report.deviations.as_str()),
            ("None taken.", "none"),
            "{text}"
        );
        assert_eq!(
            (report.self_review.as_str(), report.concerns.as_str()),
            ("Read twice.", "Slow."),
            "{text}"
        );
        assert!(!already && notes.is_empty(), "{notes:?}");
    }
}

/// Seed 022, interface 3: a heading counts by the part it speaks of, in the seed's own words.
#[test]
fn a_heading_that_says_more_than_the_name_of_a_part_is_read_by_what_it_speaks_of() {
    for text in [
        "## What you implemented\nA limit.\n## What you tested and test results\nTwo cases.\n## Files you changed\n- src/a.rs\n\
         ## Implementation Decisions\nOne clock.\n## Deviations from the task\nnone\n\
         ## Self-review findings (if any)\nRead twice.\n## Any issues or concerns\nSlow.\n",
        "**What you implemented:** A limit.\n**Test results**\nTwo cases.\n**Files that changed:** src/a.rs\n\
         Implementation decisions:\nOne clock.\n**Plan deviations:** none\n**My self-review:** Read twice.\n\
         Any issues or concerns:\nSlow.\n",
    ] {
        let Report { implemented, tested, files_changed, decisions, deviations, self_review, concerns } =
            said(text).report;
        assert_eq!((implemented.as_str(), tested.as_str()), ("A limit.", "Two cases."), "{text}");
        assert_eq!((decisions.as_str(), deviations.as_str()), ("One clock.", "none"), "{text}");
        assert_eq!((self_review.as_str(), concerns.as_str()), ("Read twice.", "Slow."), "{text}");
        assert!(files_changed.contains("src/a.rs"), "{text}");
    }
    // What only mentions a part begins none.
    let text = "## Implemented\n- **Tests** are slow\n- the decision: one clock\nI ran all tests of this whole project twice today:\nfine\n";
    let report = said(text).report;
    assert_eq!((report.tested.as_str(), report.decisions.as_str()), ("none", "none"), "{report:?}");
    assert!(report.implemented.ends_with("fine"), "{report:?}");
}

/// Seed 022, interface 3: a missing part becomes none, and a partial report is logged.
#[test]
fn what_is_left_out_is_none_and_noted() {
    let UnderstoodReport { report, notes, .. } =
        said("I did it.\n\n## Tested\nAll of it.\n\n## Next steps\nRest.\n");
    assert_eq!(report.tested, "All of it.", "another heading ends a part");
    assert_eq!((report.implemented.as_str(), report.concerns.as_str()), ("none", "none"));
    let left_out =
        "the report leaves out: implemented, files-changed, decisions, deviations, self-review, concerns";
    assert_eq!(notes, [left_out]);
}

#[test]
fn a_heading_inside_a_code_block_is_code() {
    let text = "## Implemented\nThis:\n```\n# Tested\n```\nDone.\n";
    let report = said(text).report;
    assert_eq!(
        (report.implemented.as_str(), report.tested.as_str()),
        ("This:\n```\n# Tested\n```\nDone.", "none")
    );
}

#[test]
fn an_answer_in_the_form_has_its_parts_in_its_checks() {
    let answer = r#"{"approved":true,"summary":"A limit for every key.","answers":[],"issues":[],"checks":[
        {"name":"implemented","passed":true,"note":"A limit."},{"name":"files-changed","passed":true,"note":"src/a.rs"},
        {"name":"already-complete","passed":false,"note":""}],"verified":[],"files_read":[]}"#;
    let understood = read(answer.as_bytes(), false);
    assert_eq!(understood.report.implemented, "A limit.");
    assert_eq!((understood.report.files_changed.as_str(), understood.already), ("src/a.rs", false));
    assert_eq!(understood.summary, "A limit for every key.");
}

#[test]
fn a_task_that_was_complete_already_is_told_in_words_or_by_a_check() {
    assert!(said("Task already complete: both done criteria hold.").already);
    assert!(said("**Task already complete**").already);
    assert!(!said("The task is not complete yet.").already);
    let answer = r#"{"approved":true,"summary":"x","answers":[],"issues":[],"checks":[
        {"name":"already-complete","passed":true,"note":"the tests pass"}],"verified":[],"files_read":[]}"#;
    let understood = read(answer.as_bytes(), false);
    assert!(understood.already && understood.notes.is_empty());
}

#[test]
fn a_report_that_does_not_call_its_task_done_says_why() {
    let answer = |approved: bool, implemented: bool, concerns: &str| {
        let note = |name: &str, passed: bool, note: &str| {
            format!(r#"{{"name":"{name}","passed":{passed},"note":"{note}"}}"#)
        };
        let checks =
            [note("implemented", implemented, "R1 only."), note("concerns", true, concerns)].join(",");
        format!(
            r#"{{"approved":{approved},"summary":"Half of it.","answers":[],"issues":[],"checks":[{checks}],"verified":[],
            "files_read":[]}}"#
        )
    };
    let unfinished = |approved, implemented, concerns| {
        read(answer(approved, implemented, concerns).as_bytes(), false).unfinished
    };
    assert_eq!(unfinished(true, true, "AC1 is slow."), None, "a concern alone stops nothing");
    assert_eq!(unfinished(false, true, "AC1 cannot be done."), Some("AC1 cannot be done.".to_owned()));
    assert_eq!(unfinished(true, false, "AC1 cannot be done."), Some("AC1 cannot be done.".to_owned()));
    assert_eq!(unfinished(false, false, "None."), Some("R1 only.".to_owned()));
    let bare = r#"{"approved":false,"summary":"Half of it.","answers":[],"issues":[],"checks":[]}"#;
    assert_eq!(read(bare.as_bytes(), false).unfinished, Some("Half of it.".to_owned()));
    assert_eq!(said("## Concerns\nAC1 cannot be done.\n").unfinished, None, "no form, no verdict on itself");
}

/// ORIGINAL: files changed come from git; differences from the report are notes.
#[test]
fn files_are_compared_with_what_git_saw() {
    let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let report = Report {
        files_changed: "- `src/a.rs` (new)\n- b.rs, e.g. its limits".to_owned(),
        ..Report::default()
    };
    assert_eq!(compare(&report, &files(&["src/a.rs", "src/b.rs"])), Vec::<String>::new());
    assert_eq!(
        compare(&report, &files(&["src/a.rs", "src/c.rs"])),
        ["changed without being reported: src/c.rs", "reported as changed, but git sees no change: b.rs"]
    );
    assert_eq!(compare(&Report::default(), &files(&["src/a.rs"])), Vec::<String>::new());
}

#[test]
fn an_outline_is_the_tests_of_an_answer_one_on_a_line_or_its_text_where_it_keeps_no_form() {
    let answer = br#"{"approved": true, "summary": "2 tests for 1 requirement", "answers": [], "issues": [], "verified": [],
        "files_read": [], "checks": [{"name": "a", "passed": true, "note": "R1: given\nx"},
        {"name": "b", "passed": true, "note": "R1: y"}]}"#;
    assert_eq!(outline(answer), "1. a: R1: given x\n2. b: R1: y\n");
    assert_eq!(outline(b"  - test the limit\n"), "- test the limit");
}
