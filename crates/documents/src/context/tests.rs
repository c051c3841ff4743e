//! What goes into the prompt for a task.

use super::*;
use crate::tasks;

const PRD: &str = "# PRD\n\nIntro.\n\n## Problem Statement\n\nSlow.\n\n## Options\n\nMany.\n\n## Goals\n\n- Fast\n\n## Non-Goals\n\n- Pretty\n";
const SPEC: &str = "# Spec\n\n- **FR-1:** a\n- **FR-2:** b\n";
const DESIGN: &str = "# Design\n\n### C1: Store\n\none\n\n#### I1: Open\n\ntwo\n\n### C2: Reader\n\nthree\n\n| ID | What |\n|---|---|\n| I7 | seven |\n";
const PLAN: &str = "# Plan\n\n### Step 1A: Track\n\nx\n\n### Step 2: Other\n\ny\n";

fn selected(fields: &str) -> Context {
    let text = format!("### Task 1: a\n\n{fields}\n");
    let task = tasks::read(&text).unwrap().tasks.remove(0);
    let artifacts = Artifacts { prd: Some(PRD), spec: Some(SPEC), design: Some(DESIGN), plan: Some(PLAN) };
    select(&task, &artifacts)
}

/// `file mode lines…` of each document.
fn told(context: &Context) -> Vec<String> {
    let one = |one: &SelectedParts| {
        let lines: String =
            one.sections.iter().map(|part| format!(" {}-{}", part.line, part.end_line)).collect();
        format!("{} {}{lines}", one.kind.file(), one.mode.name())
    };
    context.artifacts.iter().map(one).collect()
}

fn reason(context: &Context, kind: TargetDocument) -> &str {
    &context.artifacts.iter().find(|one| one.kind == kind).unwrap().reason
}

#[test]
fn ac_2_a_task_gets_only_the_sections_it_refers_to_and_the_whole_specification() {
    let context = selected("**Why:** Plan 2 / Design C2, Spec FR-1");
    assert_eq!(
        told(&context),
        ["prd.md scoped 5-7 13-15", "spec.md full 3-3", "design.md scoped 11-17", "plan.md scoped 7-9"]
    );
    assert_eq!(context.notes, [""; 0]);
    let plan = &context.artifacts[3];
    assert_eq!(plan.sections[0].refs, ["Plan 2"]);
    assert!(plan.tokens > 0 && plan.tokens < tokens(PLAN));
}

#[test]
fn ac_3_a_task_that_refers_to_nothing_gets_everything_whole_the_prd_too() {
    for fields in ["Text.", "**Why:** because it must be", "**Why:** Plan 9.9"] {
        let context = selected(fields);
        let modes: Vec<&str> = context.artifacts.iter().map(|one| one.mode.name()).collect();
        assert_eq!(modes, ["full"; 4], "{fields}");
    }
    assert_eq!(
        selected("**Why:** because it must be").notes,
        ["`Why: because it must be` names no part of a document"]
    );
    assert_eq!(selected("Text.").notes, [""; 0]);
}

#[test]
fn ac_4_an_id_without_a_place_of_its_own_brings_what_it_is_a_part_of() {
    let context = selected("**Source:** Plan 1A.1");
    assert_eq!(told(&context)[3], "plan.md scoped 3-5");
}

#[test]
fn an_artifact_that_no_reference_names_goes_in_as_a_path() {
    let context = selected("**Why:** Plan 2");
    assert_eq!(told(&context)[2], "design.md reference");
    assert_eq!(reason(&context, TargetDocument::Design), "no reference names it");
    assert_eq!(context.artifacts[2].tokens, 0);
}

#[test]
fn an_unresolved_or_ambiguous_reference_brings_its_document_whole_with_the_reason() {
    let context = selected("**Why:** Plan 2 / Design C1, C9");
    assert_eq!(told(&context)[2..], ["design.md full 3-9", "plan.md scoped 7-9"]);
    assert_eq!(reason(&context, TargetDocument::Design), "`C9` (design) is not found in design.md");
    let twice = format!("{PLAN}\n### Step 2: Again\n");
    let task = tasks::read("### Task 1: a\n\n**Why:** Plan Step 2 / Design C1\n").unwrap().tasks.remove(0);
    let context =
        select(&task, &Artifacts { plan: Some(&twice), design: Some(DESIGN), ..Artifacts::default() });
    assert_eq!(told(&context), ["design.md scoped 3-9", "plan.md full"]);
    assert_eq!(
        reason(&context, TargetDocument::Plan),
        "`Plan Step 2` is ambiguous: it may be in lines 7, 11"
    );
}

#[test]
fn a_name_behind_a_document_brings_the_chapter_of_that_name_or_the_document_with_the_reason() {
    let design = format!("{DESIGN}\n## Storage\n\nfour\n\n## Component Auth-Module\n\nfive\n");
    let of_design = |fields: &str| {
        let task = tasks::read(&format!("### Task 1: a\n\n{fields}\n")).unwrap().tasks.remove(0);
        let artifacts = Artifacts { design: Some(&design), plan: Some(PLAN), ..Artifacts::default() };
        let context = select(&task, &artifacts);
        (told(&context).remove(0), context.notes)
    };
    for (fields, wanted) in [
        ("**Why:** Plan 2 / Design Storage", "design.md scoped 19-21"),
        ("**Why:** Plan 2 / Design Auth-Module", "design.md scoped 23-25"),
        ("**Design:** storage", "design.md scoped 19-21"),
        ("**Why:** Plan 2. Design Review is open.", "design.md reference"),
    ] {
        assert_eq!(of_design(fields), (wanted.to_owned(), Vec::new()), "{fields}");
    }
    let (shown, notes) = of_design("**Why:** Plan 2 / Design Cache");
    assert_eq!(shown, "design.md full");
    assert_eq!(notes, ["`Design Cache` is not found in design.md"]);
    let (shown, notes) = of_design("**Design:** whatever is there");
    assert_eq!((shown.as_str(), notes.len()), ("design.md full", 1));
}

#[test]
fn overlapping_sections_are_joined_once_in_document_order() {
    let context = selected("**Why:** Design C2, I1, C1");
    let design = &context.artifacts[2];
    let parts: Vec<(u32, u32, String)> =
        design.sections.iter().map(|part| (part.line, part.end_line, part.refs.join(", "))).collect();
    assert_eq!(parts, [(3, 9, "C1, I1".to_owned()), (11, 17, "Design C2".to_owned())]);
}

#[test]
fn a_prd_without_goals_goes_in_whole_with_a_note_and_no_prd_is_silent() {
    let task = tasks::read("### Task 1: a\n\n**Why:** Plan 2\n").unwrap().tasks.remove(0);
    let prd = "# PRD\n\n## Problem\n\nx\n";
    let context = select(&task, &Artifacts { prd: Some(prd), plan: Some(PLAN), ..Artifacts::default() });
    assert_eq!(told(&context), ["prd.md full", "plan.md scoped 7-9"]);
    assert_eq!(context.notes, ["prd.md goes in whole: no heading of it announces the goals"]);
    let context = select(&task, &Artifacts { plan: Some(PLAN), ..Artifacts::default() });
    assert_eq!((told(&context), context.notes.len()), (vec!["plan.md scoped 7-9".to_owned()], 0));
}

#[test]
fn a_document_that_is_referred_to_and_not_there_is_a_note() {
    let task = tasks::read("### Task 1: a\n\n**Why:** Plan 2 / Design C1\n").unwrap().tasks.remove(0);
    let context = select(&task, &Artifacts { plan: Some(PLAN), ..Artifacts::default() });
    assert_eq!(context.notes, ["`Design C1` is in design.md, which is not there"]);
}

#[test]
fn an_excerpt_shows_what_was_left_out_and_the_head_of_a_table() {
    let part = |line, end_line| LineRange { line, end_line, refs: Vec::new() };
    assert_eq!(excerpt(PLAN, &[part(7, 9)]), "…\n\n### Step 2: Other\n\ny\n");
    assert_eq!(excerpt(DESIGN, &[part(17, 17)]), "…\n\n| ID | What |\n|---|---|\n| I7 | seven |\n");
    assert_eq!(excerpt("a\nb\nc", &[part(1, 1), part(3, 3)]), "a\n…\n\nc\n");
    assert_eq!(excerpt("a", &[part(5, 9)]), "");
}

#[test]
fn what_a_task_says_as_well_is_not_taken_from_the_plan() {
    let plan = "# Plan\n\n### Step 2: Other\n\n- Refuse it before the count if the age is > 5 s.\n- Close the window that was opened for this key.\n";
    let text = |words: &str| format!("### Task 1: a\n\n**Why:** Plan 2\n\n{words}\n");
    let chosen = |words: &str| {
        let task = tasks::read(&text(words)).unwrap().tasks.remove(0);
        let mut context = select(&task, &Artifacts { plan: Some(plan), ..Artifacts::default() });
        context.leave_out_of_plan(plan, &text(words));
        context
    };
    let (own, half) = (chosen("Something else."), chosen("Refuse it before the count if the age is > 5 s."));
    assert_eq!(
        (told(&own), told(&half)),
        (vec!["plan.md scoped 3-6".to_owned()], vec!["plan.md scoped 3-6".to_owned()])
    );
    assert!(half.artifacts[0].tokens < own.artifacts[0].tokens);
    assert!(reason(&half, TargetDocument::Plan).ends_with(", without what the task says as well"));
    let all = chosen(
        "Refuse it before the count if the age is > 5 s. Close the window that was opened for this key.",
    );
    assert_eq!((told(&all), all.artifacts[0].tokens), (vec!["plan.md reference".to_owned()], 0));
}
