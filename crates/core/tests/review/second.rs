//! A decision from another clone that comes after another one was stored.

use super::draws::*;
use proptest::prelude::*;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{self, Effect};
use redraft_facts::event::*;
use redraft_facts::ids::CommentId;

fn second(against: bool) -> ProposalSettled {
    ProposalSettled {
        id: CommentId::new("b0b"),
        clone: "clone-b".into(),
        place: "bob@desk".into(),
        by: "bob".into(),
        what: "rerun".into(),
        refused: Some("ann had decided accept".into()),
        against: against.then(|| Against { by: "ann".into(), choice: Decision::Accept }),
    }
}

/// What is owed, whatever number its question has.
fn owed(state: &Pipeline) -> Vec<Effect> {
    let unnumbered = |effect| match effect {
        Effect::Ask(question) => Effect::Ask(Question { number: 0, ..question }),
        other => other,
    };
    pipeline::pending(state).into_iter().map(unnumbered).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_goes_on_until_a_person_has_said_which_decision_stands(mut world in any_world()) {
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        for entry in &world.log {
            state = pipeline::step(&state, &entry.event).unwrap();
            let rests = |open: &review::Loop| open.end.is_none() && open.flights().next().is_none();
            if !state.open.as_ref().is_some_and(rests) {
                continue;
            }
            let refused = pipeline::step(&state, &second(false).into()).unwrap();
            prop_assert_eq!(owed(&refused), owed(&state), "a refusal alone holds up nothing");
            let asks = pipeline::step(&state, &second(true).into()).unwrap();
            let pending = pipeline::pending(&asks);
            let [Effect::Ask(question)] = &pending[..] else { panic!("{pending:?}") };
            prop_assert_eq!(&question.about, &About::SecondDecision { id: CommentId::new("b0b") });
            prop_assert!(question.text.contains("bob in bob@desk decided rerun"), "{}", question.text);
            let open = asks.open.as_ref().unwrap();
            let accepts = review::decision(open, question, Decision::Accept, "ann", "we agreed");
            prop_assert_eq!(accepts.ruled.len() + accepts.upheld.len(), 0, "no finding is settled by it");
            let after = pipeline::step(&asks, &accepts.into()).unwrap();
            prop_assert_eq!(owed(&after), owed(&state));
        }
    }
}
