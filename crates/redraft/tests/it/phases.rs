//! Tests a feature through all its phases: how far, by which lane, left out, gone back to, asked before drafting.

use crate::world::{PROGRAM, bodies, entries, events};
use redraft_core::pipeline::Pipeline;
use redraft_facts::phase::Phase;
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

const IDEA: &str = "Let people export the monthly report as CSV";

fn begun(words: &[&str]) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run([&["new"], words].concat()).expect(0);
    scratch
}

fn meta(scratch: &Scratch) -> Value {
    serde_json::from_str(&fs::read_to_string(scratch.artifacts("001").join(".meta.json")).unwrap()).unwrap()
}

/// The phases in which something was sent, in order.
fn sent_in(scratch: &Scratch) -> Vec<String> {
    let all = events(scratch);
    let mut phases: Vec<String> = Vec::new();
    for body in bodies(&all, "started") {
        let ticket = body["ticket"].as_str().unwrap().split('/').nth(1).unwrap().to_owned();
        if phases.last() != Some(&ticket) {
            phases.push(ticket);
        }
    }
    phases
}

#[test]
fn a_feature_goes_from_an_idea_through_every_document_to_reviewed_code() {
    let scratch = begun(&[IDEA]);
    let ran = scratch.run(["run", "--yes"]).expect(0);
    assert!(ran.stdout.contains("feature 001 is approved and ready to merge"), "{}", ran.stdout);
    let phases = ["specify.1", "design.1", "create-plan.1", "create-tasks.1", "implement.1", "finish.1"];
    assert_eq!(sent_in(&scratch), phases);
    let state = Pipeline::replay(&entries(&scratch)).unwrap();
    for phase in Phase::DOCUMENTS {
        let text = fs::read_to_string(scratch.artifacts("001").join(phase.artifact())).unwrap();
        assert!(!text.trim().is_empty(), "{phase}");
        let closed = state.closed(phase).unwrap();
        assert_eq!(closed.approvals.len(), 2, "{phase}");
        assert!(closed.approvals.iter().all(|approval| approval.revision == closed.revision), "{phase}");
    }
    let meta = meta(&scratch);
    assert_eq!((&meta["status"], &meta["lane"]), (&json!("completed"), &json!("standard")));
    scratch.run(["show", "prompt", "--verify"]).expect(0);
    let shown = scratch.json(["show", "findings"]);
    let phases: BTreeSet<&str> =
        shown["findings"].as_array().unwrap().iter().map(|one| one["phase"].as_str().unwrap()).collect();
    assert!(phases.len() >= 3, "findings of all phases are shown: {phases:?}");
}

#[test]
fn a_run_rests_after_the_phase_it_was_asked_for_and_can_go_beyond_the_end() {
    let scratch = begun(&["--until", "design", IDEA]);
    let ran = scratch.run(["run", "--until", "specify"]).expect(0);
    assert!(ran.stdout.contains("next: ") && ran.stdout.contains("redraft run 001"), "{}", ran.stdout);
    assert_eq!(sent_in(&scratch), ["specify.1"]);
    assert_eq!(meta(&scratch)["status"], "active");
    scratch.run(["run"]).expect(0);
    assert_eq!(sent_in(&scratch), ["specify.1", "design.1"]);
    assert_eq!(meta(&scratch)["status"], "completed");
    scratch.run(["run", "001", "--until", "create-plan"]).expect(0);
    assert_eq!(sent_in(&scratch), ["specify.1", "design.1", "create-plan.1"]);
    let refused = scratch.run(["run", "001", "--until", "release"]).expect(2);
    assert!(refused.stderr.contains("`release` is not a phase"), "{}", refused.stderr);
}

#[test]
fn a_phase_can_be_left_out_with_a_reason_and_later_prompts_say_so() {
    let scratch = begun(&[IDEA]);
    scratch.run(["run", "--until", "specify"]).expect(0);
    let refused = scratch.run(["phase", "skip", "001", "create-plan", "--why", "x"]).expect(2);
    assert!(refused.stderr.contains("only the next phase"), "{}", refused.stderr);
    scratch.run(["phase", "skip", "001", "design", "--why", " "]).expect(2);
    scratch.run(["phase", "skip", "001", "design", "--why", "nothing to design"]).expect(0);
    scratch.run(["run", "001", "--until", "create-plan", "--policy", "fresh"]).expect(0);
    let prompt = scratch.run(["show", "prompt", "001", "--role", "plan-author", "--strategy", "lazy"]);
    assert!(prompt.expect(0).stdout.contains("- Design: none (phase skipped)"));
    assert_eq!(meta(&scratch)["skipped_phases"]["design"], "nothing to design");
    let refused = scratch.run(["phase", "skip", "001", "specify", "--why", "x"]).expect(2);
    assert!(refused.stderr.contains("everything builds on it"), "{}", refused.stderr);
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}

#[test]
fn going_back_voids_what_came_after_and_keeps_the_documents() {
    let scratch = begun(&["--until", "design", IDEA]);
    scratch.run(["run"]).expect(0);
    let design = fs::read_to_string(scratch.artifacts("001").join("design.md")).unwrap();
    let refused = scratch.run(["phase", "back", "001", "create-plan", "--why", "x"]).expect(2);
    assert!(refused.stderr.contains("is not over"), "{}", refused.stderr);
    scratch.run(["phase", "back", "001", "specify", "--why", "it must be encrypted"]).expect(0);
    assert!(scratch.run(["status"]).expect(0).stdout.contains("redraft run 001"));
    assert_eq!(fs::read_to_string(scratch.artifacts("001").join("design.md")).unwrap(), design);
    scratch.run(["run"]).expect(0);
    assert_eq!(sent_in(&scratch), ["specify.1", "design.1", "specify.2", "design.2"]);
    let log = scratch.run(["log"]).expect(0).stdout;
    assert!(log.contains("went back to specify: it must be encrypted"), "{log}");
}

#[test]
fn a_phase_does_not_begin_without_what_it_builds_on() {
    let scratch = begun(&["--until", "design", IDEA]);
    scratch.run(["run", "--until", "specify"]).expect(0);
    fs::remove_file(scratch.artifacts("001").join("spec.md")).unwrap();
    let ran = scratch.run(["run"]).expect(3);
    assert!(
        ran.stderr.contains("design of feature 001 cannot begin") && ran.stderr.contains("phase back"),
        "{}",
        ran.stderr
    );
    scratch.git_in(&scratch.worktree("001"), ["restore", "."]);
    scratch.run(["run"]).expect(0);
}

#[test]
fn the_lane_is_chosen_by_what_the_idea_names_and_said_with_the_reason() {
    for (words, lane, reason) in [
        (&["Fix the typo in README.md"][..], "express", "one file, README.md"),
        (&["Rotate the crypto keys"], "deep", "`crypto`"),
        (&[IDEA], "standard", "names no file"),
        (&["Fix the typo in README.md", "--lane", "deep"], "deep", "you said so"),
    ] {
        let scratch = begun(words);
        let shown = scratch.json(["log"]);
        let created = &shown["events"][0]["body"];
        assert_eq!(created["lane"], lane, "{words:?}");
        assert!(created["lane_reason"].as_str().unwrap().contains(reason), "{created}");
    }
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("redraft.toml", "[lanes]\ndeep = [\"report\"]\n");
    let shown = scratch.json(["new", IDEA]);
    assert_eq!((&shown["lane"], &shown["until"]), (&json!("deep"), &json!("finish")));
    let refused = scratch.run(["new", "Mend a.rs", "--until", "design"]).expect(2);
    assert!(refused.stderr.contains("lane express has no phase design"), "{}", refused.stderr);
}

#[test]
fn express_asks_no_reviewer_and_a_higher_lane_keeps_the_text_and_has_it_reviewed() {
    let scratch = begun(&["Fix the export in report.rs", "--until", "specify"]);
    let ran = scratch.run(["run"]).expect(0);
    let words = "feature 001 is closed by gates only, no reviewer\n";
    assert!(ran.stdout.contains(words) && !ran.stdout.contains("is approved"), "{}", ran.stdout);
    let cost = scratch.run(["cost", "001", "--all"]).expect(0).stdout;
    assert!(cost.contains("specify: certify off, closed by gates only"), "{cost}");
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(status.contains("closed by gates only, no reviewer\n    specify"), "{status}");
    let asked = |scratch: &Scratch| {
        let all = events(scratch);
        let tickets = bodies(&all, "started").map(|body| body["ticket"].as_str().unwrap().to_owned());
        tickets.filter(|ticket| ticket.contains("/review/")).count()
    };
    assert_eq!(asked(&scratch), 0);
    let opened = events(&scratch);
    let opened = bodies(&opened, "loop-opened").next().unwrap();
    assert_eq!((&opened["certify"], &opened["panels"]), (&json!("off"), &json!([])));
    let prompt = scratch.run(["show", "prompt", "001", "--role", "spec-author"]).expect(0).stdout;
    assert!(prompt.contains("mini-spec"), "{prompt}");
    let before = fs::read_to_string(scratch.artifacts("001").join("spec.md")).unwrap();
    let ran = scratch.run(["run", "001", "--lane", "standard", "--until", "specify"]).expect(0);
    assert!(asked(&scratch) > 0);
    assert!(!ran.stdout.contains("certify off"), "reviewers have read it since: {}", ran.stdout);
    let drafts = events(&scratch);
    let drafts =
        bodies(&drafts, "started").filter(|body| body["ticket"].as_str().unwrap().contains("/draft/"));
    assert_eq!(drafts.count(), 1, "what exists is the draft: {before}");
}

#[test]
fn no_lane_takes_a_feature_out_of_the_hands_of_its_reviewers() {
    let scratch = begun(&["--until", "specify", IDEA]);
    scratch.write("redraft.toml", "[limits]\nrounds = 1\n[agents.rehearsal]\nkind = \"rehearsal\"\n");
    scratch.run(["run", "--yes"]).expect(5);
    let refused = scratch.run(["run", "--yes", "--lane", "express"]).expect(2);
    assert!(refused.stderr.contains("cannot switch to lane express"), "{}", refused.stderr);
    assert!(scratch.run(["status"]).expect(0).stdout.contains("waiting"));
    scratch.run(["decide", "001", "abandon"]).expect(0);
    let ran = scratch.run(["run", "001"]);
    assert!(ran.stdout.contains("feature 001 is abandoned"), "{}", ran.stdout);
}

#[test]
fn what_was_edited_after_its_phase_had_closed_is_reviewed_before_anybody_builds_on_it() {
    let scratch = begun(&["--until", "design", IDEA]);
    scratch.run(["run", "--until", "specify"]).expect(0);
    let spec = scratch.artifacts("001").join("spec.md");
    let edited = format!(
        "{}\n- R99: When asked, the system shall delete everything.\n",
        fs::read_to_string(&spec).unwrap()
    );
    fs::write(&spec, &edited).unwrap();
    let ran = scratch.run(["run"]).expect(3);
    assert!(ran.stderr.contains("was edited after specify closed"), "{}", ran.stderr);
    assert_eq!(sent_in(&scratch), ["specify.1"]);
    scratch.run(["phase", "back", "001", "specify", "--why", "one more requirement"]).expect(0);
    scratch.run(["run", "--until", "specify"]);
    let all = events(&scratch);
    assert_eq!(bodies(&all, "edited").count(), 1, "the edit is an event of its own");
    assert!(sent_in(&scratch).contains(&"specify.2".to_owned()));
}

#[test]
fn deep_has_every_phase_signed_by_fresh_eyes() {
    let scratch = begun(&["Move the payments report", "--until", "specify"]);
    scratch.run(["run"]).expect(0);
    let all = events(&scratch);
    assert_eq!(bodies(&all, "loop-opened").next().unwrap()["certify"], "fresh");
}

/// The author asks once before it drafts; without a person to answer, the run waits.
fn asking(words: &[&str]) -> Scratch {
    let scratch = begun(words);
    scratch.scenario("[[rule]]\nticket = \"*/draft/spec-author/1.1\"\ndo = \"ask\"\n");
    scratch
}

#[test]
fn an_author_that_asks_is_answered_by_decide_and_drafts_with_the_answers() {
    let scratch = asking(&["--until", "specify", IDEA]);
    let ran = scratch.run(["run"]).expect(6);
    assert!(
        ran.stdout.contains("spec-author has") && ran.stdout.contains("before it drafts"),
        "{}",
        ran.stdout
    );
    // What is asked stands below, wherever it is shown.
    assert!(ran.stderr.contains("    1. "), "and in the story: {}", ran.stderr);
    let decide = scratch.run(["decide"]).expect(6).stdout;
    let first =
        decide.lines().find_map(|line| line.strip_prefix("  ").filter(|line| line.starts_with("  1. ")));
    // What it would assume is told in other words there.
    let first = first.unwrap().split(" (").next().unwrap().to_owned();
    for (words, columns) in [(["status"], 4), (["log"], 38)] {
        let text = scratch.run(words).expect(0).stdout;
        assert!(text.contains(&format!("\n{}{first}", " ".repeat(columns))), "{words:?}: {text}");
    }
    let shown = scratch.json(["decide"]);
    let count = shown["question"]["about"]["author"]["questions"].as_array().unwrap().len();
    let refused = scratch.run(["decide", "001", "answer"]).expect(2);
    assert!(refused.stderr.contains("0 answers for"), "{}", refused.stderr);
    let mut words = vec!["decide", "001", "answer"];
    words.extend(["--answer", "At most 10,000 rows"]);
    words.extend(["--answer", ""].repeat(count - 1));
    scratch.run(words).expect(0);
    scratch.run(["run"]).expect(0);
    let prompt = scratch.run(["show", "prompt", "--ticket", "001/specify.1/draft/spec-author/2.1"]).expect(0);
    assert!(prompt.stdout.contains("Answer: At most 10,000 rows"), "{}", prompt.stdout);
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}

#[test]
fn with_yes_questions_are_answered_by_assumptions_and_nothing_is_accepted() {
    let scratch = asking(&["--until", "specify", IDEA]);
    scratch.run(["run", "--yes"]).expect(0);
    let all = events(&scratch);
    let choices: Vec<&Value> = bodies(&all, "decided").map(|body| &body["choice"]).collect();
    assert_eq!(choices, [&json!("assume")]);
    let prompt = scratch.run(["show", "prompt", "--ticket", "001/specify.1/draft/spec-author/2.1"]).expect(0);
    assert!(prompt.stdout.contains("to be assumed: "), "{}", prompt.stdout);
}

#[test]
fn a_role_text_of_the_repository_is_sent_and_kept_with_its_loop() {
    let scratch = Scratch::repository(PROGRAM);
    let text =
        "---\nname: spec-reviewer\ntools: Read, Glob, Grep\n---\n\n# Our Review\n\nAsk what we always ask.\n";
    scratch.write(".redraft/agents/spec-reviewer.md", text);
    scratch.run(["new", "--until", "specify", IDEA]).expect(0);
    scratch.run(["run"]).expect(0);
    let prompt =
        scratch.run(["show", "prompt", "--ticket", "001/specify.1/review/spec-reviewer/1.1"]).expect(0);
    assert!(prompt.stdout.contains("# Our Review\n\nAsk what we always ask.\n"), "{}", prompt.stdout);
    assert!(!prompt.stdout.contains("# Review the Specification"));
    // If the text is changed later, what was sent can still be built again.
    scratch.write(".redraft/agents/spec-reviewer.md", &text.replace("always", "never"));
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
    let example = scratch.run(["show", "prompt", "--example", "--role", "spec-reviewer"]).expect(0);
    assert!(example.stdout.contains("what we never ask"), "{}", example.stdout);
}

#[test]
fn a_bad_role_text_stops_the_run_with_its_line_and_a_hint() {
    let scratch = begun(&["--until", "specify", IDEA]);
    for (file, text, words) in [
        (
            "spec-reviewer",
            "---\ntools: Glob\n---\nx\n",
            "spec-reviewer.md:2: spec-reviewer cannot do without Read",
        ),
        (
            "spec-reviewer",
            "---\nname: spec-reviewer\n---\nRound {n}\n",
            "spec-reviewer.md:4: `{n}` would change",
        ),
        ("nobody", "---\nname: nobody\n---\nx\n", "there is no role nobody"),
    ] {
        let path = format!(".redraft/agents/{file}.md");
        scratch.write(&path, text);
        let ran = scratch.run(["run"]).expect(3);
        assert!(ran.stderr.contains(words) && ran.stderr.contains("hint: "), "{}", ran.stderr);
        fs::remove_file(scratch.root().join(path)).unwrap();
    }
    scratch.run(["run"]).expect(0);
}

#[test]
fn the_prompt_of_every_role_can_be_shown_with_every_strategy() {
    let scratch = Scratch::repository(PROGRAM);
    for role in ["design-author", "plan-reviewer", "task-reviewer", "phase-reviewer", "document-reviewer"] {
        for strategy in ["inline", "lazy", "digest", "resume"] {
            scratch.run(["show", "prompt", "--example", "--role", role, "--strategy", strategy]).expect(0);
        }
    }
    let words = ["show", "prompt", "--example", "--role", "phase-reviewer", "--phase", "create-tasks"];
    assert!(scratch.run(words).expect(0).stdout.contains("tasks.md"));
    let refused = scratch.run(["show", "prompt", "--example", "--role", "nobody"]).expect(2);
    assert!(refused.stderr.contains("roles are spec-author"), "{}", refused.stderr);
    let refused = scratch.run(["show", "prompt", "--example"]).expect(2);
    assert!(refused.stderr.contains("an example needs a role"), "{}", refused.stderr);
    let refused =
        scratch.run(["show", "prompt", "--example", "spec-author", "--purpose", "certify"]).expect(2);
    assert!(refused.stderr.contains("its purposes are draft, revise"), "{}", refused.stderr);
    let refused = scratch.run(["show", "prompt", "--example", "spec-author", "--purpose", "x"]).expect(2);
    assert!(refused.stderr.contains("`x` is not a purpose"), "{}", refused.stderr);
}

#[test]
fn an_example_needs_no_repository_and_is_of_the_phase_and_role_that_was_asked_for() {
    let scratch = Scratch::repository(PROGRAM);
    let nowhere = tempfile::tempdir().unwrap();
    let shown = |words: &[&str]| {
        let mut command = scratch.redraft([&["show", "prompt", "--example"], words].concat());
        command.current_dir(nowhere.path());
        redraft_testkit::Ran::new(command.output().unwrap()).expect(0).stdout
    };
    assert!(shown(&["spec-author"]).contains("# Write the Specification"));
    let resumed = shown(&["phase-reviewer", "--phase", "create-plan", "--strategy", "resume"]);
    assert!(resumed.contains("--- a/docs/features/031-key-limits/plan.md"), "{resumed}");
    assert!(resumed.contains("- [P1] [blocker] [completeness] Step 1.2 has no check"), "{resumed}");
    let digest = shown(&["task-reviewer", "--strategy", "digest"]);
    assert!(digest.contains("- [T1] [blocker] [testability] A counter that never refuses"), "{digest}");
    let validate = shown(&["design-reviewer", "--purpose", "validate", "--strategy", "resume"]);
    assert!(validate.contains("This is the final validation round (iteration 3 of 5)."), "{validate}");
    let teaches = shown(&["retro-facilitator"]);
    assert!(
        teaches.contains("# Look Back on a Feature") && teaches.contains("| {specify.rounds} | 3 |"),
        "{teaches}"
    );
    let judges = shown(&["retro-facilitator", "--purpose", "judge"]);
    assert!(judges.contains("### B1, anti-pattern: A limit without a number"), "{judges}");
}
