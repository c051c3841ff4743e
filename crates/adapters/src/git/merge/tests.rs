//! Merges in real repositories.

use super::*;
use crate::git::tests::repositories::{TestRepository, get, put};
use redraft_engine::ports::Workspace as _;

static NONE: std::sync::LazyLock<Boundaries> = std::sync::LazyLock::new(Boundaries::default);

/// A repository whose feature branch has a commit with `feature.txt`.
fn bed() -> (TestRepository, Repository, crate::git::GitWorkspace) {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let place = bed.feature();
    put(place.root(), "feature.txt", "new\n");
    let trailers = Trailers { seq: 7, ..Trailers::default() };
    place.commit(&["feature.txt".to_owned()], "feature", &trailers).unwrap().unwrap();
    (bed, repository, place)
}

fn merging<'a>(repository: &'a Repository, place: &crate::git::GitWorkspace) -> GitMerging<'a> {
    GitMerging { repository, branch: place.branch().to_owned(), boundaries: &NONE }
}

fn trailers() -> Trailers {
    Trailers { ticket: "001/merge".to_owned(), seq: 9, ..Trailers::default() }
}

fn wish(history: MergeHistory, trailers: &Trailers) -> Merge<'_> {
    Merge { into: "main", history, message: "Merge feature 001-x", trailers }
}

/// Moves main on, without otherwise touching the checkout it is in.
fn move_main(bed: &TestRepository, repository: &Repository, path: &str, text: &str) {
    put(repository.main_checkout(), path, text);
    bed.raw(repository.main_checkout(), &["add", path]);
    bed.raw(repository.main_checkout(), &["commit", "-q", "-m", "elsewhere"]);
}

#[test]
fn a_merge_goes_into_a_clean_checkout_with_both_histories_and_is_found_again() {
    let (bed, repository, place) = bed();
    move_main(&bed, &repository, "other.txt", "other\n");
    let merging = merging(&repository, &place);
    let preview = merging.preview("main", &[]).unwrap();
    let (own, main) = (trailers(), repository.main_checkout());
    assert_eq!(merging.merged("main", &own).unwrap(), None);
    let commit = merging.merge(&preview, &wish(MergeHistory::Keep, &own)).unwrap();
    assert_eq!(bed.raw(main, &["rev-parse", "main"]).trim(), commit.0);
    assert_eq!(get(main, "feature.txt").as_deref(), Some("new\n"));
    assert_eq!(get(main, "other.txt").as_deref(), Some("other\n"));
    assert_eq!(bed.raw(main, &["status", "--porcelain", "-uno"]), "");
    let parents = bed.raw(main, &["log", "-1", "--format=%P", "main"]);
    assert_eq!(parents.trim(), format!("{} {}", preview.into, preview.head));
    assert_eq!(merging.merged("main", &own).unwrap(), Some(commit));
    assert_eq!(merging.merged("main", &Trailers { seq: 10, ..own }).unwrap(), None);
}

#[test]
fn squashed_it_is_one_commit() {
    let (bed, repository, place) = bed();
    let merging = merging(&repository, &place);
    let preview = merging.preview("main", &[]).unwrap();
    merging.merge(&preview, &wish(MergeHistory::Squash, &trailers())).unwrap();
    let main = repository.main_checkout();
    assert_eq!(bed.raw(main, &["log", "-1", "--format=%P", "main"]).trim(), preview.into);
    assert_eq!(get(main, "feature.txt").as_deref(), Some("new\n"));
}

#[test]
fn a_branch_that_is_checked_out_nowhere_is_moved_alone_and_only_from_where_it_was() {
    let (bed, repository, place) = bed();
    let main = repository.main_checkout();
    bed.raw(main, &["switch", "-q", "-c", "elsewhere"]);
    let merging = merging(&repository, &place);
    let preview = merging.preview("main", &[]).unwrap();
    let stale = MergePreview { into: preview.head.clone(), ..preview.clone() };
    let refused = merging.merge(&stale, &wish(MergeHistory::Keep, &trailers()));
    assert!(matches!(refused, Err(MergeError::Moved(_))), "{refused:?}");
    let commit = merging.merge(&preview, &wish(MergeHistory::Keep, &trailers())).unwrap();
    assert_eq!(bed.raw(main, &["rev-parse", "main"]).trim(), commit.0);
    assert_eq!(get(main, "feature.txt"), None, "the checkout is on another branch");
}

#[test]
fn what_is_not_committed_stops_a_merge_and_nothing_is_lost() {
    let (bed, repository, place) = bed();
    let main = repository.main_checkout();
    let before = bed.raw(main, &["rev-parse", "main"]);
    put(main, "src/x.rs", "fn mine() {}\n");
    let merging = merging(&repository, &place);
    let preview = merging.preview("main", &[]).unwrap();
    let refused = merging.merge(&preview, &wish(MergeHistory::Keep, &trailers())).unwrap_err();
    assert!(refused.to_string().contains("src/x.rs is uncommitted"), "{refused}");
    assert_eq!(bed.raw(main, &["rev-parse", "main"]), before);
    assert_eq!(get(main, "src/x.rs").as_deref(), Some("fn mine() {}\n"));
    // A file that git does not know and that the merge would write is in the way, too.
    bed.raw(main, &["checkout", "-q", "--", "src/x.rs"]);
    put(main, "feature.txt", "mine\n");
    let refused = merging.merge(&preview, &wish(MergeHistory::Keep, &trailers()));
    assert!(matches!(&refused, Err(MergeError::Refused { detail, .. }) if detail.contains("feature.txt")));
    assert_eq!(get(main, "feature.txt").as_deref(), Some("mine\n"));
    assert_eq!(bed.raw(main, &["rev-parse", "main"]), before);
}

#[test]
fn a_conflict_is_forecast_with_its_files_and_touches_nothing() {
    let (bed, repository, place) = bed();
    move_main(&bed, &repository, "feature.txt", "theirs\n");
    let merging = merging(&repository, &place);
    let preview = merging.preview("main", &[]).unwrap();
    assert_eq!(preview.outcome, MergeOutcome::Conflicts(vec!["feature.txt".to_owned()]));
    assert!(matches!(
        merging.merge(&preview, &wish(MergeHistory::Keep, &trailers())),
        Err(MergeError::Moved(_))
    ));
    assert_eq!(get(repository.main_checkout(), "feature.txt").as_deref(), Some("theirs\n"));
    let missing = merging.preview("gone", &[]);
    assert!(matches!(missing, Err(MergeError::NoBranch(name)) if name == "gone"));
}
