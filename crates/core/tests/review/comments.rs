//! What people say unasked: who works it in, who rules on it, and that no phase closes over it.

use super::draws::*;
use super::scenarios::{about, decide, ended, open, play_verdicts, sent};
use super::world::*;
use proptest::prelude::*;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{Effect, LoopEnd, SeatStatus, decision, question};
use redraft_facts::event::*;
use redraft_facts::findings::{Finding, FindingChange, Status};
use redraft_facts::ids::{CommentId, FindingId, Revision};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_facts::verdict::{Severity, Verdict};

fn said(world: &World, severity: Severity) -> Commented {
    Commented {
        id: CommentId::new(format!("c{}", world.log.len())),
        phase: Phase::Specify,
        finding: world.state.comments.next_finding(),
        reopens: false,
        severity,
        file: "spec.md".into(),
        line: 3,
        text: "use Postgres, not files".into(),
        by: "ann".into(),
    }
}

fn comment(world: &mut World) {
    let said = said(world, Severity::Blocker);
    world.happen(said);
}

/// A world that has sent so many dispatches, with what was answered to the last one stored and not yet judged.
fn until_answered(panels: &[usize], verdicts: &[bool], dispatches: usize) -> World {
    let mut world = World::new(rules(panels), CALM, vec![0]);
    world.script = Some(verdicts.iter().copied().collect());
    let answered = |world: &World| {
        let pending = pipeline::pending(&world.state);
        sent(world).len() == dispatches
            && pending.iter().any(|effect| matches!(effect, Effect::Judge(_) | Effect::Snapshot(_)))
    };
    for _ in 0..200 {
        if answered(&world) {
            return world;
        }
        assert!(!world.play(1), "it ended");
    }
    panic!("it never came to that");
}

fn finding<'a>(world: &'a World, id: &str) -> &'a Finding {
    let latest = world.state.latest().expect("a loop");
    latest.findings.iter().find(|finding| finding.id.as_str() == id).expect("the finding")
}

fn closed(world: &World) -> bool {
    matches!(ended(world).end, Some(LoopEnd::Closed(_)))
}

#[test]
fn what_is_said_before_the_first_draft_is_sent_with_it_and_the_first_reviewer_rules_on_it() {
    let mut world = World::new(rules(&[1, 1]), CALM, vec![0]);
    comment(&mut world);
    assert_eq!(world.state.comments.waiting.len(), 1, "the loop is not open yet");
    assert_eq!(world.state.open_comments(), [(Phase::Specify, FindingId::new("U1"))]);
    assert!(!world.play(1));
    let [Effect::Dispatch(order)] = &pipeline::pending(&world.state)[..] else { panic!("a draft is due") };
    assert_eq!(
        (order.ticket.purpose, order.findings.as_slice()),
        (Purpose::Draft, &[FindingId::new("U1")][..])
    );
    play_verdicts(&mut world, &[true, true]);
    assert_eq!(sent(&world), ["draft/author/1.1", "review/reviewer-C/1.1", "review/reviewer-D/1.1"]);
    assert!(closed(&world));
    let met = finding(&world, "U1");
    assert_eq!(
        (met.status, met.role.as_str(), met.by.as_deref()),
        (Status::Fixed, "reviewer-C", Some("ann"))
    );
    assert!(world.state.open_comments().is_empty());
}

#[test]
fn a_comment_takes_back_the_first_approval_and_the_author_works_before_anybody_reviews() {
    // Both stages have approved; only the judgement of the second is not stored.
    let mut world = until_answered(&[1, 1], &[true, true], 3);
    comment(&mut world);
    play_verdicts(&mut world, &[true, true, true]);
    let expected = [
        "draft/author/1.1",
        "review/reviewer-C/1.1",
        "review/reviewer-D/1.1",
        "revise/author/1.1",
        "review/reviewer-C/2.1",
        "validate/reviewer-D/1.1",
    ];
    assert_eq!(sent(&world), expected);
    assert!(closed(&world));
    assert_eq!(finding(&world, "U1").status, Status::Fixed);
}

#[test]
fn an_approval_that_was_given_without_a_comment_does_not_count_for_it() {
    let mut world = until_answered(&[1], &[true], 2);
    comment(&mut world);
    play_verdicts(&mut world, &[true, true]);
    let expected =
        ["draft/author/1.1", "review/reviewer-C/1.1", "revise/author/1.1", "review/reviewer-C/2.1"];
    assert_eq!(sent(&world), expected, "its own work, then the review of that");
    assert!(closed(&world));
}

#[test]
fn an_author_that_was_at_work_is_sent_what_was_said_meanwhile() {
    let mut world = until_answered(&[1], &[], 1);
    comment(&mut world);
    play_verdicts(&mut world, &[true]);
    assert_eq!(sent(&world), ["draft/author/1.1", "revise/author/1.1", "review/reviewer-C/1.1"]);
}

#[test]
fn at_a_cap_a_comment_gives_the_first_reviewer_one_more_round_and_accepting_names_it() {
    let mut few = rules(&[1]);
    few.limits.rounds = 1;
    let mut world = World::new(few, Habits { keeps: 100, ..CALM }, vec![0]);
    play_verdicts(&mut world, &[false]);
    assert_eq!(about(&world), Some(About::Cap { stage: 0 }));
    comment(&mut world);
    assert_eq!(about(&world), None, "the author works it in first");
    play_verdicts(&mut world, &[false]);
    assert_eq!(about(&world), Some(About::Cap { stage: 0 }), "a comment never lasts for ever");
    let asked = question(open(&world)).unwrap();
    assert!(asked.text.ends_with("accept would leave U1 of ann unmet"), "{}", asked.text);
    decide(&mut world, Decision::Accept);
    assert!(world.play(100) && closed(&world));
    assert_eq!(finding(&world, "U1").status, Status::Ruled, "a person said so");
}

#[test]
fn a_comment_gives_no_round_to_a_later_reviewer_whose_finding_is_declined_at_its_cap() {
    let mut few = rules(&[1, 1]);
    few.limits.rounds = 1;
    let stubborn = Habits { declines: 100, unchanged: 100, keeps: 100, ..CALM };
    let mut world = World::new(few, stubborn, vec![0]);
    play_verdicts(&mut world, &[true, false]);
    assert_eq!(about(&world), Some(About::Cap { stage: 1 }));
    comment(&mut world);
    play_verdicts(&mut world, &[false]);
    assert_eq!(about(&world), Some(About::Cap { stage: 0 }), "the later stage has no round left");
    assert_eq!(sent(&world)[3..], ["revise/author/1.1", "review/reviewer-C/2.1"]);
}

#[test]
fn a_note_is_sent_and_holds_nothing_up() {
    let mut world = until_answered(&[1], &[true], 2);
    let note = said(&world, Severity::Warning);
    world.happen(note);
    play_verdicts(&mut world, &[true]);
    assert_eq!(sent(&world), ["draft/author/1.1", "review/reviewer-C/1.1"]);
    assert!(closed(&world));
    assert_eq!(finding(&world, "U1").status, Status::Open);
    assert!(world.state.open_comments().is_empty(), "a note may be left");
}

#[test]
fn a_comment_that_is_met_may_be_opened_again_and_one_that_is_open_may_not() {
    let mut world = until_answered(&[1, 1], &[true, true], 3);
    comment(&mut world);
    let again = |world: &World, id: &str| Commented {
        finding: FindingId::new(id),
        reopens: true,
        text: "there are still files".into(),
        ..said(world, Severity::Blocker)
    };
    assert!(pipeline::step(&world.state, &again(&world, "U1").into()).is_err(), "it is open");
    assert!(pipeline::step(&world.state, &again(&world, "U2").into()).is_err(), "there is none");
    world.script = Some([true, true].into_iter().collect());
    while finding(&world, "U1").status == Status::Open {
        assert!(!world.play(1));
    }
    let opened = again(&world, "U1");
    world.happen(opened);
    assert_eq!(finding(&world, "U1").note, "opened again by ann: there are still files");
    play_verdicts(&mut world, &[true, true]);
    assert!(closed(&world));
    assert_eq!(sent(&world)[5..], ["revise/author/2.1", "review/reviewer-C/3.1", "validate/reviewer-D/1.1"]);
}

#[test]
fn a_phase_that_is_over_is_opened_again_first_and_takes_up_what_was_said() {
    let mut world = World::new(rules(&[1]), CALM, vec![0]);
    play_verdicts(&mut world, &[true]);
    assert!(closed(&world));
    let comment = said(&world, Severity::Blocker);
    assert!(pipeline::step(&world.state, &comment.clone().into()).is_err());
    let note = said(&world, Severity::Warning);
    assert!(pipeline::step(&world.state, &note.into()).is_ok(), "a note opens nothing");
    world.happen(WentBack { phase: Phase::Specify, by: "ann".into(), why: "w".into() });
    world.happen(comment.clone());
    assert!(pipeline::step(&world.state, &comment.into()).is_err(), "once is enough");
    play_verdicts(&mut world, &[true]);
    assert_eq!(sent(&world)[2..], ["revise/author/1.1", "review/reviewer-C/1.1"]);
    assert!(closed(&world));
    assert_eq!(finding(&world, "U1").status, Status::Fixed);
}

#[test]
fn an_author_that_declines_a_comment_is_heard_and_then_a_person_decides() {
    let stubborn = Habits { declines: 100, unchanged: 100, keeps: 100, ..CALM };
    let mut world = World::new(rules(&[1]), stubborn, vec![0]);
    comment(&mut world);
    play_verdicts(&mut world, &[false, false]);
    assert_eq!(about(&world), Some(About::Disagreement { finding: FindingId::new("U1") }));
    let text = question(open(&world)).unwrap().text;
    assert!(
        text.starts_with("U1 of ann is not met: uphold has author work it in, overrule ends it"),
        "{text}"
    );
    decide(&mut world, Decision::Overrule);
    assert!(world.play(100) && closed(&world));
    assert_eq!(finding(&world, "U1").status, Status::Overruled);
}

#[test]
fn where_nobody_reviews_the_authors_change_meets_a_comment_and_its_refusal_goes_to_the_person() {
    let mut express = rules(&[1]);
    express.lane = Lane::Express;
    let mut world = World::new(express.clone(), CALM, vec![0]);
    comment(&mut world);
    assert!(world.play(100) && closed(&world));
    assert_eq!(finding(&world, "U1").status, Status::Fixed);
    let mut world = World::new(express, Habits { declines: 100, ..CALM }, vec![0]);
    assert!(!world.play(4), "it has a draft");
    comment(&mut world);
    assert!(world.play(100));
    assert_eq!(about(&world), Some(About::Disagreement { finding: FindingId::new("U1") }));
    world.habits = CALM;
    decide(&mut world, Decision::Uphold);
    assert!(world.play(100) && closed(&world), "it was told once more, and changed the file");
}

#[test]
fn a_person_who_wants_to_be_asked_approves_the_revision_that_was_looked_at() {
    let mut asks = rules(&[1]);
    asks.asks_after = true;
    let mut world = World::new(asks, CALM, vec![0]);
    play_verdicts(&mut world, &[true]);
    assert_eq!(about(&world), Some(About::Approval));
    let asked = question(open(&world)).unwrap();
    assert_eq!(asked.choices, [Decision::Approve, Decision::Comment, Decision::Abandon]);
    assert!(asked.text.contains("approved by reviewer-C; look at revision"), "{}", asked.text);
    let approve = decision(open(&world), &asked, Decision::Approve, "ann", "");
    for moved in [None, Some(Revision::new("another"))] {
        let moved = Decided { revision: moved, ..approve.clone() };
        assert!(pipeline::step(&world.state, &moved.into()).is_err());
    }
    let comment_instead = decision(open(&world), &asked, Decision::Comment, "ann", "w");
    assert!(pipeline::step(&world.state, &comment_instead.into()).is_err(), "it is stored as a comment");
    comment(&mut world);
    play_verdicts(&mut world, &[true]);
    assert_eq!(about(&world), Some(About::Approval), "what was changed for it is looked at again");
    decide(&mut world, Decision::Approve);
    assert!(world.play(10) && closed(&world));
}

#[test]
fn fresh_eyes_and_rulings_are_asked_again_after_a_comment() {
    let mut fresh = rules(&[1]);
    fresh.certify = Certify::Fresh;
    fresh.limits.rounds = 1;
    let mut world = World::new(fresh, Habits { keeps: 100, ..CALM }, vec![0]);
    play_verdicts(&mut world, &[false]);
    decide(&mut world, Decision::Accept);
    assert!(matches!(open(&world).reviewers[0].standing, SeatStatus::Ruled { .. }));
    comment(&mut world);
    assert_eq!(open(&world).reviewers[0].standing, SeatStatus::Unasked);
    play_verdicts(&mut world, &[true, true]);
    assert!(closed(&world));
}

#[test]
fn fresh_eyes_that_find_a_met_comment_open_again_send_it_back_to_the_first_reviewer() {
    let mut fresh = rules(&[1]);
    fresh.certify = Certify::Fresh;
    fresh.limits.reopenings = 0;
    let mut world = World::new(fresh, CALM, vec![0]);
    comment(&mut world);
    // The first reviewer approves only the second revision, so somebody with fresh eyes is asked.
    world.script = Some([false, true].into_iter().collect());
    let certificate = loop {
        let due = pipeline::pending(&world.state).into_iter().find_map(|effect| match effect {
            Effect::Judge(ticket) if ticket.purpose == Purpose::Certify => Some(ticket),
            _ => None,
        });
        match due {
            Some(ticket) => break ticket,
            None => assert!(!world.play(1), "it ended"),
        }
    };
    assert_eq!(finding(&world, "U1").status, Status::Fixed);
    world.happen(Judged {
        ticket: certificate,
        judgement: Judgement::Rejected,
        verdict: Verdict::default(),
        changes: vec![FindingChange::Reopened { id: FindingId::new("U1"), note: "was fixed".into() }],
        late: false,
        notes: vec![],
        settled: false,
    });
    assert!(
        open(&world).stages[0].closed.is_none() && about(&world).is_none(),
        "the first reviewer is asked"
    );
    let before = sent(&world).len();
    play_verdicts(&mut world, &[true]);
    assert_eq!(sent(&world)[before..], ["review/reviewer-C/3.1"]);
    assert_eq!(about(&world), Some(About::Certificate), "what fresh eyes said is left to a person");
    let asked = question(open(&world)).unwrap().text;
    assert!(asked.ends_with("its reviewer says that it is met"), "{asked}");
    decide(&mut world, Decision::Accept);
    assert!(world.play(10) && closed(&world));
    assert!(ended(&world).reviewers.iter().all(|seat| seat.approved().is_some()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_comment_is_lost_and_no_phase_closes_over_one(mut world in any_world(), often in 5u8..60) {
        world.habits.comments = often;
        prop_assert!(world.play(STEPS_MAX), "did not end");
        let mut state = Pipeline::default();
        for entry in &world.log {
            let before = state.clone();
            state = pipeline::step(&state, &entry.event).unwrap();
            for one in &state.comments.all {
                prop_assert!(state.comment(&one.finding).is_some(), "{} is lost", one.finding);
            }
            if let Event::PhaseClosed(_) = &entry.event {
                let loops = state.past.last().into_iter();
                let left: Vec<&Finding> = loops.flat_map(|one| &one.findings).filter(|one| one.is_open_comment()).collect();
                prop_assert!(left.is_empty(), "closed over {:?}", left);
            }
            if let Event::Commented(fact) = &entry.event {
                prop_assert!(!before.comments.has(&fact.id));
                prop_assert!(pipeline::step(&state, &entry.event).is_err(), "a second delivery changes nothing");
                let open = state.open_comments().iter().any(|(_, id)| *id == fact.finding);
                prop_assert_eq!(open, fact.severity == Severity::Blocker);
            }
            if let Event::Decided(fact) = &entry.event {
                let was_open = before.open_comments();
                let ended = was_open.iter().filter(|(_, id)| !state.open_comments().iter().any(|(_, one)| one == id));
                for (_, id) in ended {
                    prop_assert!(fact.ruled.contains(id), "{} was settled without its name", id);
                }
            }
        }
    }
}
