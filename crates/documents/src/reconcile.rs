//! Works out what a verdict changes in the list of findings.
//!
//! A reviewer answers the findings it was shown and names issues. Each answer is matched with its finding; each issue
//! is either a repeat of a known finding or a new one. A new one that a person has settled before is
//! ruled from the start, and one outside the delta is put off. Whether the verdict counts at all is decided in
//! [`crate::judge`]. Start reading at [`reconcile`].

mod panel;
mod place;
#[cfg(test)]
mod tests;

pub use panel::{Defect, defects};

use crate::delta::Delta;
use place::Place;
use redraft_facts::findings::{Finding, FindingChange, SettledFinding, Status};
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::prelude::*;
use redraft_facts::redact::Redactor;
use redraft_facts::text::one_line;
use redraft_facts::verdict::{AnswerStatus, FindingAnswer, Issue, Severity, Verdict};

/// Whose verdict it is and what was known when it was given.
#[derive(Debug, Clone, Copy)]
pub struct ReconcileInput<'a> {
    pub role: &'a Role,
    /// Begins the ids of new findings.
    pub letter: char,
    pub round: u16,
    /// All findings of the phase, of any role and status.
    pub known: &'a [Finding],
    /// What people have settled, as far as it holds for this role in this phase.
    pub settled: &'a [SettledFinding],
    /// None: a first review, a validation, a certificate or an unknown delta. Nothing is deferred then.
    pub delta: Option<&'a Delta>,
    /// Whether blockers outside the delta are admitted in this round.
    pub late_left: bool,
    /// For each issue of the verdict, why what it cites does not hold.
    pub unverified: &'a [Option<String>],
    /// The document under review; empty for code.
    pub artifact: &'a str,
    /// For each issue, whether what it quotes stands in that document and not in the file it names.
    pub in_artifact: &'a [bool],
    /// Took the secrets out of the verdict.
    pub redactor: &'a Redactor,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconciled {
    pub changes: Vec<FindingChange>,
    /// Whether a blocker outside the delta was admitted, which uses up one late round.
    pub late: bool,
    /// Open findings of this role, of any severity, that were neither answered nor repeated.
    pub unanswered: Vec<FindingId>,
    /// Findings of this role that were named again and stay what they are: ruled, overruled or deferred.
    pub settled: Vec<FindingId>,
    pub notes: Vec<String>,
}

pub fn reconcile(hearing: &ReconcileInput<'_>, verdict: &Verdict) -> Reconciled {
    let mut out = Reconciled::default();
    let answers = answers(hearing, &verdict.answers, &mut out.notes);
    let (repeats, new) = sort_issues(hearing, &verdict.issues, &mut out.notes);
    for finding in hearing.mine() {
        let answer = answers.get(&finding.id).copied();
        let repeat = repeats.iter().find(|repeat| repeat.of.id == finding.id);
        settle(finding, answer, repeat, &mut out);
    }
    let mut number = hearing.highest_number();
    for group in new {
        number += 1;
        let id = FindingId::new(format!("{}{number}", hearing.letter));
        raise(hearing, id, &group, &mut out);
    }
    out
}

impl<'a> ReconcileInput<'a> {
    fn mine(&self) -> impl Iterator<Item = &'a Finding> {
        let role = self.role;
        self.known.iter().filter(move |finding| finding.role == *role)
    }

    fn named(&self, id: &str) -> Option<&'a Finding> {
        self.mine().find(|finding| finding.id.as_str().eq_ignore_ascii_case(id.trim()))
    }

    /// Ids are unique in the phase, whichever role used the letter.
    fn highest_number(&self) -> u64 {
        let number = |finding: &Finding| finding.id.as_str().strip_prefix(self.letter)?.parse().ok();
        self.known.iter().filter_map(number).max().unwrap_or(0)
    }

    /// The ruling that covers an issue: it accepted the same problem, at least as grave.
    fn ruling_on(&self, issue: &Issue) -> Option<&'a SettledFinding> {
        let place = Place::of_issue(issue);
        let covers = |one: &&SettledFinding| {
            issue.severity <= one.finding.severity && Place::of_finding(&one.finding).is_settled_as(&place)
        };
        self.settled.iter().rev().find(covers)
    }

    fn cited<'v>(&'v self, issues: &'v [Issue]) -> impl Iterator<Item = Cited<'v>> {
        issues.iter().enumerate().map(|(at, issue)| {
            let unverified = self.unverified.get(at).and_then(Option::as_ref);
            let in_artifact = self.in_artifact.get(at).copied().unwrap_or_default();
            let touched = self.delta.is_none_or(|delta| match in_artifact {
                // Its line is one of the file it names.
                true => delta.touches_quote(self.artifact, &issue.quote, self.redactor),
                false => delta.touches(issue, self.redactor),
            });
            Cited { issue, unverified, touched, changed: touched && self.delta.is_some() }
        })
    }
}

/// An issue with what was found out about it.
#[derive(Clone, Copy)]
struct Cited<'a> {
    issue: &'a Issue,
    unverified: Option<&'a String>,
    touched: bool,
    /// Whether something changed since the last review, and it lies there.
    changed: bool,
}

impl Cited<'_> {
    /// Of two that say the same, the one that holds speaks for both, then the graver one.
    fn weight(&self) -> (bool, Severity) {
        (self.unverified.is_none(), self.issue.severity)
    }
}

struct Repeat<'a> {
    of: &'a Finding,
    by: Cited<'a>,
}

/// The answer to each finding that is open or deferred. If one is answered twice, `not_fixed` outweighs the rest.
fn answers<'a>(
    hearing: &ReconcileInput<'a>,
    given: &'a [FindingAnswer],
    notes: &mut Vec<String>,
) -> BTreeMap<FindingId, &'a FindingAnswer> {
    let mut answers: BTreeMap<FindingId, &FindingAnswer> = BTreeMap::new();
    for answer in given {
        let id = one_line(&answer.id, 40);
        match hearing.named(&answer.id) {
            None => notes.push(format!("{id} is answered, but {} has no finding of that name", hearing.role)),
            Some(finding) if !matches!(finding.status, Status::Open | Status::Deferred) => {
                notes.push(format!("{id} is answered, but it is {} already", finding.status.name()));
            }
            Some(finding) => {
                let earlier = answers.get(&finding.id).map(|answer| answer.status);
                if earlier.is_some_and(|earlier| earlier != answer.status) {
                    notes.push(format!("{id} is answered in two ways"));
                }
                if earlier != Some(AnswerStatus::NotFixed) {
                    answers.insert(finding.id.clone(), answer);
                }
            }
        }
    }
    answers
}

/// Splits the issues into repeats of known findings and new ones; new ones that say the same are kept together.
fn sort_issues<'a>(
    hearing: &'a ReconcileInput<'a>,
    issues: &'a [Issue],
    notes: &mut Vec<String>,
) -> (Vec<Repeat<'a>>, Vec<Vec<Cited<'a>>>) {
    let mut repeats: Vec<Repeat<'_>> = Vec::new();
    let mut new: Vec<Vec<Cited<'_>>> = Vec::new();
    for cited in hearing.cited(issues) {
        if let Some(of) = repeated(hearing, cited.issue, notes) {
            match repeats.iter_mut().find(|repeat| repeat.of.id == of.id) {
                Some(earlier) if earlier.by.weight() < cited.weight() => earlier.by = cited,
                Some(_) => {}
                None => repeats.push(Repeat { of, by: cited }),
            }
            continue;
        }
        let place = Place::of_issue(cited.issue);
        match new
            .iter_mut()
            .find(|group| group.iter().any(|other| Place::of_issue(other.issue).says_the_same(&place)))
        {
            Some(group) => group.push(cited),
            None => new.push(vec![cited]),
        }
    }
    (repeats, new)
}

/// The known finding an issue repeats: by name, else one that says the same, open ones first, then the oldest.
fn repeated<'a>(hearing: &ReconcileInput<'a>, issue: &Issue, notes: &mut Vec<String>) -> Option<&'a Finding> {
    if !issue.same_as.trim().is_empty() {
        if let Some(finding) = hearing.named(&issue.same_as) {
            return Some(finding).filter(|finding| !goes_beyond(issue, finding));
        }
        let name = one_line(&issue.same_as, 40);
        notes.push(format!("an issue repeats {name}, but {} has no finding of that name", hearing.role));
    }
    let place = Place::of_issue(issue);
    let similar =
        |finding: &&Finding| Place::of_finding(finding).says_the_same(&place) && !goes_beyond(issue, finding);
    let matches = || hearing.mine().filter(similar);
    matches().find(|finding| finding.status == Status::Open).or_else(|| matches().next())
}

/// Whether an issue is graver than what a person ruled on or noted: harm beyond that is a finding like any other.
fn goes_beyond(issue: &Issue, finding: &Finding) -> bool {
    let is_a_persons = finding.is_comment() || matches!(finding.status, Status::Ruled | Status::Overruled);
    is_a_persons && issue.severity > finding.severity
}

/// What becomes of a finding of this role.
fn settle(
    finding: &Finding,
    answer: Option<&FindingAnswer>,
    repeat: Option<&Repeat<'_>>,
    out: &mut Reconciled,
) {
    let id = finding.id.clone();
    match (finding.status, repeat) {
        (Status::Open, Some(repeat)) => {
            let note = repeat_note(finding, answer, out);
            match restated(finding, &repeat.by, &note) {
                Some(finding) => out.changes.push(FindingChange::Restated(finding)),
                None => out.changes.push(FindingChange::Kept { id, note }),
            }
        }
        (Status::Open, None) if finding.is_comment() && withdraws(answer) => {
            let note = answer.map(|answer| answer.note.clone()).unwrap_or_default();
            out.notes
                .push(format!("{id} is a person's comment and is not withdrawn by others; it stays open"));
            out.changes.push(FindingChange::Kept { id, note });
        }
        (Status::Open, None) => out.changes.push(answered(id, answer, &mut out.unanswered)),
        (Status::Fixed | Status::Withdrawn, Some(repeat)) => {
            let note = format!("was {}, found again", finding.status.name());
            let restated = restated(finding, &repeat.by, &note);
            out.changes.push(FindingChange::Reopened { id, note });
            out.changes.extend(restated.map(FindingChange::Restated));
        }
        (Status::Deferred, Some(repeat)) if repeat.by.changed => {
            let note = "was deferred, and what changed touches it".to_owned();
            let restated = restated(finding, &repeat.by, &note);
            out.changes.push(FindingChange::Reopened { id, note });
            out.changes.extend(restated.map(FindingChange::Restated));
        }
        (Status::Deferred | Status::Ruled | Status::Overruled, Some(repeat)) => {
            // It stays put off, but as what it is said to be now: a blocker needs a person's ruling.
            let graver =
                restated(finding, &repeat.by, &finding.note).filter(|_| finding.status == Status::Deferred);
            let graver = graver.map(|graver| Finding { status: Status::Deferred, ..graver });
            out.changes.extend(graver.map(FindingChange::Restated));
            out.notes.push(format!("{id} is repeated, but it is {} already", finding.status.name()));
            out.settled.push(id);
        }
        // It blocks nothing, so nothing has to be said about it; that it is gone may be said.
        (Status::Deferred, None) => match answer.map(|answer| answer.status) {
            Some(AnswerStatus::Fixed | AnswerStatus::Withdrawn) => {
                out.changes.push(answered(id, answer, &mut out.unanswered));
            }
            Some(AnswerStatus::NotFixed) => out.settled.push(id),
            None => {}
        },
        (_, None) => {}
    }
}

fn withdraws(answer: Option<&FindingAnswer>) -> bool {
    answer.is_some_and(|answer| answer.status == AnswerStatus::Withdrawn)
}

fn answered(id: FindingId, answer: Option<&FindingAnswer>, unanswered: &mut Vec<FindingId>) -> FindingChange {
    let Some(answer) = answer else {
        unanswered.push(id.clone());
        return FindingChange::Kept { id, note: "not answered".to_owned() };
    };
    let note = answer.note.clone();
    match answer.status {
        AnswerStatus::Fixed => FindingChange::Fixed { id, note },
        AnswerStatus::Withdrawn => FindingChange::Withdrawn { id, note },
        AnswerStatus::NotFixed => FindingChange::Kept { id, note },
    }
}

fn repeat_note(finding: &Finding, answer: Option<&FindingAnswer>, out: &mut Reconciled) -> String {
    match answer {
        Some(answer) if answer.status == AnswerStatus::NotFixed && !answer.note.is_empty() => {
            answer.note.clone()
        }
        Some(answer) if answer.status != AnswerStatus::NotFixed => {
            let status = answer.status.name();
            out.notes.push(format!("{} is said to be {status} and is repeated; it stays open", finding.id));
            format!("said to be {status}, but found again")
        }
        _ => "found again".to_owned(),
    }
}

/// The finding in its new form, if the repeat weighs more: it holds where the old form did not, or it is graver.
fn restated(finding: &Finding, by: &Cited<'_>, note: &str) -> Option<Finding> {
    // A person's words stay theirs.
    if finding.is_comment() || by.weight() <= (finding.unverified.is_none(), finding.severity) {
        return None;
    }
    let issue = by.issue;
    Some(Finding {
        severity: issue.severity,
        claim: issue.claim,
        file: issue.file.clone(),
        line: issue.line,
        section: issue.section.clone(),
        quote: issue.quote.clone(),
        description: issue.description.clone(),
        suggestion: issue.suggestion.clone(),
        status: Status::Open,
        unverified: by.unverified.cloned(),
        note: note.to_owned(),
        ..finding.clone()
    })
}

/// A new finding, from all issues that say it.
fn raise(hearing: &ReconcileInput<'_>, id: FindingId, group: &[Cited<'_>], out: &mut Reconciled) {
    let Some(best) = group.iter().rev().max_by_key(|cited| cited.weight()) else { return };
    if group.len() > 1 {
        out.notes.push(format!("{} issues say the same and became {id}", group.len()));
    }
    let ruling = hearing.ruling_on(best.issue);
    if let Some(ruling) = ruling {
        out.notes.push(format!("{id} was settled before: {}", ruling.name()));
    }
    let touched = group.iter().any(|cited| cited.touched);
    // What does not hold never blocks, so it must not use up the one round in which late blockers are admitted.
    let late =
        ruling.is_none() && !touched && hearing.late_left && best.weight() == (true, Severity::Blocker);
    out.late |= late;
    let issue = best.issue;
    out.changes.push(FindingChange::Raised(Finding {
        id,
        role: hearing.role.clone(),
        round: hearing.round,
        severity: issue.severity,
        category: issue.category.clone(),
        claim: issue.claim,
        file: issue.file.clone(),
        line: issue.line,
        section: issue.section.clone(),
        quote: issue.quote.clone(),
        description: issue.description.clone(),
        suggestion: issue.suggestion.clone(),
        status: match ruling {
            Some(ruling) => ruling.ruling.status(),
            None if touched || late => Status::Open,
            None => Status::Deferred,
        },
        late,
        unverified: best.unverified.cloned(),
        note: ruling.map(|ruling| format!("settled before: {}", ruling.name())).unwrap_or_default(),
        by: None,
    }));
}
