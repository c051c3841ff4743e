//! Answers as agents really write them, and as nobody should.

use super::*;
use proptest::prelude::*;
use redraft_facts::prelude::*;
use redraft_facts::verdict::{AnswerStatus, Issue, Severity, Verdict};
use std::time::{Duration, Instant};

fn read(answer: &str) -> Verdict {
    parse(answer.as_bytes()).verdict.unwrap_or_else(|| panic!("no verdict in {answer:?}"))
}

fn noted(answer: &str, wanted: &str) {
    let notes = parse(answer.as_bytes()).notes;
    assert!(notes.iter().any(|note| note.contains(wanted)), "{wanted:?} is not among {notes:?}");
}

fn none(answer: &str, wanted: &str) {
    assert_eq!(parse(answer.as_bytes()).verdict, None, "{answer:?}");
    noted(answer, wanted);
}

fn issue(fields: &str) -> Issue {
    let answer = format!(r#"{{"approved": false, "issues": [{fields}]}}"#);
    read(&answer).issues.into_iter().next().unwrap_or_else(|| panic!("no issue in {answer}"))
}

fn answer(status: &str) -> AnswerStatus {
    let text =
        format!(r#"{{"approved": false, "issues": [], "answers": [{{"id": "S1", "status": "{status}"}}]}}"#);
    read(&text).answers[0].status
}

#[test]
fn a_verdict_of_todays_schema_is_read_without_a_note() {
    let text = r#"{"approved":false,"summary":"One gap.","answers":[{"id":"S2","status":"withdrawn","note":"see 3"}],
      "issues":[{"severity":"blocker","category":"testability","claim":"absent","file":"docs/spec.md","line":12,
        "section":"Requirements","quote":"FR-2","description":"no limit","suggestion":"name one","same_as":"S1"}],
      "checks":[{"name":"goals","passed":true,"note":"all"}],
      "verified":[{"claim":"c","source":"s","result":"r"}],"files_read":[{"file":"prd.md","lines":40}]}"#;
    let parsed = parse(text.as_bytes());
    assert_eq!(parsed.notes, Vec::<String>::new());
    // The strict reader of stored events agrees on every field.
    assert_eq!(parsed.verdict, Some(serde_json::from_str(text).unwrap()));
}

#[test]
fn the_verdict_is_found_wherever_it_stands() {
    for text in [
        r#"{"approved": true, "issues": []}"#,
        "\u{feff}{\"approved\": true, \"issues\": []}",
        "```json\n{\"approved\": true,\n \"issues\": []}\n```",
        "Files read: prd.md (12 lines)\n\nAll well.\n{\"approved\": true, \"issues\": []}\nThanks!",
        "The set {a, b} and f() { return 1; } are fine. {\"approved\": true, \"issues\": []}",
        "An opening {\" that never ends, then {\"approved\": true, \"issues\": []}",
        "{ {\"approved\": true, \"issues\": []}",
        r#"{"type": "result", "verdict": {"approved": true, "issues": []}}"#,
        r#"[{"approved": true, "issues": []}]"#,
    ] {
        let parsed = parse(text.as_bytes());
        assert!(parsed.verdict.is_some_and(|verdict| verdict.approved), "{text:?}");
        assert_eq!(parsed.notes, Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn of_two_verdicts_the_last_counts_with_a_note() {
    let text = r#"First I thought {"approved": true, "issues": []}, but: {"approved": false, "issues": []} {"x": 1}"#;
    assert!(!read(text).approved);
    noted(text, "2 verdicts; the last one counts");
}

#[test]
fn a_text_without_an_approved_field_is_no_verdict() {
    for text in ["", "I approve.", "{}", r#"{"issues": []}"#, r#""approved": true"#, "[[[[", "{\"approved\""]
    {
        none(text, "no JSON object with an `approved` field");
    }
    none(r#"{"approved": "perhaps", "issues": []}"#, "neither true nor false");
    none(r#"{"approved": null, "issues": []}"#, "neither true nor false");
}

#[test]
fn a_verdict_that_breaks_off_is_none() {
    none(r#"{"approved": true, "issues": [{"severity": "blocker", "descr"#, "breaks off");
    none(r#"{"approved": true|false}"#, "breaks off");
    none(r#"{"approved": tru"#, "breaks off");
}

#[test]
fn an_approval_quoted_inside_a_broken_rejection_does_not_count() {
    none(
        r#"{"approved": false, "issues": [{"quote": "{"approved": true, "issues": []}"}]}"#,
        "an approval beside a verdict that cannot be read",
    );
    let again = r#"{"approved": false, "issues": [oops]} Again: {"approved": false, "issues": ["x"]}"#;
    assert_eq!(read(again).issues.len(), 1);
    noted(again, "beside the verdict stands one that cannot be read");
}

#[test]
fn usual_slips_in_the_json_are_forgiven() {
    let text = "{\"approved\": True, \"summary\": \"two\nlines, a \\d+ and \\u00e9\\ud83d\\ude00\\ud83d\", \"issues\": [], \"x\": [1, -2.5e1, None,],}";
    assert_eq!(read(text).summary, "two\nlines, a \\d+ and é😀\u{fffd}");
    assert!(read(text).approved);
}

#[test]
fn approval_in_other_words_is_read_with_a_note() {
    for (word, approved) in [
        ("\"true\"", true),
        ("\"Yes\"", true),
        ("1", true),
        ("\"approved\"", true),
        ("\"false\"", false),
        ("\"no\"", false),
        ("0", false),
        ("\"not approved\"", false),
    ] {
        let text = format!(r#"{{"approved": {word}, "issues": []}}"#);
        assert_eq!(read(&text).approved, approved, "{word}");
        noted(&text, "`approved` was written as");
    }
}

#[test]
fn severities_in_other_words_are_understood() {
    for (words, severity) in [
        ("blocker CRITICAL high Major error", Severity::Blocker),
        ("warning medium minor warn moderate", Severity::Warning),
        ("suggestion low nit info note", Severity::Suggestion),
    ] {
        for word in words.split(' ') {
            assert_eq!(
                issue(&format!(r#"{{"severity": "{word}", "description": "d"}}"#)).severity,
                severity,
                "{word}"
            );
        }
    }
}

#[test]
fn an_unknown_or_missing_severity_counts_as_a_warning_with_a_note() {
    assert_eq!(issue(r#"{"severity": "purple", "description": "d"}"#).severity, Severity::Warning);
    noted(
        r#"{"approved": false, "issues": [{"severity": "purple", "text": "d"}]}"#,
        "severity `purple` is not known",
    );
    noted(r#"{"approved": false, "issues": [{"text": "d"}]}"#, "without a severity");
}

#[test]
fn older_field_names_are_read() {
    let found = issue(r#"{"severity": "low", "task": "Task 1.2", "message": "m", "challenge": "why?"}"#);
    assert_eq!((found.section.as_str(), found.description.as_str()), ("Task 1.2", "m"));
    assert_eq!(found.suggestion, "why?");
    assert_eq!(issue(r#"{"severity": "low", "text": "t"}"#).description, "t");
    assert_eq!(issue(r#"{"severity": "low", "challenge": "why?"}"#).description, "why?");
    let findings = r#"{"approved": false, "findings": [{"severity": "low", "text": "t"}]}"#;
    assert_eq!(read(findings).issues.len(), 1);
}

#[test]
fn a_location_names_a_file_a_line_or_a_section() {
    for (location, file, line, section) in [
        ("docs/spec.md:12", "docs/spec.md", 12, ""),
        ("`spec.md:12-15`", "spec.md", 12, ""),
        ("spec.md, line 7", "spec.md", 7, ""),
        ("spec.md (lines 3 to 5)", "spec.md", 3, ""),
        ("src/a.rs#L40", "src/a.rs", 40, ""),
        ("spec.md", "spec.md", 0, ""),
        ("spec.md (Goals)", "spec.md", 0, "Goals"),
        ("spec.md: FR-3", "spec.md", 0, "FR-3"),
        ("spec.md section 3", "spec.md", 0, "section 3"),
        ("Requirements: FR-2", "", 0, "Requirements: FR-2"),
        ("Section 3.2", "", 0, "Section 3.2"),
        ("FR1.2", "", 0, "FR1.2"),
        ("Next.js routing", "", 0, "Next.js routing"),
        ("", "", 0, ""),
    ] {
        let found = issue(&format!(r#"{{"severity": "low", "text": "t", "location": "{location}"}}"#));
        assert_eq!(
            (found.file.as_str(), found.line, found.section.as_str()),
            (file, line, section),
            "{location}"
        );
    }
    let nested = issue(r#"{"severity": "low", "text": "t", "location": {"file": "a.md", "line": 3}}"#);
    assert_eq!((nested.file.as_str(), nested.line), ("a.md", 3));
    let both = issue(r#"{"severity": "low", "text": "t", "file": "a.md", "location": "b.md:3"}"#);
    assert_eq!((both.file.as_str(), both.line), ("a.md", 0));
}

#[test]
fn a_line_may_be_a_number_or_a_text() {
    for (line, expected) in [
        ("12", 12),
        ("\"12\"", 12),
        ("\"L12\"", 12),
        ("\"12-15\"", 12),
        ("12.0", 12),
        ("[12, 15]", 12),
        ("-3", 0),
        ("\"-3\"", 0),
        ("\"\"", 0),
        ("null", 0),
        ("99999999999", u32::MAX),
    ] {
        let found = issue(&format!(r#"{{"severity": "low", "text": "t", "file": "a.md", "line": {line}}}"#));
        assert_eq!((found.line, found.file.as_str()), (expected, "a.md"), "{line}");
    }
    let joined = issue(r#"{"severity": "low", "text": "t", "file": "a.md:9"}"#);
    assert_eq!((joined.file.as_str(), joined.line), ("a.md", 9));
}

#[test]
fn an_answer_in_other_words_is_understood_and_doubt_leaves_the_finding_open() {
    for (words, status) in [
        ("fixed|resolved|Done|addressed", AnswerStatus::Fixed),
        ("not_fixed|unresolved|not fixed|won't fix|wont fix|cannot_tell|still open", AnswerStatus::NotFixed),
        ("withdrawn|retracted|not an issue|false positive", AnswerStatus::Withdrawn),
        ("sort of|", AnswerStatus::NotFixed),
    ] {
        for word in words.split('|') {
            assert_eq!(answer(word), status, "{word}");
        }
    }
    noted(
        r#"{"approved": true, "answers": [{"id": "S1", "status": "sort of"}]}"#,
        "answer `sort of` is not known",
    );
}

#[test]
fn missing_issues_leave_a_note() {
    assert_eq!(read(r#"{"approved": true}"#).issues, Vec::new());
    noted(r#"{"approved": true}"#, "no list of issues");
    noted(r#"{"approved": true, "issues": "none"}"#, "`issues` is not a list");
}

#[test]
fn issues_may_be_plain_texts() {
    let text =
        r#"{"approved": false, "issues": ["blocker: no limit", "who may delete: nobody says", "", 7, {}]}"#;
    let issues = read(text).issues;
    let short: Vec<_> = issues.iter().map(|issue| (issue.severity, issue.description.as_str())).collect();
    assert_eq!(short, [(Severity::Blocker, "no limit"), (Severity::Warning, "who may delete: nobody says")]);
    noted(text, "an entry of `issues` says nothing");
}

#[test]
fn an_approval_that_names_a_blocker_keeps_both_facts() {
    let text = r#"{"approved": true, "issues": [{"severity": "blocker", "description": "d"}]}"#;
    let verdict = read(text);
    assert!(verdict.approved && verdict.issues[0].severity == Severity::Blocker);
    noted(text, "approves and names a blocker");
}

#[test]
fn a_rejection_without_an_issue_is_kept_for_the_judge() {
    assert_eq!(read(r#"{"approved": false, "issues": []}"#), Verdict::default());
}

#[test]
fn unknown_fields_are_ignored() {
    let text = r#"{"mood": {"approved": true}, "approved": false, "issues": [{"severity": "low", "text": "t", "z": [1]}]}"#;
    assert_eq!(read(text).issues.len(), 1);
    assert_eq!(parse(text.as_bytes()).notes, Vec::<String>::new());
}

#[test]
fn files_read_may_be_plain_names() {
    let verdict = read(
        r#"{"approved": true, "issues": [], "files_read": ["prd.md", {"path": "a.md", "lines": "12"}]}"#,
    );
    let names: Vec<_> = verdict.files_read.iter().map(|read| (read.file.as_str(), read.lines)).collect();
    assert_eq!(names, [("prd.md", 0), ("a.md", 12)]);
}

#[test]
fn absurd_lengths_are_cut_with_a_note() {
    let long = "é".repeat(5000);
    let text = format!(
        r#"{{"approved": false, "summary": "{long}", "issues": [{{"severity": "low", "quote": "{long}", "text": "t"}}]}}"#
    );
    let verdict = read(&text);
    assert_eq!(verdict.summary.chars().count(), 4000);
    assert_eq!(verdict.issues[0].quote.chars().count(), 4000);
    noted(&text, "a `summary` was longer than 4000 characters");
    let many = format!(r#"{{"approved": false, "issues": [{}"x"]}}"#, "\"y\",".repeat(300));
    assert_eq!(read(&many).issues.len(), 200);
    noted(&many, "has 301 entries; only the first 200 count");
}

#[test]
fn invalid_utf8_is_replaced_with_a_note() {
    let parsed = parse(b"\xff{\"approved\": true, \"summary\": \"a\xc3b\", \"issues\": []}\xfe");
    assert_eq!(parsed.verdict.map(|verdict| verdict.summary), Some("a\u{fffd}b".to_owned()));
    assert!(parsed.notes[0].contains("not valid UTF-8"), "{:?}", parsed.notes);
}

/// A quadratic reader would need hours for the big ones and minutes for the small ones; the bound is wide enough
/// for a slow, busy machine.
#[test]
fn megabytes_of_anything_are_read_in_linear_time() {
    const BIG: usize = 10_000_000;
    const SMALL: usize = 1_000_000;
    for (size, pattern, found) in [
        (BIG, "{", true),
        (BIG, "{\"a\":\"", true),
        (SMALL, "[", true),
        (SMALL, "{\"a\":{", true),
        (SMALL, "{\"a\":[", true),
        (SMALL, "{\"a\":[{\"b\":1},", true),
        (SMALL, "{\"approved\":{", false),
        (SMALL, "\\\"{\\\"", true),
        (SMALL, "{ ", true),
        (SMALL, "{\"\\", true),
        (SMALL, "{\"a\":1e", true),
        (SMALL, "{}", true),
        (SMALL, "\u{fffd}\"{", true),
    ] {
        let text = pattern.repeat(size / pattern.len()) + r#" {"approved": true, "issues": []}"#;
        let start = Instant::now();
        let parsed = parse(text.as_bytes());
        assert!(start.elapsed() < Duration::from_secs(20), "{pattern:?} took {:?}", start.elapsed());
        assert_eq!(parsed.verdict.is_some(), found, "{pattern:?}: {:?}", parsed.notes);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        parse(&bytes);
    }

    #[test]
    fn nothing_json_like_makes_it_panic(
        parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "d83d", " ", "1", "-", "e", "true", "é", "\"approved\"",
                "\"approved\":true", "\"issues\":", "\"line\":", "\"location\":", "\"a.md:1\"", "null",
            ]),
            0..60,
        )
    ) {
        parse(parts.concat().as_bytes());
    }

    #[test]
    fn every_verdict_survives_its_own_json(approved: bool, summary in "\\PC{0,20}", before in "[^{}\"]{0,20}") {
        let verdict = Verdict { approved, summary: summary.trim().to_owned(), ..Verdict::default() };
        let text = before + &serde_json::to_string(&verdict).unwrap();
        prop_assert_eq!(parse(text.as_bytes()).verdict, Some(verdict));
    }
}

/// A defect that several reviewers found stands once in an author's prompt, with all its ids.
#[test]
fn one_answer_under_several_ids_answers_each_of_them() {
    for (id, ids) in [
        ("Q1, X2", &["Q1", "X2"][..]),
        ("[Q1], [X2]", &["Q1", "X2"]),
        ("Q1 and X2", &["Q1", "X2"]),
        ("Q1/X2/I10", &["Q1", "X2", "I10"]),
        ("Q1", &["Q1"]),
        ("Q1, the first", &["Q1, the first"]),
        ("R1 of spec.md", &["R1 of spec.md"]),
    ] {
        let text = format!(
            r#"{{"approved": true, "issues": [], "answers": [{{"id": "{id}", "status": "fixed", "note": "n"}}]}}"#
        );
        let answers = read(&text).answers;
        let read: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
        assert_eq!(read, ids, "{id}");
        assert!(
            answers.iter().all(|answer| answer.note == "n" && answer.status == AnswerStatus::Fixed),
            "{id}"
        );
    }
}
