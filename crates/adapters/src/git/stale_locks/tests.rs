use super::super::tests::repositories::{TestRepository, paths, put};
use super::super::workspace::GitWorkspace;
use super::*;
use redraft_engine::ports::{Trailers, Workspace as _, WorkspaceError};
use std::os::unix::fs::PermissionsExt as _;

fn trailers() -> Trailers {
    Trailers { ticket: "031/specify.1/draft/spec-author/1.1".to_owned(), seq: 7, ..Trailers::default() }
}

/// A workspace whose git takes the index's lock for a commit and is killed holding it.
fn killed_in_a_commit(bed: &TestRepository) -> (GitWorkspace, PathBuf) {
    let mut place = bed.feature();
    let (lock, program) = (place.git_dir.join("index.lock"), bed.root.join(".git/dying-git"));
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *' commit '*) : > '{}'; kill -9 $$;; esac\nexec git \"$@\"\n",
        lock.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let sound = place.git.clone();
    place.git = place.git.with_program(program);
    put(place.root(), "spec.md", "text\n");
    let died = place.commit(&paths(&["spec.md"]), "draft", &trailers()).unwrap_err();
    assert!(matches!(died, WorkspaceError::Interrupted { .. }), "{died}");
    place.git = sound;
    (place, lock)
}

#[test]
fn a_lock_that_a_killed_git_of_ours_left_is_removed_by_the_next_run() {
    let bed = TestRepository::new();
    let (place, lock) = killed_in_a_commit(&bed);
    assert!(lock.exists());
    place.sweep();
    assert!(!lock.exists());
    assert!(place.commit(&paths(&["spec.md"]), "draft", &trailers()).unwrap().is_some());
    assert!(!place.temp().join(MARKER).exists(), "a call that came to its end leaves no marker");
}

#[test]
fn an_index_that_a_killed_git_was_making_goes_and_that_of_a_living_one_stays() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str| fs::write(folder.path().join(name), "").unwrap();
    // No system gives out numbers as high as this.
    let (dead, living) =
        (format!("next-index-{}.lock", i32::MAX), format!("next-index-{}.lock", std::process::id()));
    for name in [&dead, &living, "next-index-x.lock", "index.lock"] {
        put(name);
    }
    clear_indexes(folder.path());
    let left = |name: &str| folder.path().join(name).exists();
    assert!(!left(&dead));
    assert!(left(&living) && left("next-index-x.lock") && left("index.lock"));
}

#[test]
fn a_lock_of_somebody_else_stays_before_and_after_ours() {
    let bed = TestRepository::new();
    let (place, lock) = killed_in_a_commit(&bed);
    let marked = modified(&place.temp().join(MARKER)).unwrap();
    for other in [marked - Duration::from_secs(1), marked + CALL_LASTS + Duration::from_secs(1)] {
        File::options().write(true).open(&lock).unwrap().set_modified(other).unwrap();
        assert_eq!(
            clear(&place.temp().join(MARKER), std::slice::from_ref(&lock), PATIENCE),
            Cleared::Nothing
        );
        assert!(lock.exists());
        put(&place.temp(), MARKER, "");
        File::options().write(true).open(place.temp().join(MARKER)).unwrap().set_modified(marked).unwrap();
    }
    fs::remove_file(place.temp().join(MARKER)).unwrap();
    place.sweep();
    assert!(lock.exists(), "without a marker nothing is known about a lock");
}

#[test]
fn a_git_that_outlives_its_run_keeps_its_lock() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let (marker, lock) = (place.temp().join(MARKER), place.git_dir.join("index.lock"));
    let alive = Writing::begin(&marker, None).unwrap();
    fs::write(&lock, "").unwrap();
    let locks = [lock.clone()];
    assert_eq!(clear(&marker, &locks, Duration::ZERO), Cleared::StillWriting);
    assert!(lock.exists() && marker.exists());
    drop(alive);
    assert_eq!(clear(&marker, &locks, Duration::ZERO), Cleared::Locks);
    assert!(!lock.exists() && !marker.exists());
}
