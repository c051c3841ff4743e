//! Tests how an agent judges lessons of earlier features.

use super::figures;
use crate::retro::*;
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::{Built, Entry, FeatureCreated, Report};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::{FeatureId, FindingId, Revision, Role};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::verdict::{Claim, Severity};

fn finding(id: &str, description: &str) -> Finding {
    Finding {
        id: FindingId::new(id),
        role: Role::new("spec-reviewer"),
        round: 1,
        severity: Severity::Blocker,
        category: "testability".to_owned(),
        claim: Claim::Present,
        file: "docs/spec.md".to_owned(),
        line: 6,
        section: String::new(),
        quote: String::new(),
        description: description.to_owned(),
        suggestion: String::new(),
        status: Status::Fixed,
        late: false,
        unverified: None,
        note: String::new(),
        by: None,
    }
}

/// A feature with one finding, one decision and two changed files.
fn feature() -> (Pipeline, Vec<Entry>, FeatureChange) {
    let created = FeatureCreated {
        id: FeatureId(31),
        uuid: redraft_facts::ids::FeatureUuid::new("6a658c6d-be4d-4cd1-a5cc-dd57b152e7c6"),
        slug: "key-limits".to_owned(),
        idea: "x".to_owned(),
        lane: Lane::Standard,
        base_branch: "main".to_owned(),
        base_commit: "c".to_owned(),
        branch: "b".to_owned(),
        prd: None,
        in_place: false,
        until: Phase::Implement,
        lane_reason: String::new(),
        project: None,
        depends_on: Vec::new(),
        document: None,
        brainstorm_source: None,
        ask_after: Vec::new(),
        change: None,
    };
    let opened = redraft_facts::event::LoopOpened {
        phase: Phase::Specify,
        pass: 1,
        author: Role::new("spec-author"),
        panels: Vec::new(),
        paths: vec!["docs/spec.md".to_owned()],
        gates: Vec::new(),
        limits: redraft_facts::event::Limits::default(),
        rule: redraft_facts::findings::Threshold::Strict,
        certify: redraft_facts::event::Certify::Resume,
        policy: redraft_facts::choice::Policy::Guarded,
        knowledge: redraft_facts::choice::Knowledge::Full,
        config: redraft_facts::ids::BlobId::new("c"),
        base: None,
        profiles: BTreeMap::new(),
        project: None,
        tasks: Vec::new(),
        extras: BTreeMap::new(),
        checks: BTreeMap::new(),
        asks_first: false,
        bundle: None,
        bank: None,
        same_hand: false,
        put_off: Vec::new(),
        conventions: None,
        asks_after: false,
    };
    let mut open = redraft_core::review::Loop::new(created.scope(), opened, None);
    open.findings.push(finding("S1", "No number says when a key is over its limit."));
    let pipeline = Pipeline { created: Some(created), past: vec![open], ..Pipeline::default() };
    let built = Built {
        ticket: "031/implement.1/task-1.2/implement/implementer/1.1".parse().unwrap(),
        revision: Revision::new("r"),
        commit: "c".to_owned(),
        report: Report {
            decisions: "A minute is counted from the first request of a key".to_owned(),
            deviations: "none".to_owned(),
            ..Report::default()
        },
        files: vec!["src/counter.rs".to_owned()],
        already: false,
        notes: Vec::new(),
        unfinished: None,
    };
    let entries = vec![Entry { seq: 1, at_ms: 0, event: built.into() }];
    let change = FeatureChange {
        files: vec![("src/counter.rs".to_owned(), 41, 0), ("src/gateway.rs".to_owned(), 6, 1)],
    };
    (pipeline, entries, change)
}

pub(super) fn asked() -> Judging {
    let (pipeline, entries, change) = feature();
    let older = ["A limit without a number", "Count from the full minute", "Same", "Same"].map(|name| {
        Older { kind: "heuristic", name, text: "its own words are no evidence", why: "shares words" }
    });
    judge_bundle(&older, &pipeline, &entries, &change).unwrap()
}

#[test]
fn lessons_are_asked_about_with_what_the_feature_did() {
    let text = asked().text;
    for words in [
        "### B1, heuristic: A limit without a number\n\nWhy it is asked about: shares words\n",
        "### B4, heuristic: Same\n",
        "src/counter.rs +41 -0\n",
        "task 1.2, decided: A minute is counted from the first request of a key\n",
        "S1 [blocker, fixed] docs/spec.md:6: No number says when a key is over its limit.\n",
    ] {
        assert!(text.contains(words), "no `{words}` in:\n{text}");
    }
    assert!(!text.contains("deviated"), "what is none is not told");
}

/// SC-13: challenge texts are specific.
#[test]
fn sc_13_a_challenge_counts_only_where_it_names_what_contradicts_the_lesson() {
    let asked = asked();
    let judged = |contradiction: &str, cites: &str| {
        let answer = serde_json::json!({"judgements": [
            {"entry": "B2", "judgement": "challenged", "contradiction": contradiction, "cites": [cites]}]});
        let read = Judgements::read(&answer.to_string(), &asked).unwrap();
        assert_eq!(read.len(), 4);
        read[1].1.clone()
    };
    for (contradiction, cites) in [
        ("Here src/counter.rs counts from another moment.", ""),
        ("Here `counter.rs:12` counts from another moment.", ""),
        ("It counts from another moment, as S1 shows.", ""),
        ("It counts from another moment.", "s1"),
        ("It counts from another moment.", "src/gateway.rs"),
        ("It counts from another moment.", "counted from the FIRST\n request"),
        ("It says \"counted from the first request\", not the minute.", ""),
        ("It says “counted from the first request”, not the minute.", ""),
        ("The decision of task 1.2 says otherwise.", ""),
    ] {
        let text = contradiction.to_owned();
        assert_eq!(judged(contradiction, cites), LessonStance::Challenged(text), "{contradiction} {cites}");
    }
    for (contradiction, cites) in [
        ("", "S1"),
        ("Not so.", "S1"),
        ("This feature did it otherwise and it went well.", ""),
        ("This feature did it otherwise in src/other.rs.", "src/other.rs"),
        ("This feature did it otherwise, see S2.", "S2"),
        ("This feature did it otherwise and it went well.", "its own words are no evidence"),
        ("This feature did it otherwise and it went well.", "of a"),
        ("The decision of task 9.9 says otherwise.", ""),
    ] {
        assert_eq!(judged(contradiction, cites), LessonStance::Skipped, "{contradiction} {cites}");
    }
}

#[test]
fn every_lesson_that_was_asked_about_has_one_judgement_and_no_other_has() {
    let asked = asked();
    let read = |text: &str| {
        let read = Judgements::read(text, &asked).unwrap();
        let stances: Vec<String> = read.iter().map(|(_, stance)| format!("{stance:?}")).collect();
        assert_eq!(read.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), asked.names);
        stances.join(" ")
    };
    for (judgements, stances) in [
        ("", "Skipped Skipped Skipped Skipped"),
        (r#"{"entry": "B1", "judgement": "confirmed"}"#, "Confirmed Skipped Skipped Skipped"),
        (
            r#"{"entry": "count from the FULL minute", "judgement": "confirmed"}"#,
            "Skipped Confirmed Skipped Skipped",
        ),
        (r#"{"entry": "B2: Count from", "judgement": "Confirmed"}"#, "Skipped Confirmed Skipped Skipped"),
        // Two have that name.
        (r#"{"entry": "Same", "judgement": "confirmed"}"#, "Skipped Skipped Skipped Skipped"),
        (r#"{"entry": "B4", "judgement": "confirmed"}"#, "Skipped Skipped Skipped Confirmed"),
        (
            r#"{"entry": "B5", "judgement": "confirmed"}, {"entry": "B0", "judgement": "confirmed"}"#,
            "Skipped Skipped Skipped Skipped",
        ),
        (r#"{"entry": "Unknown", "judgement": "confirmed"}, 7, "B1""#, "Skipped Skipped Skipped Skipped"),
        (r#"{"entry": "B1", "judgement": "great"}"#, "Skipped Skipped Skipped Skipped"),
        (
            r#"{"entry": "B1", "judgement": "confirmed"}, {"entry": "B1", "judgement": "skipped"}"#,
            "Skipped Skipped Skipped Skipped",
        ),
    ] {
        let text = format!("Well:\n```json\n{{\"judgements\": [{judgements}]}}\n```");
        assert_eq!(read(&text), stances, "{judgements}");
    }
    for text in ["", "all confirmed", r#"{"judgements": "all"}"#, r#"{"judgements": [{"entry": "B1""#] {
        assert!(Judgements::read(text, &asked).is_err(), "{text}");
    }
}

#[test]
fn more_than_can_be_asked_at_once_is_an_error_that_says_how_much() {
    let (pipeline, entries, change) = feature();
    let long = "word ".repeat(500);
    let older = vec![Older { kind: "heuristic", name: "n", text: &long, why: "w" }; 40];
    let why = judge_bundle(&older, &pipeline, &entries, &change).unwrap_err();
    assert!(why.starts_with("40 lessons are about ") && why.ends_with("at most 24,000 are sent"), "{why}");
}

#[test]
fn what_became_of_earlier_lessons_is_told_without_numbers_of_an_agent() {
    let stances = [
        ("A".to_owned(), LessonStance::Confirmed),
        ("B".to_owned(), LessonStance::Challenged("src/a.rs does otherwise".to_owned())),
        ("C".to_owned(), LessonStance::Challenged("src/a.rs waits 99 seconds".to_owned())),
        ("D".to_owned(), LessonStance::Skipped),
    ];
    let told = judged(&figures(), &stances);
    assert!(told.contains("- Confirmed: A\n- Challenged: B — src/a.rs does otherwise\n"), "{told}");
    assert!(told.contains("- Challenged: C; its entry says why\n") && !told.contains("99"), "{told}");
    assert_eq!(judged(&figures(), &stances[3..]), "");
}
