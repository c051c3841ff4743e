//! Findings that an author declines: the reviewer hears the reply, and in the end a person decides.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 6] = [
    (
        "a finding that its author declines goes to the reviewer, who is convinced, and nothing changes",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author declines S1 because `R1 says what was asked for`
        spec-reviewer withdraws S1 because `the idea says within 10 seconds`
        phase-reviewer approves
        the run is done
        then spec-reviewer was told `Reply: R1 says what was asked for`
        then spec-reviewer was told `within 10 seconds is not what was asked for`
        then spec-reviewer went on with its conversation
        then drafted tells `\"declined\":[{\"id\":\"S1\",\"why\":\"R1 says what was asked for\"}]`
        then the commits are `redraft: specify approved | redraft: specify draft`
        ",
    ),
    (
        "a reviewer that hears a reply in a new conversation is shown finding and reply, and that nothing has changed",
        "
        the policy is fresh
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author declines S1 because `R1 says what was asked for`
        spec-reviewer withdraws S1 because `the idea says within 10 seconds`
        phase-reviewer approves
        the run is done
        then spec-reviewer was told `Nothing has changed since then: the author declines findings of your role`
        then spec-reviewer was told `in the light of Declined Findings`
        then spec-reviewer was told `Reply: R1 says what was asked for`
        then spec-reviewer was told `within 10 seconds is not what was asked for`
        then spec-reviewer was not told `## Delta`
        then spec-reviewer was asked twice
        ",
    ),
    (
        "a finding on which both insist is a question with both texts, and one that is overruled fails no stage",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author declines S1 because `R1 says what was asked for`
        spec-reviewer keeps S1 because `nobody asked for a number`
        spec-author declines S1 because `the idea has the number`
        the run asks `spec-author and spec-reviewer disagree about S1`
        then asked tells `S1 blocker, spec-reviewer: within 10 seconds is not what was asked for`
        then asked tells `spec-author: R1 says what was asked for`
        then asked tells `spec-reviewer: nobody asked for a number`
        then asked tells `spec-author: the idea has the number`
        then spec-author was told `The reviewer keeps it: nobody asked for a number`
        then spec-author was told `Your reason: R1 says what was asked for`
        then spec-author was not told `The file must change`
        then spec-reviewer was asked twice
        a person decides overrule
        phase-reviewer approves
        the run is done
        then phase-closed tells `\"overruled\":[\"S1\"]`
        then phase-reviewer was told `APPROVED at iteration 2/5`
        then phase-reviewer was told `Overruled by tester: because`
        then the commits are `redraft: specify approved | redraft: specify draft`
        ",
    ),
    (
        "a finding that a person upholds must be mended, and its author is told who said so and why",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author declines S1 because `R1 says what was asked for`
        spec-reviewer keeps S1 because `nobody asked for a number`
        spec-author declines S1 because `the idea has the number`
        the run asks `disagree about S1`
        a person decides uphold
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-author was told `Upheld by a person (tester): because`
        then spec-reviewer was asked 3 times
        then spec-reviewer was not told `Reply:`
        ",
    ),
    (
        "an author that declines what a person upheld has answered nothing and is told that the file must change",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author declines S1 because `no`
        spec-reviewer keeps S1 because `yes`
        spec-author declines S1 because `no`
        the run asks `disagree about S1`
        a person decides uphold
        spec-author declines S1 because `still no`
        spec-author declines S1 because `never`
        the run asks `spec-author was told twice what is open and changed nothing`
        then spec-author was told `The file must change`
        then spec-reviewer was asked twice
        a person decides accept
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "what a declining author said reaches a new conversation of its role",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author declines S1 because `R1 says what was asked for`
        spec-reviewer keeps S1 because `nobody asked for a number`
        spec-author loses its conversation
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-author began anew
        then spec-author was told `Your reason: R1 says what was asked for`
        then spec-author was told `The reviewer keeps it: nobody asked for a number`
        ",
    ),
];
