//! Tests what git and people can do to a run, each with its own outcome.

use crate::documents::{CLEAN, planted};
use crate::world::{PROGRAM, bodies, events, executable, feature};
use redraft_testkit::Scratch;
use std::fs;
use std::path::PathBuf;

const IDEA: &str = "Export the monthly report as CSV";

/// A feature whose spec has defects, so that the first review rejects it.
fn rejected_once() -> Scratch {
    let scratch = feature(IDEA);
    fs::write(scratch.artifacts_folder("001").join("spec.md"), planted()).unwrap();
    scratch
}

trait Place {
    fn artifacts_folder(&self, number: &str) -> PathBuf;
}

impl Place for Scratch {
    /// The folder of the artifacts, also before anything was written to it.
    fn artifacts_folder(&self, number: &str) -> PathBuf {
        let worktree = self.worktree(number);
        let name = worktree.file_name().unwrap().to_owned();
        let folder = worktree.join("docs/features").join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }
}

fn commits(scratch: &Scratch) -> Vec<String> {
    let log = scratch.git_in(&scratch.worktree("001"), ["log", "--format=%s", "main..HEAD"]);
    log.lines().map(str::to_owned).collect()
}

#[test]
fn there_is_one_commit_per_round_with_trailers_and_only_named_paths() {
    let scratch = rejected_once();
    fs::write(scratch.worktree("001").join("scratch.txt"), "mine").unwrap();
    scratch.run(["run", "001"]).expect(0);
    let subjects = commits(&scratch);
    assert!(subjects.contains(&"redraft: specify review iteration 1".to_owned()), "{subjects:?}");
    let log = scratch.git_in(&scratch.worktree("001"), ["log", "--format=%(trailers:unfold)", "main..HEAD"]);
    assert!(log.contains("Redraft-Ticket: 001/specify.1/revise/spec-author/1.1"), "{log}");
    assert!(log.contains("Redraft-Seq: "), "{log}");
    let files = scratch.git_in(&scratch.worktree("001"), ["diff", "--name-only", "main", "HEAD"]);
    assert!(files.lines().all(|file| file.starts_with("docs/features/001-")), "{files}");
    assert_eq!(scratch.git_in(&scratch.worktree("001"), ["status", "--porcelain"]), "?? scratch.txt");
}

#[test]
fn an_author_that_changes_nothing_is_told_once_and_nobody_is_paid_for_the_same_bytes() {
    let scratch = rejected_once();
    scratch.scenario("[[rule]]\nticket = \"*/revise/spec-author/*\"\ndo = \"unchanged\"\n");
    let ran = scratch.run(["run", "001"]).expect(6);
    assert!(ran.stdout.contains("changed nothing"), "{}", ran.stdout);
    let events = events(&scratch);
    let sent: Vec<String> =
        bodies(&events, "started").map(|body| body["ticket"].as_str().unwrap().to_owned()).collect();
    assert_eq!(
        sent,
        [
            "001/specify.1/review/spec-reviewer/1.1",
            "001/specify.1/revise/spec-author/1.1",
            "001/specify.1/revise/spec-author/2.1"
        ]
    );
    assert_eq!(commits(&scratch), ["redraft: specify edited by a person"]);
    let told = scratch.run(["show", "prompt", "--ticket", "001/specify.1/revise/spec-author/2.1"]).expect(0);
    assert!(told.stdout.contains("S1"), "{}", told.stdout);
}

#[test]
fn policy_seed_asks_the_reviewer_afresh_when_nothing_changed_and_leaves_no_marker() {
    let scratch = rejected_once();
    scratch.scenario("[[rule]]\nticket = \"*/revise/spec-author/1.*\"\ndo = \"unchanged\"\n");
    scratch.run(["run", "001", "--policy", "seed"]).expect(0);
    let events = events(&scratch);
    let second =
        bodies(&events, "started").find(|body| body["ticket"] == "001/specify.1/review/spec-reviewer/2.1");
    assert_eq!(second.unwrap()["choice"]["strategy"], "lazy");
    let history = fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap();
    assert!(!history.contains("RESUME-FALLBACK"));
}

#[test]
fn a_commit_git_refuses_stops_the_run_with_a_way_out_and_the_next_run_goes_on() {
    type Deed = fn(&Scratch);
    let refusals: [(&str, Deed, Deed); 3] = [
        (
            "git config user.name",
            |s| {
                s.git(["config", "--unset", "user.name"]);
                s.git(["config", "--unset", "user.email"]);
            },
            |s| {
                s.git(["config", "user.name", "Test Person"]);
                s.git(["config", "user.email", "person@example.invalid"]);
            },
        ),
        (
            "commit.gpgsign false",
            |s| {
                s.git(["config", "commit.gpgsign", "true"]);
                s.git(["config", "--global", "gpg.program", "false"]);
            },
            |s| {
                s.git(["config", "commit.gpgsign", "false"]);
            },
        ),
        (
            "index.lock",
            |s| fs::write(index_lock(s), "").unwrap(),
            |s| fs::remove_file(index_lock(s)).unwrap(),
        ),
    ];
    for (hint, spoil, mend) in refusals {
        let scratch = feature(IDEA);
        spoil(&scratch);
        let ran = scratch.run(["run", "001"]).expect(3);
        assert!(ran.stderr.contains(hint), "{hint} is not in {}", ran.stderr);
        mend(&scratch);
        scratch.run(["run", "001"]).expect(0);
        let answered = crate::world::answered(&scratch);
        assert_eq!(
            answered["001/specify.1/draft/spec-author/1.1"], 1,
            "{hint}: the draft was not paid twice"
        );
    }
}

fn index_lock(scratch: &Scratch) -> PathBuf {
    let name = scratch.worktree("001").file_name().unwrap().to_owned();
    scratch.root().join(".git/worktrees").join(name).join("index.lock")
}

#[test]
fn a_detached_head_a_dirty_tree_and_a_subfolder_are_fine() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.git(["checkout", "-q", "--detach"]);
    scratch.write("src/unsaved.rs", "mine");
    let mut command = scratch.redraft(["new", "--until", "specify", IDEA]);
    let output = command.current_dir(scratch.root().join("src")).output().unwrap();
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{talk}");
    assert!(talk.contains("HEAD is detached") && talk.contains("uncommitted changes"), "{talk}");
    scratch.run(["run"]).expect(0);
    let inside = scratch.redraft(["status"]).current_dir(scratch.worktree("001")).output().unwrap();
    assert!(String::from_utf8_lossy(&inside.stdout).contains("001 "));
    assert_eq!(fs::read_to_string(scratch.root().join("src/unsaved.rs")).unwrap(), "mine");
    assert_eq!(scratch.git(["status", "--porcelain"]), "?? src/");
}

#[test]
fn a_ledger_behind_its_branch_is_reported_and_not_continued() {
    let scratch = rejected_once();
    scratch.scenario("[[rule]]\nticket = \"*/review/spec-reviewer/2.*\"\ndo = \"fail\"\n");
    let ledger = scratch.state().join("ledger.db");
    let old = fs::read(&ledger).unwrap();
    scratch.run(["run", "001"]).expect(4);
    fs::write(&ledger, old).unwrap();
    for log in ["ledger.db-wal", "ledger.db-shm"] {
        let _ = fs::remove_file(scratch.state().join(log));
    }
    let ran = scratch.run(["run", "001"]).expect(6);
    assert!(ran.stderr.contains(", and you had stored event "), "{}", ran.stderr);
    // Even for a person who has accepted it, it does not fit its branch.
    scratch.run(["trust", "--ledger", "--yes"]).expect(0);
    let ran = scratch.run(["run", "001"]).expect(3);
    assert!(ran.stderr.contains("but branch feature/001-"), "{}", ran.stderr);
}

#[test]
fn ids_are_never_reused() {
    let scratch = feature(IDEA);
    scratch.git(["branch", "feature/007-somebody-elses"]);
    let second = scratch.json(["new", "--until", "specify", "another thing"]);
    assert_eq!(second["feature"], "008");
    scratch.write("docs/features/011-old/spec.md", CLEAN);
    scratch.git(["add", "docs"]);
    scratch.git(["commit", "-qm", "old"]);
    assert_eq!(scratch.json(["new", "--until", "specify", "a third thing"])["feature"], "012");
}

#[test]
fn a_new_worktree_is_prepared_once_the_command_was_accepted() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write(".env", "KEY=local\n");
    let config = "[workspace]\nsetup = \"echo ready > prepared.txt\"\ncopy = [\".env\"]\n";
    scratch.write_unaccepted("redraft.toml", config);
    let ran = scratch.run(["new", "--until", "specify", IDEA]).expect(6);
    assert!(ran.stderr.contains("redraft trust"), "{}", ran.stderr);
    assert!(!scratch.root().join(".redraft/worktrees/001-export-the-monthly-report-as-csv").exists());
    scratch.run(["trust"]).expect(6);
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    assert_eq!(fs::read_to_string(scratch.worktree("001").join("prepared.txt")).unwrap(), "ready\n");
    assert_eq!(fs::read_to_string(scratch.worktree("001").join(".env")).unwrap(), "KEY=local\n");
    let files = scratch.git_in(&scratch.worktree("001"), ["ls-files"]);
    assert!(!files.contains(".env") && !files.contains("prepared.txt"), "{files}");
    scratch.write_unaccepted("redraft.toml", "[workspace]\nsetup = \"echo other > prepared.txt\"\n");
    scratch.run(["new", "--until", "specify", "something else"]).expect(6);
}

#[test]
fn an_edit_after_the_close_is_told_and_a_clone_with_merged_features_can_begin_another() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    let spec = scratch.artifacts("001").join("spec.md");
    let approved = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, format!("{approved}\nmore\n")).unwrap();
    let ran = scratch.run(["run", "001"]).expect(0);
    assert!(ran.stderr.contains("spec.md is not what was approved"), "{}", ran.stderr);
    fs::write(&spec, approved).unwrap();
    let branch = scratch.git(["for-each-ref", "--format=%(refname:short)", "refs/heads/feature"]);
    scratch.git(["merge", "-q", "--ff-only", &branch]);
    let clone = scratch.outside().join("clone");
    scratch.git(["clone", "-q", ".", clone.to_str().unwrap()]);
    for words in [&["config", "user.name", "x"][..], &["config", "user.email", "x@example.invalid"]] {
        scratch.git_in(&clone, words);
    }
    for words in [&["new", "--until", "specify", "another idea"][..], &["run"]] {
        let ran = redraft_testkit::Ran::new(scratch.redraft(words).current_dir(&clone).output().unwrap());
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.stderr);
    }
}

#[test]
fn a_ledger_behind_its_branch_is_noticed_under_commits_of_others_and_an_emptied_one_too() {
    let scratch = feature(IDEA);
    let ledger = scratch.state().join("ledger.db");
    let old = fs::read(&ledger).unwrap();
    scratch.run(["run", "001"]).expect(0);
    scratch.git_in(&scratch.worktree("001"), ["commit", "-q", "--allow-empty", "-m", "mine"]);
    fs::write(&ledger, &old).unwrap();
    scratch.run(["run", "001"]).expect(6);
    scratch.run(["trust", "--ledger", "--yes"]).expect(0);
    let ran = scratch.run(["run", "001"]).expect(3);
    assert!(ran.stderr.contains("but branch feature/001-"), "{}", ran.stderr);
    fs::write(&ledger, "").unwrap();
    let ran = scratch.run(["new", "--until", "specify", "another"]).expect(3);
    assert!(ran.stderr.contains("is missing or empty"), "{}", ran.stderr);
    assert_eq!(fs::read(&ledger).unwrap(), b"", "it was left as it is");
    for gone in [false, true] {
        if gone {
            fs::remove_file(&ledger).unwrap();
        }
        let ran = scratch.run(["status"]).expect(3);
        assert!(
            ran.stderr.contains("is missing or empty, but features were worked on here"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_commit_that_would_be_refused_is_noticed_before_anybody_is_asked() {
    let scratch = rejected_once();
    let worktree = scratch.worktree("001");
    scratch.git_in(&worktree, ["checkout", "-q", "-b", "elsewhere"]);
    let ran = scratch.run(["run", "001"]).expect(3);
    assert!(ran.stderr.contains("HEAD is not on branch feature/001-"), "{}", ran.stderr);
    let scratch = feature(IDEA);
    let worktree = scratch.worktree("001");
    fs::write(worktree.join(".gitignore"), "spec.md\n").unwrap();
    let ran = scratch.run(["run", "001"]).expect(3);
    assert!(ran.stderr.contains("spec.md is ignored by .gitignore"), "{}", ran.stderr);
    assert!(ran.stderr.contains("take docs/features/"), "{}", ran.stderr);
    assert_eq!(bodies(&events(&scratch), "started").count(), 0);
}

/// Stands for an agent that makes a branch and switches to another before it gives up.
const BRANCHING: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo 9.9.9 && exit 0\n\
    git branch left-behind && git switch -q -c switched && exit 1\n";

#[test]
fn branches_that_an_agent_made_are_deleted_where_they_are_its_own_for_sure_and_named_otherwise() {
    let scratch = feature(IDEA);
    executable(&scratch, "tool/claude", BRANCHING);
    scratch.write(
        "redraft.toml",
        "[agents.claude]\nmodel = \"claude-sonnet-4-5\"\nprogram = \"tool/claude\"\n\
         [roles]\nspec-author = \"claude\"\n[limits]\nattempts = 1\n[sandbox]\nlevel = \"off\"\n",
    );
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(4);
    let events = events(&scratch);
    let failed = bodies(&events, "failed").next().unwrap();
    let detail = failed["detail"].as_str().unwrap();
    assert!(detail.contains("branch left-behind was made meanwhile"), "{detail}");
    assert!(detail.contains("git branch -D -- left-behind") && !detail.contains("switched"), "{detail}");
    let undone = failed["undone"].to_string();
    assert!(undone.contains("deleted the agent's branch switched"), "{undone}");
    let refs = scratch.git(["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    assert!(refs.contains("left-behind") && !refs.contains("switched"), "{refs}");
}
