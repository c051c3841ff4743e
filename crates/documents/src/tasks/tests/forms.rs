//! Further forms of tasks, their done criteria and dependencies, one table for each. All texts are made up.

use super::*;
use crate::trace;

#[test]
fn words_for_the_end_of_the_work_are_done_criteria() {
    for (label, wanted) in [
        ("Exit", true),
        ("exit", true),
        ("Exit condition", true),
        ("Proof", true),
        ("Proof of completion", true),
        ("Finished if", true),
        ("Ready if", true),
        ("Exit code", false),
        ("Proof read by", false),
        ("Stop if", false),
        ("Only if", false),
        ("If finished", false),
    ] {
        let task = first(&format!("### T1: a\n{label}: it rains\n"));
        assert_eq!(task.done.is_some(), wanted, "{label}");
    }
    // The clearer statement wins.
    let task = first("### T1: a\nExit: it rains\nDone when: it shines\n");
    assert_eq!(task.done.map(|done| done.text), Some("it shines".to_owned()));
}

#[test]
fn an_id_with_a_dash_is_a_task_where_one_is_called_so_and_a_range_elsewhere() {
    let dashed = ["W1-1", "W1-2", "W1-3", "W2-1"];
    let plain = ["T1", "T2", "T3", "T4"];
    for (ids, needs, wanted) in [
        (dashed, "W1-2", "W1-2"),
        (dashed, "W1-1, W1-3", "W1-1 W1-3"),
        (dashed, "W1-1..W1-3", "W1-1 W1-2 W1-3"),
        (dashed, "W1-1-W1-3", "W1-1 W1-2 W1-3"),
        (dashed, "W1-1 to W1-3", "W1-1 W1-2 W1-3"),
        (dashed, "W1", "W1-1 W1-2 W1-3"),
        (plain, "T1-3", "T1 T2 T3"),
        (plain, "T1-T3", "T1 T2 T3"),
    ] {
        let rows: String = ids.iter().map(|id| format!("| {id} | do | |\n")).collect();
        let text = format!("| ID | Task | After |\n|---|---|---|\n{rows}| T99 | last | {needs} |\n");
        let list = read(&text).unwrap();
        assert_eq!(list.find("T99").unwrap().depends_on.join(" "), wanted, "{needs}");
    }
}

#[test]
fn dependencies_have_short_labels_and_stand_behind_titles() {
    for (last, wanted) in [
        ("- [ ] T3 c\n  - Prereq: T1 & T2\n", "T1 T2"),
        ("- [ ] T3 c\n  - Prereqs: T1\n", "T1"),
        ("- [ ] T3 c, v2.1, after T1\n", "T1"),
        ("- [ ] T3 c; after Task 1 and T2\n", "T1 T2"),
        // A time, what is no task, and a sentence further down.
        ("- [ ] T3 retry, after 2 hours\n", ""),
        ("- [ ] T3 c, after P2\n", ""),
        ("- [ ] T3 c\n  - Look at it, after T1\n", ""),
    ] {
        let list = read(&format!("- [ ] T1 a\n- [ ] T2 b\n{last}")).unwrap();
        assert_eq!(list.find("T3").unwrap().depends_on.join(" "), wanted, "{last}");
    }
}

#[test]
fn paragraphs_in_bold_with_other_letters_are_tasks_beside_those_with_the_letter_of_a_task() {
    let text = "# Tasks\n\n**Group R — reading**\n\n**R1. View**\nDone: it opens\n\n**Group T — rules**\n\n**T1. Rest**\nAfter: R1\n\n**T2. Night**\n";
    assert_eq!(
        told(text),
        ["R1 | View | 5-6 | list_item", "T1 | Rest | 10-11 | list_item", "T2 | Night | 13-13 | list_item"]
    );
    for (text, wanted) in [
        // The word for a task sets the style, and `S1` is a step.
        ("**Task 1: a**\n\n**S1. read**\n\n**Task 2: b**\n", vec!["1", "2"]),
        ("**T1: a**\n\n**C1:** is used\n\n**T2: b**\n", vec!["T1", "T2"]),
        ("**T1: a**\n\n**R1 is a risk of it**\n", vec!["T1"]),
        ("### T1: a\n\n**R1. no task beside headings**\n", vec!["T1"]),
    ] {
        assert_eq!(ids(text), wanted, "{text}");
    }
    assert!(read("**Q1. Why?**\n\nBecause.\n").is_err());
    // A group ends a task, a remark does not.
    let text = "**T1: a**\n\n**Phase shift**\n\nmore\n\n**Phase 2**\n\nintroduction\n";
    assert_eq!(told(text), ["T1 | a | 1-5 | list_item"]);
}

#[test]
fn comments_that_name_something_are_fields_and_those_of_a_template_are_not() {
    for (comment, wanted) in [
        ("<!-- refs: FR-1, C1 -->", vec!["spec FR-1", "design C1"]),
        ("<!-- Traces to: CR-1.1..CR-1.2 -->", vec!["spec CR-1.1", "spec CR-1.2"]),
        ("<!-- Why: the reason for the task -->", vec![]),
        ("<!-- Notes: FR-1 -->", vec![]),
        ("<!-- Done when: FR-1 holds -->", vec![]),
    ] {
        let text = format!("### T1: a\n{comment}\n");
        assert_eq!(last_refs(&text), wanted, "{comment}");
        let task = first(&text);
        assert_eq!((task.done, task.unread.len()), (None, 0), "{comment}");
    }
}

#[test]
fn titles_name_ids_in_any_brackets_and_behind_a_dash() {
    for (text, wanted) in [
        ("- [ ] T1 Read {FR-6} {design: Format}\n", vec!["spec FR-6?", "design § Format?"]),
        ("## Board with a list [C3-C4]\n\n### T1: a\n", vec!["design C3", "design C4"]),
        ("## Gate — C2 + D5, TD-2\n\n### T1: a\n", vec!["design C2", "design D5", "design TD-2"]),
        ("## Gate — C2 comes first\n\n### T1: a\n", vec![]),
        ("### T1: a [P] [S] {name}\n", vec![]),
    ] {
        assert_eq!(last_refs(text), wanted, "{text}");
    }
}

#[test]
fn an_id_that_may_be_of_the_plan_leaves_the_group_to_the_plan() {
    use trace::{FoundTarget, TargetDocument, Targets};
    let text = "## Milestone 1\n\n### T1: a\n\n**Why:** P1\n";
    let lines = |plan: &str, design: &str| -> Vec<String> {
        let documents =
            [(TargetDocument::Plan, Targets::find(plan)), (TargetDocument::Design, Targets::find(design))]
                .into();
        let located = trace::locate_all(&first(text).refs, &documents);
        let one = |(kind, found): &(TargetDocument, FoundTarget)| match found {
            FoundTarget::One(target) => Some(format!("{}:{}", kind.name(), target.line)),
            FoundTarget::Several(_) | FoundTarget::None => None,
        };
        located.iter().filter_map(one).collect()
    };
    assert_eq!(lines("## Milestone 1\n\nx\n", "## P1 Store\n"), ["design:1", "plan:1"]);
    assert_eq!(lines("## Milestone 1\n\nx\n\n## P1 Store\n", "## Other\n"), ["plan:5"]);
}
