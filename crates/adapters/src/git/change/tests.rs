//! Commits of a change, and a worktree that stands on one of them.

use super::super::tests::repositories::{TestRepository, put};
use super::*;
use redraft_engine::ports::Workspace;

fn commit(bed: &TestRepository, path: &str, text: &str, message: &str) -> String {
    bed.write(path, text);
    bed.raw(&bed.root, &["add", "--all"]);
    bed.raw(&bed.root, &["commit", "-q", "-m", message]);
    bed.raw(&bed.root, &["rev-parse", "HEAD"])
}

#[test]
fn commits_are_found_by_every_name_and_what_names_none_is_none() {
    let bed = TestRepository::new();
    bed.raw(&bed.root, &["tag", "-a", "v1", "-m", "one"]);
    let (repository, head) = (bed.repository(), bed.raw(&bed.root, &["rev-parse", "HEAD"]));
    for name in ["main", "v1", "HEAD", &head, &head[..10]] {
        assert_eq!(repository.commit_named(name).unwrap().as_deref(), Some(head.as_str()), "{name}");
    }
    for name in ["mian", "", "--all", "main:README.md", "HEAD~5"] {
        assert_eq!(repository.commit_named(name).unwrap(), None, "{name}");
    }
}

#[test]
fn a_word_that_could_mean_different_commits_is_told_with_all_of_them() {
    let bed = TestRepository::new();
    let first = bed.raw(&bed.root, &["rev-parse", "HEAD"]);
    let second = commit(&bed, "a", "a", "two");
    let repository = bed.repository();
    let one =
        |name: &str, commit: &str| CommitLookup::One { name: name.to_owned(), commit: commit.to_owned() };
    let named = |all: &[(&str, &String)]| {
        CommitLookup::Several(
            all.iter().map(|(name, commit)| ((*name).to_owned(), (*commit).to_owned())).collect(),
        )
    };
    let meant = |word: &str| repository.commit_meant(word).unwrap();
    assert_eq!(meant("main"), one("refs/heads/main", &second));
    assert_eq!(meant("main~1"), one("refs/heads/main", &first));
    assert_eq!(
        (meant("mian"), meant(""), meant("--all")),
        (CommitLookup::None, CommitLookup::None, CommitLookup::None)
    );
    assert_eq!(meant(&second), one(&second, &second));
    assert_eq!(meant("HEAD"), one("HEAD", &second));
    // A tag or a remote branch that is called like the branch, and one that is called like a commit.
    bed.raw(&bed.root, &["tag", "main", &second]);
    assert_eq!(meant("main"), one("refs/heads/main", &second), "the same commit");
    bed.raw(&bed.root, &["tag", "-f", "main", &first]);
    assert_eq!(meant("main"), named(&[("refs/heads/main", &second), ("refs/tags/main", &first)]));
    assert!(matches!(meant("main^{commit}"), CommitLookup::Several(_)));
    assert_eq!(meant("refs/heads/main"), one("refs/heads/main", &second));
    bed.raw(&bed.root, &["update-ref", "refs/remotes/origin/main", &first]);
    assert_eq!(meant("origin/main"), one("refs/remotes/origin/main", &first));
    bed.raw(&bed.root, &["tag", "origin/main", &second]);
    assert_eq!(
        meant("origin/main"),
        named(&[("refs/remotes/origin/main", &first), ("refs/tags/origin/main", &second)])
    );
    let short = &second[..10];
    bed.raw(&bed.root, &["tag", short, &first]);
    assert!(matches!(meant(short), CommitLookup::Several(all) if all.len() == 2));
    std::fs::write(bed.root.join(".git/planted"), format!("{first}\n")).unwrap();
    bed.raw(&bed.root, &["branch", "planted", &second]);
    assert!(matches!(meant("planted"), CommitLookup::Several(_)));
}

/// Parents that exist only in this clone, from `info/grafts`, decide nothing.
#[test]
fn grafts_do_not_move_a_merge_base() {
    let bed = TestRepository::new();
    let start = bed.raw(&bed.root, &["rev-parse", "HEAD"]);
    bed.raw(&bed.root, &["switch", "-q", "-c", "topic"]);
    let topic = commit(&bed, "a", "a", "one");
    bed.raw(&bed.root, &["switch", "-q", "main"]);
    let main = commit(&bed, "b", "b", "elsewhere");
    put(&bed.root, ".git/info/grafts", &format!("{main} {topic}\n"));
    let repository = bed.repository();
    assert_eq!(repository.merge_bases(&main, &topic).unwrap(), std::slice::from_ref(&start));
    assert_eq!(repository.merge_base(&main, &topic).unwrap(), Some(start));
}

#[test]
fn a_merge_base_is_where_two_branches_went_apart_and_strangers_have_none() {
    let bed = TestRepository::new();
    let start = bed.raw(&bed.root, &["rev-parse", "HEAD"]);
    bed.raw(&bed.root, &["switch", "-q", "-c", "topic"]);
    let topic = commit(&bed, "a", "a", "one\n\nmore of it");
    let second = commit(&bed, "a", "b", "two");
    bed.raw(&bed.root, &["switch", "-q", "main"]);
    let main = commit(&bed, "b", "b", "elsewhere");
    let repository = bed.repository();
    assert_eq!(repository.merge_base(&main, &second).unwrap(), Some(start.clone()));
    let said: Vec<String> =
        repository.messages(&start, &second, 9).unwrap().into_iter().map(|(_, said)| said).collect();
    assert_eq!(said, ["one\n\nmore of it", "two"]);
    assert_eq!(repository.messages(&topic, &second, 9).unwrap().len(), 1);
    assert_eq!(repository.messages(&start, &second, 1).unwrap()[0].1, "two", "the newest count");
    bed.raw(&bed.root, &["switch", "-q", "--orphan", "alone"]);
    let alone = commit(&bed, "c", "c", "alone");
    assert_eq!(repository.merge_base(&main, &alone).unwrap(), None);
    assert!(!repository.is_shallow().unwrap());
}

#[test]
fn files_of_a_commit_are_read_and_not_those_of_the_checkout() {
    let bed = TestRepository::new();
    let first = bed.raw(&bed.root, &["rev-parse", "HEAD"]);
    bed.write("README.md", "other");
    let repository = bed.repository();
    assert_eq!(repository.file_at(&first, "README.md", 99).unwrap().as_deref(), Some(&b"readme\n"[..]));
    assert!(repository.file_at(&first, "README.md", 2).is_err(), "too large");
    assert_eq!(repository.file_at(&first, "src", 99).unwrap(), None, "a folder is no file");
    assert_eq!(repository.file_at(&first, "absent", 99).unwrap(), None);
    assert_eq!(repository.names_at(&first, "src").unwrap(), ["x.rs"]);
    assert!(repository.names_at(&first, "absent").unwrap().is_empty());
}

#[test]
fn what_is_not_committed_is_a_commit_that_nothing_leads_to_and_the_checkout_is_as_it_was() {
    let bed = TestRepository::new();
    let head = bed.raw(&bed.root, &["rev-parse", "HEAD"]);
    let repository = bed.repository();
    assert_eq!(repository.commit_of_checkout(&head).unwrap(), None);
    bed.write("README.md", "other");
    bed.write("new.txt", "new");
    bed.write("ignored.log", "x");
    bed.write("staged.txt", "staged");
    bed.raw(&bed.root, &["add", "staged.txt"]);
    let look = || [bed.raw(&bed.root, &["status", "--porcelain"]), bed.raw(&bed.root, &["for-each-ref"])];
    let before = look();
    bed.forget_user();
    let commit = repository.commit_of_checkout(&head).unwrap().unwrap();
    assert_eq!(look(), before);
    let files = bed.raw(&bed.root, &["diff", "--name-only", &head, &commit]);
    assert_eq!(files, "README.md\nnew.txt\nstaged.txt");
    assert_eq!(repository.commit_of_checkout(&head).unwrap(), Some(commit), "the same again");
}

#[test]
fn a_worktree_follows_a_change_without_a_branch_and_holds_exactly_its_files() {
    let bed = TestRepository::new();
    let first = bed.raw(&bed.root, &["rev-parse", "HEAD"]);
    let second = commit(&bed, "src/y.rs", "fn y() {}\n", "two");
    let repository = bed.repository();
    let root = bed.root.join(".redraft/worktrees/review-001-x");
    repository.ensure_detached(&first, &root).unwrap();
    repository.ensure_detached(&second, &root).unwrap();
    let place = GitWorkspace::open(&repository, &root, "review-001").unwrap();
    assert_eq!(place.head().unwrap().0.0, first, "one that is there stays as it is");
    put(&root, "README.md", "somebody was here");
    put(&root, "left/behind.txt", "x");
    put(&root, "build/kept.o", "x");
    place.check_out(&second).unwrap();
    assert_eq!(place.head().unwrap().0.0, second);
    assert_eq!(place.tree(&[]).unwrap(), repository.tree_of(&second).unwrap());
    assert!(root.join("build/kept.o").exists() && !root.join("left").exists());
    place.check_out(&first).unwrap();
    assert!(!root.join("src/y.rs").exists());
    assert_eq!(bed.raw(&root, &["status", "--porcelain"]), "");
    assert_eq!(bed.raw(&bed.root, &["branch", "--format=%(refname)"]), "refs/heads/main");
    // A folder that somebody removed is made again.
    std::fs::remove_dir_all(&root).unwrap();
    repository.ensure_detached(&second, &root).unwrap();
    assert!(root.join("src/y.rs").exists());
}
