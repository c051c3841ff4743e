use super::*;
use crate::hook::session::tests::row;
use serde_json::json;

#[test]
fn tools_that_write_name_their_file_and_others_name_nothing() {
    for (tool, input, expected) in [
        ("Edit", json!({"file_path": "a", "old_string": "x"}), vec!["a"]),
        ("Write", json!({"file_path": "/a/b"}), vec!["/a/b"]),
        ("MultiEdit", json!({"file_path": "a"}), vec!["a"]),
        ("NotebookEdit", json!({"notebook_path": "n.ipynb"}), vec!["n.ipynb"]),
        ("Bash", json!({"command": "rm a; cat b > c"}), vec!["a", "c"]),
        ("Read", json!({"file_path": "a"}), vec![]),
        ("Grep", json!({"path": "a"}), vec![]),
        ("Edit", json!({"file_path": 7}), vec![]),
        ("Edit", json!(null), vec![]),
        ("mcp__x__write", json!({"file_path": "a"}), vec![]),
    ] {
        assert_eq!(written(tool, &input), expected, "{tool} {input}");
    }
}

#[test]
fn whatever_can_be_refused_can_be_replaced_by_something_that_touches_only_the_note() {
    for tool in ["Edit", "Write", "MultiEdit", "NotebookEdit", "Bash"] {
        let input = harmless(tool, "/note", "no").unwrap();
        let expected: &[&str] = if tool == "Bash" { &[] } else { &["/note"] };
        assert_eq!(written(tool, &input), expected, "{tool}");
    }
    assert_eq!(harmless("Read", "/note", "no"), None);
}

#[test]
fn only_projections_of_features_of_the_ledger_are_protected() {
    let mut finished = row("002", "over");
    finished.done.push("finish".to_owned());
    let rows = [row("001", "one"), finished];
    let is = |path: &str| projection(&path.split('/').collect::<Vec<_>>(), &rows).is_some();
    for path in [".meta.json", ".review-history.md", "implementation-log.md"] {
        assert!(is(&format!("docs/features/001-one/{path}")), "{path}");
    }
    assert!(is("docs/features/002-over/.meta.json"), "the record of a finished one is kept");
    for path in [
        "docs/features/001-one/spec.md",
        "docs/features/001-one",
        "docs/features/001-one/notes/.meta.json",
        "docs/features/003-other-tool/.meta.json",
        "docs/features/002-over/implementation-log.md",
        "a/docs/features/001-one/.meta.json",
        ".meta.json",
        "docs/features/001-one/.meta.json.bak",
    ] {
        assert!(!is(path), "{path}");
    }
}

#[test]
fn a_refusal_is_the_same_each_time_and_names_a_way_out() {
    let rows = [row("001", "one")];
    let of = |file| projection(&["docs", "features", "001-one", file], &rows).unwrap();
    for (thing, command) in [
        (Protected::State, "`redraft log`"),
        (of(".meta.json"), "`redraft status 001`"),
        (of(".review-history.md"), "`redraft log 001 --as review-history`"),
        (of("implementation-log.md"), "`redraft log 001 --as implementation-log`"),
    ] {
        let text = thing.refusal("some/path\n\"x");
        assert_eq!(text, thing.refusal("some/path\n\"x"));
        assert!(text.contains(command) && text.contains("\"some/path 'x\""), "{text}");
        assert!(text.contains("Do not try it in another way") && text.lines().count() == 1, "{text}");
        assert!(crate::hook::session::tokens(&thing.refusal(&"日".repeat(9_000))) < 400);
    }
}
