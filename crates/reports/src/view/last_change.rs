//! Finds the event since which a feature's position is unchanged. Comments name that event, so that no one comments on a
//! text that they have not seen.

use redraft_core::pipeline::{Pipeline, fold};
use redraft_core::review::Rejected;
use redraft_facts::event::Entry;
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;

/// The event since which the same phase is open, or none, at the same revision; 0 where there is no event.
pub fn moved_at(entries: &[Entry]) -> Result<u64, Rejected> {
    replayed(entries).map(|(_, moved_at)| moved_at)
}

/// The state, and that event.
pub(super) fn replayed(entries: &[Entry]) -> Result<(Pipeline, u64), Rejected> {
    let mut state = Pipeline::default();
    let mut moved_at = entries.first().map_or(0, |entry| entry.seq);
    let mut before: Option<(Phase, u16, Option<Revision>)> = None;
    for entry in entries {
        fold(&mut state, &entry.event)?;
        state.seq = entry.seq;
        let now = state.open.as_ref().map(|open| (open.opened.phase, open.opened.pass, &open.revision));
        if now != before.as_ref().map(|(phase, pass, revision)| (*phase, *pass, revision)) {
            before = now.map(|(phase, pass, revision)| (phase, pass, revision.clone()));
            moved_at = entry.seq;
        }
    }
    Ok((state, moved_at))
}
