//! A real, very small model behind llama.cpp's server, over both protocols it speaks. `.ci/model` starts the server,
//! sets `REDRAFT_MODEL_URL`, and runs this.
//!
//! What the model writes is unknown here and does not matter: it must become the verdict that it states, or none. The
//! server has one slot, so that only one conversation is in its cache; everything is one test, because nothing else may
//! use the server between two turns.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; the server is named from outside"
)]

use redraft_adapters::clock::SystemClock;
use redraft_agents::api::{
    AnswerForm, AnthropicSettings, ApiAgent, Bounds, Key, LengthField, OpenAiSettings, OpenAiWire,
};
use redraft_core::judge::{AnswerInHand, judge};
use redraft_cost::price::{Card, Cards};
use redraft_documents::delta::Delta;
use redraft_engine::ports::{Agent, Deadlines, Outcome, Request};
use redraft_facts::choice::{Lifetime, Marks, Strategy};
use redraft_facts::event::Judgement;
use redraft_facts::findings::{Finding, Status, Threshold, apply};
use redraft_facts::ids::{AgentName, Role, SessionId};
use redraft_facts::phase::Phase;
use redraft_facts::redact::Redactor;
use redraft_facts::text;
use redraft_prompts::prompt::{Brief, FeaturePaths, Prd, SCHEMA, build};
use redraft_roles::profile;
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;
use std::sync::Arc;

const PROGRAM: &str = env!("CARGO_BIN_EXE_redraft");
const IDEA: &str = "report export";
const FOLDER: &str = "docs/features/001-report-export";
/// How much is written in the two turns. An answer that the server held to the schema is not always in its cache when
/// it is sent back, because it is read in other tokens than it was written in; so it must be short compared with the
/// prompt.
const ANSWER_TOKENS: u64 = 64;
/// The least that can be configured.
const RUN_ANSWER_TOKENS: u64 = 256;
/// The least share of a resumed turn's prompt that must come from the cache.
const CACHED_PERCENT: u64 = 80;

/// 546 tokens, as this model counts.
const SPEC: &str = "\
# Spec: report export

## Problem Statement

Accountants copy the monthly report by hand into a spreadsheet. That takes hours, goes wrong, and leaves no trace for the auditor.

## Goals

- Accountants can download the monthly report as a CSV file.
- Every download is recorded for the auditor.

## Requirements

- **R1**: When an accountant asks for the monthly report as CSV, the system shall send a CSV file within 10 seconds.
- **R2**: When a CSV file was downloaded, the system shall record the download with user and time for the auditor.
- **R3**: If the report database does not answer within 5 seconds, the system shall show an error and record nothing.
- **R4**: While a report is being closed, the system shall refuse its export and say when it can be asked for again.
- **R5**: The CSV file shall have one line per booking, with date, account, amount and currency, separated by semicolons.
- **R6**: When somebody who is not an accountant asks for a report, the system shall refuse with status 403 and record the attempt.
- **R7**: The system shall keep the records of downloads for ten years and shall let nobody change them.
- **R8**: When a report is asked for a second time, the system shall send the same bytes as the first time.

## Acceptance Criteria

- AC1 (R1): asking for the report of March gives a CSV file after at most 10 seconds.
- AC2 (R2): after a download the auditor sees one record with user and time.
- AC3 (R3): with the report database stopped, an error is shown and the auditor sees no record.
- AC4 (R4): while March is being closed, its export is refused and the answer names a time.
- AC5 (R5): the file of March has as many lines as there are bookings, each with four fields.
- AC6 (R6): a guest who asks for March gets status 403, and the auditor sees the attempt.
- AC7 (R7): a record of a download that is ten years old can be read, and no user can change it.
- AC8 (R8): two files of March, asked for on different days, are the same byte for byte.

## Failure Cases

- The report database does not answer.

## Out of Scope

- Other formats than CSV.
";

/// The revision for the second turn, made before the first answer is known.
fn revised() -> String {
    let spec = SPEC.replace("- Other formats than CSV.", "- Other formats than CSV, and reports by mail.");
    assert_ne!(spec, SPEC);
    spec
}

#[test]
fn a_real_model_is_resumed_from_the_cache_and_only_says_what_it_wrote() {
    let url = std::env::var("REDRAFT_MODEL_URL").unwrap();
    two_turns(&OPENAI, &url);
    // Over one protocol only, because its answers cannot be made short and a token of an answer takes as long as three
    // of a prompt; and at this point, while the server still has most of its prompt in the cache.
    a_run_ends_in_order(&url);
    two_turns(&ANTHROPIC, &url);
}

/// How the server is spoken to.
struct Protocol {
    name: &'static str,
    agent: fn(&str, &Scratch) -> ApiAgent,
}

const OPENAI: Protocol = Protocol {
    name: "openai",
    agent: |url, scratch| {
        ApiAgent::openai(OpenAiSettings {
            name: AgentName::new("local"),
            model: "smollm2".to_owned(),
            base_url: format!("{url}/v1"),
            key: None,
            wire: OpenAiWire::Chat,
            form: AnswerForm::JsonSchema,
            length: LengthField::MaxTokens,
            bounds: bounds(),
            state: scratch.outside().join("state"),
            card: local(),
            redactor: Redactor::default(),
            proxy: None,
            commands: None,
        })
        .unwrap()
    },
};

const ANTHROPIC: Protocol = Protocol {
    name: "anthropic",
    agent: |url, scratch| {
        ApiAgent::anthropic(AnthropicSettings {
            name: AgentName::new("local"),
            model: "smollm2".to_owned(),
            base_url: url.to_owned(),
            key: Key::new("the server asks for none"),
            bounds: bounds(),
            state: scratch.outside().join("state"),
            card: local(),
            redactor: Redactor::default(),
            proxy: None,
            commands: None,
        })
        .unwrap()
    },
};

fn bounds() -> Bounds {
    Bounds { answer_tokens: ANSWER_TOKENS, tool_tokens: 0, turns: 3 }
}

fn local() -> Card {
    Cards::builtin().find("local").unwrap().clone()
}

/// A first review and a second one in the same conversation, both judged.
fn two_turns(protocol: &Protocol, url: &str) {
    let scratch = Scratch::repository(PROGRAM);
    let path = format!("{FOLDER}/spec.md");
    scratch.write(&path, SPEC);
    scratch.git(["add", "."]);
    scratch.git(["commit", "-q", "-m", "first revision"]);
    let agent = (protocol.agent)(url, &scratch);
    let mut known = Vec::new();
    let first = ask(&agent, &scratch, 1, None, &known);
    known = judged(protocol, &scratch, &first, 1, None, known);
    scratch.write(&path, &revised());
    // As the engine has it: without the ids of blobs.
    let diff = scratch.git(["diff", "--unified=3"]);
    let delta: String =
        diff.lines().filter(|line| !line.starts_with("index ")).map(|line| format!("{line}\n")).collect();
    let second = ask(&agent, &scratch, 2, Some(&delta), &known);
    let usage = second.usage;
    // A server that counts nothing proves nothing.
    assert!(first.usage.input() > 2_000 && usage.input() > 2_000, "{:?} {usage:?}", first.usage);
    assert!(
        usage.read * 100 >= usage.input() * CACHED_PERCENT,
        "{}: {usage:?} {:?}",
        protocol.name,
        second.notes
    );
    judged(protocol, &scratch, &second, 2, Some(&delta), known);
}

/// Sends a review as the engine would: whole the first time, as a delta in the same conversation then.
fn ask(agent: &ApiAgent, scratch: &Scratch, round: u16, delta: Option<&str>, known: &[Finding]) -> Outcome {
    let path = format!("{FOLDER}/spec.md");
    let profile = profile::find(Phase::Specify, &Role::new("spec-reviewer")).unwrap();
    let artifact = fs::read(scratch.root().join(&path)).unwrap();
    let open: Vec<&Finding> = known.iter().filter(|finding| finding.status == Status::Open).collect();
    let resume = delta.is_some();
    let mut tools: Vec<String> = profile.tools.iter().map(|tool| (*tool).to_owned()).collect();
    let missing = agent.missing(&tools);
    tools.retain(|tool| !missing.contains(tool));
    let place = FeaturePaths {
        folder: FOLDER,
        prd: Prd::None,
        absent: &[],
        artifact: &path,
        idea: IDEA,
        asked: IDEA,
    };
    let prompt = build(&Brief {
        rule: Threshold::Strict,
        strategy: if resume { Strategy::Resume } else { Strategy::Lazy },
        artifact: Some(&artifact),
        missing: &missing,
        delta,
        findings: &open,
        round,
        ..Brief::first_review(profile, place)
    });
    const AGES_MS: u64 = 900_000;
    let request = Request {
        slot: None,
        ticket: format!("001/specify.1/review/spec-reviewer/{round}.1").parse().unwrap(),
        prompt,
        marks: Marks {
            system: Some(Lifetime::Hour),
            stable: Some(Lifetime::Hour),
            tail: Some(Lifetime::FiveMinutes),
        },
        tools,
        schema: SCHEMA,
        session: SessionId::new("11111111-2222"),
        resume,
        folder: scratch.root(),
        may_write: Vec::new(),
        deadlines: Deadlines {
            connect_ms: AGES_MS,
            first_byte_ms: AGES_MS,
            idle_ms: AGES_MS,
            total_ms: AGES_MS,
        },
        shares: false,
        max_usd: None,
    };
    agent.run(&request, &SystemClock::new(Arc::default())).unwrap()
}

/// Judges an answer without a chance to repair it, and returns the findings known then.
fn judged(
    protocol: &Protocol,
    scratch: &Scratch,
    outcome: &Outcome,
    round: u16,
    delta: Option<&str>,
    mut known: Vec<Finding>,
) -> Vec<Finding> {
    let delta = delta.map(Delta::parse);
    let judged = judge(&AnswerInHand {
        ticket: &format!("001/specify.1/review/spec-reviewer/{round}.1").parse().unwrap(),
        round,
        letter: 'S',
        rule: Threshold::Strict,
        known: &known,
        settled: &[],
        delta: delta.as_ref(),
        late_left: true,
        repair_left: false,
        retry_left: false,
        answer: outcome.text.as_bytes(),
        formless: outcome.formless,
        checks: &[],
        artifact: "",
        printed: &[],
        text_of: &|path| fs::read_to_string(scratch.root().join(path)).ok(),
        redactor: &Redactor::default(),
    });
    let named = format!("{} round {round}", protocol.name);
    let judgement = serde_json::to_value(&judged.judgement).unwrap();
    says_what_was_written(&named, &judgement, &outcome.text);
    if let Judgement::NoVerdict { .. } = judged.judgement {
        assert_eq!(judged.changes, [], "{named}: an answer that is no verdict changes nothing");
    }
    // The conversation is what later turns are answered from, so it has to hold the same answer.
    assert_eq!(last_said(scratch), outcome.text, "{named}");
    apply(&mut known, &judged.changes);
    known
}

/// The model's last words in the stored conversation.
fn last_said(scratch: &Scratch) -> String {
    let stored = fs::read_to_string(scratch.outside().join("state/sessions/11111111-2222.jsonl")).unwrap();
    let mut messages = stored.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        serde_json::from_str::<Value>(line["message"].as_str()?).ok()
    });
    let last = messages.rfind(|message| message["role"] == "assistant").unwrap();
    match &last["content"] {
        Value::String(text) => text.clone(),
        blocks => {
            let texts = blocks.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
            texts.collect()
        }
    }
}

/// A judgement is an approval or a rejection only where the answer holds such a verdict, which is read here by other
/// means.
fn says_what_was_written(named: &str, judgement: &Value, answer: &str) {
    let says = |approved: bool| {
        let begins = answer.char_indices().filter(|(_, letter)| *letter == '{').map(|(at, _)| at);
        let objects = begins.filter_map(|at| {
            serde_json::Deserializer::from_str(&answer[at..]).into_iter::<Value>().next()?.ok()
        });
        objects.into_iter().any(|object| object["approved"] == approved)
    };
    match judgement.as_str() {
        Some("approved") => assert!(says(true), "{named}: approved, but not in: {answer}"),
        // An approval that leaves a finding open is a rejection.
        Some("rejected") => assert!(says(false) || says(true), "{named}: rejected, but not in: {answer}"),
        _ => {
            let why = judgement["no_verdict"]["why"].as_str().or_else(|| judgement["repair"]["why"].as_str());
            assert!(why.is_some_and(|why| !why.is_empty()), "{named}: {judgement}");
        }
    }
}

/// The whole program with the configuration that docs/agents.md shows.
fn a_run_ends_in_order(url: &str) {
    let named = OPENAI.name;
    let scratch = Scratch::repository(PROGRAM);
    scratch.write(
        "redraft.toml",
        &format!(
            "[agents.local]\nkind = \"openai\"\nbase_url = \"{url}/v1\"\nmodel = \"smollm2\"\nprice = \"local\"\nmax_tokens = {RUN_ANSWER_TOKENS}\n\
             [roles]\nspec-reviewer = \"local\"\n[limits]\nattempts = 1\nrounds = 1\n"
        ),
    );
    scratch.run(["new", "--until", "specify", IDEA]).expect(0);
    let folder = scratch.worktree("001").join(FOLDER);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("spec.md"), SPEC).unwrap();
    let ran = scratch.run(["run", "001", "--policy", "resume"]);
    assert!(matches!(ran.code, Some(0 | 4 | 5 | 6)), "{named}: {ran:?}");
    let log = scratch.json(["log"]);
    let events: Vec<&Value> = log["events"].as_array().unwrap().iter().collect();
    let bodies = |kind: &str| -> Vec<&Value> {
        events.iter().filter(|event| event["kind"] == kind).map(|event| &event["body"]).collect()
    };
    let of_model: Vec<&Value> = bodies("answered")
        .into_iter()
        .filter(|body| body["ticket"].as_str().is_some_and(|ticket| ticket.contains("/spec-reviewer/")))
        .collect();
    let ended = of_model.len() + bodies("failed").len();
    assert!(ended > 0, "{named}: nothing was sent: {ran:?}");
    for answered in of_model {
        let ticket = answered["ticket"].as_str().unwrap();
        let kept =
            fs::read_to_string(scratch.state().join("runs").join(ticket).join("outcome.json")).unwrap();
        let kept: Value = serde_json::from_str(&kept).unwrap();
        let answer = kept["outcome"]["text"].as_str().unwrap();
        assert_eq!(answered["answer"], text::hash(answer.as_bytes()).as_str(), "{named} {ticket}");
        let judged = bodies("judged").into_iter().find(|body| body["ticket"] == *ticket);
        let judged = judged.unwrap_or_else(|| panic!("{named} {ticket}: answered and not judged"));
        says_what_was_written(&format!("{named} {ticket}"), &judged["judgement"], answer);
        let tokens = |class: &str| answered["usage"][class].as_u64().unwrap();
        let input = tokens("uncached") + tokens("written") + tokens("read");
        let started = bodies("started").into_iter().find(|body| body["ticket"] == *ticket).unwrap();
        if started["choice"]["strategy"] == "resume" {
            assert!(tokens("read") * 100 >= input * CACHED_PERCENT, "{named} {ticket}: {answered}");
        }
    }
    // The next command can always be read; a feature never ends in an undefined state.
    scratch.run(["status", "001"]).expect(0);
}
