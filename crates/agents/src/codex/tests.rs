//! Lines as the program prints them, and what they mean.

mod money;

use super::rollout::Rollout;
use super::stream::Heard;
use super::totals::Totals;
use super::{CodexAgent, CodexSettings, Counted, flags, outcome};
use crate::mcp::{McpServer, McpServers};
use redraft_adapters::child::{
    ConversationRecord, DispatchRecord, Environment, Fingerprint, Finished, OutputListener, ReadEnd,
    StreamLine,
};
use redraft_cost::price::Cards;
use redraft_engine::ports::{Agent, AgentError, Deadlines, Outcome, Request};
use redraft_facts::choice::Marks;
use redraft_facts::event::AfterFailure;
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::redact::Redactor;
use redraft_facts::usage::{Payment, Usage, Usd};
use std::ffi::OsString;
use std::path::Path;

const BEGUN: &str = r#"{"type":"thread.started","thread_id":"th-1"}"#;
const REMARK: &str = r#"{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for `gpt-5.1` not found"}}"#;
const AGAIN: &str = r#"{"type":"error","message":"Reconnecting... 1/5 (stream disconnected)"}"#;
const FIRST: &str =
    r#"{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"I will look."}}"#;
const LAST: &str =
    r#"{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"{\"approved\":true}"}}"#;
const SCHEMA: &str = r#"{"type":"object","required":["approved"]}"#;

fn done(input: u64, cached: u64, output: u64) -> String {
    format!(
        r#"{{"type":"turn.completed","usage":{{"input_tokens":{input},"cached_input_tokens":{cached},"cache_write_input_tokens":0,"output_tokens":{output},"reasoning_output_tokens":0}}}}"#
    )
}

fn agent(folder: &Path) -> CodexAgent {
    CodexAgent::new(CodexSettings {
        name: AgentName::new("codex"),
        program: "codex".into(),
        model: "gpt-5.1".into(),
        state: folder.join("state"),
        runs: folder.join("runs"),
        worker: "redraft".into(),
        environment: Environment::default(),
        pass: Vec::new(),
        extra_args: vec!["--mine".into()],
        mcp: McpServers::new(),
        card: Cards::builtin().conservative(),
        redactor: Redactor::default(),
    })
}

fn kept(folder: &Path, round: u16, resume: bool, lines: &[&str]) {
    let fingerprint = Fingerprint {
        v: Fingerprint::VERSION,
        program: "codex".into(),
        version: "0.166.0".into(),
        model: "gpt-5.1".into(),
        flags: Vec::new(),
        system_sha256: String::new(),
        tools: vec!["read-only".into()],
        schema_sha256: String::new(),
        folder: "/repo".into(),
    };
    let asked = DispatchRecord {
        v: Fingerprint::VERSION,
        ticket: format!("031/specify.1/review/spec-reviewer/{round}.1"),
        session: if resume { "th-1".into() } else { "ours".into() },
        resume,
        folder: "/repo".into(),
        fingerprint,
        reserved: 5,
        limit: None,
        writes: false,
    };
    asked.keep(folder).unwrap();
    std::fs::write(folder.join(super::SCHEMA_FILE), SCHEMA).unwrap();
    std::fs::write(folder.join("stdout"), lines.join("\n")).unwrap();
}

#[test]
fn a_dispatch_counts_what_it_added_to_its_thread_and_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path());
    kept(folder.path(), 1, false, &[BEGUN, REMARK, AGAIN, FIRST, "garbage", LAST, &done(19_446, 9_000, 40)]);
    let first = agent.recovered(folder.path()).unwrap();
    assert_eq!(first.text, r#"{"approved":true}"#);
    assert_eq!(first.session, Some(SessionId::new("th-1")));
    assert_eq!((first.usage.uncached, first.usage.read, first.usage.output), (10_446, 9_000, 40));
    assert!(first.usage.cost > Usd(0));
    assert!(!first.formless);
    assert_eq!(first.notes, ["unreadable output was skipped: 1 line"]);
    assert_eq!(agent.recovered(folder.path()), Some(first), "read again, it is the same");
    kept(folder.path(), 2, true, &[BEGUN, LAST, &done(29_313, 18_500, 55)]);
    let second = agent.recovered(folder.path()).unwrap();
    assert_eq!((second.usage.uncached, second.usage.read, second.usage.output), (367, 9_500, 15));
    assert_eq!(agent.recovered(folder.path()), Some(second));
}

#[test]
fn a_turn_in_which_it_only_spoke_was_one_request_and_any_other_is_not_counted_by_what_was_heard() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path());
    let begun = r#"{"type":"item.started","item":{"id":"i","type":"command_execution","command":"cat a"}}"#;
    let searched = r#"{"type":"item.completed","item":{"id":"i","type":"web_search"}}"#;
    let thought = r#"{"type":"item.completed","item":{"id":"i","type":"reasoning","text":"hm"}}"#;
    for (between, requests) in [
        (FIRST, Some(1)),
        (REMARK, Some(1)),
        (thought, Some(1)),
        (begun, None),
        (searched, None),
        ("{", None),
    ] {
        kept(folder.path(), 1, false, &[BEGUN, between, LAST, &done(10, 0, 1)]);
        assert_eq!(agent.recovered(folder.path()).unwrap().requests, requests, "{between}");
    }
    let heard = {
        let mut heard = Heard::default();
        [BEGUN, begun, LAST, &done(10, 0, 1)]
            .iter()
            .for_each(|line| heard.take(StreamLine::Whole(line.as_bytes().to_vec())));
        heard
    };
    let counted = Counted { requests: Some(2), ..Counted::default() };
    let asked = DispatchRecord::read(folder.path()).unwrap();
    let outcome = agent.answer(&heard, &asked, SCHEMA, 0, counted).unwrap().unwrap();
    assert_eq!(outcome.requests, Some(2), "its notes know more");
}

#[test]
fn an_answer_outside_the_form_is_kept_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path());
    kept(folder.path(), 1, false, &[BEGUN, FIRST, &done(10, 0, 1)]);
    let outcome = agent.recovered(folder.path()).unwrap();
    assert_eq!((outcome.text.as_str(), outcome.formless), ("I will look.", true));
    assert_eq!(outcome.notes, [""; 0], "nothing was skipped");
}

#[test]
fn an_answer_without_counts_costs_what_was_reserved() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path());
    kept(folder.path(), 1, false, &[BEGUN, LAST, &done(0, 0, 0)]);
    assert_eq!(agent.recovered(folder.path()).unwrap().usage.cost, Usd(5));
}

#[test]
fn an_answer_from_another_thread_or_without_an_end_is_not_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path());
    let other = BEGUN.replace("th-1", "th-2");
    let failed = r#"{"type":"turn.failed","error":{"message":"boom"}}"#;
    for lines in [&[&other, LAST, &done(1, 0, 1)][..], &[BEGUN, LAST], &[BEGUN, LAST, failed]] {
        kept(folder.path(), 2, true, lines);
        assert_eq!(agent.recovered(folder.path()), None, "{lines:?}");
    }
}

#[test]
fn what_a_thread_used_is_never_negative() {
    let before = Totals { input: 100, read: 50, written: 0, output: 10 };
    let after = Totals { input: 120, read: 80, written: 5, output: 12 };
    let usage = after.since(&before);
    assert_eq!((usage.uncached, usage.read, usage.written, usage.output), (0, 30, 5, 2));
}

#[test]
fn a_failure_says_what_to_do_next() {
    let now = |message: &str, resumed| outcome::failure(message, resumed, 0).0;
    for message in [
        "exceeded retry limit, last status: 429 Too Many Requests",
        "unexpected status 500 Internal Server Error",
        "stream disconnected before completion",
        "We're currently experiencing high demand",
    ] {
        assert!(matches!(now(message, true), AfterFailure::Wait(ms) if ms > 0), "{message}");
    }
    for message in [
        "unexpected status 401 Unauthorized: bad key",
        "You've hit your usage limit. Try again later.",
        "Quota exceeded. Check your plan and billing details.",
        "Missing environment variable: `OPENAI_API_KEY`",
        "unexpected status 400 Bad Request",
    ] {
        assert_eq!(now(message, true), AfterFailure::AskPerson, "{message}");
    }
    // The status decides and no other number: an address, a port or the service's own words may hold any.
    for (status, waits) in
        [(400, false), (401, false), (403, false), (404, false), (422, false), (408, true), (429, true)]
            .into_iter()
            .chain([(500, true), (502, true), (503, true), (504, true), (529, true)])
    {
        for elsewhere in ["40137", "42999", "50301", "40040", "401"] {
            for message in [
                format!(
                    "unexpected status {status} Word: no, url: http://127.0.0.1:{elsewhere}/v1/responses"
                ),
                format!("exceeded retry limit, last status: {status} Word, request id: {elsewhere}"),
            ] {
                let expected = if waits { AfterFailure::Wait(30_000) } else { AfterFailure::AskPerson };
                assert_eq!(now(&message, true), expected, "{message}");
            }
            let cut =
                format!("stream disconnected before completion: http://127.0.0.1:{elsewhere}/v1/responses");
            assert_eq!(now(&cut, true), AfterFailure::Wait(30_000), "{cut}");
            let odd = format!("something nobody has seen, {elsewhere}");
            assert_eq!(now(&odd, true), AfterFailure::GiveUp, "{odd}");
        }
    }
    let full = "Codex ran out of room in the model's context window.";
    assert_eq!((now(full, true), now(full, false)), (AfterFailure::FreshSession, AfterFailure::AskPerson));
    assert_eq!(now("something nobody has seen", true), AfterFailure::GiveUp);
}

#[test]
fn silence_is_explained_by_what_ended_it() {
    let exit = |stderr: &str| {
        let exit = serde_json::from_str(r#"{"v":1,"code":1,"signal":null,"not_started":""}"#).unwrap();
        Finished { end: ReadEnd::Exited(exit), stderr: stderr.into() }
    };
    let mut heard = Heard::default();
    let lost = exit(
        "WARNING: no aliases\nError: thread/resume failed: no rollout found for thread id X (code -32600)\n",
    );
    assert_eq!(outcome::silence(&heard, &lost).0, AfterFailure::FreshSession);
    assert_eq!(outcome::silence(&heard, &exit("error: unexpected argument")).0, AfterFailure::AskPerson);
    heard.take(StreamLine::Whole(BEGUN.into()));
    heard.take(StreamLine::TooLong);
    let (now, detail) = outcome::silence(&heard, &exit("killed"));
    assert_eq!(now, AfterFailure::GiveUp);
    assert_eq!(detail, "codex ended with code 1 and no completed turn, 1 unreadable line: killed");
}

#[test]
fn a_usage_limit_parks_until_the_time_it_names() {
    let noon_ms = 12 * 60 * 60 * 1000;
    let said = "You've hit your usage limit. Upgrade to Pro (https://…) or try again at 3:04 PM.";
    assert_eq!(outcome::failure(said, false, noon_ms).0, AfterFailure::ParkUntil((15 * 60 + 5) * 60_000));
    let later = "You've hit your usage limit. Try again at Jan 3rd, 1970 12:00 AM.";
    assert_eq!(outcome::failure(later, true, noon_ms).0, AfterFailure::ParkUntil(2 * 86_400_000 + 60_000));
    let other = "The tool said: try again at 3:04 PM.";
    assert_eq!(outcome::failure(other, true, noon_ms).0, AfterFailure::GiveUp, "not a limit");
}

fn request(tools: &[&str]) -> Request {
    Request {
        ticket: "031/specify.1/review/spec-reviewer/1.1".parse().unwrap(),
        prompt: Prompt::default(),
        marks: Marks::default(),
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        schema: "{}",
        session: SessionId::new("th-1"),
        resume: true,
        folder: "/repo".into(),
        may_write: Vec::new(),
        deadlines: Deadlines { connect_ms: 1, first_byte_ms: 1, idle_ms: 1, total_ms: 1 },
        shares: false,
        max_usd: None,
    }
}

#[test]
fn the_web_and_servers_are_settings_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = agent(folder.path()).settings.clone();
    let plain = flags::fixed(&settings, &request(&["Read"]));
    let judges = [
        "web_search=\"disabled\"",
        "project_doc_max_bytes=0",
        "skills.include_instructions=false",
        "projects={\"/repo\"={trust_level=\"untrusted\"}}",
        "model_auto_compact_token_limit=9223372036854775807",
    ];
    let mut words: Vec<&str> = judges.iter().flat_map(|word| ["-c", word]).collect();
    words.extend(["--mine", "-c", "agents.enabled=false"]);
    assert_eq!(plain, words, "sub-agents are switched off last");
    let author = Request { may_write: vec!["spec.md".to_owned()], ..request(&["Read"]) };
    let words = ["-c", "web_search=\"disabled\"", "--mine", "-c", "agents.enabled=false"];
    assert_eq!(flags::fixed(&settings, &author), words);
    let server = McpServer {
        command: "npx".into(),
        args: vec!["-y".into(), "say \"hi\"".into()],
        env: vec!["CONTEXT7_API_KEY".into()],
    };
    settings.mcp.insert("context7".to_owned(), server);
    let variables =
        [("CONTEXT7_API_KEY", "a-secret-of-mine"), ("TZ", "Europe/Berlin"), ("OTHER_API_KEY", "x")];
    settings.environment = Environment(variables.map(|(n, v)| (OsString::from(n), OsString::from(v))).into());
    let tools = ["Read", "WebSearch", "mcp__context7__query-docs"];
    let request = request(&tools);
    let words = flags::all(&settings, &request, Path::new("schema.json"));
    let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap()).collect();
    for setting in [
        "web_search=\"live\"",
        "mcp_servers.context7.command=\"npx\"",
        "mcp_servers.context7.env_vars=[\"CONTEXT7_API_KEY\"]",
        "mcp_servers.context7.enabled_tools=[\"query-docs\"]",
        "mcp_servers.context7.default_tools_approval_mode=\"approve\"",
        "mcp_servers.context7.required=true",
    ] {
        assert!(words.windows(2).any(|pair| pair == ["-c", setting]), "{setting}: {words:?}");
    }
    let args = words.iter().find_map(|word| word.strip_prefix("mcp_servers.context7.args=")).unwrap();
    let args: toml::Table = format!("args = {args}").parse().unwrap();
    assert_eq!(args["args"][1].as_str(), Some("say \"hi\""), "quoted so that it is read as it was written");
    assert!(words.ends_with(&["resume", "th-1", "-"]), "{words:?}");
    assert!(!words.iter().any(|word| word.contains("a-secret-of-mine")));
    let environment = flags::environment(&settings, &request).0;
    let value = |name: &str| environment.get(&OsString::from(name)).and_then(|value| value.to_str());
    assert_eq!((value("CONTEXT7_API_KEY"), value("OTHER_API_KEY")), (Some("a-secret-of-mine"), None));
    assert_eq!(value("TZ"), Some("UTC"), "so that the end of a usage limit can be read");
    let tools = ["Grep", "WebFetch", "mcp__other__x"].map(str::to_owned);
    assert_eq!(CodexAgent::new(settings).missing(&tools), ["WebFetch", "mcp__other__x"]);
}

/// As 0.166.0 says it, every few seconds and forever.
const WAITING: &str = r#"{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}"#;

#[test]
fn a_turn_that_only_waited_for_the_network_cost_nothing_and_is_ended_after_a_few_times() {
    let heard = |lines: &[&str]| {
        let mut heard = Heard::default();
        lines.iter().for_each(|line| heard.take(StreamLine::Whole(line.as_bytes().to_vec())));
        heard
    };
    let offline = heard(&[BEGUN, REMARK, WAITING, WAITING, WAITING]);
    assert!(outcome::never_connected(&offline) && offline.unconnected == outcome::UNCONNECTED_MAX);
    let (now, detail) = outcome::offline(&offline);
    assert_eq!(now, AfterFailure::AskPerson);
    assert!(detail.starts_with("codex is offline: Reconnecting... waiting for network"), "{detail}");
    let cut = r#"{"type":"error","message":"Reconnecting... 1/5 (stream disconnected before completion)"}"#;
    for (lines, why) in [
        (&[BEGUN, cut, WAITING][..], "a request was out before"),
        (&[BEGUN, WAITING, FIRST], "it answers"),
        (&[BEGUN], "nothing was said of a connection"),
    ] {
        let heard = heard(lines);
        assert!(!outcome::never_connected(&heard) && heard.unconnected < outcome::UNCONNECTED_MAX, "{why}");
    }
}

#[test]
fn who_pays_is_told_by_its_notes_of_a_plan_else_by_the_key_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let agent = |variables: &[(&str, &str)], args: &[&str]| {
        let mut settings = self::agent(folder.path()).settings;
        settings.environment =
            Environment(variables.iter().map(|(name, value)| (name.into(), value.into())).collect());
        settings.extra_args = args.iter().map(|word| (*word).to_owned()).collect();
        CodexAgent::new(settings)
    };
    assert_eq!(agent(&[], &[]).payment(true), Payment::Subscription);
    assert_eq!(agent(&[], &[]).payment(false), Payment::Login);
    assert_eq!(agent(&[("CODEX_API_KEY", "sk")], &[]).payment(false), Payment::Key);
    assert_eq!(
        agent(&[("CODEX_API_KEY", "sk")], &[]).payment(true),
        Payment::Key,
        "notes of an earlier login"
    );
    assert_eq!(agent(&[], &["-c", "model_provider=mine"]).payment(false), Payment::Key);
}

#[test]
fn a_call_of_a_server_that_failed_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let call = r#"{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"context7","tool":"query-docs","error":{"message":"no\nnetwork"},"status":"failed"}}"#;
    let fine = call.replace("failed", "completed");
    kept(folder.path(), 1, false, &[BEGUN, call, &fine, LAST, &done(10, 0, 1)]);
    let outcome = agent(folder.path()).recovered(folder.path()).unwrap();
    assert_eq!(outcome.notes, ["query-docs of server context7 failed: no network"]);
}

#[test]
fn what_was_refused_or_never_sent_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path());
    let usage = |lines: &[&str], resume: bool| {
        kept(folder.path(), 1, resume, lines);
        let asked = DispatchRecord::read(folder.path()).unwrap();
        let mut heard = Heard::default();
        lines.iter().for_each(|line| heard.take(StreamLine::Whole(line.as_bytes().to_vec())));
        agent.answer(&heard, &asked, SCHEMA, 0, Counted::default()).unwrap_err().usage
    };
    let failed = |message: &str| format!(r#"{{"type":"turn.failed","error":{{"message":"{message}"}}}}"#);
    for message in [
        "unexpected status 401 Unauthorized: bad key",
        "exceeded retry limit, last status: 429 Too Many Requests",
        "{'error':{'code':'invalid_request_error','message':'no such model'}}",
        "You've hit your usage limit. Try again later.",
        "Missing environment variable: `OPENAI_API_KEY`",
        "unexpected status 503 Service Unavailable: busy, url: http://127.0.0.1:20502/v1/responses",
        "unexpected status 529 <unknown status code>: busy, url: http://127.0.0.1:1/v1/responses",
        "We’re currently experiencing high demand, which may cause temporary errors.",
        "Selected model is at capacity. Please try a different model.",
        "rate limit exceeded: busy now",
    ] {
        let again = format!(r#"{{"type":"error","message":"Reconnecting... 1/5 ({message})"}}"#);
        assert_eq!(
            usage(&[BEGUN, REMARK, &again, &again, &failed(message)], false),
            AgentError::UNBILLED,
            "{message}"
        );
        assert_eq!(
            usage(&[BEGUN, REMARK, AGAIN, &failed(message)], false),
            None,
            "{message}: an answer had broken off before"
        );
        assert_eq!(
            usage(&[BEGUN, FIRST, &failed(message)], false),
            None,
            "{message}: it was answered before"
        );
    }
    let cut = "stream disconnected before completion";
    assert_eq!(usage(&[BEGUN, &failed(cut)], false), None, "it may have been billed");
    for message in [
        "stream disconnected before completion: error sending request for url (https://x.invalid/v1/responses)",
        "Connection failed: error sending request",
        "error trying to connect: dns error: failed to lookup address information",
        "Connection refused (os error 111)",
    ] {
        assert_eq!(usage(&[BEGUN, &failed(message)], false), AgentError::UNBILLED, "{message}");
        assert_eq!(
            usage(&[BEGUN, FIRST, &failed(message)], false),
            None,
            "{message}: it was answered before"
        );
        let cut = format!(r#"{{"type":"error","message":"Reconnecting... 1/5 ({cut})"}}"#);
        assert_eq!(
            usage(&[BEGUN, &cut, &failed(message)], false),
            None,
            "{message}: a request was out before"
        );
    }
    let other = BEGUN.replace("th-1", "th-2");
    let elsewhere = usage(&[&other, LAST, &done(1_000, 0, 10)], true).unwrap();
    assert_eq!((elsewhere.uncached, elsewhere.output), (1_000, 10), "a new thread's counts are its own");
    assert!(elsewhere.cost > Usd(0));
}

/// A turn with what its notes say, as the agent that watched it takes it in.
fn watched(folder: &Path, lines: &[&str], counted: Counted) -> Result<Option<Outcome>, AgentError> {
    kept(folder, 1, false, lines);
    let asked = DispatchRecord::read(folder).unwrap();
    let mut heard = Heard::default();
    lines.iter().for_each(|line| heard.take(StreamLine::Whole(line.as_bytes().to_vec())));
    agent(folder).answer(&heard, &asked, SCHEMA, 0, counted)
}

#[test]
fn what_was_answered_before_a_refusal_is_what_a_failed_turn_cost() {
    let folder = tempfile::tempdir().unwrap();
    let usage = Usage { uncached: 900, output: 30, cost: Usd(77), ..Usage::default() };
    let counted = Counted { usage: Some(usage), ..Counted::default() };
    let failed = |message: &str| format!(r#"{{"type":"turn.failed","error":{{"message":"{message}"}}}}"#);
    let cost = |lines: &[&str]| watched(folder.path(), lines, counted).unwrap_err().usage;
    let busy = failed("unexpected status 503 Service Unavailable: busy");
    assert_eq!(cost(&[BEGUN, FIRST, &busy]), Some(usage));
    assert_eq!(cost(&[BEGUN, FIRST, AGAIN, &busy]), None, "an answer broke off, which is in no count");
    assert_eq!(cost(&[BEGUN, FIRST, &failed("stream disconnected before completion")]), None);
    assert_eq!(cost(&[BEGUN, FIRST, &failed("unexpected status 504 Gateway Timeout")]), None, "it may go on");
}

#[test]
fn searches_and_answers_that_broke_off_are_counted_beside_what_codex_counts() {
    let folder = tempfile::tempdir().unwrap();
    let search = r#"{"type":"item.completed","item":{"id":"i","type":"web_search","query":"x"}}"#;
    let mut heard = Heard::default();
    for line in [BEGUN, search, AGAIN, search, AGAIN] {
        heard.take(StreamLine::Whole(line.as_bytes().to_vec()));
    }
    assert_eq!((heard.searches, heard.cuts, heard.cut), (2, 2, true));
    let plain = watched(folder.path(), &[BEGUN, LAST, &done(1_000, 0, 10)], Counted::default());
    let plain = plain.unwrap().unwrap();
    let (searches, broken) = (Usd(20_000), Usd(300_000));
    let counted = Counted { searches, broken, ..Counted::default() };
    let more = watched(folder.path(), &[BEGUN, LAST, &done(1_000, 0, 10)], counted).unwrap().unwrap();
    assert_eq!(more.usage.cost, plain.usage.cost + searches + broken);
    assert_eq!((plain.unknown, more.unknown), (Usd(0), broken), "only that is not known");
}

#[test]
fn an_answer_given_without_what_the_thread_held_does_not_count() {
    let summary = format!(
        "{{\"timestamp\":\"t\",\"ordinal\":2,\"type\":\"compacted\",\"payload\":{{\"message\":\"{}\"}}}}\n",
        "long ".repeat(40_000)
    );
    let count = |total: u64, input: u64| {
        format!(
            "{{\"type\":\"token_usage_record\",\"payload\":{{\"usage\":{{\"input_tokens\":{input},\"output_tokens\":20}},\
             \"thread_token_usage\":{{\"input_tokens\":{total},\"output_tokens\":30}}}}}}\n"
        )
    };
    // What the turn adds to the notes; whether it is a resumed one, and whether it writes; what becomes of it.
    for (notes, resume, writes, taken, goes_on) in [
        (count(14_000, 9_500), true, false, true, true),
        (count(14_000, 8_000), true, false, false, false),
        (count(14_000, 8_000), true, true, false, false),
        (count(14_000, 8_000), false, false, true, true),
        (format!("{}{summary}{}", count(14_000, 9_500), count(15_000, 900)), true, false, false, false),
        (format!("{}{summary}{}", count(14_000, 9_500), count(15_000, 900)), true, true, true, false),
        (format!("{}{summary}{}", count(14_000, 9_500), count(15_000, 900)), false, false, false, false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let day = folder.path().join("sessions/2026/11/17");
        std::fs::create_dir_all(&day).unwrap();
        let file = day.join("rollout-2026-11-17T07-28-37-th-1.jsonl");
        std::fs::write(&file, count(5_000, 9_000)).unwrap();
        let environment = Environment([("CODEX_HOME".into(), folder.path().into())].into());
        let agent = agent(folder.path());
        let thread = agent.sessions.folder(&SessionId::new("th-1"));
        let mut before = Rollout::find(&environment, "th-1");
        before.news();
        ConversationRecord::keep(&thread, before.least_next(), before.file()).unwrap();
        let mut rollout = Rollout::find(&environment, "th-1").onwards();
        std::fs::write(&file, format!("{}{notes}", count(5_000, 9_000))).unwrap();
        rollout.news();
        kept(folder.path(), 2, resume, &[]);
        let asked = DispatchRecord { writes, ..DispatchRecord::read(folder.path()).unwrap() };
        let answer = Outcome { session: Some(SessionId::new("th-1")), ..Outcome::default() };
        let end = agent.remembered(answer, &asked, &rollout);
        let told = format!("{resume} {writes} {} characters: {end:?}", notes.len());
        assert_eq!(end.is_ok(), taken, "{told}");
        if let Err(error) = &end {
            assert_eq!(
                (error.now, error.usage),
                (AfterFailure::FreshSession, Some(Usage::default())),
                "{told}"
            );
        }
        assert_eq!(end.is_ok_and(|answer| answer.session.is_some()), goes_on, "{told}");
    }
}
