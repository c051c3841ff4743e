//! Tasks that are carried out side by side, each in a worktree of its own, and become part of the feature one after the
//! other.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 10] = [
    (
        "three tasks that have nothing to do with each other are carried out at once, and all become part of the feature",
        "
        the feature goes until implement
        at most 3 tasks at once
        code must pass tests: `run tests`
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        implementer:2 writes `record\\n` to src/record.sh
        implementer:3 writes `read\\n` to src/read.sh
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then 3 dispatches were under way at once
        then src/export.sh says `export`
        then src/record.sh says `record`
        then src/read.sh says `read`
        then the ledger has 3 enqueued
        then the ledger has 1 combined
        then the ledger has 3 built
        then the check `run tests` ran once
        then no worktree is left beside the feature's
        ",
    ),
    (
        "a task with which a check fails is found and sent back with what the check printed, and the others do not wait",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        code must pass tests: `run tests`
        the check `run tests` refuses `slow` in src/record.sh
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        implementer:2 writes `slow\\n` to src/record.sh
        implementer:3 writes `read\\n` to src/read.sh
        implementer:2 writes `fast\\n` to src/record.sh
        and finds `slow` in src/record.sh before
        and finds `read` in src/read.sh before
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then implementer was told `src/record.sh says slow`
        then implementer was told `the check `
        then implementer was asked 4 times
        then src/record.sh says `fast`
        then the ledger has 3 built
        then the check `run tests` ran 10 times
        ",
    ),
    (
        "two tasks that pass alone and fail together are told as a pair",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        code must pass tests: `run tests`
        the check `run tests` refuses `export` in src/export.sh beside `record` in src/record.sh
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        implementer:2 writes `record\\n` to src/record.sh
        implementer:3 writes `read\\n` to src/read.sh
        implementer:2 writes `download\\n` to src/record.sh
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then implementer was told `- 1 Write the exporter`
        then implementer was told `src/export.sh says export and src/record.sh says record`
        then src/export.sh says `export`
        then src/record.sh says `download`
        then the ledger has 3 built
        ",
    ),
    (
        "a check that fails by chance is run once more, and nobody is sent back",
        "
        the feature goes until implement
        at most 3 tasks at once
        code must pass tests: `run tests`
        the check `run tests` fails once
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        implementer:2 writes `record\\n` to src/record.sh
        implementer:3 writes `read\\n` to src/read.sh
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then implementer was asked 3 times
        then the check `run tests` ran 3 times
        then the ledger has 3 built
        ",
    ),
    (
        "what a person writes while finished tasks are checked is taken in first, and nothing is lost",
        "
        the feature goes until implement
        at most 3 tasks at once
        code must pass tests: `run tests`
        while the check `run tests` runs, a person writes `mine\\n` to src/mine.sh
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        implementer:2 writes `record\\n` to src/record.sh
        implementer:3 writes `read\\n` to src/read.sh
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then src/mine.sh says `mine`
        then src/export.sh says `export`
        then the ledger has 1 edited
        then the ledger has 2 combined
        then the ledger has 3 built
        ",
    ),
    (
        "what an implementer must not change in a worktree of its own is undone, and its code stays",
        "
        the feature goes until implement
        at most 3 tasks at once
        code must pass tests: `run tests`
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        and writes `[checks]\\n` to redraft.toml
        and commits `all mine`
        implementer:2 writes `record\\n` to src/record.sh
        and removes src/x.rs
        implementer:3 writes `read\\n` to src/read.sh
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then answered tells `undid 1 commit of the agent`
        then answered tells `removed redraft.toml`
        then redraft.toml is gone
        then src/x.rs is gone
        then src/export.sh says `export`
        ",
    ),
    (
        "a task that fails or is not done is carried out again, and the others become part of the feature without it",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        code must pass tests: `run tests`
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        implementer:2 writes `half\\n` to src/record.sh
        and gives up
        implementer:3 writes `half\\n` to src/read.sh
        and stops because `the format is not written down`
        implementer:2 writes `record\\n` to src/record.sh
        and finds `export` in src/export.sh before
        implementer:3 writes `read\\n` to src/read.sh
        and finds `half` in src/read.sh before
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then implementer:3 was told `the format is not written down`
        then src/record.sh says `record`
        then src/read.sh says `read`
        then the ledger has 2 combined
        then the ledger has 3 built
        ",
    ),
    (
        "as many tasks are sent as there is money for, and the rest once there is more",
        "
        the budget is $1.55
        scripted costs $0.1 of $0.3
        the feature goes until implement
        at most 3 tasks at once
        code must pass tests: `run tests`
        the documents are written and approved, with three tasks that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        the run is short of money
        then src/export.sh says `export`
        then the ledger has 1 built
        a person raises the budget to $5
        implementer:2 writes `record\\n` to src/record.sh
        implementer:3 writes `read\\n` to src/read.sh
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then the ledger has 2 combined
        then the ledger has 3 built
        ",
    ),
    (
        "code of a task that holds a key is refused with its folder, and the others wait until it is gone",
        "
        the feature goes until implement
        at most 3 tasks at once
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `key = sk-ant-api03-Ab3dEf6hIjAb3dEf6hIjAb3dEf6hIjAb3dEf6hIjAb3dEf6hIjAb3dEf6hIj\\n` to src/export.sh
        implementer:2 writes `record\\n` to src/record.sh
        implementer:3 writes `read\\n` to src/read.sh
        the run fails with `001-feature.slot-1/src/export.sh`
        then the ledger has no enqueued
        a person writes `key = $KEY\\n` to src/export.sh in the worktree of slot 1
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then src/export.sh says `$KEY`
        then src/record.sh says `record`
        then the ledger has 3 built
        ",
    ),
    (
        "a task that was begun beside others is gone on with there when only one is to be carried out at once",
        "
        the feature goes until implement
        at most 3 tasks at once
        the order in which tasks are finished matters
        the tasks are written and approved, three that have nothing to do with each other
        implementer:1 writes `export\\n` to src/export.sh
        and writes `one\\n` to src/shared.sh
        implementer:2 writes `record\\n` to src/record.sh
        and writes `two\\n` to src/shared.sh
        implementer:3 stops because `it is late`
        and the user lets the run end
        the run is interrupted
        a person lets 1 task be carried out at once
        implementer:2 writes `one\\ntwo\\n` to src/shared.sh
        and finds `one\\n=======\\ntwo` in src/shared.sh before
        implementer:3 writes `read\\n` to src/read.sh
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then src/shared.sh says `one\\ntwo`
        then src/record.sh says `record`
        then src/read.sh says `read`
        then the ledger has 3 built
        then the ledger has 2 jobs-set
        then no worktree is left beside the feature's
        ",
    ),
];
