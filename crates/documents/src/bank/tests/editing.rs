use super::*;
use redraft_facts::ids::FeatureId;

const AT: FeatureId = FeatureId(31);

fn keep(name: &str) -> BankChange {
    BankChange::Keep { name: name.to_owned(), feature: AT }
}

fn confirm(name: &str) -> BankChange {
    BankChange::Confirm { name: name.to_owned(), feature: AT }
}

fn challenge(name: &str, text: &str) -> BankChange {
    BankChange::Challenge { name: name.to_owned(), feature: AT, text: text.to_owned() }
}

fn update(name: &str, text: &str) -> BankChange {
    BankChange::Update { name: name.to_owned(), feature: AT, text: text.to_owned() }
}

fn retire(name: &str) -> BankChange {
    BankChange::Retire { name: name.to_owned(), reason: "the hook\nis gone".to_owned() }
}

fn new(name: &str) -> NewEntry {
    NewEntry {
        kind: BankFile::AntiPattern,
        name: name.to_owned(),
        text: "Do not.".to_owned(),
        provenance: "Feature #031".to_owned(),
        confidence: "high".to_owned(),
    }
}

fn apply_to(text: &str, change: BankChange) -> Applied {
    let applied = apply(BankFile::AntiPattern, text, core::slice::from_ref(&change));
    // The same once more changes nothing, whatever it was.
    let again = apply(BankFile::AntiPattern, &applied.text, &[change]);
    assert_eq!((again.text.as_str(), again.changed), (applied.text.as_str(), 0));
    applied
}

/// SC-13 and AC-17: confirmed sets the last observation and counts one more.
#[test]
fn ac_17_a_confirmed_entry_is_last_observed_there_and_counted() {
    let applied = apply_to(ANTI_PATTERNS, confirm("skipping review"));
    let expected = ANTI_PATTERNS
        .replace("Skipping Review ⚠️ STALE", "Skipping Review")
        .replace("Feature #004\n- Observation count: 2", "Feature #031\n- Observation count: 3");
    assert_eq!(applied.text, expected);
    // One without a count was seen once before.
    let applied = apply_to(ANTI_PATTERNS, confirm("Anti-Pattern: Relative Paths in Hooks"));
    let fields = "- Confidence: high\n- Last observed: Feature #031\n- Observation count: 2\n";
    assert_eq!(applied.text, ANTI_PATTERNS.replace("- Confidence: high\n", fields));
}

/// SC-13 and AC-17: a challenge says what contradicts the entry.
#[test]
fn sc_13_a_challenge_is_specific_or_refused() {
    let text = "`retry.rs` used a relative path\nand the tests passed";
    let applied = apply_to(ANTI_PATTERNS, challenge("Skipping Review", text));
    let line = "- Challenged: Feature #031 — `retry.rs` used a relative path and the tests passed\n";
    assert_eq!(applied.text, format!("{ANTI_PATTERNS}{line}"));
    for (text, good) in [
        ("", false),
        ("contradicted", false),
        ("this entry is wrong", false),
        ("the experience of this feature contradicts this entry", false),
        ("reviews do not catch what tests catch", false),
        ("finding Q3 was raised by a test alone", true),
        ("the cache was flushed twice and nobody noticed before deployment", true),
        ("see src/lib.rs for the opposite", true),
        ("decision \"no review for typos\" went well", true),
    ] {
        let applied = apply_to(ANTI_PATTERNS, challenge("Skipping Review", text));
        let refused: Vec<EditRefusedWhy> = applied.refused.iter().map(|refused| refused.why).collect();
        let expected = if good { vec![] } else { vec![EditRefusedWhy::Unspecific] };
        assert_eq!(refused, expected, "{text}");
        assert_eq!(applied.text == ANTI_PATTERNS, !good, "{text}");
    }
}

/// AC-18: keep sets the last observation, leaves the count and takes out an old mark.
#[test]
fn ac_18_a_kept_entry_is_last_observed_there_with_its_count_as_it_was() {
    let applied = apply_to(ANTI_PATTERNS, keep("Skipping Review"));
    let expected = ANTI_PATTERNS
        .replace("Skipping Review ⚠️ STALE", "Skipping Review")
        .replace("Last observed: Feature #004", "Last observed: Feature #031");
    assert_eq!(applied.text, expected);
    for (before, after) in [
        ("### One\n⚠️ STALE\ntext\n", "### One\ntext\n- Last observed: Feature #031\n"),
        ("### One\ntext\n- **⚠️ STALE** (10+ features)\n", "### One\ntext\n- Last observed: Feature #031\n"),
        (
            "### ⚠️ STALE One\ntext\n- Last observed: Feature #2 ⚠ STALE\n",
            "### One\ntext\n- Last observed: Feature #031\n",
        ),
        ("### One\n`⚠️` STALENESS\n", "### One\n`⚠️` STALENESS\n- Last observed: Feature #031\n"),
    ] {
        assert_eq!(apply_to(before, keep("One")).text, after, "{before}");
    }
}

/// AC-18: update sets a new text, the last observation and one observation.
#[test]
fn ac_18_an_updated_entry_has_the_new_text_and_counts_from_one() {
    let applied = apply_to(ANTI_PATTERNS, update("Skipping Review", "New words.\nTwo lines."));
    let expected = ANTI_PATTERNS
        .replace("Skipping Review ⚠️ STALE", "Skipping Review")
        .replace("Reviews catch what tests do not.", "New words.\nTwo lines.")
        .replace("Feature #004\n- Observation count: 2", "Feature #031\n- Observation count: 1");
    assert_eq!(applied.text, expected);
    // What a text holds stays text.
    let forged = "# Title\n### Anti-Pattern: Another\n- Observation count: 99\n```\n<!--\nend";
    let applied = apply_to(ANTI_PATTERNS, update("Skipping Review", forged));
    assert_eq!(names(&applied.text), names(ANTI_PATTERNS));
    let entry = &entries(BankFile::AntiPattern, &applied.text)[2];
    assert_eq!(entry.fields.count, Some(1));
    assert!(entry.text.contains("- Observation count\\: 99"), "{}", entry.text);
    assert_eq!(
        apply_to(ANTI_PATTERNS, update("Skipping Review", " \n")).refused[0].why,
        EditRefusedWhy::NoText
    );
    // Found by random files: a line of nothing but a tab at the end.
    apply_to("### One\nx\n", update("One", "k\n\t\0\r\n*"));
    apply_to("### One\nx\n- Source: y\n", update("One", "- Cost: 1\n- Time: 2"));
    apply_to("### One\n- Source: y\nx\n", update("One", "- **Cost:** 1"));
    // And a heading after a fence.
    apply_to("### One\nx\n", update("One", "k\n```# no\n~~~- Observation count: 9"));
}

/// AC-18: retire deletes the entry and notes it with its reason.
#[test]
fn ac_18_a_retired_entry_is_gone_and_noted() {
    let (before, _) = ANTI_PATTERNS.split_at(ANTI_PATTERNS.find("\n### Anti-Pattern: Skipping").unwrap_or(0));
    let applied = apply_to(ANTI_PATTERNS, retire("Skipping Review"));
    assert_eq!(applied.text, before);
    assert_eq!(applied.retired, ["Retired: Skipping Review — the hook is gone"]);
    // The template after it stays.
    let applied = apply_to(ANTI_PATTERNS, retire("Relative Paths in Hooks"));
    assert!(applied.text.contains("worktree list`\n\n<!-- Example format:\n### Anti-Pattern: Premature"));
    for (before, after) in [
        ("# T\n\n### One\nx\n\n### Two\ny\n", "# T\n\n### Two\ny\n"),
        ("# T\n\n### One\nx", "# T"),
        ("# T\r\n\r\n### One\r\nx\r\n", "# T\r\n"),
        ("### One\nx\n", ""),
    ] {
        assert_eq!(apply_to(before, retire("One")).text, after, "{before:?}");
    }
    let nothing = BankChange::Retire { name: "Skipping Review".to_owned(), reason: "  ".to_owned() };
    let applied = apply(BankFile::AntiPattern, ANTI_PATTERNS, &[nothing]);
    assert_eq!((applied.text.as_str(), applied.refused[0].why), (ANTI_PATTERNS, EditRefusedWhy::NoReason));
}

/// AC-16: new entries carry every field, by the label their file uses.
#[test]
fn ac_16_a_new_entry_has_all_fields_and_stands_behind_the_last_one() {
    let entry = "\n### Anti-Pattern: New One\nDo not.\n- Observed in: Feature #031\n- Confidence: high\n\
                 - Last observed: Feature #031\n- Observation count: 1\n";
    assert_eq!(
        apply_to(ANTI_PATTERNS, BankChange::Add(new("New One"))).text,
        format!("{ANTI_PATTERNS}{entry}")
    );
    assert_eq!(apply_to("", BankChange::Add(new("New One"))).text, format!("# Anti-Patterns\n{entry}"));
    let heuristic = NewEntry { kind: BankFile::Heuristic, provenance: "the design".to_owned(), ..new("New") };
    let applied =
        apply(BankFile::Heuristic, "# H\r\n\r\n## One\r\nx", &[BankChange::Add(heuristic.of_feature(AT))]);
    assert_eq!(
        applied.text,
        "# H\r\n\r\n## One\r\nx\r\n\r\n## New\r\nDo not.\r\n- Source: Feature #031 — the design\r\n\
         - Confidence: high\r\n- Last observed: Feature #031\r\n- Observation count: 1"
    );
    let pattern = NewEntry { kind: BankFile::Pattern, ..new("New") };
    let applied = apply(BankFile::Pattern, "", &[BankChange::Add(pattern)]);
    assert_eq!(
        applied.text,
        "# Patterns\n\n### Pattern: New\nDo not.\n- Observed in: Feature #031\n- Confidence: high\n"
    );
    // The template behind the last entry stays behind.
    let applied = apply_to("### One\nx\n\n<!-- t\n### No\n-->\n", BankChange::Add(new("Two")));
    assert!(applied.text.starts_with("### One\nx\n\n### Two\nDo not.\n"), "{}", applied.text);
    assert!(applied.text.ends_with("- Observation count: 1\n\n<!-- t\n### No\n-->\n"), "{}", applied.text);
}

#[test]
fn untouched_entries_keep_their_bytes_whatever_their_line_breaks() {
    let text = "# T\r\n\r\n### One\r\nx\t \r\n**Source**: Feature 017\r\n\r\n\r\n### Two\r\n* Source: y";
    let applied = apply_to(text, keep("Two"));
    assert_eq!(applied.text, format!("{text}\r\n* Last observed: Feature #031"));
    let applied = apply_to(text, keep("One"));
    let expected = text.replace("Feature 017\r\n", "Feature 017\r\n**Last observed**: Feature #031\r\n");
    assert_eq!(applied.text, expected);
    assert_eq!(apply(BankFile::Heuristic, text, &[]).text, text);
}

#[test]
fn what_cannot_be_done_is_refused_and_the_rest_is_done() {
    let text = "### One\nx\n### Two\ny\n### two\nz\n";
    let other = NewEntry { kind: BankFile::Heuristic, ..new("Three") };
    let changes = [
        keep("Nine"),
        keep("Two"),
        BankChange::Add(other),
        BankChange::Add(new(" # ")),
        BankChange::Add(NewEntry { text: String::new(), ..new("Four") }),
        keep("One"),
    ];
    let applied = apply(BankFile::AntiPattern, text, &changes);
    let whys: Vec<EditRefusedWhy> = applied.refused.iter().map(|refused| refused.why).collect();
    assert_eq!(
        whys,
        [
            EditRefusedWhy::NotFound,
            EditRefusedWhy::Ambiguous,
            EditRefusedWhy::OtherKind,
            EditRefusedWhy::NoName,
            EditRefusedWhy::NoText
        ]
    );
    assert_eq!(applied.text, text.replace("x\n", "x\n- Last observed: Feature #031\n"));
    let applied =
        apply(BankFile::Pattern, text, &[confirm("One"), challenge("One", "`a.rs` says otherwise, see S1")]);
    assert_eq!((applied.text.as_str(), applied.refused.len()), (text, 2));
}
