//! Lines as the program prints them, and what they mean.

mod failures;
mod money;

use super::rollout::Rollout;
use super::stream::Heard;
use super::totals::Totals;
use super::{CodexAgent, CodexSettings, Counted, flags, outcome};
use crate::mcp::{McpServer, McpServers};
use crate::programs::{Containment, ConversationRecord, DispatchRecord, Fingerprint};
use redraft_adapters::child::{Environment, Finished, OutputListener, ReadEnd, StreamLine};
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
        containment: Containment::Off,
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

fn request(tools: &[&str]) -> Request {
    Request {
        slot: None,
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
    let words = flags::all(&settings, &request, Path::new("/runs/1"));
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

#[test]
fn a_reviewer_has_a_check_run_by_a_server_that_is_no_part_of_what_its_conversation_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let settings = agent(folder.path()).settings.clone();
    let mut asks = request(&["Read", "Check"]);
    asks.deadlines.total_ms = 1_800_001;
    let words = flags::all(&settings, &asks, Path::new("/runs/1"));
    let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap()).collect();
    for setting in [
        r#"command="redraft""#,
        r#"args=["check","--serve","/runs/1/checks"]"#,
        r#"enabled_tools=["Check"]"#,
        r#"default_tools_approval_mode="approve""#,
        "required=true",
        "tool_timeout_sec=1801",
    ] {
        let setting = format!("mcp_servers.redraft-checks.{setting}");
        assert!(words.windows(2).any(|pair| pair == ["-c", &setting]), "{setting}: {words:?}");
    }
    let without = request(&["Read"]);
    assert_eq!(flags::fixed(&settings, &asks), flags::fixed(&settings, &without));
    assert_eq!(flags::abilities(&settings, &asks), ["read-only", "Check"]);
    assert_eq!(flags::abilities(&settings, &without), ["read-only"]);
    let words = flags::all(&settings, &without, Path::new("/runs/1"));
    assert!(!words.iter().any(|word| word.to_string_lossy().contains("redraft-checks")), "{words:?}");
    assert_eq!(CodexAgent::new(settings).missing(&["Check".to_owned()]), [""; 0]);
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

/// A turn with what its notes say, as the agent that watched it takes it in.
fn watched(folder: &Path, lines: &[&str], counted: Counted) -> Result<Option<Outcome>, AgentError> {
    kept(folder, 1, false, lines);
    let asked = DispatchRecord::read(folder).unwrap();
    let mut heard = Heard::default();
    lines.iter().for_each(|line| heard.take(StreamLine::Whole(line.as_bytes().to_vec())));
    agent(folder).answer(&heard, &asked, SCHEMA, 0, counted)
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
