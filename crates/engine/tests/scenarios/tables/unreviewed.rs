//! What is merged is what reviewers were shown and checks were run on, whatever happens to branch, base and worktree.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 14] = [
    (
        "what the branch holds before code is written is shown to reviewers, but for the feature's documents",
        "
        the lane is express
        the feature goes until implement
        the run rests after specify
        spec-author writes spec.md
        the run is done
        a person writes `help\\n` to src/helper.sh
        a person commits all as `a helper`
        a person writes `install\\n` to docs/features/001-feature/install.sh
        the feature goes on
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then implementation-reviewer was told `- src/helper.sh: +1 -0, new`
        then implementation-reviewer was told `- docs/features/001-feature/install.sh: +1 -0, new`
        then implementation-reviewer was not told `- docs/features/001-feature/spec.md: +`
        ",
    ),
    (
        "where no code was reviewed, none is merged",
        "
        the lane is express
        the feature goes until finish
        the run rests after specify
        spec-author writes spec.md
        the run is done
        a person leaves out implement
        a person writes `unread\\n` to src/unread.sh
        a person commits all as `code`
        the feature goes on
        the run fails with `its branch changes src/unread.sh, and no reviewer has read its code`
        a person removes src/unread.sh
        a person commits all as `no code`
        the run is done
        the feature is merged
        ",
    ),
    (
        "a file that was changed after the code was approved is not merged, committed or not",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person writes `unread\\n` to src/unread.sh
        the merge fails with `src/unread.sh was edited after implement closed`
        a person commits all as `code`
        the merge fails with `src/unread.sh was edited after implement closed`
        a person removes src/unread.sh
        a person commits all as `no code`
        the feature is merged
        then the ledger has 1 merged
        ",
    ),
    (
        "a script beside the documents is code",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person writes `install\\n` to docs/features/001-feature/install.sh
        the merge fails with `install.sh was edited after implement closed`
        then the ledger has no merged
        ",
    ),
    (
        "a repository inside that stands elsewhere is code",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person commits a repository in `lib`
        the merge fails with `lib was edited after implement closed`
        then the ledger has no merged
        ",
    ),
    (
        "a worktree that has left its branch says nothing of what would be merged",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person leaves the branch
        a person commits all as `elsewhere`
        the merge fails with `HEAD is not on branch feature/001-feature`
        then the ledger has no merged
        ",
    ),
    (
        "code whose base was merged into the branch meanwhile is reviewed against that base before it is merged",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person commits `mended\\n` as src/mended.sh on main
        a person merges main without its files
        the merge fails with `nobody has reviewed what that means for src/mended.sh`
        a person goes back to implement
        implementation-reviewer approves
        the run is done
        then implementation-reviewer was told `- src/mended.sh: +0 -1`
        the feature is merged
        ",
    ),
    (
        "what the base brings into a branch whose code was approved is reviewed as well",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person commits `mended\\n` as src/mended.sh on main
        a person merges main
        the merge fails with `src/mended.sh was edited after implement closed`
        then the ledger has no merged
        ",
    ),
    (
        "what the base brings while code is reviewed is no part of the change",
        "
        the lane is express
        the feature goes until implement
        at most 1 attempt
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer objects to `export` in src/export.sh
        implementer is refused
        the run asks `implementer gave no usable answer`
        a person commits `mended\\n` as src/mended.sh on main
        a person merges main
        a person writes `mine\\n` to src/export.sh
        a person decides retry
        implementation-reviewer approves with I1 fixed
        the run is done
        then edited tells `\"compared\":{`
        then implementation-reviewer was told `+mine`
        then implementation-reviewer was not told `+mended`
        ",
    ),
    (
        "what of the base is left out while code is reviewed is part of the change",
        "
        the lane is express
        the feature goes until implement
        the policy is inline
        at most 1 attempt
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer objects to `export` in src/export.sh
        implementer is refused
        the run asks `implementer gave no usable answer`
        a person commits `mended\\n` as src/mended.sh on main
        a person merges main without its files
        a person writes `mine\\n` to src/export.sh
        a person decides retry
        implementation-reviewer approves with I1 fixed
        the run is done
        then edited tells `\"compared\":{`
        then implementation-reviewer was told `-mended`
        ",
    ),
    (
        "a check that the feature was closed with is not dropped without a word",
        "
        the lane is express
        the feature goes until finish
        code must pass tests: `run tests`
        the check `run tests` wants `export` in src/export.sh
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        the check tests is dropped
        the merge fails with `was closed with the check `
        then the ledger has no merged
        ",
    ),
    (
        "what somebody adds to the knowledge bank after the end is checked before it is merged",
        "
        the lane is express
        the feature goes until finish
        code must pass tests: `run tests`
        the check `run tests` wants `export` in src/export.sh
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person writes `# Heuristics\\n` to docs/knowledge-bank/heuristics.md
        a person commits all as `lessons`
        the check `run tests` wants `a source` in docs/knowledge-bank/heuristics.md
        the merge fails with `fails on what would be merged now`
        then the ledger has no merged
        the check `run tests` wants `export` in src/export.sh
        the feature is merged
        ",
    ),
    (
        "what the end itself wrote is not checked once more",
        "
        the lane is express
        the feature goes until finish
        somebody looks back
        code must pass tests: `run tests`
        the check `run tests` wants `export` in src/export.sh
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        retro-facilitator looks back
        the run is done
        the check `run tests` wants `nothing` in src/export.sh
        the feature is merged
        then docs/knowledge-bank/heuristics.md of main says `Name the limit`
        ",
    ),
    (
        "words in a message are no merge",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person commits `theirs\\n` as other.txt on main, saying what a merge of it says
        the feature is merged
        then src/export.sh of main says `export`
        ",
    ),
];
