//! Tasks side by side, where the run dies and something else happens before the next one: whatever stood in a worktree when
//! it was left is reachable afterwards, and the run ends the same.

use crate::beside::{APART, RED};
use crate::documents::BESIDE;
use crate::left::Left;
use crate::lists;
use crate::real::RealWorld;
use crate::script::{self, Step};
use crate::stage::{Accident, Disturbance, Played, play, play_with_accidents};
use crate::tables::played;
use crate::world::{FakeWorld, World};
use redraft_testkit::fakes::Outside;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Three tasks that have nothing to do with each other, in the second process.
fn scenario(turns: &str) -> Vec<Step> {
    [lists::begun(3, BESIDE), script::steps(turns), lists::ended()].concat()
}

/// The moments of the second process, by what they are, from the first task up to the landing of the last: what comes
/// before and after is no matter of tasks. Of those that are alike the first and the last.
fn moments(played: &Played) -> Vec<usize> {
    let moments = &played.moments[played.lengths[0]..];
    let begins = moments.iter().rposition(|moment| moment == "before a loop with a base is stored").unwrap();
    let lands = |moment: &String| moment == "stored built" || moment == "before what was built is stored";
    let last = moments.iter().rposition(lands).unwrap();
    let mut alike: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (at, moment) in moments.iter().enumerate().take(last + 1).skip(begins) {
        alike.entry(moment).or_insert((at, at)).1 = at;
    }
    let both: BTreeSet<usize> = alike.into_values().flat_map(|(first, last)| [first + 1, last + 1]).collect();
    both.into_iter().collect()
}

fn without(some: &[Accident]) -> Vec<Accident> {
    Accident::ALL.into_iter().filter(|accident| !some.contains(accident)).collect()
}

/// What is left of the tasks. A person who commits everything may have committed what was landing.
fn left(played: &Played, accident: Accident) -> Left {
    let left = played.left.clone().after_a_crash().in_any_order().of_tasks();
    if accident == Accident::Committed { left.without_commits() } else { left }
}

/// What was written by a person is stored somewhere that git does not throw away, or still where it was written.
fn is_kept(outside: &Arc<dyn Outside>, accident: Accident, there: &[u16], what: &str) {
    outside.collect();
    let wrote: &[u16] = match accident {
        Accident::Dirty => there,
        Accident::Edited | Accident::Committed => &[0],
        Accident::CheckedOut => {
            let (path, text) = Accident::precious(0);
            assert_eq!(outside.look_elsewhere(&path), Some(text), "{what}");
            &[]
        }
        _ => &[],
    };
    for slot in wrote {
        let (path, text) = Accident::precious(*slot);
        assert!(outside.has_stored(&text), "{path} is lost: {what}");
    }
}

/// Tries each, and reports all that fail.
fn each(all: &[(usize, Accident)], dies: impl Fn(usize, Accident)) {
    let fails = |(at, accident): &&(usize, Accident)| {
        catch_unwind(AssertUnwindSafe(|| dies(*at, *accident))).is_err()
    };
    let failed: Vec<_> = all.iter().filter(fails).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// Dies at a moment, has the accident, and comes to the same.
fn dies(
    (steps, expected): (&[Step], &Played),
    world: &dyn World,
    fake: Option<&FakeWorld>,
    (at, accident): (usize, Accident),
) {
    let disturbance = Disturbance { process: 1, at: vec![at] };
    let found = play_with_accidents(steps, world, fake, &disturbance, Some(accident));
    let what = format!("{accident:?} at moment {at}: {:?}\n{}", found.died, found.trail.join("\n"));
    assert_eq!(found.died.len(), 1, "{what}");
    assert_eq!(left(&found, accident), left(expected, accident), "{what}");
    is_kept(&world.outside(), accident, &found.left_slots, &what);
}

#[test]
fn whatever_happens_after_a_crash_at_any_moment_the_tasks_end_the_same_and_nothing_is_lost() {
    // A task whose worktree is removed before its work is a commit is carried out again.
    let again = APART.repeat(2);
    let mut deaths = 0;
    for (turns, begins, accidents) in [
        (APART, APART, without(&[Accident::SlotsRemoved])),
        (APART, &again, vec![Accident::SlotsRemoved]),
        (RED, RED, vec![Accident::Dirty, Accident::DiskFull]),
    ] {
        let expected = played(&scenario(turns));
        let steps = scenario(begins);
        let moments = moments(&expected);
        let all: Vec<(usize, Accident)> =
            accidents.iter().flat_map(|accident| moments.iter().map(|at| (*at, *accident))).collect();
        each(&all, |at, accident| {
            let world = FakeWorld::new();
            dies((&steps, &expected), &world, Some(&world), (at, accident));
        });
        deaths += all.len();
    }
    println!("{deaths} deaths with accidents");
    assert!(deaths > 100, "{deaths}");
}

#[test]
fn the_same_holds_with_the_real_git() {
    // Each process of git takes its time.
    const STRIDE: usize = 3;
    let steps = scenario(RED);
    let expected = play(&steps, &RealWorld::new(), None, &Disturbance::default());
    // The disk is no fake either.
    let mut accidents = without(&[Accident::SlotsRemoved, Accident::DiskFull]);
    accidents.rotate_right(2);
    let moments = moments(&expected).into_iter().step_by(STRIDE).zip(accidents.into_iter().cycle());
    let all: Vec<(usize, Accident)> = moments.collect();
    each(&all, |at, accident| dies((&steps, &expected), &RealWorld::new(), None, (at, accident)));
    println!("{} deaths with accidents and the real git", all.len());
    assert!(all.len() > 6, "{}", all.len());
}
