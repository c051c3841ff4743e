//! Tests probes of agents with a model behind them; the model is a script on this machine.

use super::{agent, checks, read};
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::provider::{
    FieldToDamage, Provider, RecordedRequest, Reply, forgetting, last_user_text, miscounting, tool_results,
    was_tool_used,
};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};

const KEY: &str = "sk-ant-test-0000000000000000";
const ANTHROPIC: &str =
    "kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"URL\"\nkey_env = \"TEST_MODEL_KEY\"";

/// What is wrong with the model.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    /// It claims to have read what it never opened.
    Pretends,
    /// The service refuses every continued conversation.
    Refuses,
    /// It no longer knows the first line.
    Forgets,
    /// It looks the file up again instead of remembering.
    Peeks,
    /// It recalls one finding more than it reported.
    Miscounts,
    /// It answers in prose.
    Chats,
}

/// Plays a probe by what is in the conversation; it knows nothing that the conversation does not hold.
fn prober(fault: Fault) -> impl FnMut(&RecordedRequest, usize) -> Reply + Send {
    move |request, _| {
        let last = last_user_text(request);
        let seen = tool_results(request);
        let read = |seen: &[String]| seen.last().cloned().unwrap_or_default();
        let first_line = |text: &str| {
            let at = text.find("Inventory of the house").unwrap_or(text.len());
            text[at..].lines().next().unwrap_or("unknown").to_owned()
        };
        let faulty = |text: &str| text.matches(": ? ").count();
        let open = || Reply::tool("Read", json!({"path": "inventory.txt"}));
        if last.contains("## Turn 3") {
            if fault == Fault::Peeks && seen.len() < 2 {
                return open();
            }
            let text = read(&seen);
            let told = [(FIRST_LINE, first_line(&text)), (FINDINGS, faulty(&text).to_string())];
            return verdict(vec![], &told);
        }
        if last.contains("## Turn 2") {
            return match fault {
                Fault::Refuses => {
                    Reply::error(400, "invalid_request_error", "tool_use ids were found without results")
                }
                Fault::Chats => Reply::text("Yes, I am still here!"),
                _ => verdict(vec![], &[("file", "inventory.txt".to_owned())]),
            };
        }
        if fault != Fault::Pretends && !was_tool_used(request, "Read") {
            return open();
        }
        let issue = |line: usize| {
            json!({"severity": "warning", "category": "quantity", "claim": "present", "file": "inventory.txt",
                "line": line, "section": "", "quote": "", "description": "no quantity", "suggestion": "", "same_as": ""})
        };
        verdict((1..=faulty(&read(&seen))).map(issue).collect(), &[])
    }
}

/// What a model is asked to remember, as it names it in its answer.
const FIRST_LINE: &str = "first line";
const FINDINGS: &str = "findings";

fn verdict(issues: Vec<Value>, said: &[(&str, String)]) -> Reply {
    let verified: Vec<Value> = said
        .iter()
        .map(|(claim, result)| json!({"claim": claim, "source": "memory", "result": result}))
        .collect();
    Reply::Json(json!({"approved": true, "summary": "done", "answers": [], "issues": issues, "checks": [],
        "verified": verified, "files_read": []}))
}

fn with_agent(settings: &str, fault: Fault) -> (Scratch, Provider) {
    let provider = match fault {
        Fault::Forgets => {
            Provider::start(forgetting(prober(fault), FieldToDamage::new(FIRST_LINE, "result")))
        }
        Fault::Miscounts => {
            Provider::start(miscounting(prober(fault), FieldToDamage::new(FINDINGS, "result")))
        }
        Fault::None | Fault::Pretends | Fault::Refuses | Fault::Peeks | Fault::Chats => {
            Provider::start(prober(fault))
        }
    };
    let scratch = Scratch::repository(PROGRAM);
    write(&scratch, &provider, settings);
    (scratch, provider)
}

fn write(scratch: &Scratch, provider: &Provider, settings: &str) {
    let settings = settings.replace("URL", &provider.base_url());
    scratch.write("redraft.toml", &format!("[agents.model]\n{settings}\n"));
}

fn run(scratch: &Scratch, words: &[&str]) -> Ran {
    let mut command = scratch.redraft(["doctor", "--agent", "model"]);
    Ran::new(command.args(words).env("TEST_MODEL_KEY", KEY).output().unwrap())
}

fn probe(scratch: &Scratch) -> (Value, i32) {
    read(&run(scratch, &["--yes", "--json"]))
}

#[test]
fn a_model_that_remembers_passes_over_every_protocol() {
    for settings in [
        ANTHROPIC,
        "kind = \"openai\"\nmodel = \"gpt-6-sol\"\nbase_url = \"URL/v1\"\nkey_env = \"TEST_MODEL_KEY\"",
        "kind = \"openai\"\nmodel = \"gpt-6-sol\"\nbase_url = \"URL/v1\"\nwire = \"responses\"\nkey_env = \"TEST_MODEL_KEY\"",
        "kind = \"openai\"\nmodel = \"a-model-of-mine\"\nprice = \"local\"\nbase_url = \"URL/v1\"\nschema = \"none\"",
    ] {
        let (scratch, provider) = with_agent(settings, Fault::None);
        let (report, code) = probe(&scratch);
        assert_eq!(code, 0, "{settings}: {report:#}");
        assert_eq!(checks(&report, "model", Some(true)).len(), 7, "{settings}: {report:#}");
        let model = agent(&report, "model");
        assert_eq!(model["resume"], "yes");
        assert!(model["cache_share"].as_u64().unwrap() >= 80, "{settings}: {report:#}");
        assert_eq!(
            provider.requests().len(),
            4,
            "{settings}: two for the turn that reads, one for each later one"
        );
        let found = scratch.command("grep").args(["-rlaF", KEY, "."]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "", "{settings}: the key was written somewhere");
        // The cost is close to the estimate, and below what was reserved.
        let amount = |key: &str| model[key].as_u64().unwrap();
        if !settings.contains("local") {
            let (cost, expected, reserved) =
                (amount("cost_micro_usd"), amount("expected_micro_usd"), amount("reserved_micro_usd"));
            assert!(cost > 0 && cost <= reserved, "{settings}: {cost} of {reserved}");
            assert!(cost <= expected * 2 && expected <= cost * 3, "{settings}: {cost}, expected {expected}");
        }
    }
}

#[test]
fn each_fault_of_a_model_fails_its_own_check() {
    for (fault, failed) in [
        (Fault::Pretends, &["V1", "V3"][..]),
        (Fault::Refuses, &["V2"]),
        (Fault::Forgets, &["V3"]),
        (Fault::Miscounts, &["V4"]),
        (Fault::Chats, &["structured"]),
    ] {
        let (scratch, _provider) = with_agent(ANTHROPIC, fault);
        let (report, code) = probe(&scratch);
        assert_eq!(code, 1, "{fault:?}: {report:#}");
        assert_eq!(checks(&report, "model", Some(false)), failed, "{fault:?}: {report:#}");
        let resume = if fault == Fault::Chats { "yes" } else { "no" };
        assert_eq!(agent(&report, "model")["resume"], resume, "{fault:?}");
    }
}

#[test]
fn reading_the_file_again_is_not_remembering() {
    let (scratch, _provider) = with_agent(ANTHROPIC, Fault::Peeks);
    let (report, code) = probe(&scratch);
    assert_eq!(code, 1, "{report:#}");
    let failed = checks(&report, "model", Some(false));
    assert!(failed.contains(&"V3".to_owned()) && failed.contains(&"V4".to_owned()), "{report:#}");
}

#[test]
fn money_is_agreed_to_before_it_is_spent_and_held_to_the_budget() {
    let (scratch, provider) = with_agent(ANTHROPIC, Fault::None);
    let ran = run(&scratch, &[]).expect(6);
    assert!(ran.stderr.contains("model: claude-sonnet-4.5 at "), "{}", ran.stderr);
    assert!(ran.stderr.contains(": about $0.0") && ran.stderr.contains(" is reserved"), "{}", ran.stderr);
    assert!(ran.stdout.contains("next: redraft doctor --agent model --yes"), "{}", ran.stdout);
    assert!(ran.stdout.contains("key") && !ran.stdout.contains(KEY), "{}", ran.stdout);
    assert!(provider.requests().is_empty());
    assert!(events(&scratch).is_empty());
    let config = std::fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("budget = 0.01\n{config}"));
    let ran = run(&scratch, &["--yes"]).expect(5);
    assert!(ran.stdout.contains("`budget` in redraft.toml"), "{}", ran.stdout);
    assert!(provider.requests().is_empty());
    scratch.write("redraft.toml", &config);
    run(&scratch, &["--yes"]).expect(0);
    assert_eq!(bodies(&events(&scratch), "probed").count(), 1);
    // Without agreement, what is known is still shown.
    let (report, code) = read(&run(&scratch, &["--json"]));
    assert_eq!((code, checks(&report, "model", Some(true)).len()), (6, 7), "{report:#}");
}

#[test]
fn what_a_probe_found_lapses_with_the_version() {
    let (scratch, provider) = with_agent(ANTHROPIC, Fault::Forgets);
    let resume = |words: &[&str]| {
        let (report, _) = read(&run(&scratch, words));
        agent(&report, "model")["resume"].as_str().unwrap().to_owned()
    };
    assert_eq!(resume(&["--yes", "--json"]), "no");
    assert_eq!(resume(&["--json"]), "no");
    write(&scratch, &provider, &ANTHROPIC.replace("sonnet-4.5", "opus-4.5"));
    assert_eq!(resume(&["--json"]), "unproved");
    write(&scratch, &provider, ANTHROPIC);
    assert_eq!(resume(&["--json"]), "no");
}
