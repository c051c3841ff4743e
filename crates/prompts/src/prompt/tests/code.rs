//! Prompts about code: the nine rows of seed 031's template-selection matrix for the implement command, its deviations of
//! I1-R4, and I7. Where ours differs, the test says why. Tasks are in `tasks`.

use super::super::change::body as shown_diff;
use super::super::*;
use super::{cases, stable};
use crate::prompt::example::change;
use redraft_cost::policy::{PolicyFacts, ResumedFacts, choose};
use redraft_documents::delta::Comparison;
use redraft_facts::choice::{Policy, Strategy};
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

pub(super) const REVIEWERS: [&str; 3] =
    ["implementation-reviewer", "code-quality-reviewer", "security-reviewer"];

/// Looks at the brief of a case.
pub(super) fn with(role: &str, name: &str, look: &mut dyn FnMut(&Brief<'_>)) {
    let mut found = false;
    cases::each(&mut |case| {
        if (case.phase, case.brief.profile.role, case.name) == (Phase::Implement, role, name) {
            found = true;
            look(&case.brief);
        }
    });
    assert!(found, "there is no case `{name}` of {role}");
}

pub(super) fn case(role: &str, name: &str) -> Prompt {
    let mut prompt = Prompt::default();
    with(role, name, &mut |brief| prompt = build(brief));
    prompt
}

pub(super) fn names(fragments: &[Fragment]) -> Vec<&str> {
    fragments.iter().map(|fragment| fragment.name.as_str()).collect()
}

/// What policy `seed` does with a continued prompt of this many characters.
fn chosen(purpose: Purpose, resumed: &Prompt, first: &Prompt) -> Strategy {
    let (prompt_chars, first_chars) = (resumed.chars(), first.chars());
    let resumed = Some(ResumedFacts {
        prompt_chars,
        first_chars,
        context_chars: first_chars,
        fresh_chars: first_chars,
    });
    let facts = PolicyFacts { policy: Policy::Seed, purpose, resumed, priced: None };
    choose(&facts, &Strategy::ALL).unwrap().strategy
}

/// A diff of this many characters, in a hunk without meaning.
fn large_diff(chars: usize) -> String {
    let lines: String = (0..chars / 50).map(|at| format!("+{at:048}\n")).collect();
    format!("--- a/src/x.rs\n+++ b/src/x.rs\n@@ -0,0 +1,{} @@\n{lines}", chars / 50)
}

#[test]
fn matrix_row_1_in_the_first_iteration_all_three_reviewers_are_sent_i1_r4_with_the_full_context() {
    for role in REVIEWERS {
        let prompt = case(role, "review");
        assert_eq!(names(&prompt.constant), ["code-rules"]);
        let stable = ["reviewer-rules", "rubric", "required-artifacts", "checklist", "return"];
        assert_eq!(names(&prompt.role), stable, "{role}: what is the same stands first");
        // What was asked for is compared by one of them.
        let turn = ["asked-for", "implementation-files", "removed-lines", "check-results", "iteration"];
        let from = usize::from(role != "implementation-reviewer");
        assert_eq!(names(&prompt.turn), turn[from..], "{role}");
        assert!(prompt.get("iteration").unwrap().contains("This is iteration 1 of 5."));
    }
}

/// What was removed is in no file that a reviewer could open.
#[test]
fn whatever_way_a_review_is_sent_its_reader_sees_what_was_removed() {
    for role in REVIEWERS {
        for name in ["review", "review, inline", "certify"] {
            let text = case(role, name).text();
            assert!(
                text.contains("\n-pub fn handle(request: Request, keys: &KeyStore)"),
                "{role} {name}: {text}"
            );
        }
        for name in [
            "review, fresh in a later round",
            "review, resumed",
            "review, digest",
            "validate, fresh",
            "validate, resumed",
            "validate, digest",
        ] {
            let delta = case(role, name).get("delta").unwrap().to_owned();
            assert!(
                delta.lines().any(|line| line.starts_with('-') && !line.starts_with("- ")),
                "{role} {name}"
            );
        }
    }
}

#[test]
fn matrix_row_2_a_reviewer_that_failed_is_resumed_with_the_delta_alone() {
    for role in REVIEWERS {
        let (first, resumed) = (case(role, "review"), case(role, "review, resumed"));
        assert_eq!(chosen(Purpose::Review, &resumed, &first), Strategy::Resume, "{role}");
        assert_eq!(stable(&resumed), Prompt::default());
        let expected = [
            "resume-note",
            "delta",
            "fix-summary",
            "check-results",
            "open-findings",
            "iteration",
            "return-short",
        ];
        assert_eq!(names(&resumed.turn), expected, "{role}");
        let delta = resumed.get("delta").unwrap();
        // R1.2b: the stat and the diff.
        assert!(
            delta.starts_with("## Delta\n\n- src/counter.rs: +2 -1\n- src/gateway.rs: +2 -2\n\n```diff\n")
        );
        assert!(resumed.get("resume-note").unwrap().starts_with("You already have the upstream artifacts"));
    }
}

#[test]
fn matrix_row_3_where_the_delta_is_more_than_half_a_reviewer_is_sent_i1_r4_again() {
    for role in REVIEWERS {
        let first = case(role, "review");
        let diff = large_diff(usize::try_from(first.chars()).unwrap());
        let mut large = Prompt::default();
        with(role, "review, resumed", &mut |brief| {
            large = build(&Brief { delta: Some(&diff), ..*brief });
        });
        assert_eq!(chosen(Purpose::Review, &large, &first), Strategy::Lazy, "{role}");
        let fresh = case(role, "review, fresh in a later round");
        assert_eq!(stable(&fresh), stable(&first), "{role}: the same beginning as in the first iteration");
        assert!(fresh.get("open-findings").unwrap().contains("Previous issues to re-evaluate:"));
        assert!(!fresh.text().contains("prior review session unavailable"));
    }
}

#[test]
fn matrix_row_4_where_a_conversation_cannot_be_resumed_a_reviewer_is_sent_i3() {
    for role in REVIEWERS {
        let (first, fallback) = (case(role, "review"), case(role, "review, conversation lost"));
        assert_eq!(stable(&fallback), stable(&first), "{role}");
        let context = fallback.get("iteration").unwrap();
        assert!(context.contains("(Fresh dispatch — prior review session unavailable.)"), "{context}");
        assert!(fallback.get("open-findings").unwrap().contains("Previous issues to re-evaluate:"));
    }
}

#[test]
fn matrix_row_5_a_reviewer_that_passed_is_resumed_for_the_final_validation_without_a_guard() {
    for role in REVIEWERS {
        let (first, resumed) = (case(role, "review"), case(role, "validate, resumed"));
        let diff = large_diff(usize::try_from(first.chars()).unwrap());
        let mut large = Prompt::default();
        with(role, "validate, resumed", &mut |brief| {
            large = build(&Brief { delta: Some(&diff), ..*brief });
        });
        assert_eq!(chosen(Purpose::Validate, &large, &first), Strategy::Resume, "{role}: no guard");
        let text = resumed.text();
        // I2-FV: since this role's own last review, what changed as stat and diff, and every summary since.
        assert!(text.contains("in context from your prior review at iteration 1"), "{role}");
        let changes = "## Changes Since Your Last Review\n\n- src/counter.rs: +2 -1\n- src/gateway.rs: +2 -2\n\n```diff\n";
        assert!(resumed.get("delta").unwrap().starts_with(changes));
        let summary = resumed.get("fix-summary").unwrap();
        assert!(summary.contains("Revision 1 of 2:") && summary.contains("Revision 2 of 2:"), "{summary}");
        assert!(text.contains("Perform a full regression check"), "{role}");
        assert!(text.contains("This is the final validation round (iteration 3 of 5)."), "{role}");
    }
}

#[test]
fn matrix_row_6_where_that_conversation_is_gone_the_final_validation_is_i3_with_the_full_context() {
    for role in REVIEWERS {
        let (first, fresh) = (case(role, "review"), case(role, "validate, conversation lost"));
        assert_eq!(stable(&fresh), stable(&first), "{role}");
        let context = fresh.get("iteration").unwrap();
        assert!(context.contains("final validation round"), "{context}");
        assert!(fresh.get("review-note").unwrap().contains("full regression check"), "{role}");
        assert!(fresh.get("delta").unwrap().contains("```diff\n"), "{role}");
        assert!(context.contains("(Fresh dispatch — prior review session unavailable.)"), "{context}");
        assert!(fresh.get("implementation-files").is_some());
    }
}

#[test]
fn matrix_row_7_the_first_fix_is_i7_fresh_with_artifacts_all_files_and_everybodys_issues() {
    let fix = case("implementer", "fix");
    assert!(fix.get("rubric").is_some() && fix.get("artifacts-at-hand").is_some());
    assert_eq!(names(&fix.turn), ["task", "implementation-files", "open-findings"]);
    let files = fix.get("implementation-files").unwrap();
    assert!(
        files.starts_with("## All Implementation Files\n")
            && files.contains("- src/counter.rs: +28 -0, new\n")
    );
    let issues = fix.get("open-findings").unwrap();
    assert!(issues.starts_with("## Issues to Fix\n"));
    for id in ["[I1]", "[Q1]", "[X1]"] {
        assert!(issues.contains(id), "{issues}");
    }
}

#[test]
fn matrix_row_8_a_later_fix_is_i7_resumed_with_the_new_issues_and_the_changed_files() {
    let (first, resumed) =
        (case("implementer", "fix"), case("implementer", "fix, resumed after changes by others"));
    assert_eq!(chosen(Purpose::Revise, &resumed, &first), Strategy::Resume);
    assert_eq!(stable(&resumed), Prompt::default());
    let text = resumed.text();
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("no `{words}` in:\n{text}"));
    assert!(
        text.starts_with("You already have the upstream artifacts and the implementation files in context")
    );
    assert!(at("## Changed Files to Re-read") < at("## All Implementation Files (for reference)"));
    assert!(at("## All Implementation Files (for reference)") < at("## New Issues to Fix"));
    assert!(text.contains("[I1]") && !text.contains("[Q1]"), "only what is open now");
    // Nothing to read again is not announced.
    assert!(!case("implementer", "fix, resumed").text().contains("Changed Files to Re-read"));
}

#[test]
fn matrix_row_9_where_the_new_issues_are_more_than_half_the_fix_is_i7_fresh_again() {
    let (first, resumed) = (case("implementer", "fix"), case("implementer", "fix, resumed"));
    let mut large = Prompt::default();
    with("implementer", "fix, resumed", &mut |brief| {
        let long = "x".repeat(3_000);
        let many: Vec<_> = (1..=9)
            .map(|_| {
                let mut finding = (*brief.findings[0]).clone();
                finding.description.push_str(&long);
                finding
            })
            .collect();
        let findings: Vec<_> = many.iter().collect();
        large = build(&Brief { findings: &findings, ..*brief });
    });
    assert_eq!(chosen(Purpose::Revise, &resumed, &first), Strategy::Resume);
    assert_eq!(chosen(Purpose::Revise, &large, &first), Strategy::Lazy);
}

/// R2.5: all of them, not only reviewers. R2.1: nothing that is named by its path stands in the prompt. Whoever mends code
/// or writes tests reads what its work depends on.
#[test]
fn r2_5_every_fresh_lazy_dispatch_about_code_must_read_by_path() {
    const ALL: &str = "You MUST read the following files before beginning your work.\n";
    const NEEDED: &str = "Open what your work depends on, and confirm what you opened: \"Files read: ";
    for (role, name, list, order) in [
        ("code-simplifier", "simplify", "artifacts-at-hand", NEEDED),
        ("test-deepener", "outline", "required-artifacts", ALL),
        ("test-deepener", "tests", "artifacts-at-hand", NEEDED),
        ("implementer", "fix", "artifacts-at-hand", NEEDED),
    ] {
        let prompt = case(role, name);
        assert!(prompt.get(list).unwrap().contains(order), "{role} {name}");
        assert!(!prompt.text().contains("- AC1 (R1)") || name == "tests", "{role} {name}");
    }
}

/// The deviations of I1-R4: an explicit form, four levels and check lists in the stable part, files in place of an artifact.
#[test]
fn i1_r4_deviations_levels_checks_and_form_of_the_code_reviewers_stand_before_the_files() {
    for (role, checks, category) in [
        (REVIEWERS[0], "1. `task-completeness`", "one of missing, extra, misunderstood, incomplete."),
        (REVIEWERS[1], "1. `readability`", "one of readability, kiss, yagni, formatting, flow."),
        (REVIEWERS[2], "1. `injection`", "one of injection, auth, crypto, exposure, config."),
    ] {
        let text = case(role, "review").text();
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{role}: no {words}"));
        assert!(at("## Checks") < at(checks) && at(checks) < at("## Your Answer"), "{role}");
        assert!(at(category) < at("## Implementation Files"), "{role}");
        assert!(!text.contains(" Under Review"), "{role}: there is no one artifact");
    }
}

/// Ours: a reviewer of code is told which iteration it is in (the original was not), because the limit is a fact about it.
#[test]
fn a_lazy_review_lists_the_files_with_counts_and_lines_and_an_inline_one_has_the_diff_as_well() {
    let lazy = case(REVIEWERS[1], "review");
    let files = lazy.get("implementation-files").unwrap();
    assert!(
        files.contains("- src/counter.rs: +28 -0, new\n- src/gateway.rs: +8 -2, lines 1, 5 to 11\n"),
        "{files}"
    );
    assert!(!files.contains("```"), "{files}");
    let inline = case(REVIEWERS[1], "review, inline");
    assert!(inline.get("given-change").unwrap().contains("```diff\ndiff --git a/src/counter.rs"));
    assert!(inline.turn.iter().all(|fragment| fragment.name != "implementation-files"));
}

/// The first of them pays for what all three begin with; it holds the change, which is the largest part.
#[test]
fn the_three_reviewers_of_a_round_begin_with_the_same_bytes() {
    for name in ["review, inline", "review, inline in a later round"] {
        let begin: BTreeSet<String> = (REVIEWERS.iter())
            .map(|role| {
                let Prompt { constant, feature, .. } = case(role, name);
                assert!(names(&feature).ends_with(&["given-change"]), "{:?}", names(&feature));
                Prompt { constant, feature, ..Prompt::default() }.text()
            })
            .collect();
        assert_eq!(begin.len(), 1, "{name}");
    }
}

#[test]
fn a_diff_that_is_too_long_is_listed_by_file_and_its_reader_is_told_to_open_the_files() {
    let diff = large_diff(300_000);
    for (name, heading) in [("review, inline", "given-change"), ("review, resumed", "delta")] {
        with(REVIEWERS[2], name, &mut |brief| {
            let code = brief.code.map(|code| CodeBrief { change: &diff, ..code });
            let prompt = build(&Brief { code, delta: brief.delta.map(|_| diff.as_str()), ..*brief });
            let text = prompt.get(heading).unwrap();
            assert!(text.contains("- src/x.rs: +6000 -0\n"), "{name}: {text}");
            assert!(text.contains("The diff of 1 file is not shown. Open each of them"), "{name}: {text}");
            assert!(text.contains("only if you did:\n\n- src/x.rs\n"), "{name}: {text}");
            assert!(text.len() < 2_000, "{name}");
        });
    }
}

#[test]
fn of_a_diff_that_is_too_long_all_files_are_shown_but_the_longest_which_are_named() {
    let of = |path: &str, lines: usize| {
        let added = "+one more line of it\n".repeat(lines);
        format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{added}")
    };
    let diff = [of("lock.txt", 9_000), of("src/a.rs", 10), of("more.txt", 9_000), of("src/z.rs", 3)].concat();
    assert_eq!(to_open(&diff), ["more.txt"]);
    assert_eq!((unnamed(&diff), to_open(&of("src/a.rs", 10))), (0, Vec::new()));
    let text = shown_diff(&diff);
    assert!(text.contains("only if you did:\n\n- more.txt\n\nThe diff of the others:\n"), "{text}");
    assert!(
        text.contains("+++ b/lock.txt")
            && text.contains("+++ b/src/z.rs")
            && !text.contains("+++ b/more.txt")
    );
    let many: String = (0..1_500).map(|at| of(&format!("gen/{at}.txt"), 100)).collect();
    assert_eq!(unnamed(&many), to_open(&many).len() - 1_000);
    assert!(shown_diff(&many).contains(" more files, not listed here\n"));
}

/// A digest of code: what changed, what is open, and what stands around it, at the line where it is now.
#[test]
fn a_digest_shows_the_change_around_each_open_finding_and_nothing_else_of_it() {
    let digest = case(REVIEWERS[2], "review, digest");
    let around = digest.get("around-findings").unwrap();
    assert!(around.contains("src/gateway.rs, lines 1 to 13, for X1:"), "{around}");
    assert!(around.contains("+        log::info!(\"refused a key that is over its limit\");"), "{around}");
    assert!(!around.contains("src/counter.rs"), "{around}");
    assert!(digest.get("artifacts-at-hand").is_some() && digest.get("implementation-files").is_none());
    let found = digest.get("open-findings").unwrap();
    assert!(found.contains("(at: src/gateway.rs:9 (handle))"), "{found}");
}

/// The diffs of the example are written by hand, so they are checked against each other: one and the same file before
/// and after.
#[test]
fn the_faults_of_the_examples_code_stand_where_it_says_and_the_fixes_lead_to_the_mended_change() {
    let (first, mended) = (files_after(change::FIRST), files_after(change::MENDED));
    assert_eq!(first.len(), 2, "{first:?}");
    let fixes = first.iter().map(|(path, text)| Comparison::new(text, &mended[path]).unified(path));
    assert_eq!(fixes.collect::<Vec<String>>().concat(), change::FIXES);
    for finding in change::findings() {
        let at = usize::try_from(finding.line).unwrap() - 1;
        let line = first[&finding.file].lines().nth(at).unwrap();
        assert!(line.contains(&finding.quote), "{}: {line}", finding.id);
        assert!(!mended[&finding.file].contains(&finding.quote), "{} is mended", finding.id);
    }
}

/// The files that a diff shows whole, as they are after it.
fn files_after(diff: &str) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut path = "";
    for line in diff.lines() {
        if let Some(named) = line.strip_prefix("+++ b/") {
            path = named;
        } else if let Some(text) = line.strip_prefix(['+', ' ']) {
            files.entry(path.to_owned()).or_default().push_str(&format!("{text}\n"));
        }
    }
    files
}
