use super::super::tests::repositories::{TestRepository, begin, paths, put};
use super::super::workspace::GitWorkspace;
use super::*;
use redraft_engine::ports::{Trailers, Workspace as _};
use redraft_facts::ids::FeatureId;

/// Makes the next look find a system that was restarted since.
fn restarted(repository: &Repository) {
    fs::create_dir_all(repository.state_dir()).unwrap();
    fs::write(repository.state_dir().join("boot"), "another").unwrap();
}

#[test]
fn an_object_that_a_power_cut_left_empty_is_made_again_and_whole_ones_stay() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let repository = bed.repository();
    place.write("spec.md", b"text").unwrap();
    let revision = place.revision(&paths(&["spec.md"])).unwrap().unwrap();
    place.keep("031/specify.1/1", &revision).unwrap();
    drop(place);
    let object = |id: &str| repository.common_dir().join("objects").join(&id[..2]).join(&id[2..]);
    let blob = bed.raw(&bed.root, &["rev-parse", &format!("{revision}:spec.md")]);
    for id in [revision.as_str(), &blob] {
        fs::remove_file(object(id)).unwrap();
        fs::write(object(id), "").unwrap();
    }
    let anchor = repository.common_dir().join("refs/redraft/anchors/031/specify.1/1");
    fs::write(&anchor, "").unwrap();
    restarted(&repository);
    assert_eq!(repository.clear_after_cut().unwrap(), 3);
    let (found, _) = begin(&repository, FeatureId(31), "limits").unwrap();
    let place = GitWorkspace::open(&repository, &found.worktree, &found.branch).unwrap();
    assert_eq!(place.revision(&paths(&["spec.md"])).unwrap(), Some(revision.clone()));
    place.keep("031/specify.1/1", &revision).unwrap();
    bed.raw(&bed.root, &["fsck", "--full"]);
}

#[test]
fn an_index_that_a_power_cut_left_empty_is_made_again_from_the_last_commit() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let repository = bed.repository();
    place.write("spec.md", b"text").unwrap();
    let named = paths(&["spec.md"]);
    place.commit(&named, "draft", &Trailers::default()).unwrap().unwrap();
    fs::write(place.git_dir.join("index"), "").unwrap();
    restarted(&repository);
    assert_eq!(repository.clear_after_cut().unwrap(), 1);
    assert_eq!(place.commit(&named, "again", &Trailers::default()).unwrap(), None, "it is as in HEAD");
    assert_eq!(bed.raw(place.root(), &["status", "--porcelain"]), "");
}

#[test]
fn nothing_is_looked_for_twice_while_the_system_runs() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    restarted(&repository);
    assert_eq!(repository.clear_after_cut().unwrap(), 0);
    let planted = repository.common_dir().join("objects/00/11");
    put(repository.common_dir(), "objects/00/11", "");
    if cfg!(target_os = "linux") {
        assert_eq!(repository.clear_after_cut().unwrap(), 0);
        assert!(planted.exists());
    }
    restarted(&repository);
    assert_eq!(repository.clear_after_cut().unwrap(), 1);
    assert!(!planted.exists());
}

#[test]
fn a_worktree_that_was_being_made_is_made_anew_whatever_is_left_of_it() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let (place, base) = begin(&repository, FeatureId(31), "limits").unwrap();
    let admin = repository.common_dir().join("worktrees/031-limits");
    assert!(!repository.marker(&place.worktree).exists());
    for emptied in [vec!["HEAD"], vec!["gitdir"], vec!["commondir", "index"], vec!["HEAD", "gitdir", "index"]]
    {
        put(&repository.state_dir(), "making/031-limits", "");
        for name in &emptied {
            fs::write(admin.join(name), "").unwrap();
        }
        for file in fs::read_dir(&place.worktree).unwrap().map(|file| file.unwrap().path()) {
            if file.is_file() {
                fs::write(file, "").unwrap();
            }
        }
        repository.ensure_feature(&place.branch, &base.commit, &place.worktree).unwrap();
        assert_eq!(bed.raw(&place.worktree, &["status", "--porcelain"]), "", "{emptied:?}");
        assert!(!repository.marker(&place.worktree).exists());
    }
}

#[test]
fn a_worktree_that_was_made_is_never_taken_away() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let (place, base) = begin(&repository, FeatureId(31), "limits").unwrap();
    put(&place.worktree, "mine.txt", "a person's");
    repository.ensure_feature(&place.branch, &base.commit, &place.worktree).unwrap();
    assert!(place.worktree.join("mine.txt").exists());
}
