//! What comes next at the end of a feature.

use super::super::ask::ask;
use super::super::finishing::Finishing;
use super::super::seat::Seat;
use super::super::state::Loop;
use super::gates::gate_need;
use super::{Effect, Need};
use redraft_facts::event::{About, BankJudged};
use redraft_facts::ids::Revision;
use redraft_facts::prelude::*;

/// What comes next, in order.
pub(super) fn finish_need(state: &Loop, finishing: &Finishing, revision: &Revision) -> Need {
    if !finishing.put_off.is_empty() && !finishing.ruled {
        return Need::Effect(Effect::Ask(ask(state, About::Deferred)));
    }
    let gates = gate_need(state, revision, true, || Need::Effect(Effect::Ask(ask(state, About::Gate))));
    if let Some(need) = gates {
        return need;
    }
    let Some(retro) = &finishing.retro else {
        return match given_up(state, &state.author) {
            Some(why) => Need::Effect(Effect::WriteRetro { why }),
            None => Need::Facilitator,
        };
    };
    if !retro.relevant.is_empty() && finishing.judged.is_none() {
        return match given_up(state, &finishing.judge) {
            Some(why) => Need::Effect(Effect::LeaveBank { why }),
            None => Need::Judge,
        };
    }
    let proposed = finishing.judged.as_ref().is_some_and(BankJudged::proposes);
    match (proposed, finishing.wanted) {
        (true, None) => Need::Effect(Effect::Ask(ask(state, About::Lessons))),
        (true, Some(true)) if !finishing.applied => Need::Effect(Effect::ApplyLessons),
        _ => Need::Effect(Effect::ClosePhase { revision: revision.clone() }),
    }
}

/// Why the seat is not sent to any more.
fn given_up(state: &Loop, seat: &Seat) -> Option<String> {
    let work = seat.work.as_ref().filter(|work| work.is_spent(&state.opened.limits))?;
    Some(if work.trouble.is_empty() { "it gave no answer".to_owned() } else { work.trouble.clone() })
}
