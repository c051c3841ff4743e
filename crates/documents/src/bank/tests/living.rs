use super::*;
use redraft_facts::ids::FeatureId;

fn order(ids: &[u32]) -> FeatureOrder {
    let born = |(at, id): (usize, &u32)| FeatureCreation {
        id: FeatureId(*id),
        slug: format!("slug-{at}"),
        at_ms: 86_400_000 * i64::try_from(at).unwrap_or(0),
    };
    FeatureOrder::new(ids.iter().enumerate().map(born).collect())
}

fn entry(fields: &str) -> BankEntry {
    entries(BankFile::AntiPattern, &format!("### Anti-Pattern: One\ntext\n{fields}\n")).remove(0)
}

/// SC-14: stale from the tenth feature on, counted in the order of creation.
#[test]
fn sc_14_an_entry_is_stale_when_ten_features_were_created_after_it_was_observed() {
    let ids: Vec<u32> = (1..=12).collect();
    let twice: Vec<u32> = [1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].to_vec();
    let shuffled: Vec<u32> = [40, 7, 3, 12, 1, 2, 30, 31, 32, 33, 34, 35].to_vec();
    for (ids, field, later) in [
        (&ids, "- Last observed: Feature #001", Some(11)),
        (&ids, "- Last observed: Feature #002", Some(10)),
        (&ids, "- Last observed: Feature #003", Some(9)),
        (&ids, "- Observed in: Feature #002", Some(10)),
        (&ids, "- Observed in: Feature #001\n- Last observed: Feature #003", Some(9)),
        (&ids, "- Last observed: Feature #099", None),
        (&ids, "", None),
        // Of two features with one number the later one is meant, unless its name says otherwise.
        (&twice, "- Last observed: Feature #002", Some(9)),
        (&twice, "- Last observed: 002-slug-1", Some(10)),
        // Numbers say nothing about the order.
        (&shuffled, "- Last observed: Feature #040", Some(11)),
        (&shuffled, "- Last observed: Feature #003", Some(9)),
        (&shuffled, "- Last observed: Feature #007", Some(10)),
        // Days: what was created on the same day is not counted as later.
        (&ids, "- Last observed: 1970-01-01", Some(11)),
        (&ids, "- Last observed: 1970-01-02", Some(10)),
        (&ids, "- Last observed: 1970-01-03", Some(9)),
    ] {
        let expected = match later {
            Some(later) if later >= STALE_AFTER => EntryLife::Stale { later: Some(later), changed: vec![] },
            Some(later) => EntryLife::Current { later },
            None => EntryLife::Unknown,
        };
        assert_eq!(stale(&entry(field), &order(ids), &[]), expected, "{field} {ids:?}");
    }
}

#[test]
fn an_entry_whose_code_changed_is_stale_and_a_pattern_never_is() {
    let changed = ["src/a.rs".to_owned()];
    let order = order(&[1, 2]);
    let life = stale(&entry("- Last observed: Feature #002"), &order, &changed);
    assert_eq!(life.to_string(), "src/a.rs changed since");
    assert!(life.is_stale());
    let pattern =
        entries(BankFile::Pattern, "### Pattern: One\nx\n- Last observed: Feature #001\n").remove(0);
    assert_eq!(stale(&pattern, &order, &changed), EntryLife::Exempt);
}

#[test]
fn an_entry_is_anchored_to_the_files_it_names_where_only_one_can_be_meant() {
    let files = ["src/a.rs", "lib/a.rs", "src/b.rs", "hooks/run.sh", "Makefile"];
    let anchors = AnchorFiles::new(files);
    for (text, expected) in [
        ("see `src/a.rs:12` and b.rs", vec!["src/a.rs", "src/b.rs"]),
        ("see a.rs", vec![]),
        ("see `hooks/` and/or e.g. Node.js", vec![]),
        ("- Anchor: `Makefile`, hooks/run.sh", vec!["Makefile", "hooks/run.sh"]),
        ("see `src/a.rs`\n- Anchor: src/b.rs", vec!["src/b.rs"]),
    ] {
        assert_eq!(anchors.of_entry(&entry(text)), expected, "{text}");
    }
}

/// SC-12 and AC-15: afterwards every entry says when it was last observed and how often.
#[test]
fn sc_12_ac_15_entries_are_filled_in_and_patterns_are_not() {
    let order = order(&[1, 2, 3, 8, 9]);
    let heuristics = "### A\nx\n- Source: Feature 002\n### B\nx\n- Source: 1970-01-03\n### C\nx\n";
    let patterns = "### Pattern: D\nx\n";
    let files = [
        (BankFile::AntiPattern, ANTI_PATTERNS.to_owned()),
        (BankFile::Heuristic, heuristics.to_owned()),
        (BankFile::Pattern, patterns.to_owned()),
    ];
    let bank = Bank::read(&files);
    let (changes, unknown) = backfill(&bank, &order, &|_| Some(FeatureId(8)));
    assert!(unknown.is_empty());
    let of = |kind: BankFile| -> Vec<BankChange> {
        changes.iter().filter(|(entry, _)| entry.kind == kind).map(|(_, change)| change.clone()).collect()
    };
    let applied = apply(BankFile::AntiPattern, ANTI_PATTERNS, &of(BankFile::AntiPattern));
    let one = "`git worktree list`\n- Last observed: Feature #002\n- Observation count: 1\n";
    let two = "- Confidence: high\n- Last observed: Feature #008 (approximate — original provenance was non-numeric)\n\
               - Observation count: 1\n";
    let expected = ANTI_PATTERNS.replace("`git worktree list`\n", one).replace("- Confidence: high\n", two);
    assert_eq!(applied.text, expected);
    let applied = apply(BankFile::Heuristic, heuristics, &of(BankFile::Heuristic));
    let expected = "### A\nx\n- Source: Feature 002\n- Last observed: Feature #002\n- Observation count: 1\n\
                    ### B\nx\n- Source: 1970-01-03\n- Last observed: Feature #003 (approximate — original \
                    provenance was a date)\n- Observation count: 1\n\
                    ### C\nx\n- Last observed: Feature #008 (approximate — no provenance was given)\n\
                    - Observation count: 1\n";
    assert_eq!(applied.text, expected);
    assert!(of(BankFile::Pattern).is_empty());
    let again = Bank::read(&[(BankFile::Heuristic, applied.text)]);
    assert!(backfill(&again, &order, &|_| None).0.is_empty());
    let (changes, unknown) = backfill(&bank, &FeatureOrder::default(), &|_| None);
    // An entry that names a feature needs no further source; the others stay as they are.
    assert_eq!((changes.len(), unknown.len()), (2, 3));
}
