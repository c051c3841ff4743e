//! The knowledge bank, through the command line: what is stale after a history of forty features, and a person's
//! decisions about it.

use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;

/// What entered git, in this order, one a day from 2020-01-01 on: numbers out of order, and two of them given twice.
const IN_GIT: [&str; 28] = [
    "005-login",
    "003-export",
    "001-shop",
    "002-cart",
    "004-search",
    "009-tax",
    "007-mail",
    "006-stock",
    "008-refund",
    "010-audit",
    "030-early",
    "011-cache",
    "012-theme",
    "014-tags",
    "013-sort",
    "013-filter",
    "015-sync",
    "016-queue",
    "018-retry",
    "017-limits",
    "019-trace",
    "020-alerts",
    "021-roles",
    "022-tokens",
    "022-labels",
    "023-print",
    "024-feeds",
    "025-import",
];

/// How many features the ledger adds later; the numbers continue after the highest that was given out.
const IN_LEDGER: usize = 12;

const ANTI_PATTERNS: &str = "\
# Anti-Patterns

<!-- Template:
### Anti-Pattern: Name
- Observed in: Feature #001
-->

### Anti-Pattern: First of all
- Last observed: Feature #005

### Anti-Pattern: Eleven later
- Observed in: Feature #001
- Last observed: Feature #015
- Observation count: 3

### Anti-Pattern: Ten later
**Last observed:** feature 016
**Observation count:** 2

### Anti-Pattern: Nine later
- Last observed: 018-retry

### Anti-Pattern: High number, early
- Last observed: Feature #030

### Anti-Pattern: Number given twice
- Last observed: Feature #013

### Anti-Pattern: The first of the two
- Last observed: 013-sort

### Anti-Pattern: Second of the other two
- Last observed: Feature #022

### Anti-Pattern: Never heard of
- Last observed: Feature #099

### Anti-Pattern: Without fields
Some text and nothing else.

### Anti-Pattern: Bug report
- Observed in: Plugin cache staleness bug
";

const HEURISTICS: &str = "\
# Heuristics

## Of days

### Ten later by date
- Last observed: 2020-01-18

### Nine later by date
Source: 2020-01-19

### Approximate
- Source: a chat
- Last observed: Feature #017 (approximate - original provenance was non-numeric)

### Old mark ⚠️ STALE
- Source: Feature 025
";

const PATTERNS: &str = "### Pattern: Old but fine\nIt worked.\n- Used in: Feature #005\n";

fn commit(scratch: &Scratch, day: usize) {
    scratch.git(["add", "."]);
    let date = format!("2020-01-{day:02}T12:00:00Z");
    scratch.git(["commit", "-q", "--date", &date, "-m", "a day's work"]);
}

/// A repository whose bank entered git with the feature of the eighth day.
fn repository() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    for (at, name) in IN_GIT.iter().enumerate() {
        scratch.write(&format!("docs/features/{name}/spec.md"), &format!("# {name}\n"));
        if *name == "006-stock" {
            scratch.write("docs/knowledge-bank/anti-patterns.md", ANTI_PATTERNS);
            scratch.write("docs/knowledge-bank/heuristics.md", HEURISTICS);
            scratch.write("docs/knowledge-bank/patterns.md", PATTERNS);
        }
        commit(&scratch, at + 1);
    }
    scratch
}

/// Every entry with its state and how many features came after it.
fn table(scratch: &Scratch) -> Vec<(String, String, Option<u64>)> {
    let list = scratch.json(["bank"]);
    assert_eq!(list["v"], 1);
    let row = |entry: &Value| {
        let word = |key: &str| entry[key].as_str().unwrap().to_owned();
        (word("name"), word("life"), entry["features_since"].as_u64())
    };
    list["entries"].as_array().unwrap().iter().map(row).collect()
}

fn file(scratch: &Scratch, name: &str) -> String {
    fs::read_to_string(scratch.root().join("docs/knowledge-bank").join(name)).unwrap()
}

/// SC-14: the whole table, first by git alone, then with twelve features of the ledger more.
#[test]
fn sc_14_a_history_of_forty_features_ages_every_entry_by_the_order_of_creation() {
    let scratch = repository();
    let expected = |more: u64| -> Vec<(String, String, Option<u64>)> {
        let row = |name: &str, later: Option<u64>| {
            let later = later.map(|later| later + more);
            let life = match later {
                None => "unknown",
                Some(later) if later >= 10 => "stale",
                Some(_) => "current",
            };
            (name.to_owned(), life.to_owned(), later)
        };
        let mut rows = vec![
            row("First of all", Some(27)),
            row("Eleven later", Some(11)),
            row("Ten later", Some(10)),
            row("Nine later", Some(9)),
            row("High number, early", Some(17)),
            row("Number given twice", Some(12)),
            row("The first of the two", Some(13)),
            row("Second of the other two", Some(3)),
            row("Never heard of", None),
            row("Without fields", None),
            row("Bug report", None),
            row("Ten later by date", Some(10)),
            row("Nine later by date", Some(9)),
            row("Approximate", Some(8)),
            row("Old mark", Some(0)),
        ];
        rows.push(("Old but fine".to_owned(), "exempt".to_owned(), None));
        rows
    };
    assert_eq!(table(&scratch), expected(0));
    for at in 0..IN_LEDGER {
        scratch.run(["new", &format!("idea {at}"), "--lane", "express"]).expect(0);
        if at == 0 {
            assert_eq!(table(&scratch), expected(1), "nine have become ten");
        }
    }
    assert_eq!(table(&scratch), expected(IN_LEDGER as u64));
    let stale = scratch.json(["bank", "--stale", "--kind", "heuristic"]);
    let names: Vec<&str> =
        stale["entries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Ten later by date", "Nine later by date", "Approximate", "Old mark"]);
    // Nothing of this was written anywhere.
    assert_eq!(file(&scratch, "anti-patterns.md"), ANTI_PATTERNS);
    let shown = scratch.run(["bank"]).expect(0).stdout;
    assert!(shown.contains("  stale First of all\n        39 features since it was observed;"), "{shown}");
    assert!(shown.contains("next: redraft bank keep 'First of all'   (or update, or retire)"), "{shown}");
}

/// SC-12, AC-15: a dry run first; afterwards every anti-pattern and heuristic has both fields.
#[test]
fn sc_12_ac_15_missing_fields_are_filled_in_and_nothing_else_is_touched() {
    let scratch = repository();
    let dry = scratch.json(["bank", "backfill"]);
    assert_eq!((&dry["written"], dry["filled"].as_array().unwrap().len()), (&Value::Bool(false), 13));
    assert_eq!(file(&scratch, "anti-patterns.md"), ANTI_PATTERNS);
    let written = scratch.json(["bank", "backfill", "--write"]);
    assert_eq!(written["filled"], dry["filled"]);
    let anti_patterns = file(&scratch, "anti-patterns.md");
    let count = "- Observation count: 1\n";
    let approximate = |why: &str| format!("- Last observed: Feature #006 (approximate — {why})\n{count}");
    let mut expected = ANTI_PATTERNS
        .replace("bug\n", &format!("bug\n{}", approximate("original provenance was non-numeric")));
    expected = expected
        .replace("nothing else.\n", &format!("nothing else.\n{}", approximate("no provenance was given")));
    for line in [
        "Feature #005\n",
        "018-retry\n",
        "Feature #030\n",
        "Feature #013\n",
        "013-sort\n",
        "Feature #022\n",
        "Feature #099\n",
    ] {
        expected =
            expected.replace(&format!("- Last observed: {line}"), &format!("- Last observed: {line}{count}"));
    }
    assert_eq!(anti_patterns, expected);
    let heuristics = file(&scratch, "heuristics.md");
    let dated = "Source: 2020-01-19\nLast observed: Feature #018 (approximate — original provenance was a date)\nObservation count: 1\n";
    assert!(heuristics.contains(dated), "{heuristics}");
    assert!(
        heuristics.contains("- Source: Feature 025\n- Last observed: Feature #025\n- Observation count: 1\n")
    );
    assert_eq!(file(&scratch, "patterns.md"), PATTERNS);
    // The second time there is nothing left to do.
    let again = scratch.run(["bank", "backfill", "--write"]).expect(0).stdout;
    assert!(again.starts_with("there is nothing to fill in\n"), "{again}");
    assert_eq!(file(&scratch, "anti-patterns.md"), anti_patterns);
}

/// AC-18: keep, update and retire do what they say, and only that.
#[test]
fn ac_18_entries_are_kept_updated_and_retired_by_a_persons_word() {
    let scratch = repository();
    let kept = scratch.json(["bank", "keep", "old mark"]);
    assert_eq!((&kept["done"], &kept["feature"]), (&"kept".into(), &"025".into()));
    let kept = "### Old mark\n- Source: Feature 025\n- Last observed: Feature #025\n";
    assert_eq!(
        file(&scratch, "heuristics.md"),
        HEURISTICS.replace("### Old mark ⚠️ STALE\n- Source: Feature 025\n", kept)
    );
    assert_eq!(scratch.json(["bank", "keep", "Old mark"])["changed"], false);

    scratch.run(["bank", "update", "Ten later", "--text", "New words.", "--feature", "024"]).expect(0);
    let updated = "### Anti-Pattern: Ten later\nNew words.\n**Last observed:** Feature #024\n**Observation count:** 1\n";
    let old = "### Anti-Pattern: Ten later\n**Last observed:** feature 016\n**Observation count:** 2\n";
    let expected = ANTI_PATTERNS.replace(old, updated);
    assert_eq!(file(&scratch, "anti-patterns.md"), expected);

    let retired = scratch.json(["bank", "retire", "Bug report", "--why", "the cache is gone"]);
    assert_eq!(retired["noted_in"], "docs/knowledge-bank/retired.md");
    let expected =
        expected.replace("\n### Anti-Pattern: Bug report\n- Observed in: Plugin cache staleness bug\n", "");
    assert_eq!(file(&scratch, "anti-patterns.md"), expected);
    scratch.run(["bank", "retire", "Never heard of", "--why", "nobody knows it"]).expect(0);
    let notes = "# Retired entries\n\n- Retired: Bug report — the cache is gone\n- Retired: Never heard of — nobody knows it\n";
    assert_eq!(file(&scratch, "retired.md"), notes);

    // The retro of a feature that is named takes the note.
    scratch.write("docs/features/024-feeds/retro.md", "# Retro\n\nIt went well.");
    let words = ["bank", "retire", "Eleven later", "--why", "no longer", "--feature", "024"];
    assert_eq!(scratch.json(words)["noted_in"], "docs/features/024-feeds/retro.md");
    let retro = fs::read_to_string(scratch.root().join("docs/features/024-feeds/retro.md")).unwrap();
    assert_eq!(retro, "# Retro\n\nIt went well.\n\n- Retired: Eleven later — no longer\n");
    // Nothing was committed in the user's name.
    assert!(scratch.git(["status", "--porcelain"]).contains("docs/knowledge-bank/anti-patterns.md"));
}

#[test]
fn an_entry_is_stale_when_code_it_names_changed_after_its_last_observation_was_written() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("src/lock.rs", "one\n");
    scratch.write("docs/features/001-a/spec.md", "# A\n");
    let bank = "### Locks\nSee `src/lock.rs`.\n- Source: Feature #001\n\n### Anchored\n- Source: Feature #001\n- Anchor: src/other.rs\n";
    scratch.write("docs/knowledge-bank/heuristics.md", bank);
    commit(&scratch, 1);
    let lives = || -> Vec<String> { table(&scratch).into_iter().map(|(_, life, _)| life).collect() };
    assert_eq!(lives(), ["current", "current"]);
    scratch.write("src/lock.rs", "two\n");
    scratch.write("src/other.rs", "new\n");
    assert_eq!(lives(), ["current", "current"], "what no commit holds has not happened yet");
    commit(&scratch, 2);
    assert_eq!(lives(), ["stale", "stale"]);
    let shown = scratch.json(["bank", "show", "Locks"]);
    assert_eq!(
        (&shown["why"], &shown["changed"][0]),
        (&"src/lock.rs changed since".into(), &"src/lock.rs".into())
    );
    scratch.run(["bank", "keep", "Locks"]).expect(0);
    assert_eq!(lives(), ["current", "stale"]);
    commit(&scratch, 3);
    assert_eq!(lives(), ["current", "stale"], "also when it is committed");
    // The same feature, and code that changed once more: the command says up to which commit it holds.
    let head = || scratch.git(["rev-parse", "HEAD"])[..10].to_owned();
    for text in ["three\n", "four\n"] {
        scratch.write("src/lock.rs", text);
        commit(&scratch, 4);
        assert_eq!(lives(), ["stale", "stale"]);
        scratch.run(["bank", "keep", "Locks"]).expect(0);
        assert_eq!(lives(), ["current", "stale"]);
        let line = format!("- Last observed: Feature #001 (holds at {})\n", head());
        assert!(file(&scratch, "heuristics.md").contains(&line), "{line}");
        commit(&scratch, 5);
    }
}

#[test]
fn mistakes_are_told_with_the_way_out_and_an_empty_bank_is_no_error() {
    let scratch = Scratch::repository(PROGRAM);
    let empty = scratch.run(["bank"]).expect(0).stdout;
    assert!(empty.starts_with("docs/knowledge-bank/ has no entries here"), "{empty}");
    assert_eq!(scratch.json(["bank"])["total"], 0);
    scratch.run(["bank", "backfill", "--write"]).expect(0);
    assert!(!scratch.root().join("docs/knowledge-bank").exists());
    scratch.write("docs/knowledge-bank/heuristics.md", "### Twice\na\n### Twice\nb\n### Once\nc\n");
    scratch.write("docs/knowledge-bank/patterns.md", "### Once\nd\n");
    for (words, said) in [
        (&["bank", "show", "nothing like it"][..], "there is no entry `nothing like it`"),
        (&["bank", "keep", "Onc"], "use the full name: `Once`, `Once`"),
        (
            &["bank", "show", "Twice"],
            "docs/knowledge-bank/heuristics.md:1, docs/knowledge-bank/heuristics.md:3",
        ),
        (&["bank", "show", "Once"], "--kind heuristic or --kind pattern"),
        (
            &["bank", "keep", "Once", "--kind", "heuristic"],
            "there is no feature here that could have observed the entry",
        ),
        (
            &["bank", "retire", "Once", "--kind", "heuristic", "--why", " "],
            "an entry is retired for a reason",
        ),
        (&["bank", "keep", "Once", "--kind", "heuristic", "--feature", "7"], "there is no feature 7"),
    ] {
        let told = scratch.run(words).expect(2).stderr;
        assert!(told.contains(said), "{words:?}: {told}");
    }
    fs::write(scratch.root().join("docs/knowledge-bank/heuristics.md"), b"### \xff\n").unwrap();
    let told = scratch.run(["bank"]).expect(3).stderr;
    assert!(told.contains("heuristics.md: it cannot be read: it is not UTF-8 text"), "{told}");
    let agent =
        scratch.redraft(["bank", "retire", "Once", "--why", "x"]).env("REDRAFT_TICKET", "001/x").output();
    let told = redraft_testkit::Ran::new(agent.unwrap()).expect(2).stderr;
    assert!(told.contains("cannot change the knowledge bank"), "{told}");
}
