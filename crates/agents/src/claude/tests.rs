//! Lines as the program prints them, and what they mean.

mod memory;
mod money;
mod tools;

use super::stream::Heard;
use super::{Bash, ClaudeAgent, ClaudeSettings, flags, opening, outcome};
use crate::mcp::{McpServer, McpServers};
use crate::programs::{Containment, DispatchRecord, Fingerprint};
use redraft_adapters::child::{Environment, Finished, OutputListener, ReadEnd, StreamLine};
use redraft_adapters::clock::SystemClock;
use redraft_cost::price::Cards;
use redraft_engine::ports::{Agent, AgentError, Deadlines, Request};
use redraft_facts::choice::{Lifetime, Marks};
use redraft_facts::event::AfterFailure;
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::redact::Redactor;
use redraft_facts::usage::{Usage, Usd};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

const INIT: &str = r#"{"type":"system","subtype":"init","cwd":"/repo","session_id":"s-1","tools":["Read","StructuredOutput"],"model":"claude-sonnet-4-5","claude_code_version":"2.1.197"}"#;
const READ: &str = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/repo/docs/spec.md"}},{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/repo/missing.md"}}]},"session_id":"s-1"}"#;
const SHOWN: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"1 # Spec"},{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"File does not exist."}]},"session_id":"s-1"}"#;
const DONE: &str = r#"{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"num_turns":2,"result":"{\"approved\":true}","stop_reason":"end_turn","session_id":"s-1","total_cost_usd":0.0125,"usage":{"input_tokens":10,"cache_creation_input_tokens":2000,"cache_read_input_tokens":500,"output_tokens":40,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":2000}},"permission_denials":[{"tool_name":"Write","tool_use_id":"t3","tool_input":{"file_path":"/repo/x","content":"y"}}],"structured_output":{"approved":true},"terminal_reason":"completed"}"#;

fn heard(lines: &[&str]) -> Heard {
    let mut heard = Heard::default();
    lines.iter().for_each(|line| heard.take(StreamLine::Whole(line.as_bytes().to_vec())));
    heard
}

fn settings(folder: &Path) -> ClaudeSettings {
    ClaudeSettings {
        name: AgentName::new("claude"),
        program: "claude".into(),
        model: "claude-sonnet-4-5".into(),
        state: folder.join("state"),
        runs: folder.join("runs"),
        worker: "redraft".into(),
        environment: Environment::default(),
        pass: Vec::new(),
        max_turns: 40,
        max_tokens: None,
        mcp: McpServers::new(),
        tool_map: [("Search".to_owned(), "Grep".to_owned())].into(),
        bash: Bash::Only(Vec::new()),
        extra_args: Vec::new(),
        card: Cards::builtin().find("claude-sonnet-4-5").unwrap().clone(),
        redactor: Redactor::default(),
        containment: Containment::Off,
    }
}

/// A folder as a dispatch leaves it.
fn kept(folder: &Path, lines: &[&str]) {
    let fingerprint = Fingerprint {
        v: Fingerprint::VERSION,
        program: "claude".into(),
        version: "2.1.197".into(),
        model: "claude-sonnet-4-5".into(),
        flags: Vec::new(),
        system_sha256: String::new(),
        tools: Vec::new(),
        schema_sha256: String::new(),
        folder: "/repo".into(),
    };
    let asked = DispatchRecord {
        v: Fingerprint::VERSION,
        ticket: "031/specify.1/review/spec-reviewer/1.1".into(),
        session: "s-1".into(),
        resume: false,
        folder: "/repo".into(),
        fingerprint,
        reserved: 77_000,
        limit: None,
        writes: false,
    };
    asked.keep(folder).unwrap();
    std::fs::write(folder.join("stdout"), lines.join("\n")).unwrap();
}

#[test]
fn a_kept_answer_is_read_with_everything_that_was_told_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    kept(
        folder.path(),
        &[INIT, READ, "not json at all {", SHOWN, "[1,2]", DONE, "{\"type\":\"result\",\"sub"],
    );
    let outcome = ClaudeAgent::new(settings(folder.path())).recovered(folder.path()).unwrap();
    assert_eq!(outcome.text, r#"{"approved":true}"#);
    assert_eq!(outcome.session.unwrap().as_str(), "s-1");
    assert_eq!(
        outcome.usage,
        Usage { uncached: 10, written: 2_000, read: 500, output: 40, cost: Usd(8_280) },
        "by the card and not by what the program says"
    );
    assert_eq!(
        outcome.opened,
        Some(vec!["docs/spec.md".to_owned()]),
        "what could not be opened does not count"
    );
    assert_eq!(outcome.denials, ["Write /repo/x"]);
    assert!(!outcome.formless);
    assert_eq!(outcome.notes, ["unreadable output was skipped: 3 lines"]);
    assert_eq!(heard(&["garbage", "[1]", "{\"a\":", ""]).unreadable, 3);
}

#[test]
fn an_unfinished_or_failed_dispatch_is_not_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let agent = ClaudeAgent::new(settings(folder.path()));
    assert_eq!(agent.recovered(folder.path()), None, "nothing was kept");
    let cut = &DONE[..DONE.len() - 1];
    for lines in
        [&[INIT, READ][..], &[INIT, cut], &[INIT, &DONE.replace("\"is_error\":false", "\"is_error\":true")]]
    {
        kept(folder.path(), lines);
        assert_eq!(agent.recovered(folder.path()), None, "{lines:?}");
    }
}

#[test]
fn a_missing_form_is_marked_and_missing_counts_give_the_reserved_sum() {
    let folder = tempfile::tempdir().unwrap();
    let agent = ClaudeAgent::new(settings(folder.path()));
    let plain = DONE.replace(r#""structured_output":{"approved":true},"#, "").replace("0.0125", "0");
    kept(folder.path(), &[INIT, &plain]);
    let outcome = agent.recovered(folder.path()).unwrap();
    assert_eq!(outcome.text, r#"{"approved":true}"#, "the result's own words, for the record");
    assert!(outcome.formless, "they are no verdict, whatever they say");
    assert_eq!(outcome.notes, [""; 0], "nothing was skipped");
    let card = Cards::builtin().find("claude-sonnet-4-5").unwrap().clone();
    assert_eq!(outcome.usage.cost, card.cost(&outcome.usage, outcome.usage.input()), "the card's price");
    let zero = plain.replace(":10,", ":0,").replace("2000", "0").replace("500", "0").replace(":40,", ":0,");
    kept(folder.path(), &[INIT, &zero]);
    assert_eq!(
        agent.recovered(folder.path()).unwrap().usage,
        Usage { cost: Usd(77_000), ..Usage::default() }
    );
    kept(folder.path(), &[INIT, &DONE.replace("\"usage\":", "\"unknown\":")]);
    assert_eq!(agent.recovered(folder.path()).unwrap().usage.cost, Usd(12_500), "what it says it cost");
    kept(folder.path(), &[INIT, &DONE.replace("s-1", "s-2")]);
    assert_eq!(agent.recovered(folder.path()).unwrap().session, None, "another conversation than ours");
}

#[test]
fn a_key_that_is_refused_is_not_tried_again_and_a_login_once() {
    let folder = tempfile::tempdir().unwrap();
    let with = |name: &str, value: &str| {
        let environment = Environment([(OsString::from(name), OsString::from(value))].into());
        flags::refusals_max(&ClaudeSettings { environment, ..settings(folder.path()) })
    };
    assert_eq!((with("ANTHROPIC_API_KEY", "k"), with("ANTHROPIC_AUTH_TOKEN", "t")), (0, 0));
    assert_eq!((with("ANTHROPIC_API_KEY", ""), with("HOME", "/home/me")), (1, 1));
    let again = |status: u16| format!(r#"{{"type":"system","subtype":"api_retry","error_status":{status}}}"#);
    let begun = r#"{"type":"stream_event","event":{"type":"message_start","message":{}}}"#;
    let refusals = |lines: &[&str]| heard(lines).refusals;
    assert_eq!(refusals(&[INIT, &again(401), &again(403)]), 2);
    assert_eq!(refusals(&[INIT, &again(401), begun, &again(529)]), 0, "it was let in again");
    let heard = heard(&[INIT, &again(401)]);
    let (now, detail) = outcome::shut_out(&heard);
    assert_eq!(now, AfterFailure::AskPerson);
    assert!(detail.starts_with("claude 401: "), "{detail}");
}

/// The last line of a failure.
fn failed(subtype: &str, status: &str, text: &str, more: &str) -> String {
    format!(
        r#"{{"type":"result","subtype":"{subtype}","is_error":true,"api_error_status":{status},"result":"{text}","session_id":"s-1"{more}}}"#
    )
}

fn means(lines: &[&str], resumed: bool) -> AfterFailure {
    let heard = heard(lines);
    outcome::failure(&heard, heard.result.as_ref().unwrap(), resumed).unwrap().0
}

#[test]
fn a_failure_says_what_to_do_next() {
    let wait = |now| matches!(now, AfterFailure::Wait(ms) if ms > 0);
    for status in ["429", "500", "529", "408"] {
        assert!(wait(means(&[&failed("success", status, "API Error: Overloaded", "")], false)), "{status}");
    }
    assert!(wait(means(
        &[&failed("success", "null", "Unable to connect to API (ConnectionRefused)", "")],
        false
    )));
    for (status, text) in [
        ("401", "Invalid authentication"),
        ("403", "Forbidden"),
        ("404", "no such model"),
        ("null", "Not logged in · Please run /login"),
        ("400", "Your credit balance is too low"),
        ("429", "You've hit your monthly spend limit."),
        ("429", "You have reached your API usage limits: your organization has crossed its threshold."),
        ("429", "You have reached your specified workspace API usage limits."),
    ] {
        assert_eq!(
            means(&[&failed("success", status, text, "")], false),
            AfterFailure::AskPerson,
            "{status} {text}"
        );
    }
    let dear = failed("error_max_budget_usd", "null", "", r#","total_cost_usd":0.5"#);
    assert_eq!(means(&[&dear], false), AfterFailure::OverBudget(Usd(500_000)));
    for subtype in ["error_max_turns", "error_max_structured_output_retries", "error_during_execution"] {
        assert_eq!(means(&[&failed(subtype, "null", "", "")], false), AfterFailure::GiveUp, "{subtype}");
    }
    let refused = failed("success", "null", "", r#","stop_reason":"refusal""#);
    assert_eq!(means(&[&refused], false), AfterFailure::GiveUp);
    let gone = r#","errors":["No conversation found with session ID: s-1"]"#;
    assert_eq!(
        means(&[&failed("error_during_execution", "null", "", gone)], true),
        AfterFailure::FreshSession
    );
    let long = failed("success", "400", "Prompt is too long", r#","terminal_reason":"prompt_too_long""#);
    assert_eq!(means(&[&long], true), AfterFailure::FreshSession, "a new conversation is shorter");
    assert_eq!(means(&[&long], false), AfterFailure::AskPerson);
    // By its own count: nothing was sent.
    let own = failed("success", "null", "Prompt is too long", r#","terminal_reason":"blocking_limit""#);
    assert_eq!(
        (means(&[&own], true), means(&[&own], false)),
        (AfterFailure::FreshSession, AfterFailure::AskPerson)
    );
    assert_eq!(means(&[READ, &own], false), AfterFailure::GiveUp, "what it read was too much");
}

#[test]
fn a_usage_limit_parks_until_the_time_it_names() {
    let event = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1790000000,"rateLimitType":"five_hour"},"session_id":"s-1"}"#;
    let reached = failed("success", "429", "You've hit your session limit · resets 3pm (UTC)", "");
    assert_eq!(means(&[event, &reached], false), AfterFailure::ParkUntil(1_790_000_000_000));
    assert_eq!(means(&[&reached], false), AfterFailure::AskPerson, "no time is named that can be counted on");
    let warning = event.replace("rejected", "allowed_warning");
    let busy = failed("success", "529", "Overloaded", "");
    assert!(matches!(means(&[&warning, &busy], false), AfterFailure::Wait(_)), "a warning is not the limit");
    let old = failed("success", "null", "Claude AI usage limit reached|1790000001", "");
    assert_eq!(means(&[&old], false), AfterFailure::ParkUntil(1_790_000_001_000));
}

#[test]
fn silence_is_explained_by_what_ended_it() {
    let exit = |code: i32, stderr: &str| {
        let exit = format!(r#"{{"v":1,"code":{code},"signal":null,"not_started":""}}"#);
        Finished {
            end: ReadEnd::Exited(serde_json::from_str(&exit).unwrap()),
            stderr: stderr.into(),
            report: None,
        }
    };
    let now = |lines: &[&str], finished: &Finished| outcome::silence(&heard(lines), finished).0;
    assert_eq!(now(&[], &exit(1, "No conversation found with session ID: X")), AfterFailure::FreshSession);
    assert_eq!(now(&[], &exit(1, "Error: Session ID X is already in use.")), AfterFailure::GiveUp);
    assert_eq!(
        now(&[], &exit(1, "error: unknown option '--tool'")),
        AfterFailure::AskPerson,
        "it would be refused again"
    );
    assert_eq!(now(&[INIT], &exit(143, "")), AfterFailure::GiveUp);
    let detail = |stderr: &str| outcome::silence(&heard(&[INIT]), &exit(1, stderr)).1;
    assert_eq!(detail(""), "claude ended with code 1 and no result");
    assert_eq!(detail("oops\n"), "claude ended with code 1 and no result: oops");
    let missing = r#"{"v":1,"code":null,"signal":null,"not_started":"No such file or directory"}"#;
    let missing = Finished {
        end: ReadEnd::Exited(serde_json::from_str(missing).unwrap()),
        stderr: String::new(),
        report: None,
    };
    let (now, detail) = outcome::silence(&heard(&[]), &missing);
    assert_eq!(now, AfterFailure::AskPerson);
    assert_eq!(detail, "claude cannot be started: No such file or directory");
}

fn request(tail: Lifetime) -> Request {
    Request {
        slot: None,
        ticket: "031/specify.1/review/spec-reviewer/1.1".parse().unwrap(),
        prompt: Prompt::default(),
        marks: Marks { system: Some(Lifetime::Hour), stable: Some(Lifetime::Hour), tail: Some(tail) },
        tools: ["Read", "Search"].map(str::to_owned).to_vec(),
        schema: "{}",
        session: SessionId::new("s-1"),
        resume: false,
        folder: "/repo".into(),
        may_write: Vec::new(),
        deadlines: Deadlines { connect_ms: 1, first_byte_ms: 1, idle_ms: 1, total_ms: 1 },
        shares: false,
        max_usd: None,
    }
}

#[test]
fn the_lifetime_of_the_conversation_is_the_lifetime_of_everything() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    let agent = ClaudeAgent::new(settings.clone());
    let has = |tail: Lifetime, name: &str| {
        flags::environment(&settings, &request(tail)).0.contains_key(&OsString::from(name))
    };
    let (short, long) = (Lifetime::FiveMinutes, Lifetime::Hour);
    assert!(has(long, "ENABLE_PROMPT_CACHING_1H") && !has(long, "FORCE_PROMPT_CACHING_5M"));
    assert!(has(short, "FORCE_PROMPT_CACHING_5M") && !has(short, "ENABLE_PROMPT_CACHING_1H"));
    assert!(agent.highest_cost(&request(short)) < agent.highest_cost(&request(long)));
}

#[test]
fn what_is_a_roles_own_stands_behind_what_it_shares_with_others() {
    let one = |name: &str| vec![Fragment::new(name, name)];
    let prompt =
        Prompt { constant: one("constant"), feature: one("feature"), role: one("role"), turn: one("turn") };
    let alone = Request { prompt, ..request(Lifetime::Hour) };
    let texts = |request: &Request| {
        let (system, turn) = opening(request);
        (system.text(), turn.text())
    };
    let (system, turn) = texts(&alone);
    assert_eq!((system.as_str(), turn.as_str()), ("constant\n\nfeature\n\nrole\n", "turn\n"));
    let (system, turn) = texts(&Request { shares: true, ..alone });
    assert_eq!((system.as_str(), turn.as_str()), ("constant\n\nfeature\n", "role\n\nturn\n"));
}

#[test]
fn a_server_that_did_not_come_up_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let init = INIT.replace(
        "\"model\"",
        "\"mcp_servers\":[{\"name\":\"fine\",\"status\":\"connected\"},{\"name\":\"context7\",\"status\":\"failed\"}],\"model\"",
    );
    kept(folder.path(), &[&init, DONE]);
    let outcome = ClaudeAgent::new(settings(folder.path())).recovered(folder.path()).unwrap();
    assert_eq!(outcome.notes, ["the tools of server context7 were not there: it is failed"]);
}

#[test]
fn what_was_refused_or_never_sent_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let agent = ClaudeAgent::new(settings(folder.path()));
    let usage = |lines: &[&str]| {
        kept(folder.path(), lines);
        let asked = DispatchRecord::read(folder.path()).unwrap();
        agent.answer(&heard(lines), &asked).unwrap_err().usage
    };
    let told = r#"{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}"#;
    for (status, text) in [
        ("401", "Invalid authentication"),
        ("403", "Forbidden"),
        ("429", "API Error: slow down"),
        ("529", "API Error: Overloaded"),
        ("null", "Unable to connect to API (ConnectionRefused)"),
        ("null", "Not logged in · Please run /login"),
        ("null", "Prompt is too long"),
        ("503", "API Error: busy"),
    ] {
        let last = failed("success", status, text, r#","usage":{"input_tokens":0,"output_tokens":0}"#);
        assert_eq!(usage(&[INIT, told, &last]), AgentError::UNBILLED, "{status} {text}");
        assert_eq!(usage(&[INIT, READ, SHOWN, told, &last]), None, "an earlier request was answered");
    }
    let started = r#"{"type":"stream_event","event":{"type":"message_start","message":{}}}"#;
    assert_eq!(usage(&[INIT, started, &failed("success", "529", "Overloaded", "")]), None);
    for (status, text) in [("504", "gateway"), ("null", "Request timed out"), ("null", "")] {
        assert_eq!(usage(&[INIT, &failed("success", status, text, "")]), None, "{status} {text}");
    }
    let counted = r#","usage":{"input_tokens":10,"output_tokens":2},"total_cost_usd":0.5"#;
    assert_eq!(usage(&[INIT, READ, &failed("success", "529", "busy", counted)]).unwrap().cost, Usd(60));
}

#[test]
fn a_program_that_is_not_there_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = ClaudeSettings { program: folder.path().join("no-such-claude"), ..settings(folder.path()) };
    let error = ClaudeAgent::new(missing)
        .run(&request(Lifetime::Hour), &SystemClock::new(Arc::default()))
        .unwrap_err();
    assert_eq!((error.now, error.usage), (AfterFailure::AskPerson, AgentError::UNBILLED), "{error}");
}
