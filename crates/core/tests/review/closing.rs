//! Properties of how phases end, for every sequence of events: approvals, rulings, lanes, going back.

use super::draws::*;
use super::world::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{Loop, LoopEnd, Seat};
use redraft_facts::choice::Policy;
use redraft_facts::event::*;
use redraft_facts::findings::Status;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;

/// Without this the properties below could hold because nothing happens.
#[test]
fn worlds_are_drawn_in_which_people_take_other_lanes_leave_phases_out_and_go_back() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for _ in 0..500 {
        let mut world = any_world().new_tree(&mut runner).unwrap().current();
        world.play(STEPS_MAX);
        seen.extend(world.log.iter().map(|entry| entry.event.kind()));
        let by_gates =
            |past: &Loop| past.reviewers.is_empty() && matches!(past.end, Some(LoopEnd::Closed(_)));
        seen.extend(world.state.past.iter().any(by_gates).then_some("closed by gates only"));
        seen.extend(world.state.closed(Phase::CreateTasks).map(|_| "all four phases"));
    }
    let wanted = ["lane-set", "phase-skipped", "went-back", "closed by gates only", "all four phases"];
    for kind in wanted {
        assert!(seen.contains(kind), "{kind} in {seen:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_approvals_that_close_a_phase_name_its_revision(mut world in any_world()) {
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        for entry in &world.log {
            pipeline::fold(&mut state, &entry.event).unwrap();
            let Event::PhaseClosed(closed) = &entry.event else { continue };
            let past = state.past.last().unwrap();
            for seat in &past.reviewers {
                let ruled = seat.ruled();
                prop_assert!(ruled || closed.approvals.iter().any(|approval| approval.role == seat.role));
            }
            if past.opened.certify != Certify::Off {
                prop_assert!(closed.approvals.iter().all(|approval| approval.revision == closed.revision));
            }
            let open = past.findings.iter().filter(|finding| finding.status == Status::Open);
            prop_assert_eq!(open.filter(|finding| finding.blocks(past.opened.rule)).count(), 0);
        }
    }

    #[test]
    fn no_edit_is_closed_on_by_a_ruling_that_was_made_before_it(mut world in any_world()) {
        world.habits.person = true;
        world.habits.edit = world.habits.edit.max(4);
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        let mut edited = None;
        for entry in &world.log {
            match &entry.event {
                Event::LoopOpened(_) => edited = None,
                Event::Edited(_) => edited = Some(entry.seq),
                Event::Decided(fact) if fact.choice == Decision::Accept => {
                    let open = state.open.as_ref().unwrap();
                    let asked = |seat: &&Seat| fact.about == About::Cap { stage: seat.stage };
                    for seat in open.reviewers.iter().filter(asked) {
                        let stands_in = seat.approved().is_none() && !seat.ruled();
                        let unseen = stands_in && seat.anchor != open.revision;
                        prop_assert_eq!(fact.unseen.contains(&seat.role), unseen);
                    }
                }
                Event::StageClosed(StageClosed { outcome: StageOutcome::Failed, .. }) => {
                    let accepted = world.log[..entry.seq as usize].iter().rev().find(|earlier| {
                        matches!(&earlier.event, Event::Decided(fact) if fact.choice == Decision::Accept)
                    });
                    prop_assert!(edited < accepted.map(|accepted| accepted.seq), "edited after the ruling");
                }
                _ => {}
            }
            state = pipeline::step(&state, &entry.event).unwrap();
        }
    }

    #[test]
    fn closing_does_not_depend_on_strategy_or_policy(
        panels in proptest::sample::select(vec![vec![1], vec![2], vec![1, 1], vec![3]]),
        verdicts in proptest::collection::vec(any::<bool>(), 1..12),
    ) {
        let mut outcomes = Vec::new();
        for policy in Policy::ALL {
            let mut world = World::new(Rules { policy, ..rules(&panels) }, CALM, vec![7, 200, 31]);
            super::scenarios::play_verdicts(&mut world, &verdicts);
            let judged = world.log.iter().filter_map(|entry| match &entry.event {
                Event::Judged(Judged { ticket, judgement, .. }) => Some((ticket.to_string(), judgement.clone())),
                _ => None,
            });
            let end = world.state.past.last().and_then(|past| past.end.clone());
            let closed = matches!(end, Some(LoopEnd::Closed(_)));
            outcomes.push((closed, judged.collect::<Vec<_>>()));
        }
        prop_assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{:?}", outcomes);
    }

    #[test]
    fn fail_fix_pass_never_trips_a_cap_of_two_or_more(
        panels in proptest::sample::select(vec![vec![1], vec![2], vec![3], vec![1, 1], vec![2, 3]]),
        cap in 2u16..6,
        certify in proptest::sample::select(Certify::ALL.to_vec()),
    ) {
        let limits = Limits { rounds: cap, ..Limits::default() };
        let count = panels.iter().sum::<usize>();
        let mut world = World::new(Rules { limits, certify, ..rules(&panels) }, CALM, vec![1]);
        // Everybody rejects the first time and approves from then on.
        let mut verdicts = Vec::new();
        for size in &panels {
            verdicts.extend(vec![false; *size]);
            verdicts.extend(vec![true; *size]);
        }
        verdicts.extend(vec![true; count]);
        super::scenarios::play_verdicts(&mut world, &verdicts);
        prop_assert!(matches!(world.state.past.last().unwrap().end, Some(LoopEnd::Closed(_))));
        prop_assert!(!world.log.iter().any(|entry| matches!(entry.event, Event::Asked(_))));
    }

    #[test]
    fn another_lane_keeps_what_reviewers_approved_and_no_gate_closes_what_they_have_begun_to_read(
        mut world in any_world()
    ) {
        world.habits.turns = world.habits.turns.max(5);
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        for entry in &world.log {
            let before = state.clone();
            pipeline::fold(&mut state, &entry.event).unwrap();
            let judged = before.past.iter().chain(&before.open).any(Loop::judges_document);
            match &entry.event {
                Event::LaneSet(set) => {
                    prop_assert!(!judged || set.lane.reviews());
                    for phase in Phase::ALL {
                        let was = before.past.iter().rev().find(|past| past.opened.phase == phase);
                        let signed = was.is_some_and(|past| !past.reviewers.is_empty());
                        // Code that was built on what nobody has read is built again once somebody reads that.
                        let due = state.phases().any(|earlier| earlier < phase && !state.is_over(earlier));
                        let again = phase == Phase::Implement && due;
                        prop_assert!(!signed || again || before.closed(phase) == state.closed(phase), "{}", phase);
                    }
                }
                Event::PhaseClosed(_) => {
                    let past = state.past.last().unwrap();
                    // Nobody reviews the end.
                    let reviewed = !past.reviewers.is_empty() || past.finishing.is_some();
                    prop_assert!(reviewed || !before.past.iter().any(Loop::judges_document));
                }
                _ => {}
            }
        }
    }

    #[test]
    fn going_back_voids_that_phase_and_those_after_it_and_no_other_and_the_first_is_never_left_out(
        mut world in any_world()
    ) {
        world.habits.turns = world.habits.turns.max(5);
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        for entry in &world.log {
            let before = state.clone();
            pipeline::fold(&mut state, &entry.event).unwrap();
            prop_assert!(!state.skipped.contains(&Phase::Specify));
            let Event::WentBack(fact) = &entry.event else { continue };
            for phase in Phase::ALL {
                let kept = before.closed(phase).filter(|_| phase < fact.phase);
                prop_assert_eq!(state.closed(phase), kept, "{} after going back to {}", phase, fact.phase);
            }
            // What is next is where one went back to, unless an earlier phase is not over either.
            let next = state.phase();
            prop_assert!(next.is_none() || next <= Some(fact.phase), "{:?}", next);
        }
    }
}
