//! The process dies at every boundary, and nothing is lost.

use crate::world::{Left, answered, bodies, events, feature, left};
use redraft_testkit::Scratch;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const IDEA: &str = "Export the monthly report as CSV";
const SWITCH: &str = "REDRAFT_ABORT_AT_BOUNDARY";
/// No run passes more boundaries than this; it only bounds the loop.
const BOUNDARIES_MAX: u64 = 1_000;
/// Dearer than nothing, so that what a lost attempt reserved can be seen on the receipt.
const PRICES: &str = "usd_per_million_input = 3.0\nusd_per_million_output = 15.0\n";

fn new_feature() -> Scratch {
    let scratch = feature(IDEA);
    scratch.scenario(PRICES);
    scratch
}

fn undisturbed() -> Left {
    let scratch = new_feature();
    scratch.run(["run", "001"]).expect(0);
    left(&scratch)
}

/// True when the run died at this boundary; false when it came to its end before.
fn dies_at(scratch: &Scratch, boundary: u64) -> bool {
    let output = scratch.redraft(["run", "001"]).env(SWITCH, boundary.to_string()).output().unwrap();
    match output.status.code() {
        None => true,
        Some(0) => false,
        Some(code) => panic!("boundary {boundary}: code {code}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[track_caller]
fn recovers(scratch: &Scratch, undisturbed: &Left, what: &str) {
    let ran = scratch.run(["run", "001"]);
    assert_eq!(ran.code, Some(0), "{what}: {}", ran.stderr);
    assert_eq!(&left(scratch), undisturbed, "{what}");
    let events = events(scratch);
    let tally = answered(scratch);
    for body in bodies(&events, "answered") {
        let ticket = body["ticket"].as_str().unwrap();
        assert_eq!(tally.get(ticket), Some(&1), "{what}: {ticket} in the agent's own log");
    }
    let lost: u64 = bodies(&events, "lost").map(|body| body["cost"].as_u64().unwrap()).sum();
    let receipt = &scratch.json(["run", "001"])["receipt"];
    assert_eq!(receipt["lost"].as_u64(), Some(lost), "{what}: lost money on the receipt");
    assert!(
        lost > 0 || bodies(&events, "lost").next().is_none(),
        "{what}: a lost attempt had something reserved"
    );
    let status = scratch.git_in(&scratch.worktree("001"), ["status", "--porcelain"]);
    assert_eq!(status, "", "{what}: the worktree is clean");
}

/// Calls `f` for 1, 2, 3, … on two threads until it says that there is no such number.
fn for_every_number(f: impl Fn(u64) -> bool + Sync) -> u64 {
    let next = AtomicU64::new(1);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while next.load(Ordering::SeqCst) <= BOUNDARIES_MAX {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if !f(number) {
                        next.store(BOUNDARIES_MAX + number, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    next.load(Ordering::SeqCst) - BOUNDARIES_MAX
}

#[test]
fn a_crash_at_any_boundary_changes_nothing_but_attempts() {
    let expected = undisturbed();
    let passed = for_every_number(|boundary| {
        let scratch = new_feature();
        let died = dies_at(&scratch, boundary);
        if died {
            recovers(&scratch, &expected, &format!("a crash at boundary {boundary}"));
        }
        died
    });
    // At least five boundaries for each of the dispatches of the loop.
    assert!(passed >= 5 * 5, "only {passed} boundaries were passed");
}

#[test]
fn a_second_crash_during_recovery_changes_nothing_either() {
    let expected = undisturbed();
    for_every_number(|first| {
        let mut died = true;
        for second in 1..=5 {
            let scratch = new_feature();
            died = dies_at(&scratch, first);
            if !died {
                break;
            }
            let what = format!("crashes at boundary {first} and at boundary {second} of the recovery");
            if !dies_at(&scratch, second) {
                // The recovery was shorter than that; it must have ended well by itself.
                assert_eq!(left(&scratch), expected, "{what}");
                break;
            }
            recovers(&scratch, &expected, &what);
        }
        died
    });
}

#[test]
fn a_hundred_kills_from_outside_change_nothing() {
    const SEED: u64 = 20_261_115;
    println!("seed {SEED}");
    let expected = undisturbed();
    for_every_number(|number| {
        if number > 100 {
            return false;
        }
        let scratch = new_feature();
        // A run takes a few hundred milliseconds; kills are spread over a little more than that.
        let wait_ms = SEED.wrapping_mul(number).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55;
        let mut command = scratch.redraft(["run", "001"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (finished, waiting) = std::sync::mpsc::channel::<()>();
        assert!(waiting.recv_timeout(Duration::from_millis(wait_ms)).is_err());
        drop(finished);
        child.kill().unwrap();
        child.wait().unwrap();
        recovers(&scratch, &expected, &format!("kill {number} after {wait_ms} ms, seed {SEED}"));
        true
    });
}
