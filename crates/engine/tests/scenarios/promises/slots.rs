//! The guarantees of worktrees beside the feature's own.

use super::kept_by_both;
use crate::world::{World, paths, with};

kept_by_both! {
    a_slot_is_a_worktree_of_its_own_at_a_commit,
    what_stands_in_a_slot_is_kept_before_it_is_put_on_another_commit,
    a_slot_is_as_it_was_for_the_next_process,
    slots_are_removed_and_what_stood_in_them_is_kept,
}

fn a_slot_is_a_worktree_of_its_own_at_a_commit(world: &dyn World) {
    let outside = world.outside();
    outside.put("mine.md", "mine\n");
    with(world, |ports| {
        let head = ports.workspace.head().unwrap().0.0;
        let (one, two) = (ports.slots.at(1, &head).unwrap(), ports.slots.at(2, &head).unwrap());
        assert_eq!(outside.slots(), [1, 2]);
        let folders = [ports.workspace.folder(), one.folder(), two.folder()];
        assert!(folders.iter().all(|folder| outside.has_folder(folder)), "{folders:?}");
        assert!(folders[0] != folders[1] && folders[1] != folders[2], "{folders:?}");
        assert_eq!(one.tree(&[]).unwrap(), one.tree_of(&head).unwrap());
        one.write("new.md", b"new\n").unwrap();
        outside.put_in(&folders[2], "README.md", "other\n");
        outside.commit_in(&folders[1], "of a slot");
        assert_eq!(ports.workspace.uncommitted().unwrap(), paths(&["mine.md"]));
        assert_eq!(ports.workspace.head().unwrap().0.0, head, "no branch has moved");
        assert_ne!(one.head().unwrap().0.0, head);
        assert_eq!(two.uncommitted().unwrap(), paths(&["README.md"]));
        assert_eq!(one.uncommitted().unwrap(), paths(&[]));
    });
}

fn what_stands_in_a_slot_is_kept_before_it_is_put_on_another_commit(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let head = ports.workspace.head().unwrap().0.0;
        let slot = ports.slots.at(1, &head).unwrap();
        slot.write("new.md", b"new\n").unwrap();
        let left = slot.tree(&[]).unwrap();
        outside.put("later.md", "later\n");
        outside.commit("later");
        let later = ports.workspace.head().unwrap().0.0;
        let slot = ports.slots.at(1, &later).unwrap();
        assert_eq!((slot.read("new.md").unwrap(), slot.head().unwrap().0.0.clone()), (None, later));
        assert_eq!(slot.uncommitted().unwrap(), paths(&[]));
        outside.collect();
        let kept = format!("refs/redraft/anchors/001/slot-1/left-{}", left.short());
        assert_eq!(outside.files_of(&kept).unwrap()["new.md"], "new\n");
    });
}

fn a_slot_is_as_it_was_for_the_next_process(world: &dyn World) {
    let head = with(world, |ports| {
        let head = ports.workspace.head().unwrap().0.0;
        ports.slots.at(3, &head).unwrap().write("new.md", b"new\n").unwrap();
        head
    });
    with(world, |ports| {
        let slot = ports.slots.as_it_is(3, &head).unwrap();
        assert_eq!(slot.read("new.md").unwrap().as_deref(), Some(&b"new\n"[..]));
        let missing = ports.slots.as_it_is(4, &head).unwrap();
        assert_eq!(missing.tree(&[]).unwrap(), missing.tree_of(&head).unwrap());
    });
}

fn slots_are_removed_and_what_stood_in_them_is_kept(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        ports.slots.remove_all().unwrap();
        let head = ports.workspace.head().unwrap().0.0;
        let slot = ports.slots.at(1, &head).unwrap();
        ports.slots.at(2, &head).unwrap();
        slot.write("new.md", b"new\n").unwrap();
        let (left, folder) = (slot.tree(&[]).unwrap(), slot.folder());
        drop(slot);
        ports.slots.remove_all().unwrap();
        assert_eq!((outside.slots(), outside.has_folder(&folder)), (Vec::new(), false));
        outside.collect();
        let kept = format!("refs/redraft/anchors/001/slot-1/left-{}", left.short());
        assert_eq!(outside.files_of(&kept).unwrap()["new.md"], "new\n");
        let again = ports.slots.at(1, &head).unwrap();
        assert_eq!(again.uncommitted().unwrap(), paths(&[]));
    });
}
