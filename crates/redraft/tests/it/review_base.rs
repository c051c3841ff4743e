//! `redraft review --base`: what a branch changes, again after the next commit, in every form a code host takes.

use crate::world::{PROGRAM, bodies, events};
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

fn prompt_of_first(scratch: &Scratch, review: &str) -> String {
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
fn a_review_of_nothing_names_both_ways() {
    let said = topic(UNSAFE).run(["review"]).expect(2).stderr;
    assert!(said.contains("redraft review FILE") && said.contains("redraft review --base REV"), "{said}");
}

#[test]
fn what_cannot_be_compared_is_told_with_the_way_out() {
    let scratch = topic(SAFE);
    let unknown = scratch.run(["review", "--base", "mian"]).expect(2);
    assert!(unknown.stderr.contains("`--base mian` does not name a commit"), "{}", unknown.stderr);
    let unknown = review(&scratch, &["--head", "--upload-pack=x"]);
    assert!(unknown.expect(2).stderr.contains("error: "));
    scratch.git(["switch", "--quiet", "--orphan", "alone"]);
    commit(&scratch, "a.sh", BEFORE, "another beginning");
    let unrelated = review(&scratch, &[]).expect(2);
    assert!(unrelated.stderr.contains("alone and main have no commit in common"), "{}", unrelated.stderr);
    for words in
        [["review", "--base", "main", "greet.sh"].as_slice(), &["review"], &["review", "a.md", "--head", "x"]]
    {
        scratch.run(words).expect(2);
    }
    assert!(tickets(&scratch).is_empty());
}

#[test]
fn a_shallow_clone_is_told_how_to_get_the_rest() {
    let scratch = topic(SAFE);
    let clone = scratch.outside().join("clone");
    let from = format!("file://{}", scratch.root().display());
    scratch.git(["clone", "--quiet", "--depth=1", "--branch=topic", &from, clone.to_str().unwrap()]);
    let at = |words: &[&str]| {
        let first = ["-C", clone.to_str().unwrap(), "review", "--yes"];
        scratch.run(first.iter().chain(words))
    };
    let unknown = at(&["--base", "origin/main"]).expect(2);
    assert!(unknown.stderr.contains("git fetch --unshallow"), "{}", unknown.stderr);
    scratch.git_in(&clone, ["fetch", "--quiet", "--depth=1", "origin", "main:refs/remotes/origin/main"]);
    let unrelated = at(&["--base", "origin/main"]).expect(2);
    assert!(unrelated.stderr.contains("fetch-depth: 0"), "{}", unrelated.stderr);
    scratch
        .git_in(&clone, ["fetch", "--quiet", "--unshallow", "origin", "+refs/heads/*:refs/remotes/origin/*"]);
    at(&["--base", "origin/main"]).expect(0);
    let local = at(&["--base", "main"]).expect(2);
    assert!(local.stderr.contains("did you mean `origin/main`?"), "{}", local.stderr);
}

#[test]
fn a_partial_clone_is_told_what_it_lacks_and_is_reviewed_like_a_whole_one_once_it_is_there() {
    let scratch = topic(UNSAFE);
    scratch.git(["config", "uploadpack.allowFilter", "true"]);
    let clone = scratch.outside().join("clone");
    let from = format!("file://{}", scratch.root().display());
    scratch.git(["clone", "--quiet", "--filter=blob:none", "--branch=topic", &from, clone.to_str().unwrap()]);
    let words = ["-C", clone.to_str().unwrap(), "review", "--base", "origin/main"];
    let lacking = scratch.run(words).expect(3);
    let (said, command) = (&lacking.stderr, "git fetch --refetch --no-filter");
    assert!(said.contains("redraft fetches nothing by itself") && said.contains(command), "{said}");
    assert!(!said.contains("doctor --repair"), "nothing is damaged: {said}");
    scratch.git_in(&clone, ["fetch", "--quiet", "--refetch", "--no-filter"]);
    assert!(scratch.run(words).expect(1).stdout.contains("blocker     greet.sh:3  X1"));
}

#[test]
fn a_detached_checkout_without_an_identity_is_reviewed_and_named_as_one_likes() {
    let scratch = topic(UNSAFE);
    scratch.git(["checkout", "--quiet", "--detach", "topic"]);
    scratch.git(["branch", "--quiet", "-D", "topic"]);
    for key in ["user.name", "user.email"] {
        let mut unset = scratch.command("git");
        // It may never have been set.
        let _ = unset.current_dir(scratch.root()).args(["config", "--unset", key]).output().unwrap();
    }
    let before = noticed(&scratch);
    let ran = review(&scratch, &[]).expect(1);
    assert!(ran.stdout.contains("(HEAD since main) has 1 blocker"), "{}", ran.stdout);
    assert_eq!(noticed(&scratch), before);
    let named = review(&scratch, &["--name", "pull 7"]).expect(1);
    assert!(named.stdout.contains("next: redraft review --base main --name 'pull 7'"), "{}", named.stdout);
    scratch.run(["show", "findings", "pull 7"]).expect(0);
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
