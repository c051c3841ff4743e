//! `redraft models`: every model with its price, and what each agent uses; and models as people name them.

use crate::world::PROGRAM;
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const CONFIG: &str = "[agents.claude]\n[agents.codex]\nmodel = \"gpt-6\"\n\
    [agents.local]\nkind = \"openai\"\nmodel = \"qwen3-coder-30b-a3b-instruct-q4-k-m\"\nbase_url = \"http://127.0.0.1:9/v1\"\nprice = \"local\"\n\
    [agents.odd]\nkind = \"claude\"\nmodel = \"claude-opus-9\"\n\
    [agents.dear]\nkind = \"openai\"\nmodel = \"mystery\"\nprice = \"unknown\"\n\
    [prices.sonnet]\ninput = 3\n[prices.\"house-model-with-quite-a-long-name\"]\ninput = 1\noutput = 1234.5\n";

fn find<'a>(list: &'a Value, key: &str, name: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|one| one[key] == name).unwrap_or_else(|| panic!("{name}: {list:#}"))
}

#[test]
fn the_list_needs_no_repository_and_says_how_old_it_is() {
    let scratch = Scratch::empty(PROGRAM);
    let text = scratch.run(["models"]).expect(0).stdout;
    let row = text.lines().find(|line| line.contains(" claude-sonnet-5-5 ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(
        cells,
        ["anthropic", "claude-sonnet-5-5", "sonnet", "2.00", "0.10", "2.50", "10.00", "200,000"]
    );
    assert!(
        text.contains("prices read in 20") && text.contains(" ago\n") | text.contains("this month\n"),
        "{text}"
    );
    assert!(!text.contains('*'), "nothing was changed here: {text}");
    let object = scratch.json(["models"]);
    let agents: Vec<&str> =
        object["agents"].as_array().unwrap().iter().map(|one| one["agent"].as_str().unwrap()).collect();
    assert_eq!(object["v"], 1);
    assert_eq!(agents, ["anthropic", "claude", "codex", "openai", "rehearsal"], "they need no table");
    let opus = find(&object["models"], "model", "claude-opus-5-5");
    assert_eq!(
        (&opus["writes"], &opus["aliases"][0]),
        (&json!({"5m": "5.00", "1h": "8.00"}), &json!("opus"))
    );
    // The clock is the program's own, so that a year later is a year later.
    let mut later = scratch.redraft(["models", "--json"]);
    let later = Ran::new(later.env("REDRAFT_CLOCK_AHEAD_MS", "4000000000").output().unwrap());
    let later: Value = serde_json::from_str(&later.stdout).unwrap();
    assert_ne!(later["age"], object["age"], "46 days are another month");
}

#[test]
fn agents_and_prices_of_the_configuration_are_told_apart_within_100_columns() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("redraft.toml", CONFIG);
    let object = scratch.json(["models"]);
    let agent = |name: &str| {
        let agent = find(&object["agents"], "agent", name);
        let text = |key: &str| agent[key].as_str().unwrap_or("null").to_owned();
        (text("model"), text("card"), text("price"))
    };
    let expect = |model: &str, card: &str, price: &str| (model.to_owned(), card.to_owned(), price.to_owned());
    assert_eq!(agent("claude"), expect("claude-sonnet-5-5", "claude-sonnet-5-5", "known"));
    assert_eq!(agent("codex"), expect("gpt-6-sol", "gpt-6-sol", "known"));
    assert_eq!(agent("local"), expect("qwen3-coder-30b-a3b-instruct-q4-k-m", "local", "local"));
    assert_eq!(agent("dear"), expect("mystery", "unknown", "unknown"));
    assert_eq!(agent("odd"), expect("claude-opus-9", "null", "missing"));
    assert_eq!(agent("rehearsal"), expect("null", "null", "none"));
    let sonnet = find(&object["models"], "model", "claude-sonnet-5-5");
    assert_eq!((&sonnet["basis"], &sonnet["input"]), (&json!("configured"), &json!("3.00")));
    let text = scratch.run(["models"]).expect(0).stdout;
    let tables = text.split("\n[agents.").next().unwrap();
    for line in tables.lines() {
        assert!(line.chars().count() <= 100, "{}: {line}", line.chars().count());
    }
    assert!(
        text.contains(" claude-sonnet-5-5* ") && text.contains("* from [prices] in redraft.toml"),
        "{text}"
    );
    assert!(text.contains("[prices.\"claude-opus-9\"]\n    input = "), "{text}");
    scratch.write("redraft.toml", "[agents.claude]\nmodels = \"x\"\n");
    scratch.run(["models"]).expect(3);
}

/// A program in place of Claude Code that notes what it is called with.
fn stub(scratch: &Scratch) {
    let program = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '2.1.197 (Claude Code)'; exit 0; fi\n\
                   printf '%s\\n' \"$@\" > \"$(dirname \"$0\")/words\"\nexit 1\n";
    let file = scratch.root().join("claude.sh");
    fs::write(&file, program).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_called_is_the_model_that_was_priced() {
    for (model, called) in [
        ("", "claude-sonnet-5-5"),
        ("model = \"opus\"\n", "claude-opus-5-5"),
        ("model = \"claude-sonnet-4.5-20250929\"\n", "claude-sonnet-4-5-20250929"),
        ("model = \"sonnet[1m]\"\n", "claude-sonnet-5-5[1m]"),
    ] {
        let scratch = Scratch::repository(PROGRAM);
        stub(&scratch);
        let agent = format!("[agents.claude]\n{model}program = \"./claude.sh\"\n");
        scratch.write(
            "redraft.toml",
            &format!("{agent}[roles]\ndefault = \"claude\"\n[sandbox]\nlevel = \"off\"\n"),
        );
        scratch.run(["trust", "--yes"]).expect(0);
        scratch.run(["new", "--until", "specify", "Export orders"]).expect(0);
        let asked = scratch.run(["run", "001"]).expect(6);
        assert!(
            asked.stderr.contains(&format!("claude 2.1.197 (Claude Code), {called}"))
                || asked.stderr.contains(called),
            "{}",
            asked.stderr
        );
        scratch.run(["run", "001", "--yes"]);
        let words = fs::read_to_string(scratch.root().join("words")).unwrap();
        assert!(words.contains(&format!("--model\n{called}\n")), "{words}");
    }
}

#[test]
fn a_model_without_a_price_is_refused_with_lines_that_can_be_pasted() {
    let scratch = Scratch::repository(PROGRAM);
    stub(&scratch);
    let agent = "[agents.claude]\nmodel = \"claude-opus-9\"\nprogram = \"./claude.sh\"\n";
    let roles = "[roles]\ndefault = \"claude\"\n";
    scratch.write("redraft.toml", &format!("{agent}{roles}"));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["new", "--until", "specify", "Export orders"]).expect(0);
    let refused = scratch.run(["run", "001", "--yes"]).expect(3).stderr;
    assert!(
        refused.contains("the nearest are claude-opus-5-5, claude-opus-5, claude-opus-4-8\n"),
        "{refused}"
    );
    let (_, lines) = refused.split_once("    [prices.").unwrap();
    let (lines, rest) = lines.split_once("\n    |   or ").unwrap();
    let pasted = format!("[prices.{lines}\n");
    scratch.write("redraft.toml", &format!("{agent}{roles}{pasted}"));
    scratch.run(["run", "001"]).expect(6);
    for price in ["price = \"unknown\"", "price = \"local\""] {
        let line = rest.lines().find(|line| line.contains(price)).unwrap();
        scratch.write("redraft.toml", &format!("{agent}{line}\n{roles}"));
        let shown = scratch.json(["models"]);
        let card = &find(&shown["agents"], "agent", "claude")["price"];
        assert!(price.contains(card.as_str().unwrap()), "{price}: {card}");
    }
}
