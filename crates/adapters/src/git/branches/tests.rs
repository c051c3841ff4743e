use super::super::tests::repositories::TestRepository;

fn commit(bed: &TestRepository, branch: &str, file: &str) {
    bed.raw(&bed.root, &["checkout", "-q", "-b", branch]);
    bed.write(file, "text");
    bed.raw(&bed.root, &["add", "--all"]);
    bed.raw(&bed.root, &["commit", "-q", "-m", branch]);
    bed.raw(&bed.root, &["checkout", "-q", "-"]);
}

#[test]
fn branches_that_hold_the_folder_they_are_named_after_are_found_local_before_remote() {
    let bed = TestRepository::new();
    assert_eq!(bed.repository().feature_branches().unwrap(), []);
    commit(&bed, "feature/001-limits", "docs/features/001-limits/notes/spec.md");
    commit(&bed, "feature/002-export", "docs/features/002-export/spec.md");
    // Others name their branches like this too.
    commit(&bed, "feature/003-other", "docs/features/001-limits/spec.md");
    commit(&bed, "topic", "docs/features/004-topic/spec.md");
    for remote in ["001-limits", "002-export"] {
        bed.raw(
            &bed.root,
            &["update-ref", &format!("refs/remotes/origin/feature/{remote}"), &format!("feature/{remote}")],
        );
    }
    bed.raw(&bed.root, &["branch", "-q", "-D", "feature/002-export"]);
    let repository = bed.repository();
    let found = repository.feature_branches().unwrap();
    let names: Vec<&str> = found.iter().map(|branch| branch.name.as_str()).collect();
    assert_eq!(names, ["feature/001-limits", "origin/feature/002-export"]);
    let files = repository.files_at(&found[0].commit, &found[0].folder()).unwrap();
    assert_eq!(files, ["docs/features/001-limits/notes/spec.md"]);
    repository.begin_branch("feature/002-export", &found[1].commit).unwrap();
    repository.begin_branch("feature/002-export", "nonsense, which is not looked at").unwrap();
    assert_eq!(repository.feature_branches().unwrap()[1].name, "feature/002-export");
}

#[test]
fn a_branch_that_another_checkout_has_is_refused_with_the_way_out() {
    let bed = TestRepository::new();
    commit(&bed, "feature/001-limits", "docs/features/001-limits/spec.md");
    let repository = bed.repository();
    let worktree = bed.root.join(".redraft/worktrees/001-limits");
    repository.refuse_checked_out("feature/001-limits", &worktree).unwrap();
    let base = bed.raw(&bed.root, &["branch", "--show-current"]);
    bed.raw(&bed.root, &["checkout", "-q", "feature/001-limits"]);
    let refused = repository.refuse_checked_out("feature/001-limits", &worktree).unwrap_err().to_string();
    let way_out = format!("git -C {} switch {base}", bed.root.display());
    assert!(refused.contains("branch feature/001-limits is checked out in "), "{refused}");
    assert!(refused.contains(&way_out), "{refused}: {way_out}");
    let raw = repository.ensure_feature("feature/001-limits", "HEAD", &worktree).unwrap_err().to_string();
    assert_eq!(raw, refused, "git's own words name no way out");
    repository.refuse_checked_out("feature/001-limits", &bed.root).unwrap();
}
