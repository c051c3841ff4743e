//! `redraft cost`: what was billed, what the alternatives were, and why; with the rehearsal agent and with one that
//! costs money.

mod predicted;

use crate::models::{ANTHROPIC, run, with_agent};
use crate::world::{bodies, events, feature};
use predicted::rewritten;
use redraft_facts::usage::Usd;
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::fs;

const IDEA: &str = "Export the monthly report as CSV";

/// What all answers and failures of the ledger were billed, by field.
fn billed(scratch: &Scratch, field: &str) -> u64 {
    let events = events(scratch);
    let kinds = ["answered", "failed"];
    let usages = kinds.iter().flat_map(|kind| bodies(&events, kind)).map(|body| &body["usage"]);
    usages.filter_map(|usage| usage[field].as_u64()).sum()
}

fn dispatches(shown: &Value) -> Vec<&Value> {
    let list = |value: &'static str, of: &'_ Value| of[value].as_array().unwrap().len();
    let mut found = Vec::new();
    for phase in 0..list("phases", shown) {
        let phase = &shown["phases"][phase];
        for role in 0..list("roles", phase) {
            found.extend(phase["roles"][role]["dispatches"].as_array().unwrap());
        }
    }
    found
}

#[test]
fn a_rehearsal_is_told_in_tokens_and_saves_no_money() {
    let scratch = feature(IDEA);
    let ran = scratch.run(["run"]).expect(0);
    assert!(ran.stdout.contains("; more: redraft cost 001\n"), "{}", ran.stdout);
    let short = scratch.run(["cost"]).expect(0).stdout;
    let lines: Vec<&str> = short.lines().collect();
    assert_eq!(lines[0], "feature 001 export-the-monthly-report-as-csv, approved: $0.0000 billed");
    assert!(lines[1].contains(" dispatches: ") && lines[1].contains(" read from a cache"), "{short}");
    assert_eq!(lines[3..6].iter().filter(|line| line.starts_with("  ")).count(), 3, "{short}");
    assert!(lines.len() < 15 && short.ends_with("redraft cost 001 --all\n"), "{short}");
    let text = scratch.run(["cost", "--all"]).expect(0).stdout;
    assert!(!text.contains("NFR") && !text.contains("  characters "), "{text}");
    for words in [
        "feature 001 export-the-monthly-report-as-csv, approved: ",
        "\nspec-reviewer ",
        "\n  review 1.1 ",
        "rehearsal is the built-in rehearsal agent: it has no model and costs no money",
        "shorter: each is shorter",
        "tokens fewer",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    assert!(!text.contains("saved ~$"), "{text}");

    let shown = scratch.json(["cost", "001"]);
    assert_eq!((&shown["orchestration_tokens"], &shown["warnings"]), (&json!(0), &json!([])));
    for field in ["uncached", "written", "read", "output"] {
        assert_eq!(shown["sum"]["tokens"][field], json!(billed(&scratch, field)), "{field}");
    }
    let sent = dispatches(&shown);
    assert_eq!(sent.len(), bodies(&events(&scratch), "started").count());
    assert!(sent.iter().all(|one| one["prediction"].is_null() || one["prediction"]["estimate"] == true));
    assert_eq!(shown["agents"][0]["prices"], "rehearsal");
    for one in shown["loops"].as_array().unwrap() {
        assert_eq!((&one["estimate"], &one["as_sent"]["micro_usd"]), (&json!(true), &Value::Null), "{one}");
        assert_eq!(one["others"].as_array().unwrap().len(), 6, "{one}");
    }
    let printed = scratch.run(["cost", "--json"]).expect(0).stdout;
    assert!(printed.starts_with("{\n  \"v\": 1,"), "{printed}");

    // As it was before predictions were written down.
    rewritten(&scratch, |started| started.choice.prediction = None);
    let text = scratch.run(["cost", "--all"]).expect(0).stdout;
    assert!(text.contains("not predicted") && !text.contains("predicted alternatives"), "{text}");
    let why = scratch.run(["cost", "--why", "001/specify.1/review/spec-reviewer/1.1"]).expect(0).stdout;
    assert!(why.contains("\nNot predicted: "), "{why}");
}

#[test]
fn the_rules_are_told_for_each_role_from_the_prompts_that_were_sent() {
    let scratch = feature(IDEA);
    scratch.run(["run", "--policy", "resume"]).expect(0);
    let events = events(&scratch);
    let of = |strategy: &str| -> Vec<u64> {
        let of_role = |body: &&Value| body["ticket"].as_str().unwrap().contains("/spec-reviewer/");
        let sent = bodies(&events, "started").filter(of_role);
        let sent = sent.filter(|body| body["choice"]["strategy"] == strategy);
        sent.map(|body| body["prompt_chars"].as_u64().unwrap()).collect()
    };
    let (first, resumed) = (of("lazy")[0], of("resume"));
    let shown = scratch.json(["cost"]);
    let rules = shown["rules"].as_array().unwrap();
    let role = rules.iter().find(|rule| rule["role"] == "spec-reviewer").unwrap();
    let measures: Vec<&str> =
        role["rules"].as_array().unwrap().iter().map(|rule| rule["measure"].as_str().unwrap()).collect();
    assert_eq!(measures, ["characters", "tokens", "tokens not cached"]);
    let chars = &role["rules"][0];
    assert_eq!(chars["resumed"], json!(resumed.len()));
    assert_eq!(chars["nfr1"]["worst"], json!(resumed.iter().max().unwrap()));
    assert_eq!(chars["nfr1"]["its_first"], json!(first));
    assert_eq!(chars["nfr3"]["five_fresh"], json!(5 * first));
}

#[test]
fn a_paid_feature_is_billed_and_its_savings_are_estimates_by_its_own_card() {
    let (scratch, _provider) = with_agent(ANTHROPIC);
    let ran = run(&scratch, &["run", "001", "--yes", "--policy", "resume"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let shown = scratch.json(["cost"]);
    let cost = billed(&scratch, "cost");
    assert!(cost > 0);
    assert_eq!(shown["sum"]["billed_micro_usd"], json!(cost));
    assert_eq!(
        (&shown["agents"][0]["prices"], &shown["agents"][0]["model"]),
        (&json!("listed"), &json!("claude-sonnet-4.5"))
    );
    let one = &shown["loops"][0];
    assert_eq!((&one["loop"], &one["estimate"]), (&json!("001/specify.1/spec-reviewer"), &json!(true)));
    assert_eq!(one["as_sent"]["policy"], "resume");
    let others: Vec<&str> =
        one["others"].as_array().unwrap().iter().map(|one| one["policy"].as_str().unwrap()).collect();
    assert_eq!(others, ["inline", "fresh", "seed", "guarded", "digest", "cost"]);
    assert!(one["others"].as_array().unwrap().iter().all(|one| one["micro_usd"].as_u64().unwrap() > 0));
    let text = scratch.run(["cost", "--all"]).expect(0).stdout;
    assert!(
        text.contains("as it was sent, by resume: ~$") && text.contains("card claude-sonnet-4.5"),
        "{text}"
    );
    assert!(text.contains(" saved ~$") || text.contains(" would have saved ~$"), "{text}");
    assert!(!text.contains("no money"), "{text}");

    // An agent with an unknown price is billed the most it can cost, and nothing is claimed from that.
    let config = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &config.replace("[roles]", "price = \"unknown\"\n[roles]"));
    let text = scratch.run(["cost", "--all"]).expect(0).stdout;
    assert!(text.contains("no savings are claimed: the prices of model are unknown"), "{text}");
    assert!(text.contains("model has the price `unknown`"), "{text}");
    // Without a readable configuration the bills are still shown.
    scratch.write("redraft.toml", "[nonsense");
    let text = scratch.run(["cost"]).expect(0).stdout;
    assert!(text.contains("nothing was replayed, because the configuration cannot be read"), "{text}");
    assert!(text.contains(&format!("approved: {} billed\n", Usd(cost))), "{text}");
}

#[test]
fn a_bill_that_nobody_knows_is_said_to_be_unknown_and_nothing_is_claimed_from_it() {
    let scratch = feature(IDEA);
    let rule = "[[rule]]\nticket = \"*/review/spec-reviewer/1.1\"\ndo = \"fail\"\n";
    scratch.scenario(&format!("usd_per_dispatch = 0.01\n{rule}"));
    let mut command = scratch.redraft(["run", "001"]);
    let died = command.env("REDRAFT_ABORT_AT_BOUNDARY", "2").output().unwrap();
    assert_eq!(died.status.code(), None);
    scratch.run(["run", "001"]).expect(0);
    let text = scratch.run(["cost", "--all"]).expect(0).stdout;
    for words in [
        "attempts without a result",
        "specify.1/draft/spec-author/1.1     lost    reserved $0.0100  bill unknown",
        "specify.1/review/spec-reviewer/1.1  failed  reserved $0.0100  bill unknown",
        "at most $0.0200 unknown (2 dispatches interrupted, failed or without a bill)",
        "no savings are claimed: the bill of specify.1/review/spec-reviewer/1.1 is unknown",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    let shown = scratch.json(["cost"]);
    let sum = &shown["sum"];
    assert_eq!((&sum["failed"], &sum["lost"], &sum["unknown_bills"]), (&json!(1), &json!(1), &json!(2)));
    let row = scratch.json(["status"])["features"][0].clone();
    assert_eq!(row["spent_micro_usd"], sum["billed_micro_usd"], "what was billed, and nothing else");
    assert_eq!((&row["unknown_micro_usd"], &row["unknown_bills"]), (&json!(20_000), &json!(2)));
    let counted = sum["billed_micro_usd"].as_u64().unwrap() + 20_000;
    assert_eq!((&row["counted_micro_usd"], &sum["counted_micro_usd"]), (&json!(counted), &json!(counted)));
    let status = scratch.run(["status"]).expect(0).stdout;
    let billed = Usd(counted - 20_000);
    assert!(status.contains(&format!("{billed} + at most $0.0200 unknown")), "{status}");
}

#[test]
fn several_features_have_a_line_each_and_a_sum() {
    let scratch = feature(IDEA);
    scratch.run(["run"]).expect(0);
    scratch.run(["new", "--until", "specify", "Another idea"]).expect(0);
    let text = scratch.run(["cost"]).expect(0).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "total: $0.0000 billed");
    assert!(lines[2].starts_with("001 export-the-monthly-report-as-csv  approved "), "{text}");
    assert!(lines[3].starts_with("002 another-idea "), "{text}");
    assert!(lines[4].starts_with("total "), "{text}");
    let shown = scratch.json(["cost"]);
    assert_eq!(shown["total"]["tokens"]["uncached"], json!(billed(&scratch, "uncached")));
    assert_eq!(shown["features"].as_array().unwrap().len(), 2);
    let here = scratch.redraft(["cost"]).current_dir(scratch.worktree("001")).output().unwrap();
    assert!(
        Ran::new(here).expect(0).stdout.starts_with("feature 001 "),
        "inside a worktree its own feature is meant"
    );
    let empty = scratch.run(["cost", "002"]).expect(0).stdout;
    assert!(
        empty.starts_with("feature 002 another-idea, planned: $0.0000 billed\n0 dispatches: "),
        "{empty}"
    );
    let drawn = scratch.run(["cost", "--svg", "x.svg"]).expect(2);
    assert!(drawn.stderr.contains("name one of 001, 002"), "{}", drawn.stderr);
    scratch.run(["cost", "009"]).expect(2);
    let nothing = Scratch::repository(crate::world::PROGRAM).run(["cost"]).expect(2);
    assert!(nothing.stderr.contains("redraft new"), "{}", nothing.stderr);
}

#[test]
fn a_drawing_is_written_whole_and_never_over_a_file_of_somebody_else() {
    let scratch = feature(IDEA);
    scratch.run(["run"]).expect(0);
    scratch.write("mine.svg", "<svg>mine</svg>");
    let ran = scratch.run(["cost", "--svg", "mine.svg"]).expect(2);
    assert!(
        ran.stderr.contains("is not a drawing of this command") && ran.stderr.contains("--force"),
        "{}",
        ran.stderr
    );
    let mine = || fs::read_to_string(scratch.root().join("mine.svg")).unwrap();
    assert_eq!(mine(), "<svg>mine</svg>");
    let ran = scratch.run(["cost", "--svg", "mine.svg", "--force"]).expect(0);
    assert!(ran.stderr.contains("wrote ") && ran.stdout.contains("$0.0000 billed\n"), "{}", ran.stderr);
    let drawn = mine();
    assert!(drawn.starts_with("<svg ") && drawn.contains("nothing cost money: input tokens"), "{drawn}");
    scratch.run(["cost", "--svg", "mine.svg"]).expect(0);
    assert_eq!(mine(), drawn, "an older drawing is replaced, and the same feature is drawn the same");
    // A link leads to its file and stays; folders and missing folders are reported.
    std::os::unix::fs::symlink("mine.svg", scratch.root().join("link.svg")).unwrap();
    scratch.run(["cost", "--svg", "link.svg"]).expect(0);
    assert!(fs::symlink_metadata(scratch.root().join("link.svg")).unwrap().is_symlink());
    scratch.run(["cost", "--svg", "docs-that-are-not-there/x.svg"]).expect(3);
    fs::create_dir(scratch.root().join("folder.svg")).unwrap();
    scratch.run(["cost", "--svg", "folder.svg", "--force"]).expect(2);
    let left: Vec<String> = fs::read_dir(scratch.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".redraft-cost-"))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "nothing is left behind");
    let object = scratch.json(["cost", "--svg", "again.svg"]);
    assert_eq!(object["v"], 1);
    assert!(scratch.root().join("again.svg").is_file());
}

#[test]
fn what_a_scenario_charges_is_not_predicted_in_money_and_nobody_says_it_costs_nothing() {
    let scratch = feature(IDEA);
    scratch.scenario("usd_per_million_input = 3.0\nusd_per_million_output = 15.0\n");
    scratch.run(["run", "001"]).expect(0);
    let shown = scratch.json(["cost"]);
    assert!(shown["sum"]["billed_micro_usd"].as_u64().unwrap() > 0);
    let ratio = &shown["agents"][0]["predicted_to_billed"];
    assert_eq!(ratio["unit"], "tokens_not_cached", "{ratio}");
    assert!(ratio["percent"].as_u64().unwrap() > 10, "{ratio}");
    let text = scratch.run(["cost", "--all", "--svg", "cost.svg"]).expect(0).stdout;
    assert!(text.contains("not in money") && !text.contains("~$0.0000"), "{text}");
    let drawn = fs::read_to_string(scratch.root().join("cost.svg")).unwrap();
    assert!(drawn.contains("class=\"bar ") && !drawn.contains("class=\"mark "), "{drawn}");
}

#[test]
fn what_a_killed_run_had_sent_is_interrupted_and_not_under_way() {
    let scratch = feature(IDEA);
    let mut command = scratch.redraft(["run", "001"]);
    let died = command.env("REDRAFT_ABORT_AT_BOUNDARY", "2").output().unwrap();
    assert_eq!(died.status.code(), None);
    let shown = scratch.json(["cost"]);
    let sent = dispatches(&shown);
    assert_eq!((&sent[0]["end"], &sent[0]["bill"]), (&json!("interrupted"), &json!("interrupted")));
    let text = scratch.run(["cost", "--all"]).expect(0).stdout;
    assert!(text.contains("interrupted") && !text.contains("under way"), "{text}");
    scratch.run(["run", "001"]).expect(0);
    assert!(!scratch.run(["cost", "--all"]).expect(0).stdout.contains("interrupted"));
}

#[test]
fn a_conversation_that_is_gone_costs_nothing() {
    let scratch = feature(IDEA);
    let rule = "[[rule]]\nticket = \"*/review/spec-reviewer/2.*\"\ndo = \"lose-session\"\ntimes = 1\n";
    scratch.scenario(&format!("usd_per_dispatch = 0.01\n{rule}"));
    scratch.run(["run", "001", "--policy", "resume"]).expect(0);
    let shown = scratch.json(["cost"]);
    let sum = &shown["sum"];
    assert_eq!((&sum["failed"], &sum["unknown_bills"]), (&json!(1), &json!(0)), "{sum}");
    assert_eq!(sum["reserved_for_unknown_micro_usd"], json!(0));
}
