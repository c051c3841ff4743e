use super::*;

const PRD: &str = "\
# PRD: Gateway

## Problem Statement

One customer slows down the others. Nobody sees it coming.

## 2. Project Goals

- One customer cannot slow down the others.
- Limits are seen before they are reached,
  by whoever runs the gateway.
* Keys are rotated without a restart.
- A fourth goal that nobody keeps in mind.

## Non-Goals

- Billing.
";

const ROADMAP: &str = "\
# Roadmap: Gateway

## M1: Foundations

- [x] 030-keys
- 031-rate-limits: what everything waits for

## M2: Comfort

| feature | why |
|---|---|
| 032 | asked for |
";

fn dependency(name: &str, life: Option<FeatureLife>, waits: bool) -> EarlierFeature {
    EarlierFeature { name: name.to_owned(), life, waits }
}

fn facts<'a>(dependencies: &'a [EarlierFeature]) -> ProjectFacts<'a> {
    ProjectFacts {
        id: "P001",
        folder: Some("P001-gateway"),
        prd: Some(PRD),
        roadmap: Some(ROADMAP),
        feature: "031-rate-limits",
        dependencies,
    }
}

#[test]
fn ac9_a_feature_of_a_project_is_told_goals_dependencies_and_priority() {
    let dependencies = [
        dependency("030-keys", Some(FeatureLife::Completed), false),
        dependency("029-logs", Some(FeatureLife::Active), true),
        dependency("028-alarms", Some(FeatureLife::Planned), false),
        dependency("027-pages", Some(FeatureLife::Planned), true),
        dependency("026-fax", Some(FeatureLife::Abandoned), false),
    ];
    let block = project_block(&facts(&dependencies));
    let expected = "\
**Project:** Gateway | **This feature:** 031-rate-limits
**Project goals:**
- One customer cannot slow down the others.
- Limits are seen before they are reached, by whoever runs the gateway.
- Keys are rotated without a restart.
**Feature dependencies:** completed: 030-keys | in-progress: 029-logs | planned: 028-alarms | blocked: 027-pages, 026-fax
**Priority signal:** M1: Foundations (milestone 1 of 2)
";
    assert_eq!(block, ProjectBlock { text: Some(expected.to_owned()), notes: Vec::new() });
}

#[test]
fn what_is_absent_is_left_out_and_what_is_named_and_not_found_is_a_note() {
    let bare = ProjectFacts { prd: None, roadmap: None, ..facts(&[]) };
    let text = project_block(&bare).text.unwrap();
    assert_eq!(text, "**Project:** P001-gateway | **This feature:** 031-rate-limits\n");
    let gone = [dependency("009-nowhere", None, false)];
    let block = project_block(&facts(&gone));
    assert_eq!(block.notes, ["031-rate-limits depends on 009-nowhere, which is not found"]);
    assert!(!block.text.unwrap().contains("dependencies"));
    let block = project_block(&ProjectFacts { folder: None, ..facts(&[]) });
    assert_eq!((block.text, block.notes.len()), (None, 1));
}

#[test]
fn a_feature_in_no_milestone_is_not_on_the_roadmap_and_numbers_are_whole_words() {
    let other = ProjectFacts { feature: "033-comfort", ..facts(&[]) };
    assert!(project_block(&other).text.unwrap().ends_with("**Priority signal:** not on roadmap\n"));
    let by_number = ProjectFacts { feature: "032-colours", ..facts(&[]) };
    let text = project_block(&by_number).text.unwrap();
    assert!(text.ends_with("**Priority signal:** M2: Comfort (milestone 2 of 2)\n"), "{text}");
    assert!(!milestones(ROADMAP)[0].names("031-rate"));
}

#[test]
fn goals_are_found_by_the_headings_people_write_and_else_are_first_sentences() {
    for heading in ["## Goals", "### 1.2 Objectives", "## Project goals:", "## Goals & Non-Goals", "## GOAL"]
    {
        assert_eq!(
            goals(&format!("# X\n\nText.\n\n{heading}\n\n1. First\n2. Second\n")),
            ["First", "Second"],
            "{heading}"
        );
    }
    assert_eq!(
        goals("# X\n\n## Goals\n\nBe quick. Be right! Be small? Be more.\n"),
        ["Be quick.", "Be right!", "Be small?"]
    );
    assert_eq!(
        goals("# X\n\n## Non-Goals\n\n- Not this\n\n## Problem\n\nIt is slow. v1.2 was not.\n"),
        ["It is slow.", "v1.2 was not."]
    );
    assert_eq!(goals("# X\n\nAll about it.\n"), ["All about it."]);
    assert_eq!(goals(""), Vec::<String>::new());
}

#[test]
fn a_block_that_gets_too_long_counts_dependencies_and_then_cuts_goals() {
    let many: Vec<EarlierFeature> = (0..120)
        .map(|n| dependency(&format!("{n:03}-a-feature-with-a-name"), Some(FeatureLife::Completed), false))
        .collect();
    let text = project_block(&facts(&many)).text.unwrap();
    assert!(
        text.contains("**Feature dependencies:** 120 completed\n") && text.contains("- Keys are rotated"),
        "{text}"
    );
    let goal = "very long ".repeat(500);
    let prd = format!("# G\n\n## Goals\n\n- {goal}\n- {goal}\n- {goal}\n");
    let long = ProjectFacts { prd: Some(&prd), ..facts(&many) };
    let text = project_block(&long).text.unwrap();
    assert!(text.chars().count() <= BLOCK_CHARS_MAX, "{}", text.chars().count());
    assert!(text.contains("**Priority signal:** M1: Foundations"));
    // No title and no number of dependencies gets past the limit either.
    let title = format!("# {}\n\n## Goals\n\n- {goal}\n", "t".repeat(9_000));
    let text = project_block(&ProjectFacts { prd: Some(&title), ..facts(&many) }).text.unwrap();
    assert!(text.chars().count() <= BLOCK_CHARS_MAX, "{}", text.chars().count());
}

#[test]
fn a_block_in_a_script_of_many_signs_is_cut_sooner() {
    let goal = "目標を達成する".repeat(60);
    let prd = format!("# 門\n\n## Goals\n\n- {goal}\n- {goal}\n- {goal}\n");
    let text = project_block(&ProjectFacts { prd: Some(&prd), ..facts(&[]) }).text.unwrap();
    let wide = text.chars().filter(|c| *c >= '\u{2e80}').count();
    assert!((300..500).contains(&wide), "{wide}");
    assert!(text.contains("**Priority signal:** M1: Foundations"));
}
