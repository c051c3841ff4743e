//! Warns, over several features, where the ways of sending do not work as they are meant to.
//!
//! [`warnings`] compares the tallies of finished features with [`Thresholds`]. Nothing here knows money, and nothing is
//! decided here: a person gets a warning, with a remedy.

#[cfg(test)]
mod tests;

use redraft_core::tally::Tally;
use redraft_facts::prelude::*;
use redraft_facts::text;
use serde::Serialize;

/// The limits beyond which a person is warned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Thresholds {
    /// How many finished features there must be before anything is reported.
    pub features: u16,
    /// More than this percentage of resumed dispatches fell back to a fresh conversation.
    pub fallbacks_percent: u8,
    /// More than this percentage of re-reviews tripped the guard.
    pub guard_trips_percent: u8,
    /// More than this percentage of fresh lazy dispatches did not open what they were told to read.
    pub unconfirmed_percent: u8,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds { features: 3, fallbacks_percent: 20, guard_trips_percent: 50, unconfirmed_percent: 20 }
    }
}

/// Only the latest finished features count, so that a remedy shows.
pub const FEATURES_MAX: usize = 20;

/// Something that happens too often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// `resume-fallbacks`, `guard-trips` or `unconfirmed-reads`.
    pub what: &'static str,
    pub count: u32,
    pub of: u32,
    pub percent: u32,
    pub threshold_percent: u8,
    /// How many finished features were counted.
    pub features: usize,
    /// The same in words.
    pub text: String,
    pub remedy: &'static str,
}

/// What happens too often in finished features, the latest last.
pub fn warnings(finished: &[Tally], thresholds: &Thresholds) -> Vec<Warning> {
    if finished.is_empty() || finished.len() < usize::from(thresholds.features) {
        return Vec::new();
    }
    let latest = &finished[finished.len().saturating_sub(FEATURES_MAX)..];
    let mut sum = Tally::default();
    for tally in latest {
        sum.add(tally);
    }
    let rates = [
        Rate {
            what: "resume-fallbacks",
            counted: (sum.fallbacks, sum.resumes),
            most: thresholds.fallbacks_percent,
            words: "resumed dispatches had to be sent again to a fresh conversation",
            remedy: "look at the agent with `redraft doctor`; `policy = \"inline\"` under [review] in redraft.toml \
                     never resumes",
        },
        Rate {
            what: "guard-trips",
            counted: (sum.guard_trips, sum.re_reviews),
            most: thresholds.guard_trips_percent,
            words: "re-reviews were sent to a fresh conversation because the change was too large",
            remedy: "`policy = \"cost\"` under [review] in redraft.toml has no guard: it weighs every review by what it \
                     costs",
        },
        Rate {
            what: "unconfirmed-reads",
            counted: (sum.unconfirmed, sum.lazy),
            most: thresholds.unconfirmed_percent,
            words: "fresh dispatches did not open every file they were told to read",
            remedy: "`policy = \"inline\"` under [review] in redraft.toml puts the files into the prompt; another \
                     model may read them",
        },
    ];
    rates.iter().filter_map(|rate| rate.warning(latest.len())).collect()
}

struct Rate {
    what: &'static str,
    /// The count, and the total it is out of.
    counted: (u32, u32),
    most: u8,
    words: &'static str,
    remedy: &'static str,
}

impl Rate {
    fn warning(&self, features: usize) -> Option<Warning> {
        let (count, of) = self.counted;
        if u64::from(count) * 100 <= u64::from(self.most) * u64::from(of) {
            return None;
        }
        let percent = (u64::from(count) * 100).div_ceil(u64::from(of).max(1)) as u32;
        let (most, words) = (self.most, self.words);
        let latest = text::count(features, "finished feature");
        let text = format!("{count} of {of} {words} ({percent} %, more than {most} %) in the last {latest}");
        let (what, remedy) = (self.what, self.remedy);
        Some(Warning { what, count, of, percent, threshold_percent: most, features, text, remedy })
    }
}
