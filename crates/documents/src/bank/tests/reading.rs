use super::*;
use redraft_facts::ids::FeatureId;

#[test]
fn entries_are_read_and_templates_in_comments_and_code_are_not() {
    let all = entries(BankFile::AntiPattern, ANTI_PATTERNS);
    let told: Vec<(&str, u32)> = all.iter().map(|entry| (entry.name.as_str(), entry.line)).collect();
    let expected =
        [("Working in Wrong Worktree", 9), ("Relative Paths in Hooks", 15), ("Skipping Review", 32)];
    assert_eq!(told, expected);
    assert_eq!(all[0].text, "Making changes in the main checkout when a worktree exists.");
    assert!(all[1].text.contains("# ### Anti-Pattern: Not One"));
    assert_eq!(all[1].fields.confidence.as_deref(), Some("high"));
    assert_eq!(all[1].fields.provenance.as_ref().map(|seen| seen.features.len()), Some(0));
    let last = &all[2].fields;
    assert!(last.marked_stale);
    assert_eq!(last.count, Some(2));
    assert_eq!(last.last_observed.as_ref().map(|seen| seen.is_of(FeatureId(4))), Some(true));
    assert_eq!(last.challenged, ["Feature #009 — `small.rs` was merged without one"]);
}

#[test]
fn headings_of_levels_two_to_four_hold_entries_and_groups_do_not() {
    for (text, expected) in [
        ("## One\ntext\n## Two\n- Source: Feature 1\n", vec!["One", "Two"]),
        ("# T\n## About\nread me\n## Group\n### One\ntext\n", vec!["One"]),
        ("## Group\n#### Heuristic: One\ntext\n", vec!["One"]),
        ("### Pattern: One\ntext\n#### Example\ncode\n### Two\nx\n", vec!["One", "Two"]),
        (
            "### One\n- Source: Feature 1\n#### Why\nbecause\n#### Two\n- Source: Feature 2\n",
            vec!["One", "Two"],
        ),
        ("# One\ntext\n##### Two\ntext\n", vec![]),
        ("### Empty\n\n### Anti-Pattern: Named only\n", vec!["Named only"]),
        ("~~~\n### No\nx\n~~~\n### Yes\nx\n", vec!["Yes"]),
        ("### One\n```\nnever closed\n### Two\nx\n", vec!["One", "Two"]),
        ("<!-- never closed\n### One\nx\n", vec!["One"]),
        ("### One\nx <!-- a\n### No\nx\n--> \n### Two\nx\n", vec!["One", "Two"]),
        ("", vec![]),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn fields_are_read_in_every_form_people_write() {
    for line in [
        "- Last observed: Feature #018",
        "* Last Observed: feature 18",
        "Last observed: Feature 018",
        "**Last observed:** Feature #018",
        "- **Last observed**: Feature-018",
        "- __Last observed:__ #018",
        "  - last-observed: 018-some-slug",
        "- Last observed: docs/features/018-some-slug/retro.md",
        "- Last observed: Feature #018 (approximate - original provenance was non-numeric)",
        "- Last observed: Features #016, #018 <!-- sure -->",
        "- Last observed:\n  Feature #018",
    ] {
        let all = entries(BankFile::Heuristic, &format!("### One\ntext\n{line}\n"));
        let seen = all[0].fields.last_observed.clone().unwrap_or_default();
        assert!(seen.is_of(FeatureId(18)), "{line}: {seen:?}");
        assert_eq!(all[0].text, "text", "{line}");
        assert_eq!(seen.approximate, line.contains("approximate"), "{line}");
    }
}

#[test]
fn what_an_observation_names_is_told_from_other_numbers_and_dates() {
    let day_ms = 86_400_000;
    for (value, features, until_ms) in [
        ("Feature #018", vec![18], None),
        ("Features 18, 019 and 020", vec![18, 19, 20], None),
        ("Feature 018, 3 times", vec![18], None),
        ("PR #12", vec![], None),
        ("PR #12 of Feature #018", vec![18], None),
        ("#018", vec![18], None),
        ("Plugin cache staleness bug", vec![], None),
        ("2026-02-17", vec![], Some(20_502 * day_ms)),
        ("2026/02/17", vec![], Some(20_502 * day_ms)),
        ("December 2026-12", vec![], Some(20_819 * day_ms)),
        ("2026-13-01", vec![], None),
        ("Feature #018 (2026-02-17)", vec![18], Some(20_502 * day_ms)),
        ("code review of v1.2.3", vec![], None),
    ] {
        let seen = Observed::read(value);
        let ids: Vec<u32> = seen.features.iter().map(|named| named.id.0).collect();
        assert_eq!((ids, seen.until_ms), (features, until_ms), "{value}");
    }
}

#[test]
fn what_checks_an_entry_is_a_rule_or_a_check() {
    for (value, expected) in [
        ("lint vague-word", "lint vague-word"),
        ("lint rule `placeholder`", "lint placeholder"),
        ("vague-word", "lint vague-word"),
        ("check test", "check test"),
        ("checks.test", "check test"),
        ("[checks] test", "check test"),
        ("the `unit` check", "check the"),
        ("lint no-such-rule, check fmt", "lint no-such-rule, check fmt"),
    ] {
        let all = entries(BankFile::Heuristic, &format!("### One\n- Checked by: {value}\n"));
        let told: Vec<String> = all[0].fields.checked_by.iter().map(ToString::to_string).collect();
        assert_eq!(told.join(", "), expected, "{value}");
    }
}
