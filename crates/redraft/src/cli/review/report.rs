//! Reports what the review of a change found: as a table or JSON, or in one of the [`forms`](super::forms) of code hosts.
//!
//! With SARIF and annotations, stdout holds nothing else; what a person wants to know then goes to stderr.

use super::forms::{Judgement, aside, sarif_of_nothing};
use super::range::Range;
use redraft_core::attribution::RoleAttribution;
use redraft_documents::reconcile::{Defect, defects};
use redraft_facts::event::Checked;
use redraft_facts::findings::Finding;
use redraft_facts::ids::FindingId;
use redraft_facts::phase::Phase;
use redraft_facts::text::{count, indented, span};
use redraft_facts::verdict::Severity;
use redraft_frame::args::FindingsForm;
use redraft_frame::console::Console;
use redraft_reports::projections::Receipt;
use serde::Serialize;
use serde_json::json;

/// What a line on a narrow terminal holds.
const COLUMNS: usize = 80;

pub(super) struct Report<'a> {
    pub(super) scope: String,
    pub(super) range: &'a Range,
    pub(super) outcome: &'static str,
    /// Who gave the verdicts that stand.
    pub(super) judged_by: Vec<RoleAttribution>,
    /// The notice where the rehearsal agent played any of them.
    pub(super) rehearsed: Option<String>,
    /// The findings that are not settled, the gravest first.
    pub(super) findings: Vec<Finding>,
    /// What the change touches.
    pub(super) files: Vec<String>,
    pub(super) gate: Option<&'a Checked>,
    /// The checks that have run on the change; none where they were not asked for.
    pub(super) checks: Option<Vec<&'a Checked>>,
    /// Whether there is any check that could run.
    pub(super) has_checks: bool,
    /// How many dispatches this call has sent.
    pub(super) sent: usize,
    /// The receipt of all calls, and the command that shows more of it.
    pub(super) receipt: Receipt,
    pub(super) cost: String,
    /// What it waits for.
    pub(super) asked: String,
    pub(super) next: String,
}

#[derive(Serialize)]
struct ReportJson<'a> {
    v: u16,
    /// None where there was nothing to review.
    review: Option<&'a str>,
    head: &'a str,
    base: &'a str,
    /// The branch or tag that the base is, by its whole name, and its commit.
    base_ref: &'a str,
    base_commit: &'a str,
    merge_base: &'a str,
    commit: &'a str,
    /// `approved`, `findings`, `nothing`, `waiting`, `parked`, `over budget` or `interrupted`.
    outcome: &'static str,
    /// Who gave the verdicts that stand; empty where there was nothing to review.
    judged_by: &'a [RoleAttribution],
    rehearsed: bool,
    /// Those that are not settled.
    findings: &'a [Finding],
    /// Ids of findings by several reviewers that are about one defect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    same_defect: Vec<Vec<&'a FindingId>>,
    /// The check that failed before any agent was asked, if that is why it rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<&'a Checked>,
    /// With `--checks`: those that have run on the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<&'a [&'a Checked]>,
    /// How many dispatches this call has sent; the receipt has those of all calls.
    sent: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<&'a Receipt>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    next: &'a str,
}

pub(super) fn show(report: &Report<'_>, form: FindingsForm, console: &Console) {
    let Report { scope, range, outcome, judged_by, findings, gate, sent, receipt, next, .. } = report;
    match form {
        FindingsForm::Json => console.show(
            "",
            &ReportJson {
                v: 1,
                review: Some(scope),
                outcome,
                judged_by,
                rehearsed: report.rehearsed.is_some(),
                findings,
                same_defect: shared_ids(findings),
                gate: *gate,
                checks: report.checks.as_deref(),
                sent: *sent,
                receipt: Some(receipt),
                next,
                ..ReportJson::new(range)
            },
        ),
        FindingsForm::Sarif => report.judgement().show_sarif(console),
        FindingsForm::Github => report.judgement().show_annotations(console),
        FindingsForm::Table => {}
    }
    let text = told(report, form == FindingsForm::Table);
    if form == FindingsForm::Table { console.data(text.trim_end()) } else { console.say(text.trim_end()) }
}

impl Report<'_> {
    /// The same for code hosts.
    fn judgement(&self) -> Judgement<'_> {
        let Range { name, commit, merge_base, notes, .. } = self.range;
        Judgement {
            scope: &self.scope,
            subject: name,
            phase: Phase::Implement,
            outcome: self.outcome,
            asked: &self.asked,
            judged_by: &self.judged_by,
            rehearsed: self.rehearsed.as_deref(),
            findings: &self.findings,
            gate: self.gate,
            notes,
            first: self.files.first().map_or("README.md", String::as_str),
            judged: json!({"commit": commit, "merge_base": merge_base}),
            log: None,
        }
    }
}

/// Nothing differs.
pub(super) fn nothing(range: &Range, form: FindingsForm, console: &Console) {
    let text = format!("{} has changed nothing since {}: there is nothing to review", range.name, range.base);
    match form {
        FindingsForm::Json => {
            console.show("", &ReportJson { outcome: "nothing", ..ReportJson::new(range) });
        }
        FindingsForm::Sarif => {
            let notes = std::iter::once(text.clone()).chain(range.notes.iter().cloned()).collect();
            console.object(&sarif_of_nothing(notes));
        }
        FindingsForm::Github => {}
        FindingsForm::Table => console.data(&text),
    }
    if form != FindingsForm::Table {
        console.say(&text);
    }
}

impl<'a> ReportJson<'a> {
    fn new(range: &'a Range) -> ReportJson<'a> {
        ReportJson {
            v: 1,
            review: None,
            head: &range.name,
            base: &range.base,
            base_ref: &range.base_ref,
            base_commit: &range.tip,
            merge_base: &range.merge_base,
            commit: &range.commit,
            outcome: "",
            judged_by: &[],
            rehearsed: false,
            findings: &[],
            same_defect: Vec::new(),
            gate: None,
            checks: None,
            sent: 0,
            receipt: None,
            notes: &range.notes,
            next: "",
        }
    }
}

/// For a person: the findings if they are wanted, the cost, the state.
fn told(report: &Report<'_>, findings: bool) -> String {
    let Report { range, outcome, receipt, next, asked, .. } = report;
    let mut text = String::new();
    if findings {
        defects(&report.findings).iter().for_each(|one| text.push_str(&row(one)));
        if let Some(check) = report.gate {
            text.push_str(&format!("check {} failed: {}\n", check.gate, indented(&check.evidence, 2)));
        }
    }
    if report.sent > 0 {
        text.push_str(&format!("{}; more: {}\n", receipt.cost(), report.cost));
    } else if matches!(*outcome, "approved" | "findings") && report.gate.is_none() {
        text.push_str("nothing is new since the last call, so nobody was asked\n");
    }
    let is = match *outcome {
        "findings" => format!("has {}", counts(&report.findings)),
        "waiting" => "is waiting for you".to_owned(),
        outcome => format!("is {outcome}"),
    };
    let asked = if asked.is_empty() { String::new() } else { format!(": {asked}") };
    let change = format!("{} since {}", range.name, range.base);
    let judged = super::judged_by(&report.judged_by, report.rehearsed.clone());
    let commits = compared(range);
    let checked = report.checks.as_deref().map(|ran| checked(ran, report.has_checks)).unwrap_or_default();
    text.push_str(&format!(
        "{} ({change}) {is}{asked}\n{commits}\n{checked}{judged}next: {next}\n",
        report.scope
    ));
    text
}

/// Which checks ran, in a line.
fn checked(checks: &[&Checked], has_checks: bool) -> String {
    let ended = |check: &&Checked| {
        let how = if check.passed { "passed" } else { "failed" };
        format!("{} {how} in {}", check.gate, span(check.wall_ms))
    };
    match checks {
        [] if has_checks => "no check has run to its end\n".to_owned(),
        [] => "no check ran: redraft.toml of the base names none\n".to_owned(),
        some => format!("checks: {}\n", some.iter().map(ended).collect::<Vec<_>>().join(", ")),
    }
}

/// The commits between which it was reviewed.
fn compared(range: &Range) -> String {
    let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    let base = match range.merge_base == range.tip {
        true => range.base_ref.clone(),
        false => format!("where it left {}", range.base_ref),
    };
    format!("commit {} was compared with {} ({base})", short(&range.commit), short(&range.merge_base))
}

/// The ids of each defect that several reviewers found.
fn shared_ids(findings: &[Finding]) -> Vec<Vec<&FindingId>> {
    let several = defects(findings).into_iter().filter(|one| !one.also.is_empty());
    several.map(|one| one.all().map(|finding| &finding.id).collect()).collect()
}

/// `1 blocker, 2 warnings`; a failed check is not a finding, and what several reviewers found counts once.
fn counts(findings: &[Finding]) -> String {
    let found = defects(findings);
    let of = |severity: Severity| found.iter().filter(|one| one.first.severity == severity).count();
    let named = [
        (of(Severity::Blocker), "blocker"),
        (of(Severity::Warning), "warning"),
        (of(Severity::Suggestion), "suggestion"),
    ];
    let named: Vec<String> =
        named.into_iter().filter(|(of, _)| *of > 0).map(|(of, what)| count(of, what)).collect();
    if named.is_empty() { "a failed check".to_owned() } else { named.join(", ") }
}

/// A defect in a few lines that fit on a narrow terminal.
fn row(one: &Defect<'_>) -> String {
    let (finding, ids) = (one.first, one.ids());
    let Finding { severity, category, role, .. } = finding;
    let mut text = format!("{:<10}  {}  {ids}\n", severity.to_string(), place(finding));
    let mut more =
        |words: &str| wrapped(words).iter().for_each(|line| text.push_str(&format!("    {line}\n")));
    more(&finding.description);
    if !finding.suggestion.trim().is_empty() {
        more(&format!("suggested: {}", finding.suggestion));
    }
    more(&format!("{category}, {role}{}", aside(finding)));
    one.also
        .iter()
        .for_each(|other| more(&format!("also {}, {} ({})", other.category, other.role, other.id)));
    text
}

fn place(finding: &Finding) -> String {
    match (finding.file.as_str(), finding.line) {
        ("", _) => "no place given".to_owned(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}

/// Words in lines that leave room for an indent; a word that is too long has a line of its own.
fn wrapped(words: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= COLUMNS - 4 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
