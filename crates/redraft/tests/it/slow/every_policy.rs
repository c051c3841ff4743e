//! Plays a whole feature under every policy, in every lane, by runs and by hosts: rejected in every phase that has
//! reviewers, and yet it ends approved and ready to merge.

use super::Stopwatch;
use super::finish_crash::copy;
use crate::finish::{coded, retro};
use crate::hosts::{never, works};
use crate::plays::SWITCH;
use crate::world::{PROGRAM, bodies, entries, events};
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::Effect;
use redraft_facts::choice::Policy;
use redraft_facts::phase::Lane;
use redraft_facts::ticket::Purpose;
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

const IDEA: &str = "Let people reset a forgotten password by email";

/// The shop of `redraft demo`: its tests run on every machine, and its knowledge bank has lessons to judge.
const FILES: [(&str, &str); 5] = [
    ("src/accounts.sh", include_str!("../../../src/cli/demo/accounts.sh")),
    ("tests/accounts.sh", include_str!("../../../src/cli/demo/accounts.test.sh")),
    ("tests/run.sh", include_str!("../../../src/cli/demo/run.sh")),
    ("docs/knowledge-bank/anti-patterns.md", include_str!("../../../src/cli/demo/anti-patterns.md")),
    ("docs/knowledge-bank/heuristics.md", include_str!("../../../src/cli/demo/heuristics.md")),
];

#[derive(Clone, Copy)]
enum By {
    Runs,
    Hosts,
}

/// A repository whose redraft.toml sets this policy.
fn shop(policy: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    for (path, text) in FILES {
        scratch.write(path, text);
    }
    let config = format!("[review]\npolicy = \"{policy}\"\n[checks]\ntests = \"sh tests/run.sh\"\n");
    scratch.write("redraft.toml", &config);
    scratch.git(["add", "."]);
    scratch.git(["commit", "-q", "-m", "a shop"]);
    scratch.run(["trust", "--yes"]).expect(0);
    scratch
}

/// Plays one feature to its end under each policy.
#[track_caller]
fn reaches_the_end(lane: Lane, by: By) {
    for policy in Policy::ALL {
        let policy = policy.name();
        let scratch = shop(policy);
        scratch.run(["new", "--lane", lane.name(), IDEA]).expect(0);
        match by {
            By::Runs => {
                let ran = scratch.run(["run", "--yes"]).expect(0);
                assert!(ran.stdout.contains("is approved and ready to merge"), "{policy}: {}", ran.stdout);
            }
            By::Hosts => {
                let end = works(&scratch, &mut scratch.host(&[], &[]), never);
                assert_eq!(
                    (&end["state"], &end["outcome"]),
                    (&json!("done"), &json!("approved")),
                    "{policy}: {end}"
                );
            }
        }
        was_rejected_everywhere(&scratch, policy);
    }
}

/// It stands as it should, and got there the long way.
#[track_caller]
fn was_rejected_everywhere(scratch: &Scratch, policy: &str) {
    let row = &scratch.json(["status"])["features"][0];
    assert_eq!((&row["status"], &row["ready"]), (&json!("approved"), &json!(true)), "{policy}: {row}");
    let events = events(scratch);
    let opened: Vec<&Value> = bodies(&events, "loop-opened").collect();
    assert!(opened.iter().all(|one| one["policy"] == policy), "{policy}: {opened:?}");
    let reviewed = opened.iter().filter(|one| one["panels"].as_array().is_some_and(|all| !all.is_empty()));
    let reviewed: BTreeSet<&str> = reviewed.filter_map(|one| one["phase"].as_str()).collect();
    let rejections = bodies(&events, "judged").filter(|one| one["judgement"] == "rejected");
    let tickets: Vec<&str> = rejections.filter_map(|one| one["ticket"].as_str()).collect();
    for phase in &reviewed {
        let there = tickets.iter().any(|ticket| ticket.contains(&format!("/{phase}.1/")));
        assert!(there, "{policy}: nothing was rejected in {phase}: {tickets:?}");
    }
    assert!(reviewed.contains("implement"), "{reviewed:?}");
    for purpose in ["/retro/", "/judge/"] {
        let is_it = |one: &&Value| one["ticket"].as_str().is_some_and(|ticket| ticket.contains(purpose));
        let sent: Vec<&Value> = bodies(&events, "started").filter(is_it).collect();
        assert_eq!(sent.len(), 1, "{policy}: {purpose} {sent:?}");
        assert_eq!(sent[0]["choice"]["strategy"], "inline", "{policy}: {purpose}");
    }
}

#[test]
fn every_policy_reaches_the_end_of_lane_express_by_runs() {
    let _clock = Stopwatch::start();
    reaches_the_end(Lane::Express, By::Runs);
}

#[test]
fn every_policy_reaches_the_end_of_lane_express_by_hosts() {
    let _clock = Stopwatch::start();
    reaches_the_end(Lane::Express, By::Hosts);
}

#[test]
fn every_policy_reaches_the_end_of_lane_standard_by_runs() {
    let _clock = Stopwatch::start();
    reaches_the_end(Lane::Standard, By::Runs);
}

#[test]
fn every_policy_reaches_the_end_of_lane_standard_by_hosts() {
    let _clock = Stopwatch::start();
    reaches_the_end(Lane::Standard, By::Hosts);
}

#[test]
fn every_policy_reaches_the_end_of_lane_deep_by_runs() {
    let _clock = Stopwatch::start();
    reaches_the_end(Lane::Deep, By::Runs);
}

#[test]
fn every_policy_reaches_the_end_of_lane_deep_by_hosts() {
    let _clock = Stopwatch::start();
    reaches_the_end(Lane::Deep, By::Hosts);
}

/// A run that dies right before it sends the retrospective has stored nothing of it: the feature rests where the
/// retrospective is pending.
#[test]
fn a_feature_that_could_not_begin_its_retrospective_goes_on_whatever_policy_is_named_now() {
    let _clock = Stopwatch::start();
    for (stored, named) in [("guarded", None), ("digest", Some("fresh")), ("cost", Some("resume"))] {
        let scratch = coded(&format!("[review]\npolicy = \"{stored}\"\n"), "");
        rests_before_the_retrospective(&scratch);
        let opened = events(&scratch);
        let finish: Vec<&Value> =
            bodies(&opened, "loop-opened").filter(|one| one["phase"] == "finish").collect();
        assert_eq!((finish.len(), &finish[0]["policy"]), (1, &json!(stored)));
        let words = named.map(|policy| vec!["--policy", policy]).unwrap_or_default();
        let ran = scratch.run([&["run", "--yes"], words.as_slice()].concat()).expect(0);
        assert!(ran.stdout.contains("is approved and ready to merge"), "{stored}: {}", ran.stdout);
        assert!(retro(&scratch, "001").contains("## Tune"), "{stored}");
    }
}

/// Ends a feature with approved code up to where its retrospective would be sent.
fn rests_before_the_retrospective(scratch: &Scratch) {
    const BOUNDARIES_MAX: u64 = 20;
    let kept = scratch.outside().join("kept");
    copy(scratch, &scratch.root(), &kept);
    for boundary in 1..BOUNDARIES_MAX {
        let died = Ran::new(scratch.redraft(["finish"]).env(SWITCH, boundary.to_string()).output().unwrap());
        assert_eq!(died.code, None, "boundary {boundary}: {}", died.stderr);
        let state = Pipeline::replay(&entries(scratch)).unwrap();
        let owed = pipeline::pending(&state);
        if matches!(owed.as_slice(), [Effect::Dispatch(order)] if order.ticket.purpose == Purpose::Retro) {
            return;
        }
        fs::remove_dir_all(scratch.root()).unwrap();
        copy(scratch, &kept, &scratch.root());
        scratch.accept();
    }
    panic!("the retrospective was never owed");
}
