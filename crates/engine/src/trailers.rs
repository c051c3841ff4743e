//! What commits say of who wrote and who approved what they hold.

use crate::driver::Run;
use crate::ports::Trailers;
use redraft_core::event::{Approval, PhaseClosed};
use redraft_core::phase::Phase;
use redraft_core::players::PlayedBy;
use redraft_core::ticket::Ticket;

impl Run<'_> {
    /// What a commit of an answer is marked with.
    pub(crate) fn trailers_of(&self, ticket: &Ticket) -> Trailers {
        let agents =
            self.journal.state().players.played(ticket).map(ToString::to_string).into_iter().collect();
        Trailers { ticket: ticket.to_string(), seq: self.journal.state().seq, agents, approved: Vec::new() }
    }

    /// Who approved what is closed, a line each.
    pub(crate) fn approved(&self, closed: &PhaseClosed) -> Vec<String> {
        let line = |approval: &Approval| {
            format!("{} by {}", approval.role, self.journal.state().players.shown(&approval.ticket))
        };
        closed.approvals.iter().map(line).collect()
    }

    /// Who wrote what a phase is about, each agent once.
    pub(crate) fn writers(&self, phase: Phase) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.journal.state().players.writers(phase).iter().map(PlayedBy::shown) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}
