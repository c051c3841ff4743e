//! Models the Anthropic prompt cache: which part of a prompt is read, written or neither.
//!
//! Pure bookkeeping on a clock it is told; it knows neither sockets nor answers. Start at
//! [`PromptCache::bill`].

use super::prompt::{Block, Blocks, Lifetime, Run, tokens};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::time::Duration;

/// What one request is charged for, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Charge {
    pub uncached: u64,
    pub written_5m: u64,
    pub written_1h: u64,
    /// By OpenAI's newer models only.
    pub written_30m: u64,
    pub read: u64,
}

impl Charge {
    pub(super) fn input(&self) -> u64 {
        self.uncached + self.written_5m + self.written_1h + self.written_30m + self.read
    }
}

pub(super) struct PromptCache {
    minimum: u64,
    /// By model and prefix.
    entries: HashMap<(String, u64), Entry>,
}

struct Entry {
    lifetime: Lifetime,
    until: Duration,
}

/// A prompt's prefix that ends with one block.
struct Prefix {
    hash: u64,
    tokens: u64,
    /// Its position for the lookback; a run of tool calls or results shares one place.
    place: usize,
}

/// How many places one breakpoint looks at, its own included.
const LOOKBACK: usize = 20;

impl PromptCache {
    pub(super) fn new(minimum: u64) -> PromptCache {
        PromptCache { minimum, entries: HashMap::new() }
    }

    /// Charges a request that started at this time, and remembers what it wrote.
    ///
    /// It is called when the response begins, because only then can others read the new entries; their
    /// lifetime still counts from the start of the request.
    pub(super) fn bill(&mut self, model: &str, prompt: &Blocks, started: Duration) -> Charge {
        let prefixes = prefixes(prompt);
        let breakpoints = self.breakpoints(&prompt.blocks, &prefixes);
        let hits = breakpoints.iter().filter_map(|(at, _)| self.look_back(model, &prefixes[..=*at], started));
        let hit = hits.max();
        // A hit uses everything before it, so shorter entries on the way are refreshed as well.
        for prefix in hit.map_or(&prefixes[..0], |hit| &prefixes[..=hit]) {
            self.refresh(model, prefix.hash, started);
        }
        for (at, lifetime) in &breakpoints {
            self.write(model, prefixes[*at].hash, *lifetime, started);
        }
        let total = prefixes.last().map_or(0, |prefix| prefix.tokens);
        let read = hit.map_or(0, |hit| prefixes[hit].tokens);
        let end = |wanted: &[Lifetime]| {
            let ends = breakpoints.iter().filter(|(_, lifetime)| wanted.contains(lifetime));
            ends.map(|(at, _)| prefixes[*at].tokens).max().unwrap_or(0)
        };
        let hour = end(&[Lifetime::Hour1]).max(read);
        let both = end(&[Lifetime::Hour1, Lifetime::Minutes5]).max(read);
        Charge {
            uncached: total - both,
            written_5m: both - hour,
            written_1h: hour - read,
            written_30m: 0,
            read,
        }
    }

    /// The breakpoints whose prefix is large enough to be cached at all.
    fn breakpoints(&self, blocks: &[Block], prefixes: &[Prefix]) -> Vec<(usize, Lifetime)> {
        let marked = blocks.iter().enumerate().filter_map(|(at, block)| Some((at, block.breakpoint?)));
        marked.filter(|(at, _)| prefixes[*at].tokens >= self.minimum).collect()
    }

    /// The longest cached prefix within the lookback of the last of these.
    fn look_back(&self, model: &str, prefixes: &[Prefix], started: Duration) -> Option<usize> {
        let last = prefixes.last()?.place;
        let near = |at: &usize| last - prefixes[*at].place < LOOKBACK;
        let mut candidates = (0..prefixes.len()).rev().take_while(near);
        candidates.find(|at| self.is_alive(model, prefixes[*at].hash, started))
    }

    fn is_alive(&self, model: &str, hash: u64, started: Duration) -> bool {
        self.entries.get(&(model.to_owned(), hash)).is_some_and(|entry| entry.until > started)
    }

    fn refresh(&mut self, model: &str, hash: u64, started: Duration) {
        if let Some(entry) = self.entries.get_mut(&(model.to_owned(), hash))
            && entry.until > started
        {
            entry.until = entry.until.max(started + entry.lifetime.duration());
        }
    }

    /// A living entry keeps its own lifetime: a hit refreshes it and never lengthens it.
    fn write(&mut self, model: &str, hash: u64, lifetime: Lifetime, started: Duration) {
        if !self.is_alive(model, hash, started) {
            let until = started + lifetime.duration();
            self.entries.insert((model.to_owned(), hash), Entry { lifetime, until });
        }
    }
}

fn prefixes(prompt: &Blocks) -> Vec<Prefix> {
    let mut hasher = DefaultHasher::new();
    let (mut chars, mut place, mut before) = (0, 0, Run::None);
    let mut prefixes = Vec::with_capacity(prompt.blocks.len());
    for (at, block) in prompt.blocks.iter().enumerate() {
        if at == prompt.before_messages {
            feed(&mut hasher, &prompt.message_settings);
        }
        feed(&mut hasher, &block.bytes);
        chars += block.chars;
        if at > 0 && (block.run == Run::None || block.run != before) {
            place += 1;
        }
        before = block.run;
        prefixes.push(Prefix { hash: hasher.finish(), tokens: tokens(chars), place });
    }
    prefixes
}

/// The length keeps two neighbours from being taken for one longer block.
fn feed(hasher: &mut DefaultHasher, text: &str) {
    hasher.write_usize(text.len());
    hasher.write(text.as_bytes());
}
