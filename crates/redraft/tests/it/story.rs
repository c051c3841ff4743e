//! What `run`, `finish` and `review` tell while they work and at their end, and the events as a stream for programs.

use crate::finish::coded;
use crate::world::{events, feature};
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::collections::BTreeMap;

const IDEA: &str = "Export the monthly report as CSV";
const PAGE: &str = include_str!("../../../../docs/events.md");

/// The fields of a type of line with their JSON types, as docs/events.md has them.
fn documented(what: &str) -> BTreeMap<String, String> {
    let (_, section) = PAGE.split_once(&format!("\n## {what}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let row = |line: &str| {
        let mut cells = line.split('|').map(str::trim);
        let (name, kind) = (cells.nth(1)?, cells.next()?);
        Some((name.strip_prefix('`')?.strip_suffix('`')?.to_owned(), kind.to_owned()))
    };
    section.lines().filter_map(row).collect()
}

fn types(line: &Value) -> BTreeMap<String, String> {
    let kind = |value: &Value| match value {
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        other => panic!("{other}"),
    };
    line.as_object().unwrap().iter().map(|(name, value)| (name.clone(), kind(value).to_owned())).collect()
}

fn lines(ran: &Ran) -> Vec<Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_event_is_streamed_as_the_page_describes_it_and_the_result_is_the_last_line() {
    let scratch = feature(IDEA);
    let before = events(&scratch).len();
    let ran = scratch.run(["run", "001", "--events"]).expect(0);
    let lines = lines(&ran);
    let (result, streamed) = lines.split_last().unwrap();
    let (event, wanted) = (documented("event"), documented("result"));
    assert_eq!(event.len(), 8, "{event:?}");
    for line in streamed {
        assert_eq!((types(line), &line["v"], &line["type"]), (event.clone(), &1.into(), &"event".into()));
    }
    let stored = events(&scratch);
    let told: Vec<(&Value, &Value)> = streamed.iter().map(|line| (&line["kind"], &line["body"])).collect();
    let kept: Vec<(&Value, &Value)> =
        stored[before..].iter().map(|one| (&one["kind"], &one["body"])).collect();
    assert_eq!(told, kept, "what is streamed is what is stored");
    assert_eq!((types(result), &result["type"]), (wanted, &"result".into()));
    assert_eq!(result["result"]["outcome"], "approved");
    assert!(ran.stderr.contains("  spec-reviewer rejected: "), "the story is still told: {}", ran.stderr);
    let quiet = scratch.run(["run", "001", "--events", "--quiet"]).expect(0);
    assert_eq!((quiet.stderr.as_str(), quiet.stdout.lines().count()), ("", 1));

    let failed = scratch.run(["run", "009", "--events"]).expect(2);
    let error: Value = serde_json::from_str(failed.stdout.trim_end()).unwrap();
    assert_eq!(
        (types(&error), &error["type"], &error["exit"]),
        (documented("error"), &"error".into(), &2.into())
    );
    scratch.run(["run", "001", "--events", "--json"]).expect(2);
    let refused = scratch.run(["review", "--base", "main", "--events", "--format", "sarif"]).expect(2);
    let error: Value = serde_json::from_str(refused.stdout.trim_end()).unwrap();
    assert_eq!((&error["type"], &error["exit"]), (&"error".into(), &2.into()), "on one line, in the stream");
}

#[test]
fn a_review_and_a_demo_stream_their_events_as_well() {
    let scratch = Scratch::repository(crate::world::PROGRAM);
    scratch.configure("[roles]\ndefault = \"rehearsal\"\n");
    scratch.write("notes.md", "# Notes\n\nOrders are kept for 30 days.\n");
    let ran = scratch.run(["review", "notes.md", "--events"]);
    let all = lines(&ran);
    assert_eq!(all.last().unwrap()["type"], "result", "{}", ran.stdout);
    assert!(
        all.len() > 3 && all.iter().rev().skip(1).all(|line| line["scope"] == "review-001"),
        "{}",
        ran.stdout
    );
    let demo = lines(&Scratch::empty(crate::world::PROGRAM).run(["demo", "--events"]).expect(0));
    assert!(demo.len() > 100 && demo.last().unwrap()["result"]["ready"] == true);
}

#[test]
fn verbose_adds_each_event_with_its_ticket_to_the_story() {
    let told = |words: &[&str]| feature(IDEA).run(words).expect(0).stderr;
    let (short, long) = (told(&["run", "001"]), told(&["run", "001", "-v"]));
    let ticket = "001/specify.1/review/spec-reviewer/1.1";
    assert!(!short.contains(ticket) && long.contains(&format!("{ticket} sent to rehearsal")), "{long}");
    for line in short.lines() {
        assert!(long.contains(line), "{line} in {long}");
    }
}

#[test]
fn a_run_ends_in_at_most_eight_lines_wherever_it_stands() {
    let fits = |ran: &Ran| {
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert!(lines.len() <= 8, "{}", ran.stdout);
        assert!(lines[0].starts_with("feature 001 is "), "{}", ran.stdout);
        assert!(lines.iter().any(|line| line.starts_with("cost: ")), "{}", ran.stdout);
        assert!(lines.last().unwrap().starts_with("next: redraft "), "{}", ran.stdout);
    };
    let scratch = feature(IDEA);
    scratch.scenario("usd_per_dispatch = 1.0\n");
    fits(&scratch.run(["run", "001", "--budget", "2"]).expect(5));
    scratch.scenario("");
    fits(&scratch.run(["run", "001", "--budget", "9"]).expect(0));
    let asked = feature(IDEA);
    asked.scenario("[[rule]]\nticket = \"*/draft/spec-author/1.1\"\ndo = \"ask\"\n");
    let ran = asked.run(["run", "001"]).expect(6);
    fits(&ran);
    assert!(ran.stderr.contains("    1. Who may use it"), "its questions are in the story: {}", ran.stderr);
    let ready = coded("", "");
    fits(&ready.run(["finish"]).expect(0));
}
