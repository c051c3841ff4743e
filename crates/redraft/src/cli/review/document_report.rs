//! Reports what the review of a document found: as a table or JSON, or in one of the [`forms`](super::forms) of code hosts.

use super::forms::{Judgement, log_of};
use super::judged_by;
use crate::cli::show::table;
use redraft_core::attribution::{Attribution, RoleAttribution};
use redraft_facts::event::Checked;
use redraft_facts::findings::Finding;
use redraft_facts::phase::Phase;
use redraft_facts::text::indented;
use redraft_frame::args::FindingsForm;
use redraft_frame::console::Console;
use redraft_reports::projections::Receipt;
use serde::Serialize;
use serde_json::json;

pub(super) struct DocumentReport<'a> {
    pub(super) scope: String,
    pub(super) path: &'a str,
    /// What kind of document it is judged as.
    pub(super) kind: &'static str,
    pub(super) phase: Phase,
    pub(super) outcome: &'static str,
    pub(super) players: &'a Attribution,
    /// Who gave the verdicts that stand.
    pub(super) judged_by: Vec<RoleAttribution>,
    /// The notice where the rehearsal agent, which judges nothing, wrote or judged any of it.
    pub(super) rehearsed: Option<String>,
    pub(super) is_rehearsed: bool,
    /// The findings that are not settled, as they were raised.
    pub(super) findings: Vec<Finding>,
    /// The same where they are now, the gravest first.
    pub(super) at_their_lines: Vec<Finding>,
    pub(super) gate: Option<&'a Checked>,
    /// Whether the file was changed by this call.
    pub(super) fixed: bool,
    pub(super) revision: String,
    pub(super) sha256: String,
    /// The receipt of all calls, and the command that shows more of it.
    pub(super) receipt: Receipt,
    pub(super) cost: String,
    /// What it waits for.
    pub(super) asked: String,
    pub(super) notes: Vec<String>,
    pub(super) next: String,
}

#[derive(Serialize)]
struct ReviewJson<'a> {
    v: u16,
    review: &'a str,
    file: &'a str,
    #[serde(rename = "as")]
    kind: &'static str,
    /// `approved`, `findings`, `waiting`, `parked`, `over budget` or `interrupted`.
    outcome: &'static str,
    judged_by: &'a [RoleAttribution],
    rehearsed: bool,
    findings: &'a [Finding],
    /// What failed before any agent was asked, if that is why it rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<&'a Checked>,
    fixed: bool,
    /// The revision that the outcome is about, and the SHA-256 of the file in it.
    revision: &'a str,
    sha256: &'a str,
    receipt: &'a Receipt,
    notes: &'a [String],
    next: &'a str,
}

impl DocumentReport<'_> {
    pub(super) fn show(&self, form: FindingsForm, console: &Console) {
        match form {
            FindingsForm::Table => return console.data(&format!("{}{}", self.table(), self.told())),
            FindingsForm::Json => return console.show("", &self.json()),
            FindingsForm::Sarif => self.judgement().show_sarif(console),
            FindingsForm::Github => self.judgement().show_annotations(console),
        }
        console.say(&self.told());
    }

    fn judgement(&self) -> Judgement<'_> {
        Judgement {
            scope: &self.scope,
            subject: self.path,
            phase: self.phase,
            outcome: self.outcome,
            asked: &self.asked,
            judged_by: &self.judged_by,
            rehearsed: self.rehearsed.as_deref(),
            findings: &self.at_their_lines,
            gate: self.gate,
            notes: &self.notes,
            first: self.path,
            judged: json!({"file": self.path, "as": self.kind, "revision": self.revision, "sha256": self.sha256}),
            log: Some(log_of(self.path)),
        }
    }

    fn json(&self) -> ReviewJson<'_> {
        ReviewJson {
            v: 1,
            review: &self.scope,
            file: self.path,
            kind: self.kind,
            outcome: self.outcome,
            judged_by: &self.judged_by,
            rehearsed: self.is_rehearsed,
            findings: &self.findings,
            gate: self.gate,
            fixed: self.fixed,
            revision: &self.revision,
            sha256: &self.sha256,
            receipt: &self.receipt,
            notes: &self.notes,
            next: &self.next,
        }
    }

    /// The findings, for a person.
    fn table(&self) -> String {
        let failed =
            self.gate.map(|check| format!("gate {} failed: {}\n", check.gate, indented(&check.evidence, 2)));
        let failed = failed.unwrap_or_default();
        // Where no agent was asked there is no bill to show.
        let bill = match self.receipt.lines.is_empty() {
            true => String::new(),
            false => format!("{}; more: {}\n", self.receipt.cost(), self.cost),
        };
        format!("{}{failed}{bill}", table(&self.findings, self.players, self.phase))
    }

    /// How it ended, for a person.
    fn told(&self) -> String {
        let is = match (self.outcome, self.gate) {
            ("findings", Some(check)) => {
                format!("failed the gate {}, so no reviewer was asked about it as it stands", check.gate)
            }
            ("findings", None) => "has findings".to_owned(),
            ("waiting", _) => "is waiting for you".to_owned(),
            (outcome, _) => format!("is {outcome}"),
        };
        let asked = if self.asked.is_empty() { String::new() } else { format!(": {}", self.asked) };
        let judged = judged_by(&self.judged_by, self.rehearsed.clone());
        format!("{} {is}{asked}\n{judged}next: {}", self.path, self.next)
    }
}
