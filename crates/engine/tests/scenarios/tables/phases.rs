//! One phase after the other: what each builds on, where a run rests, and what is left out.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 10] = [
    (
        "whoever writes on an approved document is told what its reviewers warned of, and nobody else is",
        "
        the rule is only blockers count
        the feature goes until design
        spec-author writes spec.md
        spec-reviewer approves but warns of `one record`
        phase-reviewer approves
        design-author writes design.md
        design-reviewer approves
        phase-reviewer approves
        the run is done
        then design-author was told `## Warnings about docs/features/001-feature/spec.md`
        then design-author was told `- one record is not what was asked for (at: docs/features/001-feature/spec.md`
        then design-reviewer was not told `## Warnings about`
        then phase-reviewer was not told `## Warnings about`
        then spec-author was not told `## Warnings about`
        ",
    ),
    (
        "a design is drafted on the specification that was approved",
        "
        the feature goes until design
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        design-author writes design.md
        design-reviewer approves
        phase-reviewer approves
        the run is done
        then design-author was told `spec.md`
        then design-author was told `If You Must Ask First`
        then the ledger has 2 phase-closed
        ",
    ),
    (
        "a run that was asked for one phase rests after it, though the feature goes on",
        "
        the feature goes until design
        the run rests after specify
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 loop-opened
        ",
    ),
    (
        "what was edited after its phase had closed is not built on until it is as it was approved",
        "
        the feature goes until design
        the run rests after specify
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        the feature goes on
        the run fails with `was edited after specify closed, and nobody has reviewed the edit`
        a person writes spec.md
        design-author writes design.md
        design-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "a document that is gone when the next phase begins is named",
        "
        the feature goes until design
        the run rests after specify
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        a person removes spec.md
        the feature goes on
        the run fails with `written in specify, is missing`
        a person writes spec.md
        design-author writes design.md
        design-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "tasks that cannot be read are named before code is written",
        "
        code must pass tests: `run tests`
        the feature goes until implement
        the run rests after create-tasks
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        design-author writes design.md
        design-reviewer approves
        phase-reviewer approves
        plan-author writes plan.md
        plan-reviewer approves
        phase-reviewer approves
        task-author writes `# Tasks\\n\\n## Task 1: Write it\\n\\nDepends on: Task 2.\\n\\n## Task 2: Write more\\n\\nDepends on: Task 1.\\n` to tasks.md
        task-reviewer approves
        phase-reviewer approves
        the run is done
        the feature goes on
        the run fails with `implement of feature 001 cannot begin`
        then spec-author was not told `run tests`
        then plan-author was told `run tests`
        then plan-reviewer was told `run tests`
        then task-author was told `run tests`
        then plan-author was not told `If You Must Ask First`
        then task-author was not told `If You Must Ask First`
        ",
    ),
    (
        "a person may choose another lane, and the feature ends elsewhere",
        "
        the feature goes until finish
        spec-author is refused
        the run asks `spec-author gave no usable answer`
        a person chooses the deep lane until specify
        a person decides retry
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 lane-set
        then the ledger has 1 phase-closed
        ",
    ),
    (
        "in the deep lane fresh eyes sign what was changed after the first look",
        "
        the lane is deep
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "what a second policy sends comes to the same end",
        "
        the policy is fresh
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer began anew
        ",
    ),
    (
        "a ledger that names a commit which this repository has not got is refused",
        "
        the feature goes until design
        the run rests after specify
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        a person takes the branch back to main
        garbage is collected
        the feature goes on
        the run fails with `does not belong to branch feature/001-feature`
        then the ledger has 1 loop-opened
        ",
    ),
];
