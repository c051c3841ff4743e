//! `redraft show findings`: what reviewers found, and what they looked up.

use super::{open, whom};
use redraft_core::attribution::{Attribution, RoleAttribution};
use redraft_core::pipeline::Pipeline;
use redraft_core::review::Loop;
use redraft_documents::reconcile::defects;
use redraft_facts::event::Event;
use redraft_facts::findings::Finding;
use redraft_facts::harmless;
use redraft_facts::ids::{FindingId, Role};
use redraft_facts::phase::Phase;
use redraft_frame::args::FindingsArgs;
use redraft_frame::console::{Console, beneath};
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_reports::claims::{NothingLookedUp, VerifiedClaim, claims, nothing_in_words, nothing_looked_up};
use serde::Serialize;

#[derive(Serialize)]
struct FindingsJson<'a> {
    v: u16,
    feature: String,
    /// Of all phases, in their order.
    findings: Vec<FindingJson<'a>>,
    /// Who gave the verdicts that stand.
    judged_by: Vec<RoleAttribution>,
    rehearsed: bool,
    /// What reviewers wanted to do and were denied: they may have missed something.
    denied: Vec<DeniedJson<'a>>,
    /// Every defect once, whoever found it.
    defects: Vec<DefectJson<'a>>,
    /// What reviewers looked up; first what they left to a person.
    verified: &'a [VerifiedClaim<'a>],
    /// The reviewers that looked up nothing, as far as they say.
    nothing_looked_up: &'a [NothingLookedUp<'a>],
}

#[derive(Serialize)]
struct DefectJson<'a> {
    phase: &'static str,
    ids: Vec<&'a FindingId>,
    reviewers: Vec<&'a Role>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    phase: &'static str,
    #[serde(flatten)]
    finding: &'a Finding,
    raised_by: Option<RoleAttribution>,
}

#[derive(Serialize)]
struct DeniedJson<'a> {
    ticket: String,
    what: &'a str,
}

pub fn findings(
    args: FindingsArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let (_, scope, entries) = open(&repo, args.feature.as_deref(), process)?;
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    let raised: Vec<&Loop> = state.relevant().filter(|one| !one.findings.is_empty()).collect();
    let mut text = String::new();
    let mut findings = Vec::new();
    let mut found = Vec::new();
    for one in &raised {
        // An id is unique in its phase only.
        if raised.len() > 1 {
            text.push_str(&format!("{}\n", one.opened.phase));
        }
        let phase = one.opened.phase;
        let raised = |finding: &Finding| state.players.raised_by(phase, &finding.id);
        text.push_str(&table(&one.findings, &state.players, phase));
        let phase = phase.name();
        found.extend(defects(&one.findings).iter().map(|defect| DefectJson {
            phase,
            ids: defect.all().map(|finding| &finding.id).collect(),
            reviewers: defect.all().map(|finding| &finding.role).collect(),
        }));
        let all = one.findings.iter();
        findings.extend(all.map(|finding| FindingJson { phase, finding, raised_by: raised(finding) }));
    }
    let waiting: Vec<(Phase, Finding)> =
        state.comments.waiting.iter().map(|one| (one.phase, one.finding(Role::new("")))).collect();
    for (phase, finding) in &waiting {
        text.push_str(&format!("{phase}, not begun yet\n"));
        text.push_str(&table(std::slice::from_ref(finding), &state.players, *phase));
        findings.push(FindingJson { phase: phase.name(), finding, raised_by: None });
    }
    if findings.is_empty() {
        text.push_str(&format!("{} has no findings", whom(&scope)));
    }
    let answered = entries.iter().filter_map(|entry| match &entry.event {
        Event::Answered(answered) => Some(answered),
        _ => None,
    });
    let denied: Vec<DeniedJson<'_>> = answered
        .flat_map(|fact| fact.denials.iter().map(|what| DeniedJson { ticket: fact.ticket.to_string(), what }))
        .collect();
    for DeniedJson { ticket, what } in &denied {
        text.push_str(&format!("\ndenied in {ticket}: {what}"));
    }
    let verified = claims(&entries, &state);
    for one in &verified {
        let what = if one.flagged { "for a person to check" } else { "verified" };
        text.push_str(&format!("\n{what}, {}", harmless::name(&one.in_words())));
    }
    let nothing = nothing_looked_up(&entries, &state);
    text.extend(nothing_in_words(&nothing).map(|said| format!("\n{}", harmless::name(&said))));
    let (judged_by, rehearsed) = (state.judged_by(), state.is_rehearsed());
    let shown = FindingsJson {
        v: 1,
        feature: scope.to_string(),
        findings,
        judged_by,
        rehearsed,
        denied,
        defects: found,
        verified: &verified,
        nothing_looked_up: &nothing,
    };
    console.show(&text, &shown);
    Ok(ErrorCode::Done)
}

/// Findings as a person reads them.
pub fn table(findings: &[Finding], players: &Attribution, phase: Phase) -> String {
    let mut text = String::new();
    for one in defects(findings) {
        let finding = one.first;
        let mut marks = finding.status.name().to_owned();
        if finding.late {
            marks.push_str(", late");
        }
        if let Some(why) = &finding.unverified {
            marks.push_str(&format!(", unverified: {}", harmless::name(why)));
        }
        let (id, severity, category, round) =
            (&finding.id, finding.severity, harmless::name(&finding.category), finding.round);
        let by = players.raised_by(phase, id).map(|by| format!(" by {}, {}", by.role, by.shown()));
        let by = by.unwrap_or_default();
        let raised = match &finding.by {
            Some(person) => format!("said by {}", harmless::name(person)),
            None => format!("raised in round {round}{by}"),
        };
        text.push_str(&format!("{id} [{severity}] [{category}] {marks}, {raised}\n"));
        let place = finding.place();
        text.push_str(&format!("   {}\n   at: {}\n", beneath(&finding.description), harmless::name(&place)));
        if !finding.note.is_empty() {
            text.push_str(&format!("   last said: {}\n", beneath(&finding.note)));
        }
        for other in one.also {
            let (id, role) = (&other.id, &other.role);
            text.push_str(&format!("   {id}, also by {role}: {}\n", beneath(&other.description)));
        }
    }
    text
}
