//! The process dies at every boundary, and nothing is lost.
//!
//! The loops are those of `plays`. Each is disturbed at every boundary there is, and some are disturbed again while they
//! recover.

use super::Stopwatch;
use crate::plays::{self, Play};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// No run passes more boundaries than this; it only bounds the loop.
const BOUNDARIES_MAX: u64 = 1_000;

/// Before and after the start is stored, after the agent answered or failed, before and after that is stored.
const BOUNDARIES_PER_DISPATCH: u64 = 5;

/// Dies at each boundary of each run of the play, recovers, and plays on.
fn dies_everywhere(play: &Play) {
    let mut passed = 0;
    for run in play.runs() {
        for boundary in 1..BOUNDARIES_MAX {
            play.begin_at(run);
            if !play.dies(run, boundary) {
                break;
            }
            passed += 1;
            play.recovers(run, &format!("a crash at boundary {boundary} of step {run}"));
        }
    }
    let least = BOUNDARIES_PER_DISPATCH * play.dispatches as u64;
    assert!(passed >= least, "{passed} boundaries for {} dispatches", play.dispatches);
}

/// The same at every nth boundary of one run. A stride that is not a multiple of the boundaries of a dispatch meets
/// each kind of them in turn.
fn dies_here_and_there(play: &Play, stride: usize) {
    let run = play.runs()[0];
    let mut passed = 0;
    for boundary in (1..BOUNDARIES_MAX).step_by(stride) {
        play.begin_at(run);
        if !play.dies(run, boundary) {
            break;
        }
        passed += 1;
        play.recovers(run, &format!("a crash at boundary {boundary}"));
    }
    let least = BOUNDARIES_PER_DISPATCH * play.dispatches as u64 / stride as u64;
    assert!(passed >= least, "{passed} crashes for {} dispatches", play.dispatches);
}

/// The same, and the recovery dies at each of its first five boundaries.
fn dies_twice_everywhere(play: &Play) {
    let mut recoveries = 0;
    for run in play.runs() {
        for first in 1..BOUNDARIES_MAX {
            play.begin_at(run);
            if !play.dies(run, first) {
                break;
            }
            let crashed = play.copy();
            for second in 1..=5 {
                let what = format!("crashes at boundary {first} of step {run} and {second} of its recovery");
                play.put_back(crashed.path());
                recoveries += 1;
                let died = play.dies(run, second);
                if died {
                    play.recovers(run, &what);
                } else if play.is_last(run) {
                    // The recovery was shorter than that; it must have ended well by itself.
                    play.ended_well(&what);
                }
                if !died {
                    break;
                }
            }
        }
    }
    assert!(recoveries >= BOUNDARIES_PER_DISPATCH * play.dispatches as u64, "only {recoveries} recoveries");
}

#[test]
fn a_crash_at_any_boundary_changes_nothing_but_attempts() {
    let _clock = Stopwatch::start();
    dies_everywhere(&plays::undisturbed());
}

#[test]
fn a_crash_in_any_phase_on_the_way_to_a_task_list_changes_nothing_but_attempts() {
    let _clock = Stopwatch::start();
    dies_here_and_there(&plays::whole(), 11);
}

#[test]
fn a_crash_while_code_is_built_checked_and_reviewed_changes_nothing_but_attempts() {
    let _clock = Stopwatch::start();
    dies_here_and_there(&plays::built(), 17);
}

#[test]
fn a_second_crash_during_recovery_changes_nothing_either() {
    let _clock = Stopwatch::start();
    dies_twice_everywhere(&plays::undisturbed());
}

#[test]
fn a_hundred_kills_from_outside_change_nothing() {
    let _clock = Stopwatch::start();
    const SEED: u64 = 20_261_115;
    const KILLS: u64 = 100;
    println!("seed {SEED}");
    let play = plays::undisturbed();
    let run = play.runs()[0];
    // The quickest of three, so that a kill within it finds the process alive, unless it is quicker still.
    let quickest = (0..3).map(|_| {
        play.begin_at(run);
        let began = Instant::now();
        play.scratch.run(["run", "--yes", "001"]).expect(0);
        began.elapsed()
    });
    let mut quickest = quickest.min().unwrap();
    let mut alive = 0_u64;
    for number in 1..=KILLS {
        let drawn = SEED.wrapping_add(number).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let wait = quickest.mul_f64(drawn as f64 / f64::from(u32::MAX));
        play.begin_at(run);
        let mut command = play.scratch.redraft(["run", "--yes", "001"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for(wait);
        match child.try_wait().unwrap() {
            None => alive += 1,
            // The machine has less to do than when the time was measured.
            Some(_) => quickest = quickest.min(wait).mul_f64(0.9),
        }
        child.kill().unwrap();
        child.wait().unwrap();
        play.recovers(run, &format!("kill {number} after {wait:?}, seed {SEED}"));
    }
    println!("{alive} of {KILLS} kills found the process alive; the quickest run took {quickest:?}");
    assert!(alive >= 60, "only {alive} of {KILLS} kills found the process alive, seed {SEED}");
}

/// Waits: nothing is ever sent on this channel.
fn wait_for(time: Duration) {
    let (silent, waiting) = std::sync::mpsc::channel::<()>();
    assert!(waiting.recv_timeout(time).is_err());
    drop(silent);
}
