//! `redraft review --base`: what a branch changes, again after the next commit, in every form a code host takes.

mod again;
mod compared;

use crate::world::{PROGRAM, bodies, events};
use again::prompt_of_first;
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;
use std::path::Path;

const BEFORE: &str = "#!/bin/sh\necho hello\n";
/// A value becomes part of a command, which the rehearsal security reviewer finds.
pub(crate) const UNSAFE: &str = "#!/bin/sh\n# Greets whoever is named.\neval \"echo hello $1\"\n";
pub(crate) const SAFE: &str = "#!/bin/sh\n# Greets whoever is named.\nprintf 'hello %s\\n' \"$1\"\n";

/// A repository whose branch `topic` has one commit that `main` does not have.
pub(crate) fn topic(text: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    commit(&scratch, "greet.sh", BEFORE, "say hello");
    scratch.git(["switch", "--quiet", "-c", "topic"]);
    commit(&scratch, "greet.sh", text, "greet by name\n\nThe first argument is the name.");
    scratch
}

pub(crate) fn commit(scratch: &Scratch, path: &str, text: &str, message: &str) {
    scratch.write(path, text);
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "--quiet", "--message", message]);
}

pub(crate) fn review(scratch: &Scratch, more: &[&str]) -> Ran {
    let words = ["review", "--base", "main"].iter().chain(more).copied();
    scratch.run(words)
}

fn started(scratch: &Scratch) -> Vec<Value> {
    let all = events(scratch);
    bodies(&all, "started").cloned().collect()
}

pub(crate) fn tickets(scratch: &Scratch) -> Vec<String> {
    started(scratch).iter().map(|body| body["ticket"].as_str().unwrap().to_owned()).collect()
}

fn prompt(scratch: &Scratch, ticket: &str) -> String {
    scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout
}

/// Everything a person would notice in their repository.
fn noticed(scratch: &Scratch) -> Vec<String> {
    let refs = scratch.git(["for-each-ref", "--format=%(refname) %(objectname)"]);
    let others = refs.lines().filter(|line| !line.starts_with("refs/redraft/"));
    let mut all: Vec<String> = others.map(str::to_owned).collect();
    all.push(scratch.git(["status", "--short", "--branch"]));
    all.push(scratch.git(["rev-parse", "HEAD"]));
    all.push(scratch.git(["diff"]));
    all.push(scratch.git(["diff", "--cached"]));
    all.push(scratch.git(["stash", "list"]));
    all
}

const ROLES: [&str; 3] = ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"];

#[test]
fn a_branch_is_reviewed_by_all_three_and_nothing_of_the_users_is_touched() {
    let scratch = topic(UNSAFE);
    let before = noticed(&scratch);
    let ran = review(&scratch, &[]).expect(1);
    assert_eq!(noticed(&scratch), before);
    for words in [
        "blocker     greet.sh:3  X1\n",
        "injection, security-reviewer\n",
        "cost: $0.0000 billed; more: redraft cost review-001\n",
        "review-001 (topic since main) has 1 blocker\n",
        "next: redraft review --base main",
    ] {
        assert!(ran.stdout.contains(words), "no `{words}` in: {}", ran.stdout);
    }
    let findings = ran.stdout.lines().take_while(|line| !line.starts_with("cost: "));
    assert!(findings.clone().take(4).all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    assert!(ran.stderr.contains("handed in the change: revision"), "{}", ran.stderr);
    let mut asked = tickets(&scratch);
    asked.sort();
    let mut wanted = ROLES.map(|role| format!("review-001/implement.1/review/{role}/1.1"));
    wanted.sort();
    assert_eq!(asked, wanted, "nobody works on the code");
}

#[test]
fn reviewers_are_shown_the_change_and_only_one_of_them_what_is_said_of_it() {
    let scratch = topic(UNSAFE);
    scratch.write("pr.txt", "Greeting people by name makes them happy.");
    review(&scratch, &["--intent-file", "pr.txt", "--head", "topic"]).expect(1);
    for role in ROLES {
        let prompt = prompt(&scratch, &format!("review-001/implement.1/review/{role}/1.1"));
        assert!(prompt.contains("greet.sh: +2 -1"), "{prompt}");
        for words in ["spec.md", "tasks.md", "No PRD", "none ("] {
            assert!(!prompt.contains(words), "{role} is told of `{words}`: {prompt}");
        }
        let told = prompt.contains("## Stated Intent")
            && prompt.contains("greet by name\n\nThe first argument is the name.")
            && prompt.contains("makes them happy")
            && !prompt.contains("say hello\n");
        assert_eq!(told, role == "implementation-reviewer", "{role}: {prompt}");
    }
    scratch.run(["show", "prompt", "review-001", "--verify"]).expect(0);
}

#[test]
fn the_configuration_of_the_change_and_of_the_checkout_decides_nothing() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("redraft.toml", "[limits]\nrounds = 3\n");
    scratch.write(".redraft/agents/security-reviewer.md", ROLE_OF_THE_BASE);
    scratch.git(["add", "--force", ".redraft/agents"]);
    commit(&scratch, "greet.sh", BEFORE, "start");
    scratch.git(["switch", "--quiet", "-c", "topic"]);
    // What the author of a change might like: another judge, another agent, something to run.
    scratch.write(".redraft/agents/security-reviewer.md", &ROLE_OF_THE_BASE.replace("BASE", "CHANGE"));
    scratch.git(["add", "--force", ".redraft/agents"]);
    scratch.write(
        "redraft.toml",
        "[checks]\nbad = \"touch ran\"\n[agents.mine]\nkind = \"claude\"\n\
        model = \"x\"\nprogram = \"./mine.sh\"\n[roles]\nsecurity-reviewer = \"mine\"\n",
    );
    commit(&scratch, "greet.sh", UNSAFE, "greet by name");
    let ran = review(&scratch, &["--checks"]).expect(1);
    assert!(ran.stdout.contains("no check ran: redraft.toml of the base names none\n"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("the change edits redraft.toml; the review uses the one in main"),
        "{}",
        ran.stderr
    );
    let edits =
        "the change edits role texts (.redraft/agents/security-reviewer.md); the review uses those in main";
    assert!(
        ran.stderr.contains(edits) && !ran.stderr.contains("role texts in your checkout"),
        "{}",
        ran.stderr
    );
    let asked = prompt_of_first(&scratch, "review-001");
    assert!(asked.contains("\nText of the BASE\n") && !asked.contains("\nText of the CHANGE\n"), "{asked}");
    let all = events(&scratch);
    let opened = bodies(&all, "loop-opened").next().unwrap();
    assert_eq!((&opened["limits"]["rounds"], &opened["gates"]), (&3.into(), &Value::Array(Vec::new())));
    assert!(started(&scratch).iter().all(|body| body["agent"] == "rehearsal"));
    // Not even what cannot be read.
    commit(&scratch, "redraft.toml", "this is no TOML", "break it");
    scratch.write(".redraft/agents/code-quality-reviewer.md", "no role text");
    let ran = review(&scratch, &[]).expect(1);
    let other = "role texts in your checkout (.redraft/agents/code-quality-reviewer.md, \
                 .redraft/agents/security-reviewer.md) differ from those in main, which are the ones that count";
    assert!(ran.stderr.contains(other), "{}", ran.stderr);
}

const ROLE_OF_THE_BASE: &str = "---\nname: security-reviewer\n---\n\n# Review\n\nText of the BASE\n";

#[test]
fn checks_are_run_only_when_asked_for_and_accepted_and_those_of_the_base() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write_unaccepted("redraft.toml", "[checks]\nsyntax = \"sh -n greet.sh\"\n");
    commit(&scratch, "greet.sh", BEFORE, "start");
    scratch.git(["switch", "--quiet", "-c", "topic"]);
    commit(&scratch, "greet.sh", "#!/bin/sh\nif\n", "break it");
    let refused = review(&scratch, &["--checks"]).expect(6);
    assert!(refused.stderr.contains("redraft trust --base main"), "{}", refused.stderr);
    scratch.run(["trust", "--base", "main", "--yes"]).expect(0);
    let failed = review(&scratch, &["--checks"]).expect(1);
    assert!(failed.stdout.contains("check syntax failed"), "{}", failed.stdout);
    assert!(!failed.stderr.contains("gate syntax failed"), "the result says it: {}", failed.stderr);
    assert!(tickets(&scratch).is_empty(), "nobody is asked about what fails its checks");
    assert!(failed.stdout.contains("\nchecks: syntax failed in "), "{}", failed.stdout);
    commit(&scratch, "greet.sh", SAFE, "mend it");
    let passed = review(&scratch, &["--checks"]).expect(0);
    assert!(passed.stdout.contains("\nchecks: syntax passed in "), "{}", passed.stdout);
    assert!(prompt_of_first(&scratch, "review-001").contains("syntax: `sh -n greet.sh`: passed"));
    let other = review(&scratch, &[]).expect(2);
    assert!(other.stderr.contains("was begun with --checks"), "{}", other.stderr);
}

#[test]
fn files_that_were_renamed_removed_or_are_no_text_are_reviewed_with_the_rest() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("old.sh", BEFORE);
    scratch.write("gone.sh", BEFORE);
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "--quiet", "--message", "start"]);
    scratch.git(["switch", "--quiet", "-c", "topic"]);
    scratch.git(["mv", "old.sh", "new.sh"]);
    scratch.git(["rm", "--quiet", "gone.sh"]);
    fs::write(scratch.root().join("logo.bin"), [0u8, 159, 146, 150, 0, 1]).unwrap();
    commit(&scratch, "a b.sh", UNSAFE, "move, remove, add");
    let shown = scratch.json(["review", "--base", "main"]);
    assert_eq!(shown["findings"][0]["file"], "a b.sh", "{shown}");
    let prompt = prompt_of_first(&scratch, "review-001");
    for words in ["logo.bin: binary, new", "gone.sh: +0 -2, deleted", "new.sh: +2 -0, new"] {
        assert!(prompt.contains(words), "no `{words}` in {prompt}");
    }
}

#[test]
fn what_is_not_committed_is_left_out_unless_it_is_asked_for() {
    let scratch = topic(SAFE);
    scratch.write("greet.sh", UNSAFE);
    scratch.write("new.sh", "#!/bin/sh\neval \"$1\"\n");
    let before = noticed(&scratch);
    let ran = review(&scratch, &[]).expect(0);
    assert!(ran.stderr.contains("uncommitted changes are left out; --uncommitted"), "{}", ran.stderr);
    assert_eq!(noticed(&scratch), before);
    let shown = scratch.json(["review", "--base", "main", "--uncommitted"]);
    let files: Vec<&str> =
        shown["findings"].as_array().unwrap().iter().map(|one| one["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["greet.sh", "new.sh"], "{shown}");
    assert_eq!(noticed(&scratch), before);
    // Unchanged, it is the same revision; committing it does not make it another.
    let asked = tickets(&scratch).len();
    review(&scratch, &["--uncommitted"]).expect(1);
    scratch.git(["add", "--all"]);
    scratch.git(["commit", "--quiet", "--message", "now it is"]);
    review(&scratch, &[]).expect(1);
    assert_eq!(tickets(&scratch).len(), asked);
}

#[test]
fn a_feature_branch_is_held_to_its_documents_and_any_other_to_those_that_are_named() {
    let spec = "# Greeting\n\n## Requirements\n\n- R1: When a name is given, the program shall greet it.\n";
    let scratch = topic(SAFE);
    commit(&scratch, "docs/features/007-greet/spec.md", spec, "specify");
    scratch.git(["branch", "feature/007-greet"]);
    review(&scratch, &["--head", "feature/007-greet"]);
    let listed = |review: &str| {
        let prompt = prompt(&scratch, &format!("{review}/implement.1/review/implementation-reviewer/1.1"));
        prompt.contains("docs/features/007-greet/spec.md")
            && !prompt.contains("docs/features/007-greet/spec.md: +")
    };
    assert!(listed("review-001"), "its documents are read and are no part of the change");
    review(&scratch, &[]);
    assert!(!listed("review-002"));
    review(&scratch, &["--feature", "7", "--again"]);
    assert!(listed("review-003"));
    review(&scratch, &["--feature", "8", "--again"]).expect(2);
}

#[test]
fn lane_express_has_one_reviewer_and_a_review_keeps_its_lane() {
    let scratch = topic(UNSAFE);
    let ran = review(&scratch, &["--lane", "express"]).expect(1);
    assert!(ran.stdout.contains("injection, implementation-reviewer"), "{}", ran.stdout);
    assert_eq!(tickets(&scratch).len(), 1);
    let other = review(&scratch, &["--lane", "standard"]).expect(2);
    assert!(other.stderr.contains("was begun in lane express"), "{}", other.stderr);
    commit(&scratch, "greet.sh", SAFE, "never run what is given");
    review(&scratch, &[]).expect(0);
    // What comes after an approval is looked at in this lane as well.
    commit(&scratch, "more.sh", UNSAFE, "more");
    review(&scratch, &[]).expect(1);
    assert_eq!(
        tickets(&scratch).last().unwrap(),
        "review-001/implement.1/validate/implementation-reviewer/1.1"
    );
}

#[test]
fn killed_anywhere_and_run_again_the_findings_are_the_same_also_when_the_branch_went_on() {
    let whole = topic(UNSAFE);
    let wanted = whole.json(["review", "--base", "main"])["findings"].clone();
    let scratch = topic(UNSAFE);
    let kill = |boundary: usize| {
        let mut killed = scratch.redraft(["review", "--base", "main"]);
        killed.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string());
        killed.output().unwrap().status.success()
    };
    for boundary in [1, 2, 4, 6] {
        assert!(!kill(boundary), "nothing was interrupted at {boundary}");
    }
    assert_eq!(scratch.json(["review", "--base", "main"])["findings"], wanted);
    commit(&scratch, "greet.sh", SAFE, "never run what is given");
    assert!(!kill(3), "nothing was interrupted");
    // Meanwhile the branch goes on.
    commit(&scratch, "more.sh", "#!/bin/sh\necho more\n", "more");
    let shown = scratch.json(["review", "--base", "main"]);
    assert_eq!((&shown["outcome"], &shown["review"]), (&"approved".into(), &"review-001".into()), "{shown}");
    let worktree = scratch.root().join(".redraft/worktrees/review-001-topic");
    assert!(worktree.join("more.sh").is_file(), "reviewers see what the branch is now");
}

#[test]
fn an_agent_that_is_a_file_of_the_repository_is_not_started_for_a_change() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write(
        "redraft.toml",
        "[agents.own]\nkind = \"claude\"\nmodel = \"claude-sonnet-4-5\"\n\
        program = \"tools/own.sh\"\n[roles]\nsecurity-reviewer = \"own\"\n",
    );
    commit(&scratch, "tools/own.sh", "#!/bin/sh\ntouch ran\n", "start");
    scratch.git(["switch", "--quiet", "-c", "topic"]);
    commit(&scratch, "tools/own.sh", "#!/bin/sh\ntouch ran-too\n", "mine");
    scratch.run(["trust", "--yes"]).expect(0);
    let refused = review(&scratch, &["--yes"]).expect(3);
    assert!(
        refused.stderr.contains("a file of the repository that the change could replace"),
        "{}",
        refused.stderr
    );
    let ran = |folder: &Path| folder.join("ran").exists() || folder.join("ran-too").exists();
    assert!(!ran(&scratch.root()));
}

#[test]
fn status_log_cost_and_findings_know_the_review_by_number_and_by_branch() {
    let scratch = topic(UNSAFE);
    review(&scratch, &[]).expect(1);
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(
        status.contains("review-001 topic since main  waiting for you: there are findings to correct\n    as code, 1 open finding, 3 dispatches"),
        "{status}"
    );
    for word in ["review-001", "topic"] {
        let cost = scratch.run(["cost", word]).expect(0).stdout;
        assert!(
            cost.starts_with("review-001 of topic since main, waiting for you: there are findings to correct: $0.0000 billed\n3 dispatches: "),
            "{cost}"
        );
        let log = scratch.run(["log", word]).expect(0).stdout;
        assert!(log.contains("review-001 begun, lane standard: Review topic since main"), "{log}");
        assert_eq!(scratch.json(["show", "findings", word])["findings"][0]["id"], "X1");
    }
    let before = scratch.json(["status"])["reviews"].clone();
    scratch.run(["status", "--rebuild"]).expect(0);
    assert_eq!(scratch.json(["status"])["reviews"], before);
}
