//! What a dispatch of Claude Code is billed, from what the program tells at its end and what was heard on the way.
//!
//! Its sum (`usage`) is of the conversation alone. What it uses by model (`modelUsage`) also holds the requests beside
//! that: searches of the web, a conversation that is summed up, the last request before its own limit. An answer that
//! broke off is in neither with some versions. Prices are the card's, because only the user knows what is paid: nothing
//! at a server of his own, something else at a gateway. Start at [`Bill::of`].

use super::ClaudeSettings;
use super::stream::{Heard, ModelUse, ResultLine};
use redraft_core::price::{Basis, Card, Cards, Lifetime};
use redraft_core::usage::{Usage, Usd};

/// What a dispatch came to, and how much of that no bill says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bill {
    pub(super) usage: Usage,
    pub(super) unknown: Usd,
}

impl Bill {
    /// Where no tokens are told at all, what the program says it cost counts, else what was reserved.
    pub(super) fn of(settings: &ClaudeSettings, heard: &Heard, result: &ResultLine, reserved: Usd) -> Bill {
        let card = &settings.card;
        let own = own(settings, heard, result);
        let others = others(settings, result);
        let tokens = others.iter().fold(own.usage, |sum, one| plus(sum, *one));
        let answer_tokens = u64::from(settings.answer_tokens()).saturating_mul(own.broken);
        let longer = answer_tokens.saturating_sub(own.broken_output);
        let unknown = card.cost(&Usage { output: longer, ..Usage::default() }, own.largest);
        let lifetime =
            own.written.iter().map(|(lifetime, _)| *lifetime).max().unwrap_or(Lifetime::FiveMinutes);
        let answer_tokens = settings.answer_tokens().into();
        let unknown = unknown + heard.requests.vanished(card, answer_tokens, lifetime);
        let searches = result.models.iter().fold(0, |sum: u64, one| sum.saturating_add(one.searches));
        let elsewhere = others.iter().fold(card.searches(searches), |sum, one| sum + one.cost);
        let known = card.cost_by_lifetime(&own.usage, &own.written, own.largest) + elsewhere;
        let (cost, unknown) = match (tokens.input().saturating_add(tokens.output), result.cost) {
            _ if card.is_free() => (Usd(0), Usd(0)),
            (0, Usd(0)) => (reserved, reserved),
            (0, told) => (told, Usd(0)),
            _ => (known + unknown, unknown),
        };
        Bill { usage: Usage { cost, ..tokens }, unknown }
    }
}

/// What was used of the model that was asked for.
struct Own {
    usage: Usage,
    written: Vec<(Lifetime, u64)>,
    /// The prompt of its largest request, at the most.
    largest: u64,
    /// Answers that broke off, and what was counted of them.
    broken: u64,
    broken_output: u64,
}

fn own(settings: &ClaudeSettings, heard: &Heard, result: &ResultLine) -> Own {
    let told = result.usage.unwrap_or_default();
    let (mut usage, mut written) = (told, result.written.clone());
    for one in result.models.iter().filter(|one| is_own(settings, result, one)) {
        // Whichever of the two tells more.
        usage = Usage {
            uncached: told.uncached.max(one.usage.uncached),
            written: told.written.max(one.usage.written),
            read: told.read.max(one.usage.read),
            output: told.output.max(one.usage.output),
            cost: Usd(0),
        };
        if !one.written.is_empty() {
            written.clone_from(&one.written);
        }
    }
    // Requests beside the conversation are kept as long as those of it.
    let listed = written.iter().fold(0, |sum: u64, (_, tokens)| sum.saturating_add(*tokens));
    let longest = written.iter().map(|(lifetime, _)| *lifetime).max();
    if let Some((lifetime, beside)) = longest.zip(usage.written.checked_sub(listed).filter(|more| *more > 0))
    {
        written.push((lifetime, beside));
    }
    let (broken_usage, broken_written, broken) = heard.requests.broken_off();
    if !result.counts_broken {
        usage = plus(usage, broken_usage);
        written.extend(broken_written);
    }
    let all = usage.input();
    // What was not heard of can have been one request.
    let beside = all.saturating_sub(heard.requests.counted().input());
    let largest = heard.requests.largest().map_or(all, |tokens| tokens.max(beside).min(all));
    Own { usage, written, largest, broken, broken_output: broken_usage.output }
}

/// What was used of other models, with its price: the list's where it is known, else what the program says.
fn others(settings: &ClaudeSettings, result: &ResultLine) -> Vec<Usage> {
    let cards = Cards::builtin();
    let foreign = result.models.iter().filter(|one| !is_own(settings, result, one));
    let priced = |one: &ModelUse| {
        let by = |card: &Card| card.cost_by_lifetime(&one.usage, &one.written, one.usage.input());
        let listed = cards.find(&one.model).map(by);
        let cost = match settings.card.basis {
            Basis::Unknown => by(&settings.card),
            // What it says holds its searches, which are counted once for all models.
            Basis::Listed | Basis::Configured => {
                listed.unwrap_or_else(|_| one.cost - settings.card.searches(one.searches))
            }
        };
        Usage { cost, ..one.usage }
    };
    foreign.map(priced).collect()
}

/// Whether this is the model that was asked for, under whatever name. The only one there is must be.
fn is_own(settings: &ClaudeSettings, result: &ResultLine, one: &ModelUse) -> bool {
    let cards = Cards::builtin();
    let same = || match (cards.find(&one.model), cards.find(&settings.model)) {
        (Ok(one), Ok(own)) => one == own,
        _ => false,
    };
    result.models.len() == 1 || one.model == settings.model || same()
}

fn plus(mut sum: Usage, more: Usage) -> Usage {
    sum += more;
    sum
}
