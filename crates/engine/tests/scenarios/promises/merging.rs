//! The guarantees of merging a feature's branch.

use super::kept_by_both;
use crate::world::{BRANCH, World, paths, with};
use redraft_engine::ports::{Commit, Merge, MergeError, MergeOutcome, MergePreview, Merging, Trailers};
use redraft_facts::event::MergeHistory;

kept_by_both! {
    a_forecast_touches_nothing_and_looks_past_what_it_is_told_to,
    both_sides_are_in_what_is_merged,
    files_that_exclude_each_other_are_named,
    the_same_merge_is_the_same_sketch_and_no_branch_leads_to_it,
    a_merge_moves_the_branch_and_the_checkout_it_is_in_and_is_found_again,
    squashed_it_is_one_commit,
    what_only_says_that_it_is_the_merge_is_none,
    nothing_is_merged_into_a_checkout_with_changes,
    a_file_in_the_way_is_not_replaced,
    a_branch_that_is_checked_out_nowhere_is_moved_alone,
    what_was_forecast_before_the_branch_moved_is_not_merged,
    a_branch_that_is_gone_is_named,
    what_both_began_with_is_found_until_nothing_is_the_features_alone,
    what_both_have_moves_on_where_the_base_is_merged_into_the_branch,
}

fn trailers(seq: u64) -> Trailers {
    Trailers { ticket: "001/merge".to_owned(), seq, ..Trailers::default() }
}

/// The feature has one commit with `feature.txt`.
fn begin(world: &dyn World) {
    world.outside().put("feature.txt", "new\n");
    world.outside().commit("feature");
}

fn merge(merging: &dyn Merging, preview: &MergePreview, history: MergeHistory) -> Result<Commit, MergeError> {
    let trailers = trailers(9);
    merging.merge(preview, &Merge { into: "main", history, message: "Merge it", trailers: &trailers })
}

fn preview(world: &dyn World) -> MergePreview {
    with(world, |ports| ports.merging.preview("main", &[]).unwrap())
}

fn a_forecast_touches_nothing_and_looks_past_what_it_is_told_to(world: &dyn World) {
    begin(world);
    world.outside().put_base("dirty.txt", "x\n");
    with(world, |ports| {
        let found = ports.merging.preview("main", &paths(&["feature.txt"])).unwrap();
        let MergeOutcome::Clean { tree, checked } = found.outcome else { panic!("{found:?}") };
        let held = ports.workspace.tree_of(&found.head).unwrap();
        assert_eq!((held, found.into.clone()), (tree.clone(), world.base()));
        assert_eq!(ports.workspace.changed(&checked, &tree).unwrap(), paths(&["feature.txt"]));
    });
    assert_eq!(world.outside().look_base("feature.txt"), None);
    assert_eq!(world.outside().log("main"), ["first"]);
}

fn both_sides_are_in_what_is_merged(world: &dyn World) {
    begin(world);
    world.outside().commit_base("other.txt", "other\n");
    world.outside().take("README.md");
    world.outside().commit("without a readme");
    let MergeOutcome::Clean { tree, .. } = preview(world).outcome else { panic!("it is clean") };
    with(world, |ports| {
        let nothing = ports.workspace.nothing().unwrap();
        let files = ports.workspace.changed(&nothing, &tree).unwrap();
        assert_eq!(files, paths(&[".gitignore", "feature.txt", "other.txt", "src/x.rs"]));
    });
}

fn files_that_exclude_each_other_are_named(world: &dyn World) {
    for name in ["b.txt", "a.txt"] {
        world.outside().put(name, "ours\n");
        world.outside().commit_base(name, "theirs\n");
    }
    world.outside().commit("feature");
    let found = preview(world);
    assert_eq!(found.outcome, MergeOutcome::Conflicts(paths(&["a.txt", "b.txt"])));
    with(world, |ports| {
        assert_eq!(ports.merging.sketch(&found).unwrap().0, found.head);
        assert!(matches!(merge(ports.merging, &found, MergeHistory::Keep), Err(MergeError::Moved(_))));
    });
}

fn the_same_merge_is_the_same_sketch_and_no_branch_leads_to_it(world: &dyn World) {
    begin(world);
    let found = preview(world);
    let sketch = |world: &dyn World| with(world, |ports| ports.merging.sketch(&found).unwrap());
    let one = sketch(world);
    assert_eq!(sketch(world), one);
    let MergeOutcome::Clean { tree, .. } = &found.outcome else { panic!("it is clean") };
    with(world, |ports| assert_eq!(ports.workspace.tree_of(&one.0).unwrap(), *tree));
    assert_eq!(world.outside().refs().len(), 2);
    assert_eq!(world.outside().log("main"), ["first"]);
}

fn a_merge_moves_the_branch_and_the_checkout_it_is_in_and_is_found_again(world: &dyn World) {
    begin(world);
    world.outside().commit_base("other.txt", "other\n");
    let found = preview(world);
    let commit = with(world, |ports| {
        assert_eq!(ports.merging.merged("main", &trailers(9)).unwrap(), None);
        merge(ports.merging, &found, MergeHistory::Keep).unwrap()
    });
    let out = world.outside();
    assert_eq!(out.look_base("feature.txt").as_deref(), Some("new\n"));
    assert_eq!(out.look_base("other.txt").as_deref(), Some("other\n"));
    assert_eq!(out.log("main")[0], "Merge it");
    assert!(out.log("main").contains(&"feature".to_owned()), "both histories");
    with(world, |ports| {
        assert_eq!(ports.merging.merged("main", &trailers(9)).unwrap(), Some(commit));
        assert_eq!(ports.merging.merged("main", &trailers(10)).unwrap(), None);
    });
}

fn squashed_it_is_one_commit(world: &dyn World) {
    begin(world);
    let found = preview(world);
    with(world, |ports| merge(ports.merging, &found, MergeHistory::Squash).unwrap());
    assert_eq!(world.outside().log("main"), ["Merge it", "first"]);
    assert_eq!(world.outside().look_base("feature.txt").as_deref(), Some("new\n"));
}

fn what_only_says_that_it_is_the_merge_is_none(world: &dyn World) {
    begin(world);
    let forged = "Merge it\n\nRedraft-Ticket: 001/merge\nRedraft-Seq: 9";
    world.outside().commit_base_as("other.txt", "other\n", forged);
    with(world, |ports| assert_eq!(ports.merging.merged("main", &trailers(9)).unwrap(), None));
    let found = preview(world);
    with(world, |ports| {
        let commit = merge(ports.merging, &found, MergeHistory::Squash).unwrap();
        assert_eq!(ports.merging.merged("main", &trailers(9)).unwrap(), Some(commit));
    });
    // Nor is it found again from a branch that has moved on: something else would be merged now.
    world.outside().put("feature.txt", "newer\n");
    world.outside().commit("more");
    with(world, |ports| assert_eq!(ports.merging.merged("main", &trailers(9)).unwrap(), None));
}

fn nothing_is_merged_into_a_checkout_with_changes(world: &dyn World) {
    begin(world);
    world.outside().put_base("README.md", "a person's\n");
    let found = preview(world);
    with(world, |ports| match merge(ports.merging, &found, MergeHistory::Keep).unwrap_err() {
        MergeError::Dirty { into, what, .. } => {
            assert_eq!((into.as_str(), what.as_str()), ("main", "README.md is"))
        }
        other => panic!("{other:?}"),
    });
    assert_eq!(world.outside().look_base("README.md").as_deref(), Some("a person's\n"));
    assert_eq!(world.outside().log("main"), ["first"]);
}

fn a_file_in_the_way_is_not_replaced(world: &dyn World) {
    begin(world);
    world.outside().put_base("feature.txt", "a person's\n");
    let found = preview(world);
    with(world, |ports| match merge(ports.merging, &found, MergeHistory::Keep).unwrap_err() {
        MergeError::Refused { detail, .. } => assert!(detail.contains("feature.txt"), "{detail}"),
        other => panic!("{other:?}"),
    });
    assert_eq!(world.outside().look_base("feature.txt").as_deref(), Some("a person's\n"));
    assert_eq!(world.outside().log("main"), ["first"]);
}

fn a_branch_that_is_checked_out_nowhere_is_moved_alone(world: &dyn World) {
    begin(world);
    world.outside().switch_base_to_new("elsewhere");
    world.outside().put_base("README.md", "a person's\n");
    let found = preview(world);
    with(world, |ports| merge(ports.merging, &found, MergeHistory::Keep).unwrap());
    assert_eq!(world.outside().look_base("feature.txt"), None);
    assert_eq!(world.outside().files_of("refs/heads/main").unwrap()["feature.txt"], "new\n");
}

fn what_was_forecast_before_the_branch_moved_is_not_merged(world: &dyn World) {
    begin(world);
    let found = preview(world);
    world.outside().commit_base("other.txt", "other\n");
    with(world, |ports| {
        let error = merge(ports.merging, &found, MergeHistory::Keep).unwrap_err();
        assert!(matches!(error, MergeError::Moved(_)), "{error}");
    });
    assert_eq!(world.outside().log("main"), ["elsewhere", "first"]);
}

fn a_branch_that_is_gone_is_named(world: &dyn World) {
    begin(world);
    with(world, |ports| {
        let error = ports.merging.preview("gone", &[]).unwrap_err();
        assert!(matches!(&error, MergeError::NoBranch(name) if name == "gone"), "{error}");
    });
}

fn what_both_began_with_is_found_until_nothing_is_the_features_alone(world: &dyn World) {
    with(world, |ports| {
        assert_eq!(ports.merging.common("main").unwrap(), None, "nothing is the feature's alone")
    });
    begin(world);
    world.outside().commit_base("other.txt", "other\n");
    let first = with(world, |ports| {
        let first = ports.workspace.tree_of(&world.base()).unwrap();
        assert_eq!(ports.merging.common("main").unwrap(), Some(first.clone()));
        first
    });
    let found = preview(world);
    with(world, |ports| {
        merge(ports.merging, &found, MergeHistory::Keep).unwrap();
        assert_eq!(ports.merging.common("main").unwrap(), None, "{first} is behind both");
    });
    assert_eq!(world.outside().log(BRANCH)[0], "feature");
}

fn what_both_have_moves_on_where_the_base_is_merged_into_the_branch(world: &dyn World) {
    begin(world);
    world.outside().commit_base("other.txt", "other\n");
    world.outside().merge_main(true);
    with(world, |ports| {
        let found = ports.merging.preview("main", &[]).unwrap();
        let main = ports.workspace.tree_of(&found.into).unwrap();
        assert_eq!(ports.merging.common("main").unwrap(), Some(main));
        let head = ports.workspace.tree_of(&found.head).unwrap();
        assert!(matches!(found.outcome, MergeOutcome::Clean { tree, .. } if tree == head));
    });
    assert_eq!(world.outside().look("other.txt").as_deref(), Some("other\n"));
    world.outside().commit_base("left-out.txt", "left out\n");
    world.outside().merge_main(false);
    with(world, |ports| {
        let found = ports.merging.preview("main", &[]).unwrap();
        let MergeOutcome::Clean { tree, .. } = found.outcome else { panic!("it is clean") };
        let main = ports.workspace.tree_of(&found.into).unwrap();
        assert_eq!(ports.merging.common("main").unwrap(), Some(main.clone()));
        let changed = ports.workspace.changed(&main, &tree).unwrap();
        assert_eq!(changed, paths(&["feature.txt", "left-out.txt"]), "a merge takes it out of the base");
    });
}
