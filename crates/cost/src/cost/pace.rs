//! Learns how soon rounds follow each other in a repository.
//!
//! Loops that are over are taken in whole ([`Pace::learn`]); an open one is not taken in at all, because its own few
//! gaps say less than they seem to. What was not seen yet is assumed by [`super::prior`]. Whether another round follows
//! is not learned: long loops go on more often than short ones, and one share for both misleads more than an assumption
//! does. Start at [`Pace`]; [`Paces`] finds the loops in a ledger's events. Nothing here knows a price.

use super::terms::CERTAIN;
use alloc::collections::VecDeque;
use redraft_facts::choice::Lifetime;
use redraft_facts::event::{Event, Started};
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Scope, Ticket};

/// How many gaps of a kind are looked at; the newest count.
const GAPS_MAX: usize = 300;

/// Gaps are classified by the lifetimes they end, because nothing else about them matters to a cache.
pub(super) const CLASSES: usize = Lifetime::ALL.len() + 1;

/// The assumption about gaps weighs as much as this many that were seen: in a repository much like those it comes from,
/// where the share of short gaps differs by 7 points from one to the next; and in one of another kind, where that share
/// may be anything between a quarter (a person answers) and nine tenths (agents do). This many random draws would
/// scatter as much.
const ALIKE: u64 = 50;
const OWN: u64 = 6;
/// The assumptions come from several repositories that agree with each other, so one that does not is taken to be one in
/// ten.
const USUAL: u128 = 9;
/// Even odds, in whole numbers.
const EVEN: u128 = 1 << 40;

/// Gaps of loops that are over. The first of each is kept apart from the others, because most is revised in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pace {
    gaps: [VecDeque<Gap>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gap {
    class: usize,
    /// The size of its loop, by which the gap is weighted: a wrong guess costs more in a large one, and long documents
    /// take longer to revise.
    chars: u64,
}

impl Pace {
    /// Takes in a loop that is over: the seconds between its rounds, in order, and the characters its first review was
    /// about.
    pub fn learn(&mut self, chars: u64, gaps_s: &[u64]) {
        for (at, gap_s) in gaps_s.iter().enumerate() {
            let gaps = &mut self.gaps[at.min(1)];
            gaps.push_back(Gap { class: class(*gap_s), chars: chars.max(1) });
            if gaps.len() > GAPS_MAX {
                gaps.pop_front();
            }
        }
    }

    /// In how many cases of [`CERTAIN`] a gap is of each class. `revision` is 0 after the first review and 1 after others;
    /// `assumed` are the cases for both, none of them 0.
    ///
    /// A repository is either much like those the assumptions come from, or one of another kind. The first is nine
    /// times as likely until there are gaps; then each is weighted by how likely it makes them. So a repository of the
    /// first kind is not led astray by the chance of its first gaps, and one of the second is learned from few.
    pub(super) fn gaps(&self, revision: usize, assumed: &[[u32; CLASSES]; 2]) -> [u32; CLASSES] {
        let alike = self.alike(assumed);
        let mut cases = assumed[revision];
        for (class, cases) in cases.iter_mut().enumerate() {
            let seen = || self.gaps[revision].iter().map(|gap| (gap.class == class, gap.chars));
            let (alike_cases, own_cases) = (drawn(*cases, ALIKE, seen()), drawn(*cases, OWN, seen()));
            *cases = (alike_cases * alike + own_cases * (CERTAIN - alike)) / CERTAIN;
        }
        cases
    }

    /// How likely the repository is one of the usual kind, in parts of [`CERTAIN`], judged by how many of its gaps are
    /// short: that is where repositories differ, and what most decisions depend on.
    fn alike(&self, assumed: &[[u32; CLASSES]; 2]) -> u32 {
        let mut odds = EVEN * USUAL;
        for (gaps, assumed) in self.gaps.iter().zip(assumed) {
            let assumed = [CERTAIN - assumed[0], assumed[0]];
            let mut counts = [0_u128; 2];
            for (before, gap) in (0_u128..).zip(gaps) {
                let is_short = usize::from(gap.class == 0);
                let (assumed, count) = (u128::from(assumed[is_short]), counts[is_short]);
                let expected = |weight: u64| assumed * u128::from(weight) + count * u128::from(CERTAIN);
                let more = expected(ALIKE) * (u128::from(OWN) + before);
                let less = expected(OWN) * (u128::from(ALIKE) + before);
                odds = (odds * more / less.max(1)).clamp(1, EVEN * EVEN);
                counts[is_short] += 1;
            }
        }
        u32::try_from(odds * u128::from(CERTAIN) / (odds + EVEN)).unwrap_or(CERTAIN)
    }
}

fn class(gap_s: u64) -> usize {
    Lifetime::ALL.iter().filter(|lifetime| lifetime.seconds() <= gap_s).count()
}

/// A share in which the assumption counts as this many observations. Observations are weighted by size; a few large
/// ones among many small ones count as the few they are.
fn drawn(assumed: u32, weight: u64, seen: impl Iterator<Item = (bool, u64)>) -> u32 {
    let (mut yes, mut sum, mut squares) = (0_u128, 0_u128, 0_u128);
    for (is, chars) in seen {
        let chars = u128::from(chars);
        yes += if is { chars } else { 0 };
        sum += chars;
        squares += chars * chars;
    }
    if sum == 0 {
        return assumed;
    }
    // In thousandths, so that little is lost by rounding.
    let (seen, weight) = (sum * sum * 1_000 / squares, u128::from(weight) * 1_000);
    let share = yes * u128::from(CERTAIN) / sum;
    u32::try_from((u128::from(assumed) * weight + share * seen) / (weight + seen)).unwrap_or(CERTAIN)
}

/// The paces of reviewers and of authors, whose gaps have nothing in common: one's pause is the other's work. A fold
/// over the events of all features.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paces {
    reviewers: Pace,
    authors: Pace,
    open: BTreeMap<(Scope, Phase, u16), BTreeMap<Role, Open>>,
}

/// A role's dispatches in a pass that has not closed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Open {
    author: bool,
    chars: u64,
    gaps_s: Vec<u64>,
    /// When the last request that was answered began.
    asked_ms: Option<i64>,
    /// What is under way, and when it was sent.
    sent: Option<(Ticket, i64)>,
}

impl Paces {
    /// The kinds of events that say something.
    pub const KINDS: [&str; 3] = ["started", "answered", "phase-closed"];

    pub fn for_role(&self, author: bool) -> &Pace {
        if author { &self.authors } else { &self.reviewers }
    }

    pub fn take(&mut self, scope: &Scope, at_ms: i64, event: &Event) {
        match event {
            Event::Started(fact) => self.started(fact, at_ms),
            Event::Answered(fact) => {
                let Ticket { scope, phase, pass, role, purpose, .. } = &fact.ticket;
                let roles = self.open.get_mut(&(scope.clone(), *phase, *pass));
                let Some(one) = roles.and_then(|roles| roles.get_mut(role)) else { return };
                let Some((_, sent_ms)) = one.sent.take_if(|(ticket, _)| *ticket == fact.ticket) else {
                    return;
                };
                if let Some(asked_ms) = one.asked_ms.filter(|_| is_round(*purpose)) {
                    one.gaps_s.push(u64::try_from(sent_ms.saturating_sub(asked_ms) / 1000).unwrap_or(0));
                }
                one.asked_ms = Some(fact.asked_ms.unwrap_or(sent_ms));
            }
            Event::PhaseClosed(fact) => {
                let closed = self.open.remove(&(scope.clone(), fact.phase, fact.pass));
                for one in closed.unwrap_or_default().into_values().filter(|one| one.asked_ms.is_some()) {
                    let pace = if one.author { &mut self.authors } else { &mut self.reviewers };
                    pace.learn(one.chars, &one.gaps_s);
                }
            }
            _ => {}
        }
    }

    fn started(&mut self, fact: &Started, at_ms: i64) {
        let Ticket { scope, phase, pass, role, purpose, .. } = &fact.ticket;
        // Each of these is a conversation of its own.
        if !is_round(*purpose) && *purpose != Purpose::Repair {
            return;
        }
        let roles = self.open.entry((scope.clone(), *phase, *pass)).or_default();
        let one = roles.entry(role.clone()).or_default();
        if one.asked_ms.is_none() {
            one.author = matches!(purpose, Purpose::Draft | Purpose::Revise);
            one.chars = fact.context_chars;
        }
        one.sent = Some((fact.ticket.clone(), at_ms));
    }
}

/// Whether a dispatch is a round of its own. A repair is one more turn of the round before.
fn is_round(purpose: Purpose) -> bool {
    match purpose {
        Purpose::Draft | Purpose::Revise | Purpose::Review | Purpose::Validate | Purpose::Certify => true,
        Purpose::Repair
        | Purpose::Implement
        | Purpose::Simplify
        | Purpose::Outline
        | Purpose::Tests
        | Purpose::Retro
        | Purpose::Judge
        | Purpose::Probe => false,
    }
}
