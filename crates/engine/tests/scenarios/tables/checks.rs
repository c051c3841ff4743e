//! Checks of code: where they run, what comes of their results, and reviewers that have one run once more.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 14] = [
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
];
