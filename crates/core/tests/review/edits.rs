//! A person edits the document while a loop is open: at a question, after a ruling.

use super::scenarios::{about, decide, ended, open, play_verdicts, sent};
use super::world::*;
use redraft_core::review::{Effect, LoopEnd, decision, pending, question};
use redraft_facts::event::*;
use redraft_facts::ids::{Revision, Role};
use redraft_facts::prelude::*;

fn edit(world: &mut World, revision: &str) {
    world.happen(Edited {
        revision: Revision::new(revision),
        commit: "c".into(),
        by: "ann".into(),
        first: false,
        compared: None,
    });
}

#[test]
fn a_persons_edit_reaches_every_role() {
    let mut world = World::new(rules(&[1, 1]), CALM, vec![1]);
    world.script = Some([].into());
    let closing = |world: &World| {
        let open = world.state.open.as_ref();
        open.is_some_and(|open| matches!(pending(open).as_slice(), [Effect::ClosePhase { .. }]))
    };
    while !closing(&world) {
        assert!(!world.play(1));
    }
    edit(&mut world, "edited");
    assert!(world.play(100));
    let validated = sent(&world).iter().filter(|ticket| ticket.starts_with("validate/")).count();
    assert_eq!(validated, 2);
}

/// A loop of one stage that has used up its only round.
fn capped() -> World {
    let limits = Limits { rounds: 1, ..Limits::default() };
    let mut world = World::new(Rules { limits, ..rules(&[1]) }, CALM, vec![1]);
    play_verdicts(&mut world, &[false]);
    assert_eq!(about(&world), Some(About::Cap { stage: 0 }));
    world
}

fn asked(world: &World) -> Question {
    question(open(world)).expect("nothing is asked")
}

#[test]
fn an_edit_at_the_cap_makes_it_another_question_with_the_same_choices() {
    let mut world = capped();
    let before = asked(&world);
    edit(&mut world, "edited-0123456789");
    assert!(world.play(10));
    let after = asked(&world);
    assert_eq!((&after.about, &after.choices), (&before.about, &before.choices));
    assert!(!before.text.contains("edited"), "{}", before.text);
    let said =
        "; the document was edited since the last review: revision edited-012 was not seen by reviewer-C";
    assert!(after.text.contains(said), "{}", after.text);
    edit(&mut world, "edited-again");
    assert!(world.play(10));
    assert_ne!(asked(&world).text, after.text, "another edit, another question");
}

#[test]
fn accepting_an_edit_nobody_reviewed_says_so_and_an_ordinary_ruling_does_not() {
    let mut world = capped();
    decide(&mut world, Decision::Accept);
    let unseen = |world: &World| {
        let decided = world.log.iter().rev().find_map(|entry| match &entry.event {
            Event::Decided(fact) => Some(fact.clone()),
            _ => None,
        });
        decided.unwrap().unseen
    };
    assert_eq!(unseen(&world), []);

    let mut world = capped();
    edit(&mut world, "edited");
    assert!(world.play(10));
    decide(&mut world, Decision::Accept);
    assert_eq!(unseen(&world), [Role::new("reviewer-C")]);
    assert!(world.play(10));
    assert!(matches!(ended(&world).end, Some(LoopEnd::Closed(_))));
    let history = redraft_reports::projections::history(&world.log);
    assert!(history.contains("- Not reviewed: reviewer-C did not see revision edited\n"), "{history}");
    let closed = "- Accepted by a ruling in place of reviewer-C, which did not see this revision\n";
    assert!(history.contains(closed), "{history}");
    let notes = redraft_reports::projections::receipt(&world.log).notes;
    assert_eq!(notes, ["ann accepted revision edited, which reviewer-C did not review"]);
}

#[test]
fn an_edit_after_a_ruling_is_asked_about_again_and_reviewed_where_a_round_is_left() {
    let mut world = capped();
    decide(&mut world, Decision::Accept);
    edit(&mut world, "edited");
    assert!(world.play(10));
    assert_eq!(about(&world), Some(About::Cap { stage: 0 }), "the ruling was about the older text");
    assert_eq!(sent(&world).len(), 2, "nobody was paid");

    // Here the ruling settled an author that changed nothing, with rounds left.
    let mut world = World::new(rules(&[1]), Habits { unchanged: 100, ..CALM }, vec![1]);
    play_verdicts(&mut world, &[false]);
    decide(&mut world, Decision::Accept);
    edit(&mut world, "edited");
    assert!(world.play(10));
    assert_eq!(sent(&world).last().unwrap(), "review/reviewer-C/2.1");
    let Some(LoopEnd::Closed(closed)) = &ended(&world).end else { panic!("not closed") };
    assert_eq!(closed.approvals.len(), 1);
}

#[test]
fn a_decision_about_another_revision_and_a_question_about_another_thing_are_refused() {
    let mut world = capped();
    let (question, state) = (asked(&world), world.state.clone());
    let stale = decision(open(&world), &question, Decision::Accept, "ann", "w");
    edit(&mut world, "edited");
    assert!(world.play(10));
    assert!(redraft_core::pipeline::step(&world.state, &stale.into()).is_err());
    let reworded = Question { text: "in other words".into(), ..question.clone() };
    assert!(
        redraft_core::pipeline::step(&state, &Asked { question: reworded, estimate: None }.into()).is_ok()
    );
    let other = Question { about: About::Gate, ..question };
    assert!(redraft_core::pipeline::step(&state, &Asked { question: other, estimate: None }.into()).is_err());
}

#[test]
fn a_ruling_that_names_no_revision_covers_later_edits() {
    let mut world = capped();
    let mut decided = decision(open(&world), &asked(&world), Decision::Accept, "ann", "w");
    decided.revision = None;
    world.happen(decided);
    edit(&mut world, "edited");
    assert!(world.play(10));
    assert!(matches!(ended(&world).end, Some(LoopEnd::Closed(_))));
}

#[test]
fn what_a_change_is_compared_with_moves_with_an_edit_or_alone_and_older_bases_are_known() {
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    world.script = Some([].into());
    let compared = |base: &str, said: &str| {
        let (base, intent) = (Revision::new(base), Some(redraft_facts::text::hash(said.as_bytes())));
        Some(Compared { base, intent, said: said.to_owned() })
    };
    let edited = |revision: &str, compared: Option<Compared>| {
        let (revision, commit, by) = (Revision::new(revision), "c".to_owned(), "ann".to_owned());
        Edited { revision, commit, by, first: false, compared }
    };
    let closing = |world: &World| {
        let open = world.state.open.as_ref();
        open.is_some_and(|open| matches!(pending(open).as_slice(), [Effect::ClosePhase { .. }]))
    };
    while !closing(&world) {
        assert!(!world.play(1));
    }
    world.happen(edited("one", compared("b1", "first")));
    let (epoch, known) = (open(&world).epoch, open(&world).clone());
    assert_eq!(
        (known.base(), known.summaries_since(epoch - 1)),
        (Some(&Revision::new("b1")), vec!["first".to_owned()])
    );
    assert_eq!(known.intent, Some(redraft_facts::text::hash(b"first")));
    // The same again is not an edit; the same with another base is, and asks nobody anything new.
    let same: Event = edited("one", compared("b1", "again")).into();
    assert!(redraft_core::pipeline::step(&world.state, &same).is_err());
    let owed = redraft_core::pipeline::pending(&world.state);
    world.happen(edited("one", compared("b2", "")));
    assert_eq!((open(&world).epoch, redraft_core::pipeline::pending(&world.state)), (epoch, owed));
    world.happen(edited("two", compared("b3", "")));
    let now = open(&world);
    assert_eq!(now.base(), Some(&Revision::new("b3")));
    assert_eq!(now.base_at(epoch), Some(&Revision::new("b2")));
    assert_eq!(now.base_at(epoch - 1), now.opened.base.as_ref());
}
