//! Looking back on a real history: the events of a ledger that this agent once filled, through the real bundle, prompt,
//! answer and page.

use super::calm::Calm;
use super::commit;
use crate::RehearsalAgent;
use crate::Scenario;
use redraft_adapters::sqlite::{FILE, Ledger, OpenMode};
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Agent, AgentError, Deadlines, Request, Store};
use redraft_facts::event::Entry;
use redraft_facts::ids::{AgentName, FeatureId, SessionId};
use redraft_facts::phase::Phase;
use redraft_facts::text;
use redraft_facts::ticket::{Purpose, Scope};
use redraft_prompts::prompt::{RetroBrief, retro, schema_for};
use redraft_reports::projections::costs::costs;
use redraft_reports::retro::{
    FeatureChange, Figures, Judgements, LessonKind, LessonStance, Older, RetroAnswer, bundle, judge_bundle,
    markdown, new_entries,
};
use redraft_roles::profile;
use std::path::Path;
use tempfile::TempDir;

/// A feature that was through specify, with rejections.
struct Past {
    entries: Vec<Entry>,
    state: Pipeline,
    change: FeatureChange,
    folder: TempDir,
}

impl Past {
    fn read() -> Past {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/tests/fixtures");
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(fixtures.join("ledger-1-specify.db"), folder.path().join(FILE)).unwrap();
        let ledger = Ledger::open(folder.path(), OpenMode::ReadOnly).unwrap();
        let entries = ledger.read(Scope::Feature(FeatureId(1))).unwrap();
        let state = Pipeline::replay(&entries).unwrap();
        let files = vec![("src/entry.sh".to_owned(), 12, 0), ("src/limit.sh".to_owned(), 3, 1)];
        Past { entries, state, change: FeatureChange { files }, folder }
    }

    fn figures(&self) -> Figures {
        Figures::from_entries(&self.state, &self.entries).with(&self.change)
    }

    fn ask(&self, purpose: Purpose, bundle: &str, scenario: &str) -> Result<String, AgentError> {
        let role = profile::author(Phase::Finish);
        let brief = RetroBrief {
            profile: profile::of_dispatch(Phase::Finish, &role, purpose, &[]).unwrap(),
            text: None,
            missing: &[],
            feature: "001-x",
            purpose,
            bundle,
            repair: None,
        };
        let name = AgentName::new("rehearsal");
        let agent = RehearsalAgent::new(name, self.folder.path(), Scenario::parse(scenario).unwrap(), commit);
        let request = Request {
            slot: None,
            ticket: format!("001/finish.1/{purpose}/{role}/1.1").parse().unwrap(),
            prompt: retro(&brief),
            marks: redraft_facts::choice::Marks::default(),
            session: SessionId::new("s"),
            resume: false,
            folder: self.folder.path().to_owned(),
            may_write: Vec::new(),
            tools: Vec::new(),
            schema: schema_for(purpose),
            deadlines: Deadlines { connect_ms: 5_000, first_byte_ms: 5_000, idle_ms: 5_000, total_ms: 5_000 },
            shares: false,
            max_usd: None,
        };
        let outcome = agent.run(&request, &Calm)?;
        assert_eq!(outcome.opened.as_deref(), Some(&[][..]), "everything stands in the prompt");
        Ok(outcome.text)
    }

    fn retro(&self, scenario: &str) -> Result<RetroAnswer, String> {
        let sizes = [("spec.md".to_owned(), 2_345)];
        let bundle = bundle(&self.figures(), &self.state, &self.entries, &self.change, &sizes);
        let answer = self.ask(Purpose::Retro, &bundle, scenario).map_err(|error| error.detail)?;
        RetroAnswer::read(&answer)
    }
}

#[test]
fn a_feature_teaches_one_lesson_from_a_finding_that_was_raised() {
    let past = Past::read();
    let answer = past.retro("").unwrap();
    assert_eq!((answer.observations.len(), answer.recommendations.len()), (2, 1), "{answer:?}");
    let [lesson] = new_entries(&answer).try_into().unwrap();
    assert_eq!(lesson.kind, LessonKind::AntiPattern);
    let (id, phase) = lesson.provenance.split_once(" in ").unwrap();
    assert_eq!(phase, "specify");
    let findings: Vec<_> = past.state.standing().flat_map(|one| &one.findings).collect();
    let source = findings.iter().find(|one| one.id.as_str() == id).expect("it was raised");
    let words = text::words(&source.description);
    assert!(text::words(&lesson.name).is_subset(&words), "{} of {}", lesson.name, source.description);
    let page = markdown(&past.figures(), Some(&answer), None);
    assert!(!page.contains("Left out:"), "{page}");
    assert!(!page.contains('{'), "{page}");
    let billed = costs(&past.entries).sum;
    let rounds = past.figures().total.rounds;
    assert!(page.contains(&format!("specify took the most review rounds, {rounds} of {rounds}.")), "{page}");
    assert!(page.contains(&format!("| all | 1 | {rounds} | {} |", billed.dispatches)), "{page}");
    assert!(page.contains(&format!("- anti-pattern: **{}**. ", lesson.name)), "{page}");
}

#[test]
fn numbers_of_its_own_are_left_out_and_failures_leave_a_plain_page() {
    let past = Past::read();
    let rule = |act: &str| format!("[[rule]]\nticket = \"*/retro/*\"\ndo = \"{act}\"\n");
    let answer = past.retro(&rule("count")).unwrap();
    let page = markdown(&past.figures(), Some(&answer), None);
    assert!(page.contains("## Review\n\nNo observation.\n"), "{page}");
    assert!(page.contains("Left out: 2 statements"), "{page}");
    assert_eq!(new_entries(&answer).len(), 1, "the lesson has no number in it");
    for (act, why) in
        [("fail", "the scenario makes this attempt fail"), ("garbage", "the answer holds no JSON object")]
    {
        let error = past.retro(&rule(act)).unwrap_err();
        assert!(error.contains(why), "{act}: {error}");
        let page = markdown(&past.figures(), None, Some(&error));
        assert!(page.contains("Nobody's words are here") && page.contains("| all | 1 |"), "{page}");
    }
}

#[test]
fn earlier_lessons_are_confirmed_by_findings_challenged_by_what_was_done_and_skipped_otherwise() {
    let past = Past::read();
    let findings: Vec<_> = past.state.standing().flat_map(|one| &one.findings).collect();
    let source = findings.first().expect("something was found");
    let older = |name, text| Older { kind: "heuristic", name, text, why: "shares words" };
    let lessons = [
        older(&source.description, "It was seen before."),
        older("Leave the entrance", "Never change `src/entry.sh`. It is fragile."),
        older("Leave the cellar", "Never change `src/cellar.sh`. It is fragile."),
        older("Bake bread", "Dough rests overnight."),
        older("Change the entrance", "Always look at src/entry.sh first."),
    ];
    let asked = judge_bundle(&lessons, &past.state, &past.entries, &past.change).unwrap();
    let answer = past.ask(Purpose::Judge, &asked.text, "").unwrap();
    let read = Judgements::read(&answer, &asked).unwrap();
    let stances: Vec<&LessonStance> = read.iter().map(|(_, stance)| stance).collect();
    let [
        LessonStance::Confirmed,
        LessonStance::Challenged(why),
        LessonStance::Skipped,
        LessonStance::Skipped,
        LessonStance::Skipped,
    ] = stances.as_slice()
    else {
        panic!("{read:?}\n{}", asked.text)
    };
    assert!(why.contains("src/entry.sh"), "{why}");
}

#[test]
fn a_finding_confirms_a_lesson_that_speaks_of_the_same_in_other_words() {
    let past = Past::read();
    for (name, text, stance) in [
        ("Criterion without a number", "Some acceptance criteria were numberless.", LessonStance::Skipped),
        ("Every requirement has a criterion", "A criterion names its requirement.", LessonStance::Confirmed),
        (
            "Rehearse",
            "No acceptance criterion mentioned this requirement, and it was built by guessing.",
            LessonStance::Confirmed,
        ),
        ("Requirements", "They are written down.", LessonStance::Skipped),
    ] {
        let lessons = [Older { kind: "heuristic", name, text, why: "shares words" }];
        let asked = judge_bundle(&lessons, &past.state, &past.entries, &past.change).unwrap();
        let answer = past.ask(Purpose::Judge, &asked.text, "").unwrap();
        let read = Judgements::read(&answer, &asked).unwrap();
        assert_eq!(read[0].1, stance, "{name}\n{}", asked.text);
    }
}

#[test]
fn a_decision_to_do_what_a_lesson_warns_of_contradicts_it() {
    let bundle = |decision: &str| {
        format!(
            "## Lessons of Earlier Features\n\n### B1, anti-pattern: Commands from outside\n\nWhy it is asked about: w\n\n\
             ```markdown\nTests are slow. Never hand a command in from outside.\n```\n\n## What This Feature Did\n\n\
             ### Files\n\n```\na.sh +1 -0\n```\n\n### Decisions\n\n```\ntask 2.4, decided: {decision}\n```\n\n\
             ### Findings\n\nNo finding was raised.\n"
        )
    };
    let past = Past::read();
    for (decision, judgement) in [
        ("how it shows that is handed in as a command", "challenged"),
        ("no command is handed in", "skipped"),
        ("the command has a name of its own", "skipped"),
    ] {
        let answer = past.ask(Purpose::Judge, &bundle(decision), "").unwrap();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let one = &answer["judgements"][0];
        assert_eq!(one["judgement"], judgement, "{decision}: {one}");
        if judgement == "challenged" {
            assert_eq!(one["cites"][0], decision);
            assert!(one["contradiction"].as_str().unwrap().contains("task 2.4"), "{one}");
        }
    }
}
