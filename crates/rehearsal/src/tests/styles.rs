//! Documents as people write them, in tables, in prose and in numbered lists: a clean one is approved at once, and
//! what is planted in one is found, no more and no less.

use super::stage::Stage;
use redraft_core::verdict::Verdict;

pub(super) struct Style {
    pub(super) name: &'static str,
    pub(super) clean: &'static str,
    edits: &'static [(&'static str, &'static str)],
    /// Category and a word of the description of each finding that is expected.
    pub(super) expected: &'static [(&'static str, &'static str)],
}

impl Style {
    pub(super) fn planted(&self) -> String {
        let mut text = self.clean.to_owned();
        for (from, to) in self.edits {
            assert_eq!(text.matches(from).count(), 1, "{} has {from:?} once", self.name);
            text = text.replace(from, to);
        }
        text
    }

    /// Fails unless the findings are exactly those planted.
    pub(super) fn expect(&self, verdicts: &[Verdict], how: &str) {
        let issues: Vec<_> = verdicts.iter().flat_map(|verdict| &verdict.issues).collect();
        let shown: Vec<&str> = issues.iter().map(|issue| issue.description.as_str()).collect();
        assert_eq!(issues.len(), self.expected.len(), "{} {how}: {shown:#?}", self.name);
        for (category, mark) in self.expected {
            let found =
                issues.iter().filter(|i| i.category == *category && i.description.contains(mark)).count();
            assert_eq!(found, 1, "{} {how}: {category} {mark} in {shown:#?}", self.name);
        }
    }
}

pub(super) const STYLES: [Style; 3] = [
    Style {
        name: "tables",
        clean: include_str!("../fixtures/styles/tables.md"),
        edits: &[
            ("| AC-5 | FR-5 | The lamp changes from green to red when a booking starts. |\n", ""),
            (
                "## 7. Open questions",
                "Changes made in the calendar reach the door after at most 40 seconds.\n\n## 7. Open questions",
            ),
            ("| Ruth | it is switched off |", "| | |"),
        ],
        expected: &[
            ("testability", "`FR-5`"),
            ("clarity", "`40 seconds`"),
            ("completeness", "Does the lamp stay on at night?"),
        ],
    },
    Style {
        name: "prose",
        clean: include_str!("../fixtures/styles/prose.md"),
        edits: &[
            ("For R4 damage is reported and\nthe listing stays hidden until both accounts agree. ", "\n"),
            (
                "Payments, insurance and delivery are left out on purpose.",
                "Payments, insurance and delivery are left out on purpose.\n\n## Rules of the house\n\nNobody waits \
                 for ever: an unanswered request\nlapses when 24 hours have passed without a word of the owner.",
            ),
            (
                "- A borrower reports damage",
                "- The account of a borrower is closed while a tool is lent\n- A borrower reports damage",
            ),
        ],
        expected: &[
            ("testability", "`R4`"),
            ("clarity", "`24 hours`"),
            ("assumptions", "The account of a borrower is closed while a tool is lent"),
        ],
    },
    Style {
        name: "numbered",
        clean: include_str!("../fixtures/styles/numbered.md"),
        edits: &[
            (
                "## Failures",
                "## Limits\n\n1. No file larger than 750 MB is accepted.\n2. Catalogues are kept per supplier.\n\n## Failures",
            ),
            ("6. R6: the report of", "6. R6, R8: the report of"),
            ("keep the earlier catalogue.", "keep the earlier catalogue; the check-sum is in the report."),
        ],
        expected: &[("clarity", "`750 MB`"), ("consistency", "`R8`"), ("clarity", "`checksum`")],
    },
];

pub(super) const ROLES: [&str; 2] = ["spec-reviewer", "phase-reviewer"];

#[test]
fn a_clean_document_of_any_style_is_approved_in_the_first_round() {
    for style in &STYLES {
        let mut stage = Stage::new("as written", None, "");
        stage.put(style.clean);
        for role in ROLES {
            let request = stage.fresh(role);
            let verdict = stage.judge(role, &request);
            assert!(verdict.approved && verdict.issues.is_empty(), "{} {role}: {verdict:#?}", style.name);
        }
    }
}

#[test]
fn three_planted_defects_are_found_and_no_other_and_then_mended() {
    for style in &STYLES {
        let mut stage = Stage::new("as written", None, "");
        stage.put(&style.planted());
        let verdicts = ROLES.map(|role| {
            let request = stage.fresh(role);
            stage.judge(role, &request)
        });
        style.expect(&verdicts, "fresh");
        let request = stage.revising(None);
        let answer = stage.author(&request);
        assert!(answer.answers.iter().all(|a| a.status.name() == "fixed"), "{}: {answer:#?}", style.name);
        for role in ROLES {
            let request = stage.resumed(role);
            let verdict = stage.judge(role, &request);
            assert!(verdict.approved, "{} {role}: {verdict:#?}\n{}", style.name, stage.spec());
        }
    }
}

#[test]
fn a_document_without_requirements_or_with_an_empty_acceptance_section_is_rejected_and_mended() {
    let bare = [
        ("# Spec: Export notes\n\nNotes are important to writers.\n", "`no requirement`"),
        ("# Spec: Export notes\n\n## Requirements\n\n## Acceptance Criteria\n", "`no requirement`"),
        (
            "# Spec: Export notes\n\n## Requirements\n\nNone.\n\n## Out of Scope\n\n- Import\n",
            "`no requirement`",
        ),
        (
            "# Spec\n\n## Requirements\n\n- R1: The system shall export notes.\n- R2: The system shall name the file.\n\n## Acceptance Criteria\n\n## Out of Scope\n\n- Import\n",
            "`Acceptance Criteria`",
        ),
        (
            "# Spec\n\n## Requirements\n\n- The system shall export notes.\n\n## How we check it\n\nNone.\n",
            "`How we check it`",
        ),
    ];
    for (text, mark) in bare {
        let mut stage = Stage::new("export notes", None, "");
        stage.put(text);
        let request = stage.fresh("spec-reviewer");
        let verdict = stage.judge("spec-reviewer", &request);
        let shown: Vec<&str> = verdict.issues.iter().map(|issue| issue.description.as_str()).collect();
        assert!(!verdict.approved && shown.len() == 1 && shown[0].contains(mark), "{text}: {shown:#?}");
        let request = stage.revising(None);
        let answer = stage.author(&request);
        assert!(answer.answers.iter().all(|a| a.status.name() == "fixed"), "{text}: {answer:#?}");
        let request = stage.resumed("spec-reviewer");
        let verdict = stage.judge("spec-reviewer", &request);
        assert!(verdict.approved, "{text}: {verdict:#?}\n{}", stage.spec());
    }
}
