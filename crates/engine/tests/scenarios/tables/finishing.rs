//! How a feature ends: what would be merged is checked, what was learnt is written down, the branch is merged.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 15] = [
    (
        "a feature ends with a page of figures where nobody is to look back, and is merged",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then retro-written tells `[finish] retro = false`
        the feature is merged
        then src/export.sh of main says `export`
        then the ledger has 1 merged
        ",
    ),
    (
        "squashed, a feature is one commit on its base",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        the feature is squashed
        then merged tells `squash`
        then src/export.sh of main says `export`
        ",
    ),
    (
        "what somebody says who looks back becomes a page and an entry of the knowledge bank",
        "
        the lane is express
        the feature goes until finish
        somebody looks back
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        retro-facilitator looks back
        the run is done
        then docs/knowledge-bank/heuristics.md says `Name the limit`
        then retro.md says `The first draft was approved.`
        ",
    ),
    (
        "who looks back and fails or talks rubbish leaves a page of figures",
        "
        the lane is express
        the feature goes until finish
        at most 1 attempt
        somebody looks back
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        retro-facilitator gives up
        the run is done
        then retro-written tells `it did not work`
        then retro.md says `Nobody's words are here`
        ",
    ),
    (
        "a lesson of an earlier feature that is judged for the first time is only proposed, and a person has it written down",
        "
        the lane is express
        the feature goes until finish
        somebody looks back
        a person writes `# Heuristics\\n\\n### Heuristic: Export in one place\\nKeep the export in src/export.sh.\\n- Source: a chat\\n` to docs/knowledge-bank/heuristics.md
        a person commits all as `lessons`
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        retro-facilitator looks back
        retro-facilitator confirms B1
        the run asks `lessons of earlier features were judged here for the first time: 1 confirmed`
        a person decides accept
        the run is done
        then the ledger has 1 bank-applied
        then docs/knowledge-bank/heuristics.md says `Observation count`
        ",
    ),
    (
        "lessons that a person leaves as they are stay so, and a judge that fails changes nothing",
        "
        the lane is express
        the feature goes until finish
        at most 1 attempt
        somebody looks back
        a person writes `# Heuristics\\n\\n### Heuristic: Export in one place\\nKeep the export in src/export.sh.\\n- Source: a chat\\n` to docs/knowledge-bank/heuristics.md
        a person commits all as `lessons`
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        retro-facilitator looks back
        retro-facilitator gives up
        the run is done
        then bank-judged tells `it did not work`
        then the ledger has no bank-applied
        then docs/knowledge-bank/heuristics.md does not say `Observation count: 2`
        ",
    ),
    (
        "a judgement that cannot be read changes nothing, and says why",
        "
        the lane is express
        the feature goes until finish
        somebody looks back
        a person writes `# Heuristics\\n\\n### Heuristic: Export in one place\\nKeep the export in src/export.sh.\\n- Source: a chat\\n` to docs/knowledge-bank/heuristics.md
        a person commits all as `lessons`
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        retro-facilitator looks back
        retro-facilitator says `they all seem right`
        the run is done
        then bank-judged tells `the answer holds no JSON object`
        then bank-judged tells `\"confirmed\":[],\"challenged\":[]`
        then docs/knowledge-bank/heuristics.md says `Keep the export in src/export.sh.\\n- Source: a chat\\n`
        ",
    ),
    (
        "a base that is checked out nowhere is moved by itself, and no checkout is touched",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person leaves main for branch `elsewhere`
        a person leaves `a person's\\n` in README.md of main
        the feature is merged
        then README.md of main says `a person's`
        then the ledger has 1 merged
        ",
    ),
    (
        "what both branches have changed is a conflict, and nothing is merged",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        a person commits `theirs\\n` as src/export.sh on main
        the run fails with `cannot be merged into main: both have changed src/export.sh`
        then the ledger has no merged
        ",
    ),
    (
        "where the base moves on after the end, what would be merged now is checked once more",
        "
        the lane is express
        the feature goes until finish
        code must pass tests: `run tests`
        the check `run tests` wants `export` in src/export.sh
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person commits `other\\n` as other.txt on main
        the feature is merged
        then other.txt of main says `other`
        ",
    ),
    (
        "a check that fails on what would be merged now stops the merge",
        "
        the lane is express
        the feature goes until finish
        code must pass tests: `run tests`
        the check `run tests` wants `export` in src/export.sh
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person commits `other\\n` as other.txt on main
        the check `run tests` wants `nothing` in other.txt
        the merge fails with `the check `
        then the ledger has no merged
        the check `run tests` wants `export` in src/export.sh
        the feature is merged
        ",
    ),
    (
        "nothing is merged into a checkout with changes, and the same command goes on",
        "
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        a person leaves `a person's\\n` in README.md of main
        the merge fails with `README.md is uncommitted`
        a person leaves `# a project\\n` in README.md of main
        the feature is merged
        then src/export.sh of main says `export`
        ",
    ),
    (
        "a feature that has not come to its end is not merged",
        "
        the lane is express
        the feature goes until finish
        at most 1 attempt
        spec-author is refused
        the run asks `spec-author gave no usable answer`
        the merge fails with `is not finished yet`
        ",
    ),
    (
        "documentation that was not thought of is a question where it is required",
        "
        the lane is express
        the feature goes until finish
        documentation is required
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run asks `docs fails on what would be merged: 1 file changed and no documentation`
        a person decides accept
        the run is done
        ",
    ),
    (
        "begun on no branch, a feature is checked as it is and cannot be merged",
        "
        the lane is express
        the feature goes until finish
        the feature begins on no branch
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        the merge fails with `was not begun on a branch`
        ",
    ),
];
