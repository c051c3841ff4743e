//! What becomes of branches and tags when a worktree is restored.

use super::{LOST, NAME, restored, told};
use crate::world::{BRANCH, World, paths, with};

pub(super) fn branches_and_tags_are_named_once_and_left(world: &dyn World) {
    let outside = world.outside();
    outside.branch("theirs");
    outside.branch("old");
    outside.put("a.md", "x\n");
    outside.commit("later");
    with(world, |ports| {
        let place = ports.workspace;
        let mark = place.mark(&[]).unwrap();
        outside.branch("new");
        outside.tag("v1");
        outside.move_branch("theirs");
        outside.delete_branch("old");
        outside.commit_base("b.md", "x\n");
        assert_eq!(restored(place, &mark, &[]), paths(&[]));
        let meanwhile = "meanwhile, by the agent or by somebody else, and is left so";
        assert_eq!(
            told(place.left_refs(NAME).unwrap()),
            [
                format!("branch new was made {meanwhile}"),
                format!("branch old was removed {meanwhile}"),
                format!("branch theirs was moved {meanwhile}"),
                format!("tag v1 was made {meanwhile}"),
            ]
        );
        assert_eq!(place.left_refs(NAME).unwrap(), paths(&[]), "each once");
        outside.switch_base_to_new("elsewhere");
        let lines = told(place.left_refs(NAME).unwrap());
        assert_eq!(
            lines,
            [
                format!("branch elsewhere was made {meanwhile}"),
                format!("the main checkout was switched from main to elsewhere {meanwhile}"),
            ]
        );
    });
    assert!(outside.refs().contains(&"refs/heads/new".to_owned()));
}

pub(super) fn a_branch_made_here_is_deleted_and_its_commits_are_kept(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let mark = ports.workspace.mark(&[]).unwrap();
        outside.switch_to_new("mine");
        outside.put("a.md", "x\n");
        outside.commit("on my own");
        let lines = restored(ports.workspace, &mark, &[]);
        assert_eq!(
            lines,
            [
                "moved HEAD back to feature/001-feature",
                "put the index back",
                "removed a.md",
                "deleted the agent's branch mine"
            ]
        );
        assert_eq!(ports.workspace.left_refs(NAME).unwrap(), paths(&[]));
    });
    assert_eq!(outside.refs(), [format!("refs/heads/{BRANCH}"), "refs/heads/main".to_owned()]);
    assert!(outside.log_of(LOST).contains(&"on my own".to_owned()));
}

pub(super) fn another_process_undoes_nothing_of_branches(world: &dyn World) {
    let outside = world.outside();
    let mark = with(world, |ports| ports.workspace.mark(&[]).unwrap());
    outside.branch("new");
    outside.switch_to_new("mine");
    with(world, |ports| {
        assert_eq!(restored(ports.workspace, &mark, &[]), ["moved HEAD back to feature/001-feature"]);
        assert_eq!(ports.workspace.left_refs(NAME).unwrap(), paths(&[]), "they may be a person's");
    });
    assert_eq!(outside.refs().len(), 4);
}
