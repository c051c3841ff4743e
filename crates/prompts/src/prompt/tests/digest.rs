//! Tests what a digest shows, which roles get one, and where it places an open finding.

use super::super::*;
use super::cases::{self, ARTIFACT};
use super::profile_of;
use redraft_facts::choice::Strategy;
use redraft_facts::findings::Finding;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

#[test]
fn a_digest_shows_the_changes_and_the_sections_they_and_the_findings_touch_and_no_other() {
    let spec = "# T\n\n## A\n\nold words\n\n## B\n\nnew words\n\n## C\n\nopen words\n";
    let diff = "--- a/docs/features/031-key-limits/spec.md\n+++ b/docs/features/031-key-limits/spec.md\n\
                @@ -9 +9 @@\n-words\n+new words\n";
    let finding = Finding { quote: "open words".to_owned(), ..cases::finding('S', "says too little") };
    let brief = Brief {
        strategy: Strategy::Digest,
        artifact: Some(spec.as_bytes()),
        delta: Some(diff),
        findings: &[&finding],
        round: 2,
        ..cases::first(profile_of("spec-reviewer"))
    };
    let prompt = build(&brief);
    let sections = prompt.get("touched-sections").unwrap();
    assert!(
        sections.contains("Lines 7 to 13:") && sections.contains("## B\n\nnew words\n\n## C\n\nopen words")
    );
    assert!(!sections.contains("old words"), "{sections}");
    assert!(
        prompt.get("delta").is_some()
            && prompt.get("open-findings").unwrap().contains("Quote: \"open words\"")
    );
    assert_eq!(prompt.get("artifact"), None);
}

#[test]
fn a_digest_brings_a_section_that_is_cited_by_its_heading_with_what_is_below_it() {
    let filler = "Nothing of interest stands here.\n".repeat(40);
    let spec = format!(
        "# T\n\nintro\n\n## A\n\nabove\n\n### A.1\n\n```sh\n# not a heading\n```\n\n### A.2\n\nlast\n\n## B\n\n{filler}"
    );
    let finding =
        Finding { line: 0, quote: String::new(), section: "## A".to_owned(), ..cases::finding('S', "x") };
    let sections = |finding: &Finding| {
        let first = cases::first(profile_of("spec-reviewer"));
        let brief = Brief {
            strategy: Strategy::Digest,
            artifact: Some(spec.as_bytes()),
            delta: Some(""),
            findings: &[finding],
            round: 2,
            ..first
        };
        build(&brief).get("touched-sections").unwrap().to_owned()
    };
    let text = sections(&finding);
    assert!(
        text.contains("Lines 5 to 18:") && text.contains("# not a heading") && text.contains("last"),
        "{text}"
    );
    assert!(!text.contains("intro") && !text.contains("of interest"), "{text}");
    let top = Finding { section: "T".to_owned(), ..finding.clone() };
    assert!(sections(&top).contains("Lines 1 to 4:"), "not the whole document: {}", sections(&top));
    let elsewhere = Finding { file: "docs/x/prd.md".to_owned(), line: 7, ..finding };
    assert!(sections(&elsewhere).contains("No section of it is touched."), "line 7 is one of another file");
}

const MOVED: &str =
    "# T\n\n## New\n\nnew words stand here\n\n## Later\n\nthe gateway shall\nrefuse it quickly\n\nrest\n";
const MOVE: &str = "--- a/docs/features/031-key-limits/spec.md\n+++ b/docs/features/031-key-limits/spec.md\n\
    @@ -2,0 +3,4 @@\n+## New\n+\n+new words stand here\n+\n@@ -3 +7 @@\n-## Old\n+## Later\n";

fn listed_at(finding: &Finding, brief: Brief<'_>) -> String {
    let brief = Brief { artifact: Some(MOVED.as_bytes()), findings: &[finding], round: 2, ..brief };
    let prompt = build(&brief);
    let list = prompt.get("open-findings").unwrap().to_owned();
    list.split_once("(at: ").unwrap().1.lines().next().unwrap().trim_end_matches(')').to_owned() + ")"
}

#[test]
fn an_open_finding_is_listed_where_it_stands_now() {
    let reviewer = cases::first(profile_of("spec-reviewer"));
    let resumed = Brief { strategy: Strategy::Resume, delta: Some(MOVE), last_round: 1, ..reviewer };
    let raised = Finding { line: 5, section: "Old".to_owned(), ..cases::finding('S', "x") };
    // The quote is found although it is wrapped; the section it stood in has another name now.
    assert_eq!(listed_at(&raised, resumed), "spec.md:9 (Later)");
    assert_eq!(
        listed_at(&raised, reviewer),
        format!("{ARTIFACT}:9 (Old)"),
        "nobody said what became of the heading"
    );
    // Without a quote that stands there, the delta says where the line went, if it begins where the finding was raised.
    let bare = Finding { line: 8, quote: String::new(), section: "Rest".to_owned(), ..raised.clone() };
    assert_eq!(listed_at(&bare, resumed), "spec.md:12 (Rest)");
    assert_eq!(listed_at(&bare, Brief { last_round: 2, ..resumed }), "spec.md:8 (Rest)");
    let short = Finding { quote: "rest".to_owned(), ..bare.clone() };
    assert_eq!(
        listed_at(&short, Brief { last_round: 2, ..resumed }),
        "spec.md:8 (Rest)",
        "too short to tell"
    );
    // A section that is cited and still around the line stays, also where a smaller one is around it.
    let whole = Finding { section: "T".to_owned(), ..raised.clone() };
    assert_eq!(listed_at(&whole, resumed), "spec.md:9 (T)");
    let marked = Finding { quote: "- the `gateway` shall … it".to_owned(), line: 0, ..raised.clone() };
    assert_eq!(listed_at(&marked, resumed), "spec.md:9 (Later)", "marks are no part of the words");
    let other = Finding { file: "docs/x/prd.md".to_owned(), ..raised };
    assert_eq!(listed_at(&other, resumed), "prd.md:5 (Old)", "another file has not moved");
}

#[test]
fn nobody_is_given_a_digest_of_what_the_role_never_saw_whole() {
    let first = cases::first(profile_of("spec-reviewer"));
    let digest = Brief { strategy: Strategy::Digest, delta: Some("x"), ..first };
    assert_ne!(build(&digest), build(&first));
    assert_eq!(build(&Brief { delta: None, ..digest }), build(&first));
    assert_eq!(build(&Brief { purpose: Purpose::Certify, ..digest }), build(&first));
    let author = Brief { purpose: Purpose::Revise, ..cases::first(profile_of("spec-author")) };
    let digest = Brief { strategy: Strategy::Digest, ..author };
    assert_eq!(build(&digest), build(&author));
}
