//! Documents: drafted, gated, reviewed, revised, certified, approved; and every question a person is asked on the way.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 23] = [
    (
        "whoever writes is told how work is done in the repository, in its words where these are short",
        "
        README.md says how work is done: `# a project\\n`
        AGENTS.md says how work is done: `Times are in UTC.\\nThe key is sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\\n`
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then spec-author was not told `- README.md`
        then spec-author was told `# a project`
        then spec-author was told `Times are in UTC.`
        then spec-author was not told `sk-ant-api03`
        then spec-reviewer was not told `Times are in UTC.`
        then loop-opened tells `\"conventions\":`
        ",
    ),
    (
        "a draft that everybody approves is committed, approved and closed",
        "
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then spec.md says `within 10 seconds`
        then the ledger has 1 phase-closed
        then the commits are `redraft: specify approved | redraft: specify draft`
        then spec-reviewer was asked once
        then spec-reviewer was told `## What Was Asked For`
        then phase-reviewer was told `Export the monthly report as CSV`
        then it has cost $0.03
        ",
    ),
    (
        "what a reviewer finds is mended, and it looks again at what changed in the same conversation",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer was told `+- R1: When an accountant asks for the report, the system sends a CSV file within 5 seconds.`
        then spec-reviewer went on with its conversation
        then phase-reviewer began anew
        then judged tells `rejected`
        then the commits are `redraft: specify approved | redraft: specify review iteration 1 | redraft: specify draft`
        ",
    ),
    (
        "a suggestion holds nothing up",
        "
        spec-author writes spec.md
        spec-reviewer approves but suggests more than `one record`
        phase-reviewer approves
        the run is done
        then the ledger has 1 drafted
        ",
    ),
    (
        "where only blockers count, a warning is kept and holds nothing up",
        "
        the rule is only blockers count
        spec-author writes spec.md
        spec-reviewer approves but warns of `one record`
        phase-reviewer approves
        the run is done
        then the ledger has 1 drafted
        ",
    ),
    (
        "a document that fails its gate is mended before anybody reviews it",
        "
        spec-author writes `# Spec\\n\\n## Requirements\\n\\n- R1: TODO\\n` to spec.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 2 checked
        then spec-reviewer was asked once
        then spec-author was told `TODO`
        then the commits are `redraft: specify approved | redraft: specify draft after a failed gate | redraft: specify draft`
        ",
    ),
    (
        "a gate that fails as often as it may is a question, and a person goes on with it as it is",
        "
        at most 1 failed gate
        spec-author writes `# Spec\\n\\n- R1: TODO\\n` to spec.md
        the run asks `lint failed 1 time in a row`
        a person decides accept
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then spec.md says `TODO`
        ",
    ),
    (
        "an author that changes nothing twice is no author, and a person decides",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author does nothing
        spec-author does nothing
        the run asks `spec-author was told twice what is open and changed nothing`
        a person decides accept
        phase-reviewer approves
        the run is done
        then the commits are `redraft: specify accepted by a ruling | redraft: specify draft`
        ",
    ),
    (
        "what a turn said that left the file as it was reaches a new conversation",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author does nothing
        spec-author loses its conversation
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-author began anew
        then spec-author was told `It said:`
        ",
    ),
    (
        "an author that writes nothing is asked again, and in the end a person is",
        "
        at most 2 attempts
        spec-author does nothing
        spec-author does nothing
        the run asks `spec-author gave no usable answer in 2 attempts`
        a person decides retry
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then drafted tells `is missing or empty`
        ",
    ),
    (
        "an author may ask before it drafts, and what a person answers reaches it",
        "
        spec-author asks `Which months?` and would assume `all of them`
        the run asks `spec-author`
        a person decides answer `those of this year`
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then spec-author was told `those of this year`
        then spec-reviewer was told `Export the monthly report as CSV`
        then spec-reviewer was told `those of this year`
        then phase-reviewer was told `Export the monthly report as CSV`
        then phase-reviewer was told `those of this year`
        then the ledger has 1 asked
        ",
    ),
    (
        "an author that is left to its assumption is told so",
        "
        spec-author asks `Which months?` and would assume `all of them`
        the run asks `spec-author`
        a person decides assume
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then spec-author was told `all of them`
        ",
    ),
    (
        "at the cap a person rules, and what was open is settled",
        "
        at most 1 round
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        the run asks `did not approve within 1 round; 1 open finding`
        a person decides accept
        phase-reviewer approves
        the run is done
        then stage-closed tells `failed`
        then spec.md says `within 10 seconds`
        ",
    ),
    (
        "at the cap a person mends it, and a new pass begins with new conversations",
        "
        at most 1 round
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        the run asks `did not approve within 1 round`
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a person decides rerun
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then the ledger has 2 loop-opened
        then spec-reviewer began anew
        then phase-reviewer began anew
        then judged tells `fixed`
        ",
    ),
    (
        "at the cap a person gives the feature up",
        "
        at most 1 round
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        the run asks `did not approve within 1 round`
        a person decides abandon
        the run is done
        then the ledger has no phase-closed
        ",
    ),
    (
        "an approval that is older than the closing revision is validated",
        "
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer objects to `one record` in spec.md
        spec-author changes `one record` to `two records` in spec.md
        phase-reviewer approves with P1 fixed
        spec-reviewer approves
        the run is done
        then started tells `/validate/spec-reviewer/`
        ",
    ),
    (
        "where nobody certifies, an older approval holds",
        "
        nobody certifies
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer objects to `one record` in spec.md
        spec-author changes `one record` to `two records` in spec.md
        phase-reviewer approves with P1 fixed
        the run is done
        then spec-reviewer was asked once
        ",
    ),
    (
        "fresh eyes that find something reopen the phase once, and then a person is asked",
        "
        fresh eyes certify
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer objects to `one record` in spec.md
        spec-author changes `one record` to `two records` in spec.md
        phase-reviewer approves with P1 fixed
        spec-reviewer approves
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        spec-reviewer objects to `one line`
        the run asks `fresh eyes found 1 blocker after the phase had been reopened`
        a person decides accept
        the run is done
        ",
    ),
    (
        "a person's edit is committed by itself and reaches every reviewer in its next look",
        "
        the author rests
        a person writes spec.md
        spec-reviewer approves
        phase-reviewer misses `who may ask` in spec.md
        the run is left with findings
        a person changes `an accountant asks` to `an accountant of the branch asks` in spec.md
        phase-reviewer approves with P1 fixed
        spec-reviewer approves
        the run is done
        then the ledger has 2 edited
        then spec-reviewer was told `an accountant of the branch asks`
        then the commits are `redraft: specify approved | redraft: specify edited by a person | redraft: specify edited by a person`
        ",
    ),
    (
        "a document that a person takes away is written again",
        "
        at most 1 attempt
        spec-author writes spec.md
        spec-reviewer is refused
        the run asks `spec-reviewer gave no usable answer`
        a person removes spec.md
        a person decides retry
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 edited
        then checked tells `is missing`
        ",
    ),
    (
        "a document that holds a key is not committed, and nothing is lost",
        "
        spec-author writes `# Spec\\n\\nThe key is sk-ant-api03-Ab3dEf6hIjAb3dEf6hIjAb3dEf6hIjAb3dEf6hIjAb3dEf6hIjAb3dEf6hIj.\\n` to spec.md
        the run fails with `holds what looks like a secret`
        a person writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the commits are `redraft: specify approved | redraft: specify draft`
        ",
    ),
    (
        "in the express lane nobody reviews a document that passes its gate",
        "
        the lane is express
        spec-author writes spec.md
        the run is done
        then the ledger has no judged
        then the ledger has 1 phase-closed
        ",
    ),
    (
        "where the revision a reviewer last saw is lost, it is shown everything again",
        "
        at most 1 attempt
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author is refused
        the run asks `spec-author gave no usable answer`
        the newest revision is lost
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        a person decides retry
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then docs/features/001-feature/.review-history.md says `ANCHOR-LOST: spec-reviewer iteration 2 — git no longer has revision`
        then docs/features/001-feature/.review-history.md does not say `RESUME-FALLBACK`
        ",
    ),
];
