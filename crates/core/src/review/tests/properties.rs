//! What holds for every sequence of events.

use super::world::*;
use crate::event::*;
use crate::findings::Status;
use crate::ids::{BlobId, FeatureId, Revision, Role, SessionId};
use crate::phase::Phase;
use crate::pipeline::{self, Pipeline};
use crate::policy::{Knowledge, Policy, Strategy as Send};
use crate::prelude::*;
use crate::review::{Effect, End, Seat, dispatches_max};
use crate::ticket::{Purpose, Scope, Ticket};
use crate::usage::{Usage, Usd};
use crate::verdict::Verdict;
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
    let knowledge = proptest::sample::select(Knowledge::ALL.to_vec());
    (panels, limits, certify, policy, knowledge).prop_map(|(panels, limits, certify, policy, knowledge)| {
        Rules { panels, limits, certify, policy, knowledge }
    })
}

fn any_habits() -> impl Strategy<Value = Habits> {
    (0u8..90, (0u8..40, 0u8..100), 0u8..40, 0u8..40, 0u8..40, 0u8..60, (0u8..8, 0u8..40), any::<bool>())
        .prop_map(|(reject, (unusable, insists), fail, lose, unchanged, gate_fails, (edit, asks), person)| {
            Habits { reject, unusable, insists, fail, lose, unchanged, gate_fails, edit, asks, person }
        })
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

/// The ticket of an attempt that ended here without an answer that can be used; lost and parked ones do not count.
fn useless(event: &Event) -> Option<&Ticket> {
    match event {
        Event::Failed(Failed { now: Now::ParkUntil(_) | Now::OverBudget(_), .. }) => None,
        Event::Failed(Failed { ticket, .. }) => Some(ticket),
        Event::Judged(Judged { ticket, judgement: Judgement::NoVerdict { .. }, .. }) => Some(ticket),
        Event::Drafted(Drafted { ticket, revision: None, .. }) => Some(ticket),
        _ => None,
    }
}

/// Whether a gate's result or a stage's close is word for word what is owed.
fn owed(state: &Pipeline, event: &Event) -> bool {
    let effect = match event.clone() {
        Event::Checked(Checked { revision, gate, .. }) => Effect::Check { revision, gate },
        Event::StageClosed(StageClosed { stage, outcome, round, revision, .. }) => {
            Effect::CloseStage { stage, outcome, round, revision }
        }
        _ => return false,
    };
    pipeline::pending(state) == [effect]
}

/// All that could still be said of a ticket.
fn late(ticket: &Ticket) -> Vec<Event> {
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
        }
        .into(),
        Lost { ticket: ticket(), cost: Usd(1), undone: vec![] }.into(),
        Raised { ticket: ticket(), reserved: Usd(u64::MAX) }.into(),
        Failed { ticket: ticket(), now: Now::GiveUp, detail: "d".into(), usage: None, undone: vec![] }.into(),
        Drafted {
            ticket: ticket(),
            revision,
            commit: "c".into(),
            summary: "s".into(),
            notes: vec![],
            questions: vec![],
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
        let mut repaired: BTreeMap<Role, Ticket> = BTreeMap::new();
        let mut retries = 0;
        for entry in &world.log {
            if let Event::Started(Started { ticket, .. }) = &entry.event
                && ticket.purpose != Purpose::Repair
            {
                repaired.insert(ticket.role.clone(), ticket.clone());
            }
            if let Some(ticket) = useless(&entry.event) {
                // A repair that does not help is the end of the attempt it belongs to.
                let of = if ticket.purpose == Purpose::Repair { &repaired[&ticket.role] } else { ticket };
                *attempts.entry((Ticket { attempt: 0, ..of.clone() }, retries)).or_default() += 1;
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
    fn no_ticket_is_sent_twice(mut world in any_world()) {
        world.play(STEPS_MAX);
        let mut seen = BTreeSet::new();
        for fact in started(&world) {
            prop_assert!(seen.insert(fact.ticket.clone()), "sent twice: {}", fact.ticket);
        }
    }

    #[test]
    fn a_duplicate_or_stale_event_changes_nothing(mut world in any_world(), pick in any::<proptest::sample::Index>()) {
        world.play(STEPS_MAX);
        let cut = pick.index(world.log.len()) + 1;
        let state = Pipeline::replay(&world.log[..cut]).unwrap();
        let now = state.open.as_ref().and_then(|open| open.revision.clone());
        for entry in &world.log[..cut] {
            let again = pipeline::step(&state, &entry.event);
            match &entry.event {
                // The same question may be put again while it is open; that is no news.
                Event::Asked(_) => prop_assert!(again.is_err() || again.unwrap() == state),
                // Going back to an older text is an edit of its own. The text that is there is not.
                Event::Edited(fact) if Some(&fact.revision) != now.as_ref() => {}
                // After a person went back, the same bytes are checked and closed on again, in the same words.
                event => prop_assert!(again.is_err() || owed(&state, event), "accepted again: {:?}", event),
            }
        }
    }

    #[test]
    fn an_answer_that_comes_after_its_ticket_was_given_up_changes_nothing(
        mut world in any_world(),
        pick in any::<proptest::sample::Index>(),
    ) {
        world.habits.lose = world.habits.lose.max(20);
        world.play(STEPS_MAX);
        let cut = pick.index(world.log.len()) + 1;
        let state = Pipeline::replay(&world.log[..cut]).unwrap();
        for entry in &world.log[..cut] {
            let (Event::Lost(Lost { ticket, .. }) | Event::Failed(Failed { ticket, .. })) = &entry.event else {
                continue;
            };
            for late in late(ticket) {
                prop_assert!(pipeline::step(&state, &late).is_err(), "accepted late: {:?}", late);
            }
        }
    }

    #[test]
    fn all_approvals_that_close_a_phase_name_its_revision(mut world in any_world()) {
        world.play(STEPS_MAX);
        for entry in &world.log {
            let Event::PhaseClosed(closed) = &entry.event else { continue };
            let past = world.state.past.last().unwrap();
            for seat in &past.reviewers {
                let ruled = seat.ruled();
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
    fn no_edit_is_closed_on_by_a_ruling_that_was_made_before_it(mut world in any_world()) {
        world.habits.person = true;
        world.habits.edit = world.habits.edit.max(4);
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        let mut edited = None;
        for entry in &world.log {
            match &entry.event {
                Event::LoopOpened(_) => edited = None,
                Event::Edited(_) => edited = Some(entry.seq),
                Event::Decided(fact) if fact.choice == Decision::Accept => {
                    let open = state.open.as_ref().unwrap();
                    let asked = |seat: &&Seat| fact.about == About::Cap { stage: seat.stage };
                    for seat in open.reviewers.iter().filter(asked) {
                        let stands_in = seat.approved().is_none() && !seat.ruled();
                        let unseen = stands_in && seat.anchor != open.revision;
                        prop_assert_eq!(fact.unseen.contains(&seat.role), unseen);
                    }
                }
                Event::StageClosed(StageClosed { outcome: StageOutcome::Failed, .. }) => {
                    let accepted = world.log[..entry.seq as usize].iter().rev().find(|earlier| {
                        matches!(&earlier.event, Event::Decided(fact) if fact.choice == Decision::Accept)
                    });
                    prop_assert!(edited < accepted.map(|accepted| accepted.seq), "edited after the ruling");
                }
                _ => {}
            }
            state = pipeline::step(&state, &entry.event).unwrap();
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
            let calmer = Habits { person: true, edit: 0, ..habits.clone() };
            let mut world = World::of(feature, rules.clone(), calmer, draws.clone());
            // Nobody approves in the first pass, so it ends in a question, and the person wants another one.
            world.rerun_first = true;
            world.script = Some(vec![false; 200].into());
            while world.rerun_first {
                prop_assert!(!world.play(1), "the first pass ended without a question");
            }
            world.script = None;
            world.habits.edit = habits.edit;
            world.play(STEPS_MAX);
            prop_assert!(world.state.latest().unwrap().opened.pass >= 2);
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
                    Event::Answered(Answered { ticket, session: Some(session), .. }) => {
                        owners.insert(session.clone(), owner(ticket));
                    }
                    _ => {}
                }
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
        panels in proptest::sample::select(vec![vec![1], vec![2], vec![3], vec![1, 1], vec![2, 3]]),
        cap in 2u16..6,
        certify in proptest::sample::select(Certify::ALL.to_vec()),
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
