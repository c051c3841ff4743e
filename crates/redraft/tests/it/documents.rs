//! Documents written by hand for these tests.

pub(crate) const PRD: &str = "\
# Report export

## Problem Statement

Accountants copy the monthly report by hand into a spreadsheet.

## Goals

- Accountants can download the monthly report as a CSV file.
- Every download is recorded for the auditor.
";

/// Nothing in it contradicts anything else in it or in the PRD.
pub(crate) const CLEAN: &str = "\
# Spec: report export

## Problem Statement

Accountants copy the monthly report by hand into a spreadsheet, which takes hours and goes wrong.

## Requirements

- **R1**: When an accountant asks for the monthly report as CSV, the system shall send a CSV file within 10 seconds.
- **R2**: When a CSV file was downloaded, the system shall record the download with user and time for the auditor.
- **R3**: If the report database does not answer, the system shall show an error and record nothing.

## Acceptance Criteria

- AC1 (R1): asking for the report of March gives a CSV file with one line per booking.
- AC2 (R2): after a download the auditor sees one record with user and time.
- AC3 (R3): with the report database stopped, an error is shown and the auditor sees no record.

## Failure Cases

- The report database does not answer.

## Out of Scope

- Other formats than CSV.
";

/// [`CLEAN`] with three defects: R2 has no criterion, the time limit is stated twice with different numbers, and
/// one word is spelt in two ways.
pub(crate) fn planted() -> String {
    let without_criterion =
        CLEAN.replace("- AC2 (R2): after a download the auditor sees one record with user and time.\n", "");
    let two_numbers = without_criterion.replace(
        "## Out of Scope\n",
        "## Constraints\n\nThe system shall send a CSV file within 30 seconds.\n\n## Out of Scope\n",
    );
    two_numbers.replace("- The report database does not answer.", "- The report data-base does not answer.")
}
