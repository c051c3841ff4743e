use super::{Billed, Content, Family, Ratios};
use crate::prelude::*;
use proptest::prelude::*;

#[test]
fn a_model_belongs_to_the_family_its_name_says() {
    let newer =
        ["claude-opus-5.5", "claude-opus-4-7", "claude-sonnet-5", "claude-haiku-5.5", "claude-fable-5.1"];
    let older = ["claude-opus-4.6", "claude-sonnet-4-5-20250929", "claude-haiku-4.5", "claude-3-opus"];
    let other = ["gpt-6-sol", "grok-4.7", "ollama/qwen", ""];
    for (names, family) in
        [(&newer[..], Family::NewerClaude), (&older, Family::OlderClaude), (&other, Family::Other)]
    {
        for name in names {
            assert_eq!(Family::of(name), family, "{name}");
        }
    }
    assert_eq!(Family::of("us.anthropic.claude-sonnet-5-5-20260901[1m]"), Family::NewerClaude);
    assert_eq!(Family::of("claude-opus-4-20250514"), Family::OlderClaude);
}

#[test]
fn estimates_begin_with_what_was_measured() {
    let newer = Ratios::measured(Family::NewerClaude);
    assert_eq!(newer.tokens(25_000, Content::Markdown), 10_000);
    assert_eq!(newer.tokens(23, Content::Diff), 10);
    assert_eq!(Ratios::measured(Family::OlderClaude).tokens(36_000, Content::Markdown), 10_000);
    assert_eq!(newer.tokens(0, Content::Json), 0);
    // Four characters a token would understate Markdown by 38 %.
    assert_eq!(100 - 25_000 / 4 * 100 / newer.tokens(25_000, Content::Markdown), 38);
}

#[test]
fn without_bills_nothing_changes_and_one_small_bill_changes_little() {
    let assumed = Ratios::measured(Family::NewerClaude);
    assert_eq!(assumed.calibrated(&[]), assumed);
    assert_eq!(assumed.calibrated(&[Billed::default()]), assumed);
    let tiny = Billed { tokens: 800, ..Billed::default() }.with(Content::Markdown, 1_000);
    let moved = assumed.calibrated(&[tiny]).tokens(1_000_000, Content::Markdown);
    assert!((400_000..404_000).contains(&moved), "{moved}");
}

#[test]
fn many_bills_tell_the_kinds_apart() {
    // The truth: Markdown has 0.5 tokens a character, diffs 0.3; the bills are mixtures of both.
    let bills: Vec<Billed> = (1..=40)
        .map(|n| {
            let (markdown, diff) = (10_000 * n, 400_000 - 9_000 * n);
            Billed { tokens: markdown / 2 + diff * 3 / 10, ..Billed::default() }
                .with(Content::Markdown, markdown)
                .with(Content::Diff, diff)
        })
        .collect();
    let assumed = Ratios::measured(Family::NewerClaude);
    let found = assumed.calibrated(&bills);
    let near = |content, truth: u64| found.tokens(1_000_000, content).abs_diff(truth) < truth / 50;
    assert!(near(Content::Markdown, 500_000), "{}", found.tokens(1_000_000, Content::Markdown));
    assert!(near(Content::Diff, 300_000), "{}", found.tokens(1_000_000, Content::Diff));
    assert_eq!(found.tokens(1_000_000, Content::Json), assumed.tokens(1_000_000, Content::Json));
}

proptest! {
    #[test]
    fn calibration_lies_between_the_assumption_and_the_bill(chars in 1..5_000_000_u64, tokens in 1..5_000_000_u64) {
        let assumed = Ratios::measured(Family::NewerClaude);
        let bill = Billed { tokens, ..Billed::default() }.with(Content::Markdown, chars);
        let moved = assumed.calibrated(&[bill]).tokens(chars, Content::Markdown);
        let (low, high) = (tokens.min(chars * 4 / 10), tokens.max(chars * 4 / 10 + 1));
        prop_assert!(low <= moved + 2 && moved <= high + 2, "{low} {moved} {high}");
    }

    #[test]
    fn more_characters_never_have_fewer_tokens(one in 0..u64::MAX / 2, more in 0..u64::MAX / 2) {
        for content in Content::ALL {
            let ratios = Ratios::measured(Family::OlderClaude);
            prop_assert!(ratios.tokens(one, content) <= ratios.tokens(one + more, content));
        }
    }
}
