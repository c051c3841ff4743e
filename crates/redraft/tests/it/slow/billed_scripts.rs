//! Random conversations with a service that bills everything: what is recorded is what was billed, or says how much
//! more it can be, and no bill exceeds the budget.
//!
//! The engine runs in this process, so that no retry waits, and the seeds are fixed. `REDRAFT_SCRIPTS=200` plays more
//! of them and prints what happened. Start at [`Script`] for what a service does, at [`check`] for what must hold.

use super::Stopwatch;
use crate::documents::CLEAN;
use crate::side_by_side::{THREE, TWO, open_loop};
use crate::world::{PROGRAM, own_ledger};
use redraft_adapters::git::{Git, GitWorkspace, Repository};
use redraft_adapters::inbox::FileInbox;
use redraft_agents::api::{
    AnswerForm, AnthropicSettings, ApiAgent, Bounds, Key, LengthField, OpenAiSettings, OpenAiWire,
};
use redraft_core::pipeline::Pipeline;
use redraft_cost::price::{Card, Cards};
use redraft_engine::boundary::Boundaries;
use redraft_engine::ports::{Agent, Agents, Clock, Deadlines, NoChecks, NoMerging, Store};
use redraft_engine::{Finish, Progress, Rules, Run, RunPorts, Stop};
use redraft_facts::choice::{Knowledge, Lifetime, Policy};
use redraft_facts::event::{Certify, Entry, Limits};
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{AgentName, BlobId, FeatureId, Role};
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::{Usage, Usd};
use redraft_reports::projections;
use redraft_testkit::provider::{
    Charge, Provider, RecordedRequest, Reply, all_text, last_user_text, was_tool_used,
};
use redraft_testkit::{Scratch, remembering};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const SPEC: &str = "docs/features/001-export-the-monthly-report-as-csv/spec.md";
const BOUNDS: Bounds = Bounds { answer_tokens: 2_000, tool_tokens: 8_000, turns: 8 };

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Anthropic,
    Chat,
    Responses,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Anthropic, Kind::Chat, Kind::Responses];

    fn model(self) -> &'static str {
        match self {
            Kind::Anthropic => "claude-sonnet-4.5",
            Kind::Chat | Kind::Responses => "gpt-6-sol",
        }
    }

    fn card(self) -> Card {
        Cards::builtin().find(self.model()).unwrap().clone()
    }

    fn agent(self, provider: &Provider, scratch: &Scratch) -> ApiAgent {
        let (name, model) = (AgentName::new("model"), self.model().to_owned());
        let (state, card) = (scratch.state().join("agents/model"), self.card());
        let (key, redactor) = (Key::new("sk-test-0000000000000000"), Redactor::default());
        let (bounds, proxy, commands) = (BOUNDS, None, None);
        let wire = match self {
            Kind::Anthropic => {
                let base_url = provider.base_url();
                let settings = AnthropicSettings {
                    name,
                    model,
                    base_url,
                    key,
                    bounds,
                    state,
                    card,
                    redactor,
                    proxy,
                    commands,
                };
                return ApiAgent::anthropic(settings).unwrap();
            }
            Kind::Chat => OpenAiWire::Chat,
            Kind::Responses => OpenAiWire::Responses { reasoning: true },
        };
        let (key, form, length) = (Some(key), AnswerForm::JsonSchema, LengthField::MaxCompletionTokens);
        let base_url = format!("{}/v1", provider.base_url());
        let settings = OpenAiSettings {
            name,
            model,
            base_url,
            key,
            wire,
            form,
            length,
            bounds,
            state,
            card,
            redactor,
            proxy,
            commands,
        };
        ApiAgent::openai(settings).unwrap()
    }
}

/// Numbers that are the same for the same seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A service in one conversation, and what it has billed.
struct Script {
    kind: Kind,
    card: Card,
    dice: Dice,
    /// How likely something goes wrong, in percent.
    trouble: u64,
    /// Tokens for a hundred bytes, and what it puts around a prompt: a tokenizer is always the same.
    density: u64,
    around: u64,
    billed: Usd,
    met: BTreeMap<&'static str, u32>,
    /// Whether reviewers find fault sometimes.
    rejects: bool,
}

impl Script {
    fn new(kind: Kind, seed: u64, rejects: bool) -> Script {
        let mut dice = Dice(seed);
        let trouble = [0, 10, 30, 60][dice.below(4) as usize];
        let (density, around) = (15 + dice.below(28), dice.below(900));
        let (card, met) = (kind.card(), BTreeMap::new());
        Script { kind, card, dice, trouble, density, around, billed: Usd(0), met, rejects }
    }

    fn reply(&mut self, request: &RecordedRequest) -> Reply {
        let said = said(request, &mut self.dice, self.rejects);
        let (bill, output) = self.bill(request, &said);
        let whole = said.clone().billed(bill, output);
        let paid = self.price(&bill, output);
        let begun = self.price(&bill, 1);
        let status = |code: u16, kind: &str| Reply::error(code, kind, "come back later");
        let (what, cost, reply) = match self.dice.below(100) < self.trouble {
            false => ("answer", paid, whole),
            true => match self.dice.below(14) {
                0 => ("429", Usd(0), status(429, "rate_limit_error")),
                1 => (
                    "429 with a time",
                    Usd(0),
                    status(429, "rate_limit_error").with_header("retry-after", "2"),
                ),
                2 => ("503", Usd(0), status(503, "overloaded_error")),
                3 => ("529", Usd(0), status(529, "overloaded_error")),
                4 => ("500", Usd(0), status(500, "api_error")),
                5 => (
                    "200 with an error",
                    Usd(0),
                    Reply::Garbage(br#"{"error":{"message":"not now"}}"#.to_vec()),
                ),
                // A proxy in front of the service gave up; the service may have done the work.
                6 if self.dice.chance(50) => ("502, billed", paid, status(502, "")),
                6 => ("502", Usd(0), status(502, "")),
                7 if self.dice.chance(50) => ("no answer, billed", paid, Reply::Close),
                7 => ("no answer", Usd(0), Reply::Close),
                8 | 9 => {
                    let events = self.dice.below(8) as usize;
                    ("cut", paid, whole.cut_after(events))
                }
                10 => {
                    // One protocol reports what it has read before it fails; the others report nothing.
                    let cost = if self.kind == Kind::Anthropic { begun } else { Usd(0) };
                    let (kind, message) = ("overloaded_error".to_owned(), "busy".to_owned());
                    ("error in a stream", cost, Reply::ErrorInStream { kind, message }.billed(bill, 0))
                }
                11 => ("no usage", paid, Reply::Garbage(untold(self.kind, &said).into_bytes())),
                12 => {
                    let cut = Reply::Truncated("{\"approved\": false, \"summ".to_owned());
                    (
                        "too long",
                        self.price(&bill, BOUNDS.answer_tokens),
                        cut.billed(bill, BOUNDS.answer_tokens),
                    )
                }
                _ => ("prose", paid, Reply::text("It seems fine to me.").billed(bill, output)),
            },
        };
        *self.met.entry(what).or_default() += 1;
        self.billed = self.billed + cost;
        reply
    }

    /// What a request is charged for, whatever arrives of its answer. Thoughts are billed and not shown.
    fn bill(&mut self, request: &RecordedRequest, said: &Reply) -> (Charge, u64) {
        let input = (request.body.len() as u64 * self.density).div_ceil(100) + self.around;
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let read = self.dice.below(input);
        let written = self.dice.below(input - read);
        let mut bill = Charge { uncached: input - read, read, ..Charge::default() };
        let into = match self.kind {
            Kind::Anthropic if body.contains(r#""ttl":"1h""#) => Some(&mut bill.written_1h),
            Kind::Anthropic if body.contains("cache_control") => Some(&mut bill.written_5m),
            Kind::Anthropic => None,
            Kind::Chat | Kind::Responses => Some(&mut bill.written_30m),
        };
        if let Some(into) = into {
            *into = written;
            bill.uncached -= written;
        }
        let chars = match said {
            Reply::Tool { input, .. } | Reply::Json(input) => input.to_string().len() as u64,
            _ => 0,
        };
        let thought = match self.dice.below(10) {
            0..6 => 0,
            6..9 => self.dice.below(500),
            _ => BOUNDS.answer_tokens,
        };
        (bill, (chars / 4 + 1 + thought).min(BOUNDS.answer_tokens))
    }

    fn price(&self, bill: &Charge, output: u64) -> Usd {
        let Charge { uncached, written_5m, written_1h, written_30m, read } = *bill;
        let written = written_5m + written_1h + written_30m;
        let usage = Usage { uncached, written, read, output, cost: Usd(0) };
        let by_lifetime = [(Lifetime::FiveMinutes, written_5m), (Lifetime::Hour, written_1h)];
        self.card.cost_by_lifetime(&usage, &by_lifetime, usage.input())
    }
}

/// The answer of a model that plays all roles: it writes and edits the document, and reviewers approve, mostly.
fn said(request: &RecordedRequest, dice: &mut Dice, rejects: bool) -> Reply {
    let (all, last) = (all_text(request), last_user_text(request));
    let open: Vec<Value> = ["S1", "S2", "P1", "P2", "A1"]
        .into_iter()
        .filter(|id| last.contains(&format!("[{id}]")))
        .map(|id| json!({"id": id, "status": "fixed", "note": "it is another"}))
        .collect();
    if all.contains("# Write the Specification") && !was_tool_used(request, "Write") {
        let content = format!("{CLEAN}\n<!-- {} -->\n", dice.below(1_000_000));
        return Reply::tool("Write", json!({"path": SPEC, "content": content}));
    }
    if dice.chance(10) && !was_tool_used(request, "Read") {
        return Reply::tool("Read", json!({"path": SPEC}));
    }
    let issue = json!({"severity": "blocker", "category": "clarity", "claim": "absent", "file": SPEC, "line": 0,
        "section": "", "quote": "", "description": format!("nobody says what {} is", dice.below(1_000_000)),
        "suggestion": "", "same_as": ""});
    let issues = if rejects && dice.chance(25) { vec![issue] } else { Vec::new() };
    Reply::Json(json!({"approved": issues.is_empty(), "summary": "read", "answers": open, "issues": issues,
        "checks": [], "verified": [], "files_read": []}))
}

/// A whole answer of a service that does not say what it used.
fn untold(kind: Kind, said: &Reply) -> String {
    let text = if let Reply::Json(value) = said { value.to_string() } else { "It is done.".to_owned() };
    let events = match kind {
        Kind::Chat => vec![
            json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        ],
        Kind::Anthropic => vec![
            json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
            json!({"type": "message_stop"}),
        ],
        Kind::Responses => {
            let part = json!({"type": "output_text", "text": text, "annotations": []});
            let item = json!({"type": "message", "role": "assistant", "content": [part]});
            vec![
                json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
                json!({"type": "response.completed", "response": {"status": "completed"}}),
            ]
        }
    };
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

struct Still;

impl Clock for Still {
    fn now_ms(&self) -> i64 {
        1_790_000_000_000
    }

    fn moment(&self) -> redraft_engine::ports::Moment {
        redraft_engine::ports::Moment::after(std::time::Duration::ZERO)
    }

    fn wait_ms(&self, _ms: u64) -> bool {
        true
    }

    fn stopped(&self) -> bool {
        false
    }
}

struct Quiet;

impl Progress for Quiet {
    fn stored(&self, _entry: &Entry, _state: &Pipeline) {}
}

struct One(Arc<ApiAgent>);

impl Agents for One {
    fn agent_for(&self, _role: &Role) -> Result<Arc<dyn Agent>, String> {
        Ok(Arc::clone(&self.0) as Arc<dyn Agent>)
    }

    fn named(&self, _name: &AgentName) -> Result<Arc<dyn Agent>, String> {
        Ok(Arc::clone(&self.0) as Arc<dyn Agent>)
    }
}

/// A feature whose loop has one stage with this panel, or the usual stages where there is none.
fn feature(panel: &[(&str, char)]) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "Export the monthly report as CSV"]).expect(0);
    if !panel.is_empty() {
        let spec = scratch.worktree("001").join(SPEC);
        std::fs::create_dir_all(spec.parent().unwrap()).unwrap();
        std::fs::write(spec, CLEAN).unwrap();
        open_loop(&scratch, panel);
    }
    scratch
}

fn rules(budget: Usd, policy: Policy) -> Rules {
    let deadlines =
        Deadlines { connect_ms: 30_000, first_byte_ms: 30_000, idle_ms: 30_000, total_ms: 600_000 };
    Rules {
        jobs: 1,
        limits: Limits::default(),
        threshold: Threshold::Strict,
        certify: Certify::Resume,
        policy,
        knowledge: Knowledge::Full,
        config: BlobId::new(""),
        deadlines,
        budget,
        person: "tester".to_owned(),
        revises: true,
        until: None,
        profiles: Default::default(),
        project: None,
        conventions: Vec::new(),
        lint: Default::default(),
        checks: Vec::new(),
        tells_checks: true,
        extras: Vec::new(),
        asks_first: false,
        asks_after: Vec::new(),
        finish: Finish::default(),
    }
}

/// Plays one script, first with a small budget and then, where that was not enough, with more.
fn check(seed: u64) -> Result<BTreeMap<&'static str, u32>, String> {
    let mut dice = Dice(seed ^ 0x5ca1_ab1e);
    let kind = Kind::ALL[(seed % 3) as usize];
    let panel: &[(&str, char)] = [&[], &TWO[..], &THREE[..]][dice.below(3) as usize];
    let policy = [Policy::Cost, Policy::Resume, Policy::Fresh][dice.below(3) as usize];
    let scratch = feature(panel);
    let script = Arc::new(Mutex::new(Script::new(kind, seed, panel.len() < THREE.len())));
    let theirs = Arc::clone(&script);
    let answers = move |request: &RecordedRequest, _: usize| theirs.lock().unwrap().reply(request);
    let provider = Provider::start(remembering(answers));
    let agents = One(Arc::new(kind.agent(&provider, &scratch)));
    let git = Git::default()
        .with_env("GIT_CONFIG_NOSYSTEM", Some("1".into()))
        .with_env("GIT_CONFIG_GLOBAL", Some(scratch.outside().join("home/.gitconfig").into()));
    let repository = Repository::discover_with(git, &scratch.root()).unwrap();
    let branch = "feature/001-export-the-monthly-report-as-csv";
    let workspace = GitWorkspace::open(&repository, &scratch.worktree("001"), branch).unwrap();
    let ledger = own_ledger(&scratch);
    let (inbox, boundaries, redactor) =
        (FileInbox::new(&scratch.state()), Boundaries::new(0), Redactor::default());
    let mut budget = Usd(60_000 + dice.below(900_000));
    for _ in 0..3 {
        let parts = RunPorts {
            slots: &redraft_engine::ports::NoSlots,
            comments: &redraft_engine::ports::NoComments,
            check_folder: &NoChecks,
            merging: &NoMerging,
            store: &ledger,
            workspace: &workspace,
            inbox: &inbox,
            clock: &Still,
            boundaries: &boundaries,
            progress: &Quiet,
            checks: &NoChecks,
            agents: &agents,
            redactor: &redactor,
        };
        let mut run = Run::load(parts, rules(budget, policy), FeatureId(1)).unwrap();
        let stop = run.drive().unwrap();
        let money = run.state().money;
        let Script { billed, met, trouble, .. } = &*script.lock().unwrap();
        let about = format!(
            "seed {seed}: {kind:?}, {} reviewers, {policy:?}, trouble {trouble}: {stop:?}\n{met:?}\nbilled {billed} of {budget}, recorded {money:?}",
            panel.len()
        );
        let entries = ledger.read(Scope::Feature(FeatureId(1))).unwrap();
        let receipt = projections::receipt(&entries).text();
        let told = receipt.contains(&format!("at most {} unknown", money.unknown));
        for (holds, what) in [
            (*billed <= budget, "the bill passes the budget"),
            (money.counted() <= budget, "what is counted passes the budget"),
            (money.spent <= *billed, "more is called spent than was billed"),
            (*billed <= money.counted(), "more was billed than is known of"),
            (money.unknown > Usd(0) || money.spent == *billed, "all is known and something else is recorded"),
            (told == (money.unknown > Usd(0)), "the receipt does not tell what is unknown"),
        ] {
            if !holds {
                return Err(format!("{what}; {about}\n{receipt}"));
            }
        }
        if !matches!(stop, Stop::OverBudget { .. }) {
            break;
        }
        budget = budget + Usd(dice.below(600_000));
    }
    drop(provider);
    let script = Arc::try_unwrap(script).unwrap_or_else(|_| panic!("the provider is gone"));
    Ok(script.into_inner().unwrap().met)
}

#[expect(clippy::disallowed_methods, reason = "a person says how many scripts are played")]
#[test]
fn what_a_service_bills_is_what_is_recorded_and_never_more_than_the_budget() {
    let _clock = Stopwatch::start();
    let many = std::env::var("REDRAFT_SCRIPTS").ok().and_then(|count| count.parse().ok());
    let mut all: BTreeMap<&'static str, u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in 1..=many.unwrap_or(21) {
        match check(seed) {
            Ok(met) => met.into_iter().for_each(|(what, times)| *all.entry(what).or_default() += times),
            Err(why) => wrong.push(why),
        }
    }
    assert!(wrong.is_empty(), "{} scripts went wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    if many.is_some() {
        println!("{all:#?}");
    }
    // Reviewers work side by side, so which request meets what differs a little from run to run.
    let met = |kinds: &[&str]| kinds.iter().any(|kind| all.contains_key(kind));
    let refused = ["429", "429 with a time", "503", "529", "500"];
    assert!(met(&["answer"]) && met(&["cut"]) && met(&refused), "{all:?}");
}
