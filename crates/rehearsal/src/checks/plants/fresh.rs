//! Defects in ten documents that were written before the rules that find them: one of each of the five kinds in each
//! document. Here are requirements without a criterion, goals without a requirement and two numbers.

use super::{Plant, plant};

pub(super) const PLANTS: &[Plant] = &[
    // A requirement without a criterion.
    plant(
        "greenhouse",
        &[("6. (R6) After two waterings the diary has two lines with litres.\n", "")],
        "testability",
        "R6",
    ),
    plant(
        "library",
        &[("| AC-2 | FR-2 | A receipt with the title and the time is printed. |\n", "")],
        "testability",
        "FR-2",
    ),
    plant(
        "parking",
        &[("| T4 | REQ-4 | A plate is corrected after 9 minutes; after 11 minutes the app refuses. |\n", "")],
        "testability",
        "REQ-4",
    ),
    plant(
        "clinic",
        &[("- FR4: a booking with the tick creates an order with the language.\n", "")],
        "testability",
        "FR4",
    ),
    plant(
        "recipes",
        &[("- AC3 for R3: two recipes with 200 g and 300 g of flour give 500 g on the list.\n", "")],
        "testability",
        "R3",
    ),
    plant(
        "payroll",
        &[(
            "- **AC-02** (FR-02): A shift from 22:00 to 2:00 has one hour at the usual wage and three with the supplement.\n",
            "",
        )],
        "testability",
        "FR-02",
    ),
    plant(
        "ferry",
        &[("- **A6** [REQ-6] The printed list has all tickets sold until an hour before.\n", "")],
        "testability",
        "REQ-6",
    ),
    plant(
        "podcasts",
        &[("- R-3: a marked advertisement shows as a coloured part of the bar.\n", "")],
        "testability",
        "R-3",
    ),
    plant(
        "shelter",
        &[("- R5: the file of a returned animal is open and names the reason.\n", "")],
        "testability",
        "R5",
    ),
    plant(
        "museum",
        &[("- [ ] FR-3: a changed word is heard on every device after 15 minutes.\n", "")],
        "testability",
        "FR-3",
    ),
    // A goal without a requirement.
    plant(
        "greenhouse",
        &[
            (
                "- **R2** While rain is forecast for the next 6 hours, the controller shall not water the beds outside.\n",
                "",
            ),
            (
                "2. (R2) With rain forecast in 5 hours, the valves outside stay shut although their beds are dry.\n",
                "",
            ),
        ],
        "traceability",
        "Water use goes down when it rains.",
    ),
    plant(
        "library",
        &[
            (
                "### FR-3 Age limit\n\nAs a parent I want the desk to refuse films for adults to readers under 18 so that my children do not take them home.\n\n",
                "",
            ),
            ("| AC-3 | FR-3 | A card of a fourteen-year-old is refused for such a film. |\n", ""),
        ],
        "traceability",
        "Children cannot take home films for adults.",
    ),
    plant(
        "parking",
        &[
            ("| REQ-3 | The app shall charge nothing to residents who park in their own street. |\n", ""),
            (
                "| T3 | REQ-3 | A resident pays nothing in the street of the permit and the usual price elsewhere. |\n",
                "",
            ),
        ],
        "traceability",
        "Residents park for free in their own street Council decision",
    ),
    plant(
        "clinic",
        &[
            (
                "4. **FR4**: Where a patient ticks \"interpreter\", the desk receives an order for that language.\n",
                "",
            ),
            ("- FR4: a booking with the tick creates an order with the language.\n", ""),
        ],
        "traceability",
        "G4",
    ),
    plant(
        "recipes",
        &[
            ("R2. The recipe shall show its allergens above the first step.\n\n", ""),
            ("- AC2 for R2: \"contains nuts\" stands above the first step.\n", ""),
        ],
        "traceability",
        "Allergens are visible before cooking starts.",
    ),
    plant(
        "payroll",
        &[
            (
                "### FR-02: Night supplement\n\nNight work between 23:00 and 6:00 is paid with a supplement of a quarter of the wage.\n\n",
                "",
            ),
            (
                "- **AC-02** (FR-02): A shift from 22:00 to 2:00 has one hour at the usual wage and three with the supplement.\n",
                "",
            ),
        ],
        "traceability",
        "Night work is paid with its supplement.",
    ),
    plant(
        "ferry",
        &[
            (
                "**REQ-1.** Where a traveller has an islander card, the system shall sell the reduced fare.\n\n",
                "",
            ),
            (
                "- **A1** [REQ-1] With an islander card the price is the reduced fare, without it the full one.\n",
                "",
            ),
        ],
        "traceability",
        "Islanders cross at a reduced fare.",
    ),
    plant(
        "podcasts",
        &[
            (
                "#### R-3 Marked advertisements\n\nThe player colours the bar where an advertisement runs.\n\n",
                "",
            ),
            ("- R-3: a marked advertisement shows as a coloured part of the bar.\n", ""),
        ],
        "traceability",
        "O3",
    ),
    plant(
        "shelter",
        &[
            ("- R3 – A vet shall see all treatments of an animal, newest first.\n", ""),
            ("- R3: three treatments are listed, the newest one on top.\n", ""),
        ],
        "traceability",
        "Vets see the history of every animal.",
    ),
    plant(
        "museum",
        &[
            (
                "| FR-2 | For visitors with poor sight the guide shall give spoken directions from room to room. |\n",
                "",
            ),
            ("- [ ] FR-2: with closed eyes a tester gets from room 1 to room 5.\n", ""),
        ],
        "traceability",
        "Visitors with poor sight are led from room to room.",
    ),
    // Two numbers for one thing.
    plant(
        "greenhouse",
        &[("open for more than 15 minutes", "open for more than 25 minutes")],
        "clarity",
        "25 minutes",
    ),
    plant("library", &[("more than 20 books", "more than 12 books")], "clarity", "12 books"),
    plant("parking", &[("for up to 10 minutes", "for up to 30 minutes")], "clarity", "30 minutes"),
    plant(
        "clinic",
        &[("are listed for the coming 8 weeks", "are listed for the coming 12 weeks")],
        "clarity",
        "12 weeks",
    ),
    plant("recipes", &[("A photo is limited to 4 MB", "A photo is limited to 6 MB")], "clarity", "6 MB"),
    plant("payroll", &[("are deleted after 6 years", "are deleted after 10 years")], "clarity", "10 years"),
    plant("ferry", &[("is held for 30 minutes", "is held for 45 minutes")], "clarity", "45 minutes"),
    plant(
        "podcasts",
        &[("Every 10 seconds the position", "Every 60 seconds the position")],
        "clarity",
        "60 seconds",
    ),
    plant(
        "shelter",
        &[("Enquiries are answered within 3 days", "Enquiries are answered within 5 days")],
        "clarity",
        "5 days",
    ),
    plant("museum", &[("works for at least 8 hours", "works for at least 6 hours")], "clarity", "6 hours"),
];
