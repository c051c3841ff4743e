//! References as people write them, and where they lead.

mod forms;

use super::*;

/// `kind id` of each.
fn refs(label: &str, text: &str) -> Vec<String> {
    references(label, text).iter().map(told).collect()
}

/// `kind id`, with a question mark where a document must define it.
pub(super) fn told(one: &Reference) -> String {
    let mark = if one.basis == CountsWhen::Plain { "" } else { "?" };
    format!("{} {}{mark}", one.kind.name(), one.id)
}

const PLAN: &str = "# Plan\n\n## Steps\n\n### Step 3.2: Store\n\ntext 3.2\n\n#### Detail\n\nmore\n\n### Step 1A: Track\n\n**1A.2 Second** part\n\n### 1.2.3 Deep\n\nx\n\n### Step 13.2: Other\n\n## Order\n\n1. **First** thing\n   - part\n2. **Second** thing\n\n| PI-1 | Write it |\n";
const DESIGN: &str = "# Design\n\n## Components\n\n### Component 2: Store\n\nC2 text\n\n### Component Auth-Module\n\nauth\n\n### C9: Reader\n\nnine\n\n### C10: Writer\n\nten\n\n## Decisions\n\n- **TD-1:** One file.\n  Because.\n- **TD-2:** Two.\n\n| ID | Interface |\n|---|---|\n| I1 | open |\n| I2 | close |\n\n**D4 (later):** A paragraph\nof two lines.\n\nElsewhere.\n";

/// The line a reference leads to, and how it is found.
fn leads(document: &str, id: &str) -> String {
    match Targets::find(document).resolve(id) {
        FoundTarget::One(target) => format!("{}-{} {}", target.line, target.end_line, target.how.name()),
        FoundTarget::Several(targets) => {
            let lines: Vec<String> = targets.iter().map(|target| target.line.to_string()).collect();
            format!("several: {}", lines.join(" "))
        }
        FoundTarget::None => "none".to_owned(),
    }
}

#[test]
fn plan_3_2_is_read_and_found() {
    assert_eq!(refs("Why", "Implements Plan 3.2"), ["plan 3.2"]);
    assert_eq!(leads(PLAN, "3.2"), "5-11 heading");
}

#[test]
fn plan_step_1a_1_is_read_and_falls_back_to_1a() {
    assert_eq!(refs("Why", "Plan Step 1A.1"), ["plan 1A.1"]);
    assert_eq!(leads(PLAN, "1A.1"), "13-15 prefix");
    assert_eq!(leads(PLAN, "1A.2"), "15-15 paragraph");
}

#[test]
fn design_component_auth_module_is_read_and_found() {
    assert_eq!(refs("Why", "Design Component Auth-Module"), ["design Auth-Module"]);
    assert_eq!(leads(DESIGN, "Auth-Module"), "9-11 heading");
}

#[test]
fn design_c9_is_read_and_is_not_c10() {
    assert_eq!(refs("Why", "Implements Plan Step 1.1 / Design C9"), ["plan 1.1", "design C9"]);
    assert_eq!(leads(DESIGN, "C9"), "13-15 heading");
    assert_eq!(leads(DESIGN, "C10"), "17-19 heading");
    assert_eq!(leads(DESIGN, "C1"), "none");
}

#[test]
fn spec_c4_1_is_read() {
    assert_eq!(refs("Source", "Spec C4.1, Plan 1A.1"), ["spec C4.1", "plan 1A.1"]);
    assert_eq!(leads("## C4: Limits\n\n#### C4.1: Size\n\nx\n\n#### C4.10: y\n", "C4.1"), "3-5 heading");
}

#[test]
fn plan_1_2_3_keeps_all_its_parts() {
    assert_eq!(refs("Why", "Plan 1.2.3"), ["plan 1.2.3"]);
    assert_eq!(leads(PLAN, "1.2.3"), "17-19 heading");
}

#[test]
fn design_with_signs_between_its_parts_is_read() {
    assert_eq!(refs("Why", "Design § Component 2 § x.md"), ["design Component 2"]);
    assert_eq!(leads(DESIGN, "Component 2"), "5-7 heading");
}

#[test]
fn separators_ranges_and_elided_ids_are_read() {
    for (label, text, wanted) in [
        (
            "Why",
            "Plan 1.1 / Design C1, I1 + I2; Spec FR-3",
            vec!["plan 1.1", "design C1", "design I1", "design I2", "spec FR-3"],
        ),
        ("Why", "design D4-D7", vec!["design D4", "design D5", "design D6", "design D7"]),
        ("Why", "spec SC1-SC2 + SC6 (design D3)", vec!["spec SC1", "spec SC2", "spec SC6", "design D3"]),
        ("Why", "spec items 1-3 + 7", vec!["spec item 1", "spec item 2", "spec item 3", "spec item 7"]),
        ("AC coverage", "AC-1, 2, 3", vec!["spec AC-1", "spec AC-2", "spec AC-3"]),
        ("Implements", "R1, R2", vec!["spec R1", "spec R2"]),
        ("Plan ref", "A1", vec!["plan A1"]),
        ("Plan item", "3 (C3)", vec!["plan item 3", "design C3"]),
        ("Plan ref", "C1 (C2)", vec!["plan C1", "design C2"]),
        ("Plan ref", "FR-1", vec!["spec FR-1"]),
        ("AC", "1, 2-3", vec!["spec AC1", "spec AC2", "spec AC3"]),
        ("FR/AC", "FR-1, AC-2", vec!["spec FR-1", "spec AC-2"]),
        (
            "Source",
            "Plan § 2; Design § Error Handling, C1",
            vec!["plan 2", "design § Error Handling", "design C1"],
        ),
        (
            "Why",
            "[the store](design.md#the-store) and `plan.md#step-1`",
            vec!["design #the-store", "plan #step-1"],
        ),
        ("Plan Item", "PI-1 (FR-1)", vec!["plan PI-1", "spec FR-1"]),
        ("Plan step", "10a+10b", vec!["plan 10a", "plan 10b"]),
        ("Design ref", "Component [A]", vec!["design Component A"]),
        ("Why", "Plan item 1 (TDD) / Design C1", vec!["plan item 1", "design C1"]),
        ("Why", "Plan 0.1 / TD10, SC-1", vec!["plan 0.1", "design TD10", "spec SC-1"]),
        ("Why", "per `plan.md` Step 2 and PRD FR-3", vec!["plan Step 2", "prd FR-3"]),
        ("Why", "Step 1, items 3-8", vec!["plan Step 1"]),
        ("Why", "Plan 5.2 — the retro has a Step 4 of 3 parts", vec!["plan 5.2"]),
        ("Why", "114 design C13 + spec SC5", vec!["spec SC5"]),
        ("Why", "D6-narrow of the design", vec!["design D6"]),
        ("Verifies", "SC#1 + SC#5", vec!["spec SC#1", "spec SC#5"]),
        ("Why", "the design captures plain words, in UTF-8 and Python 3.14", vec![]),
        ("Why", "Design the store with 3 files", vec![]),
        ("Files", "Plan 3.2", vec![]),
        ("Why T6", "Plan 3.2", vec![]),
    ] {
        assert_eq!(refs(label, text), wanted, "{label}: {text}");
    }
}

#[test]
fn a_reference_keeps_how_it_was_written() {
    let raw: Vec<String> = references("Why", "Implements Plan Step 1.1 / Design C9, I2")
        .into_iter()
        .map(|one| one.raw)
        .collect();
    assert_eq!(raw, ["Plan Step 1.1", "Design C9", "I2"]);
}

#[test]
fn groups_hand_down_what_they_repeat_of_the_plan() {
    let told = |title: &str| -> Vec<String> { inherited(title).iter().map(told).collect() };
    assert_eq!(told("Plan Item 1.1: The skill"), ["plan 1.1"]);
    assert_eq!(told("Step 12: End-to-end tests"), ["plan Step 12"]);
    assert_eq!(told("1.1 Schema of version 2"), ["plan 1.1"]);
    assert_eq!(told("Group A: FR-5 guard (independent)"), ["spec FR-5", "plan group A?"]);
    assert_eq!(told("Phase 1: Foundation"), ["plan phase 1?"]);
    assert_eq!(told("Phase 3: Commands (Step 5, on its own)"), ["plan Step 5", "plan phase 3?"]);
    assert_eq!(told("Stage 2: Dispatch (C1 + TD-2, later)"), ["design C1", "design TD-2", "plan stage 2?"]);
    assert_eq!(
        told("Stage II: Packing (implements TD-2, plan steps 1-2)"),
        ["plan Step 1", "plan Step 2", "design TD-2", "plan stage II?"]
    );
    assert_eq!(told("Sprint 1 (KD-1; A1)"), ["design KD-1?", "design A1?", "plan sprint 1?"]);
    for title in ["Base (Steps 1, 2)", "Cluster (helper + M6)", "Save (Priority: P1)", "Later (C.1)"] {
        assert_eq!(told(title), [""; 0], "{title}");
    }
}

#[test]
fn targets_are_headings_items_rows_and_bold_paragraphs() {
    for (id, wanted) in [
        ("TD-1", "23-24 list_item"),
        ("TD1", "23-24 list_item"),
        ("I2", "30-30 table_row"),
        ("D4", "32-33 paragraph"),
        ("C2", "5-7 heading"),
        ("Component 9", "13-15 heading"),
        ("Components", "3-19 heading"),
        ("Component 1", "none"),
        ("TD-11", "none"),
        ("I", "none"),
        ("", "none"),
    ] {
        assert_eq!(leads(DESIGN, id), wanted, "{id}");
    }
    assert_eq!(leads(PLAN, "item 2"), "27-27 list_item");
    assert_eq!(leads(PLAN, "item 1"), "25-26 list_item");
}

#[test]
fn an_id_without_a_letter_or_digit_names_nothing() {
    for id in ["", " ", "§", "**", "#"] {
        assert_eq!(Targets::find("# T\n\n**C1** one\n\n- two\n").resolve(id), FoundTarget::None, "{id}");
    }
}

#[test]
fn what_is_defined_goes_before_what_is_mentioned() {
    let plan = "## Items\n\n1. **Write** it\n2. **Send** it\n\n## Risks\n\n- **Item 2 (send):** may fail.\n";
    assert_eq!(leads(plan, "item 2"), "4-4 list_item");
    let coverage =
        "## Coverage\n\n| AC | Where |\n|---|---|\n| AC-1 | here |\n\n## Criteria\n\n- AC-1: it runs\n";
    assert_eq!(leads(coverage, "AC-1"), "9-9 list_item");
    let part = "### Theme C — Coverage of it\n\n| # | Item |\n|---|---|\n| P-C.4 | tests |\n\n## Order\n\n- P-C.4 (tests) before P-C.6\n";
    assert_eq!(leads(part, "P-C.4"), "5-5 table_row");
    let fenced = "```\n### C1: x\n```\n\n### C1: y\n";
    assert_eq!(leads(fenced, "C1"), "5-5 heading");
}

#[test]
fn two_headings_that_define_one_id_are_ambiguous() {
    assert_eq!(leads("### C1: a\n\nx\n\n### C1: b\n", "C1"), "several: 1 5");
}

#[test]
fn ids_that_nobody_wrote_down_are_counted() {
    let spec = "## Acceptance Criteria\n\n1. It runs\n2. It ends\n\n## Success Criteria\n\n- [ ] small\n- [ ] fast\n";
    assert_eq!(leads(spec, "AC2"), "4-4 list_item");
    assert_eq!(leads(spec, "SC#2"), "9-9 list_item");
    assert_eq!(leads(spec, "AC9"), "none");
    assert_eq!(leads("### Stage 1: a\n\n1. x\n\n### Stage 2: b\n\n2. y\n3. z\n", "S2.3"), "8-8 list_item");
}

#[test]
fn a_requirement_has_its_criteria_by_number() {
    let spec = "### Requirement 1\n\n**User Story:** x\n\n#### Acceptance Criteria\n\n1. It runs\n2. It ends\n\n### Requirement 2: y\n\n1. z\n\n### User Story 3 - w\n";
    for (id, wanted) in [
        ("1.2", "8-8 list_item"),
        ("2.1", "12-12 list_item"),
        ("1.9", "1-8 prefix"),
        ("US3", "14-14 heading"),
        ("4.1", "none"),
    ] {
        assert_eq!(leads(spec, id), wanted, "{id}");
    }
}

#[test]
fn chapters_are_found_by_their_titles_and_anchors() {
    let design = "# D\n\n## 2. Error Handling!\n\nx\n\n## Handling\n\n### C3: Tests\n";
    for (id, wanted) in [
        ("§ Error Handling!", "3-5 heading"),
        ("#2-error-handling", "3-5 heading"),
        ("#Handling", "7-9 heading"),
        ("§ Other Handling", "none"),
        ("C3-a", "9-9 prefix"),
    ] {
        assert_eq!(leads(design, id), wanted, "{id}");
    }
}

#[test]
fn a_section_ends_at_the_next_heading_of_its_level_or_a_higher_one() {
    assert_eq!(leads("### C1: a\n\n#### part\n\nx\n\n## B\n\n### C2: b\n", "C1"), "1-5 heading");
}

#[test]
fn an_id_that_its_own_document_lacks_may_stand_in_another_one() {
    let documents: BTreeMap<TargetDocument, Targets<'_>> = [
        (TargetDocument::Spec, Targets::find("- **FR-1:** a\n")),
        (TargetDocument::Prd, Targets::find("- **FR-3:** b\n")),
    ]
    .into();
    let located = |text: &str| {
        let (kind, found) = locate(&references("Why", text)[0], &documents);
        (kind, found != FoundTarget::None)
    };
    assert_eq!(located("FR-1"), (TargetDocument::Spec, true));
    assert_eq!(located("FR-3"), (TargetDocument::Prd, true));
    assert_eq!(located("Spec FR-3"), (TargetDocument::Spec, false));
    let design: BTreeMap<TargetDocument, Targets<'_>> = [
        (TargetDocument::Plan, Targets::find("# Plan\n")),
        (TargetDocument::Design, Targets::find("### C1: a\n")),
    ]
    .into();
    assert_eq!(locate(&references("Plan ref", "C1")[0], &design).0, TargetDocument::Design);
}
