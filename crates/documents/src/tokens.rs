//! Estimates how many tokens a text has from its characters.
//!
//! Only money depends on it: [`Ratios`] begins with what vendors' tokenizers were measured at and moves towards what
//! was really billed ([`Ratios::calibrated`]), and bills win wherever they are known. What a prompt holds never depends
//! on it, so that the same prompt is the same bytes next year. Start at [`Ratios`].

mod fit;
mod kinds;
#[cfg(test)]
mod tests;

pub use kinds::kinds;
use redraft_facts::choice::Content;

use serde::{Deserialize, Serialize};

/// Characters of each kind, in the order of [`Content::ALL`].
pub type Chars = [u64; Content::ALL.len()];

/// Models that count tokens alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Claude from Opus 4.7, Sonnet 5, Haiku 5 and Fable on.
    NewerClaude,
    OlderClaude,
    /// Nothing was measured; taken to count like the older Claude models.
    Other,
}

impl Family {
    /// The family of a model, by its name.
    pub fn for_model(model: &str) -> Family {
        let name = model.to_lowercase().replace('.', "-");
        let Some((_, claude)) = name.split_once("claude-") else { return Family::Other };
        let mut words = claude.split(['-', '[', '@']);
        let (line, numbers) = (words.next().unwrap_or(""), words);
        // A number of more than two digits is a date.
        let mut numbers = numbers.map_while(|word| word.parse::<u32>().ok().filter(|number| *number < 100));
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let newer_from = match line {
            "opus" => (4, 7),
            "sonnet" | "haiku" => (5, 0),
            "fable" => (0, 0),
            _ => (u32::MAX, 0),
        };
        if version >= newer_from { Family::NewerClaude } else { Family::OlderClaude }
    }
}

/// Characters per token, in tenths, as measured between August and October 2026.
const fn tenths(family: Family, content: Content) -> u64 {
    match (family, content) {
        (Family::NewerClaude, Content::Markdown) => 25,
        (Family::NewerClaude, Content::Prose) => 29,
        (Family::NewerClaude, Content::Code) => 28,
        (Family::NewerClaude, Content::Diff) => 23,
        (Family::NewerClaude, Content::Json) => 24,
        (Family::OlderClaude | Family::Other, Content::Markdown) => 36,
        (Family::OlderClaude | Family::Other, Content::Prose) => 41,
        (Family::OlderClaude | Family::Other, Content::Code) => 33,
        (Family::OlderClaude | Family::Other, Content::Diff | Content::Json) => 31,
    }
}

/// How many tokens a million characters of each kind have, for one family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratios {
    per_million: [u64; Content::ALL.len()],
}

/// Input that was billed: what it consisted of, and the tokens on the bill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Billed {
    pub chars: Chars,
    /// Tokens of the input, cached or not, with what the agent's own program added.
    pub tokens: u64,
}

impl Billed {
    pub fn with(mut self, content: Content, chars: u64) -> Billed {
        self.chars[content as usize] += chars;
        self
    }
}

impl Ratios {
    /// What is assumed before anything was billed.
    pub fn measured(family: Family) -> Ratios {
        Ratios { per_million: Content::ALL.map(|content| 10_000_000 / tenths(family, content)) }
    }

    pub fn tokens(&self, chars: u64, content: Content) -> u64 {
        let exact = u128::from(chars) * u128::from(self.per_million[content as usize]);
        u64::try_from(exact.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }

    /// The tokens of a text of several kinds.
    pub fn all_tokens(&self, chars: &Chars) -> u64 {
        Content::ALL.iter().map(|content| self.tokens(chars[*content as usize], *content)).sum()
    }

    /// These ratios, and what the agent adds to every prompt, moved towards its bills ([`fit`]).
    pub fn calibrated(self, overhead: u64, bills: &[Billed]) -> (Ratios, u64) {
        fit::fit(self, overhead, bills)
    }
}
