//! Works out what a dispatch of Claude Code is billed, from what the program reports at its end and what was heard on
//! the way.
//!
//! Its sum (`usage`) covers the conversation alone. Its use by model (`modelUsage`) also covers requests outside of the
//! conversation: web searches, the summing up of a conversation, the last request before its own limit. With some
//! versions an answer that broke off is in neither. The model that was asked for is priced by its card, because only
//! the user knows what is paid: nothing on a server of their own, something else at a gateway. Start at [`Bill::new`].

use super::ClaudeSettings;
use super::printed::plus;
use super::stream::{Heard, ModelUse, ResultLine};
use redraft_cost::price::{Card, Cards, PriceBasis};
use redraft_facts::choice::Lifetime;
use redraft_facts::usage::{Usage, Usd};

/// What a dispatch cost, and how much of that is on no bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bill {
    pub(super) usage: Usage,
    pub(super) unknown: Usd,
}

impl Bill {
    /// Where no tokens are reported at all, the cost that the program states counts, else what was reserved.
    pub(super) fn new(settings: &ClaudeSettings, heard: &Heard, result: &ResultLine, reserved: Usd) -> Bill {
        let card = &settings.card;
        let others = others(settings, result);
        let foreign = others.iter().fold(Usage::default(), |sum, one| plus(sum, one.usage));
        let own = own(settings, heard, result, foreign);
        let tokens = plus(own.usage, foreign);
        let answer_tokens = u64::from(settings.answer_tokens()).saturating_mul(own.broken);
        let longer = answer_tokens.saturating_sub(own.broken_output);
        let unknown = card.cost(&Usage { output: longer, ..Usage::default() }, own.largest);
        let lifetime =
            own.written.iter().map(|(lifetime, _)| *lifetime).max().unwrap_or(Lifetime::FiveMinutes);
        let answer_tokens = settings.answer_tokens().into();
        let unknown = unknown + heard.requests.vanished(card, answer_tokens, lifetime);
        let unknown = others.iter().fold(unknown, |sum, one| sum + one.unknown);
        let searches = result.models.iter().fold(0, |sum: u64, one| sum.saturating_add(one.searches));
        let elsewhere = card.searches(searches) + foreign.cost;
        let known = card.cost_by_lifetime(&own.usage, &own.written, own.largest) + elsewhere;
        let (cost, unknown) = match (tokens.input().saturating_add(tokens.output), result.cost) {
            _ if card.is_free() => (Usd(0), Usd(0)),
            (0, Usd(0)) => (reserved, reserved),
            (0, told) => (told, Usd(0)),
            // For a dispatch that was not watched, the lines that would show how large a request was are not kept; for
            // the last request there are none.
            _ if heard.requests.has_vanished_last()
                || heard.requests.has_vanished() && !heard.requests.live =>
            {
                let cost = (known + unknown).max(reserved);
                (cost, cost - known)
            }
            _ => (known + unknown, unknown),
        };
        Bill { usage: Usage { cost, ..tokens }, unknown }
    }
}

/// The use of the model that was asked for.
struct Own {
    usage: Usage,
    written: Vec<(Lifetime, u64)>,
    /// At most how large the prompt of its largest request was.
    largest: u64,
    /// Answers that broke off, and what was counted of them.
    broken: u64,
    broken_output: u64,
}

fn own(settings: &ClaudeSettings, heard: &Heard, result: &ResultLine, foreign: Usage) -> Own {
    let mine: Vec<&ModelUse> = result.models.iter().filter(|one| is_own(settings, result, one)).collect();
    let summed = mine.iter().fold(Usage::default(), |sum, one| plus(sum, one.usage));
    let listed: Vec<(Lifetime, u64)> = mine.iter().flat_map(|one| one.written.iter().copied()).collect();
    let told = result.usage.unwrap_or_default();
    let (told, mut written) = match (mine.is_empty() && !result.models.is_empty(), listed.is_empty()) {
        // The conversation was another model's.
        (true, _) => (less(told, foreign), Vec::new()),
        (false, true) => (told, result.written.clone()),
        (false, false) => (told, listed),
    };
    // Whichever of the two is more.
    let mut usage = Usage {
        uncached: told.uncached.max(summed.uncached),
        written: told.written.max(summed.written),
        read: told.read.max(summed.read),
        output: told.output.max(summed.output),
        cost: Usd(0),
    };
    // What requests outside of the conversation write is kept as long as what the conversation writes.
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
    usage = plus(usage, missing(plus(usage, foreign), heard.requests.counted()));
    let all = usage.input();
    // What was not heard can have been one request.
    let beside = all.saturating_sub(heard.requests.counted().input());
    let largest = heard.requests.largest().map_or(all, |tokens| tokens.max(beside).min(all));
    Own { usage, written, largest, broken, broken_output: broken_usage.output }
}

/// What was heard on the way and is in no reported sum; nothing where no sum was reported at all.
fn missing(told: Usage, heard: Usage) -> Usage {
    if told.input().saturating_add(told.output) == 0 {
        return Usage::default();
    }
    let uncached = heard.input().saturating_sub(told.input());
    Usage { uncached, output: heard.output.saturating_sub(told.output), ..Usage::default() }
}

fn less(all: Usage, part: Usage) -> Usage {
    Usage {
        uncached: all.uncached.saturating_sub(part.uncached),
        written: all.written.saturating_sub(part.written),
        read: all.read.saturating_sub(part.read),
        output: all.output.saturating_sub(part.output),
        cost: Usd(0),
    }
}

/// The use of a model other than the one that was asked for.
struct Other {
    /// With its price.
    usage: Usage,
    /// What it can have cost, where no price is known.
    unknown: Usd,
}

/// The use of other models, by the price list where they are on it, else by the cost that the program states. Where the
/// price of the agent's own model is unknown, they count as dear as that one.
fn others(settings: &ClaudeSettings, result: &ResultLine) -> Vec<Other> {
    let cards = Cards::builtin();
    let foreign = result.models.iter().filter(|one| !is_own(settings, result, one));
    let priced = |one: &ModelUse| {
        let by = |card: &Card| card.cost_by_lifetime(&one.usage, &one.written, one.usage.input());
        let listed = cards.find(&one.model).map(by);
        let cost = match settings.card.basis {
            PriceBasis::Unknown => by(&settings.card),
            // The cost it states includes its searches, which are counted once for all models.
            PriceBasis::Listed | PriceBasis::Configured => {
                let told = || one.cost - settings.card.searches(one.searches);
                listed.as_ref().map_or_else(|_| told(), |cost| *cost)
            }
        };
        let unknown = match (&listed, cost) {
            (Err(_), Usd(0)) => by(&cards.conservative()),
            _ => Usd(0),
        };
        Other { usage: Usage { cost, ..one.usage }, unknown }
    };
    foreign.map(priced).collect()
}

/// Whether this is the model that was asked for, under whatever name. If there is only one, it must be, unless the list
/// says that it is another.
fn is_own(settings: &ClaudeSettings, result: &ResultLine, one: &ModelUse) -> bool {
    let cards = Cards::builtin();
    match (cards.find(&one.model), cards.find(&settings.model)) {
        _ if one.model == settings.model => true,
        (Ok(one), Ok(own)) => one == own,
        _ => result.models.len() == 1,
    }
}
