use super::*;
use crate::case::cases;
use crate::plant::DocumentSet;
use redraft_facts::phase::Phase;

fn finding(words: &str) -> ExtraFinding {
    let issue = serde_json::json!({"severity": "blocker", "category": "x", "claim": "present", "file": "spec.md", "line": 7,
        "section": "", "quote": "", "description": words, "suggestion": "", "same_as": ""});
    let issue: Issue = serde_json::from_value(issue).unwrap_or_else(|error| panic!("{error}"));
    ExtraFinding::new("x.spec", &issue)
}

fn set(words: &[&str]) -> JudgedSet {
    JudgedSet {
        v: VERSION,
        document: "x.spec".to_owned(),
        findings: words.iter().map(|words| finding(words)).collect(),
    }
}

const ANSWER: &str = "Here:\n{\"findings\": [\
    {\"id\": \"F1\", \"reason\": \"R1 and R2\", \"class\": \"material\", \"same_as\": \"\"},\
    {\"id\": \"F2\", \"reason\": \"the same\", \"class\": \"material\", \"same_as\": \"F1\"},\
    {\"id\": \"F3\", \"reason\": \"taste\", \"class\": \"minor\", \"same_as\": \"\"},\
    {\"id\": \"F9\", \"reason\": \"\", \"class\": \"wrong\", \"same_as\": \"\"}]}";

#[test]
fn a_judgement_is_kept_by_finding_and_equal_defects_are_counted_once() {
    let set = set(&["one", "one again", "taste", "left out"]);
    let mut union = Union::default();
    assert_eq!(union.take(&set, "no form"), 0);
    assert_eq!(union.take(&set, ANSWER), 3);
    let judged = &union.documents["x.spec"];
    assert_eq!(
        judged.defects.iter().map(|defect| (defect.id.as_str(), defect.what.as_str())).collect::<Vec<_>>(),
        [("D1", "one")]
    );
    assert_eq!(judged.findings[&set.findings[1].key].defect.as_deref(), Some("D1"));
    assert_eq!(
        union.class_of("x.spec", &set.findings[2].key).map(|classed| classed.class),
        Some(Class::Minor)
    );
    // What was said stays.
    let before = union.clone();
    assert_eq!(union.take(&set, &ANSWER.replace("minor", "wrong")), 3);
    assert_eq!(union, before);
    assert_eq!(read::<Union>(&to_json(&union)), Ok(union));
    assert_eq!(read::<Union>("{\"v\": 2}"), Err(BadJudgement::Version(2)));
}

#[test]
fn a_later_set_may_name_a_known_defect_and_nothing_is_asked_twice() {
    let mut union = Union::default();
    let first = set(&["one", "one again", "taste", "left out"]);
    union.take(&first, ANSWER);
    let found: BTreeMap<String, ExtraFinding> =
        ["one", "left out", "new"].map(finding).into_iter().map(|one| (one.key.clone(), one)).collect();
    let sets = [pending("x.spec", &found, &union, &[]).unwrap()];
    assert_eq!(sets[0].findings.len(), 2);
    assert_eq!(pending("x.spec", &found, &union, &sets), None);
    let answer = "{\"findings\": [{\"id\": \"F1\", \"reason\": \"\", \"class\": \"material\", \"same_as\": \"D1\"}, \
                  {\"id\": \"F2\", \"reason\": \"\", \"class\": \"material\", \"same_as\": \"\"}]}";
    assert_eq!(union.take(&sets[0], answer), 2);
    assert_eq!(union.documents["x.spec"].defects.len(), 2);
    assert_eq!(pending("x.spec", &found, &union, &[]), None, "all of them have a class");
}

#[test]
fn what_does_not_fit_one_prompt_waits_until_the_judge_of_the_rest_can_be_told_what_is_known() {
    let whats: Vec<String> = (0..FINDINGS_MAX + 20).map(|number| format!("fault {number}")).collect();
    let found: BTreeMap<String, ExtraFinding> =
        whats.iter().map(|what| finding(what)).map(|one| (one.key.clone(), one)).collect();
    let mut union = Union::default();
    let first = pending("x.spec", &found, &union, &[]).unwrap();
    assert_eq!(first.findings.len(), FINDINGS_MAX);
    assert_eq!(pending("x.spec", &found, &union, core::slice::from_ref(&first)), None);
    assert!(pending("y.spec", &found, &union, core::slice::from_ref(&first)).is_some(), "another document");
    let class = |at: usize, same: &str| {
        format!("{{\"id\": \"F{at}\", \"reason\": \"\", \"class\": \"material\", \"same_as\": \"{same}\"}}")
    };
    let all = |first: &str, count: usize| {
        let later = (2..=count).map(|at| class(at, "F1"));
        let list: Vec<String> = [class(1, first)].into_iter().chain(later).collect();
        format!("{{\"findings\": [{}]}}", list.join(", "))
    };
    assert_eq!(union.take(&first, &all("", FINDINGS_MAX)), FINDINGS_MAX);
    let second = pending("x.spec", &found, &union, &[]).unwrap();
    assert_eq!(second.findings.len(), 20);
    assert_eq!(union.take(&second, &all("D1", 20)), 20);
    assert_eq!((union.documents["x.spec"].defects.len(), union.classed()), (1, FINDINGS_MAX + 20));
}

#[test]
fn the_judge_sees_the_clean_document_and_neither_arm_nor_severity() {
    let documents = DocumentSet {
        upstream: vec![("prd.md".to_owned(), "Links never end.\n".to_owned())],
        name: "spec.md".to_owned(),
        text: "# Spec\n\n```sh\nrun\n```\n".to_owned(),
    };
    let (clean, texts) = cases("x", Phase::Specify, &documents, 1, 1, 1).swap_remove(0);
    let mut union = Union::default();
    union.take(&set(&["one"]), ANSWER);
    let prompt = prompt(&clean, &texts, &union, &set(&["two", "three"]));
    assert_eq!(ids(&prompt), ["F1", "F2"]);
    let text = prompt.text();
    assert!(text.contains("Links never end.") && text.contains("````markdown\n# Spec"), "{text}");
    assert!(
        text.contains("- D1: one\n") && text.contains("### F2\n\nAt: spec.md:7\nFinding: three\n"),
        "{text}"
    );
    assert!(!text.contains("blocker") && !text.contains("ours"), "{text}");
    assert_eq!(document_of(&clean.id), "x.spec");
}
