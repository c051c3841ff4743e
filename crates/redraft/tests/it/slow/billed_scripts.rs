//! Random conversations with a service that bills everything: what is recorded is what was billed, or says how much
//! more it can be, and no bill exceeds the budget.
//!
//! The engine runs in this process, so that no retry waits, and the seeds are fixed. `REDRAFT_SCRIPTS=200` plays more
//! of them and prints what happened. Start at [`Script`] for what a service does, at [`check`] for what must hold.

mod service;

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
use redraft_facts::choice::{Knowledge, Policy};
use redraft_facts::event::{Certify, Entry, Limits};
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{AgentName, BlobId, FeatureId, Role};
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::Usd;
use redraft_reports::projections;
use redraft_testkit::provider::{Provider, RecordedRequest, Reply};
use redraft_testkit::{Scratch, remembering};
use serde_json::json;
use service::{Dice, Script};
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
