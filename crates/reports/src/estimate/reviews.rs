//! Estimates what reviews outside of any feature will cost, to show it before a person agrees to it.

use redraft_cost::price::Card;
use redraft_facts::usage::{Usage, Usd};

/// An estimate for English words and Markdown.
const CHARS_PER_TOKEN: u64 = 4;
/// What a reviewer says in one turn, its tool calls included.
const ANSWER_TOKENS: u64 = 3_000;
/// A reviewer that has tools looks something up: each such request repeats everything before it.
const REQUESTS: u64 = 2;

/// The cost of one turn whose prompt has this many characters, after a conversation of `earlier` characters.
pub fn review(card: &Card, overhead: u64, chars: u64, earlier: u64) -> Usd {
    let tokens = |chars: u64| chars.div_ceil(CHARS_PER_TOKEN);
    let (new, known) = (tokens(chars), overhead + tokens(earlier));
    // A conversation that goes on finds what was sent before; a new one pays for all of it once.
    let (read, written) = if earlier > 0 { (known, new) } else { (0, known + new) };
    let again = (known + new) * (REQUESTS - 1);
    let usage = Usage { read: read + again, written, output: ANSWER_TOKENS, ..Usage::default() };
    card.cost(&usage, known + new)
}
