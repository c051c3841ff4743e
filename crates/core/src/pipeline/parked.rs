//! Which usage limits hold a feature up, and until when.

use super::Pipeline;
use crate::review::{DispatchOrder, Loop};
use redraft_facts::event::{AfterFailure, Event};
use redraft_facts::ids::AgentName;
use redraft_facts::prelude::*;

impl Pipeline {
    /// Until when usage limits hold all of these up, whether or not that time has passed: then the first of them can be
    /// sent. None where one can be sent already. The agent of a role is the one it was last sent to; where it was sent to none, only a limit of every agent
    /// holds it up.
    pub fn parked_until_ms(&self, orders: &[&DispatchOrder]) -> Option<i64> {
        let all =
            || self.met.iter().map(|met| self.parked.get(&met.agent).copied()).collect::<Option<Vec<_>>>();
        let until = |order: &&DispatchOrder| match self.sent_to.get(&order.ticket.role) {
            Some(agent) => self.parked.get(agent).copied(),
            None => all()?.into_iter().min(),
        };
        orders.iter().map(until).collect::<Option<Vec<_>>>()?.into_iter().min()
    }
}

/// The agent that an event parks, and until when.
pub(super) fn parked(open: &Loop, event: &Event) -> Option<(AgentName, i64)> {
    let Event::Failed(fact) = event else { return None };
    let AfterFailure::ParkUntil(until_ms) = fact.now else { return None };
    let (_, flight) = open.flights().find(|(_, flight)| flight.started.ticket == fact.ticket)?;
    Some((flight.started.agent.clone(), until_ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::ids::Role;
    use redraft_facts::phase::Phase;
    use redraft_facts::ticket::{Purpose, Scope, Ticket, Unit};

    fn order(role: &str) -> DispatchOrder {
        let ticket = Ticket {
            scope: Scope::Repo,
            phase: Phase::Specify,
            pass: 1,
            unit: Unit::Whole,
            purpose: Purpose::Review,
            role: Role::new(role),
            round: 1,
            attempt: 1,
        };
        let (findings, allowed) = (Vec::new(), Vec::new());
        let (sees, since, conversation, needs, slot) = Default::default();
        DispatchOrder { ticket, sees, since, findings, allowed, conversation, needs, slot }
    }

    #[test]
    fn something_goes_on_when_the_first_limit_is_over() {
        let mut state = Pipeline::default();
        for (role, agent) in [("spec-reviewer", "a"), ("phase-reviewer", "b")] {
            state.sent_to.insert(Role::new(role), AgentName::new(agent));
        }
        let orders = [order("spec-reviewer"), order("phase-reviewer")];
        let orders: Vec<&DispatchOrder> = orders.iter().collect();
        state.parked.insert(AgentName::new("b"), 12);
        assert_eq!(state.parked_until_ms(&orders), None, "the other can be sent");
        state.parked.insert(AgentName::new("a"), 10);
        assert_eq!(state.parked_until_ms(&orders), Some(10));
    }
}
