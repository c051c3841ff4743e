//! Prompts of dispatches: their order, whole artifacts in them, and which artifacts are to be read.

use super::*;

/// A command with a dispatch whose prompt begins on line 9.
fn command(agent: &str, prompt: &str) -> String {
    let prompt: String = prompt.lines().map(|line| format!("     {line}\n")).collect();
    format!(
        "---\ndescription: Specify\n---\nx\n\n```\nTask tool call:\n  subagent_type: tidy:{agent}\n  prompt: |\n{prompt}```\n"
    )
}

/// The good dispatch of a reviewer, with a line taken out or changed.
#[track_caller]
fn check_prompt(agent: &str, prompt: &str, expected: &[&str]) {
    let reviewer = |name: &str| {
        format!("---\nname: {name}\ndescription: Reviews what others have written.\ntools: Read\n---\nx\n")
    };
    let path = format!("agents/{agent}.md");
    check(&[("commands/specify.md", &command(agent, prompt)), (&path, &reviewer(agent))], expected);
}

const READ: &str = "You MUST read these files first.\nConfirm: \"Files read: {name} ({N} lines)\"\n- PRD: {feature_path}/prd.md\n";

fn good() -> String {
    format!(
        "Review the spec.\n\nYour job: find gaps.\n\n## Required Artifacts\n{READ}\nReturn your assessment as JSON:\n{{ \"approved\": true }}\n\n## Spec (what you are reviewing)\n{{content of spec.md}}\n\n## Iteration Context\nThis is iteration {{n}} of {{max}}.\n"
    )
}

#[test]
fn a_prompt_in_the_canonical_order_has_no_fault() {
    check_prompt("spec-reviewer", &good(), &[]);
}

#[test]
fn what_changes_may_not_stand_before_what_stays() {
    let order = |line: usize| format!("commands/specify.md {line} plugin-prompt-order");
    // The form of the answer at the end, as it was before.
    let form = "Return your assessment as JSON:\n{ \"approved\": true }\n\n";
    let late = format!("{}\n{form}", good().replace(form, ""));
    check_prompt("spec-reviewer", &late, &[&order(19)]);
    let coda = format!("{}\nYour job: be the skeptic.\n", good());
    check_prompt("spec-reviewer", &coda, &[&order(22)]);
    let early = format!("This is iteration {{n}} of 5.\n{}", good());
    check_prompt("spec-reviewer", &early, &[&order(10), &order(10)]);
    let dated = good().replace("Review the spec.", "Review the spec as of {date}.");
    check_prompt("spec-reviewer", &dated, &[&order(10)]);
}

#[test]
fn each_part_stands_in_its_place() {
    let order = |line: usize| format!("commands/specify.md {line} plugin-prompt-order");
    let form = "Return your assessment as JSON:\n{ \"approved\": true }\n\n";
    let before = good().replace(form, "").replace("## Required", &format!("{form}## Required"));
    check_prompt("spec-reviewer", &before, &[&order(14)]);
    let first = good().replace("Review the spec.\n\nYour job: find gaps.\n\n", "");
    check_prompt("spec-reviewer", &first, &[&order(10)]);
    let swapped = good()
        .replace("## Spec (what", "## Iteration Context\nThis is iteration {n} of {max}.\n\n## Spec (what");
    check_prompt("spec-reviewer", &swapped, &[&order(22)]);
}

#[test]
fn other_ways_to_write_a_prompt_are_left_alone() {
    // Nothing says that these are iterations of one review.
    check_prompt("code-reviewer", "Here is the diff: {diff}\n\nReturn findings as JSON.\n", &[]);
    // A role that builds is first told what to build.
    let text = "## Task\n{task description}\nIteration {n}\n## Required Artifacts\nYou MUST read. Files read: x\n- Spec: {feature_path}/spec.md\n- PRD: {feature_path}/prd.md\n## Design\n{design.md sections by extractSection()}\n";
    check_prompt("implementer", text, &["commands/specify.md 13 plugin-artifact-map"]);
}

#[test]
fn a_resumed_prompt_has_no_order_and_no_artifacts() {
    let resumed = |prompt: &str| {
        format!(
            "---\ndescription: Specify\n---\n```\nTask tool call:\n  resume: {{agent_id}}\n  prompt: |\n    {prompt}\n```\n"
        )
    };
    check(
        &[("commands/specify.md", &resumed("## Delta\n    {delta}\n    Return your assessment as JSON:"))],
        &[],
    );
    check(
        &[("commands/specify.md", &resumed("{content of spec.md}"))],
        &["commands/specify.md 8 plugin-inline-artifact"],
    );
}

#[test]
fn whole_artifacts_are_placeholders_by_many_names() {
    for whole in [
        "{content of prd.md}",
        "{contents of the design}",
        "{prd.md content}",
        "{plan content}",
        "{{tasks_content}}",
        "${DESIGN_CONTENT}",
        "{full text of plan.md}",
        "{prd.md}",
        "$(cat {feature_path}/design.md)",
        "!`cat docs/prd.md`",
        "{content of tasks.md, or plan.md if there are none}",
    ] {
        let text = format!("Review it.\n\n## Upstream\n{whole}\n");
        check_prompt("spec-reviewer", &text, &["commands/specify.md 13 plugin-inline-artifact"]);
    }
    for part in [
        "{feature_path}/prd.md",
        "{design.md sections by extractSection()}",
        "{plan summary}",
        "{task description}",
        "{path of spec.md}",
        "{\"plan\": \"full\"}",
        "{spec}",
        "Read spec.md in full.",
    ] {
        check_prompt("spec-reviewer", &format!("Review it.\n\n## Upstream\n{part}\n"), &[]);
    }
}

#[test]
fn the_artifact_under_review_may_be_whole() {
    let inline = "commands/specify.md 13 plugin-inline-artifact";
    let text = |heading: &str, file: &str| format!("Review it.\n\n## {heading}\n{{content of {file}}}\n");
    check_prompt("spec-reviewer", &text("Spec", "spec.md"), &[]);
    check_prompt("task-reviewer", &text("Tasks", "tasks.md"), &[]);
    check_prompt("plan-reviewer", &text("Spec", "spec.md"), &[inline]);
    check_prompt("chain-reviewer", &text("Plan (what you're reviewing)", "plan.md"), &[]);
    check_prompt("chain-reviewer", &text("Plan", "plan.md"), &[inline]);
    // A reviewer of a hand-off reads by path, and a role that builds reviews nothing.
    check_prompt("phase-reviewer", &text("Spec (what you're reviewing)", "spec.md"), &[inline]);
    check_prompt("implementer", &text("Plan to review", "plan.md"), &[inline]);
}

#[test]
fn a_role_is_told_to_read_what_it_needs_and_no_more() {
    let map = "commands/specify.md 14 plugin-artifact-map";
    check_prompt("spec-reviewer", &good().replace("- PRD: {feature_path}/prd.md\n", ""), &[map]);
    let more = good().replace("prd.md\n", "prd.md\n- Plan: {feature_path}/plan.md\n");
    check_prompt("spec-reviewer", &more, &[map]);
    // What it reviews may be listed as well, and the line of the PRD be resolved elsewhere.
    check_prompt(
        "spec-reviewer",
        &good().replace("prd.md\n", "prd.md\n- Spec: {feature_path}/spec.md\n"),
        &[],
    );
    check_prompt(
        "spec-reviewer",
        &good().replace("- PRD: {feature_path}/prd.md", "{resolved PRD line}"),
        &[],
    );
    check_prompt(
        "spec-reviewer",
        &good().replace("- PRD: {feature_path}/prd.md", "{for each artifact of the map: its path}"),
        &[],
    );
    // An unknown role has no map.
    check_prompt("chain-reviewer", &more, &[]);
    // In the command of specify the hand-off needs two.
    let hand_off = format!("Validate.\n\n\n## Required Artifacts\n{READ}\nReturn JSON.\n");
    check_prompt("phase-reviewer", &hand_off, &["commands/specify.md 13 plugin-artifact-map"]);
    check_prompt(
        "phase-reviewer",
        &hand_off.replace("prd.md\n", "prd.md\n- Spec: {feature_path}/spec.md\n"),
        &[],
    );
}

#[test]
fn reading_is_asked_for_and_confirmed() {
    let map = "commands/specify.md 14 plugin-artifact-map";
    check_prompt("spec-reviewer", &good().replace("You MUST read these files first.\n", ""), &[map]);
    check_prompt(
        "spec-reviewer",
        &good().replace("Confirm: \"Files read: {name} ({N} lines)\"\n", ""),
        &[map],
    );
}

#[test]
fn where_prompts_list_artifacts_all_reviews_do() {
    let other = command("design-reviewer", "Review it.\nReturn JSON.\n");
    let reviewer =
        "---\nname: design-reviewer\ndescription: Reviews what others have written.\ntools: Read\n---\nx\n";
    let agent = ("agents/design-reviewer.md", reviewer);
    check(&[("commands/design.md", &other), agent], &[]);
    let first = command("spec-reviewer", &good());
    check(
        &[("commands/design.md", &other), ("commands/specify.md", &first), agent],
        &["commands/design.md 9 plugin-artifact-map"],
    );
}

#[test]
fn a_dispatch_is_read_in_every_form_people_write() {
    let inline = |line: usize| format!("commands/specify.md {line} plugin-inline-artifact");
    for (block, line) in [
        ("Task(subagent_type=\"tidy:writer\", prompt=\"{content of plan.md}\")", 5),
        ("Task({\n  subagent_type: 'tidy:writer',\n  prompt: `\n{content of plan.md}\n`,\n})", 8),
        ("- description: a\n- subagent_type: tidy:writer\n- prompt: |\n    {content of plan.md}", 8),
        ("{\n  \"subagent_type\": \"tidy:writer\",\n  \"prompt\": \"{content of plan.md}\"\n}", 7),
        ("Agent(\n  subagent_type=\"tidy:writer\",\n  prompt=\"\"\"\n{content of plan.md}\n\"\"\"\n)", 8),
    ] {
        let text = format!("---\ndescription: Specify\n---\n```\n{block}\n```\n");
        check(&[("commands/specify.md", &text)], &[&inline(line)]);
    }
    // Words about a prompt are not a prompt.
    let prose = "---\ndescription: Specify\n---\nThe prompt: {content of plan.md}\n\n```\nprompt: {content of plan.md}\n```\n";
    check(&[("commands/specify.md", prose)], &[]);
}
