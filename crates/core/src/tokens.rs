//! How many tokens a text has, estimated from its characters.
//!
//! Only money is decided by it: [`Ratios`] begins with what vendors' tokenizers were measured at and is drawn towards what
//! was really billed ([`Ratios::calibrated`]), and bills win wherever they are known. What a prompt holds never depends
//! on it, so that the same prompt is the same bytes next year. Start at [`Ratios`].

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

/// What a text consists of; denser kinds have fewer characters a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Markdown,
    Prose,
    Code,
    Diff,
    Json,
}

impl Content {
    pub const ALL: [Content; 5] =
        [Content::Markdown, Content::Prose, Content::Code, Content::Diff, Content::Json];
}

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
    pub fn of(model: &str) -> Family {
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

/// Characters a token, in tenths, as measured between August and October 2026.
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
    /// Characters of each kind, in the order of [`Content::ALL`].
    pub chars: [u64; Content::ALL.len()],
    /// Tokens of the input, cached or not, without what the agent's own program added.
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

    /// The tokens of a text of several kinds, whose characters stand in the order of [`Content::ALL`].
    pub fn all_tokens(&self, chars: &[u64; Content::ALL.len()]) -> u64 {
        Content::ALL.iter().map(|content| self.tokens(chars[*content as usize], *content)).sum()
    }

    /// These ratios drawn towards bills of the same family.
    ///
    /// A bill is one number for several kinds, so it is first shared out in proportion to what each kind is taken to
    /// have, then each kind moves to its share, and that is repeated until the kinds are told apart as far as the
    /// bills tell them apart. The assumption weighs as much as [`ASSUMED_TOKENS`] billed tokens of each kind, so that
    /// a few short prompts change little and a kind that was never billed keeps its ratio.
    pub fn calibrated(self, bills: &[Billed]) -> Ratios {
        let mut now = self;
        for _ in 0..ROUNDS {
            now = now.moved(&self, bills);
        }
        now
    }

    fn moved(&self, assumed: &Ratios, bills: &[Billed]) -> Ratios {
        let mut share = [0_u128; Content::ALL.len()];
        let mut chars = [0_u128; Content::ALL.len()];
        for bill in bills {
            let counted = Content::ALL.map(|content| u128::from(bill.chars[content as usize]));
            let weights = Content::ALL
                .map(|content| counted[content as usize] * u128::from(self.per_million[content as usize]));
            let all: u128 = weights.iter().sum();
            // A bill without characters of ours says nothing about them, and neither does one of nothing.
            if all == 0 || bill.tokens == 0 {
                continue;
            }
            for (at, weight) in weights.into_iter().enumerate() {
                share[at] += u128::from(bill.tokens) * weight / all;
                chars[at] += counted[at];
            }
        }
        let mut per_million = assumed.per_million;
        for (at, ratio) in per_million.iter_mut().enumerate() {
            let assumed_chars = u128::from(ASSUMED_TOKENS) * 1_000_000 / u128::from(*ratio);
            let exact =
                (share[at] + u128::from(ASSUMED_TOKENS)) * 1_000_000 / (chars[at] + assumed_chars).max(1);
            // No tokenizer needs more than four tokens for a character; a wilder bill counts something else.
            *ratio = u64::try_from(exact).unwrap_or(RATIO_MAX).clamp(1, RATIO_MAX);
        }
        Ratios { per_million }
    }
}

/// What the assumption weighs against bills, in tokens of each kind: about three prompts with their artifacts.
pub const ASSUMED_TOKENS: u64 = 50_000;
/// Enough for kinds that occur in different mixtures to settle within a percent.
const ROUNDS: usize = 60;
const RATIO_MAX: u64 = 4_000_000;
