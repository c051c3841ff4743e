//! The expected cost of a dispatch, stored with its choice so that it can be compared with the bill.
//!
//! Every figure is an estimate by the cost model, made from what was known when the dispatch was started. Nothing is
//! ever billed or reserved on its basis. Start at [`Prediction`]; [`super::Choice`] carries it.

use super::{Cached, Content, Marks, Strategy};
use crate::prelude::*;
use crate::usage::{Usage, Usd};
use serde::{Deserialize, Serialize};

/// The way that was taken, what it and the others were expected to cost, and what that was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// The price card, by the first of its names.
    pub card: String,
    /// How often the agent's prompts reach the cache, in parts of ten thousand.
    pub hit_rate: u32,
    /// Seconds between the start of the role's last request and this one; none if no earlier one counts.
    pub since_s: Option<u64>,
    /// How long the agent was asked to keep each part of the prompt.
    pub marks: Marks,
    /// Tokens of the agent's own tools and system text that were assumed to come before the prompt.
    pub overhead: u64,
    /// Characters of the prompt by kind, in the order of [`Content::ALL`], so that bills can be compared with them.
    pub chars: [u64; Content::ALL.len()],
    /// Tokens and cost of the chosen way.
    pub usage: Usage,
    /// What is expected to be paid in the rounds after it.
    pub later: Usd,
    /// What the cache is expected to hold afterwards.
    pub leaves: Cached,
    /// The best way of each other strategy that was possible, cheapest first.
    pub alternatives: Vec<Predicted>,
}

/// A way that was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predicted {
    pub strategy: Strategy,
    pub usage: Usage,
    pub later: Usd,
}

impl Predicted {
    /// What it would have cost together with the rounds after it.
    pub fn total(&self) -> Usd {
        self.usage.cost + self.later
    }
}

impl Prediction {
    /// What the chosen way costs together with the rounds after it.
    pub fn total(&self) -> Usd {
        self.usage.cost + self.later
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::{CachedConversation, CachedPrefix, Choice, Lifetime};

    #[test]
    fn a_choice_is_read_as_it_was_stored_and_one_without_a_prediction_has_none() {
        let without = r#"{"strategy":"lazy","why":"policy fresh"}"#;
        assert_eq!(serde_json::from_str::<Choice>(without).unwrap().prediction, None);

        let entry = |lifetime: Lifetime| CachedPrefix { tokens: 4_096, lifetime, left_s: lifetime.seconds() };
        let usage = Usage { uncached: 1, written: 2, read: 3, output: 4, cost: Usd(5) };
        let prediction = Prediction {
            card: "claude-opus-5.5".to_owned(),
            hit_rate: 9_000,
            since_s: Some(240),
            marks: Marks { system: Some(Lifetime::Hour), stable: Some(Lifetime::FiveMinutes), tail: None },
            overhead: 3_500,
            chars: [10, 0, 0, 20, 0],
            usage,
            later: Usd(6),
            leaves: Cached {
                system: Some(entry(Lifetime::Hour)),
                stable: None,
                conversation: Some(CachedConversation {
                    began: Strategy::Inline,
                    tokens: 9_000,
                    tail: Some(entry(Lifetime::FiveMinutes)),
                    earlier: None,
                }),
            },
            alternatives: vec![Predicted { strategy: Strategy::Resume, usage, later: Usd(7) }],
        };
        assert_eq!((prediction.total(), prediction.alternatives[0].total()), (Usd(11), Usd(12)));
        let choice = Choice { strategy: Strategy::Inline, why: "w".to_owned(), prediction: Some(prediction) };
        let stored = serde_json::to_string(&choice).unwrap();
        assert!(stored.contains(r#""marks":{"system":"1h","stable":"5m","tail":null}"#), "{stored}");
        assert_eq!(serde_json::from_str::<Choice>(&stored).unwrap(), choice);
    }
}
