use super::super::repository::Head;
use super::super::tests::repositories::{TestRepository, begin, get, put};
use super::*;

const ID: FeatureId = FeatureId(31);

#[test]
fn a_feature_gets_a_branch_and_a_worktree_from_the_head_the_user_is_on() {
    let bed = TestRepository::new();
    bed.config("[branch]\nautoSetupMerge = always\n");
    bed.raw(&bed.root, &["checkout", "-q", "-b", "topic"]);
    bed.write("topic.txt", "topic");
    bed.raw(&bed.root, &["add", "topic.txt"]);
    bed.raw(&bed.root, &["commit", "-q", "-m", "topic"]);
    let (place, base) = begin(&bed.repository(), ID, "rate-limits").unwrap();
    assert_eq!(place.branch, "feature/031-rate-limits");
    assert_eq!(place.worktree, bed.root.join(".redraft/worktrees/031-rate-limits"));
    assert_eq!(
        base,
        Head { branch: Some("topic".to_owned()), commit: bed.raw(&bed.root, &["rev-parse", "HEAD"]) }
    );
    assert_eq!(bed.raw(&place.worktree, &["symbolic-ref", "HEAD"]), "refs/heads/feature/031-rate-limits");
    assert_eq!(get(&place.worktree, "topic.txt").as_deref(), Some("topic"));
    assert_eq!(
        bed.try_raw(&bed.root, &["config", "branch.feature/031-rate-limits.merge"]),
        (false, String::new())
    );
}

#[test]
fn worktrees_do_not_show_in_the_users_checkout_and_the_exclude_line_is_written_once() {
    let bed = TestRepository::new();
    let exclude = bed.root.join(".git/info/exclude");
    fs::write(&exclude, "*.swp").unwrap();
    let repository = bed.repository();
    begin(&repository, ID, "one").unwrap();
    begin(&repository, FeatureId(32), "two").unwrap();
    assert_eq!(fs::read_to_string(&exclude).unwrap(), "*.swp\n/.redraft/worktrees/\n");
    assert!(!repository.is_dirty().unwrap());
    fs::remove_dir_all(bed.root.join(".git/info")).unwrap();
    begin(&repository, FeatureId(33), "three").unwrap();
    assert!(!repository.is_dirty().unwrap());
}

#[test]
fn a_feature_started_in_a_worktree_begins_there_and_lies_beside_it() {
    let bed = TestRepository::new();
    let first = bed.feature();
    put(first.root(), "a.txt", "a");
    bed.raw(first.root(), &["add", "a.txt"]);
    bed.raw(first.root(), &["commit", "-q", "-m", "a"]);
    let inside = Repository::discover_with(bed.git.clone(), first.root()).unwrap();
    let (place, base) = begin(&inside, FeatureId(32), "next").unwrap();
    assert_eq!(base.branch.as_deref(), Some("feature/031-limits"));
    assert_eq!(place.worktree, bed.root.join(".redraft/worktrees/032-next"));
    assert_eq!(get(&place.worktree, "a.txt").as_deref(), Some("a"));
}

#[test]
fn what_exists_already_is_left_alone() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let older = bed.raw(&bed.root, &["rev-parse", "HEAD"]);
    bed.raw(&bed.root, &["branch", "feature/031-limits"]);
    bed.raw(&bed.root, &["commit", "-q", "--allow-empty", "-m", "moved on"]);
    let (place, _) = begin(&repository, ID, "limits").unwrap();
    assert_eq!(bed.raw(&place.worktree, &["rev-parse", "HEAD"]), older);
    bed.write(".redraft/worktrees/032-limits/mine.txt", "mine");
    let error = begin(&repository, FeatureId(32), "limits").unwrap_err();
    assert!(matches!(&error, GitError::FolderExists(path) if path.ends_with("032-limits")), "{error}");
    assert!(!repository.has_branch("feature/032-limits").unwrap());
    assert_eq!(get(&bed.root, ".redraft/worktrees/032-limits/mine.txt").as_deref(), Some("mine"));
}

#[test]
fn a_name_that_is_no_part_of_a_branch_is_refused() {
    let bed = TestRepository::new();
    for slug in ["", "-x", "../up", "a b", "Größe"] {
        assert!(matches!(bed.repository().feature_place(ID, slug), Err(GitError::BadName(_))), "{slug}");
    }
    for slug in ["список-задач", "検索を速く", "größe", "हिन्दी"] {
        let (place, _) = begin(&bed.repository(), ID, slug).unwrap();
        let head = bed.raw(&place.worktree, &["symbolic-ref", "HEAD"]);
        assert_eq!(head, format!("refs/heads/feature/031-{slug}"));
    }
}

#[test]
fn a_repository_without_commits_cannot_have_a_feature() {
    let bed = TestRepository::without_commits();
    assert!(matches!(begin(&bed.repository(), ID, "x"), Err(GitError::NoCommits(_))));
}

#[test]
fn creating_can_be_repeated_from_wherever_it_was_interrupted() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let base = repository.head().unwrap().commit;
    let place = repository.feature_place(ID, "limits").unwrap();
    let ensure = || repository.ensure_feature(&place.branch, &base, &place.worktree);
    let whole = || {
        assert_eq!(bed.raw(&place.worktree, &["symbolic-ref", "HEAD"]), "refs/heads/feature/031-limits");
        assert_eq!(bed.raw(&place.worktree, &["status", "--porcelain"]), "");
        assert_eq!(get(&place.worktree, "README.md").as_deref(), Some("readme\n"));
    };
    // Only the branch had been made.
    bed.raw(&bed.root, &["branch", &place.branch]);
    ensure().unwrap();
    whole();
    // Both are there: nothing happens, and work in progress stays.
    put(&place.worktree, "README.md", "edited\n");
    ensure().unwrap();
    assert_eq!(get(&place.worktree, "README.md").as_deref(), Some("edited\n"));
    // The folder is gone, but git still lists it.
    fs::remove_dir_all(&place.worktree).unwrap();
    ensure().unwrap();
    whole();
    // Killed before the checkout was complete: git's own lock says so.
    fs::write(bed.root.join(".git/worktrees/031-limits/locked"), "initializing\n").unwrap();
    fs::remove_file(place.worktree.join("README.md")).unwrap();
    ensure().unwrap();
    whole();
}

#[test]
fn a_folder_that_is_not_a_worktree_is_never_taken_over() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let feature = bed.feature();
    let base = repository.head().unwrap().commit;
    fs::remove_file(feature.root().join(".git")).unwrap();
    let error = repository.ensure_feature(feature.branch(), &base, feature.root()).unwrap_err();
    assert!(matches!(error, GitError::NotAWorktree(_)), "{error}");
    assert_eq!(get(feature.root(), "README.md").as_deref(), Some("readme\n"));

    let other = bed.root.join(".redraft/worktrees/040-x");
    put(&other, "mine.txt", "mine");
    let error = repository.ensure_feature("feature/040-x", &base, &other).unwrap_err();
    assert!(matches!(error, GitError::FolderExists(_)), "{error}");
    let elsewhere = bed.root.join(".redraft/worktrees/041-x");
    assert!(repository.ensure_feature("main", &base, &elsewhere).is_err());
    assert!(!elsewhere.join("README.md").exists());
}

#[test]
fn a_feature_in_place_is_entered_once_and_again_only_from_a_clean_checkout() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let base = repository.head().unwrap().commit;
    let branch = "feature/031-limits";
    let enter = || repository.enter_feature(branch, &base, &Boundaries::default());
    bed.write("mine.txt", "not committed");
    let error = enter().unwrap_err();
    assert!(matches!(&error, GitError::Dirty(path) if *path == bed.root), "{error}");
    assert!(!repository.has_branch(branch).unwrap());
    assert!(!repository.is_in_place(branch).unwrap());
    fs::remove_file(bed.root.join("mine.txt")).unwrap();
    enter().unwrap();
    assert!(repository.is_in_place(branch).unwrap());
    // Once there, a person's edits are part of the feature.
    bed.write("README.md", "edited\n");
    enter().unwrap();
    assert_eq!(get(&bed.root, "README.md").as_deref(), Some("edited\n"));
    bed.raw(&bed.root, &["commit", "-q", "-a", "-m", "edited"]);
    bed.raw(&bed.root, &["switch", "-q", "main"]);
    bed.write("README.md", "other\n");
    assert!(matches!(enter(), Err(GitError::Dirty(_))));
    assert_eq!(bed.raw(&bed.root, &["symbolic-ref", "HEAD"]), "refs/heads/main");
    bed.raw(&bed.root, &["restore", "README.md"]);
    enter().unwrap();
    assert_eq!(get(&bed.root, "README.md").as_deref(), Some("edited\n"));
}
