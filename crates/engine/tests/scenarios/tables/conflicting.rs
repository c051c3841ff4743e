//! Tasks that were carried out side by side and exclude each other, or what a person wrote meanwhile.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 6] = [
    (
        "a task that excludes another is carried out once more, on the marks of both sides, and then becomes part of the feature",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        code must pass tests: `run tests`
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        and writes `one\\n` to src/shared.sh
        implementer:2 writes `record\\n` to src/record.sh
        and writes `two\\n` to src/shared.sh
        implementer:3 writes `read\\n` to src/read.sh
        implementer:2 writes `one\\ntwo\\n` to src/shared.sh
        and finds `one\\n=======\\ntwo` in src/shared.sh before
        and finds `export` in src/export.sh before
        and finds `record` in src/record.sh before
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then implementer was told `excludes what these tasks changed`
        then implementer was told `- 1 Write the exporter`
        then implementer was told `+export`
        then combined tells `\"conflict\":{\"task\":\"2\",\"files\":[\"src/shared.sh\"]}`
        then src/shared.sh says `one\\ntwo`
        then src/record.sh says `record`
        then the ledger has 3 built
        ",
    ),
    (
        "marks that are left in a file do not become part of the feature",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        code must pass tests: `run tests`
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        and writes `one\\n` to src/shared.sh
        implementer:2 writes `record\\n` to src/record.sh
        and writes `two\\n` to src/shared.sh
        implementer:3 writes `read\\n` to src/read.sh
        implementer:2 does nothing
        implementer:2 writes `one\\ntwo\\n` to src/shared.sh
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then enqueued tells `git's marks of a conflict are left in src/shared.sh`
        then implementer was told `git's marks of a conflict are left in src/shared.sh`
        then src/shared.sh does not say `<<<`
        then the ledger has 3 built
        ",
    ),
    (
        "after two conflicts in a row a person is asked, and the task is carried out once more",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        code must pass tests: `run tests`
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        and writes `one\\n` to src/shared.sh
        implementer:2 stops because `the exporter is not there`
        implementer:3 writes `read\\n` to src/read.sh
        and writes `three\\n` to src/shared.sh
        implementer:2 writes `record\\n` to src/record.sh
        and writes `one\\ntwo\\n` to src/shared.sh
        implementer:3 writes `one\\nthree\\n` to src/shared.sh
        and finds `<<<<<<< ` in src/shared.sh before
        the run asks `task 3 (Write the reader) could not be carried out in 2 attempts`
        a person decides retry
        implementer:3 writes `one\\ntwo\\nthree\\n` to src/shared.sh
        and finds `<<<<<<< ` in src/shared.sh before
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then src/shared.sh says `one\\ntwo\\nthree`
        then src/read.sh says `read`
        then the ledger has 3 built
        ",
    ),
    (
        "after two conflicts in a row a person is asked, and the feature goes on without the task",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        code must pass tests: `run tests`
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        and writes `one\\n` to src/shared.sh
        implementer:2 stops because `the exporter is not there`
        implementer:3 writes `read\\n` to src/read.sh
        and writes `three\\n` to src/shared.sh
        implementer:2 writes `record\\n` to src/record.sh
        and writes `one\\ntwo\\n` to src/shared.sh
        implementer:3 writes `one\\nthree\\n` to src/shared.sh
        and finds `<<<<<<< ` in src/shared.sh before
        the run asks `task 3 (Write the reader) could not be carried out in 2 attempts`
        a person decides skip
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then src/shared.sh says `one\\ntwo`
        then src/shared.sh does not say `three`
        then src/read.sh is gone
        then no worktree is left beside the feature's
        then the ledger has 2 built
        ",
    ),
    (
        "after two conflicts in a row a person is asked, and gives the phase up",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        code must pass tests: `run tests`
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        and writes `one\\n` to src/shared.sh
        implementer:2 stops because `the exporter is not there`
        implementer:3 writes `read\\n` to src/read.sh
        and writes `three\\n` to src/shared.sh
        implementer:2 writes `record\\n` to src/record.sh
        and writes `one\\ntwo\\n` to src/shared.sh
        implementer:3 writes `one\\nthree\\n` to src/shared.sh
        and finds `<<<<<<< ` in src/shared.sh before
        the run asks `task 3 (Write the reader) could not be carried out in 2 attempts`
        a person decides abandon
        the run is done
        then no worktree is left beside the feature's
        ",
    ),
    (
        "a task that excludes what a person wrote meanwhile is carried out once more",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        code must pass tests: `run tests`
        while the check `run tests` runs, a person writes `mine\\n` to src/record.sh
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        implementer:2 writes `record\\n` to src/record.sh
        implementer:3 writes `read\\n` to src/read.sh
        implementer:2 writes `mine\\nrecord\\n` to src/record.sh
        and finds `mine\\n=======\\nrecord` in src/record.sh before
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then implementer was told `excludes what became part of the feature meanwhile`
        then src/record.sh says `mine\\nrecord`
        then src/export.sh says `export`
        then the ledger has 3 built
        ",
    ),
];
