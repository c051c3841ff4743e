//! What a provider's cache holds for one role: which beginnings of its prompts, and for how much longer.
//!
//! The times are relative, so that equal situations are equal values: an entry knows the seconds it has left, counted
//! from the start of the last request, and [`Cached::after`] lets time pass. An entry exists because a request marked
//! that place; nothing here knows prices.

use crate::policy::Strategy;
use crate::price::Lifetime;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};

/// The entries that can matter to the next request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cached {
    /// Tools and system text: the beginning of every prompt.
    pub system: Option<Entry>,
    /// These with the upstream artifacts and the rubric: the beginning of every `inline` prompt.
    pub stable: Option<Entry>,
    pub conversation: Option<Conversation>,
}

/// By so much an estimate of tokens from characters may be off.
const ERROR_PERCENT: u64 = 25;

/// A cache to look up by.
pub(super) type Key = [u64; 4];

/// The role's last conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    /// How it began: never [`Strategy::Resume`].
    pub began: Strategy,
    /// Everything said so far, the last answer included.
    pub tokens: u64,
    /// The longest part of it that is kept.
    pub tail: Option<Entry>,
    /// A shorter part that is kept longer.
    pub earlier: Option<Entry>,
}

/// A beginning of a prompt that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub tokens: u64,
    pub lifetime: Lifetime,
    /// What is left of its lifetime, counted from the start of the last request.
    pub left_s: u64,
}

impl Cached {
    /// The same after some seconds without a request.
    pub fn after(self, seconds: u64) -> Cached {
        let aged = |entry: Option<Entry>| entry.and_then(|entry| entry.after(seconds));
        let conversation = self.conversation.map(|conversation| Conversation {
            tail: aged(conversation.tail),
            earlier: aged(conversation.earlier),
            ..conversation
        });
        Cached { system: aged(self.system), stable: aged(self.stable), conversation }
    }

    /// The same after the bill is known. The answer has as many tokens as were billed for it. Input that was billed far
    /// beyond the prediction became part of the transcript; what was merely read again says nothing, and a smaller
    /// difference is the estimate's own error, which all other sizes share. A bill of nothing is none.
    pub fn billed(self, predicted: &Usage, billed: &Usage) -> Cached {
        if billed.input() == 0 {
            return self;
        }
        let new = |usage: &Usage| usage.uncached + usage.written + usage.read.min(predicted.read);
        let (told, found) = (new(predicted), new(billed));
        let error = told.saturating_mul(ERROR_PERCENT) / 100;
        let more = found.checked_sub(told).filter(|more| *more > error).unwrap_or(0);
        let conversation = self.conversation.map(|one| {
            let input = one.tokens.saturating_sub(predicted.output).saturating_add(more);
            let tail = one.tail.map(|tail| Entry { tokens: tail.tokens.saturating_add(more), ..tail });
            Conversation { tokens: input.saturating_add(billed.output), tail, ..one }
        });
        Cached { conversation, ..self }
    }

    /// The cache in few numbers that are quick to compare, for looking ahead. Within one plan the sizes of the first
    /// two entries never change.
    pub(super) fn key(&self, ahead: u32) -> Key {
        const NONE: Entry = Entry { tokens: 0, lifetime: Lifetime::FiveMinutes, left_s: 0 };
        let (tail, earlier) = self.conversation.map_or((None, None), |one| (one.tail, one.earlier));
        let entries = [self.system, self.stable, tail, earlier].map(|entry| entry.unwrap_or(NONE));
        let [left, lifetimes] = entries.iter().fold([0, 0], |[left, lifetimes], entry| {
            // The longest lifetime has fewer seconds than 16 bits hold.
            [left << 16 | entry.left_s & 0xffff, lifetimes << 2 | entry.lifetime as u64]
        });
        let began = self.conversation.map_or(7, |one| one.began as u64);
        let tokens = self.conversation.map_or(0, |one| one.tokens);
        let [_, _, tail, earlier] = entries.map(|entry| entry.tokens.min(u64::from(u32::MAX)));
        [left, tokens << 16 | lifetimes << 3 | began, tail << 32 | earlier, u64::from(ahead)]
    }

    /// Whether no beginning of any prompt is kept.
    pub(super) fn is_empty(&self) -> bool {
        let talk = self.conversation.is_none_or(|one| one.tail.is_none() && one.earlier.is_none());
        self.system.is_none() && self.stable.is_none() && talk
    }

    /// The same in a world where nothing is kept.
    pub(super) fn forgotten(self) -> Cached {
        self.after(u64::MAX)
    }
}

impl Entry {
    fn after(self, seconds: u64) -> Option<Entry> {
        let left_s = self.left_s.saturating_sub(seconds);
        (left_s > 0).then_some(Entry { left_s, ..self })
    }

    /// A use counts the lifetime anew; it never makes it longer.
    pub(super) fn used(self) -> Entry {
        Entry { left_s: self.lifetime.seconds(), ..self }
    }
}
