//! The guarantees of the folder that checks run in.

use super::kept_by_both;
use crate::world::{World, paths, with};
use redraft_engine::ports::{CheckFolder, CheckedOut, SetUp};

kept_by_both! {
    it_holds_the_commit_whatever_was_done_to_it,
    ignored_files_stay_unless_it_is_to_be_empty,
    what_setup_made_is_not_counted_as_changed,
    setup_is_known_to_be_for_this_commit_or_for_another,
    no_worktree_is_touched_and_it_can_be_put_away,
    copies_beside_it_are_apart_and_leave_nothing,
}

fn checked_out(folder: &dyn CheckFolder, commit: &str, empty: bool) -> CheckedOut {
    folder.check_out(commit, empty).unwrap()
}

/// A commit of the feature with one more file.
fn later(world: &dyn World) -> String {
    world.outside().put("later.md", "later\n");
    world.outside().commit("later");
    with(world, |ports| ports.workspace.head().unwrap().0.0)
}

fn it_holds_the_commit_whatever_was_done_to_it(world: &dyn World) {
    let (out, later) = (world.outside(), later(world));
    with(world, |ports| {
        let checks = ports.check_folder;
        let first = checked_out(checks, &later, false);
        assert!(first.emptied, "nothing was there");
        let folder = first.folder;
        assert_eq!(out.look_in(&folder, "later.md").as_deref(), Some("later\n"));
        assert_eq!(checks.changed().unwrap(), paths(&[]));
        out.put_in(&folder, "README.md", "changed\n");
        out.put_in(&folder, "stray.md", "stray\n");
        out.put_in(&folder, "run.log", "ignored\n");
        assert_eq!(checks.changed().unwrap(), paths(&["README.md", "stray.md"]));
        let again = checked_out(checks, &world.base(), false);
        assert!(!again.emptied);
        for (path, text) in [("README.md", Some("# a project\n")), ("stray.md", None), ("later.md", None)] {
            assert_eq!(out.look_in(&folder, path).as_deref(), text, "{path}");
        }
        assert_eq!(checks.changed().unwrap(), paths(&[]));
    });
}

fn ignored_files_stay_unless_it_is_to_be_empty(world: &dyn World) {
    let out = world.outside();
    let folder = with(world, |ports| checked_out(ports.check_folder, &world.base(), true).folder);
    out.put_in(&folder, "build/kept.bin", "x\n");
    with(world, |ports| {
        assert!(
            !checked_out(ports.check_folder, &world.base(), false).emptied,
            "another process finds it too"
        );
        assert_eq!(out.look_in(&folder, "build/kept.bin").as_deref(), Some("x\n"));
        assert!(checked_out(ports.check_folder, &world.base(), true).emptied);
        assert_eq!(out.look_in(&folder, "build/kept.bin"), None);
    });
}

fn what_setup_made_is_not_counted_as_changed(world: &dyn World) {
    let out = world.outside();
    with(world, |ports| {
        let checks = ports.check_folder;
        let folder = checked_out(checks, &world.base(), true).folder;
        out.put_in(&folder, "made.md", "by setup\n");
        out.put_in(&folder, "README.md", "by setup\n");
        assert_eq!(checks.set_up().unwrap(), paths(&["README.md"]), "a file of the commit is put back");
        assert_eq!(checks.changed().unwrap(), paths(&[]));
        out.put_in(&folder, "stray.md", "by a check\n");
        assert_eq!(checks.changed().unwrap(), paths(&["stray.md"]));
        checked_out(checks, &world.base(), false);
        assert_eq!(out.look_in(&folder, "made.md").as_deref(), Some("by setup\n"));
        assert_eq!(out.look_in(&folder, "stray.md"), None);
    });
}

fn setup_is_known_to_be_for_this_commit_or_for_another(world: &dyn World) {
    let later = later(world);
    with(world, |ports| {
        let checks = ports.check_folder;
        assert_eq!(checked_out(checks, &later, false).set_up, SetUp::Not);
        checks.set_up().unwrap();
        assert_eq!(checked_out(checks, &later, false).set_up, SetUp::ForThis);
        assert_eq!(checked_out(checks, &world.base(), false).set_up, SetUp::ForAnother);
        assert_eq!(checked_out(checks, &later, true).set_up, SetUp::Not);
    });
}

fn no_worktree_is_touched_and_it_can_be_put_away(world: &dyn World) {
    let out = world.outside();
    with(world, |ports| {
        let checks = ports.check_folder;
        let folder = checked_out(checks, &world.base(), false).folder;
        out.put_in(&folder, "README.md", "changed\n");
        assert_eq!(out.look("README.md").as_deref(), Some("# a project\n"));
        assert_eq!(out.look_base("README.md").as_deref(), Some("# a project\n"));
        checks.put_away().unwrap();
        checks.put_away().unwrap();
        assert!(checked_out(checks, &world.base(), false).emptied);
        assert_eq!(checks.prepared().unwrap(), checks.prepared().unwrap());
    });
}

fn copies_beside_it_are_apart_and_leave_nothing(world: &dyn World) {
    let (out, later) = (world.outside(), later(world));
    with(world, |ports| {
        let own = checked_out(ports.check_folder, &world.base(), true).folder;
        let (one, two) = (ports.check_folder.copy("a-1"), ports.check_folder.copy("b-1"));
        let folders =
            [one.check_out(&later, true).unwrap().folder, two.check_out(&later, true).unwrap().folder];
        for folder in &folders {
            assert_eq!(out.look_in(folder, "later.md").as_deref(), Some("later\n"));
        }
        out.put_in(&folders[0], "later.md", "changed\n");
        assert_eq!(out.look_in(&folders[1], "later.md").as_deref(), Some("later\n"));
        assert_eq!(out.look_in(&own, "later.md"), None, "the folder of the engine's own checks is another");
        assert_eq!(out.look("later.md").as_deref(), Some("later\n"), "and so is the worktree");
        one.put_away().unwrap();
        assert_ne!(out.look_in(&folders[0], "later.md").as_deref(), Some("changed\n"));
        assert_eq!(out.look_in(&folders[1], "later.md").as_deref(), Some("later\n"));
    });
    // A process was killed, and another one tidies up after it.
    with(world, |ports| {
        let left = ports.check_folder.copy("b-1").check_out(&later, true).unwrap().folder;
        out.put_in(&left, "README.md", "left\n");
        ports.check_folder.put_copies_away("a-").unwrap();
        assert_eq!(out.look_in(&left, "README.md").as_deref(), Some("left\n"), "it belongs to somebody else");
        ports.check_folder.put_copies_away("b-").unwrap();
        assert_ne!(out.look_in(&left, "README.md").as_deref(), Some("left\n"));
    });
}
