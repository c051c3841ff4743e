//! A journal on a ledger in memory.

use super::*;
use crate::ports::{Moment, StoreError};
use redraft_facts::event::{Cancelled, FeatureCreated, Lost};
use redraft_facts::ids::{AgentName, BlobId, FeatureId, FeatureUuid};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::redact::Typed;
use redraft_facts::text::hash;
use redraft_facts::usage::Usd;
use std::sync::Mutex;
use std::time::Duration;

const SECRET: &str = "correct-horse-battery";
const SCOPE: Scope = Scope::Feature(FeatureId(1));

struct Still;

impl Clock for Still {
    fn now_ms(&self) -> i64 {
        7
    }

    fn moment(&self) -> Moment {
        Moment::after(Duration::ZERO)
    }

    fn wait_ms(&self, _ms: u64) -> bool {
        true
    }

    fn stopped(&self) -> bool {
        false
    }
}

#[derive(Default)]
struct Memory {
    entries: Mutex<Vec<(Scope, Entry)>>,
    rows: Mutex<Vec<Option<String>>>,
    blobs: Mutex<Vec<Vec<u8>>>,
}

impl Store for Memory {
    fn read(&self, scope: Scope) -> Result<Vec<Entry>, StoreError> {
        let entries = self.entries.lock().unwrap();
        Ok(entries.iter().filter(|(of, _)| *of == scope).map(|(_, entry)| entry.clone()).collect())
    }

    fn each_of(&self, _kinds: &[&str], _f: &mut dyn FnMut(&Scope, &Entry)) -> Result<(), StoreError> {
        Ok(())
    }

    fn append(&self, append: Append<'_>) -> Result<Vec<Entry>, StoreError> {
        let Append { scope, decided_on, at_ms, events, blobs, board, elsewhere } = append;
        let found = self.read(scope.clone())?.last().map_or(0, |entry| entry.seq);
        if found != decided_on {
            return Err(StoreError::Moved { scope, decided_on, found });
        }
        let mut entries = self.entries.lock().unwrap();
        let mut stored = Vec::new();
        for (at, event) in events.iter().enumerate() {
            let at_ms = elsewhere.and_then(|from| from.at_ms.get(at).copied()).unwrap_or(at_ms);
            let entry = Entry { seq: entries.len() as u64 + 1, at_ms, event: event.clone() };
            entries.push((scope.clone(), entry.clone()));
            stored.push(entry);
        }
        self.rows.lock().unwrap().push(board.map(str::to_owned));
        self.blobs.lock().unwrap().extend_from_slice(blobs);
        Ok(stored)
    }

    fn blob(&self, id: &BlobId) -> Result<Vec<u8>, StoreError> {
        let blobs = self.blobs.lock().unwrap();
        Ok(blobs.iter().find(|bytes| hash(bytes) == *id).cloned().unwrap_or_default())
    }

    fn session_name(&self, words: &str) -> String {
        words.to_owned()
    }
}

fn created() -> FeatureCreated {
    FeatureCreated {
        id: FeatureId(1),
        uuid: FeatureUuid::new("5f0c1d5e-9a43-4d1c-8d3b-0a1b2c3d4e5f"),
        slug: "export".to_owned(),
        idea: format!("Export with {SECRET}"),
        lane: Lane::Standard,
        base_branch: "main".to_owned(),
        base_commit: "0".repeat(40),
        branch: "feature/001-export".to_owned(),
        prd: None,
        in_place: false,
        until: Phase::Specify,
        lane_reason: String::new(),
        project: None,
        depends_on: vec!["000-first".to_owned()],
        document: None,
        brainstorm_source: None,
        ask_after: Vec::new(),
        change: None,
    }
}

struct World {
    store: Memory,
    redactor: Redactor,
}

impl World {
    fn new() -> World {
        World { store: Memory::default(), redactor: Redactor::new(vec![SECRET.to_owned()]) }
    }

    fn journal(&self, scope: Scope) -> Journal<'_> {
        let writer = Writer { store: &self.store, clock: &Still, redactor: &self.redactor };
        Journal::open(writer, scope).unwrap()
    }

    fn begun(&self) -> Journal<'_> {
        let mut journal = self.journal(SCOPE);
        journal.record(created()).unwrap();
        journal
    }

    fn stored(&self) -> String {
        self.store.entries.lock().unwrap().iter().map(|(_, entry)| entry.event.encode() + "\n").collect()
    }
}

/// A name, and how a person says it.
type Way = (&'static str, fn(&mut Journal<'_>, &Typed) -> Result<(), EngineError>);

#[test]
fn whatever_a_person_says_is_stored_without_secrets_and_the_state_is_that_of_what_is_stored() {
    let ways: [Way; 6] = [
        ("leaves a phase out", |journal, why| journal.skip_phase(Phase::Specify, "ann", why).map(drop)),
        ("takes another lane", |journal, why| {
            assert!(journal.set_lane(Lane::Deep, Phase::Design, "ann", why)?);
            Ok(())
        }),
        ("goes on without another feature", |journal, why| {
            journal.unblock(vec!["000-first".to_owned()], "ann", why).map(drop)
        }),
        ("gives it up", |journal, why| journal.give_up("ann", why)),
        ("goes back", |journal, why| journal.go_back(Phase::Specify, "ann", why).map(drop)),
        ("writes an event itself", |journal, why| {
            let why = format!("{why:?} {SECRET}");
            journal.record(Cancelled { by: "ann".to_owned(), why })
        }),
    ];
    for (name, say) in ways {
        let world = World::new();
        let mut journal = world.begun();
        say(&mut journal, &Typed::from(format!("  because of {SECRET}\n"))).unwrap();
        let stored = world.stored();
        assert!(
            !stored.contains(SECRET) && stored.contains("Export with [redacted:known]"),
            "{name}: {stored}"
        );
        assert_eq!(journal.state(), world.journal(SCOPE).state(), "{name}");
        let (row, state) = (world.store.rows.lock().unwrap().last().cloned(), journal.state());
        assert_eq!(row, Some(Some(projections::board_row(state, 7))), "{name}");
    }
}

#[test]
fn what_the_machine_does_not_accept_is_not_stored_and_is_told_beforehand() {
    let world = World::new();
    let mut journal = world.begun();
    let why = Typed::from("because");
    assert!(!journal.go_back(Phase::Specify, "ann", &why).unwrap(), "it is not over");
    assert!(matches!(journal.record(created()), Err(EngineError::Bug(_))), "it is there already");
    let ticket = "001/specify.1/draft/spec-author/1.1".parse().unwrap();
    let lost = Event::from(Lost { ticket, cost: Usd(0), undone: Vec::new() });
    assert!(journal.after(&[lost]).is_err());
    // The second of two that belong together.
    let cancelled = || Event::from(Cancelled { by: "ann".to_owned(), why: String::new() });
    assert!(journal.append(vec![cancelled(), cancelled()], &[]).is_err());
    assert_eq!(journal.entries().len(), 1);
    assert_eq!(world.journal(SCOPE).state(), journal.state());
}

#[test]
fn a_journal_that_another_process_has_gone_on_with_is_as_it_was() {
    let world = World::new();
    let mut late = world.begun();
    world.journal(SCOPE).give_up("bob", &Typed::from("no need")).unwrap();
    let before = late.state().clone();
    let error = late.give_up("ann", &Typed::from("too late")).unwrap_err();
    assert!(matches!(error, EngineError::Store(StoreError::Moved { .. })), "{error}");
    assert_eq!((late.state(), late.entries().len()), (&before, 1));
}

#[test]
fn events_about_an_agent_are_stored_and_neither_folded_nor_shown_on_the_board() {
    let world = World::new();
    let scope = Scope::Agent(AgentName::new("claude"));
    let mut journal = world.journal(scope.clone());
    let ticket = "001/specify.1/draft/spec-author/1.1".parse().unwrap();
    let lost = Event::from(Lost { ticket, cost: Usd(3), undone: Vec::new() });
    journal.append(vec![lost.clone(), lost], &[]).unwrap();
    assert_eq!(world.store.rows.lock().unwrap().as_slice(), [None]);
    assert_eq!((journal.seq(), journal.entries().len()), (2, 2));
    assert_eq!(world.journal(scope).seq(), 2);
}
