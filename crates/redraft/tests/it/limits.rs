//! Tests a dispatch of many requests and a budget that none of them exceeds.

use crate::models::{ANTHROPIC, run, with_model};
use crate::world::{bodies, events};
use redraft_testkit::Scratch;
use redraft_testkit::provider::{Charge, Provider, RecordedRequest, Reply};
use serde_json::{Value, json};
use std::process::Stdio;

/// A file as long as a tool shows at once.
fn long_file(scratch: &Scratch) {
    let line = "what a reader would want to know about the matter\n";
    std::fs::write(scratch.worktree("001").join("long.md"), line.repeat(2_000)).unwrap();
    scratch.git(["-C", scratch.worktree("001").to_str().unwrap(), "add", "long.md"]);
    scratch.git(["-C", scratch.worktree("001").to_str().unwrap(), "commit", "-q", "-m", "something to read"]);
}

fn read_on() -> Reply {
    Reply::tool("Read", json!({"path": "long.md"}))
}

/// What all dispatches cost by the ledger, in millionths of a dollar.
pub(crate) fn spent(events: &[Value]) -> u64 {
    let of = |kind: &str, at: &str| {
        bodies(events, kind).map(|body| body.pointer(at).and_then(Value::as_u64).unwrap()).sum::<u64>()
    };
    of("answered", "/usage/cost") + of("failed", "/usage/cost") + of("lost", "/cost")
}

/// What the service billed for prompts, by its own count and the prices of the model; answers are a few words here.
fn billed(provider: &Provider) -> u64 {
    let one = |Charge { uncached, written_5m, written_1h, read, .. }: &Charge| {
        (uncached * 300 + written_5m * 375 + written_1h * 600 + read * 30).div_ceil(100)
    };
    provider.bills().iter().map(one).sum()
}

fn reading() -> (Scratch, Provider) {
    let (scratch, provider) = with_model(ANTHROPIC, |_: &RecordedRequest, _: usize| read_on());
    long_file(&scratch);
    (scratch, provider)
}

#[test]
fn a_dispatch_that_reads_on_and_on_is_cut_off_before_the_request_that_could_pass_the_budget() {
    let (scratch, provider) = reading();
    for budget in [2.0, 2.2] {
        let before = provider.requests().len();
        let ran = run(&scratch, &["run", "001", "--yes", "--budget", &budget.to_string()]);
        assert_eq!(ran.code, Some(5), "{}\n{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("may cost up to $"), "{}", ran.stderr);
        let limit = (budget * 1e6) as u64;
        let (by_us, by_them) = (spent(&events(&scratch)), billed(&provider));
        assert!(
            by_them <= by_us && by_us <= limit && by_us < by_them + 20_000,
            "{by_us} {by_them} of {limit}"
        );
        let sent = provider.requests().len();
        assert!(before > 0 || sent > 3, "{sent} requests");
        // The rest was not enough for what the first attempt is known to need, so nothing was begun again.
        assert!(before == 0 || sent == before, "{sent} requests, {before} before");
        let again = run(&scratch, &["run", "001", "--yes"]);
        assert_eq!((again.code, provider.requests().len()), (Some(5), sent), "{}", again.stderr);
    }
    let events = events(&scratch);
    assert!(bodies(&events, "raised").count() > 1);
    let failed: Vec<&Value> = bodies(&events, "failed").collect();
    let [failed] = failed.as_slice() else { panic!("{failed:?}") };
    let needed = failed["now"]["over_budget"].as_u64().unwrap();
    assert!(needed > 2_000_000, "{failed}");
    let status = scratch.run(["status", "001"]).expect(0);
    let (_, next) = status.stdout.split_once("--budget ").unwrap();
    let suggested: f64 = next.split_whitespace().next().unwrap().parse().unwrap();
    assert!(suggested * 1e6 >= (spent(&events) + needed) as f64, "{suggested} {needed}");
    let (sent, limit) = (provider.requests().len(), (suggested * 1e6) as u64);
    let ran = run(&scratch, &["run", "001", "--yes", "--budget", &suggested.to_string()]);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    assert!(provider.requests().len() > sent, "with that it went on");
    assert!(billed(&provider) <= limit && spent(&self::events(&scratch)) <= limit);
}

#[test]
fn what_a_killed_dispatch_had_reserved_in_the_end_counts_as_spent() {
    const REQUESTS: usize = 8;
    let model = |_: &RecordedRequest, index: usize| if index < REQUESTS { read_on() } else { Reply::Stall };
    let (scratch, provider) = with_model(ANTHROPIC, model);
    long_file(&scratch);
    let mut command = scratch.redraft(["run", "001", "--yes", "--budget", "4"]);
    command.env("TEST_MODEL_KEY", "sk-ant-test-0000000000000000");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    provider.wait_for_requests(REQUESTS + 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = events(&scratch);
    let reserved = bodies(&before, "started").next().unwrap()["reserved"].as_u64().unwrap();
    let raised = bodies(&before, "raised").last().unwrap()["reserved"].as_u64().unwrap();
    assert!(raised > reserved, "{raised} {reserved}");
    run(&scratch, &["run", "001", "--yes", "--budget", &(raised as f64 / 1e6).to_string()]);
    let after = events(&scratch);
    let lost: Vec<u64> = bodies(&after, "lost").map(|body| body["cost"].as_u64().unwrap()).collect();
    assert_eq!(lost, [raised]);
    assert!(bodies(&after, "started").count() == 1, "nothing is left of the budget");
    let shown = scratch.run(["cost", "001", "--json"]).expect(0);
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["sum"]["reserved_for_unknown_micro_usd"], raised, "{shown}");
}
