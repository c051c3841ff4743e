//! Hosts: programs that come for their work, do it in a conversation of their own and bring back what came of it.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 14] = [
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
        "a host that approves past a blocker whose quote is not there is asked anew, once",
        "
        spec-reviewer is played by hand
        hand is a host
        spec-author writes spec.md
        the run is waiting for a host
        a host takes its work
        a host submits `{\"approved\": true, \"summary\": \"fine\", \"answers\": [], \"issues\": [{\"severity\": \"blocker\", \"category\": \"testability\", \"claim\": \"present\", \"file\": \"docs/features/001-feature/spec.md\", \"line\": 0, \"section\": \"\", \"quote\": \"words that nobody wrote\", \"description\": \"it takes a minute [read]\", \"suggestion\": \"say a minute\", \"same_as\": \"\"}]}` as `one`
        the run is waiting for a host
        then judged tells `a blocker cites what was not found`
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
    (
        "a host that keeps a conversation goes on with it and is sent what is new, once it proves that it remembers",
        "
        spec-author is played by hand
        hand is a host
        a host that keeps conversations takes its work
        a person writes spec.md
        a host submits `written` as `one`
        spec-reviewer objects to `within 10 seconds`
        the run is waiting for a host
        a host that keeps `one` takes its work
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a host submits `done` as `one` with the code
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-author went on with its conversation
        then spec-author was told `ended with a code to keep in mind`
        then spec-author was not told `Rules for Every Role`
        then agents-met tells `\"resume\":\"yes\"`
        ",
    ),
    (
        "a host that does not name its conversation again is given the whole",
        "
        spec-author is played by hand
        hand is a host
        a host that keeps conversations takes its work
        a person writes spec.md
        a host submits `written` as `one`
        spec-reviewer objects to `within 10 seconds`
        the run is waiting for a host
        a host that keeps `two` takes its work
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a host submits `done` as `two`
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-author began anew
        then spec-author was told `Rules for Every Role`
        then the ledger has no lost
        then the ledger has no failed
        ",
    ),
    (
        "work that goes on with a conversation is taken back and given as a whole if the host comes again without it",
        "
        spec-author is played by hand
        hand is a host
        a host that keeps conversations takes its work
        a person writes spec.md
        a host submits `written` as `one`
        spec-reviewer objects to `within 10 seconds`
        the run is waiting for a host
        a host that keeps `one` takes its work
        a host that keeps conversations takes its work
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a host submits `done` as `two`
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then the ledger has 1 lost
        then spec-author began anew
        then spec-author was told `Rules for Every Role`
        ",
    ),
    (
        "what another conversation did is undone and given out again as a whole",
        "
        spec-author is played by hand
        hand is a host
        a host that keeps conversations takes its work
        a person writes spec.md
        a host submits `written` as `one`
        spec-reviewer objects to `within 10 seconds`
        the run is waiting for a host
        a host that keeps `one` takes its work
        a person changes `within 10 seconds` to `within 1 second` in spec.md
        a host submits `done` as `two`
        a host submits `done` as `two` and is refused as `repeated`
        the run is waiting for a host
        a host that keeps `one, two` takes its work
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a host submits `done` as `three`
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then failed tells `was to go on with`
        then spec-author began anew
        then spec-author was told `Rules for Every Role`
        then docs/features/001-feature/spec.md says `within 5 seconds`
        then docs/features/001-feature/.review-history.md says `RESUME-FALLBACK: spec-author iteration 1`
        ",
    ),
    (
        "a host that forgets is asked afresh, and is not resumed again",
        "
        spec-author is played by hand
        hand is a host
        a host that keeps conversations takes its work
        a person writes spec.md
        a host submits `written` as `one`
        spec-reviewer objects to `within 10 seconds`
        the run is waiting for a host
        a host that keeps `one` takes its work
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a host submits `done` as `one`
        a host that keeps `one` takes its work
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a host submits `done` as `two`
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then failed tells `does not know the code`
        then spec-author began anew
        then agents-met tells `V3: the continued conversation does not know the code`
        ",
    ),
    (
        "a host that keeps no conversations is given no code, and none of its conversations is remembered",
        "
        spec-author is played by hand
        hand is a host
        a host takes its work
        a person writes spec.md
        a host submits `written` as `one`
        spec-reviewer objects to `within 10 seconds`
        the run is waiting for a host
        a host that keeps `one` takes its work
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a host submits `done` as `two`
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-author began anew
        then answered does not tell `\"session\":\"one\"`
        then agents-met tells `the agent keeps no conversations`
        ",
    ),
    (
        "an answer without a verdict is repaired in the conversation that a host keeps",
        "
        spec-reviewer is played by hand
        hand is a host
        spec-author writes spec.md
        the run is waiting for a host
        a host that keeps conversations takes its work
        a host submits `it seems fine to me` as `one`
        a host that keeps `one` takes its work
        a host submits `{\"approved\": true, \"summary\": \"\", \"answers\": [], \"issues\": [], \"verified\": []}` as `one` with the code
        phase-reviewer approves
        the run is done
        then started tells `/repair/spec-reviewer/`
        then spec-reviewer went on with its conversation
        ",
    ),
    (
        "an answer without a verdict is asked for anew where the host no longer has the conversation",
        "
        spec-reviewer is played by hand
        hand is a host
        spec-author writes spec.md
        the run is waiting for a host
        a host that keeps conversations takes its work
        a host submits `it seems fine to me` as `one`
        a host that keeps conversations takes its work
        a host that keeps conversations takes its work
        a host submits `{\"approved\": true, \"summary\": \"\", \"answers\": [], \"issues\": [], \"verified\": []}` as `two`
        phase-reviewer approves
        the run is done
        then failed tells `the host no longer has the conversation`
        then spec-reviewer began anew
        ",
    ),
];
