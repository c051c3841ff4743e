//! What a feature is likely to cost, for the question that is asked before the first paid dispatch.
//!
//! A plain estimate from stated numbers, not a promise and not a limit: a budget holds because the dearest outcome is
//! reserved, never because of this. Nothing is decided by it. Start at [`of`].

use crate::prelude::*;
use crate::price::Card;
use crate::profile::Kind;
use crate::usage::{Usage, Usd, grouped};

/// Review rounds until a document is approved.
const ROUNDS: u64 = 3;
/// A phase reviewer comes in when the domain review is over, and once more if its own finding is mended.
const HANDOFFS: u64 = 2;
/// The rules, the role, the document, the files it opens, and what a program adds of its own.
const CONTEXT_TOKENS: u64 = 20_000;
/// What a later round adds to a conversation.
const CHANGE_TOKENS: u64 = 3_000;
/// Requests of one dispatch: each tool call is followed by one that repeats everything.
const REQUESTS: u64 = 3;
const ANSWER_TOKENS: u64 = 3_000;

/// What one role is likely to cost in a loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    pub dispatches: u64,
    pub cost: Usd,
}

/// A role of this kind in one loop, played by a model with this card: a first dispatch that writes everything to the
/// cache, and later ones that read it there.
pub fn of(kind: Kind, card: &Card) -> Estimate {
    let dispatches = match kind {
        Kind::Author | Kind::Domain => ROUNDS,
        Kind::Phase => HANDOFFS,
    };
    let first = Usage {
        written: CONTEXT_TOKENS,
        read: CONTEXT_TOKENS * (REQUESTS - 1),
        output: ANSWER_TOKENS,
        ..Usage::default()
    };
    let later = Usage {
        written: CHANGE_TOKENS,
        read: CONTEXT_TOKENS * REQUESTS,
        output: ANSWER_TOKENS,
        ..Usage::default()
    };
    let mut sum = first;
    for _ in 1..dispatches {
        sum += later;
    }
    Estimate { dispatches, cost: card.cost(&sum, CONTEXT_TOKENS + CHANGE_TOKENS) }
}

/// The numbers behind it, in a sentence.
pub fn assumptions() -> String {
    format!(
        "an estimate for a loop of {ROUNDS} rounds in each phase: dispatches of about {} tokens in {REQUESTS} requests, with answers of \
         {} tokens, and a cache that is still warm when a role returns",
        grouped(CONTEXT_TOKENS),
        grouped(ANSWER_TOKENS)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price::Cards;

    #[test]
    fn an_estimate_is_the_sum_of_its_dispatches_at_the_prices_of_the_card() {
        let cards = Cards::builtin();
        let sonnet = cards.find("claude-sonnet-4.5").unwrap();
        // First: 20,000 written at 3.75, 40,000 read at 0.30, 3,000 out at 15 dollars a million; the later ones
        // 3,000 written, 60,000 read, 3,000 out.
        let (first, later) = (75_000 + 12_000 + 45_000, 11_250 + 18_000 + 45_000);
        assert_eq!(of(Kind::Author, sonnet), Estimate { dispatches: 3, cost: Usd(first + 2 * later) });
        assert_eq!(of(Kind::Domain, sonnet), of(Kind::Author, sonnet));
        assert_eq!(of(Kind::Phase, sonnet), Estimate { dispatches: 2, cost: Usd(first + later) });
        assert_eq!(of(Kind::Author, cards.find("local").unwrap()).cost, Usd(0));
        assert!(
            assumptions().starts_with("an estimate for a loop of 3 rounds in each phase"),
            "{}",
            assumptions()
        );
    }
}
