//! Crashes that no table can hold: a second one during recovery, one under a budget, and some on the real adapters.

use crate::real::RealWorld;
use crate::script;
use crate::stage::{Disturbance, play};
use crate::tables::{agents, disagreement, documents, finishing, played, played_with};
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::Event;
use redraft_facts::usage::Usd;

#[test]
fn a_second_crash_during_recovery_changes_nothing_either() {
    const SECOND_MAX: usize = 8;
    let steps = script::steps(
        "
        spec-author writes spec.md
        and writes `not mine\\n` to README.md
        and commits `mine`
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        ",
    );
    let expected = played(&steps);
    let mut twice = 0;
    for first in &expected.worth_dying_at[0] {
        for second in 1..=SECOND_MAX {
            let disturbance = Disturbance { process: 0, at: vec![*first, second] };
            let found = played_with(&steps, &disturbance);
            assert_eq!(found.left, expected.left, "{:?}\n{}", found.died, found.trail.join("\n"));
            twice += usize::from(found.died.len() == 2);
        }
    }
    println!("{twice} recoveries died");
    assert!(twice > 100, "{twice}");
}

#[test]
fn a_crash_does_not_stretch_the_budget() {
    // Each answer costs a dollar, and three of them are all there is money for.
    let begin = "
        the budget is $3
        scripted costs $1 of $1
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
    ";
    let expected = played(&script::steps(&format!("{begin}the run is short of money")));
    // After a crash, the money may be used up before a role can be asked again.
    let steps = script::steps(&format!("{begin}the run is over"));
    for at in &expected.worth_dying_at[0] {
        let found = played_with(&steps, &Disturbance { process: 0, at: vec![*at] });
        let started = found.entries.iter().filter(|entry| matches!(entry.event, Event::Started(_))).count();
        let money = Pipeline::replay(&found.entries).unwrap().money.counted();
        assert_eq!(
            started,
            3,
            "{:?}: a lost dispatch counts as spent\n{}",
            found.died,
            found.trail.join("\n")
        );
        assert_eq!(money, Usd(3_000_000), "{:?}", found.died);
    }
}

/// The scenarios played with crashes on the real adapters: what happens to a document, and how a feature ends.
const ON_THE_REAL_ADAPTERS: [&str; 8] = [
    "a person's edit is committed by itself and reaches every reviewer in its next look",
    "an answer that is no verdict is repaired in the same conversation",
    "a conversation that is lost is begun anew with everything in it",
    "a document that fails its gate is mended before anybody reviews it",
    "at the cap a person rules, and what was open is settled",
    "at the cap a person mends it, and a new pass begins with new conversations",
    "fresh eyes that find something reopen the phase once, and then a person is asked",
    "a feature ends with a page of figures where nobody is to look back, and is merged",
];

#[test]
fn a_crash_at_a_boundary_changes_nothing_but_attempts_on_the_real_adapters_either() {
    // Meets boundaries of every kind in turn, a few in each scenario.
    const STRIDE: usize = 17;
    let tables = [&documents::TABLE[..], &disagreement::TABLE, &agents::TABLE, &finishing::TABLE].concat();
    let mut crashes = 0;
    for (number, wanted) in ON_THE_REAL_ADAPTERS.iter().enumerate() {
        let (_, text) = tables.iter().find(|(name, _)| name == wanted).expect("it is in a table");
        let steps = script::steps(text);
        let expected = play(&steps, &RealWorld::new(), None, &Disturbance::default());
        let mut first = number % STRIDE + 1;
        for (process, length) in expected.lengths.iter().enumerate() {
            for at in (first..=*length).step_by(STRIDE) {
                let disturbance = Disturbance { process, at: vec![at] };
                let found = play(&steps, &RealWorld::new(), None, &disturbance);
                assert_eq!(found.died.len(), 1, "{wanted}: {disturbance:?}");
                assert_eq!(
                    found.left,
                    expected.left,
                    "{wanted}: {:?}\n{}",
                    found.died,
                    found.trail.join("\n")
                );
                crashes += 1;
            }
            first = (first + STRIDE).saturating_sub(*length).max(1);
        }
    }
    println!("{crashes} crashes on the real adapters");
    assert!(crashes > 20, "{crashes}");
}
