//! Random dispatches with a service that bills everything: what was answered, what broke off half way, web searches and
//! the requests they are. Whatever happens, no more is billed than the budget has, and no more than is counted; where
//! nothing broke off and no dispatch was cut off, exactly what was billed is counted.
//!
//! Start at [`Trial`]; a failure names its seed.

use crate::budget::Purse;
use crate::claude;
use crate::claude::beside::{bill, found, is_search};
use crate::codex;
use crate::world::{World, verdict};
use redraft_agents::claude::ClaudeAgent;
use redraft_agents::codex::{CodexAgent, CodexSettings};
use redraft_cost::price::{Card, Cards};
use redraft_engine::ports::{Agent, Request};
use redraft_facts::usage::{Usage, Usd};
use redraft_testkit::provider::{Provider, RecordedRequest, Reply};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const SCRIPTS: u64 = 20;

/// Numbers that look random and are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most
    }
}

/// What the service has charged for, and how often each kind of thing happened.
#[derive(Default)]
struct Charged {
    usage: Usage,
    searches: u64,
    happened: BTreeMap<&'static str, u32>,
}

impl Charged {
    fn charge(&mut self, uncached: u64, output: u64) {
        self.usage += Usage { uncached, output, ..Usage::default() };
    }

    fn note(&mut self, what: &'static str) {
        *self.happened.entry(what).or_default() += 1;
    }

    fn cost(&self, card: &Card) -> Usd {
        card.cost(&self.usage, 0) + card.searches(self.searches)
    }
}

/// How a program's model reads a part of the note.
type Read = Box<dyn Fn(u64) -> Reply + Send>;

/// How a program's model asks for something.
struct Hands {
    read: fn(&World) -> Read,
    search: Option<fn() -> Reply>,
}

/// Plays a model by the dice. Every answer is charged, also one that does not arrive; a refusal is not.
fn script(
    seed: u64,
    read: Read,
    search: Option<fn() -> Reply>,
    charged: Arc<Mutex<Charged>>,
) -> impl FnMut(&RecordedRequest, usize) -> Reply + Send + 'static {
    let mut dice = Dice(seed);
    let mut steps = 1 + dice.below(6);
    move |request: &RecordedRequest, index: usize| {
        let mut charged = charged.lock().unwrap();
        let tokens = request.body.len() as u64 / 4;
        if is_search(request) {
            let (uncached, output, searches) =
                (1_000 + dice.below(15_000), 1 + dice.below(2_000), 1 + dice.below(8));
            charged.charge(uncached, output);
            charged.searches += searches;
            charged.note("search");
            return found(uncached, output, searches);
        }
        // Mostly short answers, some as long as they may become.
        let output = if dice.below(4) == 0 { 1 + dice.below(16_000) } else { 1 + dice.below(600) };
        let what = match dice.below(12) {
            0 => {
                charged.note("refused");
                let (code, kind) =
                    [(429, "rate_limit_error"), (503, "server_error"), (529, "overloaded_error")]
                        [dice.below(3) as usize];
                return Reply::error(code, kind, "busy");
            }
            1 if index > 0 => {
                // It had said a little of a longer answer when the connection broke.
                charged.charge(tokens, output);
                charged.note("cut");
                return read(index as u64).billed(bill(tokens), output).cut_after(2);
            }
            2 | 3 if search.is_some() && steps > 0 => search.unwrap()(),
            _ if steps > 0 => read(index as u64),
            _ => Reply::Json(verdict()),
        };
        steps = steps.saturating_sub(1);
        charged.charge(tokens, output);
        charged.note("answered");
        what.billed(bill(tokens), output)
    }
}

/// Plays all scripts and reports how often each thing happened.
fn trial(
    first_seed: u64,
    card: &Card,
    hands: &Hands,
    agent: impl Fn(&World) -> Box<dyn Agent>,
) -> BTreeMap<&'static str, u32> {
    let mut happened: BTreeMap<&'static str, u32> = BTreeMap::new();
    for seed in first_seed..first_seed + SCRIPTS {
        let mut world = World::new(|_: &RecordedRequest, _: usize| Reply::Close);
        std::fs::write(world.note(), "what a reader would want to know about the matter\n".repeat(300))
            .unwrap();
        let charged: Arc<Mutex<Charged>> = Arc::default();
        let read = (hands.read)(&world);
        world.provider = Provider::start(script(seed, read, hands.search, Arc::clone(&charged)));
        let agent = agent(&world);
        let mut tools = vec!["Read".to_owned()];
        tools.extend(hands.search.map(|_| "WebSearch".to_owned()));
        let request = Request { tools, ..world.request("Judge note.txt.", 1) };
        let reserved = agent.highest_cost(&request);
        let purse = Purse::new(reserved + Usd(reserved.0 * Dice(seed).below(30) / 10));
        let request = Request { max_usd: Some(purse.has), ..request };
        let end = agent.run(&request, &purse);
        world.nothing_is_left();
        let granted = (*purse.granted.lock().unwrap()).max(reserved);
        let (recorded, unknown) = match &end {
            Ok(outcome) => (outcome.usage.cost, outcome.unknown > Usd(0)),
            Err(error) => (error.usage.map_or(granted, |usage| usage.cost), error.usage.is_none()),
        };
        let charged = charged.lock().unwrap();
        let (billed, budget) = (charged.cost(card), purse.has);
        let told = format!(
            "seed {seed}: billed {billed}, recorded {recorded}, budget {budget}, {:?}, {end:?}",
            charged.happened
        );
        assert!(billed <= budget, "{told}");
        assert!(billed <= recorded, "{told}");
        let broken = charged.happened.contains_key("cut");
        assert!(unknown || broken || billed == recorded, "{told}");
        for (what, count) in &charged.happened {
            *happened.entry(what).or_default() += count;
        }
        let how = match end {
            Ok(_) if unknown => "ended well, a part unknown",
            Ok(_) => "ended well, exact",
            Err(_) if unknown => "failed, at most",
            Err(_) => "failed, exact",
        };
        *happened.entry(how).or_default() += 1;
    }
    happened
}

/// Every kind of thing must have been tried.
#[track_caller]
fn tried(happened: &BTreeMap<&'static str, u32>, kinds: &[&str]) {
    assert!(kinds.iter().all(|kind| happened.get(kind).is_some_and(|count| *count > 0)), "{happened:?}");
    // Shown with `--nocapture`, for anyone who wants the figures.
    #[expect(clippy::print_stdout, reason = "figures of a trial")]
    {
        println!("{happened:?}");
    }
}

#[test]
fn claude_code_is_never_billed_more_than_is_counted_or_than_the_budget_has() {
    let card = Cards::builtin().find(claude::MODEL).unwrap().clone();
    let hands = Hands {
        read: |world| {
            let file = world.note();
            Box::new(move |at| {
                Reply::tool("Read", json!({"file_path": file, "offset": 1 + at, "limit": 200}))
            })
        },
        search: Some(|| Reply::tool("WebSearch", json!({"query": "the matter"}))),
    };
    let happened = trial(1_000, &card, &hands, |world| Box::new(ClaudeAgent::new(claude::settings(world))));
    tried(&happened, &["answered", "search", "cut", "refused", "ended well, exact"]);
}

#[test]
fn codex_is_never_billed_more_than_is_counted_or_than_the_budget_has() {
    let card = Cards::builtin().conservative();
    let hands = Hands {
        read: |_| Box::new(|_| Reply::tool("exec_command", json!({"cmd": "cat note.txt"}))),
        search: None,
    };
    let happened = trial(2_000, &card, &hands, |world| {
        let settings = codex::settings(world, &world.provider.base_url());
        let again = |word: &String| word.replace("stream_max_retries=0", "stream_max_retries=2");
        let extra_args = settings.extra_args.iter().map(again).collect();
        Box::new(CodexAgent::new(CodexSettings { extra_args, ..settings }))
    });
    tried(&happened, &["answered", "cut", "refused", "ended well, exact"]);
}
