//! Features that come before others: what `status`, `run` and `project` say while they are open, and how to go on.

use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::Scratch;
use serde_json::json;
use std::fs;

/// 001 comes before 002, which comes before 003.
fn chain() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Keys", "--until", "specify"]).expect(0);
    scratch.run(["new", "Limits", "--until", "specify", "--depends-on", "001"]).expect(0);
    scratch.run(["new", "Reports", "--until", "specify", "--depends-on", "002-limits"]).expect(0);
    scratch
}

fn sent_for(scratch: &Scratch, feature: &str) -> usize {
    let all = events(scratch);
    let tickets = bodies(&all, "started").filter_map(|body| body["ticket"].as_str().map(str::to_owned));
    tickets.filter(|ticket| ticket.starts_with(feature)).count()
}

#[test]
fn a_feature_is_not_run_before_what_comes_before_it_and_both_ways_out_are_named() {
    let scratch = chain();
    let refused = scratch.run(["run", "003"]).expect(6);
    assert!(refused.stderr.contains("feature 003 is blocked by 002-limits (specify)"), "{}", refused.stderr);
    // The first of the chain is the one to go on with.
    assert!(refused.stderr.contains("first: redraft run 001"), "{}", refused.stderr);
    assert!(refused.stderr.contains("redraft run 003 --unblock \"why\""), "{}", refused.stderr);
    assert_eq!(sent_for(&scratch, "003"), 0);
    let object = scratch.json(["run", "003", "--yes"]);
    assert_eq!(object["exit"], 6, "--yes does not unblock: {object}");
    scratch.run(["run", "001"]).expect(0);
    scratch.run(["run", "002"]).expect(0);
    scratch.run(["run", "003"]).expect(0);
}

#[test]
fn status_says_what_is_in_the_way_and_names_what_can_be_run_next() {
    let scratch = chain();
    let made = scratch.json(["new", "More reports", "--depends-on", "003", "--until", "specify"]);
    assert_eq!(made["next"], "redraft run 001", "what is printed can be typed");
    scratch.run(["decide", "004", "abandon"]).expect(0);
    let shown = scratch.json(["status"]);
    let blocked_by = |at: usize| shown["features"][at]["blocked_by"].clone();
    assert_eq!(blocked_by(0), json!(null));
    assert_eq!(blocked_by(1), json!([{"feature": "001-keys", "status": "planned", "phase": "specify"}]));
    for at in 0..3 {
        assert_eq!(shown["features"][at]["next"], "redraft run 001", "{at}");
    }
    let text = scratch.run(["status"]).expect(0).stdout;
    assert!(text.contains("\n    blocked by 001-keys (specify)\n"), "{text}");
    let one = scratch.run(["status", "003"]).expect(0).stdout;
    assert!(
        one.contains("blocked by 002-limits (specify)") && one.ends_with("next: redraft run 001\n"),
        "{one}"
    );
    let ran = scratch.run(["run", "001"]).expect(0);
    assert!(ran.stdout.ends_with("next: redraft run 002\n"), "what waited for it is next: {}", ran.stdout);
    let text = scratch.run(["status"]).expect(0).stdout;
    assert!(!text.contains("blocked by 001") && text.ends_with("next: redraft run 002\n"), "{text}");
}

#[test]
fn what_was_given_up_blocks_until_a_person_goes_on_with_a_reason_that_is_kept() {
    let scratch = chain();
    scratch.run(["decide", "001", "abandon", "--why", "not needed"]).expect(0);
    let text = scratch.run(["status", "002"]).expect(0).stdout;
    assert!(text.contains("blocked by 001-keys (abandoned)"), "{text}");
    assert!(text.ends_with("next: redraft run 002 --unblock \"why\"\n"), "{text}");
    let refused = scratch.run(["run", "002"]).expect(6);
    assert!(!refused.stderr.contains("redraft run 001"), "nobody can run it: {}", refused.stderr);
    scratch.run(["run", "002", "--unblock", " "]).expect(2);
    scratch.run(["run", "002", "--unblock", "keys come from elsewhere"]).expect(0);
    let all = events(&scratch);
    let kept: Vec<_> = bodies(&all, "unblocked").collect();
    assert_eq!((kept.len(), &kept[0]["dependencies"]), (1, &json!(["001-keys"])));
    let log = scratch.run(["log", "002"]).expect(0).stdout;
    assert!(log.contains("continues without waiting for 001-keys: keys come from elsewhere"), "{log}");
    let meta = fs::read_to_string(scratch.artifacts("002").join(".meta.json")).unwrap();
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    assert_eq!(meta["unblocked"]["001-keys"], "keys come from elsewhere");
    assert_eq!(meta["depends_on_features"], json!(["001-keys"]));
}

#[test]
fn a_feature_that_would_wait_for_itself_is_refused_before_it_has_a_number() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Keys", "--until", "specify"]).expect(0);
    // An existing feature already waits for the new one, which is to wait for it; by its folder, or by its number.
    for before in ["003-limits", "003"] {
        let meta = format!("{{\"status\": \"active\", \"depends_on_features\": [\"{before}\"]}}");
        scratch.write("docs/features/002-old/.meta.json", &meta);
        scratch.write("docs/features/002-old/spec.md", "# Old\n");
        let refused = scratch.run(["new", "Limits", "--depends-on", "001", "--depends-on", "002"]).expect(2);
        let circle = "003-limits needs 002-old needs 003-limits";
        assert!(refused.stderr.contains(circle), "{}", refused.stderr);
    }
    assert_eq!(scratch.json(["status"])["features"].as_array().map(Vec::len), Some(1));
    scratch.run(["new", "Limits", "--depends-on", "001"]).expect(0);
}

#[test]
fn what_is_not_found_is_a_note_and_what_the_ledger_does_not_know_is_offered_to_adopt() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("docs/features/001-old/.meta.json", "{\"status\": \"active\"}");
    scratch.write("docs/features/001-old/spec.md", "# Old\n");
    scratch.run(["new", "Limits", "--until", "specify", "--depends-on", "001-old"]).expect(0);
    let shown = scratch.json(["status"]);
    assert_eq!(shown["next"], "redraft adopt docs/features/001-old");
    let refused = scratch.run(["run", "002"]).expect(6);
    assert!(refused.stderr.contains("blocked by 001-old (active)"), "{}", refused.stderr);
    assert!(refused.stderr.contains("first: redraft adopt docs/features/001-old"), "{}", refused.stderr);
    fs::remove_dir_all(scratch.root().join("docs/features/001-old")).unwrap();
    let ran = scratch.run(["run", "002"]).expect(0);
    assert!(
        ran.stderr.contains("note: feature 002 depends on 001-old, which was not found"),
        "{}",
        ran.stderr
    );
}

#[test]
fn features_begun_at_the_same_time_wait_for_each_other_and_get_numbers_of_their_own() {
    let scratch = Scratch::repository(PROGRAM);
    let begun: Vec<_> = (0..8)
        .map(|n| {
            let mut command = scratch.redraft(["new".to_owned(), format!("Report {n}")]);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in begun {
        redraft_testkit::Ran::new(child.wait_with_output().unwrap()).expect(0);
    }
    let shown = scratch.json(["status"]);
    let ids: Vec<&str> =
        shown["features"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["001", "002", "003", "004", "005", "006", "007", "008"]);
}

#[test]
fn projects_list_what_is_in_the_way_of_their_features() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["project", "new", "Gateway"]).expect(0);
    scratch.run(["new", "Keys", "--until", "specify", "--project", "P001"]).expect(0);
    scratch
        .run(["new", "Limits", "--until", "specify", "--project", "P001", "--depends-on", "001"])
        .expect(0);
    let listed = scratch.run(["project"]).expect(0).stdout;
    assert!(listed.contains("    002-limits  planned, blocked by 001-keys (specify)\n"), "{listed}");
    let shown = scratch.json(["project"]);
    let limits = &shown["projects"][0]["not_on_roadmap"][1];
    assert_eq!(
        (&limits["status"], &limits["blocked_by"][0]["feature"]),
        (&json!("planned"), &json!("001-keys"))
    );
    scratch.run(["run", "001"]).expect(0);
    let listed = scratch.run(["project"]).expect(0).stdout;
    assert!(listed.contains("    002-limits  planned\n"), "{listed}");
}
