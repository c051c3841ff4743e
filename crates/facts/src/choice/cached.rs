//! The contents of a provider's cache for one role: which prompt beginnings it holds, and for how much longer.
//!
//! The times are relative, so that equal situations are equal values: an entry knows the seconds it has left, counted
//! from the start of the last request, and [`Cached::after`] lets time pass. An entry exists because a request marked
//! that place; nothing here knows prices.

use super::{Lifetime, Strategy};
use crate::usage::Usage;
use serde::{Deserialize, Serialize};

/// The entries that can matter to the next request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cached {
    /// Tools and system text: the beginning of every prompt.
    pub system: Option<CachedPrefix>,
    /// The same plus the upstream artifacts and the rubric: the beginning of every `inline` prompt.
    pub stable: Option<CachedPrefix>,
    pub conversation: Option<CachedConversation>,
}

/// How long each part of a prompt should be kept; none leaves its end unmarked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    pub system: Option<Lifetime>,
    /// Upstream artifacts and rubric, where they are part of the prompt.
    pub stable: Option<Lifetime>,
    /// The rest of the prompt, so that the conversation can go on from there.
    pub tail: Option<Lifetime>,
}

/// How far an estimate of tokens from characters may be off.
const ERROR_PERCENT: u64 = 25;

/// The role's last conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CachedConversation {
    /// How it began: never [`Strategy::Resume`].
    pub began: Strategy,
    /// Everything said so far, the last answer included.
    pub tokens: u64,
    /// The longest part of it that is kept.
    pub tail: Option<CachedPrefix>,
    /// A shorter part that is kept longer.
    pub earlier: Option<CachedPrefix>,
}

/// A beginning of a prompt that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CachedPrefix {
    pub tokens: u64,
    pub lifetime: Lifetime,
    /// What is left of its lifetime, counted from the start of the last request.
    pub left_s: u64,
}

impl Cached {
    /// The same after some seconds without a request.
    pub fn after(self, seconds: u64) -> Cached {
        let aged = |entry: Option<CachedPrefix>| entry.and_then(|entry| entry.after(seconds));
        let conversation = self.conversation.map(|conversation| CachedConversation {
            tail: aged(conversation.tail),
            earlier: aged(conversation.earlier),
            ..conversation
        });
        Cached { system: aged(self.system), stable: aged(self.stable), conversation }
    }

    /// The same after the text that is stable within a round was replaced, as happens to a change under review. No new
    /// prompt begins with the old text, but the conversation that began with it still does.
    pub fn renewed(self) -> Cached {
        let conversation = self.conversation.map(|one| match (one.tail, self.stable) {
            _ if one.began != Strategy::Inline => one,
            (None, stable) => CachedConversation { tail: stable, ..one },
            (Some(tail), Some(stable)) if stable.left_s > tail.left_s => {
                let longest = one.earlier.filter(|earlier| earlier.left_s > stable.left_s);
                CachedConversation { earlier: longest.or(Some(stable)), ..one }
            }
            (Some(_), _) => one,
        });
        Cached { stable: None, conversation, ..self }
    }

    /// The same once the bill is known. The answer has as many tokens as were billed for it. Input billed far beyond
    /// the prediction became part of the transcript; input that was merely read again proves nothing, and a smaller
    /// difference is the estimate's own error, which all other sizes share. A bill of zero does not count as one.
    pub fn billed(self, predicted: &Usage, billed: &Usage) -> Cached {
        if billed.input() == 0 {
            return self;
        }
        let new = |usage: &Usage| {
            usage.uncached.saturating_add(usage.written).saturating_add(usage.read.min(predicted.read))
        };
        let (told, found) = (new(predicted), new(billed));
        let error = told.saturating_mul(ERROR_PERCENT) / 100;
        let more = found.checked_sub(told).filter(|more| *more > error).unwrap_or(0);
        let conversation = self.conversation.map(|one| {
            let input = one.tokens.saturating_sub(predicted.output).saturating_add(more);
            let tail = one.tail.map(|tail| CachedPrefix { tokens: tail.tokens.saturating_add(more), ..tail });
            CachedConversation { tokens: input.saturating_add(billed.output), tail, ..one }
        });
        Cached { conversation, ..self }
    }

    /// Whether no beginning of any prompt is kept.
    pub fn is_empty(&self) -> bool {
        let talk = self.conversation.is_none_or(|one| one.tail.is_none() && one.earlier.is_none());
        self.system.is_none() && self.stable.is_none() && talk
    }

    /// The same in a world where nothing is kept.
    pub fn forgotten(self) -> Cached {
        self.after(u64::MAX)
    }
}

impl CachedPrefix {
    fn after(self, seconds: u64) -> Option<CachedPrefix> {
        let left_s = self.left_s.saturating_sub(seconds);
        (left_s > 0).then_some(CachedPrefix { left_s, ..self })
    }

    /// A use restarts the lifetime but never lengthens it.
    pub fn used(self) -> CachedPrefix {
        CachedPrefix { left_s: self.lifetime.seconds(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_keeps_what_new_prompts_no_longer_begin_with() {
        let entry =
            |tokens: u64, left_s: u64| Some(CachedPrefix { tokens, lifetime: Lifetime::Hour, left_s });
        let talk = |began, tail, earlier| CachedConversation { began, tokens: 900, tail, earlier };
        let (stable, system) = (entry(800, 3_000), entry(100, 3_000));
        use Strategy::{Inline, Lazy};
        for (before, after) in [
            // Only the part that stays the same was marked.
            (talk(Inline, None, None), talk(Inline, stable, None)),
            // The whole was, but not for as long.
            (talk(Inline, entry(850, 200), None), talk(Inline, entry(850, 200), stable)),
            (talk(Inline, entry(850, 200), entry(300, 400)), talk(Inline, entry(850, 200), stable)),
            (
                talk(Inline, entry(850, 200), entry(300, 3_500)),
                talk(Inline, entry(850, 200), entry(300, 3_500)),
            ),
            // The whole was marked for as long, as by agents that mark everything alike.
            (talk(Inline, entry(850, 3_000), None), talk(Inline, entry(850, 3_000), None)),
            // A conversation that began otherwise does not hold it.
            (talk(Lazy, None, None), talk(Lazy, None, None)),
        ] {
            let cached = Cached { system, stable, conversation: Some(before) };
            let renewed = Cached { system, stable: None, conversation: Some(after) };
            assert_eq!(cached.renewed(), renewed, "{before:?}");
        }
        let none = Cached { system, stable, conversation: None };
        assert_eq!(none.renewed(), Cached { system, stable: None, conversation: None });
    }
}
