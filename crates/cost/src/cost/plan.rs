//! Looks ahead: every way to send a review now, and what it means for the rounds after it.
//!
//! Start at [`options`]. Two futures can be planned for: rounds that are known ([`super::hindsight`]), and rounds that
//! are only expected ([`Tree`]): after each round the loop goes on with some probability, after one of a few gaps,
//! and the best way is taken again.

use super::send::{Round, Sent, Sizes, Way, send};
use super::terms::{Amount, CERTAIN, Marking, Terms};
use redraft_facts::choice::{Cached, CachedPrefix, Lifetime, Marks, Strategy};
use redraft_facts::prelude::*;

/// The facts that never change while one loop is planned.
#[derive(Debug, Clone, Copy)]
pub struct PlanFacts<'a> {
    pub terms: &'a Terms,
    pub sizes: &'a Sizes,
    /// Strategies that may be used in the rounds after this one.
    pub later: &'a [Strategy],
}

/// The rounds that are assumed to come where nobody knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedRounds {
    /// The round after this one.
    pub next: Likely,
    /// Each round after that.
    pub later: Likely,
    /// How many rounds ahead are looked at.
    pub rounds: u32,
}

/// One round to come. Cases are of [`CERTAIN`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likely {
    /// In how many cases it takes place, if the round before it did.
    pub cases: u32,
    /// The seconds before it, with their cases.
    pub gaps: Vec<(u64, u32)>,
    /// Its mean sizes.
    pub round: Round,
    /// How much its change may differ from the mean, in percent of it, with their cases. Which strategy is cheaper is
    /// decided when the size is known, so the mean alone would undervalue having a choice.
    pub changes: Vec<(u32, u32)>,
}

/// All ways that may be taken, with what they do. Those that do not fit the context are left out while others do,
/// then those that cross a cliff while others do not.
pub fn options(
    setting: &PlanFacts<'_>,
    cached: &Cached,
    round: &Round,
    allowed: &[Strategy],
) -> Vec<(Way, Sent)> {
    options_with(setting, cached, round, allowed, Earlier::IsMarked)
}

/// The same, with places left unmarked or not.
pub(super) fn options_with(
    setting: &PlanFacts<'_>,
    cached: &Cached,
    round: &Round,
    allowed: &[Strategy],
    earlier: Earlier,
) -> Vec<(Way, Sent)> {
    let mut all: Vec<(Way, Sent)> = Vec::new();
    let mut add = |way: Way| {
        if let Some(sent) = send(setting.terms, setting.sizes, cached, round, way) {
            all.push((way, sent));
        }
    };
    for strategy in allowed {
        ways(setting, cached, *strategy, earlier, &mut add);
    }
    if let Some(least) = all.iter().map(|(_, sent)| Fault::from_sent(sent)).min() {
        all.retain(|(_, sent)| Fault::from_sent(sent) == least);
    }
    all
}

/// Whether a place before another marked one may be left without a mark. That writes the same now. It helps only if the
/// coming gaps are known: where the end of a conversation is wanted for minutes now and its beginning for an hour
/// later, which could not last longer than a kept part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    IsMarked,
    MayStayUnmarked,
}

/// Every combination of marks that can make a difference.
fn ways(
    setting: &PlanFacts<'_>,
    cached: &Cached,
    strategy: Strategy,
    earlier: Earlier,
    add: &mut impl FnMut(Way),
) {
    let terms = setting.terms;
    let inline = carries_stable(cached, strategy);
    let longest = |kept: Option<CachedPrefix>| kept.map_or(Lifetime::HalfDay, |entry| entry.lifetime);
    let up_to = |most: Lifetime| {
        let lifetimes = terms.lifetimes().iter().copied().filter(move |lifetime| *lifetime <= most);
        core::iter::once(None).chain(lifetimes.map(Some))
    };
    let Marking::Places(boundaries) = terms.marking() else {
        let most = longest(base(cached, strategy, inline));
        let Some((shortest, others)) = terms.lifetimes().split_first() else {
            return add(Way { strategy, marks: Marks::default() });
        };
        let lasting = others.iter().filter(|lifetime| **lifetime <= most);
        for lifetime in core::iter::once(shortest).chain(lasting) {
            add(Way { strategy, marks: always(terms.marking(), *lifetime, inline) });
        }
        return;
    };
    // With calls the rest is read again within seconds; leaving it unmarked is never better. And what is kept of a
    // conversation is found from a mark at its new end, within the provider's lookback.
    let found = |one: redraft_facts::choice::CachedConversation| one.tail.or(one.earlier).is_some();
    let continues = strategy == Strategy::Resume && cached.conversation.is_some_and(found);
    let must_mark = (setting.sizes.calls(strategy) > 0 || continues) && !terms.lifetimes().is_empty();
    // A kept place is read only where it is marked again. That writes nothing.
    let again = |kept: Option<CachedPrefix>, wanted| kept.map_or(wanted, |entry| Some(entry.lifetime));
    let longer = |one: &Option<Lifetime>, than: Option<Lifetime>| {
        *one >= than || (one.is_none() && earlier == Earlier::MayStayUnmarked)
    };
    // What is written after a kept beginning, or marked inside of it, lasts no longer than that beginning.
    let most = longest(base(cached, strategy, inline));
    for tail in up_to(most).filter(|tail| tail.is_some() || !must_mark) {
        let stables = up_to(most).filter(|stable| longer(stable, tail));
        for stable in one_if(cached.stable.is_some() || !inline, tail, stables) {
            let systems = up_to(most).filter(|system| longer(system, stable.max(tail)));
            for system in one_if(cached.system.is_some(), stable, systems) {
                let (system, stable) = (again(cached.system, system), again(cached.stable, stable));
                let stable = stable.filter(|_| inline);
                // The longer before the shorter: what is kept after it is found without a shorter mark.
                let system = system.filter(|system| stable.is_none_or(|stable| *system >= stable));
                let marks = Marks { system, stable, tail };
                add(Way { strategy, marks: fitted(marks, boundaries) });
            }
        }
    }
}

/// Whether the part that stays the same in every round is in the prompt.
fn carries_stable(cached: &Cached, strategy: Strategy) -> bool {
    match strategy {
        Strategy::Inline => true,
        Strategy::Resume => cached.conversation.is_some_and(|one| one.began == Strategy::Inline),
        Strategy::Lazy | Strategy::Digest => false,
    }
}

/// The marks of an agent that leaves no choice but the lifetime.
fn always(marking: Marking, lifetime: Lifetime, inline: bool) -> Marks {
    let all = Some(lifetime);
    match marking {
        Marking::Places(_) | Marking::Whole => {
            Marks { system: all, stable: all.filter(|_| inline), tail: all }
        }
        Marking::Conversation => Marks { tail: all, ..Marks::default() },
        Marking::Nothing => Marks::default(),
    }
}

impl Terms {
    /// The marks to ask for where no policy weighs them: what roles and rounds share is kept as long as possible, a
    /// conversation no longer than necessary, because each of its requests writes to the cache again.
    pub fn usual(&self, strategy: Strategy, cached: &Cached) -> Marks {
        let (Some(shortest), Some(longest)) = (self.lifetimes().first(), self.lifetimes().last()) else {
            return Marks::default();
        };
        let inline = carries_stable(cached, strategy);
        match self.marking() {
            Marking::Places(boundaries) => {
                let shared = always(self.marking(), *longest, inline);
                fitted(Marks { tail: Some(*shortest), ..shared }, boundaries)
            }
            marking => always(marking, *shortest, inline),
        }
    }
}

/// The longest kept beginning of the prompt. What is written after it cannot last longer than it does.
fn base(cached: &Cached, strategy: Strategy, inline: bool) -> Option<CachedPrefix> {
    let conversation = cached.conversation.filter(|_| strategy == Strategy::Resume);
    let stable = cached.stable.filter(|_| inline);
    conversation.and_then(|one| one.tail.or(one.earlier)).or(stable).or(cached.system)
}

/// Only the first of several marks where the place is already kept, because they would all do the same.
fn one_if(
    kept: bool,
    first: Option<Lifetime>,
    all: impl Iterator<Item = Option<Lifetime>>,
) -> impl Iterator<Item = Option<Lifetime>> {
    core::iter::once(first).filter(move |_| kept).chain(all.filter(move |_| !kept))
}

/// Marks for an agent that can set only this many. What lies before another mark is written with it anyway, so the
/// earlier ones are given up first.
fn fitted(marks: Marks, boundaries: u8) -> Marks {
    let Marks { system, stable, tail } = marks;
    let wanted = [system, stable, tail].iter().flatten().count();
    let spare = wanted.saturating_sub(usize::from(boundaries));
    match spare {
        0 => marks,
        _ if boundaries == 0 => Marks::default(),
        1 if stable.is_some() || tail.is_some() => Marks { system: None, ..marks },
        _ => Marks { tail, ..Marks::default() },
    }
}

/// What is expected to be paid in the rounds to come, for any cache they begin with.
pub(super) struct Tree<'a> {
    setting: PlanFacts<'a>,
    next: Likely,
    later: Likely,
    rounds: u32,
    /// Strategies worth following: a `lazy` review is never cheaper than an `inline` one with the same artifacts.
    strategies: Vec<Strategy>,
    /// By the rounds ahead and the cache: what is expected before the gap is known, and after it.
    before: BTreeMap<Key, Amount>,
    after: BTreeMap<(Key, u64), Amount>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(setting: PlanFacts<'a>, expected: &ExpectedRounds) -> Tree<'a> {
        let inline = setting.later.contains(&Strategy::Inline);
        let worth = |strategy: &Strategy| *strategy != Strategy::Lazy || !inline;
        let strategies = setting.later.iter().copied().filter(worth).collect();
        let distinct =
            |likely: &Likely| Likely { gaps: distinct(&likely.gaps, setting.terms), ..likely.clone() };
        Tree {
            setting,
            next: distinct(&expected.next),
            // Mean sizes are used here: every size of every round would be too many cases.
            later: Likely { changes: vec![(100, CERTAIN)], ..distinct(&expected.later) },
            rounds: expected.rounds,
            strategies,
            before: BTreeMap::new(),
            after: BTreeMap::new(),
        }
    }

    /// What is expected after the round that left this cache behind.
    pub(super) fn after(&mut self, cached: &Cached) -> Amount {
        self.from(cached, 1)
    }

    fn from(&mut self, cached: &Cached, ahead: u32) -> Amount {
        if ahead > self.rounds {
            return Amount(0);
        }
        let key = key(cached, ahead);
        if let Some(known) = self.before.get(&key) {
            return *known;
        }
        let likely = if ahead == 1 { self.next.clone() } else { self.later.clone() };
        let mut sum = Amount(0);
        for (gap, gap_cases) in &likely.gaps {
            let now = cached.after(*gap);
            for (percent, cases) in &likely.changes {
                let best = self.best(&now, ahead, &likely.round.with_change(*percent));
                sum += best.share(gap_cases * cases, CERTAIN * CERTAIN);
            }
        }
        let amount = sum.share(likely.cases, CERTAIN);
        self.before.insert(key, amount);
        amount
    }

    fn best(&mut self, cached: &Cached, ahead: u32, round: &Round) -> Amount {
        let key = (key(cached, ahead), round.delta);
        if let Some(known) = self.after.get(&key) {
            return *known;
        }
        let setting = self.setting;
        let mut best: Option<(Fault, Amount)> = None;
        for at in 0..self.strategies.len() {
            let strategy = self.strategies[at];
            // Continuing what is no longer kept costs more than starting afresh, and leaves more to carry on.
            let kept = cached.conversation.is_some_and(|one| one.tail.is_some() || one.earlier.is_some());
            if strategy == Strategy::Resume && !kept && self.strategies.len() > 1 {
                continue;
            }
            // After the last round that is looked at, nothing is read, so nothing is worth writing.
            let may_stop = matches!(setting.terms.marking(), Marking::Places(_));
            let free_to_stop = setting.sizes.calls(strategy) == 0 && may_stop;
            let last = ahead == self.rounds && free_to_stop;
            let mut try_way = |way: Way| {
                let Some(sent) = send(setting.terms, setting.sizes, cached, round, way) else { return };
                let fault = Fault::from_sent(&sent);
                if best.is_none_or(|(least, _)| fault <= least) {
                    let one = (fault, sent.bill.amount() + self.from(&sent.cached, ahead + 1));
                    best = Some(best.map_or(one, |best| best.min(one)));
                }
            };
            if last {
                try_way(Way { strategy, marks: Marks::default() });
            } else {
                ways(&setting, cached, strategy, Earlier::IsMarked, &mut try_way);
            }
        }
        let amount = best.map(|(_, amount)| amount).unwrap_or_default();
        self.after.insert(key, amount);
        amount
    }
}

/// What speaks against a way before its cost does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    None,
    AboveCliff,
    TooLarge,
}

impl Fault {
    fn from_sent(sent: &Sent) -> Fault {
        match (sent.fits, sent.above_cliff) {
            (false, _) => Fault::TooLarge,
            (true, true) => Fault::AboveCliff,
            (true, false) => Fault::None,
        }
    }
}

/// Gaps that end the same lifetimes, put together.
fn distinct(gaps: &[(u64, u32)], terms: &Terms) -> Vec<(u64, u32)> {
    let outlived = |gap: u64| terms.lifetimes().iter().filter(|lifetime| lifetime.seconds() <= gap).count();
    let mut classes: BTreeMap<usize, (u64, u32)> = BTreeMap::new();
    for (gap, percent) in gaps {
        let class = classes.entry(outlived(*gap)).or_insert((*gap, 0));
        class.0 = class.0.min(*gap);
        class.1 += percent;
    }
    classes.into_values().collect()
}

/// A cache to look up by.
type Key = [u64; 4];

/// The cache in few numbers that are quick to compare, for looking ahead. Within one plan the sizes of the first
/// two entries never change.
fn key(cached: &Cached, ahead: u32) -> Key {
    const NONE: CachedPrefix = CachedPrefix { tokens: 0, lifetime: Lifetime::FiveMinutes, left_s: 0 };
    let (tail, earlier) = cached.conversation.map_or((None, None), |one| (one.tail, one.earlier));
    let entries = [cached.system, cached.stable, tail, earlier].map(|entry| entry.unwrap_or(NONE));
    let [left, lifetimes] = entries.iter().fold([0, 0], |[left, lifetimes], entry| {
        // The longest lifetime has fewer seconds than 16 bits hold.
        [left << 16 | entry.left_s & 0xffff, lifetimes << 2 | entry.lifetime as u64]
    });
    let began = cached.conversation.map_or(7, |one| one.began as u64);
    let tokens = cached.conversation.map_or(0, |one| one.tokens);
    let [_, _, tail, earlier] = entries.map(|entry| entry.tokens.min(u64::from(u32::MAX)));
    [left, tokens << 16 | lifetimes << 3 | began, tail << 32 | earlier, u64::from(ahead)]
}
