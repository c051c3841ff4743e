//! Tests `run --all`: several features at once in one process, on one budget.

use crate::world::{PROGRAM, bodies};
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;
use std::process::Stdio;

const IDEAS: [&str; 3] =
    ["Export the monthly report as CSV", "Import orders from a file", "Remind people of unpaid bills"];

/// Each dispatch takes long enough that others begin meanwhile.
const SLOW: &str = "[[rule]]\nticket = \"*\"\ndo = \"late\"\nwait_ms = 400\n";
const HALF_A_DOLLAR: &str = "usd_per_dispatch = 0.5\n";

/// A repository with these features, not yet run.
fn features(ideas: &[&str], scenario: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.scenario(scenario);
    for idea in ideas {
        scratch.run(["new", "--until", "specify", idea]).expect(0);
    }
    scratch
}

fn events(scratch: &Scratch, number: &str) -> Vec<Value> {
    scratch.json(["log", number])["events"].as_array().unwrap().clone()
}

/// What a feature has come to, without what differs between any two runs.
fn left(scratch: &Scratch, number: &str) -> (String, Vec<String>) {
    let spec = fs::read_to_string(artifacts(scratch, number).join("spec.md")).unwrap();
    let events = events(scratch, number);
    let kinds = events.iter().map(|event| event["kind"].as_str().unwrap().to_owned());
    // A later feature knows from an earlier one that the agent remembers; side by side each finds it out.
    (spec, kinds.filter(|kind| kind != "agents-met").collect())
}

/// The only folder of documents in a feature's worktree.
fn artifacts(scratch: &Scratch, number: &str) -> std::path::PathBuf {
    let folder = scratch.worktree(number).join("docs/features");
    let mut own = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    own.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(number)).unwrap()
}

/// How often a dispatch of one feature began while one of another was under way.
fn overlaps(scratch: &Scratch, numbers: &[&str]) -> usize {
    let flights = |number: &str| -> Vec<(i64, i64)> {
        let events = events(scratch, number);
        let at = |kind: &str| -> Vec<i64> {
            let of = events.iter().filter(|event| event["kind"] == kind);
            of.map(|event| event["at_ms"].as_i64().unwrap()).collect()
        };
        at("started").into_iter().zip(at("answered")).collect()
    };
    let all: Vec<Vec<(i64, i64)>> = numbers.iter().map(|number| flights(number)).collect();
    let mut found = 0;
    for (at, one) in all.iter().enumerate() {
        for other in all[..at].iter().flatten().chain(all[at + 1..].iter().flatten()) {
            found += one.iter().filter(|(began, _)| other.0 <= *began && *began < other.1).count();
        }
    }
    found
}

#[test]
fn three_features_at_once_come_to_what_they_come_to_one_after_the_other() {
    let numbers = ["001", "002", "003"];
    let (alone, together) = (features(&IDEAS, SLOW), features(&IDEAS, SLOW));
    for number in numbers {
        alone.run(["run", number]).expect(0);
    }
    let ran = together.run(["run", "--all", "--jobs", "3"]).expect(0);
    for number in numbers {
        assert_eq!(left(&alone, number), left(&together, number), "{number}");
        let line = ran.stdout.lines().find(|line| line.starts_with(number)).unwrap_or_default();
        assert!(line.contains("$0.0000 in this run"), "{number}: {}", ran.stdout);
    }
    assert_eq!(overlaps(&alone, &numbers), 0);
    assert!(overlaps(&together, &numbers) >= 3, "{}", ran.stderr);
    let unnamed: Vec<&str> =
        ran.stderr.lines().filter(|line| !numbers.iter().any(|number| line.starts_with(number))).collect();
    assert!(unnamed.is_empty(), "each line begins with its feature: {unnamed:#?}");
    assert!(ran.stdout.contains("together: $0.0000 for 3 features"), "{}", ran.stdout);
    let again = together.run(["run", "--all"]).expect(0);
    assert!(again.stdout.contains("no feature can go on"), "{}", again.stdout);
}

#[test]
fn the_budget_over_all_is_never_passed_and_is_no_features_own() {
    let scratch = features(&IDEAS, HALF_A_DOLLAR);
    let ran = scratch.run(["run", "--all", "--budget", "4", "--json"]).expect(5);
    let all: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&all["v"], &all["exit"]), (&1.into(), &5.into()), "{all:#}");
    assert_eq!(all["spent_micro_usd"], 4_000_000, "{all:#}");
    let (mut started, mut short) = (0, 0);
    for feature in all["features"].as_array().unwrap() {
        let events = events(&scratch, feature["feature"].as_str().unwrap());
        started += bodies(&events, "started").count();
        assert_eq!(bodies(&events, "budget-set").count(), 0);
        assert_eq!(bodies(&events, "budget-reached").count(), 0, "its own budget would do");
        if feature["outcome"] == "over budget of all" {
            short += 1;
            assert_eq!(feature["next"], "redraft run --all --budget USD", "{feature:#}");
        }
    }
    assert_eq!(started, 8);
    assert!(short >= 1, "{all:#}");
    let rest = scratch.run(["run", "--all", "--budget", "20"]).expect(0);
    assert!(rest.stdout.contains(" of $20.0000 for "), "{}", rest.stdout);
}

#[test]
fn a_question_an_error_or_another_run_holds_up_nobody_else_and_each_is_told_at_the_end() {
    let scenario = "[[rule]]\nticket = \"002/*/draft/*\"\ndo = \"ask\"\ntext = \"Which files? | all\"\n\
        [[rule]]\nticket = \"003/*\"\ndo = \"hang\"\n";
    let scratch = features(&[IDEAS[0], IDEAS[1], IDEAS[2], "Print labels for parcels"], scenario);
    // Somebody works on another branch in the worktree of 004.
    let mut held = scratch.redraft(["run", "003"]);
    let mut held = held.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let is_held = |_| scratch.json(["status", "003"])["features"][0]["held_by"].is_object();
    assert!((0..500).any(is_held), "{:?}", held.try_wait());
    scratch.git_in(&scratch.worktree("004"), ["switch", "-q", "-c", "elsewhere"]);

    let ran = scratch.run(["run", "--all", "--json"]).expect(3);
    held.kill().unwrap();
    held.wait().unwrap();
    let all: Value = serde_json::from_str(&ran.stdout).unwrap();
    let found: Vec<(&str, i64)> = (all["features"].as_array().unwrap().iter())
        .map(|one| (one["outcome"].as_str().unwrap(), one["exit"].as_i64().unwrap()))
        .collect();
    assert_eq!(found, [("approved", 0), ("waiting", 6), ("held", 7), ("error", 3)], "{all:#}");
    let [first, asked, held, broken] = [0, 1, 2, 3].map(|at| &all["features"][at]);
    assert_eq!(first["run"]["outcome"], "approved", "{first:#}");
    assert_eq!(asked["next"], "redraft decide 002", "{asked:#}");
    assert!(asked["question"].is_string() && asked["waits_for_you"] == true, "{asked:#}");
    assert_eq!(held["held_by"]["command"], "redraft run 003", "{held:#}");
    assert_eq!((&held["driven"], &first["driven"]), (&false.into(), &true.into()));
    assert!(broken["error"]["message"].as_str().unwrap().contains("004-print-labels"), "{broken:#}");

    // A question that is open is named again, and answered it goes on.
    scratch.git_in(&scratch.worktree("004"), ["switch", "-q", "-"]);
    scratch.scenario("");
    let open = scratch.run(["run", "--all"]).expect(6);
    assert!(open.stdout.contains("\n    next: redraft decide 002\n"), "{}", open.stdout);
    scratch.run(["decide", "002", "assume"]).expect(0);
    scratch.run(["run", "--all"]).expect(0);
}

#[test]
fn a_run_of_all_that_is_killed_or_interrupted_goes_on_with_the_same_command() {
    let calm = features(&IDEAS[..2], "");
    calm.run(["run", "--all"]).expect(0);
    let specs = |scratch: &Scratch| ["001", "002"].map(|number| left(scratch, number).0);
    for boundary in ["9", "40"] {
        let scratch = features(&IDEAS[..2], "");
        let mut command = scratch.redraft(["run", "--all"]);
        let cut = Ran::new(command.env("REDRAFT_ABORT_AT_BOUNDARY", boundary).output().unwrap());
        assert_ne!(cut.code, Some(0), "{boundary}: {}", cut.stderr);
        scratch.run(["run", "--all"]).expect(0);
        assert_eq!(specs(&scratch), specs(&calm), "{boundary}");
    }
    let hang = "[[rule]]\nticket = \"*\"\ndo = \"hang\"\n";
    let scratch = features(&IDEAS[..2], hang);
    let mut command = scratch.redraft(["run", "--all"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let working = |number: &str| {
        let one = scratch.json(["status", number]);
        let command = one["features"][0]["held_by"]["command"].as_str().map(str::to_owned);
        command.as_deref() == Some("redraft run --all") && one["features"][0]["standing"]["is"] == "working"
    };
    assert!((0..500).any(|_| working("001") && working("002")), "both are driven, and status says by whom");
    let killed = scratch.command("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let ended = Ran::new(child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(130), "{}", ended.stdout);
    assert!(ended.stdout.ends_with("next: redraft run --all\n"), "{}", ended.stdout);
    scratch.scenario("");
    scratch.run(["run", "--all"]).expect(0);
    assert_eq!(specs(&scratch), specs(&calm));
}

#[test]
fn what_makes_no_sense_for_all_is_refused_by_name() {
    let scratch = features(&IDEAS[..1], "");
    for (words, named) in [
        (&["--all", "001"][..], "[FEATURE]"),
        (&["--all", "--now"], "--now"),
        (&["--all", "--lane", "deep"], "--lane"),
        (&["--all", "--unblock", "because"], "--unblock"),
        (&["--all", "--jobs", "0"], "--jobs"),
        (&["--all", "--on-cap", "accept"], "--on-cap accept"),
        (&["--all", "--budget", "much"], "much"),
    ] {
        let ran = scratch.run(["run"].iter().chain(words)).expect(2);
        assert!(ran.stderr.contains(named), "{words:?}: {}", ran.stderr);
    }
    assert_eq!(bodies(&events(&scratch, "001"), "started").count(), 0);
}

#[test]
fn a_decision_and_an_edit_while_others_are_driven_take_a_feature_up_again_and_a_second_run_is_told() {
    let scenario = "[[rule]]\nticket = \"001/*\"\ndo = \"late\"\nwait_ms = 1500\n\
        [[rule]]\nticket = \"002/*/draft/*\"\ndo = \"ask\"\ntext = \"Which files? | all\"\ntimes = 1\n";
    let scratch = features(&IDEAS[..2], scenario);
    let mut command = scratch.redraft(["run", "--all"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let asked = |_| {
        let one = &scratch.json(["status", "002"])["features"][0];
        one["standing"]["is"] == "asked" && one["held_by"].is_null()
    };
    assert!((0..500).any(asked));
    let second = scratch.run(["run", "001"]).expect(7);
    assert!(second.stderr.contains("held by `redraft run --all`"), "{}", second.stderr);
    let prd = artifacts(&scratch, "002").join("prd.md");
    let edited = format!("{}\nOnly files of the last month.\n", fs::read_to_string(&prd).unwrap_or_default());
    fs::write(&prd, &edited).unwrap();
    scratch.run(["decide", "002", "assume"]).expect(0);
    let ended = Ran::new(child.wait_with_output().unwrap()).expect(0);
    assert!(ended.stderr.lines().any(|line| line.starts_with("002")), "{}", ended.stderr);
    assert_eq!(fs::read_to_string(&prd).unwrap(), edited, "the edit is kept");
    for number in ["001", "002"] {
        assert_eq!(scratch.json(["status", number])["features"][0]["status"], "approved", "{}", ended.stdout);
    }
    let events = events(&scratch, "002");
    assert_eq!(bodies(&events, "decided").count(), 1);
}

#[test]
fn a_feature_that_comes_after_another_is_taken_up_once_that_is_completed() {
    let scratch = features(&IDEAS[..1], "");
    scratch.run(["new", "--until", "specify", IDEAS[1], "--depends-on", "001"]).expect(0);
    scratch.run(["run", "--all"]).expect(0);
    let (first, second) = (events(&scratch, "001"), events(&scratch, "002"));
    let at = |event: &Value| event["at_ms"].as_i64().unwrap();
    let closed = first.iter().rfind(|event| event["kind"] == "phase-closed").map(at).unwrap();
    let began = second.iter().find(|event| event["kind"] == "started").map(at).unwrap();
    assert!(closed <= began, "{closed} {began}");
}

#[test]
fn a_usage_limit_is_met_by_one_and_known_to_all_and_holds_up_only_who_needs_that_agent() {
    let scratch = features(&IDEAS[..2], "");
    scratch.run(["new", "--until", "specify", "--lane", "express", IDEAS[2]]).expect(0);
    // Each finds its limit out for itself where nobody tells it.
    scratch.write(
        "limited.toml",
        "[[rule]]\nticket = \"*/review/spec-reviewer/*\"\ndo = \"overloaded\"\nwait_ms = 86400000\n\
        [[rule]]\nticket = \"002/*\"\ndo = \"late\"\nwait_ms = 1500\n",
    );
    scratch.scenario("[[rule]]\nticket = \"002/*\"\ndo = \"late\"\nwait_ms = 1500\n");
    let agent = |name: &str, scenario: &str| {
        format!("[agents.{name}]\nkind = \"rehearsal\"\nscenario = \"{scenario}.toml\"\n")
    };
    let agents = agent("rehearsal", "scenario") + &agent("limited", "limited");
    scratch.write(
        "redraft.toml",
        &format!("{agents}[roles]\ndefault = \"rehearsal\"\nspec-reviewer = \"limited\"\n"),
    );
    let ran = scratch.run(["run", "--all", "--jobs", "3", "--json"]).expect(5);
    let all: Value = serde_json::from_str(&ran.stdout).unwrap();
    let found: Vec<&str> =
        all["features"].as_array().unwrap().iter().map(|one| one["outcome"].as_str().unwrap()).collect();
    assert_eq!(found[..2], ["parked", "parked"], "{all:#}");
    assert_eq!(all["features"][2]["exit"], 0, "its lane has no such reviewer: {all:#}");
    let sent = |number: &str| {
        let events = events(&scratch, number);
        let started = bodies(&events, "started").map(|body| body["ticket"].as_str().unwrap().to_owned());
        started.filter(|ticket| ticket.contains("/spec-reviewer/")).count()
    };
    assert_eq!((sent("001"), sent("002")), (1, 0), "the limit is known before it is met again");
}

#[test]
fn others_see_which_feature_waits_for_a_place_and_which_for_money() {
    let late = "[[rule]]\nticket = \"*\"\ndo = \"late\"\nwait_ms = 1500\n";
    let seen = |scratch: &Scratch, waits: &str| {
        let board = scratch.json(["status"]);
        let features = board["features"].as_array().unwrap().iter();
        features.filter(|one| one["waits"] == waits).count()
    };
    let told = |scratch: &Scratch, words: &str| scratch.run(["status"]).expect(0).stdout.contains(words);
    for (scenario, words, waits, said) in [
        (late.to_owned(), &["--jobs", "1"][..], "place", ", waits for a place in `redraft run --all`"),
        (
            format!("{HALF_A_DOLLAR}{late}"),
            &["--jobs", "2", "--budget", "0.75", "--yes"],
            "money",
            ", waits for money that was promised to other features",
        ),
    ] {
        let scratch = features(&IDEAS[..2], &scenario);
        let mut command = scratch.redraft(["run", "--all"].iter().chain(words));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        assert!((0..500).any(|_| seen(&scratch, waits) == 1 && told(&scratch, said)), "{waits}");
        let ended = Ran::new(child.wait_with_output().unwrap());
        assert_eq!(seen(&scratch, waits), 0, "{ended:?}");
    }
}
