//! Code: tasks carried out, checked on a clean checkout, reviewed side by side, mended, taken out.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 30] = [
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
        "what reviewers are asked about has passed its checks, on the commit alone",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        the check `run tests` wants `export` in src/export.sh
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then the check `run tests` ran once
        then checked tells `\"empty\":true`
        then implementation-reviewer was told `a finding that rests on it`
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
        "a reviewer has a check run once more, in a copy, and what it printed can be quoted",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        the check `run tests` wants `export` in src/export.sh
        scripted can have checks run
        checks need to be set up
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer objects to `fine, once more` in src/export.sh
        and has `tests` run
        implementer writes `export all\\n` to src/export.sh
        implementation-reviewer approves with I1 fixed
        the run is done
        then about a check somebody was told `ended with code 0`
        then answered tells `\"output\":\"fine, once more\"`
        then implementation-reviewer was asked twice
        ",
    ),
    (
        "what a check is said to have printed and did not is not taken for proved",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        scripted can have checks run
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer objects to `7 tests failed` in src/export.sh
        and has `tests` run
        implementation-reviewer approves
        the run is done
        then implementation-reviewer was told `the quote is not in src/export.sh`
        then the ledger has 1 built
        ",
    ),
    (
        "whoever does not review code has no check run",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        scripted can have checks run
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        and has `tests` run
        implementation-reviewer approves
        the run is done
        then about a check somebody was told `only reviewers of code may ask for one`
        then implementation-reviewer was told `with the tool `
        then answered does not tell `once more`
        ",
    ),
    (
        "a review has three checks run at most, and none by another name",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        scripted can have checks run
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        and has `rm -rf src` run
        and has `tests` run
        and has `tests` run
        and has `tests` run
        and has `tests` run
        the run is done
        then about a check somebody was told `is no check that can be run here; there are tests`
        then about a check somebody was told `run 3 of 3`
        then about a check somebody was told `3 checks were run for this review, and no more are`
        then src/export.sh says `export`
        ",
    ),
    (
        "a check that fails is told the implementer with what it printed, before anybody reviews",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        the check `run tests` wants `fast` in src/export.sh
        spec-author writes spec.md
        implementer writes `slow\\n` to src/export.sh
        implementer writes `fast\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then implementer was told `src/export.sh does not say fast`
        then implementer was asked twice
        then checked tells `src/export.sh does not say fast`
        then implementation-reviewer was asked once
        ",
    ),
    (
        "a check that fails as often as it may is a question, and what a person mends is checked again",
        "
        the lane is express
        the feature goes until implement
        at most 1 failed gate
        code must pass tests: `run tests`
        the check `run tests` wants `fast` in src/export.sh
        spec-author writes spec.md
        implementer writes `slow\\n` to src/export.sh
        the run asks `tests failed 1 time in a row`
        a person writes `fast\\n` to src/export.sh
        a person decides retry
        implementation-reviewer approves
        the run is done
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
        "a check that never ends has failed, and one that cannot be begun is an error",
        "
        the lane is express
        the feature goes until implement
        at most 1 failed gate
        code must pass tests: `run tests`
        the check `run tests` cannot be begun
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        the run fails with `the check `
        the check `run tests` never ends
        the run asks `tests failed 1 time in a row`
        a person decides accept
        implementation-reviewer approves
        the run is done
        then checked tells `did not end by itself`
        ",
    ),
    (
        "a check that was stopped has said nothing and is run again",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        the check `run tests` passes
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then the ledger has 2 checked
        ",
    ),
    (
        "what a check writes is put back and told, and what it does to git is undone",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        code must pass lint: `run lint`
        the check `run tests` writes `README.md`
        the check `run lint` makes a hook `pre-push`
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then checked tells `the check changed README.md, which is put back`
        then checked tells `removed .git/hooks/pre-push`
        then README.md says `# a project`
        ",
    ),
    (
        "a check that failed for a cause outside of the files is run again on retry",
        "
        the lane is express
        the feature goes until implement
        at most 1 failed gate
        code must pass tests: `run tests`
        the check `run tests` wants `allowed` in README.md
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        the run asks `tests failed 1 time in a row`
        the check `run tests` passes
        a person decides retry
        implementation-reviewer approves
        the run is done
        then implementer was asked once
        then the check `run tests` ran twice
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
        "a clean checkout is made ready once before its first check",
        "
        the lane is express
        the feature goes until implement
        checks need to be set up
        code must pass tests: `run tests`
        the check `make ready` writes `made.txt`
        the check `run tests` wants `by a check` in made.txt
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then the check `make ready` ran once
        ",
    ),
    (
        "a setup that fails is a failed check",
        "
        the lane is express
        the feature goes until implement
        at most 1 failed gate
        checks need to be set up
        code must pass tests: `run tests`
        the check `make ready` wants `ready` in README.md
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        the run asks `tests failed 1 time in a row`
        then checked tells `this is the setup of a clean checkout; the check was not run`
        then checked tells `ended with code 1`
        then the check `run tests` ran never
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
        "a check that a phase was begun with and that is configured no more is an error",
        "
        the lane is express
        the feature goes until implement
        code must pass tests: `run tests`
        the check `run tests` wants `export` in src/export.sh
        spec-author writes spec.md
        implementer writes `nothing\\n` to src/export.sh
        implementer is refused
        implementer is refused
        the run asks `task 1`
        a person decides abandon
        the run is done
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
