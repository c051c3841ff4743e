//! Properties of what is sent to whom, for every sequence of events: strategies, deltas, conversations, the cache.

use super::draws::*;
use super::world::*;
use proptest::prelude::*;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{DispatchOrder, Effect, Seat};
use redraft_cost::policy::{PolicyFacts, ResumedFacts, choose};
use redraft_facts::choice::{Knowledge, Policy, Strategy as Send};
use redraft_facts::event::*;
use redraft_facts::ids::{FeatureId, Revision, Role, SessionId};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Scope, Ticket, Unit};

/// What may be left to the engine of the allowed ways: a conversation can be out of reach, what changed can be lost,
/// and a host is offered less.
fn sublists(allowed: &[Send]) -> impl Iterator<Item = Vec<Send>> {
    (1_u32..1 << allowed.len()).map(|bits| {
        let kept = allowed.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0);
        kept.map(|(_, strategy)| *strategy).collect()
    })
}

/// The way that every agent can be sent this, whatever it remembers.
fn always_possible(purpose: Purpose) -> Send {
    match purpose {
        Purpose::Repair => Send::Resume,
        Purpose::Retro | Purpose::Judge => Send::Inline,
        Purpose::Draft
        | Purpose::Revise
        | Purpose::Review
        | Purpose::Validate
        | Purpose::Certify
        | Purpose::Implement
        | Purpose::Simplify
        | Purpose::Outline
        | Purpose::Tests
        | Purpose::Probe => Send::Lazy,
    }
}

fn dispatches(state: &Pipeline) -> impl Iterator<Item = DispatchOrder> {
    pipeline::pending(state).into_iter().filter_map(|effect| match effect {
        Effect::Dispatch(order) => Some(order),
        _ => None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_role_has_left_in_the_cache_what_its_last_answered_dispatch_did_whatever_failed_since(
        mut world in any_world()
    ) {
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        for entry in &world.log {
            let before = state.clone();
            pipeline::fold(&mut state, &entry.event).unwrap();
            let (ticket, answered) = match &entry.event {
                Event::Answered(fact) => (&fact.ticket, true),
                Event::Failed(fact) => (&fact.ticket, false),
                Event::Lost(fact) => (&fact.ticket, false),
                _ => continue,
            };
            let seat = before.open.as_ref().and_then(|open| open.seat_of(ticket)).unwrap();
            let started = &seat.work.as_ref().unwrap().flight.as_ref().unwrap().started;
            let left = match answered {
                true => started.choice.prediction.as_ref().map(|prediction| prediction.leaves),
                false => seat.left.as_ref().map(|left| left.cached),
            };
            let Some(open) = &state.open else { continue };
            let same = |one: &&Seat| one.role == seat.role && one.letter == seat.letter && one.stage == seat.stage;
            let found: Vec<_> = open.seats().filter(same).map(|seat| seat.left.as_ref().map(|left| left.cached)).collect();
            prop_assert!(found.contains(&left), "{ticket}: {found:?} without {left:?}");
        }
    }

    #[test]
    fn every_order_can_be_sent_and_the_machine_accepts_whatever_a_policy_chooses(
        mut world in any_world(),
        resumed in proptest::option::of((0..3_u64, 0..3_u64)),
    ) {
        let resumed = resumed.map(|(prompt_chars, whole)| {
            ResumedFacts { prompt_chars, first_chars: whole, context_chars: whole * 2, fresh_chars: whole }
        });
        for _ in 0..STEPS_MAX {
            for order in dispatches(&world.state) {
                let DispatchOrder { ticket, allowed, conversation, .. } = &order;
                prop_assert!(allowed.contains(&always_possible(ticket.purpose)), "{ticket}: {allowed:?}");
                prop_assert_eq!(allowed.contains(&Send::Resume), conversation.is_some(), "{}", ticket);
                for strategy in allowed {
                    let accepted = pipeline::step(&world.state, &sent(&order, *strategy, false).into());
                    prop_assert!(accepted.is_ok(), "{ticket} {strategy:?}");
                }
                for (policy, left) in Policy::ALL.into_iter().flat_map(|policy| sublists(allowed).map(move |left| (policy, left))) {
                    let facts = PolicyFacts { policy, purpose: ticket.purpose, resumed, priced: None };
                    let choice = choose(&facts, &left).unwrap();
                    prop_assert!(left.contains(&choice.strategy), "{ticket}: {choice:?} of {left:?}");
                }
            }
            if world.play(1) {
                return Ok(());
            }
        }
        prop_assert!(false, "no end");
    }

    #[test]
    fn a_part_is_shown_only_where_the_loop_says_that_it_is_enough_and_never_first_or_to_fresh_eyes(
        mut world in any_world()
    ) {
        world.play(STEPS_MAX);
        let enough = world.rules.knowledge == Knowledge::Scoped || world.rules.policy == Policy::Digest;
        for fact in started(&world).filter(|fact| fact.choice.strategy == Send::Digest) {
            prop_assert!(enough, "{}", fact.ticket);
            prop_assert!(fact.since.is_some() && fact.since != fact.sees, "{}", fact.ticket);
            prop_assert!(matches!(fact.ticket.purpose, Purpose::Review | Purpose::Validate), "{}", fact.ticket);
        }
    }

    #[test]
    fn a_delta_starts_at_the_revision_the_role_last_saw(mut world in any_world()) {
        world.play(STEPS_MAX);
        // A conversation belongs to a task where there is one, and the one that thinks of tests does not write them.
        type Key = (Phase, u16, Role, Unit, bool);
        let key = |ticket: &Ticket| -> Key {
            let outline = ticket.purpose == Purpose::Outline;
            (ticket.phase, ticket.pass, ticket.role.clone(), ticket.unit.clone(), outline)
        };
        let mut seen: BTreeMap<Key, Revision> = BTreeMap::new();
        let mut sees: BTreeMap<Ticket, Option<Revision>> = BTreeMap::new();
        for entry in &world.log {
            match &entry.event {
                Event::Started(fact) => {
                    if fact.choice.strategy == Send::Resume && fact.ticket.purpose != Purpose::Repair {
                        prop_assert_eq!(fact.since.as_ref(), seen.get(&key(&fact.ticket)));
                    }
                    sees.insert(fact.ticket.clone(), fact.sees.clone());
                }
                Event::Answered(fact) if fact.ticket.purpose != Purpose::Certify => {
                    if let Some(Some(revision)) = sees.get(&fact.ticket) {
                        seen.insert(key(&fact.ticket), revision.clone());
                    }
                }
                Event::Drafted(Drafted { ticket, revision: Some(revision), .. }) => {
                    seen.insert(key(ticket), revision.clone());
                }
                Event::Built(fact) => {
                    seen.insert(key(&fact.ticket), fact.revision.clone());
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_session_is_never_continued_in_another_phase_pass_feature_or_role(
        rules in any_rules(),
        habits in any_habits(),
        draws in proptest::collection::vec(any::<u8>(), 1..400),
    ) {
        type Owner = (Scope, Phase, u16, Role);
        let owner = |ticket: &Ticket| (ticket.scope.clone(), ticket.phase, ticket.pass, ticket.role.clone());
        let mut owners: BTreeMap<SessionId, Owner> = BTreeMap::new();
        // Two features that draw the same, so that nothing but the rule keeps their conversations apart.
        for feature in [FeatureId(31), FeatureId(32)] {
            let calmer = Habits { person: true, edit: 0, turns: 0, comments: 0, ..habits.clone() };
            // Gates alone ask nobody anything.
            let rules = Rules { lane: rules.lane.max(Lane::Standard), ..rules.clone() };
            let mut world = World::of(feature, rules, calmer, draws.clone());
            // Nobody approves in the first pass, so it ends in a question, and the person wants another one.
            world.rerun_first = true;
            world.script = Some(vec![false; 200].into());
            while world.rerun_first {
                prop_assert!(!world.play(1), "the first pass ended without a question");
            }
            world.script = None;
            (world.habits.edit, world.habits.turns) = (habits.edit, habits.turns);
            world.habits.comments = habits.comments;
            world.play(STEPS_MAX);
            prop_assert!(world.state.past.iter().chain(&world.state.open).any(|one| one.opened.pass >= 2));
            for entry in &world.log {
                match &entry.event {
                    Event::Started(fact) => {
                        let session = fact.session.clone().unwrap();
                        match fact.choice.strategy {
                            Send::Resume => {
                                prop_assert_eq!(owners.get(&session), Some(&owner(&fact.ticket)));
                            }
                            Send::Inline | Send::Lazy | Send::Digest => prop_assert_eq!(owners.insert(session, owner(&fact.ticket)), None),
                        }
                    }
                    // The other clone's agents have none of them.
                    Event::DriverChanged(_) => owners.clear(),
                    Event::Answered(Answered { ticket, session: Some(session), .. }) => {
                        owners.insert(session.clone(), owner(ticket));
                    }
                    _ => {}
                }
            }
        }
    }
}
