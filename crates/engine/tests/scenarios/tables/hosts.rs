//! Hosts: programs that come for their work, do it in a conversation of their own and bring back what came of it.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 5] = [
    (
        "work is handed out, stays out until it is submitted, and what is submitted counts like any answer",
        "
        spec-author is played by hand
        hand is a host
        the run is waiting for a host
        a host takes its work
        the run is waiting for a host
        a person writes spec.md
        a host submits `{\"approved\": true, \"summary\": \"written\", \"answers\": [], \"issues\": []}` as `one`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then started tells `\"pull\":true`
        then answered tells `one`
        ",
    ),
    (
        "work that is not submitted in time is lost and given out again",
        "
        spec-author is played by hand
        hand is a host
        a host takes its work
        2 hours pass
        a host submits `late` as `one` and is refused as `expired`
        the run is waiting for a host
        then the ledger has 1 lost
        ",
    ),
    (
        "what is submitted twice is taken once",
        "
        spec-author is played by hand
        hand is a host
        a host takes its work
        a person writes spec.md
        a host submits `done` as `one`
        a host submits `done` as `one` and is refused as `repeated`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "a note that a subagent was started is no result",
        "
        spec-author is played by hand
        hand is a host
        a host takes its work
        a host submits `Async agent launched successfully` as `one` and is refused as `no_result`
        the run is waiting for a host
        ",
    ),
    (
        "who wrote the text does not review it",
        "
        spec-author is played by hand
        spec-reviewer is played by hand
        hand is a host
        a host takes its work
        a person writes spec.md
        a host submits `done` as `one`
        a host takes its work
        a host submits `{\"approved\": true, \"summary\": \"\", \"answers\": [], \"issues\": []}` as `one` and is refused as `same_hand`
        a host submits `{\"approved\": true, \"summary\": \"\", \"answers\": [], \"issues\": []}` as `two`
        phase-reviewer approves
        the run is done
        ",
    ),
];
