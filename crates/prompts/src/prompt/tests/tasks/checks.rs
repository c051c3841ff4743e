//! What prompts about code say of the project's checks.

use super::*;

#[test]
fn a_task_whose_check_failed_goes_on_with_the_evidence_resumed_or_fresh() {
    let resumed = case("implementer", "task, resumed after a failed check");
    assert_eq!(names(&resumed.turn), ["resume-note", "gate", "return-short"]);
    let fresh = case("implementer", "task, after a failed check");
    assert_eq!(stable(&fresh), stable(&case("implementer", "task")));
    for prompt in [&resumed, &fresh] {
        assert!(prompt.get("gate").unwrap().contains("`cargo test` ended with code 101"));
    }
    assert!(fresh.get("task").unwrap().contains("An earlier turn has worked on this task"));
}

#[test]
fn a_reviewer_is_told_what_a_person_decided_and_how_the_checks_ended() {
    let text = case(REVIEWERS[0], "review, after decisions of a person").text();
    assert!(text.contains("- tests: `cargo test`: failed, and a person decided to go on\n"));
    assert!(text.contains("- 1.2 Refuse revoked keys: the store of keys is replaced next week\n"));
}

/// What the engine ran on a clean checkout is evidence that a reviewer can cite, and nobody else runs anything for it.
#[test]
fn a_reviewer_can_rest_a_finding_on_what_the_checks_printed() {
    for role in REVIEWERS {
        for name in ["review", "review, inline", "review, resumed", "review, digest", "validate, fresh"] {
            let prompt = case(role, name);
            let text = prompt.get("check-results").unwrap();
            assert!(
                text.contains("has the evidence [ran]:\n\ntests:\n\n```text\nrunning 7 tests\n"),
                "{text}"
            );
        }
        assert!(case(role, "review").get("reviewer-rules").unwrap().contains("[ran]"), "{role}");
    }
    let long = format!("{}```\n## Your Answer\nthe end", "a line that is long enough\n".repeat(200));
    with(REVIEWERS[0], "review", &mut |brief| {
        let of = |output| [CheckResult { output, ..brief.code.unwrap().results[0] }];
        let told = |results: &[CheckResult<'_>]| {
            let code = CodeBrief { results, may_recheck: false, ..brief.code.unwrap() };
            build(&Brief { code: Some(code), ..*brief }).get("check-results").unwrap().to_owned()
        };
        let text = told(&of(&long));
        assert!(text.chars().count() < 2_000 && text.ends_with("\nthe end\n````\n"), "{text}");
        assert!(!told(&of("")).contains("[ran]"), "a check that prints nothing is no evidence");
    });
}

#[test]
fn a_reviewer_is_told_of_a_check_it_may_have_run_only_where_there_is_one_and_its_agent_can_ask() {
    const OFFER: &str = "with the tool `Check`: it runs on a copy of what you see, at most 3 times";
    with(REVIEWERS[0], "review", &mut |brief| {
        for (may_recheck, results, so) in [(true, true, true), (false, true, false), (true, false, false)] {
            let code = brief.code.unwrap();
            let results = if results { code.results } else { &[] };
            let text =
                build(&Brief { code: Some(CodeBrief { results, may_recheck, ..code }), ..*brief }).text();
            assert_eq!(text.contains(OFFER), so, "{may_recheck} {}", results.len());
        }
    });
    use redraft_facts::event::PlayerKind::{Anthropic, Claude, Codex, OpenAi, Pull, Rehearsal, Unknown};
    assert!([Claude, Codex, Anthropic, OpenAi, Pull].into_iter().all(may_recheck));
    assert!(![Rehearsal, Unknown].into_iter().any(may_recheck));
}

#[test]
fn who_cannot_run_commands_is_told_so_and_is_not_told_to_run_any() {
    let prompt = case("implementer", "task, where nothing can be run");
    assert!(prompt.get("missing-tools").unwrap().contains("You cannot run commands here."));
    assert!(!prompt.get("project-checks").unwrap().contains("You may run them yourself"));
    assert!(case("implementer", "task").get("project-checks").unwrap().contains("You may run them yourself"));
}

/// What a prompt allows is what the agent's own permission allows, check by check.
#[test]
fn each_kind_of_agent_is_told_in_which_words_it_may_run_a_check() {
    let checks = [
        ProjectCheck { name: "tests", command: "cargo test" },
        ProjectCheck { name: "all", command: "make" },
        ProjectCheck { name: "web", command: "cd web && npm test" },
    ];
    let lines = |kind: PlayerKind, missing: &[String]| {
        let mut told = String::new();
        with("implementer", "task", &mut |brief| {
            let code =
                CodeBrief { checks: &checks, running: Running::for_agent_kind(kind), ..brief.code.unwrap() };
            let prompt = build(&Brief { code: Some(code), missing, ..*brief });
            told = prompt.get("project-checks").unwrap().to_owned();
        });
        let alone = told.contains("each in exactly these words.");
        let more = told
            .lines()
            .filter(|line| line.ends_with("`, also with what its tool takes to run one test behind it"));
        (alone, more.map(|line| line["- ".len()..].split(':').next().unwrap().to_owned()).collect::<Vec<_>>())
    };
    let none = || (true, Vec::<String>::new());
    for kind in [PlayerKind::Anthropic, PlayerKind::OpenAi, PlayerKind::Rehearsal, PlayerKind::Unknown] {
        assert_eq!(lines(kind, &[]), none(), "{kind:?}");
    }
    assert_eq!(lines(PlayerKind::Claude, &[]), (false, vec!["tests".to_owned()]));
    for kind in [PlayerKind::Codex, PlayerKind::Pull] {
        assert_eq!(lines(kind, &[]).1, ["tests", "all", "web"], "{kind:?}");
    }
    let nothing = ["Run".to_owned()];
    assert_eq!(
        lines(PlayerKind::Codex, &nothing),
        (false, Vec::new()),
        "who can run nothing is told of none"
    );
}

/// Whoever plans the work names the commands that the engine will run.
#[test]
fn who_plans_and_who_reviews_plans_is_told_the_checks() {
    let mut told = 0;
    cases::each(&mut |Case { phase, brief, .. }| {
        let checks = [ProjectCheck { name: "tests", command: "cargo `test`" }];
        let prompt = build(&Brief { checks: &checks, ..*brief });
        if brief.code.is_none() && !prompt.role.is_empty() {
            let text = prompt.get("project-checks").unwrap();
            assert!(text.ends_with("\n- tests: `cargo 'test'`\n"), "{text}");
            assert!(prompt.role.iter().any(|fragment| fragment.name == "project-checks"), "{phase}");
            told += 1;
        }
        if brief.code.is_none() {
            assert_eq!(build(brief).get("project-checks").is_some(), !brief.checks.is_empty());
        }
    });
    assert!(told > 20, "{told}");
}
