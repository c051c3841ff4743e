//! The assumptions about a loop whose end nobody has seen. Every figure is one that docs/cost-model.md states. Earlier
//! loops of the repository correct how soon rounds follow each other ([`Pace`]); from the loop itself nothing is
//! learned but the size of its last change.

use super::pace::{CLASSES, Pace};
use super::plan::{ExpectedRounds, Likely};
use super::send::Round;
use super::terms::CERTAIN;

/// A first draft is rarely approved at once under a rule that admits no warnings. After that two of three rounds are
/// followed by another one: with a limit of five, 3.2 rounds a stage, of which real loops have 2.5 to 3.5.
const AGAIN: [u32; 2] = [9_000, 6_700];
/// How many gaps are under five minutes, half an hour, an hour, half a day, and longer. The first revision answers most
/// findings and takes longest; all in all about two thirds of real gaps are under 5 minutes and nearly all under an hour.
const GAPS: [[u32; CLASSES]; 2] = [[5_500, 3_600, 650, 50, 200], [7_000, 2_300, 450, 50, 200]];
/// A gap of each class, in seconds.
const TYPICAL_S: [u64; CLASSES] = [200, 15 * 60, 45 * 60, 4 * 60 * 60, 24 * 60 * 60];
/// The tokens of a delta for 100 of the artifact: the first revision is the largest, later ones are mostly details.
const DELTA_PERCENT: [u64; 2] = [40, 20];
/// The sections that are touched have more tokens than what changed in them.
const TOUCHED_PERCENT: u64 = 150;
/// Changes are uneven: many small ones, a few that rewrite much. In percent of the mean.
const CHANGES: [(u32, u32); 3] = [(30, 4_000), (90, 3_500), (225, 2_500)];
/// The limit of five rounds leaves four after the first; later ones weigh too little to change a choice.
const ROUNDS: u32 = 4;

const _: () = assert!(CHANGES[0].1 + CHANGES[1].1 + CHANGES[2].1 == CERTAIN);

impl ExpectedRounds {
    /// What is expected after a review that is the `seen`th of its loop, counted from 1, and has these sizes, in a
    /// repository of this pace. `rounds_left` is what the loop's limit leaves, where there is one.
    pub fn after_review(seen: u32, now: &Round, rounds_left: Option<u32>, pace: &Pace) -> ExpectedRounds {
        let revision = usize::from(seen > 1);
        let usual = |revision: usize| now.artifact * DELTA_PERCENT[revision] / 100;
        // The last change is as good a guess for the next one as the usual size.
        let delta = if revision == 0 { usual(0) } else { (usual(1) + now.delta) / 2 };
        ExpectedRounds {
            next: likely(revision, delta, now.artifact, pace),
            later: likely(1, if revision == 0 { usual(1) } else { delta }, now.artifact, pace),
            rounds: rounds_left.unwrap_or(ROUNDS).min(ROUNDS),
        }
    }
}

fn likely(revision: usize, delta: u64, artifact: u64, pace: &Pace) -> Likely {
    let touched = (delta * TOUCHED_PERCENT / 100).min(artifact);
    let gaps = pace.gaps(revision, &GAPS);
    Likely {
        cases: AGAIN[revision],
        gaps: TYPICAL_S.into_iter().zip(gaps).collect(),
        round: Round { artifact, delta, touched },
        changes: CHANGES.to_vec(),
    }
}
