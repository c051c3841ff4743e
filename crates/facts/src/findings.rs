//! Findings: what reviewers and people said is wrong, under names that last through the phase.
//!
//! The values and how stored changes apply to them; the changes are made from a verdict by `documents::reconcile`.

mod settled;

use crate::citation;
use crate::ids::{FindingId, Role};
use crate::prelude::*;
use crate::verdict::{Claim, Severity};
use serde::{Deserialize, Serialize};

pub use settled::{Ruling, SettledFinding};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    pub id: FindingId,
    /// Who raised it, or where a person did, who says whether it is met.
    pub role: Role,
    /// The review round of the role's stage in which it was raised, as shown to people.
    pub round: u16,
    pub severity: Severity,
    pub category: String,
    pub claim: Claim,
    pub file: String,
    pub line: u32,
    pub section: String,
    pub quote: String,
    pub description: String,
    pub suggestion: String,
    pub status: Status,
    /// A blocker that a re-review raised outside the delta, admitted once in a loop.
    pub late: bool,
    /// Why what it cites does not hold in the tree. Such a finding never blocks alone.
    pub unverified: Option<String>,
    /// What was last said about it.
    pub note: String,
    /// The person whose comment it is; absent where a reviewer raised it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Open,
    Fixed,
    Withdrawn,
    /// Raised outside the delta in a re-review: kept for later, blocks nothing now.
    Deferred,
    /// Settled by a person.
    Ruled,
    /// A person decided that it does not hold, after its author had declined it and its reviewer had kept it. Counts like
    /// a withdrawn one.
    Overruled,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::Fixed => "fixed",
            Status::Withdrawn => "withdrawn",
            Status::Deferred => "deferred",
            Status::Ruled => "ruled",
            Status::Overruled => "overruled",
        }
    }
}

impl Finding {
    /// Whether it stands in the way of an approval under this rule. A person's note never does.
    pub fn blocks(&self, rule: Threshold) -> bool {
        let least = if self.is_comment() { Severity::Blocker } else { rule.least() };
        self.status == Status::Open && self.unverified.is_none() && self.severity >= least
    }

    /// Whether a person said it.
    pub fn is_comment(&self) -> bool {
        self.by.is_some()
    }

    /// Whether it is a person's comment that must still be met.
    pub fn is_open_comment(&self) -> bool {
        self.is_comment() && self.status == Status::Open && self.severity == Severity::Blocker
    }

    /// Why its person opened a comment again, the last time they did.
    pub fn reopened_because(&self) -> Option<&str> {
        Some(self.suggestion.trim()).filter(|why| self.is_comment() && !why.is_empty())
    }

    /// Whether nobody has said anything about a comment since its person opened it again.
    pub fn was_just_reopened(&self) -> bool {
        self.reopened_because()
            .is_some_and(|why| self.note.starts_with("opened again by ") && self.note.ends_with(why))
    }

    /// Who said it, for people: a role, or a person by name.
    pub fn raised_by(&self) -> &str {
        self.by.as_deref().unwrap_or(self.role.as_str())
    }

    /// Whether it is a blocker that was put off, so that a person must rule on it before the work ends, also where what
    /// it cites was not found.
    pub fn is_deferred_blocker(&self) -> bool {
        self.status == Status::Deferred && self.severity == Severity::Blocker
    }

    /// The line it is about in the current text of its file, where what it quotes may have moved. Of several matches,
    /// the one nearest to the cited line; without a match, the cited line if the file has that many, else the last
    /// line.
    pub fn line_in(&self, text: &str) -> u32 {
        let first = self.quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let quote = citation::quote_parts(first).into_iter().next().unwrap_or_default();
        let nearest = |fold: fn(&str) -> String| {
            let numbered = (1u32..).zip(text.lines());
            let quote = fold(&quote);
            let found = numbered.filter(|(_, line)| !quote.is_empty() && fold(line).contains(&quote));
            found.map(|(line, _)| line).min_by_key(|line| line.abs_diff(self.line))
        };
        let bare = || citation::is_markdown(&self.file).then(|| nearest(citation::unmarked)).flatten();
        let nearest = nearest(citation::fold).or_else(bare);
        let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        nearest.unwrap_or(self.line.min(last))
    }

    /// `docs/features/031-x/spec.md:12 (Requirements)`, as far as these are cited.
    pub fn place(&self) -> String {
        let mut place = self.file.clone();
        if self.line > 0 {
            place.push_str(&format!(":{}", self.line));
        }
        if !self.section.is_empty() {
            let gap = if place.is_empty() { "" } else { " " };
            place.push_str(&format!("{gap}({})", self.section));
        }
        if place.is_empty() { "no place given".to_owned() } else { place }
    }
}

/// Which open findings stand in the way of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Threshold {
    /// Blockers and warnings.
    Strict,
    Blockers,
}

impl Threshold {
    pub fn least(self) -> Severity {
        match self {
            Threshold::Strict => Severity::Warning,
            Threshold::Blockers => Severity::Blocker,
        }
    }
}

/// One stored change to the list of findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FindingChange {
    /// A new finding, with the status it starts in: open, deferred, or ruled or overruled where a person has settled it
    /// before.
    Raised(Finding),
    /// Said to be there still, repeated, or passed over in silence.
    Kept {
        id: FindingId,
        note: String,
    },
    Fixed {
        id: FindingId,
        note: String,
    },
    Withdrawn {
        id: FindingId,
        note: String,
    },
    /// Was fixed or withdrawn and is found again.
    Reopened {
        id: FindingId,
        note: String,
    },
    /// Repeated with a graver severity, or with a citation that holds where the earlier one did not. The new form
    /// replaces the old one under the same id.
    Restated(Finding),
}

/// Applies stored changes to the list. A change that names an unknown finding is passed over.
pub fn apply(findings: &mut Vec<Finding>, changes: &[FindingChange]) {
    for change in changes {
        let (id, status, note) = match change {
            FindingChange::Raised(finding) => {
                findings.push(finding.clone());
                continue;
            }
            FindingChange::Restated(finding) => {
                if let Some(known) = findings.iter_mut().find(|known| known.id == finding.id) {
                    known.clone_from(finding);
                }
                continue;
            }
            FindingChange::Kept { id, note } => (id, None, note),
            FindingChange::Fixed { id, note } => (id, Some(Status::Fixed), note),
            FindingChange::Withdrawn { id, note } => (id, Some(Status::Withdrawn), note),
            FindingChange::Reopened { id, note } => (id, Some(Status::Open), note),
        };
        if let Some(finding) = findings.iter_mut().find(|finding| finding.id == *id) {
            finding.status = status.unwrap_or(finding.status);
            finding.note.clone_from(note);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(line: u32, quote: &str) -> Finding {
        Finding {
            id: FindingId::new("X1"),
            role: Role::new("security-reviewer"),
            round: 1,
            severity: Severity::Blocker,
            category: "injection".to_owned(),
            claim: Claim::Present,
            file: "a.sh".to_owned(),
            line,
            section: String::new(),
            quote: quote.to_owned(),
            description: "d".to_owned(),
            suggestion: String::new(),
            status: Status::Open,
            late: false,
            unverified: None,
            note: String::new(),
            by: None,
        }
    }

    #[test]
    fn a_blocker_that_was_put_off_needs_a_ruling_also_where_its_quote_was_not_found() {
        let put_off = Finding { status: Status::Deferred, ..finding(1, "gone") };
        assert!(put_off.is_deferred_blocker());
        assert!(
            Finding { unverified: Some("not there".to_owned()), ..put_off.clone() }.is_deferred_blocker()
        );
        assert!(!Finding { severity: Severity::Warning, ..put_off.clone() }.is_deferred_blocker());
        assert!(!Finding { status: Status::Ruled, ..put_off }.is_deferred_blocker());
    }

    #[test]
    fn a_persons_note_never_blocks_and_a_persons_blocker_always_does() {
        let said = |severity| Finding { by: Some("ann".to_owned()), severity, ..finding(1, "") };
        for rule in [Threshold::Strict, Threshold::Blockers] {
            assert!(said(Severity::Blocker).blocks(rule) && !said(Severity::Warning).blocks(rule));
        }
        assert!(Finding { severity: Severity::Warning, ..finding(1, "") }.blocks(Threshold::Strict));
        assert_eq!(
            (said(Severity::Blocker).raised_by(), finding(1, "").raised_by()),
            ("ann", "security-reviewer")
        );
    }

    #[test]
    fn a_finding_is_shown_where_what_it_quotes_stands_now() {
        let text = "one\neval  \"$x\"\ntwo\neval \"$x\"\n";
        for (line, quote, now) in [
            (1, "eval \"$x\"", 2),
            (9, "eval \"$x\"", 4),
            (3, "gone", 3),
            (9, "gone", 4),
            (0, "", 0),
            (0, "`two`", 3),
        ] {
            assert_eq!(finding(line, quote).line_in(text), now, "{line} {quote}");
        }
        let text = "- **AC1:** `GET /x` gets 410\ntwo\n";
        let in_code = finding(9, "AC1: GET /x gets 410");
        let in_markdown = Finding { file: "a.md".to_owned(), ..in_code.clone() };
        assert_eq!((in_markdown.line_in(text), in_code.line_in(text)), (1, 2));
    }
}
