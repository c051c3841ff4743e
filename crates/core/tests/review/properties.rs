//! Properties of the machine, for every sequence of events: replay, what comes next, ends, caps, duplicates.

use super::draws::*;
use proptest::prelude::*;
use redraft_core::pipeline::{self, Pipeline, put_off};
use redraft_core::review::{Effect, Stage, dispatches_max};
use redraft_facts::event::*;
use redraft_facts::findings::FindingChange;
use redraft_facts::ids::{Role, SessionId};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::probed::Recall;
use redraft_facts::ticket::{Purpose, Ticket};

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

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
                Event::Drafted(Drafted { ticket, .. }) | Event::Built(Built { ticket, .. }) | Event::Judged(Judged { ticket, .. }) => {
                    answered.remove(ticket);
                }
                Event::RetroWritten(RetroWritten { ticket: Some(ticket), .. })
                | Event::BankJudged(BankJudged { ticket: Some(ticket), .. }) => {
                    answered.remove(ticket);
                }
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
        let bound = dispatches_max(&world.rules.limits, world.rules.panels.len() as u64, roles, world.rules.tasks as u64);
        // Every other loop was opened because of something a person did.
        let first = |entry: &&Entry| matches!(&entry.event, Event::LoopOpened(LoopOpened { pass: 1, .. }));
        let loops = world.log.iter().filter(first).count() as u64 + world.people;
        prop_assert!(sent <= bound * loops, "{} sent, bound {} x {}", sent, bound, loops);
        // It ended because nothing is left to do, or because a person must say something.
        if pipeline::pending(&world.state).is_empty() {
            prop_assert!(world.state.phase().is_none() || world.state.cancelled);
        }
    }

    /// Whatever a conversation is called by then, and whatever became of it: what it is asked for is what it was given.
    #[test]
    fn a_continued_conversation_is_asked_for_the_code_of_its_first_turn(mut world in any_world()) {
        world.play(STEPS_MAX);
        let mut asked: BTreeMap<Ticket, String> = BTreeMap::new();
        let mut codes: BTreeMap<SessionId, String> = BTreeMap::new();
        for entry in &world.log {
            match &entry.event {
                Event::Started(fact) => {
                    let code = match (&fact.recall, &fact.session) {
                        (Some(Recall::Gives(code)), _) => code.clone(),
                        (Some(Recall::Asks(code)), Some(session)) => {
                            prop_assert_eq!(codes.get(session), Some(code));
                            code.clone()
                        }
                        other => return Err(TestCaseError::fail(format!("{other:?}"))),
                    };
                    asked.insert(fact.ticket.clone(), code);
                }
                Event::Answered(fact) => {
                    if let (Some(session), Some(code)) = (&fact.session, asked.get(&fact.ticket)) {
                        codes.insert(session.clone(), code.clone());
                    }
                }
                _ => {}
            }
        }
    }

    #[test]
    fn no_path_exceeds_a_cap(mut world in any_world()) {
        world.play(STEPS_MAX);
        let limits = world.rules.limits;
        let mut state = Pipeline::default();
        let mut attempts: BTreeMap<(Ticket, u64), u16> = BTreeMap::new();
        let mut repaired: BTreeMap<Role, Ticket> = BTreeMap::new();
        let mut retries = 0;
        let mut comments = 0;
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
            comments += u64::from(matches!(entry.event, Event::Commented(_)));
            state = pipeline::step(&state, &entry.event).unwrap();
            let Some(open) = state.latest() else { continue };
            let granted = |stage: &Stage| stage.granted;
            prop_assert!(open.stages.iter().all(|stage| stage.rounds <= limits.rounds + stage.granted));
            prop_assert!(u64::from(open.stages.iter().map(granted).sum::<u16>()) <= retries + comments, "only on a person's word");
            prop_assert!(open.late.len() <= usize::from(limits.late_rounds));
            prop_assert!(open.reopened <= limits.reopenings);
            prop_assert!(open.failed_gates <= limits.gates && open.unchanged <= 2);
        }
        prop_assert!(attempts.values().all(|count| *count <= limits.attempts));
    }

    #[test]
    fn a_finding_never_vanishes(mut world in any_world()) {
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        for entry in &world.log {
            state = pipeline::step(&state, &entry.event).unwrap();
            let Event::Judged(fact) = &entry.event else { continue };
            for change in &fact.changes {
                if let FindingChange::Raised(raised) = change {
                    let of_phase = state.standing().find(|one| one.opened.phase == fact.ticket.phase).unwrap();
                    prop_assert!(of_phase.findings.iter().any(|known| known.id == raised.id), "{}", raised.id);
                }
            }
        }
    }

    #[test]
    fn no_feature_ends_before_a_person_has_ruled_on_every_blocker_that_was_put_off(mut world in any_world()) {
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        for entry in &world.log {
            state = pipeline::step(&state, &entry.event).unwrap();
            if let Event::PhaseClosed(PhaseClosed { phase: Phase::Finish, .. }) = &entry.event {
                prop_assert_eq!(put_off::for_loop(&state, Phase::Finish), vec![]);
            }
        }
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
                // A person may want the same again later on, but not twice in a row.
                Event::LaneSet(_) | Event::PhaseSkipped(_) | Event::WentBack(_) if entry.seq < cut as u64 => {}
                // After a person went back, the same bytes are checked and closed on again, in the same words; and two
                // tasks that wrote the same files can both be taken out.
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
}
