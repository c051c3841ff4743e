//! Tests decisions: listed, and written as records; and the pages that are made from events.

use crate::built::planned;
use crate::hosts::IDEA;
use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;

fn of_kind<'a>(object: &'a Value, kind: &'a str) -> Vec<&'a Value> {
    let all = object["features"][0]["decisions"].as_array().unwrap();
    all.iter().filter(|one| one["kind"] == kind).collect()
}

#[test]
fn decisions_of_tasks_and_of_people_are_listed_and_become_records_once() {
    let scratch = planned("[[rule]]\nticket = \"*/task-2.1/*\"\ndo = \"unchanged\"\n");
    scratch.run(["run", "--yes"]).expect(6);
    scratch.run(["decide", "001", "skip", "--why", "not <now>"]).expect(0);
    let early = scratch.json(["log", "--decisions"]);
    assert!(of_kind(&early, "decision").iter().all(|one| one["status"] != "accepted"), "{early:#}");
    scratch.run(["run", "--yes"]).expect(0);
    let object = scratch.json(["log", "001", "--decisions"]);
    assert_eq!((&object["v"], &object["written"]), (&1.into(), &Value::Null));
    let (dropped, made): (Vec<&Value>, Vec<&Value>) =
        of_kind(&object, "decision").into_iter().partition(|one| one["task"] == "2.1");
    assert!(made.len() > 1 && made.iter().all(|one| one["status"] == "accepted"), "{object:#}");
    assert!(!dropped.is_empty() && dropped.iter().all(|one| one["status"] == "dropped"), "{dropped:?}");
    assert_eq!(made[0]["by"], "implementer");
    let (task, commit) = (made[0]["task"].as_str().unwrap(), made[0]["commit"].as_str().unwrap());
    let message = scratch.git(["log", "-1", "--format=%s", commit]);
    assert!(message.contains(&format!("task {task} ")), "{message}");
    let tied: Vec<&Value> = made
        .iter()
        .flat_map(|one| one["findings"].as_array().unwrap())
        .filter(|one| one["status"] == "fixed")
        .collect();
    assert!(tied.iter().all(|one| one["phase"] == "implement"), "{tied:?}");
    let rulings = of_kind(&object, "ruling");
    assert_eq!(rulings.len(), 1);
    assert_eq!(
        (&rulings[0]["task"], &rulings[0]["text"]),
        (&"2.1".into(), &"continued without it: not <now>".into())
    );
    assert!(rulings[0]["asked"].as_str().unwrap().contains("2.1"), "{}", rulings[0]);
    let text = scratch.run(["log", "--decisions"]).expect(0).stdout;
    assert!(text.contains("ruling     accepted  task 2.1"), "{text}");

    // Somebody's own records are there already.
    scratch.write("docs/decisions/0004-ours.md", "# 4. Ours\n");
    let all = made.len() + rulings.len() + of_kind(&object, "deviation").len();
    let written = scratch.run(["log", "001", "--decisions", "--export"]).expect(0).stdout;
    assert_eq!(written.lines().count(), all, "{written}");
    let first = written.lines().next().unwrap();
    assert!(first.contains("docs/decisions/0005-"), "{first}");
    let record = fs::read_to_string(first).unwrap();
    for heading in ["## Context", "## Decision", "## Status", "## Consequences"] {
        assert!(record.contains(heading), "{record}");
    }
    assert!(record.contains(&format!("task {task}: ")) && record.contains(commit), "{record}");
    let before: Vec<_> = fs::read_dir(scratch.root().join("docs/decisions")).unwrap().collect();
    // Renamed or not, a decision that has a record gets no second one.
    fs::rename(first, scratch.root().join("docs/decisions/0099-renamed.md")).unwrap();
    let again = scratch.run(["log", "--decisions", "--export"]).expect(0);
    assert!(again.stdout.is_empty() && again.stderr.contains("no record to write"), "{again:?}");
    assert_eq!(fs::read_dir(scratch.root().join("docs/decisions")).unwrap().count(), before.len());
    assert_eq!(
        fs::read_to_string(scratch.root().join("docs/decisions/0004-ours.md")).unwrap(),
        "# 4. Ours\n"
    );
    let other = scratch.run(["log", "--decisions", "--export=elsewhere"]).expect(0).stdout;
    assert!(other.lines().next().unwrap().contains("elsewhere/0001-"), "{other}");
    scratch.run(["log", "--export"]).expect(2);
}

#[test]
fn pages_are_printed_from_the_ledger_as_their_files_have_them() {
    let scratch = planned("");
    let empty = scratch.run(["log", "001", "--as", "implementation-log"]).expect(0);
    assert!(
        empty.stdout.is_empty() && empty.stderr.contains("nothing has been built for 001 yet"),
        "{empty:?}"
    );
    scratch.run(["run", "--yes", "--until", "implement"]).expect(0);
    for (page, file) in
        [("review-history", ".review-history.md"), ("implementation-log", "implementation-log.md")]
    {
        let path = scratch.artifacts("001").join(file);
        let kept = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(scratch.run(["log", "001", "--as", page]).expect(0).stdout, kept, "{page}");
        let object = scratch.json(["log", "--as", page]);
        assert_eq!((&object["page"], &object["text"]), (&page.into(), &kept.into()));
    }
    scratch.run(["log", "001", "--as", "poem"]).expect(2);
}

#[test]
fn where_nothing_was_decided_nothing_is_written() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "an idea"]).expect(0);
    let ran = scratch.run(["log", "--decisions"]).expect(0);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("nothing has been decided yet"), "{ran:?}");
    scratch.run(["log", "--decisions", "--export"]).expect(0);
    assert_eq!(fs::read_dir(scratch.root().join("docs/decisions")).map(Iterator::count).unwrap_or(0), 0);
}

/// The feature's own files next to its documents.
fn own_files(scratch: &Scratch) -> Vec<String> {
    let folder = scratch.artifacts("001");
    [".meta.json", ".review-history.md"].map(|name| fs::read_to_string(folder.join(name)).unwrap()).into()
}

#[test]
fn after_a_decision_the_files_of_a_feature_tell_of_it_also_where_no_run_comes_after() {
    let ways: [(&[&str], &[&str]); 3] = [
        (&["run", "001"], &["answer", "--answer", "auditors", "--answer", "none", "--why", "as agreed"]),
        (&["run", "001"], &["abandon", "--why", "not needed"]),
        // Nothing is asked.
        (&["run", "001", "--yes", "--until", "specify"], &["abandon", "--why", "not needed any more"]),
    ];
    for (run, words) in ways {
        let scratch = Scratch::repository(PROGRAM);
        scratch.run(["new", "--lane", "standard", "--until", "design", IDEA]).expect(0);
        scratch.scenario("[[rule]]\nticket = \"*/draft/spec-author/1.1\"\ndo = \"ask\"\n");
        let code = if run.contains(&"--yes") { 0 } else { 6 };
        scratch.run(run).expect(code);
        let before = own_files(&scratch);
        scratch.run([&["decide", "001"][..], words].concat()).expect(0);
        let after = own_files(&scratch);
        assert_ne!(before, after, "{words:?}");
        if words.contains(&"abandon") {
            assert!(after[0].contains("\"abandoned\""), "{words:?}: {}", after[0]);
        }
        scratch.run(["status", "--rebuild"]).expect(0);
        assert_eq!(own_files(&scratch), after, "{words:?}: they are what a run would have written");
    }
}
