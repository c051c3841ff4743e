//! Later rounds: what a reviewer is told that goes on with a review, and what becomes of what it finds elsewhere.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 14] = [
    (
        "in a new conversation a reviewer is told what changed, what was answered, and to look no further",
        "
        the policy is fresh
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        and says `{\"approved\": true, \"summary\": \"half the time\", \"answers\": [{\"id\": \"S1\", \"status\": \"fixed\", \"note\": \"five it is\"}], \"issues\": []}`
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer began anew
        then spec-reviewer was told `+- R1: When an accountant asks for the report, the system sends a CSV file within 5 seconds.`
        then spec-reviewer was told `- S1: fixed. five it is`
        then spec-reviewer was told `Do this and no more:`
        then spec-reviewer was told `## Spec Under Review`
        then phase-reviewer was not told `Do this and no more:`
        ",
    ),
    (
        "policy seed tells a reviewer that nothing changed where its author changed nothing, and speaks of no delta",
        "
        the policy is seed
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author says `{\"approved\": true, \"summary\": \"it is meant so\", \"answers\": [], \"issues\": []}`
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer began anew
        then spec-reviewer was told `Nothing has changed since then. The document is for reference.`
        then spec-reviewer was told `it is meant so`
        then spec-reviewer was not told `## Delta`
        then spec-reviewer was not told `stands below`
        ",
    ),
    (
        "a quote that stands in the document holds, also where the finding names a file of code that does not have it",
        "
        spec-author writes spec.md
        spec-reviewer says `{\"approved\": false, \"summary\": \"no\", \"answers\": [], \"issues\": [{\"severity\": \"blocker\", \"category\": \"testability\", \"claim\": \"present\", \"file\": \"src/service.sh\", \"line\": 0, \"section\": \"\", \"quote\": \"within 10 seconds\", \"description\": \"the service takes a minute [read]\", \"suggestion\": \"say a minute\", \"same_as\": \"\"}]}`
        spec-author changes `within 10 seconds` to `within 60 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then started does not tell `/repair/`
        ",
    ),
    (
        "a validation in a new conversation is told what changed",
        "
        the policy is inline
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer objects to `one record` in spec.md
        spec-author changes `one record` to `two records` in spec.md
        phase-reviewer approves with P1 fixed
        spec-reviewer approves
        the run is done
        then started tells `/validate/spec-reviewer/`
        then spec-reviewer was told `## Changes Since Your Last Review`
        then spec-reviewer was told `Check whether the approval still holds`
        ",
    ),
    (
        "after an answer that could not be used, a new conversation is told why, and still what changed since the last verdict",
        "
        the policy is fresh
        at most 0 repairs
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then judged tells `no answer for S1`
        then spec-reviewer was told `An earlier answer of your role could not be used: no answer for S1`
        then spec-reviewer was told `+- R1: When an accountant asks for the report`
        ",
    ),
    (
        "a host is told the same",
        "
        spec-reviewer is played by hand
        hand is a host
        spec-author writes spec.md
        the run is waiting for a host
        a host takes its work
        a host submits `fine, I think` as `one`
        the run is waiting for a host
        a host takes its work
        a host submits `{\"approved\": true, \"summary\": \"\", \"answers\": [], \"issues\": []}` as `two`
        phase-reviewer approves
        the run is done
        then spec-reviewer was told `An earlier answer of your role could not be used: the answer holds no JSON object`
        ",
    ),
    (
        "a rejection for nothing but old text is a computed approval, and what it found is kept",
        "
        the policy is fresh
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer warns of `one record` with S1 fixed
        phase-reviewer approves
        the run is done
        then judged tells `put aside: S2 (deferred)`
        then phase-closed tells `\"deferred\":[\"S2\"]`
        then the ledger has no asked
        then spec-reviewer was asked 2 times
        ",
    ),
    (
        "what was found in old text is kept although the answer it stood in could not be used",
        "
        the policy is fresh
        at most 0 repairs
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer warns of `one record`
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then judged tells `no answer for S1`
        then phase-closed tells `\"deferred\":[\"S2\"]`
        ",
    ),
    (
        "a blocker whose quote is nowhere is returned once, although another one blocks",
        "
        spec-author writes spec.md
        spec-reviewer says `{\"approved\": false, \"summary\": \"\", \"answers\": [], \"issues\": [{\"severity\": \"blocker\", \"file\": \"docs/features/001-feature/spec.md\", \"quote\": \"within 10 seconds\", \"description\": \"too slow\"}, {\"severity\": \"blocker\", \"file\": \"docs/features/001-feature/spec.md\", \"quote\": \"for ever and a day\", \"description\": \"kept too long\"}]}`
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then judged tells `kept too long\\\" does not hold: the quote is not in docs/features/001-feature/spec.md`
        then started tells `/repair/spec-reviewer/`
        ",
    ),
    (
        "a blocker without the marks of Markdown lies in the change that it is about",
        "
        the policy is fresh
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within **5** seconds` in spec.md
        spec-reviewer warns of `sends a CSV file within 5 seconds` with S1 fixed
        spec-author changes `within 10 seconds` to `within 7 seconds` in spec.md
        spec-reviewer approves with S2 fixed
        phase-reviewer approves
        the run is done
        then judged tells `rejected`
        ",
    ),
    (
        "changes that are too long to be shown must be opened before an approval counts",
        "
        the policy is fresh
        the lane is express
        the feature goes until implement
        at most 0 repairs
        spec-author writes spec.md
        implementer writes `one\\n` to src/export.sh
        implementation-reviewer objects to `one` in src/export.sh
        implementer writes more than a prompt holds to src/export.sh
        implementation-reviewer approves with I1 fixed
        implementation-reviewer says `{\"approved\": true, \"summary\": \"\", \"answers\": [{\"id\": \"I1\", \"status\": \"fixed\", \"note\": \"\"}], \"issues\": [], \"files_read\": [{\"file\": \"src/export.sh\", \"lines\": 1}]}`
        the run is done
        then started tells `\"strategy\":\"lazy\"`
        then judged tells `the approval covers files whose diff was not shown`
        then implementation-reviewer was told `An earlier answer of your role could not be used: the approval covers files`
        then implementation-reviewer was not told `Read each of them`
        ",
    ),
    (
        "a blocker that was put off waits for a ruling before the feature ends, and is settled by it",
        "
        the policy is fresh
        the lane is express
        the feature goes until finish
        spec-author writes spec.md
        implementer writes `one\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\neight\\nnine\\n` to src/export.sh
        implementation-reviewer objects to `one` in src/export.sh
        implementer writes `ONE\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\neight\\nnine\\n` to src/export.sh
        implementation-reviewer objects to `eight` with I1 fixed in src/export.sh
        implementer writes `ONE\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\nEIGHT\\nnine\\n` to src/export.sh
        implementation-reviewer objects to `ONE` with I2 fixed in src/export.sh
        the run asks `before the feature ends, rule on 1 blocker that reviews deferred`
        then judged tells `put aside: I3 (deferred)`
        then asked tells `I3 of implement: ONE is not what was asked for`
        then the ledger has no retro-written
        a person decides accept
        the run is done
        then decided tells `\"ruled\":[\"I3\"]`
        the feature is merged
        ",
    ),
    (
        "what a person answered reaches a second pass of the specification, and who compares the code with it",
        "
        the feature goes until implement
        the run rests after specify
        spec-author asks `Which months?` and would assume `all of them`
        the run asks `spec-author`
        a person decides answer `those of this year`
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        a person goes back to specify
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then spec-reviewer was told `Answer: those of this year`
        then phase-reviewer was told `Answer: those of this year`
        a person leaves out design
        a person leaves out create-plan
        a person leaves out create-tasks
        the feature goes on
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        then implementation-reviewer was told `Answer: those of this year`
        ",
    ),
    (
        "in a new pass what was put off is open again",
        "
        the policy is fresh
        at most 0 repairs
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer objects to `the auditor sees` with S1 fixed
        spec-author changes `the auditor sees` to `an auditor sees` in spec.md
        spec-reviewer objects to `# Spec: report export` with S2 fixed
        phase-reviewer approves
        the run is done
        then phase-closed tells `\"deferred\":[\"S3\"]`
        a person goes back to specify
        spec-reviewer approves
        spec-reviewer approves with S3 fixed
        phase-reviewer approves
        the run is done
        then loop-opened tells `\"put_off\":[{\"phase\":\"specify\",\"id\":\"S3\"}]`
        then judged tells `no answer for S3`
        then spec-reviewer was told `- [S3] [blocker]`
        ",
    ),
];
