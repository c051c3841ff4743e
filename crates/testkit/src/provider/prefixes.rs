//! The OpenAI prompt cache: any common beginning of two prompts is read again, without breakpoints.
//!
//! Pure bookkeeping on a clock it is told. Instead of old prompts it keeps a hash for each step of them.

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
/// Counted anew from every request that uses the entry.
const LIFETIME: Duration = Duration::from_secs(300);

impl PrefixCache {
    /// The tokens of the prompt and how many of them were cached; remembers the prompt.
    pub(super) fn bill(&mut self, model: &str, prompt: &str, started: Duration) -> (u64, u64) {
        let total = tokens(prompt.chars().count() as u64);
        let mut cached = 0;
        for (at, hash) in steps(prompt).enumerate() {
            let end = (at as u64 + 1) * STEP;
            if end < MINIMUM {
                continue;
            }
            let until = self.entries.entry((model.to_owned(), hash)).or_default();
            if *until > started {
                cached = end;
            }
            *until = started + LIFETIME;
        }
        (total, cached)
    }
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
