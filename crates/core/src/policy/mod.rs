//! How a dispatch is sent: which strategies exist and which one a policy chooses.
//!
//! The machine orders a dispatch and says which strategies are allowed; [`choose`] picks one from facts the
//! engine collected, and says what it is expected to cost. It never decides whether a review takes place or what it
//! means. What a way costs is [`crate::cost`]'s business.

mod prediction;

use crate::cost::{self, Alternative, Way};
use crate::ids::BadId;
use crate::prelude::*;
use crate::ticket::Purpose;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

pub use prediction::{Predicted, Prediction};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// A fresh conversation; upstream artifacts in the prompt, behind cache boundaries.
    Inline,
    /// A fresh conversation; upstream artifacts as paths the agent must read.
    Lazy,
    /// A fresh conversation; only what changed, what is open, and the sections these touch.
    Digest,
    /// The same conversation; only what changed.
    Resume,
}

impl Strategy {
    pub const ALL: [Strategy; 4] = [Strategy::Inline, Strategy::Lazy, Strategy::Digest, Strategy::Resume];

    pub fn name(self) -> &'static str {
        match self {
            Strategy::Inline => "inline",
            Strategy::Lazy => "lazy",
            Strategy::Digest => "digest",
            Strategy::Resume => "resume",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The rule of the original design: resume while the resumed prompt has at most half the characters of the
    /// role's first prompt.
    Seed,
    /// The same rule against the effective context: the first prompt and every file it told the role to read.
    Guarded,
    /// Always a fresh conversation.
    Fresh,
    /// Fresh first, then always resumed.
    Resume,
    /// Always a fresh conversation that is sent the upstream artifacts.
    Inline,
    /// A fresh conversation each time, whose reviewers are shown only changes and what they touch once the role has
    /// seen the whole document.
    Digest,
    /// Whatever is expected to cost least, this dispatch and the rounds after it together.
    Cost,
}

impl Policy {
    pub const ALL: [Policy; 7] = [
        Policy::Cost,
        Policy::Seed,
        Policy::Guarded,
        Policy::Fresh,
        Policy::Resume,
        Policy::Inline,
        Policy::Digest,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Policy::Seed => "seed",
            Policy::Guarded => "guarded",
            Policy::Fresh => "fresh",
            Policy::Resume => "resume",
            Policy::Inline => "inline",
            Policy::Digest => "digest",
            Policy::Cost => "cost",
        }
    }
}

impl FromStr for Policy {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        Policy::ALL
            .into_iter()
            .find(|policy| policy.name() == word)
            .ok_or_else(|| BadId::new(word, "a policy (cost, seed, guarded, fresh, resume, inline, digest)"))
    }
}

/// What a reviewer must know when it looks again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Knowledge {
    /// Everything, in the prompt or in its conversation.
    #[default]
    Full,
    /// What changed and what stands around it is enough, between the first review and the certificate.
    Scoped,
}

impl Knowledge {
    pub const ALL: [Knowledge; 2] = [Knowledge::Full, Knowledge::Scoped];

    pub fn name(self) -> &'static str {
        match self {
            Knowledge::Full => "full",
            Knowledge::Scoped => "scoped",
        }
    }
}

impl FromStr for Knowledge {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        Knowledge::ALL
            .into_iter()
            .find(|knowledge| knowledge.name() == word)
            .ok_or_else(|| BadId::new(word, "what a reviewer must know (full, scoped)"))
    }
}

/// What the engine knows when it chooses.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    pub policy: Policy,
    pub purpose: Purpose,
    /// Whether a resumed prompt can be built at all: session, ability and delta are there.
    pub resumed: Option<ResumedFacts>,
    /// What the costs are computed from; none where nothing is known about them.
    pub priced: Option<&'a Priced<'a>>,
}

/// What a prediction is made from.
#[derive(Debug, Clone)]
pub struct Priced<'a> {
    /// The price card, by the first of its names.
    pub card: &'a str,
    /// Seconds since the role's last request to this agent began.
    pub since_s: Option<u64>,
    /// Tokens of the agent's own tools and system text.
    pub overhead: u64,
    pub facts: cost::Facts<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResumedFacts {
    /// Characters of the whole resumed prompt.
    pub prompt_chars: u64,
    /// Characters of the conversation's first prompt.
    pub first_chars: u64,
    /// Characters of the first prompt and of every file it told the role to read.
    pub context_chars: u64,
}

/// The stored choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    pub strategy: Strategy,
    pub why: String,
    /// What it was expected to cost; none where the agent's prices are not known at all.
    pub prediction: Option<Prediction>,
}

impl Choice {
    /// A choice nobody has predicted the cost of.
    pub fn new(strategy: Strategy, why: impl Into<String>) -> Choice {
        Choice { strategy, why: why.into(), prediction: None }
    }
}

/// Chooses among what is allowed, and predicts what was chosen wherever that can be computed. None where nothing is
/// allowed.
pub fn choose(facts: &Facts<'_>, allowed: &[Strategy]) -> Option<Choice> {
    let weighed = facts.priced.and_then(|priced| {
        let decision = cost::decide(&cost::Facts { allowed, ..priced.facts.clone() })?;
        Some((priced, decision))
    });
    let Some((priced, decision)) = weighed else { return by_rule(facts, allowed) };
    if facts.policy == Policy::Cost {
        let mut alternatives = decision.alternatives;
        let chosen = alternatives.remove(0);
        let why = format!("{}{}", decision.why, since(priced.since_s));
        let prediction = Some(priced.prediction(&chosen, &alternatives));
        return Some(Choice { strategy: chosen.way.strategy, why, prediction });
    }
    let mut choice = by_rule(facts, allowed)?;
    choice.prediction = priced.predict(choice.strategy, &decision.alternatives);
    Some(choice)
}

impl Priced<'_> {
    /// What a strategy costs that was chosen for other reasons, asking for the usual lifetimes.
    pub fn predict(&self, strategy: Strategy, best: &[Alternative]) -> Option<Prediction> {
        let marks = self.facts.terms.usual(strategy, &self.facts.cached);
        let taken = cost::weigh(&self.facts, Way { strategy, marks })?;
        let others: Vec<Alternative> =
            best.iter().filter(|one| one.way.strategy != strategy).copied().collect();
        Some(self.prediction(&taken, &others))
    }

    fn prediction(&self, taken: &Alternative, others: &[Alternative]) -> Prediction {
        let terms = self.facts.terms;
        let told = |one: &Alternative| Predicted {
            strategy: one.way.strategy,
            usage: one.sent.bill.usage(terms),
            later: terms.usd(one.later),
        };
        Prediction {
            card: self.card.to_owned(),
            hit_rate: terms.hit_rate(),
            since_s: self.since_s,
            marks: taken.way.marks,
            overhead: self.overhead,
            chars: Default::default(),
            usage: taken.sent.bill.usage(terms),
            later: terms.usd(taken.later),
            leaves: taken.sent.cached,
            alternatives: others.iter().map(told).collect(),
        }
    }
}

fn since(seconds: Option<u64>) -> String {
    seconds.map(|seconds| format!("; the last request began {seconds} s before")).unwrap_or_default()
}

/// The rules that look at characters, or at nothing. Some turns can be sent in one way only, whatever a rule prefers.
fn by_rule(facts: &Facts<'_>, allowed: &[Strategy]) -> Option<Choice> {
    let preferred = preferred(facts, allowed);
    if allowed.contains(&preferred.strategy) {
        return Some(preferred);
    }
    let only = Strategy::ALL.into_iter().find(|strategy| allowed.contains(strategy))?;
    Some(Choice::new(only, format!("this turn is sent {} under every policy", only.name())))
}

/// What a rule would send if it could, which is `lazy` where it has no opinion.
fn preferred(facts: &Facts<'_>, allowed: &[Strategy]) -> Choice {
    let lazy = |why: String| Choice::new(Strategy::Lazy, why);
    let resume = |why: String| Choice::new(Strategy::Resume, why);
    let wanted = match facts.policy {
        Policy::Inline => Some(Strategy::Inline),
        Policy::Digest => Some(Strategy::Digest),
        Policy::Seed | Policy::Guarded | Policy::Fresh | Policy::Resume | Policy::Cost => None,
    };
    if let Some(strategy) = wanted.filter(|strategy| allowed.contains(strategy)) {
        return Choice::new(strategy, format!("policy {}", facts.policy.name()));
    }
    if !allowed.contains(&Strategy::Resume) {
        return lazy("no earlier conversation may be continued".to_owned());
    }
    let Some(resumed) = facts.resumed else {
        return lazy("the earlier conversation cannot be continued with a delta".to_owned());
    };
    if !allowed.contains(&Strategy::Lazy) {
        return resume("this turn only makes sense in the same conversation".to_owned());
    }
    let (measure, whole) = match facts.policy {
        Policy::Fresh => return lazy("policy fresh".to_owned()),
        Policy::Inline | Policy::Digest => {
            return lazy(format!("policy {}, which has no use for this turn", facts.policy.name()));
        }
        Policy::Resume => return resume("policy resume".to_owned()),
        Policy::Seed => ("first prompt", resumed.first_chars),
        // Without prices the nearest rule that needs none.
        Policy::Guarded | Policy::Cost => ("effective context", resumed.context_chars),
    };
    if facts.purpose == Purpose::Validate {
        return resume("validation continues the conversation whatever the size of the delta".to_owned());
    }
    let ResumedFacts { prompt_chars, .. } = resumed;
    // Strictly more than half falls back, so exactly half is still resumed.
    if prompt_chars * 2 > whole {
        lazy(format!(
            "the delta prompt has {prompt_chars} characters, more than half of the {measure}'s {whole}"
        ))
    } else {
        resume(format!(
            "the delta prompt has {prompt_chars} characters, at most half of the {measure}'s {whole}"
        ))
    }
}

#[cfg(test)]
mod tests;
