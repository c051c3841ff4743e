//! What holds for every answer, however it is put together.

use super::*;

/// Answers of every kind, from a clean approval to nonsense.
pub(super) fn answer() -> impl Strategy<Value = String> {
    let issue = (0usize..4, 0usize..4, 0u32..60, 0usize..3).prop_map(|(severity, file, line, same_as)| {
        let severity = ["blocker", "warning", "suggestion", "?"][severity];
        let file = ["spec.md", "spec.md", "gone.md", ""][file];
        let same_as = ["", "S1", "P1"][same_as];
        format!(
            r#"{{"severity": "{severity}", "file": "{file}", "line": {line}, "text": "x{line}", "same_as": "{same_as}"}}"#
        )
    });
    let issues = proptest::collection::vec(issue, 0..4);
    let status = proptest::sample::select(vec!["fixed", "not_fixed", "withdrawn", "?"]);
    (any::<bool>(), issues, proptest::option::of(status), "\\PC{0,10}").prop_map(
        |(approved, issues, status, noise)| {
            let answers =
                status.map_or(String::new(), |status| format!(r#"{{"id": "S1", "status": "{status}"}}"#));
            let issues = issues.join(", ");
            format!(
                "{noise}\n{{\"approved\": {approved}, \"summary\": \"\", \"issues\": [{issues}], \"answers\": [{answers}]}}"
            )
        },
    )
}

fn is_outside(change: &FindingChange) -> bool {
    matches!(change, FindingChange::Raised(raised) if raised.late || raised.status == Status::Deferred)
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_and_none_of_them_approve(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let judged = with(&[finding("S1", Severity::Blocker)]).judge(&bytes);
        let repair = matches!(judged.judgement, Judgement::Repair { .. });
        prop_assert!(repair);
    }

    #[test]
    fn no_text_makes_it_panic_and_an_approval_never_leaves_a_blocking_finding(
        answer in answer(),
        has_delta: bool,
        late_left: bool,
        repair_left: bool,
    ) {
        let delta = has_delta.then(|| Delta::parse(DIFF));
        let setting = Setting { delta, late_left, repair_left, ..with(&[finding("S1", Severity::Blocker)]) };
        let judged = setting.judge(answer.as_bytes());
        let mut after = setting.known.clone();
        findings::apply(&mut after, &judged.changes);
        let blocked = after.iter().any(|finding| finding.blocks(setting.rule));
        match judged.judgement {
            Judgement::Approved => {
                let aside = |one: &Finding| matches!(one.status, Status::Deferred | Status::Ruled);
                prop_assert!(!blocked && (judged.verdict.approved || after.iter().any(aside)));
            }
            Judgement::Rejected => prop_assert!(blocked),
            Judgement::Repair { .. } => prop_assert!(judged.changes.iter().all(is_outside)),
            Judgement::NoVerdict { .. } => {
                prop_assert!(judged.changes.iter().all(is_outside) || judged.settled && !blocked);
            }
        }
    }
}
