//! Folds a reviewer's judgement into the state: its standing, the findings, its stage, a certificate.

use super::super::seat::{Repair, SeatStatus};
use super::super::state::Loop;
use super::{Rejected, comment, conclude, dispute, no_verdict, rejected};
use redraft_facts::choice::Strategy;
use redraft_facts::event::{Judged, Judgement};
use redraft_facts::findings::{self, FindingChange, Status};
use redraft_facts::ids::Role;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_facts::verdict::Severity;

pub(super) fn judge(state: &mut Loop, fact: &Judged) -> Result<(), Rejected> {
    let what = || rejected(format!("the judgement of {}", fact.ticket));
    let epoch = state.epoch;
    let author = state.author.role.clone();
    let repaired = repairs_of(state, &fact.ticket.role);
    let seat = state.seat_of_mut(&fact.ticket).filter(|seat| seat.role != author).ok_or_else(what)?;
    let work = seat.work.as_mut().ok_or_else(what)?;
    let flight = work.flight.take().filter(|flight| flight.answered.is_some()).ok_or_else(what)?;
    let purpose = work.purpose;
    work.insists = fact.settled;
    match &fact.judgement {
        Judgement::Approved | Judgement::Rejected => {}
        Judgement::Repair { why } | Judgement::NoVerdict { why } => {
            match (&fact.judgement, &seat.conversation) {
                (Judgement::Repair { .. }, Some(_)) if fact.ticket.purpose != Purpose::Repair => {
                    work.repairs += 1;
                    work.repair = Some(Repair { why: why.clone(), round: repaired + 1, sent: 0 });
                }
                _ => {
                    work.trouble.clone_from(why);
                    no_verdict(seat);
                    seat.work.iter_mut().for_each(|work| work.void = Some(why.clone()));
                }
            }
            // What it found outside of what changed is kept; if it rejects for what is settled, all that it says.
            keep(state, fact);
            return Ok(());
        }
    }
    let approved = fact.judgement == Judgement::Approved;
    let (role, number) = (seat.role.clone(), usize::from(seat.stage));
    let revision = flight.started.sees.clone().ok_or_else(what)?;
    let whole = flight.started.choice.strategy != Strategy::Digest;
    let hand = flight.answered.as_ref().and_then(|answered| answered.hand.as_ref());
    let same_hand = hand.is_some_and(|hand| hand.same);
    // The writer of a text has no fresh eyes for it.
    let fresh = !same_hand
        && whole
        && seat.conversation.as_ref().is_none_or(|talk| talk.first_seen.as_ref() == Some(&revision));
    conclude(seat);
    (seat.judged, seat.judged_epoch) = (Some(revision.clone()), epoch);
    if purpose != Purpose::Certify {
        seat.standing = match approved {
            true => SeatStatus::Approved {
                revision: revision.clone(),
                ticket: fact.ticket.clone(),
                fresh,
                same_hand,
            },
            false => SeatStatus::Rejected { epoch, purpose, ticket: fact.ticket.clone(), fresh, same_hand },
        };
    }
    keep(state, fact);
    comment::judged(state);
    // Fresh eyes are shown neither findings nor replies.
    if purpose != Purpose::Certify {
        dispute::answered(state, &role);
    }
    if purpose == Purpose::Certify {
        certificate(state, fact, &role, approved);
        return Ok(());
    }
    let rounds_max = state.rounds_max(number as u16);
    let stage = &mut state.stages[number];
    if !approved && purpose == Purpose::Validate {
        if stage.counted != Some(epoch) {
            stage.rounds = (stage.rounds + 1).min(rounds_max);
            stage.counted = Some(epoch);
        }
        stage.closed = None;
    }
    let rounds = stage.rounds;
    if let Some(seat) = state.reviewers.iter_mut().find(|seat| seat.role == role) {
        seat.last_round = rounds;
    }
    Ok(())
}

/// Takes over what a judgement says about findings.
fn keep(state: &mut Loop, fact: &Judged) {
    findings::apply(&mut state.findings, &fact.changes);
    if fact.late && !state.late.contains(&state.epoch) {
        state.late.push(state.epoch);
    }
    dispute::forget_settled(state);
}

/// How many repairs a role was asked for in this pass. A role may sit twice, as reviewer and as certifier, and its
/// repairs are counted together, because their tickets differ by nothing else.
fn repairs_of(state: &Loop, role: &Role) -> u16 {
    let seats = state.reviewers.iter().chain([&state.certifier]).filter(|seat| seat.role == *role);
    seats.filter_map(|seat| seat.rounds.get(&Purpose::Repair)).copied().max().unwrap_or(0)
}

/// Fresh eyes have spoken: they sign, reopen the phase, or leave the rest to a person.
fn certificate(state: &mut Loop, fact: &Judged, role: &Role, approved: bool) {
    state.certifier.conversation = None;
    state.certifier.anchor = None;
    state.certifier.judged = None;
    if approved {
        state.signed.clone_from(&state.revision);
        return;
    }
    if state.reopened < state.opened.limits.reopenings {
        state.reopened += 1;
        let epoch = state.epoch;
        if let Some(seat) = state.reviewers.iter_mut().find(|seat| seat.role == *role) {
            let (purpose, ticket) = (Purpose::Certify, fact.ticket.clone());
            seat.standing = SeatStatus::Rejected { epoch, purpose, ticket, fresh: true, same_hand: false };
            state.stages[usize::from(seat.stage)].closed = None;
        }
        return;
    }
    for change in &fact.changes {
        let FindingChange::Raised(raised) = change else { continue };
        let below = state.findings.iter_mut().find(|f| f.id == raised.id && f.severity < Severity::Blocker);
        if let Some(finding) = below {
            finding.status = Status::Deferred;
        }
    }
    let mut open = state.findings.iter().filter(|finding| finding.role == *role);
    state.refused = open.any(|finding| finding.blocks(state.opened.rule));
    if !state.refused {
        state.signed.clone_from(&state.revision);
    }
}
