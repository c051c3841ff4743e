//! Tests how an agent's answer about a feature is read and shown.

mod judging;

use super::*;
use crate::projections::costs::Sum;
use judging::asked;
use proptest::prelude::*;
use redraft_core::pipeline::Pipeline;
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::Phase;
use redraft_facts::usage::{Usage, Usd};

fn figures() -> Figures {
    let billed = Usage { uncached: 12_000, written: 0, read: 345, output: 678, cost: Usd(12_345) };
    let sum = Sum { dispatches: 13, failed: 1, billed, ..Sum::default() };
    let findings = FindingCounts { blockers: 3, warnings: 1, fixed: 4, ..FindingCounts::default() };
    let counts = Counts { passes: 1, rounds: 5, sum, findings, wall_ms: 121_000, ..Counts::default() };
    Figures {
        feature: Some(FeatureId(31)),
        slug: "key-limits".to_owned(),
        phases: vec![PhaseFigures { phase: Phase::Specify, counts }],
        total: counts,
        ..Figures::default()
    }
    .with(&FeatureChange { files: vec![("src/a.rs".to_owned(), 1_234, 7)] })
}

fn answer(observations: &[(&str, &str)]) -> RetroAnswer {
    let observations = observations
        .iter()
        .map(|(text, evidence)| Observation { text: (*text).to_owned(), evidence: (*evidence).to_owned() });
    RetroAnswer { observations: observations.collect(), ..RetroAnswer::default() }
}

fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}

#[test]
fn figures_are_put_in_by_name_and_a_statement_with_a_number_of_its_own_is_left_out() {
    let told = |text: &str, evidence: &str| {
        let page = markdown(&figures(), Some(&answer(&[(text, evidence)])), None);
        let review = section(&page, "Review").trim().to_owned();
        let said = page.contains("\nLeft out: 1 statement by the facilitator");
        assert_eq!(said, review == "No observation.", "{page}");
        review
    };
    for (text, evidence, line) in [
        (
            "It took {specify.rounds} rounds.",
            "S1, spec.md:6",
            "- It took 5 rounds. (evidence: S1, spec.md:6)",
        ),
        ("{cost} for {tokens_in} tokens", "", "- $0.0123 for 12,345 tokens"),
        ("{lines_added} lines in {files} file, {wall_time}", "", "- 1,234 lines in 1 file, 2 min 1 s"),
        ("13 dispatches, six rounds", "", "- 13 dispatches, six rounds"),
        ("{fixed}/{findings} fixed", "", "- 4/4 fixed"),
        ("S1 and S2 have one cause", "src/a.rs:99", "- S1 and S2 have one cause (evidence: src/a.rs:99)"),
        ("It took 6 rounds.", "", "No observation."),
        ("fine text", "after 99 minutes", "No observation."),
        ("{specify.money} was spent", "", "No observation."),
        ("{design.rounds} rounds", "", "No observation."),
        ("{rounds rounds", "", "No observation."),
        ("{rounds}0 rounds", "", "No observation."),
        ("{fixed}% fixed", "", "No observation."),
        ("1{rounds} rounds", "", "No observation."),
    ] {
        assert_eq!(told(text, evidence), line, "{text}");
    }
}

#[test]
fn a_page_without_an_answer_has_the_figures_and_the_reason() {
    let page = markdown(&figures(), None, Some("the agent failed\nthree times"));
    assert!(page.starts_with("# Retrospective: 031-key-limits\n"), "{page}");
    let row = "| specify | 1 | 5 | 13 | 1 | 0 | 4 | 12,345 | 678 | $0.0123 | 0 ms | 2 min 1 s |";
    assert!(section(&page, "Observe").contains(row), "{page}");
    assert!(section(&page, "Observe").contains("- specify: 3 blockers, 1 warning (4 fixed)\n"), "{page}");
    assert!(
        section(&page, "Observe").contains("- changed: 1 file, 1,234 lines added and 7 removed\n"),
        "{page}"
    );
    let why = "Nobody's words are here, only what was counted: the agent failed three times.";
    assert!(section(&page, "Review").contains(why), "{page}");
    assert_eq!(
        page,
        markdown(&figures(), None, Some("the agent failed\nthree times")),
        "the same every time"
    );
}

const WHOLE: &str = r###"{"observations": [{"text": "S1 came back.", "evidence": "S1"}, "a plain text"],
 "recommendations": [{"text": "Check it by lint.", "evidence": "S1", "confidence": "high"}, {"text": ""}],
 "patterns": [],
 "anti_patterns": [{"name": "## Anti-Pattern: A limit without a number", "text": "It is built by\nguessing.",
   "provenance": ["S1", "specify"], "confidence": "Medium"}],
 "heuristics": [{"name": "no text"}, {"name": "Ask early", "text": "Ask before you draft.", "confidence": "sure"}]}"###;

#[test]
fn an_answer_is_found_in_whatever_surrounds_it() {
    let bare = RetroAnswer::read(WHOLE).unwrap();
    assert_eq!(bare.observations.len(), 2);
    assert_eq!(bare.observations[1].text, "a plain text");
    assert_eq!(bare.recommendations.len(), 1, "one without a text says nothing");
    assert_eq!(bare.recommendations[0].confidence, Confidence::High);
    let [anti] = bare.anti_patterns.as_slice() else { panic!("{bare:?}") };
    assert_eq!(
        (anti.name.as_str(), anti.text.as_str()),
        ("A limit without a number", "It is built by guessing.")
    );
    assert_eq!((anti.provenance.as_str(), anti.confidence), ("S1; specify", Confidence::Medium));
    let [ask] = bare.heuristics.as_slice() else { panic!("{bare:?}") };
    assert_eq!(
        (ask.kind, ask.confidence),
        (LessonKind::Heuristic, Confidence::Low),
        "what is unclear counts least"
    );
    let fenced = format!("Here you are:\n\n```json\n{WHOLE}\n```\nThat is all {{really}}.");
    assert_eq!(RetroAnswer::read(&fenced).unwrap(), bare);
    let behind = format!(r#"{{"act": {{"note": "what I did first"}}}} and then {WHOLE}"#);
    assert_eq!(RetroAnswer::read(&behind).unwrap(), bare);
    let before = format!(r#"{WHOLE} and then {{"act": []}}"#);
    assert_eq!(RetroAnswer::read(&before).unwrap(), bare);
    let nested = r#"{"observe": {}, "review": {"observations": [{"observation": "o"}]}, "tune": {"recommendations": [
        {"recommendation": "r", "confidence": "low"}]}, "act": {"anti-patterns": [{"name": "n", "text": "t"}]}}"#;
    let nested = RetroAnswer::read(nested).unwrap();
    assert_eq!(
        (nested.observations.len(), nested.recommendations.len(), nested.anti_patterns.len()),
        (1, 1, 1)
    );
}

#[test]
fn an_answer_that_cannot_be_used_says_why() {
    for (text, why) in [
        ("", "no JSON object with `observations`"),
        ("All went well.", "no JSON object with `observations`"),
        (r#"{"approved": true}"#, "no JSON object with `observations`"),
        (r#"{"observations": [{"text": "a"#, "breaks off"),
    ] {
        assert!(RetroAnswer::read(text).unwrap_err().contains(why), "{text}");
    }
    let empty = RetroAnswer::read(r#"{"observations": "many"}"#).unwrap();
    assert_eq!(empty, RetroAnswer::default(), "nothing was understood, and nothing is made up");
    let page = markdown(&figures(), Some(&empty), None);
    assert!(page.contains("No observation.") && page.contains("No new lesson."), "{page}");
}

#[test]
fn a_list_has_a_most_and_the_page_says_what_was_not_read() {
    let many: Vec<String> = (0..40).map(|_| r#"{"text": "t", "evidence": ""}"#.to_owned()).collect();
    let lessons: Vec<String> = ('a'..='g').map(|c| format!(r#"{{"name": "{c}", "text": "t"}}"#)).collect();
    let text = format!(r#"{{"observations": [{}], "patterns": [{}]}}"#, many.join(","), lessons.join(","));
    let read = RetroAnswer::read(&text).unwrap();
    assert_eq!((read.observations.len(), read.patterns.len(), read.beyond), (8, 3, 32 + 4));
    assert!(markdown(&figures(), Some(&read), None).contains("Not read: 36 statements"));
}

/// A lesson with numbers from one feature would be a rule without a reason in another.
#[test]
fn a_lesson_with_a_number_in_it_is_kept_nowhere() {
    let entry = |name: &str, text: &str, provenance: &str| NewLesson {
        kind: LessonKind::Heuristic,
        name: name.to_owned(),
        text: text.to_owned(),
        provenance: provenance.to_owned(),
        confidence: Confidence::High,
    };
    let answer = RetroAnswer {
        heuristics: vec![
            entry("Ask early", "Ask before FR-2 is drafted in spec.md.", "S1 in specify"),
            entry("ask EARLY", "Said before.", ""),
            entry("Stop after 5 rounds", "Do.", ""),
            entry("Stop", "After 6 rounds.", ""),
            entry("Name it", "As in {rounds}.", ""),
            entry("Keep it", "Where it is.", "after 5 rounds"),
        ],
        ..RetroAnswer::default()
    };
    let kept = new_entries(&answer);
    let told: Vec<(&str, &str)> =
        kept.iter().map(|one| (one.name.as_str(), one.provenance.as_str())).collect();
    assert_eq!(told, [("Ask early", "S1 in specify"), ("Keep it", "")]);
    let page = markdown(&figures(), Some(&answer), None);
    let act = section(&page, "Act");
    assert!(act.contains("- heuristic: **Ask early**. Ask before FR-2"), "{act}");
    assert!(act.contains("Left out: 4 statements"), "{act}");
    assert!(!act.contains("rounds"), "{act}");
}

#[test]
fn nothing_an_agent_writes_can_hide_the_rest_of_the_page() {
    let text = r###"{"observations": [{"text": "<!-- ## gone", "evidence": "a\n\n## Act\n"}]}"###;
    let page = markdown(&figures(), Some(&RetroAnswer::read(text).unwrap()), None);
    assert!(!page.contains("<!--"), "{page}");
    assert_eq!(page.matches("\n## Act\n").count(), 1, "{page}");
}

proptest! {
    /// Whatever an agent writes: no panic, bounded, one line each, and no number that was not counted.
    #[test]
    fn every_text_is_read_within_bounds(text in any_answer()) {
        let asked = asked();
        if let Ok(read) = Judgements::read(&text, &asked) {
            prop_assert_eq!(read.len(), asked.names.len());
        }
        if let Ok(answer) = RetroAnswer::read(&text) {
            let figures = figures();
            let page = markdown(&figures, Some(&answer), None);
            prop_assert!(page.chars().count() < 25_000);
            prop_assert_eq!(page.matches("\n## ").count(), 4);
            let known = numeral::KnownNumbers::from_figures(&figures);
            for line in section(&page, "Review").lines().chain(section(&page, "Tune").lines()) {
                prop_assert!(numeral::first_unknown_number(line, &known).is_none(), "{}", line);
            }
            prop_assert!(new_entries(&answer).len() <= 9);
        }
    }
}

/// Texts between noise and an answer.
fn any_answer() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z0-9 {}.\"\\\\%,/-]{0,24}",
        Just("{rounds}".to_owned()),
        Just("five 5 S1 src/a.rs:3".to_owned()),
        "\\PC{0,12}",
    ];
    let item = (word.clone(), word.clone(), word).prop_map(|(text, evidence, name)| {
        serde_json::json!({"text": text, "evidence": evidence, "name": name, "entry": "B1",
            "judgement": "challenged", "contradiction": text, "cites": [evidence], "confidence": "high"})
    });
    let whole = proptest::collection::vec(item, 0..12).prop_map(|items| {
        serde_json::json!({"observations": items, "recommendations": items, "patterns": items,
            "heuristics": items, "judgements": items})
        .to_string()
    });
    let noise = "\\PC{0,200}";
    let cut = proptest::option::of(0usize..2_000);
    (whole, noise, cut).prop_map(|(whole, noise, cut)| {
        let whole: String = whole.chars().take(cut.unwrap_or(usize::MAX)).collect();
        format!("{noise}\n{whole}")
    })
}

/// A host does not tell what it used.
#[test]
fn what_nobody_told_is_unknown_and_not_nothing() {
    let mut told = figures();
    told.total.sum = Sum { dispatches: 13, unknown: 13, hosts: 13, ..Sum::default() };
    assert_eq!(told.fill("{cost} for {tokens_in}"), Ok("unknown for unknown".to_owned()));
    assert_eq!(told.fill("{dispatches}, {failed}"), Ok("13, 0".to_owned()));
    let sent = bundle(&told, &Pipeline::default(), &[], &FeatureChange::default(), &[]);
    for name in ["{cost}", "{tokens_out}", "{failed}", "{specify.passes}"] {
        assert!(!sent.contains(&format!("| {name} |")), "{name}: {sent}");
    }
    assert!(sent.contains("| {dispatches} | 13 |") && sent.contains("| {specify.rounds} | 5 |"), "{sent}");
}
