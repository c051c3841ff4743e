use super::*;
use crate::choice::{Knowledge, Lifetime, Policy, Strategy};
use crate::findings::{FindingChange, Status, Threshold};
use crate::phase::{Lane, Phase};
use crate::probed::{CheckId, ProbeResult, Resume};
use crate::ticket::Purpose;
use crate::usage::Payment;
use crate::verdict::{AnswerStatus, Claim, Severity};
use serde_json::Value;
use std::collections::BTreeSet;

/// Events as they are stored, a line each: kind, version and body. A line is never changed; a new version of a kind adds
/// lines.
const STORED: &str = include_str!("version-1.txt");

fn stored() -> impl Iterator<Item = (&'static str, u16, &'static str)> {
    STORED.lines().map(|line| {
        let mut parts = line.splitn(3, ' ');
        let mut next = || parts.next().expect("a kind, a version and a body");
        (next(), next().parse().expect("a version"), next())
    })
}

fn read(kind: &str, version: u16, body: &str) -> Event {
    match Event::decode(kind, version, body) {
        Ok(event) => event,
        Err(error) => panic!("{error}\n{body}"),
    }
}

#[test]
fn what_is_stored_is_read_and_written_again_byte_for_byte() {
    let mut kinds = BTreeSet::new();
    for (kind, version, body) in stored() {
        let event = read(kind, version, body);
        kinds.insert(event.kind());
        assert_eq!((event.kind(), event.version()), (kind, version));
        assert_eq!(event.encode(), body);
    }
    let missing: Vec<_> = KINDS.iter().filter(|(kind, _)| !kinds.contains(kind)).collect();
    assert!(missing.is_empty(), "no stored event of {missing:?}");
}

/// Every object in a value, by its pointer. Those that are maps have keys of their own and no fields.
fn objects(value: &Value, at: String) -> Vec<String> {
    const MAPS: [&str; 3] = ["/profiles", "/extras", "/checks"];
    match value {
        Value::Array(list) => {
            list.iter().enumerate().flat_map(|(n, one)| objects(one, format!("{at}/{n}"))).collect()
        }
        Value::Object(fields) => {
            let inside = fields.iter().flat_map(|(name, one)| objects(one, format!("{at}/{name}")));
            let own = (!MAPS.contains(&at.as_str())).then(|| at.clone());
            own.into_iter().chain(inside).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[test]
fn a_field_that_is_missing_or_unknown_is_refused_however_deep_it_is() {
    for (kind, version, body) in stored() {
        let whole: Value = serde_json::from_str(body).expect("a body");
        let with = |object: &str, change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut changed = whole.clone();
            change(changed.pointer_mut(object).and_then(Value::as_object_mut).expect("it was found there"));
            Event::decode(kind, version, &changed.to_string())
        };
        for object in objects(&whole, String::new()) {
            let more = with(&object, &|fields| drop(fields.insert("more".to_owned(), Value::from(1))));
            assert!(matches!(more, Err(DecodeError::Malformed { .. })), "{kind}{object}: an unknown field");
            let fields = whole.pointer(&object).and_then(Value::as_object).expect("it was found there");
            for name in fields.keys() {
                let less = with(&object, &|fields| drop(fields.remove(name)));
                // A missing field that may be null reads as null, and nothing else is made up.
                let null = with(&object, &|fields| drop(fields.insert(name.clone(), Value::Null)));
                assert!(less.is_err() || less == null, "{kind}{object}/{name} is missing");
            }
        }
    }
}

#[test]
fn what_a_newer_program_wrote_is_told_apart_from_damage() {
    for (kind, version) in KINDS {
        let newer = Event::decode(kind, version + 1, "{}");
        assert_eq!(
            newer,
            Err(DecodeError::Newer { kind: kind.to_string(), version: version + 1, known: *version })
        );
    }
    assert!(matches!(Event::decode("later", 1, "{}"), Err(DecodeError::UnknownKind { .. })));
}

/// Compares the words of choices without content with how they are stored. The compiler asks for each new one.
macro_rules! words {
    ($($choice:ident { $($variant:ident $word:literal),+ $(,)? })+) => {$(
        for one in [$($choice::$variant),+] {
            let word = match one { $($choice::$variant => $word,)+ };
            assert_eq!(serde_json::to_value(one).expect("a word"), word, "{}", stringify!($choice));
            let read: $choice = serde_json::from_value(Value::from(word)).expect(word);
            assert_eq!(read, one);
        }
    )+};
}

#[test]
fn every_choice_has_the_word_under_which_it_is_stored() {
    words! {
        Phase {
            Specify "specify", Design "design", CreatePlan "create-plan", CreateTasks "create-tasks",
            Implement "implement", Finish "finish", Document "document",
        }
        Lane { Express "express", Standard "standard", Deep "deep" }
        FeatureLife { Planned "planned", Active "active", Completed "completed", Abandoned "abandoned" }
        MergeHistory { Keep "keep", Squash "squash" }
        Extra { Simplify "simplify", Deepen "deepen" }
        Certify { Resume "resume", Fresh "fresh", Off "off" }
        Threshold { Strict "strict", Blockers "blockers" }
        Knowledge { Full "full", Scoped "scoped" }
        Policy {
            Seed "seed", Guarded "guarded", Fresh "fresh", Resume "resume", Inline "inline", Digest "digest",
            Cost "cost",
        }
        Strategy { Inline "inline", Lazy "lazy", Digest "digest", Resume "resume" }
        Lifetime { FiveMinutes "5m", HalfHour "30m", Hour "1h", HalfDay "12h" }
        PlayerKind {
            Unknown "unknown", Rehearsal "rehearsal", Claude "claude", Codex "codex", Anthropic "anthropic",
            OpenAi "openai", Pull "pull",
        }
        Payment { Unknown "unknown", Key "key", Subscription "subscription", Login "login" }
        StageOutcome { Approved "approved", Failed "failed" }
        Decision {
            Accept "accept", Rerun "rerun", Retry "retry", Abandon "abandon", Answer "answer", Assume "assume",
            Skip "skip", Go "go", Uphold "uphold", Overrule "overrule", Approve "approve", Comment "comment",
        }
        Status {
            Open "open", Fixed "fixed", Withdrawn "withdrawn", Deferred "deferred", Ruled "ruled",
            Overruled "overruled",
        }
        AnswerStatus { Fixed "fixed", NotFixed "not_fixed", Withdrawn "withdrawn" }
        Severity { Suggestion "suggestion", Warning "warning", Blocker "blocker" }
        Claim { Present "present", Absent "absent" }
        Resume { Yes "yes", No "no", Unproved "unproved" }
        CheckId {
            V1 "V1", V2 "V2", V3 "V3", V4 "V4", Structured "structured", Cache "cache", Commit "commit",
        }
        ProbeResult { Passed "passed", Failed "failed", NotTried "not_tried" }
        Purpose {
            Draft "draft", Revise "revise", Review "review", Validate "validate", Certify "certify",
            Repair "repair", Implement "implement", Simplify "simplify", Outline "outline", Tests "tests",
            Retro "retro", Judge "judge", Probe "probe",
        }
    }
}

#[test]
fn every_choice_with_content_is_among_the_stored_events() {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (kind, version, body) in stored() {
        match read(kind, version, body) {
            Event::Failed(fact) => {
                seen.insert(match fact.now {
                    AfterFailure::Wait(_) => "wait",
                    AfterFailure::ParkUntil(_) => "park_until",
                    AfterFailure::FreshSession => "fresh_session",
                    AfterFailure::AskPerson => "ask_person",
                    AfterFailure::OverBudget(_) => "over_budget",
                    AfterFailure::GiveUp => "give_up",
                });
            }
            Event::Judged(fact) => {
                seen.insert(match fact.judgement {
                    Judgement::Approved => "approved",
                    Judgement::Rejected => "rejected",
                    Judgement::Repair { .. } => "repair",
                    Judgement::NoVerdict { .. } => "no_verdict",
                });
                seen.extend(fact.changes.iter().map(|change| match change {
                    FindingChange::Raised(_) => "raised",
                    FindingChange::Kept { .. } => "kept",
                    FindingChange::Fixed { .. } => "fixed",
                    FindingChange::Withdrawn { .. } => "withdrawn",
                    FindingChange::Reopened { .. } => "reopened",
                    FindingChange::Restated(_) => "restated",
                }));
            }
            Event::Asked(fact) => {
                seen.insert(match fact.question.about {
                    About::Cap { .. } => "cap",
                    About::Agent { .. } => "agent",
                    About::Gate => "gate",
                    About::Unchanged => "unchanged",
                    About::Certificate => "certificate",
                    About::Author { .. } => "author",
                    About::Task { .. } => "task",
                    About::Divergence => "divergence",
                    About::Begin => "begin",
                    About::Lessons => "lessons",
                    About::Deferred => "deferred",
                    About::Disagreement { .. } => "disagreement",
                    About::Approval => "approval",
                    About::SecondDecision { .. } => "second_decision",
                });
            }
            _ => {}
        }
    }
    assert_eq!(seen.len(), 6 + 4 + 6 + 14, "{seen:?}");
}
