//! Chooses how a dispatch is sent: which strategy a policy picks.
//!
//! The machine orders a dispatch and says which strategies are allowed; [`choose`] picks one from facts the
//! engine collected, and says what it is expected to cost. It never decides whether a review takes place or what it
//! means. What a way costs is [`crate::cost`]'s business.

use crate::cost::{self, Alternative, Way};
use redraft_facts::choice::{Choice, Policy, Predicted, Prediction, Strategy};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

/// What the engine knows when it chooses.
#[derive(Debug, Clone, Copy)]
pub struct PolicyFacts<'a> {
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
    pub facts: cost::DecisionFacts<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResumedFacts {
    /// Characters of the whole resumed prompt.
    pub prompt_chars: u64,
    /// Characters of the conversation's first prompt.
    pub first_chars: u64,
    /// Characters of the first prompt and of every file it told the role to read.
    pub context_chars: u64,
    /// The same of the prompt that would begin a new conversation now.
    pub fresh_chars: u64,
}

/// Chooses among what is allowed, and predicts the cost of the choice wherever that can be computed. None where nothing
/// is allowed.
pub fn choose(facts: &PolicyFacts<'_>, allowed: &[Strategy]) -> Option<Choice> {
    let weighed = facts.priced.and_then(|priced| {
        let decision = cost::decide(&cost::DecisionFacts { allowed, ..priced.facts.clone() })?;
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
    /// The cost of a strategy that was chosen for other reasons, with the usual lifetimes.
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
fn by_rule(facts: &PolicyFacts<'_>, allowed: &[Strategy]) -> Option<Choice> {
    let preferred = preferred(facts, allowed);
    if allowed.contains(&preferred.strategy) {
        return Some(preferred);
    }
    let only = Strategy::ALL.into_iter().find(|strategy| allowed.contains(strategy))?;
    Some(Choice::new(only, format!("this turn is sent {} under every policy", only.name())))
}

/// What a rule would send if it could, which is `lazy` where it has no opinion.
fn preferred(facts: &PolicyFacts<'_>, allowed: &[Strategy]) -> Choice {
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
        Policy::Guarded => ("effective context", resumed.context_chars),
        // Without prices: whatever gives the role less to read.
        Policy::Cost => ("new conversation", resumed.fresh_chars),
    };
    if facts.purpose == Purpose::Validate {
        return resume("validation continues the conversation whatever the size of the delta".to_owned());
    }
    let ResumedFacts { prompt_chars, .. } = resumed;
    if facts.policy == Policy::Cost {
        return match prompt_chars > whole {
            true => lazy(format!("the delta prompt has {prompt_chars} characters, a {measure} {whole}")),
            false => resume(format!(
                "the delta prompt has {prompt_chars} characters, at most a {measure}'s {whole}"
            )),
        };
    }
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
