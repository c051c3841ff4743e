//! What a probe's result means for the features that use the agent.

use super::{agent, doctor, meta};
use crate::world::{bodies, events, feature};
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;

const IDEA: &str = "Export the monthly report as CSV";
const FORGETS: &str = "[[rule]]\nticket = \"*/probe/prober/3.*\"\ndo = \"say\"\ntext = \"who are you?\"\n";

fn strategies(scratch: &Scratch, number: &str) -> Vec<String> {
    let of_feature = |body: &&Value| body["ticket"].as_str().unwrap().starts_with(&format!("{number}/"));
    let events = events(scratch);
    let sent = bodies(&events, "started").filter(of_feature);
    sent.map(|body| body["choice"]["strategy"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_failed_probe_turns_resuming_off_and_says_so_until_one_passes() {
    let scratch = feature(IDEA);
    scratch.scenario(FORGETS);
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!((code, agent(&report, "rehearsal")["resume"].as_str()), (1, Some("no")), "{report:#}");
    let ran = scratch.run(["run", "001", "--policy", "resume"]).expect(0);
    assert!(
        strategies(&scratch, "001").iter().all(|strategy| strategy == "lazy"),
        "{:?}",
        strategies(&scratch, "001")
    );
    let reason = meta(&scratch, "001")["r1_deferred_reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("V3: asked for the first line it had read"), "{reason}");
    let note = format!("rehearsal: conversations are not continued: {reason}");
    assert!(ran.stdout.contains(&note), "{}", ran.stdout);
    let again = scratch.run(["run", "001"]).expect(0);
    assert!(again.stdout.contains(&note), "every receipt says so: {}", again.stdout);
    let whys: Vec<Value> =
        bodies(&events(&scratch), "started").map(|body| body["choice"]["why"].clone()).collect();
    assert!(whys.iter().any(|why| *why == format!("rehearsal is not resumed: {reason}")), "{whys:?}");

    // The file is a projection: it comes back byte for byte.
    let file = scratch.artifacts("001").join(".meta.json");
    let before = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    scratch.run(["status", "--rebuild"]).expect(0);
    assert_eq!(fs::read(&file).unwrap(), before);

    scratch.scenario("");
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!((code, agent(&report, "rehearsal")["resume"].as_str()), (0, Some("yes")), "{report:#}");
    scratch.run(["new", "Show the weather on the start page"]).expect(0);
    let ran = scratch.run(["run", "002", "--policy", "resume"]).expect(0);
    assert!(strategies(&scratch, "002").contains(&"resume".to_owned()));
    assert!(meta(&scratch, "002").get("r1_deferred_reason").is_none());
    assert!(!ran.stdout.contains("not continued"), "{}", ran.stdout);
}

#[test]
fn an_agent_nobody_probed_may_resume_until_two_conversations_in_a_row_are_gone() {
    let scratch = feature(IDEA);
    scratch.scenario(
        "[[rule]]\nticket = \"*/revise/*/1.1\"\ndo = \"lose-session\"\n\
         [[rule]]\nticket = \"*/review/spec-reviewer/2.1\"\ndo = \"lose-session\"\n",
    );
    scratch.run(["run", "001", "--policy", "resume"]).expect(0);
    let all = events(&scratch);
    let met: Vec<&str> =
        bodies(&all, "agents-met").map(|body| body["agents"][0]["resume"].as_str().unwrap()).collect();
    assert_eq!(met, ["unproved", "no"]);
    let last = strategies(&scratch, "001");
    assert_eq!(last.iter().filter(|strategy| *strategy == "resume").count(), 2, "{last:?}");
    let reason = meta(&scratch, "001")["r1_deferred_reason"].as_str().unwrap().to_owned();
    assert!(
        reason.starts_with("V2: 2 conversations in a row could not be continued: no conversation"),
        "{reason}"
    );
    // It holds for every feature of the agent.
    scratch.scenario("");
    scratch.run(["new", "Show the weather on the start page"]).expect(0);
    scratch.run(["run", "002", "--policy", "resume"]).expect(0);
    assert!(strategies(&scratch, "002").iter().all(|strategy| strategy == "lazy"));
    assert_eq!(meta(&scratch, "002")["r1_deferred_reason"], reason.as_str());
    // A probe that passes lifts it.
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!((code, agent(&report, "rehearsal")["resume"].as_str()), (0, Some("yes")), "{report:#}");
}
