//! What was written in each phase, revision by revision.

use super::work;
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionView {
    pub seq: u64,
    pub at_ms: i64,
    pub phase: Phase,
    pub pass: u16,
    pub revision: Revision,
    /// A role, or a person's name.
    pub by: String,
    /// How it came to be: `draft 1`, `revise 2`, `implement task 1.2`, `edited`.
    pub what: String,
}

/// All of them in order. What left everything as it was is no new revision.
pub fn revisions(entries: &[Entry]) -> Vec<RevisionView> {
    let mut all: Vec<RevisionView> = Vec::new();
    let mut open: Option<(Phase, u16)> = None;
    for entry in entries {
        let (revision, by, what) = match &entry.event {
            Event::LoopOpened(opened) => {
                open = Some((opened.phase, opened.pass));
                continue;
            }
            Event::Drafted(fact) => {
                let Some(revision) = &fact.revision else { continue };
                (revision, fact.ticket.role.to_string(), work(&fact.ticket))
            }
            Event::Built(fact) => (&fact.revision, fact.ticket.role.to_string(), work(&fact.ticket)),
            Event::Edited(fact) => {
                let what = if fact.first { "handed in" } else { "edited" };
                (&fact.revision, one_line(&fact.by, 80), what.to_owned())
            }
            _ => continue,
        };
        let Some((phase, pass)) = open else { continue };
        let before = all.iter().rev().find(|one| one.phase == phase);
        if before.is_some_and(|one| one.revision == *revision) {
            continue;
        }
        let revision = revision.clone();
        all.push(RevisionView { seq: entry.seq, at_ms: entry.at_ms, phase, pass, revision, by, what });
    }
    all
}
