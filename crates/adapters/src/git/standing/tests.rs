use super::super::testbed::{Bed, put};
use super::*;
use redraft_engine::ports::Workspace as _;
use std::fs;
use std::path::Path;

#[test]
fn a_mark_says_where_head_branch_index_and_files_stand() {
    let bed = Bed::new();
    let place = bed.feature();
    let tree = bed.raw(place.root(), &["rev-parse", "HEAD^{tree}"]);
    let head = bed.raw(place.root(), &["rev-parse", "HEAD"]);
    let clean = place.mark().unwrap();
    let branch = "refs/heads/feature/031-limits".to_owned();
    assert_eq!(clean, TreeMark { head, branch, index: tree.clone(), work: tree });

    put(place.root(), "README.md", "README\n");
    bed.raw(place.root(), &["add", "README.md"]);
    put(place.root(), "new ü.txt", "new");
    let dirty = place.mark().unwrap();
    assert_ne!(dirty.index, clean.index);
    assert_ne!(dirty.work, dirty.index);
    let names = bed.raw(place.root(), &["ls-tree", "-r", "--name-only", "-z", &dirty.work]);
    assert!(names.contains("new ü.txt"), "{names}");
    bed.raw(place.root(), &["checkout", "-q", "--detach"]);
    assert_eq!(place.mark().unwrap(), TreeMark { branch: String::new(), ..dirty });
}

#[test]
fn marking_changes_nothing_and_needs_no_lock() {
    let bed = Bed::new();
    let place = bed.feature();
    put(place.root(), "README.md", "changed\n");
    put(place.root(), "new.txt", "new");
    let index = place.git_dir.join("index");
    let before = fs::read(&index).unwrap();
    fs::write(place.git_dir.join("index.lock"), "").unwrap();
    let mark = place.mark().unwrap();
    assert_eq!(place.mark().unwrap(), mark);
    assert_eq!(fs::read(&index).unwrap(), before);
}

#[test]
fn a_change_of_the_same_size_in_the_same_second_is_seen() {
    let bed = Bed::new();
    let place = bed.feature();
    bed.config("[core]\ntrustctime = false\n");
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let set_time =
        |path: &Path| fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
    let file = place.root().join("README.md");
    put(place.root(), "README.md", "aaaaaa\n");
    set_time(&file);
    bed.raw(place.root(), &["add", "README.md"]);
    let staged = place.mark().unwrap();
    put(place.root(), "README.md", "bbbbbb\n");
    // File and index now look as if all of it had happened in one second.
    set_time(&file);
    set_time(&place.git_dir.join("index"));
    assert_ne!(place.mark().unwrap().work, staged.work);
}

#[test]
fn ignored_files_are_no_part_of_a_mark() {
    let bed = Bed::new();
    let place = bed.feature();
    let clean = place.mark().unwrap();
    put(place.root(), "run.log", "noise");
    put(place.root(), "build/out.bin", "noise");
    assert_eq!(place.mark().unwrap(), clean);
}

#[test]
fn a_repository_inside_the_worktree_does_not_stop_a_mark() {
    let bed = Bed::new();
    let place = bed.feature();
    let clean = place.mark().unwrap();
    bed.raw(place.root(), &["init", "-q", "fresh"]);
    put(place.root(), "fresh/x", "x");
    assert_eq!(place.mark().unwrap(), clean);
    bed.raw(&place.root().join("fresh"), &["add", "x"]);
    bed.raw(&place.root().join("fresh"), &["commit", "-q", "-m", "x"]);
    assert_eq!(place.mark().unwrap(), clean);
}

#[test]
fn files_and_folders_may_trade_places() {
    let bed = Bed::new();
    let place = bed.feature();
    fs::remove_file(place.root().join("README.md")).unwrap();
    put(place.root(), "README.md/inside", "x");
    fs::remove_dir_all(place.root().join("src")).unwrap();
    put(place.root(), "src", "a file now");
    let work = place.mark().unwrap().work;
    assert_eq!(
        bed.raw(place.root(), &["ls-tree", "-r", "--name-only", &work]),
        ".gitignore\nREADME.md/inside\nsrc"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link_is_seen_as_a_link() {
    let bed = Bed::new();
    let place = bed.feature();
    fs::rename(place.root().join("src"), place.root().join("lib")).unwrap();
    put(place.root(), "lib/x.rs", "changed behind the link");
    std::os::unix::fs::symlink("lib", place.root().join("src")).unwrap();
    let work = place.mark().unwrap().work;
    let names = bed.raw(place.root(), &["ls-tree", "-r", "--name-only", &work]);
    assert_eq!(names, ".gitignore\nREADME.md\nlib/x.rs\nsrc");
}

#[test]
fn conflicts_and_half_done_merges_are_refused_with_the_way_out() {
    let bed = Bed::new();
    let place = bed.feature();
    bed.write("README.md", "theirs\n");
    bed.raw(&bed.root, &["commit", "-q", "-a", "-m", "theirs"]);
    put(place.root(), "README.md", "ours\n");
    bed.raw(place.root(), &["commit", "-q", "-a", "-m", "ours"]);
    assert!(!bed.try_raw(place.root(), &["merge", "-q", "main"]).0);
    let error = place.mark().unwrap_err().to_string();
    assert!(
        error.contains("a merge is in progress in ") && error.ends_with("finish or abort it first"),
        "{error}"
    );
    fs::remove_file(place.git_dir.join("MERGE_HEAD")).unwrap();
    let error = place.mark().unwrap_err().to_string();
    assert!(error.ends_with("has conflicts; resolve them first"), "{error}");
    bed.raw(place.root(), &["reset", "-q", "--hard"]);
    assert!(!bed.try_raw(place.root(), &["rebase", "main"]).0);
    let error = place.mark().unwrap_err().to_string();
    assert!(error.contains("a rebase is in progress"), "{error}");
}

#[test]
fn a_worktree_without_commits_has_no_mark() {
    let bed = Bed::without_commits();
    let place = GitWorkspace::open(&bed.repository(), &bed.root, "main").unwrap();
    let error = place.mark().unwrap_err().to_string();
    assert!(error.contains("has no commits yet"), "{error}");
}
