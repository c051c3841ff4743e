use super::*;
use crate::case::SecondRevision;
use crate::plant::PlantKind;
use redraft_facts::phase::Phase;
use serde_json::{Value, json};

fn plant(kind: PlantKind, line: u32, words: &[&[&str]]) -> Plant {
    let words = words.iter().map(|group| group.iter().map(|word| (*word).to_owned()).collect()).collect();
    Plant { kind, file: "spec.md".to_owned(), line, lines: 1, what: String::new(), words }
}

fn case() -> Case {
    Case {
        v: 1,
        id: "x.spec.1".to_owned(),
        phase: Phase::Specify,
        upstream: Vec::new(),
        plants: vec![
            plant(PlantKind::NumberChanged, 10, &[&["60", "30"]]),
            plant(PlantKind::FailureDropped, 40, &[&["unavailable", "store", "repeated"]]),
        ],
        second: Some(SecondRevision {
            left: 1,
            left_line: 41,
            new: Some(plant(PlantKind::InterfaceChanged, 70, &[&["expires_at", "expires_ats"]])),
        }),
        files: Vec::new(),
    }
}

fn issue(severity: &str, line: u32, description: &str) -> Value {
    json!({"severity": severity, "category": "x", "claim": "present", "file": "docs/spec.md", "line": line, "section": "",
        "quote": "", "description": description, "suggestion": "", "same_as": ""})
}

fn answer(approved: bool, issues: &[Value], answers: &[(&str, &str)]) -> String {
    let answers: Vec<Value> =
        answers.iter().map(|(id, status)| json!({"id": id, "status": status, "note": "seen"})).collect();
    json!({"approved": approved, "summary": "s", "answers": answers, "issues": issues, "checks": [], "verified": [],
        "files_read": []})
    .to_string()
}

fn first(issues: &[Value]) -> Scored {
    score(&case(), ReviewRound::First, &answer(false, issues, &[]), Threshold::Blockers)
}

#[test]
fn a_plant_is_caught_by_what_names_it_wherever_it_is_placed() {
    let scored = first(&[
        issue("blocker", 90, "R1 says 60 and AC1 says 30"),
        issue("warning", 41, "the store is down"),
    ]);
    assert_eq!(scored.plants, [Caught::Blocking, Caught::Otherwise]);
    assert_eq!((scored.extra_blocking, scored.extra_other), (0, 0));
}

#[test]
fn a_telling_word_far_away_is_not_enough_and_a_part_of_a_number_is_none() {
    let scored = first(&[issue("blocker", 90, "the store is slow"), issue("blocker", 10, "600 is too many")]);
    assert_eq!(scored.plants, [Caught::Missed, Caught::Missed]);
    assert_eq!(scored.extra_blocking, 2);
}

#[test]
fn whether_a_warning_blocks_is_the_rule_s_to_say() {
    let said = answer(false, &[issue("warning", 10, "30 or 60?")], &[]);
    let plants = |rule| score(&case(), ReviewRound::First, &said, rule).plants[0];
    assert_eq!(
        (plants(Threshold::Strict), plants(Threshold::Blockers)),
        (Caught::Blocking, Caught::Otherwise)
    );
}

#[test]
fn a_second_review_must_see_what_was_left_and_what_is_new_and_leave_the_rest() {
    let second = |issues: &[Value], answers: &[(&str, &str)]| {
        score(&case(), ReviewRound::Second, &answer(false, issues, answers), Threshold::Blockers)
    };
    let right =
        second(&[issue("blocker", 70, "`expires_ats` is nowhere")], &[("S1", "fixed"), ("S2", "not_fixed")]);
    assert_eq!(
        (right.plants.as_slice(), right.left, right.again),
        ([Caught::Blocking].as_slice(), Some(true), 0)
    );
    let wrong = second(&[issue("blocker", 10, "60 and 30 differ")], &[("S1", "not_fixed"), ("S2", "fixed")]);
    assert_eq!(
        (wrong.plants.as_slice(), wrong.left, wrong.again),
        ([Caught::Missed].as_slice(), Some(false), 1)
    );
}

#[test]
fn what_is_no_verdict_found_nothing() {
    let scored = score(&case(), ReviewRound::First, "It looks good to me, 60 and 30.", Threshold::Blockers);
    assert!(!scored.readable && !scored.approved);
    assert_eq!(scored.plants, [Caught::Missed, Caught::Missed]);
    assert_eq!(scored.words, 8);
}

fn code_case() -> Case {
    let code = |kind, file: &str, line, words: &[&[&str]]| Plant {
        file: file.to_owned(),
        ..plant(kind, line, words)
    };
    Case {
        phase: Phase::Implement,
        plants: vec![
            code(
                PlantKind::Boundary,
                "src/links/mod.rs",
                10,
                &[&["count", "MAX_LINKS"], &["boundary", ">="]],
            ),
            code(PlantKind::ErrorSwallowed, "src/store/mod.rs", 40, &[&["save"], &["swallowed", "ignored"]]),
        ],
        second: None,
        ..case()
    }
}

#[test]
fn a_defect_in_code_is_caught_in_its_own_file_by_the_reviewer_whose_work_it_is() {
    let found = |file: &str, line: u32, description: &str| {
        let mut issue = issue("blocker", line, description);
        issue["file"] = json!(file);
        issue
    };
    let caught = |issues: &[Value]| {
        score(&code_case(), ReviewRound::First, &answer(false, issues, &[]), Threshold::Blockers)
    };
    let right = found("src/links/mod.rs", 11, "with count equal to MAX_LINKS the boundary is off");
    let seen = caught(&[right]);
    assert_eq!(seen.plants, [Caught::Blocking, Caught::Missed]);
    // The same words about another file of that name are something else.
    let elsewhere = caught(&[found("src/users/mod.rs", 11, "count, MAX_LINKS and the boundary")]);
    assert_eq!((elsewhere.plants, elsewhere.extra_blocking), (vec![Caught::Missed, Caught::Missed], 1));
    let quality = caught(&[found("mod.rs", 40, "the error of save is ignored")]);
    assert_eq!(quality.plants, [Caught::Missed, Caught::Blocking]);
    let case = code_case();
    let of = |scored: &Scored, role| scored.clone().of_role(&case, ReviewRound::First, Some(role)).plants;
    assert_eq!(of(&seen, "implementation-reviewer"), [Caught::Blocking]);
    assert_eq!(of(&seen, "code-quality-reviewer"), [Caught::Missed]);
    assert_eq!(of(&seen, "security-reviewer"), []);
    let together = Scored::together(&[seen.clone(), quality]).expect("two answers");
    assert_eq!(
        (together.plants, together.words > seen.words),
        (vec![Caught::Blocking, Caught::Blocking], true)
    );
}
