//! Tests what each check finds and leaves alone, document by document, and that what is found is mended.

use super::{Before, Check, CheckedDocuments, Defect, Remedy, domain, handoff};
use crate::edit::apply;
use crate::pace::Pace;
use crate::parsed_document::ParsedDocument;
use crate::tests::calm::Calm;
use redraft_facts::phase::Phase;

const SPEC: &str = "# Spec: x\n\n## Requirements\n\n- **R1**: The system shall send a file within 10 seconds.\n\
    - **R2**: The system shall stop.\n- **R3**: The system shall record it.\n\n## Acceptance Criteria\n\n\
    - **AC1** (R1): it is sent\n- **AC2** (R2, R3): it stops and is recorded\n";
const DESIGN: &str = "# Design\n\n## Components\n\n### C1: Sender\n\nServes R1, R2 and R3.\n";
const PLAN: &str = "# Plan\n\n## Steps\n\n### Step 1.1: Build\n\n**Implements:** Design C1, Spec R1, Spec R2\n\n\
    ### Step 1.2: Record\n\n**Implements:** Design C1, Spec R3\n**Depends on:** 1.1\n";
const TASKS: &str = "# Tasks\n\n### Task 1.1: Send\n\n**Implements:** Plan 1.1, Spec R1\n**Files:** `src/a.sh`\n\n\
    **Done when:** it passes\n\n### Task 1.2: Stop\n\n**Implements:** Plan 1.1, Spec R2\n**Files:** `src/a.sh`\n\n\
    **Done when:** it passes\n\n### Task 1.3: Record\n\n**Implements:** Plan 1.2, Spec R3\n**Files:** `src/b.sh`\n\n\
    **Done when:** it passes\n";

fn document(phase: Phase) -> &'static str {
    match phase {
        Phase::Design => DESIGN,
        Phase::CreatePlan => PLAN,
        Phase::CreateTasks => TASKS,
        _ => SPEC,
    }
}

fn looked(phase: Phase, text: &str, checks: &[Check]) -> Vec<Defect> {
    let pace = Pace::new(&Calm);
    let earlier = |of: Phase| (of < phase && phase != Phase::Document).then(|| document(of));
    let before = Before {
        prd: None,
        spec: earlier(Phase::Specify),
        design: earlier(Phase::Design),
        plan: earlier(Phase::CreatePlan),
    };
    let path = format!("docs/{}", phase.artifact());
    let checked =
        CheckedDocuments { path: &path, parsed: ParsedDocument::read(text), phase, before, pace: &pace };
    checks.iter().flat_map(|check| check.look(&checked).unwrap().defects).collect()
}

/// Everything that is found in a document, by all of its reviewers.
fn found(phase: Phase, text: &str) -> Vec<Defect> {
    looked(phase, text, &[domain(phase), handoff()].concat())
}

#[test]
fn documents_that_hang_together_get_no_finding() {
    for phase in Phase::DOCUMENTS {
        let found = found(phase, document(phase));
        assert!(found.is_empty(), "{phase}: {found:#?}");
    }
}

/// A change to a document, and what is found in it then.
const PLANTED: [(Phase, &str, &str, &str); 13] = [
    (Phase::Specify, "- **AC1** (R1): it is sent\n", "", "no acceptance criterion mentions requirement `R1`"),
    (Phase::Specify, "(R2, R3)", "(R2)", "no acceptance criterion mentions requirement `R3`"),
    (Phase::Specify, "it is sent\n", "the system shall send a file within 20 seconds\n", "says `20 seconds`"),
    (
        Phase::Specify,
        "it stops and is recorded\n",
        "it works with a web-hook and with a webhook\n",
        "`web-hook`",
    ),
    (Phase::Specify, "shall stop.", "shall stop in a timely manner.", "lint `vague-word`"),
    (Phase::Specify, "it is sent\n", "it is sent, TBD\n", "lint `placeholder`"),
    (Phase::Design, "R1, R2 and R3", "R1 and R2", "no element of the design carries requirement `R3`"),
    (
        Phase::Design,
        "Serves R1",
        "The system shall send a file within 20 seconds. Serves R1",
        "the specification, section “Requirements” says `10 seconds`",
    ),
    (Phase::CreatePlan, ", Spec R2\n", "\n", "no step of the plan carries out requirement `R2`"),
    (Phase::CreatePlan, "**Depends on:** 1.1\n", "**Depends on:** 1.7\n", "lint `unknown-reference`"),
    (Phase::CreatePlan, "Spec R2\n", "Spec R2\n**Depends on:** 1.2\n", "lint `dependency-cycle`"),
    (
        Phase::CreateTasks,
        "`src/b.sh`\n\n**Done when:** it passes\n",
        "`src/b.sh`\n",
        "lint `no-done-criterion`",
    ),
    (Phase::CreateTasks, "Plan 1.2, Spec R3", "Plan 1.1, Spec R2", "trace `untraced-requirement`: `R3`"),
];

#[test]
fn each_defect_is_found_and_the_change_that_goes_with_it_mends_it() {
    for (phase, from, to, words) in PLANTED {
        let text = document(phase).replacen(from, to, 1);
        assert_ne!(text, document(phase), "{from:?}");
        let defects = found(phase, &text);
        let defect = defects.iter().find(|defect| defect.description.contains(words));
        let defect = defect.unwrap_or_else(|| panic!("{words} in {defects:#?}"));
        assert!(Check::behind(phase, &defect.description).is_some(), "{}", defect.description);
        assert!(text.contains(&defect.quote), "{defect:?}");
        let Some(Remedy { edits, .. }) = &defect.remedy else { panic!("{words} is mended") };
        let mended = apply(&text, edits);
        let left = found(phase, &mended);
        assert!(!left.iter().any(|left| left.is_same(defect)), "{words}: {left:#?}\n{mended}");
        let others = defects.iter().filter(|other| !other.is_same(defect)).count();
        assert!(left.len() <= others, "the change does no harm: {left:#?}\n{mended}");
    }
}

#[test]
fn what_may_be_meant_is_left_alone() {
    for (from, to) in [
        // Another thing, another word before the number, another unit, too few words to be sure.
        ("it is sent\n", "the auditor is asked within 20 seconds\n"),
        ("it is sent\n", "the system shall send a file after 20 seconds\n"),
        ("it is sent\n", "the system shall send a file within 20 MB\n"),
        ("it is sent\n", "it is sent within 20 seconds\n"),
        ("it is sent\n", "the system shall send a file within 10 seconds\n"),
        // Code, the beginning of a sentence, two meanings.
        ("it stops and", "`web-hook` and webhook stop and"),
        ("it stops and", "Webhook and webhook stop and"),
        ("it stops and", "they re-sign and resign and"),
        // Ranges, and criteria that name nothing.
        ("(R2, R3)", "(R2–R3)"),
    ] {
        let text = SPEC.replacen(from, to, 1);
        assert_ne!(text, SPEC, "{from:?}");
        let found = found(Phase::Specify, &text);
        assert!(found.is_empty(), "{to:?}: {found:#?}");
    }
    let unnamed = SPEC.replace("**AC1** (R1): ", "").replace("**AC2** (R2, R3): ", "");
    assert!(found(Phase::Specify, &unnamed).is_empty(), "nobody traces by ids here");
    for (phase, text) in [
        (Phase::Design, "# Design\n\n## Components\n\n- One, which serves R1.\n"),
        (Phase::CreatePlan, "# Plan\n\n## Steps\n\n1. Begin.\n"),
        (Phase::CreateTasks, "# Tasks\n\n- [ ] T1: one\n- [ ] T2: two\n"),
    ] {
        let found = found(phase, text);
        assert!(found.is_empty(), "{phase}: {found:#?}");
    }
}

#[test]
fn criteria_are_added_in_the_form_of_the_others() {
    let table = "# S\n\n## Requirements\n\n| Id | Text |\n|---|---|\n| FR-1 | When asked, the system shall stop. |\n\
        | FR-2 | The system shall go on. |\n\n## Acceptance\n\n| Id | Check | Who |\n|---|---|---|\n| AC-1 | FR-1: it stops | Ann |\n";
    let headings = "# S\n\n## Requirements\n\n### R1: Stop\n\nIt shall stop.\n\n#### Acceptance\n\n- it stops\n\n### R2: Go\n\n\
        It shall go on.\n";
    for (text, added) in [
        (
            SPEC.replace("(R2, R3)", "(R2)").as_str(),
            "- **AC3** (R3): A test shows the system to record it.\n",
        ),
        (table, "| AC-2 (FR-2) | A test shows the system to go on. | – |\n"),
        (headings, "- R2: A test shows It to go on.\n"),
    ] {
        let defects = looked(Phase::Specify, text, &[Check::Criteria]);
        assert_eq!(defects.len(), 1, "{defects:#?}");
        let mended = apply(text, &defects[0].remedy.as_ref().unwrap().edits);
        assert!(mended.contains(added), "{mended}");
    }
}

#[test]
fn placeholders_are_filled_by_what_stands_around_them() {
    for (from, to) in [
        ("- TBD\n", ""),
        ("- Wait TBD seconds.\n", "- Wait 10 seconds.\n"),
        ("- TODO: sort them\n", "- sort them\n"),
        ("- The {{first_name}} is shown.\n", "- The first name is shown.\n"),
        (
            "- The colour is TBD\n",
            "- The colour is as the owner of this feature decides (until then the narrower choice)\n",
        ),
    ] {
        let text = format!("{SPEC}\n## Notes\n\n- a\n{from}");
        let defects = looked(Phase::Specify, &text, &[Check::Lint]);
        assert_eq!(defects.len(), 1, "{from}: {defects:#?}");
        let mended = apply(&text, &defects[0].remedy.as_ref().unwrap().edits);
        assert_eq!(mended, format!("{SPEC}\n## Notes\n\n- a\n{to}"), "{from}");
    }
}
