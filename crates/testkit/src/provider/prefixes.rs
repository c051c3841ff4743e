//! Models the OpenAI prompt cache, by the rule of the model: the older ones reuse any common beginning, without
//! breakpoints and free of charge; the newer ones reuse what an earlier request ended with, and bill what they write.
//!
//! Pure bookkeeping on a clock it is told. Instead of old prompts it keeps a hash for each place where one may end.

use super::cache::Charge;
use super::prompt::tokens;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::time::Duration;

#[derive(Default)]
pub(super) struct PrefixCache {
    /// By model and prefix, with the time until which it is kept.
    entries: HashMap<(String, u64), Duration>,
}

/// The shortest cached beginning and the steps beyond it, in tokens.
const MINIMUM: u64 = 1_024;
const STEP: u64 = 128;
const CHARS_PER_STEP: usize = STEP as usize * 4;
/// Starts over with every request that uses the entry.
const LIFETIME: Duration = Duration::from_secs(300);
const NEWER_LIFETIME: Duration = Duration::from_secs(1_800);

/// Whether the model has the newer rule: GPT-5.6 and everything after it.
pub(super) fn bills_writes(model: &str) -> bool {
    let Some(version) = model.strip_prefix("gpt-") else { return false };
    let version = version.split('-').next().unwrap_or_default();
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    let (Ok(major), Ok(minor)) = (major.parse::<u32>(), minor.parse::<u32>()) else { return false };
    (major, minor) >= (5, 6)
}

impl PrefixCache {
    /// Charges a request that started at this time, and remembers its prompt.
    pub(super) fn bill(&mut self, model: &str, items: &[String], started: Duration) -> Charge {
        match bills_writes(model) {
            true => self.bill_items(model, items, started),
            false => self.bill_steps(model, &items.join("\n"), started),
        }
    }

    /// The older rule: in steps, as far as two prompts are alike.
    fn bill_steps(&mut self, model: &str, prompt: &str, started: Duration) -> Charge {
        let total = tokens(prompt.chars().count() as u64);
        let mut read = 0;
        for (at, hash) in steps(prompt).enumerate() {
            let end = (at as u64 + 1) * STEP;
            if end < MINIMUM {
                continue;
            }
            let until = self.entries.entry((model.to_owned(), hash)).or_default();
            if *until > started {
                read = end;
            }
            *until = started + LIFETIME;
        }
        Charge { uncached: total - read, read, ..Charge::default() }
    }

    /// The newer rule: the end of the newest item is a breakpoint, at which everything is written that was not read,
    /// and an earlier breakpoint is found only where it was, never a shorter beginning of it.
    fn bill_items(&mut self, model: &str, items: &[String], started: Duration) -> Charge {
        let ends = ends(items);
        let total = ends.last().map_or(0, |(_, total)| *total);
        if total < MINIMUM {
            return Charge { uncached: total, ..Charge::default() };
        }
        let mut read = 0;
        for (hash, end) in &ends {
            if let Some(until) =
                self.entries.get_mut(&(model.to_owned(), *hash)).filter(|until| **until > started)
            {
                read = *end;
                *until = started + NEWER_LIFETIME;
            }
        }
        let newest = ends.last().map(|(hash, _)| (model.to_owned(), *hash));
        self.entries.extend(newest.map(|newest| (newest, started + NEWER_LIFETIME)));
        Charge { written_30m: total - read, read, ..Charge::default() }
    }
}

/// A hash of the prompt up to the end of each item, with the tokens up to there.
fn ends(items: &[String]) -> Vec<(u64, u64)> {
    let mut hasher = DefaultHasher::new();
    let mut chars = 0;
    let end = |item: &String| {
        // The length keeps two neighbours from being taken for one longer item.
        hasher.write_usize(item.len());
        hasher.write(item.as_bytes());
        chars += item.chars().count() as u64;
        (hasher.finish(), tokens(chars))
    };
    items.iter().map(end).collect()
}

/// A hash of the prompt up to the end of each whole step.
fn steps(prompt: &str) -> impl Iterator<Item = u64> {
    let mut hasher = DefaultHasher::new();
    let mut buffer = [0; 4];
    prompt.chars().enumerate().filter_map(move |(at, char)| {
        hasher.write(char.encode_utf8(&mut buffer).as_bytes());
        (at + 1).is_multiple_of(CHARS_PER_STEP).then(|| hasher.finish())
    })
}
