use super::*;
use crate::git::GitWorkspace;
use crate::git::tests::repositories::TestRepository;
use redraft_engine::ports::{Trailers, Workspace as _};
use std::fs;

const SECRET: &str = "swordfish-plaza-4711";

fn removal() -> Removal {
    Removal::new(SECRET).unwrap()
}

/// A feature with two commits and an anchor, in all of which a document holds the secret; a third commit only names it.
fn feature(bed: &TestRepository) -> GitWorkspace {
    let place = bed.feature();
    let path = "docs/spec.md".to_owned();
    for text in ["one", "two"] {
        place.write(&path, format!("# Spec\n\n{text}: {SECRET}\n").as_bytes()).unwrap();
        let trailers = Trailers { ticket: "031/x".to_owned(), seq: 7, ..Trailers::default() };
        place.commit(std::slice::from_ref(&path), "spec", &trailers).unwrap();
    }
    let revision = place.revision(&[path]).unwrap().unwrap();
    place.keep("031/specify", &revision).unwrap();
    bed.raw(place.root(), &["commit", "-q", "--allow-empty", "-m", &format!("opens with {SECRET}")]);
    place
}

fn run(bed: &TestRepository, branch: &str) -> (Survey, Rewritten, Pruned) {
    let repository = bed.repository();
    let branches = [branch.to_owned()];
    let survey = repository.survey(&removal(), &branches).unwrap();
    let done = repository.rewrite(&removal(), &survey, &branches, &BTreeSet::new()).unwrap();
    repository.follow(&removal(), &done).unwrap();
    let pruned = repository.prune(&removal(), &done, &BTreeSet::new()).unwrap();
    (survey, done, pruned)
}

fn is_anywhere(bed: &TestRepository) -> bool {
    let mut found = false;
    objects::each(&bed.repository(), &mut |_, _, bytes| found |= removal().is_in(bytes)).unwrap();
    found
}

#[test]
fn branch_anchor_index_and_files_follow_and_no_object_is_left_loose_or_packed() {
    for pack in [false, true] {
        let bed = TestRepository::new();
        let place = feature(&bed);
        if pack {
            bed.raw(&bed.root, &["repack", "-a", "-d", "-q"]);
        }
        let old = bed.raw(place.root(), &["rev-parse", "HEAD"]);
        let (survey, done, pruned) = run(&bed, place.branch());
        assert_eq!((survey.count(), done.refs.len(), pruned.left.len()), (3, 2, 0), "packed {pack}");
        assert!(!is_anywhere(&bed), "packed {pack}");
        assert_ne!(bed.raw(place.root(), &["rev-parse", "HEAD"]), old);
        let text = fs::read_to_string(place.root().join("docs/spec.md")).unwrap();
        assert_eq!(text, "# Spec\n\ntwo: [redacted]\n");
        assert_eq!(bed.raw(place.root(), &["status", "--porcelain"]), "");
        let log = bed.raw(place.root(), &["log", "--format=%B", "-4"]);
        assert!(log.contains("opens with [redacted]") && log.contains("Redraft-Seq: 7"), "{log}");
        bed.raw(&bed.root, &["fsck", "--no-dangling", "--strict"]);
        assert_eq!(place.newest_seq("main").unwrap(), 7);
        // A second run finds nothing to do.
        let (survey, done, pruned) = run(&bed, place.branch());
        assert_eq!((survey.count(), done.refs.len(), pruned.removed), (0, 0, 0));
    }
}

#[test]
fn the_same_objects_always_become_the_same_new_ones() {
    let bed = TestRepository::new();
    let place = feature(&bed);
    let repository = bed.repository();
    let branches = [place.branch().to_owned()];
    let survey = repository.survey(&removal(), &branches).unwrap();
    let once = repository.rewrite(&removal(), &survey, &branches, &BTreeSet::new()).unwrap();
    let twice = repository.rewrite(&removal(), &survey, &branches, &BTreeSet::new()).unwrap();
    assert_eq!(once.renamed, twice.renamed);
    // Killed after the refs moved, the ledger's ids still lead to the same new ones, because the old objects are there.
    repository.follow(&removal(), &once).unwrap();
    let named: BTreeSet<String> = once.renamed.0.keys().cloned().collect();
    let survey = repository.survey(&removal(), &branches).unwrap();
    let later = repository.rewrite(&removal(), &survey, &branches, &named).unwrap();
    assert!(later.refs.is_empty());
    assert_eq!(later.renamed, once.renamed);
}

#[test]
fn what_others_hold_stays_and_is_named() {
    let bed = TestRepository::new();
    let place = feature(&bed);
    bed.raw(&bed.root, &["branch", "theirs", place.branch()]);
    bed.write("notes.md", SECRET);
    bed.raw(&bed.root, &["stash", "push", "-q", "-u"]);
    bed.raw(&bed.root, &["stash", "drop", "-q"]);
    let theirs = bed.raw(&bed.root, &["rev-parse", "theirs"]);
    let (survey, done, pruned) = run(&bed, place.branch());
    assert_eq!(survey.elsewhere, ["refs/heads/theirs"]);
    assert!(done.refs.is_empty(), "its commits are theirs, too: {:?}", done.refs);
    assert_eq!(bed.raw(&bed.root, &["rev-parse", "theirs"]), theirs);
    assert!(
        pruned.left.iter().any(|left| left.contains("a dropped commit of somebody")),
        "{:?}",
        pruned.left
    );
    bed.raw(&bed.root, &["fsck", "--no-dangling"]);
}
