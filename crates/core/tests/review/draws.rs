//! Worlds drawn at random, and what is read off them.

use super::world::*;
use proptest::prelude::*;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::Effect;
use redraft_facts::choice::{Knowledge, Policy};
use redraft_facts::event::*;
use redraft_facts::ids::{BlobId, Revision, SessionId};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Usage, Usd};
use redraft_facts::verdict::Verdict;

/// A world that has not ended after this many steps does not end.
pub(super) const STEPS_MAX: usize = 20_000;

/// How many worlds a property is tried on; `PROPTEST_CASES` asks for more.
pub(super) fn cases() -> u32 {
    ProptestConfig::default().cases.max(400)
}

pub(super) fn any_rules() -> impl Strategy<Value = Rules> {
    let panels = prop_oneof![
        Just(vec![1]),
        Just(vec![2]),
        Just(vec![3]),
        Just(vec![1, 1]),
        Just(vec![2, 1]),
        Just(vec![1, 3])
    ];
    let certify = prop_oneof![Just(Certify::Resume), Just(Certify::Fresh), Just(Certify::Off)];
    let policy = proptest::sample::select(Policy::ALL.to_vec());
    let limits = (1u16..6, 1u16..4, 0u16..2, 1u16..4, 0u16..3, 0u16..3).prop_map(
        |(rounds, attempts, repairs, gates, late_rounds, reopenings)| Limits {
            rounds,
            attempts,
            repairs,
            gates,
            late_rounds,
            reopenings,
        },
    );
    let knowledge = proptest::sample::select(Knowledge::ALL.to_vec());
    let lane = proptest::sample::select(Lane::ALL.to_vec());
    let until = proptest::sample::select(Phase::ALL.to_vec());
    let asks_after = proptest::bool::weighted(0.2);
    (panels, limits, certify, policy, knowledge, lane, until, asks_after).prop_map(
        |(panels, limits, certify, policy, knowledge, lane, until, asks_after)| Rules {
            panels,
            limits,
            certify,
            policy,
            knowledge,
            tasks: 2,
            ticked: 0,
            jobs: 1,
            declared: vec![],
            clash: None,
            extras: true,
            gates: 1,
            lane,
            until: until.min(lane.last()),
            alone: false,
            asks_after,
        },
    )
}

pub(super) fn any_habits() -> impl Strategy<Value = Habits> {
    (
        0u8..90,
        (0u8..40, 0u8..100),
        0u8..40,
        0u8..40,
        (0u8..40, 0u8..30, prop_oneof![Just(0u8), 0u8..100], 0u8..100),
        (0u8..60, prop_oneof![Just(0u8), 0u8..60]),
        (0u8..8, 0u8..40, 0u8..10, prop_oneof![Just(0u8), 0u8..30], prop_oneof![Just(0u8), 0u8..6]),
        prop_oneof![Just(0u8), 0u8..100],
        any::<bool>(),
    )
        .prop_map(
            |(
                reject,
                (unusable, insists),
                fail,
                lose,
                (unchanged, stops, declines, keeps),
                (gate_fails, refused),
                (edit, asks, turns, comments, moves),
                pull,
                person,
            )| {
                Habits {
                    reject,
                    unusable,
                    insists,
                    fail,
                    lose,
                    unchanged,
                    stops,
                    declines,
                    keeps,
                    gate_fails,
                    refused,
                    edit,
                    asks,
                    turns,
                    comments,
                    pull,
                    parks: 0,
                    short: 0,
                    conflicts: 0,
                    jobs: 0,
                    moves,
                    person,
                }
            },
        )
}

pub(super) fn any_world() -> impl Strategy<Value = World> {
    (any_rules(), any_habits(), proptest::collection::vec(any::<u8>(), 1..400))
        .prop_map(|(rules, habits, draws)| World::new(rules, habits, draws))
}

impl core::fmt::Debug for World {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?} {:?}", self.rules, self.habits)
    }
}

pub(super) fn started(world: &World) -> impl Iterator<Item = &Started> {
    world.log.iter().filter_map(|entry| match &entry.event {
        Event::Started(started) => Some(started),
        _ => None,
    })
}

/// The ticket of an attempt that ended here without an answer that can be used; lost and parked ones do not count.
pub(super) fn useless(event: &Event) -> Option<&Ticket> {
    match event {
        Event::Failed(Failed { now: AfterFailure::ParkUntil(_) | AfterFailure::OverBudget(_), .. }) => None,
        Event::Failed(Failed { ticket, .. }) => Some(ticket),
        Event::Judged(Judged { ticket, judgement: Judgement::NoVerdict { .. }, .. }) => Some(ticket),
        Event::Drafted(Drafted { ticket, revision: None, .. }) => Some(ticket),
        _ => None,
    }
}

/// Whether this is, word for word, what comes next: a gate's result, a stage's close, files that are taken out.
pub(super) fn owed(state: &Pipeline, event: &Event) -> bool {
    let effect = match event.clone() {
        Event::Checked(fact) => {
            return matches!(&pipeline::pending(state)[..], [Effect::Check { revision, gate, .. }]
                if *revision == fact.revision && *gate == fact.gate);
        }
        Event::Combined(fact) => {
            let onto = state.open.as_ref().and_then(|open| open.revision.clone());
            return matches!(&pipeline::pending(state)[..], [Effect::Combine { tasks }]
                if onto.as_ref() == Some(&fact.onto) && fact.tasks().all(|task| tasks.contains(task)));
        }
        Event::StageClosed(StageClosed { stage, outcome, round, revision, .. }) => {
            Effect::CloseStage { stage, outcome, round, revision }
        }
        Event::TakenOut(fact) => {
            return matches!(&pipeline::pending(state)[..], [Effect::TakeOut { files, .. }] if *files == fact.files);
        }
        _ => return false,
    };
    pipeline::pending(state) == [effect]
}

/// Every event that could still be about a ticket.
pub(super) fn late(ticket: &Ticket) -> Vec<Event> {
    let ticket = || ticket.clone();
    let (answer, usage, undone) = (BlobId::new(""), Usage::default(), Vec::new());
    let session = Some(SessionId::new(format!("s-{}", ticket())));
    let revision = Some(Revision::new("late"));
    let (verdict, notes) = (Verdict::default(), Vec::new());
    vec![
        Answered {
            ticket: ticket(),
            answer,
            usage,
            session,
            opened: None,
            undone,
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
        }
        .into(),
        Lost { ticket: ticket(), cost: Usd(1), undone: vec![] }.into(),
        Raised { ticket: ticket(), reserved: Usd(u64::MAX) }.into(),
        Failed {
            ticket: ticket(),
            now: AfterFailure::GiveUp,
            detail: "d".into(),
            usage: None,
            undone: vec![],
            forgot: None,
        }
        .into(),
        Drafted {
            ticket: ticket(),
            revision,
            commit: "c".into(),
            summary: "s".into(),
            notes: vec![],
            questions: vec![],
            declined: vec![],
        }
        .into(),
        Judged {
            ticket: ticket(),
            judgement: Judgement::Approved,
            verdict,
            changes: vec![],
            late: false,
            notes,
            settled: false,
        }
        .into(),
    ]
}
