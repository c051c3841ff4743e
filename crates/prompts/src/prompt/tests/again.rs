//! What a role is told when it is asked again: a later round, a second look, an answer that could not be used.

use super::*;

#[test]
fn a_resumed_prompt_is_the_turn_only() {
    let mut resumed = 0;
    cases::each(&mut |case| {
        let prompt = build(&case.brief);
        let reading = match case.brief.strategy {
            // Whoever mends code or writes tests.
            Strategy::Lazy
                if !case.brief.profile.at_hand.is_empty() && case.brief.profile.required().count() == 0 =>
            {
                Some("artifacts-at-hand")
            }
            Strategy::Lazy => Some("required-artifacts"),
            Strategy::Inline => Some("given-artifacts"),
            Strategy::Digest => Some("artifacts-at-hand"),
            Strategy::Resume => None,
        };
        if let Some(reading) = reading.filter(|_| case.brief.purpose != Purpose::Repair) {
            assert!(prompt.get("rubric").is_some() && prompt.get(reading).is_some(), "{}", case.name);
            return;
        }
        resumed += 1;
        assert_eq!(stable(&prompt), Prompt::default(), "{}", case.name);
        let text = prompt.text();
        assert!(
            !text.contains("## Required Artifacts") && !text.contains("You serve one decision"),
            "{text}"
        );
        assert!(prompt.get("return-short").is_some(), "{}", case.name);
    });
    assert!(resumed >= 12, "{resumed}");
}

#[test]
fn only_an_ordinary_re_review_is_told_that_new_findings_are_deferred() {
    cases::each(&mut |Case { name, brief, .. }| {
        if brief.profile.kind == ProfileKind::Author || brief.purpose == Purpose::Repair {
            return;
        }
        // Where it is not known what changed, nothing is.
        let rereview = brief.purpose == Purpose::Review && (brief.delta.is_some() || brief.hearing);
        let text = build(brief).text();
        assert_eq!(text.contains(" is deferred: it is kept for later"), rereview, "{name}");
    });
}

/// A reviewer that goes on in a new conversation is asked for what one in its own conversation is asked for, and has the
/// document to look things up in; fresh eyes are told nothing of it.
#[test]
fn a_later_round_in_a_new_conversation_has_the_changes_the_answers_and_the_steps_of_a_re_review() {
    let mut seen = 0;
    cases::each(&mut |Case { phase, name, brief }| {
        let fresh = matches!(brief.strategy, Strategy::Lazy | Strategy::Inline);
        if brief.profile.kind == ProfileKind::Author || !fresh || brief.delta.is_none() {
            return;
        }
        seen += 1;
        let prompt = build(brief);
        let resumed = build(&Brief { strategy: Strategy::Resume, ..*brief });
        let note = prompt.get("review-note").unwrap();
        let task =
            if brief.purpose == Purpose::Validate { "every hunk" } else { "Do this and no more:\n\n1. " };
        assert!(
            note.contains(task) && note.contains("The Walk of your role is not done again."),
            "{phase} {name}"
        );
        assert_eq!(prompt.get("declined-findings").is_some(), !brief.disputed.is_empty(), "{phase} {name}");
        for same in ["delta", "fix-summary", "declined-findings"] {
            assert_eq!(prompt.get(same), resumed.get(same), "{phase} {name}: {same}");
        }
        assert!(
            prompt
                .get("artifact")
                .or(prompt.get("implementation-files"))
                .or(prompt.get("given-change"))
                .is_some()
        );
        // Each thing is said once, and not as to a first reader.
        let text = prompt.text();
        for once in [
            "A new finding cites a changed line",
            "may lie anywhere",
            "Rule on every id",
            "Read each of them",
        ] {
            let told = text.matches(once).count();
            let most = usize::from(once != "Read each of them");
            assert!(told <= most, "{phase} {name}: {once} stands {told} times");
        }
    });
    assert!(seen > 20, "{seen}");
}

/// Nobody looks for changes where there are none: what is open is ruled on, and the text is not searched again.
#[test]
fn a_second_look_at_an_unchanged_text_is_told_that_nothing_changed_and_of_no_delta() {
    let finding = cases::finding('S', "something");
    for role in ["spec-reviewer", "phase-reviewer"] {
        for strategy in [Strategy::Lazy, Strategy::Inline, Strategy::Resume] {
            let first = Brief { strategy, ..cases::first(profile_of(role)) };
            let again = Brief { delta: Some(""), findings: &[&finding], round: 2, ..first };
            let text = build(&again).text();
            assert!(text.contains("Nothing ") && text.contains(" changed since then. "), "{text}");
            assert!(text.contains("1. Rule on every id under Open Findings, in `answers`:"), "{text}");
            for wrong in ["stands below", "## Delta", "every hunk", "declines", "changes above"] {
                assert!(!text.contains(wrong), "{role}, {strategy:?}: {wrong}");
            }
            let said = ["I left it as it is.".to_owned()];
            let text = build(&Brief { fix_summaries: &said, ..again }).text();
            assert!(text.contains("What the author says; nothing was changed."), "{text}");
        }
        // With nothing open, the whole is walked as for the first time.
        let first = Brief { round: 2, ..cases::first(profile_of(role)) };
        let empty = build(&Brief { delta: Some(""), ..first });
        assert_eq!(empty.text(), build(&first).text());
    }
}

#[test]
fn a_new_conversation_is_told_in_one_line_why_an_earlier_answer_could_not_be_used() {
    let long = format!("no answer for S1\n## Verdict\n\u{1b}[31m{}", "x".repeat(5_000));
    for role in ["spec-reviewer", "phase-reviewer", "spec-author"] {
        let first = cases::first(profile_of(role));
        let void = Brief { void: Some(&long), ..first };
        for strategy in [Strategy::Lazy, Strategy::Inline, Strategy::Digest] {
            let prompt = build(&Brief { strategy, delta: Some(""), ..void });
            let text = prompt.get("earlier-answer").unwrap();
            let said = "An earlier answer of your role could not be used: no answer for S1 ## Verdict ";
            assert!(text.starts_with(&format!("## Earlier Answer\n\n{said}")), "{text}");
            assert!(
                text.lines().count() == 3 && text.chars().count() < 500 && !text.contains('\u{1b}'),
                "{text}"
            );
            assert_eq!(build(&Brief { strategy, delta: Some(""), ..first }).get("earlier-answer"), None);
        }
        // Its own conversation has the answer, and a repair turn says what was wrong with it.
        assert_eq!(build(&Brief { strategy: Strategy::Resume, ..void }).get("earlier-answer"), None);
    }
}

#[test]
fn an_author_that_changed_nothing_is_told_what_is_open_and_that_the_file_must_change() {
    let finding = cases::finding('S', "something");
    for strategy in [Strategy::Lazy, Strategy::Resume] {
        let brief = Brief { purpose: Purpose::Revise, strategy, ..cases::first(profile_of("spec-author")) };
        let told = |brief: Brief<'_>| build(&Brief { unchanged: true, ..brief }).text();
        assert!(
            told(Brief { findings: &[&finding], ..brief })
                .contains("These findings are open: S1. The file must change")
        );
        assert!(
            told(Brief { gate: Some("x"), ..brief })
                .contains("The mechanical check still fails. The file must change")
        );
        assert!(!build(&Brief { findings: &[&finding], ..brief }).text().contains("must change"));
    }
}
