//! The trailers of our commits: who wrote and who approved what they hold.

use crate::ports::Trailers;
use redraft_core::attribution::RoleAttribution;
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::{Approval, PhaseClosed};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Ticket;

/// The trailers of a commit of ours that comes from no answer.
pub(crate) fn plain(state: &Pipeline) -> Trailers {
    Trailers { seq: state.seq, ..Trailers::default() }
}

/// The trailers of a commit that comes from an answer.
pub(crate) fn of_answer(state: &Pipeline, ticket: &Ticket) -> Trailers {
    let agents = state.players.played(ticket).map(ToString::to_string).into_iter().collect();
    Trailers { ticket: ticket.to_string(), seq: state.seq, agents, approved: Vec::new() }
}

/// Who approved what is closed, a line each.
pub(crate) fn approved(state: &Pipeline, closed: &PhaseClosed) -> Vec<String> {
    let line = |approval: &Approval| {
        let Approval { role, ticket, .. } = approval;
        format!("{role}{} by {}", state.players.mark_of_approval(ticket), state.players.shown(ticket))
    };
    closed.approvals.iter().map(line).collect()
}

/// Who wrote what a phase is about, each agent once.
pub(crate) fn writers(state: &Pipeline, phase: Phase) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in state.players.writers(phase).iter().map(RoleAttribution::shown) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
