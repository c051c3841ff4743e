//! Holds dispatches back while their agent's usage limit lasts.
//!
//! That an agent is parked, and until when, is a stored fact ([`Pipeline::parked`]); this compares it with the clock.
//! Only the agent that was parked is held back: another one that plays the role now may be sent to.

use crate::ending::EngineError;
use crate::ports::Agents;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::DispatchOrder;

/// The orders whose agents may be sent to, and from when on the first of the others can be sent to.
pub(crate) fn hold_back(
    orders: Vec<DispatchOrder>,
    state: &Pipeline,
    agents: &dyn Agents,
    now_ms: i64,
) -> Result<(Vec<DispatchOrder>, Option<i64>), EngineError> {
    let (mut free, mut parked) = (Vec::new(), None);
    for order in orders {
        let agent = agents.agent_for(&order.ticket.role).map_err(EngineError::Agent)?;
        match state.parked.get(&agent.name()).copied().filter(|until_ms| *until_ms > now_ms) {
            Some(until_ms) => parked = Some(parked.map_or(until_ms, |known: i64| known.min(until_ms))),
            None => free.push(order),
        }
    }
    Ok((free, parked))
}
