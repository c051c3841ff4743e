use super::*;
use crate::cost::{Ahead, ExpectedRounds, Exploring, Marking, Pace, Round, Sizes, Terms};
use crate::price::Cards;
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use proptest::sample::{select, subsequence};
use redraft_facts::choice::{self, Cached, Lifetime};

const BOTH: [Strategy; 2] = [Strategy::Lazy, Strategy::Resume];

fn facts(policy: Policy, purpose: Purpose, prompt_chars: u64) -> PolicyFacts<'static> {
    let resumed =
        Some(ResumedFacts { prompt_chars, first_chars: 1000, context_chars: 8000, fresh_chars: 6000 });
    PolicyFacts { policy, purpose, resumed, priced: None }
}

fn chosen(facts: &PolicyFacts<'_>, allowed: &[Strategy]) -> Strategy {
    choose(facts, allowed).unwrap().strategy
}

#[test]
fn the_guard_is_strict_and_each_policy_measures_against_its_own_whole() {
    let strategy = |policy, chars| chosen(&facts(policy, Purpose::Review, chars), &BOTH);
    assert_eq!(strategy(Policy::Seed, 500), Strategy::Resume);
    assert_eq!(strategy(Policy::Seed, 501), Strategy::Lazy);
    assert_eq!(strategy(Policy::Guarded, 501), Strategy::Resume);
    assert_eq!(strategy(Policy::Guarded, 4000), Strategy::Resume);
    assert_eq!(strategy(Policy::Guarded, 4001), Strategy::Lazy);
    assert_eq!(strategy(Policy::Fresh, 1), Strategy::Lazy);
    assert_eq!(strategy(Policy::Resume, 1_000_000), Strategy::Resume);
}

#[test]
fn without_prices_policy_cost_has_the_role_read_less() {
    let strategy = |chars| chosen(&facts(Policy::Cost, Purpose::Review, chars), &BOTH);
    assert_eq!(
        [strategy(4001), strategy(6000), strategy(6001)],
        [Strategy::Resume, Strategy::Resume, Strategy::Lazy]
    );
}

#[test]
fn validation_has_no_guard() {
    for policy in [Policy::Seed, Policy::Guarded, Policy::Resume] {
        assert_eq!(chosen(&facts(policy, Purpose::Validate, 1_000_000), &BOTH), Strategy::Resume);
    }
    assert_eq!(chosen(&facts(Policy::Fresh, Purpose::Validate, 1), &BOTH), Strategy::Lazy);
}

#[test]
fn policies_inline_and_digest_send_their_own_way_wherever_it_is_allowed() {
    for (policy, own) in [(Policy::Inline, Strategy::Inline), (Policy::Digest, Strategy::Digest)] {
        let facts = facts(policy, Purpose::Review, 1);
        assert_eq!(chosen(&facts, &Strategy::ALL), own);
        assert_eq!(chosen(&facts, &BOTH), Strategy::Lazy);
        assert_eq!(chosen(&facts, &[Strategy::Resume]), Strategy::Resume);
    }
}

#[test]
fn nothing_is_resumed_that_may_not_or_cannot_be() {
    for policy in Policy::ALL {
        assert_eq!(chosen(&facts(policy, Purpose::Review, 1), &[Strategy::Lazy]), Strategy::Lazy);
        let unable = PolicyFacts { policy, purpose: Purpose::Review, resumed: None, priced: None };
        assert_eq!(chosen(&unable, &BOTH), Strategy::Lazy);
    }
}

#[test]
fn what_can_be_sent_in_one_way_only_is_sent_that_way_under_every_policy_and_nothing_is_sent_in_none() {
    for policy in Policy::ALL {
        let facts = facts(policy, Purpose::Retro, 1);
        for only in Strategy::ALL {
            assert_eq!(chosen(&facts, &[only]), only, "{}", policy.name());
        }
        assert_eq!(choose(&facts, &[]), None);
    }
    let why = choose(&facts(Policy::Guarded, Purpose::Retro, 1), &[Strategy::Inline]).unwrap().why;
    assert_eq!(why, "this turn is sent inline under every policy");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Whatever is known about prices, caches and sizes, and whatever else the prices were gathered for.
    #[test]
    fn no_policy_chooses_what_is_not_allowed(
        (policy, purpose) in (select(Policy::ALL.to_vec()), select(Purpose::ALL.to_vec())),
        allowed in subsequence(Strategy::ALL.to_vec(), 1..=4),
        weighed in subsequence(Strategy::ALL.to_vec(), 0..=4),
        resumed in proptest::option::of((0..20_000_u64, 0..20_000_u64, 0..60_000_u64)),
        model in select(vec!["claude-opus-5.5", "gpt-6.1-terra", "local"]),
        (places, is_priced, is_known) in (any::<bool>(), any::<bool>(), any::<bool>()),
        (upstream, artifact, delta) in (0..60_000_u64, 1..40_000_u64, 0..40_000_u64),
    ) {
        let terms = Terms::from_card(Cards::builtin().find(model).unwrap(), Lifetime::Hour);
        let terms = if places { terms } else { terms.marked_by(Marking::Nothing, &[]) };
        let sizes = Sizes {
            system: 3_500,
            rubric: 450,
            upstream,
            files: 2,
            findings: 250,
            guidance: 0,
            answer: 1_500,
            per_call: 120,
            artifact_by_path: false,
            exploring: Exploring { calls: 0, tokens: 0 },
        };
        let talk = choice::CachedConversation { began: Strategy::Lazy, tokens: artifact, tail: None, earlier: None };
        let cached = Cached { conversation: is_known.then_some(talk), ..Cached::default() };
        let round = Round { artifact, delta, touched: delta.min(artifact) };
        let ahead = Ahead::Expected(ExpectedRounds::after_review(1, &round, Some(2), &Pace::default()));
        let later = &Strategy::ALL;
        let (terms, sizes) = (&terms, &sizes);
        let facts = cost::DecisionFacts { terms, sizes, cached, round, allowed: &weighed, later, ahead: &ahead };
        let priced = Priced { card: model, since_s: None, overhead: 0, facts };
        let resumed = resumed.map(|(prompt_chars, first_chars, context_chars)| {
            ResumedFacts { prompt_chars, first_chars, context_chars, fresh_chars: context_chars }
        });
        let priced = is_priced.then_some(&priced);
        let choice = choose(&PolicyFacts { policy, purpose, resumed, priced }, &allowed).unwrap();
        prop_assert!(allowed.contains(&choice.strategy), "{choice:?} of {allowed:?}");
    }
}
