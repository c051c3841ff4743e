//! A usage limit that lasts until a known time, and a feature that another process drives.

use crate::world::{bodies, events, feature};
use redraft_facts::text::utc;
use redraft_testkit::{Ran, Scratch};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

const IDEA: &str = "Export the monthly report as CSV";

/// A day, too long to wait at the terminal.
const LIMIT: &str =
    "[[rule]]\nticket = \"*/review/spec-reviewer/1.1\"\ndo = \"overloaded\"\nwait_ms = 86400000\ntimes = 1\n";

fn sent(scratch: &Scratch) -> usize {
    bodies(&events(scratch), "started").count()
}

#[test]
fn a_parked_run_sends_nothing_before_its_time_unless_a_person_says_so() {
    let scratch = feature(IDEA);
    scratch.scenario(LIMIT);
    let ran = scratch.run(["run", "001"]).expect(5);
    let failed = events(&scratch);
    let failed = bodies(&failed, "failed").next().expect("the limit is stored").clone();
    let until_ms = failed["now"]["park_until"].as_i64().expect("a limit that ends");
    let until = utc(until_ms);
    let next = format!("next: redraft run 001 (after {until}, or now with --now)");
    assert!(ran.stdout.contains("feature 001 is parked") && ran.stdout.contains(&next), "{}", ran.stdout);
    let before = sent(&scratch);

    let again = scratch.run(["run", "001"]).expect(5);
    assert!(
        again.stderr.contains(&format!("an agent's usage limit is reached until {until}")),
        "{}",
        again.stderr
    );
    assert!(
        again.stdout.contains("feature 001 is parked") && again.stdout.contains(&next),
        "{}",
        again.stdout
    );
    let json = scratch.json(["run", "001"]);
    assert_eq!(
        (json["outcome"].as_str(), json["parked_until_ms"].as_i64()),
        (Some("parked"), Some(until_ms))
    );
    assert_eq!(json["next"], "redraft run 001", "a command that can be typed");
    assert_eq!((&json["standing"]["is"], &json["waits_for_you"]), (&"parked".into(), &false.into()));
    assert_eq!(sent(&scratch), before, "nothing was sent");

    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(status.contains(&format!("  parked until {until}\n")), "{status}");
    assert!(!status.contains("usage limit lasts"), "once is enough: {status}");
    assert!(status.trim_end().ends_with(&next), "{status}");
    let json = scratch.json(["status"]);
    assert_eq!(json["features"][0]["parked_until_ms"].as_i64(), Some(until_ms));
    assert_eq!(
        (json["next"].as_str(), json["next_after"].as_str()),
        (Some("redraft run 001"), Some(&*until))
    );

    let done = scratch.run(["run", "001", "--now"]).expect(0);
    assert!(done.stdout.contains("feature 001 is approved"), "{}", done.stdout);
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(!status.contains("parked") && !status.contains("after"), "{status}");
}

#[test]
fn another_agent_is_not_held_by_a_park() {
    let scratch = feature(IDEA);
    scratch.scenario(LIMIT);
    scratch.run(["run", "001"]).expect(5);
    let config = std::fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("{config}[agents.other]\nkind = \"rehearsal\"\n"));
    scratch.run(["run", "001", "--agent", "other"]).expect(0);
}

#[test]
fn a_feature_that_is_being_driven_is_said_to_be_under_way() {
    let scratch = feature(IDEA);
    scratch.run(["new", "--until", "specify", "another idea"]).expect(0);
    scratch.scenario("[[rule]]\nticket = \"001/*/review/spec-reviewer/1.1\"\ndo = \"hang\"\n");
    let mut command = scratch.redraft(["run", "001", "-v"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("review/spec-reviewer/1.1 sent") {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "the run ended early");
    }
    let status = scratch.run(["status"]).expect(0).stdout;
    let holder =
        format!("    under way: held by `redraft run 001 -v` of Test Person, process {}, since ", child.id());
    assert!(status.contains(&holder), "{status}");
    assert!(status.contains("    next: redraft watch 001\n"), "{status}");
    assert!(status.trim_end().ends_with("\nnext: redraft run 002"), "{status}");
    let one = scratch.json(["status", "001"]);
    assert_eq!(one["features"][0]["held_by"]["pid"].as_u64(), Some(child.id().into()));
    assert_eq!(one["next"], "redraft watch 001");
    let cost = scratch.run(["cost", "001"]).expect(0).stdout;
    assert!(
        cost.starts_with("feature 001 export-the-monthly-report-as-csv, working: 1 dispatch under way: "),
        "{cost}"
    );
    let both = scratch.run(["cost"]).expect(0).stdout;
    assert!(both.contains("working") && both.contains("planned") && !both.contains("active"), "{both}");
    let killed = scratch.command("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    talk.read_to_string(&mut line).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let status = Ran::new(scratch.redraft(["status", "001"]).output().unwrap()).expect(0).stdout;
    assert!(
        !status.contains("under way") && status.trim_end().ends_with("next: redraft run 001"),
        "{status}"
    );
    let cost = scratch.run(["cost", "001"]).expect(0).stdout;
    assert!(cost.starts_with("feature 001 export-the-monthly-report-as-csv, ready to continue: "), "{cost}");
}
