//! Tests machines with nothing installed, repositories in disorder, probes that are cut off.

use super::{agent, checks, doctor, read};
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Stdio;

const DECIDING: [&str; 4] = ["V1", "V2", "V3", "V4"];

/// A PATH on which there is git and nothing else.
fn bare_path(scratch: &Scratch) -> PathBuf {
    let bin = scratch.outside().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let found = scratch.command("sh").args(["-c", "command -v git"]).output().unwrap();
    symlink(String::from_utf8_lossy(&found.stdout).trim(), bin.join("git")).unwrap();
    bin
}

#[test]
fn a_machine_with_no_agent_installed_is_told_what_to_install_and_the_rehearsal_agent_passes() {
    let scratch = Scratch::repository(PROGRAM);
    let bin = bare_path(&scratch);
    let bare = |words: &[&str]| {
        let mut command = scratch.redraft(words);
        command.env("PATH", &bin).env_remove("ANTHROPIC_API_KEY").env_remove("OPENAI_API_KEY");
        Ran::new(command.output().unwrap())
    };
    let ran = bare(&["doctor"]).expect(0);
    for words in [
        "npm install -g @anthropic-ai/claude-code",
        "npm install -g @openai/codex",
        "set ANTHROPIC_API_KEY",
        "set OPENAI_API_KEY",
        "llama-server",
        "  passed     file read    it read ",
        "  passed     findings     the number ",
        "resume yes",
        "next: redraft new",
    ] {
        assert!(ran.stdout.contains(words), "{words} in {}", ran.stdout);
    }
    let (report, code) = read(&bare(&["doctor", "--json"]));
    assert_eq!((code, &report["v"]), (0, &Value::from(1)));
    assert!(report["machine"].as_array().unwrap().iter().all(|line| line["ok"] == true), "{report:#}");
    let offers = report["offers"].as_array().unwrap();
    assert_eq!(offers.len(), 5);
    assert!(offers.iter().all(|offer| offer["found"] == false));
    let rehearsal = agent(&report, "rehearsal");
    assert_eq!((&rehearsal["kind"], &rehearsal["resume"]), (&"rehearsal".into(), &"yes".into()));
    assert_eq!(checks(&report, "rehearsal", Some(true)).len(), 7, "{report:#}");
    assert!(rehearsal["cache_share"].as_u64().unwrap() >= 80, "{report:#}");
    assert!(!scratch.state().join("probes/rehearsal").exists(), "its folder is gone");
}

#[test]
fn what_a_probe_sent_and_found_is_in_the_ledger() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.scenario("usd_per_dispatch = 0.5\n");
    scratch.run(["doctor"]).expect(0);
    let (report, code) = doctor(&scratch, &["--agent", "rehearsal"]);
    assert_eq!(code, 0);
    let events = events(&scratch);
    assert!(events.iter().all(|event| event["scope"] == "agent-rehearsal"));
    let tickets: Vec<&str> =
        bodies(&events, "answered").map(|body| body["ticket"].as_str().unwrap()).collect();
    let of_probe =
        |number: u8| [1, 2, 3].map(|turn| format!("agent-rehearsal/specify.{number}/probe/prober/{turn}.1"));
    assert_eq!(tickets, [of_probe(1), of_probe(2)].concat());
    let probed: Vec<&Value> = bodies(&events, "probed").collect();
    assert_eq!(probed.len(), 2);
    assert_eq!(probed[1]["cost"], 1_500_000);
    assert_eq!(probed[0]["checks"][0]["id"], "V1");
    let log = scratch.run(["log"]).expect(0).stdout;
    assert!(log.contains(": passed file read, continued, first line, findings, answer form, "), "{log}");
    let rehearsal = agent(&report, "rehearsal");
    assert_eq!(
        (&rehearsal["cost_micro_usd"], &rehearsal["spent_micro_usd"]),
        (&1_500_000.into(), &3_000_000.into())
    );
    // No feature pays for it, and the commands that list features are not confused by it.
    let status = scratch.json(["status"]);
    assert_eq!(status["features"].as_array().unwrap().len(), 0);
    scratch.run(["new", "--until", "specify", "Export the monthly report as CSV"]).expect(0);
    scratch.run(["run", "001", "--budget", "4"]).expect(0);
    let spent = scratch.json(["status"])["features"][0]["spent_micro_usd"].clone();
    assert_eq!(spent, 4_000_000, "all of the budget was left for it");
    scratch.run(["status", "--rebuild"]).expect(0);
}

#[test]
fn outside_of_a_repository_everything_is_tried_and_nothing_is_stored() {
    let scratch = Scratch::empty(PROGRAM);
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(report["stored"], false);
    assert_eq!(checks(&report, "rehearsal", Some(true)).len(), 7, "{report:#}");
    assert_eq!(fs::read_dir(scratch.root()).unwrap().count(), 0);
}

#[test]
fn what_is_wrong_with_the_machine_is_named_with_the_way_out() {
    let bad = |scratch: &Scratch, check: &str| {
        let (report, code) = doctor(scratch, &[]);
        assert_eq!(code, 3, "{report:#}");
        let lines = report["machine"].as_array().unwrap();
        let line = lines.iter().find(|line| line["ok"] == false).unwrap();
        assert_eq!(line["check"], check, "{report:#}");
        assert_ne!(line["hint"], "", "{report:#}");
        assert_eq!(report["agents"].as_array().unwrap().len(), 0);
    };
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("redraft.toml", "[limits]\nrounds = 30\n");
    bad(&scratch, "redraft.toml");
    let scratch = Scratch::repository(PROGRAM);
    fs::create_dir_all(scratch.state()).unwrap();
    fs::write(scratch.state().join("ledger.db"), "not a ledger at all, and long enough to be looked at")
        .unwrap();
    scratch.accept();
    bad(&scratch, "ledger");
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.state(), "a file where the folder should be").unwrap();
    bad(&scratch, "state folder");
    let scratch = Scratch::repository(PROGRAM);
    let mut command = scratch.redraft(["doctor", "--json"]);
    let (report, code) = read(&Ran::new(command.env("PATH", scratch.outside()).output().unwrap()));
    assert_eq!(
        (code, &report["machine"][0]["check"], &report["machine"][0]["ok"]),
        (3, &"git".into(), &false.into())
    );
}

#[test]
fn an_agent_that_lacks_something_is_named_and_stands_in_nobody_elses_way() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write(
        "redraft.toml",
        "[agents.claude]\nmodel = \"claude-sonnet-4.5\"\nprogram = \"no-such-claude\"\n\
         [agents.gone]\nkind = \"openai\"\nmodel = \"x\"\nprice = \"local\"\nbase_url = \"http://127.0.0.1:9/v1\"\n",
    );
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!(code, 3, "{report:#}");
    let line = &agent(&report, "claude")["setup"][0];
    assert_eq!(line["ok"], false);
    assert!(line["detail"].as_str().unwrap().contains("npm install -g @anthropic-ai/claude-code"), "{line}");
    assert_eq!(agent(&report, "rehearsal")["resume"], "yes");
    let (report, code) = doctor(&scratch, &["--agent", "gone"]);
    assert_eq!(code, 4, "{report:#}");
    let setup = agent(&report, "gone")["setup"].as_array().unwrap();
    let server = setup.iter().find(|line| line["check"] == "server").unwrap();
    assert!(server["detail"].as_str().unwrap().starts_with("127.0.0.1:9: "), "{server}");
    scratch.run(["doctor", "--agent", "rehearsal"]).expect(0);
    let ran = scratch.run(["doctor", "--agent", "nobody"]).expect(2);
    assert!(ran.stderr.contains("anthropic, claude, codex, gone, openai, rehearsal"), "{}", ran.stderr);
    let mut inside = scratch.redraft(["doctor"]);
    let ran = Ran::new(inside.env("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1").output().unwrap());
    assert!(ran.expect(2).stderr.contains("cannot start a probe"));
}

#[test]
fn an_agent_that_gives_no_answer_leaves_everything_open() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.scenario("[[rule]]\nticket = \"*/probe/prober/1.*\"\ndo = \"fail\"\n");
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!(code, 4, "{report:#}");
    assert_eq!(checks(&report, "rehearsal", None).len(), 7, "{report:#}");
    assert_eq!(agent(&report, "rehearsal")["resume"], "unproved");
    // An agent that is only busy is asked again.
    scratch.scenario("[[rule]]\nticket = \"*/probe/prober/2.*\"\ndo = \"overloaded\"\ntimes = 2\n");
    let (report, code) = doctor(&scratch, &[]);
    assert_eq!((code, checks(&report, "rehearsal", Some(true)).len()), (0, 7), "{report:#}");
}

#[test]
fn each_fault_of_a_conversation_fails_its_own_check() {
    let say = |text: &str| format!("do = \"say\"\ntext = '''{text}'''");
    let nothing = r#"{"approved":true,"summary":"","answers":[],"issues":[],"checks":[],"verified":[],"files_read":[]}"#;
    for (turn, rule, failed) in [
        (2, "do = \"lose-session\"".to_owned(), &["V2"][..]),
        (3, "do = \"lose-session\"".to_owned(), &["V2"]),
        (3, say(nothing), &["V3", "V4"]),
        (2, say("yes, I am here"), &["structured"]),
    ] {
        let scratch = Scratch::repository(PROGRAM);
        scratch.scenario(&format!("[[rule]]\nticket = \"*/probe/prober/{turn}.*\"\n{rule}\n"));
        let (report, code) = doctor(&scratch, &[]);
        assert_eq!(code, 1, "{rule}: {report:#}");
        assert_eq!(checks(&report, "rehearsal", Some(false)), failed, "{rule}");
        let off = failed.iter().any(|id| DECIDING.contains(id));
        let resume = agent(&report, "rehearsal")["resume"].as_str().unwrap();
        assert_eq!(resume, if off { "no" } else { "yes" }, "{rule}");
    }
}

#[test]
fn a_probe_that_is_killed_anywhere_is_ended_by_the_next_doctor() {
    for boundary in 1..=50 {
        let scratch = Scratch::repository(PROGRAM);
        scratch.scenario("usd_per_dispatch = 0.5\n");
        let mut command = scratch.redraft(["doctor"]);
        let died = command.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string()).output().unwrap();
        if died.status.code() == Some(0) {
            assert!(boundary > 12, "only {boundary} boundaries in three dispatches");
            return;
        }
        assert_eq!(died.status.code(), None, "boundary {boundary}");
        let (report, code) = doctor(&scratch, &[]);
        assert_eq!(code, 0, "boundary {boundary}: {report:#}");
        assert!(!scratch.state().join("probes/rehearsal").exists(), "boundary {boundary}");
        let events = events(&scratch);
        let count = |kind| bodies(&events, kind).count();
        assert_eq!(count("started"), count("answered") + count("lost"), "boundary {boundary}");
        assert!(count("lost") <= 1, "boundary {boundary}");
        let money = |kind| u64::try_from(count(kind)).unwrap() * 500_000;
        let told = agent(&report, "rehearsal");
        assert_eq!(
            (&told["spent_micro_usd"], &told["unknown_micro_usd"]),
            (&money("answered").into(), &money("lost").into()),
            "boundary {boundary}: what was lost is told apart"
        );
    }
    panic!("doctor never came to its end");
}

#[test]
fn ctrl_c_ends_a_probe_cleanly() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.scenario("[[rule]]\nticket = \"*/probe/prober/2.1\"\ndo = \"hang\"\n");
    let mut command = scratch.redraft(["doctor", "-v"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("probe/prober/2.1 sent") {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "the probe ended early");
    }
    // While it runs, no second one may begin.
    let ran = scratch.run(["doctor"]).expect(7);
    assert!(ran.stderr.contains("`redraft doctor -v` of Test Person"), "{}", ran.stderr);
    let sent = scratch.command("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let ran = Ran::new(child.wait_with_output().unwrap()).expect(130);
    assert!(ran.stdout.contains("interrupted"), "{}", ran.stdout);
    let events = events(&scratch);
    assert_eq!((bodies(&events, "lost").count(), bodies(&events, "probed").count()), (1, 0));
    assert!(!scratch.state().join("probes/rehearsal").exists());
}

#[test]
fn an_agent_that_stands_in_a_file_is_not_offered_as_one_that_is_not_configured() {
    let elsewhere = "model = \"m\"\nprice = \"local\"\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    for (table, gone, left) in [
        (format!("[agents.openai]\n{elsewhere}"), &["openai", "local server"][..], 3),
        (format!("[agents.mine]\nkind = \"openai\"\n{elsewhere}"), &["local server"], 4),
        ("[agents.mine]\nkind = \"openai\"\nmodel = \"gpt-6-sol\"\n".to_owned(), &["openai"], 4),
        ("[agents.anthropic]\nmodel = \"claude-sonnet-4.5\"\n".to_owned(), &["anthropic"], 4),
        ("[agents.mine]\nkind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\n".to_owned(), &["claude"], 4),
        ("[agents.codex]\nmodel = \"gpt-6-sol\"\n".to_owned(), &["codex"], 4),
    ] {
        let scratch = Scratch::repository(PROGRAM);
        scratch.configure(&table);
        let told = scratch.redraft(["doctor", "--json"]).output().unwrap();
        let report: Value = serde_json::from_slice(&told.stdout).unwrap();
        let offers = report["offers"].as_array().unwrap();
        let kinds: Vec<&str> = offers.iter().map(|offer| offer["kind"].as_str().unwrap()).collect();
        assert!(kinds.len() == left && gone.iter().all(|kind| !kinds.contains(kind)), "{table}: {kinds:?}");
    }
}
