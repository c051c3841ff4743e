//! `redraft replay`: recorded loops under every policy, from files good and bad, and from the ledger.

use crate::world::{PROGRAM, feature};
use flate2::Compression;
use flate2::write::GzEncoder;
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;

const POLICIES: [&str; 10] =
    ["inject", "inline", "lazy", "seed", "guarded", "resume", "digest", "cost", "hindsight", "bound"];

/// A document of some 12,000 characters, one of ten sections changed.
fn document(changed: usize, mark: &str) -> String {
    let section = |number: usize| {
        let word = if number == changed { mark } else { "as it was" };
        let line = format!("The service keeps what it was given, {word}, until somebody asks for it.\n");
        format!("## Part {number}\n\n{}\n", line.repeat(16))
    };
    format!("# Spec\n\n{}", (0..10).map(section).collect::<String>())
}

/// Three reviews, two and ten minutes apart.
fn recorded(name: &str) -> Value {
    json!({
        "loop": name,
        "artifact": "spec",
        "upstream": {"prd": document(0, "wanted"), "notes": document(1, "noted")},
        "versions": [document(10, ""), document(3, "better"), document(4, "better still")],
        "times": [1_000, 1_120, 1_720],
    })
}

fn with_loops(text: &str) -> Scratch {
    let scratch = Scratch::empty(PROGRAM);
    scratch.write("loops.jsonl", text);
    scratch
}

fn usd(policy: &Value) -> f64 {
    policy["input_usd"].as_f64().unwrap()
}

#[test]
fn every_policy_is_costed_and_packed_loops_are_the_same() {
    let text = format!("{}\n\n{}", recorded("031/spec"), recorded("032/spec"));
    let scratch = with_loops(&text);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    fs::write(scratch.root().join("loops.jsonl.gz"), packed.finish().unwrap()).unwrap();

    let shown = scratch.json(["replay", "loops.jsonl"]);
    assert_eq!(shown, scratch.json(["replay", "loops.jsonl.gz"]));
    assert_eq!((&shown["v"], &shown["ttl"], &shown["notes"]), (&json!(1), &json!("1h"), &json!([])));
    let policies = shown["policies"].as_object().unwrap();
    assert_eq!(policies.len(), POLICIES.len());
    for name in POLICIES {
        let policy = &policies[name];
        assert!(usd(policy) > 0.0 && policy["output_usd"].as_f64().unwrap() > 0.0, "{name}: {policy}");
        assert_eq!(policy["guard_trips"], json!(0), "{name}");
    }
    assert_eq!(policies["resume"]["strategies"], json!({"lazy": 2, "resume": 4}));
    assert!(usd(&policies["cost"]) <= usd(&policies["inline"]));
    assert!(usd(&policies["cost"]) <= usd(&policies["lazy"]));
    assert_eq!(shown["loops"].as_array().unwrap().len(), 2);
    assert_eq!((&shown["loops"][1]["loop"], &shown["loops"][1]["reviews"]), (&json!("032/spec"), &json!(3)));

    let printed = scratch.run(["replay", "loops.jsonl", "--json"]).expect(0).stdout;
    assert!(printed.starts_with("{\n  \"v\": 1,"), "{printed}");
    let twice = scratch.json(["replay", "loops.jsonl", "loops.jsonl.gz"]);
    let ratio = usd(&twice["policies"]["cost"]) / usd(&policies["cost"]);
    assert!((ratio - 2.0).abs() < 0.001, "{ratio}");
    let table = scratch.run(["replay", "loops.jsonl"]).expect(0).stdout;
    for words in ["claude-opus-5.5, lifetimes up to 1h: 2 loops, 6 reviews", "\nhindsight ", "\nbound "] {
        assert!(table.contains(words), "{words} in\n{table}");
    }
}

#[test]
fn bad_lines_are_told_with_their_numbers_and_the_rest_is_counted() {
    let bad = |change: fn(&mut Value)| {
        let mut one = recorded("bad");
        change(&mut one);
        one.to_string()
    };
    let lines = [
        recorded("good").to_string(),
        "{\"loop\": ".to_owned(),
        bad(|one| one["times"] = json!([5, 4, 6])),
        bad(|one| one["times"] = json!([-5, 4, 6])),
        bad(|one| one["versions"] = json!([])),
        bad(|one| one["versions"][1] = json!("")),
        bad(|one| one["times"] = json!([1])),
        "x".repeat(17 << 20),
        "[1, 2]".to_owned(),
        recorded("good too").to_string(),
    ];
    let scratch = with_loops(&lines.join("\n"));
    let shown = scratch.json(["replay", "loops.jsonl"]);
    assert_eq!(shown["loops"].as_array().unwrap().len(), 2);
    let notes: Vec<&str> =
        shown["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    let told = [
        (2, "not a loop"),
        (3, "time 2 is before the one it follows"),
        (4, "a time is negative"),
        (5, "it has no versions"),
        (6, "version 2 is empty"),
        (7, "3 versions and 1 times"),
        (8, "17825792 bytes are more than 16777216"),
        (9, "not a loop"),
    ];
    assert_eq!(notes.len(), told.len(), "{notes:?}");
    for ((line, why), note) in told.iter().zip(notes) {
        assert!(note.contains(&format!("loops.jsonl:{line}: ")) && note.contains(why), "{why} in {note}");
    }
    let talk = scratch.run(["replay", "loops.jsonl"]).expect(0).stderr;
    assert!(talk.contains("loops.jsonl:8: "), "{talk}");
}

#[test]
fn a_packed_file_that_is_cut_short_is_counted_as_far_as_it_goes() {
    let scratch = with_loops("");
    let mut packed = GzEncoder::new(Vec::new(), Compression::none());
    writeln!(packed, "{}\n{}", recorded("031/spec"), recorded("032/spec")).unwrap();
    let bytes = packed.finish().unwrap();
    fs::write(scratch.root().join("cut.gz"), &bytes[..bytes.len() * 3 / 4]).unwrap();
    let shown = scratch.json(["replay", "cut.gz"]);
    assert_eq!(shown["loops"].as_array().unwrap().len(), 1);
    let note = shown["notes"][0].as_str().unwrap();
    assert!(note.contains("cut.gz:2: cannot be read further"), "{note}");
}

#[test]
fn several_cards_are_a_list_and_one_without_the_lifetime_is_left_out() {
    let scratch = with_loops(&recorded("031/spec").to_string());
    let shown = scratch.json([
        "replay",
        "loops.jsonl",
        "--prices",
        "claude-opus-5.5",
        "--prices",
        "gpt-6-sol",
        "--prices",
        "claude-sonnet-4.6",
        "--ttl",
        "5m",
    ]);
    let cards: Vec<(&str, &str)> = shown["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| (card["model"].as_str().unwrap(), card["ttl"].as_str().unwrap()))
        .collect();
    assert_eq!(cards, [("claude-opus-5.5", "5m"), ("claude-sonnet-4.6", "5m")]);
    let note = shown["notes"][0].as_str().unwrap();
    assert!(note.contains("gpt-6-sol") && note.contains("30m"), "{note}");
    assert!(shown["cards"][0]["policies"]["cost"]["input_usd"].is_f64());

    let alone = scratch.run(["replay", "loops.jsonl", "--prices", "gpt-6-sol", "--ttl", "5m"]).expect(2);
    assert!(alone.stderr.contains("gpt-6-sol has no cache lifetime of 5m, only 30m"), "{}", alone.stderr);
    let longest = scratch.json(["replay", "loops.jsonl", "--prices", "gpt-6.1-terra"]);
    assert_eq!(longest["ttl"], json!("12h"));
}

#[test]
fn options_change_what_is_assumed() {
    let scratch = with_loops(&recorded("031/spec").to_string());
    let policies = |more: &[&str]| {
        let mut words = vec!["replay", "loops.jsonl"];
        words.extend(more);
        scratch.json(words)["policies"].clone()
    };
    let usual = policies(&[]);
    let never = policies(&["--hit-rate", "0"]);
    assert_eq!(never["inline"]["tokens"]["read"], json!(0));
    assert!(usd(&never["resume"]) > usd(&usual["resume"]));
    let half = policies(&["--hit-rate", "0.5"]);
    let mean = (usd(&never["inline"]) + usd(&usual["inline"])) / 2.0;
    assert!((usd(&half["inline"]) - mean).abs() < 0.000_01);
    assert_eq!(policies(&["--output-tokens", "100"])["inline"]["tokens"]["output"], json!(300));
    let small = policies(&["--overhead-tokens", "1000"]);
    let saved = usual["inject"]["tokens"]["uncached"].as_u64().unwrap()
        - small["inject"]["tokens"]["uncached"].as_u64().unwrap();
    assert_eq!(saved, 3 * 2_500);
    assert_eq!(policies(&["--role", "phase"])["seed"]["guard_trips"], json!(2));
    let scoped = policies(&["--knowledge", "scoped"]);
    assert!(usd(&scoped["cost"]) < usd(&usual["cost"]));
    assert!(usd(&scoped["cost"]) <= usd(&scoped["digest"]));
}

#[test]
fn what_cannot_be_done_is_told_with_a_way_out() {
    let scratch = with_loops("\n\n");
    let unnamed = scratch.run(["replay"]).expect(2);
    assert!(unnamed.stderr.contains("redraft replay --ledger"), "{}", unnamed.stderr);
    let nothing = scratch.run(["replay", "loops.jsonl"]).expect(1);
    assert!(
        nothing.stderr.contains("no loop was found, so there is nothing to replay"),
        "{}",
        nothing.stderr
    );
    assert_eq!(nothing.stdout, "", "a table of zeros says nothing");
    let missing = scratch.run(["replay", "absent.jsonl"]).expect(2);
    assert!(missing.stderr.contains("absent.jsonl cannot be read"), "{}", missing.stderr);
    let unknown = scratch.run(["replay", "loops.jsonl", "--prices", "claude-opus-55"]).expect(2);
    assert!(unknown.stderr.contains("claude-opus-5-5"), "{}", unknown.stderr);
    for words in [
        &["replay"][..],
        &["replay", "loops.jsonl", "--hit-rate", "1.5"],
        &["replay", "loops.jsonl", "--ttl", "2h"],
    ] {
        scratch.run(words).expect(2);
    }
}

#[test]
fn where_nothing_costs_money_every_loop_has_the_tokens_that_were_not_cached() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.run(["run"]).expect(0);
    let shown = scratch.json(["replay", "--ledger", "--prices", "local"]);
    let one = &shown["loops"][0];
    assert_eq!(one["input_usd"]["lazy"], json!(0.0));
    let tokens = |policy: &str| one["not_cached"][policy].as_u64().unwrap();
    assert!(tokens("inject") > tokens("inline") && tokens("hindsight") > 0, "{one}");
    assert!(shown["notes"][0].as_str().unwrap().contains("not_cached"), "{}", shown["notes"]);
}

#[test]
fn loops_of_the_own_ledger_are_replayed() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.run(["run"]).expect(0);
    let shown = scratch.json(["replay", "--ledger"]);
    assert_eq!(shown["notes"], json!([]));
    let loops = shown["loops"].as_array().unwrap();
    let names: Vec<&str> = loops.iter().map(|one| one["loop"].as_str().unwrap()).collect();
    assert_eq!(names, ["001/specify.1/spec-reviewer", "001/specify.1/phase-reviewer"]);
    assert!(loops[0]["reviews"].as_u64().unwrap() >= 2);
    assert_eq!(scratch.json(["replay", "--ledger", "001"])["loops"], shown["loops"]);
    scratch.run(["replay", "--ledger", "009"]).expect(2);

    // The ledger says whose reviews they were; a typed role wins.
    let as_domain = scratch.json(["replay", "--ledger", "--role", "domain"]);
    let as_phase = scratch.json(["replay", "--ledger", "--role", "phase"]);
    let of = |shown: &Value, at: usize| shown["loops"][at]["input_usd"].clone();
    assert_eq!((of(&shown, 0), of(&shown, 1)), (of(&as_domain, 0), of(&as_phase, 1)));
    assert_ne!(of(&as_domain, 1)["lazy"], of(&as_phase, 1)["lazy"]);
}

#[test]
fn prices_of_the_repository_hold_before_the_built_in_ones_and_are_told() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.write("loops.jsonl", &recorded("031/spec").to_string());
    let usual = scratch.json(["replay", "loops.jsonl"]);
    assert_eq!(usual["notes"], json!([]));
    let prices =
        "[prices.\"claude-opus-5.5\"]\ninput = 8\noutput = 20\n[prices.\"my-own\"]\ninput = 1\noutput = 2\n";
    scratch.write("redraft.toml", prices);
    let own = scratch.json(["replay", "loops.jsonl"]);
    let ratio = usd(&own["policies"]["inject"]) / usd(&usual["policies"]["inject"]);
    assert!((ratio - 2.0).abs() < 0.001, "{ratio}");
    assert_eq!(own["notes"], json!(["claude-opus-5.5: the prices come from redraft.toml"]));
    scratch.json(["replay", "loops.jsonl", "--prices", "my-own"]);
    let other = scratch.json(["replay", "loops.jsonl", "--prices", "gpt-6-sol"]);
    assert_eq!(other["notes"], json!([]), "nothing of it was changed");
    scratch.write("redraft.toml", "[prices");
    let broken = scratch.json(["replay", "loops.jsonl"]);
    assert_eq!(broken["policies"], usual["policies"]);
    assert!(broken["notes"][0].as_str().unwrap().starts_with("the built-in prices are used, because "));
}

#[test]
fn what_editors_put_before_the_first_line_is_no_fault_and_no_line_takes_memory_without_bound() {
    let mut many_lines = recorded("many lines");
    many_lines["versions"][2] = json!("x\n".repeat(100_001));
    let text = format!("\u{feff}{}\nnull\n{{}}\n{many_lines}", recorded("good"));
    let scratch = with_loops(&text);
    let table = scratch.run(["replay", "loops.jsonl"]).expect(0).stdout;
    assert!(table.contains(": 1 loop, 3 reviews\n"), "{table}");
    let shown = scratch.json(["replay", "loops.jsonl"]);
    let notes: Vec<&str> =
        shown["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    let told = [
        ":2: not a loop: it is not a JSON object, skipped",
        ":3: not a loop: missing field `versions` at column 2, skipped",
        ":4: a document of 100001 lines is more than 100000, skipped",
    ];
    assert_eq!(notes.len(), told.len(), "{notes:?}");
    assert!(told.iter().zip(&notes).all(|(told, note)| note.ends_with(told)), "{notes:?}");
}

#[test]
fn loops_of_a_file_teach_later_ones_only_where_they_are_said_to() {
    // A repository in which nothing is answered within five minutes, which is unusual.
    let slow = |number: usize| {
        let mut one = recorded(&format!("{number:03}/spec"));
        one["times"] = json!([1_000, 2_500, 4_000]);
        one.to_string()
    };
    let text: Vec<String> = (0..60).map(slow).collect();
    let scratch = with_loops(&text.join("\n"));
    let alone = scratch.json(["replay", "loops.jsonl", "--hit-rate", "0.9"]);
    let taught = scratch.json(["replay", "loops.jsonl", "--hit-rate", "0.9", "--learn"]);
    let cost = |shown: &Value| usd(&shown["policies"]["cost"]);
    assert!(cost(&taught) < cost(&alone), "{} {}", cost(&taught), cost(&alone));
    assert_eq!(alone["policies"]["inline"], taught["policies"]["inline"], "the others learn nothing");
    let first = |shown: &Value| shown["loops"][0]["input_usd"]["cost"].clone();
    assert_eq!(first(&alone), first(&taught), "the first loop has nothing to learn from");
}
