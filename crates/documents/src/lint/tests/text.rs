//! One document: whole, filled in, closed.

use super::{check, check_named};
use crate::lint::*;
use proptest::prelude::*;
use redraft_facts::prelude::*;

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
    for text in [
        "# S\n\n    TODO in indented code\n\n    TBD still\n\ntext\n",
        "# S\n~~~\nTODO\n```\nTBD\n~~~\n",
        "# S\n- step\n  ```sh\n  # TODO\n  ```\n",
        "# S\n- ```sh\n  # TODO\n  ```\n",
        "# S\n> ```\n> TODO\n> ```\n",
    ] {
        let found = super::found_in("notes.md", text);
        assert!(found.iter().all(|fault| fault.ends_with(" placeholder-in-code")), "{text}: {found:?}");
    }
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
fn the_evidence_has_one_line_for_each_fault_with_its_way_out() {
    let documents = Documents::of_one("notes.md", "# S\nTBD\n```\n".to_owned());
    let faults = super::super::check(&documents, &LintSettings::default());
    assert_eq!(
        evidence(&faults),
        "line 2 [placeholder] `TBD` is not filled in; decide it, or make it an open question with an owner and a \
         default\n\
         line 3 [unclosed-fence] the code fence opened here is never closed; close it with a line of its own; a fence \
         around another one needs more backticks than the inner one"
    );
    assert_eq!(evidence(&[]), "");
}

#[test]
fn a_block_that_holds_a_labelled_block_is_closed() {
    check("# S\n```md\n```sh\nrun\n```\n```\n\nTBD\n", &["8 placeholder"]);
    check("# S\n- step\n  ```sh\n  run\n  ```\n\nend\n", &[]);
}

#[test]
fn words_that_are_spoken_about_or_name_a_state_are_no_placeholders() {
    for line in [
        "No TODO is left in the code.",
        "Zero TODO/FIXME markers remain.",
        "Every TODO comment has an owner.",
        "It finds TODO, TBD and FIXME.",
        "The marker \"TBD\" is refused.",
        "Status: TODO",
        "Keine TODO bleibt, ohne FIXME.",
        "He wrote 'lorem ipsum' there.",
        "See [your account](account.md).",
        "Press [Enter] to go on.",
        "usage: <file>",
        "current: {cwd}",
    ] {
        check(&format!("# S\n\n{line}\n"), &[]);
    }
    check("# S\n\n| Task | Status |\n|---|---|\n| a | TODO |\n", &[]);
    check("# S\n\n## TODO\n\n- wash up\n\n## Done\n\n- dry\n", &[]);
    check("# S\n\n| Task | Limit |\n|---|---|\n| a | TODO |\n", &["5 placeholder"]);
}

#[test]
fn brackets_that_ask_to_be_filled_in_are_placeholders() {
    for line in [
        "Owner: <owner>",
        "- **Summary:** {short description}",
        "| name | <description> |",
        "Contact [fill in the team] first.",
        "Due [insert date here].",
        "The limit (to be determined) holds.",
        "Lorem ipsum dolor sit amet",
        "Anbieter: [hier einfügen]",
    ] {
        check(&format!("# S\n\n{line}\n"), &["3 placeholder"]);
    }
    // Such fields belong to the document that is shown.
    check("# S\n\n```markdown\nx\n```\nOwner: <owner>\n", &[]);
}

#[test]
fn a_document_that_ends_where_more_must_follow_is_cut_off() {
    for (end, expected) in [
        ("## Errors", true),
        ("The parts are:", true),
        ("**Steps:**", true),
        ("one, two,", true),
        ("first this, then (", true),
        ("- a\n-", true),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |", false),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3", true),
        ("and then...", true),
        ("最后一点：", true),
        ("<!-- never closed", true),
        ("a sentence without a full stop", false),
        ("- an item", false),
        ("done :tada:", false),
        ("---", false),
        ("```\nand so on...\n```", false),
        ("`ls ...`", false),
    ] {
        let text = format!("# S\n\n## Part\n\ntext\n\n{end}\n");
        let found = super::found_in("notes.md", &text);
        assert_eq!(found.iter().any(|fault| fault.ends_with("cut-off")), expected, "{end}: {found:?}");
        assert!(found.len() <= 1, "{end}: {found:?}");
    }
}

#[test]
fn code_that_says_it_is_not_finished_is_a_warning() {
    check("# S\n```py\n# TODO: retry\n```\n", &["3 placeholder-in-code"]);
    check("# S\n```rs\nlet limit = TBD;\n```\n", &["3 placeholder-in-code"]);
    check("# S\n```rs\ntodo!()\n```\n", &["3 placeholder-in-code"]);
    check("# S\n```sh\ngrep -r TODO src\n```\n", &[]);
}

#[test]
fn the_byte_order_mark_and_windows_line_ends_change_nothing() {
    check("\u{feff}# S\r\n\r\nThe limit is TBD.\r\n", &["3 placeholder"]);
    check_named("spec.md", "\u{feff}# Spec\r\n\r\n## Anforderungen\r\n\r\n## Abnahme\r\n\r\n- x\r\n", &[]);
}

#[test]
fn a_rule_can_be_silenced_or_given_another_level() {
    let documents = Documents::of_one("notes.md", "no heading, TBD\n".to_owned());
    let mut settings = LintSettings::default();
    settings.levels.insert(Rule::Placeholder, LintLevel::Warning);
    settings.levels.insert(Rule::NoHeading, LintLevel::Off);
    let faults = super::super::check(&documents, &settings);
    let found: Vec<(Rule, LintLevel)> = faults.iter().map(|fault| (fault.rule, fault.level)).collect();
    assert_eq!(found, [(Rule::Placeholder, LintLevel::Warning)]);
}

#[test]
fn only_so_many_faults_of_a_rule_are_told_and_the_rest_counted() {
    let text = format!("# S\n{}", "TBD\n\n".repeat(250));
    let faults = super::super::check(&Documents::of_one("notes.md", text), &LintSettings::default());
    assert_eq!(faults.len(), 100);
    assert_eq!(faults[99].message, "`TBD` is not filled in (and 150 more like it)");
}

proptest! {
    #[test]
    fn any_text_can_be_linted(
        text in "(?s)([`~#>\\-{}\\[\\]()?<=§|*:.,_ \t\r\nTODBFR1239a]|TODO|TBD|Task 1\\.|- \\*\\*AC-1|design §|Depends on: |\u{fffc}|[äßѣ要İ]|.){0,80}",
        name in prop::sample::select(vec!["spec.md", "tasks.md", "notes.md"]),
    ) {
        let lines = text.lines().count().max(1);
        let documents = Documents::of_one(name, text.clone());
        named_files(&documents);
        for fault in super::super::check(&documents, &LintSettings::default()) {
            prop_assert!((1..=lines).contains(&(fault.line as usize)), "{:?}", fault);
            prop_assert!(!evidence(core::slice::from_ref(&fault)).contains('\n'), "{:?}", fault);
        }
    }

    #[test]
    fn nothing_inside_a_closed_fence_is_a_placeholder_in_the_text(body in "[a-zTODB?{}#<>= \n]{0,60}") {
        let text = format!("# S\n\n```\n{body}\n```\n");
        let found = super::found_in("notes.md", &text);
        prop_assert!(found.iter().all(|fault| fault.ends_with("placeholder-in-code")), "{:?}", found);
    }
}
