use super::super::tests::repositories::{TestRepository, put};
use super::*;

fn discover(bed: &TestRepository, folder: &Path) -> Result<Repository, GitError> {
    Repository::discover_with(bed.git.clone(), folder)
}

#[test]
fn the_repository_is_found_from_a_subfolder_and_from_a_worktree() {
    let bed = TestRepository::new();
    let from_src = discover(&bed, &bed.root.join("src")).unwrap();
    assert_eq!(from_src.main_checkout(), bed.root);
    assert_eq!(from_src.here(), bed.root);
    assert_eq!(from_src.common_dir(), bed.root.join(".git"));
    assert_eq!(from_src.state_dir(), bed.root.join(".git/redraft"));

    let feature = bed.feature();
    let from_worktree = discover(&bed, &feature.root().join("src")).unwrap();
    assert_eq!(from_worktree.main_checkout(), bed.root);
    assert_eq!(from_worktree.here(), feature.root());
    assert_eq!(from_worktree.state_dir(), from_src.state_dir());
}

#[test]
fn places_without_a_checkout_are_refused_each_in_its_own_words() {
    let bed = TestRepository::new();
    let outside = bed.root.parent().unwrap();
    assert!(matches!(discover(&bed, outside), Err(GitError::NotARepository(folder)) if folder == outside));
    assert!(matches!(discover(&bed, &bed.root.join(".git")), Err(GitError::InsideGitFolder(_))));
    bed.raw(outside, &["clone", "-q", "--bare", "repo", "bare.git"]);
    assert!(matches!(discover(&bed, &outside.join("bare.git")), Err(GitError::Bare(_))));
    bed.raw(&outside.join("bare.git"), &["worktree", "add", "-q", "../linked", "main"]);
    assert!(matches!(discover(&bed, &outside.join("linked")), Err(GitError::BareMain(_))));
    let gone = discover(&bed, &outside.join("gone")).unwrap_err();
    assert!(matches!(gone, GitError::Broken { .. }), "{gone}");
}

#[test]
fn a_repository_that_was_only_come_across_is_refused() {
    let bed = TestRepository::new();
    bed.raw(&bed.root, &["init", "-q", "--bare", "sub"]);
    let sub = bed.root.join("sub");
    bed.raw(&bed.root, &["--git-dir", "sub", "config", "core.bare", "false"]);
    bed.raw(&bed.root, &["--git-dir", "sub", "config", "core.worktree", "wt"]);
    fs::create_dir(sub.join("wt")).unwrap();
    for place in [sub.clone(), sub.join("wt")] {
        let error = discover(&bed, &place).unwrap_err();
        let is_it =
            matches!(&error, GitError::Embedded { inner, outer } if *inner == sub && *outer == bed.root);
        assert!(is_it, "{error}");
    }
    // A git folder with a checkout elsewhere.
    let other = bed.root.parent().unwrap().join("other");
    bed.raw(bed.root.parent().unwrap(), &["init", "-q", "other"]);
    bed.raw(&other, &["config", "core.worktree", "../.."]);
    let error = discover(&bed, &other).unwrap_err();
    assert!(matches!(error, GitError::Elsewhere { .. }), "{error}");
    assert!(error.to_string().contains("config --unset core.worktree"), "{error}");
}

#[test]
fn a_submodule_is_a_repository_like_any_other() {
    let bed = TestRepository::new();
    let outside = bed.root.parent().unwrap();
    bed.raw(outside, &["clone", "-q", "repo", "library"]);
    bed.raw(
        &bed.root,
        &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "sub"],
    );
    bed.raw(&bed.root, &["commit", "-q", "-m", "a submodule"]);
    assert_eq!(discover(&bed, &bed.root.join("sub")).unwrap().main_checkout(), bed.root.join("sub"));
}

#[test]
fn a_worktree_whose_main_checkout_git_cannot_name_is_refused() {
    let bed = TestRepository::new();
    let outside = bed.root.parent().unwrap();
    bed.raw(outside, &["init", "-q", "-b", "main", "--separate-git-dir=apart", "main"]);
    let main = outside.join("main");
    bed.raw(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
    bed.raw(&main, &["worktree", "add", "-q", "-b", "side", "../side"]);
    assert_eq!(discover(&bed, &main).unwrap().main_checkout(), main);
    assert!(matches!(discover(&bed, &outside.join("side")), Err(GitError::NoMainCheckout(_))));
}

#[test]
fn head_is_a_branch_or_detached_or_has_no_commit_yet() {
    let bed = TestRepository::new();
    let commit = bed.raw(&bed.root, &["rev-parse", "HEAD"]);
    let repository = bed.repository();
    let on_main = Head { branch: Some("main".to_owned()), commit: commit.clone() };
    assert_eq!(repository.head().unwrap(), on_main);
    bed.raw(&bed.root, &["checkout", "-q", "--detach"]);
    assert_eq!(repository.head().unwrap(), Head { branch: None, commit });

    let empty = TestRepository::without_commits();
    let error = empty.repository().head().unwrap_err();
    assert!(matches!(&error, GitError::NoCommits(root) if *root == empty.root), "{error}");
    assert!(error.to_string().contains("git commit --allow-empty"), "{error}");
}

#[test]
fn a_checkout_is_dirty_with_a_changed_or_a_new_file_but_not_with_an_ignored_one() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    bed.write("run.log", "noise");
    assert!(!repository.is_dirty().unwrap());
    bed.config("[status]\nshowUntrackedFiles = no\n");
    bed.write("new.txt", "new");
    assert!(repository.is_dirty().unwrap());
    fs::remove_file(bed.root.join("new.txt")).unwrap();
    assert!(!repository.is_dirty().unwrap());
    bed.write("README.md", "README\n");
    assert!(repository.is_dirty().unwrap());
}

#[test]
fn a_number_is_used_if_any_branch_or_any_branchs_tree_shows_it() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    assert!(repository.feature_numbers().unwrap().is_empty());
    bed.raw(&bed.root, &["branch", "feature/007-old"]);
    bed.raw(&bed.root, &["branch", "feature/12-too-short"]);
    bed.raw(&bed.root, &["branch", "feature/names"]);
    bed.raw(&bed.root, &["checkout", "-q", "-b", "other"]);
    bed.write("docs/features/041-älter/spec.md", "spec");
    bed.write("docs/features/1000-big/spec.md", "spec");
    bed.raw(&bed.root, &["add", "."]);
    bed.raw(&bed.root, &["commit", "-q", "-m", "features"]);
    bed.raw(&bed.root, &["checkout", "-q", "main"]);
    bed.write("docs/features/050-not-committed/prd.md", "prd");
    bed.write("docs/features/2026-03-19-a-date/prd.md", "prd");
    put(&bed.root, ".redraft/worktrees/060-left-over/x", "x");
    let numbers: Vec<u32> = repository.feature_numbers().unwrap().into_iter().map(|id| id.0).collect();
    assert_eq!(numbers, [7, 41, 50, 60, 1000]);
}

#[test]
fn projects_are_known_from_every_branch_and_from_what_is_not_committed() {
    let bed = TestRepository::new();
    bed.raw(&bed.root, &["checkout", "-q", "-b", "other"]);
    bed.write("docs/projects/P001-a/prd.md", "prd");
    bed.raw(&bed.root, &["add", "."]);
    bed.raw(&bed.root, &["commit", "-q", "-m", "a project"]);
    bed.raw(&bed.root, &["checkout", "-q", "main"]);
    bed.write("docs/projects/P002-b/prd.md", "prd");
    let names = bed.repository().project_names().unwrap();
    assert_eq!(names, BTreeSet::from(["P001-a".to_owned(), "P002-b".to_owned()]));
}

#[test]
fn a_file_is_unchanged_when_the_commit_has_it_as_it_is() {
    let bed = TestRepository::new();
    for name in ["same", "edited", "gone", "ältere spec"] {
        bed.write(&format!("docs/{name}.md"), "text\n");
    }
    bed.write("other/same.md", "text\n");
    bed.raw(&bed.root, &["add", "."]);
    bed.raw(&bed.root, &["commit", "-q", "-m", "documents"]);
    bed.write("docs/edited.md", "other\n");
    bed.write("docs/new.md", "text\n");
    fs::remove_file(bed.root.join("docs/gone.md")).unwrap();
    let unchanged = bed.repository().unchanged(&["docs".to_owned(), "nowhere".to_owned()]).unwrap();
    assert_eq!(unchanged, BTreeSet::from(["docs/same.md".to_owned(), "docs/ältere spec.md".to_owned()]));
    assert_eq!(bed.repository().unchanged(&[]).unwrap(), BTreeSet::new());
}

#[test]
fn numbers_are_read_in_a_repository_with_long_ids() {
    let bed = TestRepository::new();
    let outside = bed.root.parent().unwrap();
    bed.raw(outside, &["init", "-q", "-b", "main", "--object-format=sha256", "long"]);
    let long = outside.join("long");
    put(&long, "docs/features/001-a/spec.md", "a");
    put(&long, "docs/features/002-b/spec.md", "b");
    bed.raw(&long, &["add", "."]);
    bed.raw(&long, &["commit", "-q", "-m", "first"]);
    fs::remove_dir_all(long.join("docs")).unwrap();
    let numbers = discover(&bed, &long).unwrap().feature_numbers().unwrap();
    assert_eq!(numbers, BTreeSet::from([FeatureId(1), FeatureId(2)]));
}
