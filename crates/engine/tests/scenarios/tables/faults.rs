//! The ledger, git and the inbox fail, at every call and in every way: the run says so, and once they are well the same
//! command comes to the same end.

use super::{Scenario, in_every_way, played, played_with};
use crate::script::{self, Act, End, Step};
use crate::stage::{Disturbance, Played, play};
use crate::world::FakeWorld;
use redraft_testkit::fakes::{GitTrouble, StoreFault};

in_every_way!(TABLE);

/// Scenarios that do not hold for every call at once.
pub(crate) const TABLE: [Scenario; 5] = [
    (
        "without a name to commit under, the draft waits where it is, and is committed once there is one",
        "
        git meets signing in commit after 0 calls
        spec-author writes spec.md
        the run fails with `signing did not work`
        then spec.md says `within 10 seconds`
        all is well again
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then spec-author was asked once
        ",
    ),
    (
        "an answer that cannot be kept is an error, and the attempt is lost",
        "
        the inbox refuses answers: `no space left`
        spec-author writes spec.md
        the run fails with `the answer cannot be stored: no space left`
        all is well again
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 lost
        then spec-author was asked twice
        ",
    ),
    (
        "a ledger that another process has changed is not written to",
        "
        the ledger is moved after 3 appends
        spec-author writes spec.md
        the run fails with `was changed by another process`
        all is well again
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "nobody commits as nobody",
        "
        nobody knows who commits
        spec-author writes spec.md
        the run fails with `no name and email are configured`
        then spec.md says `within 10 seconds`
        ",
    ),
    (
        "what was answered while the ledger could not be written is stored once it can",
        "
        the ledger is busy once after 3 appends
        spec-author writes spec.md
        and has spent $1
        the run fails with `busy`
        then the ledger has 1 answered
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then spec-author was asked once
        then the ledger has no lost
        ",
    ),
];

/// A feature that meets every port: a document that is mended, code that is checked, an end, a merge.
const EVERYTHING: &str = "
    the lane is express
    the feature goes until finish
    code must pass tests: `run tests`
    the check `run tests` wants `fast` in src/export.sh
    somebody looks back
    spec-author writes spec.md
    implementer writes `slow\\n` to src/export.sh
    and writes `not mine\\n` to redraft.toml
    implementer writes `fast\\n` to src/export.sh
    implementation-reviewer objects to `fast` in src/export.sh
    implementer writes `fast and right\\n` to src/export.sh
    implementation-reviewer approves with I1 fixed
    retro-facilitator looks back
    the run is done
    the feature is merged
";

/// The steps of a scenario, with a fault before its first run and everything well again before its last two.
fn broken(by: Act) -> Vec<Step> {
    let mut steps = script::steps(EVERYTHING);
    let run = steps.iter().position(|step| matches!(step, Step::Run(_))).unwrap();
    let merge = steps[run + 1].clone();
    // The merge may also meet the fault.
    let Step::Merge(history, _) = merge else { panic!("{merge:?}") };
    let tried =
        [Step::Act(by), Step::Run(End::Somehow), Step::Merge(history, End::Somehow), Step::Act(Act::Mend)];
    steps.splice(run..run, tried);
    steps
}

fn comes_to(expected: &Played, by: Act) {
    let what = format!("{by:?}");
    let steps = broken(by);
    let found = played_with(&steps, &Disturbance::default());
    assert_eq!(found.left, expected.left, "{what}\n{}", found.trail.join("\n"));
}

#[test]
fn a_ledger_that_fails_at_any_append_is_gone_on_with_once_it_is_well() {
    let expected = played(&script::steps(EVERYTHING));
    let appends = expected.moments.iter().filter(|moment| moment.starts_with("stored ")).count();
    assert!(appends > 20, "{appends}");
    for append in 0..appends {
        let fault = StoreFault::ALL[append % StoreFault::ALL.len()];
        comes_to(&expected, Act::LedgerFails(append as u64, fault));
    }
}

#[test]
fn a_ledger_that_fails_in_any_way_is_gone_on_with_once_it_is_well() {
    let expected = played(&script::steps(EVERYTHING));
    for fault in StoreFault::ALL {
        comes_to(&expected, Act::LedgerFails(5, fault));
    }
}

#[test]
fn git_that_fails_at_any_call_is_gone_on_with_once_it_is_well() {
    // For calls that are made very often, some are enough.
    const CALLS_MAX: u64 = 12;
    let world = FakeWorld::new();
    let steps = script::steps(EVERYTHING);
    let expected = play(&steps, &world, Some(&world), &Disturbance::default());
    let (mut plays, calls) = (0, world.repository.calls());
    assert!(calls.len() > 20, "{calls:?}");
    for (operation, number) in calls {
        let stride = number.div_ceil(CALLS_MAX).max(1) as usize;
        for call in (0..number).step_by(stride) {
            let trouble = GitTrouble::ALL[plays % GitTrouble::ALL.len()];
            comes_to(&expected, Act::GitFails { operation: operation.clone(), calls: call, trouble });
            plays += 1;
        }
    }
    println!("git failed {plays} times");
}

#[test]
fn a_commit_that_fails_in_any_way_is_made_once_git_is_well() {
    let expected = played(&script::steps(EVERYTHING));
    for trouble in GitTrouble::ALL {
        for calls in 0..3 {
            comes_to(&expected, Act::GitFails { operation: "commit".to_owned(), calls, trouble });
        }
    }
}
