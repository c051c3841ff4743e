//! What the gates of a revision need next.

use super::super::ask::ask;
use super::super::state::Loop;
use super::{Effect, Need, UNCHANGED_MAX};
use redraft_facts::event::About;
use redraft_facts::ids::Revision;

/// How often code is mended because tests that were written from the documents fail.
const MENDED_MAX: u16 = 2;

/// What the gates of a revision need next; none when all have passed. `empty` says whether a result counts only if it
/// is about the commit alone, `mend` what is needed when one failed.
pub(super) fn gate_need(
    state: &Loop,
    revision: &Revision,
    empty: bool,
    mend: impl FnOnce() -> Need,
) -> Option<Need> {
    let ask = |about| Need::Effect(Effect::Ask(ask(state, about)));
    for gate in &state.opened.gates {
        match state.gates.get(gate) {
            Some(check)
                if check.revision == *revision
                    && check.passed
                    && (!empty || check.is_of_the_commit_alone()) => {}
            Some(check) if check.revision == *revision && !check.passed => {
                return Some(match () {
                    () if state.untold_refusal().is_some() => ask(About::Gate),
                    () if state.diverges() && mended(state) >= MENDED_MAX => ask(About::Divergence),
                    () if !state.diverges() && state.failed_gates >= state.opened.limits.gates => {
                        ask(About::Gate)
                    }
                    () if state.unchanged >= UNCHANGED_MAX => ask(About::Unchanged),
                    () => mend(),
                });
            }
            _ => {
                let (revision, gate) = (revision.clone(), gate.clone());
                return Some(Need::Effect(Effect::Check { revision, gate, empty }));
            }
        }
    }
    None
}

fn mended(state: &Loop) -> u16 {
    state.implementing.as_ref().map_or(0, |implementing| implementing.mended)
}
