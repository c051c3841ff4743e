//! Explains why a continued conversation was hardly read from the provider's cache, by comparing what was sent.

use super::transcript::{Done, Transcript};
use super::wire::Counted;
use redraft_cost::price::Card;
use redraft_facts::choice::Lifetime;
use redraft_facts::usage::grouped;

/// The first request of a turn that continues a conversation.
pub(super) struct Continued<'a> {
    pub(super) earlier: &'a Done,
    pub(super) now: &'a Transcript,
    pub(super) asked_ms: i64,
    pub(super) counted: &'a Counted,
}

impl Continued<'_> {
    /// Says why only a small part was read from the cache, if that is so and was not to be expected.
    pub(super) fn missed(&self, card: &Card) -> Option<String> {
        const SHARE_PERCENT: u64 = 80;
        let Continued { earlier, now, asked_ms, counted } = *self;
        let before = earlier.prompt_tokens;
        // Where the vendor decides, the lifetime is unknown; this is the shortest there is.
        let lifetime = earlier.lifetime.unwrap_or(Lifetime::FiveMinutes);
        let passed_ms = asked_ms.saturating_sub(earlier.asked_ms).max(0) as u64;
        let is_too_small = card.minimum.tokens.is_some_and(|minimum| before < minimum);
        if passed_ms >= lifetime.seconds() * 1000
            || is_too_small
            || counted.read.saturating_mul(100) >= before.saturating_mul(SHARE_PERCENT)
        {
            return None;
        }
        let parts = now.parts();
        let differs = earlier.parts.iter().enumerate().find(|(at, part)| parts.get(*at) != Some(part));
        let why = match differs {
            Some((at, _)) => format!("{} differs from what was sent before", part_name(at)),
            None => format!(
                "all {} parts sent before are unchanged, so the provider dropped them",
                earlier.parts.len()
            ),
        };
        let (read, before) = (grouped(counted.read), grouped(before));
        Some(format!("only {read} of {before} tokens were read from the cache: {why}"))
    }
}

/// The parts of a request in the order of [`Transcript::parts`].
fn part_name(at: usize) -> String {
    match at {
        0 => "the tool set".to_owned(),
        1 => "the system text".to_owned(),
        2 => "the answer form".to_owned(),
        _ => format!("message {}", at - 2),
    }
}
