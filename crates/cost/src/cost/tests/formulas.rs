//! What one review is billed for, in tokens, worked out by hand.

use super::world::{ROUND, SIZES, terms, warm};
use crate::cost::{Coming, Exploring, ReviewBill, Round, Sent, Sizes, Terms, Way, bound, send};
use redraft_facts::choice::{Cached, Lifetime, Marks, Strategy};

const MINUTES: Option<Lifetime> = Some(Lifetime::FiveMinutes);
const HOUR: Option<Lifetime> = Some(Lifetime::Hour);
const NONE: Marks = Marks { system: None, stable: None, tail: None };

fn sent(terms: &Terms, sizes: &Sizes, cached: Cached, strategy: Strategy, marks: Marks) -> Sent {
    send(terms, sizes, &cached, &ROUND, Way { strategy, marks }).unwrap()
}

/// Uncached, written for 5 minutes, for an hour, read, output.
fn counts(bill: &ReviewBill) -> (u64, u64, u64, u64, u64) {
    (bill.uncached, bill.written[0], bill.written[2], bill.read, bill.output)
}

#[test]
fn inline_writes_what_stays_and_pays_the_rest_as_input() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let marks = Marks { system: HOUR, stable: HOUR, tail: None };
    let first = sent(&terms, &SIZES, Cached::default(), Strategy::Inline, marks);
    assert_eq!(counts(&first.bill), (8_250, 0, 15_950, 0, 1_500));
    // Four dollars a million for input, eight for an hour's write, twenty for output.
    assert_eq!(first.bill.input_amount.0, 8_250 * 4_000_000 + 15_950 * 8_000_000);
    assert_eq!(first.bill.output_amount.0, 1_500 * 20_000_000);
    let later = sent(&terms, &SIZES, first.cached.after(3_599), Strategy::Inline, marks);
    assert_eq!(counts(&later.bill), (8_250, 0, 0, 15_950, 1_500));
    let too_late = sent(&terms, &SIZES, first.cached.after(3_600), Strategy::Inline, marks);
    assert_eq!(counts(&too_late.bill), (8_250, 0, 15_950, 0, 1_500));
}

#[test]
fn one_request_mixes_lifetimes_and_each_part_ends_by_its_own() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let marks = Marks { system: HOUR, stable: HOUR, tail: MINUTES };
    let first = sent(&terms, &SIZES, Cached::default(), Strategy::Inline, marks);
    assert_eq!(counts(&first.bill), (0, 8_250, 15_950, 0, 1_500));
    let soon = sent(&terms, &SIZES, first.cached.after(299), Strategy::Resume, NONE);
    // The prompt of 24,200 is read; the answer, the delta and the findings are new.
    assert_eq!(counts(&soon.bill), (1_500 + 2_000 + 250, 0, 0, 24_200, 1_500));
    let later = sent(&terms, &SIZES, first.cached.after(300), Strategy::Resume, NONE);
    assert_eq!(counts(&later.bill), (8_250 + 3_750, 0, 0, 15_950, 1_500));
}

#[test]
fn a_hit_counts_the_lifetime_anew_and_never_makes_it_longer() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let mut cached = warm(&terms, Lifetime::FiveMinutes);
    for _ in 0..5 {
        let again = sent(
            &terms,
            &SIZES,
            cached.after(250),
            Strategy::Inline,
            Marks { system: HOUR, stable: HOUR, tail: None },
        );
        assert_eq!(again.bill.read, 15_950);
        cached = again.cached;
    }
    assert_eq!(cached.stable.map(|entry| entry.lifetime), MINUTES);
    assert_eq!(cached.after(300).stable, None);
}

#[test]
fn a_resumed_conversation_goes_on_from_the_longest_part_still_kept() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let first = warm(&terms, Lifetime::Hour);
    let tail = Marks { tail: MINUTES, ..NONE };
    let second = sent(&terms, &SIZES, first.after(100), Strategy::Resume, tail);
    assert_eq!(counts(&second.bill), (0, 3_750, 0, 24_200, 1_500));
    let third = sent(&terms, &SIZES, second.cached.after(100), Strategy::Resume, tail);
    assert_eq!(counts(&third.bill), (0, 3_750, 0, 24_200 + 3_750, 1_500));
    // Twenty minutes later only what was written for an hour is left.
    let slow = sent(&terms, &SIZES, third.cached.after(1_200), Strategy::Resume, NONE);
    assert_eq!(slow.bill.read, 24_200);
    assert_eq!(slow.bill.uncached, 3 * 3_750);
}

#[test]
fn lazy_pays_for_each_file_it_opens_and_reads_its_own_prompt_again_at_every_call() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let marks = Marks { system: HOUR, stable: None, tail: HOUR };
    let first = sent(&terms, &SIZES, Cached::default(), Strategy::Lazy, marks);
    let (start, all) = (3_500 + 450 + 8_250, 13_800 + 240);
    let read = start + (start + all / 2);
    assert_eq!(counts(&first.bill), (0, 0, start + all, read, 1_500 + 240));
    assert_eq!(first.largest, start + all);
    let by_path = Sizes { artifact_by_path: true, ..SIZES };
    let phase = sent(&terms, &by_path, Cached::default(), Strategy::Lazy, marks);
    assert_eq!(phase.largest, 3_500 + 450 + 250 + 13_800 + 9_200 + 360);
    assert_eq!(phase.bill.output, 1_500 + 360);
    let again = sent(&terms, &SIZES, first.cached.after(60), Strategy::Lazy, marks);
    assert_eq!(again.bill.read, read + 3_500, "only tools and system text are the same");
}

#[test]
fn digest_sends_the_change_and_what_stands_around_it() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let digest = sent(&terms, &SIZES, warm(&terms, Lifetime::Hour).after(60), Strategy::Digest, NONE);
    assert_eq!(counts(&digest.bill), (450 + 2_000 + 3_000 + 250, 0, 0, 3_500, 1_500));
}

#[test]
fn a_longer_transcript_makes_every_later_call_dearer() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let exploring = Sizes { exploring: Exploring { calls: 10, tokens: 5_000 }, ..SIZES };
    let tail = Marks { system: HOUR, stable: HOUR, tail: HOUR };
    let first = sent(&terms, &exploring, Cached::default(), Strategy::Inline, tail);
    let second = sent(&terms, &exploring, first.cached, Strategy::Resume, tail);
    let fresh = sent(&terms, &exploring, first.cached, Strategy::Inline, tail);
    let longer = second.largest - fresh.largest;
    assert!(second.bill.read > fresh.bill.read + 9 * longer, "ten calls read the longer part again");
}

#[test]
fn too_little_is_not_kept_and_blocks_are_whole() {
    // 4,096 tokens are the least; tools and system text alone are fewer.
    let terms_4096 = terms("claude-haiku-4.5", Lifetime::Hour);
    let marks = Marks { system: HOUR, stable: None, tail: None };
    let small = sent(&terms_4096, &SIZES, Cached::default(), Strategy::Digest, marks);
    assert_eq!((small.cached.system, small.bill.uncached), (None, 9_200));
    let covered = Marks { system: HOUR, stable: HOUR, tail: None };
    let larger = sent(&terms_4096, &SIZES, Cached::default(), Strategy::Inline, covered);
    assert_eq!((larger.cached.system, larger.bill.written[2]), (None, 15_950));
    let grok = terms("grok-4.7", Lifetime::FiveMinutes);
    let again = sent(&grok, &SIZES, warm(&grok, Lifetime::FiveMinutes), Strategy::Inline, NONE);
    assert_eq!(again.bill.read, 15_950 / 128 * 128);
}

#[test]
fn above_a_cliff_the_whole_request_is_dearer() {
    let terms = terms("claude-haiku-5.5", Lifetime::Hour);
    let large = Round { artifact: 90_000, ..ROUND };
    let way = Way { strategy: Strategy::Inline, marks: NONE };
    let above = send(&terms, &SIZES, &Cached::default(), &large, way).unwrap();
    let tokens = 3_500 + 450 + 12_000 + 90_000 + 250;
    assert!(above.above_cliff && above.fits);
    assert_eq!(above.bill.input_amount.0, tokens * 500_000);
    assert_eq!(above.bill.output_amount.0, 1_500 * 2_500_000);
    let huge = Round { artifact: 190_000, ..ROUND };
    assert!(!send(&terms, &SIZES, &Cached::default(), &huge, way).unwrap().fits);
}

#[test]
fn an_uncertain_cache_costs_what_is_expected() {
    let certain = terms("claude-opus-5.5", Lifetime::Hour);
    let half = certain.clone().with_hit_rate(5_000);
    let marks = Marks { system: HOUR, stable: HOUR, tail: None };
    let cached = warm(&certain, Lifetime::Hour);
    let amount = |terms: &Terms, cached| sent(terms, &SIZES, cached, Strategy::Inline, marks).bill.amount().0;
    let (hit, miss) = (amount(&certain, cached), amount(&certain, Cached::default()));
    assert_eq!(amount(&half, cached), (hit + miss) / 2);
    assert_eq!(amount(&certain.clone().with_hit_rate(0), cached), miss);
}

#[test]
fn where_nothing_costs_money_tokens_that_are_not_cached_cost_time() {
    let terms = terms("local", Lifetime::FiveMinutes);
    let cold = sent(&terms, &SIZES, Cached::default(), Strategy::Inline, NONE);
    let kept = sent(&terms, &SIZES, warm(&terms, Lifetime::FiveMinutes), Strategy::Inline, NONE);
    assert!(kept.bill.amount() < cold.bill.amount());
    assert_eq!(terms.usd(cold.bill.amount()).0, 0);
}

#[test]
fn the_bound_writes_everything_once_and_reads_it_in_every_later_round() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let rounds = [Coming { gap_s: 0, round: ROUND }, Coming { gap_s: 99_999, round: ROUND }];
    let bill = bound(&terms, &SIZES, &rounds);
    let whole = 3_500 + 450 + 12_000 + 8_000;
    assert_eq!(counts(&bill), (2_000, 0, whole, whole, 3_000));
    assert_eq!(bill.input_amount.0, whole * 8_000_000 + whole * 200_000 + 2_000 * 4_000_000);
    assert_eq!(bound(&terms, &SIZES, &[]), ReviewBill::default());
}
