//! Documents and answers for scenarios that do not spell out their own.

/// A document that passes its gate.
pub(crate) fn good(name: &str) -> &'static str {
    match name {
        "spec.md" => SPEC,
        "design.md" => DESIGN,
        "plan.md" => PLAN,
        "tasks.md" => TASKS,
        other => panic!("nobody has written {other}"),
    }
}

const SPEC: &str = "\
# Spec: report export

## Requirements

- R1: When an accountant asks for the report, the system sends a CSV file within 10 seconds.
- R2: When a file was downloaded, the system records who asked for it.

## Acceptance Criteria

- AC1 (R1): asking for the report of March gives one line per booking.
- AC2 (R2): after a download the auditor sees one record.
";

const DESIGN: &str = "\
# Design: report export

## Components

- The exporter reads bookings and writes CSV (R1).
- The recorder writes one line per download (R2).
";

const PLAN: &str = "\
# Plan: report export

## Steps

1. Write the exporter (R1).
2. Write the recorder (R2).
";

const TASKS: &str = "\
# Tasks: report export

## Task 1: Write the exporter

It writes one line per booking to `src/export.sh`.

## Task 2: Write the recorder

It writes one line per download to `src/record.sh`. Depends on: Task 1.
";

/// Tasks that neither need each other nor write the same files.
pub(crate) const BESIDE: &str = "\
# Tasks: report export

## Task 1: Write the exporter

It writes one line per booking.

**Files:** src/export.sh

## Task 2: Write the recorder

It writes one line per download.

**Files:** src/record.sh

## Task 3: Write the reader

It reads what both have written.

**Files:** src/read.sh
";

/// The answer of an agent that looks back on a feature.
pub(crate) const RETRO: &str = r#"{"observations": [{"text": "The first draft was approved.", "evidence": "spec.md"}],
 "recommendations": [], "patterns": [], "anti_patterns": [],
 "heuristics": [{"name": "Name the limit", "text": "Say how long src/export.sh may take.", "provenance": "spec.md",
   "confidence": "medium"}]}"#;

/// The answer of an agent that judges an older lesson by a feature.
pub(crate) const CONFIRMS: &str = r#"{"judgements": [
  {"entry": "B1", "judgement": "confirmed", "contradiction": "", "cites": ["src/export.sh"]}]}"#;

/// More than a prompt shows of a change.
pub(crate) fn too_long() -> String {
    const CHARS: usize = 210_000;
    format!("{}\n", "x".repeat(CHARS))
}
