//! Runners that begin with nothing but a clone, as in CI: a run that dies in one and ends in the next, and a review that
//! goes on where the last runner left it.

use crate::team::{clone_of, publish};
use crate::world::{PROGRAM, answered};
use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_engine::ports::Store as _;
use redraft_facts::event::{Entry, Event};
use redraft_facts::ticket::Scope;
use redraft_testkit::{Ran, Scratch};
use std::collections::BTreeSet;

/// A kill at every one of this many boundaries, so that each kind of them is met; at every single one where
/// `REDRAFT_EVERY_BOUNDARY` is set, which takes many minutes.
fn stride() -> usize {
    if std::env::var_os("REDRAFT_EVERY_BOUNDARY").is_some() { 1 } else { 11 }
}

/// Runs a command there, perhaps up to a boundary.
fn in_ci(scratch: &Scratch, words: &[&str], dies_at: Option<u64>) -> Ran {
    let mut command = scratch.redraft(words);
    command.env("CI", "true").env("GITHUB_RUN_ID", "4711");
    if let Some(boundary) = dies_at {
        command.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string());
    }
    Ran::new(command.output().unwrap())
}

pub(crate) fn events(scratch: &Scratch, scope: &str) -> Vec<Entry> {
    let ledger = Ledger::open(&scratch.state(), OpenMode::ReadOnly).unwrap();
    ledger.read(scope.parse::<Scope>().unwrap()).unwrap()
}

/// What was answered, without the number of the attempt: role, purpose and round.
pub(crate) fn asked(tickets: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    tickets.into_iter().map(|ticket| ticket.rsplit_once('.').unwrap().0.to_owned()).collect()
}

pub(crate) fn answers(entries: &[Entry]) -> Vec<String> {
    let ticket = |entry: &Entry| match &entry.event {
        Event::Answered(fact) => Some(fact.ticket.to_string()),
        _ => None,
    };
    entries.iter().filter_map(ticket).collect()
}

fn document(scratch: &Scratch) -> String {
    let branch = "feature/001-export-the-orders";
    scratch.git(["show", &format!("{branch}:docs/features/001-export-the-orders/spec.md")])
}

#[test]
fn what_a_runner_published_before_it_died_is_never_paid_again_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.git");
    let ann = Scratch::repository(PROGRAM);
    publish(&ann, &first);
    ann.run(["new", "--until", "specify", "Export the orders"]).expect(0);
    ann.run(["sync"]).expect(0);
    let copy = |name: &str| {
        let remote = folder.path().join(name);
        ann.git(["clone", "-q", "--mirror", first.to_str().unwrap(), remote.to_str().unwrap()]);
        remote
    };
    let run: &[&str] = &["run", "001", "--yes", "--take"];
    // Unbroken.
    let whole = clone_of(&copy("whole.git"), "CI");
    whole.run(["sync"]).expect(0);
    in_ci(&whole, run, None).expect(0);
    let expected = asked(answers(&events(&whole, "001")));
    let (mut deaths, mut saved) = (0, 0);
    for boundary in (1..).step_by(stride()) {
        let remote = copy(&format!("{boundary}.git"));
        let dies = clone_of(&remote, "CI");
        dies.run(["sync"]).expect(0);
        if in_ci(&dies, run, Some(boundary)).code == Some(0) {
            break;
        }
        deaths += 1;
        let next = clone_of(&remote, "CI");
        next.run(["sync"]).expect(0);
        let known = asked(answers(&events(&next, "001")));
        saved += known.len();
        in_ci(&next, run, None).expect(0);
        let paid = match next.state().join("agents/rehearsal/log.jsonl").exists() {
            true => asked(answered(&next).into_keys()),
            false => BTreeSet::new(),
        };
        let again: Vec<_> = paid.intersection(&known).collect();
        assert!(again.is_empty(), "a death at boundary {boundary}: {again:?} were paid twice");
        assert_eq!(asked(answers(&events(&next, "001"))), expected, "a death at boundary {boundary}");
        assert_eq!(document(&next), document(&whole), "a death at boundary {boundary}");
        next.run(["status", "--verify"]).expect(0);
    }
    assert!(deaths >= 5, "{deaths} deaths");
    assert!(saved >= 5, "the next runner found {saved} answers of the one before");
}

#[test]
fn a_review_on_a_fresh_runner_goes_on_where_the_last_one_left_it() {
    let folder = tempfile::tempdir().unwrap();
    let remote = folder.path().join("remote.git");
    let ann = Scratch::repository(PROGRAM);
    publish(&ann, &remote);
    ann.git(["switch", "-q", "-c", "topic"]);
    ann.write("export.sh", "#!/bin/sh\necho one\n");
    ann.git(["add", "export.sh"]);
    ann.git(["commit", "-q", "-m", "export"]);
    ann.git(["push", "-q", "origin", "topic"]);
    let review: &[&str] =
        &["review", "--base", "origin/main", "--head", "origin/topic", "--name", "pull-7", "--yes"];
    let first = clone_of(&remote, "CI");
    first.run(["trust", "--base", "origin/main", "--yes"]).expect(0);
    let ran = in_ci(&first, review, None);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    let before = events(&first, "review-001");
    // Somebody adds a commit, and another machine reviews it.
    ann.write("export.sh", "#!/bin/sh\necho two\n");
    ann.git(["commit", "-q", "-am", "two"]);
    ann.git(["push", "-q", "origin", "topic"]);
    let second = clone_of(&remote, "CI");
    second.run(["trust", "--base", "origin/main", "--yes"]).expect(0);
    let ran = in_ci(&second, review, None);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    let all = events(&second, "review-001");
    let kinds = |entries: &[Entry]| entries.iter().map(|entry| entry.event.kind()).collect::<Vec<_>>();
    assert_eq!(kinds(&all[..before.len()]), kinds(&before), "it is the same review");
    let sent: Vec<_> = all[before.len()..]
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Started(started) => Some(started),
            _ => None,
        })
        .collect();
    assert!(!sent.is_empty(), "the new commit is reviewed");
    for started in sent {
        assert!(started.since.is_some(), "{} is told what changed since", started.ticket);
        assert_ne!(started.choice.strategy.name(), "resume", "its conversation stayed on the other runner");
    }
    // Nothing new: nobody is asked, also on a third machine.
    let third = clone_of(&remote, "CI");
    third.run(["trust", "--base", "origin/main", "--yes"]).expect(0);
    in_ci(&third, review, None);
    let (was, is) = (answers(&all).len(), answers(&events(&third, "review-001")).len());
    assert_eq!(was, is, "nothing was asked again");
}
