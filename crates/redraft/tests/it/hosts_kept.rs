//! Tests hosts that keep conversations: they are sent what is new, and everything as soon as they no longer can go on.

use crate::hosts::{IDEA, begun, rehearsed, stored};
use redraft_testkit::{Host, Scratch};
use serde_json::{Value, json};
use std::fs;

const RULES: &str = "Rules for Every Role";
const ASKS: &str = "ended with a code to keep in mind";

fn prompt(work: &Value) -> String {
    fs::read_to_string(work["prompt_file"].as_str().unwrap()).unwrap()
}

/// The code that a prompt gives.
fn code(prompt: &str) -> String {
    let (_, code) = prompt.trim_end().rsplit_once("write it nowhere now: ").unwrap();
    code.to_owned()
}

fn hand_in(host: &mut Host, work: &Value, text: &str, conversation: &str) {
    let args = json!({ "ticket": work["ticket"], "text": text, "conversation": conversation });
    assert_eq!(host.call("submit", args), json!({ "v": 1, "accepted": true }));
}

/// A first draft by the conversation `author` that the conversation `reviewer` has rejected; the code of `reviewer`.
fn rejected(scratch: &Scratch, host: &mut Host) -> String {
    let draft = host.call("next", json!({ "kept": [] }));
    assert!(prompt(&draft).contains(IDEA) && draft.get("conversation").is_none(), "{draft}");
    code(&prompt(&draft));
    let text = rehearsed(scratch, &draft);
    hand_in(host, &draft, &text, "author");
    let review = host.call("next", json!({ "kept": ["author"] }));
    assert_eq!((&review["role"], review.get("conversation")), (&json!("spec-reviewer"), None));
    let text = rehearsed(scratch, &review);
    hand_in(host, &review, &text, "reviewer");
    code(&prompt(&review))
}

#[test]
fn a_host_that_keeps_conversations_is_sent_what_is_new_and_everything_once_it_cannot_go_on() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let told = rejected(&scratch, &mut host);

    let revise = host.call("next", json!({ "kept": ["author", "reviewer"] }));
    assert_eq!((&revise["role"], &revise["conversation"]), (&json!("spec-author"), &json!("author")));
    let new = prompt(&revise);
    assert!(new.contains(ASKS) && !new.contains(RULES) && !new.contains(&told), "{new}");
    assert_eq!(host.call("next", json!({ "kept": ["author"] })), revise, "asked again, given again");
    let refused = scratch.run(["rehearse", revise["ticket"].as_str().unwrap()]).expect(2).stderr;
    assert!(refused.contains("goes on with the conversation `author`"), "{refused}");
    let beside = host.call("next", json!({ "kept": [], "beside": [revise["ticket"]] }));
    assert_eq!(beside["state"], "wait", "it is at work on it: {beside}");

    // The host was begun anew and has only the reviewer.
    let whole = host.call("next", json!({ "kept": ["reviewer"] }));
    assert_eq!((&whole["role"], whole.get("conversation")), (&json!("spec-author"), None), "{whole}");
    assert!(prompt(&whole).contains(RULES) && prompt(&whole).len() > 2 * new.len());
    assert_eq!(stored(&scratch, "lost").len(), 1);
    let text = rehearsed(&scratch, &whole);
    hand_in(&mut host, &whole, &text, "another author");

    let again = host.call("next", json!({ "kept": ["reviewer"] }));
    assert_eq!((&again["role"], &again["conversation"]), (&json!("spec-reviewer"), &json!("reviewer")));
    assert!(prompt(&again).contains(ASKS) && !prompt(&again).contains(RULES));
    let answers: Vec<Value> = stored(&scratch, "judged")[0]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| json!({ "id": change["raised"]["id"], "status": "fixed", "note": "it is gone" }))
        .collect();
    let verified = json!([{ "claim": "code", "source": "memory", "result": told }]);
    let text = json!({
        "files_read": [], "checks": [], "verified": verified, "issues": [], "answers": answers, "summary": "mended",
        "approved": true,
    });
    hand_in(&mut host, &again, &text.to_string(), "reviewer");
    let after = host.call("next", json!({ "kept": ["reviewer"] }));
    assert_eq!(after["role"], "phase-reviewer", "{after}");
    assert!(!prompt(&after).contains("Keep this code in mind"), "it has proved that it remembers");
    assert_eq!(stored(&scratch, "failed").len(), 0);
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
    scratch.run(["status", "--verify"]).expect(0);
}

#[test]
fn a_host_that_says_nothing_of_conversations_is_given_whole_pieces_without_a_code() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    for at in 0..3 {
        let work = host.call("next", json!({}));
        assert!(!prompt(&work).contains("memo-") && prompt(&work).contains(RULES), "{work}");
        assert!(work.get("conversation").is_none(), "{work}");
        let text = rehearsed(&scratch, &work);
        hand_in(&mut host, &work, &text, ["author", "reviewer", "author"][at]);
    }
    assert!(stored(&scratch, "answered").iter().all(|one| one["session"].is_null()));
    assert!(stored(&scratch, "started").iter().all(|one| one["choice"]["strategy"] == "lazy"));
}
