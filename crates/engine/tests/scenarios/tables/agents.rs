//! Every way in which an agent can fail, and what follows from it. What it must not do is in `misbehaving`.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 25] = [
    (
        "an answer that broke off is asked for again, and what was reserved for it counts",
        "
        spec-author is cut off
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 failed
        then it has cost $0.05
        ",
    ),
    (
        "an agent that gives up is billed and asked again",
        "
        spec-author gives up
        spec-author writes spec.md
        spec-reviewer gives up
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then it has cost $0.05
        ",
    ),
    (
        "a failed attempt leaves nothing behind, not even what its role may write, and what it wrote is kept",
        "
        spec-author writes `half a spec` to spec.md
        and is cut off
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then failed tells `removed docs/features/001-feature/spec.md`
        then `half a spec` is kept under 001/specify.1/draft/spec-author/1.1
        then spec-author was not told `half a spec`
        ",
    ),
    (
        "an agent that is refused is a question at once, whatever attempts are left",
        "
        spec-author is refused
        the run asks `spec-author gave no usable answer in 1 attempt: the key is not accepted`
        a person decides retry
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then it has cost $0.03
        ",
    ),
    (
        "a busy service is waited for, and the attempt is made again",
        "
        spec-author is busy for 5 seconds
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 failed
        ",
    ),
    (
        "a service that is busy for longer than anybody waits parks the run",
        "
        spec-author is busy for 2 hours
        the run is parked
        the run is parked
        2 hours pass
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "a usage limit parks the run until it ends, and nobody is asked before",
        "
        spec-author writes spec.md
        spec-reviewer is over its limit for 30 minutes
        the run is parked
        10 minutes pass
        the run is parked
        then spec-reviewer was asked once
        30 minutes pass
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then it has cost $0.03
        ",
    ),
    (
        "only the agent that is over its limit is held back",
        "
        spec-reviewer is played by another
        another costs $0.01 of $0.02
        spec-author writes spec.md
        spec-reviewer is over its limit for 30 minutes
        the run is parked
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        the run is parked
        then the ledger has 1 edited
        ",
    ),
    (
        "a conversation that is lost is begun anew with everything in it",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer loses its conversation
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer began anew
        then spec-reviewer was told `within 5 seconds`
        ",
    ),
    (
        "a continued conversation that is refused is begun anew before a person is asked",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer is refused
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer began anew
        then docs/features/001-feature/.review-history.md says `RESUME-FALLBACK: spec-reviewer iteration 2`
        ",
    ),
    (
        "a continued conversation that is given up is begun anew before a person is asked",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer gives up
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer began anew
        then docs/features/001-feature/.review-history.md says `RESUME-FALLBACK: spec-reviewer iteration 2`
        ",
    ),
    (
        "the first conversation that is continued proves that it remembers, and no other is asked",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-author went on with its conversation
        then spec-author was told `ended with a code to keep in mind`
        then spec-reviewer went on with its conversation
        then spec-reviewer was not told `ended with a code to keep in mind`
        then phase-reviewer was not told `Keep this code in mind`
        then agents-met tells `\"resume\":\"yes\"`
        ",
    ),
    (
        "an agent that forgets is asked afresh, what it did is undone, and it is not resumed again",
        "
        scripted forgets what was said
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 1 second` in spec.md
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then failed tells `does not know the code`
        then failed tells `\"forgot\":`
        then docs/features/001-feature/spec.md says `within 5 seconds`
        then spec-author began anew
        then spec-reviewer began anew
        then docs/features/001-feature/.review-history.md says `RESUME-FALLBACK: spec-author iteration 1`
        then docs/features/001-feature/.review-history.md does not say `RESUME-FALLBACK: spec-reviewer`
        then agents-met tells `V3: the continued conversation does not know the code`
        ",
    ),
    (
        "a conversation that was compacted is not gone on with",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        and its conversation is compacted
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer began anew
        then answered tells `was summed up`
        ",
    ),
    (
        "an answer that is no verdict is repaired in the same conversation",
        "
        spec-author writes spec.md
        spec-reviewer says `it seems fine to me`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then started tells `/repair/spec-reviewer/`
        then spec-reviewer went on with its conversation
        ",
    ),
    (
        "where repairs do not help, the review is asked for anew, and in the end a person is asked",
        "
        at most 2 attempts
        spec-author writes spec.md
        spec-reviewer says `fine`
        spec-reviewer says `fine`
        spec-reviewer says `fine`
        spec-reviewer says `fine`
        the run asks `spec-reviewer gave no usable answer in 2 attempts`
        a person decides retry
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "an agent without conversations is asked anew instead of being asked to repair",
        "
        scripted keeps no conversations
        spec-author writes spec.md
        spec-reviewer says `it seems fine to me`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 4 started
        then started does not tell `/repair/`
        then spec-reviewer began anew
        ",
    ),
    (
        "what was to have a form and has none is no verdict, whatever it says",
        "
        spec-author writes spec.md
        spec-reviewer says `{\"approved\": true, \"summary\": \"\", \"answers\": [], \"issues\": []}` in no form
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 4 started
        ",
    ),
    (
        "a finding that quotes what nobody wrote does not count",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within a fortnight`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 drafted
        ",
    ),
    (
        "the user stops the run: what is under way is lost and billed, and the same command goes on",
        "
        spec-author writes `half` to spec.md
        and the user stops the run
        and is stopped
        the run is interrupted
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 lost
        then it has cost $0.04
        ",
    ),
    (
        "the user lets the run end: what is under way is finished, and nothing new is begun",
        "
        spec-author writes spec.md
        and the user lets the run end
        the run is interrupted
        then spec-reviewer was asked never
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has no lost
        ",
    ),
    (
        "a bug in an agent's thread ends the run with an error, and the next run loses the attempt",
        "
        spec-author writes `half` to spec.md
        and crashes
        the run fails with `an agent's thread ended in a panic`
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 lost
        then lost tells `removed docs/features/001-feature/spec.md`
        ",
    ),
    (
        "an answer that outlived the process that asked for it is adopted",
        "
        spec-author crashes
        the run fails with `an agent's thread ended in a panic`
        the answer `{\"approved\": true, \"summary\": \"late\", \"answers\": [], \"issues\": []}` outlives the process
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has no lost
        then drafted tells `is missing or empty`
        ",
    ),
    (
        "a role that nobody plays is named before anything is sent",
        "
        spec-reviewer is played by nobody
        the run fails with `nobody plays spec-reviewer`
        then the ledger has no started
        ",
    ),
    (
        "what outlived the process that asked for it and cannot be read is lost, and stops no later run",
        "
        spec-author crashes
        the run fails with `an agent's thread ended in a panic`
        what outlives the process cannot be read
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 lost
        ",
    ),
];
