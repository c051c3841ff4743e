//! What holds for every verdict and all findings before it.

use super::*;

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
