//! What bills teach the prediction: hit rates, density of tokens, calls of tools.

use super::{answered, counted, prediction, started, ticket};
use crate::cost::{CERTAIN, Exploring, KnownAgent, Measures};
use redraft_documents::tokens::{Family, Ratios};
use redraft_facts::choice::{Content, Prediction, Strategy};
use redraft_facts::event::Lost;
use redraft_facts::ids::AgentName;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Usage, Usd};

pub(super) fn known(measures: &Measures) -> KnownAgent {
    measures.agent(&AgentName::new("a"), &ticket(1).role, "c", Family::Other, 1_000)
}

#[test]
fn before_any_bill_the_stated_assumptions_hold() {
    let nobody = Measures::default();
    let KnownAgent { ratios, overhead, hit_rate, answer, written, exploring } = known(&nobody);
    assert_eq!(exploring, Exploring::default());
    assert_eq!(ratios, Ratios::measured(Family::Other));
    assert_eq!((overhead, hit_rate, answer, written), (1_000, CERTAIN, 1_500, 4_000));
}

#[test]
fn the_hit_rate_is_what_was_read_of_what_could_be_and_settles_there() {
    let mut measures = Measures::default();
    // Half of what could be read is read, whatever was expected of it.
    for round in 1..=200 {
        let rate = known(&measures).hit_rate;
        let readable = 50_000;
        let expected = readable * u64::from(rate) / u64::from(CERTAIN);
        measures.take(&started(round, Strategy::Resume, prediction(expected, rate, 0)));
        let read = if round % 2 == 0 { readable } else { 0 };
        let usage = Usage { uncached: 60_000 - read, read, output: 500, ..Usage::default() };
        measures.take(&answered(round, usage, None));
    }
    let known = known(&measures);
    assert!((4_900..=5_200).contains(&known.hit_rate), "{}", known.hit_rate);
    assert!((500..=520).contains(&known.answer), "{}", known.answer);
    assert_eq!(known.overhead, 1_000, "a continued conversation says nothing about it");
}

#[test]
fn what_was_learned_under_another_spelling_of_the_card_still_counts() {
    let mut measures = Measures::default();
    for round in 1..=50 {
        let card = "claude-opus-5.5".to_owned();
        let prediction = Prediction { card, ..prediction(50_000, CERTAIN, 0) };
        measures.take(&started(round, Strategy::Resume, prediction));
        let usage = Usage { uncached: 60_000, output: 700, ..Usage::default() };
        measures.take(&answered(round, usage, None));
    }
    let known =
        measures.agent(&AgentName::new("a"), &ticket(1).role, "claude-opus-5-5", Family::Other, 1_000);
    assert!(known.hit_rate < CERTAIN / 2 && known.answer < 800, "{known:?}");
}

#[test]
fn texts_that_are_less_dense_than_was_thought_are_no_misses() {
    let mut measures = Measures::default();
    for round in 1..=20 {
        let usage = Usage { read: 9_000, uncached: 1_000, ..Usage::default() };
        let prediction = Prediction { usage, ..prediction(0, CERTAIN, 0) };
        measures.take(&started(round, Strategy::Resume, prediction));
        let billed = Usage { read: 6_750, uncached: 750, output: 500, ..Usage::default() };
        measures.take(&answered(round, billed, None));
    }
    assert_eq!(known(&measures).hit_rate, CERTAIN);
}

#[test]
fn first_bills_correct_what_the_agent_adds_and_how_dense_its_tokens_are() {
    let mut measures = Measures::default();
    // Prompts of different lengths; the agent adds 7,000 tokens, and 4 characters are one.
    for round in 1..=100 {
        let chars = 20_000 + 2_000 * u64::from(round % 40);
        measures.take(&started(round, Strategy::Inline, prediction(0, CERTAIN, chars)));
        let input = Usage { written: 7_000 + chars / 4, ..Usage::default() };
        measures.take(&answered(round, input, Some(Vec::new())));
    }
    let known = known(&measures);
    for chars in [20_000, 60_000, 98_000] {
        let told = known.overhead + known.ratios.tokens(chars, Content::Markdown);
        let billed = 7_000 + chars / 4;
        assert!(told.abs_diff(billed) * 100 <= billed * 12, "{chars}: {told} for {billed}");
    }
    // What opened files, was given up or was billed as several requests says nothing.
    let before = known;
    measures.take(&started(101, Strategy::Inline, prediction(0, CERTAIN, 20_000)));
    measures.take(&answered(
        101,
        Usage { written: 90_000, output: before.answer, ..Usage::default() },
        Some(Vec::new()),
    ));
    measures.take(&started(102, Strategy::Inline, prediction(0, CERTAIN, 20_000)));
    measures.take(&Lost { ticket: ticket(102), cost: Usd(1), undone: Vec::new() }.into());
    measures.take(&answered(102, Usage { written: 9, ..Usage::default() }, Some(Vec::new())));
    let after = self::known(&measures);
    assert_eq!((after.overhead, after.ratios), (before.overhead, before.ratios));
    let other = measures.agent(&AgentName::new("b"), &ticket(1).role, "c", Family::Other, 5);
    assert_eq!(other.overhead, 5, "another agent");
}

#[test]
fn a_bill_that_was_counted_as_one_request_teaches_without_a_list_of_opened_files() {
    let taught = |requests: Option<u32>, opened: Option<Vec<String>>| {
        let mut measures = Measures::default();
        for round in 1..=60 {
            measures.take(&started(round, Strategy::Inline, prediction(0, CERTAIN, 36_000)));
            let usage = Usage { written: 15_000, ..Usage::default() };
            measures.take(&counted(round, usage, opened.clone(), requests));
        }
        let KnownAgent { ratios, overhead, .. } = known(&measures);
        overhead + ratios.tokens(36_000, Content::Markdown)
    };
    assert_eq!(taught(None, None), 11_000, "nobody knows how many requests it was");
    assert!(taught(Some(1), None) > 14_500);
    assert_eq!(taught(Some(2), Some(Vec::new())), 11_000, "what opened no file can have done something else");
}

#[test]
fn a_reviewer_that_calls_tools_on_its_own_account_is_predicted_to_do_so_again() {
    let mut measures = Measures::default();
    // 36,000 characters are 10,000 tokens, with 1,000 of the agent's own. Four calls bring in 2,000 each.
    let sizes: Vec<u64> = (0..5).map(|call| 11_000 + call * 2_000).collect();
    let input: u64 = sizes.iter().sum();
    let usage = Usage { written: sizes[4], read: input - sizes[4], output: 900, ..Usage::default() };
    for round in 1..=60 {
        measures.take(&started(round, Strategy::Inline, prediction(0, CERTAIN, 36_000)));
        measures.take(&answered(round, usage, None));
    }
    let Exploring { calls, tokens } = known(&measures).exploring;
    assert_eq!(calls, 4);
    assert!((6_800..=7_600).contains(&tokens), "{tokens} of 8,000 less what it said for its calls");
    let another_role = "031/specify.1/review/phase-reviewer/1.1".parse::<Ticket>().unwrap().role;
    let other = measures.agent(&AgentName::new("a"), &another_role, "c", Family::Other, 1_000);
    assert_eq!(other.exploring, Exploring::default());
    assert_eq!(known(&measures).hit_rate, CERTAIN, "what it read again says nothing about the cache");

    // One request that is a quarter larger than expected is an estimate that was off, not a call.
    let mut once = Measures::default();
    for round in 1..=60 {
        once.take(&started(round, Strategy::Inline, prediction(0, CERTAIN, 36_000)));
        once.take(&answered(round, Usage { written: 13_700, ..Usage::default() }, None));
    }
    assert_eq!(known(&once).exploring, Exploring::default());
}
