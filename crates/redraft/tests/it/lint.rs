//! `redraft lint`: what it finds, how it reports it, and with which exit code.

mod folders;

use super::world::*;
use redraft_documents::lint::{LintLevel, Rule};
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;

const GOOD_SPEC: &str = "# Spec\n\n## Requirements\n\n- **FR-1:** It answers within 2 s.\n\n## Acceptance Criteria\n\n- **AC-1:** A test shows it.\n";

const PLAIN_SPEC: &str =
    "# Spec\n\n## Requirements\n\nIt prints a report.\n\n## Acceptance Criteria\n\nA test shows it.\n";

fn scratch() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("docs/features/001-export/spec.md", GOOD_SPEC);
    scratch
}

/// The faults of a run as `path:line rule level`.
fn faults(object: &Value) -> Vec<String> {
    let text = |fault: &Value, key: &str| fault[key].as_str().unwrap().to_owned();
    let line = |fault: &Value| {
        format!("{}:{} {} {}", text(fault, "path"), fault["line"], text(fault, "rule"), text(fault, "level"))
    };
    object["faults"].as_array().unwrap().iter().map(line).collect()
}

/// One document or more for each rule, made to break it.
fn broken(rule: Rule) -> Vec<(&'static str, &'static str)> {
    match rule {
        Rule::Missing | Rule::Unreadable => Vec::new(),
        Rule::Empty => vec![("spec.md", " \n\n")],
        Rule::CutOff => vec![("prd.md", "# Goal\n\n## Errors\n")],
        Rule::UnclosedFence => vec![("prd.md", "# Goal\n\n```sh\nls\n")],
        Rule::ConflictMarker => vec![("prd.md", "# Goal\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> b\n")],
        Rule::Placeholder => vec![("prd.md", "# Goal\n\nThe limit is TBD.\n")],
        Rule::NoTasks => vec![("tasks.md", "# T\n\n## What to do\n\n- [ ] write the store\n")],
        Rule::DuplicateId => vec![("prd.md", "# Goal\n\n- **R1:** a\n- **R1:** b\n")],
        Rule::DependencyCycle => {
            vec![("tasks.md", "# T\n\n### T1: a\n\nDepends on: T2\n\n### T2: b\n\nDepends on: T1\n")]
        }
        Rule::UnknownReference => vec![("tasks.md", "# T\n\n### T1: a\n\nDepends on: T7\n")],
        Rule::NoHeading => vec![("prd.md", "only words\n")],
        Rule::MissingSection => {
            vec![("plan.md", "# P\n\n## Colours\n\nThe sky is blue and that is of use to the reader.\n")]
        }
        Rule::MissingFile => vec![("prd.md", "# Goal\n\nSee `docs/gone.md`.\n")],
        Rule::PlaceholderInCode => vec![("prd.md", "# Goal\n\n```py\n# TODO: retry\n```\n")],
        Rule::RestatedDifferently => vec![
            ("design.md", "# D\n\n## Components\n\n```py\ndef send(a: int):\n```\n"),
            ("plan.md", "# P\n\n## Steps\n\n```py\ndef send(a: str):\n```\n"),
        ],
        Rule::UnreferencedId => vec![
            (
                "spec.md",
                "# S\n\n## Requirements\n\n- **R1:** a\n- **R2:** b\n- **R3:** c\n\n## Acceptance\n\nyes\n",
            ),
            ("plan.md", "# P\n\n## Steps\n\nFirst R1, then R2.\n"),
        ],
        Rule::NoDoneCriterion => vec![(
            "tasks.md",
            "# T\n\n### T1: a\n\nDone when: x\n\n### T2: b\n\nDone when: x\n\n### T3: c\n\ntext\n",
        )],
        Rule::UnknownCheck => {
            vec![("../../knowledge-bank/heuristics.md", "### One\n- Checked by: check none\n")]
        }
        Rule::VagueWord => {
            vec![(
                "prd.md",
                "# Goal\n\nThe reader is to be told and not to wait.\n\n- It must answer quickly.\n",
            )]
        }
        Rule::UntracedRequirement => vec![
            ("spec.md", "# S\n\n## Requirements\n\n- **R1:** a\n- **R2:** b\n"),
            ("tasks.md", "# T\n\n### Task 1: a\n\n**Implements:** R1\n"),
        ],
        Rule::UntracedStep => vec![
            ("plan.md", "# P\n\n### Step 1.1: a\n\ntext\n\n### Step 1.2: b\n\ntext\n"),
            ("tasks.md", "# T\n\n### Task 1: a\n\n**Implements:** Plan 1.1\n"),
        ],
        Rule::UntracedTask => vec![("tasks.md", "# T\n\n### Task 1: a\n\ntext\n")],
        Rule::LostReference => vec![
            ("design.md", "# D\n\n## C1: Store\n\ntext\n"),
            ("tasks.md", "# T\n\n### Task 1: a\n\n**Implements:** Design C1, Design C7\n"),
        ],
        // These need code: see `trace`.
        Rule::UntracedFile | Rule::UnbuiltTask | Rule::UnrunTest => Vec::new(),
        // These need a plugin: see `lint_plugin`.
        other => {
            assert!(other.is_of_plugins(), "{other}");
            Vec::new()
        }
    }
}

/// Whether a rule is checked only when the trace is asked for.
fn is_of_the_trace(rule: Rule) -> bool {
    let place = |wanted| Rule::ALL.iter().position(|one| *one == wanted);
    rule != Rule::UnknownCheck && place(rule) > place(Rule::VagueWord)
}

#[test]
fn every_rule_is_found_by_its_name_at_its_level_and_only_errors_fail() {
    let of_code = [Rule::UntracedFile, Rule::UnbuiltTask, Rule::UnrunTest];
    for rule in Rule::ALL.into_iter().filter(|rule| !of_code.contains(rule) && !rule.is_of_plugins()) {
        let scratch = Scratch::empty(PROGRAM);
        let folder = "docs/features/001-x";
        let words =
            if is_of_the_trace(rule) { vec!["lint", "--trace", folder] } else { vec!["lint", folder] };
        match rule {
            Rule::Missing => {
                scratch.write(&format!("{folder}/plan.md"), "# Plan\n\n## Steps\n\n1. Write it.\n");
            }
            Rule::Unreadable => {
                scratch.write(&format!("{folder}/spec.md"), "");
                std::fs::write(scratch.root().join(folder).join("spec.md"), [0xff, 0xfe]).unwrap();
            }
            _ => {
                // The document that others build on exists, and has no fault of its own.
                scratch.write(&format!("{folder}/spec.md"), PLAIN_SPEC);
                broken(rule).iter().for_each(|(name, text)| scratch.write(&format!("{folder}/{name}"), text))
            }
        }
        // The knowledge bank is looked at where everything is.
        let (folder, words) = match rule {
            Rule::UnknownCheck => ("docs/knowledge-bank", vec!["lint"]),
            _ => (folder, words),
        };
        let object = scratch.json(&words);
        let found = faults(&object);
        let expected = format!(" {} {}", rule.name(), rule.level().name());
        assert_eq!(found.len(), 1, "{rule}: {found:?}");
        assert!(found[0].starts_with(folder) && found[0].ends_with(&expected), "{rule}: {found:?}");
        let code = if rule.level() == LintLevel::Error { 1 } else { 0 };
        let ran = scratch.run(&words).expect(code);
        assert!(ran.stdout.contains(&format!("[{rule}]")), "{rule}: {ran:?}");
        assert!(ran.stdout.contains("\n  hint: "), "{rule}: {ran:?}");
    }
}

#[test]
fn without_a_path_every_feature_is_checked_and_a_worktree_wins() {
    let scratch = scratch();
    scratch.write("docs/features/002-import/spec.md", "# Spec\n\nTBD\n");
    scratch.write("docs/features/pictures/a.png", "no document");
    let object = scratch.json(["lint"]);
    assert_eq!((&object["v"], &object["features"], &object["documents"]), (&1.into(), &2.into(), &2.into()));
    assert_eq!(faults(&object), ["docs/features/002-import/spec.md:3 placeholder error"]);
    scratch.run(["lint"]).expect(1);
    // The same feature as it is worked on.
    let worktree = ".redraft/worktrees/002-import/docs/features/002-import/spec.md";
    scratch.write(worktree, GOOD_SPEC);
    scratch.run(["lint"]).expect(0);
    scratch.run(["lint", "002"]).expect(0);
    scratch.run(["lint", "docs/features/002-import"]).expect(1);
}

#[test]
fn a_document_of_a_finished_phase_that_was_taken_away_is_missed() {
    let scratch = scratch();
    let meta =
        r#"{"v":1,"phases":{"specify":{"completed":"2026-11-15"},"design":{"completed":"2026-11-15"}}}"#;
    scratch.write("docs/features/001-export/.meta.json", meta);
    scratch.run(["lint"]).expect(1);
    let object = scratch.json(["lint"]);
    assert_eq!(faults(&object), ["docs/features/001-export/design.md:1 missing error"]);
    scratch.write("docs/features/001-export/.meta.json", &meta.replace("\"v\":1,", ""));
    scratch.run(["lint"]).expect(0);
}

#[test]
fn what_is_built_on_a_specification_that_is_not_there_misses_it() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("docs/features/001-export/plan.md", "# Plan\n\n## Steps\n\n1. Write it.\n");
    assert_eq!(faults(&scratch.json(["lint"])), ["docs/features/001-export/spec.md:1 missing error"]);
}

#[test]
fn files_folders_and_numbers_can_be_named_together() {
    let scratch = scratch();
    scratch.write("notes/idea.md", "# Idea\n\nFIXME\n");
    let object = scratch.json(["lint", "notes/idea.md", "001", "docs/features", "."]);
    assert_eq!(object["documents"], 4, "one file, and the feature three times: {object}");
    assert_eq!(faults(&object), ["notes/idea.md:3 placeholder error"]);
    let ran = scratch.run(["lint", "notes/idea.md"]).expect(1);
    assert_eq!(
        ran.stdout,
        "notes/idea.md:3: error [placeholder] `FIXME` is not filled in\n  hint: decide it, or make it an open question with an owner and a default\n"
    );
    assert_eq!(ran.stderr, "1 document checked: 1 error, 0 warnings\n");
}

#[test]
fn nothing_to_check_is_a_usage_error() {
    let scratch = Scratch::repository(PROGRAM);
    let ran = scratch.run(["lint"]).expect(2);
    assert!(ran.stderr.contains("there is no document in"), "{ran:?}");
    scratch.run(["lint", "docs/nowhere"]).expect(2);
    scratch.run(["lint", "042"]).expect(2);
    std::fs::create_dir_all(scratch.root().join("docs/features/001-x")).unwrap();
    scratch.run(["lint"]).expect(2);
    let ran = scratch.run(["lint", "docs/features/001-x"]).expect(2);
    assert!(ran.stderr.contains("there is no document in"), "{ran:?}");
}

#[test]
fn no_repository_and_no_configuration_is_needed() {
    let scratch = Scratch::empty(PROGRAM);
    scratch.write("a.md", "# A\n\nall good\n");
    scratch.run(["lint", "a.md"]).expect(0);
    scratch.write("docs/features/001-x/spec.md", GOOD_SPEC);
    scratch.run(["lint"]).expect(0);
    // Paths are relative to the folder the command is typed in.
    scratch.write("sub/b.md", "TBD\n");
    let mut command = scratch.redraft(["-C", "sub", "lint", "b.md", "--json"]);
    let ran = Ran::new(command.output().unwrap());
    assert!(ran.stdout.contains("\"path\": \"b.md\""), "{ran:?}");
}

#[test]
fn what_is_too_large_or_no_file_is_said_and_the_rest_is_checked() {
    let scratch = scratch();
    scratch.write("docs/features/001-export/plan.md", &"# Steps and words\n\n".repeat(300_000));
    std::fs::create_dir_all(scratch.root().join("docs/features/001-export/design.md")).unwrap();
    scratch.write("docs/features/001-export/prd.md", "# Goal\n\nTBD\n");
    let object = scratch.json(["lint"]);
    assert_eq!(
        faults(&object),
        [
            "docs/features/001-export/prd.md:3 placeholder error",
            "docs/features/001-export/design.md:1 unreadable error",
            "docs/features/001-export/plan.md:1 unreadable error",
        ]
    );
}

#[test]
fn a_project_changes_levels_sections_and_words_in_its_configuration() {
    let scratch = scratch();
    scratch.write("docs/features/001-export/prd.md", "# Goal\n\nTBD\n\n- **R1:** as green as grass\n");
    scratch.write(
        "redraft.toml",
        "[lint]\nvague_words = [\"green\"]\n[lint.rules]\nplaceholder = \"off\"\nvague-word = \"error\"\n\
         [lint.sections]\nspec = [\"Fees | Charges\"]\n",
    );
    let object = scratch.json(["lint"]);
    assert_eq!(
        faults(&object),
        [
            "docs/features/001-export/prd.md:5 vague-word error",
            "docs/features/001-export/spec.md:1 missing-section warning",
        ]
    );
    let rules = scratch.json(["lint", "--rules"]);
    let of = |name: &str| {
        rules["rules"].as_array().unwrap().iter().find(|rule| rule["name"] == name).unwrap().clone()
    };
    assert_eq!(
        (of("placeholder")["level"].as_str(), of("placeholder")["default"].as_str()),
        (Some("off"), Some("error"))
    );
    for (wrong, said) in [
        ("[lint.rules]\nplaceholders = \"off\"\n", "did you mean `placeholder`?"),
        ("[lint.rules]\nplaceholder = \"loud\"\n", "`loud` is not a level (known: error, warning, off)"),
        ("[lint.sections]\nspecs = []\n", "did you mean `spec`?"),
        ("[lint.sections]\nspec = [\" | \"]\n", "an expected section needs a name"),
        ("[lint]\nvague_words = [\" \"]\n", "a vague word cannot be empty"),
        ("[lint]\nwords = []\n", "there is no key `words` here"),
    ] {
        scratch.write("redraft.toml", wrong);
        let ran = scratch.run(["lint"]).expect(3);
        assert!(ran.stderr.contains(said), "{wrong}: {ran:?}");
    }
}

#[test]
fn the_rules_can_be_listed() {
    let scratch = Scratch::empty(PROGRAM);
    let ran = scratch.run(["lint", "--rules"]).expect(0);
    for rule in Rule::ALL {
        let line = ran.stdout.lines().find(|line| line.split_whitespace().next() == Some(rule.name()));
        assert!(line.is_some_and(|line| line.contains(rule.level().name())), "{rule}: {}", ran.stdout);
    }
    scratch.run(["lint", "--rules", "--sarif"]).expect(2);
}

#[test]
fn sarif_names_every_rule_and_where_each_fault_is() {
    let scratch = scratch();
    scratch
        .write("docs/features/002-a b/prd.md", "# Goal\n\nTBD\n\n- **R1:** green\n\n```py\n# TODO: x\n```\n");
    let mut command = scratch.redraft(["-C", "docs", "lint", "--sarif"]);
    let ran = Ran::new(command.output().unwrap()).expect(1);
    let object: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(object["version"], "2.1.0");
    assert!(object["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &object["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), Rule::ALL.len());
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{object}");
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        // From the top of the repository, wherever the command was typed.
        assert_eq!(place["artifactLocation"]["uri"], "docs/features/002-a%20b/prd.md");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
    }
    scratch.run(["lint", "--sarif", "--json"]).expect(2);
}

#[test]
fn annotations_for_github_are_one_line_each() {
    let scratch = scratch();
    scratch.write("docs/a, b.md", "# A\n\nTBD at 100%\n");
    let ran = scratch.run(["lint", "--github", "docs/a, b.md"]).expect(1);
    assert_eq!(
        ran.stdout,
        "::error file=docs/a%2C b.md,line=3,title=placeholder::`TBD` is not filled in; decide it, or make it an open question with an owner and a default\n"
    );
}

#[test]
fn the_page_about_lint_lists_the_rules_of_the_program() {
    let page = include_str!("../../../../docs/lint.md");
    for rule in Rule::ALL {
        let row = format!("| `{}` | {} | {} |", rule.name(), rule.level().name(), rule.explanation());
        assert!(page.contains(&row), "docs/lint.md must have the row:\n{row}");
    }
}

#[test]
fn a_dead_link_beside_the_document_is_told() {
    let scratch = scratch();
    // Not meant by a link in another folder.
    scratch.write("threats.md", "# Threats\n");
    scratch.write("docs/there.md", "# There\n");
    scratch.write(
        "docs/proposal.md",
        "# Proposal\n\nSee [the threat model](threats.md), [this](there.md), [the page](../README.md) and \
         [that](../gone.md), but not [outside](../../gone.md) nor [elsewhere](../none/x.md) nor `/tmp/x.txt`.\n",
    );
    let ran = scratch.run(["lint", "docs/proposal.md"]).expect(0);
    let told: Vec<&str> = ran.stdout.lines().filter(|line| line.contains("[missing-file]")).collect();
    assert_eq!(
        told,
        [
            "docs/proposal.md:3: warning [missing-file] there is no file `threats.md`",
            "docs/proposal.md:3: warning [missing-file] there is no file `../gone.md`"
        ]
    );
}
