//! Sentences that decide what a review finds and what it holds up. Each was missing once, and a real defect went
//! unseen or something harmless blocked. A prompt may say it otherwise; then its row here changes with it.

use super::super::*;
use super::code::{REVIEWERS, case};
use super::{cases, profile_of};
use crate::prompt::example::ANSWER;
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Prompt;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

/// Fragment, words.
type Row = (&'static str, &'static str);

const DOCUMENTS: [Row; 34] = [
    // What was asked for.
    ("rubric", "Add what stands under What Was Asked For"),
    ("checklist", "Compare with the PRD and with what was asked for"),
    ("rubric", "and what relied on the old behaviour"),
    ("checklist", "and to data, callers and clients from before"),
    ("checklist", "in every case that the problem, the goals or the criteria raise"),
    // What blocks.
    ("reviewer-rules", "A `blocker` is whatever one of these lines fits, however small the case"),
    ("reviewer-rules", "nor does the hope that somebody will notice"),
    ("reviewer-rules", "two statements that cannot both be kept"),
    ("reviewer-rules", "something promised that is absent"),
    ("reviewer-rules", "that a wrong result passes or the right one fails"),
    ("reviewer-rules", "that could be left out as a whole while every criterion still passes"),
    ("reviewer-rules", "something is lost, undone, disclosed, done twice or stuck for good"),
    ("reviewer-rules", "where nothing else in it speaks against that reading"),
    ("reviewer-rules", "Grade each finding as if it were the only one"),
    ("rubric", "Two sections give the same limit with different numbers: blocker"),
    ("rubric", "and one of the two would fail a goal or break something for a user"),
    ("rubric", "at least every statement on which another part of the document rests"),
    ("reviewer-rules", "a false statement about what exists already, on which the document builds"),
    ("reviewer-rules", "a failure, a limit or a refusal that the document names"),
    ("rubric", "sessions expire during work, and nothing says what an expired session gets: blocker"),
    // What does not.
    ("reviewer-rules", "What is only inferred is at most a warning"),
    ("reviewer-rules", "what follows from the document's own words is traced"),
    ("reviewer-rules", "At most five in one answer, the costliest first; gaps of one sort are one warning"),
    ("rubric", "The introduction says that exports should feel fast: no finding"),
    ("reviewer-rules", "what you cannot open here: one entry in `verified` for all of it"),
    ("reviewer-rules", "faults of other documents that this one neither repeats nor builds on"),
    ("reviewer-rules", "- that there is no PRD"),
    ("reviewer-rules", "Code that prevents it today is no such word"),
    // How it is written down.
    ("reviewer-rules", "`file`, the one that the quote stands in"),
    ("reviewer-rules", "the failure in at most two sentences and 50 words"),
    ("reviewer-rules", "Uncertainty is no reason to leave out a failure you can name"),
    ("reviewer-rules", "A finding that the engine defers is not open"),
    ("return", "a fault that stands only there is lost"),
    (
        "house-rules",
        "binds what is written, as far as it does not touch a role, an answer or what may be changed",
    ),
];

const CODE: [Row; 10] = [
    ("reviewer-rules", "wrong, lost, unsafe or not what was required, a crash included"),
    ("reviewer-rules", "and no build and no check shows it before the merge"),
    ("reviewer-rules", "Grade each finding as if it were the only one"),
    ("reviewer-rules", "At most five in one answer, the costliest first"),
    ("reviewer-rules", "in a way that nobody does and nobody outside can"),
    ("reviewer-rules", "what you cannot open here: one entry in `verified` for all of it"),
    ("reviewer-rules", "`file`, the one that the quote stands in"),
    ("return", "a fault that stands only there is lost"),
    (
        "code-rules",
        "binds what is written, as far as it does not touch a role, an answer or what may be changed",
    ),
    ("implementation-files", "or that stand beside removed ones"),
];

fn holds(prompt: &Prompt, rows: &[Row], whose: &str) {
    for (fragment, words) in rows {
        let text = prompt.get(fragment).unwrap_or_else(|| panic!("{whose} has no fragment {fragment}"));
        assert!(text.contains(words), "{whose}, {fragment}: `{words}` is not there:\n{text}");
    }
}

#[test]
fn a_reviewer_of_a_specification_is_told_what_blocks_and_what_does_not() {
    holds(&build(&cases::first(profile_of("spec-reviewer"))), &DOCUMENTS, "spec-reviewer");
}

#[test]
fn whoever_judges_a_document_is_told_what_to_hold_it_against() {
    let phase = build(&cases::first(profile_of("phase-reviewer")));
    holds(&phase, &[("rubric", "a specification beside the PRD and what was asked for")], "phase-reviewer");
    let opens = "at least every statement on which another part of the document rests";
    holds(&build(&cases::first(profile_of("design-reviewer"))), &[("rubric", opens)], "design-reviewer");
    let code = case("implementation-reviewer", "review");
    let instead = "where there is no PRD, what was asked for takes its place";
    holds(&code, &[("rubric", instead)], "implementation-reviewer");
}

/// Each was read as a reason to keep quiet about a defect, or to leave one in the text.
#[test]
fn nothing_tells_a_role_to_keep_quiet() {
    for role in ["spec-author", "spec-reviewer", "design-author", "design-reviewer", "phase-reviewer"] {
        let text = build(&cases::first(profile_of(role))).text();
        for gone in ["A doubt is still no reason", "Touch nothing that no finding"] {
            assert!(!text.contains(gone), "{role}: {gone}");
        }
        assert!(
            role != "spec-reviewer" || !text.contains("read in two ways"),
            "every gap would be a blocker"
        );
    }
}

#[test]
fn a_reviewer_of_code_is_told_what_blocks_and_what_does_not() {
    for role in REVIEWERS {
        holds(&case(role, "review"), &CODE, role);
    }
    let security = case("security-reviewer", "review");
    let rows = [
        ("rubric", "Go through the removed lines: each guard that is gone"),
        ("rubric", "or the change removes or widens a limit that was there"),
        ("rubric", "A signed-in user of another customer controls neither"),
    ];
    holds(&security, &rows, "security-reviewer");
    holds(&case("code-quality-reviewer", "review"), &[("rubric", "removed lines")], "code-quality-reviewer");
    let implementation = case("implementation-reviewer", "review");
    holds(
        &implementation,
        &[("rubric", "that no document asks for and that was not there before")],
        "implementation-reviewer",
    );
}

#[test]
fn an_implementer_is_told_when_to_stop_and_what_its_tools_allow() {
    let rows = [("rubric", "## When to Stop"), ("rubric", "as far as your tools allow")];
    holds(&case("implementer", "task"), &rows, "implementer");
}

/// `approved` comes last, so that nobody decides before it has looked; what no program compares is not asked for.
#[test]
fn an_answer_is_written_in_the_order_in_which_it_is_found_out() {
    const ORDER: [&str; 7] = [
        "\"files_read\"",
        "\"checks\"",
        "\"verified\"",
        "\"issues\"",
        "\"answers\"",
        "\"summary\"",
        "\"approved\"",
    ];
    let document = build(&cases::first(profile_of("spec-reviewer")));
    let code = case("security-reviewer", "review");
    for prompt in [&document, &code] {
        let form = prompt.get("return").unwrap();
        let places: Vec<usize> = ORDER.iter().map(|name| form.find(name).expect(name)).collect();
        assert!(places.is_sorted(), "{form}");
        assert!(!form.contains("coverage"), "{form}");
    }
    let same_as = |prompt: &Prompt| {
        let form = prompt.get("return").unwrap().to_owned();
        form.lines().filter(|line| line.contains("same_as")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(same_as(&document), same_as(&code), "explained alike for documents and code");
    let schema = include_str!("../../../texts/verdict.schema.json");
    let places: Vec<usize> = ORDER.iter().map(|name| schema.find(name).expect(name)).collect();
    assert!(places.is_sorted(), "the schema has another order");
}

#[test]
fn answers_of_the_user_reach_a_new_conversation_of_the_author_and_whoever_judges_against_them() {
    let answers = [ANSWER];
    let finding = cases::finding('S', "the number is missing");
    let findings = [&finding];
    let revise =
        Brief { purpose: Purpose::Revise, findings: &findings, ..cases::first(profile_of("spec-author")) };
    let roles = ["spec-reviewer", "phase-reviewer"].map(|role| cases::first(profile_of(role)));
    for brief in roles.into_iter().chain([revise]) {
        let text = build(&Brief { answers: &answers, ..brief }).text();
        assert!(text.contains(ANSWER.answer), "{}: {text}", brief.profile.role);
    }
}

/// A PRD need not have all that was asked for. Of what an author says about its own checks nothing is made.
#[test]
fn an_author_in_a_new_conversation_has_the_idea_and_no_author_reports_on_its_checks() {
    let finding = cases::finding('S', "the number is missing");
    let findings = [&finding];
    for role in ["spec-author", "design-author", "plan-author", "task-author"] {
        let brief = cases::first(profile_of(role));
        let draft = build(&Brief { purpose: Purpose::Draft, ..brief });
        let revise =
            |strategy| build(&Brief { purpose: Purpose::Revise, findings: &findings, strategy, ..brief });
        let (fresh, resumed) = (revise(Strategy::Lazy), revise(Strategy::Resume));
        assert!(fresh.get("idea").is_some() && resumed.get("idea").is_none(), "{role}");
        for prompt in [draft, fresh, resumed] {
            assert!(!prompt.text().contains("- `checks`:"), "{role}: {}", prompt.text());
        }
    }
}

/// A reviewer that rejected without leaving anything open, or whose findings were all settled, goes on as others do.
#[test]
fn a_later_round_with_nothing_open_is_told_what_changed_and_that_it_did_not_approve() {
    let delta = Some("--- a/spec.md\n+++ b/spec.md\n@@ -1 +1 @@\n-old\n+new\n");
    for strategy in [Strategy::Inline, Strategy::Lazy] {
        let brief = Brief { strategy, delta, round: 2, ..cases::first(profile_of("spec-reviewer")) };
        let text = build(&brief).text();
        assert!(text.contains("did not approve") && text.contains("+new"), "{strategy:?}: {text}");
    }
}

/// What is long, and what an earlier turn has read, is opened where it is needed: a prompt of more than 20,000 characters
/// is read less well.
#[test]
fn a_reviewer_that_reads_files_is_not_given_a_long_document_nor_one_that_its_role_has_judged() {
    let long = format!("# Spec\n\n{}", "- R1: the service refuses the key within 5 s.\n".repeat(300));
    for role in ["spec-reviewer", "task-reviewer"] {
        let first = Brief { artifact: Some(long.as_bytes()), ..cases::first(profile_of(role)) };
        let lazy = build(&Brief { strategy: Strategy::Lazy, ..first });
        let shown = lazy.get("artifact").unwrap();
        assert!(
            !shown.contains("R1") && shown.contains("Read all of it before you judge it."),
            "{role}: {shown}"
        );
        assert!(lazy.chars() < 20_000, "{role}: {}", lazy.chars());
        let inline = build(&Brief { strategy: Strategy::Inline, ..first });
        assert!(inline.get("artifact").unwrap().contains("R1"), "who is given everything is given that, too");
        let delta = "--- a/spec.md\n+++ b/spec.md\n@@ -3,1 +3,1 @@\n-- R1: old\n+- R1: new\n";
        let again = build(&Brief {
            strategy: Strategy::Lazy,
            delta: Some(delta),
            artifact: Some(b"# Spec\n\n- R1: new\n"),
            ..first
        });
        assert!(!again.get("artifact").unwrap().contains("R1"), "{role}");
        assert!(again.get("delta").unwrap().contains("+- R1: new"));
        let note = again.get("review-note").unwrap();
        assert!(note.contains("Open what a change or an open finding depends on"), "{role}: {note}");
        assert!(is_at_hand(&again) && !is_at_hand(&lazy), "{role}");
    }
}

/// How findings are answered comes with the findings: a first draft has none.
#[test]
fn an_author_is_told_how_to_answer_findings_when_it_has_some_and_not_before() {
    const HOW: &str = "Never bend a text that is right";
    let finding = cases::finding('S', "the number is missing");
    let findings = [&finding];
    for role in ["spec-author", "design-author", "plan-author", "task-author"] {
        let draft = Brief { purpose: Purpose::Draft, ..cases::first(profile_of(role)) };
        assert!(!build(&draft).text().contains(HOW), "{role}");
        for strategy in [Strategy::Lazy, Strategy::Inline, Strategy::Resume] {
            let revise = Brief { purpose: Purpose::Revise, findings: &findings, strategy, ..draft };
            let text = build(&revise).text();
            assert_eq!(text.matches(HOW).count(), 1, "{role} {strategy:?}");
        }
    }
}

/// Whoever mends something reads what it mends. What that was made from is opened where it is needed.
#[test]
fn whoever_mends_is_not_ordered_to_read_everything_it_was_made_from() {
    const WHOLE: &str = "are for reference";
    let finding = cases::finding('S', "the number is missing");
    let findings = [&finding];
    for role in ["spec-author", "design-author", "plan-author", "task-author"] {
        let draft = Brief { purpose: Purpose::Draft, ..cases::first(profile_of(role)) };
        let lazy = Brief { strategy: Strategy::Lazy, ..draft };
        assert!(!is_at_hand(&build(&lazy)), "{role}: a first draft rests on all of it");
        let revise = build(&Brief { purpose: Purpose::Revise, findings: &findings, ..lazy });
        let task = revise.get("task").unwrap();
        assert!(is_at_hand(&revise) && task.contains(WHOLE), "{role}: {task}");
        assert!(task.contains("Read that file whole before you change it"), "{role}: {task}");
        let inline =
            Brief { purpose: Purpose::Revise, strategy: Strategy::Inline, findings: &findings, ..draft };
        assert!(!build(&inline).get("task").unwrap().contains(WHOLE), "{role}: they stand in the prompt");
    }
    for (role, name) in [("implementer", "fix"), ("test-deepener", "tests"), ("code-simplifier", "simplify")]
    {
        let prompt = case(role, name);
        let text = prompt.text();
        assert!(is_at_hand(&prompt) && ordered(&prompt).is_empty(), "{role}");
        assert!(!text.contains("MUST read") && !text.contains("Required Artifacts"), "{role}: {text}");
        assert_eq!(text.matches("None of these has to be read whole.").count(), 1, "{role}: {text}");
    }
    for (role, name) in [("implementer", "task"), ("test-deepener", "outline")] {
        assert!(!is_at_hand(&case(role, name)), "{role}");
    }
}

/// A digest goes on with a review, so it says nothing of how the whole is gone through.
#[test]
fn a_digest_has_no_walk() {
    let delta = Some("--- a/spec.md\n+++ b/spec.md\n@@ -1 +1 @@\n-old\n+new\n");
    for role in ["spec-reviewer", "design-reviewer", "plan-reviewer", "task-reviewer", "phase-reviewer"] {
        let first = Brief { strategy: Strategy::Lazy, ..cases::first(profile_of(role)) };
        let whole = build(&first);
        let digest = build(&Brief { strategy: Strategy::Digest, delta, round: 2, ..first });
        let rubric = |prompt: &Prompt| prompt.get("rubric").unwrap().to_owned();
        assert!(rubric(&whole).contains("## The Walk"), "{role}");
        assert!(!digest.text().contains("Walk"), "{role}: {}", digest.text());
        for section in ["## Not a Finding Here", "## Where the Line Runs", profile_of(role).coda] {
            assert!(rubric(&digest).contains(section), "{role}: {section}");
        }
    }
    let code = case("security-reviewer", "review, digest").text();
    assert!(!code.contains("Walk") && code.contains("## Severity Here"), "{code}");
}

/// Each pair contradicted itself once: whoever obeyed the one could not obey the other.
#[test]
fn no_rule_contradicts_another() {
    let simplifier = case("code-simplifier", "simplify").text();
    assert!(!simplifier.contains("each whole") && !simplifier.contains("to be judged"), "{simplifier}");
    let outline = case("test-deepener", "outline");
    holds(&outline, &[("rubric", "A test that a task orders is an entry like any other")], "test-deepener");
    let mends = case("implementer", "fix, tests disagree");
    let rows = [
        ("rubric", "unless Failed Project Check says that others wrote it from them"),
        ("gate", "Change none of these tests"),
        ("rubric", "Where a finding asks for what the specification excludes, the specification holds"),
    ];
    holds(&mends, &rows, "implementer");
    for role in REVIEWERS {
        let row = (
            "reviewer-rules",
            "Where the specification excludes the remedy in so many words, the finding is a warning",
        );
        holds(&case(role, "review"), &[row], role);
    }
    let tasks = build(&cases::first(profile_of("task-reviewer")));
    holds(&tasks, &[("rubric", "or that does not send the input it is named for: blocker")], "task-reviewer");
}
