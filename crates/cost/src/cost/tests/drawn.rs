//! Review loops drawn from a seed, of many kinds; the rule is not told which.
//!
//! Every loop draws its length, its documents, its changes and its cache by itself, and every gap its pace (where a kind
//! is steady, every loop), so a thousand of them hold every mixture. The distributions are this file's own, and the rule
//! assumes others: here gaps are spread evenly within a pace, and changes grow or shrink. [`USUAL`] agrees with what is
//! known of real loops: two thirds of the gaps under five minutes, nearly all under an hour, three rounds in the mean.
//! [`WORLDS`] are repositories, each with a pace of its own. Start at [`Draws::any_loop`].

use super::world::SIZES;
use crate::cost::{CERTAIN, Coming, Round, Sizes};
use redraft_facts::choice::Lifetime;
use redraft_facts::prelude::*;

/// Numbers from a seed, the same on every machine.
pub(super) struct Draws(pub(super) u64);

/// How many of a hundred loops are of which kind, by pace (quick, ordinary, slow, anything) and by length (few rounds,
/// some, many).
#[derive(Debug, Clone, Copy)]
pub(super) struct Kinds {
    pub(super) pace: [u64; 4],
    pub(super) length: [u64; 3],
    /// Whether a loop keeps its pace, or every gap has one of its own.
    pub(super) steady: bool,
}

/// As loops occur in practice.
pub(super) const USUAL: Kinds = Kinds { pace: [60, 32, 5, 3], length: [30, 50, 20], steady: false };

/// Repositories of one kind each. Who answers between two rounds decides how long they are apart, so there is one where
/// only agents do, one where agents do most and a person the rest, one where a person reads along and is at hand, and
/// one where a person comes back to it now and then. The shares are round numbers for these words.
pub(super) const WORLDS: [(&str, Kinds); 4] = [
    ("agents alone", Kinds { pace: [95, 5, 0, 0], ..USUAL }),
    ("mostly agents", USUAL),
    ("a person at hand", Kinds { pace: [20, 60, 15, 5], ..USUAL }),
    ("a person now and then", Kinds { pace: [5, 15, 60, 20], ..USUAL }),
];

/// The seconds of a quick gap, of an ordinary and of a slow one.
const PACES: [(u64, u64); 3] = [(20, 280), (100, 1_500), (1_000, 6_000)];
/// The rounds of a short loop, of a usual and of a long one.
const LENGTHS: [(u64, u64); 3] = [(1, 3), (2, 5), (4, 7)];
/// A gap that may be anything is from half a minute to a day, each power of two as likely.
const POWERS: u64 = 12;

impl Kinds {
    /// The true frequencies of gaps, as a rule is told them: a gap for each lifetime that may end, with its cases.
    pub(super) fn gaps(&self) -> Vec<(u64, u32)> {
        let ends: Vec<u64> = Lifetime::ALL.iter().map(|lifetime| lifetime.seconds()).collect();
        let starts = core::iter::once(0).chain(ends.iter().copied());
        let ends = ends.iter().copied().chain([u64::MAX]);
        let all: u64 = self.pace.iter().sum();
        let share = |from: u64, to: u64, (low, high): (u64, u64)| {
            let inside = to.min(high).saturating_sub(from.max(low));
            inside as f64 / (high - low) as f64
        };
        let cases = |(from, to): (u64, u64)| {
            let anything = (0..POWERS).map(|power| share(from, to, (30 << power, 60 << power))).sum::<f64>();
            let known =
                PACES.iter().zip(self.pace).map(|(pace, cases)| share(from, to, *pace) * cases as f64);
            let sum = known.sum::<f64>() + anything / POWERS as f64 * self.pace[3] as f64;
            (from + 1, (sum / all as f64 * f64::from(CERTAIN)).round() as u32)
        };
        starts.zip(ends).map(cases).filter(|(_, cases)| *cases > 0).collect()
    }

    /// In how many cases a loop of this many rounds has another one.
    pub(super) fn again(&self, rounds: u64) -> u32 {
        let all: u64 = self.length.iter().sum();
        let longer_than = |rounds: u64| {
            let share = |(low, high): (u64, u64)| {
                high.saturating_sub((rounds + 1).max(low)) as f64 / (high - low) as f64
            };
            LENGTHS
                .iter()
                .zip(self.length)
                .map(|(one, cases)| share(*one) * cases as f64 / all as f64)
                .sum::<f64>()
        };
        let before = longer_than(rounds - 1);
        if before == 0.0 { 0 } else { (longer_than(rounds) / before * f64::from(CERTAIN)).round() as u32 }
    }
}

/// A loop, and how often the cache answers in it.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    pub(super) sizes: Sizes,
    pub(super) rounds: Vec<Coming>,
    pub(super) hit_rate: u32,
}

impl Draws {
    /// One of `0..below`.
    pub(super) fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low)
    }

    /// Picks one of several, by how many of a hundred each has.
    fn one_of(&mut self, cases: &[u64]) -> usize {
        let drawn = self.below(cases.iter().sum());
        let up_to = |at: usize| cases[..=at].iter().sum::<u64>();
        (0..cases.len()).find(|at| drawn < up_to(*at)).unwrap()
    }

    /// A loop of one to six rounds.
    pub(super) fn any_loop(&mut self, kinds: &Kinds) -> Drawn {
        let (fewest, most) = LENGTHS[self.one_of(&kinds.length)];
        let count = self.between(fewest, most) as usize;
        // Tiny, usual and huge documents.
        let (smallest, largest) = [(300, 2_000), (2_000, 14_000), (15_000, 40_000)][self.below(3) as usize];
        let files = self.below(5);
        let upstream = (0..files).map(|_| self.between(smallest, largest)).sum();
        let artifact_by_path = self.below(2) == 0;
        let sizes = Sizes { upstream, files: files as u32, artifact_by_path, ..SIZES };
        let artifact = self.between(smallest, largest);
        let mut rounds = vec![Coming { gap_s: 0, round: Round { artifact, ..Round::default() } }];
        let (pace, change) = (self.one_of(&kinds.pace), self.below(4));
        while rounds.len() < count {
            let pace = if kinds.steady { pace } else { self.one_of(&kinds.pace) };
            let coming = Coming { gap_s: self.gap(pace), round: self.change(change, &rounds) };
            rounds.push(coming);
        }
        let hit_rate = [CERTAIN, 9_500, 7_000][self.below(3) as usize];
        Drawn { sizes, rounds, hit_rate }
    }

    /// Seconds between two rounds.
    fn gap(&mut self, pace: usize) -> u64 {
        let (low, high) = PACES.get(pace).copied().unwrap_or_else(|| {
            let power = self.below(POWERS);
            (30 << power, 60 << power)
        });
        self.between(low, high)
    }

    /// Changes that grow, that shrink, that are all alike, and that are now a word and now half the document.
    fn change(&mut self, change: u64, rounds: &[Coming]) -> Round {
        let at = rounds.len() as u32;
        let before = rounds.last().map_or(0, |coming| coming.round.artifact);
        let percent = match change {
            0 => 4 << at,
            1 => 120 >> at,
            2 => 18,
            _ if self.below(2) == 0 => 1,
            _ => 50,
        };
        let delta = (before * percent.min(110) / 100).max(20);
        // Half of what is added stays, and what is taken away is never the whole document.
        let artifact = match self.below(3) {
            0 => before.saturating_sub(delta / 3).max(100),
            _ => before + delta / 3,
        };
        let touched = (delta * self.between(100, 300) / 100).min(artifact);
        Round { artifact, delta, touched }
    }
}
