//! Blockers that were put off: found in a re-review outside of what changed, and neither fixed nor ruled on since.
//!
//! A new pass of their phase takes them up, and where the feature ends a person rules on them. Start at [`for_loop`].

use super::Pipeline;
use crate::review::{Loop, LoopEnd};
use redraft_facts::event::{About, Decision, Event, PutOff};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;

/// What a loop of this phase takes up, were it opened now.
pub fn for_loop(state: &Pipeline, phase: Phase) -> Vec<PutOff> {
    let ends = phase == Phase::Finish;
    let earlier = state.standing().filter(|one| match &one.end {
        // What was left out, or is to be done again, is not merged as it was judged.
        Some(LoopEnd::Superseded | LoopEnd::Skipped) if ends => false,
        _ => ends || one.opened.phase == phase,
    });
    let all = earlier.flat_map(|one| one.findings.iter().map(|finding| (one.opened.phase, finding)));
    let put_off = all.filter(|(_, finding)| finding.is_deferred_blocker());
    put_off.map(|(phase, finding)| PutOff { phase, id: finding.id.clone() }).collect()
}

/// The findings that a loop names, as they are now.
pub(super) fn named(state: &Pipeline, put_off: &[PutOff]) -> Vec<(Phase, Finding)> {
    let of = |one: &PutOff| {
        let mut loops = state.standing().filter(|standing| standing.opened.phase == one.phase);
        let finding = loops.find_map(|standing| standing.findings.iter().find(|known| known.id == one.id));
        finding.filter(|known| known.is_deferred_blocker()).map(|known| (one.phase, known.clone()))
    };
    put_off.iter().filter_map(of).collect()
}

/// What an event rules on, as it is before it.
pub(super) fn ruled(open: &Loop, event: &Event) -> Vec<(Phase, Finding)> {
    match (event, &open.finishing) {
        (Event::Decided(fact), Some(finishing))
            if fact.about == About::Deferred && fact.choice == Decision::Accept =>
        {
            let why = |finding: &Finding| Finding { note: fact.why.clone(), ..finding.clone() };
            finishing.put_off.iter().map(|(phase, finding)| (*phase, why(finding))).collect()
        }
        _ => Vec::new(),
    }
}

/// Marks them in the loops they come from.
pub(super) fn rule(past: &mut [Loop], ruled: &[(Phase, Finding)]) {
    for (phase, finding) in ruled {
        let last = past.iter_mut().rev().find(|one| one.opened.phase == *phase);
        let known = last.and_then(|one| one.findings.iter_mut().find(|known| known.id == finding.id));
        if let Some(known) = known {
            known.status = Status::Ruled;
            known.note.clone_from(&finding.note);
        }
    }
}
