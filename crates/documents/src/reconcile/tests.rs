//! Each rule by which a verdict changes the findings.

mod put_aside;

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
fn a_finding_that_is_repeated_stays_open_even_if_it_is_said_to_be_fixed() {
    let again = Issue { same_as: "s1".to_owned(), ..issue(Severity::Warning, 3, "quite other words") };
    let repeat = |answers: Vec<FindingAnswer>| Round {
        known: open(&["S1"]),
        answers,
        issues: vec![again.clone()],
        ..Round::default()
    };
    repeat(vec![]).check(&["kept S1: found again"]);
    repeat(vec![answer("S1", AnswerStatus::NotFixed)]).check(&["kept S1: S1 was looked at"]);
    for (status, note) in [
        (AnswerStatus::Fixed, "kept S1: said to be fixed, but found again"),
        (AnswerStatus::Withdrawn, "kept S1: said to be withdrawn, but found again"),
    ] {
        let reconciled = repeat(vec![answer("S1", status)]).check(&[note]);
        has_note(&reconciled, "it stays open");
        assert_eq!(reconciled.unanswered, []);
    }
}

#[test]
fn a_repeat_is_known_by_its_place_and_its_words() {
    let words = "nobody says who may delete a key of kind S1";
    let place = |file: &str, line, section: &str, quote: &str| Issue {
        file: file.to_owned(),
        section: section.to_owned(),
        quote: quote.to_owned(),
        ..issue(Severity::Warning, line, words)
    };
    let mut known = finding("S1", Status::Open);
    known.section = "## Keys".to_owned();
    known.quote = "a key is\ndeleted".to_owned();
    for (issue, repeats) in [
        (place(FILE, 53, "", ""), true),
        (place("spec.md", 47, "", ""), true),
        (place(FILE, 54, "", ""), false),
        (place("docs/other.md", 50, "keys", ""), false),
        (place("", 50, "", ""), false),
        (place("", 0, "Keys", ""), true),
        (place(FILE, 9, "", "a key is deleted"), true),
        (place(FILE, 0, "", ""), false),
        (
            Issue { description: "nobody says who may delete a key".to_owned(), ..place(FILE, 50, "", "") },
            true,
        ),
        (Issue { description: "nobody says who may do it".to_owned(), ..place(FILE, 50, "", "") }, false),
    ] {
        let round = Round { known: vec![known.clone()], issues: vec![issue.clone()], ..Round::default() };
        let expected: &[&str] = match repeats {
            true => &["kept S1: found again"],
            false => &["kept S1: not answered", "raised S2 warning open"],
        };
        round.check(expected);
    }
}

#[test]
fn issues_that_say_nowhere_are_compared_by_their_words() {
    let nowhere =
        Issue { file: String::new(), ..issue(Severity::Warning, 0, "the goals are not measurable") };
    let mut known = finding("S1", Status::Open);
    (known.file, known.line, known.description) = (String::new(), 0, nowhere.description.clone());
    Round { known: vec![known], issues: vec![nowhere], ..Round::default() }.check(&["kept S1: found again"]);
}

#[test]
fn exactly_six_tenths_of_the_words_are_enough() {
    assert!(enough_shared_words("a b c d", "a b c e"));
    assert!(!enough_shared_words("a b c d e f g", "a b c d h i j"));
    assert!(!enough_shared_words("", ""));
    assert!(enough_shared_words("Who, may: DELETE?", "who may delete"));
}

#[test]
fn a_repeat_of_a_closed_finding_reopens_it() {
    for status in [Status::Fixed, Status::Withdrawn] {
        let again = issue(Severity::Warning, 51, "nobody says who may delete a key of kind S1");
        let round = Round { known: vec![finding("S1", status)], issues: vec![again], ..Round::default() };
        round.check(&[&format!("reopened S1: was {}, found again", status.name())]);
    }
}

#[test]
fn an_open_finding_is_preferred_to_a_settled_one() {
    let ruled = finding("S1", Status::Ruled);
    let open = Finding { description: ruled.description.clone(), ..finding("S2", Status::Open) };
    let again = issue(Severity::Warning, 50, &ruled.description);
    Round { known: vec![ruled, open], issues: vec![again], ..Round::default() }
        .check(&["kept S2: found again"]);
}

#[test]
fn a_graver_repeat_and_one_that_holds_at_last_restate_the_finding() {
    let again =
        |severity| Issue { same_as: "S1".to_owned(), quote: "new".to_owned(), ..issue(severity, 7, "anew") };
    let mut doubtful = finding("S1", Status::Open);
    doubtful.unverified = Some("the quote is not in docs/spec.md".to_owned());
    let restate = |known: &Finding, severity, unverified: Option<String>| Round {
        known: vec![known.clone()],
        issues: vec![again(severity)],
        unverified: vec![unverified],
        ..Round::default()
    };
    let sure = finding("S1", Status::Open);
    let bad = || Some("no".to_owned());
    restate(&sure, Severity::Blocker, None).check(&["restated S1 blocker: found again"]);
    restate(&sure, Severity::Blocker, bad()).check(&["kept S1: found again"]);
    restate(&sure, Severity::Suggestion, None).check(&["kept S1: found again"]);
    restate(&doubtful, Severity::Warning, bad()).check(&["kept S1: found again"]);
    let changes =
        restate(&doubtful, Severity::Warning, None).check(&["restated S1 warning: found again"]).changes;
    let mut after = vec![doubtful];
    apply(&mut after, &changes);
    assert_eq!((after.len(), &after[0].unverified, after[0].line, after[0].round), (1, &None, 7, 1));
    restate(&finding("S1", Status::Fixed), Severity::Blocker, None)
        .check(&["reopened S1: was fixed, found again", "restated S1 blocker: was fixed, found again"]);
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
fn two_issues_that_say_the_same_become_one() {
    let issues = vec![
        issue(Severity::Suggestion, 5, "nobody says who may delete"),
        issue(Severity::Blocker, 7, "nobody says who may delete"),
        issue(Severity::Blocker, 6, "Nobody says who may delete!"),
        issue(Severity::Warning, 40, "nobody says who may delete"),
    ];
    let unverified = vec![None, None, Some("no".to_owned())];
    let round = Round { issues, unverified, ..Round::default() };
    let reconciled = round.check(&["raised S1 blocker open", "raised S2 warning open"]);
    has_note(&reconciled, "3 issues say the same and became S1");
    let Some(FindingChange::Raised(finding)) = reconciled.changes.first() else { panic!("{reconciled:?}") };
    assert_eq!((finding.line, &finding.unverified), (7, &None), "the one that holds speaks for all");
}

#[test]
fn two_repeats_of_one_finding_count_once() {
    let again = Issue { same_as: "S1".to_owned(), ..issue(Severity::Warning, 5, "x") };
    Round { known: open(&["S1"]), issues: vec![again.clone(), again], ..Round::default() }
        .check(&["kept S1: found again"]);
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
fn a_repeat_is_never_deferred() {
    let again = issue(Severity::Warning, 50, "nobody says who may delete a key of kind S1");
    Round { known: open(&["S1"]), issues: vec![again], delta: Some(delta()), ..Round::default() }
        .check(&["kept S1: found again"]);
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

proptest! {
    /// Whatever a verdict says: ids stay unique, and no finding of another role changes.
    #[test]
    fn ids_stay_unique_and_other_roles_untouched(
        statuses in proptest::collection::vec(0usize..5, 0..6),
        cites in proptest::collection::vec((0u32..60, 0usize..3, "[ab] [cd]", 0usize..8), 0..8),
        answered in proptest::collection::vec((0usize..8, 0usize..3), 0..8),
        with_delta: bool,
        late_left: bool,
    ) {
        let all = [Status::Open, Status::Fixed, Status::Withdrawn, Status::Deferred, Status::Ruled];
        let known: Vec<Finding> = statuses.iter().enumerate().map(|(at, status)| {
            finding(&format!("{}{}", if at % 2 == 0 { 'S' } else { 'P' }, at + 1), all[*status])
        }).collect();
        let issues = cites.iter().map(|(line, severity, words, same)| {
            let severity = [Severity::Suggestion, Severity::Warning, Severity::Blocker][*severity];
            Issue { same_as: format!("S{same}"), ..issue(severity, *line, words) }
        }).collect();
        let answers = answered.iter().map(|(id, status)| {
            answer(&format!("S{id}"), [AnswerStatus::Fixed, AnswerStatus::NotFixed, AnswerStatus::Withdrawn][*status])
        }).collect();
        let delta = with_delta.then(delta);
        let reconciled = Round { known: known.clone(), answers, issues, delta, late_left, ..Round::default() }.reconcile();
        let mut after = known.clone();
        apply(&mut after, &reconciled.changes);
        let ids: BTreeSet<&str> = after.iter().map(|finding| finding.id.as_str()).collect();
        prop_assert_eq!(ids.len(), after.len());
        for (before, after) in known.iter().zip(&after) {
            prop_assert_eq!(&before.id, &after.id);
            prop_assert!(before.role.as_str() == "spec-reviewer" || before == after);
            prop_assert!(before.status != Status::Ruled || before == after);
            let gone = matches!(after.status, Status::Fixed | Status::Withdrawn);
            let back = with_delta && after.status == Status::Open;
            let graver = after.status == Status::Deferred && after.severity > before.severity;
            prop_assert!(before.status != Status::Deferred || before == after || gone || back || graver);
        }
    }

    /// Whatever was settled before: a verdict changes the same findings under the same ids, and the only difference is that
    /// a new one, none graver than what was accepted, may be ruled.
    #[test]
    fn rulings_of_earlier_loops_change_nothing_but_the_status_of_new_findings(
        ruled in proptest::collection::vec((0u32..60, 0usize..3, "[ab] [cd]"), 0..5),
        cites in proptest::collection::vec((0u32..60, 0usize..3, "[ab] [cd]"), 0..6),
        with_delta: bool,
        late_left: bool,
    ) {
        let severities = [Severity::Suggestion, Severity::Warning, Severity::Blocker];
        let before: Vec<SettledFinding> = ruled.iter().map(|(line, severity, words)| settled(Finding {
            line: *line,
            severity: severities[*severity],
            description: words.clone(),
            ..finding("P1", Status::Ruled)
        })).collect();
        let issues: Vec<Issue> =
            cites.iter().map(|(line, severity, words)| issue(severities[*severity], *line, words)).collect();
        let known = open(&["S1", "P2"]);
        let of = |settled: Vec<SettledFinding>| {
            let delta = with_delta.then(delta);
            Round { known: known.clone(), settled, issues: issues.clone(), delta, late_left, ..Round::default() }.reconcile()
        };
        let (without, with) = (of(Vec::new()), of(before.clone()));
        prop_assert_eq!(without.changes.len(), with.changes.len());
        for (without, with) in without.changes.iter().zip(&with.changes) {
            match (without, with) {
                (FindingChange::Raised(plain), FindingChange::Raised(raised)) if raised.status == Status::Ruled => {
                    let mut gravest = before.iter().map(|one| one.finding.severity);
                    prop_assert!(gravest.any(|accepted| raised.severity <= accepted));
                    prop_assert_eq!((&plain.id, &plain.description), (&raised.id, &raised.description));
                }
                (without, with) => prop_assert_eq!(without, with),
            }
        }
    }
}
