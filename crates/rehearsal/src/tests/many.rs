//! Tests many findings, and a run that is stopped in the middle of the work.

use super::stage::Stage;
use redraft_engine::ports::{Agent, RunHandle};
use redraft_facts::verdict::Verdict;
use std::sync::atomic::{AtomicU64, Ordering};

/// A document of this many requirements, the first of them with criteria.
fn spec(requirements: usize, criteria: usize) -> String {
    let mut text = "# Spec: large\n\n## Requirements\n\n".to_owned();
    for at in 1..=requirements {
        text.push_str(&format!("- **R{at}**: When asked, the system shall carry out {at} of them.\n"));
    }
    text.push_str("\n## Acceptance Criteria\n\n");
    for at in 1..=criteria {
        text.push_str(&format!("- **AC{at}** (R{at}): It is seen to do so.\n"));
    }
    text
}

/// A run that is stopped after this many looks.
struct StopsAfter(AtomicU64);

impl RunHandle for StopsAfter {
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

    fn afford(&self, _total: redraft_facts::usage::Usd) -> bool {
        true
    }
}

#[test]
fn a_turn_ends_wherever_it_is_stopped_and_leaves_nothing_behind() {
    let mut stage = Stage::new("large", None, "");
    stage.put(&spec(12, 10));
    let reviews = ["spec-reviewer", "phase-reviewer"].map(|role| stage.fresh(role));
    let before = stage.spec();
    let request = stage.fresh("spec-reviewer");
    stage.judge("spec-reviewer", &request);
    let sessions = stage.state.path().join("sessions");
    std::fs::remove_dir_all(&sessions).unwrap();
    let revision = stage.revising(Some("spec.md:1: a fault\n"));
    for request in reviews.iter().chain([&revision]) {
        let mut stops = 0;
        for looks in 0.. {
            let watch = StopsAfter(AtomicU64::new(looks));
            match stage.agent.run(request, &watch) {
                Ok(_) => break,
                Err(error) => assert!(error.interrupted, "{error:?}"),
            }
            stops += 1;
            assert_eq!(sessions.read_dir().map_or(0, Iterator::count), 0, "a stopped turn is not remembered");
            assert_eq!(stage.spec(), before, "nothing is written");
        }
        assert!(stops > 3, "the run was looked at only {stops} times: {}", request.ticket);
        std::fs::remove_dir_all(&sessions).unwrap();
    }
}

#[test]
fn what_is_too_much_to_list_is_one_finding_that_stays_open_until_all_is_mended() {
    let mut stage = Stage::new("large", None, "");
    stage.put(&spec(68, 5));
    let request = stage.fresh("spec-reviewer");
    let mut verdict = stage.judge("spec-reviewer", &request);
    let rest = |verdict: &Verdict| {
        let is_rest = |description: &str| description.contains("`the rest of: every requirement has");
        verdict.issues.iter().filter(|issue| is_rest(&issue.description)).count()
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
