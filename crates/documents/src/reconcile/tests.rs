//! Each rule by which a verdict changes the findings.

mod every_verdict;
mod put_aside;
mod repeats;

use super::place::enough_shared_words;
use super::*;
use proptest::prelude::*;
use redraft_facts::findings::{Ruling, apply};
use redraft_facts::phase::Phase;
use redraft_facts::verdict::Claim;

const FILE: &str = "docs/spec.md";

/// Lines 10 to 12 of the file are new.
fn delta() -> Delta {
    Delta::parse(
        "--- a/docs/spec.md\n+++ b/docs/spec.md\n@@ -9,0 +10,3 @@\n+one line\n+two lines\n+three lines\n",
    )
}

fn issue(severity: Severity, line: u32, description: &str) -> Issue {
    Issue {
        severity,
        category: String::new(),
        claim: Claim::Present,
        file: FILE.to_owned(),
        line,
        section: String::new(),
        quote: String::new(),
        description: description.to_owned(),
        suggestion: String::new(),
        same_as: String::new(),
    }
}

fn finding(id: &str, status: Status) -> Finding {
    let Issue { severity, category, claim, file, section, quote, suggestion, .. } =
        issue(Severity::Warning, 0, "");
    Finding {
        id: FindingId::new(id),
        role: Role::new(if id.starts_with('S') { "spec-reviewer" } else { "phase-reviewer" }),
        round: 1,
        severity,
        category,
        claim,
        file,
        line: 50,
        section,
        quote,
        description: format!("nobody says who may delete a key of kind {id}"),
        suggestion,
        status,
        late: false,
        unverified: None,
        note: String::new(),
        by: None,
    }
}

fn answer(id: &str, status: AnswerStatus) -> FindingAnswer {
    FindingAnswer { id: id.to_owned(), status, note: format!("{id} was looked at") }
}

/// What a verdict of the spec reviewer changes.
#[derive(Default)]
struct Round {
    known: Vec<Finding>,
    settled: Vec<SettledFinding>,
    answers: Vec<FindingAnswer>,
    issues: Vec<Issue>,
    delta: Option<Delta>,
    late_left: bool,
    unverified: Vec<Option<String>>,
    in_artifact: Vec<bool>,
}

impl Round {
    fn reconcile(&self) -> Reconciled {
        let hearing = ReconcileInput {
            role: &Role::new("spec-reviewer"),
            letter: 'S',
            round: 2,
            known: &self.known,
            settled: &self.settled,
            delta: self.delta.as_ref(),
            late_left: self.late_left,
            unverified: &self.unverified,
            artifact: "docs/spec.md",
            in_artifact: &self.in_artifact,
            redactor: &Redactor::default(),
        };
        let (answers, issues) = (self.answers.clone(), self.issues.clone());
        reconcile(&hearing, &Verdict { answers, issues, ..Verdict::default() })
    }

    /// The changes in short: `kept S1: note`, `raised S2 open`.
    fn check(&self, expected: &[&str]) -> Reconciled {
        let reconciled = self.reconcile();
        let short: Vec<String> = reconciled.changes.iter().map(short).collect();
        assert_eq!(short, expected, "notes: {:?}", reconciled.notes);
        reconciled
    }
}

fn short(change: &FindingChange) -> String {
    match change {
        FindingChange::Raised(finding) => {
            let late = if finding.late { " late" } else { "" };
            format!("raised {} {} {}{late}", finding.id, finding.severity, finding.status.name())
        }
        FindingChange::Kept { id, note } => format!("kept {id}: {note}"),
        FindingChange::Fixed { id, note } => format!("fixed {id}: {note}"),
        FindingChange::Withdrawn { id, note } => format!("withdrawn {id}: {note}"),
        FindingChange::Reopened { id, note } => format!("reopened {id}: {note}"),
        FindingChange::Restated(finding) => {
            format!("restated {} {}: {}", finding.id, finding.severity, finding.note)
        }
    }
}

fn has_note(reconciled: &Reconciled, wanted: &str) {
    assert!(reconciled.notes.iter().any(|note| note.contains(wanted)), "{wanted:?}: {:?}", reconciled.notes);
}

fn open(ids: &[&str]) -> Vec<Finding> {
    ids.iter().map(|id| finding(id, Status::Open)).collect()
}

#[test]
fn answers_change_the_open_findings_they_name() {
    let round = Round {
        known: open(&["S1", "S2", "S3"]),
        answers: vec![
            answer("S1", AnswerStatus::Fixed),
            answer(" s2 ", AnswerStatus::Withdrawn),
            answer("S3", AnswerStatus::NotFixed),
        ],
        ..Round::default()
    };
    let reconciled = round.check(&[
        "fixed S1: S1 was looked at",
        "withdrawn S2:  s2  was looked at",
        "kept S3: S3 was looked at",
    ]);
    assert_eq!(reconciled.unanswered, []);
}

#[test]
fn an_answer_for_another_role_or_a_closed_finding_is_only_noted() {
    let known = vec![finding("P1", Status::Open), finding("S1", Status::Ruled)];
    let answers = ["P1", "S1", "S9"].map(|id| answer(id, AnswerStatus::Fixed)).to_vec();
    let reconciled = Round { known, answers, ..Round::default() }.check(&[]);
    has_note(&reconciled, "P1 is answered, but spec-reviewer has no finding of that name");
    has_note(&reconciled, "S9 is answered, but");
    has_note(&reconciled, "S1 is answered, but it is ruled already");
}

#[test]
fn of_two_answers_to_one_finding_not_fixed_counts() {
    for order in
        [[AnswerStatus::NotFixed, AnswerStatus::Fixed], [AnswerStatus::Fixed, AnswerStatus::NotFixed]]
    {
        let answers = order.map(|status| answer("S1", status)).to_vec();
        let reconciled =
            Round { known: open(&["S1"]), answers, ..Round::default() }.check(&["kept S1: S1 was looked at"]);
        has_note(&reconciled, "S1 is answered in two ways");
    }
}

#[test]
fn silence_leaves_a_finding_open() {
    let known = vec![finding("S1", Status::Open), finding("S2", Status::Fixed), finding("P1", Status::Open)];
    let reconciled = Round { known, ..Round::default() }.check(&["kept S1: not answered"]);
    assert_eq!(reconciled.unanswered, [FindingId::new("S1")]);
}

#[test]
fn new_findings_are_numbered_after_the_highest_of_their_letter() {
    let mut known =
        vec![finding("S2", Status::Ruled), finding("S11", Status::Fixed), finding("P30", Status::Open)];
    known[1].role = Role::new("another-reviewer");
    let issues =
        vec![issue(Severity::Blocker, 1, "first thing"), issue(Severity::Suggestion, 2, "second matter")];
    Round { known, issues, ..Round::default() }
        .check(&["raised S12 blocker open", "raised S13 suggestion open"]);
}

#[test]
fn a_new_finding_holds_what_the_issue_says() {
    let issue = Issue {
        severity: Severity::Blocker,
        category: "c".to_owned(),
        claim: Claim::Absent,
        section: "s".to_owned(),
        quote: "q".to_owned(),
        suggestion: "g".to_owned(),
        ..issue(Severity::Blocker, 4, "d")
    };
    let unverified = vec![Some("there is no file docs/spec.md".to_owned())];
    let changes =
        Round { issues: vec![issue], unverified: unverified.clone(), ..Round::default() }.reconcile().changes;
    let expected = Finding {
        id: FindingId::new("S1"),
        role: Role::new("spec-reviewer"),
        round: 2,
        severity: Severity::Blocker,
        category: "c".to_owned(),
        claim: Claim::Absent,
        file: FILE.to_owned(),
        line: 4,
        section: "s".to_owned(),
        quote: "q".to_owned(),
        description: "d".to_owned(),
        suggestion: "g".to_owned(),
        status: Status::Open,
        late: false,
        unverified: unverified[0].clone(),
        note: String::new(),
        by: None,
    };
    assert_eq!(changes, [FindingChange::Raised(expected)]);
}

#[test]
fn a_new_finding_outside_the_delta_is_deferred() {
    let issues = vec![issue(Severity::Warning, 11, "inside it"), issue(Severity::Warning, 90, "far away")];
    let round = |delta| Round { issues: issues.clone(), delta, late_left: true, ..Round::default() };
    let reconciled = round(Some(delta())).check(&["raised S1 warning open", "raised S2 warning deferred"]);
    assert!(!reconciled.late, "only blockers are admitted late");
    round(None).check(&["raised S1 warning open", "raised S2 warning open"]);
}

#[test]
fn a_deferred_finding_may_be_answered_and_need_not_be() {
    let known = vec![finding("S1", Status::Deferred)];
    let round = |answers| Round { known: known.clone(), answers, delta: Some(delta()), ..Round::default() };
    assert!(round(Vec::new()).check(&[]).unanswered.is_empty());
    round(vec![answer("S1", AnswerStatus::Fixed)]).check(&["fixed S1: S1 was looked at"]);
    round(vec![answer("S1", AnswerStatus::Withdrawn)]).check(&["withdrawn S1: S1 was looked at"]);
    let kept = round(vec![answer("S1", AnswerStatus::NotFixed)]).check(&[]);
    assert_eq!((kept.settled, kept.notes), (vec![FindingId::new("S1")], Vec::new()));
}

#[test]
fn a_finding_about_a_file_of_code_lies_where_the_document_says_what_it_quotes() {
    let about = |quote: &str| Issue {
        file: "src/service.py".to_owned(),
        line: 11,
        section: String::new(),
        quote: quote.to_owned(),
        ..issue(Severity::Warning, 0, quote)
    };
    let issues = vec![about("one line two lines"), about("a line that is as it was")];
    let in_artifact = vec![true, true];
    Round { issues, in_artifact, delta: Some(delta()), ..Round::default() }
        .check(&["raised S1 warning open", "raised S2 warning deferred"]);
    let issues = vec![about("one line two lines")];
    Round { issues, delta: Some(delta()), ..Round::default() }.check(&["raised S1 warning deferred"]);
}

#[test]
fn blockers_outside_the_delta_are_admitted_together_while_a_late_round_is_left() {
    let issues =
        vec![issue(Severity::Blocker, 90, "far away"), issue(Severity::Blocker, 70, "another matter")];
    let round =
        |late_left| Round { issues: issues.clone(), delta: Some(delta()), late_left, ..Round::default() };
    assert!(round(true).check(&["raised S1 blocker open late", "raised S2 blocker open late"]).late);
    assert!(!round(false).check(&["raised S1 blocker deferred", "raised S2 blocker deferred"]).late);
}

#[test]
fn a_blocker_that_does_not_hold_uses_up_no_late_round() {
    let issues = vec![issue(Severity::Blocker, 90, "far away")];
    let unverified = vec![Some("docs/spec.md has 12 lines, line 90 is cited".to_owned())];
    let round = Round { issues, unverified, delta: Some(delta()), late_left: true, ..Round::default() };
    assert!(!round.check(&["raised S1 blocker deferred"]).late);
}

#[test]
fn an_unknown_same_as_is_noted_and_the_issue_is_new() {
    let stray = Issue { same_as: "P1".to_owned(), ..issue(Severity::Warning, 3, "x") };
    let reconciled = Round { known: open(&["P1"]), issues: vec![stray], ..Round::default() }
        .check(&["raised S1 warning open"]);
    has_note(&reconciled, "an issue repeats P1, but spec-reviewer has no finding of that name");
}

/// A person has accepted this finding, which another role raised in another phase.
fn settled(finding: Finding) -> SettledFinding {
    let (by, why) = ("ann".to_owned(), "known and small".to_owned());
    SettledFinding {
        finding,
        ruling: Ruling { phase: Phase::Specify, pass: 1, number: 2, by, why, overruled: false },
    }
}
