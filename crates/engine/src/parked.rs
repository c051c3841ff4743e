//! Holds dispatches back while their agent's usage limit lasts.
//!
//! That an agent is parked, and until when, is a stored fact ([`Pipeline::parked`]); this compares it with the clock.
//! Only the agent that was parked is held back: another one that plays the role now may be sent to. What the run of one
//! feature has found out about an agent, those of others in the same process know as well ([`AgentLimits`]).

use crate::ending::EngineError;
use crate::ports::Agents;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::DispatchOrder;
use redraft_facts::ids::AgentName;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Until when agents are parked, as the runs of several features have found out. Nothing of it is stored with a feature that
/// was not told so itself.
#[derive(Debug, Default)]
pub struct AgentLimits(Mutex<BTreeMap<AgentName, i64>>);

impl AgentLimits {
    pub fn shared() -> Arc<AgentLimits> {
        Arc::default()
    }

    /// Adds what one feature knows, and returns what all know.
    pub(crate) fn with(&self, own: &BTreeMap<AgentName, i64>) -> BTreeMap<AgentName, i64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (agent, until_ms) in own {
            let known = all.entry(agent.clone()).or_insert(*until_ms);
            *known = (*known).max(*until_ms);
        }
        all.clone()
    }
}

/// The orders whose agents may be sent to, and from when on the first of the others can be sent to.
pub(crate) fn hold_back(
    orders: Vec<DispatchOrder>,
    state: &Pipeline,
    limits: Option<&AgentLimits>,
    agents: &dyn Agents,
    now_ms: i64,
) -> Result<(Vec<DispatchOrder>, Option<i64>), EngineError> {
    let known = limits.map(|limits| limits.with(&state.parked));
    let known = known.as_ref().unwrap_or(&state.parked);
    let (mut free, mut parked) = (Vec::new(), None);
    for order in orders {
        let agent = agents.agent_for(&order.ticket.role).map_err(EngineError::Agent)?;
        match known.get(&agent.name()).copied().filter(|until_ms| *until_ms > now_ms) {
            Some(until_ms) => parked = Some(parked.map_or(until_ms, |known: i64| known.min(until_ms))),
            None => free.push(order),
        }
    }
    Ok((free, parked))
}
