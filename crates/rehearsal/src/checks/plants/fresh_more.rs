//! The other two kinds in the same ten documents: a failure nobody handles, one term in two spellings.

use super::{Plant, plant};

pub(super) const PLANTS: &[Plant] = &[
    // A failure nobody handles.
    plant(
        "greenhouse",
        &[
            (
                "- **R4** When the tank is empty, the controller shall close all valves and call the grower.\n",
                "",
            ),
            (
                "4. (R4) With the float of the tank down, every valve is shut and the phone of the grower rings.\n",
                "",
            ),
        ],
        "assumptions",
        "The tank is empty.",
    ),
    plant(
        "library",
        &[
            (
                "### FR-6 Damaged cards\n\nAs a reader with a damaged card I want to type my number and birthday instead.\n\n",
                "",
            ),
            ("| AC-6 | FR-6 | With number and birthday the reader can borrow without a card. |\n", ""),
        ],
        "assumptions",
        "The reader's card is damaged.",
    ),
    plant(
        "parking",
        &[
            (
                "| REQ-6 | Without network, the app shall store the start on the phone and send it later with its true time. |\n",
                "",
            ),
            (
                "| T6 | REQ-6 | A start without network appears at the warden's with its true time once the phone is back. |\n",
                "",
            ),
        ],
        "assumptions",
        "The phone has no network in the garage",
    ),
    plant(
        "clinic",
        &[
            (
                "5. **FR5**: If a doctor falls ill, all patients of the day are called in the order of their appointments and offered another one.\n",
                "",
            ),
            ("- FR5: after the entry \"ill\" a call list of that day's patients exists.\n", ""),
        ],
        "assumptions",
        "A doctor falls ill in the morning.",
    ),
    plant(
        "recipes",
        &[
            (
                "R6. When a recipe gets the name of another one, the app shall add the date to the newer name.\n\n",
                "",
            ),
            ("- AC6 for R6: the second \"Pancakes\" is called \"Pancakes\" with its date.\n", ""),
        ],
        "assumptions",
        "Two recipes in the box have one name.",
    ),
    plant(
        "payroll",
        &[
            (
                "### FR-06: Contracts that change\n\nIf a contract changes within a month, each day is paid by the contract of that day.\n\n",
                "",
            ),
            (
                "- **AC-06** (FR-06): With a raise on the 16th, the first half of the month is paid at the old wage.\n",
                "",
            ),
        ],
        "assumptions",
        "A contract changes within the month.",
    ),
    plant(
        "ferry",
        &[
            (
                "**REQ-5.** When a ticket is shown a second time, the scanner shall refuse it and show when it was used.\n\n",
                "",
            ),
            ("- **A5** [REQ-5] The second scan of a ticket is refused with the time of the first.\n", ""),
        ],
        "assumptions",
        "A ticket is shown a second time.",
    ),
    plant(
        "podcasts",
        &[
            (
                "#### R-4 Moved feeds\n\nWhen a feed has moved, the player follows it and keeps the subscription.\n\n",
                "",
            ),
            ("- R-4: after a move of the feed new episodes still arrive.\n", ""),
        ],
        "assumptions",
        "The feed of a podcast has moved.",
    ),
    plant(
        "shelter",
        &[
            (
                "- R4 – If two families want the same dog, the one that asked first shall be invited first and the other one shall be put on a waiting list.\n",
                "",
            ),
            ("- R4: of two families the second one is on the waiting list.\n", ""),
        ],
        "assumptions",
        "Two families want the same dog.",
    ),
    plant(
        "museum",
        &[
            (
                "| FR-4 | When a device leaves the building, the guide shall beep and the desk shall be warned. |\n",
                "",
            ),
            ("- [ ] FR-4: behind the door the device beeps, and the desk has a warning.\n", ""),
        ],
        "assumptions",
        "A visitor leaves with a device.",
    ),
    // One term in two spellings.
    plant(
        "greenhouse",
        &[("\n## Out of scope", "The color of an open valve is green.\n\n## Out of scope")],
        "clarity",
        "color",
    ),
    plant(
        "library",
        &[("side tray with a note", "side tray with a note and an entry in the catalog")],
        "clarity",
        "catalogue",
    ),
    plant(
        "parking",
        &[("is checked at login.", "is checked at login. A driver needs no license for the app.")],
        "clarity",
        "license",
    ),
    plant(
        "clinic",
        &[("and one of the two is dropped", "and the canceled one is dropped")],
        "clarity",
        "canceled",
    ),
    plant(
        "recipes",
        &[("above the first step.\n- AC3", "above the first step, also in a favorite recipe.\n- AC3")],
        "clarity",
        "Favourite",
    ),
    plant(
        "payroll",
        &[(
            "- **AC-03** (FR-03): After the button",
            "- **AC-03** (FR-03): After an authorized accountant used the button",
        )],
        "clarity",
        "authorised",
    ),
    plant(
        "ferry",
        &[("The harbour is", "The harbor office is open daily. The harbour is")],
        "clarity",
        "harbour",
    ),
    plant(
        "podcasts",
        &[
            ("end of what was loaded.\n", "end of what was loaded; the play-list goes on.\n"),
            ("Every 10 seconds the", "A playlist has no end. Every 10 seconds the"),
        ],
        "clarity",
        "playlist",
    ),
    plant(
        "shelter",
        &[
            ("is not accepted.", "is not accepted by the data-base."),
            ("Enquiries are answered", "The database of animals is public. Enquiries are answered"),
        ],
        "clarity",
        "database",
    ),
    plant(
        "museum",
        &[("and the desk has a warning.", "and the desk of the visitor center has a warning.")],
        "clarity",
        "centre",
    ),
];
