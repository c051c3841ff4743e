//! Defects in the documents the checks were written with.

use super::{Plant, plant};

pub(super) const PLANTS: &[Plant] = &[
    // A requirement without a criterion.
    plant(
        "invites",
        &[(
            "- **AC3** (R3): Given an accepted invitation, when its link is opened again, then it is refused.\n",
            "",
        )],
        "testability",
        "R3",
    ),
    plant("invites", &[("- **AC7** (R7)", "- **AC7** (R1)")], "testability", "R7"),
    plant(
        "export",
        &[(
            "**Acceptance criteria:**\n- The shown progress changes while a large notebook is exported.\n",
            "",
        )],
        "testability",
        "FR-3",
    ),
    plant(
        "quota",
        &[(
            "| AC-4 | REQ-4 | After the setup of a quota of 20 GB, 15 GB can be stored; 0 GB is refused. |\n",
            "",
        )],
        "testability",
        "REQ-4",
    ),
    plant("login", &[("* R4-R5: the", "* R5: the")], "testability", "R4"),
    plant(
        "login",
        &[("* R3: with the clock moved on by 15 minutes the account is open.\n", "")],
        "testability",
        "R3",
    ),
    plant("sync", &[("(FR-02, NFR-1)", "(FR-02)")], "testability", "NFR-1"),
    plant(
        "sync",
        &[(
            "### AC-03: conflicts\n\nCovers FR-03. Given two devices with different changes to one entry, then both versions are kept and marked.\n\n",
            "",
        )],
        "testability",
        "FR-03",
    ),
    plant(
        "billing",
        &[("   - Acceptance: the cancelled invoice and its correction are both listed.\n", "")],
        "testability",
        "R4",
    ),
    // A goal without a requirement.
    plant("invites", &[("at once (G3)", "at once")], "traceability", "G3"),
    plant(
        "export",
        &[
            (
                "### FR-2: Produce a PDF\n\nWhen the writer confirms, the system shall produce one PDF with a table of contents.\n\n**Acceptance criteria:**\n- The file opens in a common viewer.\n- Its table of contents has one entry for each note.\n\n",
                "",
            ),
            ("the PDF holds its title", "the export holds its title"),
        ],
        "traceability",
        "Writers get their notes out as PDF files",
    ),
    plant(
        "search",
        &[
            ("- A page that was deleted never shows up in the results.\n", ""),
            ("- [ ] After a page is deleted a search for its title does not list it.\n", ""),
            ("- A page is deleted while results are shown -> its link leads to the start page.\n", ""),
        ],
        "traceability",
        "Deleted pages do not confuse anybody",
    ),
    // Two numbers for one thing.
    plant(
        "invites",
        &[("## Out of Scope", "## Limits\n\n- A workspace has at most 40 members.\n\n## Out of Scope")],
        "clarity",
        "40 members",
    ),
    plant(
        "invites",
        &[
            ("older than 7 days, the", "older than 14 days, the"),
            (
                "## Out of Scope",
                "## Limits\n\n- An invitation is refused when it is older than 7 days.\n\n## Out of Scope",
            ),
        ],
        "clarity",
        "7 days",
    ),
    plant(
        "export",
        &[(
            "## Edge Cases",
            "## Limits\n\nAn export larger than 250 MB is split into several files.\n\n## Edge Cases",
        )],
        "clarity",
        "250 MB",
    ),
    plant("quota", &[("The default quota is 10 GB", "The default quota is 15 GB")], "clarity", "15 GB"),
    plant(
        "quota",
        &[("is never older than 5 minutes", "is never older than 9 minutes")],
        "clarity",
        "9 minutes",
    ),
    plant(
        "login",
        &[(
            "with the clock moved on by 15 minutes the account is open",
            "the account opens 20 minutes after the lock",
        )],
        "clarity",
        "20 minutes",
    ),
    plant(
        "sync",
        &[(
            "## Open Questions",
            "## Sizes\n\nThe local store holds at most 2,000 changes.\n\n## Open Questions",
        )],
        "clarity",
        "2,000 changes",
    ),
    plant(
        "billing",
        &[("Copies are kept for 10 years", "Copies are kept for 7 years")],
        "clarity",
        "7 years",
    ),
    // A failure nobody handles.
    plant(
        "invites",
        &[(
            "- The same link is used twice.",
            "- The same link is used twice.\n- The clocks of two servers differ.",
        )],
        "assumptions",
        "The clocks of two servers differ.",
    ),
    plant(
        "export",
        &[(
            "- Export interrupted by a restart.",
            "- Export interrupted by a restart.\n- The font of a note is not installed.",
        )],
        "assumptions",
        "The font of a note is not installed.",
    ),
    plant(
        "login",
        &[("* The clock is moved back", "* The owner has lost the mailbox\n* The clock is moved back")],
        "assumptions",
        "The owner has lost the mailbox",
    ),
    plant(
        "search",
        &[
            (
                "- If the index cannot be reached, the reader is told to try again and the rest of the page works.\n",
                "",
            ),
            (
                "- [ ] With the index switched off the page still loads and asks the reader to try again.\n",
                "",
            ),
            ("- The index is not available.\n", ""),
        ],
        "assumptions",
        "The search index is down",
    ),
    plant(
        "sync",
        &[("- Two devices change", "- The clock of a device jumps backwards\n- Two devices change")],
        "assumptions",
        "The clock of a device jumps backwards",
    ),
    plant(
        "billing",
        &[("- The run is started", "- A tax rate changes in the middle of the month.\n- The run is started")],
        "assumptions",
        "A tax rate changes in the middle of the month.",
    ),
    // One term in two spellings.
    plant(
        "invites",
        &[
            ("enters an email address", "enters an e-mail address"),
            ("## Failure Cases", "## Failure Cases\n\nAn email is lost (R5)."),
        ],
        "clarity",
        "e-mail",
    ),
    plant(
        "quota",
        &[
            ("shall be at most 5 minutes old", "shall be kept in the data base and be at most 5 minutes old"),
            ("## 6. Open", "The database is replaced by nobody.\n\n## 6. Open"),
        ],
        "clarity",
        "data base",
    ),
    plant(
        "login",
        &[
            ("after failed logins", "after failed log-ins"),
            ("Not in scope", "A login is an attempt to log in.\n\nNot in scope"),
        ],
        "clarity",
        "login",
    ),
    plant(
        "billing",
        &[("Copies are kept", "Templates are pulled from Github. Copies are kept")],
        "clarity",
        "Github",
    ),
    plant(
        "search",
        &[
            ("search terms?", "search terms on the web site?"),
            ("Readers cannot", "Readers of the website cannot"),
        ],
        "clarity",
        "website",
    ),
    // An open question without owner or default.
    plant(
        "invites",
        &[(" Owner: Ines. Default: yes.", "")],
        "completeness",
        "Should guests be counted as members?",
    ),
    plant(
        "quota",
        &[("| Marek | they count |", "|  |  |")],
        "completeness",
        "Do deleted files count until they are purged?",
    ),
    plant("search", &[(" (Priya)", "")], "completeness", "How long do we keep search terms?"),
    plant(
        "export",
        &[("None.\n", "- Which fonts are embedded?\n")],
        "completeness",
        "Which fonts are embedded?",
    ),
    // A reference to nothing.
    plant(
        "invites",
        &[("further invitations and name the limit.", "further invitations and name the limit (see R12).")],
        "consistency",
        "R12",
    ),
    plant("quota", &[("| AC-6 | REQ-6 |", "| AC-6 | REQ-6, REQ-9 |")], "consistency", "REQ-9"),
    plant(
        "billing",
        &[(
            "which creates a correction with a new number.",
            "which creates a correction with a new number, see section Corrections.",
        )],
        "consistency",
        "Corrections",
    ),
    plant(
        "sync",
        &[("then it is refused with a reason.", "then it is refused with a reason, see FR-07.")],
        "consistency",
        "FR-07",
    ),
];
