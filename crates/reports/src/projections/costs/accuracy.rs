//! Compares an agent's predictions with its bills.

use super::not_cached;
use alloc::collections::VecDeque;
use redraft_facts::event::Event;
use redraft_facts::ids::AgentName;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Usage, Usd};

/// How many of an agent's latest dispatches count: enough for a steady ratio; prices and prompts of long ago say
/// nothing about today's.
const PAIRS_MAX: usize = 500;

/// Predictions and bills of every agent, from the events of all features in their order.
#[derive(Debug, Clone, Default)]
pub struct Accuracies {
    flights: BTreeMap<Ticket, (AgentName, Usage)>,
    /// The dispatch, what was predicted of it, and its bill.
    pairs: BTreeMap<AgentName, VecDeque<(Ticket, Usage, Usage)>>,
}

/// The predictions for an agent's dispatches and their bills, added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accuracy {
    pub dispatches: usize,
    /// In dollars; in tokens that are not read from the cache where nothing costs money or the predictions do not use
    /// the prices it is billed at.
    pub money: bool,
    pub predicted: u64,
    pub billed: u64,
}

impl Accuracies {
    /// Kinds of events that change something here; a reader may leave out all others.
    pub const KINDS: [&str; 5] = ["started", "answered", "failed", "lost", "cost-corrected"];

    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Started(fact) => {
                if let Some(prediction) = &fact.choice.prediction {
                    let flight = (fact.agent.clone(), prediction.usage);
                    self.flights.insert(fact.ticket.clone(), flight);
                }
            }
            Event::Answered(fact) => {
                let Some((agent, predicted)) = self.flights.remove(&fact.ticket) else { return };
                if fact.usage.input() == 0 {
                    return;
                }
                let pairs = self.pairs.entry(agent).or_default();
                pairs.push_back((fact.ticket.clone(), predicted, fact.usage));
                if pairs.len() > PAIRS_MAX {
                    pairs.pop_front();
                }
            }
            // What its service reported was wrong, so it says nothing either.
            Event::CostCorrected(fact) => {
                for pairs in self.pairs.values_mut() {
                    pairs.retain(|(ticket, ..)| *ticket != fact.ticket);
                }
            }
            // A dispatch that failed or was lost half way says nothing about a prediction of the whole.
            Event::Failed(fact) => {
                self.flights.remove(&fact.ticket);
            }
            Event::Lost(fact) => {
                self.flights.remove(&fact.ticket);
            }
            _ => {}
        }
    }

    /// None where nothing of the agent was both predicted and billed.
    pub fn for_agent(&self, agent: &AgentName) -> Option<Accuracy> {
        let pairs = self.pairs.get(agent).filter(|pairs| !pairs.is_empty())?;
        let any = |cost: fn(&(Ticket, Usage, Usage)) -> Usd| pairs.iter().any(|pair| cost(pair) > Usd(0));
        let money = any(|(_, _, billed)| billed.cost) && any(|(_, predicted, _)| predicted.cost);
        let amount = |sum: u64, usage: &Usage| {
            sum.saturating_add(if money { usage.cost.0 } else { not_cached(usage) })
        };
        Some(Accuracy {
            dispatches: pairs.len(),
            money,
            predicted: pairs.iter().fold(0, |sum, (_, predicted, _)| amount(sum, predicted)),
            billed: pairs.iter().fold(0, |sum, (_, _, billed)| amount(sum, billed)),
        })
    }
}

impl Accuracy {
    /// What was predicted, in hundredths of the bill; none where the bill was nothing.
    pub fn percent(&self) -> Option<u64> {
        percent(self.predicted, self.billed)
    }
}

pub(super) fn percent(part: u64, whole: u64) -> Option<u64> {
    let exact = u128::from(part) * 100 + u128::from(whole / 2);
    exact.checked_div(u128::from(whole)).map(|percent| u64::try_from(percent).unwrap_or(u64::MAX))
}
