use super::*;
use proptest::prelude::*;
use redraft_facts::ids::FeatureId;

/// Lines that mean something, in any order.
fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("### Anti-Pattern: One".to_owned()),
        Just("## Group".to_owned()),
        Just("#### Two".to_owned()),
        Just("### One ⚠️ STALE".to_owned()),
        Just("- Observed in: Feature #018".to_owned()),
        Just("**Last observed:** 2026-02-17".to_owned()),
        Just("* Observation count: 3".to_owned()),
        Just("  more of it".to_owned()),
        Just("- Challenged: Feature #007 — x".to_owned()),
        Just("```".to_owned()),
        Just("<!-- a".to_owned()),
        Just("-->".to_owned()),
        Just("---".to_owned()),
        Just(String::new()),
        Just("⚠️ STALE".to_owned()),
        "[ -~é漢]{0,12}",
    ];
    let ended = (line, prop_oneof![Just("\n"), Just("\r\n")]);
    (prop::collection::vec(ended, 0..24), any::<bool>()).prop_map(|(lines, open)| {
        let mut text: String = lines.into_iter().map(|(line, end)| format!("{line}{end}")).collect();
        if open {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

fn changes(name: &str, words: &str) -> Vec<BankChange> {
    let (name, words, feature) = (name.to_owned(), words.to_owned(), FeatureId(31));
    let new = NewEntry {
        kind: BankFile::AntiPattern,
        name: format!("New {words}"),
        text: words.clone(),
        provenance: "Feature #031".to_owned(),
        confidence: words.clone(),
    };
    vec![
        BankChange::Keep { name: name.clone(), feature },
        BankChange::Confirm { name: name.clone(), feature },
        BankChange::Challenge { name: name.clone(), feature, text: format!("`a.rs` says {words} and more") },
        BankChange::Update { name: name.clone(), feature, text: words.clone() },
        BankChange::Backfill { name: name.clone(), observed: "Feature #008".to_owned() },
        BankChange::Retire { name, reason: "gone".to_owned() },
        BankChange::Add(new),
    ]
}

proptest! {
    #[test]
    fn whatever_a_file_holds_a_change_touches_only_its_entry_and_is_made_once(text in lines(), words in "[ -~\n#é]{1,30}") {
        let before = entries(BankFile::AntiPattern, &text);
        prop_assert_eq!(&apply(BankFile::AntiPattern, &text, &[]).text, &text);
        let name = before.first().map_or("none", |entry| entry.name.as_str()).to_owned();
        for change in changes(&name, &words) {
            let applied = apply(BankFile::AntiPattern, &text, core::slice::from_ref(&change));
            let after = entries(BankFile::AntiPattern, &applied.text);
            let rest = |all: &[BankEntry]| -> Vec<(String, String)> {
                let others = all.iter().filter(|entry| !entry.is_called(&name) && !entry.name.starts_with("New"));
                others.map(|entry| (entry.name.clone(), entry.text.clone())).collect()
            };
            let (left, was) = (rest(&after), rest(&before));
            if matches!(change, BankChange::Retire { .. }) {
                // What stood below a retired entry, or above it as a group, may be an entry of its own now.
                prop_assert!(was.iter().all(|entry| left.contains(entry)), "{:?}: {:?}", change, applied.text);
            } else {
                prop_assert_eq!(left, was, "{:?}: {:?}", change, applied.text);
            }
            // And it may have the name of the one that was retired.
            if matches!(change, BankChange::Retire { .. }) && after.iter().any(|entry| entry.is_called(&name)) {
                continue;
            }
            let again = apply(BankFile::AntiPattern, &applied.text, core::slice::from_ref(&change));
            prop_assert_eq!(&again.text, &applied.text, "{:?}", change);
            if applied.changed == 0 {
                prop_assert_eq!(&applied.text, &text);
            }
        }
    }

    #[test]
    fn any_text_is_read_and_no_entry_stands_outside_of_it(text in "(?s).{0,300}") {
        let count = text.lines().count();
        for entry in entries(BankFile::Heuristic, &text) {
            prop_assert!(entry.line >= 1 && entry.line <= entry.end_line && entry.end_line as usize <= count);
            prop_assert!(!entry.name.is_empty());
        }
    }
}
