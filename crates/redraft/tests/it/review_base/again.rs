//! A change that is reviewed again: after a commit, a rebase, another base.

use super::{SAFE, UNSAFE, commit, prompt, review, started, tickets, topic};
use redraft_testkit::Scratch;
use std::fs;

#[test]
fn after_the_next_commit_each_reviewer_is_sent_only_what_changed_and_the_finding_is_answered() {
    let scratch = topic(UNSAFE);
    let first = scratch.json(["review", "--base", "main"]);
    assert_eq!((&first["outcome"], &first["findings"][0]["id"]), (&"findings".into(), &"X1".into()));
    commit(&scratch, "greet.sh", SAFE, "never run what is given");
    let ran = review(&scratch, &[]).expect(0);
    assert!(ran.stdout.contains("review-001 (topic since main) is approved\n"), "{}", ran.stdout);
    let asked = started(&scratch);
    assert_eq!(asked.len(), 6, "{:?}", tickets(&scratch));
    for later in &asked[3..] {
        assert_eq!(later["choice"]["strategy"], "resume", "{later}");
        let prompt = prompt(&scratch, later["ticket"].as_str().unwrap());
        assert!(prompt.contains("-eval \"echo hello $1\"") && prompt.contains("+printf 'hello"), "{prompt}");
        assert!(!prompt.contains("-echo hello\n"), "the delta starts at the last review: {prompt}");
        let told = prompt.contains("never run what is given") && !prompt.contains("greet by name");
        let role = later["ticket"].as_str().unwrap().split('/').nth(3).unwrap();
        assert_eq!(told, role == "implementation-reviewer", "{prompt}");
    }
    assert_eq!(scratch.json(["show", "findings", "review-001"])["findings"][0]["status"], "fixed");
    scratch.run(["show", "prompt", "review-001", "--verify"]).expect(0);
}

#[test]
fn where_nothing_changed_nobody_is_asked_and_the_same_is_said() {
    for (text, code, outcome) in [(UNSAFE, 1, "findings"), (SAFE, 0, "approved")] {
        let scratch = topic(text);
        let first = scratch.json(["review", "--base", "main"]);
        let again = scratch.json(["review", "--base", "main"]);
        assert_eq!(first["outcome"], outcome);
        assert_eq!((&first["findings"], &again["outcome"]), (&again["findings"], &outcome.into()));
        assert_eq!((&first["sent"], &again["sent"]), (&3.into(), &0.into()));
        let said = review(&scratch, &[]).expect(code).stdout;
        assert!(said.contains("nothing is new since the last call, so nobody was asked\n"), "{said}");
        // An amended message does not make it another change.
        scratch.git(["commit", "--quiet", "--amend", "--message", "other words"]);
        review(&scratch, &[]).expect(code);
        assert_eq!(tickets(&scratch).len(), 3);
    }
}

#[test]
fn a_rebased_branch_is_the_same_review_and_the_bases_own_changes_are_not_shown_as_its() {
    let scratch = topic(UNSAFE);
    review(&scratch, &[]).expect(1);
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "other.sh", "#!/bin/sh\necho elsewhere\n", "something else");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["rebase", "--quiet", "main"]);
    commit(&scratch, "greet.sh", SAFE, "never run what is given");
    review(&scratch, &[]).expect(0);
    let last = tickets(&scratch).into_iter().find(|one| one.contains("/security-reviewer/2.")).unwrap();
    let prompt = prompt(&scratch, &last);
    assert!(last.starts_with("review-001/") && prompt.contains("+printf"), "{prompt}");
    assert!(!prompt.contains("other.sh"), "{prompt}");
    // Started over, it is compared with the base as it is now.
    review(&scratch, &["--again"]).expect(0);
    let fresh = prompt_of_first(&scratch, "review-002");
    assert!(fresh.contains("greet.sh: +2 -1") && !fresh.contains("other.sh"), "{fresh}");
}

/// A finding is judged by what the reviewer was told: what only the base has changed is not part of it.
#[test]
fn a_finding_in_what_only_the_base_has_changed_is_put_off_after_a_rebase() {
    let scratch = topic(UNSAFE);
    let verdict = r#"{"approved":true,"summary":"s","answers":[{"id":"X1","status":"fixed","note":"seen"}],"issues":[
        {"severity":"warning","category":"c","claim":"present","file":"other.sh","line":2,"section":"","quote":"echo elsewhere",
        "description":"nobody is greeted there","suggestion":"","same_as":""}],"checks":[],"verified":[],"files_read":[]}"#;
    let rules = scratch.own_config().with_file_name("scenario.toml");
    let rule =
        format!("[[rule]]\nticket = \"*/security-reviewer/2.*\"\ndo = \"say\"\ntext = '''{verdict}'''\n");
    fs::write(&rules, rule).unwrap();
    let agent = "[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n";
    scratch.configure(&format!("{agent}[roles]\ndefault = \"rehearsal\"\n"));
    review(&scratch, &[]).expect(1);
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "other.sh", "#!/bin/sh\necho elsewhere\n", "something else");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["rebase", "--quiet", "main"]);
    commit(&scratch, "greet.sh", SAFE, "never run what is given");
    review(&scratch, &[]).expect(0);
    let findings = scratch.json(["show", "findings", "review-001"])["findings"].clone();
    let found = findings.as_array().unwrap().iter().find(|one| one["file"] == "other.sh").cloned().unwrap();
    assert_eq!(found["status"], "deferred", "{found}");
}

pub(super) fn prompt_of_first(scratch: &Scratch, review: &str) -> String {
    prompt(scratch, &format!("{review}/implement.1/review/security-reviewer/1.1"))
}

#[test]
fn another_branch_or_base_is_another_review() {
    let scratch = topic(UNSAFE);
    scratch.git(["tag", "start", "main"]);
    review(&scratch, &[]).expect(1);
    scratch.run(["review", "--base", "start"]).expect(1);
    scratch.git(["switch", "--quiet", "-c", "second"]);
    review(&scratch, &[]).expect(1);
    // Given by name, it is the same from anywhere.
    review(&scratch, &["--head", "topic"]).expect(1);
    let shown = scratch.json(["status"]);
    let reviews: Vec<String> = shown["reviews"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let part = |name: &str| row["change"][name].as_str().unwrap().to_owned();
            format!("{} {}", part("head"), part("base"))
        })
        .collect();
    assert_eq!(reviews, ["topic main", "topic start", "second main"]);
    assert_eq!(tickets(&scratch).len(), 9);
}

#[test]
fn a_base_that_was_brought_in_and_changes_nothing_of_the_change_asks_nobody() {
    let scratch = topic(UNSAFE);
    review(&scratch, &[]).expect(1);
    let before = tickets(&scratch).len();
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "other.txt", "of main\n", "something else");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["rebase", "--quiet", "main"]);
    review(&scratch, &[]).expect(1);
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "third.txt", "of main, too\n", "a third thing");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["merge", "--quiet", "--no-edit", "main"]);
    review(&scratch, &[]).expect(1);
    assert_eq!(tickets(&scratch).len(), before);
    commit(&scratch, "greet.sh", SAFE, "no eval");
    review(&scratch, &[]).expect(0);
    let last = tickets(&scratch).pop().unwrap();
    let sent = prompt(&scratch, &last);
    assert!(sent.contains("printf") && !sent.contains("of main"), "{sent}");
}

#[test]
fn a_check_of_a_change_that_failed_for_another_cause_is_run_again_by_the_next_call() {
    let scratch = topic(SAFE);
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "redraft.toml", "[checks]\nready = \"test -e ../../../allowed\"\n", "checks");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["rebase", "--quiet", "main"]);
    scratch.run(["trust", "--base", "main", "--yes"]).expect(0);
    review(&scratch, &["--checks"]).expect(1);
    review(&scratch, &["--checks"]).expect(1);
    scratch.write("allowed", "");
    review(&scratch, &["--checks"]).expect(0);
}
