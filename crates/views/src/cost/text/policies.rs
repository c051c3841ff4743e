//! What the same reviews would have cost under other policies.

use super::super::savings::{Loop, Replay};
use super::estimate;
use crate::table::{Align, table};
use redraft_cost::cost::CERTAIN;
use redraft_cost::cost::replay::ReplayMode;
use redraft_facts::text::count;
use redraft_facts::usage::{Usd, grouped};
use redraft_reports::projections::costs::{Replayed, not_cached};
use std::cmp::Ordering;

pub(super) fn savings(loops: &[Loop]) -> String {
    if loops.is_empty() {
        return String::new();
    }
    let mut out =
        "\nthe same reviews under other policies: estimates, replayed with the texts and pauses of this \
        loop\n"
            .to_owned();
    for one in loops {
        let reviews = count(one.reviews, "review");
        match &one.replay {
            Err(why) => out.push_str(&format!("  {}: {reviews}; no savings are claimed: {why}\n", one.name)),
            Ok(replay) => out.push_str(&replay_text(&one.name, &reviews, replay)),
        }
    }
    out
}

fn replay_text(name: &str, reviews: &str, replay: &Replay) -> String {
    let Replay { model, ttl, hit_rate, free, billed, own, others } = replay;
    let hit = u64::from(*hit_rate) * 100 / u64::from(CERTAIN);
    let was = if *free {
        format!("{} tokens not read from the cache", grouped(not_cached(billed)))
    } else {
        format!("billed {}", billed.cost)
    };
    let (own_name, own_amount) = (own.name(), estimate(&own.usage, !free));
    let unit = if *free { " tokens" } else { "" };
    let mut out = format!(
        "  {name}: {reviews}, {was}\n    as it was sent, by {own_name}: {own_amount}{unit} (card {model}, lifetimes \
            up to {ttl}, assuming that {hit} % of what is cached is found)\n"
    );
    let row = |other: &Replayed| {
        let amount = estimate(&other.usage, !free);
        let less = if other.played == ReplayMode::Digest { "; its reviewers know less" } else { "" };
        vec![format!("    {}", other.name()), amount, format!("{}{less}", compared(own, other, *free))]
    };
    let rows: Vec<Vec<String>> = others.iter().map(row).collect();
    out.push_str(&table(&[Align::Left, Align::Right, Align::Left], &rows));
    out
}

/// What the other policy would have saved.
fn compared(own: &Replayed, other: &Replayed, free: bool) -> String {
    let amount = |one: &Replayed| if free { not_cached(&one.usage) } else { one.usage.cost.0 };
    let (mine, theirs) = (amount(own), amount(other));
    let saved = |who: &str, would: bool, difference: u64| match (free, would) {
        (true, false) => format!("{who} sent ~{} tokens fewer", grouped(difference)),
        (true, true) => format!("{who} would have sent ~{} tokens fewer", grouped(difference)),
        (false, false) => format!("{who} saved ~{}", Usd(difference)),
        (false, true) => format!("{who} would have saved ~{}", Usd(difference)),
    };
    match mine.cmp(&theirs) {
        Ordering::Less => saved(own.name(), false, theirs - mine),
        Ordering::Greater => saved(other.name(), true, mine - theirs),
        Ordering::Equal => "the same".to_owned(),
    }
}
