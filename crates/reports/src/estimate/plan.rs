//! Decides which roles are asked in the rest of a feature, and how often. The numbers of rounds are assumptions;
//! `super::size` states them.

use super::Tasks;
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::{Certify, Extra, FeatureCreated};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_roles::profile::{self, Profile, ProfileKind};

/// Review rounds until a document or a change is approved.
pub(super) const ROUNDS: u32 = 3;
/// A phase reviewer comes in when the domain review is over, and once more if its own finding is mended.
const HANDOFFS: u32 = 2;

/// One role in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedRole {
    pub phase: Phase,
    pub profile: &'static Profile,
    /// Dispatches that begin a conversation.
    pub first: u32,
    /// Dispatches that continue one.
    pub later: u32,
}

impl PlannedRole {
    /// Whether it is asked once for every task.
    pub(super) fn is_per_task(&self) -> bool {
        self.phase == Phase::Implement && self.profile.role == profile::author(Phase::Implement).as_str()
    }
}

/// What a run does in addition to the phases of its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Play<'a> {
    /// What is done to code between its last task and its first review.
    pub extras: &'a [Extra],
    /// Whether an agent is asked to put the figures of the retrospective into words.
    pub retro: bool,
    pub certify: Certify,
    /// Whether the author of a document that is reviewed by itself revises it.
    pub revises: bool,
}

/// The parts that are left to play, in the order of the phases.
pub fn parts(state: &Pipeline, play: Play<'_>, tasks: Tasks) -> Vec<PlannedRole> {
    let Some(created) = &state.created else { return Vec::new() };
    let phases = state.phases().filter(|phase| !state.is_over(*phase));
    phases.flat_map(|phase| of_phase(phase, created, play, tasks.number())).collect()
}

fn of_phase(phase: Phase, created: &FeatureCreated, play: Play<'_>, tasks: u32) -> Vec<PlannedRole> {
    let lane = created.lane;
    // No agent works on a change that is only reviewed, and a document by itself is revised only where that was asked
    // for.
    let rounds = match created.is_review() {
        true if created.change.is_some() || !play.revises => 1,
        _ => ROUNDS,
    };
    let alone = created.document.is_some();
    let panels = if alone { profile::domain_panel(phase) } else { profile::panels_in(phase, lane) };
    let certified = phase != Phase::Finish
        && match lane {
            _ if created.is_review() => play.certify == Certify::Fresh,
            Lane::Express => false,
            Lane::Standard => play.certify == Certify::Fresh,
            Lane::Deep => true,
        };
    let certifier = panels.first().and_then(|panel| panel.roles.first()).filter(|_| certified);
    let sits = |profile: &Profile| {
        panels.iter().flat_map(|panel| &panel.roles).any(|seat| seat.role.as_str() == profile.role)
    };
    let part = |profile: &'static Profile| {
        let (first, later) = match profile.kind {
            ProfileKind::Author => author(phase, profile, created, play, tasks, rounds, panels.is_empty())?,
            ProfileKind::Domain if sits(profile) => (1, rounds - 1),
            ProfileKind::Phase if sits(profile) => (1, rounds.min(HANDOFFS) - 1),
            ProfileKind::Domain | ProfileKind::Phase => return None,
        };
        let fresh = certifier.is_some_and(|seat| seat.role.as_str() == profile.role);
        Some(PlannedRole { phase, profile, first: first + u32::from(fresh), later })
    };
    profile::participants(phase).iter().copied().filter_map(part).collect()
}

/// How often a role that writes is asked; none for one that takes no part.
fn author(
    phase: Phase,
    profile: &Profile,
    created: &FeatureCreated,
    play: Play<'_>,
    tasks: u32,
    rounds: u32,
    unreviewed: bool,
) -> Option<(u32, u32)> {
    let plays = |extra: Extra| created.lane != Lane::Express && play.extras.contains(&extra);
    match (phase, profile.role) {
        (Phase::Implement, _) if created.change.is_some() => None,
        (Phase::Implement, "code-simplifier") => plays(Extra::Simplify).then_some((1, 0)),
        // It designs the tests, and then writes them.
        (Phase::Implement, "test-deepener") => plays(Extra::Deepen).then_some((2, 0)),
        (Phase::Implement, _) => Some((tasks, rounds - 1)),
        (Phase::Finish, _) => play.retro.then_some((1, 0)),
        // It is there already.
        _ if created.is_review() => play.revises.then_some((1, rounds.saturating_sub(2))),
        _ if unreviewed => Some((1, 0)),
        _ => Some((1, rounds - 1)),
    }
}
