//! The guarantees of commits that no branch leads to, and of changes that are put on top of something else.

use super::kept_by_both;
use crate::world::{BRANCH, World, with};
use redraft_engine::ports::{PutOn, Workspace};
use redraft_facts::ids::Revision;

kept_by_both! {
    a_loose_commit_is_kept_and_no_branch_leads_to_it,
    what_both_sides_did_is_in_what_comes_of_it,
    the_same_change_on_both_sides_is_no_conflict,
    what_both_sides_changed_differently_is_named_and_has_marks_of_both,
    what_one_side_removed_and_the_other_changed_is_a_conflict,
    only_what_the_commit_did_is_done_wherever_it_is_put,
}

const LIST: &str = "a\nb\nc\nd\ne\n";

/// A commit of the feature's branch with a list, and its id.
fn with_list(world: &dyn World, place: &dyn Workspace) -> String {
    world.outside().put("list.md", LIST);
    world.outside().commit("a list");
    place.head().unwrap().0.0
}

/// A loose commit that does this to the files of its parent; the worktree is as before.
fn loose(
    world: &dyn World,
    place: &dyn Workspace,
    (parent, name): (&str, &str),
    changes: &[(&str, Option<&str>)],
) -> String {
    let outside = world.outside();
    let before = place.tree(&[]).unwrap();
    let files: Vec<String> = changes.iter().map(|(path, _)| (*path).to_owned()).collect();
    for (path, text) in changes {
        text.map_or_else(|| outside.take(path), |text| outside.put(path, text));
    }
    let now = place.tree(&[]).unwrap();
    let held = place.tree_of(parent).unwrap();
    let tree = place.over(&held, &now, &files).unwrap();
    let commit = place.loose_commit(&format!("001/{name}"), &tree, parent, name).unwrap();
    place.put_back(&before, &files).unwrap();
    assert_eq!(place.tree(&[]).unwrap(), before);
    commit.0
}

fn text_at(place: &dyn Workspace, revision: &Revision, path: &str) -> Option<String> {
    place.read_at(revision, path).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
}

fn clean(place: &dyn Workspace, done: PutOn) -> Revision {
    match done {
        PutOn::Clean(commit) => place.tree_of(&commit.0).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn a_loose_commit_is_kept_and_no_branch_leads_to_it(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let head = place.head().unwrap().0.0;
        outside.put("new.md", "new\n");
        outside.put("README.md", "staged\n");
        outside.stage("README.md");
        let (tree, refs, mark) = (place.tree(&[]).unwrap(), outside.refs(), place.mark(&[]).unwrap());
        let commit = place.loose_commit("001/one", &tree, &head, "one").unwrap();
        assert_eq!(place.loose_commit("001/one", &tree, &head, "one").unwrap(), commit);
        assert_eq!((outside.refs(), place.mark(&[]).unwrap()), (refs, mark));
        outside.collect();
        assert_eq!(place.tree_of(&commit.0).unwrap(), tree);
        assert_eq!(outside.log_of("refs/redraft/anchors/001/one"), ["one", "first"]);
        assert_eq!(outside.log(BRANCH), ["first"]);
        place.put_back(&place.tree_of(&head).unwrap(), &["new.md".to_owned()]).unwrap();
        assert_eq!(text_at(place, &place.tree_of(&commit.0).unwrap(), "new.md").as_deref(), Some("new\n"));
    });
}

fn what_both_sides_did_is_in_what_comes_of_it(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let base = with_list(world, place);
        let first = "A\nb\nc\nd\ne\n";
        let one = loose(world, place, (&base, "one"), &[("list.md", Some(first)), ("one.md", Some("one\n"))]);
        let last = "a\nb\nc\nd\nE\nf\n";
        let changes = [("list.md", Some(last)), ("deep/other.md", Some("other\n")), ("README.md", None)];
        let other = loose(world, place, (&base, "other"), &changes);
        outside.put("mine.md", "mine\n");
        outside.put("src/x.rs", "staged\n");
        outside.stage("src/x.rs");
        let (refs, mark) = (outside.refs(), place.mark(&[]).unwrap());
        let tree = clean(place, place.put_on("001/on", &one, &other).unwrap());
        assert_eq!((outside.refs(), place.mark(&[]).unwrap()), (refs, mark), "nothing is checked out");
        assert_eq!(text_at(place, &tree, "list.md").as_deref(), Some("A\nb\nc\nd\nE\nf\n"));
        assert_eq!(text_at(place, &tree, "one.md").as_deref(), Some("one\n"));
        assert_eq!(text_at(place, &tree, "deep/other.md").as_deref(), Some("other\n"));
        assert_eq!((text_at(place, &tree, "README.md"), text_at(place, &tree, "mine.md")), (None, None));
        outside.collect();
        assert_eq!(outside.log_of("refs/redraft/anchors/001/on"), ["other", "one", "a list", "first"]);
        let again = clean(place, place.put_on("001/on", &one, &other).unwrap());
        assert_eq!(again, tree);
    });
}

fn the_same_change_on_both_sides_is_no_conflict(world: &dyn World) {
    with(world, |ports| {
        let place = ports.workspace;
        let base = with_list(world, place);
        let changes = [("list.md", Some("a\nB\nc\nd\ne\n")), ("new.md", Some("new\n")), ("README.md", None)];
        let one = loose(world, place, (&base, "one"), &changes);
        let other = loose(world, place, (&base, "other"), &changes);
        let tree = clean(place, place.put_on("001/on", &one, &other).unwrap());
        assert_eq!(tree, place.tree_of(&one).unwrap());
        let nothing = loose(world, place, (&base, "nothing"), &[]);
        assert_eq!(clean(place, place.put_on("001/on", &one, &nothing).unwrap()), tree);
    });
}

fn what_both_sides_changed_differently_is_named_and_has_marks_of_both(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let base = with_list(world, place);
        let change = |side: &str| {
            let list = LIST.replace("b\n", &format!("{side}\n"));
            let changes = [("list.md", Some(list.as_str())), ("new.md", Some(side)), ("README.md", None)];
            loose(world, place, (&base, side), &changes)
        };
        let (one, other) = (change("one"), change("other"));
        let (refs, mark) = (outside.refs(), place.mark(&[]).unwrap());
        let done = place.put_on("001/on", &one, &other).unwrap();
        assert_eq!((outside.refs(), place.mark(&[]).unwrap()), (refs, mark), "nothing is checked out");
        let PutOn::Conflicts { files, marked } = done else { panic!("{done:?}") };
        assert_eq!(files, ["list.md", "new.md"]);
        outside.collect();
        let list = text_at(place, &marked, "list.md").unwrap();
        let has_marks = list.starts_with("a\n<<<<<<< ") && list.ends_with("\nc\nd\ne\n");
        assert!(has_marks && list.contains("\none\n=======\nother\n>>>>>>> "), "{list}");
        let new = text_at(place, &marked, "new.md").unwrap();
        assert!(new.contains("\none\n=======\nother\n>>>>>>> "), "{new}");
        assert_eq!(text_at(place, &marked, "README.md"), None, "what is clean is done");
    });
}

fn what_one_side_removed_and_the_other_changed_is_a_conflict(world: &dyn World) {
    with(world, |ports| {
        let place = ports.workspace;
        let base = with_list(world, place);
        let changed = LIST.replace("b\n", "B\n");
        let gone = loose(world, place, (&base, "gone"), &[("list.md", None)]);
        let other = loose(world, place, (&base, "other"), &[("list.md", Some(changed.as_str()))]);
        for (onto, commit) in [(&gone, &other), (&other, &gone)] {
            let done = place.put_on("001/on", onto, commit).unwrap();
            let PutOn::Conflicts { files, marked } = done else { panic!("{done:?}") };
            assert_eq!(files, ["list.md"]);
            assert_eq!(text_at(place, &marked, "list.md").as_deref(), Some(changed.as_str()));
        }
    });
}

fn only_what_the_commit_did_is_done_wherever_it_is_put(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let base = with_list(world, place);
        let commit = loose(world, place, (&base, "new"), &[("new.md", Some("new\n"))]);
        // The branch was taken back to before what the commit began from.
        outside.reset_to_main();
        let head = place.head().unwrap().0.0;
        let tree = clean(place, place.put_on("001/on", &head, &commit).unwrap());
        assert_eq!(text_at(place, &tree, "new.md").as_deref(), Some("new\n"));
        assert_eq!(text_at(place, &tree, "list.md"), None, "it was taken back");
    });
}
