//! Estimates what a probe will cost, to show it before a person agrees to it.

use redraft_cost::price::Card;
use redraft_facts::usage::{Usage, Usd};
use redraft_prompts::probe::ProbeFiles;
use redraft_prompts::prompt::{self, ProbeTurn};

/// An estimate for English words and numbers.
const CHARS_PER_TOKEN: u64 = 4;
/// What an agent says in one turn, its tool calls included.
const ANSWER_TOKENS: u64 = 600;

/// The cost where the cache works. `frame_tokens` is what the agent sends around our own words.
pub fn probe(card: &Card, frame_tokens: u64) -> Usd {
    let tokens = |chars: u64| chars.div_ceil(CHARS_PER_TOKEN);
    let prompt = frame_tokens + tokens(prompt::probe(ProbeTurn::Read).chars());
    let file = tokens(ProbeFiles::new("").before.chars().count() as u64);
    // The first turn is two requests: one that asks for the file, one that has it. Each later turn is one request,
    // and every request finds all that was sent before it.
    let requests = [prompt, file + ANSWER_TOKENS, ANSWER_TOKENS, ANSWER_TOKENS];
    let (mut usage, mut sent) = (Usage::default(), 0);
    for new in requests {
        usage += Usage { read: sent, written: new, output: ANSWER_TOKENS, ..Usage::default() };
        sent += new;
    }
    card.cost(&usage, sent)
}
