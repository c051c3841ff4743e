//! The guarantees of a ledger.

#![expect(clippy::disallowed_methods, reason = "these are the promises of storing itself")]

use super::kept_by_both;
use crate::world::{World, paths};
use redraft_engine::ports::{Append, Store, StoreError};
use redraft_facts::event::{Cancelled, Entry, Event};
use redraft_facts::ids::FeatureId;
use redraft_facts::text::hash;
use redraft_facts::ticket::Scope;

const ONE: Scope = Scope::Feature(FeatureId(1));
const TWO: Scope = Scope::Feature(FeatureId(2));

kept_by_both! {
    events_come_back_in_order_numbered_over_all_scopes_and_for_another_process_too,
    several_events_are_stored_together_or_not_at_all,
    what_was_decided_on_an_older_event_is_refused_whole,
    a_scope_moves_on_by_itself,
    blobs_are_found_by_their_hash_and_by_nothing_else,
    a_key_is_taken_out_of_every_text_on_its_way_in,
    the_board_row_is_that_of_the_last_append_that_brought_one,
    a_redaction_replaces_bodies_says_so_and_drops_the_board,
    each_kind_is_handed_over_whatever_the_scope_and_a_later_programs_event_is_passed_over,
    a_scope_with_an_event_of_a_later_program_is_not_read,
    what_was_looked_at_is_not_looked_at_again_once_something_was_stored_since,
    a_ledger_that_was_removed_takes_no_more_events,
    a_conversation_has_the_same_name_for_the_same_words,
}

fn event(why: &str) -> Event {
    Cancelled { by: "ada".to_owned(), why: why.to_owned() }.into()
}

fn append<'a>(
    scope: Scope,
    decided_on: u64,
    events: &'a [Event],
    blobs: &'a [Vec<u8>],
    board: Option<&'a str>,
) -> Append<'a> {
    Append { scope, decided_on, at_ms: 7, events, blobs, board, elsewhere: None }
}

/// One event, whose reason is also a blob and the board's row.
fn put(store: &dyn Store, scope: Scope, decided_on: u64, why: &str) -> Result<Vec<Entry>, StoreError> {
    store.append(append(scope, decided_on, &[event(why)], &[why.into()], Some(why)))
}

fn whys(entries: &[Entry]) -> Vec<(u64, String)> {
    let why = |entry: &Entry| match &entry.event {
        Event::Cancelled(fact) => (entry.seq, fact.why.clone()),
        other => panic!("{other:?}"),
    };
    entries.iter().map(why).collect()
}

fn pairs(of: &[(u64, &str)]) -> Vec<(u64, String)> {
    of.iter().map(|(seq, why)| (*seq, (*why).to_owned())).collect()
}

fn events_come_back_in_order_numbered_over_all_scopes_and_for_another_process_too(world: &dyn World) {
    let ours = world.ledger();
    assert_eq!(whys(&put(ours.store(), ONE, 0, "a").unwrap()), pairs(&[(1, "a")]));
    put(ours.store(), TWO, 0, "b").unwrap();
    put(ours.store(), ONE, 1, "c").unwrap();
    for ledger in [ours, world.ledger()] {
        assert_eq!(whys(&ledger.store().read(ONE).unwrap()), pairs(&[(1, "a"), (3, "c")]));
        assert_eq!(whys(&ledger.store().read(TWO).unwrap()), pairs(&[(2, "b")]));
        assert_eq!(ledger.store().read(Scope::Repo).unwrap(), []);
        assert_eq!(ledger.store().read(ONE).unwrap()[0].at_ms, 7);
    }
}

fn several_events_are_stored_together_or_not_at_all(world: &dyn World) {
    let ledger = world.ledger();
    let batch = [event("a"), event("b")];
    ledger.store().append(append(ONE, 0, &batch, &[], None)).unwrap();
    assert_eq!(whys(&ledger.store().read(ONE).unwrap()), pairs(&[(1, "a"), (2, "b")]));
    ledger.store().append(append(ONE, 1, &batch, &[], None)).unwrap_err();
    assert_eq!(ledger.store().read(ONE).unwrap().len(), 2);
}

fn what_was_decided_on_an_older_event_is_refused_whole(world: &dyn World) {
    let (ours, theirs) = (world.ledger(), world.ledger());
    put(ours.store(), ONE, 0, "a").unwrap();
    put(theirs.store(), ONE, 1, "b").unwrap();
    let error = put(ours.store(), ONE, 1, "late").unwrap_err();
    assert!(matches!(error, StoreError::Moved { scope: ONE, decided_on: 1, found: 2 }), "{error}");
    assert_eq!(whys(&ours.store().read(ONE).unwrap()), pairs(&[(1, "a"), (2, "b")]));
    assert!(ours.store().blob(&hash(b"late")).is_err(), "its blob was not stored either");
    assert_eq!(ours.board().unwrap(), [("001".to_owned(), 2, "b".to_owned())]);
    put(ours.store(), ONE, 2, "c").unwrap();
}

fn a_scope_moves_on_by_itself(world: &dyn World) {
    let ledger = world.ledger();
    put(ledger.store(), ONE, 0, "a").unwrap();
    put(ledger.store(), TWO, 0, "b").unwrap();
    let error = put(ledger.store(), ONE, 2, "c").unwrap_err();
    assert!(matches!(error, StoreError::Moved { decided_on: 2, found: 1, .. }), "{error}");
    let error = put(ledger.store(), TWO, 0, "d").unwrap_err();
    assert!(matches!(error, StoreError::Moved { decided_on: 0, found: 2, .. }), "{error}");
}

fn blobs_are_found_by_their_hash_and_by_nothing_else(world: &dyn World) {
    let ledger = world.ledger();
    put(ledger.store(), ONE, 0, "a").unwrap();
    put(ledger.store(), ONE, 1, "a").unwrap();
    assert_eq!(world.ledger().store().blob(&hash(b"a")).unwrap(), b"a");
    let error = ledger.store().blob(&hash(b"b")).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

fn a_key_is_taken_out_of_every_text_on_its_way_in(world: &dyn World) {
    let ledger = world.ledger();
    let key = format!("sk-ant-api03-{}", "Ab3dEf6hIj".repeat(9));
    let stored = put(ledger.store(), ONE, 0, &format!("it is {key}")).unwrap();
    assert!(!format!("{stored:?}").contains(&key), "{stored:?}");
    assert_eq!(ledger.store().read(ONE).unwrap(), stored, "what is told is what is stored");
}

fn the_board_row_is_that_of_the_last_append_that_brought_one(world: &dyn World) {
    let ledger = world.ledger();
    put(ledger.store(), ONE, 0, "a").unwrap();
    ledger.store().append(append(ONE, 1, &[event("b")], &[], None)).unwrap();
    assert_eq!(ledger.board().unwrap(), [("001".to_owned(), 1, "a".to_owned())]);
    put(ledger.store(), ONE, 2, "c").unwrap();
    assert_eq!(world.ledger().board().unwrap(), [("001".to_owned(), 3, "c".to_owned())]);
}

fn a_redaction_replaces_bodies_says_so_and_drops_the_board(world: &dyn World) {
    let ledger = world.ledger();
    put(ledger.store(), ONE, 0, "a secret").unwrap();
    put(ledger.store(), ONE, 1, "b").unwrap();
    let bodies = [(1, event("[redacted]").encode())];
    assert!(matches!(ledger.redact(1, &bodies), Err(StoreError::Moved { .. })), "the ledger has gone on");
    assert_eq!(ledger.redact(2, &bodies).unwrap(), 3);
    assert_eq!(whys(&ledger.store().read(ONE).unwrap()), pairs(&[(1, "[redacted]"), (2, "b")]));
    assert_eq!(ledger.amended(), [(1, 3)]);
    assert_eq!(ledger.board(), None);
    put(ledger.store(), ONE, 2, "c").unwrap();
    assert_eq!(ledger.board(), None, "a board with this row alone would look complete");
    let told = ledger.store().read(Scope::Repo).unwrap();
    assert!(matches!(told.as_slice(), [Entry { event: Event::Redacted(_), .. }]), "{told:?}");
}

fn each_kind_is_handed_over_whatever_the_scope_and_a_later_programs_event_is_passed_over(world: &dyn World) {
    let ledger = world.ledger();
    for (at, scope) in [ONE, TWO, Scope::Repo].into_iter().enumerate() {
        put(ledger.store(), scope, 0, &at.to_string()).unwrap();
    }
    ledger.make_newer(2);
    let seen = |kinds: &[&str]| {
        let mut seen = Vec::new();
        let handed = world.ledger();
        handed
            .store()
            .each_of(kinds, &mut |scope, entry| seen.push(format!("{scope} {}", entry.seq)))
            .unwrap();
        seen
    };
    assert_eq!(seen(&["cancelled", "started"]), paths(&["001 1", "repo 3"]));
    assert_eq!(seen(&["started"]), paths(&[]));
}

fn a_scope_with_an_event_of_a_later_program_is_not_read(world: &dyn World) {
    let ledger = world.ledger();
    put(ledger.store(), ONE, 0, "a").unwrap();
    put(ledger.store(), TWO, 0, "b").unwrap();
    ledger.make_newer(1);
    let error = world.ledger().store().read(ONE).unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    assert_eq!(world.ledger().store().read(TWO).unwrap().len(), 1);
}

fn what_was_looked_at_is_not_looked_at_again_once_something_was_stored_since(world: &dyn World) {
    let ledger = world.ledger();
    // A small ledger is looked at as a whole.
    let large = "x".repeat(600_000);
    for (decided_on, why) in [large.as_str(), "a", "b"].into_iter().enumerate() {
        put(ledger.store(), ONE, decided_on as u64, why).unwrap();
    }
    assert_eq!(ledger.check(), 3);
    assert_eq!(world.ledger().check(), 3, "nothing was stored since");
    put(ledger.store(), ONE, 3, "b").unwrap();
    assert_eq!(world.ledger().check(), 1);
}

fn a_ledger_that_was_removed_takes_no_more_events(world: &dyn World) {
    let ledger = world.ledger();
    put(ledger.store(), ONE, 0, "a").unwrap();
    ledger.remove();
    for _ in 0..2 {
        let error = put(ledger.store(), ONE, 1, "b").unwrap_err();
        assert!(matches!(error, StoreError::Gone { rescued: Some(_), .. }), "{error}");
    }
}

fn a_conversation_has_the_same_name_for_the_same_words(world: &dyn World) {
    let (ours, theirs) = (world.ledger(), world.ledger());
    let name = ours.store().session_name("001/specify.1/draft/spec-author/1.1");
    assert_eq!(theirs.store().session_name("001/specify.1/draft/spec-author/1.1"), name);
    assert_ne!(theirs.store().session_name("001/specify.1/draft/spec-author/1.2"), name);
    assert_eq!((name.len(), name.matches('-').count()), (36, 4), "{name}");
}
