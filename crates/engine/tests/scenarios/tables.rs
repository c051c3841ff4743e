//! The scenarios. Each table is played three times: undisturbed, with a crash after every kind of change, and on the real
//! adapters.

mod again;
pub(crate) mod agents;
mod beside;
mod building;
mod checks;
mod conflicting;
pub(crate) mod disagreement;
pub(crate) mod documents;
mod faults;
pub(crate) mod finishing;
mod hosts;
mod misbehaving;
mod money;
mod phases;
mod steering;
mod unreviewed;
mod whole;

use crate::left::Left;
use crate::real::RealWorld;
use crate::script::{self, Act, Setting, Step};
use crate::stage::{Disturbance, Played, play};
use crate::world::FakeWorld;
use redraft_testkit::fakes::{Deed, TurnEnd};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// A name that says what happens, and how it is played.
pub(crate) type Scenario = (&'static str, &'static str);

/// All of them.
pub(crate) fn all() -> Vec<Scenario> {
    let tables: [&[Scenario]; 17] = [
        &again::TABLE,
        &agents::TABLE,
        &beside::TABLE,
        &building::TABLE,
        &checks::TABLE,
        &conflicting::TABLE,
        &disagreement::TABLE,
        &documents::TABLE,
        &faults::TABLE,
        &finishing::TABLE,
        &hosts::TABLE,
        &misbehaving::TABLE,
        &money::TABLE,
        &phases::TABLE,
        &steering::TABLE,
        &unreviewed::TABLE,
        &whole::TABLE,
    ];
    tables.concat()
}

/// Plays every scenario of a table in some way, and reports all that fail.
fn each(table: &[Scenario], how: &str, way: impl Fn(&[Step]) -> usize) {
    let (began, mut plays, mut failed) = (Instant::now(), 0, Vec::new());
    for (name, text) in table {
        let steps = script::steps(text);
        match catch_unwind(AssertUnwindSafe(|| way(&steps))) {
            Ok(played) => plays += played,
            Err(_) => failed.push(*name),
        }
    }
    println!("{} scenarios {how}: {plays} plays in {:?}", table.len(), began.elapsed());
    assert!(failed.is_empty(), "{how}: {failed:#?}");
}

pub(crate) fn played(steps: &[Step]) -> Played {
    let world = FakeWorld::new();
    play(steps, &world, Some(&world), &Disturbance::default())
}

pub(crate) fn played_with(steps: &[Step], disturbance: &Disturbance) -> Played {
    let world = FakeWorld::new();
    play(steps, &world, Some(&world), disturbance)
}

/// Whether the result is the same when something is done once more: nothing in it is counted.
fn can_be_disturbed(steps: &[Step]) -> bool {
    let counted = |step: &Step| match step {
        // Money: a lost attempt costs some.
        Step::Setting(Setting::Budget(_) | Setting::OrderMatters) => true,
        Step::Act(
            Act::LedgerFails(..)
            | Act::LedgerFailsOnce(..)
            | Act::GitFails { .. }
            | Act::InboxFails(_)
            | Act::LeaveBehind(_),
        ) => true,
        // The next process does not know what the user wanted from one process, and a bug may not come again.
        Step::Turn(turn) => {
            let once = |deed: &Deed| matches!(deed, Deed::StopRun | Deed::LeaveRun);
            turn.says == TurnEnd::Panics || turn.does.iter().any(once)
        }
        _ => false,
    };
    !steps.iter().any(counted)
}

/// Whether the real things can be made to do it.
fn can_be_real(steps: &[Step]) -> bool {
    let made_up = |step: &Step| {
        matches!(
            step,
            Step::Act(
                Act::LedgerFails(..)
                    | Act::LedgerFailsOnce(..)
                    | Act::GitFails { .. }
                    | Act::InboxFails(_)
                    | Act::Mend
            )
        )
    };
    !steps.iter().any(made_up)
}

pub(crate) fn play_undisturbed(table: &[Scenario]) {
    each(table, "undisturbed", |steps| {
        played(steps);
        1
    });
}

/// This many moments before a change, and one after it, identify the place.
const BEFORE: usize = 3;

/// How often a table dies at places that look alike: the scenarios of one table have much in common.
const ALIKE_MAX: usize = 2;

/// A play with more changes than this is long, and each death in it expensive: it dies only this often, at places
/// spread over it.
const LONG_MIN: usize = 100;
const LONG_DEATHS: usize = 16;

/// The places that a table has died at, and how often.
type Died = BTreeMap<Vec<String>, usize>;

/// Where a play is to die: after every change of every process that no earlier play has died at often enough; in a long play
/// after some of these; and after every change of every play where `REDRAFT_CRASHES=all` asks for that.
fn deaths(played: &Played, died: &mut Died) -> Vec<Disturbance> {
    #[expect(clippy::disallowed_methods, reason = "how long to test is the caller's choice")]
    let most = match std::env::var("REDRAFT_CRASHES") {
        Ok(word) if word == "all" => usize::MAX,
        Ok(word) => panic!("REDRAFT_CRASHES={word} is not known; the only word is `all`"),
        Err(_) => ALIKE_MAX,
    };
    let (mut deaths, mut begun) = (Vec::new(), 0);
    for (process, (worth, length)) in played.worth_dying_at.iter().zip(&played.lengths).enumerate() {
        let moments = &played.moments[begun..begun + length];
        begun += length;
        for at in worth {
            let place = moments[at.saturating_sub(BEFORE + 1)..(at + 1).min(*length)].to_vec();
            let times = died.entry(place).or_default();
            *times += 1;
            if *times <= most {
                deaths.push(Disturbance { process, at: vec![*at] });
            }
        }
    }
    let changes: usize = played.worth_dying_at.iter().map(Vec::len).sum();
    let stride = if most == ALIKE_MAX && changes > LONG_MIN { deaths.len() / LONG_DEATHS + 1 } else { 1 };
    deaths.into_iter().step_by(stride).collect()
}

/// Dies wherever it is worth it, and finds the same as if it had not.
pub(crate) fn play_with_crashes(table: &[Scenario]) {
    let died = RefCell::new(Died::new());
    each(table, "with crashes", |steps| {
        if !can_be_disturbed(steps) {
            return 0;
        }
        let expected = played(steps);
        let deaths = deaths(&expected, &mut died.borrow_mut());
        let beside = steps.iter().any(|step| matches!(step, Step::Setting(Setting::Jobs(_))));
        let left = |left: Left| match beside {
            true => left.after_a_crash().in_any_order(),
            false => left.after_a_crash(),
        };
        let expected = left(expected.left);
        for disturbance in &deaths {
            let found = played_with(steps, disturbance);
            let what = format!("{disturbance:?}, at: {:?}", found.died);
            assert_eq!(found.died.len(), 1, "{what}");
            assert_eq!(left(found.left), expected, "{what}\n{}", found.trail.join("\n"));
        }
        deaths.len()
    });
}

/// Comes to the same on the real adapters.
pub(crate) fn play_for_real(table: &[Scenario]) {
    each(table, "on the real adapters", |steps| {
        if !can_be_real(steps) {
            return 0;
        }
        let expected = played(steps);
        let found = play(steps, &RealWorld::new(), None, &Disturbance::default());
        assert_eq!(found.trail.join("\n"), expected.trail.join("\n"));
        assert_eq!(found.left.on_any_world(), expected.left.on_any_world());
        1
    });
}

/// Plays a table in all three ways.
macro_rules! in_every_way {
    ($table:ident) => {
        #[test]
        fn with_a_crash_after_every_kind_of_change() {
            crate::tables::play_with_crashes(&$table);
        }

        #[test]
        fn undisturbed() {
            crate::tables::play_undisturbed(&$table);
        }

        #[test]
        fn on_the_real_adapters() {
            crate::tables::play_for_real(&$table);
        }
    };
}

use in_every_way;
