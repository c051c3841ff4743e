//! Tests which entries of the knowledge bank prompts contain, what came of them, and entries that are gates.

use crate::world::{self, PROGRAM};
use redraft_testkit::Scratch;
use serde_json::{Value, json};

fn bodies(scratch: &Scratch, kind: &str) -> Vec<Value> {
    world::bodies(&world::events(scratch), kind).cloned().collect()
}

fn commit(scratch: &Scratch) {
    scratch.git(["add", "."]);
    scratch.git(["commit", "-q", "-m", "the bank"]);
}

const TOLD: &str = "\
# Heuristics

### Say how long every export may take
An export without a limit of time is cut off by some proxy; give the seconds for each export of a report.

### Whales are mammals
They breathe air and have nothing to do with any of this.
";

/// Entries that match reach prompts, in the part of the dispatch; others do not, and every prompt can be built again.
#[test]
fn entries_that_match_are_told_recorded_and_counted_and_prompts_are_rebuilt() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("docs/knowledge-bank/heuristics.md", TOLD);
    commit(&scratch);
    scratch.run(["new", "--until", "specify", "limit how long the export of a report may take"]).expect(0);
    scratch.run(["run", "--yes", "001"]).expect(0);
    let started = bodies(&scratch, "started");
    let told: Vec<&Value> = started.iter().filter(|fact| fact["told"] != json!([])).collect();
    assert!(!told.is_empty(), "{started:?}");
    for fact in &told {
        assert_eq!(fact["told"], json!(["heuristic: Say how long every export may take"]));
        let ticket = fact["ticket"].as_str().unwrap();
        let prompt = scratch.json(["show", "prompt", "--ticket", ticket]);
        let lessons: Vec<&Value> =
            prompt["fragments"].as_array().unwrap().iter().filter(|one| one["name"] == "lessons").collect();
        assert_eq!(lessons.len(), 1, "{prompt}");
        assert_eq!(lessons[0]["stability"], "turn");
        let text = lessons[0]["text"].as_str().unwrap();
        assert!(
            text.contains("they are not rules") && text.contains("```text\n- Heuristic: Say how long"),
            "{text}"
        );
        assert!(!text.contains("Whales"), "{text}");
    }
    let resumed = started.iter().filter(|fact| fact["choice"]["strategy"] == "resume");
    assert!(resumed.into_iter().all(|fact| fact["told"] == json!([])), "they have been told");
    let verified = scratch.run(["show", "prompt", "001", "--verify"]).expect(0).stdout;
    assert!(verified.contains("are identical"), "{verified}");
    let entry = |name: &str| scratch.json(["bank", "show", name]);
    let export = entry("Say how long");
    let count = |key: &str| export[key].as_u64().unwrap();
    assert_eq!(count("told"), told.len() as u64);
    assert_eq!(
        count("matched") + count("ignored") + count("contradicted"),
        count("told"),
        "the loop is over"
    );
    assert_eq!(entry("Whales")["told"], 0);
    // An entry that a feature challenges later was contradicted, whatever its findings said.
    let challenged = TOLD
        .replace("of a report.\n", "of a report.\n- Challenged: Feature #001 — `export.sh` has no limit\n");
    scratch.write("docs/knowledge-bank/heuristics.md", &challenged);
    assert_eq!(entry("Say how long")["contradicted"], told.len() as u64);
    let shown = scratch.run(["bank"]).expect(0).stdout;
    assert!(shown.contains(&format!("0 matched, 0 ignored, {} contradicted", told.len())), "{shown}");
}

/// The bank of a loop is the one it was opened with, whatever is written into the file afterwards.
#[test]
fn a_repository_without_a_bank_sends_the_prompts_it_always_sent() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("docs/knowledge-bank/heuristics.md", "# Heuristics\n\n<!-- none yet -->\n");
    commit(&scratch);
    scratch.run(["new", "--until", "specify", "limit how long the export of a report may take"]).expect(0);
    scratch.run(["run", "--yes", "001"]).expect(0);
    assert!(bodies(&scratch, "loop-opened").iter().all(|fact| fact["bank"].is_null()));
    assert!(bodies(&scratch, "started").iter().all(|fact| fact["told"] == json!([])));
}

#[test]
fn an_entry_can_name_a_rule_or_a_check_and_become_a_gate() {
    let scratch = Scratch::repository(PROGRAM);
    let bank = "### Numbers\n- Checked by: lint vague-word\n\n### Tests\n- Checked by: check test, lint no-such-rule\n\n### None\n- Checked by: check none\n";
    scratch.write("docs/knowledge-bank/heuristics.md", bank);
    scratch.write_unaccepted("redraft.toml", "[checks]\ntest = \"true\"\n");
    let spec = "# Spec\n\n## Requirements\n\nThe reader is to be told and not to wait.\n\n- R1: It must answer quickly.\n\n## Acceptance Criteria\n\n- AC1: yes\n";
    scratch.write("docs/features/001-x/spec.md", spec);
    let faults = scratch.json(["lint"]);
    let told: Vec<String> = faults["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| {
            format!(
                "{}:{} {} {}",
                fault["path"].as_str().unwrap(),
                fault["line"],
                fault["rule"].as_str().unwrap(),
                fault["level"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "docs/features/001-x/spec.md:7 vague-word error",
            "docs/knowledge-bank/heuristics.md:4 unknown-check warning",
            "docs/knowledge-bank/heuristics.md:7 unknown-check warning",
        ]
    );
    let gates = || -> Vec<(String, bool)> {
        let list = scratch.json(["bank"]);
        let entries = list["entries"].as_array().unwrap().clone();
        let gates = entries.iter().flat_map(|entry| entry["checked_by"].as_array().unwrap().clone());
        gates.map(|gate| (gate["by"].as_str().unwrap().to_owned(), gate["gate"].as_bool().unwrap())).collect()
    };
    let row = |by: &str, gate: bool| (by.to_owned(), gate);
    let expected = |test: bool| {
        vec![
            row("lint vague-word", true),
            row("check test", test),
            row("lint no-such-rule", false),
            row("check none", false),
        ]
    };
    assert_eq!(gates(), expected(false), "nobody has accepted the check");
    scratch.run(["trust", "--yes"]).expect(0);
    assert_eq!(gates(), expected(true));
    // What the project sets itself stays.
    scratch.write("redraft.toml", "[checks]\ntest = \"true\"\n[lint.rules]\nvague-word = \"off\"\n");
    assert_eq!(gates()[0], row("lint vague-word", false));
    let shown = scratch.run(["bank", "show", "Numbers"]).expect(0).stdout;
    assert!(
        shown
            .contains("checked by lint vague-word, no gate: redraft.toml sets lint rule `vague-word` to off"),
        "{shown}"
    );
}

/// An implementer is given entries that match the text of its task, a reviewer of code those that match the changed
/// files.
#[test]
fn implementers_and_reviewers_of_code_are_told_what_bears_on_their_files() {
    let scratch = Scratch::repository(PROGRAM);
    let bank = "### Greetings go to everybody\nSee `greet.sh`; a name that is empty was greeted once.\n\n\
                ### Whales are mammals\nThey breathe air. See `sea/whale.sh`.\n";
    scratch.write("docs/knowledge-bank/anti-patterns.md", bank);
    commit(&scratch);
    scratch.run(["new", "--lane", "express", "Write greet.sh, which greets people"]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(0);
    let started = bodies(&scratch, "started");
    let told = |purpose: &str| -> Vec<Value> {
        let of = |fact: &&Value| fact["ticket"].as_str().unwrap().contains(purpose);
        started.iter().filter(of).map(|fact| fact["told"].clone()).collect()
    };
    let expected = json!(["anti-pattern: Greetings go to everybody"]);
    for purpose in ["/implement/implementer/1.1", "/review/implementation-reviewer/1.1"] {
        assert_eq!(json!(told(purpose)), json!([expected]), "{purpose}");
    }
    let opened = bodies(&scratch, "loop-opened");
    assert!(opened.len() > 1 && opened.iter().all(|fact| fact["bank"] == opened[0]["bank"]), "kept once");
    let verified = scratch.run(["show", "prompt", "001", "--verify"]).expect(0).stdout;
    assert!(verified.contains("are identical"), "{verified}");
}
