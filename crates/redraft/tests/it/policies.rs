//! Every policy finds the same defects, by what the program really sends to the built-in reviewer.

use crate::documents::CLEAN;
use crate::world::{PROGRAM, bodies, entries, events};
use redraft_core::pipeline::Pipeline;
use redraft_testkit::Scratch;
use std::collections::BTreeSet;
use std::fs;

/// How each policy sends the second review, where one strategy is always its own.
const POLICIES: [(&str, Option<&str>); 7] = [
    ("cost", None),
    ("seed", None),
    ("guarded", None),
    ("fresh", Some("lazy")),
    ("resume", Some("resume")),
    ("inline", Some("inline")),
    ("digest", Some("digest")),
];

/// What is taken out of the document before the first review and, by a person, between two of them, and what a finding
/// then says.
const FIRST: (&str, &str) =
    ("- AC2 (R2): after a download the auditor sees one record with user and time.\n", "requirement `R2`");
const LATER: [(&str, &str); 2] = [
    (
        "- AC3 (R3): with the report database stopped, an error is shown and the auditor sees no record.\n",
        "`R3`",
    ),
    ("- AC1 (R1): asking for the report of March gives a CSV file with one line per booking.\n", "`R1`"),
];

/// Plays a loop in which defects are planted before the first and before the second review. Gives all findings, and how
/// the second review was sent.
fn findings(policy: &str) -> (BTreeSet<String>, String) {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Export the monthly report as CSV"]).expect(0);
    let worktree = scratch.worktree("001");
    let folder = worktree.join("docs/features").join(worktree.file_name().unwrap());
    fs::create_dir_all(&folder).unwrap();
    let spec = folder.join("spec.md");
    fs::write(&spec, CLEAN.replace(FIRST.0, "")).unwrap();
    let agent = "[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n";
    let review = format!("[review]\npolicy = \"{policy}\"\nknowledge = \"scoped\"\n");
    scratch.write("redraft.toml", &format!("[limits]\nattempts = 1\n{review}{agent}"));
    // The second review does not take place before a person has edited the document.
    scratch.write("scenario.toml", "[[rule]]\nticket = \"*/review/spec-reviewer/2.*\"\ndo = \"fail\"\n");
    scratch.run(["run", "001"]).expect(4);
    let text = fs::read_to_string(&spec).unwrap();
    let planted = LATER.iter().fold(text.clone(), |text, (line, _)| text.replace(line, ""));
    assert_eq!(text.lines().count(), planted.lines().count() + LATER.len(), "{text}");
    fs::write(&spec, planted).unwrap();
    scratch.write("scenario.toml", "");
    scratch.run(["run", "001"]).expect(0);
    let state = Pipeline::replay(&entries(&scratch)).unwrap();
    let found = state.latest().unwrap().findings.iter().map(|finding| finding.description.clone()).collect();
    let events = events(&scratch);
    let second =
        |body: &&serde_json::Value| body["ticket"].as_str().unwrap().contains("/review/spec-reviewer/2.");
    let sent = bodies(&events, "started").filter(second).last().unwrap();
    (found, sent["choice"]["strategy"].as_str().unwrap().to_owned())
}

#[test]
fn every_policy_finds_every_planted_defect_and_the_same_set() {
    let (expected, _) = findings("fresh");
    for (_, named) in LATER.iter().chain([&FIRST]) {
        assert!(expected.iter().any(|found| found.contains(named)), "{named} in {expected:#?}");
    }
    for (policy, strategy) in POLICIES {
        let (found, sent) = findings(policy);
        assert_eq!(found, expected, "{policy}");
        assert!(strategy.is_none_or(|strategy| strategy == sent), "{policy} sent {sent}");
    }
}
