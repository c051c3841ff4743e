//! Estimates what a loop would have cost under other policies. All estimates use the same assumptions, so they can be
//! compared with each other and not with a bill.

use redraft_cost::cost::replay::{Assumed, Measured, ReplayMode, play};
use redraft_cost::cost::{Pace, Terms};
use redraft_documents::tokens::Ratios;
use redraft_facts::choice::Policy;
use redraft_facts::prelude::*;
use redraft_facts::usage::Usage;

/// A loop under one policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replayed {
    pub played: ReplayMode,
    pub usage: Usage,
}

impl Replayed {
    /// The name of the policy in the configuration.
    pub fn name(&self) -> &'static str {
        name(self.played)
    }
}

/// What a person could have chosen. The yardsticks that know the end, or that nobody can choose, are `replay`'s.
const CHOICES: [ReplayMode; 7] = [
    ReplayMode::Inline,
    ReplayMode::Lazy,
    ReplayMode::Seed,
    ReplayMode::Guarded,
    ReplayMode::Resume,
    ReplayMode::Digest,
    ReplayMode::Cost,
];

/// The loop under each policy that can be chosen, in a repository of this pace.
pub fn replayed(
    measured: &Measured,
    terms: &Terms,
    ratios: &Ratios,
    assumed: &Assumed,
    pace: &Pace,
) -> Vec<Replayed> {
    let usage = |played| play(played, measured, terms, ratios, assumed, pace).bill.usage(terms);
    CHOICES.into_iter().map(|played| Replayed { played, usage: usage(played) }).collect()
}

/// How a policy is played again.
pub fn played(policy: Policy) -> Option<ReplayMode> {
    CHOICES.into_iter().find(|played| name(*played) == policy.name())
}

/// `fresh` is the policy that always sends `lazy`.
fn name(played: ReplayMode) -> &'static str {
    if played == ReplayMode::Lazy { Policy::Fresh.name() } else { played.name() }
}
