//! Tests several agents at work at once, on one budget.
//!
//! No phase about a document has a stage with more than one reviewer, so the loop is opened here, in the ledger, with a
//! panel of two or three; everything after that is the real program.

use crate::documents::planted;
use crate::world::{PROGRAM, bodies, entries, events, executable, own_ledger};
use redraft_engine::ports::{Append, Store};
use redraft_facts::choice::{Knowledge, Policy};
use redraft_facts::event::{Certify, Event, Limits, LoopOpened, Panel, PanelRole};
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{FeatureId, Role};
use redraft_facts::phase::Phase;
use redraft_facts::text;
use redraft_facts::ticket::Scope;
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;
use std::process::Stdio;

const FOLDER: &str = "docs/features/001-export-the-monthly-report-as-csv";
/// Bills exactly what it reserved.
const ONE_DOLLAR: &str = "usd_per_dispatch = 1.0\n";
pub(crate) const TWO: [(&str, char); 2] = [("spec-reviewer", 'S'), ("phase-reviewer", 'P')];
/// A specification has no third reviewer, so the author stands in for one; a person writes the document.
pub(crate) const THREE: [(&str, char); 3] =
    [("spec-reviewer", 'S'), ("phase-reviewer", 'P'), ("spec-author", 'A')];

/// Two approve, and the third fails and has to be asked again, so that a fourth dispatch is pending whatever the
/// document is like.
const AT_ODDS: &str = r#"
[[rule]]
ticket = "*/review/spec-author/*"
do = "fail"
[[rule]]
ticket = "*/review/*"
do = "say"
text = '{"approved":true,"summary":"","answers":[],"issues":[],"checks":[],"verified":[],"files_read":[]}'
"#;

fn scenario(panel: &[(&str, char)], first: &str) -> String {
    let then = if panel.len() == THREE.len() { AT_ODDS } else { "" };
    format!("{ONE_DOLLAR}{first}{then}")
}

/// A feature whose document is written, with a loop whose only stage has this panel. Each role has an agent of its own.
fn opened(panel: &[(&str, char)], scenario: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "Export the monthly report as CSV"]).expect(0);
    let folder = scratch.worktree("001").join(FOLDER);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("spec.md"), planted()).unwrap();
    scratch.write("scenario.toml", scenario);
    let mut config = String::new();
    for (role, _) in panel {
        config += &format!("[agents.of-{role}]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n");
    }
    config += "[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n[roles]\n";
    for (role, _) in panel {
        config += &format!("{role} = \"of-{role}\"\n");
    }
    scratch.write("redraft.toml", &config);
    open_loop(&scratch, panel);
    scratch
}

#[expect(clippy::disallowed_methods, reason = "writes a ledger that no command would write")]
pub(crate) fn open_loop(scratch: &Scratch, panel: &[(&str, char)]) {
    let has_author = panel.iter().any(|(role, _)| *role == "spec-author");
    let seat = |(role, letter): &(&str, char)| PanelRole { role: Role::new(*role), letter: *letter };
    let opened = LoopOpened {
        phase: Phase::Specify,
        pass: 1,
        author: Role::new(if has_author { "nobody" } else { "spec-author" }),
        panels: vec![Panel { roles: panel.iter().map(seat).collect() }],
        paths: vec![format!("{FOLDER}/spec.md"), format!("{FOLDER}/prd.md")],
        gates: vec!["lint".to_owned()],
        limits: Limits::default(),
        rule: Threshold::Strict,
        certify: Certify::Resume,
        policy: Policy::Guarded,
        knowledge: Knowledge::Full,
        config: text::hash(b""),
        base: None,
        profiles: Default::default(),
        project: None,
        tasks: Vec::new(),
        extras: Default::default(),
        checks: Default::default(),
        asks_first: false,
        bundle: None,
        bank: None,
        same_hand: false,
        put_off: Vec::new(),
        conventions: None,
        asks_after: false,
    };
    let decided_on = entries(scratch).last().unwrap().seq;
    let ledger = own_ledger(scratch);
    let scope = Scope::Feature(FeatureId(1));
    let events = [Event::from(opened)];
    ledger
        .append(Append {
            scope,
            decided_on,
            at_ms: 1,
            events: &events,
            blobs: &[],
            board: None,
            elsewhere: None,
        })
        .unwrap();
}

/// Every ticket that was sent, in order.
fn started(scratch: &Scratch) -> Vec<String> {
    let events = events(scratch);
    bodies(&events, "started").map(|body| body["ticket"].as_str().unwrap().to_owned()).collect()
}

/// How many agents have been asked something, by their own logs.
fn asked(scratch: &Scratch, panel: &[(&str, char)]) -> usize {
    let log = |(role, _): &(&str, char)| {
        let log = scratch.state().join(format!("agents/of-{role}/log.jsonl"));
        fs::read_to_string(log).unwrap_or_default().matches("\"at\":\"asked\"").count()
    };
    panel.iter().map(log).sum()
}

#[test]
fn a_panel_reserves_together_and_stops_before_the_dispatch_that_does_not_fit() {
    for (panel, budget, sent) in
        [(&TWO[..], "1.99", 1), (&TWO, "2", 2), (&THREE, "2.99", 2), (&THREE, "3", 3)]
    {
        let scratch = opened(panel, &scenario(panel, ""));
        let ran = scratch.run(["run", "001", "--budget", budget]);
        let started = started(&scratch);
        assert_eq!(started.len(), sent, "{budget}: {started:?}\n{}", ran.stderr);
        assert_eq!(ran.code, Some(5), "{budget}: {}", ran.stderr);
        let counted = &scratch.json(["status"])["features"][0]["counted_micro_usd"];
        assert_eq!(*counted, sent * 1_000_000, "{}", ran.stdout);
        scratch.run(["run", "001"]).expect(5);
        assert_eq!(self::started(&scratch).len(), sent, "a restart resets nothing");
    }
}

#[test]
fn a_budget_of_three_dispatches_stops_before_the_fourth_with_two_reviewers_at_once() {
    let scratch = opened(&TWO, ONE_DOLLAR);
    scratch.run(["run", "001", "--budget", "3"]).expect(5);
    let started = started(&scratch);
    let ends: Vec<&str> = started.iter().map(|ticket| ticket.rsplit_once("specify.1/").unwrap().1).collect();
    assert_eq!(ends, ["review/spec-reviewer/1.1", "review/phase-reviewer/1.1", "revise/spec-author/1.1"]);
    scratch.run(["run", "001", "--budget", "100"]).expect(0);
}

#[test]
fn what_agents_killed_side_by_side_had_reserved_is_counted_together_and_not_called_spent() {
    for (panel, left) in [(&TWO[..], 1), (&THREE, 0)] {
        let hang = "[[rule]]\nticket = \"*\"\ndo = \"hang\"\n";
        let scratch = opened(panel, &scenario(panel, hang));
        let mut command = scratch.redraft(["run", "001", "--budget", "3"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let all_at_work = (0..20_000_000).any(|_| asked(&scratch, panel) == panel.len());
        assert!(all_at_work, "{:?}", child.try_wait());
        child.kill().unwrap();
        child.wait().unwrap();
        scratch.write("scenario.toml", &scenario(panel, ""));
        let before = started(&scratch);
        assert_eq!(before.len(), panel.len(), "they are at work side by side: {before:?}");
        let ran = scratch.run(["run", "001", "--budget", "3"]).expect(5);
        let events = events(&scratch);
        assert_eq!(bodies(&events, "lost").count(), panel.len());
        assert_eq!(started(&scratch).len(), panel.len() + left, "{}", ran.stderr);
        let unknown = format!("at most ${}.0000 unknown", panel.len());
        for words in [&format!("cost: ${left}.0000 billed, "), &unknown, "; the budget counts $3.0000"] {
            assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
        }
        scratch.run(["run", "001"]).expect(5);
        assert_eq!(started(&scratch).len(), 3, "nothing is sent that could be the fourth");
    }
}

/// Answers like Claude Code, notes what it was called with, and approves of everything.
const APPROVING: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
mkdir -p "$HOME/calls"
printf '%s ' "$@" | tr '\n' ' ' > "$HOME/calls/$$"
while [ $# -gt 1 ]; do [ "$1" = --session-id ] && id=$2; shift; done
cat > /dev/null
echo '{"type":"system","subtype":"init"}'
printf '%s' '{"type":"result","subtype":"success","is_error":false,"result":"","total_cost_usd":0.5,'
printf '"session_id":"%s",' "$id"
printf '%s' '"usage":{"input_tokens":10,"output_tokens":10},"structured_output":{"approved":true,"summary":"","answers":[],'
echo '"issues":[],"checks":[],"verified":[],"files_read":[]}}'
"#;

#[test]
fn no_dollar_is_promised_to_two_agents_at_once() {
    let scratch = opened(&TWO, ONE_DOLLAR);
    // They note in the user's home what they were called with.
    let mut config = "[sandbox]\nlevel = \"off\"\n".to_owned();
    for (role, _) in TWO {
        executable(&scratch, &format!("{role}.sh"), APPROVING);
        config += &format!(
            "[agents.of-{role}]\nkind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./{role}.sh\"\n"
        );
    }
    config += "[roles]\nspec-reviewer = \"of-spec-reviewer\"\nphase-reviewer = \"of-phase-reviewer\"\n";
    scratch.write("redraft.toml", &config);
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["run", "001", "--yes", "--budget", "3"]).expect(0);
    // A file for each, because two may be written at once.
    let calls = fs::read_dir(scratch.outside().join("home/calls")).unwrap();
    let calls: Vec<String> = calls.map(|call| fs::read_to_string(call.unwrap().path()).unwrap()).collect();
    let limit = |call: &str| {
        let (_, rest) = call.split_once("--max-budget-usd ").unwrap();
        rest.split(' ').next().unwrap().parse::<f64>().unwrap()
    };
    let limits: Vec<f64> = calls.iter().map(|call| limit(call)).collect();
    assert_eq!(limits.len(), 2, "{calls:?}");
    assert!(limits.iter().sum::<f64>() <= 3.0, "{limits:?}");
    let events = events(&scratch);
    let reserved: Vec<f64> = bodies(&events, "started")
        .filter_map(|body| Value::as_f64(&body["reserved"]))
        .map(|usd| usd / 1e6)
        .collect();
    // Claude Code looks at its limit after a request, so it is told one request less than it may spend.
    assert!(
        reserved.iter().sum::<f64>() <= 3.0 && limits.iter().all(|limit| *limit > 0.0),
        "{reserved:?} {limits:?}"
    );
}

#[test]
fn a_program_whose_dearest_outcome_does_not_fit_is_not_started() {
    let scratch = opened(&TWO, ONE_DOLLAR);
    executable(&scratch, "claude.sh", APPROVING);
    for kind in ["claude", "codex"] {
        let agent = format!(
            "[agents.model]\nkind = \"{kind}\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n"
        );
        scratch.write("redraft.toml", &format!("{agent}[roles]\ndefault = \"model\"\n"));
        scratch.run(["trust", "--yes"]).expect(0);
        let ran = scratch.run(["run", "001", "--yes", "--budget", "0.10"]).expect(5);
        assert!(ran.stderr.contains("but only $0.1000 of the budget"), "{kind}: {}", ran.stderr);
        assert!(!scratch.outside().join("home/calls").exists(), "{kind}");
    }
}
