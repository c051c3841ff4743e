//! Diffs as git prints them, findings inside and outside of them, and patches that give the new text back.

mod compared;

use super::*;
use proptest::prelude::*;
use redraft_facts::verdict::{Claim, Severity};

const SPEC: &str = "docs/features/031-x/spec.md";

/// One hunk in `spec.md`: line 12 replaced, line 13 added, a line after 15 removed.
const DIFF: &str = "\
diff --git a/docs/features/031-x/spec.md b/docs/features/031-x/spec.md
--- a/docs/features/031-x/spec.md
+++ b/docs/features/031-x/spec.md
@@ -9,8 +9,8 @@ ## Requirements
 
 one context line
 ### Limits of a key
-FR-2 The service is fast.
+FR-2 The service answers within 200 ms.
+It is measured per key.
 more context
 still more
-ok
 last
";

fn issue(file: &str, line: u32, quote: &str, section: &str) -> Issue {
    Issue {
        severity: Severity::Warning,
        category: String::new(),
        claim: Claim::Present,
        file: file.to_owned(),
        line,
        section: section.to_owned(),
        quote: quote.to_owned(),
        description: "d".to_owned(),
        suggestion: String::new(),
        same_as: String::new(),
    }
}

fn check(cases: &[(&str, u32, &str, &str, bool)]) {
    let delta = Delta::parse(DIFF);
    for (file, line, quote, section, touched) in cases {
        let issue = issue(file, *line, quote, section);
        assert_eq!(
            delta.touches(&issue, &Redactor::default()),
            *touched,
            "{file} {line} {quote:?} {section:?}"
        );
    }
}

#[test]
fn a_diff_is_read_as_files_ranges_and_lines() {
    let delta = Delta::parse(DIFF);
    let [file] = delta.files.as_slice() else { panic!("{delta:?}") };
    assert_eq!((file.path.as_str(), file.created, file.deleted), (SPEC, false, false));
    assert_eq!(file.changed(), [12..=13, 15..=16]);
    assert_eq!(
        file.added().collect::<Vec<_>>(),
        ["FR-2 The service answers within 200 ms.", "It is measured per key."]
    );
    assert_eq!(file.removed().collect::<Vec<_>>(), ["FR-2 The service is fast.", "ok"]);
    assert_eq!(file.hunks[0].heading, "## Requirements");
}

#[test]
fn an_issue_near_a_changed_line_is_touched() {
    check(&[
        (SPEC, 12, "", "", true),
        (SPEC, 9, "", "", true),
        (SPEC, 8, "", "", false),
        (SPEC, 19, "", "", true),
        (SPEC, 20, "", "", false),
        ("spec.md", 12, "", "", true),
        ("prd.md", 12, "", "", false),
        ("prd.md", 12, "answers within 200 ms", "", false),
    ]);
}

#[test]
fn an_issue_that_quotes_changed_text_is_touched() {
    check(&[
        (SPEC, 0, "answers   within\n200 ms", "", true),
        (SPEC, 90, "answers within 200 ms", "", true),
        (SPEC, 0, "The service is fast", "", true),
        (SPEC, 0, "one context line", "", false),
        (SPEC, 0, "within 200 ms. It is measured", "", true),
        (SPEC, 0, "one … answers within … two", "", true),
        (SPEC, 0, "FR … ms … is", "", false),
        (SPEC, 0, "It is", "", false),
        (SPEC, 0, "ok", "", true),
        (SPEC, 0, "before It is measured per key. more context", "", true),
    ]);
}

#[test]
fn a_quote_without_the_marks_of_markdown_or_with_a_secret_replaced_is_placed_all_the_same() {
    let token = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
    let head = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -40,1 +40,1 @@\n");
    let lines =
        format!("-- **AC1:** `POST /links` gets 201\n+- **AC1:** `POST /links` gets “410” with {token}\n");
    let touches = |path: &str, quote: &str| {
        let delta = Delta::parse(&format!("{}{lines}", head(path)));
        assert_eq!(
            delta.touches_quote(path, quote, &Redactor::default()),
            delta.touches(&issue(path, 0, quote, ""), &Redactor::default()),
            "{quote}"
        );
        delta.touches_quote(path, quote, &Redactor::default())
    };
    for (quote, touched) in [
        ("AC1: POST /links gets \"410\"", true),
        ("- AC1: POST /links gets 201", true),
        ("gets “410” with [redacted:github-token]", true),
        ("AC2: POST /links gets 410", false),
        ("AC1: GET /links", false),
    ] {
        assert_eq!(touches("docs/spec.md", quote), touched, "{quote}");
    }
    // In code every mark counts.
    assert!(!touches("src/a.rs", "AC1: POST /links gets \"410\""));
}

#[test]
fn an_issue_that_cites_only_a_section_is_touched_by_changes_in_it() {
    check(&[
        (SPEC, 0, "", "Requirements", true),
        (SPEC, 0, "", "Section 3, Requirements", true),
        (SPEC, 0, "", "limits of a key", true),
        (SPEC, 0, "", "### Limits of a key", true),
        (SPEC, 0, "", "FR-2", true),
        (SPEC, 0, "", "Goals", false),
        (SPEC, 0, "", "2", false),
        (SPEC, 0, "", "", false),
        (SPEC, 40, "", "Requirements", false),
        (SPEC, 0, "not in here", "Requirements", false),
    ]);
}

#[test]
fn an_issue_without_a_file_is_decided_by_its_quote() {
    check(&[
        ("", 0, "answers within 200 ms", "", true),
        ("", 12, "", "", false),
        ("", 0, "", "Requirements", false),
        ("", 0, "something else entirely", "Requirements", false),
    ]);
}

#[test]
fn nothing_touches_an_empty_delta() {
    for text in ["", "\n", "no diff at all\n@@ -1 +1 @@\n+x\n"] {
        let delta = Delta::parse(text);
        assert!(delta.is_empty(), "{text:?}");
        assert!(!delta.touches(&issue(SPEC, 1, "no diff at all", "x"), &Redactor::default()));
    }
}

#[test]
fn created_deleted_renamed_and_binary_files_are_told_apart() {
    let delta = Delta::parse(
        "diff --git a/new.md b/new.md\nnew file mode 100644\n--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+hi\n\
         diff --git a/old.md b/old.md\ndeleted file mode 100644\n--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n\
         diff --git a/empty me b/empty me\nnew file mode 100644\n\
         diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n\
         diff --git a/from.md b/to.md\nsimilarity index 100%\nrename from from.md\nrename to to.md\n",
    );
    let seen: Vec<_> = delta
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.created, file.deleted, file.binary))
        .collect();
    assert_eq!(
        seen,
        [
            ("new.md", true, false, false),
            ("old.md", false, true, false),
            ("empty me", true, false, false),
            ("x.png", false, false, true),
            ("to.md", false, false, false),
        ]
    );
    assert_eq!(delta.files[0].changed(), [1..=1]);
    assert_eq!(delta.files[1].changed(), [1..=1]);
}

#[test]
fn unusual_paths_are_read() {
    for (printed, path) in [
        ("+++ \"b/docs/\\303\\274ber \\\"x\\\".md\"", "docs/über \"x\".md"),
        ("+++ b/my file.md\t", "my file.md"),
        ("+++ b/tab\r", "tab"),
        ("+++ \"b/a\\tb\"", "a\tb"),
    ] {
        let delta = Delta::parse(&format!("--- a/x\n{printed}\n@@ -1 +1 @@\n-a\n+b\n"));
        assert_eq!(delta.files[0].path, path);
    }
    let delta = Delta::parse("diff --git \"a/\\303\\274\" \"b/\\303\\274\"\nnew file mode 100644\n");
    assert_eq!(delta.files[0].path, "ü");
}

#[test]
fn lines_that_look_like_heads_are_only_lines() {
    let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n-@@ -1 +1 @@\n+++ b/y\n+diff --git a/z b/z\n";
    let delta = Delta::parse(diff);
    assert_eq!(delta.files.len(), 1);
    assert_eq!(delta.files[0].added().collect::<Vec<_>>(), ["++ b/y", "diff --git a/z b/z"]);
    assert_eq!(patch("-- a/y\n@@ -1 +1 @@\n", diff, "x").as_deref(), Some("++ b/y\ndiff --git a/z b/z\n"));
}
