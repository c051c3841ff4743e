//! Tests what people say unasked, and what they approve: comments, the inbox of a run, closed phases, `[ask]`, `--seen`.

use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, bodies, events, feature};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};

const IDEA: &str = "Export the monthly report as CSV";
pub(crate) const SAID: &str = "use Postgres, not files";

pub(crate) fn begun(words: &[&str]) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run([&["new", IDEA], words].concat()).expect(0);
    scratch
}

pub(crate) fn stored(scratch: &Scratch, kind: &str) -> Vec<Value> {
    bodies(&events(scratch), kind).cloned().collect()
}

/// The finding of this id, as `show findings --json` has it.
pub(crate) fn finding(scratch: &Scratch, id: &str) -> Value {
    let all = scratch.json(["show", "findings", "001"]);
    let found = all["findings"].as_array().unwrap().iter().find(|one| one["id"] == id);
    found.unwrap_or_else(|| panic!("no {id} in {all}")).clone()
}

pub(crate) fn inbox(scratch: &Scratch) -> PathBuf {
    scratch.state().join("inbox/001")
}

pub(crate) fn waiting(scratch: &Scratch) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(inbox(scratch)) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
}

/// A run whose reviewer does this, started and already waiting for it.
fn running(scratch: &Scratch, rule: &str) -> Child {
    scratch.scenario(&format!("[[rule]]\nticket = \"001/*/review/spec-reviewer/1.1\"\n{rule}\n"));
    let mut command = scratch.redraft(["run", "001", "-v"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("review/spec-reviewer/1.1 sent") {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "the run ended early");
    }
    std::thread::spawn(move || std::io::read_to_string(talk));
    child
}

#[test]
fn a_comment_reaches_author_and_reviewers_and_is_the_users_everywhere() {
    let scratch = feature(IDEA);
    let said = scratch.json(["comment", "001", SAID]);
    assert_eq!((&said["v"], &said["finding"], &said["stored"]), (&json!(1), &json!("U1"), &json!(true)));
    assert_eq!((&said["phase"], &said["severity"]), (&json!("specify"), &json!("blocker")));
    let waits = scratch.run(["show", "findings", "001"]).expect(0).stdout;
    assert!(waits.contains("U1 [blocker] [comment] open, said by "), "before its phase begins: {waits}");
    scratch.run(["run", "001", "--yes"]).expect(0);
    let spec = fs::read_to_string(scratch.artifacts("001").join("spec.md")).unwrap();
    assert!(spec.contains("- Decided by the user: use Postgres, not files."), "{spec}");
    let met = finding(&scratch, "U1");
    assert_eq!((&met["status"], &met["role"]), (&json!("fixed"), &json!("spec-reviewer")));
    assert!(!met["by"].as_str().unwrap().is_empty(), "{met}");
    let told = |ticket: &str| scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout;
    assert!(
        told("001/specify.1/draft/spec-author/1.1")
            .contains("[U1] [blocker] [comment] use Postgres, not files")
    );
    assert!(
        told("001/specify.1/review/spec-reviewer/1.1")
            .contains("[U1] [blocker] [comment] use Postgres, not files")
    );
    assert!(told("001/specify.1/review/phase-reviewer/1.1").contains("## Comments of the User"));
    let history = scratch.run(["log", "001", "--as", "review-history"]).expect(0).stdout;
    assert!(history.contains("## Comment U1 on specify, said by "), "{history}");
    let request = scratch.run(["show", "pull-request", "001"]).expect(0).stdout;
    assert!(
        request.contains("## Comments") && request.contains("use Postgres, not files (fixed)"),
        "{request}"
    );
    let report = scratch.json(["report", "001"]);
    let view = report["findings"].as_array().unwrap().iter().find(|one| one["id"] == "U1").unwrap().clone();
    assert_eq!(view["is_comment"], true, "{view}");
    let page = scratch.run(["report", "001", "-o", "page.html"]).expect(0);
    assert!(
        fs::read_to_string(scratch.root().join("page.html")).unwrap().contains("comment of "),
        "{page:?}"
    );
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}

#[test]
fn a_comment_on_a_closed_phase_says_what_it_means_and_opens_it_only_on_a_persons_word() {
    let scratch = begun(&["--until", "design"]);
    scratch.run(["run", "001", "--yes"]).expect(0);
    let refused = scratch.run(["comment", "001", SAID, "--file", "spec.md"]).expect(6);
    for part in [
        "specify of feature 001 is closed",
        "its author works your comment into spec.md, and spec-reviewer, phase-reviewer review the result",
        "the later phases lose their approval and are reviewed again: design",
        "their results are kept as a starting point: design.md",
        "add --yes",
    ] {
        assert!(refused.stderr.contains(part), "{part} is not in {}", refused.stderr);
    }
    let object = scratch.run(["comment", "001", SAID, "--phase", "specify", "--json"]).expect(6).stdout;
    assert!(serde_json::from_str::<Value>(&object).unwrap()["error"].is_string(), "{object}");
    assert_eq!(stored(&scratch, "commented").len() + stored(&scratch, "went-back").len(), 0);
    let said = on_a_terminal(&scratch, &["comment", "001", SAID, "--phase", "specify"], "\n", 6);
    assert!(said.contains("specify is closed. Open it again for your comment?"), "{said}");
    assert_eq!(stored(&scratch, "commented").len(), 0, "Enter says no");
    let note = scratch.json(["comment", "001", "a table would read better", "--phase", "specify", "--note"]);
    assert_eq!((&note["finding"], &note["went_back"]), (&json!("U1"), &json!(false)), "a note opens nothing");
    assert_eq!(scratch.json(["status", "001"])["features"][0]["life"], "completed");
    on_a_terminal(&scratch, &["comment", "001", SAID, "--phase", "specify"], "yes\n", 0);
    assert_eq!(stored(&scratch, "went-back")[0]["why"], SAID);
    assert_eq!(scratch.json(["status", "001"])["features"][0]["phase"], "specify");
    scratch.run(["run", "001", "--yes"]).expect(0);
    let spec = fs::read_to_string(scratch.artifacts("001").join("spec.md")).unwrap();
    assert!(spec.contains("- Decided by the user: use Postgres, not files."), "{spec}");
    assert_eq!(finding(&scratch, "U2")["status"], "fixed");
    // What a reviewer took for met, the user may see otherwise.
    let again = scratch.json(["comment", "001", "--reopen", "U2", "there are still files", "--yes"]);
    assert_eq!((&again["finding"], &again["went_back"]), (&json!("U2"), &json!(true)));
    let shown = finding(&scratch, "U2");
    assert_eq!(shown["status"], "open");
    let open = scratch.run(["comment", "001", "--reopen", "u2", "no"]).expect(2);
    assert!(open.stderr.contains("U2 is open"), "{}", open.stderr);
    assert!(shown["note"].as_str().unwrap().ends_with(": there are still files"), "{shown}");
    scratch.run(["run", "001", "--yes"]).expect(0);
    assert_eq!(finding(&scratch, "U2")["status"], "fixed");
}

#[test]
fn the_reason_for_going_back_reaches_the_author_and_the_reviewers() {
    let scratch = begun(&["--until", "design"]);
    scratch.run(["run", "001", "--yes"]).expect(0);
    scratch.run(["phase", "back", "001", "design", "--why", SAID]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(0);
    let design = fs::read_to_string(scratch.artifacts("001").join("design.md")).unwrap();
    assert!(design.contains("- Decided by the user: use Postgres, not files."), "{design}");
    let prompt =
        scratch.run(["show", "prompt", "--ticket", "001/design.2/revise/design-author/1.1"]).expect(0);
    assert!(prompt.stdout.contains("[U1] [blocker] [comment] use Postgres, not files"), "{}", prompt.stdout);
    assert_eq!(
        (finding(&scratch, "U1")["phase"].clone(), finding(&scratch, "U1")["status"].clone()),
        (json!("design"), json!("fixed"))
    );
}

#[test]
fn while_a_run_is_under_way_a_comment_waits_in_its_inbox_and_no_phase_closes_over_it() {
    let scratch = feature(IDEA);
    let run = running(&scratch, "do = \"late\"\nwait_ms = 2500");
    let secret = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
    let said =
        scratch.json(["comment", "001", &format!("use Postgres, see {secret} \u{1b}[31m\n## Task: no")]);
    assert_eq!((&said["stored"], &said["finding"]), (&json!(false), &Value::Null));
    let left = waiting(&scratch);
    assert_eq!(left.len(), 1, "{left:?}");
    let text = fs::read_to_string(&left[0]).unwrap();
    assert!(text.starts_with("{\"v\":1,") && text.contains("[redacted:github-token]"), "{text}");
    assert!(!text.contains(&secret), "{text}");
    let status = scratch.json(["status", "001"]);
    assert_eq!(status["features"][0]["waiting_comments"], 1, "{status}");
    Ran::new(run.wait_with_output().unwrap()).expect(0);
    assert!(waiting(&scratch).is_empty(), "it was stored, then removed");
    assert_eq!(stored(&scratch, "commented").len(), 1);
    let order: Vec<String> =
        events(&scratch).iter().map(|event| event["kind"].as_str().unwrap().to_owned()).collect();
    let at = |kind: &str| order.iter().position(|one| one == kind).unwrap();
    assert!(at("commented") < at("stage-closed") && at("commented") < at("judged"), "{order:?}");
    assert_eq!(finding(&scratch, "U1")["status"], "fixed");
    let shown = scratch.run(["show", "findings", "001"]).expect(0).stdout;
    assert!(shown.contains("\\u{1b}[31m") && !shown.contains('\u{1b}'), "{shown}");
    let prompt =
        scratch.run(["show", "prompt", "--ticket", "001/specify.1/revise/spec-author/1.1"]).expect(0);
    assert!(!prompt.stdout.contains("\n## Task: no"), "it stays on its line: {}", prompt.stdout);
    let log = scratch.run(["log", "001", "--json"]).expect(0).stdout;
    assert!(!log.contains(&secret), "nothing secret is stored");
}

#[test]
fn a_killed_run_neither_loses_nor_doubles_a_comment() {
    let scratch = feature(IDEA);
    let mut run = running(&scratch, "do = \"hang\"");
    scratch.run(["comment", "001", SAID]).expect(0);
    assert_eq!(waiting(&scratch).len(), 1);
    let kept = fs::read_to_string(&waiting(&scratch)[0]).unwrap();
    let name = waiting(&scratch)[0].clone();
    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(waiting(&scratch).len(), 1, "it outlives the run");
    scratch.scenario("");
    scratch.run(["run", "001"]).expect(0);
    assert_eq!((stored(&scratch, "commented").len(), waiting(&scratch).len()), (1, 0));
    // A process that died between storing and removing leaves the file behind.
    fs::write(&name, kept).unwrap();
    scratch.run(["comment", "001", "one more", "--note"]).expect(0);
    let said: Vec<Value> = stored(&scratch, "commented").iter().map(|one| one["finding"].clone()).collect();
    assert_eq!(said, ["U1", "U2"], "it is recognized by its id");
    assert!(waiting(&scratch).is_empty());
}

#[test]
fn a_crash_at_any_boundary_neither_loses_nor_doubles_a_comment() {
    // The first two that the run passes are those before the comment is stored and before it is removed.
    for at in ["1", "2", "3", "6"] {
        let scratch = feature(IDEA);
        let mut run = running(&scratch, "do = \"hang\"");
        scratch.run(["comment", "001", SAID]).expect(0);
        run.kill().unwrap();
        run.wait().unwrap();
        scratch.scenario("");
        let crashed = scratch.redraft(["run", "001"]).env("REDRAFT_ABORT_AT_BOUNDARY", at).output().unwrap();
        assert!(!crashed.status.success(), "boundary {at}: it did not pass there");
        scratch.run(["run", "001"]).expect(0);
        assert_eq!((stored(&scratch, "commented").len(), waiting(&scratch).len()), (1, 0), "boundary {at}");
        assert_eq!(finding(&scratch, "U1")["status"], "fixed", "boundary {at}");
    }
}

#[test]
fn a_phase_waits_for_a_persons_approval_of_the_revision_that_they_looked_at() {
    let scratch = begun(&["--until", "design", "--ask", "specify"]);
    fs::write(scratch.root().join("redraft.toml"), "[ask]\nafter = [\"design\"]\n").unwrap();
    let ran = scratch.run(["run", "001", "--yes"]).expect(6);
    assert!(ran.stdout.contains("; look at revision "), "--yes does not answer it: {}", ran.stdout);
    let status = scratch.json(["status", "001"])["features"][0].clone();
    let (asked_at, revision) =
        (status["asked_at"].as_u64().unwrap(), status["revision"].as_str().unwrap().to_owned());
    assert_eq!(status["form"]["choices"][0]["word"], "approve", "{status}");
    assert_eq!(scratch.json(["report", "001"])["asked_at"], asked_at);
    assert!(scratch.run(["decide", "001", "--json"]).expect(6).stdout.contains("\"asked_at\""));
    let asked = scratch.run(["decide", "001"]).expect(6).stdout;
    assert!(asked.contains("  to look at it: .redraft/worktrees/001-export-"), "{asked}");
    let approve =
        |more: &[&str], code: i32| scratch.run([&["decide", "001", "approve"], more].concat()).expect(code);
    let bare = approve(&[], 2);
    assert!(bare.stderr.contains("an approval names the revision that was looked at"), "{}", bare.stderr);
    let other = approve(&["--revision", "0123456789"], 2);
    assert!(other.stderr.contains("is not the current one"), "{}", other.stderr);
    approve(&["--revision", &revision[..4]], 2);
    let stale = approve(&["--revision", &revision, "--seen", "1"], 2);
    assert!(stale.stderr.contains("the question of event 1 is no longer open"), "{}", stale.stderr);
    let spec = scratch.artifacts("001").join("spec.md");
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, format!("{text}\nOne more line.\n")).unwrap();
    let moved = approve(&["--revision", &revision], 2);
    assert!(moved.stderr.contains("was edited after revision"), "{}", moved.stderr);
    fs::write(&spec, text).unwrap();
    assert_eq!(stored(&scratch, "decided").len(), 0, "nothing was decided so far");
    // To comment instead has it changed, and asks again.
    scratch.run(["decide", "001", "comment", "--why", SAID, "--seen", &asked_at.to_string()]).expect(0);
    let early = approve(&["--revision", &revision], 2).stderr;
    assert!(early.contains("is not waiting for a decision: comment U1 comes first"), "{early}");
    assert!(early.contains("hint: have it worked in, then decide: redraft run 001"), "{early}");
    scratch.run(["run", "001", "--yes"]).expect(6);
    let later = scratch.json(["status", "001"])["features"][0].clone();
    assert!(
        later["asked_at"].as_u64().unwrap() > asked_at && later["revision"] != revision.as_str(),
        "{later}"
    );
    let seen = later["asked_at"].as_u64().unwrap().to_string();
    approve(&["--revision", &later["revision"].as_str().unwrap()[..10], "--seen", &seen], 0);
    let ran = scratch.run(["run", "001", "--yes"]).expect(6);
    assert!(ran.stdout.contains("design.md"), "the file asks after design: {}", ran.stdout);
    let said = on_a_terminal(&scratch, &["run", "001"], "\n", 6);
    assert!(said.contains("approve, comment, abandon or STOP?"), "Enter approves nothing: {said}");
    on_a_terminal(&scratch, &["run", "001"], "approve\n\n", 0);
    assert_eq!(stored(&scratch, "decided").len(), 2);
    scratch.run(["new", IDEA, "--ask", "finish"]).expect(2);
    scratch.run(["new", IDEA, "--ask", "desing"]).expect(2);
}

#[test]
fn a_comment_that_names_what_was_seen_is_refused_when_that_has_moved() {
    let scratch = feature(IDEA);
    let moved_at = || scratch.json(["report", "001"])["moved_at"].as_u64().unwrap().to_string();
    let seen = moved_at();
    scratch.run(["comment", "001", "--note", SAID, "--seen", &seen]).expect(0);
    assert_eq!(moved_at(), seen, "a note moves nothing");
    scratch.run(["run", "001"]).expect(0);
    let before = stored(&scratch, "commented").len();
    let stale = scratch.run(["comment", "001", "--yes", SAID, "--seen", &seen]).expect(2);
    assert!(stale.stderr.contains(&format!("feature 001 has moved since event {seen}")), "{}", stale.stderr);
    assert!(stale.stderr.contains("nothing was said"), "{}", stale.stderr);
    assert_eq!(stored(&scratch, "commented").len(), before);
    scratch.run(["comment", "001", "--yes", SAID, "--seen", &moved_at()]).expect(0);
    assert_eq!(stored(&scratch, "commented").len(), before + 1);
}

#[test]
fn a_flag_never_accepts_past_what_the_user_said() {
    let scratch = feature(IDEA);
    scratch.write("redraft.toml", "[limits]\nrounds = 1\n");
    scratch.run(["run", "001", "--on-cap", "stop"]).expect(5);
    scratch.run(["comment", "001", SAID]).expect(0);
    let all = scratch.json(["show", "findings", "001"])["findings"].as_array().unwrap().clone();
    let answers = all.iter().map(|one| {
        let status = if one["id"] == "U1" { "not_fixed" } else { "fixed" };
        json!({"id": one["id"], "status": status, "note": "it says so"})
    });
    let verdict = json!({
        "files_read": [], "checks": [], "verified": [], "issues": [], "summary": "s", "approved": false,
        "answers": answers.collect::<Vec<Value>>()
    });
    let rejects = "[[rule]]\nticket = \"*/review/spec-reviewer/*\"\ndo = \"say\"\n";
    scratch.scenario(&format!("{rejects}text = '''{verdict}'''\n"));
    let ran = scratch.run(["run", "001", "--on-cap", "accept"]).expect(6);
    assert!(ran.stdout.contains("did not approve within 2 rounds"), "{}", ran.stdout);
    assert!(ran.stdout.contains("; accept would leave U1 of "), "{}", ran.stdout);
    assert_eq!((stored(&scratch, "decided").len(), stored(&scratch, "phase-closed").len()), (0, 0));
    assert_eq!(finding(&scratch, "U1")["status"], "open");
}

#[test]
fn a_host_is_given_what_was_said_with_its_next_work() {
    let scratch = crate::hosts::begun("specify");
    let mut host = scratch.host(&[], &[]);
    let work = host.call("next", json!({}));
    assert_eq!(work["state"], "work");
    scratch.run(["comment", "001", SAID]).expect(0);
    crate::hosts::submit(&scratch, &mut host, &work);
    let next = host.call("next", json!({}));
    assert!(next["ticket"].as_str().unwrap().contains("/revise/spec-author/"), "{next}");
    let prompt = fs::read_to_string(next["prompt_file"].as_str().unwrap_or_default())
        .unwrap_or_else(|_| next.to_string());
    assert!(prompt.contains(SAID), "{next}");
}

#[test]
fn what_cannot_be_said_is_refused_with_the_way_out() {
    let scratch = feature(IDEA);
    for (words, said) in [
        (&["comment", "001", "  "][..], "the comment is empty"),
        (&["comment", "002", ""], "hint: redraft comment 002 \"use Postgres, not files\""),
        (&["comment", "  "], "hint: redraft comment \"use Postgres, not files\""),
        (&["comment", "001"], "what should be said about feature 001?"),
        (&["comment", "002"], "hint: redraft comment 002 \"use Postgres, not files\""),
        (&["comment", "001", SAID, "--file", "../../etc/passwd"], "is not a file of the feature"),
        (&["comment", "001", SAID, "--file", "src/none.rs"], "there is no file src/none.rs"),
        (&["comment", "001", SAID, "--phase", "finish"], "has nothing in finish to comment on"),
        (&["comment", "001", SAID, "--phase", "desing"], "is not a phase"),
        (&["comment", "001", "--reopen", "U9", "no"], "has no comment U9"),
        (&["comment", "009", SAID], "there is no feature"),
        (&["comment", "001", SAID, "--line", "3"], "--file"),
    ] {
        let ran = scratch.run(words).expect(2);
        assert!(ran.stderr.contains(said), "{words:?}: {}", ran.stderr);
    }
    scratch.run(["comment", "001", "name the unit", "--file", "spec.md"]).expect(0);
    assert!(stored(&scratch, "commented")[0]["file"].as_str().unwrap().ends_with("/spec.md"));
    let mut agent = scratch.redraft(["comment", "001", SAID]);
    let agent = Ran::new(agent.env("REDRAFT_TICKET", "001/x").output().unwrap()).expect(2);
    assert!(agent.stderr.contains("cannot comment for a person"), "{}", agent.stderr);
    scratch.run(["decide", "001", "abandon"]).expect(0);
    let over = scratch.run(["comment", "001", SAID]).expect(2);
    assert!(over.stderr.contains("was abandoned"), "{}", over.stderr);
}
