//! Ledgers written by earlier builds still open, verify and fold. One fixture per version; none is ever changed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use redraft_adapters::sqlite::{FILE, Ledger, Mode};
use redraft_core::event::{About, Answered, Decision, Entry, Event, Failed, Now, Player, Started};
use redraft_core::ids::FeatureId;
use redraft_core::phase::{Lane, Phase};
use redraft_core::pipeline::{Pipeline, pending};
use redraft_core::players::in_words;
use redraft_core::policy::{Knowledge, Policy};
use redraft_core::price::Lifetime;
use redraft_core::project::{self, BoardRow, Tally};
use redraft_core::review::TaskEnd;
use redraft_core::ticket::{Purpose, Scope};
use redraft_core::usage::{Payment, Usd};
use redraft_engine::ports::Store;
use std::path::Path;

/// The events of feature 001 in a fixture, which is closed; reading it changes nothing.
fn read(name: &str) -> Vec<Entry> {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(&fixture, folder.path().join(FILE)).unwrap();
    let ledger = Ledger::open(folder.path(), Mode::ReadOnly).unwrap();
    let tip = ledger.verify().unwrap();
    let entries = ledger.read(Scope::Feature(FeatureId(1))).unwrap();
    assert_eq!(entries.last().map(|entry| entry.seq), Some(tip.seq));

    let state = Pipeline::replay(&entries).unwrap();
    let closed = state.closed(Phase::Specify).expect("the phase is closed");
    assert_eq!(closed.approvals.len(), 2);
    assert_eq!(pending(&state), []);
    for entry in &entries {
        if let Event::Started(started) = &entry.event {
            assert!(!ledger.blob(&started.prompt).unwrap().is_empty());
        }
    }
    let rows = ledger.board().unwrap();
    let row: BoardRow = serde_json::from_str(&rows[0].2).unwrap();
    let folded = BoardRow::of(&state, entries.last().unwrap().at_ms);
    // Rows of version 1 have no tally; they are read, and folded again where it is asked for.
    let expected = match row.v {
        1 => BoardRow { v: 1, tally: Tally::default(), ..folded },
        // Those of version 2 know no parks.
        v => BoardRow { v, ..folded },
    };
    // Those before version 4 know one phase and no life of the feature.
    let expected = match row.v {
        1..=3 => BoardRow { life: String::new(), phases: Vec::new(), done: Vec::new(), ..expected },
        _ => expected,
    };
    // Those before version 5 named another command where nothing is left to do.
    let expected = match row.v {
        1..=4 => BoardRow { next: "redraft show findings 001".to_owned(), ..expected },
        _ => expected,
    };
    // Those before version 9 name nobody who judged, call spent what the budget counts, and tell nothing apart.
    let expected = match row.v {
        1..=8 => BoardRow {
            judged_by: Vec::new(),
            rehearsed: false,
            spent_micro_usd: expected.counted_micro_usd,
            unknown_micro_usd: 0,
            unknown_bills: 0,
            counted_micro_usd: 0,
            ..expected
        },
        _ => expected,
    };
    assert_eq!(row, expected);
    drop(ledger);
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [FILE], "reading left nothing beside the file");
    assert!(std::fs::read(folder.path().join(FILE)).unwrap() == std::fs::read(&fixture).unwrap());
    entries
}

/// `loop-opened` version 6: a task that was ticked when its feature was adopted was carried out all the same.
#[test]
fn a_ledger_from_before_ticked_tasks_counted_is_read_as_it_was_written() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-loop-opened-6.db");
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(&fixture, folder.path().join(FILE)).unwrap();
    let ledger = Ledger::open(folder.path(), Mode::ReadOnly).unwrap();
    ledger.verify().unwrap();
    let entries = ledger.read(Scope::Feature(FeatureId(1))).unwrap();
    let opened = entries.iter().find_map(|entry| match &entry.event {
        Event::LoopOpened(opened) => Some(opened),
        _ => None,
    });
    let tasks = &opened.unwrap().tasks;
    assert!(tasks.len() == 2 && tasks.iter().all(|task| !task.ticked), "{tasks:?}");
    let sent = started(&entries).filter(|fact| fact.ticket.purpose == Purpose::Implement).count();
    assert_eq!(sent, 2, "both were sent");
    let state = Pipeline::replay(&entries).unwrap();
    let making = state.latest().unwrap().making.as_ref().unwrap();
    assert!(making.tasks.iter().all(|task| task.end == Some(TaskEnd::Done)));
    let log = project::implementation_log(&entries).unwrap();
    assert!(!log.contains("before it was adopted"), "{log}");
    // `checked` version 2: nobody noted which files a check ran on, and what was decided on it holds.
    let checked = entries.iter().filter_map(|entry| match &entry.event {
        Event::Checked(fact) if !fact.command.is_empty() => Some(fact),
        _ => None,
    });
    let checked: Vec<_> = checked.collect();
    assert!(checked.iter().any(|fact| fact.passed && fact.code == Some(0)), "{checked:?}");
    assert!(checked.iter().all(|fact| fact.checkout.is_none() && fact.is_of_the_commit_alone()));
}

/// Layout 2, with `redacted` version 1: a feature from which a password was taken out.
#[test]
fn a_ledger_of_layout_2_with_a_redaction_is_read_as_it_was_written() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-layout-2-redacted-1.db");
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(&fixture, folder.path().join(FILE)).unwrap();
    let ledger = Ledger::open(folder.path(), Mode::ReadOnly).unwrap();
    assert_eq!(ledger.verify().unwrap().seq, 34);
    let amended = ledger.amended().unwrap();
    assert!(amended.len() == 18 && amended.iter().all(|(_, by)| *by == 34), "{amended:?}");
    let said = ledger.read(Scope::Repo).unwrap();
    let Some(Event::Redacted(redacted)) = said.last().map(|entry| &entry.event) else { panic!("{said:?}") };
    assert_eq!((redacted.why.as_str(), redacted.events.len()), ("it was a password", 18));
    let entries = ledger.read(Scope::Feature(FeatureId(1))).unwrap();
    let state = Pipeline::replay(&entries).unwrap();
    assert!(state.created.unwrap().idea.contains("the store that [redacted] opens"));
    assert!(!std::fs::read(&fixture).unwrap().windows(9).any(|window| window == b"swordfish"));
}

fn started(entries: &[Entry]) -> impl Iterator<Item = &Started> {
    entries.iter().filter_map(|entry| if let Event::Started(fact) = &entry.event { Some(fact) } else { None })
}

fn answered(entries: &[Entry]) -> impl Iterator<Item = &Answered> {
    entries
        .iter()
        .filter_map(|entry| if let Event::Answered(fact) = &entry.event { Some(fact) } else { None })
}

/// `loop-opened` version 4 and `started` version 3: before prompts told entries of the knowledge bank.
#[test]
fn a_ledger_from_before_the_knowledge_bank_is_read_as_it_was_written() {
    let entries = read("ledger-loop-opened-4.db");
    let banks = entries.iter().filter_map(|entry| match &entry.event {
        Event::LoopOpened(opened) => Some(opened.bank.is_some()),
        _ => None,
    });
    assert_eq!(banks.collect::<Vec<_>>(), [false]);
    assert!(
        started(&entries).count() > 0 && started(&entries).all(|fact| fact.told.is_empty()),
        "nobody told"
    );
}

/// `loop-opened` version 5, `started` and `answered` version 4, `phase-closed` version 1: before hosts did any work.
#[test]
fn a_ledger_from_before_there_were_hosts_is_read_as_it_was_written() {
    let entries = read("ledger-loop-opened-5-started-4-phase-closed-1.db");
    assert!(started(&entries).count() == 8 && started(&entries).all(|fact| !fact.pull));
    assert!(answered(&entries).count() == 8 && answered(&entries).all(|fact| fact.hand.is_none()));
    let state = Pipeline::replay(&entries).unwrap();
    assert_eq!(state.untold, 0);
    let past = state.past.last().unwrap();
    assert!(!past.opened.same_hand && past.writers.is_empty());
    let closed = state.closed(Phase::Specify).unwrap();
    assert!(closed.approvals.iter().all(|approval| !approval.same_hand));
}

/// `loop-opened` version 6, `started` and `answered` version 5, `phase-closed` version 2, a board row of version 8: before a
/// dispatch was stored with what its agent was.
#[test]
fn a_ledger_from_before_players_were_stored_names_agents_and_guesses_no_model() {
    let entries = read("ledger-loop-opened-6-started-5-answered-5-phase-closed-2.db");
    assert!(started(&entries).count() == 8 && started(&entries).all(|fact| fact.player == Player::default()));
    let state = Pipeline::replay(&entries).unwrap();
    assert_eq!(in_words(&state.judged_by()), "rehearsal: spec-reviewer, phase-reviewer");
    assert!(!state.is_rehearsed(), "nobody stored that");
    assert!(project::history(&entries).contains("\n- Agent: rehearsal\n"));
}

/// `answered` version 5 and `asked` version 4, a board row of version 8: before it was told who pays, with an attempt that
/// failed and that nobody knows the cost of.
#[test]
fn a_ledger_from_before_it_was_told_who_pays_is_read_as_it_was_written() {
    let entries = read("ledger-answered-5-asked-4.db");
    assert!(answered(&entries).count() == 9);
    assert!(answered(&entries).all(|fact| fact.payment == Payment::Unknown && fact.unknown == Usd(0)));
    let asked = entries.iter().filter_map(|entry| match &entry.event {
        Event::Asked(asked) => Some(asked.estimate.is_none()),
        _ => None,
    });
    assert_eq!(asked.collect::<Vec<_>>(), [true]);
    let money = Pipeline::replay(&entries).unwrap().money;
    assert_eq!((money.spent, money.unknown, money.unknown_bills), (Usd(90_000), Usd(10_000), 1));
}

/// Version 1: feature 001 through specify, with a rejection, a lost session and a validation.
#[test]
fn the_ledger_of_version_1_is_read_as_it_was_written() {
    let entries = read("ledger-v1.db");
    assert!(project::history(&entries).contains("RESUME-FALLBACK: spec-reviewer iteration 2 — "));
    assert!(started(&entries).all(|fact| fact.missing.is_empty()), "nobody knew");
    assert!(answered(&entries).all(|fact| fact.denials.is_empty() && fact.notes.is_empty()), "nobody asked");
}

/// `started` and `answered` version 2: a model behind HTTP that lacks tools and is denied a file.
#[test]
fn a_ledger_with_missing_tools_and_denials_is_read_as_it_was_written() {
    let entries = read("ledger-started-2-answered-2.db");
    let history = project::history(&entries);
    assert!(history.contains("TOOLS-MISSING: spec-reviewer iteration 1 — WebSearch, "), "{history}");
    assert!(history.contains("DENIED: 001/specify.1/review/spec-reviewer/1.1 — Read: "), "{history}");
    assert!(started(&entries).any(|fact| fact.missing.len() == 3));
    assert!(started(&entries).all(|fact| fact.choice.prediction.is_none()), "nothing was predicted then");
    assert_eq!(answered(&entries).filter(|fact| !fact.denials.is_empty()).count(), 1);
    assert!(answered(&entries).all(|fact| !fact.formless), "nobody asked");
}

/// `loop-opened` version 2 and `started` version 3: policy `cost`, with what each dispatch was predicted to cost.
#[test]
fn a_ledger_with_predictions_is_read_as_it_was_written() {
    let entries = read("ledger-loop-opened-2-started-3.db");
    let opened = entries.iter().find_map(|entry| match &entry.event {
        Event::LoopOpened(opened) => Some((opened.policy, opened.knowledge)),
        _ => None,
    });
    assert_eq!(opened, Some((Policy::Cost, Knowledge::Full)));
    for fact in started(&entries) {
        let prediction = fact.choice.prediction.as_ref().expect("predicted under every policy");
        assert_eq!((prediction.card.as_str(), prediction.marks.tail), ("local", Some(Lifetime::HalfDay)));
        assert!(prediction.usage.input() > 0 && !prediction.alternatives.is_empty(), "{}", fact.ticket);
    }
    let state = Pipeline::replay(&entries).unwrap();
    let seats = &state.latest().unwrap().reviewers;
    assert!(
        seats.iter().all(|seat| seat.left.as_ref().is_some_and(|left| left.cached.conversation.is_some()))
    );
}

/// `feature-created` and `judged` version 2, a board row of version 2: a feature in the main checkout.
#[test]
fn a_ledger_of_a_feature_in_place_is_read_as_it_was_written() {
    let entries = read("ledger-feature-created-2-judged-2.db");
    let in_place =
        entries.iter().any(|entry| matches!(&entry.event, Event::FeatureCreated(fact) if fact.in_place));
    assert!(in_place);
    let judged = entries.iter().filter_map(|entry| match &entry.event {
        Event::Judged(fact) => Some(fact.settled),
        _ => None,
    });
    assert_eq!(judged.collect::<Vec<_>>(), [false; 5]);
}

/// `answered` version 3, `raised` version 1 and `failed` version 2, a board row of version 3: a dispatch that was cut off for want of money and sent again.
#[test]
fn a_ledger_with_a_dispatch_that_was_cut_off_is_read_as_it_was_written() {
    let entries = read("ledger-answered-3-raised-1-failed-2.db");
    let raised = entries.iter().filter_map(|entry| match &entry.event {
        Event::Raised(fact) => Some(fact.reserved),
        _ => None,
    });
    let raised = raised.max().unwrap();
    let needs = entries.iter().find_map(|entry| match &entry.event {
        Event::Failed(Failed { now: Now::OverBudget(needs), .. }) => Some(*needs),
        _ => None,
    });
    assert!(needs.unwrap() > raised);
    assert!(answered(&entries).all(|fact| fact.asked_ms.is_some() && !fact.formless));
    assert!(project::costs::costs(&entries).dispatches().any(|one| one.reserved == raised));
}

/// `feature-created`, `loop-opened` and `decided` version 3, `answered` version 4, `drafted` and `asked` version 2,
/// `lane-set` and `phase-skipped` version 1, a board row of version 4: an author that asked, a phase left out, another
/// lane.
#[test]
fn a_ledger_of_several_phases_is_read_as_it_was_written() {
    let entries = read("ledger-feature-created-3-loop-opened-3-answered-4.db");
    let state = Pipeline::replay(&entries).unwrap();
    assert_eq!(state.skipped.iter().copied().collect::<Vec<_>>(), [Phase::Design]);
    assert!(state.closed(Phase::CreatePlan).is_some() && state.closed(Phase::CreateTasks).is_some());
    let created = state.created.as_ref().unwrap();
    assert_eq!((created.lane, created.until), (Lane::Deep, Phase::CreateTasks));
    let asked = entries.iter().find_map(|entry| match &entry.event {
        Event::Drafted(fact) if !fact.questions.is_empty() => Some(fact.questions.len()),
        _ => None,
    });
    let decided = entries.iter().find_map(|entry| match &entry.event {
        Event::Decided(fact) => Some((fact.choice, matches!(fact.about, About::Author { .. }))),
        _ => None,
    });
    assert!(asked.is_some_and(|count| count > 0));
    assert_eq!(decided, Some((Decision::Assume, true)));
    let bases = entries.iter().filter_map(|entry| match &entry.event {
        Event::LoopOpened(opened) => Some(opened.base.is_some()),
        _ => None,
    });
    assert_eq!(bases.collect::<Vec<_>>(), [false, true, true], "without a PRD specify builds on nothing");
}

/// `decided` version 4, `edited` version 2, `checked` version 1, a board row of version 5: an author that asked, and a
/// document that a person wrote in its place.
#[test]
fn a_ledger_with_a_decision_of_a_phase_is_read_as_it_was_written() {
    let entries = read("ledger-decided-4-edited-2.db");
    let decided = entries.iter().find_map(|entry| match &entry.event {
        Event::Decided(fact) => Some((fact.choice, fact.phase)),
        _ => None,
    });
    assert_eq!(decided, Some((Decision::Assume, Some(Phase::Specify))));
    let edited = entries.iter().find_map(|entry| match &entry.event {
        Event::Edited(fact) => Some(fact.first),
        _ => None,
    });
    assert_eq!(edited, Some(true));
    let checks = entries.iter().filter_map(|entry| match &entry.event {
        Event::Checked(fact) => Some((fact.command.as_str(), fact.code, fact.output.as_str())),
        _ => None,
    });
    assert_eq!(checks.collect::<Vec<_>>(), [("", None, ""); 2], "no check of a project was run then");
}
