//! Tests what the agent remembers, costs and logs, and how it can be made to misbehave.

use super::calm::Calm;
use super::stage::{PRD, SPEC, Stage, verdict};
use redraft_engine::ports::{Agent, Request, RunHandle};
use redraft_facts::event::AfterFailure;
use redraft_facts::fragment::Fragment;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

const IDEA: &str = "Add rate limits per API key";

/// A stage with a draft that both reviewers can be asked about.
fn drafted(scenario: &str) -> Stage {
    let mut stage = Stage::new(IDEA, None, scenario);
    let request = stage.drafting();
    stage.author(&request);
    stage
}

fn rule(ticket: &str, rest: &str) -> String {
    format!("[[rule]]\nticket = \"{ticket}\"\n{rest}\n")
}

fn attempt(request: &Request, attempt: u16) -> Request {
    let ticket = Ticket { attempt, ..request.ticket.clone() };
    Request { ticket, ..request.clone() }
}

#[test]
fn a_resumed_reviewer_opens_no_file_and_works_from_the_delta() {
    let mut stage = Stage::new(IDEA, Some("# PRD\n\n## Goals\n\n- Keys are limited\n"), "");
    let request = stage.drafting();
    assert_eq!(stage.send(&request).unwrap().opened, Some(vec![PRD.to_owned()]));
    let request = stage.fresh("spec-reviewer");
    let first = stage.send(&request).unwrap();
    assert!(first.text.starts_with("Files read: prd.md (5 lines)\n"), "{}", first.text);
    assert_eq!(first.opened, Some(vec![PRD.to_owned()]));
    let mended = stage.spec().replace("45 seconds", "30 seconds");
    stage.put(&mended);
    let request = stage.resumed("spec-reviewer");
    // A file that the reviewer cannot reach cannot have been read.
    std::fs::remove_file(stage.folder.path().join(SPEC)).unwrap();
    std::fs::remove_file(stage.folder.path().join(PRD)).unwrap();
    let second = stage.send(&request).unwrap();
    assert_eq!((second.opened.as_deref(), second.text.starts_with('{')), (Some(&[][..]), true));
    let numbers = |text: &str| text.contains("two numbers for one thing");
    assert!(numbers(&first.text) && !numbers(&second.text));
}

#[test]
fn a_phase_reviewer_reads_the_document_by_its_path() {
    let mut stage = drafted("");
    let request = stage.fresh("phase-reviewer");
    let outcome = stage.send(&request).unwrap();
    assert_eq!(outcome.opened, Some(vec![SPEC.to_owned()]));
    assert_eq!(verdict(&outcome).files_read[0].lines, stage.spec().lines().count() as u64);
    std::fs::remove_file(stage.folder.path().join(SPEC)).unwrap();
    let error = stage.send(&attempt(&request, 2)).unwrap_err();
    assert_eq!(error.now, AfterFailure::GiveUp);
    assert!(error.detail.starts_with(&format!("cannot read {SPEC}")), "{}", error.detail);
}

#[test]
fn a_delta_that_does_not_fit_is_said_to_need_a_fresh_conversation() {
    let mut stage = drafted("");
    let request = stage.fresh("spec-reviewer");
    stage.send(&request).unwrap();
    let mut request = stage.resumed("spec-reviewer");
    let delta = format!("--- a/{SPEC}\n+++ b/{SPEC}\n@@ -1,1 +1,1 @@\n-never there\n+new\n");
    request.prompt.turn[0] = Fragment::new("delta", redraft_facts::text::fenced("diff", &delta));
    let error = stage.send(&request).unwrap_err();
    assert_eq!(error.now, AfterFailure::FreshSession);
    assert!(error.detail.contains("does not fit"), "{}", error.detail);
}

#[test]
fn a_conversation_nobody_has_had_cannot_be_resumed() {
    let mut stage = drafted("");
    let request = stage.fresh("spec-reviewer");
    let error = stage.send(&Request { resume: true, ..request }).unwrap_err();
    assert_eq!(error.now, AfterFailure::FreshSession);
    assert_eq!(error.detail, "no conversation found with session ID: session-of-spec-reviewer");
}

#[test]
fn a_turn_whose_answer_was_lost_is_forgotten_by_the_next_attempt() {
    let mut stage = drafted(&rule("*/review/spec-reviewer/2.1", "do = \"crash-session\""));
    let request = stage.fresh("spec-reviewer");
    stage.send(&request).unwrap();
    let mended = stage.spec().replace("45 seconds", "30 seconds");
    stage.put(&mended);
    let request = stage.resumed("spec-reviewer");
    let error = stage.send(&request).unwrap_err();
    assert_eq!((error.now, error.usage.is_some()), (AfterFailure::GiveUp, true));
    // The same delta again only fits if the lost turn has left no trace.
    let again = stage.send(&attempt(&request, 2)).unwrap();
    assert!(!again.text.contains("two numbers for one thing"));
}

#[test]
fn a_repair_answers_again_from_memory() {
    let mut stage = drafted(&rule("*/review/spec-reviewer/1.*", "do = \"garbage\""));
    let request = stage.fresh("spec-reviewer");
    let outcome = stage.send(&request).unwrap();
    let json = outcome.text.find('{').map(|start| &outcome.text[start..]).unwrap_or_default();
    assert!(serde_json::from_str::<serde_json::Value>(json).is_err(), "{}", outcome.text);
    let repair = Fragment::new("repair", "## Your Last Answer Could Not Be Used\n\nno verdict\n");
    let request = stage.request("spec-reviewer", "repair", true, vec![repair]);
    let verdict = verdict(&stage.send(&request).unwrap());
    assert!(!verdict.approved && !verdict.issues.is_empty());
}

#[test]
fn usage_counts_the_conversation_so_far_as_read() {
    let mut stage = drafted("usd_per_million_input = 3.0\nusd_per_million_output = 15.0\n");
    let fresh = stage.fresh("spec-reviewer");
    let first = stage.send(&fresh).unwrap();
    let chars = fresh.prompt.chars();
    let said = first.text.chars().count() as u64;
    assert_eq!((first.usage.uncached, first.usage.read), (chars.div_ceil(3), 0));
    assert_eq!(first.usage.output, said.div_ceil(3));
    assert_eq!(first.usage.cost, Usd(first.usage.uncached * 3 + first.usage.output * 15));
    let resumed = stage.resumed("spec-reviewer");
    let reserved = stage.agent.highest_cost(&resumed);
    let second = stage.send(&resumed).unwrap();
    assert_eq!(second.usage.read, (chars + said).div_ceil(3));
    assert_eq!(reserved, Usd((chars + said + resumed.prompt.chars()).div_ceil(3) * 3 + 4_000 * 15));
    assert!(second.usage.cost <= reserved);
    assert_eq!(drafted("").agent.highest_cost(&resumed), Usd(0));
}

#[test]
fn every_request_and_answer_is_logged_on_a_line_of_its_own() {
    let mut stage = drafted(&rule("*/review/*", "do = \"fail\"\ntimes = 1"));
    let request = stage.fresh("spec-reviewer");
    assert_eq!(stage.send(&request).unwrap_err().now, AfterFailure::GiveUp);
    stage.send(&attempt(&request, 2)).unwrap();
    let log = std::fs::read_to_string(stage.state.path().join("log.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let at: Vec<&str> = lines.iter().map(|line| line["at"].as_str().unwrap()).collect();
    assert_eq!(at, ["asked", "answered", "asked", "failed", "asked", "answered"]);
    assert_eq!(lines[2]["ticket"], "031/specify.1/review/spec-reviewer/1.1");
    assert_eq!(lines[2]["prompt_sha256"], lines[4]["prompt_sha256"]);
    assert_eq!((&lines[2]["v"], &lines[2]["resume"]), (&serde_json::json!(1), &serde_json::json!(false)));
    assert_eq!(lines[2]["chars"].as_u64(), Some(request.prompt.chars()));
}

/// A run that is stopped as soon as something waits.
struct StopsWhileWaiting(AtomicU64);

impl RunHandle for StopsWhileWaiting {
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    fn wait_ms(&self, ms: u64) -> bool {
        self.0.store(ms, Ordering::Relaxed);
        false
    }

    fn now_ms(&self) -> i64 {
        0
    }

    fn moment(&self) -> redraft_engine::ports::Moment {
        redraft_engine::ports::Moment::after(std::time::Duration::ZERO)
    }

    fn tell(&self, _doing: &str) {}

    fn afford(&self, _total: Usd) -> bool {
        true
    }
}

#[test]
fn waiting_ends_when_the_run_is_stopped() {
    for (act, waited) in [("do = \"hang\"", 5_000), ("do = \"late\"\nwait_ms = 70", 70)] {
        let mut stage = drafted(&rule("*/review/*", act));
        let request = stage.fresh("spec-reviewer");
        let watch = StopsWhileWaiting(AtomicU64::new(0));
        let error = stage.agent.run(&request, &watch).unwrap_err();
        assert!(error.interrupted, "{act}");
        assert_eq!(watch.0.load(Ordering::Relaxed), waited);
        assert!(stage.agent.run(&request, &watch).unwrap_err().interrupted, "a stopped run does no work");
    }
}

#[test]
fn a_hanging_agent_gives_up_at_the_deadline_and_a_late_one_answers() {
    let mut stage = drafted(&rule("*/review/*", "do = \"hang\"\ntimes = 1"));
    let request = stage.fresh("spec-reviewer");
    let error = stage.send(&request).unwrap_err();
    assert_eq!(
        (error.now, error.detail.as_str(), error.interrupted),
        (AfterFailure::GiveUp, "no answer within 5 s", false)
    );
    let mut stage = drafted(&rule("*/review/*", "do = \"late\""));
    let request = stage.fresh("spec-reviewer");
    assert!(!verdict(&stage.send(&request).unwrap()).approved);
}

#[test]
fn an_overloaded_agent_says_when_to_come_back() {
    for (rest, expected) in [("", 10), ("wait_ms = 250", 250)] {
        let mut stage = drafted(&rule("*/review/*", &format!("do = \"overloaded\"\n{rest}")));
        let request = stage.fresh("spec-reviewer");
        assert_eq!(stage.send(&request).unwrap_err().now, AfterFailure::Wait(expected));
    }
}

#[test]
fn a_lost_conversation_stays_lost() {
    let mut stage = drafted(&rule("*/review/spec-reviewer/2.1", "do = \"lose-session\""));
    let request = stage.fresh("spec-reviewer");
    stage.send(&request).unwrap();
    let request = stage.resumed("spec-reviewer");
    for number in [1, 2] {
        let error = stage.send(&attempt(&request, number)).unwrap_err();
        assert_eq!(error.now, AfterFailure::FreshSession);
        assert!(error.detail.starts_with("no conversation found"), "{}", error.detail);
    }
}

#[test]
fn say_answers_exactly_its_text() {
    let mut stage = drafted(&rule("*/review/*", "do = \"say\"\ntext = \"LGTM\""));
    let request = stage.fresh("spec-reviewer");
    assert_eq!(stage.send(&request).unwrap().text, "LGTM");
}

#[test]
fn edit_writes_a_file_of_the_folder_and_none_outside() {
    let mut stage = drafted(&rule("*/review/*", "do = \"edit\"\npath = \"src/new.rs\"\ntext = \"x\""));
    let request = stage.fresh("spec-reviewer");
    assert!(!verdict(&stage.send(&request).unwrap()).approved);
    assert_eq!(std::fs::read_to_string(stage.folder.path().join("src/new.rs")).unwrap(), "x");
    let mut stage = drafted(&rule("*/review/*", "do = \"edit\"\npath = \"../out\"\ntext = \"x\""));
    let request = stage.fresh("spec-reviewer");
    assert_eq!(stage.send(&request).unwrap_err().now, AfterFailure::AskPerson);
}

#[expect(clippy::disallowed_methods, reason = "looks at the repository from outside")]
#[test]
fn commit_leaves_a_commit_by_somebody_else() {
    let mut stage = drafted(&rule("*/review/*", "do = \"commit\""));
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(stage.folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "--quiet"]);
    let folder = stage.folder.path().to_owned();
    let request = stage.fresh("spec-reviewer");
    stage.send(&request).unwrap();
    let output = Command::new("git")
        .current_dir(folder)
        .args(["log", "--format=%an", "--name-only"])
        .output()
        .unwrap();
    let log = String::from_utf8(output.stdout).unwrap();
    assert!(log.starts_with("Rehearsal\n") && log.contains(SPEC), "{log}");
}

#[test]
fn an_unchanged_author_answers_without_writing() {
    let mut stage = drafted(&rule("*/revise/*", "do = \"unchanged\""));
    let request = stage.fresh("spec-reviewer");
    stage.judge("spec-reviewer", &request);
    let before = stage.spec();
    let request = stage.revising(None);
    let answer = stage.author(&request);
    assert!(answer.answers.iter().all(|answer| answer.status.name() == "fixed"));
    assert_eq!(stage.spec(), before);
}

#[test]
fn a_draft_does_not_destroy_a_document_that_is_there() {
    let mut stage = Stage::new(IDEA, None, "");
    stage.put("# Mine\n\nWritten by a person.\n");
    let request = stage.drafting();
    stage.author(&request);
    assert_eq!(stage.spec(), "# Mine\n\nWritten by a person.\n");
}

#[test]
fn a_failed_gate_is_mended_in_the_document() {
    let mut stage = drafted("");
    let text = stage.spec().replace("than 45 seconds", "than TBD seconds") + "- TODO\n";
    stage.put(&text);
    let request = stage.revising(Some("spec.md:30: TBD is a placeholder\n"));
    let answer = stage.author(&request);
    let mended = stage.spec();
    assert!(
        !mended.contains("45")
            && mended.matches("than 30 seconds").count() > 1
            && !mended.contains("TODO")
            && !mended.contains("TBD"),
        "{mended}"
    );
    assert!(answer.summary.starts_with("for the gate: "), "{}", answer.summary);
}

#[test]
fn a_role_it_does_not_know_is_refused_by_name() {
    let mut stage = drafted("");
    let request = stage.request("security-reviewer", "review", false, Vec::new());
    let error = stage.agent.run(&request, &Calm).unwrap_err();
    assert_eq!(error.now, AfterFailure::AskPerson);
    assert!(error.detail.contains("security-reviewer"), "{}", error.detail);
}
