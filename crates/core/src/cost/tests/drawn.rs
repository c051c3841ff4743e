//! Review loops drawn from a seed, of many kinds that the rule is not told.
//!
//! Every loop draws its kind of gaps, of length, of documents, of changes and of cache by itself, so a thousand of them
//! hold every mixture. The distributions are this file's own, and the rule assumes others: here a loop is quick or slow
//! as a whole, and its changes grow or shrink. What they have in common is that both are to agree with what is known
//! of real loops: two thirds of the gaps under five minutes, nearly all under an hour, three rounds in the mean. Start at
//! [`Draws::any_loop`]; [`Kinds`] draws loops of one kind alone, as they are met less often.

use super::world::SIZES;
use crate::cost::{CERTAIN, Coming, Round, Sizes};
use crate::prelude::*;

/// Numbers from a seed, the same on every machine.
pub(super) struct Draws(pub(super) u64);

/// How many of a hundred loops are of which kind. One of the paces: quick, ordinary, slow, anything; one of the lengths:
/// few rounds, some, many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kinds {
    pub(super) pace: [u64; 4],
    pub(super) length: [u64; 3],
    /// Whether a loop keeps its pace, or every gap has one of its own.
    pub(super) steady: bool,
}

/// As loops are met.
pub(super) const USUAL: Kinds = Kinds { pace: [60, 32, 5, 3], length: [30, 50, 20], steady: false };

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

    /// Which of several, by how many of a hundred are of it.
    fn one_of(&mut self, cases: &[u64]) -> usize {
        let drawn = self.below(cases.iter().sum());
        let up_to = |at: usize| cases[..=at].iter().sum::<u64>();
        (0..cases.len()).find(|at| drawn < up_to(*at)).unwrap()
    }

    /// A loop of one to six rounds.
    pub(super) fn any_loop(&mut self, kinds: &Kinds) -> Drawn {
        let (fewest, most) = [(1, 3), (2, 5), (4, 7)][self.one_of(&kinds.length)];
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

    /// Seconds between two rounds: of a quick loop, an ordinary one, a slow one, and one in which anything may be, from
    /// half a minute to a day, each power of two as likely.
    fn gap(&mut self, pace: usize) -> u64 {
        match pace {
            0 => self.between(20, 280),
            1 => self.between(100, 1_500),
            2 => self.between(1_000, 6_000),
            _ => {
                let power = self.below(12);
                self.between(30 << power, 60 << power)
            }
        }
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
