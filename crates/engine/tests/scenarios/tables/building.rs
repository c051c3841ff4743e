//! Code: tasks carried out, checked on a clean checkout, reviewed side by side, mended, taken out.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 16] = [
    (
        "one task is carried out, committed under its name, reviewed and closed",
        "
        the lane is express
        the feature goes until implement
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then src/export.sh says `export`
        then implementation-reviewer was told `## What Was Asked For`
        then the ledger has 1 built
        then the commits are `redraft: implement approved | redraft: task 1 Export the monthly report as CSV | redraft: specify approved | redraft: specify draft`
        ",
    ),
    (
        "whoever compares code with what was asked for is told it, and what a turn said that changed nothing is not lost",
        "
        the lane is express
        the feature goes until implement
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer objects to `export` in src/export.sh
        implementer does nothing
        implementer loses its conversation
        implementer writes `export all\\n` to src/export.sh
        implementation-reviewer approves with I1 fixed
        the run is done
        then implementer was told `It said:`
        then implementer began anew
        ",
    ),
    (
        "a document that is edited while code is written is neither built nor approved with the code",
        "
        the lane is express
        the feature goes until implement
        at most 1 failed gate
        code must pass tests: `run tests`
        the check `run tests` wants `fast` in src/export.sh
        spec-author writes spec.md
        implementer writes `slow\\n` to src/export.sh
        the run asks `tests failed 1 time in a row`
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a person decides retry
        the run fails with `spec.md was edited after specify closed`
        a person changes `within 5 seconds` to `within 10 seconds` in spec.md
        a person writes `fast\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then the ledger has 1 edited
        ",
    ),
    (
        "what was built for a task that is gone on without is taken out again",
        "
        the lane is express
        the feature goes until implement
        at most 1 failed gate
        code must pass tests: `run tests`
        spec-author writes spec.md
        the check `run tests` wants `fast` in src/export.sh
        implementer writes `slow\\n` to src/export.sh
        the run asks `tests failed 1 time in a row`
        a person decides skip
        the check `run tests` passes
        implementation-reviewer approves
        the run is done
        then src/export.sh is gone
        then the ledger has 1 taken-out
        ",
    ),
    (
        "an implementer that says its task is not done is not reviewed: the next attempt is told why, and then a person is",
        "
        the lane is express
        the feature goes until implement
        at most 2 attempts
        code must pass tests: `run tests`
        the check `run tests` passes
        spec-author writes spec.md
        implementer writes `half\\n` to src/export.sh
        and stops because `R1 and AC1 disagree about the file's name`
        implementer stops because `R1 and AC1 disagree about the file's name`
        the run asks `could not be carried out in 2 attempts: it says that the task is not done; the implementer said: R1 and AC1 disagree`
        then implementer was told `R1 and AC1 disagree about the file's name`
        then implementer began anew
        then implementation-reviewer was asked never
        then the check `run tests` ran 0 times
        then src/export.sh says `half`
        then built tells `\"unfinished\":\"R1 and AC1 disagree`
        a person decides skip
        implementation-reviewer approves
        the run is done
        then src/export.sh is gone
        ",
    ),
    (
        "a finding about code that its implementer declines goes to the reviewer, and a person may overrule it",
        "
        the lane is express
        the feature goes until implement
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer objects to `export` in src/export.sh
        implementer declines I1 because `it is what R1 asks for`
        implementation-reviewer keeps I1 because `R1 asks for more`
        implementer declines I1 because `no, it does not`
        the run asks `implementer and implementation-reviewer disagree about I1`
        then implementation-reviewer was told `Reply: it is what R1 asks for`
        then implementation-reviewer was asked twice
        a person decides overrule
        the run is done
        then src/export.sh says `export`
        then the ledger has 1 built
        ",
    ),
    (
        "a task that was stopped is carried out by the next attempt, from what is in the files",
        "
        the lane is express
        the feature goes until implement
        spec-author writes spec.md
        implementer writes `half\\n` to src/export.sh
        and stops because `AC1 cannot be met`
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then implementer was told `An earlier turn has worked on this task`
        then src/export.sh says `export`
        then implementation-reviewer was asked once
        ",
    ),
    (
        "a pipe in the place of a tracked file is undone, and the code stays",
        "
        the lane is express
        the feature goes until implement
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        and puts a pipe in the place of README.md
        implementation-reviewer approves
        the run is done
        then answered tells `took out README.md, which was no ordinary file`
        then README.md says `# a project`
        then src/export.sh says `export`
        ",
    ),
    (
        "a finding in code is mended in one commit, and its reviewer looks again",
        "
        the lane is express
        the feature goes until implement
        spec-author writes spec.md
        implementer writes `slow\\n` to src/export.sh
        implementation-reviewer objects to `slow` in src/export.sh
        implementer writes `fast\\n` to src/export.sh
        implementation-reviewer approves with I1 fixed
        the run is done
        then implementation-reviewer was told `+fast`
        then the commits are `redraft: implement approved | redraft: implement review iteration 1 fixes | redraft: task 1 Export the monthly report as CSV | redraft: specify approved | redraft: specify draft`
        ",
    ),
    (
        "an implementer that changes the documents or what it is held to has that undone, and keeps its code",
        "
        the lane is express
        the feature goes until implement
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        and writes `nothing is required\\n` to spec.md
        and writes `[checks]\\n` to redraft.toml
        and commits `all mine`
        implementation-reviewer approves
        the run is done
        then redraft.toml is gone
        then spec.md says `within 10 seconds`
        then answered tells `restored docs/features/001-feature/spec.md`
        then answered tells `undid 1 commit of the agent`
        then answered tells `removed redraft.toml`
        ",
    ),
    (
        "what an implementer leaves in no commit is told",
        "
        the lane is express
        the feature goes until implement
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        and writes `x` to build/out.bin
        and makes a repository in `vendor`
        implementation-reviewer approves
        the run is done
        then answered tells `left in the worktree and in no commit: ignored build/, the repository vendor/`
        ",
    ),
    (
        "a task that is said to be complete is believed where a check confirms it, and nothing is committed for it",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        spec-author writes spec.md
        implementer finds it complete
        implementation-reviewer approves
        the run is done
        then built tells `\"already\":true`
        ",
    ),
    (
        "an implementer that does nothing and says nothing is asked again, and in the end a person is",
        "
        the lane is express
        the feature goes until implement
        at most 2 attempts
        spec-author writes spec.md
        implementer does nothing
        implementer does nothing
        the run asks `task 1 (Export the monthly report as CSV) could not be carried out in 2 attempts`
        a person decides retry
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        ",
    ),
    (
        "a person is asked before code is written, and files they left are committed under their own name",
        "
        the lane is express
        the feature goes until implement
        a person is asked before code is written
        spec-author writes spec.md
        the run asks `code is written next, in 1 task`
        a person decides go
        a person writes `mine\\n` to src/mine.sh
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then src/mine.sh says `mine`
        then the ledger has 1 edited
        ",
    ),
    (
        "an approval of code that was neither shown nor opened does not count",
        "
        the lane is express
        the feature goes until implement
        the policy is inline
        spec-author writes spec.md
        implementer writes more than a prompt holds to data.txt
        implementation-reviewer approves
        implementation-reviewer approves, having read data.txt
        the run is done
        then judged tells `files whose diff was not shown and that were not opened: data.txt`
        then implementation-reviewer was asked twice
        ",
    ),
    (
        "code that holds a key is refused before git stores anything of it",
        "
        the lane is express
        the feature goes until implement
        spec-author writes spec.md
        implementer writes `key = sk-ant-api03-Ab3dEf6hIjAb3dEf6hIjAb3dEf6hIjAb3dEf6hIjAb3dEf6hIjAb3dEf6hIj\\n` to src/export.sh
        the run fails with `src/export.sh`
        then the ledger has no built
        a person writes `key = $KEY\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then src/export.sh says `$KEY`
        ",
    ),
];
