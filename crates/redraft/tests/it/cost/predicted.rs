//! Predictions beside bills, and a choice in words.

use super::{IDEA, billed};
use crate::models::{ANTHROPIC, run, with_agent};
use crate::world::{entries, feature};
use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_core::pipeline::{self, Pipeline};
use redraft_engine::ports::{Append, Store};
use redraft_facts::choice::{
    Cached, CachedConversation, CachedPrefix as Kept, Lifetime, Marks, Predicted, Prediction, Strategy,
};
use redraft_facts::event::{Entry, Event, Started};
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::{Usage, Usd};
use redraft_reports::projections;
use redraft_testkit::Scratch;
use serde_json::json;
use std::fs;

/// The same ledger with other starts: events cannot be changed, so it is rewritten.
#[expect(clippy::disallowed_methods, reason = "writes a ledger that no command would write")]
pub(super) fn rewritten(scratch: &Scratch, change: impl Fn(&mut Started)) {
    let entries = entries(scratch);
    for file in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        // Not all of these files always exist.
        let _ = fs::remove_file(scratch.state().join(file));
    }
    let ledger = Ledger::open(&scratch.state(), OpenMode::Write).unwrap();
    let mut state = Pipeline::default();
    let mut decided_on = 0;
    for Entry { at_ms, mut event, .. } in entries {
        if let Event::Started(started) = &mut event {
            change(started);
        }
        pipeline::fold(&mut state, &event).unwrap();
        let row = projections::board_row(&state, at_ms);
        let scope = Scope::Feature(FeatureId(1));
        let append = Append {
            scope,
            decided_on,
            at_ms,
            events: &[event],
            blobs: &[],
            board: Some(row.as_str()),
            elsewhere: None,
        };
        decided_on = ledger.append(append).unwrap().last().unwrap().seq;
    }
}

pub(super) fn usage(uncached: u64, written: u64, read: u64, cost: u64) -> Usage {
    Usage { uncached, written, read, output: 1_500, cost: Usd(cost) }
}

pub(super) fn prediction(since_s: Option<u64>) -> Prediction {
    let kept = |tokens, left_s| Some(Kept { tokens, lifetime: Lifetime::Hour, left_s });
    let tail = Some(Kept { tokens: 9_000, lifetime: Lifetime::FiveMinutes, left_s: 300 });
    Prediction {
        card: "claude-sonnet-4.5".to_owned(),
        hit_rate: 9_000,
        since_s,
        marks: Marks { system: Some(Lifetime::Hour), stable: None, tail: Some(Lifetime::FiveMinutes) },
        overhead: 3_500,
        chars: [1_000, 0, 0, 0, 0],
        usage: usage(1_000, 2_000, 3_000, 40_000),
        later: Usd(10_000),
        leaves: Cached {
            system: kept(4_000, 3_600),
            stable: None,
            conversation: Some(CachedConversation {
                began: Strategy::Lazy,
                tokens: 12_000,
                tail,
                earlier: None,
            }),
        },
        alternatives: vec![
            Predicted { strategy: Strategy::Inline, usage: usage(5_000, 0, 0, 45_000), later: Usd(8_000) },
            Predicted { strategy: Strategy::Digest, usage: usage(700, 0, 0, 30_000), later: Usd(9_000) },
        ],
    }
}

#[test]
fn predictions_stand_beside_bills_and_one_choice_is_explained_in_words() {
    let (scratch, _provider) = with_agent(ANTHROPIC);
    let ran = run(&scratch, &["run", "001", "--yes", "--policy", "resume"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    rewritten(&scratch, |started| {
        let resumed = started.choice.strategy == Strategy::Resume;
        started.choice.prediction = Some(prediction(resumed.then_some(60)));
    });
    let shown = scratch.json(["cost"]);
    let sent = shown["sum"]["dispatches"].as_u64().unwrap();
    assert_eq!(shown["sum"]["predicted_micro_usd"], json!(sent * 40_000));
    let ratio = &shown["agents"][0]["predicted_to_billed"];
    let cost = billed(&scratch, "cost");
    assert_eq!(
        (&ratio["dispatches"], &ratio["billed"], &ratio["unit"]),
        (&json!(sent), &json!(cost), &json!("micro_usd"))
    );
    let percent = (sent * 40_000 * 100 + cost / 2) / cost;
    assert_eq!(ratio["percent"], json!(percent));
    let text = scratch.run(["cost", "--all"]).expect(0).stdout;
    for words in [
        "~$0.0400",
        "predicted alternatives: estimates",
        &format!(
            "model: over {sent} dispatches, its predictions add up to {} % of its bills",
            redraft_facts::usage::grouped(percent)
        ),
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    assert!(!text.contains("not predicted"), "{text}");

    let ticket = "001/specify.1/review/spec-reviewer/2.1";
    let told = scratch.run(["cost", "--why", ticket]).expect(0).stdout;
    for words in [
        &format!("{ticket} was sent to model as resume: the same conversation, with only what changed"),
        "Why (policy resume): policy resume",
        "the prices of card claude-sonnet-4.5",
        "the last request of spec-reviewer began 1 min earlier",
        "left in the cache: 4,000 tokens of tools and system text for another 59 min, 9,000 tokens of the conversation \
         for another 4 min (the conversation had 12,000 tokens)",
        "90 % of this agent's prompts that could be in the cache were found there",
        "asked to be kept in the cache: tools and system text for 1h, the rest for 5m",
        "resume: ~$0.0400 now (1,000 tokens uncached, 2,000 written, 3,000 read, 1,500 out), then ~$0.0100 in the rounds \
         expected after it, chosen",
        "inline: ~$0.0450 now (5,000 tokens uncached, 0 written, 0 read, 1,500 out), then ~$0.0080 in the rounds \
         expected after it, ~$0.0030 more in total",
        "digest: ~$0.0300 now (700 tokens uncached, 0 written, 0 read, 1,500 out), then ~$0.0090 in the rounds \
         expected after it, ~$0.0110 less in total, but not chosen by this policy",
        "What came of it: approved; billed $",
        " % of the bill",
    ] {
        assert!(told.contains(words), "{words} in\n{told}");
    }
    let object = scratch.json(["cost", "--why", ticket]);
    assert_eq!(
        (&object["v"], &object["policy"], &object["dispatch"]["ticket"]),
        (&json!(1), &json!("resume"), &json!(ticket))
    );
    assert_eq!(object["cache"]["conversation"]["tail"]["left_s"], json!(240));
    let first = scratch.run(["cost", "--why", "001/specify.1/review/spec-reviewer/1.1"]).expect(0).stdout;
    assert!(
        first.contains("no earlier request of spec-reviewer in this loop left anything in the cache"),
        "{first}"
    );

    let svg = fs::read_to_string({
        scratch.run(["cost", "--svg", "cost.svg"]).expect(0);
        scratch.root().join("cost.svg")
    });
    let svg = svg.unwrap();
    assert!(svg.contains("predicted ~$0.0400, inline ~$0.0450, digest ~$0.0300"), "{svg}");
}

#[test]
fn why_names_what_was_sent_when_the_ticket_was_not() {
    let scratch = feature(IDEA);
    let ticket = "001/specify.1/review/spec-reviewer/9.9";
    let ran = scratch.run(["cost", "--why", ticket]).expect(2);
    assert!(ran.stderr.contains("nothing has been sent yet: redraft run 001"), "{}", ran.stderr);
    scratch.run(["run"]).expect(0);
    let ran = scratch.run(["cost", "--why", ticket]).expect(2);
    assert!(ran.stderr.contains("sent so far: 001/specify.1/draft/spec-author/1.1 "), "{}", ran.stderr);
    scratch.run(["cost", "--why", "nonsense"]).expect(2);
    scratch.run(["cost", "--why", "009/specify.1/review/spec-reviewer/1.1"]).expect(2);
    let told = scratch.run(["cost", "--why", "001/specify.1/review/spec-reviewer/1.1"]).expect(0).stdout;
    assert!(told.contains("What came of it: rejected; billed $0.0000 for "), "{told}");
}
