//! Tests what it costs to have a large change reviewed again after each of its commits, by the rules of the provider's
//! cache.

use crate::models::run;
use crate::review_base::commit;
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::provider::{Charge, Provider, RecordedRequest, Reply, last_user_text};
use redraft_testkit::{Scratch, remembering};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Together about 66,000 characters.
const FILES: usize = 9;
const LINES: usize = 150;

/// The text of one file, with one line that differs in each round.
fn source(file: usize, round: usize) -> String {
    let line = |at: usize| match at {
        70 => format!("total_{file} = add(total_{file}, step_of_round_{round})\n"),
        at => format!("value_{file}_{at} = measure(input_{at}, scale_{file}) # kept\n"),
    };
    (0..LINES).map(line).collect()
}

fn committed(scratch: &Scratch, round: usize) {
    for file in 0..FILES {
        scratch.write(&format!("src/part_{file}.py"), &source(file, if file == 0 { round } else { 1 }));
    }
    commit(scratch, "round.txt", &format!("{round}\n"), &format!("round {round}"));
}

/// Rejects with one finding in the first two rounds, answers what is open, and approves the third.
fn reviewer(round: Arc<AtomicUsize>) -> impl FnMut(&RecordedRequest, usize) -> Reply + Send {
    move |request, _| {
        let round = round.load(Ordering::Relaxed);
        let last = last_user_text(request);
        let ids = last.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(id, _)| id);
        let is_id = |id: &&str| {
            id.len() == 2
                && id.starts_with(|c: char| c.is_ascii_uppercase())
                && id.ends_with(|c: char| c.is_ascii_digit())
        };
        let answers: Vec<_> = ids
            .filter(is_id)
            .map(|id| json!({"id": id, "status": "fixed", "note": "another line stands there"}))
            .collect();
        let issue = json!({"severity": "blocker", "category": "correctness", "claim": "present",
            "file": "src/part_0.py", "line": 71, "section": "", "quote": format!("step_of_round_{round}"),
            "description": format!("the step of round {round} is wrong"), "suggestion": "", "same_as": ""});
        let issues = if round < 3 { vec![issue] } else { Vec::new() };
        Reply::Json(json!({"approved": issues.is_empty(), "summary": "read", "answers": answers,
            "issues": issues, "checks": [], "verified": [], "files_read": []}))
    }
}

struct Reviewed {
    /// How each dispatch was sent.
    strategies: Vec<(String, String)>,
    bills: Vec<Charge>,
}

/// Three rounds of `redraft review --base main`.
fn reviewed(agent: &str, more: &[&str]) -> Reviewed {
    let round = Arc::new(AtomicUsize::new(0));
    let provider = Provider::start(remembering(reviewer(Arc::clone(&round))));
    let scratch = Scratch::repository(PROGRAM);
    let agent = agent.replace("URL", &provider.base_url());
    scratch.configure(&format!("[agents.model]\n{agent}\n[roles]\ndefault = \"model\"\n"));
    for file in 0..3 {
        scratch.write(&format!("src/part_{file}.py"), "# to be written\n");
    }
    commit(&scratch, "README.md", "parts\n", "begin");
    scratch.git(["switch", "--quiet", "-c", "topic"]);
    for now in 1..=3 {
        round.store(now, Ordering::Relaxed);
        committed(&scratch, now);
        let words = ["review", "--base", "main", "--yes", "--budget", "50"];
        let words: Vec<&str> = words.iter().chain(more).copied().collect();
        let ran = run(&scratch, &words);
        assert_eq!(
            ran.code,
            Some(if now < 3 { 1 } else { 0 }),
            "round {now}: {}\n{}",
            ran.stdout,
            ran.stderr
        );
    }
    let events = events(&scratch);
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let strategies =
        bodies(&events, "started").map(|body| (word(&body["ticket"]), word(&body["choice"]["strategy"])));
    Reviewed { strategies: strategies.collect(), bills: provider.bills() }
}

/// All tokens, expressed in tokens of plain input.
fn effective(bills: &[Charge]) -> u64 {
    let one =
        |bill: &Charge| bill.uncached * 100 + bill.written_5m * 125 + bill.written_1h * 200 + bill.read * 10;
    bills.iter().map(one).sum::<u64>() / 100
}

#[test]
fn a_change_that_is_reviewed_again_is_read_from_the_cache_and_not_sent_anew() {
    const ANTHROPIC: &str = "kind = \"anthropic\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"URL\"\nkey_env = \"TEST_MODEL_KEY\"";
    let Reviewed { strategies, bills } = reviewed(ANTHROPIC, &["--policy", "cost"]);
    let sum = effective(&bills);
    assert_eq!(bills.len(), 9, "{strategies:#?}");
    let first: u64 = bills[..3].iter().map(|bill| effective(&[*bill])).sum();
    for ((ticket, strategy), bill) in strategies.iter().zip(&bills).skip(3) {
        assert_eq!(strategy, "resume", "{ticket}: {strategies:#?}\n{bills:#?}");
        let all = bill.uncached + bill.written_5m + bill.written_1h + bill.read;
        assert!(bill.read * 100 >= all * 85, "{ticket}: {bill:?}");
    }
    // Two rounds that are read from the cache cost less than half of the one that wrote it.
    assert!((sum - first) * 2 < first, "{first} of {sum}: {bills:#?}");
}
