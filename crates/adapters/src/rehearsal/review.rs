//! A review: checks over the papers, and an answer for every finding that is open.
//!
//! Pure: it sees texts and the prompt's open findings, never a file or the session. Start at [`review`]. A defect
//! is recognised in a later round by its category and by what its description names in backticks.

use super::ask::Open;
use super::checks::{self, Defect, Looked, Papers, marks};
use redraft_core::verdict::{Answer, AnswerStatus, CheckLine, Issue, Severity, Verdict};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Eye {
    /// The spec-reviewer: is the document right?
    Domain,
    /// The phase-reviewer: can the next phase start from it?
    Handoff,
}

pub(super) fn review(eye: Eye, papers: &Papers<'_>, open: &[Open]) -> Verdict {
    let looked = match eye {
        Eye::Domain => checks::domain(papers),
        Eye::Handoff => checks::handoff(papers),
    };
    let defects: Vec<&Defect> = looked.iter().flat_map(|looked| &looked.defects).collect();
    let issues: Vec<Issue> = defects.iter().map(|defect| issue(defect, open)).collect();
    let answers: Vec<Answer> = open.iter().map(|open| answer(open, papers, &looked, &defects)).collect();
    let blocking = issues.iter().filter(|issue| issue.severity >= Severity::Warning).count();
    let left = open.iter().zip(&answers).any(|(open, answer)| {
        answer.status == AnswerStatus::NotFixed && open.severity != Some(Severity::Suggestion)
    });
    let approved = blocking == 0 && !left;
    Verdict {
        approved,
        summary: summary(approved, &issues, &answers),
        answers,
        issues,
        checks: looked.iter().map(check_line).collect(),
        ..Verdict::default()
    }
}

/// Whether an open finding is about this defect.
pub(super) fn is_about(open: &Open, defect: &Defect) -> bool {
    let cut = open.description.strip_suffix('…');
    open.category == defect.category
        && (marks(&open.description) == defect.marks()
            || cut.is_some_and(|cut| defect.description.starts_with(cut)))
}

/// Whether a finding is of a kind that the checks decide: then its absence means that it is fixed.
pub(super) fn is_ours(open: &Open) -> bool {
    const FORMS: [(&str, &str); 7] = [
        ("testability", "no acceptance criterion mentions requirement `"),
        ("traceability", "no requirement serves the goal `"),
        ("clarity", "two numbers for one thing: "),
        ("assumptions", " handles the failure `"),
        ("clarity", "one term in two spellings: `"),
        ("completeness", "the open question `"),
        ("consistency", " refers to `"),
    ];
    FORMS.iter().any(|(category, form)| open.category == *category && open.description.contains(form))
}

fn issue(defect: &Defect, open: &[Open]) -> Issue {
    let same = open.iter().find(|open| is_about(open, defect));
    Issue {
        severity: defect.severity,
        category: defect.category.to_owned(),
        claim: defect.claim,
        file: defect.file.clone(),
        line: u32::try_from(defect.line + 1).unwrap_or(u32::MAX),
        section: defect.section.clone(),
        quote: defect.quote.clone(),
        description: defect.description.clone(),
        suggestion: defect.suggestion.clone(),
        same_as: same.map(|open| open.id.clone()).unwrap_or_default(),
    }
}

fn answer(open: &Open, papers: &Papers<'_>, looked: &[Looked], defects: &[&Defect]) -> Answer {
    let said = |status, note: String| Answer { id: open.id.clone(), status, note };
    if let Some(defect) = defects.iter().find(|defect| is_about(open, defect)) {
        return said(
            AnswerStatus::NotFixed,
            format!("still so in line {} of {}", defect.line + 1, defect.file),
        );
    }
    if is_ours(open) {
        let names = marks(&open.description);
        let mut settled = looked.iter().flat_map(|looked| &looked.settled);
        let how = settled.find(|(about, _)| about.iter().all(|mark| names.contains(mark)));
        let gone = || "the document no longer says it".to_owned();
        return said(AnswerStatus::Fixed, how.map_or_else(gone, |(_, how)| how.clone()));
    }
    foreign(open, papers)
}

/// A finding somebody else raised. All that can be told is whether the text it quotes still stands.
fn foreign(open: &Open, papers: &Papers<'_>) -> Answer {
    let said = |status, note: String| Answer { id: open.id.clone(), status, note };
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let quote = fold(open.quote.trim_end_matches('…'));
    if quote.is_empty() {
        let note = "the finding quotes nothing, so nothing in the document shows that it is settled";
        return said(AnswerStatus::NotFixed, note.to_owned());
    }
    let lines = &papers.spec.document.lines;
    match lines.iter().position(|line| fold(line.raw).contains(&quote)) {
        Some(at) => said(AnswerStatus::NotFixed, format!("line {} still says what was quoted", at + 1)),
        None => said(AnswerStatus::Fixed, "the text that was quoted has been replaced".to_owned()),
    }
}

fn check_line(looked: &Looked) -> CheckLine {
    CheckLine { name: looked.name.to_owned(), passed: looked.defects.is_empty(), note: looked.note.clone() }
}

fn summary(approved: bool, issues: &[Issue], answers: &[Answer]) -> String {
    let fixed = answers.iter().filter(|answer| answer.status == AnswerStatus::Fixed).count();
    let of_open = if answers.is_empty() {
        String::new()
    } else {
        format!(", {fixed} of {} open ones fixed", answers.len())
    };
    let verdict = if approved { "approved" } else { "not approved" };
    format!("{verdict}: {} findings{of_open}", issues.len())
}
