//! What agents must not do: it is undone, kept and reported.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 13] = [
    (
        "what a reviewer writes is undone, kept and told, and its verdict counts",
        "
        spec-author writes spec.md
        spec-reviewer approves
        and writes `changed` to README.md
        and writes `a note` to notes/new.md
        phase-reviewer approves
        the run is done
        then README.md does not say `changed`
        then notes/new.md is gone
        then answered tells `restored README.md`
        then answered tells `removed notes/new.md`
        then `a note` is kept under 001/specify.1/review/spec-reviewer/1.1
        ",
    ),
    (
        "an author that writes elsewhere keeps its document and nothing else",
        "
        spec-author writes spec.md
        and writes `mine` to src/mine.rs
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then src/mine.rs is gone
        then spec.md says `within 10 seconds`
        ",
    ),
    (
        "commits of an agent are undone and kept, and what it may write stays",
        "
        spec-author writes spec.md
        and commits `all mine`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `undid 1 commit of the agent`
        then `within 10 seconds` is kept under 001/specify.1/draft/spec-author/1.1
        then the commits are `redraft: specify approved | redraft: specify draft`
        ",
    ),
    (
        "an agent that switches to a branch of its own is brought back, and its branch is deleted",
        "
        spec-author switches to branch `mine`
        and writes spec.md
        and commits `all mine`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `moved HEAD back to feature/001-feature`
        ",
    ),
    (
        "branches and tags that appear meanwhile are named and left",
        "
        spec-author writes spec.md
        and makes branch `somebodys`
        and makes tag `v1`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `branch somebodys was made meanwhile`
        then answered tells `tag v1 was made meanwhile`
        ",
    ),
    (
        "an agent that leaves the branch, stages files and begins a cherry-pick is put back in order",
        "
        spec-author writes spec.md
        and stages spec.md
        and leaves the branch
        and begins a cherry-pick
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `ended an unfinished cherry-pick`
        then answered tells `put the index back`
        ",
    ),
    (
        "a hook of an agent's is removed, and its document stays",
        "
        spec-author writes spec.md
        and makes a hook `pre-push`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `removed .git/hooks/pre-push, which was made meanwhile`
        ",
    ),
    (
        "an agent that hides files from git has done nothing, and is asked again",
        "
        spec-author writes spec.md
        and hides `secret.md` from git
        and writes `hidden` to secret.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `undid all of the attempt`
        then secret.md is gone
        ",
    ),
    (
        "a link that leads out is no document",
        "
        spec-author links `/etc/hostname` from spec.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `which was a link that leads out of the worktree`
        then spec-author was asked twice
        ",
    ),
    (
        "a link in a circle is no document",
        "
        spec-author links `spec.md` from spec.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `which was a link that leads out of the worktree`
        then spec-author was asked twice
        ",
    ),
    (
        "a pipe is no document",
        "
        spec-author puts a pipe in the place of spec.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `took out docs/features/001-feature/spec.md, which was no ordinary file`
        then drafted tells `in its place was no ordinary file`
        then spec-author was asked twice
        ",
    ),
    (
        "a folder is no document",
        "
        spec-author writes `x` to docs/features/001-feature/spec.md/x.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `took out docs/features/001-feature/spec.md, which was a folder`
        then drafted tells `in its place was a folder`
        then spec-author was asked twice
        ",
    ),
    (
        "a worktree that an agent removed is made anew, and the attempt counts for nothing",
        "
        spec-author writes spec.md
        and removes the worktree
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `made the worktree`
        then README.md says `# a project`
        ",
    ),
];
