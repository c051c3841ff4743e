//! What holds for every sequence of events.

use super::world::*;
use crate::event::*;
use crate::findings::Status;
use crate::ids::{Revision, Role, SessionId};
use crate::pipeline::{self, Pipeline};
use crate::policy::{Policy, Strategy as Send};
use crate::prelude::*;
use crate::review::{Effect, End, dispatches_max};
use crate::ticket::{Purpose, Ticket};
use proptest::prelude::*;

const STEPS_MAX: usize = 20_000;

fn any_rules() -> impl Strategy<Value = Rules> {
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
    (panels, limits, certify, policy).prop_map(|(panels, limits, certify, policy)| Rules {
        panels,
        limits,
        certify,
        policy,
    })
}

fn any_habits() -> impl Strategy<Value = Habits> {
    (0u8..90, 0u8..40, 0u8..40, 0u8..40, 0u8..40, 0u8..60, 0u8..8, any::<bool>()).prop_map(
        |(reject, unusable, fail, lose, unchanged, gate_fails, edit, person)| Habits {
            reject,
            unusable,
            fail,
            lose,
            unchanged,
            gate_fails,
            edit,
            person,
        },
    )
}

fn any_world() -> impl Strategy<Value = World> {
    (any_rules(), any_habits(), proptest::collection::vec(any::<u8>(), 1..400))
        .prop_map(|(rules, habits, draws)| World::new(rules, habits, draws))
}

impl core::fmt::Debug for World {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?} {:?}", self.rules, self.habits)
    }
}

fn started(world: &World) -> impl Iterator<Item = &Started> {
    world.log.iter().filter_map(|entry| match &entry.event {
        Event::Started(started) => Some(started),
        _ => None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replay_equals_the_live_state_and_owes_the_same(mut world in any_world()) {
        world.play(STEPS_MAX);
        prop_assert_eq!(&Pipeline::replay(&world.log).unwrap(), &world.state);
        let mut state = Pipeline::default();
        for (count, entry) in world.log.iter().enumerate() {
            state = pipeline::step(&state, &entry.event).unwrap();
            state.seq = entry.seq;
            let replayed = Pipeline::replay(&world.log[..=count]).unwrap();
            prop_assert_eq!(pipeline::pending(&replayed), pipeline::pending(&state));
        }
    }

    #[test]
    fn what_is_pending_after_replay_is_what_was_not_yet_answered(mut world in any_world()) {
        world.play(STEPS_MAX);
        let mut open: BTreeSet<Ticket> = BTreeSet::new();
        let mut answered: BTreeSet<Ticket> = BTreeSet::new();
        let mut state = Pipeline::default();
        for entry in &world.log {
            match &entry.event {
                Event::Started(fact) => { open.insert(fact.ticket.clone()); }
                Event::Answered(fact) => { open.remove(&fact.ticket); answered.insert(fact.ticket.clone()); }
                Event::Failed(Failed { ticket, .. }) | Event::Lost(Lost { ticket, .. }) => { open.remove(ticket); }
                Event::Drafted(Drafted { ticket, .. }) | Event::Judged(Judged { ticket, .. }) => { answered.remove(ticket); }
                _ => {}
            }
            state = pipeline::step(&state, &entry.event).unwrap();
            let (mut recover, mut consequence) = (BTreeSet::new(), BTreeSet::new());
            for effect in pipeline::pending(&state) {
                match effect {
                    Effect::Recover(ticket) => { recover.insert(ticket); }
                    Effect::Judge(ticket) | Effect::Snapshot(ticket) => { consequence.insert(ticket); }
                    _ => {}
                }
            }
            prop_assert_eq!((&recover, &consequence), (&open, &answered));
        }
    }

    #[test]
    fn every_loop_ends_within_the_stated_number_of_dispatches(mut world in any_world()) {
        prop_assert!(world.play(STEPS_MAX), "did not end");
        let lost = world.log.iter().filter(|entry| matches!(entry.event, Event::Lost(_))).count() as u64;
        let sent = started(&world).count() as u64 - lost;
        let roles = world.rules.panels.iter().sum::<usize>() as u64;
        let bound = dispatches_max(&world.rules.limits, world.rules.panels.len() as u64, roles);
        prop_assert!(sent <= bound * (1 + world.people), "{} sent, bound {} x {}", sent, bound, 1 + world.people);
    }

    #[test]
    fn no_path_exceeds_a_cap(mut world in any_world()) {
        world.play(STEPS_MAX);
        let limits = world.rules.limits;
        let mut state = Pipeline::default();
        let mut attempts: BTreeMap<(Ticket, u64), u16> = BTreeMap::new();
        let mut retries = 0;
        for entry in &world.log {
            if let Event::Failed(Failed { ticket, .. }) = &entry.event {
                let same = Ticket { attempt: 0, ..ticket.clone() };
                *attempts.entry((same, retries)).or_default() += 1;
            }
            retries += u64::from(matches!(entry.event, Event::Decided(_)));
            state = pipeline::step(&state, &entry.event).unwrap();
            let Some(open) = state.latest() else { continue };
            prop_assert!(open.stages.iter().all(|stage| stage.rounds <= limits.rounds));
            prop_assert!(open.late.len() <= usize::from(limits.late_rounds));
            prop_assert!(open.reopened <= limits.reopenings);
            prop_assert!(open.failed_gates <= limits.gates && open.unchanged <= 2);
        }
        prop_assert!(attempts.values().all(|count| *count <= limits.attempts));
    }

    #[test]
    fn a_duplicate_or_stale_event_changes_nothing(mut world in any_world(), pick in any::<proptest::sample::Index>()) {
        world.play(STEPS_MAX);
        let cut = pick.index(world.log.len()) + 1;
        let state = Pipeline::replay(&world.log[..cut]).unwrap();
        for entry in &world.log[..cut] {
            // Asking the same question again and editing to an older text are the two things that may recur.
            if matches!(entry.event, Event::Asked(_) | Event::Edited(_)) {
                continue;
            }
            prop_assert!(pipeline::step(&state, &entry.event).is_err(), "accepted again: {:?}", entry.event);
        }
    }

    #[test]
    fn all_approvals_that_close_a_phase_name_its_revision(mut world in any_world()) {
        world.play(STEPS_MAX);
        for entry in &world.log {
            let Event::PhaseClosed(closed) = &entry.event else { continue };
            let past = world.state.past.last().unwrap();
            for seat in &past.reviewers {
                let ruled = seat.standing == crate::review::Standing::Ruled;
                prop_assert!(ruled || closed.approvals.iter().any(|approval| approval.role == seat.role));
            }
            if past.opened.certify != Certify::Off {
                prop_assert!(closed.approvals.iter().all(|approval| approval.revision == closed.revision));
            }
            let open = past.findings.iter().filter(|finding| finding.status == Status::Open);
            prop_assert_eq!(open.filter(|finding| finding.blocks(past.opened.rule)).count(), 0);
        }
    }

    #[test]
    fn a_delta_starts_at_the_revision_the_role_last_saw(mut world in any_world()) {
        world.play(STEPS_MAX);
        let mut seen: BTreeMap<(u16, Role), Revision> = BTreeMap::new();
        let mut sees: BTreeMap<Ticket, Option<Revision>> = BTreeMap::new();
        for entry in &world.log {
            match &entry.event {
                Event::Started(fact) => {
                    let key = (fact.ticket.pass, fact.ticket.role.clone());
                    if fact.choice.strategy == Send::Resume && fact.ticket.purpose != Purpose::Repair {
                        prop_assert_eq!(fact.since.as_ref(), seen.get(&key));
                    }
                    sees.insert(fact.ticket.clone(), fact.sees.clone());
                }
                Event::Answered(fact) if fact.ticket.purpose != Purpose::Certify => {
                    if let Some(Some(revision)) = sees.get(&fact.ticket) {
                        seen.insert((fact.ticket.pass, fact.ticket.role.clone()), revision.clone());
                    }
                }
                Event::Drafted(Drafted { ticket, revision: Some(revision), .. }) => {
                    seen.insert((ticket.pass, ticket.role.clone()), revision.clone());
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_session_is_never_continued_elsewhere(mut world in any_world()) {
        world.play(STEPS_MAX);
        let mut owners: BTreeMap<SessionId, (u16, Role)> = BTreeMap::new();
        for fact in started(&world) {
            let owner = (fact.ticket.pass, fact.ticket.role.clone());
            let session = fact.session.clone().unwrap();
            match fact.choice.strategy {
                Send::Resume => prop_assert_eq!(owners.get(&session), Some(&owner)),
                Send::Lazy => prop_assert_eq!(owners.insert(session, owner), None),
            }
        }
    }

    #[test]
    fn closing_does_not_depend_on_strategy_or_policy(
        panels in proptest::sample::select(vec![vec![1], vec![2], vec![1, 1], vec![3]]),
        verdicts in proptest::collection::vec(any::<bool>(), 1..12),
    ) {
        let mut outcomes = Vec::new();
        for policy in Policy::ALL {
            let mut world = World::new(Rules { policy, ..rules(&panels) }, CALM, vec![7, 200, 31]);
            super::scenarios::play_verdicts(&mut world, &verdicts);
            let judged = world.log.iter().filter_map(|entry| match &entry.event {
                Event::Judged(Judged { ticket, judgement, .. }) => Some((ticket.to_string(), judgement.clone())),
                _ => None,
            });
            let end = world.state.past.last().and_then(|past| past.end.clone());
            let closed = matches!(end, Some(End::Closed(_)));
            outcomes.push((closed, judged.collect::<Vec<_>>()));
        }
        prop_assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{:?}", outcomes);
    }

    #[test]
    fn fail_fix_pass_never_trips_a_cap_of_two_or_more(
        panels in proptest::sample::select(vec![vec![1], vec![2], vec![3], vec![1, 1]]),
        cap in 2u16..6,
        certify in proptest::sample::select(vec![Certify::Resume, Certify::Off]),
    ) {
        let limits = Limits { rounds: cap, ..Limits::default() };
        let count = panels.iter().sum::<usize>();
        let mut world = World::new(Rules { limits, certify, ..rules(&panels) }, CALM, vec![1]);
        // Everybody rejects the first time and approves from then on.
        let mut verdicts = Vec::new();
        for size in &panels {
            verdicts.extend(vec![false; *size]);
            verdicts.extend(vec![true; *size]);
        }
        verdicts.extend(vec![true; count]);
        super::scenarios::play_verdicts(&mut world, &verdicts);
        prop_assert!(matches!(world.state.past.last().unwrap().end, Some(End::Closed(_))));
        prop_assert!(!world.log.iter().any(|entry| matches!(entry.event, Event::Asked(_))));
    }
}
