//! Whole features in the standard lane: four documents, tasks in their order, reviewers side by side.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 3] = [
    (
        "from the idea to approved code, with tasks in their order, made simpler and tested more deeply",
        "
        the feature goes until implement
        code is made simpler
        tests are deepened
        the documents are written and approved
        implementer writes `export\\n` to src/export.sh
        implementer writes `record\\n` to src/record.sh
        test-deepener outlines `1. asking for March gives one line per booking`
        test-deepener writes `test\\n` to tests/export.sh
        code-simplifier writes `simple\\n` to src/export.sh
        implementation-reviewer approves
        code-quality-reviewer objects to `record` in src/record.sh
        security-reviewer approves
        implementer writes `records\\n` to src/record.sh
        code-quality-reviewer approves with Q1 fixed
        implementation-reviewer approves
        security-reviewer approves
        the run is done
        then the ledger has 5 phase-closed
        then implementation-reviewer was asked twice
        then tests/export.sh says `test`
        ",
    ),
    (
        "what helps is not waited for: a simplifier and a tester that fail hold nothing up",
        "
        the feature goes until implement
        at most 1 attempt
        code is made simpler
        tests are deepened
        the documents are written and approved
        implementer writes `export\\n` to src/export.sh
        implementer writes `record\\n` to src/record.sh
        test-deepener gives up
        code-simplifier gives up
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then the ledger has 5 phase-closed
        ",
    ),
    (
        "tests from the documents that the code does not pass are mended for as often as may be, then a person decides",
        "
        the feature goes until implement
        tests are deepened
        code must pass tests: `run tests`
        the check `run tests` wants `export` in src/export.sh
        the documents are written and approved
        implementer writes `export\\n` to src/export.sh
        implementer writes `record\\n` to src/record.sh
        test-deepener outlines `1. asking for March gives one line per booking`
        test-deepener writes `test\\n` to tests/export.sh
        and writes `broken\\n` to src/export.sh
        implementer writes `no better\\n` to src/export.sh
        test-deepener writes `another test\\n` to tests/export.sh
        implementer writes `not this way\\n` to src/export.sh
        test-deepener writes `a third test\\n` to tests/export.sh
        the run asks `tests fails on tests that were written from the documents`
        a person decides accept
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then tests/export.sh is gone
        ",
    ),
];
