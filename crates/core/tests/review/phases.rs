//! Phases left out, gone back to and given another lane, in the machine itself.

use super::world::*;
use redraft_core::pipeline::{Pipeline, pending, step};
use redraft_core::review::{Effect, decision};
use redraft_facts::event::*;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;

/// A feature whose phases up to this one were approved by calm reviewers.
fn approved(until: Phase) -> World {
    let mut world = World::new(rules(&[1, 1]), CALM, vec![1]);
    if until != Phase::Specify {
        world.happen(lane(Lane::Standard, until));
    }
    assert!(world.play(400));
    assert!(world.state.phase().is_none(), "all of them are over");
    world
}

fn lane(lane: Lane, until: Phase) -> LaneSet {
    LaneSet { lane, until, by: "ann".into(), why: "w".into() }
}

fn skip(phase: Phase) -> PhaseSkipped {
    PhaseSkipped { phase, by: "ann".into(), why: "w".into() }
}

fn back(phase: Phase) -> WentBack {
    WentBack { phase, by: "ann".into(), why: "w".into() }
}

fn refused(world: &World, event: impl Into<Event>) -> bool {
    step(&world.state, &event.into()).is_err()
}

fn opens(world: &World) -> Option<(Phase, u16)> {
    match pending(&world.state).as_slice() {
        [Effect::Open { phase, pass }] => Some((*phase, *pass)),
        _ => None,
    }
}

#[test]
fn a_later_end_opens_the_next_phase_and_replays_the_same() {
    let mut world = approved(Phase::Specify);
    assert!(refused(&world, lane(Lane::Standard, Phase::Specify)), "that is how it is");
    assert!(refused(&world, lane(Lane::Express, Phase::Design)), "the lane has no such phase");
    world.happen(lane(Lane::Standard, Phase::CreateTasks));
    assert_eq!(opens(&world), Some((Phase::Design, 1)));
    assert!(world.play(1_200));
    assert!(Phase::DOCUMENTS.into_iter().all(|phase| world.state.closed(phase).is_some()));
    assert_eq!(Pipeline::replay(&world.log), Ok(world.state));
}

#[test]
fn only_the_next_phase_can_be_left_out_and_never_the_first() {
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    assert!(refused(&world, skip(Phase::Specify)));
    world.happen(lane(Lane::Standard, Phase::CreatePlan));
    assert!(refused(&world, skip(Phase::Design)), "it stands at specify");
    let mut world = approved(Phase::Specify);
    world.happen(lane(Lane::Standard, Phase::CreatePlan));
    assert!(refused(&world, skip(Phase::CreatePlan)));
    world.happen(skip(Phase::Design));
    assert_eq!(opens(&world), Some((Phase::CreatePlan, 1)));
    assert_eq!(world.state.left_out(Phase::Design).as_deref(), Some("phase skipped"));
    world.happen(back(Phase::Design));
    assert_eq!(opens(&world), Some((Phase::Design, 1)));
}

#[test]
fn going_back_voids_that_phase_and_all_after_it_and_keeps_the_document() {
    let mut world = approved(Phase::CreatePlan);
    assert!(refused(&world, back(Phase::CreateTasks)), "it is not over");
    let design = world.state.closed(Phase::Design).map(|closed| closed.revision.clone());
    world.happen(back(Phase::Design));
    assert!(world.state.closed(Phase::Specify).is_some());
    assert!(world.state.closed(Phase::Design).is_none() && world.state.closed(Phase::CreatePlan).is_none());
    assert_eq!(opens(&world), Some((Phase::Design, 2)));
    assert!(!world.play(1));
    let open = world.state.open.as_ref().unwrap();
    assert_eq!((open.opened.phase, &open.revision), (Phase::Design, &design));
}

#[test]
fn the_close_of_an_earlier_pass_does_not_close_a_later_one_on_the_same_revision() {
    let mut world = approved(Phase::Specify);
    let first = world.state.closed(Phase::Specify).cloned().unwrap();
    world.happen(back(Phase::Specify));
    let due = |world: &World| matches!(pending(&world.state).as_slice(), [Effect::ClosePhase { .. }]);
    while !due(&world) {
        assert!(!world.play(1));
    }
    let revision = world.state.open.as_ref().and_then(|open| open.revision.clone());
    assert_eq!(revision.as_ref(), Some(&first.revision), "nobody changed anything");
    assert!(refused(&world, first.clone()), "those were approvals of the first pass");
    assert!(world.play(1) || world.play(1));
    let second = world.state.closed(Phase::Specify).unwrap();
    assert_eq!((second.pass, &second.revision), (2, &first.revision));
}

#[test]
fn a_decision_of_one_phase_answers_no_question_of_another() {
    // Its author never writes anything, so that every phase begins with the same question.
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    world.happen(lane(Lane::Standard, Phase::Design));
    world.habits.unusable = 100;
    assert!(world.play(400));
    let question = |world: &World| match pending(&world.state).as_slice() {
        [Effect::Ask(question)] => question.clone(),
        other => panic!("{other:?}"),
    };
    let asked = question(&world);
    let first = decision(world.state.open.as_ref().unwrap(), &asked, Decision::Rerun, "ann", "w");
    world.happen(first.clone());
    world.habits.unusable = 0;
    while world.state.closed(Phase::Specify).is_none() {
        assert!(!world.play(1));
    }
    world.habits.unusable = 100;
    assert!(world.play(400));
    let second = question(&world);
    assert_eq!((second.pass, second.number, &second.about), (asked.pass, asked.number, &asked.about));
    assert!(refused(&world, first.clone()));
    // A decision that was stored without its phase is believed, as it was then.
    assert!(!refused(&world, Decided { phase: None, ..first }));
}

#[test]
fn what_reviewers_have_begun_to_judge_is_never_left_to_gates_alone() {
    let express = || lane(Lane::Express, Phase::Specify);
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    assert!(!refused(&world, express()), "nothing was begun");
    while world.state.open.is_none() {
        world.play(1);
    }
    assert!(refused(&world, express()));
    assert!(refused(&approved(Phase::Specify), express()));
}

#[test]
fn nothing_of_this_happens_while_an_agent_is_at_work_or_after_the_end() {
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    let at_work =
        |world: &World| world.state.open.as_ref().is_some_and(|open| open.flights().next().is_some());
    while !at_work(&world) {
        assert!(!world.play(1));
    }
    assert!(refused(&world, lane(Lane::Deep, Phase::CreateTasks)));
    let mut world = approved(Phase::Design);
    world.happen(back(Phase::Specify));
    world.happen(Cancelled { by: "ann".into(), why: "w".into() });
    assert!(refused(&world, lane(Lane::Deep, Phase::CreateTasks)) && refused(&world, back(Phase::Design)));
    assert_eq!(pending(&world.state), []);
}

#[test]
fn an_adopted_feature_goes_on_after_the_documents_that_were_taken_as_they_are() {
    let adopted = |life, accepted: &[Phase]| Adopted {
        from: "docs/features/031-x".into(),
        accepted: accepted.to_vec(),
        life,
        by: "ann".into(),
        files: vec![],
        branch: None,
        rehearsed: None,
    };
    let begin = |fact: Adopted| {
        let mut world = World::new(rules(&[1]), CALM, vec![1]);
        world.happen(lane(Lane::Standard, Phase::CreateTasks));
        world.happen(fact);
        world
    };
    let mut world = begin(adopted(FeatureLife::Active, &[Phase::Specify, Phase::Design]));
    assert_eq!(opens(&world), Some((Phase::CreatePlan, 1)));
    assert!(refused(&world, adopted(FeatureLife::Active, &[])), "once is enough");
    world.happen(back(Phase::Design));
    assert_eq!(opens(&world), Some((Phase::Design, 1)));
    let mut over = begin(adopted(FeatureLife::Completed, &[Phase::Specify]));
    assert_eq!((opens(&over), over.state.life()), (None, FeatureLife::Completed));
    over.happen(back(Phase::Specify));
    assert_eq!((opens(&over), over.state.life()), (Some((Phase::Specify, 1)), FeatureLife::Active));
}
