use super::*;
use crate::bank::terms;

const HEURISTICS: &str = "\
### Quote variables in shell scripts
Unquoted variables split on blanks; see `scripts/*.sh`.

### Lock files before writing
A lock must be taken before the ledger is written, or two processes append at once. See `src/ledger.rs`.

### Name units in numbers
A duration without its unit is misread.
- Checked by: lint vague-word
";

fn feature(paths: &[&str], decisions: &[&str], findings: &[&str], rules: &[&str]) -> FeatureRecord {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    FeatureRecord {
        paths: owned(paths),
        decisions: owned(decisions),
        findings: owned(findings),
        rules: owned(rules),
    }
}

#[test]
fn an_entry_is_relevant_by_files_words_or_rules_and_says_why() {
    let all = entries(BankFile::Heuristic, HEURISTICS);
    for (feature, expected) in [
        (
            feature(&["scripts/build.sh"], &[], &[], &[]),
            "Quote variables in shell scripts: files: scripts/build.sh",
        ),
        (feature(&["scripts/build.py", "docs/x.md"], &[], &[], &[]), ""),
        (
            feature(&["crates/src/ledger.rs"], &[], &[], &[]),
            "Lock files before writing: files: crates/src/ledger.rs",
        ),
        (
            feature(&[], &[], &["two processes may append to the ledger without any lock"], &[]),
            "Lock files before writing: finding: append, ledger, lock, process",
        ),
        (feature(&[], &["the ledger is nice"], &[], &[]), ""),
        (
            feature(&[], &["quoted every variable of the shell"], &[], &[]),
            "Quote variables in shell scripts: decision: quot, shell, variabl",
        ),
        (feature(&[], &[], &[], &["vague-word"]), "Name units in numbers: rules: vague-word"),
        (feature(&[], &[], &[], &[]), ""),
    ] {
        let found = relevant(&all, &feature);
        let told: Vec<String> =
            found.iter().map(|found| format!("{}: {}", found.entry.name, found.why)).collect();
        assert_eq!(told.join("\n"), expected, "{feature:?}");
    }
    let patterns = entries(BankFile::Pattern, HEURISTICS);
    assert!(relevant(&patterns, &feature(&["src/ledger.rs"], &[], &[], &[])).is_empty());
}

#[test]
fn entries_are_selected_by_files_and_words_nearest_first_within_the_tokens() {
    let bank = Bank::read(&[(BankFile::Heuristic, HEURISTICS.to_owned())]);
    let query = |paths: &[&str], text: &str| Query {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        text: text.to_owned(),
    };
    let index = Index::new(bank.clone());
    let told = |query: &Query| -> Vec<&str> {
        index.select(query).iter().map(|selected| selected.entry.name.as_str()).collect()
    };
    assert_eq!(told(&query(&["src/ledger.rs"], "")), ["Lock files before writing"]);
    assert_eq!(told(&query(&[], "Change `src/ledger.rs` first.")), ["Lock files before writing"]);
    assert_eq!(told(&query(&[], "Give every number its unit, and name it")), ["Name units in numbers"]);
    let both = query(&["scripts/a.sh"], "a lock around writing the ledger, also where processes append");
    assert_eq!(told(&both), ["Quote variables in shell scripts", "Lock files before writing"]);
    assert!(told(&query(&["src/other.rs"], "nothing of the kind")).is_empty());
    // A long document has all words of an entry somewhere, which means nothing.
    let scattered = "a lock\n\n# The ledger\n\nis written\n\nby processes\n\nthat append";
    assert!(told(&query(&[], scattered)).is_empty());
    assert_eq!(told(&query(&[], &scattered.replace("\n\n", "\n"))), ["Lock files before writing"]);
    let line = &select(&bank, &query(&["src/ledger.rs"], ""))[0];
    assert!(line.starts_with("- Heuristic: Lock files before writing. A lock must be taken"), "{line}");
}

#[test]
fn what_is_selected_never_takes_more_than_its_tokens() {
    let mut text = String::new();
    for at in 0..300 {
        let words = "the ledger of the locks and its writers ".repeat(1 + at % 40);
        text.push_str(&format!("### Rule {at} about src/ledger.rs\n{words}\n\n"));
    }
    let bank = Bank::read(&[(BankFile::AntiPattern, text)]);
    assert_eq!(bank.entries.len(), 300);
    let selected = select(&bank, &Query { paths: vec!["src/ledger.rs".to_owned()], text: String::new() });
    let chars: usize = selected.iter().map(|line| line.chars().count() + 1).sum();
    assert!(!selected.is_empty() && chars <= TOKENS_MAX * 4, "{chars}");
}

#[test]
fn the_lists_of_words_are_in_order_because_they_are_searched_by_halves() {
    for word in ["about", "would", "heuristic", "used"] {
        assert!(terms::terms(word).is_empty(), "{word}");
    }
    for file in ["a.c", "a.yml", "a.rs", "a.toml"] {
        assert_eq!(terms::paths(file), [file]);
    }
    assert!(terms::COMMON.is_sorted() && terms::ENDINGS.is_sorted());
}
