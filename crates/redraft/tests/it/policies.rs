//! Tests that every policy finds the same defects, by what the program really sends to the built-in reviewer.

use crate::documents::CLEAN;
use crate::world::{PROGRAM, bodies, entries, events};
use redraft_core::pipeline::Pipeline;
use redraft_testkit::Scratch;
use std::collections::BTreeSet;
use std::fs;

/// How each policy sends the second review, where it always uses one strategy.
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

/// The result of a loop whose document a person changed between two reviews.
struct Played {
    /// The descriptions of all findings.
    found: BTreeSet<String>,
    /// How the second review was sent, the files it opened, and what became of the open findings.
    sent: String,
    opened: serde_json::Value,
    ruled: Vec<(String, String)>,
}

/// Plays a loop that begins with [`FIRST`] planted; `plant` changes the document before the second review.
fn play(policy: &str, plant: impl Fn(&str) -> String) -> Played {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "Export the monthly report as CSV"]).expect(0);
    let worktree = scratch.worktree("001");
    let folder = worktree.join("docs/features").join(worktree.file_name().unwrap());
    fs::create_dir_all(&folder).unwrap();
    let spec = folder.join("spec.md");
    fs::write(&spec, CLEAN.replace(FIRST.0, "")).unwrap();
    let agent = "[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n";
    let review = format!("[review]\npolicy = \"{policy}\"\nknowledge = \"scoped\"\n");
    scratch.write("redraft.toml", &format!("[limits]\nattempts = 1\n{review}{agent}"));
    // The second review does not take place before a person has edited the document.
    scratch.write(
        "scenario.toml",
        "[[rule]]\nticket = \"*/review/spec-reviewer/2.*\"\ndo = \"overloaded\"\nwait_ms = 1\n",
    );
    scratch.run(["run", "001"]).expect(4);
    let text = fs::read_to_string(&spec).unwrap();
    let planted = plant(&text);
    assert_ne!(text, planted);
    fs::write(&spec, planted).unwrap();
    scratch.write("scenario.toml", "");
    scratch.run(["run", "001"]).expect(0);
    let state = Pipeline::replay(&entries(&scratch)).unwrap();
    let found = state.latest().unwrap().findings.iter().map(|finding| finding.description.clone()).collect();
    let events = events(&scratch);
    let review =
        |body: &&serde_json::Value| body["ticket"].as_str().unwrap().contains("/review/spec-reviewer/");
    let opened = bodies(&events, "answered").filter(review).nth(1).unwrap();
    let sent = bodies(&events, "started").find(|body| body["ticket"] == opened["ticket"]).unwrap();
    let judged = bodies(&events, "judged").find(|body| body["ticket"] == sent["ticket"]).unwrap();
    let changes = judged["changes"].as_array().unwrap().iter();
    let ruled = changes.filter_map(|change| {
        let (status, what) = change.as_object()?.iter().next()?;
        Some((what["id"].as_str()?.to_owned(), status.clone())).filter(|_| status != "raised")
    });
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    Played {
        found,
        sent: word(&sent["choice"]["strategy"]),
        opened: opened["opened"].clone(),
        ruled: ruled.collect(),
    }
}

/// The criteria are taken out of the document again, and their content is in another section.
fn without_criteria(text: &str) -> String {
    let planted = LATER.iter().fold(text.to_owned(), |text, (line, _)| text.replace(line, ""));
    assert_eq!(text.lines().count(), planted.lines().count() + LATER.len(), "{text}");
    planted
}

#[test]
fn every_policy_finds_every_planted_defect_and_the_same_set() {
    let expected = play("fresh", without_criteria).found;
    for (_, named) in LATER.iter().chain([&FIRST]) {
        assert!(expected.iter().any(|found| found.contains(named)), "{named} in {expected:#?}");
    }
    for (policy, strategy) in POLICIES {
        let Played { found, sent, .. } = play(policy, without_criteria);
        assert_eq!(found, expected, "{policy}");
        assert!(strategy.is_none_or(|strategy| strategy == sent), "{policy} sent {sent}");
    }
}

/// The author's criterion gets its old wording, and a new one contradicts the first requirement, which is far from it
/// and has not changed. Its section is that of the open finding.
fn with_another_number(text: &str) -> String {
    let number = "- AC4 (R1): the system shall send a CSV file within 30 seconds.\n";
    let written = text.split_inclusive('\n').find(|line| line.contains("(R2)")).unwrap();
    text.replace(written, &format!("{}{number}", FIRST.0))
}

#[test]
fn a_digest_carries_what_its_reviewer_needs_to_rule_on_findings_and_to_find_new_harm() {
    let whole = play("fresh", with_another_number);
    let digest = play("digest", with_another_number);
    assert!(whole.found.iter().any(|found| found.contains("two numbers")), "{:#?}", whole.found);
    assert_eq!((digest.sent.as_str(), &digest.found), ("digest", &whole.found));
    assert_eq!(digest.ruled, whole.ruled);
    assert_eq!(digest.ruled, [("S1".to_owned(), "fixed".to_owned())]);
    assert_eq!(digest.opened, serde_json::json!([]), "the sections it was sent sufficed");
    // The change here names something that is not in the digest, so the file is opened, as the prompt allows.
    let looked = play("digest", without_criteria).opened;
    assert!(looked.as_array().is_some_and(|files| !files.is_empty()), "{looked}");
}
