//! What reviewers found, and what became of it.

use redraft_core::pipeline::Pipeline;
use redraft_core::review::{Dispute, Loop};
use redraft_facts::event::Commented;
use redraft_facts::findings::{Finding, SettledFinding, Status};
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::verdict::Severity;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingView {
    pub phase: Phase,
    pub id: String,
    pub role: String,
    /// The agent or the person that raised it, as people read it.
    pub by: String,
    /// Whether a person did; the role then says whether it is met.
    pub is_comment: bool,
    pub round: u16,
    pub severity: Severity,
    pub category: String,
    pub status: Status,
    pub description: String,
    pub suggestion: String,
    pub file: String,
    pub line: u32,
    /// File, line and section in one.
    pub place: String,
    pub quote: String,
    /// Whether it was raised outside of what had changed.
    pub late: bool,
    /// Why what it cites does not count, where it was not found.
    pub unverified: Option<String>,
    /// What became of it, in a sentence.
    pub outcome: String,
    /// What author, reviewer and person said about it, oldest first, each as `who` and `what`.
    pub said: Vec<(String, String)>,
}

pub(super) fn findings<'a>(state: &'a Pipeline) -> Vec<FindingView> {
    let of_loop = |one: &'a Loop| one.findings.iter().map(move |finding| view(finding, one, state));
    let mut all: Vec<FindingView> = state.relevant().flat_map(of_loop).collect();
    // What is said about a phase is there before its loop is.
    all.extend(state.comments.waiting.iter().map(waiting));
    all
}

fn waiting(fact: &Commented) -> FindingView {
    let finding = fact.finding(Role::new(""));
    FindingView {
        phase: fact.phase,
        id: finding.id.to_string(),
        role: String::new(),
        by: fact.by.clone(),
        is_comment: true,
        round: 0,
        severity: finding.severity,
        category: finding.category.clone(),
        status: Status::Open,
        description: finding.description.clone(),
        suggestion: String::new(),
        file: finding.file.clone(),
        line: finding.line,
        place: finding.place(),
        quote: String::new(),
        late: false,
        unverified: None,
        outcome: format!("waits for {} to begin", fact.phase),
        said: Vec::new(),
    }
}

fn view(finding: &Finding, of: &Loop, state: &Pipeline) -> FindingView {
    let phase = of.opened.phase;
    let dispute = of.disputes.get(&finding.id);
    let is_own =
        |settled: &&SettledFinding| settled.ruling.phase == phase && settled.finding.id == finding.id;
    let settled = state.settled.iter().rev().find(is_own);
    let raised = state.players.raised_by(phase, &finding.id);
    FindingView {
        phase,
        id: finding.id.to_string(),
        role: finding.role.to_string(),
        by: finding.by.clone().or_else(|| raised.map(|one| one.shown())).unwrap_or_default(),
        is_comment: finding.is_comment(),
        round: finding.round,
        severity: finding.severity,
        category: finding.category.clone(),
        status: finding.status,
        description: finding.description.clone(),
        suggestion: finding.suggestion.clone(),
        file: finding.file.clone(),
        line: finding.line,
        place: finding.place(),
        quote: finding.quote.clone(),
        late: finding.late,
        unverified: finding.unverified.clone(),
        outcome: outcome(finding, dispute, settled),
        said: said(finding, of, dispute, settled),
    }
}

fn outcome(finding: &Finding, dispute: Option<&Dispute>, settled: Option<&SettledFinding>) -> String {
    let by = settled.map(|settled| settled.ruling.by.as_str()).unwrap_or("a person");
    match finding.status {
        Status::Fixed => "fixed".to_owned(),
        Status::Withdrawn => "withdrawn by its reviewer".to_owned(),
        Status::Deferred => "put off: it lies outside of what had changed".to_owned(),
        Status::Ruled => format!("accepted as it is by {by}"),
        Status::Overruled => format!("overruled by {by}"),
        Status::Open if finding.unverified.is_some() => "open, but what it cites was not found".to_owned(),
        Status::Open => match dispute {
            Some(Dispute { upheld: Some(upheld), .. }) => format!("open: upheld by {}", upheld.by),
            Some(dispute) if dispute.is_contested() => "open: author and reviewer disagree".to_owned(),
            Some(_) => "open: the author declines it".to_owned(),
            None => "open".to_owned(),
        },
    }
}

fn said(
    finding: &Finding,
    of: &Loop,
    dispute: Option<&Dispute>,
    settled: Option<&SettledFinding>,
) -> Vec<(String, String)> {
    let (author, reviewer) = (of.opened.author.to_string(), finding.role.to_string());
    let mut said: Vec<(String, String)> = Vec::new();
    let mut say = |who: &str, what: &str| {
        let is_known = said.iter().any(|(known, text)| known == who && text == what);
        if !what.trim().is_empty() && !is_known {
            said.push((who.to_owned(), what.to_owned()));
        }
    };
    if let Some(Dispute { reply, answer, again, upheld }) = dispute {
        say(&author, reply);
        say(&reviewer, answer.as_deref().unwrap_or_default());
        say(&author, again.as_deref().unwrap_or_default());
        if let Some(upheld) = upheld {
            say(&upheld.by, &upheld.why);
        }
    }
    say(&reviewer, &finding.note);
    if let Some(settled) = settled {
        say(&settled.ruling.by, &settled.ruling.why);
    }
    said
}
