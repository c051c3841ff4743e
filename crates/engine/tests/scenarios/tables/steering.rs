//! What people say while a feature is worked on: it reaches the author, the reviewers see it, no phase closes over it.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 14] = [
    (
        "what is said before the first draft is in its prompt, and its reviewer rules on it",
        "
        a person comments on specify that `use Postgres, not files`
        spec-author writes spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run is done
        then spec-author was told `The user said this before you began; answer every id:`
        then spec-author was told `[U1] [blocker] [comment] use Postgres, not files`
        then spec-author was told `What the user said is among them: U1 (ann)`
        then spec-reviewer was told `[U1] [blocker] [comment] use Postgres, not files`
        then spec-reviewer was told `is not yours to say`
        then phase-reviewer was told `- [U1] ann: use Postgres, not files`
        then judged tells `{\"fixed\":{\"id\":\"U1\"`
        then the ledger has 1 commented
        ",
    ),
    (
        "an author that was at work is sent what was said meanwhile before anybody reviews",
        "
        spec-author writes spec.md
        and the user comments on specify that `use Postgres`
        spec-author writes spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run is done
        then spec-author was asked twice
        then spec-reviewer was asked once
        then the ledger has 1 commented
        ",
    ),
    (
        "an approval that was given without knowing of a comment does not close the stage",
        "
        spec-author writes spec.md
        spec-reviewer approves
        and the user comments on specify that `use Postgres`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer was asked twice
        then the ledger has 1 commented
        ",
    ),
    (
        "a comment during the last review is worked in, ruled on, and the last approval is validated",
        "
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        and the user comments on specify that `use Postgres`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run is done
        then the ledger has 1 commented
        then phase-closed tells `spec-reviewer`
        ",
    ),
    (
        "a reviewer cannot withdraw what a person said",
        "
        a person comments on specify that `use Postgres`
        spec-author writes spec.md
        spec-reviewer withdraws U1 because `files are enough`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run is done
        then judged tells `U1 is a person's comment and is not withdrawn by others; it stays open`
        ",
    ),
    (
        "a comment on a phase that is over opens it again once the agent at work is done",
        "
        the feature goes until design
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        design-author writes design.md
        design-reviewer approves
        and the user comments on specify that `use Postgres`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        design-reviewer approves
        phase-reviewer approves
        the run is done
        then went-back tells `use Postgres`
        then spec-author was told `The user said this; answer every id:`
        then the ledger has 1 commented
        then spec-author was told `use Postgres`
        ",
    ),
    (
        "a note is shown and holds nothing up",
        "
        a person notes on specify that `a table would read better`
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then spec-author was told `[U1] [warning] [comment] a table would read better`
        then the ledger has 1 commented
        then the ledger has 1 phase-closed
        ",
    ),
    (
        "a person opens a comment again that a reviewer took for met",
        "
        the feature goes until design
        a person comments on specify that `use Postgres`
        spec-author writes spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run rests after specify
        the run is done
        a person opens U1 of specify again because `there are still files`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run is done
        then spec-author was told `The user opened it again: there are still files`
        then spec-author was not told `opened again by ann`
        then the ledger has 2 commented
        then the ledger has 1 went-back
        ",
    ),
    (
        "who opens a comment again that somebody else has just opened again says one thing more, and nothing is lost",
        "
        the feature goes until design
        a person comments on specify that `use Postgres`
        spec-author writes spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run rests after specify
        the run is done
        a person opens U1 of specify again because `there are still files`
        a person opens U1 of specify again because `and a cache on disk`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with U1, U2 fixed
        phase-reviewer approves
        the run is done
        then spec-author was told `The user opened it again: there are still files`
        then spec-author was told `[U2] [blocker] [comment] on U1: and a cache on disk`
        then the ledger has 3 commented
        then the ledger has 1 went-back
        ",
    ),
    (
        "a reviewer that is asked once more is told why a comment was opened again",
        "
        a person comments on specify that `use Postgres`
        spec-author writes spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer objects to `within 10 seconds` in spec.md
        and the user opens U1 of specify again because `there are still files`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves with P1 fixed
        the run is done
        then spec-reviewer went on with its conversation
        then spec-reviewer was told `The user opened it again: there are still files`
        ",
    ),
    (
        "a person who wants to approve a phase is asked, and what they say instead is worked in first",
        "
        specify is approved by a person
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run asks `look at revision`
        then asked tells `\"about\":\"approval\"`
        a person decides comment
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run asks `look at revision`
        then spec-author was told `[U1] [blocker] [comment] because`
        a person decides approve
        the run is done
        then the ledger has 1 commented
        then the ledger has 2 asked
        then the ledger has 1 decided
        ",
    ),
    (
        "a person is asked anew where a comment changed nothing, because they have not seen that",
        "
        specify is approved by a person
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run asks `look at revision`
        a person decides comment
        spec-author does nothing
        spec-reviewer approves with U1 fixed
        the run asks `look at revision`
        a person decides approve
        the run is done
        then the ledger has 2 asked
        ",
    ),
    (
        "a reviewer that goes on in a new conversation is not told that it left what the user said",
        "
        the policy is fresh
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        and the user comments on specify that `use Postgres`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with U1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer was told `judged spec.md; what the user says about it is listed under Open Findings`
        then spec-reviewer was not told `left the findings listed under Open Findings`
        ",
    ),
    (
        "where nobody reviews, the author's change meets a comment",
        "
        the lane is express
        the feature goes until specify
        a person comments on specify that `use Postgres`
        spec-author writes spec.md
        the run is done
        then the ledger has 1 commented
        then the ledger has 1 phase-closed
        ",
    ),
];
