//! The guarantees of committing in a worktree.

use super::kept_by_both;
use crate::world::{BRANCH, World, nowhere, paths, with};
use redraft_engine::ports::{CommitRefused, Trailers, WorkspaceError};

kept_by_both! {
    a_commit_holds_the_named_paths_and_nothing_else,
    what_is_as_in_head_is_not_committed_again,
    a_file_that_is_gone_is_committed_as_gone,
    trailers_are_found_again_and_the_highest_number_counts,
    a_commit_is_refused_for_the_branch_the_identity_and_what_is_ignored,
    a_branch_with_something_unreadable_is_not_approved,
}

fn refused<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> CommitRefused {
    match result.unwrap_err() {
        WorkspaceError::Commit(refused) => refused,
        other => panic!("{other:?}"),
    }
}

fn a_commit_holds_the_named_paths_and_nothing_else(world: &dyn World) {
    let outside = world.outside();
    outside.put("a.md", "a\n");
    outside.put("b.md", "b\n");
    outside.put("README.md", "changed\n");
    outside.stage("b.md");
    with(world, |ports| {
        let place = ports.workspace;
        let commit =
            place.commit(&paths(&["a.md", "absent.md"]), "a", &Trailers::default()).unwrap().unwrap();
        assert_eq!(place.head().unwrap().0, commit);
        let held = outside.files_of(&format!("refs/heads/{BRANCH}")).unwrap();
        assert_eq!((held.get("a.md").map(String::as_str), held.get("b.md")), (Some("a\n"), None));
        assert_eq!(held["README.md"], "# a project\n");
        assert_eq!(place.uncommitted().unwrap(), paths(&["README.md", "b.md"]));
        place.commit(&paths(&["b.md"]), "b", &Trailers::default()).unwrap().unwrap();
        assert_eq!(outside.log(BRANCH), ["b", "a", "first"]);
    });
}

fn what_is_as_in_head_is_not_committed_again(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        assert_eq!(
            place.commit(&paths(&["README.md", "absent.md"]), "x", &Trailers::default()).unwrap(),
            None
        );
        assert_eq!(place.commit(&[], "x", &Trailers::default()).unwrap(), None);
        outside.put("README.md", "changed\n");
        assert!(place.commit(&paths(&["README.md"]), "x", &Trailers::default()).unwrap().is_some());
        assert_eq!(place.commit(&paths(&["README.md"]), "x", &Trailers::default()).unwrap(), None);
        assert_eq!(outside.log(BRANCH), ["x", "first"]);
    });
}

fn a_file_that_is_gone_is_committed_as_gone(world: &dyn World) {
    let outside = world.outside();
    outside.take("README.md");
    with(world, |ports| {
        ports.workspace.commit(&paths(&["README.md"]), "gone", &Trailers::default()).unwrap().unwrap();
        assert!(!outside.files_of(&format!("refs/heads/{BRANCH}")).unwrap().contains_key("README.md"));
        assert_eq!(ports.workspace.uncommitted().unwrap(), paths(&[]));
    });
}

fn trailers_are_found_again_and_the_highest_number_counts(world: &dyn World) {
    let outside = world.outside();
    let ticket = "001/specify.1/draft/spec-author/1.1";
    with(world, |ports| {
        let place = ports.workspace;
        assert_eq!(place.newest_seq(&world.base()).unwrap(), 0);
        for (seq, name) in [(9, "a.md"), (4, "b.md")] {
            outside.put(name, "x\n");
            let (agents, approved) = (paths(&["an agent"]), paths(&["a reviewer by somebody"]));
            let trailers = Trailers { ticket: ticket.to_owned(), seq, agents, approved };
            place.commit(&paths(&[name]), "a subject\n\nand a text", &trailers).unwrap().unwrap();
        }
        let (_, found) = place.head().unwrap();
        assert_eq!((found.ticket.as_str(), found.seq, found.agents), (ticket, 4, Vec::new()));
        assert_eq!(place.newest_seq(&world.base()).unwrap(), 9);
        assert_eq!(
            place.newest_seq(nowhere().as_str()).unwrap(),
            4,
            "without a base the last commit must do"
        );
        outside.commit("somebody's own");
        assert_eq!(place.head().unwrap().1, Trailers::default());
        assert_eq!(place.newest_seq(&world.base()).unwrap(), 9);
    });
}

fn a_commit_is_refused_for_the_branch_the_identity_and_what_is_ignored(world: &dyn World) {
    let outside = world.outside();
    outside.put("a.md", "a\n");
    outside.put("a.log", "a\n");
    with(world, |ports| {
        let place = ports.workspace;
        let commit = |path: &str| place.commit(&paths(&[path]), "x", &Trailers::default());
        place.may_commit("a.md").unwrap();
        place.may_commit("README.md").unwrap();
        assert_eq!(refused(place.may_commit("a.log")), CommitRefused::Ignored("a.log".to_owned()));
        assert_eq!(
            refused(place.may_commit("build/deep/x")),
            CommitRefused::Ignored("build/deep/x".to_owned())
        );
        assert_eq!(refused(commit("a.log")), CommitRefused::Ignored("a.log".to_owned()));
        outside.forget_identity();
        assert_eq!(refused(commit("a.md")), CommitRefused::NoIdentity);
        outside.detach();
        assert_eq!(refused(commit("a.md")), CommitRefused::WrongBranch(BRANCH.to_owned()));
        assert_eq!(refused(place.may_commit("a.md")), CommitRefused::WrongBranch(BRANCH.to_owned()));
        outside.switch_to_new("another");
        assert_eq!(refused(commit("a.md")), CommitRefused::WrongBranch(BRANCH.to_owned()));
    });
    assert_eq!(outside.log(BRANCH), ["first"]);
}

fn a_branch_with_something_unreadable_is_not_approved(world: &dyn World) {
    let outside = world.outside();
    outside.put("a.md", "a\n");
    let held = with(world, |ports| {
        ports.workspace.require_readable(&world.base()).unwrap();
        let commit = ports.workspace.commit(&paths(&["a.md"]), "a", &Trailers::default()).unwrap().unwrap();
        ports.workspace.require_readable(&world.base()).unwrap();
        ports.workspace.tree_of(&commit.0).unwrap()
    });
    outside.lose(&held);
    with(world, |ports| {
        let error = ports.workspace.require_readable(&world.base()).unwrap_err();
        assert!(matches!(error, WorkspaceError::Damaged { .. }), "{error}");
    });
}
