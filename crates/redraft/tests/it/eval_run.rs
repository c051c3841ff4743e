//! `redraft eval run`: an agent is asked the prompts of each arm, within a budget, and never twice.

use crate::models::{self, ANTHROPIC, KEY, with_model};
use crate::world::PROGRAM;
use redraft_testkit::provider::{RecordedRequest, Reply, all_text, last_user_text};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

const SPEC: &str = include_str!("../../../eval/data/spec.md");
const FILE: &str = "docs/features/001-links/spec.md";
/// A round of what is asked most often.
const RUN: [&str; 8] = ["eval", "run", "cases", "--agent", "rehearsal", "--arm", "ours", "--at-once"];

/// A repository with three cases, one of them clean.
fn planted() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write(FILE, SPEC);
    scratch.run(["eval", "plant", "cases", FILE]).expect(0);
    scratch
}

fn run(scratch: &Scratch, words: &[&str]) -> Ran {
    scratch.run(RUN.iter().copied().chain(["1"]).chain(words.iter().copied()))
}

fn answers(scratch: &Scratch) -> Vec<String> {
    names(&scratch.root().join("cases/answers/rehearsal"), ".answer.")
}

fn names(folder: &Path, part: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let files = entries.map(Result::unwrap).filter(|entry| entry.path().is_file());
    let names = files.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.contains(part)).collect();
    names.sort();
    names
}

fn read(scratch: &Scratch, path: &str) -> String {
    fs::read_to_string(scratch.root().join(path)).unwrap()
}

fn record(scratch: &Scratch, name: &str) -> Value {
    serde_json::from_str(&read(scratch, &format!("cases/answers/rehearsal/{name}.asked.json"))).unwrap()
}

/// What the agent says that it was asked: ticket, and whether a conversation was continued.
fn asked(scratch: &Scratch) -> Vec<(String, bool)> {
    let log = fs::read_to_string(scratch.state().join("agents/rehearsal/log.jsonl")).unwrap_or_default();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let asked = lines.filter(|line| line["at"] == "asked");
    asked.map(|line| (line["ticket"].as_str().unwrap().to_owned(), line["resume"] == true)).collect()
}

#[test]
fn an_agent_is_asked_what_export_writes_and_its_answers_are_counted() {
    let scratch = planted();
    let ran = run(&scratch, &["--arm", "plain", "--arm", "ours+lazy+2", "--arm", "ours+digest+2"]).expect(0);
    assert!(
        ran.stderr
            .contains("10 prompts in cases/answers/rehearsal\n10 prompts to ask of rehearsal (the built-in")
    );
    assert!(ran.stderr.contains("\nexpected: about $0.0000; "), "{ran:?}");
    assert!(ran.stderr.contains("\nbudget: at most $5.0000 for this folder; "), "{ran:?}");
    assert!(ran.stdout.contains("10 of 10 prompts answered, 10 by this call; $0.0000 spent"), "{ran:?}");
    assert!(ran.stdout.contains("next: redraft eval score cases cases/answers/rehearsal"), "{ran:?}");
    scratch
        .run(["eval", "export", "cases", "out", "--arm", "ours", "--arm", "plain", "--arm", "ours+lazy+2"])
        .expect(0);
    for name in names(&scratch.root().join("out"), ".prompt.md") {
        let sent = read(&scratch, &format!("cases/answers/rehearsal/{name}"));
        assert_eq!(sent, read(&scratch, &format!("out/{name}")), "{name}");
    }
    let record = record(&scratch, "001-links.spec.1.ours-inline-1");
    assert_eq!(record["agent"], "rehearsal");
    assert_eq!(
        (&record["turns"][0]["turn"], &record["turns"][0]["end"]["failed"]),
        (&json!("answer"), &json!(""))
    );
    assert!(record["turns"][0]["end"]["usage"]["output"].as_u64().unwrap() > 0, "{record}");
    let scored = scratch.json(["eval", "score", "cases"]);
    let arms: Vec<&str> =
        scored["arms"].as_array().unwrap().iter().map(|arm| arm["arm"].as_str().unwrap()).collect();
    assert_eq!(arms, ["ours-digest-2", "ours-inline-1", "ours-lazy-2", "plain-inline-1"]);
    assert_eq!(
        (&scored["arms"][1]["answered"], &scored["arms"][1]["priced"]),
        (&json!(3), &json!(3)),
        "{scored}"
    );
    // It worked in a folder of its own, where nothing says what was planted.
    assert!(
        !fs::exists(scratch.state().join("runs")).unwrap()
            || names(&scratch.state().join("runs"), "eval").is_empty()
    );
}

#[test]
fn what_is_answered_is_not_asked_again_also_after_a_kill() {
    let scratch = planted();
    // Killed when the answer to the second prompt has just arrived.
    let mut killed = scratch.redraft(RUN.iter().copied().chain(["1"]));
    killed.env("REDRAFT_ABORT_AT_BOUNDARY", "5");
    assert!(!Ran::new(killed.output().unwrap()).stderr.contains("3 of 3"));
    assert_eq!(answers(&scratch).len(), 1, "{:?}", answers(&scratch));
    assert_eq!(asked(&scratch).len(), 2);
    let ran = run(&scratch, &[]).expect(0);
    assert!(
        ran.stderr.contains("3 prompts in cases/answers/rehearsal, 1 of them answered\n2 prompts to ask"),
        "{ran:?}"
    );
    assert_eq!((answers(&scratch).len(), asked(&scratch).len()), (3, 4));
    let turns = |name: &str| record(&scratch, name)["turns"].as_array().unwrap().len();
    assert_eq!((turns("001-links.spec.0.ours-inline-1"), turns("001-links.spec.1.ours-inline-1")), (1, 2));
    // An answer by hand counts as one, too; a changed prompt is named.
    let by_hand = scratch.root().join("cases/answers/rehearsal/001-links.spec.0.plain-inline-1.answer.txt");
    fs::write(by_hand, "fine").unwrap();
    let again = run(&scratch, &["--arm", "plain"]).expect(0);
    assert!(again.stdout.contains("6 of 6 prompts answered, 2 by this call"), "{again:?}");
    let spec = read(&scratch, "cases/001-links.spec.0/files/spec.md");
    scratch.write("cases/001-links.spec.0/files/spec.md", &format!("{spec}\nMore.\n"));
    let changed = run(&scratch, &[]).expect(0);
    assert!(changed.stdout.contains("1 answer for an older prompt"), "{changed:?}");
    assert_eq!(asked(&scratch).len(), 6);
}

#[test]
fn resume_continues_the_first_review_in_its_own_conversation() {
    let scratch = planted();
    let words = ["eval", "run", "cases", "--agent", "rehearsal", "--arm", "ours+resume+2"];
    let ran = scratch.run(words).expect(0);
    assert!(ran.stderr.contains("2 prompts to ask of rehearsal (the built-in"), "{ran:?}");
    assert!(ran.stderr.contains("), in 4 turns\n"), "{ran:?}");
    let asked = asked(&scratch);
    assert_eq!(asked.iter().filter(|(_, resumed)| *resumed).count(), 2, "{asked:?}");
    let record = record(&scratch, "001-links.spec.1.ours-resume-2");
    assert_eq!(
        (&record["turns"][0]["turn"], &record["turns"][1]["turn"]),
        (&json!("before"), &json!("answer"))
    );
    assert!(
        read(&scratch, "cases/answers/rehearsal/001-links.spec.1.ours-resume-2.before.answer.txt")
            .contains("approved")
    );
    // A conversation that is lost on the way is said to be.
    scratch.scenario("[[rule]]\nticket = \"*/review/spec-reviewer/2.*\"\ndo = \"lose-session\"\n");
    let refused = scratch
        .run(["eval", "run", "cases", "other", "--agent", "rehearsal", "--arm", "ours+resume+2"])
        .expect(1);
    assert!(refused.stdout.contains("has no answer: its conversation could not be continued"), "{refused:?}");
}

#[test]
fn an_agent_that_is_known_to_forget_is_not_asked_to_resume() {
    let scratch = planted();
    scratch.scenario("[[rule]]\nticket = \"*/probe/prober/2.*\"\ndo = \"lose-session\"\n");
    scratch.run(["doctor", "--agent", "rehearsal"]).expect(1);
    let refused =
        scratch.run(["eval", "run", "cases", "--agent", "rehearsal", "--arm", "ours+resume+2"]).expect(2);
    assert!(refused.stderr.contains("rehearsal cannot be asked with `resume`: "), "{refused:?}");
    assert!(!refused.stderr.contains("V2"), "{refused:?}");
    assert!(refused.stderr.contains("leave out the arms with resume"), "{refused:?}");
    run(&scratch, &[]).expect(0);
}

#[test]
fn the_budget_holds_for_all_answers_of_a_folder() {
    let scratch = planted();
    scratch.scenario("usd_per_dispatch = 1.0\n");
    let over = run(&scratch, &["--budget", "2.5"]).expect(5);
    assert!(over.stdout.contains("2 of 3 prompts answered, 2 by this call; $2.0000 spent"), "{over:?}");
    assert!(over.stdout.contains("only $0.5000 of the budget of $2.5000 is left"), "{over:?}");
    assert!(over.stdout.contains("--arm ours --budget USD"), "{over:?}");
    let still = run(&scratch, &["--budget", "2.5"]).expect(5);
    assert!(still.stderr.contains("\nspent on this folder before: $2.0000\n"), "{still:?}");
    run(&scratch, &["--budget", "3"]).expect(0);
    let scored = scratch.run(["eval", "score", "cases"]).expect(0);
    assert!(scored.stdout.contains("cost of the answers                        $3.0000"), "{scored:?}");
    // What was cut off counts as the most it can have cost.
    let other = Scratch::repository(PROGRAM);
    other.write(FILE, SPEC);
    other.run(["eval", "plant", "cases", FILE]).expect(0);
    other.scenario("usd_per_dispatch = 1.0\n");
    let mut killed = other.redraft(RUN.iter().copied().chain(["1"]));
    killed.env("REDRAFT_ABORT_AT_BOUNDARY", "1");
    assert!(!killed.output().unwrap().status.success());
    let after = run(&other, &["--budget", "1.5"]).expect(5);
    assert!(after.stderr.contains("\nspent on this folder before: $1.0000\n"), "{after:?}");
}

#[test]
fn ctrl_c_stops_it_and_a_failing_agent_does_not_go_on() {
    let scratch = planted();
    scratch.scenario("[[rule]]\nticket = \"*/review/*\"\ndo = \"hang\"\ntimes = 1\n");
    let mut command = scratch.redraft(RUN.iter().copied().chain(["1"]));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("budget: at most") {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "it ended early");
    }
    let log = scratch.state().join("agents/rehearsal/log.jsonl");
    while !fs::read_to_string(&log).is_ok_and(|log| log.contains("asked")) {
        std::thread::yield_now();
    }
    assert!(scratch.command("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ran = Ran::new(child.wait_with_output().unwrap()).expect(130);
    assert!(
        ran.stdout.contains("0 of 3 prompts answered") && ran.stdout.contains("interrupted\nnext: "),
        "{ran:?}"
    );
    run(&scratch, &[]).expect(0);
    assert_eq!(answers(&scratch).len(), 3);

    let failing = planted();
    failing.scenario("[[rule]]\nticket = \"*/review/*\"\ndo = \"fail\"\n");
    let ran = run(&failing, &["--arm", "plain"]).expect(4);
    assert!(ran.stdout.contains("it was stopped because the agent fails"), "{ran:?}");
    assert_eq!(asked(&failing).len(), 9, "three prompts, three attempts each");
}

#[test]
fn an_agent_that_cannot_be_asked_is_named_with_the_way_out() {
    let scratch = planted();
    let refused = |words: &[&str], code: i32, told: &[&str]| {
        let ran = scratch.run(words).expect(code);
        for told in told {
            assert!(ran.stderr.contains(told), "{words:?}: {ran:?}");
        }
    };
    refused(
        &["eval", "run", "cases", "--agent", "nobody", "--arm", "ours"],
        2,
        &["no agent `nobody`", "rehearsal"],
    );
    refused(&["eval", "run", "none", "--agent", "rehearsal", "--arm", "ours"], 2, &["has no cases"]);
    refused(
        &["eval", "run", "cases", "--agent", "rehearsal", "--arm", "ours+fast"],
        2,
        &["neither a strategy"],
    );
    refused(&["eval", "score", "cases"], 2, &["cases has no answers", "redraft eval run cases --agent"]);
    run(&scratch, &[]).expect(0);
    let record = "cases/answers/rehearsal/001-links.spec.1.ours-inline-1.asked.json";
    scratch.write(record, &read(&scratch, record).replace("\"rehearsal\"", "\"sonnet\""));
    refused(
        &["eval", "run", "cases", "--agent", "rehearsal", "--arm", "ours"],
        2,
        &[
            "cases/answers/rehearsal has answers of the agent sonnet",
            "redraft eval run cases OUT --agent rehearsal",
        ],
    );
    // Several folders are compared.
    let both = scratch.json(["eval", "score", "cases", "cases/answers/rehearsal"]);
    assert_eq!(both["arms"][0]["arm"], "ours-inline-1");
    scratch
        .run(["eval", "run", "cases", "cases/answers/b", "--agent", "rehearsal", "--arm", "ours"])
        .expect(0);
    let both = scratch.json(["eval", "score", "cases"]);
    assert_eq!(
        (&both["arms"][0]["arm"], &both["arms"][1]["arm"]),
        (&json!("b/ours-inline-1"), &json!("rehearsal/ours-inline-1"))
    );
}

#[test]
fn outside_of_a_repository_the_users_own_agents_are_asked_and_no_secret_is_kept() {
    let scratch = Scratch::empty(PROGRAM);
    let token = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
    scratch.write(FILE, &format!("{SPEC}\nThe key is {token}.\n"));
    scratch.run(["eval", "plant", "cases", FILE]).expect(0);
    run(&scratch, &["--arm", "ours+resume+2"]).expect(0);
    let kept = names(&scratch.root().join("cases/answers/rehearsal"), "");
    assert!(kept.len() > 12, "{kept:?}");
    for name in kept {
        assert!(!read(&scratch, &format!("cases/answers/rehearsal/{name}")).contains(&token), "{name}");
    }
}

/// A service that judges as it is asked to: verdicts for reviewers, classes for the judge.
fn service(request: &RecordedRequest, _index: usize) -> Reply {
    if all_text(request).contains("# Judge Findings") {
        let class = json!({"id": "F1", "reason": "it is so", "class": "material", "same_as": ""});
        return Reply::Json(json!({"findings": [class]}));
    }
    let issue = json!({"severity": "blocker", "category": "clarity", "claim": "present", "file": "spec.md", "line": 1,
        "section": "", "quote": "", "description": "nobody says who pays", "suggestion": "", "same_as": ""});
    Reply::Json(json!({"approved": false, "summary": "read", "answers": [], "issues": [issue], "checks": [],
        "verified": [], "files_read": []}))
}

#[test]
fn a_service_that_costs_money_is_asked_after_a_yes_and_its_bill_is_counted() {
    let (scratch, provider) = with_model(ANTHROPIC, service);
    scratch.write(FILE, SPEC);
    scratch.run(["eval", "plant", "cases", FILE, "--cases", "1"]).expect(0);
    let words = [
        "eval",
        "run",
        "cases",
        "--agent",
        "model",
        "--arm",
        "ours",
        "--arm",
        "ours+resume+2",
        "--at-once",
        "1",
    ];
    let refused = models::run(&scratch, &words).expect(6);
    assert!(refused.stderr.contains("nobody has agreed to what this costs: about $0."), "{refused:?}");
    assert!(refused.stderr.contains("--arm ours+resume+2 --yes"), "{refused:?}");
    assert_eq!(provider.requests().len(), 0);
    let ran = models::run(&scratch, &[&words[..], &["--yes", "--budget", "2"]].concat()).expect(0);
    let requests = provider.requests();
    assert_eq!(requests.len(), 4, "two first reviews, and one that is continued: {ran:?}");
    let (first, second) = (&requests[2], &requests[3]);
    assert!(all_text(second).contains(&last_user_text(first)), "the conversation goes on");
    let scored = scratch.json(["eval", "score", "cases"]);
    let arms = scored["arms"].as_array().unwrap();
    assert!(arms.iter().all(|arm| arm["micro_usd"].as_u64().unwrap() > 0), "{scored}");
    let kept = fs::read_to_string(
        scratch.root().join("cases/answers/model/001-links.spec.1.ours-resume-2.asked.json"),
    );
    let kept: Value = serde_json::from_str(&kept.unwrap()).unwrap();
    let cost = |at: usize| kept["turns"][at]["end"]["usage"]["cost"].as_u64().unwrap();
    assert!(cost(0) > 0 && cost(1) > 0, "{kept}");
    let judge = ["eval", "judge", "cases", "--agent", "model", "--yes"];
    let judged = models::run(&scratch, &judge).expect(0);
    assert!(judged.stdout.contains("1 of 1 finding classed; 1 material defect in"), "{judged:?}");
    let budget =
        models::run(&scratch, &[&words[..], &["--arm", "plain", "--yes", "--budget", "0.001"]].concat())
            .expect(5);
    assert!(budget.stdout.contains("3 of 5 prompts answered, 0 by this call"), "{budget:?}");
    for folder in ["cases/answers/model", "cases/judged"] {
        for name in names(&scratch.root().join(folder), "") {
            assert!(!read(&scratch, &format!("{folder}/{name}")).contains(KEY), "{name}");
        }
    }
}
