//! The guarantees of restoring a worktree to where it was marked: nothing forbidden stays, nothing is lost.

mod branches;

use super::kept_by_both;
use crate::world::{BRANCH, World, nowhere, paths, with};
use branches::{
    a_branch_made_here_is_deleted_and_its_commits_are_kept, another_process_undoes_nothing_of_branches,
    branches_and_tags_are_named_once_and_left,
};
use redraft_engine::ports::{Workspace, WorkspaceError};
use redraft_facts::event::TreeMark;
use redraft_testkit::fakes::Outside;

kept_by_both! {
    nothing_is_undone_where_nothing_differs,
    every_way_of_leaving_something_behind_is_undone_told_and_kept,
    what_may_differ_stays,
    what_is_ours_is_looked_past,
    a_restore_that_broke_off_is_done_again_by_another_process,
    a_file_that_was_replaced_by_a_pipe_is_there_again_wherever_a_restore_breaks_off,
    nothing_is_marked_in_the_middle_of_something,
    what_git_itself_was_told_is_put_back_once_and_only_by_whoever_remembers,
    a_pattern_that_hides_files_hides_nothing,
    branches_and_tags_are_named_once_and_left,
    a_branch_made_here_is_deleted_and_its_commits_are_kept,
    another_process_undoes_nothing_of_branches,
    a_mark_that_is_lost_is_said_to_be_lost,
}

const NAME: &str = "001/specify.1/draft/spec-author/1.1";
const LOST: &str = "refs/redraft/lost/001/specify.1/draft/spec-author/1.1";

/// What is reported, without the commands that bring it back: their folders are each world's own.
fn told(lines: Vec<String>) -> Vec<String> {
    let plain = |line: String| {
        let line = line.split("; to ").next().unwrap_or_default().to_owned();
        let folder = line.strip_prefix("made the worktree ").and_then(|rest| rest.split_once(" again"));
        folder.map_or(line.clone(), |(_, rest)| format!("made the worktree again{rest}"))
    };
    lines.into_iter().map(plain).collect()
}

fn restored(place: &dyn Workspace, mark: &TreeMark, allowed: &[&str]) -> Vec<String> {
    told(place.restore(mark, &paths(allowed), NAME).unwrap())
}

fn nothing_is_undone_where_nothing_differs(world: &dyn World) {
    world.outside().put("dirty.md", "a person's\n");
    with(world, |ports| {
        let mark = ports.workspace.mark(&[]).unwrap();
        world.outside().put("run.log", "ignored\n");
        assert_eq!(restored(ports.workspace, &mark, &[]), paths(&[]));
        assert_eq!(ports.workspace.left_refs(NAME).unwrap(), paths(&[]));
    });
    assert_eq!(world.outside().files_of(LOST), None);
    assert_eq!(world.outside().look("dirty.md").as_deref(), Some("a person's\n"));
}

/// What an agent does that may do nothing, and what is reported about it.
type Way = (&'static str, fn(&dyn Outside), &'static [&'static str]);

const WAYS: [Way; 14] = [
    ("changes a file", |out| out.put("README.md", "x\n"), &["restored README.md"]),
    ("makes a file", |out| out.put("new/deep.md", "x\n"), &["removed new/deep.md"]),
    ("removes a file", |out| out.take("src/x.rs"), &["restored src/x.rs"]),
    ("lets a file be run", |out| out.make_executable("README.md"), &["restored README.md"]),
    (
        "puts a file in the place of a folder",
        |out| out.put("src", "x\n"),
        &["removed src", "restored src/x.rs"],
    ),
    (
        "puts a folder in the place of a file",
        |out| out.put("README.md/x.md", "x\n"),
        &["restored README.md", "removed README.md/x.md"],
    ),
    (
        "puts a link in the place of a file",
        |out| out.link("README.md", "/etc/passwd"),
        &["restored README.md"],
    ),
    (
        "stages a file",
        |out| {
            out.put("README.md", "x\n");
            out.stage("README.md");
        },
        &["put the index back", "restored README.md"],
    ),
    (
        "commits",
        |out| {
            out.put("README.md", "x\n");
            out.commit("mine");
        },
        &["undid 1 commit of the agent", "put the index back", "restored README.md"],
    ),
    (
        "commits twice",
        |out| {
            out.put("a.md", "x\n");
            out.commit("one");
            out.put("b.md", "x\n");
            out.commit("two");
        },
        &["undid 2 commits of the agent", "put the index back", "removed a.md", "removed b.md"],
    ),
    ("leaves the branch", |out| out.detach(), &["moved HEAD back to feature/001-feature"]),
    (
        "leaves the branch and removes it",
        |out| {
            out.detach();
            out.delete_branch(BRANCH);
        },
        &["moved feature/001-feature back to commit", "moved HEAD back to feature/001-feature"],
    ),
    ("begins a cherry-pick", |out| out.begin_cherry_pick(), &["ended an unfinished cherry-pick"]),
    (
        "removes the worktree",
        |out| out.remove_worktree(),
        &[
            "made the worktree again, which had been removed",
            "connected the worktree to its repository again",
            "restored .gitignore",
            "restored README.md",
            "restored src/x.rs",
        ],
    ),
];

fn every_way_of_leaving_something_behind_is_undone_told_and_kept(world: &dyn World) {
    let outside = world.outside();
    for (what, does, lines) in WAYS {
        let (before, found) = with(world, |ports| {
            let place = ports.workspace;
            let mark = place.mark(&[]).unwrap();
            does(outside.as_ref());
            let found = restored(place, &mark, &[]);
            assert_eq!(place.mark(&[]).unwrap(), mark, "{what}: where it stood");
            (mark, found)
        });
        let matches = found.len() == lines.len()
            && found.iter().zip(lines).all(|(line, begins)| line.starts_with(begins));
        assert!(matches, "{what}: {found:?}");
        assert!(outside.files_of(LOST).is_some(), "{what}: it is kept");
        with(world, |ports| assert_eq!(restored(ports.workspace, &before, &[]), paths(&[]), "{what}: once"));
        assert_eq!(outside.log(BRANCH), ["first"], "{what}");
    }
    let kept = outside.log_of(LOST);
    for commit in ["mine", "one", "two"] {
        assert!(kept.contains(&commit.to_owned()), "{commit} leads to nothing: {kept:?}");
    }
}

fn what_may_differ_stays(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let mark = ports.workspace.mark(&[]).unwrap();
        outside.put("docs/spec.md", "mine\n");
        outside.put("README.md", "not mine\n");
        assert_eq!(restored(ports.workspace, &mark, &["docs/spec.md"]), ["restored README.md"]);
        assert_eq!(outside.look("docs/spec.md").as_deref(), Some("mine\n"));
        let kept = outside.files_of(LOST).unwrap();
        assert_eq!((kept["docs/spec.md"].as_str(), kept["README.md"].as_str()), ("mine\n", "not mine\n"));

        let mark = ports.workspace.mark(&[]).unwrap();
        outside.put("src/x.rs", "mine\n");
        outside.put("redraft.toml", "not mine\n");
        let lines = restored(ports.workspace, &mark, &[".", "!redraft.toml"]);
        assert_eq!(
            (lines, outside.look("src/x.rs").as_deref()),
            (paths(&["removed redraft.toml"]), Some("mine\n"))
        );

        // Whatever is in the place of the allowed file must be a file.
        let mark = ports.workspace.mark(&[]).unwrap();
        outside.link("docs/spec.md", "/etc/passwd");
        let lines = restored(ports.workspace, &mark, &["docs/spec.md"]);
        assert_eq!(
            lines,
            [
                "took out docs/spec.md, which was a link that leads out of the worktree",
                "restored docs/spec.md"
            ]
        );
        outside.pipe("docs/spec.md");
        let lines = restored(ports.workspace, &mark, &["docs/spec.md"]);
        assert_eq!(lines, ["took out docs/spec.md, which was no ordinary file", "restored docs/spec.md"]);
        outside.put("docs/spec.md/x.md", "x\n");
        let lines = restored(ports.workspace, &mark, &["docs/spec.md"]);
        assert_eq!(
            lines,
            [
                "took out docs/spec.md, which was a folder",
                "restored docs/spec.md",
                "removed docs/spec.md/x.md"
            ]
        );
        assert_eq!(outside.look("docs/spec.md").as_deref(), Some("mine\n"));
    });
}

fn what_is_ours_is_looked_past(world: &dyn World) {
    let outside = world.outside();
    let ours = ["docs/.meta.json"];
    with(world, |ports| {
        outside.put("docs/.meta.json", "one\n");
        let mark = ports.workspace.mark(&paths(&ours)).unwrap();
        outside.put("docs/.meta.json", "two\n");
        assert_eq!(
            ports.workspace.mark(&paths(&ours)).unwrap(),
            mark,
            "it says nothing of where files stand"
        );
        assert_eq!(restored(ports.workspace, &mark, &ours), paths(&[]));
        assert_eq!(outside.look("docs/.meta.json").as_deref(), Some("two\n"));
    });
}

fn a_restore_that_broke_off_is_done_again_by_another_process(world: &dyn World) {
    let outside = world.outside();
    let mark = with(world, |ports| ports.workspace.mark(&[]).unwrap());
    outside.put("README.md", "x\n");
    outside.put("new.md", "x\n");
    outside.commit("mine");
    // A run got as far as putting one file back.
    outside.put("README.md", "# a project\n");
    with(world, |ports| {
        let lines = restored(ports.workspace, &mark, &[]);
        assert_eq!(lines, ["undid 1 commit of the agent", "put the index back", "removed new.md"]);
        assert_eq!(ports.workspace.mark(&[]).unwrap(), mark);
    });
    let kept = outside.log_of(LOST);
    assert!(kept.contains(&"mine".to_owned()), "{kept:?}");
}

fn a_file_that_was_replaced_by_a_pipe_is_there_again_wherever_a_restore_breaks_off(world: &dyn World) {
    let outside = world.outside();
    outside.make_executable("src/x.rs");
    let mark = with(world, |ports| ports.workspace.mark(&[]).unwrap());
    outside.put("code.md", "new\n");
    for path in ["README.md", "src/x.rs"] {
        outside.pipe(path);
    }
    with(world, |ports| {
        // It comes no further than to the index, and files are put back after that.
        let broken = TreeMark { index: nowhere().to_string(), ..mark.clone() };
        ports.workspace.restore(&broken, &paths(&["."]), NAME).unwrap_err();
    });
    with(world, |ports| {
        assert_eq!(restored(ports.workspace, &mark, &["."]), paths(&[]), "nobody has deleted anything");
        assert_eq!(ports.workspace.uncommitted().unwrap(), paths(&["code.md", "src/x.rs"]));
    });
    assert_eq!(outside.look("README.md").as_deref(), Some("# a project\n"));
    assert_eq!(outside.look("src/x.rs").as_deref(), Some("fn x() {}\n"));
}

fn nothing_is_marked_in_the_middle_of_something(world: &dyn World) {
    world.outside().begin_cherry_pick();
    with(world, |ports| {
        let error = ports.workspace.mark(&[]).unwrap_err();
        assert!(matches!(&error, WorkspaceError::Git { .. }), "{error}");
        assert!(error.to_string().contains("a cherry-pick is in progress"), "{error}");
    });
}

fn what_git_itself_was_told_is_put_back_once_and_only_by_whoever_remembers(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        assert_eq!(place.put_git_back("x").unwrap(), paths(&[]), "nothing was remembered");
        place.note_git().unwrap();
        outside.put_git("hooks/pre-push", "#!/bin/sh\n");
        let lines = told(place.put_git_back("x").unwrap());
        assert_eq!(lines, ["removed .git/hooks/pre-push, which was made meanwhile"]);
        assert_eq!(outside.look_git("hooks/pre-push"), None);
        assert_eq!(place.put_git_back("x").unwrap(), paths(&[]));

        let mark = place.mark(&[]).unwrap();
        outside.put_git("hooks/pre-push", "#!/bin/sh\n");
        outside.put("docs/spec.md", "mine\n");
        let lines = restored(place, &mark, &["docs/spec.md"]);
        assert_eq!(lines, ["removed .git/hooks/pre-push, which was made meanwhile"]);
        assert_eq!(outside.look("docs/spec.md").as_deref(), Some("mine\n"), "a hook hides no changes");
        outside.put_git("hooks/pre-push", "#!/bin/sh\n");
    });
    with(world, |ports| {
        assert_eq!(ports.workspace.put_git_back("x").unwrap(), paths(&[]), "who knows whose it is");
    });
    assert!(outside.look_git("hooks/pre-push").is_some());
}

fn a_pattern_that_hides_files_hides_nothing(world: &dyn World) {
    let outside = world.outside();
    with(world, |ports| {
        let place = ports.workspace;
        let mark = place.mark(&[]).unwrap();
        outside.put(".gitignore", "*.log\nbuild/\nhidden.md\n");
        outside.put("hidden.md", "x\n");
        let lines = restored(place, &mark, &[]);
        assert_eq!(lines, ["restored .gitignore", "removed hidden.md"]);

        outside.put_git("info/exclude", "# ours\n");
        let mark = place.mark(&[]).unwrap();
        outside.put_git("info/exclude", "hidden.md\n");
        outside.put("hidden.md", "x\n");
        outside.put("docs/spec.md", "mine\n");
        let lines = restored(place, &mark, &["docs/spec.md"]);
        assert_eq!(
            lines,
            [
                "put back .git/info/exclude, which was changed meanwhile",
                "undid all of the attempt, because git could not see its changes as they are",
                "removed docs/spec.md",
                "removed hidden.md",
            ]
        );
    });
}

fn a_mark_that_is_lost_is_said_to_be_lost(world: &dyn World) {
    let outside = world.outside();
    outside.put("dirty.md", "x\n");
    let mark = with(world, |ports| ports.workspace.mark(&[]).unwrap());
    outside.take("dirty.md");
    outside.collect();
    outside.put("other.md", "x\n");
    with(world, |ports| {
        let error = ports.workspace.restore(&mark, &[], NAME).unwrap_err();
        assert!(matches!(error, WorkspaceError::AnchorLost(_)), "{error}");
    });
}
