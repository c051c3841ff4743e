use super::*;
use crate::trust::tests::{at, home};
use std::path::PathBuf;

/// A home, a repository's git folder in it, the file of the home, and the state folder, which is not there yet.
fn fresh() -> (tempfile::TempDir, PathBuf, Trust, PathBuf) {
    let (folder, git, trust) = home();
    let state = git.join("redraft");
    (folder, git, trust, state)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_state_folder_is_ours_if_it_was_made_here_or_accepted() {
    let (_folder, git, trust, state) = fresh();
    assert!(!trust.has_foreign_state(at(&git), &state).unwrap(), "there is none");
    assert!(trust.owns_state(at(&git), &state).unwrap(), "it is made");
    assert!(trust.owns_state(at(&git), &state).unwrap());
    fs::write(state.join("ledger.db"), "events").unwrap();
    assert!(trust.owns_state(at(&git), &state).unwrap());
    // Moved away and back it is the same; made again it is ours as well.
    fs::rename(&state, git.join("aside")).unwrap();
    fs::rename(git.join("aside"), &state).unwrap();
    assert!(trust.owns_state(at(&git), &state).unwrap());
    fs::remove_dir_all(&state).unwrap();
    assert!(trust.owns_state(at(&git), &state).unwrap());
}

#[test]
fn a_state_folder_that_came_from_elsewhere_is_not_ours_until_it_is_accepted() {
    let (_folder, git, trust, state) = fresh();
    trust.owns_state(at(&git), &state).unwrap();
    fs::write(state.join("ledger.db"), "events").unwrap();
    // A copy of a repository, with the seal of the other one.
    let copied = git.parent().unwrap().with_file_name("copy").join(".git");
    copy(&state, &copied.join("redraft"));
    // An archive, or one from before there were seals.
    let archive = git.parent().unwrap().with_file_name("archive").join(".git");
    fs::create_dir_all(archive.join("redraft")).unwrap();
    fs::write(archive.join("redraft/ledger.db"), "events").unwrap();
    for other in [&copied, &archive] {
        let state = other.join("redraft");
        assert!(!trust.owns_state(at(other), &state).unwrap(), "{}", other.display());
        assert!(trust.has_foreign_state(at(other), &state).unwrap());
        trust.accept_state(at(other), &state).unwrap();
        assert!(trust.owns_state(at(other), &state).unwrap());
        assert!(!trust.has_foreign_state(at(other), &state).unwrap());
    }
    assert!(trust.owns_state(at(&git), &state).unwrap(), "the first one still is");
    // Another one that is put in its place, with no seal, a made-up one, or a link to the right one.
    let seal = fs::read_to_string(state.join(SEAL)).unwrap();
    fs::write(git.join("right"), &seal).unwrap();
    for swap in [None, Some("0123456789abcdef0123456789abcdef\n"), Some("link")] {
        fs::remove_file(state.join(SEAL)).unwrap();
        match swap {
            None => {}
            Some("link") => std::os::unix::fs::symlink("../right", state.join(SEAL)).unwrap(),
            Some(text) => fs::write(state.join(SEAL), text).unwrap(),
        }
        assert!(!trust.owns_state(at(&git), &state).unwrap(), "{swap:?}");
        let _ = fs::remove_file(state.join(SEAL));
        fs::write(state.join(SEAL), &seal).unwrap();
        assert!(trust.owns_state(at(&git), &state).unwrap());
    }
}

#[test]
fn a_process_that_was_killed_while_it_made_the_folder_leaves_nothing_to_ask_about() {
    let (_folder, git, trust, state) = fresh();
    for left in [None, Some(""), Some("0123")] {
        let _ = fs::remove_dir_all(&state);
        fs::create_dir(&state).unwrap();
        if let Some(text) = left {
            fs::write(state.join(SEAL), text).unwrap();
        }
        assert!(trust.owns_state(at(&git), &state).unwrap(), "{left:?}");
        fs::write(state.join("ledger.db"), "events").unwrap();
        assert!(trust.owns_state(at(&git), &state).unwrap(), "{left:?}");
    }
}

#[test]
fn many_that_make_it_at_once_agree_whose_it_is() {
    let (_folder, git, trust, state) = fresh();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (git, trust, state) = (&git, &trust, &state);
            scope.spawn(move || {
                assert!(trust.owns_state(at(git), state).unwrap());
                fs::write(state.join(format!("{number}.lock")), "").unwrap();
                assert!(trust.owns_state(at(git), state).unwrap());
            });
        }
    });
}

#[test]
fn without_a_folder_of_the_users_own_no_state_is_ours_and_the_error_says_so() {
    let (_folder, git, _, state) = fresh();
    let error = Trust::default().owns_state(at(&git), &state).unwrap_err();
    assert!(matches!(error, TrustError::NoFolder) && error.way_out().contains("XDG_STATE_HOME"), "{error}");
    assert!(!state.exists());
}

#[test]
fn whom_a_person_agreed_to_pay_holds_for_that_feature_and_that_ledger() {
    let (_folder, git, trust, state) = fresh();
    trust.owns_state(at(&git), &state).unwrap();
    assert!(trust.may_pay(at(&git), "001", &[]).unwrap());
    assert!(!trust.may_pay(at(&git), "001", &["claude"]).unwrap());
    trust.agree_to_pay(at(&git), "001", &["claude"]).unwrap();
    for (scope, agents, may) in
        [("001", &["claude"][..], true), ("001", &["claude", "codex"], false), ("002", &["claude"], false)]
    {
        assert_eq!(trust.may_pay(at(&git), scope, agents).unwrap(), may, "{scope} {agents:?}");
    }
    // Another ledger has another feature 001.
    fs::remove_dir_all(&state).unwrap();
    trust.owns_state(at(&git), &state).unwrap();
    assert!(!trust.may_pay(at(&git), "001", &["claude"]).unwrap());
}
