//! What holds for declined findings in every play of a loop.

use super::super::draws::*;
use proptest::prelude::*;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{Dispute, Loop};
use redraft_facts::event::*;
use redraft_facts::findings::{Finding, FindingChange, Status};
use redraft_facts::ids::FindingId;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

/// How far the disagreement about a finding has come, counted from the events alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Declined,
    Kept,
    DeclinedAgain,
}

/// Counts an event that the state after it has taken in.
fn count(
    told: &mut BTreeMap<FindingId, Told>,
    upheld: &mut BTreeSet<FindingId>,
    after: &Loop,
    event: &Event,
) {
    match event {
        Event::LoopOpened(_) => told.clear(),
        Event::Drafted(Drafted { revision: Some(_), declined, .. }) => {
            for Declined { id, .. } in declined.iter().filter(|declined| !upheld.contains(&declined.id)) {
                let now = match told.get(id) {
                    None | Some(Told::Declined) => Told::Declined,
                    Some(Told::Kept | Told::DeclinedAgain) => Told::DeclinedAgain,
                };
                told.insert(id.clone(), now);
            }
        }
        Event::Judged(Judged { judgement: Judgement::Rejected, ticket, .. })
            if after.reviewer(&ticket.role).is_some_and(|seat| seat.rejected_in(after.epoch)) =>
        {
            let mine = after.findings.iter().filter(|finding| finding.role == ticket.role);
            for finding in mine.filter(|_| ticket.purpose != Purpose::Certify) {
                told.entry(finding.id.clone()).and_modify(|now| *now = Told::Kept);
            }
        }
        Event::Edited(_) => {
            told.values_mut().filter(|now| **now == Told::DeclinedAgain).for_each(|now| *now = Told::Kept)
        }
        Event::Decided(Decided {
            choice: Decision::Uphold, about: About::Disagreement { finding }, ..
        }) => {
            upheld.insert(finding.clone());
            told.remove(finding);
        }
        _ => {}
    }
    let stands =
        |id: &FindingId| after.findings.iter().any(|one| one.id == *id && one.blocks(after.opened.rule));
    told.retain(|id, _| stands(id));
    upheld.retain(|id| stands(id));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// After its second decline nobody works on until a person has decided, except that gates are mended.
    #[test]
    fn no_finding_is_declined_for_ever_without_a_person_being_asked(mut world in any_world()) {
        world.habits.declines = world.habits.declines.max(60);
        world.habits.keeps = world.habits.keeps.max(60);
        world.play(STEPS_MAX);
        let (mut state, mut told, mut upheld) = (Pipeline::default(), BTreeMap::new(), BTreeSet::new());
        for entry in &world.log {
            if let (Event::Started(fact), Some(open)) = (&entry.event, &state.open) {
                let insists = told.values().any(|now| *now == Told::DeclinedAgain);
                prop_assert!(!insists || open.failed_gate().is_some(), "{}: {:?}", fact.ticket, told);
            }
            pipeline::fold(&mut state, &entry.event).unwrap();
            if let Some(latest) = state.latest() {
                count(&mut told, &mut upheld, latest, &entry.event);
            }
        }
    }

    #[test]
    fn an_overruled_finding_never_blocks_and_stays_overruled(mut world in any_world()) {
        world.habits.declines = world.habits.declines.max(60);
        world.habits.keeps = world.habits.keeps.max(60);
        world.habits.person = true;
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        // Ids begin anew in every phase.
        let mut overruled: BTreeSet<(Phase, FindingId)> = BTreeSet::new();
        for entry in &world.log {
            if let (Event::Decided(fact), Some(open)) = (&entry.event, &state.open)
                && fact.choice == Decision::Overrule
            {
                overruled.extend(fact.ruled.iter().map(|id| (open.opened.phase, id.clone())));
            }
            // Whoever made a comment may open it again.
            if let Event::Commented(fact) = &entry.event
                && fact.reopens
            {
                overruled.remove(&(fact.phase, fact.finding.clone()));
            }
            pipeline::fold(&mut state, &entry.event).unwrap();
            let Some(latest) = state.latest() else { continue };
            let known = |finding: &&Finding| overruled.contains(&(latest.opened.phase, finding.id.clone()));
            for finding in latest.findings.iter().filter(known) {
                prop_assert_eq!(finding.status, Status::Overruled);
                prop_assert!(!finding.blocks(latest.opened.rule));
                prop_assert!(!latest.disputes.contains_key(&finding.id));
            }
        }
    }

    /// A dispute is only in the way of what is open, and a reviewer answers each once.
    #[test]
    fn a_reviewer_is_shown_a_reply_at_most_once_for_each_finding(mut world in any_world()) {
        world.habits.declines = world.habits.declines.max(60);
        world.habits.keeps = world.habits.keeps.max(60);
        world.play(STEPS_MAX);
        let mut state = Pipeline::default();
        let mut shown: BTreeSet<(u16, FindingId)> = BTreeSet::new();
        for entry in &world.log {
            if let (Event::Judged(fact), Some(open)) = (&entry.event, &state.open)
                && matches!(fact.judgement, Judgement::Approved | Judgement::Rejected)
                && matches!(fact.ticket.purpose, Purpose::Review | Purpose::Validate)
            {
                let mine = open.findings.iter().filter(|finding| finding.role == fact.ticket.role);
                for finding in mine.filter(|finding| open.disputes.get(&finding.id).is_some_and(Dispute::is_unheard)) {
                    let key = (open.opened.pass, finding.id.clone());
                    prop_assert!(shown.insert(key), "{} was shown twice", finding.id);
                }
            }
            match &entry.event {
                Event::LoopOpened(_) => shown.clear(),
                // Whoever made a comment may open it again: the author answers it anew then.
                Event::Commented(fact) if fact.reopens => shown.retain(|(_, id)| *id != fact.finding),
                // So may a reviewer that finds it again.
                Event::Judged(fact) => {
                    for change in &fact.changes {
                        if let FindingChange::Reopened { id: again, .. } = change {
                            shown.retain(|(_, id)| id != again);
                        }
                    }
                }
                _ => {}
            }
            pipeline::fold(&mut state, &entry.event).unwrap();
        }
    }
}
