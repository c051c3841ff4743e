//! Reviews documents: runs checks over them, and answers every open finding.
//!
//! Pure: it sees texts and the prompt's open findings, never a file or the session. Start at [`review`]. A defect
//! is recognised in a later round by its category and by what its description names in backticks.

use crate::ask::Open;
use crate::checks::{self, Check, CheckedDocuments, DEFECTS_MAX, Defect, Looked};
use crate::drafts;
use crate::pace::Stopped;
use redraft_facts::phase::Phase;
use redraft_facts::text::count;
use redraft_facts::verdict::{AnswerStatus, CheckLine, FindingAnswer, Issue, Severity, Verdict};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewFocus {
    /// A domain reviewer: is the document right?
    Domain,
    /// The phase-reviewer: can the next phase start from it?
    Handoff,
}

impl ReviewFocus {
    fn checks(self, phase: Phase) -> &'static [Check] {
        match self {
            ReviewFocus::Domain => checks::domain(phase),
            ReviewFocus::Handoff => checks::handoff(),
        }
    }
}

pub(crate) fn review(
    eye: ReviewFocus,
    checked: &CheckedDocuments<'_>,
    open: &[Open],
) -> Result<Verdict, Stopped> {
    let mut looked: Vec<(Check, Looked)> = Vec::new();
    let mut issues: Vec<Issue> = Vec::new();
    for check in eye.checks(checked.phase) {
        let here = check.look(checked)?;
        issues.extend(reported(*check, &here, open));
        looked.push((*check, here));
    }
    if eye == ReviewFocus::Handoff {
        issues = at_most_three(issues, open);
    }
    let mut answers = Vec::new();
    for open in open {
        checked.pace.step()?;
        answers.push(answer(open, checked, &looked, &issues));
    }
    let checks = looked.iter().map(|(check, looked)| check_line(*check, looked, &issues)).collect();
    Ok(concluded(Verdict { answers, issues, checks, ..Verdict::default() }, open))
}

/// Approved or not, by what was found and what is left open.
pub(crate) fn concluded(verdict: Verdict, open: &[Open]) -> Verdict {
    let Verdict { issues, answers, .. } = &verdict;
    let blocking = issues.iter().filter(|issue| issue.severity == Severity::Blocker).count();
    let left = open.iter().zip(answers).any(|(open, answer)| {
        answer.status == AnswerStatus::NotFixed && matches!(open.severity, None | Some(Severity::Blocker))
    });
    let approved = blocking == 0 && !left;
    Verdict { approved, summary: summary(approved, issues, answers), ..verdict }
}

/// What a review reports of one check's defects: the open ones, a limited number of new ones, and one finding for the
/// rest. While there is such a rest, everything new belongs to it.
fn reported(check: Check, looked: &Looked, open: &[Open]) -> Vec<Issue> {
    let rest_open = open.iter().find(|open| rest_of(open) == Some(check));
    let mut room = if rest_open.is_some() { 0 } else { DEFECTS_MAX };
    let mut issues = Vec::new();
    let mut rest: Vec<&Defect> = Vec::new();
    for defect in &looked.defects {
        let same = open.iter().find(|open| is_about(open, defect));
        if same.is_none() && room == 0 {
            rest.push(defect);
            continue;
        }
        room -= usize::from(same.is_none());
        issues.push(issue(defect, same));
    }
    if let Some(first) = rest.first() {
        let description = format!(
            "{} more findings of one kind, `{REST}{}`; the next one: {}",
            rest.len(),
            check.name(),
            first.description.replace('`', "'")
        );
        let suggestion = "fix these as well; they are listed as the others are settled".to_owned();
        issues.push(Issue { description, suggestion, ..issue(first, rest_open) });
    }
    issues
}

/// How many findings a hand-off review lists; more are one blocker, as its rubric says.
const HANDOFF_MAX: usize = 3;

/// The mark of that blocker.
const UNREADY: &str = "not ready to be handed over";

/// Whether an open finding is that blocker.
pub(crate) fn is_unready(open: &Open) -> bool {
    open.marks.first().is_some_and(|mark| mark == UNREADY)
}

/// What a hand-off review reports of all it found. While its blocker is open, everything new belongs to it.
fn at_most_three(issues: Vec<Issue>, open: &[Open]) -> Vec<Issue> {
    let blocker = open.iter().find(|open| is_unready(open));
    let (mut known, new): (Vec<Issue>, Vec<Issue>) =
        issues.into_iter().partition(|issue| !issue.same_as.is_empty());
    let Some(first) = new.first().filter(|_| blocker.is_some() || new.len() > HANDOFF_MAX) else {
        known.extend(new);
        return known;
    };
    let places: Vec<String> =
        new.iter().map(|issue| format!("{} line {}", issue.file, issue.line)).take(DEFECTS_MAX).collect();
    let description = format!(
        "the document is `{UNREADY}`: {} places leave something to ask, {}; the first: {}",
        new.len(),
        places.join(", "),
        first.description.replace('`', "'")
    );
    known.push(Issue {
        severity: Severity::Blocker,
        description,
        suggestion: "settle each of these places before the next phase begins".to_owned(),
        same_as: blocker.map(|open| open.id.clone()).unwrap_or_default(),
        ..first.clone()
    });
    known
}

/// The answer to a finding that no check finds any more and nothing settles.
const GONE: &str = "the document no longer says it";

/// Whether an answer gives the place of something that was missing.
pub(crate) fn names_a_line(note: &str) -> bool {
    note != GONE && note.starts_with("line ")
}

/// How the mark of a finding for the rest begins.
const REST: &str = "the rest of: ";

/// The check whose unlisted findings an open finding stands for.
pub(crate) fn rest_of(open: &Open) -> Option<Check> {
    Check::named(open.marks.first()?.strip_prefix(REST)?)
}

/// Whether an open finding is about this defect.
pub(crate) fn is_about(open: &Open, defect: &Defect) -> bool {
    let cut = open.description.strip_suffix('…');
    open.category == defect.category
        && (defect.is_named_by(&open.marks) || cut.is_some_and(|cut| defect.description.starts_with(cut)))
}

fn issue(defect: &Defect, same: Option<&Open>) -> Issue {
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

fn answer(
    open: &Open,
    checked: &CheckedDocuments<'_>,
    looked: &[(Check, Looked)],
    issues: &[Issue],
) -> FindingAnswer {
    let said = |status, note: String| FindingAnswer { id: open.id.clone(), status, note };
    if open.category == drafts::COMMENT {
        return match drafts::has_comment(checked.parsed.text, &open.description) {
            true => said(AnswerStatus::Fixed, "the document says what the user decided".to_owned()),
            false => {
                said(AnswerStatus::NotFixed, "the document does not say what the user decided".to_owned())
            }
        };
    }
    let stated_again = issues.iter().any(|issue| issue.same_as == open.id);
    if rest_of(open).is_some() && stated_again {
        return said(AnswerStatus::NotFixed, "there are still some that are not listed".to_owned());
    }
    if is_unready(open) {
        return match stated_again {
            true => {
                said(AnswerStatus::NotFixed, "some of the places still leave something to ask".to_owned())
            }
            false => said(AnswerStatus::Fixed, "none of the places leaves anything to ask".to_owned()),
        };
    }
    let mut defects = looked.iter().flat_map(|(_, looked)| &looked.defects);
    if let Some(defect) = defects.find(|defect| is_about(open, defect)) {
        let note = format!("still so in line {} of {}", defect.line + 1, defect.file);
        return said(AnswerStatus::NotFixed, note);
    }
    if rest_of(open).is_some() || Check::behind(checked.phase, &open.description).is_some() {
        let mut settled = looked.iter().flat_map(|(_, looked)| &looked.settled);
        let how = settled.find(|(mark, _)| open.marks.first() == Some(mark));
        return said(AnswerStatus::Fixed, how.map_or_else(|| GONE.to_owned(), |(_, how)| how.clone()));
    }
    foreign(open, checked)
}

/// The answer to a finding somebody else raised. All that can be checked is whether the text it quotes is still there.
fn foreign(open: &Open, checked: &CheckedDocuments<'_>) -> FindingAnswer {
    let said = |status, note: String| FindingAnswer { id: open.id.clone(), status, note };
    let quote = folded(open.quote.trim_end_matches('…'));
    if quote.is_empty() {
        let note = "the finding quotes nothing, so nothing in the document shows that it is settled";
        return said(AnswerStatus::NotFixed, note.to_owned());
    }
    match checked.parsed.text.lines().position(|line| folded(line).contains(&quote)) {
        Some(at) => said(AnswerStatus::NotFixed, format!("line {} still says what was quoted", at + 1)),
        None => said(AnswerStatus::Fixed, "the text that was quoted has been replaced".to_owned()),
    }
}

pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check_line(check: Check, looked: &Looked, issues: &[Issue]) -> CheckLine {
    let is_of = |issue: &Issue, defect: &Defect| {
        issue.category == defect.category
            && issue.file == defect.file
            && usize::try_from(issue.line) == Ok(defect.line + 1)
    };
    let mut numbers: Vec<usize> = (1..)
        .zip(issues)
        .filter(|(_, issue)| looked.defects.iter().any(|defect| is_of(issue, defect)))
        .map(|(number, _)| number)
        .collect();
    if numbers.is_empty() {
        // What is not listed by itself stands in the last one, for all the rest.
        numbers.push(issues.len());
    }
    let passed = looked.defects.is_empty();
    let note = if passed { looked.note.clone() } else { noted(&numbers, &looked.note) };
    CheckLine { name: check.name().to_owned(), passed, note }
}

/// The note of a failed check: the numbers of its issues, and how it was made.
pub(crate) fn noted(numbers: &[usize], how: &str) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    format!("issue {}; {how}", numbers.join(", "))
}

fn summary(approved: bool, issues: &[Issue], answers: &[FindingAnswer]) -> String {
    let fixed = answers.iter().filter(|answer| answer.status == AnswerStatus::Fixed).count();
    let of_open = if answers.is_empty() {
        String::new()
    } else {
        format!(", {fixed} of {} open ones fixed", answers.len())
    };
    let verdict = if approved { "approved" } else { "not approved" };
    format!("{verdict}: {}{of_open}", count(issues.len(), "finding"))
}
