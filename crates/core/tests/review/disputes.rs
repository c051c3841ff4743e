//! Findings that an author declines: who is asked, how often, and what a person's decision changes.

mod every_play;

use super::scenarios::{about, ended, open, play_verdicts, sent};
use super::world::*;
use redraft_core::review::{Effect, Loop, LoopEnd, decision, pending, question};
use redraft_facts::event::*;
use redraft_facts::findings::Status;
use redraft_facts::ids::FindingId;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

/// Authors decline everything and change nothing, reviewers keep what they found.
const STUBBORN: Habits = Habits { declines: 100, unchanged: 100, keeps: 100, ..CALM };

fn disagreement(id: &str) -> Option<About> {
    Some(About::Disagreement { finding: FindingId::new(id) })
}

/// A world in which these verdicts are given and the author declines what is open.
fn declining(panels: &[usize], verdicts: &[bool]) -> World {
    let mut world = World::new(rules(panels), STUBBORN, vec![0]);
    play_verdicts(&mut world, verdicts);
    world
}

fn decide(world: &mut World, choice: Decision, why: &str) {
    let question = question(open(world)).unwrap();
    let decided = decision(open(world), &question, choice, "ann", why);
    world.happen(Asked { question, estimate: None });
    world.happen(decided);
}

fn status(state: &Loop, id: &str) -> (Status, String) {
    let finding = state.findings.iter().find(|finding| finding.id.as_str() == id).unwrap();
    (finding.status, finding.note.clone())
}

#[test]
fn a_declined_finding_goes_to_its_reviewer_once_and_then_to_a_person_with_both_texts() {
    let world = declining(&[1], &[false, false]);
    let expected = [
        "draft/author/1.1",
        "review/reviewer-C/1.1",
        "revise/author/1.1",
        "review/reviewer-C/2.1",
        "revise/author/2.1",
    ];
    assert_eq!(sent(&world), expected);
    assert_eq!(about(&world), disagreement("C1"));
    let asked = question(open(&world)).unwrap();
    let lines: Vec<&str> = asked.text.lines().collect();
    let expected = [
        "author and reviewer-C disagree about C1: uphold has it fixed, overrule ends it",
        "  C1 blocker, reviewer-C: no reason given (at: no place given)",
        "    author: it does not hold",
        "    reviewer-C: it is still there",
        "    author: it does not hold",
    ];
    assert_eq!(lines, expected);
    use Decision::{Abandon, Accept, Overrule, Rerun, Uphold};
    assert_eq!(asked.choices, [Uphold, Overrule, Accept, Rerun, Abandon]);
    assert_eq!(open(&world).stages[0].rounds, 2, "the reviewer's second look is a round");
}

#[test]
fn a_reviewer_that_is_convinced_approves_and_nobody_is_asked() {
    let world = declining(&[1], &[false, true]);
    assert!(matches!(ended(&world).end, Some(LoopEnd::Closed(_))));
    assert!(ended(&world).disputes.is_empty());
    let drafted = world.log.iter().filter(|entry| matches!(entry.event, Event::Drafted(_))).count();
    assert_eq!(drafted, 2, "the file never changed");
}

#[test]
fn an_overruled_finding_is_a_status_of_its_own_and_its_stage_is_not_failed() {
    let mut world = declining(&[1], &[false, false]);
    decide(&mut world, Decision::Overrule, "R1 has it");
    assert_eq!(status(open(&world), "C1"), (Status::Overruled, "ann: R1 has it".to_owned()));
    let [Effect::CloseStage { outcome, .. }] = &pending(open(&world))[..] else { panic!("it goes on") };
    assert_eq!(*outcome, StageOutcome::Approved);
    assert!(world.play(20));
    let Some(LoopEnd::Closed(closed)) = &ended(&world).end else { panic!("it is not closed") };
    assert_eq!(closed.overruled, [FindingId::new("C1")]);
    assert_eq!((closed.ruled.len(), closed.approvals.len()), (0, 1));
    assert_eq!(closed.approvals[0].ticket.to_string(), "031/specify.1/review/reviewer-C/2.1");
    let settled = &world.state.settled[0];
    assert_eq!(
        settled.name(),
        "C1 of specify, overruled by ann: R1 has it",
        "whoever repeats it raises nothing"
    );
    assert_eq!(settled.ruling.status(), Status::Overruled);
}

#[test]
fn an_upheld_finding_must_be_mended_and_declining_it_is_no_answer_any_more() {
    let mut world = declining(&[1], &[false, false]);
    decide(&mut world, Decision::Uphold, "R1 has no number");
    assert_eq!(status(open(&world), "C1"), (Status::Open, "upheld by ann: R1 has no number".to_owned()));
    let upheld = open(&world).disputes[&FindingId::new("C1")].upheld.clone().unwrap();
    assert_eq!((upheld.by.as_str(), upheld.why.as_str()), ("ann", "R1 has no number"));
    assert!(world.play(100));
    assert_eq!(
        sent(&world)[5..],
        ["revise/author/3.1", "revise/author/4.1"],
        "the reviewer is not asked again"
    );
    assert_eq!(about(&world), Some(About::Unchanged));
    world.habits = CALM;
    decide(&mut world, Decision::Retry, "");
    play_verdicts(&mut world, &[true]);
    assert!(
        matches!(ended(&world).end, Some(LoopEnd::Closed(_))),
        "it was changed, and the reviewer approved"
    );
}

#[test]
fn what_is_accepted_holds_and_fails_the_stage() {
    let mut world = declining(&[1], &[false, false]);
    decide(&mut world, Decision::Accept, "known");
    assert_eq!(status(open(&world), "C1"), (Status::Ruled, "known".to_owned()));
    let [Effect::CloseStage { outcome, .. }] = &pending(open(&world))[..] else { panic!("it goes on") };
    assert_eq!(*outcome, StageOutcome::Failed);
}

#[test]
fn only_the_reviewer_whose_finding_was_declined_is_asked_again() {
    let mut world = World::new(rules(&[3]), CALM, vec![0]);
    play_until_author(&mut world, &[false, true, false]);
    decline(&mut world, &["C1"]);
    let orders = pending(open(&world));
    let [Effect::Dispatch(order)] = &orders[..] else { panic!("{orders:?}") };
    assert_eq!(order.ticket.to_string(), "031/specify.1/review/reviewer-C/2.1");
    assert_eq!(order.since, order.sees, "about the revision it has judged");
    world.script = Some([true].into());
    play_to(&mut world, Purpose::Revise);
    assert!(open(&world).reviewers[0].approved().is_some());
    let open_ids: Vec<&str> = open(&world)
        .findings
        .iter()
        .filter(|finding| finding.status == Status::Open)
        .map(|finding| finding.id.as_str())
        .collect();
    assert_eq!(open_ids, ["E2"], "the other finding is the author's next work");
}

#[test]
fn a_second_decline_is_asked_about_also_where_the_file_changed() {
    let mut world = World::new(rules(&[1]), Habits { keeps: 100, ..CALM }, vec![0]);
    play_until_author(&mut world, &[false]);
    decline(&mut world, &["C1"]);
    play_until_author(&mut world, &[false]);
    let ticket = open(&world).flights().next().unwrap().1.started.ticket.clone();
    drafted(&mut world, ticket, "another", &["C1"]);
    assert!(world.play(2), "the gate is checked first");
    assert_eq!(about(&world), disagreement("C1"));
    decide(&mut world, Decision::Overrule, "no");
    let orders = pending(open(&world));
    assert!(
        matches!(&orders[..], [Effect::Dispatch(order)] if order.ticket.purpose == Purpose::Review),
        "the reviewer has not seen this revision: {orders:?}"
    );
}

/// Two reviewers found the same, and nobody gives way.
fn insisting_on_one_defect(panels: &[usize], limits: Limits) -> World {
    let mut world = World::new(Rules { limits, ..rules(panels) }, STUBBORN, vec![0]);
    play_until_author(&mut world, &[false, false]);
    for finding in &mut world.state.open.as_mut().unwrap().findings {
        (finding.file, finding.line) = ("src/app.py".to_owned(), 12);
        finding.description = "A write that fails is caught and success is returned to the caller".to_owned();
    }
    play_verdicts(&mut world, &[false, false]);
    world
}

#[test]
fn whoever_rules_on_a_finding_rules_on_all_that_are_about_the_same_defect() {
    let cases = [
        (Decision::Overrule, (Status::Overruled, "ann: w".to_owned())),
        (Decision::Accept, (Status::Ruled, "w".to_owned())),
        (Decision::Uphold, (Status::Open, "upheld by ann: w".to_owned())),
    ];
    for (choice, expected) in cases {
        let mut world = insisting_on_one_defect(&[2], Limits::default());
        assert_eq!(about(&world), disagreement("C1"));
        let asked = question(open(&world)).unwrap().text;
        assert!(asked.contains("; D2 is about the same defect and is decided with it\n"), "{asked}");
        assert!(asked.contains("\n  D2 blocker, reviewer-D: A write"), "{asked}");
        decide(&mut world, choice, "w");
        for id in ["C1", "D2"] {
            assert_eq!(status(open(&world), id), expected, "{choice:?} {id}");
            let upheld =
                open(&world).disputes.get(&FindingId::new(id)).is_some_and(|one| one.upheld.is_some());
            assert_eq!(upheld, choice == Decision::Uphold, "{choice:?} {id}");
        }
        assert_eq!(about(&world), None, "nobody is asked about the other one");
        let again = matches!(&pending(open(&world))[..], [Effect::Dispatch(_)]);
        assert_eq!(
            again,
            choice == Decision::Uphold,
            "the author is sent back only for what holds: {choice:?}"
        );
    }
}

#[test]
fn what_may_be_another_defect_is_not_decided_along() {
    let mut world = declining(&[2], &[false, false, false, false]);
    assert_eq!(about(&world), disagreement("C1"));
    decide(&mut world, Decision::Overrule, "w");
    assert_eq!(status(open(&world), "D2").0, Status::Open);
    assert_eq!(about(&world), disagreement("D2"));
}

#[test]
fn at_the_cap_what_was_declined_can_be_overruled_too() {
    let limits = Limits { rounds: 2, ..Limits::default() };
    let mut world = World::new(Rules { limits, ..rules(&[1]) }, STUBBORN, vec![0]);
    play_verdicts(&mut world, &[false, false]);
    assert_eq!(about(&world), Some(About::Cap { stage: 0 }), "the author has no further turn");
    let asked = question(open(&world)).unwrap();
    let lines: Vec<&str> = asked.text.lines().collect();
    let expected = [
        "reviewer-C did not approve within 2 rounds; 1 open finding; the author declines C1 (overrule ends these)",
        "  C1 blocker, reviewer-C: no reason given (at: no place given)",
        "    author: it does not hold",
        "    reviewer-C: it is still there",
    ];
    assert_eq!(lines, expected);
    use Decision::{Abandon, Accept, Overrule, Rerun, Retry};
    assert_eq!(asked.choices, [Accept, Overrule, Retry, Rerun, Abandon]);
    decide(&mut world, Decision::Overrule, "R1 has it");
    assert!(world.play(20));
    let Some(LoopEnd::Closed(closed)) = &ended(&world).end else { panic!("it is not closed") };
    assert_eq!((closed.overruled.len(), closed.ruled.len(), closed.approvals.len()), (1, 0, 1));
}

#[test]
fn a_turn_that_answers_nothing_is_told_that_the_file_must_change_and_what_it_said_is_kept() {
    let mut world = World::new(rules(&[1]), CALM, vec![0]);
    play_until_author(&mut world, &[false]);
    decline(&mut world, &[]);
    assert_eq!((open(&world).unchanged, open(&world).said.as_str()), (1, "because"));
    let mut argued = World::new(rules(&[1]), CALM, vec![0]);
    play_until_author(&mut argued, &[false]);
    decline(&mut argued, &["C1"]);
    assert_eq!(open(&argued).unchanged, 0);
    assert_eq!(open(&argued).disputes[&FindingId::new("C1")].reply, "it does not hold");
}

#[test]
fn an_edit_by_a_person_takes_the_question_back() {
    let mut world = declining(&[1], &[false, false]);
    world.happen(Edited {
        revision: redraft_facts::ids::Revision::new("edited"),
        commit: "c".into(),
        by: "ann".into(),
        first: false,
        compared: None,
    });
    world.script = Some([false].into());
    play_to(&mut world, Purpose::Review);
    assert_eq!(about(&world), None, "the reviewer judges the edit first");
}

fn play_to(world: &mut World, purpose: Purpose) {
    let here = |world: &World| {
        world.state.open.as_ref().is_some_and(|open| {
            open.flights()
                .any(|(_, flight)| flight.started.ticket.purpose == purpose && flight.answered.is_some())
        })
    };
    for _ in 0..200 {
        if here(world) {
            return;
        }
        assert!(!world.play(1), "nothing is pending");
    }
    panic!("nobody was sent {purpose:?}");
}

/// Plays these verdicts until the author has answered what was found.
fn play_until_author(world: &mut World, verdicts: &[bool]) {
    world.script = Some(verdicts.iter().copied().collect());
    play_to(world, Purpose::Revise);
}

/// The author leaves the file as it is and declines these.
fn decline(world: &mut World, ids: &[&str]) {
    let ticket = open(world).flights().next().unwrap().1.started.ticket.clone();
    let revision = open(world).revision.clone().unwrap().to_string();
    drafted(world, ticket, &revision, ids);
}

fn drafted(world: &mut World, ticket: redraft_facts::ticket::Ticket, revision: &str, ids: &[&str]) {
    let why = "it does not hold".to_owned();
    let declined = ids.iter().map(|id| Declined { id: FindingId::new(*id), why: why.clone() }).collect();
    world.happen(Drafted {
        ticket,
        revision: Some(redraft_facts::ids::Revision::new(revision)),
        commit: "c".into(),
        summary: "because".into(),
        notes: vec![],
        questions: vec![],
        declined,
    });
}
