use super::*;
use proptest::prelude::*;

/// The broken rules of a text as `line rule`, in order.
fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> =
        lint_spec(text).iter().map(|problem| format!("{} {}", problem.line, problem.rule)).collect();
    assert_eq!(found, expected, "in:\n{text}");
}

#[test]
fn a_text_of_white_space_is_empty_and_nothing_else() {
    check("", &["1 empty"]);
    check(" \n\t\n", &["1 empty"]);
}

#[test]
fn a_plain_spec_has_no_problem() {
    check("# Spec\n\n## Requirements\n\n- R1: When asked, the system shall answer within 2 s.\n", &[]);
    check("Spec\n====\n\ntext\n", &[]);
    check("Spec\n---\n", &[]);
}

#[test]
fn a_text_without_any_heading_is_reported_once() {
    check("just words\n\n- and a list\n", &["1 no-heading"]);
    check("#hashtag is no heading\n", &["1 no-heading"]);
    check("```sh\n# a comment is no heading\n```\n", &["1 no-heading"]);
    check("words\n\n---\n\nwords\n", &["1 no-heading"]);
    check("#\n", &["1 no-heading"]);
}

#[test]
fn every_conflict_is_reported_at_its_first_marker() {
    check(
        "# S\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n\n<<<<<<< HEAD\n=======\n>>>>>>> x\n",
        &["2 conflict-marker", "8 conflict-marker"],
    );
    check("# S\nb\n>>>>>>> other\n", &["3 conflict-marker"]);
    check("# S\n```\n<<<<<<< HEAD\n>>>>>>> other\n```\n", &[]);
    check("Title\n=======\n\n<<<<<<<<<< not a marker\n", &[]);
}

#[test]
fn what_was_to_be_filled_in_later_is_a_placeholder() {
    for line in [
        "The limit is TBD.",
        "TODO: say more",
        "- R1: FIXME",
        "| R1 | TBD |",
        "(TODO)",
        "**TBD**",
        "The count is ???",
        "owner: ??? (ask)",
        "R1 [NEEDS CLARIFICATION: which users?]",
        "Contact {{owner}} first",
        "count TBD by audit",
        "> TBD",
        "<!-- TODO -->",
        "a stray ` tick and TODO",
    ] {
        check(&format!("# S\n\n{line}\n"), &["3 placeholder"]);
    }
    check("# TBD\n", &["1 placeholder"]);
    check("# S\n\n- item\n\n      TODO in a list item\n", &["5 placeholder"]);
    check("# S\nTBD, {{a}} and ???\n", &["2 placeholder", "2 placeholder", "2 placeholder"]);
}

#[test]
fn code_names_and_everyday_words_are_not_placeholders() {
    for line in [
        "a `TODO` marker and ``a ` TBD``",
        "see TODO.md and docs/TODO and TODO_LIST and no-TODO",
        "todo lists, a Todo app, TODOS",
        "Really?? What??? Why!???",
        "`{{name}}` and ${{ secrets.KEY }}",
        "{{ without an end",
        "clarification is needed",
        "a placeholder like <name> is text",
    ] {
        check(&format!("# S\n\n{line}\n"), &[]);
    }
    check("# S\n\n    TODO in indented code\n\n    TBD still\n\ntext\n", &[]);
    check("# S\n~~~\nTODO\n```\nTBD\n~~~\n", &[]);
    check("# S\n- step\n  ```sh\n  # TODO\n  ```\n", &[]);
    check("# S\n- ```sh\n  # TODO\n  ```\n", &[]);
    check("# S\n> ```\n> TODO\n> ```\n", &[]);
}

#[test]
fn a_fence_that_is_never_closed_is_reported_where_it_opens() {
    check("# S\n\n```sh\nrun\n", &["3 unclosed-fence"]);
    check("# S\n````\n```\n", &["2 unclosed-fence"]);
    check("# S\n```\n~~~\n", &["2 unclosed-fence"]);
    check("# S\n```\nx\n``` sh\n", &["2 unclosed-fence"]);
    check("# S\n```\nx\n````\n", &[]);
    check("# S\n```inline``` code\n", &[]);
    check("# S\n> ```\n> x\n\ntext\n", &[]);
    check("# S\n```md\n```sh\nrun\n```\n```\n", &["6 unclosed-fence"]);
}

#[test]
fn what_needs_judgement_is_left_to_reviewers() {
    check(
        "# S\n\n## Goals\n- G1: be fast\n\n## Requirements\n- R1: retry 3 times\n- R2: retry 5 times after log-in\n\n\
         ## Errors\n- the disk is full\n\n## Acceptance Criteria\n- AC1 (R1): login is retried\n",
        &[],
    );
}

#[test]
fn the_evidence_has_one_line_for_each_problem_with_its_way_out() {
    let problems = lint_spec("# S\nTBD\n```\n");
    assert_eq!(
        evidence(&problems),
        "line 2 [placeholder] `TBD` is not filled in; decide it, or make it an open question with an owner and a \
         default\n\
         line 3 [unclosed-fence] the code fence opened here is never closed; close it with a line of its own; a fence \
         around another one needs more backticks than the inner one"
    );
    assert_eq!(evidence(&[]), "");
}

proptest! {
    #[test]
    fn any_text_can_be_linted(text in "(?s)([`~#>\\-{}?<= \t\nTODBa]|.){0,60}") {
        let lines = text.lines().count().max(1);
        for problem in lint_spec(&text) {
            prop_assert!((1..=lines).contains(&(problem.line as usize)), "{:?}", problem);
            prop_assert!(!evidence(&[problem]).contains('\n'));
        }
    }

    #[test]
    fn nothing_inside_a_closed_fence_is_a_placeholder(body in "[a-zTODB?{}#<>= \n]{0,60}") {
        let text = format!("# S\n\n```\n{body}\n```\n");
        prop_assert_eq!(lint_spec(&text), vec![]);
    }
}
