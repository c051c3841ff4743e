//! The server dies at every boundary of a host's round, and the host goes on with another one.

use super::Stopwatch;
use crate::hosts::{begun, rehearsed, stored};
use crate::plays::SWITCH;
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;

/// A draft, a review and what lies between: the server is killed up to this boundary.
const BOUNDARIES_MAX: u32 = 60;
const BOUNDARIES_MIN: u32 = 8;

/// Works until a review has been submitted; whenever the server dies, another takes its place.
fn worked(scratch: &Scratch, boundary: u32) -> (u32, String) {
    let mut deaths = 0;
    let mut host = scratch.host(&[], &[(SWITCH, boundary.to_string())]);
    let mut reviewed = false;
    for _ in 0..40 {
        let Some((told, is_error)) = host.try_call("next", json!({})) else {
            (host, deaths) = (scratch.host(&[], &[]), deaths + 1);
            continue;
        };
        assert!(!is_error, "{told}");
        assert_eq!(told["state"], "work", "{told}");
        if reviewed {
            return (deaths, told["ticket"].as_str().unwrap().to_owned());
        }
        let text = rehearsed(scratch, &told);
        let ticket = told["ticket"].as_str().unwrap().to_owned();
        let args = json!({ "ticket": ticket, "text": text, "conversation": ticket });
        let answer: Value = loop {
            match host.try_call("submit", args.clone()) {
                Some((answer, false)) => break answer,
                Some((answer, true)) => panic!("{answer}"),
                // It submits the same to the next one: it got no reply.
                None => (host, deaths) = (scratch.host(&[], &[]), deaths + 1),
            }
        };
        let known = answer["accepted"] == true || answer["refused"] == "repeated";
        assert!(known, "{ticket}: {answer}");
        reviewed = ticket.contains("/review/");
    }
    panic!("no review came to its end");
}

#[test]
fn a_server_that_dies_at_any_boundary_loses_no_work_and_stores_none_twice() {
    let _clock = Stopwatch::start();
    let mut passed = 0;
    for boundary in 1..BOUNDARIES_MAX {
        let scratch = begun("specify");
        let (deaths, next) = worked(&scratch, boundary);
        let count = |kind: &str| stored(&scratch, kind).len();
        assert_eq!(next, "001/specify.1/revise/spec-author/1.1", "boundary {boundary}");
        assert_eq!((count("answered"), count("drafted"), count("judged")), (2, 1, 1), "boundary {boundary}");
        assert_eq!(count("lost"), 0, "boundary {boundary}: what is out stays out");
        scratch.run(["status", "--verify"]).expect(0);
        let spec = scratch.artifacts("001").join("spec.md");
        assert!(fs::read_to_string(spec).unwrap().len() > 100);
        if deaths == 0 {
            break;
        }
        passed = boundary;
    }
    assert!((BOUNDARIES_MIN..BOUNDARIES_MAX - 1).contains(&passed), "{passed} boundaries");
}
