//! Each rule by which an answer becomes a judgement.

mod aside;
mod checklist;
mod every_answer;
mod form;
mod many;

use super::*;
use proptest::prelude::*;
use redraft_facts::findings::FindingChange;
use redraft_facts::ids::Role;
use redraft_facts::verdict::{Claim, Severity};

const SPEC: &str =
    "# Spec\n\nFR-1 When a key is revoked the service answers 401.\nFR-2 The service is fast.\n";

/// Only the last line of the text changed.
const DIFF: &str = "--- a/spec.md\n+++ b/spec.md\n@@ -40 +40 @@\n-old\n+the new last line\n";

struct Setting {
    rule: Threshold,
    known: Vec<Finding>,
    settled: Vec<redraft_facts::findings::SettledFinding>,
    delta: Option<Delta>,
    late_left: bool,
    repair_left: bool,
    retry_left: bool,
    purpose: &'static str,
    formless: bool,
    checks: &'static [&'static str],
}

impl Default for Setting {
    fn default() -> Self {
        let rule = Threshold::Strict;
        Setting {
            rule,
            known: Vec::new(),
            settled: Vec::new(),
            delta: None,
            late_left: true,
            repair_left: true,
            retry_left: false,
            purpose: "review",
            formless: false,
            checks: &[],
        }
    }
}

impl Setting {
    fn judge(&self, answer: &[u8]) -> Judged {
        let ticket: Ticket = format!("031/specify.1/{}/spec-reviewer/2.1", self.purpose).parse().unwrap();
        let text_of = |path: &str| (path == "spec.md").then(|| SPEC.to_owned());
        let judged = judge(&AnswerInHand {
            ticket: &ticket,
            round: 2,
            letter: 'S',
            rule: self.rule,
            known: &self.known,
            settled: &self.settled,
            delta: self.delta.as_ref(),
            late_left: self.late_left,
            repair_left: self.repair_left,
            retry_left: self.retry_left,
            answer,
            formless: self.formless,
            checks: self.checks,
            artifact: "spec.md",
            printed: &[],
            text_of: &text_of,
            redactor: &Redactor::default(),
        });
        assert_eq!(judged.ticket, ticket);
        judged
    }

    fn approves(&self, answer: &str) -> Judged {
        let judged = self.judge(answer.as_bytes());
        assert_eq!(judged.judgement, Judgement::Approved, "{answer}");
        judged
    }

    fn rejects(&self, answer: &str) -> Judged {
        let judged = self.judge(answer.as_bytes());
        assert_eq!(judged.judgement, Judgement::Rejected, "{answer}");
        judged
    }

    /// The role said no, and all it said it for is put aside.
    fn computes(&self, answer: &str, aside: &str) -> Judged {
        let judged = self.approves(answer);
        assert!(judged.is_computed() && !judged.settled, "{answer}");
        let note =
            format!("said to be rejected, but nothing that is open stands in the way; put aside: {aside}");
        assert!(judged.notes.contains(&note), "{note} is not in {:?}", judged.notes);
        judged
    }

    /// Asks for a repair, or gives up when none is left; changes nothing either way, unless it is called settled.
    fn refuses(&self, answer: &str, because: &str) {
        for repair_left in [true, false] {
            let setting = Setting {
                repair_left,
                known: self.known.clone(),
                settled: self.settled.clone(),
                delta: self.delta.clone(),
                ..*self
            };
            let judged = setting.judge(answer.as_bytes());
            let why = match (judged.judgement, repair_left) {
                (Judgement::Repair { why }, true) | (Judgement::NoVerdict { why }, false) => why,
                (other, _) => panic!("{other:?} for {answer}"),
            };
            assert!(why.contains(because), "{because:?} is not in {why:?}");
            assert!(!judged.late, "{answer}");
            assert!(
                judged.changes.is_empty() || judged.settled && !repair_left,
                "{answer}: {:?}",
                judged.changes
            );
        }
    }
}

fn finding(id: &str, severity: Severity) -> Finding {
    Finding {
        id: FindingId::new(id),
        role: Role::new(if id.starts_with('S') { "spec-reviewer" } else { "phase-reviewer" }),
        round: 1,
        severity,
        category: String::new(),
        claim: Claim::Present,
        file: "spec.md".to_owned(),
        line: 4,
        section: String::new(),
        quote: String::new(),
        description: format!("finding {id} is about speed"),
        suggestion: String::new(),
        status: Status::Open,
        late: false,
        unverified: None,
        note: String::new(),
        by: None,
    }
}

fn with(known: &[Finding]) -> Setting {
    Setting { known: known.to_vec(), ..Setting::default() }
}

/// A verdict with one issue that cites the text rightly.
fn one_issue(approved: bool, severity: &str) -> String {
    format!(
        r#"{{"approved": {approved}, "summary": "", "issues": [{{"severity": "{severity}", "file": "spec.md", "line": 4,
        "quote": "The service is fast", "description": "fast has no number"}}]}}"#
    )
}

/// The same with a quote that nobody wrote.
fn doubtful(approved: bool) -> String {
    one_issue(approved, "blocker").replace("The service is fast", "The service is slow")
}

#[test]
fn an_approval_without_a_blocking_finding_approves() {
    let judged = Setting::default().approves(r#"{"approved": true, "summary": "", "issues": []}"#);
    assert_eq!((judged.changes, judged.notes), (Vec::new(), Vec::new()));
    let judged = Setting::default().approves(&one_issue(true, "suggestion"));
    assert_eq!(judged.changes.len(), 1, "what it found is kept");
}

#[test]
fn what_is_only_inferred_is_at_most_a_warning_and_whoever_rejects_for_it_is_told() {
    let said = |approved, how: &str| one_issue(approved, "blocker").replace("has no number", how);
    let setting = || Setting { rule: Threshold::Blockers, ..Setting::default() };
    setting().refuses(&said(false, "has no number [inferred]."), "is only inferred, so it is a warning");
    let judged = setting().approves(&said(true, "has no number [inferred]"));
    let [FindingChange::Raised(raised)] = judged.changes.as_slice() else { panic!("{:?}", judged.changes) };
    assert_eq!((raised.severity, raised.status), (Severity::Warning, Status::Open));
    let told = "\"fast has no number [inferred]\" is only inferred, so it is a warning";
    assert!(judged.notes.iter().any(|note| note == told), "{:?}", judged.notes);
    setting().rejects(&said(false, "has no number, not [inferred] but [traced]"));
}

#[test]
fn what_a_person_settled_holds_in_its_phase_and_for_the_role_that_had_found_it() {
    use redraft_facts::findings::{Ruling, SettledFinding};
    let accepted = Finding {
        description: "fast has no number".to_owned(),
        quote: "The service is fast".to_owned(),
        ..finding("S9", Severity::Blocker)
    };
    for (overruled, status, named) in
        [(false, Status::Ruled, "S1 (ruled)"), (true, Status::Overruled, "S1 (overruled)")]
    {
        let (by, why) = ("ann".to_owned(), "measured later".to_owned());
        let ruling = Ruling { phase: Phase::Specify, pass: 1, number: 1, by, why, overruled };
        let one = SettledFinding { finding: accepted.clone(), ruling };
        let with = |one: &SettledFinding| Setting { settled: vec![one.clone()], ..Setting::default() };
        let setting = with(&one);
        // It may be named together with an approval, and is kept as what it is.
        let judged = setting.approves(&one_issue(true, "blocker"));
        assert!(matches!(&judged.changes[..], [FindingChange::Raised(raised)] if raised.status == status));
        // Alone it holds nothing up.
        let computed = setting.computes(&one_issue(false, "blocker"), named);
        assert_eq!(computed.changes, judged.changes);
        // The same words in another phase are judged anew.
        let elsewhere = Ruling { phase: Phase::Design, ..one.ruling.clone() };
        with(&SettledFinding { ruling: elsewhere, ..one.clone() }).rejects(&one_issue(false, "blocker"));
        // What one role found was accepted from that role; what does not hold, holds from nobody.
        let other = Finding { role: Role::new("phase-reviewer"), ..accepted.clone() };
        let other = with(&SettledFinding { finding: other, ..one });
        match overruled {
            true => drop(other.computes(&one_issue(false, "blocker"), named)),
            false => drop(other.rejects(&one_issue(false, "blocker"))),
        }
    }
    // Without the ruling it would have been a rejection like any other.
    Setting::default().rejects(&one_issue(false, "blocker"));
}

#[test]
fn a_rejection_with_a_finding_at_the_threshold_rejects() {
    for severity in ["warning", "blocker"] {
        let judged = Setting::default().rejects(&one_issue(false, severity));
        assert!(
            matches!(judged.changes.as_slice(), [FindingChange::Raised(finding)] if finding.id.as_str() == "S1")
        );
    }
}

#[test]
fn the_threshold_decides_whether_a_warning_blocks() {
    let lenient = Setting { rule: Threshold::Blockers, ..Setting::default() };
    lenient.approves(&one_issue(true, "warning"));
    lenient.rejects(&one_issue(false, "blocker"));
    lenient.refuses(
        &one_issue(false, "warning"),
        "rejected without an open finding that stands in the way (a blocker)",
    );
}

#[test]
fn an_approval_with_a_blocking_finding_rejects_with_a_note() {
    let judged = Setting::default().rejects(&one_issue(true, "warning"));
    assert!(judged.notes.iter().any(|note| note == "said to be approved, but still open: S1"));
    let kept = r#"{"approved": true, "summary": "", "issues": [], "answers": [{"id": "S1", "status": "not_fixed"}]}"#;
    with(&[finding("S1", Severity::Warning)]).rejects(kept);
}

#[test]
fn a_rejection_without_a_finding_at_the_threshold_cannot_be_used() {
    let why = "rejected without an open finding that stands in the way (a blocker or warning)";
    Setting::default().refuses(r#"{"approved": false, "issues": []}"#, why);
    Setting::default().refuses(&one_issue(false, "suggestion"), why);
}

#[test]
fn a_finding_that_does_not_hold_never_blocks_alone() {
    let why = r#"; "fast has no number" does not hold: the quote is not in spec.md"#;
    Setting::default().refuses(&doubtful(false), why);
    let last = Setting { repair_left: false, ..Setting::default() };
    let judged = last.approves(&doubtful(true));
    let [FindingChange::Raised(finding)] = judged.changes.as_slice() else { panic!("{:?}", judged.changes) };
    assert_eq!(finding.unverified.as_deref(), Some("the quote is not in spec.md"));
    // A role without a conversation is asked anew, once, before it approves past a blocker of its own.
    let anew = Setting { repair_left: false, retry_left: true, ..Setting::default() };
    let judged = anew.judge(doubtful(true).as_bytes());
    let Judgement::NoVerdict { why } = &judged.judgement else { panic!("{:?}", judged.judgement) };
    assert!(why.contains("the quote is not in spec.md") && judged.changes.is_empty(), "{why}");
    let mut known = self::finding("S1", Severity::Blocker);
    known.unverified = Some("there is no file x.md".to_owned());
    let insists = r#"{"approved": false, "issues": [], "answers": [{"id": "S1", "status": "not_fixed"}]}"#;
    with(&[known]).refuses(insists, "; S1 does not hold: there is no file x.md");
    // A person may accept in the role's place, so what it found is kept.
    let judged = last.judge(doubtful(false).as_bytes());
    assert_eq!((judged.settled, judged.changes.len()), (true, 1));
}

#[test]
fn a_blocker_that_does_not_hold_is_returned_once_whatever_stands_beside_it() {
    let both = |severity: &str, approved: bool| {
        format!(
            r#"{{"approved": {approved}, "summary": "", "issues": [
            {{"severity": "{severity}", "file": "gone.md", "text": "some other matter"}},
            {{"severity": "warning", "file": "spec.md", "quote": "FR-1 … 401", "text": "who revokes a key"}}]}}"#
        )
    };
    let last = Setting { repair_left: false, ..Setting::default() };
    for approved in [false, true] {
        let judged = Setting::default().judge(both("blocker", approved).as_bytes());
        let Judgement::Repair { why } = judged.judgement else { panic!("{:?}", judged.judgement) };
        assert!(why.contains(r#""some other matter" does not hold: there is no file gone.md"#), "{why}");
        assert!(!judged.settled && judged.changes.is_empty(), "another one blocks");
        // Then it stays what it is.
        assert_eq!(last.rejects(&both("blocker", approved)).changes.len(), 2);
    }
    let judged = Setting::default().judge(doubtful(true).as_bytes());
    assert!(matches!(judged.judgement, Judgement::Repair { .. }), "also in an approval");
    // One that does not block holds nobody up.
    assert_eq!(Setting::default().rejects(&both("warning", false)).changes.len(), 2);
    // One that came back as it was is not returned again.
    let known = Finding { unverified: Some("gone".to_owned()), ..finding("S1", Severity::Blocker) };
    let kept = one_issue(false, "warning")
        .replace("\"issues\"", r#""answers": [{"id": "S1", "status": "not_fixed"}], "issues""#);
    with(&[known]).rejects(&kept);
}

#[test]
fn a_blocking_finding_without_an_answer_makes_the_verdict_unusable() {
    let known = [
        finding("S1", Severity::Blocker),
        finding("S2", Severity::Warning),
        finding("S3", Severity::Suggestion),
        finding("P1", Severity::Blocker),
    ];
    with(&known).refuses(r#"{"approved": true, "summary": "", "issues": []}"#, "no answer for S1, S2");
    let other = one_issue(false, "blocker").replace("\"line\": 4", "\"line\": 1");
    with(&known).refuses(&other, "no answer for S1, S2");
    let lenient = Setting { rule: Threshold::Blockers, ..with(&known) };
    lenient.refuses(r#"{"approved": true, "summary": "", "issues": []}"#, "no answer for S1");
}

#[test]
fn suggestions_and_findings_of_others_need_no_answer() {
    let known = [finding("S3", Severity::Suggestion), finding("P1", Severity::Blocker)];
    let judged = with(&known).approves(r#"{"approved": true, "summary": "", "issues": []}"#);
    let note = "not answered".to_owned();
    assert_eq!(judged.changes, [FindingChange::Kept { id: FindingId::new("S3"), note }]);
}

#[test]
fn an_approval_that_answers_everything_approves() {
    let text = r#"{"approved": true, "summary": "", "issues": [], "answers": [{"id": "S1", "status": "fixed"},
        {"id": "S2", "status": "withdrawn"}]}"#;
    let judged = with(&[finding("S1", Severity::Blocker), finding("S2", Severity::Warning)]).approves(text);
    assert_eq!(judged.changes.len(), 2);
}

#[test]
fn a_text_without_a_verdict_cannot_be_used() {
    Setting::default().refuses("", "no JSON object with an `approved` field");
    Setting::default().refuses("Looks good to me!", "no JSON object with an `approved` field");
    Setting::default().refuses(r#"{"approved": true, "issues": ["#, "breaks off");
    assert_eq!(Setting::default().judge(b"x").verdict, Verdict::default());
}

#[test]
fn what_was_read_is_kept_even_if_it_cannot_be_used() {
    let judged = Setting::default().judge(br#"{"approved": false, "summary": "no", "issues": []}"#);
    assert_eq!(judged.verdict.summary, "no");
}

#[test]
fn validations_and_certificates_are_judged_alike() {
    for purpose in ["validate", "certify", "repair"] {
        let setting = Setting { purpose, ..Setting::default() };
        setting.approves(r#"{"approved": true, "summary": "", "issues": []}"#);
        setting.rejects(&one_issue(false, "warning"));
    }
}

#[test]
fn the_same_answer_is_always_judged_the_same() {
    let setting = with(&[finding("S1", Severity::Warning)]);
    let answer = one_issue(false, "blocker");
    assert_eq!(setting.judge(answer.as_bytes()), setting.judge(answer.as_bytes()));
}
