//! Turns the lint of `documents` into findings: what a gate would report or warn of, in the words of a reviewer.
//!
//! Faults about tasks and steps belong to the reviewer of the plan or the tasks, all others to the hand-off. Start at
//! [`look`].

use super::{Check, CheckedDocuments, Defect, Found, Looked, remedy};
use crate::pace::Stopped;
use redraft_documents::lint::{
    ArtifactKind, Document, Documents, Fault, LintLevel, LintSettings, LintedContent, Rule, check_until,
};
use redraft_facts::phase::Phase;
use redraft_facts::verdict::{Claim, Severity};
use std::collections::BTreeSet;

/// How every description begins; the rule follows in backticks.
const LEAD: &str = "lint `";

/// The check that reports a fault of the rule that a description begins with.
pub(super) fn check_behind(phase: Phase, description: &str) -> Option<Check> {
    let rule = description.strip_prefix(LEAD)?.split('`').next()?.parse().ok()?;
    Some(if has_tasks(phase) && is_about_tasks(rule) { Check::Tasks } else { Check::Lint })
}

/// The faults that concern the hand-off.
pub(super) fn look(checked: &CheckedDocuments<'_>) -> Result<Looked, Stopped> {
    looked(checked, |fault| !(has_tasks(checked.phase) && is_about_tasks(fault.rule)))
}

fn has_tasks(phase: Phase) -> bool {
    matches!(phase, Phase::CreatePlan | Phase::CreateTasks)
}

/// The faults that concern the reviewer of a plan or a list of tasks.
pub(super) fn tasks(checked: &CheckedDocuments<'_>) -> Result<Looked, Stopped> {
    looked(checked, |fault| is_about_tasks(fault.rule))
}

/// The faults that have to be mended before any reviewer sees the document.
pub(super) fn errors(checked: &CheckedDocuments<'_>) -> Result<Vec<Defect>, Stopped> {
    Ok(looked(checked, |fault| fault.level == LintLevel::Error)?.defects)
}

fn looked(checked: &CheckedDocuments<'_>, wanted: impl Fn(&Fault) -> bool) -> Result<Looked, Stopped> {
    let faults = faults(checked)?;
    let defects = faults.iter().filter(|fault| wanted(fault)).map(|fault| defect(checked, fault)).collect();
    Ok(Looked { defects, note: format!("{} rules looked at", Rule::ALL.len()), ..Looked::default() })
}

fn is_about_tasks(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::NoTasks
            | Rule::DuplicateId
            | Rule::DependencyCycle
            | Rule::UnknownReference
            | Rule::NoDoneCriterion
    )
}

fn faults(checked: &CheckedDocuments<'_>) -> Result<Vec<Fault>, Stopped> {
    let before = [
        (ArtifactKind::Prd, checked.before.prd),
        (ArtifactKind::Spec, checked.before.spec),
        (ArtifactKind::Design, checked.before.design),
        (ArtifactKind::Plan, checked.before.plan),
    ];
    let document = |path: &str, text: &str| Document {
        path: path.to_owned(),
        content: LintedContent::Text(text.to_owned()),
    };
    let mut documents: Vec<Document> =
        before.iter().filter_map(|(kind, text)| Some(document(kind.file(), (*text)?))).collect();
    documents.push(document(checked.path, checked.parsed.text));
    let documents = Documents { documents, absent_files: BTreeSet::new() };
    let faults = check_until(&documents, &LintSettings::default(), &|| checked.pace.is_stopped());
    let mut faults = faults.ok_or(Stopped)?;
    faults.retain(|fault| fault.path == checked.path);
    Ok(faults)
}

fn defect(checked: &CheckedDocuments<'_>, fault: &Fault) -> Defect {
    let Fault { rule, line, message, hint, .. } = fault;
    let line = (*line as usize).saturating_sub(1);
    let found = Found {
        // It reports only what is certain, and what does not block would never be mended.
        severity: Severity::Blocker,
        category: category(checked.phase, *rule),
        claim: Claim::Present,
        line,
        description: format!("{LEAD}{rule}`: {message}"),
        suggestion: hint.clone(),
    };
    checked.defect(found, remedy::for_fault(*rule, &checked.parsed, line, message))
}

/// One of the categories of the role that reports it.
fn category(phase: Phase, rule: Rule) -> &'static str {
    match (phase, rule) {
        (Phase::CreatePlan, rule) if is_about_tasks(rule) => "dependency",
        (Phase::CreateTasks, Rule::NoDoneCriterion) => "testability",
        (Phase::CreateTasks, Rule::DependencyCycle | Rule::UnknownReference) => "dependencies",
        (Phase::CreateTasks, rule) if is_about_tasks(rule) => "executability",
        (Phase::Document, Rule::VagueWord) => "clarity",
        (_, Rule::VagueWord) => "ambiguity",
        _ => "completeness",
    }
}
