use super::super::tests::repositories::{TestRepository, paths, put};
use super::super::workspace::GitWorkspace;
use super::*;
use redraft_engine::ports::{Trailers, Workspace as _};

/// What is listed now, for the index as it is.
fn listed(place: &GitWorkspace) -> Result<BTreeSet<String>, GitError> {
    let index = place.index().unwrap();
    let text = |line: Vec<u8>| String::from_utf8_lossy(&line).into_owned();
    Ok(place.changed_lines(index.as_ref())?.into_iter().map(text).collect())
}

fn set(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// The same worktree where git cannot be started any more.
fn without_git(mut place: GitWorkspace) -> GitWorkspace {
    place.git = place.git.with_program("no-such-git-program");
    place
}

#[test]
fn git_is_asked_once_and_again_only_about_what_it_has_not_seen() {
    let bed = TestRepository::new();
    let place = bed.feature();
    put(place.root(), "new.txt", "new");
    put(place.root(), "build/out", "ignored");
    assert_eq!(listed(&place).unwrap(), set(&["? new.txt"]));
    let place = without_git(place);
    assert_eq!(listed(&place).unwrap(), set(&["? new.txt"]));
    put(place.root(), "README.md", "changed\n");
    fs::remove_file(place.root().join("src/x.rs")).unwrap();
    put(place.root(), "new.txt", "other");
    assert_eq!(listed(&place).unwrap(), set(&["C README.md", "C src/x.rs", "? new.txt"]));
    fs::remove_file(place.root().join("new.txt")).unwrap();
    assert_eq!(listed(&place).unwrap(), set(&["C README.md", "C src/x.rs"]));
    put(place.root(), "newer.txt", "new");
    listed(&place).unwrap_err();
}

#[test]
fn whatever_changes_nothing_that_git_lists_is_left_out() {
    type Step = fn(&TestRepository, &GitWorkspace);
    let steps: [(&str, Step); 12] = [
        ("a new file", |_, place| put(place.root(), "more.txt", "x")),
        ("a pattern of the worktree", |_, place| put(place.root(), "src/.gitignore", "secret\n")),
        ("one that is taken out", |_, place| put(place.root(), ".gitignore", "build/\n")),
        ("a pattern of the repository", |bed, _| put(&bed.root, ".git/info/exclude", "new.txt\n")),
        ("a setting of the repository", |bed, _| {
            bed.raw(&bed.root, &["config", "core.fileMode", "false"]);
        }),
        ("a setting of the user's", |bed, place| {
            put(place.root(), "../patterns", "new.txt\n");
            let file = place.root().parent().unwrap().join("patterns");
            bed.config(&format!("[core]\nexcludesFile = {}\n", file.display()));
        }),
        ("a staged file", |bed, place| {
            put(place.root(), "README.md", "staged\n");
            bed.raw(place.root(), &["add", "README.md"]);
            put(place.root(), "README.md", "readme\n");
        }),
        ("a file that is no longer tracked", |bed, place| {
            bed.raw(place.root(), &["rm", "-q", "--cached", "src/x.rs"]);
        }),
        ("a hidden change", |bed, place| {
            put(place.root(), "src/x.rs", "hidden\n");
            bed.raw(place.root(), &["update-index", "--skip-worktree", "src/x.rs"]);
        }),
        ("a folder in the place of a file", |_, place| {
            fs::remove_file(place.root().join("README.md")).unwrap();
            put(place.root(), "README.md/x", "x");
        }),
        ("a repository inside", |bed, place| {
            put(place.root(), "inner/x", "x");
            bed.raw(&place.root().join("inner"), &["init", "-q"]);
        }),
        ("another mode", |_, place| {
            use std::os::unix::fs::PermissionsExt as _;
            let file = place.root().join("src/x.rs");
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        }),
    ];
    for (what, step) in steps {
        let bed = TestRepository::new();
        let place = bed.feature();
        put(place.root(), "new.txt", "new");
        put(place.root(), "trace.log", "ignored");
        listed(&place).unwrap();
        step(&bed, &place);
        // For one that remembers nothing, git looks at everything.
        let afresh = listed(&bed.feature_again()).unwrap();
        assert_eq!(listed(&place).unwrap(), afresh, "{what}");
        assert_eq!(listed(&place).unwrap(), afresh, "{what}, again");
    }
}

#[test]
fn a_change_within_one_tick_is_seen_by_its_content() {
    let bed = TestRepository::new();
    let place = bed.feature();
    listed(&place).unwrap();
    let file = place.root().join("README.md");
    let mut listing = place.last_listing();
    let (then, _) = listing.last.as_mut().unwrap();
    fs::write(&file, "README\n").unwrap();
    // As if its times were those of the change before.
    then.files.0.get_mut(b"README.md".as_slice()).unwrap().facts = facts(&file.symlink_metadata().unwrap());
    drop(listing);
    assert_eq!(listed(&place).unwrap(), set(&["C README.md"]));
}

#[test]
fn after_a_commit_the_rest_is_still_known() {
    let bed = TestRepository::new();
    let place = bed.feature();
    put(place.root(), "doc.md", "one");
    put(place.root(), "new.txt", "new");
    put(place.root(), "README.md", "changed\n");
    assert_eq!(listed(&place).unwrap(), set(&["? doc.md", "? new.txt", "C README.md"]));
    place.commit(&paths(&["doc.md"]), "one", &Trailers::default()).unwrap().unwrap();
    put(place.root(), "doc.md", "two");
    place.commit(&paths(&["doc.md"]), "two", &Trailers::default()).unwrap().unwrap();
    let place = without_git(place);
    assert_eq!(listed(&place).unwrap(), set(&["? new.txt", "C README.md"]));
    put(place.root(), "doc.md", "three");
    assert_eq!(listed(&place).unwrap(), set(&["? new.txt", "C README.md", "C doc.md"]));
}

#[test]
fn what_somebody_else_stages_during_a_commit_is_asked_about() {
    let bed = TestRepository::new();
    let place = bed.feature();
    put(place.root(), "README.md", "ours\n");
    listed(&place).unwrap();
    place.refresh_listing().unwrap();
    bed.raw(place.root(), &["rm", "-q", "--cached", "src/x.rs"]);
    bed.raw(place.root(), &["add", "README.md"]);
    place.note_committed(&["README.md"]).unwrap();
    assert_eq!(listed(&place).unwrap(), set(&["? src/x.rs"]));
}

#[test]
fn in_a_worktree_with_too_many_files_git_looks() {
    let bed = TestRepository::new();
    let place = bed.feature();
    for number in 0..=FILES_MAX {
        put(place.root(), &format!("build/{number}"), "");
    }
    assert_eq!(listed(&place).unwrap(), set(&[]));
    listed(&without_git(place)).unwrap_err();
}
