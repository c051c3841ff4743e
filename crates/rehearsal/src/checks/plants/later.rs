//! Defects of the same kinds in documents that were written after the checks.

use super::{Plant, plant};

pub(super) const PLANTS: &[Plant] = &[
    plant(
        "checkout",
        &[(
            "5. AC5 [FR5] With a test card that is declined, cart and address are still filled in and the reason is shown.\n",
            "",
        )],
        "testability",
        "FR5",
    ),
    plant(
        "checkout",
        &[("propose matching streets within 300 ms.", "propose matching streets within 500 ms.")],
        "clarity",
        "300 ms",
    ),
    plant("checkout", &[("the e-mail arrives", "the email arrives")], "clarity", "email"),
    plant(
        "checkout",
        &[(" Decision: yes, behind a flag.", "")],
        "completeness",
        "Do we keep the old checkout for 30 days?",
    ),
    plant("checkout", &[("AC6 [FR6]", "AC6 [FR6, FR9]")], "consistency", "FR9"),
    plant(
        "checkout",
        &[("| Card declined | FR5 |", "| Card declined | FR5 |\n| Postcode of another country | |")],
        "assumptions",
        "Postcode of another country",
    ),
    plant(
        "checkout",
        &[
            (
                "**FR3 - Guest checkout.** A shopper without an account shall be able to order; the page shall not require a login.\n",
                "",
            ),
            ("3. AC3 [FR3] A guest can order without logging in.\n", ""),
        ],
        "traceability",
        "G-2",
    ),
    plant(
        "audit",
        &[(
            "- R5: the API offers no call for it; a direct update in the database is refused by a trigger.\n",
            "",
        )],
        "testability",
        "R5",
    ),
    plant(
        "audit",
        &[
            ("R4. The log can be downloaded as CSV, up to 50,000 entries per file.\n", ""),
            ("- R4: with 50,001 entries the download gives two files.\n", ""),
        ],
        "traceability",
        "Auditors get a file they can keep",
    ),
    plant(
        "memos",
        &[(" R2.2: after a restart the memo goes on where it stopped.", "")],
        "testability",
        "R2.2",
    ),
    plant(
        "memos",
        &[("a link works for 7 days; on day 8", "a link works for 14 days; later")],
        "clarity",
        "14 days",
    ),
    plant("memos", &[("(section 2.3)", "(section 2.7)")], "consistency", "2.7"),
    plant(
        "gateway",
        &[
            ("**AC-4 (R4)** After 40 requests with a key, the header says 60.\n\n", ""),
            ("| R4 | AC-4 |\n", ""),
        ],
        "testability",
        "R4",
    ),
    plant(
        "gateway",
        &[("The header says at most 60 seconds.", "The Retry-After header says at most 90 seconds.")],
        "clarity",
        "90 seconds",
    ),
    plant(
        "gateway",
        &[("## Decisions\n", "## Decisions\n\nA key is served 120 requests within a minute.\n")],
        "clarity",
        "120 requests",
    ),
    plant(
        "gateway",
        &[(
            "3. Customer without a key behind a shared address\n",
            "3. Customer without a key behind a shared address\n4. An API key is revoked while a request is in flight\n",
        )],
        "assumptions",
        "An API key is revoked while a request is in flight",
    ),
    plant(
        "backup",
        &[(
            "The backup target has 2 TB.",
            "The backup target has 2 TB. A restore of one user takes less than 45 minutes.",
        )],
        "clarity",
        "45 minutes",
    ),
    plant("backup", &[("| Fault injection |", "|  |")], "testability", "FR-4"),
    plant(
        "courses",
        &[("- REQ-005: the reminder has arrived 2 days before the start.\n", "")],
        "testability",
        "REQ-005",
    ),
    plant(
        "courses",
        &[("**Notes**", "**Notes**\n\nA course has at most 25 students.")],
        "clarity",
        "25 students",
    ),
];
