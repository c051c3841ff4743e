use super::super::tests::repositories::{TestRepository, paths, put};
use super::*;
use redraft_engine::ports::Workspace as _;
use std::fs;

/// A repository in one of git's two formats, with the same files as every other.
fn bed_of(format: &str) -> TestRepository {
    let bed = TestRepository::without_commits();
    fs::remove_dir_all(bed.root.join(".git")).unwrap();
    bed.raw(&bed.root, &["init", "-q", "-b", "main", &format!("--object-format={format}")]);
    bed.write("README.md", "readme\n");
    bed.raw(&bed.root, &["add", "."]);
    bed.raw(&bed.root, &["commit", "-q", "-m", "first"]);
    bed
}

#[test]
fn what_others_made_since_is_seen() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let head = || info(&place, "HEAD").unwrap().unwrap().id;
    let first = head();
    assert_eq!(info(&place, "HEAD:later.md").unwrap(), None);
    put(place.root(), "later.md", "later\n");
    bed.raw(place.root(), &["add", "later.md"]);
    bed.raw(place.root(), &["commit", "-q", "-m", "later"]);
    assert_ne!(head(), first);
    assert_eq!(head(), bed.raw(place.root(), &["rev-parse", "HEAD"]));
    let (object, bytes) = contents(&place, "HEAD:later.md").unwrap().unwrap();
    assert_eq!((object.kind.as_str(), bytes.as_slice()), ("blob", &b"later\n"[..]));
    bed.raw(&bed.root, &["pack-refs", "--all"]);
    bed.raw(&bed.root, &["gc", "-q", "--prune=now"]);
    assert_eq!(head(), bed.raw(place.root(), &["rev-parse", "HEAD"]));
    put(place.root(), "later.md", "packed\n");
    bed.raw(place.root(), &["commit", "-q", "-a", "-m", "packed"]);
    bed.raw(&bed.root, &["repack", "-q", "-a", "-d"]);
    assert_eq!(contents(&place, "HEAD:later.md").unwrap().unwrap().1, b"packed\n");
    bed.raw(place.root(), &["checkout", "-q", "--detach", &first]);
    assert_eq!(head(), first);
}

#[test]
fn an_answer_is_never_taken_for_that_of_another_question() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let odd = ["a\nb", "two\n\nbreaks", "ends\n", "HEAD", "x missing", "1 blob 7", "\u{fe}"];
    for name in odd {
        put(place.root(), name, name);
    }
    let revision = place.revision(&paths(&odd)).unwrap().unwrap();
    for name in odd {
        assert_eq!(info(&place, &format!("HEAD:{name}")).unwrap(), None, "{name:?}");
        let found = contents(&place, &format!("{revision}:{name}")).unwrap().unwrap();
        assert_eq!(String::from_utf8(found.1).unwrap(), name);
    }
    assert_eq!(contents(&place, "HEAD:README.md").unwrap().unwrap().1, b"readme\n");
    assert_eq!(info(&place, "HEAD:src").unwrap().unwrap().kind, "tree");
}

#[test]
fn a_tree_has_the_id_that_git_itself_gives_it_in_both_formats() {
    for format in ["sha1", "sha256"] {
        let bed = bed_of(format);
        let place = bed.feature();
        // Git sorts a folder as if its name ended in a slash, so `a-b` and `a.md` stand before `a`.
        let named = ["a.md", "a/b.md", "a-b/c.md", "a/ü/größer als.md", "docs/x/y/z.md", "docs.md"];
        for path in named {
            put(place.root(), path, &format!("{path}\r\n"));
        }
        for some in [&named[..], &named[..3], &named[3..], &named[4..5]] {
            let revision = place.revision(&paths(some)).unwrap().unwrap();
            bed.raw(place.root(), &["read-tree", "--empty"]);
            bed.raw(place.root(), &[&["add", "--"], some].concat());
            assert_eq!(revision.as_str(), bed.raw(place.root(), &["write-tree"]), "{format} {some:?}");
        }
        assert_eq!(bed.raw(&bed.root, &["fsck", "--strict", "--no-dangling"]), "");
    }
}

#[test]
fn a_ref_that_cannot_be_set_says_why_and_the_next_one_can() {
    let bed = TestRepository::new();
    let place = bed.feature();
    put(place.root(), "spec.md", "x");
    let revision = place.revision(&paths(&["spec.md"])).unwrap().unwrap();
    place.keep("one", &revision).unwrap();
    let lock = bed.root.join(".git/refs/redraft/anchors/two.lock");
    fs::write(&lock, "").unwrap();
    let set = set_ref(&place, "refs/redraft/anchors/two", revision.as_str());
    let error = redraft_engine::ports::WorkspaceError::from(set.unwrap_err()).to_string();
    assert!(error.contains(&format!("another git process holds the lock {}", lock.display())), "{error}");
    fs::remove_file(&lock).unwrap();
    place.keep("two", &revision).unwrap();
    place.keep("three", &revision).unwrap();
    let refs = bed.raw(&bed.root, &["for-each-ref", "--format=%(refname:lstrip=3)", "refs/redraft/anchors"]);
    assert_eq!(refs, "one\nthree\ntwo");
}

#[test]
fn a_tree_that_was_collected_is_not_kept_again() {
    let bed = TestRepository::new();
    let place = bed.feature();
    put(place.root(), "spec.md", "x");
    let revision = place.revision(&paths(&["spec.md"])).unwrap().unwrap();
    place.keep("one", &revision).unwrap();
    bed.raw(&bed.root, &["update-ref", "-d", "refs/redraft/anchors/one"]);
    bed.raw(&bed.root, &["gc", "-q", "--prune=now"]);
    let error = place.keep("one", &revision).unwrap_err();
    assert!(matches!(error, redraft_engine::ports::WorkspaceError::AnchorLost(_)), "{error}");
}
