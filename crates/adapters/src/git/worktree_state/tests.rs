use super::super::tests::repositories::{TestRepository, put};
use super::*;
use redraft_engine::ports::Workspace as _;
use std::fs;
use std::path::Path;

#[test]
fn a_mark_says_where_head_branch_index_and_files_stand() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let tree = bed.raw(place.root(), &["rev-parse", "HEAD^{tree}"]);
    let head = bed.raw(place.root(), &["rev-parse", "HEAD"]);
    let clean = place.mark(&[]).unwrap();
    let branch = "refs/heads/feature/031-limits".to_owned();
    assert_eq!(clean, TreeMark { head, branch, index: tree.clone(), work: tree });

    put(place.root(), "README.md", "README\n");
    bed.raw(place.root(), &["add", "README.md"]);
    put(place.root(), "new ü.txt", "new");
    let dirty = place.mark(&[]).unwrap();
    assert_ne!(dirty.index, clean.index);
    assert_ne!(dirty.work, dirty.index);
    let names = bed.raw(place.root(), &["ls-tree", "-r", "--name-only", "-z", &dirty.work]);
    assert!(names.contains("new ü.txt"), "{names}");
    bed.raw(place.root(), &["checkout", "-q", "--detach"]);
    assert_eq!(place.mark(&[]).unwrap(), TreeMark { branch: String::new(), ..dirty });
}

#[test]
fn marking_changes_nothing_and_needs_no_lock() {
    let bed = TestRepository::new();
    let place = bed.feature();
    put(place.root(), "README.md", "changed\n");
    put(place.root(), "new.txt", "new");
    let index = place.git_dir.join("index");
    let before = fs::read(&index).unwrap();
    fs::write(place.git_dir.join("index.lock"), "").unwrap();
    let mark = place.mark(&[]).unwrap();
    assert_eq!(place.mark(&[]).unwrap(), mark);
    assert_eq!(fs::read(&index).unwrap(), before);
}

#[test]
fn a_change_of_the_same_size_in_the_same_second_is_seen() {
    let bed = TestRepository::new();
    let place = bed.feature();
    bed.config("[core]\ntrustctime = false\n");
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let set_time =
        |path: &Path| fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
    let file = place.root().join("README.md");
    put(place.root(), "README.md", "aaaaaa\n");
    set_time(&file);
    bed.raw(place.root(), &["add", "README.md"]);
    let staged = place.mark(&[]).unwrap();
    put(place.root(), "README.md", "bbbbbb\n");
    // File and index now look as if all of it had happened in one second.
    set_time(&file);
    set_time(&place.git_dir.join("index"));
    assert_ne!(place.mark(&[]).unwrap().work, staged.work);
}

#[test]
fn ignored_files_are_no_part_of_a_mark() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let clean = place.mark(&[]).unwrap();
    put(place.root(), "run.log", "noise");
    put(place.root(), "build/out.bin", "noise");
    assert_eq!(place.mark(&[]).unwrap(), clean);
}

#[test]
fn a_repository_inside_the_worktree_does_not_stop_a_mark() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let clean = place.mark(&[]).unwrap();
    bed.raw(place.root(), &["init", "-q", "fresh"]);
    put(place.root(), "fresh/x", "x");
    assert_eq!(place.mark(&[]).unwrap(), clean);
    bed.raw(&place.root().join("fresh"), &["add", "x"]);
    bed.raw(&place.root().join("fresh"), &["commit", "-q", "-m", "x"]);
    assert_eq!(place.mark(&[]).unwrap(), clean);
}

#[test]
fn files_and_folders_may_trade_places() {
    let bed = TestRepository::new();
    let place = bed.feature();
    fs::remove_file(place.root().join("README.md")).unwrap();
    put(place.root(), "README.md/inside", "x");
    fs::remove_dir_all(place.root().join("src")).unwrap();
    put(place.root(), "src", "a file now");
    let work = place.mark(&[]).unwrap().work;
    assert_eq!(
        bed.raw(place.root(), &["ls-tree", "-r", "--name-only", &work]),
        ".gitignore\nREADME.md/inside\nsrc"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link_is_seen_as_a_link() {
    let bed = TestRepository::new();
    let place = bed.feature();
    fs::rename(place.root().join("src"), place.root().join("lib")).unwrap();
    put(place.root(), "lib/x.rs", "changed behind the link");
    std::os::unix::fs::symlink("lib", place.root().join("src")).unwrap();
    let work = place.mark(&[]).unwrap().work;
    let names = bed.raw(place.root(), &["ls-tree", "-r", "--name-only", &work]);
    assert_eq!(names, ".gitignore\nREADME.md\nlib/x.rs\nsrc");
}

#[test]
fn conflicts_and_half_done_merges_are_refused_with_the_way_out() {
    let bed = TestRepository::new();
    let place = bed.feature();
    bed.write("README.md", "theirs\n");
    bed.raw(&bed.root, &["commit", "-q", "-a", "-m", "theirs"]);
    put(place.root(), "README.md", "ours\n");
    bed.raw(place.root(), &["commit", "-q", "-a", "-m", "ours"]);
    assert!(!bed.try_raw(place.root(), &["merge", "-q", "main"]).0);
    let error = place.mark(&[]).unwrap_err().to_string();
    assert!(
        error.contains("a merge is in progress in ") && error.ends_with("finish or abort it first"),
        "{error}"
    );
    fs::remove_file(place.git_dir.join("MERGE_HEAD")).unwrap();
    let error = place.mark(&[]).unwrap_err().to_string();
    assert!(error.ends_with("has conflicts; resolve them first"), "{error}");
    bed.raw(place.root(), &["reset", "-q", "--hard"]);
    assert!(!bed.try_raw(place.root(), &["rebase", "main"]).0);
    let error = place.mark(&[]).unwrap_err().to_string();
    assert!(error.contains("a rebase is in progress"), "{error}");
}

#[test]
fn a_worktree_without_commits_has_no_mark() {
    let bed = TestRepository::without_commits();
    let place = GitWorkspace::open(&bed.repository(), &bed.root, "main").unwrap();
    let error = place.mark(&[]).unwrap_err().to_string();
    assert!(error.contains("has no commits yet"), "{error}");
}

/// Makes every start of git leave a line in a file; returns how many there were since the last question.
#[cfg(unix)]
fn counted(bed: &TestRepository, place: &mut GitWorkspace) -> impl Fn() -> usize + use<> {
    use std::os::unix::fs::PermissionsExt as _;
    let (program, log) = (bed.root.join(".git/counting-git"), bed.root.join(".git/starts"));
    fs::write(&program, format!("#!/bin/sh\necho >> '{}'\nexec git \"$@\"\n", log.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    place.git = place.git.clone().with_program(program);
    move || {
        let starts = fs::read(&log).map_or(0, |lines| lines.len());
        let _ = fs::remove_file(&log);
        starts
    }
}

#[cfg(unix)]
#[test]
fn looking_again_starts_git_only_for_new_files_also_in_a_worktree_with_changes() {
    let bed = TestRepository::new();
    let mut place = bed.feature();
    let starts = counted(&bed, &mut place);
    put(place.root(), "README.md", "staged\n");
    bed.raw(place.root(), &["add", "README.md"]);
    put(place.root(), "src/x.rs", "changed");
    put(place.root(), "new.txt", "new");
    let mark = place.mark(&[]).unwrap();
    assert!(starts() > 3, "the first look builds trees");
    assert_eq!(place.mark(&[]).unwrap(), mark);
    assert!(place.restore(&mark, &[], "ticket").unwrap().is_empty());
    assert_eq!(starts(), 0);
    let allowed = ["spec.md".to_owned()];
    put(place.root(), "spec.md", "what the agent may write");
    assert!(place.restore(&mark, &allowed, "ticket").unwrap().is_empty());
    assert_eq!(starts(), 1);
}

#[test]
fn a_second_change_of_the_same_size_and_time_is_seen_in_new_and_in_changed_files() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let write = |name: &str, text: &str| {
        put(place.root(), name, text);
        fs::File::options().write(true).open(place.root().join(name)).unwrap().set_modified(then).unwrap();
    };
    for name in ["README.md", "new.txt"] {
        write(name, "aaaaaa\n");
        let first = place.mark(&[]).unwrap();
        write(name, "bbbbbb\n");
        let second = place.mark(&[]).unwrap();
        assert_ne!(second.work, first.work, "{name}");
        assert_eq!(place.restore(&first, &[], "ticket").unwrap(), [format!("restored {name}")]);
        assert_eq!(place.mark(&[]).unwrap(), first);
    }
}

#[test]
fn an_index_that_was_only_refreshed_is_the_same() {
    let bed = TestRepository::new();
    let place = bed.feature();
    put(place.root(), "new.txt", "new");
    let mark = place.mark(&[]).unwrap();
    let index = place.git_dir.join("index");
    let before = fs::read(&index).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    fs::File::options().write(true).open(place.root().join("README.md")).unwrap().set_modified(old).unwrap();
    bed.raw(place.root(), &["status"]);
    assert_ne!(fs::read(&index).unwrap(), before, "git wrote the index anew");
    assert_eq!(place.mark(&[]).unwrap(), mark);
    assert!(place.restore(&mark, &[], "ticket").unwrap().is_empty());
}

#[test]
fn what_is_ours_is_no_part_of_a_mark() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let ours = ["docs/.meta.json".to_owned(), "notes".to_owned()];
    let clean = place.mark(&ours).unwrap();
    put(place.root(), "docs/.meta.json", "{}");
    put(place.root(), "notes/deep/a.md", "a");
    assert_eq!(place.mark(&ours).unwrap(), clean);
    put(place.root(), "docs/.meta.json.bak", "not ours");
    let marked = place.mark(&ours).unwrap();
    assert_ne!(marked.work, clean.work);
    put(place.root(), "docs/.meta.json", "{\"later\":1}");
    assert!(place.restore(&marked, &ours, "ticket").unwrap().is_empty());
    put(place.root(), "docs/other.md", "the agent's");
    assert_eq!(place.restore(&marked, &ours, "ticket").unwrap(), ["removed docs/other.md"]);
    assert_eq!(
        super::super::tests::repositories::get(place.root(), "docs/.meta.json").as_deref(),
        Some("{\"later\":1}")
    );
}

#[test]
fn a_tree_that_was_collected_is_built_again() {
    let bed = TestRepository::new();
    let place = bed.feature();
    put(place.root(), "README.md", "staged\n");
    bed.raw(place.root(), &["add", "README.md"]);
    put(place.root(), "new.txt", "new");
    let mark = place.mark(&[]).unwrap();
    bed.raw(&bed.root, &["gc", "-q", "--prune=now"]);
    assert!(!bed.try_raw(&bed.root, &["cat-file", "-e", &mark.work]).0, "the tree is gone");
    assert_eq!(place.mark(&[]).unwrap(), mark);
    bed.raw(&bed.root, &["cat-file", "-e", &mark.work]);
}

#[test]
fn another_branch_another_commit_and_a_packed_ref_are_seen() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let stands = |place: &GitWorkspace| {
        let mark = place.mark(&[]).unwrap();
        (mark.head, mark.branch)
    };
    let asked = || {
        let head = bed.raw(place.root(), &["rev-parse", "HEAD"]);
        (head, bed.try_raw(place.root(), &["symbolic-ref", "--quiet", "HEAD"]).1)
    };
    for words in [
        &["commit", "-q", "--allow-empty", "-m", "a"][..],
        &["pack-refs", "--all"],
        &["checkout", "-q", "-b", "other"],
        &["commit", "-q", "--allow-empty", "-m", "b"],
        &["checkout", "-q", "--detach", "HEAD~1"],
        &["checkout", "-q", "feature/031-limits"],
    ] {
        bed.raw(place.root(), words);
        assert_eq!(stands(&place), asked(), "{words:?}");
    }
}

#[test]
fn refs_that_are_not_kept_in_files_are_asked_for() {
    let bed = TestRepository::without_commits();
    fs::remove_dir_all(bed.root.join(".git")).unwrap();
    // A git that is older knows no other way to keep refs.
    if !bed.try_raw(&bed.root, &["init", "-q", "-b", "main", "--ref-format=reftable"]).0 {
        return;
    }
    bed.write("README.md", "readme\n");
    bed.raw(&bed.root, &["add", "."]);
    bed.raw(&bed.root, &["commit", "-q", "-m", "first"]);
    let place = bed.feature();
    let first = place.mark(&[]).unwrap();
    assert_eq!(first.branch, "refs/heads/feature/031-limits");
    bed.raw(place.root(), &["checkout", "-q", "-b", "other"]);
    bed.raw(place.root(), &["commit", "-q", "--allow-empty", "-m", "b"]);
    let second = place.mark(&[]).unwrap();
    assert_eq!(second.branch, "refs/heads/other");
    assert_eq!(second.head, bed.raw(place.root(), &["rev-parse", "HEAD"]));
    place.keep("a", &redraft_facts::ids::Revision::new(second.work)).unwrap();
}

#[test]
fn what_no_tree_holds_is_named_a_folder_as_one() {
    let bed = TestRepository::new();
    let place = bed.feature();
    assert_eq!(unseen(&place).unwrap(), BTreeSet::new());
    put(place.root(), "build/a/b.o", "x");
    put(place.root(), "build/c.o", "x");
    put(place.root(), "src/x.log", "x");
    put(place.root(), "src/new.rs", "x");
    bed.raw(place.root(), &["init", "-q", "lib"]);
    put(place.root(), "lib/x.rs", "x");
    look(&place, &[]).unwrap();
    let expected = ["ignored build/", "ignored src/x.log", "the repository lib/"];
    assert_eq!(unseen(&place).unwrap(), expected.map(str::to_owned).into());
}
