//! Nothing is left out: every boundary of the engine, every fact it stores, every way a dispatch can end and every place a
//! run can rest is in some scenario.

use crate::script;
use crate::stage::{Disturbance, play};
use crate::tables::all;
use crate::world::FakeWorld;
use redraft_facts::event::{About, AfterFailure, Event, Judgement};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Facts that the engine does not store: those of commands, of probes and of the ledger itself.
const OF_OTHERS: [&str; 13] = [
    "adopted",
    "cancelled",
    "cost-corrected",
    "driver-changed",
    "phase-skipped",
    "probed",
    "proposal-settled",
    "redacted",
    "signing-began",
    "trusted",
    "unblocked",
    "unreadable",
    "went-back",
];

/// Names the kinds of questions in one list, from which come both the names and a match without a remainder: a kind that
/// is missing here does not compile, and one that is here must be asked in a scenario.
macro_rules! kinds_of_questions {
    ($($kind:ident),+; of_others: $($other:ident),+ $(,)?) => {
        const QUESTIONS: [&str; [$(stringify!($kind)),+].len()] = [$(stringify!($kind)),+];

        fn kind_of(about: &About) -> &'static str {
            match about {
                $(About::$kind { .. } => stringify!($kind),)+
                $(About::$other { .. } => stringify!($other),)+
            }
        }
    };
}

kinds_of_questions! {
    Cap, Agent, Gate, Unchanged, Certificate, Author, Task, Divergence, Begin, Lessons, Deferred, Disagreement, Approval;
    // Where other clones have a say.
    of_others: SecondDecision,
}

#[test]
fn every_boundary_fact_purpose_failure_and_question_is_in_some_scenario() {
    let (mut moments, mut kinds, mut purposes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut ends, mut asked) = (BTreeSet::new(), BTreeSet::new());
    for (name, text) in all() {
        let world = FakeWorld::new();
        let played = play(&script::steps(text), &world, Some(&world), &Disturbance::default());
        assert!(!played.entries.is_empty(), "{name}");
        moments.extend(played.moments);
        for entry in &played.entries {
            kinds.insert(entry.event.kind());
            match &entry.event {
                Event::Started(fact) => drop(purposes.insert(fact.ticket.purpose.name())),
                Event::Failed(fact) => drop(ends.insert(word(&fact.now))),
                Event::Judged(fact) => drop(ends.insert(word(&fact.judgement))),
                Event::Asked(fact) => drop(asked.insert(kind_of(&fact.question.about))),
                _ => {}
            }
        }
    }
    let missing: Vec<String> = boundaries().into_iter().filter(|name| !moments.contains(name)).collect();
    assert!(missing.is_empty(), "no scenario passes {missing:?}");
    let known = known_kinds().into_iter().filter(|kind| !OF_OTHERS.contains(&kind.as_str()));
    let missing: Vec<String> = known.filter(|kind| !kinds.contains(kind.as_str())).collect();
    assert!(missing.is_empty(), "no scenario stores {missing:?}");
    let probe = redraft_facts::ticket::Purpose::Probe;
    let wanted = redraft_facts::ticket::Purpose::ALL.into_iter().filter(|purpose| *purpose != probe);
    let missing: Vec<&str> =
        wanted.map(|purpose| purpose.name()).filter(|name| !purposes.contains(name)).collect();
    assert!(missing.is_empty(), "no scenario sends {missing:?}");
    let wanted = [
        word(&AfterFailure::Wait(1)),
        word(&AfterFailure::ParkUntil(1)),
        word(&AfterFailure::FreshSession),
        word(&AfterFailure::AskPerson),
        word(&AfterFailure::OverBudget(redraft_facts::usage::Usd(1))),
        word(&AfterFailure::GiveUp),
        word(&Judgement::Approved),
        word(&Judgement::Rejected),
        word(&Judgement::Repair { why: String::new() }),
        word(&Judgement::NoVerdict { why: String::new() }),
    ];
    let missing: Vec<&String> = wanted.iter().filter(|word| !ends.contains(*word)).collect();
    assert!(missing.is_empty(), "no dispatch ends with {missing:?}");
    let missing: Vec<&str> = QUESTIONS.into_iter().filter(|kind| !asked.contains(kind)).collect();
    assert!(missing.is_empty(), "nobody is asked about {missing:?}: {asked:?}");
}

/// The name of a variant.
fn word(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

/// The names of the boundaries in the engine's source, without those of probes, which are no part of a feature.
fn boundaries() -> BTreeSet<String> {
    const CALL: &str = ".pass(\"";
    let mut names = BTreeSet::new();
    let mut left = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if !path.components().any(|part| part.as_os_str().to_string_lossy().starts_with("probe")) {
            let text = fs::read_to_string(&path).unwrap();
            let calls = text.split(CALL).skip(1).filter_map(|rest| rest.split_once("\")"));
            names.extend(calls.map(|(name, _)| name.to_owned()));
        }
    }
    assert!(names.len() > 20, "{names:?}");
    names
}

/// The kinds of events there are, from the page that lists them.
fn known_kinds() -> BTreeSet<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../facts/src/event/stored.rs");
    let text = fs::read_to_string(source).unwrap();
    let listed = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" "));
    let kinds: BTreeSet<String> = listed.map(|(kind, _)| kind.to_owned()).collect();
    assert!(kinds.len() > 30, "{kinds:?}");
    kinds
}
