mod from_events;

use super::*;
use from_events::entries;
use proptest::prelude::*;
use redraft_documents::test_path::is_test;
use redraft_facts::choice::{Knowledge, Policy};
use redraft_facts::event::{Built, Certify, Checked, Event, FeatureCreated, Limits, LoopOpened};
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{BlobId, FeatureId, FeatureUuid, Revision, Role};
use redraft_facts::phase::{Lane, Phase};

const SPEC: &str = "\
# Spec: Limits

## Requirements

- **FR-1**: A limit is kept.
- **FR-2**: A limit can be raised.
- **FR-3**: A limit is shown.

## Acceptance Criteria

- **AC-1** (FR-1): the eleventh request is refused.
- **AC-2** (FR-2): after raising it, it passes.

## Out of Scope

- **FR-9**: limits by country.
";

const DESIGN: &str = "\
# Design

## Components

### C1: Store

- **Serves:** FR-1, FR-2

### C2: Screen

Shows it.

## Risks

### R1: it is slow
";

const PLAN: &str = "\
# Plan

### Step 1.1: Build the store

**Implements:** Design C1

### Step 1.2: Raise it

**Implements:** Design C1, Spec FR-2

### Step 1.3: Paint it blue

**Implements:** Design C2
";

const TASKS: &str = "\
# Tasks

### Task 1: Write the store

**Implements:** Plan 1.1, Design C1

### Task 2: Raise it

**Implements:** Plan 1.2

### Task 3: Tidy up

Whatever is left.
";

fn sources() -> Sources<'static> {
    Sources {
        spec: Some(SPEC),
        design: Some(DESIGN),
        plan: Some(PLAN),
        tasks: Some(TASKS),
        ..Sources::default()
    }
}

/// `FR-1 task: C1 | 1.1 | 1`.
fn told(matrix: &Matrix) -> Vec<String> {
    let ids = |parts: &[DocumentPart]| parts.iter().map(|part| part.id.clone()).collect::<Vec<_>>().join(" ");
    let row = |row: &Row| {
        let id = row.requirement.as_ref().map_or("-", |one| &one.id);
        let works: Vec<String> = matrix.works_of(row).map(|work| work.what.name()).collect();
        let via = row.via.map_or("nothing", Via::name);
        format!("{id} {via}: {} | {} | {}", ids(&row.sections), ids(&row.steps), works.join(" "))
    };
    matrix.rows.iter().map(row).collect()
}

fn orphans(matrix: &Matrix) -> Vec<String> {
    matrix.orphans.iter().map(|one| format!("{}:{} {} {}", one.file, one.line, one.rule, one.id)).collect()
}

#[test]
fn a_requirement_is_followed_to_its_task_by_name_step_section_or_relative() {
    let matrix = build(&sources());
    assert_eq!(
        told(&matrix),
        [
            "FR-1 section: C1 | 1.1 | 1",
            "FR-2 step: C1 | 1.2 | 2",
            "FR-3 nothing:  |  | ",
            "AC-1 relative: C1 | 1.1 | 1",
            "AC-2 relative: C1 | 1.2 | 2",
            "- nothing:  |  | 3",
        ],
        "what is out of scope is not wanted"
    );
    assert_eq!(
        orphans(&matrix),
        [
            "spec.md:7 untraced-requirement FR-3",
            "plan.md:11 untraced-step 1.3",
            "tasks.md:11 untraced-task 3",
        ]
    );
}

#[test]
fn what_a_plan_assumes_or_leaves_out_is_no_step() {
    let aside = "\n## Assumptions\n\n- **A1**: the clock can be set\n\n## 5. Risks\n\n- **R1**: late\n";
    let steps = PLAN.replace("# Plan\n", "# Plan\n\n## Steps\n");
    let plan = format!("{steps}{aside}");
    let matrix = build(&Sources { plan: Some(&plan), ..sources() });
    let without = build(&Sources { plan: Some(&steps), ..sources() });
    assert_eq!(orphans(&matrix), orphans(&without));
}

#[test]
fn what_a_task_says_itself_goes_before_what_its_step_says() {
    let tasks =
        TASKS.replace("**Implements:** Plan 1.1, Design C1", "**Implements:** Plan 1.2, Spec FR-1, FR-2");
    let matrix = build(&Sources { tasks: Some(&tasks), ..sources() });
    assert_eq!(told(&matrix)[1], "FR-2 task: C1 | 1.2 | 1", "task 2 only refers to the step");
}

#[test]
fn an_id_that_the_design_uses_for_a_risk_must_be_called_the_specifications() {
    let spec = "# S\n\n## Requirements\n\n- **R1**: a\n- **R2**: b\n";
    let cases = [
        ("**Implements:** Design R1", vec!["R1 nothing:  |  | "]),
        ("**Implements:** Spec R1", vec!["R1 task:  |  | 1"]),
        ("Try the risk R1 out.", vec!["R1 nothing:  |  | "]),
    ];
    for (line, expected) in cases {
        let tasks = format!("# T\n\n### Task 1: x\n\n{line}\n");
        let design = Some("# D\n\n## Risks\n\n### R1: slow\n");
        let matrix = build(&Sources { spec: Some(spec), design, tasks: Some(&tasks), ..Sources::default() });
        assert_eq!(told(&matrix)[..1], expected, "{line}");
    }
}

#[test]
fn requirements_are_read_in_the_forms_people_write_them() {
    let cases: [(&str, &[&str]); 10] = [
        ("## Requirements\n\n- **FR-1:** a\n- FR-2: b\n", &["FR-1", "FR-2"]),
        ("## Requirements\n\n### FR-1: a\n\ntext\n\n### FR-1.1: b\n", &["FR-1", "FR-1.1"]),
        ("## Acceptance Criteria\n\n**AC-1.1:** a\n\n**AC-1.2** — b\n", &["AC-1.1", "AC-1.2"]),
        ("## Success Criteria\n\n- [ ] **SC-1** — a\n- [x] SC-2: b\n", &["SC-1", "SC-2"]),
        ("## Requirements\n\n| Id | What |\n|---|---|\n| FR-1 | a |\n| NFR-1 | b |\n", &["FR-1", "NFR-1"]),
        ("## Acceptance Criteria\n\n- a\n  - more\n- b\n", &["AC1", "AC2"]),
        ("## Requirements\n\n### Requirement 1: a\n\n1. WHEN x THEN y\n", &["Requirement 1"]),
        ("## Requirements\n\n- **M1:** a\n", &["M1"]),
        ("## Anforderungen\n\n- **A-1:** a\n", &["A-1"]),
        ("## Open Questions\n\n- **FR-1:** really?\n\n## Traceability\n\n| FR-2 | C1 |\n", &[]),
    ];
    for (text, expected) in cases {
        let spec = format!("# S\n\n{text}");
        let matrix = build(&Sources { spec: Some(&spec), ..Sources::default() });
        let ids: Vec<&str> =
            matrix.rows.iter().filter_map(|row| Some(row.requirement.as_ref()?.id.as_str())).collect();
        assert_eq!(ids, expected, "{text}");
        assert_eq!(matrix.orphans, [], "without tasks nothing can be missed: {text}");
    }
}

#[test]
fn requirements_and_criteria_are_counted_apart() {
    let cases = [
        (
            "## Requirements\n\n- R1: a\n- R2: b\n\n## Acceptance Criteria\n\n- **AC1** (R1): c\n",
            "2 of 2 requirements and 1 of 1 criterion",
        ),
        ("## Acceptance Criteria\n\n- FR-1: a\n", "1 of 1 requirement"),
        ("## Requirements\n\n- **SC-1:** a\n- **AC-1:** b\n", "2 of 2 criteria"),
        (
            "## Requirements\n\n- **M1:** a\n\n### Acceptance Criteria\n\n- **K1:** a\n- **K2:** b\n",
            "1 of 1 requirement and 2 of 2 criteria",
        ),
        ("## Acceptance Criteria\n\n- a\n- b\n", "2 of 2 criteria"),
        ("## Requirements\n\n- a\n- b\n", "2 of 2 requirements"),
        ("## Requirements\n\n### Requirement 1: a\n\n1. WHEN x THEN y\n", "1 of 1 requirement"),
        ("## Abnahmekriterien\n\n- **B-1:** a\n", "1 of 1 criterion"),
    ];
    for (text, expected) in cases {
        let spec = format!("# S\n\n{text}");
        let mut matrix = build(&Sources { spec: Some(&spec), ..Sources::default() });
        matrix.rows.iter_mut().for_each(|row| row.via = Some(Via::Task));
        assert_eq!(matrix.reached_in_words(), format!("{expected} reached by a task"), "{text}");
    }
}

#[test]
fn the_prd_counts_where_the_specification_has_no_requirements() {
    let prd = Some("# PRD\n\n## Requirements\n\n- **FR-1:** a\n");
    let spec = Some("# S\n\nIt works.\n");
    let tasks = Some("# T\n\n### Task 1: x (FR-1)\n");
    let matrix = build(&Sources { prd, spec, tasks, ..Sources::default() });
    assert_eq!(told(&matrix), ["FR-1 task:  |  | 1"]);
    let requirement = matrix.rows[0].requirement.clone().unwrap();
    assert_eq!((requirement.kind, requirement.line), (TargetDocument::Prd, 5));
}

#[test]
fn where_most_of_a_kind_are_left_over_that_is_said_once() {
    let items: String = (1..=12).map(|number| format!("- **AC-{number}**: text {number}\n")).collect();
    let spec = format!("# S\n\n## Acceptance Criteria\n\n{items}");
    let of = |named: &str| {
        let tasks = format!("# T\n\n### Task 1: x\n\nCovers: {named}\n");
        let matrix = build(&Sources { spec: Some(&spec), tasks: Some(&tasks), ..Sources::default() });
        matrix.orphans.iter().map(|one| one.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        of("AC-1"),
        ["11 of 12 are reached by no task: `AC-2`, `AC-3`, `AC-4`, `AC-5`, `AC-6`, `AC-7`, `AC-8`, `AC-9`, \
             `AC-10`, `AC-11` and 1 more"]
    );
    assert_eq!(of("AC-1..AC-6").len(), 6, "with half of them named, the others are missed one by one");
    assert_eq!(of("AC-1..AC-11"), ["`AC-12` is reached by no task"]);
}

#[test]
fn a_reference_that_leads_nowhere_is_told() {
    let tasks =
        Some("# T\n\n### Task 1: x\n\n**Implements:** Design C7, Plan 1.1, Plan 1.2, Plan 1.3, FR-1..FR-3\n");
    let matrix = build(&Sources { tasks, ..sources() });
    assert_eq!(orphans(&matrix), ["tasks.md:3 lost-reference 1"]);
    assert!(matrix.orphans[0].message.contains("design C7"), "{}", matrix.orphans[0].message);
}

#[test]
fn a_file_is_a_test_by_its_folder_or_its_name() {
    for path in
        ["tests/a.rs", "src/a_test.go", "web/a.test.ts", "src/test_a.py", "a/__tests__/b.js", "ATest.java"]
    {
        assert!(is_test(path), "{path}");
    }
    for path in ["src/attest.rs", "src/contest.py", "docs/tests/README.md", "latest.js", "src/inspect.rs"] {
        assert!(!is_test(path), "{path}");
    }
}

#[test]
fn a_filter_keeps_what_has_to_do_with_an_id_however_it_is_spelled() {
    let entries = entries(true);
    let whole = build(&Sources { entries: &entries, ..sources() });
    let rows = |id: &str| told(&whole.clone().only(id));
    assert_eq!(rows("fr1"), ["FR-1 section: C1 | 1.1 | 1"]);
    assert_eq!(rows("Task 2"), ["FR-2 step: C1 | 1.2 | 2", "AC-2 relative: C1 | 1.2 | 2"]);
    assert_eq!(rows("tests/store.rs").len(), 2, "FR-1 and its criterion");
    assert_eq!(rows("r1000000").len(), 2, "the beginning of a commit");
    assert_eq!(rows("C1").len(), 4);
    assert_eq!(rows("FR-77"), Vec::<String>::new());
    assert_eq!(orphans(&whole.clone().only("FR-3")), ["spec.md:7 untraced-requirement FR-3"]);
}

#[test]
fn nothing_in_a_document_can_leave_its_cell() {
    let spec = "# S\n\n## Requirements\n\n- **FR-1**: a | b <script>alert(1)</script> [x](http://e.x) `c` @all #12 \"q\"\n";
    let tasks = "# T\n\n### Task 1: </td><b>x</b> | y\n\nFR-1\n";
    let matrix = build(&Sources { spec: Some(spec), tasks: Some(tasks), ..Sources::default() });
    let page = html(&matrix, "001-<b>x");
    assert!(!page.contains("<script>") && !page.contains("</td><b>") && !page.contains("001-<b>"), "{page}");
    assert!(page.starts_with(MADE_BY) && page.ends_with("</html>\n"));
    let table = markdown(&matrix);
    let row = table.lines().nth(2).unwrap();
    assert_eq!(row.replace("\\|", "").matches('|').count(), 9, "{row}");
    for forbidden in ["<script>", "@all", "#12", " [x]", "<b>", "http:"] {
        assert!(!row.contains(forbidden), "{forbidden} in {row}");
    }
}

proptest! {
    #[test]
    fn any_text_gives_a_table_with_as_many_cells_in_every_row(
        spec in "(- \\*\\*FR-[0-9]\\*\\*: [^\n]{0,20}\n|## [^\n]{0,12}\n|\\| ?AC-[0-9] ?\\|[^\n]{0,12}\n|[^\n]{0,20}\n){0,12}",
        tasks in "(### Task [0-9]: [^\n]{0,12}\n|\\*\\*Implements:\\*\\* [^\n]{0,20}\n|FR-[0-9][^\n]{0,9}\n){0,10}",
    ) {
        let matrix = build(&Sources { spec: Some(&spec), design: Some(&tasks), plan: Some(&spec), tasks: Some(&tasks), ..Sources::default() });
        for row in markdown(&matrix).lines().filter(|line| line.starts_with('|')) {
            prop_assert_eq!(row.replace("\\\\", "").replace("\\|", "").matches('|').count(), 9, "{}", row);
        }
        let page = html(&matrix, &spec);
        prop_assert_eq!(page.matches("<tr>").count(), page.matches("</tr>").count());
        let (requirements, criteria) = matrix.reached();
        prop_assert!(requirements.reached <= requirements.all && criteria.reached <= criteria.all);
        let wanted = matrix.rows.iter().filter(|row| row.requirement.is_some()).count();
        prop_assert_eq!(requirements.all + criteria.all, wanted);
    }
}
