//! A program that goes on and on, and what it may cost.

use crate::claude;
use crate::codex;
use crate::world::World;
use redraft_adapters::clock::SystemClock;
use redraft_cost::price::{Card, Cards};
use redraft_engine::ports::{Agent, Clock, RunHandle};
use redraft_facts::choice::Lifetime;
use redraft_facts::event::AfterFailure;
use redraft_facts::usage::{Usage, Usd};
use redraft_testkit::provider::{Charge, Provider, RecordedRequest, Reply};
use serde_json::json;
use std::sync::Mutex;
use std::time::Duration;

/// A run with this much money, and the last sum it granted or was told of.
pub(crate) struct Purse {
    clock: SystemClock,
    pub(crate) has: Usd,
    pub(crate) granted: Mutex<Usd>,
}

impl Purse {
    pub(crate) fn new(has: Usd) -> Purse {
        Purse { clock: SystemClock::new(std::sync::Arc::default()), has, granted: Mutex::default() }
    }
}

impl RunHandle for Purse {
    fn stopped(&self) -> bool {
        Clock::stopped(&self.clock)
    }

    fn wait_ms(&self, ms: u64) -> bool {
        Clock::wait_ms(&self.clock, ms)
    }

    fn now_ms(&self) -> i64 {
        Clock::now_ms(&self.clock)
    }

    fn moment(&self) -> redraft_engine::ports::Moment {
        Clock::moment(&self.clock)
    }

    fn tell(&self, _doing: &str) {}

    fn afford(&self, total: Usd) -> bool {
        let fits = total <= self.has;
        if fits {
            *self.granted.lock().unwrap() = total;
        }
        fits
    }

    fn owes(&self, total: Usd) {
        let mut granted = self.granted.lock().unwrap();
        *granted = total.max(*granted);
    }
}

/// What the service billed for prompts, by its own count.
fn billed(world: &World, card: &Card) -> Usd {
    let one = |Charge { uncached, written_5m, written_1h, read, .. }: Charge| {
        let written = written_5m + written_1h;
        let usage = Usage { uncached, written, read, ..Usage::default() };
        let by_lifetime = [(Lifetime::FiveMinutes, written_5m), (Lifetime::Hour, written_1h)];
        card.cost_by_lifetime(&usage, &by_lifetime, usage.input())
    };
    world.provider.bills().into_iter().map(one).fold(Usd(0), |sum, one| sum + one)
}

/// Goes on until it is cut off, once with nearly nothing to spare and once with more.
fn goes_on_until_cut(agent: &dyn Agent, world: &World, card: &Card, round: u16) -> usize {
    let request = world.request("Judge note.txt.", round);
    let reserved = agent.highest_cost(&request);
    let purse = Purse::new(reserved + Usd(reserved.0 / 2));
    let before = world.provider.requests().len();
    let error = agent.run(&request, &purse).unwrap_err();
    let AfterFailure::OverBudget(needed) = error.now else { panic!("{error:?}") };
    let (spent, granted) = (billed(world, card), *purse.granted.lock().unwrap());
    assert!(needed > purse.has && granted <= purse.has, "{needed} {granted} {}", purse.has);
    assert!(spent <= granted, "{spent} of {granted}");
    assert_eq!((error.usage, error.interrupted), (None, false), "what was granted counts");
    world.nothing_is_left();
    world.provider.requests().len() - before
}

fn note() -> String {
    "what a reader would want to know about the matter\n".repeat(300)
}

#[test]
fn claude_code_that_reads_on_and_on_is_cut_off_before_it_passes_the_budget() {
    let mut world = World::new(|_: &RecordedRequest, _: usize| Reply::Close);
    let file = world.note();
    std::fs::write(&file, note()).unwrap();
    // Another place each time, or the program would say that it has been read already. A real model takes its time: one
    // that answers at once is ahead of what the program prints, by more requests the busier the machine is.
    let read = move |_: &RecordedRequest, index: usize| {
        let input = json!({"file_path": file, "offset": 1 + index, "limit": 250});
        let of = Box::new(Reply::tool("Read", input));
        Reply::Slow { pause: Duration::from_millis(30), of }
    };
    world.provider = Provider::start(read);
    let card = Cards::builtin().find(claude::MODEL).unwrap().clone();
    let sent = goes_on_until_cut(&claude::agent(&world), &world, &card, 1);
    assert!((2..18).contains(&sent), "{sent} requests");
}

#[test]
fn codex_that_runs_on_and_on_is_cut_off_before_it_passes_the_budget() {
    let run = |_: &RecordedRequest, _: usize| Reply::tool("exec_command", json!({"cmd": "cat note.txt"}));
    let world = World::new(run);
    std::fs::write(world.note(), note()).unwrap();
    let card = Cards::builtin().conservative();
    let sent = goes_on_until_cut(&codex::agent(&world), &world, &card, 1);
    assert!(sent >= 4, "{sent} requests: what Codex notes of itself was not read");
}
