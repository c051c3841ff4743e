//! Checks two rules of the original design about resumed prompts against what was sent.
//!
//! NFR1: a resumed prompt is shorter than the first one of its conversation. NFR3: five rounds, of which four are
//! resumed, send less than half of five fresh prompts. The design meant characters of prompts. A service is sent the
//! whole conversation again in every turn, so the rules are also checked for the tokens that were billed as input: all
//! of them, and those that were not read from the cache.

use super::{Dispatch, not_cached};
use redraft_facts::choice::Strategy;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_facts::usage::Usage;

/// The result of both rules for one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRules {
    pub role: Role,
    /// One for each measure in which something was resumed; none where nothing was.
    pub rules: Vec<MeasureOfRole>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Characters,
    Tokens,
    TokensNotCached,
}

impl Measure {
    pub const ALL: [Measure; 3] = [Measure::Characters, Measure::Tokens, Measure::TokensNotCached];

    pub fn name(self) -> &'static str {
        match self {
            Measure::Characters => "characters",
            Measure::Tokens => "tokens",
            Measure::TokensNotCached => "tokens not cached",
        }
    }

    fn measure(self, sent: &Sent) -> Option<u64> {
        match self {
            Measure::Characters => Some(sent.chars),
            Measure::Tokens => sent.usage.map(|usage| usage.input()),
            Measure::TokensNotCached => sent.usage.map(|usage| not_cached(&usage)),
        }
    }
}

/// One measure of one role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasureOfRole {
    pub measure: Measure,
    /// How many prompts were resumed, and how many of them were not shorter than their first.
    pub resumed: u32,
    pub longer: u32,
    /// The resumed prompt that came closest to its first one or exceeded it most, and that first one.
    pub worst: (u64, u64),
    /// Five rounds with four resumed prompts of the mean size, and with five fresh ones.
    pub five_resumed: u64,
    pub five_fresh: u64,
}

impl MeasureOfRole {
    /// NFR1.
    pub fn is_shorter(&self) -> bool {
        self.longer == 0
    }

    /// NFR3.
    pub fn is_under_half(&self) -> bool {
        self.five_resumed * 2 < self.five_fresh
    }
}

#[derive(Debug, Clone, Copy)]
struct Sent {
    chars: u64,
    usage: Option<Usage>,
}

/// Every role that was asked, in the order of its first dispatch.
pub fn rules<'a>(dispatches: impl Iterator<Item = &'a Dispatch>) -> Vec<RoleRules> {
    let mut first: BTreeMap<(Phase, u16, &Role), Sent> = BTreeMap::new();
    let mut pairs: Vec<(&Role, Vec<(Sent, Sent)>)> = Vec::new();
    // A repair or a certificate is not another round of a conversation, and an unanswered dispatch began none.
    let counts = |one: &&Dispatch| {
        let purpose = one.ticket.purpose;
        !matches!(purpose, Purpose::Repair | Purpose::Certify | Purpose::Probe)
            && !matches!(one.end, "failed" | "lost" | "under way" | "interrupted")
    };
    for one in dispatches.filter(counts) {
        let role = &one.ticket.role;
        let usage = one.billed().copied().filter(|usage| usage.input() > 0);
        let sent = Sent { chars: one.prompt_chars, usage };
        let index = pairs.iter().position(|(known, _)| *known == role).unwrap_or_else(|| {
            pairs.push((role, Vec::new()));
            pairs.len() - 1
        });
        let key = (one.ticket.phase, one.ticket.pass, role);
        match (one.strategy(), first.get(&key)) {
            (Strategy::Resume, Some(first)) => pairs[index].1.push((*first, sent)),
            (Strategy::Resume, None) => {}
            (Strategy::Inline | Strategy::Lazy | Strategy::Digest, _) => {
                first.insert(key, sent);
            }
        }
    }
    let of_role = |(role, pairs): (&Role, Vec<(Sent, Sent)>)| RoleRules {
        role: role.clone(),
        rules: Measure::ALL.into_iter().filter_map(|measure| rule(measure, &pairs)).collect(),
    };
    pairs.into_iter().map(of_role).collect()
}

fn rule(measure: Measure, pairs: &[(Sent, Sent)]) -> Option<MeasureOfRole> {
    let sizes = pairs
        .iter()
        .filter_map(|(first, resumed)| Some((measure.measure(first)?, measure.measure(resumed)?)));
    let sizes: Vec<(u64, u64)> = sizes.collect();
    let count = sizes.len() as u64;
    let mean = |sum: u64| sum.checked_div(count);
    let first = mean(sizes.iter().map(|(first, _)| first).sum())?;
    let resumed = mean(sizes.iter().map(|(_, resumed)| resumed).sum())?;
    // Compared crosswise: the larger share of its own first prompt.
    let share =
        |(first, resumed): &(u64, u64)| u128::from(*resumed) * 1_000_000 / u128::from((*first).max(1));
    let worst = sizes.iter().copied().max_by_key(share)?;
    Some(MeasureOfRole {
        measure,
        resumed: sizes.len() as u32,
        longer: sizes.iter().filter(|(first, resumed)| resumed >= first).count() as u32,
        worst: (worst.1, worst.0),
        five_resumed: first + 4 * resumed,
        five_fresh: 5 * first,
    })
}
