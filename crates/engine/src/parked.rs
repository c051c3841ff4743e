//! Holds dispatches back while their agent's usage limit lasts.
//!
//! That an agent is parked, and until when, is a stored fact ([`Pipeline::parked`]); this compares it with the clock. Only
//! the agent that was parked is held: another one that plays the role now may be sent to.
//!
//! [`Pipeline::parked`]: redraft_core::pipeline::Pipeline::parked

use crate::driver::{EngineError, Run};
use redraft_core::review::Order;

impl Run<'_> {
    /// Sends also to agents whose limit is said to last, and takes back what is out with hosts: a person knows better.
    pub fn send_now(&mut self) {
        self.sends_now = true;
    }

    /// The orders whose agents may be sent to, and until when the last of the others is parked.
    pub(crate) fn hold_back(&self, orders: Vec<Order>) -> Result<(Vec<Order>, Option<i64>), EngineError> {
        let now_ms = self.parts.clock.now_ms();
        let (mut free, mut parked) = (Vec::new(), None);
        for order in orders {
            let agent = self.parts.agents.agent_for(&order.ticket.role).map_err(EngineError::Agent)?;
            let until_ms = self.journal.state().parked.get(&agent.name()).copied();
            match until_ms.filter(|until_ms| *until_ms > now_ms && !self.sends_now) {
                Some(until_ms) => parked = parked.max(Some(until_ms)),
                None => free.push(order),
            }
        }
        Ok((free, parked))
    }
}
