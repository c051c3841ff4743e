use super::{Billed, Chars, Family, Ratios, kinds};
use proptest::prelude::*;
use redraft_facts::choice::Content;
use redraft_facts::prelude::*;

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
            assert_eq!(Family::for_model(name), family, "{name}");
        }
    }
    assert_eq!(Family::for_model("us.anthropic.claude-sonnet-5-5-20260901[1m]"), Family::NewerClaude);
    assert_eq!(Family::for_model("claude-opus-4-20250514"), Family::OlderClaude);
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
    assert_eq!(assumed.calibrated(900, &[]), (assumed, 900));
    assert_eq!(assumed.calibrated(900, &[Billed::default()]), (assumed, 900));
    let tiny = Billed { tokens: 800, ..Billed::default() }.with(Content::Markdown, 1_000);
    let moved = assumed.calibrated(0, &[tiny]).0.tokens(1_000_000, Content::Markdown);
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
    let (found, _) = assumed.calibrated(0, &bills);
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
        let moved = assumed.calibrated(0, &[bill]).0.tokens(chars, Content::Markdown);
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

#[test]
fn a_text_is_sorted_by_its_marks_and_by_the_labels_of_its_fences() {
    let cases = [
        ("Nothing but words, in a line.\n", [(Content::Prose, 30)].as_slice()),
        ("# A\n\n- item\n1. one\n> said\n", &[(Content::Markdown, 26)]),
        ("It says `x` here.\nand then goes on\n", &[(Content::Markdown, 18), (Content::Prose, 17)]),
        ("```rust\nfn f() {}\n```\n", &[(Content::Markdown, 12), (Content::Code, 10)]),
        ("```\nmake all\n```\n", &[(Content::Markdown, 8), (Content::Code, 9)]),
        ("~~~diff\n+a\n-b\n~~~\n", &[(Content::Markdown, 12), (Content::Diff, 6)]),
        ("```json\n{}\n```\n", &[(Content::Markdown, 12), (Content::Json, 3)]),
        ("```text\nsaid\n```\n", &[(Content::Markdown, 12), (Content::Prose, 5)]),
        ("```sh\nnever closed\n", &[(Content::Markdown, 6), (Content::Code, 13)]),
        (
            "````markdown\n# A\nwords\n```rust\nx\n```\n````\n",
            &[(Content::Markdown, 13 + 4 + 8 + 4 + 5), (Content::Prose, 6), (Content::Code, 2)],
        ),
        ("", &[]),
    ];
    for (text, expected) in cases {
        let mut wanted = Chars::default();
        expected.iter().for_each(|(content, chars)| wanted[*content as usize] = *chars);
        assert_eq!(kinds(text), wanted, "{text:?}");
    }
}

/// A made-up tokenizer: tokens of a thousand characters of each kind, in the order of [`Content::ALL`].
const TRUE: Chars = [330, 220, 420, 480, 250];

#[test]
fn where_bills_vary_in_a_kind_its_ratio_moves_to_the_truth() {
    // Pieces of each kind, combined into prompts in ever different mixtures.
    let fenced = |label: &str, body: &str| format!("```{label}\n{}```\n", body.repeat(8));
    let pieces = [
        "- **R1**: the service `refuses` a key.\n".to_owned(),
        "A person reads this and nods at every word.\n".to_owned(),
        fenced("rust", "let a = b + c;\n"),
        fenced("diff", "-one word\n+two\n"),
        fenced("json", "{\"a\":1,\"b\":[2]}\n"),
    ];
    let truth = |chars: &Chars| chars.iter().zip(TRUE).map(|(chars, of)| chars * of).sum::<u64>() / 1_000;
    let bill = |n: usize| {
        let times = |at: usize| match (n + at) % 3 {
            0 => 10,
            _ => 20 + (n * n * (2 * at + 3) + n * (101 * at + 17)) % 601,
        };
        let text: String = pieces.iter().enumerate().map(|(at, piece)| piece.repeat(times(at))).collect();
        let chars = kinds(&text);
        Billed { chars, tokens: 5_000 + truth(&chars) }
    };
    let bills: Vec<Billed> = (1..=200).map(bill).collect();
    let assumed = Ratios::measured(Family::OlderClaude);
    let (found, overhead) = assumed.calibrated(1_500, &bills);
    for (content, truth) in Content::ALL.into_iter().zip(TRUE.map(|of| of * 1_000)) {
        let (before, after) = (assumed.tokens(1_000_000, content), found.tokens(1_000_000, content));
        assert!(after.abs_diff(truth) * 2 < before.abs_diff(truth), "{content:?}: {before} {after} {truth}");
    }
    assert!(overhead.abs_diff(5_000) < 1_750, "{overhead}");
    let told = |bill: &Billed| overhead + found.all_tokens(&bill.chars);
    let off: u64 = bills.iter().map(|bill| told(bill).abs_diff(bill.tokens) * 1_000 / bill.tokens).sum();
    assert!(off / 200 < 20, "the mean bill is off by {} of a thousand", off / 200);
}

proptest! {
    #[test]
    fn every_character_is_of_one_kind(text in "([ -~]{0,9}|```|```json|~~~|````md|\n){0,30}") {
        prop_assert_eq!(kinds(&text).iter().sum::<u64>(), text.chars().count() as u64);
    }
}
