//! Tests how findings look for a code host.

use super::*;
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::verdict::Claim;

pub(in crate::cli::review) fn finding(severity: Severity, file: &str, line: u32) -> Finding {
    Finding {
        id: FindingId::new("X1"),
        role: Role::new("security-reviewer"),
        round: 1,
        severity,
        category: "injection".to_owned(),
        claim: Claim::Present,
        file: file.to_owned(),
        line,
        section: String::new(),
        quote: "eval \"$1\"".to_owned(),
        description: "Whatever is given is run. ".repeat(5).trim_end().to_owned(),
        suggestion: "call it with arguments".to_owned(),
        status: Status::Open,
        late: false,
        unverified: None,
        note: String::new(),
        by: None,
    }
}

#[test]
fn a_defect_that_two_reviewers_found_is_one_result_that_names_both() {
    let description = "What the caller gives is put into a command and run as it is".to_owned();
    let one = Finding { description: description.clone(), ..finding(Severity::Blocker, "a.sh", 3) };
    let other = Finding {
        id: FindingId::new("Q2"),
        role: Role::new("code-quality-reviewer"),
        category: "flow".to_owned(),
        severity: Severity::Warning,
        description: format!("{description}, without a check"),
        ..one.clone()
    };
    let both = [other, one, finding(Severity::Blocker, "b.sh", 9)];
    let found = defects(&both);
    let line = annotation(&found[0]);
    assert!(line.contains("X1 injection (security-reviewer)") && line.contains("Q2 flow"), "{line}");
    let log = sarif(Phase::Implement, &both, "a.sh", &Execution::default());
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{log}");
    assert_eq!(results[0]["properties"]["id"], "X1, Q2");
}

#[test]
fn what_holds_nothing_up_is_a_note_and_says_why() {
    let blocker = finding(Severity::Blocker, "a.sh", 3);
    assert_eq!(level(&blocker), ("error", "error"));
    let deferred = Finding { status: Status::Deferred, ..blocker.clone() };
    assert_eq!(level(&deferred), ("note", "notice"));
    let unverified = Finding { unverified: Some("there is no file a.sh".to_owned()), ..blocker };
    assert_eq!(level(&unverified), ("note", "notice"));
    assert!(
        message(&unverified).ends_with("\nunverified: there is no file a.sh"),
        "{}",
        message(&unverified)
    );
    assert_eq!(level(&finding(Severity::Suggestion, "a.sh", 0)), ("note", "notice"));
}

#[test]
fn every_result_has_a_rule_and_a_place_also_where_a_model_cites_none() {
    let odd = Finding { category: "made up".to_owned(), ..finding(Severity::Warning, "", 0) };
    let odd = [finding(Severity::Blocker, "a b.sh", 3), odd];
    let log = sarif(Phase::Implement, &odd, "first.sh", &Execution::default());
    let (rules, results) = (&log["runs"][0]["tool"]["driver"]["rules"], &log["runs"][0]["results"]);
    for result in results.as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1, "{result}");
    }
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.sh");
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "first.sh");
}

#[test]
fn a_fingerprint_is_that_of_the_fault_not_of_its_line_or_number() {
    let one = finding(Severity::Blocker, "a.sh", 3);
    let moved = Finding {
        line: 9,
        id: FindingId::new("X7"),
        round: 2,
        quote: "  eval   \"$1\"".to_owned(),
        description: "other words".to_owned(),
        ..one.clone()
    };
    assert_eq!(fingerprint(&one), fingerprint(&moved));
    assert_ne!(fingerprint(&one), fingerprint(&Finding { file: "b.sh".to_owned(), ..one }));
}
