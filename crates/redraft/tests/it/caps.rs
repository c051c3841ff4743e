//! Tests a stage that uses up its rounds in a later phase, questions on a terminal, and lanes from end to end.

use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, bodies, entries, events};
use redraft_core::pipeline::Pipeline;
use redraft_facts::phase::Phase;
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;

const IDEA: &str = "Let people export the monthly report as CSV";

/// A feature whose phases before this one are approved, and in which the first rejection of this one is the last.
fn before(phase: Phase) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--lane", "standard", "--until", phase.name(), IDEA]).expect(0);
    let earlier = Phase::ALL.into_iter().take_while(|one| *one < phase).last().unwrap();
    scratch.run(["run", "--yes", "--until", earlier.name()]).expect(0);
    scratch.write("redraft.toml", "[limits]\nrounds = 1\n");
    scratch
}

fn decisions(scratch: &Scratch) -> Vec<Value> {
    let all = events(scratch);
    bodies(&all, "decided").map(|body| body["choice"].clone()).collect()
}

fn life(scratch: &Scratch) -> Value {
    scratch.json(["status", "001"])["features"][0]["life"].clone()
}

/// Whether the phase reviewer was told how the domain review ended, and in which words.
fn outcome_told(scratch: &Scratch, phase: Phase) -> String {
    let ticket = format!("001/{phase}.1/review/phase-reviewer/1.1");
    let prompt = scratch.run(["show", "prompt", "--ticket", &ticket]).expect(0).stdout;
    let found = prompt.lines().find(|line| line.contains("at iteration"));
    found.unwrap_or_else(|| panic!("{prompt}")).to_owned()
}

#[test]
fn ac12_a_cap_in_a_later_phase_stops_and_what_a_person_accepts_reaches_the_phase_reviewer_as_failed() {
    for phase in [Phase::Design, Phase::CreatePlan, Phase::CreateTasks] {
        let scratch = before(phase);
        let stopped = scratch.run(["run", "--yes", "001"]).expect(5);
        assert!(stopped.stdout.contains("feature 001 is waiting for you: "), "{phase}: {}", stopped.stdout);
        assert_eq!(decisions(&scratch), [] as [Value; 0], "{phase}");
        // A second run says the same, and asks nothing.
        let before = events(&scratch).len();
        scratch.run(["run", "001", "--on-cap", "stop"]).expect(5);
        assert_eq!(events(&scratch).len(), before, "{phase}");
        scratch.run(["run", "001", "--on-cap", "ask"]).expect(6);
        let asked = scratch.run(["decide", "001"]).expect(6).stdout;
        assert!(asked.ends_with("next: redraft decide 001 retry --why \"…\"\n"), "{phase}: {asked}");
        scratch.run(["decide", "001", "accept", "--why", "known and small"]).expect(0);
        scratch.run(["run", "001", "--on-cap", "accept"]).expect(0);
        let told = outcome_told(&scratch, phase);
        assert!(told.contains("FAILED at iteration cap"), "{phase}: {told}");
        let state = Pipeline::replay(&entries(&scratch)).unwrap();
        let closed = state.closed(phase).unwrap();
        let row = &scratch.json(["status"])["features"][0];
        let approvals = closed.approvals.iter().filter(|one| one.role.as_str() == "phase-reviewer").count();
        assert_eq!(row["after_failure"], json!(approvals), "{phase}: {row}");
        if approvals > 0 {
            let text = scratch.run(["status"]).expect(0).stdout;
            assert!(text.contains("1 approval after a failed domain review"), "{phase}: {text}");
        }
        assert_eq!((&row["status"], life(&scratch)), (&json!("accepted"), json!("completed")), "{phase}");
        scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
    }
}

#[test]
fn ac11_a_phase_whose_domain_review_approved_says_so_with_the_round() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--lane", "standard", IDEA]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
    for phase in Phase::DOCUMENTS {
        let told = outcome_told(&scratch, phase);
        assert!(told.contains("APPROVED at iteration "), "{phase}: {told}");
    }
    assert_eq!(scratch.json(["status"])["features"][0]["after_failure"], 0);
}

#[test]
fn at_a_cap_a_person_at_a_terminal_is_asked_and_must_give_a_reason() {
    let scratch = before(Phase::Design);
    // Stopping is an answer as well.
    let said = on_a_terminal(&scratch, &["run", "001"], "stop\n", 6);
    assert!(said.contains("accept, retry, rerun, abandon or STOP?"), "{said}");
    assert_eq!(decisions(&scratch), [] as [Value; 0]);
    // The phase reviewer may reach its cap as well.
    let lines = "perhaps\naccept\n\naccept\nknown and small\naccept\nthe same\n";
    let said = on_a_terminal(&scratch, &["run", "001"], lines, 0);
    assert!(said.contains("`perhaps` is not a choice here"), "{said}");
    assert!(said.contains("accepting is a ruling and needs a reason"), "{said}");
    let all = events(&scratch);
    let first = bodies(&all, "decided").next().unwrap();
    assert_eq!((&first["choice"], &first["why"]), (&json!("accept"), &json!("known and small")));
}

#[test]
fn yes_never_accepts_anything_in_a_persons_name() {
    for phase in [Phase::Design, Phase::CreatePlan] {
        let scratch = before(phase);
        scratch.run(["run", "001", "--yes"]).expect(5);
        scratch.run(["run", "001", "--yes", "--on-cap", "ask"]).expect(6);
        // Not even where a person could be asked.
        let said = on_a_terminal(&scratch, &["run", "001", "--yes"], "accept\nbecause\n", 5);
        assert!(!said.contains("or STOP?"), "{said}");
        assert_eq!(decisions(&scratch), [] as [Value; 0], "{phase}");
        assert_eq!(life(&scratch), "active");
    }
}

#[test]
fn an_authors_questions_are_put_to_the_person_at_the_terminal_one_by_one() {
    let begun = || {
        let scratch = Scratch::repository(PROGRAM);
        scratch.run(["new", "--lane", "standard", "--until", "specify", IDEA]).expect(0);
        scratch.scenario("[[rule]]\nticket = \"*/draft/spec-author/1.1\"\ndo = \"ask\"\n");
        scratch
    };
    let scratch = begun();
    let said = on_a_terminal(&scratch, &["run"], "answer\nOnly auditors\n\n", 0);
    assert!(said.contains("answer, assume, abandon or STOP?"), "{said}");
    assert!(said.contains("1. Who may use it") && said.contains("[everybody who is signed in]"), "{said}");
    let all = events(&scratch);
    let decided = bodies(&all, "decided").next().unwrap();
    assert_eq!((&decided["choice"], &decided["answers"]), (&json!("answer"), &json!(["Only auditors", ""])));
    let prompt = scratch.run(["show", "prompt", "--ticket", "001/specify.1/draft/spec-author/2.1"]).expect(0);
    assert!(prompt.stdout.contains("Answer: Only auditors"), "{}", prompt.stdout);
    let scratch = begun();
    on_a_terminal(&scratch, &["run"], "assume\nnobody knows yet\n", 0);
    assert_eq!(decisions(&scratch), [json!("assume")]);
    let scratch = begun();
    on_a_terminal(&scratch, &["run"], "\n", 6);
    assert!(decisions(&scratch).is_empty());
}

#[test]
fn deep_closes_each_phase_on_an_approval_by_somebody_who_saw_no_earlier_revision() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--lane", "deep", IDEA]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
    let all = events(&scratch);
    let certify: Vec<&Value> = bodies(&all, "loop-opened").map(|body| &body["certify"]).collect();
    // The last phase has no reviewers.
    let reviewed: Vec<Phase> = Phase::ALL.into_iter().filter(|phase| *phase != Phase::Finish).collect();
    assert_eq!(certify[..reviewed.len()], vec![&json!("fresh"); reviewed.len()]);
    let state = Pipeline::replay(&entries(&scratch)).unwrap();
    for phase in reviewed {
        let closed = state.closed(phase).unwrap();
        let revision = closed.revision.to_string();
        // Sent in a fresh conversation, about the closing revision and nothing before it, and approved.
        let fresh = bodies(&all, "started").filter(|body| {
            let ticket = body["ticket"].as_str().unwrap();
            ticket.starts_with(&format!("001/{phase}."))
                && body["sees"] == json!(revision)
                && body["since"].is_null()
        });
        let tickets: Vec<&Value> = fresh.map(|body| &body["ticket"]).collect();
        let approved = bodies(&all, "judged")
            .any(|body| body["judgement"] == "approved" && tickets.contains(&&body["ticket"]));
        assert!(approved, "{phase}: {tickets:?}");
    }
    let certificates =
        bodies(&all, "started").filter(|body| body["ticket"].as_str().unwrap().contains("/certify/"));
    assert!(certificates.count() > 0, "somebody else had to look");
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}

#[test]
fn a_mini_spec_goes_on_through_every_phase_in_a_higher_lane_and_is_not_written_again() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Fix the export in report.rs"]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
    let mini = fs::read_to_string(scratch.artifacts("001").join("spec.md")).unwrap();
    scratch.run(["run", "--yes", "001", "--lane", "standard"]).expect(0);
    let all = events(&scratch);
    let drafts: Vec<&str> = bodies(&all, "started")
        .map(|body| body["ticket"].as_str().unwrap())
        .filter(|ticket| ticket.contains("/draft/"))
        .collect();
    assert_eq!(drafts.len(), 4, "one for each document: {drafts:?}");
    assert!(drafts[1].contains("/design.1/"), "the mini-spec is the draft of the specification: {drafts:?}");
    let first = bodies(&all, "started")
        .find(|body| body["ticket"].as_str().unwrap().starts_with("001/specify.2/review/spec-reviewer/1."));
    let prompt = scratch.run(["show", "prompt", "--ticket", first.unwrap()["ticket"].as_str().unwrap()]);
    assert!(prompt.expect(0).stdout.contains(mini.lines().next().unwrap()), "its reviewer reads what exists");
    let state = Pipeline::replay(&entries(&scratch)).unwrap();
    assert!(
        Phase::DOCUMENTS
            .into_iter()
            .all(|phase| state.closed(phase).is_some_and(|closed| closed.approvals.len() == 2))
    );
    assert_eq!(scratch.json(["status"])["features"][0]["status"], "approved");
}

#[test]
fn yes_and_accepting_at_the_cap_do_not_go_together() {
    let scratch = Scratch::repository(PROGRAM);
    let refused = scratch.run(["run", "--yes", "--on-cap", "accept"]).expect(2);
    assert!(refused.stderr.contains("`--yes` never accepts in a person's name"), "{}", refused.stderr);
}
