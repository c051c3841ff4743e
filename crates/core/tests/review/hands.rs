//! Work that hosts come for: what is out, and what a review by the conversation that wrote the text is worth.

use super::draws::*;
use super::world::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{Effect, SeatStatus};
use redraft_facts::event::*;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};

/// Without this the property below could hold because nothing happens.
#[test]
fn worlds_are_drawn_in_which_who_wrote_a_text_approves_it_and_fresh_eyes_are_a_hosts() {
    let mut runner = TestRunner::deterministic();
    let (mut same, mut certified) = (0, 0);
    for _ in 0..500 {
        let mut world = any_world().new_tree(&mut runner).unwrap().current();
        world.play(STEPS_MAX);
        for entry in &world.log {
            match &entry.event {
                Event::PhaseClosed(closed) => {
                    same += closed.approvals.iter().filter(|approval| approval.same_hand).count();
                }
                Event::Answered(Answered { ticket, hand: Some(_), .. }) => {
                    certified += usize::from(ticket.purpose == Purpose::Certify);
                }
                _ => {}
            }
        }
    }
    assert!(same > 5 && certified > 0, "{same} same hand, {certified} certificates of hosts");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_hand_that_wrote_a_text_counts_only_where_that_is_allowed_is_marked_and_never_certifies(
        mut world in any_world(),
    ) {
        world.habits.pull = world.habits.pull.max(50);
        world.play(STEPS_MAX);
        let mut same: BTreeSet<Ticket> = BTreeSet::new();
        let mut state = Pipeline::default();
        for entry in &world.log {
            if let Event::Answered(Answered { ticket, hand: Some(hand), .. }) = &entry.event {
                let open = state.open.as_ref().unwrap();
                prop_assert_eq!(hand.same, open.is_same_hand(ticket, &hand.conversation));
                if hand.same {
                    prop_assert!(open.opened.same_hand && ticket.purpose != Purpose::Certify);
                    same.insert(ticket.clone());
                }
            }
            state = pipeline::step(&state, &entry.event).unwrap();
            let seats = state.open.iter().flat_map(|open| &open.reviewers);
            for seat in seats {
                if let SeatStatus::Approved { ticket, fresh, same_hand, .. } = &seat.standing {
                    prop_assert_eq!(*same_hand, same.contains(ticket));
                    prop_assert!(!(*fresh && *same_hand));
                }
            }
            if let Event::PhaseClosed(closed) = &entry.event {
                for approval in &closed.approvals {
                    prop_assert_eq!(approval.same_hand, same.contains(&approval.ticket));
                }
            }
        }
    }

    #[test]
    fn a_review_by_whoever_wrote_the_text_is_rejected_where_it_is_not_allowed(mut world in any_world()) {
        world.habits.pull = 100;
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        for entry in &world.log {
            if let Event::Answered(fact) = &entry.event
                && fact.ticket.purpose.judges()
                && let Some(open) = state.open.as_ref().filter(|open| !open.allows_same_hand(&fact.ticket))
                && let Some(writer) = open.writers.first()
            {
                let hand = Some(HostConversation { conversation: writer.clone(), same: true });
                let event = Event::from(Answered { hand, ..fact.clone() });
                prop_assert!(pipeline::step(&state, &event).is_err());
            }
            state = pipeline::step(&state, &entry.event).unwrap();
        }
    }
}

#[test]
fn what_is_handed_out_is_out_until_it_is_answered_and_only_a_host_may_answer_it() {
    let mut most = 0;
    for seed in 0..40 {
        let mut world = World::new(rules(&[2]), Habits { pull: 100, ..CALM }, vec![seed, 7, 90]);
        assert!(world.play(STEPS_MAX));
        let mut state = Pipeline::default();
        for entry in &world.log {
            state = pipeline::step(&state, &entry.event).unwrap();
            let Some(open) = &state.open else { continue };
            let out: Vec<Ticket> = open.handed_out().map(|started| started.ticket.clone()).collect();
            most = most.max(out.len());
            let owed = pipeline::pending(&state);
            assert!(out.iter().all(|ticket| owed.contains(&Effect::Recover(ticket.clone()))));
            if let Event::Started(started) = &entry.event {
                assert!(started.pull && out.contains(&started.ticket));
                let by_nobody = late(&started.ticket).swap_remove(0);
                assert!(pipeline::step(&state, &by_nobody).is_err(), "an answer without a hand");
            }
        }
    }
    assert_eq!(most, 2, "two reviewers are out side by side");
}
