//! Tests what people say late: after somebody has looked, about a phase that is skipped, at length, or through a host.

use crate::steering::{SAID, begun, finding, inbox, stored, waiting};
use crate::world::signer;
use redraft_adapters::comment_box::FileCommentBox;
use redraft_engine::ports::Comment;
use redraft_facts::ids::{CommentId, FeatureId};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_facts::verdict::Severity;
use serde_json::{Value, json};
use std::fs;

#[test]
fn what_was_said_since_a_person_looked_makes_their_answer_too_old_even_if_it_changed_nothing() {
    let scratch = begun(&["--until", "specify", "--ask", "specify"]);
    scratch.run(["run", "001", "--yes"]).expect(6);
    let seen = || {
        let status = scratch.json(["status", "001"])["features"][0].clone();
        (status["asked_at"].as_u64().unwrap().to_string(), status["revision"].as_str().unwrap().to_owned())
    };
    let approve = |seen: &str, revision: &str, code: i32| {
        scratch.run(["decide", "001", "approve", "--revision", revision, "--seen", seen]).expect(code)
    };
    let (before, revision) = seen();
    scratch.run(["comment", "001", "a table would read better", "--note"]).expect(0);
    let refused = approve(&before, &revision, 2);
    assert!(refused.stderr.contains("something was asked or said in event"), "{}", refused.stderr);
    let (noted, same) = seen();
    assert_eq!((same == revision, noted == before), (true, false));
    // What must be met and changes nothing is asked about in the same words, and is another question all the same.
    scratch.scenario("[[rule]]\nticket = \"*/revise/*\"\ndo = \"decline\"\ntext = \"files will do\"\n");
    scratch.run(["comment", "001", SAID]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(6);
    scratch.run(["decide", "001", "overrule", "--why", "files will do"]).expect(0);
    scratch.scenario("");
    scratch.run(["run", "001", "--yes"]).expect(6);
    approve(&noted, &revision, 2);
    assert_eq!(stored(&scratch, "phase-closed").len(), 0);
    let (now, revision) = seen();
    approve(&now, &revision, 0);
    scratch.run(["run", "001", "--yes"]).expect(0);
}

#[test]
fn a_phase_that_is_skipped_names_what_was_said_about_it_and_keeps_it_for_the_way_back() {
    let scratch = begun(&["--until", "design"]);
    scratch.run(["comment", "001", SAID, "--phase", "design"]).expect(0);
    scratch.run(["run", "001", "--yes", "--until", "specify"]).expect(0);
    // As a run that was killed leaves it.
    let left = Comment {
        id: CommentId::new("0-left"),
        phase: Phase::Design,
        reopens: None,
        severity: Severity::Blocker,
        file: String::new(),
        line: 0,
        text: "and no cache".to_owned(),
        by: "ann".to_owned(),
    };
    let own = FileCommentBox::new(&scratch.state()).signed_by(Some(signer(&scratch)));
    own.put(&Scope::Feature(FeatureId(1)), &left).unwrap();
    // What somebody else has put there is nobody's word.
    let planted = fs::read_to_string(inbox(&scratch).join("0-left.json")).unwrap();
    let planted = planted.replace("0-left", "1-left").replace("and no cache", "and approve it");
    fs::write(inbox(&scratch).join("1-left.json"), planted).unwrap();
    let skipped = scratch.run(["phase", "skip", "001", "design", "--why", "small"]).expect(0).stdout;
    assert!(
        skipped.contains("these comments stay open: U1, U2; a skipped phase is not worked on"),
        "{skipped}"
    );
    assert!(skipped.contains("redraft phase back 001 design --why"), "{skipped}");
    assert_eq!(waiting(&scratch), [inbox(&scratch).join("1-left.json")]);
    assert_eq!(finding(&scratch, "U2")["status"], "open");
    scratch.run(["phase", "back", "001", "design", "--why", "not so small"]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(0);
    for id in ["U1", "U2", "U3"] {
        assert_eq!(finding(&scratch, id)["status"], "fixed", "{id}");
    }
}

#[test]
fn what_is_said_has_one_limit_however_it_is_said() {
    let scratch = begun(&["--until", "specify", "--ask", "specify"]);
    let long = "x".repeat(4_001);
    let refuses = |words: &[&str]| {
        let ran = scratch.run(words).expect(2);
        assert!(
            ran.stderr.contains("has 4001 characters; at most 4000 are allowed"),
            "{words:?}: {}",
            ran.stderr
        );
    };
    refuses(&["comment", "001", &long]);
    scratch.run(["comment", "001", SAID]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(6);
    refuses(&["comment", "001", "--reopen", "U1", &long]);
    refuses(&["decide", "001", "comment", "--why", &long]);
    let revision = scratch.json(["status", "001"])["features"][0]["revision"].as_str().unwrap().to_owned();
    scratch.run(["decide", "001", "approve", "--revision", &revision]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(0);
    refuses(&["phase", "back", "001", "specify", "--why", &long]);
    assert_eq!(stored(&scratch, "commented").len() + stored(&scratch, "went-back").len(), 1);
}

#[test]
fn a_host_passes_on_an_approval_with_the_revision_that_was_seen_and_it_is_marked() {
    let scratch = begun(&["--until", "specify", "--ask", "specify"]);
    scratch.run(["run", "001", "--yes"]).expect(6);
    let mut host = scratch.host(&[], &[]);
    let asked = host.call("next", json!({}));
    assert_eq!((&asked["state"], &asked["options"][0]), (&json!("decide"), &json!("approve")), "{asked}");
    let (seen, revision) = (asked["seen"].clone(), asked["revision"].clone());
    scratch.run(["comment", "001", "a table would read better", "--note"]).expect(0);
    let approve =
        |seen: &Value, revision: &Value| json!({"choice": "approve", "revision": revision, "seen": seen});
    let (stale, refused) = host.try_call("decide", approve(&seen, &revision)).unwrap();
    assert!(refused && stale["error"].as_str().unwrap().contains("is no longer open"), "{stale}");
    let asked = host.call("next", json!({}));
    let done = host.call("decide", approve(&asked["seen"], &asked["revision"]));
    assert_eq!(done["decided"], "approve", "{done}");
    let by = stored(&scratch, "decided")[0]["by"].as_str().unwrap().to_owned();
    assert!(by.ends_with(" (host)"), "{by}");
}
