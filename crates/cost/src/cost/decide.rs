//! The decision of policy `cost`: the way to send one review that is cheapest together with what it leaves behind.

use super::hindsight::{Coming, hindsight};
use super::plan::{Earlier, ExpectedRounds, PlanFacts, Tree, options_with};
use super::send::{ReviewBill, Round, Sent, Sizes, Way, send};
use super::terms::{Amount, Terms};
use redraft_facts::choice::{Cached, Strategy};
use redraft_facts::prelude::*;
use redraft_facts::usage::grouped;

/// Everything the decision depends on.
#[derive(Debug, Clone)]
pub struct DecisionFacts<'a> {
    pub terms: &'a Terms,
    pub sizes: &'a Sizes,
    /// What the cache holds now: the time since the last request has passed.
    pub cached: Cached,
    pub round: Round,
    /// What may be used for this review, and for later ones of the loop.
    pub allowed: &'a [Strategy],
    pub later: &'a [Strategy],
    pub ahead: &'a Ahead,
}

/// What comes after this review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ahead {
    Expected(ExpectedRounds),
    Known(Vec<Coming>),
}

/// What was chosen, and what else there was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrategyDecision {
    pub way: Way,
    /// What this review is predicted to be billed for.
    pub predicted: ReviewBill,
    pub sent: Sent,
    /// The best of each strategy that was possible, the chosen one first, then cheapest first.
    pub alternatives: Vec<Alternative>,
    /// The reason in plain words, with the numbers.
    pub why: String,
}

/// The cheapest way of one strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternative {
    pub way: Way,
    pub sent: Sent,
    /// What the rounds to come are expected to cost after it.
    pub later: Amount,
}

impl Alternative {
    pub fn total(&self) -> Amount {
        self.sent.bill.amount() + self.later
    }
}

/// Chooses; none where nothing allowed can be sent, because there is no conversation to continue.
pub fn decide(facts: &DecisionFacts<'_>) -> Option<StrategyDecision> {
    let setting = PlanFacts { terms: facts.terms, sizes: facts.sizes, later: facts.later };
    let earlier = match facts.ahead {
        Ahead::Expected(_) => Earlier::IsMarked,
        Ahead::Known(_) => Earlier::MayStayUnmarked,
    };
    let options = options_with(&setting, &facts.cached, &facts.round, facts.allowed, earlier);
    let mut weighed: Vec<Alternative> = match facts.ahead {
        Ahead::Expected(expected) => {
            let mut tree = Tree::new(setting, expected);
            let weigh = |(way, sent): (Way, Sent)| Alternative { way, sent, later: tree.after(&sent.cached) };
            options.into_iter().map(weigh).collect()
        }
        Ahead::Known(rounds) => {
            let later = |sent: &Sent| hindsight(&setting, sent.cached, facts.later, rounds).amount;
            let weigh = |(way, sent): (Way, Sent)| Alternative { way, sent, later: later(&sent) };
            options.into_iter().map(weigh).collect()
        }
    };
    // The way itself breaks ties, so that the same facts always give the same decision.
    weighed.sort_by_key(|one| (one.total(), one.way));
    let mut alternatives: Vec<Alternative> = Vec::new();
    for one in weighed {
        if alternatives.iter().all(|best| best.way.strategy != one.way.strategy) {
            alternatives.push(one);
        }
    }
    let chosen = *alternatives.first()?;
    Some(StrategyDecision {
        way: chosen.way,
        predicted: chosen.sent.bill,
        sent: chosen.sent,
        why: why(facts, &alternatives),
        alternatives,
    })
}

/// One way, with what is expected after it, whether or not it is the best; none where it cannot be taken.
pub fn weigh(facts: &DecisionFacts<'_>, way: Way) -> Option<Alternative> {
    let setting = PlanFacts { terms: facts.terms, sizes: facts.sizes, later: facts.later };
    let sent = send(facts.terms, facts.sizes, &facts.cached, &facts.round, way)?;
    let later = match facts.ahead {
        Ahead::Expected(expected) => Tree::new(setting, expected).after(&sent.cached),
        Ahead::Known(rounds) => hindsight(&setting, sent.cached, facts.later, rounds).amount,
    };
    Some(Alternative { way, sent, later })
}

fn why(facts: &DecisionFacts<'_>, alternatives: &[Alternative]) -> String {
    let Some((chosen, others)) = alternatives.split_first() else { return String::new() };
    let nothing_kept = facts.cached.is_empty();
    let told = |one: &Alternative| {
        let (name, usage) = (one.way.strategy.name(), one.sent.bill.usage(facts.terms));
        let (input, read) = (grouped(usage.input()), grouped(usage.read));
        let tokens = match (nothing_kept, usage.read) {
            (false, _) => format!("{input} tokens, {read} of them cached"),
            (true, 0) => format!("{input} tokens, none cached before"),
            // A call sends everything again that was said before it.
            (true, _) => {
                format!("{input} tokens, none cached before, {read} of them sent again by its own calls")
            }
        };
        if facts.terms.is_free() {
            return format!("{name} sends {tokens}");
        }
        let later = facts.terms.usd(one.later);
        format!("{name} costs {} now ({tokens}) and {later} in the rounds expected after it", usage.cost)
    };
    let mut text = told(chosen);
    for other in others {
        text.push_str("; ");
        text.push_str(&told(other));
    }
    if others.is_empty() {
        text.push_str("; nothing else is possible here");
    }
    text
}
