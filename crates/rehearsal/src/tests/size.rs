//! Huge documents: the work grows with them, not with their square, and it ends soon after it is stopped.

use super::stage::Stage;
use crate::ask::Open;
use crate::author::{Desk, write};
use crate::checks::Papers;
use crate::later::Above;
use crate::later::drafts::Kit;
use crate::pace::{Calm, LOOK_EVERY, Pace, Stopped};
use crate::review::{Eye, review};
use crate::spec::Spec;
use redraft_core::phase::Phase;
use redraft_engine::ports::{Agent, Watch};
use std::sync::atomic::{AtomicU64, Ordering};

/// A document of so many requirements with criteria, failures and questions; few of its words repeat.
fn spec(size: usize) -> String {
    let mut text = "# Spec: large\n\n## Requirements\n\n".to_owned();
    for at in 0..size {
        let (noun, verb) = (word("thing", at), word("act", at * 7));
        text.push_str(&format!(
            "- **R{}**: When asked, the {noun} shall {verb} at most {} rows within {} seconds.\n",
            at + 1,
            at % 90 + 3,
            at % 50 + 2
        ));
    }
    text.push_str("\n## Acceptance Criteria\n\n");
    for at in 0..size {
        let noun = word("thing", at);
        text.push_str(&format!("- **AC{0}** (R{0}): The {noun} is seen to do so.\n", at + 1));
    }
    text.push_str("\n## Failure Cases\n\n");
    for at in 0..size / 4 {
        text.push_str(&format!(
            "- The {} is broken while {} is running\n",
            word("thing", at),
            word("act", at)
        ));
    }
    text.push_str("\n## Open Questions\n\n");
    for at in 0..size / 4 {
        text.push_str(&format!("- Should {} be kept, see section Limits?\n", word("thing", at)));
    }
    text
}

fn prd(size: usize) -> String {
    let mut text = "# PRD\n\n## Goals\n\n".to_owned();
    for at in 0..size {
        text.push_str(&format!(
            "- G{}: Let {} be used for {}\n",
            at + 1,
            word("thing", at),
            word("wish", at)
        ));
    }
    text
}

/// A word of letters only, so that it counts as one.
fn word(stem: &str, at: usize) -> String {
    let letters = "abcdefghijklmnopqrstuvwxyz".as_bytes();
    let pick = |at: usize| char::from(letters[at % letters.len()]);
    format!("{stem}{}{}{}", pick(at / 676), pick(at / 26), pick(at))
}

/// The steps both reviewers take over such documents.
fn steps(size: usize) -> u64 {
    let (spec, prd) = (spec(size), prd(size * 2));
    let pace = Pace::calm();
    let prd = Spec::read(&prd, &pace).unwrap();
    let read = Spec::read(&spec, &pace).unwrap();
    let papers = Papers {
        path: "spec.md",
        spec: read,
        prd: Some(("prd.md", &prd)),
        phase: Phase::Specify,
        above: &Above::default(),
        pace: &pace,
    };
    for eye in [Eye::Domain, Eye::Handoff] {
        review(eye, &papers, &[]).unwrap();
    }
    pace.steps()
}

#[test]
fn twice_the_document_is_about_twice_the_work() {
    let (one, two, four) = (steps(300), steps(600), steps(1_200));
    assert!(two * 2 < one * 5 && four * 2 < two * 5, "{one}, {two}, {four}");
}

/// A run that is stopped after so many looks at it.
struct StopsAfter(AtomicU64);

impl Watch for StopsAfter {
    fn stopped(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }

    fn wait_ms(&self, _ms: u64) -> bool {
        !self.stopped()
    }

    fn now_ms(&self) -> i64 {
        0
    }

    fn moment(&self) -> redraft_engine::ports::Moment {
        redraft_engine::ports::Moment::after(std::time::Duration::ZERO)
    }

    fn tell(&self, _doing: &str) {}

    fn afford(&self, _total: redraft_core::usage::Usd) -> bool {
        true
    }
}

#[test]
fn a_review_ends_wherever_it_is_stopped_and_leaves_no_turn_behind() {
    let mut stage = Stage::new("large", None, "");
    stage.put(&spec(200));
    let request = stage.fresh("spec-reviewer");
    let mut stops = 0;
    for looks in (0..).step_by(29) {
        let watch = StopsAfter(AtomicU64::new(looks));
        match stage.agent.run(&request, &watch) {
            Ok(_) => break,
            Err(error) => assert!(error.interrupted, "{error:?}"),
        }
        stops += 1;
        let kept = stage.state.path().join("sessions").read_dir().map_or(0, Iterator::count);
        assert_eq!(kept, 0, "a stopped turn is not remembered");
    }
    assert!(stops > 10, "the run was looked at only {stops} times");
}

#[test]
fn an_author_stops_between_any_two_changes_and_writes_nothing_then() {
    let text = spec(120).replace("(R7)", "").replace("(R9)", "").replace("(R30)", "");
    let pace = Pace::calm();
    let read = Spec::read(&text, &pace).unwrap();
    let papers = Papers {
        path: "spec.md",
        spec: read,
        prd: None,
        phase: Phase::Specify,
        above: &Above::default(),
        pace: &pace,
    };
    let verdict = review(Eye::Domain, &papers, &[]).unwrap();
    let open: Vec<Open> = verdict
        .issues
        .iter()
        .enumerate()
        .map(|(at, issue)| Open {
            id: format!("S{}", at + 1),
            category: issue.category.clone(),
            marks: crate::checks::marks(&issue.description).map(str::to_owned).collect(),
            description: issue.description.clone(),
            ..Open::default()
        })
        .collect();
    assert!(open.len() > 2, "{open:?}");
    let run = |watch: &dyn Watch| {
        let pace = Pace::new(watch);
        let desk = Desk {
            path: "spec.md",
            text: Some(&text),
            prd: None,
            phase: Phase::Specify,
            above: &Above::default(),
            kit: Kit::of(|_| false),
            answers: &[],
            idea: "",
            open: &open,
            gate: true,
            others_changed: false,
            pace: &pace,
        };
        (write(&desk).map(|(text, _)| text), pace.steps())
    };
    let (done, all) = run(&Calm);
    assert_ne!(done.unwrap(), text);
    for looks in [0, 1, all / LOOK_EVERY / 2, all / LOOK_EVERY - 1] {
        let (stopped, steps) = run(&StopsAfter(AtomicU64::new(looks)));
        assert_eq!(stopped, Err(Stopped));
        assert!(steps <= (looks + 1) * LOOK_EVERY, "{steps} steps after {looks} looks");
    }
}

#[test]
fn many_findings_of_one_kind_are_mended_together() {
    let mut stage = Stage::new("large", None, "");
    stage.put(&spec(60).replace("(R1", "(X1").replace("(R2", "(X2"));
    let request = stage.fresh("spec-reviewer");
    let verdict = stage.judge("spec-reviewer", &request);
    let missing = verdict.issues.iter().filter(|issue| issue.category == "testability").count();
    assert!(missing > 20, "{missing}");
    let request = stage.revising(None);
    let answer = stage.author(&request);
    assert!(answer.answers.iter().all(|answer| answer.status.name() == "fixed"), "{answer:#?}");
    let request = stage.resumed("spec-reviewer");
    let verdict = stage.judge("spec-reviewer", &request);
    assert!(verdict.approved, "{verdict:#?}");
}

#[test]
fn what_is_too_much_to_list_is_one_finding_that_stays_open_until_all_is_mended() {
    let mut stage = Stage::new("large", None, "");
    let failures: String = (0..80).map(|at| format!("- The {} explodes\n", word("gadget", at))).collect();
    stage.put(&spec(3).replace("## Failure Cases\n\n", &format!("## Failure Cases\n\n{failures}")));
    let request = stage.fresh("spec-reviewer");
    let mut verdict = stage.judge("spec-reviewer", &request);
    let rest = |verdict: &redraft_core::verdict::Verdict| {
        verdict
            .issues
            .iter()
            .filter(|issue| issue.description.contains("`the rest of: every listed failure"))
            .count()
    };
    assert_eq!((verdict.issues.len(), rest(&verdict)), (31, 1), "{:#?}", verdict.issues);
    let mut rounds = 1;
    while !verdict.approved {
        assert!(rounds < 5, "{verdict:#?}");
        let request = stage.revising(None);
        stage.author(&request);
        let request = stage.resumed("spec-reviewer");
        verdict = stage.judge("spec-reviewer", &request);
        assert!(verdict.issues.len() == rest(&verdict), "nothing new is raised: {verdict:#?}");
        rounds += 1;
    }
    assert_eq!(rounds, 3);
}
