//! The many forms of references, and documents that decide what is meant. All texts are made up.

use super::*;

fn refs(label: &str, text: &str) -> Vec<String> {
    references(label, text).iter().map(told).collect()
}

/// What the first reference of a field leads to, as `file:line`, among documents.
fn leads(label: &str, text: &str, documents: &[(TargetDocument, &str)]) -> String {
    let documents: BTreeMap<TargetDocument, Targets<'_>> =
        documents.iter().map(|(kind, text)| (*kind, Targets::find(text))).collect();
    let references = references(label, text);
    let all = locate_all(&references, &documents);
    let shown = all.iter().map(|(kind, found)| match found {
        FoundTarget::One(target) => format!("{}:{}", kind.file(), target.line),
        FoundTarget::Several(_) => "several".to_owned(),
        FoundTarget::None => "none".to_owned(),
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn ranges_and_lists_may_leave_out_what_their_ids_share() {
    for (label, text, wanted) in [
        ("Implements", "D6.1-.3", vec!["design D6.1", "design D6.2", "design D6.3"]),
        ("Component", "AD2.1/.2", vec!["design AD2.1", "design AD2.2"]),
        ("Covers", "FR-001,-002", vec!["spec FR-001", "spec FR-002"]),
        ("Covers", "FR-1 through FR-3", vec!["spec FR-1", "spec FR-2", "spec FR-3"]),
        ("Covers", "FR-1–3", vec!["spec FR-1", "spec FR-2", "spec FR-3"]),
        ("Refs", "R2 to R4", vec!["spec R2", "spec R3", "spec R4"]),
        ("Plan", "WP2.1-2", vec!["plan WP2.1", "plan WP2.2"]),
        ("Traces to", "AC 1-3, 7", vec!["spec AC1", "spec AC2", "spec AC3", "spec AC7"]),
        ("Traces to", "FRs 1 and 2", vec!["spec FR1", "spec FR2"]),
        ("Verifies", "AC-8/E6", vec!["spec AC-8", "spec AC-E6"]),
        ("Why", "Plan steps 2 to 4", vec!["plan Step 2", "plan Step 3", "plan Step 4"]),
        ("Covers", "FR-1 to FR-4 except FR-3", vec!["spec FR-1", "spec FR-2", "spec FR-4"]),
        ("Requirement", "R3 (not R5), R6", vec!["spec R3", "spec R6"]),
        ("Design", "D3.1, .2 and .3", vec!["design D3.1", "design D3.2", "design D3.3"]),
        ("Covers", "NFR-3 plus -4; AC-5", vec!["spec NFR-3", "spec NFR-4", "spec AC-5"]),
        ("Covers", "FR-1, 2, 11 functions", vec!["spec FR-1", "spec FR-2"]),
        ("Trace", "F-2 ⇒ CR-2.1", vec!["design F-2?", "spec CR-2.1"]),
        ("Refs", "F-2 | F-3", vec!["design F-2?", "design F-3?"]),
        // It may be D6.2 or D2.
        ("Why", "D6.1, 2", vec!["design D6.1"]),
    ] {
        assert_eq!(refs(label, text), wanted, "{label}: {text}");
    }
}

#[test]
fn parts_are_named_by_any_word_before_a_number() {
    for (label, text, wanted) in [
        ("Why", "plan Task 1.2; AC-4", vec!["plan 1.2", "spec AC-4"]),
        ("Plan task", "1.1", vec!["plan 1.1"]),
        ("Plan task", "Task 3.1", vec!["plan 3.1"]),
        ("Plan", "Task 3", vec!["plan Task 3"]),
        ("Plan", "Tasks 2.1-2.2", vec!["plan 2.1", "plan 2.2"]),
        ("Plan", "Step 3 (after Task 2)", vec!["plan Step 3"]),
        ("Design", "C1, for Task 2", vec!["design C1"]),
        ("Built in", "C1", vec!["design C1"]),
        ("Built with", "C1", vec![]),
        ("Basis", "plan ch. 2; arch. §1", vec!["plan 2", "design 1"]),
        ("Basis", "architecture §§2.1–2.2", vec!["design 2.1", "design 2.2"]),
        ("Why", "the architecture needs 2 files", vec![]),
        ("Bezug", "Entwurf Abschnitt 3.1–3.2", vec!["design 3.1", "design 3.2"]),
        ("Trace", "C1, 044-portal FR-2, FR-3", vec!["design C1", "spec FR-3"]),
        ("Trace", "design.md:21, FR-3", vec!["design :21", "spec FR-3"]),
        ("Trace", "`design.md:21`", vec!["design :21"]),
        ("Trace", "design.md#L21-L30", vec!["design :21"]),
        ("Phase", "3", vec!["plan Phase 3?"]),
        ("Phase", "Phase 1", vec!["plan Phase 1?"]),
        ("Plan phase", "Phase 1", vec!["plan Phase 1"]),
        ("Traces to", "Req. 3", vec!["spec Requirement 3"]),
        ("Refs", "design Sec. 3", vec!["design 3"]),
        ("Plan", "Work package 3", vec!["plan Work package 3?"]),
        ("Why", "design Appendix A", vec!["design Appendix A?"]),
        ("Why", "Plan Wave 2-3", vec!["plan Wave 2?", "plan Wave 3?"]),
        ("Refs", "S2/S3", vec!["design S2?", "design S3?"]),
        // What is to be done, and what is somebody's to fill in.
        ("Steps", "1. read 2 files", vec![]),
        ("Task", "3", vec![]),
        ("Why", "Task 3 needs it", vec![]),
        ("Why", "Design Component {Name}", vec![]),
        ("Why", "the printers take A4 only", vec![]),
        ("Traces to", "none (budget of this year, item 4)", vec![]),
    ] {
        assert_eq!(refs(label, text), wanted, "{label}: {text}");
    }
}

#[test]
fn titles_and_names_are_read_behind_their_document_or_before_it() {
    for (label, text, wanted) in [
        ("Why", "Design Storage", vec!["design § Storage"]),
        ("Why", "Design Auth-Module / Plan 2", vec!["design § Auth-Module", "plan 2"]),
        ("Why", "Design Storage keeps it", vec!["design § Storage keeps it?"]),
        ("Why", "Design the storage", vec![]),
        ("Why", "Design storage, plan 2", vec!["design § storage?", "plan 2"]),
        ("Why", "Design storage keeps it all here", vec![]),
        ("Design", "Case queue, Data protection", vec!["design § Case queue?", "design § Data protection?"]),
        ("Design", "`CaseQueue`", vec!["design § CaseQueue?"]),
        ("Requirements", "1.1; Design: Case queue_", vec!["spec 1.1", "design § Case queue?"]),
        ("Why", "see design \"Retry policy\"", vec!["design § Retry policy"]),
        ("Why", "design: 'Retry policy', FR-1", vec!["design § Retry policy", "spec FR-1"]),
        ("Why", "plan: 'Step 2 – Storage'", vec!["plan Step 2"]),
        ("Why", "“Lifecycle” in design.md", vec!["design § Lifecycle"]),
        ("Why", "Lifecycle in the design", vec!["design § Lifecycle?"]),
        ("Component", "\"Grid layout\" decision", vec!["design § Grid layout?"]),
        ("Why", "\"Grid layout\"", vec!["design § Grid layout?"]),
        ("Why", "design → Sync → Conflicts", vec!["design § Sync → Conflicts"]),
        ("Why", "design.md § Failures / Lost files, C1", vec!["design § Failures / Lost files", "design C1"]),
        ("Why", "Sec. 3.1 of the spec", vec!["spec 3.1"]),
        ("Refs", "risk R2 in the design; FR-1", vec!["design R2", "spec FR-1"]),
        ("Refs", "C1–C2 (spec), I1", vec!["spec C1", "spec C2", "design I1"]),
        ("Refs", "AC-3 in design C1", vec!["spec AC-3", "design C1"]),
        ("Notes", "design \"Retry policy\"", vec![]),
    ] {
        assert_eq!(refs(label, text), wanted, "{label}: {text}");
    }
    let told: Vec<String> =
        mentions("see design \"Retry policy\", plan §2 and design C1").iter().map(told).collect();
    assert_eq!(told, ["design § Retry policy?", "plan 2"]);
}

const DESIGN: &str = "# D\n\n## Storage\n\none\n\n### Limits\n\n## Component Auth-Module\n\ntwo\n\n## Sync\n\n### Limits\n\n- **Retry policy:** three times\n\n## Risks\n\n- R2: late\n\n## Components\n\n**C2 Reader** reads\n";
const SPEC: &str = "# S\n\n## Rules\n\n- R2: one\n\n## Constraints\n\n- **C2**: small\n- S1: a story\n";
const PLAN: &str =
    "# P\n\n## Phase 1 — Storage\n\nStep 1: write it\n\n## Phase 2\n\n### Step 1: read it\n\n## Wave 2\n";

#[test]
fn a_name_counts_where_the_document_defines_it() {
    for (text, wanted) in [
        ("Design Storage", "design.md:3"),
        ("Design storage", "design.md:3"),
        ("design auth-module", "design.md:9"),
        ("Design cache", "none"),
        ("Design storage keeps it all here", ""),
        ("Design Auth-Module", "design.md:9"),
        ("Design Storage keeps it", "design.md:3"),
        ("Design Reader", "design.md:25"),
        ("Design \"Retry policy\"", "design.md:17"),
        ("Design Sync → Limits", "design.md:15"),
        ("Design Limits", "several"),
        ("Design Cache", "none"),
        ("Design Cache is large", "none"),
        ("\"Auth-Module\"", "design.md:9"),
        ("plan Wave 2", "plan.md:11"),
        ("plan Wave 1", "none"),
    ] {
        assert_eq!(
            leads("Why", text, &[(TargetDocument::Design, DESIGN), (TargetDocument::Plan, PLAN)]),
            wanted,
            "{text}"
        );
    }
}

#[test]
fn an_id_of_two_documents_is_of_the_one_that_is_named_or_of_its_home() {
    let all = [(TargetDocument::Design, DESIGN), (TargetDocument::Spec, SPEC), (TargetDocument::Plan, PLAN)];
    for (label, text, wanted) in [
        ("Why", "C2", "design.md:25"),
        ("Why", "spec C2", "spec.md:9"),
        ("Why", "constraint C2", "spec.md:9"),
        ("Why", "R2", "spec.md:5"),
        ("Why", "risk R2", "design.md:21"),
        ("Why", "risk R2 in the design", "design.md:21"),
        ("Why", "rule R2", "spec.md:5"),
        // No letters of theirs, but one document has it.
        ("Why", "S1", "spec.md:10"),
        ("Why", "S9", "none"),
        // Also after another document's title.
        ("Why", "design \"Storage\", S1", "design.md:3 spec.md:10"),
        // A line is in a section, and the title of a document is not one.
        ("Why", "design.md:5", "design.md:3"),
        ("Why", "design.md:7", "design.md:7"),
        ("Why", "design.md:1", "none"),
        ("Why", "design.md:999", "none"),
        // A step in the phase that is named before it.
        ("Why", "Plan Phase 2, Step 1", "plan.md:7 plan.md:9"),
    ] {
        assert_eq!(leads(label, text, &all), wanted, "{label}: {text}");
    }
    let twice = [(TargetDocument::Spec, SPEC), (TargetDocument::Plan, "- S1: another\n")];
    assert_eq!(leads("Why", "S1", &twice), "none");
}

#[test]
fn a_group_that_repeats_a_heading_of_the_plan_refers_to_it() {
    let documents: BTreeMap<TargetDocument, Targets<'_>> =
        [(TargetDocument::Plan, Targets::find(PLAN))].into();
    for (title, wanted) in [
        ("Phase 1: The storage", Some(3)),
        ("Phase 1", Some(3)),
        ("Phase 2 — Reading (weeks 3-4)", Some(7)),
        ("Phase 1: Setup", None),
        ("Phase 3", None),
        ("Group 1", None),
    ] {
        let found = locate(inherited(title).last().unwrap(), &documents).1;
        let line = if let FoundTarget::One(target) = found { Some(target.line) } else { None };
        assert_eq!(line, wanted, "{title}");
    }
}

#[test]
fn lines_of_text_define_ids_and_numbers_in_passing_do_not() {
    let line = |text: &str, id: &str| match Targets::find(text).resolve(id) {
        FoundTarget::One(target) => format!("{}-{}", target.line, target.end_line),
        FoundTarget::Several(_) => "several".to_owned(),
        FoundTarget::None => "none".to_owned(),
    };
    let plan = "## Milestone 1\nStep 1: write\nStep 2: read\n\n## Appendix A: Sizes\n\n## Stage II\n\nWP1.1 queue\nmore\nWP1.2 merge\n\n## The way to version 3\n\n3 files are read.\nC7 is named in passing.\n";
    for (id, wanted) in [
        ("Step 1", "2-2"),
        ("Step 2", "3-3"),
        ("Step 3", "none"),
        ("Milestone 1", "1-3"),
        ("Appendix A", "5-5"),
        ("Appendix B", "none"),
        ("Stage II", "7-11"),
        ("WP1.2", "none"),
        ("3", "none"),
        ("C7", "none"),
    ] {
        assert_eq!(line(plan, id), wanted, "{id}");
    }
    let spec = "## Criteria\n1.1 WHEN it wakes\n1.2 WHEN it sleeps\n\n## Components\n\n### Step 2 of setup\n";
    assert_eq!(line(spec, "1.1"), "2-2");
    assert_eq!(line(spec, "1.2"), "3-3");
    assert_eq!(line(spec, "Component 2"), "none");
}

#[test]
fn fields_of_any_length_are_read_once() {
    const TIMES: usize = 5_000;
    for piece in [
        "“",
        "'a ",
        "FR-1-",
        "1-",
        "design ",
        "Design A ",
        "x in the ",
        "( ",
        "FR-1, ",
        "§ A/",
        "design.md:1-",
        "arch. ",
        "D1 and .",
        "— C1 [",
        "`a",
    ] {
        let text = piece.repeat(TIMES);
        for label in ["Why", "Design", "AC"] {
            assert!(references(label, &text).len() <= 200, "{piece}");
        }
        assert!(inherited(&text).len() <= TIMES, "{piece}");
        assert_eq!(Targets::find(&text).resolve("§ A"), FoundTarget::None, "{piece}");
    }
    for line in ["C1 x\n", "**C1** x\n", "# C1\n"] {
        let text = line.repeat(TIMES);
        let FoundTarget::Several(places) = Targets::find(&text).resolve("C1") else { panic!("{line}") };
        assert_eq!(places.len(), TIMES, "{line}");
    }
}
