//! The lessons of earlier features that bear on one dispatch. `documents::bank` decides which do.

use super::LoopTexts;
use redraft_core::review::DispatchOrder;
use redraft_documents::bank::Query;
use redraft_facts::choice::Strategy;
use redraft_facts::ticket::Purpose;

/// The entries that a prompt tells.
#[derive(Default)]
pub(super) struct Lessons {
    /// As the prompt tells them, one line each.
    pub(super) lines: Vec<String>,
    pub(super) told: Vec<String>,
}

impl Lessons {
    /// For a role that drafts, revises, carries out a task or reviews, at the beginning of a conversation; a continued
    /// one has been told.
    pub(super) fn new(
        loop_texts: &LoopTexts,
        order: &DispatchOrder,
        purpose: Purpose,
        strategy: Strategy,
        about: impl FnOnce() -> Query,
    ) -> Lessons {
        let Some(index) = &loop_texts.bank else { return Lessons::default() };
        let learns = matches!(
            purpose,
            Purpose::Draft
                | Purpose::Revise
                | Purpose::Implement
                | Purpose::Review
                | Purpose::Validate
                | Purpose::Certify
        );
        // A certificate is never given in a continued conversation, whatever was asked for.
        let goes_on = strategy == Strategy::Resume && purpose != Purpose::Certify;
        if !learns || goes_on || order.ticket.purpose == Purpose::Repair {
            return Lessons::default();
        }
        let selected = index.select(&about());
        Lessons {
            told: selected.iter().map(|one| one.entry.full_name()).collect(),
            lines: selected.into_iter().map(|one| one.line).collect(),
        }
    }
}
