//! Tests that money is called what it is: billed, unknown, or covered by a subscription; and that what never reached a
//! service is free.

use crate::documents::CLEAN;
use crate::models::run;
use crate::terminal::pair;
use crate::world::{PROGRAM, bodies, events, executable, feature};
use redraft_facts::usage::Usd;
use redraft_testkit::Scratch;
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

#[test]
fn without_a_network_nothing_is_spent_and_the_run_says_offline_and_stops() {
    for kind in ["anthropic", "openai"] {
        let scratch = Scratch::repository(PROGRAM);
        scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
        let agent = format!(
            "kind = \"{kind}\"\nmodel = \"claude-sonnet-4.5\"\nbase_url = \"https://nowhere.invalid\"\nkey_env = \"TEST_MODEL_KEY\"\n"
        );
        scratch.write("redraft.toml", &format!("[agents.model]\n{agent}[roles]\ndefault = \"model\"\n"));
        scratch.run(["trust", "--yes"]).expect(0);
        let ran = run(&scratch, &["run", "001", "--yes"]);
        assert_eq!(ran.code, Some(4), "{}\n{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("offline: no address was found for nowhere.invalid ("), "{}", ran.stdout);
        assert!(ran.stdout.contains("cost: $0.0000 billed; more: redraft cost 001\n"), "{}", ran.stdout);
        assert!(!ran.stdout.contains("unknown"), "{}", ran.stdout);
        let events = events(&scratch);
        assert_eq!(bodies(&events, "failed").count(), 1, "a minute later there is no network either");
        let sum = &scratch.json(["cost", "001"])["sum"];
        assert_eq!((&sum["unknown_bills"], &sum["counted_micro_usd"]), (&json!(0), &json!(0)), "{sum:#}");
    }
}

/// An author like Claude Code that is logged in with a plan, and says so as it does.
const PLANNED: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
while [ $# -gt 1 ]; do [ "$1" = --session-id ] && id=$2; shift; done
cat > /dev/null
folder=$(echo docs/features/001-*)
mkdir -p "$folder"
cp "$HOME/spec.md" "$folder/"
echo '{"type":"system","subtype":"init","apiKeySource":"none"}'
PLAN
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"%s","total_cost_usd":0.5,' "$id"
printf '"usage":{"input_tokens":100000,"output_tokens":0},"structured_output":{"summary":"written"}}\n'
"#;

#[test]
fn what_a_subscription_covers_is_told_with_what_it_would_have_cost() {
    let plan = |overage: bool| {
        format!(
            r#"echo '{{"type":"rate_limit_event","rate_limit_info":{{"status":"allowed","isUsingOverage":{overage}}}}}'"#
        )
    };
    for (plan, payment, field, words) in [
        (plan(false), "subscription", "covered_micro_usd", "covered by your subscription, at list prices"),
        (
            String::new(),
            "login",
            "login_micro_usd",
            "through your login, at list prices, covered if that is a subscription",
        ),
        (plan(true), "key", "spent_micro_usd", ""),
    ] {
        let scratch = feature("Export the monthly report as CSV");
        executable(&scratch, "claude.sh", &PLANNED.replace("PLAN", &plan));
        fs::create_dir_all(scratch.outside().join("home")).unwrap();
        fs::write(scratch.outside().join("home/spec.md"), CLEAN).unwrap();
        let agent = "model = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n";
        scratch.write(
            "redraft.toml",
            &format!(
                "[sandbox]\nlevel = \"off\"\n[agents.claude]\n{agent}[roles]\nspec-author = \"claude\"\n"
            ),
        );
        scratch.run(["trust", "--yes"]).expect(0);
        let ran = scratch.run(["run", "001", "--yes"]).expect(0);
        let events = events(&scratch);
        let answers = bodies(&events, "answered").filter(|body| body["payment"] == payment).count() as u64;
        assert!(answers > 0, "{payment}");
        // 100,000 tokens at 3 dollars a million in each.
        let sum = answers * 300_000;
        let price = Usd(sum);
        let covered = !words.is_empty();
        let spent = format!("{} billed", if covered { Usd(0) } else { price });
        let cost = scratch.run(["cost", "001"]).expect(0).stdout;
        for text in [&ran.stdout, &cost] {
            assert!(text.contains(&spent), "{payment}: {text}");
            let told = covered && text.contains(&format!("{price} {words}; "));
            let counted = text.contains(&format!("; the budget counts {price}"));
            assert_eq!((told, counted), (covered, covered), "{payment}: {text}");
        }
        let row = &scratch.json(["status"])["features"][0];
        assert_eq!((&row[field], &row["counted_micro_usd"]), (&json!(sum), &json!(sum)), "{row:#}");
        let shown = &scratch.json(["cost", "001"])["sum"];
        assert_eq!((&shown[field], &shown["billed_micro_usd"]), (&json!(sum), &json!(sum)), "{shown:#}");
    }
}

/// Reads from a terminal until these words are there.
fn read_until(terminal: &mut fs::File, words: &str) -> String {
    let mut said = String::new();
    let mut part = [0; 4096];
    while !said.contains(words) {
        let read = terminal.read(&mut part).unwrap_or_else(|error| panic!("{error}: {said}"));
        said.push_str(&String::from_utf8_lossy(&part[..read]));
    }
    said
}

#[test]
fn the_question_about_money_fits_a_small_screen_and_ends_with_the_question() {
    let scratch = Scratch::repository(PROGRAM);
    executable(&scratch, "claude.sh", &PLANNED.replace("PLAN\n", ""));
    let agent = "model = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n";
    scratch.write("redraft.toml", &format!("[agents.claude]\n{agent}[roles]\ndefault = \"claude\"\n"));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["new", "Let people delete an order"]).expect(0);
    for columns in [60, 80] {
        let (mut terminal, end) = pair();
        tcsetwinsize(&end, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let mut command = scratch.redraft(["run", "001"]);
        command.stdin(end.try_clone().unwrap()).stderr(end).stdout(Stdio::null()).env("TERM", "dumb");
        let mut child = command.spawn().unwrap();
        drop(command);
        let said = read_until(&mut terminal, "yes or NO? ");
        terminal.write_all(b"no\n").unwrap();
        read_until(&mut terminal, "nothing was sent");
        child.wait().unwrap();
        let from = said.find("these agents cost money:").unwrap_or_else(|| panic!("{said}"));
        let lines: Vec<&str> = said[from..].lines().collect();
        assert!(lines.len() <= 23, "{columns}: {} lines: {said}", lines.len());
        let agents =
            lines.iter().filter(|line| line.contains("claude 9.9.9, claude-sonnet-4-5: 16 roles")).count();
        assert_eq!(agents, 1, "one line for all of its roles: {said}");
        let question = lines.iter().position(|line| *line == "question: May this money be spent?").unwrap();
        let after: Vec<&str> = lines[question + 1..].iter().map(|line| line.trim()).collect();
        assert!(after[0].starts_with("yes  work is sent"), "the choices follow: {after:?}");
        assert!(after.len() <= 4, "nothing else follows: {after:?}");
    }
}

#[test]
fn a_run_that_asks_whether_money_may_be_spent_is_not_called_working() {
    let scratch = feature("Show the weather");
    executable(&scratch, "claude.sh", &PLANNED.replace("PLAN\n", ""));
    let agent = "model = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n";
    scratch.write("redraft.toml", &format!("[agents.claude]\n{agent}[roles]\nspec-author = \"claude\"\n"));
    scratch.run(["trust", "--yes"]).expect(0);
    let (mut terminal, end) = pair();
    let mut command = scratch.redraft(["run", "001"]);
    command.stdin(end.try_clone().unwrap()).stderr(end).stdout(Stdio::null()).env("TERM", "dumb");
    let mut child = command.spawn().unwrap();
    drop(command);
    read_until(&mut terminal, "May this money be spent?");
    let seen = scratch.json(["status", "001"])["features"][0].clone();
    assert_eq!((&seen["standing"]["is"], &seen["waits_for_you"]), (&json!("asked-there"), &json!(true)));
    terminal.write_all(b"no\n").unwrap();
    read_until(&mut terminal, "nothing was sent");
    child.wait().unwrap();
    let seen = scratch.json(["status", "001"])["features"][0].clone();
    assert_eq!((&seen["standing"]["is"], &seen["waits_for_you"]), (&json!("planned"), &json!(false)));
}
