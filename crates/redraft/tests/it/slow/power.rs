//! Tests power cuts: the disk then holds what was synced and nothing else.
//!
//! What is tested is stricter than any file system: of two things that were not synced, neither or only one may be
//! there. An ordinary run of the tests cuts here and there; `REDRAFT_POWER_CUTS=all` cuts everywhere (CONTRIBUTING.md).

mod disk;

use super::Stopwatch;
use crate::plays::{self, Play};
use disk::{Cut, Disk, Loss};
use redraft_testkit::Ran;

/// No run has more boundaries or syncs than this; it only bounds the loop.
const CUTS_MAX: u64 = 5_000;

/// Every cut, or every nth.
fn stride(usual: usize) -> usize {
    #[expect(clippy::disallowed_methods, reason = "how long to test is the caller's choice")]
    match std::env::var("REDRAFT_POWER_CUTS") {
        Ok(word) if word == "all" => 1,
        Ok(word) => panic!("REDRAFT_POWER_CUTS={word} is not known; the only word is `all`"),
        Err(_) => usual,
    }
}

/// Cuts the power at every nth place of each run of a play, and plays on with what the disk held. Fails with all cuts
/// that went wrong, so that their number is known.
#[expect(clippy::print_stdout, reason = "how many cuts a long run made")]
fn cuts(play: &Play, loss: Loss, usual: usize, cut: fn(u64) -> Cut) {
    let (mut made, mut wrong) = (0, Vec::new());
    for run in play.runs() {
        for number in (1..CUTS_MAX).step_by(stride(usual)) {
            play.begin_at(run);
            let disk = Disk::holding(&play.scratch.root());
            let mut command = play.command(run);
            disk.under(&mut command, Some(cut(number)));
            let ran = Ran::new(command.output().unwrap());
            if ran.code.is_some() {
                assert_eq!(ran.code, Some(play.code_of(run)), "{:?}: {}", cut(number), ran.stderr);
                break;
            }
            made += 1;
            play.put_back(disk.after(loss).path());
            let what = format!("{:?} of step {run}, {loss:?} lost", cut(number));
            let goes_on = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                play.recovers(run, &what);
                play.is_sound(&what);
            }));
            if goes_on.is_err() {
                wrong.push(what);
            }
        }
    }
    println!("{made} power cuts, {loss:?} lost, {} wrong", wrong.len());
    assert!(made >= 2, "only {made} power cuts");
    assert!(wrong.is_empty(), "{} of {made} power cuts: {wrong:#?}", wrong.len());
}

#[test]
fn a_power_cut_at_a_boundary_that_takes_names_changes_nothing_but_attempts() {
    let _clock = Stopwatch::start();
    cuts(&plays::undisturbed(), Loss::Names, 7, Cut::Boundary);
}

#[test]
fn a_power_cut_at_a_boundary_that_takes_contents_changes_nothing_but_attempts() {
    let _clock = Stopwatch::start();
    cuts(&plays::undisturbed(), Loss::Contents, 7, Cut::Boundary);
}

#[test]
fn a_power_cut_between_two_syncs_that_takes_names_changes_nothing_but_attempts() {
    let _clock = Stopwatch::start();
    cuts(&plays::undisturbed(), Loss::Names, 23, Cut::Sync);
}

#[test]
fn a_power_cut_between_two_syncs_that_takes_contents_changes_nothing_but_attempts() {
    let _clock = Stopwatch::start();
    cuts(&plays::undisturbed(), Loss::Contents, 23, Cut::Sync);
}
