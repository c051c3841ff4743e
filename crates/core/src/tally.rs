//! Counts, for every feature, whether the ways of sending work as they are meant to.
//!
//! [`Tally`] is folded with the state of a feature and stands in its row on the board, so that no old events have to be
//! read for a warning. When a person is warned is not known here, and nothing is decided by these counts.

use crate::review::Loop;
use redraft_facts::choice::{Policy, Strategy};
use redraft_facts::event::{AfterFailure, Answered, Event, Failed, FeatureCreated, Started};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{self, ProfileKind};
use serde::{Deserialize, Serialize};

/// The counts of one feature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Dispatches that were to continue a conversation, and those whose conversation was gone or refused.
    pub resumes: u32,
    pub fallbacks: u32,
    /// Reviews of a changed document under a policy with a guard, and those that the guard sent to a fresh
    /// conversation.
    pub re_reviews: u32,
    pub guard_trips: u32,
    /// Answers of fresh conversations that were told to read files, where the agent reports which it opened, and those
    /// among them that had not opened all.
    pub lazy: u32,
    pub unconfirmed: u32,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.resumes += other.resumes;
        self.fallbacks += other.fallbacks;
        self.re_reviews += other.re_reviews;
        self.guard_trips += other.guard_trips;
        self.lazy += other.lazy;
        self.unconfirmed += other.unconfirmed;
    }

    /// What an event adds, seen from the state before it.
    pub(crate) fn new(created: Option<&FeatureCreated>, open: &Loop, event: &Event) -> Tally {
        match event {
            Event::Started(fact) => started(open, fact),
            Event::Failed(fact) => failed(open, fact),
            Event::Answered(fact) => answered(created, open, fact),
            _ => Tally::default(),
        }
    }
}

fn started(open: &Loop, fact: &Started) -> Tally {
    let guarded = matches!(open.opened.policy, Policy::Seed | Policy::Guarded);
    // A validation has no guard.
    let review = fact.ticket.purpose == Purpose::Review && fact.since.is_some();
    let re_review = guarded && review && open.reviewer(&fact.ticket.role).is_some();
    Tally {
        resumes: u32::from(fact.choice.strategy == Strategy::Resume),
        re_reviews: u32::from(re_review),
        guard_trips: u32::from(re_review && tripped(fact)),
        ..Tally::default()
    }
}

/// What the reason given by the guard of `cost::policy::choose` contains; there is no other record of the guard.
pub const GUARD: &str = ", more than half of the ";

fn tripped(fact: &Started) -> bool {
    fact.choice.strategy != Strategy::Resume && fact.choice.why.contains(GUARD)
}

fn failed(open: &Loop, fact: &Failed) -> Tally {
    let flight = flight(open, &fact.ticket);
    let resumed = flight.is_some_and(|started| started.choice.strategy == Strategy::Resume);
    Tally { fallbacks: u32::from(resumed && fact.now == AfterFailure::FreshSession), ..Tally::default() }
}

fn answered(created: Option<&FeatureCreated>, open: &Loop, fact: &Answered) -> Tally {
    let fresh = flight(open, &fact.ticket).filter(|started| started.choice.strategy == Strategy::Lazy);
    let (Some(started), Some(opened)) = (fresh, &fact.opened) else { return Tally::default() };
    let required = required(created, open, started);
    if required.is_empty() {
        return Tally::default();
    }
    let read = |path: &String| opened.iter().any(|file| file.trim_start_matches("./") == path);
    Tally { lazy: 1, unconfirmed: u32::from(!required.iter().all(read)), ..Tally::default() }
}

fn flight<'a>(open: &'a Loop, ticket: &redraft_facts::ticket::Ticket) -> Option<&'a Started> {
    open.flights().find(|(_, flight)| flight.started.ticket == *ticket).map(|(_, flight)| &flight.started)
}

/// The paths a fresh lazy prompt tells its role to read.
///
/// They are those of the profile. A PRD may be missing, and the prompt then says so: it exists if the feature was begun
/// with one, or if the prompt's context is larger than the prompt and there is nothing else to read. One that a person
/// added later is not required of a role that also reads other files; its reads are then counted too favourably. For
/// code the specification always exists; what else does depends on what was left out, and is not required here.
pub fn required(created: Option<&FeatureCreated>, open: &Loop, started: &Started) -> Vec<String> {
    let (ticket, panels) = (&started.ticket, &open.opened.panels);
    let profile = profile::of_dispatch(ticket.phase, &ticket.role, ticket.purpose, panels);
    let Some(profile) = profile.filter(|_| !opens_by_need(open, started)) else { return Vec::new() };
    let alone = profile.artifacts.len() == 1 && started.context_chars > started.prompt_chars;
    let prd = alone || created.is_some_and(|created| created.prd.is_some());
    let named = |name: &&str| {
        let own = profile.kind == ProfileKind::Author && *name == open.opened.phase.artifact();
        !own && (*name != "prd.md" || prd)
    };
    let path = |name: &str| match open.opened.phase {
        Phase::Implement if !["prd.md", "spec.md"].contains(&name) => None,
        Phase::Implement => created.map(|created| created.path_of(name)),
        _ => open.opened.paths.iter().find(|path| path.rsplit('/').next() == Some(name)).cloned(),
    };
    profile.required().filter(named).filter_map(path).collect()
}

/// Whether a fresh prompt leaves it to its reader what to open: whoever mends a document, and whoever goes on with what its
/// role has judged. For all others the profile says what must be read.
fn opens_by_need(open: &Loop, started: &Started) -> bool {
    match started.ticket.purpose {
        Purpose::Revise => true,
        Purpose::Review | Purpose::Validate => {
            open.reviewer(&started.ticket.role).is_some_and(|seat| seat.judged.is_some())
        }
        Purpose::Draft
        | Purpose::Certify
        | Purpose::Repair
        | Purpose::Implement
        | Purpose::Simplify
        | Purpose::Outline
        | Purpose::Tests
        | Purpose::Retro
        | Purpose::Judge
        | Purpose::Probe => false,
    }
}
