//! Money: reserved before it is spent, counted when it is lost, and a limit that is never exceeded.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 8] = [
    (
        "a dispatch that does not fit what is left is not sent, and a higher budget goes on",
        "
        the budget is $0.04
        scripted costs $0.02 of $0.03
        spec-author writes spec.md
        the run is short of money
        then spec-reviewer was asked never
        then the ledger has 1 budget-reached
        the run is short of money
        then the ledger has 1 budget-reached
        a person raises the budget to $0.5
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then it has cost $0.06
        ",
    ),
    (
        "what costs nothing goes on when all money is gone",
        "
        the budget is $0
        scripted costs $0 of $0
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "an agent that needs more is granted it while the budget lasts, and that is stored before it goes on",
        "
        spec-author writes spec.md
        and asks for $0.5
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then raised tells `500000`
        ",
    ),
    (
        "an agent that needs more than is left is cut off, and the run is short of money",
        "
        the budget is $0.2
        spec-author writes spec.md
        and asks for $0.5
        the run is short of money
        then failed tells `over_budget`
        then the ledger has no raised
        then spec.md is gone
        ",
    ),
    (
        "what was spent past every grant counts, whatever the budget says",
        "
        spec-author has spent $0.9
        and is cut off
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then raised tells `900000`
        then it has cost $0.93
        ",
    ),
    (
        "an attempt that is known to need more than is left is not made again",
        "
        the budget is $0.2
        spec-author would come to $0.4
        the run is short of money
        a person raises the budget to $2
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "a program that went on unwatched counts as the most it can have come to",
        "
        scripted goes on unwatched up to $0.7
        spec-author crashes
        the run fails with `an agent's thread ended in a panic`
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then raised tells `700000`
        then it has cost $0.73
        ",
    ),
    (
        "where there is no money left to look back, the feature ends with figures",
        "
        the lane is express
        the feature goes until finish
        somebody looks back
        the budget is $0.05
        scripted costs $0.015 of $0.018
        spec-author writes spec.md
        implementer writes `export\\n` to src/export.sh
        implementation-reviewer approves
        the run is done
        then retro-written tells `budget`
        ",
    ),
];
