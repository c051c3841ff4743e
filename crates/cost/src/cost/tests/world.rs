//! Loops to decide about, drawn by proptest, and one to work things out by hand.

use crate::cost::{Coming, Exploring, Round, Sizes, Terms};
use crate::price::{Card, Cards};
use proptest::prelude::{Just, Strategy as _, any, prop_oneof};
use redraft_facts::choice::{Cached, Lifetime, Strategy};
use redraft_facts::prelude::*;

pub(super) const FIRST: [Strategy; 2] = [Strategy::Inline, Strategy::Lazy];
pub(super) const FULL: [Strategy; 3] = [Strategy::Inline, Strategy::Lazy, Strategy::Resume];

pub(super) fn card(model: &str) -> Card {
    Cards::builtin().find(model).unwrap().clone()
}

pub(super) fn terms(model: &str, longest: Lifetime) -> Terms {
    Terms::from_card(&card(model), longest)
}

pub(super) const SIZES: Sizes = Sizes {
    system: 3_500,
    rubric: 450,
    upstream: 12_000,
    files: 2,
    findings: 250,
    guidance: 0,
    answer: 1_500,
    per_call: 120,
    artifact_by_path: false,
    exploring: Exploring { calls: 0, tokens: 0 },
};

pub(super) const ROUND: Round = Round { artifact: 8_000, delta: 2_000, touched: 3_000 };

/// A cache as some sequence of reviews can leave it, and a while later.
#[derive(Debug, Clone)]
pub(super) struct Situation {
    pub(super) model: &'static str,
    pub(super) longest: Lifetime,
    pub(super) sizes: Sizes,
    pub(super) rounds: Vec<Coming>,
}

pub(super) fn situations(
    rounds: core::ops::RangeInclusive<usize>,
) -> impl proptest::strategy::Strategy<Value = Situation> {
    let models = prop_oneof![
        Just(("claude-opus-5.5", Lifetime::Hour)),
        Just(("claude-opus-5.5", Lifetime::FiveMinutes)),
        Just(("claude-fable-5.1", Lifetime::Hour)),
        Just(("claude-haiku-4.5", Lifetime::Hour)),
        Just(("claude-haiku-5.5", Lifetime::Hour)),
        Just(("gpt-6.1-terra", Lifetime::HalfDay)),
        Just(("grok-4.7", Lifetime::FiveMinutes)),
        Just(("local", Lifetime::FiveMinutes)),
    ];
    let sizes = (0..60_000_u64, 0..4_u32, any::<bool>(), prop_oneof![3 => Just(0_u32), 1 => 1..12_u32])
        .prop_map(|(upstream, files, artifact_by_path, calls)| Sizes {
            upstream,
            files,
            artifact_by_path,
            exploring: Exploring { calls, tokens: u64::from(calls) * 900 },
            ..SIZES
        });
    let gap = prop_oneof![30..300_u64, 300..3_600_u64, 3_600..100_000_u64];
    let coming =
        (gap, 500..40_000_u64, 0..100_u64, 0..100_u64).prop_map(|(gap_s, artifact, delta, touched)| {
            let round = Round { artifact, delta: artifact * delta / 100, touched: artifact * touched / 100 };
            Coming { gap_s, round }
        });
    (models, sizes, proptest::collection::vec(coming, rounds))
        .prop_map(|((model, longest), sizes, rounds)| Situation { model, longest, sizes, rounds })
}

/// The cache after a first review by `inline` with everything marked for this long.
pub(super) fn warm(terms: &Terms, lifetime: Lifetime) -> Cached {
    use crate::cost::{Way, send};
    use redraft_facts::choice::Marks;
    let all = Some(lifetime);
    let way = Way { strategy: Strategy::Inline, marks: Marks { system: all, stable: all, tail: all } };
    send(terms, &SIZES, &Cached::default(), &ROUND, way).unwrap().cached
}
