mod models;

use super::*;
use proptest::prelude::*;
use redraft_facts::usage::{Usage, Usd};

fn usage(uncached: u64, written: u64, read: u64, output: u64) -> Usage {
    Usage { uncached, written, read, output, cost: Usd(0) }
}

/// What a million tokens of each class cost, in dollars as the table of prices prints them.
struct Row {
    model: &'static str,
    input: &'static str,
    writes: &'static [(Lifetime, &'static str)],
    read: &'static str,
    output: &'static str,
    minimum: Option<u64>,
    confirmed: bool,
}

const fn row(
    model: &'static str,
    input: &'static str,
    writes: &'static [(Lifetime, &'static str)],
    read: &'static str,
    output: &'static str,
    minimum: Option<u64>,
) -> Row {
    Row { model, input, writes, read, output, minimum, confirmed: minimum.is_some() }
}

use Lifetime::{FiveMinutes, HalfDay, HalfHour, Hour};

const TABLE: [Row; 19] = [
    row("claude-fable-5.1", "10", &[(FiveMinutes, "12.50"), (Hour, "20")], "0.25", "50", Some(512)),
    Row {
        confirmed: false,
        ..row("claude-opus-5.5", "4", &[(FiveMinutes, "5"), (Hour, "8")], "0.20", "20", Some(512))
    },
    row("claude-opus-5", "5", &[(FiveMinutes, "6.25"), (Hour, "10")], "0.50", "25", Some(512)),
    row("claude-opus-4.8", "5", &[(FiveMinutes, "6.25"), (Hour, "10")], "0.50", "25", Some(1024)),
    row("claude-opus-4.7", "5", &[(FiveMinutes, "6.25"), (Hour, "10")], "0.50", "25", Some(2048)),
    row("claude-opus-4.6", "5", &[(FiveMinutes, "6.25"), (Hour, "10")], "0.50", "25", Some(4096)),
    row("claude-opus-4.5", "5", &[(FiveMinutes, "6.25"), (Hour, "10")], "0.50", "25", Some(4096)),
    row("claude-sonnet-5.5", "2", &[(FiveMinutes, "2.50"), (Hour, "4")], "0.10", "10", Some(512)),
    row("claude-sonnet-5", "2", &[(FiveMinutes, "2.50"), (Hour, "4")], "0.20", "10", Some(1024)),
    row("claude-sonnet-4.6", "3", &[(FiveMinutes, "3.75"), (Hour, "6")], "0.30", "15", Some(1024)),
    row("claude-sonnet-4.5", "3", &[(FiveMinutes, "3.75"), (Hour, "6")], "0.30", "15", Some(1024)),
    row("claude-haiku-5.5", "0.10", &[(FiveMinutes, "0.125"), (Hour, "0.20")], "0.01", "0.50", None),
    row("claude-haiku-4.5", "1", &[(FiveMinutes, "1.25"), (Hour, "2")], "0.10", "5", Some(4096)),
    row("gpt-6-sol", "2", &[(HalfHour, "2.50")], "0.20", "10", Some(1024)),
    row("gpt-6.1-terra", "1", &[(HalfHour, "1.25"), (HalfDay, "2.50")], "0.05", "5", Some(1024)),
    row("gpt-6-luna", "0.10", &[(HalfHour, "0.125")], "0.01", "0.50", Some(1024)),
    row("grok-4.7", "2", &[(FiveMinutes, "2")], "0.50", "6", None),
    row("deepseek-v4-flash", "0.15", &[(FiveMinutes, "0.15")], "0.003", "0.60", None),
    row("local", "0", &[(FiveMinutes, "0")], "0", "0", None),
];

#[test]
fn every_row_of_the_price_table_is_a_card() {
    let cards = Cards::builtin();
    for row in &TABLE {
        let card = cards.find(row.model).unwrap();
        let dollars = |text| Usd(PerMillion::from_dollars(text).unwrap().0);
        let million = |usage: Usage| card.cost(&usage, 1);
        assert_eq!(million(usage(1_000_000, 0, 0, 0)), dollars(row.input), "input of {}", row.model);
        assert_eq!(million(usage(0, 0, 1_000_000, 0)), dollars(row.read), "read of {}", row.model);
        assert_eq!(million(usage(0, 0, 0, 1_000_000)), dollars(row.output), "output of {}", row.model);
        for (lifetime, price) in row.writes {
            let written = usage(0, 1_000_000, 0, 0);
            let cost = card.cost_by_lifetime(&written, &[(*lifetime, 1_000_000)], 1);
            assert_eq!(cost, dollars(price), "{lifetime} write of {}", row.model);
        }
        assert_eq!(card.minimum, Minimum { tokens: row.minimum, confirmed: row.confirmed }, "{}", row.model);
        assert_eq!((card.context, card.basis), (CONTEXT_ASSUMED, PriceBasis::Listed), "{}", row.model);
        assert_eq!(card.date, "2026-10");
    }
    let named: usize = cards.iter().map(|card| card.models.len()).sum();
    let other_local_names = 3;
    assert_eq!(named, TABLE.len() + other_local_names, "no card stands outside the table");
}

#[test]
fn no_name_stands_on_two_cards() {
    let cards = Cards::builtin();
    let names: Vec<String> =
        cards.iter().flat_map(|card| card.models.iter().map(|m| names::plain(m))).collect();
    let different: BTreeSet<&String> = names.iter().collect();
    assert_eq!(names.len(), different.len());
}

#[test]
fn lifetimes_that_vendors_do_not_state_are_marked_as_assumed() {
    let cards = Cards::builtin();
    let lifetime = |model| {
        let DefaultLifetime { is, assumed } = cards.find(model).unwrap().lifetime;
        (is, assumed)
    };
    assert_eq!(lifetime("claude-opus-5"), (FiveMinutes, false));
    assert_eq!(lifetime("gpt-6-sol"), (HalfHour, false));
    assert_eq!(lifetime("gpt-6-luna"), (HalfHour, true));
    assert_eq!(lifetime("grok-4.7"), (FiveMinutes, true));
    assert_eq!(lifetime("deepseek-v4-flash"), (FiveMinutes, true));
    assert_eq!(cards.find("grok-4.7").unwrap().block, Some(128));
}

#[test]
fn sums_made_by_hand_agree() {
    let cards = Cards::builtin();
    let cost = |model: &str, usage: Usage, largest| cards.find(model).unwrap().cost(&usage, largest).0;
    // 1,541 x 5 + 17,499 x 6.25 + 0 + 14 x 25 = 7,705 + 109,368.75 + 350 = 117,423.75 millionths, rounded up.
    assert_eq!(cost("claude-opus-4.8", usage(1541, 17_499, 0, 14), 19_040), 117_424);
    // 1,000 x 2 + 2,000 x 2.5 + 30,000 x 0.1 + 500 x 10 = 2,000 + 5,000 + 3,000 + 5,000.
    assert_eq!(cost("claude-sonnet-5.5", usage(1000, 2000, 30_000, 500), 33_000), 15_000);
    // 1,014 x 1 + 18,432 x 0.05 + 40 x 5 = 1,014 + 921.6 + 200.
    assert_eq!(cost("gpt-6.1-terra", usage(1014, 0, 18_432, 40), 19_446), 2136);
    // A single token of the cheapest read costs 0.003 millionths and is billed as one.
    assert_eq!(cost("deepseek-v4-flash", usage(0, 0, 1, 0), 1), 1);
    assert_eq!(cost("ollama/qwen3:32b", usage(9, 9, 9, 9), 27), 0);
}

#[test]
fn a_cliff_prices_the_whole_request_again() {
    let cards = Cards::builtin();
    let cost = |model: &str, usage: Usage, largest| cards.find(model).unwrap().cost(&usage, largest).0;
    let some = usage(10_000, 10_000, 10_000, 10_000);
    // 10,000 x (0.10 + 0.125 + 0.01 + 0.50), and five times that above 100,000.
    assert_eq!(cost("claude-haiku-5.5", some, 100_000), 7350);
    assert_eq!(cost("claude-haiku-5.5", some, 100_001), 36_750);
    // 10,000 x (2 + 2.5 + 0.2) once or twice, and 10,000 x 10 once or one and a half times.
    assert_eq!(cost("gpt-6-sol", some, 272_000), 147_000);
    assert_eq!(cost("gpt-6-sol", some, 272_001), 244_000);
    // 10,000 x (2 + 2 + 0.5 + 6), doubled from 200,000 on.
    assert_eq!(cost("grok-4.7", some, 199_999), 105_000);
    assert_eq!(cost("grok-4.7", some, 200_000), 210_000);
}

#[test]
fn the_dearest_outcome_is_all_written_or_all_uncached_above_every_cliff_it_can_reach() {
    let cards = Cards::builtin();
    let dearest = |model: &str, input, lifetime| cards.find(model).unwrap().dearest(input, 1000, lifetime).0;
    // 10,000 x 2.5 or x 4, and 1,000 x 10.
    assert_eq!(dearest("claude-sonnet-5", 10_000, FiveMinutes), 35_000);
    assert_eq!(dearest("claude-sonnet-5", 10_000, Hour), 50_000);
    assert_eq!(dearest("claude-sonnet-5", 10_000, HalfHour), 50_000, "an unsold lifetime is the next longer");
    assert_eq!(dearest("gpt-6.1-terra", 10_000, FiveMinutes), 17_500, "nothing shorter than 30m is sold");
    assert_eq!(dearest("gpt-6.1-terra", 10_000, HalfDay), 30_000);
    assert_eq!(dearest("deepseek-v4-flash", 10_000, Hour), 2100, "a free write costs the input price");
    assert_eq!(dearest("claude-haiku-5.5", 100_001, FiveMinutes), 65_001);
    assert_eq!(dearest("local", 1_000_000, HalfDay), 0);
}

#[test]
fn only_a_card_of_zeros_is_free() {
    let cards = Cards::builtin();
    let free: Vec<&str> =
        cards.iter().filter(|card| card.is_free()).map(|card| card.vendor.as_str()).collect();
    assert_eq!(free, ["local"]);
}

#[test]
fn the_age_of_the_cards_is_told_in_months() {
    for (today, words) in [
        ("2026-10-31 10:00:00", Some("this month")),
        ("2026-11-17", Some("1 month ago")),
        ("2027-12-01", Some("14 months ago")),
        ("2026-09-30", None),
        ("long ago", None),
    ] {
        assert_eq!(age_in_words("2026-10", today).as_deref(), words, "{today}");
    }
}

#[test]
fn newer_or_faulty_cards_are_refused() {
    let why = |json: &str| Cards::read(json).unwrap_err().to_string();
    assert_eq!(
        why(r#"{"v":2,"read":"2027-01","cards":[],"regions":{}}"#),
        "the price cards cannot be read: they have version 2, this program reads version 1"
    );
    assert!(why(r#"{"v":1,"read":"","cards":[],"extra":1}"#).contains("extra"));
    let cheaper = include_str!("../../data/prices.json").replace("500, \"output", "5, \"output");
    assert!(why(&cheaper).ends_with("a cliff multiplies by less than 100 percent"));
}

#[test]
fn prices_are_read_from_dollars_exactly() {
    let read = |text| PerMillion::from_dollars(text).map(|price| price.0);
    assert_eq!(read("2"), Ok(2_000_000));
    assert_eq!(read(" 0.125 "), Ok(125_000));
    assert_eq!(read("0.0000010"), Ok(1));
    for (text, shown) in [("2", "2.00"), ("0.003", "0.003"), ("12.5", "12.50"), ("0.000001", "0.000001")] {
        assert_eq!(PerMillion::from_dollars(text).unwrap().in_dollars(), shown);
    }
    for wrong in ["", ".5", "-1", "1.0000001", "1e3", "two", "1.2.3", "99999999999999999"] {
        assert!(PerMillion::from_dollars(wrong).is_err(), "{wrong}");
    }
}

fn says(model: &str, changes: Changes) -> PriceOverride {
    PriceOverride { model: model.to_owned(), says: StatedPrice::Changes(changes) }
}

#[test]
fn an_override_changes_one_name_and_leaves_the_rest_of_its_card() {
    let changes =
        Changes { input: Some(PerMillion(10_000_000)), context: Some(500_000), ..Changes::default() };
    let cards = Cards::builtin().with_overrides(vec![says("claude-opus-4-5", changes)]).unwrap();
    let changed = cards.find("claude-opus-4.5-20251101").unwrap();
    assert_eq!(changed.prices.input, PerMillion(10_000_000));
    assert_eq!(changed.prices.write(FiveMinutes), PerMillion(12_500_000), "writes keep their ratio to input");
    assert_eq!(changed.prices.read, PerMillion(1_000_000));
    assert_eq!(changed.prices.output, PerMillion(25_000_000));
    assert_eq!(changed.context, ContextWindow { tokens: 500_000, assumed: false });
    assert_eq!(changed.basis, PriceBasis::Configured);
    let untouched = cards.find("claude-opus-4.6").unwrap();
    assert_eq!((untouched.prices.input, untouched.basis), (PerMillion(5_000_000), PriceBasis::Listed));
}

#[test]
fn an_override_of_a_family_word_prices_the_model_it_means_and_of_a_resellers_name_that_name_only() {
    let dear = || Changes { output: Some(PerMillion(1)), ..Changes::default() };
    let cards = Cards::builtin()
        .with_overrides(vec![says("sonnet", dear()), says("anthropic/claude-opus-5", dear())]);
    let cards = cards.unwrap();
    for (model, output) in [
        ("sonnet", 1),
        ("claude-sonnet-5.5", 1),
        ("claude-sonnet-5", 10_000_000),
        ("anthropic/claude-opus-5", 1),
        ("claude-opus-5", 25_000_000),
    ] {
        assert_eq!(cards.find(model).unwrap().prices.output, PerMillion(output), "{model}");
    }
    assert_eq!(cards.vendors_name("sonnet").as_deref(), Some("claude-sonnet-5-5"));
}

#[test]
fn an_override_with_a_date_prices_that_snapshot_only() {
    let changes = Changes { output: Some(PerMillion(1)), ..Changes::default() };
    let cards = Cards::builtin().with_overrides(vec![says("gpt-6-sol-2026-09-01", changes)]).unwrap();
    assert_eq!(cards.find("gpt-6-sol-2026-09-01").unwrap().prices.output, PerMillion(1));
    assert_eq!(cards.find("gpt-6-sol").unwrap().prices.output, PerMillion(10_000_000));
}

#[test]
fn a_model_of_the_users_own_needs_input_and_output_prices() {
    let only_input = Changes { input: Some(PerMillion(1_000_000)), ..Changes::default() };
    let error = Cards::builtin().with_overrides(vec![says("house-model", only_input.clone())]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the price override for `house-model` cannot be used: no card has that name, so both input and output \
         prices are needed"
    );
    let whole = Prices { input: PerMillion(7_000_000), output: PerMillion(8_000_000), ..Prices::default() };
    let both = Changes {
        output: Some(PerMillion(2_000_000)),
        cliffs: Some(vec![Cliff { above_tokens: 10, then: Repriced::Prices(whole) }]),
        ..only_input
    };
    let cards = Cards::builtin().with_overrides(vec![says("house-model", both)]).unwrap();
    let card = cards.find("house-model").unwrap();
    assert_eq!(card.cost(&usage(1, 1, 1, 1), 10), Usd(5), "reads and writes cost what input costs");
    assert_eq!(card.cost(&usage(1, 1, 0, 1), 11), Usd(22), "above the cliff the second set holds");
    assert_eq!(card.dearest(10, 1, Hour), Usd(12));
    assert_eq!(card.dearest(11, 1, Hour), Usd(85));
}

#[test]
fn a_cliff_that_would_make_a_request_cheaper_is_refused() {
    let then = Repriced::Multiply { input_percent: 2, output_percent: 100 };
    let cliffs = Some(vec![Cliff { above_tokens: 100, then }]);
    let error =
        Cards::builtin().with_overrides(vec![says("grok-4.7", Changes { cliffs, ..Changes::default() })]);
    assert!(error.unwrap_err().to_string().ends_with("a cliff multiplies by less than 100 percent"));
}

#[test]
fn an_unknown_price_is_the_dearest_of_every_column_the_users_own_included() {
    let dear =
        Changes { input: Some(PerMillion(1)), output: Some(PerMillion(90_000_000)), ..Changes::default() };
    let unknown = PriceOverride { model: "mystery".to_owned(), says: StatedPrice::Unknown };
    let cards = Cards::builtin().with_overrides(vec![unknown, says("house-model", dear)]).unwrap();
    let card = cards.find("mystery").unwrap();
    assert_eq!(card.basis, PriceBasis::Unknown);
    assert_eq!(card.prices.input, PerMillion(10_000_000));
    assert_eq!(card.prices.output, PerMillion(90_000_000));
    assert_eq!(card.prices.read, PerMillion(1_000_000), "Grok's read above its cliff");
    assert_eq!(card.prices.write(FiveMinutes), PerMillion(12_500_000));
    assert_eq!(card.prices.write(Hour), PerMillion(20_000_000));
}

fn lifetime() -> impl Strategy<Value = Lifetime> {
    proptest::sample::select(Lifetime::ALL.to_vec())
}

/// Any built-in card, or the conservative one.
fn card() -> impl Strategy<Value = Card> {
    let cards = Cards::builtin();
    let all: Vec<Card> = cards.iter().cloned().chain([cards.conservative()]).collect();
    proptest::sample::select(all)
}

proptest! {
    #[test]
    fn cost_never_falls_when_a_token_of_any_class_is_added(
        card in card(),
        tokens in proptest::array::uniform4(0u64..400_000),
        more in proptest::array::uniform4(0u64..1000),
        largest in 0u64..600_000,
    ) {
        let [u, w, r, o] = tokens;
        let before = card.cost(&usage(u, w, r, o), largest);
        for (class, extra) in more.into_iter().enumerate() {
            let mut now = tokens;
            now[class] += extra;
            let [u, w, r, o] = now;
            prop_assert!(card.cost(&usage(u, w, r, o), largest) >= before);
            prop_assert!(card.cost(&usage(u, w, r, o), largest + extra) >= before);
        }
    }

    #[test]
    fn no_usage_within_the_allowance_costs_more_than_was_reserved(
        card in card(),
        tokens in proptest::array::uniform4(0u64..200_000),
        spare in 0u64..1000,
        longest in lifetime(),
        shorter in lifetime(),
        share in 0u64..=100,
    ) {
        let [u, w, r, o] = tokens;
        let used = usage(u, w, r, o);
        let reserved = card.dearest(used.input() + spare, o + spare, longest);
        let listed = [(shorter.min(longest), w * share / 100)];
        prop_assert!(card.cost_by_lifetime(&used, &listed, used.input()) <= reserved);
        prop_assert!(card.cost(&used, used.input() / 2) <= reserved);
    }

    #[test]
    fn the_conservative_card_is_never_cheaper_than_any_other(
        card in card(),
        tokens in proptest::array::uniform4(0u64..400_000),
        longest in lifetime(),
    ) {
        let conservative = Cards::builtin().conservative();
        let [u, w, r, o] = tokens;
        let used = usage(u, w, r, o);
        let written = [(longest, w)];
        let cost = |card: &Card| card.cost_by_lifetime(&used, &written, used.input());
        prop_assert!(cost(&conservative) >= cost(&card));
        prop_assert!(conservative.dearest(u + w, o, longest) >= card.dearest(u + w, o, longest));
    }
}

#[test]
fn a_search_of_the_web_costs_a_cent_with_every_model_that_costs_anything() {
    for card in Cards::builtin().iter() {
        let cent = if card.is_free() { Usd(0) } else { Usd(10_000) };
        assert_eq!((card.searches(0), card.searches(1)), (Usd(0), cent), "{:?}", card.models);
        assert_eq!(card.searches(u64::MAX) > cent, !card.is_free(), "{:?}", card.models);
    }
}

#[test]
fn an_answer_without_a_limit_can_cost_what_the_rest_of_the_context_does_at_the_dearest() {
    let card = Cards::builtin().find("gpt-6-sol").unwrap().clone();
    // 184,000 tokens at 10 dollars, half as much again above its cliff.
    assert_eq!(card.beyond(UNLIMITED_ANSWER_TOKENS), Usd(2_760_000));
    assert_eq!(card.beyond(card.context.tokens), Usd(0));
    assert_eq!(Cards::builtin().find("local").unwrap().beyond(0), Usd(0));
}
