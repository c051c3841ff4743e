//! Histories for tests of views: those of the machine's own tests, drawn at random.

#[expect(dead_code, unused_imports, reason = "the worlds of other tests have more than these need")]
#[path = "../../../core/tests/review"]
pub(crate) mod review {
    pub(super) mod draws;
    pub(super) mod world;

    use self::draws::{STEPS_MAX, any_habits, any_rules};
    use self::world::{Habits, Rules, World};
    use proptest::prelude::*;
    use redraft_facts::event::Entry;
    use redraft_facts::phase::{Lane, Phase};
    use redraft_reports::standing::Surroundings;

    /// Histories that are drawn, each with every beginning of it.
    pub(crate) const HISTORIES: u32 = 1_000;

    /// One history, played to its end.
    pub(crate) fn any_history() -> impl Strategy<Value = Vec<Entry>> {
        let draws = proptest::collection::vec(any::<u8>(), 1..200);
        let more =
            (prop_oneof![Just(0u8), 0u8..40], prop_oneof![Just(0u8), 0u8..10], proptest::bool::weighted(0.2));
        let world = (any_rules(), any_habits(), draws, more);
        world.prop_map(|(rules, habits, draws, (parks, short, alone))| {
            let habits = Habits { parks, short, turns: if alone { 0 } else { habits.turns }, ..habits };
            let by_itself =
                |rules: Rules| Rules { alone, lane: Lane::Standard, until: Phase::Specify, ..rules };
            let mut world = World::new(if alone { by_itself(rules) } else { rules }, habits, draws);
            world.play(STEPS_MAX);
            world.log
        })
    }

    /// The moment at which a history is looked at: one of four, so that all of them are tried.
    pub(crate) fn moment(log: &[Entry]) -> Surroundings {
        let moments = [(0, false), (0, true), (i64::MAX, false), (i64::MAX, true)];
        let (now_ms, is_driven) = moments[log.len() % moments.len()];
        Surroundings { now_ms, is_driven, ..Surroundings::default() }
    }

    /// How many events of a history are looked at where a look costs as much as the history is long: one number in its
    /// middle, at random as histories are, and its end.
    pub(crate) fn sampled(log: &[Entry]) -> [usize; 2] {
        let seed = log.iter().map(|entry| entry.event.kind().len()).sum::<usize>();
        [1 + seed % log.len(), log.len()]
    }
}
