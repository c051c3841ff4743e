//! The scenarios. Each table is played three times: undisturbed, with a crash after every change, and on the real adapters.

pub(crate) mod agents;
mod building;
pub(crate) mod documents;
mod faults;
pub(crate) mod finishing;
mod hosts;
mod misbehaving;
mod money;
mod phases;
mod whole;

use crate::real::RealWorld;
use crate::script::{self, Act, Setting, Step};
use crate::stage::{Disturbance, Played, play};
use crate::world::FakeWorld;
use redraft_testkit::fakes::{Deed, Says};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// A name that says what happens, and how it is played.
pub(crate) type Scenario = (&'static str, &'static str);

/// All of them.
pub(crate) fn all() -> Vec<Scenario> {
    let tables: [&[Scenario]; 10] = [
        &agents::TABLE,
        &building::TABLE,
        &documents::TABLE,
        &faults::TABLE,
        &finishing::TABLE,
        &hosts::TABLE,
        &misbehaving::TABLE,
        &money::TABLE,
        &phases::TABLE,
        &whole::TABLE,
    ];
    tables.concat()
}

/// Plays every scenario of a table in some way, and tells all that fail.
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

/// Whether the same comes of it when something is done once more: nothing of it is counted.
fn can_be_disturbed(steps: &[Step]) -> bool {
    let counted = |step: &Step| match step {
        // Money: a lost attempt costs some.
        Step::Setting(Setting::Budget(_)) => true,
        Step::Act(Act::LedgerFails(..) | Act::GitFails { .. } | Act::InboxFails(_) | Act::LeaveBehind(_)) => {
            true
        }
        // What the user wants of one process the next one does not know, and a bug may not come again. And what git cannot
        // store is taken out before the file is put back that stood there: a crash between the two looks like a file that
        // somebody removed, which who builds may do.
        Step::Turn(turn) => {
            let once = |deed: &Deed| matches!(deed, Deed::StopRun | Deed::LeaveRun | Deed::Pipe(_));
            turn.says == Says::Panics || turn.does.iter().any(once)
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
            Step::Act(Act::LedgerFails(..) | Act::GitFails { .. } | Act::InboxFails(_) | Act::Mend)
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

/// Dies after every so manieth change of every process, and finds the same as if it had not.
pub(crate) fn play_with_crashes(table: &[Scenario], stride: usize) {
    each(table, "with crashes", |steps| {
        if !can_be_disturbed(steps) {
            return 0;
        }
        let expected = played(steps);
        let left = expected.left.after_a_crash();
        let mut plays = 0;
        for (process, moments) in expected.worth_dying_at.iter().enumerate() {
            for at in moments.iter().step_by(stride) {
                let disturbance = Disturbance { process, at: vec![*at] };
                let found = played_with(steps, &disturbance);
                let what = format!("{disturbance:?}, at: {:?}", found.died);
                assert_eq!(found.died.len(), 1, "{what}");
                assert_eq!(found.left.after_a_crash(), left, "{what}\n{}", found.trail.join("\n"));
                plays += 1;
            }
        }
        plays
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

/// Plays a table in all three ways. Long scenarios die after every so manieth change only, a number that meets changes of
/// every kind in turn.
macro_rules! in_every_way {
    ($table:ident) => {
        #[test]
        fn with_a_crash_after_every_change() {
            crate::tables::play_with_crashes(&$table, 1);
        }

        crate::tables::in_every_way!(undisturbed and real $table);
    };
    ($table:ident, dying after every $stride:literal) => {
        #[test]
        fn with_crashes_here_and_there() {
            crate::tables::play_with_crashes(&$table, $stride);
        }

        crate::tables::in_every_way!(undisturbed and real $table);
    };
    (undisturbed and real $table:ident) => {
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
