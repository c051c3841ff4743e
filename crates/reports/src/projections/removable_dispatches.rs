//! Finds the dispatches whose files are no longer needed.

use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::Role;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Ticket;

/// The dispatches of closed phases whose files in `runs/` can go: those whose answers are stored here, and failed
/// or lost ones, except each role's last, which a person may want to look into. Everything of an open phase stays.
pub fn removable_dispatches(entries: &[Entry]) -> Vec<Ticket> {
    let closed = entries.iter().rposition(|entry| matches!(entry.event, Event::PhaseClosed(_)));
    let mut removable = Vec::new();
    let mut last_failed: BTreeMap<&Role, &Ticket> = BTreeMap::new();
    for entry in entries.iter().take(closed.unwrap_or(0)) {
        let failed = match &entry.event {
            Event::Answered(fact) => {
                removable.push(fact.ticket.clone());
                continue;
            }
            Event::Failed(fact) => &fact.ticket,
            Event::Lost(fact) => &fact.ticket,
            _ => continue,
        };
        removable.extend(last_failed.insert(&failed.role, failed).cloned());
    }
    removable
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::event::{AfterFailure, Answered, Failed, Lost, PhaseClosed};
    use redraft_facts::ids::{BlobId, Revision};
    use redraft_facts::phase::Phase;
    use redraft_facts::usage::{Usage, Usd};

    fn entry(event: impl Into<Event>) -> Entry {
        Entry { seq: 0, at_ms: 0, event: event.into() }
    }

    fn ticket(end: &str) -> Ticket {
        format!("001/specify.1/{end}").parse().unwrap()
    }

    fn answered(end: &str) -> Entry {
        entry(Answered {
            ticket: ticket(end),
            answer: BlobId::new("a"),
            usage: Usage::default(),
            session: None,
            opened: None,
            undone: Vec::new(),
            wall_ms: 0,
            denials: Vec::new(),
            notes: Vec::new(),
            formless: false,
            asked_ms: None,
            requests: None,
            hand: None,
            payment: Default::default(),
            unknown: Default::default(),
            ran: None,
        })
    }

    fn failed(end: &str) -> Entry {
        let (now, detail, usage, undone) = (AfterFailure::GiveUp, String::new(), None, Vec::new());
        entry(Failed { ticket: ticket(end), now, detail, usage, undone, forgot: None })
    }

    fn lost(end: &str) -> Entry {
        entry(Lost { ticket: ticket(end), cost: Usd(0), undone: Vec::new() })
    }

    #[test]
    fn a_close_settles_what_was_answered_and_all_but_the_last_failure_of_a_role() {
        let mut entries = vec![
            failed("draft/spec-author/1.1"),
            lost("draft/spec-author/1.2"),
            answered("draft/spec-author/1.3"),
            failed("review/spec-reviewer/1.1"),
            answered("review/spec-reviewer/1.2"),
        ];
        assert_eq!(removable_dispatches(&entries), [], "nothing is closed yet");
        entries.push(entry(PhaseClosed {
            phase: Phase::Specify,
            pass: 1,
            revision: Revision::new("r"),
            approvals: Vec::new(),
            deferred: Vec::new(),
            ruled: Vec::new(),
            overruled: Vec::new(),
        }));
        entries.push(answered("review/spec-reviewer/9.9"));
        let expected = ["draft/spec-author/1.1", "draft/spec-author/1.3", "review/spec-reviewer/1.2"];
        assert_eq!(
            removable_dispatches(&entries),
            expected.map(ticket),
            "what came after the close is left alone"
        );
    }
}
