//! Tests loops as a user sees them: what is found, how it is sent, what is kept.

use crate::documents::{CLEAN, PRD, planted};
use crate::world::{PROGRAM, bodies, events, feature, left};
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;

/// A feature with a PRD and this spec already in place.
fn with_spec(spec: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.outside().join("prd.md"), PRD).unwrap();
    scratch.run(["new", "--until", "specify", "export the report", "--prd", "../prd.md"]).expect(0);
    fs::write(scratch.artifacts("001").join("spec.md"), spec).unwrap();
    scratch
}

fn history(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.artifacts("001").join(".review-history.md")).unwrap()
}

fn strategies(scratch: &Scratch, role: &str) -> Vec<String> {
    let events = events(scratch);
    let started = bodies(&events, "started").filter(|body| body["ticket"].as_str().unwrap().contains(role));
    started.map(|body| body["choice"]["strategy"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn three_planted_defects_are_found_and_no_other_under_every_policy() {
    let mut found: Vec<Vec<String>> = Vec::new();
    for policy in ["cost", "seed", "guarded", "fresh", "resume", "inline", "digest"] {
        let scratch = with_spec(&planted());
        scratch.run(["run", "001", "--policy", policy]).expect(0);
        let left = left(&scratch);
        assert_eq!(left.findings.len(), 3, "{policy}: {:#?}", left.findings);
        assert!(
            left.findings.iter().all(|finding| finding.contains(" fixed ")),
            "{policy}: {:#?}",
            left.findings
        );
        assert!(!history(&scratch).contains("RESUME-FALLBACK"), "{policy}");
        found.push(left.findings);
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:#?}");
    let all = found[0].join("\n");
    for word in ["R2", "30", "data-base"] {
        assert!(all.contains(word), "{word} is not in {all}");
    }
}

#[test]
fn a_clean_spec_is_approved_in_round_one() {
    let scratch = with_spec(CLEAN);
    scratch.run(["run", "001"]).expect(0);
    let left = left(&scratch);
    assert_eq!(left.artifact, CLEAN);
    assert_eq!(left.findings, Vec::<String>::new());
    assert_eq!(left.rounds[0], serde_json::json!({"phase-reviewer": 1, "spec-reviewer": 1}));
    assert!(!history(&scratch).contains("RESUME-FALLBACK"));
    assert_eq!(bodies(&events(&scratch), "started").count(), 2);
}

#[test]
fn each_policy_sends_as_it_says() {
    for (policy, first, later) in [
        ("fresh", "lazy", "lazy"),
        ("resume", "lazy", "resume"),
        ("guarded", "lazy", "resume"),
        ("inline", "inline", "inline"),
        ("digest", "lazy", "digest"),
    ] {
        let scratch = with_spec(&planted());
        scratch.run(["run", "001", "--policy", policy]).expect(0);
        let sent = strategies(&scratch, "review/spec-reviewer");
        assert_eq!(sent[0], first, "{policy}");
        assert!(sent.len() > 1 && sent[1..].iter().all(|strategy| strategy == later), "{policy}: {sent:?}");
    }
}

#[test]
fn a_resumed_reviewer_is_sent_the_delta_and_neither_rubric_nor_artifacts() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.run(["run"]).expect(0);
    for role in ["phase-reviewer", "spec-reviewer"] {
        let prompt = scratch.json(["show", "prompt", "001", "--role", role, "--strategy", "resume"]);
        let names: Vec<&str> =
            prompt["fragments"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"delta"), "{role}: {names:?}");
        assert!(!names.contains(&"rubric") && !names.contains(&"required-artifacts"), "{role}: {names:?}");
        for fragment in prompt["fragments"].as_array().unwrap() {
            assert_eq!(fragment["stability"], "turn");
            assert_eq!(fragment["bytes"], fragment["text"].as_str().unwrap().len());
            assert!(!fragment["text"].as_str().unwrap().contains("## Required Artifacts"));
        }
    }
}

#[test]
fn every_prompt_of_a_finished_run_is_rebuilt_from_the_ledger() {
    for policy in ["cost", "guarded", "fresh", "seed", "inline", "digest"] {
        let scratch = with_spec(&planted());
        scratch.run(["run", "001", "--policy", policy]).expect(0);
        let verified = scratch.json(["show", "prompt", "001", "--verify"]);
        assert_eq!(verified["differing"], serde_json::json!([]), "{policy}");
        assert!(verified["prompts"].as_u64().unwrap() >= 4, "{policy}");
    }
}

#[test]
fn the_stable_part_of_a_role_is_the_same_bytes_in_every_round_and_in_a_fallback() {
    let scratch = with_spec(&planted());
    scratch.scenario("[[rule]]\nticket = \"*/review/spec-reviewer/2.1\"\ndo = \"lose-session\"\n");
    scratch.run(["run", "001", "--policy", "resume"]).expect(0);
    let stable = |ticket: &str| -> Vec<Value> {
        let prompt = scratch.json(["show", "prompt", "--ticket", ticket]);
        let fragments = prompt["fragments"].as_array().unwrap().clone();
        fragments.into_iter().filter(|fragment| fragment["stability"] != "turn").collect()
    };
    let first = stable("001/specify.1/review/spec-reviewer/1.1");
    assert!(first.len() >= 4);
    assert_eq!(first, stable("001/specify.1/review/spec-reviewer/2.2"), "the fallback");
}

#[test]
fn an_agent_that_forgets_is_asked_afresh_and_is_not_resumed_again_until_a_probe_passes() {
    let scratch = with_spec(&planted());
    scratch.scenario("[[rule]]\nticket = \"*/review/spec-reviewer/2.1\"\ndo = \"forget\"\n");
    scratch.run(["run", "001", "--policy", "resume"]).expect(0);
    assert_eq!(strategies(&scratch, "001/specify.1/review/spec-reviewer/2."), ["resume", "lazy"]);
    let text = history(&scratch);
    let why = "the continued conversation does not know the code that its first turn was given";
    assert!(text.contains(&format!("RESUME-FALLBACK: spec-reviewer iteration 2 — {why}\n")), "{text}");
    let cost = scratch.run(["cost", "001", "--all"]).expect(0).stdout;
    assert!(cost.contains(why), "the receipt: {cost}");
    let verified = scratch.json(["show", "prompt", "001", "--verify"]);
    assert_eq!(verified["differing"], serde_json::json!([]));

    let another = |number: &str| {
        scratch.run(["new", "--until", "specify", "Export the monthly report as CSV"]).expect(0);
        scratch.run(["run", number, "--policy", "resume"]).expect(0);
        strategies(&scratch, &format!("{number}/specify.1/"))
    };
    scratch.scenario("");
    let sent = another("002");
    assert!(sent.len() > 3 && sent.iter().all(|strategy| strategy == "lazy"), "{sent:?}");
    scratch.run(["doctor", "--agent", "rehearsal"]).expect(0);
    assert!(another("003").contains(&"resume".to_owned()));
    // The probe is the proof, so no conversation was given a code.
    let asked = events(&scratch);
    let codes = bodies(&asked, "started").filter(|body| body["ticket"].as_str().unwrap().starts_with("003"));
    assert!(codes.into_iter().all(|body| body.get("recall").is_none()));
}

#[test]
fn a_lost_session_is_a_marked_fallback_and_overload_is_not() {
    let scratch = with_spec(&planted());
    scratch.scenario("[[rule]]\nticket = \"*/review/spec-reviewer/2.1\"\ndo = \"lose-session\"\n");
    scratch.run(["run", "001"]).expect(0);
    let text = history(&scratch);
    assert!(text.contains("RESUME-FALLBACK: spec-reviewer iteration 2 — "), "{text}");
    let fallback =
        scratch.run(["show", "prompt", "--ticket", "001/specify.1/review/spec-reviewer/2.2"]).expect(0);
    assert!(fallback.stdout.contains("(Fresh dispatch — prior review session unavailable.)"));

    let scratch = with_spec(&planted());
    scratch.scenario("[[rule]]\nticket = \"*/review/spec-reviewer/2.1\"\ndo = \"overloaded\"\nwait_ms = 1\n");
    scratch.run(["run", "001", "--policy", "guarded"]).expect(0);
    assert!(!history(&scratch).contains("RESUME-FALLBACK"));
    assert_eq!(strategies(&scratch, "review/spec-reviewer"), ["lazy", "resume", "resume"]);
}

#[test]
fn the_cap_stops_the_run_and_a_ruling_goes_on_with_failed() {
    let scratch = with_spec(&planted());
    scratch.write("redraft.toml", "[limits]\nrounds = 1\n");
    let ran = scratch.run(["run", "001"]).expect(5);
    assert!(ran.stdout.contains("next: redraft decide 001\n"), "{}", ran.stdout);
    scratch.run(["run", "001"]).expect(5);
    assert_eq!(bodies(&events(&scratch), "asked").count(), 1, "asked once");
    scratch.run(["decide", "001"]).expect(6);
    scratch.run(["decide", "001", "accept"]).expect(2);
    scratch.run(["decide", "001", "skip", "--why", "x"]).expect(2);
    scratch.run(["decide", "001", "accept", "--why", "known and harmless"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    let prompt = scratch.run(["show", "prompt", "001", "--role", "phase-reviewer"]).expect(0);
    assert!(prompt.stdout.contains("FAILED at iteration cap (1/1)"), "{}", prompt.stdout);
    let text = history(&scratch);
    assert!(
        text.contains("- Why: known and harmless") && text.contains("- Settled by a ruling: S1, S2, S3"),
        "{text}"
    );
}

#[test]
fn on_cap_accept_decides_by_itself_and_says_so() {
    let scratch = with_spec(&planted());
    scratch.write("redraft.toml", "[limits]\nrounds = 1\n");
    scratch.run(["run", "001", "--on-cap", "accept"]).expect(0);
    assert!(history(&scratch).contains("- Why: --on-cap accept"));
}

#[test]
fn an_edit_at_the_cap_is_taken_in_and_the_question_says_so() {
    let scratch = with_spec(&planted());
    scratch.write("redraft.toml", "[limits]\nrounds = 1\n");
    let first = scratch.run(["run", "001"]).expect(5);
    assert!(!first.stdout.contains("edited"), "{}", first.stdout);
    let spec = scratch.artifacts("001").join("spec.md");
    fs::write(&spec, planted().replace("hours", "days")).unwrap();
    let again = scratch.run(["run", "001"]).expect(5);
    assert!(again.stdout.contains("the document was edited since the last review"), "{}", again.stdout);
    assert!(again.stdout.contains("next: redraft decide 001\n"), "{}", again.stdout);
    let ledger = events(&scratch);
    assert_eq!((bodies(&ledger, "edited").count(), bodies(&ledger, "asked").count()), (2, 2));
    assert_eq!(bodies(&ledger, "started").count(), 1, "nobody was paid for the edit");
    let shown = scratch.run(["decide", "001"]).expect(6);
    assert!(shown.stdout.contains("was not seen by spec-reviewer"), "{}", shown.stdout);

    scratch.run(["decide", "001", "accept", "--why", "I know"]).expect(0);
    let ran = scratch.run(["run", "001"]).expect(0);
    let cost = scratch.run(["cost", "001", "--all"]).expect(0).stdout;
    assert!(cost.contains(", which spec-reviewer did not review"), "{cost}");
    assert!(ran.stdout.contains("feature 001 is accepted"), "{}", ran.stdout);
    let text = history(&scratch);
    assert!(text.contains("- Not reviewed: spec-reviewer did not see revision "), "{text}");
    assert!(text.contains("in place of spec-reviewer, which did not see this revision"), "{text}");
    assert!(scratch.json(["show", "prompt", "001", "--verify"])["differing"] == serde_json::json!([]));
}

#[test]
fn an_edit_after_a_ruling_is_asked_about_before_the_stage_is_closed() {
    let scratch = with_spec(&planted());
    scratch.write("redraft.toml", "[limits]\nrounds = 1\n");
    scratch.run(["run", "001"]).expect(5);
    fs::write(scratch.artifacts("001").join("spec.md"), CLEAN).unwrap();
    let decided = scratch.run(["decide", "001", "accept", "--why", "harmless"]).expect(0);
    assert!(decided.stderr.contains("spec.md was edited in the meantime"), "{}", decided.stderr);
    let ran = scratch.run(["run", "001"]).expect(5);
    assert!(ran.stdout.contains("0 open findings; the document was edited since"), "{}", ran.stdout);
    assert_eq!(bodies(&events(&scratch), "stage-closed").count(), 0);
    scratch.run(["decide", "001", "rerun"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
}

#[test]
fn a_deleted_document_is_noticed_and_written_again_with_or_without_a_prd() {
    let without = || {
        let scratch = feature("Export the monthly report as CSV");
        scratch.scenario("[[rule]]\nticket = \"*/review/spec-reviewer/1.*\"\ndo = \"fail\"\n");
        scratch
    };
    let with = || {
        let scratch = with_spec(CLEAN);
        scratch.scenario("[[rule]]\nticket = \"*/review/spec-reviewer/1.*\"\ndo = \"fail\"\n");
        scratch
    };
    for (what, scratch) in [("without a PRD", without()), ("with a PRD", with())] {
        scratch.run(["run", "001"]).expect(4);
        let spec = scratch.artifacts("001").join("spec.md");
        fs::remove_file(&spec).unwrap();
        scratch.scenario("");
        scratch.run(["run", "001"]).expect(0);
        let text = history(&scratch);
        assert!(text.contains("spec.md is missing"), "{what}: {text}");
        assert!(fs::read_to_string(&spec).unwrap().contains("## Requirements"), "{what}");
        assert_eq!(left(&scratch).outcome, "approved", "{what}");
        let verified = scratch.json(["show", "prompt", "001", "--verify"]);
        assert_eq!(verified["differing"], serde_json::json!([]), "{what}");
        assert_eq!(scratch.git_in(&scratch.worktree("001"), ["status", "--porcelain"]), "", "{what}");
    }
}

#[test]
fn flags_that_an_open_loop_does_not_take_are_told_and_a_new_pass_takes_them() {
    let scratch = with_spec(&planted());
    scratch.write("redraft.toml", "[limits]\nrounds = 1\n");
    let first = scratch.json(["run", "001", "--policy", "resume"]);
    assert_eq!(first["notes"], serde_json::json!([]), "the loop was opened with it");
    let ran = scratch.run(["run", "001", "--policy", "fresh", "--certify", "off"]).expect(5);
    let told =
        "pass 1 of specify was opened with policy resume and keeps it; --policy fresh applies to a new pass";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let notes = scratch.json(["run", "001", "--policy", "resume", "--certify", "off"])["notes"].clone();
    assert_eq!(notes.as_array().unwrap().len(), 1, "{notes}");
    assert!(notes[0].as_str().unwrap().contains("certify resume and keeps it; --certify off"), "{notes}");
    scratch.run(["decide", "001", "rerun"]).expect(0);
    let ran = scratch.json(["run", "001", "--policy", "fresh"]);
    assert_eq!(ran["notes"], serde_json::json!([]));
    let opened =
        bodies(&events(&scratch), "loop-opened").map(|body| body["policy"].clone()).collect::<Vec<_>>();
    assert_eq!(opened, ["resume", "fresh"]);
}

#[test]
fn fresh_eyes_certify_when_asked_and_off_is_printed_on_the_receipt() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.run(["run", "001", "--certify", "fresh", "--policy", "resume"]).expect(0);
    let certified = strategies(&scratch, "certify/");
    assert_eq!(certified, ["lazy"], "both reviewers had seen earlier revisions");
    let scratch = with_spec(&planted());
    scratch.run(["run", "001", "--certify", "fresh", "--policy", "resume"]).expect(0);
    let certified = strategies(&scratch, "certify/");
    assert!(certified.is_empty(), "the phase-reviewer's first-round approval is the certificate");
    let scratch = with_spec(CLEAN);
    scratch.run(["run", "001", "--certify", "off"]).expect(0);
    let cost = scratch.run(["cost", "001", "--all"]).expect(0).stdout;
    assert!(cost.contains("certify off, older approvals were not validated"), "{cost}");
}

#[test]
fn projections_come_back_byte_for_byte_and_so_does_the_board() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.run(["run"]).expect(0);
    let folder = scratch.artifacts("001");
    let names = [".meta.json", ".review-history.md"];
    let before: Vec<Vec<u8>> = names.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
    let board = scratch.json(["status"]);
    for name in names {
        fs::remove_file(folder.join(name)).unwrap();
    }
    scratch.run(["status", "--rebuild"]).expect(0);
    let after: Vec<Vec<u8>> = names.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
    assert!(before == after, "the projections differ");
    assert_eq!(scratch.json(["status"]), board);
    assert_eq!(scratch.git_in(&scratch.worktree("001"), ["status", "--porcelain"]), "");
}
