//! How long it takes to read, age, match and rewrite a bank of 5,000 entries.
//!
//! `cargo bench -p redraft-documents --bench bank`. Nothing here passes or fails by time: machines are noisy. That a change
//! changes only the bytes it must is asserted.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops when it cannot measure"
)]

use redraft_documents::bank::{
    Bank, BankChange, BankEntry, BankFile, FeatureCreation, FeatureOrder, FeatureRecord, Index, Query, apply,
    relevant, stale,
};
use redraft_facts::ids::FeatureId;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ENTRIES: usize = 5_000;
const FEATURES: u32 = 400;
const RUNS: usize = 21;

fn main() {
    let text = made_up();
    let bank = Bank::read(&[(BankFile::AntiPattern, text.clone())]);
    assert_eq!(bank.entries.len(), ENTRIES);
    println!("{ENTRIES} entries, {} KB", text.len() / 1024);
    let keep =
        |entry: &BankEntry| BankChange::Keep { name: entry.name.clone(), feature: FeatureId(FEATURES) };
    let every: Vec<BankChange> = bank.entries.iter().map(keep).collect();
    let one = [every[ENTRIES / 2].clone()];

    let reading =
        measured(|| drop(black_box(Bank::read(&[(BankFile::AntiPattern, black_box(&text).clone())]))));
    println!("read:                       {}", told(reading));
    let rewriting = measured(|| drop(black_box(apply(BankFile::AntiPattern, black_box(&text), &one))));
    println!("one entry kept:             {}", told(rewriting));
    let all = measured(|| drop(black_box(apply(BankFile::AntiPattern, black_box(&text), &every))));
    println!("every entry kept:           {}", told(all));
    let both = measured(|| {
        let bank = Bank::read(&[(BankFile::AntiPattern, black_box(&text).clone())]);
        black_box(apply(BankFile::AntiPattern, &text, &every));
        drop(black_box(bank));
    });
    println!("read, every entry kept:     {}", told(both));

    let born = |id: u32| FeatureCreation { id: FeatureId(id), slug: format!("f{id}"), at_ms: i64::from(id) };
    let order = FeatureOrder::new((1..=FEATURES).map(born).collect());
    let ageing = measured(|| {
        black_box(bank.entries.iter().filter(|entry| stale(entry, &order, &[]).is_stale()).count());
    });
    println!("aged:                       {}", told(ageing));
    let indexing = measured(|| drop(black_box(Index::new(bank.clone()))));
    println!("index made:                 {}", told(indexing));
    let index = Index::new(bank.clone());
    let query = Query {
        paths: vec!["src/part7/file77.rs".to_owned()],
        text: "Take the lock of the ledger before the receipt of part 7 is written".to_owned(),
    };
    let selecting = measured(|| drop(black_box(index.select(black_box(&query)))));
    println!("selected for a task:        {} ({} entries)", told(selecting), index.select(&query).len());
    let feature = FeatureRecord {
        paths: (0..60).map(|at| format!("src/part{}/file{at}.rs", at % 10)).collect(),
        findings: (0..40).map(|at| format!("the receipt number {at} is written without any lock")).collect(),
        ..FeatureRecord::default()
    };
    let judging = measured(|| drop(black_box(relevant(&bank.entries, &feature))));
    println!(
        "relevant to a feature:      {} ({} entries)",
        told(judging),
        relevant(&bank.entries, &feature).len()
    );
    only_what_must(&text, &one);
}

/// Nothing but the line that says when it was observed differs.
fn only_what_must(text: &str, one: &[BankChange]) {
    let after = apply(BankFile::AntiPattern, text, one).text;
    let differs = text.lines().zip(after.lines()).filter(|(old, new)| old != new).count();
    assert_eq!((differs, text.lines().count()), (1, after.lines().count()));
    println!("lines that one change changes: {differs} of {}", text.lines().count());
}

/// Entries in four forms, as long as real ones.
fn made_up() -> String {
    const THINGS: [&str; 8] =
        ["lock", "receipt", "ledger", "worktree", "prompt", "budget", "session", "finding"];
    let mut text = "# Anti-Patterns\n\nWhat not to do again.\n\n".to_owned();
    for at in 0..ENTRIES {
        let (one, other) = (THINGS[at % 8], THINGS[at / 8 % 8]);
        let feature = at as u32 % FEATURES + 1;
        text.push_str(&format!("### Anti-Pattern: Number {at}, writing a {one} before the {other}\n"));
        text.push_str(&format!(
            "Whoever writes the {one} of part {at} before its {other} is there leaves both behind after a crash. \
             Seen in `src/part{}/file{}.rs`, where the order was changed twice.\n",
            at % 10,
            at % 500
        ));
        match at % 4 {
            0 => text.push_str(&format!("- Observed in: Feature #{feature:03}\n- Cost: an hour\n")),
            1 => text.push_str(&format!("**Observed in:** Feature {feature}\n**Confidence:** high\n")),
            2 => text.push_str("- Observed in: a bug report\n"),
            _ => text.push_str("- Observed in: 2026-02-17\n"),
        }
        text.push_str(&format!(
            "- Last observed: Feature #{feature:03}\n- Observation count: {}\n\n",
            at % 9 + 1
        ));
    }
    text
}

/// The fastest and the middle of some runs.
fn measured(mut work: impl FnMut()) -> (Duration, Duration) {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..RUNS {
        let begun = Instant::now();
        work();
        times.push(begun.elapsed());
    }
    times.sort();
    (*times.first().unwrap(), times[RUNS / 2])
}

fn told((least, middle): (Duration, Duration)) -> String {
    format!(
        "{:>8.2} ms at best, {:>8.2} ms in the middle",
        least.as_secs_f64() * 1e3,
        middle.as_secs_f64() * 1e3
    )
}
