//! What can be compared: nothing, shallow and partial clones, a detached checkout.

use super::{BEFORE, SAFE, UNSAFE, commit, noticed, review, tickets, topic};

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
