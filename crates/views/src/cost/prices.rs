//! Finds the price card that each agent is billed by, from today's `redraft.toml`.

use redraft_agents::config::{AgentConfig, Config};
use redraft_agents::pull::HOST;
use redraft_cost::price::{Card, Cards, PriceBasis};
use redraft_facts::ids::AgentName;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::{agent_registry, own_state, trust};

/// The agents of the configuration with their cards.
pub(super) struct Prices {
    config: Result<(Config, Cards), String>,
}

/// What is known about an agent's prices.
pub(super) enum Price {
    /// The built-in agent without a model.
    Rehearsal(Card),
    /// A model whose tokens cost nothing.
    Free {
        model: String,
        card: Card,
    },
    Listed {
        model: String,
        card: Card,
    },
    /// `price = "unknown"`: bills are the most that could have been charged, not what was.
    Assumed,
    /// A host, which never reports what it used.
    Untold,
    /// There is no card, and why.
    Missing(String),
}

/// The card for comparing tokens that cost nothing.
const LOCAL: &str = "local";

impl Prices {
    pub(super) fn load(repo: &RepositoryContext, process: &ProcessContext) -> Prices {
        let config = repo.config(process).map_err(|error| error.message);
        Prices { config: config.map(|config| (config.clone(), config.cards())) }
    }

    /// Why there are no prices at all.
    pub(super) fn note(&self) -> Option<String> {
        let why = self.config.as_ref().err()?;
        Some(format!("nothing was replayed, because the configuration cannot be read: {why}"))
    }

    /// Which prices of the file do not count.
    pub(super) fn unused(&self) -> Option<String> {
        trust::unused_prices(&self.config.as_ref().ok()?.0)
    }

    pub(super) fn price(&self, agent: &AgentName) -> Price {
        let (config, cards) = match &self.config {
            Ok(both) => both,
            Err(why) => return Price::Missing(why.clone()),
        };
        if let Some(want) = config.unaccepted_of(agent).first() {
            return Price::Missing(format!("nobody has accepted {}; {}", want.line(), own_state::ACCEPT));
        }
        match config.agents.get(agent) {
            Some(AgentConfig::Pull) => Price::Untold,
            None if agent.as_str() == HOST => Price::Untold,
            None => Price::Missing(format!("redraft.toml no longer has an agent `{agent}`")),
            Some(AgentConfig::Rehearsal { .. }) => match cards.find(LOCAL) {
                Ok(card) => Price::Rehearsal(card.clone()),
                Err(unknown) => Price::Missing(unknown.to_string()),
            },
            Some(AgentConfig::Model(model)) => match agent_registry::card(cards, model) {
                Err(why) => Price::Missing(why),
                Ok(card) if card.basis == PriceBasis::Unknown => Price::Assumed,
                Ok(card) if card.is_free() => Price::Free { model: model.model.clone(), card },
                Ok(card) => Price::Listed { model: model.model.clone(), card },
            },
        }
    }
}

impl Price {
    /// The card to replay by, and the model whose tokens are counted.
    pub(super) fn card(&self) -> Option<(&str, &Card)> {
        match self {
            Price::Rehearsal(card) => Some((LOCAL, card)),
            Price::Free { model, card } | Price::Listed { model, card } => Some((model, card)),
            Price::Assumed | Price::Untold | Price::Missing(_) => None,
        }
    }

    /// What a reader must know about this agent's columns.
    pub(super) fn note(&self, agent: &AgentName) -> Option<String> {
        match self {
            Price::Rehearsal(_) => Some(format!(
                "{agent} is the built-in rehearsal agent: it has no model and costs no money. Its tokens are a \
                    third of its characters, an earlier conversation counts as read from a cache, and its dollars \
                    come from its scenario, 0 without one. No savings in money are shown for it."
            )),
            Price::Free { model, .. } => Some(format!(
                "{agent} ({model}) costs no money: its tokens cost time, and no savings in money are shown for it."
            )),
            Price::Listed { .. } => None,
            Price::Assumed => Some(format!(
                "{agent} has the price `unknown`: its dollars are the most it can have cost, not what was charged, \
                    and no savings are claimed."
            )),
            Price::Untold => Some(format!(
                "{agent} is a host that fetches its work: only the host knows what it used and cost."
            )),
            Price::Missing(why) => Some(format!("{agent}: no prices to replay with: {why}")),
        }
    }
}
