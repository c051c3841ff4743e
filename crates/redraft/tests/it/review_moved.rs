//! `redraft review --base` where the base has moved, was merged crosswise, or is not the only thing of its name:
//! reviewers are shown everything that merging the change would do to the base.

use crate::review_base::{SAFE, commit, review, tickets, topic};
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;

const OPEN: &str = "#!/bin/sh\n# Lets in whoever has a password.\nexit 0\n";
const FIXED: &str = "#!/bin/sh\n# Lets in whoever has a password and a second factor.\nexit 1\n";

/// A reviewed branch whose base has mended `auth.sh` since; the branch has merged that and kept its own file.
fn kept_as_it_was() -> Scratch {
    let scratch = topic(SAFE);
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "auth.sh", OPEN, "let people in");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["rebase", "--quiet", "main"]);
    review(&scratch, &[]).expect(0);
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "auth.sh", FIXED, "ask for a second factor");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["merge", "--quiet", "--strategy", "ours", "--message", "merge main", "main"]);
    scratch
}

fn prompt(scratch: &Scratch, ticket: &str) -> String {
    scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout
}

#[test]
fn an_approval_does_not_hold_for_the_same_files_on_another_base() {
    let scratch = kept_as_it_was();
    let before = tickets(&scratch).len();
    let ran = review(&scratch, &[]);
    assert!(ran.stderr.contains("it is reviewed from the start"), "{}", ran.stderr);
    let asked = tickets(&scratch);
    assert_eq!(asked.len(), before + 3, "everybody is asked: {asked:?}");
    for ticket in &asked[before..] {
        let sent = prompt(&scratch, ticket);
        assert!(ticket.starts_with("review-002/") && sent.contains("auth.sh: +2 -2"), "{sent}");
    }
    // A second call asks no reviewer.
    review(&scratch, &[]);
    assert_eq!(tickets(&scratch).len(), before + 3);
}

#[test]
fn what_a_change_takes_out_of_its_base_is_part_of_what_is_new_in_it() {
    let scratch = kept_as_it_was();
    let before = tickets(&scratch).len();
    commit(&scratch, "more.sh", "#!/bin/sh\n# Says more.\necho more\n", "more");
    review(&scratch, &[]);
    let asked = tickets(&scratch);
    assert!(asked.len() > before, "{asked:?}");
    for ticket in &asked[before..] {
        let sent = prompt(&scratch, ticket);
        assert!(ticket.starts_with("review-001/") && sent.contains("more.sh"), "{sent}");
        assert!(sent.contains("-# Lets in whoever has a password and a second factor."), "{sent}");
    }
    scratch.run(["show", "prompt", "review-001", "--verify"]).expect(0);
}

/// Files that are not text, and bytes that are not characters, cannot be distinguished by their diff.
#[test]
fn a_file_that_was_exchanged_together_with_the_base_is_looked_at_again() {
    for (good, bad) in [(&b"\0good"[..], &b"\0EVIL PAYLOAD"[..]), (b"echo A\xe4B\n", b"echo A\xffB\n")] {
        let scratch = topic(SAFE);
        fs::write(scratch.root().join("tool"), good).unwrap();
        scratch.git(["add", "--all"]);
        scratch.git(["commit", "--quiet", "--message", "a tool"]);
        review(&scratch, &[]).expect(0);
        scratch.git(["switch", "--quiet", "main"]);
        commit(&scratch, "other.txt", "of main\n", "something else");
        scratch.git(["switch", "--quiet", "topic"]);
        scratch.git(["merge", "--quiet", "--no-edit", "main"]);
        let before = tickets(&scratch).len();
        review(&scratch, &[]).expect(0);
        assert_eq!(tickets(&scratch).len(), before, "the base alone has moved");
        fs::write(scratch.root().join("tool"), bad).unwrap();
        scratch.git(["commit", "--quiet", "--all", "--message", "innocent"]);
        review(&scratch, &[]);
        assert!(tickets(&scratch).len() > before);
    }
}

#[test]
fn a_name_that_a_branch_and_a_tag_share_is_refused_with_both() {
    let scratch = topic(SAFE);
    scratch.git(["tag", "main", "topic"]);
    for words in
        [&["review", "--base", "main"][..], &["review", "--base", "main~0"], &["trust", "--base", "main"]]
    {
        let refused = scratch.run(words.iter().copied()).expect(2);
        for part in ["names more than one commit: refs/heads/main (", "refs/tags/main (", "`refs/heads/main`"]
        {
            assert!(refused.stderr.contains(part), "no `{part}` in {}", refused.stderr);
        }
    }
    let shown = scratch.json(["review", "--base", "refs/heads/main"]);
    assert_eq!(shown["outcome"], "approved", "{shown}");
    assert_eq!(shown["base_commit"], scratch.git(["rev-parse", "refs/heads/main"]).trim());
    // On one commit they mean the same.
    scratch.git(["tag", "--force", "main", "refs/heads/main"]);
    let told = review(&scratch, &[]).expect(0).stdout;
    assert!(told.contains("was compared with") && told.contains("(refs/heads/main)"), "{told}");
}

/// Each was merged into the other, and the branch has thrown away what the base had mended.
#[test]
fn of_branches_that_were_merged_crosswise_what_the_merge_would_change_is_reviewed() {
    let scratch = topic(SAFE);
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "auth.sh", OPEN, "let people in");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["rebase", "--quiet", "main"]);
    let harmless = scratch.git(["rev-parse", "topic"]);
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "auth.sh", FIXED, "ask for a second factor");
    let fix = scratch.git(["rev-parse", "main"]);
    scratch.git(["merge", "--quiet", "--no-edit", harmless.trim()]);
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["merge", "--quiet", "--strategy", "ours", "--message", "merge main", fix.trim()]);
    let ran = review(&scratch, &["--format", "json"]);
    let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(shown["sent"], 3, "{shown}");
    assert!(shown["notes"][0].as_str().unwrap().contains("have 2 merge bases"), "{shown}");
    assert_eq!(shown["merge_base"], scratch.git(["rev-parse", "main"]).trim());
    let sent = prompt(&scratch, "review-001/implement.1/review/security-reviewer/1.1");
    assert!(sent.contains("auth.sh: +2 -2"), "{sent}");
    // Where merging conflicts there is nothing to look at yet.
    scratch.git(["switch", "--quiet", "main"]);
    commit(&scratch, "auth.sh", &FIXED.replace("exit 1", "exit 2"), "another code");
    scratch.git(["switch", "--quiet", "topic"]);
    commit(&scratch, "auth.sh", &OPEN.replace("exit 0", "exit 3"), "a third code");
    let refused = review(&scratch, &[]).expect(2);
    assert!(refused.stderr.contains("conflicts in auth.sh"), "{}", refused.stderr);
    assert!(refused.stderr.contains("git merge main"), "{}", refused.stderr);
}
