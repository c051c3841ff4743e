//! The guarantees of a worktree: files, revisions, anchors and deltas. Commits are in `committing`, restores in
//! `restoring`.

use super::kept_by_both;
use crate::world::{World, nowhere, paths, with};
use redraft_engine::ports::{Workspace, WorkspaceError};
use redraft_facts::ids::Revision;

kept_by_both! {
    a_file_is_written_read_and_removed,
    no_path_leads_out_of_the_worktree_or_into_git,
    a_link_is_read_where_it_stays_inside_and_never_written_through,
    a_folder_is_no_file,
    a_revision_is_the_content_of_the_named_files,
    a_tree_is_all_that_git_sees_but_what_is_ours,
    what_git_does_not_see_is_named_a_line_each,
    what_differs_between_two_trees_is_named_in_order,
    repositories_inside_are_named_among_all_that_changed_and_nowhere_else,
    a_tree_takes_the_named_files_of_another_and_keeps_the_rest,
    the_same_change_and_no_other_gives_the_same_bytes,
    what_is_not_there_is_missing_until_a_repair_says_to_go_on_without_it,
    a_delta_is_what_git_would_say,
    what_nothing_leads_to_is_lost_and_what_is_kept_is_not,
    a_tree_that_is_lost_is_said_to_be_lost_wherever_it_is_asked_for,
    files_are_put_back_to_a_revision,
    a_commit_is_checked_out_with_exactly_its_files,
    a_copy_apart_holds_the_named_files_alone,
}

fn text(bytes: Option<Vec<u8>>) -> Option<String> {
    bytes.map(|bytes| String::from_utf8(bytes).unwrap())
}

fn tree(workspace: &dyn Workspace) -> Revision {
    workspace.tree(&[]).unwrap()
}

/// What a refusal is about; the rest of the message is each implementation's own.
fn file_error<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> String {
    match result.unwrap_err() {
        WorkspaceError::File { path, .. } => path,
        other => panic!("{other:?}"),
    }
}

fn lost<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> Revision {
    match result.unwrap_err() {
        WorkspaceError::AnchorLost(revision) => revision,
        other => panic!("{other:?}"),
    }
}

fn a_file_is_written_read_and_removed(world: &dyn World) {
    with(world, |ports| {
        let place = ports.workspace;
        assert_eq!(place.read("docs/a.md").unwrap(), None);
        place.write("docs/a.md", b"one\n").unwrap();
        place.write("docs/a.md", b"two\n").unwrap();
        assert_eq!(world.outside().look("docs/a.md").as_deref(), Some("two\n"));
        assert_eq!(text(place.read("docs/a.md").unwrap()).as_deref(), Some("two\n"));
        assert_eq!(place.read("docs/a.md/b.md").unwrap(), None, "a file has nothing below it");
        place.remove("docs/a.md").unwrap();
        place.remove("docs/a.md").unwrap();
        assert_eq!(world.outside().look("docs/a.md"), None);
    });
}

fn no_path_leads_out_of_the_worktree_or_into_git(world: &dyn World) {
    with(world, |ports| {
        for path in ["../x", "/etc/passwd", ".git/config", "a/.GIT/x", "a//b", "./a", "", "a/.."] {
            assert_eq!(file_error(ports.workspace.read(path)), path);
            assert_eq!(file_error(ports.workspace.write(path, b"x")), path);
            assert_eq!(file_error(ports.workspace.remove(path)), path);
            assert_eq!(file_error(ports.workspace.revision(&paths(&[path]))), path);
            assert_eq!(file_error(ports.workspace.read_at(&tree(ports.workspace), path)), path);
        }
    });
}

fn a_link_is_read_where_it_stays_inside_and_never_written_through(world: &dyn World) {
    let outside = world.outside();
    outside.link("inside.md", "README.md");
    outside.link("out.md", "../../../../outside.md");
    outside.link("away", "/tmp");
    with(world, |ports| {
        let place = ports.workspace;
        assert_eq!(text(place.read("inside.md").unwrap()).as_deref(), Some("# a project\n"));
        assert_eq!(file_error(place.read("away")), "away");
        assert_eq!(file_error(place.write("inside.md", b"x")), "inside.md");
        assert_eq!(file_error(place.write("away/x", b"x")), "away/x");
        assert_eq!(file_error(place.remove("away/x")), "away/x");
        assert_eq!(file_error(place.revision(&paths(&["away/x"]))), "away/x");
        // A link is stored as what it is, and read back as the path it names.
        let revision = place.revision(&paths(&["out.md"])).unwrap().unwrap();
        assert_eq!(
            text(place.read_at(&revision, "out.md").unwrap()).as_deref(),
            Some("../../../../outside.md")
        );
        assert_eq!(outside.look("README.md").as_deref(), Some("# a project\n"));
    });
}

fn a_folder_is_no_file(world: &dyn World) {
    with(world, |ports| {
        let place = ports.workspace;
        assert_eq!(file_error(place.read("src")), "src");
        assert_eq!(file_error(place.write("src", b"x")), "src");
        assert_eq!(file_error(place.write("README.md/x", b"x")), "README.md/x");
        assert_eq!(file_error(place.remove("src")), "src");
        assert_eq!(file_error(place.revision(&paths(&["src"]))), "src");
        assert_eq!(place.read_at(&tree(place), "src").unwrap(), None);
    });
}

fn a_revision_is_the_content_of_the_named_files(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let both = paths(&["docs/a.md", "docs/b.md"]);
        assert_eq!(place.revision(&both).unwrap(), None);
        outside.put("docs/a.md", "one\n");
        let first = place.revision(&both).unwrap().unwrap();
        outside.put("other.md", "not named\n");
        assert_eq!(place.revision(&both).unwrap(), Some(first.clone()));
        outside.put("docs/b.md", "two\n");
        let second = place.revision(&both).unwrap().unwrap();
        assert_ne!(first, second);
        outside.make_executable("docs/b.md");
        assert_ne!(place.revision(&both).unwrap(), Some(second.clone()), "who may run it counts");
        outside.take("docs/b.md");
        assert_eq!(place.revision(&both).unwrap(), Some(first.clone()));
        assert_eq!(text(place.read_at(&second, "docs/b.md").unwrap()).as_deref(), Some("two\n"));
        assert_eq!(place.read_at(&first, "docs/b.md").unwrap(), None);
        let nothing = place.nothing().unwrap();
        assert_eq!(place.changed(&nothing, &first).unwrap(), paths(&["docs/a.md"]));
    });
}

fn a_tree_is_all_that_git_sees_but_what_is_ours(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let before = tree(place);
        assert_eq!(place.tree_of(&world.base()).unwrap(), before);
        outside.put("build/out.bin", "ignored\n");
        outside.put("run.log", "ignored\n");
        assert_eq!(tree(place), before);
        outside.put("ours.md", "ours\n");
        assert_eq!(place.tree(&paths(&["ours.md"])).unwrap(), before);
        outside.put("new.md", "new\n");
        outside.take("README.md");
        let after = place.tree(&paths(&["ours.md"])).unwrap();
        assert_eq!(place.changed(&before, &after).unwrap(), paths(&["README.md", "new.md"]));
        assert_eq!(place.uncommitted().unwrap(), paths(&["README.md", "new.md", "ours.md"]));
        outside.nest("inner");
        assert_eq!(place.tree(&paths(&["ours.md"])).unwrap(), after, "a repository inside is nobody's file");
    });
}

fn what_git_does_not_see_is_named_a_line_each(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        assert!(place.unseen().unwrap().is_empty());
        outside.put("build/deep/out.bin", "x");
        outside.put("build/out.bin", "x");
        outside.put("src/a.log", "x");
        outside.put("logs/b.log", "x");
        outside.put("seen.md", "x");
        let lines: Vec<String> = place.unseen().unwrap().into_iter().collect();
        assert_eq!(lines, ["ignored build/", "ignored logs/", "ignored src/a.log"]);
        outside.nest("inner");
        assert_eq!(place.unseen().unwrap().len(), 3, "repositories are those of the last mark");
        place.mark(&[]).unwrap();
        assert!(place.unseen().unwrap().contains("the repository inner/"));
    });
}

fn what_differs_between_two_trees_is_named_in_order(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let before = tree(place);
        for path in ["a/b.md", "a.md", "a-b.md", "Z.md", "ä.md"] {
            outside.put(path, "x\n");
        }
        let changed = place.changed(&before, &tree(place)).unwrap();
        assert_eq!(changed, paths(&["Z.md", "a-b.md", "a.md", "a/b.md", "ä.md"]));
        assert_eq!(place.changed(&before, &before).unwrap(), paths(&[]));
    });
}

fn repositories_inside_are_named_among_all_that_changed_and_nowhere_else(world: &dyn World) {
    const ONE: &str = "1111111111111111111111111111111111111111";
    const OTHER: &str = "2222222222222222222222222222222222222222";
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let here = || place.tree_of(&place.head().unwrap().0.0).unwrap();
        let before = here();
        outside.commit_repository("inner", ONE);
        let added = here();
        outside.commit_repository("inner", OTHER);
        let moved = here();
        for (from, to) in [(&before, &added), (&added, &moved), (&moved, &before)] {
            assert_eq!(place.changed(from, to).unwrap(), paths(&[]));
            assert_eq!(place.all_changed(from, to).unwrap(), paths(&["inner"]));
            assert!(!place.differing(from, to).unwrap().is_empty());
        }
        assert_eq!(tree(place), moved, "it is as git knows it");
        assert_eq!(place.over(&before, &moved, &paths(&["inner"])).unwrap(), moved);
    });
}

fn a_tree_takes_the_named_files_of_another_and_keeps_the_rest(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        outside.put("docs/old.md", "old\n");
        let under = tree(place);
        outside.put("README.md", "changed\n");
        outside.put("docs/new.md", "new\n");
        outside.make_executable("docs/new.md");
        outside.put("src/x.rs", "not named\n");
        outside.take("docs/old.md");
        let from = tree(place);
        let named = paths(&["README.md", "docs/new.md", "docs/old.md", "absent.md"]);
        let found = place.over(&under, &from, &named).unwrap();
        assert_eq!(place.changed(&found, &from).unwrap(), paths(&["src/x.rs"]));
        assert_eq!(text(place.read_at(&found, "src/x.rs").unwrap()).as_deref(), Some("fn x() {}\n"));
        for nothing in [paths(&[]), paths(&["src"])] {
            assert_eq!(place.over(&under, &from, &nothing).unwrap(), under, "{nothing:?} names no file");
        }
        // A file where the other revision has a folder, or below where it has a file, gives way.
        outside.put("docs", "a file\n");
        outside.put("README.md/deep.md", "deep\n");
        let other = tree(place);
        let found = place.over(&from, &other, &paths(&["docs", "README.md/deep.md"])).unwrap();
        assert_eq!(found, other);
        let found = place.over(&other, &from, &paths(&["README.md", "docs/new.md"])).unwrap();
        assert_eq!(found, from);
        assert_eq!(outside.look("docs").as_deref(), Some("a file\n"), "no file is touched");
    });
}

fn the_same_change_and_no_other_gives_the_same_bytes(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let bytes = |from: &Revision, to: &Revision| place.differing(from, to).unwrap();
        let first = tree(place);
        outside.put("picture", "\0one");
        let with_one = tree(place);
        outside.put("picture", "\0two");
        let with_two = tree(place);
        assert_eq!(place.delta(&first, &with_one).unwrap(), place.delta(&first, &with_two).unwrap());
        assert_ne!(bytes(&first, &with_one), bytes(&first, &with_two), "a delta cannot tell them");
        assert!(bytes(&first, &first).is_empty());
        outside.make_executable("picture");
        assert_ne!(bytes(&first, &with_two), bytes(&first, &tree(place)), "who may run it counts");
        outside.put("other.md", "elsewhere\n");
        let later = tree(place);
        outside.take("picture");
        let before = tree(place);
        assert_ne!(bytes(&before, &later), bytes(&first, &with_two));
        assert_ne!(bytes(&before, &later), bytes(&later, &before));
        outside.put("picture", "\0two");
        assert_eq!(bytes(&before, &tree(place)), bytes(&first, &with_two), "whatever else is there");
    });
}

fn what_is_not_there_is_missing_until_a_repair_says_to_go_on_without_it(world: &dyn World) {
    let outside = world.outside();
    let (commit, revision) = with(world, |ports| {
        let place = ports.workspace;
        let (commit, revision) = (place.head().unwrap().0.0, tree(place));
        for id in [commit.as_str(), revision.as_str()] {
            assert!(!place.is_missing(id).unwrap(), "{id}");
        }
        outside.put("a.md", "kept nowhere\n");
        (commit, tree(place))
    });
    outside.take("a.md");
    outside.collect();
    with(world, |ports| {
        assert!(!ports.workspace.is_missing(&commit).unwrap());
        for id in [revision.as_str(), nowhere().as_str()] {
            assert!(ports.workspace.is_missing(id).unwrap(), "{id}");
            outside.go_on_without(id);
            assert!(!ports.workspace.is_missing(id).unwrap(), "{id}");
        }
    });
}

fn a_delta_is_what_git_would_say(world: &dyn World) {
    const OLD: &str = "# Title\n\nfirst line\n\n## Part\n\none\ntwo\nthree\nfour\nfive\nsix\n";
    const NEW: &str = "# Title\n\nfirst line\n\n## Part\n\none\ntwo\n3\nfour\nfive\nsix\nseven";
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        outside.put("a.md", OLD);
        outside.put("gone.md", "x\n");
        let before = tree(place);
        outside.put("a.md", NEW);
        outside.put("new.md", "y\n");
        outside.put("empty.md", "");
        outside.take("gone.md");
        outside.make_executable("README.md");
        let delta = place.delta(&before, &tree(place)).unwrap();
        assert_eq!(
            delta,
            "diff --git a/README.md b/README.md\nold mode 100644\nnew mode 100755\n\
             diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -6,7 +6,8 @@ first line\n \n one\n two\n-three\n+3\n four\n five\n six\n\
             +seven\n\\ No newline at end of file\n\
             diff --git a/empty.md b/empty.md\nnew file mode 100644\n\
             diff --git a/gone.md b/gone.md\ndeleted file mode 100644\n--- a/gone.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
             diff --git a/new.md b/new.md\nnew file mode 100644\n--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+y\n"
        );
    });
}

fn what_nothing_leads_to_is_lost_and_what_is_kept_is_not(world: &dyn World) {
    let outside = world.outside();
    let (kept, dropped) = with(world, |ports| {
        outside.put("a.md", "kept\n");
        let kept = ports.workspace.revision(&paths(&["a.md"])).unwrap().unwrap();
        ports.workspace.keep("001/specify.1/1", &kept).unwrap();
        outside.put("a.md", "dropped\n");
        let dropped = ports.workspace.revision(&paths(&["a.md"])).unwrap().unwrap();
        outside.take("a.md");
        (kept, dropped)
    });
    outside.collect();
    with(world, |ports| {
        assert_eq!(text(ports.workspace.read_at(&kept, "a.md").unwrap()).as_deref(), Some("kept\n"));
        assert_eq!(lost(ports.workspace.read_at(&dropped, "a.md")), dropped);
    });
    assert_eq!(outside.files_of("refs/redraft/anchors/001/specify.1/1").unwrap()["a.md"], "kept\n");
}

fn a_tree_that_is_lost_is_said_to_be_lost_wherever_it_is_asked_for(world: &dyn World) {
    with(world, |ports| {
        let (place, gone) = (ports.workspace, nowhere());
        let here = tree(place);
        assert_eq!(lost(place.delta(&gone, &here)), gone);
        assert_eq!(lost(place.delta(&here, &gone)), gone);
        assert_eq!(lost(place.changed(&gone, &here)), gone);
        assert_eq!(lost(place.all_changed(&here, &gone)), gone);
        assert_eq!(lost(place.differing(&gone, &here)), gone);
        assert_eq!(lost(place.over(&gone, &here, &[])), gone);
        assert_eq!(lost(place.over(&here, &gone, &[])), gone);
        assert_eq!(lost(place.keep("x", &gone)), gone);
        assert_eq!(lost(place.put_back(&gone, &paths(&["README.md"]))), gone);
        assert_eq!(lost(place.read_at(&gone, "README.md")), gone);
        assert_eq!(lost(place.tree_of(gone.as_str())), gone);
        assert_eq!(lost(place.delta(&Revision::new("--output=x"), &here)), Revision::new("--output=x"));
    });
}

fn files_are_put_back_to_a_revision(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let before = tree(ports.workspace);
        outside.put("README.md", "changed\n");
        outside.put("src/x.rs", "changed\n");
        outside.put("new.md", "new\n");
        ports.workspace.put_back(&before, &paths(&["README.md", "new.md", "absent.md"])).unwrap();
        assert_eq!(outside.look("README.md").as_deref(), Some("# a project\n"));
        assert_eq!(outside.look("src/x.rs").as_deref(), Some("changed\n"), "nobody named it");
        assert_eq!(outside.look("new.md"), None);
    });
}

fn a_commit_is_checked_out_with_exactly_its_files(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        outside.put("later.md", "later\n");
        outside.commit("later");
        outside.put("stray.md", "stray\n");
        outside.put("run.log", "ignored\n");
        place.check_out(&world.base()).unwrap();
        assert_eq!((outside.look("later.md"), outside.look("stray.md")), (None, None));
        assert_eq!(outside.look("run.log").as_deref(), Some("ignored\n"));
        assert_eq!(place.head().unwrap().0.0, world.base());
        assert_eq!(place.mark(&[]).unwrap().branch, "", "on no branch");
    });
}

fn a_copy_apart_holds_the_named_files_alone(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let folder = ports.workspace.isolated_copy(&paths(&["src/x.rs", "absent.md"])).unwrap();
        assert_ne!(folder, ports.workspace.folder());
        assert_eq!(outside.look_in(&folder, "src/x.rs").as_deref(), Some("fn x() {}\n"));
        assert_eq!(outside.look_in(&folder, "README.md"), None);
        outside.put_in(&folder, "src/x.rs", "changed\n");
        assert_eq!(outside.look("src/x.rs").as_deref(), Some("fn x() {}\n"));
    });
}
