//! A service that bills exactly what each dispatch has reserved, and a budget of three of them.

use crate::limits::spent;
use crate::models::{ANTHROPIC, KEY, model, run, with_model};
use crate::world::{bodies, events};
use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_engine::ports::Store;
use redraft_facts::event::Event;
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_testkit::Scratch;
use redraft_testkit::provider::{Charge, Provider, RecordedRequest, Reply, Script};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, OnceLock};

/// The cost of a request that calls a tool: a token in and ten out. A call that claims to have none would not be
/// believed.
const TOOL_MICRO_USD: u64 = 153;

/// Plays the roles; the last request of each dispatch costs all that is left of what the ledger says was reserved for
/// it. The request of this number is answered only after a release.
fn billing(state: Arc<OnceLock<PathBuf>>, held: Option<usize>) -> impl Script {
    let (mut dispatch, mut billed) = (String::new(), 0);
    move |request: &RecordedRequest, index: usize| {
        let (ticket, reserved) = under_way(state.get().unwrap());
        if dispatch != ticket {
            (dispatch, billed) = (ticket, 0);
        }
        let reply = model(request, index);
        let cost = if matches!(reply, Reply::Tool { .. }) { TOOL_MICRO_USD } else { reserved - billed };
        billed += cost;
        let (bill, output) = costing(cost);
        let reply = reply.billed(bill, output);
        if held == Some(index) { reply.held() } else { reply }
    }
}

/// The dispatch that was begun last and what was reserved for it.
fn under_way(state: &Path) -> (String, u64) {
    let ledger = Ledger::open(state, OpenMode::ReadOnly).unwrap();
    let entries = ledger.read(Scope::Feature(FeatureId(1))).unwrap();
    let started = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Started(started) => Some((started.ticket.to_string(), started.reserved.0)),
        _ => None,
    });
    started.unwrap()
}

/// A bill of this much at 3 dollars a million in and 15 out. Nearly all of it is the answer, which a service counts when
/// it is finished.
fn costing(micro_usd: u64) -> (Charge, u64) {
    assert!(micro_usd.is_multiple_of(3) && micro_usd >= TOOL_MICRO_USD, "{micro_usd}");
    let uncached = (micro_usd / 3 - 1) % 5 + 1;
    (Charge { uncached, ..Charge::default() }, (micro_usd / 3 - uncached) / 5)
}

fn with_billing(held: Option<usize>) -> (Scratch, Provider) {
    let state = Arc::new(OnceLock::new());
    let (scratch, provider) = with_model(ANTHROPIC, billing(Arc::clone(&state), held));
    state.set(scratch.state()).unwrap();
    (scratch, provider)
}

fn with_budget(micro_usd: u64) -> [String; 7] {
    let budget = format!("{}.{:06}", micro_usd / 1_000_000, micro_usd % 1_000_000);
    ["run", "001", "--yes", "--policy", "fresh", "--budget", &budget].map(str::to_owned)
}

fn run_with(scratch: &Scratch, micro_usd: u64) -> Option<i32> {
    let words = with_budget(micro_usd);
    run(scratch, &words.each_ref().map(String::as_str)).code
}

fn reserved(scratch: &Scratch) -> Vec<u64> {
    bodies(&events(scratch), "started").map(|body| body["reserved"].as_u64().unwrap()).collect()
}

/// What the first dispatches reserve, found by a loop with enough money.
fn first_four() -> [u64; 4] {
    let (scratch, _provider) = with_billing(None);
    assert_eq!(run_with(&scratch, 100_000_000), Some(0));
    let events = events(&scratch);
    let billed: Vec<u64> =
        bodies(&events, "answered").map(|body| body["usage"]["cost"].as_u64().unwrap()).collect();
    assert_eq!(billed, reserved(&scratch), "the service bills what was reserved");
    assert_eq!(bodies(&events, "raised").count(), 0, "nothing came to more than that");
    billed[..4].try_into().unwrap()
}

#[test]
fn a_budget_of_three_dispatches_stops_before_the_fourth_of_a_service_that_bills_what_was_reserved() {
    let four = first_four();
    let three: u64 = four[..3].iter().sum();
    let (scratch, provider) = with_billing(None);
    assert_eq!(run_with(&scratch, three), Some(5));
    assert_eq!(reserved(&scratch), four[..3]);
    assert_eq!(spent(&events(&scratch)), three, "to the last millionth of a dollar");
    let sent = provider.requests().len();
    assert_eq!(run_with(&scratch, three + four[3] - 1), Some(5));
    assert_eq!((reserved(&scratch).len(), provider.requests().len()), (3, sent), "a restart resets nothing");
    run_with(&scratch, three + four[3]);
    assert_eq!(reserved(&scratch)[..], four, "what fits is begun");
    let (scratch, _provider) = with_billing(None);
    assert_eq!(run_with(&scratch, three - 1), Some(5));
    assert_eq!(reserved(&scratch), four[..2], "what misses by a millionth is not");
}

#[test]
fn a_kill_at_any_request_does_not_stretch_a_budget_of_three_dispatches() {
    let three: u64 = first_four()[..3].iter().sum();
    // The author's two requests, the review, and the author's again.
    for request in 0..5 {
        let (scratch, provider) = with_billing(Some(request));
        let mut command = scratch.redraft(with_budget(three));
        command.env("TEST_MODEL_KEY", KEY).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        provider.wait_for_requests(request + 1);
        child.kill().unwrap();
        child.wait().unwrap();
        let before = reserved(&scratch);
        assert_eq!(run_with(&scratch, three), Some(5), "request {request}");
        let events = events(&scratch);
        let lost: Vec<u64> = bodies(&events, "lost").map(|body| body["cost"].as_u64().unwrap()).collect();
        assert_eq!(lost.as_slice(), &before[before.len() - 1..], "request {request}: it counts as spent");
        let reserved = reserved(&scratch);
        assert!(reserved.len() <= 3, "request {request}: {reserved:?}");
        let spent = spent(&events);
        assert_eq!(spent, reserved.iter().sum::<u64>(), "request {request}");
        assert!(spent <= three, "request {request}: {spent} of {three}");
        let sent = provider.requests().len();
        assert_eq!(run_with(&scratch, three), Some(5), "request {request}");
        assert_eq!(provider.requests().len(), sent, "request {request}: nothing more was sent");
    }
}
